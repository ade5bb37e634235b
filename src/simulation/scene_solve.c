/* Solutions of a scene, and the one that a run starts from. */
#include "simulation/scene.h"
#include "statics/newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int solve_linear(slip_scene *s, const slip_static_problem *problem, int restarts,
                        slip_static_solutions *list)
{
    return s->shape.contact_count <= slip_static_exhaustive_max
               ? slip_static_enumerate(s->ctx, problem, list)
               : slip_static_seek(s->ctx, problem, restarts, list);
}

/* One set of modes of a nonlinear model: Newton's method, each step a linear problem. *found: it converged to
 * a solution. */
static int improve(slip_scene *s, double value, const slip_mode *modes, slip_static_problem *problem,
                   slip_static_active *active, double *lambda, double *d, double *numbers, bool *found)
{
    int status = SLIP_OK;
    const int n = s->coordinate_count;
    *found = false;
    for (int k = 0; k < 60; k++) {
        double change = 0, size = 0;
        const double *q = d + s->first_coordinate;
        SLIP_TRY(slip_static_family_at(s->ctx, &s->family, value, &problem->at));
        if (!slip_static_active_factor(active, problem->at.compliance, problem->at.friction, modes))
            return SLIP_OK;
        slip_static_state(problem, active, lambda, d, numbers);
        for (int i = 0; i < n; i++) {
            change = fmax(change, fabs(q[i] - s->about[i]));
            size = fmax(size, fabs(q[i]));
            s->about[i] = q[i];
        }
        if (!isfinite(change))
            return SLIP_OK;
        if (change <= 1e-14 * size) {
            *found = slip_static_holds(problem, modes, lambda, d, slip_static_rounding);
            return SLIP_OK;
        }
    }
done:
    return status;
}

/* ---- Continua of a nonlinear model. The states that differ in their forces only, while all displacements
 * are the same, are those of the linear problem about these displacements. */

/* The size that displacements are judged by: of the contacts and of the coordinates. */
static double displacement_size(const slip_scene *s, const slip_static_problem *problem,
                                const slip_static_solution *item)
{
    double size = slip_static_scale_of(problem, item->lambda, item->d).displacement;
    for (int i = 0; i < s->coordinate_count; i++)
        size = fmax(size, fabs(item->d[s->first_coordinate + i]));
    return size;
}

static bool same_place(const slip_scene *s, const double *a, const double *b, double size)
{
    for (int i = 0; i < s->first_coordinate + s->coordinate_count; i++)
        if (fabs(a[i] - b[i]) > 1e-9 * size)
            return false;
    return true;
}

/* A way along which something moves is one of the linearisation only. */
static bool moves(const slip_scene *s, const slip_static_part *part, const double *zero, double size)
{
    for (int v = 0; v < part->way_count; v++)
        if (!same_place(s, part->ways[v].d, zero, size))
            return true;
    return false;
}

/* The states with the same displacements as state k, in one list, become one solution. */
static int gather_place(slip_scene *s, double value, slip_static_problem *problem,
                        const slip_static_solutions *states, int64_t k, slip_static_solutions *list)
{
    const double *d = states->items[k].d;
    double *zero = slip_alloc(s->shape.direction_count, sizeof(double));
    slip_static_solutions here = {0};
    int64_t kept = 0;
    int status = zero ? SLIP_OK : slip_fail_memory(s->ctx);
    if (status < 0)
        return status;
    memcpy(s->about, d + s->first_coordinate, sizeof(double) * (size_t)s->coordinate_count);
    SLIP_TRY(slip_static_family_at(s->ctx, &s->family, value, &problem->at));
    const double size = displacement_size(s, problem, &states->items[k]);
    for (int64_t j = k; j < states->count; j++) {
        const slip_static_solution *item = &states->items[j];
        if (same_place(s, d, item->d, size))
            SLIP_TRY(slip_static_solutions_add(s->ctx, &here, problem, item->modes, item->lambda, item->d,
                                               item->sign_low));
    }
    SLIP_TRY(slip_static_widen(s->ctx, problem, &here));
    for (int64_t j = 0; j < here.part_count; j++)
        if (!moves(s, here.parts[j], zero, size))
            here.parts[kept++] = here.parts[j];
    here.part_count = kept;
    SLIP_TRY(slip_static_gather(s->ctx, problem, &here));
    status = slip_static_solutions_append(s->ctx, list, &here);
done:
    slip_static_solutions_free(&here);
    free(zero);
    return status;
}

