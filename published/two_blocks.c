/* Two elastic blocks pressed together (examples/two-blocks.yaml): solution paths over the coefficient of
 * friction.
 *
 * The published problem has 1320 unknowns and 30 contact points. Its text says how the loads act but not how
 * large they are, so its figures cannot be repeated number by number: loads A and B are our choice, made so
 * that the paths show what the text describes (changes of modes one after the other under A, two folds under
 * B). */
#include "published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const load_b[] = {"top_x=-1", "top_y=-2.5", "top_slope=0.5", "right_x=10", NULL};
typedef struct picture {
    const char *name, *title; /* title: a setting of the model */
    const char *quantities;
    double from, to, spacing; /* of F: the span that is drawn, and the largest distance of points */
} picture;

static int follow(slip_context *ctx, const char *const *settings, const picture *what, slip_result **paths)
{
    enum { settings_max = 6 };
    const char *list[settings_max + 1] = {what->title};
    slip_continue_options options = slip_continue_options_default();
    slip_model *model = NULL;
    int status;
    for (int k = 0; settings && settings[k] && k + 1 < settings_max; k++)
        list[k + 1] = settings[k];
    options.spacing = what->spacing;
    options.low = 0;
    options.high = 12;
    options.restarts = 0;
    TRY(slip_model_parse(ctx, slip_example_text("two-blocks"), "two-blocks", list, &model));
    TRY(slip_continue(ctx, model, &options, paths));
done:
    slip_model_destroy(model);
    return status;
}

/* Pictures go from the run folder to their names beside it. */
typedef struct move {
    const picture *what;
    const char *folder;
    const paper_printer *out;
} move;

static void move_picture(void *user, const char *path)
{
    const move *m = user;
    char to[4096];
    snprintf(to, sizeof to, "%s/%s%s", m->folder, m->what->name, strrchr(path, '.'));
    if (rename(path, to) == 0)
        paper_picture((void *)(uintptr_t)m->out, to);
}

static int draw(slip_context *ctx, slip_result *paths, const picture *what, const char *folder,
                const paper_printer *out)
{
    slip_plot_options how = slip_plot_options_default();
    move to = {what, folder, out};
    char name[100];
    snprintf(name, sizeof name, "%s.run", what->name);
    how.quantity = what->quantities;
    how.from = what->from;
    how.to = what->to;
    how.written = move_picture;
    how.user = &to;
    return paper_case_keep(ctx, paths, folder, name, &how, out);
}

static void say_labels(const slip_result *paths, const paper_printer *out)
{
    int changes = 0, folds = 0;
    for (int k = 0; k < slip_result_label_count(paths); k++) {
        const slip_label *label = slip_result_label(paths, k);
        const bool fold = strcmp(label->type, "LP") == 0;
        changes += strcmp(label->type, "EP") != 0;
        folds += fold;
        if (fold)
            paper_say(out, "  fold at F = %.12f: %s, %s to %s", label->value, label->contact, label->from,
                      label->to);
    }
    paper_say(out, "  %d changes of modes, %d of them folds", changes, folds);
}

/* Follows the paths of a load and draws them; with `labels` it says what they meet. */
static int draw_paths(slip_context *ctx, const char *const *load, const picture *what, bool labels,
                      const char *folder, const paper_printer *out)
{
    slip_result *paths = NULL;
    int status;
    TRY(follow(ctx, load, what, &paths));
    if (labels)
        say_labels(paths, out);
    TRY(draw(ctx, paths, what, folder, out));
done:
    slip_result_destroy(paths);
    return status;
}

/* ---- Load A: points 19, 20 and 21. */

static int draw_load_a(slip_context *ctx, const char *folder, const paper_printer *out)
{
    static const picture what = {"two-blocks-A",
                                 "title='Two blocks, load A: contact points 19, 20, 21 over F'",
                                 "joint[19].slip,joint[20].slip,joint[21].slip,joint[19].tangential,"
                                 "joint[20].tangential,joint[21].tangential",
                                 0,
                                 1.2,
                                 0.0005};
    paper_say(
        out, "Load A: traction (0, -6 - x/3) on top, (2, 2) on the right of the upper block; F from 0 to 12");
    return draw_paths(ctx, NULL, &what, true, folder, out);
}

/* ---- Load B: three pieces between the folds, at points that change there. */

static int draw_load_b(slip_context *ctx, const char *folder, const paper_printer *out)
{
    static const picture what = {"two-blocks-B",
                                 "title='Two blocks, load B: three solutions between the folds'",
                                 "joint[4].slip,joint[5].normal,joint[6].normal,joint[7].gap",
                                 3.4,
                                 4.8,
                                 0.0005};
    paper_say(
        out,
        "Load B: traction (-1, -2.5 + x/2) on top, (10, 2) on the right of the upper block; F from 0 to 12");
    return draw_paths(ctx, load_b, &what, true, folder, out);
}

/* ---- Steps near changes of modes. */

static int draw_zoom(slip_context *ctx, const char *folder, const paper_printer *out)
{
    static const picture what = {"two-blocks-zoom",
                                 "title='Two blocks, load A: every point of the path near changes of modes'",
                                 "joint[27].tangential,joint[28].normal",
                                 0.22,
                                 0.36,
                                 0.001};
    paper_say(out,
              "Steps: the publication halves its step until a change of modes is met closely enough; ours is "
              "a root "
              "of a power series, so steps are only as long as the picture wants, and end at each change");
    return draw_paths(ctx, NULL, &what, false, folder, out);
}

/* ---- The deformed blocks. */

static int draw_bodies(slip_context *ctx, const char *folder, const paper_printer *out)
{
    slip_model *model = NULL;
    slip_statics *statics = NULL;
    slip_result *result = NULL;
    int status;
    paper_say(out, "The blocks under load A, F = 0.3");
    TRY(slip_model_parse(ctx, slip_example_text("two-blocks"), "two-blocks", NULL, &model));
    TRY(slip_statics_solve(ctx, model, NULL, &statics));
    TRY(slip_statics_result(ctx, statics, &result));
    TRY(paper_case_keep(ctx, result, folder, "two-blocks-bodies", NULL, out));
done:
    slip_result_destroy(result);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
    return status;
}

/* ---- All of it. */

static int run_two_blocks(slip_context *ctx, const char *figure, const char *folder, bool full,
                          const paper_printer *out)
{
    (void)full;
    static int (*const parts[])(slip_context *, const char *,
                                const paper_printer *) = {draw_load_a, draw_load_b, draw_zoom, draw_bodies};
    static const char *const part_names[] = {"A", "B", "zoom", "bodies"};
    int status = SLIP_OK;
    paper_say(out,
              "Two elastic blocks: 1320 unknowns, 30 contact points. The publication leaves its loads open; "
              "these are our choice");
    for (int k = 0; k < 4; k++)
        if (!figure || strcmp(figure, part_names[k]) == 0)
            TRY(parts[k](ctx, folder, out));
done:
    return status;
}

static const paper_figure figure_list[] = {{"A", "load A: contact points 19, 20, 21 over F"},
                                           {"B", "load B: three solutions between two folds"},
                                           {"zoom", "load A: every point of the path near changes of modes"},
                                           {"bodies", "the deformed blocks with contact forces"},
                                           {NULL, NULL}};

const paper paper_two_blocks = {
    "two-blocks",       "elastic blocks with 30 contact points: paths over friction",
    figure_list,        NULL,
    "two-blocks study", .run = run_two_blocks};
