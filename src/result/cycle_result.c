/* A mesh cycle as a result: a record for each position (cycle.csv), tables of pairs of teeth in contact and
 * of the positions at which pairs come into contact or leave it (cycle-changes.csv). */
#include "gear/statics/gear_cycle.h"
#include "result/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { scalars = 14, per_pair = 3 };

static const slip_column_info columns[scalars] = {{.name = "position"},
                                                  {.name = "first_angle", .unit = "rad"},
                                                  {.name = "second_angle", .unit = "rad"},
                                                  {.name = "error", .unit = "m"},
                                                  {.name = "unloaded_error", .unit = "m"},
                                                  {.name = "stiffness", .unit = "N/m"},
                                                  {.name = "tangent", .unit = "N/m"},
                                                  {.name = "first_moment", .unit = "N m"},
                                                  {.name = "second_moment", .unit = "N m"},
                                                  {.name = "ratio"},
                                                  {.name = "nodes"},
                                                  {.name = "largest_node_force", .unit = "N"},
                                                  {.name = "pairs"},
                                                  {.name = "iterations"}};
static const slip_column_info of_tooth[per_pair] = {
    {.name = "share"}, {.name = "path", .unit = "m"}, {.name = "pressure", .unit = "Pa"}};

/* ---- Positions. */

/* Lists the teeth of the first gear that are in contact in the cycle, ascending. */
static int list_teeth(const slip_gear_cycle *c, int *teeth)
{
    int count = 0;
    for (int tooth = 0; tooth < c->teeth[0]; tooth++) {
        bool found = false;
        for (int i = 0; i < c->point_count && !found; i++)
            for (int k = 0; k < c->points[i].pair_count; k++)
                found = found || c->points[i].pairs[k].tooth[0] == tooth;
        if (found)
            teeth[count++] = tooth;
    }
    return count;
}

static int add_columns(slip_context *ctx, slip_table *table, const int *teeth, int tooth_count)
{
    int status = SLIP_OK;
    for (int k = 0; k < scalars && status >= 0; k++)
        status = slip_table_add(ctx, table, &columns[k]);
    for (int k = 0; k < per_pair * tooth_count && status >= 0; k++) {
        slip_column_info info = of_tooth[k % per_pair];
        char name[40];
        snprintf(name, sizeof name, "tooth%d_%s", teeth[k / per_pair] + 1, info.name);
        info.name = name;
        status = slip_table_add(ctx, table, &info);
    }
    return status;
}

/* share, path and pressure of a tooth of the first gear; the last two NAN where it does not touch. */
static void fill_tooth(const slip_gear_cycle_point *p, int tooth, double *row)
{
    row[0] = 0;
    row[1] = row[2] = NAN;
    for (int k = 0; k < p->pair_count; k++)
        if (p->pairs[k].tooth[0] == tooth) {
            row[0] += p->pairs[k].share;
            row[1] = p->pairs[k].path;
            row[2] = p->pairs[k].pressure;
        }
}

static int add_positions(slip_context *ctx, const slip_gear_cycle *c, slip_table *table)
{
    SLIP_FREED int *teeth = slip_alloc(c->teeth[0], sizeof *teeth);
    SLIP_FREED double *row = NULL;
    SLIP_PASS(slip_allocated(ctx, teeth));
    const int tooth_count = list_teeth(c, teeth);
    SLIP_PASS(add_columns(ctx, table, teeth, tooth_count));
    SLIP_PASS(slip_allocated(ctx, (row = slip_alloc(table->column_count, sizeof *row))));
    for (int i = 0; i < c->point_count; i++) {
        const slip_gear_cycle_point *p = &c->points[i];
        const double first[scalars] = {p->position,  p->angle[0], p->angle[1],   p->error,     p->unloaded,
                                       p->stiffness, p->tangent,  p->moment[0],  p->moment[1], p->ratio,
                                       p->touching,  p->largest,  p->pair_count, p->iterations};
        memcpy(row, first, sizeof first);
        for (int k = 0; k < tooth_count; k++)
            fill_tooth(p, teeth[k], row + scalars + per_pair * k);
        SLIP_PASS(slip_table_append(ctx, table, row));
    }
    return SLIP_OK;
}

/* ---- Pairs, changes. */

