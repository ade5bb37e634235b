/* What the model says at the data, and how that depends on the parameters. */
#include "study/fit/fit.h"

#include <math.h>

/* ---- Runs. */

/* Events of a run by kind, as they come. */
typedef struct listener {
    slip_fit_job *job;
    double *values;
    int64_t *seen; /* of each kind */
} listener;

static int hear(void *user, const slip_event *event)
{
    listener *l = user;
    const slip_fit_data *data = &l->job->data;
    for (int kind = 0; kind < data->series_count; kind++) {
        if (data->kinds[kind].contact != event->contact || data->kinds[kind].from != event->from ||
            data->kinds[kind].to != event->to)
            continue;
        for (int64_t k = 0; k < data->count; k++)
            if (data->points[k].series == kind && (int64_t)data->points[k].time == l->seen[kind])
                l->values[k] = event->time;
        l->seen[kind]++;
    }
    return 0;
}

static int open_run(slip_fit_job *job, slip_event_function observer, void *user, slip_simulation **s)
{
    slip_simulation_options options = slip_simulation_options_default();
    slip_values *values = NULL;
    int status;
    options.method = job->run.method;
    options.segments = job->run.segments;
    options.start = job->run.start;
    options.tolerance = job->run.tolerance;
    options.step = job->run.step;
    options.theta = job->run.theta;
    options.event_observer = observer;
    options.observer_user = user;
    if (job->run.values)
        SLIP_TRY(slip_values_copy(job->ctx, job->run.values, &values));
    else
        SLIP_TRY(slip_values_create(job->ctx, job->model, &values));
    for (int p = 0; p < job->count; p++)
        SLIP_TRY(slip_values_set(job->ctx, values, job->parameters[p].name, job->parameters[p].value));
    SLIP_TRY(slip_simulation_open(job->ctx, job->model, values, &options, s));
done:
    slip_values_destroy(values);
    return status;
}

/* Points of one time after the other; times before the start are refused. */
static int advance_to(slip_fit_job *job, slip_simulation *s, double time)
{
    if (time < slip_simulation_time(s))
        return slip_fail(job->ctx, SLIP_ERROR_USAGE,
                         "fit: the data begin at t = %.9g, before the run does, at %.9g; expected a start of "
                         "`simulate.time` that is not later",
                         time, slip_simulation_time(s));
    return slip_simulation_advance(job->ctx, s, time);
}

static int evaluate_series(slip_fit_job *job, double *values)
{
    const slip_fit_data *data = &job->data;
    slip_simulation *s = NULL;
    int status;
    SLIP_TRY(open_run(job, NULL, NULL, &s));
    for (int64_t k = 0; k < data->count; k++) {
        SLIP_TRY(advance_to(job, s, data->points[k].time));
        values[k] = slip_simulation_number(s, data->series[data->points[k].series]);
    }
done:
    slip_simulation_close(s);
    return status;
}

/* A little beyond the last time: events of the model may be later. */
static int evaluate_events(slip_fit_job *job, double *values)
{
    const slip_fit_data *data = &job->data;
    slip_arena arena = {0};
    listener l = {job, values, slip_arena_array(&arena, data->series_count + 1, sizeof *l.seen)};
    slip_simulation *s = NULL;
    int status;
    SLIP_TRY(slip_allocated(job->ctx, l.seen));
    for (int64_t k = 0; k < data->count; k++)
        values[k] = NAN;
    SLIP_TRY(open_run(job, hear, &l, &s));
    const double start = slip_simulation_time(s);
    SLIP_TRY(advance_to(job, s, data->end + 0.1 * fabs(data->end - start)));
    for (int64_t k = 0; k < data->count; k++)
        if (isnan(values[k])) {
            const slip_fit_kind *kind = &data->kinds[data->points[k].series];
            status = slip_fail(
                job->ctx, SLIP_ERROR_SOLVER,
                "fit: the model has %lld events of contact `%s` from %s to %s, the data have more; start "
                "from parameters with which it has all of them",
                (long long)l.seen[data->points[k].series], slip_model_contact_name(job->model, kind->contact),
                slip_mode_name(kind->from), slip_mode_name(kind->to));
            break;
        }
done:
    slip_simulation_close(s);
    slip_arena_free(&arena);
    return status;
}

