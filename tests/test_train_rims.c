/* Teeth that come and leave under load: the energy of gears whose nodes slide over the rims of flanks, by the
 * methods that keep a state of their own. */
#include "test.h"

#include "slipstick/model.h"
#include "slipstick/run.h"

#include <stdlib.h>
#include <string.h>

static double number(const slip_result *r, const char *name)
{
    const double value = slip_result_number(r, name);
    if (isnan(value))
        fail_msg("no number %s", name);
    return value;
}

/* Two gears of 15 and 12 teeth with speeds that fit, pressed together by torques. */
static slip_result *run(const char *reduce, const char *penalty, const char *method)
{
    static const char form[] =
        "slipstick: 1\ncoordinates: [first, second]\nmass: {diagonal: [1e-4, 1e-4]}\n"
        "forces: {first: 20, second: 16}\n"
        "bodies:\n"
        "  left: {gear: {teeth: 15, %s}, %s, turn: first, reduce: %s}\n"
        "  right: {gear: {teeth: 12, %s}, %s, turn: second, reduce: %s}\n"
        "contacts: {mesh: {kind: flanks, between: [left, right], penalty: %s}}\n"
        "simulate: {time: [0, 1e-3], %s, initial: {first': 100, second': -125}, record: {points: 41}}\n";
    static const char outline[] = "module: 0.005, profile_shift: 0.4, width: 0.01, bore: 0.03, "
                                  "backlash: 2e-5, element: full",
                      mesh[] = "mesh: {flank: 4, fillet: 1, thickness: 2, root: 2, rim: 1, width: 1}";
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    slip_result *r = NULL;
    char text[3000];
    snprintf(text, sizeof text, form, outline, mesh, reduce, outline, mesh, reduce, penalty, method);
    if (slip_model_parse(ctx, text, "rims.yaml", NULL, &model) < 0 || slip_run(ctx, model, NULL, &r) < 0)
        fail_msg("%s\n%s", slip_context_message(ctx), text);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return r;
}

/* Sliding over a rim neither brings nor takes energy, by penalty or rigid: what is left is the error of the
 * steps, and falls with these. The angular momentum of every shaft balances to rounding. */
static void rims_take_no_energy(void **state)
{
    static const char condensed[] = "{modes: 20, contact: condensed}";
    static const struct {
        const char *reduce, *penalty, *method;
        double limit;
    } cases[] = {{condensed, "1e8", "method: exponential, tolerance: 1e-3", 3e-5},
                 {condensed, "1e8", "method: exponential, tolerance: 1e-4", 5e-6},
                 {condensed, "1e8", "method: exponential, tolerance: 1e-5", 5e-7},
                 {condensed, "rigid", "method: exponential, tolerance: 1e-4", 1e-6},
                 {"none", "1e8", "method: explicit, step: 2e-7", 8e-7},
                 {"none", "1e8", "method: explicit, step: 1e-7", 2e-7}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        slip_result *r = run(cases[c].reduce, cases[c].penalty, cases[c].method);
        if (!(number(r, "energy.drift") < cases[c].limit))
            fail_msg("%s, penalty %s: drift %g", cases[c].method, cases[c].penalty,
                     number(r, "energy.drift"));
        assert_true(fabs(number(r, "energy.balance")) < cases[c].limit);
        assert_true(fabs(number(r, "momentum.first")) < 1e-9 && fabs(number(r, "momentum.second")) < 1e-9);
        assert_true(number(r, "residual") < 1e-8);
        assert_true(number(r, "peak_force") > 300 && number(r, "final.first") > 0.1);
        slip_result_destroy(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_of_numbers(rims_take_no_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
