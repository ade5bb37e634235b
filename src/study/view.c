/* Results in a folder: their pictures, and exports for other programs. */
#include "study/view.h"

#include "figure/page/page.h"
#include "figure/pictures.h"
#include "io/file.h"
#include "io/staging.h"
#include "model/study.h"
#include "study/eigenmodes/eigenmodes.h"
#include "study/patch/study.h"
#include "study/sweep/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

SLIP_OPTIONS_FILL(slip_plot_options, .from = NAN, .to = NAN)

/* ---- Frames of gears, which are written while they run. */

static int copy_file(slip_context *ctx, const char *from, const char *to, const char *name)
{
    SLIP_FREED char *source = slip_path_join(from, name), *target = slip_path_join(to, name);
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    SLIP_PASS(slip_allocated(ctx, source && target));
    SLIP_PASS(slip_file_read(ctx, source, SIZE_MAX / 2, &text));
    return slip_file_write(ctx, target, text.data ? text.data : "", text.length);
}

static int copy_frames(slip_context *ctx, const char *frames, const char *path)
{
    SLIP_FREED struct dirent **entries = NULL;
    const int count = scandir(frames, &entries, NULL, alphasort);
    int status = count < 0 ? slip_fail_file(ctx, "cannot read the folder", frames, errno)
                           : slip_folder_create(ctx, path);
    for (int k = 0; k < count; k++) {
        const char *ending = strrchr(entries[k]->d_name, '.');
        if (status >= 0 && ending && (strcmp(ending, ".vtu") == 0 || strcmp(ending, ".pvd") == 0))
            status = copy_file(ctx, frames, path, entries[k]->d_name);
        free(entries[k]);
    }
    return status;
}

static int write_frames(slip_context *ctx, const slip_result *result, const char *folder, const char *path)
{
    SLIP_FREED char *frames = slip_path_join(folder, "frames");
    int status = SLIP_OK;
    (void)result;
    SLIP_PASS(slip_allocated(ctx, frames));
    if (access(frames, R_OK) != 0)
        status = slip_fail(
            ctx, SLIP_ERROR_USAGE,
            "%s has no frames of its gears: run it with `simulate.frames`, such as --set simulate.frames=50",
            folder);
    else if (path)
        status = copy_frames(ctx, frames, path);
    return status;
}

/* Writes the frames of the gears of a run where there are some, else its bodies. */
static int write_run(slip_context *ctx, const slip_result *result, const char *folder, const char *path)
{
    SLIP_FREED char *frames = slip_path_join(folder, "frames");
    SLIP_PASS(slip_allocated(ctx, frames));
    const bool found = access(frames, R_OK) == 0;
    return found ? write_frames(ctx, result, folder, path) : slip_run_write_vtu(ctx, result, folder, path);
}

/* One row for each kind of result that is not one of a study (model/study.h). */
static const slip_view views[] = {
    {.kind = "run", .draw = slip_run_draw, .write_vtu = write_run, .spans = true},
    {.kind = "gears", .draw = slip_gears_draw, .write_vtu = write_frames, .spans = true},
    {.kind = "statics", .draw = slip_statics_draw, .write_vtu = slip_statics_write_vtu},
    {.kind = "map", .draw = slip_map_draw},
    {.kind = "cycle", .draw = slip_cycle_draw},
    {.kind = "patch", .draw = slip_patch_draw},
    {.kind = "exponents", .draw = slip_sweep_draw},
    {.kind = "modes", .draw = slip_eigenmodes_draw, .write_vtu = slip_modes_write_vtu, .spans = true},
};

static int find_view(slip_context *ctx, const char *folder, const slip_result *result, const slip_view **view)
{
    *view = NULL;
    for (size_t k = 0; k < sizeof views / sizeof views[0] && !*view; k++)
        *view = strcmp(views[k].kind, result->kind) == 0 ? &views[k] : NULL;
    for (int k = 0; slip_studies[k] && !*view; k++)
        *view = strcmp(slip_studies[k]->view.kind, result->kind) == 0 ? &slip_studies[k]->view : NULL;
    if (*view)
        return SLIP_OK;
    return slip_fail(ctx, SLIP_ERROR_IO,
                     "%s holds a result of kind `%s`, which this version of the program does not know",
                     folder, result->kind);
}

static int draw(slip_context *ctx, int (*pictures)(slip_album *album), slip_result *result,
                const char *folder, const slip_plot_options *options)
{
    slip_album album = {.ctx = ctx, .result = result, .folder = folder, .options = options};
    return slip_album_draw(&album, pictures(&album));
}

int slip_plot(slip_context *ctx, const char *folder, const slip_plot_options *given_options)
{
    SLIP_NEED(ctx, folder);
    SLIP_TAKE(slip_plot_options, options, given_options);
    const slip_view *view = NULL;
    SLIP_FREED_BY(slip_result_drop) slip_result *result = NULL;
    int status = SLIP_OK;
    slip_context_clear(ctx);
    SLIP_PASS(slip_result_load(ctx, folder, &result));
    SLIP_PASS(find_view(ctx, folder, result, &view));
    if (options->quantity && !view->quantities)
        status = slip_fail(ctx, SLIP_ERROR_USAGE,
                           "%s: found a quantity `%s`, which only paths of static solutions have", folder,
                           options->quantity);
    else if (options->xy)
        status = draw(ctx, slip_xy_draw, result, folder, options);
    else if (!view->spans && !(isnan(options->from) && isnan(options->to)))
        status = slip_fail(ctx, SLIP_ERROR_USAGE, "%s: found a span to draw, but it holds nothing over time",
                           folder);
    else
        status = draw(ctx, view->draw, result, folder, options);
    return status;
}

