/* The user's own law: a C function that gives the whole force for unit normal force and its slope. */
#include "law/types.h"

static void prepare(slip_law_kernel *kernel)
{
    (void)kernel; /* taken to be smooth: no breaks */
}

static void evaluate(const slip_law_kernel *kernel, int piece, double v, double *force, double *slope)
{
    (void)piece;
    /* If the user's function does not write a result, it is NAN rather than an old number. */
    *force = NAN;
    *slope = NAN;
    kernel->law.function(kernel->law.user, v, force, slope);
}

static const slip_law_parameter_info parameters[] = {
    SLIP_LAW_PARAMETER_VISCOUS,
};

const slip_law_type slip_law_user_function = {
    .info = {.name = "function",
             .summary = "an expression of v, or a C function of the user's own",
             .formula = "force(v)",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .prepare = prepare,
    .evaluate = evaluate,
};
