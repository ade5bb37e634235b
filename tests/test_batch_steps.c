/* Lanes by Dormand-Prince against one run after the other: the same events, the same states; the same bits
 * for any width of the vectors and any number of threads; functions of the vectors against the library's. */
#include "batch_test.h"

static const struct trial trial = {"rk", 1e-10, 1e-11, 2e-10};

/* ---- Random systems as model files. */

static const char *random_load(uint64_t *seed, char *text, size_t size)
{
    const double a = test_random(seed, 0.5, 2.5), phase = test_random(seed, 0, 6);
    switch (random_count(seed, 0, 3)) {
    case 0:
        snprintf(text, size, "%.4f*cos(1.1*t)", a);
        break;
    case 1:
        snprintf(text, size, "%.4f*cos(1.1*t + %.3f) + 0.2", a, phase);
        break;
    case 2:
        snprintf(text, size, "%.4f*sin(1.1*t + 0.4*sin(2.2*t + %.3f))", a, phase);
        break;
    default:
        snprintf(text, size, "%.4f*cos(1.1*t)/(1.5 + 0.5*sin(1.1*t + %.3f))", a, phase);
        break;
    }
    return text;
}

/* A chain of masses, springs that harden, friction on belts or between neighbours by Stribeck's law. */
static char *random_model(uint64_t *seed, int n, int contacts)
{
    slip_text text = {0};
    char load[200];
    append_chain(&text, seed, n);
    append(&text, "forces:\n");
    for (int i = 0; i < n; i++)
        append(&text, "  x%d: %s%s\n", i, random_load(seed, load, sizeof load),
               i == 0 && test_random(seed, 0, 1) < 0.5 ? " - 0.1*x0^3" : "");
    append(&text, "contacts:\n");
    for (int c = 0; c < contacts; c++) {
        const int i = c % n, kind = random_count(seed, 0, i + 1 < n ? 2 : 1);
        append(&text, "  f%d: {kind: friction, slip: x%d'", c, i);
        if (test_random(seed, 0, 1) < 0.3)
            append(&text, " + 0.1*sin(1.1*t)");
        if (kind == 1)
            append(&text, " - %.3f", test_random(seed, -0.5, 0.5));
        else if (kind == 2)
            append(&text, " - x%d'", i + 1);
        append(&text, ", normal_force: %.3f%s", test_random(seed, 0.5, 1.5),
               test_random(seed, 0, 1) < 0.2 ? " + 0.2*cos(2.2*t)" : "");
        if (test_random(seed, 0, 1) < 0.25) {
            append(&text, ", law: {type: %s, mu: %.3f, %s}}\n", c % 2 ? "arctan" : "tanh",
                   test_random(seed, 0.1, 0.6), c % 2 ? "velocity: 0.1" : "velocity: 0.2");
            continue;
        }
        if (test_random(seed, 0, 1) < 0.2) {
            append(&text, ", law: {type: dahl, mu: %.3f, stiffness: %.2f}}\n", test_random(seed, 0.1, 0.6),
                   test_random(seed, 2, 20));
            continue;
        }
        append(&text, ", law: {type: stribeck, mu: %.3f, static_ratio: %.3f, velocity: %.3f%s%s}}\n",
               test_random(seed, 0.1, 0.6), test_random(seed, 1.05, 1.8), test_random(seed, 0.1, 1),
               test_random(seed, 0, 1) < 0.3 ? ", exponent: 1" : "",
               test_random(seed, 0, 1) < 0.3 ? ", viscous: 0.05" : "");
    }
    append(&text, "simulate: {time: [0, 100]}\n");
    return text.data;
}

/* A chain of masses between stops, with springs that harden, and maybe a pad: hits, bounces that accumulate,
 * stops that move. */
