/* Cost of a `moreau` step against the number of contacts: blocks in a row on a belt, coupled by springs
 * (every contact is a row of its own), a tower of boxes (every contact hangs on all below it), and a bar on
 * many feet (rows of rank 3: forces that are not unique).
 *
 *     bench_contacts [TURNS]
 */
#include "measure.h"

#include <slipstick/slipstick.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { room = 1 << 20 };

/* Text that is put together piece by piece. */
#define SAY(...) used += (size_t)snprintf(text + used, room - used, __VA_ARGS__)

static void say_matrix(char *text, const char *name, int n, double diagonal, double beside)
{
    size_t used = strlen(text);
    SAY("%s: [", name);
    for (int i = 0; i < n; i++) {
        SAY("%s[", i > 0 ? ", " : "");
        for (int j = 0; j < n; j++)
            SAY("%s%g", j > 0 ? ", " : "", i == j ? diagonal : abs(i - j) == 1 ? beside : 0);
        SAY("]");
    }
    SAY("]\n");
}

static size_t say_coordinates(char *text, int n)
{
    size_t used = 0;
    SAY("slipstick: 1\ncoordinates: [");
    for (int i = 0; i < n; i++)
        SAY("%sx%d", i > 0 ? ", " : "", i);
    SAY("]\n");
    say_matrix(text, "mass", n, 1, 0);
    return strlen(text);
}

static void say_blocks(char *text, int count)
{
    size_t used = say_coordinates(text, count);
    say_matrix(text, "stiffness", count, 5, -2);
    used = strlen(text);
    SAY("contacts:\n");
    for (int i = 0; i < count; i++)
        SAY("  c%d: {kind: friction, slip: x%d' - 0.1, normal_force: %g, "
            "law: {type: coulomb, mu: 0.5, static_ratio: 1.2}}\n",
            i, i, 1 + 0.03 * (i * 37 % 11));
    SAY("simulate: {method: moreau, step: 1e-3, time: [0, 2], initial: {x0: 0.3}, record: {points: 3}}\n");
}

static void say_tower(char *text, int count)
{
    size_t used = say_coordinates(text, count);
    SAY("forces: {");
    for (int i = 0; i < count; i++)
        SAY("%sx%d: -10", i > 0 ? ", " : "", i);
    SAY("}\ncontacts:\n  c0: {kind: unilateral, gap: x0}\n");
    for (int i = 1; i < count; i++)
        SAY("  c%d: {kind: unilateral, gap: x%d - x%d}\n", i, i, i - 1);
    SAY("simulate: {method: moreau, step: 1e-3, time: [0, 0.3], record: {points: 3}, initial: {");
    for (int i = 0; i < count; i++)
        SAY("%sx%d: %g", i > 0 ? ", " : "", i, 0.001 * (i + 1));
    SAY("}}\n");
}

static void say_bar(char *text, int count)
{
    size_t used = say_coordinates(text, 3);
    SAY("forces: {x0: 4*sin(5*t), x1: -10, x2: 0.5*sin(3*t)}\ncontacts:\n");
    for (int i = 0; i < count; i++)
        SAY("  c%d: {kind: unilateral, gap: x1 + %.9g*x2, slip: x0', law: {type: coulomb, mu: 0.3}}\n", i,
            -1 + 2.0 * i / (count - 1));
    SAY("simulate: {method: moreau, step: 1e-3, time: [0, 0.5], initial: {x1: 0.05, x2: 0.02}, "
        "record: {points: 3}}\n");
}

static void measure(slip_context *ctx, const char *name, int count, const char *text, int turns)
{
    slip_model *model = NULL;
    double best = INFINITY, steps = 0, events = 0, residual = 0;
    if (slip_model_parse(ctx, text, name, NULL, &model) != SLIP_OK)
        bench_fail(ctx);
    for (int turn = 0; turn < turns; turn++) {
        slip_result *result = NULL;
        if (slip_run(ctx, model, NULL, &result) != SLIP_OK)
            bench_fail(ctx);
        best = fmin(best, slip_result_number(result, "wall_seconds"));
        steps = slip_result_number(result, "steps");
        events = slip_result_number(result, "events.total");
        residual = slip_result_number(result, "residual");
        slip_result_destroy(result);
    }
    printf("%-8s %8d %8.0f %8.0f %14.1f %12.1e\n", name, count, steps, events, 1e6 * best / steps, residual);
    slip_model_destroy(model);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*say)(char *text, int count);
    } cases[] = {{"blocks", say_blocks}, {"tower", say_tower}, {"bar", say_bar}};
    static const int counts[] = {2, 10, 50, 100, 200};
    const int turns = argc > 1 ? atoi(argv[1]) : 3;
    slip_context *ctx = slip_context_create();
    char *text = malloc(room);
    printf("%-8s %8s %8s %8s %14s %12s\n", "", "contacts", "steps", "events", "us a step", "residual");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            cases[k].say(text, counts[i]);
            measure(ctx, cases[k].name, counts[i], text, turns);
        }
    free(text);
    slip_context_destroy(ctx);
    return 0;
}
