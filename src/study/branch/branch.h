/* Periodic motions over a parameter: pseudo-arclength continuation.
 *
 * A point is u = (x_0 over the scales, ln period where it is unknown, parameter over its range). From a point
 * with tangent tau the next one is sought on the plane tau . (u - u_0 - s tau) = 0 by Newton's method. The
 * map is piecewise smooth: where the signature changes the tangent turns, and the branch goes on at once, or
 * turns back, or ends. What happens there is located by bisection along s. */
#ifndef SLIP_STUDY_BRANCH_H
#define SLIP_STUDY_BRANCH_H

#include "figure/album.h"
#include "slipstick/branch.h"
#include "study/harmonic/harmonic.h"
#include "study/labels.h"
#include "study/orbit/orbit.h"

/* A periodic motion at a value of the parameter. */
typedef struct slip_branch_point {
    double p;         /* along the line of parameters */
    double values[2]; /* of the parameters */
    slip_orbit orbit;
    char *signature;
    bool *held;         /* contacts and sliders that stick all the time (hold.c) */
    double *tangent;    /* count + 2: of the x_0, of the period, of the parameter, in units of their scales;
                           length 1 */
    double tests[4];    /* that change their signs at doublings, at folds and branch points, at tori and
                           neutral saddles, at phase resonances */
    double smooth[3];   /* the first three of them before their signs are taken, as far as they are smooth */
    bool torus;         /* the two multipliers whose product is next to 1 are a pair of complex ones */
    bool neutral;       /* motions stand beside it */
    bool beside;        /* those slip, and it is the one in the middle */
    bool still;         /* the parameter does not change along the branch */
    double multiplier;  /* the largest, but for that along the motion */
    double *low, *high; /* of the coordinates over the period */
    /* Of a forced motion, else NAN: coordinates, and behind them probes, have the fundamental amplitude
     * cos(phase of the load - lag). */
    double *amplitude, *lag;
    int64_t events;
    int64_t landings;
    double *half; /* of a branch of twice the period: by how much the state differs after half of it, over the
                     scales */
} slip_branch_point;

/* Where a label was found: the last point before it, the first after it where there is one, and the test that
 * tells them apart. A copy of what the walk has. */
typedef struct slip_branch_place {
    slip_branch_point before, after;
    int test;
    const char *type;
} slip_branch_place;

/* Where the period doubles. */
typedef struct slip_branch_doubling {
    double p, time, period, *x, *vector; /* the state at a time, and the direction that doubles */
    double *tangent;                     /* of the branch */
    bool joined;                         /* a branch of twice the period has ended there: its own is known */
} slip_branch_doubling;

