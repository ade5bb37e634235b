/* Bodies that turn by a coordinate of the model: rings, shoes that rub on them, bars on hinges. */
#include "flex/plane_motion.h"
#include "motion_test.h"
#include "slipstick/modes.h"
#include "test_folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static char text[4000], folder[test_path_size];
static const double pi = 3.14159265358979323846;

enum { around = 48, through = 3 };

/* A ring from 0.6 to 1 in quadrilaterals, its sets `bore` and `rim`, about (x, y). */
static void write_ring(double x, double y)
{
    char path[test_path_size];
    test_folder_make(folder);
    test_path(path, folder, "ring.inp");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "*NODE\n");
    for (int k = 0; k <= through; k++)
        for (int i = 0; i < around; i++) {
            const double r = 0.6 + 0.4 * k / through, a = 2 * pi * i / around;
            fprintf(file, "%d, %.17g, %.17g\n", k * around + i + 1, x + r * cos(a), y + r * sin(a));
        }
    fprintf(file, "*ELEMENT, TYPE=CPE4\n");
    for (int k = 0; k < through; k++)
        for (int i = 0; i < around; i++) {
            const int next = (i + 1) % around, low = k * around + 1, high = low + around;
            fprintf(file, "%d, %d, %d, %d, %d\n", k * around + i + 1, low + i, high + i, high + next,
                    low + next);
        }
    for (int set = 0; set < 2; set++) {
        fprintf(file, "*NSET, NSET=%s\n", set ? "rim" : "bore");
        for (int i = 0; i < around; i++)
            fprintf(file, "%d\n", (set ? through * around : 0) + i + 1);
    }
    fclose(file);
}

static slip_model *load(const char *whole)
{
    char path[test_path_size];
    slip_model *model = NULL;
    test_path(path, folder, "model.yaml");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(whole, file);
    fclose(file);
    good(slip_model_load(ctx, path, &model));
    return model;
}

/* Density times the integral of r^2 over the polygon of the rim less that of the bore. */
static double ring_inertia(double density)
{
    const double a = 2 * pi / around, unit = around * sin(a) * (2 + cos(a)) / 12;
    return density * unit * (1 - pow(0.6, 4));
}

#define RING                                                                                                 \
    "  ring:\n    mesh: {file: ring.inp}\n    material: {young: %g, poisson: 0.3, density: 2}\n"             \
    "    fix: [bore]\n    reduce: {modes: 12}\n"

/* Its inertia is the integral over the mesh, and a torque T on it makes the angular momentum T t, whatever it
 * is made of; the stiffer, the nearer its motion is to that of the rigid ring. */
static void a_torque_turns_a_ring(void **state)
{
    const double inertia = ring_inertia(2);
    double off[2];
    (void)state;
    write_ring(3, -2);
    for (int e = 0; e < 2; e++) {
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [phi]\nforces: {phi: 0.4}\nbodies:\n" RING
                 "    turn: {coordinate: phi, centre: [3, -2]}\n"
                 "simulate: {method: event, time: [0, 2]}\n",
                 1e3 * pow(10, e));
        slip_model *model = load(text);
        const slip_plane_motion *motion = model->bodies->motion;
        slip_result *result = run_as_said(model);
        int64_t count = 0;
        const double *phi = slip_result_series(result, "phi", &count);
        double momentum = inertia * slip_result_series(result, "phi'", NULL)[count - 1];
        near(motion->turn_inertia[0], inertia, 1e-12, "inertia");
        for (int i = 0; i < motion->count; i++) {
            char name[40];
            snprintf(name, sizeof name, "ring_%d'", i + 1);
            momentum += motion->turn_momentum[i] * slip_result_series(result, name, NULL)[count - 1];
        }
        near(momentum, 0.8, 1e-9, "angular momentum");
        off[e] = fabs(phi[count - 1] / (0.8 / inertia) - 1);
        assert_true(slip_result_number(result, "energy.balance") < 1e-9);
        assert_non_null(strstr(slip_model_describe(ctx, model), "turns with phi, inertia "));
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
    print_message("inertia %.9f; off by %.2e, %.2e\n", inertia, off[0], off[1]);
    assert_true(off[0] < 1e-3 && off[1] < 0.2 * off[0]);
    test_folder_remove(folder);
}

