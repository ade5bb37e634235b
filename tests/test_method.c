/* Methods on systems with smooth laws: closed forms, reference values, singular velocities. */
#include "method/flow/flow.h"
#include "system_builder.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

static slip_law elliptic(double mu, double width, double static_width)
{
    slip_law law = slip_law_default("elliptic");
    law.mu = mu;
    law.width = width;
    law.static_width = static_width;
    return law;
}

/* Runs from 0 to the given times; q and v have the state at the last one. */
typedef struct outcome {
    double t, q[4], v[4];
    slip_method_counters counters;
    int status;
} outcome;

static outcome run(bench *b, const char *method, double tolerance, double step, const double *q,
                   const double *v, double end, const slip_observer *observer)
{
    outcome o = {0};
    void *self = NULL;
    slip_observer none = {0};
    slip_method_options options = {.tolerance = tolerance, .step = step, .span = end, .theta = NAN};
    const slip_method_type *type = slip_method_find(method);
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

/* The published oscillator u'' + 0.1 u' + u = 4 sin t - H(u'). */
static bench oscillator(double h, double width, double static_width)
{
    static const char *const names[] = {"u"};
    bench b = build(1, names);
    b.system->damping[0] = 0.1;
    b.system->stiffness[0] = 1;
    add_force(&b, 0, "4*sin(t)");
    add_friction(&b, "pad", "u'", NULL, elliptic(h, width, static_width));
    return b;
}

/* ---- Reference values: state after whole periods from rest, independent computation at high precision. */

typedef struct reference {
    double h, width, static_width, after[5][2];
} reference;

static const reference references[] = {{3.2,
                                        0.8,
                                        0,
                                        {{0, 0},
                                         {-1.17819177979528, 0.034920341764611736},
                                         {-1.2944260336689202, 0.041670112908082375},
                                         {-1.325456122140802, 0.043448450522587924},
                                         {-1.3342933454816943, 0.04395052061682358}}},
                                       {3.2,
                                        0.4,
                                        0,
                                        {{0, 0},
                                         {-0.9296122158119872, 0.013166303741510788},
                                         {-1.043088650406011, 0.016621676144262715},
                                         {-1.0730680496410743, 0.01760404611757603},
                                         {-1.0815473306750167, 0.017887110373253374}}},
                                       {1.6,
                                        0.8,
                                        0.8,
                                        {{0, 0},
                                         {-1.6803881437542618, 0.08954957275272299},
                                         {-4.471061371495624, -0.3217546641870036},
                                         {-8.12278085899977, -0.26824267256397705},
                                         {-11.080876624630143, -0.10154128475884243}}}};

static void elliptic_oscillator_from_rest(void **state)
{
    static const struct {
        const char *method;
        double tolerance, allowed;
    } cases[] = {{"event", 1e-10, 2e-9}, {"event", 1e-12, 2e-11}, {"smooth", 1e-10, 1e-8}, {"rk4", 1, 1e-4}};
    const double zero = 0;
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 4; m++)
            for (int period = 1; period <= 4; period++) {
                bench b = oscillator(references[k].h, references[k].width, references[k].static_width);
                outcome o = run(&b, cases[m].method, cases[m].tolerance, 2 * pi / 2000, &zero, &zero,
                                2 * pi * period, NULL);
                assert_int_equal(o.status, SLIP_OK);
                assert_true(o.t == 2 * pi * period);
                assert_close(o.q[0], references[k].after[period][0], cases[m].allowed);
                assert_close(o.v[0], references[k].after[period][1], cases[m].allowed);
                clear(&b);
            }
}

static int count_event(void *user, const slip_event *event)
{
    double *last = user;
    (void)event;
    ++*last;
    return SLIP_OK;
}

static void reversals_do_not_depend_on_the_tolerance(void **state)
{
    const double zero = 0;
    (void)state;
    for (int k = 0; k < 3; k++)
        for (double tolerance = 1e-4; tolerance > 1e-13; tolerance *= 0.01) {
            double events = 0;
            slip_observer observer = {.user = &events, .event = count_event};
            bench b = oscillator(references[k].h, references[k].width, references[k].static_width);
            outcome o = run(&b, "event", tolerance, 0, &zero, &zero, 20 * pi, &observer);
            assert_int_equal(o.status, SLIP_OK);
            assert_int_equal((int)events, 20);
            assert_int_equal(o.counters.events, 20);
            clear(&b);
        }
}

