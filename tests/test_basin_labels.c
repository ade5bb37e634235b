/* Basins of which labels are kept: those of basins with rows, in parts, after kills, and in little memory. */
#include "basin_test.h"

#include "slipstick/sweep.h"
#include "study/basin/basin.h"
#include "test_folder.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static char base[test_path_size];

#define IMPACT                                                                                               \
    "slipstick: 1\nparameters: {w: 1.88, s: 0.5, z: 0.05}\ncoordinates: [x]\nmass: [[1]]\n"                  \
    "damping: [[2*z]]\nstiffness: [[1]]\nforces: {x: cos(w*t)}\nbasin: {period: 2*pi/w}\n"                   \
    "contacts: {stop: {kind: unilateral, gap: s - x, restitution: 0.8}}\n"
/* Two wells with friction: sets of rest, and starts that fail beyond x = 3. */
#define WELLS                                                                                                \
    "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nforces: {x: 'x - x^3 - 0.3*x'' + 0*sqrt(3 - x)'}\n"        \
    "contacts: {floor: {kind: friction, slip: x', law: {type: coulomb, mu: 0.2}}}\nsimulate: {time: [0, "    \
    "30]}\n"

/* The labels of a result, start by start. */
static int16_t *labels_of(const slip_result *result, const slip_axis *axes, int count)
{
    slip_sweep_info info = {.axes = axes, .axis_count = count, .runs = 1, .lines = true};
    for (int k = 0; k < count - 1; k++)
        info.runs *= axes[k].count;
    int16_t *labels = slip_basin_read_lines(&info, &result->main);
    assert_non_null(labels);
    return labels;
}

static void same_as_rows(const char *text, const slip_axis *axes, int count, const char *device,
                         int attractors)
{
    slip_model *model = parse(text);
    slip_basin_options options = slip_basin_options_default();
    options.axes = axes;
    options.axis_count = count;
    options.device = device;
    options.labels = 0;
    slip_result *rows = basin(model, &options);
    options.labels = 1;
    slip_result *lines = basin(model, &options);
    int16_t *labels = labels_of(lines, axes, count);
    int64_t starts = 1, kinds, fractions;
    for (int k = 0; k < count; k++)
        starts *= axes[k].count;
    assert_int_equal(slip_result_number(rows, "attractors"), attractors);
    assert_int_equal(slip_result_number(lines, "attractors"), attractors);
    assert_true(slip_result_number(lines, "starts") == (double)starts);
    assert_true(slip_result_number(lines, "failed_starts") == slip_result_number(rows, "failed"));
    for (int64_t k = 0; k < starts; k++) {
        const char *name = labels[k] < 0 ? "" : slip_result_word(lines, "attractors.name", labels[k]);
        if (strcmp(name, slip_result_word(rows, "attractor", k)) != 0)
            fail_msg("start %lld: %s and %s", (long long)k, name, slip_result_word(rows, "attractor", k));
    }
    const double *a = slip_result_series(rows, "attractors.fraction", &kinds),
                 *b = slip_result_series(lines, "attractors.fraction", &fractions),
                 *c = slip_result_series(rows, "attractors.error", NULL),
                 *d = slip_result_series(lines, "attractors.error", NULL),
                 *e = slip_result_series(rows, "attractors.count", NULL),
                 *f = slip_result_series(lines, "attractors.count", NULL);
    assert_int_equal(kinds, fractions);
    for (int64_t k = 0; k < kinds; k++) {
        assert_true(fabs(a[k] - b[k]) < 1e-14 && fabs(c[k] - d[k]) < 1e-14 && e[k] == f[k]);
        assert_string_equal(slip_result_word(rows, "attractors.name", k),
                            slip_result_word(lines, "attractors.name", k));
        assert_string_equal(slip_result_word(rows, "attractors.signature", k),
                            slip_result_word(lines, "attractors.signature", k));
    }
    free(labels);
    slip_result_destroy(rows);
    slip_result_destroy(lines);
    slip_model_destroy(model);
}

