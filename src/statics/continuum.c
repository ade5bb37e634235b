/* Sets of modes whose matrix is singular: no solution, or a whole polyhedron of them.
 *
 * With A x0 = b and the null vectors v of A the solutions of the equations are x0 + sum z_i v_i; the margins
 * are linear in z.
 *
 * A set of modes can have the same solutions as another one: slip with zero displacement everywhere is stick,
 * and so is an open contact without gap and slip. The solutions of such a set belong to another set, in which
 * these contacts stick (or slip, for an open contact that slips both ways). So only sets count in which every
 * open contact has a positive gap, and every slipping one a nonzero slip, somewhere in the polyhedron. */
#include "math/dense.h"
#include "math/vector.h"
#include "statics/polyhedron.h"
#include "statics/solutions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct singular {
    const slip_static_problem *problem;
    const slip_static_active *active;
    slip_arena arena; /* of what is not kept */
    slip_static_part *part;
    slip_static_scale scale;
    int margin_count, row; /* of the conditions; numbers of each */
    double *rows;
    bool *equal, *moves; /* moves: the margin is the gap or the slip by which a contact has left stick */
} singular;

static void free_singular(singular *s)
{
    slip_arena_free(&s->arena);
}

static bool create_vector(slip_arena *arena, const singular *s, slip_static_vector *vector)
{
    const int64_t n = s->problem->shape.direction_count;
    vector->lambda = slip_arena_array(arena, 2 * n + 1, sizeof(double));
    vector->d = vector->lambda ? vector->lambda + n : NULL;
    return vector->lambda != NULL;
}

/* The state of given unknowns: with the loads (`scale` 1) or without (0). */
static void state_of(const singular *s, const double *x, double scale, slip_static_vector *to)
{
    const slip_static_problem *problem = s->problem;
    const int n = problem->shape.direction_count;
    memset(to->lambda, 0, sizeof(double) * (size_t)n);
    for (int c = 0; c < problem->shape.contact_count; c++)
        if (problem->shape.contacts[c].normal < 0)
            to->lambda[problem->shape.contacts[c].tangent] = -scale *
                                                             slip_static_slip_sign(s->active->modes[c]) *
                                                             problem->at.friction[c] * problem->at.normal[c];
    slip_static_active_scatter(s->active, x, to->lambda);
    for (int i = 0; i < n; i++) {
        const double *row = problem->at.compliance + (int64_t)i * n;
        double sum = scale * problem->at.free[i];
        for (int j = 0; j < n; j++)
            sum += row[j] * to->lambda[j];
        to->d[i] = sum;
    }
    for (int k = 0; k < s->active->count; k++)
        to->d[s->active->direction[k]] = 0;
}

/* Scales a null vector by the reference sizes, so that z is of order 1. */
static void stretch(const singular *s, slip_static_vector *way)
{
    const int n = s->problem->shape.direction_count,
              inner = slip_static_contact_directions(&s->problem->shape);
    double size = 0, hidden = 0;
    for (int i = 0; i < inner; i++)
        size =
            fmax(size, fmax(fabs(way->lambda[i]) / s->scale.force, fabs(way->d[i]) / s->scale.displacement));
    hidden = fmax(hidden, slip_largest(n, way->lambda));
    if (!(size > slip_static_rounding * hidden)) /* a motion that no contact sees */
        size = hidden;
    for (int i = 0; i < n && size > 0; i++) {
        way->lambda[i] /= size;
        way->d[i] /= size;
    }
}

/* Pseudo-inverse solution and null vectors; *found is false where the equations have no solution. */
static bool solve_equations(singular *s, bool *found)
{
    const slip_static_problem *problem = s->problem;
    const int count = s->active->count, n = problem->shape.direction_count;
    const int64_t square = (int64_t)count * count;
    double *numbers = slip_arena_array(&s->arena, 3 * square + 5 * n + 1, sizeof(double));
    double *left = numbers + square, *right = left + square, *values = right + square, *b = values + n,
           *x = b + n, *zero = x + n, *image = zero + n;
    slip_static_part *part = s->part;
    *found = false;
    if (!numbers || !create_vector(&s->arena, s, &part->base))
        return false;
    memcpy(numbers, s->active->matrix, sizeof(double) * (size_t)square);
    if (!slip_dense_singular(count, numbers, values, left, right))
        return true;
    const double smallest = 1e-12 * s->active->size;
    int rank = 0;
    while (rank < count && values[rank] > smallest)
        rank++;
    part->way_count = count - rank;
    state_of(s, zero, 1, &part->base);
    double size = slip_largest(n, problem->at.free);
    for (int k = 0; k < count; k++) {
        double sum = problem->at.free[s->active->direction[k]];
        const double *row = problem->at.compliance + (int64_t)s->active->direction[k] * n;
        for (int j = 0; j < n; j++)
            sum += row[j] * part->base.lambda[j]; /* of given normal forces only */
        b[k] = -sum;
        size = fmax(size, fabs(sum));
    }
    for (int k = 0; k < count; k++) {
        image[k] = 0;
        for (int i = 0; i < count; i++)
            image[k] += left[(int64_t)i * count + k] * b[i];
        if (k >= rank && fabs(image[k]) > slip_static_rounding * size)
            return true;
    }
    for (int i = 0; i < count; i++) {
        x[i] = 0;
        for (int k = 0; k < rank; k++)
            x[i] += right[(int64_t)i * count + k] * image[k] / values[k];
    }
    state_of(s, x, 1, &part->base);
    s->scale = slip_static_scale_of(problem, part->base.lambda, part->base.d);
    part->ways = slip_arena_array(&s->arena, part->way_count + 1, sizeof *part->ways);
    if (!part->ways)
        return false;
    for (int v = 0; v < part->way_count; v++) {
        for (int i = 0; i < count; i++)
            x[i] = right[(int64_t)i * count + rank + v];
        if (!create_vector(&s->arena, s, &part->ways[v]))
            return false;
        state_of(s, x, 0, &part->ways[v]);
        stretch(s, &part->ways[v]);
    }
    *found = true;
    return true;
}

