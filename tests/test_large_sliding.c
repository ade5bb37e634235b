/* Elastic bodies that slide far on each other: which points meet is found anew in every step. */
#include "flex/plane_motion.h"
#include "motion_test.h"
#include "system/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static char text[4000];

static const double *series_of(const slip_result *result, const char *name, int64_t *count)
{
    const double *series = slip_result_series(result, name, count);
    if (!series)
        print_error("no series %s\n", name);
    assert_non_null(series);
    return series;
}

/* A series at the record that is nearest to a time. */
static double at_time(const slip_result *result, const char *name, double time)
{
    int64_t count, best = 0;
    const double *series = series_of(result, name, &count), *t = series_of(result, "t", NULL);
    for (int64_t i = 1; i < count; i++)
        if (fabs(t[i] - time) < fabs(t[best] - time))
            best = i;
    return series[best];
}

/* ---- A block on a long foundation; their meshes do not match. ---- */

typedef struct slider {
    double young, speed, mu, step, end;
    const char *reduce, *contact;
} slider;

static slip_result *slide(slider s)
{
    snprintf(text, sizeof text,
             "slipstick: 1\nparameters: {E: %g, v0: %g, mu: %g}\nbodies:\n"
             "  block:\n    mesh: {block: {x: [0.2, 0.7], y: [0, 0.3], elements: [7, 3]}}\n"
             "    material: {young: E, poisson: 0.3, density: 1}\n    body_force: [0, -10]\n"
             "    velocity: [v0, 0]\n    damping: {stiffness: 1e-4}\n    probes: {corner: [0.7, 0.3]}\n%s"
             "  base:\n    mesh: {block: {x: [0, 2], y: [-0.2, 0], elements: [20, 2]}}\n"
             "    material: {young: E, poisson: 0.3, density: 1}\n    fix: [bottom]\n"
             "    damping: {stiffness: 1e-4}\n%s"
             "contacts:\n  joint: {kind: surface, between: [block.bottom, base.top], %s}\n"
             "simulate: {method: moreau, step: %g, time: [0, %g], record: {every: 0.01, events: false}}\n",
             s.young, s.speed, s.mu, s.reduce, s.reduce, s.contact, s.step, s.end);
    return run_text_as_said(text);
}

static const char whole[] = "    reduce: none\n", few[] = "    reduce: {modes: 5}\n",
                  coulomb[] = "sliding: large, impact_friction: coulomb, law: {type: coulomb, mu: mu}";

/* v^2/(2 mu g) = 2/3, over seven segments of the foundation; then it stays. */
static void expect_stop(slider s, double error, double rest, const char *what)
{
    slip_result *result = slide(s);
    near(last_of(result, "block.corner.x"), 2.0 / 3, error, what);
    near(at_time(result, "block.corner.x", 0.8), last_of(result, "block.corner.x"), rest, what);
    assert_true(slip_result_number(result, "energy.balance") < 1e-7);
    slip_result_destroy(result);
}

static void a_block_stops_where_a_rigid_one_does(void **state)
{
    const slider s = {1e7, 2, 0.3, 1e-3, 1, whole, coulomb};
    slider fine = s, with_modes = s, both = s;
    (void)state;
    expect_stop(s, 2e-5, 1e-6, "whole");
    fine.step = 2.5e-4;
    expect_stop(fine, 2e-6, 1e-6, "whole, a quarter of the step");
    with_modes.reduce = few;
    expect_stop(with_modes, 2e-3, 1e-6, "reduced");
    both.contact = "sliding: large, passes: 2, impact_friction: coulomb, law: {type: coulomb, mu: mu}";
    expect_stop(both, 2e-3, 1e-6, "two passes");
}

/* Points that stick have no slip, to the last bit. */
static void a_block_that_stopped_sticks(void **state)
{
    slip_result *result = slide((slider){1e5, 2, 0.3, 1e-3, 1, whole, coulomb});
    int64_t count;
    int stuck = 0;
    (void)state;
    for (int k = 1; k <= 8; k++) {
        char name[40];
        snprintf(name, sizeof name, "joint[%d].mode", k);
        const double *mode = series_of(result, name, &count);
        snprintf(name, sizeof name, "joint[%d].slip", k);
        const double *slip = series_of(result, name, NULL);
        stuck += mode[count - 1] == SLIP_MODE_STICK;
        assert_true(mode[count - 1] != SLIP_MODE_STICK || slip[count - 1] == 0);
    }
    assert_true(stuck >= 2);
    slip_result_destroy(result);
}

