/* Run folders of gears: what is in them, pictures, exports. */
#include "io/file.h"
#include "io/hdf5.h"
#include "io/json.h"
#include "result/gear_result.h"
#include "test.h"
#include "test_folder.h"

#include <math.h>

enum { samples = 60, modes = 9, series_count = 15 };

typedef struct fixture {
    slip_context *ctx;
    char folder[test_path_size];
    char logged[500];
    int written;
    slip_gear_history *history;
    slip_result *result;
} fixture;

static void remember_log(void *user, slip_log_level level, const char *message)
{
    fixture *f = user;
    (void)level;
    snprintf(f->logged, sizeof f->logged, "%s", message);
}

static void count_written(void *user, const char *path)
{
    assert_true(access(path, R_OK) == 0);
    ((fixture *)user)->written++;
}

/* A made-up impact: numbers whose places are easy to check. Its last sample has no participation yet, as that
 * of an interrupted run may have. */
static void make_result(fixture *f)
{
    static const slip_gear_flanked gears[2] = {{.name = "pinion"}, {.name = "wheel"}};
    static const slip_series_info series[series_count] = {{"pinion.angle", "rad", "gear/pinion/angle"},
                                                          {"pinion.speed", "rad/s", "gear/pinion/speed"},
                                                          {"pinion.moment", "N m", "gear/pinion/moment"},
                                                          {"wheel.angle", "rad", "gear/wheel/angle"},
                                                          {"wheel.speed", "rad/s", "gear/wheel/speed"},
                                                          {"wheel.moment", "N m", "gear/wheel/moment"},
                                                          {"force", "N", "contact/force"},
                                                          {"touching", "", "contact/touching"},
                                                          {"depth", "m", "contact/depth"},
                                                          {"kinetic", "J", "energy/kinetic"},
                                                          {"strain", "J", "energy/strain"},
                                                          {"contact", "J", "energy/contact"},
                                                          {"lost", "J", "energy/lost"},
                                                          {"work", "J", "energy/work"},
                                                          {"balance", "J", "energy/balance"}};
    assert_int_equal(slip_result_create_run(
                         f->ctx,
                         &(slip_run_names){.series = series, .series_count = series_count, .kind = "gears"},
                         &f->result),
                     SLIP_OK);
    f->result->energies.largest = 2;
    f->result->energies.drift = 1e-5;
    f->result->touch.time = 3e-5;
    f->result->peak = 1000;
    f->result->method = "rk4";
    f->result->counters.steps = 123;
    assert_int_equal(slip_gear_history_create(f->ctx, &f->history), SLIP_OK);
    for (int i = 0; i < samples; i++) {
        const double t = 1e-4 * i / (samples - 1), force = fmax(0, 1000 * sin(4e4 * t));
        const double kinetic = 2 - force * 1e-3, strain = force * 1e-3 * (1 + 1e-5 * i);
        const double row[series_count + 1] = {
            t, 5 * t,   5 - 1e4 * t, -force, -t, -2e4 * t, 2 * force,       force, force > 0 ? 3 : 0,
            0, kinetic, strain,      0,      0,  0,        kinetic + strain};
        double amplitude[modes];
        unsigned char active[modes];
        for (int k = 0; k < modes; k++) {
            amplitude[k] = force * pow(10, -k);
            active[k] = k < 3;
        }
        assert_int_equal(slip_table_append(f->ctx, &f->result->main, row), SLIP_OK);
        if (i < samples - 1)
            assert_int_equal(
                slip_gear_history_add(f->history, f->ctx, 0, 4, true, i, modes, amplitude, active, force),
                SLIP_OK);
    }
    assert_int_equal(slip_result_add_number(f->ctx, f->result, "final.wheel.speed", -2), SLIP_OK);
    /* A name in an object that other numbers are in too, and one that begins like it. */
    assert_int_equal(slip_result_add_number(f->ctx, f->result, "final.wheel.turns", 3), SLIP_OK);
    assert_int_equal(slip_result_add_number(f->ctx, f->result, "finally", 6), SLIP_OK);
    assert_int_equal(slip_result_add_number(f->ctx, f->result, "finally", 7), SLIP_OK);
    assert_int_equal(slip_gear_history_finish(f->ctx, f->history, 2, gears, f->result), SLIP_OK);
    assert_int_equal(slip_result_describe(f->ctx, f->result, "Two `gears`", "slipstick: 1\n"), SLIP_OK);
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->ctx = slip_context_create();
    slip_context_set_log(f->ctx, remember_log, f);
    test_folder_make(f->folder);
    make_result(f);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    test_folder_remove(f->folder);
    slip_gear_history_destroy(f->history);
    slip_result_destroy(f->result);
    slip_context_destroy(f->ctx);
    free(f);
    return 0;
}