/* x'' = -H(x'), in the chart s' = -h/D: it stops at t = D s0 / h, exactly, and stays. */
static void sliding_mass_comes_to_rest_in_finite_time(void **state)
{
    static const char *const names[] = {"x"}, *const methods[] = {"event", "smooth"};
    const double h = 0.7, D = 0.5, v0 = 0.3, zero = 0, s0 = acos(1 - v0 / D), stop = D * s0 / h;
    const double path = D * D / h * (s0 - sin(s0));
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int half = 0; half < 2; half++) {
            bench b = build(1, names);
            double end = half ? 0.5 * stop : 3 * stop, s = fmax(0, s0 - h * end / D);
            outcome o;
            add_friction(&b, "pad", "x'", NULL, elliptic(h, D, 0));
            o = run(&b, methods[k], 1e-10, 0, &zero, &v0, end, NULL);
            assert_int_equal(o.status, SLIP_OK);
            assert_close(o.v[0], D * (1 - cos(s)), 1e-9);
            assert_close(o.q[0], path - D * D / h * (s - sin(s)), 2e-9);
            if (!half)
                assert_true(o.v[0] == 0);
            clear(&b);
        }
}

static void without_load_nothing_moves(void **state)
{
    static const char *const names[] = {"x", "y"}, *const methods[] = {"event", "smooth", "rk4"};
    const double zero[2] = {0, 0};
    (void)state;
    for (int k = 0; k < 3; k++) {
        bench b = build(2, names);
        outcome o;
        add_friction(&b, "one", "x'", NULL, elliptic(1, 0.1, 0));
        add_friction(&b, "two", "x' - y'", NULL, elliptic(1, 0.1, 0.05));
        add_friction(&b, "again", "x'", NULL, elliptic(1, 0.1, 0)); /* redundant on purpose */
        o = run(&b, methods[k], 1e-8, 0.01, zero, zero, 100, NULL);
        assert_int_equal(o.status, SLIP_OK);
        assert_true(o.q[0] == 0 && o.v[0] == 0 && o.q[1] == 0 && o.v[1] == 0);
        clear(&b);
    }
}

/* A constant load below the limit: the velocity at which the law balances it. */
static void constant_load_creeps_at_the_balance(void **state)
{
    static const char *const names[] = {"x"}, *const methods[] = {"event", "smooth"};
    static const char *const loads[] = {"0.6", "-0.01", "1e-4"};
    const double values[] = {0.6, -0.01, 1e-4}, zero = 0;
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < 3; l++) {
            bench b = build(1, names);
            outcome o;
            double balance = copysign(0.2 * (1 - sqrt(1 - values[l] * values[l])), values[l]);
            add_friction(&b, "pad", "x'", NULL, elliptic(1, 0.2, 0));
            add_force(&b, 0, loads[l]);
            o = run(&b, methods[k], 1e-10, 0, &zero, &zero, 10, NULL);
            assert_int_equal(o.status, SLIP_OK);
            assert_close(o.v[0], balance, 1e-9);
            assert_true(values[l] * o.v[0] > 0);
            clear(&b);
        }
}

/* Rest, then a load that comes late and smoothly: the hold must end when it comes. */
static void rest_ends_when_the_load_comes(void **state)
{
    static const char *const names[] = {"x"}, *const methods[] = {"event", "smooth"};
    const double zero = 0;
    double found[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        bench b = build(1, names);
        outcome o;
        add_friction(&b, "pad", "x'", NULL, elliptic(1, 0.2, 0));
        add_force(&b, 0, "if(t > 5, 0.9*(t-5)^3, 0)");
        o = run(&b, methods[k], 1e-10, 0, &zero, &zero, 6, NULL);
        assert_int_equal(o.status, SLIP_OK);
        found[k] = o.v[0];
        assert_true(o.v[0] > 0.01);
        clear(&b);
    }
    assert_close(found[0], found[1], 1e-8);
}

/* Two of the published oscillators side by side, not coupled: both contacts are in their charts, and at rest,
 * together. */
