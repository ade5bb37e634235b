/* Set-valued friction and unilateral contact by the event method: published examples, closed forms, named
 * trouble. */
#include "system_builder.h"

static const double pi = 3.14159265358979323846;

/* ---- Watching a run: its events, and the judge over samples in every step. */

enum { most_events = 20000 };

typedef struct watcher {
    const slip_system *system;
    slip_workspace *work;
    slip_event events[most_events];
    int count;
    double q[most_events][2]; /* at the event */
    double last_t, residual, worst_slip;
    double last_q[2];
} watcher;

static int watch_step(void *user, const slip_step *step)
{
    watcher *w = user;
    double q[8], v[8], a[8], slip[8], normal[8], force[8], mode[8];
    slip_sample sample = {
        .q = q, .v = v, .a = a, .slip = slip, .normal = normal, .force = force, .mode = mode};
    assert_true(step->t0 == w->last_t);
    w->last_t = step->t1;
    for (int k = 0; k <= 3; k++) {
        double t = step->t0 + (step->t1 - step->t0) * k / 3;
        step->sample(step->self, t, &sample);
        w->residual =
            fmax(w->residual, slip_system_residual(w->system, w->work, t, q, v, normal, force, NULL));
        for (int c = 0; c < (int)w->system->contact_count; c++)
            if (mode[c] == SLIP_MODE_STICK)
                w->worst_slip = fmax(w->worst_slip, fabs(slip[c]));
    }
    for (int i = 0; i < w->system->n && i < 2; i++)
        w->last_q[i] = step->q1[i];
    return SLIP_OK;
}

static int watch_event(void *user, const slip_event *event)
{
    watcher *w = user;
    assert_true(w->count < most_events);
    memcpy(w->q[w->count], w->last_q, sizeof w->last_q);
    w->events[w->count++] = *event;
    return SLIP_OK;
}

typedef struct outcome {
    int status;
    double t, q[8], v[8];
    slip_method_counters counters;
    watcher *w;
} outcome;

static outcome run(bench *b, const char *segments, double tolerance, const double *q, const double *v,
                   double end)
{
    outcome o = {.w = calloc(1, sizeof(watcher))};
    void *self = NULL;
    const slip_method_type *type = slip_method_find("event");
    slip_method_options options = {.tolerance = tolerance, .span = end, .segments = segments};
    slip_observer observer = {.user = o.w, .step = watch_step, .event = watch_event};
    check_done(b, slip_system_finish(b->ctx, b->system));
    o.w->system = b->system;
    check_done(b, slip_workspace_create(b->ctx, b->system, &o.w->work));
    check_done(b, type->open(b->ctx, b->system, &options, 0, q, v, &self));
    o.status = type->advance(self, end, &observer);
    type->state(self, &o.t, o.q, o.v);
    type->counters(self, &o.counters);
    type->close(self);
    return o;
}

static void finish(outcome *o)
{
    slip_workspace_destroy(o->w->work);
    free(o->w);
}

/* The residual of the laws over every sample is below 1e-9, and what sticks does not move at all. */
static void check_judge(const outcome *o)
{
    assert_close(o->w->residual, 0, 1e-9);
    assert_true(o->w->worst_slip == 0);
}

typedef struct expected_event {
    const char *type;
    double t, x;
} expected_event;

static void check_event(const slip_event *event, const expected_event *expected, double tolerance)
{
    char type[40];
    snprintf(type, sizeof type, "%s>%s", slip_mode_name(event->from), slip_mode_name(event->to));
    assert_string_equal(type, expected->type);
    assert_close(event->time, expected->t, tolerance);
}

/* ---- The published jack plane. */

static const expected_event events_a[] = {{"slip+>stick", 0.19450479897598785, 0.009671787553264503},
                                          {"stick>slip+", 3.3904194613741985, 0.009671787553264503},
                                          {"slip+>stick", 7.3718002014006085, 0.33939342027690417},
                                          {"stick>slip-", 20.35625286648309, 0.33939342027690417},
                                          {"slip->stick", 26.007700852581518, -0.7700674830248542},
                                          {"stick>slip+", 32.94413484237892, -0.7700674830248542},
                                          {"slip+>stick", 42.721381835007634, 0.16670906831450363},
                                          {"stick>slip+", 43.13211777100148, 0.16670906831450363},
                                          {"slip+>stick", 46.79528266067661, 0.3623448103062179},
                                          {"stick>slip-", 57.94189930459474, 0.3623448103062179},
                                          {"slip->stick", 63.613406373913065, -0.7621674359290709},
                                          {"stick>slip+", 70.75030763090297, -0.7621674359290709}};
