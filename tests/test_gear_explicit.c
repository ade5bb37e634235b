/* The method "explicit" of two gears: every option, balances, checkpoints, frames, errors. */
#include "gear_test.h"

#include "fem/brick_stress.h"
#include "gear/gear_impact.h"
#include "gear/geometry/gear_mesh.h"
#include "slipstick/gear_run.h"
#include "test_folder.h"

#include <string.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;

static void small_gears(slip_gear_options gears[2])
{
    for (int k = 0; k < 2; k++) {
        slip_gear_options o = slip_gear_options_default();
        o.name = k ? "wheel" : "pinion";
        o.teeth = k ? 12 : 10;
        o.module = 0.005;
        o.profile_shift = 0.5;
        o.width = 0.01;
        o.bore = 0.024;
        o.backlash = 1e-4;
        o.mesh = (slip_gear_mesh_options){5, 2, 2, 2, 1, 1};
        gears[k] = o;
    }
}

static slip_gear_run_options usual(void)
{
    slip_gear_run_options o = slip_gear_run_options_default();
    o.method = "explicit";
    o.side[0].speed = 5;
    o.penalty = 1e9;
    o.time = 1.2e-4;
    o.samples = 101;
    o.threads = 1;
    return o;
}

static slip_result *run(const slip_gear_run_options *o)
{
    slip_context *ctx = slip_context_create();
    slip_gear_options gears[2];
    slip_result *result = NULL;
    small_gears(gears);
    if (slip_gear_run(ctx, gears, NULL, o, &result) != SLIP_OK)
        fail_msg("%s", slip_context_message(ctx));
    slip_context_destroy(ctx);
    return result;
}

static double number(const slip_result *r, const char *name)
{
    return slip_result_number(r, name);
}

static double last(const slip_result *r, const char *name)
{
    int64_t count;
    const double *values = slip_result_series(r, name, &count);
    return values[count - 1];
}

static void check_balances(const slip_result *r)
{
    assert_true(number(r, "energy.drift") < 0.005);
    assert_true(number(r, "momentum.pinion") < 1e-10);
    assert_true(number(r, "momentum.wheel") < 1e-10);
    gear_check_contact(r, 1e-13);
}

/* Moment of inertia, as a rigid body. */
static double inertia_of(int k)
{
    slip_context *ctx = slip_context_create();
    slip_gear_options gears[2];
    slip_gear_run_options o = slip_gear_run_options_default();
    slip_gear_impact *g = NULL;
    gear_pair_group pair;
    double sum = 0;
    small_gears(gears);
    o.side[0].speed = 5;
    o.penalty = 1e9;
    o.threads = 1;
    assert_int_equal(
        slip_gear_impact_create(ctx, gear_group(&pair, gears, NULL, &o), &o, NULL, NULL, NULL, &g), SLIP_OK);
    for (int i = 0; i < g->mesh[k]->mesh->node_count; i++) {
        const double *x = g->mesh[k]->mesh->points + 3 * i;
        sum += slip_explicit_state_of(g->model).mass[slip_explicit_rotor_of(g->model, k).first_node + i] *
               (x[0] * x[0] + x[1] * x[1]);
    }
    slip_gear_impact_destroy(g);
    slip_context_destroy(ctx);
    return sum;
}

/* ---- Options. */

static void free_impact(void **state)
{
    (void)state;
    slip_gear_run_options o = usual();
    slip_result *r = run(&o);
    check_balances(r);
    assert_true(number(r, "contact_time") > 2e-5 && number(r, "contact_time") < 1e-4);
    assert_true(number(r, "final.wheel.speed") < -1 && number(r, "final.pinion.speed") < 4);
    assert_close(last(r, "t"), o.time, 1e-7);
    assert_close_relative(number(r, "energy.end"), number(r, "energy.start"), 0.005);
    assert_true(number(r, "steps") > 300 && number(r, "evaluations") == number(r, "steps") + 102);
    slip_result_destroy(r);
}

