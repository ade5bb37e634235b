/* SUNDIALS CVODE as a stepper: backward differentiation formulas of variable order and step, Newton's method
 * with the exact Jacobian. The only place that sees SUNDIALS. */
#include "ode/stepper.h"

#include <cvode/cvode.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

/* Objects of SUNDIALS belong to a context since version 6; before, functions do not take one. */
#if SUNDIALS_VERSION_MAJOR >= 6
#ifndef SUN_COMM_NULL /* before version 7 */
#define SUN_COMM_NULL NULL
#endif
#define IN(context) , context
#else
typedef void *SUNContext;
#define IN(context)
#endif

typedef struct cvode {
    SUNContext context;
    void *memory;
    N_Vector y, dense;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    double *jacobian; /* row by row */
    bool fresh;       /* CVodeInit has not been called yet */
    bool behind;      /* the last step was not CVODE's: it has to start again */
} cvode;

static int right_side(double x, N_Vector y, N_Vector dy, void *user)
{
    slip_stepper *stepper = user;
    return stepper->ode.rhs(stepper->ode.user, x, N_VGetArrayPointer(y), N_VGetArrayPointer(dy)) ? 0 : 1;
}

static int jacobian(double x, N_Vector y, N_Vector dy, SUNMatrix matrix, void *user, N_Vector a, N_Vector b,
                    N_Vector c)
{
    slip_stepper *stepper = user;
    cvode *own = stepper->own;
    int m = stepper->ode.m;
    (void)dy, (void)a, (void)b, (void)c;
    stepper->jacobians++;
    if (!stepper->ode.jacobian(stepper->ode.user, x, N_VGetArrayPointer(y), own->jacobian))
        return 1;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++)
            SM_ELEMENT_D(matrix, i, j) = own->jacobian[i * m + j];
    return 0;
}

/* The vector operations that CVODE calls most, without the layers and special cases of its serial vectors: in
 * a system of a few unknowns those take longer than the arithmetic, which is the same. */
static void linear_sum(double a, N_Vector x, double b, N_Vector y, N_Vector z)
{
    const double *of_x = NV_DATA_S(x), *of_y = NV_DATA_S(y);
    double *sum = NV_DATA_S(z);
    for (int64_t i = 0, m = NV_LENGTH_S(z); i < m; i++)
        sum[i] = a * of_x[i] + b * of_y[i];
}

static void scale(double factor, N_Vector x, N_Vector z)
{
    const double *from = NV_DATA_S(x);
    double *to = NV_DATA_S(z);
    for (int64_t i = 0, m = NV_LENGTH_S(z); i < m; i++)
        to[i] = factor * from[i];
}

static double weighted_norm(N_Vector x, N_Vector weight)
{
    const double *of_x = NV_DATA_S(x), *of_weight = NV_DATA_S(weight);
    const int64_t m = NV_LENGTH_S(x);
    double sum = 0;
    for (int64_t i = 0; i < m; i++)
        sum += of_x[i] * of_weight[i] * (of_x[i] * of_weight[i]);
    return sqrt(sum / (double)m);
}

/* For a vector and all that are made after it. */
static void use_short_operations(N_Vector vector)
{
    vector->ops->nvlinearsum = linear_sum;
    vector->ops->nvscale = scale;
    vector->ops->nvwrmsnorm = weighted_norm;
}

/* CVODE's own messages would go to stderr; the status says enough. What says so has another name since
 * version 7. */
