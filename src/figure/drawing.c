/* Draws in a folder of its own next to the final files, and moves them when all is well. */
#include "figure/drawing.h"

#include "base/text.h"
#include "figure/figure.h"
#include "io/file.h"
#include "io/gnuplot.h"
#include "io/staging.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double drawing_seconds = 300;
static const char *const endings[2] = {".png", ".svg"};

typedef struct drawing {
    const slip_drawing *what;
    slip_context *ctx;
    slip_staging staging;
} drawing;

static char *file_path(const char *folder, const char *name, const char *ending)
{
    slip_text file = {0};
    char *path;
    slip_text_printf(&file, "%s%s", name, ending);
    path = file.failed ? NULL : slip_path_join(folder, file.data);
    slip_text_free(&file);
    return path;
}

/* Gnuplot does not tell that the disk is full. */
static int check_whole(slip_context *ctx, const char *path, const char *ending)
{
    static const char *const ends[2] = {"IEND\xae\x42\x60\x82", "</svg>"};
    const char *end = ends[strcmp(ending, ".png") != 0];
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

static int move(const drawing *d, const char *name, const char *ending, bool picture)
{
    char *from = file_path(d->staging.work, name, ending), *to = file_path(d->what->folder, name, ending);
    int status = from && to ? SLIP_OK : slip_fail_memory(d->ctx);
    if (status == SLIP_OK && picture)
        status = check_whole(d->ctx, from, ending);
    if (status == SLIP_OK)
        status = slip_file_publish(d->ctx, from, to);
    if (status == SLIP_OK)
        status = slip_staging_note(d->ctx, d->what->folder, strrchr(to, '/') + 1);
    if (status == SLIP_OK && picture && d->what->written)
        d->what->written(d->what->user, to);
    free(from);
    free(to);
    return status;
}

static int move_sources(const drawing *d)
{
    int status = move(d, d->what->base, ".gp", false);
    return status == SLIP_OK ? move(d, d->what->base, ".dat", false) : status;
}

/* Without gnuplot, or where it fails, script and data are still of use. */
static int keep_sources(const drawing *d, int failure)
{
    slip_text said = {0};
    slip_text_append(&said, slip_context_message(d->ctx));
    if (move_sources(d) == SLIP_OK)
        slip_text_printf(&said, "; %s/%s.gp is there to be run later", d->what->folder, d->what->base);
    slip_fail(d->ctx, failure, "%s", said.data ? said.data : "");
    slip_text_free(&said);
    return failure;
}

static int draw(const drawing *d)
{
    slip_text script = {0};
    int status;
    slip_text_printf(&script, "%s.gp", d->what->base);
    status = script.failed ? slip_fail_memory(d->ctx)
                           : slip_gnuplot_run(d->ctx, d->staging.work, script.data, drawing_seconds);
    slip_text_free(&script);
    if (status < 0)
        return keep_sources(d, status);
    status = d->what->frames ? SLIP_OK : move_sources(d);
    for (int f = 0; f < d->what->picture_count; f++)
        for (int k = 0; k < (d->what->frames ? 1 : 2) && status == SLIP_OK; k++)
            status = move(d, d->what->pictures[f], endings[k], true);
    return status;
}

int slip_drawing_write(slip_context *ctx, const char *folder, const char *base, const char *ending,
                       const slip_text *text)
{
    char *path = file_path(folder, base, ending);
    int status =
        path && !text->failed ? slip_file_write(ctx, path, text->data, text->length) : slip_fail_memory(ctx);
    free(path);
    return status;
}

int slip_drawing_make(slip_context *ctx, const slip_drawing *what)
{
    drawing d = {.what = what, .ctx = ctx};
    int status;
    if (what->written == slip_figures_collect)
        return SLIP_OK;
    SLIP_TRY(slip_staging_begin(ctx, what->folder, what->base, &d.staging));
    SLIP_TRY(what->write(ctx, what->source, d.staging.work, what->base));
    status = draw(&d);
done:
    return slip_staging_end(ctx, &d.staging, status);
}
