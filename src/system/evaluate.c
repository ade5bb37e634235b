/* Acceleration, its derivatives, and what to say when they are not finite. */
#include "system/evaluate.h"
#include "system/structure/structure.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a mass matrix that varies. */
static bool make_place(const slip_system *system, slip_workspace *work)
{
    const int64_t n = system->n;
    work->mass = slip_arena_array(&work->arena, 4 * n * n + n, sizeof(double));
    if (!work->mass)
        return false;
    work->inverse_mass = work->own_inverse = work->mass + n * n;
    work->mass_structure = work->own_structure = work->own_inverse + n * n;
    work->placed = work->own_structure + 2 * n * n;
    work->placed_at = NAN;
    return true;
}

int slip_workspace_create(slip_context *ctx, const slip_system *system, slip_workspace **result)
{
    slip_workspace *work = calloc(1, sizeof *work);
    int64_t n = system->n, slots = 1 + 2 * n;
    *result = NULL;
    if (!work)
        return slip_fail_memory(ctx);
    work->slots = slip_arena_array(&work->arena, slots + system->switch_count, sizeof(double));
    work->scratch = slip_arena_array(&work->arena, system->scratch_count + 1, sizeof(double));
    work->force = slip_arena_array(&work->arena, n, sizeof(double));
    work->gradient = slip_arena_array(&work->arena, 2 * slots, sizeof(double));
    work->matrix = slip_arena_array(&work->arena, 2 * n * n + 4 * n, sizeof(double));
    work->contacts = slip_arena_array(&work->arena, system->contact_count + 1, sizeof *work->contacts);
    work->loads = slip_arena_array(&work->arena, n, sizeof(double));
    work->memory = slip_arena_array(&work->arena, 4 * (int64_t)system->state_count + 1, sizeof(double));
    work->patches = slip_arena_array(&work->arena, system->patch_count + 1, sizeof *work->patches);
    work->patch_friction = slip_arena_array(&work->arena, 3 * system->patch_count + 1, sizeof(double));
    work->patch_rows = slip_arena_array(&work->arena, 3 * n * system->patch_count + 1, sizeof(double));
    work->patch_gradients = slip_arena_array(&work->arena, 5 * slots, sizeof(double));
    work->patch_mu = slip_arena_array(&work->arena, system->patch_count + 1, sizeof(double));
    work->laws =
        slip_arena_array(&work->arena, system->varying_laws ? system->contact_count : 1, sizeof *work->laws);
    work->gap_rows = slip_arena_array(&work->arena, n * system->contact_count + 1, sizeof(double));
    work->tangent = slip_arena_array(&work->arena, n, sizeof(double));
    work->along = slip_arena_array(&work->arena, slots, sizeof(double));
    work->drift = slip_arena_array(&work->arena, slots + n, sizeof(double));
    work->field = slip_arena_array(&work->arena, slip_system_size(system) - n, sizeof *work->field);
    work->load_time = NAN;
    work->inverse_mass = system->inverse_mass;
    work->mass_structure = system->mass_structure;
    if (system->varying_mass && !make_place(system, work)) {
        slip_workspace_destroy(work);
        return slip_fail_memory(ctx);
    }
    int64_t most = 2 * system->contact_count + 3 * system->patch_count + 1;
    work->rows = slip_arena_array(&work->arena, most * n, sizeof(double));
    work->responses = slip_arena_array(&work->arena, most * n, sizeof(double));
    work->gram = slip_arena_array(&work->arena, most * most, sizeof(double));
    work->multipliers = slip_arena_array(&work->arena, 2 * most, sizeof(double));
    work->constraints = slip_arena_array(&work->arena, 2 * most, sizeof(int));
    work->pivots = work->constraints + most;
    work->scales = slip_arena_array(&work->arena, most, sizeof(double));
    work->kept = slip_arena_array(&work->arena, most, sizeof *work->kept);
    if (!work->scales || !work->kept || !work->slots || !work->scratch || !work->force || !work->gradient ||
        !work->matrix || !work->contacts || !work->loads || !work->memory || !work->rows ||
        !work->responses || !work->gram || !work->multipliers || !work->constraints || !work->patches ||
        !work->patch_rows || !work->patch_friction || !work->patch_gradients || !work->patch_mu ||
        !work->laws || !work->field || !work->gap_rows || !work->tangent || !work->along || !work->drift ||
        !slip_share_create(ctx, system, work)) {
        slip_workspace_destroy(work);
        return slip_fail_memory(ctx);
    }
    for (int64_t c = 0; c < system->contact_count; c++) {
        if (system->contacts[c].patch)
            work->patch_mu[system->contacts[c].patch->index] = system->contacts[c].patch->mu;
        if (system->varying_laws)
            work->laws[c] = system->contacts[c].law;
    }
    if (system->structure->open) {
        const int status = system->structure->open(ctx, system, work);
        if (status < 0) {
            slip_workspace_destroy(work);
            return status;
        }
        work->structure = system->structure;
    }
    *result = work;
    return SLIP_OK;
}

