/* Bodies by mass and stiffness matrices from files: they move as the meshes do that the matrices came from.
 */
#include "fem/assemble.h"
#include "flex/plane_motion.h"
#include "motion_test.h"
#include "test_folder.h"

#include "fem/plane/plane.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static char text[8000], folder[test_path_size];

static void write_matrix(const slip_sparse *matrix, const char *name, bool general)
{
    char path[test_path_size];
    test_path(path, folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    const int64_t entries = matrix->start[matrix->size];
    fprintf(file, "%%%%MatrixMarket matrix coordinate real %s\n%lld %lld %lld\n",
            general ? "general" : "symmetric", (long long)matrix->size, (long long)matrix->size,
            (long long)(general ? 2 * entries - matrix->size : entries));
    for (int64_t j = 0; j < matrix->size; j++)
        for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++) {
            fprintf(file, "%lld %lld %.17g\n", (long long)matrix->row[k] + 1, (long long)j + 1,
                    matrix->value[k]);
            if (general && matrix->row[k] != j)
                fprintf(file, "%lld %lld %.17g\n", (long long)j + 1, (long long)matrix->row[k] + 1,
                        matrix->value[k]);
        }
    fclose(file);
}

/* The points of a set of a mesh, as an interface has them. */
static size_t list_set(const slip_mesh *mesh, const char *name, char *to, size_t size)
{
    const slip_mesh_set *set = slip_mesh_find(mesh, name, SLIP_SET_NODES);
    size_t used = (size_t)snprintf(to, size, "      %s:\n", name);
    assert_non_null(set);
    for (int i = 0; i < set->count && used < size; i++) {
        const int d = mesh->dimension, node = set->items[i];
        used += (size_t)snprintf(to + used, size - used, "        - {unknowns: [");
        for (int k = 0; k < d; k++)
            used += (size_t)snprintf(to + used, size - used, "%s%d", k ? ", " : "", d * node + k + 1);
        used += (size_t)snprintf(to + used, size - used, "], place: [");
        for (int k = 0; k < d; k++)
            used += (size_t)snprintf(to + used, size - used, "%s%.17g", k ? ", " : "",
                                     mesh->points[d * node + k]);
        used += (size_t)snprintf(to + used, size - used, "]}\n");
    }
    assert_true(used < size);
    return used;
}

static slip_result *run_file(const char *whole)
{
    char path[test_path_size];
    slip_model *model = NULL;
    test_path(path, folder, "model.yaml");
    FILE *file = fopen(path, "w");
    fputs(whole, file);
    fclose(file);
    good(slip_model_load(ctx, path, &model));
    slip_result *result = run_as_said(model);
    slip_model_destroy(model);
    return result;
}

static const char *const parts[2] = {"x: [0, 1], y: [0, 0.5], elements: [6, 3]",
                                     "x: [0, 1], y: [0, 0.5], z: [0, 0.3], elements: [3, 2, 1]"};
static const char *const mores[2] = {"    forces: {top: [0.02*sin(7*t), -0.1]}\n",
                                     "    forces: {top: [0.02*sin(7*t), 0.01, -0.1]}\n"};
static const char *const contacts[2] = {
    "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}],\n"
    "         velocity: 0.1, law: {type: coulomb, mu: 0.4}}\n",
    "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0, 0], normal: [0, 0, 1]}],\n"
    "         velocity: [-0.1*y, 0.1, 0], law: {type: coulomb, mu: 0.4}}\n"};
static const char end[] = "simulate: {method: moreau, step: 2e-3, time: [0, 0.5], record: {every: 0.01}}\n";

