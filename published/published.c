#include "published.h"

#include <stdio.h>
#include <string.h>

extern const paper paper_elliptic, paper_jack_plane, paper_one_point, paper_two_blocks, paper_disk_on_belt,
    paper_gears, paper_impact, paper_classical;
const paper *const papers[paper_count] = {&paper_elliptic,   &paper_jack_plane,   &paper_one_point,
                                          &paper_two_blocks, &paper_disk_on_belt, &paper_gears,
                                          &paper_impact,     &paper_classical};

enum { names_max = 20, list_size = 400 };

/* `names` ends with NULL. */
static int unknown(const char *what, const char *name, const char *const *names)
{
    char list[list_size] = "";
    const char *nearest = NULL;
    int distance = 3;
    for (; *names; names++) {
        const int away = slip_name_distance(name, strlen(name), *names);
        if (away < distance) {
            nearest = *names;
            distance = away;
        }
        snprintf(list + strlen(list), list_size - strlen(list), "%s`%s`", *list ? ", " : "", *names);
    }
    return paper_fail(SLIP_ERROR_USAGE, "there is no published %s `%s`; %s%s%sexpected one of %s", what, name,
                      nearest ? "did you mean `" : "", nearest ? nearest : "", nearest ? "`? " : "", list);
}

static const paper *find_paper(const char *name, size_t length)
{
    for (int k = 0; k < paper_count; k++)
        if (strlen(papers[k]->name) == length && strncmp(papers[k]->name, name, length) == 0)
            return papers[k];
    return NULL;
}

static int unknown_paper(const char *name)
{
    const char *names[paper_count + 1] = {0};
    for (int k = 0; k < paper_count; k++)
        names[k] = papers[k]->name;
    return unknown("example", name, names);
}

static int check_figure(const paper *which, const char *figure)
{
    const char *names[names_max + 1] = {0};
    int count = 0;
    for (const paper_figure *f = which->figures; f->name && count < names_max; f++) {
        if (strcmp(f->name, figure) == 0)
            return SLIP_OK;
        names[count++] = f->name;
    }
    return unknown("figure", figure, names);
}

/* Says whose example it is, and runs it. */
static int run_paper(slip_context *ctx, const paper *which, const char *figure, const char *folder, bool full,
                     const paper_printer *out)
{
    paper_say(out, "%s: %s", which->name, which->publication);
    return which->run(ctx, figure, folder, full, out);
}

int paper_reproduce(slip_context *ctx, const char *name, const char *folder, bool full,
                    const paper_printer *out)
{
    const char *slash = name ? strchr(name, '/') : NULL, *figure = slash ? slash + 1 : NULL;
    int status = SLIP_OK;
    for (int k = 0; k < paper_count && !name && status >= 0; k++)
        status = run_paper(ctx, papers[k], NULL, folder, full && papers[k]->full, out);
    if (!name)
        return status;
    const paper *which = find_paper(name, slash ? (size_t)(slash - name) : strlen(name));
    if (!which)
        return unknown_paper(name);
    if (figure && check_figure(which, figure) < 0)
        return SLIP_ERROR_USAGE;
    if (full && !which->full)
        return paper_fail(SLIP_ERROR_USAGE, "`%s` has only one size, the published one", which->name);
    return run_paper(ctx, which, figure, folder, full, out);
}
