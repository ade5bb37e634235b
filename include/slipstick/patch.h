/* Slipstick: friction on a plane contact area. Force and moment of an area that slides and spins at once.
 *
 * Everything is for unit friction mu N: multiply by the coefficient and the normal force. Velocities are (vx,
 * vy, spin), those of the origin of the area's coordinates; forces (Tx, Ty, M) point along the motion, so
 * that the friction on the body is their negative. Units are the user's: M is a length times a force. */
#ifndef SLIPSTICK_PATCH_H
#define SLIPSTICK_PATCH_H

#include "slipstick/base.h"

SLIP_BEGIN_C

/* An area, its pressure and the friction surface on it. Start from slip_patch_options_default. Numbers that
 * are NAN were not given. */
typedef struct slip_patch_options {
    const char *shape;    /* "disc", "annulus", "ellipse", "rectangle", "polygon", "table"; default "disc" */
    double radius;        /* of a disc; default 1 */
    double inner, outer;  /* radii of an annulus */
    double semi_axes[2];  /* of an ellipse, along x and y */
    double sides[2];      /* of a rectangle, along x and y */
    const double *points; /* of a polygon: x, y of each corner; of a table: x, y, pressure of each row */
    int point_count;      /* corners (at most 256) or rows */
    const char *file;     /* of a table, instead of points: a text file with x, y, pressure in each line */
    const char *pressure; /* "uniform", "hertz", "parabolic", "linear", "expression"; default "uniform" */
    double linear[2];     /* "linear": 1 + linear[0] x/size + linear[1] y/size; default 0, 0 */
    const char *expression; /* "expression": text in x and y, >= 0 on the area */
    double size;            /* characteristic length; default: outer radius, larger semi-axis, half the longer
                               side, else sqrt(area/pi) */
    const char *surface;    /* "pade" or "integral"; default "pade" */
    int order[2];           /* n1, n2 of "pade", each 0 or 1; default 0, 0, as it must be with "integral" */
    double m, b;            /* of "pade"; default 2, 1 */
    int fit;                /* not zero: m and b are the best ones for the area */
    double table_tolerance; /* "integral": > 0 tabulates with that error in T and M/size; negative: with 1e-8
                               for circular areas, 1e-5 for others; default 0: direct */
    double epsilon;         /* velocity that smooths the jump at rest; default 0: set-valued */
    double static_ratio;    /* static over kinetic coefficient, >= 1; default 1 */
    double eta_prime;       /* weight of the static peak, >= 0, instead of static_ratio; needs epsilon */
    double room[8];         /* for fields to come */
} slip_patch_options;

/* A disc of radius 1 with uniform pressure, and the defaults above. */
SLIP_API slip_patch_options slip_patch_options_default(void);

typedef struct slip_patch slip_patch;

/* Nothing of the options is kept. A patch does not change after it was made: threads may share it. The
 * caller ends it by slip_patch_destroy, which takes NULL. */
SLIP_API int slip_patch_create(slip_context *ctx, const slip_patch_options *options, slip_patch **patch);
SLIP_API void slip_patch_destroy(slip_patch *patch);

/* What a patch came out as. */
typedef struct slip_patch_info {
    double size;           /* the characteristic length in use */
    double area;           /* of the contact; of scattered points: of the box around them */
    int circular;          /* not zero: area and pressure have circular symmetry about the origin */
    const char *treatment; /* of a table: "bilinear grid" or "point loads"; "point" where there is no
                            * area at all; otherwise "area" */
    double m, b;           /* of "pade", given or fitted */
    double epsilon;        /* 0: set-valued */
    double static_ratio, eta_prime;
    int table_cells;    /* of a tabulated integral model; else 0 */
    double table_error; /* a bound of the table's error in T and M/size: M about the centre of the load, and
                           about the origin (from 100 sizes away: over a hundredth of the distance) */
} slip_patch_info;

/* Its text is static; neither here nor in what evaluates a patch may it be NULL. */
SLIP_API slip_patch_info slip_patch_describe(const slip_patch *patch);

/* The moment c_ijk: the integral of x^i y^j (x^2+y^2)^(-k/2) s, lengths in units of the size, s
 * integrating to 1. i, j from 0 to 8; k odd, or even and <= 0; it converges for i + j - k >= -1. */
SLIP_API int slip_patch_moment(slip_context *ctx, const slip_patch *patch, int i, int j, int k,
                               double *moment);

/* Pressure for unit load at a point, 0 outside. Of point loads: 0. */
SLIP_API double slip_patch_pressure(const slip_patch *patch, double x, double y);

/* The patch's surface at a velocity: force[3], and derivative[9] row by row unless NULL. At rest a set-valued
 * patch gives 0, with derivative 0. */
SLIP_API void slip_patch_evaluate(const slip_patch *patch, const double velocity[3], double force[3],
                                  double *derivative);

/* The integral model itself, whatever the patch's surface is: direct integration, neither tabulated nor
 * smoothed. Its derivative is symmetric. */
SLIP_API void slip_patch_integral(const slip_patch *patch, const double velocity[3], double force[3],
                                  double *derivative);

/* The limit surface: the load (on the body, over mu N) is -ratio times the friction force of some slip
 * velocity. Gives that ratio, and the direction in which slip starts (unit vector of vx, vy and spin times
 * size, then in the user's units). A load is held where ratio <= static ratio. The load 0 has ratio 0 and
 * direction 0. */
SLIP_API int slip_patch_limit(slip_context *ctx, const slip_patch *patch, const double load[3], double *ratio,
                              double direction[3]);

/* The m and b for which the approximation of order n1, n2 is nearest to the integral model, and the root mean
 * square of its error in (Tx, Ty, M/size) over the directions v = (cos theta cos phi, cos theta sin phi),
 * spin = sin theta/size, with theta uniform in [0, pi/2] and phi uniform in [0, 2 pi). */
SLIP_API int slip_patch_fit(slip_context *ctx, const slip_patch *patch, const int order[2], double *m,
                            double *b, double *rms);

struct slip_result;

/* Contact areas from all sides: moments, limit values, and the best approximation of each order with its
 * errors, as lines of a table (line may be NULL) and as a result: slip_result_number "NAME.moments.c_2,0,0",
 * "NAME.limits.force_x", "NAME.approximations.(0,1).rms"; tables NAME-moments, NAME-approximations,
 * NAME-directions, NAME-limit-surface and NAME-pressure. Its pictures are the limit surface, force and moment
 * against direction, and the pressure of each area. `names` has as many as `patches`; *result is for
 * slip_result_destroy. */
SLIP_API int slip_patch_study(slip_context *ctx, int count, const slip_patch *const *patches,
                              const char *const *names, slip_line_function line, void *user,
                              struct slip_result **result);

SLIP_END_C

#endif
