/* The LuGre law (C. Canudas de Wit, H. Olsson, K. J. Astrom, P. Lischinsky: A new model for control of
 * systems with friction. IEEE Trans. Autom. Control 40, 1995): bristles of mean deflection z,
 *
 *     z' = v - stiffness |v| z/g(v),   F = stiffness z + damping z' + viscous v,
 *
 * with Stribeck's curve g(v). Presliding, frictional lag, break-away forces that depend on the rate of the
 * load. Steady sliding: F = sgn(v) g(v) + viscous v. It is stiff: bristles follow with the rate stiffness
 * |v|/g. In the plane v and z are vectors. */
#include "law/types.h"

static void evaluate(const slip_law_kernel *kernel, int piece, double v, double *force, double *slope)
{
    slip_law_stribeck.evaluate(kernel, piece, v, force, slope);
}

static void remember(const slip_law_kernel *kernel, int piece, const signed char *sliders, double v,
                     const double *z, slip_law_response *to)
{
    const slip_law *law = &kernel->law;
    const double side = piece > 0 ? 1 : -1;
    double g, g_v;
    (void)sliders;
    slip_law_stribeck_curve(law, side, v, &g, &g_v);
    const double pull = law->stiffness * side / g;
    to->rate[0] = v - pull * v * z[0];
    to->rate_v[0] = 1 - pull * z[0] * (1 - v * g_v / g);
    to->rate_z[0] = -pull * v;
    to->force = law->stiffness * z[0] + law->damping * to->rate[0];
    to->slope = law->damping * to->rate_v[0];
    to->force_z[0] = law->stiffness + law->damping * to->rate_z[0];
}

static void remember_plane(const slip_law_kernel *kernel, const signed char *sliders, const double v[2],
                           const double z[2], slip_law_plane *to)
{
    double g, g_s;
    (void)sliders;
    slip_law_stribeck_curve(&kernel->law, 1, hypot(v[0], v[1]), &g, &g_s);
    slip_law_bristles(&kernel->law, g, g_s, kernel->law.damping, v, z, to);
}

static const slip_law_parameter_info parameters[] = {
    {"mu", "kinetic coefficient of friction", NAN, 0, 1, NULL},
    SLIP_LAW_PARAMETER_STATIC_RATIO,
    {"velocity", "velocity over which the static excess dies out", NAN, 0, 1, NULL},
    {"exponent", "how sharply it dies out", 2, 0, 1, NULL},
    SLIP_LAW_PARAMETER_STIFFNESS,
    {"damping", "force per rate of the deflection, for unit normal force", 0, 0, 0, NULL},
    SLIP_LAW_PARAMETER_VISCOUS,
};

const slip_law_type slip_law_lugre = {
    .info =
        {.name = "lugre",
         .summary = "bristles: presliding, lag, static friction that depends on the load's rate; stiff",
         .formula =
             "F = stiffness z + damping z', z' = v - stiffness |v| z/g(v), g = mu (1 + (static_ratio - 1) "
             "exp(-(|v|/velocity)^exponent))",
         .memory = 1,
         .parameters = parameters,
         .parameter_count = sizeof parameters / sizeof *parameters},
    .prepare = slip_law_prepare_kink,
    .evaluate = evaluate,
    .remember = remember,
    .remember_plane = remember_plane,
    .state_size = slip_law_deflection,
    .stiff = true,
};
