/* The piece of its law in which each contact is, and the change to the next piece. */
#include "method/flow/jumps.h"

#include <float.h>
#include <math.h>
#include <string.h>

void slip_flow_rates(slip_flow *flow, double t, const double *q, const double *v, const double *a,
                     double *slip, double *rate)
{
    for (int c = 0; c < flow->contact_count; c++)
        slip[c] = flow->work->contacts[c].slip;
    if (flow->has_breaks)
        for (int c = 0; c < flow->contact_count; c++)
            rate[c] = slip_flow_law(flow, c)->break_count > 0 || slip_flow_has_sliders(flow, c)
                          ? slip_system_slip_rate(flow->system, flow->work, c, t, q, v, a)
                          : 0;
}

/* ---- Pieces. */

/* Puts the contact into a piece of its law. `at` is the break on which its slip velocity w is, or -1. */
static void enter_piece(slip_flow *flow, int c, int piece, int at, double w)
{
    const slip_law_kernel *law = slip_flow_law(flow, c);
    slip_branch *branch = &flow->branches[c];
    int lower = piece - 1, upper = piece, other;
    branch->piece = piece;
    branch->chart = -1;
    branch->s = 0;
    branch->mode = SLIP_MODE_SLIP;
    flow->charts.hold[c] = -1;
    if (flow->charts.slot[c] < 0)
        return;
    if (lower >= 0 && law->breaks[lower].singular) {
        branch->chart = lower;
        other = upper;
        flow->charts.side[c] = 1;
    } else if (upper < law->break_count && law->breaks[upper].singular) {
        branch->chart = upper;
        other = lower;
        flow->charts.side[c] = -1;
    } else {
        return;
    }
    const slip_law_break *own = &law->breaks[branch->chart];
    flow->charts.far[c] = INFINITY;
    if (other >= 0 && other < law->break_count) {
        double distance = fabs(law->breaks[other].velocity - own->velocity) / (2 * own->radius);
        flow->charts.far[c] = 2 * asin(sqrt(fmin(distance, 1)));
    }
    if (at == other)
        branch->s = flow->charts.side[c] * flow->charts.far[c];
    else if (at != branch->chart)
        branch->s =
            flow->charts.side[c] * 2 * asin(sqrt(fmin(fabs(w - own->velocity) / (2 * own->radius), 1)));
}

/* Moves the velocities, along the contact's direction, so that its slip velocity is exactly that of the
 * break. */
static void project(slip_flow *flow, int c, double target)
{
    double *row = flow->scratch.row, *response = flow->scratch.response;
    double product =
        slip_system_direction(flow->system, flow->work, c, flow->t, flow->q, flow->v, row, response);
    double slip = slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v);
    /* A direction that depends on the state may all but vanish here: the correction would be huge. A slip
     * given as a function has no row. */
    if (slip != target && flow->system->contacts[c].slip.row && product > 0)
        for (int i = 0; i < flow->n; i++)
            flow->v[i] += response[i] * (target - slip) / product;
}

static void hold_at(slip_flow *flow, int c, int at)
{
    flow->branches[c].chart = at;
    flow->branches[c].s = 0;
    flow->branches[c].mode = SLIP_MODE_STICK;
    flow->charts.hold[c] = at;
    project(flow, c, slip_flow_law(flow, c)->breaks[at].velocity);
    flow->charts.product[c] = slip_system_direction(flow->system, flow->work, c, flow->t, flow->q, flow->v,
                                                    flow->scratch.row, flow->scratch.response);
}

/* Whether the contact's row is a linear combination of the rows of held contacts and of contact `more` (-1:
 * none), by Gram-Schmidt: then it cannot slip. Contacts with charts have constant rows. */
static bool held_fast(const slip_flow *flow, int c, int more)
{
    const int n = flow->n;
    double *basis = flow->scratch.block, *row = flow->scratch.row, size = 0, left = 0;
    int rank = 0;
    for (int k = 0; k <= flow->contact_count; k++) {
        /* the contact itself comes last */
        int which = k == flow->contact_count ? c : k;
        if (k < flow->contact_count &&
            (k == c || flow->charts.slot[k] < 0 || (flow->charts.hold[k] < 0 && k != more)))
            continue;
        memcpy(row, flow->system->contacts[which].slip.row, (size_t)n * sizeof(double));
        size = left = 0;
        for (int i = 0; i < n; i++)
            size += row[i] * row[i];
        for (int j = 0; j < rank; j++) {
            double overlap = 0;
            for (int i = 0; i < n; i++)
                overlap += basis[j * n + i] * row[i];
            for (int i = 0; i < n; i++)
                row[i] -= overlap * basis[j * n + i];
        }
        for (int i = 0; i < n; i++)
            left += row[i] * row[i];
        if (left > 1e-20 * size) {
            for (int i = 0; i < n && rank < n; i++)
                basis[rank * n + i] = row[i] / sqrt(left);
            rank++;
        }
    }
    return left <= 1e-20 * size;
}

