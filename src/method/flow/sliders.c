/* Sliders in a flow: springs in series with Coulomb's law, without mass (law/law.h).
 *
 * Each has a mode of its own: it sticks, and its deflection follows the slip of its contact, z' = w; or it
 * slips, and z stays at its limit. A slider yields where |z| reaches the limit, and sticks again where w
 * changes its sign. The force is continuous at both events, only its rate jumps, so modes of other contacts
 * are not decided anew.
 *
 * A law that saturates (Dahl's with an exponent below 1) has the same limit, but its own rate below it; it
 * leaves the limit where the slip velocity changes its sign, which is the end of a piece of the law.
 *
 * A limit that varies (mu depends on t, coordinates or states) moves a slider that slips: its sliding
 * velocity is the slip velocity less the rate of the limit, and it sticks where that changes its sign.
 *
 * In the plane the deflection is a vector: it yields where its length reaches the limit, moves on a circle
 * while the slider slips, and sticks again where w has no component along it.
 *
 * The mode of a contact: `stick` while all sliders stick, `slip+` or `slip-` while all of them slip (a spring
 * beside them, which has no limit, does not count), `slip` while some do. */
#include "method/flow/switch.h"
#include "system/friction/friction.h"

#include <float.h>
#include <math.h>

int slip_flow_sliders_create(slip_flow *flow)
{
    const int64_t count = flow->system->slider_count;
    if (count == 0 || !flow->kind->adaptive)
        return SLIP_OK;
    flow->sliders = slip_arena_array(&flow->arena, count, sizeof *flow->sliders);
    flow->slider_room = slip_arena_array(&flow->arena, 2 * (int64_t)flow->n, sizeof *flow->slider_room);
    SLIP_PASS(slip_allocated(flow->ctx, flow->sliders && flow->slider_room));
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
    for (int k = 0; k < contact->slider_count; k++) {
        const int mode = flow->sliders[contact->slider + k];
        all += isfinite(flow->system->sliders[contact->slider + k].limit);
        slipping += mode != 0;
        sum += mode;
    }
    return slipping == 0               ? SLIP_MODE_STICK
           : sum == all || sum == -all ? contact->friction->sliding(sum)
                                       : SLIP_MODE_SLIP;
}

static int report(slip_flow *flow, int c, const slip_observer *observer)
{
    return slip_flow_sliders_tell(flow, c)
               ? slip_flow_report(flow, c, slip_flow_slider_mode(flow, c), flow->t, observer)
               : SLIP_OK;
}

/* ---- Sliders in the plane. */

/* Returns the length of the deflection, and its direction in n. */
static double direction_of(const slip_slider *slider, const double *v, double n[2])
{
    const double *z = v + slider->state, size = hypot(z[0], z[1]);
    n[0] = size > 0 ? z[0] / size : 0;
    n[1] = size > 0 ? z[1] / size : 0;
    return size;
}

/* The component of the slip velocity along the deflection; *size (unless NULL): the size of its terms. */
static double along(const slip_flow *flow, const slip_slider *slider, double t, const double *q,
                    const double *v, double *size)
{
    double n[2], slip[3];
    direction_of(slider, v, n);
    slip_system_patch_slip(flow->system, flow->work, slider->contact, t, q, v, slip);
    if (size)
        *size = hypot(slip[0], slip[1]);
    return n[0] * slip[0] + n[1] * slip[1];
}

/* The rate of that component, with n' = (w - (n . w) n)/|z|. */
static double along_rate(const slip_flow *flow, const slip_slider *slider, double t, const double *q,
                         const double *v, const double *a)
{
    double n[2], slip[3], rate[3];
    const double size = direction_of(slider, v, n);
    slip_system_patch_slip(flow->system, flow->work, slider->contact, t, q, v, slip);
    slip_system_patch_rate(flow->system, flow->work, slider->contact, t, q, v, a, rate);
    const double part = n[0] * slip[0] + n[1] * slip[1],
                 across = slip[0] * slip[0] + slip[1] * slip[1] - part * part;
    return n[0] * rate[0] + n[1] * rate[1] + (size > 0 ? across / size : 0);
}

