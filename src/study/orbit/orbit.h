/* Periodic motions: fixed points of the map from a state to that one period later.
 *
 * The period is cut into arcs, each of which starts from a state x_i of its own (multiple shooting; mostly
 * one is enough). Unknown are all x_i, the period where the motion has one of its own, and on a branch a
 * parameter. Newton's method on
 *
 *     flow(x_i, T/k) - x_(i+1) = 0,     and where T is unknown   f(x_0) . (x_0 - x_0 of the last step) = 0,
 *
 * with the derivatives of method/tangent/tangent.h, damped: a step is halved until the residual falls. States
 * are measured in the sizes of the motion. A contact that sticks at x_0 gives a column of zeros, and after a
 * Newton step its constraint holds. The end may differ from the start by a symmetry of the system
 * (system/symmetry.h): a coordinate that drifts is held at x_0, one that turns may gain whole turns. */
#ifndef SLIP_STUDY_ORBIT_H
#define SLIP_STUDY_ORBIT_H

#include "method/tangent/given.h"
#include "result/result.h"
#include "simulation/simulation.h"
#include "slipstick/orbit.h"
#include "system/hold.h"
#include "system/symmetry.h"

struct slip_arc;

/* The flow of a model and its derivatives, from any state. Numbers of a state are those of
 * slip_simulation_differentiate: coordinates, velocities, states. */
typedef struct slip_arc_flow {
    slip_context *ctx;
    slip_arena arena;
    const slip_system *system;
    slip_method_options options;
    void *method; /* `event`, where an arc was run */
    slip_given_tangent *tangent;
    slip_tangent_parameter parameter; /* whose derivative is wanted too, where there is one */
    bool has_parameter;
    int count;  /* numbers of a state */
    bool shown; /* contact modes are decided outside the method (method/motion.h) */
    slip_symmetry *symmetry;
    double *q, *v;
    slip_event *events; /* of the arcs since slip_arc_flow_forget, at absolute times */
    int64_t event_count, event_capacity;
    slip_method_memory end;         /* contact modes and the like at the end of the last arc */
    const slip_method_memory *from; /* the same at the start of the next arc; NULL: found from the state */
    slip_method_memory between;     /* room for that */
    double graze;                   /* the least of all arcs: slip_tangent_graze */
    double *low, *high;             /* of the coordinates, where they are wanted; else NULL */
    /* Integrals, where they are wanted, else NULL: for each harmonic h from 1 on those of the coordinates
     * times cos(h frequency t) and times sin(h frequency t); then of the states, then of the coordinates.
     * There is room for all of them three times. */
    double frequency, *fourier, *samples;
    int harmonics; /* 1 */
    /* Where they are wanted, else NULL: of the contacts, and then of the sliders, three numbers each
     * (slip_held). `held` are some of them on the way. */
    double *ranges, *held;
    /* Contacts and sliders whose limits are out of reach in the system (system/hold.h); NULL: none. */
    const bool *raised;
    double *slots; /* for their slips */
    /* What maps the start of a period to its end, in place of the motion of the system (harmonic/harmonic.h).
     */
    void *map_user;
    bool trial; /* derivatives are not asked for: a map need not find them */
    int (*map)(void *user, struct slip_arc_flow *flow, double t, const double *x, double length,
               const struct slip_arc *to);
} slip_arc_flow;

/* How many integrals there are; and adds those over a step (integrals.c). */
int slip_arc_flow_integrals(const slip_arc_flow *flow);
int slip_arc_flow_sample_room(const slip_arc_flow *flow);
/* The margins of a friction force while its contact sticks, or of the deflection of a slider: the least force
 * + limit, the largest force - limit, and the largest limit. It sticks while the first is positive and the
 * second negative; this is possible, with a suitable constant part of the force, where the first is larger
 * than the second. In the middle of that range their sum is zero. */
enum { slip_held_low, slip_held_high, slip_held_limit, slip_held_numbers };
static inline double slip_held_middle(const double *range)
{
    return 0.5 * (range[slip_held_low] + range[slip_held_high]);
}
static inline bool slip_held_within(const double *range)
{
    return range[slip_held_low] > range[slip_held_high];
}
/* How many ranges there are. */
static inline int slip_arc_flow_held(const slip_arc_flow *flow)
{
    return slip_held_count(flow->system);
}
void slip_arc_flow_integrate(slip_arc_flow *flow, const slip_step *step);

/* The end of an arc and its derivatives. Arrays of the caller. */
typedef struct slip_arc {
    double *end; /* count */
    double
        *by_state; /* count x count, row by row; of a flow without derivatives this and the rest are NULL */
    double *rates; /* at its end */
    double *by_start;     /* by the time of its start */
    double *by_parameter; /* where there is one */
} slip_arc;

/* Without derivatives. */
int slip_arc_flow_open_plain(slip_context *ctx, const slip_system *system, const slip_settings *settings,
                             double tolerance, slip_arc_flow *flow);
/* `near` as of slip_tangent_parameter, NULL: no parameter. The systems outlive it. */
int slip_arc_flow_open(slip_context *ctx, const slip_system *system, const slip_settings *settings,
                       double tolerance, const slip_tangent_parameter *near, slip_arc_flow *flow);
