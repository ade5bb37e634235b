/* A bilinear facet: four corners in space and the point of it that is nearest to another one.
 *
 *     x(xi, eta) = m + a xi + b eta + c xi eta,    corners at (-1,-1), (1,-1), (1,1), (-1,1).
 *
 * Lines of constant xi or eta are straight. So the nearest point on a rectangle of (xi, eta) is either where
 * the gradient of the distance vanishes, found by Newton's method, or on one of four straight lines, where it
 * has a closed form: edges and corners need no iteration. */
#ifndef SLIP_GEAR_FLANK_FACET_H
#define SLIP_GEAR_FLANK_FACET_H

#include <stdbool.h>

typedef struct slip_facet {
    double mean[3], by_xi[3], by_eta[3], twist[3]; /* m, a, b, c */
} slip_facet;

typedef struct slip_facet_point {
    double at[2]; /* xi, eta */
    double place[3];
    double square; /* of the distance */
    bool inside;   /* the gradient vanishes: the distance is along the normal */
} slip_facet_point;

/* The facet with these corners; and the place of one of its points. */
slip_facet slip_facet_make(const double *const corners[4]);

void slip_facet_place(const slip_facet *facet, const double at[2], double place[3]);
/* d x / d xi and d x / d eta. */
void slip_facet_tangents(const slip_facet *facet, const double at[2], double by_xi[3], double by_eta[3]);
/* Their product, of length 1. */
void slip_facet_normal(const slip_facet *facet, const double at[2], double normal[3]);

/* Shape functions of the four corners and their slopes; `slope` may be NULL. */
void slip_facet_shape(const double at[2], double value[4], double slope[2][4]);

/* The nearest point with low <= (xi, eta) <= high. Newton's method starts at `start`. */
slip_facet_point slip_facet_nearest(const slip_facet *facet, const double low[2], const double high[2],
                                    const double point[3], const double start[2]);

/* The corners, in their order, of the facet in a row and column of a grid with so many nodes in a row. */
static inline void slip_facet_nodes(int columns, int row, int column, int node[4])
{
    node[0] = row * columns + column;
    node[1] = node[0] + 1;
    node[2] = node[1] + columns;
    node[3] = node[0] + columns;
}

#endif
