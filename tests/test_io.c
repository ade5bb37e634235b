/* Files that are whole or not there, numbers, CSV, JSON, HDF5, MATLAB files, gnuplot. */
#include "base/context.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/gnuplot.h"
#include "io/hdf5.h"
#include "io/json.h"
#include "io/mat.h"
#include "io/number.h"
#include "result/table.h"
#include "test.h"
#include "test_folder.h"

#include <float.h>
#include <matio.h>

typedef struct fixture {
    slip_context *ctx;
    char folder[test_path_size];
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->ctx = slip_context_create();
    test_folder_make(f->folder);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    test_folder_remove(f->folder);
    slip_context_destroy(f->ctx);
    free(f);
    return 0;
}

static int write_csv(slip_context *ctx, const char *path, int column_count, const char *const *names,
                     const double *const *columns, int64_t row_count)
{
    slip_arena arena = {0};
    slip_table table = {.arena = &arena};
    for (int k = 0; k < column_count; k++)
        assert_int_equal(slip_table_add(ctx, &table, &(slip_column_info){.name = names[k]}), k);
    assert_true(slip_table_reserve(&table, row_count));
    table.count = row_count;
    for (int k = 0; k < column_count; k++)
        memcpy(table.columns[k].values, columns[k], (size_t)row_count * sizeof(double));
    const int status = slip_table_write_csv(ctx, &table, false, path);
    slip_table_free(&table);
    slip_arena_free(&arena);
    return status;
}

static void file_is_whole_or_not_there(void **state)
{
    fixture *f = *state;
    char path[test_path_size], inner[test_path_size];
    slip_file file;
    slip_text text = {0};
    test_path(path, f->folder, "a.txt");
    assert_int_equal(slip_file_write(f->ctx, path, "old", 3), SLIP_OK);

    assert_int_equal(slip_file_create(f->ctx, path, &file), SLIP_OK);
    fputs("half of the new", file.stream);
    fflush(file.stream);
    assert_int_equal(slip_file_read(f->ctx, path, 100, &text), SLIP_OK);
    assert_string_equal(text.data, "old");
    slip_file_discard(&file);
    assert_int_equal(test_folder_count(f->folder), 1);

    assert_int_equal(slip_file_create(f->ctx, path, &file), SLIP_OK);
    fputs("new", file.stream);
    assert_int_equal(slip_file_commit(f->ctx, &file), SLIP_OK);
    slip_file_discard(&file);
    slip_text_clear(&text);
    assert_int_equal(slip_file_read(f->ctx, path, 100, &text), SLIP_OK);
    assert_string_equal(text.data, "new");
    assert_int_equal(test_folder_count(f->folder), 1);

    assert_int_equal(slip_file_read(f->ctx, path, 2, &text), SLIP_ERROR_IO);
    assert_int_equal(slip_file_write(f->ctx, test_path(inner, path, "b"), "x", 1), SLIP_ERROR_IO);
    assert_non_null(strstr(slip_context_message(f->ctx), inner));
    slip_text_free(&text);
}

