/* Responses through ranges in which contacts stick for the whole period: there the structure is linear with
 * the contact as a support, or with the spring of a damper, and the friction force of its harmonic motion
 * says where that ends. */
#include "response_test.h"
#include "slipstick/slipstick.h"

#include <complex.h>

static const double two_pi = 6.283185307179586477;

static slip_result *follow(const char *text, const char *over, double start, int harmonics, int points)
{
    slip_model *model = parse_with(text, NULL);
    slip_branch_options options = slip_branch_options_default();
    slip_result *branch = NULL;
    slip_axis axis = {0};
    good(slip_axis_parse(ctx, over, &axis));
    options.axis = &axis;
    options.start = start;
    options.harmonics = harmonics;
    options.spacing = 0.1;
    options.points = points;
    good(slip_branch_follow(ctx, model, &options, &branch));
    slip_axis_free(&axis);
    slip_model_destroy(model);
    return branch;
}

/* Amplitudes while everything sticks: of what is looked at, and of the friction force, or of the slider's
 * deflection, over its limit. */
typedef struct stuck {
    double complex motion, force;
} stuck;

/* An unbalance whose force grows with the square of the frequency, on a mass that rubs. */
static const char one[] =
    "slipstick: 1\nparameters: {w: 0.5, mu: 0.4}\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n"
    "damping: [[0.1]]\nforces: {x: 0.3*w^2*cos(w*t)}\n"
    "contacts: {f: {kind: friction, slip: x', law: {type: coulomb, mu: mu}}}\n"
    "simulate: {time: [0, 200]}\norbit: {period: 2*pi/w}\n";

static stuck stuck_one(double w)
{
    return (stuck){0, 0.3 * w * w / 0.4};
}

/* Two masses, the second one on a rough floor. */
static const char two[] =
    "slipstick: 1\nparameters: {w: 3}\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\nsprings:\n"
    "  - {between: [ground, x], stiffness: 1, damping: 0.05}\n"
    "  - {between: [x, y], stiffness: 1, damping: 0.05}\nforces: {x: 0.3*cos(w*t)}\n"
    "contacts: {f: {kind: friction, slip: y', law: {type: coulomb, mu: 0.3}}}\n"
    "simulate: {time: [0, 300]}\norbit: {period: 2*pi/w}\n";

static stuck stuck_two(double w)
{
    const double complex link = 1 + 0.05 * I * w, x = 0.3 / (2 * link - w * w);
    return (stuck){x, link * x / 0.3};
}

enum { masses = 12 };

/* A chain of masses, the last one on a rough floor; a stop that is not reached stands beside it. */
static void write_chain(char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "slipstick: 1\nparameters: {w: 1}\ncoordinates: [");
    for (int i = 0; i < masses; i++)
        used += (size_t)snprintf(text + used, size - used, "%sx%d", i ? ", " : "", i);
    used += (size_t)snprintf(text + used, size - used, "]\nmass: {diagonal: [");
    for (int i = 0; i < masses; i++)
        used += (size_t)snprintf(text + used, size - used, "%s1", i ? ", " : "");
    used += (size_t)snprintf(text + used, size - used, "]}\nsprings:\n");
    for (int i = 0; i < masses; i++) {
        char before[12];
        snprintf(before, sizeof before, i ? "x%d" : "ground", i - 1);
        used += (size_t)snprintf(text + used, size - used,
                                 "  - {between: [%s, x%d], stiffness: 4, damping: 0.04}\n", before, i);
    }
    snprintf(text + used, size - used,
             "forces: {x0: 0.4*cos(w*t)}\ncontacts:\n"
             "  f: {kind: friction, slip: x%d', law: {type: coulomb, mu: 0.3}}\n"
             "  g: {kind: unilateral, gap: 0.8 - x6, restitution: 0.6}\n"
             "simulate: {time: [0, 300]}\norbit: {period: 2*pi/w}\n",
             masses - 1);
}

