/* Runs of a built system, watched: events, the judge over samples of every step, the balance of energy. */
#ifndef SLIP_TESTS_RUN_SYSTEM_H
#define SLIP_TESTS_RUN_SYSTEM_H

#include "system_builder.h"

enum { run_most_events = 20000, run_most_n = 128, run_most_contacts = 128, run_samples = 3 };

typedef struct run_watch {
    const slip_system *system;
    slip_workspace *work;
    slip_event events[run_most_events];
    int count;
    double first_t, last_t;
    double residual, worst_slip;
    double idle; /* the longest step in which a contact is said to slip, and does not move */
    double energy, largest_energy; /* kinetic and elastic, at the last sample; the largest so far */
    double growth;                 /* the largest increase between two samples */
    double work_of_loads, dissipated;
} run_watch;

typedef struct run_outcome {
    int status;
    double t, q[run_most_n], v[run_most_n];
    slip_method_counters counters;
    run_watch *w;
} run_outcome;

static inline double quadratic(int n, const double *matrix, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += x[i] * matrix[i * n + j] * x[j];
    return sum;
}

static inline double energy_of(const slip_system *system, const double *q, const double *v)
{
    return 0.5 * (quadratic(system->n, system->mass, v) + quadratic(system->n, system->stiffness, q));
}

/* Powers at an instant: of the loads (contacts left out), and of damping and friction together. */
static inline void powers(run_watch *w, double t, const double *q, const double *v, const double *slip,
                          const double *force, double *load, double *loss)
{
    const slip_system *system = w->system;
    double f[run_most_n];
    assert_true(slip_system_loads(system, w->work, t, q, v, f));
    *load = 0;
    for (int i = 0; i < system->n; i++)
        *load += f[i] * v[i];
    *loss = -quadratic(system->n, system->damping, v);
    for (int c = 0; c < (int)system->contact_count; c++)
        *loss += force[c] * slip[c];
}

static inline int run_watch_step(void *user, const slip_step *step)
{
    /* Gauss-Lobatto with four points for the integrals */
    static const double at[] = {0, 0.27639320225002103, 0.72360679774997897, 1}, weight[] = {1, 5, 5, 1};
    run_watch *w = user;
    double q[run_most_n], v[run_most_n], a[run_most_n], slip[run_most_contacts], normal[run_most_contacts],
        force[run_most_contacts], mode[run_most_contacts], load, loss;
    slip_sample sample = {
        .q = q, .v = v, .a = a, .slip = slip, .normal = normal, .force = force, .mode = mode};
    assert_true(step->t0 == w->last_t);
    w->last_t = step->t1;
    for (int k = 0; k < 4; k++) {
        double t = k == 3 ? step->t1 : step->t0 + (step->t1 - step->t0) * at[k], energy;
        step->sample(step->self, t, &sample);
        w->residual =
            fmax(w->residual, slip_system_residual(w->system, w->work, t, q, v, normal, force, NULL));
        for (int c = 0; c < (int)w->system->contact_count; c++)
            if (mode[c] == SLIP_MODE_STICK)
                w->worst_slip = fmax(w->worst_slip, fabs(slip[c]));
            else if ((mode[c] == SLIP_MODE_SLIP_PLUS || mode[c] == SLIP_MODE_SLIP_MINUS) && k == 2 &&
                     fabs(slip[c]) < 1e-15)
                w->idle = fmax(w->idle, step->t1 - step->t0);
        powers(w, t, q, v, slip, force, &load, &loss);
        w->work_of_loads += load * weight[k] / 12 * (step->t1 - step->t0);
        w->dissipated += loss * weight[k] / 12 * (step->t1 - step->t0);
        energy = energy_of(w->system, q, v);
        w->growth = fmax(w->growth, energy - w->energy);
        w->energy = energy;
        w->largest_energy = fmax(w->largest_energy, energy);
    }
    return SLIP_OK;
}

static inline int run_watch_event(void *user, const slip_event *event)
{
    run_watch *w = user;
    if (w->count < run_most_events)
        w->events[w->count] = *event;
    w->count++;
    return SLIP_OK;
}

/* Of a finished system. */
static inline run_outcome run_method(bench *b, const char *method, slip_method_options options, double start,
                                     const double *q, const double *v, double end)
{
    run_outcome o = {.w = calloc(1, sizeof(run_watch))};
    void *self = NULL;
    const slip_method_type *type = slip_method_find(method);
    slip_observer observer = {.user = o.w, .step = run_watch_step, .event = run_watch_event};
    options.span = end - start;
    o.w->system = b->system;
    o.w->last_t = o.w->first_t = start;
    o.w->energy = o.w->largest_energy = energy_of(b->system, q, v);
    check_done(b, slip_workspace_create(b->ctx, b->system, &o.w->work));
    check_done(b, type->open(b->ctx, b->system, &options, start, q, v, &self));
    o.status = type->advance(self, end, &observer);
    type->state(self, &o.t, o.q, o.v);
    type->counters(self, &o.counters);
    type->close(self);
    return o;
}

static inline run_outcome run_event(bench *b, const char *segments, double tolerance, const double *q,
                                    const double *v, double end)
{
    if (!b->system->finished)
        check_done(b, slip_system_finish(b->ctx, b->system));
    return run_method(b, "event", (slip_method_options){.tolerance = tolerance, .segments = segments}, 0, q,
                      v, end);
}

static inline void run_finish(run_outcome *o)
{
    slip_workspace_destroy(o->w->work);
    free(o->w);
}

/* The laws hold at every sample, and what sticks does not move at all. */
static inline void run_check_judge(const run_outcome *o)
{
    assert_close(o->w->residual, 0, 1e-9);
    assert_true(o->w->worst_slip == 0);
}

static inline void run_check_event(const run_outcome *o, int k, const char *expected, double t,
                                   double tolerance)
{
    char found[40];
    assert_true(k < o->w->count && k < run_most_events);
    snprintf(found, sizeof found, "%s>%s", slip_mode_name(o->w->events[k].from),
             slip_mode_name(o->w->events[k].to));
    assert_string_equal(found, expected);
    assert_close(o->w->events[k].time, t, tolerance);
}

static inline void run_print_events(const run_outcome *o, int most)
{
    for (int k = 0; k < o->w->count && k < most && k < run_most_events; k++)
        print_error("  %.12g contact %d: %s>%s\n", o->w->events[k].time, o->w->events[k].contact,
                    slip_mode_name(o->w->events[k].from), slip_mode_name(o->w->events[k].to));
}

#endif
