/* Contacts and the pieces of their laws: where a step must end, and what comes next. */
#include "method/flow.h"

#include "ode/root.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const slip_law_kernel *law_of(const slip_flow *flow, int c)
{
    return &flow->system->contacts[c].law;
}

void slip_flow_rates(slip_flow *flow, double t, const double *q, const double *v, const double *a,
                     double *slip, double *rate)
{
    for (int c = 0; c < flow->contact_count; c++)
        slip[c] = flow->work->contacts[c].slip;
    if (flow->has_breaks)
        for (int c = 0; c < flow->contact_count; c++)
            rate[c] = law_of(flow, c)->break_count > 0
                          ? slip_system_slip_rate(flow->system, flow->work, c, t, q, v, a)
                          : 0;
}

/* ---- Pieces. */

/* Puts the contact into a piece of its law. `at` is the break on which its slip velocity w is, or -1. */
static void enter_piece(slip_flow *flow, int c, int piece, int at, double w)
{
    const slip_law_kernel *law = law_of(flow, c);
    slip_branch *branch = &flow->branches[c];
    int lower = piece - 1, upper = piece, other;
    branch->piece = piece;
    branch->chart = -1;
    branch->s = 0;
    branch->mode = SLIP_MODE_SLIP;
    flow->hold[c] = -1;
    if (flow->slot[c] < 0)
        return;
    if (lower >= 0 && law->breaks[lower].singular) {
        branch->chart = lower;
        other = upper;
        flow->side[c] = 1;
    } else if (upper < law->break_count && law->breaks[upper].singular) {
        branch->chart = upper;
        other = lower;
        flow->side[c] = -1;
    } else {
        return;
    }
    const slip_law_break *own = &law->breaks[branch->chart];
    flow->far[c] = INFINITY;
    if (other >= 0 && other < law->break_count) {
        double distance = fabs(law->breaks[other].velocity - own->velocity) / (2 * own->radius);
        flow->far[c] = 2 * asin(sqrt(fmin(distance, 1)));
    }
    if (at == other)
        branch->s = flow->side[c] * flow->far[c];
    else if (at != branch->chart)
        branch->s = flow->side[c] * 2 * asin(sqrt(fmin(fabs(w - own->velocity) / (2 * own->radius), 1)));
}

/* Moves the velocities, along the contact's direction, so that its slip velocity is exactly that of the
 * break. */
static void project(slip_flow *flow, int c, double target)
{
    double *row = flow->row, *response = flow->response;
    double product =
        slip_system_direction(flow->system, flow->work, c, flow->t, flow->q, flow->v, row, response);
    double slip = slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v);
    /* A direction that moves may all but vanish just now, and would move the velocities far. */
    if (slip != target && flow->system->contacts[c].slip.row)
        for (int i = 0; i < flow->n; i++)
            flow->v[i] += response[i] * (target - slip) / product;
}

static void hold_at(slip_flow *flow, int c, int at)
{
    flow->branches[c].chart = at;
    flow->branches[c].s = 0;
    flow->branches[c].mode = SLIP_MODE_STICK;
    flow->hold[c] = at;
    project(flow, c, law_of(flow, c)->breaks[at].velocity);
    flow->product[c] = slip_system_direction(flow->system, flow->work, c, flow->t, flow->q, flow->v,
                                             flow->row, flow->response);
}

/* Is the contact's direction a combination of those of held contacts and of one more (or -1)? Then it cannot
 * move. Gram-Schmidt on their rows; contacts with charts have constant ones. */
static bool held_fast(const slip_flow *flow, int c, int more)
{
    const int n = flow->n;
    double *basis = flow->block, *row = flow->row, size = 0, left = 0;
    int rank = 0;
    for (int k = 0; k <= flow->contact_count; k++) {
        /* the contact itself comes last */
        int which = k == flow->contact_count ? c : k;
        if (k < flow->contact_count && (k == c || flow->slot[k] < 0 || (flow->hold[k] < 0 && k != more)))
            continue;
        memcpy(row, flow->system->contacts[which].slip.row, (size_t)n * sizeof(double));
        size = left = 0;
        for (int i = 0; i < n; i++)
            size += row[i] * row[i];
        for (int j = 0; j < rank; j++) {
            double overlap = 0;
            for (int i = 0; i < n; i++)
                overlap += basis[j * n + i] * row[i];
            for (int i = 0; i < n; i++)
                row[i] -= overlap * basis[j * n + i];
        }
        for (int i = 0; i < n; i++)
            left += row[i] * row[i];
        if (left > 1e-20 * size) {
            for (int i = 0; i < n && rank < n; i++)
                basis[rank * n + i] = row[i] / sqrt(left);
            rank++;
        }
    }
    return left <= 1e-20 * size;
}

