/* The model reader on arbitrary bytes: it must accept or refuse, say why, and what it accepts must survive
 * being described, written and read again. */
#include "support.h"

#include "model/model.h"
#include "model/tree.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void check_accepted(slip_context *ctx, slip_model *model)
{
    slip_text first = {0}, second = {0};
    slip_model *again = NULL;
    /* two gears that only stand in one file need not mesh: they have no run, and no method */
    const bool pair = slip_model_gear_count(model) == 2, runs = slip_tree_find(model->document, "simulate") ||
                                                                slip_tree_find(model->document, "flanks");
    const char *method = !pair ? "smooth" : runs ? slip_model_gear_method(model) : NULL;
    fuzz_require(slip_model_describe(ctx, model) != NULL, "a model is described");
    fuzz_require(slip_model_write(ctx, model, method, &first) == SLIP_OK, "a model is written");
    fuzz_require(slip_model_parse(ctx, first.data, "again", NULL, &again) == SLIP_OK,
                 "what is written is read");
    fuzz_require(slip_model_write(ctx, again, method, &second) == SLIP_OK, "it is written again");
    fuzz_require(strcmp(first.data, second.data) == 0, "both texts are the same");
    slip_model_destroy(again);
    slip_text_free(&first);
    slip_text_free(&second);
}

/* Bound to its own values a model says the same; other values are taken, or refused with a reason. */
static void check_bound(slip_context *ctx, const slip_model *model)
{
    slip_text first = {0}, second = {0};
    slip_model *bound = NULL;
    fuzz_require(slip_model_bind(ctx, model, NULL, &bound) == SLIP_OK, "a model is bound to its own values");
    fuzz_require(slip_model_write(ctx, model, NULL, &first) == SLIP_OK &&
                     slip_model_write(ctx, bound, NULL, &second) == SLIP_OK,
                 "both are written");
    fuzz_require(strcmp(first.data, second.data) == 0, "both texts are the same");
    slip_model_destroy(bound);
    for (int64_t i = 0; i < model->parameter_count && i < 3; i++) {
        const int status = slip_model_bind_one(ctx, model, model->parameters[i].name,
                                               1 - model->parameters[i].value, &bound);
        fuzz_require(status == SLIP_OK ? bound != NULL : !bound && slip_context_message(ctx)[0],
                     "other values are taken, or refused with a reason");
        slip_model_destroy(bound);
    }
    slip_text_free(&first);
    slip_text_free(&second);
}

/* Behind a line of its own, `--set`, the input goes on with settings, one a line. */
static const char *const *split_settings(char *text, const char **settings, int capacity)
{
    char *line = strstr(text, "\n--set\n");
    int count = 0;
    if (!line)
        return NULL;
    *line = 0;
    line += strlen("\n--set\n");
    while (*line && count < capacity - 1) {
        settings[count++] = line;
        line += strcspn(line, "\n");
        if (*line)
            *line++ = 0;
    }
    settings[count] = NULL;
    return settings;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *settings[16];
    char *text = fuzz_text(data, size);
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    fuzz_require(ctx != NULL, "memory");
    if (slip_model_parse(ctx, text, "fuzz", split_settings(text, settings, 16), &model) == SLIP_OK) {
        check_accepted(ctx, model);
        check_bound(ctx, model);
    } else
        fuzz_require(!model && slip_context_message(ctx)[0], "an error says something");
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    free(text);
    return 0;
}
