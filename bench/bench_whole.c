/* Milliseconds of processor time a step of whole bodies, by `moreau` and by `explicit`: a pad in the plane of
 * 13,000 unknowns with 100 contact points on a belt, that sticks, slips and lifts off; and a block of 1728
 * bricks on a plane, linear and with large strains. With recording of a few points, energies and works.
 *
 *     bench_whole [STEPS [ROW]]
 *
 * The difference of a run of STEPS steps (default 400) and one of a step: what is before the first step does
 * not count. ROW, from 1: this one alone, for counts of instructions. */
#include "measure.h"

#include <slipstick/slipstick.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const pad =
    "slipstick: 1\nbodies:\n  pad:\n"
    "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [99, 64]}}\n"
    "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: x}\n"
    "    tractions: {top: [0, -1]}\n    damping: {stiffness: 0.002}\n    probes: {heel: [0, 0]}\n"
    "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}], velocity: "
    "0.2,\n"
    "         law: {type: coulomb, mu: 0.5}}\n"
    "simulate: {method: moreau, step: 5e-4, record: {points: 3, events: false}}\n";

static const char *const block =
    "slipstick: 1\nbodies:\n  block:\n"
    "    mesh: {block: {x: [0, 1], y: [0, 1], z: [0, 1], elements: [12, 12, 12]}}\n"
    "    material: {young: 100, poisson: 0.3, density: 1}\n    reduce: none\n    strain: %s\n"
    "    body_force: [0.1, 0, -1]\n    probes: {heel: [0, 0, 0]}\n"
    "contacts:\n  floor: {kind: surface, between: [block.bottom, {point: [0, 0, 0], normal: [0, 0, 1]}],\n"
    "         law: {type: coulomb, mu: 0.5}}\n"
    "simulate: {method: moreau, step: 5e-4, record: {points: 3, events: false}}\n";

static double seconds(slip_context *ctx, const slip_model *model, const char *method, double step, int steps,
                      double *events)
{
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    options.method = method;
    options.step = step;
    options.start = 0;
    options.end = step * steps;
    const double before = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    bench_check(ctx, slip_run(ctx, model, &options, &result));
    const double taken = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - before;
    *events = (double)slip_result_event_count(result);
    slip_result_destroy(result);
    return taken;
}

/* Returns the milliseconds of a step. `other` is that of `moreau`, or 0. */
static double measure(slip_context *ctx, const char *text, const char *what, const char *method, double step,
                      int steps, double other)
{
    slip_model *model = NULL;
    double events;
    bench_check(ctx, slip_model_parse(ctx, text, "bench", NULL, &model));
    const double first = seconds(ctx, model, method, step, 1, &events),
                 all = seconds(ctx, model, method, step, 1 + steps, &events),
                 one = 1e3 * (all - first) / steps;
    printf("%s, %s: %.2f ms a step, %.0f ms before the first; %d steps, %.0f events", what, method, one,
           1e3 * first, steps, events);
    if (other > 0)
        printf("; %.2f of a step of moreau", one / other);
    printf("\n");
    slip_model_destroy(model);
    return one;
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 400, only = argc > 2 ? atoi(argv[2]) : 0;
    char linear[2000], large[2000];
    snprintf(linear, sizeof linear, block, "small");
    snprintf(large, sizeof large, block, "large");
    const struct {
        const char *text, *what, *method;
        double step;
    } rows[] = {{pad, "13000 unknowns, 100 contact points", "moreau", 5e-4},
                {pad, "13000 unknowns, 100 contact points", "explicit", 5e-7},
                {linear, "1728 bricks, 169 points in a plane", "moreau", 5e-4},
                {linear, "1728 bricks, 169 points in a plane", "explicit", 5e-4},
                {large, "the same with large strains", "explicit", 5e-4}};
    slip_context *ctx = slip_context_create();
    double implicit = 0;
    for (int k = 0; k < 5; k++) {
        if (only > 0 && only != k + 1)
            continue;
        const bool first = strcmp(rows[k].method, "moreau") == 0;
        const double one = measure(ctx, rows[k].text, rows[k].what, rows[k].method, rows[k].step, steps,
                                   first ? 0 : implicit);
        implicit = first ? one : implicit;
    }
    slip_context_destroy(ctx);
    return 0;
}
