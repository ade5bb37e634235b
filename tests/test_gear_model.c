/* Gears in model files: what is read, and what is refused. */
#include "model_test.h"

#include "slipstick/gear_run.h"

#include <math.h>

#define OUTLINE "teeth: 18, module: 0.005, width: 0.04, bore: 0.05"
#define GEAR "slipstick: 1\ngears:\n  a: {" OUTLINE

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
        {"slipstick: 1\ngears:\n  result: {" OUTLINE "}\n", "m.yaml:3:3: gear `result` cannot be called so"},
        {"slipstick: 1\ngears:\n  checkpoint: {" OUTLINE "}\n", "gear `checkpoint` cannot be called so"},
        {GEAR ", tooth: 3}\n", "unknown key `tooth`"},
        {GEAR ", mesh: {flanke: 3}}\n", "unknown key `flanke`; did you mean `flank`?"},
        {GEAR ", mesh: {flank: 0}}\n", "flank"},
        {GEAR ", modes: 1.5}\n", "modes"},
        {GEAR ", element: ful}\n", "did you mean `full`?"},
        {GEAR ", material: {poisson: 0.5}}\n", "less than 0.5"},
        {GEAR ", profile_shift: 3}\n", "m.yaml:3:3: a: "},
        {GEAR "}\ncontinue: {parameter: a, range: [0, 1]}\n",
         "m.yaml:4:1: found `continue` in a model with gears"},
        {"slipstick: 1\ngears:\n  a: {teeth: 18, module: 0.005, width: 0.04, bore: 0.09}\n", "bore"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

/* ---- motion ---- */

#define PAIR(a, b) "slipstick: 1\ngears:\n  a: {" OUTLINE a "}\n  b: {" OUTLINE b "}\n"
#define BOTH(key) PAIR(key, key)

static void motion_is_read(void **state)
{
    static const char *const settings[] = {"w=3", "simulate.samples=50", NULL};
    const char *text =
        "slipstick: 1\nparameters: {w: 5}\ngears:\n"
        "  a: {" OUTLINE ", static: switch, speed: w, damping: {modes: 1e-9, static: 2e-7}}\n"
        "  b: {" OUTLINE ", static: all, torque: -2*w, inertia: 0.1}\n"
        "flanks: {penalty: 2.2e8, two_pass: 1, distance: 0.0925, phase: 0.25,\n"
        "         friction: {type: tanh, mu: 0.1, velocity: 1e-3}}\n"
        "simulate: {method: rk4, step: 2e-8, time: [0, w*1e-4], samples: 200, history: true}\n";
    (void)state;
    slip_model *model = parse_with(text, settings);
    const slip_gear_run_options *o = slip_model_gear_run(model);
    assert_string_equal(o->side[0].reduction, "switch");
    assert_string_equal(o->side[1].reduction, "all");
    assert_close(o->side[0].damping, 1e-9, 0);
    assert_close(o->side[0].static_damping, 2e-7, 0);
    assert_close(o->side[1].damping, 1e-10, 0);
    assert_int_equal(o->side[0].modes, -1);
    assert_close(o->side[0].speed, 3, 0);
    assert_close(o->side[1].torque, -6, 0);
    assert_close(o->side[1].inertia, 0.1, 0);
    assert_int_equal(o->side[0].driven, 0);
    assert_close(o->penalty, 2.2e8, 0);
    assert_close(o->two_pass, 1, 0);
    assert_close(o->distance, 0.0925, 0);
    assert_close(o->phase, 0.25, 0);
    assert_string_equal(o->friction->type, "tanh");
    assert_close(o->friction->mu, 0.1, 0);
    assert_string_equal(o->method, "rk4");
    assert_close(o->step, 2e-8, 0);
    assert_close(o->time, 3e-4, 1e-19);
    assert_int_equal(o->samples, 50);
    assert_int_equal(o->history, 1);
    expect_fixed_point(model, NULL);
    slip_model_destroy(model);
}

static void what_is_left_out_of_a_motion_has_its_default(void **state)
{
    const slip_gear_run_options d = slip_gear_run_options_default();
    (void)state;
    slip_model *model = parse(PAIR(", drive: true, speed: 2", ""));
    const slip_gear_run_options *o = slip_model_gear_run(model);
    assert_int_equal(o->side[0].driven, 1);
    assert_int_equal(o->side[1].driven, 0);
    assert_string_equal(o->side[1].reduction, "condensed");
    assert_close(o->penalty, d.penalty, 0);
    assert_close(o->time, d.time, 0);
    assert_null(o->friction);
    assert_null(o->method);
    assert_string_equal(slip_model_gear_method(model), "exponential");
    slip_model_destroy(model);
    model = parse(BOTH(", static: none"));
    assert_string_equal(slip_model_gear_method(model), "rk4");
    slip_model_destroy(model);
    model = parse(BOTH("") "flanks: {penalty: rigid}\n");
    assert_true(isinf(slip_model_gear_run(model)->penalty));
    slip_model_destroy(model);
    model = parse(GEAR ", speed: 5}\n"); /* for `gear modes` */
    assert_null(slip_model_gear_run(model));
    slip_model_destroy(model);
}

/* `check` shows what the run will do, the method of its choice too. */
static void a_motion_is_described(void **state)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {BOTH(""), "method        exponential (default), tolerance 0.0001\n"},
        {BOTH(""), "flanks        penalty 1e+10 N/m, two_pass 0.5, no friction\n"},
        {BOTH("") "flanks: {penalty: rigid}\n", "flanks        rigid, two_pass 0.5"},
        {BOTH("") "flanks: {penalty: rigid}\nsimulate: {method: explicit, frames: 7}\n",
         "0 to 0.0003 s, 1000 samples, 7 frames"},
        {BOTH(", static: all"), "method        rk4 (default), step 1e-08 s (default)\n"},
        {BOTH(", speed: 3, drive: true"), "static condensed, damping 1e-10 s of modes and 1e-07 s of static "
                                          "modes; driven, speed 3 rad/s\n"},
        {BOTH("") "simulate: {method: explicit, hourglass: 0.05}\n",
         "method        explicit, one-point bricks with hourglass stiffness 0.05\n"},
        {BOTH("") "flanks: {friction: {type: tanh, mu: 0.1, velocity: 0.01}}\n",
         ", friction tanh mu = 0.1 velocity = 0.01"},
        {BOTH("") "simulate: {time: [0, 1e-3], samples: 20}\n", "time          0 to 0.001 s, 20 samples\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        slip_model *model = parse(cases[i].text);
        if (!strstr(slip_model_describe(ctx, model), cases[i].part)) {
            print_error("%s\nlacks: %s\n", slip_model_describe(ctx, model), cases[i].part);
            fail();
        }
        slip_model_destroy(model);
    }
}

