/* Corners of a branch: where its signature changes and the tangent does not lead on. */
#include "study/branch/walk.h"

#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Approaches a corner from a point along its tangent, or against it, each time by half of the remaining
 * distance: close to a graze the branch bends like a square root. *last is the last point with the signature
 * of `from`, {0} where there is none. *other: a point has neither its signature nor the corner's. */
static int approach(slip_walk *w, const slip_branch_point *from, int sign, const slip_branch_point *corner,
                    slip_branch_point *last, bool *other)
{
    const int n = from->orbit.count;
    SLIP_FREED double *way = slip_alloc(n + 2, sizeof(double));
    int status = way ? SLIP_OK : slip_fail_memory(w->b->ctx);
    bool mine = true;
    *other = false;
    for (int k = 0; k < 10 && status == SLIP_OK && mine; k++) {
        const slip_walk at = {.b = w->b, .here = last->signature ? *last : *from};
        const double distance = 0.5 * fabs(slip_walk_along(&at, corner));
        slip_branch_point point;
        for (int i = 0; i < n + 2; i++)
            way[i] = (last->signature ? 1 : sign) * at.here.tangent[i];
        status = slip_branch_reach(w->b, &at.here, way, distance, NULL, &point);
        if (status != SLIP_OK)
            break;
        mine = slip_walk_same(from, &point);
        *other = !mine && !slip_walk_same(corner, &point);
        mine = mine && fabs(slip_walk_turn(&at.here, &point)) > 0.9 &&
               slip_branch_distance(w->b, &at.here, &point) <= 1.2 * distance;
        if (mine)
            slip_walk_put(last, &point);
        else
            slip_branch_point_free(&point);
    }
    return status < 0 ? status : SLIP_OK;
}

/* Searches from a point along its tangent, or against it, for the end of the signature of `like`, or of the
 * motions that are found. *at is the last point with that signature, {0} where it does not end there. */
