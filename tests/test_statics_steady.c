/* Equilibria in which contacts slide steadily on what moves, and states that rest where their rates vanish,
 * against closed forms. */
#include "model_test.h"
#include "slipstick/slipstick.h"
#include "slipstick/statics.h"

static slip_statics *solve(const char *text, const char *const *settings, slip_model **model)
{
    slip_statics *statics = NULL;
    *model = parse_with(text, settings);
    if (slip_statics_solve(ctx, *model, NULL, &statics) != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(statics);
    return statics;
}

/* The only solution. */
static const slip_statics_solution *the_only(const slip_statics *statics)
{
    assert_int_equal(slip_statics_count(statics), 1);
    return slip_statics_at(statics, 0);
}

/* ---- A block on a belt: the spring holds what the law gives at the speed of the belt. */
#define BELT(law)                                                                                            \
    "slipstick: 1\nparameters: {k: 7, N: 3, v: 0.2}\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[k]]\n"      \
    "contacts:\n  belt: {kind: friction, slip: x' - v, normal_force: N, law: " law "}\n"                     \
    "simulate: {time: [0, 5], initial: static}\n"

static void block_on_a_belt(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double force; /* for unit normal force */
        int complete;
    } laws[] = {
        {BELT("{type: coulomb, mu: 0.4, static_ratio: 1.7}"), 0.4, 1},
        {BELT("{type: coulomb, mu: 0.4, viscous: 0.5}"), 0.4 + 0.5 * 0.2, 1},
        {BELT("{type: tanh, mu: 0.4, velocity: 0.3}"), 0.4 * 0.5827829453479102, 1},
        {BELT("{type: lugre, mu: 0.4, static_ratio: 1.5, velocity: 0.25, stiffness: 300, damping: 5, "
              "viscous: 0.1}"),
         0.4 * (1 + 0.5 * 0.527292424043049) + 0.1 * 0.2, 0},
        {BELT("{type: jenkins, mu: 0.4, stiffness: 20}"), 0.4, 0},
        {BELT("{type: function, force: 0.4*v/(1 + v^2)}"), 0.4 * 0.2 / 1.04, 1},
    };
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        slip_model *model;
        slip_statics *statics = solve(laws[k].text, NULL, &model);
        const slip_statics_solution *s = the_only(statics);
        assert_int_equal(s->modes[0], 1 << SLIP_MODE_SLIP_MINUS);
        assert_close(s->state.q[0], laws[k].force * 3 / 7, 1e-9);
        assert_close(s->state.tangential[0], 7 * s->state.q[0], 1e-13);
        assert_close(s->state.slip[0], -0.2, 0);
        assert_int_equal(slip_statics_complete(statics), laws[k].complete);
        slip_statics_destroy(statics);
        slip_model_destroy(model);
    }
}

/* A coefficient that grows with a temperature, which settles at 2; and one that grows along the way: the
 * friction of the belt is (0.2 + 0.1 x) N = k x. */
