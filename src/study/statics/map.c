/* The number of static solutions over two parameters. */
#include "slipstick/statics.h"
#include "study/describe.h"

#include "figure/album.h"
#include "simulation/scene.h"
#include "study/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { most_counts = 8 }; /* that are told apart by colour; more count as this many */

SLIP_OPTIONS_FILL(slip_statics_map_options, .x_range = {NAN, NAN}, .y_range = {NAN, NAN}, .points = 101)

typedef struct map {
    slip_context *ctx;
    const slip_statics_map_options *options;
    const slip_model *model;
    slip_values *values;
    double *x, *y, *count; /* points^2 each */
} map;

static int check(slip_context *ctx, const slip_model *model, const slip_statics_map_options *o)
{
    const char *const names[2] = {o->x, o->y};
    const double *const ranges[2] = {o->x_range, o->y_range};
    for (int k = 0; k < 2; k++) {
        if (slip_model_parameter(model, names[k]) < 0)
            return slip_fail(ctx, SLIP_ERROR_USAGE, "map: the model has no parameter `%s`",
                             names[k] ? names[k] : "");
        if (!(ranges[k][1] > ranges[k][0]) || !isfinite(ranges[k][1] - ranges[k][0]))
            return slip_fail(ctx, SLIP_ERROR_USAGE,
                             "map: the range of `%s` is [%g, %g], expected [low, high]", names[k],
                             ranges[k][0], ranges[k][1]);
    }
    if (strcmp(names[0], names[1]) == 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "map: `%s` is on both axes, expected two parameters", o->x);
    if (o->points < 2 || o->points > 2000)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "map: found %d points along an axis, expected 2 to 2000",
                         o->points);
    return SLIP_OK;
}

/* Solutions at one place; of a continuum INFINITY. */
static int count_at(map *m, double x, double y, double *count)
{
    SLIP_FREED_BY(slip_model_drop) slip_model *model = NULL;
    SLIP_FREED_BY(slip_scene_drop) slip_scene *scene = NULL;
    SLIP_FREED_BY(slip_static_solutions_free) slip_static_solutions list = {0};
    slip_static_problem problem;
    SLIP_PASS(slip_values_set(m->ctx, m->values, m->options->x, x));
    SLIP_PASS(slip_values_set(m->ctx, m->values, m->options->y, y));
    SLIP_PASS(slip_model_bind(m->ctx, m->model, m->values, &model));
    SLIP_PASS(slip_scene_open(m->ctx, model, NULL, 0, 1, &scene));
    SLIP_PASS(slip_scene_check_contacts(scene));
    SLIP_PASS(slip_scene_solve(scene, 0, 10, &problem, &list));
    *count = (double)list.count;
    for (int64_t k = 0; k < list.count; k++)
        if (list.items[k].dimension > 0)
            *count = INFINITY;
    return SLIP_OK;
}

static int fill(map *m)
{
    const slip_statics_map_options *o = m->options;
    const int n = o->points;
    int status = SLIP_OK;
    for (int i = 0; i < n * n && status >= 0; i++) {
        m->x[i] = o->x_range[0] + (o->x_range[1] - o->x_range[0]) * (i % n) / (n - 1);
        m->y[i] = o->y_range[0] + (o->y_range[1] - o->y_range[0]) * (i / n) / (n - 1);
        if (slip_interrupted(m->ctx))
            return slip_fail(m->ctx, SLIP_INTERRUPTED, "interrupted");
        if (slip_progress_due(m->ctx)) {
            const slip_progress progress = {.what = "map", .fraction = (double)i / (n * n), .modes = ""};
            slip_progress_report(m->ctx, &progress);
        }
        status = count_at(m, m->x[i], m->y[i], &m->count[i]);
    }
    return status;
}

/* ---- The result. */

