/* Sweeps: every run is the run that the model alone would give, to the bit, whatever the number of threads
 * and parts, and whenever the program was killed in between. */
#include "model_test.h"

#include "base/clock.h"
#include "slipstick/sweep.h"
#include "test_folder.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char belt[] =
    "slipstick: 1\nparameters: {vb: 0.2, mu: 0.3, x0: 0.1}\n"
    "coordinates: [x]\nmass: [[1]]\ndamping: [[0.02]]\nstiffness: [[1]]\n"
    "contacts: {belt: {kind: friction, slip: \"x' - vb\", law: {type: coulomb, mu: mu, static_ratio: 1.6}}}\n"
    "simulate: {time: [0, 20], initial: {x: x0}}\n";

static char base[test_path_size];

static slip_result *sweep(const slip_model *model, const slip_sweep_options *options)
{
    slip_result *result = NULL;
    const int status = slip_sweep(ctx, model, options, &result);
    if (status < 0)
        fail_msg("%s", slip_context_message(ctx));
    return result;
}

static void same_tables(const slip_result *a, const slip_result *b)
{
    assert_int_equal(slip_result_series_count(a), slip_result_series_count(b));
    for (int k = 0; k < slip_result_series_count(a); k++) {
        const char *name = slip_result_series_name(a, k);
        int64_t of_a, of_b;
        const double *x = slip_result_series(a, name, &of_a), *y = slip_result_series(b, name, &of_b);
        assert_int_equal(of_a, of_b);
        assert_memory_equal(x, y, (size_t)of_a * sizeof *x);
    }
}

/* ---- Axes. */

static void axes_are_read(void **state)
{
    static const char *const wrong[] = {
        "",         "x",         "=1:2:3",     "x=",   "x=1:",   "x=1:2:", "x=1:2:0",       "x=1:2:2.5",
        "x=1:2:3:", "x=1:2:3:4", "x=1:2:3:lo", "x=1,", "x=1,,2", "x=a",    "x=1:2:3:log:1", "x=1:2:-3",
        "x=:1:2",   "x=1 2",     "x=1:2:1e99", "x=1;2"};
    slip_axis axis;
    (void)state;
    assert_int_equal(slip_axis_parse(ctx, "mu=0:1:5", &axis), SLIP_OK);
    assert_string_equal(axis.name, "mu");
    assert_int_equal(axis.count, 5);
    assert_true(slip_axis_value(&axis, 0) == 0 && slip_axis_value(&axis, 1) == 0.25 &&
                slip_axis_value(&axis, 4) == 1);
    slip_axis_free(&axis);
    assert_int_equal(slip_axis_parse(ctx, "x'=1e-2:100:3:log", &axis), SLIP_OK);
    assert_string_equal(axis.name, "x'");
    assert_true(fabs(slip_axis_value(&axis, 1) - 1) < 1e-15 && slip_axis_value(&axis, 2) == 100);
    slip_axis_free(&axis);
    assert_int_equal(slip_axis_parse(ctx, "k=3,-1,2e5", &axis), SLIP_OK);
    assert_int_equal(axis.count, 3);
    assert_true(slip_axis_value(&axis, 1) == -1 && axis.to == 2e5);
    slip_axis_free(&axis);
    assert_int_equal(slip_axis_parse(ctx, "F=1:2", &axis), SLIP_OK);
    assert_int_equal(axis.count, 0);
    slip_axis_free(&axis);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        if (slip_axis_parse(ctx, wrong[k], &axis) != SLIP_ERROR_USAGE)
            fail_msg("`%s` was taken", wrong[k]);
        slip_axis_free(&axis);
    }
}

/* ---- Runs. */

