/* Bricks with large strains, moved by method `explicit`. */
#include "fem/plane/plane.h"
#include "motion_test.h"
#include "simulation/course.h"
#include "system/field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static char text[6000];

static slip_simulation *open_text(const char *whole, int threads, slip_model **model)
{
    slip_simulation_options options = slip_simulation_options_default();
    slip_simulation *s = NULL;
    options.threads = threads;
    *model = parse(whole);
    good(slip_simulation_open(ctx, *model, NULL, &options, &s));
    return s;
}

/* ---- free motion ---- */

#define SPIN                                                                                                 \
    "slipstick: 1\nbodies:\n  block:\n"                                                                      \
    "    mesh: {block: {x: [-0.5, 0.5], y: [-0.3, 0.3], z: [0, 0.4], elements: [%s]}}\n"                     \
    "    material: {young: %g, poisson: 0.3, density: 2}\n    strain: large\n%s"                             \
    "    velocity: [0.5 - 4*y + z, 4*x - 0.2, -x]\n    probes: {p: [0.5, 0.3, 0], q: [-0.5, -0.3, 0.4]}\n"   \
    "simulate: {method: explicit, time: [0, 3]%s}\n"

/* Linear and angular momentum of all nodes, which are free. */
static void find_momenta(const slip_simulation *s, double linear[3], double angular[3])
{
    const slip_field *field = s->ready->system->field;
    const double *u = s->course->q + s->ready->system->n, *v = s->course->v + s->ready->system->n;
    memset(linear, 0, 3 * sizeof *linear);
    memset(angular, 0, 3 * sizeof *angular);
    for (int body = 0; body < field->body_count; body++) {
        const slip_field_body *own = &field->bodies[body];
        const double *X = slip_plane_body_mesh(s->ready->bodies->plane, body)->points;
        for (int64_t i = 0; i < own->size; i++) {
            const int k = (int)(i % 3);
            const int64_t a = i - k + (k + 1) % 3, b = i - k + (k + 2) % 3, at = own->first;
            linear[k] += own->lumps[i] * v[at + i];
            angular[k] += own->lumps[i] * ((X[a] + u[at + a]) * v[at + b] - (X[b] + u[at + b]) * v[at + a]);
        }
    }
}

static double distance(const slip_simulation *s, int64_t a, int64_t b, bool now)
{
    const double *X = slip_plane_body_mesh(s->ready->bodies->plane, 0)->points, *u = s->course->q;
    double square = 0;
    for (int k = 0; k < 3; k++) {
        const double d = X[3 * a + k] - X[3 * b + k] + (now ? u[3 * a + k] - u[3 * b + k] : 0);
        square += d * d;
    }
    return sqrt(square);
}

/* Some two turns about an axis that is none of its own: momenta to rounding, and the shape the better the
 * stiffer it is. */
static void a_free_block_keeps_its_momenta_and_its_shape(void **state)
{
    static const char *const integrations[] = {"", "    hourglass: 0.3\n"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        double stretch[2];
        for (int stiff = 0; stiff < 2; stiff++) {
            double before[2][3], after[2][3];
            slip_model *model;
            snprintf(text, sizeof text, SPIN, "5, 3, 2", stiff ? 4e4 : 4e3, integrations[k], "");
            slip_simulation *s = open_text(text, 0, &model);
            find_momenta(s, before[0], before[1]);
            good(slip_simulation_advance(ctx, s, 3));
            find_momenta(s, after[0], after[1]);
            for (int i = 0; i < 3; i++) {
                near(after[0][i], before[0][i], 1e-11, "linear momentum");
                near(after[1][i], before[1][i], 1e-11, "angular momentum");
            }
            assert_true(fabs(before[1][2]) > 0.1);
            stretch[stiff] = 0;
            const int64_t nodes = model->system->field->size / 3;
            for (int64_t i = 0; i < nodes; i++)
                for (int64_t j = 0; j < i; j++)
                    stretch[stiff] =
                        fmax(stretch[stiff], fabs(distance(s, i, j, true) - distance(s, i, j, false)));
            slip_simulation_close(s);
            slip_model_destroy(model);
        }
        print_message("largest change of a distance %.1e, of a stiffer block %.1e\n", stretch[0], stretch[1]);
        assert_true(stretch[0] < 6e-3 && stretch[1] < stretch[0] / 5);
    }
}

