/* The first root of the polynomial of a condition on a step, as the engine of lanes finds it, against bounds
 * by Bernstein's form in extended precision: before the root the condition is nowhere below zero by more than
 * rounding, at it it is zero and falls; where there is none it is nowhere below zero. */
#include "batch/engine.h"
#include "test.h"

#define LANES 1
#define NQ (z->n)
#define NC (z->contacts)
#define NW (z->waves)
#define NY (2 * NQ + 1 + 2 * NW + NC)
#define FUNCTION static inline
#include "batch/engine.inc"

/* Bernstein coefficients of the polynomial on [from, to]. */
static void bernstein(const double *c, long double from, long double to, long double *b)
{
    long double shifted[TERMS + 1], width = to - from, power = 1;
    for (int k = 0; k <= TERMS; k++)
        shifted[k] = (long double)c[k];
    for (int i = 0; i < TERMS; i++) /* about `from` */
        for (int k = TERMS - 1; k >= i; k--)
            shifted[k] += from * shifted[k + 1];
    for (int k = 0; k <= TERMS; k++, power *= width)
        shifted[k] *= power;
    for (int i = 0; i <= TERMS; i++) {
        long double term = 1;
        b[i] = 0;
        for (int k = 0; k <= i; k++) {
            b[i] += term * shifted[k];
            term *= (long double)(i - k) / (long double)(TERMS - k); /* binomial(i, k)/binomial(TERMS, k) */
        }
    }
}

/* Nowhere below -tolerance on [from, to]. */
static bool stays_above(const double *c, long double from, long double to, long double tolerance, int depth)
{
    long double b[TERMS + 1], lowest;
    bernstein(c, from, to, b);
    lowest = b[0];
    for (int k = 1; k <= TERMS; k++)
        lowest = b[k] < lowest ? b[k] : lowest;
    if (lowest > -tolerance)
        return true;
    if (b[0] <= -tolerance || b[TERMS] <= -tolerance || depth == 0)
        return false;
    const long double middle = (from + to) / 2;
    return stays_above(c, from, middle, tolerance, depth - 1) &&
           stays_above(c, middle, to, tolerance, depth - 1);
}

/* A condition along a motion; often one that nearly touches zero, from either side, or has two roots close
 * by. */
static void random_condition(uint64_t *seed, double *c)
{
    double factor[3] = {0, 0, 0}, rest[TERMS + 1], size = 1;
    const int kind = (int)test_random(seed, 0, 4);
    const double at = test_random(seed, 0, 1), apart = pow(10, test_random(seed, -9, 0));
    for (int k = 0; k <= TERMS; k++, size *= test_random(seed, 0.1, 0.5) / k)
        rest[k] = size * test_random(seed, -1, 1);
    rest[0] = fabs(rest[0]) + 0.05;
    factor[0] = 1;
    if (kind == 1) { /* (x - at)^2 -+ apart^2 */
        factor[0] = at * at + (test_random(seed, 0, 1) < 0.5 ? -1 : 1) * apart * apart;
        factor[1] = -2 * at;
        factor[2] = 1;
    } else if (kind == 2) { /* at - x */
        factor[0] = at;
        factor[1] = -1;
    } else if (kind == 3)
        rest[0] = apart;
    for (int k = 0; k <= TERMS; k++) {
        c[k] = 0;
        for (int i = 0; i < 3 && i <= k; i++)
            c[k] += factor[i] * rest[k - i];
    }
}

static void no_root_is_passed_over(void **state)
{
    (void)state;
    const int count = test_all() ? 1000000 : test_cases(40000);
    uint64_t seed = 5;
    int found = 0, clear = 0;
    for (int k = 0; k < count; k++) {
        double c[TERMS + 1], size = 0;
        random_condition(&seed, c);
        if (!(c[0] > 1e-12)) /* conditions hold at the start */
            continue;
        for (int i = 0; i <= TERMS; i++)
            size += fabs(c[i]);
        real value, slope;
        evaluate(c, 1, &value, &slope);
        const double x = first_root(c, value, slope, -1), tolerance = 1e-15 * size;
        if (x < 0) {
            print_error("case %d takes too long\n", k);
            fail();
        }
        if (!stays_above(c, 0, x > 1.5 ? 1 : x, 16 * tolerance, 60)) {
            print_error("case %d: a root before %.17g was passed over\n", k, x);
            fail();
        }
        if (x > 1.5) {
            clear++;
            continue;
        }
        found++;
        evaluate(c, x, &value, &slope);
        assert_true(x >= 0 && x <= 1);
        assert_close(value, 0, 64 * tolerance + 1e-15 * fabs(slope));
        /* it falls: next to it, further than rounding can tell, it is below zero, or it hardly moves there */
        assert_true(slope < 1e-6 * size);
    }
    printf("%d with a root, %d without\n", found, clear);
    assert_true(found > count / 8 && clear > count / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_root_is_passed_over)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