#if SUNDIALS_VERSION_MAJOR >= 7
static int be_quiet(cvode *own)
{
    return SUNContext_ClearErrHandlers(own->context) == 0 ? CV_SUCCESS : CV_MEM_FAIL;
}
#else
static void ignore(int code, const char *module, const char *function, char *message, void *user)
{
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

static int be_quiet(cvode *own)
{
    return CVodeSetErrHandlerFn(own->memory, ignore, NULL);
}
#endif

static bool context_create(SUNContext *context)
{
#if SUNDIALS_VERSION_MAJOR >= 6
    return SUNContext_Create(SUN_COMM_NULL, context) == 0;
#else
    *context = NULL;
    return true;
#endif
}

static void context_destroy(SUNContext *context)
{
#if SUNDIALS_VERSION_MAJOR >= 6
    if (*context)
        SUNContext_Free(context);
#else
    (void)context;
#endif
}

static void cvode_destroy(slip_stepper *stepper)
{
    cvode *own = stepper->own;
    if (!own)
        return;
    if (own->memory)
        CVodeFree(&own->memory);
    if (own->solver)
        SUNLinSolFree(own->solver);
    if (own->matrix)
        SUNMatDestroy(own->matrix);
    if (own->y)
        N_VDestroy(own->y);
    if (own->dense)
        N_VDestroy(own->dense);
    context_destroy(&own->context);
}

static int cvode_create(slip_context *ctx, slip_stepper *stepper)
{
    int m = stepper->ode.m;
    cvode *own = stepper->own = slip_arena_alloc(&stepper->arena, sizeof *own);
    SLIP_PASS(slip_allocated(ctx, own));
    own->fresh = true;
    own->jacobian = slip_arena_array(&stepper->arena, (int64_t)m * m, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, own->jacobian && context_create(&own->context)));
    own->y = N_VNew_Serial(m IN(own->context));
    if (own->y)
        use_short_operations(own->y);
    own->dense = own->y ? N_VClone(own->y) : NULL;
    own->matrix = SUNDenseMatrix(m, m IN(own->context));
    own->memory = CVodeCreate(CV_BDF IN(own->context));
    SLIP_PASS(slip_allocated(ctx, own->y && own->dense && own->matrix && own->memory));
    own->solver = SUNLinSol_Dense(own->y, own->matrix IN(own->context));
    SLIP_PASS(slip_allocated(ctx, own->solver));
    return SLIP_OK;
}

static int set_tolerances(slip_stepper *stepper)
{
    cvode *own = stepper->own;
    memcpy(N_VGetArrayPointer(own->dense), stepper->absolute, (size_t)stepper->ode.m * sizeof(double));
    return CVodeSVtolerances(own->memory, stepper->tolerance, own->dense); /* keeps a copy */
}

static int cvode_start(slip_stepper *stepper, double first_step)
{
    cvode *own = stepper->own;
    int flag;
    memcpy(N_VGetArrayPointer(own->y), stepper->y1, (size_t)stepper->ode.m * sizeof(double));
    own->behind = false;
    if (own->fresh) {
        flag = CVodeInit(own->memory, right_side, stepper->x1, own->y);
        if (flag == CV_SUCCESS)
            flag = be_quiet(own);
        if (flag == CV_SUCCESS)
            flag = CVodeSetUserData(own->memory, stepper);
        if (flag == CV_SUCCESS)
            flag = set_tolerances(stepper);
        if (flag == CV_SUCCESS)
            flag = CVodeSetLinearSolver(own->memory, own->solver, own->matrix);
        if (flag == CV_SUCCESS)
            flag = CVodeSetJacFn(own->memory, jacobian);
        /* Leaving stick, the step may have to shrink by many powers of ten at once. */
        if (flag == CV_SUCCESS)
            flag = CVodeSetMaxErrTestFails(own->memory, 100);
        if (flag == CV_SUCCESS)
            flag = CVodeSetMaxConvFails(own->memory, 100);
        own->fresh = flag != CV_SUCCESS;
    } else {
        flag = CVodeReInit(own->memory, stepper->x1, own->y);
    }
    if (flag == CV_SUCCESS)
        flag = CVodeSetInitStep(own->memory, first_step > 0 ? stepper->direction * first_step : 0);
    return flag == CV_SUCCESS ? SLIP_OK : SLIP_ERROR_MEMORY;
}

/* What CVODE's failure means: undefined ahead, or a step that became too small. */
static int failure(int flag)
{
    switch (flag) {
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
        return SLIP_STEP_UNDEFINED;
    case CV_MEM_FAIL:
        return SLIP_ERROR_MEMORY;
    default:
        return SLIP_STEP_TOO_SMALL;
    }
}

