/* The explicit Runge-Kutta pair of Dormand and Prince, order 5(4), with the continuous extension of order 4
 * and the step control of E. Hairer, S. P. Norsett, G. Wanner: Solving Ordinary Differential Equations I, 2nd
 * ed., sections II.4 to II.6. The seventh stage is the first one of the next step. */
#include "ode/stepper.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double c2 = 1.0 / 5, c3 = 3.0 / 10, c4 = 4.0 / 5, c5 = 8.0 / 9;
static const double a21 = 1.0 / 5;
static const double a31 = 3.0 / 40, a32 = 9.0 / 40;
static const double a41 = 44.0 / 45, a42 = -56.0 / 15, a43 = 32.0 / 9;
static const double a51 = 19372.0 / 6561, a52 = -25360.0 / 2187, a53 = 64448.0 / 6561, a54 = -212.0 / 729;
static const double a61 = 9017.0 / 3168, a62 = -355.0 / 33, a63 = 46732.0 / 5247, a64 = 49.0 / 176,
                    a65 = -5103.0 / 18656;
static const double a71 = 35.0 / 384, a73 = 500.0 / 1113, a74 = 125.0 / 192, a75 = -2187.0 / 6784,
                    a76 = 11.0 / 84;
/* Difference between the two orders, and the last term of the continuous extension. */
static const double e1 = 71.0 / 57600, e3 = -71.0 / 16695, e4 = 71.0 / 1920, e5 = -17253.0 / 339200,
                    e6 = 22.0 / 525, e7 = -1.0 / 40;
static const double d1 = -12715105075.0 / 11282082432.0, d3 = 87487479700.0 / 32700410799.0,
                    d4 = -10690763975.0 / 1880347072.0, d5 = 701980252875.0 / 199316789632.0,
                    d6 = -1453857185.0 / 822651844.0, d7 = 69997945.0 / 29380423.0;

typedef struct dopri {
    double *k2, *k3, *k4, *k5, *k6, *trial;
    double *dense; /* 4 m: the polynomial of the last step */
    bool dense_ready;
    double next;       /* length of the next step, positive */
    double log_error;  /* base-2 logarithm of the error before, for the proportional-integral control */
    bool after_reject; /* then the step may not grow */
} dopri;

static int dopri_create(slip_context *ctx, slip_stepper *stepper)
{
    const int64_t m = stepper->ode.m, all = m + stepper->ode.integrals;
    dopri *own = slip_arena_alloc(&stepper->arena, sizeof *own);
    double *memory = slip_arena_array(&stepper->arena, 5 * all + 5 * m, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, own && memory));
    own->k2 = memory;
    own->k3 = memory + all;
    own->k4 = memory + 2 * all;
    own->k5 = memory + 3 * all;
    own->k6 = memory + 4 * all;
    own->trial = memory + 5 * all;
    own->dense = own->trial + m;
    stepper->own = own;
    return SLIP_OK;
}

static void dopri_destroy(slip_stepper *stepper)
{
    (void)stepper; /* all memory is the stepper's arena */
}

static double weighted_norm(const slip_stepper *stepper, const double *x)
{
    const int m = stepper->ode.m;
    double sum = 0;
    for (int i = 0; i < m; i++) {
        double part = x[i] / (stepper->absolute[i] + stepper->tolerance * fabs(stepper->y1[i]));
        sum += part * part;
    }
    return sqrt(sum / m);
}

/* A first step by which an Euler step would change little, compared with the second derivative (Hairer et
 * al., section II.4). */
static double guess_step(slip_stepper *stepper)
{
    const slip_ode *ode = &stepper->ode;
    dopri *own = stepper->own;
    double state = weighted_norm(stepper, stepper->y1);
    double slope = weighted_norm(stepper, stepper->f1), curvature, h, h1;
    const double small = 1e-6 * (isfinite(stepper->reach) ? stepper->reach : 1);
    h = state < 1e-5 || slope * small < 1e-11 ? small : 0.01 * state / slope;
    for (int i = 0; i < ode->m; i++)
        own->trial[i] = stepper->y1[i] + stepper->direction * h * stepper->f1[i];
    if (!ode->rhs(ode->user, stepper->x1 + stepper->direction * h, own->trial, own->k2))
        return 1e-3 * h;
    for (int i = 0; i < ode->m; i++)
        own->k3[i] = own->k2[i] - stepper->f1[i];
    curvature = weighted_norm(stepper, own->k3) / h;
    if (!isfinite(curvature))
        return 1e-3 * h;
    h1 = fmax(slope, curvature) <= 1e-15 ? fmax(small, 1e-3 * h) : pow(0.01 / fmax(slope, curvature), 0.2);
    return fmin(100 * h, h1);
}

