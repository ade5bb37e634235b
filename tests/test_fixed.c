/* Fixed-step methods: the published example, closed forms, the frame. */
#include "fixed_test.h"

static const double pi = 3.14159265358979323846;

/* ---- The published example: contact while u_n = 0 with l_n <= 0; the gap is -u_n. */

static bench jack_plane(double friction, const char *load)
{
    static const char *const names[] = {"un", "ut"};
    static const double stiffness[] = {1.2, -1, -1, 1.2};
    bench b = build(2, names);
    memcpy(b.system->stiffness, stiffness, sizeof stiffness);
    add_force(&b, 0, load);
    add_force(&b, 1, "sin(t/6)");
    add_stop(&b, "jack", "-un", "ut'", friction, 0, false);
    return b;
}

/* Reference values: closed-form segments at 40 digits. */
typedef struct reference {
    double t, x, v;
} reference;
static const reference samples[] = {{0.1, 0.007404574655213731, 0.04817182540851031},
                                    {1, 0.009671787553264503, 0},
                                    {2, 0.009671787553264503, 0},
                                    {4, 0.0147434069303786, 0.024314978623398792},
                                    {5, 0.08517875010072026, 0.11812600063513479},
                                    {6, 0.22727629496260984, 0.14448438836731936},
                                    {7, 0.3306889704727988, 0.047361916457126264},
                                    {8, 0.33939342027690417, 0},
                                    {10, 0.33939342027690417, 0},
                                    {15, 0.33939342027690417, 0}};
enum { sample_count = sizeof samples / sizeof *samples };

typedef struct watcher {
    const reference *next;
    double worst, worst_v;
    int early, all;
} watcher;

static int watch_step(void *user, const slip_step *step)
{
    watcher *w = user;
    double q[2], v[2];
    while (w->next < samples + sample_count && w->next->t <= step->t1) {
        step->state(step->self, w->next->t, q, v);
        w->worst = fmax(w->worst, fabs(q[1] - w->next->x) + fabs(q[0]));
        w->worst_v = fmax(w->worst_v, fabs(v[1] - w->next->v));
        w->next++;
    }
    return SLIP_OK;
}

static int watch_event(void *user, const slip_event *event)
{
    watcher *w = user;
    w->all++;
    w->early += event->time <= 8;
    return SLIP_OK;
}

static watcher watch_jack(const char *method, double step, double end)
{
    const double zero[2] = {0, 0}, v[2] = {0, 0.1};
    watcher w = {.next = samples};
    slip_observer observer = {.user = &w, .step = watch_step, .event = watch_event};
    bench b = jack_plane(0.4, "1.3");
    outcome o = run(&b, (settings){method, step, 0}, zero, v, end, &observer);
    assert_int_equal(o.status, SLIP_OK);
    assert_int_equal(o.counters.events, w.all);
    clear(&b);
    return w;
}

static void jack_plane_by_the_stabilised_rule(void **state)
{
    static const char *const methods[] = {"midpoint_stabilised", "moreau"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        watcher whole = watch_jack(methods[k], 0.001, 120 * pi), coarse, fine;
        assert_int_equal(whole.early, 3);
        assert_int_equal(whole.all, 60);
        assert_true(whole.worst < 2e-7);
        coarse = watch_jack(methods[k], 0.004, 16);
        fine = watch_jack(methods[k], 0.00025, 16);
        /* Sixteen times the step, at least 16^1.7 times the error: order 2, but for where in a step the
         * switches fall. */
        assert_true(coarse.worst > 110 * fine.worst);
        assert_true(fine.worst < 1e-8 && fine.worst_v < 2e-8);
    }
}

static void jack_plane_chatters_by_the_plain_rule(void **state)
{
    watcher w = watch_jack("midpoint", 0.001, 120 * pi);
    (void)state;
    assert_true(w.early > 1000);
    assert_true(w.worst < 2e-7);   /* the displacement does not suffer */
    assert_true(w.worst_v > 1e-5); /* the velocity does */
}

