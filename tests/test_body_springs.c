/* Bodies on springs: stiff blocks are the rigid blocks on the same springs, whole or by their modes. */
#include "fem/block.h"
#include "fem/plane/plane.h"
#include "motion_test.h"
#include "slipstick/body.h"
#include "slipstick/modes.h"
#include "slipstick/statics.h"
#include "test_folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static char text[4000];

/* ---- the matrix ---- */

/* x . K x of the springs on a face of a body, for displacements a + b . place along one direction. */
static double energy_form(const slip_sparse *springs, const slip_mesh *mesh, int direction, double a,
                          const double *b)
{
    const int d = mesh->dimension;
    const int64_t size = springs->size;
    double *x = calloc((size_t)size, sizeof *x), *y = calloc((size_t)size, sizeof *y), sum = 0;
    for (int i = 0; i < mesh->node_count; i++) {
        x[d * i + direction] = a;
        for (int k = 0; k < d; k++)
            x[d * i + direction] += b[k] * mesh->points[d * i + k];
    }
    slip_sparse_multiply(springs, x, y);
    for (int64_t i = 0; i < size; i++)
        sum += x[i] * y[i];
    free(x);
    free(y);
    return sum;
}

/* Of every element a foundation has the stiffness of the whole face, and turns against it as k/A integral of
 * x^2 says. */
static void springs_are_spread_evenly(void **state)
{
    static const char *const elements[] = {"quad4", "quad8", "tri3", "tri6",
                                           "hex8",  "hex20", "tet4", "tet10"};
    (void)state;
    for (int e = 0; e < 8; e++) {
        const bool solid = e >= 4;
        const int d = solid ? 3 : 2;
        snprintf(text, sizeof text,
                 "slipstick: 1\nbodies:\n  pad:\n"
                 "    mesh: {block: {x: [0, 3], y: [0, 0.5], %selement: %s}}\n"
                 "    material: {young: 100, poisson: 0.3}\n"
                 "    springs: {%s: {stiffness: %s}}\n",
                 solid ? "z: [0, 0.4], elements: [5, 2, 2], " : "elements: [5, 2], ", elements[e],
                 solid ? "front" : "bottom", solid ? "[7, 5, 3]" : "[7, 5]");
        slip_model *model = parse(text);
        const slip_sparse *springs = slip_plane_body_springs(model->plane, 0);
        const slip_mesh *mesh = slip_plane_body_mesh(model->plane, 0);
        assert_non_null(springs);
        assert_null(slip_plane_body_dashpots(model->plane, 0));
        for (int k = 0; k < d; k++) {
            const double flat[3] = {0, 0, 0}, slope[3] = {2, 0, 0};
            near(energy_form(springs, mesh, k, 1, flat), 7 - 2 * k, 1e-12, elements[e]);
            near(energy_form(springs, mesh, k, 0, slope), (7 - 2 * k) * 4 * 3.0, 1e-11, elements[e]);
        }
        slip_model_destroy(model);
    }
}

/* ---- modes ---- */

static slip_result *modes_of(const char *whole, int count)
{
    slip_model *model = parse(whole);
    slip_modes_options options = slip_modes_options_default();
    slip_result *result = NULL;
    options.count = count;
    good(slip_modes_solve(ctx, model, &options, &result));
    slip_model_destroy(model);
    return result;
}

/* The rigid block, 1 x 0.5 of mass 0.5, on springs at its bottom edge: x couples with turning, which has the
 * inertia m (1 + 1/4)/12 and the stiffness kx h^2/4 + ky l^2/12. Ascending squares of frequencies. */
static void rigid_squares(double kx, double ky, double square[3])
{
    const double m = 0.5, inertia = m * 1.25 / 12, a = kx / m, b = (kx / 16 + ky / 12) / inertia,
                 c = kx / 4 / sqrt(m * inertia), middle = (a + b) / 2,
                 root = sqrt((a - b) * (a - b) / 4 + c * c);
    square[0] = middle - root;
    square[1] = ky / m;
    square[2] = middle + root;
    for (int k = 0; k < 2; k++)
        if (square[k] > square[k + 1]) {
            const double first = square[k];
            square[k] = square[k + 1];
            square[k + 1] = first;
        }
}

static const char *const ways[] = {"", "    reduce: {modes: 5}\n", "    reduce: none\n",
                                   "    reduce: {modes: 5, contact: craig_bampton}\n"};

