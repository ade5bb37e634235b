/* The pictures of a contact area: limit surface, force and moment against direction, pressure. Directions
 * are
 *
 *     (vx, vy) = cos theta (cos phi, sin phi),   spin x size = sin theta.
 */
#include "study/patch_study.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/csv.h"
#include "io/file.h"
#include "study/patch_map.h"
#include "study/reproduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

enum {
    models_max = slip_patch_approximations_max + 1, /* the integral model comes first */
    angles = 181,                                   /* theta in half degrees or degrees */
    phis_max = 3,
    rows = 49, /* of the limit surface */
    columns = 73,
};

/* Everything the pictures are made of lives as long as they are drawn. */
typedef struct album {
    const slip_patch_view *view;
    const slip_patch_study_options *options;
    slip_arena arena;
    const char *title;
    slip_figure figures[3];
    slip_panel panels_space[2], panels_direction[3 * phis_max], panel_map;
} album;

static void evaluate(const slip_patch_view *view, int model, const double q[3], double T[3])
{
    if (model == 0)
        slip_patch_integral_direct(view->patch, q, T, NULL);
    else
        slip_pade_evaluate(&view->approximations[model - 1].pade, q, T, NULL);
}

static const char *model_label(const slip_patch_view *view, int model)
{
    return model == 0 ? "integral" : view->approximations[model - 1].label;
}

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
    slip_text_free(&made);
    return copy;
}

static int write_csv(album *a, const char *what, int count, const char *const *names,
                     const double *const *values, int64_t row_count)
{
    const char *file = format(a, "%s-%s.csv", a->options->name, what);
    char *path = file ? slip_path_join(a->options->folder, file) : NULL;
    int status = path ? slip_csv_write(a->view->ctx, path, count, names, values, row_count)
                      : slip_fail_memory(a->view->ctx);
    free(path);
    return status;
}

/* ---- force and moment against direction ---- */

/* What is drawn of a force: its part along the sliding velocity, across it, and the moment. */
enum { along, across, moment, part_count };

typedef struct directions {
    int phi_count;
    int64_t count;       /* of rows: all thetas of the first phi, then of the next */
    double *phi, *theta; /* degrees */
    double *parts[models_max][part_count];
} directions;

static bool allocate_directions(album *a, directions *d)
{
    d->phi_count = a->view->patch->circular ? 1 : phis_max;
    d->count = d->phi_count * angles;
    d->phi = slip_arena_array(&a->arena, d->count, sizeof(double));
    d->theta = slip_arena_array(&a->arena, d->count, sizeof(double));
    if (!d->phi || !d->theta)
        return false;
    for (int m = 0; m <= a->view->count; m++)
        for (int part = 0; part < part_count; part++)
            if (!(d->parts[m][part] = slip_arena_array(&a->arena, d->count, sizeof(double))))
                return false;
    return true;
}

/* So that nothing is drawn as nothing. */
static double without_rounding(double value)
{
    return fabs(value) < 1e-13 ? 0 : value;
}

/* Circular areas: theta from 0 to 90 degrees say all; others: from -90. */
static int sample_directions(album *a, directions *d)
{
    bool circular = a->view->patch->circular;
    for (int64_t i = 0; i < d->count; i++) {
        d->phi[i] = 45.0 * (double)(i / angles);
        d->theta[i] = (circular ? 0.5 : 1.0) * (double)(i % angles) - (circular ? 0 : 90);
        double c = cos(d->phi[i] * pi / 180), s = sin(d->phi[i] * pi / 180), theta = d->theta[i] * pi / 180;
        double v = fabs(d->theta[i]) == 90 ? 0 : cos(theta);
        const double q[3] = {v * c, v * s, sin(theta)};
        if (slip_interrupted(a->view->ctx))
            return slip_fail(a->view->ctx, SLIP_INTERRUPTED, "interrupted while sampling directions");
        for (int m = 0; m <= a->view->count; m++) {
            double T[3];
            evaluate(a->view, m, q, T);
            d->parts[m][along][i] = without_rounding(c * T[0] + s * T[1]);
            d->parts[m][across][i] = without_rounding(c * T[1] - s * T[0]);
            d->parts[m][moment][i] = without_rounding(T[2]);
        }
    }
    return SLIP_OK;
}