/* A drive keeps the speed whatever acts, and its work is what the gears gain. */
static void driven_bore(void **state)
{
    (void)state;
    slip_gear_run_options o = usual();
    o.side[0].driven = 1;
    slip_result *r = run(&o);
    int64_t count;
    const double *speed = slip_result_series(r, "pinion.speed", &count);
    for (int64_t i = 0; i < count; i++)
        assert_true(speed[i] == 5);
    check_balances(r);
    assert_true(last(r, "work") > 0.3 * number(r, "energy.start"));
    /* Against an endless inertia the wheel goes faster than from a free pinion. */
    o.side[0].driven = 0;
    slip_result *free_one = run(&o);
    assert_true(number(r, "final.wheel.speed") < number(free_one, "final.wheel.speed") - 0.5);
    slip_result_destroy(free_one);
    slip_result_destroy(r);
}

/* A pinion far from the wheel is turned by a torque: speed = torque time/inertia, and shared between gears
 * and what turns with them. */
static void torque_and_inertia(void **state)
{
    (void)state;
    slip_gear_run_options o = usual();
    double torque = -200, own = inertia_of(0);
    o.side[0].speed = 0;
    o.distance = 0.2;
    for (int k = 0; k < 2; k++) {
        o.side[0].torque = torque;
        o.side[0].inertia = k ? 3 * own : 0;
        o.time = 4e-5;
        slip_result *r = run(&o);
        check_balances(r);
        assert_true(number(r, "peak_force") == 0);
        assert_close_relative(last(r, "work"), pow(torque * o.time, 2) / (2 * own * (k ? 4 : 1)), 0.05);
        slip_result_destroy(r);
    }
}

static void one_point_bricks(void **state)
{
    (void)state;
    slip_gear_run_options o = usual();
    slip_result *full = run(&o), *one;
    o.hourglass = 0.3;
    one = run(&o);
    check_balances(one);
    /* Softer, since full integration locks in bending. */
    double longer = number(one, "contact_time") / number(full, "contact_time");
    assert_true(longer > 1.01 && longer < 1.3);
    slip_result_destroy(full);
    slip_result_destroy(one);
}

/* Springs of nodes that are far too stiff for the step: no energy is made, and the force is that of softer
 * ones. With forces of the depth at the instant the energy grew by a half. */
static void stiff_penalties_make_no_energy(void **state)
{
    (void)state;
    slip_gear_run_options o = usual();
    double speed = NAN;
    for (int k = 0; k < 3; k++) {
        o.penalty = pow(100, k) * 1e10;
        slip_result *r = run(&o);
        check_balances(r);
        assert_true(number(r, "energy.drift") < 1e-5);
        if (k > 0)
            assert_close_relative(number(r, "final.wheel.speed"), speed, 0.02);
        speed = number(r, "final.wheel.speed");
        slip_result_destroy(r);
    }
}

/* The limit of large penalties. */
static void kinematic_contact(void **state)
{
    (void)state;
    slip_gear_run_options o = usual();
    o.penalty = 1e10;
    o.samples = 2001; /* every step */
    slip_result *stiff = run(&o), *kinematic;
    for (int k = 0; k < 2; k++) {
        o.penalty = INFINITY;
        o.two_pass = k ? 1 : 0.5;
        kinematic = run(&o);
        check_balances(kinematic);
        assert_close_relative(number(kinematic, "final.wheel.speed"), number(stiff, "final.wheel.speed"),
                              0.02);
        assert_close_relative(number(kinematic, "last_contact"), number(stiff, "last_contact"), 0.02);
        assert_true(last(kinematic, "lost") >= 0 &&
                    last(kinematic, "lost") < 0.02 * number(kinematic, "energy.start"));
        /* Forces jump where a node lands: their course is compared by the impulse up to each instant. */
        int64_t count;
        const double *a = slip_result_series(stiff, "force", &count),
                     *b = slip_result_series(kinematic, "force", NULL);
        double impulse[2] = {0}, worst = 0;
        for (int64_t i = 0; i < count; i++) {
            impulse[0] += a[i];
            impulse[1] += b[i];
            worst = fmax(worst, fabs(impulse[1] - impulse[0]));
        }
        assert_true(worst < (k ? 0.05 : 0.02) * impulse[0]); /* with one pass the flanks differ */
        slip_result_destroy(kinematic);
    }
    slip_result_destroy(stiff);
}