/* Gauss's elimination from the held end: x_i = ratio_i x_(i-1). */
static stuck stuck_chain(double w)
{
    const double complex link = 4 + 0.04 * I * w, own = 2 * link - w * w;
    double complex ratio[masses] = {0}, x;
    for (int i = masses - 2; i > 0; i--)
        ratio[i] = link / (own - link * ratio[i + 1]);
    x = 0.4 / (own - link * ratio[1]);
    const double complex first = x;
    for (int i = 1; i < masses - 1; i++)
        x *= ratio[i];
    return (stuck){first, link * x / 0.3};
}

/* Two masses and a friction damper, which is a spring while its slider sticks. */
static const char damped[] =
    "slipstick: 1\nparameters: {w: 1.4}\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\nsprings:\n"
    "  - {between: [x, ground], stiffness: 1, damping: 0.01}\n"
    "  - {between: [y, ground], stiffness: 1, damping: 0.01}\n  - {between: [x, y], stiffness: 0.3}\n"
    "forces: {x: 0.1*cos(w*t)}\n"
    "contacts: {f: {kind: friction, slip: y', law: {type: jenkins, mu: 0.2, stiffness: 0.5}}}\n"
    "simulate: {time: [0, 300]}\norbit: {period: 2*pi/w}\n";

static stuck stuck_damped(double w)
{
    const double complex own = 1.3 - w * w + 0.01 * I * w, det = own * (own + 0.5) - 0.09;
    return (stuck){0.1 * (own + 0.5) / det, 0.1 * 0.3 / det / 0.4};
}

/* ---- What is expected of all of them. */

typedef struct response {
    const char *text, *moving, *held; /* names of coordinates */
    const char *signature;            /* where all sticks */
    stuck (*stuck)(double w);
    double low, high, start;
} response;

static double excess(const response *of, double w)
{
    return cabs(of->stuck(w).force) - 1;
}

/* The frequencies at which the force is just as large as the limit. */
static int find_ends(const response *of, double *ends, int most)
{
    enum { pieces = 20000 };
    int count = 0;
    for (int k = 0; k < pieces; k++) {
        double a = of->low + (of->high - of->low) * k / pieces,
               b = of->low + (of->high - of->low) * (k + 1) / pieces;
        if (excess(of, a) * excess(of, b) > 0)
            continue;
        for (int turn = 0; turn < 60; turn++) {
            const double middle = 0.5 * (a + b);
            *(excess(of, middle) * excess(of, a) > 0 ? &a : &b) = middle;
        }
        assert_true(count < most);
        ends[count++] = a;
    }
    return count;
}

static void expect_ends(const response *of, const slip_result *branch)
{
    double ends[16];
    const int count = find_ends(of, ends, 16);
    int found = 0, rims = 0;
    for (int64_t k = 0; k < slip_result_label_count(branch); k++) {
        const slip_label *label = slip_result_label(branch, k);
        if (strcmp(label->type, "EP") == 0)
            rims += label->value == of->low || label->value == of->high;
        if (strcmp(label->type, "LP") == 0)
            print_error("LP at %.12g\n", label->value);
        assert_true(strcmp(label->type, "LP") != 0);
        if (strcmp(label->from, of->signature) != 0 && strcmp(label->to, of->signature) != 0)
            continue;
        double nearest = INFINITY;
        for (int j = 0; j < count; j++)
            nearest = fabs(ends[j] - label->value) < fabs(nearest - label->value) ? ends[j] : nearest;
        near(label->value, nearest, 1e-8, "end of stick");
        found++;
    }
    assert_int_equal(rims, of->start == of->low || of->start == of->high ? 1 : 2);
    assert_int_equal(found, count);
}

/* Points go on without turning back, and where all sticks they are in closed form, in the middle of what
 * holds. */