/* The stick phases of the limit cycle are reached, in the tenth period, to the same accuracy. */
static int note_rest(void *user, const slip_step *step)
{
    double *worst = user, phase = step->t1 - 9 * 12 * pi;
    static const struct {
        double from, to, x;
    } rests[] = {
        {5.2, 5.5, 0.17415079568345265}, {9.3, 20.2, 0.36164855293507214}, {26, 33, -0.7624127679883761}};
    for (int k = 0; k < 3; k++)
        if (phase > rests[k].from && phase < rests[k].to) {
            *worst = fmax(*worst, fabs(step->q1[1] - rests[k].x));
            if (step->v1[1] != 0 || step->v1[0] != 0 || step->q1[0] != 0)
                *worst = INFINITY;
        }
    return SLIP_OK;
}

static void jack_plane_reaches_its_limit_cycle(void **state)
{
    const double zero[2] = {0, 0}, v[2] = {0, 0.1};
    double worst = 0;
    slip_observer observer = {.user = &worst, .step = note_rest};
    bench b = jack_plane(0.4, "1.3");
    (void)state;
    assert_int_equal(
        run(&b, (settings){"midpoint_stabilised", 0.001, 0}, zero, v, 120 * pi, &observer).status, SLIP_OK);
    assert_true(worst < 2e-7);
    clear(&b);
}

/* ---- Lift-off and landing: the second published example. */

typedef struct history {
    slip_event events[64];
    int count;
} history;

static int keep_event(void *user, const slip_event *event)
{
    history *h = user;
    if (h->count < 64)
        h->events[h->count] = *event;
    h->count++;
    return SLIP_OK;
}

static void jack_plane_lifts_off_and_lands(void **state)
{
    static const struct {
        double t;
        slip_mode to;
    } expected[] = {{0.8455722709705775, SLIP_MODE_STICK}, {1.2430676563200318, SLIP_MODE_SLIP_PLUS},
                    {5.600783742003966, SLIP_MODE_STICK},  {7.112240497084967, SLIP_MODE_SLIP_PLUS},
                    {10.36527278574236, SLIP_MODE_STICK},  {16.41869934039615, SLIP_MODE_SLIP_MINUS},
                    {21.447496921342278, SLIP_MODE_OPEN},  {35.294277627304055, SLIP_MODE_SLIP_PLUS}};
    static const char *const methods[] = {"midpoint_stabilised", "moreau"};
    const double zero[2] = {0, 0}, v[2] = {0, 0.1};
    (void)state;
    for (int k = 0; k < 2; k++)
        for (double h = 2e-3; h > 4e-4; h /= 2) {
            history seen = {.count = 0};
            slip_observer observer = {.user = &seen, .event = keep_event};
            bench b = jack_plane(0.3, "0.5");
            outcome o = run(&b, (settings){methods[k], h, 0}, zero, v, 35.2943 + 2 * h, &observer);
            assert_int_equal(o.status, SLIP_OK);
            /* plastic, and the tangential velocity is unchanged */
            assert_close(o.v[0], 0, 1e-12);
            assert_close(o.v[1], 0.8838632055075692, 3 * h);
            assert_int_equal(seen.count, 8);
            for (int i = 0; i < 8; i++) {
                assert_close(seen.events[i].time, expected[i].t, 2.5 * h);
                assert_int_equal(seen.events[i].to, expected[i].to);
            }
            clear(&b);
        }
}

/* ---- Closed forms. */

static bench oscillator(void)
{
    static const char *const names[] = {"u"};
    bench b = build(1, names);
    b.system->damping[0] = 0.1;
    b.system->stiffness[0] = 1;
    add_force(&b, 0, "4*sin(t)");
    add_friction(&b, "pad", "u'", NULL, coulomb(3.2, 1));
    return b;
}

static int note_amplitude(void *user, const slip_step *step)
{
    double *largest = user;
    if (step->t0 > 78 * pi)
        *largest = fmax(*largest, fabs(step->q1[0]));
    return SLIP_OK;
}

static void oscillator_has_the_exact_amplitude(void **state)
{
    static const double steps[] = {4e-3, 1e-3}, allowed[] = {4e-6, 4e-7};
    const double zero = 0;
    (void)state;
    for (int k = 0; k < 2; k++) {
        double largest = 0;
        slip_observer observer = {.user = &largest, .step = note_amplitude};
        bench b = oscillator();
        outcome o = run(&b, (settings){"moreau", steps[k], 0}, &zero, &zero, 80 * pi, &observer);
        assert_int_equal(o.status, SLIP_OK);
        assert_int_equal(o.counters.events, 160);
        assert_true(o.counters.residual < 1e-12);
        assert_close(largest, 0.774878712706875795, allowed[k]);
        clear(&b);
    }
}

