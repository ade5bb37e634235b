/* Checks whether modes of all contacts are consistent with the forces and accelerations that they cause. */
#include "math/vector.h"
#include "method/modes/types.h"
#include "system/friction/friction.h"
#include "system/structure/structure.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The sizes that errors of numbers x are relative to: for the coordinates of one elastic body the largest of
 * them, since eigenmodes of a body at rest have nothing but rounding; m->slack is relative to these sizes. */
static const double *known_sizes(const slip_modes *m, const double *x, double *sizes)
{
    const int n = m->system->n, *kin = m->system->kin;
    const double part = 64 * DBL_EPSILON / 1e-12;
    if (!kin)
        return x;
    for (int first = 0, end; first < n; first = end) { /* coordinates of one body stand together */
        double largest = 0;
        for (end = first; end < n && kin[end] == kin[first]; end++)
            largest = slip_larger(largest, fabs(x[end]));
        for (int i = first; i < end; i++)
            sizes[i] = kin[i] >= 0 ? slip_larger(fabs(x[i]), part * largest) : x[i];
    }
    return sizes;
}

/* Computes the size of the terms of the acceleration of each coordinate, which may cancel, as a measure of
 * rounding. Each coordinate has its own, since rounding of uncoupled ones is irrelevant. Loads count before
 * they cancel: their sum does not show its rounding error. */
static void find_sizes(slip_modes *m, const double *q, const double *v)
{
    const int n = m->system->n, held = m->work->constraint_count;
    const double *inverse = m->work->inverse_mass, *structure = m->work->mass_structure,
                 *loads = m->work->loads, *responses = m->work->responses,
                 *multipliers = m->work->multipliers;
    q = known_sizes(m, q, m->known);
    v = known_sizes(m, v, m->known + n);
    for (int i = 0; i < n; i++, inverse += n, structure += 2 * n) {
        double sum = fabs(m->a_free[i]) + fabs(m->a[i]);
        for (int j = 0; j < n; j++)
            sum += fabs(structure[j] * q[j]) + fabs(structure[n + j] * v[j]) + fabs(inverse[j] * loads[j]);
        for (int k = 0; k < held; k++)
            sum += fabs(responses[k * n + i] * multipliers[k]);
        m->largest[i] = slip_larger(m->largest[i], sum);
        m->size[i] = slip_larger(slip_larger(sum, 1e-3 * m->largest[i]), m->change[i]);
    }
}

/* Updates the compliances row M^-1 row of contacts at the last evaluation, where they vary. */
static void find_compliances(slip_modes *m)
{
    const slip_system *system = m->system;
    if (!system->varying_mass && !system->varying_gaps)
        return;
    for (int c = 0; c < m->count; c++) {
        const slip_contact *contact = &system->contacts[c];
        const double *row =
            contact->has_gap ? slip_system_gap_row(system, m->work, c, m->t, m->q) : contact->gap.row;
        m->gap_compliance[c] = slip_modes_product(m, row, row);
        m->slip_compliance[c] = slip_modes_product(m, contact->slip.row, contact->slip.row);
    }
}

bool slip_modes_evaluate(slip_modes *m, slip_branch *branches, double t, const double *q, const double *v)
{
    m->t = t;
    m->q = q;
    m->v = v;
    m->at_now = false;
    slip_branch *used = branches;
    if (m->patches.aim)
        used = m->patches.aim(m->patches.user, branches, !m->keep_directions, t, q, v);
    if (!slip_system_acceleration(m->system, m->work, used, t, q, v, m->a))
        return false;
    for (int i = 0; i < m->system->n; i++)
        m->a_free[i] = m->a[i];
    if (!slip_system_distribute(m->system, m->work, used, m->wedged, t, q, v, m->a))
        return false;
    for (int c = 0; c < m->count && used != branches; c++) {
        branches[c].clip = used[c].clip;
        if (used[c].direction || used[c].mode != branches[c].mode)
            branches[c].direction = used[c].direction;
    }
    slip_system_fill(m->system, m->work);
    find_sizes(m, q, v);
    find_compliances(m);
    m->shared_size = 0;
    for (int c = 0; slip_system_shared(m->work) && c < m->count; c++)
        if (slip_system_shares(m->work, c))
            m->shared_size = slip_larger(m->shared_size, slip_larger(fabs(m->work->contacts[c].normal),
                                                                     fabs(m->work->contacts[c].force)));
    return true;
}

/* The size of the terms of an acceleration along a row, which violations are relative to. */
static double acceleration_scale(const slip_modes *m, const double *row)
{
    double sum = 1e-300;
    for (int i = 0; i < m->system->n; i++)
        sum += m->size[i] * fabs(row[i]);
    return sum;
}

