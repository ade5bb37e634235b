/* The method `exponential`; exponential/types.h has the equations. */
#include "method/exponential/types.h"

#include <math.h>
#include <string.h>

static const double two_pi = 6.283185307179586476925;
/* Steps: the longest one in periods of the fastest motion where gaps may close, else in the longest period;
 * the first one in radians of the fastest, times the root of the tolerance; the shortest in the longest
 * period, times the tolerance. */
static const double longest_near = 0.25, longest_free = 1.0 / 20, first_step = 1, shortest = 0.05;

static void close_method(void *self)
{
    SLIP_FREED slip_exponential *x = self;
    if (!x)
        return;
    slip_propagator_destroy(x->propagator);
    slip_propagator_destroy(x->viewer);
    slip_workspace_destroy(x->work);
    slip_arena_free(&x->arena);
}

static void plan_steps(slip_exponential *x)
{
    double lowest = INFINITY, highest = 0;
    bool gaps = false;
    for (int k = 0; k < x->heavy; k++) {
        const double square = x->propagator->square[k];
        highest = fmax(highest, square);
        if (square > 0)
            lowest = fmin(lowest, square);
    }
    for (int c = 0; c < x->contact_count; c++)
        gaps |= x->contacts[c].normal >= 0;
    x->length.period = highest > 0 ? two_pi / sqrt(lowest) : isfinite(x->options.span) ? x->options.span : 1;
    const double fastest = highest > 0 ? two_pi / sqrt(highest) : x->length.period;
    x->length.longest = gaps ? longest_near * fastest : longest_free * x->length.period;
    x->length.least = shortest * x->options.tolerance * x->length.period;
    x->length.next = fmin(x->length.longest, first_step * sqrt(x->options.tolerance) * fastest / two_pi);
}

static int open_method(slip_context *ctx, const slip_system *system, const slip_method_options *options,
                       double t, const double *q, const double *v, void **self)
{
    slip_exponential *x = slip_alloc(1, sizeof *x);
    int status;
    *self = NULL;
    SLIP_PASS(slip_allocated(ctx, x));
    x->ctx = ctx;
    x->system = system;
    x->options = *options;
    x->n = system->n;
    x->moving = slip_system_coordinates(system);
    x->contact_count = (int)system->contact_count;
    x->t = x->opened_at = t;
    SLIP_TRY(slip_workspace_create(ctx, system, &x->work));
    SLIP_TRY(slip_exponential_make(x));
    plan_steps(x);
    SLIP_TRY(slip_exponential_begin(x, q, v));
    for (int c = 0; c < x->contact_count && options->memory; c++) {
        x->contacts[c].mode = options->memory->modes[c];
        x->contacts[c].mode_known = options->memory->known[c];
    }
    SLIP_HAND(self, x);
done:
    close_method(x);
    return status;
}

/* ---- What is seen of a step. */

static double share_of(const slip_exponential *x, double t)
{
    return x->h > 0 ? fmin(fmax((t - x->t) / x->h, 0), 1) : 1;
}

static void view_state(const void *self, double t, double *q, double *v)
{
    const slip_exponential *x = self;
    const double share = share_of(x, t);
    if (share < 1) {
        slip_exponential_between(x, share, q, v, NULL);
        return;
    }
    memcpy(q, x->next.q, (size_t)x->n * sizeof *q);
    memcpy(v, x->next.v, (size_t)x->n * sizeof *v);
}

static void view_sample(const void *self, double t, slip_sample *sample)
{
    const slip_exponential *x = self;
    const double share = share_of(x, t);
    const size_t size = (size_t)x->n * sizeof(double);
    slip_exponential_between(x, share, x->seen_q, x->seen_v, sample->a);
    if (share == 1)
        view_state(self, t, x->seen_q, x->seen_v);
    if (sample->q)
        memcpy(sample->q, x->seen_q, size);
    if (sample->v)
        memcpy(sample->v, x->seen_v, size);
    slip_system_tune(x->system, x->work, t, x->seen_q, x->seen_v);
    slip_exponential_look(x, t, share, sample);
}

static bool view_loads(const void *self, double t, const double *q, const double *v, double *loads)
{
    const slip_exponential *x = self;
    return slip_system_given_loads(x->system, x->work, t, q, v, loads);
}

