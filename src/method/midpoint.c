/* `midpoint` and `midpoint_stabilised`: the implicit midpoint rule with contact, see fixed/fixed.h.
 *
 * Displacement, force and friction velocity are those of the middle of the step. Stick then means v_m = (v_0
 * + v_1)/2 = 0: what slip velocity there was when stick began comes back with the opposite sign in every
 * step, and the force alternates with it until it leaves the friction cone. The stabilised rule asks for v_1
 * = 0 instead, in the tangential direction and in the normal one. */
#include "method/fixed/fixed.h"

static const slip_fixed_rules plain = {.name = "midpoint", .middle = true, .impulsive = false};
static const slip_fixed_rules stabilised = {
    .name = "midpoint_stabilised", .middle = false, .impulsive = false};

static int open_plain(slip_context *ctx, const slip_system *system, const slip_method_options *options,
                      double t, const double *q, const double *v, void **self)
{
    return slip_fixed_open(ctx, system, options, &plain, 0.5, t, q, v, self);
}

static int open_stabilised(slip_context *ctx, const slip_system *system, const slip_method_options *options,
                           double t, const double *q, const double *v, void **self)
{
    return slip_fixed_open(ctx, system, options, &stabilised, 0.5, t, q, v, self);
}

const slip_method_type slip_method_midpoint = {
    .info = {"midpoint", "implicit midpoint rule with contact; chatters in stick, for comparisons", 1, 0},
    .open = open_plain,
    .advance = slip_fixed_advance,
    .state = slip_fixed_state,
    .remember = slip_fixed_remember,
    .counters = slip_fixed_counters,
    .close = slip_fixed_close,
    .solves_laws = true};

const slip_method_type slip_method_midpoint_stabilised = {
    .info = {"midpoint_stabilised", "implicit midpoint rule with contact; stick sets the slip to zero", 1, 0},
    .open = open_stabilised,
    .advance = slip_fixed_advance,
    .state = slip_fixed_state,
    .remember = slip_fixed_remember,
    .counters = slip_fixed_counters,
    .close = slip_fixed_close,
    .solves_laws = true};