/* Springs in place of rigid contact, and a smooth law, which lets it creep behind the stop. */
static void springs_and_smooth_laws_too(void **state)
{
    slider s = {1e7,
                2,
                0.3,
                1e-3,
                1,
                whole,
                "sliding: large, law: {type: coulomb, mu: mu}, normal: {stiffness: 2e4}"};
    (void)state;
    expect_stop(s, 3e-3, 1e-3, "on springs");
    s.reduce = few;
    expect_stop(s, 3e-3, 1e-3, "on springs, reduced");
    s.contact = "sliding: large, law: {type: coulomb, mu: mu}, normal: {stiffness: 2e5, exponent: 1.2}";
    s.step = 2e-4;
    expect_stop(s, 3e-3, 1e-3, "on springs that are not linear");
    s.contact = "sliding: large, law: {type: tanh, mu: mu, velocity: 1e-3}";
    s.step = 1e-3;
    s.reduce = whole;
    slip_result *smooth = slide(s);
    near(last_of(smooth, "block.corner.x"), 2.0 / 3, 4e-3, "tanh");
    slip_result_destroy(smooth);
}

/* Nodes pass nodes of a surface that is flat but for what the weight presses in. */
static void without_friction_the_velocity_stays(void **state)
{
    const double youngs[] = {1e4, 1e5, 1e6};
    (void)state;
    for (int k = 0; k < 3; k++) {
        slip_result *result = slide((slider){youngs[k], 1, 0, 1e-3, 1, whole, "sliding: large"});
        const double moved = at_time(result, "block.corner.x", 1) - at_time(result, "block.corner.x", 0.2);
        print_message("E = %g: off by %.2e\n", youngs[k], moved - 0.8);
        near(moved, 0.8, 5e-6, "way in 0.8");
        slip_result_destroy(result);
    }
}

/* A foundation is drawn away from under a block that is guided: its end passes the last node at t = 1.5, and
 * from then on the block falls freely. */
static void a_block_falls_off_the_end(void **state)
{
    static const char *const passes[] = {"", ", passes: 2"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        snprintf(
            text, sizeof text,
            "slipstick: 1\nparameters: {E: 1e6}\nbodies:\n"
            "  block:\n    mesh: {block: {x: [1, 1.5], y: [0, 0.3], elements: [7, 3]}}\n"
            "    material: {young: E, poisson: 0, density: 1}\n    fix: {left: x, right: x}\n"
            "    body_force: [0, -10]\n    damping: {stiffness: 1e-4}\n    probes: {corner: [1.5, 0.3]}\n%s"
            "  base:\n    mesh: {block: {x: [0, 2], y: [-0.2, 0], elements: [20, 2]}}\n"
            "    material: {young: E, poisson: 0, density: 1}\n    fix: {bottom: y}\n"
            "    velocity: [1, 0]\n    damping: {stiffness: 1e-4}\n%s"
            "contacts:\n  joint: {kind: surface, between: [block.bottom, base.top], sliding: large%s}\n"
            "simulate: {method: moreau, step: 1e-3, time: [0, 2], record: {every: 0.01, events: false}}\n",
            k % 2 ? few : whole, k % 2 ? few : whole, passes[k / 2]);
        slip_result *result = run_text_as_said(text);
        near(at_time(result, "block.corner.y", 1.4), 0, 1e-3, "it rests");
        near(at_time(result, "block.corner.y", 2), -5 * 0.25, 1e-2, "it falls");
        near(at_time(result, "block.corner.y", 2) - at_time(result, "block.corner.y", 1.8),
             -5 * (0.25 - 0.09), 4e-3, "way in the last 0.2");
        for (int i = 1; i <= 8; i++) {
            char name[40];
            snprintf(name, sizeof name, "joint[%d].mode", i);
            assert_true(last_of(result, name) == SLIP_MODE_OPEN);
        }
        slip_result_destroy(result);
    }
}

