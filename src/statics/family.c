#include "statics/family.h"

#include <math.h>
#include <string.h>

enum { node_count = slip_static_degree_max + 1 };

static const double pi = 3.14159265358979323846;
static const double rounding = 4e-15; /* relative, of a number that an expression has computed */
static const double narrowest =
    1e-10; /* smallest interval over the range: there is a kink, which is accepted */

bool slip_static_local_create(slip_arena *arena, const slip_static_family *family, slip_static_local *local)
{
    const int64_t n = family->shape->direction_count, m = family->shape->contact_count;
    *local = (slip_static_local){.width = n + 2 * m + (family->compliance ? 0 : n * n)};
    local->numbers = slip_arena_array(arena, node_count * local->width + 1, sizeof(double));
    local->samples = slip_arena_array(arena, (node_count + 4) * local->width + 1, sizeof(double));
    return local->numbers && local->samples;
}

static int sample_row(slip_context *ctx, const slip_static_family *family, double p, double *row)
{
    const int64_t n = family->shape->direction_count, m = family->shape->contact_count;
    slip_static_values values = {.free = row, .friction = row + n, .normal = row + n + m};
    if (!family->compliance)
        values.compliance = row + n + 2 * m;
    return family->sample(ctx, family->user, p, &values);
}

/* One sample as a row of numbers. SLIP_STOPPED: a number is infinite at this value, but not beside it. */
static int sample(slip_context *ctx, const slip_static_family *family, double p, double *row)
{
    const double aside = 1e-9 * (family->high - family->low);
    int status = sample_row(ctx, family, p, row);
    if (status != SLIP_ERROR_MODEL)
        return status;
    for (int sign = -1; sign <= 1; sign += 2)
        if (p + sign * aside >= family->low && p + sign * aside <= family->high) {
            slip_context_clear(ctx);
            status = sample_row(ctx, family, p + sign * aside, row);
            if (status >= 0)
                return SLIP_STOPPED;
        }
    slip_context_clear(ctx);
    return sample_row(ctx, family, p, row);
}

/* First index of each kind of data in a sample; rounding is relative to the largest number of a kind. */
static void kinds(const slip_static_family *family, int64_t first[5])
{
    const int64_t n = family->shape->direction_count, m = family->shape->contact_count;
    first[0] = 0;
    first[1] = n;
    first[2] = n + m;
    first[3] = n + 2 * m;
    first[4] = first[3] + (family->compliance ? 0 : n * n);
}

static double largest(const double *rows, int64_t count, int64_t width, int64_t from, int64_t to)
{
    double size = 0;
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = from; i < to; i++)
            size = fmax(size, fabs(rows[k * width + i]));
    return size;
}

/* Estimates the rounding errors of the samples by second differences over a tiny step. A compliance has lost
 * digits in a solve, which the fit must not try to reproduce. */
static int find_noise(slip_context *ctx, const slip_static_family *family, slip_static_local *local)
{
    const double step = 1e-8 * (family->high - family->low),
                 middle = family->low + 0.4871 * (family->high - family->low);
    const int64_t width = local->width;
    double *rows = local->samples;
    int64_t first[5];
    int status = SLIP_OK;
    local->noise_known = true;
    kinds(family, first);
    for (int k = 0; k < 4 && status == SLIP_OK; k++)
        status = sample(ctx, family, middle + (k - 1) * step, rows + k * width);
    if (status != SLIP_OK)
        return status < 0 ? status : SLIP_OK;
    for (int kind = 0; kind < 4; kind++) {
        const double size = largest(rows, 4, width, first[kind], first[kind + 1]);
        local->noise[kind] = rounding * size;
        for (int64_t i = first[kind]; i < first[kind + 1]; i++)
            for (int k = 0; k < 2; k++) {
                const double *at = rows + k * width + i;
                local->noise[kind] = fmax(local->noise[kind], fabs(at[0] - 2 * at[width] + at[2 * width]));
            }
        local->noise[kind] = fmin(local->noise[kind], 1e-10 * size);
    }
    return SLIP_OK;
}

