/* Cost of an event by exact propagation, on the published jack plane, example (a): 60 events of stick and
 * slip over T = 120 pi. The modes are chained by hand here (the contact stays closed), so that what is
 * measured is the propagator alone: mode sets, segments, event search, state at the event. The publication
 * reports 2.3 s for its event-driven code, 64.84 s for the stabilised midpoint rule and 2495.6 s for the
 * plain one. */
#include "method/exact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void check(slip_context *ctx, int status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "%s\n", slip_context_message(ctx));
    exit(1);
}

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
    check(ctx, slip_system_create(ctx, 2, names, &system));
    const slip_symbol *symbols = slip_system_symbols(arena, 2, names, NULL);
    memcpy(system->mass, mass, sizeof mass);
    memcpy(system->stiffness, stiffness, sizeof stiffness);
    check(ctx, slip_system_add_force(ctx, system, 0, compile(symbols, "1.3")));
    check(ctx, slip_system_add_force(ctx, system, 1, compile(symbols, "sin(t/6)")));
    slip_unilateral tip = {
        .name = "tip", .gap = compile(symbols, "-n"), .slip = compile(symbols, "u'"), .law = &law};
    check(ctx, slip_system_add_unilateral(ctx, system, &tip));
    check(ctx, slip_system_finish(ctx, system));
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
        check(ctx, slip_exact_start(exact, &mode, t, q, v));
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

int main(void)
{
    slip_context *ctx = slip_context_create();
    slip_arena arena = {0};
    slip_system *system = jack_plane(ctx, &arena);
    double cold = 1e9, warm = 1e9, last = 0;
    int count = 0;
    slip_exact *exact = NULL;
    for (int k = 0; k < 2000; k++) {
        double begin = seconds();
        slip_exact_destroy(exact);
        check(ctx, slip_exact_create(ctx, system, &exact));
        count = run(ctx, exact, &last);
        double middle = seconds();
        run(ctx, exact, &last);
        double finish = seconds();
        cold = middle - begin < cold ? middle - begin : cold;
        warm = finish - middle < warm ? finish - middle : warm;
    }
    printf("jack plane (a), exact propagation: %d events, the last at t = %.15g\n", count, last);
    printf("  with the preparation of its mode sets  %8.2f us a run  %6.3f us an event\n", 1e6 * cold,
           1e6 * cold / count);
    printf("  mode sets at hand                      %8.2f us a run  %6.3f us an event\n", 1e6 * warm,
           1e6 * warm / count);
    printf("  published event-driven code            2300000    us a run, %.0f times as much\n", 2.3 / cold);
    printf("  published stabilised midpoint rule    64840000    us a run, %.0f times as much\n",
           64.84 / cold);
    printf("  published midpoint rule             2495600000    us a run, %.0f times as much\n",
           2495.6 / cold);
    slip_exact_destroy(exact);
    slip_system_destroy(system);
    slip_arena_free(&arena);
    slip_context_destroy(ctx);
    return 0;
}
