/* Impacts: M (v+ - v-) = W p with Newton's restitution, rate+ >= -e rate-, for all contacts that are closed,
 * and Coulomb's law where the contact has friction in impacts. They end a step of the methods whose steps
 * contain none. Of the steps of `moreau` they are a part, which must be known by itself: without friction in
 * impacts only what exceeds it brings friction. */
#include "method/fixed.h"

#include <math.h>

static bool closed(slip_fixed *f, int c)
{
    return slip_system_gap(f->system, f->work, c, f->t, f->q) <= slip_fixed_gap_tolerance(f, c, f->q, f->v);
}

static void add_row(slip_fixed *f, int direction, double initial, slip_block row)
{
    f->active[f->m] = direction;
    f->initial[f->m] = initial;
    f->rows[f->m] = row;
    f->solution.p[f->m] = 0;
    f->solution.states[f->m++] = SLIP_BLOCK_ZERO;
}

/* The rows of a contact, whose gap_rate is known. */
static void add_contact(slip_fixed *f, int c, double t, const double *q, const double *v)
{
    const slip_contact *contact = &f->system->contacts[c];
    const slip_fixed_contact *own = &f->contacts[c];
    const int normal = f->m;
    double force, slope, slip;
    add_row(f, own->normal, own->gap_rate + slip_fixed_restitution(f, c) * fmin(own->gap_rate, 0),
            (slip_block){.kind = SLIP_BLOCK_NORMAL, .normal = -1});
    if (own->tangent < 0 || !contact->impact_friction)
        return;
    slip = slip_system_slip(f->system, f->work, c, t, q, v);
    slip_system_tune(f->system, f->work, t, q, v);
    const slip_law_kernel *law = slip_contact_law(f->system, f->work, c);
    slip_law_force(law, slip_law_piece(law, fabs(slip)), fabs(slip), &force, &slope);
    add_row(f, own->tangent, slip,
            (slip_block){.kind = SLIP_BLOCK_FRICTION,
                         .normal = normal,
                         .hold = fmax(slip_law_hold(law), force),
                         .slide = force});
}

bool slip_fixed_lands(slip_fixed *f)
{
    for (int c = 0; c < f->contact_count && !f->constant_rows; c++)
        if (f->contacts[c].normal >= 0 && !f->contacts[c].active && closed(f, c) &&
            slip_system_gap_rate(f->system, f->work, c, f->t, f->q, f->v) < 0)
            return true;
    return false;
}

/* Rows of all closed contacts. */
static void collect(slip_fixed *f)
{
    f->m = 0;
    for (int c = 0; c < f->contact_count; c++) {
        slip_fixed_contact *own = &f->contacts[c];
        if (own->normal < 0 || !closed(f, c))
            continue;
        own->gap_rate = slip_system_gap_rate(f->system, f->work, c, f->t, f->q, f->v);
        add_contact(f, c, f->t, f->q, f->v);
    }
}

static double solve(slip_fixed *f, const double *gram)
{
    slip_contact_problem problem = {f->m, f->active_gram, f->initial, f->rows, 0};
    for (int i = 0; i < f->m; i++)
        for (int j = 0; j < f->m; j++)
            f->active_gram[i * f->m + j] = gram[f->active[i] * f->direction_count + f->active[j]];
    return slip_contact_solve(&problem, &f->solution, &f->memory);
}

bool slip_fixed_approaches(const slip_fixed *f, int c)
{
    const slip_fixed_contact *own = &f->contacts[c];
    const double *row = f->directions[own->normal].row;
    double size = 0;
    for (int i = 0; i < f->n; i++)
        size += fabs(row[i] * f->v0[i]);
    return own->gap_rate < -1e-12 * size;
}

void slip_fixed_part_impact(slip_fixed *f)
{
    bool needed = false;
    f->m = 0;
    for (int c = 0; c < f->contact_count; c++) {
        slip_fixed_contact *own = &f->contacts[c];
        own->impact_part = 0;
        needed |= own->normal >= 0 && own->active && slip_fixed_approaches(f, c);
    }
    if (!needed)
        return;
    for (int c = 0; c < f->contact_count; c++)
        if (f->contacts[c].normal >= 0 && f->contacts[c].active)
            add_contact(f, c, f->t0, f->q0, f->v0);
    solve(f, f->gram);
    for (int k = 0; k < f->m; k++)
        if (f->directions[f->active[k]].normal)
            f->contacts[f->directions[f->active[k]].contact].impact_part = f->solution.p[k];
}

static void apply(slip_fixed *f)
{
    for (int k = 0; k < f->m; k++) {
        const slip_fixed_direction *d = &f->directions[f->active[k]];
        double before = slip_fixed_dot(f->n, d->row, f->v);
        for (int i = 0; i < f->n; i++)
            f->v[i] += f->impact_responses[f->active[k] * f->n + i] * f->solution.p[k];
        if (f->solution.states[k] == SLIP_BLOCK_ZERO && d->pin >= 0 && f->m == 1)
            f->v[d->pin] = (before - f->initial[k]) / d->row[d->pin];
    }
}

static slip_mode landed_mode(slip_fixed *f, int c)
{
    const slip_fixed_contact *own = &f->contacts[c];
    double slip;
    if (slip_system_gap_rate(f->system, f->work, c, f->t, f->q, f->v) > 1e-12 * fabs(own->gap_rate))
        return SLIP_MODE_OPEN;
    if (f->system->contacts[c].frictionless)
        return SLIP_MODE_CLOSED;
    slip = slip_system_slip(f->system, f->work, c, f->t, f->q, f->v);
    if (f->system->contacts[c].patch)
        return slip > 0 ? SLIP_MODE_SLIP : SLIP_MODE_STICK;
    return slip > 0 ? SLIP_MODE_SLIP_PLUS : slip < 0 ? SLIP_MODE_SLIP_MINUS : SLIP_MODE_STICK;
}

int slip_fixed_land(slip_fixed *f, const slip_observer *observer)
{
    int status = SLIP_OK;
    double residual;
    if (f->varying)
        SLIP_TRY(slip_fixed_place(f, f->t, f->q));
    f->plastic = false;
    collect(f);
    residual = solve(f, f->impact_gram);
    if (slip_fixed_unsolved(f, residual, 1e-9)) {
        f->plastic = true;
        collect(f);
        residual = solve(f, f->impact_gram);
    }
    f->residual = fmax(f->residual, residual);
    apply(f);
    for (int k = 0; k < f->m && status == SLIP_OK; k++) {
        const slip_fixed_direction *d = &f->directions[f->active[k]];
        slip_fixed_contact *own = &f->contacts[d->contact];
        if (d->normal && observer->impulse && f->solution.p[k] > 0)
            observer->impulse(observer->user, d->contact, f->solution.p[k]);
        if (d->normal && !own->active && own->gap_rate < 0 && f->started)
            status = slip_fixed_change(f, d->contact, landed_mode(f, d->contact), true, observer);
    }
done:
    return status;
}