/* A block on a table under a load below the limit: nothing moves, to the last bit, by any rule. */
static void block_sticks_to_the_last_bit(void **state)
{
    static const char *const names[] = {"x"};
    static const char *const methods[] = {"midpoint", "midpoint_stabilised", "moreau"};
    const double zero = 0;
    (void)state;
    for (int k = 0; k < 3; k++) {
        bench b = build(1, names);
        outcome o;
        b.system->stiffness[0] = 3.7;
        add_force(&b, 0, "0.9*sin(1.7*t)");
        add_friction(&b, "table", "x'", "1 + 0.01*cos(t)", coulomb(0.95, 1.1));
        o = run(&b, (settings){methods[k], 0.013, 0}, &zero, &zero, 100, NULL);
        assert_int_equal(o.status, SLIP_OK);
        assert_true(o.q[0] == 0 && o.v[0] == 0);
        assert_int_equal(o.counters.events, 0);
        clear(&b);
    }
}

/* Carried by a belt whose speed varies, as long as friction can. */
static void belt_carries_a_block(void **state)
{
    static const char *const names[] = {"x"};
    const double zero = 0;
    bench b = build(1, names);
    outcome o;
    (void)state;
    add_friction(&b, "belt", "x' - 0.2*sin(t)", "2", coulomb(0.3, 1));
    o = run(&b, (settings){"moreau", 0.01, 0}, &zero, &zero, 10, NULL);
    assert_int_equal(o.status, SLIP_OK);
    assert_true(o.v[0] == 0.2 * sin(10));
    assert_close(o.q[0], 0.2 * (1 - cos(10)), 1e-5);
    clear(&b);
}

/* A ball from height 1 with g = 10: impacts at 0.4472 (1 + 2 e + ...), heights e^2 after each. */
static void ball_bounces_and_comes_to_rest(void **state)
{
    static const char *const names[] = {"y"}, *const methods[] = {"moreau", "midpoint_stabilised",
                                                                  "midpoint"};
    const double height = 1, zero = 0, e = 0.6, fall = sqrt(0.2), rest = fall * (1 + 2 * e / (1 - e));
    (void)state;
    for (int k = 0; k < 3; k++) {
        double h = 1e-4;
        history seen = {.count = 0};
        slip_observer observer = {.user = &seen, .event = keep_event};
        bench b = build(1, names);
        outcome o;
        add_force(&b, 0, "-10");
        add_stop(&b, "floor", "y", NULL, 0, e, false);
        o = run(&b, (settings){methods[k], h, 0}, &height, &zero, 1.5 * rest, &observer);
        assert_int_equal(o.status, SLIP_OK);
        for (int i = 0; i < 4; i++) {
            double t = fall * (1 + 2 * e * (1 - pow(e, i)) / (1 - e));
            assert_close(seen.events[i].time, t, 20 * h);
            assert_int_equal(seen.events[i].from, SLIP_MODE_OPEN);
            assert_int_equal(seen.events[i].to, SLIP_MODE_OPEN);
        }
        assert_close(o.q[0], 0, 10 * h);
        assert_close(o.v[0], 0, 20 * h);
        if (k == 0)
            assert_int_equal(seen.events[seen.count - 1 < 63 ? seen.count - 1 : 63].to, SLIP_MODE_CLOSED);
        clear(&b);
    }
}

/* ---- The frame. */

typedef struct joints {
    double last, q, v, worst;
    int64_t steps;
} joints;

static int check_joint(void *user, const slip_step *step)
{
    joints *j = user;
    double q[1], v[1], a[1], slip[1], normal[1], force[1], mode[1];
    slip_sample sample = {
        .q = q, .v = v, .a = a, .slip = slip, .normal = normal, .force = force, .mode = mode};
    if (step->t0 != j->last || step->q0[0] != j->q || step->v0[0] != j->v)
        j->worst = INFINITY;
    step->sample(step->self, step->t1, &sample);
    if (q[0] != step->q1[0] || v[0] != step->v1[0] || a[0] != step->a1[0] || normal[0] != 1)
        j->worst = INFINITY;
    if (mode[0] == SLIP_MODE_STICK ? slip[0] != 0 || fabs(force[0]) > 3.2
                                   : fabs(fabs(force[0]) - 3.2) > 1e-12 || force[0] * v[0] > 0)
        j->worst = INFINITY;
    /* the equation of motion at the middle of the step, with the step's force; where the block comes to rest
     * in the step, the middle still shows the friction of slip */
    double t = 0.5 * (step->t0 + step->t1), end_mode = mode[0];
    step->sample(step->self, t, &sample);
    if (mode[0] == end_mode)
        j->worst = fmax(j->worst, fabs(a[0] + 0.1 * v[0] + q[0] - 4 * sin(t) - force[0]));
    j->last = step->t1;
    j->q = step->q1[0];
    j->v = step->v1[0];
    j->steps++;
    return SLIP_OK;
}

