#include "statics/newton.h"

#include "math/lcp.h"
#include "statics/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { iterations_max = 80 };

/* ---- Newton. */

/* The next mode of contact c by the projection equations; r is a stiffness of its order. */
static slip_mode next_mode(const slip_static_problem *problem, int c, const double *lambda, const double *d,
                           double r)
{
    const slip_static_contact *own = &problem->shape.contacts[c];
    double pressure = problem->at.normal[c];
    if (own->normal >= 0) {
        pressure = lambda[own->normal] - r * d[own->normal];
        if (pressure < 0 || (pressure == 0 && lambda[own->normal] == 0))
            return SLIP_MODE_OPEN;
    }
    if (own->tangent < 0)
        return SLIP_MODE_CLOSED;
    const double trial = lambda[own->tangent] - r * d[own->tangent];
    const double limit = problem->at.friction[c] * pressure;
    return trial > limit ? SLIP_MODE_SLIP_MINUS : trial < -limit ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_STICK;
}

static double stiffness_of(const slip_static_problem *problem, int c)
{
    const slip_static_contact *own = &problem->shape.contacts[c];
    const int64_t n = problem->shape.direction_count;
    double size = 0;
    if (own->normal >= 0)
        size = fmax(size, problem->at.compliance[own->normal * n + own->normal]);
    if (own->tangent >= 0)
        size = fmax(size, problem->at.compliance[own->tangent * n + own->tangent]);
    return size > 0 ? 1 / size : 1;
}

/* Newton's method on the projection equations
 *
 *     lambda_n = max(0, lambda_n - r d_n),   lambda_t = P_[-mu lambda_n, mu lambda_n](lambda_t - r d_t),
 *
 * which are piecewise linear: each step solves the linear system of a set of modes and reads the next set off
 * the result. modes: the initial set, on return that of the solution. Returns SLIP_STOPPED where it does not
 * converge (it may cycle). */
static int newton(slip_context *ctx, const slip_static_problem *problem, slip_mode *modes, double *lambda,
                  double *d)
{
    const int n = problem->shape.direction_count, m = problem->shape.contact_count;
    uint64_t seen[iterations_max];
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    slip_static_active active;
    double *numbers = slip_arena_array(&arena, 2 * (int64_t)n + 1, sizeof(double));
    int status = SLIP_STOPPED;
    if (!numbers || !slip_static_active_create(&arena, &problem->shape, &active))
        return slip_fail_memory(ctx);
    for (int k = 0; k < iterations_max && status == SLIP_STOPPED; k++) {
        bool again = false;
        seen[k] = slip_static_hash(modes, m);
        for (int j = 0; j < k; j++)
            again = again || seen[j] == seen[k];
        if (again || slip_interrupted(ctx) ||
            !slip_static_active_factor(&active, problem->at.compliance, problem->at.friction, modes))
            break;
        slip_static_state(problem, &active, lambda, d, numbers);
        if (slip_static_holds(problem, modes, lambda, d, slip_static_rounding))
            status = SLIP_OK;
        else
            for (int c = 0; c < m; c++)
                modes[c] = next_mode(problem, c, lambda, d, stiffness_of(problem, c));
    }
    return status;
}

/* ---- Without friction: a linear complementarity problem in the gaps. */

