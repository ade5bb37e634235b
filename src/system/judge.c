/* States and their contact forces before the judge of contact laws (contact/problem.h). */
#include "contact/plane.h"
#include "system/evaluate.h"
#include "system/structure/structure.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The law of friction at slip w with compression `normal`: a number, or at rest of a set-valued law all up to
 * its hold. The states of a law with memory are among the velocities. */
static slip_block friction_of(const slip_system *system, slip_workspace *work, const slip_contact *contact,
                              double w, double normal, const double *v)
{
    const slip_law_kernel *law = slip_contact_law(system, work, (int)(contact - system->contacts));
    const double hold = normal * slip_law_hold(law);
    slip_contact_state state = {.slip = w, .normal = normal};
    double force = 0, slope;
    if (contact->state_count > 0) {
        slip_system_remember(system, work, contact, NULL, &state, v, work->force);
        return (slip_block){.kind = SLIP_BLOCK_LINEAR, .constant = -state.force};
    }
    if (!contact->frictionless && law->type->info.set_valued && w == 0)
        return (slip_block){.kind = SLIP_BLOCK_FRICTION, .hold = hold, .slide = hold};
    if (!contact->frictionless)
        slip_law_force(law, slip_law_piece(law, w), w, &force, &slope);
    return (slip_block){.kind = SLIP_BLOCK_LINEAR, .constant = normal * force};
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
        const slip_block press = {.kind = SLIP_BLOCK_NORMAL};
        const double gap = contact->has_gap ? slip_system_gap(system, work, c, t, q) : 0;
        worst = fmax(worst, slip_block_residual(&press, 1 / size, 1, normal[c], gap));
        if (contact->patch)
            continue; /* see below */
        if (fabs(w) <= rounding(system, work, c, t, q, v))
            w = 0;
        const slip_block friction = friction_of(system, work, contact, w, normal[c], v);
        worst = fmax(worst, slip_block_residual(&friction, 1 / size, 1, force[c], w));
    }
    return system->structure->judge ? fmax(worst, system->structure->judge(system, work, q, v)) : worst;
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

/* Of a law with memory in the plane, whose states are among the velocities. */
static double memory_residual(const slip_system *system, slip_workspace *work, int c, const double slip[3],
                              const double *v, double normal, const double force[3])
{
    slip_law_plane to;
    memcpy(work->patches[system->contacts[c].patch->index].slip, slip, 3 * sizeof *slip);
    slip_system_plane_response(system, work, c, NULL, v, &to);
    return hypot(force[0] + normal * to.force[0], force[1] + normal * to.force[1]);
}

double slip_system_patch_residual(const slip_system *system, slip_workspace *work, double t, const double *q,
                                  const double *v, const double *normal, const slip_patch_state *patches)
{
    static const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double worst = 0;
    if (!slip_system_tune(system, work, t, q, v))
        return INFINITY;
    for (int c = 0; c < (int)system->contact_count; c++) {
        const slip_patch_form *patch = system->contacts[c].patch;
        if (!patch)
            continue;
        const double *force = patches[patch->index].force, limit = work->patch_mu[patch->index] * normal[c],
                     size = 1 + fabs(normal[c]), area[3] = {force[0], force[1], force[2] / patch->size};
        slip_plane plane = {.surface = patch->law, .set_valued = patch->set_valued, .rank = 3};
        double slip[3], p[3] = {0, 0, 0}, noise = patch_rounding(system, work, c, v), off;
        slip_system_patch_slip(system, work, c, t, q, v, slip);
        slip[2] *= patch->size;
        if (system->contacts[c].state_count > 0) {
            worst = fmax(worst, memory_residual(system, work, c, slip, v, normal[c], force) / size);
            continue;
        }
        const double length = sqrt(slip[0] * slip[0] + slip[1] * slip[1] + slip[2] * slip[2]);
        const bool rests = patch->set_valued && length <= noise;
        memcpy(plane.basis, axes, sizeof axes);
        if (rests) /* guides take what acts across */
            plane.rank = slip_system_patch_basis(system, work, c, plane.basis);
        for (int k = 0; k < plane.rank; k++)
            for (int i = 0; i < 3; i++)
                p[k] += plane.basis[3 * k + i] * area[i];
        off = slip_plane_residual(&plane, 1 / size, rests ? patch->static_ratio * limit : 0, limit, p,
                                  rests ? (double[3]){0} : slip);
        if (patch->set_valued && !rests) /* of slow slip rounding hides the direction */
            off -= limit / size * 4 * noise / length;
        worst = fmax(worst, off);
    }
    return worst;
}