/* On a spring it has the frequency sqrt(k/J), less what it yields, in proportion to 1/young; and so does a
 * ring that a spring joins to a mass of its own inertia, sqrt(2 k/J). */
static void springs_hold_the_turn(void **state)
{
    const double inertia = ring_inertia(2);
    double off[2][2];
    (void)state;
    write_ring(0, 0);
    for (int pair = 0; pair < 2; pair++)
        for (int e = 0; e < 2; e++) {
            slip_modes_options options = slip_modes_options_default();
            slip_result *result = NULL;
            if (pair)
                snprintf(text, sizeof text,
                         "slipstick: 1\ncoordinates: [phi, psi]\nmass: {diagonal: [0, %.17g]}\n"
                         "springs: [{between: [phi, psi], stiffness: 3}]\nbodies:\n" RING
                         "    turn: phi\nsimulate: {method: event, time: [0, 2]}\n",
                         inertia, 1e4 * pow(10, e));
            else
                snprintf(
                    text, sizeof text,
                    "slipstick: 1\ncoordinates: [phi]\nsprings: [{between: [phi, ground], stiffness: 3}]\n"
                    "bodies:\n" RING "    turn: phi\nsimulate: {method: event, time: [0, 2]}\n",
                    1e4 * pow(10, e));
            slip_model *model = load(text);
            good(slip_modes_solve(ctx, model, &options, &result));
            const double omega = slip_result_series(result, "imaginary", NULL)[pair],
                         rigid = (1 + pair) * 3 / inertia;
            off[pair][e] = 1 - omega * omega / rigid;
            slip_result_destroy(result);
            slip_model_destroy(model);
        }
    for (int pair = 0; pair < 2; pair++) {
        print_message("off by %.3e, %.3e\n", off[pair][0], off[pair][1]);
        assert_true(off[pair][0] > 0 && off[pair][0] < 1e-2);
        near(off[pair][0] / off[pair][1], 10, 0.2, "rate");
    }
    test_folder_remove(folder);
}

/* A shoe that is pressed on the rim with N brakes it by mu N r, turn after turn, until it stands; energies
 * are accounted for. */
static void a_shoe_brakes_a_ring(void **state)
{
    const double inertia = ring_inertia(2), mu = 0.3, pressed = 0.5 * 0.13;
    (void)state;
    write_ring(0, 0);
    snprintf(text, sizeof text,
             "slipstick: 1\ncoordinates: [phi]\nbodies:\n" RING "    turn: phi\n"
             "    damping: {stiffness: 1e-4}\n"
             "  shoe:\n"
             "    mesh: {block: {x: (1 + 0.3*s)*sin(0.1*(r - 0.5)), y: (1 + 0.3*s)*cos(0.1*(r - 0.5)), "
             "elements: [4, 3]}}\n"
             "    material: {young: 1e4, poisson: 0.3, density: 1}\n    fix: {left: x, right: x}\n"
             "    tractions: {top: [0, -0.5]}\n    reduce: {modes: 4}\n    damping: {stiffness: 1e-3}\n"
             "contacts:\n  pad: {kind: surface, between: [shoe.bottom, ring.rim],\n"
             "        law: {type: coulomb, mu: %g}}\n"
             "outputs:\n"
             "  normal: pad[1].normal + pad[2].normal + pad[3].normal + pad[4].normal + pad[5].normal\n"
             "simulate: {method: moreau, step: 5e-4, time: [0, 16], initial: {phi': 0.1},\n"
             "           record: {every: 0.02, events: false}}\n",
             1e5, mu);
    slip_model *model = load(text);
    slip_result *result = run_as_said(model);
    int64_t count = 0;
    const double *t = slip_result_series(result, "t", &count),
                 *rate = slip_result_series(result, "phi'", NULL),
                 *normal = slip_result_series(result, "normal", NULL);
    double mean = 0;
    int64_t from = 0, end = 0;
    while (t[from] < 2)
        from++;
    while (t[end] < 12)
        end++;
    for (int64_t i = from; i < end; i++)
        mean += (normal[i] + normal[i + 1]) / 2 * (t[i + 1] - t[i]) / (t[end] - t[from]);
    const double brake = (rate[from] - rate[end]) / (t[end] - t[from]);
    print_message("torque %.6f, mu N r %.6f; balance %.1e\n", brake * inertia, mu * mean,
                  slip_result_number(result, "energy.balance"));
    near(mean, pressed, 0.01 * pressed, "normal force");
    near(brake * inertia, mu * mean, 1e-3 * mu * mean, "torque");
    const double *phi = slip_result_series(result, "phi", NULL);
    int64_t late = count - 1;
    while (t[late] > 15)
        late--;
    print_message("after it stands: %.1e in the last second\n", phi[count - 1] - phi[late]);
    near(phi[count - 1], phi[late], 1e-5, "angle, after it stands");
    assert_true(slip_result_number(result, "energy.balance") < 1e-6);
    slip_result_destroy(result);
    slip_model_destroy(model);
    test_folder_remove(folder);
}

