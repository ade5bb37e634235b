/* The vertices of a polyhedron, and the directions in which it is unbounded.
 *
 *     { z : a_k + g_k . z >= 0, or = 0, for all k }
 *
 * Double description (Motzkin, Raiffa, Thompson, Thrall 1953; Fukuda and Prodon 1996): the cone of all
 * positive multiples of (1, z) is represented by its lines and edges (extreme rays), and each condition cuts
 * it with a plane. A line on which the condition is not zero becomes an edge. Edges behind the plane are
 * removed, and each pair of neighbours on opposite sides gives a new edge in the plane. Two edges are
 * neighbours if no third one lies in all the planes that contain both. */
#ifndef SLIP_STATICS_POLYHEDRON_H
#define SLIP_STATICS_POLYHEDRON_H

#include "base/memory.h"

#include <stdbool.h>

/* A condition a + g . z, g behind a: dimension + 1 numbers, scaled so that 1 is large and
 * slip_polyhedron_rounding is rounding. */
typedef struct slip_polyhedron_conditions {
    int dimension, count;
    const double *rows;
    const bool *equal; /* of each row: = 0 instead of >= 0 */
} slip_polyhedron_conditions;

typedef struct slip_polyhedron {
    bool too_many; /* more edges than the limit: no other field is valid */
    int corner_count, direction_count;
    double *corners;    /* dimension numbers each; none: the polyhedron is empty */
    double *directions; /* in which it is unbounded; a line counts with both directions */
    int dimension;      /* of the polyhedron itself, which may be flat */
} slip_polyhedron;

static const double slip_polyhedron_rounding = 1e-9;

/* The arrays of `to` live in the arena. False when out of memory. */
bool slip_polyhedron_find(slip_arena *arena, const slip_polyhedron_conditions *conditions,
                          slip_polyhedron *to);

#endif
