/* A contact area from all sides: what the study prints and writes, against closed forms and best fits that
 * are known. */
#include "io/csv.h"
#include "io/file.h"
#include "patch/patch.h"
#include "slipstick/slipstick.h"
#include "study/patch/map.h"
#include "test.h"
#include "test_folder.h"

typedef struct fixture {
    slip_context *ctx;
    char folder[test_path_size];
    slip_text lines;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->ctx = slip_context_create();
    test_folder_make(f->folder);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    test_folder_remove(f->folder);
    slip_text_free(&f->lines);
    slip_context_destroy(f->ctx);
    free(f);
    return 0;
}

static void keep_line(void *user, const char *line)
{
    fixture *f = user;
    slip_text_printf(&f->lines, "%s\n", line);
}

static slip_patch *make(fixture *f, const slip_patch_options *options)
{
    slip_patch *patch;
    int status = slip_patch_create(f->ctx, options, &patch);
    if (status < 0)
        print_error("%s\n", slip_context_message(f->ctx));
    assert_int_equal(status, SLIP_OK);
    return patch;
}

static void study(fixture *f, const slip_patch_options *area, bool files)
{
    slip_patch *patch = make(f, area);
    slip_result *result = NULL;
    int status = slip_patch_study(f->ctx, 1, (const slip_patch *const[]){patch}, (const char *const[]){"pad"},
                                  keep_line, f, &result);
    if (status >= 0 && files)
        status = slip_result_save(f->ctx, result, f->folder);
    if (status >= 0 && files)
        status = slip_plot(f->ctx, f->folder, NULL);
    slip_result_destroy(result);
    if (status < 0)
        print_error("%s\n", slip_context_message(f->ctx));
    assert_int_equal(status, SLIP_OK);
    slip_patch_destroy(patch);
}

static void expect_line(fixture *f, const char *part)
{
    if (strstr(f->lines.data, part))
        return;
    print_error("lacks `%s`:\n%s", part, f->lines.data);
    fail();
}

/* A column of a CSV file; returns how many rows. */
static int read_column(fixture *f, const char *name, int column, double *values, int limit)
{
    char path[test_path_size], *fields[40];
    slip_text text = {0};
    int rows = -1; /* the header */
    assert_int_equal(slip_file_read(f->ctx, test_path(path, f->folder, name), 1 << 24, &text), SLIP_OK);
    for (char *at = text.data; slip_csv_row(&at, fields, 40) > 0; rows++)
        if (rows >= 0 && rows < limit)
            values[rows] = atof(fields[column]);
    slip_text_free(&text);
    return rows;
}

static void a_disc_is_what_it_is_known_to_be(void **state)
{
    fixture *f = *state;
    slip_patch_options disc = slip_patch_options_default();
    double m[5], b[5], rms[5], theta[200], along[200], moment[200];
    disc.surface = "integral";
    disc.radius = 0.5;
    study(f, &disc, true);
    expect_line(f, "pad: area 0.785398163, size 0.5, circular");
    expect_line(f, "c_2,0,0      0.250000000000");
    expect_line(f, "c_0,0,-1     0.666666666667");
    expect_line(f, "force along x alone          1.000000000\n");
    expect_line(f, "moment alone, over size      0.666666667\n");
    assert_int_equal(read_column(f, "pad-approximations.csv", 3, m, 5), 4);
    read_column(f, "pad-approximations.csv", 4, b, 5);
    read_column(f, "pad-approximations.csv", 5, rms, 5);
    assert_close(m[0], 1.7442684136846793, 1e-5);
    assert_close(b[0], 0.673487164679055, 1e-5);
    assert_close(rms[0], 0.0763229450160161, 1e-7);
    assert_close(m[3], 0.7648178849634693, 1e-5);
    assert_close(b[3], 0.4519607039965533, 1e-5);
    assert_close(rms[3], 0.021053647800632666, 1e-7);
    /* At 45 degrees the instantaneous centre is on the edge: T = 8/(3 pi), M = 32/(9 pi) - T. */
    assert_int_equal(read_column(f, "pad-directions.csv", 1, theta, 200), 181);
    read_column(f, "pad-directions.csv", 2, along, 200);
    read_column(f, "pad-directions.csv", 4, moment, 200);
    assert_close(theta[90], 45, 1e-12);
    assert_close(along[90], 0.84882636315677, 1e-10);
    assert_close(moment[90], 0.28294212105225835, 1e-10);
    for (int k = 0; k < 3; k++) {
        static const char *const names[] = {"pad-limit-surface.png", "pad-directions.png",
                                            "pad-pressure.svg"};
        assert_true(test_file_size(f->folder, names[k]) > 5000);
    }
    assert_true(test_file_size(f->folder, "pad.gp") > 0 && test_file_size(f->folder, "pad.dat") > 0);
}

