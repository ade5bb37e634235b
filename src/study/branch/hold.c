/* Contacts and sliders that stick for the whole period.
 *
 * A contact that sticks for a whole period is a support, a slider that does so a spring, and the constant
 * part of the friction force is arbitrary within its limits: there is a continuum of motions, and close to
 * its end a motion with little slip hardly differs from one without. So an active set is used: a set of
 * contacts and sliders is held, which cannot slip, the motion is found, and then the set is checked. Contacts
 * that are held and exceed their limit are released; free ones that have not moved are held; and those that
 * slip for a short time are tried both ways. Stick ends where the largest force of the held motion reaches
 * the limit, to rounding. */
#include "study/branch/branch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { most_turns = 8 };

/* A contact that slips for a smaller part of the period than `brief` is tried held; a deflection closer to
 * its limit than `touching` slips. */
static const double brief = 0.05, touching = 1e-9, still = 1e-9;

static int count_of(const slip_orbit_branch *b)
{
    return slip_held_count(b->simulation->ready->system);
}

void slip_branch_hold(slip_orbit_branch *b, const bool *held)
{
    const int count = count_of(b);
    bool changes = false;
    for (int i = 0; i < count; i++) {
        const bool now = held && held[i];
        changes = changes || now != b->held[i];
        b->held[i] = now;
    }
    if (changes)
        slip_branch_unbind(b);
}

int slip_branch_copy_held(const slip_orbit_branch *b, const bool *from, bool **to)
{
    *to = slip_alloc(count_of(b) + 1, sizeof **to);
    SLIP_PASS(slip_allocated(b->ctx, *to));
    memcpy(*to, from, (size_t)count_of(b) * sizeof **to);
    return SLIP_OK;
}

/* ---- Which contacts slip in a motion. */

/* The part of the period for which a contact does not stick; infinite where it opens. */
static double slipping(const slip_arc_flow *flow, const slip_orbit *orbit, int contact)
{
    const slip_event *last = NULL, *first = NULL;
    double sum = 0;
    for (int64_t k = 0; k < flow->event_count; k++) {
        const slip_event *event = &flow->events[k];
        if (event->contact != contact)
            continue;
        if (event->from == SLIP_MODE_OPEN || event->to == SLIP_MODE_OPEN)
            return INFINITY;
        if (last && last->to != SLIP_MODE_STICK)
            sum += event->time - last->time;
        last = event;
        first = first ? first : event;
    }
    if (!last)
        return flow->end.modes[contact] == SLIP_MODE_STICK ? 0 : INFINITY;
    if (last->to != SLIP_MODE_STICK)
        sum += first->time + orbit->period - last->time;
    return sum / orbit->period;
}

/* Whether a contact has several sliders, whose modes may differ from that of the contact. */
static bool has_sliders(const slip_system *system)
{
    bool several = false;
    for (int64_t c = 0; c < system->contact_count; c++)
        several = several || system->contacts[c].slider_count > 1;
    return several;
}

/* State of a contact or slider in a search: not held yet; held because it slips for a short time; held
 * because it has not moved; released. */
typedef enum story { UNTRIED, TRIED, UNMOVED, LET_GO } story;

/* Judges the free contact or slider i: whether it sticks for the whole period or should be tried held. */
static story look_free(const slip_orbit_branch *b, const slip_orbit *orbit, const double *range, story before,
                       int i)
{
    const slip_system *system = b->flow.system;
    const int contact = slip_held_contact(system, i);
    const double share = slipping(&b->flow, orbit, contact);
    if (i >= system->contact_count && system->contacts[contact].slider_count > 1)
        return range[slip_held_low] > touching * range[slip_held_limit] &&
                       range[slip_held_high] < -touching * range[slip_held_limit]
                   ? UNMOVED
                   : before;
    /* harmonic balance distinguishes little slip from none, so that no trial is needed */
    return share == 0 ? UNMOVED : share < brief && before == UNTRIED && !b->flow.map ? TRIED : before;
}

/* Sets slip velocities that are zero but for rounding at the start to zero: the contact would stick at once,
 * which would count as an event. True where there was one. */
static bool stop(const slip_orbit_branch *b, slip_orbit *orbit)
{
    const slip_system *system = b->flow.system;
    const int coordinates = slip_system_coordinates(system);
    bool any = false;
    for (int c = 0; c < system->contact_count && !b->flow.map; c++) {
        const slip_slip_form *form = &system->contacts[c].slip;
        double slip = 0, square = 0, size = 0;
        if (b->held[c] || !slip_held_may(system, c) || form->rest)
            continue;
        for (int k = 0; k < form->support_count; k++) {
            const int i = form->support[k];
            slip += form->row[i] * orbit->x[coordinates + i];
            square += form->row[i] * form->row[i];
            size = fmax(size, fabs(form->row[i]) * orbit->scale[coordinates + i]);
        }
        if (slip == 0 || fabs(slip) > still * size)
            continue;
        any = true;
        for (int k = 0; k < form->support_count; k++)
            orbit->x[coordinates + form->support[k]] -= slip * form->row[form->support[k]] / square;
    }
    return any;
}

