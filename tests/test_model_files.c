/* Model files: what is no file, no text, too large or hostile is refused quickly. */
#include "model_test.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What the sanitizers cost. */
#ifdef __SANITIZE_ADDRESS__
#define SLOWER 4
#else
#define SLOWER 1
#endif

/* ---- files ---- */

static void wrong_files_are_refused(void **state)
{
    slip_model *model;
    (void)state;
    assert_int_equal(slip_model_load(ctx, path_of("nowhere.yaml"), &model), SLIP_ERROR_IO);
    expect_message("", "nowhere.yaml: cannot open: No such file");
    assert_int_equal(slip_model_load(ctx, path_of(""), &model), SLIP_ERROR_IO);
    expect_message("", "found a directory, expected a model file");
    assert_int_equal(slip_model_load(ctx, "/dev/zero", &model), SLIP_ERROR_IO);
    expect_message("", "found no regular file");
    assert_int_equal(slip_model_load(ctx, path_of("empty.yaml"), &model), SLIP_ERROR_MODEL);
    expect_message("", "empty.yaml:1:1: the file is empty");
    assert_int_equal(slip_model_load(ctx, path_of("many_errors.yaml"), &model), SLIP_ERROR_MODEL);
    expect_message("", "many_errors.yaml:9:1: unknown key `stifness`; did you mean `stiffness`?");
    assert_null(model);
}

/* A temporary file with the text; returns its name. */
static const char *temporary(const char *text, size_t size)
{
    static char name[512];
    const char *base = getenv("TMPDIR");
    FILE *file;
    int descriptor;
    snprintf(name, sizeof name, "%s/slipstick-test-XXXXXX", base ? base : ".");
    descriptor = mkstemp(name);
    assert_true(descriptor >= 0);
    file = fdopen(descriptor, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
    return name;
}

static void expect_refused_file(const char *text, size_t size, const char *part)
{
    const char *name = temporary(text, size);
    slip_model *model;
    int status = slip_model_load(ctx, name, &model);
    remove(name);
    assert_int_equal(status, SLIP_ERROR_MODEL);
    expect_message("", part);
}

static void binary_and_large_files_are_refused(void **state)
{
    enum { size = 17 << 20 };
    char *large = malloc(size);
    (void)state;
    assert_non_null(large);
    memset(large, 'a', size);
    expect_refused_file(large, size, "found 17.0 MiB, expected a model file of at most 16 MiB");
    expect_refused_file("slipstick: 1\0\0\0", 15, ":1:13: not a text file: found byte 0x00");
    expect_refused_file("\x89PNG\r\n\x1a\n", 8, ":1:1: not a text file: found byte 0x89");
    free(large);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A text of `count` copies, between two others. In the first form with a running number. */
static char *repeated(const char *before, const char *format, int count, const char *after)
{
    slip_text text = {0};
    slip_text_append(&text, before);
    for (int i = 0; i < count; i++)
        slip_text_printf(&text, format, i);
    slip_text_append(&text, after);
    assert_false(text.failed);
    return text.data;
}

static char *copies(const char *before, const char *piece, int count, const char *after)
{
    slip_text text = {0};
    slip_text_append(&text, before);
    for (int i = 0; i < count; i++)
        slip_text_append(&text, piece);
    slip_text_append(&text, after);
    assert_false(text.failed);
    return text.data;
}

/* A quiet machine needs 0.7 s for the slowest; what takes longer than ten times that grows faster than the
 * text. */
static void refuse_quickly(char *text, const char *part)
{
    const double start = seconds();
    refuse_with(text, NULL, part);
    print_message("refused in %.2f s of processor time\n", seconds() - start);
    assert_true(seconds() - start < 10 * SLOWER);
    free(text);
}

static void a_million_entries_are_refused_quickly(void **state)
{
    const int million = 1000000;
    (void)state;
    refuse_quickly(repeated(HEAD, "k%d: 1\n", test_sanitized ? 410000 : million, ""),
                   "too large: it has more than 400000 entries");
    if (test_sanitized)
        return; /* the others are the same to them */
    refuse_quickly(repeated(HEAD "parameters: {", "k%d: 1, ", million, "a: 1}\n"),
                   "more than 400000 entries");
    refuse_quickly(repeated(HEAD "damping: [[", "%d, ", million, "1]]\n"), "more than 400000 entries");
    refuse_quickly(repeated(HEAD "parameters:\n", "  k%d: 1\n", 100000, ""),
                   "parameters: found 100000 of them, expected at most 1000");
    refuse_quickly(repeated(HEAD, "k%d: 1\n", 190000, ""), "and 80 or more errors");
    refuse_quickly(repeated("slipstick: 1\nmass: 1\ncoordinates: [", "k%d, ", 300000, "a]\n"),
                   "coordinates: found 300001 names, expected at most 300");
    refuse_quickly(repeated(HEAD "contacts:\n", "  k%d: 1\n", 100000, ""), "contacts: found 100000 of them");
    refuse_quickly(repeated(HEAD, "#%d\n", million, "a: [\n"), "not valid YAML");
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    refuse_quickly(copies("", "[", 100000, ""), "nested deeper than 64 levels");
    refuse_quickly(repeated("", "{a%d: ", 100000, ""), "nested deeper than 64 levels");
    refuse_quickly(copies("", "- ", 100000, "a"), "nested deeper than 64 levels");
    refuse_quickly(copies("", "? ", 100000, "a"), "m.yaml:1:");
    refuse_quickly(copies(HEAD "forces: {x: ", "(", 5000, "x}\n"), "m.yaml:4:");
    refuse_quickly(copies(HEAD "title: ", "x", 5000000, ": 1\n"), "m.yaml:4:");
}

static void billion_laughs_are_refused(void **state)
{
    slip_text text = {0};
    (void)state;
    slip_text_append(&text, HEAD "a0: &a0 [l, l, l, l, l, l, l, l, l, l]\n");
    for (int i = 1; i < 20; i++)
        slip_text_printf(&text, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i, i - 1,
                         i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    refuse_quickly(text.data, "more than 400000 entries");
    refuse_quickly(repeated(HEAD, "p%d: &q 1\n", 2000, ""), "more than 1000 anchors");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(binary_and_large_files_are_refused),
        cmocka_unit_test(a_million_entries_are_refused_quickly),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(billion_laughs_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
