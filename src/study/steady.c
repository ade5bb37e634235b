/* Steady state: run period by period until the motion has settled (settling.h).
 *
 * A state is q and v at several instants of a period, at irregular distances: a mode that turns a whole
 * number of times in a period would look the same, and could be small, at a single one. States are compared
 * relative to the largest |q_i| and |v_i| of the last two periods. Coordinates that decay to zero are
 * compared with the absolute error of the integration, or with the rounding of their largest values.
 *
 * The integration makes an error in every period, and slow modes add them up: the error of the steady motion
 * is that of a period times the amplification 1/|1 - l|, which the transient shows. This and the bound of the
 * changes to come must be within the tolerance together. (Errors of fixed steps are not known; they come on
 * top.) */
#include "result/maxima.h"
#include "study/orbit/orbit.h"
#include "study/run.h"
#include "study/settling.h"

#include <math.h>
#include <string.h>

/* Fractions of roots of primes, so that no number of turns in a period makes all of them alike; the last is
 * the end of the period. */
static const double phases[] = {
    0.1231056256176605, 0.2360679774997898, 0.3166247903553998, 0.4142135623730951,
    0.6055512754639891, 0.6457513110645907, 0.7320508075688772, 1};
enum { phase_count = sizeof phases / sizeof *phases, most_numbers = 256, unknowns_most = 61 };

/* Factor for deviations between these instants. */
static const double between_phases = 2;

typedef struct watch {
    slip_observer inner; /* the user's observers and the list of events */
    slip_arena arena;
    slip_settling settling;
    slip_symmetry *symmetry;
    int n, m;                   /* coordinates and states; 2 n, and of whole bodies 2 `looked` more */
    int looked;                 /* so many unknowns of whole bodies are looked at, evenly spread over them: */
    int64_t *which;             /* these, behind the n; */
    double *q, *v;              /* scratch: all of them */
    int first, next;            /* the phases from `first` on are looked at, `next` comes next */
    double begin, period;       /* of this period */
    double *now;                /* the state of this period, then `size` */
    slip_maxima maxima;         /* of this period */
    double *size, *size_before; /* largest |y_i| in this period and the one before */
    double *largest;            /* of all periods */
    double amplification;       /* the last that was known */
} watch;

static double *place_of(const watch *w, int phase)
{
    return w->now + (phase - w->first) * w->m;
}

/* Copies the unknowns that are compared from the state in w->q and w->v. */
static void pick(const watch *w, double *y)
{
    const int half = w->m / 2;
    for (int i = 0; i < half; i++) {
        const int64_t at = i < w->n ? i : w->which[i - w->n];
        y[i] = w->q[at];
        y[half + i] = w->v[at];
    }
}

/* Follows the maxima and takes the states that are wanted, then passes the step on. */
static int watch_step(void *user, const slip_step *step)
{
    watch *w = user;
    slip_maxima_step(&w->maxima, step);
    for (; w->next < phase_count - 1; w->next++) {
        double t = w->begin + phases[w->next] * w->period, *y = place_of(w, w->next);
        if (t > step->t1)
            break;
        if (w->looked == 0) {
            step->state(step->self, fmax(t, step->t0), y, y + w->n);
            continue;
        }
        step->state(step->self, fmax(t, step->t0), w->q, w->v);
        step->field(step->self, fmax(t, step->t0), NULL, 0, w->q, w->v);
        pick(w, y);
    }
    return w->inner.step ? w->inner.step(w->inner.user, step) : SLIP_OK;
}

static int watch_event(void *user, const slip_event *event)
{
    watch *w = user;
    return w->inner.event ? w->inner.event(w->inner.user, event) : SLIP_OK;
}

/* The largest |q_i| of the period. Of what turns it is at most half a turn; that by which coordinates that
 * drift together differ is known at the instants that are looked at. */
static double size_of_place(const watch *w, int i)
{
    const slip_symmetry *y = w->symmetry;
    double most = 0;
    bool drifts = false;
    for (int k = 0; k < y->free && i < y->n; k++)
        drifts = drifts || y->shift[(ptrdiff_t)k * y->n + i] != 0;
    for (int phase = w->first; phase < phase_count && drifts; phase++)
        most = fmax(most, fabs(slip_symmetry_relative(y, place_of(w, phase), i)));
    return drifts ? most : i < y->n ? slip_symmetry_bound(y, i, w->maxima.q[i]) : w->maxima.q[i];
}

/* The largest |y_i| of the period. Unknowns of whole bodies are alike, and have the largest of them all, at
 * the instants that are looked at. */
