/* Contact of reduced gears, in all their meshes at once, as a small linear complementarity problem for the
 * forces. Penalty springs do not limit the time step, and an infinite penalty means rigid flanks.
 *
 * A candidate s is a node near the other flank. A unit force along its normal n acts on the gears in the
 * direction b_s: n on the node itself, -N_i n on the corners of the facet that it faces (flank_contact.h).
 * If nodal forces f displace the flanks by G f, the depth of a candidate is
 *
 *     d_s = d0_s - sum_t W_st lambda_t,    W = B^T G B,   f = B lambda,
 *
 * and with the weight w_s of its pass and the penalty c its force is lambda_s = w_s c max(d_s, 0):
 *
 *     lambda >= 0,   W lambda + lambda/(w c) - d0 >= 0,   one of the two is zero in each row.
 *
 * The matrix is positive definite, so there is one solution (math/lcp.h). For rigid flanks 1/c is 1e-9 of the
 * mean of the diagonal of W: the limit of large penalties to that share. The two passes may constrain the
 * flanks more often than these have degrees of freedom (nodes that coincide have equal rows); then the passes
 * share the force in proportion to their weights, as in the limit.
 *
 * A node that slides over the rim of the other flank would lose its force at once; the flank would spring
 * back under it, and the problem might have no solution. Therefore the candidate is made compliant in the
 * outer half of the facets' overhang, by e = (1 - w)/w times the flexibility of its nodes, w from 1 to 0
 * (flank_contact.h). The energy lambda^2 e/2 of that spring depends on the place of the node. The negative
 * gradient of this energy at a given depth, lambda^2/2 times the gradient of e, is a force that pushes the
 * node off the flank, so that energy is conserved.
 *
 * The caller adds the compliances to W: flexibility matrices of flanks, and rows R with W += R diag(a) R^T
 * for coordinates that all flanks share (modes, rotation). Flanks of one gear are coupled by these rows only:
 * the flexibility between two teeth beyond the modes is neglected.
 *
 * Only nodes that can come near are candidates. With the strain energy U of its gear a flank is displaced at
 * node i by at most sqrt(2 U tr G_ii) (Cauchy and Schwarz). So all candidates are within `reach` of the other
 * undeformed gear while this bound and the motion since the search are small; otherwise the search is
 * repeated. */
#ifndef SLIP_GEAR_CONDENSED_GEAR_CONDENSED_H
#define SLIP_GEAR_CONDENSED_GEAR_CONDENSED_H

#include "gear/body/gear_pair.h"

typedef struct slip_condensed_node {
    int mesh;           /* index of its mesh */
    int pair;           /* index among the near pairs of that mesh */
    int slave;          /* gear of the slave node, 0 or 1 */
    int own;            /* its number on the flank */
    double weight;      /* of the pass */
    double give;        /* e, the extra compliance at the rim, m/N; 0 elsewhere. There also, per lambda^2: */
    double push[3];     /* the force that pushes the node off the flank, */
    double couple[4];   /* and forces along the normal on the corners of its facet */
    double normal[3];   /* in space */
    double depth;       /* at the present positions, m; negative: a gap */
    int count[2];       /* of nodes that share its force, on each gear */
    int node[2][4];     /* of the flank */
    double share[2][4]; /* 1, or minus the shape functions */
} slip_condensed_node;

/* Two gears that meet. */
typedef struct slip_condensed_mesh {
    slip_gear_pair *pair;
    slip_flank_contact *coarse, *fine;
    double penalty; /* may be infinite */
    double reach, margin;
    /* Pairs of flanks that are near, and which of their nodes: flank by flank as in the pair's arrays. */
    int pair_count;
    slip_flank_pair pairs[slip_tooth_pairs_max];
    bool *near[2];
    bool *pressed[2];    /* nodes with a force in the last solution, of the own pass */
    double *softness[2]; /* of each flank: largest sqrt(tr G_ii); negative: not known yet */
    /* Angles and pairs of flanks at the last search for near pairs. */
    double angle[2];
    int faced_count;
    slip_flank_pair faced[slip_tooth_pairs_max];
    bool found;
    double spring; /* 1/c of the last solution */
} slip_condensed_mesh;

