/* What a jump of loads, belts and stops at an instant means for the contacts.
 *
 * A stop whose velocity jumps (a kink of the gap's function of time) strikes a body that lies on it, by the
 * law of impact, or falls away under it. A stop that itself jumps leaves a body behind, or would be inside
 * it, which is an error. A belt whose velocity jumps starts to slip. */
#include "method/flow/jumps.h"

#include <math.h>

/* The size of the terms of a gap (x: coordinates) or of its rate (x: velocities), for its rounding error. */
static double size_of(const slip_flow *flow, int c, const double *x, double value)
{
    const double *row = slip_system_gap_row(flow->system, flow->work, c, flow->t, flow->q);
    double size = 0, sum = 0;
    for (int i = 0; i < flow->n; i++) {
        size += fabs(row[i] * x[i]);
        sum += row[i] * x[i];
    }
    return size + fabs(value - sum);
}

static void open_contact(slip_flow *flow, int c)
{
    flow->decision.standing[c].touching = false;
    flow->branches[c].mode = SLIP_MODE_OPEN;
}

/* Compares a gap with the one `before` the jump; *landing becomes c when the stop strikes the body. */
static int meet_stop(slip_flow *flow, int c, double before, int *landing)
{
    const double gap = slip_system_gap(flow->system, flow->work, c, flow->t, flow->q),
                 rate = slip_system_gap_rate(flow->system, flow->work, c, flow->t, flow->q, flow->v);
    const double speed = size_of(flow, c, flow->v, rate);
    const double rate_noise = 1e-11 * speed + 1e-3 * slip_flow_gap_error(flow, c, 1);
    /* including the rounding error of the time of the jump */
    const double noise = 1e-11 * size_of(flow, c, flow->q, gap) +
                         1e-12 * (slip_flow_time_scale(flow) + fabs(flow->t)) * speed +
                         1e-3 * slip_flow_gap_error(flow, c, 0);
    const bool jumps = fabs(gap - before) > noise, closed = flow->decision.standing[c].touching;
    if (jumps && gap < -noise)
        return slip_fail(
            flow->ctx, SLIP_ERROR_SOLVER,
            "contact `%s`: at t = %.9g its gap jumps from %.6g to %.6g: a stop that jumps into the "
            "body; let it move there in a short time instead",
            flow->system->contacts[c].name, flow->t, before, gap);
    if (jumps)
        flow->gaps.now[c] += gap - before;
    if (closed && (jumps || rate > rate_noise))
        open_contact(flow, c);
    if (rate < -rate_noise && (gap <= noise && (closed || jumps)))
        *landing = c;
    return SLIP_OK;
}

/* For stops on opposite sides of one body: the factor s > 0 with row_d = -s row_c; else 0. */
static double opposite(const slip_flow *flow, int c, int d)
{
    const double *one = slip_system_gap_row(flow->system, flow->work, c, flow->t, flow->q),
                 *other = slip_system_gap_row(flow->system, flow->work, d, flow->t, flow->q);
    double product = 0, square = 0, rest = 0;
    for (int i = 0; i < flow->n; i++) {
        product -= one[i] * other[i];
        square += one[i] * one[i];
    }
    for (int i = 0; i < flow->n; i++)
        rest += fabs(other[i] + product / square * one[i]);
    return product > 0 && rest <= 1e-12 * sqrt(product) ? product / square : 0;
}

bool slip_flow_squeezed(slip_flow *flow, int c, int *other, double *until)
{
    const slip_system *system = flow->system;
    if (c < 0 || !system->contacts[c].has_gap)
        return false;
    for (int k = 0; k < system->gap_count; k++) {
        const int d = system->gaps[k];
        double factor, now, first, rate;
        if (d == c)
            continue;
        factor = opposite(flow, c, d);
        if (factor == 0)
            continue;
        /* the play between them, in which the coordinates cancel */
        now = slip_system_gap(system, flow->work, c, flow->t, flow->q) +
              slip_system_gap(system, flow->work, d, flow->t, flow->q) / factor;
        first = slip_system_gap(system, flow->work, c, flow->opened_at, flow->q) +
                slip_system_gap(system, flow->work, d, flow->opened_at, flow->q) / factor;
        rate = slip_system_gap_rate(system, flow->work, c, flow->t, flow->q, flow->v) +
               slip_system_gap_rate(system, flow->work, d, flow->t, flow->q, flow->v) / factor;
        if (!(rate < 0) || now > 0.01 * first)
            continue;
        *other = d;
        *until = flow->t - now / rate;
        return true;
    }
    return false;
}

/* Applies a jump of functions of time to all contacts; `gaps`: their gaps before the jump. */
static int contacts_jump(slip_flow *flow, const double *gaps, const slip_observer *observer)
{
    int landing = -1, status = slip_flow_place_again(flow, observer);
    if (status != SLIP_OK || !flow->switching)
        return status;
    for (int k = 0; k < flow->system->gap_count; k++)
        SLIP_PASS(status = meet_stop(flow, flow->system->gaps[k], gaps[flow->system->gaps[k]], &landing));
    if (landing >= 0)
        return slip_flow_land(flow, landing, observer);
    return slip_flow_switch_again(flow, observer);
}

int slip_flow_jumps_ready(slip_flow *flow, const slip_observer *observer)
{
    slip_jumps *jumps = flow->jumps;
    slip_flow_crossing due;
    if (!jumps->started) {
        slip_flow_jumps_place(flow, true);
        jumps->started = true;
    }
    if (!jumps->due || flow->t < jumps->until)
        return SLIP_OK;
    for (int k = 0; k < flow->system->gap_count; k++) {
        const int c = flow->system->gaps[k];
        jumps->gaps[c] = slip_system_gap(flow->system, flow->work, c, flow->t, flow->q);
    }
    if (flow->tangent && slip_flow_jumps_due(flow, &due))
        slip_tangent_cross(flow->tangent, &due);
    else if (flow->tangent)
        slip_tangent_jump(flow->tangent);
    slip_flow_jumps_place(flow, false);
    flow->stepper = NULL;
    return contacts_jump(flow, jumps->gaps, observer);
}
