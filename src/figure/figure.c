/* Figures of panels and curves: their script and their data, drawn. */
#include "figure/figure.h"

#include "base/text.h"
#include "figure/data.h"
#include "figure/drawing.h"
#include "figure/script.h"
#include "io/file.h"

#include <stdlib.h>

typedef struct figures {
    const slip_figure *items;
    int count;
} figures;

static int write_data(slip_context *ctx, const slip_figure_data *data, const char *folder, const char *base)
{
    slip_text name = {0};
    char *path;
    int status;
    slip_text_printf(&name, "%s.dat", base);
    path = name.failed ? NULL : slip_path_join(folder, name.data);
    status = path ? slip_figure_data_write(ctx, data, path) : slip_fail_memory(ctx);
    slip_text_free(&name);
    free(path);
    return status;
}

static int write_files(slip_context *ctx, const void *source, const char *folder, const char *base)
{
    const figures *f = source;
    slip_figure_data data = {0};
    slip_text script = {0};
    int status;
    SLIP_TRY(slip_figure_data_collect(ctx, &data, f->items, f->count));
    SLIP_TRY(write_data(ctx, &data, folder, base));
    slip_figure_script_write(&script, f->items, f->count, base, &data);
    SLIP_TRY(slip_drawing_write(ctx, folder, base, ".gp", &script));
done:
    slip_figure_data_free(&data);
    slip_text_free(&script);
    return status;
}

/* Stands for a collector, and is called for no picture: there are none. */
void slip_figures_collect(void *collector, const char *path)
{
    (void)collector;
    (void)path;
}

int slip_figures_draw(slip_context *ctx, const slip_figure *items, int count, const char *folder,
                      const char *base, void (*written)(void *user, const char *path), void *user)
{
    const slip_figure_collector *collector = written == slip_figures_collect ? user : NULL;
    if (collector)
        return collector->take(collector->user, ctx, items, count);
    const figures source = {items, count};
    const char **names = slip_alloc(count, sizeof *names);
    slip_drawing what = {.folder = folder,
                         .base = base,
                         .pictures = names,
                         .picture_count = count,
                         .write = write_files,
                         .source = &source,
                         .written = written,
                         .user = user};
    int status = names ? SLIP_OK : slip_fail_memory(ctx);
    for (int i = 0; i < count && names; i++)
        names[i] = items[i].name;
    if (status >= 0)
        status = slip_drawing_make(ctx, &what);
    free(names);
    return status;
}

int slip_figure_draw(slip_context *ctx, const slip_figure *figure, const char *folder,
                     void (*written)(void *user, const char *path), void *user)
{
    return slip_figures_draw(ctx, figure, 1, folder, figure->name, written, user);
}