static void steps_join_and_land_on_the_end(void **state)
{
    static const char *const methods[] = {"midpoint_stabilised", "moreau"};
    static const double ends[] = {1, 4.00005, 10.123456};
    const double zero = 0;
    (void)state;
    for (int k = 0; k < 2; k++) {
        joints j = {0, 0, 0, 0, 0};
        slip_observer observer = {.user = &j, .step = check_joint};
        bench b = oscillator();
        slip_method_options options = {.step = 1e-3, .span = 11, .theta = NAN};
        slip_method_counters counters;
        const slip_method_type *type = slip_method_find(methods[k]);
        double t, q, v;
        void *self;
        assert_int_equal(slip_system_finish(b.ctx, b.system), SLIP_OK);
        assert_int_equal(type->open(b.ctx, b.system, &options, 0, &zero, &zero, &self), SLIP_OK);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(type->advance(self, ends[i], &observer), SLIP_OK);
            type->state(self, &t, &q, &v);
            assert_true(t == ends[i] && j.last == ends[i]);
        }
        type->counters(self, &counters);
        assert_true(counters.steps == j.steps && j.steps == 1000 + 3001 + 6124);
        assert_true(j.worst < 1e-5);
        type->close(self);
        clear(&b);
    }
}

/* The step compiled for small systems against the one for all: the same bits. */
static void quick_step_has_a_slow_twin(void **state)
{
    static const char *const names[] = {"x", "y"}, *const slips[] = {"2*x' - 0.05", "x' - 3*y'", "x'"};
    static const double q[2] = {0.2, -0.1}, v[2] = {0, 0.3}, stiffness[] = {3, -1, -1, 2};
    slip_observer none = {0};
    (void)state;
    for (int k = 0; k < 6; k++) {
        int n = k % 3 == 2 ? 1 : 2;
        double t[2], q1[2][2] = {{0}}, v1[2][2] = {{0}};
        slip_method_counters counters[2];
        for (int slow = 0; slow < 2; slow++) {
            slip_method_options options = {.step = 3e-3, .span = 30, .theta = k < 3 ? 0.5 : 0.8};
            bench b = build(n, names);
            void *self;
            memcpy(b.system->stiffness, stiffness, (size_t)n * (size_t)n * sizeof(double));
            add_force(&b, 0, "cos(1.3*t)");
            add_friction(&b, "pad", slips[k % 3], "0.3", coulomb(1, 1.2));
            assert_int_equal(slip_system_finish(b.ctx, b.system), SLIP_OK);
            assert_int_equal(slip_method_find("moreau")->open(b.ctx, b.system, &options, 0, q, v, &self),
                             SLIP_OK);
            assert_true(((slip_fixed *)self)->quick);
            ((slip_fixed *)self)->quick = !slow;
            assert_int_equal(slip_method_find("moreau")->advance(self, 30.001, &none), SLIP_OK);
            slip_method_find("moreau")->state(self, &t[slow], q1[slow], v1[slow]);
            slip_method_find("moreau")->counters(self, &counters[slow]);
            slip_method_find("moreau")->close(self);
            clear(&b);
        }
        assert_memory_equal(q1[0], q1[1], sizeof q1[0]);
        assert_memory_equal(v1[0], v1[1], sizeof v1[0]);
        assert_int_equal(counters[0].events, counters[1].events);
        assert_true(counters[0].events > 5 && counters[0].evaluations == counters[1].evaluations);
    }
}

/* A contact that sticks has a coordinate set so that its slip is zero to the last bit. It must not be one
 * that the contact hardly reaches, of which that would ask for rounding over the size of its entry: y is a
 * free oscillator but for a force of 1e-10, and keeps its energy. */
