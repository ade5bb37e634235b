/* A walk along a branch: from step to step, and how it ends. */
#include "study/branch/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A walk ends where the motion has grown by this factor: beyond it the parameter is constant. */
static const double most_growth = 1e6;

/* A walk ends where the period has grown by this factor, since it tends to infinity. The first is for the
 * period of a load, and only counts where the load has no finite period at the end of the range; the second
 * for a period of the motion's own. */
static const double most_periods = 1e2, most_own_periods = 1e4;

static int end_walk(slip_walk *w, const char *note)
{
    return slip_walk_end(w, w->here.p, note);
}

/* Ends the walk where no step succeeds. */
static int give_up(slip_walk *w)
{
    const double next = w->here.p + 1e-6 * (slip_walk_bound(w) - w->here.p);
    const int status = slip_branch_bind(w->b, next, NULL, NULL);
    return status == SLIP_ERROR_MODEL ? end_walk(w, "the model takes no values beyond")
           : status < 0               ? status
                                      : end_walk(w, "no motion was found beyond");
}

/* The amplitude of the coordinates over the scales; in harmonic balance the largest unknown. */
static double size_of(const slip_walk *w, const slip_branch_point *point)
{
    double most = 0;
    for (int i = 0; i < point->orbit.count && w->b->flow.map; i++)
        most = fmax(most, fabs(point->orbit.x[i]) / point->orbit.scale[i]);
    for (int i = 0; i < slip_system_coordinates(w->b->simulation->ready->system) && !w->b->flow.map; i++)
        most = fmax(most, (point->high[i] - point->low[i]) / point->orbit.scale[i]);
    return most;
}

/* Enlarges the scales where the motion has become larger than they are, as in a resonance, so that steps stay
 * proportional to the motion. The tangent is converted to the new scales. */
static void grow_scales(slip_walk *w)
{
    slip_branch_point *point = &w->here;
    const double factor = size_of(w, point);
    const int n = point->orbit.count;
    double size = 0;
    if (!(factor > 1.5))
        return;
    w->grown *= factor;
    w->bend_p = NAN;
    for (int i = 0; i < n; i++) {
        point->orbit.scale[i] *= factor;
        point->tangent[i] /= factor;
        point->half[i] /= factor;
    }
    for (int i = 0; i < n + 2; i++)
        size += point->tangent[i] * point->tangent[i];
    for (int i = 0; i < n + 2; i++)
        point->tangent[i] /= sqrt(size);
}

/* Stores the tests of the last point and its distance, the length of the step, for the next steps. */
static void remember(slip_walk *w, double length)
{
    slip_walk_past here = {.distance = length}, middle = w->middle;
    memcpy(here.smooth, w->here.smooth, sizeof here.smooth);
    if (middle.distance > 0) {
        middle.distance = length - middle.distance;
        w->past[0] = middle;
        w->past[1] = here;
        w->past_count = 2;
    } else {
        w->past[1] = w->past[0];
        w->past[1].distance += length;
        w->past[0] = here;
        w->past_count = w->past_count > 0 ? 2 : 1;
    }
    w->middle.distance = 0;
}

/* Finds the curvature of the branch between the last point and the next, normal to the last tangent: steps
 * are predicted along a parabola. */
static void find_bend(slip_walk *w, double length, slip_branch_point *next)
{
    const slip_branch_point *here = &w->here;
    const int n = here->orbit.count + 2;
    const double turn = slip_walk_turn(here, next);
    w->bend_p = w->bend_time = NAN;
    if (here->beside && next->beside &&
        slip_walk_same(here, next)) { /* the middle of the continuum changes at this rate */
        const double far = slip_branch_distance(w->b, here, next);
        for (int i = 0; i < n && here->orbit.time == next->orbit.time && far > 0; i++)
            next->tangent[i] = slip_walk_between(w, here, next, i) / far;
        return;
    }
    if (!here->signature || !next->signature || !slip_walk_same(here, next) || !(length > 0) ||
        here->orbit.time != next->orbit.time || !(turn > 0.5) || w->b->flow.map)
        return;
    for (int i = 0; i < n; i++)
        w->bend[i] = (turn * next->tangent[i] - here->tangent[i]) / length;
    w->bend_p = next->p;
    w->bend_time = next->orbit.time;
}

