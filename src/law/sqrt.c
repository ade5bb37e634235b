/* mu v (1/sqrt(v^2+e^2) + eta' e^3/(v^2+e^2)^2), e = epsilon: the smooth law with a static peak. With
 * x = v/e and c = 1/sqrt(1+x^2) it is
 *
 *     F = mu x c (1 + eta' c^3),    dF/dv = (mu/e) c^3 (1 + eta' c (4 c^2 - 3)),
 *
 * where 1 - 3 x^2 was written c^-2 (4 c^2 - 3) so that nothing overflows. eta.c has eta' as a function of the
 * peak's height. */
#include "law/types.h"

enum { inverse_epsilon, slope_scale };

static void prepare(slip_law_kernel *kernel)
{
    kernel->constants[inverse_epsilon] = 1 / kernel->law.epsilon;
    kernel->constants[slope_scale] = kernel->law.mu / kernel->law.epsilon;
}

static void evaluate(const slip_law_kernel *kernel, int piece, double v, double *force, double *slope)
{
    double x = v * kernel->constants[inverse_epsilon], eta_prime = kernel->law.eta_prime, c, cubed;
    (void)piece;
    if (fabs(x) > 1e150) /* x^2 would overflow; the law is flat here */
        x = copysign(1e150, x);
    c = 1 / sqrt(1 + x * x);
    if (eta_prime == 0) { /* the common case, and a shorter way to the force */
        *force = kernel->law.mu * (x * c);
        *slope = kernel->constants[slope_scale] * (c * c * c);
        return;
    }
    cubed = c * c * c;
    *force = kernel->law.mu * (x * c) * (1 + eta_prime * cubed);
    *slope = kernel->constants[slope_scale] * cubed * (1 + eta_prime * c * (4 * c * c - 3));
}

static const slip_law_parameter_info parameters[] = {
    SLIP_LAW_PARAMETER_MU,
    {"epsilon", "velocity scale", NAN, 0, 1, NULL},
    {"static_ratio", "largest force over mu", 1, 1, 0, NULL},
    {"eta_prime", "weight of the static peak, instead of static_ratio", 0, 0, 0, NULL},
    SLIP_LAW_PARAMETER_VISCOUS,
};

const slip_law_type slip_law_sqrt = {
    .info = {.name = "sqrt",
             .summary = "smooth, with a static peak if wanted; the law of regularised patches",
             .formula = "mu v (1/sqrt(v^2+epsilon^2) + eta_prime epsilon^3/(v^2+epsilon^2)^2)",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .prepare = prepare,
    .evaluate = evaluate,
    .expression = "mu*v/epsilon/sqrt(1 + (v/epsilon)^2)*(1 + eta_prime/sqrt(1 + (v/epsilon)^2)^3)",
};
