/* Milliseconds a step of the explicit nonlinear model, and how near that is to what the machine can do.
 *   bench_explicit [SIDE [STEPS [THREADS]]]    a cube of SIDE^3 bricks; default 40, 20, all
 *   bench_explicit pair [STEPS [THREADS]]      two gears of the published size in contact, by penalty and
 * without bench_explicit cuda [SIDE ...]             cubes on a graphics card; default 64 and 160
 *   bench_explicit cuda pair [STEPS]           the two gears there, beside the processor's run
 * Flops are counted in the kernel's source (additions, multiplications, divisions alike). Bytes are
 * those that must come from or go to memory once a step, for a model that is larger than the caches:
 * reference numbers and nodes of each element, copies of the nodes' forces, positions, velocities, masses and
 * forces of the nodes. What the machine can do is measured in the same minute: a triad a = b + s c of arrays
 * that do not fit the caches, and the kernel alone on one batch that stays in the first cache. */
#include "card/card.h"
#include "fem/block.h"
#include "fem/explicit/explicit.h"
#include "fem/explicit/kernel.h"
#include "gear/gear_impact.h"
#include "measure.h"
#include "published_gears.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cube of n^3 bricks; the nodes at the lower end of x are the set "bore". */
static slip_mesh *make_cube(slip_context *ctx, int n)
{
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    slip_mesh *mesh = NULL;
    int m = n + 1, *nodes, *bore;
    check(ctx, slip_mesh_create(ctx, 3, m * m * m, &mesh));
    for (int i = 0; i < m * m * m; i++) {
        mesh->points[3 * i] = 1e-3 * (i / (m * m));
        mesh->points[3 * i + 1] = 1e-3 * (i / m % m);
        mesh->points[3 * i + 2] = 1e-3 * (i % m);
    }
    check(ctx, slip_mesh_add_group(ctx, mesh, slip_block_cell(3, "hex8", NULL), n * n * n, &nodes));
    for (int e = 0; e < n * n * n; e++)
        for (int k = 0; k < 8; k++)
            *nodes++ =
                ((e / (n * n) + corner[k][0]) * m + e / n % n + corner[k][1]) * m + e % n + corner[k][2];
    check(ctx, slip_mesh_add_set(ctx, mesh, "bore", SLIP_SET_NODES, m * m, &bore));
    for (int i = 0; i < m * m; i++)
        bore[i] = i;
    return mesh;
}

/* Bytes a second of a triad, all threads. */
static double measure_bandwidth(int threads)
{
    const long count = 8 * 1000 * 1000;
    double *a = malloc(sizeof(double) * (size_t)count), *b = malloc(sizeof(double) * (size_t)count);
    double *c = malloc(sizeof(double) * (size_t)count), best = INFINITY;
    if (!a || !b || !c)
        exit(1);
    for (int turn = 0; turn < 6; turn++) {
        double start = bench_seconds();
#pragma omp parallel for num_threads(threads) schedule(static)
        for (long i = 0; i < count; i++) {
            if (turn == 0)
                b[i] = c[i] = 1;
            a[i] = b[i] + 3 * c[i];
        }
        if (turn > 0)
            best = fmin(best, bench_seconds() - start);
    }
    free(a);
    free(b);
    free(c);
    return 24.0 * (double)count / best;
}

static int flops_of(double hourglass)
{
    return hourglass > 0 ? slip_brick_flops_one : slip_brick_flops;
}

/* Flops a second of the kernel's own arithmetic without memory: the kernel itself on one batch, again and
 * again, which stays in the first cache. */
static double measure_kernel(slip_brick_kernel kernel, double hourglass, int threads)
{
    enum { turns = 20000 };
    double best = INFINITY;
    for (int round = 0; round < 3; round++) {
        double start = bench_seconds();
#pragma omp parallel num_threads(threads)
        {
            double reference[slip_brick_reference * slip_lanes], position[24 * slip_lanes],
                force[24 * slip_lanes];
            double points[24], tangents[slip_brick_reference];
            for (int i = 0; i < 24; i++)
                points[i] = (i / 3 >> i % 3) & 1;
            (hourglass > 0 ? slip_brick_means : slip_brick_tangents)(points, tangents);
            for (int l = 0; l < slip_lanes; l++) {
                for (int i = 0; i < slip_brick_reference; i++)
                    reference[i * slip_lanes + l] = tangents[i];
                for (int i = 0; i < 24; i++)
                    position[i * slip_lanes + l] = 1.001 * points[i];
            }
            slip_brick_batch batch = {reference, 1, 1, hourglass, position, force, NULL};
            for (int i = 0; i < turns; i++)
                kernel(&batch);
        }
        best = fmin(best, bench_seconds() - start);
    }
    return (double)turns * threads * slip_lanes * flops_of(hourglass) / best;
}

