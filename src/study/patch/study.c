/* The properties of a contact area as a table: moments, limit values, best approximations. */
#include "study/patch/study.h"

#include "base/text.h"
#include "slipstick/patch.h"
#include "study/patch/map.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Friction over directions, the limit surface and the pressure, as tables. Directions are
 *
 *     (vx, vy) = cos theta (cos phi, sin phi),   spin x size = sin theta. */

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

/* Sets rounding errors to zero, so that they are not drawn. */
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
    SLIP_PASS(table ? SLIP_OK : SLIP_ERROR_MEMORY);
    SLIP_PASS(add_angles(view, table));
    for (int k = 0; k < 3 * (view->count + 1); k++)
        SLIP_PASS(add_column(view, table, parts[k % 3], k / 3));
    for (int i = 0; i < (circular ? 1 : phis) * slip_patch_angles; i++) {
        const double phi = 45.0 * (i / slip_patch_angles), c = cos(phi * pi / 180), s = sin(phi * pi / 180);
        const double degrees = (circular ? 0.5 : 1.0) * (i % slip_patch_angles) - (circular ? 0 : 90);
        const double theta = degrees * pi / 180, v = fabs(degrees) == 90 ? 0 : cos(theta);
        const double q[3] = {v * c, v * s, sin(theta)};
        double row[2 + 3 * models_max] = {phi, degrees}, *to = row + 2;
        SLIP_PASS(check_interrupt(view));
        for (int m = 0; m <= view->count; m++) {
            double T[3];
            evaluate(view, m, q, T);
            *to++ = without_rounding(c * T[0] + s * T[1]);
            *to++ = without_rounding(c * T[1] - s * T[0]);
            *to++ = without_rounding(T[2]);
        }
        SLIP_PASS(slip_table_append(view->ctx, table, row));
    }
    return SLIP_OK;
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
    SLIP_PASS(table ? SLIP_OK : SLIP_ERROR_MEMORY);
    SLIP_PASS(add_angles(view, table));
    for (int k = 0; k < 6; k++)
        SLIP_PASS(add_column(view, table, parts[k % 3], models[k / 3]));
    SLIP_PASS(slip_allocated(view->ctx, slip_table_reserve(table, rows * columns)));
    even_thetas(view, thetas);
    for (int i = rows - 1; i >= 0; i--)
        for (int j = 0; j < columns; j++) {
            const int at = i * columns + j;
            const int opposite = (rows - 1 - i) * columns + (j + columns / 2) % (columns - 1);
            const double phi = 2 * pi * j / (columns - 1), v = i == rows - 1 ? 0 : cos(thetas[i]);
            const double q[3] = {v * cos(phi), v * sin(phi), sin(thetas[i])};
            SLIP_PASS(check_interrupt(view));
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
    return SLIP_OK;
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
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    slip_patch_map map = {0};
    SLIP_PASS(table ? SLIP_OK : SLIP_ERROR_MEMORY);
    SLIP_PASS(slip_patch_map_make(view->ctx, view->patch, &arena, &map));
    const slip_figure_surface *s = &map.surface;
    for (int k = 0; k < 3; k++)
        SLIP_PASS(slip_table_add(view->ctx, table, &(slip_column_info){.name = names[k]}));
    for (int64_t i = 0; i < (int64_t)s->rows * s->columns; i++)
        if (!isnan(s->z[i]))
            SLIP_PASS(slip_table_append(view->ctx, table, (const double[]){s->x[i], s->y[i], s->z[i]}));
    SLIP_PASS(add_array(view, result, "pressure", s->columns, s->rows, 3,
                        (const double *const[]){s->x, s->y, s->z}));
    for (int k = 0; k < map.outline_count; k++) {
        char what[20];
        snprintf(what, sizeof what, "outline-%d", k + 1);
        SLIP_PASS(add_array(view, result, what, map.outlines[k].count, 1, 2,
                            (const double *const[]){map.outlines[k].x, map.outlines[k].y}));
    }
    return SLIP_OK;
}