typedef struct slip_orbit_branch {
    slip_context *ctx;
    const slip_model *model;
    slip_branch_options options; /* complete */
    const char *parameters[2];   /* the second of a curve only, else NULL */
    double ranges[2][2];         /* from the lower to the upper end */
    double base[2], along[2];    /* the line: parameters are base + p along */
    double low, high;            /* of p */
    int resonance;               /* the coordinate whose phase resonances are labelled; -1: none */
    slip_orbit_plan plan;
    int probe_count;            /* of bodies: displacements at places of them, sums of coordinates */
    const slip_output **probes; /* in the arena */
    slip_arena arena;
    slip_values *values;
    slip_simulation *simulation; /* for the settings */
    slip_model *bound[5];        /* at the value, and next to it */
    slip_arc_flow flow;
    slip_harmonic_balance balance; /* of options.harmonics: what the flow maps */
    double bound_at;
    double earliest; /* instant at which a period may start */
    double longest;  /* periods of loads are shorter */
    bool *held;      /* in the arena: what is held in the systems that are bound (system/hold.h) */
    int number;      /* of the branch that is followed */
    bool closed;     /* the last walk has come back to its start */
    slip_branch_doubling *origins; /* where branches of twice the period of another begin, if it is one */
    int origin_count;
    void *user;
    int (*point)(void *user, int branch, const slip_branch_point *point);
    int (*label)(void *user, const slip_label *label);
    /* Where a label of options.curve is found; NULL: nobody asks. */
    int (*place)(void *user, const slip_branch_place *place);
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
/* By how much the motion from a distance along a direction misses its start one period later, over the scales
 * (count numbers); *to is it with its derivatives, no motion of the branch, and the caller's in any case. */
int slip_branch_miss(slip_orbit_branch *branch, const slip_branch_point *from, const double *direction,
                     double distance, slip_branch_point *to, double *miss);
/* Where an event comes close to the start of the period, the start is moved into the middle of the longest
 * stretch without events: at an impact the state jumps, and with it the branch. `leave`: in any case, out of
 * the stretch in which it is; SLIP_STOPPED where it cannot be. The last evaluation was that of the point. And
 * of a motion alone, SLIP_STOPPED: it stays. */
int slip_branch_leave_start(slip_orbit_branch *branch, slip_orbit *orbit, bool leave);
int slip_branch_move_start(slip_orbit_branch *branch, slip_branch_point *point, bool leave);
/* Binds the model at a value of the parameter: flow and period. */
int slip_branch_bind(void *branch, double p, slip_arc_flow *flow, slip_orbit *orbit);
void slip_branch_unbind(slip_orbit_branch *branch);
/* hold.c: what is held from now on, NULL: nothing; the model has to be bound anew where that changes. And a
 * copy of such flags. */
void slip_branch_hold(slip_orbit_branch *branch, const bool *held);
int slip_branch_copy_held(const slip_orbit_branch *branch, const bool *from, bool **to);
/* As slip_orbit_solve, with what is held to begin with; it is what sticks all the time in the end. */
int slip_branch_solve(slip_orbit_branch *branch, slip_orbit *orbit, slip_orbit_row *row);
double slip_branch_distance(const slip_orbit_branch *branch, const slip_branch_point *a,
                            const slip_branch_point *b);
void slip_branch_point_free(slip_branch_point *point);
/* branch_response.c: amplitudes and lags from the integrals `fourier` of the flow over the period. */
/* centre.c: where contacts or sliders of laws stick all the time, motions stand beside each other that differ
 * by the forces of these; moves the point, whose ranges are those of slip_arc_flow, to the one in the middle.
 * True where it has to be looked at again. */
bool slip_branch_centre(slip_orbit_branch *branch, slip_branch_point *point, const double *ranges,
                        int *status);
/* A motion at the rim of such motions that slip, to which runs are drawn, becomes one of them: *entered. */
int slip_branch_enter(slip_orbit_branch *branch, slip_branch_point *point, bool *entered);
/* Takes what a direction (count + 2 numbers) has along such motions away; the point is `neutral` then. */
int slip_branch_keep_across(slip_orbit_branch *branch, slip_branch_point *point, double *direction);
int slip_branch_find_probes(slip_orbit_branch *branch);
int slip_branch_find_response(slip_orbit_branch *branch, slip_branch_point *point, const double *fourier);
void slip_branch_close(slip_orbit_branch *branch);

void slip_branch_place_free(slip_branch_place *place);
int slip_branch_copy(slip_orbit_branch *branch, const slip_branch_point *from, slip_branch_point *to);
/* Whether two points are on the same side of a test: of those above; -1: they have the same signature; 4: the
 * parameter goes the same way. */
bool slip_branch_same_side(const slip_branch_point *a, const slip_branch_point *b, int test);
/* Whether a point repeats as well as another: beyond a corner Newton's method halts next to it. */
bool slip_branch_as_good(const slip_orbit_branch *branch, const slip_branch_point *a,
                         const slip_branch_point *point);
/* pin.c: a phase (of stick, of slip) that begins where the signature changes is found late or early by what
 * modes are decided to; *value, where it was located next to a point, becomes that at which the phase takes
 * no time, from samples along the tangent (way +1: the phase is there) or against it. It stays where these do
 * not tell. The flow is that of the last of them. */
int slip_branch_pin(slip_orbit_branch *branch, const slip_branch_point *at, int way, double *value);
/* branch_curve.c: follows a place over both parameters, with the second rising (+1) or falling (-1) at first,
 * and tells points, the first of them only where that is wanted, and the label of its end. */
int slip_branch_curve(slip_orbit_branch *branch, const slip_branch_place *place, int direction, bool first);

int slip_branch_draw(slip_album *album);

#endif
