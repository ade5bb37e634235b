/* Random bodies on random patches by the event method: the judge, the power of friction, energy. */
#include "patch_run.h"

static const char *random_area(uint64_t *seed, slip_patch_options *o)
{
    static const char *const shapes[] = {"disc", "annulus", "rectangle"};
    int shape = (int)test_random(seed, 0, 3);
    *o = slip_patch_options_default();
    o->shape = shapes[shape];
    o->radius = test_random(seed, 0.3, 1.5);
    o->inner = 0.4;
    o->outer = 1.1;
    o->sides[0] = test_random(seed, 0.5, 2);
    o->sides[1] = test_random(seed, 0.5, 2);
    if (shape == 2 && test_random(seed, 0, 1) < 0.5) {
        o->pressure = "linear";
        o->linear[0] = test_random(seed, -0.3, 0.3);
        o->linear[1] = test_random(seed, -0.3, 0.3);
    }
    if (shape != 2 && test_random(seed, 0, 1) < 0.3) {
        o->surface = "integral";
        o->table_tolerance = 1e-9;
    }
    o->static_ratio = test_random(seed, 0, 1) < 0.3 ? 1 : test_random(seed, 1.05, 3);
    return o->shape;
}

/* A body in the plane on springs, with loads; one or two patches, whose slip velocities are those of points
 * of it; in some of them guides leave only two or one. */
static bench random_body(uint64_t *seed)
{
    static const char *const names[] = {"x", "y", "phi"};
    bench b = build(3, names);
    slip_patch_options area;
    char text[3][80], normal[60];
    int count = test_random(seed, 0, 1) < 0.4 ? 2 : 1;
    b.system->mass[8] = test_random(seed, 0.2, 3);
    for (int i = 0; i < 3; i++) {
        b.system->stiffness[4 * i] = test_random(seed, 0.5, 4);
        b.system->damping[4 * i] = test_random(seed, 0, 0.1);
        snprintf(text[0], sizeof text[0], "%.3f*sin(%.3f*t + %.3f)", test_random(seed, 0, 2),
                 test_random(seed, 0.3, 3), test_random(seed, 0, 6));
        add_force(&b, i, text[0]);
    }
    b.system->stiffness[1] = b.system->stiffness[3] = test_random(seed, -0.4, 0.4);
    for (int k = 0; k < count; k++) {
        double rx = test_random(seed, -0.5, 0.5), ry = test_random(seed, -0.5, 0.5);
        int parts = (int)test_random(seed, 1, 8); /* which slip velocities there are */
        random_area(seed, &area);
        snprintf(text[0], sizeof text[0], "x' - %.3f*phi' - %.3f", ry, test_random(seed, -0.3, 0.3));
        /* no two of them come to rest together */
        snprintf(text[1], sizeof text[1], "y' + %.3f*phi' - %.3f", rx, 0.07 * k);
        snprintf(text[2], sizeof text[2], "phi' - %.3f", 0.11 * k);
        snprintf(normal, sizeof normal, "%.3f + 0.2*cos(%.3f*t)", test_random(seed, 0.3, 1.5),
                 test_random(seed, 0.2, 2));
        add_patch(&b, k == 0 ? "one" : "two", parts & 1 ? text[0] : NULL, parts & 2 ? text[1] : NULL,
                  parts & 4 ? text[2] : NULL, normal, test_random(seed, 0.2, 1), &area);
    }
    return b;
}

static void test_random_bodies(void **state)
{
    uint64_t seed = 777;
    int events = 0;
    (void)state;
    for (int round = 0; round < 150; round++) {
        uint64_t start = seed;
        bench b = random_body(&seed);
        const double q[3] = {test_random(&seed, -1, 1), 0, test_random(&seed, -1, 1)},
                     v[3] = {0, test_random(&seed, -1, 1), 0};
        patch_outcome o = patch_run_event(&b, 1e-8, q, v, 20);
        if (!(o.w->residual < 1e-6) || !(o.w->power <= 1e-12)) {
            print_error("round %d, seed %llu\n", round, (unsigned long long)start);
            patch_print(&o);
            fail();
        }
        events += o.w->count;
        patch_finish(&o);
        clear(&b);
    }
    assert_true(events > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
