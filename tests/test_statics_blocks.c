/* The published example of two elastic blocks: forces, displacements and paths against reference numbers. */
#include "blocks_reference.h"
#include "model_test.h"
#include "simulation/scene.h"
#include "slipstick/statics.h"

enum { points = 30 };

static const char *const load_b[] = {"top_x=-1", "top_y=-2.5", "top_slope=0.5", "right_x=10", NULL};

static slip_model *blocks(const char *const *settings)
{
    return parse_with(slip_example_text("two-blocks"), settings);
}

/* ---- Solutions. */

static void check_solution(const reference_solution *expected)
{
    char friction[40];
    const char *settings[] = {friction, NULL};
    slip_statics *statics = NULL;
    double normal = 0, tangential = 0, scale = 0;
    snprintf(friction, sizeof friction, "F=%.17g", expected->friction);
    slip_model *model = blocks(settings);
    assert_int_equal(slip_statics_solve(ctx, model, NULL, &statics), SLIP_OK);
    assert_int_equal(slip_statics_count(statics), 1);
    assert_int_equal(slip_statics_contact_count(statics), points);
    assert_false(slip_statics_complete(statics));
    const slip_statics_solution *s = slip_statics_at(statics, 0);
    assert_int_equal(s->stability, 1);
    for (int k = 0; k < points; k++)
        scale = fmax(scale, fabs(expected->table[k][3]));
    for (int k = 0; k < points; k++) {
        assert_close(-s->state.normal[k], expected->table[k][0], 1e-8 * (0.01 + fabs(expected->table[k][0])));
        assert_close(s->state.tangential[k], expected->table[k][1],
                     1e-8 * (0.01 + fabs(expected->table[k][1])));
        assert_close(-s->state.gap[k], expected->table[k][2], 1e-8 * scale);
        assert_close(s->state.slip[k], expected->table[k][3], 1e-8 * scale);
        normal -= s->state.normal[k];
        tangential += s->state.tangential[k];
    }
    assert_close_relative(normal, expected->sum_normal, 1e-8);
    assert_close_relative(tangential, expected->sum_tangential, 1e-8);
    /* The bodies: the reference's totals, and balance with the load (2, -17.5) and the contact forces. */
    const slip_statics_body *bodies = s->bodies;
    assert_int_equal(s->body_count, 2);
    assert_string_equal(bodies[0].name, "upper");
    assert_close_relative(fmax(bodies[0].max_displacement, bodies[1].max_displacement),
                          expected->largest_displacement, 1e-8);
    assert_close_relative(bodies[0].strain_energy + bodies[1].strain_energy, expected->energy, 1e-8);
    assert_close(bodies[0].reaction[0] + 2 + tangential, 0, 1e-8);
    assert_close(bodies[0].reaction[1] - 17.5 - normal, 0, 1e-8);
    assert_close(bodies[1].reaction[0] - tangential, 0, 1e-8);
    assert_close(bodies[1].reaction[1] + normal, 0, 1e-8);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

static void solutions_are_the_reference(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof reference_solutions / sizeof reference_solutions[0]; k++)
        check_solution(&reference_solutions[k]);
}

/* The fields that belong to these forces. */
static void fields_are_the_reference(void **state)
{
    (void)state;
    static double u[4 * 31 * 11], energy[2];
    const reference_solution *expected = &reference_solutions[1];
    slip_model *model = blocks(NULL);
    slip_scene *scene = NULL;
    slip_static_solutions list = {0};
    slip_static_problem problem;
    double largest = 0;
    assert_int_equal(slip_scene_open(ctx, model, NULL, 0, 1, &scene), SLIP_OK);
    assert_int_equal(slip_scene_solve(scene, 0, 0, &problem, &list), SLIP_OK);
    assert_int_equal(list.count, 1);
    assert_true(slip_static_residual(&problem, list.items[0].lambda, list.items[0].d) < 1e-10);
    assert_int_equal(slip_scene_displacements(scene, 0, list.items[0].lambda, u), SLIP_OK);
    assert_int_equal(slip_plane_energy(ctx, model->plane, u, energy), SLIP_OK);
    for (int i = 0; i < 2 * 31 * 11; i++)
        largest = fmax(largest, hypot(u[2 * i], u[2 * i + 1]));
    assert_close_relative(largest, expected->largest_displacement, 1e-8);
    assert_close_relative(energy[0] + energy[1], expected->energy, 1e-8);
    slip_static_solutions_free(&list);
    slip_scene_close(scene);
    slip_model_destroy(model);
}

/* ---- Paths over F. */

typedef struct expected_event {
    double F;
    int node;
    const char *from, *to;
    bool fold;
} expected_event;