static int make_result(map *m, slip_result **result)
{
    const slip_statics_map_options *o = m->options;
    const char *const names[3] = {o->x, o->y, "solutions"};
    slip_json_writer json = {0};
    int status;
    SLIP_TRY(slip_result_create(m->ctx, "map", "counts.csv", result));
    slip_table *table = &(*result)->main;
    for (int k = 0; k < 3; k++)
        SLIP_TRY(slip_table_add(m->ctx, table, &(slip_column_info){.name = names[k]}));
    for (int64_t i = 0; i < (int64_t)o->points * o->points; i++)
        SLIP_TRY(slip_table_append(m->ctx, table, (const double[]){m->x[i], m->y[i], m->count[i]}));
    SLIP_TRY(slip_describe(m->ctx, *result, m->model, NULL));
    json.text = &(*result)->summary;
    slip_json_object(&json, NULL);
    slip_json_string(&json, "x", o->x);
    slip_json_string(&json, "y", o->y);
    slip_json_integer(&json, "points", o->points);
    slip_json_end_object(&json);
    SLIP_TRY(json.text->failed ? slip_fail_memory(m->ctx) : SLIP_OK);
done:
    if (status < 0) {
        slip_result_destroy(*result);
        *result = NULL;
    }
    return status < 0 ? status : SLIP_OK;
}

int slip_statics_map(slip_context *ctx, const slip_model *model,
                     const slip_statics_map_options *given_options, slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, model, given_options);
    SLIP_TAKE(slip_statics_map_options, o, given_options);
    const int64_t all = (int64_t)o->points * o->points;
    map m = {.ctx = ctx, .options = o, .model = model};
    int status;
    slip_context_clear(ctx);
    SLIP_TRY(check(ctx, model, o));
    m.x = slip_alloc(3 * all, sizeof(double));
    SLIP_TRY(slip_allocated(ctx, m.x));
    m.y = m.x + all;
    m.count = m.y + all;
    SLIP_TRY(slip_values_create(ctx, model, &m.values));
    SLIP_TRY(fill(&m));
    SLIP_TRY(make_result(&m, result));
done:
    free(m.x);
    slip_values_destroy(m.values);
    return status;
}

/* ---- The picture. */

/* The grid points with so many solutions; the last: with a continuum. */
static bool belongs(double count, int k)
{
    return k == most_counts + 1 ? isinf(count) : k == most_counts ? count >= k && !isinf(count) : count == k;
}

int slip_map_draw(slip_album *album)
{
    static const int colors[] = {7, 5, 6, 2, 4, 3, 1, 8, 8, 7};
    const slip_table *table = &album->result->main;
    const int64_t all = table->count;
    const double points = sqrt((double)all);
    if (table->column_count != 3 || all < 4 || points != floor(points))
        return slip_fail(album->ctx, SLIP_ERROR_IO, "%s: result.h5: expected three series over a square grid",
                         album->folder);
    const double *x = table->columns[0].values, *y = table->columns[1].values,
                 *count = table->columns[2].values;
    const double part = 1 / (points - 1) + 1e-3; /* with about a pixel more, so that no seam shows */
    const double cell[2] = {part * (x[all - 1] - x[0]), part * (y[all - 1] - y[0])};
    slip_album_figure(album, "counts");
    slip_album_panel(album, table->columns[0].name, table->columns[1].name);
    for (int k = 0; k <= most_counts + 1; k++) {
        double *own = slip_album_numbers(album, all);
        bool any = false;
        for (int64_t i = 0; i < all && own; i++) {
            own[i] = belongs(count[i], k) ? y[i] : NAN;
            any = any || belongs(count[i], k);
        }
        if (!any)
            continue;
        slip_curve *curve = slip_album_curve(
            album, x, own, all,
            k == most_counts + 1 ? "a continuum"
                                 : slip_album_text(album, "%s%d solution%s", k == most_counts ? "from " : "",
                                                   k, k == 1 ? "" : "s"));
        curve->color = colors[k];
        curve->style = SLIP_CURVE_CELLS;
        memcpy(curve->cell, cell, sizeof cell);
    }
    return SLIP_OK;
}