static char *random_stops(uint64_t *seed, int n, int contacts)
{
    slip_text text = {0};
    char load[200];
    append_chain(&text, seed, n);
    append(&text, "forces:\n");
    for (int i = 0; i < n; i++)
        append(&text, "  x%d: %s - 0.1*x%d^3\n", i, random_load(seed, load, sizeof load), i);
    append(&text, "contacts:\n");
    for (int c = 0; c < contacts; c++) {
        const int i = c % n, sign = test_random(seed, 0, 1) < 0.5 ? 1 : -1;
        if (c > 0 && test_random(seed, 0, 1) < 0.4) {
            append(&text,
                   "  f%d: {kind: friction, slip: x%d', normal_force: %.3f, law: {type: stribeck, mu: %.3f, "
                   "static_ratio: 1.3, velocity: 0.3}}\n",
                   c, i, test_random(seed, 0.5, 1.5), test_random(seed, 0.1, 0.4));
            continue;
        }
        append(&text, "  g%d: {kind: unilateral, gap: %.3f %c x%d", c, test_random(seed, 0.05, 0.8),
               sign > 0 ? '+' : '-', i);
        if (test_random(seed, 0, 1) < 0.3)
            append(&text, " + 0.04*sin(1.1*t)");
        append(&text, ", restitution: %.3f}\n",
               test_random(seed, 0, 1) < 0.2 ? 0.0 : test_random(seed, 0.2, 0.9));
    }
    append(&text, "simulate: {time: [0, 100]}\n");
    return text.data;
}

/* ---- Lanes against single runs. */

static void compare(int number, tally *t)
{
    uint64_t seed = 77 + 1000 * (uint64_t)number;
    const int n = random_count(&seed, 1, 3), contacts = random_count(&seed, 1, n);
    char *text = random_model(&seed, n, contacts);
    compare_text(number, text, t);
    free(text);
}

static int first_case, case_count;

static void same_events_as_one_by_one(void **state)
{
    (void)state;
    tally t = {0};
    compare_text(
        -1,
        "slipstick: 1\ncoordinates: [x0]\nmass: {diagonal: [1.722]}\nsprings:\n  - {between: [x0, ground], "
        "stiffness: 1.4678, damping: 0.0716}\nforces:\n  x0: 0.7436*sin(1.1*t + 0.4*sin(2.2*t + 2.402)) - "
        "0.1*x0^3\ncontacts:\n  f0: {kind: friction, slip: x0' - 0.104, normal_force: 1.424, law: {type: "
        "stribeck, mu: 0.354, static_ratio: 1.788, velocity: 0.312}}\nsimulate: {time: [0, 100]}\n",
        &t); /* lets go for a short while between two looks at a long step */
    for (int k = 0; k < case_count; k++)
        compare(first_case + k, &t);
    judge(&t);
}

static void stops_have_the_same_events(void **state)
{
    (void)state;
    tally t = {0};
    for (int k = 0; k < case_count; k++) {
        uint64_t seed = 99 + 1000 * (uint64_t)(first_case + k);
        const int n = random_count(&seed, 1, 3), contacts = random_count(&seed, 1, n);
        char *text = random_stops(&seed, n, contacts);
        compare_text(first_case + k, text, &t);
        free(text);
    }
    judge(&t);
}

/* Without contacts: a pendulum of Duffing, whose lanes take the steps of its runs. */
static void smooth_motions_are_the_same(void **state)
{
    (void)state;
    tally t = {0};
    compare_text(0,
                 "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.3]]\nforces: {x: x - x^3 + "
                 "0.2*cos(1.1*t)}\nsimulate: {initial: {x: 0.3}, time: [0, 100]}\n",
                 &t);
    assert_int_equal(t.equal, 1);
}

/* ---- The same bits in whatever company. */

