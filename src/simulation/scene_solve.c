/* Solutions of a scene. */
#include "simulation/scene.h"
#include "statics/newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The reference size of displacements, of contacts and of coordinates. */
static double place_size(const slip_scene *s, const double *d)
{
    double size = 0;
    for (int i = 0; i < s->first_coordinate + s->coordinate_count; i++)
        size = fmax(size, fabs(d[i]));
    return size;
}

/* The problem linearised about a state, which contains all states with the same displacements and other
 * forces. A driven contact has friction at any displacement, so it gets a nonzero one. */
static int linearise(slip_scene *s, slip_balance *b, slip_balance_room *room,
                     const slip_equilibrium_state *at, const double *lambda, const double *d,
                     slip_static_problem *problem)
{
    const int n = b->n, first = s->first_coordinate, rows = first + n, size = slip_balance_size(b, at->modes);
    const int64_t all = s->shape.direction_count;
    const double unit = s->shape.motion;
    double *compliance = problem->at.compliance, *y = room->trial;
    memcpy(y, at->y, sizeof(double) * (size_t)(n + first));
    slip_balance_aim(b, at->modes, y);
    if (!slip_balance_evaluate(b, at->modes, y, room->f, room->matrix))
        return slip_fail(s->ctx, SLIP_ERROR_SOLVER, "a force is not finite at a static solution");
    memset(compliance, 0, sizeof(double) * (size_t)(all * all));
    memcpy(problem->at.free, d, sizeof(double) * (size_t)rows);
    for (int i = 0; i < n; i++) {
        double *own = compliance + (rows + i) * all, sum = 0;
        for (int k = 0; k < first; k++) {
            own[k] = -unit * room->matrix[(int64_t)i * size + n + k];
            compliance[k * all + rows + i] = own[k];
            sum += own[k] * lambda[k];
        }
        compliance[(first + i) * all + rows + i] = unit;
        for (int j = 0; j < n; j++) {
            own[rows + j] = -unit * unit * room->matrix[(int64_t)i * size + j];
            sum += own[rows + j] * lambda[rows + j];
        }
        problem->at.free[rows + i] = -sum;
        problem->at.free[first + i] = 0;
    }
    for (int k = 0; k < first; k++)
        for (int i = 0; i < n; i++)
            problem->at.free[k] -= compliance[k * all + rows + i] * lambda[rows + i];
    for (int c = 0; c < b->contact_count; c++) {
        const slip_balance_contact *own = &b->contacts[c];
        const double normal = slip_balance_normal(b, own, y, 0, NULL);
        problem->at.normal[c] = own->normal >= 0 ? 0 : normal;
        problem->at.friction[c] = own->tangent_count == 0 ? 0
                                  : fabs(d[own->tangent]) <= 1e-9 * place_size(s, d)
                                      ? slip_balance_static_limit(b, own->contact)
                                      : slip_balance_kinetic_limit(b, own->contact);
        if (!own->driven || own->tangent_count == 0)
            continue;
        problem->at.friction[c] = normal > 0 ? fabs(lambda[own->tangent]) / normal : 0;
        memset(compliance + own->tangent * all, 0, sizeof(double) * (size_t)all);
        problem->at.free[own->tangent] = lambda[own->tangent] > 0 ? -1 : 1;
    }
    problem->shape = s->shape;
    return SLIP_OK;
}

static bool same_place(const slip_scene *s, const double *a, const double *b)
{
    const double size = fmax(place_size(s, a), place_size(s, b));
    for (int i = 0; i < s->first_coordinate + s->coordinate_count; i++)
        if (fabs(a[i] - b[i]) > 1e-9 * size)
            return false;
    return true;
}

/* Whether displacements change in a part, which is then only valid for the linearisation. */
static bool moves(const slip_scene *s, const slip_static_part *part)
{
    const int rows = s->first_coordinate + s->coordinate_count;
    for (int v = 0; v < part->way_count; v++) {
        double size = 0, force = 0;
        for (int i = 0; i < rows; i++)
            size = fmax(size, fabs(part->ways[v].d[i]));
        for (int i = 0; i < s->first_coordinate; i++)
            force = fmax(force, fabs(part->ways[v].lambda[i]));
        if (size > 1e-9 * force)
            return true;
    }
    return false;
}

/* Adds one state as a solution. If it is not isolated, the dimension of its continuum is stored, but no ends.
 */
