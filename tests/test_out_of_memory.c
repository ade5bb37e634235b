/* Every allocation fails once of reading models, right ones and wrong ones, of building them in C, and of
 * what is asked for by itself: laws, areas, texts, units for other simulators, figures. */
#include "out_of_memory.h"

static int describe(slip_context *ctx, slip_model *model, const char *unused, memory_answer *answer)
{
    (void)unused;
    const char *text = slip_model_describe(ctx, model);
    answer_text(answer, text);
    answer->unknown = false;
    return text ? SLIP_OK : SLIP_ERROR_MEMORY;
}

static int read_file(slip_context *ctx, slip_model *model, const char *name, memory_answer *answer)
{
    char path[test_path_size];
    slip_model *read = NULL;
    (void)model;
    const int status = slip_model_load_with(ctx, test_path(path, SLIPSTICK_SOURCE_DIR, name), NULL, &read);
    answer_number(answer, status >= 0 ? slip_model_coordinate_count(read) : 0);
    slip_model_destroy(read);
    return status;
}

static int no_force(void *user, double t, const double *q, const double *v, double *force, double *dforce_dq,
                    double *dforce_dv)
{
    (void)user, (void)t, (void)q, (void)v, (void)force, (void)dforce_dq, (void)dforce_dv;
    return 0;
}

/* A model of all that can be set. */
static int build(slip_context *ctx, slip_model *unused, const char *energy, memory_answer *answer)
{
    static const char *const names[] = {"x", "y"};
    slip_model *model = NULL;
    slip_result *result = NULL;
    slip_contact_options pad = slip_contact_options_default(), stop = pad, area = pad;
    slip_run_options options = slip_run_options_default();
    (void)unused;
    pad.name = "pad";
    pad.slip = "y'";
    pad.law = slip_law_default("coulomb");
    pad.law.mu = 0.3;
    stop.name = "stop";
    stop.kind = "unilateral";
    stop.gap = "2 - x";
    area.name = "area";
    area.kind = "patch";
    area.slip = "x'";
    area.slip_y = "y'";
    area.law.mu = 0.1;
    area.area.epsilon = 1e-2;
    int status = slip_model_create(ctx, 2, names, &model);
    if (status >= 0)
        status = slip_model_set_parameter(ctx, model, "F", 2);
    if (status >= 0 && energy)
        status = slip_model_set_energy(ctx, model, energy, "x^2 + y^2", "x'^2");
    else if (status >= 0) {
        status = slip_model_set_mass(ctx, model, (const double[]){1, 0, 0, 1});
        if (status >= 0)
            status = slip_model_set_damping(ctx, model, (const double[]){0.1, 0, 0, 0.1});
        if (status >= 0)
            status = slip_model_set_stiffness(ctx, model, (const double[]){2, -1, -1, 1});
        if (status >= 0)
            status = slip_model_set_force_function(ctx, model, no_force, NULL);
    }
    if (status >= 0)
        status = slip_model_set_input(ctx, model, "road", "cubic", 3, (const double[]){0, 1, 2},
                                      (const double[]){0, 1, 0});
    if (status >= 0)
        status = slip_model_set_force(ctx, model, "x", "F*sin(t) + road(t)");
    if (status >= 0)
        status = slip_model_set_state(ctx, model, "s", "x - s", 0);
    if (status >= 0)
        status = slip_model_set_output(ctx, model, "sum", "x + y");
    if (status >= 0)
        status = slip_model_set_unit(ctx, model, "x", "m");
    if (status >= 0)
        status = slip_model_add_contact(ctx, model, &pad);
    if (status >= 0)
        status = slip_model_add_contact(ctx, model, &stop);
    if (status >= 0 && !energy)
        status = slip_model_add_contact(ctx, model, &area);
    if (status >= 0)
        status = slip_model_set_initial(ctx, model, (const double[]){0.1, 0}, NULL);
    if (status >= 0)
        status = slip_model_set_initial_state(ctx, model, "s", 0.5);
    options.end = 0.2;
    options.method = energy ? "event" : "moreau";
    options.step = 0.1;
    if (status >= 0)
        status = slip_run(ctx, model, &options, &result);
    status = memory_finish(ctx, status, &result, answer);
    slip_model_destroy(model);
    return status;
}