/* The rate is so small that the law balances it at |s| < limit next to the given break. */
static bool balanced(slip_flow *flow, int c, int at, double limit)
{
    const slip_law_kernel *law = law_of(flow, c);
    double force, slope,
        product = slip_system_direction(flow->system, flow->work, c, flow->t, flow->q, flow->v, flow->row,
                                        flow->response);
    law->type->chart(law, at, 0, &force, &slope);
    return fabs(flow->rate1[c]) <=
           fabs(slope) * flow->work->contacts[c].normal * product * limit + 0.01 * flow->options.tolerance;
}

/* The break on which w is, or -1. */
static int break_at(const slip_law_kernel *law, double w)
{
    for (int k = 0; k < law->break_count; k++)
        if (w == law->breaks[k].velocity)
            return k;
    return -1;
}

/* At the very start: pieces from the slip velocities; a contact that is exactly on a break goes where its
 * rate leads. The laws are continuous, so the rate does not depend on the side that is assumed. */
static bool place(slip_flow *flow)
{
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_law_kernel *law = law_of(flow, c);
        double w;
        int at;
        if (slip_flow_decided(flow, c))
            continue;
        w = slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v);
        at = break_at(law, w);
        enter_piece(flow, c, slip_law_piece(law, w), at, w);
        if (at >= 0 && law->breaks[at].singular && flow->slot[c] >= 0) {
            flow->branches[c].chart = at;
            flow->branches[c].s = 0;
        }
    }
    if (!slip_system_acceleration(flow->system, flow->work, flow->branches, flow->t, flow->q, flow->v,
                                  flow->a_last))
        return false;
    slip_flow_rates(flow, flow->t, flow->q, flow->v, flow->a_last, flow->slip1, flow->rate1);
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_law_kernel *law = law_of(flow, c);
        int at = break_at(law, flow->slip1[c]);
        if (at < 0 || slip_flow_decided(flow, c))
            continue;
        enter_piece(flow, c, flow->rate1[c] < 0 ? at : at + 1, at, flow->slip1[c]);
        if (flow->slot[c] >= 0 && law->breaks[at].singular && balanced(flow, c, at, flow->hold_below))
            hold_at(flow, c, at);
    }
    return true;
}

/* The distance of a contact from an end of its piece, for slip velocity w and chart variable s; infinite when
 * there is no such end. *direction is the sign with which the distance grows with w. */
static double distance_to(const slip_flow *flow, int c, slip_flow_boundary boundary, double w, double s)
{
    const slip_law_kernel *law = law_of(flow, c);
    const slip_branch *branch = &flow->branches[c];
    int end = boundary == SLIP_FLOW_LOWER ? branch->piece - 1 : branch->piece;
    if (end < 0 || end >= law->break_count)
        return INFINITY;
    if (branch->chart >= 0)
        return branch->chart == end ? flow->side[c] * s : flow->far[c] - flow->side[c] * s;
    return boundary == SLIP_FLOW_LOWER ? w - law->breaks[end].velocity : law->breaks[end].velocity - w;
}

/* Into the next piece; a reversal is reported. */
static int move_on(slip_flow *flow, int c, slip_flow_boundary boundary, const slip_observer *observer)
{
    bool upward = boundary == SLIP_FLOW_UPPER;
    int piece = flow->branches[c].piece;
    int at = upward ? piece : piece - 1;
    double target = law_of(flow, c)->breaks[at].velocity;
    project(flow, c, target);
    enter_piece(flow, c, upward ? piece + 1 : piece - 1, at, target);
    return target == 0 ? slip_flow_report(flow, c, upward ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_SLIP_MINUS,
                                          flow->t, observer)
                       : SLIP_OK;
}

/* Contacts that are on an end of their piece and head out of it go on to the next piece: several may have
 * reached an end at the same time. */
