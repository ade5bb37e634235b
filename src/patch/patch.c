/* Contact areas: making, describing, evaluating. Converts between the user's units and those of the area. */
#include "patch/patch.h"

#include "base/memory.h"
#include "slipstick/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

slip_patch_options slip_patch_options_default(void)
{
    return (slip_patch_options){
        .shape = "disc",
        .radius = NAN,
        .inner = NAN,
        .outer = NAN,
        .semi_axes = {NAN, NAN},
        .sides = {NAN, NAN},
        .pressure = "uniform",
        .size = NAN,
        .surface = "pade",
        .m = NAN,
        .b = NAN,
        .static_ratio = NAN,
        .eta_prime = NAN,
    };
}

/* ---- making ---- */

static int set_surface(slip_context *ctx, const slip_patch_options *o, slip_patch *patch)
{
    slip_pade *pade = &patch->pade;
    patch->integral = strcmp(o->surface, "integral") == 0;
    if (!patch->integral && strcmp(o->surface, "pade") != 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "surface: unknown type `%s`; expected integral or pade",
                         o->surface);
    if (patch->integral && (o->fit || !isnan(o->m)))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "surface: m and fit belong to type pade, not to integral");
    if (patch->integral && (o->order[0] != 0 || o->order[1] != 0))
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "surface: order is [%d, %d] and belongs to type pade; leave it at [0, 0] for integral",
            o->order[0], o->order[1]);
    *pade = (slip_pade){.n1 = o->order[0], .n2 = o->order[1], .c = patch->moments};
    pade->m = isnan(o->m) ? 2 : o->m;
    pade->b = isnan(o->b) ? 1 : o->b;
    if (!o->fit)
        return slip_pade_prepare(ctx, pade);
    if (!isnan(o->m) || !isnan(o->b))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "surface: either m and b or fit");
    return slip_patch_fit_best(ctx, patch, pade, NULL);
}

static int set_law(slip_context *ctx, const slip_patch_options *o, slip_patch *patch)
{
    patch->epsilon = o->epsilon;
    patch->static_ratio = isnan(o->static_ratio) ? 1 : o->static_ratio;
    if (!(o->epsilon == 0 || o->epsilon >= 1e-100) || !isfinite(o->epsilon)) /* its square must not vanish */
        return slip_fail(ctx, SLIP_ERROR_MODEL, "patch: epsilon %g: expected 0 or a number >= 1e-100",
                         o->epsilon);
    if (!(patch->static_ratio >= 1) || !isfinite(patch->static_ratio))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "patch: static_ratio %g: expected a number >= 1",
                         patch->static_ratio);
    patch->eta_prime = slip_law_eta_prime(patch->static_ratio);
    if (isnan(o->eta_prime))
        return SLIP_OK;
    if (!isnan(o->static_ratio) || !(o->epsilon > 0) || !(o->eta_prime >= 0) || !isfinite(o->eta_prime))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "patch: eta_prime %g: expected a number >= 0, with epsilon and without static_ratio",
                         o->eta_prime);
    patch->eta_prime = o->eta_prime;
    patch->static_ratio = slip_law_static_ratio(o->eta_prime);
    return SLIP_OK;
}

static double table_tolerance(const slip_patch_options *o, const slip_patch *patch)
{
    if (o->table_tolerance >= 0)
        return o->table_tolerance;
    return patch->circular ? 1e-8 : 1e-5;
}

/* How far from the origin the load is, in units of the size. */
static double find_reach(const slip_patch *patch)
{
    double far = 0;
    if (patch->load == SLIP_PATCH_REGION)
        far = hypot(patch->region.centre[0], patch->region.centre[1]) + patch->region.reach;
    for (int i = 0; patch->load == SLIP_PATCH_GRID && i < patch->columns; i++)
        far = fmax(far, fabs(patch->grid_x[i]));
    for (int i = 0; patch->load == SLIP_PATCH_GRID && i < patch->rows; i++)
        far = fmax(far, fabs(patch->grid_y[i]));
    for (int i = 0; patch->load == SLIP_PATCH_POINTS && i < patch->point_count; i++)
        far = fmax(far, hypot(patch->point_x[i], patch->point_y[i]));
    return far;
}