/* One that comes onto a foundation: a block in the air beside it, at its height. */
static void a_block_comes_onto_the_foundation(void **state)
{
    (void)state;
    snprintf(text, sizeof text,
             "slipstick: 1\nbodies:\n"
             "  block:\n    mesh: {block: {x: [-0.6, -0.1], y: [0.01, 0.3], elements: [7, 3]}}\n"
             "    material: {young: 1e5, poisson: 0.3, density: 1}\n    velocity: [2, -0.02]\n"
             "    probes: {low: [-0.1, 0.01]}\n    damping: {stiffness: 1e-4}\n    reduce: none\n"
             "  base:\n    mesh: {block: {x: [0, 2], y: [-0.2, 0], elements: [20, 2]}}\n"
             "    material: {young: 1e5, poisson: 0.3, density: 1}\n    fix: [bottom]\n"
             "    damping: {stiffness: 1e-4}\n    reduce: none\n"
             "contacts:\n  joint: {kind: surface, between: [block.bottom, base.top], sliding: large}\n"
             "simulate: {method: moreau, step: 1e-3, time: [0, 0.7], record: {every: 0.01}}\n");
    slip_result *result = run_text_as_said(text);
    assert_true(at_time(result, "block.low.y", 0.45) < -0.0085);
    assert_true(last_of(result, "block.low.y") > -0.0101);
    near(last_of(result, "block.low.x"), 1.4, 1e-3, "it goes on");
    slip_result_destroy(result);
}

/* ---- Whole bodies and the same by all their eigenmodes. ---- */

static void whole_bodies_move_as_their_eigenmodes_do(void **state)
{
    static const char *const contacts[] = {
        "sliding: large, law: {type: tanh, mu: mu, velocity: 0.05}, normal: {stiffness: 500}",
        "sliding: large, law: {type: coulomb, mu: mu}, normal: {stiffness: 500}",
        "sliding: large, passes: 2, law: {type: coulomb, mu: mu}, normal: {stiffness: 500, damping: 0.1}"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        slip_result *a = slide((slider){1e4, 2, 0.3, 1e-3, 0.6, whole, contacts[k]}),
                    *b = slide((slider){1e4, 2, 0.3, 1e-3, 0.6, "", contacts[k]});
        double size;
        const double off = difference(a, b, "block.corner.x", &size);
        print_message("whole and all eigenmodes differ by %.1e of %g\n", off, size);
        assert_true(off < 1e-9 * size);
        slip_result_destroy(a);
        slip_result_destroy(b);
    }
}

/* ---- Small motions: the rows of the start. ---- */

static slip_result *shake(const char *sliding, double amplitude)
{
    snprintf(text, sizeof text,
             "slipstick: 1\nparameters: {a: %g}\nbodies:\n"
             "  block:\n    mesh: {block: {x: [0.2, 0.7], y: [0, 0.3], elements: [7, 3]}}\n"
             "    material: {young: 1e3, poisson: 0.3, density: 1}\n    tractions: {top: [0, -3*a]}\n"
             "    body_force: [a*sin(8*t), 0]\n    damping: {stiffness: 1e-3}\n"
             "    probes: {corner: [0.7, 0.3]}\n    reduce: none\n"
             "  base:\n    mesh: {block: {x: [0, 2], y: [-0.2, 0], elements: [20, 2]}}\n"
             "    material: {young: 1e3, poisson: 0.3, density: 1}\n    fix: [bottom]\n"
             "    damping: {stiffness: 1e-3}\n    reduce: none\n"
             "contacts:\n  joint: {kind: surface, between: [block.bottom, base.top], sliding: %s,\n"
             "          law: {type: tanh, mu: 0.3, velocity: 0.1*a}, normal: {stiffness: 100}}\n"
             "simulate: {method: moreau, step: 1e-3, time: [0, 1], record: {every: 0.01, events: false}}\n",
             amplitude, sliding);
    return run_text_as_said(text);
}

