/* Periodic motions that stand beside each other: one of them for a branch.
 *
 * A friction damper whose slider sticks all the time is a spring, and its force may have any constant part
 * that the slider can bear: with monodromy matrix M there are directions D with (M - 1) D = 0. A branch goes
 * along the member in the middle: otherwise it goes along the rim, where the slider is about to slip. */
#include "study/branch/branch.h"

#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Singular values that are zero, shifts that count, those by which effects are found, the part of the period
 * for which a contact slips where it may be on the rim, and velocities that are zero. */
static const double zero = 1e-8, much = 1e-9, little = 1e-6, rim = 0.05, still = 1e-9;

/* At a fold M - 1 is singular too, but the parameter moves the motion out of its range. */
static bool folds(const slip_orbit_branch *b, const slip_orbit *orbit, const double *left, int column)
{
    const int n = orbit->count;
    double along = 0, size = 0;
    for (int i = 0; i < n; i++) {
        const double by = (orbit->by_parameter[i] + orbit->period_rate * orbit->rates[i]) *
                          (b->high - b->low) / orbit->scale[i];
        along += by * left[i * n + column];
        size += by * by;
    }
    return fabs(along) > 1e-5 * sqrt(size);
}

/* Columns of `right` from *first on are the directions, in units of the scales. */
static bool find_neutral(const slip_orbit_branch *b, const slip_orbit *orbit, double *matrix, double *values,
                         double *left, double *right, int *first)
{
    const int n = orbit->count;
    bool any = false;
    for (int i = 0; i < n && !any; i++)
        any = hypot(orbit->real[i] - 1, orbit->imaginary[i]) < zero;
    if (!any)
        return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            matrix[i * n + j] = (orbit->by_state[i * n + j] - (i == j)) * orbit->scale[j] / orbit->scale[i];
    if (!slip_dense_singular(n, matrix, values, left, right))
        return false;
    for (*first = n;
         *first > 0 && values[*first - 1] < zero * values[0] && !folds(b, orbit, left, *first - 1);)
        --*first;
    return *first < n;
}

int slip_branch_keep_across(slip_orbit_branch *b, slip_branch_point *point, double *direction)
{
    const int n = point->orbit.count;
    double *room = slip_alloc(3 * (int64_t)n * n + n, sizeof(double)), left = 0;
    int first = 0;
    if (!room)
        return slip_fail_memory(b->ctx);
    double *right = room + 2 * n * n;
    if (point->orbit.arcs == 1 && !point->orbit.own_period &&
        find_neutral(b, &point->orbit, room, room + 3 * n * n, room + n * n, right, &first)) {
        point->neutral = true;
        for (int d = first; d < n; d++) {
            double along = 0;
            for (int i = 0; i < n; i++)
                along += direction[i] * right[i * n + d];
            for (int i = 0; i < n; i++)
                direction[i] -= along * right[i * n + d];
        }
        for (int i = 0; i < n + 2; i++)
            left += direction[i] * direction[i];
        if (left < 1e-4) /* where the walk came along them, on is where the parameter goes on */
            direction[n + 1] = direction[n + 1] < 0 ? -1 : 1;
    }
    free(room);
    return SLIP_OK;
}

/* What has a middle: deflections of sliders, and forces of contacts without them that stick all the time. */
static bool has_middle(const slip_arc_flow *flow, int i)
{
    if (i >= flow->system->contact_count)
        return true;
    const slip_contact *contact = &flow->system->contacts[i];
    bool moves = flow->modes[i] != SLIP_MODE_STICK;
    for (int64_t k = 0; k < flow->event_count; k++)
        moves = moves || flow->events[k].contact == i;
    return contact->slider_count == 0 && !moves;
}

/* A slip velocity that is zero but for rounding at the start is zero. */
static void hold(const slip_orbit_branch *b, slip_orbit *orbit)
{
    const slip_system *system = b->flow.system;
    const int coordinates = slip_system_coordinates(system);
    for (int c = 0; c < system->contact_count; c++) {
        const slip_slip_form *form = &system->contacts[c].slip;
        double slip = form->constant;
        int largest = -1;
        if (system->contacts[c].slider_count > 0 || !form->row || form->rest)
            continue;
        for (int k = 0; k < coordinates; k++) {
            slip += form->row[k] * orbit->x[coordinates + k];
            if (form->row[k] != 0 && (largest < 0 || fabs(form->row[k]) > fabs(form->row[largest])))
                largest = k;
        }
        if (largest >= 0 &&
            fabs(slip) < still * fabs(form->row[largest]) * orbit->scale[coordinates + largest])
            orbit->x[coordinates + largest] -= slip / form->row[largest];
    }
}

