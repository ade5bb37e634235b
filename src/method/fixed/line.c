/* Friction along a line in a fixed step: what is shown of a contact, and its work. */
#include "method/fixed/fixed.h"
#include "system/detector.h"

#include <float.h>
#include <math.h>

/* The slip velocity at the state (at_q, at_v) of time t; zero where it is that but for rounding. */
static double view_slip(const slip_fixed *f, int c, double t)
{
    const slip_fixed_contact *contact = &f->contacts[c];
    const double *row = slip_contact_slips(f->system, f->work, c)->row;
    double slip, size = 0;
    if (contact->mode == SLIP_MODE_STICK && !f->rules->middle && (t >= f->t || contact->held_before))
        return 0;
    slip = slip_system_slip(f->system, f->work, c, t, f->at_q, f->at_v);
    for (int i = 0; i < f->n && row; i++)
        size += fabs(row[i] * f->at_v[i]);
    if (contact->tangent >= 0 && f->directions[contact->tangent].tail)
        size += slip_tail_size(f->directions[contact->tangent].tail, f->n, f->at_v);
    if (!row)
        size = slip_system_slip_size(f->system, f->work, c, t, f->at_q, f->at_v);
    return fabs(slip) > 16 * DBL_EPSILON * size ? slip : 0;
}

static double law_force(const slip_fixed *f, int c, double slip, double normal)
{
    const slip_law_kernel *law = slip_contact_law(f->system, f->work, c);
    double force, slope;
    slip_law_force(law, slip_law_piece(law, slip), slip, &force, &slope);
    return -force * normal;
}

double slip_fixed_view_normal(const slip_fixed *f, int c, double t)
{
    const slip_fixed_contact *own = &f->contacts[c];
    if (own->spring)
        return slip_fixed_spring_force(f, c, t);
    return own->normal >= 0 ? f->impulses[own->normal] * f->matrices.inverse_h
                            : slip_system_normal_force(f->system, f->work, c, t, f->at_q, f->at_v);
}

void slip_fixed_line_view(const slip_fixed *f, int c, double t, slip_sample *sample)
{
    const slip_fixed_contact *contact = &f->contacts[c];
    const double slip = view_slip(f, c, t);
    const double normal = slip_fixed_view_normal(f, c, t);
    double force = contact->tangent >= 0 ? f->impulses[contact->tangent] * f->matrices.inverse_h : 0;
    slip_mode mode = contact->mode;
    bool rubs = mode == SLIP_MODE_STICK || mode == SLIP_MODE_SLIP_PLUS || mode == SLIP_MODE_SLIP_MINUS;
    if (rubs && slip != 0 && !f->rules->middle && !f->system->contacts[c].law.type->sliders)
        mode = slip > 0 ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_SLIP_MINUS;
    if (mode != contact->mode && f->states[contact->tangent] != SLIP_BLOCK_SMOOTH)
        force = law_force(f, c, slip, normal);
    if (sample->slip)
        sample->slip[c] = slip;
    if (sample->normal)
        sample->normal[c] = normal;
    if (sample->force)
        sample->force[c] = force;
    if (sample->mode)
        sample->mode[c] = mode;
}

void slip_fixed_line_work(const slip_fixed *f, int c, double t, const slip_works *to)
{
    const slip_fixed_contact *own = &f->contacts[c];
    const slip_slip_form *form = slip_contact_slips(f->system, f->work, c);
    double *done = &to->works[SLIP_WORK_CONTACTS + c], *taken = done + f->contact_count;
    if (own->tangent >= 0) {
        const double impulse = f->impulses[own->tangent],
                     slip = form->row && !form->rest
                                ? slip_fixed_along(f, own->tangent, f->at_v) + form->constant
                                : slip_system_slip(f->system, f->work, c, t, f->at_q, f->at_v),
                     own_slip = form->row ? slip_fixed_along(f, own->tangent, f->at_v)
                                          : slip - slip_system_slip(f->system, f->work, c, t, f->at_q,
                                                                    slip_fixed_only_states(f, f->at_v));
        *done += impulse * own_slip;
        *taken -= impulse * slip;
        slip_fixed_note(impulse * f->matrices.inverse_h, &to->forces[f->contact_count + c]);
    } else {
        slip_fixed_note(0, &to->forces[f->contact_count + c]);
    }
}
