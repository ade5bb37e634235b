/* Patches by the method moreau. */
#include "belt_disc.h"
#include "model/model.h"
#include "patch_run.h"

#include <time.h>

static patch_outcome run_moreau(bench *b, double step, const double *q, const double *v, double end)
{
    if (!b->system->finished)
        check_done(b, slip_system_finish(b->ctx, b->system));
    return patch_run(b->ctx, b->system, "moreau", (slip_method_options){.step = step, .theta = NAN}, q, v,
                     end);
}

static void test_converges_to_event(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_contact_options pad = belt_patch(0, 4.98);
    slip_model *model = belt_model(ctx, &pad);
    const double q[2] = {15, 0}, v[2] = {0.15, 0}, end = 7;
    patch_outcome exact;
    (void)state;
    belt_check(ctx, slip_model_finish(ctx, model));
    exact = patch_run(ctx, model->system, "event", (slip_method_options){.tolerance = 1e-10}, q, v, end);
    for (double h = 8e-3; h > 0.9e-3; h /= 2) {
        patch_outcome o = patch_run(ctx, model->system, "moreau",
                                    (slip_method_options){.step = h, .theta = NAN}, q, v, end);
        double error = hypot(o.q[0] - exact.q[0], o.q[1] - exact.q[1]);
        assert_true(error < 2 * h);
        assert_int_equal(o.w->count, exact.w->count);
        for (int k = 0; k < o.w->count; k++)
            assert_close(o.w->events[k].time, exact.w->events[k].time, 4 * h);
        assert_true(o.counters.residual < 1e-10);
        patch_finish(&o);
    }
    patch_finish(&exact);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

/* One direction: Coulomb's law, as a contact of kind friction has it. */
static void test_one_direction_is_coulomb(void **state)
{
    static const char *const names[] = {"x", "y"};
    const double q[2] = {0.3, 0}, v[2] = {0.2, 0.1};
    (void)state;
    for (int k = 0; k < 2; k++) {
        slip_patch_options area = slip_patch_options_default();
        bench b[2] = {build(2, names), build(2, names)};
        patch_outcome o[2];
        area.static_ratio = k == 0 ? 1 : 1.4;
        for (int which = 0; which < 2; which++) {
            b[which].system->stiffness[0] = 1;
            b[which].system->stiffness[3] = 2;
            b[which].system->stiffness[1] = b[which].system->stiffness[2] = -0.5;
            add_force(&b[which], 1, "0.6*sin(0.7*t)");
        }
        add_patch(&b[0], "pad", "x' - 0.2", NULL, NULL, "1 + 0.2*cos(t)", 0.3, &area);
        add_friction(&b[1], "pad", "x' - 0.2", "1 + 0.2*cos(t)", coulomb(0.3, area.static_ratio));
        for (int which = 0; which < 2; which++)
            o[which] = run_moreau(&b[which], 1e-2, q, v, 60);
        assert_true(o[1].w->count > 10);
        assert_int_equal(o[0].w->count, o[1].w->count);
        for (int e = 0; e < o[1].w->count; e++)
            assert_true(o[0].w->events[e].time == o[1].w->events[e].time);
        assert_close(o[0].q[0], o[1].q[0], 1e-11);
        assert_close(o[0].q[1], o[1].q[1], 1e-11);
        for (int which = 0; which < 2; which++) {
            patch_finish(&o[which]);
            clear(&b[which]);
        }
    }
}

/* A body that slides and spins: it stops altogether, in one step, where the event method says; smooth laws
 * and surfaces of all kinds. */
static void test_comes_to_rest(void **state)
{
    static const char *const names[] = {"x", "y", "phi"};
    const double q[3] = {0, 0, 0}, v[3] = {1, 0.3, 2};
    (void)state;
    for (int k = 0; k < 4; k++) {
        slip_patch_options area = slip_patch_options_default();
        bench b = build(3, names);
        patch_outcome o, exact;
        area.surface = k < 2 ? "pade" : "integral";
        area.order[0] = area.order[1] = k == 1;
        area.table_tolerance = k < 2 ? 0 : 1e-9;
        if (k == 3) {
            area.epsilon = 1e-4;
            area.static_ratio = 1.2;
        }
        b.system->mass[8] = 0.6;
        add_patch(&b, "foot", "x'", "y'", "phi'", NULL, 0.5, &area);
        o = run_moreau(&b, 1e-3, q, v, 8);
        exact = patch_run(b.ctx, b.system, k == 3 ? "smooth" : "event",
                          (slip_method_options){.tolerance = 1e-9}, q, v, 8);
        for (int i = 0; i < 3; i++) {
            assert_close(o.q[i], exact.q[i], 3e-3);
            if (k < 3)
                assert_true(o.v[i] == 0);
        }
        assert_close(o.w->residual, 0, 1e-9);
        assert_true(o.w->power <= 1e-30); /* of a smooth law at rest rounding is left */
        if (k < 3) {
            assert_int_equal(o.w->count, 1);
            assert_close(o.w->events[0].time, exact.w->events[0].time, 3e-3);
        }
        patch_finish(&o);
        patch_finish(&exact);
        clear(&b);
    }
}

static int pass_step(void *user, const slip_step *step)
{
    (void)user, (void)step;
    return SLIP_OK;
}

static int pass_event(void *user, const slip_event *event)
{
    (void)user, (void)event;
    return SLIP_OK;
}

/* Processor time of 12000 steps: slip, then rest under a load that is held. */
static double seconds_of(const char *surface, int order, const char *shape)
{
    static const char *const names[] = {"x", "y", "phi"};
    const double q[3] = {0, 0, 0}, v[3] = {1, 0.3, 2};
    slip_patch_options area = slip_patch_options_default();
    bench b = build(3, names);
    const slip_method_type *type = slip_method_find("moreau");
    const slip_method_options options = {.step = 1e-3, .theta = NAN, .span = 12};
    const slip_observer observer = {.step = pass_step, .event = pass_event};
    void *self = NULL;
    clock_t start;
    double t, end_q[3], end_v[3], seconds;
    area.surface = surface;
    area.order[0] = area.order[1] = order;
    area.shape = shape;
    area.sides[0] = 2;
    area.sides[1] = 1;
    area.inner = 0.9;
    area.outer = 1;
    area.pressure = strcmp(shape, "rectangle") == 0 ? "linear" : "uniform";
    area.linear[0] = area.linear[1] = strcmp(shape, "rectangle") == 0 ? 0.3 : 0;
    area.table_tolerance = strcmp(surface, "integral") == 0 ? 1e-4 : 0;
    add_patch(&b, "foot", "x'", "y'", "phi'", NULL, 0.5, &area);
    add_force(&b, 0, "0.1");
    add_force(&b, 2, "0.05*sin(t)");
    check_done(&b, slip_system_finish(b.ctx, b.system));
    start = clock();
    check_done(&b, type->open(b.ctx, b.system, &options, 0, q, v, &self));
    check_done(&b, type->advance(self, 12, &observer));
    seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    type->state(self, &t, end_q, end_v);
    assert_true(end_v[0] == 0 && end_v[2] == 0);
    type->close(self);
    clear(&b);
    return seconds;
}

/* A step costs some evaluations of the surface, never integrals over the area. */
static void test_steps_are_cheap(void **state)
{
    static const struct {
        const char *surface, *shape;
        int order;
    } cases[] = {{"pade", "rectangle", 1}, {"integral", "annulus", 0}, {"integral", "rectangle", 0}};
    const double closed_form = seconds_of("pade", 0, "disc");
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double ratio = seconds_of(cases[k].surface, cases[k].order, cases[k].shape) / closed_form;
        print_message("%s of a %s: %.1f times the closed form of a disc\n", cases[k].surface, cases[k].shape,
                      ratio);
        assert_true(ratio < 15);
    }
}

