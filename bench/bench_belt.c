/* The disk on a moving belt: the event method from the stuck origin through 25 slip phases, and the smooth
 * method against a plain CVODE program of the same equations, at the same tolerances. The two take turns; the
 * best turn of each counts.
 *
 *     bench_belt [TURNS] [event|smooth|cvode]
 *
 * With a name only that program runs, for callgrind. */
#include "measure.h"

#include <slipstick/slipstick.h>

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

static const double inertia = 90, k12 = 0.85, damping = 1e-4, belt = 0.15, mu = 5, third = 2.0 / 3;
static const double epsilon = 1e-5, eta_prime = 13.7627, eta = 4.98, tolerance = 1e-8, smooth_end = 1000;

typedef struct turn {
    double seconds, steps, evaluations, events, x, phi;
} turn;

static void check(int failed, const char *what)
{
    if (!failed)
        return;
    fprintf(stderr, "bench_belt: %s failed\n", what);
    exit(1);
}

/* ---- Slipstick. */

static slip_model *make(slip_context *ctx, int smooth)
{
    static const char *const names[] = {"x", "phi"};
    const double mass[] = {1, 0, 0, inertia}, damp[] = {damping, 0, 0, damping}, stiff[] = {1, k12, k12, 1};
    const double v[] = {belt, 0};
    slip_contact_options pad = slip_contact_options_default();
    slip_model *model = NULL;
    pad.name = "pad";
    pad.kind = "patch";
    pad.slip = "x' - 0.15";
    pad.spin = "phi'";
    pad.law.mu = mu;
    pad.area.m = 2;
    pad.area.b = 1;
    pad.area.epsilon = smooth ? epsilon : 0;
    if (smooth)
        pad.area.eta_prime = eta_prime;
    else
        pad.area.static_ratio = eta;
    check(slip_model_create(ctx, 2, names, &model) < 0 || slip_model_set_mass(ctx, model, mass) < 0 ||
              slip_model_set_damping(ctx, model, damp) < 0 ||
              slip_model_set_stiffness(ctx, model, stiff) < 0 ||
              slip_model_set_initial(ctx, model, NULL, v) < 0 || slip_model_add_contact(ctx, model, &pad) < 0,
          slip_context_message(ctx));
    return model;
}

static turn run(slip_context *ctx, slip_model *model, const char *method, double end)
{
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    turn t = {.seconds = bench_seconds()};
    options.method = method;
    options.end = end;
    options.tolerance = tolerance;
    options.record_points = 2;
    check(slip_run(ctx, model, &options, &result) < 0, slip_context_message(ctx));
    t.seconds = bench_seconds() - t.seconds;
    t.steps = slip_result_number(result, "steps");
    t.evaluations = slip_result_number(result, "evaluations");
    t.events = slip_result_number(result, "events.total");
    t.x = slip_result_number(result, "final.x");
    t.phi = slip_result_number(result, "final.phi");
    slip_result_destroy(result);
    return t;
}

/* ---- CVODE by hand. T = s (1/sqrt(L^2+e^2) + eta' e^3/(L^2+e^2)^2), L^2 = v^2 + w^2. */

static int right_side(double t, N_Vector y, N_Vector rate, void *user)
{
    const double *x = N_VGetArrayPointer(y);
    const double v = x[2] - belt, w = x[3], e = epsilon, square = v * v + w * w + e * e;
    const double factor = mu * (1 / sqrt(square) + eta_prime * e * e * e / (square * square));
    double *f = N_VGetArrayPointer(rate);
    (void)t, (void)user;
    f[0] = x[2];
    f[1] = x[3];
    f[2] = -damping * x[2] - x[0] - k12 * x[1] - factor * v;
    f[3] = (-damping * x[3] - k12 * x[0] - x[1] - factor * third * w) / inertia;
    return 0;
}

static int jacobian(double t, N_Vector y, N_Vector rate, SUNMatrix matrix, void *user, N_Vector a, N_Vector b,
                    N_Vector c)
{
    const double *x = N_VGetArrayPointer(y);
    const double v = x[2] - belt, w = x[3], e = epsilon, square = v * v + w * w + e * e, root = sqrt(square);
    const double factor = mu * (1 / root + eta_prime * e * e * e / (square * square));
    const double slope =
        -mu * (1 / (square * root) +
               4 * eta_prime * e * e * e / (square * square * square)); /* d factor / d L^2 times 2 */
    (void)t, (void)rate, (void)user, (void)a, (void)b, (void)c;
    SUNMatZero(matrix);
    SM_ELEMENT_D(matrix, 0, 2) = SM_ELEMENT_D(matrix, 1, 3) = 1;
    SM_ELEMENT_D(matrix, 2, 0) = -1;
    SM_ELEMENT_D(matrix, 2, 1) = -k12;
    SM_ELEMENT_D(matrix, 2, 2) = -damping - factor - slope * v * v;
    SM_ELEMENT_D(matrix, 2, 3) = -slope * v * w;
    SM_ELEMENT_D(matrix, 3, 0) = -k12 / inertia;
    SM_ELEMENT_D(matrix, 3, 1) = -1 / inertia;
    SM_ELEMENT_D(matrix, 3, 2) = -slope * third * v * w / inertia;
    SM_ELEMENT_D(matrix, 3, 3) = (-damping - third * (factor + slope * w * w)) / inertia;
    return 0;
}

