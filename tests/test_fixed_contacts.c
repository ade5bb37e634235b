/* Fixed-step methods: several contacts, laws that depend on the speed, energy. */
#include "fixed_test.h"

/* ---- Several contacts. */

static bench chain(int blocks, double static_ratio, const char *law_type)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    static const char *const slips[] = {"a' - 0.1", "b' - 0.1", "c' - 0.1", "d' - 0.1",
                                        "e' - 0.1", "f' - 0.1", "g' - 0.1", "h' - 0.1"};
    static const char *const normals[] = {"1", "1.1", "0.9", "1.05", "0.95", "1", "1.2", "0.8"};
    bench b = build(blocks, names);
    for (int i = 0; i < blocks; i++) {
        slip_law law = coulomb(0.5, static_ratio);
        if (law_type) {
            law = slip_law_default(law_type);
            law.mu = 0.5;
            law.velocity = 0.05;
            if (strcmp(law_type, "stribeck") == 0)
                law.static_ratio = static_ratio;
        }
        b.system->stiffness[i * blocks + i] = 1 + (i > 0) * 2 + (i + 1 < blocks) * 2;
        if (i > 0)
            b.system->stiffness[i * blocks + i - 1] = b.system->stiffness[(i - 1) * blocks + i] = -2;
        add_friction(&b, names[i], slips[i], normals[i], law);
    }
    return b;
}

/* The judge looks at the end of every step. */
typedef struct court {
    const slip_system *system;
    slip_workspace *work;
    double worst;
} court;

static int judge_step(void *user, const slip_step *step)
{
    court *c = user;
    double q[most], v[most], normal[most], force[most];
    slip_sample sample = {.q = q, .v = v, .normal = normal, .force = force};
    step->sample(step->self, step->t1, &sample);
    c->worst = fmax(c->worst, slip_system_residual(c->system, c->work, step->t1, q, v, normal, force, NULL));
    return SLIP_OK;
}

static void chain_on_a_belt(void **state)
{
    const double q[] = {0.01, -0.02, 0.03, 0, 0.01, 0.02, -0.01, 0}, v[8] = {0};
    (void)state;
    for (int k = 0; k < 3; k++) {
        bench b = chain(5, k == 1 ? 1.4 : 1, NULL);
        settings s = {k == 2 ? "midpoint_stabilised" : "moreau", 1e-3, 0};
        court bar = {.system = b.system};
        slip_observer observer = {.user = &bar, .step = judge_step};
        outcome o;
        assert_int_equal(slip_system_finish(b.ctx, b.system), SLIP_OK);
        assert_int_equal(slip_workspace_create(b.ctx, b.system, &bar.work), SLIP_OK);
        o = run(&b, s, q, v, 60, &observer);
        assert_int_equal(o.status, SLIP_OK);
        assert_true(o.counters.residual < 1e-12);
        assert_true(bar.worst < 1e-9);
        assert_true(o.counters.events > (k == 1 ? 50 : 5));
        slip_workspace_destroy(bar.work);
        clear(&b);
    }
}

/* Blocks that rub on each other too: x1' - x2' and so on, all coupled, sticking in blocks. */
static void blocks_rub_on_each_other(void **state)
{
    static const char *const names[] = {"a", "b", "c"};
    const double q[3] = {0}, v[3] = {0};
    const slip_law law = coulomb(0.4, 1);
    static const char *const methods[] = {"moreau", "midpoint_stabilised"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        bench b = build(3, names);
        outcome o;
        add_friction(&b, "ground", "a'", "3", law);
        add_friction(&b, "lower", "b' - a'", "2", law);
        add_friction(&b, "upper", "c' - b'", "1", law);
        add_friction(&b, "again", "c' - b'", "0.5", law); /* redundant on purpose */
        add_force(&b, 2, "0.5*t");
        o = run(&b, (settings){methods[k], 1e-3, 0}, q, v, 6, NULL);
        assert_int_equal(o.status, SLIP_OK);
        assert_true(o.counters.residual < 1e-10);
        /* The load reaches what the top holds, 0.6, first; the others never see more. */
        assert_true(o.q[0] == 0 && o.q[1] == 0 && o.v[0] == 0 && o.v[1] == 0);
        assert_close(o.v[2], 0.25 * 36 - 0.25 * 1.44 - 0.6 * 4.8, 1e-5);
        clear(&b);
    }
}