static const expected_event events_b[] = {{"slip+>stick", 0.8455722709705775, 0.03713267610608847},
                                          {"stick>slip+", 1.2430676563200318, 0.03713267610608847},
                                          {"slip+>stick", 5.600783742003966, 0.5177596812348398},
                                          {"stick>slip+", 7.112240497084967, 0.5177596812348398},
                                          {"slip+>stick", 10.36527278574236, 0.6046110785021406},
                                          {"stick>slip-", 16.41869934039615, 0.6046110785021406},
                                          {"slip->open", 21.447496921342278, -0.5},
                                          {"open>slip+", 35.294277627304055, -0.4690261945470084}};
/* The limit cycle of (a), period 12 pi. */
static const expected_event cycle_a[] = {{"slip+>stick", 5.069787473995518, 0.17415079568345265},
                                         {"stick>slip+", 5.5502044783607705, 0.17415079568345265},
                                         {"slip+>stick", 9.189571160795964, 0.36164855293507214},
                                         {"stick>slip-", 20.246221899195987, 0.36164855293507214},
                                         {"slip->stick", 25.917122234166055, -0.7624127679883761},
                                         {"stick>slip+", 33.04789938390856, -0.7624127679883761}};

static bench jack_plane(double friction, const char *normal_load)
{
    static const char *const names[] = {"un", "ut"};
    const double stiffness[] = {1.2, -1, -1, 1.2};
    slip_law law = coulomb(friction, 1);
    bench b = build(2, names);
    memcpy(b.system->stiffness, stiffness, sizeof stiffness);
    add_force(&b, 0, normal_load);
    add_force(&b, 1, "sin(t/6)");
    add_unilateral(&b, "plane", "-un", "ut'", &law, 0, false);
    return b;
}

static const double plane_q[2] = {0, 0}, plane_v[2] = {0, 0.1};

static void jack_plane_in_contact(void **state)
{
    (void)state;
    for (double tolerance = 1e-6; tolerance > 1e-13; tolerance *= 0.01) {
        bench b = jack_plane(0.4, "1.3");
        outcome o = run(&b, "rk", tolerance, plane_q, plane_v, 120 * pi);
        double allowed = tolerance > 1e-9 ? 1e4 * tolerance : tolerance > 1e-11 ? 1e-6 : 1e-8;
        assert_int_equal(o.status, SLIP_OK);
        assert_int_equal(o.w->count, 60);
        for (int k = 0; k < 12; k++) {
            check_event(&o.w->events[k], &events_a[k], allowed);
            assert_close(o.w->q[k][1], events_a[k].x, allowed);
        }
        for (int k = 0; k < 6; k++) {
            expected_event last = cycle_a[k];
            last.t += 9 * 12 * pi;
            check_event(&o.w->events[54 + k], &last, allowed);
        }
        check_judge(&o);
        finish(&o);
        clear(&b);
    }
}

static void jack_plane_lifts_off_and_lands(void **state)
{
    int counts[4], n = 0;
    (void)state;
    for (double tolerance = 1e-6; tolerance > 1e-13; tolerance *= 0.01) {
        bench b = jack_plane(0.3, "0.5");
        outcome o = run(&b, "rk", tolerance, plane_q, plane_v, 120 * pi);
        double allowed = tolerance > 1e-9 ? 1e4 * tolerance : tolerance > 1e-11 ? 1e-6 : 1e-8;
        assert_int_equal(o.status, SLIP_OK);
        for (int k = 0; k < 8; k++)
            check_event(&o.w->events[k], &events_b[k], allowed);
        counts[n++] = o.w->count;
        check_judge(&o);
        finish(&o);
        clear(&b);
    }
    for (int k = 1; k < n; k++)
        assert_int_equal(counts[k], counts[0]); /* nothing is missed */
}

/* ---- The Coulomb oscillator u'' + 0.1 u' + u = 4 sin t - 3.2 Sign(u'). */