/* Samples friction over directions, the limit surface and the pressure: tables NAME-directions,
 * NAME-limit-surface, NAME-pressure, and arrays NAME/pressure and NAME/outline-1 ... of the picture. */
static int sample_friction(const slip_patch_view *view, slip_result *result)
{
    SLIP_PASS(sample_surface(view, result));
    SLIP_PASS(sample_directions(view, result));
    return sample_pressure(view, result);
}

/* Where the lines of the table go. */
typedef struct printer {
    slip_line_function line; /* may be NULL */
    void *user;
} printer;

static void say(const printer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const printer *out, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (out->line)
        out->line(out->user, text);
}

/* ---- approximations ---- */

/* As in the table of approximations. */
static const char *const approximation_names[] = {"m", "b", "rms", "largest_T", "largest_M"};

static int add_approximation(slip_patch_view *view, const char *label, const slip_pade *pade)
{
    slip_patch_approximation *a = &view->approximations[view->count++];
    snprintf(a->label, sizeof a->label, "%s(%d,%d)", label, pade->n1, pade->n2);
    a->pade = *pade;
    return slip_patch_fit_error(view->ctx, view->patch, pade, &a->rms, &a->force, &a->moment);
}

/* An order that the area does not allow (a point load on the origin) is left out. */
static bool is_possible(const slip_patch *patch, const slip_pade *pade)
{
    return pade->n1 == 0 || !isnan(patch->moments.c203);
}

static int find_approximations(slip_patch_view *view)
{
    if (view->own)
        SLIP_PASS(add_approximation(view, "own ", &view->patch->pade));
    for (int k = 0; k < slip_patch_orders; k++) {
        slip_pade pade = {.n1 = k / 2, .n2 = k % 2, .c = view->patch->moments};
        if (!is_possible(view->patch, &pade))
            continue;
        slip_progress_report(
            view->ctx, &(slip_progress){.what = "approximations", .fraction = (double)k / slip_patch_orders});
        SLIP_PASS(slip_patch_fit_best(view->ctx, view->patch, &pade, NULL));
        SLIP_PASS(add_approximation(view, "", &pade));
    }
    return SLIP_OK;
}

/* ---- the table ---- */

typedef struct moment {
    int i, j, k;
} moment;

static const moment moments[] = {{1, 0, 0}, {0, 1, 0}, {2, 0, 0}, {1, 1, 0}, {0, 2, 0}, {0, 0, -1},
                                 {0, 1, 1}, {1, 0, 1}, {2, 0, 3}, {1, 1, 3}, {0, 2, 3}};
enum { moment_count = sizeof moments / sizeof moments[0] };

/* Sets rounding errors to zero. */
static double clean(double value)
{
    return fabs(value) < 1e-13 ? 0 : value;
}

static double moment_value(const slip_patch_view *view, int index)
{
    const moment *m = &moments[index];
    double value = NAN;
    slip_patch_moment(view->ctx, view->patch, m->i, m->j, m->k, &value);
    return clean(value);
}

static void say_area(const slip_patch_view *view, const printer *out, slip_json_writer *json)
{
    const slip_patch *patch = view->patch;
    slip_patch_info info = slip_patch_describe(patch);
    slip_json_number(json, "area", info.area);
    slip_json_number(json, "size", info.size);
    slip_json_integer(json, "point_loads", patch->load == SLIP_PATCH_POINTS);
    say(out, "%s: area %.9g, size %.9g%s%s%s", view->name, info.area, info.size,
        info.circular ? ", circular" : "", patch->load == SLIP_PATCH_REGION ? "" : ", ",
        patch->load == SLIP_PATCH_REGION ? "" : info.treatment);
    if (info.table_cells > 0)
        say(out, "  integral model tabulated: %d pieces, error at most %.1e", info.table_cells,
            info.table_error);
}

