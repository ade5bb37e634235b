/* ARKODE's turn in `bench_batch`: x'' + 0.1 x' + x = cos w t - mu Sign(x') with static friction 1.3 mu, from
 * rest, by Dormand and Prince's pair with root finding, as a machine of two states (peer_cvode.c). */
#include "peer_arkode.h"

#include <arkode/arkode_erkstep.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>

static const double tolerance = 1e-10, longest_step_in_stick = 0.1, static_ratio = 1.3, damping = 0.1;

typedef struct machine {
    double w, mu;
    int sign; /* of x'; 0 in stick */
} machine;

static int check(int status)
{
    if (status >= 0)
        return status;
    fprintf(stderr, "ARKODE failed with status %d\n", status);
    exit(1);
}

static double holding_force(const machine *m, double t, const double *y)
{
    return cos(m->w * t) - y[0];
}

static int right_side(double t, N_Vector y, N_Vector rate, void *user)
{
    const machine *m = user;
    const double *x = N_VGetArrayPointer(y);
    double *f = N_VGetArrayPointer(rate);
    f[0] = m->sign != 0 ? x[1] : 0;
    f[1] = m->sign != 0 ? cos(m->w * t) - damping * x[1] - x[0] - m->sign * m->mu : 0;
    return 0;
}

static int root(double t, N_Vector y, double *g, void *user)
{
    const machine *m = user;
    const double *x = N_VGetArrayPointer(y);
    g[0] = m->sign != 0 ? x[1] : static_ratio * m->mu - fabs(holding_force(m, t, x));
    return 0;
}

/* What comes after a stop or a release. */
static void change(machine *m, double t, double *x)
{
    const double force = holding_force(m, t, x);
    const int stops = m->sign != 0 && fabs(force) <= static_ratio * m->mu;
    x[1] = 0;
    m->sign = stops ? 0 : force > 0 ? 1 : -1;
}

long long peer_arkode_run(double w, double mu, double end, double *x_end)
{
    machine m = {w, mu, 0};
    long long events = 0;
    SUNContext context = NULL;
    check(SUNContext_Create(NULL, &context));
    N_Vector y = N_VNew_Serial(2, context);
    double *x = N_VGetArrayPointer(y), t = 0;
    N_VConst(0, y);
    m.sign = static_ratio * mu < 1 ? 1 : 0;
    void *memory = ERKStepCreate(right_side, 0, y, context);
    check(ERKStepSStolerances(memory, tolerance, tolerance));
    check(ERKStepSetTableNum(memory, ARKODE_DORMAND_PRINCE_7_4_5));
    check(ERKStepSetUserData(memory, &m));
    check(ERKStepRootInit(memory, 1, root));
    check(ERKStepSetMaxNumSteps(memory, 10000000));
    while (check(ERKStepEvolve(memory, end, y, &t, ARK_NORMAL)) == ARK_ROOT_RETURN) {
        change(&m, t, x);
        events++;
        check(ERKStepReset(memory, t, y));
        check(ERKStepSetMaxStep(memory, m.sign == 0 ? longest_step_in_stick : 0));
    }
    *x_end = x[0];
    ERKStepFree(&memory);
    N_VDestroy(y);
    SUNContext_Free(&context);
    return events;
}
