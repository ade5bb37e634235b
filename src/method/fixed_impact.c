/* Impacts at the end of a step, for the methods whose steps contain none: M (v+ - v-) = W p with Newton's
 * restitution, rate+ >= -e rate-, for all contacts that are closed, and Coulomb's law where the contact has
 * friction in impacts. */
#include "method/fixed.h"

#include <math.h>

static bool closed(slip_fixed *f, int c)
{
    return slip_system_gap(f->system, f->work, c, f->t, f->q) <= slip_fixed_gap_tolerance(f, c, f->q, f->v);
}

static void add_row(slip_fixed *f, int direction, double initial, slip_pgs_row row)
{
    f->active[f->m] = direction;
    f->initial[f->m] = initial;
    f->rows[f->m] = row;
    f->solution.p[f->m] = 0;
    f->solution.states[f->m++] = SLIP_PGS_ZERO;
}

/* Rows of all closed contacts; returns whether one of them is approaching. */
static bool collect(slip_fixed *f)
{
    bool approaching = false;
    f->m = 0;
    for (int c = 0; c < f->contact_count; c++) {
        const slip_contact *contact = &f->system->contacts[c];
        slip_fixed_contact *own = &f->contacts[c];
        double rate, force, slope, slip;
        int normal = f->m;
        own->bounced = false;
        if (own->normal < 0 || !closed(f, c))
            continue;
        rate = slip_system_gap_rate(f->system, f->work, c, f->t, f->v);
        approaching |= !own->active && rate < 0;
        own->gap_rate = rate;
        add_row(f, own->normal, rate + slip_fixed_restitution(f, c) * fmin(rate, 0),
                (slip_pgs_row){.kind = SLIP_PGS_NORMAL, .normal = -1});
        if (own->tangent < 0 || !contact->impact_friction)
            continue;
        slip = slip_system_slip(f->system, f->work, c, f->t, f->q, f->v);
        slip_law_force(&contact->law, slip_law_piece(&contact->law, fabs(slip)), fabs(slip), &force, &slope);
        add_row(f, own->tangent, slip,
                (slip_pgs_row){.kind = SLIP_PGS_TANGENT,
                               .normal = normal,
                               .hold = fmax(slip_law_hold(&contact->law), force),
                               .slide = force});
    }
    return approaching;
}

static double solve(slip_fixed *f)
{
    slip_pgs_problem problem = {f->m, f->active_gram, f->initial, f->rows};
    for (int i = 0; i < f->m; i++)
        for (int j = 0; j < f->m; j++)
            f->active_gram[i * f->m + j] = f->impact_gram[f->active[i] * f->direction_count + f->active[j]];
    return slip_pgs_solve(&problem, &f->solution, &f->memory);
}

static void apply(slip_fixed *f)
{
    for (int k = 0; k < f->m; k++) {
        const slip_fixed_direction *d = &f->directions[f->active[k]];
        double before = slip_fixed_dot(f->n, d->row, f->v);
        for (int i = 0; i < f->n; i++)
            f->v[i] += f->impact_responses[f->active[k] * f->n + i] * f->solution.p[k];
        if (f->solution.states[k] == SLIP_PGS_ZERO && d->pin >= 0 && f->m == 1)
            f->v[d->pin] = (before - f->initial[k]) / d->row[d->pin];
    }
}

static slip_mode landed_mode(slip_fixed *f, int c)
{
    const slip_fixed_contact *own = &f->contacts[c];
    double slip;
    if (slip_system_gap_rate(f->system, f->work, c, f->t, f->v) > 1e-12 * fabs(own->gap_rate))
        return SLIP_MODE_OPEN;
    if (own->tangent < 0)
        return SLIP_MODE_CLOSED;
    slip = slip_system_slip(f->system, f->work, c, f->t, f->q, f->v);
    return slip > 0 ? SLIP_MODE_SLIP_PLUS : slip < 0 ? SLIP_MODE_SLIP_MINUS : SLIP_MODE_STICK;
}

int slip_fixed_land(slip_fixed *f, const slip_observer *observer)
{
    int status = SLIP_OK;
    double residual;
    f->plastic = false;
    if (f->constant_rows || !collect(f))
        return SLIP_OK;
    residual = solve(f);
    if (slip_fixed_unsolved(f, residual, 1e-9)) {
        f->plastic = true;
        collect(f);
        residual = solve(f);
    }
    f->residual = fmax(f->residual, residual);
    apply(f);
    for (int k = 0; k < f->m && status == SLIP_OK; k++) {
        const slip_fixed_direction *d = &f->directions[f->active[k]];
        slip_fixed_contact *own = &f->contacts[d->contact];
        if (d->normal && !own->active && own->gap_rate < 0 && f->started)
            status = slip_fixed_change(f, d->contact, landed_mode(f, d->contact), true, observer);
    }
    return status;
}
