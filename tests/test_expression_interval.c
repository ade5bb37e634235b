/* Bounds of expressions over intervals of time, and expressions taken apart at their switches. */
#include "math/expression/freeze.h"
#include "math/expression/interval.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const slip_symbol symbols[] = {
    {"t", 0, 0, NULL, 0}, {"x", 1, 0, NULL, 0}, {"v", 2, 0, NULL, 0}, {NULL, 0, 0, NULL, 0}};
enum { slot_count = 3, most = 4000 };

static slip_expression *compile(const char *text)
{
    slip_expression *expression = NULL;
    slip_expression_error error;
    int status = slip_expression_compile(text, symbols, &expression, &error);
    if (status != SLIP_OK)
        print_error("%s: %s\n", text, error.message);
    assert_int_equal(status, SLIP_OK);
    return expression;
}

static double uniform(double low, double high)
{
    return low + (high - low) * ((double)rand() / (double)RAND_MAX);
}

/* Every operation, with arguments that cross what there is to cross. */
static const char *const texts[] = {"t",
                                    "3",
                                    "t + t*t - 2/t",
                                    "-t^3 + t^-2 + t^4 - t^-1",
                                    "abs(t - 1)^1.5",
                                    "2^t - t^0.5",
                                    "(1 + t^2)^(t/3)",
                                    "t^t",
                                    "sin(3*t)*cos(5*t) + tan(t/4)",
                                    "tan(t)",
                                    "asin(t/10) + acos(t/9) + atan(t)",
                                    "asin(t/3)",
                                    "exp(-t^2)*sinh(t) - cosh(t)*tanh(3*t)",
                                    "100*exp(-((t - 1)/1e-3)^2)",
                                    "log(t + 6) + log10(t^2 + 0.1) - log(t)",
                                    "sqrt(t + 5.5) + cbrt(t) + sqrt(t)",
                                    "erf(2*t) + hypot(t, t - 2) + atan2(t, 2 - t) + atan2(t - 1, t)",
                                    "min(t, 1 - t, t^2) + max(sin(t), cos(t))",
                                    "floor(3*t) + ceil(2*t) - mod(t, 0.7) + mod(t, -1.3)",
                                    "mod(3, t)",
                                    "sign(t - 1) + step(t + 2) + abs(t)",
                                    "(t < 1) + (t <= 2) + 3*(t > -1) - (t >= 0) + (t == 1) + (t != 2)",
                                    "if(t > 1, t^2, 2 - t)",
                                    "if(sin(10*t) > 0.5, sqrt(t), 1/t)",
                                    "if(t*(t - 1) < 0, 100, x*t)",
                                    "x*sin(v*t) + abs(x*t - v)"};
enum { text_count = sizeof texts / sizeof *texts };

/* The values and slopes at points inside are inside the bounds. */
static void bounds_enclose(void **state)
{
    static slip_interval scratch[most];
    static double numbers[most];
    (void)state;
    srand(7);
    for (int k = 0; k < text_count; k++) {
        slip_expression *e = compile(texts[k]);
        assert_true(slip_expression_bounds_scratch(e) <= most && slip_expression_scratch(e) <= most);
        for (int trial = 0; trial < 2000; trial++) {
            double slots[slot_count] = {0, uniform(-2, 2), uniform(-2, 2)}, gradient[slot_count];
            double middle = uniform(-5, 5), radius = pow(10, uniform(-12, 0.5));
            slip_interval during = {middle - radius, middle + radius}, value, rate;
            slip_expression_bounds(e, slots, 0, during, scratch, &value, &rate);
            for (int i = 0; i < 20; i++) {
                double f;
                slots[0] = i == 0 ? during.low : i == 1 ? during.high : uniform(during.low, during.high);
                f = slip_expression_gradient(e, slots, slot_count, gradient, numbers);
                if (!isfinite(f))
                    continue;
                if (!(f >= value.low && f <= value.high) ||
                    (isfinite(gradient[0]) && !(gradient[0] >= rate.low && gradient[0] <= rate.high)))
                    print_error("%s at %.17g: %.17g' = %.17g; [%.17g, %.17g]' = [%.17g, %.17g]\n", texts[k],
                                slots[0], f, gradient[0], value.low, value.high, rate.low, rate.high);
                assert_true(f >= value.low && f <= value.high);
                assert_true(!isfinite(gradient[0]) || (gradient[0] >= rate.low && gradient[0] <= rate.high));
            }
        }
        slip_expression_destroy(e);
    }
}

