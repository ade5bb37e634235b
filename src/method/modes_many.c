/* Modes of more contacts than can be searched: the complementarity problem of one instant, by Lemke's method.
 */
#include "method/modes_types.h"

#include <math.h>
#include <string.h>

bool slip_modes_create_problem(slip_modes *m)
{
    complementarity *problem = slip_arena_array(&m->arena, 1, sizeof *problem);
    int64_t rows = 2 * (int64_t)m->count, n = m->system->n;
    if (!problem)
        return false;
    problem->contact = slip_arena_array(&m->arena, rows, sizeof(int));
    problem->rows = slip_arena_array(&m->arena, rows, sizeof(slip_block));
    problem->states = slip_arena_array(&m->arena, rows, sizeof(slip_block_state));
    problem->directions = slip_arena_array(&m->arena, 2 * rows * n, sizeof(double));
    problem->gram = slip_arena_array(&m->arena, rows * rows, sizeof(double));
    problem->initial = slip_arena_array(&m->arena, 4 * rows, sizeof(double));
    if (!problem->contact || !problem->rows || !problem->states || !problem->directions || !problem->gram ||
        !problem->initial || !slip_contact_memory_create(&m->arena, (int)rows, false, &problem->memory))
        return false;
    problem->responses = problem->directions + rows * n;
    problem->p = problem->initial + rows;
    problem->y = problem->initial + 2 * rows;
    problem->exact = problem->initial + 3 * rows;
    m->problem = problem;
    return true;
}

/* ---- The problem. */

static void add_row(slip_modes *m, int c, slip_block row, const double *direction, const double *column,
                    double rate)
{
    complementarity *problem = m->problem;
    const int n = m->system->n, k = problem->m++;
    problem->contact[k] = c;
    problem->rows[k] = row;
    problem->initial[k] = rate;
    memcpy(problem->directions + k * n, direction, (size_t)n * sizeof(double));
    slip_system_response(m->system, m->work, column, problem->responses + k * n);
}

/* Directions in which contacts may push or hold; their rates without any such force are those of m->a. */
static void add_contact(slip_modes *m, int c, double t, const double *q, const double *v,
                        const slip_standing *standing)
{
    const slip_contact *contact = &m->system->contacts[c];
    const int n = m->system->n;
    const slip_law_kernel *law = slip_contact_law(m->system, m->work, c);
    bool friction = !contact->frictionless && law->type->info.set_valued;
    int normal = -1;
    double load = 1;
    if (contact->has_gap) {
        double *column = m->q_ahead; /* not in use before the modes are known */
        if (!standing[c].touching)
            return;
        const double rate = slip_system_gap_curve(m->system, m->work, c, t, q, v, m->a);
        const double *gap_row = slip_system_gap_row(m->system, m->work, c, t, q);
        memcpy(column, gap_row, (size_t)n * sizeof(double));
        if (!contact->frictionless && !(friction && standing[c].resting)) {
            /* it slides: its normal force brings friction with it */
            double slip = slip_system_slip(m->system, m->work, c, t, q, v), force, slope;
            slip_law_force(law, slip_law_piece(law, slip), slip, &force, &slope);
            if (contact->state_count > 0)
                force = -m->work->contacts[c].ratio;
            slip_system_direction(m->system, m->work, c, t, q, v, m->v_ahead, m->a_free);
            for (int i = 0; i < n; i++)
                column[i] -= force * m->v_ahead[i];
        }
        normal = m->problem->m;
        add_row(m, c, (slip_block){.kind = SLIP_BLOCK_NORMAL, .normal = -1}, gap_row, column, rate);
    } else {
        load = slip_system_normal_force(m->system, m->work, c, t, q, v);
    }
    if (friction && standing[c].resting) {
        slip_block row = {.kind = SLIP_BLOCK_FRICTION,
                          .normal = normal,
                          .hold = load * slip_law_hold(law),
                          .slide = load * slip_modes_starting_friction(law)};
        double rate = slip_system_slip_rate(m->system, m->work, c, t, q, v, m->a);
        slip_system_direction(m->system, m->work, c, t, q, v, m->v_ahead, m->a_free);
        add_row(m, c, row, m->v_ahead, m->v_ahead, rate);
    }
}

