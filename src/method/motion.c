#include "method/motion.h"

#include "system/massless.h"

#include <stdlib.h>
#include <string.h>

struct slip_motion {
    const slip_method_type *type;
    void *self;
    const slip_system *system;
    /* The rest is there where coordinates have no mass. */
    slip_massless_view *view; /* else NULL */
    slip_arena arena;
    slip_workspace *work;          /* of the given system */
    const slip_observer *observer; /* of the advance that is under way */
    const slip_step *step;         /* that the observer looks at */
    double *p, *w, *b;             /* a state of the system that moves */
    double *q, *v, *a;             /* scratch of a state that is shown */
    double *ends[6];               /* q0, v0, a0, q1, v1, a1 */
    double *slip, *normal, *force, *mode;
};

static int make_room(slip_context *ctx, slip_motion *m)
{
    const int64_t n = m->system->massless->system->n, given = m->system->n,
                  contacts = m->system->contact_count;
    double **const moving[] = {&m->p, &m->w, &m->b}, **const shown[] = {&m->q, &m->v, &m->a},
                   **const of_contacts[] = {&m->slip, &m->normal, &m->force, &m->mode};
    bool complete = true;
    for (int k = 0; k < 3; k++) {
        *moving[k] = slip_arena_array(&m->arena, n, sizeof(double));
        *shown[k] = slip_arena_array(&m->arena, given, sizeof(double));
        complete = complete && *moving[k] && *shown[k];
    }
    for (int k = 0; k < 6; k++)
        complete = complete && (m->ends[k] = slip_arena_array(&m->arena, given, sizeof(double)));
    for (int k = 0; k < 4; k++)
        complete = complete && (*of_contacts[k] = slip_arena_array(&m->arena, contacts, sizeof(double)));
    if (!complete)
        return slip_fail_memory(ctx);
    const int status = slip_workspace_create(ctx, m->system, &m->work);
    return status < 0 ? status : slip_massless_view_create(ctx, m->system, &m->view);
}

int slip_motion_open(slip_context *ctx, const slip_method_type *type, const slip_system *system,
                     const slip_method_options *options, double t, const double *q, const double *v,
                     slip_motion **result)
{
    slip_motion *m = slip_alloc(1, sizeof *m);
    int status = SLIP_OK;
    *result = NULL;
    if (!m)
        return slip_fail_memory(ctx);
    m->type = type;
    m->system = system;
    if (system->massless) {
        SLIP_TRY(make_room(ctx, m));
        slip_massless_enter(m->view, t, q, v, m->p, m->w);
        memcpy(m->ends[4], v, (size_t)system->n * sizeof(double));
        q = m->p;
        v = m->w;
    }
    SLIP_TRY(type->open(ctx, slip_system_moving(system), options, t, q, v, &m->self));
done:
    if (status < 0) {
        slip_motion_close(m);
        m = NULL;
    }
    *result = m;
    return status;
}

void slip_motion_close(slip_motion *m)
{
    if (!m)
        return;
    if (m->self)
        m->type->close(m->self);
    slip_massless_view_destroy(m->view);
    slip_workspace_destroy(m->work);
    slip_arena_free(&m->arena);
    free(m);
}

/* ---- What observers see. */

static void show_sample(const void *self, double t, slip_sample *sample)
{
    const slip_motion *m = self;
    slip_sample inner = {.q = m->p,
                         .v = m->w,
                         .a = m->b,
                         .slip = sample->slip ? sample->slip : m->slip,
                         .normal = sample->normal ? sample->normal : m->normal,
                         .force = sample->force ? sample->force : m->force,
                         .mode = sample->mode ? sample->mode : m->mode,
                         .patches = sample->patches};
    double *q = sample->q ? sample->q : m->q, *v = sample->v ? sample->v : m->v;
    m->step->sample(m->step->self, t, &inner);
    slip_massless_leave(m->view, t, m->p, m->w, m->b, q, v, sample->a);
    for (int c = 0; c < m->system->contact_count; c++)
        slip_massless_contact_state(m->view, c, t, q, v, &inner.slip[c], &inner.force[c], &inner.mode[c]);
}

static void show_state(const void *self, double t, double *q, double *v)
{
    show_sample(self, t, &(slip_sample){.q = q, .v = v});
}

static bool show_loads(const void *self, double t, const double *q, const double *v, double *loads)
{
    const slip_motion *m = self;
    return slip_system_given_loads(m->system, m->work, t, q, v, loads);
}

static void show_forces(const void *self, double t, double *forces)
{
    const slip_motion *m = self;
    m->step->forces(m->step->self, t, forces);
}

static int see_step(void *user, const slip_step *inner)
{
    slip_motion *m = user;
    slip_step step = *inner;
    m->step = inner;
    for (int end = 0; end < 2; end++)
        show_sample(
            m, end ? step.t1 : step.t0,
            &(slip_sample){.q = m->ends[3 * end], .v = m->ends[3 * end + 1], .a = m->ends[3 * end + 2]});
    step.q0 = m->ends[0];
    step.v0 = m->ends[1];
    step.a0 = m->ends[2];
    step.q1 = m->ends[3];
    step.v1 = m->ends[4];
    step.a1 = m->ends[5];
    step.told = step.rough0 = step.rough1 = false; /* works are those of the given system */
    step.self = m;
    step.state = show_state;
    step.sample = show_sample;
    step.loads = show_loads;
    step.forces = inner->forces ? show_forces : NULL;
    return m->observer->step ? m->observer->step(m->observer->user, &step) : SLIP_OK;
}

static int see_event(void *user, const slip_event *event)
{
    const slip_observer *observer = ((const slip_motion *)user)->observer;
    return observer->event ? observer->event(observer->user, event) : SLIP_OK;
}

static void see_impulse(void *user, int contact, double impulse)
{
    const slip_observer *observer = ((const slip_motion *)user)->observer;
    if (observer->impulse)
        observer->impulse(observer->user, contact, impulse);
}

int slip_motion_advance(slip_motion *m, double end, const slip_observer *observer)
{
    const slip_observer own = {.user = m, .step = see_step, .event = see_event, .impulse = see_impulse};
    m->observer = observer;
    return m->type->advance(m->self, end, m->view ? &own : observer);
}

/* A velocity without mass is that of the last step: the state does not tell it, and nothing needs it. */
void slip_motion_state(slip_motion *m, double *t, double *q, double *v)
{
    if (!m->view) {
        m->type->state(m->self, t, q, v);
        return;
    }
    m->type->state(m->self, t, m->p, m->w);
    memset(m->b, 0, (size_t)m->system->massless->system->n * sizeof(double));
    slip_massless_leave(m->view, *t, m->p, m->w, m->b, q, v, NULL);
    for (int i = 0; i < slip_system_coordinates(m->system); i++)
        if (m->system->massless->weight[i] != SLIP_HEAVY)
            v[i] = m->ends[4][i];
}

void slip_motion_remember(const slip_motion *m, slip_method_memory *memory)
{
    m->type->remember(m->self, memory);
}

void slip_motion_counters(const slip_motion *m, slip_method_counters *counters)
{
    m->type->counters(m->self, counters);
}
