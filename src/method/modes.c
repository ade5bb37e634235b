#include "method/modes_types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many contacts with a choice are searched exhaustively, and up to how many the search goes on after the
 * first consistent choice, to see whether it is the only one. */
enum { exhaustive = 7, all_choices = 4 };

/* The friction coefficient with which a contact at rest starts to slip. */
double slip_modes_starting_friction(const slip_contact *contact)
{
    double force, slope;
    slip_law_force(&contact->law, 1, 0, &force, &slope);
    return force;
}

/* What can be said of a contact once and for all.
 *
 * One unilateral contact at rest, with the accelerations (gap, slip) = b + G (N, T): as b goes around, so do
 * open (b in the half plane above), slip (between the slip axis and -G (1, -mu)), stick (between -G (1, -mu)
 * and -G (1, mu)) and slip the other way. They cover every b exactly once when both of these directions point
 * down, G_nn > mu |G_nt|; det G > 0 keeps them in this order. */
static void classify(slip_modes *m, int c)
{
    const slip_contact *contact = &m->system->contacts[c];
    const int n = m->system->n;
    if (!slip_modes_concerns(contact) || contact->frictionless)
        return;
    double mu = contact->law.type->info.set_valued ? slip_modes_starting_friction(contact) : INFINITY;
    m->clinging[c] = slip_law_hold(&contact->law) > mu;
    if (contact->kind != SLIP_CONTACT_UNILATERAL || !contact->slip.row)
        return;
    double normal = 0, mixed = 0, tangent = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double share = contact->gap.row[i] * m->system->inverse_mass[i * n + j];
            normal += share * contact->gap.row[j];
            mixed += share * contact->slip.row[j];
            tangent += contact->slip.row[i] * m->system->inverse_mass[i * n + j] * contact->slip.row[j];
        }
    m->single[c] = mu * fabs(mixed) < 0.999 * normal && mixed * mixed < 0.999 * normal * tangent;
}

int slip_modes_create(slip_context *ctx, const slip_system *system, slip_workspace *work, slip_modes **result)
{
    slip_modes *m = calloc(1, sizeof *m);
    int64_t n = system->n, count = system->contact_count + 1;
    *result = NULL;
    if (!m)
        return slip_fail_memory(ctx);
    m->system = system;
    m->work = work;
    m->count = (int)system->contact_count;
    m->free = slip_arena_array(&m->arena, count, sizeof(int));
    m->digits = slip_arena_array(&m->arena, count, sizeof(int));
    m->next = slip_arena_array(&m->arena, count, sizeof(slip_mode));
    m->trial = slip_arena_array(&m->arena, 2 * count, sizeof(slip_branch));
    m->single = slip_arena_array(&m->arena, count, sizeof(bool));
    m->clinging = slip_arena_array(&m->arena, count, sizeof(bool));
    m->a = slip_arena_array(&m->arena, 5 * n, sizeof(double));
    if (!m->free || !m->digits || !m->next || !m->trial || !m->single || !m->clinging || !m->a ||
        (m->count > exhaustive && !slip_modes_create_problem(m))) {
        slip_modes_destroy(m);
        return slip_fail_memory(ctx);
    }
    m->asked = m->trial + count;
    m->a_free = m->a + n;
    m->a_best = m->a + 2 * n;
    m->q_ahead = m->a + 3 * n;
    m->v_ahead = m->a + 4 * n;
    for (int c = 0; c < m->count; c++)
        classify(m, c);
    *result = m;
    return SLIP_OK;
}

void slip_modes_destroy(slip_modes *m)
{
    if (!m)
        return;
    slip_arena_free(&m->arena);
    free(m);
}

bool slip_modes_concerns(const slip_contact *contact)
{
    return contact->kind == SLIP_CONTACT_UNILATERAL || contact->law.type->info.set_valued;
}

/* ---- Choices. */

/* The modes that a contact may take, in the order of preference; returns how many. A contact with one has no
 * choice. */
static int choices(const slip_contact *contact, const slip_standing *standing, double slip, slip_mode *list)
{
    bool unilateral = contact->kind == SLIP_CONTACT_UNILATERAL;
    slip_mode moving = slip < 0 ? SLIP_MODE_SLIP_MINUS : SLIP_MODE_SLIP_PLUS;
    int count = 0;
    if (unilateral && !standing->touching) {
        list[0] = SLIP_MODE_OPEN;
        return 1;
    }
    if (contact->frictionless) {
        list[count++] = SLIP_MODE_CLOSED;
    } else if (contact->law.type->info.set_valued && standing->resting) {
        list[count++] = SLIP_MODE_STICK;
        list[count++] = SLIP_MODE_SLIP_PLUS;
        list[count++] = SLIP_MODE_SLIP_MINUS;
    } else {
        list[count++] = moving;
    }
    if (unilateral)
        list[count++] = SLIP_MODE_OPEN;
    return count;
}

