/* The pictures of contact areas from the tables of a result: limit surface, force and moment against
 * direction, pressure. */
#include "study/patch/study.h"

#include "figure/figure.h"
#include "study/patch/map.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { models_max = slip_patch_approximations_max + 1, phis_max = 3, angles = slip_patch_angles };

/* Everything the pictures of an area are made of lives as long as they are drawn. */
typedef struct album {
    slip_context *ctx;
    slip_result *result;
    const char *name;
    slip_arena arena;
    slip_figure figures[3];
    slip_panel panels_space[2], panels_direction[3 * phis_max], panel_map;
    slip_surface surfaces[2], map;
    slip_curve curves_map[slip_patch_outlines_max + 1];
    double centre[2];
    bool failed; /* out of memory */
} album;

static const char *format(album *a, const char *text, ...) __attribute__((format(printf, 2, 3)));
static const char *format(album *a, const char *text, ...)
{
    slip_text made = {0};
    const char *copy;
    va_list args;
    va_start(args, text);
    slip_text_vprintf(&made, text, args);
    va_end(args);
    copy = made.failed ? NULL : slip_arena_string(&a->arena, made.data);
    a->failed = a->failed || !copy;
    slip_text_free(&made);
    return copy;
}

/* A table of the area with at least so many columns and rows. */
static int find_table(album *a, const char *what, int column_count, int64_t count, const slip_table **table)
{
    const char *name = format(a, "%s-%s", a->name, what);
    *table = name ? slip_result_table(a->result, name) : NULL;
    if (!name)
        return slip_fail_memory(a->ctx);
    return *table && (*table)->column_count >= column_count && (*table)->count >= count
               ? SLIP_OK
               : slip_fail(a->ctx, SLIP_ERROR_IO, "result.h5: expected a table `%s` of a contact area", name);
}

/* The model that a column is of: "(0,1)" of "M/size (0,1)". */
static const char *model_of(const slip_column *column)
{
    const char *space = strchr(column->name, ' ');
    return space ? space + 1 : "";
}

/* ---- limit surface ---- */

/* The title above the approximation beside the integral model. */
static const char *describe(album *a, const char *label)
{
    const char *own = format(a, "%s.approximations.%s", a->name, label);
    const double m = own ? slip_result_number(a->result, format(a, "%s.m", own)) : NAN;
    const double b = own ? slip_result_number(a->result, format(a, "%s.b", own)) : NAN;
    return format(a, "approximation %s, m = %.4g, b = %.4g", label, m, b);
}

static int add_space(album *a)
{
    const slip_table *table;
    int status;
    SLIP_TRY(find_table(a, "limit-surface", 8, slip_patch_rows * slip_patch_columns, &table));
    for (int k = 0; k < 2; k++) {
        const slip_column *of = &table->columns[2 + 3 * k];
        a->surfaces[k] =
            (slip_surface){of[0].values, of[1].values, of[2].values, slip_patch_rows, slip_patch_columns};
        a->panels_space[k] = (slip_panel){.title = k == 0 ? "integral model" : describe(a, model_of(of)),
                                          .x_label = "force Tx",
                                          .y_label = "force Ty",
                                          .z_label = "moment M/size",
                                          .surface = &a->surfaces[k]};
    }
    a->figures[0] = (slip_figure){.name = format(a, "%s-limit-surface", a->name),
                                  .title = format(a, "%s: limit surface for mu N = 1", a->name),
                                  .panels = a->panels_space,
                                  .panel_count = 2,
                                  .columns = 2,
                                  .width = 2000,
                                  .height = 1000};
done:
    return status;
}

/* ---- force and moment against direction ---- */

static const slip_curve *direction_curves(album *a, const slip_table *table, int phi, int part)
{
    static const int colors[] = {7, 1, 6, 3, 2};
    const int models = (table->column_count - 2) / 3;
    slip_curve *curves = slip_arena_array(&a->arena, models, sizeof *curves);
    a->failed = a->failed || !curves;
    for (int m = 0; curves && m < models; m++) {
        const slip_column *column = &table->columns[2 + 3 * m + part];
        const bool own = strncmp(model_of(&table->columns[table->column_count > 5 ? 5 : 2]), "own", 3) == 0;
        curves[m] = (slip_curve){.x = table->columns[1].values + (int64_t)phi * angles,
                                 .y = column->values + (int64_t)phi * angles,
                                 .count = angles,
                                 .label = model_of(column),
                                 .color = m == 0          ? colors[0]
                                          : own && m == 1 ? 4
                                                          : colors[(own ? m - 1 : m) % 5],
                                 .style = own && m == 1 ? SLIP_CURVE_DASHED : SLIP_CURVE_LINE};
    }
    return curves;
}