/* The three lowest frequencies are those of the rigid block, with an error in proportion to 1/young. */
static void a_stiff_block_is_a_rigid_one(void **state)
{
    double rigid[3], off[4][3][3];
    (void)state;
    rigid_squares(50, 80, rigid);
    for (int w = 0; w < 4; w++)
        for (int e = 0; e < 3; e++) {
            snprintf(text, sizeof text,
                     "slipstick: 1\nbodies:\n  block:\n"
                     "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [6, 3]}}\n"
                     "    material: {young: %g, poisson: 0.3, density: 1}\n%s"
                     "    springs: {bottom: {stiffness: [50, 80]}}\n"
                     "simulate: {method: moreau, step: 1e-3, time: [0, 1]}\n",
                     1e4 * pow(10, e), ways[w]);
            slip_result *result = modes_of(text, 3);
            const double *omega = slip_result_series(result, "imaginary", NULL);
            for (int k = 0; k < 3; k++) {
                off[w][e][k] = 1 - omega[k] * omega[k] / rigid[k];
                assert_true(off[w][e][k] > 0 && off[w][e][k] < 0.05); /* it yields */
                /* rounding is that of the largest stiffness, beside those of the springs */
                near(off[w][e][k], off[0][e][k], w == 3 ? 0.02 * off[0][e][k] : 1e-10 * pow(10, e), ways[w]);
            }
            slip_result_destroy(result);
        }
    for (int k = 0; k < 3; k++) {
        print_message("mode %d: off by %.3e, %.3e, %.3e\n", k + 1, off[0][0][k], off[0][1][k], off[0][2][k]);
        for (int e = 0; e < 2; e++)
            near(off[0][e][k] / off[0][e + 1][k], 10, 0.5, "rate");
    }
}

/* With dashpots at its feet the stiff block decays as a mass on them does; of a soft one the sparse, the
 * reduced and the dense ways agree. */
static void dashpots_damp(void **state)
{
    double off[3];
    (void)state;
    for (int e = 0; e < 3; e++) {
        snprintf(text, sizeof text,
                 "slipstick: 1\nbodies:\n  block:\n"
                 "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [6, 3]}}\n"
                 "    material: {young: %g, poisson: 0, density: 1}\n    fix: {left: x, right: x}\n"
                 "    springs: {bottom: {stiffness: [0, 80], damping: [0, 0.4]}}\n"
                 "simulate: {method: moreau, step: 1e-3, time: [0, 1]}\n",
                 1e4 * pow(10, e));
        slip_result *result = modes_of(text, 1);
        const double real = slip_result_series(result, "real", NULL)[0],
                     imaginary = slip_result_series(result, "imaginary", NULL)[0];
        off[e] = hypot(real + 0.4, imaginary - sqrt(80 / 0.5 - 0.16));
        slip_result_destroy(result);
    }
    print_message("off by %.3e, %.3e, %.3e\n", off[0], off[1], off[2]);
    near(off[0] / off[1], 10, 0.5, "rate");
    near(off[1] / off[2], 10, 0.5, "rate");
    slip_result *of[2];
    for (int w = 0; w < 2; w++) {
        snprintf(text, sizeof text,
                 "slipstick: 1\nbodies:\n  block:\n"
                 "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [6, 3]}}\n"
                 "    material: {young: 100, poisson: 0.3, density: 1}\n%s    damping: {stiffness: 1e-3}\n"
                 "    springs: {left: {stiffness: [30, 20], damping: [0.3, 0.6]},\n"
                 "              right: {stiffness: [0, 40], damping: [0, 2]}}\n"
                 "simulate: {method: moreau, step: 1e-3, time: [0, 1]}\n",
                 w ? "    reduce: none\n" : "");
        of[w] = modes_of(text, 6);
    }
    for (int k = 0; k < 6; k++)
        for (int part = 0; part < 2; part++) {
            const char *name = part ? "imaginary" : "real";
            const double truth = slip_result_series(of[0], name, NULL)[k],
                         size = slip_result_series(of[0], "imaginary", NULL)[k];
            near(slip_result_series(of[1], name, NULL)[k], truth, 1e-8 * size, name);
        }
    assert_true(slip_result_series(of[0], "real", NULL)[0] < -0.1);
    for (int w = 0; w < 2; w++)
        slip_result_destroy(of[w]);
}