/* Makes the next point the last one, after a step of this length; 0: after a leap. */
static int arrive(slip_walk *w, double length, slip_branch_point *next)
{
    int status = SLIP_OK;
    const bool changes = w->here.signature && next->signature && !slip_walk_same(&w->here, next);
    if (changes && (length == 0 || !slip_walk_goes_straight(w, next, length))) /* after a corner */
        w->step = slip_walk_first * w->b->options.spacing;
    find_bend(w, length, next);
    if (changes || length == 0) {
        w->past_count = 0;
        w->middle.distance = 0;
    } else {
        remember(w, length);
    }
    slip_branch_point_free(changes ? &w->before : &w->here);
    if (changes)
        w->before = w->here;
    w->fresh = changes;
    if (changes) {
        slip_branch_point_free(&w->corner);
        status = slip_branch_copy(w->b, next, &w->corner);
        if (status < 0)
            w->corner = (slip_branch_point){0};
    }
    w->here = *next;
    *next = (slip_branch_point){0};
    if (w->here.tangent)
        grow_scales(w);
    if (w->grown > most_growth && !w->ended)
        status = end_walk(w, "the motion grows without bound");
    return status;
}

/* Reports the changes between the last point and the next, at the end of a step of this length. */
static int tell_between(slip_walk *w, double *length, slip_branch_point *next)
{
    return slip_walk_same(&w->here, next) ? slip_walk_look_between(w, length, next)
                                          : slip_walk_turn_corner(w, length, next);
}

/* ---- Where branches end. */

/* Ends the walk where the parameter reaches the end of its range, before the next point. */
static int end_at(slip_walk *w, double bound, const slip_branch_point *next)
{
    const slip_branch_point *from = &w->here;
    const int n = from->orbit.count;
    const double part = (bound - from->p) / (next->p - from->p), far = slip_branch_distance(w->b, from, next);
    double *across = slip_alloc(2 * (int64_t)n + 4, sizeof(double)), *chord = across ? across + n + 2 : NULL;
    slip_branch_point last = {0};
    bool there = false;
    int status = across ? SLIP_OK : slip_fail_memory(w->b->ctx);
    if (across) {
        across[n + 1] = 1;
        for (int i = 0; i < n; i++)
            chord[i] = (next->orbit.x[i] - from->orbit.x[i]) / from->orbit.scale[i] / far;
        if (from->orbit.own_period)
            chord[n] = (next->orbit.period / from->orbit.period - 1) / far;
        chord[n + 1] = (next->p - from->p) / (w->b->high - w->b->low) / far;
        status = slip_branch_reach(w->b, from, chord, part * far, across, &last);
    }
    if (status == SLIP_OK && !(slip_branch_distance(w->b, from, &last) <= 1.5 * far)) {
        slip_branch_point_free(&last); /* another motion */
        status = SLIP_STOPPED;
    }
    if (status == SLIP_OK) {
        last.p = bound; /* but for rounding */
        last.values[0] = w->b->base[0] + bound * w->b->along[0];
        double length = slip_walk_along(w, &last);
        status = tell_between(w, &length, &last);
        if (status == SLIP_OK && !w->ended && !w->back)
            status = slip_walk_tell_point(w, &last);
        if (status == SLIP_OK && !w->ended && !w->back)
            status = arrive(w, 0, &last);
        there = w->here.p == bound;
    }
    slip_branch_point_free(&last);
    free(across);
    if (status == SLIP_OK && w->back)
        slip_walk_leave_corner(w, true);
    if (status == SLIP_OK && (!there || w->ended))
        return SLIP_OK;           /* after the first of several changes */
    if (status == SLIP_STOPPED) { /* the end is not reached in one step */
        w->longest = w->step /= 2;
        return w->step < slip_walk_shortest * w->b->options.spacing ? give_up(w) : SLIP_OK;
    }
    return status < 0 ? status : end_walk(w, "end of the range");
}