/* What does not move is held, also with a force at its limit: others may hold it where it is. */
static slip_block_state state_of(const complementarity *problem, int k)
{
    double size = 0;
    for (int i = 0; i < problem->m; i++)
        size = fmax(size, fabs(problem->initial[i]));
    if (fabs(problem->y[k]) <= problem->rest * size)
        return SLIP_BLOCK_ZERO;
    if (problem->rows[k].kind == SLIP_BLOCK_NORMAL)
        return SLIP_BLOCK_OPEN;
    return problem->y[k] > 0 ? SLIP_BLOCK_PLUS : SLIP_BLOCK_MINUS;
}

static void take_states(slip_modes *m)
{
    const complementarity *problem = m->problem;
    for (int k = 0; k < problem->m; k++) {
        int c = problem->contact[k];
        const slip_contact *contact = &m->system->contacts[c];
        slip_block_state state = state_of(problem, k);
        bool rests = k + 1 < problem->m && problem->contact[k + 1] == c;
        if (problem->rows[k].kind == SLIP_BLOCK_NORMAL) {
            /* one that slides has its direction from before, one at rest gets it from the next row */
            if (state == SLIP_BLOCK_OPEN) {
                slip_modes_set(contact, &m->trial[c], SLIP_MODE_OPEN);
                k += rests;
            } else if (contact->frictionless) {
                slip_modes_set(contact, &m->trial[c], SLIP_MODE_CLOSED);
            } else if (!rests) {
                slip_modes_set(contact, &m->trial[c],
                               m->work->contacts[c].slip < 0 ? SLIP_MODE_SLIP_MINUS : SLIP_MODE_SLIP_PLUS);
            }
        } else {
            slip_modes_set(contact, &m->trial[c],
                           state == SLIP_BLOCK_ZERO   ? SLIP_MODE_STICK
                           : state == SLIP_BLOCK_PLUS ? SLIP_MODE_SLIP_PLUS
                                                      : SLIP_MODE_SLIP_MINUS);
        }
    }
}

/* Directions, rates without forces, and what forces do to them. */
static bool fill_problem(slip_modes *m, double t, const double *q, const double *v,
                         const slip_standing *standing)
{
    complementarity *problem = m->problem;
    const int n = m->system->n;
    problem->m = 0;
    /* Without the forces that are asked for. */
    for (int c = 0; c < m->count; c++) {
        const slip_contact *contact = &m->system->contacts[c];
        if (m->aside[c])
            continue;
        if (contact->has_gap)
            slip_modes_set(contact, &m->trial[c], SLIP_MODE_OPEN);
        else if (slip_modes_choose(contact) && standing[c].resting)
            slip_modes_set(contact, &m->trial[c], SLIP_MODE_STICK);
    }
    if (!slip_system_acceleration(m->system, m->work, m->trial, t, q, v, m->a))
        return false;
    for (int c = 0; c < m->count; c++)
        if (slip_modes_concerns(&m->system->contacts[c]) && !m->aside[c])
            add_contact(m, c, t, q, v, standing);
    for (int i = 0; i < problem->m; i++) {
        problem->exact[i] = problem->initial[i];
        for (int j = 0; j < problem->m; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += problem->directions[i * n + k] * problem->responses[j * n + k];
            problem->gram[i * problem->m + j] = sum;
        }
    }
    return true;
}

/* Rates that differ a little, each in its own way: no ties are left, and no two rows that depend on each
 * other can change places. */
static void disturb(complementarity *problem, int attempt)
{
    double size = 0;
    for (int i = 0; i < problem->m; i++)
        size = fmax(size, fabs(problem->exact[i]));
    problem->rest = attempt == 0 ? 1e-9 : 1e-5;
    for (int i = 0; i < problem->m; i++) {
        /* the multiples of the golden ratio are spread as evenly as can be */
        double share = fmod(0.6180339887498949 * (i + 1) * attempt, 1) - 0.5;
        problem->initial[i] = problem->exact[i] + (attempt == 0 ? 0 : 1e-7 * size * share);
        problem->p[i] = 0;
        problem->states[i] = SLIP_BLOCK_ZERO;
    }
}

bool slip_modes_complement(slip_modes *m, int attempt, double t, const double *q, const double *v,
                           const slip_standing *standing)
{
    complementarity *problem = m->problem;
    slip_contact_solution solution = {problem->p, problem->y, problem->states};
    if (!fill_problem(m, t, q, v, standing))
        return false;
    disturb(problem, attempt);
    slip_contact_problem all = {problem->m, problem->gram, problem->initial, problem->rows, 0};
    if (!slip_contact_pivot(&all, &solution, &problem->memory))
        slip_contact_solve(&all, &solution, &problem->memory);
    take_states(m);
    return true;
}
