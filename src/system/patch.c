/* Plane contact areas in the equation of motion: slip velocities, forces, derivatives. */
#include "system/evaluate.h"

#include "math/dense.h"
#include "patch/patch.h"

#include <math.h>
#include <string.h>

const double *slip_system_patch_row(const slip_system *system, const slip_workspace *work, int c, int part)
{
    const slip_slip_form *form = &system->contacts[c].patch->slip[part];
    return form->row ? form->row : slip_varying_row(system, work, c, part);
}

void slip_system_patch_slip(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                            const double *v, double slip[3])
{
    slip_fill_slots(system->n, work, t, q, v);
    slip_find_patch_slip(system->n, system, work, c, v, slip);
}

void slip_system_patch_rate(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                            const double *v, const double *a, double rate[3])
{
    slip_fill_slots(system->n, work, t, q, v);
    for (int part = 0; part < 3; part++)
        rate[part] = slip_form_rate(system->n, work, &system->contacts[c].patch->slip[part], v, a);
}

/* The gradient of a slip velocity, in work->gradient. */
static void slip_gradient(const slip_system *system, slip_workspace *work, const slip_slip_form *form)
{
    const int n = system->n, slots = 1 + 2 * n;
    memset(work->gradient, 0, (size_t)slots * sizeof(double));
    if (form->rest)
        slip_expression_gradient(form->rest, work->slots, slots, work->gradient, work->scratch);
    for (int k = 0; k < form->support_count; k++)
        work->gradient[slip_slot_velocity(n, form->support[k])] += form->row[form->support[k]];
}

/* Of a law with memory: d force = -N (F_v d slip + F_z dz) - F dN, and the rates. */
static void memory_gradients(const slip_system *system, slip_workspace *work, int c)
{
    const slip_contact *contact = &system->contacts[c];
    const int n = system->n, slots = 1 + 2 * n;
    const double normal = work->contacts[c].normal, *v = work->slots + slip_slot_velocity(n, 0);
    double *to = work->patch_gradients;
    slip_law_plane at;
    const signed char slips = work->contacts[c].slips; /* of a slider: as it was found by the evaluation */
    slip_system_plane_response(system, work, c, contact->law.type->sliders ? &slips : NULL, v, &at);
    for (int part = 0; part < 2; part++) {
        slip_gradient(system, work, &contact->patch->slip[part]);
        for (int of = 0; of < 2; of++)
            for (int j = 0; j < slots; j++) {
                to[of * slots + j] -= normal * at.force_v[2 * of + part] * work->gradient[j];
                to[(3 + of) * slots + j] += at.rate_v[2 * of + part] * work->gradient[j];
            }
    }
    for (int of = 0; of < 2; of++)
        for (int k = 0; k < 2; k++) {
            const int slot = slip_slot_velocity(n, contact->state + k);
            to[of * slots + slot] -= normal * at.force_z[2 * of + k];
            to[(3 + of) * slots + slot] += at.rate_z[2 * of + k];
        }
    if (contact->normal_force) {
        slip_expression_gradient(contact->normal_force, work->slots, slots, work->gradient, work->scratch);
        for (int of = 0; of < 2; of++)
            for (int j = 0; j < slots; j++)
                to[of * slots + j] -= at.force[of] * work->gradient[j];
    }
}

/* d force = -mu (N T'(slip) d slip + T dN) - T N dmu */
void slip_system_patch_gradients(const slip_system *system, slip_workspace *work, int c)
{
    const slip_contact *contact = &system->contacts[c];
    const slip_patch_form *patch = contact->patch;
    const slip_patch_state *own = &work->patches[patch->index];
    const int slots = 1 + 2 * system->n;
    double T[3], derivative[9], *gradient = work->gradient, *to = work->patch_gradients;
    memset(to, 0, (size_t)(5 * slots) * sizeof(double));
    if (contact->state_count > 0 && work->contacts[c].asleep)
        return;
    if (contact->state_count > 0) {
        memory_gradients(system, work, c);
        if (contact->varying_count > 0)
            slip_system_vary_gradients_plane(system, work, c, to);
        return;
    }
    const double mu = work->patch_mu[patch->index];
    if (mu == 0 && contact->varying_count == 0)
        return;
    slip_patch_evaluate(patch->law, own->slip, T, derivative);
    for (int part = 0; part < 3; part++) {
        slip_gradient(system, work, &patch->slip[part]);
        for (int of = 0; of < 3; of++) {
            double slope = -mu * work->contacts[c].normal * derivative[3 * of + part];
            for (int j = 0; j < slots && slope != 0; j++)
                to[of * slots + j] += slope * gradient[j];
        }
    }
    for (int k = 0; k < 2; k++) { /* N and mu */
        const slip_expression *factor = k == 0                       ? contact->normal_force
                                        : contact->varying_count > 0 ? contact->varying[0]
                                                                     : NULL;
        const double other = k == 0 ? mu : work->contacts[c].normal;
        if (!factor)
            continue;
        slip_expression_gradient(factor, work->slots, slots, gradient, work->scratch);
        for (int of = 0; of < 3; of++)
            for (int j = 0; j < slots; j++)
                to[of * slots + j] -= other * T[of] * gradient[j];
    }
}

