/* Periodic motions: fixed points of the map from a state to that one period later.
 *
 * The period is cut into arcs, each of which starts from a state x_i of its own (multiple shooting; mostly
 * one is enough). Unknown are all x_i, the period where the motion has one of its own, and on a branch a
 * parameter. Newton's method on
 *
 *     flow(x_i, T/k) - x_(i+1) = 0,     and where T is unknown   f(x_0) . (x_0 - x_0 of the last step) = 0,
 *
 * with the derivatives of method/tangent/tangent.h, damped: a step is halved until the residual falls. States
 * are measured in the sizes of the motion. A contact that sticks at x_0 leaves a column of zeros, and
 * Newton's step then takes what the flow says: the constraint holds after it. Of states that differ by a
 * shift which the system does not see (system/symmetry.h) the end may be any: what drifts stays where it is
 * at x_0, and what turns has come back after whole turns. */
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
    bool shown; /* somebody other than the method says what contacts do (method/motion.h) */
    slip_symmetry *symmetry;
    double *q, *v;
    slip_event *events; /* of the arcs since slip_arc_flow_forget, times as they are */
    int64_t event_count, event_capacity;
    slip_method_memory end;         /* of contacts, at the end of the last arc */
    const slip_method_memory *from; /* where the next arc starts; NULL: the state has to tell */
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
/* What a friction force does within its limits while its contact sticks, and the deflection of a slider: the
 * least of force + limit, the largest of force - limit, and the largest limit. It sticks where the first is
 * positive and the second negative, which some constant part of the force does wherever the first is larger;
 * in the middle of what holds their sum is zero. */
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

/* What an arc did. Arrays of the caller. */
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
    int repeats;              /* so many times in the period */
    slip_method_memory start; /* what contacts hold at x_0: what they hold at the end */
    double *start_at;         /* count: the x_0 at which they did */
    double *ends, *by_state, *rates, *by_start, *by_parameter; /* of all arcs, at x; of the last one less
                                                                * shifts that the system does not see */
    double *monodromy;                                         /* count x count */
    double *real, *imaginary;                                  /* multipliers, the largest first */
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

/* The change of all unknowns, in units of their scales, that adds to the motion's ends what it misses its
 * starts by (over the scales, as they follow each other in all arcs; NULL: nothing) with the other sign, and
 * for which row . change = right; from the derivatives at hand. SLIP_STOPPED: there is not one. */
int slip_orbit_change(slip_context *ctx, const slip_orbit *orbit, const slip_orbit_row *row,
                      const double *miss, double *change);

/* Newton's method from what is in the orbit. SLIP_STOPPED: it does not converge. */
int slip_orbit_solve(slip_arc_flow *flow, slip_orbit *orbit, slip_orbit_row *row);
/* Whether number i of a state is the deflection of a spring beside sliders: it moves as far as a place does,
 * and where it was hung up no motion changes. Motions that are hung up elsewhere stand beside each other;
 * what they have to keep is to . (change of the state over the scales) = 0. */
bool slip_orbit_keeps(const slip_orbit *orbit, int i, double *to);
/* The residual and all derivatives at x; SLIP_ERROR_SOLVER where the motion does not get through. */
int slip_orbit_evaluate(slip_arc_flow *flow, slip_orbit *orbit);
/* A multiplier that is not larger than 1 by more than this does not grow: where a contact sticks all the
 * time, or an oscillator is undamped, motions with the same period stand beside each other. */
static const double slip_orbit_neutral = 1e-10;
/* The multiplier that is nearest to 1, other than number `but`. */
int slip_orbit_nearest_one(const slip_orbit *orbit, int but);
/* Monodromy matrix, multipliers and stability from the derivatives at hand. */
int slip_orbit_judge(slip_context *ctx, slip_orbit *orbit);

/* Takes bounces that accumulate out of the events of a period: they are infinitely many, and how many are
 * told before the contact closes is a matter of tolerances. */
void slip_orbit_drop_bounces(slip_arc_flow *flow);
/* The events of the last evaluation in their order, as words; they begin where that makes the smallest list,
 * so that it does not matter where the orbit starts. */
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
/* From there to a periodic motion, with more arcs where it takes them. */
int slip_orbit_search(slip_arc_flow *flow, const slip_orbit_plan *plan, slip_orbit *orbit);

#endif