static void two_contacts_pass_their_singular_points_together(void **state)
{
    static const char *const names[] = {"x", "y"}, *const methods[] = {"event", "smooth"};
    const double zero[2] = {0, 0};
    (void)state;
    for (int k = 0; k < 2; k++) {
        bench b = build(2, names);
        outcome o;
        for (int i = 0; i < 2; i++) {
            b.system->damping[3 * i] = 0.1;
            b.system->stiffness[3 * i] = 1;
            add_force(&b, i, "4*sin(t)");
        }
        add_friction(&b, "one", "x'", NULL, elliptic(3.2, 0.8, 0));
        add_friction(&b, "two", "y'", NULL, elliptic(1.6, 0.8, 0.8));
        o = run(&b, methods[k], 1e-10, 0, zero, zero, 4 * pi, NULL);
        assert_int_equal(o.status, SLIP_OK);
        assert_close(o.q[0], references[0].after[2][0], 1e-8);
        assert_close_relative(o.q[1], references[2].after[2][0], 1e-8);
        assert_close(o.v[0], references[0].after[2][1], 1e-8);
        assert_close(o.v[1], references[2].after[2][1], 1e-8);
        clear(&b);
    }
}

/* Seen from a belt that moves with constant speed, the oscillator without spring is the same. */
static void belt_is_a_change_of_frame(void **state)
{
    static const char *const names[] = {"x"};
    const double zero = 0, vb = 0.37;
    bench still = build(1, names), moving = build(1, names), varying = build(1, names);
    outcome a, b, c;
    (void)state;
    add_force(&still, 0, "2*sin(t)");
    add_friction(&still, "pad", "x'", "1 + 0.3*cos(t)", elliptic(1, 0.3, 0.1));
    add_force(&moving, 0, "2*sin(t)");
    add_friction(&moving, "pad", "x' - 0.37", "1 + 0.3*cos(t)", elliptic(1, 0.3, 0.1));
    /* coefficients that are not constant, but are one in value */
    add_force(&varying, 0, "2*sin(t)");
    add_friction(&varying, "pad", "x'*(sin(t)^2 + cos(t)^2) - 0.37", "1 + 0.3*cos(t)", elliptic(1, 0.3, 0.1));
    a = run(&still, "event", 1e-11, 0, &zero, &zero, 12, NULL);
    b = run(&moving, "event", 1e-11, 0, &zero, &vb, 12, NULL);
    c = run(&varying, "smooth", 1e-11, 0, &zero, &vb, 12, NULL);
    assert_close(b.v[0] - vb, a.v[0], 1e-9);
    assert_close(b.q[0] - 12 * vb, a.q[0], 1e-9);
    assert_close(c.v[0] - vb, a.v[0], 1e-7);
    assert_close(c.q[0] - 12 * vb, a.q[0], 1e-7);
    assert_int_equal(a.counters.events, b.counters.events);
    clear(&still);
    clear(&moving);
    clear(&varying);
}

/* Methods agree with each other on every smooth law. */
static void methods_agree_on_every_smooth_law(void **state)
{
    static const char *const names[] = {"x", "y"};
    const double q[2] = {0.4, -0.2}, v[2] = {0, 0.3};
    (void)state;
    for (int k = 0; k < 5; k++) {
        outcome o[3];
        slip_law laws[5] = {slip_law_default("tanh"), slip_law_default("arctan"), slip_law_default("sqrt"),
                            elliptic(0.5, 0.2, 0), elliptic(0.3, 0.1, 0.1)};
        laws[0].mu = laws[1].mu = laws[2].mu = 0.5;
        laws[0].velocity = laws[1].velocity = laws[2].epsilon = 0.05;
        laws[2].static_ratio = 1.6;
        laws[k].viscous = 0.05;
        for (int m = 0; m < 3; m++) {
            static const char *const methods[] = {"event", "smooth", "rk4"};
            bench b = build(2, names);
            const double stiffness[] = {3, -1, -1, 2};
            memcpy(b.system->stiffness, stiffness, sizeof stiffness);
            b.system->mass[1] = b.system->mass[2] = 0.2;
            add_force(&b, 0, "cos(1.3*t)");
            add_force(&b, 1, "-0.2*x*y - 0.1*y'^3");
            add_friction(&b, "belt", "x' - 0.1*sin(t)", NULL, laws[k]);
            add_friction(&b, "between", "x' - 2*y'", "1 + 0.5*x^2", laws[k]);
            o[m] = run(&b, methods[m], 1e-10, 2e-4, q, v, 10, NULL);
            assert_int_equal(o[m].status, SLIP_OK);
            clear(&b);
        }
        for (int i = 0; i < 2; i++) {
            assert_close(o[1].q[i], o[0].q[i], 1e-7);
            assert_close(o[1].v[i], o[0].v[i], 1e-7);
            assert_close(o[2].q[i], o[0].q[i], k < 3 ? 1e-7 : 1e-4);
            assert_close(o[2].v[i], o[0].v[i], k < 3 ? 1e-7 : 1e-4);
        }
        assert_int_equal(o[0].counters.events, o[1].counters.events);
        assert_int_equal(o[0].counters.events, o[2].counters.events);
    }
}

