/* Contacts on coordinates without mass whose law rises with the slip velocity: the balance of forces
 *
 *     N law(s, z) + yield s = balance(t, q, v, z)
 *
 * has the slip velocity s as its one solution. It is found by Newton's method with bracketing, in the
 * variable y with s = scale sinh y, because laws are logarithmic over many decades of s (rate and state), or
 * linear within the scale. */
#include "system/evaluate.h"

#include <float.h>
#include <math.h>

static double force_at(const slip_system *system, const slip_workspace *work, const slip_contact *contact,
                       double s, const double *v, double *slope)
{
    const slip_law_kernel *law = &contact->law;
    double force;
    if (contact->state_count == 0) {
        slip_law_force(law, slip_law_piece(law, s), s, &force, slope);
        return force;
    }
    slip_law_response to = slip_system_response_of(system, work, contact);
    law->type->remember(law, slip_law_piece(law, s), NULL, s, v + contact->state, &to);
    *slope = to.slope + law->law.viscous;
    return to.force + law->law.viscous * s;
}

double slip_system_creep(const slip_system *system, slip_workspace *work, const slip_contact *contact,
                         double normal, const double *v)
{
    enum { most = 200 };
    const slip_creep *creep = &contact->creep;
    const double right = slip_expression_value(creep->balance, work->slots, work->scratch);
    double scale = slip_law_velocity_scale(&contact->law), low = -700, high = 700, y = 0, s = 0, slope,
           last = high, before = high;
    if (!isfinite(scale) || !(scale > 0))
        scale = 1;
    if (!isfinite(right))
        return NAN;
    for (int k = 0; k < most; k++) {
        s = scale * sinh(y);
        const double rest = normal * force_at(system, work, contact, s, v, &slope) + creep->yield * s - right;
        const double rise = (normal * slope + creep->yield) * scale * cosh(y);
        if (rest == 0)
            return s;
        *(rest > 0 ? &high : &low) = y;
        double next = y - rest / rise;
        /* If Newton steps do not decrease fast, as on an exponential function, bisection is used. */
        if (!(rise > 0) || !(next > low && next < high) || fabs(next - y) > 0.5 * before)
            next = 0.5 * (low + high);
        before = last;
        last = fabs(next - y);
        if (fabs(next - y) <= DBL_EPSILON * fmax(fabs(y), 1e-3))
            break;
        y = next;
    }
    if (fabs(y) > 699)
        return NAN;
    /* The rounding error of the logarithm in y remains: one more step in s itself. */
    const double rest = normal * force_at(system, work, contact, s, v, &slope) + creep->yield * s - right;
    const double rise = normal * slope + creep->yield;
    return rise > 0 && fabs(rest / rise) < 1e-6 * fabs(s) ? s - rest / rise : s;
}

void slip_system_creep_gradient(const slip_system *system, slip_workspace *work, const slip_contact *contact,
                                const slip_contact_state *state, double *gradient)
{
    const int n = system->n, slots = 1 + 2 * n;
    const double rise = contact->creep.yield - state->force_slope;
    if (contact->normal_force && state->normal != 0) {
        double *of_normal = work->patch_gradients; /* scratch: this contact is no patch */
        slip_expression_gradient(contact->normal_force, work->slots, slots, of_normal, work->scratch);
        slip_expression_gradient(contact->creep.balance, work->slots, slots, gradient, work->scratch);
        for (int j = 0; j < slots; j++)
            gradient[j] += state->force / state->normal * of_normal[j];
    } else {
        slip_expression_gradient(contact->creep.balance, work->slots, slots, gradient, work->scratch);
    }
    for (int k = 0; k < contact->state_count; k++) {
        double of_state, rate_slip, rate_state;
        slip_system_remember_gradients(system, work, contact, state, k, &of_state, &rate_slip, &rate_state);
        gradient[slip_slot_velocity(n, contact->state + k)] += of_state;
    }
    for (int j = 0; j < slots; j++)
        gradient[j] /= rise;
}

double slip_system_creep_rate(const slip_system *system, slip_workspace *work, const slip_contact *contact,
                              const double *v, const double *a)
{
    const int n = system->n;
    double *gradient = work->gradient, slope;
    slip_contact_state state = {.normal = contact->normal_constant};
    if (contact->normal_force)
        state.normal = slip_expression_value(contact->normal_force, work->slots, work->scratch);
    state.slip = slip_system_creep(system, work, contact, state.normal, v);
    state.force = -state.normal * force_at(system, work, contact, state.slip, v, &slope);
    state.force_slope = -state.normal * slope;
    slip_system_creep_gradient(system, work, contact, &state, gradient);
    double rate = gradient[0];
    for (int j = 0; j < n; j++)
        rate += gradient[slip_slot_coordinate(j)] * v[j] + gradient[slip_slot_velocity(n, j)] * a[j];
    return rate;
}
