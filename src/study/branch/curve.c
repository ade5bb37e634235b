/* Curves of bifurcations over two parameters: folds, period doublings, grazes, changes of signature, phase
 * resonances.
 *
 * Parameters are measured in their ranges. From a point on the curve with tangent T the next point is sought
 * on a line normal to the curve, origin + p N: the motion is followed as a branch over p, also around folds,
 * to a change of the test function, located by bisection. The next T is the chord. */
#include "study/branch/branch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double shortest = 1e-5, close_by = 1e-3, first_step = 0.1; /* in units of the longest step */

typedef struct curve {
    slip_orbit_branch *b;
    const slip_branch_place *place;
    slip_branch_point here;              /* the last point before the change, on its line */
    double at[2], heading[2], across[2]; /* parameters at the point, direction of the curve and of the line
                                            across, in units of the ranges */
    double *change; /* derivatives of x_0 and of the logarithm of the period by the length of the curve */
    double step;
    int points;
    bool saddles; /* curve NS: the next place is a neutral saddle (two real multipliers m and 1/m) */
    bool last;    /* the point is on the boundary of the ranges */
    const char *end;
} curve;

/* ---- Lines. */

static double range_of(const slip_orbit_branch *b, int k)
{
    return b->ranges[k][1] - b->ranges[k][0];
}

static void set_line(slip_orbit_branch *b, const double *at, const double *across)
{
    for (int k = 0; k < 2; k++) {
        b->base[k] = b->ranges[k][0] + at[k] * range_of(b, k);
        b->along[k] = across[k] * range_of(b, k);
    }
    b->low = -0.5; /* p in units of the ranges */
    b->high = 0.5;
    b->bound_at = NAN;
}

static void take_place(curve *c)
{
    for (int k = 0; k < 2; k++)
        c->at[k] = (c->here.values[k] - c->b->ranges[k][0]) / range_of(c->b, k);
}

/* ---- A place on a line. */

static bool on_side(const curve *c, const slip_branch_point *point)
{
    return slip_branch_same_side(&c->here, point, c->place->test) &&
           (c->place->test >= 0 || slip_branch_as_good(c->b, &c->here, point));
}

/* Follows the branch from a point of the line across the change; *found is the last point before the change.
 * SLIP_STOPPED: there is no change within the reach. */
static int locate(curve *c, const slip_branch_point *base, double reach, slip_branch_point *found)
{
    const bool ahead = on_side(c, base), vanishes = c->place->test < 0;
    double near = 0, far = 0, length = 1e-3 * reach;
    int status = slip_branch_copy(c->b, base, found);
    bool changed = false;
    for (; status >= 0 && !changed && length <= reach; length *= 3) {
        slip_branch_point point = {0};
        status = slip_branch_reach(c->b, base, base->tangent, ahead ? length : -length, NULL, &point);
        if (status < 0 || (status == SLIP_STOPPED && !(ahead && vanishes)))
            break;
        changed = status == SLIP_STOPPED || on_side(c, &point) != ahead;
        *(changed ? &far : &near) = length;
        if (status == SLIP_OK && on_side(c, &point)) {
            slip_branch_point_free(found);
            *found = point;
        } else {
            slip_branch_point_free(&point);
        }
        status = SLIP_OK;
    }
    /* where no motion is found although it should exist, another place between both points is tried */
    double share = 0.5;
    for (int k = 0; k < 90 && changed && status >= 0 && far - near > 1e-12; k++) {
        const double middle = near + share * (far - near);
        slip_branch_point point = {0};
        status = slip_branch_reach(c->b, base, base->tangent, ahead ? middle : -middle, NULL, &point);
        if (status < 0)
            break;
        const bool unknown = status == SLIP_STOPPED && !vanishes;
        share = unknown ? 0.25 + 0.5 * fmod(share + 0.618, 1) : 0.5;
        if (unknown)
            continue;
        const bool mine = status == SLIP_OK && on_side(c, &point);
        *(mine == ahead ? &near : &far) = middle;
        if (mine) {
            slip_branch_point_free(found);
            *found = point;
        } else {
            slip_branch_point_free(&point);
        }
        status = SLIP_OK;
    }
    if (status != SLIP_OK || !changed || far - near > 1e-9) {
        slip_branch_point_free(found);
        status = status < 0 ? status : SLIP_STOPPED;
    }
    return status;
}

/* Finds a motion at a distance from another, on this side of the change. In a continuum of motions the one
 * found may be on the boundary: then a member inside the continuum is taken, close to the change, where the
 * continuum is narrow and the place is located best. */
