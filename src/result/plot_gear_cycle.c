/* Pictures of a mesh cycle: transmission error, mesh stiffness and load sharing over the cycle; load of a
 * pair of teeth over its path of contact, and across the width. */
#include "gear/gear_cycle.h"
#include "result/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { labels = 60, teeth_max = 8, lines_max = 8 };

/* Everything the pictures are made of lives as long as they are drawn. */
typedef struct album {
    slip_arena arena;
    const slip_gear_cycle *cycle;
    char title[300];
    char text[teeth_max + lines_max][labels];
    int text_count;
    slip_curve error[2], stiffness[2], share[teeth_max], path, line[lines_max];
    slip_panel over_cycle[3], load[2];
    bool failed;
} album;

static double *numbers(album *a, int64_t count)
{
    double *list = slip_arena_array(&a->arena, count, sizeof *list);
    a->failed = a->failed || !list;
    return list;
}

/* ---- Series over the cycle. */

typedef double (*value_of)(const slip_gear_cycle *c, const slip_gear_cycle_point *p);

static double position_of(const slip_gear_cycle *c, const slip_gear_cycle_point *p)
{
    (void)c;
    return p->position;
}

static double error_of(const slip_gear_cycle *c, const slip_gear_cycle_point *p)
{
    (void)c;
    return 1e6 * p->error;
}

static double unloaded_of(const slip_gear_cycle *c, const slip_gear_cycle_point *p)
{
    (void)c;
    return 1e6 * p->unloaded;
}

static double stiffness_of(const slip_gear_cycle *c, const slip_gear_cycle_point *p)
{
    return 1e-9 * p->stiffness / c->width;
}

static double tangent_of(const slip_gear_cycle *c, const slip_gear_cycle_point *p)
{
    return 1e-9 * p->tangent / c->width;
}

static const double *series(album *a, value_of value)
{
    double *list = numbers(a, a->cycle->point_count);
    for (int i = 0; list && i < a->cycle->point_count; i++)
        list[i] = value(a->cycle, &a->cycle->points[i]);
    return list;
}

static slip_curve curve(album *a, value_of value, const char *label, const char *name, slip_curve_style style)
{
    return (slip_curve){.x = series(a, position_of),
                        .y = series(a, value),
                        .count = a->cycle->point_count,
                        .label = label,
                        .x_name = "position",
                        .y_name = name,
                        .style = style};
}

/* ---- Pairs of teeth. */

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* A curve from pairs (x, y), sorted. */
static slip_curve sorted_curve(album *a, double *pairs, int count)
{
    double *x = numbers(a, count + 1), *y = numbers(a, count + 1);
    if (pairs)
        qsort(pairs, (size_t)count, 2 * sizeof *pairs, ascending);
    for (int i = 0; pairs && x && y && i < count; i++) {
        x[i] = pairs[2 * i];
        y[i] = pairs[2 * i + 1];
    }
    return (slip_curve){.x = x, .y = y, .count = count};
}

/* The share of a tooth of the first gear: where it touches; zero where it begins and ends to. */
static slip_curve share_curve(album *a, int tooth)
{
    const slip_gear_cycle *c = a->cycle;
    double *pairs = numbers(a, 2 * ((int64_t)c->point_count * slip_gear_cycle_pairs_max + c->change_count));
    int count = 0;
    for (int i = 0; pairs && i < c->point_count; i++)
        for (int k = 0; k < c->points[i].pair_count; k++)
            if (c->points[i].pairs[k].tooth[0] == tooth) {
                pairs[2 * count] = c->points[i].position;
                pairs[2 * count++ + 1] = c->points[i].pairs[k].share;
            }
    int touching = count;
    for (int i = 0; pairs && touching && i < c->change_count; i++)
        if (c->changes[i].tooth[0] == tooth)
            pairs[2 * count++] = c->changes[i].position;
    return sorted_curve(a, pairs, count);
}

static int add_shares(album *a)
{
    int count = 0;
    for (int tooth = 0; tooth < a->cycle->teeth[0] && count < teeth_max; tooth++) {
        slip_curve c = share_curve(a, tooth);
        if (c.count == 0)
            continue;
        char *label = a->text[a->text_count++];
        snprintf(label, labels, "tooth %d", tooth + 1);
        c.label = label;
        c.x_name = "position";
        c.y_name = "share";
        a->share[count++] = c;
    }
    return count;
}

