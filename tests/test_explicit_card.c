/* Explicit bricks on a graphics card against the processor: the card's program compiled for this processor,
 * and a card where there is one. */
#include "brick_test.h"
#include "card_on_processor.h"
#include "gear_test.h"

#include "fem/explicit/explicit.h"
#include "gear/gear_impact.h"
#include "slipstick/gear_run.h"

/* A function for each test, with either card. */
typedef void (*with_card)(slip_context *ctx, slip_card *card);

static void on_processor(with_card test)
{
    slip_context *ctx = slip_context_create();
    slip_card card = card_on_processor();
    test(ctx, &card);
    slip_context_destroy(ctx);
}

/* On a machine without a card the test is passed over, with the reason. */
static void on_card(with_card test)
{
    slip_context *ctx = slip_context_create();
    slip_card *card = NULL;
    if (slip_card_open(ctx, &card) < 0) {
        print_message("%s\n", slip_context_message(ctx));
        slip_context_destroy(ctx);
        skip();
    }
    test(ctx, card);
    slip_card_close(card);
    slip_context_destroy(ctx);
}

#define BOTH(name)                                                                                           \
    static void name##_here(void **state)                                                                    \
    {                                                                                                        \
        (void)state;                                                                                         \
        on_processor(name);                                                                                  \
    }                                                                                                        \
    static void name##_there(void **state)                                                                   \
    {                                                                                                        \
        (void)state;                                                                                         \
        on_card(name);                                                                                       \
    }

static void need(slip_context *ctx, int status)
{
    if (status != SLIP_OK)
        fail_msg("%s", slip_context_message(ctx));
}

/* Two models of the same bodies, the second on a card. */
typedef struct twins {
    slip_mesh *mesh[2];
    slip_explicit *model[2];
} twins;

/* Boxes of distorted bricks, more than a block of them, in no simple number; the first turns about its lower
 * side. */
static twins make_twins(slip_context *ctx, slip_card *card, const double hourglass[2],
                        slip_explicit_options options)
{
    const int counts[2][3] = {{11, 7, 9}, {5, 4, 8}};
    const double size[3] = {2, 1.5, 1};
    twins t;
    slip_explicit_body bodies[2];
    for (int k = 0; k < 2; k++) {
        t.mesh[k] = brick_box(ctx, counts[k], size, 0.2);
        bodies[k] = (slip_explicit_body){.name = k ? "free" : "held",
                                         .mesh = t.mesh[k],
                                         .young = 200,
                                         .poisson = 0.3,
                                         .density = 2,
                                         .hourglass = hourglass[k],
                                         .centre = {3.0 * k, 0.3},
                                         .angle = 0.4,
                                         .speed = k ? -0.6 : 0.8};
    }
    options.threads = 1;
    bodies[0].rigid = slip_mesh_find(t.mesh[0], "low", SLIP_SET_NODES);
    assert_non_null(bodies[0].rigid);
    bodies[0].torque = 3;
    bodies[0].inertia = 0.7;
    for (int k = 0; k < 2; k++) {
        options.card = k ? card : NULL;
        need(ctx, slip_explicit_create(ctx, 2, bodies, &options, &t.model[k]));
    }
    return t;
}

static void end_twins(twins *t)
{
    for (int k = 0; k < 2; k++) {
        slip_explicit_destroy(t->model[k]);
        slip_mesh_destroy(t->mesh[k]);
    }
}

/* The largest difference of positions or velocities, as a share of the largest of them. */
static double difference_of(const double *a, const double *b, int count)
{
    double most = 0, largest = 0;
    for (int i = 0; i < count; i++) {
        most = isfinite(b[i]) ? fmax(most, fabs(a[i] - b[i])) : INFINITY;
        largest = fmax(largest, fabs(a[i]));
    }
    return most / largest;
}

static void compare_ledgers(slip_context *ctx, slip_explicit *const model[2], double tolerance)
{
    slip_explicit_ledger a, b;
    need(ctx, slip_explicit_account(ctx, model[0], &a));
    need(ctx, slip_explicit_account(ctx, model[1], &b));
    assert_close(b.kinetic, a.kinetic, tolerance * a.total);
    assert_close(b.strain, a.strain, tolerance * a.total);
    assert_close(b.load, a.load, tolerance * a.total);
    assert_close(b.work, a.work, tolerance * a.total);
    assert_close(b.lost, a.lost, tolerance * a.total);
}