/* Says which formats there are. */
static int refuse_format(slip_context *ctx, const char *name)
{
    enum { most = 16 };
    const char *names[most] = {"vtu"}, *nearest;
    SLIP_FREED_BY(slip_text_free) slip_text expected = {0};
    int count = 1;
    for (const slip_series_format *f = slip_series_formats; f->name && count + 1 < most; f++) {
        names[count++] = f->name;
        slip_text_printf(&expected, "%s, ", f->name);
    }
    slip_text_printf(&expected, "or vtu where there are bodies");
    nearest = slip_text_nearest(name, names);
    return expected.failed ? slip_fail_memory(ctx)
                           : slip_fail(ctx, SLIP_ERROR_USAGE, "unknown format `%s`; %s%s%sexpected %s", name,
                                       nearest ? "did you mean `" : "", nearest ? nearest : "",
                                       nearest ? "`? " : "", expected.data);
}

/* The format of that name: a row of the table of series, or with *format NULL that of bodies. */
static int find_format(slip_context *ctx, const char *name, const slip_series_format **format)
{
    *format = NULL;
    for (const slip_series_format *f = slip_series_formats; f->name && !*format; f++)
        if (strcmp(f->name, name) == 0)
            *format = f;
    return *format || strcmp(name, "vtu") == 0 ? SLIP_OK : refuse_format(ctx, name);
}

/* result.csv and so on in the folder, which then belongs to the result; or where the caller wants it. */
static int export_series(slip_context *ctx, const slip_result *result, const char *folder,
                         const slip_series_format *format, const char *path)
{
    SLIP_FREED_BY(slip_text_free) slip_text name = {0};
    SLIP_FREED char *own = NULL;
    slip_text_printf(&name, "result.%s", format->name);
    SLIP_PASS(slip_allocated(ctx, !name.failed && (own = slip_path_join(folder, name.data))));
    if (path)
        SLIP_PASS(slip_folder_create_for(ctx, path));
    else
        SLIP_PASS(slip_staging_note(ctx, folder, name.data));
    return format->write(ctx, &result->main, path ? path : own);
}

int slip_export(slip_context *ctx, const char *folder, const char *format, const char *path)
{
    SLIP_NEED(ctx, folder, format);
    const slip_series_format *of_series;
    const slip_view *view = NULL;
    SLIP_FREED_BY(slip_result_drop) slip_result *result = NULL;
    int status = SLIP_OK;
    slip_context_clear(ctx);
    SLIP_PASS(find_format(ctx, format, &of_series));
    SLIP_PASS(slip_result_load(ctx, folder, &result));
    SLIP_PASS(find_view(ctx, folder, result, &view));
    if (of_series)
        status = export_series(ctx, result, folder, of_series, path);
    else if (view->write_vtu)
        status = view->write_vtu(ctx, result, folder, path);
    else
        status = slip_fail(ctx, SLIP_ERROR_USAGE,
                           "%s: format `vtu` is for results with bodies, and there are none; expected one of "
                           "series, such as csv",
                           folder);
    return status;
}

/* ---- The page. */

/* The bodies of the result, by way of the files that ParaView gets, beside the page until it is written. That
 * there are none is said by an error of usage. */
static int add_bodies(slip_context *ctx, const slip_view *view, const slip_result *result, const char *folder,
                      const char *beside, slip_page *page)
{
    slip_staging staging = {0};
    int status = SLIP_OK;
    if (!view->write_vtu)
        return SLIP_OK;
    SLIP_TRY(slip_staging_begin(ctx, beside, "report", &staging));
    status = view->write_vtu(ctx, result, folder, staging.work);
    if (status >= 0)
        status = slip_page_add_frames(ctx, page, staging.work);
    else if (status == SLIP_ERROR_USAGE)
        status = SLIP_OK;
done:
    return slip_staging_end(ctx, &staging, status);
}

static int make_page(slip_context *ctx, slip_result *result, const char *folder, const char *path)
{
    slip_plot_options options = slip_plot_options_default();
    char *beside = slip_arena_string(&result->arena, path), *name = beside ? strrchr(beside, '/') : NULL;
    const slip_view *view = NULL;
    SLIP_FREED_BY(slip_page_drop) slip_page *page = NULL;
    int status = SLIP_OK;
    SLIP_PASS(status = slip_allocated(ctx, beside));
    if (name)
        name[name == beside] = 0;
    SLIP_PASS(status = find_view(ctx, folder, result, &view));
    SLIP_PASS(status = slip_page_create(ctx, result, &page));
    slip_figure_collector collector = slip_page_figures(page);
    options.written = slip_figures_collect;
    options.user = &collector;
    if (result->main.count > 0) {
        status = draw(ctx, view->draw, result, folder, &options);
        /* A single run, or three axes: nothing is drawn, the page has the numbers */
        SLIP_PASS(status = status == SLIP_ERROR_USAGE ? SLIP_OK : status);
    }
    SLIP_PASS(status = add_bodies(ctx, view, result, folder, name ? beside : ".", page));
    return slip_page_write(ctx, page, path);
}

int slip_report(slip_context *ctx, const char *folder, const char *path)
{
    static const char own_name[] = "report.html";
    SLIP_NEED(ctx, folder);
    SLIP_FREED_BY(slip_result_drop) slip_result *result = NULL;
    SLIP_FREED char *own = NULL;
    slip_context_clear(ctx);
    SLIP_PASS(slip_allocated(ctx, (own = slip_path_join(folder, own_name))));
    SLIP_PASS(slip_result_load(ctx, folder, &result));
    if (path)
        SLIP_PASS(slip_folder_create_for(ctx, path));
    else
        SLIP_PASS(slip_staging_note(ctx, folder, own_name));
    return make_page(ctx, result, folder, path ? path : own);
}
