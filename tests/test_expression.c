/* Expressions: grammar, values, errors, diagnosis, dependence, restriction, harmonics. */
#include "math/expression/expression.h"
#include "test.h"

#include <float.h>
#include <locale.h>
#include <string.h>

enum { slot_x, slot_v, slot_t, slot_y, slot_count };

static const slip_symbol symbols[] = {
    {"x", slot_x, 0, NULL, slot_v},
    {"x'", slot_v, 0, NULL, 0},
    {"t", slot_t, 0, NULL, SLIP_RATE_ONE},
    {"y", slot_y, 0, NULL, SLIP_RATE_ZERO},
    {"k", -1, 2.5, NULL, 0},
    {"m", -1, -1, NULL, 0},
    {"zero", -1, 0, NULL, 0},
    {"step", slot_y, 0, NULL, 0},
    {"broken", -1, NAN, NULL, 0},
    {"stiffness", -1, 7, NULL, 0},
    {NULL, 0, 0, NULL, 0},
};

static slip_expression *compile(const char *text)
{
    slip_expression *expression = NULL;
    slip_expression_error error;
    int status = slip_expression_compile(text, symbols, &expression, &error);
    if (status < 0)
        print_error("`%s`: %s at %d\n", text, error.message, error.position);
    assert_int_equal(status, SLIP_OK);
    return expression;
}

static double value_of(const slip_expression *expression, const double *slots)
{
    double *scratch = malloc((size_t)slip_expression_scratch(expression) * sizeof *scratch), value;
    assert_non_null(scratch);
    value = slip_expression_value(expression, slots, scratch);
    free(scratch);
    return value;
}

static double evaluate(const char *text, const double *slots)
{
    slip_expression *expression = compile(text);
    double value = value_of(expression, slots);
    assert_string_equal(slip_expression_text(expression), text);
    slip_expression_destroy(expression);
    return value;
}

/* What must hold to the bit. */
static void check_value(const char *text, const double *slots, double expected)
{
    double found = evaluate(text, slots);
    if (found != expected && !(isnan(found) && isnan(expected))) {
        print_error("`%s`: found %.17g, expected %.17g\n", text, found, expected);
        fail();
    }
}

