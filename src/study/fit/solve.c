/* The method of Levenberg and Marquardt within bounds. */
#include "math/dense.h"

#include "study/fit/fit.h"

#include <float.h>
#include <math.h>

/* ---- Values of the model at the data, from runs. */

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
    SLIP_FREED_BY(slip_values_drop) slip_values *values = NULL;
    options.method = job->run.method;
    options.segments = job->run.segments;
    options.start = job->run.start;
    options.tolerance = job->run.tolerance;
    options.step = job->run.step;
    options.theta = job->run.theta;
    options.event_observer = observer;
    options.observer_user = user;
    if (job->run.values)
        SLIP_PASS(slip_values_copy(job->ctx, job->run.values, &values));
    else
        SLIP_PASS(slip_values_create(job->ctx, job->model, &values));
    for (int p = 0; p < job->count; p++)
        SLIP_PASS(slip_values_set(job->ctx, values, job->parameters[p].name, job->parameters[p].value));
    return slip_simulation_open(job->ctx, job->model, values, &options, s);
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
    SLIP_FREED_BY(slip_simulation_drop) slip_simulation *s = NULL;
    SLIP_PASS(open_run(job, NULL, NULL, &s));
    for (int64_t k = 0; k < data->count; k++) {
        SLIP_PASS(advance_to(job, s, data->points[k].time));
        values[k] = slip_simulation_number(s, data->series[data->points[k].series]);
    }
    return SLIP_OK;
}

/* Runs to a little after the last measured time, since events of the model may be late. */
static int evaluate_events(slip_fit_job *job, double *values)
{
    const slip_fit_data *data = &job->data;
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    listener l = {job, values, slip_arena_array(&arena, data->series_count + 1, sizeof *l.seen)};
    SLIP_FREED_BY(slip_simulation_drop) slip_simulation *s = NULL;
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(job->ctx, l.seen));
    for (int64_t k = 0; k < data->count; k++)
        values[k] = NAN;
    SLIP_PASS(open_run(job, hear, &l, &s));
    const double start = slip_simulation_time(s);
    SLIP_PASS(status = advance_to(job, s, data->end + 0.1 * fabs(data->end - start)));
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
    return status;
}

/* Values of the model at all points of the data, with the present parameters. Fails where the run does. */
static int evaluate(slip_fit_job *job, double *values)
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

/* Derivatives of the motion across its events. Fails where the motion has none. */
static int differentiate_motion(slip_fit_job *job, double *jacobian)
{
    const slip_fit_data *data = &job->data;
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    int *place = slip_arena_array(&arena, data->series_count + 1, sizeof *place);
    double *times = slip_arena_array(&arena, data->count + 1, sizeof *times);
    collector c = {job, jacobian, place};
    SLIP_FREED_BY(slip_simulation_drop) slip_simulation *s = NULL;
    SLIP_PASS(slip_allocated(job->ctx, place && times));
    for (int k = 0; k < data->series_count; k++)
        place[k] = place_of(job->model, data->series[k]);
    for (int64_t k = 0; k < data->count; k++)
        times[k] = data->points[k].time;
    SLIP_PASS(open_run(job, NULL, NULL, &s));
    return slip_simulation_sensitivities(job->ctx, s, job->names, data->count, times, collect, &c);
}

/* Differences of the second order, of whole runs; at a bound to one side. */
static int differentiate_runs(slip_fit_job *job, double *jacobian)
{
    const int64_t count = job->data.count;
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    double *low = slip_arena_array(&arena, 2 * count + 1, sizeof *low), *high = low + count;
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(job->ctx, low));
    for (int p = 0; p < job->count; p++) {
        slip_fit_parameter *own = &job->parameters[p];
        const double value = own->value, step = 1e-4 * (value != 0 ? fabs(value) : 1);
        const double below = fmax(value - step, own->low), above = fmin(value + step, own->high);
        own->value = below;
        status = evaluate(job, low);
        own->value = above;
        if (status >= 0)
            status = evaluate(job, high);
        own->value = value;
        SLIP_PASS(status);
        for (int64_t k = 0; k < count; k++)
            jacobian[k * job->count + p] = (high[k] - low[k]) / (above - below);
    }
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

/* Its derivatives there by the parameters, at each point one after the other. */
static int differentiate(slip_fit_job *job, double *jacobian)
{
    const int status = has_derivatives(job) ? differentiate_motion(job, jacobian) : SLIP_ERROR_MODEL;
    job->exact = status >= 0;
    if (job->exact || status == SLIP_ERROR_MEMORY)
        return status;
    slip_context_clear(job->ctx);
    return differentiate_runs(job, jacobian);
}

