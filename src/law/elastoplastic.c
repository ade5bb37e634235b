/* The elasto-plastic law (P. Dupont, V. Hayward, B. Armstrong, F. Altpeter: Single state elastoplastic
 * friction models. IEEE Trans. Autom. Control 47, 2002): as `lugre`, but up to the deflection `breakaway` all
 * of it is elastic, so that small loads that vibrate do not make it creep,
 *
 *     z' = v (1 - alpha sgn(v) stiffness z/g(v)),
 *     alpha = 0 for |z| <= breakaway, and where v and z have opposite signs; 1 for |z| >= z_s =
 * g(v)/stiffness; in between (1 + sin(pi (|z| - (z_s + breakaway)/2)/(z_s - breakaway)))/2.
 *
 * In the plane v and z are vectors, and what is plastic follows the projection of v on n = z/|z|,
 *
 *     z' = v - alpha(|z|, |v|) max(n . v, 0) z/z_s,
 *
 * so that |z|' = n . v (1 - alpha |z|/z_s): |z| stays below z_s, and the part of z across v dies out in
 * steady sliding. Along a line it is the law above; with breakaway towards z_s it is that of `jenkins`. */
#include "law/types.h"

/* alpha at y = sgn(v) z, and its derivatives with respect to y and z_s. */
static double plasticity(double y, double breakaway, double z_s, double *of_y, double *of_s)
{
    const double width = z_s - breakaway, pi = 3.14159265358979323846;
    *of_y = *of_s = 0;
    if (y <= breakaway)
        return 0;
    if (y >= z_s)
        return 1;
    const double angle = pi * (y - 0.5 * (z_s + breakaway)) / width, slope = 0.5 * pi * cos(angle) / width;
    *of_y = slope;
    *of_s = slope * (breakaway - y) / width;
    return 0.5 * (1 + sin(angle));
}

static void remember(const slip_law_kernel *kernel, int piece, const signed char *sliders, double v,
                     const double *z, slip_law_response *to)
{
    const slip_law *law = &kernel->law;
    const double side = piece > 0 ? 1 : -1;
    double g, g_v, of_y, of_s;
    (void)sliders;
    slip_law_stribeck_curve(law, side, v, &g, &g_v);
    const double z_s = g / law->stiffness, y = side * z[0], part = y / z_s,
                 alpha = plasticity(y, law->breakaway, z_s, &of_y, &of_s), s_v = g_v / law->stiffness;
    to->rate[0] = v * (1 - alpha * part);
    to->rate_v[0] = 1 - alpha * part - v * (of_s * part - alpha * part / z_s) * s_v;
    to->rate_z[0] = -v * side * (of_y * part + alpha / z_s);
    to->force = law->stiffness * z[0] + law->damping * to->rate[0];
    to->slope = law->damping * to->rate_v[0];
    to->force_z[0] = law->stiffness + law->damping * to->rate_z[0];
}

static void remember_plane(const slip_law_kernel *kernel, const signed char *sliders, const double v[2],
                           const double z[2], slip_law_plane *to)
{
    const slip_law *law = &kernel->law;
    const double speed = hypot(v[0], v[1]), size = hypot(z[0], z[1]), along = v[0] * z[0] + v[1] * z[1];
    double g, g_v, of_y = 0, of_s = 0;
    (void)sliders;
    slip_law_stribeck_curve(law, 1, speed, &g, &g_v);
    const double z_s = g / law->stiffness,
                 alpha = along > 0 ? plasticity(size, law->breakaway, z_s, &of_y, &of_s) : 0;
    /* z' = v - turn z, and the derivatives of turn = alpha along/(size z_s) */
    const double part = alpha > 0 ? 1 / (size * z_s) : 0, turn = alpha * along * part,
                 by_speed =
                     alpha > 0 ? along * part * (of_s - alpha / z_s) * g_v / law->stiffness / speed : 0,
                 by_size = alpha > 0 ? along * part * (of_y - alpha / size) / size : 0;
    for (int i = 0; i < 2; i++) {
        to->rate[i] = v[i] - turn * z[i];
        to->force[i] = law->stiffness * z[i] + law->damping * to->rate[i];
        for (int j = 0; j < 2; j++) {
            to->rate_v[2 * i + j] = (i == j) - z[i] * (alpha * part * z[j] + by_speed * v[j]);
            to->rate_z[2 * i + j] = -(i == j ? turn : 0) - z[i] * (alpha * part * v[j] + by_size * z[j]);
            to->force_v[2 * i + j] = law->damping * to->rate_v[2 * i + j];
            to->force_z[2 * i + j] = (i == j ? law->stiffness : 0) + law->damping * to->rate_z[2 * i + j];
        }
    }
}

static const slip_law_parameter_info parameters[] = {
    {"mu", "kinetic coefficient of friction", NAN, 0, 1, NULL},
    SLIP_LAW_PARAMETER_STATIC_RATIO,
    {"velocity", "velocity over which the static excess dies out", NAN, 0, 1, NULL},
    {"exponent", "how sharply it dies out", 2, 0, 1, NULL},
    SLIP_LAW_PARAMETER_STIFFNESS,
    {"damping", "force per rate of the deflection, for unit normal force", 0, 0, 0, NULL},
    {"breakaway", "deflection up to which all of it is elastic, below mu/stiffness", NAN, 0, 0, NULL},
    SLIP_LAW_PARAMETER_VISCOUS,
};

static void evaluate(const slip_law_kernel *kernel, int piece, double v, double *force, double *slope)
{
    slip_law_stribeck.evaluate(kernel, piece, v, force, slope);
}

const slip_law_type slip_law_elastoplastic = {
    .info = {.name = "elastoplastic",
             .summary = "lugre that does not creep under loads that vibrate; stiff",
             .formula =
                 "F = stiffness z + damping z', z' = v (1 - alpha(z, v) sign(v) stiffness z/g(v)), alpha = 0 "
                 "up to |z| = breakaway, 1 from g/stiffness on",
             .memory = 1,
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .prepare = slip_law_prepare_kink,
    .evaluate = evaluate,
    .remember = remember,
    .remember_plane = remember_plane,
    .state_size = slip_law_deflection,
    .stiff = true,
    .kinked = true,
};
