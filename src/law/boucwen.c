/* The law of Bouc and Wen (R. Bouc: Forced vibration of mechanical systems with hysteresis. Proc. 4th Conf.
 * on Nonlinear Oscillation, Prague, 1967; Y.-K. Wen: Method for random vibration of hysteretic systems. J.
 * Eng. Mech. Div. ASCE 102, 1976): a hysteretic spring, F = stiffness z,
 *
 *     z' = a v - beta |v| |z|^(n-1) z - gamma v |z|^n,   n = exponent.
 *
 * Steady sliding: |z|^n = a/(beta + gamma). In the plane (F. Casciati: Stochastic dynamics of hysteretic
 * media. Structural Safety 6, 1989), the form that does not depend on the axes,
 *
 *     z' = a v - |z|^(n-2) z (beta |v . z| + gamma v . z). */
#include "law/types.h"

/* The largest |z|; infinite if it is not bounded. */
static double largest(const slip_law *law)
{
    const double sum = law->beta + law->gamma;
    return sum > 0 ? pow(law->a / sum, 1 / law->exponent) : INFINITY;
}

static void evaluate(const slip_law_kernel *kernel, int piece, double v, double *force, double *slope)
{
    const double z = largest(&kernel->law);
    (void)v;
    *force = !isfinite(z) ? 0 : (piece > 0 ? 1 : -1) * kernel->law.stiffness * z;
    *slope = 0;
}

/* |z|^n is smooth at z = 0 where n is even, |z|^(n-1) z where it is odd: the rate has a kink there, or one of
 * its derivatives has. */
static slip_law_mode mode(const slip_law *law)
{
    const bool smooth =
        (law->gamma == 0 || fmod(law->exponent, 2) == 0) && (law->beta == 0 || fmod(law->exponent, 2) == 1);
    return smooth || law->expression_count > 0 ? SLIP_LAW_NO_MODE : SLIP_LAW_SIGN;
}

static void remember(const slip_law_kernel *kernel, int piece, const signed char *sliders, double v,
                     const double *z, slip_law_response *to)
{
    const slip_law *law = &kernel->law;
    const double side = piece > 0 ? 1 : -1, n = law->exponent, sign = z[0] > 0 ? 1 : z[0] < 0 ? -1 : 0;
    /* beta |v| |z|^(n-1) z + gamma v |z|^n = v |z|^n (beta side sign + gamma); with a mode, sign z for |z|,
     * which goes on beyond z = 0 where n is an integer */
    const double held = sliders && mode(law) == SLIP_LAW_SIGN ? sliders[0] : sign;
    const double size = n == floor(n) ? held * z[0] : fabs(z[0]), lower = n == 1 ? 1 : pow(size, n - 1);
    const double pull = lower * (law->beta * side * z[0] + law->gamma * held * z[0]);
    to->rate[0] = v * (law->a - pull);
    to->rate_v[0] = law->a - pull;
    to->rate_z[0] = -v * n * lower * (law->beta * side + law->gamma * held);
    to->force = law->stiffness * z[0];
    to->slope = 0;
    to->force_z[0] = law->stiffness;
}

static void remember_plane(const slip_law_kernel *kernel, const signed char *sliders, const double v[2],
                           const double z[2], slip_law_plane *to)
{
    const slip_law *law = &kernel->law;
    const double size = hypot(z[0], z[1]), along = v[0] * z[0] + v[1] * z[1], n = law->exponent,
                 lower = size > 0 ? pow(size, n - 2) : 0,
                 slope = lower * (law->beta * (along > 0   ? 1
                                               : along < 0 ? -1
                                                           : 0) +
                                  law->gamma),
                 pull = slope * along;
    (void)sliders;
    for (int i = 0; i < 2; i++) {
        to->rate[i] = law->a * v[i] - pull * z[i];
        to->force[i] = law->stiffness * z[i];
        for (int j = 0; j < 2; j++) {
            const double of_z = slope * v[j] + (size > 0 ? (n - 2) * pull * z[j] / (size * size) : 0);
            to->rate_v[2 * i + j] = (i == j ? law->a : 0) - z[i] * slope * z[j];
            to->rate_z[2 * i + j] = -(i == j ? pull : 0) - z[i] * of_z;
            to->force_v[2 * i + j] = 0;
            to->force_z[2 * i + j] = i == j ? law->stiffness : 0;
        }
    }
}

static double state_size(const slip_law_kernel *kernel)
{
    const double z = largest(&kernel->law);
    return isfinite(z) ? z : 0;
}

static const slip_law_parameter_info parameters[] = {
    SLIP_LAW_PARAMETER_STIFFNESS,
    {"a", "initial rate of z per slip velocity", 1, 0, 1, NULL},
    {"beta", "weight of |v| |z|^(exponent-1) z", NAN, -INFINITY, 0, NULL},
    {"gamma", "weight of v |z|^exponent", NAN, -INFINITY, 0, NULL},
    {"exponent", "how sharply it yields, at least 1", 1, 1, 0, NULL},
    SLIP_LAW_PARAMETER_VISCOUS,
};

const slip_law_type slip_law_boucwen = {
    .info = {.name = "boucwen",
             .summary = "hysteretic spring of many shapes",
             .formula = "F = stiffness z, z' = a v - beta |v| |z|^(exponent-1) z - gamma v |z|^exponent",
             .memory = 1,
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .prepare = slip_law_prepare_kink,
    .evaluate = evaluate,
    .remember = remember,
    .remember_plane = remember_plane,
    .state_size = state_size,
    .mode = mode,
};
