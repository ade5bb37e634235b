/* The judge of contact laws. Separate from everything that solves for them. */
#include "law/patch.h"
#include "system/evaluate.h"

#include <float.h>
#include <math.h>

/* Friction against slip w with compression `normal`: the law's force, or at rest of a set-valued law any
 * force up to its hold. */
static double friction_residual(const slip_contact *contact, const slip_law_kernel *law, double w,
                                double normal, double force)
{
    double expected, slope, excess;
    if (contact->frictionless)
        return fabs(force);
    if (law->type->info.set_valued && w == 0) {
        excess = fabs(force) - normal * slip_law_hold(law);
        return excess > 0 ? excess : 0;
    }
    slip_law_force(law, slip_law_piece(law, w), w, &expected, &slope);
    return fabs(force + normal * expected);
}

/* The same of a law with memory, whose states are among the velocities. */
static double memory_residual(const slip_system *system, slip_workspace *work, const slip_contact *contact,
                              double w, double normal, const double *v, double force)
{
    slip_contact_state state = {.slip = w, .normal = normal};
    slip_system_remember(system, work, contact, NULL, &state, v, work->force);
    return fabs(force - state.force);
}

/* What rounding can make of a slip velocity of zero. */
static double rounding(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                       const double *v)
{
    double sum = 0, *row = work->rows;
    slip_system_direction(system, work, c, t, q, v, row, work->responses);
    for (int i = 0; i < system->n; i++)
        sum += fabs(row[i] * v[i]);
    return 16 * DBL_EPSILON * sum;
}

double slip_system_residual(const slip_system *system, slip_workspace *work, double t, const double *q,
                            const double *v, const double *normal, const double *force)
{
    double worst = 0;
    if (!slip_system_tune(system, work, t, q, v))
        return INFINITY;
    for (int c = 0; c < (int)system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        double w = slip_system_slip(system, work, c, t, q, v), size = 1 + fabs(normal[c]);
        worst = fmax(worst, -normal[c] / size);
        if (contact->has_gap) {
            double gap = slip_system_gap(system, work, c, t, q);
            worst = fmax(worst, -gap);
            worst = fmax(worst, fmin(gap, normal[c] / size));
        }
        if (contact->patch)
            continue; /* see below */
        if (fabs(w) <= rounding(system, work, c, t, q, v))
            w = 0;
        const double off =
            contact->state_count > 0
                ? memory_residual(system, work, contact, w, normal[c], v, force[c])
                : friction_residual(contact, slip_contact_law(system, work, c), w, normal[c], force[c]);
        worst = fmax(worst, off / size);
    }
    return worst;
}

/* ---- Patches. */

/* What rounding can make of slip velocities of zero, in units of the area. */
static double patch_rounding(const slip_system *system, slip_workspace *work, int c, const double *v)
{
    const slip_patch_form *patch = system->contacts[c].patch;
    double sum = 0;
    for (int part = 0; part < 3; part++) {
        const double *row = slip_system_patch_row(system, work, c, part);
        for (int i = 0; i < system->n; i++)
            sum += fabs(row[i] * v[i]) * (part == 2 ? patch->size : 1);
    }
    return 16 * DBL_EPSILON * sum;
}

/* At rest: by how much the force exceeds the static limit. */
static double hold_residual(const slip_system *system, slip_workspace *work, int c, double normal,
                            const double force[3])
{
    const slip_patch_form *patch = system->contacts[c].patch;
    const double area[3] = {force[0], force[1], force[2] / patch->size};
    double basis[9], u[3] = {0, 0, 0}, ratio = INFINITY, z[3];
    int rank = slip_system_patch_basis(system, work, c, basis);
    slip_context *ctx = slip_context_create();
    if (!ctx)
        return INFINITY;
    for (int k = 0; k < rank; k++)
        for (int j = 0; j < 3; j++)
            u[k] += basis[3 * k + j] * area[j];
    if (slip_patch_limit_within(ctx, patch->law, rank, basis, u, &ratio, z) < 0)
        ratio = INFINITY;
    slip_context_destroy(ctx);
    return fmax(ratio - patch->static_ratio * work->patch_mu[patch->index] * normal, 0);
}

/* The force of a law with memory in the plane, for unit normal force. */
static void plane_force(const slip_system *system, slip_workspace *work, int c, const double slip[3],
                        const double *v, double T[3])
{
    slip_law_plane to;
    memcpy(work->patches[system->contacts[c].patch->index].slip, slip, 3 * sizeof *slip);
    slip_system_plane_response(system, work, c, NULL, v, &to);
    T[0] = to.force[0];
    T[1] = to.force[1];
    T[2] = 0;
}

double slip_system_patch_residual(const slip_system *system, slip_workspace *work, double t, const double *q,
                                  const double *v, const double *normal, const slip_patch_state *patches)
{
    double worst = 0;
    if (!slip_system_tune(system, work, t, q, v))
        return INFINITY;
    for (int c = 0; c < (int)system->contact_count; c++) {
        const slip_patch_form *patch = system->contacts[c].patch;
        double slip[3], T[3], size, length, noise, difference = 0;
        if (!patch)
            continue;
        const double *force = patches[patch->index].force, mu = work->patch_mu[patch->index];
        slip_system_patch_slip(system, work, c, t, q, v, slip);
        size = 1 + fabs(normal[c]);
        length = slip_patch_slip_size(patch, slip);
        noise = patch_rounding(system, work, c, v);
        if (patch->set_valued && length <= noise) {
            worst = fmax(worst, hold_residual(system, work, c, normal[c], force) / size);
            continue;
        }
        if (system->contacts[c].state_count > 0)
            plane_force(system, work, c, slip, v, T);
        else
            slip_patch_evaluate(patch->law, slip, T, NULL);
        for (int part = 0; part < 3; part++) {
            double off = (force[part] + mu * normal[c] * T[part]) / (part == 2 ? patch->size : 1);
            difference += off * off;
        }
        /* of slow slip rounding hides the direction */
        if (patch->set_valued)
            difference = fmax(sqrt(difference) - mu * normal[c] * 4 * noise / length, 0);
        else
            difference = sqrt(difference);
        worst = fmax(worst, difference / size);
    }
    return worst;
}
