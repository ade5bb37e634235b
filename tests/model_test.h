/* What the tests of model files share: reading a text that must be a model, one that must not, and writing.
 */
#ifndef SLIP_TESTS_MODEL_TEST_H
#define SLIP_TESTS_MODEL_TEST_H

#include "model/model.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define HEAD "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\n"
#define HEAD2 "slipstick: 1\nparameters: {k: 2, c: 0}\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\n"
#define PAD HEAD "contacts:\n  pad:\n    kind: friction\n"
#define LAW(text) PAD "    slip: x'\n    law: " text "\n"
#define SIMULATE(text) HEAD "simulate:\n  " text "\n"

static slip_context *ctx;

static inline int setup(void **state)
{
    (void)state;
    ctx = slip_context_create();
    return ctx ? 0 : -1;
}

static inline int teardown(void **state)
{
    (void)state;
    slip_context_destroy(ctx);
    return 0;
}

/* ---- helpers ---- */

static inline slip_model *parse_with(const char *text, const char *const *settings)
{
    slip_model *model;
    if (slip_model_parse(ctx, text, "m.yaml", settings, &model) < 0) {
        print_error("%s\n%s\n", text, slip_context_message(ctx));
        fail();
    }
    assert_non_null(model);
    return model;
}

static inline slip_model *parse(const char *text)
{
    return parse_with(text, NULL);
}

static inline void expect_message(const char *text, const char *part)
{
    if (strstr(slip_context_message(ctx), part))
        return;
    print_error("for:\n%.400s\nfound:\n%s\nexpected:\n%s\n", text, slip_context_message(ctx), part);
    fail();
}

static inline void refuse_with(const char *text, const char *const *settings, const char *part)
{
    slip_model *model = (slip_model *)&model;
    int status = slip_model_parse(ctx, text, "m.yaml", settings, &model);
    if (status != SLIP_ERROR_MODEL) {
        print_error("accepted (%d): %.400s\nexpected: %s\n", status, text, part);
        fail();
    }
    assert_null(model);
    expect_message(text, part);
}

static inline int line_count(const char *text)
{
    int count = 1;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

typedef struct refusal {
    const char *text;
    const char *message; /* one whole line of the message, or its beginning */
} refusal;

/* Each text has one thing wrong, and exactly one line says so. */
static inline void refuse_each(const refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        refuse_with(refusals[i].text, NULL, refusals[i].message);
        if (line_count(slip_context_message(ctx)) != 1) {
            print_error("more than one line:\n%s\n", slip_context_message(ctx));
            fail();
        }
    }
}
#define REFUSE_EACH(table) refuse_each(table, sizeof table / sizeof *table)

static inline char *path_of(const char *name)
{
    static char path[1000];
    snprintf(path, sizeof path, "%s/tests/models/%s", SLIPSTICK_SOURCE_DIR, name);
    return path;
}

/* Written, read and written again: the same text (a model that was built in C takes one round to become a
 * document), and the same model as far as a description tells. */
static inline void expect_fixed_point(slip_model *model, const char *method)
{
    slip_text first = {0}, second = {0}, third = {0};
    slip_model *again, *more;
    assert_int_equal(slip_model_write(ctx, model, method, &first), SLIP_OK);
    again = parse(first.data);
    assert_int_equal(slip_model_write(ctx, again, method, &second), SLIP_OK);
    more = parse(second.data);
    assert_int_equal(slip_model_write(ctx, more, method, &third), SLIP_OK);
    assert_string_equal(second.data, third.data);
    if (model->document)
        assert_string_equal(first.data, second.data);
    if (!method || (model->simulate.method && strcmp(method, model->simulate.method) == 0)) {
        char *described = strdup(slip_model_describe(ctx, model));
        assert_string_equal(described, slip_model_describe(ctx, again));
        free(described);
    }
    slip_model_destroy(again);
    slip_model_destroy(more);
    slip_text_free(&first);
    slip_text_free(&second);
    slip_text_free(&third);
}

#endif
