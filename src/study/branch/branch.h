/* Periodic motions over a parameter: pseudo-arclength continuation.
 *
 * A point is u = (x_0 over the scales, ln period where it is unknown, parameter over its range). From a point
 * with tangent tau the next one is sought on the plane tau . (u - u_0 - s tau) = 0 by Newton's method. The
 * map is piecewise smooth: where the signature changes the tangent turns, and the branch goes on at once, or
 * turns back, or ends. What happens there is located by bisection along s. */
#ifndef SLIP_STUDY_BRANCH_H
#define SLIP_STUDY_BRANCH_H

#include "slipstick/branch.h"
#include "study/labels.h"
#include "study/orbit/orbit.h"

/* A periodic motion at a value of the parameter. */
typedef struct slip_branch_point {
    double p;
    slip_orbit orbit;
    char *signature;
    double *tangent;    /* count + 2: of the x_0, of the period, of the parameter, in units of their scales;
                           length 1 */
    double tests[3];    /* that change their signs at doublings, at folds and branch points, at tori */
    double multiplier;  /* the largest, but for that along the motion */
    double *low, *high; /* of the coordinates over the period */
    int64_t events;
    int64_t landings;
    double *half; /* of a branch of twice the period: by how much the state differs after half of it, over the
                     scales */
} slip_branch_point;

/* Where the period doubles. */
typedef struct slip_branch_doubling {
    double p, time, period, *x, *vector; /* the state at a time, and the direction that doubles */
} slip_branch_doubling;

typedef struct slip_orbit_branch {
    slip_context *ctx;
    const slip_model *model;
    slip_branch_options options; /* complete */
    const char *parameter;
    double low, high; /* its range */
    slip_orbit_plan plan;
    slip_values *values;
    slip_simulation *simulation; /* for the settings */
    slip_model *bound[5];        /* at the value, and next to it */
    slip_arc_flow flow;
    double bound_at;
    int number;                         /* of the branch that is followed */
    const slip_branch_doubling *origin; /* where it begins with twice the period; NULL: it does not */
    void *user;
    int (*point)(void *user, int branch, const slip_branch_point *point);
    int (*label)(void *user, const slip_label *label);
} slip_orbit_branch;

/* The motion at options.start. */
int slip_branch_find(slip_orbit_branch *branch, slip_branch_point *point);
/* Follows it from there with a rising (+1) or falling (-1) parameter, and tells labels and points, the first
 * of them only where that is wanted. Doublings of the period on the way are kept in `doubled`, of which there
 * is room for `most`; *count is how many. */
int slip_branch_walk(slip_orbit_branch *branch, const slip_branch_point *from, int direction, bool first,
                     slip_arena *arena, slip_branch_doubling *doubled, int most, int *count);
/* The motion of twice the period that begins at a doubling. SLIP_STOPPED: it is not found. */
int slip_branch_double(slip_orbit_branch *branch, const slip_branch_point *near,
                       const slip_branch_doubling *at, slip_branch_point *point);
/* point.c, for walk.c: the motion that Newton's method finds from a distance along a direction
 * (count + 2 numbers of length 1), on the plane across `across` there (NULL: across the direction).
 * SLIP_STOPPED: there is none. And the distance of two points. */
int slip_branch_reach(slip_orbit_branch *branch, const slip_branch_point *from, const double *direction,
                      double distance, const double *across, slip_branch_point *to);
int slip_branch_move_start(slip_orbit_branch *branch, slip_branch_point *point);
double slip_branch_distance(const slip_orbit_branch *branch, const slip_branch_point *a,
                            const slip_branch_point *b);
void slip_branch_point_free(slip_branch_point *point);
void slip_branch_close(slip_orbit_branch *branch);

int slip_branch_draw(slip_context *ctx, slip_result *result, const char *folder,
                     const slip_plot_options *options);

#endif