/* A folder stands where the file should be, also when it appears only while the file is being written. */
static void failed_write_leaves_nothing(void **state)
{
    fixture *f = *state;
    char path[test_path_size], inner[test_path_size];
    slip_file file;
    char *temporary;
    const double one = 1;
    const double *column = &one;
    const char *name = "x";
    slip_h5 *h5;
    test_path(path, f->folder, "taken");
    assert_int_equal(slip_folder_create(f->ctx, test_path(inner, path, "deep/er")), SLIP_OK);
    assert_int_equal(slip_folder_create(f->ctx, inner), SLIP_OK);
    assert_int_equal(slip_file_write(f->ctx, path, "x", 1), SLIP_ERROR_IO);
    assert_non_null(strstr(slip_context_message(f->ctx), "Is a directory"));
    assert_int_equal(slip_file_reserve(f->ctx, path, &temporary), SLIP_ERROR_IO);
    assert_null(temporary);
    assert_int_equal(slip_h5_create(f->ctx, path, &h5), SLIP_ERROR_IO);
    assert_null(h5);
    assert_int_equal(write_csv(f->ctx, path, 1, &name, &column, 1), SLIP_ERROR_IO);
    assert_int_equal(slip_mat_write(f->ctx, path, 1, &name, &column, 1), SLIP_ERROR_IO);
    assert_int_equal(test_folder_count(f->folder), 1);

    test_path(path, f->folder, "late");
    assert_int_equal(slip_file_create(f->ctx, path, &file), SLIP_OK);
    assert_int_equal(slip_folder_create(f->ctx, path), SLIP_OK);
    assert_int_equal(slip_file_commit(f->ctx, &file), SLIP_ERROR_IO);
    assert_int_equal(test_folder_count(f->folder), 2);

    test_path(path, f->folder, "file");
    assert_int_equal(slip_file_write(f->ctx, path, "x", 1), SLIP_OK);
    assert_int_equal(slip_folder_create(f->ctx, path), SLIP_ERROR_IO);
    assert_non_null(strstr(slip_context_message(f->ctx), "there is a file of that name"));
    assert_int_equal(slip_folder_create(f->ctx, test_path(inner, path, "x")), SLIP_ERROR_IO);
}

/* A device is written as it is: moving a file over it would destroy it. */
static void full_disk_is_an_error(void **state)
{
    fixture *f = *state;
    char *temporary;
    struct stat about;
    if (stat("/dev/full", &about) != 0)
        skip();
    assert_int_equal(slip_file_write(f->ctx, "/dev/full", "x", 1), SLIP_ERROR_IO);
    assert_non_null(strstr(slip_context_message(f->ctx), "No space left"));
    assert_int_equal(slip_file_reserve(f->ctx, "/dev/full", &temporary), SLIP_ERROR_IO);
    assert_int_equal(slip_file_write(f->ctx, "/dev/null", "x", 1), SLIP_OK);
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_false(S_ISREG(about.st_mode));
}

static void numbers_come_back_bit_for_bit(void **state)
{
    static const double special[] = {0, -0.0, DBL_MIN, DBL_TRUE_MIN, DBL_MAX, 0.1, 1e300, -1.0 / 3};
    char buffer[slip_number_size];
    const char *end;
    double back;
    uint64_t seed = 7;
    (void)state;
    for (int k = 0; k < 2000; k++) {
        double value =
            k < 8 ? special[k] : ldexp(test_random(&seed, -1, 1), (int)test_random(&seed, -1000, 1000));
        assert_true(slip_number_read(slip_number_write(buffer, value), &end, &back));
        assert_memory_equal(&back, &value, sizeof value);
        assert_int_equal(*end, 0);
    }
    assert_false(slip_number_read("x", &end, &back));
    assert_false(slip_number_read("", &end, &back));
    assert_string_equal(slip_number_write_short(buffer, 1.0 / 3), "0.333333333");
}

static void csv_quotes_what_needs_it(void **state)
{
    fixture *f = *state;
    char path[test_path_size], *at, *fields[3];
    const char *names[] = {"plain", "a,\"b\"\nc", "x''"};
    const double values[] = {1, 0.1};
    const double *columns[] = {values, values, values};
    slip_text text = {0};
    assert_int_equal(write_csv(f->ctx, test_path(path, f->folder, "a.csv"), 3, names, columns, 2), SLIP_OK);
    assert_int_equal(slip_file_read(f->ctx, path, 1000, &text), SLIP_OK);
    assert_string_equal(text.data, "plain,\"a,\"\"b\"\"\nc\",x''\n1,1,1\n0.10000000000000001,"
                                   "0.10000000000000001,0.10000000000000001\n");
    at = text.data;
    assert_int_equal(slip_csv_row(&at, fields, 3), 3);
    for (int k = 0; k < 3; k++)
        assert_string_equal(fields[k], names[k]);
    assert_int_equal(slip_csv_row(&at, fields, 2), 3);
    assert_int_equal(slip_csv_row(&at, fields, 3), 3);
    assert_string_equal(fields[2], "0.10000000000000001");
    assert_int_equal(slip_csv_row(&at, fields, 3), 0);
    slip_text_clear(&text);
    slip_text_append(&text, "\"open,x\n");
    at = text.data;
    assert_int_equal(slip_csv_row(&at, fields, 3), -1);
    slip_text_clear(&text);
    slip_text_append(&text, "a,\t , b c\t,\r\n\nc , \" d\"");
    at = text.data;
    assert_int_equal(slip_csv_row(&at, fields, 3), 4);
    assert_string_equal(fields[1], "");
    assert_string_equal(fields[2], "b c");
    assert_int_equal(slip_csv_row(&at, fields, 3), 1);
    assert_int_equal(slip_csv_row(&at, fields, 3), 2);
    assert_string_equal(fields[0], "c");
    assert_string_equal(fields[1], " d");
    slip_text_free(&text);
}

