/* Runs of a sweep that are moved together: the numbers of single runs, the same bits for any threads, parts
 * and interrupts, and what is not taken runs by itself. */
#include "model_test.h"
#include "slipstick/sweep.h"
#include "test_folder.h"

#define OSCILLATOR                                                                                           \
    "slipstick: 1\nparameters: {w: 1, mu: 0.3, d: 0.4}\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.1]]\n"   \
    "stiffness: [[1]]\nforces: {x: cos(w*t)}\n"
#define RUBS(law) "contacts: {pad: {kind: friction, slip: x', law: {type: " law ", static_ratio: 1.3}}}\n"

static const char pad[] = OSCILLATOR RUBS("coulomb, mu: mu") "simulate: {time: [0, 60*pi/w]}\n";
static const char late[] =
    OSCILLATOR RUBS("coulomb, mu: mu") "simulate: {time: [0, 60*pi/w], record: {from: 50*pi/w}}\n";
static const char longer[] = OSCILLATOR RUBS("coulomb, mu: mu") "simulate: {time: [0, 100*pi/w]}\n";
static const char stop[] = OSCILLATOR
    "contacts: {stop: {kind: unilateral, gap: d - x, restitution: 0.7}}\nsimulate: {time: [0, 20*pi/w]}\n";
static const char stribeck[] =
    OSCILLATOR RUBS("stribeck, mu: mu, velocity: 0.2") "simulate: {time: [0, 4*pi/w], tolerance: 1e-11}\n";

static const char hard[] =
    "slipstick: 1\nparameters: {w: 1, d: 0.4}\ncoordinates: [x, y]\nmass: {diagonal: [1, 2]}\ndamping: "
    "{diagonal: [0.1, 0.2]}\nstiffness: [[2, -1], [-1, 2]]\nforces: {x: cos(w*t), y: -0.3*y^3}\n"
    "contacts: {stop: {kind: unilateral, gap: d - x, restitution: 0.7}}\n"
    "simulate: {time: [0, 20], tolerance: 1e-11}\n";

/* At the begin of the record many of them stick, held by more than friction of sliding could. */
#define HELD(load)                                                                                           \
    "slipstick: 1\nparameters: {w: 0.7, mu: 0.3}\ncoordinates: [x]\nmass: [[1.3]]\ndamping: [[0.05]]\n"      \
    "stiffness: [[1.1]]\nforces: {x: cos(w*t) + 0.3*sin(2*w*t) + 0.1" load "}\ncontacts: {pad: {kind: "      \
    "friction, slip: x', law: {type: coulomb, mu: 1.2*mu, static_ratio: 2.5}}}\n"                            \
    "simulate: {time: [3, 3 + 10*w], initial: {x: 0.3}, tolerance: 1e-11, record: {from: 5}}\n"

static char base[test_path_size];

static slip_result *sweep_part(const slip_model *model, const char *const *over, const char *const *collect,
                               const char *device, int threads, int part, int parts, const char *folder)
{
    slip_sweep_options options = slip_sweep_options_default();
    slip_axis axes[2] = {0};
    slip_result *result = NULL;
    for (; over[options.axis_count]; options.axis_count++)
        assert_int_equal(slip_axis_parse(ctx, over[options.axis_count], &axes[options.axis_count]), SLIP_OK);
    options.axes = axes;
    options.collect = collect;
    options.device = device;
    options.threads = threads;
    options.part = part;
    options.parts = parts;
    options.folder = folder;
    if (slip_sweep(ctx, model, &options, &result) < 0)
        print_error("%s\n", slip_context_message(ctx));
    for (int k = 0; k < options.axis_count; k++)
        slip_axis_free(&axes[k]);
    assert_non_null(result);
    return result;
}

static slip_result *sweep(const slip_model *model, const char *const *over, const char *const *collect,
                          const char *device)
{
    return sweep_part(model, over, collect, device, 0, 1, 1, NULL);
}

static void expect_tables(const slip_result *a, const slip_result *b, double tolerance)
{
    assert_int_equal(slip_result_series_count(a), slip_result_series_count(b));
    for (int k = 0; k < slip_result_series_count(a); k++) {
        const char *name = slip_result_series_name(a, k);
        int64_t count[2];
        const double *x = slip_result_series(a, name, &count[0]), *y = slip_result_series(b, name, &count[1]);
        assert_int_equal(count[0], count[1]);
        for (int64_t i = 0; i < count[0]; i++)
            if (!(fabs(x[i] - y[i]) <= (strcmp(name, "events.total") == 0 ? 0 : tolerance)))
                fail_msg("row %lld: `%s` is %.17g and %.17g", (long long)i, name, x[i], y[i]);
    }
}