static void coulomb_oscillator(void **state)
{
    static const char *const names[] = {"u"};
    const double zero = 0;
    bench b = build(1, names);
    outcome o;
    double largest = 0;
    (void)state;
    b.system->damping[0] = 0.1;
    b.system->stiffness[0] = 1;
    add_force(&b, 0, "4*sin(t)");
    add_friction(&b, "pad", "u'", NULL, coulomb(3.2, 1));
    o = run(&b, "rk", 1e-11, &zero, &zero, 100 * pi);
    assert_int_equal(o.status, SLIP_OK);
    assert_int_equal(o.w->count, 200); /* four switches a period */
    check_event(&o.w->events[0], &(expected_event){"stick>slip+", 0.9272952180016122, 0}, 1e-9);
    check_event(&o.w->events[1], &(expected_event){"slip+>stick", 2.6543667075490123, 0}, 1e-9);
    assert_close(o.w->q[1][0], 0.5086548637019906, 1e-9);
    for (int k = 190; k < 200; k++)
        largest = fmax(largest, fabs(o.w->q[k][0]));
    assert_close(largest, 0.774878712706875795, 1e-9);
    check_judge(&o);
    finish(&o);
    clear(&b);
}

/* ---- Impact. */

/* A ball from height 1 with unit gravity: bounce k at known times, and lasting contact at sqrt 2 (1 + e)/(1 -
 * e). */
static void bouncing_ball(void **state)
{
    static const char *const names[] = {"y"};
    const double one = 1, zero = 0;
    (void)state;
    for (double e = 0.3; e < 0.95; e += 0.2) {
        bench b = build(1, names);
        outcome o;
        double t = sqrt(2), flight = 2 * sqrt(2) * e;
        add_force(&b, 0, "-1");
        add_unilateral(&b, "floor", "y", NULL, NULL, e, false);
        o = run(&b, "rk", 1e-10, &one, &zero, 40);
        assert_int_equal(o.status, SLIP_OK);
        assert_int_equal(o.counters.accumulations, 1);
        for (int k = 0; k < o.w->count - 1; k++) {
            check_event(&o.w->events[k], &(expected_event){"open>open", t, 0}, 1e-9);
            t += flight;
            flight *= e;
        }
        check_event(&o.w->events[o.w->count - 1],
                    &(expected_event){"open>closed", sqrt(2) * (1 + e) / (1 - e), 0}, 1e-9);
        assert_true(o.q[0] == 0 && o.v[0] == 0);
        check_judge(&o);
        finish(&o);
        clear(&b);
    }
}

/* e = 0: contact at once; e = 1: for ever, with all its energy. */
static void plastic_and_elastic_ball(void **state)
{
    static const char *const names[] = {"y"};
    const double one = 1, zero = 0;
    bench b = build(1, names), c = build(1, names);
    outcome o;
    (void)state;
    add_force(&b, 0, "-1");
    add_unilateral(&b, "floor", "y", NULL, NULL, 0, false);
    o = run(&b, "rk", 1e-10, &one, &zero, 5);
    assert_int_equal(o.w->count, 1);
    check_event(&o.w->events[0], &(expected_event){"open>closed", sqrt(2), 0}, 1e-10);
    check_judge(&o);
    finish(&o);
    clear(&b);
    add_force(&c, 0, "-1");
    add_unilateral(&c, "floor", "y", NULL, NULL, 1, false);
    o = run(&c, "rk", 1e-10, &one, &zero, 100);
    assert_int_equal(o.w->count, 35); /* sqrt 2 (2 k + 1) < 100 */
    assert_close(o.q[0] + o.v[0] * o.v[0] / 2, 1, 1e-8);
    finish(&o);
    clear(&c);
}

/* Newton's cradle of two: equal masses exchange their velocities; the bounce falls on the final time exactly.
 */
static void bounce_at_the_final_time(void **state)
{
    static const char *const names[] = {"x", "y"};
    const double q[2] = {0, 1}, v[2] = {1, 0};
    bench b = build(2, names);
    outcome o;
    (void)state;
    add_unilateral(&b, "between", "y - x", NULL, NULL, 1, false);
    o = run(&b, "rk", 1e-9, q, v, 1);
    assert_int_equal(o.status, SLIP_OK);
    assert_close(o.q[0], 1, 1e-12);
    finish(&o);
    o = run(&b, "rk", 1e-9, q, v, 2);
    assert_close(o.v[0], 0, 1e-12);
    assert_close(o.v[1], 1, 1e-12);
    assert_int_equal(o.w->count, 1);
    finish(&o);
    clear(&b);
}

