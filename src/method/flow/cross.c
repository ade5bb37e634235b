/* The start of a segment, and what happens where a step ends early. */
#include "method/flow/jumps.h"
#include "method/flow/switch.h"

#include <math.h>

/* Whether this run continues an earlier one from which the contact's mode is known. */
static bool recalls(const slip_flow *flow, int c)
{
    return flow->options.memory && flow->options.memory->known[c] &&
           (slip_flow_decided(flow, c) || flow->areas.of[c]);
}

/* Takes the mode of a contact and its chart from the memory of the run that is continued. */
static void recall(slip_flow *flow, int c)
{
    const slip_method_memory *memory = flow->options.memory;
    const bool unilateral = flow->system->contacts[c].has_gap;
    const slip_mode mode = memory->modes[c];
    flow->branches[c].mode = mode;
    flow->impacts.came_to_rest[c] = mode == SLIP_MODE_STICK;
    if (!unilateral)
        return;
    flow->decision.standing[c].touching = mode != SLIP_MODE_OPEN;
    flow->gaps.now[c] = mode != SLIP_MODE_OPEN    ? 0
                        : !isnan(memory->gaps[c]) ? memory->gaps[c]
                                                  : flow->gaps.now[c];
    flow->gaps.largest[c] = flow->gaps.now[c];
}

static int start(slip_flow *flow, const slip_observer *observer)
{
    int landing = -1;
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        double gap, rate, size;
        if (!slip_flow_decided(flow, c) || !contact->has_gap)
            continue;
        gap = slip_system_gap(flow->system, flow->work, c, flow->t, flow->q);
        rate = slip_system_gap_rate(flow->system, flow->work, c, flow->t, flow->q, flow->v);
        size = slip_system_gap_size(flow->system, flow->work, c, flow->t, flow->q);
        const bool closed = recalls(flow, c) && slip_contact_closed(contact, flow->options.memory->modes[c]);
        if (gap < -(closed ? 1e-3 : 1e-9) * fmax(1, size))
            return slip_fail(flow->ctx, SLIP_ERROR_MODEL,
                             "contact `%s`: its gap at the start, t = %.9g, is %.6g; expected at least 0",
                             contact->name, flow->t, gap);
        flow->branches[c].mode = gap < 0 || closed ? SLIP_MODE_CLOSED : SLIP_MODE_OPEN;
        flow->gaps.now[c] = flow->gaps.largest[c] = gap > 1e-12 * size ? gap : 0;
        if (gap > 1e-12 * size || recalls(flow, c))
            continue;
        size = slip_system_gap_rate_size(flow->system, flow->work, c, flow->t, flow->q, flow->v);
        if (rate < -1e-12 * size)
            landing = c;
        else
            flow->decision.standing[c].touching = rate <= 1e-12 * size;
    }
    /* Slightly negative gaps, of the size of rounding, are made zero. */
    slip_flow_close_gaps(flow, flow->t, flow->q);
    for (int c = 0; c < flow->contact_count; c++) {
        if (slip_flow_is_closed(flow, c))
            flow->branches[c].mode = SLIP_MODE_OPEN;
        if (recalls(flow, c))
            recall(flow, c);
        else
            flow->mode_known[c] = flow->mode_known[c] && !slip_flow_decided(flow, c);
    }
    if (flow->options.memory) {
        slip_flow_remember(flow, -1);
        slip_flow_close_touching(flow);
    }
    if (landing >= 0)
        return slip_flow_land(flow, landing, observer);
    return slip_flow_decide_modes(flow, observer);
}

/* The most likely next mode of a contact after this crossing, as a guess. */
static slip_mode successor(const slip_flow_crossing *crossing, slip_mode mode)
{
    switch (crossing->boundary) {
    case SLIP_FLOW_UNSTICK:
        return crossing->hold > 0 ? SLIP_MODE_SLIP_MINUS : SLIP_MODE_SLIP_PLUS;
    case SLIP_FLOW_LIFT:
        return SLIP_MODE_OPEN;
    case SLIP_FLOW_YIELD:
        return mode;
    default:
        return SLIP_MODE_STICK;
    }
}

/* For contacts whose friction was exactly at its limit from the start, and which higher derivatives now bring
 * beyond it: they never stuck, so the modes found now are their initial modes. */
static void forget_start(slip_flow *flow)
{
    for (int c = 0; c < flow->contact_count; c++) {
        bool *left = &flow->look->left[slip_look_slots * c];
        if (flow->branches[c].mode == SLIP_MODE_STICK && slip_flow_decided(flow, c) && !*left)
            flow->mode_known[c] = false, *left = true;
    }
}