static int solve_frictionless(slip_context *ctx, const slip_static_problem *problem, slip_mode *modes,
                              double *lambda, double *d)
{
    const int n = problem->shape.direction_count, m = problem->shape.contact_count;
    int count = 0, status = SLIP_OK;
    SLIP_FREED int *direction = slip_alloc(n, sizeof(int)), *indices = NULL;
    SLIP_FREED double *numbers = NULL;
    for (int c = 0; c < m; c++) {
        const slip_static_contact *own = &problem->shape.contacts[c];
        modes[c] = own->normal < 0 || problem->at.free[own->normal] < 0 ? SLIP_MODE_STICK : SLIP_MODE_OPEN;
        if (modes[c] == SLIP_MODE_STICK)
            modes[c] = own->tangent < 0                     ? SLIP_MODE_CLOSED
                       : problem->at.free[own->tangent] < 0 ? SLIP_MODE_SLIP_MINUS
                                                            : SLIP_MODE_SLIP_PLUS;
    }
    status = newton(ctx, problem, modes, lambda, d);
    if (status != SLIP_STOPPED || problem->shape.held_count > 0)
        return status;
    for (int c = 0; c < m; c++)
        if (problem->shape.contacts[c].normal >= 0)
            direction[count++] = problem->shape.contacts[c].normal;
    numbers = slip_alloc((int64_t)count * count + 2 * count + slip_lcp_numbers(count), sizeof(double));
    indices = slip_alloc(slip_lcp_indices(count) + 1, sizeof(int));
    SLIP_PASS(slip_allocated(ctx, direction && numbers && indices));
    double *constant = numbers + (int64_t)count * count, *z = constant + count;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++)
            numbers[(int64_t)i * count + j] =
                problem->at.compliance[(int64_t)direction[i] * n + direction[j]];
        constant[i] = problem->at.free[direction[i]];
    }
    if (slip_lcp_lemke(count, numbers, constant, z, z + count, indices) == SLIP_LCP_SOLVED) {
        for (int c = 0, i = 0; c < m; c++)
            if (problem->shape.contacts[c].normal >= 0 && !(z[i++] > 0))
                modes[c] = SLIP_MODE_OPEN;
            else if (modes[c] == SLIP_MODE_OPEN)
                modes[c] = problem->shape.contacts[c].tangent < 0 ? SLIP_MODE_CLOSED : SLIP_MODE_SLIP_PLUS;
        status = newton(ctx, problem, modes, lambda, d);
    }
    return status;
}

/* ---- The path over friction. */

typedef struct friction_path {
    slip_context *ctx;
    const slip_static_problem *problem;
    slip_static_solutions *list;
} friction_path;

static int sample(slip_context *ctx, void *user, double factor, slip_static_values *values)
{
    const friction_path *path = user;
    const slip_static_problem *problem = path->problem;
    (void)ctx;
    memcpy(values->free, problem->at.free, sizeof(double) * (size_t)problem->shape.direction_count);
    memcpy(values->normal, problem->at.normal, sizeof(double) * (size_t)problem->shape.contact_count);
    for (int c = 0; c < problem->shape.contact_count; c++)
        values->friction[c] = factor * problem->at.friction[c];
    return SLIP_OK;
}

static int keep_crossing(void *user, const slip_static_point *point)
{
    friction_path *path = user;
    if (!point->target)
        return SLIP_OK;
    if (!slip_static_holds(path->problem, point->modes, point->lambda, point->d, 1e3 * slip_static_rounding))
        return SLIP_OK;
    return slip_static_solutions_add(path->ctx, path->list, path->problem, point->modes, point->lambda,
                                     point->d, point->sign);
}

/* Follows solutions from no friction; every crossing of the factor 1 is kept. */
static int follow_friction(slip_context *ctx, const slip_static_problem *problem, slip_static_solutions *list)
{
    const double beyond = 3, one = 1;
    const int64_t n = problem->shape.direction_count, m = problem->shape.contact_count;
    friction_path path = {ctx, problem, list};
    slip_static_family family = {.shape = &problem->shape,
                                 .compliance = problem->at.compliance,
                                 .sample = sample,
                                 .user = &path,
                                 .low = 0,
                                 .high = beyond};
    slip_static_path_options options = slip_static_path_options_default(&family);
    const slip_static_observer observer = {&path, keep_crossing, NULL};
    SLIP_FREED_BY(slip_static_walker_drop) slip_static_walker *walker = NULL;
    SLIP_FREED double *numbers = slip_alloc(2 * n + m, sizeof(double));
    SLIP_FREED slip_mode *modes = slip_alloc(m, sizeof *modes);
    slip_static_problem smooth = *problem;
    options.spacing = 0;
    options.targets = &one;
    options.target_count = 1;
    options.event_limit = 20 * m + 1000;
    SLIP_PASS(slip_allocated(ctx, numbers && modes));
    smooth.at.friction = numbers + 2 * n; /* zeros */
    int status = solve_frictionless(ctx, &smooth, modes, numbers, numbers + n);
    if (status != SLIP_OK)
        return status;
    SLIP_PASS(slip_static_walker_create(ctx, &family, &options, &observer, &walker));
    status = slip_static_walker_follow(walker, 0, numbers, numbers + n, 1);
    if (status == SLIP_ERROR_SOLVER) {
        slip_context_clear(ctx);
        status = SLIP_STOPPED; /* what was found on the way counts */
    }
    return status;
}

/* ---- Any size. */

