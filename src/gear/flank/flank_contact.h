/* Contact of the flanks of two bodies: nodes against bilinear facets, by penalty or without one.
 *
 * A flank is an ordered grid of nodes. Each node of one flank (the slave) looks for the nearest point x_c of
 * the other (the master), which is at (xi, eta) of a facet with shape functions N_i. With the outward normal
 * n the gap is g = n . (x_s - x_c). Where g < 0 the slave takes the force -c g n, node i of the facet c g N_i
 * n.
 *
 * x_c is where the distance is stationary, so that is minus the gradient of c g^2/2: forces, moments and
 * energy balance to rounding. Between two facets that form a valley the nearest point may be on their common
 * edge or corner; then n is the direction of the distance itself, and the same holds. A ridge needs no
 * special case: for no point behind it the nearest point is on the edge.
 *
 * Two passes with the roles exchanged are averaged: `two_pass` times the pass in which the nodes of the first
 * body are slaves, 1 - two_pass times the other.
 *
 * At the rim of a flank its facets go on for `overhang` (in xi or eta), so that the last nodes of two flanks
 * of equal width see each other however the bodies strain. A node beyond that, or deeper than `depth`, is not
 * in contact. In the outer half of the overhang the penalty falls from c to 0 as w c with w = 1 - x^2 (3 - 2
 * x), x from 0 to 1, so that a loaded node that crosses the rim neither adds nor removes energy. Its force is
 * minus the gradient of w c g^2/2, with a small part across the normal.
 *
 * Friction: with the law f and the slip w the slave takes t = -f(|w|) |c g| w/|w|. Node i of the facet takes
 * -N_i t and, since t acts at x_s and not at x_c, the couple that balances g n x t as normal forces:
 *
 *     (a dN_i/dxi + b dN_i/deta) n,    a dx/dxi + b dx/deta = g t  in the plane across n.
 *
 * The slip that does the work of all these is that of the facet's convected coordinates,
 *
 *     w = (1 - n n^T)(v_s - v_c) + g sum_k (n . dv_c/dxi_k) x^k,    x^k the dual basis,
 *
 * so the power lost is exactly -t . w >= 0.
 *
 * In a step h of central differences (slip_flank_contact_resolve) there are two other ways. The positions at
 * the end of the step are predicted without contact, and forces that act over the step are found for all
 * nodes at once by Gauss-Seidel.
 *
 * With a penalty: the force of a spring is not c d_n, d = -g, but its mean from one step ago to one ahead,
 *
 *     lambda = c (P(d_{n+1}) - P(d_{n-1}))/(d_{n+1} - d_{n-1}),    P(d) = max(d, 0)^2/2,
 *
 * with the depths behind the plane that the facet has now; d_{n+1} depends on all lambda by d_{n+1} = d* - n
 * . h^2 (f_s/m_s - sum N_i f_i/m_i). Its work over both steps is exactly the loss of the potential c P: nodes
 * that bounce on stiff springs create no energy, and the step need not resolve them. (With the force c d_n an
 * impact of a light node adds or removes a random amount of energy, the larger the fewer steps it lasts.) The
 * search has to report nodes within `margin` in front of the surface too: they may have been behind it, or
 * will be.
 *
 * Without one (`kinematic`): each slave that is predicted behind its facet by depth d takes a force lambda n,
 * and the facet -lambda N_i n, with
 *
 *     lambda >= 0,    g = -d + n . h^2 (f_s/m_s - sum N_i f_i/m_i) >= 0,    lambda g = 0,
 *
 * f the sum of these forces at a node. With two_pass 1 or 0 the nodes of one body are slaves; with any number
 * between, those of both. The forces on the nodes are unique also then: they are the smallest (by the sum of
 * f^2/m) that prevent penetration. Nothing penetrates at the end of the step, up to what a facet turns in it;
 * forces balance exactly. The work of lambda over the steps around it is lambda (g_{n+1} - g_{n-1})/2 =
 * -lambda g_{n-1}/2 <= 0: contact takes energy where a node lands (that of the node's mass) and never gives
 * any. Friction acts with lambda and with the slip in the step to come (flank_resolve.c): the force of a node
 * that lands is as large as the step is short, so no step would be short enough for a steep law.
 *
 * Search: every slave node remembers its facet and looks from there, from facet to facet, while the distance
 * gets smaller; behind the surface it also compares the neighbours at the nearest corner, since there each
 * facet of a ridge has a point that is nearest for itself. A node that has a new partner starts at the
 * nearest node. A node in front of the surface at the distance D need not look again before it and the
 * surface have moved by D together: each surface adds up the largest motion of its nodes from call to call
 * (`travel`). Memory: one record a node. */
