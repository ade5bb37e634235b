/* The static peak of the law v(1/sqrt(v^2+e^2) + eta' e^3/(v^2+e^2)^2): weight eta' and height eta.
 *
 * With v = e tan(phi), 0 < phi < pi/2, the law is
 *
 *     f = sin(phi) + eta' sin(phi) cos^3(phi),
 *     df/dphi = cos(phi) (1 + eta' (4 cos^3(phi) - 3 cos(phi))) = cos(phi) (1 + eta' cos(3 phi)).
 *
 * So f has extrema where cos(3 phi) = -1/eta', which needs eta' >= 1: going up in phi, a maximum in
 * (pi/6, pi/3] and then a minimum, after which f rises to its limit 1. The maximum is
 *
 *     eta = p sin(phi),    p = 1 + eta' cos^3(phi),    phi = acos(-1/eta')/3.                            (1)
 *
 * It exceeds the limit 1 only for eta' > 1.149929; below that the supremum is 1.
 *
 * The other way: with z = tan^2(phi), eta' = (1+z)^(3/2)/(3z-1) and 9(eta^2-1)z^3 + 3eta^2 z^2 - 5eta^2 z +
 * eta^2 = 0. The substitution p = 1 + 1/(3z-1) (the p of (1)) takes the cubic to its depressed form
 *
 *     p^3 - 4 eta^2 p + 3 eta^2 = 0.                                                                     (2)
 *
 * We need a root p > 1, since 3z > 1 there. In w = 3z-1 = 1/(p-1) the cubic reads (eta^2-1) w^3 +
 * (4 eta^2-3) w^2 - 3w - 1 = 0, whose coefficients change their sign once for eta >= 1: by Descartes there is
 * exactly one w > 0. At eta = 1 it is (3+sqrt 13)/2, that is z = (5+sqrt 13)/6, and it falls to 0 as eta
 * grows (d eta/dz has the sign of z-3). It is the largest root p of (2), Viete's with phi' < pi/3:
 *
 *     p = (4 eta/sqrt 3) cos(acos(-9 sqrt 3/(16 eta))/3),    eta' = ((4p-3)/3)^(3/2) / sqrt(p-1).
 *
 * It is well conditioned all the way: d ln(eta')/d ln(eta) = 3z lies between 1 and 4.31, p-1 >= 0.30, and
 * |cos| in the inner acos stays below 0.975. Note that eta' jumps: it is 0 for eta = 1 (no peak is wanted)
 * but tends to 1.149929 as eta falls to 1. */
#include "slipstick/law.h"

#include <math.h>

static const double sqrt_3 = 1.73205080756887729353;

double slip_law_eta_prime(double static_ratio)
{
    double p, third;
    if (!(static_ratio >= 1))
        return NAN;
    if (static_ratio == 1)
        return 0;
    p = 4 * static_ratio / sqrt_3 * cos(acos(-9 * sqrt_3 / (16 * static_ratio)) / 3);
    third = (4 * p - 3) / 3;
    return third * sqrt(third / (p - 1));
}

double slip_law_static_ratio(double eta_prime)
{
    double phi, c;
    if (!(eta_prime >= 0))
        return NAN;
    if (eta_prime <= 1)
        return 1;
    phi = acos(-1 / eta_prime) / 3;
    c = cos(phi);
    return fmax(1, sin(phi) * (1 + eta_prime * c * c * c));
}
