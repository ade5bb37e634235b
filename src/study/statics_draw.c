/* Pictures of static solutions: of elastic bodies the model of the folder with the displacements of its
 * result, of other models their numbers side by side. */
#include "study/view.h"

#include "fem/plane/plane.h"
#include "figure/figure.h"
#include "figure/plot_bodies.h"
#include "io/file.h"
#include "io/staging.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bodies {
    slip_context *ctx;
    const slip_result *result;
    slip_model *model;
    const slip_array *u, *forces;
    slip_mode *modes; /* of the contacts, in the solution at hand */
    int contact_count;
} bodies;

static int open_bodies(bodies *b, const char *folder)
{
    char *path = slip_path_join(folder, "model.yaml");
    int status;
    SLIP_TRY(path ? SLIP_OK : slip_fail_memory(b->ctx));
    SLIP_TRY(slip_model_load(b->ctx, path, &b->model));
    b->u = slip_result_array(b->result, "body/displacement");
    b->forces = slip_result_array(b->result, "body/force");
    for (int k = 0; k < b->result->main.column_count; k++)
        b->contact_count += b->result->main.columns[k].words != NULL;
    const slip_plane *plane = b->model->plane;
    const int64_t d = plane ? slip_plane_dimension(plane) : 0;
    if (!plane || b->u->width != d * slip_plane_node_count(plane) || b->u->count != b->result->main.count ||
        (b->contact_count > 0 &&
         (!b->forces || b->forces->width != d * b->contact_count || b->forces->count != b->u->count)))
        status =
            slip_fail(b->ctx, SLIP_ERROR_IO, "%s: result.h5 and model.yaml are of different bodies", folder);
    else if (!(b->modes = slip_alloc(b->contact_count, sizeof *b->modes)))
        status = slip_fail_memory(b->ctx);
done:
    free(path);
    return status;
}

static void close_bodies(bodies *b)
{
    slip_model_destroy(b->model);
    free(b->modes);
}

/* Modes of solution k: of several that it agrees with the first. */
static void read_modes(const bodies *b, int64_t k)
{
    const slip_table *table = &b->result->main;
    int c = 0;
    for (int i = 0; i < table->column_count; i++) {
        if (!table->columns[i].words)
            continue;
        const char *word = table->columns[i].words[(int)table->columns[i].values[k]];
        const size_t length = strcspn(word, "|");
        b->modes[c] = SLIP_MODE_OPEN;
        for (int mode = 0; slip_mode_names[mode]; mode++)
            if (strlen(slip_mode_names[mode]) == length && strncmp(word, slip_mode_names[mode], length) == 0)
                b->modes[c] = (slip_mode)mode;
        c++;
    }
}

static const double *row(const slip_array *array, int64_t k)
{
    return array ? array->values + k * array->width : NULL;
}

static int draw_bodies(slip_context *ctx, slip_result *result, const char *folder,
                       const slip_plot_options *options)
{
    bodies b = {.ctx = ctx, .result = result};
    char name[40];
    int status;
    SLIP_TRY(open_bodies(&b, folder));
    for (int64_t k = 0; k < b.u->count && slip_plane_dimension(b.model->plane) == 2; k++) {
        slip_bodies_options how = slip_bodies_options_default();
        read_modes(&b, k);
        snprintf(name, sizeof name, "solution-%d", (int)k + 1);
        how.name = name;
        how.title = result->title && result->title[0] ? result->title : NULL;
        how.modes = b.modes;
        SLIP_TRY(slip_bodies_draw(ctx, b.model->plane, row(b.u, k), row(b.forces, k), &how, folder,
                                  options->written, options->user));
    }
done:
    close_bodies(&b);
    return status;
}

/* ---- Numbers side by side. */

enum { curves_max = 8, panels_max = 3 };

/* Series that begin or end so, over the number of the solution. */
static void add_panel(const slip_table *table, const double *number, const char *group, const char *ending,
                      const char *label, slip_curve *curves, slip_panel *panel)
{
    int count = 0;
    for (int k = 0; k < table->column_count && count < curves_max; k++) {
        const slip_column *column = &table->columns[k];
        const size_t length = strlen(column->name), after = strlen(ending);
        if (strncmp(column->place, group, strlen(group)) != 0 || length < after ||
            strcmp(column->name + length - after, ending) != 0)
            continue;
        curves[count++] = (slip_curve){.x = number,
                                       .y = column->values,
                                       .count = table->count,
                                       .label = column->name,
                                       .y_name = column->name,
                                       .style = SLIP_CURVE_POINTS};
    }
    *panel = (slip_panel){
        .x_label = "solution", .y_label = label, .curves = curves, .curve_count = count, .x_step = 1};
}

static int draw_numbers(slip_context *ctx, const slip_result *result, const char *folder,
                        const slip_plot_options *options)
{
    static const char *const groups[panels_max] = {"q/", "contact/", "contact/"};
    static const char *const endings[panels_max] = {"", ".normal", ".tangential"};
    static const char *const labels[panels_max] = {"coordinates", "normal force", "tangential force"};
    const slip_table *table = &result->main;
    slip_curve curves[panels_max][curves_max];
    slip_panel panels[panels_max];
    int count = 0, status;
    double *number = slip_alloc(table->count, sizeof *number);
    if (!number)
        return slip_fail_memory(ctx);
    for (int64_t k = 0; k < table->count; k++)
        number[k] = (double)(k + 1);
    for (int k = 0; k < panels_max; k++) {
        add_panel(table, number, groups[k], endings[k], labels[k], curves[count], &panels[count]);
        count += panels[count].curve_count > 0;
    }
    const slip_figure figure = {.name = "solutions",
                                .title = result->title && result->title[0] ? result->title : NULL,
                                .panels = panels,
                                .panel_count = count,
                                .stacked = true};
    status = table->count == 0 || count == 0
                 ? slip_fail(ctx, SLIP_ERROR_USAGE, "%s: there is no static solution to draw", folder)
                 : slip_figure_draw(ctx, &figure, folder, options->written, options->user);
    free(number);
    return status;
}

int slip_statics_draw(slip_context *ctx, slip_result *result, const char *folder,
                      const slip_plot_options *options)
{
    return slip_result_array(result, "body/displacement") ? draw_bodies(ctx, result, folder, options)
                                                          : draw_numbers(ctx, result, folder, options);
}

int slip_statics_write_vtu(slip_context *ctx, const slip_result *result, const char *folder, const char *path)
{
    bodies b = {.ctx = ctx, .result = result};
    const char *where = path ? path : folder;
    char name[40];
    int status;
    if (!slip_result_array(result, "body/displacement"))
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "%s: format `vtu` is for results with bodies, and this model has none; expected "
                         "csv or mat",
                         folder);
    SLIP_TRY(open_bodies(&b, folder));
    SLIP_TRY(slip_folder_make(ctx, where));
    for (int64_t k = 0; k < b.u->count; k++) {
        snprintf(name, sizeof name, "solution-%d.vtu", (int)k + 1);
        char *file = slip_path_join(where, name);
        status = file ? slip_plane_write_vtu(ctx, b.model->plane, row(b.u, k), row(b.forces, k), file)
                      : slip_fail_memory(ctx);
        free(file);
        if (status >= 0 && !path)
            status = slip_staging_note(ctx, folder, name);
        if (status < 0)
            goto done;
    }
done:
    close_bodies(&b);
    return status;
}
