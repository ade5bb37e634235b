/* Functions that the evaluation of all kinds of contacts shares. */
#ifndef SLIP_SYSTEM_EVALUATE_H
#define SLIP_SYSTEM_EVALUATE_H

#include "system/detector.h"
#include "system/system.h"

#include <string.h>

#define SLIP_INLINE static inline __attribute__((always_inline))

SLIP_INLINE void slip_fill_slots(const int n, slip_workspace *work, double t, const double *q,
                                 const double *v)
{
    double *slots = work->slots;
    slots[0] = t;
    for (int i = 0; i < n; i++) {
        slots[1 + i] = q[i];
        slots[1 + n + i] = v[i];
    }
}

/* The slip velocity; if its coefficients vary, also their present values (the row W), in work->gradient. */
SLIP_INLINE double slip_form_velocity(const int n, slip_workspace *work, const slip_slip_form *form,
                                      const double *v)
{
    double slip = form->constant;
    if (!form->row) {
        slip = slip_expression_gradient(form->rest, work->slots, 1 + 2 * n, work->gradient, work->scratch);
        for (int i = form->coordinates; i < n; i++)
            work->gradient[slip_slot_velocity(n, i)] = 0;
        return slip;
    }
    if (n > 2)
        for (int k = 0; k < form->support_count; k++)
            slip += form->row[form->support[k]] * v[form->support[k]];
    for (int i = 0; i < n && n <= 2; i++)
        slip += form->row[i] * v[i];
    if (form->rest)
        slip += slip_expression_value(form->rest, work->slots, work->scratch);
    return slip;
}

/* The rate of a slip velocity for given acceleration. If the form has an expression the slots must be filled.
 */
static inline double slip_form_rate(const int n, slip_workspace *work, const slip_slip_form *form,
                                    const double *v, const double *a)
{
    double rate = 0;
    for (int k = 0; k < form->support_count; k++)
        rate += form->row[form->support[k]] * a[form->support[k]];
    if (!form->rest)
        return rate;
    slip_expression_gradient(form->rest, work->slots, 1 + 2 * n, work->gradient, work->scratch);
    rate += work->gradient[0];
    for (int j = 0; j < n; j++)
        rate +=
            work->gradient[slip_slot_coordinate(j)] * v[j] + work->gradient[slip_slot_velocity(n, j)] * a[j];
    return rate;
}

/* The memory of the row of a patch's slip velocity with coefficients that are not constant. */
static inline double *slip_varying_row(const slip_system *system, const slip_workspace *work, int c, int part)
{
    return work->patch_rows + (3 * system->contacts[c].vector + part) * system->n;
}

/* The slip velocities of a patch. The slots must be filled. */
SLIP_INLINE void slip_find_patch_slip(const int n, const slip_system *system, slip_workspace *work, int c,
                                      const double *v, double slip[3])
{
    for (int part = 0; part < 3; part++) {
        const slip_slip_form *form = &slip_contact_slips(system, work, c)[part];
        slip[part] = slip_form_velocity(n, work, form, v) + slip_tail_dot(&form->tail, n, v);
        if (!form->row)
            memcpy(slip_varying_row(system, work, c, part), work->gradient + slip_slot_velocity(n, 0),
                   (size_t)n * sizeof(double));
    }
}

/* The memory in the workspace for the response of a law with memory. */
static inline slip_law_response slip_system_response_of(const slip_system *system, const slip_workspace *work,
                                                        const slip_contact *contact)
{
    const int all = system->state_count, at = contact->state - slip_system_coordinates(system);
    double *memory = work->memory + at;
    return (slip_law_response){.force_z = memory,
                               .rate = memory + all,
                               .rate_v = memory + 2 * (ptrdiff_t)all,
                               .rate_z = memory + 3 * (ptrdiff_t)all};
}

/* For a force along the gradient of an expression by coordinates or velocities (first: the first of these
 * slots): adds the derivatives of this direction by q and t, times `force`, to f_q (n x n) and f_t (NULL: not
 * wanted). The slots must be filled. */
void slip_system_add_turning(const slip_system *system, slip_workspace *work,
                             const slip_expression *expression, int first, double force, double *f_q,
                             double *f_t);

/* Derivatives of the rate of a gap with respect to q and v, 2 n numbers. */
void slip_system_gap_rate_gradient(const slip_system *system, slip_workspace *work, int c, double t,
                                   const double *q, const double *v, double *gradient);

#endif
