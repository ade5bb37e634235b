/* Pictures of static solutions: of elastic bodies the model of the folder with the displacements of its
 * result, of other models their numbers side by side. */
#include "study/view.h"

#include "fem/plane/plane.h"
#include "figure/album.h"
#include "figure/axis.h"
#include "figure/plot_bodies.h"
#include "io/file.h"
#include "io/staging.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { curves_max = 8 }; /* of a panel */

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
    SLIP_FREED char *path = slip_path_join(folder, "model.yaml");
    SLIP_PASS(slip_allocated(b->ctx, path));
    SLIP_PASS(slip_model_load(b->ctx, path, &b->model));
    b->u = slip_result_array(b->result, "body/displacement");
    b->forces = slip_result_array(b->result, "body/force");
    for (int k = 0; k < b->result->main.column_count; k++)
        b->contact_count += b->result->main.columns[k].words != NULL;
    const slip_plane *plane = b->model->plane;
    const int64_t d = plane ? slip_plane_dimension(plane) : 0;
    if (!plane || b->u->width != d * slip_plane_node_count(plane) || b->u->count != b->result->main.count ||
        (b->contact_count > 0 &&
         (!b->forces || b->forces->width != d * b->contact_count || b->forces->count != b->u->count)))
        return slip_fail(b->ctx, SLIP_ERROR_IO, "%s: result.h5 and model.yaml are of different bodies",
                         folder);
    b->modes = slip_alloc(b->contact_count, sizeof *b->modes);
    return slip_allocated(b->ctx, b->modes);
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

static int draw_bodies(const slip_album *a)
{
    SLIP_FREED_BY(close_bodies) bodies b = {.ctx = a->ctx, .result = a->result};
    char name[40];
    SLIP_PASS(open_bodies(&b, a->folder));
    for (int64_t k = 0; k < b.u->count && slip_plane_dimension(b.model->plane) == 2; k++) {
        const slip_bodies_options how = {.name = name, .title = a->result->title, .modes = b.modes};
        read_modes(&b, k);
        snprintf(name, sizeof name, "solution-%d", (int)k + 1);
        SLIP_PASS(slip_bodies_draw(a->ctx, b.model->plane, row(b.u, k), row(b.forces, k), &how, a->folder,
                                   a->options));
    }
    return SLIP_OK;
}

/* ---- Numbers side by side. */

/* Panels of the series of a group whose names end so, one for each unit, over the number of the solution: of
 * many the largest. Forces that are nowhere have none. */
static void add_panels(slip_album *a, const double *number, const char *group, const char *ending,
                       const char *label)
{
    const slip_table *table = &a->result->main;
    const int n = table->column_count;
    double *size = slip_album_numbers(a, n);
    int *of = slip_arena_array(&a->arena, n, sizeof *of), chosen[curves_max];
    a->failed = a->failed || !of;
    for (int lead = 0; lead < n && !a->failed; lead++) {
        int all = 0;
        double most = 0;
        for (int k = 0; k < n; k++) {
            const slip_column *c = &table->columns[k];
            if (strncmp(c->place, group, strlen(group)) != 0 || slip_text_stem(c->name, ending) == 0 ||
                strcmp(c->unit, table->columns[lead].unit) != 0)
                continue;
            const slip_axis_range r = slip_range_of(c->values, table->count);
            size[all] = fmax(fabs(r.low), fabs(r.high));
            most = fmax(most, size[all]);
            of[all++] = k;
        }
        if (all == 0 || of[0] != lead || (most == 0 && *ending))
            continue;
        const int shown = slip_album_largest(size, all, curves_max, chosen);
        const char *y = slip_album_label(a, label, slip_album_part(a, shown, all), table->columns[lead].unit);
        slip_album_panel(a, "solution", y)->x_step = 1;
        for (int k = 0; k < shown; k++) {
            const slip_column *c = &table->columns[of[chosen[k]]];
            slip_album_curve(a, number, c->values, table->count, c->name)->style = SLIP_CURVE_POINTS;
        }
    }
}

static int draw_numbers(slip_album *a)
{
    const int64_t count = a->result->main.count;
    slip_figure *figure = slip_album_figure(a, "solutions");
    double *number = slip_album_numbers(a, count);
    for (int64_t k = 0; k < count && number; k++)
        number[k] = (double)(k + 1);
    add_panels(a, number, "q/", "", "coordinates");
    add_panels(a, number, "contact/", ".normal", "normal force");
    add_panels(a, number, "contact/", ".tangential", "tangential force");
    figure->stacked = true;
    if (count == 0 || (figure->panel_count == 0 && !a->failed))
        return slip_fail(a->ctx, SLIP_ERROR_USAGE, "%s: there is no static solution to draw", a->folder);
    return SLIP_OK;
}

int slip_statics_draw(slip_album *a)
{
    return slip_result_array(a->result, "body/displacement") ? draw_bodies(a) : draw_numbers(a);
}

int slip_statics_write_vtu(slip_context *ctx, const slip_result *result, const char *folder, const char *path)
{
    SLIP_FREED_BY(close_bodies) bodies b = {.ctx = ctx, .result = result};
    const char *where = path ? path : folder;
    char name[40];
    if (!slip_result_array(result, "body/displacement"))
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "%s: format `vtu` is for results with bodies, and this model has none; expected "
                         "csv or mat",
                         folder);
    SLIP_PASS(open_bodies(&b, folder));
    SLIP_PASS(slip_folder_create(ctx, where));
    for (int64_t k = 0; k < b.u->count; k++) {
        snprintf(name, sizeof name, "solution-%d.vtu", (int)k + 1);
        SLIP_FREED char *file = slip_path_join(where, name);
        SLIP_PASS(slip_allocated(ctx, file));
        SLIP_PASS(slip_plane_write_vtu(ctx, b.model->plane, row(b.u, k), row(b.forces, k), file));
        if (!path)
            SLIP_PASS(slip_staging_note(ctx, folder, name));
    }
    return SLIP_OK;
}
