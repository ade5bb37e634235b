/* The tables of fields: docs/model-files.md has their rows, and the defaults that it states are those of the
 * options. `test_fields print` prints the rows. */
#include "model_test.h"

#include "io/file.h"
#include "io/number.h"
#include "model/study.h"

#include <math.h>
#include <stdlib.h>

/* What it may be, where the sentence does not say so. */
static void write_range(slip_text *text, const slip_field *field)
{
    const slip_range range = field->range;
    if (field->kind == SLIP_FIELD_FLAG) {
        slip_text_append(text, "`true` or `false`: ");
    } else if (field->words && field->kind > SLIP_FIELD_EXPRESSION) {
        for (int i = 0; field->words[i]; i++)
            slip_text_printf(text, "%s`%s`",
                             i == 0                ? ""
                             : field->words[i + 1] ? ", "
                                                   : " or ",
                             field->words[i]);
        slip_text_append(text, ": ");
    }
    slip_text_append(text, field->sentence);
    if (field->kind > SLIP_FIELD_EXPRESSION || !isfinite(range.low))
        return;
    if (isinf(range.high) || range.high >= 1e6)
        slip_text_printf(text, "; %s %g", range.low_open ? "more than" : "at least", range.low);
    else
        slip_text_printf(text, "; %g to %g", range.low, range.high);
}

/* The rows of the table in the docs, as Markdown. */
static void write_fields(slip_text *text, const slip_fields *table)
{
    for (int i = 0; i < table->count; i++) {
        slip_text_printf(text, "| `%s` | ", table->list[i].name);
        write_range(text, &table->list[i]);
        slip_text_printf(text, " | %s |\n", table->list[i].fallback);
    }
}

/* The tables of all sections: those of studies behind the others; NULL behind the last. */
static const slip_fields *table_at(int k)
{
    int others = 0;
    while (slip_fields_all[others])
        others++;
    return k < others                 ? slip_fields_all[k]
           : slip_studies[k - others] ? &slip_studies[k - others]->fields
                                      : NULL;
}

static void docs_have_the_rows(void **state)
{
    slip_text docs = {0};
    (void)state;
    assert_int_equal(slip_file_read(ctx, SLIPSTICK_SOURCE_DIR "/docs/model-files.md", 1 << 20, &docs),
                     SLIP_OK);
    for (int k = 0; table_at(k); k++) {
        slip_text rows = {0};
        write_fields(&rows, table_at(k));
        if (rows.data && !strstr(docs.data, rows.data)) {
            print_error("docs/model-files.md has not these rows of %s:\n%s", table_at(k)->section, rows.data);
            fail();
        }
        slip_text_free(&rows);
    }
    slip_text_free(&docs);
}

/* Where a default is a number or a word. */
static void check_defaults(const slip_fields *table, const void *options)
{
    for (int i = 0; i < table->count; i++) {
        const slip_field *field = &table->list[i];
        const void *place = (const char *)options + field->offset;
        const char *end = "";
        double value;
        if (field->kind == SLIP_FIELD_WORD && field->fallback[0] == '`') {
            const char *word = *(const char *const *)place;
            assert_true(strncmp(field->fallback + 1, word, strlen(word)) == 0);
        }
        if (!slip_number_read(field->fallback, &end, &value) || *end)
            continue;
        if (field->kind == SLIP_FIELD_NUMBER)
            assert_close(*(const double *)place, value, 0);
        if (field->kind == SLIP_FIELD_COUNT)
            assert_int_equal(*(const int *)place, (int)value);
    }
}

static void defaults_are_those_of_the_options(void **state)
{
    const slip_gear_options gear = slip_gear_options_default();
    const slip_gear_run_options run = slip_gear_run_options_default();
    (void)state;
    check_defaults(&slip_fields_gear, &gear);
    check_defaults(&slip_fields_gear_mesh, &gear.mesh);
    check_defaults(&slip_fields_gear_material, &gear);
    check_defaults(&slip_fields_gear_side, &run.side[0]);
    check_defaults(&slip_fields_gear_damping, &run.side[0]);
    check_defaults(&slip_fields_flanks, &run);
    check_defaults(&slip_fields_gear_simulate, &run);
}

static void print(void)
{
    for (int k = 0; table_at(k); k++) {
        slip_text rows = {0};
        write_fields(&rows, table_at(k));
        printf("%s\n%s\n", table_at(k)->section, rows.data ? rows.data : "");
        slip_text_free(&rows);
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(docs_have_the_rows),
                                       cmocka_unit_test(defaults_are_those_of_the_options)};
    if (count > 1 && strcmp(arguments[1], "print") == 0) {
        print();
        return 0;
    }
    return cmocka_run_group_tests(tests, setup, teardown);
}