void slip_modes_set(const slip_contact *contact, slip_branch *branch, slip_mode mode)
{
    branch->mode = mode;
    branch->chart = -1;
    branch->s = 0;
    branch->piece = -1;
    branch->clip = 0;
    if (contact->law.type->info.set_valued && (mode == SLIP_MODE_SLIP_PLUS || mode == SLIP_MODE_SLIP_MINUS))
        branch->piece = mode == SLIP_MODE_SLIP_PLUS ? 1 : 0;
}

/* ---- Search. */

/* The contacts with a choice; the others get their only mode. */
static int find_free(slip_modes *m, double t, const double *q, const double *v, const slip_standing *standing)
{
    int count = 0;
    slip_mode list[4];
    for (int c = 0; c < m->count; c++) {
        const slip_contact *contact = &m->system->contacts[c];
        if (!slip_modes_concerns(contact))
            continue;
        double slip = standing[c].resting ? 0 : slip_system_slip(m->system, m->work, c, t, q, v);
        if (choices(contact, &standing[c], slip, list) > 1)
            m->free[count++] = c;
        else
            slip_modes_set(contact, &m->trial[c], list[0]);
    }
    return count;
}

static int choice_count(slip_modes *m, int c, double slip, const slip_standing *standing, slip_mode *list)
{
    return choices(&m->system->contacts[c], &standing[c], slip, list);
}

/* Sets the trial modes from the digits. */
static void apply_digits(slip_modes *m, int free_count, double t, const double *q, const double *v,
                         const slip_standing *standing)
{
    slip_mode list[4];
    for (int k = 0; k < free_count; k++) {
        int c = m->free[k];
        double slip = standing[c].resting ? 0 : slip_system_slip(m->system, m->work, c, t, q, v);
        choice_count(m, c, slip, standing, list);
        slip_modes_set(&m->system->contacts[c], &m->trial[c], list[m->digits[k]]);
    }
}

/* Next combination of digits; false after the last. */
static bool next_digits(slip_modes *m, int free_count, double t, const double *q, const double *v,
                        const slip_standing *standing)
{
    slip_mode list[4];
    for (int k = 0; k < free_count; k++) {
        int c = m->free[k];
        double slip = standing[c].resting ? 0 : slip_system_slip(m->system, m->work, c, t, q, v);
        if (++m->digits[k] < choice_count(m, c, slip, standing, list))
            return true;
        m->digits[k] = 0;
    }
    return false;
}

/* Nothing else is held: not at a singular break of its law either. */
static bool is_alone(const slip_modes *m, int c)
{
    for (int other = 0; other < m->count; other++)
        if (other != c && m->trial[other].mode == SLIP_MODE_STICK)
            return false;
    return true;
}

/* Is the acceleration unique in advance? Friction with given normal forces and contacts without friction are
 * a convex problem; a unilateral contact with friction may be alone with its choice. */
static bool surely_unique(const slip_modes *m, int free_count, const slip_standing *standing)
{
    for (int k = 0; k < free_count; k++) {
        int c = m->free[k];
        const slip_contact *contact = &m->system->contacts[c];
        if (contact->kind == SLIP_CONTACT_UNILATERAL && !contact->frictionless &&
            !(free_count == 1 && standing[c].resting && m->single[c] && is_alone(m, c)))
            return false;
    }
    return true;
}

/* Tries the modes that the caller expects. Where the acceleration is unique they need no comparison with
 * others, if they are consistent with something to spare: what slips then cannot stick, and nothing that is
 * held without friction, or left out, could as well share in it. Forces that are not unique are left to the
 * search. (What clings could as well stick; and all zeros is what the search begins with.) */
static bool expected(slip_modes *m, int free_count, double t, const double *q, const double *v,
                     const slip_standing *standing, double ahead, const slip_branch *branches)
{
    bool new = false;
    double margin;
    for (int k = 0; k < free_count; k++) {
        int c = m->free[k], count, digit = 0;
        slip_mode list[4];
        double slip = standing[c].resting ? 0 : slip_system_slip(m->system, m->work, c, t, q, v);
        count = choice_count(m, c, slip, standing, list);
        while (digit < count && list[digit] != branches[c].mode)
            digit++;
        if (digit == count || m->clinging[c])
            return false;
        m->digits[k] = digit;
        new |= digit > 0;
    }
    if (!new)
        return false;
    apply_digits(m, free_count, t, q, v, standing);
    return slip_modes_consistent(m, t, q, v, standing, ahead, &margin) && m->reserve > 1e-9 &&
           !slip_system_shared(m->work);
}

