/* Model files: what is refused, and where the message says it is. */
#include "model_test.h"

/* ---- what is refused ---- */

static void wrong_names_and_keys_are_refused(void **state)
{
    static const refusal refusals[] = {
        {HEAD "stifness: [[1]]\n", "m.yaml:4:1: unknown key `stifness`; did you mean `stiffness`?"},
        {HEAD "velocity: 1\n", "m.yaml:4:1: unknown key `velocity`, expected one of `slipstick`, `title`,"},
        {"coordinates: [x]\nmass: 1\n",
         "m.yaml:1:1: `slipstick` is missing, expected for example `slipstick: 1`"},
        {"slipstick: 2\ncoordinates: [x]\nmass: 1\n", "m.yaml:1:12: slipstick: found `2`, expected 1"},
        {"slipstick: 1\nmass: 1\n", "m.yaml:1:1: `coordinates` is missing"},
        {"slipstick: 1\ncoordinates: [x]\nmass:\n", "m.yaml:3:1: `mass` is missing"},
        {"slipstick: 1\ncoordinates: x\nmass: 1\n",
         "m.yaml:2:14: coordinates: found `x`, expected a list of names"},
        {"slipstick: 1\ncoordinates: []\nmass: 1\n", "m.yaml:2:14: coordinates: found an empty list"},
        {"slipstick: 1\ncoordinates: [x, [y]]\nmass: 1\n",
         "m.yaml:2:18: coordinates: found a list, expected a name"},
        {"slipstick: 1\ncoordinates: [x, y, x]\nmass: 1\n",
         "m.yaml:2:21: coordinate `x` is here for the second time"},
        {"slipstick: 1\ncoordinates: [t]\nmass: 1\n", "m.yaml:2:15: coordinate `t` is the time"},
        {"slipstick: 1\ncoordinates: [pi]\nmass: 1\n", "m.yaml:2:15: coordinate `pi` is the number 3.14"},
        {"slipstick: 1\ncoordinates: [sin]\nmass: 1\n", "m.yaml:2:15: coordinate `sin` is a function"},
        {"slipstick: 1\ncoordinates: [x']\nmass: 1\n", "m.yaml:2:15: coordinate `x'` is no name"},
        {"slipstick: 1\ncoordinates: [2x]\nmass: 1\n", "m.yaml:2:15: coordinate `2x` is no name"},
        {HEAD "parameters: {x: 1}\n", "m.yaml:4:14: parameter `x` is a coordinate too"},
        {HEAD "parameters: {t: 1}\n", "m.yaml:4:14: parameter `t` is the time"},
        {HEAD "parameters: {cos: 1}\n", "m.yaml:4:14: parameter `cos` is a function"},
        {HEAD "parameters: {a-b: 1}\n", "m.yaml:4:14: parameter `a-b` is no name"},
        {HEAD "parameters: [1]\n", "m.yaml:4:13: parameters: found a list, expected a mapping"},
        {HEAD "title: [a]\n", "m.yaml:4:8: title: found a list, expected text"},
        {HEAD "flanks: {penalty: 1}\n", "m.yaml:4:1: found `flanks` in a model without gears"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

static void wrong_expressions_are_refused_at_the_character(void **state)
{
    static const refusal refusals[] = {
        {HEAD "parameters: {a: 1, b: a + cc}\n", "m.yaml:4:27: parameter `b`: unknown name `cc`"},
        {HEAD "parameters: {a: 1, b: \"a + cc\"}\n", "m.yaml:4:28: parameter `b`: unknown name `cc`"},
        {HEAD "parameters:\n  stiff: 1\n  b: 2*stif\n",
         "m.yaml:6:8: parameter `b`: unknown name `stif`; did you mean `stiff`?"},
        {HEAD "parameters: {b: a, a: 1}\n",
         "m.yaml:4:17: parameter `b`: parameter `a` is defined further down"},
        {HEAD "parameters: {late: later, later: 1}\n",
         "m.yaml:4:20: parameter `late`: parameter `later` is defined further down"},
        {HEAD "parameters: {b: 2*b}\n", "m.yaml:4:19: parameter `b`: parameter `b` is defined further down"},
        {HEAD "parameters: {a: 2*t}\n",
         "m.yaml:4:19: parameter `a`: found `t`, expected a number or an expression in the parameters"},
        {HEAD "parameters: {a: 1 + x'}\n", "m.yaml:4:21: parameter `a`: found `x'`, expected a number"},
        {HEAD "parameters: {a: 1/0}\n", "m.yaml:4:17: parameter `a`: division by zero"},
        {HEAD "parameters: {a: 1e999}\n", "m.yaml:4:17: parameter `a`: the number `1e999` is too large"},
        {HEAD "parameters: {a: .inf}\n", "m.yaml:4:17: parameter `a`:"},
        {HEAD "parameters: {a: .nan}\n", "m.yaml:4:17: parameter `a`:"},
        {HEAD "parameters: {a: [1]}\n", "m.yaml:4:17: parameter `a`: found a list, expected a number"},
        {HEAD "parameters: {a: }\n", "parameter `a`: found nothing, expected a number"},
        {HEAD "parameters: {a: 1 +}\n",
         "m.yaml:4:20: parameter `a`: expected a number, a name or `(` but the text ends"},
        {HEAD "forces: {x: 2 y}\n", "m.yaml:4:15: force on `x`: expected an operator"},
        {HEAD "forces: {x: sin(x}\n", "m.yaml:4:18: force on `x`: expected `)`"},
        {HEAD "forces: {z: 1}\n", "m.yaml:4:10: unknown key `z`"},
        {HEAD "forces: [1]\n", "m.yaml:4:9: forces: found a list, expected a mapping"},
        {HEAD "forces:\n  x: >-\n    1 +\n    yy\n", "m.yaml:6:1: force on `x`: unknown name `yy`"},
    };
    (void)state;
    REFUSE_EACH(refusals);
    /* What hangs on a wrong entry is not reported again. */
    refuse_with(HEAD "parameters: {a: 1 +}\nforces: {x: a}\nsimulate: {step: -a}\n", NULL, "m.yaml:4:20");
    assert_int_equal(line_count(slip_context_message(ctx)), 1);
}

static void commas_without_quotes_are_explained(void **state)
{
    (void)state;
    refuse_with(HEAD "forces: {x: min(x, 1)}\n", NULL,
                "m.yaml:4:20: unknown key `1)`; inside braces and brackets");
    expect_message("", "an expression with a comma needs quotes");
    refuse_with(HEAD "parameters: {a: max(1, 2)}\n", NULL, "needs quotes");
    refuse_with(HEAD2 "stiffness: [[max(1, 2), 0], [0, 1]]\n", NULL,
                "m.yaml:5:13: stiffness: row 1 has 3 entries, expected 2; inside braces");
}

static void wrong_matrices_are_refused(void **state)
{
    static const refusal refusals[] = {
        {HEAD2 "damping: [[1, 0], [0, 1, 2]]\n", "m.yaml:5:19: damping: row 2 has 3 entries, expected 2"},
        {HEAD2 "damping: [[1, 0]]\n", "m.yaml:5:10: damping: found 1 rows, expected 2"},
        {HEAD2 "damping: 3\n", "m.yaml:5:10: damping: found `3`, expected 2 rows of 2 numbers"},
        {HEAD2 "damping: [1, [1, 2]]\n",
         "m.yaml:5:11: damping: row 1: found `1`, expected a list of 2 numbers"},
        {HEAD2 "damping: [[1, t], [0, 1]]\n",
         "m.yaml:5:15: damping: row 1, entry 2: found `t`, expected a number"},
        {HEAD2 "damping:\n  - [1, 0]\n  - [0, kk]\n",
         "m.yaml:7:9: damping: row 2, entry 2: unknown name `kk`"},
        {"slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 0.5], [0.4, 1]]\n",
         "m.yaml:3:19: the mass matrix is not symmetric"},
        {"slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 0], [0, 0]]\n",
         "m.yaml:3:7: mass: `y` has no mass, and nothing decides its motion"},
        {"slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 2], [2, 1]]\n",
         "m.yaml:3:7: the mass matrix is not positive"},
        {"slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 1], [1, 1]]\n",
         "m.yaml:3:7: mass: `y` has no mass, and nothing decides its motion"},
        {"slipstick: 1\ncoordinates: [x]\nmass: -1\n", "m.yaml:3:7: the mass matrix is not positive"},
        {"slipstick: 1\ncoordinates: [x]\nmass: {x: 1}\n",
         "m.yaml:3:8: unknown key `x`, expected one of `diagonal`, `file`"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

static void wrong_contacts_are_refused(void **state)
{
    static const refusal refusals[] = {
        {HEAD "contacts: [1]\n", "m.yaml:4:11: contacts: found a list, expected a mapping"},
        {HEAD "contacts: {pad: 1}\n", "m.yaml:4:17: contact `pad`: found `1`, expected a mapping"},
        {HEAD "contacts: {p-d: {kind: friction, slip: x'}}\n", "m.yaml:4:12: contact `p-d` is no name"},
        {HEAD "contacts: {pad: {slip: x'}}\n", "m.yaml:4:17: contact `pad`: `kind` is missing"},
        {HEAD "contacts: {pad: {kind: frction, slip: x'}}\n",
         "m.yaml:4:24: unknown kind `frction`; did you mean `friction`?"},
        {HEAD "contacts: {pad: {kind: surface}}\n",
         "m.yaml:4:24: contact `pad`: kind `surface` is for bodies, but the model has none"},
        {PAD "    normal_force: 1\n", "m.yaml:6:5: contact `pad`: `slip` is missing"},
        {PAD "    slip: x'^2\n", "m.yaml:7:11: slip: `x'^2` is not linear in the velocities"},
        {PAD "    slip: x\n", "m.yaml:7:11: slip: found no velocity in `x`"},
        {PAD "    slip: {x: x'}\n", "m.yaml:7:11: slip: found a mapping"},
        {PAD "    slip: x' - vb\n", "m.yaml:7:16: slip: unknown name `vb`"},
        {PAD "    slip: x'\n    normal_force: -2\n",
         "m.yaml:8:19: normal_force: found -2, expected at least 0"},
        {PAD "    slip: x'\n    normalforce: 2\n",
         "m.yaml:8:5: unknown key `normalforce`; did you mean `normal_force`?"},
        {PAD "    slip: x'\n    gap: x\n", "m.yaml:8:5: unknown key `gap`"},
        {LAW("tanh"), "m.yaml:8:10: law of contact `pad`: found `tanh`, expected a mapping"},
        {LAW("{mu: 1}"), "m.yaml:8:10: law of contact `pad`: `type` is missing"},
        {LAW("{type: tahn, mu: 1}"), "m.yaml:8:17: unknown law `tahn`; did you mean `tanh`?"},
        {LAW("{type: glue, mu: 1}"), "m.yaml:8:17: unknown law `glue`, expected one of `coulomb`"},
        {LAW("{type: function}"), "m.yaml:8:10: law `function`: `force` is missing"},
        {LAW("{type: tanh, mu: -1, velocity: 1}"),
         "m.yaml:8:27: law `tanh`: mu: found -1, expected at least 0"},
        {LAW("{type: tanh, mu: 1, velocity: 0}"),
         "m.yaml:8:40: law `tanh`: velocity: found 0, expected more than 0"},
        {LAW("{type: tanh, mu: 1, velocity: 1 - 2}"),
         "m.yaml:8:40: law `tanh`: velocity: found `1 - 2` = -1, expected more than 0"},
        {LAW("{type: tanh, mu: 1}"), "m.yaml:8:10: law `tanh`: `velocity`"},
        {LAW("{type: tanh, mu: 1, velocity: 1, width: 2}"), "m.yaml:8:43: unknown key `width`"},
        {LAW("{type: tanh, mu: 1, velocty: 1, velocity: 2}"),
         "m.yaml:8:30: unknown key `velocty`; did you mean `velocity`?"},
        {LAW("{type: coulomb, mu: x'}"),
         "m.yaml:8:30: law `coulomb`: mu: found the velocity x' in `x'`, expected"},
        {LAW("{type: coulomb, mu: 1, static_ratio: 0.5}"),
         "m.yaml:8:47: law `coulomb`: static_ratio: found 0.5, expected at least 1"},
        {LAW("{type: sqrt, mu: 1, epsilon: 1, static_ratio: 2, eta_prime: 3}"),
         "m.yaml:8:10: law `sqrt`: both static_ratio and eta_prime are given"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

static void wrong_simulations_are_refused(void **state)
{
    static const refusal refusals[] = {
        {HEAD "simulate: 3\n", "m.yaml:4:11: simulate: found `3`, expected a mapping"},
        {SIMULATE("tme: [0, 1]"), "m.yaml:5:3: unknown key `tme`; did you mean `time`?"},
        {SIMULATE("method: smoth"), "m.yaml:5:11: unknown method `smoth`; did you mean `smooth`?"},
        {SIMULATE("method: [a]"), "m.yaml:5:11: simulate.method: found a list, expected a word"},
        {SIMULATE("segments: exat"),
         "m.yaml:5:13: simulate.segments: unknown word `exat`; did you mean `exact`?"},
        {SIMULATE("segments: what"),
         "m.yaml:5:13: simulate.segments: unknown word `what`, expected one of `auto`, `exact`, `rk`"},
        {SIMULATE("time: 5"), "m.yaml:5:9: simulate.time: found `5`, expected [start, end]"},
        {SIMULATE("time: [5]"), "m.yaml:5:9: simulate.time: found 1 entries, expected two"},
        {SIMULATE("time: [1, 1]"), "m.yaml:5:13: simulate.time: found end 1, expected more than the start 1"},
        {SIMULATE("time: [0, x]"), "m.yaml:5:13: simulate.time: end: found `x`, expected a number"},
        {SIMULATE("initial: {z: 1}"), "m.yaml:5:13: unknown key `z`"},
        {SIMULATE("initial: {x'': 1}"), "m.yaml:5:13: unknown key `x''`"},
        {SIMULATE("initial: {x': t}"), "m.yaml:5:17: initial `x'`: found `t`"},
        {SIMULATE("initial: [1]"), "m.yaml:5:12: simulate.initial: found a list"},
        {SIMULATE("tolerance: 1"),
         "m.yaml:5:14: simulate.tolerance: found 1, expected at least 1e-14 and at most 0.1"},
        {SIMULATE("tolerance: 1e-15"), "m.yaml:5:14: simulate.tolerance: found 1e-15"},
        {SIMULATE("step: 0"), "m.yaml:5:9: simulate.step: found 0, expected more than 0"},
        {SIMULATE("record: {every: 1, points: 2}"),
         "m.yaml:5:11: simulate.record: found several of every, points and steps"},
        {SIMULATE("record: {every: 0}"), "m.yaml:5:19: record.every: found 0, expected more than 0"},
        {SIMULATE("record: {points: 1}"),
         "m.yaml:5:20: record.points: found 1, expected a whole number from 2"},
        {SIMULATE("record: {points: 2.5}"), "m.yaml:5:20: record.points: found 2.5, expected a whole number"},
        {SIMULATE("record: {steps: maybe}"),
         "m.yaml:5:19: record.steps: found `maybe`, expected true or false"},
        {SIMULATE("time: [0, 1]\n  record: {from: 2}"),
         "m.yaml:6:18: record.from: found 2, expected less than"},
        {SIMULATE("record: {from: 2}\n  steady: {period: 1}"),
         "m.yaml:5:18: record.from: found beside `steady`, expected one of them"},
        {SIMULATE("steady: {within: 3}"), "m.yaml:5:11: simulate.steady: `period` is missing"},
        {SIMULATE("steady: {period: 0}"), "m.yaml:5:20: steady.period: found 0, expected more than 0"},
        {SIMULATE("steady: {period: 1, within: 0}"),
         "m.yaml:5:31: steady.within: found 0, expected a whole number from 1"},
        {SIMULATE("steady: {period: 1, tolerance: 2}"), "m.yaml:5:34: steady.tolerance: found 2"},
        {SIMULATE("thta: 1"), "m.yaml:5:3: unknown key `thta`; did you mean `theta`?"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

static void what_is_not_a_document_is_refused(void **state)
{
    static const refusal refusals[] = {
        {"", "m.yaml:1:1: the file is empty"},
        {"# nothing\n", "m.yaml:1:1: the file is empty"},
        {"---\n...\n", "m.yaml:"},
        {"hello world\n", "m.yaml:1:1: found `hello world`, expected a model"},
        {"- a\n- b\n", "m.yaml:1:1: found a list, expected a model"},
        {HEAD "a: [1, 2\n", "m.yaml:"},
        {"a: b: c\n", "m.yaml:1:5: not valid YAML: "},
        {"a: \"b\n", "m.yaml:1:5: not valid YAML: "},
        {"\tfoo: x\n", "m.yaml:1:1: found a tab in the indentation, expected spaces"},
        {HEAD "forces:\n  \tx: 1\n", "m.yaml:5:3: found a tab in the indentation"},
        {"? o:\t:\t\t", "m.yaml:1:"},
        {"a: 1\n---\nb: 2\n", "m.yaml:2:1: a second document starts here"},
        {HEAD "mass: [[2]]\n", "m.yaml:4:1: the key `mass` is here for the second time"},
        {HEAD "parameters: {a: 1, b: 2, a: 3}\n", "m.yaml:4:26: the key `a` is here for the second time"},
        {HEAD "? [a]\n: 1\n", "m.yaml:4:3: found a list as a key, expected a name"},
        {HEAD "title: !foo bar\n", "m.yaml:4:"},
        {HEAD "title: *nobody\n", "m.yaml:4:8: alias `*nobody`: expected an anchor"},
        {HEAD "title: &a [*a]\n", "m.yaml:4:12: alias `*a`: expected an anchor"},
        {HEAD "<<: 3\n", "m.yaml:4:5: `<<` merges mappings"},
        {HEAD "title: \"a\\0b\"\n", "m.yaml:4:"},
        {HEAD "title: \x01\n", "m.yaml:4:8: not a text file: found byte 0x01"},
        {HEAD "title: \xff\xfe\n", "m.yaml:4:8: not a text file: found byte 0xFF"},
        {HEAD "title: \xc3\xa4\xed\xa0\x80\n", "m.yaml:4:9: not a text file: found byte 0xED"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

static void many_errors_come_in_one_go_and_in_order(void **state)
{
    char text[4000] = HEAD;
    const char *message;
    (void)state;
    refuse_with("slipstick: 3\ncoordinates: [x]\nmas: 1\nsimulate: {step: -1}\nforces: {y: 1}\n", NULL,
                "m.yaml:1:12: slipstick: found `3`, expected 1, the version of the file format\n"
                "m.yaml:3:1: unknown key `mas`; did you mean `mass`?\n"
                "m.yaml:4:18: simulate.step: found -1, expected more than 0\n"
                "m.yaml:5:10: unknown key `y`");
    for (int i = 0; i < 30; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "wrong%d: 1\n", i);
    refuse_with(text, NULL, "m.yaml: and 10 more errors");
    message = slip_context_message(ctx);
    assert_int_equal(line_count(message), 21);
    assert_non_null(strstr(message, "m.yaml:4:1: unknown key `wrong0`"));
    assert_non_null(strstr(message, "m.yaml:23:1: unknown key `wrong19`"));
    assert_null(strstr(message, "wrong20"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_names_and_keys_are_refused),
        cmocka_unit_test(wrong_expressions_are_refused_at_the_character),
        cmocka_unit_test(commas_without_quotes_are_explained),
        cmocka_unit_test(wrong_matrices_are_refused),
        cmocka_unit_test(wrong_contacts_are_refused),
        cmocka_unit_test(wrong_simulations_are_refused),
        cmocka_unit_test(what_is_not_a_document_is_refused),
        cmocka_unit_test(many_errors_come_in_one_go_and_in_order),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