static void runs_are_those_of_the_model(void **state)
{
    static const double starts[] = {-0.5, 0.25};
    const slip_axis axes[] = {{.name = "vb", .from = 0.1, .to = 0.5, .count = 5},
                              {.name = "x", .count = 2, .list = starts, .from = -0.5, .to = 0.25}};
    static const char *const collect[] = {"max.x", "final.x'", "events.total",
                                          "events.contacts.belt.slip->stick", NULL};
    slip_sweep_options options = slip_sweep_options_default();
    slip_model *model = parse(belt);
    slip_values *values;
    (void)state;
    options.axes = axes;
    options.axis_count = 2;
    options.collect = collect;
    options.threads = 2;
    slip_result *result = sweep(model, &options);
    assert_int_equal(slip_result_number(result, "finished"), 10);
    assert_int_equal(slip_values_create(ctx, model, &values), SLIP_OK);
    for (int64_t k = 0; k < 10; k++) {
        const double vb = slip_axis_value(&axes[0], k / 2), x = starts[k % 2];
        slip_run_options run = slip_run_options_default();
        slip_result *one = NULL;
        assert_int_equal(slip_values_set(ctx, values, "vb", vb), SLIP_OK);
        run.values = values;
        run.start_q = &x;
        assert_int_equal(slip_run(ctx, model, &run, &one), SLIP_OK);
        assert_true(slip_result_series(result, "vb", NULL)[k] == vb &&
                    slip_result_series(result, "x", NULL)[k] == x);
        for (int c = 0; c < 3; c++)
            assert_true(slip_result_series(result, collect[c], NULL)[k] ==
                        slip_result_number(one, collect[c]));
        assert_true(slip_result_series(result, collect[3], NULL)[k] >= 0);
        assert_string_equal(slip_result_word(result, "status", k), "done");
        slip_result_destroy(one);
    }
    slip_values_destroy(values);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* Each run starts where the last one ended, to the end of the axis and back. */
static void states_are_carried(void **state)
{
    const slip_axis axis = {.name = "vb", .from = 0.1, .to = 0.7, .count = 4};
    static const char *const collect[] = {"final.x", "final.x'", "max.x", NULL};
    slip_sweep_options options = slip_sweep_options_default();
    slip_model *model = parse(belt);
    slip_values *values;
    double q = NAN, v = NAN;
    (void)state;
    options.axes = &axis;
    options.axis_count = 1;
    options.collect = collect;
    options.carry = 1;
    slip_result *result = sweep(model, &options);
    int64_t count;
    const double *x = slip_result_series(result, "final.x", &count),
                 *dx = slip_result_series(result, "final.x'", NULL);
    assert_int_equal(count, 8);
    assert_int_equal(slip_values_create(ctx, model, &values), SLIP_OK);
    for (int64_t k = 0; k < count; k++) {
        slip_run_options run = slip_run_options_default();
        slip_result *one = NULL;
        const double vb = slip_axis_value(&axis, k < 4 ? k : 7 - k);
        assert_int_equal(slip_values_set(ctx, values, "vb", vb), SLIP_OK);
        run.values = values;
        run.start_q = &q;
        run.start_v = &v;
        assert_int_equal(slip_run(ctx, model, &run, &one), SLIP_OK);
        q = slip_result_number(one, "final.x");
        v = slip_result_number(one, "final.x'");
        assert_true(slip_result_series(result, "vb", NULL)[k] == vb && x[k] == q && dx[k] == v);
        assert_string_equal(slip_result_word(result, "direction", k), k < 4 ? "up" : "back");
        slip_result_destroy(one);
    }
    slip_values_destroy(values);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

static void failed_runs_are_rows(void **state)
{
    const slip_axis axis = {.name = "mu", .from = -0.1, .to = 0.3, .count = 5};
    slip_sweep_options options = slip_sweep_options_default();
    slip_model *model = parse(belt);
    (void)state;
    options.axes = &axis;
    options.axis_count = 1;
    slip_result *result = sweep(model, &options);
    assert_int_equal(slip_result_number(result, "failed"), 1);
    assert_string_equal(slip_result_word(result, "status", 0), "failed");
    assert_non_null(strstr(slip_result_word(result, "message", 0), "mu"));
    assert_true(isnan(slip_result_series(result, "max.x", NULL)[0]));
    assert_string_equal(slip_result_word(result, "status", 1), "done");
    slip_result_destroy(result);
    slip_model_destroy(model);
}

static void wrong_requests_are_refused(void **state)
{
    static const char *const nothing[] = {"max.y", NULL};
    const slip_axis good = {.name = "vb", .from = 0.1, .to = 0.5, .count = 3}, twice[] = {good, good},
                    unknown = {.name = "nu", .from = 0, .to = 1, .count = 2},
                    log = {.name = "vb", .from = -1, .to = 1, .count = 2, .logarithmic = 1};
    const struct {
        slip_sweep_options options;
        const char *message;
    } cases[] = {
        {{.axis_count = 0, .part = 1, .parts = 1}, "nothing to vary"},
        {{.axes = twice, .axis_count = 2, .part = 1, .parts = 1}, "on two axes"},
        {{.axes = &unknown, .axis_count = 1, .part = 1, .parts = 1}, "did you mean `mu`"},
        {{.axes = &log, .axis_count = 1, .part = 1, .parts = 1}, "one sign"},
        {{.axes = &good, .axis_count = 1, .part = 3, .parts = 2}, "part 3/2"},
        {{.axes = &good, .axis_count = 1, .part = 1, .parts = 1, .collect = nothing}, "no number `max.y`"},
        {{.axes = &good, .axis_count = 1, .part = 1, .parts = 1, .threads = -1}, "threads"}};
    slip_model *model = parse(belt);
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        slip_sweep_options options = cases[k].options;
        slip_result *result = NULL;
        options.size = sizeof options;
        assert_int_equal(slip_sweep(ctx, model, &options, &result), SLIP_ERROR_USAGE);
        assert_null(result);
        if (!strstr(slip_context_message(ctx), cases[k].message))
            fail_msg("`%s` has no `%s`", slip_context_message(ctx), cases[k].message);
    }
    slip_model_destroy(model);
}

static void a_section_says_what_is_varied(void **state)
{
    char text[2000];
    slip_result *result = NULL;
    (void)state;
    snprintf(text, sizeof text,
             "%ssweep: {over: {vb: {from: 0.1, to: 10*mu, count: 3, scale: log}, x: {list: [0, 1]}}, "
             "collect: [max.x]}\n",
             belt);
    slip_model *model = parse(text);
    assert_int_equal(slip_sweep(ctx, model, NULL, &result), SLIP_OK);
    assert_int_equal(slip_result_number(result, "finished"), 6);
    assert_true(slip_result_series(result, "vb", NULL)[5] == 3);
    assert_int_equal(slip_result_series_count(result), 6);
    slip_result_destroy(result);
    slip_model_destroy(model);
    static const char *const wrong[][2] = {
        {"sweep: {over: {nu: {from: 0, to: 1, count: 2}}}\n", "no parameter `nu`"},
        {"sweep: {over: {mu: {from: 0, to: 1}}}\n", "count"},
        {"sweep: {over: {mu: {from: 0, to: 1, count: 0}}}\n", "count"},
        {"sweep: {over: {mu: {from: 0, to: 1, count: 3, scale: lag}}}\n", "log"},
        {"sweep: {over: 3}\n", "over"},
        {"sweep: {}\n", "over"},
        {"sweep: {over: {mu: {list: []}}}\n", "numbers"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        snprintf(text, sizeof text, "%s%s", belt, wrong[k][0]);
        model = NULL;
        assert_int_equal(slip_model_parse(ctx, text, "test.yaml", NULL, &model), SLIP_ERROR_MODEL);
        if (!strstr(slip_context_message(ctx), wrong[k][1]))
            fail_msg("%s: `%s`", wrong[k][0], slip_context_message(ctx));
    }
}

/* ---- The same bits. */

static const slip_axis grid[] = {{.name = "mu", .from = 0.1, .to = 0.6, .count = 6},
                                 {.name = "vb", .from = 0.05, .to = 1, .count = 7, .logarithmic = 1}};

static void threads_and_parts_change_nothing(void **state)
{
    char folder[7][test_path_size + 40];
    const char *folders[7];
    slip_model *model = parse(belt);
    (void)state;
    for (int carry = 0; carry < 2; carry++) {
        slip_sweep_options options = slip_sweep_options_default();
        options.axes = grid;
        options.axis_count = 2;
        options.carry = carry;
        options.threads = 1;
        slip_result *first = sweep(model, &options);
        for (int threads = 2; threads <= 4; threads += 2) {
            options.threads = threads;
            slip_result *other = sweep(model, &options);
            same_tables(first, other);
            slip_result_destroy(other);
        }
        for (int parts = 2; parts <= 7; parts += 5) {
            slip_result *whole = NULL;
            for (int k = 0; k < parts; k++) {
                snprintf(folder[k], sizeof folder[k], "%s/%d-%d-%d", base, carry, parts, k);
                folders[k] = folder[k];
                options.part = k + 1;
                options.parts = parts;
                slip_result *part = sweep(model, &options);
                assert_int_equal(slip_result_save(ctx, part, folder[k]), SLIP_OK);
                slip_result_destroy(part);
            }
            assert_int_equal(slip_sweep_merge(ctx, parts, folders, &whole), SLIP_OK);
            same_tables(first, whole);
            slip_result_destroy(whole);
            assert_int_equal(slip_sweep_merge(ctx, parts - 1, folders + 1, &whole), SLIP_ERROR_USAGE);
        }
        slip_result_destroy(first);
    }
    slip_model_destroy(model);
}

/* In a process of its own: a sweep into a folder. */
static void sweep_into(const char *folder, int threads, int carry)
{
    slip_context *own = slip_context_create();
    slip_model *model = NULL;
    slip_result *result = NULL;
    slip_sweep_options options = slip_sweep_options_default();
    options.axes = grid;
    options.axis_count = 2;
    options.folder = folder;
    options.threads = threads;
    options.carry = carry;
    if (slip_model_parse(own, belt, "belt.yaml", NULL, &model) < 0 ||
        slip_sweep(own, model, &options, &result) < 0 || slip_result_save(own, result, folder) < 0)
        _exit(1);
    _exit(0);
}

static void read_whole(const char *folder, char *text, size_t size)
{
    char path[test_path_size + 80];
    snprintf(path, sizeof path, "%s/table.csv", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

/* Killed at random moments and begun again, until it comes to its end. */
static void a_kill_costs_nothing(void **state)
{
    static char expected[100000], found[100000];
    const int wanted = test_many(200);
    char folder[test_path_size + 40];
    int kills = 0, finished = 0;
    (void)state;
    for (int carry = 0; carry < 2; carry++) {
        int status;
        snprintf(folder, sizeof folder, "%s/whole-%d", base, carry);
        const double started = slip_clock();
        const pid_t first = fork();
        if (first == 0)
            sweep_into(folder, 2, carry);
        assert_int_equal(waitpid(first, &status, 0), first);
        assert_int_equal(status, 0);
        const double whole = fmin(slip_clock() - started, 0.9);
        read_whole(folder, expected, sizeof expected);
        srand(7);
        for (int round = 0; kills < (carry + 1) * wanted / 2; round++) {
            snprintf(folder, sizeof folder, "%s/killed-%d-%d", base, carry, round);
            for (bool done = false; !done;) {
                const pid_t child = fork();
                if (child == 0)
                    sweep_into(folder, 1 + round % 2, carry);
                nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * whole * rand() / RAND_MAX)}, NULL);
                kill(child, SIGKILL);
                assert_int_equal(waitpid(child, &status, 0), child);
                done = WIFEXITED(status);
                kills += !done;
                assert_true(!done || WEXITSTATUS(status) == 0);
            }
            read_whole(folder, found, sizeof found);
            assert_string_equal(found, expected);
            finished++;
        }
    }
    print_message("%d kills, %d sweeps finished\n", kills, finished);
}

/* A journal of another job is not taken. */
static void another_job_is_refused(void **state)
{
    char folder[test_path_size + 40], path[test_path_size + 80];
    slip_sweep_options options = slip_sweep_options_default();
    slip_model *model = parse(belt);
    slip_result *result = NULL;
    (void)state;
    snprintf(folder, sizeof folder, "%s/other", base);
    snprintf(path, sizeof path, "%s/sweep.journal", folder);
    options.axes = grid;
    options.axis_count = 1;
    options.folder = folder;
    slip_result_destroy(sweep(model, &options)); /* not saved: the journal stays */
    assert_int_equal(access(path, F_OK), 0);
    slip_result *again = sweep(model, &options);
    options.axes = grid + 1;
    assert_int_equal(slip_sweep(ctx, model, &options, &result), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "--restart"));
    options.axes = grid;
    options.device = "cpu";
    options.collect = (const char *const[]){"final.x", NULL};
    options.restart = 1;
    slip_result_destroy(sweep(model, &options));
    options.device = "none";
    options.restart = 0;
    assert_int_equal(slip_sweep(ctx, model, &options, &result), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "found `runs together"));
    options.axes = grid + 1;
    options.collect = NULL;
    options.restart = 1;
    slip_result_destroy(sweep(model, &options));
    options.axes = grid;
    options.restart = 1;
    slip_result *third = sweep(model, &options);
    same_tables(again, third);
    assert_int_equal(slip_result_save(ctx, third, folder), SLIP_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    slip_result_destroy(again);
    slip_result_destroy(third);
    slip_model_destroy(model);
}

