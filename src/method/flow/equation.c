/* The equations that the steppers of a flow integrate. */
#include "math/vector.h"
#include "method/flow/flow.h"
#include "system/evaluate.h"
#include "system/vibration/linearise.h"

#include <math.h>
#include <string.h>

static bool note_failure(slip_flow *flow, double t, const double *q, const double *v)
{
    flow->failure.found = true;
    flow->failure.t = t;
    memcpy(flow->failure.q, q, (size_t)flow->n * sizeof(double));
    memcpy(flow->failure.v, v, (size_t)flow->n * sizeof(double));
    return false;
}

static inline bool accelerate(slip_flow *flow, double t, const double *q, const double *v, double *a)
{
    if (!slip_system_acceleration(flow->system, flow->work, flow->has_breaks ? flow->branches : NULL, t, q, v,
                                  a))
        return note_failure(flow, t, q, v);
    if (flow->charts.held > 0 && !slip_system_constrain(flow->system, flow->work, flow->branches, t, q, v, a))
        return note_failure(flow, t, q, v);
    return true;
}

/* The part of a gap's rate that comes from the velocities of the coordinates. */
static double approach(const slip_flow *flow, int c, const double *v)
{
    const double *row = flow->system->contacts[c].gap.row;
    double sum = slip_dot(flow->n, row, v);
    return sum;
}

static inline void note(slip_flow_works *w, int k, double value)
{
    const double size = fabs(value);
    w->low[k] = size < w->low[k] ? size : w->low[k];
    w->high[k] = size > w->high[k] ? size : w->high[k];
}

/* The powers at the last evaluation, in the order of slip_works. */
SLIP_INLINE void find_powers(const int n, slip_flow *flow, double t, const double *q, const double *v,
                             double *powers)
{
    slip_flow_works *w = &flow->works;
    const int m = flow->contact_count;
    double of_loads = 0, of_damping = 0;
    for (int i = 0; i < n && w->loaded; i++)
        of_loads += flow->work->loads[i] * v[i];
    for (int i = 0; i < n && n <= 2 && w->damped; i++)
        for (int j = 0; j < n; j++)
            of_damping += v[i] * flow->system->damping[i * n + j] * v[j];
    for (int k = 0; k < w->damping_count && n > 2; k++)
        of_damping += v[w->damping[k] / n] * flow->system->damping[w->damping[k]] * v[w->damping[k] % n];
    powers[SLIP_WORK_LOADS] = of_loads;
    powers[SLIP_WORK_DAMPING] = of_damping;
    if (w->other)
        slip_flow_other_powers(flow, t, q, v, powers);
    powers += SLIP_WORK_CONTACTS;
    for (int c = 0; c < m; c++) {
        const slip_contact_state *state = &flow->work->contacts[c];
        powers[c] = state->force * state->slip;
        powers[m + c] = -powers[c];
        if (w->moving[c])
            slip_flow_moving_powers(flow, c, t, q, v, powers);
        note(w, c, state->normal);
        note(w, m + c, state->force);
    }
}

/* Compiled with n known for the smallest systems, like the evaluation itself. */
SLIP_INLINE bool find_rates(const int n, slip_flow *flow, double t, const double *y, double *dy)
{
    const double *v = y + n;
    const int moving = flow->moving;
    for (int i = 0; i < n; i++)
        dy[i] = i < moving ? v[i] : 0;
    for (int k = 0; k < flow->gaps.count; k++)
        dy[flow->gaps.first + k] = approach(flow, flow->gaps.open[k], v);
    if (!accelerate(flow, t, y, v, dy + n))
        return false;
    if (flow->works.telling && flow->stepper == flow->plain)
        find_powers(n, flow, t, y, v, dy + flow->plain->ode.m);
    return true;
}

static bool rates_of_one(void *user, double t, const double *y, double *dy)
{
    return find_rates(1, user, t, y, dy);
}

static bool rates_of_two(void *user, double t, const double *y, double *dy)
{
    return find_rates(2, user, t, y, dy);
}

static bool rates_of_any(void *user, double t, const double *y, double *dy)
{
    return find_rates(((slip_flow *)user)->n, user, t, y, dy);
}