void slip_workspace_destroy(slip_workspace *work)
{
    if (!work)
        return;
    if (work->structure)
        work->structure->close(work);
    slip_arena_free(&work->arena);
    free(work);
}

/* The functions below run in the innermost loop of every method. They are compiled once for one and once for
 * two coordinates, with n known, and once for any number: on such small systems loops of unknown length cost
 * more than the arithmetic in them. */

SLIP_INLINE void contact_force(const slip_law_kernel *law, const slip_branch *branch,
                               slip_contact_state *state)
{
    double force, slope;
    if (branch && branch->chart >= 0) {
        law->type->chart(law, branch->chart, branch->s, &force, &slope);
        force += law->law.viscous * state->slip;
        state->force_slope = -state->normal * law->law.viscous;
        state->chart_slope = -state->normal * slope;
    } else {
        int piece = branch && branch->piece >= 0 ? branch->piece
                    : law->break_count == 0      ? 0
                                                 : slip_law_piece(law, state->slip);
        slip_law_force(law, piece, state->slip, &force, &slope);
        state->force_slope = -state->normal * slope;
        state->chart_slope = 0;
    }
    state->force = -state->normal * force;
}

SLIP_INLINE void add_contact(const int n, const slip_system *system, slip_workspace *work,
                             const slip_contact *contact, const slip_branch *branch,
                             slip_contact_state *state, const double *v, double *force)
{
    const double *row = contact->slip.row;
    if (!contact->creep.balance)
        state->slip = slip_form_velocity(n, work, &contact->slip, v);
    state->hold = 0;
    if (contact->has_gap) {
        state->normal = state->force = 0; /* those of a closed contact come with the constraints */
        if (contact->state_count > 0)
            slip_system_remember(system, work, contact, branch, state, v, force);
        return;
    }
    if (contact->of_structure)
        return;
    state->normal = contact->normal_constant;
    if (contact->normal_force)
        state->normal = slip_expression_value(contact->normal_force, work->slots, work->scratch);
    if (contact->creep.balance) {
        state->slip = slip_system_creep(system, work, contact, state->normal, v);
        force[contact->creep.state] += contact->creep.factor * state->slip;
    }
    if (branch && branch->mode == SLIP_MODE_STICK && branch->chart < 0) {
        state->force = state->force_slope = state->chart_slope = 0; /* likewise */
        return;
    }
    if (contact->state_count > 0)
        slip_system_remember(system, work, contact, branch, state, v, force);
    else
        contact_force(slip_contact_law(system, work, (int)(contact - system->contacts)), branch, state);
    if (row && n > 2) {
        for (int k = 0; k < contact->slip.support_count; k++)
            force[contact->slip.support[k]] += row[contact->slip.support[k]] * state->force;
        return;
    }
    if (!row)
        row = work->gradient + slip_slot_velocity(n, 0);
    for (int i = 0; i < n; i++)
        force[i] += row[i] * state->force;
}