static void a_coordinate_that_is_hardly_reached_is_left_alone(void **state)
{
    static const char *const names[] = {"x", "y"};
    static const double q[2] = {0, 1}, v[2] = {0.1, 0}, stiffness[] = {1, 0, 0, 4};
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        slip_method_options options = {.step = 3e-3, .span = 30, .theta = 0.5};
        slip_observer none = {0};
        bench b = build(2, names);
        double t, q1[2], v1[2];
        void *self;
        memcpy(b.system->stiffness, stiffness, sizeof stiffness);
        add_friction(&b, "pad", "x' + 1e-10*y' - 0.1", "10", coulomb(1, 1));
        assert_int_equal(slip_system_finish(b.ctx, b.system), SLIP_OK);
        assert_int_equal(slip_method_find("moreau")->open(b.ctx, b.system, &options, 0, q, v, &self),
                         SLIP_OK);
        ((slip_fixed *)self)->quick = !slow;
        assert_int_equal(slip_method_find("moreau")->advance(self, 30, &none), SLIP_OK);
        slip_method_find("moreau")->state(self, &t, q1, v1);
        assert_close(v1[0] + 1e-10 * v1[1], 0.1, 1e-16);
        assert_close(2 * q1[1] * q1[1] + 0.5 * v1[1] * v1[1], 2, 2e-8);
        slip_method_find("moreau")->close(self);
        clear(&b);
    }
}

static int stop_at_once(void *user, const slip_step *step)
{
    (void)user, (void)step;
    return SLIP_STOPPED;
}

static void observer_can_stop_and_interrupt_is_heard(void **state)
{
    const double zero = 0;
    slip_observer observer = {.step = stop_at_once};
    bench b = oscillator();
    outcome o = run(&b, (settings){"moreau", 1e-3, 0}, &zero, &zero, 10, &observer);
    (void)state;
    assert_int_equal(o.status, SLIP_STOPPED);
    assert_close(o.t, 1e-3, 1e-15);
    slip_context_interrupt(b.ctx);
    assert_int_equal(run(&b, (settings){"moreau", 1e-3, 0}, &zero, &zero, 10, NULL).status, SLIP_INTERRUPTED);
    clear(&b);
}

static void expect_refusal(bench *b, settings s, const char *part)
{
    const double zero[2] = {0, 0};
    outcome o = run(b, s, zero, zero, 1, NULL);
    assert_true(o.status < 0);
    if (!strstr(slip_context_message(b->ctx), part))
        print_error("%s\n", slip_context_message(b->ctx));
    assert_non_null(strstr(slip_context_message(b->ctx), part));
    clear(b);
}

static void what_cannot_be_done_is_refused(void **state)
{
    static const char *const names[] = {"x"};
    slip_law law = slip_law_default("elliptic");
    bench b = build(1, names);
    (void)state;
    law.mu = law.width = 1;
    add_friction(&b, "pad", "x'", NULL, law);
    expect_refusal(&b, (settings){"moreau", 1e-3, 0}, "contact `pad`: law `elliptic`");
    b = oscillator();
    expect_refusal(&b, (settings){"moreau", 1e-3, 0.3}, "theta is 0.3; expected 0.5 to 1");
    b = build(1, names);
    add_friction(&b, "pad", "x'", "1 - 2*t", coulomb(1, 1));
    expect_refusal(&b, (settings){"moreau", 1e-3, 0}, "contact `pad`: at t = 0.5");
    b = build(1, names);
    add_force(&b, 0, "sqrt(0.5 - t)");
    expect_refusal(&b, (settings){"moreau", 1e-3, 0}, "is not defined");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jack_plane_by_the_stabilised_rule),
        cmocka_unit_test(jack_plane_chatters_by_the_plain_rule),
        cmocka_unit_test(jack_plane_reaches_its_limit_cycle),
        cmocka_unit_test(jack_plane_lifts_off_and_lands),
        cmocka_unit_test(oscillator_has_the_exact_amplitude),
        cmocka_unit_test(block_sticks_to_the_last_bit),
        cmocka_unit_test(belt_carries_a_block),
        cmocka_unit_test(ball_bounces_and_comes_to_rest),
        cmocka_unit_test(steps_join_and_land_on_the_end),
        cmocka_unit_test(quick_step_has_a_slow_twin),
        cmocka_unit_test(a_coordinate_that_is_hardly_reached_is_left_alone),
        cmocka_unit_test(observer_can_stop_and_interrupt_is_heard),
        cmocka_unit_test(what_cannot_be_done_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
