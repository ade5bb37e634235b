#include "system/vibration/linearise.h"

#include "system/evaluate.h"
#include "system/friction/friction.h"

#include <math.h>
#include <string.h>

typedef struct job {
    const slip_system *system;
    slip_workspace *work;
    const slip_linear_point *at;
    slip_linear_motion *to;
    slip_contact_state *forces; /* of the contacts, those of constraints included */
} job;

static bool moves(const slip_slip_form *form)
{
    return form->rest || form->support_count > 0;
}

static bool slides(const slip_contact *contact, const slip_branch *branch)
{
    return !contact->frictionless && branch->mode != SLIP_MODE_STICK && branch->mode != SLIP_MODE_OPEN;
}

void slip_system_slip_gradient(const slip_system *system, slip_workspace *work, const slip_slip_form *form,
                               double *gradient)
{
    const int n = system->n;
    memset(gradient, 0, sizeof(double) * 2 * (size_t)n);
    if (form->rest) {
        slip_expression_gradient(form->rest, work->slots, 1 + 2 * n, work->gradient, work->scratch);
        memcpy(gradient, work->gradient + 1, sizeof(double) * 2 * (size_t)n);
    }
    for (int k = 0; k < form->support_count; k++)
        gradient[n + form->support[k]] += form->row[form->support[k]];
}

/* The row along which the force acts: the coefficients of the velocities of coordinates. */
static void force_row(const job *j, const slip_slip_form *form, const double *gradient, double *row)
{
    const int n = j->system->n;
    memset(row, 0, sizeof(double) * (size_t)n);
    if (form->row)
        memcpy(row, form->row, sizeof(double) * (size_t)n);
    else
        memcpy(row, gradient + n, sizeof(double) * (size_t)form->coordinates);
}

/* ---- Forces that turn with their directions: K -= force d(row)/dq, exactly. */

static void turn_forces(const job *j)
{
    for (int c = 0; c < (int)j->system->contact_count; c++) {
        const slip_contact *contact = &j->system->contacts[c];
        const slip_contact_state *state = &j->forces[c];
        if (contact->has_gap && !contact->gap.row)
            slip_system_add_turning(j->system, j->work, contact->gap.rest, slip_slot_coordinate(0),
                                    -state->normal, j->to->stiffness, NULL);
        for (int part = 0; part < contact->dimension; part++) {
            const slip_slip_form *form = &contact->slips[part];
            const double force = contact->friction->forces(contact, state, j->work->patches)[part];
            if (!form->row && !contact->frictionless)
                slip_system_add_turning(j->system, j->work, form->rest, slip_slot_velocity(j->system->n, 0),
                                        -force, j->to->stiffness, NULL);
        }
    }
}

/* ---- What is held. */

static int add_constraint(const job *j, int contact, int of_friction, const double *row, const double *rate,
                          const double *column, double load)
{
    slip_linear_motion *to = j->to;
    const size_t n = (size_t)to->n, k = (size_t)to->count++;
    to->contact[k] = contact;
    to->of_friction[k] = of_friction;
    to->of_place[k] = true;
    memcpy(to->rows + k * n, row, sizeof(double) * n);
    memcpy(to->columns + k * n, column, sizeof(double) * n);
    for (size_t i = 0; i < n; i++) {
        to->rates[k * n + i] = rate ? rate[i] : 0;
        to->of_place[k] =
            to->of_place[k] && to->rates[k * n + i] == 0 && ((int)i < to->coordinates || row[i] == 0);
    }
    to->load[k] = load;
    return (int)k;
}

/* The directions of one contact: its gap where it is closed, with the friction that its normal force brings,
 * and its slips, held or not. */
static void add_contact(const job *j, int c, double *room)
{
    const int n = j->system->n;
    const slip_contact *contact = &j->system->contacts[c];
    const slip_branch *branch = &j->at->branches[c];
    const slip_contact_state *state = &j->forces[c];
    const bool closed = slip_contact_closed(contact, branch->mode);
    slip_linear_motion *to = j->to;
    int normal = -1;
    double *gap = room, *column = room + n;
    if (closed) {
        memcpy(gap, slip_system_gap_row(j->system, j->work, c, j->at->t, j->at->q),
               sizeof(double) * (size_t)n);
        slip_fill_slots(n, j->work, j->at->t, j->at->q, j->at->v);
        memcpy(column, gap, sizeof(double) * (size_t)n);
        normal = to->count;
    }
    const int first = to->friction_count;
    if (!contact->frictionless && (closed || !contact->has_gap))
        for (int part = 0; part < contact->dimension; part++) {
            const slip_slip_form *form = &contact->slips[part];
            slip_linear_friction *f = &to->friction[to->friction_count];
            if (!moves(form))
                continue;
            to->friction_count++;
            f->contact = c;
            f->part = part;
            f->normal = f->held = -1;
            slip_system_slip_gradient(j->system, j->work, form, f->slip);
            force_row(j, form, f->slip, f->row);
            if (!slides(contact, branch))
                continue;
            double *own = j->work->along; /* 1 + 2 n numbers */
            slip_system_friction_gradient(j->system, j->work, c, part, own);
            memcpy(f->gradient, own + 1, sizeof(double) * 2 * (size_t)n);
            if (!closed)
                continue;
            f->ratio = contact->friction->ratio(j->system, j->work, c, part, branch, state);
            f->normal = normal;
            for (int i = 0; i < n; i++)
                column[i] += f->ratio * f->row[i];
        }
    if (closed)
        add_constraint(j, c, -1, gap, NULL, column, state->normal);
    for (int k = first; k < to->friction_count && branch->mode == SLIP_MODE_STICK; k++) {
        slip_linear_friction *f = &to->friction[k];
        f->held =
            add_constraint(j, c, k, f->slip + n, f->slip, f->row, contact->dimension > 1 ? 0 : state->force);
    }
}