/* Its energy is that of the start but for an error that goes with the square of the step. */
static void energy_errs_with_the_square_of_the_step(void **state)
{
    double balance[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, SPIN, "5, 3, 2", 4e3, "", k ? ", step: 6e-4" : ", step: 1.2e-3");
        slip_result *result = run_text_as_said(text);
        balance[k] = slip_result_number(result, "energy.balance");
        assert_true(slip_result_number(result, "energy.potential_end") > 0);
        slip_result_destroy(result);
    }
    print_message("balance %.2e, with half the step %.2e\n", balance[0], balance[1]);
    assert_true(fabs(balance[0]) < 1e-4 && fabs(balance[1]) < fabs(balance[0]) / 3);
}

/* 960 bricks in two blocks of elements, by one thread and two; saved and restored. */
static void bits_depend_on_nothing_but_the_model(void **state)
{
    static double found[3][4000];
    slip_saved_state *kept = NULL;
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        slip_model *model;
        snprintf(text, sizeof text, SPIN, "10, 12, 8", 4e3, "", "");
        slip_simulation *s = open_text(text, threads, &model);
        const int64_t size = model->system->field->size;
        assert_true(size <= 4000);
        good(slip_simulation_advance(ctx, s, 0.02));
        if (threads == 2)
            good(slip_simulation_save(ctx, s, &kept));
        good(slip_simulation_advance(ctx, s, 0.05));
        memcpy(found[threads - 1], s->course->q, (size_t)size * sizeof(double));
        if (threads == 2) {
            good(slip_simulation_restore(ctx, s, kept));
            good(slip_simulation_advance(ctx, s, 0.05));
            memcpy(found[2], s->course->q, (size_t)size * sizeof(double));
            slip_saved_state_destroy(kept);
        }
        slip_simulation_close(s);
        slip_model_destroy(model);
    }
    assert_true(found[0][5] != 0);
    assert_memory_equal(found[0], found[1], sizeof found[0]);
    assert_memory_equal(found[1], found[2], sizeof found[0]);
}

/* ---- small and large displacements ---- */

/* A bar of one row of bricks strikes a wall: slowly it moves as the linear one does. */
static void small_strains_are_those_of_the_linear_body(void **state)
{
    (void)state;
    slip_result *of[2];
    for (int k = 0; k < 2; k++) {
        snprintf(
            text, sizeof text,
            "slipstick: 1\nbodies:\n  bar:\n"
            "    mesh: {block: {x: [0, 2], y: [0, 0.1], z: [0, 0.1], elements: [40, 1, 1]}}\n"
            "    material: {young: 100, poisson: 0, density: 1}\n    reduce: none\n%s"
            "    velocity: [-1e-5, 0, 0]\n    probes: {tip: [2, 0, 0]}\n"
            "contacts:\n  wall: {kind: surface, between: [bar.left, {point: [0, 0, 0], normal: [1, 0, 0]}]}\n"
            "simulate: {method: explicit, step: 4e-3, time: [0, 1], record: {every: 0.02, events: false}}\n",
            k ? "" : "    strain: large\n");
        of[k] = run_text_as_said(text);
        assert_true(slip_result_event_count(of[k]) >= 4);
        near(slip_result_event(of[k], 0)->time, 0.4, 0.02, "time of contact");
        near(slip_result_number(of[k], "energy.balance"), 0, 1e-6, "balance");
    }
    double size;
    const double off = difference(of[0], of[1], "bar.tip.x", &size);
    print_message("off from the linear bar by %.1e\n", off / size);
    assert_true(off < 1e-4 * size && off > 0);
    for (int k = 0; k < 2; k++)
        slip_result_destroy(of[k]);
}

/* A cantilever under a dead load P at its end, P L^2/(E I) = 1 and 5, brought to rest by damping: the
 * elastica (K. Mattiasson, Int. J. Num. Meth. Eng. 17, 1981, table 1). Shear and the mesh are left, about 0.6
 * (h/L)^2. */