static int find_base(curve *c, const slip_branch_point *start, double distance, slip_branch_point *base)
{
    slip_branch_point rim;
    bool entered;
    int status = slip_branch_reach(c->b, start, c->here.tangent, distance, NULL, base);
    if (status != SLIP_OK || c->place->test >= 0 || on_side(c, base))
        return status;
    rim = *base;
    *base = (slip_branch_point){0};
    status = SLIP_STOPPED;
    if (fabs(distance) < close_by * c->b->options.spacing)
        status = slip_branch_enter(c->b, &rim, &entered);
    if (status == SLIP_OK)
        status = entered ? slip_branch_reach(c->b, &rim, rim.tangent, 0, NULL, base) : SLIP_STOPPED;
    slip_branch_point_free(&rim);
    if (status == SLIP_OK && !on_side(c, base)) {
        slip_branch_point_free(base);
        status = SLIP_STOPPED;
    }
    return status;
}

/* Finds the place of the change on the present line. */
static int find_place(curve *c, double length, double reach, slip_branch_point *found)
{
    SLIP_FREED_BY(slip_branch_point_free) slip_branch_point start = {0}, base = {0};
    int status = SLIP_OK;
    SLIP_PASS(status = slip_branch_copy(c->b, &c->here, &start));
    for (int i = 0; i < start.orbit.count; i++)
        start.orbit.x[i] += length * c->change[i];
    start.orbit.period *= exp(length * c->change[start.orbit.count]);
    start.p = 0;
    /* start a little before the change, close to which derivatives may be singular */
    status = SLIP_STOPPED;
    for (double back = 0.3 * length; back < 10 * length && status == SLIP_STOPPED; back *= 3)
        status = find_base(c, &start, -back, &base);
    if (status == SLIP_OK)
        status = locate(c, &base, reach, found);
    /* where the search ends before the motion vanishes, it goes on from the last motion; in a continuum by
     * half of the remaining way each time, up to where motions begin to stick */
    for (int k = 0; k < (found->beside ? 40 : 5) && status == SLIP_OK && c->place->test < 0; k++) {
        slip_branch_point further = {0};
        const int again = locate(c, found, reach, &further);
        const bool on =
            again == SLIP_OK && slip_branch_distance(c->b, found, &further) > (found->beside ? 1e-12 : 1e-9);
        if (on) {
            slip_branch_point_free(found);
            *found = further;
        } else if (again == SLIP_OK) {
            slip_branch_point_free(&further);
        }
        status = again < 0 ? again : SLIP_OK;
        if (!on)
            break;
    }
    return status;
}

/* ---- Steps. */

/* Chooses the line across the end of a step, or the boundary of the ranges where the step leaves them. The
 * line has the same direction across the curve as the last one, so that the change is ahead. Returns its
 * length. */
static double choose_line(curve *c, double *at, double *across)
{
    double length = c->step;
    c->last = false;
    across[0] = -c->heading[1];
    across[1] = c->heading[0];
    for (int k = 0; k < 2; k++) {
        const double left = ((c->heading[k] > 0 ? 1 : 0) - c->at[k]) / c->heading[k];
        if (c->heading[k] != 0 && left <= length) {
            length = fmax(left, 0);
            c->last = true;
            across[k] = 0;
            across[1 - k] = 1;
        }
    }
    if (across[0] * c->across[0] + across[1] * c->across[1] < 0) {
        across[0] = -across[0];
        across[1] = -across[1];
    }
    for (int k = 0; k < 2; k++)
        at[k] = c->at[k] + length * c->heading[k];
    return length;
}

/* Reports the point, and moves the start of its period away from events. The point keeps the sign of its
 * test, which rounding might change with another start. */
static int take_point(curve *c, slip_branch_point *point)
{
    const int slope = point->orbit.count + 1;
    SLIP_FREED_BY(slip_branch_point_free) slip_branch_point again = {0};
    int status = SLIP_OK;
    SLIP_PASS(status = c->b->point(c->b->user, c->b->number, point));
    c->points++;
    status = slip_branch_reach(c->b, point, point->tangent, 0, NULL, &again);
    if (status == SLIP_OK && slip_branch_move_start(c->b, &again, false) == SLIP_OK &&
        again.orbit.time != point->orbit.time) {
        memcpy(again.tests, point->tests, sizeof again.tests);
        again.tangent[slope] = copysign(again.tangent[slope], point->tangent[slope]);
        slip_branch_point_free(point);
        *point = again;
        again = (slip_branch_point){0};
        memset(c->change, 0, (size_t)(point->orbit.count + 1) * sizeof(double));
    }
    return status < 0 ? status : SLIP_OK;
}

/* The place where the signature changes next to a point of the line, to rounding. */
static int pin(const curve *c, slip_branch_point *point)
{
    const slip_orbit_branch *b = c->b;
    if (c->place->test >= 0 || b->flow.map)
        return SLIP_OK;
    const int status = slip_branch_pin(c->b, point, 1, &point->p);
    for (int k = 0; k < 2; k++)
        point->values[k] = b->base[k] + point->p * b->along[k];
    return status;
}

