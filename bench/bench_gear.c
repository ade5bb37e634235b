/* Gears: times and memory of the reduction at published size, with and without symmetry; cost against mesh
 * size with its growth rate.
 *     bench_gear pinion|wheel [symmetric|whole] [refinement]     one reduction; refinement scales the mesh
 *     bench_gear growth                                          coarse to fine
 *     bench_gear export FILE.inp                                 the mesh for the comparison with CalculiX,
 * and 50 modes of it, both ways */
#include "slipstick/gear.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double seconds(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void check(slip_context *ctx, int status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "%s\n", slip_context_message(ctx));
    exit(1);
}

static int scaled(int count, double by)
{
    int result = (int)lround(count * by);
    return result < 2 ? 2 : result;
}

static slip_gear_options published(bool wheel, double by)
{
    slip_gear_options o = slip_gear_options_default();
    o.name = wheel ? "wheel" : "pinion";
    o.teeth = wheel ? 37 : 18;
    o.profile_shift = wheel ? 0 : 0.5;
    o.module = 0.005;
    o.width = 0.038;
    o.bore = wheel ? 0.059 : 0.05;
    o.element = "full";
    o.modes = wheel ? 200 : 50;
    o.mesh.flank = wheel ? 24 : 25;
    slip_gear_mesh_options *m = &o.mesh;
    *m = (slip_gear_mesh_options){scaled(m->flank, by), scaled(m->fillet, by), scaled(m->thickness, by),
                                  scaled(m->root, by),  scaled(m->rim, by),    2 * scaled(m->width / 2, by)};
    return o;
}

static double peak_gigabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024e-9 * (double)usage.ru_maxrss;
}

/* What the library says when a part is done, with the time since the part before. */
typedef struct parts {
    double wall, cpu;
} parts;

static void print_part(void *user, slip_log_level level, const char *message)
{
    parts *last = user;
    (void)level;
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    printf("  %8.2f s %8.2f s cpu %6.2f GB peak  %s\n", wall - last->wall, cpu - last->cpu, peak_gigabytes(),
           message);
    fflush(stdout);
    *last = (parts){wall, cpu};
}

/* Returns processor seconds. */
static double measure(slip_context *ctx, const slip_gear_options *gear, bool symmetric, bool attachment)
{
    slip_reduce_options o = slip_reduce_options_default();
    slip_gear_counts counts;
    slip_reduced *body = NULL;
    o.symmetry = symmetric;
    o.attachment = attachment;
    check(ctx, slip_gear_count(ctx, gear, &counts));
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    parts last = {wall, cpu};
    slip_context_set_log(ctx, print_part, &last);
    check(ctx, slip_gear_reduce(ctx, gear, &o, &body));
    slip_context_set_log(ctx, NULL, NULL);
    wall = seconds(CLOCK_MONOTONIC) - wall;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    int modes = slip_reduced_mode_count(body);
    printf("%-7s %-9s %8d nodes %8d elements %4d + %4d modes  %8.2f s  %8.2f s cpu  %5.2f GB peak",
           gear->name, symmetric ? "symmetric" : "whole", counts.nodes, counts.elements, modes,
           attachment ? slip_reduced_residual_at(body, 0).size : 0, wall, cpu, peak_gigabytes());
    printf("  %.3f to %.3f kHz", 1e-3 * slip_reduced_modes(body)[0].frequency,
           1e-3 * slip_reduced_modes(body)[modes - 1].frequency);
    if (attachment)
        printf(", residual from %.0f kHz", 1e-3 * slip_reduced_residual_at(body, 0).frequency[0]);
    printf("\n");
    fflush(stdout);
    slip_reduced_destroy(body);
    return cpu;
}

static void measure_growth(slip_context *ctx)
{
    static const double sizes[] = {0.3, 0.42, 0.6, 0.85};
    double before[2] = {0}, nodes_before = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        slip_gear_options gear = published(false, sizes[i]);
        slip_gear_counts counts;
        check(ctx, slip_gear_count(ctx, &gear, &counts));
        for (int symmetric = 1; symmetric >= 0; symmetric--) {
            double spent = measure(ctx, &gear, symmetric, true);
            if (before[symmetric] > 0)
                printf("        grows as nodes^%.2f\n",
                       log(spent / before[symmetric]) / log(counts.nodes / nodes_before));
            before[symmetric] = spent;
        }
        nodes_before = counts.nodes;
    }
}

int main(int argc, char **argv)
{
    slip_context *ctx = slip_context_create();
    const char *what = argc > 1 ? argv[1] : "growth";
    if (strcmp(what, "growth") == 0) {
        measure_growth(ctx);
    } else if (strcmp(what, "export") == 0 && argc > 2) {
        slip_gear_options gear = published(false, 0.65); /* about 106,000 unknowns */
        check(ctx, slip_gear_write_mesh(ctx, &gear, argv[2]));
        measure(ctx, &gear, true, false);
        measure(ctx, &gear, false, false);
    } else if (strcmp(what, "pinion") == 0 || strcmp(what, "wheel") == 0) {
        slip_gear_options gear = published(strcmp(what, "wheel") == 0, argc > 3 ? atof(argv[3]) : 1);
        bool whole = argc > 2 && strcmp(argv[2], "whole") == 0;
        measure(ctx, &gear, !whole, true);
    } else {
        fprintf(stderr,
                "usage: bench_gear growth | export FILE.inp | pinion|wheel [symmetric|whole] [refinement]\n");
        return 1;
    }
    slip_context_destroy(ctx);
    return 0;
}
