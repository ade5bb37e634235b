/* Draws in a folder of its own next to the final files, and moves them when all is well. */
#include "result/figure.h"

#include "base/text.h"
#include "io/file.h"
#include "io/gnuplot.h"
#include "result/figure_data.h"
#include "result/figure_script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double drawing_seconds = 300;
static const char *const endings[2] = {".png", ".svg"};

typedef struct drawing {
    slip_context *ctx;
    const slip_figure *figures;
    int figure_count;
    const char *folder, *base;
    char *work; /* the folder to draw in */
    void (*written)(void *user, const char *path);
    void *user;
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

static int make_work_folder(drawing *d)
{
    slip_text name = {0};
    int status = SLIP_OK, made = -1;
    for (int k = 0; k < 1000 && made != 0; k++) {
        slip_text_clear(&name);
        slip_text_printf(&name, ".%s.%ld.%d.tmp", d->base, (long)getpid(), k);
        free(d->work);
        d->work = name.failed ? NULL : slip_path_join(d->folder, name.data);
        if (!d->work)
            break;
        made = mkdir(d->work, 0777);
        if (made != 0 && errno != EEXIST)
            break;
    }
    slip_text_free(&name);
    if (!d->work)
        return slip_fail_memory(d->ctx);
    if (made != 0) {
        status = slip_fail_file(d->ctx, "cannot make the folder", d->work, errno);
        free(d->work);
        d->work = NULL;
    }
    return status;
}

static void remove_file(const drawing *d, const char *name, const char *ending)
{
    char *path = file_path(d->work, name, ending);
    if (path)
        unlink(path);
    free(path);
}

static void remove_work_folder(drawing *d)
{
    if (!d->work)
        return;
    remove_file(d, d->base, ".gp");
    remove_file(d, d->base, ".dat");
    for (int f = 0; f < d->figure_count; f++)
        for (int k = 0; k < 2; k++)
            remove_file(d, d->figures[f].name, endings[k]);
    rmdir(d->work);
    free(d->work);
}

static int write_script(const drawing *d, const slip_figure_data *data)
{
    char *path = file_path(d->work, d->base, ".gp");
    slip_text text = {0};
    int status;
    slip_figure_script_write(&text, d->figures, d->figure_count, d->base, data);
    status = path && !text.failed ? slip_file_write(d->ctx, path, text.data, text.length)
                                  : slip_fail_memory(d->ctx);
    slip_text_free(&text);
    free(path);
    return status;
}

static int write_data(const drawing *d, const slip_figure_data *data)
{
    char *path = file_path(d->work, d->base, ".dat");
    int status = path ? slip_figure_data_write(d->ctx, data, d->figures, d->figure_count, path)
                      : slip_fail_memory(d->ctx);
    free(path);
    return status;
}

static int move(const drawing *d, const char *name, const char *ending, bool picture)
{
    char *from = file_path(d->work, name, ending), *to = file_path(d->folder, name, ending);
    int status = from && to ? slip_file_publish(d->ctx, from, to) : slip_fail_memory(d->ctx);
    if (status == SLIP_OK && picture && d->written)
        d->written(d->user, to);
    free(from);
    free(to);
    return status;
}

static int move_sources(const drawing *d)
{
    int status = move(d, d->base, ".gp", false);
    return status == SLIP_OK ? move(d, d->base, ".dat", false) : status;
}

/* Without gnuplot, or where it fails, script and data are still of use. */
static int keep_sources(const drawing *d, int failure)
{
    slip_text said = {0};
    slip_text_append(&said, slip_context_message(d->ctx));
    if (move_sources(d) == SLIP_OK)
        slip_text_printf(&said, "; %s/%s.gp is there to be run later", d->folder, d->base);
    slip_fail(d->ctx, failure, "%s", said.data ? said.data : "");
    slip_text_free(&said);
    return failure;
}

static int draw(const drawing *d)
{
    slip_text script = {0};
    int status;
    slip_text_printf(&script, "%s.gp", d->base);
    status = script.failed ? slip_fail_memory(d->ctx)
                           : slip_gnuplot_run(d->ctx, d->work, script.data, drawing_seconds);
    slip_text_free(&script);
    if (status < 0)
        return keep_sources(d, status);
    status = move_sources(d);
    for (int f = 0; f < d->figure_count; f++)
        for (int k = 0; k < 2 && status == SLIP_OK; k++)
            status = move(d, d->figures[f].name, endings[k], true);
    return status;
}

int slip_figures_draw(slip_context *ctx, const slip_figure *figures, int figure_count, const char *folder,
                      const char *base, void (*written)(void *user, const char *path), void *user)
{
    drawing d = {ctx, figures, figure_count, folder, base, NULL, written, user};
    slip_figure_data data = {0};
    int status;
    SLIP_TRY(slip_folder_make(ctx, folder));
    SLIP_TRY(make_work_folder(&d));
    SLIP_TRY(slip_figure_data_collect(ctx, &data, figures, figure_count));
    SLIP_TRY(write_data(&d, &data));
    SLIP_TRY(write_script(&d, &data));
    status = draw(&d);
done:
    remove_work_folder(&d);
    slip_figure_data_free(&data);
    return status;
}

int slip_figure_draw(slip_context *ctx, const slip_figure *figure, const char *folder,
                     void (*written)(void *user, const char *path), void *user)
{
    return slip_figures_draw(ctx, figure, 1, folder, figure->name, written, user);
}
