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
    double normal = 0, mixed = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double share = contact->gap.row[i] * m->system->inverse_mass[i * n + j];
            normal += share * contact->gap.row[j];
            mixed += share * contact->slip.row[j];
        }
    m->single[c] = mu * fabs(mixed) < 0.999 * normal;
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
    m->trial = slip_arena_array(&m->arena, count, sizeof(slip_branch));
    m->single = slip_arena_array(&m->arena, count, sizeof(bool));
    m->clinging = slip_arena_array(&m->arena, count, sizeof(bool));
    m->a = slip_arena_array(&m->arena, 5 * n, sizeof(double));
    if (!m->free || !m->digits || !m->trial || !m->single || !m->clinging || !m->a ||
        (m->count > exhaustive && !slip_modes_create_problem(m))) {
        slip_modes_destroy(m);
        return slip_fail_memory(ctx);
    }
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
    if (contact->law.type->info.set_valued && (mode == SLIP_MODE_SLIP_PLUS || mode == SLIP_MODE_SLIP_MINUS))
        branch->piece = mode == SLIP_MODE_SLIP_PLUS ? 1 : 0;
}

/* ---- Consistency. */

/* Not fmax, which is a call. */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The size of what adds up to the accelerations, which may all but cancel. */
static double acceleration_size(const slip_modes *m, const double *q, const double *v)
{
    const slip_system *system = m->system;
    const int n = system->n;
    double largest = 0;
    for (int i = 0; i < n; i++) {
        const double *inverse = system->inverse_mass + i * n, *structure = system->mass_structure + i * 2 * n;
        double sum = fabs(m->a_free[i]) + fabs(m->a[i]);
        for (int j = 0; j < n; j++)
            sum += fabs(structure[j] * q[j]) + fabs(structure[n + j] * v[j]) +
                   fabs(inverse[j] * m->work->loads[j]);
        largest = larger(largest, sum);
    }
    return largest;
}

/* Accelerations and contact forces of the given branches. */
static bool evaluate(slip_modes *m, const slip_branch *branches, double t, const double *q, const double *v)
{
    if (!slip_system_acceleration(m->system, m->work, branches, t, q, v, m->a))
        return false;
    for (int i = 0; i < m->system->n; i++)
        m->a_free[i] = m->a[i];
    if (!slip_system_constrain(m->system, m->work, branches, t, q, v, m->a))
        return false;
    /* At an instant at which everything vanishes nothing is left to measure rounding against. */
    m->size = acceleration_size(m, q, v);
    m->largest = larger(m->largest, m->size);
    m->size = larger(m->size, 1e-9 * m->largest);
    return true;
}

/* What accelerations along a row are compared with. */
static double acceleration_scale(const slip_modes *m, const double *row)
{
    double sum = 0;
    for (int i = 0; i < m->system->n; i++)
        sum += fabs(row[i]);
    return m->size * sum + 1e-300;
}

/* The same along the slip, right after its rate was found. */
static double slip_scale(const slip_modes *m, const slip_contact *contact)
{
    return acceleration_scale(m, contact->slip.row ? contact->slip.row
                                                   : m->work->gradient + slip_slot_velocity(m->system->n, 0));
}

/* A rate that a constraint holds at zero, and does not: constraints that contradict each other, of which the
 * forces found are only the best compromise. */
static bool contradicted(double rate, double scale)
{
    return fabs(rate) > 1e-8 * scale;
}

