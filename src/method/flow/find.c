/* Where a step has to end: the first end of a piece, limit of a force, or closing gap inside it. */
#include "math/vector.h"
#include "method/flow/jumps.h"
#include "method/flow/look.h"
#include "method/flow/switch.h"

#include "ode/root.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Finding where the last step has to end. */

typedef struct probe {
    slip_flow *flow;
    int contact;
    slip_flow_boundary boundary;
    double end;
    double grace; /* added to force reserves */
    int looks;    /* so many more instants inside the step may be looked at */
    bool from_start;
} probe;

static bool is_force(slip_flow_boundary boundary)
{
    return boundary == SLIP_FLOW_RELEASE || boundary == SLIP_FLOW_UNSTICK || boundary == SLIP_FLOW_LIFT ||
           boundary == SLIP_FLOW_YIELD || boundary == SLIP_FLOW_PULL;
}

static bool is_guard(slip_flow_boundary boundary)
{
    return boundary == SLIP_FLOW_GUARD_LOWER || boundary == SLIP_FLOW_GUARD_UPPER;
}

static bool is_slider(slip_flow_boundary boundary)
{
    return boundary >= SLIP_FLOW_SLIDER_UPPER && boundary <= SLIP_FLOW_SLIDER_TURN;
}

double slip_flow_force_reserve(slip_flow *flow, int c, slip_flow_boundary boundary)
{
    const slip_contact_state *state = &flow->work->contacts[c];
    const unsigned clip = flow->branches[c].clip;
    if (boundary == SLIP_FLOW_YIELD)
        return state->yield;
    if (boundary == SLIP_FLOW_LIFT || boundary == SLIP_FLOW_PULL)
        return state->normal;
    if (boundary == SLIP_FLOW_UNSTICK && flow->areas.of[c])
        return slip_flow_patch_reserve(flow, c);
    if (boundary == SLIP_FLOW_UNSTICK) {
        /* the normal force of a compliant contact ends at zero, up to rounding */
        const double normal = flow->system->contacts[c].compliant ? fmax(state->normal, 0) : state->normal;
        double limit = normal * slip_law_hold(slip_flow_law(flow, c));
        return fmin(clip & SLIP_CLIP_UPPER ? INFINITY : limit - state->force,
                    clip & SLIP_CLIP_LOWER ? INFINITY : limit + state->force);
    }
    /* Where the normal force almost vanishes, accelerations below the tolerance do not matter either. */
    return fabs(state->chart_slope) * flow->charts.release +
           0.1 * flow->options.tolerance / flow->charts.product[c] - fabs(state->hold);
}

/* Reserves below this are rounding. */
static double force_noise(const slip_flow *flow, int c, slip_flow_boundary boundary)
{
    const slip_contact_state *state = &flow->work->contacts[c];
    switch (boundary) {
    case SLIP_FLOW_LIFT:
        return 1e-12 * flow->decision.normal_size[c] + flow->decision.rounding[c];
    case SLIP_FLOW_YIELD:
        return 1e-12 * (flow->decision.normal_size[c] + fabs(state->force)) + flow->decision.rounding[c];
    case SLIP_FLOW_PULL:
        return 1e-12 * flow->decision.normal_seen[c];
    case SLIP_FLOW_UNSTICK:
        return 1e-12 * (fabs(state->force) + 1e-300) + flow->decision.rounding[c];
    default:
        return 0;
    }
}