static void same_bits_in_any_company(void **state)
{
    const char *text =
        "slipstick: 1\nparameters: {mu: 0.3, k: 1}\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\n"
        "damping: [[0.05, 0], [0, 0.1]]\nstiffness: [[k + 0.8, -0.8], [-0.8, 1.4]]\n"
        "forces: {x: cos(1.1*t) - 0.2*x^3, y: 0.4*exp(sin(1.1*t))}\ncontacts:\n"
        "  a: {kind: friction, slip: x' - 0.1, law: {type: stribeck, mu: mu, static_ratio: 1.4, velocity: "
        "0.5}}\n"
        "  b: {kind: friction, slip: y', law: {type: coulomb, mu: 0.7*mu, static_ratio: 1.2}}\n"
        "simulate: {time: [0, 10]}\n";
    const char *stops = "slipstick: 1\nparameters: {mu: 0.3}\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\n"
                        "damping: [[0.05, 0], [0, 0.1]]\nstiffness: [[1.8, -0.8], [-0.8, 1.4]]\n"
                        "forces: {x: cos(1.1*t) - 0.2*x^3, y: 0.4*exp(sin(1.1*t))}\ncontacts:\n"
                        "  a: {kind: unilateral, gap: 0.5*mu + x + 0.05*sin(1.1*t), restitution: 1.5*mu}\n"
                        "  b: {kind: friction, slip: y', law: {type: coulomb, mu: mu, static_ratio: 1.2}}\n"
                        "simulate: {time: [0, 10]}\n";
    /* the smallest shape, which has a text of its own */
    const char *pad =
        "slipstick: 1\nparameters: {mu: 0.3}\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.05]]\n"
        "stiffness: [[1]]\nforces: {x: 1.5*cos(1.1*t) - 0.2*x^3}\ncontacts:\n  a: {kind: friction, "
        "slip: x' - 0.1, law: {type: stribeck, mu: mu, static_ratio: 1.4, velocity: 0.5}}\n"
        "simulate: {time: [0, 10]}\n";
    const char *stop =
        "slipstick: 1\nparameters: {mu: 0.3}\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.05]]\n"
        "stiffness: [[1]]\nforces: {x: 1.5*cos(1.1*t) - 0.2*x^3}\ncontacts:\n  a: {kind: unilateral, "
        "gap: 0.5*mu + x + 0.05*sin(1.1*t), restitution: 1.5*mu}\nsimulate: {time: [0, 10]}\n";
    (void)state;
    expect_same_bits(text, false);
    expect_same_bits(stops, false);
    expect_same_bits(pad, false);
    expect_same_bits(stop, false);
}

/* ---- Functions of the vectors: forces of which each is a function of time, held by a pad that never slips.
 * Its work is not seen, so the acceleration is taken from a mass without friction: v = integral of f. */

static void functions_are_those_of_the_library(void **state)
{
    static const char *const functions[] = {
        "exp(sin(t))",         "cos(3*t)^3",       "sin(20*t)",         "tanh(cos(t))",
        "sqrt(2 + cos(t))",    "log(2 + sin(t))",  "atan(2*cos(t))",    "(2 + sin(t))^1.5",
        "cosh(sin(t))",        "1/(2 + cos(t))",   "exp(-50*sin(t)^2)", "sin(2e6 + t)",
        "(1.5 + sin(t))^(-3)", "hypot(1, cos(t))", "asin(0.9*sin(t))",  "exp(-200 + cos(t))",
    };
    (void)state;
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        char text[500], reason[300] = "";
        const slip_batch_motion motion = {.period = 1, .tolerance = 1e-12};
        double own[2 * 2 * returns], lanes[2 * 2 * returns];
        slip_batch *batch = NULL;
        int64_t lane;
        int set;
        snprintf(
            text, sizeof text,
            "slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\nstiffness: [[1, 0], [0, 1]]\n"
            "forces:\n  x: %s - 0.01*x^3\ncontacts: {pad: {kind: friction, slip: y', law: {type: coulomb, "
            "mu: 0.5}}}\nsimulate: {time: [0, 12]}\n",
            functions[k]);
        slip_model *model = parse(text);
        slip_simulation_options options = slip_simulation_options_default();
        slip_simulation *s = NULL;
        options.tolerance = 1e-12;
        assert_int_equal(slip_simulation_open(ctx, model, NULL, &options, &s), SLIP_OK);
        for (int i = 0; i < returns; i++) {
            assert_int_equal(slip_simulation_advance(ctx, s, i + 1), SLIP_OK);
            slip_simulation_whole_state(s, own + 4 * i, own + 4 * i + 2);
        }
        slip_simulation_close(s);
        assert_int_equal(slip_batch_create(ctx, &(slip_batch_settings){.threads = 1}, &batch), SLIP_OK);
        assert_int_equal(slip_batch_add_set(ctx, batch, model->system, &motion, &set, reason, sizeof reason),
                         SLIP_OK);
        if (set < 0)
            fail_msg("%s: %s", functions[k], reason);
        assert_int_equal(slip_batch_add_lane(ctx, batch, set, 0, model->initial_q, model->initial_v, &lane),
                         SLIP_OK);
        assert_int_equal(slip_batch_advance(ctx, batch, NULL, 1, returns, lanes), SLIP_OK);
        if (!(largest_difference(4 * returns, own, lanes) < 1e-10))
            fail_msg("%s: differs by %g", functions[k], largest_difference(4 * returns, own, lanes));
        slip_batch_destroy(batch);
        slip_model_destroy(model);
    }
}

