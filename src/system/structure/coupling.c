#include "system/structure/coupling.h"

static void join(int n, int *part, int one, int other)
{
    const int from = part[other], to = part[one];
    for (int i = 0; i < n && from != to; i++)
        if (part[i] == from)
            part[i] = to;
}

/* All coordinates for which a row is not zero (NULL: all), with each other and with *at, which is -1 as long
 * as there is none. */
static void join_row(int n, int *part, const double *row, int *at)
{
    for (int i = 0; i < n; i++)
        if (!row || row[i] != 0) {
            *at = *at < 0 ? i : *at;
            join(n, part, *at, i);
        }
}

static void join_contact(int n, int *part, const slip_contact *contact)
{
    int at = -1;
    for (int k = 0; k < contact->dimension; k++)
        join_row(n, part, contact->slips[k].row, &at);
    if (contact->gap.row || contact->gap.rest)
        join_row(n, part, contact->gap.row, &at);
}

void slip_system_find_parts(const slip_system *system, const double *inverse_mass,
                            const double *mass_structure, int *part)
{
    const int n = system->n;
    for (int i = 0; i < n; i++)
        part[i] = i;
    for (int i = 0; i < slip_system_coordinates(system) && (system->reads_state || system->state_loads); i++)
        join(n, part, 0, i);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (inverse_mass[i * n + j] != 0 || mass_structure[2 * i * n + j] != 0 ||
                mass_structure[2 * i * n + n + j] != 0)
                join(n, part, i, j);
    for (int c = 0; c < system->contact_count; c++)
        join_contact(n, part, &system->contacts[c]);
}
