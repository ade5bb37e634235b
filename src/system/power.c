/* Powers of loads, damping and contacts at an instant; and what is said of a given normal force that pulls.
 */
#include "system/evaluate.h"

static inline double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

double slip_system_form(int n, const double *a, const double *matrix, const double *b)
{
    if (n == 1)
        return a[0] * matrix[0] * b[0];
    if (n == 2)
        return a[0] * (matrix[0] * b[0] + matrix[1] * b[1]) + a[1] * (matrix[2] * b[0] + matrix[3] * b[1]);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * dot(n, matrix + (int64_t)i * n, b);
    return sum;
}

static void patch_power(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                        const double *v, const slip_patch_state *state, double power[2])
{
    double slip[3];
    slip_fill_slots(system->n, work, t, q, v);
    slip_find_patch_slip(system->n, system, work, c, v, slip);
    for (int part = 0; part < 3; part++) {
        const slip_slip_form *form = &system->contacts[c].patch->slip[part];
        const double belt =
            slip[part] - dot(system->n, form->row ? form->row : slip_varying_row(system, work, c, part), v) -
            slip_tail_dot(&form->tail, system->n, v);
        power[0] += state->force[part] * (state->slip[part] - belt);
        power[1] -= state->force[part] * state->slip[part];
    }
}

/* The part of the slip velocity that is the coordinates'. */
static double own_slip(const slip_system *system, slip_workspace *work, const slip_slip_form *form, double t,
                       const double *q, const double *v, double slip)
{
    if (form->row)
        return form->rest || form->constant != 0
                   ? dot(system->n, form->row, v) + slip_tail_dot(&form->tail, system->n, v)
                   : slip;
    slip_fill_slots(system->n, work, t, q, v);
    slip_form_velocity(system->n, work, form, v);
    return dot(system->n, work->gradient + slip_slot_velocity(system->n, 0), v);
}

void slip_system_contact_power(const slip_system *system, slip_workspace *work, int c, double t,
                               const double *q, const double *v, const slip_contact_state *state,
                               const slip_patch_state *patch, double power[2])
{
    const slip_contact *contact = &system->contacts[c];
    power[0] = power[1] = 0;
    if (contact->patch) {
        patch_power(system, work, c, t, q, v, patch, power);
    } else if (state->force != 0) {
        power[0] = state->force * own_slip(system, work, &contact->slip, t, q, v, state->slip);
        power[1] = -state->force * state->slip;
    }
    if (contact->has_gap && state->normal != 0) {
        const double rate = dot(system->n, slip_system_gap_row(system, work, c, t, q), v) +
                            slip_tail_dot(&contact->gap.tail, system->n, v);
        power[0] += state->normal * rate;
        power[1] -=
            state->normal * (contact->gap.rest ? slip_system_gap_rate(system, work, c, t, q, v) : rate);
    }
}

int slip_system_refuse_pull(slip_context *ctx, const slip_contact *contact, double t)
{
    return slip_fail(
        ctx, SLIP_ERROR_SOLVER,
        "contact `%s`: at t = %.9g the normal force turns negative, and a contact cannot pull: expected at "
        "least 0. Where the bodies come apart, give the contact a gap in place of normal_force (kind: %s, "
        "gap: ...): then its normal force follows from it; where nothing but friction ends, write "
        "normal_force: max(..., 0)",
        contact->name, t, contact->patch && !contact->patch->flat ? "patch" : "unilateral");
}