/* Column i of the rows, in units of the area. */
static void column_of(const slip_system *system, const slip_workspace *work, int c, int i, double column[3])
{
    for (int part = 0; part < 3; part++)
        column[part] = slip_system_patch_row(system, work, c, part)[i] *
                       (part == 2 ? system->contacts[c].patch->size : 1);
}

int slip_system_patch_basis(const slip_system *system, const slip_workspace *work, int c, double basis[9])
{
    double largest = 0;
    int rank = 0;
    for (int round = 0; round < 2; round++) /* the first one finds the size that rounding is compared with */
        for (int i = 0; i < system->n && rank < 3; i++) {
            double column[3], length = 0;
            column_of(system, work, c, i, column);
            for (int k = 0; k < rank; k++) {
                const double *other = basis + 3 * k;
                double overlap = column[0] * other[0] + column[1] * other[1] + column[2] * other[2];
                for (int j = 0; j < 3; j++)
                    column[j] -= overlap * other[j];
            }
            for (int j = 0; j < 3; j++)
                length += column[j] * column[j];
            length = sqrt(length);
            largest = fmax(largest, length);
            if (round == 0 || !(length > 1e-10 * largest))
                continue;
            for (int j = 0; j < 3; j++)
                basis[3 * rank + j] = column[j] / length;
            rank++;
        }
    return rank;
}

void slip_system_patch_along(const slip_system *system, const slip_workspace *work, int c,
                             const double vector[3], double *row)
{
    for (int i = 0; i < system->n; i++) {
        double column[3];
        column_of(system, work, c, i, column);
        row[i] = vector[0] * column[0] + vector[1] * column[1] + vector[2] * column[2];
    }
}

bool slip_system_patch_map(const slip_system *system, const slip_workspace *work, int leader, int rank,
                           const double *basis, int other, double map[9])
{
    double gram[9] = {0}, cross[9] = {0}, error = 0, size = 0;
    for (int i = 0; i < system->n; i++) {
        double column[3], own[3], along[3];
        column_of(system, work, leader, i, column);
        column_of(system, work, other, i, own);
        for (int k = 0; k < rank; k++)
            along[k] = basis[3 * k] * column[0] + basis[3 * k + 1] * column[1] + basis[3 * k + 2] * column[2];
        for (int k = 0; k < rank; k++)
            for (int l = 0; l < rank; l++)
                gram[rank * k + l] += along[k] * along[l];
        for (int part = 0; part < 3; part++)
            for (int k = 0; k < rank; k++)
                cross[3 * part + k] += own[part] * along[k];
    }
    memset(map, 0, 9 * sizeof *map);
    for (int part = 0; part < 3; part++) {
        double matrix[9];
        memcpy(matrix, gram, sizeof matrix);
        if (!slip_dense_solve(rank, matrix, cross + 3 * part))
            return false;
        for (int k = 0; k < rank; k++)
            for (int j = 0; j < 3; j++)
                map[3 * part + j] += cross[3 * part + k] * basis[3 * k + j];
    }
    for (int i = 0; i < system->n; i++) {
        double column[3], own[3];
        column_of(system, work, leader, i, column);
        column_of(system, work, other, i, own);
        for (int part = 0; part < 3; part++) {
            const double *row = map + 3 * part;
            error += fabs(own[part] - row[0] * column[0] - row[1] * column[1] - row[2] * column[2]);
            size += fabs(own[part]);
        }
    }
    return error <= 1e-10 * size;
}

double slip_system_patch_hold(const slip_system *system, const slip_workspace *work, int c, const double *row)
{
    const slip_patch_form *form = system->contacts[c].patch;
    const int n = system->n;
    double d[3], T[3], square = 0, along = 0;
    for (int i = 0; i < n; i++)
        square += row[i] * row[i];
    for (int part = 0; part < 3; part++) {
        const double *own = slip_system_patch_row(system, work, c, part);
        double rest = 0, size = 0, ratio = 0;
        for (int i = 0; i < n; i++)
            ratio += own[i] * row[i] / square;
        for (int i = 0; i < n; i++) {
            rest = fmax(rest, fabs(own[i] - ratio * row[i]));
            size = fmax(size, fabs(own[i]));
        }
        if (rest > 1e-10 * size)
            return -1;
        d[part] = ratio * (part == 2 ? form->size : 1);
    }
    slip_patch_surface(form->law, d, T, NULL);
    for (int part = 0; part < 3; part++)
        along += d[part] * T[part];
    return form->static_ratio * work->patch_mu[form->index] * along *
           (system->contacts[c].has_gap ? 1 : fmax(work->contacts[c].normal, 0));
}
