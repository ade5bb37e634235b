/* The published disk on a belt as `slipstick reproduce disk-on-belt` runs it: periods, phases of stick, the
 * other attractor, the law and its fits, the scaling. Reference values are good to 1e-8. */
#include "disk.h"
#include "slipstick/slipstick.h"
#include "test.h"
#include "test_folder.h"

#include "base/text.h"

static slip_context *ctx;

static int set_up(void **state)
{
    (void)state;
    ctx = slip_context_create();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    slip_context_destroy(ctx);
    return 0;
}

static disk_orbit settle(const disk_case *run)
{
    slip_result *result = NULL;
    disk_orbit orbit = {0};
    int status = disk_run(ctx, run, "", &result);
    if (status >= 0)
        status = disk_orbit_find(result, &orbit);
    if (status < 0)
        print_error("%s\n", slip_context_message(ctx));
    assert_int_equal(status, SLIP_OK);
    slip_result_destroy(result);
    return orbit;
}

static disk_case set_valued(double ratio, double from, double span)
{
    disk_case run = disk_case_default();
    run.static_ratio = ratio;
    run.from = from;
    run.end = from + span;
    return run;
}

static void the_periodic_orbit_has_the_period_of_the_reference(void **state)
{
    disk_case run = set_valued(4.98, 10000, 700);
    disk_orbit orbit = settle(&run);
    (void)state;
    assert_close(orbit.period, 131.13071130378543, 1e-6);
    assert_int_equal(orbit.slips, 1);
    assert_int_equal(orbit.stick_phases, 1);
    assert_close(orbit.phi, -0.7610713443354, 1e-6); /* of the disk that sticks */
}

static void a_smaller_ratio_gives_eleven_phases_of_stick(void **state)
{
    disk_case run = set_valued(2.7, 8000, 2900);
    disk_orbit orbit = settle(&run);
    (void)state;
    assert_int_equal(orbit.stick_phases, 11);
    assert_close(orbit.period, 901.2012876, 1e-4);
    /* What the publication writes beside it belongs to another ratio, and to another number of phases. */
    run.static_ratio = slip_law_static_ratio(6.7627);
    run.end += 300;
    assert_close(run.static_ratio, 2.7174, 5e-5);
    orbit = settle(&run);
    assert_int_equal(orbit.stick_phases, 12);
}

static void the_smooth_law_has_the_period_of_the_reference(void **state)
{
    disk_case run = disk_case_default();
    (void)state;
    run.eta_prime = 13.7627;
    run.epsilon = 1e-4;
    run.x = 5; /* on the set-valued orbit, in stick */
    run.phi = -0.7610713443354;
    run.v = 0.15;
    run.w = 0;
    run.from = 5000;
    run.end = 5700;
    disk_orbit orbit = settle(&run);
    assert_close(orbit.period, 131.17682003, 1e-6);
    assert_int_equal(orbit.stick_phases, -1);
}

static void steady_sliding_is_the_other_attractor(void **state)
{
    disk_case run = set_valued(4.98, 20000, 0);
    slip_result *result;
    (void)state;
    run.x = 20;
    run.phi = -20;
    run.v = run.w = 0;
    assert_int_equal(disk_run(ctx, &run, "", &result), SLIP_OK);
    assert_close(slip_result_number(result, "final.x"), 18.018018018018015, 1e-6);
    assert_close(slip_result_number(result, "final.phi"), -15.315315315315312, 1e-6);
    slip_result_destroy(result);
}

static void a_motion_that_does_not_repeat_is_told(void **state)
{
    disk_case run = set_valued(4.98, 0, 600);
    slip_result *result;
    disk_orbit orbit;
    (void)state;
    assert_int_equal(disk_run(ctx, &run, "", &result), SLIP_OK);
    assert_int_equal(disk_orbit_find(result, &orbit), SLIP_ERROR_SOLVER);
    assert_non_null(strstr(paper_message(), "does not repeat"));
    slip_result_destroy(result);
}

/* ---- what is printed ---- */

static void keep_line(void *user, const char *line)
{
    slip_text_printf(user, "%s\n", line);
}

/* The numbers behind a text of the output. */
static const char *after(const slip_text *lines, const char *text)
{
    const char *found = strstr(lines->data, text);
    if (!found)
        print_error("lacks `%s`:\n%s", text, lines->data);
    assert_non_null(found);
    return found + strlen(text);
}

static void reproduce(const char *part, const char *folder, slip_text *lines)
{
    const paper_printer out = {keep_line, lines};
    int status = paper_reproduce(ctx, part, folder, false, &out);
    if (status < 0)
        print_error("%s\n", slip_context_message(ctx));
    assert_int_equal(status, SLIP_OK);
}

static void published_fits_hold_to_a_thousandth(void **state)
{
    char folder[test_path_size];
    slip_text lines = {0};
    (void)state;
    test_folder_make(folder);
    reproduce("disk-on-belt/law", folder, &lines);
    for (int k = 0; k < 2; k++) {
        double weight, ratio;
        assert_int_equal(sscanf(after(&lines, k == 0 ? "on 1.0 <= eta <= 1.3" : "on 1.3 <= eta <= 2.7"),
                                "%lf, %lf", &weight, &ratio),
                         2);
        assert_true(ratio > 5e-4 && ratio < 1e-3 && weight < 5e-3);
    }
    /* The peak of v/sqrt(v^2+1) + 8 v/(v^2+1)^2, by looking. */
    double eta = atof(after(&lines, "eta' = 8    eta = ")), peak = 0;
    for (double v = 0; v < 3; v += 1e-5)
        peak = fmax(peak, v / sqrt(v * v + 1) + 8 * v / ((v * v + 1) * (v * v + 1)));
    assert_close(eta, peak, 1e-9);
    assert_true(test_file_size(folder, "disk-on-belt-law.png") > 5000);
    assert_true(test_file_size(folder, "disk-on-belt-fits.svg") > 5000);
    slip_text_free(&lines);
    test_folder_remove(folder);
}

static void the_model_in_si_units_moves_the_same_way(void **state)
{
    char folder[test_path_size];
    slip_text lines = {0};
    double x, v, phi, w;
    (void)state;
    test_folder_make(folder);
    reproduce("disk-on-belt/units", folder, &lines);
    assert_int_equal(
        sscanf(after(&lines, "up to t = 1000: "), "x %lf, x' %lf, phi %lf, phi' %lf", &x, &v, &phi, &w), 4);
    assert_true(x < 1e-6 && v < 1e-6 && phi < 1e-6 && w < 1e-6);
    assert_true(test_file_size(folder, "disk-on-belt-si.run/summary.json") > 0);
    slip_text_free(&lines);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_periodic_orbit_has_the_period_of_the_reference, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_smaller_ratio_gives_eleven_phases_of_stick, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_smooth_law_has_the_period_of_the_reference, set_up, tear_down),
        cmocka_unit_test_setup_teardown(steady_sliding_is_the_other_attractor, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_motion_that_does_not_repeat_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(published_fits_hold_to_a_thousandth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_model_in_si_units_moves_the_same_way, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
