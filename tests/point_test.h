/* Points in a plane, for tests: contacts whose slip is a vector of two. */
#ifndef SLIP_TESTS_POINT_TEST_H
#define SLIP_TESTS_POINT_TEST_H

#include "patch/patch.h"
#include "patch_run.h"

/* Friction with the coefficients mu[2] along x and y (the law has no other) and a given normal force. */
static inline void add_point(bench *b, const char *name, const char *x, const char *y, const char *normal,
                             slip_law law, const double mu[2])
{
    slip_patch_contact point = {.name = name, .mu = fmax(mu[0], mu[1])};
    const double axes[2] = {mu[0] / point.mu, mu[1] / point.mu};
    law.mu = point.mu;
    point.slip[0] = compile(b, x);
    point.slip[1] = compile(b, y);
    point.normal_force = normal ? compile(b, normal) : NULL;
    check_done(b, slip_patch_create_point(b->ctx, &law, axes, &point.law));
    if (slip_patch_describe(point.law).epsilon > 0)
        point.mu = 1;
    check_done(b, slip_system_add_patch(b->ctx, b->system, &point));
}

/* The same with a gap in place of a normal force. */
static inline void add_pressed_point(bench *b, const char *name, const char *gap, const char *x,
                                     const char *y, slip_law law, const double mu[2], double restitution,
                                     bool impact_friction)
{
    slip_patch_contact point = {.name = name,
                                .mu = fmax(mu[0], mu[1]),
                                .restitution = restitution,
                                .impact_friction = impact_friction};
    const double axes[2] = {point.mu > 0 ? mu[0] / point.mu : 1, point.mu > 0 ? mu[1] / point.mu : 1};
    law.mu = point.mu;
    point.slip[0] = compile(b, x);
    point.slip[1] = compile(b, y);
    point.gap = compile(b, gap);
    check_done(b, slip_patch_create_point(b->ctx, &law, axes, &point.law));
    if (slip_patch_describe(point.law).epsilon > 0)
        point.mu = 1;
    check_done(b, slip_system_add_patch(b->ctx, b->system, &point));
}

static inline void add_round_point(bench *b, const char *name, const char *x, const char *y,
                                   const char *normal, double mu, double static_ratio)
{
    add_point(b, name, x, y, normal, coulomb(mu, static_ratio), (const double[2]){mu, mu});
}

static inline patch_outcome point_run(bench *b, const char *method, double accuracy, const double *q,
                                      const double *v, double end)
{
    slip_method_options options = {.theta = NAN};
    if (strcmp(method, "event") == 0 || strcmp(method, "smooth") == 0)
        options.tolerance = accuracy;
    else
        options.step = accuracy;
    if (!b->system->finished)
        check_done(b, slip_system_finish(b->ctx, b->system));
    return patch_run(b->ctx, b->system, method, options, q, v, end);
}

#endif
