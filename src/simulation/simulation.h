/* A simulation: a model bound to values, a method opened at a state. */
#ifndef SLIP_SIMULATION_SIMULATION_H
#define SLIP_SIMULATION_SIMULATION_H

#include "gear/gear_motion.h"
#include "io/keep.h"
#include "method/method.h"
#include "model/model.h"
#include "slipstick/simulation.h"

/* The checked settings of a run: those of the caller, else of the model, else defaults. */
typedef struct slip_settings {
    const slip_method_type *method;
    slip_run_options values; /* complete; NAN only where a field may be missing */
    bool steady;
} slip_settings;

/* Determines the settings: method, tolerances, record. */
int slip_settings_resolve(slip_context *ctx, const slip_model *model, const slip_run_options *options,
                          slip_settings *settings);
/* Checks the duration of a run: an end time or a steady period. */
int slip_settings_check_span(slip_context *ctx, const slip_settings *settings);

/* Fails and suggests the method with the nearest spelling. */
int slip_settings_unknown_method(slip_context *ctx, const char *name);

/* A stop condition of an advance: an expression that passes zero. */
typedef struct slip_watch {
    slip_expression *condition;
    double *slots, *scratch; /* the numbers that it reads (slip_course_symbols) */
    double before;           /* its last nonzero value; 0: it has been zero so far */
    double found;            /* time at which it passes zero; NAN: it does not */
    bool through;   /* stop only where it changes its sign; not where it becomes zero, or, up to rounding */
    double largest; /* of its largest value, stays zero for some time, as a slip in stick does */
} slip_watch;

/* The value of the condition with the present numbers in the slots. */
static inline double slip_watch_value(const slip_watch *w)
{
    return slip_expression_value(w->condition, w->slots, w->scratch);
}
/* Whether it has passed zero since the last call. */
bool slip_watch_passes(slip_watch *watch, double now);

/* Compiles a condition with the present parameters. *watch must be {0}; the caller closes it. */
int slip_watch_open(slip_simulation *s, const char *text, slip_watch *watch);
void slip_watch_close(slip_watch *watch);
/* slip_simulation_advance_until with such a condition. On SLIP_STOPPED watch->before has the sign of the
 * condition before the zero; if an observer stopped the advance instead, watch->found is NAN. */
int slip_simulation_advance_watched(slip_simulation *s, double time, slip_watch *watch);

/* How a simulation is opened. */
typedef struct slip_opening {
    slip_run_options run;
    bool whole;            /* the options must give the duration of the run */
    slip_gear_setup gears; /* for models of two gears: bodies, threads, frames */
} slip_opening;

struct slip_simulation {
    slip_context *ctx;
    const slip_model *model;    /* as it was given */
    slip_values *values;        /* numbers of its parameters; NULL: its own */
    slip_model *bound;          /* NULL where the model itself is run */
    const slip_model *ready;    /* the model that is run */
    struct slip_course *course; /* its method at a state (course.c) */
    double t;                   /* present time */
    double stopped_at;          /* time of the last stop by a condition; NAN: none */
    double graze;               /* of the last derivatives: slip_tangent_graze */
    bool rebind;                /* parameters have changed: bind the model before the next step */
};

int slip_simulation_open_with(slip_context *ctx, const slip_model *model, const slip_values *values,
                              const slip_opening *opening, slip_simulation **simulation);
/* Opens a simulation for a run; fails where the options do not give its duration. */
int slip_simulation_open_run(slip_context *ctx, const slip_model *model, const slip_values *values,
                             const slip_run_options *options, slip_simulation **simulation);

/* ---- The method of a simulation at a state (course.c). */

/* Opens the course at the initial state of simulation->ready. */
int slip_course_open(slip_simulation *s, const slip_opening *opening);
void slip_course_close(slip_simulation *s); /* also where open failed */
/* Advances to a later time, or to the zero of the watch's condition (SLIP_STOPPED; the watch may be NULL).
 * Updates simulation->t. */
int slip_course_advance(slip_simulation *s, double end, slip_watch *watch);
double slip_course_number(slip_simulation *s, const char *name);
slip_mode slip_course_mode(slip_simulation *s, const char *contact);
/* The symbols that conditions can read; fills their slots with the present numbers. */
const slip_symbol *slip_course_symbols(slip_simulation *s, slip_arena *arena, int *slots);
int slip_course_fill(slip_simulation *s, double *slots);
/* Binds the model to simulation->values before the next step. Reads nothing else. */
int slip_course_rebind(slip_simulation *s);
int slip_course_set_state(slip_simulation *s, double time, const double *q, const double *v);
int slip_course_set_states(slip_simulation *s, const double *states);
void slip_course_keep(slip_simulation *s, slip_keeper *keeper);

const slip_settings *slip_simulation_settings(const slip_simulation *s);

/* Advances with the given observer, without conditions. */
int slip_simulation_observe(slip_simulation *s, double end, const slip_observer *observer);

/* Copies the state: q, coordinates followed by zeros; v, velocities followed by states; n numbers each. */
void slip_simulation_whole_state(const slip_simulation *s, double *q, double *v);

/* Lets the method compute derivatives by the present state (method/tangent/tangent.h); NULL: no more. */
void slip_simulation_follow(slip_simulation *s, struct slip_tangent *tangent);

/* A change of parameters during a motion, from one system to another of the same form. slip_change_contacts
 * removes from the memory the contact modes and gaps that are no longer valid. */
typedef struct slip_change {
    const slip_system *from, *to;
    double t;
    const double *q, *v;
    slip_method_memory *memory;
} slip_change;
int slip_change_contacts(slip_context *ctx, const slip_change *change);

/* Reports the numbers that are special to the method to the summary. */
int slip_simulation_numbers(slip_simulation *s, const slip_number_sink *sink);

/* Advances through ascending times by method `event`, and calls `see` at each with the derivatives of the
 * state by parameters (their names end with NULL): slip_simulation_state_size rows. They include the
 * dependence of the initial state on the parameters. The simulation must be at its start. Fails as
 * slip_simulation_differentiate does. */
typedef int (*slip_sensitivity_function)(void *user, int64_t index, const double *by_parameter);
int slip_simulation_sensitivities(slip_context *ctx, slip_simulation *s, const char *const *parameters,
                                  int64_t count, const double *times, slip_sensitivity_function see,
                                  void *user);

/* The counters of the method: steps, evaluations, events. */
void slip_simulation_counters(const slip_simulation *s, slip_method_counters *counters);
/* The absolute error tolerance of a step of the integration. */
double slip_simulation_resolution(const slip_simulation *s);

/* Of local variables: SLIP_FREED_BY(TYPE_drop). */
SLIP_OWNED(slip_simulation, slip_simulation_close)
SLIP_OWNED(slip_saved_state, slip_saved_state_destroy)

#endif