/* Whole and reduced, in the plane and in space, by a general and a symmetric file. */
static void matrices_move_as_their_mesh(void **state)
{
    static const char *const reduce[] = {"    reduce: none\n", "    reduce: {modes: 8}\n    fix: [left]\n"};
    (void)state;
    for (int solid = 0; solid < 2; solid++)
        for (int k = 0; k < 2; k++) {
            const char *probe = solid ? "[1, 0, 0]" : "[1, 0]";
            snprintf(text, sizeof text,
                     "slipstick: 1\nbodies:\n  pad:\n    mesh: {block: {%s}}\n"
                     "    material: {young: 100, poisson: 0.3, density: 1}\n%s%s"
                     "    damping: {stiffness: 0.01}\n    probes: {toe: %s}\n%s%s",
                     parts[solid], mores[solid], reduce[k], probe, contacts[solid], end);
            slip_model *model = parse(text);
            const slip_plane *plane = model->bodies->plane;
            const slip_mesh *mesh = slip_plane_body_mesh(plane, 0);
            slip_sparse *stiffness = NULL, *mass = NULL;
            good(slip_mesh_matrices(ctx, mesh, slip_plane_body_elastic(plane, 0), false, &stiffness, &mass));
            write_matrix(stiffness, "K.mtx", k == 0);
            write_matrix(mass, "M.mtx", k == 1);
            slip_result *from_mesh = run_as_said(model);
            size_t used = (size_t)snprintf(
                text, sizeof text,
                "slipstick: 1\nbodies:\n  pad:\n    mass: {file: M.mtx}\n    stiffness: {file: K.mtx}\n"
                "    interface:\n");
            used += list_set(mesh, "bottom", text + used, sizeof text - used);
            used += list_set(mesh, "top", text + used, sizeof text - used);
            used += list_set(mesh, "left", text + used, sizeof text - used);
            snprintf(text + used, sizeof text - used,
                     "%s%s    damping: {stiffness: 0.01}\n    probes: {toe: %s}\n%s%s", mores[solid],
                     reduce[k], probe, contacts[solid], end);
            slip_result *from_files = run_file(text);
            static const char *const series[] = {"pad.toe.x", "pad.toe.y", "belt[1].normal",
                                                 "belt[4].normal"};
            double motion = 0; /* the largest displacement, which both parts of it round with */
            for (int i = 0; i < 4; i++) {
                int64_t count = 0, other = 0;
                const double *a = slip_result_series(from_mesh, series[i], &count),
                             *b = slip_result_series(from_files, series[i], &other);
                double off = 0, size = 1e-300;
                assert_true(a && b && count == other && count > 10);
                for (int64_t j = 0; j < count; j++) {
                    off = fmax(off, fabs(a[j] - b[j]));
                    size = fmax(size, fabs(a[j]));
                }
                motion = fmax(motion, i < 2 ? size : 0);
                size = i < 2 ? motion : size;
                print_message("%s: %.1e of %.2g\n", series[i], off / size, size);
                assert_true(off < 1e-12 * size && size > 1e-9);
            }
            slip_result_destroy(from_mesh);
            slip_result_destroy(from_files);
            slip_sparse_destroy(stiffness);
            slip_sparse_destroy(mass);
            slip_model_destroy(model);
        }
}

static void refused(const char *bodies, const char *more, const char *part)
{
    char path[test_path_size], whole[1500];
    slip_model *model = NULL;
    snprintf(whole, sizeof whole, "slipstick: 1\nbodies:\n  pad:\n%s%s", bodies, more);
    test_path(path, folder, "bad.yaml");
    FILE *file = fopen(path, "w");
    fputs(whole, file);
    fclose(file);
    assert_true(slip_model_load(ctx, path, &model) < 0);
    if (!strstr(slip_context_message(ctx), part))
        print_error("found: %s\nexpected: %s\n", slip_context_message(ctx), part);
    assert_true(strstr(slip_context_message(ctx), part) != NULL);
    slip_model_destroy(model);
}

static void write_text(const char *name, const char *content)
{
    char path[test_path_size];
    test_path(path, folder, name);
    FILE *file = fopen(path, "w");
    fputs(content, file);
    fclose(file);
}

