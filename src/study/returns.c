#include "study/returns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The period of `steady`, else that of the explicit dependence on time; NAN: there is none. */
static int find_period(slip_context *ctx, const slip_model *model, const char *study, double *period)
{
    *period = model->simulate.steady_period;
    if (isfinite(*period))
        return SLIP_OK;
    SLIP_PASS(slip_system_period(ctx, model->system, period));
    if (isnan(*period))
        return slip_fail(
            ctx, SLIP_ERROR_USAGE,
            "%s: the model changes with time, and no period is found after which its loads, belts "
            "and gaps repeat; expected one: --period, or `period` in a section `%s` or "
            "`simulate.steady`",
            study, study);
    *period = *period > 0 ? *period : NAN;
    return SLIP_OK;
}

int slip_section_period(slip_context *ctx, const slip_model *model, const char *study, const char *text,
                        double *period)
{
    SLIP_PASS(text ? slip_model_evaluate(ctx, model, "the period", text, period)
                   : find_period(ctx, model, study, period));
    if ((*period > 0 && isfinite(*period)) || (!text && isnan(*period)))
        return SLIP_OK;
    return slip_fail(ctx, SLIP_ERROR_USAGE, "%s: the period `%s` is %g, expected more than 0", study,
                     text ? text : "that of steady", *period);
}

/* ---- Instants and conditions. */