/* Fits a straight line; *good: four samples lie on it. */
static int fit_line(slip_context *ctx, const slip_static_family *family, slip_static_local *local, bool *good)
{
    static const double at[4] = {-1, 1, -0.28, 0.61};
    const int64_t width = local->width;
    double *rows = local->samples;
    int64_t first[5];
    int status;
    kinds(family, first);
    for (int k = 0; k < 4; k++) {
        const double p = 0.5 * (local->low + local->high) + 0.5 * at[k] * (local->high - local->low);
        status = sample(ctx, family, k == 0 ? local->low : k == 1 ? local->high : p, rows + k * width);
        if (status != SLIP_OK)
            return status;
    }
    *good = true;
    for (int kind = 0; kind < 4; kind++) {
        const double size =
            fmax(local->noise[kind], rounding * largest(rows, 2, width, first[kind], first[kind + 1]));
        for (int64_t i = first[kind]; i < first[kind + 1] && *good; i++) {
            const double middle = 0.5 * (rows[i] + rows[width + i]),
                         slope = 0.5 * (rows[width + i] - rows[i]);
            local->numbers[i] = middle;
            local->numbers[width + i] = slope;
            for (int k = 2; k < 4; k++)
                *good = *good && fabs(middle + at[k] * slope - rows[k * width + i]) <= size;
        }
    }
    local->degree = 1;
    if (*good && memcmp(rows, rows + width, sizeof(double) * (size_t)width) == 0)
        local->degree = 0;
    return SLIP_OK;
}

/* Chebyshev coefficients from values at the points cos(pi k/D), then powers of y. */
static void to_powers(slip_static_local *local, int64_t i)
{
    const int degree = slip_static_degree_max;
    const double *values = local->samples + i;
    double chebyshev[node_count], powers[node_count] = {0};
    double before[node_count] = {1}, now[node_count] = {0, 1}, next[node_count];
    for (int j = 0; j <= degree; j++) {
        double sum = 0;
        for (int k = 0; k <= degree; k++) {
            const double weight = k == 0 || k == degree ? 0.5 : 1;
            sum += weight * values[k * local->width] * cos(pi * j * k / degree);
        }
        chebyshev[j] = sum * (j == 0 || j == degree ? 1.0 : 2.0) / degree;
    }
    for (int j = 0; j <= degree; j++) {
        for (int k = 0; k <= degree; k++)
            powers[k] += chebyshev[j] * before[k];
        for (int k = 0; k <= degree; k++)
            next[k] = (k > 0 ? 2 * now[k - 1] : 0) - before[k];
        memcpy(before, now, sizeof now);
        memcpy(now, next, sizeof next);
    }
    for (int k = 0; k <= degree; k++)
        local->numbers[k * local->width + i] = powers[k];
    /* Kept for the test of convergence. */
    local->samples[(node_count + 0) * local->width + i] = chebyshev[degree];
    local->samples[(node_count + 1) * local->width + i] = chebyshev[degree - 1];
    local->samples[(node_count + 2) * local->width + i] = chebyshev[degree - 2];
}

/* The error of number i by the rounding of p, which is large where the number is steep, as near a pole. */
static double argument_rounding(const slip_static_local *local, int64_t i)
{
    const double half = 0.5 * (local->high - local->low), p = fmax(fabs(local->low), fabs(local->high));
    double slope = 0;
    for (int k = 0; k < slip_static_degree_max; k++) {
        const double apart =
            half * (cos(pi * k / slip_static_degree_max) - cos(pi * (k + 1) / slip_static_degree_max));
        slope = fmax(slope,
                     fabs(local->samples[k * local->width + i] - local->samples[(k + 1) * local->width + i]) /
                         apart);
    }
    return 4e-16 * p * slope;
}