static void compare_models(slip_context *ctx, slip_explicit *const model[2], int nodes, double tolerance)
{
    compare_ledgers(ctx, model, tolerance);
    double momentum[2][2];
    for (int k = 0; k < 2; k++)
        for (int body = 0; body < 2; body++)
            momentum[k][body] = slip_explicit_momentum(model[k], body);
    for (int body = 0; body < 2; body++) {
        const double size = fabs(momentum[0][0]) + fabs(momentum[0][1]);
        assert_close(momentum[1][body], momentum[0][body], tolerance * size);
        assert_close(slip_explicit_rotor_of(model[1], body).angle,
                     slip_explicit_rotor_of(model[0], body).angle, tolerance);
        assert_close(slip_explicit_rotor_of(model[1], body).speed,
                     slip_explicit_rotor_of(model[0], body).speed, tolerance);
        assert_close(slip_explicit_rotor_of(model[1], body).impulse,
                     slip_explicit_rotor_of(model[0], body).impulse, tolerance * size);
    }
    assert_close(slip_explicit_state_of(model[1]).time, slip_explicit_state_of(model[0]).time, 0);
    assert_int_equal(slip_explicit_state_of(model[1]).steps, slip_explicit_state_of(model[0]).steps);
    need(ctx, slip_explicit_fetch(ctx, model[1]));
    const double off[2] = {difference_of(slip_explicit_state_of(model[0]).position,
                                         slip_explicit_state_of(model[1]).position, 3 * nodes),
                           difference_of(slip_explicit_state_of(model[0]).velocity,
                                         slip_explicit_state_of(model[1]).velocity, 3 * nodes)};
    assert_true(off[0] < tolerance);
    assert_true(off[1] < 5 * tolerance); /* a card fuses products */
}

/* ---- Without outer forces. */

static void move_freely(slip_context *ctx, slip_card *card)
{
    const double kinds[3][2] = {{0, 0}, {0.3, 0.3}, {0, 0.5}};
    for (int kind = 0; kind < 3; kind++) {
        twins t = make_twins(ctx, card, kinds[kind], slip_explicit_options_default());
        const int nodes = t.mesh[0]->node_count + t.mesh[1]->node_count;
        for (int k = 0; k < 2; k++)
            need(ctx, slip_explicit_advance(ctx, t.model[k], 1));
        const int64_t copies = processor_copies;
        for (int k = 0; k < 2; k++)
            need(ctx, slip_explicit_advance(ctx, t.model[k], 150));
        assert_int_equal(processor_copies, copies); /* steps bring nothing back */
        compare_models(ctx, t.model, nodes, 2e-13);
        for (int k = 0; k < 2; k++) { /* a shorter step, another torque */
            const double time = slip_explicit_state_of(t.model[k]).time,
                         step = slip_explicit_state_of(t.model[k]).step;
            slip_explicit_set_torque(t.model[k], 0, -40);
            need(ctx, slip_explicit_advance_to(ctx, t.model[k], time + 0.3 * step));
            need(ctx, slip_explicit_advance(ctx, t.model[k], 20));
        }
        compare_models(ctx, t.model, nodes, 2e-13);
        end_twins(&t);
    }
}
BOTH(move_freely)

/* ---- Outer forces. */

/* A spring with friction from node to node of the two bodies; it looks at these and at no others. */
typedef struct spring {
    int nodes[2];
    double stiffness, damping;
    int calls;
} spring;

static int pull(void *user, slip_context *ctx, const slip_explicit *model, double *force,
                slip_explicit_load *load)
{
    spring *s = user;
    const size_t a = 3 * (size_t)s->nodes[0], b = 3 * (size_t)s->nodes[1];
    const double *x = slip_explicit_state_of(model).position, *v = slip_explicit_state_of(model).velocity;
    (void)ctx;
    s->calls++;
    for (size_t d = 0; d < 3; d++) {
        const double by = x[b + d] - x[a + d], rate = v[b + d] - v[a + d],
                     f = s->stiffness * by + s->damping * rate;
        force[a + d] += f;
        force[b + d] -= f;
        load->energy += s->stiffness * by * by / 2;
        load->lost += s->damping * rate * rate;
    }
    load->lost_before = load->lost / 2;
    load->damping = 4 * s->damping / slip_explicit_state_of(model).mass[s->nodes[0]];
    return SLIP_OK;
}

