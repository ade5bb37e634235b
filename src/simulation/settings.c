/* The settings of a run: the caller's options, else those of `simulate` in the model, else defaults. */
#include "simulation/simulation.h"
#include "system/structure/structure.h"

#include <math.h>
#include <string.h>

static double first_of(double a, double b, double fallback)
{
    return !isnan(a) ? a : !isnan(b) ? b : fallback;
}

/* The caller's choice of what to record, or else the model's; the default is 2001 points. */
static void choose_record(const slip_run_options *from, slip_run_options *to)
{
    to->record_every = from->record_every;
    to->record_points = from->record_points > 0 ? from->record_points : -1;
    to->record_steps = from->record_steps > 0 ? 1 : -1;
}

static bool has_record(const slip_run_options *options)
{
    return !isnan(options->record_every) || options->record_points > 0 || options->record_steps > 0;
}

static void merge(const slip_system *system, const slip_run_options *given, const slip_run_options *model,
                  slip_run_options *to)
{
    *to = slip_run_options_default();
    to->method = given->method ? given->method : model->method ? model->method : slip_method_default(system);
    to->segments = given->segments ? given->segments : model->segments ? model->segments : "auto";
    to->start = first_of(given->start, model->start, 0);
    to->end = first_of(given->end, model->end, NAN);
    to->step = first_of(given->step, model->step, NAN);
    to->theta = first_of(given->theta, model->theta, 0.5);
    choose_record(has_record(given) ? given : model, to);
    if (!has_record(to))
        to->record_points = 2001;
    to->record_from = first_of(given->record_from, model->record_from, to->start);
    to->record_events = given->record_events >= 0   ? given->record_events
                        : model->record_events >= 0 ? model->record_events
                                                    : 1;
    to->steady_period = first_of(given->steady_period, model->steady_period, NAN);
    to->steady_tolerance = first_of(given->steady_tolerance, model->steady_tolerance, 1e-8);
    to->tolerance =
        first_of(given->tolerance, model->tolerance,
                 slip_method_default_tolerance(system, to->method, to->steady_period, to->steady_tolerance));
    to->steady_within = given->steady_within > 0   ? given->steady_within
                        : model->steady_within > 0 ? model->steady_within
                                                   : 200;
    to->step_observer = given->step_observer;
    to->event_observer = given->event_observer;
    to->observer_user = given->observer_user;
}

static const double most_records = 1e8;

static double count_records(const slip_settings *settings)
{
    const slip_run_options *v = &settings->values;
    double span =
        settings->steady && isfinite(v->steady_period) ? 32 * v->steady_period : v->end - v->record_from;
    return isnan(v->record_every) ? (double)v->record_points : span / v->record_every;
}

int slip_settings_unknown_method(slip_context *ctx, const char *name)
{
    const char *names[32] = {0}, *nearest;
    for (int k = 0; k < slip_method_count() && k < 31; k++)
        names[k] = slip_method_at(k)->name;
    nearest = slip_text_nearest(name, names);
    return slip_fail(ctx, SLIP_ERROR_USAGE, "unknown method `%s`; %s `%s`%s", name,
                     nearest ? "did you mean" : "expected for example", nearest ? nearest : names[0],
                     nearest ? "?" : "");
}

int slip_settings_check_span(slip_context *ctx, const slip_settings *settings)
{
    const slip_run_options *v = &settings->values;
    if (!isfinite(v->start))
        return slip_fail(ctx, SLIP_ERROR_USAGE, "the start time is %g; expected a finite number", v->start);
    if (settings->steady && v->steady_period == INFINITY) {
        if (strcmp(settings->method->info.name, "event") != 0)
            return slip_fail(ctx, SLIP_ERROR_USAGE,
                             "simulate.steady: a period of its own is found by method `event`, not by `%s`",
                             v->method);
        return v->end > v->start && isfinite(v->end)
                   ? SLIP_OK
                   : slip_fail(ctx, SLIP_ERROR_MODEL,
                               "simulate.steady: a period of its own is found at the end of a run; expected "
                               "`simulate.time: "
                               "[start, end]`");
    }
    if (settings->steady)
        return isfinite(v->steady_period) && v->steady_period > 0
                   ? SLIP_OK
                   : slip_fail(ctx, SLIP_ERROR_USAGE, "the steady period is %g; expected a positive number",
                               v->steady_period);
    if (isnan(v->end))
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "the model says neither how long to run nor what is steady; expected `simulate.time: [start, "
            "end]` or `simulate.steady: {period: ...}`");
    if (!isfinite(v->end) || v->end <= v->start)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "the end time is %g; expected a number above the start time %g", v->end, v->start);
    if (!(v->record_from <= v->end))
        return slip_fail(ctx, SLIP_ERROR_USAGE, "record.from is %g; expected a time before the end, %g",
                         v->record_from, v->end);
    return SLIP_OK;
}