static bool plain_jacobian(void *user, double t, const double *y, double *jacobian)
{
    slip_flow *flow = user;
    int n = flow->n, m = 2 * n;
    double *a_q = flow->scratch.block, *a_v = a_q + n * n;
    if (!slip_system_jacobian(flow->system, flow->work, flow->has_breaks ? flow->branches : NULL, t, y, y + n,
                              flow->a_last, a_q, a_v, NULL, NULL))
        return false;
    if (flow->charts.held > 0) {
        slip_system_constrain(flow->system, flow->work, flow->branches, t, y, y + n, flow->a_last);
        slip_system_project(flow->system, flow->work, n, a_q);
        slip_system_project(flow->system, flow->work, n, a_v);
    }
    memset(jacobian, 0, (size_t)(m * m) * sizeof(double));
    for (int i = 0; i < n; i++) {
        jacobian[i * m + n + i] = i < flow->moving;
        memcpy(jacobian + (n + i) * m, a_q + i * n, (size_t)n * sizeof(double));
        memcpy(jacobian + (n + i) * m + n, a_v + i * n, (size_t)n * sizeof(double));
    }
    return true;
}

/* ---- In charts. */

static double chart_radius(const slip_flow *flow, int c)
{
    return flow->system->contacts[c].law.breaks[flow->branches[c].chart].radius;
}

/* S = |dv/ds| = r sin|s| of a charted contact, continued analytically beyond s = 0. */
static double chart_speed(const slip_flow *flow, int c)
{
    return flow->charts.side[c] * chart_radius(flow, c) * sin(flow->branches[c].s);
}

/* Whether contact c is charted, and so enters 1/mu; for a patch S is the size L of its slip. */
static bool counts(const slip_flow *flow, int c)
{
    return slip_flow_charted(flow, c) || (flow->areas.of[c] && flow->areas.of[c]->charted);
}

/* Returns mu and sets mu / S of each charted contact, by a formula in which one S may vanish. */
static double clock_speed(slip_flow *flow)
{
    double smallest = INFINITY, sum = 0;
    for (int c = 0; c < flow->contact_count; c++)
        if (counts(flow, c)) {
            flow->charts.speed[c] =
                flow->areas.of[c] ? exp(flow->areas.of[c]->log_size) : chart_speed(flow, c);
            smallest = fabs(flow->charts.speed[c]) < fabs(smallest) ? flow->charts.speed[c] : smallest;
        }
    for (int c = 0; c < flow->contact_count; c++)
        if (counts(flow, c)) {
            flow->charts.speed[c] = flow->charts.speed[c] == smallest ? 1 : smallest / flow->charts.speed[c];
            sum += flow->charts.speed[c];
        }
    for (int c = 0; c < flow->contact_count; c++)
        if (counts(flow, c))
            flow->charts.speed[c] /= sum;
    return smallest / sum;
}

static void read_chart(slip_flow *flow, const double *y)
{
    for (int c = 0; c < flow->contact_count; c++)
        if (slip_flow_charted(flow, c))
            flow->branches[c].s = y[2 * flow->n + 1 + flow->charts.slot[c]];
    slip_flow_patch_read(flow, y);
}

static bool charted_rhs(void *user, double x, const double *y, double *dy)
{
    slip_flow *flow = user;
    int n = flow->n;
    const double *q = y, *v = y + n;
    double t = flow->charts.origin + y[2 * n], speed;
    (void)x;
    read_chart(flow, y);
    if (!accelerate(flow, t, q, v, flow->a_last))
        return false;
    speed = clock_speed(flow);
    for (int i = 0; i < n; i++) {
        dy[i] = i < flow->moving ? speed * v[i] : 0;
        dy[n + i] = speed * flow->a_last[i];
    }
    dy[2 * n] = speed;
    for (int k = 0; k < flow->charts.slots; k++)
        dy[2 * n + 1 + k] = 0;
    for (int c = 0; c < flow->contact_count; c++)
        if (slip_flow_charted(flow, c))
            dy[2 * n + 1 + flow->charts.slot[c]] =
                flow->charts.speed[c] *
                slip_system_slip_rate(flow->system, flow->work, c, t, q, v, flow->a_last);
    for (int k = 0; k < flow->gaps.count; k++)
        dy[flow->gaps.first + k] = speed * approach(flow, flow->gaps.open[k], v);
    slip_flow_patch_rates(flow, t, q, v, dy);
    return true;
}