static int pass_ends(slip_flow *flow, const slip_observer *observer)
{
    for (int c = 0; c < flow->contact_count; c++) {
        double rate = flow->rate1[c];
        slip_flow_boundary ahead = rate < 0 ? SLIP_FLOW_LOWER : SLIP_FLOW_UPPER;
        if (law_of(flow, c)->break_count == 0 || flow->hold[c] >= 0 || slip_flow_decided(flow, c) ||
            rate == 0)
            continue;
        if (distance_to(flow, c, ahead, flow->slip1[c], flow->branches[c].s) <= 0) {
            int status = move_on(flow, c, ahead, observer);
            if (status != SLIP_OK)
                return status;
        }
    }
    return SLIP_OK;
}

/* Accelerations and rates now, with everything that the modes hold. */
static bool evaluate_here(slip_flow *flow)
{
    if (!slip_system_acceleration(flow->system, flow->work, flow->branches, flow->t, flow->q, flow->v,
                                  flow->a_last))
        return false;
    if (flow->held_count > 0 && !slip_system_constrain(flow->system, flow->work, flow->branches, flow->t,
                                                       flow->q, flow->v, flow->a_last))
        return false;
    slip_flow_rates(flow, flow->t, flow->q, flow->v, flow->a_last, flow->slip1, flow->rate1);
    return true;
}

static void count_constraints(slip_flow *flow)
{
    flow->charted_count = flow->held_count = 0;
    for (int c = 0; c < flow->contact_count; c++) {
        flow->charted_count += slip_flow_charted(flow, c);
        flow->held_count += flow->branches[c].mode == SLIP_MODE_STICK ||
                            (flow->system->contacts[c].kind == SLIP_CONTACT_UNILATERAL &&
                             flow->branches[c].mode != SLIP_MODE_OPEN);
    }
}

int slip_flow_settle(slip_flow *flow, const slip_observer *observer)
{
    if (!flow->placed) {
        if (!place(flow))
            return SLIP_STEP_UNDEFINED;
        flow->placed = true;
        if (flow->switching) {
            int status = slip_flow_switch_start(flow, observer);
            if (status != SLIP_OK)
                return status;
        }
    } else {
        if (!evaluate_here(flow))
            return SLIP_STEP_UNDEFINED;
        int status = pass_ends(flow, observer);
        if (status != SLIP_OK)
            return status;
    }
    count_constraints(flow);
    return SLIP_OK;
}

/* ---- Finding where the last step has to end. */

typedef struct probe {
    slip_flow *flow;
    int contact;
    slip_flow_boundary boundary;
    double end;
} probe;

/* What is left, at the last evaluation, until a force reaches its limit. */
static double force_reserve(slip_flow *flow, int c, slip_flow_boundary boundary)
{
    const slip_contact_state *state = &flow->work->contacts[c];
    if (boundary == SLIP_FLOW_LIFT)
        return state->normal;
    if (boundary == SLIP_FLOW_UNSTICK)
        return state->normal * slip_law_hold(law_of(flow, c)) - fabs(state->force);
    /* Where the normal force is next to nothing, accelerations below the tolerance do not matter either. */
    return fabs(state->chart_slope) * flow->release + 0.1 * flow->options.tolerance / flow->product[c] -
           fabs(state->hold);
}

/* Reserves below this are rounding. */
static double force_noise(const slip_flow *flow, int c, slip_flow_boundary boundary)
{
    const slip_contact_state *state = &flow->work->contacts[c];
    if (boundary == SLIP_FLOW_LIFT)
        return 1e-12 * flow->normal_size[c];
    return boundary == SLIP_FLOW_UNSTICK ? 1e-12 * (fabs(state->force) + 1e-300) : 0;
}

