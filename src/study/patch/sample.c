/* Friction of a contact area over directions, its limit surface and its pressure, as tables. Directions are
 *
 *     (vx, vy) = cos theta (cos phi, sin phi),   spin x size = sin theta.
 */
#include "study/patch/study.h"

#include "study/patch/map.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum {
    models_max = slip_patch_approximations_max + 1, /* the integral model comes first */
    phis = 3,                                       /* of areas that are not circular */
    rows = slip_patch_rows,
    columns = slip_patch_columns
};

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

/* A column "WHAT MODEL" for each model that is wanted. */
static int add_column(const slip_patch_view *view, slip_table *table, const char *what, int model)
{
    char name[100];
    snprintf(name, sizeof name, "%s %s", what, model_label(view, model));
    return slip_table_add(view->ctx, table, &(slip_column_info){.name = name});
}

static int add_angles(const slip_patch_view *view, slip_table *table)
{
    const int status = slip_table_add(view->ctx, table, &(slip_column_info){.name = "phi_degrees"});
    return status < 0 ? status
                      : slip_table_add(view->ctx, table, &(slip_column_info){.name = "theta_degrees"});
}

static int check_interrupt(const slip_patch_view *view)
{
    return slip_interrupted(view->ctx)
               ? slip_fail(view->ctx, SLIP_INTERRUPTED, "interrupted while sampling directions")
               : SLIP_OK;
}

/* ---- force and moment against direction ---- */

/* So that nothing is drawn as nothing. */
static double without_rounding(double value)
{
    return fabs(value) < 1e-13 ? 0 : value;
}

/* Of a force: its part along the sliding velocity, across it, and the moment. Circular areas: theta from 0 to
 * 90 degrees say all; others: from -90. */
static int sample_directions(const slip_patch_view *view, slip_result *result)
{
    static const char *const parts[3] = {"T_along", "T_across", "M/size"};
    const bool circular = view->patch->circular;
    slip_table *table = slip_patch_view_table(view, result, "directions");
    int status;
    SLIP_TRY(table ? SLIP_OK : SLIP_ERROR_MEMORY);
    SLIP_TRY(add_angles(view, table));
    for (int k = 0; k < 3 * (view->count + 1); k++)
        SLIP_TRY(add_column(view, table, parts[k % 3], k / 3));
    for (int i = 0; i < (circular ? 1 : phis) * slip_patch_angles; i++) {
        const double phi = 45.0 * (i / slip_patch_angles), c = cos(phi * pi / 180), s = sin(phi * pi / 180);
        const double degrees = (circular ? 0.5 : 1.0) * (i % slip_patch_angles) - (circular ? 0 : 90);
        const double theta = degrees * pi / 180, v = fabs(degrees) == 90 ? 0 : cos(theta);
        const double q[3] = {v * c, v * s, sin(theta)};
        double row[2 + 3 * models_max] = {phi, degrees}, *to = row + 2;
        SLIP_TRY(check_interrupt(view));
        for (int m = 0; m <= view->count; m++) {
            double T[3];
            evaluate(view, m, q, T);
            *to++ = without_rounding(c * T[0] + s * T[1]);
            *to++ = without_rounding(c * T[1] - s * T[0]);
            *to++ = without_rounding(T[2]);
        }
        SLIP_TRY(slip_table_append(view->ctx, table, row));
    }
done:
    return status < 0 ? status : SLIP_OK;
}

/* ---- limit surface ---- */

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

/* Beside the integral model: the patch's own approximation, else the best one. */
static int shown_beside(const slip_patch_view *view)
{
    int best = 0;
    for (int k = 1; k < view->count && !view->own; k++)
        if (view->approximations[k].rms < view->approximations[best].rms)
            best = k;
    return best + 1;
}