static void an_own_approximation_stands_beside_the_best(void **state)
{
    fixture *f = *state;
    slip_patch_options disc = slip_patch_options_default();
    disc.static_ratio = 2;
    disc.b = 0.673487164679055;
    disc.m = 1.7442684136846793;
    study(f, &disc, false); /* no files */
    assert_int_equal(test_folder_count(f->folder), 0);
    expect_line(f, "own (0,0)    1.74426841   0.67348716    0.076323");
    expect_line(f, "    (0,0)        1.74426841   0.67348716    0.076323");
    expect_line(f, "stick holds 2 times as much");
}

static void the_limit_surface_is_the_gradient_of_its_support(void **state)
{
    enum { most = 4000 };
    static double T[3][most], phi[most], theta[most];
    fixture *f = *state;
    slip_patch_options block = slip_patch_options_default();
    int count;
    block.shape = "rectangle";
    block.sides[0] = 2;
    block.sides[1] = 1;
    block.pressure = "linear";
    block.linear[0] = 0.5;
    study(f, &block, true);
    count = read_column(f, "pad-limit-surface.csv", 0, phi, most);
    assert_int_equal(count, 49 * 73);
    read_column(f, "pad-limit-surface.csv", 1, theta, most);
    for (int k = 0; k < 3; k++)
        read_column(f, "pad-limit-surface.csv", 2 + k, T[k], most);
    /* Each point is the farthest of all in its own direction of motion: the surface is convex, and drawn
     * where it belongs, in the half that comes from symmetry too. */
    for (int i = 0; i < count; i += 97) {
        double p = phi[i] * 3.14159265358979323846 / 180, t = theta[i] * 3.14159265358979323846 / 180;
        const double q[3] = {cos(t) * cos(p), cos(t) * sin(p), sin(t)};
        double own = q[0] * T[0][i] + q[1] * T[1][i] + q[2] * T[2][i];
        for (int k = 0; k < count; k++)
            assert_true(q[0] * T[0][k] + q[1] * T[1][k] + q[2] * T[2][k] <= own + 1e-9);
    }
}

/* The map's cells integrate to the load, whatever pieces the area falls into. */
static double map_load(fixture *f, const slip_patch_options *options, int *pieces)
{
    slip_patch *patch = make(f, options);
    slip_arena arena = {0};
    slip_patch_map map = {0};
    double load = 0;
    assert_int_equal(slip_patch_map_make(f->ctx, patch, &arena, &map), SLIP_OK);
    const slip_figure_surface *s = &map.surface;
    *pieces = 0;
    for (int i = 0; i + 1 < s->rows; i++) {
        *pieces += isnan(s->x[(i + 1) * s->columns]);
        for (int j = 0; j + 1 < s->columns; j++) {
            int a = i * s->columns + j, b = a + 1, c = a + s->columns + 1, d = a + s->columns;
            double area =
                ((s->x[c] - s->x[a]) * (s->y[d] - s->y[b]) - (s->x[d] - s->x[b]) * (s->y[c] - s->y[a])) / 2;
            double mean = (s->z[a] + s->z[b] + s->z[c] + s->z[d]) / 4;
            load += isnan(area) ? 0 : fabs(area) * mean;
        }
    }
    slip_arena_free(&arena);
    slip_patch_destroy(patch);
    return load;
}

