/* Powers of loads, damping and contacts at one time; and the message about a negative normal force. */
#include "math/vector.h"
#include "system/detector.h"
#include "system/friction/friction.h"

double slip_system_form(int n, const double *a, const double *matrix, const double *b)
{
    if (n == 1)
        return a[0] * matrix[0] * b[0];
    if (n == 2)
        return a[0] * (matrix[0] * b[0] + matrix[1] * b[1]) + a[1] * (matrix[2] * b[0] + matrix[3] * b[1]);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * slip_dot(n, matrix + (int64_t)i * n, b);
    return sum;
}

void slip_system_contact_power(const slip_system *system, slip_workspace *work, int c, double t,
                               const double *q, const double *v, const slip_contact_state *state,
                               const slip_patch_state *patches, double power[2])
{
    const slip_contact *contact = &system->contacts[c];
    power[0] = power[1] = 0;
    contact->friction->power(system, work, c, t, q, v, state, patches, power);
    if (contact->has_gap && state->normal != 0) {
        const double rate = slip_dot(system->n, slip_system_gap_row(system, work, c, t, q), v) +
                            slip_tail_dot(&slip_contact_gap(system, work, c)->tail, system->n, v);
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
