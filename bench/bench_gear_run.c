/* Two gears of published size that hit each other: time of 0.3 ms by reduction and method, and what it grows
 * with. Reduced bodies are kept in FOLDER (default: the current one) and read again. Processor seconds; on
 * one core with OPENBLAS_NUM_THREADS=1.
 *
 *     bench_gear_run [FOLDER]            condensed against modes, penalty, tolerance, nodes
 *
 *     bench_gear_run FOLDER compare      condensed against the others by rk4
 *
 *     bench_gear_run FOLDER switch       contact force of the others against that of all; fails above 1 % */
#include "published_gears.h"
#include "slipstick/gear_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* by: of the flank's mesh; that of the rest is the published one. */
static slip_gear_options published(int wheel, double by)
{
    slip_gear_options o = published_gear(wheel);
    if (by < 1) {
        o.mesh =
            (slip_gear_mesh_options){(int)lround(by * o.mesh.flank), 3, 6, 4, 8, 2 * (int)lround(4 * by)};
    }
    return o;
}

typedef struct pair {
    slip_gear_options gears[2];
    slip_reduced *bodies[2];
} pair;

static void load(slip_context *ctx, const char *folder, double by, pair *p)
{
    slip_reduce_options options = slip_reduce_options_default();
    for (int k = 0; k < 2; k++) {
        char path[1000];
        int reused;
        p->gears[k] = published(k, by);
        snprintf(path, sizeof path, "%s/%s-%g.h5", folder, p->gears[k].name, by);
        check(ctx, slip_gear_reduce_file(ctx, &p->gears[k], &options, path, &p->bodies[k], &reused));
    }
}

static slip_gear_run_options options_of(int pinion_modes, int wheel_modes, const char *reduction)
{
    slip_gear_run_options o = slip_gear_run_options_default();
    o.side[0].modes = pinion_modes;
    o.side[1].modes = wheel_modes;
    o.side[0].reduction = o.side[1].reduction = reduction;
    o.side[0].speed = 5;
    o.distance = 0.14; /* some backlash: one flank hits */
    return o;
}

/* Returns the processor seconds: the fewest of three runs, or of one where that takes long. */
static double measure(slip_context *ctx, const pair *p, const slip_gear_run_options *o)
{
    const slip_reduced *const bodies[2] = {p->bodies[0], p->bodies[1]};
    slip_result *result = NULL;
    double least = INFINITY;
    for (int i = 0; i < 3 && !(least > 5 && least < INFINITY); i++) {
        slip_result_destroy(result);
        double begin = seconds();
        check(ctx, slip_gear_run(ctx, p->gears, bodies, o, &result));
        least = fmin(least, seconds() - begin);
    }
    int64_t count;
    const double *touching = slip_result_series(result, "touching", &count);
    double most = 0;
    for (int64_t i = 0; i < count; i++)
        most = fmax(most, touching[i]);
    printf("%4d + %4d modes, %3d + %3d nodes (%2.0f touch)  %-12s penalty %-6g tolerance %-6g %8.3f s  %6.0f "
           "steps",
           o->side[0].modes, o->side[1].modes, slip_reduced_surface_at(p->bodies[0], 0).node_count,
           slip_reduced_surface_at(p->bodies[1], 0).node_count, most, o->side[0].reduction, o->penalty,
           o->tolerance, least, slip_result_number(result, "steps"));
    printf("  peak %.6g N  contact %.6g ms  wheel %.6g rad/s  drift %.1e\n",
           slip_result_number(result, "peak_force"), 1e3 * slip_result_number(result, "contact_time"),
           slip_result_number(result, "final.wheel.speed"), slip_result_number(result, "energy.drift"));
    fflush(stdout);
    slip_result_destroy(result);
    return least;
}

/* Against modes, penalty, tolerance and nodes. */
static void measure_growth(slip_context *ctx, const char *folder, const pair *p)
{
    static const int modes[][2] = {{10, 10}, {20, 40}, {50, 100}, {50, 200}};
    static const double penalties[] = {1e8, 1e9, 2e10, INFINITY}, meshes[] = {0.25, 0.5};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        slip_gear_run_options o = options_of(modes[i][0], modes[i][1], "condensed");
        measure(ctx, p, &o);
    }
    for (size_t i = 0; i < sizeof penalties / sizeof *penalties; i++) {
        slip_gear_run_options o = options_of(50, 200, "condensed");
        o.penalty = penalties[i];
        measure(ctx, p, &o);
    }
    for (double tolerance = 1e-3; tolerance > 5e-7; tolerance /= 10) {
        slip_gear_run_options o = options_of(50, 200, "condensed");
        o.tolerance = tolerance;
        measure(ctx, p, &o);
    }
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        pair coarse;
        load(ctx, folder, meshes[i], &coarse);
        slip_gear_run_options o = options_of(50, 200, "condensed");
        measure(ctx, &coarse, &o);
        for (int k = 0; k < 2; k++)
            slip_reduced_destroy(coarse.bodies[k]);
    }
}

static void compare(slip_context *ctx, const pair *p)
{
    static const char *const reductions[] = {"condensed", "switch", "switch_teeth", "all"};
    double first = 0;
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
        slip_gear_run_options o = options_of(50, 200, reductions[i]);
        o.step = i ? 9.9e-9 : 0; /* 1e-8 is just above the stability limit of "all" */
        double spent = measure(ctx, p, &o);
        first = i ? first : spent;
        printf("    %.1f times condensed\n", spent / first);
        fflush(stdout);
    }
}

