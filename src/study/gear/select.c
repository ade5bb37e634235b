/* The choice of modes and penalty: the procedure is in the header. */
#include "slipstick/gear_select.h"

#include "base/context.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

slip_gear_select_options slip_gear_select_options_default(void)
{
    slip_gear_select_options o = {
        .run = slip_gear_run_options_default(), .tolerance = 0.005, .most_penalty = 1e12};
    o.run.side[0].modes = o.run.side[1].modes = 5;
    o.run.penalty = 1e8;
    return o;
}

/* The search as it stands. */
typedef struct search {
    const slip_gear_options *gears;
    const slip_reduced *const *bodies;
    const slip_gear_select_options *options;
    slip_gear_select_function function;
    void *user;
    slip_gear_run_options now;
    slip_result *result; /* of it */
    bool short_of_modes[2];
} search;

static const char *speed_name(const search *s, char name[120])
{
    snprintf(name, 120, "%.100s.speed", s->gears[1].name);
    return name;
}

/* The angular momentum that the contact has given to the second gear: its speed as a whole, while the bore
 * also vibrates. */
static double find_change(const search *s, const slip_result *a, const slip_result *b)
{
    char name[120];
    int64_t count, other;
    snprintf(name, sizeof name, "%.100s.moment", s->gears[1].name);
    const double *t = slip_result_series(a, "t", NULL), *u = slip_result_series(a, name, &count);
    const double *v = slip_result_series(b, name, &other);
    double first = 0, second = 0, whole = 0, change = 0;
    for (int64_t i = 1; i < count && i < other; i++) {
        first += (t[i] - t[i - 1]) * (u[i] + u[i - 1]) / 2;
        second += (t[i] - t[i - 1]) * (v[i] + v[i - 1]) / 2;
        whole += second * second;
        change += (first - second) * (first - second);
    }
    return whole > 0 ? sqrt(change / whole) : 0;
}

typedef enum keep { KEEP_NEVER, KEEP_WHERE_IT_MATTERS, KEEP_ALWAYS } keep;

/* Runs with other options, which may become the present ones. */
static int try_options(slip_context *ctx, search *s, const slip_gear_run_options *options, const char *what,
                       keep how, bool *matters)
{
    slip_result *result = NULL;
    char name[120];
    int64_t count = 0;
    slip_gear_run_options quiet = *options;
    quiet.frames = 0; /* those are for the run with what was chosen */
    int status = slip_gear_run(ctx, s->gears, s->bodies, &quiet, &result);
    if (status < 0) {
        slip_result_destroy(result);
        return status;
    }
    if (!s->result && !(slip_result_number(result, "peak_force") > 0)) {
        slip_result_destroy(result);
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "the gears do not touch within %g s: there is nothing to choose modes and penalty by",
            options->time);
    }
    double change = s->result ? find_change(s, s->result, result) : NAN;
    *matters = !(change <= s->options->tolerance);
    const double *speed = slip_result_series(result, speed_name(s, name), &count);
    slip_gear_select_row row = {.what = what,
                                .modes = {options->side[0].modes, options->side[1].modes},
                                .penalty = options->penalty,
                                .peak_force = slip_result_number(result, "peak_force"),
                                .contact_time = slip_result_number(result, "contact_time"),
                                .speed = count > 0 ? speed[count - 1] : NAN,
                                .change = change,
                                .matters = *matters,
                                .kept = how == KEEP_ALWAYS || (how == KEEP_WHERE_IT_MATTERS && *matters)};
    if (row.kept) {
        slip_result_destroy(s->result);
        s->result = result;
        s->now = *options;
    } else {
        slip_result_destroy(result);
    }
    if (s->function)
        s->function(s->user, &row);
    return SLIP_OK;
}

/* Doubles the modes of a gear. Where that does not matter all of its modes are tried: the next ones of a body
 * may not take part at all, by their symmetry. Where they matter the doubled number is kept, to go on from.
 */
