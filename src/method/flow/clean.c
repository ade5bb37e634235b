/* Projects velocities and gaps onto the constraints of all contacts. No correction may undo an earlier one,
 * so each direction is made orthogonal to the earlier directions with respect to the mass matrix. */
#include "math/vector.h"
#include "method/flow/switch.h"

double slip_flow_orthogonalise(const slip_flow *flow, int *count)
{
    const int n = flow->n;
    double product = 0, before = 0;
    int low = n, high = 0; /* what is not zero is in between */
    for (int i = 0; i < n; i++) {
        before += fabs(flow->scratch.row[i]);
        low = flow->scratch.row[i] != 0 && i < low ? i : low;
        high = flow->scratch.row[i] != 0 ? i + 1 : high;
    }
    for (int k = 0; k < *count; k++) {
        const double *other = flow->scratch.basis + 2 * k * n;
        double overlap = 0, square = 0;
        for (int i = low; i < high; i++)
            overlap += flow->scratch.row[i] * other[n + i];
        if (overlap == 0)
            continue;
        for (int i = 0; i < n; i++)
            square += other[i] * other[n + i];
        for (int i = 0; i < n; i++)
            flow->scratch.row[i] -= overlap / square * other[i];
        low = 0;
        high = n;
    }
    slip_system_response(flow->system, flow->work, flow->scratch.row, flow->scratch.response);
    double after = 0;
    for (int i = 0; i < n; i++) {
        after += fabs(flow->scratch.row[i]);
        product += flow->scratch.row[i] * flow->scratch.response[i];
    }
    if (after <= 1e-10 * before || *count == n)
        return 0;
    memcpy(flow->scratch.basis + 2 * *count * n, flow->scratch.row, (size_t)n * sizeof(double));
    memcpy(flow->scratch.basis + (2 * *count + 1) * n, flow->scratch.response, (size_t)n * sizeof(double));
    ++*count;
    return product;
}

bool slip_flow_is_dead(const slip_flow *flow, int c, double t, const double *q, const double *v)
{
    const slip_contact *contact = &flow->system->contacts[c];
    const double time = slip_flow_time_scale(flow);
    double *before = flow->scratch.block;
    if (contact->slip.row || contact->dimension > 1)
        return false;
    for (int i = 0; i < flow->n; i++)
        before[i] = i < flow->moving ? q[i] - time * v[i] : q[i];
    const double usual = slip_system_direction(flow->system, flow->work, c, t, before, v, flow->scratch.row,
                                               flow->scratch.response);
    return slip_system_direction(flow->system, flow->work, c, t, q, v, flow->scratch.row,
                                 flow->scratch.response) <= 1e-20 * usual;
}

/* The part of a slip velocity that contradicts the mode: all of it in stick; in slip, a small value of the
 * wrong sign, which interpolation and rounding leave where slip starts and ends. */
static double wrong_slip(const slip_flow *flow, int c, double t, const double *q, const double *v)
{
    slip_mode mode = flow->branches[c].mode;
    double slip;
    if (mode == SLIP_MODE_OPEN || mode == SLIP_MODE_CLOSED || !slip_flow_decided(flow, c) ||
        !flow->system->contacts[c].law.type->info.set_valued)
        return 0;
    slip = slip_system_slip(flow->system, flow->work, c, t, q, v);
    return (mode == SLIP_MODE_SLIP_PLUS && slip > 0) || (mode == SLIP_MODE_SLIP_MINUS && slip < 0) ||
                   slip == 0 || slip_flow_is_dead(flow, c, t, q, v)
               ? 0
               : slip;
}

/* ---- Patches: up to three slip velocities each. */

static bool patch_is_clean(const slip_flow *flow, int c, double t, const double *q, const double *v)
{
    double target[3], slip[3];
    if (!slip_flow_patch_target(flow, c, target))
        return true;
    slip_system_patch_slip(flow->system, flow->work, c, t, q, v, slip);
    for (int part = 0; part < 3; part++) {
        const double *row = slip_system_patch_row(flow->system, flow->work, c, part);
        if (fabs(slip[part] - target[part]) > 4 * DBL_EPSILON * slip_dot_size(flow->n, row, v))
            return false;
    }
    return true;
}

