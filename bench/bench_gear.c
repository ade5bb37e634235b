/* Gears: times and memory of the reduction at published size, with and without symmetry; cost against mesh
 * size with its growth rate.
 *     bench_gear pinion|wheel [symmetric|whole] [refinement]     one reduction; refinement scales the mesh
 *     bench_gear growth                                          coarse to fine
 *     bench_gear calculix [refinement]                           50 modes of the same mesh by CalculiX and by
 * us, whole and symmetric: time, memory, ratios. Takes minutes
 *     bench_gear export FILE.inp [refinement]                    that mesh alone */
#define _DEFAULT_SOURCE /* wait4 */
#include "measure.h"
#include "published_gears.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const double calculix_refinement = 0.66; /* about 106,000 unknowns */

static int scaled(int count, double by, int least)
{
    int result = (int)lround(count * by);
    return result < least ? least : result;
}

static slip_gear_options published(bool wheel, double by)
{
    slip_gear_options o = published_gear(wheel);
    slip_gear_mesh_options *m = &o.mesh;
    *m = (slip_gear_mesh_options){.flank = scaled(m->flank, by, 2),
                                  .fillet = scaled(m->fillet, by, 1),
                                  .thickness = scaled(m->thickness, by, 2),
                                  .root = 2 * scaled(m->root / 2, by, 1),
                                  .rim = scaled(m->rim, by, 2),
                                  .width = 2 * scaled(m->width / 2, by, 1)};
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
    double wall = bench_clock(CLOCK_MONOTONIC), cpu = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
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
    check(ctx, slip_gear_mesh_size(ctx, gear, &counts));
    double wall = bench_clock(CLOCK_MONOTONIC), cpu = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    parts last = {wall, cpu};
    slip_context_set_log(ctx, print_part, &last);
    check(ctx, slip_gear_reduce(ctx, gear, &o, &body));
    slip_context_set_log(ctx, NULL, NULL);
    wall = bench_clock(CLOCK_MONOTONIC) - wall;
    cpu = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    int modes = slip_reduced_mode_count(body);
    printf("%-7s %-9s %8d nodes %8d elements %4d + %4d modes  %8.2f s  %8.2f s cpu  %5.2f GB peak",
           gear->name, symmetric ? "symmetric" : "whole", counts.nodes, counts.elements, modes,
           attachment ? slip_reduced_attachment_at(body, 0).size : 0, wall, cpu, peak_gigabytes());
    printf("  %.3f to %.3f kHz", 1e-3 * slip_reduced_modes(body)[0].frequency,
           1e-3 * slip_reduced_modes(body)[modes - 1].frequency);
    if (attachment)
        printf(", residual from %.0f kHz", 1e-3 * slip_reduced_attachment_at(body, 0).frequency[0]);
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
        check(ctx, slip_gear_mesh_size(ctx, &gear, &counts));
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

/* ---- The comparison: each in a process of its own, so that each has its own peak of memory. */

typedef enum competitor { with_symmetry, without_symmetry, calculix, competitors } competitor;
static const char *const competitor_names[competitors] = {"symmetric", "whole", "CalculiX"};

typedef struct cost {
    double seconds, gigabytes;
} cost;

/* CalculiX reads gear.inp with the material and what to do behind the mesh. */
static void write_deck(const char *path, int elements)
{
    FILE *file = fopen(path, "a");
    if (!file) {
        perror(path);
        exit(1);
    }
    fprintf(file,
            "*ELSET, ELSET=EVERYTHING, GENERATE\n1, %d\n*MATERIAL, NAME=STEEL\n*ELASTIC\n210e9, 0.3\n"
            "*DENSITY\n7850\n*SOLID SECTION, ELSET=EVERYTHING, MATERIAL=STEEL\n*BOUNDARY\nbore, 1, 3\n"
            "*STEP\n*FREQUENCY\n50\n*END STEP\n",
            elements);
    fclose(file);
}

static void compete(competitor who, const slip_gear_options *gear, const char *folder)
{
    if (who == calculix) {
        setenv("OMP_NUM_THREADS", "2", 1);
        if (chdir(folder) != 0 || !freopen("ccx.log", "w", stdout))
            exit(1);
        execlp("ccx", "ccx", "gear", (char *)NULL);
        fprintf(stderr, "cannot start ccx (Debian's calculix-ccx)\n");
        exit(1);
    }
    slip_context *ctx = slip_context_create();
    measure(ctx, gear, who == with_symmetry, false);
    exit(0);
}

static cost cost_of(competitor who, const slip_gear_options *gear, const char *folder)
{
    int status;
    struct rusage usage;
    fflush(stdout);
    double start = bench_clock(CLOCK_MONOTONIC);
    pid_t child = fork();
    if (child == 0)
        compete(who, gear, folder);
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0) {
        fprintf(stderr, "%s failed\n", competitor_names[who]);
        exit(1);
    }
    return (cost){bench_clock(CLOCK_MONOTONIC) - start, 1024e-9 * (double)usage.ru_maxrss};
}

