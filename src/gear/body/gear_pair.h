/* Two reduced gears that face each other: what all reduced models of gears in contact share.
 *
 * A flank is a grid of nodes in its tooth's frame, which is turned by `turn` against the gear's. A node at X
 * with the displacement u (both in the tooth's frame) is at c + R(theta + turn)(X + u). Flank 2 k of a gear
 * is the right one of its tooth k, flank 2 k + 1 the left one, as in tooth_pairs.h.
 *
 * Modes that are left out go into the attachment vectors: with the rows Phi_x of these modes on the flank
 *
 *     G_r += Phi_x Lambda_x^-1 Phi_x^T,    M_r += Phi_x Lambda_x^-2 Phi_x^T,
 *
 * and Phi_x Lambda_x^-1 times their products with the fields of a rotation. */
#ifndef SLIP_GEAR_BODY_GEAR_PAIR_H
#define SLIP_GEAR_BODY_GEAR_PAIR_H

#include "flex/floating.h"
#include "gear/body/gear_group.h"
#include "gear/flank/tooth_pairs.h"

/* What the modes in use leave out, on a right flank of `size` directions. A left one is its mirror image:
 * with D = diag(1, -1, 1) at each node its matrices are D G_r D and D M_r D, its vector of the spread is D
 * times this one. A rotation turns round in the mirror: its vector of the rotation is -D times this one. */
typedef struct slip_gear_rest {
    const double *flexibility, *mass; /* G_r, M_r: size square */
    const double *rotation, *spread;  /* Psi^T M (e_z x X) and Psi^T M (x, y, 0) */
} slip_gear_rest;

typedef struct slip_gear_wheel {
    const char *name;
    const slip_reduced *body;
    slip_floating *frame;
    int modes;
    int flanks;          /* 2 x teeth */
    int nodes, size;     /* of a flank; size = 3 nodes */
    double *turn;        /* of each flank */
    int *surface;        /* of the reduced body, of each flank */
    double **rows;       /* of each flank: size rows of `modes`; filled by slip_gear_pair_turn, NULL before */
    double **points;     /* of each flank, in its own frame */
    double *shape;       /* memory of the rows */
    int across, along;   /* nodes of the grid that a flank is */
    slip_gear_rest rest; /* filled by slip_gear_pair_need_rest */
} slip_gear_wheel;

typedef struct slip_gear_pair {
    slip_arena arena;
    slip_gear_wheel *gear[2];
    bool owned[2];              /* made here; else another pair's */
    slip_tooth_wheel wheels[2]; /* angles: of the last slip_gear_pair_turn; at first those of the start */
    slip_flank_surface *surfaces[2];
    slip_flank_contact *contact; /* where the penalty is infinite it has 1 N/m: its geometry only counts */
    double sense;                /* in which the first gear turns towards contact, 1 or -1 */
    slip_flank_pair pairs[slip_tooth_pairs_max]; /* of flanks that face each other */
    int pair_count;
    /* In space, 3 numbers a node, flank by flank: node i of flank f is number f nodes + i. Only flanks in
     * pairs are up to date. */
    double *position[2], *velocity[2], *force[2];
    slip_flank_totals totals; /* of the last touch */
    double moment[2];         /* of the last touch, about the axes */
    /* The judge's own: where it has put flanks, and the forces of nodes with the flexibility of their springs
     * (slip_flank_judge), in the order of position, a number each. */
    struct {
        slip_flank_contact *search;
        double *position[2], *force[2], *soft[2];
    } judge;
} slip_gear_pair;

/* The pairs of all meshes: gears are the wheels of the first pair that has them. known: room for a wheel of
 * each gear, NULL at first; pairs: of each mesh. Whoever calls destroys the pairs, from the last to the
 * first, also where it fails. */
int slip_gear_group_pairs(slip_context *ctx, const slip_gear_group *group, slip_gear_wheel **known,
                          slip_gear_pair **pairs);

/* Fails where a body is missing, was not made from this gear or has no attachment vectors that the reduction
 * needs, and where the gears are one inside the other. A number of modes that splits a pair of equal ones is
 * one more. known: of each gear the wheel that another pair has made, which stays; NULL, or NULL in both:
 * none.
 */
int slip_gear_pair_create(slip_context *ctx, const slip_gear_options gears[2],
                          const slip_reduced *const bodies[2], const slip_gear_run_options *options,
                          slip_gear_wheel *const known[2], slip_gear_pair **pair);
void slip_gear_pair_destroy(slip_gear_pair *pair);
SLIP_OWNED(slip_gear_pair, slip_gear_pair_destroy)

/* What it remembers: where flanks are, who faces whom, contact. */
void slip_gear_pair_keep(slip_gear_pair *pair, slip_keeper *keeper);

/* Makes gear[k].rest. */
int slip_gear_pair_need_rest(slip_context *ctx, slip_gear_pair *pair, int k);

/* Finds the flanks that face each other at these angles, and sees to their rows. */
void slip_gear_pair_turn(slip_gear_pair *pair, const double angle[2]);

/* The same without taking note of it: the pairs, and how many. */
int slip_gear_pair_facing(slip_gear_pair *pair, slip_flank_pair pairs[slip_tooth_pairs_max]);

/* Puts the nodes of a flank into space at the angles of the last turn. Displacement and its rate are in the
 * flank's frame; rate may be NULL where no friction asks for velocities. */
void slip_gear_pair_place(slip_gear_pair *pair, int k, int flank, const double *displacement, double speed,
                          const double *rate);

/* The same for some nodes of the flank only, with 3 numbers for each of them. */
void slip_gear_pair_place_nodes(slip_gear_pair *pair, int k, int flank, int count, const int *nodes,
                                const double *displacement, double speed, const double *rate);

/* Contact by penalty of the nodes as placed: forces, totals and moments about the axes. */
void slip_gear_pair_touch(slip_gear_pair *pair);

/* The judge. Between the two calls flanks are placed for it alone, and the forces of their nodes are set
 * behind slip_gear_pair_clear, which says of a flank that no node of it takes any. Returns the largest
 * violation of the law of contact in these pairs, in metres. */
void slip_gear_pair_judge_begin(slip_gear_pair *pair);
void slip_gear_pair_clear(slip_gear_pair *pair, int k, int flank);
double slip_gear_pair_judge(slip_gear_pair *pair, int pair_count, const slip_flank_pair *pairs);

/* The forces on some nodes of a flank (NULL: the first `count`), in its frame, 3 numbers each. */
void slip_gear_pair_pull_nodes(const slip_gear_pair *pair, int k, int flank, int count, const int *nodes,
                               double *force);

#endif