/* A row for each pair at each position; beside them the line loads across the width, at the layers. */
static int add_pairs(slip_context *ctx, const slip_gear_cycle *c, slip_result *result)
{
    static const slip_column_info of_pair[] = {{.name = "position"},
                                               {.name = "first_tooth"},
                                               {.name = "second_tooth"},
                                               {.name = "share"},
                                               {.name = "force", .unit = "N"},
                                               {.name = "path", .unit = "m"},
                                               {.name = "pressure", .unit = "Pa"}};
    slip_table *table = slip_result_add_table(ctx, result, "teeth", NULL);
    slip_array lines = {.place = "line/load", .width = c->layer_count},
               layers = {.place = "line/z", .width = 1};
    int status = table ? SLIP_OK : SLIP_ERROR_MEMORY;
    for (size_t k = 0; k < sizeof of_pair / sizeof *of_pair && status >= 0; k++)
        status = slip_table_add(ctx, table, &of_pair[k]);
    for (int i = 0; i < c->point_count; i++)
        lines.count += c->points[i].pair_count;
    lines.values = slip_alloc(lines.count * lines.width, sizeof(double));
    layers.values = slip_alloc(c->layer_count, sizeof(double));
    layers.count = c->layer_count;
    if (status >= 0 && (!lines.values || !layers.values))
        status = slip_fail_memory(ctx);
    for (int i = 0; i < c->point_count && status >= 0; i++)
        for (int k = 0; k < c->points[i].pair_count && status >= 0; k++) {
            const slip_gear_cycle_pair *p = &c->points[i].pairs[k];
            memcpy(lines.values + table->count * lines.width, p->line, (size_t)lines.width * sizeof(double));
            status =
                slip_table_append(ctx, table,
                                  (const double[]){c->points[i].position, p->tooth[0] + 1, p->tooth[1] + 1,
                                                   p->share, p->force, p->path, p->pressure});
        }
    if (status < 0) {
        free(lines.values);
        free(layers.values);
        return status;
    }
    memcpy(layers.values, c->layers, (size_t)c->layer_count * sizeof(double));
    status = slip_result_add_array(ctx, result, &lines);
    if (status < 0)
        free(layers.values);
    return status < 0 ? status : slip_result_add_array(ctx, result, &layers);
}

static int add_changes(slip_context *ctx, const slip_gear_cycle *c, slip_result *result)
{
    static const char *const words[] = {"leaves", "enters", NULL};
    static const slip_column_info of_change[] = {{.name = "position"},
                                                 {.name = "first_tooth"},
                                                 {.name = "second_tooth"},
                                                 {.name = "change", .words = words}};
    slip_table *table = slip_result_add_table(ctx, result, "changes", "cycle-changes.csv");
    int status = table ? SLIP_OK : SLIP_ERROR_MEMORY;
    for (int k = 0; k < 4 && status >= 0; k++)
        status = slip_table_add(ctx, table, &of_change[k]);
    for (int i = 0; i < c->change_count && status >= 0; i++) {
        const slip_gear_cycle_change *at = &c->changes[i];
        status = slip_table_append(
            ctx, table, (const double[]){at->position, at->tooth[0] + 1, at->tooth[1] + 1, at->enters != 0});
    }
    return status;
}

/* ---- All of it. */

static int write_summary(slip_context *ctx, const slip_gear_cycle *c, slip_text *text)
{
    const slip_gear_cycle_summary s = slip_gear_cycle_summarise(c);
    slip_json_writer w = {.text = text};
    slip_json_object(&w, NULL);
    slip_json_string(&w, "first", c->names[0]);
    slip_json_string(&w, "second", c->names[1]);
    slip_json_number(&w, "torque", c->torque);
    slip_json_number(&w, "width", c->width);
    slip_json_integer(&w, "points", c->point_count);
    slip_json_number(&w, "contact_ratio", s.contact_ratio);
    slip_json_number(&w, "loaded_contact_ratio", s.loaded_ratio);
    slip_json_object(&w, "transmission_error");
    slip_json_number(&w, "mean", s.error_mean);
    slip_json_number(&w, "range", s.error_range);
    slip_json_number(&w, "unloaded_range", s.unloaded_range);
    slip_json_end_object(&w);
    slip_json_object(&w, "stiffness");
    slip_json_number(&w, "mean", s.stiffness_mean);
    slip_json_number(&w, "low", s.stiffness_low);
    slip_json_number(&w, "high", s.stiffness_high);
    slip_json_number(&w, "mean_per_width", s.stiffness_mean / s.width);
    slip_json_end_object(&w);
    slip_json_object(&w, "torque_ratio");
    slip_json_number(&w, "mean", s.ratio_mean);
    slip_json_number(&w, "largest_deviation", s.ratio_off);
    slip_json_end_object(&w);
    slip_json_number(&w, "balance", s.balance);
    slip_json_number(&w, "largest_node_force", s.largest);
    slip_json_number(&w, "largest_pressure", s.pressure);
    slip_json_end_object(&w);
    return text->failed ? slip_fail_memory(ctx) : SLIP_OK;
}

int slip_gear_cycle_result(slip_context *ctx, const slip_gear_cycle *c, slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, c);
    char title[300];
    int status;
    snprintf(title, sizeof title, "%.60s (%d teeth) and %.60s (%d teeth), %.6g N m on %.60s", c->names[0],
             c->teeth[0], c->names[1], c->teeth[1], c->torque, c->names[1]);
    SLIP_TRY(slip_result_create(ctx, "cycle", "cycle.csv", result));
    SLIP_TRY(slip_result_describe(ctx, *result, title, NULL));
    SLIP_TRY(add_positions(ctx, c, &(*result)->main));
    SLIP_TRY(add_pairs(ctx, c, *result));
    SLIP_TRY(add_changes(ctx, c, *result));
    SLIP_TRY(write_summary(ctx, c, &(*result)->summary));
done:
    return slip_result_or_none(result, status);
}
