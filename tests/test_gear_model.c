/* Gears in model files: what is read, and what is refused. */
#include "model_test.h"

#include "slipstick/gear.h"

#define GEAR "slipstick: 1\ngears:\n  a: {teeth: 18, module: 0.005, width: 0.04, bore: 0.05"

static void gears_are_read(void **state)
{
    (void)state;
    slip_model *model = NULL;
    const char *text =
        "slipstick: 1\nparameters: {m: 0.004}\ngears:\n"
        "  one: {teeth: 20, module: m, width: 5*m, bore: 0.04, profile_shift: 0.1, modes: 7,\n"
        "        mesh: {flank: 6, rim: 3}, material: {young: 7e10, density: 2700}, element: full}\n"
        "  two: {mesh: {file: part.inp, bore: hub, flanks: [f1, f2]}, modes: 3}\n";
    assert_int_equal(slip_model_parse(ctx, text, "dir/m.yaml", NULL, &model), SLIP_OK);
    assert_int_equal(slip_model_gear_count(model), 2);
    const slip_gear_options *one = slip_model_gear(model, 0), *two = slip_model_gear(model, 1);
    assert_string_equal(one->name, "one");
    assert_int_equal(one->teeth, 20);
    assert_close(one->width, 0.02, 1e-16);
    assert_int_equal(one->mesh.flank, 6);
    assert_int_equal(one->mesh.width, 8);
    assert_close(one->poisson, 0.3, 0);
    assert_close(one->density, 2700, 0);
    assert_string_equal(one->element, "full");
    assert_int_equal(one->modes, 7);
    assert_null(one->mesh_file);
    assert_string_equal(two->mesh_file, "dir/part.inp");
    assert_string_equal(two->bore_set, "hub");
    assert_string_equal(two->flanks[1], "f2");
    assert_null(two->flanks[2]);
    assert_non_null(strstr(slip_model_describe(ctx, model), "20 teeth"));
    assert_null(slip_model_gear(model, 2));
    slip_model_destroy(model);
}

static void wrong_gears_are_refused(void **state)
{
    static const refusal refusals[] = {
        {"slipstick: 1\ngears: 3\n", "m.yaml:2:8: gears: found `3`, expected a mapping"},
        {"slipstick: 1\ngears:\n  a: {teeth: 18, module: 0.005, width: 0.04}\n", "`bore` is missing"},
        {"slipstick: 1\ngears:\n  a: {module: 0.005, width: 0.04, bore: 0.05}\n", "`teeth` is missing"},
        {GEAR ", tooth: 3}\n", "unknown key `tooth`"},
        {GEAR ", mesh: {flanke: 3}}\n", "unknown key `flanke`; did you mean `flank`?"},
        {GEAR ", mesh: {flank: 0}}\n", "flank"},
        {GEAR ", modes: 1.5}\n", "modes"},
        {GEAR ", element: ful}\n", "did you mean `full`?"},
        {GEAR ", material: {poisson: 0.5}}\n", "less than 0.5"},
        {GEAR ", speed: 5}\n", "`speed` is for gears in motion"},
        {GEAR ", profile_shift: 3}\n", "m.yaml:3:3: a: "},
        {GEAR "}\nsimulate: {time: [0, 1]}\n", "m.yaml:4:1: found `simulate` in a model with gears"},
        {"slipstick: 1\ngears:\n  a: {teeth: 18, module: 0.005, width: 0.04, bore: 0.09}\n", "bore"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gears_are_read),
        cmocka_unit_test(wrong_gears_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