/* ---- Laws as expressions are the laws themselves. */

static void laws_as_expressions_are_the_laws(void **state)
{
    uint64_t seed = 3;
    int laws = 0;
    (void)state;
    for (const slip_law_type *const *type = slip_law_types; *type; type++) {
        const slip_law_info *info = &(*type)->info;
        slip_law law = slip_law_default(info->name);
        slip_law_kernel kernel;
        slip_symbol symbols[20] = {{.name = "v", .slot = 0}, {.name = "side", .slot = 1}};
        slip_expression *expression = NULL;
        slip_expression_error error;
        double scratch[100];
        int count = 2;
        if (!(*type)->expression || (*type)->rate_expression)
            continue;
        laws++;
        for (int k = 0; k < info->parameter_count; k++)
            if (strcmp(info->parameters[k].name, "eta_prime") != 0 &&
                strcmp(info->parameters[k].name, "viscous") != 0)
                *slip_law_parameter(&law, info->parameters[k].name) =
                    strcmp(info->parameters[k].name, "exponent") == 0 ? 3 : test_random(&seed, 1.1, 1.9);
        assert_int_equal(slip_law_prepare(ctx, &law, &kernel), SLIP_OK);
        for (int k = 0; k < info->parameter_count; k++)
            symbols[count++] =
                (slip_symbol){.name = info->parameters[k].name,
                              .slot = -1,
                              .value = *slip_law_parameter(&kernel.law, info->parameters[k].name)};
        if (slip_expression_compile((*type)->expression, symbols, &expression, &error) < 0)
            fail_msg("%s: %s", info->name, error.message);
        assert_true(slip_expression_scratch(expression) <= 100);
        for (int k = 0; k < 200; k++) {
            const int piece = info->set_valued ? k % 2 : 0;
            const double slots[2] = {test_random(&seed, -3, 3), piece ? 1 : -1},
                         found = slip_expression_value(expression, slots, scratch);
            double force, slope;
            (*type)->evaluate(&kernel, piece, slots[0], &force, &slope);
            assert_close(found, force, 1e-14);
        }
        slip_expression_destroy(expression);
    }
    assert_int_equal(laws, 5);
}

/* ---- What is refused. */

static void expect_refusal(const char *text, const char *part)
{
    expect_refusal_by("rk", text, part);
}

#define OWN_PAD "contacts: {p: {kind: friction, slip: x', law: {type: coulomb, mu: 0.2}}}\n"

static void says_what_it_does_not_take(void **state)
{
    (void)state;
    expect_refusal(LAW("{type: elliptic, mu: 0.3, width: 0.1}"),
                   "contact `pad` has a law that is none for lanes");
    expect_refusal(HEAD "forces: {x: abs(x)}\n" OWN_PAD, "a force switches");
    expect_refusal(HEAD "forces: {x: 0.1*sin(t^2)}\n" OWN_PAD, "no bound is known");
    expect_refusal(HEAD "contacts: {p: {kind: unilateral, gap: x^2 + 1}}\n",
                   "contact `p` has a gap that is not linear");
    expect_refusal(HEAD "contacts: {p: {kind: unilateral, gap: x + 1, slip: x', law: {type: coulomb, mu: "
                        "0.1}}}\n",
                   "contact `p` has a gap with friction");
    expect_refusal(LAW("{type: jenkins, mu: 0.3, stiffness: 10}"), "contact `pad` has a law with memory");
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_events_as_one_by_one, setup, teardown),
        cmocka_unit_test_setup_teardown(stops_have_the_same_events, setup, teardown),
        cmocka_unit_test_setup_teardown(smooth_motions_are_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(same_bits_in_any_company, setup, teardown),
        cmocka_unit_test_setup_teardown(functions_are_those_of_the_library, setup, teardown),
        cmocka_unit_test_setup_teardown(laws_as_expressions_are_the_laws, setup, teardown),
        cmocka_unit_test_setup_teardown(says_what_it_does_not_take, setup, teardown),
    };
    first_case = count > 1 ? atoi(arguments[1]) : 0;
    case_count = count > 2 ? atoi(arguments[2]) : count > 1 ? 1 : test_all() ? 12000 : test_cases(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