typedef struct slip_condensed {
    slip_arena arena;
    int mesh_count;
    slip_condensed_mesh *mesh;
    /* The candidates, mesh by mesh and pair by pair, and their problem. */
    int count;
    int64_t capacity, square_capacity, number_capacity, index_capacity, basic_capacity, force_capacity;
    slip_condensed_node *node;
    double *matrix; /* W; after the solution with springs */
    double *force;  /* lambda */
    bool *basic;
    double *numbers; /* scratch */
    int *indices;
    double *zeros, *answer;
    int *used, used_count; /* nodes of a flank in use */
} slip_condensed;

/* Penalty (INFINITY: rigid flanks) and weights of the passes are in the options of the meshes. The pairs must
 * outlive the result. */
int slip_condensed_create(slip_context *ctx, int mesh_count, const slip_gear_meshing *meshes,
                          slip_gear_pair *const *pairs, slip_condensed **condensed);
void slip_condensed_destroy(slip_condensed *condensed);
SLIP_OWNED(slip_condensed, slip_condensed_destroy)

/* Saves or restores what one problem hands to the next: near nodes, and nodes that carried force. */
void slip_condensed_keep(slip_condensed *condensed, slip_keeper *keeper);

/* Turns the gears of a mesh to these angles and finds the near pairs and nodes. energy: strain energy of each
 * gear, J; INFINITY: all nodes of facing flanks count as near. */
void slip_condensed_approach(slip_condensed *condensed, int mesh, const double angle[2],
                             const double energy[2]);

/* For each node of a flank of gear k whether it is near. Near nodes have to be placed with their displacement
 * (slip_gear_pair_place), the others may be placed undeformed. */
const bool *slip_condensed_near(const slip_condensed_mesh *mesh, int k, int flank);

/* Lists the candidates at the present positions of the nodes, and sets W = 0. */
int slip_condensed_list_candidates(slip_context *ctx, slip_condensed *condensed);

/* The flank of a candidate on gear k. */
static inline int slip_condensed_flank(const slip_condensed *c, const slip_condensed_node *node, int k)
{
    return c->mesh[node->mesh].pairs[node->pair].surface[k];
}

/* A unit force of a candidate along `direction` (in space): its direction in the frame of the flank of gear
 * k, and its moment about the axis. */
double slip_condensed_direct(const slip_condensed *condensed, const slip_condensed_node *node, int k,
                             const double direction[3], double local[3]);
/* The generalised force of that unit force: to[m], on mode m; its moment about the axis is returned. */
double slip_condensed_row(const slip_condensed *condensed, const slip_condensed_node *node, int k,
                          const double direction[3], double *to);

/* W += factor B_k^T G B_k within each flank of gear k of a mesh. G is that of a right flank, as
 * slip_gear_remainder has it. */
void slip_condensed_add_flexibility(slip_condensed *condensed, int mesh, int k, const double *flexibility,
                                    double factor);
/* W += R diag(a) R^T, R has `size` numbers for each candidate. */
int slip_condensed_add_rows(slip_context *ctx, slip_condensed *condensed, int size, const double *rows,
                            const double *diagonal);

/* Solves for the forces, from the depths d0 (m) without forces. Fails where a depth is NAN, and names the
 * node. */
int slip_condensed_solve(slip_context *ctx, slip_condensed *condensed, const double *depth);

/* The compliance 1/(w c) + e of a candidate, after slip_condensed_solve. */
double slip_condensed_spring(const slip_condensed *condensed, int candidate);

/* Adds the force `amount` along `direction` (in space) to the nodes of the candidate's flank of gear k, in
 * that flank's frame. */
void slip_condensed_spread(const slip_condensed *condensed, const slip_condensed_node *node, int k,
                           const double direction[3], double amount, double *force);

/* product = G x at the nodes `to`, where x is zero except at the nodes `from`. flank: decides the signs. */
void slip_condensed_multiply(int size, const double *flexibility, int flank, int from_count, const int *from,
                             const double *x, int to_count, const int *to, double *product);

#endif
