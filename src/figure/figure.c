/* Draws figures: script and data are written and run in a folder of their own beside the final files, and
 * moved when all is well. */
#include "figure/figure.h"

#include "base/text.h"
#include "figure/data.h"
#include "figure/script.h"
#include "io/file.h"
#include "io/gnuplot.h"
#include "io/staging.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const double drawing_seconds = 300;

/* Formats, and how a file of each ends. */
static const struct {
    const char *name, *end;
} formats[] = {{"png", "IEND\xae\x42\x60\x82"}, {"svg", "</svg>"}, {"pdf", "%%EOF"}};
enum { format_count = sizeof formats / sizeof *formats };

/* Endings of the source files of pictures: script, numbers and, for images, pixels. */
static const char *const sources[] = {"gp", "dat", "rgb"};

typedef struct drawing {
    slip_context *ctx;
    const slip_figure *figures;
    int count;
    const char *folder, *base;
    const slip_plot_options *options;
    bool wanted[format_count];
    bool frames;
    int source_count;
    slip_staging staging;
    slip_arena *arena;
} drawing;

static char *file_path(const drawing *d, const char *folder, const char *name, const char *ending)
{
    const size_t size = strlen(folder) + strlen(name) + strlen(ending) + 3;
    char *path = slip_arena_alloc(d->arena, size);
    if (path)
        snprintf(path, size, "%s/%s.%s", folder, name, ending);
    return path;
}

/* ---- Writing. */

static int write_script(const drawing *d, const slip_figure_data *data, const char *path)
{
    SLIP_FREED_BY(slip_text_free) slip_text script = {0};
    char kinds[20] = "";
    for (int k = 0; k < format_count; k++)
        if (d->wanted[k])
            strcat(strcat(kinds, *kinds ? " " : ""), formats[k].name);
    slip_figure_script_write(&script, d->figures, d->count, d->base, kinds, data);
    SLIP_PASS(slip_allocated(d->ctx, !script.failed));
    return slip_file_write(d->ctx, path, script.data, script.length);
}

static int write_sources(const drawing *d)
{
    SLIP_FREED_BY(slip_figure_data_free) slip_figure_data data = {0};
    const char *script = file_path(d, d->staging.work, d->base, sources[0]);
    const char *numbers = file_path(d, d->staging.work, d->base, sources[1]);
    const char *images = file_path(d, d->staging.work, d->base, sources[2]);
    SLIP_PASS(slip_allocated(d->ctx, script && numbers && images));
    SLIP_PASS(slip_figure_data_collect(d->ctx, &data, d->figures, d->count));
    SLIP_PASS(slip_figure_data_write(d->ctx, &data, numbers));
    if (d->source_count > 2)
        SLIP_PASS(slip_figure_data_write_images(d->ctx, d->figures, d->count, images));
    return write_script(d, &data, script);
}

/* ---- Moving. */

/* Gnuplot does not tell that the disk is full. */
static int check_whole(slip_context *ctx, const char *path, const char *end)
{
    char tail[16] = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return slip_fail_file(ctx, "cannot open", path, errno);
    bool whole = false;
    if (fseek(file, -(long)sizeof tail, SEEK_END) == 0 && fread(tail, 1, sizeof tail, file) == sizeof tail)
        for (size_t at = 0; at + strlen(end) <= sizeof tail && !whole; at++)
            whole = memcmp(tail + at, end, strlen(end)) == 0;
    fclose(file);
    return whole ? SLIP_OK
                 : slip_fail(ctx, SLIP_ERROR_IO, "%s was not written to its end: is the disk full?", path);
}

/* The path of a file, and the path that it is moved to. */
typedef struct movement {
    char *from, *to;
} movement;

/* Does what can fail before a file is moved. end: the last bytes of a complete picture; NULL: it is not a
 * picture. */
static int prepare(const drawing *d, const char *name, const char *ending, const char *end, movement *m)
{
    *m = (movement){file_path(d, d->staging.work, name, ending), file_path(d, d->folder, name, ending)};
    SLIP_PASS(slip_allocated(d->ctx, m->from && m->to));
    if (end)
        SLIP_PASS(check_whole(d->ctx, m->from, end));
    return slip_staging_note(d->ctx, d->folder, strrchr(m->to, '/') + 1);
}

static int move_sources(const drawing *d)
{
    movement all[sizeof sources / sizeof *sources];
    for (int k = 0; k < d->source_count; k++)
        SLIP_PASS(prepare(d, d->base, sources[k], NULL, &all[k]));
    for (int k = 0; k < d->source_count; k++)
        SLIP_PASS(slip_file_publish(d->ctx, all[k].from, all[k].to));
    return SLIP_OK;
}