static void labels_are_those_of_rows(void **state)
{
    const slip_axis plane[] = {{.name = "x", .from = -1.5, .to = 2.5, .count = 13},
                               {.name = "x'", .from = -2.05, .to = 1.95, .count = 11}},
                    impacts[] = {{.name = "w", .list = (const double[]){1.88, 2.4}, .count = 2},
                                 {.name = "x", .from = -2, .to = 0.4, .count = 9},
                                 {.name = "x'", .from = -2, .to = 2, .count = 17}},
                    line[] = {{.name = "x", .from = -2.9, .to = 3.5, .count = 33}};
    (void)state;
    same_as_rows(BELT, plane, 2, NULL, 2);
    same_as_rows(IMPACT, impacts + 1, 2, NULL, 2);
    same_as_rows(IMPACT, impacts + 1, 2, "cpu", 2);
    same_as_rows(IMPACT, impacts, 3, "cpu", 4);
    same_as_rows(WELLS, line, 1, NULL, 3);
}

/* ---- Parts, threads and kills. */

static const slip_axis grid[] = {{.name = "x", .from = -2, .to = 0.4, .count = 24},
                                 {.name = "x'", .from = -2, .to = 2, .count = 40}};

static slip_basin_options of_grid(void)
{
    slip_basin_options options = slip_basin_options_default();
    options.axes = grid;
    options.axis_count = 2;
    options.device = "cpu";
    options.labels = 1;
    return options;
}

static void basin_into(const char *folder)
{
    slip_context *own = slip_context_create();
    slip_model *model = NULL;
    slip_result *result = NULL;
    slip_basin_options options = of_grid();
    options.folder = folder;
    if (slip_model_parse(own, IMPACT, "impact.yaml", NULL, &model) < 0 ||
        slip_basin(own, model, &options, &result) < 0 || slip_result_save(own, result, folder) < 0)
        _exit(1);
    _exit(0);
}