static int add_single(slip_scene *s, const slip_equilibrium_state *from, const double *lambda,
                      const double *d, slip_static_solutions *list)
{
    const int64_t all = s->shape.direction_count, m = s->shape.contact_count;
    SLIP_PASS(slip_allocated(
        s->ctx, slip_array_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items)));
    slip_static_solution *to = &list->items[list->count];
    *to = (slip_static_solution){.lambda = slip_arena_array(&list->arena, all + 1, sizeof(double)),
                                 .d = slip_arena_array(&list->arena, all + 1, sizeof(double)),
                                 .allowed = slip_arena_array(&list->arena, m + 1, 1),
                                 .modes = slip_arena_array(&list->arena, m + 1, sizeof(slip_mode)),
                                 .mode_sets = from->mode_sets,
                                 .sign_low = from->nullity > 0 ? 0 : from->sign_low,
                                 .sign_high = from->nullity > 0 ? 0 : from->sign_high,
                                 .dimension = from->nullity};
    SLIP_PASS(slip_allocated(s->ctx, to->lambda && to->d && to->allowed && to->modes));
    memcpy(to->lambda, lambda, sizeof(double) * (size_t)all);
    memcpy(to->d, d, sizeof(double) * (size_t)all);
    memcpy(to->allowed, from->allowed, (size_t)m);
    memcpy(to->modes, from->modes, sizeof(slip_mode) * (size_t)m);
    list->count++;
    return SLIP_OK;
}

/* Working memory for joining states, which are stored as lambda and d. */
typedef struct gathering {
    slip_scene *scene;
    slip_balance *balance;
    slip_balance_room room;
    slip_equilibria *states;
    double *lambda, *d; /* of each state */
    bool *done;
    slip_static_problem *problem;
} gathering;

/* Joins all states with the displacements of state k to one solution. */
static int gather_place(gathering *g, int64_t k, slip_static_solutions *list)
{
    slip_scene *s = g->scene;
    const int64_t all = s->shape.direction_count;
    SLIP_FREED_BY(slip_static_solutions_free) slip_static_solutions here = {0};
    int64_t kept = 0;
    SLIP_PASS(linearise(s, g->balance, &g->room, &g->states->items[k], g->lambda + k * all, g->d + k * all,
                        g->problem));
    for (int64_t j = 0; j < g->states->count; j++) {
        const slip_equilibrium_state *item = &g->states->items[j];
        if (g->done[j] || !same_place(s, g->d + k * all, g->d + j * all))
            continue;
        SLIP_PASS(slip_static_solutions_add(s->ctx, &here, g->problem, item->modes, g->lambda + j * all,
                                            g->d + j * all, item->sign_low));
        g->done[j] = true;
    }
    SLIP_PASS(slip_static_add_continua(s->ctx, g->problem, &here));
    for (int64_t j = 0; j < here.part_count; j++)
        if (!moves(s, here.parts[j]))
            here.parts[kept++] = here.parts[j];
    here.part_count = kept;
    SLIP_PASS(slip_static_gather(s->ctx, g->problem, &here));
    for (int64_t j = 0; j < here.count; j++) /* whose modes were found one set at a time */
        if (here.items[j].dimension == 0 && here.count == 1) {
            memcpy(here.items[j].allowed, g->states->items[k].allowed, (size_t)s->shape.contact_count);
            here.items[j].mode_sets = g->states->items[k].mode_sets;
            here.items[j].sign_low = g->states->items[k].sign_low;
            here.items[j].sign_high = g->states->items[k].sign_high;
        }
    return slip_static_solutions_append(s->ctx, list, &here);
}

/* Whether the forces at the displacements of state k are unique. Else they are a continuum, which is a
 * polyhedron if friction has one direction. */
static bool is_alone(const gathering *g, int64_t k)
{
    const int64_t all = g->scene->shape.direction_count;
    bool plane = false, alone = g->states->items[k].nullity == 0;
    for (int c = 0; c < g->balance->contact_count; c++)
        plane = plane || g->balance->system->contacts[g->balance->contacts[c].contact].patch;
    for (int64_t j = 0; j < g->states->count; j++)
        alone = alone && (j == k || !same_place(g->scene, g->d + k * all, g->d + j * all));
    return alone || plane;
}

/* Adds the ends of a continuum in which coordinates vary (the last item of the list): states that a straight
 * line of solutions connects with state k. */