/* All of them, or none. */
static int move_pictures(const drawing *d)
{
    movement *all = slip_arena_array(d->arena, (int64_t)d->count * format_count, sizeof *all);
    int count = 0;
    SLIP_PASS(slip_allocated(d->ctx, all));
    for (int f = 0; f < d->count; f++)
        for (int k = 0; k < format_count; k++)
            if (d->wanted[k])
                SLIP_PASS(prepare(d, d->figures[f].name, formats[k].name, formats[k].end, &all[count++]));
    for (int k = 0; k < count; k++) {
        SLIP_PASS(slip_file_publish(d->ctx, all[k].from, all[k].to));
        if (d->options->written)
            d->options->written(d->options->user, all[k].to);
    }
    return SLIP_OK;
}

/* Without gnuplot, or where it fails, script and data are still of use. */
static int keep_sources(const drawing *d, int failure)
{
    SLIP_FREED_BY(slip_text_free) slip_text said = {0};
    slip_text_append(&said, slip_context_message(d->ctx));
    if (move_sources(d) == SLIP_OK)
        slip_text_printf(&said, "; %s/%s.gp is there to be run later", d->folder, d->base);
    if (said.failed)
        return slip_fail_memory(d->ctx);
    return slip_fail(d->ctx, failure, "%s", said.data ? said.data : "");
}

static int run_script(const drawing *d)
{
    SLIP_FREED_BY(slip_text_free) slip_text script = {0};
    slip_text_printf(&script, "%s.gp", d->base);
    SLIP_PASS(slip_allocated(d->ctx, !script.failed));
    const int status = slip_gnuplot_run(d->ctx, d->staging.work, script.data, drawing_seconds);
    if (status < 0)
        return keep_sources(d, status);
    if (!d->frames)
        SLIP_PASS(move_sources(d));
    return move_pictures(d);
}

/* ---- All of it. */

/* A marker that selects the collector; it is never called. */
void slip_figures_collect(void *collector, const char *path)
{
    (void)collector;
    (void)path;
}

static int draw(drawing *d)
{
    const slip_figure_collector *collector =
        d->options->written == slip_figures_collect ? d->options->user : NULL;
    if (collector)
        return collector->take(collector->user, d->ctx, d->figures, d->count);
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    d->arena = &arena;
    d->source_count = 2;
    for (int f = 0; f < d->count; f++)
        for (int p = 0; p < d->figures[f].panel_count; p++)
            d->source_count = d->figures[f].panels[p].image ? 3 : d->source_count;
    int status = slip_staging_begin(d->ctx, d->folder, d->base, &d->staging);
    if (status >= 0)
        status = write_sources(d);
    if (status >= 0)
        status = run_script(d);
    return slip_staging_end(d->ctx, &d->staging, status);
}

/* "png,svg" */
static int read_formats(drawing *d, const char *list)
{
    const char *at = list;
    while (at) {
        const size_t length = strcspn(at, ",");
        int k = 0;
        while (k < format_count &&
               (strlen(formats[k].name) != length || strncmp(at, formats[k].name, length) != 0))
            k++;
        if (k == format_count)
            return slip_fail(
                d->ctx, SLIP_ERROR_USAGE,
                "pictures in the formats `%s`: found `%.*s`, expected png, svg or pdf, or several of "
                "them joined by commas",
                list, (int)length, at);
        d->wanted[k] = true;
        at = at[length] ? at + length + 1 : NULL;
    }
    return SLIP_OK;
}

int slip_figures_draw(slip_context *ctx, const slip_figure *figures, int count, const char *folder,
                      const char *base, const slip_plot_options *options)
{
    drawing d = {
        .ctx = ctx, .figures = figures, .count = count, .folder = folder, .base = base, .options = options};
    const int status = read_formats(&d, options->formats ? options->formats : "png,svg");
    return status < 0 ? status : draw(&d);
}

int slip_figures_draw_frames(slip_context *ctx, const slip_figure *figures, int count, const char *folder,
                             slip_path_function written, void *user)
{
    const slip_plot_options options = {.written = written, .user = user};
    drawing d = {ctx, figures, count, folder, "frames", &options, .wanted = {true}, .frames = true};
    return draw(&d);
}

int slip_figure_plot(slip_context *ctx, const slip_figure *figure, const char *folder,
                     slip_path_function written, void *user)
{
    SLIP_NEED(ctx, figure, folder);
    SLIP_NEED(ctx, figure->name);
    slip_plot_options options = slip_plot_options_default();
    options.written = written;
    options.user = user;
    return slip_figures_draw(ctx, figure, 1, folder, figure->name, &options);
}
