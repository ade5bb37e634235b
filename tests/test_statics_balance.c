/* The equations of equilibria: their derivatives against differences, the judge against wrong states, and
 * Newton's method by way of the linear problem. */
#include "model_test.h"
#include "slipstick/statics.h"
#include "statics/equilibria.h"

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return 2 * (double)(*seed >> 11) / 9007199254740992.0 - 1;
}

#define HEAD3                                                                                                \
    "slipstick: 1\ncoordinates: [x, y, p]\nstates: {s: x - s^2 + y, u: -u + sin(p)*s}\n"                     \
    "energy: {kinetic: (x'^2 + y'^2 + p'^2)/2, potential: y^2*cos(p) + x^4 + exp(x*y) + p^2/2}\n"            \
    "forces: {x: s*y - u, p: sin(x)*u}\ncontacts:\n"

/* A slip of every dimension, with a gap and without, at rest and driven, laws with memory. */
static const char *const texts[] = {
    HEAD3
    "  a: {kind: unilateral, gap: y - sin(p)*x + x^2, slip: rate(x - cos(p)*y), law: {type: coulomb, mu: "
    "0.4}}\n"
    "  b: {kind: friction, slip: x' + 2*y', normal_force: 2 + x^2 + s, law: {type: coulomb, mu: 0.3}}\n",
    HEAD3
    "  a: {kind: unilateral, gap: y - sin(p)*x + x^2, slip: rate(x - cos(p)*y), law: {type: coulomb, mu: "
    "0.4, static_ratio: 1.7}}\n"
    "  b: {kind: patch, normal_force: 2 + x^2, slip: {x: rate(x + sin(p)), y: rate(y*x), spin: p'}, area: "
    "{shape: rectangle, sides: [0.4, 0.2]}, law: {type: coulomb, mu: 0.6, static_ratio: 1.3}}\n",
    HEAD3 "  a: {kind: unilateral, gap: 'y + atan2(x, 2)', slip: [rate(x*p + y), rate(y - p^2)], law: {type: "
          "coulomb, "
          "mu: [0.4, 0.7]}}\n",
    HEAD3
    "  a: {kind: patch, gap: y + p^2/3, slip: {x: rate(x + sin(p)), y: rate(y*x), spin: p'}, area: {shape: "
    "rectangle, sides: [0.4, 0.2]}, law: {type: coulomb, mu: 0.6}}\n",
    HEAD3
    "  a: {kind: unilateral, gap: y*cos(x), slip: x' - 3 + y + s, law: {type: tanh, mu: 0.6, velocity: 2}}\n"
    "  b: {kind: friction, slip: y' + 1 + x^2, normal_force: 2 + y^2, law: {type: lugre, mu: 0.4, "
    "static_ratio: "
    "1.5, velocity: 1, stiffness: 30, damping: 0.5, viscous: 0.1}}\n"
    "  c: {kind: friction, slip: [x' + p + 2, y' - x], normal_force: 1.5 + u^2, law: {type: coulomb, mu: "
    "0.7}}\n",
    HEAD3
    "  a: {kind: unilateral, gap: y - 2*x, slip: x' - 1 - y^2, normal: {stiffness: 20, exponent: 1.5}, law: "
    "{type: coulomb, mu: 0.4}}\n",
};

/* Parameters of laws that depend on coordinates and states. */
static const char *const varying[] = {
    HEAD3
    "  a: {kind: unilateral, gap: y - sin(p)*x, slip: rate(x - cos(p)*y), law: {type: coulomb, mu: 0.4 + "
    "x^2/10}}\n"
    "  b: {kind: friction, slip: x' - 2 + y, normal_force: 2 + x^2, law: {type: tanh, mu: 0.3 + s^2/5, "
    "velocity: "
    "2}}\n",
    HEAD3 "  a: {kind: unilateral, gap: y + p^2, slip: [x', y'], law: {type: coulomb, mu: 0.4 + u^2/9}}\n",
};

static slip_balance *open_balance(const slip_model *model, double *reference)
{
    slip_balance *b = NULL;
    for (int i = 0; i < model->system->n; i++)
        reference[i] = 0.1 * i;
    if (slip_balance_create(ctx, model->system, 0, reference, &b) < 0)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(b);
    return b;
}

enum { most = 40 };

static void compare_derivatives(slip_balance *b, const slip_mode *modes, const double *y)
{
    const int size = slip_balance_size(b, modes);
    double f[most], low[most], high[most], moved[most], matrix[most * most];
    assert_true(size <= most);
    assert_true(slip_balance_evaluate(b, modes, y, f, matrix));
    for (int j = 0; j < size; j++) {
        const double h = 1e-5;
        memcpy(moved, y, sizeof(double) * (size_t)size);
        moved[j] = y[j] + h;
        assert_true(slip_balance_evaluate(b, modes, moved, high, NULL));
        moved[j] = y[j] - h;
        assert_true(slip_balance_evaluate(b, modes, moved, low, NULL));
        for (int i = 0; i < size; i++) {
            const double slope = (high[i] - low[i]) / (2 * h);
            assert_close(matrix[i * size + j], slope, 1e-6 * (1 + fabs(slope)));
        }
    }
}