/* Looking into steps must not change the motion: the same bits with and without an observer that samples
 * everywhere. */
static int sample_everywhere(void *user, const slip_step *step)
{
    double q[4], v[4], a[4], slip[4], normal[4], force[4], mode[4];
    slip_sample sample = {
        .q = q, .v = v, .a = a, .slip = slip, .normal = normal, .force = force, .mode = mode};
    (void)user;
    for (int k = 0; k < 5; k++)
        step->sample(step->self, step->t0 + (step->t1 - step->t0) * k / 5, &sample);
    return SLIP_OK;
}

static void observing_does_not_change_the_motion(void **state)
{
    static const char *const names[] = {"x", "y"}, *const methods[] = {"event", "smooth", "rk4"};
    const double zero[2] = {0, 0};
    (void)state;
    for (int k = 0; k < 3; k++) {
        slip_observer observer = {.step = sample_everywhere};
        outcome o[2];
        for (int watched = 0; watched < 2; watched++) {
            bench b = build(2, names);
            const double stiffness[] = {2, -0.5, -0.5, 2};
            memcpy(b.system->stiffness, stiffness, sizeof stiffness);
            add_force(&b, 0, "4*sin(t)");
            add_force(&b, 1, "4*sin(t)");
            add_friction(&b, "a", "x'", NULL, elliptic(1, 0.3, 0));
            add_friction(&b, "b", "y'", NULL, elliptic(1, 0.3, 0.1));
            o[watched] = run(&b, methods[k], 1e-9, 0.01, zero, zero, 12, watched ? &observer : NULL);
            assert_int_equal(o[watched].status, SLIP_OK);
            clear(&b);
        }
        assert_true(o[0].q[0] == o[1].q[0] && o[0].q[1] == o[1].q[1]);
        assert_true(o[0].v[0] == o[1].v[0] && o[0].v[1] == o[1].v[1]);
        assert_int_equal(o[0].counters.events, o[1].counters.events);
    }
}

/* The narrower the law, the nearer to dry friction, down to widths far below the tolerance. The limit at t =
 * 6 is that of the set-valued law. */
static void laws_far_narrower_than_the_tolerance(void **state)
{
    static const char *const names[] = {"u"}, *const types[] = {"tanh", "arctan", "sqrt"};
    const double zero = 0;
    double limit;
    bench b = build(1, names);
    (void)state;
    b.system->damping[0] = 0.1;
    b.system->stiffness[0] = 1;
    add_force(&b, 0, "4*sin(t)");
    add_friction(&b, "pad", "u'", NULL, coulomb(3.2, 1));
    limit = run(&b, "event", 1e-11, 0, &zero, &zero, 6, NULL).q[0];
    clear(&b);
    for (int k = 0; k < 3; k++)
        for (double width = 1e-7; width > 1e-13; width *= 0.1) {
            slip_law law = slip_law_default(types[k]);
            outcome o;
            law.mu = 3.2;
            *(k == 2 ? &law.epsilon : &law.velocity) = width;
            b = build(1, names);
            b.system->damping[0] = 0.1;
            b.system->stiffness[0] = 1;
            add_force(&b, 0, "4*sin(t)");
            add_friction(&b, "pad", "u'", NULL, law);
            o = run(&b, "smooth", 1e-8, 0, &zero, &zero, 6, NULL);
            assert_int_equal(o.status, SLIP_OK);
            assert_close(o.q[0], limit, k == 1 ? 1e-4 : 1e-6 + 100 * width); /* arctan has long tails */
            clear(&b);
        }
}