/* The second column of the Nordsieck array is h y'. The corrector has made that h f(y) to the tolerance of
 * its iteration, an error of y over h; evaluating f would multiply the error of y by the Jacobian, which in
 * stiff motion is more. */
static void rate_at_end(slip_stepper *stepper)
{
    const cvode *own = stepper->own;
    double t, gamma, rl1, h = 1;
    N_Vector predicted, state, rate, column = NULL;
    void *user;
    CVodeGetNonlinearSystemData(own->memory, &t, &predicted, &state, &rate, &gamma, &rl1, &column, &user);
    CVodeGetLastStep(own->memory, &h);
    for (int i = 0; i < stepper->ode.m; i++)
        stepper->f1[i] = NV_DATA_S(column)[i] / h;
}

/* A step as short as rounding, which CVODE refuses: it starts again behind it. */
static int leap(slip_stepper *stepper, double limit)
{
    const double h = limit - stepper->x1;
    for (int i = 0; i < stepper->ode.m; i++)
        stepper->y1[i] = stepper->y0[i] + h * stepper->f0[i];
    stepper->x0 = stepper->x1;
    stepper->x1 = limit;
    ((cvode *)stepper->own)->behind = true;
    stepper->steps++;
    return stepper->ode.rhs(stepper->ode.user, limit, stepper->y1, stepper->f1) ? SLIP_OK
                                                                                : SLIP_STEP_UNDEFINED;
}

static int cvode_step(slip_stepper *stepper, double limit)
{
    cvode *own = stepper->own;
    const size_t size = (size_t)stepper->ode.m * sizeof(double);
    double x = stepper->x1;
    long rejected = 0;
    memcpy(stepper->y0, stepper->y1, size);
    memcpy(stepper->f0, stepper->f1, size);
    if (fabs(limit - x) <= 8 * DBL_EPSILON * fmax(fabs(limit), fabs(x)))
        return leap(stepper, limit);
    if (own->behind && cvode_start(stepper, 0) < 0)
        return SLIP_ERROR_MEMORY;
    int flag = CVodeSetStopTime(own->memory, limit);
    if (flag == CV_SUCCESS)
        flag = CVode(own->memory, limit, own->y, &x, CV_ONE_STEP);
    if (flag < 0)
        return failure(flag);
    if (x == stepper->x1)
        return SLIP_STEP_TOO_SMALL; /* CVODE itself would go on without moving */
    stepper->x0 = stepper->x1;
    stepper->x1 = x;
    memcpy(stepper->y1, N_VGetArrayPointer(own->y), size);
    CVodeGetNumErrTestFails(own->memory, &rejected);
    stepper->rejected = rejected;
    if (stepper->lazy) {
        rate_at_end(stepper);
    } else if (!stepper->ode.rhs(stepper->ode.user, x, stepper->y1, stepper->f1)) {
        /* Accepted by CVODE, but f is not defined there: the stepper stays where it stood. */
        stepper->x1 = stepper->x0;
        memcpy(stepper->y1, stepper->y0, size);
        memcpy(stepper->f1, stepper->f0, size);
        return SLIP_STEP_UNDEFINED;
    }
    stepper->steps++;
    return SLIP_OK;
}

static void cvode_interpolate(slip_stepper *stepper, double x, int first, int count, double *y)
{
    cvode *own = stepper->own;
    const double *from = stepper->y1;
    if (CVodeGetDky(own->memory, x, 0, own->dense) == CV_SUCCESS)
        from = N_VGetArrayPointer(own->dense);
    memcpy(y, from + first, (size_t)count * sizeof(double));
}

const slip_stepper_type slip_stepper_cvode = {
    .name = "cvode",
    .order = 5,
    .dense_order = 5,
    .adaptive = true,
    .knows_rate = true,
    .create = cvode_create,
    .destroy = cvode_destroy,
    .start = cvode_start,
    .step = cvode_step,
    .interpolate = cvode_interpolate,
};