static void kinematic_contact_with_friction(void **state)
{
    (void)state;
    slip_law law = slip_law_default("tanh");
    slip_gear_run_options o = usual();
    law.mu = 0.2;
    law.velocity = 0.1;
    o.friction = &law;
    o.phase = 0.4;
    o.step = 3e-8;
    slip_result *penalty = run(&o);
    o.penalty = INFINITY;
    slip_result *kinematic = run(&o);
    check_balances(penalty);
    check_balances(kinematic);
    assert_true(last(penalty, "lost") > 0.003 * number(penalty, "energy.start"));
    assert_close_relative(last(kinematic, "lost"), last(penalty, "lost"), 0.1);
    /* A steep law, which no step resolves: the step hardly matters, and it takes more. */
    double lost[2], before = last(kinematic, "lost");
    law.velocity = 1e-4;
    for (int k = 0; k < 2; k++) {
        slip_result_destroy(kinematic);
        o.step = k ? 3e-8 : 0;
        kinematic = run(&o);
        check_balances(kinematic);
        lost[k] = last(kinematic, "lost");
    }
    assert_close_relative(lost[1], lost[0], 0.05);
    assert_true(lost[1] > before && lost[1] < 4 * before);
    slip_result_destroy(penalty);
    slip_result_destroy(kinematic);
}

/* The forces on the flank's nodes, in its frame, have the moment of the contact. */
/* Whole nonlinear gears start at rest: the flanks have the torque and go on having it, nothing moves, and by
 * a little more torque the energy grows by what the torque does, dU = T dtheta. */
static void starts_in_equilibrium(void **state)
{
    const double torque[2] = {20, 20.2};
    slip_law law = slip_law_default("tanh");
    law.mu = 0.1;
    law.velocity = 0.1;
    (void)state;
    for (int rigid = 0; rigid < 2; rigid++) {
        double energy[2], angle[2];
        slip_gear_run_options o = usual();
        o.initial = "static";
        o.side[0].speed = 0;
        o.side[0].driven = 1;
        o.side[1].inertia = 0.01; /* so much turns slowly, and is not waited for */
        o.penalty = rigid ? INFINITY : 1e9;
        o.friction = &law;
        o.time = 4e-5;
        for (int i = 0; i < 2; i++) {
            o.side[1].torque = torque[i];
            slip_result *r = run(&o);
            int64_t count;
            const double *moment = slip_result_series(r, "wheel.moment", &count),
                         *speed = slip_result_series(r, "wheel.speed", NULL);
            assert_true(number(r, "initial.residual") < 1e-8);
            for (int64_t k = 0; k < count; k++) {
                assert_close_relative(moment[k], -torque[i], 1e-5);
                assert_true(fabs(speed[k]) < 1e-6);
            }
            angle[i] = slip_result_series(r, "wheel.angle", NULL)[0];
            energy[i] = number(r, "energy.start");
            assert_true(energy[i] > 0 && number(r, "energy.drift") < 1e-8);
            assert_true(number(r, "residual") < 1e-15);
            assert_int_equal(slip_result_event_count(r), 0);
            slip_result_destroy(r);
        }
        assert_close_relative(energy[1] - energy[0], 20.1 * (angle[1] - angle[0]), 1e-4);
    }
}

