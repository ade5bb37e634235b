/* Paths that go to infinity end at the pole: closed forms, eigenvalues, and paths that pass where only the
 * stiffness alone is singular. */
#include "math/dense.h"
#include "model_test.h"
#include "slipstick/statics.h"
#include "test_folder.h"

static slip_model *model; /* of the paths at hand */

static slip_result *follow(const char *text, const char *const *settings)
{
    slip_result *paths = NULL;
    model = parse_with(text, settings);
    if (slip_continue(ctx, model, NULL, &paths) != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(paths);
    return paths;
}

static void done_with(slip_result *paths)
{
    slip_result_destroy(paths);
    slip_model_destroy(model);
}

static bool is_pole(const slip_label *label)
{
    return strcmp(label->type, "EP") == 0 && strcmp(label->to, "infinity") == 0;
}

/* The last label of a branch. */
static const slip_label *end_of(const slip_result *paths, int branch)
{
    const slip_label *last = NULL;
    for (int k = 0; k < slip_result_label_count(paths); k++)
        if (slip_result_label(paths, k)->branch == branch)
            last = slip_result_label(paths, k);
    assert_non_null(last);
    return last;
}

static void expect_pole(const char *text, const char *const *settings, int branch, double value,
                        double tolerance)
{
    slip_result *paths = follow(text, settings);
    const slip_label *end = end_of(paths, branch);
    if (!is_pole(end))
        print_error("%s\nends at %g: %s\n", text, end->value, end->note);
    assert_true(is_pole(end));
    assert_non_null(strstr(end->note, "infinity"));
    assert_close(end->value, value, tolerance);
    done_with(paths);
}

#define BUCKLING(stiffness, forces, gap, range)                                                              \
    "slipstick: 1\nparameters: {s: 2}\ncoordinates: [x, y]\nstiffness: " stiffness "\nforces: " forces       \
    "\ncontacts:\n  wall: {kind: unilateral, gap: " gap ", slip: y', law: {type: coulomb, mu: 0.3}}\n"       \
    "continue: {parameter: s, " range "}\n"

/* x = (s + 0.5)/(s^2 - 1): as it is, mirrored, over the opposite parameter, from both sides, and with the
 * pole at the end of the range. */
static void buckling_ends_at_its_pole(void **state)
{
    (void)state;
    expect_pole(BUCKLING("[[s, -1], [-1, s]]", "{x: 1, y: 0.5}", "5 + x", "range: [0.5, 3], start: 3"), NULL,
                1, 1, 1e-12);
    expect_pole(BUCKLING("[[s, -1], [-1, s]]", "{x: -1, y: -0.5}", "5 - x", "range: [0.5, 3], start: 3"),
                NULL, 1, 1, 1e-12);
    expect_pole(BUCKLING("[[-s, -1], [-1, -s]]", "{x: 1, y: 0.5}", "5 + x", "range: [-3, -0.5]"), NULL, 1, -1,
                1e-12);
    expect_pole(BUCKLING("[[s, -1], [-1, s]]", "{x: -1, y: -0.5}", "5 + x", "range: [0.5, 3], start: 0.5"),
                NULL, 1, 1, 1e-12);
    expect_pole(BUCKLING("[[s, -1], [-1, s]]", "{x: 1, y: 0.5}", "5 + x", "range: [1, 3], start: 3"), NULL, 1,
                1, 1e-12);
    expect_pole(BUCKLING("[[s, -1], [-1, s]]", "{x: 1, y: 0.5}", "5 + x", "range: [0.5, 3], start: 2"), NULL,
                1, 1, 1e-12);
    /* Stiffer and softer by a billion. */
    expect_pole(
        BUCKLING("[[s*1e9, -1e9], [-1e9, s*1e9]]", "{x: 1, y: 0.5}", "5e-9 + x", "range: [0.5, 3], start: 3"),
        NULL, 1, 1, 1e-12);
    expect_pole(BUCKLING("[[s*1e-9, -1e-9], [-1e-9, s*1e-9]]", "{x: 1, y: 0.5}", "5e9 + x",
                         "range: [0.5, 3], start: 3"),
                NULL, 1, 1, 1e-12);
}

/* The solutions on the way are those of the closed form, and they come close to the pole. */
static void the_way_to_the_pole_is_exact(void **state)
{
    (void)state;
    slip_result *paths = follow(
        BUCKLING("[[s, -1], [-1, s]]", "{x: 1, y: 0.5}", "5 + x", "range: [0.5, 3], start: 3, restarts: 0"),
        NULL);
    int64_t count;
    const double *s = slip_result_series(paths, "value", &count), *x = slip_result_series(paths, "x", NULL);
    double largest = 0;
    for (int64_t i = 0; i < count; i++) {
        const double exact = (s[i] + 0.5) / ((s[i] - 1) * (s[i] + 1));
        assert_close_relative(x[i], exact, 1e-9);
        largest = fmax(largest, x[i]);
    }
    assert_true(largest > 1e4);
    assert_true(count < 1000);
    done_with(paths);
}

/* Where the wall holds x the path passes s = 1, which is a pole without the wall only: y = -5.5/s + ... */
static void contact_passes_the_singular_stiffness(void **state)
{
    (void)state;
    slip_result *paths =
        follow("slipstick: 1\nparameters: {s: 2}\ncoordinates: [x, y]\nstiffness: [[s, -1], [-1, s]]\n"
               "forces: {x: -1, y: -0.5}\ncontacts:\n  wall: {kind: unilateral, gap: 5 + x}\n"
               "continue: {parameter: s, range: [0.5, 3], start: 3, restarts: 0}\n",
               NULL);
    int64_t count;
    const double *s = slip_result_series(paths, "value", &count), *y = slip_result_series(paths, "y", NULL);
    const double *mode = slip_result_series(paths, "wall.mode", NULL);
    assert_int_equal(slip_result_label_count(paths), 3);
    assert_string_equal(slip_result_label(paths, 1)->type, "MC");
    assert_close(slip_result_label(paths, 1)->value, (1 + sqrt(1 + 4 * 5 * 5.5)) / 10, 1e-12);
    assert_close(end_of(paths, 1)->value, 0.5, 0);
    assert_false(is_pole(end_of(paths, 1)));
    for (int64_t i = 0; i < count; i++)
        if (mode[i] == SLIP_MODE_CLOSED)
            assert_close(y[i], -5.5 / s[i], 1e-11);
    done_with(paths);
}

/* Poles of higher order: x = (1 + s)/(s - 1.3)^k. For even k from both sides. */
static void poles_of_any_order(void **state)
{
    (void)state;
    for (int k = 1; k <= 6; k++)
        for (int side = 0; side < 2; side++) {
            char text[600];
            if (side == 1 && k % 2 == 1)
                continue; /* the wall is met on that side */
            snprintf(text, sizeof text,
                     "slipstick: 1\nparameters: {s: 2}\ncoordinates: [x]\nstiffness: [[(s - 1.3)^%d]]\n"
                     "forces: {x: 1 + s}\ncontacts:\n  wall: {kind: unilateral, gap: 5 + x}\n"
                     "continue: {parameter: s, range: [0, 3], start: %d}\n",
                     k, side == 0 ? 3 : 0);
            expect_pole(text, NULL, 1, 1.3, 1e-9);
        }
}

/* Two equal roots of the determinant that are one pole of order two: [[k, -1], [0, k]], k = s - 1. */
static void poles_of_a_matrix_without_eigenvectors(void **state)
{
    (void)state;
    expect_pole(BUCKLING("[[s - 1, -1], [0, s - 1]]", "{x: 1, y: 0.5}", "5 + x", "range: [0, 3], start: 3"),
                NULL, 1, 1, 1e-9);
}

/* The load itself goes to infinity, from both sides; on the second the wall is closed then. */
static void loads_that_go_to_infinity(void **state)
{
    (void)state;
    for (int k = 1; k <= 3; k++)
        for (int end = 0; end < 2; end++) {
            char text[600];
            snprintf(text, sizeof text,
                     "slipstick: 1\nparameters: {s: 2}\ncoordinates: [x]\nstiffness: [[2]]\n"
                     "forces: {x: 1/(s - 1)^%d}\ncontacts:\n  wall: {kind: unilateral, gap: 5 + x}\n"
                     "continue: {parameter: s, range: [%d, 2], start: 2}\n",
                     k, end);
            expect_pole(text, NULL, 1, 1, 1e-9);
        }
}

/* A contact that slips: x = -5, and y (s + 0.3) = -5.2 - 1.5 s by friction. The path passes s = 1, where the
 * stiffness alone is singular, and goes to infinity at s = -0.3. */
static void friction_moves_the_pole(void **state)
{
    (void)state;
    expect_pole(BUCKLING("[[s, -1], [-1, s]]", "{x: -1, y: -0.5}", "5 + x", "range: [-0.9, 3], start: 3"),
                NULL, 1, -0.3, 1e-11);
    expect_pole(BUCKLING("[[s, -1], [-1, s]]", "{x: 1, y: 0.5}", "5 - x", "range: [-0.9, 3], start: 3"), NULL,
                1, -0.3, 1e-11);
}

/* A coordinate that no contact touches has a pole of its own, small against the rest. */
static void a_coordinate_that_no_contact_sees(void **state)
{
    (void)state;
    for (int k = 0; k <= 6; k += 3) {
        char text[700];
        snprintf(text, sizeof text,
                 "slipstick: 1\nparameters: {s: 2}\ncoordinates: [x, y, u]\n"
                 "stiffness: [[s, -1, 0], [-1, s, 0], [0, 0, s - 1.7]]\nforces: {x: 1, y: 0.5, u: 1e-%d}\n"
                 "contacts:\n  wall: {kind: unilateral, gap: 5 + x}\n"
                 "continue: {parameter: s, range: [0.5, 3], start: 3}\n",
                 k);
        expect_pole(text, NULL, 1, 1.7, 1e-9);
    }
}

/* K = s - M, M random and symmetric: from above the largest eigenvalue of M is the pole, from below the
 * smallest, unless the wall holds the first coordinate: then one of M without it. Every end is one of them or
 * an end of the range. */
static void random_poles_are_eigenvalues(void **state)
{
    (void)state;
    enum { n = 3 };
    uint64_t seed = 71;
    int poles = 0, without_wall = 0;
    for (int k = 0; k < test_cases(150); k++) {
        double m[n][n], all[n * n], part[(n - 1) * (n - 1)], of_all[n], of_part[n - 1];
        char text[1500];
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                m[i][j] = m[j][i] = test_random(&seed, -1, 1);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                all[i * n + j] = m[i][j];
                if (i > 0 && j > 0)
                    part[(i - 1) * (n - 1) + j - 1] = m[i][j];
            }
        assert_true(slip_dense_eigenvalues(n, all, of_all) && slip_dense_eigenvalues(n - 1, part, of_part));
        snprintf(text, sizeof text,
                 "slipstick: 1\nparameters: {s: 4}\ncoordinates: [x, y, z]\nstiffness:\n"
                 "  - [s - (%.17g), %.17g, %.17g]\n  - [%.17g, s - (%.17g), %.17g]\n"
                 "  - [%.17g, %.17g, s - (%.17g)]\nforces: {x: %.17g, y: %.17g, z: %.17g}\ncontacts:\n"
                 "  wall: {kind: unilateral, gap: %.17g + x}\n"
                 "continue: {parameter: s, range: [-4, 4], start: %d, spacing: 0.1}\n",
                 m[0][0], -m[0][1], -m[0][2], -m[1][0], m[1][1], -m[1][2], -m[2][0], -m[2][1], m[2][2],
                 test_random(&seed, -1, 1), test_random(&seed, -1, 1), test_random(&seed, -1, 1),
                 test_random(&seed, 0.1, 10), k % 2 == 0 ? 4 : -4);
        slip_result *paths = follow(text, NULL);
        for (int branch = 1; branch <= (int)slip_result_number(paths, "branches"); branch++) {
            const slip_label *end = end_of(paths, branch);
            double nearest = INFINITY;
            for (int i = 0; i < n; i++)
                nearest = fmin(nearest, fabs(end->value - of_all[i]));
            for (int i = 0; i < n - 1; i++)
                nearest = fmin(nearest, fabs(end->value - of_part[i]));
            if (is_pole(end))
                assert_true(nearest < 1e-10);
            else
                assert_true(fabs(end->value) == 4 || strstr(end->note, "followed before"));
            poles += is_pole(end);
        }
        bool met = slip_result_series(paths, "wall.mode", NULL)[0] != SLIP_MODE_OPEN;
        for (int i = 0; i < slip_result_label_count(paths); i++)
            met =
                met || (slip_result_label(paths, i)->branch == 1 && slip_result_label(paths, i)->contact[0]);
        if (!met && fabs(slip_result_label(paths, 0)->value) == 4) {
            assert_true(is_pole(end_of(paths, 1)));
            assert_close(end_of(paths, 1)->value, of_all[slip_result_label(paths, 0)->value > 0 ? n - 1 : 0],
                         1e-10);
            without_wall++;
        }
        done_with(paths);
    }
    assert_true(poles > test_cases(300) && without_wall > test_cases(50));
}