/* Fails because the structure of the model cannot be moved by this method. */
static int refuse_method(slip_context *ctx, const slip_system *system, const char *name)
{
    const slip_method_type *const *list = system->structure->methods;
    SLIP_FREED_BY(slip_text_free) slip_text names = {0};
    for (int k = 0; list[k]; k++)
        slip_text_printf(&names, "%s%s", k == 0 ? "" : list[k + 1] ? ", " : " or ", list[k]->info.name);
    const int status =
        names.failed ? slip_fail_memory(ctx)
                     : slip_fail(ctx, SLIP_ERROR_MODEL, "found method %s, expected %s", name, names.data);
    return status;
}

/* Checks settings that only methods for gears use; those of two gears were checked by the reader. */
static int check_gears(slip_context *ctx, const slip_model *model, const slip_method_type *method)
{
    const slip_gear_run_options *o = &model->gear_run;
    if (slip_model_gear_run(model))
        return SLIP_OK;
    if (o->history && !method->keep)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "simulate.history: found with method %s, expected exponential or explicit: other "
                         "methods record the amplitudes of gears as coordinates",
                         method->info.name);
    if (o->hourglass > 0 && strcmp(method->info.name, "explicit") != 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "simulate.hourglass: found %g with method %s, expected explicit: only it has bricks "
                         "in motion",
                         o->hourglass, method->info.name);
    return SLIP_OK;
}

int slip_settings_resolve(slip_context *ctx, const slip_model *model, const slip_run_options *options,
                          slip_settings *settings)
{
    slip_run_options *v = &settings->values;
    merge(model->system, options, &model->simulate, v);
    if (slip_model_gear_run(model) && !options->method)
        v->method = slip_model_gear_method(model);
    settings->steady = !isnan(v->steady_period);
    settings->method = slip_method_for(model->system, v->method);
    if (!settings->method)
        return slip_method_find(v->method) ? refuse_method(ctx, model->system, v->method)
                                           : slip_settings_unknown_method(ctx, v->method);
    if (!(v->tolerance >= 1e-14 && v->tolerance <= 0.1))
        return slip_fail(ctx, SLIP_ERROR_USAGE, "tolerance is %g; expected a number from 1e-14 to 0.1",
                         v->tolerance);
    if (settings->method->info.fixed_step && !(v->step > 0 && isfinite(v->step)))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "method `%s` has fixed steps; expected `simulate.step`, a positive "
                         "number",
                         v->method);
    if (!(v->theta >= 0.5 && v->theta <= 1))
        return slip_fail(ctx, SLIP_ERROR_USAGE, "theta is %g; expected a number from 0.5 to 1", v->theta);
    if (!isnan(v->record_every) && !(v->record_every > 0 && isfinite(v->record_every)))
        return slip_fail(ctx, SLIP_ERROR_USAGE, "record.every is %g; expected a positive number",
                         v->record_every);
    if (settings->steady && options && !isnan(options->record_from))
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "record.from is %g, beside a steady motion, of which the last periods are recorded; "
                         "expected one of them",
                         options->record_from);
    if (count_records(settings) > most_records)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "simulate.record asks for %.3g records, expected at most %g: a larger `every`, fewer "
            "`points`, or a later `from`",
            count_records(settings), most_records);
    if ((!isnan(v->record_every)) + (v->record_points > 0) + (v->record_steps > 0) > 1)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "record has more than one of every, points, steps; expected one");
    return check_gears(ctx, model, settings->method);
}
