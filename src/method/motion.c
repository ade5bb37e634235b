/* Methods as they are seen from outside: in the coordinates that were given, with all events of contacts. */
#include "method/motion.h"
#include "system/detector.h"

#include "system/field.h"

#include "io/keep.h"
#include "system/massless/massless.h"

#include <stdlib.h>
#include <string.h>

struct slip_motion {
    const slip_method_type *type;
    void *self;
    const slip_system *system;
    const slip_observer *observer; /* of the advance that is under way */
    /* Contacts that no method decides: what each does, as far as that is known. */
    int followed_count;
    slip_mode *shown;
    bool *known;
    double *seen;   /* modes of a sample */
    int64_t events; /* their changes */
    /* The rest is there where coordinates have no mass. */
    slip_massless_view *view; /* else NULL */
    slip_arena arena;
    slip_workspace *work;  /* of the given system */
    const slip_step *step; /* that the observer looks at */
    double *p, *w, *b;     /* a state of the system that moves */
    double *q, *v, *a;     /* scratch of a state that is shown */
    double *ends[6];       /* q0, v0, a0, q1, v1, a1 */
    double *slip, *normal, *force, *mode;
};

/* Friction on a coordinate without mass that a damper moves: to the method it is a load. */
static bool is_load(const slip_motion *m, int c)
{
    return m->system->massless && m->system->massless->contacts[c].limit > 0;
}

static bool is_followed(const slip_motion *m, int c)
{
    const slip_contact *contact = &m->system->contacts[c];
    return (contact->compliant && !(contact->of_structure && m->type->tells_contacts)) || is_load(m, c);
}

/* Room for what is shown of contacts, where some are followed. */
static int find_followed(slip_context *ctx, slip_motion *m)
{
    const int contacts = (int)m->system->contact_count;
    for (int c = 0; c < contacts; c++)
        m->followed_count += is_followed(m, c);
    if (m->followed_count == 0)
        return SLIP_OK;
    m->shown = slip_arena_array(&m->arena, contacts, sizeof *m->shown);
    m->known = slip_arena_array(&m->arena, contacts, sizeof *m->known);
    m->seen = slip_arena_array(&m->arena, 2 * contacts, sizeof *m->seen);
    return m->shown && m->known && m->seen ? SLIP_OK : slip_fail_memory(ctx);
}

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
    SLIP_PASS(slip_allocated(ctx, complete));
    const int status = slip_workspace_create(ctx, m->system, &m->work);
    return status < 0 ? status : slip_massless_view_create(ctx, m->system, &m->view);
}

int slip_motion_open(slip_context *ctx, const slip_method_type *type, const slip_system *system,
                     const slip_method_options *options, double t, const double *q, const double *v,
                     slip_motion **result)
{
    SLIP_FREED_BY(slip_motion_drop) slip_motion *m = slip_alloc(1, sizeof *m);
    int status = SLIP_OK;
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, m));
    m->type = type;
    m->system = system;
    SLIP_PASS(find_followed(ctx, m));
    if (system->field && !type->takes_fields) {
        status =
            slip_fail(ctx, SLIP_ERROR_MODEL,
                      "method `%s` does not take whole bodies; use `moreau`, or give every body `reduce: "
                      "{modes: 20}`",
                      type->info.name);
        return status;
    }
    if (slip_field_find_large(system) && !type->takes_large) {
        status =
            slip_fail(ctx, SLIP_ERROR_MODEL,
                      "method `%s` does not take `strain: large` of body `%s`, whose stiffness changes with "
                      "its motion; use `explicit`",
                      type->info.name, slip_field_find_large(system)->name);
        return status;
    }
    if (system->condensed && !type->takes_condensed) {
        status =
            slip_fail(ctx, SLIP_ERROR_MODEL,
                      "method `%s` does not take `reduce: {contact: condensed}`, whose contact points have "
                      "no mass to strike; use `exponential`, or `reduce: {contact: attachment}`",
                      type->info.name);
        return status;
    }
    if (system->detector_count > 0 && (!type->takes_detectors || system->massless)) {
        status =
            slip_fail(ctx, SLIP_ERROR_MODEL,
                      "contact `%s` has `sliding: large`, with which `moreau` and `explicit` move bodies and "
                      "every coordinate has a mass; use these, or `sliding: small` where the bodies hardly "
                      "slide",
                      system->contacts[system->detectors[0].first].name);
        return status;
    }
    if (system->field && (system->massless || system->condensed))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "coordinates without mass do not stand beside whole bodies; give each of them a "
                         "mass, or every body `reduce: {modes: 20}`");
    if (system->massless) {
        SLIP_PASS(make_room(ctx, m));
        slip_massless_enter(m->view, t, q, v, m->p, m->w);
        memcpy(m->ends[4], v, (size_t)system->n * sizeof(double));
        q = m->p;
        v = m->w;
    }
    SLIP_PASS(type->open(ctx, slip_system_moving(system), options, t, q, v, &m->self));
    SLIP_HAND(result, m);
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

