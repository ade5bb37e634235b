/* Bodies in motion as files for ParaView: frames of a run, shapes of modes. */
#include "motion_test.h"
#include "slipstick/modes.h"
#include "slipstick/result.h"
#include "test_folder.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PAD_WITH(reduce)                                                                                     \
    "slipstick: 1\nbodies:\n  pad:\n    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [8, 4]}}\n"         \
    "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: x}\n"                              \
    "    tractions: {top: [0, -1]}\n    reduce: " reduce "\n    probes: {heel: [0, 0], crown: [0, 0.5]}\n"   \
    "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}],\n"           \
    "         velocity: 0.2, law: {type: coulomb, mu: 0.5}}\n"

#define PAD_ON_BELT PAD_WITH("{modes: 8}")

enum { nodes = 45, along = 9 };

/* A field of two components at the nodes from a VTU file whose numbers are appended. */
static void read_field(const char *folder, const char *name, const char *field, double values[2 * nodes])
{
    char path[test_path_size], what[80];
    test_path(path, folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static char text[1 << 20];
    const size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = 0;
    snprintf(what, sizeof what, "Name=\"%s\"", field);
    const char *at = strstr(text, what), *data = NULL;
    assert_non_null(at);
    at = strstr(at, "offset=\"");
    assert_non_null(at);
    const long offset = strtol(at + 8, NULL, 10);
    for (size_t i = 0; i + 14 < size && !data; i++)
        data = memcmp(text + i, "<AppendedData", 13) == 0 ? text + i : NULL;
    assert_non_null(data);
    while (*data != '_')
        data++;
    uint64_t bytes;
    memcpy(&bytes, data + 1 + offset, sizeof bytes);
    const size_t components = bytes / sizeof(double) / nodes;
    assert_true(components == 2 || components == 3);
    for (size_t i = 0; i < nodes; i++)
        memcpy(values + 2 * i, data + 1 + offset + sizeof bytes + components * i * sizeof(double),
               2 * sizeof(double));
}

#define MOVES "simulate: {method: moreau, step: 1e-3, time: [0, 0.4], record: {every: 0.01, events: false}}\n"

/* Displacements of the frames are those of the probes, forces those of the contacts. */
static void check_frames(const char *text)
{
    char folder[test_path_size], frames[test_path_size];
    slip_model *model = parse(text);
    slip_result *result = run_as_said(model);
    int64_t count = 0;
    const double *heel = slip_result_series(result, "pad.heel.x", &count),
                 *crown = slip_result_series(result, "pad.crown.y", NULL),
                 *normal = slip_result_series(result, "belt[3].normal", NULL),
                 *force = slip_result_series(result, "belt[3].force", NULL);
    test_folder_make(folder);
    good(slip_result_save(ctx, result, folder));
    good(slip_export(ctx, folder, "vtu", test_path(frames, folder, "frames")));
    assert_true(count == 41);
    for (int64_t k = 0; k < count; k += 10) {
        char name[40];
        double u[2 * nodes], f[2 * nodes];
        snprintf(name, sizeof name, "frame-%04d.vtu", (int)k);
        read_field(frames, name, "displacement", u);
        read_field(frames, name, "contact force", f);
        near(u[0], heel[k], 1e-12, "heel");
        near(u[2 * (nodes - along) + 1], crown[k], 1e-12, "crown");
        near(f[4], force[k], 1e-12, "friction force");
        near(f[5], normal[k], 1e-12, "normal force");
    }
    char list[test_path_size];
    assert_int_equal(access(test_path(list, frames, "frames.pvd"), R_OK), 0);
    test_folder_remove(folder);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* Of bodies by their modes, and of whole ones, of which the run keeps frames beside its records. */
static void frames_are_those_of_the_run(void **state)
{
    (void)state;
    check_frames(PAD_ON_BELT MOVES);
    check_frames(PAD_WITH("none") MOVES);
}

/* The growing mode moves along the belt at its contact points that are closed, and a quarter of a period
 * later it is elsewhere. */
static void check_modes(const char *text)
{
    char folder[test_path_size], name[40];
    slip_model *model = parse(text);
    slip_modes_options options = slip_modes_options_default();
    slip_result *result = NULL;
    int64_t count = 0, grows = -1;
    double u[2][2 * nodes], moved = 0, turned = 0;
    int held = 0;
    options.about = "sliding";
    good(slip_modes_solve(ctx, model, &options, &result));
    const double *real = slip_result_series(result, "real", &count),
                 *mode = slip_result_series(result, "mode", NULL);
    for (int64_t k = count - 1; k >= 0; k--)
        grows = real[k] > 1e-6 ? k : grows;
    assert_true(grows >= 0);
    test_folder_make(folder);
    good(slip_result_save(ctx, result, folder));
    good(slip_export(ctx, folder, "vtu", NULL));
    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "mode-%d-%02d.vtu", (int)mode[grows], 6 * k);
        read_field(folder, name, "displacement", u[k]);
    }
    for (int i = 0; i < nodes; i++) {
        moved = fmax(moved, fabs(u[0][2 * i]));
        turned = fmax(turned, fabs(u[1][2 * i] - u[0][2 * i]));
        held += i < along && fabs(u[0][2 * i + 1]) < 1e-9;
    }
    assert_true(moved > 0.1 && turned > 0.01 && held >= 5);
    test_folder_remove(folder);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* Of reduced bodies, and of whole ones, of which the result keeps shapes. */
static void modes_that_grow_are_shown(void **state)
{
    (void)state;
    check_modes(PAD_ON_BELT "simulate: {method: moreau, step: 1e-3, time: [0, 1]}\n");
    check_modes(PAD_WITH("none") "simulate: {method: moreau, step: 1e-3, time: [0, 1]}\n");
}

/* Models without bodies have none. */
static void others_are_refused(void **state)
{
    char folder[test_path_size];
    slip_model *model = parse("slipstick: 1\ncoordinates: [x]\nmass: 1\nstiffness: 1\n"
                              "simulate: {time: [0, 1], initial: {x: 1}}\n");
    slip_result *result = run_as_said(model);
    (void)state;
    test_folder_make(folder);
    good(slip_result_save(ctx, result, folder));
    assert_int_equal(slip_export(ctx, folder, "vtu", NULL), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "there are none"));
    test_folder_remove(folder);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_those_of_the_run),
        cmocka_unit_test(modes_that_grow_are_shown),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
