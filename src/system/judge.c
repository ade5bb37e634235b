/* The judge of contact laws. Separate from everything that solves for them. */
#include "system/system.h"

#include <float.h>
#include <math.h>

/* Friction against slip w with compression `normal`: the law's force, or at rest of a set-valued law any
 * force up to its hold. */
static double friction_residual(const slip_contact *contact, double w, double normal, double force)
{
    const slip_law_kernel *law = &contact->law;
    double expected, slope, excess;
    if (contact->frictionless)
        return fabs(force);
    if (law->type->info.set_valued && w == 0) {
        excess = fabs(force) - normal * slip_law_hold(law);
        return excess > 0 ? excess : 0;
    }
    slip_law_force(law, slip_law_piece(law, w), w, &expected, &slope);
    return fabs(force + normal * expected);
}

/* What rounding can make of a slip velocity of zero. */
static double rounding(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                       const double *v)
{
    double sum = 0, *row = work->rows;
    slip_system_direction(system, work, c, t, q, v, row, work->responses);
    for (int i = 0; i < system->n; i++)
        sum += fabs(row[i] * v[i]);
    return 16 * DBL_EPSILON * sum;
}

double slip_system_residual(const slip_system *system, slip_workspace *work, double t, const double *q,
                            const double *v, const double *normal, const double *force)
{
    double worst = 0;
    for (int c = 0; c < (int)system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        double w = slip_system_slip(system, work, c, t, q, v), size = 1 + fabs(normal[c]);
        if (fabs(w) <= rounding(system, work, c, t, q, v))
            w = 0;
        worst = fmax(worst, -normal[c] / size);
        if (contact->kind == SLIP_CONTACT_UNILATERAL) {
            double gap = slip_system_gap(system, work, c, t, q);
            worst = fmax(worst, -gap);
            worst = fmax(worst, fmin(gap, normal[c] / size));
        }
        worst = fmax(worst, friction_residual(contact, w, normal[c], force[c]) / size);
    }
    return worst;
}