static void read_file(const char *folder, const char *name, char *text, size_t size)
{
    char path[test_path_size + 80];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

static void same_files(const char *a, const char *b)
{
    static char one[200000], other[200000];
    static const char *const names[] = {"basin.csv", "attractors.json"};
    for (int k = 0; k < 2; k++) {
        read_file(a, names[k], one, sizeof one);
        read_file(b, names[k], other, sizeof other);
        assert_string_equal(one, other);
    }
}

static void a_kill_costs_nothing(void **state)
{
    char whole[test_path_size + 40], killed[test_path_size + 40];
    int status, kills = 0;
    (void)state;
    snprintf(whole, sizeof whole, "%s/whole", base);
    snprintf(killed, sizeof killed, "%s/killed", base);
    const pid_t first = fork();
    if (first == 0)
        basin_into(whole);
    assert_int_equal(waitpid(first, &status, 0), first);
    assert_int_equal(status, 0);
    for (int k = 0; k < 30; k++) {
        const struct timespec nap = {0, 3000000 + 3000000 * (long)k};
        const pid_t child = fork();
        if (child == 0)
            basin_into(killed);
        nanosleep(&nap, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        kills += WIFSIGNALED(status) != 0;
        if (!WIFSIGNALED(status))
            break;
    }
    const pid_t last = fork();
    if (last == 0)
        basin_into(killed);
    assert_int_equal(waitpid(last, &status, 0), last);
    assert_int_equal(status, 0);
    assert_true(kills > 0);
    same_files(whole, killed);
}

static void threads_and_parts_change_nothing(void **state)
{
    slip_model *model = parse(IMPACT);
    slip_basin_options options = of_grid();
    char folder[3][test_path_size + 40], whole[test_path_size + 40], joined[test_path_size + 40];
    const char *folders[3];
    slip_result *result;
    (void)state;
    snprintf(whole, sizeof whole, "%s/one", base);
    snprintf(joined, sizeof joined, "%s/joined", base);
    options.threads = 1;
    result = basin(model, &options);
    assert_int_equal(slip_result_save(ctx, result, whole), SLIP_OK);
    slip_result_destroy(result);
    options.threads = 3;
    for (int k = 0; k < 3; k++) {
        snprintf(folder[k], sizeof folder[k], "%s/part-%d", base, k);
        folders[k] = folder[k];
        options.part = k + 1;
        options.parts = 3;
        result = basin(model, &options);
        assert_int_equal(slip_result_save(ctx, result, folder[k]), SLIP_OK);
        slip_result_destroy(result);
    }
    assert_int_equal(slip_sweep_merge(ctx, 3, folders, &result), SLIP_OK);
    assert_int_equal(slip_result_save(ctx, result, joined), SLIP_OK);
    assert_int_equal(slip_result_number(result, "together"), 24 * 40);
    slip_result_destroy(result);
    same_files(whole, joined);
    slip_model_destroy(model);
}

/* ---- Memory. */

/* With as much memory as rows of a million starts do not fit into, labels of ten million are begun. */
static void labels_take_little_memory(void **state)
{
    (void)state;
    if (test_sanitized) /* their own memory has no such limit */
        skip();
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit little = {700000000, 700000000};
        slip_context *own = slip_context_create();
        slip_model *model = NULL;
        slip_result *result = NULL;
        const slip_axis many[] = {{.name = "x", .from = -2, .to = 0.4, .count = 10000},
                                  {.name = "x'", .from = -2, .to = 2, .count = 1000}},
                        more[] = {{.name = "x", .from = -2, .to = 0.4, .count = 100000},
                                  {.name = "x'", .from = -2, .to = 2, .count = 10000}};
        slip_basin_options options = of_grid();
        options.axes = many;
        options.threads = 1;
        options.labels = 0;
        if (setrlimit(RLIMIT_AS, &little) != 0 ||
            slip_model_parse(own, IMPACT, "impact.yaml", NULL, &model) < 0)
            _exit(1);
        if (slip_basin(own, model, &options, &result) != SLIP_ERROR_MEMORY || result ||
            !strstr(slip_context_message(own), "--labels"))
            _exit(2);
        options.labels = 1;
        slip_context_interrupt(own);
        if (slip_basin(own, model, &options, &result) != SLIP_INTERRUPTED)
            _exit(3);
        slip_result_destroy(result);
        slip_context_resume(own);
        options.axes = more;
        _exit(slip_basin(own, model, &options, &result) == SLIP_ERROR_MEMORY ? 0 : 4);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void refinement_of_labels_is_refused(void **state)
{
    slip_model *model = parse(IMPACT);
    slip_basin_options options = of_grid();
    slip_result *result = NULL;
    (void)state;
    options.refine = 1;
    assert_int_equal(slip_basin(ctx, model, &options, &result), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "labels of a grid that is refined"));
    slip_model_destroy(model);
}

/* Where no line can be run, as with a negative mass, all its starts have failed, as they do one by one. */
static void lines_that_fail_are_failed_starts(void **state)
{
    (void)state;
    slip_model *model = parse("slipstick: 1\nparameters: {m: 1}\ncoordinates: [x]\nmass: [[m]]\n"
                              "damping: [[2]]\nforces: {x: 1 - x}\nsimulate: {time: [0, 30]}\n");
    const slip_axis axes[] = {{.name = "m", .from = -1, .to = 1, .count = 3},
                              {.name = "x", .from = -1, .to = 1, .count = 4}};
    double fraction[2];
    for (int labels = 0; labels < 2; labels++) {
        slip_basin_options options = slip_basin_options_default();
        options.axes = axes;
        options.axis_count = 2;
        options.labels = labels;
        slip_result *result = basin(model, &options);
        fraction[labels] = slip_result_number(result, "fraction.equilibrium 1");
        if (labels) {
            int16_t *label = labels_of(result, axes, 2);
            for (int k = 0; k < 12; k++)
                assert_int_equal(label[k], k < 4 ? -1 : 0);
            free(label);
            assert_int_equal(slip_result_number(result, "starts"), 12);
            assert_int_equal(slip_result_number(result, "failed_starts"), 4);
        }
        slip_result_destroy(result);
    }
    assert_true(fraction[0] == 0.75 && fraction[1] == 0.75);
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kill_costs_nothing), /* first: no thread has begun yet */
        cmocka_unit_test(labels_take_little_memory),
        cmocka_unit_test(labels_are_those_of_rows),
        cmocka_unit_test(threads_and_parts_change_nothing),
        cmocka_unit_test(refinement_of_labels_is_refused),
        cmocka_unit_test(lines_that_fail_are_failed_starts),
    };
    test_folder_make(base);
    const int failed = cmocka_run_group_tests(tests, setup, teardown);
    test_folder_remove(base);
    return failed;
}