static void coefficients_that_vary(void **state)
{
    (void)state;
    slip_model *model;
    slip_statics *statics = solve(
        "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[7]]\nstates: {T: (2 - T)/5}\n"
        "contacts:\n  belt: {kind: friction, slip: x' - 0.2, normal_force: 3, law: {type: coulomb, mu: 0.4 + "
        "0.1*T}}\n",
        NULL, &model);
    assert_close(the_only(statics)->state.q[0], 0.6 * 3 / 7, 1e-12);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
    statics = solve(
        "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[7]]\ncontacts:\n"
        "  belt: {kind: friction, slip: x' - 0.2, normal_force: 3, law: {type: coulomb, mu: 0.2 + 0.1*x}}\n",
        NULL, &model);
    assert_close(the_only(statics)->state.q[0], 0.6 / (7 - 0.3), 1e-12);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

/* A run that starts there stays there. */
static void a_run_stays_in_steady_sliding(void **state)
{
    (void)state;
    slip_model *model = parse(BELT("{type: coulomb, mu: 0.4, static_ratio: 1.7}"));
    slip_result *result = NULL;
    assert_int_equal(slip_run(ctx, model, NULL, &result), SLIP_OK);
    int64_t count;
    const double *x = slip_result_series(result, "x", &count);
    for (int64_t k = 0; k < count; k++)
        assert_close(x[k], 0.4 * 3 / 7, 1e-13);
    assert_close(slip_result_number(result, "events.total"), 0, 0);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* ---- The model of mode coupling: normal force N0 + k3 y, the belt runs along x.
 *     k11 x + (k12 - mu k3) y = mu N0,   k12 x + k22 y = 0. */
#define COUPLING(contact, k22, load)                                                                         \
    "slipstick: 1\nparameters: {mu: 0.375, N0: 2, k3: 4/3}\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\n"   \
    "stiffness: [[2, 1], [1, " k22 "]]\nforces: {y: " load "}\ncontacts:\n  pad: " contact "\n"

static void mode_coupling(void **state)
{
    (void)state;
    static const char *const texts[] = {
        COUPLING("{kind: friction, slip: x' - 1, normal_force: N0 + k3*y, law: {type: coulomb, mu: mu}}", "2",
                 "0"),
        /* the spring of the contact is one that lets go */
        COUPLING(
            "{kind: unilateral, gap: -y - N0/k3, slip: x' - 1, normal: {stiffness: k3}, law: {type: coulomb, "
            "mu: mu}}",
            "2 - k3", "N0"),
    };
    const double mu = 0.375, N0 = 2, k3 = 4.0 / 3, determinant = 2 * 2 - (1 - mu * k3);
    for (int k = 0; k < 2; k++) {
        slip_model *model;
        slip_statics *statics = solve(texts[k], NULL, &model);
        const slip_statics_solution *s = the_only(statics);
        assert_close(s->state.q[0], 2 * mu * N0 / determinant, 1e-13);
        assert_close(s->state.q[1], -mu * N0 / determinant, 1e-13);
        assert_close(s->state.normal[0], N0 - k3 * mu * N0 / determinant, 1e-13);
        slip_statics_destroy(statics);
        slip_model_destroy(model);
    }
    /* A rigid contact, pressed down: the normal force is what holds y. */
    slip_model *model;
    slip_statics *statics =
        solve(COUPLING("{kind: unilateral, gap: -y, slip: x' - 1, law: {type: coulomb, mu: mu}}", "2", "N0"),
              NULL, &model);
    bool found = false;
    for (int k = 0; k < slip_statics_count(statics); k++) {
        const slip_statics_solution *s = slip_statics_at(statics, k);
        if (s->modes[0] != 1 << SLIP_MODE_SLIP_MINUS)
            continue;
        /* 2 x = mu N, x = N0 - N */
        found = true;
        assert_close(s->state.normal[0], N0 / (1 + mu / 2), 1e-13);
        assert_close(s->state.q[0], mu * N0 / (2 + mu), 1e-13);
    }
    assert_true(found);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

/* ---- Some slide, some stick, some are open: a block on a belt pulls another one that stands on the ground.
 */
static void some_slide_and_some_stick(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        slip_model *model;
        const char *const settings[] = {k == 0 ? "mu2=0.5" : "mu2=0.1", NULL};
        slip_statics *statics =
            solve("slipstick: 1\nparameters: {mu2: 0.5}\ncoordinates: [a, b]\nmass: [[1, 0], [0, 1]]\n"
                  "stiffness: [[5, -5], [-5, 8]]\ncontacts:\n"
                  "  belt: {kind: friction, slip: a' - 2, normal_force: 10, law: {type: coulomb, mu: 0.3}}\n"
                  "  ground: {kind: friction, slip: b', normal_force: 10, law: {type: coulomb, mu: mu2}}\n"
                  "  stop: {kind: unilateral, gap: 4 - a}\n",
                  settings, &model);
        const slip_statics_solution *s = the_only(statics);
        assert_true(slip_statics_complete(statics));
        const double b = k == 0 ? 0 : (3 - 1) / 3.0;
        assert_int_equal(s->modes[0], 1 << SLIP_MODE_SLIP_MINUS);
        assert_int_equal(s->modes[1], 1 << (k == 0 ? SLIP_MODE_STICK : SLIP_MODE_SLIP_PLUS));
        assert_int_equal(s->modes[2], 1 << SLIP_MODE_OPEN);
        assert_close(s->state.q[0], b + 0.6, 1e-13);
        assert_close(s->state.q[1], b, 1e-13);
        assert_close(s->state.tangential[1], k == 0 ? -3 : -1, 1e-13);
        slip_statics_destroy(statics);
        slip_model_destroy(model);
    }
}

/* ---- A disc with a pad in the plane: the disc turns, friction is against the velocity of its surface. */
static void pad_on_a_turning_disc(void **state)
{
    (void)state;
    slip_model *model;
    slip_statics *statics = solve("slipstick: 1\nparameters: {w: 3}\ncoordinates: [x, y]\nmass: [[1, 0], [0, "
                                  "1]]\nstiffness: [[50, 0], [0, 80]]\n"
                                  "forces: {x: 50*0.3, y: 80*0.4}\ncontacts:\n"
                                  "  pad: {kind: friction, slip: [x' + w*y, y' - w*x], normal_force: 10, "
                                  "law: {type: coulomb, mu: 0.5}}\n"
                                  "simulate: {initial: {x: 0.3, y: 0.4}}\n",
                                  NULL, &model);
    const slip_statics_solution *s = the_only(statics);
    const double x = s->state.q[0], y = s->state.q[1], r = hypot(x, y);
    assert_int_equal(s->modes[0], 1 << SLIP_MODE_SLIP);
    assert_close(50 * (x - 0.3), -5 * y / r, 1e-12);
    assert_close(80 * (y - 0.4), 5 * x / r, 1e-12);
    assert_close(s->state.plane[3], -5 * y / r, 1e-12);
    assert_close(s->state.plane[4], 5 * x / r, 1e-12);
    assert_close(s->state.slip[0], 3 * r, 1e-12);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

/* ---- States rest where their rates vanish. */
/* Where bristles are bent by a belt their rate vanishes to the rounding of its own parts, however stiff they
 * are; a pad in the plane sticks beside it. K x = friction + f along x, and the pad holds what is left. */
static void bristles_of_any_stiffness(void **state)
{
    (void)state;
    for (double stiffness = 5; stiffness < 1e5; stiffness *= 1.37) {
        char setting[40];
        slip_model *model;
        snprintf(setting, sizeof setting, "s=%.17g", stiffness);
        slip_statics *statics = solve(
            "slipstick: 1\nparameters: {s: 10}\ncoordinates: [x, y, z]\nmass: {diagonal: [1, 1, 1]}\n"
            "stiffness: [[2.5, -1.5, -3.8], [0.1, 1.3, 0], [-0.6, 1.6, 4.3]]\nforces: {x: 0.1, y: 0.2, z: "
            "0.1}\ncontacts:\n  pad: {kind: friction, slip: [y', z'], normal_force: 1, law: {type: coulomb, "
            "mu: 0.5}}\n  belt: {kind: friction, slip: x' - 0.1, normal_force: 1, law: {type: lugre, mu: "
            "0.3, "
            "static_ratio: 1.2, velocity: 0.1, stiffness: s, viscous: 0.1}}\n",
            (const char *const[]){setting, NULL}, &model);
        const slip_statics_solution *s = the_only(statics);
        const double x = (0.1 + 0.3 * (1 + 0.2 * exp(-1.0)) + 0.01) / 2.5;
        assert_close(s->state.q[0], x, 1e-12);
        assert_close(s->state.q[1], 0, 1e-12);
        assert_int_equal(s->modes[0], 1 << SLIP_MODE_STICK);
        slip_statics_destroy(statics);
        slip_model_destroy(model);
    }
}

static void states_at_rest(void **state)
{
    (void)state;
    slip_model *model;
    /* An integral controller holds x where it is told to, whatever the load; a filter follows. */
    slip_statics *statics = solve("slipstick: 1\nparameters: {r: 0.7, f: 5}\ncoordinates: [x]\nmass: [[1]]\n"
                                  "stiffness: [[3]]\nstates: {s: r - x, y: (x^2 - y)/0.1}\n"
                                  "forces: {x: f + 2*s}\ncontacts:\n  stop: {kind: unilateral, gap: 1 - x}\n"
                                  "outputs: {twice: 2*y}\n",
                                  NULL, &model);
    const slip_statics_solution *s = the_only(statics);
    assert_close(s->state.q[0], 0.7, 1e-13);
    assert_close(s->state.q[1], (3 * 0.7 - 5) / 2, 1e-13);
    assert_close(s->state.q[2], 0.49, 1e-13);
    assert_close(s->state.outputs[0], 0.98, 1e-13);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
    /* Nothing decides the value of a state whose rate vanishes at rest wherever it is. */
    static const struct {
        const char *rate, *message;
    } wrong[] = {{"x'", "state `s`: nothing decides its value at rest"},
                 {"0.5", "state `s`: its rate is 0.5 at rest"}};
    for (int k = 0; k < 2; k++) {
        char text[400];
        snprintf(
            text, sizeof text,
            "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[3]]\nstates: {s: %s}\nforces: {x: s}\n"
            "contacts:\n  stop: {kind: unilateral, gap: 1 - x}\n",
            wrong[k].rate);
        model = parse(text);
        assert_int_equal(slip_statics_solve(ctx, model, NULL, &statics), SLIP_ERROR_MODEL);
        expect_message(text, wrong[k].message);
        slip_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_on_a_belt),
        cmocka_unit_test(coefficients_that_vary),
        cmocka_unit_test(a_run_stays_in_steady_sliding),
        cmocka_unit_test(mode_coupling),
        cmocka_unit_test(some_slide_and_some_stick),
        cmocka_unit_test(pad_on_a_turning_disc),
        cmocka_unit_test(bristles_of_any_stiffness),
        cmocka_unit_test(states_at_rest),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
