/* The solution of a fixed set of modes as a power series in the parameter.
 *
 * Where the data are polynomials in s, p = centre + unit s, so are the equations, and the coefficients of
 *
 *     lambda(s) = sum lambda_k s^k,   d(s) = sum d_k s^k
 *
 * follow one after the other from the one inverse at the centre:
 *
 *     A_0 x_k = -(w_k + sum_(i>=1) A_i x_(k-i)).
 *
 * Each costs the square of the number of directions. The modes need not be valid at the centre, so one centre
 * serves many sets of modes. A load that is linear in p gives a series with two terms. */
#ifndef SLIP_STATICS_SERIES_H
#define SLIP_STATICS_SERIES_H

#include "statics/active.h"
#include "statics/family.h"

enum { slip_static_order_max = 40 };

/* The data around a centre. */
typedef struct slip_static_centre {
    const slip_static_family *family;
    slip_static_local local;
    double centre, unit;
    double *numbers; /* coefficients of the data, (degree + 1) x local.width */
    bool rigid;      /* neither mu nor C depends on p: A is constant, the series is finite */
} slip_static_centre;

/* Allocates a centre, which is placed by slip_static_centre_move; false: out of memory. */
bool slip_static_centre_create(slip_arena *arena, const slip_static_family *family,
                               slip_static_centre *centre);
/* Moves the centre to p, with polynomials that extend beyond it in the given direction. */
int slip_static_centre_move(slip_context *ctx, slip_static_centre *centre, double p, int direction);

/* Coefficients of order k of mu and C: pointers into `numbers`, zeros above the degree. */
const double *slip_static_centre_friction(const slip_static_centre *centre, int k);
const double *slip_static_centre_compliance(const slip_static_centre *centre, int k); /* NULL: zero */

typedef struct slip_static_series {
    int order;          /* of the last coefficient; -1: none */
    double *lambda, *d; /* coefficient k starts at k direction_count */
    double *scratch;
    double residual; /* largest relative residual of the equations so far */
} slip_static_series;

/* Memory of a series without coefficients; false: out of memory. */
bool slip_static_series_create(slip_arena *arena, const slip_static_shape *shape, slip_static_series *series);

/* Adds coefficients up to `order`; series->order = -1: from the first. False where the inverse is too
 * inaccurate and has to be factorised anew. */
bool slip_static_series_extend(slip_static_series *series, const slip_static_centre *centre,
                               const slip_static_active *active, int order);

/* The largest |s| for which the truncation error is below rounding; infinite for a finite series. */
double slip_static_series_reach(const slip_static_series *series, const slip_static_centre *centre);

/* lambda and d at s. */
void slip_static_series_at(const slip_static_series *series, int n, double s, double *lambda, double *d);

/* A margin of a contact as polynomial in t, s = from + direction t: coefficients[order + 1]. */
void slip_static_series_margin(const slip_static_series *series, const slip_static_centre *centre,
                               int contact, const slip_static_margin *margin, double from, int direction,
                               double *coefficients);

/* The first t in (0, length] at which a polynomial that is positive (or zero and rising) at 0 becomes
 * negative; INFINITY where there is none. rising: its value at 0 is zero up to rounding and counts as zero. A
 * polynomial that stays below `noise` in size counts as zero, without a root. */
double slip_polynomial_first_root(int order, const double *coefficients, double length, bool rising,
                                  double noise);

#endif
