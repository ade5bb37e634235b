/* Pressures over an area. Their coefficients are scaled such that the integral is 1. */
#include "patch/patch.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

double slip_density_bilinear(const slip_region *r, double x, double y)
{
    double dx = x - r->centre[0], dy = y - r->centre[1];
    const double *c = r->coefficients;
    return c[0] + c[1] * dx + c[2] * dy + c[3] * dx * dy;
}

/* 1 - (x/a)^2 - (y/b)^2 on an ellipse. */
static double paraboloid(const slip_region *r, double x, double y)
{
    double p = x / r->a, q = y / r->b;
    return r->coefficients[0] * fmax(0, 1 - p * p - q * q);
}

static double hertz(const slip_region *r, double x, double y)
{
    double p = x / r->a, q = y / r->b;
    return r->coefficients[0] * sqrt(fmax(0, 1 - p * p - q * q));
}

/* (1 - (x/a)^2) (1 - (y/b)^2) on a rectangle with half sides a, b. */
static double cushion(const slip_region *r, double x, double y)
{
    double p = x / r->a, q = y / r->b;
    return r->coefficients[0] * (1 - p * p) * (1 - q * q);
}

/* A parabola across the width of a ring. */
static double ring(const slip_region *r, double x, double y)
{
    double radius = sqrt(x * x + y * y);
    return r->coefficients[0] * fmax(0, (radius - r->hole) * (r->a - radius));
}

static double from_expression(const slip_region *r, double x, double y)
{
    double scratch[slip_patch_scratch_max],
        slots[2] = {(x + r->pole[0]) * r->scale, (y + r->pole[1]) * r->scale};
    double value = slip_expression_value(r->expression, slots, scratch);
    return value > 0 && isfinite(value) ? r->coefficients[0] * value : 0;
}

/* ---- choosing ---- */

static void rules(slip_region *region, int near_count)
{
    slip_rule_legendre(&region->near_rule, near_count);
    slip_rule_legendre(&region->far_rule, 14);
}

/* A linear function is smallest at a corner, or where its gradient meets the edge of the ellipse. */
static int choose_linear(slip_context *ctx, const slip_patch_options *options, slip_patch *patch)
{
    slip_region *r = &patch->region;
    double px = options->linear[0], py = options->linear[1], least = INFINITY;
    double middle = 1 + px * r->pole[0] + py * r->pole[1]; /* ellipses and means of corners: centre is 0 */
    if (!isfinite(px) || !isfinite(py))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "area: linear pressure [%g, %g]: expected two finite numbers",
                         px, py);
    if (r->polygon)
        for (int i = 0; i < r->corner_count; i++)
            least = fmin(least, middle + px * r->corners[2 * i] + py * r->corners[2 * i + 1]);
    else
        least = middle - hypot(px * r->a, py * r->b);
    if (least < -1e-14 * fmax(1, fabs(middle)))
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "area: linear pressure [%g, %g]: 1 + px x/size + py y/size must not be negative on the "
            "area, its smallest value is %g",
            px, py, least);
    r->density = slip_density_bilinear;
    r->coefficients[0] = middle;
    r->coefficients[1] = px;
    r->coefficients[2] = py;
    rules(r, 2);
    return SLIP_OK;
}

/* Checks the pressure at 33 x 33 points; fails with the position of a negative or undefined one. */
static int check_expression(slip_context *ctx, const slip_patch *patch)
{
    const slip_region *r = &patch->region;
    double offsets[slip_region_breaks_max], ends[slip_region_ends_max], scratch[slip_patch_scratch_max];
    int count = slip_region_offsets(r, offsets);
    for (int i = 0; i < 33; i++) {
        slip_line line = {offsets[0] + (offsets[count - 1] - offsets[0]) * (i + 0.5) / 33, 0, 0, 1};
        int chords = slip_region_chords(r, &line, ends);
        for (int k = 0; k < 33 * chords; k++) {
            double lo = ends[2 * (k / 33)], hi = ends[2 * (k / 33) + 1];
            double slots[2] = {(line.x + r->pole[0]) * r->scale,
                               (lo + (hi - lo) * (k % 33 + 0.5) / 33 + r->pole[1]) * r->scale};
            double value = slip_expression_value(r->expression, slots, scratch);
            char why[200] = "must not be negative";
            if (value >= 0 && isfinite(value))
                continue;
            if (!isfinite(value))
                slip_expression_diagnose(r->expression, slots, scratch, why, sizeof why);
            return slip_fail(ctx, SLIP_ERROR_MODEL, "area: pressure `%s` is %g at x = %g, y = %g: %s",
                             slip_expression_text(r->expression), value, slots[0], slots[1], why);
        }
    }
    return SLIP_OK;
}