/* Static friction above kinetic friction: a contact that could slip as well sticks. That rule, and no
 * trouble, is what prefers `best` to the trial. */
static bool ruled_out(const slip_modes *m, int free_count, const slip_branch *best)
{
    for (int k = 0; k < free_count; k++) {
        int c = m->free[k];
        if (best[c].mode == SLIP_MODE_STICK && m->trial[c].mode != SLIP_MODE_STICK && m->clinging[c])
            return true;
    }
    return false;
}

/* The sum of squares of all forces of contacts, at the last evaluation. */
static double force_size(const slip_modes *m)
{
    double sum = 0;
    for (int c = 0; c < m->count; c++) {
        const slip_contact_state *state = &m->work->contacts[c];
        sum += state->normal * state->normal + state->force * state->force;
    }
    return sum;
}

static bool same_acceleration(const slip_modes *m)
{
    double difference = 0;
    for (int i = 0; i < m->system->n; i++)
        difference = fmax(difference, fabs(m->a[i] - m->a_best[i]));
    /* not of the accelerations themselves: at rest these are nothing but rounding */
    return difference <= 1e-7 * m->size;
}

/* The limits that a stuck or closed contact is beyond, or that exclude those of others. */
static unsigned limits_met(const slip_modes *m, int c, bool beyond)
{
    const slip_contact_state *state = &m->work->contacts[c];
    unsigned limits = slip_system_blocks(m->work, c);
    if (!beyond)
        return limits;
    if (state->normal < 0 && m->system->contacts[c].kind == SLIP_CONTACT_UNILATERAL)
        return limits | SLIP_CLIP_NORMAL;
    return limits | (unsigned)(state->force > 0 ? SLIP_CLIP_UPPER : SLIP_CLIP_LOWER);
}

/* What a contact does next: it slips where friction cannot hold it, opens where it would have to pull, closes
 * where it would overlap, sticks where it would slip the wrong way; else what it did. */
static slip_mode next_mode(slip_modes *m, int c, double t, const double *q, const double *v,
                           const slip_standing *standing)
{
    const slip_mode mode = m->trial[c].mode;
    const bool beyond = slip_modes_contact_violation(m, c, t, q, v, &standing[c], &m->trial[c]) > 1e-12,
               slips = mode == SLIP_MODE_SLIP_PLUS || mode == SLIP_MODE_SLIP_MINUS;
    unsigned limits;
    if (beyond && slips && !standing[c].resting)
        return SLIP_MODE_OPEN;
    if (beyond && (slips || mode == SLIP_MODE_OPEN)) {
        double slip = standing[c].resting ? 0 : slip_system_slip(m->system, m->work, c, t, q, v);
        slip_mode list[4];
        choices(&m->system->contacts[c], &standing[c], slip, list);
        return list[0];
    }
    limits = limits_met(m, c, beyond);
    if (limits & SLIP_CLIP_NORMAL)
        return SLIP_MODE_OPEN;
    if (limits & SLIP_CLIP_UPPER)
        return SLIP_MODE_SLIP_MINUS;
    return limits & SLIP_CLIP_LOWER ? SLIP_MODE_SLIP_PLUS : mode;
}

/* From the trial modes on: contacts that are beyond their limits change, all at once, until none is. */
static bool follow(slip_modes *m, int free_count, double t, const double *q, const double *v,
                   const slip_standing *standing, double ahead)
{
    double margin;
    for (int round = 0; round <= 2 * free_count; round++) {
        bool changed = false;
        if (slip_modes_consistent(m, t, q, v, standing, ahead, &margin))
            return true;
        for (int k = 0; k < free_count; k++)
            m->next[k] = next_mode(m, m->free[k], t, q, v, standing);
        for (int k = 0; k < free_count; k++)
            if (m->next[k] != m->trial[m->free[k]].mode) {
                slip_modes_set(&m->system->contacts[m->free[k]], &m->trial[m->free[k]], m->next[k]);
                changed = true;
            }
        if (!changed)
            return false;
    }
    return false;
}

/* From stick and closed contacts on: those that are beyond their limits give way; what they then leave to the
 * others may be too much for these, and so on. With static friction above kinetic friction that is what
 * happens, and what decides between several consistent choices. True when it ends in a consistent one. */