/* Loads that jump, normal forces that vanish: against fixed steps that are short enough. */
static void jumps_and_vanishing_normal_forces(void **state)
{
    static const char *const names[] = {"u"};
    static const char *const cases[][2] = {{"2*step(t-1)", NULL},       {"if(t<1, 0, 2)", NULL},
                                           {"0.5*step(t-1)", NULL},     {"3*sin(t)", "0"},
                                           {"3*sin(t)", "t"},           {"3*sin(t)", "t^2"},
                                           {"3*sin(t)", "abs(u)"},      {"3*sin(t)", "max(0, sin(t))"},
                                           {"3*sin(t)", "2*step(t-1)"}, {"3*sin(t)", "1e-9"}};
    const double zero = 0;
    (void)state;
    for (int k = 0; k < 10; k++) {
        static const char *const methods[] = {"rk4", "event", "smooth"};
        outcome o[3];
        for (int m = 0; m < 3; m++) {
            bench b = build(1, names);
            b.system->damping[0] = 0.1;
            b.system->stiffness[0] = 1;
            add_force(&b, 0, cases[k][0]);
            add_friction(&b, "pad", "u'", cases[k][1], elliptic(1, 0.5, 0));
            o[m] = run(&b, methods[m], 1e-9, 1e-3, &zero, &zero, 5, NULL);
            assert_int_equal(o[m].status, SLIP_OK);
            clear(&b);
        }
        assert_close(o[1].q[0], o[0].q[0], 3e-3);
        assert_close(o[2].q[0], o[1].q[0], 1e-6);
        assert_close(o[2].v[0], o[1].v[0], 1e-6);
    }
}

/* Contacts that depend on each other, leave rest together, or have directions that move. */
static void many_singular_contacts(void **state)
{
    static const char *const names[] = {"x", "y"};
    static const char *const slips[][3] = {{"x'", "y'", "x' - y'"},   {"x'", "x'", NULL},
                                           {"x'*t", NULL, NULL},      {"x*x'", "y'", NULL},
                                           {"x'*sin(t)", NULL, NULL}, {"if(t > 1, x', 0)", "y'", NULL}};
    const double q[2] = {0.5, 0}, v[2] = {0, 0};
    (void)state;
    for (int k = 0; k < 6; k++) {
        static const char *const methods[] = {"rk4", "event", "smooth"};
        outcome o[3];
        for (int m = 0; m < 3; m++) {
            bench b = build(2, names);
            const double stiffness[] = {2, -1, -1, 2};
            memcpy(b.system->stiffness, stiffness, sizeof stiffness);
            b.system->mass[1] = b.system->mass[2] = 0.2;
            add_force(&b, 0, "4*sin(t)");
            add_force(&b, 1, "1 - cos(t)");
            for (int c = 0; c < 3 && slips[k][c]; c++)
                add_friction(&b, c == 0 ? "a" : c == 1 ? "b" : "c", slips[k][c], NULL, elliptic(1, 0.3, 0));
            o[m] = run(&b, methods[m], 1e-9, 1e-4, q, v, 6, NULL);
            if (o[m].status != SLIP_OK)
                print_error("%s, %s: %s\n", slips[k][0], methods[m], slip_context_message(b.ctx));
            assert_int_equal(o[m].status, SLIP_OK);
            clear(&b);
        }
        for (int i = 0; i < 2; i++) {
            assert_close(o[1].q[i], o[0].q[i], 2e-5);
            assert_close(o[2].q[i], o[1].q[i], 1e-6);
        }
    }
}

/* ---- Steps as the observer sees them. */

typedef struct watcher {
    double last, worst;
    int64_t steps;
} watcher;

