/* Stribeck's law: friction falls from its static to its kinetic value as sliding sets in,
 *
 *     sign(v) mu (1 + (static_ratio - 1) exp(-x^n)),    x = |v|/velocity,  n = exponent,
 *
 * and anything within +-mu static_ratio at v = 0.
 *
 * On the piece v > 0 the formula is read with x = v/velocity, on v < 0 with x = -v/velocity, so that x < 0 is
 * the extension beyond the piece's end. For an integer n it is analytic there and is followed down to x = -1,
 * then held. For any other n the law is not analytic at v = 0 (and has no real continuation): it is held at
 * its static value. */
#include "law/types.h"

/* x^n and its derivative n x^(n-1) for any x >= -1; the two exponents that people use without `pow`. */
static void power(double n, double x, double *value, double *derivative)
{
    if (n == 2) {
        *value = x * x;
        *derivative = 2 * x;
    } else if (n == 1) {
        *value = x;
        *derivative = 1;
    } else if (x < 0 && n != floor(n)) {
        *value = 0;
        *derivative = 0;
    } else {
        *value = pow(x, n);
        *derivative = n * pow(x, n - 1);
    }
}

void slip_law_stribeck_curve(const slip_law *law, double side, double v, double *g, double *slope)
{
    const double x = side * v / law->velocity;
    double value, derivative, extra;
    bool held = x < -1;
    power(law->exponent, held ? -1 : x, &value, &derivative);
    extra = law->mu * (law->static_ratio - 1) * exp(-value);
    *g = law->mu + extra;
    /* Once the exponential has underflown the slope is 0, even where x^(n-1) has overflown; and n < 1 has an
     * infinite slope at v = 0 only if there is a static excess at all. */
    *slope = held || extra == 0 ? 0 : -extra * derivative * side / law->velocity;
}

static void evaluate(const slip_law_kernel *kernel, int piece, double v, double *force, double *slope)
{
    const double side = piece > 0 ? 1 : -1;
    slip_law_stribeck_curve(&kernel->law, side, v, force, slope);
    *force *= side;
    *slope *= side;
}

static const slip_law_parameter_info parameters[] = {
    SLIP_LAW_PARAMETER_MU,
    SLIP_LAW_PARAMETER_STATIC_RATIO,
    {"velocity", "velocity over which the static excess dies out", NAN, 0, 1, NULL},
    {"exponent", "how sharply it dies out", 2, 0, 1, NULL},
    SLIP_LAW_PARAMETER_VISCOUS,
};

const slip_law_type slip_law_stribeck = {
    .info = {.name = "stribeck",
             .summary = "dry friction with true stick; falls from static to kinetic while sliding",
             .formula =
                 "mu sign(v) (1 + (static_ratio - 1) exp(-(|v|/velocity)^exponent)); at v = 0 anything "
                 "within +-mu static_ratio",
             .set_valued = 1,
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .prepare = slip_law_prepare_kink,
    .evaluate = evaluate,
    .expression = "side*mu*(1 + (static_ratio - 1)*exp(-max(side*v/velocity, -1)^exponent))",
};