/* So is a job whose model reads a file that has changed since. */
static void a_changed_file_is_refused(void **state)
{
    char folder[test_path_size + 40], table[test_path_size + 40], text[test_path_size + 1000];
    slip_sweep_options options = slip_sweep_options_default();
    slip_model *model = NULL;
    slip_result *result = NULL;
    (void)state;
    snprintf(folder, sizeof folder, "%s/road", base);
    snprintf(table, sizeof table, "%s/road.csv", base);
    snprintf(text, sizeof text,
             "slipstick: 1\nparameters: {mu: 0.1, file: 2}\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n"
             "inputs: {road: {file: %s}}\nforces: {x: road(t)}\nsimulate: {time: [0, 10]}\n",
             table);
    options.axes = &(const slip_axis){.name = "mu", .from = 0.1, .to = 0.2, .count = 2};
    options.axis_count = 1;
    options.folder = folder;
    for (int k = 0; k < 3; k++) {
        FILE *file = fopen(table, "w");
        assert_non_null(file);
        assert_true(fprintf(file, "0,1\n5,%d\n10,3\n", k / 2) > 0);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(slip_model_parse(ctx, text, "road.yaml", NULL, &model), SLIP_OK);
        assert_int_equal(slip_sweep(ctx, model, &options, &result), k == 2 ? SLIP_ERROR_USAGE : SLIP_OK);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
    assert_non_null(strstr(slip_context_message(ctx), "road.csv"));
}

/* Each with a message of its own: more words than an attribute of a file held, and all are there again. */
static void many_failed_runs_are_kept(void **state)
{
    slip_model *model = parse("slipstick: 1\nparameters: {a: 1}\ncoordinates: [x]\nmass: [[1]]\n"
                              "forces: {x: sqrt(a - t)}\nsimulate: {time: [0, 3]}\n");
    const slip_axis axis = {.name = "a", .from = 0.1, .to = 2.9, .count = test_sanitized ? 900 : 3000};
    slip_sweep_options options = slip_sweep_options_default();
    char folder[test_path_size + 40];
    slip_result *again = NULL;
    (void)state;
    options.axes = &axis;
    options.axis_count = 1;
    options.device = "none";
    slip_result *result = sweep(model, &options);
    assert_true(slip_result_number(result, "failed") == (double)axis.count);
    snprintf(folder, sizeof folder, "%s/failed", base);
    assert_int_equal(slip_result_save(ctx, result, folder), SLIP_OK);
    assert_int_equal(slip_result_load(ctx, folder, &again), SLIP_OK);
    for (int64_t k = 0; k < axis.count; k++) {
        const char *message = slip_result_word(again, "message", k);
        assert_string_equal(message, slip_result_word(result, "message", k));
        assert_true(strncmp(message, "at t = ", 7) == 0);
    }
    slip_result_destroy(result);
    slip_result_destroy(again);
    slip_model_destroy(model);
}

/* In a process with little memory: what does not fit is refused before the first run, what fits is run. */
static void memory_is_planned(void **state)
{
    (void)state;
    if (test_sanitized) /* their own memory has no such limit */
        skip();
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit little = {1000000000, 1000000000};
        slip_context *own = slip_context_create();
        slip_model *model = NULL;
        slip_result *result = NULL;
        slip_axis axes[] = {{.name = "x", .from = 0, .to = 1, .count = 3000},
                            {.name = "mu", .from = 0.1, .to = 0.5, .count = 3000}};
        slip_sweep_options options = slip_sweep_options_default();
        options.axes = axes;
        options.axis_count = 2;
        options.threads = 1;
        if (setrlimit(RLIMIT_AS, &little) != 0 || slip_model_parse(own, belt, "belt.yaml", NULL, &model) < 0)
            _exit(1);
        if (slip_sweep(own, model, &options, &result) != SLIP_ERROR_MEMORY || result ||
            !strstr(slip_context_message(own), "a job of 9000000 runs needs") ||
            !strstr(slip_context_message(own), "GB are free"))
            _exit(2);
        axes[0].count = axes[1].count = 3;
        _exit(slip_sweep(own, model, &options, &result) == SLIP_OK ? 0 : 3);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The units of the model are those of its numbers too; the initial value of a coordinate has its unit. */
static void numbers_have_the_units_of_their_series(void **state)
{
    slip_axis axes[1] = {0};
    slip_model *model = NULL;
    char text[1000];
    (void)state;
    snprintf(text, sizeof text, "%sunits: {x: mm, t: s}\n", belt);
    assert_int_equal(slip_model_parse(ctx, text, "belt.yaml", NULL, &model), SLIP_OK);
    assert_int_equal(slip_axis_parse(ctx, "x=0:1:2", &axes[0]), SLIP_OK);
    slip_sweep_options options = slip_sweep_options_default();
    options.axes = axes;
    options.axis_count = 1;
    slip_result *result = sweep(model, &options);
    assert_string_equal(slip_result_unit(result, "x"), "mm");
    assert_string_equal(slip_result_unit(result, "max.x"), "mm");
    assert_string_equal(slip_result_unit(result, "max.x'"), "mm/s");
    assert_string_equal(slip_result_unit(result, "events.total"), "");
    slip_result_destroy(result);
    slip_model_destroy(model);
    slip_axis_free(&axes[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kill_costs_nothing), /* first: no thread has begun yet */
        cmocka_unit_test(memory_is_planned),
        cmocka_unit_test(axes_are_read),
        cmocka_unit_test(many_failed_runs_are_kept),
        cmocka_unit_test(numbers_have_the_units_of_their_series),
        cmocka_unit_test(runs_are_those_of_the_model),
        cmocka_unit_test(states_are_carried),
        cmocka_unit_test(failed_runs_are_rows),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(a_section_says_what_is_varied),
        cmocka_unit_test(threads_and_parts_change_nothing),
        cmocka_unit_test(another_job_is_refused),
        cmocka_unit_test(a_changed_file_is_refused),
    };
    test_folder_make(base);
    const int failed = cmocka_run_group_tests(tests, setup, teardown);
    test_folder_remove(base);
    return failed;
}