/* The contact's modes at random, by a generator of fixed seed: same input, same result. */
static void random_modes(const slip_static_problem *problem, uint64_t *seed, slip_mode *modes)
{
    for (int c = 0; c < problem->shape.contact_count; c++) {
        slip_mode of[4];
        const int count = slip_static_modes_of(&problem->shape.contacts[c], of);
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        modes[c] = of[(*seed >> 33) % (uint64_t)count];
    }
}

/* Plausible sets of modes, by number: all open, all stick, slip in the direction by the loads alone. */
static void likely_modes(const slip_static_problem *problem, int number, slip_mode *modes)
{
    for (int c = 0; c < problem->shape.contact_count; c++) {
        const slip_static_contact *own = &problem->shape.contacts[c];
        const bool closes = own->normal < 0 || problem->at.free[own->normal] < 0;
        const bool back = own->tangent >= 0 && problem->at.free[own->tangent] < 0;
        const slip_mode slip = own->tangent < 0 ? SLIP_MODE_CLOSED
                               : back           ? SLIP_MODE_SLIP_MINUS
                                                : SLIP_MODE_SLIP_PLUS;
        const slip_mode stick = own->tangent < 0 ? SLIP_MODE_CLOSED : SLIP_MODE_STICK;
        const slip_mode open = own->normal < 0 ? slip : SLIP_MODE_OPEN;
        modes[c] = number == 0   ? (closes ? slip : open)
                   : number == 1 ? (closes ? stick : open)
                   : number == 2 ? stick
                                 : open;
    }
}
enum { likely_count = 4 };

/* Newton from a set of modes; what it finds goes into the list. */
static int try_start(slip_context *ctx, const slip_static_problem *problem, slip_mode *modes, double *numbers,
                     slip_static_active *active, slip_static_solutions *list)
{
    const int64_t n = problem->shape.direction_count;
    const int status = newton(ctx, problem, modes, numbers, numbers + n);
    if (status == SLIP_STOPPED &&
        !slip_static_active_factor(active, problem->at.compliance, problem->at.friction, modes))
        return slip_static_continuum(ctx, problem, active, NULL, list); /* of the set where it ended */
    if (status != SLIP_OK)
        return status;
    if (slip_static_solutions_find(list, problem, numbers, numbers + n) >= 0)
        return SLIP_OK;
    slip_static_active_factor(active, problem->at.compliance, problem->at.friction, modes);
    return slip_static_solutions_add(ctx, list, problem, modes, numbers, numbers + n,
                                     active->sign * problem->shape.sign);
}

/* Newton's method from likely and random sets of modes. */
static int restart(slip_context *ctx, const slip_static_problem *problem, int restarts,
                   slip_static_solutions *list)
{
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    slip_static_active active;
    uint64_t seed = 5;
    slip_mode *modes = slip_arena_array(&arena, problem->shape.contact_count + 1, sizeof *modes);
    double *numbers =
        slip_arena_array(&arena, 2 * (int64_t)problem->shape.direction_count + 1, sizeof(double));
    SLIP_PASS(
        slip_allocated(ctx, modes && numbers && slip_static_active_create(&arena, &problem->shape, &active)));
    for (int k = 0; k < likely_count + restarts; k++) {
        if (slip_interrupted(ctx))
            return slip_fail(ctx, SLIP_INTERRUPTED, "interrupted after %d restarts", k);
        if (slip_progress_due(ctx))
            slip_progress_report(
                ctx, &(slip_progress){.what = "restarts", .fraction = (double)k / (likely_count + restarts)});
        if (k < likely_count)
            likely_modes(problem, k, modes);
        else
            random_modes(problem, &seed, modes);
        SLIP_PASS(try_start(ctx, problem, modes, numbers, &active, list));
    }
    return SLIP_OK;
}

int slip_static_seek(slip_context *ctx, const slip_static_problem *problem, int restarts,
                     slip_static_solutions *list)
{
    SLIP_PASS(follow_friction(ctx, problem, list));
    return slip_static_restart(ctx, problem, restarts, list);
}

int slip_static_restart(slip_context *ctx, const slip_static_problem *problem, int restarts,
                        slip_static_solutions *list)
{
    SLIP_PASS(restart(ctx, problem, restarts, list));
    SLIP_PASS(slip_static_add_continua(ctx, problem, list));
    return slip_static_gather(ctx, problem, list);
}