/* ---- All of it. */

static bool allocate(slip_linear_motion *to, const slip_system *system)
{
    const int64_t n = system->n, most = 2 * system->contact_count + 3 * system->patch_count + 1;
    slip_arena *arena = &to->arena;
    to->n = system->n;
    to->coordinates = slip_system_coordinates(system);
    to->mass = slip_arena_array(arena, n * n, sizeof(double));
    to->damping = slip_arena_array(arena, n * n, sizeof(double));
    to->stiffness = slip_arena_array(arena, n * n, sizeof(double));
    to->rows = slip_arena_array(arena, most * n, sizeof(double));
    to->rates = slip_arena_array(arena, most * n, sizeof(double));
    to->columns = slip_arena_array(arena, most * n, sizeof(double));
    to->load = slip_arena_array(arena, most, sizeof(double));
    to->of_place = slip_arena_array(arena, most, sizeof *to->of_place);
    to->contact = slip_arena_array(arena, most, sizeof *to->contact);
    to->of_friction = slip_arena_array(arena, most, sizeof *to->of_friction);
    to->acceleration = slip_arena_array(arena, n, sizeof(double));
    to->friction = slip_arena_array(arena, most, sizeof *to->friction);
    if (!to->mass || !to->damping || !to->stiffness || !to->rows || !to->rates || !to->columns || !to->load ||
        !to->of_place || !to->contact || !to->of_friction || !to->acceleration || !to->friction)
        return false;
    for (int64_t k = 0; k < most; k++) {
        double *numbers = slip_arena_array(arena, 5 * n, sizeof(double));
        if (!numbers)
            return false;
        to->friction[k].row = numbers;
        to->friction[k].slip = numbers + n;
        to->friction[k].gradient = numbers + 3 * n;
    }
    return true;
}

/* Sets the slope of the law for slipping contacts with a gap, which slip_system_constrain does not compute;
 * sticking contacts have none. */
static void prepare_contacts(const job *j)
{
    for (int c = 0; c < (int)j->system->contact_count; c++) {
        const slip_contact *contact = &j->system->contacts[c];
        const slip_branch *branch = &j->at->branches[c];
        slip_contact_state *state = &j->work->contacts[c];
        double force, slope;
        if (branch->mode == SLIP_MODE_STICK) {
            state->force = state->force_slope = state->normal = 0;
        } else if (contact->has_gap && contact->dimension == 1 && slides(contact, branch)) {
            const slip_law_kernel *law = slip_contact_law(j->system, j->work, c);
            if (contact->state_count > 0) {
                slip_system_remember(j->system, j->work, contact, branch, state, j->at->v, j->work->force);
                continue;
            }
            slip_law_force(law, branch->piece >= 0 ? branch->piece : slip_law_piece(law, state->slip),
                           state->slip, &force, &slope);
            state->force_slope = -state->normal * slope;
        }
    }
}

/* Those that are given. */
static void take_forces(const job *j)
{
    const slip_linear_point *at = j->at;
    memcpy(j->to->acceleration, at->acceleration, sizeof(double) * (size_t)j->system->n);
    for (int c = 0; c < (int)j->system->contact_count; c++) {
        j->work->contacts[c].normal = at->normal[c];
        j->work->contacts[c].force = at->force[c];
    }
    memcpy(j->work->patches, at->patches, sizeof *at->patches * (size_t)j->system->patch_count);
}

/* C and K including loads and contacts; the acceleration at the state and its scale. */
static bool fill_matrices(const job *j)
{
    const slip_system *system = j->system;
    const slip_linear_point *at = j->at;
    slip_linear_motion *to = j->to;
    const int n = system->n;
    double *a = to->acceleration;
    if (!slip_system_acceleration(system, j->work, at->branches, at->t, at->q, at->v, a))
        return false;
    if (at->acceleration)
        take_forces(j);
    else if (!slip_system_constrain(system, j->work, at->branches, at->t, at->q, at->v, a))
        return false;
    memcpy(j->forces, j->work->contacts, (size_t)system->contact_count * sizeof *j->forces);
    prepare_contacts(j);
    slip_fill_slots(n, j->work, at->t, at->q, at->v);
    if (!slip_system_differentiate(system, j->work, at->t, at->q, at->v, a))
        return false;
    slip_system_fill(system, j->work);
    for (int k = 0; k < n * n; k++) {
        to->mass[k] = system->varying_mass ? j->work->mass[k] : system->mass[k];
        to->stiffness[k] = system->stiffness[k] - j->work->matrix[k];
        to->damping[k] = system->damping[k] - j->work->matrix[n * n + k];
        to->scale = fmax(to->scale, fabs(to->stiffness[k] * at->q[k % n]));
    }
    return true;
}

int slip_system_linearise(slip_context *ctx, const slip_system *system, slip_workspace *work,
                          const slip_linear_point *point, slip_linear_motion *to)
{
    job j = {system, work, point, to, NULL};
    double *room;
    SLIP_PASS(slip_allocated(
        ctx, allocate(to, system) &&
                 (j.forces = slip_arena_array(&to->arena, system->contact_count + 1, sizeof *j.forces)) &&
                 (room = slip_arena_array(&to->arena, 2 * (int64_t)system->n, sizeof(double)))));
    if (!fill_matrices(&j))
        return slip_system_diagnose(ctx, system, work, point->t, point->q, point->v);
    for (int c = 0; c < (int)system->contact_count; c++)
        add_contact(&j, c, room);
    turn_forces(&j);
    return SLIP_OK;
}
