/* Friction of a vector slip, of a point in a plane or a plane area: the table of friction.h, and further
 * functions for such contacts. */
#include "math/vector.h"
#include "contact/plane.h"
#include "math/dense.h"
#include "patch/patch.h"
#include "system/detector.h"
#include "system/evaluate.h"
#include "system/friction/friction.h"

#include <float.h>
#include <math.h>
#include <string.h>

const double *slip_system_patch_row(const slip_system *system, const slip_workspace *work, int c, int part)
{
    const slip_slip_form *form = &slip_contact_slips(system, work, c)[part];
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
        rate[part] = slip_form_rate(system->n, work, &slip_contact_slips(system, work, c)[part], v, a);
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
        slip_gradient(system, work, &contact->slips[part]);
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
static void fill_gradients(const slip_system *system, slip_workspace *work, int c)
{
    const slip_contact *contact = &system->contacts[c];
    const slip_patch_form *patch = contact->patch;
    const slip_patch_state *own = &work->patches[contact->vector];
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
    const double mu = work->patch_mu[contact->vector];
    if (mu == 0 && contact->varying_count == 0)
        return;
    slip_patch_evaluate(patch->law, own->slip, T, derivative);
    for (int part = 0; part < 3; part++) {
        slip_gradient(system, work, &contact->slips[part]);
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
        column[part] = slip_system_patch_row(system, work, c, part)[i] * system->contacts[c].unit[part];
}

int slip_system_patch_basis(const slip_system *system, const slip_workspace *work, int c, double basis[9])
{
    double largest = 0;
    int rank = 0;
    for (int round = 0; round < 2;
         round++) /* the first round finds the size for comparison with rounding errors */
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
    return form->static_ratio * work->patch_mu[system->contacts[c].vector] * along *
           (system->contacts[c].has_gap ? 1 : fmax(work->contacts[c].normal, 0));
}

/* ---- The table. */

static double find_slip(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                        const double *v)
{
    double slip[3];
    slip_system_patch_slip(system, work, c, t, q, v, slip);
    return slip_contact_slip_size(&system->contacts[c], slip);
}

static slip_mode sliding(double slip)
{
    (void)slip;
    return SLIP_MODE_SLIP;
}

static int modes(const slip_contact *contact, bool resting, double slip, slip_mode *list)
{
    const int stick = contact->set_valued && resting;
    (void)slip;
    list[0] = SLIP_MODE_STICK;
    list[stick] = SLIP_MODE_SLIP;
    return 1 + stick;
}

static double hold(const slip_system *system, const slip_workspace *work, int c)
{
    const slip_contact *contact = &system->contacts[c];
    return contact->patch->static_ratio * work->patch_mu[contact->vector];
}

static double hold_by(const slip_system *system, const slip_workspace *work, int c, int k)
{
    (void)work;
    (void)k; /* nothing but mu varies */
    return system->contacts[c].patch->static_ratio;
}

static double slide(const slip_system *system, const slip_workspace *work, int c)
{
    return work->patch_mu[system->contacts[c].vector];
}

static double impact(const slip_system *system, const slip_workspace *work, int c)
{
    const slip_contact *contact = &system->contacts[c];
    return contact->varying_count > 0 && contact->state_count == 0 ? work->patch_mu[contact->vector]
                                                                   : contact->patch->impact_mu;
}

static double width(const slip_system *system, const slip_workspace *work, int c)
{
    const double epsilon = system->contacts[c].patch->epsilon;
    (void)work;
    return epsilon > 0 ? epsilon : INFINITY;
}

static const double *forces_of(const slip_contact *contact, const slip_contact_state *state,
                               const slip_patch_state *patches)
{
    (void)state;
    return patches[contact->vector].force;
}

static double force_of(const slip_contact *contact, const slip_contact_state *state,
                       const slip_patch_state *patches)
{
    (void)state;
    return -slip_contact_force_size(contact, patches[contact->vector].force);
}

static void add_power(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                      const double *v, const slip_contact_state *unused, const slip_patch_state *patches,
                      double power[2])
{
    const slip_patch_state *state = &patches[system->contacts[c].vector];
    double slip[3];
    (void)unused;
    slip_system_patch_slip(system, work, c, t, q, v, slip);
    for (int part = 0; part < 3; part++) {
        const slip_slip_form *form = &slip_contact_slips(system, work, c)[part];
        const double *row = slip_system_patch_row(system, work, c, part);
        double own = slip_dot(system->n, row, v);
        const double belt = slip[part] - own - slip_tail_dot(&form->tail, system->n, v);
        power[0] += state->force[part] * (state->slip[part] - belt);
        power[1] -= state->force[part] * state->slip[part];
    }
}

/* ---- Force. */

static void evaluate(const slip_system *system, slip_workspace *work, int c, const slip_branch *branch,
                     const double *v, double *force)
{
    const int n = system->n;
    const slip_contact *contact = &system->contacts[c];
    const slip_patch_form *patch = contact->patch;
    slip_contact_state *state = &work->contacts[c];
    slip_patch_state *own = &work->patches[contact->vector];
    double T[3];
    slip_find_patch_slip(n, system, work, c, v, own->slip);
    state->slip = slip_contact_slip_size(contact, own->slip);
    state->normal = contact->has_gap ? 0 : contact->normal_constant;
    if (contact->normal_force)
        state->normal = slip_expression_value(contact->normal_force, work->slots, work->scratch);
    memset(own->force, 0,
           sizeof own->force); /* those of stick and of a closed gap come with the constraints */
    state->force = 0;
    state->asleep = true;
    if (branch && ((branch->mode == SLIP_MODE_STICK && contact->set_valued) ||
                   (branch->mode == SLIP_MODE_OPEN && contact->has_gap)))
        return;
    if (contact->state_count > 0)
        slip_system_remember_plane(system, work, contact, branch, v, force);
    else
        slip_patch_evaluate(patch->law, branch && branch->direction ? branch->direction : own->slip, T, NULL);
    const double mu = work->patch_mu[contact->vector];
    for (int part = 0; part < 3; part++) {
        const double *row = slip_system_patch_row(system, work, c, part);
        if (contact->state_count == 0) {
            work->patch_friction[3 * contact->vector + part] = -mu * T[part];
            own->force[part] = -mu * state->normal * T[part];
        }
        for (int i = 0; i < n; i++)
            force[i] += row[i] * own->force[part];
    }
}

/* ---- Before the judge. */

/* The rounding error of slip velocities of zero, in units of the area. */
static double patch_rounding(const slip_system *system, slip_workspace *work, int c, const double *v)
{
    double sum = 0;
    for (int part = 0; part < 3; part++) {
        const double *row = slip_system_patch_row(system, work, c, part);
        for (int i = 0; i < system->n; i++)
            sum += fabs(row[i] * v[i]) * system->contacts[c].unit[part];
    }
    return 16 * DBL_EPSILON * sum;
}

/* Of a law with memory in the plane, whose states are among the velocities. */
static double memory_residual(const slip_system *system, slip_workspace *work, int c, const double slip[3],
                              const double *v, double normal, const double force[3])
{
    slip_law_plane to;
    memcpy(work->patches[system->contacts[c].vector].slip, slip, 3 * sizeof *slip);
    slip_system_plane_response(system, work, c, NULL, v, &to);
    return hypot(force[0] + normal * to.force[0], force[1] + normal * to.force[1]);
}

static double judge(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                    const double *v, double normal, double unused, const slip_patch_state *patches)
{
    static const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const slip_contact *contact = &system->contacts[c];
    const slip_patch_form *patch = contact->patch;
    (void)unused;
    if (!patches)
        return 0;
    const double *force = patches[contact->vector].force, limit = work->patch_mu[contact->vector] * normal,
                 size = 1 + fabs(normal), area[3] = {force[0], force[1], force[2] / patch->size};
    slip_plane plane = {.surface = patch->law, .set_valued = patch->set_valued, .rank = 3};
    double slip[3], p[3] = {0, 0, 0}, off;
    slip_system_patch_slip(system, work, c, t, q, v, slip);
    const double noise = patch_rounding(system, work, c, v);
    slip[2] *= patch->size;
    if (contact->state_count > 0)
        return memory_residual(system, work, c, slip, v, normal, force) / size;
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
    return off;
}

/* ---- Derivatives. */

static void differentiate(const slip_system *system, slip_workspace *work, int c,
                          const slip_force_derivatives *to)
{
    const slip_contact *contact = &system->contacts[c];
    int n = system->n;
    fill_gradients(system, work, c);
    for (int k = 0; k < contact->state_count; k++)
        slip_add_gradient(n, work->patch_gradients + (3 + k) * (1 + 2 * n), 1, contact->state + k, to);
    for (int part = 0; part < 3; part++) {
        const slip_slip_form *form = &slip_contact_slips(system, work, c)[part];
        const double *of_force = work->patch_gradients + part * (1 + 2 * n);
        for (int k = 0; k < form->support_count; k++)
            slip_add_gradient(n, of_force, form->row[form->support[k]], form->support[k], to);
        for (int i = 0; !form->row && i < n; i++)
            slip_add_gradient(n, of_force, slip_varying_row(system, work, c, part)[i], i, to);
    }
}

static void gradient_of(const slip_system *system, slip_workspace *work, int c, int part,
                        const slip_force_derivatives *scratch, double *gradient)
{
    const int slots = 1 + 2 * system->n;
    (void)scratch;
    fill_gradients(system, work, c);
    memcpy(gradient, work->patch_gradients + part * slots, (size_t)slots * sizeof(double));
}

/* ---- Constraints. */

/* Adds the constraint along the gap of a closed patch; if it slips, its column includes the friction. */
static void collect_pressed(const slip_system *system, slip_workspace *work, int c, bool stick, int index,
                            double t, const double *q, const double *v, const double *a)
{
    const slip_contact *contact = &system->contacts[c];
    const double *ratios = work->patch_friction + 3 * contact->vector;
    const int n = system->n;
    double *column = work->force;
    memset(column, 0, (size_t)n * sizeof(double));
    for (int part = 0; part < 3 && !stick; part++) {
        const double *row = slip_system_patch_row(system, work, c, part);
        for (int i = 0; i < n; i++)
            column[i] += ratios[part] * row[i];
    }
    const double rate = slip_system_gap_curve(system, work, c, t, q, v, a);
    slip_constrain_add(system, work, index, slip_system_gap_row(system, work, c, t, q), column, stick ? 0 : 1,
                       rate, stick && contact->gap.row);
    work->constraints[index] = -1 - c;
}

/* Adds the constraints of a sticking patch, along the slip velocities that the structure can move. Returns
 * the new number of constraints. */
static int collect_patch(const slip_system *system, slip_workspace *work, int c, int count, double t,
                         const double *q, const double *v, const double *a)
{
    double rate[3];
    slip_system_patch_rate(system, work, c, t, q, v, a, rate);
    for (int part = 0; part < 3; part++) {
        const slip_slip_form *form = &slip_contact_slips(system, work, c)[part];
        const double *row = slip_system_patch_row(system, work, c, part);
        if (form->row && form->support_count == 0)
            continue;
        slip_constrain_add(system, work, count, row, row, 0, rate[part], form->row != NULL);
        work->constraints[count++] = c + (1 + part) * (int)system->contact_count;
    }
    return count;
}

static int collect(const slip_system *system, slip_workspace *work, int c, const slip_branch *branch,
                   bool closed, int count, double t, const double *q, const double *v, const double *a)
{
    const bool stick = branch->mode == SLIP_MODE_STICK;
    if (branch->follows)
        return count;
    if (closed)
        collect_pressed(system, work, c, stick, count++, t, q, v, a);
    return stick ? collect_patch(system, work, c, count, t, q, v, a) : count;
}

static double ratio_of(const slip_system *system, const slip_workspace *work, int c, int part,
                       const slip_branch *branch, const slip_contact_state *state)
{
    (void)branch;
    (void)state;
    return work->patch_friction[3 * system->contacts[c].vector + part];
}

static void press(const slip_system *system, slip_workspace *work, int c, const slip_branch *branch)
{
    const int at = system->contacts[c].vector;
    (void)branch;
    for (int part = 0; part < 3; part++)
        work->patches[at].force[part] = work->contacts[c].normal * work->patch_friction[3 * at + part];
}

const slip_friction_type slip_friction_vector = {.slips = slip_system_patch_slip,
                                                 .slip = find_slip,
                                                 .slip_size = find_slip, /* nothing cancels in a magnitude */
                                                 .hold = hold,
                                                 .hold_by = hold_by,
                                                 .slide = slide,
                                                 .impact = impact,
                                                 .width = width,
                                                 .sliding = sliding,
                                                 .modes = modes,
                                                 .rates = slip_system_patch_rate,
                                                 .row = slip_system_patch_row,
                                                 .forces = forces_of,
                                                 .force = force_of,
                                                 .evaluate = evaluate,
                                                 .power = add_power,
                                                 .judge = judge,
                                                 .differentiate = differentiate,
                                                 .gradient = gradient_of,
                                                 .collect = collect,
                                                 .ratio = ratio_of,
                                                 .press = press};