static void a_cantilever_bends_as_the_elastica(void **state)
{
    static const double loads[] = {1, 5}, down[] = {0.30172, 0.71379}, back[] = {0.05643, 0.38763};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double inertia = 0.025 * 1e-3 / 12, area = 0.0025;
        snprintf(text, sizeof text,
                 "slipstick: 1\nbodies:\n  beam:\n"
                 "    mesh: {block: {x: [0, 1], y: [0, 0.1], z: [0, 0.025], elements: [80, 4, 1]}}\n"
                 "    material: {young: 1000, poisson: 0, density: 1}\n    strain: large\n"
                 "    fix: {left: xyz, bottom: z, top: z}\n    damping: {mass: 6}\n    tractions: {right: "
                 "[0, \"%.17g*min(t/0.5, 1)\", 0]}\n"
                 "    probes: {tip: [1, 0.05, 0]}\n"
                 "simulate: {method: explicit, time: [0, 6], record: {points: 50}}\n",
                 -loads[k] * 1000 * inertia / area);
        slip_result *result = run_text_as_said(text);
        int64_t count = 0;
        const double *x = slip_result_series(result, "beam.tip.x", &count),
                     *y = slip_result_series(result, "beam.tip.y", NULL);
        print_message("P L^2/(E I) = %g: down %.5f, back %.5f\n", loads[k], -y[count - 1], -x[count - 1]);
        near(-y[count - 1], down[k], (k ? 0.015 : 0.002) * down[k], "deflection");
        near(-x[count - 1], back[k], (k ? 0.02 : 0.002) * back[k], "shortening");
        near(x[count - 1], x[count - 6], 1e-4, "rest");
        slip_result_destroy(result);
    }
}

/* Cauchy stresses of a stretch and a quarter of a turn: lambda (lambda^2 - 1)/2 E along it. */
static void stresses_of_frames_turn_with_the_body(void **state)
{
    const double stretch = 1.2;
    (void)state;
    snprintf(text, sizeof text, SPIN, "2, 1, 1", 100.0, "", "");
    char *at = strstr(text, "poisson: 0.3");
    memcpy(at, "poisson: 0.0", 12);
    slip_model *model = parse(text);
    const slip_plane *plane = model->bodies->plane;
    const slip_mesh *mesh = slip_plane_body_mesh(plane, 0);
    double u[60], stress[120];
    assert_true(mesh->node_count == 12 && slip_plane_stress_count(plane) == 6);
    for (int i = 0; i < mesh->node_count; i++) {
        const double *X = mesh->points + 3 * i;
        u[3 * i] = -X[1] - X[0];
        u[3 * i + 1] = stretch * X[0] - X[1];
        u[3 * i + 2] = 0;
    }
    good(slip_plane_stresses(ctx, plane, u, stress));
    for (int i = 0; i < mesh->node_count; i++)
        for (int k = 0; k < 6; k++)
            near(stress[6 * i + k], k == 1 ? 100 * stretch * (stretch * stretch - 1) / 2 : 0, 1e-11,
                 "stress");
    slip_model_destroy(model);
}

/* ---- contact ---- */

/* A block that turns about z slides on a plane: mu N slows its middle down as that of a rigid one only where
 * it does not turn; here it falls flat from a height, turned, and comes to rest on the plane without going
 * through. */
static void a_block_lands_slides_and_rests(void **state)
{
    (void)state;
    snprintf(text, sizeof text,
             "slipstick: 1\nparameters: {mu: 0.3, a: 0.35}\nbodies:\n  block:\n"
             "    mesh: {block: {x: [0, 1], y: [0, 1], z: [0, 0.5], elements: [4, 3, 2]}}\n"
             "    material: {young: 2e4, poisson: 0.3, density: 1}\n    strain: large\n"
             "    body_force: [10*sin(a), 0, -10*cos(a)]\n    velocity: [1, 0, 0]\n"
             "    probes: {p: [0.5, 0.5, 0.2]}\n"
             "contacts:\n  floor: {kind: surface, between: [block.bottom, {point: [0, 0, 0], normal: [0, 0, "
             "1]}],\n"
             "          law: {type: coulomb, mu: mu}, impact_friction: coulomb}\n"
             "simulate: {method: explicit, time: [0, 0.6], record: {every: 0.01, events: false}}\n");
    slip_result *result = run_text_as_said(text);
    const double far = 0.6 + 0.5 * 10 * (sin(0.35) - 0.3 * cos(0.35)) * 0.36;
    int64_t count = 0;
    const double *x = slip_result_series(result, "block.p.x", &count);
    print_message("way of the sliding block: off by %.1e\n", x[count - 1] - far);
    near(x[count - 1], far, 5e-4 * far, "way of the sliding block");
    assert_true(slip_result_number(result, "residual") < 1e-12);
    near(slip_result_number(result, "energy.balance"), 0, 1e-5, "balance");
    slip_result_destroy(result);
}

/* A block dropped on an edge tumbles through a large angle: no node goes through the plane but by rounding
 * and the way of one step, and nothing makes energy. */