int slip_returns_open(slip_simulation *s, const slip_section *section, double within, slip_returns *r)
{
    *r = (slip_returns){.simulation = s,
                        .period = NAN,
                        .falling = section->falling,
                        .within = within,
                        .start = slip_simulation_time(s),
                        .last = slip_simulation_time(s)};
    r->watch.through = true;
    if (section->condition)
        return slip_watch_open(s, section->condition, &r->watch);
    SLIP_PASS(slip_section_period(s->ctx, s->ready, "bifurcation", section->period, &r->period));
    if (isnan(r->period))
        return slip_fail(s->ctx, SLIP_ERROR_USAGE, "bifurcation: the model has no period, expected one");
    return SLIP_OK;
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
        const double end = r->start + (double)(r->count + 1) * r->period;
        status = r->observer ? slip_simulation_observe(s, end, r->observer)
                             : slip_simulation_advance(s->ctx, s, end);
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

/* ---- Passages. */

static double value_at(const slip_passage *p, const slip_step *step, double t)
{
    step->state(step->self, t, p->q, p->v);
    return p->value(p->user, p->q, p->v);
}

/* Where the value is zero between an instant at which it is above and a later one at which it is not; by the
 * Illinois form of false position. */
static double locate(const slip_passage *p, const slip_step *step, double low, double f_low, double high,
                     double f_high)
{
    for (int k = 0; k < 60 && high - low > 4e-16 * (fabs(low) + fabs(high)) && f_high < 0; k++) {
        double t = low + (high - low) * f_low / (f_low - f_high);
        if (!(t > low && t < high)) /* next to an end, within rounding */
            t = 0.5 * (low + high);
        const double f = value_at(p, step, t);
        if (f > 0) {
            low = t, f_low = f;
            f_high *= k % 2 ? 0.5 : 1;
        } else {
            high = t, f_high = f;
            f_low *= k % 2 ? 0.5 : 1;
        }
    }
    return high;
}

/* Where the value turns between two ends on one side of zero and is beyond zero then; NAN: it does not. */
static double turn(const slip_passage *p, const slip_step *step, double zero, double f0, double f1,
                   double *value)
{
    const double a0 = p->rate ? p->rate(p->user, step->v0, step->a0) : 0,
                 a1 = p->rate ? p->rate(p->user, step->v1, step->a1) : 0, t0 = step->t0, t1 = step->t1;
    if ((f0 > zero) != (f1 > zero) || !(a0 * a1 < 0) || (a0 < 0) != (f0 > zero) || !(t1 > t0))
        return NAN;
    const double t = t0 + (t1 - t0) * a0 / (a0 - a1);
    *value = value_at(p, step, t);
    return (*value > zero) == (f0 > zero) ? NAN : t;
}

int slip_passage_see(slip_passage *p, const slip_step *step, double zero)
{
    const double f0 = p->value(p->user, step->q0, step->v0), f1 = p->value(p->user, step->q1, step->v1),
                 side = p->side;
    double value = 0;
    int status = SLIP_OK;
    p->side = f1 > zero ? 1 : -1;
    if (side > 0 && f0 <= zero)
        status = p->pass(p->user, step, step->t0);
    if (status != SLIP_OK)
        return status;
    const double t = turn(p, step, zero, f0, f1, &value);
    if (f0 > zero && !isnan(t))
        return p->pass(p->user, step, locate(p, step, step->t0, f0, t, value));
    if (!isnan(t))
        return p->pass(p->user, step, locate(p, step, t, value, step->t1, f1));
    if (f0 > zero && f1 <= zero)
        return p->pass(p->user, step, locate(p, step, step->t0, f0, step->t1, f1));
    return SLIP_OK;
}

/* ---- Settling. */

static bool repeat_after(const slip_return_states *of, int count, const double *limits, int part,
                         double *apart)
{
    for (int k = 0; k < count; k++) {
        const double *now = of->states + (k + part) % count * of->stride,
                     *before = of->states + k * of->stride;
        for (int i = 0; i < of->m; i++)
            apart[i] = now[i] - before[i];
        slip_symmetry_reduce(of->symmetry, apart);
        for (int i = 0; i < of->m; i++)
            if (fabs(apart[i]) > limits[i])
                return false;
    }
    return true;
}

int slip_returns_shortest(const slip_return_states *of, int count, const double *limits, double *room)
{
    int part = 1;
    while (part < count && (count % part != 0 || !repeat_after(of, count, limits, part, room)))
        part++;
    return part;
}

int slip_return_judge_open(slip_context *ctx, const slip_system *system, const slip_symmetry *symmetry,
                           double tolerance, int64_t most, slip_return_judge *j)
{
    *j = (slip_return_judge){.symmetry = symmetry,
                             .tolerance = tolerance,
                             .most = most,
                             .coordinates = slip_system_coordinates(system),
                             .own = slip_alloc(4 * (int64_t)system->n + 1, sizeof(double))};
    SLIP_PASS(
        slip_allocated(ctx, j->own && slip_settling_create(&j->settling, 2 * system->n, 0, 10 * most, 5, 4)));
    j->size = j->own + 2 * system->n;
    j->settling.noise = 1e-13;
    j->settling.symmetry = symmetry;
    j->settling.width = 2 * system->n;
    return SLIP_OK;
}

void slip_return_judge_close(slip_return_judge *j)
{
    slip_settling_free(&j->settling);
    free(j->own);
}

/* At a section a coordinate or its velocity may be zero, but for rounding: each has at least the size that
 * the other gives it in the time of a return. A coordinate at rest has the largest size. */
static void set_scales(slip_return_judge *j, double time)
{
    const int n = j->settling.size / 2;
    const double rate = 2 * acos(-1) * (double)(j->settling.periods + 1) / time, *own = j->own;
    double *size = j->size, largest[2] = {0, 0};
    memcpy(size, own, 2 * (size_t)n * sizeof *own);
    for (int i = 0; i < j->coordinates; i++) {
        size[i] = fmax(own[i], own[n + i] / rate);
        size[n + i] = fmax(own[n + i], own[i] * rate);
    }
    for (int i = 0; i < 2 * n; i++)
        largest[i / n] = fmax(largest[i / n], size[i]);
    for (int i = 0; i < 2 * n; i++)
        size[i] = fmax(size[i], 1e-9 * largest[i / n]);
    slip_settling_compare(&j->settling, &(slip_settling_sizes){.width = 2 * n, .now = size, .largest = own},
                          j->tolerance);
}

bool slip_return_judge_take(slip_return_judge *j, const double *q, const double *v, double time,
                            int *multiple)
{
    slip_settling *settling = &j->settling;
    slip_settling_estimate estimate;
    const int n = settling->size / 2;
    double *y = slip_settling_next(settling);
    memcpy(y, q, (size_t)n * sizeof *y);
    memcpy(y + n, v, (size_t)n * sizeof *y);
    slip_symmetry_hold(j->symmetry, y);
    for (int i = 0; i < settling->size; i++)
        j->own[i] = fmax(j->own[i],
                         i < j->coordinates ? slip_symmetry_bound(j->symmetry, i, fabs(y[i])) : fabs(y[i]));
    slip_settling_keep(settling);
    const int64_t count = settling->periods + 1;
    *multiple = 0;
    if (j->multiple == 0 && !slip_settling_is_due(settling) && count != j->most)
        return count >= 10 * j->most;
    set_scales(j, time);
    if (j->multiple > 0 && slip_settling_repeats(settling, j->multiple, j->tolerance)) {
        *multiple = ++j->passed == j->multiple ? j->multiple : 0;
        return *multiple > 0;
    }
    j->multiple = count > 10 * j->most ? 0 : slip_settling_find(settling, j->tolerance, &estimate);
    j->passed = 0;
    /* it seems to repeat, does not decay, or has had its time */
    return j->multiple == 0 &&
           (count >= 10 * j->most || (count >= j->most && !slip_settling_is_on_its_way(settling)));
}

int slip_returns_settle(slip_returns *r, const slip_symmetry *symmetry, double tolerance, int64_t most,
                        int *multiple)
{
    const slip_system *system = r->simulation->ready->system;
    SLIP_FREED_BY(slip_return_judge_close) slip_return_judge judge = {0};
    SLIP_FREED double *state = slip_alloc(2 * (int64_t)system->n + 1, sizeof *state);
    bool over = false;
    *multiple = 0;
    SLIP_PASS(slip_return_judge_open(r->simulation->ctx, system, symmetry, tolerance, most, &judge));
    SLIP_PASS(slip_allocated(r->simulation->ctx, state));
    while (!over) {
        SLIP_PASS_ALL(slip_returns_next(r));
        slip_simulation_whole_state(r->simulation, state, state + system->n);
        over = slip_return_judge_take(&judge, state, state + system->n,
                                      slip_simulation_time(r->simulation) - r->start, multiple);
    }
    return SLIP_OK;
}