static int build_bodies(slip_context *ctx, slip_model *unused, const char *friction, memory_answer *answer)
{
    slip_model *model = NULL;
    slip_statics *found = NULL;
    slip_body_options body = slip_body_options_default();
    slip_surface_options surface = slip_surface_options_default();
    (void)unused;
    body.name = "block";
    body.x[1] = body.y[1] = 1;
    body.elements[0] = body.elements[1] = 2;
    body.young = 100;
    body.poisson = 0.3;
    body.supports = &(slip_body_support){.set = "left", .x = 1, .y = 1};
    body.support_count = 1;
    body.springs = &(slip_body_spring){.set = "right", .stiffness = {1, 1}};
    body.spring_count = 1;
    body.tractions = &(slip_body_traction){.set = "top", .force = {NULL, "-p"}};
    body.traction_count = 1;
    surface.name = "ground";
    surface.first = "block.bottom";
    surface.point[1] = "0";
    surface.friction = friction;
    int status = slip_model_create_bodies(ctx, &model);
    if (status >= 0)
        status = slip_model_set_parameter(ctx, model, "p", 2);
    if (status >= 0)
        status = slip_model_add_body(ctx, model, &body);
    if (status >= 0)
        status = slip_model_add_surface(ctx, model, &surface);
    if (status >= 0)
        status = slip_statics_solve(ctx, model, NULL, &found);
    if (status >= 0)
        answer_number(answer, slip_statics_count(found));
    slip_statics_destroy(found);
    slip_model_destroy(model);
    return status;
}

/* ---- What is asked for by itself. */

static int area(slip_context *ctx, slip_model *model, const char *shape, memory_answer *answer)
{
    static const double corners[] = {0, 0, 1, 1, 0, 2, 0, 1, 1, 1, 1, 1};
    slip_patch_options options = slip_patch_options_default();
    slip_patch *patch = NULL;
    double direction[3], m = 0, b = 0, number = 0;
    (void)model;
    options.shape = shape;
    options.sides[0] = options.semi_axes[0] = 2;
    options.sides[1] = options.semi_axes[1] = 1;
    options.points = corners;
    options.point_count = strcmp(shape, "polygon") == 0 ? 3 : 4;
    if (strcmp(shape, "rectangle") == 0) {
        options.surface = "integral";
        options.table_tolerance = 3e-2;
    } else if (strcmp(shape, "ellipse") == 0) {
        options.fit = 1;
        options.order[0] = 1;
    } else if (strcmp(shape, "disc") == 0) {
        options.pressure = "expression";
        options.expression = "1 + x/4";
    }
    int status = slip_patch_create(ctx, &options, &patch);
    if (status >= 0)
        status = slip_patch_moment(ctx, patch, 1, 1, 1, &number);
    answer_number(answer, number);
    if (status >= 0)
        status = slip_patch_limit(ctx, patch, (const double[]){0.3, 0.1, 0.1}, &number, direction);
    answer_number(answer, number);
    if (status >= 0)
        status = slip_patch_fit(ctx, patch, (const int[]){1, 1}, &m, &b, &number);
    answer_number(answer, number);
    slip_patch_destroy(patch);
    return status;
}

/* Areas from all sides. */
static int areas(slip_context *ctx, slip_model *model, const char *name, memory_answer *answer)
{
    slip_result *result = NULL;
    const int status = slip_patch_study(ctx, 1, (const slip_patch *const[]){slip_model_patch(model, 0)},
                                        &name, NULL, NULL, &result);
    return memory_finish(ctx, status, &result, answer);
}

static int law(slip_context *ctx, slip_model *model, const char *type, memory_answer *answer)
{
    slip_law given = slip_law_default(type);
    double force = 0, derivative = 0;
    (void)model;
    given.mu = 0.3;
    given.velocity = 0.1;
    const int status = slip_law_evaluate(ctx, &given, 0.2, &force, &derivative);
    answer_number(answer, force);
    return status;
}

