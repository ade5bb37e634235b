/* Modes of contacts that are too many to try all combinations: contacts beyond their limits are released
 * until none is left; where that fails, by the contact problem of one instant (contact/problem.h). */
#include "math/vector.h"
#include "method/modes/types.h"
#include "system/friction/friction.h"

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
        !problem->initial ||
        !slip_contact_memory_create(&m->arena, (int)rows, false, false, &problem->memory))
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

/* Adds the directions in which a contact may carry forces; m->a gives their rates without forces. */
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
        double *column = m->q_ahead; /* free as scratch until the modes are known */
        if (!standing[c].touching)
            return;
        const double rate = slip_system_gap_curve(m->system, m->work, c, t, q, v, m->a);
        const double *gap_row = slip_system_gap_row(m->system, m->work, c, t, q);
        memcpy(column, gap_row, (size_t)n * sizeof(double));
        if (!contact->frictionless && !(friction && standing[c].resting)) {
            /* a sliding contact: friction is proportional to the normal force */
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

/* The state of a row. A row at rest counts as held, also with a force at its limit: others may hold it. */
static slip_block_state state_of(const complementarity *problem, int k)
{
    double size = slip_largest(problem->m, problem->initial);
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
            /* a sliding contact keeps its direction; a contact at rest gets it from the next row */
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

/* Fills the problem: directions, rates without contact forces, and the matrix from forces to rates. */
static bool fill_problem(slip_modes *m, double t, const double *q, const double *v,
                         const slip_standing *standing)
{
    complementarity *problem = m->problem;
    const int n = m->system->n;
    problem->m = 0;
    /* Accelerations without the unknown forces. */
    for (int c = 0; c < m->count; c++) {
        const slip_contact *contact = &m->system->contacts[c];
        if (m->aside[c])
            continue;
        if (contact->has_gap)
            slip_modes_set(contact, &m->trial[c], SLIP_MODE_OPEN);
        else if (slip_contact_chooses(contact) && standing[c].resting)
            slip_modes_set(contact, &m->trial[c], SLIP_MODE_STICK);
    }
    if (!slip_system_acceleration(m->system, m->work, m->trial, t, q, v, m->a))
        return false;
    for (int c = 0; c < m->count; c++)
        if (slip_contact_switches(&m->system->contacts[c]) && !m->aside[c])
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

/* Perturbs the rates slightly, each differently, so that no ties are left and dependent rows have a definite
 * order. */
static void disturb(complementarity *problem, int attempt)
{
    double size = slip_largest(problem->m, problem->exact);
    problem->rest = attempt == 0 ? 1e-9 : 1e-5;
    for (int i = 0; i < problem->m; i++) {
        /* fractional parts of multiples of the golden ratio are spread evenly */
        double share = fmod(0.6180339887498949 * (i + 1) * attempt, 1) - 0.5;
        problem->initial[i] = problem->exact[i] + (attempt == 0 ? 0 : 1e-7 * size * share);
        problem->p[i] = 0;
        problem->states[i] = SLIP_BLOCK_ZERO;
    }
}

/* Finds the trial modes from the contact problem at one instant; with `attempt` above 0 the rates are
 * perturbed. */
static bool complement(slip_modes *m, int attempt, double t, const double *q, const double *v,
                       const slip_standing *standing)
{
    complementarity *problem = m->problem;
    slip_contact_solution solution = {problem->p, problem->y, problem->states};
    if (!fill_problem(m, t, q, v, standing))
        return false;
    disturb(problem, attempt);
    slip_contact_problem all = {
        .m = problem->m, .gram = problem->gram, .initial = problem->initial, .rows = problem->rows};
    if (!slip_contact_pivot(&all, &solution, &problem->memory))
        slip_contact_solve(&all, &solution, &problem->memory);
    take_states(m);
    return true;
}

/* ---- Iteration from given modes. */

/* The limits that the forces of a stuck or closed contact exceed, or that contradict the limits of others. */
static unsigned limits_met(const slip_modes *m, int c, bool beyond)
{
    const slip_contact_state *state = &m->work->contacts[c];
    unsigned limits = slip_system_blocks(m->work, c);
    if (!beyond)
        return limits;
    if (state->normal < 0 && m->system->contacts[c].has_gap)
        return limits | SLIP_CLIP_NORMAL;
    return limits | (unsigned)(state->force > 0 ? SLIP_CLIP_UPPER : SLIP_CLIP_LOWER);
}

/* The next trial mode of a contact: slip where friction cannot hold it, open where its normal force would
 * pull, closed where it would penetrate, stick where its slip would reverse; else the same. */
static slip_mode next_mode(slip_modes *m, const slip_choice *choice, const slip_instant *now)
{
    const int c = choice->contact;
    const slip_mode mode = m->trial[c].mode;
    const bool beyond = slip_modes_contact_violation(m, c, &now->standing[c], &m->trial[c]) > m->slack,
               slips = slip_mode_slips(mode);
    unsigned limits;
    if (beyond && slips && !now->standing[c].resting)
        return SLIP_MODE_OPEN;
    if (beyond && (slips || mode == SLIP_MODE_OPEN))
        return choice->modes[0];
    limits = limits_met(m, c, beyond);
    if (limits & SLIP_CLIP_NORMAL)
        return SLIP_MODE_OPEN;
    return limits & (SLIP_CLIP_UPPER | SLIP_CLIP_LOWER)
               ? m->system->contacts[c].friction->sliding(limits & SLIP_CLIP_UPPER ? -1 : 1)
               : mode;
}

/* Changes the trial modes of contacts that were held until now (`held`), or of the others, to the next ones;
 * true when one changed. */
static bool change(slip_modes *m, const slip_instant *now, bool held)
{
    bool changed = false;
    for (int k = 0; k < m->free_count; k++) {
        int c = m->free[k].contact;
        if (now->standing[c].held == held && m->next[k] != m->trial[c].mode) {
            slip_modes_try(m, c, m->next[k]);
            changed = true;
        }
    }
    return changed;
}

/* Iterates from the trial modes: all contacts beyond their limits change at once, until there are none.
 * Contacts that were held until now change only when no other does. True when the result is consistent. */
static bool follow(slip_modes *m, const slip_instant *now)
{
    double margin;
    for (int round = 0; round <= 3 * m->free_count; round++) {
        if (slip_modes_consistent(m, now, &margin))
            return true;
        for (int k = 0; k < m->free_count; k++)
            m->next[k] = next_mode(m, &m->free[k], now);
        if (!change(m, now, false) && !change(m, now, true))
            return false;
    }
    return false;
}

/* In the trial all contacts with a choice stick or are closed, except (`release`) one at its own limit. */
static void try_hold(slip_modes *m, const slip_instant *now, const slip_branch *branches, bool release)
{
    for (int k = 0; k < m->free_count; k++) {
        int c = m->free[k].contact;
        bool let_go = now->standing[c].let_go && release;
        slip_modes_try(m, c, let_go ? branches[c].mode : m->free[k].modes[0]);
    }
}

bool slip_modes_give_way(slip_modes *m, const slip_instant *now, const slip_branch *branches, bool release)
{
    try_hold(m, now, branches, release);
    return follow(m, now);
}

/* With static friction above kinetic friction: tries that all contacts hold, then that only the one at its
 * limit gives way. */
static bool hold_or_release(slip_modes *m, const slip_instant *now, const slip_branch *branches)
{
    double margin;
    if (!slip_modes_any_clings(m))
        return false;
    try_hold(m, now, branches, false);
    return slip_modes_consistent(m, now, &margin) || slip_modes_give_way(m, now, branches, true);
}

/* Solves the contact problem at this instant and, where that is a tie, a short time ahead; then with
 * perturbed rates, against ties of dependent contacts. */
static int solve_complementarity(slip_modes *m, const slip_instant *now)
{
    enum { attempts = 6 };
    double *q_ahead = m->a_best;
    /* A short time ahead the state has changed little: only the time of the loads is advanced, and v in the
     * structure. */
    for (int i = 0; i < m->system->n; i++)
        q_ahead[i] = now->q[i] + now->ahead * now->v[i];
    for (int k = 0; k < 2 * attempts; k++) {
        const bool later = k % 2 > 0;
        if (!complement(m, k / 2, later ? now->t + now->ahead : now->t, later ? q_ahead : now->q, now->v,
                        now->standing))
            return later ? SLIP_MODES_NONE : SLIP_MODES_UNDEFINED;
        /* the rule for forces that are not unique is not in it, and may change some modes */
        if (follow(m, now))
            return SLIP_OK;
    }
    return SLIP_MODES_NONE;
}

int slip_modes_decide_many(slip_modes *m, const slip_instant *now, slip_branch *branches)
{
    int status = SLIP_OK;
    if (!hold_or_release(m, now, branches) && !slip_modes_give_way(m, now, branches, false))
        status = solve_complementarity(m, now);
    if (status == SLIP_OK)
        memcpy(branches, m->trial, (size_t)m->count * sizeof(slip_branch));
    return status;
}
