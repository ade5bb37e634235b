#include "study/spectrum.h"

#include "math/vector.h"

#include <math.h>
#include <stdlib.h>

int slip_spectrum_open(slip_context *ctx, int n, slip_spectrum *s)
{
    *s = (slip_spectrum){.n = n};
    s->basis = s->numbers = slip_alloc(3 * (int64_t)n * n + 1, sizeof *s->numbers);
    s->lost = slip_alloc(n + 1, sizeof *s->lost);
    SLIP_PASS(slip_allocated(ctx, s->numbers && s->lost));
    s->next = s->basis + (ptrdiff_t)n * n;
    s->derivative = s->next + (ptrdiff_t)n * n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            s->basis[j * n + i] = (i == j ? 1 : 0) + 0.5 * cos(1 + 2.399963229728653 * (i * n + j) * (i + 1));
    return SLIP_OK;
}

void slip_spectrum_close(slip_spectrum *s)
{
    free(s->numbers);
    free(s->logs);
    free(s->lost);
}

void slip_spectrum_restart(slip_spectrum *s)
{
    s->count = s->skipped = 0;
    for (int i = 0; i < s->n; i++)
        s->lost[i] = false;
}

/* ---- Bases. */

static double norm(int n, const double *x)
{
    double sum = slip_dot(n, x, x);
    return sqrt(sum);
}

/* Takes the directions of the first j columns from column j, twice: rounding of the first time too. Returns
 * what is left. */
static double clear_column(int n, double *columns, int j)
{
    double *x = columns + (ptrdiff_t)j * n;
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < j; k++) {
            const double *y = columns + (ptrdiff_t)k * n;
            double sum = slip_dot(n, x, y);
            for (int i = 0; i < n; i++)
                x[i] -= sum * y[i];
        }
    return norm(n, x);
}

/* A direction orthogonal to the first j columns. */
static void fill_column(int n, double *columns, int j)
{
    double *x = columns + (ptrdiff_t)j * n, size = 0;
    for (int k = 0; k < n && !(size > 0.5 / sqrt(n)); k++) {
        for (int i = 0; i < n; i++)
            x[i] = i == k;
        size = clear_column(n, columns, j);
    }
    for (int i = 0; i < n; i++)
        x[i] /= size;
}

/* ---- Following. */

int slip_spectrum_take(slip_context *ctx, slip_spectrum *s, const double *derivative, int *rank)
{
    const int n = s->n;
    const double least = 1e-12 * norm(n * n, derivative);
    SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(s->logs, s->capacity, (s->count + 1) * n)));
    double *logs = s->logs + s->count * n, *swap = s->basis;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += derivative[i * n + k] * s->basis[j * n + k];
            s->next[j * n + i] = sum;
        }
    *rank = 0;
    for (int j = 0; j < n; j++) {
        const double size = clear_column(n, s->next, j);
        const bool there = size > least;
        *rank += there;
        s->lost[j] = s->lost[j] || !there;
        logs[j] = there ? log(size) : 0;
        for (int i = 0; there && i < n; i++)
            s->next[j * n + i] /= size;
        if (!there)
            fill_column(n, s->next, j);
    }
    s->basis = s->next;
    s->next = swap;
    s->count++;
    return SLIP_OK;
}

int slip_spectrum_advance(slip_context *ctx, slip_spectrum *s, slip_simulation *simulation, double time,
                          int *rank)
{
    slip_derivatives derivatives = slip_derivatives_default();
    *rank = s->n;
    derivatives.by_state = s->derivative;
    int status = slip_simulation_differentiate(ctx, simulation, time, &derivatives);
    if (status == SLIP_ERROR_SOLVER && slip_simulation_time(simulation) == time) {
        s->skipped++;
        slip_context_clear(ctx);
        return SLIP_OK;
    }
    return status < 0 ? status : slip_spectrum_take(ctx, s, s->derivative, rank);
}

/* ---- Averages. */

static double average(const slip_spectrum *s, int i, int64_t from, int64_t to)
{
    double sum = 0;
    for (int64_t k = from; k < to; k++)
        sum += s->logs[k * s->n + i];
    return sum / (double)(to - from);
}

/* The standard deviation of the average, from that of blocks; the largest of some lengths of them, since
 * short ones know nothing of what changes slowly. */
static double error_of(const slip_spectrum *s, int i, double mean)
{
    double worst = 0;
    for (int blocks = 8; blocks <= 32 && s->count / blocks > 0; blocks *= 2) {
        const int64_t length = s->count / blocks;
        double sum = 0;
        for (int b = 0; b < blocks; b++) {
            const double off = average(s, i, b * length, (b + 1) * length) - mean;
            sum += off * off;
        }
        worst = fmax(worst, sqrt(sum / (blocks * (blocks - 1.0))));
    }
    return worst;
}

void slip_spectrum_estimate(const slip_spectrum *s, double interval, double *exponents, double *errors)
{
    for (int i = 0; i < s->n; i++) {
        const double mean = s->lost[i] ? 0 : average(s, i, 0, s->count);
        double value = s->lost[i] ? -INFINITY : mean / interval,
               error = s->lost[i] ? 0 : error_of(s, i, mean) / interval;
        int place = i;
        for (; place > 0 && exponents[place - 1] < value; place--) {
            exponents[place] = exponents[place - 1];
            errors[place] = errors[place - 1];
        }
        exponents[place] = value;
        errors[place] = error;
    }
}
