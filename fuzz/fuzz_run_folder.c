/* A run folder: edits of result.h5 (support.h), behind a line `--- events.csv` the text of that file, behind
 * one
 * `--- summary.json` that of the other; what is left out is sound. It is refused with a reason, or it is a
 * result that can be looked at and saved, and comes back. */
#include "support.h"

#include "result/result.h"
#include "slipstick/slipstick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char model_text[] =
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

enum { part_h5, part_events, part_summary, part_count };
static const char *const names[part_count] = {"result.h5", "events.csv", "summary.json"};
static char *sound[part_count];
static size_t sizes[part_count];

static const char *file_in(const char *folder, const char *name)
{
    char both[100];
    snprintf(both, sizeof both, "%s/%s", folder, name);
    return fuzz_path(both);
}

static void make_sound(void)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    slip_result *result = NULL;
    const slip_run_options options = slip_run_options_default();
    fuzz_require(slip_model_parse(ctx, model_text, "model", NULL, &model) == SLIP_OK &&
                     slip_run(ctx, model, &options, &result) == SLIP_OK &&
                     slip_result_save(ctx, result, fuzz_path("run")) == SLIP_OK,
                 "the sound folder is made");
    for (int k = 0; k < part_count; k++)
        sound[k] = fuzz_read(file_in("run", names[k]), &sizes[k]);
    slip_result_destroy(result);
    slip_model_destroy(model);
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

static void write_part(int part, const char *text)
{
    fuzz_write(file_in("run", names[part]), text ? text : sound[part], text ? strlen(text) : sizes[part]);
}

static void check_result(slip_context *ctx, slip_result *result)
{
    slip_result *again = NULL;
    fuzz_require(slip_result_summary(ctx, result) != NULL, "a result has a summary");
    fuzz_require(slip_result_save(ctx, result, fuzz_path("again")) == SLIP_OK, "a result is saved");
    fuzz_require(slip_result_load(ctx, fuzz_path("again"), &again) == SLIP_OK, "what is saved is loaded");
    fuzz_require(again->count == result->count && again->event_count == result->event_count &&
                     again->series_count == result->series_count,
                 "as much is loaded as was saved");
    for (int k = 0; k < result->series_count; k++)
        fuzz_require(memcmp(again->series[k], result->series[k], sizeof(double) * (size_t)result->count) == 0,
                     "series are loaded as they were");
    for (int64_t k = 0; k < result->event_count; k++)
        fuzz_require(result->events[k].contact >= 0 && result->events[k].contact < result->contact_count &&
                         again->events[k].contact == result->events[k].contact,
                     "events are loaded as they were");
    slip_result_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *events, *summary;
    slip_context *ctx = slip_context_create();
    slip_result *result = NULL;
    if (!sound[0])
        make_sound();
    summary = take_part(text, names[part_summary]);
    events = take_part(text, names[part_events]);
    write_part(part_events, events);
    write_part(part_summary, summary);
    fuzz_edit_h5(sound[part_h5], sizes[part_h5], text, file_in("run", names[part_h5]));
    if (slip_result_load(ctx, fuzz_path("run"), &result) == SLIP_OK)
        check_result(ctx, result);
    else
        fuzz_require(!result && strstr(slip_context_message(ctx), fuzz_path("run")),
                     "an error names the file");
    slip_result_destroy(result);
    slip_context_destroy(ctx);
    free(events);
    free(summary);
    free(text);
    return 0;
}