static void find_sizes(watch *w)
{
    const int half = w->m / 2;
    double most[2] = {0, 0};
    for (int phase = w->first; phase < phase_count; phase++)
        for (int i = w->n; i < half; i++)
            for (int k = 0; k < 2; k++)
                most[k] = fmax(most[k], fabs(place_of(w, phase)[k * half + i]));
    for (int i = 0; i < w->m; i++) {
        const int k = i / half, own = i % half;
        w->size[i] = own >= w->n ? most[k] : k == 0 ? size_of_place(w, own) : w->maxima.v[own];
        w->largest[i] = fmax(w->largest[i], w->size[i]);
    }
}

static int run_period(slip_job *job, watch *w, int64_t number)
{
    const slip_run_options *v = &job->settings->values;
    slip_observer observer = {.user = w, .step = watch_step, .event = watch_event};
    double *swap = w->size, *y;
    const int n = w->n;
    w->size = w->size_before;
    w->size_before = swap;
    for (int i = 0; i < n; i++)
        w->maxima.q[i] = w->maxima.v[i] = w->maxima.a[i] = -1;
    w->now = slip_settling_next(&w->settling);
    w->next = w->first;
    w->begin = v->start + (double)number * w->period;
    SLIP_PASS_ALL(
        slip_simulation_observe(job->simulation, v->start + (double)(number + 1) * w->period, &observer));
    y = place_of(w, phase_count - 1);
    slip_simulation_whole_state(job->simulation, w->q, w->v);
    pick(w, y);
    find_sizes(w);
    memcpy(y + w->m, w->size, (size_t)w->m * sizeof(double));
    slip_settling_keep(&w->settling);
    return SLIP_OK;
}

/* The absolute error of the steady motion by errors of the integration: those of a period are about as large
 * as that of a step, since they are made at different phases; twice that to be sure. */
static double gathered(const slip_job *job, const watch *w)
{
    return 2 * slip_simulation_resolution(job->simulation) * fmax(1, w->amplification);
}

/* The same relative to the motion. A number that has decayed to zero is compared with its largest value,
 * unless that was zero. */
static double integration_error(const slip_job *job, const watch *w)
{
    double absolute = gathered(job, w), resolution = slip_simulation_resolution(job->simulation), worst = 0;
    for (int i = 0; i < w->m && resolution > 0; i++) {
        double size = fmax(w->size[i], w->size_before[i]);
        if (size > absolute)
            worst = fmax(worst, absolute * (1 + size) / size);
        else if (w->largest[i] > 10 * resolution)
            worst = fmax(worst, absolute / w->largest[i]);
    }
    return worst;
}

static void set_scales(const slip_job *job, watch *w)
{
    const slip_settling_sizes sizes = {.width = w->m,
                                       .now = w->size,
                                       .before = w->size_before,
                                       .largest = w->largest,
                                       .error = gathered(job, w)};
    w->settling.noise = fmax(1e-15, 0.01 * slip_simulation_resolution(job->simulation));
    slip_settling_compare(&w->settling, &sizes, job->settings->values.steady_tolerance);
}

/* Runs until the motion has settled; *multiple is 0 when it does not within the periods allowed. */
static int run_periods(slip_job *job, watch *w, int *multiple, slip_settling_estimate *estimate)
{
    const slip_run_options *v = &job->settings->values;
    *multiple = 0;
    for (int64_t k = 0; *multiple == 0 && k < v->steady_within; k++) {
        SLIP_PASS_ALL(run_period(job, w, k));
        if (!slip_settling_is_due(&w->settling) && k < v->steady_within - 1)
            continue;
        set_scales(job, w);
        *multiple = slip_settling_find(
            &w->settling, (v->steady_tolerance - integration_error(job, w)) / between_phases, estimate);
        estimate->error *= between_phases;
        if (!isnan(estimate->amplification))
            w->amplification = estimate->amplification;
    }
    return SLIP_OK;
}

/* " (over 3 periods: 1e-5)": the multiple over which the state changed least. */
static void describe_changes(const watch *w, slip_text *text)
{
    double smallest = slip_settling_change(&w->settling, 1);
    int at = 1;
    slip_text_printf(text, "the last relative change per period was %.3g", smallest);
    for (int m = 2; m <= slip_settling_longest; m++)
        if (slip_settling_change(&w->settling, m) < smallest) {
            smallest = slip_settling_change(&w->settling, m);
            at = m;
        }
    if (at > 1)
        slip_text_printf(text, " (over %d periods: %.3g)", at, smallest);
}

