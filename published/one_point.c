/* One element on a rough plane at rest: how many solutions a load has, and the paths between them
 * (examples/one-point.yaml has the equations).
 *
 * V. Janovsky, T. Ligursky: Computing non unique solutions of the Coulomb friction problem. Mathematics and
 * Computers in Simulation 82, 2012, 2047-2061. What is known of it in closed form stands beside our numbers:
 * for F > B/c there are three solutions where -F fn < ft < -(B/c) fn, two on the edges of that cone, else
 * one. */
#include "published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double B = 1.2, c = 1, F = 2; /* as in the example */
static const double pi = 3.14159265358979323846;

static int load(slip_context *ctx, slip_model **model)
{
    return slip_model_parse(ctx, slip_example_text("one-point"), "one-point", NULL, model);
}

/* ---- The map of counts. */

static int expected_count(double fn, double ft, double rounding)
{
    const double low = -F * fn, high = -B / c * fn;
    if (fn <= rounding || ft < low - rounding || ft > high + rounding)
        return 1;
    return fabs(ft - low) <= rounding || fabs(ft - high) <= rounding ? 2 : 3;
}

/* Compares the map with the rule. */
static void compare_counts(const slip_result *map, const paper_printer *out)
{
    int64_t all;
    const double *fn = slip_result_series(map, "fn", &all), *ft = slip_result_series(map, "ft", NULL);
    const double *count = slip_result_series(map, "solutions", NULL);
    int found[4] = {0}, wrong = 0;
    for (int64_t i = 0; i < all; i++) {
        wrong += count[i] != expected_count(fn[i], ft[i], 1e-9);
        found[count[i] >= 0 && count[i] <= 3 ? (int)count[i] : 0]++;
    }
    paper_say(out, "  %d loads: one solution at %d, two at %d, three at %d; other than the rule at %d",
              found[0] + found[1] + found[2] + found[3], found[1], found[2], found[3], wrong);
}

static int draw_map(slip_context *ctx, const char *folder, const paper_printer *out)
{
    slip_statics_map_options options = slip_statics_map_options_default();
    slip_model *model = NULL;
    slip_result *map = NULL;
    int status;
    options.x = "fn";
    options.y = "ft";
    options.x_range[0] = -1;
    options.x_range[1] = 1;
    options.y_range[0] = -3;
    options.y_range[1] = 3;
    TRY(load(ctx, &model));
    TRY(slip_statics_map(ctx, model, &options, &map));
    TRY(paper_case_keep(ctx, map, folder, "one-point-map", NULL, out));
    compare_counts(map, out);
done:
    slip_result_destroy(map);
    slip_model_destroy(model);
    return status;
}

/* ---- Paths. */

typedef struct known_label {
    const char *type, *what;
    double value;
} known_label;

static void say_labels(slip_result *paths, const known_label *known, int count, const paper_printer *out)
{
    paper_say(out, "  %-6s %-22s %22s %22s %10s", "", "", slip_result_text(paths, "parameter"), "closed form",
              "difference");
    for (int k = 0; k < count; k++) {
        const slip_label *nearest = NULL;
        for (int i = 0; i < slip_result_label_count(paths); i++) {
            const slip_label *label = slip_result_label(paths, i);
            if (strcmp(label->type, known[k].type) == 0 &&
                (!nearest || fabs(label->value - known[k].value) < fabs(nearest->value - known[k].value)))
                nearest = label;
        }
        if (nearest)
            paper_say(out, "  %-6s %-22s %22.16g %22.16g %10.1e", known[k].type, known[k].what,
                      nearest->value, known[k].value, fabs(nearest->value - known[k].value));
        else
            paper_say(out, "  %-6s %-22s %22s %22.16g", known[k].type, known[k].what, "not found",
                      known[k].value);
    }
}

static int draw_path(slip_context *ctx, const char *parameter, double low, double high, const char *name,
                     const known_label *known, int known_count, const char *folder, const paper_printer *out)
{
    slip_continue_options options = slip_continue_options_default();
    slip_model *model = NULL;
    slip_result *paths = NULL;
    int status;
    options.parameter = parameter;
    options.low = low;
    options.high = high;
    TRY(load(ctx, &model));
    TRY(slip_continue(ctx, model, &options, &paths));
    say_labels(paths, known, known_count, out);
    slip_plot_options how = slip_plot_options_default();
    how.quantity = "ut";
    TRY(paper_case_keep(ctx, paths, folder, name, &how, out));
done:
    slip_result_destroy(paths);
    slip_model_destroy(model);
    return status;
}

static int draw_line(slip_context *ctx, const char *folder, const paper_printer *out)
{
    const known_label known[] = {
        {"LP", "open, slip-", -B / c}, {"LP", "slip-, stick", -F}, {"MC", "stick, slip+", F}};
    paper_say(out, "Path over ft, fn = 1");
    return draw_path(ctx, "ft", -4, 4, "one-point-line", known, 3, folder, out);
}

/* ft = -1.6 + 0.8 sin(alpha) meets -F where sin = -1/2 and -B/c where sin = 1/2. */
static int draw_wave(slip_context *ctx, const char *folder, const paper_printer *out)
{
    const known_label known[] = {{"LP", "open, slip-", pi / 6},
                                 {"LP", "stick, slip-", 7 * pi / 6},
                                 {"LP", "slip-, open", 5 * pi / 6},
                                 {"LP", "open, slip-", 13 * pi / 6},
                                 {"LP", "slip-, stick", 11 * pi / 6}};
    paper_say(out, "Path over alpha, fn = 1, ft = -1.6 + 0.8 sin(alpha)");
    return draw_path(ctx, "alpha", 0, 4 * pi, "one-point-wave", known, 5, folder, out);
}

/* ---- All of it. */

static int run_one_point(slip_context *ctx, const char *figure, const char *folder, bool full,
                         const paper_printer *out)
{
    (void)full;
    static int (*const parts[])(slip_context *, const char *, const paper_printer *) = {draw_map, draw_line,
                                                                                        draw_wave};
    static const char *const part_names[] = {"map", "line", "wave"};
    int status = SLIP_OK;
    paper_say(out, "One element on a rough plane at rest: B = %g, c = %g, F = %g", B, c, F);
    for (int k = 0; k < 3; k++)
        if (!figure || strcmp(figure, part_names[k]) == 0)
            TRY(parts[k](ctx, folder, out));
done:
    return status;
}

static const paper_figure figure_list[] = {{"map", "number of solutions over both loads"},
                                           {"line", "path over the tangential load, with its folds"},
                                           {"wave", "path over the angle of a load that goes to and fro"},
                                           {NULL, NULL}};

const paper paper_one_point = {
    "one-point-statics",
    "element on a rough plane at rest: counts of solutions, paths with folds",
    figure_list,
    NULL,
    "V. Janovsky, T. Ligursky: Computing non unique solutions of the Coulomb friction problem, 2012",
    .run = run_one_point};