static void measure(slip_context *ctx, const slip_mesh *mesh, double hourglass, int steps, int threads)
{
    slip_explicit_body body = {.name = "cube",
                               .mesh = mesh,
                               .rigid = slip_mesh_find(mesh, "bore", SLIP_SET_NODES),
                               .young = 210e9,
                               .poisson = 0.3,
                               .density = 7850,
                               .hourglass = hourglass,
                               .speed = 100};
    slip_explicit_options options = slip_explicit_options_default();
    slip_explicit *model = NULL;
    options.threads = threads;
    double start = bench_seconds(), best = INFINITY;
    check(ctx, slip_explicit_create(ctx, 1, &body, &options, &model));
    double making = bench_seconds() - start;
    for (int k = 0; k <= steps; k++) {
        start = bench_seconds();
        check(ctx, slip_explicit_advance(ctx, model, 1));
        if (k > 0)
            best = fmin(best, bench_seconds() - start);
    }
    double elements = mesh->element_count, nodes = mesh->node_count,
           copies = (double)slip_explicit_state_of(model).copies;
    double flops = elements * flops_of(hourglass);
    double bytes =
        elements * (8 * slip_brick_reference + 4 * 8)  /* reference, numbers of nodes */
        + copies * (4 + 24 + 24 + 8)                   /* numbers, forces written and read, their places */
        + nodes * (24 * 2 + 24 * 2 + 8 + 24 * 2 + 24); /* x and v read and written, m, f, x once more */
    printf("%s\n", hourglass > 0 ? "one point with hourglass control" : "fully integrated");
    printf("  step %.3g s of at most %.3g s; making the model (with its limit) %.2f s\n",
           slip_explicit_state_of(model).step, slip_explicit_state_of(model).limit, making);
    printf("  best of %d steps: %.3f ms, %.1f ns an element; 260,000 elements: %.1f ms\n", steps, 1e3 * best,
           1e9 * best / elements, 1e3 * best / elements * 260000);
    double peak = measure_kernel(slip_brick_kernel_choose(), hourglass, threads),
           width = measure_bandwidth(threads);
    printf("  %d flops an element: %.2f Gflop/s; the kernel alone %.2f Gflop/s, share %.0f %%\n",
           flops_of(hourglass), 1e-9 * flops / best, 1e-9 * peak, 100 * flops / best / peak);
    printf("  %.0f bytes an element: %.2f GB/s; a triad %.2f GB/s, share %.0f %%\n", bytes / elements,
           1e-9 * bytes / best, 1e-9 * width, 100 * bytes / best / width);
    slip_brick_kernel kernels[4];
    slip_brick_kernel_list(kernels);
    printf("  the kernel alone, one thread, widest vectors first:");
    for (int k = 0; kernels[k]; k++)
        printf(" %.2f", 1e-9 * measure_kernel(kernels[k], hourglass, 1));
    printf(" Gflop/s\n");
    slip_explicit_destroy(model);
}

/* Steps in contact, which begins within the first ones. */
static void measure_pair(slip_context *ctx, bool kinematic, int steps, int threads)
{
    slip_gear_options gears[2];
    slip_gear_run_options options = slip_gear_run_options_default();
    const slip_gear_meshing mesh = {.gear = {0, 1}, .options = &options};
    slip_gear_impact *g = NULL;
    double best = INFINITY;
    for (int k = 0; k < 2; k++)
        gears[k] = published_gear(k);
    options.side[0].speed = 5;
    options.penalty = kinematic ? INFINITY : 1e10;
    options.threads = threads;
    const slip_gear_group group = slip_gear_group_pair(gears, NULL, &mesh);
    check(ctx, slip_gear_impact_create(ctx, &group, &options, NULL, NULL, NULL, &g));
    check(ctx, slip_explicit_advance(ctx, g->model, 20));
    for (int k = 0; k < steps; k++) {
        double start = bench_seconds();
        check(ctx, slip_explicit_advance(ctx, g->model, 1));
        best = fmin(best, bench_seconds() - start);
    }
    int elements = g->mesh[0]->mesh->element_count + g->mesh[1]->mesh->element_count;
    printf("%s: %d elements, %d threads, %d nodes touch\n", kinematic ? "kinematic" : "penalty", elements,
           threads, g->totals.touching);
    printf("  step %.3g s; best of %d: %.1f ms, %.1f ns an element\n", slip_explicit_state_of(g->model).step,
           steps, 1e3 * best, 1e9 * best / elements);
    slip_gear_impact_destroy(g);
}