static void json_comes_back(void **state)
{
    fixture *f = *state;
    const char *nasty = "a \"quote\", back\\slash, new\nline, tab\t, bell\a, \xc3\xa9";
    slip_text text = {0};
    slip_json_writer writer = {.text = &text};
    slip_arena arena = {0};
    const slip_json *json, *list;
    slip_json_object(&writer, NULL);
    slip_json_string(&writer, nasty, nasty);
    slip_json_number(&writer, "third", 1.0 / 3);
    slip_json_number(&writer, "nan", NAN);
    slip_json_number(&writer, "inf", -INFINITY);
    slip_json_integer(&writer, "big", INT64_MAX);
    slip_json_bool(&writer, "yes", true);
    slip_json_bool(&writer, "no", false);
    slip_json_object(&writer, "empty");
    slip_json_end_object(&writer);
    slip_json_list(&writer, "list");
    slip_json_number(&writer, NULL, 1);
    slip_json_object(&writer, NULL);
    slip_json_number(&writer, "x''", 2);
    slip_json_end_object(&writer);
    slip_json_end_list(&writer);
    slip_json_end_object(&writer);
    assert_false(text.failed);
    assert_int_equal(slip_json_parse(f->ctx, &arena, "a.json", text.data, text.length, &json), SLIP_OK);
    assert_string_equal(slip_json_find(json, nasty)->string, nasty);
    assert_true(slip_json_get(json, "third") == 1.0 / 3);
    assert_int_equal(slip_json_find(json, "nan")->type, SLIP_JSON_NULL);
    assert_true(isnan(slip_json_get(json, "inf")));
    assert_true(slip_json_find(json, "yes")->number == 1);
    assert_true(slip_json_find(json, "no")->number == 0);
    assert_null(slip_json_find(json, "empty")->child);
    list = slip_json_find(json, "list");
    assert_int_equal(list->type, SLIP_JSON_LIST);
    assert_true(slip_json_get(list->child->next, "x''") == 2);
    assert_null(slip_json_find_path(json, "list.x"));
    assert_null(slip_json_find(json, "none"));
    slip_arena_free(&arena);
    slip_text_free(&text);
}

/* Objects in each other, keys with dots, and one path that can be read in two ways. */
static void write_nested(slip_json_writer *writer)
{
    slip_json_object(writer, NULL);
    slip_json_integer(writer, "total", 7);
    slip_json_object(writer, "max");
    slip_json_number(writer, "x''", 2.5);
    slip_json_number(writer, "seat.z", -1);
    slip_json_number(writer, "lost", NAN);
    slip_json_object(writer, "seat");
    slip_json_number(writer, "z", 3);
    slip_json_number(writer, "y", 4);
    slip_json_end_object(writer);
    slip_json_end_object(writer);
    slip_json_object(writer, "max2");
    slip_json_number(writer, "x''", 5);
    slip_json_end_object(writer);
    slip_json_bool(writer, "yes", true);
    slip_json_string(writer, "word", "7");
    slip_json_list(writer, "list");
    slip_json_object(writer, NULL);
    slip_json_number(writer, "x", 6);
    slip_json_end_object(writer);
    slip_json_end_list(writer);
    slip_json_object(writer, "max");
    slip_json_number(writer, "x''", 8);
    slip_json_end_object(writer);
    slip_json_end_object(writer);
}

