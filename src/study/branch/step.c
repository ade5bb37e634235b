/* Steps of a walk: along the tangent, corrected by Newton's method, as long as the curve allows. */
#include "study/branch/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool slip_walk_goes_back(const slip_walk *w, const slip_branch_point *next)
{
    return w->before.signature && !slip_walk_same(&w->here, next) && slip_walk_same(&w->before, next) &&
           slip_branch_distance(w->b, &w->before, &w->here) < 3 * w->b->options.spacing &&
           slip_branch_distance(w->b, &w->before, next) < slip_branch_distance(w->b, &w->before, &w->here) &&
           slip_walk_turn(&w->before, next) < 0 && !(slip_walk_turn(&w->here, next) > 0.99);
}

/* A test that dips to the other side and back between the last point and the next: by the parabola through
 * those two and the one before. */
static bool may_dip(const slip_walk *w, const slip_branch_point *next, double length)
{
    for (int k = 0; k < 3 && w->last_length > 0; k++) {
        const double a = w->last_smooth[k], b = w->here.smooth[k], c = next->smooth[k],
                     rise = (c - b) / length, before = (b - a) / w->last_length,
                     bend = 2 * (rise - before) / (length + w->last_length),
                     slope = before + 0.5 * bend * w->last_length;
        if (!(a * b > 0 && b * c > 0) || !(bend * b > 0) || fabs(b) < 1e-9)
            continue; /* where motions stand beside each other they are all zeros */
        const double lowest = -slope / bend;
        if (lowest > -w->last_length && lowest < length && (b - slope * slope / bend) * b < 0)
            return true;
    }
    return false;
}

bool slip_walk_returns(const slip_walk *w, const slip_branch_point *next)
{
    return w->b->origin_count > 0 && !slip_walk_same_half(&w->here, next);
}

/* The next point is on the same curve as the last one: it is where the tangent leads, as far as can be told,
 * and no more happens on the way than can be told apart. */
static bool follows(const slip_walk *w, const slip_branch_point *next, double length)
{
    const double longest = w->b->options.spacing, far = slip_branch_distance(w->b, &w->here, next);
    const bool changes = !slip_walk_same(&w->here, next), small = length < 1e-2 * longest;
    if (slip_walk_goes_back(w, next) ||
        (slip_walk_returns(w, next) && !small)) /* something may happen before it ends */
        return false;
    if (slip_walk_goes_straight(w, next, length)) {
        int crossings = 0;
        for (int test = 0; test < slip_walk_resonance && !changes; test++)
            crossings += !slip_walk_before(w, next, test);
        return small || (crossings <= 1 && (changes || !may_dip(w, next, length)));
    }
    return far < 5 * length && ((changes && small) || length < 1e-4 * longest);
}

int slip_walk_try_step(slip_walk *w, double *length, slip_branch_point *next)
{
    const double longest = w->b->options.spacing;
    int status = SLIP_STOPPED;
    for (; w->step >= slip_walk_shortest * longest; w->step /= 2) {
        status = slip_branch_reach(w->b, &w->here, w->here.tangent, w->step, NULL, next);
        if (status == SLIP_OK && follows(w, next, w->step)) {
            *length = w->step;
            w->step =
                fmin(w->longest, w->step * (next->orbit.iterations <= (w->b->flow.map ? 8 : 4) ? 2 : 1));
            return SLIP_OK;
        }
        if (status == SLIP_OK)
            slip_branch_point_free(next);
        else if (status < 0)
            return status;
    }
    return SLIP_STOPPED;
}