/* ---- motions ---- */

static double largest_difference(const slip_result *a, const slip_result *b, const char *name)
{
    double size;
    return difference(a, b, name, &size);
}

/* Thrown up with its feet on springs and dashpots it comes back as the damped oscillator does; the stiffer,
 * the nearer. */
static void it_moves_as_the_oscillator(void **state)
{
    double off[2][2];
    (void)state;
    for (int w = 0; w < 2; w++)
        for (int e = 0; e < 2; e++) {
            snprintf(text, sizeof text,
                     "slipstick: 1\nbodies:\n  block:\n"
                     "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [4, 2]}}\n"
                     "    material: {young: %g, poisson: 0, density: 1}\n    fix: {left: x, right: x}\n%s"
                     "    springs: {bottom: {stiffness: [0, 80], damping: [0, 0.4]}}\n"
                     "    velocity: [0, 1]\n    probes: {top: [0.5, 0.5]}\n"
                     "simulate: {method: %s, time: [0, 1], record: {every: 0.05}}\n",
                     1e4 * pow(10, e), w ? "    reduce: none\n" : "    reduce: {modes: 3}\n",
                     w ? "moreau, step: 1e-4" : "event");
            slip_result *result = run_text_as_said(text);
            int64_t count = 0;
            const double *t = slip_result_series(result, "t", &count),
                         *y = slip_result_series(result, "block.top.y", NULL), s = sqrt(160 - 0.16);
            off[w][e] = 0;
            for (int64_t i = 0; i < count; i++)
                off[w][e] = fmax(off[w][e], fabs(y[i] - exp(-0.4 * t[i]) * sin(s * t[i]) / s));
            assert_true(slip_result_number(result, "energy.balance") < 1e-9);
            slip_result_destroy(result);
        }
    print_message("by event %.3e, %.3e; whole %.3e, %.3e\n", off[0][0], off[0][1], off[1][0], off[1][1]);
    for (int w = 0; w < 2; w++) {
        assert_true(off[w][0] < 2e-3);
        assert_true(off[w][1] < 0.2 * off[w][0]);
    }
}

/* A block on springs above a belt that runs: whole and by all eigenmodes the same, with stick, slip and
 * lift-off, energies accounted for. Half as many modes come near. */
static void a_block_on_springs_rubs_on_a_belt(void **state)
{
    static const char *const reduce[] = {"", "    reduce: none\n", "    reduce: {modes: 20}\n"};
    slip_result *of[3];
    (void)state;
    for (int w = 0; w < 3; w++) {
        snprintf(
            text, sizeof text,
            "slipstick: 1\nbodies:\n  pad:\n"
            "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [8, 4]}}\n"
            "    material: {young: 100, poisson: 0.3, density: 1}\n%s"
            "    springs: {top: {stiffness: [20, 40], damping: [0.1, 0.5]},\n"
            "              right: {stiffness: [0, 3], damping: [0.2, 0]}}\n"
            "    tractions: {top: [0, -1 - 0.9*sin(9*t)]}\n"
            "    damping: {mass: 0.2, stiffness: 2e-3}\n    probes: {heel: [0, 0], toe: [1, 0]}\n"
            "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}],\n"
            "         velocity: 0.3, law: {type: coulomb, mu: 0.5}}\n"
            "simulate: {method: moreau, step: 1e-3, time: [0, 1], record: {every: 0.01}}\n",
            reduce[w]);
        of[w] = run_text_as_said(text);
    }
    print_message("%lld events; whole against all modes %.1e, against 20 modes %.1e; balance %.1e\n",
                  (long long)slip_result_event_count(of[0]), largest_difference(of[0], of[1], "pad.toe.x"),
                  largest_difference(of[1], of[2], "pad.toe.x"), slip_result_number(of[1], "energy.balance"));
    assert_true(slip_result_event_count(of[0]) > 20);
    assert_true(largest_difference(of[0], of[1], "pad.toe.x") < 1e-10);
    assert_true(largest_difference(of[0], of[1], "belt[4].normal") < 1e-8);
    assert_true(largest_difference(of[1], of[2], "pad.toe.x") < 5e-3);
    near(slip_result_number(of[1], "energy.damping"), slip_result_number(of[0], "energy.damping"), 1e-10,
         "what dampers took");
    assert_true(slip_result_number(of[1], "energy.balance") < 1e-6);
    for (int w = 0; w < 3; w++)
        slip_result_destroy(of[w]);
}

