/* The disk on a moving belt: [1 0; 0 90] q'' + 1e-4 q' + [1 k; k 1] q = mu N (T, M), slip x' - vb, spin phi'.
 */
#ifndef SLIP_TESTS_BELT_DISC_H
#define SLIP_TESTS_BELT_DISC_H

#include "slipstick/slipstick.h"
#include "test.h"

static inline void belt_check(slip_context *ctx, int status)
{
    if (status != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_int_equal(status, SLIP_OK);
}

/* epsilon 0: set-valued with the static ratio; else eta_prime. */
static inline slip_contact_options belt_patch(double epsilon, double ratio_or_eta_prime)
{
    slip_contact_options pad = slip_contact_options_default();
    pad.name = "pad";
    pad.kind = "patch";
    pad.slip = "x' - vb";
    pad.spin = "phi'";
    pad.law.mu = 5;
    pad.area.m = 2;
    pad.area.b = 1;
    pad.area.epsilon = epsilon;
    if (epsilon > 0)
        pad.area.eta_prime = ratio_or_eta_prime;
    else
        pad.area.static_ratio = ratio_or_eta_prime;
    return pad;
}

static inline slip_model *belt_model(slip_context *ctx, const slip_contact_options *pad)
{
    static const char *const names[] = {"x", "phi"};
    const double mass[] = {1, 0, 0, 90}, damping[] = {1e-4, 0, 0, 1e-4}, stiffness[] = {1, 0.85, 0.85, 1};
    const double v[] = {0.15, 0};
    slip_model *model = NULL;
    belt_check(ctx, slip_model_create(ctx, 2, names, &model));
    belt_check(ctx, slip_model_set_mass(ctx, model, mass));
    belt_check(ctx, slip_model_set_damping(ctx, model, damping));
    belt_check(ctx, slip_model_set_stiffness(ctx, model, stiffness));
    belt_check(ctx, slip_model_set_parameter(ctx, model, "vb", 0.15));
    belt_check(ctx, slip_model_set_initial(ctx, model, NULL, v));
    belt_check(ctx, slip_model_add_contact(ctx, model, pad));
    return model;
}

#endif
