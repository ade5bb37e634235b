/* Corners of a branch: where its signature changes and the tangent does not lead on. */
#include "study/branch/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int slip_walk_leap(slip_walk *w, slip_branch_point *next)
{
    const int n = w->here.orbit.count;
    double *direction = slip_alloc(n + 2, sizeof(double));
    uint64_t seed = 12345;
    int status = SLIP_STOPPED;
    if (!direction)
        return slip_fail_memory(w->b->ctx);
    for (int k = 0; k < 1800 && status == SLIP_STOPPED; k++) { /* what is near comes first */
        const double distance = slip_walk_leap_unit * 0.002 * pow(3, k % 600 / 100);
        double size = 0;
        for (int i = 0; i < n + 2; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            direction[i] =
                i == n && !w->here.orbit.own_period ? 0 : (double)(seed >> 11) / 4503599627370496.0 - 1;
            size += direction[i] * direction[i];
        }
        for (int i = 0; i < n + 2; i++)
            direction[i] /= sqrt(size);
        status = slip_branch_reach(w->b, &w->here, direction, distance, NULL, next);
        if (status != SLIP_OK)
            continue;
        const double far = slip_branch_distance(w->b, &w->here, next);
        if (!slip_walk_same(&w->here, next) && !slip_walk_goes_back(w, next) && far > 0.3 * distance &&
            far < 5 * distance && next->p >= w->b->low && next->p <= w->b->high)
            break;
        slip_branch_point_free(next);
        status = SLIP_STOPPED;
    }
    free(direction);
    return status;
}

/* Searches from a point along its tangent, or against it, for where its signature ends: *at is the last point
 * with it, {0} where there is no end as far as that. */
static int search_end(slip_walk *w, const slip_branch_point *from, int sign, double far,
                      slip_branch_point *at)
{
    const int n = from->orbit.count;
    double *way = slip_alloc(n + 2, sizeof(double)), near = 0;
    int status = way ? SLIP_OK : slip_fail_memory(w->b->ctx);
    for (int i = 0; i < n + 2 && way; i++)
        way[i] = sign * from->tangent[i];
    for (int k = -1; k < 40 && status >= 0; k++) {
        const double middle = k < 0 ? far : 0.5 * (near + far);
        slip_branch_point point;
        status = slip_branch_reach(w->b, from, way, middle, NULL, &point);
        const bool there = status == SLIP_OK && slip_walk_same(from, &point);
        *(there ? &near : &far) = middle;
        if (there && k >= 0) {
            slip_branch_point_free(at);
            *at = point;
        } else if (status == SLIP_OK) {
            slip_branch_point_free(&point);
        }
        if (there && k < 0)
            break;
    }
    free(way);
    return status < 0 ? status : SLIP_OK;
}

/* Where a leap has left a graze, or the like, the side on which an event less happens is smooth, and tells
 * where that is. The branch goes on away from it: *turns where the tangent did not. */
static int locate_back(slip_walk *w, slip_branch_point *next, slip_branch_point *at, bool *turns)
{
    int status = SLIP_OK;
    for (int sign = -1; sign <= 1 && status >= 0 && next->events < w->here.events && !at->signature;
         sign += 2) {
        status = search_end(w, next, sign, 3 * slip_branch_distance(w->b, &w->here, next), at);
        *turns = at->signature && sign > 0;
        if (*turns)
            slip_walk_turn_back(next);
    }
    return status;
}

int slip_walk_move_start(slip_walk *w, bool leave, slip_branch_point *point)
{
    slip_branch_point again;
    int status = slip_branch_reach(w->b, point, point->tangent, 0, NULL, &again);
    if (status != SLIP_OK)
        return status;
    status = slip_branch_move_start(w->b, &again, leave);
    if (status == SLIP_OK) {
        slip_branch_point_free(point);
        *point = again;
    } else {
        slip_branch_point_free(&again);
    }
    return status;
}

int slip_walk_try_elsewhere(slip_walk *w, double *length, slip_branch_point *next)
{
    slip_branch_point kept;
    int status;
    SLIP_TRY(slip_branch_copy(w->b, &w->here, &kept));
    status = slip_walk_move_start(w, true, &w->here);
    if (status == SLIP_OK) {
        w->step = slip_walk_first * w->b->options.spacing;
        status = slip_walk_try_step(w, length, next);
    }
    if (status == SLIP_OK && !(slip_walk_turn(&w->here, next) > 0.9)) { /* a corner, and not only the start */
        slip_branch_point_free(next);
        status = SLIP_STOPPED;
    }
    if (status == SLIP_OK) {
        slip_branch_point_free(&kept);
    } else {
        slip_branch_point_free(&w->here);
        w->here = kept;
    }
done:
    return status;
}

bool slip_walk_leave_corner(slip_walk *w, bool wherever)
{
    const bool near =
        w->corner.signature && slip_walk_same(&w->corner, &w->here) &&
        (wherever || slip_branch_distance(w->b, &w->corner, &w->here) < 3 * slip_walk_leap_unit);
    w->back = false;
    if (!near)
        return false;
    slip_branch_point_free(&w->here);
    w->here = w->corner;
    w->corner = (slip_branch_point){0};
    slip_walk_turn_back(&w->here);
    w->step = slip_walk_first * w->b->options.spacing;
    w->past_count = 0;
    return true;
}

int slip_walk_turn_corner(slip_walk *w, double length, slip_branch_point *next)
{
    const bool straight = length > 0 && slip_walk_goes_straight(w, next, length);
    slip_walk_happening what = {.test = -1};
    bool turns = false;
    int status = locate_back(w, next, &what.low, &turns);
    if (status >= 0 && length == 0 && w->here.events < next->events) /* next to where the steps ended */
        status = search_end(w, &w->here, 1, 4 * slip_walk_shortest * w->b->options.spacing, &what.low);
    if (status >= 0 && straight && !turns && what.low.signature) { /* is it the only one on the way? */
        slip_branch_point point;
        status = slip_branch_reach(w->b, &w->here, w->here.tangent, 0.5 * slip_walk_along(w, &what.low), NULL,
                                   &point);
        turns = status == SLIP_OK && slip_walk_same(&w->here, &point);
        if (status == SLIP_OK)
            slip_branch_point_free(&point);
    }
    if (status >= 0 && (straight ? turns : what.low.signature || length == 0))
        status = slip_walk_tell_change(w, &what, next, &(slip_branch_point){0});
    else if (status >= 0)
        status = slip_walk_look_between(w, length, next);
    slip_branch_point_free(&what.low);
    return status;
}
