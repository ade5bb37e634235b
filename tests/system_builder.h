/* A system in a few lines, for tests of methods. */
#ifndef SLIP_TESTS_SYSTEM_BUILDER_H
#define SLIP_TESTS_SYSTEM_BUILDER_H

#include "method/method.h"
#include "test.h"

#include <string.h>

typedef struct bench {
    slip_context *ctx;
    slip_arena arena;
    slip_system *system;
    const slip_symbol *symbols;
} bench;

/* Unit mass, nothing else. */
static inline bench build(int n, const char *const *names)
{
    bench b = {.ctx = slip_context_create()};
    assert_int_equal(slip_system_create(b.ctx, n, 0, names, &b.system), SLIP_OK);
    b.symbols = slip_system_symbols(&b.arena, n, 0, names, NULL, NULL);
    for (int i = 0; i < n; i++)
        b.system->mass[i * n + i] = 1;
    return b;
}

static inline void clear(bench *b)
{
    slip_system_destroy(b->system);
    slip_arena_free(&b->arena);
    slip_context_destroy(b->ctx);
}

static inline slip_expression *compile(bench *b, const char *text)
{
    slip_expression *expression = NULL;
    slip_expression_error error;
    int status = slip_expression_compile(text, b->symbols, &expression, &error);
    if (status != SLIP_OK)
        print_error("%s: %s\n", text, error.message);
    assert_int_equal(status, SLIP_OK);
    return expression;
}

static inline void check_done(bench *b, int status)
{
    if (status != SLIP_OK)
        print_error("%s\n", slip_context_message(b->ctx));
    assert_int_equal(status, SLIP_OK);
}

static inline void add_force(bench *b, int coordinate, const char *text)
{
    check_done(b, slip_system_add_force(b->ctx, b->system, coordinate, compile(b, text)));
}

static inline void add_friction(bench *b, const char *name, const char *slip, const char *normal,
                                slip_law law)
{
    check_done(b, slip_system_add_friction(b->ctx, b->system, name, compile(b, slip),
                                           normal ? compile(b, normal) : NULL, &law));
}

/* slip and law may be NULL. */
static inline void add_unilateral(bench *b, const char *name, const char *gap, const char *slip,
                                  const slip_law *law, double restitution, bool impact_friction)
{
    slip_unilateral contact = {.name = name,
                               .gap = compile(b, gap),
                               .slip = slip ? compile(b, slip) : NULL,
                               .law = law,
                               .restitution = restitution,
                               .impact_friction = impact_friction};
    check_done(b, slip_system_add_unilateral(b->ctx, b->system, &contact));
}

static inline slip_law coulomb(double mu, double static_ratio)
{
    slip_law law = slip_law_default("coulomb");
    law.mu = mu;
    law.static_ratio = static_ratio;
    return law;
}

#endif
