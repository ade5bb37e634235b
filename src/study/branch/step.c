/* Steps of a walk: predicted along the tangent, corrected by Newton's method, cut by curvature. */
#include "study/branch/walk.h"

#include <math.h>
#include <string.h>

int slip_walk_reach(slip_walk *w, double distance, slip_branch_point *to)
{
    const slip_branch_point *here = &w->here;
    const int n = here->orbit.count + 2;
    double size = 0, *way;
    if (w->bend_p != here->p || w->bend_time != here->orbit.time)
        return slip_branch_reach(w->b, here, here->tangent, distance, NULL, to);
    way = w->bend + n;
    for (int i = 0; i < n; i++) {
        way[i] = here->tangent[i] + 0.5 * distance * w->bend[i];
        size += way[i] * way[i];
    }
    size = sqrt(size);
    for (int i = 0; i < n; i++)
        way[i] /= size;
    return slip_branch_reach(w->b, here, way, distance * size, here->tangent, to);
}

/* Finds the motion at the end of the range to which the tangent points, if that is not farther than
 * *distance: beyond the range the model may not be defined. */
static int reach_end(slip_walk *w, double *distance, slip_branch_point *to)
{
    const slip_branch_point *here = &w->here;
    const int n = here->orbit.count;
    const double bound = slip_walk_bound(w), rate = here->tangent[n + 1] * (w->b->high - w->b->low);
    SLIP_FREED double *across = NULL;
    double far = (bound - here->p) / rate;
    if (!(far > 0 && far <= *distance))
        return SLIP_STOPPED;
    across = slip_alloc(n + 2, sizeof(double));
    SLIP_PASS(slip_allocated(w->b->ctx, across));
    across[n + 1] = 1;
    const int status = slip_branch_reach(w->b, here, here->tangent, far, across, to);
    if (status == SLIP_OK)
        to->p = bound, *distance = far;
    return status;
}

/* Sets *behind if the next point is on the part of the branch that led to the corner: the search from the
 * last point before the corner, backwards, finds it again. */
static int is_behind(const slip_walk *w, const slip_branch_point *next, bool *behind)
{
    const slip_branch_point *before = &w->before;
    slip_walk past = {.b = w->b, .here = *before};
    slip_branch_point point;
    const double along = slip_walk_along(&past, next), far = slip_branch_distance(w->b, before, next);
    *behind = false;
    if (before->orbit.time != next->orbit.time || !(along < 0) || !(far < 3 * slip_walk_leap_unit))
        return SLIP_OK;
    const int status = slip_branch_reach(w->b, before, before->tangent, along, NULL, &point);
    if (status != SLIP_OK)
        return status < 0 ? status : SLIP_OK;
    *behind = slip_walk_same(&point, next) && slip_branch_distance(w->b, &point, next) < 1e-3 * far;
    slip_branch_point_free(&point);
    return SLIP_OK;
}

int slip_walk_goes_back(const slip_walk *w, const slip_branch_point *next, bool *back)
{
    const slip_branch_point *before = &w->before, *here = &w->here;
    *back = before->signature && !slip_walk_same(here, next) && slip_walk_same(before, next);
    if (!*back)
        return SLIP_OK;
    /* in a continuum there is one direction over the parameter */
    if (before->neutral && next->neutral && (next->p - here->p) * (before->p - here->p) > 0)
        return SLIP_OK;
    const double far = slip_branch_distance(w->b, before, here);
    if (far < 3 * slip_walk_leap_unit && slip_branch_distance(w->b, before, next) < far &&
        slip_walk_turn(before, next) < 0 && !(slip_walk_turn(here, next) > 0.99))
        return SLIP_OK;
    return is_behind(w, next, back);
}

/* ---- Tests along a step. */

/* Tests do not shorten a step below this part of the longest. */
static const double least_cut = 1e-2;

bool slip_walk_may_cut(const slip_walk *w, double length)
{
    return length >= least_cut * w->b->options.spacing;
}

/* Estimates the minimum of a test along a step from three or four values of the test at the places `at`; the
 * step is [0, length]. *floor is the minimum of the parabola through the last three values, times the sign of
 * the test at the start of the step; *error its uncertainty by the third differences. */
static void find_course(const double *at, const double *value, int count, double length, double *floor,
                        double *error)
{
    const double first = (value[1] - value[0]) / (at[1] - at[0]),
                 second = (value[2] - value[1]) / (at[2] - at[1]), bend = (second - first) / (at[2] - at[0]);
    const int from = count > 3 ? 1 : 0; /* the parabola goes through the last three */
    double last = bend, rise = second, third = 0;
    if (count > 3) {
        rise = (value[3] - value[2]) / (at[3] - at[2]);
        last = (rise - second) / (at[3] - at[1]);
        third = (last - bend) / (at[3] - at[0]);
    }
    const double *x = at + from, *y = value + from;
    /* y2 + (t - x2) (slope + last (t - x1)), with slope that of the last two */
    double sign = 1, wrong = 0;
    *floor = INFINITY;
    for (int k = 0; k <= 16; k++) {
        const double s = length * k / 16, p = y[2] + (s - x[2]) * (rise + last * (s - x[1]));
        sign = k == 0 ? (p < 0 ? -1 : 1) : sign;
        *floor = fmin(*floor, sign * p);
        wrong = fmax(wrong, fabs((s - x[0]) * (s - x[1]) * (s - x[2])));
    }
    *error = 16 * fabs(third) * wrong;
}

