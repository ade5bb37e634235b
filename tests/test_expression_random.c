/* Expressions against slow and obvious twins, on many random texts of fixed seeds. */
#include "base/text.h"
#include "math/expression/expression.h"
#include "test.h"

#include <string.h>

typedef enum tree_kind {
    TREE_NUMBER,
    TREE_SLOT,
    TREE_PLUS,
    TREE_MINUS,
    TREE_TIMES,
    TREE_OVER,
    TREE_NEGATIVE,
    TREE_POWER,
    TREE_SQUARE,
    TREE_CUBE,
    TREE_INVERSE_SQUARE,
    TREE_LESS,
    TREE_NOT_LESS,
    TREE_IF,
    TREE_MIN,
    TREE_MAX,
    TREE_MOD,
    TREE_HYPOT,
    TREE_ATAN2,
    TREE_ABS,
    TREE_SIGN,
    TREE_STEP,
    TREE_FLOOR,
    TREE_CEIL,
    TREE_SQRT,
    TREE_CBRT,
    TREE_EXP,
    TREE_LOG,
    TREE_LOG10,
    TREE_SIN,
    TREE_COS,
    TREE_TAN,
    TREE_ASIN,
    TREE_ACOS,
    TREE_ATAN,
    TREE_SINH,
    TREE_COSH,
    TREE_TANH,
    TREE_ERF,
    TREE_KINDS
} tree_kind;

/* How each kind is written: every operand is put into parentheses by the writer where the kind asks for it.
 */
static const struct {
    const char *before, *between, *after;
    int count;
} written[TREE_KINDS] = {
    [TREE_PLUS] = {"(", ")+(", ")", 2},
    [TREE_MINUS] = {"(", ") - (", ")", 2},
    [TREE_TIMES] = {"(", ")*(", ")", 2},
    [TREE_OVER] = {"(", ")/(", ")", 2},
    [TREE_NEGATIVE] = {"-(", "", ")", 1},
    [TREE_POWER] = {"(", ")^(", ")", 2},
    [TREE_SQUARE] = {"(", "", ")^2", 1},
    [TREE_CUBE] = {"(", "", ")^3", 1},
    [TREE_INVERSE_SQUARE] = {"(", "", ")^-2", 1},
    [TREE_LESS] = {"(", ")<(", ")", 2},
    [TREE_NOT_LESS] = {"(", ") >= (", ")", 2},
    [TREE_IF] = {"if(", ",", ")", 3},
    [TREE_MIN] = {"min(", ",", ")", 2},
    [TREE_MAX] = {"max(", ", ", ")", 2},
    [TREE_MOD] = {"mod(", ",", ")", 2},
    [TREE_HYPOT] = {"hypot(", ",", ")", 2},
    [TREE_ATAN2] = {"atan2(", ",", ")", 2},
    [TREE_ABS] = {"abs(", "", ")", 1},
    [TREE_SIGN] = {"sign(", "", ")", 1},
    [TREE_STEP] = {"step(", "", ")", 1},
    [TREE_FLOOR] = {"floor(", "", ")", 1},
    [TREE_CEIL] = {"ceil(", "", ")", 1},
    [TREE_SQRT] = {"sqrt(", "", ")", 1},
    [TREE_CBRT] = {"cbrt(", "", ")", 1},
    [TREE_EXP] = {"exp(", "", ")", 1},
    [TREE_LOG] = {"log(", "", ")", 1},
    [TREE_LOG10] = {"log10(", "", ")", 1},
    [TREE_SIN] = {"sin(", "", ")", 1},
    [TREE_COS] = {"cos(", "", ")", 1},
    [TREE_TAN] = {"tan(", "", ")", 1},
    [TREE_ASIN] = {"asin(", "", ")", 1},
    [TREE_ACOS] = {"acos(", "", ")", 1},
    [TREE_ATAN] = {"atan(", "", ")", 1},
    [TREE_SINH] = {"sinh(", "", ")", 1},
    [TREE_COSH] = {"cosh(", "", ")", 1},
    [TREE_TANH] = {"tanh(", "", ")", 1},
    [TREE_ERF] = {"erf(", "", ")", 1},
};

