/* Closed-form segments against slow and obvious twins: Dormand-Prince at its tightest for the motion, the
 * system's own constraint forces, dense sampling for events; and the published jack plane. */
#include "method/exact.h"
#include "ode/stepper.h"
#include "system_builder.h"

#include <float.h>

static slip_exact *create(bench *b)
{
    slip_exact *exact = NULL;
    check_done(b, slip_system_finish(b->ctx, b->system));
    check_done(b, slip_exact_create(b->ctx, b->system, &exact));
    return exact;
}

/* ---- The published jack plane, its segments chained by hand. */

typedef struct expected_event {
    slip_mode before; /* the mode that ends there */
    double t, x;
    double v;
} expected_event;

static const expected_event events_a[] = {
    {SLIP_MODE_SLIP_PLUS, 0.19450479897598785, 0.009671787553264503, 0},
    {SLIP_MODE_STICK, 3.3904194613741985, 0.009671787553264503, 0},
    {SLIP_MODE_SLIP_PLUS, 7.3718002014006085, 0.33939342027690417, 0},
    {SLIP_MODE_STICK, 20.35625286648309, 0.33939342027690417, 0},
    {SLIP_MODE_SLIP_MINUS, 26.007700852581518, -0.7700674830248542, 0},
    {SLIP_MODE_STICK, 32.94413484237892, -0.7700674830248542, 0},
    {SLIP_MODE_SLIP_PLUS, 42.721381835007634, 0.16670906831450363, 0},
    {SLIP_MODE_STICK, 43.13211777100148, 0.16670906831450363, 0},
    {SLIP_MODE_SLIP_PLUS, 46.79528266067661, 0.3623448103062179, 0},
    {SLIP_MODE_STICK, 57.94189930459474, 0.3623448103062179, 0},
    {SLIP_MODE_SLIP_MINUS, 63.613406373913065, -0.7621674359290709, 0},
    {SLIP_MODE_STICK, 70.75030763090297, -0.7621674359290709, 0},
};
static const expected_event events_b[] = {
    {SLIP_MODE_SLIP_PLUS, 0.8455722709705775, 0.03713267610608847, 0},
    {SLIP_MODE_STICK, 1.2430676563200318, 0.03713267610608847, 0},
    {SLIP_MODE_SLIP_PLUS, 5.600783742003966, 0.5177596812348398, 0},
    {SLIP_MODE_STICK, 7.112240497084967, 0.5177596812348398, 0},
    {SLIP_MODE_SLIP_PLUS, 10.36527278574236, 0.6046110785021406, 0},
    {SLIP_MODE_STICK, 16.41869934039615, 0.6046110785021406, 0},
    {SLIP_MODE_SLIP_MINUS, 21.447496921342278, -0.5, -0.1764170057013603},
    {SLIP_MODE_OPEN, 35.294277627304055, -0.4690261945470084, 0.8838632055075692},
};

static bench jack_plane(double friction, const char *normal_load)
{
    static const char *const names[] = {"n", "u"};
    const double stiffness[] = {1.2, -1, -1, 1.2};
    bench b = build(2, names);
    slip_law law = coulomb(friction, 1);
    memcpy(b.system->stiffness, stiffness, sizeof stiffness);
    add_force(&b, 0, normal_load);
    add_force(&b, 1, "sin(t/6)");
    add_unilateral(&b, "tip", "-n", "u'", &law, 0, false);
    return b;
}

static slip_exact_condition ending(slip_mode mode, bool lifts)
{
    if (mode == SLIP_MODE_OPEN)
        return SLIP_EXACT_GAP;
    return mode == SLIP_MODE_STICK ? SLIP_EXACT_HOLD : lifts ? SLIP_EXACT_NORMAL : SLIP_EXACT_SLIP;
}

static void check_chain(bench *b, const expected_event *expected, int count, double end)
{
    slip_exact *exact = create(b);
    double t = 0, q[2] = {0, 0}, v[2] = {0, 0.1};
    for (int k = 0; k < count; k++) {
        slip_exact_event event = {0};
        bool lifts = k + 1 < count && expected[k + 1].before == SLIP_MODE_OPEN;
        check_done(b, slip_exact_start(exact, &expected[k].before, t, q, v));
        assert_int_equal(slip_exact_first_event(exact, end, &event), 1);
        assert_int_equal(event.contact, 0);
        assert_true(slip_exact_ended(exact, 0));
        assert_int_equal(event.condition, ending(expected[k].before, lifts));
        if (event.condition == SLIP_EXACT_HOLD && k + 1 < count)
            assert_int_equal(event.sign, expected[k + 1].before == SLIP_MODE_SLIP_PLUS ? -1 : 1);
        assert_close(event.t, expected[k].t, 1e-13 + 4e-15 * event.t);
        t = event.t;
        slip_exact_state(exact, t, q, v, NULL);
        assert_close(q[1], expected[k].x, 2e-14);
        assert_close(v[1], expected[k].v, 5e-14);
        if (event.condition == SLIP_EXACT_SLIP)
            v[1] = 0;
        if (event.condition == SLIP_EXACT_GAP)
            q[0] = v[0] = 0;
    }
    slip_exact_destroy(exact);
    clear(b);
}

static void published_events(void **state)
{
    bench a = jack_plane(0.4, "1.3"), b = jack_plane(0.3, "0.5");
    (void)state;
    check_chain(&a, events_a, sizeof events_a / sizeof *events_a, 400);
    check_chain(&b, events_b, sizeof events_b / sizeof *events_b, 400);
}

/* ---- Random systems: the motion and the forces. */