static void history_of_a_flank(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gears[2];
    slip_gear_run_options o = usual();
    o.history = 1;
    slip_result *r = run(&o);
    small_gears(gears);
    for (int k = 0; k < 2; k++) {
        slip_gear_participation p = slip_gear_result_participation(r, k ? "wheel" : "pinion");
        slip_gear_mesh *mesh = NULL;
        char name[40];
        assert_int_equal(slip_gear_mesh_create(ctx, &gears[k], &mesh), SLIP_OK);
        assert_true(p.samples == 101 && p.surface >= 0 && p.surface % 2 == 1); /* left flanks meet */
        snprintf(name, sizeof name, "tooth%d_left", p.surface / 2 + 1);
        const slip_mesh_set *set = slip_mesh_find(mesh->mesh, name, SLIP_SET_NODES);
        assert_int_equal(p.size, 3 * set->count);
        snprintf(name, sizeof name, "%s.moment", gears[k].name);
        const double *moment = slip_result_series(r, name, NULL);
        double turn = 2 * pi * (p.surface / 2) / gears[k].teeth, largest = 0;
        for (int64_t s = 0; s < p.samples; s++)
            largest = fmax(largest, fabs(moment[s]));
        assert_true(largest > 1);
        for (int64_t s = 0; s < p.samples; s++) {
            double sum = 0;
            for (int i = 0; i < set->count; i++) {
                const double *x = mesh->mesh->points + 3 * set->items[i],
                             *f = p.amplitude + s * p.size + 3 * i;
                double own[2] = {cos(turn) * x[0] + sin(turn) * x[1], cos(turn) * x[1] - sin(turn) * x[0]};
                sum += own[0] * f[1] - own[1] * f[0];
            }
            assert_close(sum, moment[s], 2e-3 * largest);
        }
        slip_gear_mesh_destroy(mesh);
    }
    slip_result_destroy(r);
    slip_context_destroy(ctx);
}

/* ---- Frames and stress. */

typedef struct frames {
    int count, stop_at;
    double stress[8], force[8], time[8];
} frames;

static int see_frame(void *user, slip_context *ctx, const slip_gear_frame *frame)
{
    frames *f = user;
    assert_int_equal(frame->number, f->count);
    f->force[f->count] = frame->force;
    f->time[f->count] = frame->time;
    for (int k = 0; k < frame->gear_count; k++)
        for (int i = 0; i < frame->gears[k].node_count; i++)
            f->stress[f->count] = fmax(f->stress[f->count], frame->gears[k].stress[i]);
    if (++f->count == f->stop_at)
        slip_context_interrupt(ctx);
    return SLIP_OK;
}

static void frames_are_shown(void **state)
{
    (void)state;
    frames f = {0};
    slip_gear_run_options o = usual();
    o.frames = 4;
    o.frame = see_frame;
    o.frame_user = &f;
    slip_result_destroy(run(&o));
    assert_int_equal(f.count, 4);
    for (int i = 0; i < 4; i++)
        assert_close(f.time[i], 4e-5 * i, 1e-7);
    assert_true(f.stress[0] < 1e4 && f.force[1] > 100 && f.stress[1] > 1e7);
}

/* A gear that is turned has no stress; one that is stretched has that of theory. */
static void stress_of_a_gear(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gears[2];
    slip_gear_mesh *gear = NULL;
    small_gears(gears);
    assert_int_equal(slip_gear_mesh_create(ctx, &gears[0], &gear), SLIP_OK);
    int n = gear->mesh->node_count;
    double *x = calloc(3 * (size_t)n, sizeof *x), *mises = calloc((size_t)n, sizeof *mises);
    const double young = 210e9, poisson = 0.3, stretch = 1.01;
    double lambda = young * poisson / (1 + poisson) / (1 - 2 * poisson), mu = young / 2 / (1 + poisson);
    /* F = R diag(s, 1, 1): sigma = R diag(s S_1, S_2/s, S_2/s) R^T. */
    double e = (stretch * stretch - 1) / 2;
    double theory = (lambda + 2 * mu) * e * stretch - lambda * e / stretch;
    for (int stretched = 0; stretched < 2; stretched++)
        for (int one = 0; one < 2; one++) {
            for (int i = 0; i < n; i++) {
                const double *p = gear->mesh->points + 3 * i;
                double a = (stretched ? stretch : 1) * p[0];
                x[3 * i] = 0.1 + cos(1) * a - sin(1) * p[1];
                x[3 * i + 1] = sin(1) * a + cos(1) * p[1];
                x[3 * i + 2] = p[2];
            }
            assert_int_equal(slip_brick_mises(ctx, gear->mesh, x, young, poisson, one, mises), SLIP_OK);
            for (int i = 0; i < n; i++)
                assert_close(mises[i], stretched ? theory : 0, 1e-10 * young);
        }
    free(x);
    free(mises);
    slip_gear_mesh_destroy(gear);
    slip_context_destroy(ctx);
}