/* What is found without the text is what is found in it. */
static void json_numbers_are_found_without_the_text(void **state)
{
    static const char *const paths[] = {
        "total", "max.x''", "max.seat.z", "max.seat.y", "max.lost", "max", "max2.x''", "max2", "yes", "word",
        "list",  "list.x",  "none",       "max.none",   "max.seat", "",    "total.x",  "max."};
    enum { count = sizeof paths / sizeof *paths };
    fixture *f = *state;
    slip_text text = {0};
    slip_arena arena = {0};
    slip_json_wanted wanted[count];
    const slip_json *json;
    for (int k = 0; k < count; k++)
        wanted[k].path = paths[k];
    slip_json_writer writer = {.text = &text}, seeker = slip_json_seeker(count, wanted);
    write_nested(&writer);
    write_nested(&seeker);
    assert_int_equal(slip_json_parse(f->ctx, &arena, "a.json", text.data, text.length, &json), SLIP_OK);
    for (int k = 0; k < count; k++) {
        const slip_json *found = slip_json_find_path(json, paths[k]);
        const bool known = found && (found->type == SLIP_JSON_NUMBER || found->type == SLIP_JSON_BOOL);
        assert_int_equal(wanted[k].found, found != NULL);
        assert_true(known ? wanted[k].number == found->number : isnan(wanted[k].number));
    }
    slip_arena_free(&arena);
    slip_text_free(&text);
}

static void json_errors_say_where(void **state)
{
    fixture *f = *state;
    static const char *const wrong[] = {
        "",       "{",       "{\"a\" 1}", "{\"a\": 1,}",   "[1 2]",       "{\"a\": tru}",
        "\"open", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"",   "1 2",         "-",
        "{a: 1}", "nan",     "1e999",     "\"tab\there\"", "\"\\u0000\"", "\"\\udc00\"",
        "[",      "\""};
    slip_arena arena = {0};
    const slip_json *json;
    char deep[200];
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        assert_int_equal(slip_json_parse(f->ctx, &arena, "a.json", wrong[k], strlen(wrong[k]), &json),
                         SLIP_ERROR_IO);
        assert_null(json);
        assert_non_null(strstr(slip_context_message(f->ctx), "a.json:1:"));
    }
    memset(deep, '[', sizeof deep);
    assert_int_equal(slip_json_parse(f->ctx, &arena, "a.json", deep, sizeof deep - 1, &json), SLIP_ERROR_IO);
    assert_int_equal(slip_json_parse(f->ctx, &arena, "a.json", "{\n  \"a\": ?}", 12, &json), SLIP_ERROR_IO);
    assert_non_null(strstr(slip_context_message(f->ctx), "a.json:2:8"));
    assert_int_equal(slip_json_parse(f->ctx, &arena, "a.json", "\"\\u00e9\\ud83d\\ude00\\/\"", 22, &json),
                     SLIP_OK);
    assert_string_equal(json->string, "\xc3\xa9\xf0\x9f\x98\x80/");
    slip_arena_free(&arena);
}

