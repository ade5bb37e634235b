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

static const double zero = 1e-8, much = 1e-6;

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
    for (int i = 0; i < n; i++)
        any = any || hypot(orbit->real[i] - 1, orbit->imaginary[i]) < zero;
    if (!any)
        return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            matrix[i * n + j] = (orbit->monodromy[i * n + j] - (i == j)) * orbit->scale[j] / orbit->scale[i];
    if (!slip_dense_singular(n, matrix, values, left, right))
        return false;
    for (*first = n;
         *first > 0 && values[*first - 1] < zero * values[0] && !folds(b, orbit, left, *first - 1);)
        --*first;
    return *first < n;
}

int slip_branch_keep_across(slip_orbit_branch *b, const slip_branch_point *point, double *direction)
{
    const int n = point->orbit.count;
    double *room = slip_alloc(3 * (int64_t)n * n + n, sizeof(double)), left = 0;
    int first = 0;
    if (!room)
        return slip_fail_memory(b->ctx);
    double *right = room + 2 * n * n;
    if (point->orbit.arcs == 1 && !point->orbit.own_period &&
        find_neutral(b, &point->orbit, room, room + 3 * n * n, room + n * n, right, &first)) {
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

/* Along each direction in turn the sum of squares of the means of the sliders' states, over their scales, is
 * made least; a direction that changes none of them is left alone. Directions are orthogonal, but what they
 * do to the sliders need not be: a few rounds. */
static double find_shift(const slip_orbit_branch *b, const slip_orbit *orbit, const double *right, int first,
                         double *means, double *shift)
{
    const slip_system *system = b->flow.system;
    const int n = orbit->count, offset = slip_system_coordinates(system);
    double moved = 0;
    for (int turn = 0; turn < 20; turn++)
        for (int d = first; d < n; d++) {
            double along = 0, square = 0;
            for (int64_t s = 0; s < system->slider_count; s++) {
                const int i = system->sliders[s].state + offset;
                along += means[i] * right[i * n + d];
                square += right[i * n + d] * right[i * n + d];
            }
            if (!(square > 1e-12))
                continue;
            for (int i = 0; i < n; i++) {
                shift[i] -= along / square * right[i * n + d];
                means[i] -= along / square * right[i * n + d];
            }
        }
    for (int i = 0; i < n; i++)
        moved = fmax(moved, fabs(shift[i]));
    return moved;
}

bool slip_branch_centre(slip_orbit_branch *b, slip_branch_point *point, const double *fourier, int *status)
{
    slip_orbit *orbit = &point->orbit;
    const int n = orbit->count, states = b->flow.system->state_count;
    double *room;
    int first = 0;
    bool moved = false;
    *status = SLIP_OK;
    if (orbit->own_period || b->flow.system->slider_count == 0 || orbit->arcs > 1)
        return false;
    room = slip_alloc(3 * (int64_t)n * n + 3 * n, sizeof(double));
    if (!room) {
        *status = slip_fail_memory(b->ctx);
        return false;
    }
    double *right = room + 2 * n * n, *means = room + 3 * n * n, *shift = means + n, *values = shift + n;
    if (find_neutral(b, orbit, room, values, room + n * n, right, &first)) {
        for (int i = n - states; i < n; i++)
            means[i] = fourier[i] / orbit->period / orbit->scale[i];
        moved = find_shift(b, orbit, right, first, means, shift) > much;
    }
    if (moved) {
        memcpy(values, orbit->x, (size_t)n * sizeof(double));
        for (int i = 0; i < n; i++)
            orbit->x[i] += shift[i] * orbit->scale[i];
        *status = slip_orbit_evaluate(&b->flow, orbit);
        if (*status == SLIP_ERROR_SOLVER || (*status == SLIP_OK && !(orbit->residual < 1e-8))) {
            memcpy(orbit->x, values, (size_t)n * sizeof(double)); /* it would slip there */
            *status = SLIP_OK;
        }
    }
    free(room);
    return moved && *status == SLIP_OK;
}
