/* The slip velocity of a contact: its value, size, rate and direction. */
#include "system/evaluate.h"

#include <math.h>
#include <string.h>

double slip_system_slip(const slip_system *system, slip_workspace *work, int contact, double t,
                        const double *q, const double *v)
{
    const slip_contact *of = &system->contacts[contact];
    if (of->patch) {
        double slip[3];
        slip_system_patch_slip(system, work, contact, t, q, v, slip);
        return slip_patch_slip_size(of->patch, slip);
    }
    if (of->slip.rest || of->creep.balance)
        slip_fill_slots(system->n, work, t, q, v);
    if (of->creep.balance)
        return slip_system_creep(system, work, of,
                                 of->normal_force
                                     ? slip_expression_value(of->normal_force, work->slots, work->scratch)
                                     : of->normal_constant,
                                 v);
    return slip_form_velocity(system->n, work, &of->slip, v) + slip_tail_dot(&of->slip.tail, system->n, v);
}

double slip_system_slip_size(const slip_system *system, slip_workspace *work, int contact, double t,
                             const double *q, const double *v)
{
    const slip_slip_form *form = &system->contacts[contact].slip;
    if (system->contacts[contact].creep.balance)
        return fabs(slip_system_slip(system, work, contact, t, q, v));
    double sum = fabs(form->constant) + slip_tail_size(&form->tail, system->n, v);
    for (int i = 0; i < system->n && form->row; i++)
        sum += fabs(form->row[i] * v[i]);
    if (form->rest) {
        slip_fill_slots(system->n, work, t, q, v);
        sum += slip_expression_size(form->rest, work->slots, work->scratch);
    }
    return sum;
}

double slip_system_direction(const slip_system *system, slip_workspace *work, int contact, double t,
                             const double *q, const double *v, double *row, double *response)
{
    const slip_slip_form *form = &system->contacts[contact].slip;
    int n = system->n;
    double product = 0;
    if (form->row) {
        memcpy(row, form->row, (size_t)n * sizeof(double));
    } else {
        slip_fill_slots(system->n, work, t, q, v);
        slip_form_velocity(system->n, work, form, v);
        memcpy(row, work->gradient + slip_slot_velocity(n, 0), (size_t)n * sizeof(double));
    }
    slip_system_place(system, work, t, q);
    slip_system_response(system, work, row, response);
    for (int i = 0; i < n; i++)
        product += row[i] * response[i];
    return product;
}

double slip_system_slip_rate(const slip_system *system, slip_workspace *work, int contact, double t,
                             const double *q, const double *v, const double *a)
{
    const slip_contact *of = &system->contacts[contact];
    if (of->slip.rest || of->creep.balance)
        slip_fill_slots(system->n, work, t, q, v);
    return of->creep.balance ? slip_system_creep_rate(system, work, of, v, a)
                             : slip_form_rate(system->n, work, &of->slip, v, a);
}
