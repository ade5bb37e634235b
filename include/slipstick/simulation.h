/* Slipstick: a simulation that is stepped by its caller. */
#ifndef SLIPSTICK_SIMULATION_H
#define SLIPSTICK_SIMULATION_H

#include "slipstick/base.h"
#include "slipstick/model.h"
#include "slipstick/run.h"

SLIP_BEGIN_C

/* What is NULL or NAN is taken from the model's `simulate` section, and when it is not there either from the
 * default that stands here. */
typedef struct slip_simulation_options {
    size_t size;                      /* of this struct; the default function sets it */
    const char *method;               /* default "event" */
    const char *segments;             /* of `event`: "auto" (default), "exact", "rk" */
    double start;                     /* time; default 0 */
    double tolerance;                 /* relative and absolute, of the adaptive methods; default 1e-8 */
    double step;                      /* of the fixed-step methods */
    double theta;                     /* of `moreau`, 0.5 (default) to 1 */
    slip_step_function step_observer; /* see every accepted step and every event */
    slip_event_function event_observer;
    void *observer_user;
    /* Of a model of two gears: their reduced bodies, which outlive the simulation. NULL (default): they are
     * reduced when it is opened, which takes a while for fine meshes. */
    const struct slip_reduced *bodies[2];
    int threads; /* of gears: of their reduction and of `explicit`; default 0: as many as there are processors
                  */
    const char *device; /* of gears by `explicit`: what takes the steps, as in slip_run_gears_options; default
                         * NULL: the processor */
} slip_simulation_options;
SLIP_OPTIONS_DEFAULT(slip_simulation_options)

typedef struct slip_simulation slip_simulation;

/* Opens a simulation at the model's initial state. `values` are the numbers of the parameters (a copy is
 * kept), NULL: those of the model; `options` NULL: the default. The model outlives the simulation and is not
 * changed, so that threads may share it; a simulation belongs to one thread at a time, and goes on with the
 * context that it was opened with. It is the caller's, for slip_simulation_close, which takes NULL. */
SLIP_API int slip_simulation_open(slip_context *ctx, const slip_model *model, const slip_values *values,
                                  const slip_simulation_options *options, slip_simulation **simulation);
SLIP_API void slip_simulation_close(slip_simulation *simulation);

/* Advances to a time, which is reached exactly; events in between are taken. SLIP_STOPPED: an observer asked
 * to stop, the simulation stands at the end of that step. */
SLIP_API int slip_simulation_advance(slip_context *ctx, slip_simulation *simulation, double time);

/* The same, but not beyond the instant at which `condition`, an expression of t, coordinates, velocities and
 * parameters such as "x - 1", passes zero: then the simulation stands there and the status is SLIP_STOPPED. A
 * condition that is zero at the start counts from when it has left zero. For gears: an expression of t, their
 * series and parameters, such as "force - 100", evaluated after every step. */
SLIP_API int slip_simulation_advance_until(slip_context *ctx, slip_simulation *simulation, double time,
                                           const char *condition);

/* Derivatives of the state at the end of an advance by the state, the time and the parameters at its start,
 * across all events. The state is `count` numbers: coordinates, their velocities, states. Arrays are the
 * caller's; what is NULL is not wanted. A contact that sticks at the start has no freedom there, and gaps
 * that are closed have none. Bounces that accumulate are summed up, and with them their derivatives. */
typedef struct slip_derivatives {
    size_t size;      /* of this struct; the default function sets it */
    double *by_state; /* count x count, row by row: row i has the derivatives of number i at the end; default
                         NULL */
    double *by_start; /* count: by the time of the start, the state there kept; default NULL */
    double *by_end;   /* count: by the time of the end, the rates of the state; default NULL */
    const char *const *parameters; /* names, a NULL ends the list; default NULL: none */
    double *by_parameter;          /* count x number of these, row by row; needed where there are some */
} slip_derivatives;
SLIP_OPTIONS_DEFAULT(slip_derivatives)

/* How many numbers the state has: 2 coordinates and states. */
SLIP_API int slip_simulation_state_size(const slip_simulation *simulation);

/* Advances like slip_simulation_advance, by method `event`, and finds the derivatives. Fails with
 * SLIP_ERROR_MODEL where there are none (another method, gears), and with SLIP_ERROR_SOLVER where one is not
 * finite: the motion grazes. Velocities of coordinates without mass are no part of the state: their
 * derivatives are zero. */
SLIP_API int slip_simulation_differentiate(slip_context *ctx, slip_simulation *simulation, double time,
                                           const slip_derivatives *derivatives);

/* ---- Looking. */

/* The time where it stands, in units of the model; NAN of NULL. */
SLIP_API double slip_simulation_time(const slip_simulation *simulation);
/* A number by the name of its series, as of slip_result_series: "x", "x'", "x''", "pad.force", "pad.mode",
 * a state "s" or "pad.z" ...; of gears as of slip_result_series: "pinion.angle", "force" ... NAN when there
 * is none. */
SLIP_API double slip_simulation_number(slip_simulation *simulation, const char *name);
/* The mode of a contact; SLIP_MODE_OPEN when there is no such contact. */
SLIP_API slip_mode slip_simulation_mode(slip_simulation *simulation, const char *contact);
/* Fills in coordinates and velocities, a number for each coordinate; either may be NULL. */
SLIP_API void slip_simulation_state(const slip_simulation *simulation, double *q, double *v);
/* Fills in the states, in the order of slip_model_state_name. */
SLIP_API void slip_simulation_states(const slip_simulation *simulation, double *states);

/* ---- Changing. */

/* Gives a parameter of the model another number from now on: loads, laws, belts and so on follow. Coordinates
 * and velocities stay as they are, and sticking contacts stay in stick if they can. Of gears in motion
 * torques follow; a parameter that changes anything else of them fails at the next advance. Messages are in
 * the context that the simulation was opened with. */
SLIP_API int slip_simulation_input(slip_simulation *simulation, const char *name, double value);

/* Puts the simulation at another time and state; NULL leaves q or v as they are. Not for gears. */
SLIP_API int slip_simulation_set_state(slip_context *ctx, slip_simulation *simulation, double time,
                                       const double *q, const double *v);
/* Gives the states other numbers, at the time where the simulation stands; all of them. */
SLIP_API int slip_simulation_set_states(slip_context *ctx, slip_simulation *simulation, const double *states);

/* Saves time, state, modes of the contacts and numbers of the parameters. Every continuation from a saved
 * state gives the same bits, those of the simulation that was saved. A state can be restored into any
 * simulation of the same model, as often as one likes, also after the one that it came from was closed. It is
 * the caller's, for slip_saved_state_destroy, which takes NULL. */
typedef struct slip_saved_state slip_saved_state;
SLIP_API int slip_simulation_save(slip_context *ctx, slip_simulation *simulation, slip_saved_state **state);
SLIP_API int slip_simulation_restore(slip_context *ctx, slip_simulation *simulation,
                                     const slip_saved_state *state);
SLIP_API void slip_saved_state_destroy(slip_saved_state *state);

SLIP_END_C

#endif
