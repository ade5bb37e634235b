/* What the fixed-step methods show inside a step: modes, slip velocities and forces that fit each other, also
 * in the steps in which a contact comes to rest, starts or reverses. */
#include "fixed_test.h"

typedef struct court {
    const slip_system *system;
    slip_workspace *work;
    double worst;         /* of friction, as a force */
    int rests, reversals; /* steps that show slip first and stick, or the other direction, at the end */
    bool friction_only;   /* then the judge looks at every sample, not just at friction */
} court;

static double law_residual(const slip_contact *contact, double slip, double normal, double force)
{
    double expected, slope;
    if (slip == 0)
        return fmax(0, fabs(force) - slip_law_hold(&contact->law) * normal);
    slip_law_force(&contact->law, slip_law_piece(&contact->law, slip), slip, &expected, &slope);
    return fabs(force + expected * normal);
}

/* Stick has slip exactly zero, slip has the sign of its mode, and friction is that of the law. */
static void check_sample(court *c, int contact, double slip, double normal, double force, double mode)
{
    switch ((slip_mode)mode) {
    case SLIP_MODE_STICK:
        assert_true(slip == 0);
        break;
    case SLIP_MODE_SLIP_PLUS:
        assert_true(slip >= 0);
        break;
    case SLIP_MODE_SLIP_MINUS:
        assert_true(slip <= 0);
        break;
    default:
        assert_true(mode == SLIP_MODE_OPEN);
        assert_true(force == 0 || normal > 0); /* a step that ends an impact has its impulse */
        return;
    }
    c->worst =
        fmax(c->worst, law_residual(&c->system->contacts[contact], slip, normal, force) / (1 + normal));
}

static int look_inside(void *user, const slip_step *step)
{
    static const double places[] = {0, 0.1, 0.35, 0.5, 0.72, 0.999, 1};
    enum { place_count = sizeof places / sizeof *places };
    court *c = user;
    double q[most], v[most], a[most], slip[most], normal[most], force[most], mode[most], first[most];
    const slip_sample sample = {
        .q = q, .v = v, .a = a, .slip = slip, .normal = normal, .force = force, .mode = mode};
    for (int k = 0; k < place_count; k++) {
        double t = k + 1 < place_count ? step->t0 + places[k] * (step->t1 - step->t0) : step->t1;
        slip_sample copy = sample;
        step->sample(step->self, t, &copy);
        for (int i = 0; i < (int)c->system->contact_count; i++) {
            check_sample(c, i, slip[i], normal[i], force[i], mode[i]);
            first[i] = k == 1 ? mode[i] : first[i];
            c->rests += k + 1 == place_count && mode[i] == SLIP_MODE_STICK && first[i] != mode[i];
            c->reversals += k + 1 == place_count && mode[i] != SLIP_MODE_STICK && first[i] != mode[i];
        }
        if (c->friction_only)
            c->worst = fmax(c->worst, slip_system_residual(c->system, c->work, t, q, v, normal, force, NULL));
    }
    return SLIP_OK;
}

static court watch(bench *b, settings s, const double *q, const double *v, double end, bool friction_only)
{
    court c = {.system = b->system, .friction_only = friction_only};
    slip_observer observer = {.user = &c, .step = look_inside};
    assert_int_equal(slip_system_finish(b->ctx, b->system), SLIP_OK);
    assert_int_equal(slip_workspace_create(b->ctx, b->system, &c.work), SLIP_OK);
    assert_int_equal(run(b, s, q, v, end, &observer).status, SLIP_OK);
    slip_workspace_destroy(c.work);
    return c;
}

static const settings rules[] = {
    {"moreau", 7e-3, 0.5}, {"moreau", 7e-3, 1}, {"moreau", 7e-3, 0.7}, {"midpoint_stabilised", 7e-3, 0}};
enum { rule_count = sizeof rules / sizeof *rules };

/* One block that sticks twice a period, and reverses without rest where friction is weak. */
static void oscillator(void **state)
{
    static const char *const names[] = {"u"};
    static const double frictions[] = {3.2, 0.5};
    const double q = 0, v = 0.3;
    (void)state;
    for (int k = 0; k < 2 * rule_count; k++) {
        bench b = build(1, names);
        court c;
        b.system->stiffness[0] = 1;
        b.system->damping[0] = 0.1;
        add_force(&b, 0, "4*sin(t)");
        add_friction(&b, "pad", "u'", NULL, coulomb(frictions[k % 2], 1));
        c = watch(&b, rules[k / 2], &q, &v, 40, true);
        assert_true(c.worst < 1e-12);
        assert_true(k % 2 == 0 ? c.rests > 10 : c.reversals > 5);
        clear(&b);
    }
}

/* Blocks on blocks on a belt: rows of two coordinates, static friction above kinetic, laws that fall with the
 * speed. */
static void blocks(void **state)
{
    static const char *const names[] = {"x", "y", "z"};
    static const double q[3] = {0.1, -0.2, 0}, v[3] = {0.3, -0.1, 0.07},
                        stiffness[] = {3, -1, 0, -1, 2, -1, 0, -1, 4};
    (void)state;
    for (int k = 0; k < 2 * rule_count; k++) {
        slip_law law = k % 2 == 0 ? coulomb(0.4, 1.3) : slip_law_default("stribeck");
        bench b = build(3, names);
        court c;
        if (k % 2 == 1) {
            law.mu = 0.4;
            law.static_ratio = 1.3;
            law.velocity = 0.5;
        }
        memcpy(b.system->stiffness, stiffness, sizeof stiffness);
        add_force(&b, 0, "cos(1.3*t)");
        add_friction(&b, "ground", "x' - 0.2", "1", law);
        add_friction(&b, "lower", "y' - x'", "0.7", law);
        add_friction(&b, "upper", "0.3*z' - 0.7*y'", "0.5", law);
        c = watch(&b, rules[k / 2], q, v, 30, true);
        /* a law that falls with the speed is taken at the middle of the step */
        assert_true(c.worst < (k % 2 == 0 ? 1e-12 : 2e-3));
        assert_true(c.rests > 5);
        clear(&b);
    }
}

/* Contact that opens and lands on a rough plane. */
static void jack_plane(void **state)
{
    static const char *const names[] = {"un", "ut"};
    static const double stiffness[] = {1.2, -1, -1, 1.2}, q[2] = {0, 0}, v[2] = {0, 0.1};
    (void)state;
    for (int k = 0; k < rule_count; k++) {
        bench b = build(2, names);
        court c;
        memcpy(b.system->stiffness, stiffness, sizeof stiffness);
        add_force(&b, 0, "0.5");
        add_force(&b, 1, "sin(t/6)");
        add_stop(&b, "plane", "-un", "ut'", 0.3, 0, false);
        c = watch(&b, rules[k], q, v, 120, false);
        assert_true(c.rests > 5);
        clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oscillator),
        cmocka_unit_test(blocks),
        cmocka_unit_test(jack_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