int slip_fit_evaluate(slip_fit_job *job, double *values)
{
    return job->data.events ? evaluate_events(job, values) : evaluate_series(job, values);
}

/* ---- Derivatives. */

/* The place of a series in the state of a simulation: coordinates, velocities, states; else -1. */
static int place_of(const slip_model *model, const char *name)
{
    const int n = slip_model_coordinate_count(model);
    for (int i = 0; i < n; i++) {
        const char *own = slip_model_coordinate_name(model, i);
        const size_t length = strlen(own);
        if (strncmp(name, own, length) == 0 && (!name[length] || strcmp(name + length, "'") == 0))
            return name[length] ? n + i : i;
    }
    for (int k = 0; k < slip_model_state_count(model); k++)
        if (strcmp(name, slip_model_state_name(model, k)) == 0)
            return 2 * n + k;
    return -1;
}

typedef struct collector {
    const slip_fit_job *job;
    double *jacobian;
    const int *place; /* of each series */
} collector;

static int collect(void *user, int64_t k, const double *by_parameter)
{
    const collector *c = user;
    const int width = c->job->count, series = c->job->data.points[k].series;
    memcpy(c->jacobian + k * width, by_parameter + c->place[series] * width, (size_t)width * sizeof(double));
    return SLIP_OK;
}

/* Across events. Fails where there are no such derivatives. */
static int differentiate_motion(slip_fit_job *job, double *jacobian)
{
    const slip_fit_data *data = &job->data;
    slip_arena arena = {0};
    int *place = slip_arena_array(&arena, data->series_count + 1, sizeof *place);
    double *times = slip_arena_array(&arena, data->count + 1, sizeof *times);
    collector c = {job, jacobian, place};
    slip_simulation *s = NULL;
    int status;
    SLIP_TRY(slip_allocated(job->ctx, place && times));
    for (int k = 0; k < data->series_count; k++)
        place[k] = place_of(job->model, data->series[k]);
    for (int64_t k = 0; k < data->count; k++)
        times[k] = data->points[k].time;
    SLIP_TRY(open_run(job, NULL, NULL, &s));
    SLIP_TRY(slip_simulation_sensitivities(job->ctx, s, job->names, data->count, times, collect, &c));
done:
    slip_simulation_close(s);
    slip_arena_free(&arena);
    return status;
}

/* Differences of the second order, of whole runs; at a bound to one side. */
static int differentiate_runs(slip_fit_job *job, double *jacobian)
{
    const int64_t count = job->data.count;
    slip_arena arena = {0};
    double *low = slip_arena_array(&arena, 2 * count + 1, sizeof *low), *high = low + count;
    int status;
    SLIP_TRY(slip_allocated(job->ctx, low));
    for (int p = 0; p < job->count; p++) {
        slip_fit_parameter *own = &job->parameters[p];
        const double value = own->value, step = 1e-4 * (value != 0 ? fabs(value) : 1);
        const double below = fmax(value - step, own->low), above = fmin(value + step, own->high);
        own->value = below;
        status = slip_fit_evaluate(job, low);
        own->value = above;
        if (status >= 0)
            status = slip_fit_evaluate(job, high);
        own->value = value;
        SLIP_TRY(status);
        for (int64_t k = 0; k < count; k++)
            jacobian[k * job->count + p] = (high[k] - low[k]) / (above - below);
    }
done:
    slip_arena_free(&arena);
    return status;
}

/* All series are numbers of the state, and the method is the one that has derivatives. */
static bool has_derivatives(const slip_fit_job *job)
{
    for (int k = 0; k < job->data.series_count && !job->data.events; k++)
        if (place_of(job->model, job->data.series[k]) < 0)
            return false;
    return !job->data.events && (!job->run.method || strcmp(job->run.method, "event") == 0);
}

int slip_fit_differentiate(slip_fit_job *job, double *jacobian)
{
    job->exact = has_derivatives(job) && differentiate_motion(job, jacobian) >= 0;
    if (job->exact)
        return SLIP_OK;
    slip_context_clear(job->ctx);
    return differentiate_runs(job, jacobian);
}