/* Further out than this the coordinates have no digits left for the area. */
static int check_reach(slip_context *ctx, const slip_patch *patch)
{
    static const double most = 1e15;
    const double far = find_reach(patch);
    if (far <= most)
        return SLIP_OK;
    return slip_fail(
        ctx, SLIP_ERROR_MODEL,
        "area: found coordinates %.3g times its size, %.9g, away from the origin, expected at most %g "
        "times",
        far, patch->size, most);
}

static int make(slip_context *ctx, const slip_patch_options *options, slip_patch *patch)
{
    SLIP_PASS(slip_patch_area_build(ctx, options, patch));
    SLIP_PASS(set_law(ctx, options, patch));
    SLIP_PASS(check_reach(ctx, patch));
    slip_patch_moments_fill(patch);
    SLIP_PASS(set_surface(ctx, options, patch));
    patch->reach = slip_patch_reach(patch);
    if (patch->integral && table_tolerance(options, patch) > 0)
        SLIP_PASS(slip_patch_table_build(ctx, patch, table_tolerance(options, patch), &patch->table));
    return SLIP_OK;
}

int slip_patch_create(slip_context *ctx, const slip_patch_options *options, slip_patch **patch)
{
    SLIP_NEED_FOR(patch, ctx, options);
    slip_patch *made = slip_alloc(1, sizeof *made);
    slip_context_clear(ctx);
    SLIP_PASS(slip_allocated(ctx, made));
    int status = make(ctx, options, made);
    if (status < 0)
        slip_patch_destroy(made);
    else
        *patch = made;
    return status;
}

void slip_patch_destroy(slip_patch *patch)
{
    if (!patch)
        return;
    slip_expression_destroy(patch->expression);
    slip_patch_table_destroy(patch->table);
    free(patch->corners);
    free(patch->grid_x);
    free(patch->grid_y);
    free(patch->grid_p);
    free(patch->point_x);
    free(patch->point_y);
    free(patch->point_p);
    free(patch);
}

slip_patch_info slip_patch_describe(const slip_patch *patch)
{
    static const char *const treatments[] = {"area", "bilinear grid", "point loads"};
    return (slip_patch_info){
        .size = patch->size,
        .area = patch->area,
        .circular = patch->circular,
        .treatment = patch->point ? "point" : treatments[patch->load],
        .m = patch->integral ? NAN : patch->pade.m,
        .b = patch->pade.b,
        .epsilon = patch->epsilon,
        .static_ratio = patch->static_ratio,
        .eta_prime = patch->eta_prime,
        .table_cells = patch->table ? slip_patch_table_cells(patch->table) : 0,
        .table_error = patch->table ? slip_patch_table_error(patch->table) : 0,
    };
}

/* ---- asking ---- */

int slip_patch_moment(slip_context *ctx, const slip_patch *patch, int i, int j, int k, double *moment)
{
    SLIP_NEED(ctx, patch, moment);
    bool even = k % 2 == 0;
    if (i < 0 || i > 8 || j < 0 || j > 8 || k < -8 || i + j - k < -1 || (even && k > 0))
        return slip_fail(
            ctx, SLIP_ERROR_USAGE,
            "moment c_{%d,%d,%d}: expected i and j from 0 to 8, and k odd or at most 0, from -8 to i+j+1", i,
            j, k);
    *moment = slip_patch_moment_value(patch, i, j, k);
    return SLIP_OK;
}

