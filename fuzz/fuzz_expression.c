/* Any bytes as the text of an expression: everything that can be asked of what compiles, and what must hold
 * between the answers. */
#include "support.h"

#include "math/expression/expression.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { slot_x, slot_v, slot_t, slot_count, capacity = 64 };

static const slip_symbol symbols[] = {{"x", slot_x, 0, NULL, 0},
                                      {"x'", slot_v, 0, NULL, 0},
                                      {"t", slot_t, 0, NULL, 0},
                                      {"p", -1, 1.5, NULL, 0},
                                      {NULL, 0, 0, NULL, 0}};

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void check_point(const slip_expression *expression, const double *slots, double *scratch)
{
    double gradient[slot_count];
    char message[200];
    const double value = slip_expression_value(expression, slots, scratch);
    const double again = slip_expression_gradient(expression, slots, slot_count, gradient, scratch);
    fuzz_require(same_bits(value, again), "the gradient's value is the value");
    for (int i = 0; i < slot_count; i++)
        if (!slip_expression_reads(expression, i))
            fuzz_require(gradient[i] == 0, "slots that are not read have derivative 0");
    slip_expression_diagnose(expression, slots, scratch, message, sizeof message);
    fuzz_require(message[0] != 0, "the diagnosis says something");
    slip_expression_diagnose(expression, slots, scratch, message, 8);
    fuzz_require(strlen(message) < 8, "the diagnosis fits");
}

static void check_points(const slip_expression *expression)
{
    static const double points[][slot_count] = {
        {0, 0, 0},     {1, -1, 0.5}, {-2.5, 3, 100}, {1e300, -1e300, 1e-300}, {INFINITY, -INFINITY, 1},
        {NAN, 1, -0.0}};
    double *scratch = malloc((size_t)slip_expression_scratch(expression) * sizeof *scratch);
    fuzz_require(scratch != NULL, "memory");
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        check_point(expression, points[i], scratch);
    free(scratch);
}

static void check_harmonics(const slip_expression *expression)
{
    slip_harmonic terms[capacity];
    const int count = slip_expression_harmonics(expression, slot_t, terms, capacity);
    fuzz_require(count >= -1 && count <= capacity, "the number of harmonics fits");
    for (int i = 0; i < count; i++) {
        fuzz_require(terms[i].power >= 0 && terms[i].frequency >= 0,
                     "powers and frequencies are not negative");
        fuzz_require(isfinite(terms[i].frequency) && isfinite(terms[i].cosine) && isfinite(terms[i].sine),
                     "harmonics are finite");
        fuzz_require(terms[i].cosine != 0 || terms[i].sine != 0, "no harmonic is zero");
        fuzz_require(
            i == 0 || terms[i].power > terms[i - 1].power ||
                (terms[i].power == terms[i - 1].power && terms[i].frequency > terms[i - 1].frequency),
            "harmonics are sorted and distinct");
    }
}

/* The slope of what is linear with constant coefficients is the same everywhere the slope is finite. */
static void check_linear(const slip_expression *expression)
{
    static const double here[slot_count] = {0.5, 2, 1}, there[slot_count] = {-3, 0.25, 1};
    double a[slot_count], b[slot_count];
    double *scratch = malloc((size_t)slip_expression_scratch(expression) * sizeof *scratch);
    fuzz_require(scratch != NULL, "memory");
    slip_expression_gradient(expression, here, slot_count, a, scratch);
    slip_expression_gradient(expression, there, slot_count, b, scratch);
    for (int i = slot_x; i <= slot_v; i++)
        fuzz_require(same_bits(a[i], b[i]) || !isfinite(a[i]) || !isfinite(b[i]),
                     "linear: the slope is constant");
    free(scratch);
}

static void check_analysis(const slip_expression *expression)
{
    static const bool set[slot_count] = {true, true, false};
    const slip_dependence dependence =
        slip_expression_dependence(expression, (slip_slot_set){.count = slot_count, .marked = set});
    const bool reads = slip_expression_reads(expression, slot_x) || slip_expression_reads(expression, slot_v);
    slip_expression *rest = NULL;
    fuzz_require(reads || dependence == SLIP_INDEPENDENT, "what is not read does not matter");
    if (dependence == SLIP_LINEAR_CONSTANT)
        check_linear(expression);
    fuzz_require(slip_expression_restrict(expression, (slip_slot_set){.count = slot_count, .marked = set},
                                          &rest) == SLIP_OK,
                 "restriction works");
    fuzz_require(!slip_expression_reads(rest, slot_x) && !slip_expression_reads(rest, slot_v),
                 "a restricted expression does not read the set");
    check_points(rest);
    check_harmonics(rest);
    slip_expression_destroy(rest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    slip_expression *expression = NULL;
    slip_expression_error error;
    int status;
    status = slip_expression_compile(text, symbols, &expression, &error);
    if (status == SLIP_OK) {
        fuzz_require(!strcmp(slip_expression_text(expression), text), "the text is kept");
        check_points(expression);
        check_harmonics(expression);
        check_analysis(expression);
        slip_expression_destroy(expression);
    } else {
        fuzz_require(status == SLIP_ERROR_MODEL && !expression, "what fails is the model's fault");
        fuzz_require(error.message[0] != 0, "an error says something");
        fuzz_require(error.position >= 0 && error.position <= (int)strlen(text),
                     "an error points into the text");
    }
    free(text);
    return 0;
}