static void say_moments(const slip_patch_view *view, const printer *out, slip_json_writer *json)
{
    say(out, "%s", "");
    say(out, "  Moments c_ijk = integral of x^i y^j (x^2+y^2)^(-k/2) s, lengths over size");
    slip_json_object(json, "moments");
    for (int index = 0; index < moment_count; index++) {
        const moment *m = &moments[index];
        double value = moment_value(view, index);
        char key[40];
        snprintf(key, sizeof key, "c_%d,%d,%d", m->i, m->j, m->k);
        slip_json_number(json, key, value);
        if (isnan(value)) /* a point load on the origin */
            say(out, "    c_%d,%d,%-3d          infinite", m->i, m->j, m->k);
        else
            say(out, "    c_%d,%d,%-3d %17.12f", m->i, m->j, m->k, value);
    }
    slip_json_end_object(json);
}

/* The largest load along an axis that an area holds without slip, over mu N (and over size). */
static double largest_load(const slip_patch_view *view, const slip_patch *patch, int axis)
{
    double load[3] = {0}, ratio = NAN, direction[3];
    load[axis] = 1;
    if (slip_patch_limit_find(view->ctx, patch, load, &ratio, direction) < 0)
        return NAN;
    return 1 / ratio;
}

static void say_limits(const slip_patch_view *view, const printer *out, slip_json_writer *json)
{
    static const char *const labels[3] = {"force along x alone", "force along y alone",
                                          "moment alone, over size"};
    static const char *const names[3] = {"force_x", "force_y", "moment"};
    const double spin[3] = {0, 0, 1};
    double T[3];
    slip_patch_integral_direct(view->patch, spin, T, NULL);
    say(out, "%s", "");
    say(out, "  Limit values for mu N = 1        integral%s", view->own ? "           own" : "");
    slip_json_object(json, "limits");
    for (int axis = 0; axis < 3; axis++) {
        char own[40] = "";
        const double load = largest_load(view, &view->direct, axis);
        if (view->own)
            snprintf(own, sizeof own, "%14.9f", largest_load(view, &view->rigid, axis));
        say(out, "    %-25s %14.9f%s", labels[axis], load, own);
        slip_json_number(json, names[axis], load);
    }
    slip_json_end_object(json);
    say(out, "    pure spin: Tx %.9f, Ty %.9f, M/size %.9f", clean(T[0]), clean(T[1]), T[2]);
    if (view->patch->static_ratio > 1)
        say(out, "    stick holds %.9g times as much (static ratio)", view->patch->static_ratio);
}

static void say_approximations(const slip_patch_view *view, const printer *out, slip_json_writer *json)
{
    say(out, "%s", "");
    say(out, "  Approximations      m            b          rms error  largest in T, in M/size");
    slip_json_object(json, "approximations");
    for (int k = 0; k < view->count; k++) {
        const slip_patch_approximation *a = &view->approximations[k];
        slip_json_object(json, a->label);
        say(out, "    %-10s %12.8f %12.8f %11.6f %11.6f %11.6f", a->label, a->pade.m, a->pade.b, a->rms,
            a->force, a->moment);
        const double values[] = {a->pade.m, a->pade.b, a->rms, a->force, a->moment};
        for (int c = 0; c < 5; c++)
            slip_json_number(json, approximation_names[c], values[c]);
        slip_json_end_object(json);
    }
    slip_json_end_object(json);
}

/* ---- the same as tables ---- */

slip_table *slip_patch_view_table(const slip_patch_view *view, slip_result *result, const char *what)
{
    slip_text name = {0}, file = {0};
    slip_table *table = NULL;
    slip_text_printf(&name, "%s-%s", view->name, what);
    slip_text_printf(&file, "%s-%s.csv", view->name, what);
    if (!name.failed && !file.failed)
        table = slip_result_add_table(view->ctx, result, name.data, file.data);
    else
        slip_fail_memory(view->ctx);
    slip_text_free(&name);
    slip_text_free(&file);
    return table;
}