/* And they are not just anything: for smooth functions they tighten with the interval, to rounding. */
static void bounds_tighten(void **state)
{
    static const char *const smooth[] = {"t + t*t - 2/t",       "sin(3*t)*cos(5*t)",
                                         "exp(-t^2)*sinh(t)",   "(1 + t^2)^(t/3)",
                                         "log(t)*sqrt(t)",      "atan2(t, 2 - t) + erf(t)",
                                         "if(t > 0, t^2, 1/t)", "abs(t - 20) + mod(t, 30) + floor(t/30)"};
    static slip_interval scratch[most];
    const double slots[slot_count] = {0};
    (void)state;
    for (size_t k = 0; k < sizeof smooth / sizeof *smooth; k++) {
        slip_expression *e = compile(smooth[k]);
        for (double radius = 1e-2; radius > 1e-10; radius *= 0.1) {
            slip_interval value, rate;
            slip_expression_bounds(e, slots, 0, (slip_interval){1.3 - radius, 1.3 + radius}, scratch, &value,
                                   &rate);
            assert_true(slip_interval_width(value) < 100 * radius + 1e-13);
            assert_true(slip_interval_width(rate) < 500 * radius + 1e-12);
        }
        slip_expression_destroy(e);
    }
}

/* ---- Second derivatives: those of the exact first ones, differenced. */

static void curves_are_those_of_the_slopes(void **state)
{
    static const char *const more[] = {"t^2.5 + t^0 + t^1 + 3^t", "hypot(t, 2)*atan2(t, 3 - t)",
                                       "asin(t/9) + acos(t/8)*log10(t + 20)", "x*sinh(t) - v*cosh(t/2)"};
    static double scratch[most];
    int compared = 0;
    (void)state;
    srand(9);
    for (int k = 0; k < text_count + 4; k++) {
        slip_expression *e = compile(k < text_count ? texts[k] : more[k - text_count]);
        /* (steps that follow each other as closely as those of mod(3, t) at zero look like a slope) */
        for (int trial = 0; trial < (strcmp(slip_expression_text(e), "mod(3, t)") ? 300 : 0); trial++) {
            double slots[slot_count] = {uniform(-5, 5), uniform(-2, 2), uniform(-2, 2)}, h = 1e-4;
            double slope[5], gradient[slot_count], curve, t = slots[0], near, far;
            for (int i = 0; i < 5; i++) {
                slots[0] = t + h * (i - 2);
                slip_expression_gradient(e, slots, slot_count, gradient, scratch);
                slope[i] = gradient[0];
            }
            slots[0] = t;
            curve = slip_expression_curve(e, slots, 0, scratch);
            near = (slope[3] - slope[1]) / (2 * h);
            far = (slope[4] - slope[0]) / (4 * h);
            /* away from corners and poles, where differences can tell */
            if (!isfinite(curve) || !(fabs(near - far) < 1e-5 * (1 + fabs(near))))
                continue;
            compared++;
            if (!(fabs(curve - near) < 1e-4 * (1 + fabs(near))))
                print_error("%s at %.17g\n", k < text_count ? texts[k] : more[k - text_count], t);
            assert_close(curve, near, 1e-4 * (1 + fabs(near)));
        }
        slip_expression_destroy(e);
    }
    assert_true(compared > 5000);
}

/* ---- Taking apart. */

static double *fill_forms(const slip_switches *all, double *slots, double *scratch)
{
    for (int64_t k = 0; k < all->count; k++) {
        double guard = slip_expression_value(all->list[k].guard, slots, scratch);
        slots[all->list[k].slot] = all->list[k].levels ? floor(guard) : (guard > 0) - (guard < 0);
    }
    return slots;
}

