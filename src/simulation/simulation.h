/* A simulation: a model bound to values, a method opened at a state. */
#ifndef SLIP_SIMULATION_SIMULATION_H
#define SLIP_SIMULATION_SIMULATION_H

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

struct slip_simulation {
    slip_context *ctx;
    const slip_model *model; /* as it was given */
    slip_values *values;     /* numbers of its parameters; NULL: its own */
    slip_model *bound;       /* NULL where the model itself is run */
    const slip_model *ready; /* the model that is run */
    slip_settings settings;
    double span; /* of the whole run; infinite where that is not known */
    void *method;
    slip_arena arena;
    double t, *q, *v; /* where it stands */
    slip_method_memory memory;
    slip_sample sample; /* of the instant sampled_at */
    double sampled_at;  /* NAN: of none */
    double stopped_at;  /* the last time at which a condition stopped it; NAN: none did */
    bool rebind;        /* parameters have changed */
    bool reopen;        /* the method must be opened again before the next step, */
    bool forget;        /* without memory: the state was set */
};

/* Opens a simulation for a run whose options are a whole; the span is checked. */
int slip_simulation_open_run(slip_context *ctx, const slip_model *model, const slip_values *values,
                             const slip_run_options *options, slip_simulation **simulation);

/* Advances with an observer of one's own, and nothing else. */
int slip_simulation_observe(slip_simulation *s, double end, const slip_observer *observer);

/* ---- Between the files of the simulation. */

/* Binds and opens again, where parameters or the state have changed since the last step. */
int slip_simulation_make_ready(slip_simulation *s);

/* Checks what every call that has a context needs; `what` is the call's name. */
int slip_simulation_check(slip_context *ctx, const slip_simulation *s, const char *what, double time);

/* What the method has counted. */
void slip_simulation_counters(const slip_simulation *s, slip_method_counters *counters);

#endif
