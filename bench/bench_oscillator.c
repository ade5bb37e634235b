/* Slipstick's turn in `bench/run`: u'' + 0.1 u' + u = 4 sin t - 3.2 Sign(u') from rest over 50 periods, by
 * one method, through the whole path of slip_run. A turn reads the model anew, and the clock runs from
 * slip_run to the end of slip_result_destroy: checks, compiled expressions, the run, its events, records and
 * summary.
 *
 *     bench_oscillator moreau|event|rk [TURNS [STEP]]
 *
 * (`rk` is `event` with Dormand-Prince segments.) Prints one line for the best turn: steps, events, seconds,
 * error of the amplitude, error of the times of the first slip and the first stick. */
#include "measure.h"
#include "oscillator.h"

#include <slipstick/slipstick.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* At every half period the body is held, so these few records have all the amplitudes. */
static const char model_text[] =
    "slipstick: 1\n"
    "coordinates: [u]\n"
    "mass: [[1]]\n"
    "damping: [[0.1]]\n"
    "stiffness: [[1]]\n"
    "forces: {u: 4*sin(t)}\n"
    "contacts: {pad: {kind: friction, slip: u', law: {type: coulomb, mu: 3.2}}}\n"
    "simulate: {tolerance: 1e-10, step: 1e-3, time: [0, 100*pi], record: {points: 101}}\n";

static void read_result(const slip_result *result, oscillator_turn *turn)
{
    int64_t count = 0;
    const double *u = slip_result_series(result, "u", &count);
    turn->steps = (long)slip_result_number(result, "steps");
    turn->events = (long)slip_result_event_count(result);
    for (int64_t k = 1; u && k < count; k++)
        oscillator_held(turn, (int)k, u[k]);
    for (int64_t k = 0; k < 2 && k < turn->events; k++)
        oscillator_switched(turn, (int)k, slip_result_event(result, k)->time);
}

int main(int argc, char **argv)
{
    const char *method = argc > 1 ? argv[1] : "event";
    int turns = argc > 2 ? atoi(argv[2]) : 1;
    oscillator_turn best = {.seconds = INFINITY};
    slip_run_options options = slip_run_options_default();
    slip_context *ctx = slip_context_create();
    if (!ctx)
        return 1;
    if (strcmp(method, "rk") == 0) {
        method = "event";
        options.segments = "rk";
    }
    options.method = method;
    options.record_events = 0; /* just these */
    if (argc > 3)
        options.step = atof(argv[3]);
    for (int k = 0; k < turns; k++) {
        slip_model *model = NULL;
        slip_result *result = NULL;
        oscillator_turn turn = {0};
        if (slip_model_parse(ctx, model_text, "oscillator", NULL, &model) != SLIP_OK)
            bench_fail(ctx);
        double started = oscillator_clock();
        if (slip_run(ctx, model, &options, &result) != SLIP_OK)
            bench_fail(ctx);
        turn.seconds = oscillator_clock() - started;
        read_result(result, &turn);
        started = oscillator_clock();
        slip_result_destroy(result);
        turn.seconds += oscillator_clock() - started;
        slip_model_destroy(model);
        best = turn.seconds < best.seconds ? turn : best;
    }
    oscillator_print(&best);
    slip_context_destroy(ctx);
    return 0;
}