/* The same of the margins, where these have gradients in closed form. */
static void compare_margins(slip_balance *b, const slip_mode *modes, const double *y)
{
    const int size = slip_balance_size(b, modes);
    double gradients[9 * most], moved[most];
    slip_balance_margin at[9], low[9], high[9];
    const int count = slip_balance_margins(b, modes, y, at, gradients);
    assert_true(count <= 9);
    for (int j = 0; j < size; j++) {
        const double h = 1e-5;
        memcpy(moved, y, sizeof(double) * (size_t)size);
        moved[j] = y[j] + h;
        slip_balance_margins(b, modes, moved, high, NULL);
        moved[j] = y[j] - h;
        slip_balance_margins(b, modes, moved, low, NULL);
        for (int k = 0; k < count; k++)
            assert_close(gradients[k * size + j], (high[k].value - low[k].value) / (2 * h), 1e-6);
    }
}

static void compare(const char *text)
{
    uint64_t seed = 3;
    slip_model *model = parse(text);
    double reference[most], y[most];
    slip_balance *b = open_balance(model, reference);
    for (int trial = 0; trial < 40; trial++) {
        slip_mode modes[4];
        for (int c = 0; c < b->contact_count; c++) {
            slip_mode own[4];
            const int count = slip_balance_modes_of(b, c, own);
            modes[c] = own[trial / (c + 1) % count];
        }
        const int size = slip_balance_size(b, modes);
        for (int i = 0; i < size; i++)
            y[i] = 0.4 + 0.5 * uniform(&seed);
        compare_derivatives(b, modes, y);
        compare_margins(b, modes, y);
    }
    slip_balance_destroy(b);
    slip_model_destroy(model);
}

static void derivatives_of_everything(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        compare(texts[t]);
    for (size_t t = 0; t < sizeof varying / sizeof *varying; t++)
        compare(varying[t]);
}

/* The judge finds fault with what is none. */
static void the_judge_finds_fault(void **state)
{
    (void)state;
    slip_model *model =
        parse("slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\nforces: {x: 3 + 0*x^2, y: "
              "-10}\ncontacts:\n"
              "  foot: {kind: unilateral, gap: y, slip: x', law: {type: coulomb, mu: 0.4}}\n");
    const double reference[2] = {0, 0};
    slip_balance *b = NULL;
    assert_int_equal(slip_balance_create(ctx, model->system, 0, reference, &b), SLIP_OK);
    static const struct {
        double y[4], least;
    } states[] = {{{0, 0, 10, -3}, 0},       {{0, 0, 10, -2}, 0.1},    {{0, 0.1, 10, -3}, 0.05},
                  {{0, -0.1, 10, -3}, 0.05}, {{0.5, 0, 10, -3}, 0.05}, {{0, 0, -10, 3}, 0.5}};
    for (size_t k = 0; k < sizeof states / sizeof *states; k++) {
        const double residual = slip_balance_residual(b, states[k].y);
        assert_true(states[k].least > 0 ? residual > states[k].least : residual < 1e-15);
    }
    slip_balance_destroy(b);
    slip_model_destroy(model);
}

/* x + 10 x^3 = 11 has x = 1, from wherever the linear problem leads. */
static void by_way_of_the_linear_problem(void **state)
{
    (void)state;
    slip_model *model =
        parse("slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\nforces: {x: 11 - "
              "10*x^3}\ncontacts:\n  stop: {kind: unilateral, gap: 5 - x}\n");
    const double reference[1] = {0};
    slip_balance_room room;
    slip_balance *b = NULL;
    assert_int_equal(slip_balance_create(ctx, model->system, 0, reference, &b), SLIP_OK);
    assert_int_equal(slip_balance_room_create(ctx, b, &room), SLIP_OK);
    for (int k = -4; k <= 4; k++) {
        const slip_mode modes[1] = {SLIP_MODE_OPEN};
        double y[8] = {k};
        const slip_balance_end end = slip_balance_deform(b, &room, modes, y);
        assert_true(end.found);
        assert_int_equal(end.sign, 1);
        assert_close(y[0], 1, 1e-14);
    }
    slip_balance_room_free(&room);
    slip_balance_destroy(b);
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_everything),
        cmocka_unit_test(the_judge_finds_fault),
        cmocka_unit_test(by_way_of_the_linear_problem),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
