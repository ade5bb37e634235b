/* Steady state: run period by period until the state repeats.
 *
 * The motion is looked at once a period, y_k = (q, v) at t = start + k T. It repeats with the period m T when
 * d_m = |y_k - y_(k-m)| is small. A small change alone can deceive: where it shrinks slowly, by a factor rho
 * each time, what is still to come is d_m rho / (1 - rho). Both d_m and that estimate have to be below the
 * tolerance. The smallest such m is taken; one that has a shorter period on its way to settling waits for it,
 * so that a slow alternating approach is not taken for a motion of twice the period.
 *
 * Changes are relative to the largest |q_i| and |v_i| of the last periods, plus the integration's own
 * absolute tolerance. */
#include "study/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { longest_multiple = 16, kept = 2 * longest_multiple + 1 };

typedef struct settling {
    slip_observer inner;        /* the user's observers and the list of events */
    int m;                      /* 2 n */
    double *states;             /* the last `kept` of them, in a ring */
    double *size, *size_before; /* largest |y_i| in this period and the one before */
    int64_t periods;
    double floor; /* added to the sizes */
} settling;

/* Follows the sizes, then passes the step on. */
static int watch_step(void *user, const slip_step *step)
{
    settling *s = user;
    int n = s->m / 2;
    for (int i = 0; i < n; i++) {
        s->size[i] = fmax(s->size[i], fabs(step->q1[i]));
        s->size[n + i] = fmax(s->size[n + i], fabs(step->v1[i]));
    }
    return s->inner.step ? s->inner.step(s->inner.user, step) : SLIP_OK;
}

static int watch_event(void *user, const slip_event *event)
{
    settling *s = user;
    return s->inner.event ? s->inner.event(s->inner.user, event) : SLIP_OK;
}

static double *state_of(const settling *s, int64_t period)
{
    return s->states + period % kept * s->m;
}

/* The largest relative change between two periods; infinite when one of them is not known. */
static double change(const settling *s, int64_t now, int64_t before)
{
    const double *a = state_of(s, now), *b;
    double largest = 0;
    if (before < 0 || before <= s->periods - kept)
        return INFINITY;
    b = state_of(s, before);
    for (int i = 0; i < s->m; i++) {
        double size = fmax(s->size[i], s->size_before[i]) + s->floor;
        largest = fmax(largest, fabs(a[i] - b[i]) / size);
    }
    return largest;
}

/* What is left to come of an approach to the period m, from the last two changes. */
static double still_to_come(const settling *s, int m)
{
    double now = change(s, s->periods, s->periods - m),
           before = change(s, s->periods - m, s->periods - 2 * m);
    if (now == 0)
        return 0;
    if (isinf(before) || now >= before)
        return INFINITY;
    return now * now / (before - now);
}

/* The multiple of the period with which the state repeats, or 0. Once the changes are down in the noise of
 * the integration they no longer shrink; there a change that is ten times smaller than asked for will do. */
static int repeats(const settling *s, double tolerance)
{
    for (int m = 1; m <= longest_multiple; m++) {
        double now = change(s, s->periods, s->periods - m);
        if (now <= 0.1 * tolerance || (now <= tolerance && still_to_come(s, m) <= tolerance))
            return m;
        if (now <= 100 * tolerance && now < 0.9999 * change(s, s->periods - m, s->periods - 2 * m))
            return 0; /* about to settle with this period */
    }
    return 0;
}

static int64_t periods_to_look_back(const settling *s)
{
    return s->periods < longest_multiple ? s->periods : longest_multiple;
}