static bool give_way(slip_modes *m, int free_count, double t, const double *q, const double *v,
                     const slip_standing *standing, double ahead)
{
    memset(m->digits, 0, (size_t)free_count * sizeof(int));
    apply_digits(m, free_count, t, q, v, standing);
    return follow(m, free_count, t, q, v, standing, ahead);
}

/* The trial modes are the ones, and these their accelerations. */
static void keep_trial(slip_modes *m, double t, const double *q, const double *v,
                       const slip_standing *standing, slip_branch *branches)
{
    memcpy(branches, m->trial, (size_t)m->count * sizeof(slip_branch));
    slip_modes_trial_violation(m, t, q, v, standing, m->trial);
    memcpy(m->a_best, m->a, (size_t)m->system->n * sizeof(double));
    m->best_shared = slip_system_shared(m->work);
    m->best_size = force_size(m);
}

/* Forces that are not unique: of the choices that are consistent the one with the least. Returns whether that
 * is so; forces are those of the trial. */
static bool choose_by_size(slip_modes *m, slip_branch *branches)
{
    if (!m->best_shared && !slip_system_shared(m->work))
        return false;
    /* not for rounding: of equals the first */
    if (force_size(m) < m->best_size * (1 - 1e-9)) {
        memcpy(branches, m->trial, (size_t)m->count * sizeof(slip_branch));
        memcpy(m->a_best, m->a, (size_t)m->system->n * sizeof(double));
        m->best_shared = slip_system_shared(m->work);
        m->best_size = force_size(m);
    }
    return true;
}

static bool same_modes(const slip_modes *m, int free_count, const slip_branch *branches)
{
    for (int k = 0; k < free_count; k++)
        if (m->trial[m->free[k]].mode != branches[m->free[k]].mode)
            return false;
    return true;
}

/* The contacts give way, and where that ends in nothing, or it is to be seen whether there is another choice,
 * all are tried one after the other; the first consistent one goes to `branches`. */
static int search(slip_modes *m, int free_count, double t, const double *q, const double *v,
                  const slip_standing *standing, double ahead, slip_branch *branches, int *contact)
{
    const bool look_on = free_count <= all_choices && !surely_unique(m, free_count, standing),
               gave_way = give_way(m, free_count, t, q, v, standing, ahead);
    bool found = gave_way;
    double margin;
    if (found && (!look_on || slip_system_shared(m->work))) {
        memcpy(branches, m->trial, (size_t)m->count * sizeof(slip_branch));
        return SLIP_OK;
    }
    if (found)
        keep_trial(m, t, q, v, standing, branches);
    memset(m->digits, 0, (size_t)free_count * sizeof(int));
    /* the first is where giving way began */
    while (next_digits(m, free_count, t, q, v, standing)) {
        apply_digits(m, free_count, t, q, v, standing);
        if ((gave_way && same_modes(m, free_count, branches)) ||
            !slip_modes_consistent(m, t, q, v, standing, ahead, &margin))
            continue;
        if (!found) {
            found = true;
            keep_trial(m, t, q, v, standing, branches);
            if (!look_on && !m->best_shared)
                return SLIP_OK;
            continue;
        }
        slip_modes_trial_violation(m, t, q, v, standing, m->trial);
        if (!gave_way && choose_by_size(m, branches))
            continue;
        if (look_on && margin > 1e-6 && !ruled_out(m, free_count, branches) && !same_acceleration(m)) {
            *contact = m->free[0];
            return SLIP_MODES_SEVERAL;
        }
    }
    return found ? SLIP_OK : SLIP_MODES_NONE;
}

/* More contacts than can be searched: from the modes before, change the contact that violates its conditions
 * most, a few times. */
static int repair(slip_modes *m, int free_count, double t, const double *q, const double *v,
                  const slip_standing *standing, double ahead, slip_branch *branches)
{
    double margin;
    slip_mode list[4];
    for (int round = 0; round < 2 * free_count; round++) {
        double worst = 0;
        int at = -1;
        if (slip_modes_consistent(m, t, q, v, standing, ahead, &margin)) {
            memcpy(branches, m->trial, (size_t)m->count * sizeof(slip_branch));
            return SLIP_OK;
        }
        slip_modes_trial_violation(m, t + ahead, m->q_ahead, m->v_ahead, standing, m->trial);
        for (int k = 0; k < free_count; k++) {
            double violation = slip_modes_contact_violation(m, m->free[k], t, q, v, &standing[m->free[k]],
                                                            &m->trial[m->free[k]]);
            if (violation > worst) {
                worst = violation;
                at = k;
            }
        }
        if (at < 0)
            break;
        int c = m->free[at];
        double force = m->work->contacts[c].force, normal = m->work->contacts[c].normal;
        choice_count(m, c, slip_system_slip(m->system, m->work, c, t, q, v), standing, list);
        slip_mode next = list[0];
        if (m->system->contacts[c].kind == SLIP_CONTACT_UNILATERAL && m->trial[c].mode != SLIP_MODE_OPEN &&
            normal < 0)
            next = SLIP_MODE_OPEN;
        else if (m->trial[c].mode == SLIP_MODE_STICK)
            next = force < 0 ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_SLIP_MINUS;
        slip_modes_set(&m->system->contacts[c], &m->trial[c], next);
    }
    return SLIP_MODES_NONE;
}

