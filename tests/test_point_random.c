/* Random systems with contacts in the plane: the event method against small steps of moreau, extrapolated. */
#include "point_test.h"

enum { most_coordinates = 6 };

static double random_ratio(uint64_t *seed)
{
    return test_random(seed, 0, 1) < 0.5 ? 1 : test_random(seed, 1.05, 1.5);
}

static void add_random_point(bench *b, uint64_t *seed, const char *name, const char *x, const char *y)
{
    const double mu[2] = {test_random(seed, 0.2, 0.7),
                          test_random(seed, 0, 1) < 0.5 ? NAN : test_random(seed, 0.2, 0.7)};
    char normal[60];
    snprintf(normal, sizeof normal, "%.3f + %.3f*sin(%.3f*t)", test_random(seed, 0.6, 1.2),
             test_random(seed, 0, 0.5), test_random(seed, 0.5, 2));
    add_point(b, name, x, y, normal, coulomb(1, random_ratio(seed)),
              (const double[2]){mu[0], isnan(mu[1]) ? mu[0] : mu[1]});
}

/* Two bodies (x, y) and (u, w) in the plane, between springs that couple all directions. */
static bench random_bodies(uint64_t *seed)
{
    enum { coordinates = 4 };
    static const char *const names[] = {"x", "y", "u", "w"};
    bench b = build(coordinates, names);
    char text[2][100];
    for (int i = 0; i < coordinates; i++) {
        const int mass = i / 2 * 2;
        b.system->mass[(coordinates + 1) * i] =
            i == mass ? test_random(seed, 0.4, 2) : b.system->mass[(coordinates + 1) * mass];
        b.system->stiffness[(coordinates + 1) * i] = test_random(seed, 1, 3);
        for (int j = 0; j < i; j++)
            b.system->stiffness[coordinates * i + j] = b.system->stiffness[coordinates * j + i] =
                test_random(seed, -0.3, 0.3);
        b.system->damping[(coordinates + 1) * i] = 0.05;
        snprintf(text[0], sizeof text[0], "%.3f*sin(%.3f*t + %.3f)", test_random(seed, 0.3, 1.5),
                 test_random(seed, 0.5, 2), test_random(seed, 0, 6));
        add_force(&b, i, text[0]);
    }
    snprintf(text[0], sizeof text[0], "x' - %.3f",
             test_random(seed, 0, 1) < 0.5 ? 0 : test_random(seed, 0, 0.3));
    snprintf(text[1], sizeof text[1], "y' + %.3f*x'",
             test_random(seed, 0, 1) < 0.5 ? 0 : test_random(seed, -0.5, 0.5));
    add_random_point(&b, seed, "floor", text[0], text[1]);
    if (test_random(seed, 0, 1) < 0.6)
        add_random_point(&b, seed, "top", "u' - x'", "w' - y'");
    if (test_random(seed, 0, 1) < 0.6)
        add_random_point(&b, seed, "wall", "u'", "w' - 0.1");
    if (test_random(seed, 0, 1) < 0.3)
        add_friction(&b, "rail", "w'", "0.4", coulomb(0.4, random_ratio(seed)));
    return b;
}

static void add_random_pressed(bench *b, uint64_t *seed, const char *name, const char *gap, const char *x,
                               const char *y)
{
    const double mu = test_random(seed, 0.2, 0.6), other = test_random(seed, 0.2, 0.6);
    const bool round = test_random(seed, 0, 1) < 0.5;
    add_pressed_point(b, name, gap, x, y, coulomb(1, random_ratio(seed)),
                      (const double[2]){mu, round ? mu : other}, 0, false);
}

/* One on the other, and on a floor: masses couple the directions, so that friction changes normal forces. */
static bench random_stack(uint64_t *seed)
{
    enum { coordinates = 6 };
    static const char *const names[] = {"x", "y", "z", "u", "w", "s"};
    bench b = build(coordinates, names);
    char text[100];
    for (int i = 0; i < coordinates; i++) {
        b.system->mass[(coordinates + 1) * i] = test_random(seed, 0.8, 2);
        b.system->damping[(coordinates + 1) * i] = 0.05;
        if (i % 3 < 2)
            b.system->stiffness[(coordinates + 1) * i] = test_random(seed, 1, 3);
        for (int j = i / 3 * 3; j < i; j++)
            b.system->mass[coordinates * i + j] = b.system->mass[coordinates * j + i] =
                test_random(seed, -0.25, 0.25);
        snprintf(text, sizeof text, "%.3f + %.3f*sin(%.3f*t + %.3f)", i % 3 < 2 ? 0 : -3.0,
                 test_random(seed, 0.3, i % 3 < 2 ? 2 : 3.5), test_random(seed, 0.5, 3),
                 test_random(seed, 0, 6));
        add_force(&b, i, text);
    }
    add_random_pressed(&b, seed, "floor", "z", "x'", "y'");
    if (test_random(seed, 0, 1) < 0.7)
        add_random_pressed(&b, seed, "top", "s - z", "u' - x'", "w' - y'");
    else
        add_random_pressed(&b, seed, "side", "s", "u' - 0.1", "w'");
    if (test_random(seed, 0, 1) < 0.3)
        add_random_point(&b, seed, "guide", "u'", "w' - 0.1");
    return b;
}

/* How far the event method is from moreau with steps h and h/2, extrapolated. */
static double off_steps(bench *b, const patch_outcome *o, double h, const double *q, const double *v,
                        double end)
{
    patch_outcome coarse = point_run(b, "moreau", h, q, v, end),
                  fine = point_run(b, "moreau", h / 2, q, v, end);
    double off = 0;
    for (int i = 0; i < b->system->n; i++)
        off = fmax(off, fabs(o->q[i] - 2 * fine.q[i] + coarse.q[i]));
    patch_finish(&coarse);
    patch_finish(&fine);
    return off;
}

/* Steps may hold for a moment what all but comes to rest, where static friction is larger, and impacts within
 * a step are those of its end: shorter ones do better. */
static void compare(bench (*random)(uint64_t *seed), int cases, double allowed)
{
    const double end = 3;
    uint64_t seed = 2026;
    int events = 0, refined = 0;
    for (int k = 0; k < cases; k++) {
        bench b = random(&seed);
        double q[most_coordinates], v[most_coordinates], h = 2e-3;
        patch_outcome o;
        for (int i = 0; i < b.system->n; i++) {
            q[i] = test_random(&seed, -0.5, 0.5);
            v[i] = test_random(&seed, -1, 1);
        }
        if (b.system->n == 6) { /* above the floor, and each other */
            q[2] = test_random(&seed, 0, 1) < 0.5 ? 0 : 0.1;
            q[5] = q[2] + (test_random(&seed, 0, 1) < 0.5 ? 0 : 0.1);
            v[2] = v[5] = 0;
        }
        o = point_run(&b, "event", 1e-8, q, v, end);
        assert_close(o.w->residual, 0, 1e-8);
        assert_true(o.w->power <= 1e-12);
        while (!(off_steps(&b, &o, h, q, v, end) <= allowed)) {
            h /= 4;
            assert_true(h > 1e-4);
            refined++;
        }
        events += o.w->count;
        patch_finish(&o);
        clear(&b);
    }
    assert_true(events > cases && refined <= 2 + cases / 20);
}

static void test_given_normal_forces(void **state)
{
    (void)state;
    compare(random_bodies, test_many(500), 3e-4);
}

static void test_gaps(void **state)
{
    (void)state;
    compare(random_stack, test_many(250), 3e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_given_normal_forces),
                                       cmocka_unit_test(test_gaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