static int write_directions(album *a, const directions *d)
{
    static const char *const parts[part_count] = {"T_along", "T_across", "M/size"};
    const char *names[2 + models_max * part_count] = {"phi_degrees", "theta_degrees"};
    const double *values[2 + models_max * part_count] = {d->phi, d->theta};
    int count = 2;
    for (int m = 0; m <= a->view->count; m++)
        for (int part = 0; part < part_count; part++) {
            values[count] = d->parts[m][part];
            names[count++] = format(a, "%s %s", parts[part], model_label(a->view, m));
        }
    for (int k = 2; k < count; k++)
        if (!names[k])
            return slip_fail_memory(a->view->ctx);
    return write_csv(a, "directions", count, names, values, d->count);
}

static const slip_curve *direction_curves(album *a, const directions *d, int phi, int part)
{
    static const int colors[] = {7, 1, 6, 3, 2};
    slip_curve *curves = slip_arena_array(&a->arena, a->view->count + 1, sizeof *curves);
    bool own = a->view->own;
    for (int m = 0; curves && m <= a->view->count; m++)
        curves[m] = (slip_curve){.x = d->theta + (int64_t)phi * angles,
                                 .y = d->parts[m][part] + (int64_t)phi * angles,
                                 .count = angles,
                                 .label = model_label(a->view, m),
                                 .color = m == 0          ? colors[0]
                                          : own && m == 1 ? 4
                                                          : colors[own ? m - 1 : m],
                                 .style = own && m == 1 ? SLIP_CURVE_DASHED : SLIP_CURVE_LINE};
    return curves;
}

static int add_directions(album *a)
{
    static const char *const labels[part_count] = {"force along the sliding", "force across the sliding",
                                                   "moment M/size"};
    directions d = {0};
    int status = SLIP_OK, count = 0;
    if (!allocate_directions(a, &d))
        return slip_fail_memory(a->view->ctx);
    SLIP_TRY(sample_directions(a, &d));
    SLIP_TRY(write_directions(a, &d));
    for (int part = 0; part < part_count; part++)
        for (int phi = 0; phi < d.phi_count; phi++) {
            if (part == across && a->view->patch->circular)
                continue; /* 0 */
            a->panels_direction[count++] = (slip_panel){
                .title =
                    d.phi_count > 1 && part == 0 ? format(a, "sliding at phi = %d degrees", 45 * phi) : NULL,
                .x_label = "theta, degrees",
                .x_step = d.phi_count > 1 ? 45 : 15,
                .y_label = phi == 0 ? labels[part] : NULL,
                .curves = direction_curves(a, &d, phi, part),
                .curve_count = a->view->count + 1};
        }
    a->figures[1] = (slip_figure){
        .name = format(a, "%s-directions", a->options->name),
        .title = format(a, "%s: friction against direction, from sliding (0) to spin (90 degrees)", a->title),
        .panels = a->panels_direction,
        .panel_count = count,
        .columns = d.phi_count > 1 ? d.phi_count : 2,
        .rows_share_y = d.phi_count > 1};
done:
    return status;
}

/* ---- limit surface ---- */

typedef struct space {
    double *theta, *phi, *x, *y, *z;
} space;

/* Thetas from 0 to pi/2 that cut the curve (T, M) of the integral model into pieces of equal length: even
 * meshes where the surface is nearly a plate or a cylinder too. */