static void save(fixture *f, int status, const char *message)
{
    f->result->status = status;
    f->result->message = message ? slip_arena_string(&f->result->arena, message) : NULL;
    assert_int_equal(slip_result_save(f->ctx, f->result, f->folder), SLIP_OK);
}

static char *read_file(fixture *f, const char *name)
{
    char path[test_path_size];
    slip_text text = {0};
    assert_int_equal(slip_file_read(f->ctx, test_path(path, f->folder, name), 1 << 20, &text), SLIP_OK);
    return text.data;
}

static void series_are_where_they_are_said_to_be(void **state)
{
    static const struct {
        const char *path, *name;
    } cases[] = {{"t", "t"},
                 {"gear/pinion/speed", "pinion.speed"},
                 {"gear/wheel/moment", "wheel.moment"},
                 {"contact/force", "force"},
                 {"contact/touching", "touching"},
                 {"energy/strain", "strain"},
                 {"energy/contact", "contact"},
                 {"energy/balance", "balance"}};
    fixture *f = *state;
    char path[test_path_size], *text;
    slip_arena arena = {0};
    slip_h5 *h5;
    double *values;
    int64_t count;
    save(f, SLIP_OK, NULL);
    assert_int_equal(slip_h5_open(f->ctx, test_path(path, f->folder, "result.h5"), &h5), SLIP_OK);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(slip_h5_read(h5, cases[k].path, &values, &count), SLIP_OK);
        assert_int_equal(count, samples);
        assert_memory_equal(values, slip_result_series(f->result, cases[k].name, NULL),
                            sizeof(double) * samples);
        free(values);
    }
    assert_int_equal(slip_h5_read(h5, "participation/pinion/amplitude", &values, &count), SLIP_OK);
    assert_int_equal(count, samples * modes);
    assert_close(values[10 * modes + 2], 0.01 * values[10 * modes], 1e-12);
    assert_close(values[(samples - 1) * modes], 0, 0);
    free(values);
    assert_int_equal(slip_h5_read(h5, "participation/pinion/active", &values, &count), SLIP_OK);
    assert_close(values[10 * modes + 2], 1, 0);
    assert_close(values[10 * modes + 3], 0, 0);
    free(values);
    assert_int_equal(slip_h5_read_text(h5, "participation/pinion/amplitude", "width", &arena, &text),
                     SLIP_OK);
    assert_string_equal(text, "9");
    assert_int_equal(slip_h5_read_text(h5, "energy/strain", "unit", &arena, &text), SLIP_OK);
    assert_string_equal(text, "J");
    slip_arena_free(&arena);
    slip_h5_close(h5);
}

static void the_summary_has_objects_for_dots(void **state)
{
    fixture *f = *state;
    slip_arena arena = {0};
    const slip_json *json;
    save(f, SLIP_ERROR_SOLVER, "node 7 is not finite");
    char *text = read_file(f, "summary.json");
    assert_int_equal(slip_json_parse(f->ctx, &arena, "s", text, strlen(text), &json), SLIP_OK);
    assert_string_equal(slip_json_find(json, "method")->string, "rk4");
    assert_string_equal(slip_json_find(json, "ended")->string, "solver");
    assert_string_equal(slip_json_find(json, "message")->string, "node 7 is not finite");
    assert_close(slip_json_get(json, "steps"), 123, 0);
    assert_close(slip_json_get(json, "finally"), 7, 0);
    assert_close(slip_json_find_path(json, "final.wheel.turns")->number, 3, 0);
    assert_close(slip_json_find_path(json, "final.wheel.speed")->number, -2, 1e-12);
    assert_close(slip_json_get(json, "peak_force"), 1000, 0);
    assert_close(slip_json_get(json, "contact_time"), 3e-5, 0);
    assert_close(slip_json_find_path(json, "energy.drift")->number, 1e-5, 0);
    int finals = 0;
    for (const slip_json *item = json->child; item; item = item->next)
        finals += strcmp(item->key, "final") == 0;
    assert_int_equal(finals, 1);
    free(text);
    slip_arena_free(&arena);
}

