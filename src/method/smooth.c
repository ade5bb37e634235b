/* Methods that run one flow from beginning to end: they differ in the stepper.
 *
 * `smooth`: stiff, implicit (CVODE). Its error per step is about ten times what the tolerance promises over a
 * long run, so that it is given a tenth of it. `rk4`: fixed steps; laws are taken as they are, also where
 * they are not smooth. */
#include "method/types.h"
#include "patch/patch.h"

#include <math.h>

/* An error that names the contact and the laws to use instead, when a contact's law is set-valued. */
static int refuse_set_valued(slip_context *ctx, const slip_system *system, const char *method)
{
    for (int64_t c = 0; c < system->contact_count; c++) {
        const slip_law_info *law = &system->contacts[c].law.type->info;
        if (system->contacts[c].has_gap)
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "contact `%s` is unilateral, and method `%s` has no impacts; use `event`",
                             system->contacts[c].name, method);
        if (system->contacts[c].patch && system->contacts[c].patch->set_valued)
            return slip_fail(
                ctx, SLIP_ERROR_MODEL,
                "contact `%s`: the law `coulomb` of a %s is set-valued at rest, and method `%s` needs a "
                "smooth one; use %s, or method `event`",
                system->contacts[c].name, system->contacts[c].patch->law->point ? "point" : "patch", method,
                system->contacts[c].patch->law->point
                    ? "`tanh`, `arctan` or `sqrt`"
                    : "`sqrt` with epsilon (and static_ratio or eta_prime)");
        if (law->set_valued)
            return slip_fail(
                ctx, SLIP_ERROR_MODEL,
                "contact `%s`: law `%s` is set-valued at rest, and method `%s` of this version needs a "
                "smooth one; use `tanh`, `arctan`, `sqrt` (also with static_ratio) or `elliptic`",
                system->contacts[c].name, law->name, method);
    }
    return SLIP_OK;
}

static int flow_advance(void *self, double end, const slip_observer *observer)
{
    return slip_flow_advance(self, end, observer);
}

static void flow_state(const void *self, double *t, double *q, double *v)
{
    slip_flow_state(self, t, q, v);
}

static void flow_remember(const void *self, slip_method_memory *memory)
{
    slip_flow_keep(self, memory);
}

static void flow_counters(const void *self, slip_method_counters *counters)
{
    slip_flow_counters(self, counters);
}

static void flow_close(void *self)
{
    slip_flow_close(self);
}

static int open_flow(slip_context *ctx, const slip_system *system, const slip_method_options *options,
                     const char *method, const slip_stepper_type *kind, double t, const double *q,
                     const double *v, void **self)
{
    slip_flow *flow = NULL;
    int status = refuse_set_valued(ctx, system, method);
    if (status >= 0)
        status = slip_flow_open(ctx, system, options, kind, t, q, v, &flow);
    *self = flow;
    return status;
}

static int open_smooth(slip_context *ctx, const slip_system *system, const slip_method_options *options,
                       double t, const double *q, const double *v, void **self)
{
    slip_method_options tighter = *options;
    tighter.tolerance = fmax(0.1 * options->tolerance, 1e-15);
    return open_flow(ctx, system, &tighter, "smooth", &slip_stepper_cvode, t, q, v, self);
}

/* Where a contact opens its law forgets, and these steps do not stop there. */
static int refuse_forgetting(slip_context *ctx, const slip_system *system)
{
    for (int64_t c = 0; c < system->contact_count; c++)
        if (system->contacts[c].state_count > 0 && system->contacts[c].compliant)
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "contact `%s`: law `%s` has memory, which is lost where the contact opens, and "
                             "method `rk4` does not stop there; use `event`, `smooth` or `moreau`",
                             system->contacts[c].name, system->contacts[c].law.type->info.name);
    return SLIP_OK;
}

static int open_rk4(slip_context *ctx, const slip_system *system, const slip_method_options *options,
                    double t, const double *q, const double *v, void **self)
{
    const int status = refuse_forgetting(ctx, system);
    *self = NULL;
    return status < 0 ? status : open_flow(ctx, system, options, "rk4", &slip_stepper_rk4, t, q, v, self);
}

const slip_method_type slip_method_smooth = {
    .info = {"smooth", "smooth laws, stiff implicit integration (CVODE, exact Jacobian)", 0, 0},
    .open = open_smooth,
    .advance = flow_advance,
    .state = flow_state,
    .remember = flow_remember,
    .counters = flow_counters,
    .close = flow_close};

const slip_method_type slip_method_rk4 = {
    .info = {"rk4", "classical Runge-Kutta of order 4 with fixed steps", 1, 0},
    .open = open_rk4,
    .advance = flow_advance,
    .state = flow_state,
    .remember = flow_remember,
    .counters = flow_counters,
    .close = flow_close};