/* Says why it is not known yet, and what would help. */
static int not_settled(slip_job *job, const watch *w, const slip_settling_estimate *estimate)
{
    const slip_run_options *v = &job->settings->values;
    const double tolerance = v->steady_tolerance, integration = integration_error(job, w);
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    int status;
    describe_changes(w, &text);
    if (isinf(estimate->error))
        slip_text_append(&text, ", and what is still to come cannot be told from it");
    else
        slip_text_printf(&text, ", and up to %.3g may still be to come", estimate->error);
    slip_text_printf(&text, "; %.3g was asked for. ", tolerance);
    if (integration > 0.5 * tolerance)
        slip_text_printf(
            &text,
            "Errors of the integration may come to %.2g of this motion: try a tolerance of %.1g or "
            "less",
            integration, 0.2 * v->tolerance * tolerance / integration);
    else if (estimate->decay > 0)
        slip_text_printf(
            &text, "It decays by %.2g a period: try steady.within of %.2g or more", estimate->decay,
            1.2 * ((double)v->steady_within + log(estimate->error / tolerance) / estimate->decay));
    else
        slip_text_append(&text,
                         "Try a larger steady.within, a larger steady.tolerance or a smaller tolerance");
    status =
        slip_fail(job->ctx, SLIP_ERROR_SOLVER, "the motion did not settle within %lld periods of %.9g: %s",
                  (long long)(w->settling.periods + 1), v->steady_period, text.data ? text.data : "");
    return status;
}

/* Chooses some unknowns of whole bodies, by which settling is judged: no mode has a node at all of them. */
static bool choose_unknowns(const slip_system *system, watch *w)
{
    const int64_t all = slip_system_size(system), field = system->field_size;
    w->n = system->n;
    w->looked = (int)(field < unknowns_most ? field : unknowns_most);
    w->m = 2 * (w->n + w->looked);
    w->which = slip_arena_array(&w->arena, w->looked + 1, sizeof *w->which);
    w->q = slip_arena_array(&w->arena, all + 1, sizeof(double));
    w->v = slip_arena_array(&w->arena, all + 1, sizeof(double));
    for (int k = 0; w->which && k < w->looked; k++)
        w->which[k] = w->n + k * field / w->looked;
    return w->which && w->q && w->v;
}

/* While settling nothing is recorded, but events are kept and the user's observers are called: a recorder for
 * times that never come. */
static int open_watch(slip_job *job, watch *w, slip_recorder **recorder)
{
    const slip_run_options *v = &job->settings->values;
    slip_recorder_options options = {.every = NAN,
                                     .steps = true,
                                     .from = INFINITY,
                                     .end = INFINITY,
                                     .step_observer = v->step_observer,
                                     .event_observer = v->event_observer,
                                     .observer_user = v->observer_user};
    SLIP_PASS(slip_recorder_create(job->ctx, job->result, &options, recorder));
    w->inner = slip_recorder_observer(*recorder);
    SLIP_PASS(slip_allocated(job->ctx, choose_unknowns(job->system, w)));
    SLIP_PASS(slip_symmetry_create(job->ctx, job->system, &w->symmetry));
    w->period = v->steady_period;
    int looked_at = most_numbers / w->m;
    looked_at = looked_at > phase_count ? phase_count : looked_at < 2 ? 2 : looked_at;
    w->first = phase_count - looked_at;
    w->size = slip_arena_array(&w->arena, 3 * (int64_t)w->m, sizeof(double));
    SLIP_PASS(slip_allocated(
        job->ctx, w->size && slip_maxima_create(&w->maxima, &w->arena, w->n, w->n) &&
                      slip_settling_create(&w->settling, looked_at * w->m, w->m, v->steady_within, 0, 64)));
    w->size_before = w->size + w->m;
    w->largest = w->size + 2 * w->m;
    w->settling.symmetry = w->symmetry;
    w->settling.width = w->m;
    return SLIP_OK;
}

/* ---- Motions with a period of their own. */