/* The example: natural frequencies of a clamped beam, (l L)^2 sqrt(E I/(rho A L^4)) with cos(l L) cosh(l L) =
 * -1, to what ten elements leave; it strikes its stop, never goes through it, and its energy is accounted
 * for. */
static void a_clamped_beam_strikes_a_stop(void **state)
{
    static const double roots[] = {1.8751040687119611, 4.6940911329741746, 7.8547574382376126};
    const double unit = sqrt(2.1e11 * 0.002 * 0.002 / 12 / (7850 * 0.3 * 0.3 * 0.3 * 0.3));
    slip_model *model = NULL;
    int64_t count = 0;
    (void)state;
    good(slip_model_load(ctx, SLIPSTICK_SOURCE_DIR "/examples/beam/beam.yaml", &model));
    for (int k = 0; k < 3; k++)
        assert_close_relative(sqrt(model->bodies->motion->square[k]), roots[k] * roots[k] * unit,
                              pow(roots[k] / 10, 4) / 1000);
    slip_result *result = run_as_said(model);
    const double *tip = slip_result_series(result, "beam.tip.y", &count);
    for (int64_t i = 0; i < count; i++)
        assert_true(tip[i] > -0.001 - 1e-12);
    assert_true(slip_result_event_count(result) > 10);
    assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-6);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

static void mistakes_are_refused(void **state)
{
    static const char both[] = "    mass: {file: one.mtx}\n    stiffness: {file: one.mtx}\n",
                      run[] = "simulate: {time: [0, 1]}\n";
    char body[1000];
    (void)state;
    write_text("one.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n2 2 1\n3 3 2\n");
    write_text("two.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n1\n");
    write_text("skewed.mtx",
               "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1\n2 2 1\n3 3 1\n1 2 3\n");
    write_text("many.mtx", "%%MatrixMarket matrix coordinate real general\n30000 30000 900000000\n1 1 1\n");
    refused(both, run, "interface");
    snprintf(body, sizeof body, "%s    interface: {a: [{unknowns: [1, 4], place: [0, 0]}]}\n", both);
    refused(body, run, "unknowns: found 4, expected at most 3");
    snprintf(body, sizeof body,
             "%s    interface: {a: [{unknowns: [1, 2], place: [0, 0]}, {unknowns: [3, 1], "
             "place: [0, 0]}]}\n",
             both);
    refused(body, run, "found some of another point, expected each in one point");
    snprintf(body, sizeof body, "%s    interface: {a: [{unknowns: [1, 2], place: [0, 0]}]}\n", both);
    refused(body, "", "expected a section `simulate`");
    refused(
        "    mass: {file: two.mtx}\n    stiffness: {file: one.mtx}\n    interface: {a: [{unknowns: [1, 2], "
        "place: [0, 0]}]}\n",
        run, "its mass has 2 rows and its stiffness 3");
    refused("    mass: {file: one.mtx}\n    stiffness: {file: skewed.mtx}\n    interface: {a: [{unknowns: "
            "[1, 2], "
            "place: [0, 0]}]}\n",
            run, "is not symmetric");
    refused(
        "    mass: {file: one.mtx}\n    stiffness: {file: many.mtx}\n    interface: {a: [{unknowns: [1, 2], "
        "place: [0, 0]}]}\n",
        run, "fewer entries");
    refused("    mass: {file: none.mtx}\n    stiffness: {file: one.mtx}\n", run, "none.mtx");
    refused("    mass: {file: one.mtx}\n", run, "stiffness");
}

static int open_folder(void **state)
{
    test_folder_make(folder);
    return setup(state);
}

static int close_folder(void **state)
{
    test_folder_remove(folder);
    return teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_move_as_their_mesh),
        cmocka_unit_test(a_clamped_beam_strikes_a_stop),
        cmocka_unit_test(mistakes_are_refused),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