SLIP_INLINE void add_patch(const int n, const slip_system *system, slip_workspace *work, int c,
                           const slip_branch *branch, const double *v, double *force)
{
    const slip_contact *contact = &system->contacts[c];
    const slip_patch_form *patch = contact->patch;
    slip_contact_state *state = &work->contacts[c];
    slip_patch_state *own = &work->patches[patch->index];
    double T[3];
    slip_find_patch_slip(n, system, work, c, v, own->slip);
    state->slip = slip_patch_slip_size(patch, own->slip);
    state->normal = contact->has_gap ? 0 : contact->normal_constant;
    if (contact->normal_force)
        state->normal = slip_expression_value(contact->normal_force, work->slots, work->scratch);
    memset(own->force, 0,
           sizeof own->force); /* those of stick and of a closed gap come with the constraints */
    state->force = 0;
    state->asleep = true;
    if (branch && ((branch->mode == SLIP_MODE_STICK && patch->set_valued) ||
                   (branch->mode == SLIP_MODE_OPEN && contact->has_gap)))
        return;
    if (contact->state_count > 0)
        slip_system_remember_plane(system, work, contact, branch, v, force);
    else
        slip_patch_evaluate(patch->law, branch && branch->direction ? branch->direction : own->slip, T, NULL);
    const double mu = work->patch_mu[patch->index];
    for (int part = 0; part < 3; part++) {
        const double *row =
            patch->slip[part].row ? patch->slip[part].row : slip_varying_row(system, work, c, part);
        if (contact->state_count == 0) {
            work->patch_friction[3 * patch->index + part] = -mu * T[part];
            own->force[part] = -mu * state->normal * T[part];
        }
        for (int i = 0; i < n; i++)
            force[i] += row[i] * own->force[part];
    }
}

static double load_at(const slip_force_term *term, const slip_workspace *work)
{
    switch (term->form) {
    case SLIP_LOAD_COSINE:
        return term->amplitude * cos(term->frequency * work->slots[0]);
    case SLIP_LOAD_SINE:
        return term->amplitude * sin(term->frequency * work->slots[0]);
    default:
        return slip_expression_value(term->expression, work->slots, work->scratch);
    }
}

/* Loads that depend on time only are kept: the stages of a step meet the same time more than once. */
SLIP_INLINE void fill_loads(const slip_system *system, slip_workspace *work, double t)
{
    double *loads = work->loads;
    work->load_time = work->slots[0] = t;
    loads[0] = 0; /* for one coordinate the loop, which would become a call, is left out */
    for (int i = 1; i < system->n; i++)
        loads[i] = 0;
    for (const slip_force_term *term = system->forces, *end = term + system->force_count; term < end; term++)
        if (term->time_only)
            loads[term->coordinate] += load_at(term, work);
}

static __attribute__((noinline)) void refresh_loads(const slip_system *system, slip_workspace *work, double t)
{
    fill_loads(system, work, t);
}

/* `all`: with those of the structure's energies. */
static __attribute__((noinline)) bool add_state_loads(const slip_system *system, slip_workspace *work,
                                                      bool all, double t, const double *q, const double *v,
                                                      double *force)
{
    if (system->force_function) {
        memset(work->matrix, 0, (size_t)system->n * sizeof(double));
        if (system->force_function(system->force_user, t, q, v, work->matrix, NULL, NULL) < 0)
            return false;
        for (int i = 0; i < system->n; i++)
            force[i] += work->matrix[i];
    }
    if (all && system->structure->push)
        system->structure->push(system, work, t, q, v, force);
    for (int64_t k = 0; k < system->force_count; k++)
        if (!system->forces[k].time_only && (all || !system->forces[k].structural))
            slip_force_add(&system->forces[k], system->n,
                           slip_expression_value(system->forces[k].expression, work->slots, work->scratch),
                           force);
    return true;
}

/* a = M^-1 (force - K q - C v) by the entries that are not zero. */
static bool divide_sparse(const slip_sparse_rows *rows, int n, const double *force, const double *q,
                          const double *v, double *a)
{
    double zero = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        int k = rows->start[3 * i];
        for (; k < rows->start[3 * i + 1]; k++)
            sum += rows->value[k] * force[rows->column[k]];
        for (; k < rows->start[3 * i + 2]; k++)
            sum -= rows->value[k] * q[rows->column[k]];
        for (; k < rows->start[3 * i + 3]; k++)
            sum -= rows->value[k] * v[rows->column[k]];
        a[i] = sum;
        zero += sum * 0; /* anything that is not finite makes this not a number */
    }
    return zero == 0;
}

static bool divide_structure(const slip_system *system, slip_workspace *work, const double *force,
                             const double *q, const double *v, double *a)
{
    double zero = 0;
    system->structure->divide(system, work, force, q, v, a);
    for (int i = 0; i < system->n; i++)
        zero += a[i] * 0;
    return zero == 0;
}