/* With the forms that the guards stand for, a frozen expression is the expression. */
static void frozen_expressions_agree(void **state)
{
    static double scratch[most];
    int frozen_count = 0;
    (void)state;
    srand(8);
    for (int k = 0; k < text_count; k++) {
        slip_expression *e = compile(texts[k]), *frozen = NULL;
        slip_switches all = {0};
        assert_int_equal(slip_expression_freeze(e, 0, slot_count, true, k, &all, &frozen), SLIP_OK);
        assert_true((frozen != NULL) == (all.count > 0) && all.count < 20);
        frozen_count += frozen != NULL;
        for (int trial = 0; frozen && trial < 1000; trial++) {
            double slots[slot_count + 20] = {uniform(-5, 5), uniform(-2, 2), uniform(-2, 2)};
            double value = slip_expression_value(e, slots, scratch);
            double again = slip_expression_value(frozen, fill_forms(&all, slots, scratch), scratch);
            if (isfinite(value))
                assert_close(again, value, 1e-12 * (1 + fabs(value)));
        }
        slip_expression_destroy(frozen);
        slip_expression_destroy(e);
        slip_switches_free(&all);
    }
    assert_int_equal(frozen_count, 10);
}

/* Beyond its guard a frozen expression goes on smoothly; where that is not possible it is as it was. */
static void frozen_expressions_go_on(void **state)
{
    static const struct {
        const char *text;
        double form, x, value;
    } cases[] = {{"abs(x)", 1, -0.5, -0.5},       {"max(x, 0)", 1, -0.5, -0.5},
                 {"max(x, 0)", -1, 2, 0},         {"min(x, 1)", -1, 3, 3},
                 {"x > 0", 1, -0.5, 1},           {"x <= 0", 1, -0.5, 0},
                 {"sign(x)", -1, 5, -1},          {"sign(x)", 0, 5, 0},
                 {"step(x)", -1, 5, 0},           {"step(x)", 0, 5, 1},
                 {"floor(x)", 3, 4.5, 3},         {"ceil(x)", 3, 4.5, 4},
                 {"mod(x, 2)", 1, 4.5, 2.5},      {"if(x > 0, x^2, x)", 1, -3, 9},
                 {"sqrt(max(x, 0))", 1, -0.5, 0}, {"if(x > 0, 1/x, 7)", 1, 0, 7}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        slip_expression *e = compile(cases[k].text), *frozen = NULL;
        slip_switches all = {0};
        double slots[slot_count + 1] = {0, cases[k].x, 0, cases[k].form}, scratch[100];
        assert_int_equal(slip_expression_freeze(e, 0, slot_count, true, 0, &all, &frozen), SLIP_OK);
        assert_int_equal(all.count, 1);
        assert_true(all.list[0].reads_state);
        assert_close(slip_expression_value(frozen, slots, scratch), cases[k].value, 1e-15);
        slip_expression_destroy(frozen);
        slip_expression_destroy(e);
        slip_switches_free(&all);
    }
}

static void switches_are_told_apart(void **state)
{
    static const struct {
        const char *text;
        bool with_state;
        int count;
    } cases[] = {{"sin(t) + x^2", true, 0},
                 {"abs(x) + sign(x) + (x > 0)", true, 1}, /* one guard */
                 {"abs(x) + abs(v)", true, 2},
                 {"abs(x)*step(t - 1)", false, 1},
                 {"abs(x)", false, 0},
                 {"if(floor(t) == 3, 1, 0)", true, 1}, /* a number between two steps */
                 {"step(floor(t) - 2)", true, 1},
                 {"abs(sin(abs(t)))", true, 2},
                 {"abs(mod(t, 2) - 1)", true, 2}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        slip_expression *e = compile(cases[k].text), *frozen = NULL;
        slip_switches all = {0};
        assert_int_equal(slip_expression_freeze(e, 0, slot_count, cases[k].with_state, 0, &all, &frozen),
                         SLIP_OK);
        assert_int_equal(all.count, cases[k].count);
        slip_expression_destroy(frozen);
        slip_expression_destroy(e);
        slip_switches_free(&all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_enclose),           cmocka_unit_test(bounds_tighten),
        cmocka_unit_test(frozen_expressions_agree), cmocka_unit_test(frozen_expressions_go_on),
        cmocka_unit_test(switches_are_told_apart),  cmocka_unit_test(curves_are_those_of_the_slopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