static void values_are_those_of_c(void **state)
{
    const volatile double given[slot_count] = {1.25, -0.75, 3.5, 0.3}; /* keeps C from folding, too exactly */
    const double s[slot_count] = {given[0], given[1], given[2], given[3]};
    const double x = s[slot_x], v = s[slot_v], t = s[slot_t], y = s[slot_y];
    const struct {
        const char *text;
        double expected;
    } cases[] = {
        {"1e-4", 1e-4},
        {".5", 0.5},
        {"2.", 2},
        {"2.e3", 2000},
        {"1E+2", 100},
        {"pi", 3.14159265358979323846},
        {"k*x", 2.5 * x},
        {"x'", v},
        {"x - x' - t", x - v - t},
        {"x-(x'-t)", x - (v - t)},
        {"x/x'/t", x / v / t},
        {"x/(x'/t)", x / (v / t)},
        {"x+x'*t", x + v * t},
        {"(x+x')*t", (x + v) * t},
        {"-2^2", -4},
        {"(-2)^2", 4},
        {"2^3^2", 512},
        {"(2^3)^2", 64},
        {"2^-1", 0.5},
        {"2^-x^2", pow(2, -(x * x))},
        {"-x^2", -(x * x)},
        {"x^3", x * x * x},
        {"x^-2", 1 / (x * x)},
        {"x^0.5", pow(x, 0.5)},
        {"x'^3", v * v * v},
        {"x^20", pow(x, 20)},
        {"x^y", pow(x, y)},
        {"pow(x, y)", pow(x, y)},
        {"pow(x, 2)", x * x},
        {"--x", x},
        {"+x", x},
        {"x*-x'", -x * v},
        {"x - -x'", x + v},
        {"x < t", 1},
        {"x > t", 0},
        {"x <= x", 1},
        {"x >= t", 0},
        {"x == 1.25", 1},
        {"x != 1.25", 0},
        {"x + 1 < t", 1},
        {"2*(x < t) + 1", 3},
        {"(x < t)*(t < 4)", 1},
        {"sin(x)", sin(x)},
        {"cos(x)", cos(x)},
        {"tan(x)", tan(x)},
        {"asin(y)", asin(y)},
        {"acos(y)", acos(y)},
        {"atan(x)", atan(x)},
        {"atan2(x', y)", atan2(v, y)},
        {"sinh(x)", sinh(x)},
        {"cosh(x)", cosh(x)},
        {"tanh(x)", tanh(x)},
        {"exp(x)", exp(x)},
        {"log(x)", log(x)},
        {"log10(x)", log10(x)},
        {"sqrt(x)", sqrt(x)},
        {"cbrt(x')", cbrt(v)},
        {"abs(x')", fabs(v)},
        {"sign(x')", -1},
        {"sign(x)", 1},
        {"sign(x - 1.25)", 0},
        {"min(x, x')", v},
        {"min(x, t, x', y)", v},
        {"max(x, t, x', y)", t},
        {"max(1, x)", x},
        {"hypot(x, t)", hypot(x, t)},
        {"floor(x')", -1},
        {"ceil(x')", 0},
        {"mod(t, x)", 1},
        {"mod(-t, x)", 0.25},
        {"mod(t, -x)", -0.25},
        {"erf(x)", erf(x)},
        {"step(x')", 0},
        {"step(x - 1.25)", 1},
        {"step(step)", 1},
        {"step + 1", y + 1},
        {"if(x > 0, t, y)", t},
        {"if(x < 0, t, y)", y},
        {"if(x > 0, if(t < 0, 1, 2), 3)", 2},
        {" x\t+\n y\r\n", x + y},
        {"if(m > 0, log(m), 4)", 4}, /* a guard among the parameters guards */
        {"if(m < 0, 4, 1/zero)", 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_value(cases[i].text, s, cases[i].expected);
}

static void undefined_values_are_not_finite(void **state)
{
    const double s[slot_count] = {-1, 0, NAN, 1};
    (void)state;
    check_value("sqrt(x)", s, NAN);
    check_value("1/x'", s, INFINITY);
    check_value("sqrt(x) < 0", s, NAN);
    check_value("t == t", s, NAN);
    check_value("min(1, t)", s, NAN);
    check_value("max(t, 1)", s, NAN);
    check_value("sign(t)", s, NAN);
    check_value("step(t)", s, NAN);
    check_value("if(t, 1, 2)", s, NAN);
    check_value("mod(x, x')", s, NAN);
    check_value("if(x > 0, log(x), 0)", s, 0);
    check_value("atan(1/x')", s, atan(INFINITY));
    check_value("1/(x + 0)", (const double[slot_count]){-0.0}, INFINITY); /* x + 0 is not x */
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
    const char *names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"};
    bool found = false;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = setlocale(LC_NUMERIC, names[i]) != NULL;
    if (!found)
        skip(); /* no locale with a decimal comma is installed */
    check_value("1.5e1", NULL, 15);
    setlocale(LC_NUMERIC, "C");
}

static void constants_are_folded(void **state)
{
    slip_expression *expression = NULL;
    double value = 0, gradient[2] = {5, 5};
    (void)state;
    expression = compile("k*sin(pi/2) + 2^3 - if(1 > 2, 9, 1)");
    assert_true(slip_expression_is_constant(expression, &value));
    assert_close(value, 9.5, 0);
    assert_int_equal(slip_expression_gradient(expression, NULL, 2, gradient, NULL), 9);
    assert_close(gradient[0], 0, 0);
    assert_close(gradient[1], 0, 0);
    slip_expression_destroy(expression);

    expression = compile("x*2");
    assert_false(slip_expression_is_constant(expression, &value));
    assert_true(slip_expression_reads(expression, slot_x));
    assert_false(slip_expression_reads(expression, slot_t));
    slip_expression_destroy(expression);

    assert_int_equal(slip_expression_constant(0.1, &expression), SLIP_OK);
    assert_true(slip_expression_is_constant(expression, NULL));
    assert_close(slip_expression_value(expression, NULL, NULL), 0.1, 0);
    assert_string_equal(slip_expression_text(expression), "0.1");
    slip_expression_destroy(expression);
    slip_expression_destroy(NULL);
}

static void check_error(const char *text, int position, const char *message)
{
    slip_expression *expression = NULL;
    slip_expression_error error;
    assert_int_equal(slip_expression_compile(text, symbols, &expression, &error), SLIP_ERROR_MODEL);
    assert_null(expression);
    if (error.position != position || strcmp(error.message, message) != 0) {
        print_error("`%.60s`: found %d \"%s\", expected %d \"%s\"\n", text, error.position, error.message,
                    position, message);
        fail();
    }
}

static void words_that_are_wrong_are_pointed_at(void **state)
{
    (void)state;
    check_error("", 0, "the expression is empty");
    check_error("  \n", 0, "the expression is empty");
    check_error("2x", 1, "expected an operator but found `x`: to multiply, write 2*x");
    check_error("1 + 2 (x)", 6, "expected an operator but found `(`: to multiply, write 2*(...)");
    check_error("(x + 1) t", 8, "expected an operator but found `t`: to multiply, write (x + 1)*t");
    check_error("x 3", 2, "expected an operator but found `3`: to multiply, write x*3");
    check_error("sin(2x)", 5, "expected an operator but found `x`: to multiply, write 2*x");
    check_error("x(2)", 0, "`x` is not a function: to multiply, write x*(...)");
    check_error("1.2.3", 3, "a second `.` in the number `1.2`");
    check_error("1e999", 0, "the number `1e999` is too large");
    check_error("1e-999", 0, "the number `1e-999` is too small");
    check_error("x +", 3, "expected a number, a name or `(` but the text ends");
    check_error("x + * t", 4, "expected a number, a name or `(` but found `*`");
    check_error("()", 1, "expected a number, a name or `(` but found `)`");
    check_error("(x + 1", 6, "expected `)` to close the `(` at character 1 but the text ends");
    check_error("2*sin(x", 7, "expected `)` to close the `(` at character 6 but the text ends");
    check_error("x)", 1, "`)` without a `(` before it");
    check_error("1,5", 1,
                "unexpected `,`: it separates the arguments of a function (a decimal point is "
                "written `.`)");
    check_error("x < t < y", 6, "a second comparison: they cannot be chained; write (a < b)*(b < c)");
    check_error("x = 1", 2, "unexpected character `=`: a comparison is written ==");
    check_error("x**2", 1, "unexpected `**`: a power is written ^");
    check_error("x $ 2", 2, "unexpected character `$`");
    check_error("x \xc3\x97 2", 2, "unexpected character `\xc3\x97`: write * instead");
    check_error("x + \xc3\xa4", 4, "unexpected character `\xc3\xa4`");
    check_error("x + \xff", 4, "unexpected byte 0xFF");
    check_error("x\x01", 1, "unexpected byte 0x01");
    check_error("x + '", 4,
                "unexpected character `'`: a prime stands right behind the name of a coordinate, as in x'");
}

static void names_that_are_wrong_are_pointed_at(void **state)
{
    (void)state;
    check_error("1 + stifness*x", 4, "unknown name `stifness`; did you mean `stiffness`?");
    check_error("x''", 0, "unknown name `x''`; did you mean `x'`?");
    check_error("velocity", 0, "unknown name `velocity`");
    check_error("2*sn(x)", 2, "unknown function `sn`; did you mean `sin`?");
    check_error("frobnicate(x)", 0, "unknown function `frobnicate`");
    check_error("1 + sin", 4, "`sin` is a function: write sin(...)");
    check_error("broken + 1", 0, "the value of `broken` is not finite");
    check_error("sin()", 0, "`sin` takes 1 argument, not 0");
    check_error("sin(x, t)", 0, "`sin` takes 1 argument, not 2");
    check_error("1 + atan2(x)", 4, "`atan2` takes 2 arguments, not 1");
    check_error("min(x)", 0, "`min` takes 2 or more arguments, not 1");
    check_error("if(x, 1)", 0, "`if` takes 3 arguments, not 2");
    check_error("if(x, 1, 2, 3)", 0, "`if` takes 3 arguments, not 4");
}

static void failing_constants_are_errors_not_values(void **state)
{
    (void)state;
    check_error("1/0", 0, "division by zero in `1/0`");
    check_error("x + 2*(1/zero)", 7, "division by zero in `1/zero`");
    check_error("0*(1/0)", 3, "division by zero in `1/0`");
    check_error("(1/0)^0", 1, "division by zero in `1/0`");
    check_error("exp(-1/0)", 4, "division by zero in `-1/0`");
    check_error("x*sqrt(m)", 2, "square root of a negative number in `sqrt(m)`");
    check_error("log(0)", 0, "logarithm of a number that is not positive in `log(0)`");
    check_error("asin(2)", 0, "asin of a number outside [-1, 1] in `asin(2)`");
    check_error("acos(k)", 0, "acos of a number outside [-1, 1] in `acos(k)`");
    check_error("m^0.5", 0, "a negative number to a fractional power in `m^0.5`");
    check_error("0^-1", 0, "division by zero (zero to a negative power) in `0^-1`");
    check_error("mod(x, 1) + mod(1, 0)", 12, "division by zero in `mod(1, 0)`");
    check_error("1e300*1e300", 0, "overflow in `1e300*1e300`");
    check_error("exp(1000) + x", 0, "overflow in `exp(1000)`");
    check_error("if(x > 0, 1/0, 1)", 10, "division by zero in `1/0`");
    check_error("if(1/0, 1, 2)", 3, "division by zero in `1/0`");
}

static char *repeated(const char *head, const char *part, int times, const char *tail)
{
    const size_t size = strlen(head) + strlen(part) * (size_t)times + strlen(tail) + 1;
    char *text = malloc(size), *end = text;
    assert_non_null(text);
    end += sprintf(end, "%s", head);
    for (int i = 0; i < times; i++)
        end += sprintf(end, "%s", part);
    sprintf(end, "%s", tail);
    return text;
}

static void check_repeated(const char *part, int times, const char *tail, int position, const char *message)
{
    char *text = repeated("", part, times, tail);
    check_error(text, position, message);
    free(text);
}

static void depth_and_length_are_bounded(void **state)
{
    const double s[slot_count] = {0.5, 0, 0, 0};
    const char *deep = "the expression is nested more than 200 deep";
    slip_expression *expression;
    char *text;
    (void)state;
    check_repeated("(", 99000, "x", 200, deep);
    check_repeated("-", 99000, "x", 200, deep);
    check_repeated("2^", 49000, "x", 400, deep);
    check_repeated("sin(", 20000, "x", 800, deep);
    check_repeated("x^-(", 20000, "x", 267, deep);
    check_repeated("x+", 20000, "x", 10001,
                   "the expression is too long: it has more than 10000 numbers, names "
                   "and operations");
    check_repeated(" ", 100001, "x", 100000, "the expression is longer than 100000 characters");
    check_repeated("9", 500, "", 0, "a number of 500 characters is too long");

    text = repeated("", "-", 198, "x");
    check_value(text, s, 0.5);
    free(text);
    text = repeated("x", "+x", 4999, "");
    check_value(text, s, 2500);
    free(text);
    text = repeated("x", " ", 99999, "");
    check_value(text, s, 0.5);
    free(text);
    text = repeated("unknown", "_name", 1000, "");
    assert_int_equal(slip_expression_compile(text, symbols, &expression, &(slip_expression_error){0}),
                     SLIP_ERROR_MODEL);
    free(text);
}

static void check_diagnosis(const char *text, const double *slots, const char *expected)
{
    slip_expression *expression = compile(text);
    double *scratch = malloc((size_t)slip_expression_scratch(expression) * sizeof *scratch);
    char message[200];
    slip_expression_diagnose(expression, slots, scratch, message, sizeof message);
    assert_string_equal(message, expected);
    free(scratch);
    slip_expression_destroy(expression);
}

static void diagnosis_blames_what_failed_first(void **state)
{
    const double s[slot_count] = {0, -2, 1000, NAN};
    (void)state;
    check_diagnosis("3 + 1/x", s, "division by zero in `1/x` at character 5");
    check_diagnosis("1/(2*x)", s, "division by zero in `1/(2*x)` at character 1");
    check_diagnosis("2*sqrt(x' + 1) + 1/x", s,
                    "square root of a negative number in `sqrt(x' + 1)` at character 3");
    check_diagnosis("log(x)", s, "logarithm of a number that is not positive in `log(x)` at character 1");
    check_diagnosis("log10(x')", s,
                    "logarithm of a number that is not positive in `log10(x')` at character 1");
    check_diagnosis("asin(x')", s, "asin of a number outside [-1, 1] in `asin(x')` at character 1");
    check_diagnosis("acos(x')", s, "acos of a number outside [-1, 1] in `acos(x')` at character 1");
    check_diagnosis("x'^1.5", s, "a negative number to a fractional power in `x'^1.5` at character 1");
    check_diagnosis("x^-2", s, "division by zero (zero to a negative power) in `x^-2` at character 1");
    check_diagnosis("x^x'", s, "division by zero (zero to a negative power) in `x^x'` at character 1");
    check_diagnosis("mod(t, x)", s, "division by zero in `mod(t, x)` at character 1");
    check_diagnosis("exp(t) - exp(t)", s, "overflow in `exp(t)` at character 1");
    check_diagnosis("1 + 2*y", s, "a value that is not finite came in for `y` at character 7");
    check_diagnosis("if(x > 1, 1/x, log(x'))", s,
                    "logarithm of a number that is not positive in `log(x')` at character 16");
    check_diagnosis("if(sqrt(x') > 1, 1, 2)", s,
                    "square root of a negative number in `sqrt(x')` at character 4");
    /* the first infinity does no harm and is not blamed */
    check_diagnosis("atan(1/x) + sqrt(x')", s,
                    "square root of a negative number in `sqrt(x')` at character 13");
    check_diagnosis("x + 1", s, "`x + 1` has the value 1");
    check_diagnosis("1/\n(x)", s, "division by zero in `1/ (x)` at character 1");
}

static void diagnosis_fits_any_buffer(void **state)
{
    const double s[slot_count] = {0};
    char *text = repeated("1/(x", "+x*x", 100, ")"), message[300], small[10];
    slip_expression *expression = compile(text);
    double *scratch = malloc((size_t)slip_expression_scratch(expression) * sizeof *scratch);
    (void)state;
    slip_expression_diagnose(expression, s, scratch, message, sizeof message);
    assert_non_null(strstr(message, "+x*x...` at character 1"));
    slip_expression_diagnose(expression, s, scratch, small, sizeof small);
    assert_string_equal(small, "division ");
    slip_expression_destroy(expression);
    assert_int_equal(slip_expression_constant(NAN, &expression), SLIP_OK);
    slip_expression_diagnose(expression, NULL, scratch, message, sizeof message);
    assert_string_equal(message, "a value that is not finite came in for `nan` at character 1");
    slip_expression_destroy(expression);
    free(scratch);
    free(text);
}

static void derivatives_at_corners_are_those_of_the_branch(void **state)
{
    const double s[slot_count] = {0, -1, 2, 0.5};
    const struct {
        const char *text;
        double by_x, by_v, by_t;
    } cases[] = {
        {"if(x' > 0, log(x'), 0)*t", 0, 0, 0},
        {"if(x' > 0, sqrt(x), t)", 0, 0, 1}, /* the other branch has an infinite slope */
        {"if(x' < 0, x', 1/x)", 0, 1, 0},
        {"abs(x')", 0, -1, 0},
        {"abs(x)", 1, 0, 0},
        {"min(x, x', t)", 0, 1, 0},
        {"max(x, x', t)", 0, 0, 1},
        {"min(x, 2*x)", 1, 0, 0},
        {"sign(x') + step(x) + (x < t) + floor(t) + ceil(t)", 0, 0, 0},
        {"mod(x' - 6, t)", 0, 1, 4},
        {"hypot(x, 0*x)", 0, 0, 0},
        {"atan2(x, 0*x)", 0, 0, 0},
        {"x^2 + x^1 + x^0", 1, 0, 0},
        {"x^t", 0, 0, 0},
        {"t^x", log(2), 0, 0},
        {"x'^2.0", 0, -2, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        slip_expression *expression = compile(cases[i].text);
        double *scratch = malloc((size_t)slip_expression_scratch(expression) * sizeof *scratch);
        double gradient[3] = {9, 9, 9};
        slip_expression_gradient(expression, s, 3, gradient, scratch);
        assert_close(gradient[slot_x], cases[i].by_x, 1e-15);
        assert_close(gradient[slot_v], cases[i].by_v, 1e-15);
        assert_close(gradient[slot_t], cases[i].by_t, 1e-15);
        free(scratch);
        slip_expression_destroy(expression);
    }
}

static void linear_expressions_are_recognised(void **state)
{
    const bool set[] = {true, true};
    const struct {
        const char *text;
        slip_dependence expected;
    } cases[] = {
        {"3", SLIP_INDEPENDENT},
        {"sin(t)*y", SLIP_INDEPENDENT},
        {"x", SLIP_LINEAR_CONSTANT},
        {"k*x - 2*(x' - 1)/3 + sin(t)", SLIP_LINEAR_CONSTANT},
        {"-(x + x')*(1 + 2)", SLIP_LINEAR_CONSTANT},
        {"t*x", SLIP_LINEAR_VARYING},
        {"x*t", SLIP_LINEAR_VARYING},
        {"x/(1 + t^2)", SLIP_LINEAR_VARYING},
        {"2*(x + t*x')", SLIP_LINEAR_VARYING},
        {"if(t > 1, x, 2*x')", SLIP_LINEAR_VARYING},
        {"if(t > 1, x, x'^2)", SLIP_NONLINEAR},
        {"if(x > 1, t, 2)", SLIP_NONLINEAR},
        {"if(x > 1, x, 2)", SLIP_NONLINEAR},
        {"x*x'", SLIP_NONLINEAR},
        {"(t*x)*x'", SLIP_NONLINEAR},
        {"t*x^2", SLIP_NONLINEAR},
        {"t*(x*x')", SLIP_NONLINEAR},
        {"1/x", SLIP_NONLINEAR},
        {"t/(y*x)", SLIP_NONLINEAR},
        {"sin(x)", SLIP_NONLINEAR},
        {"sin(x) + x'", SLIP_NONLINEAR},
        {"x < 1", SLIP_NONLINEAR},
        {"min(t, x)", SLIP_NONLINEAR},
        {"x^2", SLIP_NONLINEAR},
        {"x^1", SLIP_LINEAR_CONSTANT},
        {"2^x", SLIP_NONLINEAR},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        slip_expression *expression = compile(cases[i].text);
        const slip_dependence found =
            slip_expression_dependence(expression, (slip_slot_set){.count = 2, .marked = set});
        if (found != cases[i].expected)
            print_error("`%s`\n", cases[i].text);
        assert_int_equal(found, cases[i].expected);
        slip_expression_destroy(expression);
    }
}

static void restriction_leaves_the_remainder(void **state)
{
    const bool set[] = {true, true};
    const double s[slot_count] = {NAN, NAN, 0.7, 0.2}; /* the fixed slots must not be read */
    const struct {
        const char *text;
        double expected;
        bool is_constant;
    } cases[] = {
        {"k*x + sin(t)", sin(0.7), false},
        {"t*x + 3", 3, true}, /* t is gone as well */
        {"x/t - 1 - 2*x'", -1, true},
        {"-x + y*x' + t^2 + y", 0.7 * 0.7 + 0.2, false},
        {"cos(x)*t", 0.7, false},
        {"if(x > 0, t, y)", 0.2, false},
        {"t - x", 0.7, false},
        {"x^2", 0, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        slip_expression *expression = compile(cases[i].text), *rest = NULL;
        assert_int_equal(
            slip_expression_restrict(expression, (slip_slot_set){.count = 2, .marked = set}, &rest), SLIP_OK);
        assert_string_equal(slip_expression_text(rest), cases[i].text);
        assert_false(slip_expression_reads(rest, slot_x) || slip_expression_reads(rest, slot_v));
        assert_int_equal(slip_expression_is_constant(rest, NULL), cases[i].is_constant);
        assert_close(value_of(rest, s), cases[i].expected, 0);
        slip_expression_destroy(expression);
        slip_expression_destroy(rest);
    }
}

static void restriction_keeps_what_fails(void **state)
{
    const bool set[] = {true, true};
    slip_expression *expression = compile("t + x/x'"), *rest = NULL;
    const double s[slot_count] = {1, 1, 1, 1};
    double scratch[40];
    char message[200];
    (void)state;
    assert_int_equal(slip_expression_restrict(expression, (slip_slot_set){.count = 2, .marked = set}, &rest),
                     SLIP_OK);
    assert_true(isnan(value_of(rest, s)));
    slip_expression_diagnose(rest, s, scratch, message, sizeof message);
    assert_string_equal(message, "division by zero in `x/x'` at character 5");
    slip_expression_destroy(expression);
    slip_expression_destroy(rest);
}

static void rates_are_derivatives_with_respect_to_time(void **state)
{
    static const struct {
        const char *text, *same;
    } cases[] = {
        {"rate(x)", "x'"},
        {"rate(t)", "1"},
        {"rate(k*y)", "0"},
        {"rate(sin(k*x)*t) + x'", "k*cos(k*x)*x'*t + sin(k*x) + x'"},
        {"2*rate(x^3/y - abs(x))", "2*(3*x^2/y + 1)*x'"},
        {"rate(atan2(x, t))", "(t*x' - x)/(x^2 + t^2)"},
        {"rate(if(x < 0, x^2, t))", "2*x*x'"},
        {"rate(max(x, t))", "1"},
        {"rate(exp(-t)*hypot(x, 1))", "exp(-t)*(x*x'/hypot(x, 1) - hypot(x, 1))"},
        {"x' + rate((x))", "2*x'"},
    };
    const double s[slot_count] = {-0.7, 1.3, 0.4, 2.1};
    slip_expression *expression = NULL;
    slip_expression_error error;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_close(evaluate(cases[i].text, s), evaluate(cases[i].same, s), 1e-14);
    assert_int_equal(slip_expression_compile("1 + rate(x*x')", symbols, &expression, &error),
                     SLIP_ERROR_MODEL);
    assert_int_equal(error.position, 4);
    assert_string_equal(
        error.message, "rate() takes an expression of coordinates and t: the rate of `x'` is not known here");
    assert_int_equal(slip_expression_compile("rate(x, t)", symbols, &expression, &error), SLIP_ERROR_MODEL);
    assert_int_equal(slip_expression_compile("rate(x", symbols, &expression, &error), SLIP_ERROR_MODEL);
}

static void functions_are_listed(void **state)
{
    const char *const *names = slip_expression_functions();
    int count = 0;
    (void)state;
    for (; names[count]; count++) {
        char text[40];
        slip_expression *expression = NULL;
        slip_expression_error error;
        snprintf(text, sizeof text, "%s()", names[count]);
        slip_expression_compile(text, symbols, &expression, &error);
        assert_non_null(strstr(error.message, "takes"));
    }
    assert_int_equal(count, 27);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_c),
        cmocka_unit_test(undefined_values_are_not_finite),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(constants_are_folded),
        cmocka_unit_test(words_that_are_wrong_are_pointed_at),
        cmocka_unit_test(names_that_are_wrong_are_pointed_at),
        cmocka_unit_test(failing_constants_are_errors_not_values),
        cmocka_unit_test(depth_and_length_are_bounded),
        cmocka_unit_test(diagnosis_blames_what_failed_first),
        cmocka_unit_test(diagnosis_fits_any_buffer),
        cmocka_unit_test(derivatives_at_corners_are_those_of_the_branch),
        cmocka_unit_test(linear_expressions_are_recognised),
        cmocka_unit_test(restriction_leaves_the_remainder),
        cmocka_unit_test(restriction_keeps_what_fails),
        cmocka_unit_test(rates_are_derivatives_with_respect_to_time),
        cmocka_unit_test(functions_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