/* The distance from the boundary at x inside the last step; negative beyond it. */
static double probe_inside(void *user, double x)
{
    probe *p = user;
    slip_flow *flow = p->flow;
    slip_stepper *stepper = flow->stepper;
    double *y = flow->scratch.inside, t;
    int n = flow->n, c = p->contact;
    if (p->boundary == SLIP_FLOW_END) {
        slip_stepper_interpolate(stepper, x, 2 * n, 1, y);
        return p->end - flow->charts.origin - y[0];
    }
    if ((p->boundary == SLIP_FLOW_LOWER || p->boundary == SLIP_FLOW_UPPER) && slip_flow_charted(flow, c)) {
        slip_stepper_interpolate(stepper, x, 2 * n + 1 + flow->charts.slot[c], 1, y);
        return slip_flow_distance(flow, c, p->boundary, 0, y[0]);
    }
    slip_stepper_interpolate(stepper, x, 0, stepper->ode.m, y);
    t = slip_flow_time(flow, x, y);
    if (p->boundary == SLIP_FLOW_LAND)
        return slip_flow_gap(flow, c, t, y);
    if (is_slider(p->boundary))
        return slip_flow_slider_distance(flow, c, p->boundary, t, y, y + n);
    if (is_guard(p->boundary))
        return slip_flow_guard(flow, c, p->boundary, t, y, y + n, NULL, NULL);
    if (p->boundary == SLIP_FLOW_PULL)
        return slip_system_normal_force(flow->given, flow->work, c, t, y, y + n);
    if (is_force(p->boundary)) {
        stepper->ode.rhs(flow, x, y, flow->scratch.y);
        flow->ends.at_end = false;
        return slip_flow_force_reserve(flow, c, p->boundary) + p->grace;
    }
    return slip_flow_distance(flow, c, p->boundary,
                              slip_system_slip(flow->system, flow->work, c, t, y, y + n), 0);
}

/* Value and slope (in x) of the distance at an end of the step. */
static void probe_end(const probe *p, bool at_end, double *value, double *slope)
{
    const slip_flow *flow = p->flow;
    const slip_stepper *stepper = flow->stepper;
    const double *y = at_end ? stepper->y1 : stepper->y0, *dy = at_end ? stepper->f1 : stepper->f0;
    int n = flow->n, c = p->contact;
    double sign = p->boundary == SLIP_FLOW_LOWER ? 1 : -1;
    if (p->boundary == SLIP_FLOW_END) {
        *value = p->end - flow->charts.origin - y[2 * n];
        *slope = -dy[2 * n];
    } else if (is_guard(p->boundary)) {
        bool charted = slip_flow_in_chart(flow);
        const double *a = !charted ? dy + n : at_end ? flow->a_last : flow->ends.a0;
        *value =
            slip_flow_guard(p->flow, c, p->boundary,
                            slip_flow_time(flow, at_end ? stepper->x1 : stepper->x0, y), y, y + n, a, slope);
        *slope *= charted ? dy[2 * n] : 1;
    } else if (is_slider(p->boundary)) {
        const bool charted = slip_flow_in_chart(flow);
        const double *a = !charted ? dy + n : at_end ? flow->a_last : flow->ends.a0;
        const double t = slip_flow_time(flow, at_end ? stepper->x1 : stepper->x0, y);
        *value = slip_flow_slider_distance(flow, c, p->boundary, t, y, y + n);
        *slope = slip_flow_slider_slope(flow, c, p->boundary, t, y, y + n, a) * (charted ? dy[2 * n] : 1);
    } else if (slip_flow_charted(flow, c)) {
        int k = 2 * n + 1 + flow->charts.slot[c];
        *value = slip_flow_distance(flow, c, p->boundary, 0, y[k]);
        *slope = sign * dy[k];
    } else if (p->boundary == SLIP_FLOW_LAND) {
        double t = slip_flow_time(flow, at_end ? stepper->x1 : stepper->x0, y);
        *value = slip_flow_gap(flow, c, t, y);
        *slope = slip_system_gap_rate(flow->system, flow->work, c, t, y, y + n) *
                 (slip_flow_in_chart(flow) ? dy[2 * n] : 1);
    } else {
        double clock = slip_flow_in_chart(flow) ? dy[2 * n] : 1;
        *value =
            slip_flow_distance(flow, c, p->boundary, at_end ? flow->ends.slip1[c] : flow->ends.slip0[c], 0);
        *slope = sign * clock * (at_end ? flow->ends.rate1[c] : flow->ends.rate0[c]);
    }
}

/* The root in a step that ends beyond the boundary. The step may have started on the boundary and moved
 * inside first. */
