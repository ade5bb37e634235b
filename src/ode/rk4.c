/* The classical Runge-Kutta method of order 4 with fixed steps; inside a step, the cubic that has the values
 * and slopes of its ends. */
#include "ode/stepper.h"

#include <math.h>

typedef struct rk4 {
    double *k2, *k3, *k4, *trial;
    /* Steps are counted from the start, start + k h, so that rounding does not add up. */
    double start, limit, h;
    int64_t number, count;
} rk4;

static int rk4_create(slip_context *ctx, slip_stepper *stepper)
{
    const int64_t all = stepper->ode.m + stepper->ode.integrals;
    rk4 *own = slip_arena_alloc(&stepper->arena, sizeof *own);
    double *memory = slip_arena_array(&stepper->arena, 4 * all, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, own && memory));
    own->k2 = memory;
    own->k3 = memory + all;
    own->k4 = memory + 2 * all;
    own->trial = memory + 3 * all;
    stepper->own = own;
    return SLIP_OK;
}

static void rk4_destroy(slip_stepper *stepper)
{
    (void)stepper; /* all memory is the stepper's arena */
}

static int rk4_start(slip_stepper *stepper, double first_step)
{
    rk4 *own = stepper->own;
    (void)first_step;
    own->number = own->count = 0;
    own->limit = NAN;
    return SLIP_OK;
}

/* Divides the way to a new limit into steps: equal ones where it is a multiple of the step but for rounding,
 * otherwise full steps and a shorter last one. */
static void plan(slip_stepper *stepper, double limit)
{
    rk4 *own = stepper->own;
    double ratio = fabs(limit - stepper->x1) / stepper->fixed_step, whole = nearbyint(ratio);
    own->start = stepper->x1;
    own->limit = limit;
    own->number = 0;
    if (whole >= 1 && fabs(ratio - whole) < 1e-6) {
        own->count = (int64_t)whole;
        own->h = (limit - stepper->x1) / whole;
    } else {
        own->count = (int64_t)ceil(ratio);
        own->h = stepper->direction * stepper->fixed_step;
    }
}

static bool rk4_take(slip_stepper *stepper)
{
    const slip_ode *ode = &stepper->ode;
    rk4 *own = stepper->own;
    const double x = stepper->x0, h = stepper->x1 - stepper->x0;
    const double *y = stepper->y0, *k1 = stepper->f0;
    for (int i = 0; i < ode->m; i++)
        own->trial[i] = y[i] + h / 2 * k1[i];
    if (!ode->rhs(ode->user, x + h / 2, own->trial, own->k2))
        return false;
    for (int i = 0; i < ode->m; i++)
        own->trial[i] = y[i] + h / 2 * own->k2[i];
    if (!ode->rhs(ode->user, x + h / 2, own->trial, own->k3))
        return false;
    for (int i = 0; i < ode->m; i++)
        own->trial[i] = y[i] + h * own->k3[i];
    if (!ode->rhs(ode->user, stepper->x1, own->trial, own->k4))
        return false;
    for (int i = 0; i < ode->m; i++)
        stepper->y1[i] = y[i] + h / 6 * (k1[i] + 2 * (own->k2[i] + own->k3[i]) + own->k4[i]);
    for (int i = 0, k = ode->m; i < ode->integrals; i++, k++)
        stepper->integral[i] = h / 6 * (k1[k] + 2 * (own->k2[k] + own->k3[k]) + own->k4[k]);
    return ode->rhs(ode->user, stepper->x1, stepper->y1, stepper->f1);
}

static int rk4_step(slip_stepper *stepper, double limit)
{
    rk4 *own = stepper->own;
    double *y = stepper->y0, *f = stepper->f0;
    if (limit != own->limit)
        plan(stepper, limit);
    stepper->x0 = stepper->x1;
    stepper->y0 = stepper->y1;
    stepper->y1 = y;
    stepper->f0 = stepper->f1;
    stepper->f1 = f;
    own->number++;
    stepper->x1 = own->number >= own->count ? limit : own->start + (double)own->number * own->h;
    if (!rk4_take(stepper))
        return SLIP_STEP_UNDEFINED;
    stepper->steps++;
    return SLIP_OK;
}

static void rk4_interpolate(slip_stepper *stepper, double x, int first, int count, double *y)
{
    const double h = stepper->x1 - stepper->x0, theta = (x - stepper->x0) / h, rest = 1 - theta;
    for (int i = first; i < first + count; i++) {
        double rise = stepper->y1[i] - stepper->y0[i];
        y[i - first] =
            stepper->y0[i] + theta * rise +
            theta * rest * (rest * (h * stepper->f0[i] - rise) + theta * (rise - h * stepper->f1[i]));
    }
}

const slip_stepper_type slip_stepper_rk4 = {
    .name = "rk4",
    .order = 4,
    .dense_order = 3,
    .integrates = true,
    .create = rk4_create,
    .destroy = rk4_destroy,
    .start = rk4_start,
    .step = rk4_step,
    .interpolate = rk4_interpolate,
};
