/* Pictures, thinning of long curves, exports. */
#include "base/context.h"
#include "figure/axis.h"
#include "figure/figure.h"
#include "figure/notes.h"
#include "figure/thin.h"
#include "io/csv.h"
#include "io/file.h"
#include "result/result.h"
#include "test.h"
#include "test_folder.h"

#include <matio.h>

typedef struct fixture {
    slip_context *ctx;
    char folder[test_path_size];
    char logged[500];
    char written[20][test_path_size];
    int written_count;
} fixture;

static void remember_log(void *user, slip_log_level level, const char *message)
{
    fixture *f = user;
    (void)level;
    snprintf(f->logged, sizeof f->logged, "%s", message);
}

static void remember_written(void *user, const char *path)
{
    fixture *f = user;
    snprintf(f->written[f->written_count++], test_path_size, "%s", path);
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->ctx = slip_context_create();
    slip_context_set_log(f->ctx, remember_log, f);
    test_folder_make(f->folder);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    test_folder_remove(f->folder);
    slip_context_destroy(f->ctx);
    free(f);
    return 0;
}

/* A run with nasty names, a constant and a wave. */
static void save_run(fixture *f, int contact_count, int64_t count)
{
    static const char *const names[] = {"beam_tip", "still"}, *const contacts[] = {"pad_1"};
    slip_result *result;
    assert_int_equal(slip_result_create_run(f->ctx,
                                            &(slip_run_names){.n = 2,
                                                              .names = names,
                                                              .contact_count = contact_count,
                                                              .contact_names = contacts},
                                            &result),
                     SLIP_OK);
    assert_true(slip_table_reserve(&result->main, count));
    result->main.count = count;
    result->method = "smooth";
    result->title =
        slip_arena_string(&result->arena, "T_1 `touch made` $HOME \"it's\" \\n } { # @x %d\nnext");
    for (int k = 0; k < result->main.column_count; k++)
        for (int64_t i = 0; i < count; i++)
            slip_series_values(result, k)[i] = k == 0            ? 0.1 * (double)i
                                               : k < 4 || k == 7 ? sin(0.1 * (double)i + k)
                                                                 : 3;
    assert_int_equal(slip_result_save(f->ctx, result, f->folder), SLIP_OK);
    slip_result_destroy(result);
}

static void check_png(const char *folder, const char *name, unsigned width, unsigned height)
{
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    char path[test_path_size];
    unsigned char head[24];
    FILE *stream = fopen(test_path(path, folder, name), "rb");
    assert_non_null(stream);
    assert_int_equal(fread(head, 1, sizeof head, stream), sizeof head);
    fclose(stream);
    assert_memory_equal(head, signature, 8);
    assert_int_equal(head[18] * 256u + head[19], width);
    assert_int_equal(head[22] * 256u + head[23], height);
    assert_true(test_file_size(folder, name) > 5000);
}

static void plot_draws_the_standard_pictures(void **state)
{
    fixture *f = *state;
    slip_plot_options options = slip_plot_options_default();
    char path[test_path_size], command[2 * test_path_size];
    options.written = remember_written;
    options.user = f;
    save_run(f, 1, 300);
    assert_int_equal(slip_plot(f->ctx, f->folder, &options), SLIP_OK);
    assert_string_equal(f->logged, ""); /* gnuplot had nothing to complain about */
    assert_int_equal(f->written_count, 8);
    for (int k = 0; k < 8; k++)
        assert_int_equal(access(f->written[k], R_OK), 0);
    check_png(f->folder, "history.png", 1600, 1605);
    check_png(f->folder, "force-slip.png", 1600, 1200);
    /* one panel: `still` does not move, which the title says */
    check_png(f->folder, "phase.png", 1643, 1200);
    check_png(f->folder, "acceleration-velocity.png", 1643, 1200);
    assert_true(test_file_size(f->folder, "history.svg") > 5000);
    assert_int_equal(test_folder_count(f->folder), 3 + 8 + 2); /* no rests, and nothing was `made` */

    /* The script runs again by itself, without complaint. */
    assert_int_equal(unlink(test_path(path, f->folder, "phase.png")), 0);
    snprintf(command, sizeof command, "cd '%s' && gnuplot plot.gp > said 2>&1", f->folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(test_file_size(f->folder, "said"), 0);
    check_png(f->folder, "phase.png", 1643, 1200);
}

static void plot_without_contacts_has_no_force_pictures(void **state)
{
    fixture *f = *state;
    slip_plot_options options = slip_plot_options_default();
    save_run(f, 0, 2);
    assert_int_equal(slip_plot(f->ctx, f->folder, NULL), SLIP_OK);
    assert_string_equal(f->logged, "");
    assert_int_equal(test_file_size(f->folder, "force-slip.png"), -1);
    check_png(f->folder, "history.png", 1600, 1250);
    options.from = 5;
    assert_int_equal(slip_plot(f->ctx, f->folder, &options), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(f->ctx), "from 5 to 0.1"));
}

static char *read_file(const char *folder, const char *name)
{
    char path[test_path_size];
    slip_text text = {0};
    slip_context *ctx = slip_context_create();
    assert_int_equal(slip_file_read(ctx, test_path(path, folder, name), 1 << 20, &text), SLIP_OK);
    slip_context_destroy(ctx);
    return text.data;
}

/* A patch among other contacts has a picture of its own, and no place among the one-dimensional laws. */
static void plot_draws_patches(void **state)
{
    static const char *const names[] = {"x"}, *const contacts[] = {"belt", "pad"};
    static const int patches[] = {1};
    enum { count = 40 };
    fixture *f = *state;
    slip_result *result;
    char *script;
    assert_int_equal(slip_result_create_run(f->ctx,
                                            &(slip_run_names){.n = 1,
                                                              .names = names,
                                                              .contact_count = 2,
                                                              .contact_names = contacts,
                                                              .patch_count = 1,
                                                              .patches = patches},
                                            &result),
                     SLIP_OK);
    assert_true(slip_table_reserve(&result->main, count));
    result->main.count = count;
    result->method = "event";
    for (int k = 0; k < result->main.column_count; k++)
        for (int64_t i = 0; i < count; i++)
            slip_series_values(result, k)[i] = strstr(slip_result_series_name(result, k), "_y") ? 0
                                               : strstr(slip_result_series_name(result, k), ".mode")
                                                   ? SLIP_MODE_SLIP_PLUS
                                                   : sin(0.1 * (double)(i * (k + 1)));
    for (int64_t i = 0; i < count; i++)
        slip_series_values(result, 0)[i] = 0.1 * (double)i;
    assert_int_equal(slip_result_save(f->ctx, result, f->folder), SLIP_OK);
    slip_result_destroy(result);
    assert_int_equal(slip_plot(f->ctx, f->folder, NULL), SLIP_OK);
    assert_string_equal(f->logged, "");
    check_png(f->folder, "patch.png", 1600, 1540);
    script = read_file(f->folder, "plot.gp");
    assert_non_null(strstr(script, "title \"x\""));
    assert_null(strstr(script, "title \"y\"")); /* nothing but zeros */
    assert_non_null(strstr(script, "set xlabel \"slip velocity\""));
    free(script);
}

