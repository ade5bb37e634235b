#include "study/returns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int slip_returns_open(slip_simulation *s, const slip_section *section, double within, slip_returns *r)
{
    int status = SLIP_OK;
    *r = (slip_returns){.simulation = s,
                        .period = NAN,
                        .falling = section->falling,
                        .within = within,
                        .start = slip_simulation_time(s),
                        .last = slip_simulation_time(s)};
    if (section->condition)
        return slip_watch_open(s, section->condition, &r->watch);
    r->period = s->ready->simulate.steady_period;
    if (section->period)
        SLIP_TRY(slip_model_evaluate(s->ctx, s->ready, "the period", section->period, &r->period));
    if (!(r->period > 0) || isinf(r->period))
        status =
            slip_fail(s->ctx, SLIP_ERROR_USAGE, "the period is %g, expected a positive number", r->period);
done:
    return status;
}

void slip_returns_close(slip_returns *r)
{
    slip_watch_close(&r->watch);
}

int slip_returns_next(slip_returns *r)
{
    slip_simulation *s = r->simulation;
    int status;
    r->last = slip_simulation_time(s);
    if (!isnan(r->period)) {
        status = slip_simulation_advance(s->ctx, s, r->start + (double)(r->count + 1) * r->period);
        r->count += status >= 0;
        return status;
    }
    do {
        status = slip_simulation_advance_watched(s, r->last + r->within, &r->watch);
        if (status < 0)
            return status;
        if (isnan(r->watch.found))
            return SLIP_STOPPED;
    } while ((r->watch.before > 0) != r->falling);
    r->count++;
    return SLIP_OK;
}

/* ---- Settling. */

static void keep_state(const slip_returns *r, slip_settling *settling)
{
    double *y = slip_settling_next(settling);
    const int n = settling->size / 2;
    slip_simulation_whole_state(r->simulation, y, y + n);
    for (int i = 0; i < settling->size; i++)
        settling->scale[i] = fmax(settling->scale[i], fabs(y[i]));
    slip_settling_keep(settling);
}

/* At a section a coordinate or its velocity may be zero, but for rounding: each has at least the size that
 * the other gives it in the time of a return. What is at rest altogether is compared with the largest of its
 * kind. */
static void finish_scales(const slip_returns *r, slip_settling *settling, double *own)
{
    const int n = settling->size / 2, coordinates = slip_system_coordinates(r->simulation->ready->system);
    const double rate = 2 * acos(-1) * (double)r->count / (slip_simulation_time(r->simulation) - r->start);
    double *scale = settling->scale, largest[2] = {0, 0};
    memcpy(own, scale, (size_t)settling->size * sizeof *own);
    for (int i = 0; i < coordinates; i++) {
        scale[i] = fmax(own[i], own[n + i] / rate);
        scale[n + i] = fmax(own[n + i], own[i] * rate);
    }
    for (int i = 0; i < settling->size; i++)
        largest[i / n] = fmax(largest[i / n], scale[i]);
    for (int i = 0; i < settling->size; i++)
        scale[i] = fmax(fmax(scale[i], 1e-9 * largest[i / n]), 1e-300);
}

int slip_returns_settle(slip_returns *r, double tolerance, int64_t most, int *multiple)
{
    const int n = r->simulation->ready->system->n;
    slip_settling settling = {0};
    slip_settling_estimate estimate;
    double *own = slip_alloc(2 * (int64_t)n + 1, sizeof *own);
    int status;
    *multiple = 0;
    SLIP_TRY(own && slip_settling_create(&settling, 2 * n, 0, 10 * most)
                 ? SLIP_OK
                 : slip_fail_memory(r->simulation->ctx));
    settling.noise = 1e-13;
    for (int64_t k = 1, look = 6; *multiple == 0 && k <= 10 * most; k++) {
        status = slip_returns_next(r);
        if (status != SLIP_OK)
            goto done;
        keep_state(r, &settling);
        if (k < look && k != most)
            continue;
        finish_scales(r, &settling, own);
        *multiple = slip_settling_find(&settling, tolerance, &estimate);
        memcpy(settling.scale, own, (size_t)settling.size * sizeof *own);
        look = k + 1 + k / 4;
        if (k >= most && *multiple == 0 && !(estimate.decay > 0 && isfinite(estimate.error)))
            break; /* it does not decay */
    }
    status = SLIP_OK;
done:
    slip_settling_free(&settling);
    free(own);
    return status;
}
