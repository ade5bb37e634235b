/* The vertices of a polyhedron, and the directions in which it is unbounded.
 *
 *     { z : a_k + g_k . z >= 0, or = 0, for all k }
 *
 * Double description (Motzkin, Raiffa, Thompson, Thrall 1953; Fukuda and Prodon 1996): the cone of the points
 * (1, z) times any positive number is kept as the set of its lines and edges, and each condition cuts it. A
 * line that a condition is not zero on becomes an edge; of the edges those behind the cut go, and each pair
 * of neighbours on the two sides leaves a new one in the cut. Two edges are neighbours where no third one
 * lies in all the planes that both lie in. */
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
    bool too_many; /* more edges than can be held: nothing else is known */
    int corner_count, direction_count;
    double *corners;    /* dimension numbers each; none: the polyhedron is empty */
    double *directions; /* in which it goes on without end; a line is there with both of its directions */
    int dimension;      /* of the polyhedron itself, which may be flat */
} slip_polyhedron;

static const double slip_polyhedron_rounding = 1e-9;

/* The arrays of `to` live in the arena. False when out of memory. */
bool slip_polyhedron_find(slip_arena *arena, const slip_polyhedron_conditions *conditions,
                          slip_polyhedron *to);

#endif