static int watch(void *user, const slip_step *step)
{
    watcher *w = user;
    double q[1], v[1], a[1], slip[1], normal[1], force[1], mode[1], q2[1], v2[1];
    slip_sample sample = {
        .q = q, .v = v, .a = a, .slip = slip, .normal = normal, .force = force, .mode = mode};
    if (step->t0 != w->last)
        w->worst = INFINITY;
    w->last = step->t1;
    w->steps++;
    for (int k = 0; k <= 4; k++) {
        double t = step->t0 + (step->t1 - step->t0) * k / 4;
        step->sample(step->self, t, &sample);
        step->state(step->self, t, q2, v2);
        w->worst = fmax(w->worst, fabs(q[0] - q2[0]) + fabs(v[0] - v2[0]));
        /* the equation of motion, and the law */
        w->worst = fmax(w->worst, fabs(a[0] + 0.1 * v[0] + q[0] - 4 * sin(t) - force[0]));
        w->worst = fmax(w->worst, fabs(slip[0] - v[0]));
        w->worst = fmax(w->worst, fabs(normal[0] - 1));
        if (fabs(v[0]) > 1e-3)
            w->worst =
                fmax(w->worst,
                     fabs(-force[0] - copysign(3.2 * sqrt(1 - pow(fmax(0, 1 - fabs(v[0]) / 0.8), 2)), v[0])));
    }
    step->sample(step->self, step->t1, &sample);
    w->worst = fmax(w->worst, fabs(q[0] - step->q1[0]) + fabs(v[0] - step->v1[0]) + fabs(a[0] - step->a1[0]));
    step->sample(step->self, step->t0, &sample);
    w->worst = fmax(w->worst, fabs(q[0] - step->q0[0]) + fabs(v[0] - step->v0[0]) + fabs(a[0] - step->a0[0]));
    return SLIP_OK;
}

