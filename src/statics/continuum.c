/* Sets of modes whose matrix is singular: no solution, or a whole polytope of them.
 *
 * With A x0 = b and the null vectors v of A the solutions of the equations are x0 + sum z_i v_i; the margins
 * are linear in z. The corners of { z : margins >= 0 } are found by taking as many margins for zero as there
 * are null vectors, in all combinations. */
#include "math/dense.h"
#include "statics/solutions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { dimension_max = 3 };

typedef struct polytope {
    const slip_static_problem *problem;
    const slip_static_active *active;
    int dimension;
    double *lambda[1 + dimension_max], *d[1 + dimension_max]; /* x0, then the null vectors */
    double *margin[1 + dimension_max];                        /* of each; the first is the value at x0 */
    double *size;                                             /* of each margin, to judge rounding by */
    int margin_count;
    int corner_count;
    double *corner_lambda[slip_static_ends_max], *corner_d[slip_static_ends_max];
    bool unbounded;
} polytope;

/* The state of given unknowns: with the loads (`scale` 1) or without (0). */
static void state_of(const polytope *p, const double *x, double scale, double *lambda, double *d)
{
    const slip_static_problem *problem = p->problem;
    const int n = problem->shape.direction_count;
    memset(lambda, 0, sizeof(double) * (size_t)n);
    for (int c = 0; c < problem->shape.contact_count; c++)
        if (problem->shape.contacts[c].normal < 0)
            lambda[problem->shape.contacts[c].tangent] = -scale * slip_static_slip_sign(p->active->modes[c]) *
                                                         problem->at.friction[c] * problem->at.normal[c];
    slip_static_active_scatter(p->active, x, lambda);
    for (int i = 0; i < n; i++) {
        const double *row = problem->at.compliance + (int64_t)i * n;
        double sum = scale * problem->at.free[i];
        for (int j = 0; j < n; j++)
            sum += row[j] * lambda[j];
        d[i] = sum;
    }
    for (int k = 0; k < p->active->count; k++)
        d[p->active->direction[k]] = 0;
}

/* Pseudo-inverse solution and null vectors; false where the equations have no solution, or too many. */
static bool solve_equations(polytope *p, slip_arena *arena)
{
    const slip_static_problem *problem = p->problem;
    const int count = p->active->count, n = problem->shape.direction_count;
    const int64_t square = (int64_t)count * count;
    double *numbers = slip_arena_array(arena, 3 * square + 5 * n + 1, sizeof(double));
    double *left = numbers + square, *right = left + square, *values = right + square, *b = values + n,
           *x = b + n, *zero = x + n, *image = zero + n;
    if (!numbers)
        return false;
    memcpy(numbers, p->active->matrix, sizeof(double) * (size_t)square);
    if (!slip_dense_singular(count, numbers, values, left, right))
        return false;
    const double smallest = 1e-12 * p->active->size;
    int rank = 0;
    while (rank < count && values[rank] > smallest)
        rank++;
    p->dimension = count - rank;
    if (p->dimension < 1 || p->dimension > dimension_max)
        return false;
    state_of(p, zero, 1, p->lambda[0], p->d[0]);
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(problem->at.free[i]));
    for (int k = 0; k < count; k++) {
        double sum = problem->at.free[p->active->direction[k]];
        const double *row = problem->at.compliance + (int64_t)p->active->direction[k] * n;
        for (int j = 0; j < n; j++)
            sum += row[j] * p->lambda[0][j]; /* of given normal forces only */
        b[k] = -sum;
        size = fmax(size, fabs(sum));
    }
    for (int k = 0; k < count; k++) {
        image[k] = 0;
        for (int i = 0; i < count; i++)
            image[k] += left[(int64_t)i * count + k] * b[i];
        if (k >= rank && fabs(image[k]) > slip_static_rounding * size)
            return false;
    }
    for (int i = 0; i < count; i++) {
        x[i] = 0;
        for (int k = 0; k < rank; k++)
            x[i] += right[(int64_t)i * count + k] * image[k] / values[k];
    }
    state_of(p, x, 1, p->lambda[0], p->d[0]);
    for (int v = 0; v < p->dimension; v++) {
        for (int i = 0; i < count; i++)
            x[i] = right[(int64_t)i * count + rank + v];
        state_of(p, x, 0, p->lambda[1 + v], p->d[1 + v]);
    }
    return true;
}