static slip_curve path_curve(album *a)
{
    const slip_gear_cycle *c = a->cycle;
    double *pairs = numbers(a, 2 * (int64_t)c->point_count * slip_gear_cycle_pairs_max);
    int count = 0;
    for (int i = 0; pairs && i < c->point_count; i++)
        for (int k = 0; k < c->points[i].pair_count; k++) {
            pairs[2 * count] = 1e3 * c->points[i].pairs[k].path;
            pairs[2 * count++ + 1] = c->points[i].pairs[k].share;
        }
    slip_curve path = sorted_curve(a, pairs, count);
    path.style = SLIP_CURVE_POINTS;
    path.x_name = "path/mm";
    path.y_name = "share";
    return path;
}

/* Line loads at four positions of the cycle. */
static int add_lines(album *a)
{
    const slip_gear_cycle *c = a->cycle;
    int count = 0;
    double *z = numbers(a, c->layer_count);
    for (int l = 0; z && l < c->layer_count; l++)
        z[l] = 1e3 * c->layers[l];
    for (int quarter = 0; z && quarter < 4; quarter++) {
        const slip_gear_cycle_point *p = &c->points[quarter * (c->point_count - 1) / 4];
        for (int k = 0; k < p->pair_count && count < lines_max; k++) {
            double *line = numbers(a, c->layer_count);
            char *label = a->text[a->text_count++];
            snprintf(label, labels, "position %.2f, tooth %d", p->position, p->pairs[k].tooth[0] + 1);
            for (int l = 0; line && l < c->layer_count; l++)
                line[l] = 1e-3 * p->pairs[k].line[l];
            a->line[count] = (slip_curve){.x = z,
                                          .y = line,
                                          .count = c->layer_count,
                                          .label = label,
                                          .x_name = "z/mm",
                                          .y_name = "line load",
                                          .style = quarter % 2 ? SLIP_CURVE_DASHED : SLIP_CURVE_LINE};
            count++;
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

static void compose(album *a)
{
    static const char position[] = "position in the mesh cycle / pitches";
    a->error[0] = curve(a, error_of, "under load", "error/um", SLIP_CURVE_LINE);
    a->error[1] = curve(a, unloaded_of, "without load", "unloaded/um", SLIP_CURVE_DASHED);
    a->stiffness[0] = curve(a, stiffness_of, "secant", "secant", SLIP_CURVE_LINE);
    a->stiffness[1] = curve(a, tangent_of, "tangent", "tangent", SLIP_CURVE_DASHED);
    a->over_cycle[0] =
        (slip_panel){.y_label = "transmission error / µm", .curves = a->error, .curve_count = 2};
    a->over_cycle[1] =
        (slip_panel){.y_label = "mesh stiffness / N/(mm µm)", .curves = a->stiffness, .curve_count = 2};
    a->over_cycle[2] = (slip_panel){.x_label = position,
                                    .y_label = "share of the torque",
                                    .curves = a->share,
                                    .curve_count = add_shares(a),
                                    .y_low = 0,
                                    .y_high = 1.1};
    a->path = path_curve(a);
    int lines = add_lines(a);
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
}

int slip_gear_cycle_draw(slip_context *ctx, const slip_gear_cycle *cycle, const char *folder,
                         void (*written)(void *user, const char *path), void *user)
{
    SLIP_NEED(ctx, cycle, folder);
    album a = {.cycle = cycle};
    int status;
    snprintf(a.title, sizeof a.title, "%.60s (%d teeth) and %.60s (%d teeth), %.6g N m on %.60s",
             cycle->names[0], cycle->teeth[0], cycle->names[1], cycle->teeth[1], cycle->torque,
             cycle->names[1]);
    compose(&a);
    const slip_figure figures[2] = {
        {.name = "cycle",
         .title = a.title,
         .panels = a.over_cycle,
         .panel_count = 3,
         .stacked = true,
         .height = 1750},
        {.name = "cycle-load", .title = a.title, .panels = a.load, .panel_count = 2, .columns = 1}};
    status =
        a.failed ? slip_fail_memory(ctx) : slip_figures_draw(ctx, figures, 2, folder, "cycle", written, user);
    slip_arena_free(&a.arena);
    return status;
}
