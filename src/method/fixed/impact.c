/* Impacts that end a step, for the methods whose steps contain none. In the steps of `moreau` impact and
 * force are one impulse, of which the impact part is found here. Without friction in impacts only the rest of
 * the normal impulse causes friction. With it a contact has in one step either the friction of impacts or
 * that of its law, depending on which makes up most of the normal impulse. The error of that is the impulse
 * of a force over one step, or an impact that is no larger. */
#include "method/fixed/fixed.h"
#include "system/friction/friction.h"

#include <math.h>
#include <string.h>

static bool closed(slip_fixed *f, int c)
{
    return slip_system_gap(f->system, f->work, c, f->t, f->q) <= slip_fixed_gap_tolerance(f, c, f->q, f->v);
}

static void add_row(slip_fixed *f, int direction, double initial, slip_block row)
{
    f->problem.active[f->problem.m] = direction;
    f->problem.initial[f->problem.m] = initial;
    f->problem.rows[f->problem.m] = row;
    f->problem.solution.p[f->problem.m] = 0;
    f->problem.solution.states[f->problem.m++] = SLIP_BLOCK_ZERO;
    f->groups.now->m++;
}

/* The rows of a contact, whose gap_rate is known. */
static void add_contact(slip_fixed *f, int c, double t, const double *q, const double *v)
{
    const slip_contact *contact = &f->system->contacts[c];
    const slip_fixed_contact *own = &f->contacts[c];
    const int normal = f->groups.now->m;
    add_row(f, own->normal, own->gap_rate + slip_fixed_restitution(f, c) * fmin(own->gap_rate, 0),
            (slip_block){.kind = SLIP_BLOCK_NORMAL, .normal = -1});
    if (own->tangent < 0 || !contact->impact_friction)
        return;
    slip_system_tune(f->system, f->work, t, q, v);
    const double mu = slip_impact_mu(f->system, f->work, c);
    add_row(f, own->tangent, slip_system_slip(f->system, f->work, c, t, q, v),
            (slip_block){.kind = SLIP_BLOCK_FRICTION, .normal = normal, .hold = mu, .slide = mu});
}

bool slip_fixed_lands(slip_fixed *f)
{
    for (int c = 0; c < f->contact_count && !f->constant_rows; c++)
        if (f->contacts[c].normal >= 0 && !f->contacts[c].active && closed(f, c) &&
            slip_system_gap_rate(f->system, f->work, c, f->t, f->q, f->v) < 0)
            return true;
    return false;
}

bool slip_fixed_approaches(const slip_fixed *f, int c)
{
    const slip_fixed_contact *own = &f->contacts[c];
    const double *row = f->directions[own->normal].row;
    double size = f->directions[own->normal].tail ? slip_fixed_field_size(f->field, true) : 0;
    for (int i = 0; i < f->n; i++)
        size += fabs(row[i] * f->v0[i]);
    return own->gap_rate < -1e-12 * size;
}

void slip_fixed_part_impact(slip_fixed *f)
{
    bool needed = false;
    f->problem.m = 0;
    for (int c = 0; c < f->contact_count; c++) {
        slip_fixed_contact *own = &f->contacts[c];
        own->impact_part = 0;
        own->struck = false;
        needed |= own->normal >= 0 && own->active && !own->spring && slip_fixed_approaches(f, c);
    }
    if (!needed)
        return;
    for (int g = 0; g < f->groups.count; g++) {
        slip_fixed_group *group = &f->groups.list[g];
        slip_fixed_begin_rows(f, group);
        for (int k = 0; k < group->count; k++) {
            const int c = f->groups.contacts[group->first + k];
            if (f->contacts[c].normal >= 0 && f->contacts[c].active && !f->contacts[c].spring)
                add_contact(f, c, f->t0, f->q0, f->v0);
        }
    }
    slip_fixed_gather_gram(f);
    slip_fixed_solve_rows(f);
    for (int k = 0; k < f->problem.m; k++) {
        const slip_fixed_direction *direction = &f->directions[f->problem.active[k]];
        slip_fixed_contact *own = &f->contacts[direction->contact];
        if (!direction->normal)
            continue;
        own->impact_part = f->problem.solution.p[k];
        own->struck = f->system->contacts[direction->contact].impact_friction &&
                      own->impact_part > f->impulses[own->normal]; /* which is that of the step before */
    }
}

static slip_mode landed_mode(slip_fixed *f, int c)
{
    const slip_contact *contact = &f->system->contacts[c];
    const slip_memory_step step = slip_fixed_memory(f, f->theta);
    double slip;
    if (!f->impacts.at_stop[c])
        return SLIP_MODE_OPEN;
    if (contact->frictionless)
        return SLIP_MODE_CLOSED;
    if (contact->law.type->sliders)
        return slip_memory_slider_mode(&step, c, 0, f->v); /* which have no deflection yet */
    slip = slip_impact_stuck(f->impacts.solver, c)
               ? 0
               : slip_system_slip(f->system, f->work, c, f->t, f->q, f->v);
    return slip == 0 ? SLIP_MODE_STICK : contact->friction->sliding(slip);
}

int slip_fixed_land(slip_fixed *f, const slip_observer *observer)
{
    int status = SLIP_OK, landing = -1;
    double *impulses = f->impacts.impulses;
    memset(impulses, 0, (size_t)f->contact_count * sizeof(double));
    for (int c = 0; c < f->contact_count; c++) {
        slip_fixed_contact *own = &f->contacts[c];
        f->impacts.at_stop[c] = own->normal >= 0 && closed(f, c);
        own->gap_rate =
            f->impacts.at_stop[c] ? slip_system_gap_rate(f->system, f->work, c, f->t, f->q, f->v) : 0;
        landing = own->gap_rate < 0 ? c : landing;
    }
    if (!slip_impact_solve(f->impacts.solver, f->t, f->q, f->v, f->impacts.at_stop, impulses) &&
        !slip_impact_plastic(f->impacts.solver, f->t, f->q, f->v, f->impacts.at_stop, impulses))
        return slip_impact_fail(f->ctx, &f->system->contacts[landing], f->t);
    for (int c = 0; c < f->contact_count && status == SLIP_OK; c++) {
        const slip_fixed_contact *own = &f->contacts[c];
        if (observer->impulse && impulses[c] > 0)
            observer->impulse(observer->user, c, impulses[c]);
        if (!own->active && own->gap_rate < 0 && f->started)
            status = slip_fixed_change(f, c, landed_mode(f, c), true, observer);
    }
    return status;
}
