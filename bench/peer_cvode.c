/* CVODE's turn in `bench/run`: u'' + 0.1 u' + u = 4 sin t - 3.2 Sign(u') from rest over 50 periods, as it is
 * written by hand with root finding: a machine of two states. In slip the sign of the friction is fixed and
 * the root is u' = 0; in stick nothing moves and the root is the holding force at its limit. At a root the
 * integrator starts again. In stick the right side is zero and the step would grow past the release, so it
 * is limited there, as one learns to do.
 *
 *     peer_cvode adams|bdf [TURNS]
 *
 * `adams` iterates by fixed point, `bdf` by Newton's method with a dense matrix and the exact Jacobian. The
 * clock runs over the integration only, not over the making of the integrator. Prints the line of
 * oscillator.h for the best turn. */
#include "oscillator.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

static const double tolerance = 1e-10, longest_step_in_stick = 0.1;

typedef struct machine {
    int sign; /* of u'; 0 in stick */
} machine;

static void check(int status, const char *what)
{
    if (status >= 0)
        return;
    fprintf(stderr, "peer_cvode: %s failed with status %d\n", what, status);
    exit(1);
}

static double holding_force(double t, const double *y)
{
    return oscillator_load * sin(t) - y[0];
}

static int right_side(double t, N_Vector y, N_Vector rate, void *user)
{
    const machine *m = user;
    const double *x = N_VGetArrayPointer(y);
    double *f = N_VGetArrayPointer(rate);
    f[0] = f[1] = 0;
    if (m->sign != 0) {
        f[0] = x[1];
        f[1] = oscillator_load * sin(t) - oscillator_damping * x[1] - x[0] - m->sign * oscillator_friction;
    }
    return 0;
}

static int jacobian(double t, N_Vector y, N_Vector rate, SUNMatrix matrix, void *user, N_Vector a, N_Vector b,
                    N_Vector c)
{
    const machine *m = user;
    (void)t, (void)y, (void)rate, (void)a, (void)b, (void)c;
    SUNMatZero(matrix);
    if (m->sign != 0) {
        SM_ELEMENT_D(matrix, 0, 1) = 1;
        SM_ELEMENT_D(matrix, 1, 0) = -1;
        SM_ELEMENT_D(matrix, 1, 1) = -oscillator_damping;
    }
    return 0;
}

static int root(double t, N_Vector y, double *g, void *user)
{
    const machine *m = user;
    const double *x = N_VGetArrayPointer(y);
    g[0] = m->sign != 0 ? x[1] : oscillator_friction - fabs(holding_force(t, x));
    return 0;
}

static void integrate(void *cvode, machine *m, N_Vector y, oscillator_turn *turn)
{
    const double end = 2 * OSCILLATOR_PI * oscillator_periods;
    double *x = N_VGetArrayPointer(y), t = 0;
    long steps = 0;
    int half = 1;
    for (;;) {
        int status = CVode(cvode, end, y, &t, CV_NORMAL);
        check(status, "CVode");
        check(CVodeGetNumSteps(cvode, &steps), "CVodeGetNumSteps");
        turn->steps += steps;
        if (status != CV_ROOT_RETURN)
            break;
        if (m->sign == 0) {
            m->sign = holding_force(t, x) > 0 ? 1 : -1;
        } else {
            x[1] = 0;
            m->sign = fabs(holding_force(t, x)) <= oscillator_friction ? 0 : -m->sign;
            oscillator_held(turn, half++, x[0]);
        }
        oscillator_switched(turn, (int)turn->events++, t);
        check(CVodeReInit(cvode, t, y), "CVodeReInit");
        check(CVodeSetMaxStep(cvode, m->sign == 0 ? longest_step_in_stick : 0), "CVodeSetMaxStep");
    }
}

static oscillator_turn run(int bdf)
{
    oscillator_turn turn = {0};
    machine m = {0};
    SUNContext context = NULL;
    check(SUNContext_Create(NULL, &context), "SUNContext_Create");
    N_Vector y = N_VNew_Serial(2, context);
    SUNMatrix matrix = bdf ? SUNDenseMatrix(2, 2, context) : NULL;
    SUNLinearSolver linear = bdf ? SUNLinSol_Dense(y, matrix, context) : NULL;
    SUNNonlinearSolver iteration = bdf ? NULL : SUNNonlinSol_FixedPoint(y, 0, context);
    void *cvode = CVodeCreate(bdf ? CV_BDF : CV_ADAMS, context);
    N_VConst(0, y);
    check(CVodeInit(cvode, right_side, 0, y), "CVodeInit");
    check(CVodeSStolerances(cvode, tolerance, tolerance), "CVodeSStolerances");
    check(CVodeSetUserData(cvode, &m), "CVodeSetUserData");
    if (bdf) {
        check(CVodeSetLinearSolver(cvode, linear, matrix), "CVodeSetLinearSolver");
        check(CVodeSetJacFn(cvode, jacobian), "CVodeSetJacFn");
    } else {
        check(CVodeSetNonlinearSolver(cvode, iteration), "CVodeSetNonlinearSolver");
    }
    check(CVodeRootInit(cvode, 1, root), "CVodeRootInit");
    check(CVodeSetMaxNumSteps(cvode, 1000000), "CVodeSetMaxNumSteps");
    check(CVodeSetMaxStep(cvode, longest_step_in_stick), "CVodeSetMaxStep");

    const double started = oscillator_clock();
    integrate(cvode, &m, y, &turn);
    turn.seconds = oscillator_clock() - started;

    CVodeFree(&cvode);
    if (iteration)
        SUNNonlinSolFree(iteration);
    if (linear)
        SUNLinSolFree(linear);
    if (matrix)
        SUNMatDestroy(matrix);
    N_VDestroy(y);
    SUNContext_Free(&context);
    return turn;
}

int main(int argc, char **argv)
{
    const int bdf = argc > 1 && strcmp(argv[1], "bdf") == 0;
    const int turns = argc > 2 ? atoi(argv[2]) : 1;
    oscillator_turn best = {.seconds = INFINITY};
    for (int k = 0; k < turns; k++) {
        oscillator_turn turn = run(bdf);
        best = turn.seconds < best.seconds ? turn : best;
    }
    oscillator_print(&best);
    return 0;
}