static void plot_keeps_to_the_time_span(void **state)
{
    fixture *f = *state;
    slip_plot_options options = slip_plot_options_default();
    slip_text data = {0};
    char path[test_path_size];
    save_run(f, 0, 300);
    options.from = 1;
    options.to = 2;
    assert_int_equal(slip_plot(f->ctx, f->folder, &options), SLIP_OK);
    assert_int_equal(slip_file_read(f->ctx, test_path(path, f->folder, "plot.dat"), 1 << 20, &data), SLIP_OK);
    assert_non_null(strstr(data.data, "# index 0: 11 records. Columns: 1 t, 2 beam_tip, 3 still"));
    slip_text_free(&data);
}

static void plot_of_nothing_and_of_one_record(void **state)
{
    fixture *f = *state;
    save_run(f, 1, 0);
    assert_int_equal(slip_plot(f->ctx, f->folder, NULL), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(f->ctx), "nothing was recorded"));
    save_run(f, 1, 1);
    assert_int_equal(slip_plot(f->ctx, f->folder, NULL), SLIP_OK);
    assert_string_equal(f->logged, "");
}

static void missing_gnuplot_keeps_the_script(void **state)
{
    fixture *f = *state;
    char *search = strdup(getenv("PATH"));
    save_run(f, 1, 50);
    setenv("PATH", f->folder, 1);
    assert_int_equal(slip_plot(f->ctx, f->folder, NULL), SLIP_ERROR_IO);
    setenv("PATH", search, 1);
    free(search);
    assert_non_null(strstr(slip_context_message(f->ctx), "gnuplot is not installed"));
    assert_non_null(strstr(slip_context_message(f->ctx), "plot.gp is there to be run later"));
    assert_true(test_file_size(f->folder, "plot.gp") > 0);
    assert_true(test_file_size(f->folder, "plot.dat") > 0);
    assert_int_equal(test_folder_count(f->folder), 3 + 2);
}

static void figure_takes_what_it_is_given(void **state)
{
    fixture *f = *state;
    double x[50], y[50], gaps[50];
    for (int k = 0; k < 50; k++) {
        x[k] = k;
        y[k] = 1e-5 * k * k + 1;
        gaps[k] = k % 7 ? -x[k] : (double)NAN;
    }
    slip_curve curves[] = {
        {.x = x, .y = y, .count = 50, .label = "one"},
        {.x = x, .y = gaps, .count = 50, .label = "two", .style = SLIP_CURVE_DASHED},
        {.x = x, .y = y, .count = 20, .label = "three", .style = SLIP_CURVE_POINTS, .color = 7},
        {.label = "empty"}};
    slip_panel panels[] = {
        {.title = "first", .x_label = "x", .y_label = "y", .curves = curves, .curve_count = 4},
        {.title = NULL},
        {.title = "third", .x_label = "x", .y_label = "y", .curves = curves + 1, .curve_count = 1},
        {.title = "nothing", .x_label = "x", .y_label = "y", .curves = curves + 3, .curve_count = 1}};
    slip_figure figure = {.name = "case 1", .panels = panels, .panel_count = 4, .columns = 2, .width = 1000};
    assert_int_equal(slip_figure_plot(f->ctx, &figure, f->folder, remember_written, f), SLIP_OK);
    assert_string_equal(f->logged, "");
    /* a row for each of the names, which are as wide as the panels; what is not seen has none */
    check_png(f->folder, "case 1.png", 1000, 1540);
    assert_int_equal(f->written_count, 2);
    assert_int_equal(test_folder_count(f->folder), 4);
}

/* ---- Surfaces, maps, logarithmic axes, one legend. */

static void surfaces_are_drawn_in_space_and_as_maps(void **state)
{
    enum { rows = 5, columns = 4 };
    fixture *f = *state;
    double x[rows * columns], y[rows * columns], z[rows * columns];
    const slip_figure_surface surface = {x, y, z, rows, columns};
    const slip_curve outline = {.x = x, .y = y, .count = 2}, mark = {.x = x, .y = z, .count = 1};
    const slip_curve over[2] = {outline, {.x = x, .y = z, .count = 1, .style = SLIP_CURVE_POINTS}};
    const slip_panel panels[3] = {
        {.title = "space", .x_label = "a", .y_label = "b", .z_label = "c", .surface = &surface},
        {.title = "map", .z_label = "c", .surface = &surface, .map = true, .curves = over, .curve_count = 2},
        {.title = "curves", .curves = &mark, .curve_count = 1}};
    slip_figure figure = {.name = "case", .title = "all", .panels = panels, .panel_count = 3, .columns = 3};
    char *data, *script;
    for (int i = 0; i < rows * columns; i++) {
        x[i] = i / columns == 2 ? (double)NAN : i % columns; /* the third row parts it in two */
        y[i] = i / columns == 2 ? (double)NAN : (double)(i / columns);
        z[i] = i / columns == 2 ? NAN : x[i] * y[i];
    }
    assert_int_equal(slip_figure_plot(f->ctx, &figure, f->folder, remember_written, f), SLIP_OK);
    assert_string_equal(f->logged, "");
    check_png(f->folder, "case.png", 2400, 685);
    data = read_file(f->folder, "case.dat");
    /* Two blocks of curves, then both surfaces: rows apart by an empty line. */
    assert_non_null(strstr(data,
                           "# index 2: 5 rows of 4 points. Columns: 1 a, 2 b, 3 c\n0 0 0\n1 0 0\n2 0 0\n3 0 "
                           "0\n\n0 1 0\n1 1 1\n2 1 2\n3 1 3\n\nnan nan nan\n"));
    assert_non_null(strstr(data, "# index 3: 5 rows of 4 points. Columns: 1 x, 2 y, 3 c\n"));
    script = read_file(f->folder, "case.gp");
    assert_non_null(strstr(script, "splot data index 2 using 1:2:3 with pm3d\n"));
    assert_non_null(strstr(script, "splot data index 3 using 1:2:3 with pm3d notitle, \\\n"));
    free(data);
    free(script);
}

