/* A chain of N masses, each on the ground with Coulomb's friction, by the event method: how the cost grows
 * with N, and what `moreau` takes for it.
 *
 *     m x_i'' + k (2 x_i - x_(i-1) - x_(i+1)) = [i = 0] sin t - mu N Sign(x_i'),   m = k = N = 1,
 *
 * from rest, with mu = 0.1 and 0.01. Friction lets the motion reach a few masses, or some twenty (it travels
 * at one mass a unit of time); all others stick, and each of them might be the next one to slip.
 *
 *     bench_chain [TURNS]      all cases
 *     bench_chain N TIME MU    one run, for a profile
 */
#include "measure.h"

#include <slipstick/slipstick.h>

#include <math.h>
#include <stdbool.h>

enum { room = 1 << 21 };

/* Text that is put together piece by piece. */
#define SAY(...) used += (size_t)snprintf(text + used, room - used, __VA_ARGS__)

static size_t say_matrix(char *text, size_t used, const char *name, int n, double diagonal, double beside)
{
    SAY("%s: [", name);
    for (int i = 0; i < n; i++) {
        SAY("%s[", i > 0 ? ", " : "");
        for (int j = 0; j < n; j++)
            SAY("%s%g", j > 0 ? ", " : "", i == j ? diagonal : abs(i - j) == 1 ? beside : 0);
        SAY("]");
    }
    SAY("]\n");
    return used;
}

static void say_chain(char *text, int n, double time, double mu, const char *method)
{
    size_t used = 0;
    SAY("slipstick: 1\ncoordinates: [");
    for (int i = 0; i < n; i++)
        SAY("%sx%d", i > 0 ? ", " : "", i);
    SAY("]\n");
    used = say_matrix(text, used, "mass", n, 1, 0);
    used = say_matrix(text, used, "stiffness", n, 2, -1);
    SAY("forces: {x0: sin(t)}\ncontacts:\n");
    for (int i = 0; i < n; i++)
        SAY("  c%d: {kind: friction, slip: x%d', normal_force: 1, law: {type: coulomb, mu: %g}}\n", i, i, mu);
    SAY("simulate: {%s, time: [0, %g], record: {points: 3}}\n", method, time);
}

typedef struct outcome {
    double seconds, steps, events, error;
} outcome;

/* The best of some turns. `last` gets the coordinates at the end, or has them: then the error is the largest
 * difference. */
static outcome run(slip_context *ctx, char *text, int n, double time, double mu, const char *method,
                   int turns, bool compare, double *last)
{
    slip_model *model = NULL;
    outcome best = {.seconds = INFINITY};
    say_chain(text, n, time, mu, method);
    bench_check(ctx, slip_model_parse(ctx, text, "chain", NULL, &model));
    for (int turn = 0; turn < turns; turn++) {
        slip_result *result = NULL;
        const double start = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
        bench_check(ctx, slip_run(ctx, model, NULL, &result));
        best.seconds = fmin(best.seconds, bench_clock(CLOCK_PROCESS_CPUTIME_ID) - start);
        best.steps = slip_result_number(result, "steps");
        best.events = slip_result_number(result, "events.total");
        best.error = 0;
        for (int i = 0; i < n; i++) {
            char name[32];
            snprintf(name, sizeof name, "final.x%d", i);
            const double x = slip_result_number(result, name);
            if (compare)
                best.error = fmax(best.error, fabs(x - last[i]));
            else
                last[i] = x;
        }
        slip_result_destroy(result);
    }
    slip_model_destroy(model);
    return best;
}

static void print(const char *name, int n, double time, double mu, outcome o)
{
    printf("%-10s %5d %6g %6g %8.0f %8.0f %12.5f", name, n, time, mu, o.steps, o.events, o.seconds);
}

/* `moreau` with two steps, and what it would take for an error of 1e-6 by the order that they show. */
static void race(slip_context *ctx, char *text, int n, double time, double mu, double step, double *last)
{
    const outcome event = run(ctx, text, n, time, mu, "method: event", 3, false, last);
    outcome moreau[2];
    print("event", n, time, mu, event);
    printf("\n");
    for (int k = 0; k < 2; k++) {
        char method[64];
        snprintf(method, sizeof method, "method: moreau, step: %g", step / (k + 1));
        moreau[k] = run(ctx, text, n, time, mu, method, 1, true, last);
        print("moreau", n, time, mu, moreau[k]);
        printf(" %10.2e %10.1f\n", moreau[k].error, moreau[k].seconds / event.seconds);
    }
    const double order = log2(moreau[0].error / moreau[1].error),
                 seconds = moreau[1].seconds * pow(moreau[1].error / 1e-6, 1 / order);
    printf("moreau for an error of 1e-6: order %.2f, %.3g s, %.3g times that of event\n", order, seconds,
           seconds / event.seconds);
}

int main(int argc, char **argv)
{
    static const int counts[] = {8, 16, 32, 64, 65, 128, 300};
    static const double times[] = {3, 20}, frictions[] = {0.1, 0.01};
    slip_context *ctx = slip_context_create();
    char *text = malloc(room);
    double last[1000];
    if (argc > 3) {
        print("event", atoi(argv[1]), atof(argv[2]), atof(argv[3]),
              run(ctx, text, atoi(argv[1]), atof(argv[2]), atof(argv[3]), "method: event", 1, false, last));
        printf("\n");
    } else {
        const int turns = argc > 1 ? atoi(argv[1]) : 3;
        printf("%-10s %5s %6s %6s %8s %8s %12s %10s %10s\n", "", "N", "time", "mu", "steps", "events",
               "seconds", "error", "ratio");
        for (int f = 0; f < 2; f++)
            for (int t = 0; t < 2; t++)
                for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
                    print("event", counts[k], times[t], frictions[f],
                          run(ctx, text, counts[k], times[t], frictions[f], "method: event", turns, false,
                              last));
                    printf("\n");
                }
        race(ctx, text, 64, 20, 0.1, 2e-3, last);
        race(ctx, text, 300, 20, 0.1, 2e-2, last);
    }
    free(text);
    slip_context_destroy(ctx);
    return 0;
}