static int choose_expression(slip_context *ctx, const slip_patch_options *options, slip_patch *patch)
{
    static const slip_symbol symbols[] = {{"x", 0, 0, NULL, 0}, {"y", 1, 0, NULL, 0}, {NULL, 0, 0, NULL, 0}};
    slip_expression_error error;
    if (!options->expression)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "area: pressure `expression` needs a text in x and y");
    int status = slip_expression_compile(options->expression, symbols, &patch->expression, &error);
    if (status == SLIP_ERROR_MEMORY)
        return slip_fail_memory(ctx);
    if (status < 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "area: pressure `%s`, character %d: %s", options->expression,
                         error.position + 1, error.message);
    if (slip_expression_scratch(patch->expression) > slip_patch_scratch_max)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "area: the pressure expression is too long (%d intermediate values, "
                         "at most %d)",
                         slip_expression_scratch(patch->expression), slip_patch_scratch_max);
    patch->region.density = from_expression;
    patch->region.expression = patch->expression;
    patch->region.scale = patch->size;
    patch->region.adaptive = true;
    return check_expression(ctx, patch);
}

static int choose_parabolic(slip_context *ctx, const slip_patch_options *options, slip_patch *patch)
{
    slip_region *r = &patch->region;
    if (strcmp(options->shape, "polygon") == 0)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "area: pressure `parabolic` is for disc, annulus, ellipse and rectangle; a polygon takes "
            "uniform, linear or expression");
    r->density = r->polygon ? cushion : r->hole > 0 ? ring : paraboloid;
    r->adaptive = r->hole > 0;
    rules(r, r->polygon ? 4 : 3);
    return SLIP_OK;
}

static int choose_hertz(slip_context *ctx, const slip_patch_options *options, slip_patch *patch)
{
    slip_region *r = &patch->region;
    if (r->polygon || r->hole > 0)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "area: pressure `hertz` is for disc and ellipse; shape `%s` takes uniform, linear%s or "
            "expression",
            options->shape, strcmp(options->shape, "polygon") == 0 ? "" : ", parabolic");
    r->density = hertz;
    slip_rule_root(&r->near_rule, 3);
    slip_rule_root(&r->far_rule, 14);
    return SLIP_OK;
}

static int choose(slip_context *ctx, const slip_patch_options *options, slip_patch *patch)
{
    static const char *const names[] = {"uniform", "hertz", "parabolic", "linear", "expression", NULL};
    const char *name = options->pressure, *near;
    if (strcmp(name, "uniform") == 0) {
        patch->region.density = slip_density_bilinear;
        rules(&patch->region, 2);
        return SLIP_OK;
    }
    if (strcmp(name, "linear") == 0)
        return choose_linear(ctx, options, patch);
    if (strcmp(name, "hertz") == 0)
        return choose_hertz(ctx, options, patch);
    if (strcmp(name, "parabolic") == 0)
        return choose_parabolic(ctx, options, patch);
    if (strcmp(name, "expression") == 0)
        return choose_expression(ctx, options, patch);
    near = slip_text_nearest(name, names);
    return slip_fail(
        ctx, SLIP_ERROR_MODEL,
        "area: unknown pressure `%s`%s%s%s; expected uniform, hertz, parabolic, linear or expression", name,
        near ? ", did you mean `" : "", near ? near : "", near ? "`?" : "");
}

static void count_load(const void *user, const slip_line *line, double x, double y, double along,
                       double weight, double *sums)
{
    (void)user;
    (void)line;
    (void)x;
    (void)y;
    (void)along;
    sums[0] += weight;
}

int slip_patch_pressure_build(slip_context *ctx, const slip_patch_options *options, slip_patch *patch)
{
    double total = 0;
    patch->region.coefficients[0] = 1;
    SLIP_PASS(choose(ctx, options, patch));
    slip_region_by_lines(&patch->region, count_load, NULL, 1, 1e-14, &total);
    if (!(total > 0) || !isfinite(total))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "area: the pressure's integral is %g, expected a positive number", total);
    for (int i = 0; i < 4; i++)
        patch->region.coefficients[i] /= total;
    patch->region.closed = slip_polygon_closed(&patch->region);
    return SLIP_OK;
}
