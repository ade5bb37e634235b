/* Forces and acceleration. */
#include "system/evaluate.h"
#include "system/friction/friction.h"
#include "system/structure/structure.h"

#include <math.h>
#include <string.h>

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
        state->normal = state->force = 0; /* forces of a closed contact are set by slip_system_constrain */
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

/* Loads that depend on time only are stored: several stages of a step have the same time. */
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

/* Adds loads that depend on the state; all: including forces of the structure's energies. */
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

/* a = M^-1 (force - K q - C v) with sparse rows. */
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
        work->slots[0] = t; /* a gap may have been evaluated in the meantime */
    if (system->varying_laws && !slip_system_retune(system, work))
        return false;
    for (int i = 0; i < n; i++)
        force[i] = work->loads[i];
    if (system->state_loads && !add_state_loads(system, work, true, t, q, v, force))
        return false;
    for (int64_t c = 0; c < system->contact_count; c++)
        if (system->contacts[c].friction->evaluate)
            system->contacts[c].friction->evaluate(system, work, (int)c, branches ? &branches[c] : NULL, v,
                                                   force);
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
