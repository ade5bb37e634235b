#include "ode/root.h"

#include <float.h>
#include <math.h>

typedef struct bracket {
    double x1, f1, x2, f2;
} bracket;

static bracket narrow(slip_scalar_function f, void *user, double a, double fa, double b, double fb)
{
    /* Chandrupatla (1997): x1 is the newest point, x2 the other end of the bracket, x3 the point before.
     * Inverse quadratic interpolation is used where it is sure to converge, bisection elsewhere. */
    double x1 = b, f1 = fb, x2 = a, f2 = fa, fraction = 0.5;
    for (int k = 0; k < 200 && f1 != 0 && f2 != 0; k++) {
        double x = x1 + fraction * (x2 - x1), value = f(user, x), x3, f3, width, limit;
        if ((value > 0) == (f1 > 0)) {
            x3 = x1, f3 = f1;
        } else {
            x3 = x2, f3 = f2;
            x2 = x1, f2 = f1;
        }
        x1 = x, f1 = value;
        width = fabs(x2 - x1);
        limit = 2 * DBL_EPSILON * fmax(fabs(x1), fabs(x2)) + DBL_MIN;
        if (width <= limit)
            break;
        double xi = (x1 - x2) / (x3 - x2), phi = (f1 - f2) / (f3 - f2);
        fraction = 0.5;
        if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
            fraction = f1 / (f2 - f1) * (f3 / (f2 - f3)) +
                       (x3 - x1) / (x2 - x1) * (f1 / (f3 - f1)) * (f2 / (f3 - f2));
        fraction = fmin(fmax(fraction, 0.5 * limit / width), 1 - 0.5 * limit / width);
    }
    return (bracket){x1, f1, x2, f2};
}

double slip_root_bracketed(slip_scalar_function f, void *user, double a, double fa, double b, double fb)
{
    bracket end = narrow(f, user, a, fa, b, fb);
    return fabs(end.f1) <= fabs(end.f2) ? end.x1 : end.x2;
}

double slip_root_far(slip_scalar_function f, void *user, double a, double fa, double b, double fb)
{
    bracket end = narrow(f, user, a, fa, b, fb);
    return (end.f1 > 0) == (fb > 0) && end.f1 != 0 ? end.x1 : (end.f2 > 0) == (fb > 0) ? end.x2 : end.x1;
}

double slip_minimum_bracketed(slip_scalar_function f, void *user, double a, double b, double *value)
{
    const double golden = 0.38196601125010515;
    double x = a + golden * (b - a), y = b - golden * (b - a), fx = f(user, x), fy = f(user, y);
    while (fabs(b - a) > 1e-8 * (fabs(a) + fabs(b)) && x != y) {
        if (fx < fy) {
            b = y;
            y = x, fy = fx;
            x = a + golden * (b - a), fx = f(user, x);
        } else {
            a = x;
            x = y, fx = fy;
            y = b - golden * (b - a), fy = f(user, y);
        }
        if (fabs(b - a) <= 4 * DBL_EPSILON * fmax(fabs(a), fabs(b)))
            break;
    }
    *value = fmin(fx, fy);
    return fx < fy ? x : y;
}
