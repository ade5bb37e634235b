/* Options of two gears in motion, and their checks. */
#include "card/card.h"
#include "gear/gear_motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const reductions[] = {"none", "all", "switch", "switch_teeth", "condensed"};
enum { reduction_count = sizeof reductions / sizeof *reductions };

slip_gear_run_options slip_gear_run_options_default(void)
{
    const slip_gear_side side = {
        .modes = -1, .reduction = "condensed", .damping = 1e-10, .static_damping = 1e-7};
    return (slip_gear_run_options){.side = {side, side},
                                   .penalty = 1e10,
                                   .two_pass = 0.5,
                                   .tolerance = 1e-4,
                                   .time = 3e-4,
                                   .samples = 1000,
                                   .checkpoint_every = 60};
}

static bool is(const char *a, const char *b)
{
    return a && strcmp(a, b) == 0;
}

/* ---- Checks. */

typedef struct bounded {
    const char *name;
    double value, least;
    bool open;
} bounded;

static int check_numbers(slip_context *ctx, const char *whose, const bounded *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        const bounded *n = &numbers[i];
        if (!isfinite(n->value) || n->value < n->least || (n->open && n->value == n->least))
            return slip_fail(ctx, SLIP_ERROR_MODEL, "%sfound %s %g, expected %s %g", whose, n->name, n->value,
                             n->open ? "more than" : "at least", n->least);
    }
    return SLIP_OK;
}

static int check_side(slip_context *ctx, const char *name, const slip_gear_side *s)
{
    char whose[120];
    const bounded numbers[] = {{"damping", s->damping, 0, false},
                               {"static damping", s->static_damping, 0, false},
                               {"inertia", s->inertia, 0, false},
                               {"speed", s->speed, -INFINITY, false},
                               {"torque", s->torque, -INFINITY, false}};
    int known = 0;
    while (known < reduction_count && !is(s->reduction, reductions[known]))
        known++;
    if (known == reduction_count)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: found reduction %s, expected none, all, switch, switch_teeth or condensed",
                         name, s->reduction ? s->reduction : "NULL");
    snprintf(whose, sizeof whose, "%.100s: ", name);
    return check_numbers(ctx, whose, numbers, sizeof numbers / sizeof *numbers);
}

int slip_gear_device_check(slip_context *ctx, const char *device, const char *method)
{
    SLIP_PASS(slip_card_check_name(ctx, "gears", device));
    if (is(device, "cuda") && !is(method, "explicit"))
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "found device cuda, expected it with method explicit: no other moves gears on a "
                         "graphics card");
    return SLIP_OK;
}

static int check_options(slip_context *ctx, const slip_gear_options gears[2], const slip_gear_run_options *o)
{
    const bounded numbers[] = {{"distance", o->distance, 0, false},
                               {"phase", o->phase, -INFINITY, false},
                               {"penalty", isinf(o->penalty) ? 1 : o->penalty, 0, true},
                               {"two_pass", o->two_pass, 0, false},
                               {"step", o->step, 0, false},
                               {"tolerance", o->tolerance, 0, true},
                               {"time", o->time, 0, true},
                               {"samples", o->samples, 2, false},
                               {"hourglass", o->hourglass, 0, false},
                               {"checkpoint_every", o->checkpoint_every, 0, false},
                               {"frames", o->frames, 0, false},
                               {"threads", o->threads, 0, false}};
    for (int k = 0; k < 2; k++)
        SLIP_PASS(check_side(ctx, gears[k].name, &o->side[k]));
    SLIP_PASS(check_numbers(ctx, "", numbers, sizeof numbers / sizeof *numbers));
    SLIP_PASS(slip_gear_device_check(ctx, o->device, o->method));
    if (o->two_pass > 1)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "found two_pass %g, expected 0 to 1", o->two_pass);
    return SLIP_OK;
}