/* Sets `next` to the contacts and sliders that should be held according to the present motion; *changes:
 * these are others than now. SLIP_STOPPED: one that did not move would slip with its force in the middle of
 * its range; the step has left the branch for other motions of the continuum. */
static int judge(slip_orbit_branch *b, slip_orbit *orbit, double *ranges, story *stories, bool *next,
                 bool *changes)
{
    const slip_system *system = b->flow.system;
    bool look = has_sliders(system) || stop(b, orbit);
    int status = SLIP_OK;
    *changes = false;
    for (int i = 0; i < count_of(b); i++)
        look = look || b->held[i];
    if (look) {
        b->flow.low = ranges + slip_held_numbers * count_of(b); /* steps are seen where these are wanted */
        b->flow.high = b->flow.low + slip_system_coordinates(system);
        b->flow.fourier = b->flow.high + slip_system_coordinates(system);
        b->flow.ranges = ranges;
        status = slip_orbit_evaluate(&b->flow, orbit);
        b->flow.low = b->flow.high = b->flow.ranges = b->flow.fourier = NULL;
    }
    for (int i = 0; i < count_of(b) && status == SLIP_OK; i++) {
        const double *range = ranges + (int64_t)slip_held_numbers * i;
        const bool held = b->held[i];
        if (held)
            next[i] =
                slip_held_within(range) && !isinf(slipping(&b->flow, orbit, slip_held_contact(system, i)));
        if (held && !next[i] && stories[i] == UNMOVED)
            status = SLIP_STOPPED;
        if (held && !next[i])
            stories[i] = LET_GO;
        if (!held && slip_held_may(system, i)) {
            const story now = look_free(b, orbit, range, stories[i], i);
            next[i] = now == UNMOVED || (now == TRIED && stories[i] == UNTRIED);
            stories[i] = now;
        }
        *changes = *changes || next[i] != held;
    }
    return status;
}

/* Where no motion is found with the present set: holds in addition those that slip for less than half of the
 * period. False where there are none. */
static bool guess(const slip_orbit_branch *b, const slip_orbit *orbit, bool *next)
{
    const slip_system *system =
        b->flow.system; /* NULL where the model could not be bound at the last value */
    bool changes = false;
    for (int i = 0; i < count_of(b) && system; i++) {
        next[i] = b->held[i] ||
                  (slip_held_may(system, i) && slipping(&b->flow, orbit, slip_held_contact(system, i)) < 0.5);
        changes = changes || next[i] != b->held[i];
    }
    return changes;
}

/* ---- The search. */

static int change(slip_orbit_branch *b, const bool *next, double p, slip_orbit *orbit)
{
    slip_branch_hold(b, next);
    return slip_branch_bind(b, p, &b->flow, orbit);
}

int slip_branch_solve(slip_orbit_branch *b, slip_orbit *orbit, slip_orbit_row *row)
{
    const int count = count_of(b), coordinates = slip_system_coordinates(b->flow.system);
    const size_t bytes = (size_t)orbit->count * (size_t)orbit->arcs * sizeof(double);
    const double p = row ? row->p : b->bound_at;
    SLIP_FREED double *room =
        slip_alloc((int64_t)slip_held_numbers * count + 2 * coordinates + slip_arc_flow_integrals(&b->flow) +
                       (int64_t)orbit->count * orbit->arcs + 1,
                   sizeof(double));
    double *start = room;
    SLIP_FREED bool *next = slip_alloc(count + 1, sizeof *next);
    bool changes = true, moved = false;
    SLIP_FREED story *stories = slip_alloc(count + 1, sizeof *stories);
    int status = room && next && stories ? SLIP_OK : slip_fail_memory(b->ctx);
    if (status == SLIP_OK)
        memcpy(start, orbit->x, bytes);
    for (int turn = 0; turn < most_turns && changes && status == SLIP_OK; turn++) {
        /* in shooting, a search with another set keeps the value of the parameter: the plane of the step may
         * meet the continuum elsewhere */
        status = slip_orbit_solve(&b->flow, orbit, moved ? NULL : row);
        if (orbit->own_period || orbit->arcs > 1)
            break;
        if (status == SLIP_STOPPED && turn == 0 && guess(b, orbit, next)) {
            memcpy(orbit->x, start, bytes);
            if (row) {
                row->p = p;
                row->right = 0;
            }
            status = change(b, next, p, orbit);
            continue;
        }
        if (status == SLIP_OK)
            status = judge(b, orbit, room + orbit->count, stories, next, &changes);
        moved = moved || (changes && !b->flow.map);
        if (status == SLIP_OK && changes)
            status = turn + 1 < most_turns ? change(b, next, row ? row->p : p, orbit) : SLIP_STOPPED;
    }
    return status == SLIP_ERROR_SOLVER ? SLIP_STOPPED : status;
}