/* Rows of q, v and the clock; `from` has a_q, a_v, a_t and a_s one after the other. */
static void charted_rows(slip_flow *flow, const double *v, double speed, const double *from, double *jacobian)
{
    int n = flow->n, m = 2 * n + 1 + flow->charts.slots;
    const double *a_q = from, *a_v = a_q + n * n, *a_t = a_v + n * n, *a_s = a_t + n;
    for (int i = 0; i < n; i++) {
        double *row = jacobian + (n + i) * m;
        jacobian[i * m + n + i] = i < flow->moving ? speed : 0;
        for (int j = 0; j < n; j++) {
            row[j] = speed * a_q[i * n + j];
            row[n + j] = speed * a_v[i * n + j];
        }
        row[2 * n] = speed * a_t[i];
    }
    for (int c = 0; c < flow->contact_count; c++) {
        int column = 2 * n + 1 + flow->charts.slot[c];
        double slope; /* d mu / d s */
        if (!slip_flow_charted(flow, c))
            continue;
        slope = flow->charts.speed[c] * flow->charts.speed[c] * flow->charts.side[c] * chart_radius(flow, c) *
                cos(flow->branches[c].s);
        for (int i = 0; i < n; i++) {
            jacobian[i * m + column] = slope * v[i];
            jacobian[(n + i) * m + column] = speed * a_s[c * n + i] + slope * flow->a_last[i];
        }
        jacobian[2 * n * m + column] = slope;
    }
}

/* Row of one contact's s. The second derivatives of a moving belt's velocity are left out: they matter to
 * Newton's convergence only. */
static void charted_contact_row(slip_flow *flow, int c, double t, const double *q, const double *v,
                                const double *from, double *jacobian)
{
    int n = flow->n, m = 2 * n + 1 + flow->charts.slots;
    const double *a_q = from, *a_v = a_q + n * n, *a_t = a_v + n * n, *a_s = a_t + n;
    double *row = jacobian + (2 * n + 1 + flow->charts.slot[c]) * m, *w = flow->scratch.row;
    double rate = slip_system_slip_rate(flow->system, flow->work, c, t, q, v, flow->a_last);
    double own = chart_speed(flow, c);
    slip_system_direction(flow->system, flow->work, c, t, q, v, w, flow->scratch.response);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            row[j] += flow->charts.speed[c] * w[i] * a_q[i * n + j];
            row[n + j] += flow->charts.speed[c] * w[i] * a_v[i * n + j];
        }
        row[2 * n] += flow->charts.speed[c] * w[i] * a_t[i];
    }
    for (int d = 0; d < flow->contact_count; d++) {
        double slope, numerator;
        if (!slip_flow_charted(flow, d))
            continue;
        slope = flow->charts.side[d] * chart_radius(flow, d) * cos(flow->branches[d].s);
        numerator = flow->charts.speed[d] * flow->charts.speed[d] * slope -
                    (c == d ? flow->charts.speed[c] * slope : 0);
        row[2 * n + 1 + flow->charts.slot[d]] += own != 0 ? rate * numerator / own : 0;
        for (int i = 0; i < n; i++)
            row[2 * n + 1 + flow->charts.slot[d]] += flow->charts.speed[c] * w[i] * a_s[d * n + i];
    }
}

static bool charted_jacobian(void *user, double x, const double *y, double *jacobian)
{
    slip_flow *flow = user;
    int n = flow->n, m = 2 * n + 1 + flow->charts.slots;
    const double *q = y, *v = y + n;
    double *a_q = flow->scratch.block, *a_v = a_q + n * n, *a_t = a_v + n * n, *a_s = a_t + n;
    double t = flow->charts.origin + y[2 * n], speed;
    (void)x;
    read_chart(flow, y);
    if (!slip_system_jacobian(flow->system, flow->work, flow->branches, t, q, v, flow->a_last, a_q, a_v, a_t,
                              a_s))
        return false;
    if (flow->charts.held > 0) {
        slip_system_constrain(flow->system, flow->work, flow->branches, t, q, v, flow->a_last);
        slip_system_project(flow->system, flow->work, n, a_q);
        slip_system_project(flow->system, flow->work, n, a_v);
        slip_system_project(flow->system, flow->work, 1, a_t);
        for (int c = 0; c < flow->contact_count; c++)
            slip_system_project(flow->system, flow->work, 1, a_s + c * n);
    }
    speed = clock_speed(flow);
    memset(jacobian, 0, (size_t)(m * m) * sizeof(double));
    charted_rows(flow, v, speed, a_q, jacobian);
    for (int c = 0; c < flow->contact_count; c++)
        if (slip_flow_charted(flow, c))
            charted_contact_row(flow, c, t, q, v, a_q, jacobian);
    return true;
}

