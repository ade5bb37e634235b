/* The residual of a state and its contact forces, by the judge of contact laws (contact/problem.h). */
#include "contact/problem.h"
#include "system/friction/friction.h"
#include "system/structure/structure.h"

#include <math.h>

double slip_system_residual(const slip_system *system, slip_workspace *work, double t, const double *q,
                            const double *v, const double *normal, const double *force,
                            const slip_patch_state *patches)
{
    double worst = 0;
    if (!slip_system_tune(system, work, t, q, v))
        return INFINITY;
    for (int c = 0; c < (int)system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        const slip_block press = {.kind = SLIP_BLOCK_NORMAL};
        const double gap = contact->has_gap && !contact->yields ? slip_system_gap(system, work, c, t, q) : 0;
        worst = fmax(worst, slip_block_residual(&press, 1 / (1 + fabs(normal[c])), 1, normal[c], gap));
        worst = fmax(worst, contact->friction->judge(system, work, c, t, q, v, normal[c], force[c], patches));
    }
    return system->structure->judge ? fmax(worst, system->structure->judge(system, work, q, v)) : worst;
}