/* The heights of a surface in space are no bounds for the values of a map after it. */
static void a_map_has_a_scale_of_its_own(void **state)
{
    fixture *f = *state;
    const double x[] = {0, 1, 0, 1}, y[] = {0, 0, 1, 1}, low[] = {0, 0.1, 0.1, 0.2},
                 high[] = {50, 50, 50, 50};
    const slip_figure_surface space = {x, y, low, 2, 2}, values = {x, y, high, 2, 2};
    const slip_curve outline = {.x = x, .y = y, .count = 2};
    const slip_panel panels[2] = {
        {.x_label = "a", .y_label = "b", .z_label = "c", .surface = &space},
        {.z_label = "c", .surface = &values, .map = true, .curves = &outline, .curve_count = 1}};
    slip_figure figure = {.name = "case", .panels = panels, .panel_count = 2, .columns = 2};
    assert_int_equal(slip_figure_plot(f->ctx, &figure, f->folder, NULL, NULL), SLIP_OK);
    assert_string_equal(f->logged, ""); /* gnuplot warns of an empty range where no value is left */
}

static void logarithmic_axes_leave_out_what_is_not_positive(void **state)
{
    fixture *f = *state;
    const double x[] = {1e-6, 1e-3, 1, -5}, y[] = {10, 0, 1000, 7};
    const slip_curve curve = {.x = x, .y = y, .count = 4, .label = "c"};
    const slip_panel panels[2] = {{.curves = &curve, .curve_count = 1, .log_x = true, .log_y = true},
                                  {.curves = &curve, .curve_count = 1, .x_step = 0.25}};
    slip_figure figure = {.name = "case", .panels = panels, .panel_count = 2, .columns = 2};
    char *script;
    assert_int_equal(slip_figure_plot(f->ctx, &figure, f->folder, NULL, NULL), SLIP_OK);
    assert_string_equal(f->logged, "");
    script = read_file(f->folder, "case.gp");
    assert_non_null(strstr(script, "set logscale x\n    set xrange [4.36515832e-07:2.29086765]; set xtics "
                                   "(\"10⁻⁶\" 1e-6, \"10⁻⁵\" 1e-5"));
    assert_non_null(strstr(script, "set logscale y\n    set yrange [5.19761279:1346.77212]; set ytics "
                                   "(\"10\" 1e1, \"10²\" 1e2, \"10³\" 1e3)\n"));
    assert_non_null(strstr(script, "    unset logscale\n"));
    assert_non_null(strstr(script, "]; set xtics 0.25\n"));
    free(script);
}

/* Cells that touch are one rectangle, along the axis in which they follow each other; together they cover
 * what the cells do. Here all of a grid but a row, a cell and what is not finite, column by column and row by
 * row. */
static void cells_that_touch_are_one(void **state)
{
    enum { n = 20 };
    fixture *f = *state;
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        double x[n * n], y[n * n], row[4], area = 0;
        int count = 0, rectangles = 0;
        for (int k = 0; k < n * n; k++) {
            const int i = by_rows ? k % n : k / n, j = by_rows ? k / n : k % n;
            x[count] = 0.1 * i - 1;
            y[count] = i == 7 && j == 7 ? NAN : 3.0 * j;
            count += i != 4 && !(i == 12 && j == 10);
        }
        const slip_curve curve = {
            .x = x, .y = y, .count = count, .style = SLIP_CURVE_CELLS, .cell = {0.1, 3}};
        const slip_panel panel = {.curves = &curve, .curve_count = 1};
        const slip_figure figure = {.name = "cells", .panels = &panel, .panel_count = 1};
        assert_int_equal(slip_figure_plot(f->ctx, &figure, f->folder, NULL, NULL), SLIP_OK);
        char *data = read_file(f->folder, "cells.dat");
        for (const char *at = strchr(data, '\n'); at && at[1]; at = strchr(at + 1, '\n'), rectangles++) {
            assert_int_equal(sscanf(at, "%lf %lf %lf %lf", &row[0], &row[1], &row[2], &row[3]), 4);
            area += 4 * row[2] * row[3];
        }
        free(data);
        assert_int_equal(rectangles, by_rows ? 2 * n + 2 : n - 1 + 2);
        assert_true(fabs(area - 0.3 * (n * (n - 1) - 2)) < 1e-6);
    }
}

/* How often a letter stands in a file. */
static int count_letter(const char *folder, const char *name, int letter)
{
    char path[test_path_size];
    FILE *file = fopen(test_path(path, folder, name), "r");
    int count = 0;
    assert_non_null(file);
    for (int c = getc(file); c != EOF; c = getc(file))
        count += c == letter;
    fclose(file);
    return count;
}

/* A number that is not finite lifts the pen: in the SVG there is one more `M` (move to). */
static void gaps_are_not_bridged(void **state)
{
    fixture *f = *state;
    double x[9], y[9];
    slip_curve curve = {.x = x, .y = y, .count = 9};
    slip_panel panel = {.curves = &curve, .curve_count = 1};
    slip_figure figure = {.name = "whole", .panels = &panel, .panel_count = 1};
    for (int k = 0; k < 9; k++)
        x[k] = y[k] = k;
    assert_int_equal(slip_figure_plot(f->ctx, &figure, f->folder, NULL, NULL), SLIP_OK);
    y[4] = NAN;
    figure.name = "split";
    assert_int_equal(slip_figure_plot(f->ctx, &figure, f->folder, NULL, NULL), SLIP_OK);
    assert_int_equal(count_letter(f->folder, "split.svg", 'M'),
                     count_letter(f->folder, "whole.svg", 'M') + 1);
}

/* How often a text stands in the script. */
static int count_text(const char *folder, const char *name, const char *what)
{
    char path[test_path_size], line[4096];
    FILE *file = fopen(test_path(path, folder, name), "r");
    int count = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        for (const char *at = strstr(line, what); at; at = strstr(at + 1, what))
            count++;
    fclose(file);
    return count;
}