/* Neither the logarithm nor the root nor a pair of complex poles close by is a pole; the root of the
 * stiffness is one of order 1/2. */
static void what_is_no_pole(void **state)
{
    (void)state;
    static const struct {
        const char *stiffness, *force;
        bool pole;
        double end;
    } cases[] = {{"1", "-log(s)", false, 0},
                 {"1", "sqrt(s)", false, 0},
                 {"1", "abs(s - 1)", false, 0},
                 {"1", "1/((s - 1)^2 + 1e-6)", false, 0},
                 {"(s - 1)^2 + 1e-10", "1", false, 0},
                 {"1", "exp(20*s)", false, 0},
                 {"sqrt(s)", "1", true, 0},
                 {"1", "tan(2*s)", true, 0.78539816339744831},
                 {"(s - 1)*(s - 1.001)", "1", true, 1.001}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "slipstick: 1\nparameters: {s: 2}\ncoordinates: [x]\nstiffness: [[%s]]\nforces: {x: %s}\n"
                 "contacts:\n  wall: {kind: unilateral, gap: 1e7 + x}\n"
                 "continue: {parameter: s, range: [0, 2], start: 2, restarts: 2}\n",
                 cases[k].stiffness, cases[k].force);
        slip_result *paths = follow(text, NULL);
        assert_int_equal(is_pole(end_of(paths, 1)), cases[k].pole);
        assert_close(end_of(paths, 1)->value, cases[k].end, 1e-9);
        done_with(paths);
    }
}

