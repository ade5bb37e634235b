/* Runs of systems with patches, watched: continuity of steps, the judge, the power of friction, events. */
#ifndef SLIP_TESTS_PATCH_RUN_H
#define SLIP_TESTS_PATCH_RUN_H

#include "system_builder.h"

#include <math.h>
#include <stdlib.h>

enum { watched_events = 600, watched_most = 8 };

typedef struct patch_watch {
    const slip_system *system;
    slip_workspace *work;
    double last_t, residual, power; /* largest */
    slip_event events[watched_events];
    double states[watched_events][4]; /* q and v of the first two coordinates at each event */
    double q[watched_most], v[watched_most];
    int count;
} patch_watch;

typedef struct patch_outcome {
    int status;
    double t, q[watched_most], v[watched_most];
    slip_method_counters counters;
    patch_watch *w;
} patch_outcome;

static inline int patch_watch_step(void *user, const slip_step *step)
{
    patch_watch *w = user;
    double q[watched_most], v[watched_most], a[watched_most], slip[watched_most], normal[watched_most],
        force[watched_most], mode[watched_most];
    slip_patch_state patches[watched_most];
    slip_sample sample = {.q = q,
                          .v = v,
                          .a = a,
                          .slip = slip,
                          .normal = normal,
                          .force = force,
                          .mode = mode,
                          .patches = patches};
    assert_true(step->t0 == w->last_t && step->t1 >= step->t0);
    w->last_t = step->t1;
    for (int k = 0; k <= 3; k++) {
        double t = k == 3 ? step->t1 : step->t0 + (step->t1 - step->t0) * k / 3;
        step->sample(step->self, t, &sample);
        w->residual =
            fmax(w->residual, slip_system_residual(w->system, w->work, t, q, v, normal, force, patches));
        for (int c = 0; c < (int)w->system->contact_count; c++) {
            const slip_contact *contact = &w->system->contacts[c];
            double power = 0;
            for (int part = 0; part < contact->shown / 2; part++)
                power += patches[contact->vector].force[part] * patches[contact->vector].slip[part];
            w->power = fmax(w->power, power);
            if (contact->shown > 0 && mode[c] == SLIP_MODE_STICK)
                assert_true(slip[c] == 0);
        }
    }
    memcpy(w->q, step->q1, (size_t)w->system->n * sizeof(double));
    memcpy(w->v, step->v1, (size_t)w->system->n * sizeof(double));
    return SLIP_OK;
}

static inline int patch_watch_event(void *user, const slip_event *event)
{
    patch_watch *w = user;
    if (w->count < watched_events) {
        w->events[w->count] = *event;
        for (int i = 0; i < 2 && i < w->system->n; i++) {
            w->states[w->count][i] = w->q[i];
            w->states[w->count][2 + i] = w->v[i];
        }
    }
    w->count++;
    return SLIP_OK;
}

static inline patch_outcome patch_run(slip_context *ctx, const slip_system *system, const char *method,
                                      slip_method_options options, const double *q, const double *v,
                                      double end)
{
    patch_outcome o = {.w = calloc(1, sizeof(patch_watch))};
    const slip_method_type *type = slip_method_find(method);
    slip_observer observer = {.user = o.w, .step = patch_watch_step, .event = patch_watch_event};
    void *self = NULL;
    options.span = end;
    o.w->system = system;
    assert_int_equal(slip_workspace_create(ctx, system, &o.w->work), SLIP_OK);
    o.status = type->open(ctx, system, &options, 0, q, v, &self);
    if (o.status == SLIP_OK)
        o.status = type->advance(self, end, &observer);
    if (o.status < 0)
        print_error("%s\n", slip_context_message(ctx));
    assert_int_equal(o.status, SLIP_OK);
    type->state(self, &o.t, o.q, o.v);
    type->counters(self, &o.counters);
    type->close(self);
    return o;
}

static inline patch_outcome patch_run_event(bench *b, double tolerance, const double *q, const double *v,
                                            double end)
{
    if (!b->system->finished)
        check_done(b, slip_system_finish(b->ctx, b->system));
    return patch_run(b->ctx, b->system, "event", (slip_method_options){.tolerance = tolerance}, q, v, end);
}

static inline void patch_finish(patch_outcome *o)
{
    slip_workspace_destroy(o->w->work);
    free(o->w);
}

static inline void patch_check_event(const patch_outcome *o, int k, int contact, const char *expected,
                                     double t, double tolerance)
{
    char found[40];
    assert_true(k < o->w->count && k < watched_events);
    snprintf(found, sizeof found, "%s>%s", slip_mode_name(o->w->events[k].from),
             slip_mode_name(o->w->events[k].to));
    assert_string_equal(found, expected);
    assert_int_equal(o->w->events[k].contact, contact);
    assert_close(o->w->events[k].time, t, tolerance);
}

static inline void patch_print(const patch_outcome *o)
{
    for (int k = 0; k < o->w->count && k < watched_events; k++)
        print_error("  %.12g contact %d: %s>%s\n", o->w->events[k].time, o->w->events[k].contact,
                    slip_mode_name(o->w->events[k].from), slip_mode_name(o->w->events[k].to));
    print_error("  residual %g, power %g\n", o->w->residual, o->w->power);
}

/* Slip velocities as texts, NULL for what is not there. */
static inline void add_patch(bench *b, const char *name, const char *x, const char *y, const char *spin,
                             const char *normal, double mu, const slip_patch_options *area)
{
    slip_patch_contact pad = {.name = name, .mu = mu};
    pad.slip[0] = x ? compile(b, x) : NULL;
    pad.slip[1] = y ? compile(b, y) : NULL;
    pad.slip[2] = spin ? compile(b, spin) : NULL;
    pad.normal_force = normal ? compile(b, normal) : NULL;
    check_done(b, slip_patch_create(b->ctx, area, &pad.law));
    check_done(b, slip_system_add_patch(b->ctx, b->system, &pad));
}

#endif