/* A bar on a hinge at its left end that a torque presses on a floor under it: it turns down until its end
 * touches, and the moment of the floor is the torque. */
static void a_bar_leans_on_a_floor(void **state)
{
    (void)state;
    slip_model *model = parse(
        "slipstick: 1\ncoordinates: [phi]\nforces: {phi: -0.6}\nbodies:\n  bar:\n"
        "    mesh: {block: {x: [0, 2], y: [0, 0.2], elements: [10, 2]}}\n"
        "    material: {young: 1e8, poisson: 0.3, density: 3}\n    fix: [left]\n    turn: phi\n"
        "    reduce: {modes: 6}\n    damping: {mass: 2, stiffness: 1e-5}\n"
        "contacts:\n  floor: {kind: surface, between: [bar.bottom, {point: [0, -0.01], normal: [0, 1]}]}\n"
        "simulate: {method: moreau, step: 1e-3, time: [0, 4], record: {every: 0.1, events: false}}\n");
    slip_result *result = run_as_said(model);
    int64_t count = 0;
    const double *phi = slip_result_series(result, "phi", &count);
    const slip_plane_contact *points = slip_plane_contacts(model->bodies->plane);
    double moment = 0;
    for (int k = 0; k < slip_plane_contact_count(model->bodies->plane); k++) {
        char name[100];
        snprintf(name, sizeof name, "%s.normal", points[k].name);
        moment += points[k].place[0] * slip_result_series(result, name, NULL)[count - 1];
    }
    near(phi[count - 1], -0.005, 1e-5, "angle");
    near(moment, 0.6, 1e-6, "moment of the floor");
    assert_true(slip_result_number(result, "energy.balance") < 1e-6);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* In space about an axis that is said: m/12 (b^2 + c^2) through the middle of a block. */
static void blocks_turn_in_space(void **state)
{
    static const char *const axes[] = {"", ", axis: [2, 0, 0]", ", axis: [0, 0.5, 0]"};
    static const double sides[3] = {2, 1, 0.4};
    (void)state;
    for (int k = 0; k < 3; k++) {
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [phi]\nforces: {phi: 1}\nbodies:\n  block:\n"
                 "    mesh: {block: {x: [0, 2], y: [0, 1], z: [0, 0.4], elements: [3, 2, 1]}}\n"
                 "    material: {young: 1e4, poisson: 0.3, density: 3}\n    fix: [bottom]\n"
                 "    turn: {coordinate: phi, centre: [1, 0.5, 0.2]%s}\n    reduce: {modes: 4}\n"
                 "simulate: {method: event, time: [0, 1]}\n",
                 axes[k]);
        slip_model *model = parse(text);
        const double across = k == 0   ? sides[0] * sides[0] + sides[1] * sides[1]
                              : k == 1 ? sides[1] * sides[1] + sides[2] * sides[2]
                                       : sides[0] * sides[0] + sides[2] * sides[2];
        near(model->bodies->motion->turn_inertia[0], 3 * 0.8 * across / 12, 1e-12, "inertia");
        slip_model_destroy(model);
    }
}

/* Two bodies that turn, one by a coordinate that has nothing but its inertia, on springs and dashpots, with a
 * contact between them. */
