/* Friction on a plane contact area, inside the library: all in units of the characteristic size, for unit mu
 * N. Velocities are (vx, vy, w) with w = spin times size; a derivative is a 3 x 3 matrix, row by row. */
#ifndef SLIP_LAW_PATCH_H
#define SLIP_LAW_PATCH_H

#include "base/context.h"
#include "law/law.h"
#include "patch/area.h"
#include "slipstick/patch.h"

#include <stdbool.h>

/* How the load is distributed. */
typedef enum slip_patch_load {
    SLIP_PATCH_REGION, /* one region */
    SLIP_PATCH_GRID,   /* a grid of rectangles, the pressure bilinear in each */
    SLIP_PATCH_POINTS  /* point loads */
} slip_patch_load;

typedef enum slip_patch_closed {
    SLIP_PATCH_NO_CLOSED_FORM,
    SLIP_PATCH_RING,  /* uniform disc or annulus */
    SLIP_PATCH_HERTZ, /* disc with Hertzian pressure */
} slip_patch_closed;

/* The moments that approximations are made of. */
typedef struct slip_patch_moments {
    double c100, c010, c200, c110, c020; /* F: expansion about pure sliding */
    double c011, c101, c00_1;            /* G0: pure spin, c00_1 is c_{0,0,-1} */
    double c203, c113, c023;             /* G1; NAN where a point load sits on the origin */
} slip_patch_moments;

/* An approximation of order n1, n2 with n = n1 + n2 + 1. */
typedef struct slip_pade {
    int n1, n2, n;
    double m, b;
    double b_power; /* b^m */
    slip_patch_moments c;
} slip_pade;

typedef struct slip_patch_table slip_patch_table;

/* One of several areas that slide together: its slip is `map` times that of the first one; weight: its share
 * of the total strength. */
typedef struct slip_patch_part {
    const slip_patch *patch;
    double weight, map[9];
} slip_patch_part;

struct slip_patch {
    int part_count; /* of a sum of areas, for which no other field is valid; else 0 */
    slip_patch_part *parts;
    bool point; /* a point (point.c): axes, smooth, and size 1; no other field is valid */
    double axes[2];
    slip_law_kernel smooth;
    double size, area;
    bool circular;
    slip_patch_load load;
    slip_patch_closed closed;
    slip_region region; /* for a grid the prototype of its cells; its pole also holds for grid and points */
    slip_expression *expression;
    double *corners;
    int columns, rows; /* of a grid: lines along y and along x */
    double *grid_x, *grid_y, *grid_p;
    slip_rule cell_rules[2]; /* for cells that are far away, 6 and 4 points */
    int point_count;
    double *point_x, *point_y, *point_p;
    slip_patch_moments moments;
    bool integral; /* the surface is the integral model; else the approximation `pade` */
    slip_pade pade;
    double epsilon, static_ratio, eta_prime;
    double reach; /* upper bound of |(Tx, Ty, M/size)|; 0: not known */
    slip_patch_table *table;
};

/* ---- area ---- */
int slip_patch_area_build(slip_context *ctx, const slip_patch_options *options, slip_patch *patch);
int slip_patch_table_area(slip_context *ctx, const slip_patch_options *options, slip_patch *patch);
int slip_patch_cell_count(const slip_patch *patch);
/* Cell `index` of a grid; of a single region the region itself. corners[8] must live as long as the region.
 */
void slip_patch_cell(const slip_patch *patch, int index, slip_region *cell, double *corners);

/* Uniform, hertz ...: sets the density of the region from its geometry. */
int slip_patch_pressure_build(slip_context *ctx, const slip_patch_options *options, slip_patch *patch);
double slip_density_bilinear(const slip_region *region, double x, double y);

/* ---- integral model ---- */
void slip_patch_integral_direct(const slip_patch *patch, const double q[3], double T[3], double *derivative);
/* The same with velocity and moment about the pole of the region. Where there is no closed form, quadrature
 * stops at `tolerance`, and is some hundred times better than that. */
void slip_patch_integral_about_pole(const slip_patch *patch, double tolerance, const double q[3], double T[3],
                                    double *derivative);
/* Adds the part of one region. */
void slip_patch_region_integral(const slip_region *region, double tolerance, const double q[3], double T[3],
                                double *derivative);
/* Whether the integral is fast (about a microsecond): a polygon in closed form. */
bool slip_patch_is_quick(const slip_patch *patch);
/* Centre of the load, relative to the pole, and the mean xx, xy, yy about it. */
void slip_patch_spread(const slip_patch *patch, double centre[2], double spread[3]);
/* Circular areas: force, its ratio to v, moment, and the derivatives of both with respect to v and w. */
typedef struct slip_circular {
    double force, force_over_v, moment, vv, vw, ww;
} slip_circular;
slip_circular slip_patch_circular(const slip_patch *patch, double v, double w);
void slip_circular_vector(const slip_circular *c, const double q[3], double T[3], double *derivative);
double slip_patch_moment_value(const slip_patch *patch, int i, int j, int k);
void slip_patch_moments_fill(slip_patch *patch);

/* ---- approximations ---- */
/* Checks n1, n2, m, b and the moments, and sets the other fields. */
int slip_pade_prepare(slip_context *ctx, slip_pade *pade);
void slip_pade_set(slip_pade *pade, double m, double b);
/* At rest: 0. The derivative may be NULL. */
void slip_pade_evaluate(const slip_pade *pade, const double q[3], double T[3], double *derivative);
/* g(l)/L instead of 1/L. */
void slip_pade_smooth(const slip_pade *pade, double epsilon, double eta_prime, const double q[3], double T[3],
                      double *derivative);