/* A grid whose labels mean the same in every panel has one legend; where they do not, each panel has its own.
 */
static void grid_has_one_legend(void **state)
{
    fixture *f = *state;
    const double x[2] = {0, 1}, y[2] = {0, 5};
    slip_curve curves[3] = {{.x = x, .y = y, .count = 2, .label = "stick", .color = 3},
                            {.x = x, .y = x, .count = 2, .label = "slip", .color = 1},
                            {.x = y, .y = x, .count = 2, .label = "stick", .color = 3}};
    slip_panel panels[2] = {{.curves = curves, .curve_count = 2}, {.curves = curves + 2, .curve_count = 1}};
    slip_figure figure = {.name = "one", .panels = panels, .panel_count = 2, .columns = 2};
    assert_int_equal(slip_figure_plot(f->ctx, &figure, f->folder, NULL, NULL), SLIP_OK);
    assert_int_equal(count_text(f->folder, "one.gp", "\"stick\""), 1);
    assert_int_equal(count_text(f->folder, "one.svg", ">stick<"), 1);
    assert_int_equal(count_text(f->folder, "one.svg", ">slip<"), 1);
    curves[2].color = 2;
    figure.name = "two";
    assert_int_equal(slip_figure_plot(f->ctx, &figure, f->folder, NULL, NULL), SLIP_OK);
    assert_int_equal(count_text(f->folder, "two.svg", ">stick<"), 2);
}

static void panels_share_ranges(void **state)
{
    fixture *f = *state;
    const double x[2] = {0, 9}, y[2] = {0, 50}, zoom[2] = {0, 8}, late[2] = {250, 350};
    slip_curve curves[4] = {{.x = x, .y = x, .count = 2},
                            {.x = zoom, .y = y, .count = 2},
                            {.x = late, .y = x, .count = 2},
                            {.x = x, .y = y, .count = 2}};
    slip_panel panels[4] = {{.curves = curves, .curve_count = 1},
                            {.curves = curves + 1, .curve_count = 1},
                            {.curves = curves + 2, .curve_count = 1, .y_low = -4, .y_high = 4},
                            {.curves = curves + 3, .curve_count = 1}};
    slip_figure figure = {
        .name = "shared", .panels = panels, .panel_count = 4, .columns = 2, .rows_share_y = true};
    assert_int_equal(slip_figure_plot(f->ctx, &figure, f->folder, NULL, NULL), SLIP_OK);
    assert_int_equal(count_text(f->folder, "shared.gp", "yrange [-3:53]"), 3);
    assert_int_equal(count_text(f->folder, "shared.gp", "yrange [-4:4]"), 1);
    assert_int_equal(count_text(f->folder, "shared.gp", "xrange [0:9]; set xtics 2"), 2);
    assert_int_equal(count_text(f->folder, "shared.gp", "xrange [0:8]; set xtics 2"), 1);
    assert_int_equal(count_text(f->folder, "shared.gp", "xrange [250:350]; set xtics 25"), 1);
}

/* What varies less than tics can tell is drawn as a constant: gnuplot refuses an empty range. */
static void almost_constant_is_constant(void **state)
{
    fixture *f = *state;
    const double x[3] = {0, 1, 2}, y[3] = {5, 5 + 2e-10, 5 - 1e-10};
    slip_curve curve = {.x = x, .y = y, .count = 3};
    slip_panel panel = {.curves = &curve, .curve_count = 1};
    slip_figure figure = {.name = "flat", .panels = &panel, .panel_count = 1};
    assert_int_equal(slip_figure_plot(f->ctx, &figure, f->folder, NULL, NULL), SLIP_OK);
    assert_string_equal(f->logged, "");
    assert_int_equal(count_text(f->folder, "flat.gp", "yrange [4.5:5.5]"), 1);
}

/* A contact without friction: no empty pictures, and its normal force where it varies. */
static void plot_shows_the_forces_there_are(void **state)
{
    static const char *const names[] = {"y"}, *const contacts[] = {"floor"};
    enum { count = 50 };
    fixture *f = *state;
    slip_result *result;
    assert_int_equal(
        slip_result_create_run(
            f->ctx, &(slip_run_names){.n = 1, .names = names, .contact_count = 1, .contact_names = contacts},
            &result),
        SLIP_OK);
    assert_true(slip_table_reserve(&result->main, count));
    result->main.count = count;
    result->method = "event";
    for (int k = 0; k < result->main.column_count; k++)
        for (int i = 0; i < count; i++)
            slip_series_values(result, k)[i] = k == 0 ? i : 0;
    for (int i = count / 2; i < count; i++)
        slip_series_values(result, slip_series_contact(1, 0, 1))[i] = 9.81;
    assert_int_equal(slip_result_save(f->ctx, result, f->folder), SLIP_OK);
    slip_result_destroy(result);
    assert_int_equal(slip_plot(f->ctx, f->folder, NULL), SLIP_OK);
    assert_int_equal(test_file_size(f->folder, "force-slip.png"), -1);
    assert_int_equal(count_text(f->folder, "plot.gp", "normal force of floor"), 1);
    assert_int_equal(count_text(f->folder, "plot.gp", "friction"), 0);
}

/* ---- What a reader sees. */

/* A run of these coordinates with their units, over `count` records, whose numbers are sines of different
 * frequencies. */
static slip_result *make_run(fixture *f, int n, const char *const *names, const char *const *units, int count)
{
    slip_result *result;
    assert_int_equal(slip_result_create_run(f->ctx, &(slip_run_names){.n = n, .names = names}, &result),
                     SLIP_OK);
    assert_true(slip_table_reserve(&result->main, count));
    result->main.count = count;
    result->method = "event";
    result->title = slip_arena_string(&result->arena, "Run");
    for (int i = 0; i < count; i++)
        slip_series_values(result, 0)[i] = 0.1 * i;
    for (int k = 0; k < n; k++) {
        if (units)
            result->main.columns[slip_series_coordinate(k, 0)].unit =
                slip_arena_string(&result->arena, units[k]);
        for (int part = 0; part < 3; part++)
            for (int i = 0; i < count; i++)
                slip_series_values(result, slip_series_coordinate(k, part))[i] =
                    sin(0.1 * i * (k + 1) + part);
    }
    return result;
}