/* By `exponential` as by `moreau`: what differs is the inertia of the contact points, and less the more modes
 * there are. */
static void condensed_bodies_stand_on_springs(void **state)
{
    static const int modes[] = {5, 20};
    double off[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        slip_result *of[2];
        for (int w = 0; w < 2; w++) {
            char reduce[60] = "none";
            if (w)
                snprintf(reduce, sizeof reduce, "{modes: %d, contact: condensed}", modes[k]);
            snprintf(text, sizeof text,
                     "slipstick: 1\nbodies:\n  pad:\n"
                     "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [6, 3]}}\n"
                     "    material: {young: 100, poisson: 0.3, density: 1}\n"
                     "    springs: {top: {stiffness: [20, 40], damping: [0.1, 0.1]}}\n"
                     "    tractions: {top: [0.4*sin(5*t), -1]}\n    probes: {toe: [1, 0]}\n"
                     "    damping: {stiffness: 1e-3}\n    reduce: %s\n"
                     "contacts:\n"
                     "  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}],\n"
                     "         law: {type: coulomb, mu: 0.2}}\n"
                     "simulate: {method: %s, time: [0, 0.6], initial: static, record: {every: 0.01}}\n",
                     reduce, w ? "exponential, tolerance: 1e-4" : "moreau, step: 1e-3");
            of[w] = run_text_as_said(text);
        }
        off[k] = largest_difference(of[0], of[1], "pad.toe.x");
        for (int w = 0; w < 2; w++)
            slip_result_destroy(of[w]);
    }
    print_message("off by %.1e, %.1e\n", off[0], off[1]);
    assert_true(off[1] < 5e-4 && off[1] < 0.5 * off[0]);
}

/* Two unknowns by their matrices: a mass on two springs. */
static void matrices_stand_on_springs(void **state)
{
    char folder[test_path_size], path[test_path_size];
    slip_model *model = NULL;
    slip_modes_options options = slip_modes_options_default();
    slip_result *result = NULL;
    (void)state;
    test_folder_make(folder);
    static const char *const files[] = {"m.mtx", "2", "k.mtx", "0"};
    for (int k = 0; k < 2; k++) {
        test_path(path, folder, files[2 * k]);
        FILE *file = fopen(path, "w");
        fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 %s\n2 2 %s\n",
                files[2 * k + 1], files[2 * k + 1]);
        fclose(file);
    }
    test_path(path, folder, "model.yaml");
    FILE *file = fopen(path, "w");
    fputs("slipstick: 1\nbodies:\n  mass:\n    mass: {file: m.mtx}\n    stiffness: {file: k.mtx}\n"
          "    interface: {foot: [{unknowns: [1, 2], place: [0, 0]}]}\n"
          "    springs: {foot: {stiffness: [8, 50], damping: [0.4, 0]}}\n"
          "simulate: {method: event, time: [0, 1]}\n",
          file);
    fclose(file);
    good(slip_model_load(ctx, path, &model));
    good(slip_modes_solve(ctx, model, &options, &result));
    near(slip_result_series(result, "real", NULL)[0], -0.1, 1e-12, "decay");
    near(slip_result_series(result, "imaginary", NULL)[0], sqrt(4 - 0.01), 1e-12, "first");
    near(slip_result_series(result, "imaginary", NULL)[1], 5, 1e-12, "second");
    slip_result_destroy(result);
    slip_model_destroy(model);
    test_folder_remove(folder);
}

/* ---- statics ---- */

/* Reactions balance the loads; the block goes down by load over stiffness, and by what it is compressed. In C
 * as in a file. */