/* The rounding error of a force along a row. */
static double row_rounding(const slip_modes *m, const double *row)
{
    const double compliance = slip_modes_product(m, row, row);
    return compliance > 0 ? 8 * DBL_EPSILON * acceleration_scale(m, row) / compliance : 0;
}

double slip_modes_force_rounding(const slip_modes *m, int c)
{
    const slip_contact *contact = &m->system->contacts[c];
    const double *gap = contact->has_gap ? slip_system_gap_row(m->system, m->work, c, m->t, m->q) : NULL,
                 *row = contact->frictionless ? gap : contact->slip.row;
    const double compliance = contact->frictionless ? m->gap_compliance[c] : m->slip_compliance[c];
    double sum = m->areas[c] && gap ? row_rounding(m, gap) : 0;
    for (int part = 0; m->areas[c] && part < contact->dimension; part++)
        sum += row_rounding(m, contact->friction->row(m->system, m->work, c, part)) / contact->unit[part];
    if (m->areas[c])
        return sum;
    return compliance > 0 && row ? 8 * DBL_EPSILON * acceleration_scale(m, row) / compliance : 0;
}

/* The part of the acceleration scale of a row that comes from elastic bodies. */
static double kin_scale(const slip_modes *m, const double *row)
{
    double sum = 0;
    for (int i = 0; row && m->system->kin && i < m->system->n; i++)
        sum += m->system->kin[i] >= 0 ? m->size[i] * fabs(row[i]) : 0;
    return sum;
}

slip_modes_sizes slip_modes_sizes_of(const slip_modes *m, int c)
{
    const slip_contact *contact = &m->system->contacts[c];
    const double gap = kin_scale(m, contact->has_gap ? contact->gap.row : NULL),
                 slip = kin_scale(m, contact->frictionless ? NULL : contact->slip.row);
    return (slip_modes_sizes){gap, slip, gap > 0 ? gap / m->gap_compliance[c] : 0,
                              slip > 0 ? slip / m->slip_compliance[c] : 0};
}

/* Whether a rate that a constraint should hold at zero is not zero: constraints contradict each other, and
 * the forces found are a least-squares solution. */
static bool contradicted(double rate, double scale)
{
    return fabs(rate) > 1e-8 * scale;
}

/* The growth rate of the slip of a contact that starts to slip in a mode; *row: the row of its direction. */
static double growth_of(slip_modes *m, int c, const slip_branch *branch, const double **row)
{
    const slip_contact *contact = &m->system->contacts[c];
    double rate[3], sum = 0;
    contact->friction->rates(m->system, m->work, c, m->t, m->q, m->v, m->a, rate);
    if (!branch->direction) {
        *row = contact->friction->row(m->system, m->work, c, 0);
        return branch->mode == SLIP_MODE_SLIP_PLUS ? rate[0] : -rate[0];
    }
    memset(m->row, 0, (size_t)m->system->n * sizeof(double));
    for (int part = 0; part < contact->dimension; part++) {
        const double *own = contact->friction->row(m->system, m->work, c, part),
                     along = contact->unit[part] * contact->unit[part] * branch->direction[part];
        sum += along * rate[part];
        for (int i = 0; i < m->system->n; i++)
            m->row[i] += along * own[i];
    }
    *row = m->row;
    return sum;
}

/* The violation of the limit of stick of a contact at rest that sticks. */
static double hold_violation(slip_modes *m, int c)
{
    const slip_contact *contact = &m->system->contacts[c];
    const slip_contact_state *state = &m->work->contacts[c];
    double rate[3], load = fabs(state->force), limit, size;
    contact->friction->rates(m->system, m->work, c, m->t, m->q, m->v, m->a, rate);
    for (int part = 0; part < contact->dimension; part++)
        if (contradicted(rate[part],
                         acceleration_scale(m, contact->friction->row(m->system, m->work, c, part))))
            return INFINITY;
    limit = m->areas[c] ? m->patches.limit(m->patches.user, c, &load)
                        : slip_larger(state->normal, 0) * contact->friction->hold(m->system, m->work, c);
    size = slip_larger(limit, 0) + load + 1e-300;
    if (slip_system_shares(m->work, c))
        size += m->shared_size;
    return load < INFINITY ? (load - limit) / size : INFINITY;
}