static void draw_run(fixture *f, slip_result *result, const slip_plot_options *options)
{
    assert_int_equal(slip_result_save(f->ctx, result, f->folder), SLIP_OK);
    slip_result_destroy(result);
    assert_int_equal(slip_plot(f->ctx, f->folder, options), SLIP_OK);
    assert_string_equal(f->logged, "");
}

/* Coordinates of different units share no panel, nor do their rates, whose units are not known; and where no
 * units are given angles stand by themselves. */
static void units_have_panels_of_their_own(void **state)
{
    static const char *const names[] = {"x", "lean", "y"}, *const units[] = {"mm", "rad", "mm"};
    static const char *const plain[] = {"x", "phi", "y"};
    fixture *f = *state;
    draw_run(f, make_run(f, 3, names, units, 50), NULL);
    check_png(f->folder, "history.png", 1600, 65 + 165 + 6 * 355 - 45);
    assert_int_equal(count_text(f->folder, "plot.gp", "set label 98 \"displacement [mm]\""), 1);
    assert_int_equal(count_text(f->folder, "plot.gp", "set label 98 \"lean [rad]\""), 1);
    draw_run(f, make_run(f, 3, plain, NULL, 50), NULL);
    check_png(f->folder, "history.png", 1600, 65 + 165 + 6 * 355 - 45);
    assert_int_equal(count_text(f->folder, "plot.gp", "set label 98 \"angle φ\""), 1);
}

/* A shaft that turns on: its angle is not drawn, its speed is. The phase picture says what it leaves out. */
static void angles_that_grow_are_drawn_as_rates(void **state)
{
    static const char *const names[] = {"x", "shaft"}, *const units[] = {"mm", "rad"};
    fixture *f = *state;
    slip_result *result = make_run(f, 2, names, units, 50);
    for (int i = 0; i < 50; i++)
        slip_series_values(result, slip_series_coordinate(1, 0))[i] = 3 * i + sin(i);
    draw_run(f, result, NULL);
    assert_int_equal(count_text(f->folder, "plot.gp", "shaft [rad]"), 0);
    assert_int_equal(count_text(f->folder, "plot.gp", "velocity shaft′"),
                     2); /* history, acceleration-velocity */
    assert_int_equal(
        count_text(f->folder, "plot.gp", "Run (1 of 2 coordinates; growing angles: rates in the history)"),
        1);
}

/* Of forty coordinates the history shows some, with their names, and the phase picture says how many. */
static void many_curves_fit_and_say_what_is_left_out(void **state)
{
    enum { n = 40 };
    const char *names[n];
    char text[n][20];
    fixture *f = *state;
    for (int k = 0; k < n; k++) {
        snprintf(text[k], sizeof text[k], "block_number_%d", k + 1);
        names[k] = text[k];
    }
    draw_run(f, make_run(f, n, names, NULL, 30), NULL);
    assert_int_equal(count_text(f->folder, "plot.gp", "displacement (8 of 40)"), 1);
    assert_int_equal(count_text(f->folder, "plot.gp", "Run (12 of 40 coordinates)"), 2);
    check_png(f->folder, "history.png", 1600,
              65 + 165 + 3 * (8 * 44 + 10 + 45) - 45); /* a line for each name */
}

/* A picture grows with the names in it: none is cut off. */
/* Probes and coordinates say more than what moves the vectors of elastic bodies, also of a result that was
 * read. */
static void coordinates_of_bodies_are_left_out(void **state)
{
    fixture *f = *state;
    static const char *const names[] = {"shaft", "pad_1", "pad_2"};
    for (int given = 1; given >= 0; given--) {
        slip_result *result;
        assert_int_equal(slip_result_create_run(
                             f->ctx,
                             &(slip_run_names){.n = 2 + given, .vector_count = 2, .names = names + 1 - given},
                             &result),
                         SLIP_OK);
        assert_true(slip_table_reserve(&result->main, 50));
        result->main.count = 50;
        for (int k = 0; k < result->main.column_count; k++)
            for (int i = 0; i < 50; i++)
                slip_series_values(result, k)[i] = k == 0 ? i : sin(0.3 * i + k);
        assert_int_equal(slip_result_save(f->ctx, result, f->folder), SLIP_OK);
        slip_result_destroy(result);
        assert_int_equal(slip_plot(f->ctx, f->folder, NULL), SLIP_OK);
        char *script = read_file(f->folder, "plot.gp");
        assert_true((strstr(script, "shaft") != NULL) == (given == 1));
        assert_true((strstr(script, "pad_1") != NULL) == (given == 0));
        free(script);
    }
}

static void long_names_make_pictures_wider(void **state)
{
    fixture *f = *state;
    const double x[2] = {0, 1}, y[2] = {0, 5};
    slip_curve curves[3] = {
        {.x = x, .y = y, .count = 2, .label = "a name of a curve that is as long as a whole line"},
        {.x = x, .y = x, .count = 2, .label = "short"},
        {.x = y, .y = x, .count = 2, .label = "stick"}};
    slip_panel panels[2] = {{.curves = curves, .curve_count = 3}, {.curves = curves, .curve_count = 3}};
    slip_figure figure = {.name = "wide", .panels = panels, .panel_count = 1};
    assert_int_equal(slip_figure_plot(f->ctx, &figure, f->folder, NULL, NULL), SLIP_OK);
    check_png(f->folder, "wide.png", 1600 + 120 + 17 * 49 - 560, 1200);
    /* Beside each other: two rows of names above the panels. */
    figure = (slip_figure){.name = "grid", .panels = panels, .panel_count = 2, .columns = 2, .width = 1000};
    assert_int_equal(slip_figure_plot(f->ctx, &figure, f->folder, NULL, NULL), SLIP_OK);
    check_png(f->folder, "grid.png", 1000, 620 + 2 * 50);
}