static void expect_stuck_points(const response *of, const slip_result *branch)
{
    char names[4][24];
    int64_t sticks = 0;
    snprintf(names[0], sizeof names[0], "%s.amplitude", of->moving);
    snprintf(names[1], sizeof names[1], "%s.lag", of->moving);
    snprintf(names[2], sizeof names[2], "%s.max", of->held);
    snprintf(names[3], sizeof names[3], "%s.min", of->held);
    for (int64_t k = 0; k < points_of(branch); k++) {
        const double w = at(branch, "w", k);
        const stuck expected = of->stuck(w);
        if (k > 0)
            assert_true(w >= at(branch, "w", k - 1) - 1e-9);
        if (at(branch, "events", k) > 0) {
            assert_true(cabs(expected.force) > 1 - 1e-7);
            continue;
        }
        sticks++;
        assert_true(cabs(expected.force) < 1 + 1e-7);
        near(at(branch, names[0], k), cabs(expected.motion), 1e-8, names[0]);
        near(at(branch, names[2], k) + at(branch, names[3], k), 0, 1e-8, "middle of the held one");
        if (cabs(expected.motion) > 0)
            near(remainder(at(branch, names[1], k) + carg(expected.motion), two_pi), 0, 1e-7, names[1]);
    }
    assert_true(sticks > 5);
}

/* Points that slip are those of shooting, to what the harmonics leave. */
static void expect_slipping_points(const response *of, const slip_result *branch, double error, int64_t every)
{
    char name[24], over[60];
    snprintf(name, sizeof name, "%s.amplitude", of->moving);
    for (int64_t k = every / 2; k < points_of(branch); k += every) {
        const double w = at(branch, "w", k);
        if (at(branch, "events", k) == 0)
            continue;
        snprintf(over, sizeof over, "w=%.17g:%.17g", w, w + 1e-3);
        slip_result *shot = follow(of->text, over, w, 0, 1);
        near(at(branch, name, k), at(shot, name, 0), error * at(shot, name, 0), over);
        slip_result_destroy(shot);
    }
}

static void expect_response(const response *of, int harmonics, double error, int64_t every)
{
    char over[60];
    snprintf(over, sizeof over, "w=%.17g:%.17g", of->low, of->high);
    slip_result *branch = follow(of->text, over, of->start, harmonics, 0);
    expect_ends(of, branch);
    expect_stuck_points(of, branch);
    if (harmonics > 0)
        expect_slipping_points(of, branch, error, every);
    slip_result_destroy(branch);
}

static const response of_one = {one, "x", "x", "f stick", stuck_one, 0.4, 3, 0.5},
                      of_two = {two, "x", "y", "f stick", stuck_two, 0.2, 3, 3},
                      of_damper = {damped, "x", "y", "f stick", stuck_damped, 0.6, 2, 1.4};

static void one_mass(void **state)
{
    (void)state;
    expect_response(&of_one, 1, 1e-7, 7);
    expect_response(&of_one, 5, 1e-7, 7);
}

static void two_masses(void **state)
{
    (void)state;
    expect_response(&of_two, 3, 2e-2, 15);
    expect_response(&of_two, 6, 1e-3, 15);
}

static void twelve_masses(void **state)
{
    char text[4000];
    response of = {text, "x0", "x11", "f stick; g open", stuck_chain, 0.92, 1.18, 1};
    (void)state;
    write_chain(text, sizeof text);
    expect_response(&of, 3, 5e-2, 23);
}

static void damper(void **state)
{
    (void)state;
    expect_response(&of_damper, 5, 1e-2, 11);
}

static void shooting(void **state)
{
    (void)state;
    expect_response(&of_one, 0, 0, 0);
    expect_response(&of_two, 0, 0, 0);
    expect_response(&of_damper, 0, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_mass), cmocka_unit_test_of_numbers(two_masses),
                                       cmocka_unit_test_of_numbers(twelve_masses),
                                       cmocka_unit_test_of_numbers(damper),
                                       cmocka_unit_test_of_numbers(shooting)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