/* The lower half is the upper one turned over: T(-q) = -T(q). */
static int sample_surface(const slip_patch_view *view, slip_result *result)
{
    static const char *const parts[3] = {"Tx", "Ty", "M/size"};
    const int models[2] = {0, shown_beside(view)};
    slip_table *table = slip_patch_view_table(view, result, "limit-surface");
    double thetas[rows];
    int status;
    SLIP_TRY(table ? SLIP_OK : SLIP_ERROR_MEMORY);
    SLIP_TRY(add_angles(view, table));
    for (int k = 0; k < 6; k++)
        SLIP_TRY(add_column(view, table, parts[k % 3], models[k / 3]));
    SLIP_TRY(slip_allocated(view->ctx, slip_table_reserve(table, rows * columns)));
    even_thetas(view, thetas);
    for (int i = rows - 1; i >= 0; i--)
        for (int j = 0; j < columns; j++) {
            const int at = i * columns + j;
            const int opposite = (rows - 1 - i) * columns + (j + columns / 2) % (columns - 1);
            const double phi = 2 * pi * j / (columns - 1), v = i == rows - 1 ? 0 : cos(thetas[i]);
            const double q[3] = {v * cos(phi), v * sin(phi), sin(thetas[i])};
            SLIP_TRY(check_interrupt(view));
            table->columns[0].values[at] = phi * 180 / pi;
            table->columns[1].values[at] = thetas[i] * 180 / pi;
            for (int k = 0; k < 2; k++) {
                slip_column *to = &table->columns[2 + 3 * k];
                double T[3];
                if (i >= rows / 2)
                    evaluate(view, models[k], q, T);
                for (int part = 0; part < 3; part++)
                    to[part].values[at] = i >= rows / 2 ? T[part] : 0 - to[part].values[opposite];
            }
        }
    table->count = rows * columns;
done:
    return status < 0 ? status : SLIP_OK;
}

/* ---- pressure ---- */

static int add_array(const slip_patch_view *view, slip_result *result, const char *what, int64_t width,
                     int64_t count, int part_count, const double *const *parts)
{
    char place[200];
    slip_array array = {.place = place, .count = part_count * count, .width = width};
    snprintf(place, sizeof place, "%.100s/%s", view->name, what);
    array.values = slip_alloc(array.count * width, sizeof(double));
    SLIP_PASS(slip_allocated(view->ctx, array.values));
    for (int k = 0; k < part_count; k++)
        memcpy(array.values + k * count * width, parts[k], (size_t)(count * width) * sizeof(double));
    return slip_result_add_array(view->ctx, result, &array);
}

/* The table is without the gaps between pieces. */
static int sample_pressure(const slip_patch_view *view, slip_result *result)
{
    static const char *const names[] = {"x", "y", "pressure"};
    slip_table *table = slip_patch_view_table(view, result, "pressure");
    slip_arena arena = {0};
    slip_patch_map map = {0};
    int status;
    SLIP_TRY(table ? SLIP_OK : SLIP_ERROR_MEMORY);
    SLIP_TRY(slip_patch_map_make(view->ctx, view->patch, &arena, &map));
    const slip_figure_surface *s = &map.surface;
    for (int k = 0; k < 3; k++)
        SLIP_TRY(slip_table_add(view->ctx, table, &(slip_column_info){.name = names[k]}));
    for (int64_t i = 0; i < (int64_t)s->rows * s->columns; i++)
        if (!isnan(s->z[i]))
            SLIP_TRY(slip_table_append(view->ctx, table, (const double[]){s->x[i], s->y[i], s->z[i]}));
    SLIP_TRY(add_array(view, result, "pressure", s->columns, s->rows, 3,
                       (const double *const[]){s->x, s->y, s->z}));
    for (int k = 0; k < map.outline_count; k++) {
        char what[20];
        snprintf(what, sizeof what, "outline-%d", k + 1);
        SLIP_TRY(add_array(view, result, what, map.outlines[k].count, 1, 2,
                           (const double *const[]){map.outlines[k].x, map.outlines[k].y}));
    }
done:
    slip_arena_free(&arena);
    return status < 0 ? status : SLIP_OK;
}

int slip_patch_view_sample(const slip_patch_view *view, slip_result *result)
{
    SLIP_PASS(sample_surface(view, result));
    SLIP_PASS(sample_directions(view, result));
    return sample_pressure(view, result);
}
