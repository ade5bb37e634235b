/* Examples by the event method against closed forms and against themselves at other tolerances, with the
 * judge over every sample of every step. */
#include "model/model.h"
#include "run_system.h"
#include "slipstick/slipstick.h"

static const double pi = 3.14159265358979323846;
static const char *const kinds[] = {"rk", "exact"};

/* Five equal blocks on a belt, springs to the wall and between neighbours, released together from rest on the
 * belt: they move as one block, in closed form, until they come apart, which by symmetry of their loads they
 * never do. */
static void chain_of_equal_blocks_moves_as_one(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    const double q[5] = {0}, v[5] = {0.1, 0.1, 0.1, 0.1, 0.1};
    (void)state;
    for (int k = 0; k < 2; k++) {
        bench b = build(5, names);
        run_outcome o;
        double arc = 2 * (pi - atan(0.2 / 0.1)), period = arc + 4;
        for (int i = 0; i < 5; i++) {
            char slip[20];
            snprintf(slip, sizeof slip, "%s' - 0.1", names[i]);
            b.system->stiffness[i * 5 + i] = 1;
            add_friction(&b, names[i], slip, NULL, coulomb(0.4, 1.5));
        }
        for (int i = 0; i < 4; i++) { /* springs of stiffness 2 between neighbours */
            b.system->stiffness[i * 5 + i] += 2;
            b.system->stiffness[(i + 1) * 5 + i + 1] += 2;
            b.system->stiffness[i * 5 + i + 1] = b.system->stiffness[(i + 1) * 5 + i] = -2;
        }
        o = run_event(&b, kinds[k], 1e-11, q, v, 30);
        assert_int_equal(o.status, SLIP_OK);
        /* each sticks until its spring reaches 0.6, at t = 6; then an arc about 0.4 and a ride of 4 */
        for (int i = 0; i < 5; i++) {
            assert_close(o.q[i], o.q[0], 1e-8);
            run_check_event(&o, i, "stick>slip-", 6, 1e-9);
            run_check_event(&o, 5 + i, "slip->stick", 6 + arc, 1e-8);
            run_check_event(&o, 10 + i, "stick>slip-", 6 + period, 1e-8);
        }
        run_check_judge(&o);
        run_finish(&o);
        clear(&b);
    }
}

/* Five blocks that start apart: the same events, whatever the tolerance and the kind of segments. */
static void chain_of_blocks_is_reproduced(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    const double q[5] = {0, 0.1, -0.05, 0.2, 0.07}, v[5] = {0.1, 0.1, 0.1, 0.1, 0.1};
    run_outcome o[3];
    bench b = build(5, names);
    (void)state;
    for (int i = 0; i < 5; i++) {
        char slip[20];
        snprintf(slip, sizeof slip, "%s' - 0.1", names[i]);
        b.system->stiffness[i * 5 + i] = 1;
        add_friction(&b, names[i], slip, NULL, coulomb(0.3 + 0.03 * i, 1.4));
    }
    for (int i = 0; i < 4; i++) {
        b.system->stiffness[i * 5 + i] += 1.5;
        b.system->stiffness[(i + 1) * 5 + i + 1] += 1.5;
        b.system->stiffness[i * 5 + i + 1] = b.system->stiffness[(i + 1) * 5 + i] = -1.5;
    }
    o[0] = run_event(&b, "exact", 1e-10, q, v, 30);
    o[1] = run_event(&b, "rk", 1e-8, q, v, 30);
    o[2] = run_event(&b, "rk", 1e-12, q, v, 30);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(o[k].status, SLIP_OK);
        assert_int_equal(o[k].w->count, o[0].w->count);
        assert_true(o[k].w->count > 10);
        for (int i = 0; i < o[k].w->count; i++) {
            assert_int_equal(o[k].w->events[i].contact, o[0].w->events[i].contact);
            assert_close(o[k].w->events[i].time, o[0].w->events[i].time, k == 1 ? 1e-4 : 1e-8);
        }
        run_check_judge(&o[k]);
    }
    for (int k = 0; k < 3; k++)
        run_finish(&o[k]);
    clear(&b);
}