/* A label without a state is no start. */
static void no_path_starts_at_a_pole(void **state)
{
    (void)state;
    static const char text[] =
        BUCKLING("[[s, -1], [-1, s]]", "{x: 1, y: 0.5}", "5 + x", "range: [0.5, 3], start: 3, restarts: 0");
    slip_result *paths = follow(text, NULL), *more = NULL;
    slip_continue_options options = slip_continue_options_default();
    char folder[test_path_size];
    test_folder_make(folder);
    assert_int_equal(slip_result_save(ctx, paths, folder), SLIP_OK);
    options.from = folder;
    options.from_label = 2;
    assert_int_equal(slip_continue(ctx, model, &options, &more), SLIP_ERROR_USAGE);
    expect_message("", "at label 2 the path goes to infinity, expected a label with a state to start from");
    test_folder_remove(folder);
    done_with(paths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckling_ends_at_its_pole),
        cmocka_unit_test(the_way_to_the_pole_is_exact),
        cmocka_unit_test(contact_passes_the_singular_stiffness),
        cmocka_unit_test(poles_of_any_order),
        cmocka_unit_test(poles_of_a_matrix_without_eigenvectors),
        cmocka_unit_test(loads_that_go_to_infinity),
        cmocka_unit_test(friction_moves_the_pole),
        cmocka_unit_test(a_coordinate_that_no_contact_sees),
        cmocka_unit_test(random_poles_are_eigenvalues),
        cmocka_unit_test(what_is_no_pole),
        cmocka_unit_test(no_path_starts_at_a_pole),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
