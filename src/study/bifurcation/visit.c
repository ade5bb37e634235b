/* One value of a bifurcation diagram: the points of its motion, when that has settled. */
#include "study/bifurcation/bifurcation.h"

#include <math.h>

static int keep_points(const slip_bifurcation_how *how, slip_returns *returns, slip_bifurcation_visit *v)
{
    const int64_t wanted = v->multiple > 0 ? v->multiple : how->options.points;
    const int width = 1 + 2 * how->n;
    v->points = slip_alloc(wanted * width, sizeof *v->points);
    SLIP_PASS(slip_allocated(returns->simulation->ctx, v->points));
    while (v->count < wanted) {
        double *point = v->points + v->count * width;
        SLIP_PASS_ALL(slip_returns_next(returns));
        point[0] = slip_simulation_time(returns->simulation) - returns->last;
        slip_simulation_whole_state(returns->simulation, point + 1, point + 1 + how->n);
        slip_symmetry_reduce(v->symmetry, point + 1);
        v->count++;
    }
    return SLIP_OK;
}

static double largest_of(const slip_bifurcation_how *how, const slip_bifurcation_visit *v, int column)
{
    double largest = 0;
    for (int64_t k = 0; k < v->count; k++)
        largest = fmax(largest, fabs(v->points[k * (1 + 2 * how->n) + column]));
    return largest;
}

/* Largest difference of two equal points, for each of the 2 n numbers. Sizes as in returns.c. */
static void set_limits(const slip_bifurcation_how *how, const slip_bifurcation_visit *v, double *limits)
{
    const int coordinates = slip_system_coordinates(how->model->system);
    const double rate = 2 * acos(-1) / largest_of(how, v, 0);
    for (int i = 0; i < 2 * how->n; i++) {
        double size = largest_of(how, v, 1 + i);
        if (i % how->n < coordinates)
            size = i < how->n ? fmax(size, largest_of(how, v, 1 + i + how->n) / rate)
                              : fmax(size, largest_of(how, v, 1 + i - how->n) * rate);
        limits[i] = 10 * how->options.tolerance * size;
    }
}

int slip_bifurcation_take_shortest(const slip_bifurcation_how *how, slip_context *ctx,
                                   slip_bifurcation_visit *v)
{
    if (v->multiple < 2 || v->count < v->multiple)
        return SLIP_OK;
    const slip_return_states points = {
        .states = v->points + 1, .stride = 1 + 2 * how->n, .m = 2 * how->n, .symmetry = v->symmetry};
    SLIP_FREED double *limits = slip_alloc(4 * (int64_t)how->n, sizeof *limits);
    SLIP_PASS(slip_allocated(ctx, limits));
    set_limits(how, v, limits);
    v->count = v->multiple = slip_returns_shortest(&points, v->multiple, limits, limits + 2 * how->n);
    return SLIP_OK;
}

int slip_bifurcation_visit_value(const slip_bifurcation_how *how, slip_context *ctx,
                                 const slip_run_options *run, slip_bifurcation_visit *v)
{
    slip_simulation *s = NULL;
    slip_returns returns = {0};
    int status;
    SLIP_TRY(slip_simulation_open_run(ctx, how->model, run->values, run, &s));
    const slip_run_options *span = &slip_simulation_settings(s)->values;
    SLIP_TRY(slip_returns_open(s, &how->section, span->end - span->start, &returns));
    SLIP_TRY(slip_symmetry_create(ctx, s->ready->system, &v->symmetry));
    SLIP_TRY(slip_returns_settle(&returns, v->symmetry, how->options.tolerance, how->options.transient,
                                 &v->multiple));
    if (status == SLIP_OK)
        SLIP_TRY(keep_points(how, &returns, v));
    SLIP_TRY(slip_bifurcation_take_shortest(how, ctx, v));
    v->end = slip_alloc(2 * (int64_t)how->n, sizeof *v->end);
    SLIP_TRY(slip_allocated(ctx, v->end));
    slip_simulation_whole_state(s, v->end, v->end + how->n);
    slip_symmetry_wrap(v->symmetry, v->end);
    status =
        v->count > 0 ? SLIP_OK : slip_fail(ctx, SLIP_ERROR_SOLVER, "no return within %.9g", returns.within);
done:
    v->returns = returns.count;
    if (status < 0)
        v->count = v->multiple = 0;
    slip_returns_close(&returns);
    slip_simulation_close(s);
    return status;
}