double slip_modes_contact_violation(slip_modes *m, int c, const slip_standing *standing,
                                    const slip_branch *branch)
{
    const slip_contact *contact = &m->system->contacts[c];
    const double t = m->t, *q = m->q, *v = m->v;
    const slip_contact_state *state = &m->work->contacts[c];
    bool unilateral = contact->has_gap;
    double worst = -INFINITY, normal = state->normal, size;
    if (unilateral && branch->mode == SLIP_MODE_OPEN && !standing->touching)
        return worst;
    if (unilateral) {
        const double curve = slip_system_gap_curve(m->system, m->work, c, t, q, v, m->a),
                     scale = acceleration_scale(m, slip_system_gap_row(m->system, m->work, c, t, q));
        if (branch->mode == SLIP_MODE_OPEN)
            return -curve / scale;
        if (contradicted(curve, scale))
            return INFINITY;
        /* N is relative to the force that would stop the acceleration without contacts. */
        size = scale / m->gap_compliance[c] + fabs(normal);
        worst = -normal / size;
    }
    if (m->areas[c] && (!standing->resting || !contact->set_valued))
        return worst;
    if (branch->mode == SLIP_MODE_STICK)
        return slip_larger(worst, hold_violation(m, c));
    if (m->areas[c] && !branch->direction)
        return INFINITY; /* it cannot slip */
    if (standing->resting && contact->set_valued) {
        const double *row, growth = growth_of(m, c, branch, &row);
        worst = slip_larger(worst, -growth / acceleration_scale(m, row));
    }
    return worst;
}

static double trial_violation(slip_modes *m, double t, const double *q, const double *v,
                              const slip_standing *standing, slip_branch *branches)
{
    double worst = -INFINITY;
    if (!slip_modes_evaluate(m, branches, t, q, v))
        return INFINITY;
    for (int c = 0; c < m->count; c++)
        if (slip_contact_chooses(&m->system->contacts[c]))
            worst = slip_larger(worst, slip_modes_contact_violation(m, c, &standing[c], &branches[c]));
    return worst;
}

double slip_modes_violation(slip_modes *m, double t, const double *q, const double *v,
                            const slip_standing *standing, const slip_branch *branches)
{
    memcpy(m->asked, branches, (size_t)m->count * sizeof(slip_branch));
    m->wedged = false;
    for (int c = 0; c < m->count; c++)
        m->wedged |= (branches[c].clip & SLIP_CLIP_WEDGED) != 0;
    return trial_violation(m, t, q, v, standing, m->asked);
}

/* After an evaluation: whether a contact whose mode is slip or open is held at rest by the other contacts. It
 * has to stick or be closed then: its mode does not change the motion, but the forces. */
static bool idles(slip_modes *m, const slip_standing *standing, const slip_branch *branches)
{
    for (int c = 0; c < m->count && m->work->constraint_count > 0; c++) {
        const slip_contact *contact = &m->system->contacts[c];
        const slip_mode mode = branches[c].mode;
        const double *row;
        double rate;
        if (!slip_contact_chooses(contact) || m->aside[c])
            continue;
        if (contact->has_gap && mode == SLIP_MODE_OPEN) {
            if (!standing[c].touching)
                continue;
            rate = slip_system_gap_curve(m->system, m->work, c, m->t, m->q, m->v, m->a);
            row = slip_system_gap_row(m->system, m->work, c, m->t, m->q);
        } else {
            if (mode == SLIP_MODE_STICK || contact->frictionless || !standing[c].resting ||
                (m->areas[c] && !contact->set_valued))
                continue;
            rate = growth_of(m, c, &branches[c], &row);
        }
        if (!contradicted(rate, acceleration_scale(m, row)) && slip_system_holds(m->system, m->work, row))
            return true;
    }
    return false;
}

/* Lists the violations at the last evaluation of all contacts that are decided; returns the largest. */
static double list_violations(slip_modes *m, const slip_standing *standing, double *list)
{
    double worst = -INFINITY;
    for (int c = 0; c < m->count; c++) {
        list[c] = -INFINITY;
        if (slip_contact_chooses(&m->system->contacts[c]) && !m->aside[c])
            list[c] = slip_modes_contact_violation(m, c, &standing[c], &m->trial[c]);
        worst = slip_larger(worst, list[c]);
    }
    return worst;
}

/* Computes the change of accelerations by loads a short time ahead, as a scale. Where the load of a body at
 * rest passes zero, it is otherwise only its rounding error. */
static void find_change(slip_modes *m, const slip_instant *now)
{
    const int n = m->system->n;
    bool leaves = false;
    for (int c = 0; c < m->count; c++)
        leaves |= now->standing[c].leaving;
    m->change_known = true;
    if (!leaves || !slip_modes_evaluate(m, m->trial, now->t, now->q, now->v))
        return;
    memcpy(m->known, m->work->loads, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        m->q_ahead[i] = now->q[i] + now->ahead * now->v[i];
        m->v_ahead[i] = now->v[i];
    }
    if (!slip_modes_evaluate(m, m->trial, now->t + now->ahead, m->q_ahead, m->v_ahead))
        return;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            m->change[i] += fabs(m->work->inverse_mass[i * n + j] * (m->work->loads[j] - m->known[j]));
}

