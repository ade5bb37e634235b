/* Table of the integral model for circular areas. Force and moment depend on one ratio: on side 0 on d =
 * v/|w| <= 1, on side 1 on x = |w|/v < 1. On each side cubic pieces with exact values and slopes at their
 * ends; a piece whose values and slopes in the middle and at the quarters are not good enough is halved. */
#include "patch/table.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Roots of the two trees are nodes 0 and 1. */
typedef struct node {
    int child;                  /* the first of two, or -1: a piece */
    double force[4], moment[4]; /* coefficients in t from 0 to 1 across the piece */
} node;

struct slip_table_line {
    node *nodes;
    int64_t count, capacity;
};

/* Force, moment and their slopes at a ratio. */
typedef struct data {
    double force, moment, force_slope, moment_slope;
} data;

typedef struct builder {
    slip_context *ctx;
    const slip_patch *patch;
    slip_table_line *table;
    double tolerance, error;
} builder;

static data exact(const slip_patch *patch, int side, double ratio)
{
    double q[3] = {side ? 1 : ratio, 0, side ? ratio : 1}, T[3], H[9];
    slip_patch_integral_direct(patch, q, T, H);
    return (data){T[0], T[2], H[side ? 2 : 0], H[side ? 8 : 6]};
}

static void cubic(double f0, double f1, double s0, double s1, double c[4])
{
    c[0] = f0;
    c[1] = s0;
    c[2] = 3 * (f1 - f0) - 2 * s0 - s1;
    c[3] = 2 * (f0 - f1) + s0 + s1;
}

static double value(const double c[4], double t)
{
    return ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
}

static double slope(const double c[4], double t)
{
    return (3 * c[3] * t + 2 * c[2]) * t + c[1];
}

/* Fills the node that covers [lo, hi] and what is below it. */
static int fill(builder *b, int64_t at, int side, double lo, double hi, data left, data right)
{
    /* As in table.c; points are half as far apart. */
    const double slope_weight = 0.15, margin = 1.25;
    double width = hi - lo, error = 0;
    data middle = {0}, seen;
    node n = {.child = -1};
    cubic(left.force, right.force, width * left.force_slope, width * right.force_slope, n.force);
    cubic(left.moment, right.moment, width * left.moment_slope, width * right.moment_slope, n.moment);
    for (int k = 1; k <= 3; k++) {
        const double t = k / 4.0;
        double force, moment;
        seen = exact(b->patch, side, lo + width * t);
        force = fabs(value(n.force, t) - seen.force) +
                slope_weight * fabs(slope(n.force, t) - width * seen.force_slope);
        moment = fabs(value(n.moment, t) - seen.moment) +
                 slope_weight * fabs(slope(n.moment, t) - width * seen.moment_slope);
        error = fmax(error, margin * fmax(force, moment));
        if (k == 2)
            middle = seen;
    }
    if (error <= b->tolerance || width < 1e-9) {
        b->error = fmax(b->error, error);
        b->table->nodes[at] = n;
        return SLIP_OK;
    }
    int64_t child = b->table->count;
    if (child + 2 > slip_table_cells_max)
        return slip_fail(b->ctx, SLIP_ERROR_SOLVER, "surface: %d pieces do not reach the table tolerance %g",
                         slip_table_cells_max, b->tolerance);
    SLIP_PASS(slip_allocated(b->ctx, SLIP_ROOM(b->table->nodes, b->table->capacity, child + 2)));
    b->table->count += 2;
    n.child = (int)child;
    b->table->nodes[at] = n;
    SLIP_PASS(fill(b, child, side, lo, (lo + hi) / 2, left, middle));
    return fill(b, child + 1, side, (lo + hi) / 2, hi, middle, right);
}

int slip_table_line_build(slip_context *ctx, const slip_patch *patch, double tolerance,
                          slip_table_line **table, double *error)
{
    builder b = {.ctx = ctx, .patch = patch, .tolerance = tolerance};
    *table = b.table = slip_alloc(1, sizeof *b.table);
    SLIP_PASS(slip_allocated(ctx, b.table && SLIP_ROOM(b.table->nodes, b.table->capacity, 2)));
    b.table->count = 2;
    for (int side = 0; side < 2; side++)
        SLIP_PASS(fill(&b, side, side, 0, 1, exact(patch, side, 0), exact(patch, side, 1)));
    *error = b.error;
    return SLIP_OK;
}

void slip_table_line_destroy(slip_table_line *table)
{
    if (table)
        free(table->nodes);
    free(table);
}

int slip_table_line_cells(const slip_table_line *table)
{
    return (int)(table->count / 2 + 1);
}

static data look_up(const slip_table_line *table, int side, double ratio)
{
    const node *n = &table->nodes[side];
    double t = ratio, scale = 1;
    while (n->child >= 0) {
        t *= 2;
        scale *= 2;
        int upper = t >= 1;
        t -= upper;
        n = &table->nodes[n->child + upper];
    }
    return (data){value(n->force, t), value(n->moment, t), scale * slope(n->force, t),
                  scale * slope(n->moment, t)};
}

/* With d = v/|w|: dT/dv = T'/|w|, dT/dw = -d T'/w, and x = |w|/v: dT/dv = -x T'/v, dT/d|w| = T'/v. */
void slip_table_line_evaluate(const slip_table_line *table, const double q[3], double T[3],
                              double *derivative)
{
    double v = sqrt(q[0] * q[0] + q[1] * q[1]), spin = fabs(q[2]), sign = q[2] < 0 ? -1 : 1;
    double tx = v > 0 ? q[0] / v : 1, ty = v > 0 ? q[1] / v : 0, across, by_v[2], by_w[2];
    int side = v > spin;
    double larger = side ? v : spin, ratio = side ? spin / v : v / spin;
    data f = look_up(table, side, ratio);
    T[0] = f.force * tx;
    T[1] = f.force * ty;
    T[2] = sign * f.moment;
    if (!derivative)
        return;
    across = v > 0 ? f.force / v : f.force_slope / larger;
    by_v[0] = (side ? -ratio : 1) * f.force_slope / larger;
    by_v[1] = sign * (side ? -ratio : 1) * f.moment_slope / larger;
    by_w[0] = sign * (side ? 1 : -ratio) * f.force_slope / larger;
    by_w[1] = (side ? 1 : -ratio) * f.moment_slope / larger;
    memcpy(derivative,
           (double[9]){by_v[0] * tx * tx + across * ty * ty, (by_v[0] - across) * tx * ty, by_w[0] * tx,
                       (by_v[0] - across) * tx * ty, by_v[0] * ty * ty + across * tx * tx, by_w[0] * ty,
                       by_v[1] * tx, by_v[1] * ty, by_w[1]},
           9 * sizeof *derivative);
}