static int take_step(curve *c)
{
    slip_orbit_branch *b = c->b;
    const double rounding = 1e-9;
    double at[2], across[2], chord[2], size = 0;
    const double length = choose_line(c, at, across);
    bool outside = false;
    slip_branch_point found = {0};
    int status;
    set_line(b, at, across);
    status = find_place(c, length, (c->points > 1 ? 5 : 50) * fmax(length, 1e-6), &found);
    c->saddles = status == SLIP_OK && c->place->test == 2 && !found.torus;
    if (c->saddles) {
        slip_branch_point_free(&found);
        status = SLIP_STOPPED;
    }
    if (status == SLIP_OK)
        status = pin(c, &found);
    if (status == SLIP_OK) {
        for (int k = 0; k < 2; k++) {
            const double to = (found.values[k] - b->ranges[k][0]) / range_of(b, k);
            outside = outside || !(to > -rounding && to < 1 + rounding);
            chord[k] = to - c->at[k];
            size += chord[k] * chord[k];
        }
        for (int k = 0; k < 2 && size > 0; k++)
            chord[k] /= sqrt(size);
        const bool turns =
            c->points > 1 && size > 0 && !(chord[0] * c->heading[0] + chord[1] * c->heading[1] > 0.9);
        if (outside && !turns && !c->last) { /* the same direction, as far as the boundary */
            memcpy(c->heading, chord, sizeof chord);
            c->step = sqrt(size);
            slip_branch_point_free(&found);
            return SLIP_OK;
        }
        if (turns || outside) {
            slip_branch_point_free(&found);
            status = SLIP_STOPPED;
        }
    }
    if (status == SLIP_OK) {
        const bool there = found.orbit.time == c->here.orbit.time;
        for (int i = 0; i < found.orbit.count; i++)
            c->change[i] = !there ? 0 : (found.orbit.x[i] - c->here.orbit.x[i]) / sqrt(size);
        c->change[found.orbit.count] = log(found.orbit.period / c->here.orbit.period) / sqrt(size);
        status = take_point(c, &found);
    }
    if (status != SLIP_OK) {
        slip_branch_point_free(&found);
        c->step = 0.5 * length;
        if (c->step < shortest * b->options.spacing)
            c->end = c->saddles ? "both multipliers become real" : "no such point was found beyond";
        return status < 0 ? status : SLIP_OK;
    }
    slip_branch_point_free(&c->here);
    c->here = found;
    memcpy(c->heading, chord, sizeof chord);
    memcpy(c->across, across, sizeof across);
    take_place(c);
    c->step = fmin(2 * c->step, b->options.spacing);
    c->end = c->last ? "end of the range" : NULL;
    return SLIP_OK;
}

/* ---- All of it. */

/* A graze is followed from the side without the impact, where the return map is smooth. */
static int start(curve *c)
{
    const slip_branch_place *place = c->place;
    const bool other =
        place->test < 0 && place->after.signature && place->after.events < place->before.events;
    const int status = slip_branch_copy(c->b, other ? &place->after : &place->before, &c->here);
    for (int i = 0; i < c->here.orbit.count + 2 && other && status >= 0; i++)
        c->here.tangent[i] = -c->here.tangent[i];
    c->across[0] = 1;
    c->across[1] = 0;
    if (status >= 0)
        take_place(c);
    return status;
}

int slip_branch_curve(slip_orbit_branch *b, const slip_branch_place *place, int direction, bool first)
{
    curve c = {.b = b, .place = place, .heading = {0, direction}, .step = first_step * b->options.spacing};
    double from[2];
    int status;
    SLIP_TRY(start(&c));
    c.change = slip_alloc(c.here.orbit.count + 1, sizeof(double));
    SLIP_TRY(c.change ? SLIP_OK : slip_fail_memory(b->ctx));
    set_line(b, c.at, c.across);
    c.here.p = 0;
    SLIP_TRY(pin(&c, &c.here));
    take_place(&c);
    memcpy(from, c.at, sizeof from);
    c.points = 1;
    if (first)
        SLIP_TRY(take_point(&c, &c.here));
    c.points = 1;
    while (!c.end && c.points < b->options.points) {
        SLIP_TRY(take_step(&c));
        if (slip_interrupted(b->ctx)) {
            status = slip_fail(b->ctx, SLIP_INTERRUPTED, "interrupted at %s = %.9g, %s = %.9g",
                               b->parameters[0], c.here.values[0], b->parameters[1], c.here.values[1]);
            goto done;
        }
        if (c.points > 10 && hypot(c.at[0] - from[0], c.at[1] - from[1]) < 0.5 * c.step)
            c.end = "it closes";
    }
    const slip_label label = {.branch = b->number,
                              .type = "EP",
                              .value = c.here.values[0],
                              .contact = "",
                              .from = "",
                              .to = "",
                              .note = c.end ? c.end : "as many points as were asked for"};
    status = b->label(b->user, &label);
done:
    free(c.change);
    slip_branch_point_free(&c.here);
    return status;
}
