/* Contacts that do not act on each other: a force of one makes no acceleration of the other. The mass matrix
 * couples coordinates, and every contact those along which it acts; springs and dampers do not matter at one
 * instant. Each part is decided for itself, so that many contacts can be searched when few of them depend on
 * each other. */
#include "method/modes/types.h"

#include <stdlib.h>
#include <string.h>

/* The first coordinate of the part that coordinate i belongs to. */
static int first_of(const int *part, int i)
{
    while (part[i] != i)
        i = part[i];
    return i;
}

static void join(int *part, int i, int j)
{
    const int a = first_of(part, i), b = first_of(part, j);
    part[a > b ? a : b] = a > b ? b : a;
}

void slip_modes_find_mass_parts(slip_modes *m)
{
    const int n = m->system->n;
    for (int i = 0; i < n; i++)
        m->mass_part[i] = m->system->varying_mass ? 0 : i;
    if (m->system->varying_mass)
        return;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (m->system->inverse_mass[i * n + j] != 0 || m->system->inverse_mass[j * n + i] != 0)
                join(m->mass_part, i, j);
    for (int i = 0; i < n; i++)
        m->mass_part[i] = first_of(m->mass_part, i);
}

/* Joins the coordinates along a row with each other and with *at, which is -1 as long as there is none. */
static void join_row(slip_modes *m, const double *row, int *at)
{
    for (int i = 0; i < m->system->n && row; i++)
        if (row[i] != 0) {
            *at = *at < 0 ? i : *at;
            join(m->part, *at, i);
        }
}

static int by_part(const void *a, const void *b)
{
    const slip_choice *one = a, *other = b;
    return one->part != other->part ? one->part - other->part : one->contact - other->contact;
}

bool slip_modes_sort_parts(slip_modes *m)
{
    memcpy(m->part, m->mass_part, (size_t)m->system->n * sizeof(int));
    for (int k = 0; k < m->free_count; k++) {
        const slip_contact *contact = &m->system->contacts[m->free[k].contact];
        int at = -1;
        if (!contact->gap.row && contact->gap.rest)
            return false; /* a direction that depends on the state */
        for (int part = 0; part < contact->dimension; part++) {
            if (!contact->slips[part].row)
                return false;
            join_row(m, contact->slips[part].row, &at);
        }
        join_row(m, contact->gap.row, &at);
        if (at < 0)
            return false;
        m->free[k].part = at;
    }
    for (int k = 0; k < m->free_count; k++)
        m->free[k].part = first_of(m->part, m->free[k].part);
    qsort(m->free, (size_t)m->free_count, sizeof *m->free, by_part);
    return m->free[0].part != m->free[m->free_count - 1].part;
}
