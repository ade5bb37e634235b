/* Statics of two reduced gears in mesh: the first is held at an angle, the second carries a torque.
 *
 * Contact points are places on the flanks of either gear (the slave), `samples` between two nodes of the
 * profile, at each layer of nodes; each faces the nearest point of the other gear's flank (the master). A
 * point s has the gap g_s and, per unit force, the nodal forces b_s = dg_s/dx on both gears
 * (flank_curve.h), whose moment about the second axis is m_s = dg_s/dtheta_2. The flanks answer to all forces
 * lambda by the displacement u = G B lambda (gear_flexibility.h). About a state (theta_2, u) that is placed
 *
 *     g = g_placed + b . (G B lambda - u_placed) + m (theta_2 - theta_2 placed),
 *     g + D lambda >= 0,  lambda >= 0,  one of the two zero in each row;   m . lambda + torque = 0,
 *
 * D = samples/(w c) with the weight w of the pass and the penalty c of a node; for rigid flanks 1e-9 of the
 * mean of the diagonal of W = B^T G B, since two passes may constrain the flanks more often than these have
 * degrees of freedom. After each solution (gear_balance.h) the nodes are placed anew and contact points, gaps
 * and forces recomputed, until the positions converge: contact points, normals and lever arms are those of
 * the deformed gears. */
#ifndef SLIP_GEAR_STATICS_GEAR_STATIC_H
#define SLIP_GEAR_STATICS_GEAR_STATIC_H

#include "gear/flank/flank_curve.h"
#include "gear/statics/gear_flexibility.h"

/* A contact point. */
typedef struct slip_static_row {
    int pair;              /* of the gear pair's pairs */
    int slave;             /* gear of the contact point, 0 or 1 */
    int station, layer;    /* its place: along the profile, across the width */
    double gap;            /* at the present positions, m */
    double radius;         /* its distance from the first axis */
    double arm[2];         /* moments of a unit force about the axes */
    int node[2][4];        /* on each gear's flank */
    double share[2][4][3]; /* forces there per unit force, in the flank's frame */
} slip_static_row;

typedef struct slip_gear_static {
    slip_arena arena;
    slip_gear_pair *pair;
    slip_gear_flexibility flexibility[2];
    slip_flank_curve curve[2][2]; /* of each gear's right and left flanks */
    double base_radius[2];
    double penalty, two_pass;
    int samples;
    double sag; /* largest bulge of a chord */
    double torque, load_reach;
    /* The last solution. Contact points are listed pair by pair, those of the first gear first. */
    double angle[2];
    int row_count;
    slip_static_row *rows;
    double *force;  /* lambda */
    double tangent; /* d torque / d theta_2 with the same contacts */
    int iterations;
    double moment[2];                   /* of the contact about the axes, in space as deformed */
    double *displacement[2], *nodal[2]; /* of each gear's nodes, flank by flank, in the flanks' frames; valid
                                           only for flanks that face another one */
    /* Memory. */
    int64_t row_capacity, square_capacity, number_capacity, index_capacity, active_capacity, vector_capacity,
        force_capacity, old_capacity, old_force_capacity;
    slip_static_row *old;
    int old_count;
    double *old_force;
    double *matrix, *numbers, *vectors;
    int *indices;
    bool *active;
    double *answer[2];      /* scratch: of a flank */
    int *slot[2], *used[2]; /* of each node: its place on the list of nodes in use, or -1; the list */
} slip_gear_static;

typedef struct slip_gear_static_options {
    double penalty;  /* N/m for a node; INFINITY: rigid */
    double two_pass; /* weight of the contact points on the first gear */
    bool smooth;     /* contact on the exact involutes; else on the facets of the mesh */
    double torque;   /* on the second gear, N m; not zero */
} slip_gear_static_options;

/* About three times the deflection (m) of a pair of teeth under the torque on the second gear. */
double slip_gear_static_reach(const slip_gear_options gears[2], double second_base_radius, double torque);
/* The rounding error (m) of the position of a flank, for this distance of the axes. */
double slip_gear_static_rounding(double distance);

/* The pair must use all modes of its bodies and must outlive the result. */
int slip_gear_static_create(slip_context *ctx, slip_gear_pair *pair, const slip_gear_options gears[2],
                            const slip_gear_static_options *options, slip_gear_static **statics);
void slip_gear_static_destroy(slip_gear_static *statics);
SLIP_OWNED(slip_gear_static, slip_gear_static_destroy)

/* Lists all contact points with a gap below `reach` (m), at the present positions of the flanks. */
int slip_gear_static_find(slip_context *ctx, slip_gear_static *statics, double reach);

/* For undeformed gears: turns the second one from angle[1] in the sense of its torque until it touches the
 * first. angle[1] must be close to contact. */
int slip_gear_static_touch(slip_context *ctx, slip_gear_static *statics, double angle[2]);

/* Static equilibrium of the loaded gears: finds angle[1], from its value on entry, and the solution. */
int slip_gear_static_load(slip_context *ctx, slip_gear_static *statics, double angle[2]);

#endif