/* ---- The linearised equation, for small changes of a motion. */

/* Whether the constraints of a contact have derivatives of their own: rows, columns or velocities that depend
 * on the state. */
static bool turns(const slip_flow *flow, int c)
{
    const slip_contact *contact = &flow->system->contacts[c];
    const slip_mode mode = flow->branches[c].mode;
    const bool closed = slip_contact_closed(contact, mode);
    if (flow->areas.of[c])
        return true; /* the direction of its slip is an unknown of its own */
    if (!closed && mode != SLIP_MODE_STICK)
        return false;
    if (flow->system->varying_mass || (closed && !contact->gap.row))
        return true;
    if (contact->frictionless)
        return false;
    if (mode == SLIP_MODE_STICK)
        return !contact->slip.row || (contact->slip.rest && flow->system->reads_state);
    return contact->state_count > 0 || contact->varying_count > 0 || !contact->slip.row ||
           contact->law.break_count != 1 || !contact->law.type->info.set_valued ||
           strcmp(contact->law.type->info.name, "coulomb") != 0 || contact->law.law.viscous != 0;
}

static bool accelerate_held(slip_flow *flow, double t, const double *y)
{
    slip_flow_patch_keep_course(flow, t, y, y + flow->n);
    return slip_system_acceleration(flow->system, flow->work, flow->has_breaks ? flow->branches : NULL, t, y,
                                    y + flow->n, flow->a_last) &&
           (!flow->switching ||
            slip_system_constrain(flow->system, flow->work, flow->branches, t, y, y + flow->n, flow->a_last));
}

/* The derivative of the accelerations by the number *moved, by a difference of fourth order. */
static bool difference(slip_flow *flow, double t, double *moved, double step, int stride, double *to)
{
    static const double places[] = {-2, -1, 1, 2}, weights[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const double here = *moved;
    bool good = true;
    for (int i = 0; i < flow->n; i++)
        to[i * stride] = 0;
    for (int k = 0; k < 4 && good; k++) {
        *moved = here + places[k] * step;
        good = accelerate_held(flow, t, flow->scratch.y);
        for (int i = 0; i < flow->n; i++)
            to[i * stride] += weights[k] / step * flow->a_last[i];
    }
    *moved = here;
    return good;
}

bool slip_flow_steep(const slip_flow *flow, int c, int k)
{
    const slip_law_kernel *law = slip_contact_law(flow->system, flow->work, c);
    double force, slope;
    if (flow->system->contacts[c].dimension != 1 || !slip_mode_slips(flow->branches[c].mode) ||
        (law->breaks[k].singular && flow->charts.slot[c] >= 0))
        return false;
    law->type->evaluate(law, flow->branches[c].piece, law->breaks[k].velocity, &force, &slope);
    return !isfinite(slope);
}

/* How far a number of the state in flow->scratch.y may be moved beside places where laws are steep: slips by
 * a hundredth of their distance from there. */
static double reach_of(slip_flow *flow, double t, int number)
{
    const double *q = flow->scratch.y, *v = q + flow->n;
    double reach = INFINITY, *gradient = flow->scratch.basis;
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_law_kernel *law = slip_contact_law(flow->system, flow->work, c);
        for (int k = 0; k < law->break_count; k++) {
            if (!slip_flow_steep(flow, c, k))
                continue;
            const double away =
                slip_system_slip(flow->system, flow->work, c, t, q, v) - law->breaks[k].velocity;
            slip_fill_slots(flow->n, flow->work, t, q, v);
            slip_system_slip_gradient(flow->system, flow->work,
                                      slip_contact_slips(flow->system, flow->work, c), gradient);
            if (away != 0 && gradient[number] != 0)
                reach = fmin(reach, fabs(0.01 * away / gradient[number]));
        }
    }
    return reach;
}

/* The linearised equation by differences: a_q, a_v and, in charts, a_s one after the other. At a kink of a
 * law their errors go with the step itself: it is short. */