void slip_arc_flow_close(slip_arc_flow *flow);
void slip_arc_flow_forget(slip_arc_flow *flow);
int slip_arc_flow_run(slip_arc_flow *flow, double t, const double *x, double length, const slip_arc *to);

typedef struct slip_orbit {
    slip_arena arena;
    int count, arcs;
    bool own_period;       /* it is unknown */
    double time, period;   /* of the start; whole: times the multiple */
    double period_rate;    /* of a given period: its derivative by the parameter */
    double *x;             /* the starts of the arcs, one after the other */
    double *scale;         /* of a state */
    double *phase;         /* count: rates at x_0, of own_period */
    const slip_system *of; /* that was evaluated last; NULL: a map was */
    bool *drifts;          /* count: it is held at x_0 and its end is free (slip_symmetry.held of the flow) */
    double residual;       /* relative to the scales */
    int iterations;
    int repeats;              /* how many times the motion repeats in the period */
    slip_method_memory start; /* contacts that stick or are closed at x_0, as they are at the end */
    double *start_at;         /* count: the x_0 for which `start` was found */
    double *ends, *by_state, *rates, *by_start,
        *by_parameter; /* of all arcs, at x; shifts by symmetry are taken off the end of the last one */
    double *monodromy; /* count x count */
    double *real, *imaginary; /* multipliers, the largest first */
    bool stable;
} slip_orbit;

/* Memory of an orbit with so many numbers of the state and arcs. */
int slip_orbit_create(slip_context *ctx, int count, int arcs, slip_orbit *orbit);
void slip_orbit_free(slip_orbit *orbit);

/* A further condition and unknown: the parameter p, row . (change of x_0 over the scales, of the period over
 * itself, of p over p_scale) = right. Of branches; NULL: the parameter stays. */
typedef struct slip_orbit_row {
    double *row, right; /* count + 2 numbers */
    double p_scale, p;  /* p is changed */
    void *user;
    /* Gives the flow another value of the parameter: system and period. */
    int (*set)(void *user, double p, slip_arc_flow *flow, slip_orbit *orbit);
} slip_orbit_row;

/* Solves the linearised equations: the change of all unknowns, in units of their scales, that cancels the
 * given residuals of all arcs (over the scales; NULL: zero) and fulfils row . change = right. Uses the
 * derivatives of the last evaluation. SLIP_STOPPED: the equations are singular. */
int slip_orbit_change(slip_context *ctx, const slip_orbit *orbit, const slip_orbit_row *row,
                      const double *miss, double *change);

/* Newton's method from what is in the orbit. SLIP_STOPPED: it does not converge. */
int slip_orbit_solve(slip_arc_flow *flow, slip_orbit *orbit, slip_orbit_row *row);
/* Whether number i of a state is the deflection of the spring beside sliders. Its reference place is
 * arbitrary, so that motions form a continuum; the condition that fixes the reference is to . (change of the
 * state over the scales) = 0. */
bool slip_orbit_keeps(const slip_orbit *orbit, int i, double *to);
/* The residual and all derivatives at x; SLIP_ERROR_SOLVER where the motion cannot be followed. */
int slip_orbit_evaluate(slip_arc_flow *flow, slip_orbit *orbit);
/* A multiplier that exceeds 1 by less than this counts as 1: where a contact sticks all the time, or an
 * oscillator is undamped, there is a continuum of motions with the same period. */
static const double slip_orbit_neutral = 1e-10;
/* The multiplier that is nearest to 1, other than number `but`. */
int slip_orbit_nearest_one(const slip_orbit *orbit, int but);
/* Monodromy matrix, multipliers and stability from the derivatives at hand. */
int slip_orbit_judge(slip_context *ctx, slip_orbit *orbit);

/* Removes bounces that accumulate from the events of a period: there are infinitely many, and the number
 * found before the contact closes depends on tolerances. */
void slip_orbit_drop_bounces(slip_arc_flow *flow);
/* The events of the last evaluation in their order, as words. The list begins with the event that makes it
 * smallest, so that it does not depend on the start of the orbit. */
int slip_orbit_signature(const slip_arc_flow *flow, slip_text *text);

/* Cuts the arcs in two: the states in between are those of the flow. */
int slip_orbit_refine(slip_arc_flow *flow, slip_orbit *orbit);

/* Where a search starts: a state and a period from a run, or as the options say. *simulation stands there. */
typedef struct slip_orbit_plan {
    slip_orbit_options options; /* complete */
    bool own_period;
    double period; /* of the load, times the multiple; NAN of an own period */
} slip_orbit_plan;
int slip_orbit_plan_make(slip_context *ctx, const slip_model *model, const slip_orbit_options *options,
                         slip_orbit_plan *plan);
/* Runs the model up to where the search starts and fills the orbit, which is {0}, with one arc. */
int slip_orbit_start(slip_context *ctx, slip_simulation *simulation, const slip_orbit_plan *plan,
                     slip_orbit *orbit);
/* Newton's method from there to a periodic motion, with more arcs where one does not converge. */
int slip_orbit_search(slip_arc_flow *flow, const slip_orbit_plan *plan, slip_orbit *orbit);

#endif
