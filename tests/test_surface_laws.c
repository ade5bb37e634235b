/* Laws of surfaces of elastic bodies: each contact point has its own, with its states where it has memory,
 * and with parameters that depend on its place. */
#include "motion_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static char text[2000];

/* A stiff block of mass 1 on springs, pressed on a belt by 1.5, and the same as one coordinate. The belt
 * turns back and forth. */
static const char *const laws[] = {
    "{type: lugre, mu: 0.3, static_ratio: 1.5, velocity: 0.1, stiffness: 100, damping: 1, viscous: 0.1}",
    "{type: dahl, mu: 0.3, stiffness: 20}",
    "{type: jenkins, mu: 0.3, stiffness: 20}",
    "{type: boucwen, stiffness: 20, beta: 30, gamma: 20}",
    "{type: elastoplastic, mu: 0.3, velocity: 0.1, stiffness: 100, damping: 1, breakaway: 1e-3}",
    "{type: iwan, elements: [[10, 0.1], [5, 0.2]]}",
    "{type: rate_state, mu: 0.3, a: 0.02, b: 0.01, length: 0.05, velocity: 0.1}"};
enum { law_count = 7, planes = 5 }; /* the first of them have a form for the plane */

static double rigid(const char *law)
{
    snprintf(text, sizeof text,
             "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[5]]\ncontacts:\n"
             "  belt: {kind: friction, slip: x' - 0.2 + 0.4*sin(2*t), normal_force: 1.5, law: %s}\n"
             "simulate: {method: smooth, time: [0, 2.5]}\n",
             law);
    slip_result *result = run_text_as_said(text);
    const double x = last_of(result, "x");
    slip_result_destroy(result);
    return x;
}

/* It starts with the overlap that its weight needs. */
static double elastic(const char *law, bool solid, const char *reduce, const char *method)
{
    snprintf(
        text, sizeof text,
        "slipstick: 1\nbodies:\n  block:\n    mesh: {block: {x: [0, 1], y: [0, %s]%s}}\n"
        "    material: {young: 1e6, poisson: 0.3, density: 2}\n    body_force: [0, %s-3]\n"
        "    springs: {bottom: {stiffness: [5, %s0]}}\n    probes: {corner: [0, 0%s]}\n%scontacts:\n"
        "  belt: {kind: surface, between: [block.bottom, {point: [0, 0%s], normal: [0, %s1]}], law: %s,\n"
        "         velocity: [0.2 - 0.4*sin(2*t), 0%s], normal: {stiffness: 1e4}, gap: %s}\n"
        "simulate: {time: [0, 2.5], method: %s}\n",
        solid ? "1" : "0.5", solid ? ", z: [0, 0.5], elements: [1, 1, 1]" : ", elements: [2, 1]",
        solid ? "0, " : "", solid ? "5, " : "", solid ? ", 0" : "", reduce, solid ? ", 0" : "",
        solid ? "0, " : "", law, solid ? ", 0" : "", solid ? "-1.5/4e4" : "-1.5/3e4", method);
    slip_result *result = run_text_as_said(text);
    const double x = last_of(result, "block.corner.x");
    slip_result_destroy(result);
    return x;
}

static void points_remember(void **state)
{
    static const char *const whole = "    reduce: none\n", *const reduced = "    reduce: {modes: 4}\n",
                             *const moreau = "moreau, step: 1e-3";
    (void)state;
    for (int k = 0; k < law_count; k++) {
        const double x = rigid(laws[k]);
        assert_true(fabs(x) > 0.01);
        near(elastic(laws[k], false, whole, moreau), x, 2e-3 * fabs(x), laws[k]);
        near(elastic(laws[k], false, reduced, moreau), x, 2e-3 * fabs(x), laws[k]);
        near(elastic(laws[k], false, reduced, "smooth"), x, 2e-3 * fabs(x), laws[k]);
        if (k < planes)
            near(elastic(laws[k], true, whole, moreau), x, 2e-3 * fabs(x), laws[k]);
        if (k < planes)
            near(elastic(laws[k], true, reduced, moreau), x, 2e-3 * fabs(x), laws[k]);
    }
}

