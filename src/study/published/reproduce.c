#include "study/published/reproduce.h"

#include "base/context.h"
#include "base/text.h"

#include <string.h>

static const slip_paper *const papers[] = {
    &slip_paper_elliptic,     &slip_paper_jack_plane, &slip_paper_one_point, &slip_paper_two_blocks,
    &slip_paper_disk_on_belt, &slip_paper_gears,      &slip_paper_impact};
enum { paper_count = sizeof papers / sizeof papers[0] };

int slip_reproduce_count(void)
{
    return paper_count;
}

const slip_reproduce_info *slip_reproduce_list(int index)
{
    return index >= 0 && index < paper_count ? &papers[index]->info : NULL;
}

enum { names_max = 20 };

/* Says whose example it is, and runs it. */
static int run_paper(slip_context *ctx, const slip_paper *paper, const char *figure, const char *folder,
                     bool full, slip_line_function line, void *user)
{
    const slip_printer out = {.line = line, .user = user};
    slip_printer_say(&out, "%s: %s", paper->info.name, paper->info.publication);
    return paper->run(ctx, figure, folder, full, line, user);
}

/* `names` ends with NULL. */
static int unknown(slip_context *ctx, const char *what, const char *name, const char *const *names)
{
    const char *nearest = slip_text_nearest(name, names);
    slip_text list = {0};
    for (; *names; names++)
        slip_text_printf(&list, "%s`%s`", list.length > 0 ? ", " : "", *names);
    slip_fail(ctx, SLIP_ERROR_USAGE, "there is no published %s `%s`; %s%s%sexpected one of %s", what, name,
              nearest ? "did you mean `" : "", nearest ? nearest : "", nearest ? "`? " : "",
              list.data ? list.data : "");
    slip_text_free(&list);
    return SLIP_ERROR_USAGE;
}

static const slip_paper *find_paper(const char *name, size_t length)
{
    for (int k = 0; k < paper_count; k++)
        if (strlen(papers[k]->info.name) == length && strncmp(papers[k]->info.name, name, length) == 0)
            return papers[k];
    return NULL;
}

static int unknown_paper(slip_context *ctx, const char *name)
{
    const char *names[paper_count + 1] = {0};
    for (int k = 0; k < paper_count; k++)
        names[k] = papers[k]->info.name;
    return unknown(ctx, "example", name, names);
}

static int check_figure(slip_context *ctx, const slip_paper *paper, const char *figure)
{
    const char *names[names_max + 1] = {0};
    int count = 0;
    for (const slip_reproduce_figure *f = paper->info.figures; f->name && count < names_max; f++) {
        if (strcmp(f->name, figure) == 0)
            return SLIP_OK;
        names[count++] = f->name;
    }
    return unknown(ctx, "figure", figure, names);
}

int slip_reproduce(slip_context *ctx, const char *name, const char *folder, int full, slip_line_function line,
                   void *user)
{
    SLIP_NEED(ctx, folder);
    const char *slash = name ? strchr(name, '/') : NULL, *figure = slash ? slash + 1 : NULL;
    slip_context_clear(ctx);
    if (name) {
        const slip_paper *paper = find_paper(name, slash ? (size_t)(slash - name) : strlen(name));
        if (!paper)
            return unknown_paper(ctx, name);
        if (figure && check_figure(ctx, paper, figure) < 0)
            return SLIP_ERROR_USAGE;
        if (full && !paper->info.full)
            return slip_fail(ctx, SLIP_ERROR_USAGE, "`%s` has only one size, the published one",
                             paper->info.name);
        return run_paper(ctx, paper, figure, folder, full, line, user);
    }
    for (int k = 0; k < paper_count; k++) {
        int status = run_paper(ctx, papers[k], NULL, folder, full && papers[k]->info.full, line, user);
        if (status < 0)
            return status;
    }
    return SLIP_OK;
}