typedef struct solver {
    slip_fit_job *job;
    int n; /* parameters */
    double *residual, *trial;
    double *normal;   /* J^T J */
    double *gradient; /* J^T r */
    double *matrix, *step, *before;
    bool *held; /* at a bound, with a gradient that points beyond it */
} solver;

/* Residuals in units of the noise; their sum of squares. */
static double weigh(const solver *s, const double *values, double *residual)
{
    const slip_fit_data *data = &s->job->data;
    double sum = 0;
    for (int64_t k = 0; k < data->count; k++) {
        residual[k] = (values[k] - data->points[k].value) / s->job->noise[data->points[k].series];
        sum += residual[k] * residual[k];
    }
    return sum;
}

static void form(solver *s)
{
    const slip_fit_data *data = &s->job->data;
    const int n = s->n;
    memset(s->normal, 0, (size_t)(n * n) * sizeof(double));
    memset(s->gradient, 0, (size_t)n * sizeof(double));
    for (int64_t k = 0; k < data->count; k++) {
        const double *row = s->job->jacobian + k * n, weight = 1 / s->job->noise[data->points[k].series];
        for (int i = 0; i < n; i++) {
            s->gradient[i] += weight * row[i] * s->residual[k];
            for (int j = 0; j < n; j++)
                s->normal[i * n + j] += weight * weight * row[i] * row[j];
        }
    }
    for (int i = 0; i < n; i++) {
        const slip_fit_parameter *p = &s->job->parameters[i];
        s->held[i] =
            (p->value <= p->low && s->gradient[i] > 0) || (p->value >= p->high && s->gradient[i] < 0);
    }
}

/* Finds the step for this lambda; false where a parameter has no effect. */
static bool find_step(solver *s, double lambda)
{
    const int n = s->n;
    for (int i = 0; i < n; i++) {
        s->step[i] = s->held[i] ? 0 : -s->gradient[i];
        for (int j = 0; j < n; j++)
            s->matrix[i * n + j] =
                s->held[i] || s->held[j] ? i == j : s->normal[i * n + j] * (i == j ? 1 + lambda : 1);
    }
    return slip_dense_solve(n, s->matrix, s->step);
}

/* By how much the step lessens the sum of squares where the model is linear: -2 g.s - s.N s. */
static double find_gain(const solver *s)
{
    double gain = 0;
    for (int i = 0; i < s->n; i++) {
        gain -= 2 * s->gradient[i] * s->step[i];
        for (int j = 0; j < s->n; j++)
            gain -= s->step[i] * s->normal[i * s->n + j] * s->step[j];
    }
    return gain;
}

/* Changes the parameters; returns the largest relative change. */
static double move(solver *s)
{
    double largest = 0;
    for (int i = 0; i < s->n; i++) {
        slip_fit_parameter *p = &s->job->parameters[i];
        s->before[i] = p->value;
        p->value = fmin(fmax(p->value + s->step[i], p->low), p->high);
        largest =
            fmax(largest, fabs(p->value - s->before[i]) / (fabs(p->value) + fabs(s->before[i]) + DBL_MIN));
    }
    return largest;
}

static void move_back(solver *s)
{
    for (int i = 0; i < s->n; i++)
        s->job->parameters[i].value = s->before[i];
}

static int report(slip_fit_job *job, double sum)
{
    const slip_progress progress = {.what = "fit", .fraction = -1, .time = sum, .steps = job->iterations};
    if (slip_progress_due(job->ctx))
        slip_progress_report(job->ctx, &progress);
    return slip_interrupt_check(job->ctx);
}

/* From where values and derivatives are known, until the parameters no longer change or the sum of squares
 * changes by less than this share of it. */