/* The value of the parameter at which the amplitude goes to zero, extrapolated from that power of the
 * amplitude which gives the least uncertainty: the square close to a Hopf bifurcation, the amplitude itself
 * where motions of all amplitudes are similar, as in stick-slip. */
static double at_no_size(const double *size, const double *p, double *doubt)
{
    double other;
    const double square = slip_walk_zero_of_power(2, 3, size, p, doubt),
                 line = slip_walk_zero_of_power(1, 3, size, p, &other);
    if (*doubt <= other)
        return square;
    *doubt = other;
    return line;
}

/* Sets *p to the value at which an autonomous cycle shrinks to an equilibrium, else to NAN. Tested by cycles
 * beyond the next point, each of half the amplitude. */
static int shrinks(slip_walk *w, const slip_branch_point *next, double *p)
{
    const double rounding = 1e-6 * (w->b->high - w->b->low);
    double size[3] = {size_of(w, next), size_of(w, &w->here)}, values[3] = {next->p, w->here.p},
           least = rounding, doubt;
    double step = slip_branch_distance(w->b, &w->here, next);
    slip_branch_point at = {0};
    int status = SLIP_OK;
    *p = NAN;
    if (!next->orbit.own_period || !slip_walk_same(&w->here, next) || !(size[0] * w->grown < 0.05) ||
        !(size[0] < size[1]))
        return SLIP_OK;
    for (int k = 0; k < 12 && status == SLIP_OK; k++) {
        const slip_branch_point *from = k > 0 ? &at : next;
        slip_branch_point smaller;
        step *= 0.5 * size[0] / (size[1] - size[0]);
        status = slip_branch_reach(w->b, from, from->tangent, step, NULL, &smaller);
        if (status != SLIP_OK)
            break;
        memmove(size + 1, size, 2 * sizeof *size);
        memmove(values + 1, values, 2 * sizeof *values);
        size[0] = size_of(w, &smaller);
        values[0] = smaller.p;
        status = slip_walk_same(next, &smaller) && size[0] < size[1] ? SLIP_OK : SLIP_STOPPED;
        slip_walk_put(&at, &smaller);
        const double found = status == SLIP_OK ? at_no_size(size, values, &doubt) : NAN;
        if (status == SLIP_OK && doubt < least) {
            least = doubt;
            *p = found;
        }
    }
    slip_branch_point_free(&at);
    if (!(*p >= w->b->low - rounding && *p <= w->b->high + rounding))
        *p = NAN; /* beyond the end of the range */
    return status < 0 ? status : SLIP_OK;
}

/* Ends a branch of twice the period in one of the doublings of the branch of half the period, or as close to
 * it as the branch can be followed. */
static int join(slip_walk *w, double length)
{
    SLIP_FREED_BY(slip_branch_point_free) slip_branch_point low = {0}, high = {0};
    double at, p;
    SLIP_PASS(slip_walk_locate(w, length, slip_walk_two_halves, NULL, &at, &low, &high));
    p = low.signature ? low.p : w->here.p;
    slip_branch_doubling *nearest = slip_walk_origin(w, p);
    if (fabs(nearest->p - p) < 1e-3 * (w->b->high - w->b->low)) {
        p = nearest->p;
        nearest->joined = true;
    }
    return slip_walk_end(w, p, "the branch of half the period");
}

/* ---- All of it. */