/* Runs until the state repeats; *multiple is 0 when it does not within the periods allowed. */
static int run_periods(slip_job *job, settling *s, int *multiple)
{
    const slip_run_options *v = &job->settings->values;
    const slip_method_type *method = job->settings->method;
    slip_observer observer = {.user = s, .step = watch_step, .event = watch_event};
    int status = SLIP_OK;
    double t;
    *multiple = 0;
    method->state(job->method, &t, state_of(s, 0), state_of(s, 0) + s->m / 2);
    while (*multiple == 0 && s->periods < v->steady_within) {
        double *swap = s->size;
        s->size = s->size_before;
        s->size_before = swap;
        memset(s->size, 0, (size_t)s->m * sizeof(double));
        status =
            method->advance(job->method, v->start + (double)(s->periods + 1) * v->steady_period, &observer);
        if (status != SLIP_OK)
            break;
        s->periods++;
        method->state(job->method, &t, state_of(s, s->periods), state_of(s, s->periods) + s->m / 2);
        *multiple = repeats(s, v->steady_tolerance);
    }
    return status;
}

static int not_settled(slip_job *job, const settling *s)
{
    const slip_run_options *v = &job->settings->values;
    double smallest = INFINITY;
    int at = 1;
    for (int m = 1; m <= periods_to_look_back(s); m++)
        if (change(s, s->periods, s->periods - m) < smallest) {
            smallest = change(s, s->periods, s->periods - m);
            at = m;
        }
    job->result->steady.last_change = change(s, s->periods, s->periods - 1);
    return slip_fail(
        job->ctx, SLIP_ERROR_SOLVER,
        "the motion did not settle within %lld periods of %.9g: the last relative change per period was %.3g "
        "(over %d periods: %.3g), and %.3g was asked for; try a larger steady.within, a larger "
        "steady.tolerance or a smaller tolerance",
        (long long)s->periods, v->steady_period, job->result->steady.last_change, at, smallest,
        v->steady_tolerance);
}

/* While settling nothing is recorded, but events are kept and the user's observers are called: a recorder for
 * times that never come. */
static int open_settling(slip_job *job, settling *s, slip_recorder **recorder)
{
    const slip_run_options *v = &job->settings->values;
    slip_recorder_options options = {.every = NAN,
                                     .steps = true,
                                     .from = INFINITY,
                                     .end = INFINITY,
                                     .step_observer = v->step_observer,
                                     .event_observer = v->event_observer,
                                     .observer_user = v->observer_user};
    int status = slip_recorder_create(job->ctx, job->result, &options, recorder);
    if (status < 0)
        return status;
    s->inner = slip_recorder_observer(*recorder);
    s->m = 2 * job->system->n;
    s->floor = job->settings->method->info.fixed_step ? 0 : v->tolerance / v->steady_tolerance;
    s->floor = fmax(s->floor, 1e-300);
    s->states = slip_alloc((kept + 2) * (int64_t)s->m, sizeof(double));
    if (!s->states)
        return slip_fail_memory(job->ctx);
    s->size = s->states + kept * s->m;
    s->size_before = s->size + s->m;
    return SLIP_OK;
}

int slip_job_settle(slip_job *job)
{
    slip_steady_result *steady = &job->result->steady;
    const slip_run_options *v = &job->settings->values;
    slip_recorder *recorder = NULL;
    settling s = {0};
    int status, multiple, later;
    double from;
    steady->asked = true;
    steady->forcing_period = v->steady_period;
    SLIP_TRY(open_settling(job, &s, &recorder));
    status = run_periods(job, &s, &multiple);
    steady->periods_run = s.periods;
    steady->multiple = multiple > 0 ? multiple : 1;
    if (status != SLIP_OK)
        goto done;
    steady->settled = multiple > 0;
    if (steady->settled)
        steady->last_change = change(&s, s.periods, s.periods - multiple);
    else
        status = not_settled(job, &s);
    /* Two periods of the motion for the pictures, also of one that has not settled. */
    from = v->start + (double)s.periods * v->steady_period;
    later = slip_job_record(job, from, from + 2 * steady->multiple * v->steady_period, true);
    if (later != SLIP_OK)
        status = later;
done:
    free(s.states);
    slip_recorder_destroy(recorder);
    return status;
}
