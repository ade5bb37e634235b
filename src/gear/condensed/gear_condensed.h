/* Contact of reduced gears, in all their meshes at once, as a small complementarity problem for the forces:
 * no penalty springs that limit the step, and rigid flanks where the penalty is infinite.
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
 * mean of the diagonal of W: the limit of large penalties to that share. The two passes may ask for more than
 * the flanks have freedom (nodes that coincide have equal rows); then the forces share as the weights say, as
 * they do in the limit.
 *
 * A node that slides over the rim of the other flank would lose its force at once; the flank would spring
 * back under it, and there may be no solution. Therefore the candidate becomes compliant in the outer half of
 * the facets' overhang, by e = (1 - w)/w times the flexibility of its nodes, w from 1 to 0 (flank_contact.h).
 * The energy lambda^2 e/2 of that spring depends on the place of the node. Its negative gradient at a given
 * depth, lambda^2/2 times that of e, is a force that pushes the node out, so that energy is conserved.
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
    int mesh;           /* in which it is */
    int pair;           /* which of the near pairs of that */
    int slave;          /* whose node it is, 0 or 1 */
    int own;            /* its number on the flank */
    double weight;      /* of the pass */
    double give;        /* at the rim, else 0; m/N. There also, over the square of its force: */
    double push[3];     /* what pushes it out, */
    double couple[4];   /* and the corners of its facet along the normal beside that */
    double normal[3];   /* in space */
    double depth;       /* as placed; negative: in front */
    int count[2];       /* of nodes that take force, on each gear */
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
    /* Where near pairs were found last. */
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

/* Penalties and passes of the meshes' options; INFINITY for rigid flanks. The pairs have to stay. */
int slip_condensed_create(slip_context *ctx, int mesh_count, const slip_gear_meshing *meshes,
                          slip_gear_pair *const *pairs, slip_condensed **condensed);
void slip_condensed_destroy(slip_condensed *condensed);
SLIP_OWNED(slip_condensed, slip_condensed_destroy)

/* What it remembers of one problem for the next: who is near, who was pressed. */
void slip_condensed_keep(slip_condensed *condensed, slip_keeper *keeper);

/* Turns the pair of a mesh and finds near pairs and nodes. energy: of each gear, its strain energy; INFINITY:
 * all nodes of facing flanks are near. */
void slip_condensed_approach(slip_condensed *condensed, int mesh, const double angle[2],
                             const double energy[2]);

/* Whether nodes of a flank are near: then they have to be placed (slip_gear_pair_place) where they are;
 * others may be placed undeformed. */
const bool *slip_condensed_near(const slip_condensed_mesh *mesh, int k, int flank);

/* The candidates among the nodes as placed, and W = 0. */
int slip_condensed_see(slip_context *ctx, slip_condensed *condensed);

/* The flank of a candidate on gear k. */
static inline int slip_condensed_flank(const slip_condensed *c, const slip_condensed_node *node, int k)
{
    return c->mesh[node->mesh].pairs[node->pair].surface[k];
}

/* A unit force of a candidate along `direction` (in space): its direction in the frame of the flank of gear
 * k, and its moment about the axis. */
double slip_condensed_direct(const slip_condensed *condensed, const slip_condensed_node *node, int k,
                             const double direction[3], double local[3]);
/* Its generalised force: to[m] = sum of shares times rows of the modes, and the moment is returned. */
double slip_condensed_row(const slip_condensed *condensed, const slip_condensed_node *node, int k,
                          const double direction[3], double *to);

/* W += factor B_k^T G B_k within each flank of gear k of a mesh. G is that of a right flank, as
 * slip_gear_rest has it. */
void slip_condensed_add_flexibility(slip_condensed *condensed, int mesh, int k, const double *flexibility,
                                    double factor);
/* W += R diag(a) R^T, R has `size` numbers for each candidate. */
int slip_condensed_add_rows(slip_context *ctx, slip_condensed *condensed, int size, const double *rows,
                            const double *diagonal);

/* force[s] for the depth d0[s] without forces. Fails where a depth is not a number, and names the node. */
int slip_condensed_solve(slip_context *ctx, slip_condensed *condensed, const double *depth);

/* 1/(w c) of a candidate with what it gives way at the rim, after slip_condensed_solve. */
double slip_condensed_spring(const slip_condensed *condensed, int candidate);

/* force += share of the force `amount` along `direction` on the nodes of the candidate's flank of gear k, in
 * that flank's frame. */
void slip_condensed_spread(const slip_condensed *condensed, const slip_condensed_node *node, int k,
                           const double direction[3], double amount, double *force);

/* product = G x at the listed nodes, for x zero but at other listed nodes; of flank `flank` (whose side gives
 * the signs). */
void slip_condensed_multiply(int size, const double *flexibility, int flank, int from_count, const int *from,
                             const double *x, int to_count, const int *to, double *product);

#endif
