/* Two elastic blocks pressed together (examples/two-blocks.yaml): solution paths over the coefficient of
 * friction.
 *
 * The published problem has 1320 unknowns and 30 contact points. Its text says how the loads act but not how
 * large they are, so its figures cannot be repeated number by number: loads A and B are our choice, made so
 * that the paths show what the text describes (changes of modes one after the other under A, two folds under
 * B). */
#include "study/published/reproduce.h"

#include "base/context.h"
#include "io/file.h"
#include "slipstick/model.h"
#include "study/paths.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const load_b[] = {"top_x=-1", "top_y=-2.5", "top_slope=0.5", "right_x=10", NULL};
enum { panels_max = 6 };

typedef struct picture {
    const char *name, *title;
    slip_paths_view views[panels_max];
    int view_count, columns;
} picture;

static int follow(slip_context *ctx, const char *const *settings, double low, double high, double spacing,
                  slip_result **paths)
{
    slip_continue_options options = slip_continue_options_default();
    slip_model *model = NULL;
    int status;
    options.spacing = spacing;
    options.low = low;
    options.high = high;
    options.restarts = 0;
    SLIP_TRY(slip_model_parse(ctx, slip_example_text("two-blocks"), "two-blocks", settings, &model));
    SLIP_TRY(slip_continue(ctx, model, &options, paths));
done:
    slip_model_destroy(model);
    return status;
}

static int draw(slip_context *ctx, slip_result *paths, const picture *what, const char *folder,
                const slip_printer *out)
{
    slip_paths_panel made[panels_max] = {0};
    slip_panel panels[panels_max];
    int status = SLIP_OK;
    for (int k = 0; k < what->view_count; k++) {
        SLIP_TRY(slip_paths_panel_make(ctx, paths, &what->views[k], &made[k]));
        panels[k] = made[k].panel;
    }
    const slip_figure figure = {.name = what->name,
                                .title = what->title,
                                .panels = panels,
                                .panel_count = what->view_count,
                                .columns = what->columns};
    SLIP_TRY(slip_figure_draw(ctx, &figure, folder, slip_printer_picture, (void *)(uintptr_t)out));
done:
    for (int k = 0; k < what->view_count; k++)
        slip_paths_panel_free(&made[k]);
    return status;
}

static void say_labels(const slip_result *paths, const slip_printer *out)
{
    int changes = 0, folds = 0;
    for (int k = 0; k < slip_result_label_count(paths); k++) {
        const slip_label *label = slip_result_label(paths, k);
        const bool fold = strcmp(label->type, "LP") == 0;
        changes += strcmp(label->type, "EP") != 0;
        folds += fold;
        if (fold)
            slip_printer_say(out, "  fold at F = %.12f: %s, %s to %s", label->value, label->contact,
                             label->from, label->to);
    }
    slip_printer_say(out, "  %d changes of modes, %d of them folds", changes, folds);
}

static int save(slip_context *ctx, slip_result *paths, const char *folder, const char *name)
{
    char *own = slip_path_join(folder, name);
    const int status = own ? slip_result_save(ctx, paths, own) : slip_fail_memory(ctx);
    free(own);
    return status;
}

/* ---- Load A: points 19, 20 and 21. */

static int draw_load_a(slip_context *ctx, const char *folder, const slip_printer *out)
{
    static const picture what = {.name = "two-blocks-A",
                                 .title = "Two blocks, load A: contact points 19, 20, 21 over F",
                                 .views = {{"joint[19].slip", 0, 1.2, false, false},
                                           {"joint[20].slip", 0, 1.2, false, false},
                                           {"joint[21].slip", 0, 1.2, false, false},
                                           {"joint[19].tangential", 0, 1.2, false, false},
                                           {"joint[20].tangential", 0, 1.2, false, false},
                                           {"joint[21].tangential", 0, 1.2, false, false}},
                                 .view_count = 6,
                                 .columns = 3};
    slip_result *paths = NULL;
    int status;
    slip_printer_say(
        out, "Load A: traction (0, -6 - x/3) on top, (2, 2) on the right of the upper block; F from 0 to 12");
    SLIP_TRY(follow(ctx, NULL, 0, 12, 0.0005, &paths));
    say_labels(paths, out);
    SLIP_TRY(save(ctx, paths, folder, "two-blocks-A.run"));
    SLIP_TRY(draw(ctx, paths, &what, folder, out));
done:
    slip_result_destroy(paths);
    return status;
}

