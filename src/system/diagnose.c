/* Error messages for numbers that are not finite. */
#include "system/evaluate.h"
#include "system/structure/structure.h"

#include <math.h>

static bool blame(const slip_expression *expression, slip_workspace *work, char *reason, size_t size)
{
    if (!expression || isfinite(slip_expression_value(expression, work->slots, work->scratch)))
        return false;
    slip_expression_diagnose(expression, work->slots, work->scratch, reason, size);
    return true;
}

int slip_system_diagnose(slip_context *ctx, const slip_system *system, slip_workspace *work, double t,
                         const double *q, const double *v)
{
    char reason[300];
    for (int i = 0; i < system->n; i++)
        if (!isfinite(q[i]) || !isfinite(v[i]) || fabs(q[i]) > 1e150 || fabs(v[i]) > 1e150)
            return slip_fail(ctx, SLIP_ERROR_SOLVER,
                             "at t = %.9g the motion of `%s` grew without bound (%s = %g, %s' = %g); is the "
                             "model unstable?",
                             t, system->names[i], system->names[i], q[i], system->names[i], v[i]);
    slip_fill_slots(system->n, work, t, q, v);
    if (system->structure->diagnose && system->structure->diagnose(ctx, system, work, t, q) < 0)
        return SLIP_ERROR_SOLVER;
    for (int64_t k = 0; k < system->force_count; k++)
        if (blame(system->forces[k].expression, work, reason, sizeof reason))
            return slip_fail(ctx, SLIP_ERROR_SOLVER,
                             "at t = %.9g the force on `%s`, `%s`, is not defined: %s", t,
                             system->names[system->forces[k].coordinate],
                             slip_expression_text(system->forces[k].expression), reason);
    for (int64_t c = 0; c < system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        for (int k = 0; k < contact->dimension; k++) {
            const slip_expression *slip = contact->slips[k].rest;
            if (blame(slip, work, reason, sizeof reason))
                return slip_fail(ctx, SLIP_ERROR_SOLVER,
                                 "at t = %.9g the slip of contact `%s`, `%s`, is not defined: %s", t,
                                 contact->name, slip_expression_text(slip), reason);
        }
        if (blame(contact->creep.balance, work, reason, sizeof reason))
            return slip_fail(ctx, SLIP_ERROR_SOLVER,
                             "at t = %.9g the force on the coordinate without mass of contact `%s` is not "
                             "defined: %s",
                             t, contact->name, reason);
        if (contact->creep.balance && isnan(slip_system_slip(system, work, (int)c, t, q, v)))
            return slip_fail(ctx, SLIP_ERROR_SOLVER,
                             "at t = %.9g no slip velocity of contact `%s` balances the force on its "
                             "coordinate, which has no mass: its law `%s` does not give way enough; add a "
                             "damper or a mass",
                             t, contact->name, contact->law.type->info.name);
        if (blame(contact->normal_force, work, reason, sizeof reason))
            return slip_fail(ctx, SLIP_ERROR_SOLVER,
                             "at t = %.9g the normal force of contact `%s`, `%s`, is not defined: %s", t,
                             contact->name, slip_expression_text(contact->normal_force), reason);
    }
    if (slip_system_diagnose_laws(ctx, system, work, t) < 0)
        return SLIP_ERROR_SOLVER;
    return slip_fail(ctx, SLIP_ERROR_SOLVER, "at t = %.9g the acceleration is not finite%s", t,
                     system->force_function ? "; the force function or a law function gave no finite number"
                                            : "");
}