/* A line that lies on another one is dashed, so that both are seen; others are not. */
static void close_curves_are_told_apart(void **state)
{
    enum { count = 100 };
    fixture *f = *state;
    double x[count], y[3][count];
    for (int i = 0; i < count; i++) {
        x[i] = i;
        y[0][i] = sin(0.1 * i);
        y[1][i] = y[0][i] + 1e-3;
        y[2][i] = cos(0.1 * i);
    }
    slip_curve curves[3];
    for (int k = 0; k < 3; k++)
        curves[k] = (slip_curve){.x = x,
                                 .y = y[k],
                                 .count = count,
                                 .label = k == 0   ? "a"
                                          : k == 1 ? "b"
                                                   : "c"};
    slip_panel panel = {.curves = curves, .curve_count = 3};
    slip_figure figure = {.name = "close", .panels = &panel, .panel_count = 1};
    assert_int_equal(slip_figure_plot(f->ctx, &figure, f->folder, NULL, NULL), SLIP_OK);
    assert_int_equal(count_text(f->folder, "close.gp", "linestyle 1 title \"a\""), 1);
    assert_int_equal(count_text(f->folder, "close.gp", "linestyle 2 dashtype 2 title \"b\""), 1);
    assert_int_equal(count_text(f->folder, "close.gp", "linestyle 3 title \"c\""), 1);
}

/* A line that stays at one place is a point, and one that is nowhere has no name. */
static void lines_without_length_are_points(void **state)
{
    fixture *f = *state;
    const double x[] = {0, 1, 2}, still[] = {1, 1, 1}, y[] = {3, 4, 5}, none[] = {NAN, NAN, NAN};
    const slip_curve curves[3] = {{.x = x, .y = y, .count = 3, .label = "line"},
                                  {.x = still, .y = still, .count = 3, .label = "rest"},
                                  {.x = x, .y = none, .count = 3, .label = "nowhere"}};
    const slip_panel panel = {.curves = curves, .curve_count = 3};
    const slip_figure figure = {.name = "lone", .panels = &panel, .panel_count = 1};
    assert_int_equal(slip_figure_plot(f->ctx, &figure, f->folder, NULL, NULL), SLIP_OK);
    assert_int_equal(count_text(f->folder, "lone.gp", "with points linestyle 2"), 1);
    assert_int_equal(count_text(f->folder, "lone.gp", "title \"rest\""), 1);
    assert_int_equal(count_text(f->folder, "lone.gp", "nowhere\""), 0);
}

/* At an impact the velocity jumps and the friction with it: nothing between is drawn, in the portrait of the
 * displacement the jump of the velocity is. */
static void jumps_of_both_axes_are_gaps(void **state)
{
    static const char *const names[] = {"x"};
    fixture *f = *state;
    slip_result *result = make_run(f, 1, names, NULL, 50);
    double *t = slip_series_values(result, 0);
    t[25] = t[24];
    slip_series_values(result, slip_series_coordinate(0, 0))[25] =
        slip_series_values(result, slip_series_coordinate(0, 0))[24];
    draw_run(f, result, NULL);
    assert_int_equal(count_text(f->folder, "plot.dat", "index 1: 51 records"), 1);
    assert_int_equal(count_text(f->folder, "plot.dat", "index 2"), 0);
    assert_int_equal(count_text(f->folder, "plot.dat", " nan\n"), 1);
}

/* Greek letters, primes, powers, minus signs and products are written in one way, in every text. */
static void words_are_printed_alike(void **state)
{
    static const char *const texts[][2] = {
        {"phi'' [rad/s^2]", "φ′′ [rad/s²]"},
        {"mu N = -2.5e-3", "μ N = −2.5·10⁻³"},
        {"penalty 1e+10 N/m, 1e8, 20e5, x1e5, 3ex", "penalty 10¹⁰ N/m, 10⁸, 20·10⁵, x1e5, 3ex"},
        {"M [N*m]", "M [N·m]"},
        {"Coulomb's law, x-y plane, 50-200", "Coulomb's law, x-y plane, 50-200"},
        {"eta'(eta), beta_1, meta", "η′(η), β_1, meta"},
        {"k [s^-1] - k0", "k [s⁻¹] − k0"}};
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        slip_text printed = {0};
        slip_script_print(&printed, texts[k][0]);
        assert_string_equal(printed.data, texts[k][1]);
        slip_text_free(&printed);
    }
}

/* Any two series over each other, in any format. */
static void two_series_are_drawn_over_each_other(void **state)
{
    fixture *f = *state;
    slip_plot_options options = slip_plot_options_default();
    options.written = remember_written;
    options.user = f;
    options.xy = "beam_tip,pad_1.force";
    options.formats = "pdf,png";
    save_run(f, 1, 100);
    assert_int_equal(slip_plot(f->ctx, f->folder, &options), SLIP_OK);
    assert_int_equal(f->written_count, 2);
    check_png(f->folder, "xy.png", 1600, 1200);
    assert_true(test_file_size(f->folder, "xy.pdf") > 5000);
    assert_int_equal(test_file_size(f->folder, "history.png"), -1);
    assert_int_equal(count_text(f->folder, "xy.gp", "set label 98 \"pad_1.force\""), 1);
    static const char *const wrong[][3] = {{"beam_tip", NULL, "expected the names of two series"},
                                           {"beam_tip,pad_1.forces", NULL, "such as `pad_1.force`"},
                                           {"t,beam_tip", "jpg", "expected png, svg or pdf"}};
    for (int k = 0; k < 3; k++) {
        options.xy = wrong[k][0];
        options.formats = wrong[k][1];
        assert_int_equal(slip_plot(f->ctx, f->folder, &options), SLIP_ERROR_USAGE);
        assert_non_null(strstr(slip_context_message(f->ctx), wrong[k][2]));
    }
}

/* ---- Thinning. */

static void thinning_keeps_extremes(void **state)
{
    enum { count = 200000 };
    double *x = malloc(count * sizeof *x), *y = malloc(count * sizeof *y);
    unsigned char *keep = malloc(count);
    uint64_t seed = 1;
    int64_t kept = 0, low = 0, high = 0;
    (void)state;
    for (int64_t i = 0; i < count; i++) {
        x[i] = (double)i;
        y[i] = sin(1e-3 * x[i]) + test_random(&seed, -0.1, 0.1);
    }
    y[123456] = 5; /* one record wide, like the end of an impact */
    y[65432] = -4;
    y[777] = NAN;
    assert_true(slip_thin_mark(x, y, count, keep));
    assert_true(keep[123456] && keep[65432] && keep[0] && keep[count - 1]);
    for (int64_t first = 0; first < count; first += 1000) { /* every piece of ten pieces has its extremes */
        low = high = first;
        for (int64_t i = first; i < first + 1000; i++) {
            low = y[i] < y[low] ? i : low;
            high = y[i] > y[high] ? i : high;
        }
        assert_true(keep[low] && keep[high]);
    }
    for (int64_t i = 0; i < count; i++)
        kept += keep[i] != 0;
    assert_true(kept <= 8000);
    free(x);
    free(y);
    free(keep);
}