/* ---- Sliders along a line and in the plane. */

/* The limit of a slider's deflection, and its rate unless NULL. */
static double limit_at(const slip_flow *flow, const slip_slider *slider, double t, const double *q,
                       const double *v, double *rate)
{
    if (flow->system->contacts[slider->contact].varying_count > 0)
        slip_system_tune(flow->system, flow->work, t, q, v);
    return slip_system_slider_limit(flow->system, flow->work, slider, rate);
}

static double limit_here(const slip_flow *flow, const slip_slider *slider)
{
    return limit_at(flow, slider, flow->t, flow->q, flow->v, NULL);
}

/* +1 or -1 where the deflection is at its limit, else 0; in the plane +1. */
static int side_of(const slip_slider *slider, double of, const double *v)
{
    const double limit = of * (1 - 4 * DBL_EPSILON), *z = v + slider->state;
    if (slider->plane)
        return hypot(z[0], z[1]) >= limit;
    return *z >= limit ? 1 : *z <= -limit ? -1 : 0;
}

static void set_on_limit(const slip_slider *slider, double limit, int side, double *v)
{
    double n[2] = {side, 0};
    if (slider->plane)
        direction_of(slider, v, n);
    for (int i = 0; i <= slider->plane; i++)
        v[slider->state + i] = n[i] * limit;
}

/* The sliding velocity of a slider at its limit on that side: the slip velocity along the deflection, less
 * the rate of the limit. */
static double outward(const slip_flow *flow, const slip_slider *slider, int side, double t, const double *q,
                      const double *v)
{
    double rate;
    limit_at(flow, slider, t, q, v, &rate);
    return (slider->plane ? along(flow, slider, t, q, v, NULL)
                          : side * slip_system_slip(flow->system, flow->work, slider->contact, t, q, v)) -
           rate;
}

/* The second time derivative of a limit along the motion, by differences. */
static double bend_of(const slip_flow *flow, const slip_slider *slider, double t, const double *q,
                      const double *v, const double *a)
{
    const slip_contact *contact = &flow->system->contacts[slider->contact];
    const int n = flow->n;
    double *moved = flow->slider_room, rate[2], h = 1e-6 * flow->options.span;
    if (contact->varying_count == 0)
        return 0;
    for (int side = 0; side < 2; side++) {
        const double step = side == 0 ? -h : h;
        for (int i = 0; i < n; i++) {
            moved[i] = q[i] + step * v[i];
            moved[n + i] = v[i] + step * a[i];
        }
        limit_at(flow, slider, t + step, moved, moved + n, &rate[side]);
    }
    return (rate[1] - rate[0]) / (2 * h);
}

double slip_flow_slider_size(const slip_flow *flow, int slider, slip_flow_boundary boundary, double t,
                             const double *q, const double *v)
{
    const slip_slider *own = &flow->system->sliders[slider];
    double size;
    if (own->mode == SLIP_LAW_SIGN)
        return flow->sizes.usual[own->state];
    if (boundary != SLIP_FLOW_SLIDER_TURN)
        return limit_at(flow, own, t, q, v, NULL);
    if (!own->plane)
        return slip_system_slip_size(flow->system, flow->work, own->contact, t, q, v);
    along(flow, own, t, q, v, &size);
    return size;
}

/* The mode of a SLIP_LAW_SIGN slider: the sign of its state or, where that is zero, of its rate. */
static signed char sign_of(const slip_flow *flow, const slip_slider *slider)
{
    const double z = flow->v[slider->state];
    return z != 0 ? (z > 0 ? 1 : -1) : flow->a_last[slider->state] < 0 ? -1 : 1;
}

