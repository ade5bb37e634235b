/* Contact forces that balance a load, by an active set. */
#include "gear/statics/gear_balance.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

/* Solves the active contacts for their forces and the turn: W z + m turn = -r, m . z = load. */
static bool solve_active(slip_gear_balance *b, int *size, double *z, double *turn)
{
    int *list = b->indices, *pivots = b->indices + b->count + 1, n = 0;
    for (int i = 0; i < b->count; i++)
        if (b->active[i])
            list[n++] = i;
    double *matrix = b->numbers, *right = matrix + (size_t)(b->count + 1) * (size_t)(b->count + 1);
    double *yield = right + b->count + 1;
    size_t stride = (size_t)n + 1;
    for (int i = 0; i < n; i++) {
        const double *row = b->matrix + (size_t)list[i] * (size_t)b->count;
        for (int k = 0; k < n; k++)
            matrix[(size_t)i * stride + (size_t)k] = row[list[k]];
        matrix[(size_t)i * stride + (size_t)n] = matrix[(size_t)n * stride + (size_t)i] = b->arm[list[i]];
        right[i] = -b->constant[list[i]];
        yield[i] = 0;
    }
    matrix[(size_t)n * stride + (size_t)n] = 0;
    right[n] = b->load;
    yield[n] = 1;
    if (!slip_dense_factor(n + 1, matrix, pivots))
        return false;
    slip_dense_substitute(n + 1, matrix, pivots, right);
    slip_dense_substitute(n + 1, matrix, pivots, yield);
    for (int i = 0; i < n; i++)
        z[i] = right[i];
    *turn = right[n];
    b->yield = yield[n];
    *size = n;
    return true;
}

/* Moves the forces towards z until one becomes zero; that contact leaves the active set. */
static void go_towards(slip_gear_balance *b, int n, const double *z)
{
    const int *list = b->indices;
    double share = 1;
    int first = -1;
    for (int i = 0; i < n; i++) {
        double force = b->force[list[i]];
        if (z[i] <= 0 && force / (force - z[i]) < share) {
            share = force > 0 ? force / (force - z[i]) : 0;
            first = list[i];
        }
    }
    for (int i = 0; i < n; i++) {
        double *force = &b->force[list[i]];
        *force += share * (z[i] - *force);
        if (z[i] <= 0 && (list[i] == first || *force <= 0)) {
            *force = 0;
            b->active[list[i]] = false;
        }
    }
}

/* The open contact that is deepest; -1: none. */
static int find_deepest(const slip_gear_balance *b)
{
    double least = -b->tolerance;
    int found = -1;
    for (int i = 0; i < b->count; i++) {
        if (b->active[i])
            continue;
        const double *row = b->matrix + (size_t)i * (size_t)b->count;
        double gap = b->constant[i] + b->arm[i] * b->turn + slip_dense_dot(b->count, row, b->force);
        if (gap < least) {
            least = gap;
            found = i;
        }
    }
    return found;
}

/* The initial active set: the one contact that closes first when the load turns the undeformed gear. */
static int find_first(const slip_gear_balance *b)
{
    double most = -INFINITY;
    int found = -1;
    for (int i = 0; i < b->count; i++) {
        if (!(b->arm[i] * b->load > 0))
            continue;
        double way = -b->constant[i] / fabs(b->arm[i]);
        if (way > most) {
            most = way;
            found = i;
        }
    }
    return found;
}

int slip_gear_balance_solve(slip_context *ctx, slip_gear_balance *b)
{
    int first = find_first(b), n = 0;
    double *z = b->numbers + (size_t)(b->count + 1) * (size_t)(b->count + 1) + 2 * (size_t)(b->count + 1);
    if (first < 0)
        return slip_fail(ctx, SLIP_ERROR_SOLVER, "no contact of the flanks can take the torque");
    memset(b->force, 0, sizeof *b->force * (size_t)b->count);
    b->force[first] = b->load / b->arm[first];
    b->active[first] = true;
    for (int turns = 0; turns < 20 * b->count + 100; turns++) {
        if (!solve_active(b, &n, z, &b->turn))
            return slip_fail(ctx, SLIP_ERROR_SOLVER, "the flexibility of the flanks is singular");
        bool positive = true;
        for (int i = 0; i < n; i++)
            positive = positive && z[i] > 0;
        go_towards(b, n, z);
        if (!positive)
            continue;
        int deepest = find_deepest(b);
        if (deepest < 0)
            return SLIP_OK;
        b->active[deepest] = true;
    }
    return slip_fail(ctx, SLIP_ERROR_SOLVER, "the contact forces of %d contacts were not found", b->count);
}
