/* `moreau`: the scheme of J. J. Moreau and M. Jean with theta (V. Acary, B. Brogliato: Numerical methods for
 * nonsmooth dynamical systems, Springer 2008, section 10.1). Complementarity between impulses and the
 * velocities at the end of the step, Newton's restitution, contacts chosen by the gap half a step ahead;
 * impacts and forces are one. See fixed/fixed.h. */
#include "method/fixed/fixed.h"

#include <math.h>

static const slip_fixed_rules rules = {
    .name = "moreau", .middle = false, .impulsive = true, .whole = &slip_fixed_implicit};

static int open_moreau(slip_context *ctx, const slip_system *system, const slip_method_options *options,
                       double t, const double *q, const double *v, void **self)
{
    double theta = isnan(options->theta) ? 0.5 : options->theta;
    *self = NULL;
    if (!(theta >= 0.5 && theta <= 1))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "method `moreau`: theta is %g; expected 0.5 to 1", theta);
    return slip_fixed_open(ctx, system, options, &rules, theta, t, q, v, self);
}

const slip_method_type slip_method_moreau = {
    .info = {"moreau", "Moreau-Jean: fixed steps, set-valued laws and impacts solved in each step", 1, 0},
    .open = open_moreau,
    .advance = slip_fixed_advance,
    .state = slip_fixed_state,
    .remember = slip_fixed_remember,
    .counters = slip_fixed_counters,
    .close = slip_fixed_close,
    .takes_fields = true,
    .takes_detectors = true,
    .solves_laws = true};