/* ---- Load B: three pieces between the folds, at points that change there. */

static int draw_load_b(slip_context *ctx, const char *folder, const slip_printer *out)
{
    static const picture what = {.name = "two-blocks-B",
                                 .title = "Two blocks, load B: three solutions between the folds",
                                 .views = {{"joint[4].slip", 3.4, 4.8, false, false},
                                           {"joint[5].normal", 3.4, 4.8, false, false},
                                           {"joint[6].normal", 3.4, 4.8, false, false},
                                           {"joint[7].gap", 3.4, 4.8, false, false}},
                                 .view_count = 4,
                                 .columns = 2};
    slip_result *paths = NULL;
    int status;
    slip_printer_say(
        out,
        "Load B: traction (-1, -2.5 + x/2) on top, (10, 2) on the right of the upper block; F from 0 to 12");
    SLIP_TRY(follow(ctx, load_b, 0, 12, 0.0005, &paths));
    say_labels(paths, out);
    SLIP_TRY(save(ctx, paths, folder, "two-blocks-B.run"));
    SLIP_TRY(draw(ctx, paths, &what, folder, out));
done:
    slip_result_destroy(paths);
    return status;
}

/* ---- Steps near changes of modes. */

static int draw_zoom(slip_context *ctx, const char *folder, const slip_printer *out)
{
    static const picture what = {.name = "two-blocks-zoom",
                                 .title = "Two blocks, load A: every point of the path near changes of modes",
                                 .views = {{"joint[27].tangential", 0.22, 0.36, true, true},
                                           {"joint[28].normal", 0.22, 0.36, true, true}},
                                 .view_count = 2,
                                 .columns = 2};
    slip_result *paths = NULL;
    int status;
    slip_printer_say(
        out, "Steps: the publication halves its step until a change of modes is met closely enough; ours is "
             "a root "
             "of a power series, so steps are only as long as the picture wants, and end at each change");
    SLIP_TRY(follow(ctx, NULL, 0, 12, 0.001, &paths));
    SLIP_TRY(draw(ctx, paths, &what, folder, out));
done:
    slip_result_destroy(paths);
    return status;
}

/* ---- The deformed blocks. */

static int draw_bodies(slip_context *ctx, const char *folder, const slip_printer *out)
{
    slip_model *model = NULL;
    slip_statics *statics = NULL;
    slip_result *result = NULL;
    int status;
    slip_printer_say(out, "The blocks under load A, F = 0.3");
    SLIP_TRY(slip_model_parse(ctx, slip_example_text("two-blocks"), "two-blocks", NULL, &model));
    SLIP_TRY(slip_statics_solve(ctx, model, NULL, &statics));
    SLIP_TRY(slip_statics_result(ctx, statics, &result));
    SLIP_TRY(slip_case_keep(ctx, result, folder, "two-blocks-bodies", NULL, out));
done:
    slip_result_destroy(result);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
    return status;
}

/* ---- All of it. */

static int run_two_blocks(slip_context *ctx, const char *figure, const char *folder, bool full,
                          slip_line_function line, void *user)
{
    (void)full;
    static int (*const parts[])(slip_context *, const char *,
                                const slip_printer *) = {draw_load_a, draw_load_b, draw_zoom, draw_bodies};
    static const char *const part_names[] = {"A", "B", "zoom", "bodies"};
    const slip_printer out = {.line = line, .user = user};
    int status = SLIP_OK;
    slip_printer_say(
        &out, "Two elastic blocks: 1320 unknowns, 30 contact points. The publication leaves its loads open; "
              "these are our choice");
    for (int k = 0; k < 4; k++)
        if (!figure || strcmp(figure, part_names[k]) == 0)
            SLIP_TRY(parts[k](ctx, folder, &out));
done:
    return status;
}

static const slip_reproduce_figure figure_list[] = {
    {"A", "load A: contact points 19, 20, 21 over F"},
    {"B", "load B: three solutions between two folds"},
    {"zoom", "load A: every point of the path near changes of modes"},
    {"bodies", "the deformed blocks with contact forces"},
    {NULL, NULL}};

const slip_paper slip_paper_two_blocks = {
    .info = {"two-blocks", "elastic blocks with 30 contact points: paths over friction", figure_list, NULL,
             "two-blocks study"},
    .run = run_two_blocks};