/* At this instant, and where that is a tie a short time ahead; then disturbed, against ties of contacts that
 * depend on each other. */
static int solve_complementarity(slip_modes *m, int free_count, double t, const double *q, const double *v,
                                 const slip_standing *standing, double ahead, slip_branch *branches)
{
    enum { attempts = 6 };
    double *q_ahead = m->a_best;
    /* Velocities and displacements ahead differ too little to tell which forces do: only time goes on in the
     * loads, and v in the structure. */
    for (int i = 0; i < m->system->n; i++)
        q_ahead[i] = q[i] + ahead * v[i];
    for (int k = 0; k < 4 * attempts; k++) {
        const bool later = k % 2 > 0, all_at_once = k % 4 < 2;
        if (!slip_modes_complement(m, k / 4, later ? t + ahead : t, later ? q_ahead : q, v, standing))
            return later ? SLIP_MODES_NONE : SLIP_MODES_UNDEFINED;
        /* it knows nothing of the rule for forces that are not unique, which may change a contact or two */
        if (all_at_once && follow(m, free_count, t, q, v, standing, ahead)) {
            memcpy(branches, m->trial, (size_t)m->count * sizeof(slip_branch));
            return SLIP_OK;
        }
        if (!all_at_once && repair(m, free_count, t, q, v, standing, ahead, branches) == SLIP_OK)
            return SLIP_OK;
    }
    return SLIP_MODES_NONE;
}

/* Starts from what each contact did before, where that is still a choice. */
static int decide_many(slip_modes *m, int free_count, double t, const double *q, const double *v,
                       const slip_standing *standing, double ahead, slip_branch *branches)
{
    if (give_way(m, free_count, t, q, v, standing, ahead)) {
        memcpy(branches, m->trial, (size_t)m->count * sizeof(slip_branch));
        return SLIP_OK;
    }
    memset(m->digits, 0, (size_t)free_count * sizeof(int));
    for (int k = 0; k < free_count; k++) {
        slip_mode list[4], before = branches[m->free[k]].mode;
        double slip = slip_system_slip(m->system, m->work, m->free[k], t, q, v);
        int count = choice_count(m, m->free[k], slip, standing, list);
        for (int d = 0; d < count; d++)
            if (list[d] == before)
                m->digits[k] = d;
    }
    apply_digits(m, free_count, t, q, v, standing);
    if (repair(m, free_count, t, q, v, standing, ahead, branches) == SLIP_OK)
        return SLIP_OK;
    return solve_complementarity(m, free_count, t, q, v, standing, ahead, branches);
}

int slip_modes_decide(slip_modes *m, double t, const double *q, const double *v,
                      const slip_standing *standing, double ahead, slip_branch *branches, int *contact)
{
    int free_count, status = SLIP_MODES_NONE;
    memcpy(m->trial, branches, (size_t)m->count * sizeof(slip_branch));
    free_count = find_free(m, t, q, v, standing);
    *contact = free_count > 0 ? m->free[0] : 0;
    m->wedged = false;
    if (free_count == 0) {
        memcpy(branches, m->trial, (size_t)m->count * sizeof(slip_branch));
        return slip_modes_evaluate(m, branches, t, q, v) ? SLIP_OK : SLIP_MODES_UNDEFINED;
    }
    if (surely_unique(m, free_count, standing) &&
        expected(m, free_count, t, q, v, standing, ahead, branches)) {
        memcpy(branches, m->trial, (size_t)m->count * sizeof(slip_branch));
        return SLIP_OK;
    }
    for (int pass = 0; pass < 2 && status == SLIP_MODES_NONE; pass++) {
        m->wedged = pass > 0;
        status = free_count <= exhaustive ? search(m, free_count, t, q, v, standing, ahead, branches, contact)
                                          : decide_many(m, free_count, t, q, v, standing, ahead, branches);
    }
    return status;
}

const double *slip_modes_acceleration(const slip_modes *m)
{
    return m->a;
}