static void small_motions_are_those_of_small_sliding(void **state)
{
    double before = 1;
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double amplitude = pow(10, -k);
        slip_result *small = shake("small", amplitude), *large = shake("large", amplitude);
        double size;
        const double off = difference(large, small, "block.corner.x", &size) / size;
        print_message("displacement %.1e: large and small sliding differ by %.1e of it\n", size, off);
        assert_true(off < 0.3 * before || off < 1e-4);
        before = off;
        slip_result_destroy(small);
        slip_result_destroy(large);
    }
    assert_true(before < 2e-3);
}

/* ---- A cam: the surface is curved, and the other body follows it. ---- */

static slip_result *follow_cam(double step, int elements)
{
    snprintf(
        text, sizeof text,
        "slipstick: 1\nparameters: {E: 1e6, A: 0.05}\nbodies:\n"
        "  cam:\n    mesh: {block: {x: -2 + 4*r, y: -0.3*(1 - s) + s*A*cos(2*pi*(-2 + 4*r)),"
        " elements: [%d, 2]}}\n"
        "    material: {young: E, poisson: 0.3, density: 1}\n    fix: {bottom: y}\n"
        "    velocity: [0.5, 0]\n    damping: {stiffness: 1e-5}\n    probes: {end: [-2, -0.3]}\n"
        "    reduce: none\n"
        "  follower:\n    mesh: {block: {corners: [[-0.0001, 0.05], [0.0001, 0.05], [0.02, 0.2], [-0.02, "
        "0.2]],"
        " elements: [1, 3]}}\n"
        "    material: {young: E, poisson: 0.3, density: 20}\n    fix: {left: x, right: x}\n"
        "    body_force: [0, -200]\n    damping: {stiffness: 1e-5}\n    probes: {tip: [0, 0.05]}\n"
        "    reduce: none\n"
        "contacts:\n  joint: {kind: surface, between: [follower.bottom, cam.top], sliding: large}\n"
        "outputs: {off: follower.tip.y + 0.05 - A*cos(2*pi*cam.end.x)}\n"
        "simulate: {method: moreau, step: %g, time: [0, 1.5], record: {every: 0.01, events: false}}\n",
        elements, step);
    return run_text_as_said(text);
}

/* Facets of length L are off by kappa L^2/8 = 6e-4 with 80 of them, a quarter of that with 160. */
static void a_follower_follows_its_cam(void **state)
{
    const double allowed[] = {1e-3, 2.6e-4};
    (void)state;
    for (int k = 0; k < 2; k++) {
        slip_result *result = follow_cam(2e-4, 80 << k);
        int64_t count;
        const double *off = series_of(result, "off", &count);
        double most = 0;
        for (int64_t i = 0; i < count; i++)
            most = fmax(most, fabs(off[i]));
        print_message("%d facets: off by %.1e, balance %.1e\n", 80 << k, most,
                      slip_result_number(result, "energy.balance"));
        assert_true(most < allowed[k]);
        slip_result_destroy(result);
    }
}

/* ---- In space. ---- */

static void a_block_slides_over_a_plate(void **state)
{
    static const char *const ways[] = {"    reduce: none\n", "    reduce: {modes: 5}\n"};
    static const char *const passes[] = {"", "passes: 2, "};
    (void)state;
    for (int k = 0; k < 3; k++) {
        const char *reduce = ways[k % 2];
        snprintf(text, sizeof text,
                 "slipstick: 1\nparameters: {E: 1e7}\nbodies:\n"
                 "  block:\n    mesh: {block: {x: [0.2, 0.7], y: [0.15, 0.55], z: [0, 0.3], elements: [3, 2, "
                 "1]}}\n"
                 "    material: {young: E, poisson: 0.3, density: 1}\n    body_force: [0, 0, -10]\n"
                 "    velocity: [1.2, 0.3, 0]\n    damping: {stiffness: 1e-4}\n"
                 "    probes: {corner: [0.7, 0.15, 0.3]}\n%s"
                 "  base:\n    mesh: {block: {x: [0, 1.5], y: [0, 1], z: [-0.2, 0], elements: [8, 5, 1]}}\n"
                 "    material: {young: E, poisson: 0.3, density: 1}\n    fix: [bottom]\n"
                 "    damping: {stiffness: 1e-4}\n%s"
                 "contacts:\n  joint: {kind: surface, between: [block.bottom, base.top], sliding: large, %s\n"
                 "          impact_friction: coulomb, law: {type: coulomb, mu: 0.3}}\n"
                 "simulate: {method: moreau, step: 1e-3, time: [0, 0.5], record: {every: 0.01}}\n",
                 reduce, reduce, passes[k / 2]);
        slip_result *result = run_text_as_said(text);
        const double x = last_of(result, "block.corner.x"), y = last_of(result, "block.corner.y"),
                     free_way = (1.2 * 1.2 + 0.3 * 0.3) / 6;
        near(hypot(x, y), free_way, 2e-3, "way until it stops");
        near(y / x, 0.25, 2e-3, "it goes straight");
        near(at_time(result, "block.corner.x", 0.45), x, 1e-6, "it stays");
        slip_result_destroy(result);
    }
}

