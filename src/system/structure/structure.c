#include "system/structure/structure.h"

#include <stddef.h>

/* Constant M, C, K, and nothing else. */
const slip_structure slip_structure_linear = {.name = "linear"};

void slip_system_put(const slip_system *system, slip_workspace *work, double t, const double *q)
{
    system->structure->place(system, work, t, q);
}

void slip_system_fill_matrices(const slip_system *system, slip_workspace *work)
{
    system->structure->fill(system, work);
    work->unfilled = false;
}

void slip_system_divide(const slip_system *system, slip_workspace *work, const double *row, double *response)
{
    system->structure->divide(system, work, row, NULL, NULL, response);
}

bool slip_system_damped(const slip_system *system)
{
    for (int64_t i = 0; i < (int64_t)system->n * system->n; i++)
        if (system->damping[i] != 0)
            return true;
    return false;
}

bool slip_system_kinked(const slip_system *system)
{
    for (int64_t c = 0; c < system->contact_count; c++)
        if (system->contacts[c].law.type && system->contacts[c].law.type->kinked)
            return true;
    return false;
}

bool slip_system_skew(const slip_system *system)
{
    const int n = system->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (system->stiffness[i * n + j] != system->stiffness[j * n + i])
                return true;
    return false;
}
