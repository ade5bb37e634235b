/* Rate-and-state friction (J. H. Dieterich: Modeling of rock friction. J. Geophys. Res. 84, 1979; A. Ruina:
 * Slip instability and state variable friction laws. J. Geophys. Res. 88, 1983), in the form that is regular
 * at rest (J. R. Rice, N. Lapusta, K. Ranjith: Rate and state dependent friction and the stability of sliding
 * between elastically deformable solids. J. Mech. Phys. Solids 49, 2001):
 *
 *     F = a asinh(v/(2 V) exp((mu + b ln(V theta/L))/a)),   V = velocity, L = length,
 *     theta' = 1 - |v| theta/L (aging) or -x ln x, x = |v| theta/L (slip).
 *
 * Steady sliding: theta = L/|v|, F = mu + (a - b) ln(|v|/V) but next to rest. It falls with the velocity
 * where b > a. Velocities range over many decades, and v is resolved relative to itself. */
#include "law/types.h"

#include <float.h>

enum { aging, slip };

/* a asinh(v/(2 V) e^p), and its derivatives with respect to v and p; e^p may be beyond all numbers. */
static double strength(const slip_law *law, double v, double p, double *of_v, double *of_p)
{
    if (p < 300) {
        const double factor = exp(p) / (2 * law->velocity), u = v * factor, root = sqrt(1 + u * u);
        *of_v = law->a * factor / root;
        *of_p = law->a * u / root;
        return law->a * asinh(u);
    }
    const double size = fmax(fabs(v), 1e-300), log_u = log(size / (2 * law->velocity)) + p;
    if (log_u < 20) { /* so slow that it is next to rest */
        const double u = exp(log_u), root = sqrt(1 + u * u);
        *of_v = law->a * u / size / root;
        *of_p = law->a * copysign(u / root, v);
        return copysign(law->a * asinh(u), v);
    }
    *of_v = law->a / size;
    *of_p = copysign(law->a, v);
    return copysign(law->a * (log_u + 0.69314718055994530942), v);
}

static double exponent_of(const slip_law *law, double theta)
{
    return (law->mu + law->b * log(law->velocity * theta / law->length)) / law->a;
}

static void evaluate(const slip_law_kernel *kernel, int piece, double v, double *force, double *slope)
{
    const slip_law *law = &kernel->law;
    const double size = fmax(fabs(v), 1e-300);
    double of_p;
    (void)piece;
    *force = strength(law, v, exponent_of(law, law->length / size), slope, &of_p);
    *slope -= of_p * law->b / law->a * (v < 0 ? -1 : 1) / size;
}

static void remember(const slip_law_kernel *kernel, int piece, const signed char *sliders, double v,
                     const double *z, slip_law_response *to)
{
    const slip_law *law = &kernel->law;
    const double side = (kernel->break_count > 0 ? piece > 0 : v > 0) ? 1 : -1, theta = z[0],
                 x = side * v * theta / law->length;
    double of_p;
    (void)sliders;
    if (law->evolution == aging) {
        to->rate[0] = 1 - x;
        to->rate_v[0] = -side * theta / law->length;
        to->rate_z[0] = -side * v / law->length;
    } else {
        const double log_x = log(fmax(fabs(x), 1e-300));
        to->rate[0] = -x * log_x;
        to->rate_v[0] = -side * theta / law->length * (log_x + 1);
        to->rate_z[0] = -side * v / law->length * (log_x + 1);
    }
    to->force = strength(law, v, exponent_of(law, theta), &to->slope, &of_p);
    to->force_z[0] = of_p * law->b / (law->a * theta);
}

static double state_start(const slip_law_kernel *kernel)
{
    return kernel->law.length / kernel->law.velocity;
}

/* Where asinh is linear, at theta = L/V: far below that it does not matter what the velocity is. */
static double velocity_scale(const slip_law_kernel *kernel)
{
    return 2 * kernel->law.velocity * exp(-fmin(kernel->law.mu / kernel->law.a, 600));
}

/* The kink of |v| is a break only if it is noticeable. Near zero slip asinh is linear over velocities up to
 * the scale. If |v| theta/L is negligible there, a step that had to end exactly at v = 0 would violate the
 * balance of forces, which the slip velocity follows almost without delay. */
static void prepare(slip_law_kernel *kernel)
{
    const double seen = 1e-12;
    if (velocity_scale(kernel) > seen * kernel->law.velocity)
        slip_law_prepare_kink(kernel);
    else
        kernel->break_count = 0;
}

static void state_range(const slip_law_kernel *kernel, int k, double *low, double *high)
{
    (void)kernel;
    (void)k;
    *low = DBL_MIN;
    *high = INFINITY;
}

static const char *const evolutions[] = {"aging", "slip", NULL};

static const slip_law_parameter_info parameters[] = {
    {"mu", "coefficient of friction in steady sliding at `velocity`", NAN, 0, 1, NULL},
    {"a", "direct effect: change of friction with ln v", NAN, 0, 1, NULL},
    {"b", "evolution effect: change of friction with ln theta", NAN, 0, 0, NULL},
    {"length", "slip over which the state follows", NAN, 0, 1, NULL},
    {"velocity", "reference velocity", NAN, 0, 1, NULL},
    {"evolution", "law of the state: aging or slip", 0, 0, 0, evolutions},
    SLIP_LAW_PARAMETER_VISCOUS,
};

const slip_law_type slip_law_rate_state = {
    .info = {.name = "rate_state",
             .summary = "rock friction: logarithmic in velocity and age of contact; stiff",
             .formula =
                 "F = a asinh(v/(2 velocity) exp((mu + b ln(velocity theta/length))/a)); theta' = 1 - |v| "
                 "theta/length, or -x ln x with x = |v| theta/length",
             .memory = 1,
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .prepare = prepare,
    .evaluate = evaluate,
    .remember = remember,
    .state_name = "theta",
    .state_start = state_start,
    .state_range = state_range,
    .velocity_scale = velocity_scale,
    .fixed = (const char *const[]){"length", "velocity", NULL},
    .stiff = true,
};