/* ---- Checkpoints. */

static void assert_same_result(const slip_result *a, const slip_result *b)
{
    for (int i = 0; i < slip_result_series_count(a); i++) {
        const char *name = slip_result_series_name(a, i);
        int64_t counts[2];
        const double *x = slip_result_series(a, name, &counts[0]),
                     *y = slip_result_series(b, name, &counts[1]);
        assert_int_equal(counts[0], counts[1]);
        assert_memory_equal(x, y, sizeof *x * (size_t)counts[0]);
    }
    static const char *const names[] = {
        "steps",           "evaluations",       "step",           "contact_time",
        "first_contact",   "last_contact",      "peak_force",     "final.pinion.speed",
        "momentum.pinion", "final.wheel.speed", "momentum.wheel", "energy.start",
        "energy.end",      "energy.drift",      "residual",       "events.total"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const double x = number(a, names[i]), y = number(b, names[i]);
        assert_true(x == y || (isnan(x) && isnan(y)));
    }
    for (int k = 0; k < 2; k++) {
        slip_gear_participation p = slip_gear_result_participation(a, k ? "wheel" : "pinion"),
                                q = slip_gear_result_participation(b, k ? "wheel" : "pinion");
        assert_true(p.surface == q.surface && p.samples == q.samples && p.size == q.size);
        assert_memory_equal(p.amplitude, q.amplitude, sizeof(double) * (size_t)(p.samples * p.size));
    }
}

typedef struct seen_progress {
    int reports;
    double first, last;
} seen_progress;

static void see_progress(void *user, const slip_progress *progress)
{
    seen_progress *p = user;
    assert_true(progress->fraction >= p->last && progress->fraction <= 1 + 1e-3);
    if (p->reports++ == 0)
        p->first = progress->fraction;
    p->last = progress->fraction;
}

