/* Curves over two parameters: where motions fold, double, graze, begin to stick, or lag a quarter of a
 * period.
 *
 * The plane of the parameters is measured in their ranges. From a place on the curve with direction T the
 * next one is sought on a line across, origin + p N: there the motion is followed as a branch over p, so that
 * folds are nothing special, until the test changes, and the place is located by bisection. The next T is the
 * chord.
 */
#include "study/branch/branch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double shortest = 1e-5, close_by = 1e-3, first_step = 0.1; /* in units of the longest step */

typedef struct curve {
    slip_orbit_branch *b;
    const slip_branch_place *place;
    slip_branch_point here;              /* the last before the change, on its line */
    double at[2], heading[2], across[2]; /* its place in the plane, where the curve and its line go, in units
                                            of the ranges */
    double *change; /* of x_0 and of the logarithm of the period along the curve, for a unit of its length */
    double step;
    int points;
    bool saddles; /* of NS: the next place is one where two real multipliers are m and 1/m */
    bool last;    /* at the rim of the ranges */
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
    b->low = -0.5; /* p is measured as the plane is */
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

/* From a point of the line to the change and over it; the last point before it is in *found. SLIP_STOPPED:
 * there is none within the reach. */
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
    /* where no motion is found, and the change is not that it vanishes, another place between them tells */
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

/* A motion at a distance from another with the signature on this side of the change, where it tells. Where
 * motions stand beside each other the one that is found may be at their rim: one of those within it then,
 * close to the place, which is found the better the narrower they are. */
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

/* The place on the line that is set. */
static int find_place(curve *c, double length, double reach, slip_branch_point *found)
{
    SLIP_FREED_BY(slip_branch_point_free) slip_branch_point start = {0}, base = {0};
    int status = SLIP_OK;
    SLIP_PASS(status = slip_branch_copy(c->b, &c->here, &start));
    for (int i = 0; i < start.orbit.count; i++)
        start.orbit.x[i] += length * c->change[i];
    start.orbit.period *= exp(length * c->change[start.orbit.count]);
    start.p = 0;
    /* a little before the change, next to which derivatives may be of no use */
    status = SLIP_STOPPED;
    for (double back = 0.3 * length; back < 10 * length && status == SLIP_STOPPED; back *= 3)
        status = find_base(c, &start, -back, &base);
    if (status == SLIP_OK)
        status = locate(c, &base, reach, found);
    /* where motions are not found any more before they vanish, from the last one on it leads farther; each
     * time half of the way where others stand beside it, up to where they begin to stop */
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

/* The line across a step, or the rim of the ranges where the step leaves them; it goes the same way across as
 * the last one, so that the tangent points over the change. Returns how long the step is. */
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

/* Tells the point, and gives it a start away from events. It stays on its side of the change, of which from
 * another start rounding might say the opposite. */
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
        if (outside && !turns && !c->last) { /* the same way, as far as the rim */
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

/* The motion grazes from the side on which it does not land, where its map is smooth. */
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