int slip_flow_switch_cross(slip_flow *flow, const slip_flow_crossing *crossing, const slip_observer *observer)
{
    int c = crossing->contact;
    flow->pace.crossings++;
    if (crossing->boundary == SLIP_FLOW_LAND)
        return slip_flow_land(flow, c, observer);
    slip_flow_remember(flow, crossing->boundary == SLIP_FLOW_YIELD ? -1 : c);
    if (crossing->boundary == SLIP_FLOW_REST) {
        flow->areas.of[c]->charted = false;
        flow->branches[c].mode = SLIP_MODE_STICK; /* until it is decided: makes the slip velocity zero */
        slip_flow_clean(flow, flow->t, flow->q, flow->v);
    }
    const bool met = crossing->boundary == SLIP_FLOW_LOWER || crossing->boundary == SLIP_FLOW_UPPER;
    flow->impacts.came_to_rest[c] |= met;
    if (met && !slip_flow_is_dead(flow, c, flow->t, flow->q, flow->v)) {
        double slip = slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v);
        double product = slip_system_direction(flow->system, flow->work, c, flow->t, flow->q, flow->v,
                                               flow->scratch.row, flow->scratch.response);
        slip_flow_shift(flow->n, flow->scratch.response, -slip / product, flow->v);
    }
    if (crossing->from_start)
        forget_start(flow);
    slip_flow_keep_resting(flow);
    slip_flow_close_touching(flow);
    if (slip_flow_decided(flow, c) && (!flow->areas.of[c] || crossing->boundary == SLIP_FLOW_LIFT))
        flow->branches[c].mode = successor(crossing, flow->branches[c].mode);
    return slip_flow_decide_modes(flow, observer);
}

/* Evaluates accelerations and rates of slip at the present state, with the constraints of all modes. */
static bool evaluate_here(slip_flow *flow)
{
    if (!slip_system_acceleration(flow->system, flow->work, flow->branches, flow->t, flow->q, flow->v,
                                  flow->a_last))
        return false;
    if (flow->charts.held > 0 && !slip_system_constrain(flow->system, flow->work, flow->branches, flow->t,
                                                        flow->q, flow->v, flow->a_last))
        return false;
    slip_flow_rates(flow, flow->t, flow->q, flow->v, flow->a_last, flow->ends.slip1, flow->ends.rate1);
    return true;
}

static void count_constraints(slip_flow *flow)
{
    flow->charts.count = flow->charts.held = flow->areas.charted = 0;
    for (int k = 0; k < flow->areas.count; k++)
        flow->areas.charted += flow->areas.list[k].charted;
    for (int c = 0; c < flow->contact_count; c++) {
        flow->charts.count += slip_flow_charted(flow, c);
        flow->charts.held += flow->branches[c].mode == SLIP_MODE_STICK || slip_flow_is_closed(flow, c);
    }
}

int slip_flow_settle(slip_flow *flow, const slip_observer *observer)
{
    if (!flow->placed) {
        if (!slip_flow_place(flow))
            return SLIP_STEP_UNDEFINED;
        flow->placed = true;
        if (flow->sliders)
            SLIP_PASS_ALL(slip_flow_sliders_place(flow, observer));
        if (flow->switching)
            SLIP_PASS_ALL(start(flow, observer));
    } else {
        if (!evaluate_here(flow))
            return SLIP_STEP_UNDEFINED;
        SLIP_PASS_ALL(slip_flow_pass_ends(flow, observer));
        if (flow->sliders)
            SLIP_PASS_ALL(slip_flow_sliders_check(flow, observer));
    }
    count_constraints(flow);
    return SLIP_OK;
}

int slip_flow_cross(slip_flow *flow, const slip_flow_crossing *crossing, const slip_observer *observer)
{
    const int c = crossing->contact;
    if (flow->tangent && crossing->boundary != SLIP_FLOW_PULL)
        slip_tangent_cross(flow->tangent, crossing);
    if (crossing->boundary >= SLIP_FLOW_GUARD_LOWER)
        return slip_flow_jumps_cross(flow, crossing, observer);
    if (crossing->boundary >= SLIP_FLOW_SLIDER_UPPER)
        return slip_flow_slider_cross(flow, c, observer);
    if (crossing->boundary == SLIP_FLOW_PULL)
        return slip_system_refuse_pull(flow->ctx, &flow->system->contacts[c], flow->t);
    if (slip_flow_decided(flow, c) || flow->areas.of[c])
        return slip_flow_switch_cross(flow, crossing, observer);
    return slip_flow_break_cross(flow, crossing, observer);
}