/* Loads and dampers by a Gauss rule, contacts as they act. */
static void add_works(slip_exponential *x, const slip_works *to)
{
    static const double nodes[] = {0.1127016653792583, 0.5, 0.8872983346207417},
                        weights[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    const int n = x->n;
    for (int k = 0; k < 3; k++) {
        const double t = x->t + nodes[k] * x->h;
        double power = 0;
        slip_exponential_between(x, nodes[k], x->seen_q, x->seen_v, NULL);
        slip_system_given_loads(x->system, x->work, t, x->seen_q, x->seen_v, x->loads);
        for (int i = 0; i < x->moving; i++)
            power += x->loads[i] * x->seen_v[i];
        to->works[SLIP_WORK_LOADS] += weights[k] * x->h * power;
        to->works[SLIP_WORK_DAMPING] +=
            weights[k] * x->h * slip_system_form(n, x->seen_v, x->system->damping, x->seen_v);
    }
    slip_exponential_contact_works(x, to);
}

static int show(slip_exponential *x, const slip_observer *observer)
{
    const slip_works *works = observer->works;
    if (!observer->step)
        return SLIP_OK;
    slip_exponential_between(x, 0, x->now.q, x->now.v,
                             NULL); /* velocities without mass are those of the step */
    x->view = (slip_step){.t0 = x->t,
                          .t1 = x->t + x->h,
                          .q0 = x->now.q,
                          .v0 = x->now.v,
                          .q1 = x->next.q,
                          .v1 = x->next.v,
                          .a0 = x->ends[0],
                          .a1 = x->ends[1],
                          .self = x,
                          .state = view_state,
                          .sample = view_sample,
                          .loads = view_loads};
    x->view.told = works && x->view.t0 >= works->from && x->view.t1 <= works->end;
    if (x->view.told)
        add_works(x, works);
    return observer->step(observer->user, &x->view);
}

/* ---- Steps. */

/* The attempted step happens. */
static int take(slip_exponential *x, double end, const slip_observer *observer)
{
    const bool last = x->t + x->h >= end || end - (x->t + x->h) < 1e-13 * fabs(end);
    int status = slip_exponential_tell(x, observer);
    if (status < 0)
        return status;
    const int shown = show(x, observer);
    if (shown < 0)
        return shown;
    slip_exponential_accept(x);
    if (last)
        x->t = end;
    x->steps++;
    return status == SLIP_OK ? shown : status;
}

static int refuse_step(const slip_exponential *x)
{
    return slip_fail(
        x->ctx, SLIP_ERROR_SOLVER,
        "method `exponential`: the forces of a step of %.3g at t = %.9g did not settle; expected a "
        "smaller `step`, or softer springs and laws that are less steep",
        x->h, x->t);
}

/* One step, or a try at it. */
static int advance_once(slip_exponential *x, double end, const slip_observer *observer)
{
    const double left = end - x->t, tolerance = x->options.tolerance;
    const bool fixed = x->options.step > 0;
    double h = fmin(fixed ? x->options.step : x->length.next, left), cut = 1;
    int status = SLIP_OK;
    h = left - h < 0.01 * h ? left : h;
    SLIP_PASS(slip_exponential_attempt(x, h));
    if (fixed) {
        if (!x->settled)
            return refuse_step(x);
        return take(x, end, observer);
    }
    const double allowed = pow(tolerance, 1.5) * fmax(x->length.scale, x->size) * x->length.period;
    const double error = allowed > 0 ? x->defect * h / 8 / allowed : 0;
    if (!x->settled)
        cut = 0.5;
    if (error > 1)
        cut = fmin(cut, fmax(0.9 * cbrt(1 / error), 0.2));
    if (cut < 1 && h > x->length.least) {
        x->length.next = fmax(cut * h, x->length.least);
        x->rejected++;
        return SLIP_OK;
    }
    if (!x->settled)
        return refuse_step(x);
    SLIP_PASS(status = take(x, end, observer));
    x->length.next = fmax(x->length.next, h) * (error > 0 ? fmin(fmax(0.9 * cbrt(1 / error), 0.2), 2) : 2);
    x->length.next = fmin(fmax(x->length.next, x->length.least), x->length.longest);
    return status;
}

static void report_progress(slip_exponential *x)
{
    slip_progress progress = {.what = "run",
                              .fraction =
                                  isfinite(x->options.span) ? (x->t - x->opened_at) / x->options.span : -1,
                              .time = x->t,
                              .steps = x->steps,
                              .events = x->events,
                              .modes = ""};
    slip_progress_report(x->ctx, &progress);
}

/* A motion that goes on from here and one that is restored here are the same to the last bit: both begin with
 * what q and v say. */
static int begin_here(slip_exponential *x)
{
    plan_steps(x);
    memcpy(x->seen_q, x->now.q, (size_t)x->n * sizeof *x->seen_q);
    memcpy(x->seen_v, x->now.v, (size_t)x->n * sizeof *x->seen_v);
    return slip_exponential_begin(x, x->seen_q, x->seen_v);
}

static int advance(void *self, double end, const slip_observer *observer)
{
    slip_exponential *x = self;
    int status = SLIP_OK;
    while (x->t < end && status == SLIP_OK) {
        status = advance_once(x, end, observer);
        if (slip_progress_due(x->ctx))
            report_progress(x);
        if (status == SLIP_OK && slip_interrupted(x->ctx))
            status = slip_fail(x->ctx, SLIP_INTERRUPTED, "interrupted at t = %.9g", x->t);
    }
    if (status >= 0) {
        const int begun = begin_here(x);
        status = begun < 0 ? begun : status;
    }
    return status;
}

static void tell_state(const void *self, double *t, double *q, double *v)
{
    const slip_exponential *x = self;
    *t = x->t;
    memcpy(q, x->now.q, (size_t)x->n * sizeof *q);
    memcpy(v, x->now.v, (size_t)x->n * sizeof *v);
}

static void remember(const void *self, slip_method_memory *memory)
{
    const slip_exponential *x = self;
    for (int c = 0; c < x->contact_count; c++) {
        memory->modes[c] = x->contacts[c].mode;
        memory->known[c] = x->contacts[c].mode_known;
        memory->gaps[c] = NAN;
    }
}

static void count(const void *self, slip_method_counters *counters)
{
    const slip_exponential *x = self;
    *counters = (slip_method_counters){.steps = x->steps,
                                       .rejected = x->rejected,
                                       .events = x->events,
                                       .evaluations = x->work->evaluations,
                                       .residual = x->residual};
}

const slip_method_type slip_method_exponential = {
    .info = {"exponential",
             "linear structures exactly; contact points of condensed bodies and of gears that follow their "
             "forces",
             0, 0},
    .open = open_method,
    .advance = advance,
    .state = tell_state,
    .remember = remember,
    .counters = count,
    .close = close_method,
    .tolerance = 1e-4,
    .takes_condensed = true,
    .solves_laws = true};
