/* Laws with memory in a fixed step.
 *
 * With the slip velocity x at the point a of the step, the states of a law move from z_0 to z_1 by the rule
 * of the step itself,
 *
 *     z_1 = z_0 + h g(x, z_a),   z_a = a z_1 + (1 - a) z_0,
 *
 * and sliders return to their limits, z_1 = the nearest to z_0 + h x within +-limit. So z_a is a function of
 * x, and with it the force: within a step such a law is one of the slip velocity alone, with the slope f_x +
 * f_z dz_a/dx. */
#include "method/fixed.h"

#include <math.h>

static slip_law_response response_of(const slip_fixed *f)
{
    const int n = f->n;
    return (slip_law_response){.force_z = f->memory_z + n,
                               .rate = f->memory_z + 2 * (ptrdiff_t)n,
                               .rate_v = f->memory_z + 3 * (ptrdiff_t)n,
                               .rate_z = f->memory_z + 4 * (ptrdiff_t)n};
}

static void evaluate(const slip_law_kernel *law, double x, const double *z, slip_law_response *to)
{
    law->type->remember(law, slip_law_piece(law, x), NULL, x, z, to);
}

/* The states z_a for a slip velocity, by Newton's method for each: rates depend on no other state. */
static void solve_states(const slip_fixed *f, const slip_contact *contact, double x, double *z,
                         slip_law_response *to)
{
    enum { most = 60 };
    const slip_law_kernel *law = slip_contact_law(f->system, f->work, (int)(contact - f->system->contacts));
    const double part = f->theta * f->factored, *z0 = f->v0 + contact->state;
    double change = INFINITY;
    for (int k = 0; k < contact->state_count; k++)
        z[k] = z0[k];
    for (int turn = 0; turn < most && change > 0; turn++) {
        change = 0;
        evaluate(law, x, z, to);
        for (int k = 0; k < contact->state_count; k++) {
            double low = -INFINITY, high = INFINITY;
            if (law->type->state_range)
                law->type->state_range(law, k, &low, &high);
            const double step = (z[k] - z0[k] - part * to->rate[k]) / (1 - part * to->rate_z[k]);
            double next = z[k] - step;
            next = next < low ? 0.5 * (z[k] + low) : next > high ? 0.5 * (z[k] + high) : next;
            if (fabs(next - z[k]) > 1e-15 * (fabs(z[k]) + fabs(z0[k])))
                change = 1;
            z[k] = next;
        }
    }
    evaluate(law, x, z, to);
    for (int k = 0; k < contact->state_count; k++) /* now dz_a/dx */
        to->rate_v[k] *= part / (1 - part * to->rate_z[k]);
}

/* The same for sliders. */
static void return_sliders(const slip_fixed *f, const slip_contact *contact, double x, double *z,
                           slip_law_response *to)
{
    const double a = f->theta, *z0 = f->v0 + contact->state;
    evaluate(&contact->law, x, z0, to);
    for (int k = 0; k < contact->state_count; k++) {
        const double limit = f->system->sliders[contact->slider + k].limit, trial = z0[k] + f->factored * x;
        const bool slips = fabs(trial) >= limit;
        z[k] = a * (slips ? copysign(limit, trial) : trial) + (1 - a) * z0[k];
        to->rate_v[k] = slips ? 0 : a * f->factored;
    }
    to->force = 0;
    for (int k = 0; k < contact->state_count; k++)
        to->force += to->force_z[k] * z[k];
}

static void find_states(const slip_fixed *f, const slip_contact *contact, double x, slip_law_response *to)
{
    *to = response_of(f);
    if (contact->law.type->sliders)
        return_sliders(f, contact, x, f->memory_z, to);
    else
        solve_states(f, contact, x, f->memory_z, to);
}

void slip_fixed_law_force(const slip_fixed *f, int c, double x, double *force, double *slope)
{
    const slip_contact *contact = &f->system->contacts[c];
    const slip_law_kernel *law = slip_contact_law(f->system, f->work, c);
    slip_law_response to;
    if (contact->state_count == 0) {
        slip_law_force(law, slip_law_piece(law, x), x, force, slope);
        return;
    }
    find_states(f, contact, x, &to);
    *force = to.force + law->law.viscous * x;
    *slope = to.slope + law->law.viscous;
    for (int k = 0; k < contact->state_count; k++)
        *slope += to.force_z[k] * to.rate_v[k];
}

void slip_fixed_set_states(slip_fixed *f, int c, double x)
{
    const slip_contact *contact = &f->system->contacts[c];
    const double a = f->theta, *z0 = f->v0 + contact->state;
    slip_law_response to;
    find_states(f, contact, x, &to);
    for (int k = 0; k < contact->state_count; k++)
        f->v[contact->state + k] = (f->memory_z[k] - (1 - a) * z0[k]) / a;
}

slip_mode slip_fixed_slider_mode(const slip_fixed *f, int c, double slip)
{
    const slip_contact *contact = &f->system->contacts[c];
    int all = 0, slipping = 0;
    for (int k = 0; k < contact->state_count; k++) {
        const double limit = f->system->sliders[contact->slider + k].limit, z = f->v[contact->state + k];
        all += isfinite(limit);
        slipping += fabs(z) >= limit * (1 - 1e-12) && z * slip > 0;
    }
    return slipping == 0    ? SLIP_MODE_STICK
           : slipping < all ? SLIP_MODE_SLIP
           : slip > 0       ? SLIP_MODE_SLIP_PLUS
                            : SLIP_MODE_SLIP_MINUS;
}