/* The cycle next to where the run has come to, by Newton's method; two periods of it are recorded. */
static int settle_own(slip_job *job)
{
    slip_steady_result *steady = &job->result->steady;
    const slip_run_options *v = &job->settings->values;
    const slip_orbit_options options = slip_orbit_options_default();
    slip_orbit_plan plan;
    SLIP_FREED_BY(slip_arc_flow_close) slip_arc_flow flow = {0};
    SLIP_FREED_BY(slip_orbit_free) slip_orbit orbit = {0};
    int status = SLIP_OK;
    steady->asked = true;
    steady->multiple = 1;
    SLIP_PASS(status = slip_orbit_plan_make(job->ctx, job->simulation->ready, &options, &plan));
    plan.own_period = true;
    plan.options.from = "run";
    SLIP_PASS(status = slip_arc_flow_open(job->ctx, job->system, job->settings, v->tolerance, NULL, &flow));
    SLIP_PASS(status = slip_orbit_start(job->ctx, job->simulation, &plan, &orbit));
    SLIP_PASS(status = slip_orbit_search(&flow, &plan, &orbit));
    steady->forcing_period = orbit.period;
    steady->periods_run = (int64_t)((orbit.time - v->start) / orbit.period);
    steady->last_change = orbit.residual;
    steady->error = orbit.residual + v->tolerance;
    steady->settled = orbit.stable;
    SLIP_PASS(status = slip_simulation_set_state(job->ctx, job->simulation, orbit.time, orbit.x,
                                                 orbit.x + slip_system_coordinates(job->system)));
    if (job->system->state_count > 0)
        SLIP_PASS(status = slip_simulation_set_states(job->ctx, job->simulation,
                                                      orbit.x + 2 * slip_system_coordinates(job->system)));
    status = slip_job_record(job, orbit.time, orbit.time + 2 * orbit.period, true);
    if (status == SLIP_OK && !orbit.stable)
        return slip_fail(job->ctx, SLIP_ERROR_SOLVER,
                         "the cycle of period %.9g next to the end of the run is not stable; the run has "
                         "not settled: give it more "
                         "time",
                         orbit.period);
    return status;
}

/* Of what turns or drifts the fundamental is that of the rest when its mean speed is taken off: over whole
 * periods, from `from` on, in which it gets `way` further, way (t - from)/length has the integrals
 * -way cos(w from)/w with sin(w t) and way sin(w from)/w with cos(w t). */
static void take_off_drift(const slip_job *job, int i, double from, double length, double way)
{
    slip_steady_result *steady = &job->result->steady;
    const double turn = 2 * acos(-1), period = job->settings->values.steady_period,
                 part = way * period / (acos(-1) * length),
                 phase = turn * (from / period - floor(from / period)),
                 sine = steady->amplitude[i] * cos(steady->phase_lag[i]) + part * cos(phase),
                 cosine = steady->amplitude[i] * sin(steady->phase_lag[i]) + part * sin(phase),
                 lag = atan2(cosine, sine);
    steady->amplitude[i] = hypot(sine, cosine);
    steady->phase_lag[i] = lag < 0 ? lag + turn : lag;
}

/* Two periods of the motion for the pictures, also of one that has not settled. */
static int record_periods(slip_job *job, const watch *w)
{
    const slip_symmetry *y = w->symmetry;
    const double period = job->settings->values.steady_period,
                 from = job->settings->values.start + (double)job->result->steady.periods_run * period,
                 length = 2 * job->result->steady.multiple * period;
    slip_simulation_whole_state(job->simulation, w->q, w->v);
    memcpy(w->size, w->q, (size_t)w->n * sizeof(double));
    SLIP_PASS_ALL(slip_job_record(job, from, from + length, true));
    slip_simulation_whole_state(job->simulation, w->q, w->v);
    for (int i = 0; i < y->n; i++) {
        bool moves = false;
        for (int k = 0; k < y->count; k++)
            moves = moves || y->shift[(ptrdiff_t)k * y->n + i] != 0;
        if (moves)
            take_off_drift(job, i, from, length, w->q[i] - w->size[i]);
    }
    return SLIP_OK;
}

int slip_job_settle(slip_job *job)
{
    slip_steady_result *steady = &job->result->steady;
    const slip_run_options *v = &job->settings->values;
    slip_recorder *recorder = NULL;
    slip_settling_estimate estimate = {.error = INFINITY};
    watch w = {0};
    int status, multiple = 0, later;
    if (isinf(v->steady_period))
        return settle_own(job);
    steady->asked = true;
    steady->forcing_period = v->steady_period;
    SLIP_TRY(open_watch(job, &w, &recorder));
    status = run_periods(job, &w, &multiple, &estimate);
    steady->periods_run = w.settling.periods + 1;
    steady->multiple = multiple > 0 ? multiple : 1;
    if (status != SLIP_OK)
        goto done;
    steady->settled = multiple > 0;
    steady->last_change = slip_settling_change(&w.settling, steady->multiple);
    steady->error = estimate.error + integration_error(job, &w);
    if (!steady->settled)
        status = not_settled(job, &w, &estimate);
    later = record_periods(job, &w);
    if (later != SLIP_OK)
        status = later;
done:
    slip_arena_free(&w.arena);
    slip_settling_free(&w.settling);
    slip_symmetry_destroy(w.symmetry);
    slip_recorder_destroy(recorder);
    return status;
}
