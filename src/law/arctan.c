/* mu (2/pi) atan(v/velocity): the smooth law with long tails. At |v| = velocity the force has reached half of
 * mu, and its slope at v = 0 is 2/pi of that of tanh with the same velocity. */
#include "law/types.h"

enum { inverse_velocity, scale, slope_at_rest };

static const double two_over_pi = 0.636619772367581343;

static void prepare(slip_law_kernel *kernel)
{
    kernel->constants[inverse_velocity] = 1 / kernel->law.velocity;
    kernel->constants[scale] = two_over_pi * kernel->law.mu;
    kernel->constants[slope_at_rest] = two_over_pi * kernel->law.mu / kernel->law.velocity;
}

static void evaluate(const slip_law_kernel *kernel, int piece, double v, double *force, double *slope)
{
    double x = v * kernel->constants[inverse_velocity];
    (void)piece;
    *force = kernel->constants[scale] * atan(x);
    *slope = kernel->constants[slope_at_rest] / (1 + x * x);
}

static const slip_law_parameter_info parameters[] = {
    SLIP_LAW_PARAMETER_MU,
    {"velocity", "velocity at which the force is mu/2", NAN, 0, 1, NULL},
    SLIP_LAW_PARAMETER_VISCOUS,
};

const slip_law_type slip_law_arctan = {
    .info = {.name = "arctan",
             .summary = "smooth; reaches mu slowly",
             .formula = "mu (2/pi) atan(v/velocity)",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .prepare = prepare,
    .evaluate = evaluate,
    .expression = "mu*2/pi*atan(v/velocity)",
};
