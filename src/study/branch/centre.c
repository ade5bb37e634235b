/* Continua of periodic motions at one value of the parameter: the member that a branch takes.
 *
 * A friction damper whose slider sticks all the time is a spring, and its force may have any constant part
 * that the slider can bear: with monodromy matrix M there are directions D with (M - 1) D = 0. A branch takes
 * the member in the middle of the continuum; else it would follow the boundary, where the slider is about to
 * slip. Motions that slip can form continua too, such as those of an oscillator whose velocity changes sign
 * twice in a period of the load: the amplitude of the free oscillation is arbitrary up to the boundaries at
 * which the motion begins to stick. */
#include "study/branch/branch.h"

#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bounds of singular values taken as zero, and of shifts that are made; the shift of difference quotients. */
static const double zero = 1e-8, much = 1e-9, little = 1e-6;

/* Largest residual of the members of a continuum of motions that slip, and first and largest distance at
 * which members are looked for, in units of the scales. */
static const double beside = 1e-11, first_look = 1e-2, farthest_look = 10;

/* Whether the point is a fold: there M - 1 is singular too, but the derivative by the parameter is outside
 * its range by more than rounding. */
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
    return fabs(along) > fmax(1e-5 * sqrt(size), 1e-9);
}

/* Singular values of the derivative of the residual (end less start) by the state, in units of the scales. */
static bool find_equations(const slip_orbit *orbit, double *matrix, double *values, double *left,
                           double *right)
{
    const int n = orbit->count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n && !slip_orbit_keeps(orbit, i, matrix + (int64_t)i * n); j++)
            matrix[i * n + j] = (orbit->by_state[i * n + j] - (i == j)) * orbit->scale[j] / orbit->scale[i];
    return slip_dense_singular(n, matrix, values, left, right);
}

/* The columns of `right` from *first on become the directions of the continuum, in units of scales. */
static bool find_neutral(const slip_orbit_branch *b, const slip_orbit *orbit, double *matrix, double *values,
                         double *left, double *right, int *first)
{
    const int n = orbit->count;
    bool any = false;
    for (int i = 0; i < n && !any; i++)
        any = hypot(orbit->real[i] - 1, orbit->imaginary[i]) < zero;
    if (!any)
        return false;
    if (!find_equations(orbit, matrix, values, left, right))
        return false;
    for (*first = n;
         *first > 0 && values[*first - 1] < zero * values[0] && !folds(b, orbit, left, *first - 1);)
        --*first;
    return *first < n;
}

int slip_branch_keep_across(slip_orbit_branch *b, slip_branch_point *point, double *direction)
{
    const int n = point->orbit.count;
    double left = 0;
    SLIP_FREED double *room = slip_alloc(3 * (int64_t)n * n + n, sizeof(double));
    int first = 0;
    SLIP_PASS(slip_allocated(b->ctx, room));
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
        if (left < 1e-4) /* the direction lies in the continuum: follow the parameter */
            direction[n + 1] = direction[n + 1] < 0 ? -1 : 1;
    }
    return SLIP_OK;
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
        b->flow.low = other + slip_held_numbers * held; /* extrema are only found where this is not NULL */
        b->flow.high = b->flow.low + slip_system_coordinates(b->flow.system);
        b->flow.ranges = other;
        status = slip_orbit_evaluate(&b->flow, orbit);
        b->flow.low = b->flow.high = b->flow.ranges = NULL;
        for (int i = 0; i < held && status == SLIP_OK; i++) {
            const double *range = ranges + slip_held_numbers * i, size = range[slip_held_limit];
            effect[i] = (slip_held_middle(other + slip_held_numbers * i) - slip_held_middle(range)) /
                        (way * (size > 0 ? size : 1));
        }
        if (status != SLIP_OK || b->flow.event_count <= events)
            break; /* else the contact slips there */
    }
    return status;
}

/* Minimises the sum of squares of the middles of the ranges, over their sizes, along one direction after the
 * other; a direction that changes no middle is skipped. The directions are orthogonal, their effects need not
 * be: a few rounds are made. */
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

/* ---- Motions that slip. */

/* Whether the motion at a distance along a direction is periodic too, with the same events. */
static bool stands(slip_orbit_branch *b, slip_orbit *orbit, const double *from, const double *direction,
                   double distance, const char *signature, int *status)
{
    slip_text text = {0};
    bool same = false;
    for (int i = 0; i < orbit->count; i++)
        orbit->x[i] = from[i] + distance * direction[i] * orbit->scale[i];
    *status = slip_orbit_evaluate(&b->flow, orbit);
    if (*status == SLIP_OK && orbit->residual < beside) {
        *status = slip_orbit_signature(&b->flow, &text);
        same = *status == SLIP_OK && strcmp(text.data, signature) == 0;
    }
    slip_text_free(&text);
    *status = *status == SLIP_ERROR_SOLVER ? SLIP_OK : *status;
    return same;
}

