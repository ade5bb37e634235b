/* The files of a mesh cycle: cycle.csv, cycle-changes.csv, cycle.json. */
#include "gear/gear_cycle.h"

#include "base/text.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/json.h"
#include "io/staging.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { scalars = 14, per_pair = 3 };

/* ---- cycle.csv */

/* Columns of a pair: of each tooth of the first gear that touches somewhere, ascending. */
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

static void fill_scalars(const slip_gear_cycle *c, double *table)
{
    size_t n = (size_t)c->point_count;
    for (size_t i = 0; i < n; i++) {
        const slip_gear_cycle_point *p = &c->points[i];
        const double row[scalars] = {p->position,  p->angle[0], p->angle[1],   p->error,     p->unloaded,
                                     p->stiffness, p->tangent,  p->moment[0],  p->moment[1], p->ratio,
                                     p->touching,  p->largest,  p->pair_count, p->iterations};
        for (size_t k = 0; k < scalars; k++)
            table[k * n + i] = row[k];
    }
}

static void fill_tooth(const slip_gear_cycle *c, int tooth, double *table)
{
    size_t n = (size_t)c->point_count;
    for (size_t i = 0; i < n; i++) {
        const slip_gear_cycle_point *p = &c->points[i];
        table[n + i] = table[2 * n + i] = NAN;
        for (int k = 0; k < p->pair_count; k++)
            if (p->pairs[k].tooth[0] == tooth) {
                table[i] += p->pairs[k].share;
                table[n + i] = p->pairs[k].path;
                table[2 * n + i] = p->pairs[k].pressure;
            }
    }
}

static int write_points(slip_context *ctx, const slip_gear_cycle *c, const char *path)
{
    static const char *const fixed[scalars] = {
        "position", "first_angle",  "second_angle",  "error", "unloaded_error", "stiffness",
        "tangent",  "first_moment", "second_moment", "ratio", "nodes",          "largest_node_force",
        "pairs",    "iterations"};
    static const char *const words[per_pair] = {"share", "path", "pressure"};
    int *teeth = slip_alloc(c->teeth[0], sizeof *teeth);
    int tooth_count = teeth ? list_teeth(c, teeth) : 0, columns = scalars + per_pair * tooth_count, status;
    double *table = slip_alloc((int64_t)columns * c->point_count, sizeof *table);
    char(*made)[40] = slip_alloc(columns, sizeof *made);
    const char **names = slip_alloc(columns, sizeof *names);
    const double **lists = slip_alloc(columns, sizeof *lists);
    if (!teeth || !table || !made || !names || !lists) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    fill_scalars(c, table);
    for (int k = 0; k < tooth_count; k++)
        fill_tooth(c, teeth[k], table + (size_t)(scalars + per_pair * k) * (size_t)c->point_count);
    for (int k = 0; k < columns; k++) {
        int pair = (k - scalars) / per_pair;
        lists[k] = table + (size_t)k * (size_t)c->point_count;
        names[k] = k < scalars ? fixed[k] : made[k];
        if (k >= scalars)
            snprintf(made[k], sizeof made[k], "tooth%d_%s", teeth[pair] + 1, words[(k - scalars) % per_pair]);
    }
    status = slip_csv_write(ctx, path, columns, names, lists, c->point_count);
done:
    free(teeth);
    free(table);
    free(made);
    free(names);
    free(lists);
    return status;
}

/* ---- The others. */

static int write_changes(slip_context *ctx, const slip_gear_cycle *c, const char *path)
{
    slip_text text = {0};
    slip_text_append(&text, "position,first_tooth,second_tooth,change\n");
    for (int i = 0; i < c->change_count; i++) {
        const slip_gear_cycle_change *at = &c->changes[i];
        slip_text_printf(&text, "%.6f,%d,%d,%s\n", at->position, at->tooth[0] + 1, at->tooth[1] + 1,
                         at->enters ? "enters" : "leaves");
    }
    int status = text.failed ? slip_fail_memory(ctx) : slip_file_write(ctx, path, text.data, text.length);
    slip_text_free(&text);
    return status;
}

static int write_summary(slip_context *ctx, const slip_gear_cycle *c, const char *path)
{
    const slip_gear_cycle_summary s = slip_gear_cycle_summarise(c);
    slip_text text = {0};
    slip_json_writer w = {.text = &text};
    slip_json_object(&w, NULL);
    slip_json_string(&w, "first", c->names[0]);
    slip_json_string(&w, "second", c->names[1]);
    slip_json_number(&w, "torque", c->torque);
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
    int status = text.failed ? slip_fail_memory(ctx) : slip_file_write(ctx, path, text.data, text.length);
    slip_text_free(&text);
    return status;
}

int slip_gear_cycle_write(slip_context *ctx, const slip_gear_cycle *cycle, const char *folder)
{
    SLIP_NEED(ctx, cycle, folder);
    static const struct {
        const char *name;
        int (*write)(slip_context *ctx, const slip_gear_cycle *c, const char *path);
    } files[] = {
        {"cycle.csv", write_points}, {"cycle-changes.csv", write_changes}, {"cycle.json", write_summary}};
    static const char *const pictures[] = {"cycle.gp",       "cycle.dat",      "cycle.png", "cycle.svg",
                                           "cycle-load.png", "cycle-load.svg", NULL};
    slip_staging staging = {0};
    int status;
    SLIP_TRY(slip_staging_begin(ctx, folder, "cycle", &staging));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = slip_path_join(staging.work, files[i].name);
        status = path ? files[i].write(ctx, cycle, path) : slip_fail_memory(ctx);
        free(path);
        if (status < 0)
            goto done;
    }
    SLIP_TRY(slip_staging_publish(ctx, &staging, "cycle.json", pictures));
done:
    return slip_staging_end(ctx, &staging, status);
}
