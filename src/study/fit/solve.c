/* The method of Levenberg and Marquardt within bounds. */
#include "math/dense.h"
#include "study/fit/fit.h"

#include <float.h>
#include <math.h>

typedef struct solver {
    slip_fit_job *job;
    int n; /* parameters */
    double *residual, *trial;
    double *normal;   /* J^T J */
    double *gradient; /* J^T r */
    double *matrix, *step, *before;
    bool *held; /* at a bound, and drawn beyond it */
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

/* The step for this lambda; false where a parameter moves nothing. */
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

/* Moves the parameters; the largest change, relative. */
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
            if (!(find_gain(s) > share * sum)) /* less than runs can tell apart */
                break;
            change = move(s);
            after = slip_fit_evaluate(job, s->trial) >= 0 ? weigh(s, s->trial, s->residual) : INFINITY;
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
        SLIP_PASS(slip_fit_differentiate(job, job->jacobian));
        sum = after;
    }
    weigh(s, job->model_values, s->residual);
    form(s);
    return SLIP_OK;
}

/* What is left in each series is its noise; each pays for its share of the parameters. */
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

/* Series are weighed by how far they are from their mean until it is known what is left in them. */
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
    slip_arena arena = {0};
    solver s = {.job = job, .n = n, .held = slip_arena_array(&arena, n, sizeof *s.held)};
    int status;
    s.residual = slip_arena_array(&arena, 2 * count + 2 * (int64_t)n * n + 3 * n + 1, sizeof *s.residual);
    SLIP_TRY(slip_allocated(job->ctx, s.residual && s.held));
    s.trial = s.residual + count;
    s.normal = s.trial + count;
    s.matrix = s.normal + n * n;
    s.gradient = s.matrix + n * n;
    s.step = s.gradient + n;
    s.before = s.step + n;
    guess_noise(job);
    SLIP_TRY(slip_fit_evaluate(job, job->model_values));
    SLIP_TRY(slip_fit_differentiate(job, job->jacobian));
    for (int round = 0; round < rounds; round++) {
        SLIP_TRY(descend(&s, round == 0 ? 1e-3 : 1e-8)); /* the first by weights that are guesses */
        if (find_noise(&s) < 0.01)
            break;
    }
    job->rms = sqrt(weigh(&s, job->model_values, s.residual) / (double)count);
    form(&s);
    find_errors(&s);
done:
    slip_arena_free(&arena);
    return status;
}