/* The distance to the boundary of the continuum in one direction. */
static double find_rim(slip_orbit_branch *b, slip_orbit *orbit, const double *from, const double *direction,
                       int way, const char *signature, int *status)
{
    double near = 0, far = first_look;
    while (*status == SLIP_OK && far < farthest_look &&
           stands(b, orbit, from, direction, way * far, signature, status)) {
        near = far;
        far *= 4;
    }
    for (int k = 0; k < 60 && *status == SLIP_OK && far - near > 1e-16 + 1e-13 * far; k++) {
        const double middle = 0.5 * (near + far);
        *(stands(b, orbit, from, direction, way * middle, signature, status) ? &near : &far) = middle;
    }
    return near;
}

/* Moves the point to the middle of the motions with the same events along a direction. */
static int centre_slip(slip_orbit_branch *b, slip_branch_point *point, const double *direction, double *from)
{
    slip_orbit *orbit = &point->orbit;
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    int status = SLIP_OK;
    double ends[2] = {0};
    memcpy(from, orbit->x, (size_t)orbit->count * sizeof(double));
    SLIP_PASS(slip_orbit_signature(&b->flow, &text));
    for (int k = 0; k < 2; k++)
        ends[k] = find_rim(b, orbit, from, direction, k ? -1 : 1, text.data, &status);
    SLIP_PASS(status);
    const bool bounded = ends[0] < farthest_look && ends[1] < farthest_look;
    stands(b, orbit, from, direction, bounded ? 0.5 * (ends[0] - ends[1]) : 0, text.data, &status);
    point->beside = bounded;
    return status;
}

int slip_branch_enter(slip_orbit_branch *b, slip_branch_point *point, bool *entered)
{
    slip_orbit *orbit = &point->orbit;
    const int n = orbit->count;
    double *room = slip_alloc(3 * (int64_t)n * n + 2 * n, sizeof(double));
    int status = room ? SLIP_OK : slip_fail_memory(b->ctx);
    *entered = false;
    if (!room)
        return status;
    double *right = room + 2 * n * n, *values = room + 3 * n * n, *from = values + n;
    if (orbit->own_period || orbit->arcs > 1 || b->flow.map || b->flow.system->patch_count > 0 ||
        !find_equations(orbit, room, values, room + n * n, right) || !(values[n - 1] < 0.05 * values[0]) ||
        values[n - 1] < zero * values[0])
        goto done;
    memcpy(from, orbit->x, (size_t)n * sizeof(double));
    for (int k = 0; k < 12 && status >= 0 && !*entered; k++) {
        const double distance = (k % 2 ? -1 : 1) * first_look * pow(0.1, k / 2);
        for (int i = 0; i < n; i++)
            orbit->x[i] = from[i] + distance * right[i * n + n - 1] * orbit->scale[i];
        status = slip_orbit_solve(&b->flow, orbit, NULL);
        if (status == SLIP_OK)
            status = slip_orbit_judge(b->ctx, orbit);
        const int one = status == SLIP_OK ? slip_orbit_nearest_one(orbit, -1) : 0;
        *entered = status == SLIP_OK && hypot(orbit->real[one] - 1, orbit->imaginary[one]) < zero;
    }
    if (*entered)
        status = slip_branch_leave_start(b, orbit, true);
    else
        memcpy(orbit->x, from, (size_t)n * sizeof(double));
done:
    free(room);
    return status < 0 ? status : SLIP_OK;
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
    room =
        slip_alloc(3 * (int64_t)n * n + 3 * n + (int64_t)held * (n + 1 + slip_held_numbers) + 2 * coordinates,
                   sizeof(double));
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
        counts[i] = b->held[i];
        any = any || counts[i];
    }
    const bool neutral = find_neutral(b, orbit, room, values, room + n * n, right, &first);
    if (neutral && !any && first == n - 1 && b->flow.event_count > 0) {
        for (int i = 0; i < n; i++)
            shift[i] = right[i * n + first];
        looked = true;
        *status = centre_slip(b, point, shift, kept);
    } else if (neutral && any) {
        const int64_t events = b->flow.event_count;
        memcpy(kept, orbit->x, (size_t)n * sizeof(double));
        looked = true;
        for (int d = first; d < n && *status == SLIP_OK; d++)
            *status =
                find_effect(b, orbit, kept, right, d, ranges, other, effects + (int64_t)(d - first) * held);
        for (int i = 0; i < held; i++) {
            const double *range = ranges + slip_held_numbers * i, size = range[slip_held_limit];
            middles[i] = counts[i] ? slip_held_middle(range) / (size > 0 ? size : 1) : 0;
            for (int d = first; d < n && !counts[i]; d++)
                effects[(int64_t)(d - first) * held + i] = 0;
        }
        memcpy(orbit->x, kept, (size_t)n * sizeof(double));
        if (*status == SLIP_OK && find_shift(orbit, right, first, held, effects, middles, shift) > much) {
            for (int i = 0; i < n; i++)
                orbit->x[i] += shift[i] * orbit->scale[i];
            *status = slip_orbit_evaluate(&b->flow, orbit);
            if (*status != SLIP_OK || !(orbit->residual < 1e-8) || b->flow.event_count > events)
                memcpy(orbit->x, kept, (size_t)n * sizeof(double)); /* the contact would slip there */
        }
        if (*status == SLIP_ERROR_SOLVER)
            *status = SLIP_OK;
    }
    free(room);
    free(counts);
    return looked && *status == SLIP_OK;
}