/* A box between two walls on a floor with friction: three unilateral contacts. */
static void box_between_walls(void **state)
{
    static const char *const names[] = {"x", "y"};
    static const char *const methods[] = {"moreau", "midpoint_stabilised", "midpoint"};
    const double q[2] = {0, 0.3}, v[2] = {2, 0};
    (void)state;
    for (int k = 0; k < 3; k++) {
        bench b = build(2, names);
        outcome o;
        add_force(&b, 1, "-10");
        add_stop(&b, "floor", "y", "x'", 0.1, 0, false);
        add_stop(&b, "left", "x + 0.5", NULL, 0, 0.5, false);
        add_stop(&b, "right", "0.5 - x", NULL, 0, 0.5, false);
        o = run(&b, (settings){methods[k], 1e-3, 0}, q, v, 5, NULL);
        assert_int_equal(o.status, SLIP_OK);
        assert_true(o.counters.residual < 1e-10);
        assert_close(o.q[1], 0, 5e-3);
        assert_true(fabs(o.q[0]) < 0.505);
        if (k < 2)
            assert_true(o.v[0] == 0 && o.v[1] == 0);
        clear(&b);
    }
}

/* Less room between two stops than a step covers: both close at once and would throw the body at each other.
 */
static void body_wedged_between_stops(void **state)
{
    static const char *const names[] = {"x"};
    static const char *const methods[] = {"moreau", "midpoint_stabilised", "midpoint"};
    const double q = 0.0002, v = 1;
    (void)state;
    for (int k = 0; k < 3; k++) {
        bench b = build(1, names);
        outcome o;
        add_stop(&b, "low", "x", NULL, 0, 0.5, false);
        add_stop(&b, "high", "0.0005 - x", NULL, 0, 0.5, false);
        add_force(&b, 0, "sin(5*t)");
        o = run(&b, (settings){methods[k], 1e-3, 0}, &q, &v, 5, NULL);
        assert_int_equal(o.status, SLIP_OK);
        assert_true(o.counters.residual < 1e-12);
        assert_true(o.q[0] > -2e-3 && o.q[0] < 2.5e-3 && fabs(o.v[0]) < 1);
        clear(&b);
    }
}

/* Painleve: sliding this way, friction presses the body down more than the normal force lifts it, and no
 * acceleration is consistent. At the level of impulses there is a solution: it stops at once. */
static void painleve_case_is_an_impact_without_collision(void **state)
{
    static const char *const names[] = {"x", "y"}, *const methods[] = {"moreau", "midpoint_stabilised"};
    const double q[2] = {0, 0}, v[2] = {-1, 0};
    (void)state;
    for (int k = 0; k < 2; k++) {
        bench b = build(2, names);
        outcome o;
        b.system->mass[1] = b.system->mass[2] = 0.9;
        add_force(&b, 1, "-10");
        add_stop(&b, "floor", "y", "x'", 1.5, 0, false);
        o = run(&b, (settings){methods[k], 1e-3, 0}, q, v, 1, NULL);
        assert_int_equal(o.status, SLIP_OK);
        assert_true(o.v[0] == 0 && o.v[1] == 0 && o.q[1] == 0);
        assert_close(o.q[0], -0.5e-3, 1e-12);
        assert_true(o.counters.residual < 1e-12);
        clear(&b);
    }
}

/* Newton's cradle, elastic: those that touch go on together. docs/contacts.md tells of it. */
static int count_bounce(void *user, const slip_event *event)
{
    int *bounces = user;
    *bounces += event->from == SLIP_MODE_OPEN && event->to == SLIP_MODE_OPEN;
    return SLIP_OK;
}

static void cradle(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"},
                             *const gaps[] = {"b - a", "c - b", "d - c", "e - d"},
                             *const methods[] = {"moreau", "midpoint_stabilised", "event"};
    const double q[5] = {-1, 0, 0, 0, 0}, v[5] = {1, 0, 0, 0, 0};
    (void)state;
    for (int k = 0; k < 3; k++) {
        int bounces = 0;
        slip_observer observer = {.user = &bounces, .event = count_bounce};
        bench b = build(5, names);
        outcome o;
        for (int c = 0; c < 4; c++)
            add_stop(&b, names[c], gaps[c], NULL, 0, 1, false);
        o = run(&b, (settings){methods[k], 1e-3, 0}, q, v, 2, &observer);
        assert_int_equal(o.status, SLIP_OK);
        assert_int_equal(bounces, 1);
        assert_close(o.v[0], -0.6, 1e-12);
        for (int i = 1; i < 5; i++)
            assert_close(o.v[i], 0.4, 1e-12);
        clear(&b);
    }
}

/* ---- Laws that depend on the speed, loads that depend on the state: against `smooth`, at order 2. */

