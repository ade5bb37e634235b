/* Quadrature rules on [-1, 1]. */
#include "patch/area.h"

#include <assert.h>
#include <math.h>

static const double pi = 3.14159265358979323846;

/* Gauss-Legendre by Newton's method on P_n; the starting values are good for every n. */
void slip_rule_legendre(slip_rule *rule, int count)
{
    assert(count >= 1 && count <= slip_patch_rule_max);
    rule->count = count;
    for (int i = 0; i < count; i++) {
        double x = cos(pi * (i + 0.75) / (count + 0.5)), slope = 1;
        for (int step = 0; step < 8; step++) {
            double before = 0, value = 1;
            for (int k = 1; k <= count; k++) {
                double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
                before = value;
                value = next;
            }
            slope = count * (before - x * value) / (1 - x * x);
            x -= value / slope;
        }
        rule->node[i] = x;
        rule->weight[i] = 2 / ((1 - x * x) * slope * slope);
    }
}

/* Gauss-Chebyshev of the second kind has the weights pi/(n+1) sin^2(t) for the weight function sqrt(1-x^2).
 * Here the root is part of the function, so one factor sin(t) = sqrt(1-x^2) is taken back. */
void slip_rule_root(slip_rule *rule, int count)
{
    assert(count >= 1 && count <= slip_patch_rule_max);
    rule->count = count;
    for (int i = 0; i < count; i++) {
        double t = pi * (i + 1) / (count + 1);
        rule->node[i] = cos(t);
        rule->weight[i] = pi / (count + 1) * sin(t);
    }
}
