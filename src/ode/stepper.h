/* Steppers for y' = f(x, y): one file each, one interface. A stepper holds its last accepted step, from x0 to
 * x1, and can interpolate inside it. Steps may go forward or backward. */
#ifndef SLIP_ODE_STEPPER_H
#define SLIP_ODE_STEPPER_H

#include "base/context.h"

#include <stdbool.h>

typedef struct slip_ode {
    int m; /* number of unknowns */
    /* Integrals over each step besides: rates of them that f writes behind dy. Only for steppers that know
     * how, else 0. */
    int integrals;
    /* dy = f(x, y). False when it is not defined there: the stepper then tries a shorter step. */
    bool (*rhs)(void *user, double x, const double *y, double *dy);
    /* The derivative of f with respect to y, row by row, m x m. Needed by implicit steppers only. */
    bool (*jacobian)(void *user, double x, const double *y, double *jacobian);
    void *user;
} slip_ode;

typedef struct slip_stepper slip_stepper;

/* What a step can answer besides SLIP_OK and errors. */
enum {
    SLIP_STEP_UNDEFINED = -101, /* f is not defined ahead, however short the step */
    SLIP_STEP_TOO_SMALL = -102  /* the error test failed down to the smallest step */
};

typedef struct slip_stepper_type {
    const char *name;
    int order, dense_order; /* local errors are of one order more */
    bool adaptive;
    bool knows_rate; /* its own history has y' at the end of a step: see `lazy` */
    bool integrates; /* takes slip_ode.integrals */
    int (*create)(slip_context *ctx, slip_stepper *stepper);
    void (*destroy)(slip_stepper *stepper);
    int (*start)(slip_stepper *stepper, double first_step);
    int (*step)(slip_stepper *stepper, double limit);
    /* Takes the last step again with another end, without error control; NULL where the stepper cannot. */
    bool (*retake)(slip_stepper *stepper, double x1);
    void (*interpolate)(slip_stepper *stepper, double x, int first, int count, double *y);
} slip_stepper_type;

struct slip_stepper {
    const slip_stepper_type *type;
    slip_ode ode;
    slip_arena arena;
    double tolerance; /* relative, of the adaptive ones */
    double *absolute; /* and absolute, of each unknown; equal to it unless changed before the first start */
    double fixed_step;
    double direction; /* +1 or -1 */
    double reach;     /* from the start to where it heads for */
    double x0, x1;    /* the last accepted step */
    double *y0, *y1, *f0, *f1;
    double *integral; /* over the last step, with the weights and to the order of y */
    /* For those that know the rate: f1 is taken from the history, to the accuracy of the step, and f is not
     * evaluated at its end. May be set before the first start, by whoever needs nothing that an evaluation
     * leaves behind. */
    bool lazy;
    int64_t steps, rejected, jacobians;
    void *own; /* of the stepper's kind */
};

extern const slip_stepper_type slip_stepper_dopri, slip_stepper_rk4, slip_stepper_cvode, slip_stepper_radau;

/* `step` is the length of fixed steps, or 0. */
int slip_stepper_create(slip_context *ctx, const slip_stepper_type *type, const slip_ode *ode,
                        double tolerance, double step, slip_stepper **stepper);
void slip_stepper_destroy(slip_stepper *stepper);
SLIP_OWNED(slip_stepper, slip_stepper_destroy)

/* Starts at (x, y), heading for `limit`; first_step is a guess, or 0. */
int slip_stepper_start(slip_stepper *stepper, double x, const double *y, double limit, double first_step);

/* One accepted step that does not pass `limit`, and ends exactly there if it comes close. */
static inline int slip_stepper_step(slip_stepper *stepper, double limit)
{
    return stepper->type->step(stepper, limit);
}

/* Within a stepper: the next step begins where the last one ended. */
static inline void slip_stepper_begin(slip_stepper *stepper)
{
    double *y = stepper->y0, *f = stepper->f0;
    stepper->x0 = stepper->x1;
    stepper->y0 = stepper->y1;
    stepper->y1 = y;
    stepper->f0 = stepper->f1;
    stepper->f1 = f;
}

/* Undoes slip_stepper_begin after a step that failed altogether: the stepper stands where it stood. */
static inline int slip_stepper_give_up(slip_stepper *stepper, int status)
{
    slip_stepper_begin(stepper);
    stepper->x1 = stepper->x0;
    return status;
}

/* Components first .. first + count - 1 at x between x0 and x1. */
static inline void slip_stepper_interpolate(slip_stepper *stepper, double x, int first, int count, double *y)
{
    stepper->type->interpolate(stepper, x, first, count, y);
}

#endif