static void statics_balance(void **state)
{
    const slip_body_spring springs[] = {{"bottom", {50, 80}}, {"left", {10, 0}}};
    slip_body_options body = slip_body_options_default();
    slip_model *built = NULL,
               *read = parse("slipstick: 1\nbodies:\n  block:\n"
                             "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [4, 2]}}\n"
                             "    material: {young: 1000, poisson: 0}\n    body_force: [0, -3]\n"
                             "    springs: {bottom: {stiffness: [50, 80]}, left: {stiffness: [10, 0]}}\n");
    double u[2][2 * 15], reaction[2];
    (void)state;
    body.name = "block";
    body.x[1] = 1;
    body.y[1] = 0.5;
    body.elements[0] = 4;
    body.elements[1] = 2;
    body.young = 1000;
    body.body_force[1] = "-3";
    body.springs = springs;
    body.spring_count = 2;
    good(slip_model_create_bodies(ctx, &built));
    good(slip_model_add_body(ctx, built, &body));
    good(slip_bodies_displacements(ctx, built, NULL, u[0]));
    good(slip_bodies_displacements(ctx, read, NULL, u[1]));
    assert_memory_equal(u[0], u[1], sizeof u[0]);
    /* of a column under its weight: sigma = -3 (h - y), the top goes down by 3 h^2/(2 young) more */
    for (int i = 0; i < 15; i++) {
        const slip_mesh *mesh = slip_plane_body_mesh(read->plane, 0);
        const double y = mesh->points[2 * i + 1];
        near(u[1][2 * i], 0, 1e-13, "aside");
        near(u[1][2 * i + 1], -1.5 / 80 - 3 * (0.5 * y - y * y / 2) / 1000, 1e-13, "down");
    }
    good(slip_plane_reactions(ctx, read->plane, NULL, NULL, u[1], reaction));
    near(reaction[0], 0, 1e-12, "reaction");
    near(reaction[1], 1.5, 1e-12, "reaction");
    expect_fixed_point(built, NULL);
    assert_non_null(strstr(slip_model_describe(ctx, read), "on springs at bottom: stiffness [50, 80]"));
    const slip_body_spring negative = {"bottom", {-1, 80}};
    slip_model *other = NULL;
    good(slip_model_create_bodies(ctx, &other));
    body.springs = &negative;
    body.spring_count = 1;
    assert_int_equal(slip_model_add_body(ctx, other, &body), SLIP_ERROR_MODEL);
    expect_message("", "springs on `bottom` of body `block`: stiffness is -1, expected 0 or more");
    slip_model_destroy(other);
    slip_model_destroy(built);
    slip_model_destroy(read);
}

#define BLOCK                                                                                                \
    "slipstick: 1\nbodies:\n  block:\n    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [4, 2]}}\n"       \
    "    material: {young: 1000, poisson: 0}\n"

static void what_is_wrong_is_refused(void **state)
{
    static const refusal refusals[] = {
        {BLOCK "    springs: {botom: {stiffness: [1, 1]}}\n",
         "m.yaml:3:3: springs of body `block`: there is no set `botom`; did you mean `bottom`?"},
        {BLOCK "    springs: {bottom: {stiffness: [1, -1]}}\n", "stiffness of springs on `bottom`"},
        {BLOCK "    springs: {bottom: {stiffness: 1}}\n", "stiffness of springs on `bottom`"},
        {BLOCK "    springs: {bottom: {}}\n", "springs on `bottom`: found nothing, expected "},
        {BLOCK "    springs: [bottom]\n", "springs: found "},
        {BLOCK "    springs: {bottom: {stiff: [1, 1]}}\n",
         "unknown key `stiff`, expected one of `stiffness`, `damping`"},
        {BLOCK "    springs: {bottom: {stiffness: [0, 80]}}\n",
         "m.yaml:3:3: body `block` is not held: it can move along "},
        {BLOCK "    springs: {bottom: {damping: [3, 80]}}\n",
         "m.yaml:3:3: body `block` is not held: nothing holds it; expected supports (fix) or springs"}};
    (void)state;
    REFUSE_EACH(refusals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(springs_are_spread_evenly, setup, teardown),
        cmocka_unit_test_setup_teardown(a_stiff_block_is_a_rigid_one, setup, teardown),
        cmocka_unit_test_setup_teardown(dashpots_damp, setup, teardown),
        cmocka_unit_test_setup_teardown(it_moves_as_the_oscillator, setup, teardown),
        cmocka_unit_test_setup_teardown(a_block_on_springs_rubs_on_a_belt, setup, teardown),
        cmocka_unit_test_setup_teardown(condensed_bodies_stand_on_springs, setup, teardown),
        cmocka_unit_test_setup_teardown(matrices_stand_on_springs, setup, teardown),
        cmocka_unit_test_setup_teardown(statics_balance, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