/* Whether they can mesh, and with `meet` do so at that distance. */
static int find_ratio(slip_context *ctx, const slip_gear_options *first, const slip_gear_options *second,
                      double distance, bool meet)
{
    double ratio;
    if (first->mesh_file || second->mesh_file)
        return SLIP_OK;
    SLIP_PASS(slip_gear_contact_ratio(ctx, first, second, distance, &ratio));
    if (ratio >= 1 || !meet)
        return SLIP_OK;
    if (ratio <= 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "found distance %.10g m, at which the teeth of %s and %s do not reach each other",
                         distance, first->name, second->name);
    return slip_fail(
        ctx, SLIP_ERROR_MODEL,
        "found contact ratio %.4g of %s and %s, expected at least 1: a pair of teeth would leave "
        "contact before the next one comes",
        ratio, first->name, second->name);
}

int slip_gear_check_teeth(slip_context *ctx, const slip_gear_options *first, const slip_gear_options *second,
                          double distance)
{
    return find_ratio(ctx, first, second, distance, true);
}

/* ---- The method. */

static bool wants_condensed(const slip_gear_run_options *o)
{
    return is(o->side[0].reduction, "condensed") || is(o->side[1].reduction, "condensed");
}

/* "condensed" goes by `exponential`, "none" by any, all others by `rk4`. */
static int check_reductions(slip_context *ctx, const slip_gear_options gears[2], const slip_gear_method *m,
                            const slip_gear_run_options *o, slip_gear_fault *fault)
{
    for (int k = 0; m->reduced && k < 2; k++) {
        const char *r = o->side[k].reduction;
        if (is(r, "none") || is(r, "condensed") == m->condensed)
            continue;
        *fault = (slip_gear_fault){k, "static"};
        return slip_fail(ctx, SLIP_ERROR_MODEL, "gear `%s`: found `static: %s` with method %s%s, expected %s",
                         gears[k].name, r, m->name, o->method ? "" : " (because the other gear is condensed)",
                         m->condensed ? "condensed or none" : "none, all, switch or switch_teeth");
    }
    return SLIP_OK;
}

static int check_method(slip_context *ctx, const slip_gear_options gears[2], const slip_gear_method *m,
                        const slip_gear_run_options *o, slip_gear_fault *fault)
{
    if (!m)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "found method %s, expected rk4, exponential or explicit",
                         o->method);
    SLIP_PASS(check_reductions(ctx, gears, m, o, fault));
    if (isinf(o->penalty) && m->reduced && !(m->condensed && wants_condensed(o))) {
        *fault = (slip_gear_fault){-1, "penalty"};
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "penalty: found rigid with method %s, expected a number in N/m: rigid flanks are for "
            "`static: condensed` and for method explicit",
            m->name);
    }
    *fault = (slip_gear_fault){-1, "initial"};
    if (o->initial && !is(o->initial, "static"))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "found initial %s, expected static", o->initial);
    if (o->initial &&
        (!o->side[0].driven == !o->side[1].driven || o->side[o->side[0].driven ? 1 : 0].torque == 0))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "initial static: expected one gear with a drive, and a torque on the other one");
    return SLIP_OK;
}

int slip_gear_run_find_fault(slip_context *ctx, const slip_gear_options gears[2],
                             const slip_gear_run_options *options, bool meet, slip_gear_fault *fault)
{
    *fault = (slip_gear_fault){-1, NULL};
    slip_context_clear(ctx);
    if (is(gears[0].name, gears[1].name))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "both gears have the name %s", gears[0].name);
    SLIP_PASS(check_options(ctx, gears, options));
    SLIP_PASS(check_method(ctx, gears, slip_gear_method_find(options), options, fault));
    *fault = (slip_gear_fault){-1, "distance"};
    return find_ratio(ctx, &gears[0], &gears[1], options->distance, meet);
}

int slip_gear_run_check(slip_context *ctx, const slip_gear_options gears[2],
                        const slip_gear_run_options *options)
{
    SLIP_NEED(ctx, gears, options);
    slip_gear_fault fault;
    return slip_gear_run_find_fault(ctx, gears, options, false, &fault);
}
