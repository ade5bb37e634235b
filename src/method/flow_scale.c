/* Errors that the explicit steps of a flow may make, in the units of the motion itself.
 *
 * The error of a displacement counts relative to how far its coordinate has moved since the start, that of a
 * velocity relative to the largest so far; plus an absolute part of 1, or of the largest motion of all
 * coordinates that are coupled with it where that is smaller. So neither the units of the model matter, nor
 * the place of its origin, nor the size of a neighbour that has nothing to do with a body. Where nothing has
 * moved yet, what the loads will do in a short time takes the place of the motion. */
#include "method/flow.h"

#include <float.h>
#include <math.h>

/* ---- Which coordinates are coupled. */

static void join(slip_flow *flow, int one, int other)
{
    const int from = flow->part[other], to = flow->part[one];
    for (int i = 0; i < flow->n && from != to; i++)
        if (flow->part[i] == from)
            flow->part[i] = to;
}

/* All coordinates for which a row is not zero; NULL is any row. */
static void join_row(slip_flow *flow, const double *row)
{
    int first = -1;
    for (int i = 0; i < flow->n; i++) {
        if (row && row[i] == 0)
            continue;
        if (first >= 0)
            join(flow, first, i);
        else
            first = i;
    }
}

static void join_contact(slip_flow *flow, const slip_contact *contact)
{
    if (contact->patch) {
        for (int part = 0; part < 3; part++)
            for (int other = 0; other < 3; other++)
                for (int i = 0; i < flow->n; i++) {
                    const double *row = contact->patch->slip[part].row,
                                 *with = contact->patch->slip[other].row;
                    for (int j = 0; j < flow->n; j++)
                        if ((!row || row[i] != 0) && (!with || with[j] != 0))
                            join(flow, i, j);
                }
        return;
    }
    join_row(flow, contact->slip.row);
    if (contact->kind != SLIP_CONTACT_UNILATERAL)
        return;
    join_row(flow, contact->gap.row);
    for (int i = 0; i < flow->n && contact->slip.row; i++)
        for (int j = 0; j < flow->n; j++)
            if (contact->gap.row[i] != 0 && contact->slip.row[j] != 0)
                join(flow, i, j);
}

static void find_parts(slip_flow *flow)
{
    const slip_system *system = flow->system;
    const int n = flow->n;
    for (int i = 0; i < n; i++)
        flow->part[i] = i;
    if (system->reads_state || system->state_loads)
        join_row(flow, NULL);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (system->inverse_mass[i * n + j] != 0 || system->mass_structure[i * 2 * n + j] != 0 ||
                system->mass_structure[i * 2 * n + n + j] != 0)
                join(flow, i, j);
    for (int c = 0; c < flow->contact_count; c++)
        join_contact(flow, &system->contacts[c]);
}

/* ---- Sizes. */

int slip_flow_scale_create(slip_flow *flow)
{
    const int64_t n = flow->n;
    flow->part = slip_arena_array(&flow->arena, n, sizeof *flow->part);
    flow->moved = slip_arena_array(&flow->arena, 6 * n, sizeof(double));
    if (!flow->part || !flow->moved)
        return slip_fail_memory(flow->ctx);
    flow->parts_moved = flow->moved + 2 * n;
    flow->finest = flow->moved + 4 * n;
    flow->q_start = flow->moved + 5 * n;
    find_parts(flow);
    for (int i = 0; i < n; i++) {
        flow->finest[i] = slip_flow_velocity_resolution(flow, i);
        flow->q_start[i] = flow->q[i];
    }
    return SLIP_OK;
}

static void enlarge(double *scale, double value)
{
    if (value > *scale)
        *scale = value;
}

/* A displacement (order 0) or velocity (order 1) of this size: one that is to come, or one that was. */
static void expect(slip_flow *flow, int order, int i, double size)
{
    enlarge(&flow->parts_moved[order * flow->n + flow->part[i]], size);
}
static void note(slip_flow *flow, int order, int i, double size)
{
    enlarge(&flow->moved[order * flow->n + i], size);
    expect(flow, order, i, size);
}

static double allowed(const slip_flow *flow, int order, int i)
{
    const double own = flow->moved[order * flow->n + i],
                 all = flow->parts_moved[order * flow->n + flow->part[i]];
    return flow->options.tolerance * (fmin(all, 1) + own) + 16 * DBL_EPSILON * all + DBL_MIN;
}

void slip_flow_scale_loads(slip_flow *flow, const double *a)
{
    const int n = flow->n;
    const double time = slip_flow_time_scale(flow);
    for (int i = 0; i < n; i++) {
        const double *inverse = flow->system->inverse_mass + i * n,
                     *structure = flow->system->mass_structure + i * 2 * n;
        double size = fabs(a[i]);
        for (int j = 0; j < n; j++)
            size += fabs(inverse[j] * flow->work->loads[j]) + fabs(structure[j] * flow->q[j]) +
                    fabs(structure[n + j] * flow->v[j]);
        expect(flow, 0, i, time * (fabs(flow->v[i]) + time * size));
        expect(flow, 1, i, time * size);
    }
    flow->stepper->tolerance = 4 * DBL_EPSILON;
    slip_flow_scale_step(flow);
}

void slip_flow_scale_step(slip_flow *flow)
{
    const int n = flow->n;
    double *absolute = flow->stepper->absolute;
    for (int i = 0; i < n; i++) {
        note(flow, 0, i, fabs(flow->q[i] - flow->q_start[i]));
        note(flow, 1, i, fabs(flow->v[i]));
    }
    for (int i = 0; i < n; i++) {
        absolute[i] = allowed(flow, 0, i);
        absolute[n + i] = fmin(allowed(flow, 1, i), flow->finest[i]);
    }
    for (int k = 0; k < flow->gap_count; k++)
        absolute[flow->gap_first + k] = slip_flow_gap_error(flow, flow->gap_open[k], 0);
}

double slip_flow_gap_error(const slip_flow *flow, int c, int order)
{
    const double *row = flow->system->contacts[c].gap.row;
    double sum = 0;
    for (int i = 0; i < flow->n; i++)
        sum += row[i] != 0 ? fabs(row[i]) * allowed(flow, order, i) : 0;
    return sum;
}

double slip_flow_largest_motion(const slip_flow *flow)
{
    double largest = 0;
    for (int i = 0; i < flow->n; i++)
        largest = fmax(largest, flow->moved[i]);
    return largest;
}