/* Of numbers that are next to nothing there is no power of ten: the script would have a NaN. */
static void numbers_next_to_zero_have_an_axis(void **state)
{
    const double values[] = {0, 3e-322, -1e-320};
    slip_axis_range r = slip_range_finish(slip_range_of(values, 3), false);
    slip_text text = {0};
    (void)state;
    assert_true(r.high - r.low > 1e-3);
    slip_script_axis(&text, "x", r, slip_range_step(r, 5), true);
    assert_null(strstr(text.data, "nan"));
    slip_text_free(&text);
}

/* A thousand turns of one loop look like one; a spiral keeps all of its turns. */
/* Over a coordinate that mostly rests, and moves for a moment: nine tenths of the records are at one place.
 */
static void thinning_goes_by_the_picture_and_not_by_records(void **state)
{
    enum { count = 100000, moving = 10000 };
    double *x = malloc(count * sizeof *x), *y = malloc(count * sizeof *y);
    unsigned char *keep = malloc(count);
    int64_t last = 0;
    (void)state;
    for (int64_t i = 0; i < count; i++) {
        x[i] = i < count / 2 ? 0 : i < count / 2 + moving ? (double)(i - count / 2) / moving : 1;
        y[i] = sin(20 * x[i]);
    }
    assert_true(slip_thin_mark(x, y, count, keep));
    for (int64_t i = 0; i < count; i++) {
        if (keep[i]) {
            assert_true(x[i] - x[last] < 2.0 / 2000);
            last = i;
        }
    }
    free(x);
    free(y);
    free(keep);
}

static void thinning_keeps_the_look_of_loops(void **state)
{
    enum { count = 200000 };
    double *x = malloc(count * sizeof *x), *y = malloc(count * sizeof *y);
    unsigned char *keep = malloc(count);
    (void)state;
    for (int spiral = 0; spiral < 2; spiral++) {
        int64_t kept = 0, previous = -1, rightmost = 0;
        double worst = 0;
        for (int64_t i = 0; i < count; i++) {
            double radius = spiral ? exp(-1e-5 * (double)i) : 1;
            x[i] = radius * cos(0.01 * (double)i);
            y[i] = 3 * radius * sin(0.01 * (double)i);
            rightmost = x[i] > x[rightmost] ? i : rightmost;
        }
        assert_true(slip_thin_mark(x, y, count, keep));
        assert_true(keep[rightmost] != slip_thin_drop);
        for (int64_t i = 0; i < count; i++) {
            if (keep[i] == slip_thin_drop)
                continue;
            kept++;
            if (previous >= 0) { /* the chord's middle is as near to the loop as its ends are */
                double radius = spiral ? exp(-1e-5 * 0.5 * (double)(i + previous)) : 1;
                double off = hypot(0.5 * (x[i] + x[previous]), (y[i] + y[previous]) / 6) - radius;
                worst = fabs(off) > worst ? fabs(off) : worst;
            }
            previous = keep[i] == slip_thin_keep_and_lift ? -1 : i;
        }
        assert_true(worst < 1e-3);
        assert_true(spiral ? kept > 3000 && kept < 60000 : kept < 3000);
    }
    free(x);
    free(y);
    free(keep);
}

/* ---- Exports. */

static void export_writes_csv(void **state)
{
    fixture *f = *state;
    char path[test_path_size], *at, *fields[12];
    slip_text text = {0};
    slip_result *result;
    save_run(f, 1, 20);
    assert_int_equal(slip_export(f->ctx, f->folder, "csv", NULL), SLIP_OK);
    assert_int_equal(slip_file_read(f->ctx, test_path(path, f->folder, "result.csv"), 1 << 20, &text),
                     SLIP_OK);
    assert_int_equal(slip_result_load(f->ctx, f->folder, &result), SLIP_OK);
    at = text.data;
    assert_int_equal(slip_csv_row(&at, fields, 12), 11);
    for (int k = 0; k < 11; k++)
        assert_string_equal(fields[k], slip_result_series_name(result, k));
    for (int64_t i = 0; i < 20; i++) {
        assert_int_equal(slip_csv_row(&at, fields, 12), 11);
        for (int k = 0; k < 11; k++)
            assert_true(strtod(fields[k], NULL) == slip_series_values(result, k)[i]);
    }
    assert_int_equal(slip_csv_row(&at, fields, 12), 0);
    slip_text_free(&text);
    slip_result_destroy(result);
}

static void export_writes_mat_with_safe_names(void **state)
{
    fixture *f = *state;
    static const char *const names[] = {"x", "x_d", "2nd", "end"}, *const contacts[] = {"pad"};
    static const char *const expected[] = {
        "t",        "x",    "x_d",   "x_dd",   "x_d_2",    "x_d_d",      "x_d_dd",    "s_2nd",   "s_2nd_d",
        "s_2nd_dd", "end_", "end_d", "end_dd", "pad_slip", "pad_normal", "pad_force", "pad_mode"};
    char path[test_path_size];
    slip_result *result;
    mat_t *mat;
    slip_result_create_run(
        f->ctx, &(slip_run_names){.n = 4, .names = names, .contact_count = 1, .contact_names = contacts},
        &result);
    assert_true(slip_table_reserve(&result->main, 3));
    result->main.count = 3;
    for (int k = 0; k < result->main.column_count; k++)
        for (int i = 0; i < 3; i++)
            slip_series_values(result, k)[i] = result->main.columns[k].words ? i : 10 * (k % 5) + i;
    assert_int_equal(slip_result_save(f->ctx, result, f->folder), SLIP_OK);
    test_path(path, f->folder, "other name.mat");
    assert_int_equal(slip_export(f->ctx, f->folder, "mat", path), SLIP_OK);
    mat = Mat_Open(path, MAT_ACC_RDONLY);
    assert_non_null(mat);
    for (int k = 0; k < result->main.column_count; k++) {
        matvar_t *variable = Mat_VarRead(mat, expected[k]);
        assert_non_null(variable);
        assert_memory_equal(variable->data, slip_series_values(result, k), 3 * sizeof(double));
        Mat_VarFree(variable);
    }
    Mat_Close(mat);
    slip_result_destroy(result);
}