SLIP_INLINE bool accelerate(const int n, const slip_system *system, slip_workspace *work,
                            const slip_branch *branches, double t, const double *q, const double *v,
                            double *a)
{
    double zero = 0, few[2], *force = n <= 2 ? few : work->force;
    work->evaluations++;
    if (t != work->load_time)
        refresh_loads(system, work, t);
    if (system->reads_state)
        slip_fill_slots(n, work, t, q, v);
    else
        work->slots[0] = t; /* a gap may have been looked at in the meantime */
    if (system->varying_laws && !slip_system_retune(system, work))
        return false;
    for (int i = 0; i < n; i++)
        force[i] = work->loads[i];
    if (system->state_loads && !add_state_loads(system, work, true, t, q, v, force))
        return false;
    for (int64_t c = 0; c < system->contact_count; c++)
        if (system->contacts[c].patch)
            add_patch(n, system, work, (int)c, branches ? &branches[c] : NULL, v, force);
        else
            add_contact(n, system, work, &system->contacts[c], branches ? &branches[c] : NULL,
                        &work->contacts[c], v, force);
    if (n > 2 && system->sparse.start)
        return divide_sparse(&system->sparse, n, force, q, v, a);
    if (n > 2 && system->structure->divide)
        return divide_structure(system, work, force, q, v, a);
    for (int i = 0; i < n; i++) {
        const double *inverse = work->inverse_mass + i * n, *structure = work->mass_structure + i * 2 * n;
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += inverse[j] * force[j] - (structure[j] * q[j] + structure[n + j] * v[j]);
        a[i] = sum;
        zero += sum * 0; /* anything that is not finite makes this not a number */
    }
    return zero == 0;
}

static bool accelerate_one(const slip_system *system, slip_workspace *work, const slip_branch *branches,
                           double t, const double *q, const double *v, double *a)
{
    return accelerate(1, system, work, branches, t, q, v, a);
}

static bool accelerate_two(const slip_system *system, slip_workspace *work, const slip_branch *branches,
                           double t, const double *q, const double *v, double *a)
{
    return accelerate(2, system, work, branches, t, q, v, a);
}

static bool accelerate_any(const slip_system *system, slip_workspace *work, const slip_branch *branches,
                           double t, const double *q, const double *v, double *a)
{
    return accelerate(system->n, system, work, branches, t, q, v, a);
}

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

static bool accelerate_varying(const slip_system *system, slip_workspace *work, const slip_branch *branches,
                               double t, const double *q, const double *v, double *a)
{
    slip_system_place(system, work, t, q);
    return accelerate(system->n, system, work, branches, t, q, v, a);
}

slip_acceleration_function slip_system_kernel(int n, bool varying_mass)
{
    if (varying_mass)
        return accelerate_varying;
    return n == 1 ? accelerate_one : n == 2 ? accelerate_two : accelerate_any;
}

static __attribute__((noinline)) bool loads_with_state(const slip_system *system, slip_workspace *work,
                                                       bool all, double t, const double *q, const double *v,
                                                       double *force)
{
    slip_fill_slots(system->n, work, t, q, v);
    return add_state_loads(system, work, all, t, q, v, force);
}

const double *slip_system_time_loads(const slip_system *system, slip_workspace *work, double t)
{
    work->evaluations++;
    if (t != work->load_time)
        fill_loads(system, work, t);
    return work->loads;
}

bool slip_system_loads(const slip_system *system, slip_workspace *work, double t, const double *q,
                       const double *v, double *force)
{
    memcpy(force, slip_system_time_loads(system, work, t), (size_t)system->n * sizeof(double));
    return !system->state_loads || loads_with_state(system, work, true, t, q, v, force);
}

bool slip_system_given_loads(const slip_system *system, slip_workspace *work, double t, const double *q,
                             const double *v, double *force)
{
    memcpy(force, slip_system_time_loads(system, work, t), (size_t)system->n * sizeof(double));
    return !system->state_loads || loads_with_state(system, work, false, t, q, v, force);
}

double slip_system_normal_force(const slip_system *system, slip_workspace *work, int c, double t,
                                const double *q, const double *v)
{
    const slip_contact *contact = &system->contacts[c];
    if (contact->of_structure) {
        system->structure->push(system, work, t, q, v, work->force);
        return work->contacts[c].normal;
    }
    if (!contact->normal_force)
        return contact->normal_constant;
    slip_fill_slots(system->n, work, t, q, v);
    return slip_expression_value(contact->normal_force, work->slots, work->scratch);
}

/* y += factor * matrix x */
static void add_product(int n, double factor, const double *matrix, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            y[i] += factor * matrix[i * n + j] * x[j];
}