/* g(s)/s and g'(s). */
void slip_smooth_factor(double s, double epsilon, double eta_prime, double *ratio, double *slope);
/* The derivative of the smoothed law at rest along the axes: columns F0 and b^(1/n) G0 times (1 +
 * eta')/epsilon. */
void slip_pade_rest(const slip_pade *pade, double epsilon, double eta_prime, double *derivative);
int slip_patch_fit_best(slip_context *ctx, const slip_patch *patch, slip_pade *pade, double *rms);
/* The error of an approximation over the directions of the fit: its root mean square, and the largest ones of
 * force and moment. */
int slip_patch_fit_error(slip_context *ctx, const slip_patch *patch, const slip_pade *pade, double *rms,
                         double *force, double *moment);

/* ---- tabulated integral model ---- */
int slip_patch_table_build(slip_context *ctx, const slip_patch *patch, double tolerance,
                           slip_patch_table **table);
void slip_patch_table_destroy(slip_patch_table *table);
void slip_patch_table_evaluate(const slip_patch_table *table, const double q[3], double T[3],
                               double *derivative);
int slip_patch_table_cells(const slip_patch_table *table);
double slip_patch_table_error(const slip_patch_table *table);

/* ---- a point in a plane ---- */
/* Friction of a point by a law of one direction: `coulomb`, or a smooth one, which has the coefficient in it
 * (mu is 1 then). `axes` are the coefficients along x and y, in units of the larger one. */
int slip_patch_create_point(slip_context *ctx, const slip_law *law, const double axes[2], slip_patch **patch);
void slip_patch_point_surface(const slip_patch *patch, const double q[3], double T[3], double *derivative);
void slip_patch_point_smooth(const slip_patch *patch, const double q[3], double T[3], double *derivative);

/* ---- sums of areas ---- */
/* Makes `sum` a sum of `count` parts, whose weights may be changed later, for the functions below. */
void slip_patch_sum_prepare(slip_patch *sum, int count, slip_patch_part *parts);
void slip_patch_sum_evaluate(const slip_patch *sum, const double q[3], double T[3], double *derivative);

/* ---- limit surface ---- */
int slip_patch_limit_find(slip_context *ctx, const slip_patch *patch, const double u[3], double *ratio,
                          double q[3]);
/* The same by Newton's method from a nearby velocity q, with the table's error. */
bool slip_patch_limit_newton(const slip_patch *patch, const double u[3], double *ratio, double q[3]);
/* Computes slip_patch.reach. */
double slip_patch_reach(const slip_patch *patch);

/* The same where only some velocities are possible: q = sum of z_k basis_k, `rank` (1 to 3) orthonormal
 * vectors one after the other, and only the loads along them count: u_k = -ratio basis_k . T(q). Gives z, of
 * length 1. Loads in the other directions are carried by guides. */
int slip_patch_limit_within(slip_context *ctx, const slip_patch *patch, int rank, const double *basis,
                            const double *u, double *ratio, double *z);
/* A fast version for three directions, which starts at the z of a similar load. It uses the tabulated surface
 * if there is one, so ratio has the table's error. False: not found. */
bool slip_patch_limit_near(const slip_patch *patch, const double *basis, const double u[3], double *ratio,
                           double z[3]);
/* Slip against a load, in the same directions: L z = b - K t(z) with t_k = basis_k . T(q). z: in, a guess,
 * best the z of the limit surface; out, of length 1. `sign` is that of the L wanted, which may vanish. K is
 * rank x rank, row by row. False where nothing is found. */
bool slip_patch_slide(const slip_patch *patch, int rank, const double *basis, const double *K,
                      const double *b, double sign, double *z, double *L);
/* A of the (0,0) approximation T = A q/L. */
void slip_patch_matrix(const slip_patch_moments *moments, double b, double A[9]);
/* The same with the patch's own b (1 for the integral model), or of a sum; for initial guesses. */
void slip_patch_linear(const slip_patch *patch, double A[9]);
/* The surface of a set-valued patch, in units of the area; of a sum, sum of w_i G_i^T T_i(G_i q). */
void slip_patch_surface(const slip_patch *patch, const double q[3], double T[3], double *derivative);

/* Converts a velocity about the origin to one about a place: v_c = v + w x r. */
static inline void slip_pole_velocity(const double place[2], const double q[3], double at_place[3])
{
    at_place[0] = q[0] - place[1] * q[2];
    at_place[1] = q[1] + place[0] * q[2];
    at_place[2] = q[2];
}

/* Converts a force about a place to one about the origin, M = M_c + r x F, and its derivative by the velocity
 * of the place (or NULL) to that by the velocity of the origin. */
static inline void slip_pole_force(const double place[2], double T[3], double *derivative)
{
    T[2] += place[0] * T[1] - place[1] * T[0];
    if (!derivative)
        return;
    for (int i = 0; i < 3; i++)
        derivative[3 * i + 2] += place[0] * derivative[3 * i + 1] - place[1] * derivative[3 * i];
    for (int j = 0; j < 3; j++)
        derivative[6 + j] += place[0] * derivative[3 + j] - place[1] * derivative[j];
}

static inline double slip_sign(double x)
{
    return (double)(x > 0) - (double)(x < 0);
}

#endif
