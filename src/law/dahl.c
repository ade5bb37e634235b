/* Dahl's law (P. R. Dahl: A solid friction model. Aerospace Corporation, TOR-0158(3107-18)-1, 1968): friction
 * as the stress of a ductile material. With the deflection z, F = stiffness z,
 *
 *     z' = v (1 - sgn(v) F/mu)^exponent.
 *
 * Over the way x = int v dt it does not depend on the speed: loops in (x, F) have closed forms. In the plane,
 * with exponent 1, z' = v - |v| stiffness z/mu. */
#include "law/types.h"

static void evaluate(const slip_law_kernel *kernel, int piece, double v, double *force, double *slope)
{
    (void)v;
    *force = piece > 0 ? kernel->law.mu : -kernel->law.mu;
    *slope = 0;
}

/* With an exponent below 1 the force reaches mu after a finite distance and stays there: 1 - sgn(v) F/mu
 * below this counts as zero. The slope of the rate grows without limit on the way; steps become shorter
 * accordingly, and end there. */
static const double limit = 1e-12;

static slip_law_mode mode(const slip_law *law)
{
    return law->exponent < 1 && law->expression_count == 0 /* else its limit moves */ ? SLIP_LAW_SATURATES
                                                                                      : SLIP_LAW_NO_MODE;
}

static void remember(const slip_law_kernel *kernel, int piece, const signed char *sliders, double v,
                     const double *z, slip_law_response *to)
{
    const slip_law *law = &kernel->law;
    const double side = piece > 0 ? 1 : -1, ratio = law->stiffness / law->mu, base = 1 - side * ratio * z[0];
    const bool saturated = law->exponent < 1 && (base < limit || (sliders && sliders[0] != 0));
    /* the power is negative for a force slightly above its limit, so that the force returns */
    const double power = law->exponent == 1 ? base
                         : saturated        ? 0
                                            : copysign(pow(fabs(base), law->exponent), base);
    const double derivative = law->exponent == 1 ? 1
                              : saturated        ? 0
                                                 : law->exponent * pow(fabs(base), law->exponent - 1);
    to->rate[0] = v * power;
    to->rate_v[0] = power;
    to->rate_z[0] = -v * derivative * side * ratio;
    to->force = law->stiffness * z[0];
    to->slope = 0;
    to->force_z[0] = law->stiffness;
}

static void remember_plane(const slip_law_kernel *kernel, const signed char *sliders, const double v[2],
                           const double z[2], slip_law_plane *to)
{
    (void)sliders;
    slip_law_bristles(&kernel->law, kernel->law.mu, 0, 0, v, z, to);
}

static const slip_law_parameter_info parameters[] = {
    {"mu", "largest coefficient of friction", NAN, 0, 1, NULL},
    SLIP_LAW_PARAMETER_STIFFNESS,
    {"exponent", "1: brittle to ductile material; larger: rounder loops", 1, 0, 1, NULL},
    SLIP_LAW_PARAMETER_VISCOUS,
};

static void state_range(const slip_law_kernel *kernel, int k, double *low, double *high)
{
    (void)k;
    *high = kernel->law.exponent < 1 ? slip_law_deflection(kernel) : INFINITY;
    *low = -*high;
}

const slip_law_type slip_law_dahl = {
    .info = {.name = "dahl",
             .summary = "elastic before it slides, hysteresis; the same at every speed",
             .formula = "F = stiffness z, z' = v (1 - sign(v) F/mu)^exponent",
             .memory = 1,
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .prepare = slip_law_prepare_kink,
    .evaluate = evaluate,
    .remember = remember,
    .remember_plane = remember_plane,
    .expression = "stiffness*z",
    .rate_expression = "v*(1 - side*stiffness*z/mu)",
    .state_size = slip_law_deflection,
    .state_range = state_range,
    .mode = mode,
};