/* ---- Momentum of two free bodies. ---- */

typedef struct momentum {
    double linear[2], angular;
} momentum;

/* Of a body by its coordinates: sums of M over displacements; places are those of the nodes now. */
static void add_momentum(const slip_model *model, const slip_result *result, int body, bool end, momentum *to)
{
    const slip_plane_motion *motion = model->bodies->motion;
    const slip_plane *plane = model->bodies->plane;
    const slip_mesh *mesh = slip_plane_body_mesh(plane, body);
    const int64_t size = 2 * (int64_t)mesh->node_count;
    double *u = slip_alloc(size, sizeof *u), *v = slip_alloc(size, sizeof *v),
           *p = slip_alloc(size, sizeof *p), *q = slip_alloc(motion->count, sizeof *q),
           *w = slip_alloc(motion->count, sizeof *w);
    assert_true(u && v && p && q && w);
    for (int i = motion->first[body]; i < motion->first[body + 1]; i++) {
        char name[60], rate[64];
        snprintf(name, sizeof name, "%s_%d", slip_plane_body_name(plane, body), i - motion->first[body] + 1);
        snprintf(rate, sizeof rate, "%.60s'", name);
        int64_t count;
        const double *places = series_of(result, name, &count), *rates = series_of(result, rate, NULL);
        q[i] = places[end ? count - 1 : 0];
        w[i] = rates[end ? count - 1 : 0];
    }
    slip_plane_motion_unfold(motion, body, q, u);
    slip_plane_motion_unfold(motion, body, w, v);
    slip_sparse_multiply(motion->masses[body], v, p);
    for (int64_t i = 0; i < size; i += 2) {
        const double x = mesh->points[i] + u[i], y = mesh->points[i + 1] + u[i + 1];
        to->linear[0] += p[i];
        to->linear[1] += p[i + 1];
        to->angular += x * p[i + 1] - y * p[i];
    }
    free(u);
    free(v);
    free(p);
    free(q);
    free(w);
}

/* Two free blocks meet and rub on each other. */
static double angular_error(double step)
{
    snprintf(
        text, sizeof text,
        "slipstick: 1\nbodies:\n"
        "  upper:\n    mesh: {block: {x: [0, 0.5], y: [0.001, 0.3], elements: [5, 2]}}\n"
        "    material: {young: 1e5, poisson: 0.3, density: 1}\n    velocity: [1, -0.05]\n"
        "    damping: {stiffness: 1e-4}\n"
        "  lower:\n    mesh: {block: {x: [-0.2, 1], y: [-0.3, 0], elements: [8, 2]}}\n"
        "    material: {young: 1e5, poisson: 0.3, density: 1}\n"
        "    damping: {stiffness: 1e-4}\n"
        "contacts:\n  joint: {kind: surface, between: [upper.bottom, lower.top], sliding: large, passes: 2,\n"
        "          law: {type: coulomb, mu: 0.3}}\n"
        "simulate: {method: moreau, step: %g, time: [0, 0.1], record: {every: 0.01}}\n",
        step);
    slip_model *model = parse(text);
    slip_result *result = run_as_said(model);
    momentum start = {{0, 0}, 0}, end = {{0, 0}, 0};
    for (int b = 0; b < 2; b++) {
        add_momentum(model, result, b, false, &start);
        add_momentum(model, result, b, true, &end);
    }
    assert_true(slip_result_event_count(result) > 3);
    for (int k = 0; k < 2; k++)
        near(end.linear[k], start.linear[k], 1e-12, "linear momentum");
    slip_result_destroy(result);
    slip_model_destroy(model);
    return fabs(end.angular - start.angular);
}

