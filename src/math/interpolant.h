/* Functions of one variable given by points: what an input of a model is.
 *
 * n points (x_0 < x_1 < ...) make n + 1 pieces. Piece k reaches from x_(k-1) to x_k and is the polynomial
 *
 *     c_0 + c_1 u + c_2 u^2 + c_3 u^3,   u = x - x_(k-1).
 *
 * The first and the last piece have no end; they are the end values. At a point the piece that begins there
 * holds, so that a jump counts from its own time on, as step(x) does. */
#ifndef SLIP_MATH_INTERPOLANT_H
#define SLIP_MATH_INTERPOLANT_H

#include "base/memory.h"

typedef enum slip_between {
    SLIP_BETWEEN_LINEAR, /* straight lines */
    SLIP_BETWEEN_CUBIC,  /* the spline with two continuous derivatives, not-a-knot at its ends: cubic
                          * polynomials come back exactly, and the order is 4 up to the ends */
    SLIP_BETWEEN_HOLD    /* the value of the last point: a jump at each */
} slip_between;

/* Names of the three, in this order; NULL ends the list. */
extern const char *const slip_between_names[];

typedef struct slip_interpolant {
    const char *name; /* for messages */
    slip_between between;
    int count;          /* points */
    const double *x;    /* rising */
    double (*piece)[4]; /* count + 1 of them */
    /* The derivative, as a table that jumps at its points; NULL where that is zero. */
    struct slip_interpolant *rate;
} slip_interpolant;

typedef struct slip_interpolants {
    const slip_interpolant **list;
    int64_t count, capacity;
} slip_interpolants;

/* Makes a table in the arena; x must rise. `points` has x and value of each point in turn. NULL when out of
 * memory. The points themselves are copied, the name is not. */
slip_interpolant *slip_interpolant_create(slip_arena *arena, const char *name, slip_between between,
                                          int count, const double *points);

/* The piece that holds at x; of a NaN the first. */
int slip_interpolant_find(const slip_interpolant *table, double x);

/* Between what x a piece is; infinite at the ends of the table. */
double slip_interpolant_low(const slip_interpolant *table, int piece);
double slip_interpolant_high(const slip_interpolant *table, int piece);

/* The piece's polynomial, also beyond its ends: value, first and second derivative. NaN stays NaN. A piece
 * that is not there (also: not a number) has the value NaN. */
double slip_interpolant_value(const slip_interpolant *table, double piece, double x);
double slip_interpolant_slope(const slip_interpolant *table, double piece, double x);
double slip_interpolant_curve(const slip_interpolant *table, double piece, double x);

#endif