static double root_beyond(probe *p, double x0, double g0, double x1, double g1)
{
    const int halvings = p->boundary == SLIP_FLOW_LAND ? 60 : 30; /* a flight can be much shorter */
    double length = x1 - x0, x = x0, g = g0;
    for (int k = 1; k <= halvings && !(g > 0); k++) {
        x = x0 + ldexp(length, -k);
        g = probe_inside(p, x);
    }
    if (!(g > 0))
        return x;
    return slip_root_bracketed(probe_inside, p, x, g, x1, g1);
}

/* Gaps smaller than this are rounding errors: of the terms of the gap and its rate, and of forces that cancel
 * where the normal force has vanished. Otherwise a contact that has just opened, with all its rates next to
 * zero, would land again and again. */
static double gap_noise(const probe *p)
{
    slip_flow *flow = p->flow;
    const slip_stepper *stepper = flow->stepper;
    const int n = flow->n, c = p->contact;
    const double *row = flow->system->contacts[c].gap.row;
    if (!row)
        return 8 * DBL_EPSILON *
               slip_system_gap_size(flow->system, flow->work, c,
                                    slip_flow_time(flow, stepper->x1, stepper->y1), stepper->y1);
    if (flow->gaps.slot[c] < 0) {
        /* at zero gap the terms without coordinates are as large as those with them */
        double sum = slip_dot(n, row, stepper->y1);
        return 8 * DBL_EPSILON * (slip_dot_size(n, row, stepper->y1) + fabs(sum));
    }
    const double t0 = slip_flow_time(flow, stepper->x0, stepper->y0),
                 t1 = slip_flow_time(flow, stepper->x1, stepper->y1), h = t1 - t0;
    const double speed =
        slip_system_gap_rate_size(flow->system, flow->work, c, t0, stepper->y0, stepper->y0 + n) +
        slip_system_gap_rate_size(flow->system, flow->work, c, t1, stepper->y1, stepper->y1 + n);
    const double jolt = flow->decision.normal_size[c] > 0
                            ? slip_flow_gap_response(flow, c) * flow->decision.normal_size[c]
                            : 0;
    return 8 * DBL_EPSILON *
           (fabs(slip_flow_gap(flow, c, t0, stepper->y0)) + fabs(slip_flow_gap(flow, c, t1, stepper->y1)) +
            h * (speed + h * jolt));
}

/* Slip velocities smaller than this are rounding. A contact that starts to slip with a rate of zero, as with
 * static friction no larger than kinetic friction, would reverse again and again. */
static double slip_noise(const probe *p)
{
    slip_flow *flow = p->flow;
    const slip_stepper *stepper = flow->stepper;
    const double *y = stepper->y1;
    return 8 * DBL_EPSILON *
           slip_system_slip_size(flow->system, flow->work, p->contact, slip_flow_time(flow, stepper->x1, y),
                                 y, y + flow->n);
}

/* The least value of the cubic with values g and slopes d at the ends of a step of length h that falls first
 * and rises then. */
static double least_of_cubic(double h, double g0, double d0, double g1, double d1)
{
    /* its slope at u in (0, 1), times h: a u^2 + b u + c */
    double c = h * d0, a = 3 * (h * d0 + h * d1 - 2 * (g1 - g0)), b = h * d1 - c - a;
    double root = sqrt(fmax(b * b - 4 * a * c, 0)), u = -2 * c / (b + root);
    double w = 1 - u;
    return g0 * w + g1 * u + u * w * (w * (h * d0 + g0 - g1) + u * (g1 - g0 - h * d1));
}

/* The root in a step with both ends inside that first approaches the boundary and then leaves it: it may have
 * been beyond in between. The cubic through values and slopes at the ends, whose error is a small part of the
 * change of the distance in the step, says whether the dense output has to be looked at. */
static double root_of_dip(probe *p, double g0, double d0, double g1, double d1)
{
    const slip_stepper *stepper = p->flow->stepper;
    double h = stepper->x1 - stepper->x0, value, x;
    if (!(d0 < 0 && d1 > 0) || least_of_cubic(h, g0, d0, g1, d1) > 0.1 * h * (d1 - d0))
        return INFINITY;
    x = slip_minimum_bracketed(probe_inside, p, stepper->x0, stepper->x1, &value);
    if (value >= 0 || g0 <= 0 || (p->boundary == SLIP_FLOW_LAND && value > -gap_noise(p)))
        return INFINITY;
    return slip_root_bracketed(probe_inside, p, stepper->x0, g0, x, value);
}