/* The step of the system that moves, in the given coordinates. */
static slip_step show_step(slip_motion *m, const slip_step *inner)
{
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
    step.peak = NULL;
    return step;
}

/* ---- Compliant contacts open and close where their normal force vanishes, and friction on a damped
 * coordinate without mass holds it where it takes the whole force. No method decides that: it is looked for
 * in every step. */

static slip_mode mode_at(const slip_motion *m, const slip_step *step, int c, double t)
{
    step->sample(step->self, t,
                 &(slip_sample){.mode = m->seen, .normal = m->seen + m->system->contact_count});
    return (slip_mode)m->seen[c];
}

static int tell(slip_motion *m, int c, double t, slip_mode mode)
{
    const slip_event event = {t, c, m->shown[c], mode};
    const bool news = m->known[c] && event.from != mode;
    m->shown[c] = mode;
    m->known[c] = true;
    return news && m->observer->event ? m->observer->event(m->observer->user, &event) : SLIP_OK;
}

/* Whether a change of mode is none of those that are looked for: of a compliant contact they are opening and
 * closing. */
static bool alike(const slip_motion *m, int c, slip_mode one, slip_mode other)
{
    return is_load(m, c) ? one == other : (one == SLIP_MODE_OPEN) == (other == SLIP_MODE_OPEN);
}

/* The contact changes its mode between two times: when? */
static int tell_switch(slip_motion *m, const slip_step *step, int c, double before, double after,
                       slip_mode mode)
{
    for (;;) {
        const double middle = before + 0.5 * (after - before);
        if (!(middle > before && middle < after))
            break;
        const slip_mode there = mode_at(m, step, c, middle);
        if (alike(m, c, there, m->shown[c])) {
            before = middle;
        } else {
            after = middle;
            mode = there;
        }
    }
    m->events++;
    return tell(m, c, after, mode);
}

static int follow(slip_motion *m, const slip_step *step)
{
    enum { looks = 4 };
    double before = step->t0;
    int status = SLIP_OK;
    for (int k = 0; k < looks && step->t1 > step->t0; k++) {
        const double t = step->t0 + (step->t1 - step->t0) * (k + 0.5) / looks;
        for (int c = 0; c < m->system->contact_count && status == SLIP_OK; c++) {
            if (!is_followed(m, c))
                continue;
            const slip_mode mode = mode_at(m, step, c, t);
            if (m->known[c] && !alike(m, c, mode, m->shown[c]))
                status = tell_switch(m, step, c, before, t, mode);
            else if (!m->known[c])
                status = tell(m, c, t, mode);
        }
        before = t;
    }
    return status;
}