static void contact_forces_are_opposite(void **state)
{
    const double coarse = angular_error(4e-4), fine = angular_error(1e-4);
    (void)state;
    print_message("angular momentum is off by %.1e and %.1e\n", coarse, fine);
    assert_true(coarse < 1e-5 && fine < 5e-6);
}

/* ---- Rigid lines. ---- */

static slip_result *on_line(const char *second, double speed, double mu, double end)
{
    snprintf(text, sizeof text,
             "slipstick: 1\nbodies:\n"
             "  block:\n    mesh: {block: {x: [0.2, 0.7], y: [0, 0.3], elements: [7, 3]}}\n"
             "    material: {young: 1e6, poisson: 0.3, density: 1}\n    body_force: [0, -10]\n"
             "    velocity: [%g, 0]\n    damping: {stiffness: 1e-4}\n    probes: {corner: [0.7, 0.3]}\n"
             "    reduce: none\n"
             "contacts:\n  joint: {kind: surface, between: [block.bottom, %s,\n"
             "          impact_friction: coulomb, law: {type: coulomb, mu: %g}}\n"
             "simulate: {method: moreau, step: 1e-3, time: [0, %g], record: {every: 0.01, events: false}}\n",
             speed, second, mu, end);
    return run_text_as_said(text);
}

/* A straight line is a rigid plane up to its end, where the last point leaves at t = 1.8; then the block,
 * whose centre has passed the end, falls. */
static void a_line_is_a_plane_up_to_its_end(void **state)
{
    static const char line[] = "{points: [[0, 0], [0.5, 0], [1.1, 0], [2, 0]]}], sliding: large",
                      plane[] = "{point: [0, 0], normal: [0, 1]}]";
    double size;
    (void)state;
    slip_result *a = on_line(line, 2, 0.3, 1), *b = on_line(plane, 2, 0.3, 1);
    assert_true(difference(a, b, "block.corner.x", &size) < 1e-8);
    near(last_of(a, "block.corner.x"), 2.0 / 3, 1e-5, "it stops");
    slip_result_destroy(a);
    slip_result_destroy(b);
    a = on_line(line, 1, 0, 1.9);
    assert_true(at_time(a, "block.corner.y", 1.4) > -1e-4);
    assert_true(last_of(a, "block.corner.y") < -0.1);
    slip_result_destroy(a);
}

/* Down a ramp of 3 in 4 without friction: a = g sin(alpha), over points of the line, which is drawn from
 * above to below so that the block is on its left. */
static void a_block_slides_down_a_ramp(void **state)
{
    (void)state;
    snprintf(
        text, sizeof text,
        "slipstick: 1\nbodies:\n"
        "  block:\n    mesh: {block: {corners: [[0, 0], [0.8, -0.6], [0.95, -0.4], [0.15, 0.2]], elements: "
        "[6, 2]}}\n"
        "    material: {young: 1e6, poisson: 0.3, density: 1}\n    body_force: [0, -10]\n"
        "    damping: {stiffness: 1e-4}\n    probes: {corner: [0, 0]}\n    reduce: none\n"
        "contacts:\n  joint: {kind: surface, sliding: large,\n"
        "          between: [block.bottom, {points: [[-1, 0.75], [0.4, -0.3], [2, -1.5], [4, -3]]}]}\n"
        "simulate: {method: moreau, step: 1e-3, time: [0, 0.8], record: {every: 0.01}}\n");
    slip_result *result = run_text_as_said(text);
    const double way_down = 0.5 * 10 * 0.6 * 0.8 * 0.8;
    near(last_of(result, "block.corner.x"), 0.8 * way_down, 1e-3, "along x");
    near(last_of(result, "block.corner.y"), -0.6 * way_down, 1e-3, "down");
    slip_result_destroy(result);
}

/* ---- Statics and files. ---- */

/* A block that juts out over the end of its foundation: statics has the pairs of the start, those of small
 * sliding, and there it stays, whole and reduced, on springs too. */
