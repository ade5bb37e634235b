/* Pictures and VTU files of bodies with the published solution. */
#include "blocks_reference.h"
#include "figure/plot_bodies.h"
#include "io/file.h"
#include "model_test.h"
#include "test_folder.h"

enum { m = 30 };

typedef struct solved {
    slip_model *model;
    double lambda[2 * m], *u;
    slip_mode modes[m];
} solved;

static solved solve(void)
{
    const reference_solution *s = &reference_solutions[1];
    solved p = {.model = parse(slip_example_text("two-blocks"))};
    slip_plane *plane = p.model->plane;
    assert_int_equal(slip_plane_finish(ctx, plane), SLIP_OK);
    for (int k = 0; k < m; k++) {
        p.lambda[k] = s->table[k][0];
        p.lambda[m + k] = s->table[k][1];
        p.modes[k] = s->table[k][0] == 0  ? SLIP_MODE_OPEN
                     : s->table[k][3] > 0 ? SLIP_MODE_SLIP_PLUS
                     : s->table[k][3] < 0 ? SLIP_MODE_SLIP_MINUS
                                          : SLIP_MODE_STICK;
    }
    p.u = slip_alloc(2 * slip_plane_node_count(plane), sizeof *p.u);
    assert_int_equal(slip_plane_displacements(ctx, plane, slip_plane_parameter_values(plane), p.lambda, p.u),
                     SLIP_OK);
    return p;
}

static void count_pictures(void *user, const char *path)
{
    *(int *)user += strstr(path, ".png") || strstr(path, ".svg") || strstr(path, ".pdf");
}

/* Where the text stands `times` times. */
static void expect_times(const char *folder, const char *name, const char *part, int times)
{
    char path[test_path_size];
    slip_text text = {0};
    int found = 0;
    assert_int_equal(slip_file_read(ctx, test_path(path, folder, name), 10000000, &text), SLIP_OK);
    for (const char *at = strstr(text.data, part); at; at = strstr(at + 1, part))
        found++;
    if (found != times)
        print_error("%s: `%s` stands %d times\n", name, part, found);
    assert_int_equal(found, times);
    slip_text_free(&text);
}

static void bodies_are_drawn(void **state)
{
    solved p = solve();
    const slip_bodies_options options = {.title = "Two elastic blocks, F = 0.3", .modes = p.modes};
    slip_plot_options plot = slip_plot_options_default();
    char folder[test_path_size];
    int count = 0;
    (void)state;
    test_folder_make(folder);
    plot.written = count_pictures;
    plot.user = &count;
    if (slip_bodies_draw(ctx, p.model->plane, p.u, p.lambda, &options, folder, &plot) < 0)
        print_error("%s\n", slip_context_message(ctx));
    assert_int_equal(count, 2);
    expect_times(folder, "bodies.gp", "displacements times 100, largest contact force 0.6659\"", 1);
    expect_times(folder, "bodies.gp", "Two elastic blocks", 1);
    /* Forces are arrows, contact points are marked by mode, and all of both meshes has lines. */
    expect_times(folder, "bodies.gp", "with vectors head", 1);
    expect_times(folder, "bodies.gp", "title \"stick\"", 1);
    expect_times(folder, "bodies.gp", "title \"slip\"", 1);
    expect_times(folder, "bodies.dat", ": 1800 rows of 2 points", 1); /* three for each of 600 elements */
    expect_times(folder, "bodies.dat", ": 3600 records", 1);
    test_folder_remove(folder);
    free(p.u);
    slip_model_destroy(p.model);
}

/* Also without forces, displacements and contacts. */
static void bodies_at_rest_are_drawn(void **state)
{
    slip_model *model =
        parse("slipstick: 1\nbodies:\n  a:\n    mesh: {block: {x: [0, 1], y: [0, 3], elements: [2, 6]}}\n"
              "    material: {young: 1, poisson: 0.3}\n    fix: [left]\n");
    double u[2 * 21] = {0};
    slip_plot_options plot = slip_plot_options_default();
    char folder[test_path_size];
    int count = 0;
    (void)state;
    assert_int_equal(slip_plane_finish(ctx, model->plane), SLIP_OK);
    test_folder_make(folder);
    plot.written = count_pictures;
    plot.user = &count;
    plot.formats = "pdf";
    assert_int_equal(slip_bodies_draw(ctx, model->plane, u, NULL, &(slip_bodies_options){0}, folder, &plot),
                     SLIP_OK);
    assert_int_equal(count, 1);
    test_folder_remove(folder);
    slip_model_destroy(model);
}

static void fields_are_written(void **state)
{
    solved p = solve();
    char folder[test_path_size], path[test_path_size];
    (void)state;
    test_folder_make(folder);
    assert_int_equal(
        slip_plane_write_vtu(ctx, p.model->plane, p.u, p.lambda, test_path(path, folder, "blocks.vtu")),
        SLIP_OK);
    expect_times(folder, "blocks.vtu", "<Piece NumberOfPoints=\"341\" NumberOfCells=\"300\">", 2);
    expect_times(folder, "blocks.vtu", "Name=\"contact force\" NumberOfComponents=\"3\"", 2);
    assert_int_equal(slip_plane_write_vtu(ctx, p.model->plane, p.u, NULL, "/nowhere/blocks.vtu"),
                     SLIP_ERROR_IO);
    test_folder_remove(folder);
    free(p.u);
    slip_model_destroy(p.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bodies_are_drawn, setup, teardown),
        cmocka_unit_test_setup_teardown(bodies_at_rest_are_drawn, setup, teardown),
        cmocka_unit_test_setup_teardown(fields_are_written, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
