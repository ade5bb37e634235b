/* The work done in a step: that of its impulses over the displacements q_1 - q_0, also where a slip ends
 * within the step and the law by itself would give another. So it balances the change of energy to rounding.
 */
#include "method/fixed/fixed.h"
#include "system/structure/structure.h"

/* Along the gap. */
static void add_normal(const slip_fixed *f, int c, double t, const slip_works *to)
{
    const slip_contact *contact = &f->system->contacts[c];
    const int normal = f->contacts[c].normal;
    double *done = &to->works[SLIP_WORK_CONTACTS + c], *taken = done + f->contact_count;
    if (normal < 0) {
        slip_fixed_note(slip_system_normal_force(f->system, f->work, c, t, f->at_q, f->at_v), &to->forces[c]);
        return;
    }
    const double impulse = f->impulses[normal], rate = slip_fixed_along(f, normal, f->at_v);
    *done += impulse * rate;
    *taken -= impulse *
              (contact->gap.rest ? slip_system_gap_rate(f->system, f->work, c, t, f->at_q, f->at_v) : rate);
    slip_fixed_note(impulse / f->matrices.h, &to->forces[c]);
}

/* The loads that were given, in f->force; of a structure by energies also the works of what is left. */
static const double *given_loads(const slip_fixed *f, double t, const slip_works *to)
{
    double driven, dissipated;
    if (!f->system->structure->powers)
        return f->force;
    f->system->structure->powers(f->system, f->work, t, f->at_q, f->at_v, &driven, &dissipated);
    to->works[SLIP_WORK_LOADS] += f->matrices.h * driven;
    to->works[SLIP_WORK_DAMPING] += f->matrices.h * dissipated;
    slip_system_given_loads(f->system, f->work, t, f->at_q, f->at_v, f->force);
    return f->force;
}

void slip_fixed_add_works(const slip_fixed *f, const slip_works *to)
{
    const int n = f->n;
    const double h = f->matrices.h, t = f->t0 + f->theta * h;
    const slip_system *system = f->system;
    for (int i = 0; i < n; i++) {
        f->at_q[i] = 0.5 * (f->q0[i] + f->q[i]);
        f->at_v[i] = i < f->moving ? (f->q[i] - f->q0[i]) * f->matrices.inverse_h
                                   : f->theta * f->v[i] + (1 - f->theta) * f->v0[i];
    }
    for (int64_t i = n; i < f->size; i++)
        f->at_v[i] = (f->q[i] - f->q0[i]) * f->matrices.inverse_h;
    to->works[SLIP_WORK_LOADS] += h * slip_dot(f->moving, given_loads(f, t, to), f->at_v);
    if (f->skew)
        to->works[SLIP_WORK_LOADS] += 0.5 * h *
                                      (slip_system_form(n, f->at_q, system->stiffness, f->at_v) -
                                       slip_system_form(n, f->at_v, system->stiffness, f->at_q));
    if (f->field)
        f->rules->whole->works(f, &to->works[SLIP_WORK_LOADS], &to->works[SLIP_WORK_DAMPING]);
    if (f->damped)
        to->works[SLIP_WORK_DAMPING] += h * slip_system_form(n, f->at_v, system->damping, f->at_v);
    for (int c = 0; c < f->contact_count; c++) {
        f->contacts[c].friction->work(f, c, t, to);
        add_normal(f, c, t, to);
    }
}