/* The largest violation now, and a time h ahead; INFINITY where the equation is not defined. */
static double violations_now(slip_modes *m, const slip_instant *now)
{
    if (!m->change_known)
        find_change(m, now);
    m->slack = 1e-8;
    m->at_now = slip_modes_evaluate(m, m->trial, now->t, now->q, now->v);
    return m->at_now ? list_violations(m, now->standing, m->violations) : INFINITY;
}
static double violations_ahead(slip_modes *m, const slip_instant *now, double h, const double *a)
{
    for (int i = 0; i < m->system->n; i++) {
        m->q_ahead[i] = now->q[i] + h * (now->v[i] + 0.5 * h * a[i]);
        m->v_ahead[i] = now->v[i] + h * a[i];
    }
    m->slack = 1e-12;
    if (!slip_modes_evaluate(m, m->trial, now->t + h, m->q_ahead, m->v_ahead))
        return INFINITY;
    return list_violations(m, now->standing, m->violations + m->count);
}

/* Whether a condition is violated by no more than its change within the rounding error of the time of the
 * event. */
static bool just_met(const slip_modes *m, int c)
{
    const double now = m->violations[c], later = m->violations[m->count + c];
    return now <= 1e-8 || now <= -1e-3 * later;
}

/* Whether a contact has reached its own limit but the trial keeps all modes: these modes have just ended. (A
 * limit at which forces that are not unique are kept ends nothing.) The conditions of an area that turns the
 * direction of its slip need not show that end. */
static bool has_ended(const slip_modes *m, const slip_standing *standing)
{
    bool let_go = false;
    for (int c = 0; c < m->count; c++) {
        if (m->aside[c])
            continue;
        if (m->trial[c].mode != (standing[c].let_go ? SLIP_MODE_STICK : m->before[c]))
            return false;
        /* Forces of a structure may have kinks, next to which a limit may be located too early. */
        if (standing[c].let_go && m->system->structure->push && m->violations[c] < -1e-4)
            return false;
        let_go |= standing[c].let_go && !slip_system_shares(m->work, c);
    }
    return let_go;
}

/* Whether a contact is still too near its limit a short time ahead to be decided. Forces that are not unique
 * may stay at their limits. */
static bool is_tie(const slip_modes *m)
{
    for (int c = 0; c < m->count && fabs(m->reserve) <= m->slack; c++)
        if (fabs(m->violations[m->count + c]) <= m->slack && !slip_system_shares(m->work, c))
            return true;
    return false;
}

bool slip_modes_consistent(slip_modes *m, const slip_instant *now, double *margin)
{
    bool met = true;
    const double violation = violations_now(m, now);
    *margin = m->reserve = -violation;
    if (!(violation <= 1e-3) || has_ended(m, now->standing))
        return false;
    if (violation < -1e-4)
        return true; /* no contact is near its limit */
    /* Where large forces cancel, a longer time ahead is needed. */
    memcpy(m->a_now, m->a, (size_t)m->system->n * sizeof(double));
    for (int k = 0; k < 3 && (k == 0 || is_tie(m)); k++)
        m->reserve = -violations_ahead(m, now, ldexp(now->ahead, 5 * k), m->a_now);
    *margin = fmin(*margin, m->reserve);
    for (int c = 0; c < m->count; c++)
        met = met && just_met(m, c);
    return met && m->reserve >= -m->slack && !idles(m, now->standing, m->trial);
}

bool slip_modes_could_stick(slip_modes *m, const slip_instant *now, int c)
{
    const size_t size = (size_t)m->count * sizeof(slip_branch);
    bool could;
    memcpy(m->spare, m->trial, size);
    slip_modes_set(&m->system->contacts[c], &m->trial[c], SLIP_MODE_STICK);
    m->keep_directions = true;
    could = violations_now(m, now) < INFINITY &&
            memcpy(m->a_now, m->a, (size_t)m->system->n * sizeof(double)) && m->violations[c] <= 1e-3 &&
            violations_ahead(m, now, now->ahead, m->a_now) < INFINITY &&
            m->violations[m->count + c] <= m->slack && just_met(m, c);
    memcpy(m->trial, m->spare, size);
    m->keep_directions = false;
    m->at_now = false;
    return could;
}