/* ---- On a graphics card. */

static slip_explicit *make_model(slip_context *ctx, const slip_mesh *mesh, slip_card *card)
{
    const slip_explicit_body body = {.name = "cube",
                                     .mesh = mesh,
                                     .rigid = slip_mesh_find(mesh, "bore", SLIP_SET_NODES),
                                     .young = 210e9,
                                     .poisson = 0.3,
                                     .density = 7850,
                                     .speed = 100};
    slip_explicit_options options = slip_explicit_options_default();
    slip_explicit *model = NULL;
    options.card = card;
    check(ctx, slip_explicit_create(ctx, 1, &body, &options, &model));
    return model;
}

/* The largest difference as a share of the largest number. */
static double difference_of(const double *a, const double *b, int64_t count)
{
    double most = 0, largest = 0;
    for (int64_t i = 0; i < count; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        largest = fmax(largest, fabs(a[i]));
    }
    return most / largest;
}

static void compare(slip_context *ctx, slip_explicit *processor, slip_explicit *card, int64_t nodes)
{
    check(ctx, slip_explicit_fetch(ctx, card));
    printf("  %lld steps on the processor too: positions differ by %.1e, velocities by %.1e of the largest\n",
           (long long)slip_explicit_state_of(processor).steps,
           difference_of(slip_explicit_state_of(processor).position, slip_explicit_state_of(card).position,
                         3 * nodes),
           difference_of(slip_explicit_state_of(processor).velocity, slip_explicit_state_of(card).velocity,
                         3 * nodes));
}

static void measure_card(slip_context *ctx, slip_card *card, int n)
{
    enum { compared = 50 };
    slip_mesh *mesh = make_cube(ctx, n);
    double start = bench_seconds(), best = INFINITY;
    slip_explicit *model = make_model(ctx, mesh, card);
    const double making = bench_seconds() - start;
    const int most = (int)(30000000 / (int64_t)mesh->element_count) + 10, steps = most < 1000 ? most : 1000;
    printf("%d elements, making the model (with its limit) %.1f s\n", mesh->element_count, making);
    if (mesh->element_count <= 300000) {
        slip_explicit *processor = make_model(ctx, mesh, NULL);
        check(ctx, slip_explicit_advance(ctx, processor, compared));
        check(ctx, slip_explicit_advance(ctx, model, compared));
        compare(ctx, processor, model, mesh->node_count);
        slip_explicit_destroy(processor);
    }
    check(ctx, slip_explicit_advance(ctx, model, 5));
    for (int turn = 0; turn < 5; turn++) {
        start = bench_seconds();
        check(ctx, slip_explicit_advance(ctx, model, steps));
        best = fmin(best, (bench_seconds() - start) / steps);
    }
    printf("  best of 5 x %d steps: %.4f ms a step, %.3f ns an element, %.2f Tflop/s\n", steps, 1e3 * best,
           1e9 * best / mesh->element_count, 1e-12 * flops_of(0) * mesh->element_count / best);
    slip_explicit_ledger ledger;
    start = bench_seconds();
    check(ctx, slip_explicit_account(ctx, model, &ledger));
    printf("  energies: %.2f ms\n", 1e3 * (bench_seconds() - start));
    slip_explicit_destroy(model);
    slip_mesh_destroy(mesh);
}