static slip_result *rest_on(const char *sliding, const char *normal, const char *reduce)
{
    snprintf(
        text, sizeof text,
        "slipstick: 1\nparameters: {E: 1e5}\nbodies:\n"
        "  block:\n    mesh: {block: {x: [1.6, 2.1], y: [0, 0.3], elements: [7, 3]}}\n"
        "    material: {young: E, poisson: 0.3, density: 1}\n    body_force: [0, -10]\n"
        "    damping: {stiffness: 1e-4}\n    probes: {corner: [2.1, 0.3]}\n%s"
        "  base:\n    mesh: {block: {x: [0, 2], y: [-0.2, 0], elements: [20, 2]}}\n"
        "    material: {young: E, poisson: 0.3, density: 1}\n    fix: [bottom]\n"
        "    damping: {stiffness: 1e-4}\n%s"
        "contacts:\n  joint: {kind: surface, between: [block.bottom, base.top], sliding: %s,\n"
        "          law: {type: coulomb, mu: 0.3}%s}\n"
        "simulate: {method: moreau, step: 1e-3, time: [0, 0.3], initial: static, record: {every: 0.01}}\n",
        reduce, reduce, sliding, normal);
    return run_text_as_said(text);
}

static void a_static_start_stays(void **state)
{
    static const char *const normal[] = {"", ", normal: {stiffness: 2e3}"};
    double first[2][2];
    (void)state;
    for (int k = 0; k < 4; k++) {
        slip_result *result = rest_on("large", normal[k / 2], k % 2 ? few : whole);
        first[k / 2][k % 2] = at_time(result, "block.corner.y", 0);
        near(last_of(result, "block.corner.y"), first[k / 2][k % 2], 1e-6, "it stays");
        near(last_of(result, "block.corner.x"), at_time(result, "block.corner.x", 0), 1e-6, "it stays");
        slip_result_destroy(result);
    }
    slip_result *small = rest_on("small", "", whole);
    near(first[0][0], at_time(small, "block.corner.y", 0), 1e-9, "as small sliding");
    slip_result_destroy(small);
    near(first[1][0], first[1][1], 1e-3 * fabs(first[1][0]), "reduced");
    assert_true(first[1][0] < 2 * first[0][0]); /* springs yield */
}

/* Pictures take forces where the bodies are: each row has the nodes of the segment that is below the node. */
static void rows_follow_the_bodies(void **state)
{
    const double moved = 0.543;
    (void)state;
    snprintf(
        text, sizeof text,
        "slipstick: 1\nbodies:\n  block:\n    mesh: {block: {x: [0.2, 0.7], y: [0, 0.3], elements: [7, 3]}}\n"
        "    material: {young: 1, poisson: 0.3, density: 1}\n"
        "  base:\n    mesh: {block: {x: [0, 1.1], y: [-0.2, 0], elements: [11, 2]}}\n"
        "    material: {young: 1, poisson: 0.3, density: 1}\n    fix: [bottom]\n"
        "contacts:\n  joint: {kind: surface, between: [block.bottom, base.top], sliding: large}\n"
        "simulate: {method: moreau, step: 1e-3, time: [0, 1]}\n");
    slip_model *model = parse(text);
    slip_plane *plane = model->bodies->plane;
    const slip_mesh *block = slip_plane_body_mesh(plane, 0), *base = slip_plane_body_mesh(plane, 1);
    double *u = slip_alloc(2 * (int64_t)slip_plane_node_count(plane), sizeof *u);
    int beyond = 0;
    assert_non_null(u);
    for (int i = 0; i < block->node_count; i++)
        u[2 * i] = moved;
    good(slip_plane_pair_again(ctx, plane, u));
    for (int c = 0; c < slip_plane_contact_count(plane); c++) {
        int64_t unknowns[slip_plane_row_max];
        double values[slip_plane_row_max], place = 0, sum = 0;
        const int count = slip_plane_row(plane, c, unknowns, values);
        const double x = slip_plane_contacts(plane)[c].place[0] + moved;
        beyond += count == 0;
        assert_true((count == 0) == (x > 1.1));
        for (int i = 0; i < base->node_count; i++)
            for (int k = 0; k < count; k++)
                if (slip_plane_unknown(plane, 2 * ((int64_t)slip_plane_body_first_node(plane, 1) + i) + 1) ==
                    unknowns[k]) {
                    sum += values[k];
                    place += values[k] * base->points[2 * i];
                }
        if (count > 0)
            near(fabs(sum), 1, 1e-12, "weights of a segment");
        if (count > 0)
            near(place / sum, x, 1e-12, "place on it");
    }
    assert_int_equal(beyond, 3);
    free(u);
    slip_model_destroy(model);
}