enum { slots_used = 3, most_nodes = 1000 };

static const slip_symbol symbols[] = {
    {"x", 0, 0, NULL, 0}, {"x'", 1, 0, NULL, 0}, {"t", 2, 0, NULL, 0}, {NULL, 0, 0, NULL, 0}};

typedef struct tree {
    tree_kind kind;
    int slot, count;
    double number;
    const struct tree *operand[3];
} tree;

typedef struct forest {
    tree nodes[most_nodes];
    int count;
    uint64_t seed;
} forest;

static int dice(forest *f, int sides)
{
    return (int)test_random(&f->seed, 0, sides);
}

static tree *new_tree(forest *f, tree_kind kind)
{
    tree *n;
    assert_true(f->count < most_nodes);
    n = &f->nodes[f->count++];
    memset(n, 0, sizeof *n);
    n->kind = kind;
    return n;
}

static const tree *number(forest *f, double value)
{
    tree *n = new_tree(f, TREE_NUMBER);
    n->number = value;
    return n;
}

static const tree *grow(forest *f, int depth)
{
    tree *n;
    if (depth == 0 || dice(f, 8) == 0) {
        if (dice(f, 3) == 0)
            return number(f, dice(f, 40) / 8.0);
        n = new_tree(f, TREE_SLOT);
        n->slot = dice(f, slots_used);
        return n;
    }
    n = new_tree(f, dice(f, 2) ? (tree_kind)(TREE_PLUS + dice(f, 4))
                               : (tree_kind)(TREE_PLUS + dice(f, TREE_KINDS - TREE_PLUS)));
    n->count = written[n->kind].count;
    for (int i = 0; i < n->count; i++)
        n->operand[i] = grow(f, depth - 1);
    /* Constant integer exponents are multiplied out, with a rounding that pow does not have. */
    if (n->kind == TREE_POWER)
        n->operand[1] = number(f, 0.5 + dice(f, 5));
    return n;
}

static void write_tree(const tree *n, slip_text *text)
{
    static const char *const names[] = {"x", "x'", "t"};
    if (n->kind == TREE_NUMBER)
        slip_text_printf(text, "%.17g", n->number);
    else if (n->kind == TREE_SLOT)
        slip_text_append(text, names[n->slot]);
    else
        slip_text_append(text, written[n->kind].before);
    for (int i = 0; i < n->count; i++) {
        write_tree(n->operand[i], text);
        slip_text_append(text, i + 1 < n->count ? written[n->kind].between : written[n->kind].after);
    }
}

#define REAL double
#define TWIN(name) name##_double
#define F(name) name
#include "expression_twin.inc"
#undef REAL
#undef TWIN
#undef F
#define REAL long double
#define TWIN(name) name##_long
#define F(name) name##l
#include "expression_twin.inc"

