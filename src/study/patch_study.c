/* What there is to know about a contact area, as a table: moments, limit values, best approximations. */
#include "study/patch_study.h"

#include "io/csv.h"
#include "io/file.h"
#include "study/reproduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

slip_patch_study_options slip_patch_study_options_default(void)
{
    return (slip_patch_study_options){.name = "patch"};
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
    int status = SLIP_OK;
    if (view->own)
        SLIP_TRY(add_approximation(view, "own ", &view->patch->pade));
    for (int k = 0; k < slip_patch_orders; k++) {
        slip_pade pade = {.n1 = k / 2, .n2 = k % 2, .c = view->patch->moments};
        if (!is_possible(view->patch, &pade))
            continue;
        slip_progress_report(
            view->ctx, &(slip_progress){.what = "approximations", .fraction = (double)k / slip_patch_orders});
        SLIP_TRY(slip_patch_fit_best(view->ctx, view->patch, &pade, NULL));
        SLIP_TRY(add_approximation(view, "", &pade));
    }
done:
    return status;
}

/* ---- the table ---- */

typedef struct moment {
    int i, j, k;
} moment;

static const moment moments[] = {{1, 0, 0}, {0, 1, 0}, {2, 0, 0}, {1, 1, 0}, {0, 2, 0}, {0, 0, -1},
                                 {0, 1, 1}, {1, 0, 1}, {2, 0, 3}, {1, 1, 3}, {0, 2, 3}};
enum { moment_count = sizeof moments / sizeof moments[0] };

/* What is rounding error only is nothing. */
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

static void say_area(const slip_patch_view *view, const slip_printer *out, const char *name)
{
    const slip_patch *patch = view->patch;
    slip_patch_info info = slip_patch_describe(patch);
    slip_printer_number(out, info.area, "area");
    slip_printer_number(out, info.size, "size");
    slip_printer_say(out, "%s: area %.9g, size %.9g%s%s%s", name, info.area, info.size,
                     info.circular ? ", circular" : "", patch->load == SLIP_PATCH_REGION ? "" : ", ",
                     patch->load == SLIP_PATCH_REGION ? "" : info.treatment);
    if (info.table_cells > 0)
        slip_printer_say(out, "  integral model tabulated: %d pieces, error at most %.1e", info.table_cells,
                         info.table_error);
}