#ifndef SLIP_GEAR_FLANK_FLANK_CONTACT_H
#define SLIP_GEAR_FLANK_FLANK_CONTACT_H

#include "io/keep.h"
#include "law/law.h"

typedef struct slip_flank_surface {
    int rows, columns; /* nodes of the grid, at least 2 each */
    const int *nodes;  /* rows x columns, row by row: numbers in the body's arrays of positions */
    bool flipped;      /* outwards is minus (along a row) x (along a column) */
} slip_flank_surface;

typedef struct slip_flank_options {
    double penalty;           /* c: force on a node for unit depth, N/m */
    double two_pass;          /* weight of the pass with the first body's nodes as slaves; default 0.5 */
    double overhang;          /* of facets at a flank's rim, in xi (a facet has the length 2); default 0.1 */
    double depth;             /* deeper nodes do not touch; default infinite */
    double margin;            /* nodes in front of the other flank by less are reported; default 0: none */
    const slip_law *friction; /* a smooth law; NULL (default): none */
    bool kinematic;           /* no penalty, in slip_flank_contact_resolve; default false */
} slip_flank_options;
slip_flank_options slip_flank_options_default(void);

/* The contact of one node. For a node out of contact the force is zero; its depth is minus the distance
 * within the margin, else zero. */
typedef struct slip_flank_touch {
    int master;      /* surface of the other body that it followed last, or -1 */
    int row, column; /* facet of that surface */
    double at[2];    /* xi, eta: xi along the row */
    bool near;       /* it is in contact or within the margin */
    double depth;    /* -g where it is near; after _resolve normal_force/c, or the depth predicted without
                        contact */
    double normal[3];
    double normal_force;       /* on the node, of this pass, with its weight */
    double force[3];           /* the same with friction, in space */
    double clear_until;        /* it cannot touch until the travel of both surfaces exceeds this */
    double stiffness, damping; /* of the pass: penalty, and the slope of the friction force over the slip */
    double worst;              /* the same damping at the slip where the law is steepest */
} slip_flank_touch;

typedef struct slip_flank_contact slip_flank_contact;

typedef struct slip_flank_pair {
    int surface[2]; /* of the first and of the second body */
} slip_flank_pair;

/* One body's arrays: x, y, z of each node. */
typedef struct slip_flank_state {
    const double *position, *velocity; /* velocity may be NULL without friction */
    double *force;                     /* forces are added here */
} slip_flank_state;

typedef struct slip_flank_totals {
    int touching;        /* nodes */
    double normal_force; /* sum over the touching nodes, with the weights of the passes */
    double energy;       /* of the penalty springs; _resolve: to be added to v_{n-1/2} M v_{n+1/2}/2 */
    double lost;         /* power of friction, >= 0; kinematic: of contact and friction, over the step */
    double lost_before;  /* the part of `lost` in the half step before the present time */
    double deepest;      /* largest depth, of a pass that counts */
    int deepest_pair;    /* -1: none touches */
    double residual;     /* _resolve: what the judge says of the forces over the step, m */
} slip_flank_totals;

/* The surfaces are copied. */
int slip_flank_contact_create(slip_context *ctx, const slip_flank_options *options,
                              const int surface_count[2], const slip_flank_surface *const surfaces[2],
                              slip_flank_contact **contact);
void slip_flank_contact_destroy(slip_flank_contact *contact);
SLIP_OWNED(slip_flank_contact, slip_flank_contact_destroy)

/* Finds what touches and adds its forces. A surface is in at most one pair. Nodes of surfaces in no pair
 * forget what they followed. */