void slip_static_part_row(const slip_static_problem *problem, const slip_static_part *part,
                          const slip_static_scale *scale, int c, const slip_static_margin *form, double *row)
{
    const slip_static_contact *own = &problem->shape.contacts[c];
    const double mu = problem->at.friction[c], size = slip_static_margin_size(form, scale, mu);
    for (int v = 0; v <= part->way_count; v++) {
        const slip_static_vector *from = v == 0 ? &part->base : &part->ways[v - 1];
        row[v] = slip_static_margin_value(own, form, from->lambda, from->d, mu,
                                          v == 0 ? problem->at.normal[c] : 0) /
                 size;
        if (fabs(row[v]) <= slip_static_rounding)
            row[v] = 0;
    }
}

static bool collect_margins(singular *s)
{
    const slip_static_problem *problem = s->problem;
    const int64_t most = slip_static_margins_max * (int64_t)problem->shape.contact_count + 1;
    s->row = s->part->way_count + 1;
    s->rows = slip_arena_array(&s->arena, most * s->row, sizeof(double));
    s->equal = slip_arena_array(&s->arena, 2 * most, sizeof(bool));
    s->moves = s->equal ? s->equal + most : NULL;
    if (!s->rows || !s->equal)
        return false;
    for (int c = 0; c < problem->shape.contact_count; c++) {
        slip_static_margin margins[slip_static_margins_max];
        const int count = slip_static_margins(&problem->shape.contacts[c], s->active->modes[c], margins);
        for (int k = 0; k < count; k++, s->margin_count++) {
            slip_static_part_row(problem, s->part, &s->scale, c, &margins[k],
                                 s->rows + (int64_t)s->margin_count * s->row);
            s->moves[s->margin_count] = margins[k].coefficient[2] != 0 || margins[k].coefficient[3] != 0;
        }
    }
    return true;
}

/* Whether the equations allow the gaps and slips that the modes require to be nonzero. */
static bool may_move(const singular *s)
{
    for (int k = 0; k < s->margin_count; k++) {
        const double *row = s->rows + (int64_t)k * s->row;
        bool moves = !s->moves[k] || row[0] > 0;
        for (int v = 1; v < s->row && !moves; v++)
            moves = row[v] != 0;
        if (!moves)
            return false;
    }
    return true;
}

static double along(const singular *s, const double *row, const double *z, double constant)
{
    double sum = constant * row[0];
    for (int v = 1; v < s->row; v++)
        sum += row[v] * z[v - 1];
    return sum;
}

/* Whether each of these gaps and slips is nonzero in some corner or unbounded direction of the polyhedron. */
static bool does_move(const singular *s, const slip_polyhedron *p)
{
    const int n = s->row - 1;
    for (int k = 0; k < s->margin_count; k++) {
        const double *row = s->rows + (int64_t)k * s->row;
        bool moves = !s->moves[k];
        for (int i = 0; i < p->corner_count && !moves; i++)
            moves = along(s, row, p->corners + (int64_t)i * n, 1) > 10 * slip_polyhedron_rounding;
        for (int i = 0; i < p->direction_count && !moves; i++)
            moves = along(s, row, p->directions + (int64_t)i * n, 0) > 10 * slip_polyhedron_rounding;
        if (!moves)
            return false;
    }
    return true;
}

