/* Pictures of a mesh cycle: transmission error, mesh stiffness and load sharing over the cycle; load of a
 * pair of teeth over its path of contact, and across the width. */
#include "figure/figure.h"
#include "figure/pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { labels = 60, teeth_max = 8, lines_max = 8 };

/* Everything the pictures are made of lives as long as they are drawn. */
typedef struct album {
    slip_context *ctx;
    slip_arena arena;
    slip_result *result;
    int64_t points, pair_count; /* positions; pairs of teeth at all of them */
    double width;
    const double *position, *pair_position, *tooth, *share; /* of the table of pairs */
    char text[teeth_max + lines_max][labels];
    int text_count;
    slip_curve error[2], stiffness[2], shares[teeth_max], path, line[lines_max];
    slip_panel over_cycle[3], load[2];
    bool failed;
} album;

static double *numbers(album *a, int64_t count)
{
    double *list = slip_arena_array(&a->arena, count, sizeof *list);
    a->failed = a->failed || !list;
    return list;
}

/* A series of the folder; a folder that lacks it is not one of a mesh cycle. */
static int find(album *a, const char *name, int64_t expected, const double **values)
{
    int64_t count;
    *values = slip_result_series(a->result, name, &count);
    if (*values && count == expected)
        return SLIP_OK;
    return slip_fail(a->ctx, SLIP_ERROR_IO, "result.h5: expected the series `%s` of a mesh cycle", name);
}

/* ---- Series over the cycle. */

/* `name` times a unit, over the cycle. */
static int curve(album *a, const char *name, double unit, const char *label, const char *y_name,
                 slip_curve_style style, slip_curve *to)
{
    const double *values;
    int status = find(a, name, a->points, &values);
    double *y = numbers(a, a->points);
    for (int64_t i = 0; status >= 0 && y && i < a->points; i++)
        y[i] = unit * values[i];
    *to = (slip_curve){.x = a->position,
                       .y = y,
                       .count = a->points,
                       .label = label,
                       .x_name = "position",
                       .y_name = y_name,
                       .style = style};
    return status;
}

/* ---- Pairs of teeth. */

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* A curve from pairs (x, y), sorted. */
static slip_curve sorted_curve(album *a, double *pairs, int64_t count)
{
    double *x = numbers(a, count + 1), *y = numbers(a, count + 1);
    if (pairs)
        qsort(pairs, (size_t)count, 2 * sizeof *pairs, ascending);
    for (int64_t i = 0; pairs && x && y && i < count; i++) {
        x[i] = pairs[2 * i];
        y[i] = pairs[2 * i + 1];
    }
    return (slip_curve){.x = x, .y = y, .count = count};
}

/* The share of a tooth of the first gear: where it touches; zero where it begins and ends to. */
static slip_curve share_curve(album *a, double tooth)
{
    int64_t changes;
    const double *at = slip_result_series(a->result, "changes.position", &changes);
    const double *of = slip_result_series(a->result, "changes.first_tooth", NULL);
    double *pairs = numbers(a, 2 * (a->pair_count + changes));
    int64_t count = 0;
    for (int64_t i = 0; pairs && i < a->pair_count; i++)
        if (a->tooth[i] == tooth) {
            pairs[2 * count] = a->pair_position[i];
            pairs[2 * count++ + 1] = a->share[i];
        }
    for (int64_t i = 0; pairs && of && i < changes; i++)
        if (of[i] == tooth)
            pairs[2 * count++] = at[i];
    return sorted_curve(a, pairs, count);
}

static bool is_drawn(const album *a, int count, double tooth)
{
    char label[labels];
    snprintf(label, sizeof label, "tooth %.0f", tooth);
    for (int k = 0; k < count; k++)
        if (strcmp(a->shares[k].label, label) == 0)
            return true;
    return false;
}

static int add_shares(album *a)
{
    int count = 0;
    for (;;) {
        double next = INFINITY; /* the lowest tooth that is not drawn yet */
        for (int64_t i = 0; i < a->pair_count; i++)
            if (a->tooth[i] < next && !is_drawn(a, count, a->tooth[i]))
                next = a->tooth[i];
        if (isinf(next) || count == teeth_max)
            return count;
        char *label = a->text[a->text_count++];
        snprintf(label, labels, "tooth %.0f", next);
        a->shares[count] = share_curve(a, next);
        a->shares[count].label = label;
        a->shares[count].x_name = "position";
        a->shares[count++].y_name = "share";
    }
}

static int path_curve(album *a)
{
    const double *path;
    const int status = find(a, "teeth.path", a->pair_count, &path);
    double *pairs = numbers(a, 2 * a->pair_count);
    for (int64_t i = 0; status >= 0 && pairs && i < a->pair_count; i++) {
        pairs[2 * i] = 1e3 * path[i];
        pairs[2 * i + 1] = a->share[i];
    }
    a->path = sorted_curve(a, pairs, a->pair_count);
    a->path.style = SLIP_CURVE_POINTS;
    a->path.x_name = "path/mm";
    a->path.y_name = "share";
    return status;
}