typedef struct twin {
    const slip_system *system;
    slip_workspace *work;
    slip_branch branches[4];
} twin;

static bool twin_rhs(void *user, double t, const double *y, double *dy)
{
    twin *w = user;
    int n = w->system->n;
    memcpy(dy, y + n, (size_t)n * sizeof(double));
    return slip_system_acceleration(w->system, w->work, w->branches, t, y, y + n, dy + n) &&
           slip_system_constrain(w->system, w->work, w->branches, t, y, y + n, dy + n);
}

static void twin_run(bench *b, twin *w, double t, double end, double *y)
{
    slip_ode ode = {2 * w->system->n, twin_rhs, NULL, w};
    slip_stepper *stepper = NULL;
    check_done(b, slip_stepper_create(b->ctx, &slip_stepper_dopri, &ode, 1e-14, 0, &stepper));
    check_done(b, slip_stepper_start(stepper, t, y, end, 0));
    while (stepper->x1 < end)
        check_done(b, slip_stepper_step(stepper, end));
    memcpy(y, stepper->y1, (size_t)ode.m * sizeof(double));
    slip_stepper_destroy(stepper);
}

enum { most_n = 4 };

/* Symmetric positive definite, or of lower rank, or zero. */
static void random_matrix(uint64_t *seed, int n, int rank, double size, double *matrix)
{
    double factor[most_n * most_n];
    for (int i = 0; i < n * n; i++)
        factor[i] = test_random(seed, -size, size);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            matrix[i * n + j] = 0;
            for (int k = 0; k < rank; k++)
                matrix[i * n + j] += factor[i * n + k] * factor[j * n + k];
        }
}

static int random_integer(uint64_t *seed, int count)
{
    return (int)test_random(seed, 0, count);
}

static const char *const coordinate_names[] = {"a", "b", "c", "d"};

static void random_sum(uint64_t *seed, int n, const char *suffix, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, size - used, "%+.3f*%s%s", test_random(seed, -1, 1),
                                 coordinate_names[i], suffix);
}

static void random_contact(uint64_t *seed, bench *b, int c)
{
    static const char *const normals[] = {"1", "2 + cos(0.7*t)", "0.5 + 0.1*t", "1.3"};
    static const char *const belts[] = {"", " - 0.3", " - 0.2*sin(1.1*t)", " + 0.1*t - 0.05*t^2"};
    static const char *const stops[] = {"", " + 0.4", " + 0.1*cos(2*t)", " + 0.2*t"};
    char name[16], slip[200], gap[200];
    int n = b->system->n;
    slip_law law = coulomb(test_random(seed, 0.05, 0.4), 1.2);
    snprintf(name, sizeof name, "c%d", c);
    random_sum(seed, n, "'", slip, sizeof slip);
    random_sum(seed, n, "", gap, sizeof gap);
    strcat(slip, belts[random_integer(seed, 4)]);
    strcat(gap, stops[random_integer(seed, 4)]);
    if (random_integer(seed, 2)) {
        int normal = random_integer(seed, 4);
        law.viscous = normal % 3 == 0 ? test_random(seed, 0, 0.2) : 0;
        add_friction(b, name, slip, normals[normal], law);
    } else {
        add_unilateral(b, name, gap, random_integer(seed, 4) ? slip : NULL, &law, 0, false);
    }
}

static bench random_system(uint64_t *seed, int n, int contacts)
{
    static const char *const loads[] = {"0",
                                        "1.5",
                                        "sin(t)",
                                        "cos(2*t) + 0.3*sin(0.3*t + 1)",
                                        "0.2*t - 0.01*t^2",
                                        "t*sin(1.7*t)",
                                        "0.02*t^3 + sin(t)^2"};
    bench b = build(n, coordinate_names);
    random_matrix(seed, n, n, 1, b.system->mass);
    for (int i = 0; i < n; i++)
        b.system->mass[i * (n + 1)] += 0.5;
    random_matrix(seed, n, random_integer(seed, n + 1), 1.5, b.system->stiffness);
    random_matrix(seed, n, random_integer(seed, n + 1), 0.5, b.system->damping);
    for (int i = 0; i < n; i++)
        add_force(&b, i, loads[random_integer(seed, 7)]);
    for (int c = 0; c < contacts; c++)
        random_contact(seed, &b, c);
    return b;
}

static void random_modes(uint64_t *seed, const bench *b, slip_mode *modes)
{
    for (int c = 0; c < (int)b->system->contact_count; c++) {
        static const slip_mode choices[] = {SLIP_MODE_STICK, SLIP_MODE_SLIP_PLUS, SLIP_MODE_SLIP_MINUS,
                                            SLIP_MODE_OPEN};
        const slip_contact *contact = &b->system->contacts[c];
        modes[c] = choices[random_integer(seed, contact->kind == SLIP_CONTACT_FRICTION ? 3 : 4)];
        if (contact->frictionless && modes[c] != SLIP_MODE_OPEN)
            modes[c] = SLIP_MODE_CLOSED;
    }
}

static void set_branches(const bench *b, const slip_mode *modes, slip_branch *branches)
{
    for (int c = 0; c < (int)b->system->contact_count; c++)
        branches[c] =
            (slip_branch){.piece = modes[c] == SLIP_MODE_SLIP_MINUS ? 0 : 1, .chart = -1, .mode = modes[c]};
    for (int c = 0; c < (int)b->system->contact_count; c++)
        if (b->system->contacts[c].frictionless)
            branches[c].piece = 0;
}