static void even_thetas(const slip_patch_view *view, double theta[rows])
{
    enum { fine = 400, half = rows / 2 };
    double length[fine + 1] = {0}, last[3] = {0};
    for (int i = 0; i <= fine; i++) {
        double angle = pi / 2 * i / fine, T[3];
        const double q[3] = {i == fine ? 0 : cos(angle), 0, sin(angle)};
        evaluate(view, 0, q, T);
        if (i > 0)
            length[i] = length[i - 1] + hypot(hypot(T[0] - last[0], T[1] - last[1]), T[2] - last[2]);
        for (int k = 0; k < 3; k++)
            last[k] = T[k];
    }
    for (int k = 0, i = 1; k <= half; k++) {
        double wanted = length[fine] * k / half;
        while (i < fine && length[i] < wanted)
            i++;
        double piece = length[i] - length[i - 1], part = piece > 0 ? (wanted - length[i - 1]) / piece : 0;
        theta[half + k] = k == half ? pi / 2 : pi / 2 * (i - 1 + part) / fine;
        theta[half - k] = -theta[half + k];
    }
}

static bool allocate_space(album *a, space *s)
{
    double **const arrays[] = {&s->theta, &s->phi, &s->x, &s->y, &s->z};
    for (int k = 0; k < 5; k++)
        if (!(*arrays[k] = slip_arena_array(&a->arena, rows * columns, sizeof(double))))
            return false;
    return true;
}

/* The lower half is the upper one turned over: T(-q) = -T(q). */
static int sample_space(album *a, int model, space *s)
{
    double thetas[rows];
    even_thetas(a->view, thetas);
    for (int i = rows - 1; i >= 0; i--)
        for (int j = 0; j < columns; j++) {
            int at = i * columns + j;
            int opposite = (rows - 1 - i) * columns + (j + columns / 2) % (columns - 1);
            double phi = 2 * pi * j / (columns - 1), T[3];
            double v = i == rows - 1 ? 0 : cos(thetas[i]);
            const double q[3] = {v * cos(phi), v * sin(phi), sin(thetas[i])};
            if (slip_interrupted(a->view->ctx))
                return slip_fail(a->view->ctx, SLIP_INTERRUPTED, "interrupted while sampling directions");
            if (i >= rows / 2)
                evaluate(a->view, model, q, T);
            s->theta[at] = thetas[i] * 180 / pi;
            s->phi[at] = phi * 180 / pi;
            s->x[at] = i >= rows / 2 ? T[0] : 0 - s->x[opposite];
            s->y[at] = i >= rows / 2 ? T[1] : 0 - s->y[opposite];
            s->z[at] = i >= rows / 2 ? T[2] : 0 - s->z[opposite];
        }
    return SLIP_OK;
}

/* Beside the integral model: the patch's own approximation, else the best one. */
static int shown_beside(const slip_patch_view *view)
{
    int best = 0;
    for (int k = 1; k < view->count && !view->own; k++)
        if (view->approximations[k].rms < view->approximations[best].rms)
            best = k;
    return best + 1;
}

static int add_space(album *a)
{
    static const char *const names[] = {
        "phi_degrees", "theta_degrees", "Tx integral", "Ty integral", "M/size integral", NULL, NULL, NULL};
    const char *all[8];
    const slip_patch_view *view = a->view;
    int models[2] = {0, shown_beside(view)}, status = SLIP_OK;
    space spaces[2] = {0};
    slip_surface *surfaces = slip_arena_array(&a->arena, 2, sizeof *surfaces);
    const slip_patch_approximation *beside = &view->approximations[models[1] - 1];
    const char *titles[2] = {"integral model", format(a, "approximation %s, m = %.4g, b = %.4g",
                                                      beside->label, beside->pade.m, beside->pade.b)};
    for (int k = 0; k < 2; k++) {
        if (!surfaces || !allocate_space(a, &spaces[k])) {
            status = slip_fail_memory(view->ctx);
            goto done;
        }
        SLIP_TRY(sample_space(a, models[k], &spaces[k]));
        surfaces[k] = (slip_surface){spaces[k].x, spaces[k].y, spaces[k].z, rows, columns};
        a->panels_space[k] = (slip_panel){.title = titles[k],
                                          .x_label = "force Tx",
                                          .y_label = "force Ty",
                                          .z_label = "moment M/size",
                                          .surface = &surfaces[k]};
    }
    const double *values[8] = {spaces[0].phi, spaces[0].theta, spaces[0].x, spaces[0].y,
                               spaces[0].z,   spaces[1].x,     spaces[1].y, spaces[1].z};
    for (int k = 0; k < 8; k++)
        all[k] = k < 5 ? names[k]
                       : format(a, "%s %s",
                                k == 5   ? "Tx"
                                : k == 6 ? "Ty"
                                         : "M/size",
                                beside->label);
    SLIP_TRY(write_csv(a, "limit-surface", 8, all, values, rows * columns));
    a->figures[0] = (slip_figure){.name = format(a, "%s-limit-surface", a->options->name),
                                  .title = format(a, "%s: limit surface for mu N = 1", a->title),
                                  .panels = a->panels_space,
                                  .panel_count = 2,
                                  .columns = 2,
                                  .width = 2000,
                                  .height = 1000};
done:
    return status;
}