/* The index of the reserve at the end of the last step: 0 of stick, 1 of the normal force, 2 of a force kept
 * at its limit. */
static int slot_of(const probe *p)
{
    const bool normal = p->boundary == SLIP_FLOW_LIFT || p->boundary == SLIP_FLOW_PULL;
    return slip_look_slots * p->contact + (p->boundary == SLIP_FLOW_YIELD ? 2 : normal);
}

/* ---- Conditions that a function of time can violate while the motion does not show it. */

/* The time at which a condition that is negative at b, and was not at a, turns negative. The reserve of a
 * force that was at its limit from the beginning counts as negative once it is below zero by more than
 * rounding, with a margin that the decision of modes can see. */
static double root_between(probe *p, double a, double ga, double b, double gb)
{
    if (!is_force(p->boundary)) /* below the start of the step: it may have risen before */
        return ga > 0 ? root_beyond(p, a, ga, b, gb) : root_beyond(p, p->flow->stepper->x0, 0, b, gb);
    const double noise = force_noise(p->flow, p->contact, p->boundary);
    if (ga > noise)
        return slip_root_far(probe_inside, p, a, ga, b, gb);
    p->grace = 10 * noise;
    p->from_start = !p->flow->look->left[slot_of(p)];
    gb = probe_inside(p, b);
    return gb < 0 ? root_beyond(p, a, probe_inside(p, a), b, gb) : INFINITY;
}

/* The first root between a and b. The stretch is clear when bounds of the functions of time say so, to a
 * small part of the tolerance, and is divided where they do not. Next to a stop that has just been left the
 * dense output is no more accurate than that: only a gap that is certainly negative, or the end of the step
 * itself, counts as landing. */
static double first_root(probe *p, double a, double ga, double b, double gb)
{
    slip_flow *flow = p->flow;
    const bool force = is_force(p->boundary);
    const double noise = force ? force_noise(flow, p->contact, p->boundary) : gap_noise(p);
    const double slack = force ? noise : noise + 0.1 * slip_flow_gap_error(flow, p->contact, 0);
    const slip_deviation d = slip_flow_deviation(flow, p->contact, p->boundary, a, b);
    const double dip = fmin(0.25 * d.bend, d.range);
    const bool beyond = gb < (ga > noise || b == flow->stepper->x1 ? -noise : -slack);
    double middle = 0.5 * (a + b), g, x;
    if (!beyond && (fmin(ga, gb) - dip >= -slack || fabs(gb - ga) >= d.bend))
        return INFINITY;
    if (beyond && (p->looks == 0 || dip <= 0.25 * fabs(gb - ga)))
        return root_between(p, a, ga, b, gb);
    if (p->looks == 0 || b - a <= ldexp(flow->stepper->x1 - flow->stepper->x0, -26))
        return beyond ? root_between(p, a, ga, b, gb) : INFINITY;
    p->looks--;
    g = probe_inside(p, middle);
    x = first_root(p, a, ga, middle, g);
    return x < INFINITY ? x : first_root(p, middle, g, b, gb);
}

/* The root of a given normal force. One that depends on the motion is not sampled inside a step over which it
 * changes little. */
static double root_of_pull(probe *p)
{
    slip_flow *flow = p->flow;
    const slip_stepper *stepper = flow->stepper;
    const int slot = slot_of(p);
    const double x0 = stepper->x0, x1 = stepper->x1, middle = 0.5 * (x0 + x1);
    const double at_end = flow->ends.at_end ? flow->work->contacts[p->contact].normal : 0;
    const double g1 = at_end > 0 ? at_end : probe_inside(p, x1); /* below 0 only beyond a switch */
    const double g0 = flow->look->reserve_at[slot] == x0 ? flow->look->reserve[slot] : probe_inside(p, x0);
    const double change = fabs(g1 - g0), least = g0 < g1 ? g0 : g1;
    double g, root;
    flow->look->reserve_at[slot] = x1;
    flow->look->reserve[slot] = g1;
    if (least > 4 * change)
        return flow->look->timed[p->contact] ? first_root(p, x0, g0, x1, g1) : INFINITY;
    g = probe_inside(p, middle);
    root = first_root(p, x0, g0, middle, g);
    return root < INFINITY ? root : first_root(p, middle, g, x1, g1);
}

