/* Several methods on one model, and the judge over a result. */
#include "study/run.h"
#include "test.h"

#include <string.h>

static const char text[] =
    "slipstick: 1\n"
    "coordinates: [x, y]\n"
    "mass: [[1, 0], [0, 2]]\n"
    "stiffness: [[2, -1], [-1, 3]]\n"
    "forces: {x: sin(1.3*t)}\n"
    "contacts:\n"
    "  pad: {kind: friction, slip: x' - y', law: {type: tanh, mu: 0.3, velocity: 0.1}}\n"
    "simulate: {time: [0, 10], tolerance: 1e-10, record: {every: 0.1}}\n";

typedef struct seen {
    int rows;
    int status[4];
    char method[4][40], message[4][200];
    double difference[4][2], residual[4];
    int64_t steps[4], records[4];
    int stop_after;
} seen;

static int see(void *user, const slip_compare_row *row)
{
    seen *s = user;
    int k = s->rows++;
    assert_true(k < 4);
    s->status[k] = row->status;
    snprintf(s->method[k], sizeof s->method[k], "%s", row->method);
    snprintf(s->message[k], sizeof s->message[k], "%s", row->message);
    memcpy(s->difference[k], row->difference, sizeof s->difference[k]);
    s->residual[k] = row->residual;
    s->steps[k] = row->steps;
    if (row->result)
        slip_result_series(row->result, "t", &s->records[k]);
    return s->rows == s->stop_after;
}

static slip_model *load(slip_context *ctx)
{
    slip_model *model;
    assert_int_equal(slip_model_parse(ctx, text, "m.yaml", NULL, &model), SLIP_OK);
    return model;
}

static void methods_agree(void **state)
{
    static const char *const methods[] = {"event", "smooth", "rk4", NULL};
    slip_context *ctx = slip_context_create();
    slip_model *model = load(ctx);
    slip_run_options options = slip_run_options_default();
    seen s = {0};
    (void)state;
    options.step = 1e-3;
    options.method = "nonsense"; /* not looked at */
    assert_int_equal(slip_compare(ctx, model, methods, &options, see, &s), SLIP_OK);
    assert_int_equal(s.rows, 3);
    for (int k = 0; k < 3; k++) {
        assert_string_equal(s.method[k], methods[k]);
        assert_int_equal(s.status[k], SLIP_OK);
        assert_string_equal(s.message[k], "");
        assert_int_equal(s.records[k], 101);
        assert_true(s.steps[k] > 10);
        assert_true(s.residual[k] < 1e-12);
        for (int i = 0; i < 2; i++)
            assert_true(k == 0 ? s.difference[k][i] == 0
                               : s.difference[k][i] > 0 && s.difference[k][i] < 1e-7);
    }
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

static void a_method_that_fails_does_not_end_the_others(void **state)
{
    static const char *const methods[] = {"rk4", "event", "smooth", NULL};
    slip_context *ctx = slip_context_create();
    slip_model *model = load(ctx);
    seen s = {0};
    (void)state;
    assert_int_equal(slip_compare(ctx, model, methods, NULL, see, &s), SLIP_ERROR_SOLVER);
    assert_string_equal(slip_context_message(ctx), "1 of 3 methods did not run to the end");
    assert_int_equal(s.rows, 3);
    assert_int_equal(s.status[0], SLIP_ERROR_MODEL);
    assert_non_null(strstr(s.message[0], "simulate.step"));
    assert_int_equal(s.steps[0], -1);
    assert_true(isnan(s.residual[0]));
    assert_int_equal(s.status[2], SLIP_OK);
    assert_true(isnan(s.difference[2][0])); /* the first method has nothing to compare with */
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

static void wrong_lists_are_refused(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = load(ctx);
    seen s = {.stop_after = 1};
    (void)state;
    assert_int_equal(slip_compare(ctx, model, NULL, NULL, see, &s), SLIP_ERROR_USAGE);
    assert_int_equal(slip_compare(ctx, model, (const char *const[]){NULL}, NULL, see, &s), SLIP_ERROR_USAGE);
    assert_int_equal(slip_compare(ctx, model, (const char *const[]){"event", "evnet", NULL}, NULL, see, &s),
                     SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "did you mean `event`"));
    assert_int_equal(s.rows, 0);
    assert_int_equal(slip_compare(ctx, model, (const char *const[]){"rk4", NULL}, NULL, NULL, NULL),
                     SLIP_ERROR_MODEL);
    assert_int_equal(slip_compare(ctx, model, (const char *const[]){"event", "smooth", NULL}, NULL, see, &s),
                     SLIP_STOPPED);
    assert_int_equal(s.rows, 1);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

static void recording_every_step_is_replaced_by_points(void **state)
{
    static const char *const methods[] = {"event", "smooth", NULL};
    slip_context *ctx = slip_context_create();
    slip_model *model = load(ctx);
    slip_run_options options = slip_run_options_default();
    seen s = {0};
    (void)state;
    options.record_steps = 1;
    assert_int_equal(slip_compare(ctx, model, methods, &options, see, &s), SLIP_OK);
    assert_int_equal(s.records[0], 2001);
    assert_int_equal(s.records[1], 2001);
    assert_true(s.difference[1][0] < 1e-7);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

/* One wrong force among all records is what the judge reports. */
static void the_judge_sees_one_wrong_record(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = load(ctx);
    slip_result *result;
    double residual = NAN;
    (void)state;
    assert_int_equal(slip_run(ctx, model, NULL, &result), SLIP_OK);
    assert_int_equal(slip_result_residual(ctx, model->system, result, &residual), SLIP_OK);
    assert_true(residual >= 0 && residual < 1e-12);
    slip_series_values(result, slip_series_contact(2, 0, 2))[57] +=
        0.5; /* the normal force is 1: relative to 2 */
    assert_int_equal(slip_result_residual(ctx, model->system, result, &residual), SLIP_OK);
    assert_close(residual, 0.25, 1e-12);
    slip_series_values(result, slip_series_contact(2, 0, 2))[11] = NAN;
    assert_int_equal(slip_result_residual(ctx, model->system, result, &residual), SLIP_OK);
    assert_true(isinf(residual));
    slip_result_destroy(result);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_agree),
        cmocka_unit_test(a_method_that_fails_does_not_end_the_others),
        cmocka_unit_test(wrong_lists_are_refused),
        cmocka_unit_test(recording_every_step_is_replaced_by_points),
        cmocka_unit_test(the_judge_sees_one_wrong_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
