/* Slipstick: running a model. */
#ifndef SLIPSTICK_RUN_H
#define SLIPSTICK_RUN_H

#include "slipstick/base.h"
#include "slipstick/model.h"
#include "slipstick/result.h"

SLIP_BEGIN_C

/* A method, for lists and help texts. */
typedef struct slip_method_info {
    const char *name;
    const char *summary;
    int fixed_step; /* not zero: needs `step` */
    int gears;      /* not zero: moves the gears of the sections `gears` and `flanks`, and nothing else */
} slip_method_info;
/* The methods, from 0; static. NULL for a number that is out of range. */
SLIP_API int slip_method_count(void);
SLIP_API const slip_method_info *slip_method_at(int index);

/* Sees every accepted step and every event; returns 0 to go on, 1 to stop the run and keep what there is. q
 * and v have one number for each coordinate; behind the velocities v has the states, in the order of
 * slip_model_state_name. */
typedef int (*slip_step_function)(void *user, double t, const double *q, const double *v);
typedef int (*slip_event_function)(void *user, const slip_event *event);

/* What is NULL, NAN or negative is taken from the model's `simulate` section, and when it is not there either
 * from the default that stands here. With gears only method, end, tolerance, step and gears may be given. */
typedef struct slip_run_options {
    size_t size;          /* of this struct; the default function sets it */
    const char *method;   /* default "event" */
    const char *segments; /* of `event`: "auto" (default), "exact", "rk" */
    double start, end;    /* time span; default start 0, end must be given unless steady_period is */
    double tolerance;     /* relative and absolute, of the adaptive methods; default 1e-8, and not more than
                           * 0.01 steady_tolerance where there is a steady_period */
    double step;          /* of the fixed-step methods */
    double theta;         /* of `moreau`, 0.5 (default) to 1: 0.5 keeps the energy, 1 damps most */

    double record_every;   /* time between records */
    int64_t record_points; /* or this many records, both ends included; default 2001 */
    int record_steps;      /* or not zero: every accepted step */
    double record_from;    /* nothing is recorded before this time; default: start */

    double steady_period; /* not NAN: run period by period until the motion repeats. INFINITY: it has a period
                           * of its own, which is found (slipstick/orbit.h) where the run of start and end has
                           * come to; by `event` */
    double steady_tolerance; /* largest relative error of that motion; default 1e-8 */
    int64_t steady_within;   /* give up after this many periods; default 200 */

    slip_step_function step_observer;
    slip_event_function event_observer;
    void *observer_user;

    int record_events; /* not zero (default): the states before and after each event are recorded too */

    const struct slip_run_gears_options *gears; /* slipstick/gear_run.h; default NULL: their default */

    const slip_values *values; /* numbers of the parameters; default NULL: those of the model */
    /* The state at the start in place of the model's: a number for each coordinate; of start_v the states
     * stand behind the velocities. NAN: as the model says. Default NULL: all as the model says. Not for
     * gears. */
    const double *start_q, *start_v;
    /* Contacts that stick (SLIP_MODE_STICK) or are closed (SLIP_MODE_CLOSED) at the start, as another run has
     * left them: a mode for each contact, any other one is found. Default NULL: all are found, and where
     * there is no belt what sticks has to have a slip velocity of zero, to the last bit. */
    const slip_mode *start_modes;
} slip_run_options;
SLIP_OPTIONS_DEFAULT(slip_run_options)

/* Runs the model. On SLIP_OK, SLIP_STOPPED, SLIP_INTERRUPTED and SLIP_ERROR_SOLVER there is a result (with
 * what was computed until then), for slip_result_destroy; otherwise *result is NULL. `options` NULL: all as
 * the model says. Times are in units of the model. */
SLIP_API int slip_run(slip_context *ctx, const slip_model *model, const slip_run_options *options,
                      slip_result **result);

/* Checks whether slip_run would start: SLIP_OK, or the error for a method that does not take a contact, an
 * impossible initial state and so on. SLIP_OK where neither model nor options say how long to run; bodies of
 * gears are not made and not checked. */
SLIP_API int slip_run_check(slip_context *ctx, const slip_model *model, const slip_run_options *options);

/* By how much the records of a run violate the contact laws: the largest residual over all of them
 * (docs/contacts.md), 0 when there are none. `model` is that of the run. */
SLIP_API int slip_run_residual(slip_context *ctx, const slip_model *model, const slip_result *result,
                               double *residual);

/* The run of a model by one of several methods. Valid during the call of the function that gets it. */
typedef struct slip_compare_row {
    const char *method;
    int status;               /* of its slip_run */
    const char *message;      /* why it did not run to the end; "" when it did */
    int64_t steps;            /* these are -1 when there is no result at all */
    int64_t evaluations;      /* of the equation of motion */
    int64_t events;           /* changes of contact modes */
    double wall_seconds;      /* NAN when there is no result */
    double residual;          /* of the contact laws, the largest over all records: see docs/contacts.md */
    const double *difference; /* largest |.| to the first method over the records of both, one number for each
                               * coordinate; NAN when there are none */
    const slip_result *result; /* NULL when there is none */
} slip_compare_row;
/* Sees a row; returns 0 to go on, 1 to stop. */
typedef int (*slip_compare_function)(void *user, const slip_compare_row *row);

/* Runs the model by each of the methods (NULL ends the list), with the same record times; `function` is
 * called after each. `options` are those of slip_run (its method is not looked at, events are not recorded,
 * and where every step would be recorded, 2001 points are); NULL is the default. When a method fails the
 * others run all the same, and the status is SLIP_ERROR_SOLVER (SLIP_ERROR_MODEL when none of them could even
 * start). */
SLIP_API int slip_compare(slip_context *ctx, const slip_model *model, const char *const *methods,
                          const slip_run_options *options, slip_compare_function function, void *user);

SLIP_END_C

#endif