/* ---- Derivatives. Forces first: f_q and f_v (n x n), f_t (n) are summed up, then divided by the mass. */

typedef struct force_derivatives {
    double *f_q, *f_v, *f_t;
} force_derivatives;

static void add_gradient(int n, const double *gradient, double factor, int coordinate, force_derivatives *to)
{
    to->f_t[coordinate] += factor * gradient[0];
    for (int j = 0; j < n; j++) {
        to->f_q[coordinate * n + j] += factor * gradient[slip_slot_coordinate(j)];
        to->f_v[coordinate * n + j] += factor * gradient[slip_slot_velocity(n, j)];
    }
}

/* Derivatives of a contact's slip velocity with respect to every slot. */
static void slip_gradient(const slip_system *system, slip_workspace *work, const slip_contact *contact,
                          const slip_contact_state *state, double *gradient)
{
    const slip_slip_form *form = &contact->slip;
    const int n = system->n, slots = 1 + 2 * n;
    if (contact->creep.balance) {
        slip_system_creep_gradient(system, work, contact, state, gradient);
        return;
    }
    memset(gradient, 0, (size_t)slots * sizeof(double));
    if (form->rest)
        slip_expression_gradient(form->rest, work->slots, slots, gradient, work->scratch);
    for (int k = 0; k < form->support_count; k++)
        gradient[slip_slot_velocity(n, form->support[k])] += form->row[form->support[k]];
}

/* Derivative of the contact's force with respect to every slot; those of the rates of its states are added to
 * the force's. */
static void differentiate_friction(const slip_system *system, slip_workspace *work, int64_t c,
                                   double *of_force, force_derivatives *to)
{
    const slip_contact *contact = &system->contacts[c];
    const slip_contact_state *state = &work->contacts[c];
    int n = system->n, slots = 1 + 2 * n;
    double *gradient = work->gradient;
    /* At an infinite slope Newton's method is as well served by a steep one; any other may be as steep as it
     * is: rock at rest has slopes of 1e30 and more. */
    const double most = contact->law.type->chart ? 1e25 : 1e150;
    double force_slope = fmax(fmin(state->force_slope, most), -most);
    slip_gradient(system, work, contact, state, gradient);
    for (int j = 0; j < slots; j++)
        of_force[j] = force_slope * gradient[j];
    if (contact->creep.balance)
        add_gradient(n, gradient, contact->creep.factor, contact->creep.state, to);
    for (int k = 0; k < contact->state_count; k++) {
        const int at = contact->state + k;
        double of_state, rate_slip, rate_state;
        slip_system_remember_gradients(system, work, contact, state, k, &of_state, &rate_slip, &rate_state);
        of_force[slip_slot_velocity(n, at)] += of_state;
        add_gradient(n, gradient, rate_slip, at, to);
        to->f_v[at * n + at] += rate_state;
    }
    if (contact->normal_force && state->normal != 0) {
        slip_expression_gradient(contact->normal_force, work->slots, slots, gradient, work->scratch);
        for (int j = 0; j < slots; j++)
            of_force[j] += state->force / state->normal * gradient[j];
    }
    if (contact->varying_count > 0)
        slip_system_vary_gradients(system, work, (int)c, work->slots + slip_slot_velocity(n, 0), of_force,
                                   to->f_q, to->f_v, to->f_t);
}

static void differentiate_contact(const slip_system *system, slip_workspace *work, int64_t c,
                                  force_derivatives *to)
{
    const slip_slip_form *form = &system->contacts[c].slip;
    int n = system->n, slots = 1 + 2 * n;
    double *gradient = work->gradient, *of_force = work->gradient + slots;
    differentiate_friction(system, work, c, of_force, to);
    for (int k = 0; k < form->support_count; k++)
        add_gradient(n, of_force, form->row[form->support[k]], form->support[k], to);
    if (form->row)
        return;
    slip_expression_gradient(form->rest, work->slots, slots, gradient, work->scratch);
    for (int i = 0; i < form->coordinates; i++)
        add_gradient(n, of_force, gradient[slip_slot_velocity(n, i)], i, to);
}

