/* Joins states and parts, which were found for one set of modes after the other, to connected sets, each
 * listed once.
 *
 * Two parts touch where a state satisfies the conditions of both sets of modes: the polyhedron of the first,
 * cut by the conditions of the second, is not empty. */
#include "statics/polyhedron.h"
#include "statics/solutions.h"

#include <math.h>
#include <string.h>

static const double near = 10 * slip_static_rounding;

/* ---- Parts in others. */

/* Whether a part satisfies another set of modes: all its corners and unbounded directions do. */
static bool lies_in(const slip_static_problem *problem, const slip_static_part *part, const slip_mode *modes)
{
    if (part->corner_count == 0)
        return false;
    slip_static_scale scale = {0, 0};
    for (int k = 0; k < part->corner_count; k++) {
        const slip_static_vector *at = &part->corners[k];
        scale = slip_static_scale_of(problem, at->lambda, at->d);
        if (!slip_static_agrees(problem, modes, at->lambda, at->d, &scale, near, false))
            return false;
    }
    for (int k = 0; k < part->direction_count; k++)
        if (!slip_static_agrees(problem, modes, part->directions[k].lambda, part->directions[k].d, &scale,
                                near, true))
            return false;
    return true;
}

static void drop_parts(const slip_static_problem *problem, slip_static_solutions *list)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < list->part_count; k++) {
        bool needed = true;
        for (int64_t j = 0; j < list->part_count && needed; j++)
            /* Of two that are the same the first stays. */
            needed = j == k || !list->parts[j] || !lies_in(problem, list->parts[k], list->parts[j]->modes) ||
                     (j > k && lies_in(problem, list->parts[j], list->parts[k]->modes));
        if (!needed)
            list->parts[k] = NULL;
    }
    for (int64_t k = 0; k < list->part_count; k++)
        if (list->parts[k])
            list->parts[kept++] = list->parts[k];
    list->part_count = kept;
}

/* ---- States in parts. */

static void drop_states(const slip_static_problem *problem, slip_static_solutions *list)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < list->count; k++) {
        const slip_static_solution *item = &list->items[k];
        const slip_static_scale scale = slip_static_scale_of(problem, item->lambda, item->d);
        bool needed = true;
        for (int64_t j = 0; j < list->part_count && needed; j++)
            needed = !slip_static_agrees(problem, list->parts[j]->modes, item->lambda, item->d, &scale, near,
                                         false);
        if (needed)
            list->items[kept++] = *item;
    }
    list->count = kept;
}

/* ---- Parts that touch. */

/* Appends the conditions of a set of modes, in the coordinates z of the part. */
static void add_conditions(const slip_static_problem *problem, const slip_static_part *part,
                           const slip_mode *modes, const slip_static_scale *scale, double *rows, bool *equal,
                           int *count)
{
    const int row = part->way_count + 1;
    for (int c = 0; c < problem->shape.contact_count; c++) {
        slip_static_condition conditions[slip_static_conditions_max];
        const int own_count = slip_static_conditions(&problem->shape.contacts[c], modes[c], conditions);
        for (int k = 0; k < own_count; k++) {
            double *to = rows + (int64_t)*count * row;
            bool any = false;
            slip_static_part_row(problem, part, scale, c, &conditions[k].form, to);
            for (int v = 0; v < row; v++)
                any = any || to[v] != 0;
            equal[*count] = conditions[k].equal;
            *count += any;
        }
    }
}

static int find_touch(slip_context *ctx, const slip_static_problem *problem, const slip_static_part *a,
                      const slip_static_part *b, bool *touch)
{
    const slip_static_scale scale = slip_static_scale_of(problem, a->base.lambda, a->base.d);
    const int64_t most = 2 * slip_static_conditions_max * (int64_t)problem->shape.contact_count + 1;
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    double *rows = slip_arena_array(&arena, most * (a->way_count + 1), sizeof(double));
    bool *equal = slip_arena_array(&arena, most, sizeof(bool));
    slip_polyhedron p;
    int count = 0;
    SLIP_PASS(slip_allocated(ctx, rows && equal));
    add_conditions(problem, a, a->modes, &scale, rows, equal, &count);
    add_conditions(problem, a, b->modes, &scale, rows, equal, &count);
    const slip_polyhedron_conditions conditions = {a->way_count, count, rows, equal};
    SLIP_PASS(slip_allocated(ctx, slip_polyhedron_find(&arena, &conditions, &p)));
    *touch = p.corner_count > 0;
    return SLIP_OK;
}

/* The group of every part: the smallest index of a part connected to it. */
static int find_groups(slip_context *ctx, const slip_static_problem *problem,
                       const slip_static_solutions *list, int64_t *group)
{
    for (int64_t k = 0; k < list->part_count; k++) {
        group[k] = k;
        for (int64_t j = 0; j < k; j++) {
            bool touch;
            if (group[j] == group[k])
                continue;
            SLIP_PASS(find_touch(ctx, problem, list->parts[k], list->parts[j], &touch));
            const int64_t low = group[j] < group[k] ? group[j] : group[k],
                          high = group[j] < group[k] ? group[k] : group[j];
            for (int64_t i = 0; i <= k && touch; i++)
                if (group[i] == high)
                    group[i] = low;
        }
    }
    return SLIP_OK;
}

/* ---- The solutions. */