/* A state that satisfies the constraints: what the propagator itself makes of a random one. */
static void random_state(uint64_t *seed, bench *b, slip_exact *exact, const slip_mode *modes, double t,
                         double *y)
{
    int n = b->system->n;
    double q[most_n], v[most_n];
    for (int i = 0; i < n; i++) {
        q[i] = test_random(seed, -1, 1);
        v[i] = test_random(seed, -1, 1);
    }
    check_done(b, slip_exact_start(exact, modes, t, q, v));
    slip_exact_state(exact, t, y, y + n, NULL);
    check_done(b, slip_exact_start(exact, modes, t, y, y + n));
}

static double largest_of(int n, const double *x)
{
    double largest = 1;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

static void check_forces(bench *b, twin *w, const slip_exact *exact, const slip_mode *modes, double t)
{
    int n = b->system->n;
    double q[most_n], v[most_n], a[most_n], found[most_n], slip[4], normal[4], force[4], gap[4];
    slip_exact_state(exact, t, q, v, found);
    slip_exact_contacts(exact, t, slip, normal, force, gap);
    assert_true(slip_system_acceleration(b->system, w->work, w->branches, t, q, v, a));
    assert_true(slip_system_constrain(b->system, w->work, w->branches, t, q, v, a));
    double size = largest_of(n, found);
    for (int c = 0; c < (int)b->system->contact_count; c++)
        size = fmax(size, fmax(fabs(normal[c]), fabs(force[c])));
    for (int i = 0; i < n; i++)
        assert_close(found[i], a[i], 1e-10 * size);
    for (int c = 0; c < (int)b->system->contact_count; c++) {
        const slip_contact *contact = &b->system->contacts[c];
        assert_close(normal[c], modes[c] == SLIP_MODE_OPEN ? 0 : w->work->contacts[c].normal, 1e-10 * size);
        assert_close(force[c], modes[c] == SLIP_MODE_OPEN ? 0 : w->work->contacts[c].force, 1e-10 * size);
        assert_close(slip[c], slip_system_slip(b->system, w->work, c, t, q, v), 1e-12 * size);
        if (modes[c] == SLIP_MODE_STICK)
            assert_true(slip[c] == 0);
        if (contact->kind == SLIP_CONTACT_UNILATERAL)
            assert_close(gap[c], slip_system_gap(b->system, w->work, c, t, q), 1e-12 * size);
        if (contact->kind == SLIP_CONTACT_UNILATERAL && modes[c] != SLIP_MODE_OPEN)
            assert_true(gap[c] == 0);
    }
}

/* With more constraints than motions the forces are not unique: a test of their own has that. */
static int constraint_count(const bench *b, const slip_mode *modes)
{
    int count = 0;
    for (int c = 0; c < (int)b->system->contact_count; c++)
        count += (b->system->contacts[c].kind == SLIP_CONTACT_UNILATERAL && modes[c] != SLIP_MODE_OPEN) +
                 (modes[c] == SLIP_MODE_STICK);
    return count;
}

static void random_motions(void **state)
{
    uint64_t seed = 5;
    int done = 0;
    double worst = 0;
    (void)state;
    for (int k = 0; k < 600; k++) {
        int n = 1 + random_integer(&seed, most_n), contacts = random_integer(&seed, n < 3 ? n + 1 : 4);
        bench b = random_system(&seed, n, contacts);
        slip_mode modes[4];
        slip_exact *exact = create(&b);
        twin w = {.system = b.system};
        double y[2 * most_n], q[most_n], v[most_n], t = test_random(&seed, 0, 3), end;
        check_done(&b, slip_workspace_create(b.ctx, b.system, &w.work));
        random_modes(&seed, &b, modes);
        set_branches(&b, modes, w.branches);
        end = t + test_random(&seed, 0, 6);
        for (int i = 0; i < n; i++)
            q[i] = v[i] = 0;
        if (constraint_count(&b, modes) <= n && slip_exact_start(exact, modes, t, q, v) == SLIP_OK) {
            random_state(&seed, &b, exact, modes, t, y);
            check_forces(&b, &w, exact, modes, t);
            check_forces(&b, &w, exact, modes, end);
            twin_run(&b, &w, t, end, y);
            slip_exact_state(exact, end, q, v, NULL);
            double size = fmax(largest_of(n, q), largest_of(n, v));
            for (int i = 0; i < n; i++) {
                worst = fmax(worst, fmax(fabs(q[i] - y[i]), fabs(v[i] - y[n + i])) / size);
                assert_close(q[i], y[i], 3e-12 * size);
                assert_close(v[i], y[n + i], 3e-12 * size);
            }
            done++;
        }
        slip_workspace_destroy(w.work);
        slip_exact_destroy(exact);
        clear(&b);
    }
    print_message("%d motions, worst relative difference %.2g\n", done, worst);
    assert_true(done > 450);
}

/* ---- Closed forms. */

static void start_one(bench *b, slip_exact *exact, slip_mode mode, double t, double q, double v)
{
    check_done(b, slip_exact_start(exact, &mode, t, &q, &v));
}

static void check_state(const slip_exact *exact, double t, double q, double v, double tolerance)
{
    double found_q, found_v;
    slip_exact_state(exact, t, &found_q, &found_v, NULL);
    assert_close(found_q, q, tolerance * fmax(1, fabs(q)));
    assert_close(found_v, v, tolerance * fmax(1, fabs(v)));
}

static void resonance_drift_and_critical_damping(void **state)
{
    static const char *const names[] = {"x"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        bench b = build(1, names);
        b.system->stiffness[0] = k < 2;
        b.system->damping[0] = k == 1 ? 2 : 0;
        if (k == 0)
            add_force(&b, 0, "sin(t)");
        if (k == 2)
            add_force(&b, 0, "6*t - 2 + 4*cos(2*t)");
        slip_exact *exact = create(&b);
        check_done(&b, slip_exact_start(exact, NULL, 0, (double[]){0.3}, (double[]){-0.2}));
        assert_true(k != 3 || slip_exact_rate(exact) == 0);
        for (int i = 0; i <= 60; i++) {
            double t = i < 50 ? 0.37 * i : 17.0 * (i - 48), e = exp(-t);
            if (k == 0) /* resonance */
                check_state(exact, t, 0.3 * cos(t) - 0.2 * sin(t) + 0.5 * (sin(t) - t * cos(t)),
                            -0.3 * sin(t) - 0.2 * cos(t) + 0.5 * t * sin(t), 1e-13);
            if (k == 1) /* x = (0.3 + 0.1 t) e^-t */
                check_state(exact, t, (0.3 + 0.1 * t) * e, (-0.2 - 0.1 * t) * e, 4e-15);
            if (k == 2) /* a rigid body */
                check_state(exact, t, 1.3 - 0.2 * t + t * t * t - t * t - cos(2 * t),
                            -0.2 + 3 * t * t - 2 * t + 2 * sin(2 * t), 1e-14);
            if (k == 3)
                check_state(exact, t, 0.3 - 0.2 * t, -0.2, 4e-16);
        }
        slip_exact_destroy(exact);
        clear(&b);
    }
}

/* Equal frequencies, coupled only by damping that is not proportional; and a chain of equal integrators,
 * whose generator has one eigenvalue and one eigenvector. */
static void equal_eigenvalues(void **state)
{
    static const char *const names[] = {"x", "y"};
    const double damping[] = {2, 0, 0, 2}, stiffness[] = {1, 0, -1, 1}, q0[] = {1, 0}, v0[] = {0, 0};
    bench b = build(2, names);
    (void)state;
    memcpy(b.system->damping, damping, sizeof damping);
    memcpy(b.system->stiffness, stiffness, sizeof stiffness);
    slip_exact *exact = create(&b);
    check_done(&b, slip_exact_start(exact, NULL, 0, q0, v0));
    for (double t = 0; t < 20; t += 0.61) {
        double q[2], e = exp(-t);
        slip_exact_state(exact, t, q, NULL, NULL);
        assert_close(q[0], (1 + t) * e, 4e-15);
        assert_close(q[1], (t * t / 2 + t * t * t / 6) * e, 4e-15);
    }
    slip_exact_destroy(exact);
    clear(&b);
}

/* ---- Events with closed forms. */

static bool first(slip_exact *exact, double end, double *t)
{
    slip_exact_event event = {0};
    int found = slip_exact_first_event(exact, end, &event);
    *t = event.t;
    return found;
}

/* Slip that starts with zero velocity and zero acceleration, v = 1 - cos t: it touches zero after a period,
 * which is no event. With an acceleration c at the start, v = 1 - cos t + c sin t, it ends at 2 pi - 2 atan
 * c, with a lowest velocity of -c^2/2. */
static void slip_starts_at_zero_and_grazes(void **state)
{
    static const char *const names[] = {"x"};
    const double accelerations[] = {0, 1e-1, 1e-3, 1e-5, 3e-7};
    const double pi = 3.14159265358979323846;
    (void)state;
    for (int k = 0; k < 5; k++) {
        char load[60];
        double t, c = accelerations[k];
        bench b = build(1, names);
        b.system->stiffness[0] = 1;
        snprintf(load, sizeof load, "t + %.17g", c);
        add_force(&b, 0, load);
        add_friction(&b, "pad", "x'", NULL, coulomb(1, 1));
        slip_exact *exact = create(&b);
        start_one(&b, exact, SLIP_MODE_STICK, -0.5, 0, 0);
        assert_true(first(exact, 5, &t));
        assert_close(t, 1 - c, 1e-15);
        start_one(&b, exact, SLIP_MODE_SLIP_PLUS, 1, 0, 0);
        if (c == 0) {
            assert_false(first(exact, 1 + 2 * pi * 3.9, &t));
        } else {
            /* near a double root, rounding of v moves the root by rounding / c */
            assert_true(first(exact, 100, &t));
            assert_close(t, 1 + 2 * pi - 2 * atan(c), 1e-14 + 1e-15 / c);
            assert_false(first(exact, 1 + 2 * pi - 2.1 * atan(c) - 1e-14, &t));
        }
        /* the wrong direction is over at once */
        start_one(&b, exact, SLIP_MODE_SLIP_MINUS, 1, 0, 0);
        assert_true(first(exact, 100, &t));
        assert_true(t == 1);
        slip_exact_destroy(exact);
        clear(&b);
    }
}

static void gap_grazes(void **state)
{
    static const char *const names[] = {"x"};
    const double depths[] = {-1e-3, -1e-12, 0, 1e-12, 1e-8, 1e-3};
    (void)state;
    for (int k = 0; k < 6; k++) {
        char gap[60];
        double t, depth = depths[k];
        bench b = build(1, names);
        b.system->stiffness[0] = 1;
        snprintf(gap, sizeof gap, "x + %.17g", 1 - depth);
        add_unilateral(&b, "stop", gap, NULL, NULL, 1, false);
        slip_exact *exact = create(&b);
        start_one(&b, exact, SLIP_MODE_OPEN, 0, 1, 0);
        if (depth > 0) {
            assert_true(first(exact, 100, &t));
            assert_close(t, acos(depth - 1), 1e-14 + 1e-15 / sqrt(depth));
        } else {
            assert_false(first(exact, 50, &t));
        }
        slip_exact_destroy(exact);
        clear(&b);
    }
}

/* Flights: polynomials, over times from tiny to huge; a gap that opens from zero with its third rate. */
static void flights(void **state)
{
    static const char *const names[] = {"x"};
    double t;
    (void)state;
    for (int k = -12; k <= 12; k++) {
        double speed = pow(10, k);
        bench b = build(1, names);
        add_force(&b, 0, "-9.81");
        add_unilateral(&b, "ground", "x", NULL, NULL, 1, false);
        slip_exact *exact = create(&b);
        start_one(&b, exact, SLIP_MODE_OPEN, 0, 0, speed);
        assert_true(first(exact, speed, &t));
        assert_close_relative(t, 2 * speed / 9.81, 1e-15);
        assert_false(first(exact, 2 * speed / 9.81 * 0.999999, &t));
        start_one(&b, exact, SLIP_MODE_OPEN, 0, speed, 0);
        assert_true(first(exact, 1e3 * (1 + speed), &t));
        assert_close_relative(t, sqrt(2 * speed / 9.81), 1e-15);
        start_one(&b, exact, SLIP_MODE_OPEN, 2, 0, 0); /* falls at once */
        assert_true(first(exact, 3, &t));
        assert_true(t == 2);
        slip_exact_destroy(exact);
        clear(&b);
    }
    bench b = build(1, names);
    add_force(&b, 0, "-1 + t - 0.1*t^2");
    add_unilateral(&b, "ground", "x", NULL, NULL, 1, false);
    slip_exact *exact = create(&b);
    double lift = 5 - sqrt(15); /* the normal force 1 - t + t^2/10 vanishes */
    start_one(&b, exact, SLIP_MODE_CLOSED, 0, 0, 0);
    assert_true(first(exact, 10, &t));
    assert_close(t, lift, 4e-16);
    start_one(&b, exact, SLIP_MODE_OPEN, t, 0, 0);
    assert_true(first(exact, 100, &t));
    /* with u = t - lift the acceleration is c u - u^2/10, c = sqrt(15)/5, the gap c u^3/6 - u^4/120 */
    assert_close(t, lift + 4 * sqrt(15), 2e-14);
    slip_exact_destroy(exact);
    clear(&b);
}

/* ---- Random systems: events against dense sampling. */

static int sample_conditions(const slip_exact *exact, double t, double *lowest)
{
    double g[10];
    int at = -1;
    *lowest = INFINITY;
    for (int i = 0; i < slip_exact_condition_count(exact); i++) {
        slip_exact_condition_derivatives(exact, i, t, 0, g);
        if (g[0] < *lowest) {
            *lowest = g[0];
            at = i;
        }
    }
    return at;
}

static void check_taylor(const slip_exact *exact, double t)
{
    double here[10], there[10], h = 0.02 / (1 + slip_exact_rate(exact));
    for (int i = 0; i < slip_exact_condition_count(exact); i++) {
        double sum = 0, power = 1, size = 1;
        slip_exact_condition_derivatives(exact, i, t, 9, here);
        slip_exact_condition_derivatives(exact, i, t + h, 0, there);
        for (int k = 0; k <= 9; k++) {
            sum += here[k] * power;
            size += fabs(here[k] * power);
            power *= h / (k + 1);
        }
        assert_close(there[0], sum, 1e-13 * size);
    }
}

static void check_first_event(const slip_exact *exact, bool found, const slip_exact_event *event, double t0,
                              double end)
{
    enum { samples = 3000 };
    double g[10], lowest;
    for (int k = 1; k <= samples; k++) {
        double t = t0 + (end - t0) * k / samples;
        sample_conditions(exact, t, &lowest);
        if (found && t >= event->t)
            break;
        if (lowest < -1e-11)
            print_error("missed: %.17g at t = %.17g, reported %.17g\n", lowest, t, found ? event->t : NAN);
        assert_true(lowest >= -1e-11);
    }
    if (!found)
        return;
    /* the reported condition is zero there and falls */
    double smallest = INFINITY;
    for (int i = 0; i < slip_exact_condition_count(exact); i++) {
        slip_exact_condition_derivatives(exact, i, event->t, 9, g);
        double size = 0;
        for (int k = 0; k <= 9; k++)
            size = fmax(size, fabs(g[k]));
        if (g[1] <= 1e-7 * size)
            smallest = fmin(smallest, fabs(g[0]) / size);
    }
    assert_true(smallest < 1e-13 * fmax(1, event->t));
}

static void random_events(void **state)
{
    uint64_t seed = 77;
    int events = 0, none = 0;
    (void)state;
    for (int k = 0; k < 1000; k++) {
        int n = 1 + random_integer(&seed, 3), contacts = 1 + random_integer(&seed, 3);
        bench b = random_system(&seed, n, contacts);
        slip_mode modes[4];
        slip_exact *exact = create(&b);
        slip_exact_event event = {0};
        double y[2 * most_n] = {0}, lowest, t = test_random(&seed, 0, 3), end = t + 12;
        for (int attempt = 0; attempt < 20; attempt++) {
            random_modes(&seed, &b, modes);
            if (constraint_count(&b, modes) > n || slip_exact_start(exact, modes, t, y, y) != SLIP_OK)
                continue;
            random_state(&seed, &b, exact, modes, t, y);
            sample_conditions(exact, t, &lowest);
            bool found = slip_exact_first_event(exact, end, &event);
            if (lowest < -1e-9) {
                assert_true(found && event.t == t);
                continue;
            }
            check_taylor(exact, t + 1);
            check_first_event(exact, found, &event, t, end);
            events += found;
            none += !found;
            break;
        }
        slip_exact_destroy(exact);
        clear(&b);
    }
    print_message("%d events, %d segments without\n", events, none);
    assert_true(events > 500 && none > 5);
}

/* Two fast waves that beat: the gap dips below zero for a moment, many periods later. The slow and obvious
 * twin: extrema of the sum from its derivative's sign, finely sampled. */
static void short_dips_are_not_passed_over(void **state)
{
    static const char *const names[] = {"x"};
    uint64_t seed = 3;
    (void)state;
    for (int k = 0; k < 30; k++) {
        char gap[200];
        double w1 = test_random(&seed, 5, 40), w2 = test_random(&seed, 5, 40), level = 1.9, t, expected = NAN,
               previous = 1;
        snprintf(gap, sizeof gap, "x + %.17g + cos(%.17g*t) + sin(%.17g*t)", level + 0.0999 * (k % 2), w1,
                 w2);
        bench b = build(1, names);
        add_unilateral(&b, "stop", gap, NULL, NULL, 1, false);
        slip_exact *exact = create(&b);
        start_one(&b, exact, SLIP_MODE_OPEN, 0, 0, 0);
        for (int i = 0; i < 800000 && isnan(expected); i++) {
            double at = 20.0 * i / 800000, g = level + 0.0999 * (k % 2) + cos(w1 * at) + sin(w2 * at);
            if (g < 0 && previous >= 0)
                expected = at;
            previous = g;
        }
        bool found = first(exact, 20, &t);
        if (!isnan(expected)) {
            assert_true(found);
            assert_true(t <= expected && (t > expected - 2.6e-5 || t < expected));
            assert_close(level + 0.0999 * (k % 2) + cos(w1 * t) + sin(w2 * t), 0, 1e-12);
        } else if (found) {
            assert_close(level + 0.0999 * (k % 2) + cos(w1 * t) + sin(w2 * t), 0, 1e-12);
        }
        slip_exact_destroy(exact);
        clear(&b);
    }
}

/* ---- Whole runs: closed forms and Runge-Kutta check each other. */

enum { most_events = 4000 };

typedef struct witness {
    const slip_system *system;
    slip_workspace *work;
    slip_event events[most_events];
    int count;
    double last, residual, worst_slip, mismatch;
} witness;

static int see_step(void *user, const slip_step *step)
{
    witness *w = user;
    double q[most_n], v[most_n], a[most_n], slip[4], normal[4], force[4], mode[4];
    slip_sample sample = {q, v, a, slip, normal, force, mode};
    int n = w->system->n;
    assert_true(step->t0 == w->last && step->t1 >= step->t0);
    w->last = step->t1;
    for (int k = 0; k <= 3; k++) {
        double t = k == 3 ? step->t1 : step->t0 + (step->t1 - step->t0) * k / 3;
        step->sample(step->self, t, &sample);
        double speed = 0;
        for (int i = 0; i < n; i++)
            speed = fmax(speed, fabs(v[i]));
        /* where all velocities are rounding at once, the judge cannot tell the sign of a slip */
        if (speed == 0 || speed > 1e-14)
            w->residual = fmax(w->residual, slip_system_residual(w->system, w->work, t, q, v, normal, force) /
                                                largest_of(n, a));
        for (int c = 0; c < (int)w->system->contact_count; c++)
            if (mode[c] == SLIP_MODE_STICK)
                w->worst_slip = fmax(w->worst_slip, fabs(slip[c]));
        for (int i = 0; i < n && (k == 0 || k == 3); i++)
            w->mismatch = fmax(w->mismatch, fabs(q[i] - (k ? step->q1 : step->q0)[i]) +
                                                fabs(v[i] - (k ? step->v1 : step->v0)[i]) +
                                                fabs(a[i] - (k ? step->a1 : step->a0)[i]));
    }
    return SLIP_OK;
}

static int see_event(void *user, const slip_event *event)
{
    witness *w = user;
    assert_true(w->count < most_events);
    w->events[w->count++] = *event;
    return SLIP_OK;
}

typedef struct outcome {
    int status;
    double q[most_n], v[most_n];
    witness w;
} outcome;

static void run_segments(bench *b, const char *segments, const double *q, const double *v, double end,
                         outcome *o)
{
    void *self = NULL;
    double t;
    const slip_method_type *type = slip_method_find("event");
    slip_method_options options = {.tolerance = 1e-11, .span = end, .segments = segments};
    slip_observer observer = {&o->w, see_step, see_event};
    memset(o, 0, sizeof *o);
    o->w.system = b->system;
    check_done(b, slip_workspace_create(b->ctx, b->system, &o->w.work));
    check_done(b, type->open(b->ctx, b->system, &options, 0, q, v, &self));
    o->status = type->advance(self, 0.3 * end, &observer);
    if (o->status == SLIP_OK)
        o->status = type->advance(self, end, &observer);
    type->state(self, &t, o->q, o->v);
    type->close(self);
    slip_workspace_destroy(o->w.work);
}

static void published_runs(void **state)
{
    const double pi = 3.14159265358979323846, q[] = {0, 0}, v[] = {0, 0.1};
    outcome *o = malloc(sizeof *o);
    (void)state;
    assert_non_null(o);
    for (int k = 0; k < 2; k++) {
        const expected_event *expected = k ? events_b : events_a;
        bench b = k ? jack_plane(0.3, "0.5") : jack_plane(0.4, "1.3");
        check_done(&b, slip_system_finish(b.ctx, b.system));
        run_segments(&b, "exact", q, v, 120 * pi, o);
        assert_int_equal(o->status, SLIP_OK);
        assert_true(k || o->w.count == 60);
        for (int i = 0; i < (k ? 8 : 12); i++)
            assert_close(o->w.events[i].time, expected[i].t, 1e-12);
        assert_true(o->w.worst_slip == 0);
        assert_close(o->w.residual, 0, 1e-12);
        assert_true(o->w.mismatch == 0);
        clear(&b);
    }
    free(o);
}

/* The same events and the same end, up to where bounces follow each other within 1e-9: of those both may see
 * any number, and what is left of them differs. */
static bool agree(const outcome *exact, const outcome *rk, int n)
{
    for (int i = 0; i < exact->w.count || i < rk->w.count; i++) {
        const slip_event *a = &exact->w.events[i], *b = &rk->w.events[i];
        if (i > 1 && a[-1].to == SLIP_MODE_OPEN && a[-1].time - a[-2].time < 1e-9)
            return true;
        if (i >= exact->w.count || i >= rk->w.count)
            return false;
        if (a->contact != b->contact || a->to != b->to || fabs(a->time - b->time) > 1e-6)
            return false;
    }
    for (int i = 0; i < n; i++)
        if (fabs(exact->q[i] - rk->q[i]) > 1e-5 * largest_of(n, exact->q))
            return false;
    return true;
}

/* A start that is allowed: gaps open. */
static bool start_anywhere(uint64_t *seed, const bench *b, slip_workspace *work, double *q, double *v)
{
    for (int attempt = 0; attempt < 200; attempt++) {
        bool allowed = true;
        for (int i = 0; i < b->system->n; i++) {
            q[i] = test_random(seed, -1, 1);
            v[i] = test_random(seed, -1, 1);
        }
        for (int c = 0; c < (int)b->system->contact_count; c++)
            if (b->system->contacts[c].kind == SLIP_CONTACT_UNILATERAL)
                allowed &= slip_system_gap(b->system, work, c, 0, q) > 0.01;
        if (allowed)
            return true;
    }
    return false;
}

/* Directions that can be held at the same time; with more of them than coordinates forces are not unique, and
 * the two kinds of segments need not choose the same. */
static int direction_count(const bench *b)
{
    int count = 0;
    for (int c = 0; c < (int)b->system->contact_count; c++)
        count +=
            b->system->contacts[c].kind == SLIP_CONTACT_UNILATERAL && !b->system->contacts[c].frictionless
                ? 2
                : 1;
    return count;
}

static void show_difference(const outcome *o)
{
    for (int i = 0; i < o[0].w.count || i < o[1].w.count; i++) {
        for (int k = 0; k < 2; k++) {
            const slip_event *event = &o[k].w.events[i];
            if (i < o[k].w.count)
                print_message("  %.12f %d %s>%s", event->time, event->contact, slip_mode_name(event->from),
                              slip_mode_name(event->to));
        }
        print_message("\n");
    }
}

static void random_runs(void **state)
{
    uint64_t seed = 2025;
    outcome *o = malloc(2 * sizeof *o);
    int done = 0, differ = 0, events = 0;
    double residual = 0;
    (void)state;
    assert_non_null(o);
    for (int k = 0; k < 500; k++) {
        int n = 1 + random_integer(&seed, 4), contacts = 1 + random_integer(&seed, 3);
        bench b = random_system(&seed, n, contacts);
        double q[most_n], v[most_n];
        slip_workspace *work = NULL;
        check_done(&b, slip_system_finish(b.ctx, b.system));
        check_done(&b, slip_workspace_create(b.ctx, b.system, &work));
        if (direction_count(&b) <= n && start_anywhere(&seed, &b, work, q, v)) {
            run_segments(&b, "exact", q, v, 8, &o[0]);
            run_segments(&b, "rk", q, v, 8, &o[1]);
            if (o[0].status != o[1].status || o[0].status == SLIP_OK) {
                bool same = o[0].status == o[1].status && agree(&o[0], &o[1], n);
                if (!same) {
                    print_message("%d: status %d %d\n", k, o[0].status, o[1].status);
                    show_difference(o);
                }
                done++;
                differ += !same;
                events += o[0].w.count;
                residual = fmax(residual, o[0].w.residual);
                assert_true(o[0].w.worst_slip == 0);
            }
        }
        slip_workspace_destroy(work);
        clear(&b);
    }
    print_message("%d runs, %d differ, %d events, residual %.2g\n", done, differ, events, residual);
    assert_true(done > 200 && differ == 0 && residual < 1e-12);
    free(o);
}

/* ---- The rest. */

/* The same pad twice: each takes half of the force. */
static void forces_that_are_not_unique_are_least(void **state)
{
    static const char *const names[] = {"x", "y"};
    const slip_mode modes[] = {SLIP_MODE_STICK, SLIP_MODE_STICK, SLIP_MODE_STICK};
    const double q[] = {0.5, 0.25}, v[] = {0, 0};
    double slip[3], force[3], a[2];
    bench b = build(2, names);
    (void)state;
    b.system->stiffness[0] = b.system->stiffness[3] = 4;
    add_force(&b, 0, "3*cos(t)");
    add_friction(&b, "one", "x'", NULL, coulomb(3, 1));
    add_friction(&b, "two", "x'", NULL, coulomb(2, 1));
    add_friction(&b, "three", "y'", NULL, coulomb(2, 1));
    slip_exact *exact = create(&b);
    check_done(&b, slip_exact_start(exact, modes, 0, q, v));
    slip_exact_state(exact, 0.7, NULL, NULL, a);
    slip_exact_contacts(exact, 0.7, slip, NULL, force, NULL);
    assert_close(force[0], 1 - 1.5 * cos(0.7), 1e-15);
    assert_close(force[1], 1 - 1.5 * cos(0.7), 1e-15);
    assert_close(force[2], 1, 1e-15);
    assert_true(a[0] == 0 && a[1] == 0 && slip[0] == 0 && slip[1] == 0);
    slip_exact_destroy(exact);
    clear(&b);
}

/* More mode sets than are kept: what is made again is the same, bit by bit. */
static void many_mode_sets(void **state)
{
    static const slip_mode all[] = {SLIP_MODE_STICK, SLIP_MODE_SLIP_PLUS, SLIP_MODE_SLIP_MINUS};
    double first_round[81][4];
    bench b = build(4, coordinate_names);
    (void)state;
    for (int i = 0; i < 4; i++) {
        char slip[30];
        b.system->stiffness[i * 5] = 2;
        snprintf(slip, sizeof slip, "%s' - %s'", coordinate_names[i], coordinate_names[(i + 1) % 4]);
        add_friction(&b, coordinate_names[i], i < 3 ? slip : "d'", NULL, coulomb(1, 1));
        add_force(&b, i, "cos(t)");
    }
    slip_exact *exact = create(&b);
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < 81; k++) {
            const slip_mode modes[] = {all[k % 3], all[k / 3 % 3], all[k / 9 % 3], all[k / 27]};
            double q[] = {0.1, 0.2, 0.3, 0.4}, v[] = {0, 0, 0, 0};
            check_done(&b, slip_exact_start(exact, modes, 0, q, v));
            slip_exact_state(exact, 2, q, v, NULL);
            if (round == 0)
                memcpy(first_round[k], q, sizeof q);
            assert_memory_equal(first_round[k], q, sizeof q);
        }
    slip_exact_destroy(exact);
    clear(&b);
}