/* Two patches and a stop share one body. */
static bench crowd(void)
{
    static const char *const names[] = {"x", "phi", "y"};
    slip_patch_options area = slip_patch_options_default();
    slip_law law = coulomb(0.2, 1);
    bench b = build(3, names);
    b.system->mass[4] = 0.5;
    b.system->stiffness[0] = 4;
    b.system->stiffness[4] = 3;
    b.system->stiffness[1] = b.system->stiffness[3] = 0.7;
    b.system->stiffness[8] = 1;
    b.system->stiffness[2] = b.system->stiffness[6] = -0.4;
    add_force(&b, 0, "1.5*sin(1.3*t)");
    add_force(&b, 1, "0.8*cos(0.9*t)");
    area.radius = 0.7;
    area.static_ratio = 1.3;
    add_patch(&b, "left", "x' - 0.1", NULL, "phi'", NULL, 0.4, &area);
    area.radius = 0.4;
    area.shape = "rectangle";
    area.sides[0] = 1;
    area.sides[1] = 0.6;
    add_patch(&b, "right", "x' + 0.3*y'", "y'", "phi' - 0.2", "0.5", 0.5, &area);
    add_unilateral(&b, "stop", "0.25 - x", NULL, NULL, 0.5, false);
    add_friction(&b, "rail", "y' - 0.05", "0.3", law);
    return b;
}

