/* Bodies for tests: blocks, and expressions in x, y and the parameters. */
#ifndef SLIP_TESTS_PLANE_TEST_H
#define SLIP_TESTS_PLANE_TEST_H

#include "fem/block.h"
#include "fem/plane/plane.h"
#include "test.h"

#include <string.h>

enum { plane_parameters_max = 8 };

/* An expression in x, y and the given parameters (NULL ends the list). */
static inline slip_expression *plane_expression(const char *text, const char *const *parameters)
{
    slip_symbol symbols[plane_parameters_max + 3] = {{"x", slip_plane_slot_x, 0, NULL, 0},
                                                     {"y", slip_plane_slot_y, 0, NULL, 0}};
    slip_expression *expression = NULL;
    slip_expression_error error;
    int count = 2;
    for (int i = 0; parameters && parameters[i]; i++)
        symbols[count++] = (slip_symbol){parameters[i], slip_plane_slot_parameter + i, 0, NULL, 0};
    symbols[count] = (slip_symbol){NULL, 0, 0, NULL, 0};
    if (slip_expression_compile(text, symbols, &expression, &error) < 0) {
        print_error("%s: %s\n", text, error.message);
        fail();
    }
    return expression;
}

static inline slip_mesh *plane_block_of(slip_context *ctx, const slip_cell *cell, double x0, double x1,
                                        double y0, double y1, int columns, int rows)
{
    double range[4] = {x0, x1, y0, y1};
    slip_mesh *mesh = NULL;
    assert_int_equal(slip_block_create(ctx, cell, columns, rows, slip_block_rectangle, range, &mesh),
                     SLIP_OK);
    return mesh;
}

static inline slip_mesh *plane_block(slip_context *ctx, double x0, double x1, double y0, double y1,
                                     int columns, int rows)
{
    return plane_block_of(ctx, &slip_cell_quad4, x0, x1, y0, y1, columns, rows);
}

/* Fails the test with the context's message. */
static inline void plane_ok(slip_context *ctx, int status)
{
    if (status < 0)
        print_error("%s\n", slip_context_message(ctx));
    assert_true(status >= 0);
}

/* The message of a failure contains the text. */
static inline void plane_refused(slip_context *ctx, int status, const char *text)
{
    if (status >= 0 || !strstr(slip_context_message(ctx), text))
        print_error("status %d, message: %s\nexpected: %s\n", status, slip_context_message(ctx), text);
    assert_true(status < 0);
    assert_non_null(strstr(slip_context_message(ctx), text));
}

#endif