static void differentiate_patch(const slip_system *system, slip_workspace *work, int c, force_derivatives *to)
{
    const slip_contact *contact = &system->contacts[c];
    int n = system->n;
    slip_system_patch_gradients(system, work, c);
    for (int k = 0; k < contact->state_count; k++)
        add_gradient(n, work->patch_gradients + (3 + k) * (1 + 2 * n), 1, contact->state + k, to);
    for (int part = 0; part < 3; part++) {
        const slip_slip_form *form = &system->contacts[c].patch->slip[part];
        const double *of_force = work->patch_gradients + part * (1 + 2 * n);
        for (int k = 0; k < form->support_count; k++)
            add_gradient(n, of_force, form->row[form->support[k]], form->support[k], to);
        for (int i = 0; !form->row && i < n; i++)
            add_gradient(n, of_force, slip_varying_row(system, work, c, part)[i], i, to);
    }
}

/* Derivatives of the user's force function: its own where it has them, else forward differences. */
static bool differentiate_function(const slip_system *system, slip_workspace *work, double t, const double *q,
                                   const double *v, force_derivatives *to)
{
    int n = system->n;
    double *base = work->matrix + 2 * n * n, *moved = base + n, *point = moved + n;
    double scale = sqrt(DBL_EPSILON);
    int known = system->force_function(system->force_user, t, q, v, base, to->f_q, to->f_v);
    for (int i = 0; i < n; i++)
        to->f_t[i] = 0;
    if (known < 0)
        return false;
    for (int which = known ? 2 : 0; which < 2; which++) {
        const double *centre = which == 0 ? q : v;
        double *into = which == 0 ? to->f_q : to->f_v;
        for (int j = 0; j < n; j++) {
            double step = scale * fmax(1, fabs(centre[j]));
            memcpy(point, centre, (size_t)n * sizeof(double));
            point[j] += step;
            step = point[j] - centre[j];
            if (system->force_function(system->force_user, t, which == 0 ? point : q, which == 0 ? v : point,
                                       moved, NULL, NULL) < 0)
                return false;
            for (int i = 0; i < n; i++)
                into[i * n + j] = (moved[i] - base[i]) / step;
        }
    }
    double step = scale * fmax(1, fabs(t));
    if (system->force_function(system->force_user, t + step, q, v, moved, NULL, NULL) < 0)
        return false;
    for (int i = 0; i < n; i++)
        to->f_t[i] = (moved[i] - base[i]) / step;
    return true;
}

static void divide_by_mass(int n, const double *inverse_mass, const double *forces, const double *structure,
                           double *result)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = -structure[i * 2 * n + j];
            for (int k = 0; k < n; k++)
                sum += inverse_mass[i * n + k] * forces[k * n + j];
            result[i * n + j] = sum;
        }
}

/* The same by a structure that needs no inverse, column by column; room: 2 n numbers. */
static void divide_columns(const slip_system *system, slip_workspace *work, const double *forces,
                           const double *structure, double *room, double *result)
{
    const int64_t n = system->n;
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < n; i++)
            room[i] = forces[i * n + j] - structure[i * n + j];
        slip_system_divide(system, work, room, room + n);
        for (int64_t i = 0; i < n; i++)
            result[i * n + j] = room[n + i];
    }
}

static bool varying_rows(const slip_system *system)
{
    for (int64_t c = 0; c < system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        if (!contact->slip.row)
            return true;
        for (int k = 0; contact->patch && k < 3; k++)
            if (!contact->patch->slip[k].row)
                return true;
    }
    return false;
}

/* Where the directions W themselves move with t and q: forward differences of the whole acceleration in
 * these. Not in the velocities: slip may be far slower than any sensible difference, and its law steep. */
static bool jacobian_by_differences(const slip_system *system, slip_workspace *work,
                                    const slip_branch *branches, double t, const double *q, const double *v,
                                    const double *a, double *a_q, double *a_t)
{
    int n = system->n;
    double *point = work->matrix, *moved = point + n, scale = sqrt(DBL_EPSILON), step;
    bool good = true;
    for (int j = 0; a_q && j < n; j++) {
        memcpy(point, q, (size_t)n * sizeof(double));
        point[j] += scale * fmax(1, fabs(q[j]));
        step = point[j] - q[j];
        good &= slip_system_acceleration(system, work, branches, t, point, v, moved);
        for (int i = 0; i < n; i++)
            a_q[i * n + j] = (moved[i] - a[i]) / step;
    }
    if (a_t) {
        step = scale * fmax(1, fabs(t));
        good &= slip_system_acceleration(system, work, branches, t + step, q, v, moved);
        for (int i = 0; i < n; i++)
            a_t[i] = (moved[i] - a[i]) / step;
    }
    return good;
}

