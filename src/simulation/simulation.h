/* A simulation: a model bound to values, a method opened at a state. */
#ifndef SLIP_SIMULATION_SIMULATION_H
#define SLIP_SIMULATION_SIMULATION_H

#include "gear/gear_motion.h"
#include "io/keep.h"
#include "method/method.h"
#include "model/model.h"
#include "slipstick/simulation.h"

/* Everything a run needs, options before model before defaults; checked. */
typedef struct slip_settings {
    const slip_method_type *method;
    slip_run_options values; /* complete: what has no default is there or is NAN where it may be */
    bool steady;
} slip_settings;

/* The settings of a method: which, how exact, what is recorded. */
int slip_settings_resolve(slip_context *ctx, const slip_model *model, const slip_run_options *options,
                          slip_settings *settings);
/* Checks how long a run is to be: an end or a steady period. */
int slip_settings_check_span(slip_context *ctx, const slip_settings *settings);

/* Fails and suggests the method with the nearest spelling. */
int slip_settings_unknown_method(slip_context *ctx, const char *name);

/* What an advance looks for on its way: where a condition passes zero. */
typedef struct slip_watch {
    slip_expression *condition;
    double *slots, *scratch; /* what it reads: by slip_course_symbols */
    double before;           /* the last value that was not zero; 0: it has not left zero */
    double found;            /* when it passes zero; NAN: it does not */
    bool through;   /* only where it comes out on the other side, and not where it comes to zero or, */
    double largest; /* to rounding of its largest value, stays there for a while as in stick */
} slip_watch;

/* Of the slots as they are. */
static inline double slip_watch_value(const slip_watch *w)
{
    return slip_expression_value(w->condition, w->slots, w->scratch);
}
/* Whether it has passed zero since the last call. */
bool slip_watch_passes(slip_watch *watch, double now);

/* Compiles a condition with the parameters as they are now; *watch is {0} and is closed in any case. */
int slip_watch_open(slip_simulation *s, const char *text, slip_watch *watch);
void slip_watch_close(slip_watch *watch);
/* slip_simulation_advance_until with such a condition. On SLIP_STOPPED watch->before has the sign that it had
 * before it passed zero, unless an observer asked to stop: then watch->found is NAN. */
int slip_simulation_advance_watched(slip_simulation *s, double time, slip_watch *watch);

/* How a simulation is opened. */
typedef struct slip_opening {
    slip_run_options run;
    bool whole;            /* the span of the run has to be there */
    slip_gear_setup gears; /* what the run brings for them: bodies, threads, frames */
} slip_opening;

struct slip_simulation {
    slip_context *ctx;
    const slip_model *model;    /* as it was given */
    slip_values *values;        /* numbers of its parameters; NULL: its own */
    slip_model *bound;          /* NULL where the model itself is run */
    const slip_model *ready;    /* the model that is run */
    struct slip_course *course; /* its method at a state (course.c) */
    double t;                   /* where it stands */
    double stopped_at;          /* the last time at which a condition stopped it; NAN: none did */
    double graze;               /* of the last derivatives: slip_tangent_graze */
    bool rebind;                /* parameters have changed */
};

int slip_simulation_open_with(slip_context *ctx, const slip_model *model, const slip_values *values,
                              const slip_opening *opening, slip_simulation **simulation);
/* Opens a simulation for a run whose options are a whole; the span is checked. */
int slip_simulation_open_run(slip_context *ctx, const slip_model *model, const slip_values *values,
                             const slip_run_options *options, slip_simulation **simulation);

/* ---- The method of a simulation at a state (course.c). */

/* At the initial state of simulation->ready. */
int slip_course_open(slip_simulation *s, const slip_opening *opening);
void slip_course_close(slip_simulation *s); /* also where open failed */
/* Advances to a time that is later, or to where the watch finds its condition (SLIP_STOPPED; the watch may be
 * NULL). Sees to simulation->t. */
int slip_course_advance(slip_simulation *s, double end, slip_watch *watch);
double slip_course_number(slip_simulation *s, const char *name);
slip_mode slip_course_mode(slip_simulation *s, const char *contact);
/* What conditions read: their symbols, and the numbers in their slots now. */
const slip_symbol *slip_course_symbols(slip_simulation *s, slip_arena *arena, int *slots);
int slip_course_fill(slip_simulation *s, double *slots);
/* Takes the numbers of simulation->values over before it goes on, and reads no more than that. */
int slip_course_rebind(slip_simulation *s);
int slip_course_set_state(slip_simulation *s, double time, const double *q, const double *v);
int slip_course_set_states(slip_simulation *s, const double *states);
void slip_course_keep(slip_simulation *s, slip_keeper *keeper);

const slip_settings *slip_simulation_settings(const slip_simulation *s);

/* Advances with an observer of one's own, and nothing else. */
int slip_simulation_observe(slip_simulation *s, double end, const slip_observer *observer);

/* Coordinates and states: n numbers each, of q zeros behind the coordinates. */
void slip_simulation_whole_state(const slip_simulation *s, double *q, double *v);

/* From now on the method finds derivatives of its motion from where it stands (method/tangent/tangent.h);
 * NULL: none.
 */
void slip_simulation_follow(slip_simulation *s, struct slip_tangent *tangent);

/* A motion that goes on from a state with another system, the same but for numbers of parameters: what is
 * still known of the contacts is left in the memory. */
typedef struct slip_change {
    const slip_system *from, *to;
    double t;
    const double *q, *v;
    slip_method_memory *memory;
} slip_change;
int slip_change_contacts(slip_context *ctx, const slip_change *change);

/* Numbers of its method that not every run has. */
int slip_simulation_numbers(slip_simulation *s, const slip_number_sink *sink);

/* Advances through times that do not fall, by method `event`, and calls `see` at each with the derivatives by
 * parameters (a NULL ends their names) of the state: slip_simulation_state_size rows, the initial state that
 * parameters move included. The simulation stands at its start. Fails as slip_simulation_differentiate does.
 */
typedef int (*slip_sensitivity_function)(void *user, int64_t index, const double *by_parameter);
int slip_simulation_sensitivities(slip_context *ctx, slip_simulation *s, const char *const *parameters,
                                  int64_t count, const double *times, slip_sensitivity_function see,
                                  void *user);

/* What the method has counted. */
void slip_simulation_counters(const slip_simulation *s, slip_method_counters *counters);
/* The absolute error that a step of the integration may make. */
double slip_simulation_resolution(const slip_simulation *s);

/* Of local variables: SLIP_FREED_BY(TYPE_drop). */
SLIP_OWNED(slip_simulation, slip_simulation_close)
SLIP_OWNED(slip_saved_state, slip_saved_state_destroy)

#endif