/* Lanes against single runs; all of them but `left` are moved together. */
static void compare(const char *text, const char *const *over, const char *const *collect, int left)
{
    slip_model *model = parse(text);
    slip_result *alone = sweep(model, over, collect, "none"), *together = sweep(model, over, collect, "cpu");
    expect_tables(alone, together, 1e-9);
    assert_true(isnan(slip_result_number(alone, "together")));
    if (slip_result_number(together, "alone") > left)
        fail_msg("%g runs one by one: %s", slip_result_number(together, "alone"),
                 slip_result_text(together, "alone_because"));
    assert_int_equal((int)(slip_result_number(together, "together") + slip_result_number(together, "alone")),
                     (int)slip_result_number(together, "finished"));
    slip_result_destroy(alone);
    slip_result_destroy(together);
    slip_model_destroy(model);
}

static void runs_are_those_of_one_by_one(void **state)
{
    const char *const final[] = {"final.t", "final.x", "final.x'", "events.total", NULL};
    const char *const records[] = {
        "max.x", "max.x''", "contacts.pad.dissipation", "energy.loads", "events.total", "final.x", NULL};
    (void)state;
    compare(pad, (const char *const[]){"w=0.3:1.8:20", "mu=0.1:0.7:15", NULL}, NULL, 0);
    compare(pad, (const char *const[]){"x=-1:1:7", "x'=-1:1:20", NULL}, NULL, 0);
    compare(stop, (const char *const[]){"w=0.5:1.9:20", "d=0.7:1.5:5", NULL}, NULL, 3);
    compare(stribeck, (const char *const[]){"w=0.5:1.9:20", NULL}, final, 0);
    /* largest values inside steps, at impacts, of starts */
    compare(stribeck, (const char *const[]){"w=0.5:1.9:20", NULL}, NULL, 0);
    compare(stribeck, (const char *const[]){"x=-2:2:9", "x'=-2:2:9", NULL}, NULL, 0);
    compare(hard, (const char *const[]){"w=0.5:1.9:20", "d=0.3:1.5:5", NULL}, NULL, 3);
    compare(hard, (const char *const[]){"x=-2:0.3:9", "x'=-2:2:9", NULL}, NULL, 3);
    compare(late, (const char *const[]){"w=0.3:1.8:20", "mu=0.1:0.7:5", NULL}, records, 0);
    compare(HELD(""), (const char *const[]){"w=0.3:2:25", "mu=0.1:0.9:20", NULL}, records, 0);
    compare(HELD(" - 0.2*x^3"), (const char *const[]){"w=0.3:2:25", "mu=0.1:0.9:20", NULL}, records, 0);
    /* states */
    compare("slipstick: 1\nparameters: {w: 1}\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\nstates: {z: "
            "{rate: "
            "x - z^3, initial: 0.2}}\nforces: {x: cos(w*t) - 0.3*z}\n" RUBS(
                "coulomb, mu: 0.2") "simulate: {time: [0, 10], tolerance: 1e-11}\n",
            (const char *const[]){"w=0.5:2:6", "z=-1:1:5", NULL},
            (const char *const[]){"final.z", "final.x", NULL}, 0);
    /* a run that passed over its largest velocity by 6e-4 */
    compare(longer, (const char *const[]){"w=1.0727272727272728,1.1", "mu=0.69343434343434351,0.5", NULL},
            NULL, 0);
    /* loads of another form where an amplitude is zero */
    compare("slipstick: 1\nparameters: {a: 0}\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\ndamping: "
            "[[0.1]]\n"
            "forces: {x: cos(t) + a*sin(2*t)}\n" RUBS("coulomb, mu: 0.1") "simulate: {time: [0, 40]}\n",
            (const char *const[]){"a=0:1:20", NULL}, NULL, 0);
}

static void threads_and_parts_change_nothing(void **state)
{
    const char *const over[] = {"w=0.3:1.8:30", "mu=0.1:0.7:10", NULL};
    char folder[3][test_path_size + 40];
    const char *folders[3] = {folder[0], folder[1], folder[2]};
    slip_model *model = parse(pad);
    slip_result *first = sweep_part(model, over, NULL, "cpu", 1, 1, 1, NULL),
                *other = sweep_part(model, over, NULL, "cpu", 3, 1, 1, NULL), *whole = NULL;
    (void)state;
    expect_tables(first, other, 0);
    slip_result_destroy(other);
    for (int k = 0; k < 3; k++) {
        snprintf(folder[k], sizeof folder[k], "%s/part%d", base, k);
        other = sweep_part(model, over, NULL, "cpu", 2, k + 1, 3, NULL);
        assert_int_equal(slip_result_save(ctx, other, folder[k]), SLIP_OK);
        slip_result_destroy(other);
    }
    assert_int_equal(slip_sweep_merge(ctx, 3, folders, &whole), SLIP_OK);
    expect_tables(first, whole, 0);
    assert_int_equal((int)slip_result_number(whole, "together"), 300);
    slip_result_destroy(whole);
    slip_result_destroy(first);
    slip_model_destroy(model);
}