static void wrong_motions_are_refused(void **state)
{
    static const refusal refusals[] = {
        {PAIR(", static: swich", ""), "static: unknown word `swich`; did you mean `switch`?"},
        {PAIR(", damping: 1e-7", ""), "damping: found `1e-7`, expected a mapping"},
        {PAIR(", damping: {mode: 1}", ""), "unknown key `mode`; did you mean `modes`?"},
        {PAIR(", damping: {modes: -1}", ""), "modes: found -1, expected at least 0"},
        {PAIR(", speed: fast", ""), "speed: unknown name `fast`"},
        {PAIR(", drive: 5", ""), "drive: found `5`, expected true or false"},
        {PAIR(", inertia: -1", ""), "inertia: found -1, expected at least 0"},
        {PAIR(", drive: true, torque: 3", ""), "torque: found 3 on a gear with `drive: true`"},
        {PAIR(", static: all", ""),
         "m.yaml:3:66: gear `a`: found `static: all` with method exponential (because the other gear is "
         "condensed), expected condensed or none"},
        {BOTH("") "flanks: 3\n", "m.yaml:5:9: flanks: found `3`, expected a mapping"},
        {BOTH("") "flanks: {penalti: 3}\n", "unknown key `penalti`; did you mean `penalty`?"},
        {BOTH("") "flanks: {penalty: 0}\n", "m.yaml:5:19: penalty: found 0, expected more than 0"},
        {BOTH("") "flanks: {two_pass: 2}\n", "two_pass: found 2, expected at least 0 and at most 1"},
        {BOTH("") "flanks: {distance: -1}\n", "distance: found -1"},
        {BOTH("") "flanks: {friction: 0.1}\n", "friction of flanks: found `0.1`, expected a mapping"},
        {BOTH("") "flanks: {friction: {type: coulomb, mu: 0.1}}\n",
         "m.yaml:5:27: friction of flanks: the law `coulomb` is set-valued, expected a smooth one: "},
        {BOTH("") "flanks: {friction: {type: tanh, mu: 0.1}}\n", "law `tanh`: `velocity`"},
        {BOTH(", static: all") "flanks: {penalty: rigid}\n",
         "m.yaml:5:19: penalty: found rigid with method rk4"},
        {BOTH("") "simulate: {hourglass: 0.1}\n",
         "m.yaml:5:23: hourglass: found 0.1 with method exponential"},
        {BOTH("") "simulate: {method: explicit, tolerance: 1e-3}\n",
         "tolerance: found 0.001 with method explicit, expected method exponential"},
        {BOTH(", static: all") "simulate: {tolerance: 1e-3}\n", "tolerance: found 0.001 with method rk4"},
        {BOTH("") "simulate: {method: explicit, frames: 20000}\n",
         "simulate.frames: found 20000, expected at most 10000"},
        {BOTH("") "simulate: {method: event}\n",
         "method: unknown word `event`, expected one of `rk4`, `exponential`"},
        {BOTH("") "simulate: {method: rk4}\n",
         "m.yaml:3:6: gear `a`: found `static: condensed` with method rk4, expected none, all, switch"},
        {BOTH(", static: switch") "simulate: {method: exponential}\n",
         "gear `a`: found `static: switch` with method exponential, expected condensed or none"},
        {BOTH("") "simulate: {initial: {x: 1}}\n",
         "m.yaml:5:21: simulate.initial: found a mapping, expected a word"},
        {BOTH("") "simulate: {time: 3}\n", "simulate.time: found `3`, expected a list"},
        {BOTH("") "simulate: {time: [1, 2]}\n", "simulate.time: found start 1, expected 0 for gears"},
        {BOTH("") "simulate: {time: [0, 0]}\n", "simulate.time: end: found 0, expected more than 0"},
        {BOTH("") "simulate: {samples: 1}\n", "simulate.samples: found 1"},
        {BOTH("") "simulate: {samples: 1e8}\n", "simulate.samples: found 100000000, expected at most"},
        {BOTH("") "simulate: {tolerance: 0}\n", "tolerance: found 0"},
        {BOTH("") "simulate: {step: 0}\n", "step: found 0, expected more than 0"},
        {BOTH("") "simulate: {hourglass: -1}\n", "hourglass: found -1"},
        {GEAR "}\nsimulate: {time: [0, 1]}\n",
         "m.yaml:4:1: found `simulate` in a model with 1 gear, expected two gears"},
        {GEAR "}\nflanks: {}\n", "m.yaml:4:1: found `flanks` in a model with 1 gear"},
        {BOTH("") "  c: {" OUTLINE "}\nflanks: {}\n", "found `flanks` in a model with 3 gears"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gears_are_read),
        cmocka_unit_test(wrong_gears_are_refused),
        cmocka_unit_test(motion_is_read),
        cmocka_unit_test(what_is_left_out_of_a_motion_has_its_default),
        cmocka_unit_test(a_motion_is_described),
        cmocka_unit_test(wrong_motions_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
