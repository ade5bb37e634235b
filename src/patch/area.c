/* From options to an area in units of its characteristic size. */
#include "patch/patch.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/file.h"
#include "io/number.h"
#include "patch/area.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Pressure tables from files: rows of x, y and pressure, separated by commas, semicolons or blanks. A
 * first row that is no numbers is a header; what follows # is a comment. */

enum { file_size_max = 64 << 20 };

typedef struct reading {
    slip_context *ctx;
    const char *path;
    double *points;
    int64_t count, capacity; /* of numbers */
} reading;

/* Fails for a file that is not regular: opening a pipe would block. */
static int check_file(slip_context *ctx, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return slip_fail_file(ctx, "cannot read", path, errno);
    if (!S_ISREG(info.st_mode))
        return slip_fail(ctx, SLIP_ERROR_IO, "cannot read %s: it is no regular file", path);
    return SLIP_OK;
}

static bool is_separator(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

/* The numbers of a line: up to three are kept. -1 where something else stands. */
static int read_numbers(const char *line, const char *end, double row[3])
{
    int count = 0;
    for (;;) {
        const char *stop;
        double value;
        while (line < end && is_separator(*line))
            line++;
        if (line >= end || *line == '#')
            return count;
        if (!slip_number_read(line, &stop, &value) || (stop < end && !is_separator(*stop) && *stop != '#'))
            return -1;
        if (count < 3)
            row[count] = value;
        count++;
        line = stop;
    }
}

/* Whether a first line is a heading. A line that begins with a number is a row: it must not be skipped
 * because of a misplaced letter. */
static bool is_heading(const char *line, const char *end, int number)
{
    const char *stop;
    double value;
    while (line < end && is_separator(*line))
        line++;
    return number == 1 && !slip_number_read(line, &stop, &value);
}

static int take_line(reading *r, const char *line, const char *end, int number)
{
    double row[3];
    int count = read_numbers(line, end, row);
    if (count == 0 || (count < 0 && is_heading(line, end, number)))
        return SLIP_OK;
    if (count != 3)
        return slip_fail(r->ctx, SLIP_ERROR_MODEL,
                         "%s:%d: found `%.*s`, expected three numbers: x, y, pressure", r->path, number,
                         (int)(end - line > 60 ? 60 : end - line), line);
    SLIP_PASS(slip_allocated(r->ctx, SLIP_ROOM(r->points, r->capacity, r->count + 3)));
    memcpy(r->points + r->count, row, sizeof row);
    r->count += 3;
    return SLIP_OK;
}

/* The rows of a file: x, y, pressure of each. Free the points. */
static int read_points(slip_context *ctx, const char *path, double **points, int *count)
{
    reading r = {.ctx = ctx, .path = path};
    slip_text text = {0};
    int status, number = 1;
    SLIP_TRY(check_file(ctx, path));
    SLIP_TRY(slip_file_read(ctx, path, file_size_max, &text));
    for (const char *line = text.data; line && *line; number++) {
        const char *end = line + strcspn(line, "\n");
        SLIP_TRY(take_line(&r, line, end, number));
        line = *end ? end + 1 : end;
    }
    *points = r.points;
    *count = (int)(r.count / 3);
    r.points = NULL;
done:
    free(r.points);
    slip_text_free(&text);
    return status;
}

/* ---- Polygons: area, and whether they are simple. */

static double cross(const double *o, const double *a, const double *b)
{
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

/* Relative to the first corner, so that a polygon far from the origin loses nothing. */
static double polygon_area(const double *corners, int count)
{
    double sum = 0;
    for (int i = 1; i + 1 < count; i++)
        sum += cross(corners, corners + 2 * i, corners + 2 * (i + 1));
    return sum / 2;
}

static double length(const double *a, const double *b)
{
    return hypot(b[0] - a[0], b[1] - a[1]);
}

/* Which side of a-b the point is on, 0 when it is on the line to rounding. */
static int side(const double *a, const double *b, const double *p)
{
    double value = cross(a, b, p), limit = 1e-14 * length(a, b) * (length(a, p) + length(b, p));
    return (value > limit) - (value < -limit);
}

static bool between(const double *a, const double *b, const double *p)
{
    return fmin(a[0], b[0]) <= p[0] && p[0] <= fmax(a[0], b[0]) && fmin(a[1], b[1]) <= p[1] &&
           p[1] <= fmax(a[1], b[1]);
}

/* Whether two edges without a common corner meet. */
static bool meet(const double *a, const double *b, const double *c, const double *d)
{
    int s1 = side(a, b, c), s2 = side(a, b, d), s3 = side(c, d, a), s4 = side(c, d, b);
    if (s1 * s2 < 0 && s3 * s4 < 0)
        return true;
    return (s1 == 0 && between(a, b, c)) || (s2 == 0 && between(a, b, d)) || (s3 == 0 && between(c, d, a)) ||
           (s4 == 0 && between(c, d, b));
}

/* Edge i goes from corner i to the next one. Messages count corners from 1. */
static bool is_simple(const double *corners, int count, char *why, size_t size)
{
    for (int i = 0; i < count; i++) {
        const double *a = corners + 2 * i, *b = corners + 2 * ((i + 1) % count);
        const double *c = corners + 2 * ((i + 2) % count);
        if (!(length(a, b) > 0)) {
            snprintf(why, size, "corners %d and %d are the same point", i + 1, (i + 1) % count + 1);
            return false;
        }
        if (side(a, b, c) == 0 && (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) < 0) {
            snprintf(why, size, "the edge turns back on itself at corner %d", (i + 1) % count + 1);
            return false;
        }
        for (int k = i + 2; k < count - (i == 0); k++)
            if (meet(a, b, corners + 2 * k, corners + 2 * ((k + 1) % count))) {
                snprintf(why, size, "the edges that begin at corners %d and %d meet", i + 1, k + 1);
                return false;
            }
    }
    return true;
}

/* ---- Shapes. */

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
    if (!is_simple(o->points, o->point_count, why, sizeof why))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "area: polygon: %s; expected a simple one, without crossings",
                         why);
    area = polygon_area(o->points, o->point_count);
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
    SLIP_TRY(read_points(ctx, o->file, &points, &with_points.point_count));
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
    if (round && is_uniform && r->hole <= 0.9 * r->a) /* thinner rings lose digits as a difference of discs */
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
