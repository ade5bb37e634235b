/* From options to an area in units of its characteristic size. */
#include "patch/patch.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static bool positive(double value)
{
    return value > 0 && isfinite(value);
}

static int set_size(slip_context *ctx, const slip_patch_options *options, double fallback, slip_patch *patch)
{
    patch->size = isnan(options->size) ? fallback : options->size;
    if (!positive(patch->size))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "area: size %g: expected a positive number", patch->size);
    return SLIP_OK;
}

static int build_ellipse(slip_context *ctx, const slip_patch_options *options, slip_patch *patch, double a,
                         double b, double hole)
{
    slip_region *r = &patch->region;
    SLIP_PASS(set_size(ctx, options, fmax(a, b), patch));
    patch->area = pi * (a * b - hole * hole);
    r->a = a / patch->size;
    r->b = b / patch->size;
    r->hole = hole / patch->size;
    r->reach = fmax(r->a, r->b);
    return SLIP_OK;
}

static int build_disc(slip_context *ctx, const slip_patch_options *o, slip_patch *patch)
{
    double radius = isnan(o->radius) ? 1 : o->radius;
    if (!positive(radius))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "area: radius %g of a disc: expected a positive number",
                         radius);
    return build_ellipse(ctx, o, patch, radius, radius, 0);
}

static int build_annulus(slip_context *ctx, const slip_patch_options *o, slip_patch *patch)
{
    if (!positive(o->outer) || !(o->inner >= 0) || !(o->inner < o->outer))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "area: inner %g and outer %g of an annulus: expected 0 <= inner < outer", o->inner,
                         o->outer);
    return build_ellipse(ctx, o, patch, o->outer, o->outer, o->inner);
}

static int build_semi_axes(slip_context *ctx, const slip_patch_options *o, slip_patch *patch)
{
    if (!positive(o->semi_axes[0]) || !positive(o->semi_axes[1]))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "area: semi_axes [%g, %g] of an ellipse: expected two positive numbers",
                         o->semi_axes[0], o->semi_axes[1]);
    return build_ellipse(ctx, o, patch, o->semi_axes[0], o->semi_axes[1], 0);
}

/* Corners in the user's units to the region: counterclockwise, relative to their mean, over size, with a
 * circle around them. */
static int set_corners(slip_context *ctx, slip_patch *patch, const double *corners, int count, bool reverse)
{
    slip_region *r = &patch->region;
    patch->corners = slip_alloc(2 * (int64_t)count, sizeof *patch->corners);
    SLIP_PASS(slip_allocated(ctx, patch->corners));
    for (int k = 0; k < 2; k++) {
        double sum = 0, mean;
        for (int i = 0; i < count; i++)
            sum += corners[2 * i + k] - corners[k];
        mean = corners[k] + sum / count;
        for (int i = 0; i < count; i++)
            patch->corners[2 * i + k] = (corners[2 * (reverse ? count - 1 - i : i) + k] - mean) / patch->size;
        r->pole[k] = mean / patch->size;
    }
    for (int i = 0; i < count; i++)
        r->reach = fmax(r->reach, hypot(patch->corners[2 * i], patch->corners[2 * i + 1]));
    r->polygon = true;
    r->corners = patch->corners;
    r->corner_count = count;
    return SLIP_OK;
}

static int build_rectangle(slip_context *ctx, const slip_patch_options *o, slip_patch *patch)
{
    double a = o->sides[0] / 2, b = o->sides[1] / 2, corners[8] = {-a, -b, a, -b, a, b, -a, b};
    if (!positive(a) || !positive(b))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "area: sides [%g, %g] of a rectangle: expected two positive numbers", o->sides[0],
                         o->sides[1]);
    SLIP_PASS(set_size(ctx, o, fmax(a, b), patch));
    patch->area = 4 * a * b;
    patch->region.a = a / patch->size;
    patch->region.b = b / patch->size;
    return set_corners(ctx, patch, corners, 4, false);
}