static void clean_patch(const slip_flow *flow, int c, double t, const double *q, double *v, int *count)
{
    double target[3], slip[3];
    if (!slip_flow_patch_target(flow, c, target))
        return;
    for (int part = 0; part < 3; part++) {
        double product;
        slip_system_patch_slip(flow->system, flow->work, c, t, q, v, slip);
        memcpy(flow->scratch.row, slip_system_patch_row(flow->system, flow->work, c, part),
               (size_t)flow->n * sizeof(double));
        product = slip_flow_orthogonalise(flow, count);
        if (product > 0)
            slip_flow_shift(flow->n, flow->scratch.response, (target[part] - slip[part]) / product, v);
    }
}

/* ---- All contacts and patches together. */

static bool clean_already(const slip_flow *flow, double t, const double *q, const double *v)
{
    for (int c = 0; c < flow->contact_count; c++) {
        if (!patch_is_clean(flow, c, t, q, v))
            return false;
        const double *row =
            slip_flow_is_closed(flow, c) ? slip_system_gap_row(flow->system, flow->work, c, t, q) : NULL;
        if (wrong_slip(flow, c, t, q, v) != 0 ||
            (slip_flow_is_closed(flow, c) &&
             fabs(slip_system_gap_rate(flow->system, flow->work, c, t, q, v)) >
                 4 * DBL_EPSILON * slip_dot_size(flow->n, row, v)))
            return false;
    }
    return true;
}

static void clean_once(const slip_flow *flow, double t, const double *q, double *v)
{
    int count = 0;
    slip_system_place(flow->system, flow->work, t, q);
    for (int c = 0; c < flow->contact_count; c++) {
        double product, wrong = wrong_slip(flow, c, t, q, v);
        if (flow->branches[c].mode == SLIP_MODE_STICK)
            clean_patch(flow, c, t, q, v, &count);
        if (slip_flow_is_closed(flow, c)) {
            memcpy(flow->scratch.row, slip_system_gap_row(flow->system, flow->work, c, t, q),
                   (size_t)flow->n * sizeof(double));
            product = slip_flow_orthogonalise(flow, &count);
            if (product > 0)
                slip_flow_shift(flow->n, flow->scratch.response,
                                -slip_system_gap_rate(flow->system, flow->work, c, t, q, v) / product, v);
            wrong = wrong_slip(flow, c, t, q, v);
        }
        if (wrong != 0 || (flow->branches[c].mode == SLIP_MODE_STICK && slip_flow_decided(flow, c) &&
                           flow->system->contacts[c].dimension == 1)) {
            slip_system_direction(flow->system, flow->work, c, t, q, v, flow->scratch.row,
                                  flow->scratch.response);
            product = slip_flow_orthogonalise(flow, &count);
            if (product > 0)
                slip_flow_shift(flow->n, flow->scratch.response, -wrong / product, v);
        }
    }
    /* Slipping patches come last, not to move what sticks; the slowest first: its error is smallest. */
    for (int k = 0; k < flow->areas.count; k++)
        clean_patch(flow, flow->areas.list[slip_flow_patch_by_size(flow, k)].contact, t, q, v, &count);
}

/* The wrong slip of a contact over the rounding error of its own slip velocity. */
static double beyond_rounding(const slip_flow *flow, int c, double t, const double *q, const double *v)
{
    double wrong = wrong_slip(flow, c, t, q, v), size;
    if (wrong == 0)
        return 0;
    slip_system_direction(flow->system, flow->work, c, t, q, v, flow->scratch.row, flow->scratch.response);
    size = slip_dot_size(flow->n, flow->scratch.row, v);
    return fabs(wrong) / (8 * DBL_EPSILON * (size + fabs(wrong - size)) + DBL_MIN);
}

/* Contacts whose directions depend on others were left out. They are at rest up to rounding of the velocities
 * of those others, but their own velocities can be much smaller. So they are projected one by one. */
static void clean_dependent(const slip_flow *flow, double t, const double *q, double *v)
{
    for (int k = 0; k < 4 * flow->contact_count; k++) {
        int worst = -1;
        double most = 1, product;
        for (int c = 0; c < flow->contact_count; c++) {
            double beyond = beyond_rounding(flow, c, t, q, v);
            if (beyond > most) {
                most = beyond;
                worst = c;
            }
        }
        if (worst < 0)
            return;
        product = slip_system_direction(flow->system, flow->work, worst, t, q, v, flow->scratch.row,
                                        flow->scratch.response);
        slip_flow_shift(flow->n, flow->scratch.response, -wrong_slip(flow, worst, t, q, v) / product, v);
    }
}

