/* Cost of a `moreau` step on the oscillator u'' + 0.1 u' + u = 4 sin t - 3.2 Sign(u'), theta = 1/2, h = 1e-3,
 * over 50 periods, through the whole path: model text, set-valued law, recorder (a few points), maxima and
 * events. The best of many turns counts, so that the number means something on a busy machine.
 *
 *     bench_moreau [TURNS]
 *
 * Instructions a step: run with TURNS = 1 and TURNS = 2 under `valgrind --tool=callgrind` (or `perf stat -e
 * instructions:u`), and divide the difference of the totals by the number of steps of a turn. */
#include "measure.h"

#include <slipstick/slipstick.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char model_text[] =
    "slipstick: 1\n"
    "coordinates: [u]\n"
    "mass: [[1]]\n"
    "damping: [[0.1]]\n"
    "stiffness: [[1]]\n"
    "forces: {u: 4*sin(t)}\n"
    "contacts: {pad: {kind: friction, slip: u', law: {type: coulomb, mu: 3.2}}}\n"
    "simulate: {method: moreau, step: 1e-3, time: [0, 100*pi], record: {points: 11}}\n";

/* Largest |u| from rest, which the motion reaches in the limit. */
static const double exact_amplitude = 0.774878712706875795;

int main(int argc, char **argv)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    int turns = argc > 1 ? atoi(argv[1]) : 30;
    double best = INFINITY, steps = 0, events = 0, amplitude = 0, residual = 0;
    if (slip_model_parse(ctx, model_text, "oscillator", NULL, &model) != SLIP_OK)
        bench_fail(ctx);
    for (int turn = 0; turn < turns; turn++) {
        slip_result *result = NULL;
        double seconds;
        if (slip_run(ctx, model, NULL, &result) != SLIP_OK)
            bench_fail(ctx);
        seconds = slip_result_number(result, "wall_seconds");
        best = seconds < best ? seconds : best;
        steps = slip_result_number(result, "steps");
        events = slip_result_number(result, "events.total");
        amplitude = slip_result_number(result, "max.u");
        residual = slip_result_number(result, "residual");
        slip_result_destroy(result);
    }
    printf("moreau, Coulomb oscillator, 50 periods, h = 1e-3\n");
    printf("%.0f steps, %.0f switches, %.1f ns a step, %.4f s\n", steps, events, 1e9 * best / steps, best);
    printf("amplitude %.12f, error %.2e; residual of the laws %.1e\n", amplitude,
           fabs(amplitude - exact_amplitude), residual);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return 0;
}
