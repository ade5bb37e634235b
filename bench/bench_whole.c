/* Milliseconds of processor time a `moreau` step of a whole body in the plane: a pad of 13,000 unknowns with
 * 100 contact points on a belt, that sticks, slips and lifts off. With recording of a few points, energies
 * and works.
 *
 *     bench_whole [STEPS]
 *
 * The difference of a run of STEPS steps (default 400) and one of none: what is before the first step does
 * not count. */
#include "measure.h"

#include <slipstick/slipstick.h>

#include <stdio.h>
#include <stdlib.h>

static const char *const model_text =
    "slipstick: 1\nbodies:\n  pad:\n"
    "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [99, 64]}}\n"
    "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: x}\n"
    "    tractions: {top: [0, -1]}\n    damping: {stiffness: 0.002}\n    probes: {heel: [0, 0]}\n"
    "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}], velocity: "
    "0.2,\n"
    "         law: {type: coulomb, mu: 0.5}}\n"
    "simulate: {method: moreau, step: 5e-4, record: {points: 3, events: false}}\n";

static double seconds(slip_context *ctx, const slip_model *model, int steps, double *events)
{
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    options.start = 0;
    options.end = 5e-4 * steps;
    const double before = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    bench_check(ctx, slip_run(ctx, model, &options, &result));
    const double taken = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - before;
    *events = (double)slip_result_event_count(result);
    slip_result_destroy(result);
    return taken;
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 400;
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    double events;
    bench_check(ctx, slip_model_parse(ctx, model_text, "bench", NULL, &model));
    const double first = seconds(ctx, model, 1, &events), all = seconds(ctx, model, 1 + steps, &events);
    printf("13000 unknowns, 100 contact points: %.2f ms a step, %.0f ms before the first; %d steps, %.0f "
           "events\n",
           1e3 * (all - first) / steps, 1e3 * first, steps, events);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return 0;
}
