/* Two small gears and their reduced bodies, for tests of runs. */
#ifndef SLIP_TESTS_GEAR_TEST_H
#define SLIP_TESTS_GEAR_TEST_H

#include "test.h"

#include "gear/body/gear_group.h"

typedef struct gear_fixture {
    slip_context *ctx;
    slip_gear_options gears[2];
    slip_reduced *made[2];
    const slip_reduced *bodies[2];
} gear_fixture;

static inline slip_gear_options gear_small(const char *name, int teeth)
{
    slip_gear_options o = slip_gear_options_default();
    o.name = name;
    o.teeth = teeth;
    o.module = 0.005;
    o.profile_shift = 0.4;
    o.width = 0.01;
    o.bore = 0.03;
    o.backlash = 1e-4;
    o.element = "full";
    o.modes = 100;
    o.mesh = (slip_gear_mesh_options){6, 1, 3, 2, 2, 2};
    return o;
}

static inline void gear_fixture_make(gear_fixture *f)
{
    slip_reduce_options o = slip_reduce_options_default();
    f->ctx = slip_context_create();
    for (int k = 0; k < 2; k++) {
        f->gears[k] = gear_small(k ? "wheel" : "pinion", k ? 15 : 12);
        if (slip_gear_reduce(f->ctx, &f->gears[k], &o, &f->made[k]) < 0)
            fail_msg("%s", slip_context_message(f->ctx));
        f->bodies[k] = f->made[k];
    }
}

static inline void gear_fixture_free(gear_fixture *f)
{
    for (int k = 0; k < 2; k++)
        slip_reduced_destroy(f->made[k]);
    slip_context_destroy(f->ctx);
}

/* What a run of gears says of its contact: the judge's residual, metres, and the changes from open to closed
 * and back, which are the times of contact that the summary has. */
static inline void gear_check_contact(const slip_result *r, double residual)
{
    const int64_t count = slip_result_event_count(r);
    double together = 0, closed = slip_result_number(r, "final.t");
    assert_true(slip_result_number(r, "residual") >= 0 && slip_result_number(r, "residual") < residual);
    assert_int_equal(count > 0, slip_result_number(r, "peak_force") > 0);
    if (count == 0)
        return;
    for (int64_t i = 0; i < count; i++) {
        const slip_event *event = slip_result_event(r, i);
        assert_int_equal(event->from, i % 2 ? SLIP_MODE_CLOSED : SLIP_MODE_OPEN);
        assert_int_equal(event->to, i % 2 ? SLIP_MODE_OPEN : SLIP_MODE_CLOSED);
        together += (i % 2 ? 1 : -1) * event->time;
        closed = i % 2 ? event->time : slip_result_number(r, "final.t");
    }
    assert_true(slip_result_event(r, 0)->time == slip_result_number(r, "first_contact"));
    assert_close(slip_result_number(r, "last_contact"), closed, 1e-12);
    assert_close(slip_result_number(r, "contact_time"), together + (count % 2 ? closed : 0), 1e-12);
}

/* The pinion turns with 5 rad/s at first contact, the wheel is at rest. */
static inline slip_gear_run_options gear_impact(const char *reduction, double penalty)
{
    slip_gear_run_options o = slip_gear_run_options_default();
    for (int k = 0; k < 2; k++)
        o.side[k].reduction = reduction;
    o.side[0].speed = 5;
    o.penalty = penalty;
    o.step = 4e-8;
    o.time = 8e-5;
    o.samples = 801;
    return o;
}

/* Two gears alone as a group, as long as `pair` is there. */
typedef struct gear_pair_group {
    slip_gear_meshing mesh;
    slip_gear_group group;
} gear_pair_group;

static inline const slip_gear_group *gear_group(gear_pair_group *pair, const slip_gear_options *gears,
                                                const slip_reduced *const *bodies,
                                                const slip_gear_run_options *options)
{
    pair->mesh = (slip_gear_meshing){.gear = {0, 1}, .options = options};
    pair->group = slip_gear_group_pair(gears, bodies, &pair->mesh);
    return &pair->group;
}

#endif