/* The root of a force limit. Its slope is not known, so it is sampled at four instants of the step, and at
 * more where bounds of the loads allow a root in between. */
static double root_of_force(probe *p)
{
    slip_flow *flow = p->flow;
    const slip_stepper *stepper = flow->stepper;
    const int slot = slot_of(p);
    double x0 = stepper->x0, h = stepper->x1 - x0, before = x0, g_before = -1;
    if (p->boundary != SLIP_FLOW_RELEASE)
        g_before = flow->look->reserve_at[slot] == x0 ? flow->look->reserve[slot] : probe_inside(p, x0);
    /* bounds of the whole step are bounds of its quarters, in which the chord is four times nearer */
    const slip_deviation d = slip_flow_deviation(flow, p->contact, p->boundary, x0, stepper->x1);
    const double dip = d.bend < 16 * d.range ? d.bend / 16 : d.range;
    for (int k = 1; k <= 4; k++) {
        double x = k == 4 ? stepper->x1 : x0 + 0.25 * k * h, g = probe_inside(p, x);
        if (g <= dip || g_before <= dip) {
            double root = first_root(p, before, g_before, x, g);
            if (root < INFINITY)
                return root;
        }
        before = x;
        g_before = g;
        flow->look->left[slot] = flow->look->left[slot] || g > force_noise(flow, p->contact, p->boundary);
    }
    flow->look->reserve_at[slot] = stepper->x1;
    flow->look->reserve[slot] = g_before;
    return INFINITY;
}

/* The root of the gap to a moving stop. A flight may start on the stop and end in this step, however low it
 * is: the search begins at the first instant with a positive gap. */
static double root_of_moving_stop(probe *p, double g0, double g1)
{
    const slip_stepper *stepper = p->flow->stepper;
    const double noise = gap_noise(p), length = stepper->x1 - stepper->x0;
    double x = stepper->x0, g = g0, root;
    if (!(g0 > noise) && g1 < -noise) {
        for (int k = 1; k <= 60 && !(g > 0); k++) {
            x = stepper->x0 + ldexp(length, -k);
            g = probe_inside(p, x);
        }
        if (!(g > 0))
            return x;
        root = first_root(p, stepper->x0, g0, x, g);
        if (root < INFINITY)
            return root;
    }
    return first_root(p, x, g, stepper->x1, g1);
}

static double root_of_motion(probe *p)
{
    const slip_flow *flow = p->flow;
    const slip_stepper *stepper = flow->stepper;
    double g0, g1, d0, d1;
    probe_end(p, false, &g0, &d0);
    probe_end(p, true, &g1, &d1);
    if (isinf(g0))
        return INFINITY;
    if (p->boundary == SLIP_FLOW_END)
        return g1 <= 0 ? root_beyond(p, stepper->x0, g0, stepper->x1, g1) : INFINITY;
    if (p->boundary == SLIP_FLOW_LAND && flow->system->contacts[p->contact].gap.row &&
        flow->system->contacts[p->contact].gap.rest && !slip_flow_in_chart(flow))
        return root_of_moving_stop(p, g0, g1);
    if (p->boundary == SLIP_FLOW_LAND && g1 < 0 && g1 > -gap_noise(p))
        return INFINITY;
    if (is_slider(p->boundary)) /* a slider that has just turned is at its limit, to rounding */
        return g1 < -8 * DBL_EPSILON *
                           slip_flow_slider_size(flow, p->contact, p->boundary, stepper->x1, stepper->y1,
                                                 stepper->y1 + flow->n)
                   ? root_beyond(p, stepper->x0, g0, stepper->x1, g1)
               : g1 < 0 ? INFINITY
                        : root_of_dip(p, g0, d0, g1, d1);
    if (g1 < 0 && (p->boundary == SLIP_FLOW_LOWER || p->boundary == SLIP_FLOW_UPPER) &&
        slip_flow_decided(flow, p->contact) && fmax(fabs(g0), fabs(g1)) <= slip_noise(p))
        return INFINITY;
    return g1 < 0 ? root_beyond(p, stepper->x0, g0, stepper->x1, g1) : root_of_dip(p, g0, d0, g1, d1);
}