static int try_modes(slip_context *ctx, search *s, int k, bool *matters)
{
    int all = slip_reduced_mode_count(s->bodies[k]), now = s->now.side[k].modes;
    slip_gear_run_options more = s->now, doubled = s->now;
    *matters = false;
    if (now >= all)
        return SLIP_OK;
    doubled.side[k].modes = now > all / 2 ? all : 2 * now;
    SLIP_PASS(try_options(ctx, s, &doubled, s->gears[k].name, KEEP_WHERE_IT_MATTERS, matters));
    if (!*matters && doubled.side[k].modes < all) {
        more.side[k].modes = all;
        SLIP_PASS(try_options(ctx, s, &more, s->gears[k].name, KEEP_NEVER, matters));
        if (*matters)
            s->now.side[k].modes = doubled.side[k].modes;
    }
    s->short_of_modes[k] = *matters && doubled.side[k].modes == all;
    return SLIP_OK;
}

static int refine_modes(slip_context *ctx, search *s, bool *grown)
{
    bool again = true;
    *grown = false;
    while (again) {
        again = false;
        for (int k = 0; k < 2; k++) {
            bool matters;
            SLIP_PASS(try_modes(ctx, s, k, &matters));
            again = again || matters;
        }
        *grown = *grown || again;
    }
    return SLIP_OK;
}

static int refine_all(slip_context *ctx, search *s)
{
    const double factor = cbrt(10.0);
    bool matters, grown;
    int status = SLIP_OK;
    SLIP_PASS(try_options(ctx, s, &s->options->run, "start", KEEP_ALWAYS, &matters));
    SLIP_PASS(refine_modes(ctx, s, &grown));
    do {
        slip_gear_run_options stiffer = s->now;
        stiffer.penalty *= factor;
        if (!(stiffer.penalty <= s->options->most_penalty * (1 + 1e-9)))
            return slip_fail(
                ctx, SLIP_ERROR_SOLVER,
                "the speed of %s still depends on the penalty at %.3g N/m; the highest to be tried is "
                "%.3g",
                s->gears[1].name, s->now.penalty, s->options->most_penalty);
        SLIP_PASS(try_options(ctx, s, &stiffer, "penalty", KEEP_ALWAYS, &matters));
        SLIP_PASS(refine_modes(ctx, s, &grown));
    } while (matters || grown);
    for (int k = 0; k < 2; k++)
        if (s->short_of_modes[k])
            status =
                slip_fail(ctx, SLIP_ERROR_SOLVER,
                          "%s: all %d modes of its reduced body are in use and still matter: make one with "
                          "more",
                          s->gears[k].name, slip_reduced_mode_count(s->bodies[k]));
    return status;
}

int slip_gear_select_check(slip_context *ctx, const slip_gear_options gears[2],
                           const slip_gear_select_options *options)
{
    SLIP_NEED(ctx, gears, options);
    const slip_gear_select_options *o = options;
    slip_context_clear(ctx);
    for (int k = 0; k < 2; k++)
        if (o->run.side[k].modes < 1)
            return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: found %d modes to start from, expected at least 1",
                             gears[k].name, o->run.side[k].modes);
    if (o->run.method && strcmp(o->run.method, "explicit") == 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "found method explicit, which has no modes to choose, expected exponential or rk4");
    if (o->run.side[1].driven)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "%s: found `drive: true`, expected a gear that turns freely: its speed is what the runs "
            "are judged by",
            gears[1].name);
    if (!(o->tolerance > 0))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "found tolerance %g, expected a positive number",
                         o->tolerance);
    return slip_gear_run_check(ctx, gears, &o->run);
}

int slip_gear_select(slip_context *ctx, const slip_gear_options gears[2], const slip_reduced *const bodies[2],
                     const slip_gear_select_options *options, slip_gear_select_function function, void *user,
                     slip_gear_run_options *chosen)
{
    SLIP_NEED(ctx, gears, options, chosen);
    search s = {gears, bodies, options, function, user, .now = options->run};
    int status = slip_gear_select_check(ctx, gears, options);
    for (int k = 0; k < 2 && status >= 0; k++)
        if (!bodies || !bodies[k])
            status = slip_fail(ctx, SLIP_ERROR_MODEL, "%s: no reduced body was given", gears[k].name);
    if (status >= 0)
        status = refine_all(ctx, &s);
    *chosen = s.now;
    slip_result_destroy(s.result);
    return status;
}
