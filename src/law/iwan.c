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

/* Of each element, for those that vary. */
#define ELEMENT(k)                                                                                           \
    {"stiffness" #k, "stiffness of element " #k, NAN, 0, 1, NULL},                                           \
    {                                                                                                        \
        "mu" #k, "coefficient of friction of element " #k, NAN, 0, 1, NULL                                   \
    }

static const slip_law_parameter_info of_elements[] = {
    ELEMENT(1),  ELEMENT(2),  ELEMENT(3),  ELEMENT(4),  ELEMENT(5),  ELEMENT(6),  ELEMENT(7),  ELEMENT(8),
    ELEMENT(9),  ELEMENT(10), ELEMENT(11), ELEMENT(12), ELEMENT(13), ELEMENT(14), ELEMENT(15), ELEMENT(16),
    ELEMENT(17), ELEMENT(18), ELEMENT(19), ELEMENT(20), ELEMENT(21), ELEMENT(22), ELEMENT(23), ELEMENT(24),
    ELEMENT(25), ELEMENT(26), ELEMENT(27), ELEMENT(28), ELEMENT(29), ELEMENT(30), ELEMENT(31), ELEMENT(32),
};
_Static_assert(sizeof of_elements / sizeof *of_elements == 2 * slip_law_sliders_max,
               "two for each of the most elements");

const slip_law_parameter_info *slip_law_element_info(int index)
{
    return &of_elements[index];
}

int slip_law_element(const slip_law *law, const char *parameter)
{
    for (int k = 0; k < 2 * law->element_count; k++)
        if (strcmp(of_elements[k].name, parameter) == 0)
            return k;
    return -1;
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