/* Line loads at four positions of the cycle; how many, or an error. */
static int add_lines(album *a)
{
    const slip_array *load = slip_result_array(a->result, "line/load"),
                     *z = slip_result_array(a->result, "line/z");
    int count = 0;
    if (!load || !z || load->count != a->pair_count || z->count * z->width != load->width)
        return slip_fail(a->ctx, SLIP_ERROR_IO, "result.h5: expected the line loads of a mesh cycle");
    double *places = numbers(a, load->width);
    for (int64_t l = 0; places && l < load->width; l++)
        places[l] = 1e3 * z->values[l];
    for (int quarter = 0; quarter < 4; quarter++) {
        const double position = a->position[quarter * (a->points - 1) / 4];
        for (int64_t i = 0; i < a->pair_count && count < lines_max; i++) {
            if (a->pair_position[i] != position)
                continue;
            double *line = numbers(a, load->width);
            char *label = a->text[a->text_count++];
            snprintf(label, labels, "position %.2f, tooth %.0f", position, a->tooth[i]);
            for (int64_t l = 0; line && l < load->width; l++)
                line[l] = 1e-3 * load->values[i * load->width + l];
            a->line[count++] = (slip_curve){.x = places,
                                            .y = line,
                                            .count = load->width,
                                            .label = label,
                                            .x_name = "z/mm",
                                            .y_name = "line load",
                                            .style = quarter % 2 ? SLIP_CURVE_DASHED : SLIP_CURVE_LINE};
        }
    }
    return count;
}

static double highest(const album *a)
{
    double high = 0;
    for (int i = 0; i < lines_max; i++)
        for (int64_t l = 0; l < a->line[i].count && a->line[i].y; l++)
            high = fmax(high, a->line[i].y[l]);
    return high;
}

/* ---- Figures. */

static int compose(album *a)
{
    static const char position[] = "position in the mesh cycle / pitches";
    const double stiffness = 1e-9 / a->width;
    int status;
    SLIP_TRY(curve(a, "error", 1e6, "under load", "error/um", SLIP_CURVE_LINE, &a->error[0]));
    SLIP_TRY(curve(a, "unloaded_error", 1e6, "without load", "unloaded/um", SLIP_CURVE_DASHED, &a->error[1]));
    SLIP_TRY(curve(a, "stiffness", stiffness, "secant", "secant", SLIP_CURVE_LINE, &a->stiffness[0]));
    SLIP_TRY(curve(a, "tangent", stiffness, "tangent", "tangent", SLIP_CURVE_DASHED, &a->stiffness[1]));
    SLIP_TRY(path_curve(a));
    const int lines = add_lines(a);
    SLIP_TRY(lines);
    a->over_cycle[0] =
        (slip_panel){.y_label = "transmission error / µm", .curves = a->error, .curve_count = 2};
    a->over_cycle[1] =
        (slip_panel){.y_label = "mesh stiffness / N/(mm µm)", .curves = a->stiffness, .curve_count = 2};
    a->over_cycle[2] = (slip_panel){.x_label = position,
                                    .y_label = "share of the torque",
                                    .curves = a->shares,
                                    .curve_count = add_shares(a),
                                    .y_low = 0,
                                    .y_high = 1.1};
    a->load[0] = (slip_panel){.title = "load of a pair of teeth over its path of contact",
                              .x_label = "along the line of action, from the pitch point / mm",
                              .y_label = "share of the torque",
                              .curves = &a->path,
                              .curve_count = 1,
                              .y_low = 0,
                              .y_high = 1.1};
    a->load[1] = (slip_panel){.title = "line load across the width",
                              .x_label = "z / mm",
                              .y_label = "N/mm",
                              .y_high = 1.1 * highest(a),
                              .curves = a->line,
                              .curve_count = lines};
done:
    return status < 0 ? status : SLIP_OK;
}

int slip_cycle_draw(slip_context *ctx, slip_result *result, const char *folder,
                    const slip_plot_options *options)
{
    album a = {.ctx = ctx, .result = result, .points = result->main.count};
    int status;
    slip_result_series(result, "teeth.position", &a.pair_count);
    a.width = slip_result_number(result, "width");
    SLIP_TRY(find(&a, "position", a.points, &a.position));
    SLIP_TRY(find(&a, "teeth.position", a.pair_count, &a.pair_position));
    SLIP_TRY(find(&a, "teeth.first_tooth", a.pair_count, &a.tooth));
    SLIP_TRY(find(&a, "teeth.share", a.pair_count, &a.share));
    if (a.points == 0) {
        status = slip_fail(ctx, SLIP_ERROR_USAGE, "%s: there is no position of the cycle to draw", folder);
        goto done;
    }
    SLIP_TRY(compose(&a));
    const slip_figure figures[2] = {
        {.name = "cycle",
         .title = result->title,
         .panels = a.over_cycle,
         .panel_count = 3,
         .stacked = true,
         .height = 1750},
        {.name = "cycle-load", .title = result->title, .panels = a.load, .panel_count = 2, .columns = 1}};
    status = a.failed ? slip_fail_memory(ctx)
                      : slip_figures_draw(ctx, figures, 2, folder, "cycle", options->written, options->user);
done:
    slip_arena_free(&a.arena);
    return status;
}