/* Of a circular area one phi says all, and nothing is across. */
static int add_directions(album *a)
{
    static const char *const labels[3] = {"force along the sliding", "force across the sliding",
                                          "moment M/size"};
    const slip_table *table;
    int status, count = 0;
    SLIP_TRY(find_table(a, "directions", 5, angles, &table));
    const int phi_count = table->count / angles < phis_max ? (int)(table->count / angles) : phis_max;
    for (int part = 0; part < 3; part++)
        for (int phi = 0; phi < phi_count; phi++) {
            if (part == 1 && phi_count == 1)
                continue;
            a->panels_direction[count++] = (slip_panel){
                .title =
                    phi_count > 1 && part == 0 ? format(a, "sliding at phi = %d degrees", 45 * phi) : NULL,
                .x_label = "theta, degrees",
                .x_step = phi_count > 1 ? 45 : 15,
                .y_label = phi == 0 ? labels[part] : NULL,
                .curves = direction_curves(a, table, phi, part),
                .curve_count = (table->column_count - 2) / 3};
        }
    a->figures[1] = (slip_figure){
        .name = format(a, "%s-directions", a->name),
        .title = format(a, "%s: friction against direction, from sliding (0) to spin (90 degrees)", a->name),
        .panels = a->panels_direction,
        .panel_count = count,
        .columns = phi_count > 1 ? phi_count : 2,
        .rows_share_y = phi_count > 1};
done:
    return status;
}

/* ---- pressure ---- */

static const slip_array *find_array(album *a, const char *what)
{
    const char *place = format(a, "%s/%s", a->name, what);
    return place ? slip_result_array(a->result, place) : NULL;
}

static int add_pressure(album *a)
{
    const slip_array *map = find_array(a, "pressure");
    const double size = slip_result_number(a->result, format(a, "%s.size", a->name));
    int count = 0;
    if (!map || map->count % 3 != 0)
        return slip_fail(a->ctx, SLIP_ERROR_IO, "result.h5: expected the pressure of the contact area `%s`",
                         a->name);
    const int64_t all = map->count / 3 * map->width;
    a->map = (slip_surface){map->values, map->values + all, map->values + 2 * all, (int)(map->count / 3),
                            (int)map->width};
    for (int k = 0; k < slip_patch_outlines_max; k++) {
        const slip_array *outline = find_array(a, k == 0 ? "outline-1" : "outline-2");
        if (outline && outline->count == 2)
            a->curves_map[count++] = (slip_curve){
                .x = outline->values, .y = outline->values + outline->width, .count = outline->width};
    }
    a->centre[0] = size * slip_result_number(a->result, format(a, "%s.moments.c_1,0,0", a->name));
    a->centre[1] = size * slip_result_number(a->result, format(a, "%s.moments.c_0,1,0", a->name));
    a->curves_map[count++] =
        (slip_curve){.x = &a->centre[0], .y = &a->centre[1], .count = 1, .style = SLIP_CURVE_POINTS};
    const bool points = slip_result_number(a->result, format(a, "%s.point_loads", a->name)) == 1;
    a->panel_map = (slip_panel){.x_label = "x",
                                .y_label = "y",
                                .z_label = points ? "share of the load" : "pressure for unit load",
                                .curves = a->curves_map,
                                .curve_count = count,
                                .surface = &a->map,
                                .map = true};
    a->figures[2] =
        (slip_figure){.name = format(a, "%s-pressure", a->name),
                      .title = format(a, "%s: pressure, and the centre of the load (cross)", a->name),
                      .panels = &a->panel_map,
                      .panel_count = 1};
    return SLIP_OK;
}

/* ---- all of it ---- */

static int draw_area(slip_context *ctx, slip_result *result, const char *name, const char *folder,
                     const slip_plot_options *options)
{
    album a = {.ctx = ctx, .result = result, .name = name};
    int status;
    SLIP_TRY(add_space(&a));
    SLIP_TRY(add_directions(&a));
    SLIP_TRY(add_pressure(&a));
    SLIP_TRY(a.failed ? slip_fail_memory(ctx) : SLIP_OK);
    SLIP_TRY(slip_figures_draw(ctx, a.figures, 3, folder, name, options->written, options->user));
done:
    slip_arena_free(&a.arena);
    return status;
}

int slip_patch_draw(slip_context *ctx, slip_result *result, const char *folder,
                    const slip_plot_options *options)
{
    const slip_column *names = result->main.column_count > 0 ? &result->main.columns[0] : NULL;
    int status = SLIP_OK;
    if (!names || !names->words)
        return slip_fail(ctx, SLIP_ERROR_IO, "%s: result.h5: expected the names of contact areas", folder);
    for (int k = 0; k < names->word_count && status >= 0; k++)
        status = draw_area(ctx, result, names->words[k], folder, options);
    return status;
}