static int see_step(void *user, const slip_step *inner)
{
    slip_motion *m = user;
    const slip_step step = m->view ? show_step(m, inner) : *inner;
    const int status = m->followed_count > 0 ? follow(m, &step) : SLIP_OK;
    if (status < 0)
        return status;
    const int seen = m->observer->step ? m->observer->step(m->observer->user, &step) : SLIP_OK;
    return seen == SLIP_OK ? status : seen;
}

/* What a contact does that nothing presses is no event. */
static int see_event(void *user, const slip_event *event)
{
    slip_motion *m = user;
    if (m->system->contacts[event->contact].compliant)
        return m->shown[event->contact] == SLIP_MODE_OPEN ? SLIP_OK
                                                          : tell(m, event->contact, event->time, event->to);
    return m->observer->event ? m->observer->event(m->observer->user, event) : SLIP_OK;
}

static void see_impulse(void *user, int contact, double impulse)
{
    const slip_observer *observer = ((const slip_motion *)user)->observer;
    if (observer->impulse)
        observer->impulse(observer->user, contact, impulse);
}

int slip_motion_advance(slip_motion *m, double end, const slip_observer *observer)
{
    slip_observer own = {.user = m, .step = see_step, .event = see_event, .impulse = see_impulse};
    m->observer = observer;
    own.arrived = observer->arrived;
    own.arrived_user = observer->arrived_user;
    if (!m->view)
        own.works = observer->works;
    return m->type->advance(m->self, end, m->view || m->followed_count > 0 ? &own : observer);
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
    if (m->type->remember)
        m->type->remember(m->self, memory);
}

void slip_motion_tell_modes(const slip_motion *m, slip_mode *modes)
{
    for (int c = 0; c < m->system->contact_count && m->followed_count > 0; c++)
        if (is_followed(m, c) && m->known[c])
            modes[c] = m->shown[c];
}

void slip_motion_counters(const slip_motion *m, slip_method_counters *counters)
{
    m->type->counters(m->self, counters);
    counters->events += m->events;
}

/* What contacts do that no method decides: a mode of each, -1 where it is not known yet. */
static void keep_followed(slip_motion *m, slip_keeper *k)
{
    const int contacts = (int)m->system->contact_count;
    double *modes = m->seen, events = (double)m->events;
    for (int c = 0; c < contacts; c++)
        modes[c] = m->known[c] ? (double)m->shown[c] : -1;
    slip_keep(k, "contacts/modes", modes, contacts);
    slip_keep(k, "contacts/events", &events, 1);
    if (slip_kept_read(k))
        k->status = slip_h5_check_whole(k->file, "contacts/modes", modes, contacts, -1, SLIP_MODE_CLOSED);
    if (slip_kept_read(k))
        k->status = slip_h5_check_whole(k->file, "contacts/events", &events, 1, 0, 1e15);
    for (int c = 0; slip_kept_back(k) && c < contacts; c++) {
        m->known[c] = modes[c] >= 0;
        m->shown[c] = m->known[c] ? (slip_mode)modes[c] : SLIP_MODE_OPEN;
    }
    m->events = slip_kept_back(k) ? (int64_t)events : m->events;
}

void slip_motion_keep(slip_motion *m, slip_keeper *keeper)
{
    m->type->keep(m->self, keeper);
    if (m->followed_count > 0 && keeper->status >= 0)
        keep_followed(m, keeper);
}

int slip_motion_look(slip_motion *m, slip_sample *now)
{
    return m->type->look(m->self, now);
}

int slip_motion_adopt(slip_motion *m, const slip_system *system)
{
    return m->type->adopt(m->self, system);
}

int slip_motion_numbers(slip_motion *m, const slip_number_sink *sink)
{
    return m->type->numbers ? m->type->numbers(m->self, sink) : SLIP_OK;
}

bool slip_motion_shows(const slip_system *system)
{
    bool shows = system->massless != NULL;
    for (int c = 0; c < system->contact_count; c++)
        shows = shows || system->contacts[c].compliant;
    return shows;
}

bool slip_motion_opens(const slip_contact *contact)
{
    return contact->has_gap || contact->compliant;
}