static const expected_event events_a[] = {
    {0.2020560588574727, 1, "slip-", "open", false},    {0.23179143027405444, 28, "slip-", "open", false},
    {0.2539639043484919, 27, "slip-", "stick", false},  {0.27138433888564784, 28, "open", "slip+", false},
    {0.28084427623578284, 27, "stick", "slip+", false}, {0.2874313415541925, 26, "slip-", "stick", false},
    {0.34034336347422867, 26, "stick", "slip+", false}, {0.3421722919778839, 25, "slip-", "stick", false},
    {0.3907826814225672, 24, "slip-", "stick", false},  {0.43484497488085766, 23, "slip-", "stick", false},
    {0.4774205015562357, 22, "slip-", "stick", false},  {0.5182864962500973, 21, "slip-", "stick", false}};
static const expected_event events_b[] = {
    {4.391817947104047, 5, "open", "slip+", true},    {4.354404595739669, 6, "open", "slip+", false},
    {4.100204672691308, 7, "open", "slip+", false},   {3.9177832262613372, 3, "open", "slip+", false},
    {3.856075747425175, 8, "open", "slip+", false},   {3.680788738745211, 9, "open", "slip+", false},
    {3.6564144458252623, 4, "slip+", "stick", true},  {3.726368047266463, 3, "slip+", "stick", false},
    {3.7355562040547934, 5, "slip+", "stick", false}, {4.102898332774932, 6, "slip+", "stick", false},
    {4.499283425602428, 10, "open", "slip+", false},  {4.724737335019194, 7, "slip+", "stick", false}};

static slip_result *follow(slip_model *model, const slip_continue_options *options)
{
    slip_result *paths = NULL;
    if (slip_continue(ctx, model, options, &paths) != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(paths);
    return paths;
}

/* The labels of the first branch between its ends. */
static int inner_labels(const slip_result *paths, const slip_label **labels, int most)
{
    int count = 0;
    for (int k = 0; k < slip_result_label_count(paths); k++) {
        const slip_label *label = slip_result_label(paths, k);
        if (label->branch == 1 && strcmp(label->type, "EP") != 0 && count < most)
            labels[count++] = label;
    }
    return count;
}

static void check_events(const slip_label *const *labels, const expected_event *expected, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        char name[20];
        snprintf(name, sizeof name, "joint[%d]", expected[k].node);
        assert_close_relative(labels[k]->value, expected[k].F, 1e-8);
        assert_string_equal(labels[k]->contact, name);
        assert_string_equal(labels[k]->from, expected[k].from);
        assert_string_equal(labels[k]->to, expected[k].to);
        assert_string_equal(labels[k]->type, expected[k].fold ? "LP" : "MC");
    }
}

static void path_of_load_a(void **state)
{
    (void)state;
    const slip_label *labels[200];
    slip_model *model = blocks(NULL);
    slip_result *paths = follow(model, NULL);
    assert_int_equal(inner_labels(paths, labels, 200), 36);
    check_events(labels, events_a, sizeof events_a / sizeof events_a[0]);
    slip_result_destroy(paths);
    slip_model_destroy(model);
}

static void path_of_load_b(void **state)
{
    (void)state;
    const slip_label *labels[200];
    slip_model *model = blocks(load_b);
    slip_result *paths = follow(model, NULL);
    int folds = 0;
    const int count = inner_labels(paths, labels, 200);
    assert_true(count >= 12);
    check_events(labels, events_b, sizeof events_b / sizeof events_b[0]);
    for (int k = 0; k < slip_result_label_count(paths); k++)
        folds += strcmp(slip_result_label(paths, k)->type, "LP") == 0;
    assert_int_equal(folds, 2); /* each once */
    slip_result_destroy(paths);
    slip_model_destroy(model);
}

