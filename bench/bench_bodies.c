/* Cost of two elastic blocks against the number of contact points: meshes and checks, assembly,
 * factorisation, condensation; with the growth rate between one size and the next.
 *
 *     bench_bodies blocks       3 x 1 of square elements: the unknowns grow with the square of the points
 *
 *     bench_bodies strip        ten elements over the height, whatever the number of points
 *
 *     bench_bodies strip 300    one size only */
#include "fem/block.h"
#include "fem/plane/types.h"
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_block(slip_context *ctx, slip_plane *plane, const char *name, double low, int columns,
                      int rows, double young)
{
    const slip_support left = {"left", {true, true}};
    double range[4] = {0, 3, low, low + 1};
    slip_body body = {.name = name,
                      .young = young,
                      .poisson = 0.277,
                      .thickness = 1,
                      .supports = &left,
                      .support_count = 1};
    bench_check(ctx, slip_block_create(ctx, slip_block_cell(2, NULL, NULL), columns, rows,
                                       slip_block_rectangle, range, &body.mesh));
    bench_check(ctx, slip_plane_add_body(ctx, plane, &body));
}

enum { parts = 3 };

/* Seconds of meshes and checks, of assembly and factor, of condensation. */
static void measure(slip_context *ctx, int points, int rows, double spent[parts], int64_t *unknowns)
{
    const slip_plane_surface joint = {.name = "joint",
                                      .first_body = "upper",
                                      .first_edge = "bottom",
                                      .second_body = "lower",
                                      .second_edge = "top"};
    const double start = bench_seconds();
    double prepared, factored;
    slip_plane *plane = NULL;
    bench_check(ctx, slip_plane_create(ctx, 0, NULL, &plane));
    add_block(ctx, plane, "upper", 1, points, rows, 21190);
    add_block(ctx, plane, "lower", 0, points, rows, 211900);
    bench_check(ctx, slip_plane_add_surface(ctx, plane, &joint));
    *unknowns = slip_plane_unknown_count(plane);
    prepared = bench_seconds();
    bench_check(ctx, slip_plane_assemble(ctx, plane));
    factored = bench_seconds();
    bench_check(ctx, slip_plane_condense(ctx, plane));
    spent[0] = fmin(spent[0], prepared - start);
    spent[1] = fmin(spent[1], factored - prepared);
    spent[2] = fmin(spent[2], bench_seconds() - factored);
    slip_plane_destroy(plane);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {30, 100, 300, 1000};
    const bool strip = argc > 1 && strcmp(argv[1], "strip") == 0;
    const int only = argc > 2 ? atoi(argv[2]) : 0;
    slip_context *ctx = slip_context_create();
    double before = 0, points_before = 0;
    printf("%8s %9s %9s %9s %9s %9s  %s\n", "points", "unknowns", "check", "factor", "condense", "sum",
           "growth");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int points = only > 0 ? only : sizes[i], rows = strip ? 10 : points / 3;
        double spent[parts] = {INFINITY, INFINITY, INFINITY}, sum;
        int64_t unknowns;
        for (int turn = 0; turn < (points < 1000 ? 3 : 1); turn++)
            measure(ctx, points, rows, spent, &unknowns);
        sum = spent[0] + spent[1] + spent[2];
        printf("%8d %9lld %9.4f %9.4f %9.4f %9.4f", points, (long long)unknowns, spent[0], spent[1], spent[2],
               sum);
        if (before > 0)
            printf("  %.2f", log(sum / before) / log(points / points_before));
        printf("\n");
        fflush(stdout);
        before = sum;
        points_before = points;
        if (only > 0)
            break;
    }
    slip_context_destroy(ctx);
    return 0;
}
