/* The slip velocity of a contact: its value, size, rate and direction. */
#include "system/detector.h"
#include "system/evaluate.h"
#include "system/friction/friction.h"

#include <string.h>

double slip_system_slip(const slip_system *system, slip_workspace *work, int contact, double t,
                        const double *q, const double *v)
{
    return system->contacts[contact].friction->slip(system, work, contact, t, q, v);
}

double slip_system_slip_size(const slip_system *system, slip_workspace *work, int contact, double t,
                             const double *q, const double *v)
{
    return system->contacts[contact].friction->slip_size(system, work, contact, t, q, v);
}

double slip_system_direction(const slip_system *system, slip_workspace *work, int contact, double t,
                             const double *q, const double *v, double *row, double *response)
{
    return slip_system_direction_of(system, work, contact, 0, t, q, v, row, response);
}

double slip_system_direction_of(const slip_system *system, slip_workspace *work, int contact, int part,
                                double t, const double *q, const double *v, double *row, double *response)
{
    const slip_slip_form *form = &slip_contact_slips(system, work, contact)[part];
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