/* ---- pressure ---- */

static int write_pressure(album *a, const slip_surface *surface)
{
    static const char *const names[] = {"x", "y", "pressure"};
    const double *const from[3] = {surface->x, surface->y, surface->z};
    double *values[3];
    int64_t all = (int64_t)surface->rows * surface->columns, count = 0;
    for (int k = 0; k < 3; k++)
        if (!(values[k] = slip_arena_array(&a->arena, all, sizeof(double))))
            return slip_fail_memory(a->view->ctx);
    for (int64_t i = 0; i < all; i++) {
        for (int k = 0; k < 3; k++)
            values[k][count] = from[k][i];
        count += !isnan(from[2][i]); /* gaps between pieces */
    }
    return write_csv(a, "pressure", 3, names, (const double *const *)values, count);
}

static int add_pressure(album *a, slip_patch_map *map)
{
    const slip_patch *patch = a->view->patch;
    slip_curve *curves = slip_arena_array(&a->arena, slip_patch_outlines_max + 1, sizeof *curves);
    double *centre = slip_arena_array(&a->arena, 2, sizeof *centre);
    int status, count = 0;
    if (!curves || !centre)
        return slip_fail_memory(a->view->ctx);
    SLIP_TRY(slip_patch_map_make(a->view->ctx, patch, &a->arena, map));
    SLIP_TRY(write_pressure(a, &map->surface));
    for (; count < map->outline_count; count++)
        curves[count] = (slip_curve){
            .x = map->outlines[count].x, .y = map->outlines[count].y, .count = map->outlines[count].count};
    centre[0] = patch->moments.c100 * patch->size;
    centre[1] = patch->moments.c010 * patch->size;
    curves[count++] = (slip_curve){.x = &centre[0], .y = &centre[1], .count = 1, .style = SLIP_CURVE_POINTS};
    a->panel_map = (slip_panel){.x_label = "x",
                                .y_label = "y",
                                .z_label = patch->load == SLIP_PATCH_POINTS ? "share of the load"
                                                                            : "pressure for unit load",
                                .curves = curves,
                                .curve_count = count,
                                .surface = &map->surface,
                                .map = true};
    a->figures[2] =
        (slip_figure){.name = format(a, "%s-pressure", a->options->name),
                      .title = format(a, "%s: pressure, and the centre of the load (cross)", a->title),
                      .panels = &a->panel_map,
                      .panel_count = 1};
done:
    return status;
}

int slip_patch_view_draw(const slip_patch_view *view, const slip_patch_study_options *options)
{
    slip_printer out = {.line = options->line, .user = options->user};
    album a = {.view = view, .options = options, .title = options->title ? options->title : options->name};
    slip_patch_map map = {0};
    int status;
    SLIP_TRY(add_space(&a));
    SLIP_TRY(add_directions(&a));
    SLIP_TRY(add_pressure(&a, &map));
    for (int k = 0; k < 3; k++)
        if (!a.figures[k].name || !a.figures[k].title) {
            status = slip_fail_memory(view->ctx);
            goto done;
        }
    SLIP_TRY(slip_figures_draw(view->ctx, a.figures, 3, options->folder, options->name, slip_printer_picture,
                               &out));
done:
    slip_arena_free(&a.arena);
    return status;
}
