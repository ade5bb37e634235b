/* Sliders in a flow: springs in series with Coulomb's law, without mass (law/law.h).
 *
 * Each has a mode of its own: it sticks, and its deflection follows the slip of its contact, z' = w; or it
 * slips, and z stays at its limit. A slider yields where |z| reaches the limit, and sticks again where w
 * changes its sign. The force is continuous at both, only its rate jumps: no other contact is asked what it
 * does then.
 *
 * The mode of a contact: `stick` while all sliders stick, `slip+` or `slip-` while all of them slip (a spring
 * beside them, which has no limit, does not count), `slip` while some do. */
#include "method/flow_switch.h"

#include <float.h>
#include <math.h>

int slip_flow_sliders_create(slip_flow *flow)
{
    const int64_t count = flow->system->slider_count;
    if (count == 0 || !flow->kind->adaptive)
        return SLIP_OK;
    flow->sliders = slip_arena_array(&flow->arena, count, sizeof *flow->sliders);
    if (!flow->sliders)
        return slip_fail_memory(flow->ctx);
    for (int c = 0; c < flow->contact_count; c++)
        if (slip_flow_has_sliders(flow, c))
            flow->branches[c].sliders = flow->sliders + flow->system->contacts[c].slider;
    flow->has_breaks = flow->watched = true;
    return SLIP_OK;
}

slip_mode slip_flow_slider_mode(const slip_flow *flow, int c)
{
    const slip_contact *contact = &flow->system->contacts[c];
    int all = 0, slipping = 0, sum = 0;
    for (int k = 0; k < contact->state_count; k++) {
        const int mode = flow->sliders[contact->slider + k];
        all += isfinite(flow->system->sliders[contact->slider + k].limit);
        slipping += mode != 0;
        sum += mode;
    }
    return slipping == 0 ? SLIP_MODE_STICK
           : sum == all  ? SLIP_MODE_SLIP_PLUS
           : sum == -all ? SLIP_MODE_SLIP_MINUS
                         : SLIP_MODE_SLIP;
}

int slip_flow_sliders_place(slip_flow *flow, const slip_observer *observer)
{
    int status = SLIP_OK;
    for (int64_t k = 0; k < flow->system->slider_count; k++) {
        const slip_slider *slider = &flow->system->sliders[k];
        double *z = &flow->v[slider->state];
        const double w = flow->slip1[slider->contact], rate = flow->rate1[slider->contact];
        const int side = *z >= slider->limit * (1 - 4 * DBL_EPSILON)    ? 1
                         : *z <= -slider->limit * (1 - 4 * DBL_EPSILON) ? -1
                                                                        : 0;
        const bool slips = side * w > 0 || (w == 0 && side * rate > 0);
        flow->sliders[k] = (signed char)(slips ? side : 0);
        if (side != 0)
            *z = side * slider->limit;
    }
    for (int c = 0; c < flow->contact_count && status == SLIP_OK; c++)
        if (slip_flow_has_sliders(flow, c))
            status = slip_flow_report(flow, c, slip_flow_slider_mode(flow, c), flow->t, observer);
    return status;
}

/* All sliders of a contact stick. Its slip is made exactly zero, unless it has jumped beyond that. */
static void turn(slip_flow *flow, int c)
{
    const slip_contact *contact = &flow->system->contacts[c];
    const double slip = slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v),
                 size = slip_system_slip_size(flow->system, flow->work, c, flow->t, flow->q, flow->v);
    const double product = slip_system_direction(flow->system, flow->work, c, flow->t, flow->q, flow->v,
                                                 flow->row, flow->response);
    if (contact->slip.row && product > 0 && fabs(slip) <= 1e-9 * size)
        slip_flow_shift(flow->n, flow->response, -slip / product, flow->v);
    for (int k = 0; k < contact->state_count; k++)
        flow->sliders[contact->slider + k] = 0;
}

int slip_flow_sliders_check(slip_flow *flow, const slip_observer *observer)
{
    int status = SLIP_OK;
    for (int c = 0; c < flow->contact_count && status == SLIP_OK; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        bool against = false;
        if (!slip_flow_has_sliders(flow, c))
            continue;
        const double size = slip_system_slip_size(flow->system, flow->work, c, flow->t, flow->q, flow->v);
        for (int k = 0; k < contact->state_count; k++)
            against |= flow->sliders[contact->slider + k] * flow->slip1[c] < -1e-12 * size;
        if (against) {
            turn(flow, c);
            status = slip_flow_report(flow, c, slip_flow_slider_mode(flow, c), flow->t, observer);
        }
    }
    return status;
}

double slip_flow_slider_distance(const slip_flow *flow, int slider, slip_flow_boundary boundary, double z,
                                 double w)
{
    const double limit = flow->system->sliders[slider].limit;
    return boundary == SLIP_FLOW_SLIDER_UPPER   ? limit - z
           : boundary == SLIP_FLOW_SLIDER_LOWER ? limit + z
                                                : flow->sliders[slider] * w;
}

int slip_flow_slider_cross(slip_flow *flow, int slider, const slip_observer *observer)
{
    const slip_slider *own = &flow->system->sliders[slider];
    double *z = &flow->v[own->state];
    if (flow->sliders[slider] != 0) {
        turn(flow, own->contact);
    } else {
        flow->sliders[slider] = *z > 0 ? 1 : -1;
        *z = flow->sliders[slider] * own->limit;
    }
    return slip_flow_report(flow, own->contact, slip_flow_slider_mode(flow, own->contact), flow->t, observer);
}
