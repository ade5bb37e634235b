/* Systems in a few lines, and runs of the fixed-step methods on them. */
#ifndef SLIP_TESTS_FIXED_TEST_H
#define SLIP_TESTS_FIXED_TEST_H

#include "method/fixed.h"
#include "method/types.h"
#include "test.h"

#include <string.h>

/* ---- A system in a few lines. */

typedef struct bench {
    slip_context *ctx;
    slip_arena arena;
    slip_system *system;
    const slip_symbol *symbols;
} bench;

static inline bench build(int n, const char *const *names)
{
    bench b = {.ctx = slip_context_create()};
    assert_int_equal(slip_system_create(b.ctx, n, names, &b.system), SLIP_OK);
    b.symbols = slip_system_symbols(&b.arena, n, names, NULL);
    for (int i = 0; i < n; i++)
        b.system->mass[i * n + i] = 1;
    return b;
}

static inline slip_expression *compile(bench *b, const char *text)
{
    slip_expression *expression = NULL;
    slip_expression_error error;
    if (!text)
        return NULL;
    assert_int_equal(slip_expression_compile(text, b->symbols, &expression, &error), SLIP_OK);
    return expression;
}

static inline void add_force(bench *b, int coordinate, const char *text)
{
    assert_int_equal(slip_system_add_force(b->ctx, b->system, coordinate, compile(b, text)), SLIP_OK);
}

static inline slip_law coulomb(double mu, double static_ratio)
{
    slip_law law = slip_law_default("coulomb");
    law.mu = mu;
    law.static_ratio = static_ratio;
    return law;
}

static inline void add_friction(bench *b, const char *name, const char *slip, const char *normal,
                                slip_law law)
{
    assert_int_equal(
        slip_system_add_friction(b->ctx, b->system, name, compile(b, slip), compile(b, normal), &law),
        SLIP_OK);
}

static inline void add_stop(bench *b, const char *name, const char *gap, const char *slip, double mu,
                            double e, bool impact_friction)
{
    slip_law law = coulomb(mu, 1);
    slip_unilateral contact = {.name = name,
                               .gap = compile(b, gap),
                               .slip = compile(b, slip),
                               .law = slip ? &law : NULL,
                               .restitution = e,
                               .impact_friction = impact_friction};
    assert_int_equal(slip_system_add_unilateral(b->ctx, b->system, &contact), SLIP_OK);
}

static inline void clear(bench *b)
{
    slip_system_destroy(b->system);
    slip_arena_free(&b->arena);
    slip_context_destroy(b->ctx);
}

enum { most = 12 };
typedef struct outcome {
    double t, q[most], v[most];
    slip_method_counters counters;
    int status;
} outcome;

typedef struct settings {
    const char *method;
    double step, theta;
} settings;

static inline outcome run(bench *b, settings s, const double *q, const double *v, double end,
                          const slip_observer *observer)
{
    outcome o = {0};
    void *self = NULL;
    slip_observer none = {0};
    slip_method_options options = {
        .tolerance = 1e-8, .step = s.step, .span = end, .theta = s.theta > 0 ? s.theta : NAN};
    const slip_method_type *type = slip_method_find(s.method);
    assert_int_equal(slip_system_finish(b->ctx, b->system), SLIP_OK);
    o.status = type->open(b->ctx, b->system, &options, 0, q, v, &self);
    if (o.status != SLIP_OK)
        return o;
    o.status = type->advance(self, end, observer ? observer : &none);
    type->state(self, &o.t, o.q, o.v);
    type->counters(self, &o.counters);
    type->close(self);
    return o;
}

#endif