static int add_ends(gathering *g, int64_t k, slip_static_solutions *list)
{
    slip_scene *s = g->scene;
    slip_static_solution *to = &list->items[list->count - 1];
    const int64_t all = s->shape.direction_count, count = g->states->count;
    const int size = g->balance->n + g->balance->direction_count;
    to->end_lambda = slip_arena_array(&list->arena, count + 1, sizeof *to->end_lambda);
    to->end_d = slip_arena_array(&list->arena, count + 1, sizeof *to->end_d);
    double *kept = slip_arena_array(&list->arena, 2 * count * all + 1, sizeof(double));
    SLIP_PASS(slip_allocated(s->ctx, to->end_lambda && to->end_d && kept));
    memcpy(kept, g->lambda, sizeof(double) * (size_t)(2 * count * all));
    for (int64_t j = 0; j < count; j++) {
        for (int i = 0; i < size; i++)
            g->room.trial[i] = 0.5 * (g->states->items[j].y[i] + g->states->items[k].y[i]);
        if (j == k || g->done[j] || !(slip_balance_residual(g->balance, g->room.trial) <= 1e-9))
            continue;
        g->done[j] = true;
        for (int c = 0; c < s->shape.contact_count; c++)
            to->allowed[c] |= g->states->items[j].allowed[c];
        if (g->states->items[j].moves)
            continue;
        to->end_lambda[to->end_count] = kept + j * all;
        to->end_d[to->end_count++] = kept + (count + j) * all;
    }
    to->unbounded = to->dimension == 1 && to->end_count < 2;
    if (to->end_count > 0) {
        to->lambda = to->end_lambda[0];
        to->d = to->end_d[0];
    }
    return SLIP_OK;
}

/* The distance along `way` to which the modes of y stay valid. */
static double reach(gathering *g, const slip_mode *modes, const double *y, const double *way, double *trial)
{
    const int size = g->balance->n + g->balance->direction_count;
    double low = 0, high = INFINITY, length = 1;
    for (int round = 0; round < 200 && !(isfinite(high) && high - low <= 1e-14 * high); round++) {
        for (int i = 0; i < size; i++)
            trial[i] = y[i] + length * way[i];
        if (slip_balance_holds(g->balance, &g->room, modes, trial, 1e-12))
            low = length;
        else
            high = length;
        length = isfinite(high) ? 0.5 * (low + high) : 2 * length;
        if (low > 1e9)
            return INFINITY;
    }
    return low;
}

/* Adds ends to a continuum of forces with friction in the plane (the last item of the list), which has no
 * corners: the states on its boundary in both directions of each null vector. */
static int add_extent(gathering *g, int64_t k, slip_static_solutions *list)
{
    slip_scene *s = g->scene;
    slip_balance *b = g->balance;
    slip_static_solution *to = &list->items[list->count - 1];
    const slip_equilibrium_state *from = &g->states->items[k];
    const int64_t all = s->shape.direction_count;
    const int size = b->n + b->direction_count, unknowns = slip_balance_size(b, from->modes);
    int sign;
    double *ways =
        slip_arena_array(&list->arena, (to->dimension + 2) * (int64_t)g->room.capacity, sizeof(double));
    to->end_lambda = slip_arena_array(&list->arena, 2 * to->dimension + 1, sizeof *to->end_lambda);
    to->end_d = slip_arena_array(&list->arena, 2 * to->dimension + 1, sizeof *to->end_d);
    double *kept = slip_arena_array(&list->arena, 4 * to->dimension * all + 1, sizeof(double));
    SLIP_PASS(slip_allocated(s->ctx, ways && to->end_lambda && to->end_d && kept));
    double *y = ways + to->dimension * (int64_t)g->room.capacity, *trial = y + g->room.capacity;
    memcpy(y, from->y, sizeof(double) * (size_t)size);
    slip_balance_aim(b, from->modes, y);
    if (unknowns != size || !slip_balance_evaluate(b, from->modes, y, g->room.f, g->room.matrix) ||
        slip_balance_solve(&g->room, unknowns, g->room.matrix, g->room.f, trial, &sign) != to->dimension)
        return SLIP_OK;
    for (int way = 0; way < to->dimension; way++)
        for (int i = 0; i < unknowns; i++)
            ways[way * (int64_t)g->room.capacity + i] =
                g->room.right[(int64_t)i * unknowns + unknowns - 1 - way] * g->room.columns[i];
    for (int way = 0; way < 2 * to->dimension; way++) {
        double *along = ways + way / 2 * (int64_t)g->room.capacity;
        for (int i = 0; i < size; i++)
            along[i] = -along[i];
        const double length = reach(g, from->modes, y, along, trial);
        to->unbounded = to->unbounded || isinf(length);
        if (isinf(length))
            continue;
        for (int i = 0; i < size; i++)
            trial[i] = y[i] + length * along[i];
        to->end_lambda[to->end_count] = kept + 2 * to->end_count * all;
        to->end_d[to->end_count] = kept + (2 * to->end_count + 1) * all;
        slip_scene_state_from(s, b, trial, to->end_lambda[to->end_count], to->end_d[to->end_count]);
        to->end_count++;
    }
    return SLIP_OK;
}