void slip_flow_clean(const slip_flow *flow, double t, const double *q, double *v)
{
    double before = flow->sizes.fastest;
    if (clean_already(flow, t, q, v))
        return;
    before = fmax(before, slip_largest(flow->n, v));
    /* a second time, for the rounding errors of the first */
    clean_once(flow, t, q, v);
    for (int k = 0; k < 2 && !clean_already(flow, t, q, v); k++)
        clean_once(flow, t, q, v);
    /* Where everything comes to rest, velocities of the size of rounding are set to zero. */
    for (int i = 0; i < flow->n; i++)
        if (fabs(v[i]) <= 1e-24 * before)
            v[i] = 0;
    if (flow->contact_count > 1)
        clean_dependent(flow, t, q, v);
}

static void close_gaps_once(const slip_flow *flow, double t, double *q)
{
    int count = 0;
    slip_system_place(flow->system, flow->work, t, q);
    for (int c = 0; c < flow->contact_count; c++)
        if (slip_flow_is_closed(flow, c)) {
            double product;
            memcpy(flow->scratch.row, slip_system_gap_row(flow->system, flow->work, c, t, q),
                   (size_t)flow->n * sizeof(double));
            product = slip_flow_orthogonalise(flow, &count);
            if (product > 0)
                slip_flow_shift(flow->n, flow->scratch.response,
                                -slip_system_gap(flow->system, flow->work, c, t, q) / product, q);
        }
}

/* One step of Newton's method is exact where gaps are linear. Nonlinear gaps take two more: a step of the
 * motion leaves errors of the size of the tolerance, the first Newton step those of its square. */
void slip_flow_close_gaps(const slip_flow *flow, double t, double *q)
{
    for (int round = 0; round < (flow->system->varying_gaps ? 3 : 1); round++)
        close_gaps_once(flow, t, q);
}

double slip_flow_gap_response(const slip_flow *flow, int c)
{
    slip_system_place(flow->system, flow->work, flow->t, flow->q);
    const double *row = slip_system_gap_row(flow->system, flow->work, c, flow->t, flow->q);
    double product = 0;
    slip_system_response(flow->system, flow->work, row, flow->scratch.response);
    for (int i = 0; i < flow->n; i++)
        product += row[i] * flow->scratch.response[i];
    return product;
}

void slip_flow_close_gap(slip_flow *flow, int c)
{
    double product = slip_flow_gap_response(flow, c);
    slip_flow_shift(flow->n, flow->scratch.response,
                    -slip_system_gap(flow->system, flow->work, c, flow->t, flow->q) / product, flow->q);
}

/* Whether the gaps of all closed contacts are exactly zero: then nothing has to be corrected. */
static bool touches_exactly(const slip_flow *flow)
{
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->decision.standing[c].touching &&
            (slip_system_gap(flow->system, flow->work, c, flow->t, flow->q) != 0 ||
             slip_system_gap_rate(flow->system, flow->work, c, flow->t, flow->q, flow->v) != 0))
            return false;
    return true;
}

void slip_flow_close_touching(slip_flow *flow)
{
    int count = 0;
    slip_system_place(flow->system, flow->work, flow->t, flow->q);
    if (touches_exactly(flow))
        return;
    for (int c = 0; c < flow->contact_count; c++) {
        double product;
        if (!flow->decision.standing[c].touching)
            continue;
        memcpy(flow->scratch.row, slip_system_gap_row(flow->system, flow->work, c, flow->t, flow->q),
               (size_t)flow->n * sizeof(double));
        product = slip_flow_orthogonalise(flow, &count);
        if (!(product > 0))
            continue;
        slip_flow_shift(flow->n, flow->scratch.response,
                        -slip_system_gap(flow->system, flow->work, c, flow->t, flow->q) / product, flow->q);
        slip_flow_shift(
            flow->n, flow->scratch.response,
            -slip_system_gap_rate(flow->system, flow->work, c, flow->t, flow->q, flow->v) / product, flow->v);
    }
}

void slip_flow_move_gaps(slip_flow *flow, double t, const double *q)
{
    for (int k = 0, c; k < flow->system->gap_count; k++)
        if (!slip_flow_is_closed(flow, c = flow->system->gaps[k]))
            flow->gaps.now[c] = !flow->system->contacts[c].gap.row
                                    ? slip_system_gap(flow->system, flow->work, c, t, q)
                                    : flow->gaps.now[c] + slip_flow_gap_moved(flow, c, q) +
                                          slip_system_gap_change(flow->system, flow->work, c, flow->t, t);
}
