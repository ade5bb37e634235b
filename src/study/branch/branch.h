/* Periodic motions over a parameter: pseudo-arclength continuation.
 *
 * A point is u = (x_0 over the scales, ln period where it is unknown, parameter over its range). From a point
 * with tangent tau the next one is sought on the plane tau . (u - u_0 - s tau) = 0 by Newton's method. The
 * return map is piecewise smooth: where the signature changes, the tangent turns by a finite angle, and the
 * branch goes on, turns back, or ends. The change is located by bisection along s. */
#ifndef SLIP_STUDY_BRANCH_H
#define SLIP_STUDY_BRANCH_H

#include "figure/album.h"
#include "slipstick/branch.h"
#include "study/harmonic/harmonic.h"
#include "study/labels.h"
#include "study/orbit/orbit.h"

/* A periodic motion at a value of the parameter. */
typedef struct slip_branch_point {
    double p;         /* position on the line of parameters */
    double values[2]; /* of the parameters */
    slip_orbit orbit;
    char *signature;
    bool *held;       /* contacts and sliders that stick all the time (hold.c) */
    double *tangent;  /* count + 2 components: x_0, period, parameter, in units of their scales; length 1 */
    double tests[4];  /* test functions, which change their signs at doublings, at folds and branch points, at
                         tori and neutral saddles, at phase resonances */
    double smooth[3]; /* the first three tests as smooth functions, before their signs are taken */
    bool torus;       /* the two multipliers whose product is closest to 1 are complex conjugates */
    bool neutral;     /* the motion is one of a continuum (centre.c) */
    bool beside;      /* the motions of the continuum slip, and this one is in its middle */
    bool still;       /* the parameter is constant along the branch */
    double
        multiplier; /* the multiplier of largest absolute value, without the trivial one along the motion */
    double *low, *high; /* extrema of the coordinates over the period */
    /* Of a forced motion, else NAN: the fundamental of each coordinate, and after these of each probe, is
     * amplitude cos(phase of the load - lag). */
    double *amplitude, *lag;
    int64_t events;
    int64_t landings;
    double *half; /* of a branch of twice the period: change of the state in half a period, over the scales */
} slip_branch_point;

/* The place of a label: the last point before it, the first point after it where there is one, and the test
 * that changes between them. Copies of the points of the walk. */
typedef struct slip_branch_place {
    slip_branch_point before, after;
    int test;
    const char *type;
} slip_branch_place;

/* A period doubling. */
typedef struct slip_branch_doubling {
    double p, time, period, *x, *vector; /* the state x at a time, and the eigenvector of the multiplier -1 */
    double *tangent;                     /* of the branch */
    bool joined; /* a branch of twice the period has ended here, so that no new one is followed from here */
} slip_branch_doubling;

typedef struct slip_orbit_branch {
    slip_context *ctx;
    const slip_model *model;
    slip_branch_options options; /* complete */
    const char *parameters[2];   /* the second is NULL unless a curve is followed */
    double ranges[2][2];         /* from the lower to the upper end */
    double base[2], along[2];    /* the line: parameters are base + p along */
    double low, high;            /* of p */
    int resonance;               /* the coordinate whose phase resonances are labelled; -1: none */
    slip_orbit_plan plan;
    int probe_count;            /* displacements of places on bodies, which are sums of coordinates */
    const slip_output **probes; /* in the arena */
    slip_arena arena;
    slip_values *values;
    slip_simulation *simulation; /* for the settings */
    slip_model *bound[5];        /* bound at the value of the parameter and at neighbouring values */
    slip_arc_flow flow;
    slip_harmonic_balance balance; /* used where options.harmonics is given: the map of the flow */
    double bound_at;
    double earliest; /* instant at which a period may start */
    double longest;  /* upper bound of the period of the load */
    bool *held;  /* in the arena: contacts and sliders that are held in the bound systems (system/hold.h) */
    int number;  /* number of the branch that is followed */
    bool closed; /* the last walk has come back to its start */
    slip_branch_doubling
        *origins; /* for a branch of twice the period: the doublings of the branch of half the period */
    int origin_count;
    void *user;
    int (*point)(void *user, int branch, const slip_branch_point *point);
    int (*label)(void *user, const slip_label *label);
    /* Called at each label of the kind options.curve; NULL: not called. */
    int (*place)(void *user, const slip_branch_place *place);
} slip_orbit_branch;

/* Finds the motion at options.start; the caller frees the point. */
int slip_branch_find(slip_orbit_branch *branch, slip_branch_point *point);
/* Follows the branch from a point with a rising (+1) or falling (-1) parameter and passes labels and points
 * to the callbacks, the first point only where `first` is set. Period doublings on the way are stored in
 * `doubled`, which has room for `most`; *count is their number. */
int slip_branch_walk(slip_orbit_branch *branch, const slip_branch_point *from, int direction, bool first,
                     slip_arena *arena, slip_branch_doubling *doubled, int most, int *count);