/* Three solutions between the folds, the middle one with the other sign. */
static void three_solutions_between_the_folds(void **state)
{
    (void)state;
    const char *const settings[] = {"top_x=-1", "top_y=-2.5", "top_slope=0.5", "right_x=10", "F=4", NULL};
    slip_model *model = blocks(settings);
    slip_statics *statics = NULL;
    int signs = 0;
    assert_int_equal(slip_statics_solve(ctx, model, NULL, &statics), SLIP_OK);
    assert_int_equal(slip_statics_count(statics), 3);
    for (int k = 0; k < 3; k++)
        signs += slip_statics_at(statics, k)->stability;
    assert_int_equal(signs, 1);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

/* The same events from the upper end down. */
static void path_backwards(void **state)
{
    (void)state;
    const slip_label *there[200], *back[200];
    slip_continue_options options = slip_continue_options_default();
    slip_model *model = blocks(load_b);
    options.restarts = 0;
    slip_result *up = follow(model, &options);
    options.start = 12;
    slip_result *down = follow(model, &options);
    const int count = inner_labels(up, there, 200);
    assert_int_equal(inner_labels(down, back, 200), count);
    for (int k = 0; k < count; k++) {
        assert_close_relative(back[k]->value, there[count - 1 - k]->value, 1e-9);
        assert_string_equal(back[k]->type, there[count - 1 - k]->type);
        assert_string_equal(back[k]->contact, there[count - 1 - k]->contact);
        assert_string_equal(back[k]->from, there[count - 1 - k]->to);
    }
    slip_result_destroy(up);
    slip_result_destroy(down);
    slip_model_destroy(model);
}

/* Twice the load moves no event. */
static void scaling_moves_no_event(void **state)
{
    (void)state;
    const char *const twice[] = {"top_x=-2", "top_y=-5", "top_slope=1", "right_x=20", "right_y=4", NULL};
    const slip_label *once[200], *again[200];
    slip_continue_options options = slip_continue_options_default();
    slip_model *model = blocks(load_b), *larger = blocks(twice);
    options.restarts = 0;
    slip_result *first = follow(model, &options), *second = follow(larger, &options);
    const int count = inner_labels(first, once, 200);
    assert_int_equal(inner_labels(second, again, 200), count);
    for (int k = 0; k < count; k++)
        assert_close_relative(again[k]->value, once[k]->value, 1e-9);
    slip_result_destroy(first);
    slip_result_destroy(second);
    slip_model_destroy(model);
    slip_model_destroy(larger);
}

/* Blocks of the same material and shape, mirrored: normal and tangential directions decouple, and the normal
 * forces do not depend on F. */
static void equal_materials_decouple(void **state)
{
    (void)state;
    static const char *const frictions[] = {"F=0", "F=0.2", "F=1.5"};
    double first[points] = {0};
    for (int k = 0; k < 3; k++) {
        const char *const settings[] = {"bodies.upper.material.young=211900", "right_y=0", frictions[k],
                                        NULL};
        slip_model *model = blocks(settings);
        slip_statics *statics = NULL;
        double scale = 0;
        assert_int_equal(slip_statics_solve(ctx, model, NULL, &statics), SLIP_OK);
        assert_int_equal(slip_statics_count(statics), 1);
        const double *normal = slip_statics_at(statics, 0)->state.normal;
        for (int c = 0; c < points; c++)
            scale = fmax(scale, normal[c]);
        for (int c = 0; c < points; c++) {
            if (k > 0)
                assert_close(normal[c], first[c], 1e-9 * scale);
            first[c] = normal[c];
        }
        slip_statics_destroy(statics);
        slip_model_destroy(model);
    }
}

/* All loads, here multiplied by top_x, go to zero and turn: 28 points leave at once, and the path goes on
 * with the blocks apart. */
static void everything_is_released_at_once(void **state)
{
    (void)state;
    const char *const settings[] = {"top_x=1", "bodies.upper.tractions.top=[0, top_x*(-6 - x/3)]",
                                    "bodies.upper.tractions.right=[2*top_x, 2*top_x]", NULL};
    slip_continue_options options = slip_continue_options_default();
    slip_model *model = blocks(settings);
    int64_t count;
    options.parameter = "top_x";
    options.low = -1;
    options.high = options.start = 1;
    options.restarts = 0;
    slip_result *paths = follow(model, &options);
    assert_int_equal(slip_result_label_count(paths), 3);
    assert_string_equal(slip_result_label(paths, 1)->type, "MC");
    assert_close(slip_result_label(paths, 1)->value, 0, 1e-12);
    const double *value = slip_result_series(paths, "value", &count);
    const double *normal = slip_result_series(paths, "joint[15].normal", NULL);
    const double *gap = slip_result_series(paths, "joint[30].gap", NULL);
    assert_close(value[count - 1], -1, 0);
    for (int64_t i = 0; i < count; i++) {
        if (value[i] > 0)
            assert_close(normal[i], value[i] * normal[0], 1e-9 * normal[0]);
        else if (value[i] < -0.01)
            assert_true(normal[i] == 0 && gap[i] > 0);
    }
    slip_result_destroy(paths);
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_are_the_reference),
        cmocka_unit_test(fields_are_the_reference),
        cmocka_unit_test(path_of_load_a),
        cmocka_unit_test(path_of_load_b),
        cmocka_unit_test(three_solutions_between_the_folds),
        cmocka_unit_test(path_backwards),
        cmocka_unit_test(scaling_moves_no_event),
        cmocka_unit_test(equal_materials_decouple),
        cmocka_unit_test(everything_is_released_at_once),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