/* The distance from the boundary at x inside the last step; negative beyond it. */
static double probe_inside(void *user, double x)
{
    probe *p = user;
    slip_flow *flow = p->flow;
    slip_stepper *stepper = flow->stepper;
    double *y = flow->inside, t;
    int n = flow->n, c = p->contact;
    if (p->boundary == SLIP_FLOW_END) {
        slip_stepper_interpolate(stepper, x, 2 * n, 1, y);
        return p->end - flow->origin - y[0];
    }
    if ((p->boundary == SLIP_FLOW_LOWER || p->boundary == SLIP_FLOW_UPPER) && slip_flow_charted(flow, c)) {
        slip_stepper_interpolate(stepper, x, 2 * n + 1 + flow->slot[c], 1, y);
        return distance_to(flow, c, p->boundary, 0, y[0]);
    }
    slip_stepper_interpolate(stepper, x, 0, stepper->ode.m, y);
    t = slip_flow_time(flow, x, y);
    if (p->boundary == SLIP_FLOW_LAND)
        return slip_system_gap(flow->system, flow->work, c, t, y);
    if (p->boundary >= SLIP_FLOW_RELEASE) {
        stepper->ode.rhs(flow, x, y, flow->y);
        flow->at_end = false;
        return force_reserve(flow, c, p->boundary);
    }
    return distance_to(flow, c, p->boundary, slip_system_slip(flow->system, flow->work, c, t, y, y + n), 0);
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
        *value = p->end - flow->origin - y[2 * n];
        *slope = -dy[2 * n];
    } else if (slip_flow_charted(flow, c)) {
        int k = 2 * n + 1 + flow->slot[c];
        *value = distance_to(flow, c, p->boundary, 0, y[k]);
        *slope = sign * dy[k];
    } else if (p->boundary == SLIP_FLOW_LAND) {
        double t = slip_flow_time(flow, at_end ? stepper->x1 : stepper->x0, y);
        *value = slip_system_gap(flow->system, flow->work, c, t, y);
        *slope = slip_system_gap_rate(flow->system, flow->work, c, t, y + n) *
                 (slip_flow_in_chart(flow) ? dy[2 * n] : 1);
    } else {
        double clock = slip_flow_in_chart(flow) ? dy[2 * n] : 1;
        *value = distance_to(flow, c, p->boundary, at_end ? flow->slip1[c] : flow->slip0[c], 0);
        *slope = sign * clock * (at_end ? flow->rate1[c] : flow->rate0[c]);
    }
}

/* A step that ends beyond the boundary: the root. The step may have started on the boundary, and gone inside
 * first. */
static double root_beyond(probe *p, double g0, double g1)
{
    const slip_stepper *stepper = p->flow->stepper;
    double x0 = stepper->x0, length = stepper->x1 - x0, x = x0, g = g0;
    for (int k = 1; k <= 30 && !(g > 0); k++) {
        x = x0 + ldexp(length, -k);
        g = probe_inside(p, x);
    }
    if (!(g > 0))
        return x;
    return slip_root_bracketed(probe_inside, p, x, g, stepper->x1, g1);
}

/* Gaps smaller than this are rounding. A contact that has just opened, with all its rates next to zero, would
 * land again and again. */