/* In steady sliding each point has the friction of its own coefficient. */
#define WORN(law, reduce)                                                                                    \
    "slipstick: 1\nstates: {T: (1 - T)/0.1}\nbodies:\n  pad:\n"                                              \
    "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [6, 3]}}\n"                                        \
    "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: x}\n"                              \
    "    tractions: {top: [0, -1]}\n" reduce                                                                 \
    "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}],\n"           \
    "         velocity: 0.2, law: " law "}\n"                                                                \
    "simulate: {method: moreau, step: 1e-3, time: [0, 0.1], initial: static}\n"

static void coefficients_of_the_place(void **state)
{
    static const char *const texts[] = {
        WORN("{type: coulomb, mu: 0.2 + 0.2*x + 0.1*T}", ""),
        WORN("{type: coulomb, mu: 0.3 + 0.2*x}", "    reduce: none\n"),
        WORN("{type: function, force: (0.3 + 0.2*x)*tanh(100*v)}", "    reduce: {modes: 5}\n"),
        WORN("{type: lugre, mu: 0.3 + 0.2*x, velocity: 0.1, stiffness: 500}", "    reduce: {modes: 5}\n")};
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        slip_result *result = run_text_as_said(texts[k]);
        double sum = 0;
        for (int i = 0; i < 7; i++) {
            char force[40], normal[40];
            snprintf(force, sizeof force, "belt[%d].force", i + 1);
            snprintf(normal, sizeof normal, "belt[%d].normal", i + 1);
            const double expected = (0.3 + 0.2 * i / 6) * last_of(result, normal);
            near(last_of(result, force), expected, 1e-9, force);
            sum += expected;
        }
        assert_true(sum > 0.3);
        slip_result_destroy(result);
    }
}

static void refused(const char *model_text, const char *part)
{
    slip_model *model = NULL;
    slip_result *result = NULL;
    slip_run_options options = slip_run_options_default();
    int status = slip_model_parse(ctx, model_text, "test", NULL, &model);
    if (status >= 0)
        status = slip_run(ctx, model, &options, &result);
    assert_true(status < 0);
    if (!strstr(slip_context_message(ctx), part))
        print_error("found: %s\n", slip_context_message(ctx));
    assert_non_null(strstr(slip_context_message(ctx), part));
    slip_model_destroy(model);
}

static void messages(void **state)
{
    (void)state;
    refused(WORN("{type: coulomb, mu: 0.3 - x}", ""), "found `0.3 - (0.33333333333333331)` = -0.0333");
    refused(WORN("{type: coulomb, mu: 0.3*u}", ""), "unknown name `u`");
    char many[1000] = "{type: iwan, elements: [";
    for (int k = 0; k < 24; k++)
        strcat(many, k > 0 ? ", [1, 1]" : "[1, 1]");
    snprintf(text, sizeof text,
             "slipstick: 1\nbodies:\n  pad:\n    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [12, 1]}}\n"
             "    material: {young: 100, poisson: 0.3, density: 1}\ncontacts:\n"
             "  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}], law: %s]}}\n"
             "simulate: {method: moreau, step: 1e-3, time: [0, 0.1]}\n",
             many);
    refused(text, "more than 300 states");
    /* points without mass have neither bristles nor springs */
#define YIELDING(keys)                                                                                       \
    "slipstick: 1\nbodies:\n  pad:\n    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [4, 2]}}\n"         \
    "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: [top]\n    body_force: [0, -1]\n"        \
    "    reduce: {modes: 4, contact: condensed}\n"                                                           \
    "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}], " keys "}\n" \
    "simulate: {method: exponential, time: [0, 0.1]}\n"
    refused(YIELDING("law: {type: dahl, mu: 0.3, stiffness: 20}"), "takes laws with memory where");
    refused(YIELDING("normal: {stiffness: 10}"), "takes springs on contact points that have a mass");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_of_numbers(points_remember),
        cmocka_unit_test(coefficients_of_the_place),
        cmocka_unit_test(messages),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
