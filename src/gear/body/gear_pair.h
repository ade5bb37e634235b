/* Two reduced gears in mesh: what all models of reduced gears share.
 *
 * A flank is a grid of nodes in its tooth's frame, which is turned by `turn` against the gear's. A node at X
 * with the displacement u (both in the tooth's frame) is at c + R(theta + turn)(X + u). Flank 2 k of a gear
 * is the right one of its tooth k, flank 2 k + 1 the left one, as in tooth_pairs.h.
 *
 * The flexibility of modes that are not in use is added to that of the attachment vectors: with the rows
 * Phi_x of these modes on the flank
 *
 *     G_r += Phi_x Lambda_x^-1 Phi_x^T,    M_r += Phi_x Lambda_x^-2 Phi_x^T,
 *
 * and to rho and sigma Phi_x Lambda_x^-1 times the products of these modes with the fields of a rotation and
 * of a spread. */
#ifndef SLIP_GEAR_BODY_GEAR_PAIR_H
#define SLIP_GEAR_BODY_GEAR_PAIR_H

#include "flex/floating.h"
#include "gear/body/gear_group.h"
#include "gear/flank/tooth_pairs.h"

/* What the modes in use do not represent on a right flank of `size` directions. A left flank is its mirror
 * image: with D = diag(1, -1, 1) at each node its matrices are D G_r D and D M_r D, and its `spread` is D
 * times that of the right one. A mirror reverses a rotation, so its `rotation` is -D times that of the right
 * one. */
typedef struct slip_gear_remainder {
    const double *flexibility, *mass; /* G_r, M_r: size square */
    const double *rotation, *spread;  /* Psi^T M (e_z x X) and Psi^T M (x, y, 0) */
} slip_gear_remainder;

typedef struct slip_gear_wheel {
    const char *name;
    const slip_reduced *body;
    slip_floating *frame;
    int modes;
    int flanks;        /* 2 x teeth */
    int nodes, size;   /* of a flank; size = 3 nodes */
    double *turn;      /* of each flank */
    int *surface;      /* of the reduced body, of each flank */
    double **rows;     /* of each flank: size rows of `modes`; filled by slip_gear_pair_turn, NULL before */
    double **points;   /* of each flank, in its own frame */
    double *shape;     /* memory of the rows */
    int across, along; /* nodes of the grid that a flank is */
    slip_gear_remainder remainder; /* filled by slip_gear_pair_need_remainder */
} slip_gear_wheel;

typedef struct slip_gear_pair {
    slip_arena arena;
    slip_gear_wheel *gear[2];
    bool owned[2];              /* the wheel was made by this pair; else it is another pair's */
    slip_tooth_wheel wheels[2]; /* angles: of the last slip_gear_pair_turn; at first those of the start */
    slip_flank_surface *surfaces[2];
    slip_flank_contact *contact; /* rigid flanks: its penalty is 1 N/m, and only its geometry is used */
    double sense;                /* 1 or -1: sense in which the first gear turns towards contact */
    slip_flank_pair pairs[slip_tooth_pairs_max]; /* of flanks that face each other */
    int pair_count;
    /* In space, 3 numbers a node, flank by flank: node i of flank f is number f nodes + i. Only flanks in
     * pairs are up to date. */
    double *position[2], *velocity[2], *force[2];
    slip_flank_totals totals; /* of the last touch */
    double moment[2];         /* of the last touch, about the axes */
    /* Memory of the judge: where it has placed flanks, and for each node its normal force and the flexibility
     * of its penalty spring (slip_flank_judge). */
    struct {
        slip_flank_contact *search;
        double *position[2], *force[2], *soft[2];
    } judge;
} slip_gear_pair;

/* Makes the pairs of all meshes. A gear in several meshes has one wheel, which belongs to the first of its
 * pairs. known: room for the wheel of each gear, all NULL at first; pairs: one of each mesh. The caller
 * destroys the pairs, from the last to the first, also after a failure. */
int slip_gear_group_pairs(slip_context *ctx, const slip_gear_group *group, slip_gear_wheel **known,
                          slip_gear_pair **pairs);

/* Fails where a body is missing, was not made from this gear or lacks attachment vectors that the reduction
 * needs, and where the gears penetrate each other. A number of modes that would split a pair of equal
 * frequencies is raised by one. known: wheels of these gears that another pair owns, which must outlive this
 * one; NULL, or NULL entries: none. */
int slip_gear_pair_create(slip_context *ctx, const slip_gear_options gears[2],
                          const slip_reduced *const bodies[2], const slip_gear_run_options *options,
                          slip_gear_wheel *const known[2], slip_gear_pair **pair);
void slip_gear_pair_destroy(slip_gear_pair *pair);
SLIP_OWNED(slip_gear_pair, slip_gear_pair_destroy)

/* Saves or restores its state: positions of flanks, pairs of flanks, memory of the contact. */
void slip_gear_pair_keep(slip_gear_pair *pair, slip_keeper *keeper);

/* Fills gear[k].remainder. */
int slip_gear_pair_need_remainder(slip_context *ctx, slip_gear_pair *pair, int k);

/* Finds the flanks that face each other at these angles (rad), and fills their rows. */
void slip_gear_pair_turn(slip_gear_pair *pair, const double angle[2]);

/* The flanks that face each other at the present angles, without storing them. Returns their number. */
int slip_gear_pair_facing(slip_gear_pair *pair, slip_flank_pair pairs[slip_tooth_pairs_max]);

/* Computes positions and velocities in space of the nodes of a flank, at the angles of the last
 * slip_gear_pair_turn. Displacement and its rate are in the flank's frame; rate may be NULL where there is no
 * friction. */
void slip_gear_pair_place(slip_gear_pair *pair, int k, int flank, const double *displacement, double speed,
                          const double *rate);

/* The same for some nodes of the flank only, with 3 numbers for each of them. */
void slip_gear_pair_place_nodes(slip_gear_pair *pair, int k, int flank, int count, const int *nodes,
                                const double *displacement, double speed, const double *rate);

/* Contact forces by penalty at the positions of the nodes: sets force, totals and the moments about the axes.
 */
void slip_gear_pair_touch(slip_gear_pair *pair);

/* The judge. Between _begin and _judge the caller places the flanks, calls slip_gear_pair_clear for each
 * (which sets its nodal forces to zero), and sets the forces of nodes in contact. _judge returns the largest
 * violation of the contact law in these pairs, in metres. */
void slip_gear_pair_judge_begin(slip_gear_pair *pair);
void slip_gear_pair_clear(slip_gear_pair *pair, int k, int flank);
double slip_gear_pair_judge(slip_gear_pair *pair, int pair_count, const slip_flank_pair *pairs);

/* The forces on some nodes of a flank (NULL: the first `count`), in its frame, 3 numbers each. */
void slip_gear_pair_pull_nodes(const slip_gear_pair *pair, int k, int flank, int count, const int *nodes,
                               double *force);

#endif