/* a_s of every contact, from the contact states of the last evaluation. */
static void chart_columns(const slip_system *system, slip_workspace *work, double *a_s)
{
    int n = system->n;
    for (int64_t c = 0; c < system->contact_count; c++) {
        const slip_slip_form *form = &system->contacts[c].slip;
        double slope = work->contacts[c].chart_slope;
        const double *row = form->row;
        memset(a_s + c * n, 0, (size_t)n * sizeof(double));
        if (slope == 0)
            continue;
        if (!row) {
            slip_form_velocity(n, work, form, work->slots + slip_slot_velocity(n, 0));
            row = work->gradient + slip_slot_velocity(n, 0);
        }
        slip_system_fill(system, work);
        add_product(n, slope, work->inverse_mass, row, a_s + c * n);
    }
}

bool slip_system_differentiate(const slip_system *system, slip_workspace *work, double t, const double *q,
                               const double *v, const double *a)
{
    const int n = system->n;
    force_derivatives to = {work->matrix, work->matrix + n * n, work->matrix + 2 * n * n + 3 * n};
    memset(work->matrix, 0, (size_t)(2 * n * n + 4 * n) * sizeof(double));
    if (system->force_function && !differentiate_function(system, work, t, q, v, &to))
        return false;
    slip_fill_slots(n, work, t, q, v);
    for (int64_t k = 0; k < system->force_count; k++) {
        const slip_force_term *term = &system->forces[k];
        slip_expression_gradient(term->expression, work->slots, 1 + 2 * n, work->gradient, work->scratch);
        for (int i = slip_force_first(term); i < slip_force_end(term, n); i++)
            add_gradient(n, work->gradient, slip_force_part(term, i), i, &to);
    }
    for (int64_t c = 0; c < system->contact_count; c++)
        if (system->contacts[c].patch)
            differentiate_patch(system, work, (int)c, &to);
        else
            differentiate_contact(system, work, c, &to);
    if (system->structure->differentiate)
        system->structure->differentiate(system, work, t, q, v, a, to.f_q, to.f_v, to.f_t);
    return true;
}

void slip_system_friction_gradient(const slip_system *system, slip_workspace *work, int c, int part,
                                   double *gradient)
{
    const int n = system->n, slots = 1 + 2 * n;
    force_derivatives scratch = {work->matrix, work->matrix + n * n, work->matrix + 2 * n * n + 3 * n};
    if (system->contacts[c].patch) {
        slip_system_patch_gradients(system, work, c);
        memcpy(gradient, work->patch_gradients + part * slots, (size_t)slots * sizeof(double));
    } else {
        differentiate_friction(system, work, c, gradient, &scratch);
    }
}

bool slip_system_jacobian(const slip_system *system, slip_workspace *work, const slip_branch *branches,
                          double t, const double *q, const double *v, double *a, double *a_q, double *a_v,
                          double *a_t, double *a_s)
{
    int n = system->n;
    force_derivatives to = {work->matrix, work->matrix + n * n, work->matrix + 2 * n * n + 3 * n};
    if (!slip_system_acceleration(system, work, branches, t, q, v, a))
        return false;
    if (a_s)
        chart_columns(system, work, a_s);
    slip_fill_slots(n, work, t, q, v);
    if (varying_rows(system)) {
        if (!jacobian_by_differences(system, work, branches, t, q, v, a, a_q, a_t) ||
            !slip_system_acceleration(system, work, branches, t, q, v, a))
            return false;
        slip_fill_slots(n, work, t, q, v);
        a_q = a_t = NULL;
    }
    if (branches && system->pressed_patches) { /* the normal forces that turn with the slip */
        memcpy(work->matrix, a, (size_t)n * sizeof(double));
        slip_system_constrain(system, work, branches, t, q, v, work->matrix);
        slip_fill_slots(n, work, t, q, v);
    }
    if (!slip_system_differentiate(system, work, t, q, v, a))
        return false;
    double *room = work->matrix + 2 * n * n; /* of which f_t is the last quarter */
    if (a_q && system->structure->divide)
        divide_columns(system, work, to.f_q, system->stiffness, room, a_q);
    else if (a_q)
        divide_by_mass(n, work->inverse_mass, to.f_q, work->mass_structure, a_q);
    if (a_v && system->structure->divide)
        divide_columns(system, work, to.f_v, system->damping, room, a_v);
    else if (a_v)
        divide_by_mass(n, work->inverse_mass, to.f_v, work->mass_structure + n, a_v);
    if (a_t) {
        slip_system_fill(system, work);
        memset(a_t, 0, (size_t)n * sizeof(double));
        add_product(n, 1, work->inverse_mass, to.f_t, a_t);
    }
    return true;
}

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