static void collect_margins(polytope *p)
{
    const slip_static_problem *problem = p->problem;
    const slip_static_scale scale = slip_static_scale_of(problem, p->lambda[0], p->d[0]);
    p->margin_count = 0;
    for (int c = 0; c < problem->shape.contact_count; c++) {
        const slip_static_contact *own = &problem->shape.contacts[c];
        const double mu = problem->at.friction[c];
        slip_static_margin margins[slip_static_margins_max];
        const int count = slip_static_margins(own, p->active->modes[c], margins);
        for (int k = 0; k < count; k++, p->margin_count++) {
            for (int v = 0; v <= p->dimension; v++)
                p->margin[v][p->margin_count] = slip_static_margin_value(
                    own, &margins[k], p->lambda[v], p->d[v], mu, v == 0 ? problem->at.normal[c] : 0);
            p->size[p->margin_count] = slip_static_margin_size(&margins[k], &scale, mu);
        }
    }
}

/* The margins at z are all >= 0 up to rounding. */
static bool is_inside(const polytope *p, const double *z)
{
    for (int k = 0; k < p->margin_count; k++) {
        double value = p->margin[0][k], size = p->size[k];
        for (int v = 0; v < p->dimension; v++) {
            value += z[v] * p->margin[1 + v][k];
            size = fmax(size, fabs(z[v] * p->margin[1 + v][k]));
        }
        if (!(value >= -10 * slip_static_rounding * size))
            return false;
    }
    return true;
}

static bool add_corner(polytope *p, slip_arena *arena, const double *z)
{
    const int n = p->problem->shape.direction_count;
    double *lambda = slip_arena_array(arena, n + 1, sizeof(double));
    double *d = slip_arena_array(arena, n + 1, sizeof(double));
    if (!lambda || !d)
        return false;
    for (int i = 0; i < n; i++) {
        lambda[i] = p->lambda[0][i];
        d[i] = p->d[0][i];
        for (int v = 0; v < p->dimension; v++) {
            lambda[i] += z[v] * p->lambda[1 + v][i];
            d[i] += z[v] * p->d[1 + v][i];
        }
    }
    const slip_static_scale scale = slip_static_scale_of(p->problem, lambda, d);
    for (int k = 0; k < p->corner_count; k++) {
        double difference = 0;
        for (int i = 0; i < n; i++)
            difference = fmax(difference, fmax(fabs(lambda[i] - p->corner_lambda[k][i]) / scale.force,
                                               fabs(d[i] - p->corner_d[k][i]) / scale.displacement));
        if (difference < 1e-8)
            return true;
    }
    if (p->corner_count < slip_static_ends_max) {
        p->corner_lambda[p->corner_count] = lambda;
        p->corner_d[p->corner_count++] = d;
    }
    return true;
}

/* Goes through all ways to take `dimension` margins for zero. */
static bool find_corners(polytope *p, slip_arena *arena)
{
    const int k = p->dimension;
    int chosen[dimension_max];
    for (int i = 0; i < k; i++)
        chosen[i] = i;
    while (chosen[k - 1] < p->margin_count) {
        double matrix[dimension_max * dimension_max], z[dimension_max];
        for (int i = 0; i < k; i++) {
            for (int v = 0; v < k; v++)
                matrix[i * k + v] = p->margin[1 + v][chosen[i]] / p->size[chosen[i]];
            z[i] = -p->margin[0][chosen[i]] / p->size[chosen[i]];
        }
        if (slip_dense_solve(k, matrix, z) && is_inside(p, z) && !add_corner(p, arena, z))
            return false;
        int i = k - 1;
        while (i > 0 && chosen[i] == p->margin_count - k + i)
            i--;
        chosen[i]++;
        for (int j = i + 1; j < k; j++)
            chosen[j] = chosen[j - 1] + 1;
    }
    return true;
}