static void pictures_are_drawn(void **state)
{
    static const char *const pictures[] = {"force.png", "speed.svg", "energy.png", "participation.png"};
    fixture *f = *state;
    slip_plot_options options = slip_plot_options_default();
    save(f, SLIP_OK, NULL);
    options.written = count_written;
    options.user = f;
    assert_int_equal(slip_plot(f->ctx, f->folder, &options), SLIP_OK);
    assert_string_equal(f->logged, ""); /* gnuplot had nothing to complain about */
    assert_int_equal(f->written, 8);
    for (int k = 0; k < 4; k++)
        assert_true(test_file_size(f->folder, pictures[k]) > 5000);
    char *script = read_file(f, "plot.gp"), *data = read_file(f, "plot.dat");
    assert_non_null(strstr(script, "time t [ms]"));
    assert_non_null(strstr(script, "logscale y"));
    assert_non_null(strstr(script, "node 1 x"));
    assert_null(strstr(script, "lost")); /* zero all the time */
    free(script);
    free(data);
    options.from = 1;
    assert_int_equal(slip_plot(f->ctx, f->folder, &options), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(f->ctx), "nothing was recorded from 1 to"));
    /* The next run takes them away. */
    save(f, SLIP_OK, NULL);
    assert_int_equal(test_folder_count(f->folder), 4); /* model.yaml, result.h5, events.csv, summary.json */
}

static void exports_have_all_series(void **state)
{
    fixture *f = *state;
    char path[test_path_size];
    save(f, SLIP_OK, NULL);
    assert_int_equal(slip_export(f->ctx, f->folder, "csv", NULL), SLIP_OK);
    char *text = read_file(f, "result.csv");
    assert_ptr_equal(strstr(text, "t,pinion.angle,pinion.speed,pinion.moment,wheel.angle,"), text);
    int lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, samples + 1);
    free(text);
    assert_int_equal(slip_export(f->ctx, f->folder, "mat", test_path(path, f->folder, "own.mat")), SLIP_OK);
    assert_true(test_file_size(f->folder, "own.mat") > 16 * 8 * samples);
}

static void broken_folders_are_refused(void **state)
{
    fixture *f = *state;
    char path[test_path_size];
    slip_h5 *h5;
    assert_int_equal(slip_plot(f->ctx, f->folder, NULL), SLIP_ERROR_IO); /* empty */
    save(f, SLIP_OK, NULL);
    assert_int_equal(unlink(test_path(path, f->folder, "summary.json")), 0);
    assert_int_equal(slip_plot(f->ctx, f->folder, NULL), SLIP_ERROR_IO);
    assert_non_null(strstr(slip_context_message(f->ctx), "there is no summary.json"));
    save(f, SLIP_OK, NULL);
    assert_int_equal(slip_h5_create(f->ctx, test_path(path, f->folder, "result.h5"), &h5), SLIP_OK);
    assert_int_equal(slip_h5_write_text(h5, "/", "kind", "gears"), SLIP_OK);
    for (int k = 0; k < 2; k++) {
        static const char *const places[] = {"t", "contact/force"};
        assert_int_equal(slip_h5_write(h5, places[k], (const double[]){0, 1}, 2 - k), SLIP_OK);
        assert_int_equal(slip_h5_write_text(h5, places[k], "name", k ? "force" : "t"), SLIP_OK);
        assert_int_equal(slip_h5_write_text(h5, places[k], "column", k ? "1" : "0"), SLIP_OK);
    }
    assert_int_equal(slip_h5_commit(h5), SLIP_OK);
    assert_int_equal(slip_export(f->ctx, f->folder, "csv", NULL), SLIP_ERROR_IO);
    assert_non_null(strstr(slip_context_message(f->ctx), "contact/force has 1 records where t has 2"));
    assert_int_equal(slip_h5_create(f->ctx, path, &h5), SLIP_OK);
    assert_int_equal(slip_h5_write_text(h5, "/", "kind", "gears"), SLIP_OK);
    assert_int_equal(slip_h5_commit(h5), SLIP_OK);
    assert_int_equal(slip_plot(f->ctx, f->folder, NULL), SLIP_ERROR_IO);
    assert_non_null(strstr(slip_context_message(f->ctx), "expected those of two gears"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(series_are_where_they_are_said_to_be, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_summary_has_objects_for_dots, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pictures_are_drawn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(exports_have_all_series, set_up, tear_down),
        cmocka_unit_test_setup_teardown(broken_folders_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