void slip_flank_contact_apply(slip_flank_contact *contact, int pair_count, const slip_flank_pair *pairs,
                              const slip_flank_state state[2], slip_flank_totals *totals);

/* A node in contact at the rim of the other flank. left: the factor w of its spring. push: minus the gradient
 * of w by the position of the slave node. The gradient by the position of corner i of its facet is N_i push
 * less couple[i] along the normal. */
typedef struct slip_flank_rim {
    double left; /* w; 1: not at the rim, and nothing else is set */
    double push[3], couple[4];
} slip_flank_rim;
/* The rim factor of a node of a body's flank, by the last search, at these positions of the other body. */
slip_flank_rim slip_flank_contact_rim(const slip_flank_contact *contact, int body,
                                      const slip_flank_pair *pair, const double *position, int node);

/* One body's arrays for each node: its mass, and the force on it without contact. */
typedef struct slip_flank_motion {
    const double *mass, *force;
} slip_flank_motion;

/* Contact forces over a step of central differences. steps: lengths of the previous step and of the next one,
 * s. The forces of the state must be zero on entry on the surfaces in pairs; velocities are half a step
 * behind the positions. Nodes of flanks must not be fixed. */
void slip_flank_contact_resolve(slip_flank_contact *contact, int pair_count, const slip_flank_pair *pairs,
                                const slip_flank_state state[2], const slip_flank_motion motion[2],
                                const double steps[2], slip_flank_totals *totals);

/* The weight of the pass with the first body's nodes as slaves. */
double slip_flank_contact_weight(const slip_flank_contact *contact);

/* The contact of each node of a surface at the last call, in the order of the grid. */
const slip_flank_touch *slip_flank_contact_touches(const slip_flank_contact *contact, int body, int surface);

/* Saves the memory of the contact of a mesh (from 0) as group "contact" (or "contact2", ...) of a checkpoint,
 * or restores it into a contact of the same surfaces. A continued run has the same bits. */
void slip_flank_contact_keep(slip_flank_contact *contact, int mesh, slip_keeper *keeper);

/* By how much a node of a surface and the surface that it follows have to move together before it can touch;
 * 0 where it is in contact, infinite where it follows none. It is a lower bound, exact directly after a
 * search for this node. */
double slip_flank_contact_clearance(const slip_flank_contact *contact, int body, int surface, int node);

/* flank_judge.c: the largest violation of the contact law in these pairs, as a depth in metres. force: of
 * each node the normal force of the pass in which it is the slave; soft: the flexibility of its spring,
 * 1/(weight x penalty). `search` is another contact of the same surfaces, by which all nodes are searched
 * anew. */
double slip_flank_judge(slip_flank_contact *search, int pair_count, const slip_flank_pair *pairs,
                        const double *const position[2], const double *const force[2],
                        const double *const soft[2]);

/* Makes the next call search again for all nodes whose clearance may be below this (m). */
void slip_flank_contact_renew(slip_flank_contact *contact, double below);

/* Switches friction on or off; the contact must have a friction law. */
void slip_flank_contact_rub(slip_flank_contact *contact, bool on);

/* stiff: friction becomes linear with the slope of the law at zero slip, which gives the largest damping that
 * can occur; else it follows the law again. */
void slip_flank_contact_stiffen(slip_flank_contact *contact, bool stiff);

/* Upper bounds of the largest eigenvalues of M^-1 K (1/s^2) and M^-1 D (1/s), K and D the stiffness and the
 * damping (by friction) of what touches now. K is the sum of c b b^T over the nodes in contact, b being n at
 * the slave node and -N_i n at corner i. With d = sum of c |b| the bound is the largest of sum_i |b_i|
 * d_i/m_i over all of them (Gershgorin's circles of the Gram matrix). D likewise, without the small couples
 * of friction: at the present slip or, with `worst`, at zero slip. mass: of each node of the two bodies, kg.
 */
double slip_flank_contact_stiffness(slip_flank_contact *contact, const double *const mass[2]);
double slip_flank_contact_damping(slip_flank_contact *contact, const double *const mass[2], bool worst);

#endif