static int dopri_start(slip_stepper *stepper, double first_step)
{
    dopri *own = stepper->own;
    own->log_error = -13.3; /* 1e-4 */
    own->after_reject = false;
    own->next = first_step > 0 ? first_step : guess_step(stepper);
    return SLIP_OK;
}

/* The stages of a step of signed length h from (x0, y0, f0) to (x1, y1, f1). False where f is not defined.
 * Compiled with m known for the smallest systems, where loops of unknown length cost more than what is in
 * them. */
static inline __attribute__((always_inline)) bool take_stages(const int m, slip_stepper *stepper, double h)
{
    const slip_ode *ode = &stepper->ode;
    dopri *own = stepper->own;
    const double x = stepper->x0;
    const double *restrict y = stepper->y0, *restrict k1 = stepper->f0;
    double *restrict k2 = own->k2, *restrict k3 = own->k3, *restrict k4 = own->k4, *restrict k5 = own->k5,
                     *restrict k6 = own->k6, *restrict trial = own->trial, *restrict end = stepper->y1;
    own->dense_ready = false;
    for (int i = 0; i < m; i++)
        trial[i] = y[i] + h * (a21 * k1[i]);
    if (!ode->rhs(ode->user, x + c2 * h, trial, k2))
        return false;
    for (int i = 0; i < m; i++)
        trial[i] = y[i] + h * (a31 * k1[i] + a32 * k2[i]);
    if (!ode->rhs(ode->user, x + c3 * h, trial, k3))
        return false;
    for (int i = 0; i < m; i++)
        trial[i] = y[i] + h * (a41 * k1[i] + a42 * k2[i] + a43 * k3[i]);
    if (!ode->rhs(ode->user, x + c4 * h, trial, k4))
        return false;
    for (int i = 0; i < m; i++)
        trial[i] = y[i] + h * (a51 * k1[i] + a52 * k2[i] + a53 * k3[i] + a54 * k4[i]);
    if (!ode->rhs(ode->user, x + c5 * h, trial, k5))
        return false;
    for (int i = 0; i < m; i++)
        trial[i] = y[i] + h * (a61 * k1[i] + a62 * k2[i] + a63 * k3[i] + a64 * k4[i] + a65 * k5[i]);
    if (!ode->rhs(ode->user, stepper->x1, trial, k6))
        return false;
    for (int i = 0; i < m; i++)
        end[i] = y[i] + h * (a71 * k1[i] + a73 * k3[i] + a74 * k4[i] + a75 * k5[i] + a76 * k6[i]);
    for (int i = 0, k = m; i < ode->integrals; i++, k++)
        stepper->integral[i] = h * (a71 * k1[k] + a73 * k3[k] + a74 * k4[k] + a75 * k5[k] + a76 * k6[k]);
    return ode->rhs(ode->user, stepper->x1, end, stepper->f1);
}

static bool take(slip_stepper *stepper, double h)
{
    switch (stepper->ode.m) {
    case 2:
        return take_stages(2, stepper, h);
    case 4:
        return take_stages(4, stepper, h);
    default:
        return take_stages(stepper->ode.m, stepper, h);
    }
}

/* Square of the error over the tolerance, root mean square over the unknowns; 1 is just acceptable. */
static inline __attribute__((always_inline)) double sum_error(const int m, const slip_stepper *stepper)
{
    const dopri *own = stepper->own;
    const double *y0 = stepper->y0, *y1 = stepper->y1, *k1 = stepper->f0, *k7 = stepper->f1;
    const double *absolute = stepper->absolute, relative = stepper->tolerance;
    double sum = 0;
    for (int i = 0; i < m; i++) {
        double before = fabs(y0[i]), after = fabs(y1[i]), size = before > after ? before : after;
        double error =
            e1 * k1[i] + e3 * own->k3[i] + e4 * own->k4[i] + e5 * own->k5[i] + e6 * own->k6[i] + e7 * k7[i];
        double part = error / (absolute[i] + relative * size);
        sum += part * part;
    }
    return sum;
}

static double squared_error(const slip_stepper *stepper, double h)
{
    const int m = stepper->ode.m;
    double sum = m == 2 ? sum_error(2, stepper) : m == 4 ? sum_error(4, stepper) : sum_error(m, stepper);
    return h * h * (sum / m);
}

/* Logarithm and power of two to about 1 %, which is all that a choice of step length needs, in a tenth of the
 * time. x is positive and normal, |y| below 1000. */