/* Uncertainty of the tests between the last point and the next: above 1 one of them may change its sign
 * twice. `middle` is a point halfway, NULL where two earlier points are known. */
static double find_doubt(const slip_walk *w, const slip_branch_point *middle, const slip_branch_point *next,
                         double length)
{
    double most = 0;
    for (int k = 0; k < 3; k++) {
        const double b = w->here.smooth[k], c = next->smooth[k];
        double at[4], value[4], floor, error;
        int count = 0;
        for (int i = middle && w->past_count > 1 ? 1 : w->past_count; i-- > 0;) {
            at[count] = -w->past[i].distance;
            value[count++] = w->past[i].smooth[k];
        }
        at[count] = 0;
        value[count++] = b;
        if (middle) {
            at[count] = 0.5 * length;
            value[count++] = middle->smooth[k];
        }
        at[count] = length;
        value[count++] = c;
        if (fabs(b) < 1e-9 || count < 3)
            continue; /* in a continuum all values are zero */
        find_course(at, value, count, length, &floor, &error);
        error = fmax(error - 1e-8 * (fabs(b) + fabs(c)), 0);
        if (k == 1 && fabs(c) < 0.05 * fabs(b - c))
            most = INFINITY; /* too close to a possible crossing of branches to identify the branch */
        else if (b * c > 0)
            most = fmax(most, floor > 0 ? error / floor : INFINITY);
        else
            most = fmax(most, error / fabs(b - c));
    }
    return most;
}

/* Sets *doubt to the result of find_doubt, with a point halfway where two earlier points are not known; that
 * point is stored for the search of changes. */
static int look_halfway(slip_walk *w, const slip_branch_point *next, double length, double *doubt)
{
    slip_branch_point middle;
    *doubt = 0;
    w->middle.distance = 0;
    if (w->b->flow.map || !slip_walk_same(&w->here, next) || !slip_walk_may_cut(w, length))
        return SLIP_OK;
    if (w->past_count > 1) {
        *doubt = find_doubt(w, NULL, next, length);
        return SLIP_OK;
    }
    const int status = slip_walk_reach(w, 0.5 * length, &middle);
    if (status != SLIP_OK) {
        *doubt = INFINITY;
        return status < 0 ? status : SLIP_OK;
    }
    *doubt = slip_walk_same(&w->here, &middle) && slip_walk_goes_straight(w, &middle, 0.5 * length)
                 ? find_doubt(w, &middle, next, length)
                 : INFINITY;
    w->middle.distance = 0.5 * length;
    memcpy(w->middle.smooth, middle.smooth, sizeof middle.smooth);
    slip_branch_point_free(&middle);
    return SLIP_OK;
}

bool slip_walk_returns(const slip_walk *w, const slip_branch_point *next)
{
    return w->b->origin_count > 0 && !slip_walk_same_half(&w->here, next);
}

/* Whether a branch of twice the period is so close to its end that no change lies before it: both halves of
 * the period are nearly equal, and the parameter approaches the value of the doubling. */
static bool is_near_end(const slip_walk *w)
{
    const slip_branch_point *here = &w->here;
    const slip_branch_doubling *origin = slip_walk_origin(w, here->p);
    const double half = slip_walk_half(here), left = origin ? origin->p - here->p : 0;
    return half < 0.2 * slip_walk_end_half &&
           (left * here->tangent[here->orbit.count + 1] >= 0 ||
            fabs(left) < 1e-6 * (w->b->high - w->b->low) || half < 0.01 * slip_walk_end_half);
}

/* Whether the next point is on the same branch as the last one: it is close to the tangent, and the changes
 * between both can be told apart. */
static bool follows(const slip_walk *w, const slip_branch_point *next, double length)
{
    const double longest = w->b->options.spacing, far = slip_branch_distance(w->b, &w->here, next);
    const bool changes = !slip_walk_same(&w->here, next), small = !slip_walk_may_cut(w, length);
    if (slip_walk_returns(w, next) && !(small && is_near_end(w)))
        return false;
    if (slip_walk_goes_straight(w, next, length)) {
        int crossings = 0;
        for (int test = 0; test < slip_walk_resonance && !changes; test++)
            crossings += !slip_walk_before(w, next, test);
        return small || crossings <= 1;
    }
    return far < 5 * length && ((changes && small) || length < 1e-4 * longest);
}

int slip_walk_try_step(slip_walk *w, double *length, slip_branch_point *next)
{
    const double longest = w->b->options.spacing;
    double doubt;
    bool back = false, breaks = false;
    int status;
    for (; w->step >= slip_walk_shortest * longest; w->step /= 2) {
        status = slip_walk_reach(w, w->step, next);
        if (status == SLIP_STOPPED)
            status = reach_end(w, &w->step, next);
        doubt = INFINITY;
        if (status == SLIP_OK)
            status = slip_walk_goes_back(w, next, &back);
        if (status == SLIP_OK)
            status = slip_walk_breaks(w, next, &breaks);
        if (status == SLIP_OK && !back && !breaks && follows(w, next, w->step))
            status = look_halfway(w, next, w->step, &doubt);
        if (status == SLIP_OK && doubt < 1) {
            const bool easy = next->orbit.iterations <= (w->b->flow.map ? 8 : 4) && doubt < 0.1;
            *length = w->step;
            w->step = fmin(w->longest, w->step * (easy ? 2 : 1));
            return SLIP_OK;
        }
        if (status != SLIP_STOPPED)
            slip_branch_point_free(next);
        if (status < 0)
            return status;
    }
    return SLIP_STOPPED;
}