/* A slider between two stops without friction, driven by nothing: speed e^k after k strikes. */
static void slider_with_end_stops(void **state)
{
    static const char *const names[] = {"x"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double q = 0, v = 1, e = 0.8;
        double t = 1, speed = 1;
        bench b = build(1, names);
        run_outcome o;
        add_unilateral(&b, "left", "x + 1", NULL, NULL, e, false);
        add_unilateral(&b, "right", "1 - x", NULL, NULL, e, false);
        o = run_event(&b, kinds[k], 1e-11, &q, &v, 40);
        assert_int_equal(o.status, SLIP_OK);
        for (int i = 0; i < o.w->count; i++) {
            run_check_event(&o, i, "open>open", t, 1e-9);
            assert_int_equal(o.w->events[i].contact, i % 2 == 0);
            speed *= e;
            t += 2 / speed;
        }
        assert_true(t > 40);
        assert_close(fabs(o.v[0]), speed, 1e-12);
        run_check_judge(&o);
        run_finish(&o);
        clear(&b);
    }
}

/* A block on a belt with Stribeck friction: sticks until the spring reaches the static limit, exactly at
 * x / belt; its later events do not depend on the tolerance. */
static void block_on_a_belt_with_stribeck_friction(void **state)
{
    static const char *const names[] = {"x"};
    const double q = 0, v = 0.2;
    slip_law law = slip_law_default("stribeck");
    run_outcome o[2];
    bench b = build(1, names);
    (void)state;
    law.mu = 0.3;
    law.static_ratio = 1.5;
    law.velocity = 0.3;
    b.system->stiffness[0] = 1;
    add_friction(&b, "belt", "x' - 0.2", NULL, law);
    o[0] = run_event(&b, "rk", 1e-12, &q, &v, 40);
    o[1] = run_event(&b, "rk", 1e-8, &q, &v, 40);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(o[k].status, SLIP_OK);
        run_check_event(&o[k], 0, "stick>slip-", 0.45 / 0.2, 1e-7);
        assert_int_equal(o[k].w->count, o[0].w->count);
        for (int i = 0; i < o[k].w->count; i++)
            assert_close(o[k].w->events[i].time, o[0].w->events[i].time, 1e-5);
        run_check_judge(&o[k]);
    }
    run_finish(&o[0]);
    run_finish(&o[1]);
    clear(&b);
}

/* Every example file, every step of its run, four samples in each. */
static void judge_over_every_step_of_every_example(void **state)
{
    static const char *const examples[] = {
        "jack-plane", "coulomb-oscillator", "stribeck-belt", "bouncing-ball", "blocks-on-belt",
        "two-masses", "impact-oscillator",  "incline",       "end-stops",     "stick-slip-belt"};
    (void)state;
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
        char path[500];
        slip_model *model = NULL;
        bench b = {.ctx = slip_context_create()};
        run_outcome o;
        snprintf(path, sizeof path, "%s/examples/%s.yaml", SLIPSTICK_SOURCE_DIR, examples[k]);
        check_done(&b, slip_model_load(b.ctx, path, &model));
        check_done(&b, slip_model_finish(b.ctx, model));
        b.system = model->system;
        for (int s = 0; s < 2; s++) {
            slip_method_options options = {.tolerance = 1e-10, .segments = s ? "auto" : "rk"};
            o = run_method(&b, "event", options, 0, model->initial_q, model->initial_v, 50);
            if (o.status != SLIP_OK)
                print_error("%s: %s\n", examples[k], slip_context_message(b.ctx));
            assert_int_equal(o.status, SLIP_OK);
            if (!(o.w->residual < 1e-9))
                print_error("%s (%s): residual %g\n", examples[k], s ? "auto" : "rk", o.w->residual);
            run_check_judge(&o);
            run_finish(&o);
        }
        slip_model_destroy(model);
        slip_context_destroy(b.ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_of_equal_blocks_moves_as_one),
        cmocka_unit_test(chain_of_blocks_is_reproduced),
        cmocka_unit_test(slider_with_end_stops),
        cmocka_unit_test(block_on_a_belt_with_stribeck_friction),
        cmocka_unit_test(judge_over_every_step_of_every_example),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