/* The state at z, or (constant 0) the direction along z. */
static bool place(slip_arena *arena, const singular *s, const double *z, double constant,
                  slip_static_vector *to)
{
    const int n = s->problem->shape.direction_count,
              inner = slip_static_contact_directions(&s->problem->shape);
    if (!create_vector(arena, s, to))
        return false;
    for (int i = 0; i < n; i++) {
        double lambda = constant * s->part->base.lambda[i], d = constant * s->part->base.d[i];
        double lambda_size = fmax(fabs(lambda), i < inner ? s->scale.force : 0);
        double d_size = fmax(fabs(d), i < inner ? s->scale.displacement : 0);
        for (int v = 0; v < s->part->way_count; v++) {
            lambda += z[v] * s->part->ways[v].lambda[i];
            d += z[v] * s->part->ways[v].d[i];
            lambda_size = fmax(lambda_size, fabs(z[v] * s->part->ways[v].lambda[i]));
            d_size = fmax(d_size, fabs(z[v] * s->part->ways[v].d[i]));
        }
        to->lambda[i] = fabs(lambda) > 1e-15 * lambda_size ? lambda : 0;
        to->d[i] = fabs(d) > 1e-15 * d_size ? d : 0;
    }
    return true;
}

static bool copy(slip_arena *arena, const singular *s, const slip_static_vector *from, slip_static_vector *to)
{
    const size_t size = sizeof(double) * (size_t)s->problem->shape.direction_count;
    if (!create_vector(arena, s, to))
        return false;
    memcpy(to->lambda, from->lambda, size);
    memcpy(to->d, from->d, size);
    return true;
}

/* The part in the arena of the list; NULL when out of memory. */
static slip_static_part *build(slip_arena *arena, const singular *s, const slip_polyhedron *p,
                               const slip_static_vector *known)
{
    const int n = s->part->way_count, m = s->problem->shape.contact_count;
    slip_static_part *to = slip_arena_array(arena, 1, sizeof *to);
    if (!to)
        return NULL;
    to->way_count = n;
    to->dimension = p->too_many ? n : p->dimension;
    to->corner_count = p->corner_count;
    to->direction_count = p->direction_count;
    to->ways = slip_arena_array(arena, n + 1, sizeof *to->ways);
    to->corners = slip_arena_array(arena, p->corner_count + 1, sizeof *to->corners);
    to->directions = slip_arena_array(arena, p->direction_count + 1, sizeof *to->directions);
    to->ends = slip_arena_array(arena, p->corner_count + 1, sizeof(int));
    to->modes = slip_arena_array(arena, m + 1, sizeof *to->modes);
    bool good = to->ways && to->corners && to->directions && to->ends && to->modes &&
                copy(arena, s, p->too_many ? known : &s->part->base, &to->base);
    for (int v = 0; v < n && good; v++)
        good = copy(arena, s, &s->part->ways[v], &to->ways[v]);
    for (int k = 0; k < p->corner_count && good; k++)
        good = place(arena, s, p->corners + (int64_t)k * n, 1, &to->corners[k]);
    for (int k = 0; k < p->direction_count && good; k++)
        good = place(arena, s, p->directions + (int64_t)k * n, 0, &to->directions[k]);
    if (good)
        memcpy(to->modes, s->active->modes, sizeof *to->modes * (size_t)m);
    return good ? to : NULL;
}

static int keep(slip_context *ctx, singular *s, const slip_polyhedron *p, const slip_static_vector *known,
                slip_static_solutions *list)
{
    if (!p->too_many && (p->corner_count == 0 || !does_move(s, p)))
        return SLIP_OK;
    if (p->too_many && !known)
        return SLIP_STOPPED;
    slip_static_part *part = build(&list->arena, s, p, known);
    SLIP_PASS(slip_allocated(ctx, part && SLIP_ROOM(list->parts, list->part_capacity, list->part_count + 1)));
    if (part->dimension == 0)
        return slip_static_solutions_add(ctx, list, s->problem, part->modes, part->corners[0].lambda,
                                         part->corners[0].d, 0);
    list->parts[list->part_count++] = part;
    return SLIP_OK;
}

int slip_static_continuum(slip_context *ctx, const slip_static_problem *problem,
                          const slip_static_active *active, const slip_static_vector *known,
                          slip_static_solutions *list)
{
    slip_static_part part = {0};
    SLIP_FREED_BY(free_singular) singular s = {.problem = problem, .active = active, .part = &part};
    slip_polyhedron p = {0};
    bool found;
    SLIP_PASS(slip_allocated(ctx, solve_equations(&s, &found) && (!found || collect_margins(&s))));
    if (!found || !may_move(&s))
        return SLIP_OK;
    const slip_polyhedron_conditions conditions = {s.row - 1, s.margin_count, s.rows, s.equal};
    SLIP_PASS(slip_allocated(ctx, slip_polyhedron_find(&s.arena, &conditions, &p)));
    return keep(ctx, &s, &p, known, list);
}