static double rough_log2(double x)
{
    uint64_t bits;
    double mantissa;
    memcpy(&bits, &x, sizeof bits);
    double exponent = (double)((int64_t)(bits >> 52) - 1023);
    bits = (bits & 0xfffffffffffff) | 0x3ff0000000000000;
    memcpy(&mantissa, &bits, sizeof mantissa);
    return exponent + (mantissa - 1) * (1.3465 - 0.3465 * (mantissa - 1));
}

static double rough_exp2(double y)
{
    int64_t whole = (int64_t)(y + 1023) - 1023;
    double rest = y - (double)whole, power;
    uint64_t bits = (uint64_t)(whole + 1023) << 52;
    memcpy(&power, &bits, sizeof power);
    return power * (1 + rest * (0.6565 + 0.3435 * rest));
}

/* Length of the next step after one of length h with the given squared error. */
static inline double controlled(dopri *own, double h, double squared, bool accepted)
{
    const double integral = 0.2 - 0.04 * 0.75, proportional = 0.04,
                 most = own->after_reject || !accepted ? 1 : 10;
    double log_error = 0.5 * rough_log2(squared > 1e-20 ? squared : 1e-20);
    double factor = 0.9 * rough_exp2(-integral * log_error + (accepted ? proportional * own->log_error : 0));
    factor = factor < 0.2 ? 0.2 : factor > most ? most : factor;
    if (accepted)
        own->log_error = log_error > -13.3 ? log_error : -13.3; /* 1e-4 */
    own->after_reject = !accepted;
    return h * factor;
}

static int dopri_step(slip_stepper *stepper, double limit)
{
    dopri *own = stepper->own;
    slip_stepper_begin(stepper);
    const double start = stepper->x0, distance = fabs(limit - start);
    const double smallest = 16 * DBL_EPSILON * fmax(fabs(start), DBL_MIN / DBL_EPSILON);
    for (;;) {
        /* A last step of almost the full length is stretched, so that no sliver is left. */
        bool last = own->next * (1 + 1e-10) >= distance;
        double h = last ? distance : fmax(own->next, smallest), squared;
        stepper->x1 = last ? limit : start + stepper->direction * h;
        h = fabs(stepper->x1 - start); /* as it is after rounding: late steps are short beside x */
        bool defined = take(stepper, stepper->direction * h);
        squared = defined ? squared_error(stepper, h) : INFINITY;
        if (squared <= 1) {
            double next = controlled(own, h, squared, true);
            /* A step cut short by the limit says little about the next one. */
            own->next = last && next < own->next ? (own->next < 10 * next ? own->next : 10 * next) : next;
            stepper->steps++;
            return SLIP_OK;
        }
        stepper->rejected++;
        own->next = isfinite(squared) ? controlled(own, h, squared, false) : h * 0.2;
        if (own->next < smallest) {
            stepper->x1 = start;
            return slip_stepper_give_up(stepper,
                                        isfinite(squared) ? SLIP_STEP_TOO_SMALL : SLIP_STEP_UNDEFINED);
        }
    }
}

static bool dopri_retake(slip_stepper *stepper, double x1)
{
    stepper->x1 = x1;
    return take(stepper, x1 - stepper->x0);
}

static void prepare_dense(slip_stepper *stepper)
{
    dopri *own = stepper->own;
    const int m = stepper->ode.m;
    const double h = stepper->x1 - stepper->x0;
    const double *k1 = stepper->f0, *k7 = stepper->f1;
    for (int i = 0; i < m; i++) {
        double *part = own->dense + 4 * i;
        part[0] = stepper->y1[i] - stepper->y0[i];
        part[1] = h * k1[i] - part[0];
        part[2] = part[0] - h * k7[i] - part[1];
        part[3] = h * (d1 * k1[i] + d3 * own->k3[i] + d4 * own->k4[i] + d5 * own->k5[i] + d6 * own->k6[i] +
                       d7 * k7[i]);
    }
    own->dense_ready = true;
}

static void dopri_interpolate(slip_stepper *stepper, double x, int first, int count, double *y)
{
    dopri *own = stepper->own;
    double theta = (x - stepper->x0) / (stepper->x1 - stepper->x0), rest = 1 - theta;
    if (!own->dense_ready)
        prepare_dense(stepper);
    for (int i = 0; i < count; i++) {
        const double *part = own->dense + 4 * (first + i);
        y[i] = stepper->y0[first + i] +
               theta * (part[0] + rest * (part[1] + theta * (part[2] + rest * part[3])));
    }
}

const slip_stepper_type slip_stepper_dopri = {
    .name = "dopri",
    .order = 5,
    .dense_order = 4,
    .adaptive = true,
    .integrates = true,
    .create = dopri_create,
    .destroy = dopri_destroy,
    .start = dopri_start,
    .step = dopri_step,
    .retake = dopri_retake,
    .interpolate = dopri_interpolate,
};