static double gap_noise(const probe *p)
{
    const slip_flow *flow = p->flow;
    const slip_gap_form *gap = &flow->system->contacts[p->contact].gap;
    double size = 0, sum = 0;
    for (int i = 0; i < flow->n; i++) {
        size += fabs(gap->row[i] * flow->stepper->y1[i]);
        sum += gap->row[i] * flow->stepper->y1[i];
    }
    /* touching, what is not of the coordinates is as large as the rest */
    return 8 * DBL_EPSILON * (size + fabs(sum));
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

/* A step with both ends inside, approaching the boundary first and leaving it then: it may have been beyond
 * in between. The cubic through the ends says whether that is near enough to look; it is good to a small part
 * of what the distance changes in a step. */
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

/* A force limit: its slope is not at hand, so the step is looked at in four places. */
static double root_of_force(probe *p)
{
    slip_flow *flow = p->flow;
    const slip_stepper *stepper = flow->stepper;
    double x0 = stepper->x0, h = stepper->x1 - x0, before = x0, g_before = -1;
    for (int k = 1; k <= 4; k++) {
        double x = k == 4 ? stepper->x1 : x0 + 0.25 * k * h, g = probe_inside(p, x);
        if (g < -force_noise(flow, p->contact, p->boundary)) {
            /* Where the limit was reached already at the beginning, look for the moment from which on it was
             * not. */
            if (!(g_before > 0))
                return root_beyond(p, k == 1 ? probe_inside(p, x0) : g_before, g);
            return slip_root_far(probe_inside, p, before, g_before, x, g);
        }
        before = x;
        g_before = g;
    }
    return INFINITY;
}

static double root_of_motion(probe *p)
{
    double g0, g1, d0, d1;
    probe_end(p, false, &g0, &d0);
    probe_end(p, true, &g1, &d1);
    if (isinf(g0))
        return INFINITY;
    if (p->boundary == SLIP_FLOW_END)
        return g1 <= 0 ? root_beyond(p, g0, g1) : INFINITY;
    if (p->boundary == SLIP_FLOW_LAND && g1 < 0 && g1 > -gap_noise(p))
        return INFINITY;
    return g1 < 0 ? root_beyond(p, g0, g1) : root_of_dip(p, g0, d0, g1, d1);
}

static void consider(slip_flow_crossing *first, slip_flow *flow, int c, slip_flow_boundary boundary,
                     double end)
{
    probe p = {flow, c, boundary, end};
    bool force = boundary == SLIP_FLOW_RELEASE || boundary == SLIP_FLOW_UNSTICK || boundary == SLIP_FLOW_LIFT;
    double x = force ? root_of_force(&p) : root_of_motion(&p);
    if (x < first->x)
        *first = (slip_flow_crossing){.boundary = boundary, .contact = c, .x = x};
}

static void consider_contact(slip_flow_crossing *first, slip_flow *flow, int c, double end)
{
    bool decided = slip_flow_decided(flow, c),
         unilateral = flow->system->contacts[c].kind == SLIP_CONTACT_UNILATERAL;
    slip_mode mode = flow->branches[c].mode;
    if (unilateral && mode == SLIP_MODE_OPEN) {
        consider(first, flow, c, SLIP_FLOW_LAND, end);
        return;
    }
    if (unilateral)
        consider(first, flow, c, SLIP_FLOW_LIFT, end);
    if (decided && mode == SLIP_MODE_STICK)
        consider(first, flow, c, SLIP_FLOW_UNSTICK, end);
    else if (flow->hold[c] >= 0)
        consider(first, flow, c, SLIP_FLOW_RELEASE, end);
    else if (law_of(flow, c)->break_count > 0) {
        consider(first, flow, c, SLIP_FLOW_LOWER, end);
        consider(first, flow, c, SLIP_FLOW_UPPER, end);
    }
}

slip_flow_crossing slip_flow_find(slip_flow *flow, double end)
{
    slip_flow_crossing first = {.contact = -1, .x = INFINITY};
    for (int c = 0; c < flow->contact_count; c++)
        consider_contact(&first, flow, c, end);
    if (slip_flow_in_chart(flow))
        consider(&first, flow, -1, SLIP_FLOW_END, end);
    return first;
}

/* Makes x the end of the last step: takes the step again, or interpolates. */
static bool end_step_at(slip_flow *flow, double x)
{
    slip_stepper *stepper = flow->stepper;
    bool good;
    if (stepper->type->retake) {
        good = stepper->type->retake(stepper, x);
    } else {
        slip_stepper_interpolate(stepper, x, 0, stepper->ode.m, flow->inside);
        memcpy(stepper->y1, flow->inside, (size_t)stepper->ode.m * sizeof(double));
        stepper->x1 = x;
        good = stepper->ode.rhs(flow, x, stepper->y1, stepper->f1);
    }
    flow->at_end = good;
    if (good) {
        const double *a = slip_flow_in_chart(flow) ? flow->a_last : stepper->f1 + flow->n;
        slip_flow_rates(flow, slip_flow_time(flow, x, stepper->y1), stepper->y1, stepper->y1 + flow->n, a,
                        flow->slip1, flow->rate1);
    }
    return good;
}

/* The same for a force limit, whose slope is not known: the secant through the end of the step taken and the
 * dense output's estimate before it, then through the ends of steps taken. */
static bool polish_force(slip_flow *flow, probe *p, double x)
{
    const slip_stepper *stepper = flow->stepper;
    double g = force_reserve(flow, p->contact, p->boundary), length = x - stepper->x0, slope;
    if (p->boundary == SLIP_FLOW_RELEASE || !stepper->type->retake || g == 0)
        return true;
    slope = (g - probe_inside(p, x - 0.05 * length)) / (0.05 * length);
    for (int k = 0; k < 4; k++) {
        double better = x - g / slope, before = g;
        /* A jump of the load is not polished: its far side is where the new modes are to be found. */
        if (!(slope < 0) || !(better > stepper->x0) || fabs(better - x) > 1e-2 * length ||
            fabs(better - x) <= 2 * DBL_EPSILON * fabs(x))
            return flow->at_end || end_step_at(flow, x);
        if (!end_step_at(flow, better))
            return false;
        g = force_reserve(flow, p->contact, p->boundary);
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
    probe p = {flow, crossing->contact, crossing->boundary, end};
    double x = crossing->x;
    if (!end_step_at(flow, x))
        return false;
    if (crossing->boundary == SLIP_FLOW_RELEASE)
        crossing->hold = flow->work->contacts[crossing->contact].hold;
    if (crossing->boundary == SLIP_FLOW_RELEASE || crossing->boundary == SLIP_FLOW_UNSTICK ||
        crossing->boundary == SLIP_FLOW_LIFT)
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

/* Lets go of a held contact, in the direction in which it pulls. */
static int release_one(slip_flow *flow, int c, double hold, const slip_observer *observer)
{
    int at = flow->hold[c];
    bool upward = hold < 0;
    enter_piece(flow, c, upward ? at + 1 : at, at, law_of(flow, c)->breaks[at].velocity);
    return law_of(flow, c)->breaks[at].velocity == 0
               ? slip_flow_report(flow, c, upward ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_SLIP_MINUS, flow->t,
                                  observer)
               : SLIP_OK;
}

/* Where the other held contacts would not let this one move, all of them are released. */
static int release(slip_flow *flow, int c, double hold, const slip_observer *observer)
{
    int status;
    bool frozen;
    status = release_one(flow, c, hold, observer);
    frozen = held_fast(flow, c, -1);
    for (int k = 0; frozen && k < flow->contact_count && status == SLIP_OK; k++)
        if (flow->hold[k] >= 0)
            status = release_one(flow, k, flow->work->contacts[k].hold, observer);
    return status;
}

/* Moves on, and takes along the contacts that reach their own break at the same instant because they slip
 * alike. Their s, a little off by then, would make them late. */
static int move_on_together(slip_flow *flow, int c, slip_flow_boundary boundary,
                            const slip_observer *observer)
{
    int status = move_on(flow, c, boundary, observer);
    for (int d = 0; d < flow->contact_count && status == SLIP_OK; d++) {
        const slip_law_kernel *law = law_of(flow, d);
        double slip, size = 0;
        if (d == c || !slip_flow_charted(flow, d) || flow->branches[d].s == 0)
            continue;
        slip = slip_system_slip(flow->system, flow->work, d, flow->t, flow->q, flow->v);
        for (int i = 0; i < flow->n; i++)
            size += fabs(flow->system->contacts[d].slip.row[i] * flow->v[i]);
        if (fabs(slip - law->breaks[flow->branches[d].chart].velocity) <= 8 * DBL_EPSILON * size)
            status = move_on(flow, d, flow->side[d] > 0 ? SLIP_FLOW_LOWER : SLIP_FLOW_UPPER, observer);
    }
    return status;
}

int slip_flow_cross(slip_flow *flow, const slip_flow_crossing *crossing, const slip_observer *observer)
{
    int c = crossing->contact, at;
    const slip_law_kernel *law = law_of(flow, c);
    if (slip_flow_decided(flow, c))
        return slip_flow_switch_cross(flow, crossing, observer);
    if (crossing->boundary == SLIP_FLOW_RELEASE)
        return release(flow, c, crossing->hold, observer);
    at = crossing->boundary == SLIP_FLOW_UPPER ? flow->branches[c].piece : flow->branches[c].piece - 1;
    if (flow->slot[c] >= 0 && law->breaks[at].singular && balanced(flow, c, at, flow->hold_below)) {
        hold_at(flow, c, at);
        return SLIP_OK;
    }
    return move_on_together(flow, c, crossing->boundary, observer);
}

/* A contact that is almost at a singular break, and stays there. */
static bool comes_to_rest(slip_flow *flow, int c)
{
    return fabs(flow->branches[c].s) < flow->hold_below &&
           balanced(flow, c, flow->branches[c].chart, flow->hold_below);
}

/* Holding it would freeze a contact that is moving. */
static bool would_freeze(slip_flow *flow, int c)
{
    for (int d = 0; d < flow->contact_count; d++)
        if (d != c && slip_flow_charted(flow, d) && held_fast(flow, d, c) && !comes_to_rest(flow, d))
            return true;
    return false;
}

bool slip_flow_hold_new(slip_flow *flow)
{
    bool held = false;
    for (int c = 0; c < flow->contact_count; c++)
        if (slip_flow_charted(flow, c) && comes_to_rest(flow, c) && !would_freeze(flow, c)) {
            hold_at(flow, c, flow->branches[c].chart);
            held = true;
        }
    return held;
}