static void smooth_laws_converge_at_order_two(void **state)
{
    static const char *const laws[] = {"tanh", "arctan"};
    const double q[] = {0.1, -0.2, 0.3}, v[3] = {0};
    (void)state;
    for (int k = 0; k < 2; k++) {
        double errors[2] = {0, 0};
        bench r = chain(3, 1, laws[k]);
        add_force(&r, 1, "sin(2*t) - 0.1*a*b'");
        slip_method_options options = {.tolerance = 1e-11, .span = 10, .theta = NAN};
        slip_observer none = {0};
        outcome exact;
        void *self;
        assert_int_equal(slip_system_finish(r.ctx, r.system), SLIP_OK);
        assert_int_equal(slip_method_find("smooth")->open(r.ctx, r.system, &options, 0, q, v, &self),
                         SLIP_OK);
        assert_int_equal(slip_method_find("smooth")->advance(self, 10, &none), SLIP_OK);
        slip_method_find("smooth")->state(self, &exact.t, exact.q, exact.v);
        slip_method_find("smooth")->close(self);
        for (int m = 0; m < 2; m++) {
            bench b = chain(3, 1, laws[k]);
            outcome o;
            add_force(&b, 1, "sin(2*t) - 0.1*a*b'");
            o = run(&b, (settings){"moreau", m ? 2.5e-3 : 1e-2, 0}, q, v, 10, NULL);
            assert_int_equal(o.status, SLIP_OK);
            for (int i = 0; i < 3; i++)
                errors[m] = fmax(errors[m], fabs(o.q[i] - exact.q[i]) + fabs(o.v[i] - exact.v[i]));
            clear(&b);
        }
        assert_true(errors[1] < 2e-5 && errors[0] > 12 * errors[1]);
        clear(&r);
    }
}

/* A narrow law is no trouble: the iteration inside the step is Newton's. */
static void steep_smooth_law_settles(void **state)
{
    static const char *const names[] = {"x"};
    const double zero = 0, one = 1;
    slip_law law = slip_law_default("tanh");
    bench b = build(1, names);
    outcome o;
    (void)state;
    law.mu = 0.5;
    law.velocity = 1e-7;
    add_friction(&b, "pad", "x'", "2", law);
    o = run(&b, (settings){"moreau", 1e-2, 0.7}, &zero, &one, 3, NULL);
    assert_int_equal(o.status, SLIP_OK);
    assert_close(o.v[0], 0, 1e-5);
    assert_close(o.q[0], 0.5, 6e-3);
    clear(&b);
}

/* Stribeck: stick-slip on a belt, converging in the step. */
static void stribeck_converges(void **state)
{
    const double q[] = {0.1, -0.2, 0.3}, v[3] = {0};
    outcome o[3];
    double errors[2] = {0, 0};
    (void)state;
    for (int k = 0; k < 3; k++) {
        bench b = chain(2, 1.3, "stribeck");
        o[k] = run(&b, (settings){"moreau", 4e-3 / pow(4, k), 0}, q, v, 3, NULL);
        assert_int_equal(o[k].status, SLIP_OK);
        assert_true(o[k].counters.residual < 1e-8);
        clear(&b);
    }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++)
            errors[k] = fmax(errors[k], fabs(o[k].q[i] - o[2].q[i]));
    assert_true(errors[1] < 1e-4 && errors[0] > 3 * errors[1]);
}

/* ---- Energy. */

typedef struct ledger {
    const slip_system *system;
    double energy, worst;
} ledger;

static double energy_of(const slip_system *s, const double *q, const double *v)
{
    double sum = 0;
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++)
            sum += 0.5 * (v[i] * s->mass[i * s->n + j] * v[j] + q[i] * s->stiffness[i * s->n + j] * q[j]);
    return sum;
}

static int book(void *user, const slip_step *step)
{
    ledger *l = user;
    double before = energy_of(l->system, step->q0, step->v0),
           after = energy_of(l->system, step->q1, step->v1);
    l->energy = after;
    l->worst = fmax(l->worst, (after - before) / (1e-300 + fabs(before) + fabs(after)));
    return SLIP_OK;
}

static bench random_system(uint64_t *seed, int n, int contacts, int stops, double e)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    bench b = build(n, names);
    double root[16];
    for (int which = 0; which < 3; which++) {
        double *matrix = which == 0 ? b.system->mass : which == 1 ? b.system->damping : b.system->stiffness;
        for (int i = 0; i < n * n; i++)
            root[i] = test_random(seed, -1, 1);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = which == 0 && i == j ? 0.5 : 0;
                for (int k = 0; k < n; k++)
                    sum += root[i * n + k] * root[j * n + k];
                matrix[i * n + j] = which == 1 ? 0.1 * sum : which == 2 ? 4 * sum : sum;
            }
    }
    for (int c = 0; c < contacts; c++) {
        char slip[200] = "", name[16];
        snprintf(name, sizeof name, "f%d", c);
        for (int i = 0; i < n; i++) {
            size_t used = strlen(slip);
            snprintf(slip + used, sizeof slip - used, "%+.6f*%s'", test_random(seed, -1, 1), names[i]);
        }
        add_friction(&b, name, slip, NULL, coulomb(test_random(seed, 0, 0.5), test_random(seed, 1, 1.5)));
    }
    for (int c = 0; c < stops; c++) {
        char gap[200] = "", slip[200] = "", name[16];
        snprintf(name, sizeof name, "s%d", c);
        snprintf(gap, sizeof gap, "%.6f", test_random(seed, 0, 0.3));
        for (int i = 0; i < n; i++) {
            size_t used = strlen(gap);
            snprintf(gap + used, sizeof gap - used, "%+.6f*%s", test_random(seed, -1, 1), names[i]);
            used = strlen(slip);
            snprintf(slip + used, sizeof slip - used, "%+.6f*%s'", test_random(seed, -1, 1), names[i]);
        }
        add_stop(&b, name, gap, slip, test_random(seed, 0, 0.3), e, c % 2);
    }
    return b;
}