int slip_flow_sliders_place(slip_flow *flow, const slip_observer *observer)
{
    for (int64_t k = 0; k < flow->system->slider_count; k++) {
        const slip_slider *slider = &flow->system->sliders[k];
        const double limit = limit_here(flow, slider);
        const int side = side_of(slider, limit, flow->v);
        if (slider->mode == SLIP_LAW_SIGN) {
            flow->sliders[k] = sign_of(flow, slider);
            continue;
        }
        const double w = outward(flow, slider, side, flow->t, flow->q, flow->v);
        const double rate = (slider->plane ? along_rate(flow, slider, flow->t, flow->q, flow->v, flow->a_last)
                                           : side * flow->ends.rate1[slider->contact]) -
                            bend_of(flow, slider, flow->t, flow->q, flow->v, flow->a_last);
        flow->sliders[k] = (signed char)(side != 0 && (w > 0 || (w == 0 && rate > 0)) ? side : 0);
        if (side != 0)
            set_on_limit(slider, limit, side, flow->v);
    }
    for (int c = 0; c < flow->contact_count; c++)
        if (slip_flow_has_sliders(flow, c))
            SLIP_PASS_ALL(report(flow, c, observer));
    return SLIP_OK;
}

/* Whether the sliding velocity has changed its sign; a saturating law turns at the end of its piece. */
static bool turned(const slip_flow *flow, int k)
{
    const slip_slider *slider = &flow->system->sliders[k];
    const int side = flow->sliders[k];
    if (slider->mode == SLIP_LAW_SIGN)
        return false;
    if (slider->mode == SLIP_LAW_SATURATES)
        return side != (flow->branches[slider->contact].piece > 0 ? 1 : -1);
    return outward(flow, slider, side, flow->t, flow->q, flow->v) <
           -1e-12 * slip_flow_slider_size(flow, k, SLIP_FLOW_SLIDER_TURN, flow->t, flow->q, flow->v);
}

/* Makes all sliders of a contact stick; where each limit has its own rate, only the sliders that have turned,
 * and `which` (-1: none). The slip velocity is made exactly zero unless it has jumped; in the plane, only its
 * component along the deflection. */
static void turn(slip_flow *flow, int c, int which)
{
    const slip_contact *contact = &flow->system->contacts[c];
    for (int k = contact->slider; k < contact->slider + contact->slider_count; k++)
        if (contact->varying_count == 0 || k == which || (flow->sliders[k] != 0 && turned(flow, k)))
            flow->sliders[k] = 0;
    if (!contact->law.type->sliders || flow->system->sliders[contact->slider].plane)
        return;
    const double slip = slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v),
                 size = slip_system_slip_size(flow->system, flow->work, c, flow->t, flow->q, flow->v);
    const double product = slip_system_direction(flow->system, flow->work, c, flow->t, flow->q, flow->v,
                                                 flow->scratch.row, flow->scratch.response);
    if (contact->slip.row && product > 0 && fabs(slip) <= 1e-9 * size)
        slip_flow_shift(flow->n, flow->scratch.response, -slip / product, flow->v);
}

/* After a jump of a limit: a deflection beyond it is set to it, and a slider that slipped sticks where its
 * deflection is within the new limit. True when something has changed. */
static bool leaped(slip_flow *flow, int k)
{
    const slip_slider *slider = &flow->system->sliders[k];
    const double rounding = 1e-6, *z = flow->v + slider->state, limit = limit_here(flow, slider),
                 size = slider->plane ? hypot(z[0], z[1]) : fabs(*z);
    if (flow->system->contacts[slider->contact].varying_count == 0 || slider->mode != SLIP_LAW_NO_MODE)
        return false;
    if (flow->sliders[k] != 0 && size < limit * (1 - rounding)) {
        flow->sliders[k] = 0;
        return true;
    }
    if (!(size > limit * (1 + rounding)))
        return false;
    const int side = slider->plane || *z > 0 ? 1 : -1;
    set_on_limit(slider, limit, side, flow->v);
    flow->sliders[k] = (signed char)(outward(flow, slider, side, flow->t, flow->q, flow->v) > 0 ? side : 0);
    return true;
}