/* How the middles of all ranges change along a direction, a column of `right`: in units of their sizes. */
static int find_effect(slip_orbit_branch *b, slip_orbit *orbit, const double *from, const double *right,
                       int d, const double *ranges, double *other, double *effect)
{
    const int n = orbit->count, held = slip_arc_flow_held(&b->flow);
    const int64_t events = b->flow.event_count;
    int status = SLIP_OK;
    for (int k = 0; k < 2; k++) {
        const double way = k ? -little : little;
        for (int i = 0; i < n; i++)
            orbit->x[i] = from[i] + way * right[i * n + d] * orbit->scale[i];
        hold(b, orbit);
        b->flow.low = other + 2 * held; /* steps are seen where these are wanted */
        b->flow.high = b->flow.low + slip_system_coordinates(b->flow.system);
        b->flow.ranges = other;
        status = slip_orbit_evaluate(&b->flow, orbit);
        b->flow.low = b->flow.high = b->flow.ranges = NULL;
        for (int i = 0; i < held && status == SLIP_OK; i++) {
            const double size = fmax(fabs(ranges[2 * i]), fabs(ranges[2 * i + 1]));
            effect[i] = (other[2 * i] + other[2 * i + 1] - ranges[2 * i] - ranges[2 * i + 1]) /
                        (2 * way * (size > 0 ? size : 1));
        }
        if (status != SLIP_OK || b->flow.event_count <= events)
            break; /* else it slips there */
    }
    return status;
}

/* Along each direction in turn the sum of squares of the middles of ranges, over their sizes, is made least;
 * a direction that changes none of them is left alone. Directions are orthogonal, but what they do need not
 * be: a few rounds. */
static double find_shift(const slip_orbit *orbit, const double *right, int first, int held,
                         const double *effects, double *middles, double *shift)
{
    const int n = orbit->count;
    double moved = 0;
    for (int turn = 0; turn < 20; turn++)
        for (int d = first; d < n; d++) {
            const double *effect = effects + (int64_t)(d - first) * held;
            double along = 0, square = 0;
            for (int i = 0; i < held; i++) {
                along += middles[i] * effect[i];
                square += effect[i] * effect[i];
            }
            if (!(square > 1e-12))
                continue;
            for (int i = 0; i < held; i++)
                middles[i] -= along / square * effect[i];
            for (int i = 0; i < n; i++)
                shift[i] -= along / square * right[i * n + d];
        }
    for (int i = 0; i < n; i++)
        moved = fmax(moved, fabs(shift[i]));
    return moved;
}

bool slip_branch_centre(slip_orbit_branch *b, slip_branch_point *point, const double *ranges, int *status)
{
    slip_orbit *orbit = &point->orbit;
    const int n = orbit->count, held = slip_arc_flow_held(&b->flow),
              coordinates = slip_system_coordinates(b->flow.system);
    double *room;
    bool *counts, any = false, looked = false;
    int first = 0;
    *status = SLIP_OK;
    if (orbit->own_period || orbit->arcs > 1 || b->flow.system->patch_count > 0 || b->flow.map)
        return false;
    room = slip_alloc(3 * (int64_t)n * n + 3 * n + (int64_t)held * (n + 3) + 2 * coordinates, sizeof(double));
    counts = slip_alloc(held + 1, sizeof *counts);
    if (!room || !counts) {
        free(room);
        free(counts);
        *status = slip_fail_memory(b->ctx);
        return false;
    }
    double *right = room + 2 * n * n, *shift = room + 3 * n * n, *values = shift + n, *kept = values + n,
           *effects = kept + n, *middles = effects + held * n, *other = middles + held;
    for (int i = 0; i < held; i++) {
        counts[i] = has_middle(&b->flow, i);
        any = any || counts[i];
    }
    if (any && find_neutral(b, orbit, room, values, room + n * n, right, &first)) {
        const int64_t events = b->flow.event_count;
        memcpy(kept, orbit->x, (size_t)n * sizeof(double));
        looked = true;
        for (int d = first; d < n && *status == SLIP_OK; d++)
            *status =
                find_effect(b, orbit, kept, right, d, ranges, other, effects + (int64_t)(d - first) * held);
        for (int i = 0; i < held; i++) {
            const double size = fmax(fabs(ranges[2 * i]), fabs(ranges[2 * i + 1]));
            middles[i] = counts[i] ? (ranges[2 * i] + ranges[2 * i + 1]) / (2 * (size > 0 ? size : 1)) : 0;
            for (int d = first; d < n && !counts[i]; d++)
                effects[(int64_t)(d - first) * held + i] = 0;
        }
        memcpy(orbit->x, kept, (size_t)n * sizeof(double));
        if (*status == SLIP_OK && find_shift(orbit, right, first, held, effects, middles, shift) > much) {
            for (int i = 0; i < n; i++)
                orbit->x[i] += shift[i] * orbit->scale[i];
            hold(b, orbit);
            *status = slip_orbit_evaluate(&b->flow, orbit);
            if (*status != SLIP_OK || !(orbit->residual < 1e-8) || b->flow.event_count > events)
                memcpy(orbit->x, kept, (size_t)n * sizeof(double)); /* it would slip there */
        }
        if (*status == SLIP_ERROR_SOLVER)
            *status = SLIP_OK;
    }
    free(room);
    free(counts);
    return looked && *status == SLIP_OK;
}