static void consider(slip_flow_crossing *first, slip_flow *flow, int c, slip_flow_boundary boundary,
                     double end)
{
    probe p = {.flow = flow, .contact = c, .boundary = boundary, .end = end, .looks = 1000};
    double x = boundary == SLIP_FLOW_PULL ? root_of_pull(&p)
               : is_force(boundary)       ? root_of_force(&p)
                                          : root_of_motion(&p);
    /* a normal force that vanishes takes the limit of stick with it */
    if (x < first->x || (boundary == SLIP_FLOW_PULL && x < INFINITY &&
                         x <= first->x + 1e-12 * (slip_flow_time_scale(flow) + fabs(x))))
        *first = (slip_flow_crossing){.boundary = boundary, .contact = c, .x = x, .from_start = p.from_start};
}

static void consider_contact(slip_flow_crossing *first, slip_flow *flow, int c, double end)
{
    bool decided = slip_flow_decided(flow, c), unilateral = flow->system->contacts[c].has_gap;
    slip_mode mode = flow->branches[c].mode;
    if (unilateral && mode == SLIP_MODE_OPEN) {
        consider(first, flow, c, SLIP_FLOW_LAND, end);
        return;
    }
    if (flow->areas.of[c]) {
        if (mode == SLIP_MODE_STICK && flow->areas.of[c]->leader == flow->areas.of[c])
            consider(first, flow, c, flow->branches[c].clip ? SLIP_FLOW_YIELD : SLIP_FLOW_UNSTICK, end);
        if (unilateral && !(flow->branches[c].clip & SLIP_CLIP_NORMAL))
            consider(first, flow, c, SLIP_FLOW_LIFT, end);
        return;
    }
    if (flow->branches[c].clip & ~(unsigned)SLIP_CLIP_WEDGED)
        consider(first, flow, c, SLIP_FLOW_YIELD, end);
    if (unilateral && !(flow->branches[c].clip & SLIP_CLIP_NORMAL))
        consider(first, flow, c, SLIP_FLOW_LIFT, end);
    if (decided && mode == SLIP_MODE_STICK) {
        if (!slip_clip_at_apex(flow->branches[c].clip))
            consider(first, flow, c, SLIP_FLOW_UNSTICK, end);
    } else if (flow->charts.hold[c] >= 0)
        consider(first, flow, c, SLIP_FLOW_RELEASE, end);
    else if (slip_flow_law(flow, c)->break_count > 0) {
        consider(first, flow, c, SLIP_FLOW_LOWER, end);
        consider(first, flow, c, SLIP_FLOW_UPPER, end);
    }
}