static double contact_violation(slip_modes *m, int c, double t, const double *q, const double *v,
                                const slip_standing *standing, const slip_branch *branch)
{
    const slip_contact *contact = &m->system->contacts[c];
    const slip_contact_state *state = &m->work->contacts[c];
    bool unilateral = contact->kind == SLIP_CONTACT_UNILATERAL;
    double worst = -INFINITY, normal = state->normal, size;
    if (unilateral && branch->mode == SLIP_MODE_OPEN) {
        if (!standing->touching)
            return worst;
        return -slip_system_gap_curve(m->system, m->work, c, t, m->a) /
               acceleration_scale(m, contact->gap.row);
    }
    if (unilateral) {
        if (contradicted(slip_system_gap_curve(m->system, m->work, c, t, m->a),
                         acceleration_scale(m, contact->gap.row)))
            return INFINITY;
        /* The force that the free acceleration would take to stop is what N is compared with. */
        double row = 0;
        for (int i = 0; i < m->system->n; i++)
            for (int j = 0; j < m->system->n; j++)
                row +=
                    contact->gap.row[i] * m->system->inverse_mass[i * m->system->n + j] * contact->gap.row[j];
        size = acceleration_scale(m, contact->gap.row) / row + fabs(normal);
        worst = -normal / size;
    }
    if (branch->mode == SLIP_MODE_STICK) {
        double limit = larger(normal, 0) * slip_law_hold(&contact->law);
        if (contradicted(slip_system_slip_rate(m->system, m->work, c, t, q, v, m->a), slip_scale(m, contact)))
            return INFINITY;
        size = limit + fabs(state->force) + 1e-300;
        worst = larger(worst, (fabs(state->force) - limit) / size);
    } else if (standing->resting && contact->law.type->info.set_valued) {
        double rate = slip_system_slip_rate(m->system, m->work, c, t, q, v, m->a);
        worst = larger(worst, (branch->mode == SLIP_MODE_SLIP_PLUS ? -rate : rate) / slip_scale(m, contact));
    }
    return worst;
}

double slip_modes_violation(slip_modes *m, double t, const double *q, const double *v,
                            const slip_standing *standing, const slip_branch *branches)
{
    double worst = -INFINITY;
    if (!evaluate(m, branches, t, q, v))
        return INFINITY;
    for (int c = 0; c < m->count; c++)
        if (slip_modes_concerns(&m->system->contacts[c]))
            worst = larger(worst, contact_violation(m, c, t, q, v, &standing[c], &branches[c]));
    return worst;
}