/* From the first contact on, the same steps on both; then the card alone. */
static void measure_card_pair(slip_context *ctx, slip_card *card, bool kinematic, int steps)
{
    slip_gear_options gears[2];
    slip_gear_run_options options = slip_gear_run_options_default();
    const slip_gear_meshing mesh = {.gear = {0, 1}, .options = &options};
    const slip_gear_group group = slip_gear_group_pair(gears, NULL, &mesh);
    slip_gear_impact *g[2];
    double spent[2] = {0, 0}, off = 0, peak = 0, start, alone;
    const char *const names[2] = {"the processor", "the card"};
    for (int k = 0; k < 2; k++)
        gears[k] = published_gear(k);
    options.side[0].speed = 5;
    options.penalty = kinematic ? INFINITY : 1e10;
    for (int k = 0; k < 2; k++) {
        start = bench_seconds();
        check(ctx, slip_gear_impact_create(ctx, &group, &options, NULL, NULL, k ? card : NULL, &g[k]));
        printf("%s: pair for %s made in %.1f s\n", kinematic ? "kinematic" : "penalty", names[k],
               bench_seconds() - start);
    }
    for (int s = 0; s < steps; s++) {
        for (int k = 0; k < 2; k++) {
            start = bench_seconds();
            check(ctx, slip_explicit_advance(ctx, g[k]->model, 1));
            spent[k] += bench_seconds() - start;
        }
        off = fmax(off, fabs(g[1]->totals.normal_force - g[0]->totals.normal_force));
        peak = fmax(peak, g[0]->totals.normal_force);
    }
    printf("  %d elements, %d nodes touch; mean of %d steps: %.2f ms on the processor, %.3f ms on the card\n",
           g[0]->mesh[0]->mesh->element_count + g[0]->mesh[1]->mesh->element_count, g[0]->totals.touching,
           steps, 1e3 * spent[0] / steps, 1e3 * spent[1] / steps);
    printf("  the force differs by %.1e N of %.1f N; touching %d and %d; speeds of the wheel differ by %.1e "
           "rad/s of %.3g\n",
           off, peak, g[0]->totals.touching, g[1]->totals.touching,
           fabs(slip_explicit_rotor_of(g[0]->model, 1).speed - slip_explicit_rotor_of(g[1]->model, 1).speed),
           slip_explicit_rotor_of(g[0]->model, 1).speed);
    compare(ctx, g[0]->model, g[1]->model, g[0]->mesh[0]->mesh->node_count + g[0]->mesh[1]->mesh->node_count);
    start = bench_seconds();
    check(ctx, slip_explicit_advance(ctx, g[1]->model, 5 * steps));
    alone = (bench_seconds() - start) / (5 * steps);
    printf("  %d steps more on the card alone: %.3f ms a step, %d nodes touch\n", 5 * steps, 1e3 * alone,
           g[1]->totals.touching);
    for (int k = 0; k < 2; k++)
        slip_gear_impact_destroy(g[k]);
}

static int run_card(int count, char **words)
{
    slip_context *ctx = slip_context_create();
    slip_card *card = NULL;
    const bool pair = count > 0 && strcmp(words[0], "pair") == 0;
    if (slip_card_open(ctx, &card) < 0) {
        printf("%s\n", slip_context_message(ctx));
        slip_context_destroy(ctx);
        return 77;
    }
    printf("%s\n", card->description);
    for (int k = 0; k < 2 && pair; k++)
        measure_card_pair(ctx, card, k, count > 1 ? atoi(words[1]) : 200);
    for (int k = 0; k < count && !pair; k++)
        measure_card(ctx, card, atoi(words[k]));
    for (int k = 0; k < 2 && count == 0; k++)
        measure_card(ctx, card, k ? 160 : 64);
    slip_card_close(card);
    slip_context_destroy(ctx);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "cuda") == 0)
        return run_card(argc - 2, argv + 2);
    if (argc > 1 && strcmp(argv[1], "pair") == 0) {
        slip_context *pair_context = slip_context_create();
        for (int k = 0; k < 2; k++)
            measure_pair(pair_context, k, argc > 2 ? atoi(argv[2]) : 20,
                         argc > 3 ? atoi(argv[3]) : omp_get_max_threads());
        slip_context_destroy(pair_context);
        return 0;
    }
    const int n = argc > 1 ? atoi(argv[1]) : 40, steps = argc > 2 ? atoi(argv[2]) : 20;
    const int threads = argc > 3 ? atoi(argv[3]) : omp_get_max_threads();
    if (n < 1 || steps < 1 || threads < 1) {
        fprintf(stderr, "bench_explicit [SIDE [STEPS [THREADS]]]: expected positive numbers\n");
        return 2;
    }
    slip_context *ctx = slip_context_create();
    slip_mesh *mesh = make_cube(ctx, n);
    printf("%d elements, %d threads\n", mesh->element_count, threads);
    measure(ctx, mesh, 0, steps, threads);
    measure(ctx, mesh, 0.5, steps, threads);
    slip_mesh_destroy(mesh);
    slip_context_destroy(ctx);
    return 0;
}