/* ---- The rim. */

/* For how long a contact does not stick, over the period; infinite where it opens, or has no
 * events. */
static double find_slipping(const slip_arc_flow *flow, const slip_orbit *orbit, int contact)
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
    if (last && last->to != SLIP_MODE_STICK)
        sum += first->time + orbit->period - last->time;
    return last ? sum / orbit->period : INFINITY;
}

static bool sticks(const slip_arc_flow *flow, int contact)
{
    bool events = false;
    for (int64_t k = 0; k < flow->event_count; k++)
        events = events || flow->events[k].contact == contact;
    return !events && flow->modes[contact] == SLIP_MODE_STICK;
}

/* Moves number i a little; of a coordinate the slip velocity of the contact becomes zero. False where that is
 * no number of the contact. */
static bool push(const slip_orbit_branch *b, slip_orbit *orbit, int contact, int i, double way)
{
    const slip_system *system = b->flow.system;
    const slip_contact *c = &system->contacts[contact];
    const int coordinates = slip_system_coordinates(system);
    if (i < coordinates) {
        if (c->slider_count > 0 || !c->slip.row || c->slip.rest || c->slip.row[i] == 0)
            return false;
        double slip = c->slip.constant;
        for (int k = 0; k < coordinates; k++)
            slip += c->slip.row[k] * orbit->x[coordinates + k];
        orbit->x[coordinates + i] -= slip / c->slip.row[i];
    } else {
        bool own = false;
        for (int s = c->slider; s < c->slider + c->slider_count; s++)
            own = own || system->sliders[s].state + coordinates == i;
        if (!own)
            return false;
    }
    orbit->x[i] += way * orbit->scale[i];
    return true;
}

/* A motion with a contact that sticks all the time, close to the point. */
static bool find_inside(slip_orbit_branch *b, slip_orbit *orbit, int contact, const double *kept, int *status)
{
    const size_t bytes = (size_t)orbit->count * sizeof(double);
    hold(b, orbit);
    *status = slip_orbit_evaluate(&b->flow, orbit);
    if (*status == SLIP_OK && sticks(&b->flow, contact) && orbit->residual < 1e-9)
        return true;
    for (double way = 1e-3; way > 1e-8; way *= 1e-2)
        for (int i = 0; i < 2 * orbit->count; i++) {
            memcpy(orbit->x, kept, bytes);
            if (!push(b, orbit, contact, i / 2, i % 2 ? -way : way))
                continue;
            *status = slip_orbit_evaluate(&b->flow, orbit);
            if (*status == SLIP_OK && sticks(&b->flow, contact)) {
                *status = slip_orbit_solve(&b->flow, orbit, NULL);
                hold(b, orbit);
                if (*status == SLIP_OK)
                    *status = slip_orbit_evaluate(&b->flow, orbit);
                if (*status == SLIP_OK && sticks(&b->flow, contact))
                    return true;
            }
            if (*status < 0 && *status != SLIP_ERROR_SOLVER && *status != SLIP_ERROR_MODEL)
                return false;
        }
    memcpy(orbit->x, kept, bytes);
    *status = SLIP_OK;
    return false;
}

bool slip_branch_leave_rim(slip_orbit_branch *b, slip_branch_point *point, int *status)
{
    slip_orbit *orbit = &point->orbit;
    const slip_system *system = b->flow.system;
    bool looked = false;
    *status = SLIP_OK;
    if (orbit->own_period || orbit->arcs > 1 || system->patch_count > 0 || b->flow.map)
        return false;
    for (int c = 0; c < system->contact_count && *status == SLIP_OK; c++) {
        if (!(find_slipping(&b->flow, orbit, c) < rim))
            continue;
        double *kept = slip_alloc(orbit->count, sizeof(double));
        if (!kept) {
            *status = slip_fail_memory(b->ctx);
            return false;
        }
        memcpy(kept, orbit->x, (size_t)orbit->count * sizeof(double));
        looked = true;
        if (!find_inside(b, orbit, c, kept, status) && *status == SLIP_OK)
            *status = slip_orbit_evaluate(&b->flow, orbit);
        free(kept);
    }
    return looked && *status == SLIP_OK;
}