static void steps_join_and_samples_obey_the_equation(void **state)
{
    const double zero = 0;
    (void)state;
    for (int k = 0; k < 2; k++) {
        watcher w = {0, 0, 0};
        slip_observer observer = {.user = &w, .step = watch};
        bench b = oscillator(3.2, 0.8, 0);
        outcome o = run(&b, k ? "smooth" : "event", 1e-9, 0, &zero, &zero, 4 * pi, &observer);
        assert_int_equal(o.status, SLIP_OK);
        assert_true(w.steps == o.counters.steps);
        assert_true(w.last == 4 * pi);
        assert_close(w.worst, 0, 2e-6);
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
    bench b = oscillator(3.2, 0.8, 0);
    outcome o = run(&b, "event", 1e-9, 0, &zero, &zero, 10, &observer);
    (void)state;
    assert_int_equal(o.status, SLIP_STOPPED);
    assert_true(o.t > 0 && o.t < 1);
    slip_context_interrupt(b.ctx);
    o = run(&b, "event", 1e-9, 0, &zero, &zero, 10, NULL);
    assert_int_equal(o.status, SLIP_INTERRUPTED);
    clear(&b);
}

/* ---- Jacobians against differences, in time and in the chart. */

static void check_jacobian(slip_flow *flow, const slip_ode *ode, int m, const double *y)
{
    double jacobian[100], low[10], high[10], moved[10];
    flow->stepper = ode == &slip_flow_charted_ode ? flow->charted : flow->plain;
    assert_true(ode->jacobian(flow, 0.4, y, jacobian));
    for (int j = 0; j < m; j++) {
        const double h = 1e-6;
        memcpy(moved, y, (size_t)m * sizeof(double));
        moved[j] = y[j] + h;
        assert_true(ode->rhs(flow, 0.4, moved, high));
        moved[j] = y[j] - h;
        assert_true(ode->rhs(flow, 0.4, moved, low));
        for (int i = 0; i < m; i++)
            assert_close(jacobian[i * m + j], (high[i] - low[i]) / (2 * h),
                         2e-7 * (1 + fabs(jacobian[i * m + j])));
    }
}

static void jacobians_agree_with_differences(void **state)
{
    static const char *const names[] = {"x", "y"};
    const double q[2] = {0.3, -0.2}, v[2] = {0.2, 0.35};
    const double stiffness[] = {3, -1, -1, 2}, damping[] = {0.1, 0.02, 0.02, 0.3};
    slip_method_options options = {.tolerance = 1e-8, .span = 1, .theta = NAN};
    slip_observer none = {0};
    slip_flow *flow = NULL;
    slip_law smooth = slip_law_default("tanh");
    bench b = build(2, names);
    double y[7];
    (void)state;
    smooth.mu = 0.4;
    smooth.velocity = 0.2;
    smooth.viscous = 0.1;
    memcpy(b.system->stiffness, stiffness, sizeof stiffness);
    memcpy(b.system->damping, damping, sizeof damping);
    b.system->mass[1] = b.system->mass[2] = 0.3;
    add_force(&b, 0, "cos(1.3*t)*x^2 - y'*x'");
    add_friction(&b, "one", "x'", "1 + 0.2*x*y + 0.1*t", elliptic(0.5, 1, 0));
    add_friction(&b, "two", "x' - 2*y'", "1 + 0.5*x^2 + 0.1*y'", elliptic(0.3, 1, 0.5));
    add_friction(&b, "three", "y' + x*t", NULL, smooth);
    assert_int_equal(slip_system_finish(b.ctx, b.system), SLIP_OK);
    assert_int_equal(slip_flow_open(b.ctx, b.system, &options, &slip_stepper_dopri, 0, q, v, &flow), SLIP_OK);
    assert_int_equal(slip_flow_advance(flow, 0.01, &none), SLIP_OK);
    assert_int_equal(flow->charts.count, 2);
    memcpy(y, flow->q, 2 * sizeof(double));
    memcpy(y + 2, flow->v, 2 * sizeof(double));
    check_jacobian(flow, slip_flow_plain_ode(flow), 4, y);
    y[4] = 0.02;
    y[5] = flow->branches[0].s;
    y[6] = flow->branches[1].s;
    check_jacobian(flow, &slip_flow_charted_ode, 7, y);
    slip_flow_close(flow);
    clear(&b);
}

/* ---- Trouble is named. */

static void check_message(bench *b, outcome o, int status, const char *first, const char *second)
{
    const char *message = slip_context_message(b->ctx);
    assert_int_equal(o.status, status);
    if (!strstr(message, first) || !strstr(message, second)) {
        print_error("message: %s\nexpected: %s ... %s\n", message, first, second);
        fail();
    }
}

static void trouble_is_named(void **state)
{
    static const char *const names[] = {"x"}, *const methods[] = {"event", "smooth", "rk4"};
    const double one = 1, zero = 0;
    (void)state;
    for (int k = 0; k < 3; k++) {
        bench b = build(1, names);
        add_force(&b, 0, "-1/x");
        check_message(&b, run(&b, methods[k], 1e-8, 0.01, &zero, &one, 5, NULL), SLIP_ERROR_SOLVER, "`-1/x`",
                      "t = 0");
        clear(&b);
        b = build(1, names);
        add_force(&b, 0, "sqrt(1 - t)");
        check_message(&b, run(&b, methods[k], 1e-8, 0.01, &one, &zero, 5, NULL), SLIP_ERROR_SOLVER,
                      "sqrt(1 - t)", "square root");
        clear(&b);
        b = build(1, names);
        add_force(&b, 0, "x^3");
        check_message(&b, run(&b, methods[k], 1e-8, 0.01, &one, &one, 50, NULL), SLIP_ERROR_SOLVER,
                      "t = ", "");
        clear(&b);
        b = oscillator(1, 1, 0);
        add_friction(&b, "lifts", "u'", "1 - t", elliptic(1, 1, 0));
        check_message(&b, run(&b, methods[k], 1e-8, 0.01, &one, &one, 5, NULL), SLIP_ERROR_SOLVER, "`lifts`",
                      "normal force");
        clear(&b);
        if (k == 0)
            continue; /* `event` takes set-valued laws */
        b = build(1, names);
        add_friction(&b, "pad", "x'", NULL, coulomb(1, 1));
        check_message(&b, run(&b, methods[k], 1e-8, 0.01, &one, &one, 5, NULL), SLIP_ERROR_MODEL, "`pad`",
                      "`tanh`");
        clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elliptic_oscillator_from_rest),
        cmocka_unit_test(reversals_do_not_depend_on_the_tolerance),
        cmocka_unit_test(sliding_mass_comes_to_rest_in_finite_time),
        cmocka_unit_test(without_load_nothing_moves),
        cmocka_unit_test(constant_load_creeps_at_the_balance),
        cmocka_unit_test(rest_ends_when_the_load_comes),
        cmocka_unit_test(two_contacts_pass_their_singular_points_together),
        cmocka_unit_test(belt_is_a_change_of_frame),
        cmocka_unit_test(methods_agree_on_every_smooth_law),
        cmocka_unit_test(observing_does_not_change_the_motion),
        cmocka_unit_test(laws_far_narrower_than_the_tolerance),
        cmocka_unit_test(jumps_and_vanishing_normal_forces),
        cmocka_unit_test(many_singular_contacts),
        cmocka_unit_test(steps_join_and_samples_obey_the_equation),
        cmocka_unit_test(observer_can_stop_and_interrupt_is_heard),
        cmocka_unit_test(jacobians_agree_with_differences),
        cmocka_unit_test(trouble_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
