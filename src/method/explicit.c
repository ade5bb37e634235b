/* `explicit`: central differences of whole bodies with lumped masses (fixed/lumped.c), the coordinates beside
 * them by the implicit step of `moreau` with theta = 1/2, so that they do not limit the step. Contacts obey
 * their laws at the end of each step, impacts included. */
#include "method/fixed/field.h"

#include <math.h>

static const slip_fixed_rules rules = {
    .name = "explicit", .middle = false, .impulsive = true, .whole = &slip_fixed_lumped};

/* Of the limit, where no step is given. */
static const double safety = 0.9;

/* h^2 lambda + 2 h b lambda = 4, with the largest eigenvalue lambda and damping b by stiffness. */
static int find_limit(slip_context *ctx, const slip_fixed *f, double *limit, const char **name)
{
    *limit = INFINITY;
    for (int b = 0; b < f->system->field->body_count; b++) {
        const slip_field_body *body = &f->system->field->bodies[b];
        double lambda;
        SLIP_PASS(slip_field_find_eigenvalue(ctx, f->work, body, &lambda));
        const double delta = body->damping[1] * lambda, own = 4 / (delta + sqrt(delta * delta + 4 * lambda));
        if (own < *limit) {
            *limit = own;
            *name = body->name;
        }
    }
    return SLIP_OK;
}

static int choose_step(slip_context *ctx, slip_fixed *f)
{
    const char *name = "";
    double limit;
    SLIP_PASS(find_limit(ctx, f, &limit, &name));
    if (!(f->options.step > 0))
        f->options.step = safety * limit;
    if (f->options.step > limit)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "simulate.step: found %.4g, expected at most %.4g with method `explicit`, the stability "
            "limit of body `%s`; leave `step` out to have it chosen",
            f->options.step, limit, name);
    return SLIP_OK;
}

static int open_explicit(slip_context *ctx, const slip_system *system, const slip_method_options *options,
                         double t, const double *q, const double *v, void **self)
{
    int status;
    *self = NULL;
    if (!system->field && !(options->step > 0))
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "method `explicit` chooses its step by the elements of whole bodies (`reduce: none`), and "
            "the model has none; expected `simulate.step`, a positive number");
    SLIP_TRY(slip_fixed_open(ctx, system, options, &rules, 0.5, t, q, v, self));
    if (system->field)
        SLIP_TRY(choose_step(ctx, *self));
done:
    if (status < 0) {
        slip_fixed_close(*self);
        *self = NULL;
    }
    return status;
}

const slip_method_type slip_method_explicit = {
    .info = {"explicit",
             "central differences: whole bodies with lumped masses, of large strains too; gears as nonlinear "
             "finite elements",
             0, 0},
    .open = open_explicit,
    .advance = slip_fixed_advance,
    .state = slip_fixed_state,
    .remember = slip_fixed_remember,
    .counters = slip_fixed_counters,
    .close = slip_fixed_close,
    .takes_fields = true,
    .takes_large = true,
    .takes_detectors = true,
    .solves_laws = true};