/* The last of CalculiX's 50 frequencies. */
static double last_frequency(const char *path)
{
    char line[300];
    double number, value, angular, frequency = 0, last = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file) && !strstr(line, "P A R T I C I P A T I O N"))
        if (sscanf(line, "%lf %lf %lf %lf", &number, &value, &angular, &frequency) == 4)
            last = frequency;
    if (file)
        fclose(file);
    return last;
}

static void compare_with_calculix(slip_context *ctx, double refinement)
{
    char folder[] = "bench_gear.XXXXXX", path[100];
    slip_gear_options gear = published(false, refinement);
    slip_gear_counts counts;
    cost costs[competitors];
    check(ctx, slip_gear_mesh_size(ctx, &gear, &counts));
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(1);
    }
    snprintf(path, sizeof path, "%s/gear.inp", folder);
    check(ctx, slip_gear_save_mesh(ctx, &gear, path));
    write_deck(path, counts.elements);
    printf("50 modes of %d nodes, fully integrated bricks\n", counts.nodes);
    for (competitor who = 0; who < competitors; who++)
        costs[who] = cost_of(who, &gear, folder);
    snprintf(path, sizeof path, "%s/gear.dat", folder);
    printf("CalculiX: mode 50 at %.3f kHz\n", 1e-3 * last_frequency(path));
    printf("%-10s %10s %10s %22s %10s\n", "", "seconds", "GB", "CalculiX's time over", "memory over");
    for (competitor who = 0; who < competitors; who++)
        printf("%-10s %10.2f %10.3f %22.1f %10.2f\n", competitor_names[who], costs[who].seconds,
               costs[who].gigabytes, costs[calculix].seconds / costs[who].seconds,
               costs[calculix].gigabytes / costs[who].gigabytes);
    snprintf(path, sizeof path, "rm -r %s", folder);
    if (system(path) != 0)
        fprintf(stderr, "%s is left\n", folder);
}

int main(int argc, char **argv)
{
    slip_context *ctx = slip_context_create();
    const char *what = argc > 1 ? argv[1] : "growth";
    if (strcmp(what, "growth") == 0) {
        measure_growth(ctx);
    } else if (strcmp(what, "calculix") == 0) {
        compare_with_calculix(ctx, argc > 2 ? atof(argv[2]) : calculix_refinement);
    } else if (strcmp(what, "export") == 0 && argc > 2) {
        slip_gear_options gear = published(false, argc > 3 ? atof(argv[3]) : calculix_refinement);
        check(ctx, slip_gear_save_mesh(ctx, &gear, argv[2]));
    } else if (strcmp(what, "pinion") == 0 || strcmp(what, "wheel") == 0) {
        slip_gear_options gear = published(strcmp(what, "wheel") == 0, argc > 3 ? atof(argv[3]) : 1);
        bool whole = argc > 2 && strcmp(argv[2], "whole") == 0;
        measure(ctx, &gear, !whole, true);
    } else {
        fprintf(stderr, "usage: bench_gear growth | calculix [refinement] | export FILE.inp [refinement] |\n"
                        "                  pinion|wheel [symmetric|whole] [refinement]\n");
        return 1;
    }
    slip_context_destroy(ctx);
    return 0;
}
