/* A problem that depends on one parameter p. A callback samples its data (w, mu, given normal forces and,
 * where it varies, the compliance); polynomials interpolate them to rounding, on intervals as long as a low
 * degree allows. Data that are affine in p, as most loads and mu are, need one interval and are exact. */
#ifndef SLIP_STATICS_FAMILY_H
#define SLIP_STATICS_FAMILY_H

#include "statics/problem.h"

enum { slip_static_degree_max = 12 };

typedef struct slip_static_family {
    const slip_static_shape *shape;
    const double *compliance; /* if it does not depend on p; NULL: `sample` fills it */
    /* Fills free, friction, normal (and compliance) at p. */
    int (*sample)(slip_context *ctx, void *user, double p, slip_static_values *values);
    void *user;
    double low, high; /* range of p */
} slip_static_family;

/* The polynomials on an interval, in y = (p - middle)/half. */
typedef struct slip_static_local {
    double low, high;
    int degree;
    int64_t width;   /* numbers of a sample: free, friction, normal, then compliance where it varies */
    double *numbers; /* (degree + 1) x width */
    double noise[4]; /* rounding errors of the samples, by kind of data; estimated once */
    bool noise_known;
    double *samples; /* scratch for fitting */
} slip_static_local;

bool slip_static_local_create(slip_arena *arena, const slip_static_family *family, slip_static_local *local);

/* Fits the polynomials on an interval that contains p and extends beyond it in the given direction (1, -1),
 * unless p is the end of the range. */
int slip_static_local_fit(slip_context *ctx, const slip_static_family *family, double p, int direction,
                          slip_static_local *local);

/* Coefficients of powers of s, p = centre + unit s, into numbers[(degree + 1) x width]. */
void slip_static_local_expand(const slip_static_local *local, double centre, double unit, double *numbers);

/* Samples the problem at p, without interpolation. All arrays of `values` must be allocated. */
int slip_static_family_at(slip_context *ctx, const slip_static_family *family, double p,
                          slip_static_values *values);

#endif