static int fit_curve(slip_context *ctx, const slip_static_family *family, slip_static_local *local,
                     bool *good)
{
    const int64_t width = local->width;
    int64_t first[5];
    int status = SLIP_OK;
    kinds(family, first);
    for (int k = 0; k < node_count; k++) {
        const double y = cos(pi * k / slip_static_degree_max);
        const double p = 0.5 * (local->low + local->high) + 0.5 * y * (local->high - local->low);
        status = sample(ctx, family, p, local->samples + k * width);
        if (status != SLIP_OK)
            return status;
    }
    *good = true;
    for (int kind = 0; kind < 4; kind++) {
        const double size = fmax(local->noise[kind], rounding * largest(local->samples, node_count, width,
                                                                        first[kind], first[kind + 1]));
        for (int64_t i = first[kind]; i < first[kind + 1]; i++) {
            const double argument = argument_rounding(local, i);
            to_powers(local, i);
            for (int k = 0; k < 3; k++)
                *good = *good && fabs(local->samples[(node_count + k) * width + i]) <= fmax(size, argument);
        }
    }
    local->degree = slip_static_degree_max;
    return SLIP_OK;
}

/* Chooses the first interval to try: the whole range or, where the last interval was short, one of four times
 * its length; intervals are halves, quarters, ... of the range. */
static void first_interval(const slip_static_family *family, double p, int direction,
                           slip_static_local *local)
{
    const double range = family->high - family->low, last = local->high - local->low;
    local->low = family->low;
    local->high = family->high;
    if (!(last > 0) || last > 0.2 * range)
        return;
    const double length = 4 * last, place = (p - family->low) / length;
    const double index = direction < 0 && place == floor(place) ? place - 1 : floor(place);
    const double low = family->low + index * length, high = family->low + (index + 1) * length;
    if (p >= low && p <= high && (direction > 0 ? p < high : p > low)) {
        local->low = fmax(low, family->low);
        local->high = fmin(high, family->high);
    }
}

int slip_static_local_fit(slip_context *ctx, const slip_static_family *family, double p, int direction,
                          slip_static_local *local)
{
    const double range = family->high - family->low;
    if (!local->noise_known)
        SLIP_PASS(find_noise(ctx, family, local));
    first_interval(family, p, direction, local);
    for (;;) {
        bool good = false;
        int status = fit_line(ctx, family, local, &good);
        if (status == SLIP_OK && !good && local->high - local->low > narrowest * range)
            status = fit_curve(ctx, family, local, &good);
        SLIP_PASS(status);
        good = good && status == SLIP_OK;
        if (status != SLIP_OK && !(local->high - local->low > narrowest * range)) {
            local->high = local->low; /* nothing is known */
            return slip_fail(ctx, SLIP_ERROR_SOLVER, "the model has no finite numbers close to %.9g", p);
        }
        if (good || !(local->high - local->low > narrowest * range))
            return SLIP_OK;
        const double middle = 0.5 * (local->low + local->high);
        if (p > middle || (p == middle && direction > 0))
            local->low = middle;
        else
            local->high = middle;
    }
}

void slip_static_local_expand(const slip_static_local *local, double centre, double unit, double *numbers)
{
    const double half = 0.5 * (local->high - local->low), middle = 0.5 * (local->high + local->low);
    const double shift = (centre - middle) / half, stretch = unit / half;
    const int degree = local->degree;
    const int64_t width = local->width;
    memcpy(numbers, local->numbers, sizeof(double) * (size_t)((degree + 1) * width));
    for (int j = 0; j < degree && shift != 0; j++) /* Taylor shift by repeated synthetic division */
        for (int k = degree - 1; k >= j; k--)
            for (int64_t i = 0; i < width; i++)
                numbers[k * width + i] += shift * numbers[(k + 1) * width + i];
    double power = 1;
    for (int k = 1; k <= degree; k++) {
        power *= stretch;
        for (int64_t i = 0; i < width; i++)
            numbers[k * width + i] *= power;
    }
}

int slip_static_family_at(slip_context *ctx, const slip_static_family *family, double p,
                          slip_static_values *values)
{
    const int64_t n = family->shape->direction_count;
    if (family->compliance && values->compliance != family->compliance)
        memcpy(values->compliance, family->compliance, sizeof(double) * (size_t)(n * n));
    slip_static_values own = *values;
    if (family->compliance)
        own.compliance = NULL;
    return family->sample(ctx, family->user, p, &own);
}