/* ---- What went wrong. */

static bool blame(const slip_expression *expression, slip_workspace *work, char *reason, size_t size)
{
    if (!expression || isfinite(slip_expression_value(expression, work->slots, work->scratch)))
        return false;
    slip_expression_diagnose(expression, work->slots, work->scratch, reason, size);
    return true;
}

int slip_system_diagnose(slip_context *ctx, const slip_system *system, slip_workspace *work, double t,
                         const double *q, const double *v)
{
    char reason[300];
    for (int i = 0; i < system->n; i++)
        if (!isfinite(q[i]) || !isfinite(v[i]) || fabs(q[i]) > 1e150 || fabs(v[i]) > 1e150)
            return slip_fail(ctx, SLIP_ERROR_SOLVER,
                             "at t = %.9g the motion of `%s` grew without bound (%s = %g, %s' = %g); is the "
                             "model unstable?",
                             t, system->names[i], system->names[i], q[i], system->names[i], v[i]);
    slip_fill_slots(system->n, work, t, q, v);
    if (system->structure->diagnose && system->structure->diagnose(ctx, system, work, t, q) < 0)
        return SLIP_ERROR_SOLVER;
    for (int64_t k = 0; k < system->force_count; k++)
        if (blame(system->forces[k].expression, work, reason, sizeof reason))
            return slip_fail(ctx, SLIP_ERROR_SOLVER,
                             "at t = %.9g the force on `%s`, `%s`, is not defined: %s", t,
                             system->names[system->forces[k].coordinate],
                             slip_expression_text(system->forces[k].expression), reason);
    for (int64_t c = 0; c < system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        for (int k = 0; contact->patch && k < 3; k++)
            if (blame(contact->patch->slip[k].rest, work, reason, sizeof reason))
                return slip_fail(ctx, SLIP_ERROR_SOLVER,
                                 "at t = %.9g the slip of contact `%s`, `%s`, is not defined: %s", t,
                                 contact->name, slip_expression_text(contact->patch->slip[k].rest), reason);
        if (blame(contact->slip.rest, work, reason, sizeof reason))
            return slip_fail(ctx, SLIP_ERROR_SOLVER,
                             "at t = %.9g the slip of contact `%s`, `%s`, is not defined: %s", t,
                             contact->name, slip_expression_text(contact->slip.rest), reason);
        if (blame(contact->creep.balance, work, reason, sizeof reason))
            return slip_fail(ctx, SLIP_ERROR_SOLVER,
                             "at t = %.9g the force on the coordinate without mass of contact `%s` is not "
                             "defined: %s",
                             t, contact->name, reason);
        if (contact->creep.balance && isnan(slip_system_slip(system, work, (int)c, t, q, v)))
            return slip_fail(ctx, SLIP_ERROR_SOLVER,
                             "at t = %.9g no slip velocity of contact `%s` balances the force on its "
                             "coordinate, which has no mass: its law `%s` does not give way enough; add a "
                             "damper or a mass",
                             t, contact->name, contact->law.type->info.name);
        if (blame(contact->normal_force, work, reason, sizeof reason))
            return slip_fail(ctx, SLIP_ERROR_SOLVER,
                             "at t = %.9g the normal force of contact `%s`, `%s`, is not defined: %s", t,
                             contact->name, slip_expression_text(contact->normal_force), reason);
    }
    if (slip_system_diagnose_laws(ctx, system, work, t) < 0)
        return SLIP_ERROR_SOLVER;
    return slip_fail(ctx, SLIP_ERROR_SOLVER, "at t = %.9g the acceleration is not finite%s", t,
                     system->force_function ? "; the force function or a law function gave no finite number"
                                            : "");
}

bool slip_system_damped(const slip_system *system)
{
    for (int64_t i = 0; i < (int64_t)system->n * system->n; i++)
        if (system->damping[i] != 0)
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