static void check_reason(bench *b, const char *expected)
{
    char reason[300] = "";
    slip_exact *exact = NULL;
    bool applies = slip_exact_applies(b->system, reason, sizeof reason);
    if (applies || !strstr(reason, expected)) {
        print_error("reason: %s\nexpected: %s\n", reason, expected);
        fail();
    }
    check_done(b, slip_system_finish(b->ctx, b->system));
    assert_int_equal(slip_exact_create(b->ctx, b->system, &exact), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(b->ctx), expected));
    clear(b);
}

static void says_why_it_does_not_apply(void **state)
{
    static const char *const names[] = {"x"};
    slip_law law = coulomb(1, 1), smooth = slip_law_default("tanh");
    (void)state;
    smooth.mu = smooth.velocity = 1;
    bench b = build(1, names);
    add_force(&b, 0, "x^2");
    check_reason(&b, "force on `x`: `x^2`");
    b = build(1, names);
    add_force(&b, 0, "exp(-t)");
    check_reason(&b, "`exp(-t)` is not a sum of harmonics");
    b = build(1, names);
    add_force(&b, 0, "t^8");
    check_reason(&b, "`t^8`");
    b = build(1, names);
    add_friction(&b, "pad", "x'", NULL, smooth);
    check_reason(&b, "contact `pad`: law `tanh`");
    b = build(1, names);
    add_friction(&b, "pad", "x'", "1 + x", law);
    check_reason(&b, "contact `pad`: normal_force `1 + x`");
    b = build(1, names);
    add_friction(&b, "pad", "x'*cos(t)", NULL, law);
    check_reason(&b, "contact `pad`: the coefficients of slip");
    b = build(1, names);
    law.viscous = 0.1;
    add_friction(&b, "pad", "x'", "1 + t", law);
    check_reason(&b, "contact `pad`: viscous");
    b = build(1, names);
    add_unilateral(&b, "stop", "x + exp(t)", NULL, NULL, 0, false);
    check_reason(&b, "contact `stop`: gap");
}

