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
    problem->rows = slip_arena_array(&m->arena, rows, sizeof(slip_pgs_row));
    problem->states = slip_arena_array(&m->arena, rows, sizeof(slip_pgs_state));
    problem->directions = slip_arena_array(&m->arena, 2 * rows * n, sizeof(double));
    problem->gram = slip_arena_array(&m->arena, rows * rows, sizeof(double));
    problem->initial = slip_arena_array(&m->arena, 4 * rows, sizeof(double));
    problem->reduced = slip_arena_array(&m->arena, rows * n, sizeof(double));
    problem->pivot = slip_arena_array(&m->arena, rows, sizeof(int));
    problem->memory.numbers = slip_arena_array(&m->arena, slip_pgs_numbers((int)rows), sizeof(double));
    problem->memory.indices = slip_arena_array(&m->arena, slip_pgs_indices((int)rows), sizeof(int));
    if (!problem->contact || !problem->rows || !problem->states || !problem->directions || !problem->gram ||
        !problem->initial || !problem->reduced || !problem->pivot || !problem->memory.numbers ||
        !problem->memory.indices)
        return false;
    problem->responses = problem->directions + rows * n;
    problem->p = problem->initial + rows;
    problem->y = problem->initial + 2 * rows;
    problem->move = problem->initial + 3 * rows;
    m->problem = problem;
    return true;
}

/* ---- The problem. */

static void add_row(slip_modes *m, int c, slip_pgs_row row, const double *direction, const double *column,
                    double rate)
{
    complementarity *problem = m->problem;
    const int n = m->system->n, k = problem->m++;
    problem->contact[k] = c;
    problem->rows[k] = row;
    problem->initial[k] = rate;
    memcpy(problem->directions + k * n, direction, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        problem->responses[k * n + i] = 0;
        for (int j = 0; j < n; j++)
            problem->responses[k * n + i] += m->system->inverse_mass[i * n + j] * column[j];
    }
}

/* Directions in which contacts may push or hold; their rates without any such force are those of m->a. */
static void add_contact(slip_modes *m, int c, double t, const double *q, const double *v,
                        const slip_standing *standing)
{
    const slip_contact *contact = &m->system->contacts[c];
    const int n = m->system->n;
    bool friction = !contact->frictionless && contact->law.type->info.set_valued;
    int normal = -1;
    double load = 1;
    if (contact->kind == SLIP_CONTACT_UNILATERAL) {
        double *column = m->q_ahead; /* not in use before the modes are known */
        if (!standing[c].touching)
            return;
        memcpy(column, contact->gap.row, (size_t)n * sizeof(double));
        if (!contact->frictionless && !(friction && standing[c].resting)) {
            /* it slides: its normal force brings friction with it */
            double slip = slip_system_slip(m->system, m->work, c, t, q, v), force, slope;
            slip_law_force(&contact->law, slip_law_piece(&contact->law, slip), slip, &force, &slope);
            slip_system_direction(m->system, m->work, c, t, q, v, m->v_ahead, m->a_free);
            for (int i = 0; i < n; i++)
                column[i] -= force * m->v_ahead[i];
        }
        normal = m->problem->m;
        add_row(m, c, (slip_pgs_row){.kind = SLIP_PGS_NORMAL, .normal = -1}, contact->gap.row, column,
                slip_system_gap_curve(m->system, m->work, c, t, m->a));
    } else {
        load = slip_system_normal_force(m->system, m->work, c, t, q, v);
    }
    if (friction && standing[c].resting) {
        slip_pgs_row row = {.kind = SLIP_PGS_TANGENT,
                            .normal = normal,
                            .hold = load * slip_law_hold(&contact->law),
                            .slide = load * slip_modes_starting_friction(contact)};
        double rate = slip_system_slip_rate(m->system, m->work, c, t, q, v, m->a);
        slip_system_direction(m->system, m->work, c, t, q, v, m->v_ahead, m->a_free);
        add_row(m, c, row, m->v_ahead, m->v_ahead, rate);
    }
}

/* ---- Forces that are not unique: to a corner of the possible ones, where those inside their limits are. */

static bool at_rest(const complementarity *problem, int k)
{
    const slip_pgs_row *row = &problem->rows[k];
    return problem->states[k] == SLIP_PGS_ZERO &&
           (row->normal < 0 || problem->states[row->normal] == SLIP_PGS_ZERO);
}

/* What one unit of a row's force does to coordinate i; a closed contact that slides drags its friction along.
 */
static double effect(const complementarity *problem, int n, int k, int i)
{
    double value = problem->responses[k * n + i];
    int next = k + 1;
    if (problem->rows[k].kind == SLIP_PGS_NORMAL && next < problem->m && problem->rows[next].normal == k &&
        problem->states[next] != SLIP_PGS_ZERO)
        value += (problem->states[next] == SLIP_PGS_PLUS ? -1 : 1) * problem->rows[next].slide *
                 problem->responses[next * n + i];
    return value;
}