static void test_crowd(void **state)
{
    const double q[3] = {0, 0.1, 0}, v[3] = {0.1, 0, 0.05}, end = 12;
    bench b = crowd();
    patch_outcome exact, o;
    double before = INFINITY;
    (void)state;
    exact = patch_run_event(&b, 1e-9, q, v, end);
    assert_close(exact.w->residual, 0, 1e-7);
    assert_true(exact.w->power <= 0);
    assert_true(exact.w->count > 6);
    for (double h = 2e-3; h > 0.4e-3; h /= 2) {
        double error = 0;
        o = run_moreau(&b, h, q, v, end);
        for (int i = 0; i < 3; i++)
            error = fmax(error, fabs(o.q[i] - exact.q[i]));
        assert_true(error < before);
        before = error;
        patch_finish(&o);
    }
    assert_true(before < 2e-3);
    patch_finish(&exact);
    clear(&b);
}

/* The ground also moves sideways, which the body on its guide cannot follow: the patch always slips. Its
 * first order in the step is compared with the exact motion. */
static void test_slip_that_is_given(void **state)
{
    static const char *const names[] = {"x", "phi"};
    const double q[2] = {0.5, 0.1}, v[2] = {0, 0.4}, end = 10;
    slip_patch_options area = slip_patch_options_default();
    bench b = build(2, names);
    patch_outcome exact;
    double before = INFINITY;
    (void)state;
    b.system->mass[3] = 0.5;
    b.system->stiffness[0] = 2;
    b.system->stiffness[3] = 1;
    add_force(&b, 0, "0.8*sin(1.3*t)");
    area.static_ratio = 1.4;
    add_patch(&b, "pad", "x'", "0.05 + 0.01*sin(t)", "phi'", NULL, 0.4, &area);
    exact = patch_run_event(&b, 1e-10, q, v, end);
    assert_int_equal(exact.w->count, 0);
    for (double h = 8e-3; h > 0.9e-3; h /= 2) {
        patch_outcome o = run_moreau(&b, h, q, v, end);
        double error = hypot(o.q[0] - exact.q[0], o.q[1] - exact.q[1]);
        assert_true(error < 0.7 * before);
        assert_int_equal(o.w->count, 0);
        assert_true(o.w->residual < 1e-9);
        before = error;
        patch_finish(&o);
    }
    assert_true(before < 1e-3);
    patch_finish(&exact);
    clear(&b);
}

/* The other method with fixed steps that takes patches. */
static void test_midpoint_stabilised(void **state)
{
    const double q[3] = {0, 0.1, 0}, v[3] = {0.1, 0, 0.05}, end = 3;
    bench b = crowd();
    patch_outcome exact = patch_run_event(&b, 1e-9, q, v, end);
    (void)state;
    for (double h = 2e-3; h > 0.4e-3; h /= 2) {
        double error = 0;
        patch_outcome o = patch_run(b.ctx, b.system, "midpoint_stabilised",
                                    (slip_method_options){.step = h, .theta = NAN}, q, v, end);
        for (int i = 0; i < 3; i++)
            error = fmax(error, fabs(o.q[i] - exact.q[i]));
        assert_true(error < 0.05 * h); /* how much depends on where in a step the switches fall */
        patch_finish(&o);
    }
    patch_finish(&exact);
    clear(&b);
}

/* ---- Order. */

/* The largest error in displacement and velocity, against the event method. */
static double error_of(bench *b, const char *method, double theta, double h, const double *q, const double *v,
                       double end, const patch_outcome *exact)
{
    patch_outcome o =
        patch_run(b->ctx, b->system, method, (slip_method_options){.step = h, .theta = theta}, q, v, end);
    double error = 0;
    assert_int_equal(o.w->count, 0);
    for (int i = 0; i < b->system->n; i++)
        error = fmax(error, fmax(fabs(o.q[i] - exact->q[i]), fabs(o.v[i] - exact->v[i])));
    patch_finish(&o);
    return error;
}

/* Sliding with spin, without any event: order 2 by both methods, in displacement and velocity; 1 with theta =
 * 1. Approximations, integrals over areas whose origin is elsewhere, smooth laws, springs, a belt whose speed
 * changes, a normal force that does, slip velocities that are given, two feet of one body, two bodies. */