/* ---- Friction at its limits. */

/* A block on an incline at exactly the friction angle stays; a little steeper it slides with the difference.
 */
static void block_at_the_friction_angle(void **state)
{
    static const char *const names[] = {"x"};
    const double zero = 0;
    bench b = build(1, names), c = build(1, names);
    outcome o;
    (void)state;
    add_force(&b, 0, "9.81*sin(atan(0.3))");
    add_friction(&b, "incline", "x'", "9.81*cos(atan(0.3))", coulomb(0.3, 1));
    o = run(&b, "rk", 1e-9, &zero, &zero, 100);
    assert_int_equal(o.status, SLIP_OK);
    assert_int_equal(o.w->count, 0);
    assert_true(o.q[0] == 0 && o.v[0] == 0);
    finish(&o);
    clear(&b);
    add_force(&c, 0, "1.001");
    add_friction(&c, "incline", "x'", NULL, coulomb(1, 1));
    o = run(&c, "rk", 1e-9, &zero, &zero, 10);
    assert_close(o.v[0], 0.01, 1e-12);
    finish(&o);
    clear(&c);
}

/* Static above kinetic friction on a belt: sticks until the spring reaches the static limit, then a known
 * arc. */
static void static_above_kinetic_friction(void **state)
{
    static const char *const names[] = {"x"};
    const double q = 0, v = 0.1;
    bench b = build(1, names);
    outcome o;
    /* slip from x = 0.6, x' = 0.1 about x = 0.4: returns to the belt's speed at the mirror image x = 0.2 */
    double phase = 2 * (pi - atan(0.2 / 0.1));
    (void)state;
    b.system->stiffness[0] = 1;
    add_friction(&b, "belt", "x' - 0.1", NULL, coulomb(0.4, 1.5));
    o = run(&b, "rk", 1e-11, &q, &v, 20);
    assert_int_equal(o.status, SLIP_OK);
    check_event(&o.w->events[0], &(expected_event){"stick>slip-", 6, 0}, 1e-9);
    check_event(&o.w->events[1], &(expected_event){"slip->stick", 6 + phase, 0}, 1e-8);
    check_event(&o.w->events[2], &(expected_event){"stick>slip-", 6 + phase + 4, 0}, 1e-8);
    check_judge(&o);
    finish(&o);
    clear(&b);
}

/* Two masses pressed together by friction and pulled: they move as one until the friction between them is
 * used up. */
static void two_masses_hold_each_other(void **state)
{
    static const char *const names[] = {"x", "y"};
    const double zero[2] = {0, 0};
    bench b = build(2, names);
    outcome o;
    (void)state;
    b.system->mass[3] = 2;
    add_force(&b, 0, "t");
    add_friction(&b, "between", "x' - y'", NULL, coulomb(1, 1));
    o = run(&b, "rk", 1e-11, zero, zero, 3);
    /* together a = t/3, friction 2 t/3 reaches 1 at t = 1.5; then x'' = t - 1, y'' = 1/2 */
    assert_int_equal(o.w->count, 1);
    check_event(&o.w->events[0], &(expected_event){"stick>slip+", 1.5, 0}, 1e-9);
    assert_close(o.v[0], 1.5 * 1.5 / 6 + (9 - 1.5 * 1.5) / 2 - 1.5, 1e-9);
    assert_close(o.v[1], 1.5 * 1.5 / 6 + 0.75, 1e-9);
    check_judge(&o);
    finish(&o);
    clear(&b);
}

/* A rod-like contact with too much friction: no mode is consistent, and it is said. */
static void painleve_paradox_is_named(void **state)
{
    static const char *const names[] = {"y", "th"};
    const double q[2] = {0, 0}, v[2] = {0, 0};
    slip_law law = coulomb(5, 1);
    bench b = build(2, names);
    outcome o;
    (void)state;
    /* W_n = (1, -1), W_t = (0.1, -3): sliding friction outweighs the normal direction */
    add_force(&b, 0, "-1");
    add_unilateral(&b, "tip", "y - th", "0.1*y' - 3*th' + 1", &law, 0, false);
    o = run(&b, "rk", 1e-9, q, v, 1);
    assert_int_equal(o.status, SLIP_ERROR_SOLVER);
    assert_non_null(strstr(slip_context_message(b.ctx), "`tip`"));
    assert_non_null(strstr(slip_context_message(b.ctx), "t = 0"));
    finish(&o);
    clear(&b);
}