static void hdf5_comes_back(void **state)
{
    fixture *f = *state;
    char path[test_path_size], **names, *text;
    const double values[] = {1.0 / 3, -0.0, 1e-310}, modes[] = {0, 3, 5};
    double *back;
    int64_t count;
    int member_count;
    slip_h5 *h5;
    slip_arena arena = {0};
    enum { length = 70000000 };
    char *const much = slip_arena_alloc(&arena, length + 1); /* labels of a basin may be as long */
    assert_non_null(much);
    memset(much, 'x', length);
    much[length] = 0;
    test_path(path, f->folder, "a.h5");
    assert_int_equal(slip_h5_create(f->ctx, path, &h5), SLIP_OK);
    assert_int_equal(slip_h5_write(h5, "q/zeta", values, 3), SLIP_OK);
    assert_int_equal(slip_h5_write(h5, "q/alpha'", values, 3), SLIP_OK);
    assert_int_equal(slip_h5_write_small(h5, "contact/pad/mode", modes, 3), SLIP_OK);
    assert_int_equal(slip_h5_write(h5, "none", NULL, 0), SLIP_OK);
    assert_int_equal(slip_h5_write_text(h5, "contact/pad/mode", "names", "a b"), SLIP_OK);
    assert_int_equal(slip_h5_write_text(h5, "contact/pad/mode", "much", much), SLIP_OK);
    assert_int_equal(slip_h5_write_text(h5, "/", "empty", ""), SLIP_OK);
    assert_int_equal(slip_h5_write(h5, "q/zeta", values, 3), SLIP_ERROR_IO);
    assert_non_null(strstr(slip_context_message(f->ctx), path));
    assert_int_equal(test_file_size(f->folder, "a.h5"), -1);
    assert_int_equal(slip_h5_commit(h5), SLIP_OK);
    assert_int_equal(test_folder_count(f->folder), 1);

    assert_int_equal(slip_h5_open(f->ctx, path, &h5), SLIP_OK);
    assert_int_equal(slip_h5_list(h5, "q", &arena, &names, &member_count), SLIP_OK);
    assert_int_equal(member_count, 2);
    assert_string_equal(names[0], "zeta");
    assert_string_equal(names[1], "alpha'");
    assert_int_equal(slip_h5_list(h5, "nothing", &arena, &names, &member_count), SLIP_OK);
    assert_int_equal(member_count, 0);
    assert_int_equal(slip_h5_read(h5, "q/zeta", &back, &count), SLIP_OK);
    assert_int_equal(count, 3);
    assert_memory_equal(back, values, sizeof values);
    free(back);
    assert_int_equal(slip_h5_read(h5, "contact/pad/mode", &back, &count), SLIP_OK);
    assert_memory_equal(back, modes, sizeof modes);
    free(back);
    assert_int_equal(slip_h5_read(h5, "none", &back, &count), SLIP_OK);
    assert_int_equal(count, 0);
    free(back);
    assert_int_equal(slip_h5_read(h5, "q", &back, &count), SLIP_ERROR_IO);
    assert_int_equal(slip_h5_read(h5, "missing", &back, &count), SLIP_ERROR_IO);
    assert_int_equal(slip_h5_read_text(h5, "contact/pad/mode", "names", &arena, &text), SLIP_OK);
    assert_string_equal(text, "a b");
    assert_int_equal(slip_h5_read_text(h5, "contact/pad/mode", "much", &arena, &text), SLIP_OK);
    assert_string_equal(text, much);
    assert_int_equal(slip_h5_read_text(h5, "/", "empty", &arena, &text), SLIP_OK);
    assert_string_equal(text, "");
    assert_int_equal(slip_h5_read_text(h5, "/", "none", &arena, &text), SLIP_OK);
    assert_null(text);
    slip_h5_close(h5);
    slip_arena_free(&arena);
}

static void unfinished_hdf5_is_never_seen(void **state)
{
    fixture *f = *state;
    char path[test_path_size];
    const double value = 1;
    slip_h5 *h5;
    test_path(path, f->folder, "a.h5");
    assert_int_equal(slip_h5_create(f->ctx, path, &h5), SLIP_OK);
    assert_int_equal(slip_h5_write(h5, "t", &value, 1), SLIP_OK);
    slip_h5_close(h5);
    assert_int_equal(test_folder_count(f->folder), 0);
    assert_int_equal(slip_h5_open(f->ctx, path, &h5), SLIP_ERROR_IO);
    assert_int_equal(slip_file_write(f->ctx, path, "not HDF5 at all", 15), SLIP_OK);
    assert_int_equal(slip_h5_open(f->ctx, path, &h5), SLIP_ERROR_IO);
    assert_non_null(strstr(slip_context_message(f->ctx), "not a complete HDF5 file"));
    slip_h5_close(NULL);
}