static void pressure_maps_carry_the_load(void **state)
{
    static const double corners[] = {0, 0, 3, 0, 3, 1, 1, 1, 1, 2, 0, 2};
    static const double grid[] = {0, 0, 1, 1, 0, 2, 3, 0, 1, 0, 2, 2, 1, 2, 1, 3, 2, 3};
    fixture *f = *state;
    slip_patch_options o = slip_patch_options_default();
    int pieces;
    o.radius = 0.3;
    o.pressure = "hertz";
    assert_close(map_load(f, &o, &pieces), 1, 5e-3);
    assert_int_equal(pieces, 1);
    o = slip_patch_options_default();
    o.shape = "annulus";
    o.inner = 1;
    o.outer = 2;
    assert_close(map_load(f, &o, &pieces), 1, 5e-3);
    assert_int_equal(pieces, 4);
    o = slip_patch_options_default();
    o.shape = "polygon";
    o.points = corners;
    o.point_count = 6;
    o.pressure = "expression";
    o.expression = "1 + x*y";
    assert_close(map_load(f, &o, &pieces), 1, 5e-3);
    assert_int_equal(pieces, 2);
    o = slip_patch_options_default();
    o.shape = "table";
    o.points = grid;
    o.point_count = 6;
    assert_close(map_load(f, &o, &pieces), 1, 1e-12); /* bilinear cells are what the table is */
    assert_int_equal(pieces, 0);
}

/* Phi of point loads for the velocity (v, 1, w), and its minimum over v and w: nested intervals, since it is
 * convex. */
static double dissipation(const double *rows, int count, double v, double w)
{
    double total = 0, sum = 0;
    for (int i = 0; i < count; i++) {
        sum += rows[3 * i + 2] * hypot(v - rows[3 * i + 1] * w, 1 + rows[3 * i] * w);
        total += rows[3 * i + 2];
    }
    return sum / total;
}

static double least_over_w(const double *rows, int count, double v)
{
    double low = -50, high = 50;
    for (int k = 0; k < 120; k++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (dissipation(rows, count, v, a) < dissipation(rows, count, v, b))
            high = b;
        else
            low = a;
    }
    return dissipation(rows, count, v, low);
}

static double least(const double *rows, int count)
{
    double low = -50, high = 50;
    for (int k = 0; k < 120; k++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (least_over_w(rows, count, a) < least_over_w(rows, count, b))
            high = b;
        else
            low = a;
    }
    return least_over_w(rows, count, low);
}

/* A heavy point: the body that is pushed along y turns about it. */
static void point_loads_hold_what_the_dissipation_says(void **state)
{
    static const double rows[] = {0, 0, 1, 1, 0.2, 2, -0.5, 0.3, 1};
    const double load[3] = {0, -1, 0};
    fixture *f = *state;
    slip_patch_options o = slip_patch_options_default();
    double ratio, direction[3];
    slip_patch *patch;
    o.shape = "table";
    o.points = rows;
    o.point_count = 3;
    o.surface = "integral";
    patch = make(f, &o);
    assert_int_equal(slip_patch_limit(f->ctx, patch, load, &ratio, direction), SLIP_OK);
    assert_close(1 / ratio, least(rows, 3), 1e-9);
    slip_patch_destroy(patch);
}

static void a_point_load_on_the_origin_leaves_orders_out(void **state)
{
    static const double rows[] = {0, 0, 1, 1, 0.2, 2, -0.5, 0.3, 1};
    fixture *f = *state;
    slip_patch_options o = slip_patch_options_default();
    double n1[5];
    o.shape = "table";
    o.points = rows;
    o.point_count = 3;
    o.surface = "integral";
    study(f, &o, true);
    expect_line(f, ", point loads");
    expect_line(f, "c_2,0,3            infinite");
    assert_int_equal(read_column(f, "pad-approximations.csv", 1, n1, 5), 2);
    assert_true(n1[0] == 0 && n1[1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_disc_is_what_it_is_known_to_be, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_own_approximation_stands_beside_the_best, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_limit_surface_is_the_gradient_of_its_support, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pressure_maps_carry_the_load, set_up, tear_down),
        cmocka_unit_test_setup_teardown(point_loads_hold_what_the_dissipation_says, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_point_load_on_the_origin_leaves_orders_out, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
