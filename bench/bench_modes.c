/* Complex modes of a pad of finite elements on a belt, about steady sliding: seconds, memory, errors.
 *
 *     bench_modes             100,172 unknowns with 317 contact points, 40 modes
 *     bench_modes 100 50 40   elements along and over it, modes */
#include "measure.h"

#include <slipstick/slipstick.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

int main(int argc, char **argv)
{
    const int along = argc > 2 ? atoi(argv[1]) : 316, over = argc > 2 ? atoi(argv[2]) : 158;
    slip_context *ctx = slip_context_create();
    slip_modes_options options = slip_modes_options_default();
    slip_model *model = NULL;
    slip_result *modes = NULL;
    struct rusage usage;
    char text[1000];
    options.about = "sliding";
    options.count = argc > 3 ? atoi(argv[3]) : 40;
    snprintf(text, sizeof text,
             "slipstick: 1\nbodies:\n  pad:\n"
             "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [%d, %d]}}\n"
             "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: x}\n"
             "    tractions: {top: [0, -1]}\n    reduce: none\n    damping: {stiffness: 2e-4}\n"
             "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}],\n"
             "         velocity: 0.2, law: {type: coulomb, mu: 0.3}}\n"
             "simulate: {method: moreau, step: 5e-4, time: [0, 1]}\n",
             along, over);
    bench_check(ctx, slip_model_parse(ctx, text, "bench", NULL, &model));
    const double started = bench_seconds(), before = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    bench_check(ctx, slip_modes_solve(ctx, model, &options, &modes));
    const double spent = bench_seconds() - started, busy = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - before;
    getrusage(RUSAGE_SELF, &usage);
    printf(
        "%d unknowns, %d contact points, %.0f modes: %.2f s, %.2f s of processor time, %.0f MB; error %.2g; "
        "%.0f grow\n",
        (2 * over + 1) * (along + 1), along + 1, slip_result_number(modes, "count"), spent, busy,
        (double)usage.ru_maxrss / 1024, slip_result_number(modes, "error"),
        slip_result_number(modes, "unstable"));
    slip_result_destroy(modes);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return 0;
}