static void mat_comes_back(void **state)
{
    fixture *f = *state;
    char path[test_path_size];
    const char *names[] = {"t", "x_d"};
    const double a[] = {1.0 / 3, 2, -0.0}, b[] = {NAN, 1e-310, 5};
    const double *columns[] = {a, b};
    mat_t *mat;
    matvar_t *variable;
    test_path(path, f->folder, "a.mat");
    assert_int_equal(slip_mat_write(f->ctx, path, 2, names, columns, 3), SLIP_OK);
    assert_int_equal(test_folder_count(f->folder), 1);
    mat = Mat_Open(path, MAT_ACC_RDONLY);
    assert_non_null(mat);
    assert_int_equal(Mat_GetVersion(mat), MAT_FT_MAT5);
    for (int k = 0; k < 2; k++) {
        variable = Mat_VarRead(mat, names[k]);
        assert_non_null(variable);
        assert_int_equal(variable->dims[0], 3);
        assert_int_equal(variable->dims[1], 1);
        assert_memory_equal(variable->data, columns[k], sizeof a);
        Mat_VarFree(variable);
    }
    Mat_Close(mat);
    assert_int_equal(slip_mat_write(f->ctx, path, 2, names, columns, INT64_MAX / 16), SLIP_ERROR_USAGE);
    assert_int_equal(slip_mat_write(f->ctx, path, 2, names, columns, 0), SLIP_OK);
}

static void remember_log(void *user, slip_log_level level, const char *message)
{
    (void)level;
    snprintf(user, 200, "%s", message);
}

static void gnuplot_says_what_is_wrong(void **state)
{
    fixture *f = *state;
    char path[test_path_size], logged[200] = "", *search = strdup(getenv("PATH"));
    slip_context_set_log(f->ctx, remember_log, logged);
    test_path(path, f->folder, "a.gp");
    slip_file_write(f->ctx, path, "print 1\n", 8);
    assert_int_equal(slip_gnuplot_run(f->ctx, f->folder, "a.gp", 20), SLIP_OK);
    assert_non_null(strstr(logged, "1")); /* `print` writes to stderr */
    slip_file_write(f->ctx, path, "plot nonsense(\n", 15);
    assert_int_equal(slip_gnuplot_run(f->ctx, f->folder, "a.gp", 20), SLIP_ERROR_IO);
    assert_non_null(strstr(slip_context_message(f->ctx), "a.gp"));
    slip_file_write(f->ctx, path, "pause 30\n", 9);
    assert_int_equal(slip_gnuplot_run(f->ctx, f->folder, "a.gp", 0.2), SLIP_ERROR_IO);
    assert_non_null(strstr(slip_context_message(f->ctx), "not done in time"));
    assert_int_equal(slip_gnuplot_run(f->ctx, "/nonexistent", "a.gp", 20), SLIP_ERROR_IO);
    assert_non_null(strstr(slip_context_message(f->ctx), "/nonexistent"));
    setenv("PATH", f->folder, 1);
    assert_int_equal(slip_gnuplot_run(f->ctx, f->folder, "a.gp", 20), SLIP_ERROR_IO);
    assert_non_null(strstr(slip_context_message(f->ctx), "gnuplot is not installed"));
    setenv("PATH", search, 1);
    slip_context_interrupt(f->ctx);
    assert_int_equal(slip_gnuplot_run(f->ctx, f->folder, "a.gp", 20), SLIP_INTERRUPTED);
    free(search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(file_is_whole_or_not_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(failed_write_leaves_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(full_disk_is_an_error, set_up, tear_down),
        cmocka_unit_test(numbers_come_back_bit_for_bit),
        cmocka_unit_test_setup_teardown(csv_quotes_what_needs_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json_numbers_are_found_without_the_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json_errors_say_where, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hdf5_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unfinished_hdf5_is_never_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mat_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(gnuplot_says_what_is_wrong, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
