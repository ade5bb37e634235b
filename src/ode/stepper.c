#include "ode/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int slip_stepper_create(slip_context *ctx, const slip_stepper_type *type, const slip_ode *ode,
                        double tolerance, double step, slip_stepper **result)
{
    SLIP_FREED_BY(slip_stepper_drop) slip_stepper *stepper = calloc(1, sizeof *stepper);
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, stepper));
    stepper->type = type;
    stepper->ode = *ode;
    stepper->tolerance = tolerance;
    stepper->fixed_step = step;
    const int64_t m = ode->m, more = ode->integrals;
    stepper->y0 = slip_arena_array(&stepper->arena, 5 * m + 3 * more, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, stepper->y0 != NULL));
    stepper->y1 = stepper->y0 + m;
    stepper->f0 = stepper->y1 + m;
    stepper->f1 = stepper->f0 + m + more;
    stepper->absolute = stepper->f1 + m + more;
    stepper->integral = stepper->absolute + m;
    for (int i = 0; i < ode->m; i++)
        stepper->absolute[i] = tolerance;
    SLIP_PASS(type->create(ctx, stepper));
    SLIP_HAND(result, stepper);
    return SLIP_OK;
}

void slip_stepper_destroy(slip_stepper *stepper)
{
    if (!stepper)
        return;
    stepper->type->destroy(stepper);
    slip_arena_free(&stepper->arena);
    free(stepper);
}

int slip_stepper_start(slip_stepper *stepper, double x, const double *y, double limit, double first_step)
{
    stepper->direction = limit < x ? -1 : 1;
    stepper->reach = fabs(limit - x);
    stepper->x0 = stepper->x1 = x;
    memcpy(stepper->y1, y, (size_t)stepper->ode.m * sizeof(double));
    if (!stepper->ode.rhs(stepper->ode.user, x, stepper->y1, stepper->f1))
        return SLIP_STEP_UNDEFINED;
    return stepper->type->start(stepper, first_step);
}