static void energy_never_grows(void **state)
{
    uint64_t seed = 42;
    (void)state;
    for (int turn = 0; turn < 120; turn++) {
        int n = 1 + turn % 4, kind = turn % 3;
        /* theta = 1 with everything; theta = 1/2 with friction (kind 1) and with stops (kind 2), where
         * the step in which a mode changes may gain what is of second order */
        bench b = random_system(&seed, n, kind < 2 ? 1 + turn % 5 : 0, kind == 1 ? 0 : 1 + turn % 3, 0);
        ledger l = {.system = b.system};
        slip_observer observer = {.user = &l, .step = book};
        double q[4], v[4], start, h = 2e-3;
        outcome o;
        for (int i = 0; i < n; i++) {
            q[i] = kind == 1 ? test_random(&seed, -1, 1) : 0;
            v[i] = test_random(&seed, -1, 1);
        }
        start = energy_of(b.system, q, v);
        o = run(&b, (settings){"moreau", h, kind == 0 ? 1 : 0.5}, q, v, 4, &observer);
        assert_int_equal(o.status, SLIP_OK);
        assert_true(o.counters.residual < 1e-8);
        assert_true(l.energy <= start * (1 + 1e-12));
        if (kind == 0)
            assert_true(l.worst < 1e-11);
        else
            assert_true(l.worst < 20 * h * h || l.energy < 1e-6 * start);
        clear(&b);
    }
}

/* Friction, stops, restitution and a load, also more contacts than motions: every step is solved to rounding.
 */
static void random_systems_are_solved(void **state)
{
    static const char *const methods[] = {"moreau", "midpoint_stabilised", "midpoint"};
    uint64_t seed = 4711;
    (void)state;
    for (int turn = 0; turn < 300; turn++) {
        int n = 1 + turn % 4;
        bench b = random_system(&seed, n, turn % 6, turn / 6 % 4, 0.3 * (turn % 3));
        double q[4] = {0}, v[4];
        outcome o;
        for (int i = 0; i < n; i++)
            v[i] = test_random(&seed, -1, 1);
        add_force(&b, 0, "2*sin(3*t)");
        o = run(&b, (settings){methods[turn % 7 % 3], 2e-3, 0}, q, v, 2, NULL);
        assert_int_equal(o.status, SLIP_OK);
        assert_true(o.counters.residual < 1e-11);
        for (int i = 0; i < n; i++)
            assert_true(fabs(o.v[i]) < 20);
        clear(&b);
    }
}

/* Elastic stops and theta = 1/2: the energy is kept over thousands of impacts. */
static void elastic_impacts_keep_the_energy(void **state)
{
    static const char *const names[] = {"x", "y"};
    const double q[2] = {0, 0.1}, v[2] = {1, -0.5};
    bench b = build(2, names);
    const double stiffness[] = {2, -1, -1, 2};
    outcome o;
    double start;
    (void)state;
    memcpy(b.system->stiffness, stiffness, sizeof stiffness);
    add_stop(&b, "stop", "0.2 - x", NULL, 0, 1, false);
    start = energy_of(b.system, q, v);
    o = run(&b, (settings){"moreau", 1e-3, 0}, q, v, 500, NULL);
    assert_int_equal(o.status, SLIP_OK);
    assert_true(o.counters.events > 100);
    assert_close_relative(energy_of(b.system, o.q, o.v), start, 1e-9);
    clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_on_a_belt),
        cmocka_unit_test(blocks_rub_on_each_other),
        cmocka_unit_test(box_between_walls),
        cmocka_unit_test(body_wedged_between_stops),
        cmocka_unit_test(painleve_case_is_an_impact_without_collision),
        cmocka_unit_test(cradle),
        cmocka_unit_test(smooth_laws_converge_at_order_two),
        cmocka_unit_test(steep_smooth_law_settles),
        cmocka_unit_test(stribeck_converges),
        cmocka_unit_test(energy_never_grows),
        cmocka_unit_test(random_systems_are_solved),
        cmocka_unit_test(elastic_impacts_keep_the_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