double slip_patch_pressure(const slip_patch *patch, double x, double y)
{
    double corners[8], per_area = 1 / (patch->size * patch->size);
    slip_region cell;
    if (patch->load == SLIP_PATCH_POINTS)
        return 0;
    x = x / patch->size - patch->region.pole[0];
    y = y / patch->size - patch->region.pole[1];
    for (int i = 0; i < slip_patch_cell_count(patch); i++) {
        slip_patch_cell(patch, i, &cell, corners);
        if (slip_region_inside(&cell, x, y))
            return per_area * cell.density(&cell, x, y);
    }
    return 0;
}

/* The user's velocity to that of the area, and force and derivative back: w = size spin, M counts size times.
 */
static void to_area(const slip_patch *patch, const double velocity[3], double q[3])
{
    q[0] = velocity[0];
    q[1] = velocity[1];
    q[2] = velocity[2] * patch->size;
}

static void to_user(const slip_patch *patch, double force[3], double *derivative)
{
    force[2] *= patch->size;
    if (derivative)
        for (int i = 0; i < 9; i++)
            derivative[i] *= (i / 3 == 2 ? patch->size : 1) * (i % 3 == 2 ? patch->size : 1);
}

/* The integral model smoothed: T g(l) with l = sqrt(v^2 + b^2 w^2). */
static void smooth_integral(const slip_patch *patch, const double q[3], double T[3], double *derivative)
{
    double l = hypot(hypot(q[0], q[1]), patch->pade.b * q[2]), ratio, slope,
           bb = patch->pade.b * patch->pade.b;
    if (derivative && !(l > 0))
        slip_pade_rest(&patch->pade, patch->epsilon, patch->eta_prime, derivative);
    if (!(l > 0))
        return;
    slip_smooth_factor(l, patch->epsilon, patch->eta_prime, &ratio, &slope);
    if (derivative) {
        const double gradient[3] = {q[0] / l, q[1] / l, bb * q[2] / l};
        for (int i = 0; i < 9; i++)
            derivative[i] = derivative[i] * l * ratio + T[i / 3] * gradient[i % 3] * slope;
    }
    for (int i = 0; i < 3; i++)
        T[i] *= l * ratio;
}

void slip_patch_evaluate(const slip_patch *patch, const double velocity[3], double force[3],
                         double *derivative)
{
    double q[3];
    to_area(patch, velocity, q);
    if (patch->point && patch->epsilon > 0) {
        slip_patch_point_smooth(patch, q, force, derivative);
    } else if (!patch->integral && patch->epsilon > 0) {
        slip_pade_smooth(&patch->pade, patch->epsilon, patch->eta_prime, q, force, derivative);
    } else {
        slip_patch_surface(patch, q, force, derivative);
        if (patch->epsilon > 0)
            smooth_integral(patch, q, force, derivative);
    }
    to_user(patch, force, derivative);
}

void slip_patch_integral(const slip_patch *patch, const double velocity[3], double force[3],
                         double *derivative)
{
    double q[3];
    to_area(patch, velocity, q);
    slip_patch_integral_direct(patch, q, force, derivative);
    to_user(patch, force, derivative);
}

int slip_patch_limit(slip_context *ctx, const slip_patch *patch, const double load[3], double *ratio,
                     double direction[3])
{
    SLIP_NEED(ctx, patch, load, ratio, direction);
    double u[3] = {load[0], load[1], load[2] / patch->size};
    int status = slip_patch_limit_find(ctx, patch, u, ratio, direction);
    direction[2] /= patch->size;
    return status;
}

int slip_patch_fit(slip_context *ctx, const slip_patch *patch, const int order[2], double *m, double *b,
                   double *rms)
{
    SLIP_NEED(ctx, patch, order, m, b);
    slip_pade pade = {.n1 = order[0], .n2 = order[1], .c = patch->moments};
    int status = slip_patch_fit_best(ctx, patch, &pade, rms);
    if (status == SLIP_OK) {
        *m = pade.m;
        *b = pade.b;
    }
    return status;
}