static int gather_nonlinear(slip_scene *s, double value, slip_static_problem *problem,
                            slip_static_solutions *states, slip_static_solutions *list)
{
    int status = SLIP_OK;
    for (int64_t k = 0; k < states->count; k++) {
        bool known = false;
        for (int64_t j = 0; j < k && !known; j++)
            known = same_place(s, states->items[j].d, states->items[k].d,
                               displacement_size(s, problem, &states->items[j]));
        if (!known)
            SLIP_TRY(gather_place(s, value, problem, states, k, list));
    }
done:
    return status;
}

/* ---- From linearisations about rest, about what was found, and about points around them. */
static int solve_nonlinear(slip_scene *s, double value, int restarts, slip_static_problem *problem,
                           slip_static_solutions *list)
{
    const int n = s->coordinate_count;
    const int64_t all = s->shape.direction_count;
    slip_arena arena = {0};
    slip_static_active active;
    double *numbers = slip_arena_array(&arena, 4 * all + 1, sizeof(double));
    uint64_t seed = 9;
    double size = 1;
    slip_static_solutions states = {0};
    int status = SLIP_OK;
    if (!numbers || !slip_static_active_create(&arena, &s->shape, &active)) {
        status = slip_fail_memory(s->ctx);
        goto done;
    }
    for (int start = 0; start <= restarts; start++) {
        slip_static_solutions rough = {0};
        for (int i = 0; i < n; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            s->about[i] = start == 0 ? 0 : size * (2 * (double)(seed >> 11) / 9007199254740992.0 - 1);
        }
        status = slip_static_family_at(s->ctx, &s->family, value, &problem->at);
        if (status >= 0)
            status = s->shape.contact_count <= slip_static_exhaustive_max
                         ? slip_static_search(s->ctx, problem, &rough)
                         : slip_static_restart(s->ctx, problem, 0, &rough);
        if (start > 0 && status == SLIP_ERROR_MODEL) { /* the force is not defined there */
            slip_context_clear(s->ctx);
            status = SLIP_OK;
        }
        for (int64_t k = 0; k < rough.count && status >= 0; k++) {
            bool found;
            for (int i = 0; i < n; i++)
                s->about[i] = rough.items[k].d[s->first_coordinate + i];
            status = improve(s, value, rough.items[k].modes, problem, &active, numbers, numbers + all,
                             numbers + 2 * all, &found);
            if (status < 0 || !found)
                continue;
            for (int i = 0; i < n; i++)
                size = fmax(size, 2 * fabs(numbers[all + s->first_coordinate + i]));
            if (slip_static_solutions_find(&states, problem, numbers, numbers + all) < 0)
                status = slip_static_solutions_add(s->ctx, &states, problem, rough.items[k].modes, numbers,
                                                   numbers + all, active.sign * s->shape.sign);
        }
        slip_static_solutions_free(&rough);
        if (status < 0)
            goto done;
    }
    status = gather_nonlinear(s, value, problem, &states, list);
    list->complete = false;
done:
    slip_static_solutions_free(&states);
    slip_arena_free(&arena);
    return status;
}

int slip_scene_solve(slip_scene *s, double value, int restarts, slip_static_problem *problem,
                     slip_static_solutions *list)
{
    int status;
    if (s->nonlinear)
        memset(s->about, 0, sizeof(double) * (size_t)s->coordinate_count);
    SLIP_TRY(slip_scene_problem(s, value, &list->arena, problem));
    status = s->nonlinear ? solve_nonlinear(s, value, restarts, problem, list)
                          : solve_linear(s, problem, restarts, list);
done:
    return status;
}