slip_flow_crossing slip_flow_find(slip_flow *flow, double end)
{
    slip_flow_crossing first = {.contact = -1, .x = INFINITY};
    for (int c = 0; c < flow->contact_count; c++) {
        if (flow->has_breaks)
            consider_contact(&first, flow, c, end);
        if (slip_contact_may_pull(&flow->system->contacts[c]))
            consider(&first, flow, c, SLIP_FLOW_PULL, end);
    }
    for (int k = 0; flow->sliders && k < flow->system->slider_count; k++)
        if (flow->sliders[k] != 0 && flow->system->sliders[k].mode == SLIP_LAW_SATURATES) {
            continue; /* a law that saturates turns at the end of its piece */
        } else if (flow->sliders[k] != 0) {
            consider(&first, flow, k, SLIP_FLOW_SLIDER_TURN, end);
        } else if (isfinite(flow->system->sliders[k].limit)) {
            consider(&first, flow, k, SLIP_FLOW_SLIDER_UPPER, end);
            consider(&first, flow, k, SLIP_FLOW_SLIDER_LOWER, end);
        }
    for (int k = 0; flow->jumps && k < flow->jumps->count; k++)
        if (flow->jumps->frozen->switches.list[k].reads_state) {
            consider(&first, flow, k, SLIP_FLOW_GUARD_LOWER, end);
            consider(&first, flow, k, SLIP_FLOW_GUARD_UPPER, end);
        }
    if (slip_flow_in_chart(flow))
        consider(&first, flow, -1, SLIP_FLOW_END, end);
    for (int k = 0; k < flow->areas.count && first.boundary == SLIP_FLOW_NONE; k++)
        if (slip_flow_patch_at_rest(flow, &flow->areas.list[k]))
            first = (slip_flow_crossing){
                .boundary = SLIP_FLOW_REST, .contact = flow->areas.list[k].contact, .x = flow->stepper->x1};
    return first;
}

/* Whether a condition that was satisfied in the step is violated at its end, up to rounding of time. */
static bool ends_now(slip_flow *flow, int c, slip_flow_boundary boundary)
{
    const slip_stepper *stepper = flow->stepper;
    const double apart = 0.05 * (stepper->x1 - stepper->x0);
    probe p = {.flow = flow, .contact = c, .boundary = boundary};
    double value, slope, before = INFINITY, noise = 0;
    if (is_force(boundary)) {
        before = probe_inside(&p, stepper->x1 - apart);
        value = probe_inside(&p, stepper->x1);
        slope = (value - before) / apart;
        noise = force_noise(flow, c, boundary);
    } else {
        probe_end(&p, true, &value, &slope);
    }
    return before > 10 * noise && slope < 0 && value <= -slope * 4e-13 * fabs(flow->t);
}

slip_flow_crossing slip_flow_find_now(slip_flow *flow)
{
    static const slip_flow_boundary stick[] = {SLIP_FLOW_UNSTICK, SLIP_FLOW_LIFT},
                                    slide[] = {SLIP_FLOW_LOWER, SLIP_FLOW_UPPER, SLIP_FLOW_LIFT};
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_mode mode = flow->branches[c].mode;
        const bool sticks = mode == SLIP_MODE_STICK, closed = mode == SLIP_MODE_CLOSED;
        const slip_flow_boundary *list = sticks ? stick : slide;
        if (!slip_flow_decided(flow, c) || mode == SLIP_MODE_OPEN || flow->branches[c].clip)
            continue;
        for (int k = closed || (mode == SLIP_MODE_SLIP) ? 2 : 0; k < (sticks ? 2 : 3); k++) {
            if (list[k] == SLIP_FLOW_LIFT && !flow->system->contacts[c].has_gap)
                continue;
            if (ends_now(flow, c, list[k]))
                return (slip_flow_crossing){.boundary = list[k],
                                            .contact = c,
                                            .x = flow->stepper->x1,
                                            .hold = flow->work->contacts[c].force};
        }
    }
    return (slip_flow_crossing){.contact = -1, .x = INFINITY};
}

/* Makes x the end of the last step: repeats the step with that length, or interpolates in it. */
static bool end_step_at(slip_flow *flow, double x)
{
    slip_stepper *stepper = flow->stepper;
    bool good;
    if (stepper->type->retake) {
        good = stepper->type->retake(stepper, x);
    } else {
        slip_stepper_interpolate(stepper, x, 0, stepper->ode.m, flow->scratch.inside);
        memcpy(stepper->y1, flow->scratch.inside, (size_t)stepper->ode.m * sizeof(double));
        stepper->x1 = x;
        good = stepper->ode.rhs(flow, x, stepper->y1, stepper->f1);
    }
    flow->ends.at_end = good;
    if (good) {
        const double *a = slip_flow_in_chart(flow) ? flow->a_last : stepper->f1 + flow->n;
        slip_flow_rates(flow, slip_flow_time(flow, x, stepper->y1), stepper->y1, stepper->y1 + flow->n, a,
                        flow->ends.slip1, flow->ends.rate1);
    }
    return good;
}