static int search_once(slip_walk *w, const slip_branch_point *from, const slip_branch_point *like, int sign,
                       double far, slip_branch_point *at)
{
    const int n = from->orbit.count;
    double near = 0;
    SLIP_FREED double *way = slip_alloc(n + 2, sizeof(double));
    int status = way ? SLIP_OK : slip_fail_memory(w->b->ctx);
    for (int i = 0; i < n + 2 && way; i++)
        way[i] = sign * from->tangent[i];
    for (int k = -1; k < 40 && status >= 0 && far - near > 1e-13; k++) {
        const double middle = k < 0 ? far : 0.5 * (near + far);
        slip_branch_point point;
        status = slip_branch_reach(w->b, from, way, middle, NULL, &point);
        const bool there =
            status == SLIP_OK && slip_walk_same(like, &point) && slip_branch_as_good(w->b, like, &point);
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
    return status < 0 ? status : SLIP_OK;
}

/* A direction that leads out of a corner, count + 2 numbers in units of the scales. `kick` is the residual
 * (end less start) by which the map beyond the corner differs from the map before it; `off` is the change of
 * state that cancels a unit of `kick` in the linearised map before the corner. */
typedef struct way_out {
    double *kick, *off, *way, *miss;
    double size; /* of off */
} way_out;

/* Whether a motion beyond the corner is of another branch: it breaks a mirror symmetry; its number of impacts
 * differs by three or more (two equal stops may be grazed at once); or its own branch, followed back, ends
 * elsewhere (on the smooth side of the corner) or does not approach the corner (on the other side). */
static int is_other(slip_walk *w, slip_branch_point *next, bool *other)
{
    SLIP_FREED_BY(slip_branch_point_free) slip_branch_point near = {0};
    const double far = slip_branch_distance(w->b, &w->here, next);
    bool third;
    SLIP_PASS(slip_walk_breaks(w, next, other));
    *other = *other || llabs(next->landings - w->here.landings) > 2;
    if (*other || next->events == w->here.events)
        return SLIP_OK;
    slip_walk_head_on(w->b, &w->here, next);
    if (next->events > w->here.events)
        SLIP_PASS(approach(w, next, -1, &w->here, &near, &third));
    for (int sign = -1; sign < 2 && !near.signature && next->events < w->here.events; sign += 2)
        SLIP_PASS(search_once(w, next, next, sign, 3 * far, &near));
    *other = near.signature && slip_branch_distance(w->b, &w->here, &near) > 0.3 * far;
    return SLIP_OK;
}

/* Finds the motion close to a place beyond the corner, at most `times` the distance away from it.
 * SLIP_STOPPED: none with another signature is found. *doubtful: a motion was rejected that may be of another
 * branch; NULL: such motions are accepted. */
static int land(slip_walk *w, const double *direction, double distance, double times, bool *doubtful,
                slip_branch_point *next)
{
    bool back, other = false;
    int status = slip_branch_reach(w->b, &w->here, direction, distance, NULL, next);
    if (status != SLIP_OK)
        return status;
    const double far = slip_branch_distance(w->b, &w->here, next);
    back = slip_walk_same(&w->here, next) || !(far > 0.3 * distance && far < times * distance) ||
           !(next->p >= w->b->low && next->p <= w->b->high);
    if (!back)
        status = slip_walk_goes_back(w, next, &back);
    if (status == SLIP_OK && !back && doubtful)
        status = is_other(w, next, &other);
    if (status == SLIP_OK && !back && !other)
        return SLIP_OK;
    if (other)
        *doubtful = true;
    slip_branch_point_free(next);
    return status < 0 ? status : SLIP_STOPPED;
}

/* *value: the square of the kick of the motion at s off + along tangent, less the square of s. */
static int overshoot(slip_walk *w, const way_out *o, double s, double along, double *value)
{
    const int n = w->here.orbit.count;
    SLIP_FREED_BY(slip_branch_point_free) slip_branch_point point = {0};
    for (int i = 0; i < n + 2; i++)
        o->way[i] = s * o->off[i] + along * w->here.tangent[i];
    const int status = slip_branch_miss(w->b, &w->here, o->way, 1, &point, o->miss);
    const double kick = status == SLIP_OK ? s + slip_dot(n, o->miss, o->kick) : NAN;
    *value = kick * fabs(kick) - s * s;
    return status;
}

/* Sets o->way to the place where the kick has the size s, by the Illinois form of false position. */
static int aim(slip_walk *w, const way_out *o, double s)
{
    double low = 0, high = 0, f_low, f_high, f = 0, step = 0.25 * s * o->size, along = 0;
    int status = overshoot(w, o, s, 0, &f), side = 0;
    const int sign = f < 0 ? 1 : -1;
    f_low = f_high = f;
    for (int k = 0; k < 12 && status == SLIP_OK && f * sign < 0; k++, step *= 2) {
        low = along, f_low = f;
        along += sign * step;
        status = overshoot(w, o, s, along, &f);
        high = along, f_high = f;
    }
    for (int k = 0; k < 40 && status == SLIP_OK && fabs(f) > 1e-3 * s * s && f_low * f_high < 0; k++) {
        along = low + (high - low) * f_low / (f_low - f_high);
        status = overshoot(w, o, s, along, &f);
        if (f * f_low > 0) {
            low = along, f_low = f;
            f_high *= side == 1 ? 0.5 : 1;
            side = 1;
        } else {
            high = along, f_high = f;
            f_low *= side == -1 ? 0.5 : 1;
            side = -1;
        }
    }
    return status == SLIP_OK && !(fabs(f) < 0.1 * s * s) ? SLIP_STOPPED : status;
}

/* Finds `kick` and `off` from the motions close to the corner on both sides. SLIP_STOPPED: not found. */
static int find_way_out(slip_walk *w, way_out *o)
{
    const int n = w->here.orbit.count;
    const bool own = w->here.orbit.own_period;
    const slip_orbit_row row = {.row = w->here.tangent, .p_scale = w->b->high - w->b->low};
    slip_branch_point here = {0}, beyond = {0};
    int status = slip_branch_miss(w->b, &w->here, w->here.tangent, 1e-5, &beyond, o->kick);
    if (status == SLIP_OK)
        status = slip_branch_miss(w->b, &w->here, w->here.tangent, 0, &here, o->miss);
    if (status == SLIP_OK) {
        const double size = sqrt(slip_dot(n, o->kick, o->kick));
        for (int i = 0; i < n && size > 0; i++)
            o->kick[i] /= size;
        status = size > 0 ? slip_orbit_change(w->b->ctx, &here.orbit, &row, o->kick, o->way) : SLIP_STOPPED;
    }
    memcpy(o->off, o->way, (size_t)n * sizeof(double));
    o->off[n] = own ? o->way[n] : 0;
    o->off[n + 1] = o->way[n + own];
    o->size = sqrt(slip_dot(n + 2, o->off, o->off));
    slip_branch_point_free(&here);
    slip_branch_point_free(&beyond);
    return status;
}

/* Beyond a change of the signature the map has an additional term, the kick, which grows from zero (like a
 * square root at a graze) and has one direction in state space: the residual is J d + kick(c . d). Periodic
 * motions of the other side are at d = s off + b tangent, with J off = -kick, for any small s, and b such
 * that the kick is s. */
static int leave(slip_walk *w, bool *doubtful, slip_branch_point *next)
{
    const int n = w->here.orbit.count;
    way_out o = {.kick = slip_alloc(4 * (int64_t)n + 8, sizeof(double))};
    int status = SLIP_STOPPED;
    SLIP_PASS(slip_allocated(w->b->ctx, o.kick));
    o.off = o.kick + n + 2;
    o.way = o.off + n + 2;
    o.miss = o.way + n + 2;
    if (w->here.orbit.arcs == 1 && !w->b->flow.map)
        status = find_way_out(w, &o);
    bool known = status == SLIP_OK;
    for (int k = 0; k < 6 && known; k++) {
        status = aim(w, &o, slip_walk_leap_unit * 0.002 * pow(3, k) / o.size);
        const double size = sqrt(slip_dot(n + 2, o.way, o.way));
        for (int i = 0; i < n + 2; i++)
            o.way[i] /= size;
        if (status == SLIP_OK)
            status = land(w, o.way, size, 1.2, doubtful, next);
        known = status == SLIP_STOPPED;
    }
    free(o.kick);
    return status;
}

/* Searches in all directions around the corner, small distances first. */
static int search_around(slip_walk *w, bool *doubtful, slip_branch_point *next)
{
    const int n = w->here.orbit.count;
    SLIP_FREED double *direction = slip_alloc(n + 2, sizeof(double));
    uint64_t seed = 12345;
    int status = direction ? SLIP_STOPPED : slip_fail_memory(w->b->ctx);
    for (int k = 0; k < 1800 && status == SLIP_STOPPED; k++) {
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
        status = land(w, direction, distance, 5, doubtful, next);
    }
    return status;
}

int slip_walk_leap(slip_walk *w, slip_branch_point *next)
{
    bool doubtful = false;
    int status = leave(w, &doubtful, next);
    if (status == SLIP_STOPPED)
        status = search_around(w, &doubtful, next);
    if (status == SLIP_STOPPED && doubtful)
        status = leave(w, NULL, next);
    if (status == SLIP_STOPPED && doubtful)
        status = search_around(w, NULL, next);
    return status;
}

/* Repeats the search from the point that was reached, as long as that leads farther. */
static int search_on(slip_walk *w, const slip_branch_point *from, double far, slip_branch_point *at)
{
    for (int k = 0; k < 5 && at->signature; k++) {
        slip_branch_point further = {0};
        SLIP_PASS(search_once(w, at, from, 1, far, &further));
        if (!further.signature || !(slip_branch_distance(w->b, at, &further) > 1e-10)) {
            slip_branch_point_free(&further);
            break;
        }
        slip_walk_put(at, &further);
    }
    return SLIP_OK;
}

/* Finds the end of the signature of the last point, close to that point. */
static int search_end(slip_walk *w, double far, slip_branch_point *at)
{
    SLIP_PASS(search_once(w, &w->here, &w->here, 1, far, at));
    return search_on(w, &w->here, far, at);
}

/* Whether a point can be the corner in a step of this length: it lies in the range, not behind the last
 * point, and, where the step goes straight on, not beyond the next point (there another piece with the
 * signature of the next point would end). */
static bool may_be_corner(const slip_walk *w, double length, bool straight, const slip_branch_point *next,
                          const slip_branch_point *at)
{
    const double far = slip_branch_distance(w->b, &w->here, next), along = slip_walk_along(w, at),
                 rounding = 1e-9 * (w->b->high - w->b->low);
    return at->p >= w->b->low - rounding && at->p <= w->b->high + rounding &&
           (length == 0 || (along >= -0.1 * far && !(straight && along > 1.1 * far)));
}

/* Finds the end of the signature of the next point, where that can be the corner. An end far away is only
 * accepted if the side of the last point approaches it too; else the result is {0}, and *over is set. */
static int search_corner(slip_walk *w, double length, bool straight, const slip_branch_point *next, int sign,
                         double reach, slip_branch_point *at, bool *over)
{
    SLIP_FREED_BY(slip_branch_point_free) slip_branch_point near = {0};
    bool other;
    SLIP_PASS(search_once(w, next, next, sign, reach, at));
    if (!at->signature)
        return SLIP_OK;
    *over = !may_be_corner(w, length, straight, next, at);
    if (!*over && length > 0 &&
        slip_branch_distance(w->b, &w->here, at) > 3 * slip_branch_distance(w->b, &w->here, next)) {
        SLIP_PASS(approach(w, &w->here, 1, at, &near, &other));
        *over = !near.signature;
    }
    if (*over)
        slip_branch_point_free(at);
    else
        SLIP_PASS(search_on(w, next, reach, at));
    return SLIP_OK;
}

/* After a graze, the side with one event less is smooth and locates the corner accurately, also where both
 * sides are close together and the corner is far away. The branch goes on away from the corner; *straight
 * becomes false where the tangent did not point there. */
static int locate_back(slip_walk *w, double length, bool *straight, slip_branch_point *next,
                       slip_branch_point *at)
{
    const double far = slip_branch_distance(w->b, &w->here, next);
    bool over[2] = {false};
    for (double reach = (*straight ? 1 : 3) * far;
         reach <= fmax(3 * far, 2 * slip_walk_leap_unit) && !at->signature; reach *= 3) {
        if (!over[0])
            SLIP_PASS(search_corner(w, length, *straight, next, -1, reach, at, &over[0]));
        if (at->signature || over[1])
            continue;
        SLIP_PASS(search_corner(w, length, false, next, 1, reach, at, &over[1]));
        if (at->signature) {
            slip_walk_turn_back(next);
            *straight = false;
        }
    }
    return SLIP_OK;
}

/* Sets *over if the branch of the next point, beyond a corner, goes back as far as the last point without
 * reaching the corner: the step has crossed between sides that are close together. */
static int leads_over(slip_walk *w, const slip_branch_point *next, bool *over)
{
    slip_branch_point point;
    const double far = slip_branch_distance(w->b, &w->here, next);
    const int status = slip_branch_reach(w->b, next, next->tangent, -far, NULL, &point);
    *over = status == SLIP_OK && slip_walk_same(next, &point);
    if (status == SLIP_OK)
        slip_branch_point_free(&point);
    return status < 0 ? status : SLIP_OK;
}

/* Whether a branch at a point before a corner reaches the corner, as far as it can be followed. */
static bool comes_to(const slip_walk *w, const slip_branch_point *near, const slip_branch_point *corner)
{
    return slip_branch_distance(w->b, near, corner) <=
           1.5 * (slip_walk_along(w, corner) - slip_walk_along(w, near)) + 0.02 * w->b->options.spacing;
}

/* Where another change lies between a corner and the next point, the corner becomes the next point. */
static void stay_near(slip_branch_point *next, slip_branch_point *corner)
{
    if (!corner->signature || !slip_walk_same(corner, next) || !slip_walk_more_happens(corner, next))
        return;
    if (slip_walk_turn(corner, next) < 0)
        slip_walk_turn_back(corner);
    slip_walk_put(next, corner);
}

int slip_walk_move_start(slip_walk *w, bool leave, slip_branch_point *point)
{
    slip_branch_point again;
    int status = slip_branch_reach(w->b, point, point->tangent, 0, NULL, &again);
    if (status != SLIP_OK)
        return status;
    const bool same =
        slip_walk_same(point, &again); /* close to a corner the motion may be found on the other side */
    status = same ? slip_branch_move_start(w->b, &again, leave) : leave ? SLIP_STOPPED : SLIP_OK;
    if (status == SLIP_OK && same && slip_walk_same(point, &again))
        slip_walk_put(point, &again);
    else if (status == SLIP_OK && leave)
        status = SLIP_STOPPED;
    slip_branch_point_free(&again);
    return status;
}

int slip_walk_try_elsewhere(slip_walk *w, double *length, slip_branch_point *next)
{
    slip_branch_point kept;
    int status = SLIP_OK;
    SLIP_PASS(status = slip_branch_copy(w->b, &w->here, &kept));
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

int slip_walk_turn_corner(slip_walk *w, double *length, slip_branch_point *next)
{
    slip_walk_happening what = {.test = -1};
    slip_branch_point near = {0};
    const bool ahead = *length > 0 && slip_walk_goes_straight(w, next, *length);
    bool straight = ahead, other = false, over = false;
    int status = SLIP_OK;
    if (ahead && next->events < w->here.events && slip_walk_may_cut(w, *length))
        SLIP_TRY(leads_over(w, next, &over));
    if (over)
        return SLIP_STOPPED;
    if (next->events < w->here.events)
        SLIP_TRY(locate_back(w, *length, &straight, next, &what.low));
    else if (*length == 0 && w->here.events < next->events) /* close to the place where steps failed */
        SLIP_TRY(search_end(w, 4 * slip_walk_shortest * w->b->options.spacing, &what.low));
    if (straight && what.low.signature)
        SLIP_TRY(approach(w, &w->here, 1, &what.low, &near, &other));
    if (what.low.signature && ahead && !other && slip_walk_may_cut(w, *length) &&
        !(near.signature && comes_to(w, &near, &what.low))) {
        status = SLIP_STOPPED;
    } else if (near.signature && !other && slip_walk_may_cut(w, *length) &&
               slip_walk_more_happens(&w->here, &near)) { /* the walk continues from this point */
        slip_walk_put(next, &near);
        *length = slip_walk_along(w, next);
        status = slip_walk_look_between(w, length, next);
    } else if (straight ? what.low.signature && !other : what.low.signature || *length == 0) {
        SLIP_TRY(slip_walk_tell_change(w, &what, next, &(slip_branch_point){0}));
        stay_near(next, &what.low);
        if (*length == 0) {
            SLIP_TRY(approach(w, next, -1, &w->here, &near, &other));
            stay_near(next, &near);
        }
    } else {
        status = slip_walk_look_between(w, length, next);
    }
done:
    slip_branch_point_free(&what.low);
    slip_branch_point_free(&near);
    return status;
}