static void a_block_tumbles_on_a_plane(void **state)
{
    slip_model *model;
    double lowest = 0;
    (void)state;
    snprintf(
        text, sizeof text,
        "slipstick: 1\nbodies:\n  block:\n"
        "    mesh: {block: {x: [0, 1], y: [0, 0.5], z: [0, 0.4], elements: [6, 3, 2]}}\n"
        "    material: {young: 2e3, poisson: 0.3, density: 1}\n    strain: large\n    damping: {mass: 0.5}\n"
        "    body_force: [0, 0, -10]\n    velocity: [2 + 5*z, 0, -5*(x - 0.5)]\n    probes: {p: [0, 0, 0]}\n"
        "contacts:\n"
        "  low: {kind: surface, between: [block.bottom, {point: [0, 0, -0.4], normal: [0, 0, 1]}],\n"
        "        law: {type: coulomb, mu: 0.5}, impact_friction: coulomb}\n"
        "  right: {kind: surface, between: [block.right, {point: [0, 0, -0.4], normal: [0, 0, 1]}],\n"
        "        law: {type: coulomb, mu: 0.5}, impact_friction: coulomb}\n"
        "simulate: {method: explicit, time: [0, 1]}\n");
    slip_simulation *s = open_text(text, 0, &model);
    assert_true(s != NULL);
    const slip_mesh *mesh = slip_plane_body_mesh(model->bodies->plane, 0);
    for (int k = 1; k <= 100; k++) {
        good(slip_simulation_advance(ctx, s, 0.01 * k));
        for (int i = 0; i < mesh->node_count; i++)
            if (mesh->points[3 * i + 2] == 0 || mesh->points[3 * i] == 1)
                lowest = fmin(lowest, mesh->points[3 * i + 2] + s->course->q[3 * i + 2] + 0.4);
    }
    print_message("lowest node %.1e\n", lowest);
    assert_true(lowest > -1e-2);
    slip_simulation_close(s);
    slip_model_destroy(model);
    slip_result *result = run_text_as_said(text);
    assert_true(slip_result_event_count(result) > 0);
    near(slip_result_number(result, "energy.balance"), 0, 2e-3, "balance");
    slip_result_destroy(result);
}

/* Two bars meet in the air, one across the other and far from where both began: whatever the contact does,
 * momentum goes from one to the other, angular momentum up to the step, and no energy is made. */
static void bars_that_meet_pass_their_momentum_on(void **state)
{
    double off[2];
    (void)state;
    for (int fine = 0; fine < 2; fine++) {
        double before[2][3], after[2][3];
        slip_model *model;
        snprintf(text, sizeof text,
                 "slipstick: 1\nbodies:\n  upper:\n"
                 "    mesh: {block: {x: [-0.5, 0.5], y: [-0.1, 0.1], z: [0.6, 0.8], elements: [8, 2, 2]}}\n"
                 "    material: {young: 2e3, poisson: 0.3, density: 1}\n    strain: large\n"
                 "    velocity: [2*(z - 0.7), 0, -2 - 2*x]\n"
                 "  lower:\n    mesh: {block: {x: [-0.1, 0.1], y: [-0.5, 0.5], z: [0, 0.2], elements: [2, 9, "
                 "2]}}\n"
                 "    material: {young: 2e3, poisson: 0.3, density: 2}\n    strain: large\n"
                 "    velocity: [0.3, -z + 0.1, y]\n    probes: {p: [0, 0, 0]}\n"
                 "contacts:\n  joint: {kind: surface, between: [upper.bottom, lower.top], sliding: large,\n"
                 "          law: {type: coulomb, mu: 0.4}}\n"
                 "simulate: {method: explicit, step: %g, time: [0, 0.5]}\n",
                 fine ? 1e-4 : 4e-4);
        slip_simulation *s = open_text(text, 0, &model);
        find_momenta(s, before[0], before[1]);
        good(slip_simulation_advance(ctx, s, 0.5));
        find_momenta(s, after[0], after[1]);
        off[fine] = 0;
        for (int k = 0; k < 3; k++) {
            near(after[0][k], before[0][k], 1e-11, "linear momentum");
            off[fine] = fmax(off[fine], fabs(after[1][k] - before[1][k]));
        }
        slip_simulation_close(s);
        slip_model_destroy(model);
        slip_result *result = run_text_as_said(text);
        const double start = slip_result_number(result, "energy.kinetic_start"),
                     end = slip_result_number(result, "energy.kinetic_end") +
                           slip_result_number(result, "energy.potential_end");
        print_message("%lld events, energy %.4f of %.4f, balance %.1e, angular momentum off by %.1e\n",
                      (long long)slip_result_event_count(result), end, start,
                      slip_result_number(result, "energy.balance"), off[fine]);
        assert_true(slip_result_event_count(result) > 0 && end < start);
        near(slip_result_number(result, "energy.balance"), 0, 1e-3, "balance");
        slip_result_destroy(result);
    }
    assert_true(off[0] < 1e-3 && off[1] < off[0]);
}