static void unknown_formats_are_refused(void **state)
{
    fixture *f = *state;
    assert_int_equal(slip_export(f->ctx, f->folder, "cvs", NULL), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(f->ctx), "did you mean `csv`"));
    assert_int_equal(slip_export(f->ctx, f->folder, "parquet", NULL), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(f->ctx), "expected csv, mat, or vtu where there are bodies"));
    assert_int_equal(slip_export(f->ctx, f->folder, "csv", NULL), SLIP_ERROR_IO);
    assert_int_equal(slip_export(f->ctx, f->folder, "vtu", NULL), SLIP_ERROR_IO);
    save_run(f, 1, 20);
    assert_int_equal(slip_export(f->ctx, f->folder, "vtu", NULL), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(f->ctx), "is for results with bodies"));
}

/* Words beside points on a line: at a place that no curve, no other word and no edge takes. */
static void words_stand_clear(void **state)
{
    const double width = 800, height = 600, character = 17;
    const slip_axis_range unit = {0, 1, false, false};
    (void)state;
    for (int turn = 0; turn < 16; turn++) {
        /* Two rays from a point, and another point near it on the first. */
        const double first = 2 * 3.14159265358979 * turn / 16, second = first + 1.9;
        const double x[3] = {0.5 + cos(first), 0.5, 0.5 + cos(second)};
        const double y[3] = {0.5 + sin(first), 0.5, 0.5 + sin(second)};
        const slip_curve rays = {.x = x, .y = y, .count = 3};
        const slip_figure_note notes[2] = {{0.5, 0.5, "LP8"},
                                           {0.5 + 0.08 * cos(first), 0.5 + 0.08 * sin(first), "MC11"}};
        const slip_panel panel = {.curves = &rays, .curve_count = 1, .notes = notes, .note_count = 2};
        slip_note_place places[2];
        slip_notes_place(&panel, unit, unit, width, height, character, places);
        for (int k = 0; k < 2; k++)
            assert_true(
                slip_notes_covered(&panel, unit, unit, width, height, places[k].low, places[k].high) == 0);
        assert_true(places[0].low[0] >= places[1].high[0] || places[1].low[0] >= places[0].high[0] ||
                    places[0].low[1] >= places[1].high[1] || places[1].low[1] >= places[0].high[1]);
    }
    /* In the corner the word stays inside. */
    const slip_figure_note corner = {0.99, 0.99, "LP8"};
    const slip_panel empty = {.notes = &corner, .note_count = 1};
    slip_note_place place;
    slip_notes_place(&empty, unit, unit, width, height, character, &place);
    assert_true(place.side < 0 && place.dy < 0 && place.high[0] <= width && place.high[1] <= height);
    /* Of twelve words at one place those stay that do not lie on each other, the first one before all. */
    slip_figure_note many[12];
    slip_note_place where[12];
    for (int k = 0; k < 12; k++)
        many[k] = (slip_figure_note){0.5, 0.5, "MC11"};
    const slip_panel full = {.notes = many, .note_count = 12};
    slip_notes_place(&full, unit, unit, width, height, character, where);
    assert_true(!where[0].crowded && where[11].crowded);
    for (int k = 0; k < 12; k++)
        for (int i = 0; i < k; i++)
            assert_true(where[k].crowded || where[i].crowded || where[k].low[0] >= where[i].high[0] ||
                        where[i].low[0] >= where[k].high[0] || where[k].low[1] >= where[i].high[1] ||
                        where[i].low[1] >= where[k].high[1]);
    /* A line through a box of 40 by 20 pixels from corner to corner. */
    const double x[2] = {0, 1}, y[2] = {0, 1}, low[2] = {0, 0}, high[2] = {40, 20};
    const slip_curve line = {.x = x, .y = y, .count = 2};
    const slip_panel crossed = {.curves = &line, .curve_count = 1};
    assert_close(slip_notes_covered(&crossed, unit, unit, 40, 20, low, high), sqrt(2000), 1e-12);
    assert_close(slip_notes_covered(&crossed, unit, unit, 80, 40, low, high), sqrt(2000), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plot_draws_the_standard_pictures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(plot_without_contacts_has_no_force_pictures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(plot_draws_patches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(plot_keeps_to_the_time_span, set_up, tear_down),
        cmocka_unit_test_setup_teardown(plot_of_nothing_and_of_one_record, set_up, tear_down),
        cmocka_unit_test_setup_teardown(missing_gnuplot_keeps_the_script, set_up, tear_down),
        cmocka_unit_test_setup_teardown(figure_takes_what_it_is_given, set_up, tear_down),
        cmocka_unit_test_setup_teardown(surfaces_are_drawn_in_space_and_as_maps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_map_has_a_scale_of_its_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(logarithmic_axes_leave_out_what_is_not_positive, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cells_that_touch_are_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(gaps_are_not_bridged, set_up, tear_down),
        cmocka_unit_test_setup_teardown(grid_has_one_legend, set_up, tear_down),
        cmocka_unit_test_setup_teardown(panels_share_ranges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(almost_constant_is_constant, set_up, tear_down),
        cmocka_unit_test_setup_teardown(plot_shows_the_forces_there_are, set_up, tear_down),
        cmocka_unit_test_setup_teardown(units_have_panels_of_their_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(angles_that_grow_are_drawn_as_rates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_curves_fit_and_say_what_is_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(coordinates_of_bodies_are_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_names_make_pictures_wider, set_up, tear_down),
        cmocka_unit_test_setup_teardown(close_curves_are_told_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_series_are_drawn_over_each_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_without_length_are_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(jumps_of_both_axes_are_gaps, set_up, tear_down),
        cmocka_unit_test(words_are_printed_alike),
        cmocka_unit_test(words_stand_clear),
        cmocka_unit_test(thinning_keeps_extremes),
        cmocka_unit_test(numbers_next_to_zero_have_an_axis),
        cmocka_unit_test(thinning_goes_by_the_picture_and_not_by_records),
        cmocka_unit_test(thinning_keeps_the_look_of_loops),
        cmocka_unit_test_setup_teardown(export_writes_csv, set_up, tear_down),
        cmocka_unit_test_setup_teardown(export_writes_mat_with_safe_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unknown_formats_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