static int descend(solver *s, double share)
{
    slip_fit_job *job = s->job;
    double lambda = 1e-3, sum = weigh(s, job->model_values, s->residual);
    job->converged = false;
    while (job->iterations < job->options.iterations && !job->converged) {
        double change = 0, after = INFINITY;
        form(s);
        job->iterations++;
        SLIP_PASS(report(job, sum));
        for (; lambda < 1e12 && !(after <= sum); lambda *= 8) {
            if (!find_step(s, lambda))
                continue;
            if (!(find_gain(s) > share * sum)) /* less than the errors of runs */
                break;
            change = move(s);
            after = evaluate(job, s->trial) >= 0 ? weigh(s, s->trial, s->residual) : INFINITY;
            SLIP_PASS(slip_interrupt_check(job->ctx));
            if (!(after <= sum))
                move_back(s);
        }
        slip_context_clear(job->ctx);
        job->converged = !(after <= sum) || change <= 1e-9 || sum - after <= share * after;
        if (!(after <= sum)) /* no step is better: this is the least */
            break;
        lambda = fmax(lambda / 160, 1e-12);
        memcpy(job->model_values, s->trial, (size_t)job->data.count * sizeof(double));
        SLIP_PASS(differentiate(job, job->jacobian));
        sum = after;
    }
    weigh(s, job->model_values, s->residual);
    form(s);
    return SLIP_OK;
}

/* The noise of each series is the root mean square of its residuals, with its share of the parameters taken
 * off the degrees of freedom. */
static double find_noise(solver *s)
{
    slip_fit_job *job = s->job;
    const slip_fit_data *data = &job->data;
    double largest = 0;
    const double share = 1 - (double)s->n / (double)data->count;
    for (int series = 0; series < data->series_count; series++) {
        double sum = 0, size = 0;
        int64_t count = 0;
        for (int64_t k = 0; k < data->count; k++)
            if (data->events || data->points[k].series == series) {
                const double off = job->model_values[k] - data->points[k].value;
                sum += off * off;
                size = fmax(size, fabs(data->points[k].value));
                count++;
            }
        /* data that the model meets exactly have no noise to weigh them by */
        const double noise = fmax(sqrt(sum / ((double)count * share)), 1e-12 * size + DBL_MIN);
        largest = fmax(largest, fabs(log(noise / job->noise[series])));
        job->noise[series] = noise;
    }
    return largest;
}

/* Standard deviations; of a parameter that is held at a bound, or that nothing depends on, none. */
static void find_errors(solver *s)
{
    const int n = s->n;
    for (int p = 0; p < n; p++) {
        for (int i = 0; i < n; i++) {
            s->step[i] = i == p;
            for (int j = 0; j < n; j++)
                s->matrix[i * n + j] = s->held[i] || s->held[j] ? i == j : s->normal[i * n + j];
        }
        const bool found = !s->held[p] && slip_dense_solve(n, s->matrix, s->step) && s->step[p] > 0;
        s->job->parameters[p].error = found ? sqrt(s->step[p]) : NAN;
    }
}

/* The first weights, before residuals are known: the standard deviation of each series. */
static void guess_noise(slip_fit_job *job)
{
    const slip_fit_data *data = &job->data;
    for (int series = 0; series < data->series_count; series++) {
        double sum = 0, square = 0, count = 0;
        for (int64_t k = 0; k < data->count; k++)
            if (data->events || data->points[k].series == series) {
                sum += data->points[k].value;
                square += data->points[k].value * data->points[k].value;
                count++;
            }
        const double spread = square / count - sum / count * (sum / count);
        job->noise[series] = spread > 1e-24 * square / count ? sqrt(spread) : 1;
    }
}

int slip_fit_solve(slip_fit_job *job)
{
    enum { rounds = 6 };
    const int n = job->count;
    const int64_t count = job->data.count;
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    solver s = {.job = job, .n = n, .held = slip_arena_array(&arena, n, sizeof *s.held)};
    s.residual = slip_arena_array(&arena, 2 * count + 2 * (int64_t)n * n + 3 * n + 1, sizeof *s.residual);
    SLIP_PASS(slip_allocated(job->ctx, s.residual && s.held));
    s.trial = s.residual + count;
    s.normal = s.trial + count;
    s.matrix = s.normal + n * n;
    s.gradient = s.matrix + n * n;
    s.step = s.gradient + n;
    s.before = s.step + n;
    guess_noise(job);
    SLIP_PASS(evaluate(job, job->model_values));
    SLIP_PASS(differentiate(job, job->jacobian));
    for (int round = 0; round < rounds; round++) {
        SLIP_PASS(descend(&s, round == 0 ? 1e-3 : 1e-8)); /* the first by weights that are guesses */
        if (find_noise(&s) < 0.01)
            break;
    }
    job->rms = sqrt(weigh(&s, job->model_values, s.residual) / (double)count);
    form(&s);
    find_errors(&s);
    return SLIP_OK;
}