static void test_order(void **state)
{
    static const char *const names[] = {"x", "y", "phi", "z"};
    static const double corners[] = {2, 1, 3.2, 1, 3, 2, 2, 1.8};
    const double q[4] = {0, 0.1, 0, 0}, v[4] = {1, -0.6, 1.4, 0.7}, end = 0.4;
    (void)state;
    for (int k = 0; k < 8; k++) {
        slip_patch_options area = slip_patch_options_default();
        bench b = build(4, names);
        patch_outcome exact;
        area.surface = k % 2 ? "integral" : "pade";
        if (k == 2)
            area.order[0] = area.order[1] = 1;
        if (k == 3) {
            area.shape = "polygon";
            area.points = corners;
            area.point_count = 4;
        }
        if (k == 5 || k == 6) {
            area.epsilon = 1e-3;
            area.static_ratio = 1.3;
        }
        for (int i = 0; i < 4; i++)
            b.system->stiffness[5 * i] = 2;
        b.system->mass[10] = 0.4;
        add_force(&b, 0, "0.3*sin(2*t)");
        add_patch(&b, "foot", k == 4 ? "x' - 0.2*cos(3*t)" : "x'", k == 7 ? "0.3 + t" : "y'", "phi'",
                  k < 4 ? NULL : "1 + 0.3*sin(2*t) + 0.1*x", 0.5, &area);
        if (k == 0 || k == 6) /* another foot: of the same body, by one rigid motion, or of two bodies */
            add_patch(&b, "heel", k == 0 ? "x' - 0.4*phi'" : "x' - z'", "y' + 0.3*phi'", "phi'", NULL, 0.3,
                      &area);
        exact = patch_run_event(&b, 1e-12, q, v, end);
        assert_int_equal(exact.w->count, 0);
        for (int m = 0; m < 3; m++) {
            const char *method = m == 1 ? "midpoint_stabilised" : "moreau";
            const double theta = m == 2 ? 1 : NAN, wanted = m == 2 ? 1 : 2;
            double before = error_of(&b, method, theta, 4e-3, q, v, end, &exact);
            for (double h = 2e-3; h > 0.9e-3; h /= 2) {
                double error = error_of(&b, method, theta, h, q, v, end, &exact);
                if (fabs(log2(before / error) - wanted) > 0.1)
                    print_error("case %d, %s, h %g: error %g, order %g\n", k, method, h, error,
                                log2(before / error));
                assert_close(log2(before / error), wanted, 0.1);
                before = error;
            }
            assert_true(m == 2 || before < 1e-6);
        }
        patch_finish(&exact);
        clear(&b);
    }
}

/* Friction takes power in every step, and slip that gets slow under strong friction does not alternate: the
 * direction of a body that is pushed across a belt follows the load without overshoot. */
static void test_slow_slip_does_not_alternate(void **state)
{
    static const char *const names[] = {"x", "y", "phi"};
    const double q[3] = {0, 0, 0}, v[3] = {1e-3, -4e-4, 3e-4}, h = 1e-2;
    slip_patch_options area = slip_patch_options_default();
    (void)state;
    for (int k = 0; k < 2; k++) {
        bench b = build(3, names);
        patch_outcome o;
        area.epsilon = k == 0 ? 0 : 1e-5;
        add_force(&b, 0, k == 0 ? "1.001" : "0.6");
        add_force(&b, 1, "0.3*t");
        add_patch(&b, "foot", "x'", "y'", "phi'", NULL, 1, &area);
        check_done(&b, slip_system_finish(b.ctx, b.system));
        for (double before = INFINITY, t = h; t < 0.5; t += h) {
            o = run_moreau(&b, h, q, v, t);
            assert_true(o.w->power <= 1e-15);
            assert_true(fabs(o.v[2]) <= before + 1e-15 && o.v[2] >= -1e-15); /* spin dies out, on one side */
            before = fabs(o.v[2]);
            patch_finish(&o);
        }
        clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_converges_to_event),
        cmocka_unit_test(test_one_direction_is_coulomb),
        cmocka_unit_test(test_comes_to_rest),
        cmocka_unit_test(test_steps_are_cheap),
        cmocka_unit_test(test_crowd),
        cmocka_unit_test(test_slip_that_is_given),
        cmocka_unit_test(test_midpoint_stabilised),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_slow_slip_does_not_alternate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