int slip_flow_sliders_check(slip_flow *flow, const slip_observer *observer)
{
    int status = SLIP_OK;
    for (int c = 0; c < flow->contact_count && status == SLIP_OK; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        bool against = false, changed = false;
        if (!slip_flow_has_sliders(flow, c))
            continue;
        for (int k = contact->slider; k < contact->slider + contact->slider_count; k++) {
            changed |= leaped(flow, k);
            against |= flow->sliders[k] != 0 && turned(flow, k);
        }
        if (against)
            turn(flow, c, -1);
        if (against || changed)
            status = report(flow, c, observer);
    }
    return status;
}

bool slip_flow_forgets(const slip_flow *flow)
{
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->system->contacts[c].state_count > 0 && flow->system->contacts[c].compliant)
            return true;
    return false;
}

void slip_flow_forget(slip_flow *flow)
{
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        if (contact->state_count == 0 || !(contact->has_gap || contact->compliant) ||
            !slip_contact_asleep(
                contact, &flow->branches[c],
                slip_system_normal_force(flow->system, flow->work, c, flow->t, flow->q, flow->v)))
            continue;
        slip_system_forget(flow->system, flow->work, c, flow->v);
        for (int k = 0; k < contact->slider_count && flow->sliders; k++)
            flow->sliders[contact->slider + k] =
                flow->system->sliders[contact->slider + k].mode == SLIP_LAW_SIGN ? 1 : 0;
    }
}

double slip_flow_slider_distance(const slip_flow *flow, int slider, slip_flow_boundary boundary, double t,
                                 const double *q, const double *v)
{
    const slip_slider *own = &flow->system->sliders[slider];
    const double *z = v + own->state;
    if (own->mode == SLIP_LAW_SIGN)
        return flow->sliders[slider] * *z;
    if (boundary == SLIP_FLOW_SLIDER_TURN)
        return outward(flow, own, flow->sliders[slider], t, q, v);
    const double limit = limit_at(flow, own, t, q, v, NULL);
    if (own->plane)
        return boundary == SLIP_FLOW_SLIDER_UPPER ? limit - hypot(z[0], z[1]) : INFINITY;
    return boundary == SLIP_FLOW_SLIDER_UPPER ? limit - *z : limit + *z;
}

double slip_flow_slider_slope(const slip_flow *flow, int slider, slip_flow_boundary boundary, double t,
                              const double *q, const double *v, const double *a)
{
    const slip_slider *own = &flow->system->sliders[slider];
    double n[2], rate;
    if (own->mode == SLIP_LAW_SIGN)
        return flow->sliders[slider] * a[own->state];
    if (boundary == SLIP_FLOW_SLIDER_TURN)
        return (own->plane ? along_rate(flow, own, t, q, v, a)
                           : flow->sliders[slider] *
                                 slip_system_slip_rate(flow->system, flow->work, own->contact, t, q, v, a)) -
               bend_of(flow, own, t, q, v, a);
    limit_at(flow, own, t, q, v, &rate);
    if (!own->plane)
        return rate + (boundary == SLIP_FLOW_SLIDER_UPPER ? -1 : 1) * a[own->state];
    direction_of(own, v, n);
    return rate - (n[0] * a[own->state] + n[1] * a[own->state + 1]);
}

int slip_flow_slider_cross(slip_flow *flow, int slider, const slip_observer *observer)
{
    const slip_slider *own = &flow->system->sliders[slider];
    const double *z = &flow->v[own->state];
    if (own->mode == SLIP_LAW_SIGN) {
        flow->sliders[slider] = (signed char)-flow->sliders[slider];
        flow->v[own->state] = 0;
    } else if (flow->sliders[slider] != 0) {
        turn(flow, own->contact, slider);
    } else {
        flow->sliders[slider] = *z > 0 || own->plane ? 1 : -1;
        set_on_limit(own, limit_here(flow, own), flow->sliders[slider], flow->v);
    }
    return report(flow, own->contact, observer);
}