static bool differentiate(slip_flow *flow, double t, const double *y, const double *size, double *a_q)
{
    const double share = slip_system_kinked(flow->system) ? 1e-7 : 1e-4;
    const int n = flow->n;
    bool good = true;
    memcpy(flow->scratch.y, y, 2 * (size_t)n * sizeof(double));
    for (int j = 0; j < 2 * n && good; j++)
        good = difference(flow, t, &flow->scratch.y[j], fmin(share * size[j], reach_of(flow, t, j)), n,
                          j < n ? a_q + j : a_q + n * n + j - n);
    for (int c = 0; c < flow->contact_count && good && slip_flow_in_chart(flow); c++)
        if (slip_flow_charted(flow, c))
            good = difference(flow, t, &flow->branches[c].s, 1e-3, 1, a_q + 2 * n * n + c * n);
    return good && accelerate_held(flow, t, flow->scratch.y);
}

/* The linearised equation by analytic derivatives: a_q, a_v and, in charts, a_s one after the other; false
 * where the constraints depend on the state. */
static bool linearise(slip_flow *flow, double t, const double *y, bool charted, double *a_q)
{
    const int n = flow->n;
    double *a_v = a_q + n * n, *a_s = a_v + n * n;
    for (int c = 0; c < flow->contact_count && flow->switching; c++)
        if (turns(flow, c))
            return false;
    if (!slip_system_jacobian(flow->system, flow->work, flow->has_breaks ? flow->branches : NULL, t, y, y + n,
                              flow->a_last, a_q, a_v, NULL, charted ? a_s : NULL))
        return false;
    if (!flow->switching && flow->charts.held == 0)
        return true;
    slip_system_constrain(flow->system, flow->work, flow->branches, t, y, y + n, flow->a_last);
    for (int c = 0; c < flow->contact_count && charted; c++)
        slip_system_project(flow->system, flow->work, 1, a_s + c * n);
    return slip_system_project(flow->system, flow->work, n, a_q) &&
           slip_system_project(flow->system, flow->work, n, a_v);
}

/* The matrix of slip_flow_variation over the clock of the charted stepper (`charted`) or over time. */
static bool vary(slip_flow *flow, double t, const double *y, const double *size, bool charted, double *matrix,
                 double *speed)
{
    const int n = flow->n, m = 2 * n;
    double *a_q = flow->scratch.block, *a_v = a_q + n * n, *a_s = a_v + n * n;
    if (!linearise(flow, t, y, charted, a_q) && !differentiate(flow, t, y, size, a_q))
        return false;
    *speed = charted ? clock_speed(flow) : 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            matrix[i * m + j] = 0;
            matrix[i * m + n + j] = i == j && i < flow->moving ? *speed : 0;
            matrix[(n + i) * m + j] = *speed * a_q[i * n + j];
            matrix[(n + i) * m + n + j] = *speed * a_v[i * n + j];
        }
    for (int c = 0; c < flow->contact_count && charted; c++)
        if (slip_flow_charted(flow, c)) {
            slip_system_direction(flow->system, flow->work, c, t, y, y + n, flow->scratch.row,
                                  flow->scratch.response);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    matrix[(n + i) * m + n + j] +=
                        flow->charts.speed[c] * a_s[c * n + i] * flow->scratch.row[j];
        }
    return flow->areas.count == 0 || slip_flow_patch_vary(flow, t, y, charted, *speed, matrix);
}

bool slip_flow_variation(slip_flow *flow, double x, const double *y, const double *size, double *matrix,
                         double *speed)
{
    const bool charted = slip_flow_in_chart(flow);
    const double t = slip_flow_time(flow, x, y);
    if (charted)
        read_chart(flow, y);
    slip_flow_patch_steer(flow, t, y, y + flow->n);
    return vary(flow, t, y, size, charted, matrix, speed);
}

bool slip_flow_variation_now(slip_flow *flow, double t, const double *y, const double *size, double *matrix)
{
    double speed;
    return vary(flow, t, y, size, false, matrix, &speed);
}

void slip_flow_chart_pull(slip_flow *flow, int c, double slip, double *force)
{
    const double *a_s = flow->scratch.block + 2 * flow->n * flow->n + c * flow->n;
    for (int i = 0; i < flow->n && slip_flow_in_chart(flow) && slip_flow_charted(flow, c); i++)
        force[i] += flow->charts.speed[c] * a_s[i] * slip;
}

const slip_ode slip_flow_plain_odes[3] = {{.rhs = rates_of_any, .jacobian = plain_jacobian},
                                          {.rhs = rates_of_one, .jacobian = plain_jacobian},
                                          {.rhs = rates_of_two, .jacobian = plain_jacobian}};
const slip_ode slip_flow_charted_ode = {0, 0, charted_rhs, charted_jacobian, NULL};