/* Another one after some time: the list of nodes may change, and become longer. */
static int watch_spring(void *user, const slip_explicit *model, const int **nodes)
{
    static int list[3];
    const spring *s = user;
    const int more = slip_explicit_state_of(model).steps >= 40;
    list[0] = s->nodes[1];
    list[1] = s->nodes[0];
    list[2] = s->nodes[0] + 1;
    *nodes = list;
    return 2 + more;
}

static void outer_forces_act(slip_context *ctx, slip_card *card)
{
    for (int all = 0; all < 2; all++) {
        spring s = {.nodes = {200, 1000}, .stiffness = 30, .damping = 0.5};
        slip_explicit_options options = slip_explicit_options_default();
        options.force = pull;
        options.user = &s;
        options.watch = all ? NULL : watch_spring;
        twins t = make_twins(ctx, card, (const double[2]){0, 0}, options);
        for (int k = 0; k < 2; k++)
            need(ctx, slip_explicit_advance(ctx, t.model[k], 60));
        s.damping = 40; /* so much that the step is lowered */
        for (int k = 0; k < 2; k++)
            need(ctx, slip_explicit_advance(ctx, t.model[k], 20));
        assert_true(slip_explicit_state_of(t.model[1]).step < slip_explicit_state_of(t.model[1]).first_step);
        assert_close_relative(slip_explicit_state_of(t.model[1]).step,
                              slip_explicit_state_of(t.model[0]).step, 0);
        compare_models(ctx, t.model, t.mesh[0]->node_count + t.mesh[1]->node_count, 2e-13);
        assert_int_equal(slip_explicit_state_of(t.model[1]).evaluations,
                         slip_explicit_state_of(t.model[0]).evaluations);
        end_twins(&t);
    }
}
BOTH(outer_forces_act)

/* ---- Two gears. */

/* Positions of a model on the processor: their last bits are changed. */
static void disturb(const slip_explicit *model, int nodes, uint64_t *seed)
{
    double *x;
    const double *own = slip_explicit_state_of(model).position;
    memcpy(&x, &own, sizeof x);
    for (int i = 0; i < 3 * nodes; i++)
        x[i] *= 1 + (test_random(seed, 0, 1) < 0.5 ? 2.3e-16 : -1.2e-16);
}

/* A pair on the processor, one on the card, and one on the processor that is disturbed: a card may change
 * what rounding changes, by sums in another order in all nodes, and not more than that. */
static void gears_hit(slip_context *ctx, slip_card *card)
{
    for (int kinematic = 0; kinematic < 2; kinematic++) {
        slip_gear_options gears[2];
        slip_gear_impact *g[3];
        slip_gear_run_options o = slip_gear_run_options_default();
        gear_pair_group pair;
        uint64_t seed = 3;
        int touching = 0;
        double off[3] = {0}, peak = 0;
        for (int k = 0; k < 2; k++) {
            gears[k] = gear_small(k ? "wheel" : "pinion", k ? 15 : 12);
            gears[k].mesh = (slip_gear_mesh_options){6, 2, 4, 2, 3, 2};
        }
        o.side[0].speed = 5;
        o.penalty = kinematic ? INFINITY : 1e9;
        o.side[1].torque = 2;
        o.threads = 1;
        for (int k = 0; k < 3; k++)
            need(ctx, slip_gear_impact_create(ctx, gear_group(&pair, gears, NULL, &o), &o, NULL, NULL,
                                              k == 1 ? card : NULL, &g[k]));
        const int nodes = g[0]->mesh[0]->mesh->node_count + g[0]->mesh[1]->mesh->node_count;
        for (int step = 0; step < 200; step++) {
            for (int k = 0; k < 3; k++)
                need(ctx, slip_explicit_advance(ctx, g[k]->model, 1));
            disturb(g[2]->model, nodes, &seed);
            peak = fmax(peak, g[0]->totals.normal_force);
            touching += g[0]->totals.touching > 0;
            for (int k = 1; k < 3; k++)
                off[k] = fmax(off[k], fabs(g[k]->totals.normal_force - g[0]->totals.normal_force));
        }
        assert_true(touching > 50);
        print_message("largest difference of the force: %.1e of %.1e, by rounding %.1e\n", off[1], peak,
                      off[2]);
        assert_true(off[1] < 20 * off[2] && off[2] < 1e-6 * peak);
        slip_explicit *const models[2] = {g[0]->model, g[1]->model};
        compare_ledgers(ctx, models, 1e-8);
        need(ctx, slip_explicit_fetch(ctx, g[1]->model));
        for (int k = 1; k < 3; k++)
            off[k] = difference_of(slip_explicit_state_of(g[0]->model).velocity,
                                   slip_explicit_state_of(g[k]->model).velocity, 3 * nodes);
        print_message("of the velocities: %.1e, by rounding %.1e\n", off[1], off[2]);
        assert_true(off[1] < 20 * off[2] && off[2] < 1e-3);
        for (int body = 0; body < 2; body++) {
            assert_close(slip_explicit_rotor_of(g[1]->model, body).angle,
                         slip_explicit_rotor_of(g[0]->model, body).angle, 1e-10);
            assert_close(slip_explicit_rotor_of(g[1]->model, body).speed,
                         slip_explicit_rotor_of(g[0]->model, body).speed, 1e-7);
        }
        for (int k = 0; k < 3; k++)
            slip_gear_impact_destroy(g[k]);
    }
}
BOTH(gears_hit)