/* Whether the law next to the break `at` balances the rate of slip at some |s| < limit. */
static bool balanced(slip_flow *flow, int c, int at, double limit)
{
    const slip_law_kernel *law = slip_flow_law(flow, c);
    double force, slope,
        product = slip_system_direction(flow->system, flow->work, c, flow->t, flow->q, flow->v,
                                        flow->scratch.row, flow->scratch.response);
    law->type->chart(law, at, 0, &force, &slope);
    return fabs(flow->ends.rate1[c]) <=
           fabs(slope) * flow->work->contacts[c].normal * product * limit + 0.01 * flow->options.tolerance;
}

/* The break on which w is, or -1. */
static int break_at(const slip_law_kernel *law, double w)
{
    for (int k = 0; k < law->break_count; k++)
        if (w == law->breaks[k].velocity)
            return k;
    return -1;
}

/* At the very start: pieces from the slip velocities; a contact that is exactly on a break goes where its
 * rate leads. The laws are continuous, so the rate does not depend on the side that is assumed. */
bool slip_flow_place(slip_flow *flow)
{
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_law_kernel *law = slip_flow_law(flow, c);
        double w;
        int at;
        if (slip_flow_decided(flow, c) || flow->areas.of[c])
            continue;
        w = slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v);
        at = break_at(law, w);
        enter_piece(flow, c, slip_law_piece(law, w), at, w);
        if (at >= 0 && law->breaks[at].singular && flow->charts.slot[c] >= 0) {
            flow->branches[c].chart = at;
            flow->branches[c].s = 0;
        }
    }
    if (!slip_system_acceleration(flow->system, flow->work, flow->branches, flow->t, flow->q, flow->v,
                                  flow->a_last))
        return false;
    slip_flow_rates(flow, flow->t, flow->q, flow->v, flow->a_last, flow->ends.slip1, flow->ends.rate1);
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_law_kernel *law = slip_flow_law(flow, c);
        int at = break_at(law, flow->ends.slip1[c]);
        if (at < 0 || slip_flow_decided(flow, c) || flow->areas.of[c])
            continue;
        enter_piece(flow, c, flow->ends.rate1[c] < 0 ? at : at + 1, at, flow->ends.slip1[c]);
        if (flow->charts.slot[c] >= 0 && law->breaks[at].singular &&
            balanced(flow, c, at, flow->charts.hold_below))
            hold_at(flow, c, at);
    }
    return true;
}

/* Puts contact c into the next piece beyond this boundary, and reports a reversal. */
static int move_on(slip_flow *flow, int c, slip_flow_boundary boundary, const slip_observer *observer)
{
    bool upward = boundary == SLIP_FLOW_UPPER;
    int piece = flow->branches[c].piece;
    int at = upward ? piece : piece - 1;
    double target = slip_flow_law(flow, c)->breaks[at].velocity;
    project(flow, c, target);
    enter_piece(flow, c, upward ? piece + 1 : piece - 1, at, target);
    return target == 0 ? slip_flow_report(flow, c, upward ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_SLIP_MINUS,
                                          flow->t, observer)
                       : SLIP_OK;
}

/* Contacts that are on an end of their piece and head out of it go on to the next piece: several may have
 * reached an end at the same time. The contact that has just arrived from there is excepted: the law is
 * continuous, so its rate changes sign by rounding only; if it does turn back, the next step finds that. */
int slip_flow_pass_ends(slip_flow *flow, const slip_observer *observer)
{
    const int arrived = flow->arrived;
    flow->arrived = -1;
    for (int c = 0; c < flow->contact_count; c++) {
        double rate = flow->ends.rate1[c];
        slip_flow_boundary ahead = rate < 0 ? SLIP_FLOW_LOWER : SLIP_FLOW_UPPER;
        if (c == arrived && !slip_flow_charted(flow, c))
            continue;
        if (slip_flow_law(flow, c)->break_count == 0 || flow->charts.hold[c] >= 0 ||
            slip_flow_decided(flow, c) || rate == 0)
            continue;
        if (slip_flow_distance(flow, c, ahead, flow->ends.slip1[c], flow->branches[c].s) <= 0)
            SLIP_PASS_ALL(move_on(flow, c, ahead, observer));
    }
    return SLIP_OK;
}

/* Lets go of a held contact, in the direction in which it pulls. */
static int release_one(slip_flow *flow, int c, double hold, const slip_observer *observer)
{
    int at = flow->charts.hold[c];
    bool upward = hold < 0;
    enter_piece(flow, c, upward ? at + 1 : at, at, slip_flow_law(flow, c)->breaks[at].velocity);
    return slip_flow_law(flow, c)->breaks[at].velocity == 0
               ? slip_flow_report(flow, c, upward ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_SLIP_MINUS, flow->t,
                                  observer)
               : SLIP_OK;
}