/* ---- The contact force of reductions against each other. */

/* Samples at distances of six steps, with a step below the limit of "all". */
static const double compared_time = 3e-4, compared_step = 5e-8 / 6, allowed = 0.01;
enum { compared_samples = 6001, window = 40, settling = 10 }; /* 2 us, 0.5 us */

static slip_result *run_compared(slip_context *ctx, const pair *p, const int modes[2], double penalty,
                                 const char *reduction)
{
    const slip_reduced *const bodies[2] = {p->bodies[0], p->bodies[1]};
    slip_gear_run_options o = options_of(modes[0], modes[1], reduction);
    slip_result *result = NULL;
    bool fixed = strcmp(reduction, "condensed") != 0;
    o.penalty = penalty;
    o.time = compared_time;
    o.samples = compared_samples;
    o.step = fixed ? compared_step : 0;
    o.history = fixed;
    check(ctx, slip_gear_run(ctx, p->gears, bodies, &o, &result));
    return result;
}

/* Marks the samples that come less than 0.5 us after a change of the attachment modes of either gear. */
static void mark_switched(const slip_result *r, unsigned char *marks)
{
    for (int k = 0; k < 2; k++) {
        slip_gear_participation p = slip_gear_result_participation(r, k ? "wheel" : "pinion");
        for (int64_t i = 1; p.active && i < p.samples; i++)
            if (memcmp(p.active + i * p.size, p.active + (i - 1) * p.size, (size_t)p.size) != 0)
                for (int64_t j = i; j < i + settling && j < p.samples; j++)
                    marks[j] = 1;
    }
}

/* Largest; sums of squares of the difference and of the force. */
typedef struct difference {
    double largest, square, force;
} difference;

static void add(difference *d, double force, double reference)
{
    double off = force - reference;
    d->largest = fmax(d->largest, fabs(off));
    d->square += off * off;
    d->force += reference * reference;
}

static void print_difference(difference d, double peak)
{
    printf("  %8.2f %% %8.2f %%", 100 * d.largest / peak, 100 * sqrt(d.square / d.force));
}

/* Of all samples, of those away from changes of the attachment modes, of means over 2 us; whether the second
 * is small enough. */
static bool print_differences(const slip_result *r, const slip_result *reference)
{
    const double *f = slip_result_series(r, "force", NULL), *g = slip_result_series(reference, "force", NULL);
    double peak = slip_result_number(reference, "peak_force");
    unsigned char marks[compared_samples] = {0};
    difference all = {0}, away = {0}, means = {0};
    mark_switched(r, marks);
    mark_switched(reference, marks);
    for (int i = 0; i < compared_samples; i++) {
        add(&all, f[i], g[i]);
        if (!marks[i])
            add(&away, f[i], g[i]);
    }
    for (int i = 0; i + window <= compared_samples; i += window) {
        double mean[2] = {0};
        for (int j = i; j < i + window; j++) {
            mean[0] += f[j] / window;
            mean[1] += g[j] / window;
        }
        add(&means, mean[0], mean[1]);
    }
    print_difference(away, peak);
    print_difference(all, peak);
    print_difference(means, peak);
    printf("\n");
    fflush(stdout);
    return away.largest < allowed * peak;
}

/* Returns whether all of them are near enough to "all". */
static bool compare_forces(slip_context *ctx, const pair *p)
{
    static const char *const reductions[] = {"switch", "switch_teeth", "condensed"};
    static const struct {
        int modes[2];
        double penalty;
    } cases[] = {{{50, 200}, 1e10}, {{50, 200}, 1e9}, {{20, 40}, 1e10}};
    bool fine = true;
    printf(
        "contact force against that of all: largest difference over the peak, and root of the mean square\n"
        "  modes   penalty               switches  not 0.5 us after switches       all samples"
        "           means over 2 us\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int *modes = cases[i].modes;
        slip_result *all = run_compared(ctx, p, modes, cases[i].penalty, "all");
        for (size_t j = 0; j < sizeof reductions / sizeof *reductions; j++) {
            slip_result *r = run_compared(ctx, p, modes, cases[i].penalty, reductions[j]);
            double switches = slip_result_number(r, "switches");
            printf("%3d + %3d   %-6g  %-12s %6.0f  ", modes[0], modes[1], cases[i].penalty, reductions[j],
                   isfinite(switches) ? switches : 0);
            fine = print_differences(r, all) && fine;
            slip_result_destroy(r);
        }
        slip_result_destroy(all);
    }
    printf("%s within 1 %% of the peak away from switches\n",
           fine ? "all of them are" : "NOT all of them are");
    return fine;
}

int main(int argc, char **argv)
{
    slip_context *ctx = slip_context_create();
    const char *folder = argc > 1 ? argv[1] : ".";
    bool fine = true;
    pair p;
    load(ctx, folder, 1, &p);
    if (argc > 2 && strcmp(argv[2], "compare") == 0)
        compare(ctx, &p);
    else if (argc > 2 && strcmp(argv[2], "switch") == 0)
        fine = compare_forces(ctx, &p);
    else
        measure_growth(ctx, folder, &p);
    for (int k = 0; k < 2; k++)
        slip_reduced_destroy(p.bodies[k]);
    slip_context_destroy(ctx);
    return fine ? 0 : 1;
}