/* ---- What goes wrong. */

static void infinite_velocities_are_named(slip_context *ctx, slip_card *card)
{
    const double none[2] = {0, 0};
    slip_explicit_options options = slip_explicit_options_default();
    twins t = make_twins(ctx, card, none, options);
    slip_explicit_set_torque(t.model[1], 0, 1e300);
    assert_int_equal(slip_explicit_advance(ctx, t.model[1], 500), SLIP_ERROR_SOLVER);
    assert_non_null(strstr(slip_context_message(ctx), "is no longer a finite number"));
    assert_true(slip_explicit_state_of(t.model[1]).steps < 100);
    end_twins(&t);
}
BOTH(infinite_velocities_are_named)

/* What can be told before anything is made. */
static void devices_are_checked(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    const slip_gear_options gears[2] = {gear_small("pinion", 12), gear_small("wheel", 15)};
    slip_gear_run_options o = slip_gear_run_options_default();
    o.method = "explicit";
    o.penalty = 1e9;
    const char *const good[] = {"cpu", "cuda", "auto", "none"};
    for (int k = 0; k < 4; k++) {
        o.device = good[k];
        need(ctx, slip_gear_run_check(ctx, gears, &o));
    }
    o.device = "tpu";
    assert_int_equal(slip_gear_run_check(ctx, gears, &o), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "expected cpu, cuda, auto or none"));
    o.device = "cuda";
    o.method = "rk4";
    assert_int_equal(slip_gear_run_check(ctx, gears, &o), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "expected it with method explicit"));
    slip_context_destroy(ctx);
}

/* A state that was kept on the processor goes on on the card, and back. */
static void states_are_kept(slip_context *ctx, slip_card *card)
{
    twins t = make_twins(ctx, card, (const double[2]){0, 0}, slip_explicit_options_default());
    const int nodes = t.mesh[0]->node_count + t.mesh[1]->node_count;
    for (int from = 0; from < 2; from++) {
        slip_keeper keeper = {.ctx = ctx};
        need(ctx, slip_explicit_advance(ctx, t.model[from], 30));
        slip_explicit_keep(t.model[from], &keeper, NULL);
        keeper.back = true;
        keeper.at = 0;
        slip_explicit_keep(t.model[1 - from], &keeper, NULL);
        need(ctx, keeper.status);
        free(keeper.bytes);
        compare_models(ctx, t.model, nodes, 2e-13);
        for (int k = 0; k < 2; k++)
            need(ctx, slip_explicit_advance(ctx, t.model[k], 30));
        compare_models(ctx, t.model, nodes, 2e-13);
    }
    end_twins(&t);
}
BOTH(states_are_kept)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_checked),
        cmocka_unit_test(states_are_kept_here),
        cmocka_unit_test(states_are_kept_there),
        cmocka_unit_test(move_freely_here),
        cmocka_unit_test(outer_forces_act_here),
        cmocka_unit_test(gears_hit_here),
        cmocka_unit_test(infinite_velocities_are_named_here),
        cmocka_unit_test(move_freely_there),
        cmocka_unit_test(outer_forces_act_there),
        cmocka_unit_test(gears_hit_there),
        cmocka_unit_test(infinite_velocities_are_named_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