/* A change of the forces at rest without any effect, into problem->move; false when there is none. */
static bool idle_change(complementarity *problem, int n)
{
    const int m = problem->m;
    double *a = problem->reduced; /* n x m */
    int rank = 0;
    for (int k = 0; k < m; k++) {
        problem->move[k] = 0;
        for (int i = 0; i < n; i++)
            a[i * m + k] = at_rest(problem, k) ? effect(problem, n, k, i) : 0;
    }
    for (int k = 0; k < m; k++) {
        int best = rank;
        double size = 0;
        if (!at_rest(problem, k))
            continue;
        for (int i = 0; i < n; i++)
            size = fmax(size, fabs(effect(problem, n, k, i)));
        for (int i = rank + 1; i < n; i++)
            if (fabs(a[i * m + k]) > fabs(a[best * m + k]))
                best = i;
        if (rank == n || fabs(a[best * m + k]) <= 1e-10 * size) {
            problem->move[k] = 1;
            for (int i = 0; i < rank; i++)
                problem->move[problem->pivot[i]] = -a[i * m + k];
            return true;
        }
        for (int j = 0; j < m; j++) {
            double swap = a[best * m + j];
            a[best * m + j] = a[rank * m + j];
            a[rank * m + j] = swap;
        }
        for (int j = m - 1; j >= k; j--)
            a[rank * m + j] /= a[rank * m + k];
        for (int i = 0; i < n; i++)
            for (int j = m - 1; j >= k && i != rank; j--)
                a[i * m + j] -= a[i * m + k] * a[rank * m + j];
        problem->pivot[rank++] = k;
    }
    return false;
}

/* How far the change can go until a force comes to its limit, and which. */
static double reach(const complementarity *problem, double sign, int *first)
{
    double far = INFINITY;
    for (int k = 0; k < problem->m; k++) {
        const slip_pgs_row *row = &problem->rows[k];
        double move = sign * problem->move[k], p = problem->p[k];
        if (!at_rest(problem, k))
            continue;
        for (int side = row->kind == SLIP_PGS_TANGENT ? -1 : 1; side <= 1; side += 2) {
            /* reserve and the rate at which it is used up */
            double reserve = p, use = -move;
            if (row->kind == SLIP_PGS_TANGENT) {
                reserve = row->hold * (row->normal < 0 ? 1 : problem->p[row->normal]) - side * p;
                use = side * move - (row->normal < 0 ? 0 : row->hold * sign * problem->move[row->normal]);
            }
            if (use > 1e-12 && fmax(reserve, 0) / use < far) {
                far = fmax(reserve, 0) / use;
                *first = k;
            }
        }
    }
    return far;
}

/* Rows that come to their limit on the way yield, though they are at rest. */
static void go_to_corner(complementarity *problem, int n)
{
    while (idle_change(problem, n)) {
        int plus = -1, minus = -1, first;
        double forward = reach(problem, 1, &plus), backward = reach(problem, -1, &minus), step;
        step = forward <= backward ? forward : -backward;
        first = forward <= backward ? plus : minus;
        /* static above kinetic friction does not yield */
        if (!isfinite(step) || problem->rows[first].hold > problem->rows[first].slide)
            return;
        for (int k = 0; k < problem->m; k++)
            problem->p[k] += step * problem->move[k];
        if (problem->rows[first].kind == SLIP_PGS_NORMAL)
            problem->states[first] = SLIP_PGS_OPEN;
        else
            problem->states[first] = problem->p[first] < 0 ? SLIP_PGS_PLUS : SLIP_PGS_MINUS;
    }
}

static void take_states(slip_modes *m)
{
    const complementarity *problem = m->problem;
    for (int k = 0; k < problem->m; k++) {
        int c = problem->contact[k];
        const slip_contact *contact = &m->system->contacts[c];
        slip_pgs_state state = problem->states[k];
        bool rests = k + 1 < problem->m && problem->contact[k + 1] == c;
        if (problem->rows[k].kind == SLIP_PGS_NORMAL) {
            /* one that slides has its direction from before, one at rest gets it from the next row */
            if (state == SLIP_PGS_OPEN) {
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
                           state == SLIP_PGS_ZERO   ? SLIP_MODE_STICK
                           : state == SLIP_PGS_PLUS ? SLIP_MODE_SLIP_PLUS
                                                    : SLIP_MODE_SLIP_MINUS);
        }
    }
}

/* The trial modes by complementarity at one instant. */
bool slip_modes_complement(slip_modes *m, double t, const double *q, const double *v,
                           const slip_standing *standing)
{
    complementarity *problem = m->problem;
    const int n = m->system->n;
    slip_pgs_solution solution = {problem->p, problem->y, problem->states};
    problem->m = 0;
    /* Without the forces that are asked for. */
    for (int c = 0; c < m->count; c++) {
        const slip_contact *contact = &m->system->contacts[c];
        if (contact->kind == SLIP_CONTACT_UNILATERAL)
            slip_modes_set(contact, &m->trial[c], SLIP_MODE_OPEN);
        else if (slip_modes_concerns(contact) && standing[c].resting)
            slip_modes_set(contact, &m->trial[c], SLIP_MODE_STICK);
    }
    if (!slip_system_acceleration(m->system, m->work, m->trial, t, q, v, m->a))
        return false;
    for (int c = 0; c < m->count; c++)
        if (slip_modes_concerns(&m->system->contacts[c]))
            add_contact(m, c, t, q, v, standing);
    for (int i = 0; i < problem->m; i++) {
        problem->p[i] = 0;
        problem->states[i] = SLIP_PGS_ZERO;
        for (int j = 0; j < problem->m; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += problem->directions[i * n + k] * problem->responses[j * n + k];
            problem->gram[i * problem->m + j] = sum;
        }
    }
    slip_pgs_problem all = {problem->m, problem->gram, problem->initial, problem->rows};
    if (!slip_pgs_lemke(&all, &solution, &problem->memory))
        slip_pgs_solve(&all, &solution, &problem->memory);
    go_to_corner(problem, n);
    take_states(m);
    return true;
}
