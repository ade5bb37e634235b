/* mu tanh(v/velocity): the smooth law whose tails die out exponentially. At |v| = velocity the force has
 * reached 76 percent of mu, at 3 velocity 99.5 percent. */
#include "law/types.h"

enum { inverse_velocity, slope_at_rest };

static void prepare(slip_law_kernel *kernel)
{
    kernel->constants[inverse_velocity] = 1 / kernel->law.velocity;
    kernel->constants[slope_at_rest] = kernel->law.mu / kernel->law.velocity;
}

static void evaluate(const slip_law_kernel *kernel, int piece, double v, double *force, double *slope)
{
    double t = tanh(v * kernel->constants[inverse_velocity]);
    (void)piece;
    *force = kernel->law.mu * t;
    *slope = kernel->constants[slope_at_rest] * ((1 - t) * (1 + t)); /* even in t to the last bit */
}

static const slip_law_parameter_info parameters[] = {
    SLIP_LAW_PARAMETER_MU,
    {"velocity", "velocity scale: the slope at v = 0 is mu/velocity", NAN, 0, 1, NULL},
    SLIP_LAW_PARAMETER_VISCOUS,
};

const slip_law_type slip_law_tanh = {
    .info = {.name = "tanh",
             .summary = "smooth; reaches mu quickly",
             .formula = "mu tanh(v/velocity)",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .prepare = prepare,
    .evaluate = evaluate,
    .expression = "mu*tanh(v/velocity)",
};