/* All contacts stick, or are open: the forces of such a state may be any within a convex set. */
static bool is_held_only(const gathering *g, int64_t k)
{
    bool held = g->states->items[k].nullity > 0;
    for (int c = 0; c < g->balance->contact_count; c++)
        held = held && g->states->items[k].modes[c] != SLIP_MODE_SLIP;
    return held;
}

/* Adds state k as a solution. If it is a continuum of forces, states with other modes and the same
 * displacements belong to it. */
static int add_alone(gathering *g, int64_t k, slip_static_solutions *list)
{
    slip_scene *s = g->scene;
    const int64_t all = s->shape.direction_count;
    SLIP_PASS(add_single(s, &g->states->items[k], g->lambda + k * all, g->d + k * all, list));
    g->done[k] = true;
    if (g->states->items[k].nullity == 0)
        return SLIP_OK;
    SLIP_PASS(add_extent(g, k, list));
    for (int64_t j = 0; j < g->states->count; j++)
        g->done[j] = g->done[j] || same_place(s, g->d + k * all, g->d + j * all);
    return SLIP_OK;
}

static int gather(gathering *g, slip_static_solutions *list)
{
    slip_scene *s = g->scene;
    const int64_t all = s->shape.direction_count, count = g->states->count;
    int status;
    SLIP_TRY(slip_balance_room_create(s->ctx, g->balance, &g->room));
    g->lambda = slip_alloc(2 * count * all + 1, sizeof(double));
    g->done = slip_alloc(count + 1, sizeof(bool));
    SLIP_TRY(slip_allocated(s->ctx, g->lambda && g->done));
    g->d = g->lambda + count * all;
    for (int64_t k = 0; k < count; k++)
        slip_scene_state_from(s, g->balance, g->states->items[k].y, g->lambda + k * all, g->d + k * all);
    for (int64_t k = 0; k < count; k++)
        if (g->states->items[k].moves && !g->done[k]) {
            SLIP_TRY(add_single(s, &g->states->items[k], g->lambda + k * all, g->d + k * all, list));
            g->done[k] = true;
            SLIP_TRY(add_ends(g, k, list));
        }
    for (int pass = 0; pass < 2;
         pass++) /* continua of forces first: they include other states with their displacements */
        for (int64_t k = 0; k < count; k++)
            if (!g->done[k] && (pass == 1 || is_held_only(g, k)))
                SLIP_TRY(is_alone(g, k) ? add_alone(g, k, list) : gather_place(g, k, list));
done:
    free(g->lambda);
    free(g->done);
    slip_balance_room_free(&g->room);
    return status;
}

static int solve_general(slip_scene *s, double value, int restarts, slip_static_problem *problem,
                         slip_static_solutions *list)
{
    SLIP_FREED_BY(slip_equilibria_free) slip_equilibria states = {0};
    gathering g = {.scene = s, .states = &states, .problem = problem};
    SLIP_PASS(slip_scene_balance(s, value, &g.balance));
    SLIP_PASS(slip_equilibria_search(s->ctx, g.balance, restarts, &states));
    SLIP_PASS(gather(&g, list));
    list->complete = states.complete;
    list->set_count = states.set_count;
    list->start_count = states.start_count;
    return SLIP_OK;
}

/* Adds a small compliance to every contact, which selects the smallest of several possible forces. */
static void soften(const slip_static_problem *problem)
{
    static const double part = 1e-9;
    const int64_t n = problem->shape.direction_count;
    for (int64_t i = 0; i < slip_static_contact_directions(&problem->shape); i++)
        problem->at.compliance[i * (n + 1)] *= 1 + part;
}

/* Solves a linear problem. For few contacts all solutions are found, also for dependent ones. For many
 * contacts, such as the points of two passes, Newton's method needs independent ones, hence the added
 * compliance. */
static int solve_linear(slip_scene *s, const slip_static_problem *problem, int restarts,
                        slip_static_solutions *list)
{
    if (s->shape.contact_count <= slip_static_exhaustive_max)
        return slip_static_enumerate(s->ctx, problem, list);
    const int status = slip_static_seek(s->ctx, problem, restarts, list);
    if (status < 0 || list->count > 0)
        return status;
    soften(problem);
    return slip_static_seek(s->ctx, problem, restarts, list);
}

int slip_scene_solve(slip_scene *s, double value, int restarts, slip_static_problem *problem,
                     slip_static_solutions *list)
{
    SLIP_PASS(slip_scene_problem(s, value, &list->arena, problem));
    return s->general ? solve_general(s, value, restarts, problem, list)
                      : solve_linear(s, problem, restarts, list);
}
