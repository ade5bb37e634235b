/* Derivatives of motions across events where friction is set-valued in the plane: points that slip along two
 * directions, areas that also spin; with given normal forces, pressed by a gap, and in impacts. */
#include "derivative_test.h"

/* A point or an area on a moving floor, beside springs; sometimes one that lifts off and lands. */
static void write_model(uint64_t *seed, char *text)
{
    static const char *const areas[] = {
        "{shape: disc, radius: 0.5, pressure: uniform}",
        "{shape: rectangle, sides: [1, 0.6], pressure: uniform}",
    };
    static const char *const surfaces[] = {
        "{type: pade, order: [0, 0], m: 2, b: 1}",
        "{type: integral, tolerance: 0}",
    };
    derivative_writer w = {seed, text, 0, 0};
    const bool spins = derivative_chance(&w, 0.5), pressed = derivative_chance(&w, 0.4),
               lands = pressed && derivative_chance(&w, 0.6), turns = spins && derivative_chance(&w, 0.3),
               clings = derivative_chance(&w, 0.5);
    derivative_write(
        &w, "slipstick: 1\nparameters: {P: %.4f, w: %.4f, k: %.4f, vb: %.4f, mu: %.4f, s: %.4f}\n",
        derivative_number(&w, 0.5, 2), derivative_number(&w, 0.5, 2.5), derivative_number(&w, 0.5, 2),
        derivative_number(&w, -0.6, 0.6), derivative_number(&w, 0.2, 0.8), derivative_number(&w, 0.3, 1));
    derivative_write(&w, "coordinates: [x0, x1%s%s]\nmass: {diagonal: [%.4f, %.4f", spins ? ", phi" : "",
                     pressed ? ", z" : "", derivative_number(&w, 0.5, 2), derivative_number(&w, 0.5, 2));
    for (int i = 0; i < spins + pressed; i++)
        derivative_write(&w, ", %.4f", derivative_number(&w, 0.5, 2));
    derivative_write(&w,
                     "]}\nsprings:\n  - {between: [x0, x1], stiffness: k*%.3f}\n"
                     "  - {between: [x0, ground], stiffness: k, damping: %.3f}\n",
                     derivative_number(&w, 0.1, 0.6), derivative_number(&w, 0, 0.2));
    if (spins)
        derivative_write(&w, "  - {between: [phi, x1], stiffness: %.3f}\n", derivative_number(&w, 0.2, 1));
    if (pressed)
        derivative_write(&w, "  - {between: [z, x0], stiffness: %.3f}\n", derivative_number(&w, 0.05, 0.4));
    derivative_write(&w, "forces:\n  x0: P*cos(w*t%+.3f)\n  x1: %.3f*sin(w*t)%s\n",
                     derivative_number(&w, 0, 6), derivative_number(&w, -1, 1),
                     derivative_chance(&w, 0.3) ? " - 0.2*x1^3" : "");
    if (pressed)
        derivative_write(&w, "  z: %.3f*(%s)\n", derivative_number(&w, 1, 2),
                         lands ? "-1" : "-1 + 0.2*sin(t)");
    derivative_write(&w, "contacts:\n  pad:\n    kind: %s\n",
                     spins     ? "patch"
                     : pressed ? "unilateral"
                               : "friction");
    if (pressed)
        derivative_write(&w, "    gap: %s\n", derivative_chance(&w, 0.5) ? "z" : "z + 0.2*x0");
    else
        derivative_write(&w, "    normal_force: %.3f%s\n", derivative_number(&w, 0.5, 1.5),
                         derivative_chance(&w, 0.3) ? "*(1 + 0.3*sin(t))" : "");
    if (spins && turns)
        derivative_write(&w,
                         "    slip: {x: \"x0'*cos(phi) + (x1' - vb)*sin(phi)\", y: \"(x1' - vb)*cos(phi) - "
                         "x0'*sin(phi)\", spin: phi'}\n");
    else if (spins)
        derivative_write(&w, "    slip: {x: x0', y: x1' - vb, spin: phi'}\n");
    else
        derivative_write(&w, "    slip: [x0' - vb, %.3f*x1' + 0.3*x0']\n", derivative_number(&w, 0.5, 1.5));
    if (pressed && lands)
        derivative_write(&w, "    restitution: %.3f\n%s", derivative_number(&w, 0.2, 0.7),
                         derivative_chance(&w, 0.5) ? "    impact_friction: coulomb\n" : "");
    if (spins)
        derivative_write(&w, "    area: %s\n", areas[derivative_chance(&w, 0.5)]);
    derivative_write(&w, "    law: {type: coulomb, mu: %s", "mu");
    if (clings)
        derivative_write(&w, ", static_ratio: %.3f", derivative_number(&w, 1.1, 1.6));
    if (spins)
        derivative_write(&w, ", surface: %s", surfaces[derivative_chance(&w, 0.4)]);
    derivative_write(&w, "}\nsimulate: {initial: {x0: %.3f, x0': %.3f, x1': %.3f",
                     derivative_number(&w, -0.1, 0.1), derivative_number(&w, -1, 1),
                     derivative_number(&w, -1, 1));
    if (spins)
        derivative_write(&w, ", phi': %.3f", derivative_number(&w, -1, 1));
    if (pressed)
        derivative_write(&w, ", z: %.3f", lands ? derivative_number(&w, 0.1, 0.4) : 0.02);
    derivative_write(&w, "}}\n");
}

static void random_planes(void **state)
{
    static const char *const all[] = {"P", "w", "k", "vb", "mu", NULL};
    const int count = test_many(200);
    derivative_tally tally = {0};
    uint64_t seed = 7;
    (void)state;
    for (int trial = 0; trial < count; trial++) {
        char text[derivative_text], name[derivative_text + 40];
        write_model(&seed, text);
        slip_model *model = parse(text);
        const derivative_case c = {model, "auto", 1e-11, 0, 3, 0};
        snprintf(name, sizeof name, "trial %d\n%s", trial, text);
        derivative_check(&c, all, 5, &seed, 4, 1e-3, 1e-6, name, &tally);
        slip_model_destroy(model);
    }
    print_message("%d systems, %d columns, %d of them rough, %d failed, %d events, largest error %.2e\n",
                  tally.systems, tally.columns, tally.rough, tally.failed, (int)tally.events, tally.worst);
    assert_true(tally.rough * 6 < tally.columns && tally.failed * 25 < tally.systems);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_planes)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