static void say_moments(const slip_patch_view *view, const slip_printer *out)
{
    slip_printer_say(out, "%s", "");
    slip_printer_say(out, "  Moments c_ijk = integral of x^i y^j (x^2+y^2)^(-k/2) s, lengths over size");
    for (int index = 0; index < moment_count; index++) {
        const moment *m = &moments[index];
        double value = moment_value(view, index);
        slip_printer_number(out, value, "moments.c_%d,%d,%d", m->i, m->j, m->k);
        if (isnan(value)) /* a point load on the origin */
            slip_printer_say(out, "    c_%d,%d,%-3d          infinite", m->i, m->j, m->k);
        else
            slip_printer_say(out, "    c_%d,%d,%-3d %17.12f", m->i, m->j, m->k, value);
    }
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

static void say_limits(const slip_patch_view *view, const slip_printer *out)
{
    static const char *const labels[3] = {"force along x alone", "force along y alone",
                                          "moment alone, over size"};
    static const char *const names[3] = {"force_x", "force_y", "moment"};
    const double spin[3] = {0, 0, 1};
    double T[3];
    slip_patch_integral_direct(view->patch, spin, T, NULL);
    slip_printer_say(out, "%s", "");
    slip_printer_say(out, "  Limit values for mu N = 1        integral%s", view->own ? "           own" : "");
    for (int axis = 0; axis < 3; axis++) {
        char own[40] = "";
        const double load = largest_load(view, &view->direct, axis);
        if (view->own)
            snprintf(own, sizeof own, "%14.9f", largest_load(view, &view->rigid, axis));
        slip_printer_say(out, "    %-25s %14.9f%s", labels[axis], load, own);
        slip_printer_number(out, load, "limits.%s", names[axis]);
    }
    slip_printer_say(out, "    pure spin: Tx %.9f, Ty %.9f, M/size %.9f", clean(T[0]), clean(T[1]), T[2]);
    if (view->patch->static_ratio > 1)
        slip_printer_say(out, "    stick holds %.9g times as much (static ratio)", view->patch->static_ratio);
}

static void say_approximations(const slip_patch_view *view, const slip_printer *out)
{
    slip_printer_say(out, "%s", "");
    slip_printer_say(out, "  Approximations      m            b          rms error  largest in T, in M/size");
    for (int k = 0; k < view->count; k++) {
        const slip_patch_approximation *a = &view->approximations[k];
        slip_printer_say(out, "    %-10s %12.8f %12.8f %11.6f %11.6f %11.6f", a->label, a->pade.m, a->pade.b,
                         a->rms, a->force, a->moment);
        const double values[] = {a->pade.m, a->pade.b, a->rms, a->force, a->moment};
        for (int c = 0; c < 5; c++)
            slip_printer_number(out, values[c], "approximations.%s.%s", a->label, approximation_names[c]);
    }
}

/* ---- the same as files ---- */

static int write_moments(const slip_patch_view *view, const char *path)
{
    static const char *const names[] = {"i", "j", "k", "c"};
    double numbers[4][moment_count];
    const double *columns[4] = {numbers[0], numbers[1], numbers[2], numbers[3]};
    for (int index = 0; index < moment_count; index++) {
        numbers[0][index] = moments[index].i;
        numbers[1][index] = moments[index].j;
        numbers[2][index] = moments[index].k;
        numbers[3][index] = moment_value(view, index);
    }
    return slip_csv_write(view->ctx, path, 4, names, columns, moment_count);
}

static int write_approximations(const slip_patch_view *view, const char *path)
{
    static const char *const names[] = {"own", "n1", "n2", "m", "b", "rms", "largest_T", "largest_M"};
    enum { column_count = sizeof names / sizeof names[0] };
    double numbers[column_count][slip_patch_approximations_max];
    const double *columns[column_count];
    for (int c = 0; c < column_count; c++)
        columns[c] = numbers[c];
    for (int k = 0; k < view->count; k++) {
        const slip_patch_approximation *a = &view->approximations[k];
        const double row[column_count] = {view->own && k == 0, a->pade.n1, a->pade.n2, a->pade.m,
                                          a->pade.b,           a->rms,     a->force,   a->moment};
        for (int c = 0; c < column_count; c++)
            numbers[c][k] = row[c];
    }
    return slip_csv_write(view->ctx, path, column_count, names, columns, view->count);
}

static int write_table(const slip_patch_view *view, const slip_patch_study_options *options, const char *what,
                       int (*write)(const slip_patch_view *view, const char *path))
{
    slip_text name = {0};
    char *path;
    int status;
    slip_text_printf(&name, "%s-%s.csv", options->name, what);
    path = name.failed ? NULL : slip_path_join(options->folder, name.data);
    status = path ? write(view, path) : slip_fail_memory(view->ctx);
    free(path);
    slip_text_free(&name);
    return status;
}

int slip_patch_study(slip_context *ctx, const slip_patch *patch, const slip_patch_study_options *options)
{
    SLIP_NEED(ctx, patch, options);
    const slip_printer out = {options->line, options->user, options->number};
    slip_patch_view view = {.ctx = ctx, .patch = patch, .rigid = *patch, .direct = *patch};
    int status;
    slip_context_clear(ctx);
    view.rigid.epsilon = view.direct.epsilon = 0;
    view.direct.integral = true;
    view.direct.table = NULL;
    view.own = !patch->integral;
    SLIP_TRY(find_approximations(&view));
    say_area(&view, &out, options->name);
    say_moments(&view, &out);
    say_limits(&view, &out);
    say_approximations(&view, &out);
    if (!options->folder)
        goto done;
    SLIP_TRY(slip_folder_make(ctx, options->folder));
    SLIP_TRY(write_table(&view, options, "moments", write_moments));
    SLIP_TRY(write_table(&view, options, "approximations", write_approximations));
    slip_printer_say(&out, "%s", "");
    SLIP_TRY(slip_patch_view_draw(&view, options));
done:
    return status;
}
