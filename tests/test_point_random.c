/* Random systems with contacts in the plane: the event method against small steps of moreau, extrapolated. */
#include "point_test.h"

enum { coordinates = 4 };

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

/* How far the event method is from moreau with steps h and h/2, extrapolated. */
static double off_steps(bench *b, const patch_outcome *o, double h, const double *q, const double *v,
                        double end)
{
    patch_outcome coarse = point_run(b, "moreau", h, q, v, end),
                  fine = point_run(b, "moreau", h / 2, q, v, end);
    double off = 0;
    for (int i = 0; i < coordinates; i++)
        off = fmax(off, fabs(o->q[i] - 2 * fine.q[i] + coarse.q[i]));
    patch_finish(&coarse);
    patch_finish(&fine);
    return off;
}

/* Steps may hold for a moment what all but comes to rest, where static friction is larger: shorter ones do
 * not. */
static void test_against_small_steps(void **state)
{
    const double end = 3;
    uint64_t seed = 2026;
    int events = 0, refined = 0;
    const int cases = test_many(500);
    (void)state;
    for (int k = 0; k < cases; k++) {
        bench b = random_bodies(&seed);
        double q[coordinates], v[coordinates], h = 2e-3;
        patch_outcome o;
        for (int i = 0; i < coordinates; i++) {
            q[i] = test_random(&seed, -0.5, 0.5);
            v[i] = test_random(&seed, -1, 1);
        }
        o = point_run(&b, "event", 1e-8, q, v, end);
        assert_true(o.w->power <= 1e-12);
        assert_close(o.w->residual, 0, 1e-8);
        while (!(off_steps(&b, &o, h, q, v, end) <= 3e-4)) {
            h /= 4;
            assert_true(h > 1e-4);
            refined++;
        }
        events += o.w->count;
        patch_finish(&o);
        clear(&b);
    }
    assert_true(events > cases && refined <= 2 + cases / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_small_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