/* What the journal of a sweep has of its first lines is not run again, and still counts as together. */
static void an_interrupt_changes_nothing(void **state)
{
    const char *const over[] = {"w=0.3:1.8:30", "mu=0.1:0.7:10", NULL};
    char folder[test_path_size + 40], path[test_path_size + 80], line[4000];
    slip_model *model = parse(pad);
    slip_result *first = sweep_part(model, over, NULL, "cpu", 1, 1, 1, NULL), *again;
    FILE *file;
    long length = 0;
    (void)state;
    snprintf(folder, sizeof folder, "%s/journal", base);
    snprintf(path, sizeof path, "%s/sweep.journal", folder);
    slip_result_destroy(sweep_part(model, over, NULL, "cpu", 2, 1, 1, folder));
    assert_non_null(file = fopen(path, "r"));
    for (int k = 0; k < 120 && fgets(line, sizeof line, file); k++)
        length = ftell(file);
    fclose(file);
    assert_int_equal(truncate(path, length - 3), 0);
    again = sweep_part(model, over, NULL, "cpu", 2, 1, 1, folder);
    expect_tables(first, again, 0);
    assert_int_equal((int)slip_result_number(again, "together"), 300);
    slip_result_destroy(again);
    slip_result_destroy(first);
    slip_model_destroy(model);
}

static void expect_alone(const char *text, const char *over, const char *collect, int carry,
                         const char *because)
{
    slip_model *model = parse(text);
    slip_sweep_options options = slip_sweep_options_default();
    slip_axis axis = {0};
    slip_result *result = NULL;
    assert_int_equal(slip_axis_parse(ctx, over, &axis), SLIP_OK);
    options.axes = &axis;
    options.axis_count = 1;
    options.collect = (const char *const[]){collect, NULL};
    options.device = "cpu";
    options.carry = carry;
    assert_int_equal(slip_sweep(ctx, model, &options, &result), SLIP_OK);
    assert_int_equal((int)slip_result_number(result, "together"), 0);
    assert_int_equal((int)slip_result_number(result, "failed"), 0);
    if (!slip_result_text(result, "alone_because") ||
        !strstr(slip_result_text(result, "alone_because"), because))
        fail_msg("found `%s`, expected `%s`", slip_result_text(result, "alone_because"), because);
    slip_result_destroy(result);
    slip_axis_free(&axis);
    slip_model_destroy(model);
}

static void says_what_is_left(void **state)
{
    slip_model *model = parse(pad);
    slip_sweep_options options = slip_sweep_options_default();
    slip_result *result = NULL;
    (void)state;
    expect_alone(pad, "mu=0.1:0.7:3", "events.contacts.pad.slip+>stick", 0, "no number of lanes");
    expect_alone(pad, "mu=0.1:0.7:3", "contacts.pad.work", 0, "recorded from the start on");
    expect_alone(pad, "mu=0.1:0.7:3", "final.x", 1, "carried");
    expect_alone(OSCILLATOR RUBS("coulomb, mu: mu") "simulate: {time: [0, 5], method: moreau, step: 0.01}\n",
                 "mu=0.1:0.7:3", "final.x", 0, "method is not `event`");
    /* few runs are not moved together unless that is asked for */
    result = sweep(model, (const char *const[]){"mu=0.1:0.7:9", NULL}, NULL, NULL);
    assert_true(isnan(slip_result_number(result, "together")));
    slip_result_destroy(result);
    result = sweep(model, (const char *const[]){"mu=0.1:0.7:1000", NULL}, NULL, NULL);
    assert_int_equal((int)slip_result_number(result, "together"), 1000);
    slip_result_destroy(result);
    options.device = "gpu";
    options.axes = &(slip_axis){.name = "mu", .from = 0, .to = 1, .count = 2};
    options.axis_count = 1;
    assert_int_equal(slip_sweep(ctx, model, &options, &result), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "expected cpu, cuda, auto or none"));
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_those_of_one_by_one),
        cmocka_unit_test(threads_and_parts_change_nothing),
        cmocka_unit_test(an_interrupt_changes_nothing),
        cmocka_unit_test(says_what_is_left),
    };
    test_folder_make(base);
    const int failed = cmocka_run_group_tests(tests, setup, teardown);
    test_folder_remove(base);
    return failed;
}
