/* Iwan's model (W. D. Iwan: A distributed-element model for hysteresis and its steady-state dynamic response.
 * J. Appl. Mech. 33, 1966): Jenkins elements in parallel, and a spring beside them. Loops obey Masing's
 * rules, with return-point memory. */
#include "law/types.h"

#include <string.h>

static void prepare(slip_law_kernel *kernel)
{
    (void)kernel;
}

/* All elements slip. */
static void evaluate(const slip_law_kernel *kernel, int piece, double v, double *force, double *slope)
{
    double sum = 0;
    (void)piece;
    for (int k = 0; k < kernel->law.element_count; k++)
        sum += kernel->law.elements[2 * k + 1];
    *force = v > 0 ? sum : v < 0 ? -sum : 0;
    *slope = 0;
}

static int state_count(const slip_law *law)
{
    bool spring = law->stiffness > 0;
    for (int k = 0; k < law->expression_count; k++)
        spring |= strcmp(law->expressions[k].parameter, "stiffness") == 0;
    return law->element_count + spring;
}

static double state_size(const slip_law_kernel *kernel)
{
    double largest = 0;
    for (int k = 0; k < kernel->law.element_count; k++)
        largest = fmax(largest, kernel->law.elements[2 * k + 1] / kernel->law.elements[2 * k]);
    return largest;
}

static const slip_law_parameter_info parameters[] = {
    {"stiffness", "of the spring beside the elements, for unit normal force", 0, 0, 0, NULL},
    SLIP_LAW_PARAMETER_VISCOUS,
};

const slip_law_type slip_law_iwan = {
    .info = {.name = "iwan",
             .summary = "Jenkins elements in parallel: micro-slip before all of it slips; closed forms",
             .formula =
                 "sum over elements [stiffness, mu] of jenkins, and stiffness times the way of the slip",
             .memory = 1,
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .prepare = prepare,
    .evaluate = evaluate,
    .remember = slip_law_remember_sliders,
    .state_count = state_count,
    .state_size = state_size,
    .state_range = slip_law_slider_range,
    .sliders = true,
};