/* The example: when the end of a rigid bar would touch. */
static void the_thrown_bar_lands_when_a_rigid_one_does(void **state)
{
    double touch = 0.2;
    (void)state;
    while (0.8 - 9.81 * touch * touch / 2 - 0.5 * fabs(sin(6 * touch)) - 0.05 * fabs(cos(6 * touch)) > 0)
        touch += 1e-5;
    near(touch, 0.2463, 5e-5, "what the example says");
    slip_result *result = run_text_as_said(slip_example_text("thrown-bar"));
    near(slip_result_event(result, 0)->time, touch, 2e-3, "time of landing");
    assert_true(fabs(slip_result_number(result, "energy.balance")) < 2e-3);
    assert_true(slip_result_number(result, "residual") < 1e-9);
    slip_result_destroy(result);
}

/* ---- what is refused ---- */

static void assert_refused(const char *mesh, const char *body, const char *simulate, const char *part)
{
    slip_model *model = NULL;
    slip_result *result = NULL;
    snprintf(text, sizeof text,
             "slipstick: 1\nbodies:\n  block:\n    mesh: {block: {%s}}\n    fix: [left]\n"
             "    material: {young: 100, poisson: 0.3, density: 1}\n%s%s",
             mesh, body, simulate);
    int status = slip_model_parse(ctx, text, "m.yaml", NULL, &model);
    if (status >= 0)
        status = slip_run(ctx, model, NULL, &result);
    assert_true(status < 0);
    if (!strstr(slip_context_message(ctx), part))
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(strstr(slip_context_message(ctx), part));
    slip_result_destroy(result);
    slip_model_destroy(model);
}

static void what_it_does_not_take_is_said(void **state)
{
    static const char bricks[] = "x: [0, 1], y: [0, 1], z: [0, 1], elements: [2, 2, 2]",
                      run[] = "simulate: {method: explicit, time: [0, 1]}\n", large[] = "    strain: large\n";
    (void)state;
    assert_refused("x: [0, 1], y: [0, 1], elements: [2, 2]", large, run,
                   "body `block`: found elements quad4 with `strain: large`, expected bricks of eight nodes");
    assert_refused("x: [0, 1], y: [0, 1], z: [0, 1], elements: [2, 2, 2], element: hex20", large, run,
                   "found elements hex20");
    assert_refused(bricks, "    strain: large\n    reduce: {modes: 4}\n", run,
                   "reduce: found modes with `strain");
    assert_refused(bricks, "    strain: large\n    damping: {stiffness: 1e-3}\n", run, "expected `mass`");
    assert_refused(bricks, "    strain: large\n    damping: {ratio: 1e-3}\n", run, "found `ratio` with");
    assert_refused(bricks, "    strain: huge\n", run, "strain: ");
    assert_refused(bricks, "    hourglass: 0.1\n", run, "hourglass: found with small strains");
    assert_refused(bricks, large, "", "strain: found large in statics");
    assert_refused(bricks, large, "simulate: {method: moreau, step: 1e-3, time: [0, 1]}\n",
                   "method `moreau` does not take `strain: large` of body `block`");
    assert_refused(bricks, large, "simulate: {method: explicit, time: [0, 1], initial: static}\n",
                   "statics is of small displacements");
    assert_refused(bricks, large, "simulate: {method: explicit, step: 1, time: [0, 1]}\n",
                   "simulate.step: found 1, expected at most 0.0");
    assert_refused(bricks, "    strain: large\n    tractions: {right: [-100*t, 0, 0]}\n", run,
                   "of body `block` is no longer finite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_block_keeps_its_momenta_and_its_shape),
        cmocka_unit_test(energy_errs_with_the_square_of_the_step),
        cmocka_unit_test(bits_depend_on_nothing_but_the_model),
        cmocka_unit_test(small_strains_are_those_of_the_linear_body),
        cmocka_unit_test_of_numbers(a_cantilever_bends_as_the_elastica),
        cmocka_unit_test(stresses_of_frames_turn_with_the_body),
        cmocka_unit_test(a_block_lands_slides_and_rests),
        cmocka_unit_test(a_block_tumbles_on_a_plane),
        cmocka_unit_test(bars_that_meet_pass_their_momentum_on),
        cmocka_unit_test(the_thrown_bar_lands_when_a_rigid_one_does),
        cmocka_unit_test(what_it_does_not_take_is_said),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