/* Releases a held contact, or all held contacts where the others would keep this one from moving. */
static int release(slip_flow *flow, int c, double hold, const slip_observer *observer)
{
    int status;
    bool frozen;
    status = release_one(flow, c, hold, observer);
    frozen = held_fast(flow, c, -1);
    for (int k = 0; frozen && k < flow->contact_count && status == SLIP_OK; k++)
        if (flow->charts.hold[k] >= 0)
            status = release_one(flow, k, flow->work->contacts[k].hold, observer);
    return status;
}

/* Puts contact c into its next piece, together with contacts of proportional slip that reach their own break
 * at the same instant: by the error of their s they would arrive later. */
static int move_on_together(slip_flow *flow, int c, slip_flow_boundary boundary,
                            const slip_observer *observer)
{
    int status = move_on(flow, c, boundary, observer);
    for (int d = 0; d < flow->contact_count && status == SLIP_OK; d++) {
        const slip_law_kernel *law = slip_flow_law(flow, d);
        double slip, size = 0;
        if (d == c || !slip_flow_charted(flow, d) || flow->branches[d].s == 0)
            continue;
        slip = slip_system_slip(flow->system, flow->work, d, flow->t, flow->q, flow->v);
        for (int i = 0; i < flow->n; i++)
            size += fabs(flow->system->contacts[d].slip.row[i] * flow->v[i]);
        if (fabs(slip - law->breaks[flow->branches[d].chart].velocity) <= 8 * DBL_EPSILON * size)
            status = move_on(flow, d, flow->charts.side[d] > 0 ? SLIP_FLOW_LOWER : SLIP_FLOW_UPPER, observer);
    }
    return status;
}

/* Whether a contact is almost at a singular break, and the law would keep it there. */
static bool comes_to_rest(slip_flow *flow, int c)
{
    return fabs(flow->branches[c].s) < flow->charts.hold_below &&
           balanced(flow, c, flow->branches[c].chart, flow->charts.hold_below);
}

/* Whether the constraint that holds c would also stop another contact that is moving. */
static bool would_freeze(slip_flow *flow, int c)
{
    for (int d = 0; d < flow->contact_count; d++)
        if (d != c && slip_flow_charted(flow, d) && held_fast(flow, d, c) && !comes_to_rest(flow, d))
            return true;
    return false;
}

bool slip_flow_hold_new(slip_flow *flow)
{
    bool held = false;
    for (int c = 0; c < flow->contact_count; c++)
        if (slip_flow_charted(flow, c) && comes_to_rest(flow, c) && !would_freeze(flow, c)) {
            hold_at(flow, c, flow->branches[c].chart);
            held = true;
        }
    return held;
}

double slip_flow_distance(const slip_flow *flow, int c, slip_flow_boundary boundary, double w, double s)
{
    const slip_law_kernel *law = slip_flow_law(flow, c);
    const slip_branch *branch = &flow->branches[c];
    int end = boundary == SLIP_FLOW_LOWER ? branch->piece - 1 : branch->piece;
    if (end < 0 || end >= law->break_count)
        return INFINITY;
    if (branch->chart >= 0)
        return branch->chart == end ? flow->charts.side[c] * s
                                    : flow->charts.far[c] - flow->charts.side[c] * s;
    return boundary == SLIP_FLOW_LOWER ? w - law->breaks[end].velocity : law->breaks[end].velocity - w;
}

int slip_flow_place_again(slip_flow *flow, const slip_observer *observer)
{
    int status = SLIP_OK, c = 0;
    while (c < flow->contact_count && (slip_flow_decided(flow, c) || flow->areas.of[c]))
        c++;
    if (c == flow->contact_count)
        return SLIP_OK;
    if (flow->has_breaks && flow->placed && !slip_flow_place(flow))
        return SLIP_STEP_UNDEFINED;
    for (c = 0; flow->has_breaks && c < flow->contact_count && status == SLIP_OK; c++) {
        double slip;
        if (slip_flow_decided(flow, c) || flow->areas.of[c] || slip_flow_sliders_tell(flow, c) ||
            !flow->mode_known[c])
            continue;
        slip = slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v);
        if (slip != 0)
            status = slip_flow_report(flow, c, slip > 0 ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_SLIP_MINUS, flow->t,
                                      observer);
    }
    return flow->sliders && flow->placed && status == SLIP_OK ? slip_flow_sliders_check(flow, observer)
                                                              : status;
}

int slip_flow_break_cross(slip_flow *flow, const slip_flow_crossing *crossing, const slip_observer *observer)
{
    const int c = crossing->contact;
    const slip_law_kernel *law = slip_flow_law(flow, c);
    if (crossing->boundary == SLIP_FLOW_RELEASE)
        return release(flow, c, crossing->hold, observer);
    const int at =
        crossing->boundary == SLIP_FLOW_UPPER ? flow->branches[c].piece : flow->branches[c].piece - 1;
    if (flow->charts.slot[c] >= 0 && law->breaks[at].singular &&
        balanced(flow, c, at, flow->charts.hold_below)) {
        hold_at(flow, c, at);
        return SLIP_OK;
    }
    flow->arrived = c;
    return move_on_together(flow, c, crossing->boundary, observer);
}
