/* Cost of a Dormand-Prince step on the linear oscillator: Slipstick's `event` method through the whole path
 * (model text with expressions, friction law, recording of every step) against ARKODE's ERKStep with the same
 * pair, tolerance and problem, its right side written in C and every step stored. Both run in turns, and the
 * best of many turns counts, so that the ratio means something on a busy machine. */
#include "measure.h"

#include <slipstick/slipstick.h>

#include <arkode/arkode_erkstep.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { longest = 200000 };
static const double tolerance = 1e-9, end = 500;

/* One oscillator, x'' + 0.1 x' + x = 2 cos(1.3 t), or two that are coupled; also with a friction law on the
 * first. */
typedef struct problem {
    int n;
    bool friction;
} problem;

static int right_side(realtype t, N_Vector y, N_Vector dy, void *user)
{
    const problem *p = user;
    const double *x = N_VGetArrayPointer(y);
    double *f = N_VGetArrayPointer(dy);
    if (p->n == 1) {
        f[0] = x[1];
        f[1] = 2 * cos(1.3 * t) - 0.1 * x[1] - x[0];
        if (p->friction)
            f[1] -= 0.2 * x[1] / sqrt(x[1] * x[1] + 0.25);
    } else {
        f[0] = x[2];
        f[1] = x[3];
        f[2] = 2 * cos(1.3 * t) - 0.1 * x[2] - x[0] - 0.3 * x[1];
        f[3] = -0.1 * x[3] - 0.3 * x[0] - 2 * x[1];
        if (p->friction)
            f[2] -= 0.2 * x[2] / sqrt(x[2] * x[2] + 0.25);
    }
    return 0;
}

static const char *const models[] = {
    "slipstick: 1\n"
    "coordinates: [x]\n"
    "mass: [[1]]\n"
    "damping: [[0.1]]\n"
    "stiffness: [[1]]\n"
    "forces: {x: 2*cos(1.3*t)}\n"
    "simulate: {method: event, segments: rk, time: [0, 500], tolerance: 1e-9, record: {steps: true}}\n",
    "slipstick: 1\n"
    "coordinates: [x, y]\n"
    "mass: [[1, 0], [0, 1]]\n"
    "damping: [[0.1, 0], [0, 0.1]]\n"
    "stiffness: [[1, 0.3], [0.3, 2]]\n"
    "forces: {x: 2*cos(1.3*t)}\n"
    "simulate: {method: event, segments: rk, time: [0, 500], tolerance: 1e-9, record: {steps: true}}\n"};
static const char *const friction =
    "contacts: {pad: {kind: friction, slip: x', law: {type: sqrt, mu: 0.2, epsilon: 0.5}}}\n";

typedef struct measured {
    double seconds;
    long steps;
    double x; /* at the end */
} measured;

static measured run_arkode(problem *p)
{
    const int n = p->n;
    measured result = {0};
    double(*stored)[5] = malloc(longest * sizeof *stored); /* untouched memory costs nothing */
    if (!stored)
        exit(1);
    SUNContext context;
    SUNContext_Create(NULL, &context);
    N_Vector y = N_VNew_Serial(2 * n, context);
    N_VConst(0, y);
    void *memory = ERKStepCreate(right_side, 0, y, context);
    ERKStepSStolerances(memory, tolerance, tolerance);
    ERKStepSetTableNum(memory, ARKODE_DORMAND_PRINCE_7_4_5);
    ERKStepSetUserData(memory, p);
    ERKStepSetStopTime(memory, end);
    double t = 0, start = bench_seconds();
    while (t < end && result.steps < longest) {
        if (ERKStepEvolve(memory, end, y, &t, ARK_ONE_STEP) < 0)
            break;
        stored[result.steps][0] = t;
        memcpy(stored[result.steps] + 1, N_VGetArrayPointer(y), (size_t)(2 * n) * sizeof(double));
        result.steps++;
    }
    result.seconds = bench_seconds() - start;
    result.x = N_VGetArrayPointer(y)[0];
    free(stored);
    ERKStepFree(&memory);
    N_VDestroy(y);
    SUNContext_Free(&context);
    return result;
}

static measured run_slipstick(slip_context *ctx, slip_model *model)
{
    measured result = {0};
    slip_result *run = NULL;
    double start = bench_seconds();
    if (slip_run(ctx, model, NULL, &run) != SLIP_OK)
        bench_fail(ctx);
    result.seconds = bench_seconds() - start;
    result.steps = (long)slip_result_number(run, "steps");
    result.x = slip_result_number(run, "final.x");
    slip_result_destroy(run);
    return result;
}

static void compare(slip_context *ctx, problem p, int turns)
{
    measured best[2] = {{.seconds = INFINITY}, {.seconds = INFINITY}};
    double cost[2];
    char text[1000];
    slip_model *model = NULL;
    snprintf(text, sizeof text, "%s%s", models[p.n - 1], p.friction ? friction : "");
    if (slip_model_parse(ctx, text, "oscillator", NULL, &model) != SLIP_OK)
        bench_fail(ctx);
    for (int turn = 0; turn < turns; turn++) {
        measured a = run_slipstick(ctx, model), b = run_arkode(&p);
        best[0] = a.seconds < best[0].seconds ? a : best[0];
        best[1] = b.seconds < best[1].seconds ? b : best[1];
    }
    for (int k = 0; k < 2; k++) {
        cost[k] = 1e9 * best[k].seconds / (double)best[k].steps;
        printf("%4d    %-8s  %-9s %6ld %10.0f      %.12f\n", 2 * p.n, p.friction ? "friction" : "linear",
               k == 0 ? "slipstick" : "ARKODE", best[k].steps, cost[k], best[k].x);
    }
    printf("        ARKODE / slipstick: %.1f a step, %.1f for the whole run\n\n", cost[1] / cost[0],
           best[1].seconds / best[0].seconds);
    slip_model_destroy(model);
}

int main(int argc, char **argv)
{
    const int turns = argc > 1 ? atoi(argv[1]) : 50;
    slip_context *ctx = slip_context_create();
    printf("Dormand-Prince, linear oscillator, tolerance %g, to t = %g, every step recorded\n\n", tolerance,
           end);
    printf("states  problem   program    steps    ns a step      x at the end\n");
    for (int n = 1; n <= 2; n++) {
        compare(ctx, (problem){n, false}, turns);
        compare(ctx, (problem){n, true}, turns);
    }
    slip_context_destroy(ctx);
    return 0;
}