static int take_step(slip_walk *w)
{
    const slip_branch_options *o = &w->b->options;
    slip_branch_point next = {0};
    double length = 0, end = NAN;
    int status;
    if (w->here.p == slip_walk_bound(w))
        return end_walk(w, "end of the range");
    if (w->here.orbit.period > 0.5 * w->b->longest)
        return end_walk(w, "the period grows without bound");
    if (w->here.orbit.own_period) /* beyond amplitude zero the walk would come back along the same motions */
        w->step = fmin(w->step, 0.5 * size_of(w, &w->here));
    status = slip_walk_try_step(w, &length, &next);
    if (status == SLIP_STOPPED && w->fresh) { /* close to a corner the direction onward is uncertain */
        slip_walk_turn_back(&w->here);
        w->step = slip_walk_first * o->spacing;
        status = slip_walk_try_step(w, &length, &next);
    }
    if (status == SLIP_STOPPED)
        status = slip_walk_try_elsewhere(w, &length, &next);
    if (status == SLIP_OK)
        status = shrinks(w, &next, &end);
    if (status == SLIP_STOPPED) {
        status = slip_walk_leap(w, &next);
        if (status == SLIP_STOPPED)
            return slip_walk_leave_corner(w, false) ? SLIP_OK : give_up(w);
        if (status == SLIP_OK) {
            slip_walk_head_on(w->b, &w->here, &next);
            length = 0;
            status = slip_walk_turn_corner(w, &length, &next);
        }
    } else if (status == SLIP_OK && slip_walk_returns(w, &next)) {
        slip_branch_point_free(&next);
        return join(w, length);
    } else if (status == SLIP_OK && !isnan(end)) {
        slip_branch_point_free(&next);
        return slip_walk_end(w, fmin(fmax(end, w->b->low), w->b->high), "it shrinks to an equilibrium");
    } else if (status == SLIP_OK && !(next.p >= w->b->low && next.p <= w->b->high)) {
        status = end_at(w, next.p > w->b->high ? w->b->high : w->b->low, &next);
        slip_branch_point_free(&next);
        return status;
    } else if (status == SLIP_OK) {
        status = tell_between(w, &length, &next);
    }
    if (status == SLIP_STOPPED) { /* once more, with a shorter step */
        slip_branch_point_free(&next);
        w->step = 0.5 * length;
        return SLIP_OK;
    }
    if (status >= 0 && (w->ended || w->back)) {
        slip_branch_point_free(&next);
        if (w->back)
            slip_walk_leave_corner(w, true);
        return status;
    }
    if (status >= 0)
        status = slip_walk_tell_point(w, &next);
    if (status >= 0)
        status = slip_walk_move_start(w, false, &next);
    if (status >= 0)
        return arrive(w, length, &next);
    slip_branch_point_free(&next);
    return status;
}

/* Sets the largest period that is followed on the way to the end of the range. */
static int bound_period(slip_orbit_branch *b, double period, int direction)
{
    slip_orbit last = {0};
    b->longest = INFINITY;
    const int status =
        b->plan.own_period ? SLIP_OK : slip_branch_bind(b, direction > 0 ? b->high : b->low, NULL, &last);
    if (status == SLIP_ERROR_MODEL || b->plan.own_period)
        b->longest = 2 * period * (b->plan.own_period ? most_own_periods : most_periods);
    return status == SLIP_ERROR_MODEL ? SLIP_OK : status;
}

