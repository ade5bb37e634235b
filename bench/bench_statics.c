/* Static contact of the published two blocks: the path over the coefficient of friction from 0 to 12 (load A,
 * 36 changes of modes), and how its cost grows with the number of contact points. bench_statics [TURNS] best
 * of TURNS (default 5), seconds, and what was done bench_statics values           the 36 values of F, one a
 * line: for bench/peer_getfem.py bench_statics growth N...      one path for each number of contact points */
#include "measure.h"
#include "slipstick/slipstick.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct turn {
    double read, follow; /* seconds: model file to model; statics at F = 0 and path, assembly included */
    int changes;
} turn;

/* From the text of the model to the paths. */
static turn run(slip_context *ctx, const char *const *settings, slip_result **paths)
{
    slip_continue_options options = slip_continue_options_default();
    slip_model *model = NULL;
    turn t = {.read = bench_seconds()};
    options.restarts = 0;
    options.spacing = 0.05;
    if (slip_model_parse(ctx, slip_example_text("two-blocks"), "two-blocks", settings, &model) < 0)
        bench_fail(ctx);
    t.follow = bench_seconds();
    t.read = t.follow - t.read;
    if (slip_continue(ctx, model, &options, paths) < 0)
        bench_fail(ctx);
    t.follow = bench_seconds() - t.follow;
    for (int k = 0; k < slip_result_label_count(*paths); k++)
        t.changes += strcmp(slip_result_label(*paths, k)->type, "EP") != 0;
    slip_model_destroy(model);
    return t;
}

static void print_values(slip_context *ctx)
{
    slip_result *paths = NULL;
    run(ctx, NULL, &paths);
    for (int k = 0; k < slip_result_label_count(paths); k++)
        if (strcmp(slip_result_label(paths, k)->type, "EP") != 0)
            printf("%.17g\n", slip_result_label(paths, k)->value);
    slip_result_destroy(paths);
}

static void print_growth(slip_context *ctx, int count, char **numbers)
{
    double before = 0, points_before = 0;
    printf("%8s %8s %10s %14s %8s\n", "points", "changes", "seconds", "ms a change", "rate");
    for (int i = 0; i < count; i++) {
        char upper[100], lower[100];
        const char *const settings[] = {upper, lower, NULL};
        const int points = atoi(numbers[i]);
        slip_result *paths = NULL;
        snprintf(upper, sizeof upper, "bodies.upper.mesh.block.elements=[%d, 10]", points);
        snprintf(lower, sizeof lower, "bodies.lower.mesh.block.elements=[%d, 10]", points);
        const turn t = run(ctx, settings, &paths);
        const double each = t.follow / t.changes;
        printf("%8d %8d %10.3f %14.4f", points, t.changes, t.follow, 1e3 * each);
        if (i > 0)
            printf(" %8.2f", log(each / before) / log(points / points_before));
        printf("\n");
        fflush(stdout);
        before = each;
        points_before = points;
        slip_result_destroy(paths);
    }
}

int main(int count, char **arguments)
{
    slip_context *ctx = slip_context_create();
    if (count > 1 && strcmp(arguments[1], "values") == 0) {
        print_values(ctx);
    } else if (count > 2 && strcmp(arguments[1], "growth") == 0) {
        print_growth(ctx, count - 2, arguments + 2);
    } else {
        const int turns = count > 1 ? atoi(arguments[1]) : 5;
        turn best = {INFINITY, INFINITY, 0};
        for (int k = 0; k < turns; k++) {
            slip_result *paths = NULL;
            const turn t = run(ctx, NULL, &paths);
            if (t.read + t.follow < best.read + best.follow)
                best = t;
            slip_result_destroy(paths);
        }
        printf("slipstick: %d changes of modes, %.6f s (reading the model %.6f s)\n", best.changes,
               best.read + best.follow, best.read);
    }
    slip_context_destroy(ctx);
    return 0;
}