static int unit(slip_context *ctx, slip_model *model, const char *unused, memory_answer *answer)
{
    char folder[test_path_size], path[test_path_size];
    slip_fmu_contents contents = {.states = -1};
    slip_fmu_options options = slip_fmu_options_default();
    (void)unused;
    options.library = "/dev/null";
    const int status = slip_fmu_save(
        ctx, model, test_path(path, test_path(folder, memory_base, "out"), "unit.fmu"), &options, &contents);
    answer_number(answer, contents.states);
    return status;
}

static int figure(slip_context *ctx, slip_model *model, const char *folder, memory_answer *answer)
{
    static const double x[] = {0, 1, 2}, y[] = {0, 1, 4}, z[] = {0, 1, 2, 3, 4, 5, 6, 7, 8},
                        u[] = {0, 1, 2, 0, 1, 2, 0, 1, 2}, w[] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    static const unsigned char pixels[12];
    const slip_curve curves[] = {{.x = x, .y = y, .count = 3, .label = "a"}, {.x = x, .y = x, .count = 3}};
    const slip_figure_note note = {1, 1, "here"};
    const slip_figure_surface surface = {u, w, z, 3, 3};
    const slip_figure_image image = {pixels, 2, 2};
    const slip_panel panels[] = {
        {.title = "lines", .curves = curves, .curve_count = 2, .notes = &note, .note_count = 1},
        {.surface = &surface, .map = 1, .z_label = "z"},
        {.surface = &surface, .z_label = "z"},
        {.image = &image}};
    const slip_figure all = {.name = "all", .title = "All", .panels = panels, .panel_count = 4, .columns = 2};
    char path[test_path_size];
    (void)model, (void)answer;
    return slip_figure_plot(ctx, &all, test_path(path, memory_base, folder), NULL, NULL);
}

static int devices(slip_context *ctx, slip_model *model, const char *unused, memory_answer *answer)
{
    slip_device found[8] = {{.size = sizeof(slip_device)}};
    (void)model, (void)unused;
    const int count = slip_device_list(ctx, found, 8);
    answer_number(answer, count);
    return count < 0 ? count : SLIP_OK;
}

static const memory_job alone[] = {
    {"building", NULL, NULL, build, NULL, memory_whole},
    {"building by energies", NULL, NULL, build, "x'^2 + y'^2", memory_whole},
    {"building bodies", NULL, NULL, build_bodies, "0.3", memory_whole},
    {"matrices in files", NULL, NULL, read_file, "examples/beam/beam.yaml", memory_whole},
    {"a table of errors", NULL, NULL, read_file, "tests/models/many_errors.yaml", memory_refused},
    {"no file", NULL, NULL, read_file, "none.yaml", memory_refused},
    {"rectangle", NULL, NULL, area, "rectangle", memory_whole},
    {"ellipse", NULL, NULL, area, "ellipse", memory_whole},
    {"polygon", NULL, NULL, area, "polygon", memory_whole},
    {"points", NULL, NULL, area, "table", memory_whole},
    {"expression", NULL, NULL, area, "disc", memory_whole},
    {"areas", "disk-on-belt", NULL, areas, "disk", memory_whole},
    {"law", NULL, NULL, law, "stribeck", memory_whole},
    {"no law", NULL, NULL, law, "stribek", memory_refused},
    {"unit", "two-masses", NULL, unit, NULL, memory_whole},
    {"unit of bodies", "hinged-arm", NULL, unit, NULL, memory_whole},
    {"figure", NULL, NULL, figure, "out", memory_pieces},
    {"devices", NULL, NULL, devices, NULL, memory_whole},
};
MEMORY_TESTS(alone)

static void every_path_of_examples(void **state)
{
    (void)state;
    for (int k = 0; k < slip_example_count(); k++)
        if (!strstr(slip_example_text(slip_example_name(k)), "gear: ")) /* whose bodies are reduced */
            memory_let_fail(&(memory_job){slip_example_name(k), slip_example_name(k), NULL, describe, NULL,
                                          memory_whole});
    assert_int_equal(memory_faults, 0);
}

int main(void)
{
    return memory_run_tests((const struct CMUnitTest[]){cmocka_unit_test(every_path_of_examples),
                                                        cmocka_unit_test(every_path_of_alone)},
                            2, 4);
}