/* ---- Every change has its row. */

static void bounces_at_the_same_instant_have_a_row_each(void **state)
{
    static const char *const names[] = {"a", "b", "c"}, *const segments[] = {"rk", "exact"};
    const double q[3] = {1, 1, 1}, v[3] = {0, 0, 0};
    (void)state;
    for (int k = 0; k < 2; k++) {
        bench b = build(3, names);
        outcome o;
        for (int i = 0; i < 3; i++) {
            add_force(&b, i, "-1");
            add_unilateral(&b, names[i], names[i], NULL, NULL, 0.5, false);
        }
        o = run(&b, segments[k], 1e-10, q, v, 3);
        assert_int_equal(o.w->count, 6);
        for (int e = 0; e < 6; e++) {
            assert_int_equal(o.w->events[e].contact, e % 3);
            check_event(&o.w->events[e], &(expected_event){"open>open", e < 3 ? sqrt(2) : 2 * sqrt(2), 0},
                        1e-9);
        }
        finish(&o);
        clear(&b);
    }
}

/* What a contact changes from is what it changed to before; also on a floor that shakes, from a landing at
 * the start. */
static void modes_follow_each_other(void **state)
{
    static const char *const names[] = {"x", "y"}, *const segments[] = {"rk", "exact"};
    const double zero[2] = {0, 0};
    (void)state;
    for (int k = 0; k < 2; k++)
        for (double e = 0; e < 0.5; e += 0.3) {
            slip_law law = coulomb(0.3, 1);
            bench b = build(2, names);
            outcome o;
            b.system->stiffness[0] = 4;
            add_force(&b, 0, "3*sin(2*t)");
            add_force(&b, 1, "-9.81");
            add_unilateral(&b, "floor", "y - 0.2*sin(7.5*t)", "x' - 0.1", &law, e, false);
            o = run(&b, segments[k], 1e-9, zero, zero, 20);
            assert_int_equal(o.status, SLIP_OK);
            assert_true(o.w->count > 50);
            for (int i = 1; i < o.w->count; i++)
                assert_int_equal(o.w->events[i].from, o.w->events[i - 1].to);
            finish(&o);
            clear(&b);
        }
}

/* The limit of stick is reached at the start with zero slope: 0.3 cos t, or 0.3 (1 - t^3), falls below the
 * load 0.3 at once. The block slips from the start: that is no event. And one with 0.3 (1 + t^2): it sticks.
 */
static void limit_that_is_reached_with_zero_slope(void **state)
{
    static const char *const names[] = {"x"}, *const segments[] = {"rk", "exact"};
    static const char *const normals[] = {"cos(t)", "1 - t^3", "1 + t^2"};
    const double zero = 0, speeds[] = {0.3 * (1 - sin(1)), 0.3 / 4, 0};
    (void)state;
    for (int k = 0; k < 6; k++) {
        bench b = build(1, names);
        outcome o;
        add_force(&b, 0, "0.3");
        add_friction(&b, "pad", "x'", normals[k / 2], coulomb(0.3, 1));
        o = run(&b, segments[k % 2], 1e-10, &zero, &zero, 1);
        assert_int_equal(o.status, SLIP_OK);
        assert_int_equal(o.w->count, 0);
        assert_close(o.v[0], speeds[k / 2], 1e-8);
        finish(&o);
        clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jack_plane_in_contact),
        cmocka_unit_test(jack_plane_lifts_off_and_lands),
        cmocka_unit_test(coulomb_oscillator),
        cmocka_unit_test(bouncing_ball),
        cmocka_unit_test(plastic_and_elastic_ball),
        cmocka_unit_test(bounce_at_the_final_time),
        cmocka_unit_test(block_at_the_friction_angle),
        cmocka_unit_test(static_above_kinetic_friction),
        cmocka_unit_test(two_masses_hold_each_other),
        cmocka_unit_test(painleve_paradox_is_named),
        cmocka_unit_test(bounces_at_the_same_instant_have_a_row_each),
        cmocka_unit_test(modes_follow_each_other),
        cmocka_unit_test(limit_that_is_reached_with_zero_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