#define WHEELS                                                                                               \
    "slipstick: 1\ncoordinates: [phi, psi, x]\nmass: {diagonal: [0, 0.2, 1.5]}\n"                            \
    "springs: [{between: [phi, ground], stiffness: %g, damping: 0.1}, {between: [psi, x], stiffness: 3}]\n"  \
    "forces: {phi: -0.05*(1 + sin(3*t)), x: 0.02*cos(2*t) - 0.1*x}\n"                                        \
    "bodies:\n  arm:\n    mesh: {block: {x: [0, 2], y: [0, 0.2], elements: [8, 1]}}\n"                       \
    "    material: {young: 800, poisson: 0.3, density: 1}\n    fix: [left]\n"                                \
    "    turn: {coordinate: phi, centre: [0, 0.1]}\n    body_force: [0, -0.1]\n"                             \
    "    damping: {mass: 0.1, stiffness: 1e-4}\n%s"                                                          \
    "  plate:\n    mesh: {block: {x: [1.5, 3], y: [-0.31, -0.01], elements: [6, 2]}}\n"                      \
    "    material: {young: 500, poisson: 0.3, density: 2}\n    fix: {bottom: y}\n"                           \
    "    springs: {right: {stiffness: [40, 0], damping: [0.5, 0]}}\n"                                        \
    "    turn: {coordinate: psi, centre: [3, 0]}\n%s"                                                        \
    "contacts:\n  pad: {kind: surface, between: [arm.bottom, plate.top], law: {type: coulomb, mu: 0.3}}\n"   \
    "  drag: {kind: friction, slip: x', normal_force: 0.02, law: {type: coulomb, mu: 0.5}}\n"                \
    "simulate: {method: moreau, step: 2e-3, time: [0, 3], record: {every: 0.02, events: false}}\n"

/* Which of the two are whole, 1 the arm and 2 the plate; and how stiff the spring of the arm is. */
static slip_model *make_wheels(int whole, double stiffness)
{
    static const char none[] = "    reduce: none\n";
    snprintf(text, sizeof text, WHEELS, stiffness, whole & 1 ? none : "", whole & 2 ? none : "");
    return parse(text);
}

/* By how much series differ from those of another run, over the largest number of each. */
static double compare_runs(const slip_result *a, const slip_result *b)
{
    static const char *const series[] = {"phi",           "phi'",        "psi",       "x",
                                         "pad[3].normal", "pad[3].slip", "drag.force"};
    double most = 0;
    for (size_t s = 0; s < sizeof series / sizeof *series; s++) {
        int64_t count = 0;
        const double *x = slip_result_series(a, series[s], &count),
                     *y = slip_result_series(b, series[s], NULL);
        double size = 0, off = 0;
        for (int64_t i = 0; i < count; i++) {
            size = fmax(size, fabs(x[i]));
            off = fmax(off, fabs(x[i] - y[i]));
        }
        assert_true(size > 1e-3);
        most = fmax(most, off / size);
    }
    return most;
}

/* Whole bodies that turn move as they do by all their eigenmodes. */
static void whole_bodies_turn_too(void **state)
{
    slip_result *of_all = NULL;
    (void)state;
    for (int whole = 0; whole < 4; whole++) {
        slip_model *model = make_wheels(whole, 2);
        slip_result *result = run_as_said(model);
        const double balance = slip_result_number(result, "energy.balance"),
                     off = whole > 0 ? compare_runs(of_all, result) : 0;
        print_message("whole %d: off by %.1e, balance %.1e\n", whole, off, balance);
        assert_true(off < 1e-9 && fabs(balance) < 1e-11);
        if (whole == 0)
            of_all = result;
        else
            slip_result_destroy(result);
        slip_model_destroy(model);
    }
    slip_result_destroy(of_all);
}

