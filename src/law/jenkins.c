/* A Jenkins element: a spring in series with Coulomb's slider, without mass. The spring's deflection z
 * follows the slip while the slider sticks, z' = v, and stays at +-mu/stiffness while it slips:
 *
 *     F = stiffness z,   |F| <= mu.
 *
 * Also called Masing or Prandtl element. Everything is piecewise linear: closed forms by `event`. In the
 * plane z is a vector within a circle; while the slider slips it stays on the circle, and turns towards v:
 *
 *     z' = v - (n . v) z stiffness/mu,   n = z/|z|,
 *
 * which also leads back to the circle what rounding has taken off it. */
#include "law/types.h"

#include <string.h>

static void prepare(slip_law_kernel *kernel)
{
    (void)kernel;
}

static void evaluate(const slip_law_kernel *kernel, int piece, double v, double *force, double *slope)
{
    (void)piece;
    *force = v > 0 ? kernel->law.mu : v < 0 ? -kernel->law.mu : 0;
    *slope = 0;
}

void slip_law_slider(const slip_law *law, int k, double *stiffness, double *limit)
{
    if (!law->elements) {
        *stiffness = law->stiffness;
        *limit = law->mu / law->stiffness;
    } else if (k < law->element_count) {
        *stiffness = law->elements[2 * k];
        *limit = law->elements[2 * k + 1] / law->elements[2 * k];
    } else { /* the spring beside the elements */
        *stiffness = law->stiffness;
        *limit = INFINITY;
    }
}

double slip_law_limit_slope(const slip_law *law, int k, const char *parameter)
{
    double stiffness, limit;
    const int element = law->elements ? slip_law_element(law, parameter) : -1;
    const bool of_stiffness = law->elements ? element == 2 * k : strcmp(parameter, "stiffness") == 0,
               of_mu = law->elements ? element == 2 * k + 1 : strcmp(parameter, "mu") == 0;
    slip_law_slider(law, k, &stiffness, &limit);
    return of_mu ? 1 / stiffness : of_stiffness ? -limit / stiffness : 0;
}

void slip_law_remember_sliders(const slip_law_kernel *kernel, int piece, const signed char *sliders, double v,
                               const double *z, slip_law_response *to)
{
    const int count = slip_law_state_count(kernel->type, &kernel->law);
    (void)piece;
    to->force = to->slope = 0;
    for (int k = 0; k < count; k++) {
        double stiffness, limit;
        slip_law_slider(&kernel->law, k, &stiffness, &limit);
        const bool slips = sliders ? sliders[k] != 0 : fabs(z[k]) >= limit && v * z[k] > 0;
        to->rate[k] = slips ? 0 : v;
        to->rate_v[k] = slips ? 0 : 1;
        to->rate_z[k] = 0;
        to->force += stiffness * z[k];
        to->force_z[k] = stiffness;
    }
}

static void remember_plane(const slip_law_kernel *kernel, const signed char *sliders, const double v[2],
                           const double z[2], slip_law_plane *to)
{
    const double k = kernel->law.stiffness, limit = kernel->law.mu / k, size = hypot(z[0], z[1]),
                 along = v[0] * z[0] + v[1] * z[1];
    const bool slips = sliders ? sliders[0] != 0 : size >= limit && along > 0;
    const double part = slips ? 1 / (size * limit) : 0, turn = slips ? along / (size * size) : 0;
    for (int i = 0; i < 2; i++) {
        to->rate[i] = v[i] - part * along * z[i];
        to->force[i] = k * z[i];
        for (int j = 0; j < 2; j++) {
            to->rate_v[2 * i + j] = (i == j) - part * z[i] * z[j];
            to->rate_z[2 * i + j] = -part * ((i == j ? along : 0) + z[i] * (v[j] - turn * z[j]));
            to->force_v[2 * i + j] = 0;
            to->force_z[2 * i + j] = i == j ? k : 0;
        }
    }
}

void slip_law_slider_range(const slip_law_kernel *kernel, int k, double *low, double *high)
{
    double stiffness;
    slip_law_slider(&kernel->law, k, &stiffness, high);
    *low = -*high;
}

static const slip_law_parameter_info parameters[] = {
    {"mu", "coefficient of friction of the slider", NAN, 0, 1, NULL},
    SLIP_LAW_PARAMETER_STIFFNESS,
    SLIP_LAW_PARAMETER_VISCOUS,
};

const slip_law_type slip_law_jenkins = {
    .info = {.name = "jenkins",
             .summary = "a spring in series with a Coulomb slider; closed forms",
             .formula = "F = stiffness z, |F| <= mu; z' = v while it sticks, 0 while it slips",
             .memory = 1,
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .prepare = prepare,
    .evaluate = evaluate,
    .remember = slip_law_remember_sliders,
    .remember_plane = remember_plane,
    .state_size = slip_law_deflection,
    .state_range = slip_law_slider_range,
    .sliders = true,
};
