/* The folder of a result: behind a first line `gears` or `path` that of two gears or of paths, else of a run;
 * edits of result.h5 (support.h), behind a line `--- summary.json` the text of that file; what is left out is
 * sound. It is refused with a reason, or it is a result that can be looked at and saved, and comes back. A
 * label of paths is refused with a reason, or is a start of as many numbers as the model has. */
#include "support.h"

#include "model/model.h"
#include "slipstick/slipstick.h"
#include "study/statics/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char run_text[] =
    "slipstick: 1\n"
    "coordinates: [x, phi]\n"
    "mass: [[1, 0], [0, 1]]\n"
    "stiffness: [[1, 0], [0, 1]]\n"
    "forces: {x: 2*sin(t)}\n"
    "contacts:\n"
    "  table: {kind: friction, slip: phi', normal_force: 1, law: {type: coulomb, mu: 1}}\n"
    "  pad:\n"
    "    kind: patch\n"
    "    slip: {x: x' - 0.5, spin: phi'}\n"
    "    normal_force: 1\n"
    "    area: {shape: disc, radius: 1}\n"
    "    law: {type: coulomb, mu: 0.5}\n"
    "simulate: {method: event, time: [0, 3], initial: {x': 0.5}, record: {every: 1}}\n";

static const char path_text[] =
    "slipstick: 1\n"
    "parameters: {F: 0}\n"
    "coordinates: [x, y]\n"
    "stiffness: [[2, 1], [1, 2]]\n"
    "forces: {x: F, y: -1}\n"
    "contacts:\n"
    "  foot: {kind: unilateral, gap: y, slip: x', law: {type: coulomb, mu: 0.5}}\n"
    "continue: {parameter: F, range: [-3, 3]}\n";

enum { part_h5, part_summary, part_count };
static const char *const names[part_count] = {"result.h5", "summary.json"};

/* A kind of result, with its sound files. */
typedef struct base {
    const char *name;
    void (*make)(slip_context *ctx, slip_result **result);
    char *sound[part_count];
    size_t sizes[part_count];
} base;

static void make_run(slip_context *ctx, slip_result **result)
{
    slip_model *model = NULL;
    fuzz_require(slip_model_parse(ctx, run_text, "model", NULL, &model) == SLIP_OK &&
                     slip_run(ctx, model, NULL, result) == SLIP_OK,
                 "the model runs");
    slip_model_destroy(model);
}

static void make_path(slip_context *ctx, slip_result **result)
{
    slip_model *model = NULL;
    fuzz_require(slip_model_parse(ctx, path_text, "model", NULL, &model) == SLIP_OK &&
                     slip_continue(ctx, model, NULL, result) == SLIP_OK,
                 "the paths are followed");
    slip_model_destroy(model);
}

static void make_gears(slip_context *ctx, slip_result **result)
{
    slip_gear_options gears[2];
    slip_gear_run_options options = slip_gear_run_options_default();
    for (int k = 0; k < 2; k++) {
        gears[k] = slip_gear_options_default();
        gears[k].name = k ? "wheel" : "pinion";
        gears[k].teeth = 10 + k;
        gears[k].module = 0.005;
        gears[k].profile_shift = 0.5;
        gears[k].width = 0.02;
        gears[k].bore = 0.024;
        gears[k].mesh = (slip_gear_mesh_options){2, 1, 2, 2, 1, 1};
    }
    options.method = "explicit";
    options.side[0].speed = 50;
    options.penalty = 1e9;
    options.samples = 4;
    options.history = 1;
    options.threads = 1;
    options.time = 1e-5;
    fuzz_require(slip_gear_run(ctx, gears, NULL, &options, result) == SLIP_OK, "the gears run");
}

static base bases[] = {{.name = "run", .make = make_run},
                       {.name = "gears", .make = make_gears},
                       {.name = "path", .make = make_path}};
enum { base_count = sizeof bases / sizeof *bases };

static const char *file_in(const char *folder, const char *name)
{
    char both[100];
    snprintf(both, sizeof both, "%s/%s", folder, name);
    return fuzz_path(both);
}

static void make_sound(base *b)
{
    slip_context *ctx = slip_context_create();
    slip_result *result = NULL;
    b->make(ctx, &result);
    fuzz_require(slip_result_save(ctx, result, fuzz_path("run")) == SLIP_OK, "the sound folder is made");
    for (int k = 0; k < part_count; k++)
        b->sound[k] = fuzz_read(file_in("run", names[k]), &b->sizes[k]);
    slip_result_destroy(result);
    slip_context_destroy(ctx);
}