/* Of dimension 1: does it go on behind its only corner? Of more dimensions: is some edge direction free? The
 * null vectors themselves and their opposites are tried. */
static bool is_unbounded(const polytope *p)
{
    for (int v = 0; v < p->dimension; v++)
        for (int sign = -1; sign <= 1; sign += 2) {
            bool free_way = true;
            for (int k = 0; k < p->margin_count && free_way; k++)
                free_way = sign * p->margin[1 + v][k] >= -slip_static_rounding * p->size[k];
            if (free_way)
                return true;
        }
    return false;
}

static int keep(slip_context *ctx, const polytope *p, slip_static_solutions *list)
{
    const int m = p->problem->shape.contact_count;
    slip_static_solution item = {.dimension = p->dimension, .unbounded = p->unbounded, .mode_sets = 1};
    if (p->corner_count == 1 && !p->unbounded)
        return slip_static_solutions_add(ctx, list, p->problem, p->active->modes, p->corner_lambda[0],
                                         p->corner_d[0], 0);
    if (!slip_array_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items))
        return slip_fail_memory(ctx);
    item.end_count = p->corner_count;
    item.end_lambda = slip_arena_array(&list->arena, p->corner_count + 1, sizeof(double *));
    item.end_d = slip_arena_array(&list->arena, p->corner_count + 1, sizeof(double *));
    item.allowed = slip_arena_array(&list->arena, m + 1, 1);
    item.modes = slip_arena_array(&list->arena, m + 1, sizeof *item.modes);
    if (!item.end_lambda || !item.end_d || !item.allowed || !item.modes)
        return slip_fail_memory(ctx);
    memcpy(item.modes, p->active->modes, sizeof *item.modes * (size_t)m);
    for (int c = 0; c < m; c++)
        item.allowed[c] = (unsigned char)(1 << item.modes[c]);
    for (int k = 0; k < p->corner_count; k++) {
        item.end_lambda[k] = p->corner_lambda[k];
        item.end_d[k] = p->corner_d[k];
    }
    item.lambda = item.end_lambda[0];
    item.d = item.end_d[0];
    list->items[list->count++] = item;
    return SLIP_OK;
}

int slip_static_continuum(slip_context *ctx, const slip_static_problem *problem,
                          const slip_static_active *active, slip_static_solutions *list)
{
    const int n = problem->shape.direction_count;
    const int64_t most = slip_static_margins_max * (int64_t)problem->shape.contact_count + 1;
    slip_arena arena = {0};
    polytope p = {.problem = problem, .active = active};
    double *numbers =
        slip_arena_array(&arena, (1 + dimension_max) * (2 * (int64_t)n + most) + most, sizeof(double));
    int status = SLIP_OK;
    if (!numbers)
        return slip_fail_memory(ctx);
    for (int v = 0; v <= dimension_max; v++, numbers += 2 * n + most) {
        p.lambda[v] = numbers;
        p.d[v] = numbers + n;
        p.margin[v] = numbers + 2 * n;
    }
    p.size = numbers;
    if (solve_equations(&p, &arena)) {
        collect_margins(&p);
        if (p.margin_count >= p.dimension && !find_corners(&p, &list->arena))
            status = slip_fail_memory(ctx);
        const double origin[dimension_max] = {0};
        if (status >= 0 && p.corner_count == 0 && is_inside(&p, origin) &&
            !add_corner(&p, &list->arena, origin)) /* a whole line: any of its points */
            status = slip_fail_memory(ctx);
        if (status >= 0 && p.corner_count > 0) {
            p.unbounded = is_unbounded(&p);
            status = keep(ctx, &p, list);
        }
    }
    slip_arena_free(&arena);
    return status;
}