/* Interrupted in the middle of the contact, and gone on with. */
static void goes_on_from_a_checkpoint(void **state)
{
    (void)state;
    char folder[test_path_size], path[test_path_size];
    slip_law law = slip_law_default("tanh");
    slip_gear_options gears[2];
    small_gears(gears);
    test_folder_make(folder);
    test_path(path, folder, "checkpoint.h5");
    law.mu = 0.1;
    for (int kinematic = 0; kinematic < 2; kinematic++) {
        frames seen = {0}, whole = {0};
        slip_context *ctx = slip_context_create();
        slip_result *straight, *part = NULL, *resumed = NULL;
        slip_gear_run_options o = usual();
        o.history = 1;
        o.friction = &law;
        law.velocity =
            kinematic ? 0.5 : 3e-3; /* the latter lowers the step, before and after the interrupt */
        o.step = kinematic ? 5e-8 : 0;
        o.penalty = kinematic ? INFINITY : 1e9;
        o.side[1].driven = kinematic;
        o.frames = 6;
        o.frame = see_frame;
        o.frame_user = &whole;
        straight = run(&o);
        assert_true(kinematic || number(straight, "step") < number(straight, "first_step") / 2);
        o.frame_user = &seen;
        o.checkpoint = path;
        seen.stop_at = 2;
        assert_int_equal(slip_gear_run(ctx, gears, NULL, &o, &part), SLIP_INTERRUPTED);
        assert_non_null(strstr(slip_context_message(ctx), "interrupted at t = 2."));
        assert_non_null(part); /* what it has is kept */
        int64_t count;
        assert_non_null(slip_result_series(part, "force", &count));
        assert_true(count > 15 && count < 25 && number(part, "peak_force") > 0);
        slip_result_destroy(part);
        slip_context_destroy(ctx);
        /* Another run does not take it. */
        ctx = slip_context_create();
        o.samples = 50;
        assert_int_equal(slip_gear_run(ctx, gears, NULL, &o, &part), SLIP_ERROR_MODEL);
        assert_non_null(strstr(slip_context_message(ctx),
                               "the checkpoint is of another run: found `simulate.samples: 101` in it, "
                               "expected `simulate.samples: 50`"));
        assert_non_null(strstr(slip_context_message(ctx), "--restart"));
        slip_result_destroy(part);
        o.samples = 101;
        o.side[0].torque = 1;
        assert_int_equal(slip_gear_run(ctx, gears, NULL, &o, &part), SLIP_ERROR_MODEL);
        assert_non_null(strstr(slip_context_message(ctx), "expected `gears.pinion.torque: 1`"));
        slip_result_destroy(part);
        o.side[0].torque = 0;
        seen.stop_at = 0;
        o.checkpoint_every = 0.05;
        seen_progress progress = {0};
        slip_context_set_progress(ctx, see_progress, &progress);
        assert_int_equal(slip_gear_run(ctx, gears, NULL, &o, &resumed), SLIP_OK);
        assert_true(progress.reports > 0 && progress.first > 0.2); /* not from the start */
        assert_same_result(straight, resumed);
        assert_int_equal(seen.count, 6);
        assert_memory_equal(seen.stress, whole.stress, sizeof seen.stress);
        assert_int_equal(unlink(path), 0); /* it is kept until the result is safe */
        slip_result_destroy(straight);
        slip_result_destroy(resumed);
        slip_context_destroy(ctx);
    }
    test_folder_remove(folder);
}

/* ---- Errors. */

static void troubles_are_named(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gears[2];
    slip_result *r = NULL;
    slip_gear_run_options o = usual();
    small_gears(gears);
    o.step = 1e-6;
    assert_int_equal(slip_gear_run(ctx, gears, NULL, &o, &r), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(ctx), "above the stability limit: expected at most "));
    slip_result_destroy(r);
    /* So fast that the teeth are crushed. */
    o = usual();
    o.side[0].speed = 4e5;
    o.time = 2e-5;
    o.samples = 1001;
    o.penalty = 1e7;
    assert_int_equal(slip_gear_run(ctx, gears, NULL, &o, &r), SLIP_ERROR_SOLVER);
    const char *message = slip_context_message(ctx);
    assert_non_null(strstr(message, "t = "));
    assert_non_null(strstr(message, "the velocity of node "));
    assert_true(strstr(message, " of pinion ") || strstr(message, " of wheel "));
    int64_t count;
    assert_non_null(slip_result_series(r, "t", &count));
    assert_true(count > 10 && count < 1001 && number(r, "steps") > 1);
    slip_result_destroy(r);
    o = usual();
    gears[0].mesh_file = "own.inp";
    assert_int_equal(slip_gear_run(ctx, gears, NULL, &o, &r), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(ctx), "need the program's own mesh"));
    slip_result_destroy(r);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_impact),
        cmocka_unit_test(driven_bore),
        cmocka_unit_test(torque_and_inertia),
        cmocka_unit_test(one_point_bricks),
        cmocka_unit_test_of_numbers(stiff_penalties_make_no_energy),
        cmocka_unit_test_of_numbers(kinematic_contact),
        cmocka_unit_test_of_all(kinematic_contact_with_friction),
        cmocka_unit_test(starts_in_equilibrium),
        cmocka_unit_test(history_of_a_flank),
        cmocka_unit_test(frames_are_shown),
        cmocka_unit_test(stress_of_a_gear),
        cmocka_unit_test(goes_on_from_a_checkpoint),
        cmocka_unit_test(troubles_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