/* By how much the 12 slowest modes differ from the nearest ones of all eigenmodes. */
static double compare_modes(const char *about, int whole, double stiffness)
{
    enum { compared = 12 };
    slip_modes_options options = slip_modes_options_default();
    slip_result *found[2] = {NULL, NULL};
    double most = 0;
    options.about = about;
    options.count = 20;
    for (int k = 0; k < 2; k++) {
        slip_model *model = make_wheels(k == 0 ? 0 : whole, stiffness);
        good(slip_modes_solve(ctx, model, &options, &found[k]));
        slip_model_destroy(model);
    }
    int64_t count[2];
    const double *const real[] = {slip_result_series(found[0], "real", &count[0]),
                                  slip_result_series(found[1], "real", &count[1])},
                        *const imaginary[] = {slip_result_series(found[0], "imaginary", NULL),
                                              slip_result_series(found[1], "imaginary", NULL)};
    assert_true(count[1] >= compared);
    for (int i = 0; i < compared; i++) {
        double nearest = INFINITY;
        for (int64_t j = 0; j < count[0]; j++)
            nearest = fmin(nearest, hypot(real[1][i] - real[0][j], imaginary[1][i] - imaginary[0][j]));
        most = fmax(most, nearest / fmax(1, hypot(real[1][i], imaginary[1][i])));
    }
    slip_result_destroy(found[0]);
    slip_result_destroy(found[1]);
    return most;
}

/* And they have the same modes: about rest, with a shaft that is free, about points that are pressed. */
static void whole_bodies_that_turn_have_modes(void **state)
{
    (void)state;
    const double off[] = {compare_modes("rest", 3, 2), compare_modes("rest", 3, 0),
                          compare_modes("static", 3, 2), compare_modes("static", 1, 2)};
    for (int k = 0; k < 4; k++) {
        print_message("modes off by %.1e\n", off[k]);
        assert_true(off[k] < 1e-8);
    }
}

/* The torque of the loads of a body and a force on its coordinate add up: at rest (T - rho g A l)/k. */
static void torques_of_loads_stay(void **state)
{
    (void)state;
    slip_model *model =
        parse("slipstick: 1\ncoordinates: [phi]\nforces: {phi: -0.05}\n"
              "springs: [{between: [phi, ground], stiffness: 2, damping: 1}]\n"
              "bodies:\n  arm:\n    mesh: {block: {x: [0, 2], y: [0, 0.2], elements: [10, 2]}}\n"
              "    material: {young: 800, poisson: 0.3, density: 1}\n    fix: [left]\n    turn: phi\n"
              "    body_force: [0, -0.1]\n    damping: {mass: 1}\n    reduce: {modes: 6}\n"
              "simulate: {method: moreau, step: 5e-3, time: [0, 60], record: {every: 1}}\n");
    slip_result *result = run_as_said(model);
    int64_t count = 0;
    const double *phi = slip_result_series(result, "phi", &count);
    near(phi[count - 1], -0.045, 1e-6, "angle");
    slip_result_destroy(result);
    slip_model_destroy(model);
}

#define BLOCK                                                                                                \
    "slipstick: 1\ncoordinates: [phi]\nbodies:\n  block:\n"                                                  \
    "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [4, 2]}}\n    fix: [left]\n"                       \
    "    material: {young: 1000, poisson: 0, density: 1}\n"
#define SIMULATE_IT "simulate: {method: event, time: [0, 1]}\n"

static void what_is_wrong_is_refused(void **state)
{
    static const refusal refusals[] = {
        {BLOCK "    turn: psi\n" SIMULATE_IT, "turn: found `psi`, expected one of the model's `coordinates`"},
        {BLOCK "    turn: {coordinate: phi, axis: [0, 0, 1]}\n" SIMULATE_IT,
         "turn: found `axis` of a plane body"},
        {BLOCK "    turn: {coordinate: phi, centre: 3}\n" SIMULATE_IT, "turn: centre: found "}};
    (void)state;
    REFUSE_EACH(refusals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_torque_turns_a_ring, setup, teardown),
        cmocka_unit_test_setup_teardown(springs_hold_the_turn, setup, teardown),
        cmocka_unit_test_setup_teardown(a_shoe_brakes_a_ring, setup, teardown),
        cmocka_unit_test_setup_teardown(a_bar_leans_on_a_floor, setup, teardown),
        cmocka_unit_test_setup_teardown(blocks_turn_in_space, setup, teardown),
        cmocka_unit_test_setup_teardown(whole_bodies_turn_too, setup, teardown),
        cmocka_unit_test_setup_teardown(whole_bodies_that_turn_have_modes, setup, teardown),
        cmocka_unit_test_setup_teardown(torques_of_loads_stay, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
