/* Modes of single contacts: setting one in a trial, prices, and the compliance along their rows. */
#include "method/modes/types.h"

void slip_modes_set(const slip_contact *contact, slip_branch *branch, slip_mode mode)
{
    branch->mode = mode;
    branch->chart = -1;
    branch->s = 0;
    branch->piece = -1;
    branch->clip = 0;
    if (contact->law.type->info.set_valued && (mode == SLIP_MODE_SLIP_PLUS || mode == SLIP_MODE_SLIP_MINUS))
        branch->piece = mode == SLIP_MODE_SLIP_PLUS ? 1 : 0;
}

void slip_modes_try(slip_modes *m, int c, slip_mode mode)
{
    slip_modes_set(&m->system->contacts[c], &m->trial[c], mode);
}

bool slip_modes_any_clings(const slip_modes *m)
{
    for (int k = 0; k < m->free_count; k++)
        if (m->clinging[m->free[k].contact])
            return true;
    return false;
}

int slip_modes_release_price(const slip_modes *m)
{
    return (m->count + 1) * (m->count + 1);
}

double slip_modes_starting_friction(const slip_law_kernel *law)
{
    double force, slope;
    slip_law_force(law, 1, 0, &force, &slope);
    return force;
}

double slip_modes_product(const slip_modes *m, const double *row, const double *other)
{
    const int n = m->system->n;
    double sum = 0;
    for (int i = 0; i < n && row && other; i++)
        for (int j = 0; j < n && row[i] != 0; j++)
            sum += row[i] * m->work->inverse_mass[i * n + j] * other[j];
    return sum;
}
