/* A flank as a surface on its mesh: the bilinear facets or, on top of them, the involute that they
 * approximate.
 *
 * Between two nodes the involute is ahead of the chord by the bulge
 *
 *     e(xi) = (1 - xi^2) (e_0 + e_1 xi + e_2 xi^2),
 *
 * which is exact at xi = -1, -1/2, 0, 1/2, 1. With the facet's place p and normal n_f the surface is x = p +
 * e n_f, its tangents p_,xi + e' n_f and p_,eta. It moves with the nodes: with the dual basis x^k of the
 * facet's tangents, dn_f = - sum_k x^k (n_f . dp_,k), so in a direction n
 *
 *     n . dx = sum_i [N_i n - e sum_k (n . x^k) dN_i/dxi_k n_f] . dx_i.
 *
 * At the nearest point x_m of one surface to a point x_s of another the gap n . (x_s - x_m) is stationary in
 * (xi, eta): these vectors of both are its whole gradient, and so the nodal forces of a unit contact force.
 * Forces and moments of the two sides balance exactly. */
#ifndef SLIP_GEAR_FLANK_FLANK_CURVE_H
#define SLIP_GEAR_FLANK_FLANK_CURVE_H

#include "gear/geometry/profile.h"

#include <stdbool.h>

typedef struct slip_flank_curve {
    int rows, columns; /* nodes of the grid: across the width, from foot to tip */
    bool flipped;      /* outwards is minus (along a row) x (along a column) */
    double overhang;   /* by how much (in xi or eta) facets extend beyond the rim: across the width, and */
    double beyond[2];  /* at foot and tip */
    /* Of each column of facets: e_0, e_1, e_2; NULL: facets only. */
    double (*bulge)[3];
} slip_flank_curve;

/* The bulges of a right flank of a gear's own mesh, points: x, y, z of `count` + 1 nodes from foot to tip, in
 * the frame of the tooth. Those of a left flank are the same. */
void slip_flank_curve_measure(const slip_profile *profile, int count, const double *points,
                              double (*bulge)[3]);

/* A point of the surface. */
typedef struct slip_flank_point {
    int row, column; /* of the facet */
    double at[2];    /* xi along the row (towards the tip), eta */
    double place[3], normal[3];
} slip_flank_point;

/* Place and normal from row, column and at. position: of the flank's nodes in space, row by row. */
void slip_flank_curve_place(const slip_flank_curve *curve, const double *position, slip_flank_point *point);

/* Finds the point of the surface nearest to a place, starting at *point. False where it is beyond the rim. If
 * it is on the edge between two facets, the normal is the mean of theirs. */
bool slip_flank_curve_nearest(const slip_flank_curve *curve, const double *position, const double place[3],
                              slip_flank_point *point);

/* The four nodes of the point's facet, and d(direction . place) by their places. */
void slip_flank_curve_gradient(const slip_flank_curve *curve, const double *position,
                               const slip_flank_point *point, const double direction[3], int nodes[4],
                               double gradient[4][3]);

#endif
