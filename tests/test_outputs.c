/* Outputs and units: what they may say, their values in simulations and records, files, pictures, summary. */
#include "model_test.h"

#include "slipstick/simulation.h"
#include "test_folder.h"

#include <math.h>
#include <stdio.h>

#define TWO                                                                                                  \
    "slipstick: 1\ncoordinates: [x, y]\nparameters: {a: 2}\nmass: {diagonal: [1, 2]}\n"                      \
    "stiffness: [[2, -1], [-1, 2]]\ncontacts:\n"                                                             \
    "  belt: {kind: friction, slip: x' - 0.2, law: {type: coulomb, mu: 0.3}}\n"
#define RUN "simulate: {time: [0, 20], initial: {y: 0.5}}\n"
#define OUTPUTS                                                                                              \
    "outputs: {twist: a*(x - y), power: belt.force*belt.slip, twice: 2*twist + y'', speed: x'*step(t - "     \
    "1)}\n"

/* ---- Reading. */

static void what_is_wrong(void **state)
{
    static const refusal refusals[] = {
        {TWO "outputs: {b: x - z}\n", "m.yaml:8:18: output `b`: unknown name `z`"},
        {TWO "outputs: {b: belt.forse}\n",
         "m.yaml:8:14: output `b`: unknown name `belt.forse`; did you mean `belt.force`?"},
        {TWO "outputs: {b: c, c: x}\n", "m.yaml:8:14: output `b`: unknown name `c`"},
        {TWO "outputs: {x: y}\n", "m.yaml:8:11: output `x` is a coordinate too, expected another name"},
        {TWO "outputs: {a: y}\n", "m.yaml:8:11: output `a` is a parameter too, expected another name"},
        {TWO "inputs: {f: {points: [[0, 1], [1, 2]]}}\noutputs: {f: y}\n",
         "m.yaml:9:11: output `f` is an input too, expected another name"},
        {TWO "outputs: {sin: y}\n", "m.yaml:8:11: output `sin` is a function of expressions"},
        {TWO "outputs: {x.y: y}\n", "m.yaml:8:11: output `x.y` is no name"},
        {TWO "outputs: {b: [1]}\n",
         "m.yaml:8:14: output `b`: found a list, expected a number or an expression"},
        {TWO "outputs: [x]\n", "m.yaml:8:10: outputs: found a list, expected a mapping such as"},
        {TWO "outputs: {b: x - , c: 2*b}\n", "m.yaml:8:"},
        {TWO "units: {x: mm, z: mm}\n", "m.yaml:8:16: units: unknown series `z`"},
        {TWO "units: {belt.forec: N}\n",
         "m.yaml:8:9: units: unknown series `belt.forec`; did you mean `belt.force`?"},
        {TWO "units: {x: [mm]}\n", "m.yaml:8:12: unit of `x`: found a list, expected text such as mm"},
        {TWO "units: {x: }\n", "m.yaml:8:9: unit of `x`: found nothing, expected text such as mm"},
        {TWO "units: {x: a unit that is very much longer than any unit should be}\n",
         "m.yaml:8:12: unit of `x`: found a unit that is very ..., expected one line of at most 40 "
         "characters"},
        {TWO "units: mm\n", "m.yaml:8:8: units: found `mm`, expected a mapping such as {x: mm}"},
        {TWO "forces: {x: belt.force}\n", "m.yaml:8:13: force on `x`: unknown name `belt.force`"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

static void what_is_right(void **state)
{
    slip_model *model =
        parse(TWO OUTPUTS "units: {t: s, x: mm, y: rad, y'': g, belt.force: N, power: 5e3}\n" RUN);
    const char *text = slip_model_describe(ctx, model);
    (void)state;
    assert_non_null(
        strstr(text, "outputs       twist: a*(x - y)\n              power: belt.force*belt.slip, in 5e3\n"));
    assert_non_null(
        strstr(text, "units         t s, x mm, x' mm/s, x'' mm/s^2, y rad, y' rad/s, y'' g, belt.force N\n"));
    expect_fixed_point(model, NULL);
    slip_model_destroy(model);
}

/* ---- Looking. */

static void numbers_of_a_simulation(void **state)
{
    slip_model *model = parse(TWO OUTPUTS RUN);
    slip_simulation *s = NULL;
    (void)state;
    assert_int_equal(slip_simulation_open(ctx, model, NULL, NULL, &s), SLIP_OK);
    for (int k = 0; k < 20; k++) {
        if (k == 10)
            assert_int_equal(slip_simulation_input(s, "a", 3), SLIP_OK);
        const double a = k < 10 ? 2 : 3,
                     twist = a * (slip_simulation_number(s, "x") - slip_simulation_number(s, "y"));
        assert_true(slip_simulation_number(s, "twist") == twist);
        assert_true(slip_simulation_number(s, "power") ==
                    slip_simulation_number(s, "belt.force") * slip_simulation_number(s, "belt.slip"));
        assert_true(slip_simulation_number(s, "twice") == 2 * twist + slip_simulation_number(s, "y''"));
        assert_true(slip_simulation_number(s, "speed") == (k < 2 ? 0 : slip_simulation_number(s, "x'")));
        assert_true(isnan(slip_simulation_number(s, "twis")));
        assert_int_equal(slip_simulation_advance(ctx, s, 0.5 * (k + 1)), SLIP_OK);
    }
    slip_simulation_close(s);
    slip_model_destroy(model);
}

static void built_in_c(void **state)
{
    static const char *const names[] = {"x"};
    const double one = 1;
    slip_model *model = NULL;
    slip_simulation *s = NULL;
    (void)state;
    assert_int_equal(slip_model_create(ctx, 1, names, &model), SLIP_OK);
    assert_int_equal(slip_model_set_mass(ctx, model, &one), SLIP_OK);
    assert_int_equal(slip_model_set_stiffness(ctx, model, &one), SLIP_OK);
    assert_int_equal(slip_model_set_initial(ctx, model, &one, NULL), SLIP_OK);
    assert_int_equal(slip_model_set_output(ctx, model, "energy", "x'^2/2 + x^2/2"), SLIP_OK);
    assert_int_equal(slip_model_set_unit(ctx, model, "energy", "J"), SLIP_OK);
    assert_int_equal(slip_simulation_open(ctx, model, NULL, NULL, &s), SLIP_OK);
    assert_int_equal(slip_simulation_advance(ctx, s, 7), SLIP_OK);
    assert_close(slip_simulation_number(s, "energy"), 0.5, 1e-14);
    slip_simulation_close(s);
    s = NULL;
    assert_int_equal(slip_model_set_unit(ctx, model, "enrgy", "J"), SLIP_OK);
    assert_int_equal(slip_simulation_open(ctx, model, NULL, NULL, &s), SLIP_ERROR_MODEL);
    expect_message("", "units: unknown series `enrgy`; did you mean `energy`?");
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong),
        cmocka_unit_test(what_is_right),
        cmocka_unit_test(numbers_of_a_simulation),
        cmocka_unit_test(built_in_c),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
