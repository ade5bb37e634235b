/* Cost of an event on the published jack plane, example (a): 60 events of stick and slip over T = 120 pi. All
 * in, which is slip_run of the model and the end of its result: opening, motion, records of the events,
 * maxima and energies; and the same of a model just read, for which no earlier run has left its mode sets.
 * The whole event method by closed forms and by Dormand-Prince, from opening to closing; and the propagator
 * alone (mode sets, segments, event search, state at the event), its modes chained by hand. The publication
 * reports 2.3 s for its event-driven code, 64.84 s for the stabilised midpoint rule and 2495.6 s for the
 * plain one.
 *
 *     bench_event         the table
 *     bench_event N       N runs all in, for valgrind --tool=callgrind */
#include "measure.h"
#include "method/exact/exact.h"
#include "method/method.h"
#include "slipstick/slipstick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static slip_expression *compile(const slip_symbol *symbols, const char *text)
{
    slip_expression *expression = NULL;
    slip_expression_error error;
    if (slip_expression_compile(text, symbols, &expression, &error) < 0)
        exit(1);
    return expression;
}

static slip_system *jack_plane(slip_context *ctx, slip_arena *arena)
{
    static const char *const names[] = {"n", "u"};
    static const double mass[] = {1, 0, 0, 1}, stiffness[] = {1.2, -1, -1, 1.2};
    slip_system *system = NULL;
    slip_law law = slip_law_default("coulomb");
    law.mu = 0.4;
    bench_check(ctx, slip_system_create(ctx, 2, 0, names, &system));
    const slip_symbol *symbols = slip_system_symbols(arena, 2, 0, names, NULL, NULL);
    memcpy(system->mass, mass, sizeof mass);
    memcpy(system->stiffness, stiffness, sizeof stiffness);
    bench_check(ctx, slip_system_add_force(ctx, system, 0, compile(symbols, "1.3")));
    bench_check(ctx, slip_system_add_force(ctx, system, 1, compile(symbols, "sin(t/6)")));
    slip_unilateral tip = {
        .name = "tip", .gap = compile(symbols, "-n"), .slip = compile(symbols, "u'"), .law = &law};
    bench_check(ctx, slip_system_add_unilateral(ctx, system, &tip));
    bench_check(ctx, slip_system_finish(ctx, system));
    return system;
}

static const double end = 120 * 3.14159265358979323846;

/* Runs example (a); returns the number of events and the time of the last one. */
static int run(slip_context *ctx, slip_exact *exact, double *last)
{
    double t = 0, q[2] = {0, 0}, v[2] = {0, 0.1};
    slip_mode mode = SLIP_MODE_SLIP_PLUS;
    slip_exact_event event;
    int count = 0;
    for (;;) {
        bench_check(ctx, slip_exact_start(exact, &mode, NULL, t, q, v));
        if (!slip_exact_first_event(exact, end, &event))
            return count;
        count++;
        *last = t = event.t;
        slip_exact_state(exact, t, q, v, NULL);
        if (event.condition == SLIP_EXACT_HOLD) {
            mode = event.sign > 0 ? SLIP_MODE_SLIP_MINUS : SLIP_MODE_SLIP_PLUS;
        } else {
            mode = SLIP_MODE_STICK;
            v[1] = 0;
        }
    }
}

/* The same by the event method; returns the seconds it took. */
static double run_method(slip_context *ctx, const slip_system *system, const char *segments, int64_t *events)
{
    const slip_method_type *type = slip_method_find("event");
    const double q[2] = {0, 0}, v[2] = {0, 0.1};
    slip_method_options options = {.tolerance = 1e-10, .span = end, .segments = segments};
    slip_method_counters counters;
    slip_observer none = {0};
    void *self = NULL;
    double begin = bench_seconds();
    bench_check(ctx, type->open(ctx, system, &options, 0, q, v, &self));
    bench_check(ctx, type->advance(self, end, &none));
    type->counters(self, &counters);
    type->close(self);
    *events = counters.events;
    return bench_seconds() - begin;
}

/* All in; returns the seconds it took. */
static double run_all(slip_context *ctx, const slip_model *model)
{
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    double begin = bench_seconds();
    options.record_points = 11; /* and two for each event */
    bench_check(ctx, slip_run(ctx, model, &options, &result));
    slip_result_destroy(result);
    return bench_seconds() - begin;
}

static void print_row(const char *what, double time, int64_t events, double reference)
{
    printf("  %-38s %14.2f us  %12.3f us an event  %12.2f\n", what, 1e6 * time, 1e6 * time / (double)events,
           time / reference);
}

int main(int argument_count, char **arguments)
{
    slip_context *ctx = slip_context_create();
    slip_arena arena = {0};
    slip_system *system = jack_plane(ctx, &arena);
    slip_model *model = NULL;
    double cold = 1e9, warm = 1e9, whole = 1e9, all = 1e9, first = 1e9, rk = 1e9, last = 0, time;
    int64_t count = 0, rk_count = 0;
    slip_exact *exact = NULL;
    bench_check(ctx, slip_model_parse(ctx, slip_example_text("jack-plane"), "jack-plane", NULL, &model));
    if (argument_count > 1) {
        for (int k = 0; k < atoi(arguments[1]); k++)
            run_all(ctx, model);
        return 0;
    }
    for (int k = 0; k < 1000; k++) {
        double begin = bench_seconds();
        bench_check(ctx, slip_exact_create(ctx, system, NULL, &exact));
        run(ctx, exact, &last);
        double middle = bench_seconds();
        run(ctx, exact, &last);
        double finish = bench_seconds();
        slip_exact_destroy(exact);
        cold = middle - begin < cold ? middle - begin : cold;
        warm = finish - middle < warm ? finish - middle : warm;
        time = run_method(ctx, system, "exact", &count);
        whole = time < whole ? time : whole;
        time = run_all(ctx, model);
        all = time < all ? time : all;
        if (k % 10 == 0) {
            slip_model *fresh = NULL;
            bench_check(ctx,
                        slip_model_parse(ctx, slip_example_text("jack-plane"), "jack-plane", NULL, &fresh));
            time = run_all(ctx, fresh);
            first = time < first ? time : first;
            slip_model_destroy(fresh);
        }
        if (k % 50 == 0) {
            time = run_method(ctx, system, "rk", &rk_count);
            rk = time < rk ? time : rk;
        }
    }
    printf(
        "jack plane (a): %d events by closed forms, the last at t = %.15g; %d by Dormand-Prince at 1e-10\n",
        (int)count, last, (int)rk_count);
    print_row("all in: slip_run", all, count, whole);
    print_row("  the first run of a model", first, count, whole);
    print_row("event method, closed forms", whole, count, whole);
    print_row("  its propagator alone", cold, count, whole);
    print_row("  the same, mode sets at hand", warm, count, whole);
    print_row("event method, Dormand-Prince", rk, rk_count, whole);
    print_row("published event-driven code", 2.3, 60, whole);
    print_row("published stabilised midpoint rule", 64.84, 60, whole);
    print_row("published midpoint rule", 2495.6, 60, whole);
    slip_model_destroy(model);
    slip_system_destroy(system);
    slip_arena_free(&arena);
    slip_context_destroy(ctx);
    return 0;
}