static turn run_cvode(double end)
{
    turn result = {.seconds = bench_seconds()};
    SUNContext context = NULL;
    check(SUNContext_Create(NULL, &context), "SUNContext_Create");
    N_Vector y = N_VNew_Serial(4, context), absolute = N_VNew_Serial(4, context);
    SUNMatrix matrix = SUNDenseMatrix(4, 4, context);
    SUNLinearSolver linear = SUNLinSol_Dense(y, matrix, context);
    void *cvode = CVodeCreate(CV_BDF, context);
    double t = 0, *x = N_VGetArrayPointer(y);
    long steps = 0, evaluations = 0;
    N_VConst(0, y);
    x[2] = belt;
    /* what `smooth` uses: a tenth of the tolerance; velocities to a millionth of epsilon */
    N_VConst(0.1 * tolerance, absolute);
    N_VGetArrayPointer(absolute)[2] = N_VGetArrayPointer(absolute)[3] = fmin(0.1 * tolerance, 1e-6 * epsilon);
    check(CVodeInit(cvode, right_side, 0, y), "CVodeInit");
    check(CVodeSVtolerances(cvode, 0.1 * tolerance, absolute), "CVodeSVtolerances");
    check(CVodeSetLinearSolver(cvode, linear, matrix), "CVodeSetLinearSolver");
    check(CVodeSetJacFn(cvode, jacobian), "CVodeSetJacFn");
    check(CVodeSetMaxNumSteps(cvode, 100000000), "CVodeSetMaxNumSteps");
    check(CVodeSetMaxErrTestFails(cvode, 100), "CVodeSetMaxErrTestFails");
    check(CVodeSetMaxConvFails(cvode, 100), "CVodeSetMaxConvFails");
    check(CVodeSetStopTime(cvode, end), "CVodeSetStopTime");
    while (t < end)
        check(CVode(cvode, end, y, &t, CV_ONE_STEP) < 0, "CVode");
    CVodeGetNumSteps(cvode, &steps);
    CVodeGetNumRhsEvals(cvode, &evaluations);
    result.seconds = bench_seconds() - result.seconds;
    result.steps = (double)steps;
    result.evaluations = (double)evaluations;
    result.x = x[0];
    result.phi = x[1];
    CVodeFree(&cvode);
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    N_VDestroy(absolute);
    N_VDestroy(y);
    SUNContext_Free(&context);
    return result;
}

static void keep_best(turn *best, turn now)
{
    if (best->seconds == 0 || now.seconds < best->seconds)
        *best = now;
}

static void print(const char *name, const turn *t)
{
    printf("%-34s %10.2f %9.0f %12.0f %8.0f %16.9f %16.9f\n", name, 1e3 * t->seconds, t->steps,
           t->evaluations, t->events, t->x, t->phi);
}

int main(int argc, char **argv)
{
    const int turns = argc > 1 ? atoi(argv[1]) : 10;
    const char *only = argc > 2 ? argv[2] : "";
    const double event_end = 3300; /* 25 slip phases */
    slip_context *ctx = slip_context_create();
    slip_model *sharp = make(ctx, 0), *smooth = make(ctx, 1);
    turn event = {0}, ours = {0}, plain = {0};
    for (int k = 0; k < turns; k++) {
        if (!*only || strcmp(only, "event") == 0)
            keep_best(&event, run(ctx, sharp, "event", event_end));
        if (!*only || strcmp(only, "smooth") == 0)
            keep_best(&ours, run(ctx, smooth, "smooth", smooth_end));
        if (!*only || strcmp(only, "cvode") == 0)
            keep_best(&plain, run_cvode(smooth_end));
    }
    printf("%-34s %10s %9s %12s %8s %16s %16s\n", "disk on a belt, tolerance 1e-8", "ms", "steps",
           "evaluations", "events", "x", "phi");
    print("event, eta = 4.98, t = 3300", &event);
    print("smooth, epsilon = 1e-5, t = 1000", &ours);
    print("CVODE, epsilon = 1e-5, t = 1000", &plain);
    if (!*only)
        printf("smooth / CVODE: %.2f of the time\n", ours.seconds / plain.seconds);
    slip_model_destroy(sharp);
    slip_model_destroy(smooth);
    slip_context_destroy(ctx);
    return 0;
}
