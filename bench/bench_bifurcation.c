/* A bifurcation diagram of the impact oscillator x'' + x = cos(w t), x <= 0, restitution 0.8, where it is
 * chaotic (w = 2.76 to 2.86: nothing settles, so that all returns are taken): values of w with 200 periods of
 * transient and 100 points each, by `slip_bifurcation` on one thread, and by CVODE (Adams, tolerance 1e-10)
 * with its root finding, on fewer values.
 *
 *     bench_bifurcation [VALUES [VALUES_OF_CVODE]]
 *
 * Prints seconds of processor time, and how many times longer CVODE takes for the same work.
 * bench/peer_diagram.py is the same by SciPy. */
#include "measure.h"

#include "slipstick/bifurcation.h"

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { transient = 200, points = 100 };
static const double low = 2.76, high = 2.86, pi = 3.14159265358979323846;

static const char model_text[] =
    "slipstick: 1\nparameters: {w: 2.8}\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n"
    "forces: {x: cos(w*t)}\n"
    "contacts: {stop: {kind: unilateral, gap: -x, restitution: 0.8}}\n"
    "simulate: {time: [0, 100], initial: {x: -0.5}}\n";

static double run_ours(int values, int64_t *returns)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    slip_result *result = NULL;
    const slip_axis axis = {.name = "w", .from = low, .to = high, .count = values};
    slip_bifurcation_options options = slip_bifurcation_options_default();
    int64_t count;
    options.axis = &axis;
    options.period = "2*pi/w";
    options.transient = transient;
    options.points = points;
    options.carry = 0;
    options.threads = 1;
    bench_check(ctx, slip_model_parse(ctx, model_text, "stop.yaml", NULL, &model));
    const double started = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    bench_check(ctx, slip_bifurcation(ctx, model, &options, &result));
    const double seconds = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - started;
    const double *taken = slip_result_series(result, "values.returns", &count);
    *returns = 0;
    for (int64_t k = 0; k < count; k++)
        *returns += (int64_t)taken[k];
    slip_result_destroy(result);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return seconds;
}

/* ---- CVODE, as it is written by hand. */

static int right_side(double t, N_Vector y, N_Vector rate, void *user)
{
    const double *x = N_VGetArrayPointer(y);
    double *f = N_VGetArrayPointer(rate);
    f[0] = x[1];
    f[1] = cos(*(const double *)user * t) - x[0];
    return 0;
}

static int root(double t, N_Vector y, double *g, void *user)
{
    (void)t, (void)user;
    g[0] = -N_VGetArrayPointer(y)[0];
    return 0;
}

static void check(int status, const char *what)
{
    if (status >= 0)
        return;
    fprintf(stderr, "bench_bifurcation: %s failed with status %d\n", what, status);
    exit(1);
}

static double run_cvode(int values)
{
    SUNContext sun;
    check(SUNContext_Create(NULL, &sun), "SUNContext_Create");
    N_Vector y = N_VNew_Serial(2, sun);
    double *x = N_VGetArrayPointer(y), seen = 0;
    const double started = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    for (int k = 0; k < values; k++) {
        double w = low + (high - low) * k / (values > 1 ? values - 1 : 1), t = 0;
        void *cvode = CVodeCreate(CV_ADAMS, sun);
        SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(y, 0, sun);
        x[0] = -0.5;
        x[1] = 0;
        check(CVodeInit(cvode, right_side, 0, y), "CVodeInit");
        check(CVodeSStolerances(cvode, 1e-10, 1e-10), "CVodeSStolerances");
        check(CVodeSetUserData(cvode, &w), "CVodeSetUserData");
        check(CVodeSetNonlinearSolver(cvode, solver), "CVodeSetNonlinearSolver");
        check(CVodeRootInit(cvode, 1, root), "CVodeRootInit");
        check(CVodeSetRootDirection(cvode, (int[]){-1}), "CVodeSetRootDirection");
        check(CVodeSetMaxNumSteps(cvode, 100000), "CVodeSetMaxNumSteps");
        for (int n = 1; n <= transient + points; n++) {
            const double end = n * 2 * pi / w;
            int status;
            check(CVodeSetStopTime(cvode, end), "CVodeSetStopTime");
            while (t < end) {
                check(status = CVode(cvode, end, y, &t, CV_NORMAL), "CVode");
                if (status == CV_ROOT_RETURN) {
                    x[0] = 0;
                    x[1] *= -0.8;
                    check(CVodeReInit(cvode, t, y), "CVodeReInit");
                    check(CVodeSetStopTime(cvode, end), "CVodeSetStopTime");
                }
            }
            seen += x[0]; /* so that nothing is left out */
        }
        CVodeFree(&cvode);
        SUNNonlinSolFree(solver);
    }
    const double seconds = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - started;
    N_VDestroy(y);
    SUNContext_Free(&sun);
    if (!isfinite(seen))
        exit(1);
    return seconds;
}

int main(int count, char **arguments)
{
    const int values = count > 1 ? atoi(arguments[1]) : 1000, of_cvode = count > 2 ? atoi(arguments[2]) : 50;
    int64_t returns;
    const double ours = run_ours(values, &returns), theirs = run_cvode(of_cvode);
    const double each = ours / (double)returns, of_each = theirs / of_cvode / (transient + points);
    printf("%d values, %lld returns: %.3f s, %.3f us a return\n", values, (long long)returns, ours,
           1e6 * each);
    printf("CVODE with roots, %d values: %.3f s, %.3f us a return: %.1f times ours\n", of_cvode, theirs,
           1e6 * of_each, of_each / each);
    return 0;
}