static bool is_near(const slip_static_problem *problem, const slip_static_vector *a, const double *lambda,
                    const double *d)
{
    const slip_static_scale scale = slip_static_scale_of(problem, lambda, d);
    for (int i = 0; i < slip_static_contact_directions(&problem->shape); i++)
        if (fabs(a->lambda[i] - lambda[i]) > near * scale.force ||
            fabs(a->d[i] - d[i]) > near * scale.displacement)
            return false;
    return true;
}

/* The corners of a part join the ends of the solution, unless they are there. */
static void add_ends(const slip_static_problem *problem, slip_static_part *part, slip_static_solution *to)
{
    for (int k = 0; k < part->corner_count; k++) {
        int e = 0;
        while (e < to->end_count && !is_near(problem, &part->corners[k], to->end_lambda[e], to->end_d[e]))
            e++;
        part->ends[k] = e;
        if (e == to->end_count) {
            to->end_lambda[e] = part->corners[k].lambda;
            to->end_d[to->end_count++] = part->corners[k].d;
        }
    }
}

static int add_group(slip_context *ctx, const slip_static_problem *problem, slip_static_solutions *list,
                     const int64_t *group, int64_t which)
{
    const int m = problem->shape.contact_count;
    slip_static_solution item = {.dimension = 1};
    int64_t corners = 0;
    int parts = 0;
    for (int64_t k = 0; k < list->part_count; k++)
        if (group[k] == which) {
            corners += list->parts[k]->corner_count;
            parts++;
        }
    item.end_lambda = slip_arena_array(&list->arena, corners + 1, sizeof(double *));
    item.end_d = slip_arena_array(&list->arena, corners + 1, sizeof(double *));
    item.allowed = slip_arena_array(&list->arena, m + 1, 1);
    item.parts = slip_arena_array(&list->arena, parts + 1, sizeof *item.parts);
    SLIP_PASS(slip_allocated(ctx, item.end_lambda && item.end_d && item.allowed && item.parts &&
                                      SLIP_ROOM(list->items, list->capacity, list->count + 1)));
    item.mode_sets = parts;
    item.modes = list->parts[which]->modes;
    for (int64_t k = which; k < list->part_count; k++) {
        slip_static_part *part = list->parts[k];
        if (group[k] != which)
            continue;
        item.parts[item.part_count++] = part;
        item.dimension = part->dimension > item.dimension ? part->dimension : item.dimension;
        item.unbounded = item.unbounded || part->direction_count > 0;
        add_ends(problem, part, &item);
        for (int c = 0; c < m; c++)
            item.allowed[c] |= (unsigned char)(1 << part->modes[c]);
    }
    item.lambda = item.end_count > 0 ? item.end_lambda[0] : list->parts[which]->base.lambda;
    item.d = item.end_count > 0 ? item.end_d[0] : list->parts[which]->base.d;
    list->items[list->count++] = item;
    return SLIP_OK;
}

int slip_static_gather(slip_context *ctx, const slip_static_problem *problem, slip_static_solutions *list)
{
    if (list->part_count == 0)
        return SLIP_OK;
    drop_parts(problem, list);
    drop_states(problem, list);
    SLIP_FREED int64_t *group = slip_alloc(list->part_count, sizeof *group);
    SLIP_PASS(slip_allocated(ctx, group));
    SLIP_PASS(find_groups(ctx, problem, list, group));
    for (int64_t k = 0; k < list->part_count; k++)
        if (group[k] == k)
            SLIP_PASS(add_group(ctx, problem, list, group, k));
    return SLIP_OK;
}

/* ---- States that were found one by one. */

/* Takes as modes of a state: stick where a contact has neither gap nor slip. If the matrix of this set is
 * singular, the state belongs to a continuum, which is added. */
static int widen_state(slip_context *ctx, const slip_static_problem *problem, slip_static_active *active,
                       slip_mode *modes, const slip_static_vector *at, slip_static_solutions *list)
{
    const slip_static_scale scale = slip_static_scale_of(problem, at->lambda, at->d);
    for (int64_t k = 0; k < list->part_count; k++)
        if (slip_static_agrees(problem, list->parts[k]->modes, at->lambda, at->d, &scale, near, false))
            return SLIP_OK;
    bool changed = false;
    for (int c = 0; c < problem->shape.contact_count; c++) {
        slip_mode agreeing[4];
        const int count =
            slip_static_agreeing(problem, c, at->lambda, at->d, &scale, slip_static_rounding, agreeing);
        if (count == 0 || agreeing[count - 1] == modes[c])
            continue;
        modes[c] = agreeing[count - 1]; /* stick is the last of them */
        changed = true;
    }
    return !changed || slip_static_active_factor(active, problem->at.compliance, problem->at.friction, modes)
               ? SLIP_OK
               : slip_static_continuum(ctx, problem, active, at, list);
}

int slip_static_add_continua(slip_context *ctx, const slip_static_problem *problem,
                             slip_static_solutions *list)
{
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    slip_static_active active;
    slip_mode *modes = slip_arena_array(&arena, problem->shape.contact_count + 1, sizeof *modes);
    const int64_t count = list->count;
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(ctx, modes && slip_static_active_create(&arena, &problem->shape, &active)));
    for (int64_t k = 0; k < count; k++) {
        const slip_static_solution *item = &list->items[k];
        const slip_static_vector at = {item->lambda, item->d};
        if (item->dimension > 0)
            continue;
        memcpy(modes, item->modes, sizeof *modes * (size_t)problem->shape.contact_count);
        SLIP_PASS(status = widen_state(ctx, problem, &active, modes, &at, list));
    }
    return status;
}