static bool contains(const tree *n, tree_kind kind)
{
    bool found = n->kind == kind;
    for (int i = 0; i < n->count; i++)
        found = found || contains(n->operand[i], kind);
    return found;
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static long double central(const tree *n, const double *slots, int slot, long double step)
{
    long double high[slots_used], low[slots_used];
    for (int j = 0; j < slots_used; j++)
        high[j] = low[j] = slots[j];
    high[slot] += step;
    low[slot] -= step;
    return (twin_long(n, high) - twin_long(n, low)) / (2 * step);
}

/* Central differences of the twin in long double, improved by Richardson's extrapolation; false where
 * different steps do not agree, as at corners. */
static bool difference(const tree *n, const double *slots, int slot, double *derivative)
{
    const long double coarse = central(n, slots, slot, 2e-5L), fine = central(n, slots, slot, 1e-5L);
    const long double best = (4 * fine - coarse) / 3, finest = central(n, slots, slot, 3.7e-8L);
    *derivative = (double)best;
    return isfinite(*derivative) && fabsl(best - fine) <= 1e-6L * (1 + fabsl(best)) &&
           fabsl(best - finest) <= 1e-8L * (1 + fabsl(best));
}

/* The mixed second difference along slot i and a direction. */
static long double mixed(const tree *n, const double *slots, int i, const double *direction, long double step)
{
    long double sum = 0, at[slots_used];
    for (int k = 0; k < 4; k++) {
        const int one = k & 1 ? -1 : 1, other = k & 2 ? -1 : 1;
        for (int j = 0; j < slots_used; j++)
            at[j] = slots[j] + other * step * direction[j] + (j == i ? one * step : 0);
        sum += one * other * twin_long(n, at);
    }
    return sum / (4 * step * step);
}

/* False where different steps do not agree. */
static bool second_difference(const tree *n, const double *slots, int i, const double *direction,
                              double *derivative)
{
    const long double coarse = mixed(n, slots, i, direction, 2e-4L),
                      fine = mixed(n, slots, i, direction, 1e-4L),
                      finest = mixed(n, slots, i, direction, 2e-5L);
    const long double best = (4 * fine - coarse) / 3;
    *derivative = (double)best;
    return isfinite(*derivative) && fabsl(best - fine) <= 1e-5L * (1 + fabsl(best)) &&
           fabsl(best - finest) <= 1e-7L * (1 + fabsl(best));
}

typedef struct tally {
    int compiled, finite, slopes, skipped, singular, curves, derivatives;
} tally;

static void check_seconds(const tree *n, const slip_expression *expression, const double *slots,
                          double *scratch, uint64_t *seed, tally *count)
{
    const double direction[slots_used] = {test_random(seed, -1, 1), test_random(seed, -1, 1),
                                          test_random(seed, -1, 1)};
    double gradient[slots_used], same_gradient[slots_used], product[slots_used], expected;
    const double value = slip_expression_gradient(expression, slots, slots_used, gradient, scratch);
    assert_true(same(value, slip_expression_second(expression, slots, slots_used, direction, same_gradient,
                                                   product, scratch)));
    for (int i = 0; i < slots_used; i++) {
        if (isfinite(gradient[i]) && isfinite(same_gradient[i]))
            assert_close(same_gradient[i], gradient[i], 1e-12 * (1 + fabs(gradient[i])));
        if (!second_difference(n, slots, i, direction, &expected) || !isfinite(product[i]))
            continue;
        count->curves++;
        if (!(fabs(product[i] - expected) <= 1e-6 * (1 + fabs(expected)))) {
            print_error("`%s`: second derivative %d at %.17g %.17g %.17g: found %.17g, expected %.17g\n",
                        slip_expression_text(expression), i, slots[0], slots[1], slots[2], product[i],
                        expected);
            fail();
        }
    }
}

/* The derivative as an expression has the value that the reverse sweep finds. */
static void check_derivatives(const slip_expression *expression, const double *slots, double *scratch,
                              tally *count)
{
    double gradient[slots_used];
    slip_expression_gradient(expression, slots, slots_used, gradient, scratch);
    for (int i = 0; i < slots_used; i++) {
        slip_expression *derivative = NULL;
        assert_int_equal(slip_expression_derivative(expression, i, &derivative), SLIP_OK);
        double *own = malloc((size_t)slip_expression_scratch(derivative) * sizeof *own);
        const double value = slip_expression_value(derivative, slots, own);
        if (isfinite(value) && isfinite(gradient[i])) {
            count->derivatives++;
            if (!(fabs(value - gradient[i]) <= 1e-9 * (1 + fabs(gradient[i])))) {
                print_error("`%s` by %s at %.17g %.17g %.17g: found %.17g, expected %.17g\n",
                            slip_expression_text(expression), symbols[i].name, slots[0], slots[1], slots[2],
                            value, gradient[i]);
                fail();
            }
        }
        free(own);
        slip_expression_destroy(derivative);
    }
}

static void check_slopes(const tree *n, const char *text, const double *slots, const double *gradient,
                         tally *count)
{
    for (int i = 0; i < slots_used; i++) {
        double expected;
        if (!difference(n, slots, i, &expected)) {
            count->skipped++;
            continue;
        }
        count->slopes++;
        if (!isfinite(gradient[i])) { /* truly so for acos(x/x), where the chain rule meets 0*infinity */
            count->singular++;
            continue;
        }
        if (!(fabs(gradient[i] - expected) <= 1e-7 * (1 + fabs(expected)))) {
            print_error("`%s` by %s at %.17g %.17g %.17g: found %.17g, expected %.17g\n", text,
                        symbols[i].name, slots[0], slots[1], slots[2], gradient[i], expected);
            fail();
        }
    }
}

static void check_point(const tree *n, const slip_expression *expression, const double *slots,
                        double *scratch, tally *count)
{
    const char *text = slip_expression_text(expression);
    double gradient[slots_used], expected = twin_double(n, slots);
    const double value = slip_expression_value(expression, slots, scratch);
    const double again = slip_expression_gradient(expression, slots, slots_used, gradient, scratch);
    /* The twin's mod is the textbook's, which rounds differently. */
    if (!same(value, again) || (!same(value, expected) && !contains(n, TREE_MOD))) {
        print_error("`%s` at %.17g %.17g %.17g: found %.17g and %.17g, expected %.17g\n", text, slots[0],
                    slots[1], slots[2], value, again, expected);
        fail();
    }
    if (!isfinite(value))
        return;
    count->finite++;
    if (fabs(value) < 1e6)
        check_slopes(n, text, slots, gradient, count);
}

/* A text whose constants fail does not compile; then the twin must find the same failure somewhere. */
static bool has_failing_constant(const tree *n, bool *varies)
{
    const double nothing[slots_used] = {0};
    bool failing = false, reads = n->kind == TREE_SLOT;
    for (int i = 0; i < n->count; i++) {
        bool inner = false;
        failing = has_failing_constant(n->operand[i], &inner) || failing;
        reads = reads || inner;
    }
    *varies = reads;
    return failing || (!reads && !isfinite(twin_double(n, nothing)));
}

static void check_tree(const tree *n, const char *text, uint64_t *seed, tally *count)
{
    slip_expression *expression = NULL;
    slip_expression_error error;
    double *scratch;
    bool varies;
    if (slip_expression_compile(text, symbols, &expression, &error) < 0) {
        if (!has_failing_constant(n, &varies))
            print_error("`%s`: %s at %d\n", text, error.message, error.position);
        assert_true(has_failing_constant(n, &varies));
        return;
    }
    count->compiled++;
    scratch = malloc((size_t)slip_expression_scratch(expression) * sizeof *scratch);
    for (int i = 0; i < 4; i++) {
        const double slots[slots_used] = {test_random(seed, -2, 2), test_random(seed, 0.1, 1),
                                          test_random(seed, 0, 5)};
        check_point(n, expression, slots, scratch, count);
        if (i == 0 && fabs(twin_double(n, slots)) < 1e6) {
            check_seconds(n, expression, slots, scratch, seed, count);
            check_derivatives(expression, slots, scratch, count);
        }
    }
    free(scratch);
    slip_expression_destroy(expression);
}

static void random_expressions_agree_with_the_twin(void **state)
{
    forest *f = malloc(sizeof *f);
    slip_text text = {0};
    tally count = {0};
    (void)state;
    assert_non_null(f);
    f->seed = 20240229;
    for (int i = 0; i < 6000; i++) {
        const tree *n;
        f->count = 0;
        n = grow(f, 1 + i % 4);
        slip_text_clear(&text);
        write_tree(n, &text);
        check_tree(n, text.data, &f->seed, &count);
    }
    /* enough of them mean something */
    assert_true(count.compiled > 5500);
    assert_true(count.finite > 20000);
    assert_true(count.slopes > 60000);
    assert_true(count.skipped < 500);
    assert_true(count.singular < 200);
    assert_true(count.curves > 12000);
    assert_true(count.derivatives > 14000);
    slip_text_free(&text);
    free(f);
}

/* Kinds of sums of harmonics. Fewer and smaller numbers than above, so that the size of rounding is known. */
static const tree *grow_harmonic(forest *f, int depth)
{
    static const tree_kind kinds[] = {TREE_PLUS, TREE_MINUS,  TREE_TIMES, TREE_TIMES, TREE_NEGATIVE,
                                      TREE_OVER, TREE_SQUARE, TREE_CUBE,  TREE_SIN,   TREE_COS};
    tree *n;
    if (depth == 0) {
        if (dice(f, 2))
            return number(f, (1 + dice(f, 20)) / 10.0);
        n = new_tree(f, TREE_SLOT);
        n->slot = 2;
        return n;
    }
    n = new_tree(f, kinds[dice(f, sizeof kinds / sizeof *kinds)]);
    n->count = written[n->kind].count;
    if (n->kind == TREE_SIN || n->kind == TREE_COS) { /* of a*t + b */
        tree *inner = new_tree(f, dice(f, 2) ? TREE_PLUS : TREE_MINUS), *slope = new_tree(f, TREE_TIMES);
        tree *time = new_tree(f, TREE_SLOT);
        time->slot = 2;
        slope->count = inner->count = 2;
        slope->operand[0] = number(f, dice(f, 20) / 10.0);
        slope->operand[1] = time;
        inner->operand[0] = number(f, dice(f, 20) / 10.0);
        inner->operand[1] = slope;
        n->operand[0] = inner;
        return n;
    }
    for (int i = 0; i < n->count; i++)
        n->operand[i] = n->kind == TREE_OVER && i == 1 ? number(f, 1.7) : grow_harmonic(f, depth - 1);
    return n;
}

static long double sum_at(const slip_harmonic *terms, int count, double t, long double *size)
{
    long double sum = 0;
    *size = 0;
    for (int i = 0; i < count; i++) {
        const long double phase = (long double)terms[i].frequency * t, power = powl(t, terms[i].power);
        sum += power * (terms[i].cosine * cosl(phase) + terms[i].sine * sinl(phase));
        *size += power * (fabsl(terms[i].cosine) + fabsl(terms[i].sine));
    }
    return sum;
}

static void check_terms(const slip_harmonic *terms, int count)
{
    for (int i = 0; i < count; i++) {
        assert_true(terms[i].power >= 0 && terms[i].frequency >= 0);
        assert_true(terms[i].cosine != 0 || terms[i].sine != 0);
        assert_true(terms[i].frequency > 0 || terms[i].sine == 0);
        if (i > 0)
            assert_true(terms[i].power > terms[i - 1].power ||
                        (terms[i].power == terms[i - 1].power &&
                         terms[i].frequency > terms[i - 1].frequency * (1 + 1e-15)));
    }
}

static void random_harmonics_sum_to_the_expression(void **state)
{
    enum { capacity = 400 };
    forest *f = malloc(sizeof *f);
    slip_harmonic *terms = malloc(capacity * sizeof *terms);
    slip_text text = {0};
    int recognised = 0, rich = 0;
    (void)state;
    assert_true(f && terms);
    f->seed = 7;
    for (int i = 0; i < 3000; i++) {
        slip_expression *expression = NULL;
        slip_expression_error error;
        const tree *n;
        int count;
        f->count = 0;
        n = grow_harmonic(f, 1 + i % 6);
        slip_text_clear(&text);
        write_tree(n, &text);
        if (slip_expression_compile(text.data, symbols, &expression, &error) < 0)
            continue; /* an overflow among the constants */
        count = slip_expression_harmonics(expression, 2, terms, capacity);
        slip_expression_destroy(expression);
        if (count < 0)
            continue; /* too many terms; counted below */
        check_terms(terms, count);
        recognised++;
        rich += count > 5;
        for (int j = 0; j < 5; j++) {
            const double t = test_random(&f->seed, 0, 3);
            const long double slots[slots_used] = {0, 0, t};
            long double size;
            const long double sum = sum_at(terms, count, t, &size), expected = twin_long(n, slots);
            if (!(fabsl(sum - expected) <= 1e-13L * (1 + size))) {
                print_error("`%s` at %.17g: found %.17Lg, expected %.17Lg\n", text.data, t, sum, expected);
                fail();
            }
        }
    }
    assert_true(recognised > 2900);
    assert_true(rich > 300);
    slip_text_free(&text);
    free(terms);
    free(f);
}

static int harmonics(const char *text, slip_harmonic *terms, int capacity)
{
    slip_expression *expression = NULL;
    slip_expression_error error;
    int count;
    assert_int_equal(slip_expression_compile(text, symbols, &expression, &error), SLIP_OK);
    count = slip_expression_harmonics(expression, 2, terms, capacity);
    slip_expression_destroy(expression);
    return count;
}

static void check_term(const slip_harmonic *term, int power, double frequency, double cosine, double sine)
{
    assert_int_equal(term->power, power);
    assert_close(term->frequency, frequency, 1e-15 * frequency);
    assert_close(term->cosine, cosine, 4e-16 * fabs(cosine));
    assert_close(term->sine, sine, 4e-16 * fabs(sine));
}

static void harmonics_are_merged_sorted_and_exact(void **state)
{
    slip_harmonic terms[8];
    (void)state;
    assert_int_equal(harmonics("2.5*sin(1.3*t)", terms, 8), 1);
    check_term(terms, 0, 1.3, 0, 2.5);
    assert_int_equal(harmonics("3*cos(-2*t + 0.5) + 4", terms, 8), 2);
    check_term(terms, 0, 0, 4, 0);
    check_term(terms + 1, 0, 2, 3 * cos(0.5), 3 * sin(0.5));
    assert_int_equal(harmonics("sin(t)^2 + cos(t)^2", terms, 8), 1);
    check_term(terms, 0, 0, 1, 0);
    assert_int_equal(harmonics("(1 - t)^2", terms, 8), 3);
    check_term(terms, 0, 0, 1, 0);
    check_term(terms + 1, 1, 0, -2, 0);
    check_term(terms + 2, 2, 0, 1, 0);
    assert_int_equal(harmonics("t*sin(t)/2 + sin(3*t) + cos(t + pi/2)", terms, 8), 3);
    check_term(terms, 0, 1, 0, -1);
    check_term(terms + 1, 0, 3, 0, 1);
    check_term(terms + 2, 1, 1, 0, 0.5);
    assert_int_equal(harmonics("0*t", terms, 8), 0);
    assert_int_equal(harmonics("5", terms, 8), 1);
    /* differences of frequencies that should be nothing are nothing */
    assert_int_equal(harmonics("sin(0.1*t*3)*cos(0.3*t)", terms, 8), 1);
    check_term(terms, 0, 0.6, 0, 0.5);
    assert_int_equal(harmonics("sin(0.3*t - 0.1*t - 0.2*t)", terms, 8), 0);
    assert_int_equal(harmonics("cos(0.7*t)^4 - cos(0.7*t)*cos(0.7*t)^3", terms, 8), 0);
}

static void what_is_not_a_sum_of_harmonics_is_refused(void **state)
{
    static const char *const texts[] = {
        "exp(t)",
        "sin(t^2)",
        "sin(sin(t))",
        "1/t",
        "t^-1",
        "t^0.5",
        "abs(t)",
        "x",
        "x + t",
        "0*x + t",
        "2^t",
        "t > 1",
        "sqrt(t)",
        "if(t > 1, 1, 2)",
        "t/(2 + sin(t))",
        "t^2000",
        "min(t, 1)",
        "(1 + t + sin(t) + cos(1.234*t))^900", /* of the form, but far too many */
        "(((t^100)^100)^100)^100",
        "1e300*sin(t)*1e300*t",
    };
    slip_harmonic terms[8];
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (harmonics(texts[i], terms, 8) != -1)
            print_error("`%s`\n", texts[i]);
        assert_int_equal(harmonics(texts[i], terms, 8), -1);
    }
    assert_int_equal(harmonics("(1 + t)^3", terms, 4), 4);
    assert_int_equal(harmonics("(1 + t)^3", terms, 3), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_expressions_agree_with_the_twin),
        cmocka_unit_test(random_harmonics_sum_to_the_expression),
        cmocka_unit_test(harmonics_are_merged_sorted_and_exact),
        cmocka_unit_test(what_is_not_a_sum_of_harmonics_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