/* The text behind the line `--- NAME` up to the next such line, cut out; NULL: there is none. */
static char *take_part(char *text, const char *name)
{
    char line[40], *at, *end;
    snprintf(line, sizeof line, "--- %s\n", name);
    at = strstr(text, line);
    if (!at || (at > text && at[-1] != '\n'))
        return NULL;
    *at = 0;
    at += strlen(line);
    end = strstr(at, "--- ");
    return end ? strndup(at, (size_t)(end - at)) : strdup(at);
}

static void check_table(const slip_table *table, const slip_table *again)
{
    fuzz_require(again && again->count == table->count && again->column_count == table->column_count,
                 "as much is loaded as was saved");
    for (int k = 0; k < table->column_count; k++) {
        const slip_column *column = &table->columns[k];
        fuzz_require(
            strcmp(column->name, again->columns[k].name) == 0 &&
                memcmp(again->columns[k].values, column->values, sizeof(double) * (size_t)table->count) == 0,
            "series are loaded as they were");
        for (int64_t i = 0; column->words && i < table->count; i++)
            fuzz_require(column->values[i] >= 0 && column->values[i] < column->word_count, "words are there");
    }
}

static void check_result(slip_context *ctx, slip_result *result)
{
    slip_result *again = NULL;
    fuzz_require(slip_result_summary(ctx, result) != NULL, "a result has a summary");
    fuzz_require(slip_result_save(ctx, result, fuzz_path("again")) == SLIP_OK, "a result is saved");
    fuzz_require(slip_result_load(ctx, fuzz_path("again"), &again) == SLIP_OK, "what is saved is loaded");
    check_table(&result->main, &again->main);
    fuzz_require(again->event_count == result->event_count && again->array_count == result->array_count &&
                     again->table_count == result->table_count && again->label_count == result->label_count,
                 "as much is loaded as was saved");
    for (int k = 0; k < result->table_count; k++)
        check_table(result->tables[k], slip_result_table(again, result->tables[k]->name));
    for (int k = 0; k < result->array_count; k++)
        fuzz_touch(result->arrays[k].values, result->arrays[k].count * result->arrays[k].width);
    for (int64_t k = 0; k < result->event_count; k++)
        fuzz_require(result->events[k].contact >= 0 && result->events[k].contact < result->contact_count &&
                         again->events[k].contact == result->events[k].contact,
                     "events are loaded as they were");
    slip_result_destroy(again);
}

static void check_label(int number)
{
    enum { directions = 2 };
    slip_context *ctx = slip_context_create();
    slip_paths_start start = {0};
    if (slip_paths_load_label(ctx, fuzz_path("run"), number, directions, &start) == SLIP_OK) {
        double sum = start.value;
        fuzz_require(start.parameter != NULL, "the parameter has a name");
        for (int k = 0; k < directions; k++)
            sum += 1e-300 * start.lambda[k] + 1e-300 * start.d[k];
        fuzz_require(sum - sum == 0, "a state is finite");
    } else {
        fuzz_require(strstr(slip_context_message(ctx), fuzz_path("run")) != NULL, "an error names the file");
    }
    slip_arena_free(&start.arena);
    slip_context_destroy(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *edits = text, *summary;
    slip_context *ctx = slip_context_create();
    slip_result *result = NULL;
    base *b = &bases[0];
    for (int k = 1; k < base_count; k++) {
        const size_t length = strlen(bases[k].name);
        if (strncmp(text, bases[k].name, length) == 0 && text[length] == '\n') {
            b = &bases[k];
            edits = text + length + 1;
        }
    }
    if (!b->sound[0])
        make_sound(b);
    summary = take_part(edits, names[part_summary]);
    fuzz_write(file_in("run", names[part_summary]), summary ? summary : b->sound[part_summary],
               summary ? strlen(summary) : b->sizes[part_summary]);
    fuzz_edit_h5(b->sound[part_h5], b->sizes[part_h5], edits, file_in("run", names[part_h5]));
    if (slip_result_load(ctx, fuzz_path("run"), &result) == SLIP_OK)
        check_result(ctx, result);
    else
        fuzz_require(!result && strstr(slip_context_message(ctx), fuzz_path("run")),
                     "an error names the file");
    for (int number = 0; number < 3; number++)
        check_label(number);
    slip_result_destroy(result);
    slip_context_destroy(ctx);
    free(summary);
    free(text);
    return 0;
}