/* The same for a force limit, whose slope is not known, by the secant method: first from the end of the step
 * and the dense output's estimate, then from the ends of repeated steps. */
static bool polish_force(slip_flow *flow, probe *p, double x)
{
    const slip_stepper *stepper = flow->stepper;
    double g = slip_flow_force_reserve(flow, p->contact, p->boundary), length = x - stepper->x0, slope;
    if (p->boundary == SLIP_FLOW_RELEASE || !stepper->type->retake || g == 0)
        return true;
    slope = (g - probe_inside(p, x - 0.05 * length)) / (0.05 * length);
    for (int k = 0; k < 4; k++) {
        double better = x - g / slope, before = g;
        /* At a jump of the load no root is polished: new modes have to be found on its far side. */
        if (!(slope < 0) || !(better > stepper->x0) || fabs(better - x) > 1e-2 * length ||
            fabs(better - x) <= 2 * DBL_EPSILON * fabs(x))
            return flow->ends.at_end || end_step_at(flow, x);
        if (!end_step_at(flow, better))
            return false;
        g = slip_flow_force_reserve(flow, p->contact, p->boundary);
        if (!(fabs(g) < 0.2 * fabs(before)))
            return end_step_at(flow, x);
        slope = (g - before) / (better - x);
        x = better;
    }
    return true;
}

bool slip_flow_shorten(slip_flow *flow, slip_flow_crossing *crossing, double end)
{
    slip_stepper *stepper = flow->stepper;
    probe p = {.flow = flow, .contact = crossing->contact, .boundary = crossing->boundary, .end = end};
    double x = crossing->x;
    if (crossing->boundary == SLIP_FLOW_REST)
        return true; /* the end of the step itself */
    if (!end_step_at(flow, x))
        return false;
    if (crossing->boundary == SLIP_FLOW_RELEASE)
        crossing->hold = flow->work->contacts[crossing->contact].hold;
    if (crossing->boundary == SLIP_FLOW_UNSTICK)
        crossing->hold = flow->work->contacts[crossing->contact].force;
    if (is_force(crossing->boundary))
        return polish_force(flow, &p, x);
    if (!stepper->type->retake)
        return true;
    /* The dense output is of lower order than the step: Newton's method on the step itself. */
    for (int k = 0; k < 4; k++) {
        double value, slope, better;
        probe_end(&p, true, &value, &slope);
        better = x - value / slope;
        if (!(slope < 0) || !(better > stepper->x0) || fabs(better - x) <= 2 * DBL_EPSILON * fabs(x) ||
            fabs(better - x) > 0.5 * (x - stepper->x0))
            break;
        x = better;
        if (!end_step_at(flow, x))
            return false;
    }
    crossing->x = x;
    return true;
}

double slip_flow_guard(slip_flow *flow, int k, slip_flow_boundary boundary, double t, const double *q,
                       const double *v, const double *a, double *rate)
{
    const slip_jumps *jumps = flow->jumps;
    const double sign = boundary == SLIP_FLOW_GUARD_LOWER ? 1 : -1;
    const double bound = boundary == SLIP_FLOW_GUARD_LOWER ? jumps->low[k] : jumps->high[k];
    const double *gradient = flow->work->gradient;
    double value, sum;
    if (!a || isinf(bound))
        return isinf(bound) ? INFINITY : sign * (slip_flow_guard_value(flow, k, t, q, v) - bound);
    slip_flow_fill_slots(flow, t, q, v);
    value = slip_expression_gradient(slip_flow_switch_of(flow, k)->guard, flow->work->slots, 1 + 2 * flow->n,
                                     flow->work->gradient, flow->work->scratch);
    sum = gradient[slip_slot_time()];
    for (int i = 0; i < flow->n; i++)
        sum += gradient[slip_slot_coordinate(i)] * v[i] + gradient[slip_slot_velocity(flow->n, i)] * a[i];
    *rate = sign * sum;
    return sign * (value - bound);
}