static int build_polygon(slip_context *ctx, const slip_patch_options *o, slip_patch *patch)
{
    char why[120];
    double area;
    if (!o->points || o->point_count < 3 || o->point_count > slip_patch_corners_max)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "area: a polygon of %d points: expected 3 to %d",
                         o->point_count, slip_patch_corners_max);
    for (int i = 0; i < 2 * o->point_count; i++)
        if (!isfinite(o->points[i]))
            return slip_fail(ctx, SLIP_ERROR_MODEL, "area: polygon: %c of corner %d is %g", i % 2 ? 'y' : 'x',
                             i / 2 + 1, o->points[i]);
    if (!slip_polygon_simple(o->points, o->point_count, why, sizeof why))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "area: polygon: %s; expected a simple one, without crossings",
                         why);
    area = slip_polygon_area(o->points, o->point_count);
    if (!positive(fabs(area)))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "area: polygon: its area is %g", area);
    patch->area = fabs(area);
    SLIP_PASS(set_size(ctx, o, sqrt(patch->area / pi), patch));
    return set_corners(ctx, patch, o->points, o->point_count, area < 0);
}

static int build_table(slip_context *ctx, const slip_patch_options *o, slip_patch *patch)
{
    slip_patch_options with_points = *o;
    double *points = NULL;
    int status;
    if (!o->file)
        return slip_patch_table_area(ctx, o, patch);
    if (o->points)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "area: a table has either points or a file, not both");
    SLIP_TRY(slip_patch_file_read(ctx, o->file, &points, &with_points.point_count));
    with_points.points = points;
    SLIP_TRY(slip_patch_table_area(ctx, &with_points, patch));
done:
    free(points);
    return status;
}

typedef struct shape {
    const char *name;
    int (*build)(slip_context *ctx, const slip_patch_options *options, slip_patch *patch);
} shape;

static const shape shapes[] = {
    {"disc", build_disc},           {"annulus", build_annulus}, {"ellipse", build_semi_axes},
    {"rectangle", build_rectangle}, {"polygon", build_polygon}, {"table", build_table},
};
enum { shape_count = sizeof shapes / sizeof *shapes };

static void recognise(const slip_patch_options *options, slip_patch *patch)
{
    bool is_uniform = strcmp(options->pressure, "uniform") == 0,
         is_hertz = strcmp(options->pressure, "hertz") == 0;
    const slip_region *r = &patch->region;
    bool round = !r->polygon && r->a == r->b;
    patch->circular = round && (is_uniform || is_hertz || strcmp(options->pressure, "parabolic") == 0);
    if (round && is_uniform &&
        r->hole <= 0.9 * r->a) /* thinner rings would cancel as a difference of discs */
        patch->closed = SLIP_PATCH_RING;
    else if (round && is_hertz)
        patch->closed = SLIP_PATCH_HERTZ;
}

int slip_patch_area_build(slip_context *ctx, const slip_patch_options *options, slip_patch *patch)
{
    const char *names[shape_count + 1] = {NULL}, *near;
    for (int i = 0; i < shape_count; i++) {
        names[i] = shapes[i].name;
        if (strcmp(options->shape, shapes[i].name) != 0)
            continue;
        SLIP_PASS(shapes[i].build(ctx, options, patch));
        if (patch->load == SLIP_PATCH_REGION) {
            SLIP_PASS(slip_patch_pressure_build(ctx, options, patch));
            recognise(options, patch);
        }
        return SLIP_OK;
    }
    near = slip_text_nearest(options->shape, names);
    return slip_fail(
        ctx, SLIP_ERROR_MODEL,
        "area: unknown shape `%s`%s%s%s; expected disc, annulus, ellipse, rectangle, polygon or table",
        options->shape, near ? ", did you mean `" : "", near ? near : "", near ? "`?" : "");
    return SLIP_OK;
}