/* Finds the motion of twice the period that begins at a doubling. SLIP_STOPPED: it is not found. */
int slip_branch_double(slip_orbit_branch *branch, const slip_branch_point *near,
                       const slip_branch_doubling *at, slip_branch_point *point);
/* For walk.c (point.c): predicts at a distance along a direction (count + 2 numbers of length 1) and corrects
 * by Newton's method on the plane normal to `across` (NULL: normal to the direction). SLIP_STOPPED: no motion
 * is found. And the distance of two points. */
int slip_branch_reach(slip_orbit_branch *branch, const slip_branch_point *from, const double *direction,
                      double distance, const double *across, slip_branch_point *to);
/* The state one period later less the state, over the scales (count numbers), for the start at a distance
 * along a direction. *to has that motion and its derivatives; it is not periodic; the caller frees it. */
int slip_branch_miss(slip_orbit_branch *branch, const slip_branch_point *from, const double *direction,
                     double distance, slip_branch_point *to, double *miss);
/* Where an event comes close to the start of the period, moves the start into the middle of the longest
 * interval without events: at an impact the state jumps, and with it the branch. `leave`: moves it in any
 * case, to another interval. SLIP_STOPPED: the start cannot be moved and stays. The last evaluation must be
 * that of the orbit or point. */
int slip_branch_leave_start(slip_orbit_branch *branch, slip_orbit *orbit, bool leave);
int slip_branch_move_start(slip_orbit_branch *branch, slip_branch_point *point, bool leave);
/* Binds the model at a value of the parameter, and sets the flow and the period of the orbit. */
int slip_branch_bind(void *branch, double p, slip_arc_flow *flow, slip_orbit *orbit);
void slip_branch_unbind(slip_orbit_branch *branch);
/* hold.c: sets the contacts and sliders that are held from now on (NULL: none); where they change, the caller
 * binds the model again. And a copy of such flags. */
void slip_branch_hold(slip_orbit_branch *branch, const bool *held);
int slip_branch_copy_held(const slip_orbit_branch *branch, const bool *from, bool **to);
/* As slip_orbit_solve, starting with the contacts and sliders that are held now. On return those are held
 * that stick for the whole period. */
int slip_branch_solve(slip_orbit_branch *branch, slip_orbit *orbit, slip_orbit_row *row);
double slip_branch_distance(const slip_orbit_branch *branch, const slip_branch_point *a,
                            const slip_branch_point *b);
void slip_branch_point_free(slip_branch_point *point);
/* response.c: amplitudes and lags from the integrals `fourier` of the flow over the period. */
/* centre.c: where contacts or sliders of laws stick for the whole period, there is a continuum of periodic
 * motions that differ by constant parts of their friction forces. Moves the point to the motion in its
 * middle; `ranges` as in slip_arc_flow. True where the caller has to evaluate the point again. */
bool slip_branch_centre(slip_orbit_branch *branch, slip_branch_point *point, const double *ranges,
                        int *status);
/* Moves a motion from the boundary of a continuum that slips, to which runs converge, into it: *entered. */
int slip_branch_enter(slip_orbit_branch *branch, slip_branch_point *point, bool *entered);
/* Removes from a direction (count + 2 numbers) its part along the continuum; the point is `neutral` then. */
int slip_branch_keep_across(slip_orbit_branch *branch, slip_branch_point *point, double *direction);
int slip_branch_find_probes(slip_orbit_branch *branch);
int slip_branch_find_response(slip_orbit_branch *branch, slip_branch_point *point, const double *fourier);
void slip_branch_close(slip_orbit_branch *branch);

void slip_branch_place_free(slip_branch_place *place);
int slip_branch_copy(slip_orbit_branch *branch, const slip_branch_point *from, slip_branch_point *to);
/* Whether a test has the same sign at two points. `test` is an index of slip_branch_point.tests; -1: the
 * signature; 4: the direction of the parameter. */
bool slip_branch_same_side(const slip_branch_point *a, const slip_branch_point *b, int test);
/* Whether the residual of a point is about as small as that of another: beyond a corner Newton's method halts
 * close to the corner without converging. */
bool slip_branch_as_good(const slip_orbit_branch *branch, const slip_branch_point *a,
                         const slip_branch_point *point);
/* pin.c: where the signature changes, a phase of stick or slip begins with duration zero; the tolerances of
 * mode decisions shift the value at which bisection finds it. *value, located close to a point, is replaced
 * by the value at which the duration is zero, extrapolated from samples along the tangent (way +1: the phase
 * exists there) or against it. It is unchanged where samples disagree. The flow is that of the last
 * sample. */
int slip_branch_pin(slip_orbit_branch *branch, const slip_branch_point *at, int way, double *value);
/* curve.c: follows a bifurcation over both parameters, with the second one rising (+1) or falling (-1) at
 * first. Passes points (the first one with `first`) and the label of the end to the callbacks. */
int slip_branch_curve(slip_orbit_branch *branch, const slip_branch_place *place, int direction, bool first);

int slip_branch_draw(slip_album *album);

#endif