/* `exact` demands closed forms, `auto` and `rk` do without where there are none. */
static void segments_can_be_demanded(void **state)
{
    static const char *const names[] = {"x"}, *const words[] = {"exact", "auto", "rk", NULL};
    const slip_method_type *type = slip_method_find("event");
    const double zero = 0;
    (void)state;
    for (int k = 0; k < 4; k++) {
        slip_method_options options = {.tolerance = 1e-8, .span = 1, .segments = words[k]};
        slip_observer none = {0};
        void *self = NULL;
        bench b = build(1, names);
        add_force(&b, 0, "exp(-t)");
        check_done(&b, slip_system_finish(b.ctx, b.system));
        int status = type->open(b.ctx, b.system, &options, 0, &zero, &zero, &self);
        assert_int_equal(status, k == 0 ? SLIP_ERROR_MODEL : SLIP_OK);
        if (k == 0)
            assert_non_null(strstr(slip_context_message(b.ctx), "segments: `exact` is not possible here: "
                                                                "force on `x`"));
        else
            check_done(&b, type->advance(self, 1, &none));
        type->close(self);
        clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_events),
        cmocka_unit_test(random_motions),
        cmocka_unit_test(resonance_drift_and_critical_damping),
        cmocka_unit_test(equal_eigenvalues),
        cmocka_unit_test(slip_starts_at_zero_and_grazes),
        cmocka_unit_test(gap_grazes),
        cmocka_unit_test(flights),
        cmocka_unit_test(random_events),
        cmocka_unit_test(short_dips_are_not_passed_over),
        cmocka_unit_test(published_runs),
        cmocka_unit_test(random_runs),
        cmocka_unit_test(forces_that_are_not_unique_are_least),
        cmocka_unit_test(many_mode_sets),
        cmocka_unit_test(says_why_it_does_not_apply),
        cmocka_unit_test(segments_can_be_demanded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