/* Consistent now, up to rounding in the event's location, and a short time ahead. */
static bool consistent(slip_modes *m, double t, const double *q, const double *v,
                       const slip_standing *standing, double ahead, double *margin)
{
    const int n = m->system->n;
    double now = slip_modes_violation(m, t, q, v, standing, m->trial), later;
    *margin = m->reserve = -now;
    if (!(now <= 1e-8))
        return false;
    if (now < -1e-4)
        return true; /* nothing is near its limit */
    for (int i = 0; i < n; i++) {
        m->q_ahead[i] = q[i] + ahead * (v[i] + 0.5 * ahead * m->a[i]);
        m->v_ahead[i] = v[i] + ahead * m->a[i];
    }
    later = slip_modes_violation(m, t + ahead, m->q_ahead, m->v_ahead, standing, m->trial);
    m->reserve = -later;
    *margin = fmin(*margin, -later);
    return later <= 1e-12;
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

/* Is the acceleration unique in advance? Friction with given normal forces and contacts without friction are
 * a convex problem; a unilateral contact with friction may be alone with its choice. */
static bool surely_unique(const slip_modes *m, int free_count, const slip_standing *standing)
{
    for (int k = 0; k < free_count; k++) {
        int c = m->free[k];
        const slip_contact *contact = &m->system->contacts[c];
        if (contact->kind == SLIP_CONTACT_UNILATERAL && !contact->frictionless &&
            !(free_count == 1 && standing[c].resting && m->single[c]))
            return false;
    }
    return true;
}

/* Tries the modes that the caller expects. Where the acceleration is unique they need no comparison with
 * others, if they are consistent with something to spare: what slips then cannot stick. (What clings could
 * as well stick; and all zeros is what the search begins with.) */
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
    return consistent(m, t, q, v, standing, ahead, &margin) && m->reserve > 1e-9;
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

static bool same_acceleration(const slip_modes *m)
{
    double difference = 0;
    for (int i = 0; i < m->system->n; i++)
        difference = fmax(difference, fabs(m->a[i] - m->a_best[i]));
    /* not of the accelerations themselves: at rest these are nothing but rounding */
    return difference <= 1e-7 * m->size;
}

/* Tries the choices one after the other; the first consistent one goes to `branches`. */
static int search(slip_modes *m, int free_count, double t, const double *q, const double *v,
                  const slip_standing *standing, double ahead, slip_branch *branches, int *contact)
{
    const size_t size = (size_t)m->count * sizeof(slip_branch),
                 length = (size_t)m->system->n * sizeof(double);
    bool found = false, look_on = free_count <= all_choices && !surely_unique(m, free_count, standing);
    double margin;
    memset(m->digits, 0, (size_t)free_count * sizeof(int));
    do {
        apply_digits(m, free_count, t, q, v, standing);
        if (!consistent(m, t, q, v, standing, ahead, &margin))
            continue;
        if (!found) {
            found = true;
            memcpy(branches, m->trial, size);
            if (!look_on)
                return SLIP_OK;
            slip_modes_violation(m, t, q, v, standing, m->trial);
            memcpy(m->a_best, m->a, length);
        } else if (margin > 1e-6 && !ruled_out(m, free_count, branches)) {
            slip_modes_violation(m, t, q, v, standing, m->trial);
            if (!same_acceleration(m)) {
                *contact = m->free[0];
                return SLIP_MODES_SEVERAL;
            }
        }
    } while (next_digits(m, free_count, t, q, v, standing));
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
        if (consistent(m, t, q, v, standing, ahead, &margin)) {
            memcpy(branches, m->trial, (size_t)m->count * sizeof(slip_branch));
            return SLIP_OK;
        }
        slip_modes_violation(m, t + ahead, m->q_ahead, m->v_ahead, standing, m->trial);
        for (int k = 0; k < free_count; k++) {
            double violation =
                contact_violation(m, m->free[k], t, q, v, &standing[m->free[k]], &m->trial[m->free[k]]);
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

/* At this instant, and where that is a tie a short time ahead. */
static int solve_complementarity(slip_modes *m, double t, const double *q, const double *v,
                                 const slip_standing *standing, double ahead, slip_branch *branches)
{
    const int n = m->system->n;
    const size_t size = (size_t)m->count * sizeof(slip_branch);
    double margin;
    if (!slip_modes_complement(m, t, q, v, standing))
        return SLIP_MODES_UNDEFINED;
    if (!consistent(m, t, q, v, standing, ahead, &margin)) {
        double *q_ahead = m->a_best;
        if (!evaluate(m, m->trial, t, q, v))
            return SLIP_MODES_NONE;
        /* Velocities and displacements ahead differ too little to tell which forces do: only time goes on in
         * the loads, and v in the structure. */
        for (int i = 0; i < n; i++)
            q_ahead[i] = q[i] + ahead * v[i];
        if (!slip_modes_complement(m, t + ahead, q_ahead, v, standing) ||
            !consistent(m, t, q, v, standing, ahead, &margin))
            return SLIP_MODES_NONE;
    }
    memcpy(branches, m->trial, size);
    return SLIP_OK;
}

int slip_modes_decide(slip_modes *m, double t, const double *q, const double *v,
                      const slip_standing *standing, double ahead, slip_branch *branches, int *contact)
{
    int free_count;
    memcpy(m->trial, branches, (size_t)m->count * sizeof(slip_branch));
    free_count = find_free(m, t, q, v, standing);
    *contact = free_count > 0 ? m->free[0] : 0;
    if (free_count == 0) {
        memcpy(branches, m->trial, (size_t)m->count * sizeof(slip_branch));
        return evaluate(m, branches, t, q, v) ? SLIP_OK : SLIP_MODES_UNDEFINED;
    }
    if (surely_unique(m, free_count, standing) &&
        expected(m, free_count, t, q, v, standing, ahead, branches)) {
        memcpy(branches, m->trial, (size_t)m->count * sizeof(slip_branch));
        return SLIP_OK;
    }
    if (free_count <= exhaustive)
        return search(m, free_count, t, q, v, standing, ahead, branches, contact);
    /* Start from what each contact did before, where that is still a choice. */
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
    return solve_complementarity(m, t, q, v, standing, ahead, branches);
}

const double *slip_modes_acceleration(const slip_modes *m)
{
    return m->a;
}