static int add_moments(const slip_patch_view *view, slip_result *result)
{
    static const char *const names[] = {"i", "j", "k", "c"};
    slip_table *table = slip_patch_view_table(view, result, "moments");
    int status = table ? SLIP_OK : SLIP_ERROR_MEMORY;
    for (int k = 0; k < 4 && status >= 0; k++)
        status = slip_table_add(view->ctx, table, &(slip_column_info){.name = names[k]});
    for (int k = 0; k < moment_count && status >= 0; k++)
        status = slip_table_append(
            view->ctx, table,
            (const double[]){moments[k].i, moments[k].j, moments[k].k, moment_value(view, k)});
    return status;
}

/* Into the table of all areas, whose first column is the name, and into one of its own. */
static int add_approximations(const slip_patch_view *view, slip_result *result)
{
    static const char *const names[] = {"own", "n1", "n2", "m", "b", "rms", "largest_T", "largest_M"};
    enum { count = sizeof names / sizeof names[0] };
    slip_table *own = slip_patch_view_table(view, result, "approximations"), *all = &result->main;
    int status = own ? SLIP_OK : SLIP_ERROR_MEMORY;
    if (status >= 0 && all->column_count == 0)
        status = slip_table_add(view->ctx, all,
                                &(slip_column_info){.name = "contact", .words = (const char *const[]){NULL}});
    for (int k = 0; k < count && status >= 0; k++) {
        status = slip_table_add(view->ctx, own, &(slip_column_info){.name = names[k]});
        if (status >= 0 && all->column_count <= count)
            status = slip_table_add(view->ctx, all, &(slip_column_info){.name = names[k]});
    }
    const int word = status < 0 ? status : slip_table_word(view->ctx, all, 0, view->name);
    for (int k = 0; k < view->count && word >= 0 && status >= 0; k++) {
        const slip_patch_approximation *a = &view->approximations[k];
        const double row[count + 1] = {word,      view->own && k == 0, a->pade.n1, a->pade.n2,
                                       a->pade.m, a->pade.b,           a->rms,     a->force,
                                       a->moment};
        status = slip_table_append(view->ctx, own, row + 1);
        if (status >= 0)
            status = slip_table_append(view->ctx, all, row);
    }
    return word < 0 ? word : status;
}

/* ---- all of it ---- */

static int study(slip_context *ctx, const slip_patch *patch, const char *name, const printer *out,
                 slip_json_writer *json, slip_result *result)
{
    slip_patch_view view = {.ctx = ctx, .name = name, .patch = patch, .rigid = *patch, .direct = *patch};
    view.rigid.epsilon = view.direct.epsilon = 0;
    view.direct.integral = true;
    view.direct.table = NULL;
    view.own = !patch->integral;
    SLIP_PASS(find_approximations(&view));
    slip_json_object(json, name);
    say_area(&view, out, json);
    say_moments(&view, out, json);
    say_limits(&view, out, json);
    say_approximations(&view, out, json);
    slip_json_end_object(json);
    SLIP_PASS(add_moments(&view, result));
    SLIP_PASS(add_approximations(&view, result));
    SLIP_PASS(sample_friction(&view, result));
    return SLIP_OK;
}

int slip_patch_study(slip_context *ctx, int count, const slip_patch *const *patches, const char *const *names,
                     slip_line_function line, void *user, slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, patches, names);
    const printer out = {line, user};
    SLIP_FREED_BY(slip_result_drop) slip_result *made = NULL;
    slip_context_clear(ctx);
    SLIP_PASS(slip_result_create(ctx, "patch", NULL, &made));
    slip_json_writer json = {.text = &made->summary};
    slip_json_object(&json, NULL);
    for (int k = 0; k < count; k++) {
        if (k > 0)
            say(&out, "%s", "");
        SLIP_PASS(study(ctx, patches[k], names[k], &out, &json, made));
    }
    slip_json_end_object(&json);
    SLIP_PASS(made->summary.failed ? slip_fail_memory(ctx) : SLIP_OK);
    SLIP_HAND(result, made);
    return SLIP_OK;
}