int slip_branch_walk(slip_orbit_branch *b, const slip_branch_point *from, int direction, bool first,
                     slip_arena *arena, slip_branch_doubling *doubled, int most, int *count)
{
    const int n = from->orbit.count;
    slip_walk w = {.b = b,
                   .step = slip_walk_first * b->options.spacing,
                   .longest = b->options.spacing,
                   .grown = 1,
                   .bend_p = NAN,
                   .arena = arena,
                   .doubled = doubled,
                   .most = most,
                   .count = count};
    slip_branch_point start = {0};
    double *zero = slip_alloc(n + 2, sizeof(double));
    int status;
    b->closed = false;
    SLIP_TRY(bound_period(b, from->orbit.period, direction));
    w.bend = slip_arena_array(arena, 2 * (int64_t)n + 4, sizeof(double));
    SLIP_TRY(zero && w.bend ? SLIP_OK : slip_fail_memory(b->ctx));
    memcpy(zero, from->tangent, (size_t)(n + 2) * sizeof(double));
    /* the same point once more, with a tangent of this direction */
    for (int i = 0; i < n + 2 && from->tangent[n + 1] * direction < 0; i++)
        zero[i] = -zero[i];
    SLIP_TRY(slip_branch_reach(b, from, zero, 0, NULL, &w.here));
    if (first)
        SLIP_TRY(slip_walk_tell_point(&w, &w.here));
    SLIP_TRY(slip_walk_move_start(&w, false, &w.here));
    SLIP_TRY(slip_branch_copy(b, &w.here, &start));
    while (!w.ended && w.points < b->options.points) {
        SLIP_TRY(take_step(&w));
        if (slip_interrupted(b->ctx)) {
            status =
                slip_fail(b->ctx, SLIP_INTERRUPTED, "interrupted at %s = %.9g", b->parameters[0], w.here.p);
            goto done;
        }
        const double far = slip_branch_distance(b, &start, &w.here);
        w.farthest = fmax(w.farthest, far);
        if (!w.ended && w.points > 10 && far < 0.5 * w.step && w.farthest > 3 * w.step &&
            slip_walk_same(&start, &w.here) && start.orbit.time == w.here.orbit.time) {
            b->closed = slip_walk_turn(&start, &w.here) > 0;
            SLIP_TRY(slip_walk_end(&w, start.p, b->closed ? "it closes" : "it goes back along itself"));
        }
    }
    if (!w.ended)
        SLIP_TRY(end_walk(&w, "as many points as were asked for"));
done:
    slip_branch_point_free(&w.here);
    slip_branch_point_free(&w.before);
    slip_branch_point_free(&w.corner);
    slip_branch_point_free(&start);
    free(zero);
    return status;
}

int slip_branch_double(slip_orbit_branch *b, const slip_branch_point *near, const slip_branch_doubling *at,
                       slip_branch_point *point)
{
    const int n = near->orbit.count;
    double size = 0, along = 0;
    SLIP_FREED double *direction = slip_alloc(2 * (int64_t)n + 4, sizeof(double));
    double *across = direction ? direction + n + 2 : NULL;
    SLIP_FREED_BY(slip_branch_point_free) slip_branch_point start = {.p = at->p};
    int status = SLIP_OK;
    SLIP_PASS(status = direction ? SLIP_OK : slip_fail_memory(b->ctx));
    start.orbit =
        (slip_orbit){.own_period = near->orbit.own_period, .time = at->time, .period = 2 * at->period};
    SLIP_PASS(status = slip_orbit_create(b->ctx, n, 1, &start.orbit));
    memcpy(start.orbit.x, at->x, (size_t)n * sizeof(double));
    memcpy(start.orbit.scale, near->orbit.scale, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        direction[i] = at->vector[i] / near->orbit.scale[i];
        size += direction[i] * direction[i];
    }
    for (int i = 0; i < n; i++) {
        direction[i] /= sqrt(size);
        along += direction[i] * at->tangent[i];
    }
    for (int i = 0; i < n + 2; i++) /* the direction has no component along the branch of half the period */
        across[i] = direction[i] - along * at->tangent[i];
    b->plan.options.multiple *= 2;
    status = SLIP_STOPPED;
    for (int k = 0; k < 6 && status == SLIP_STOPPED; k++) {
        const double distance = b->options.spacing * 0.3 * pow(0.4, k);
        status = slip_branch_reach(b, &start, direction, distance, across, point);
        if (status == SLIP_OK &&
            !(slip_walk_half(point) > distance && slip_branch_distance(b, &start, point) < 2 * distance)) {
            slip_branch_point_free(point);
            status = SLIP_STOPPED;
        }
    }
    return status;
}
