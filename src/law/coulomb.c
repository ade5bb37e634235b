/* Coulomb's law: mu sign(v), and anything within +-mu static_ratio at v = 0. */
#include "law/types.h"

static void evaluate(const slip_law_kernel *kernel, int piece, double v, double *force, double *slope)
{
    (void)v;
    *force = piece > 0 ? kernel->law.mu : -kernel->law.mu;
    *slope = 0;
}

static const slip_law_parameter_info parameters[] = {
    SLIP_LAW_PARAMETER_MU,
    SLIP_LAW_PARAMETER_STATIC_RATIO,
    SLIP_LAW_PARAMETER_VISCOUS,
};

const slip_law_type slip_law_coulomb = {
    .info = {.name = "coulomb",
             .summary = "dry friction with true stick; constant while sliding",
             .formula = "mu sign(v); at v = 0 anything within +-mu static_ratio",
             .set_valued = 1,
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .prepare = slip_law_prepare_kink,
    .evaluate = evaluate,
    .expression = "side*mu",
};