/* ---- What is refused. ---- */

static void refuse(const char *contact, const char *method, const char *bodies, const char *said)
{
    snprintf(text, sizeof text,
             "slipstick: 1\n%sbodies:\n"
             "  block:\n    mesh: {block: {x: [0, 1], y: [0, 1], elements: [2, 2]}}\n"
             "    material: {young: 100, poisson: 0.3, density: 1}\n%s"
             "  base:\n    mesh: {block: {x: [0, 2], y: [-1, 0], elements: [2, 2]}}\n"
             "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: [bottom]\n"
             "contacts:\n  joint: {kind: surface, %s}\n"
             "simulate: {method: %s, step: 1e-3, time: [0, 1]}\n",
             bodies[0] ? "coordinates: [phi]\nmass: 1\n" : "", bodies, contact, method);
    slip_model *model = NULL;
    slip_result *result = NULL;
    slip_run_options options = slip_run_options_default();
    int status = slip_model_parse(ctx, text, "test", NULL, &model);
    if (status >= 0)
        status = slip_run(ctx, model, &options, &result);
    assert_true(status < 0);
    if (!strstr(slip_context_message(ctx), said))
        print_error("found: %s\nexpected: %s\n", slip_context_message(ctx), said);
    assert_non_null(strstr(slip_context_message(ctx), said));
    slip_result_destroy(result);
    slip_model_destroy(model);
}

static void what_it_cannot_do_is_refused(void **state)
{
    static const char pair[] = "between: [block.bottom, base.top], sliding: large";
    (void)state;
    refuse(pair, "event", "",
           "contact `joint[1]` has `sliding: large`, with which `moreau` and `explicit` move bodies");
    refuse("between: [block.bottom, {point: [0, 0], normal: [0, 1]}], sliding: large", "moreau", "",
           "sliding: found large on a rigid plane");
    refuse("between: [block.bottom, base.top], sliding: far", "moreau", "", "sliding: unknown word");
    refuse("between: [block.bottom, base.top], sliding: large, velocity: [y, 0], law: {type: coulomb, mu: 1}",
           "moreau", "", "unknown name `y`");
    refuse("between: [block.bottom, {points: [[0, 0]]}]", "moreau", "",
           "points: expected a list of at least two points of the plane");
    refuse("between: [block.bottom, {points: [[0, 0], [1, 0]]}], passes: 2", "moreau", "",
           "found 2, expected 1: a rigid line has no points of its own");
    refuse(pair, "moreau", "    turn: phi\n",
           "body `block` turns by `phi` while its mesh stays in its place");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_stops_where_a_rigid_one_does),
        cmocka_unit_test(a_block_that_stopped_sticks),
        cmocka_unit_test(springs_and_smooth_laws_too),
        cmocka_unit_test(without_friction_the_velocity_stays),
        cmocka_unit_test(a_block_falls_off_the_end),
        cmocka_unit_test(a_block_comes_onto_the_foundation),
        cmocka_unit_test(whole_bodies_move_as_their_eigenmodes_do),
        cmocka_unit_test(small_motions_are_those_of_small_sliding),
        cmocka_unit_test(a_follower_follows_its_cam),
        cmocka_unit_test(a_block_slides_over_a_plate),
        cmocka_unit_test(contact_forces_are_opposite),
        cmocka_unit_test(a_line_is_a_plane_up_to_its_end),
        cmocka_unit_test(a_block_slides_down_a_ramp),
        cmocka_unit_test(a_static_start_stays),
        cmocka_unit_test(rows_follow_the_bodies),
        cmocka_unit_test(what_it_cannot_do_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
