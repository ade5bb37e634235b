/* Expressions over the slots of the system that moves (massless.h): made of those that were given. */
#include "system/massless/types.h"

#include <stdlib.h>

bool slip_reduction_keep(slip_reduction *d, slip_expression *expression)
{
    if (slip_array_reserve(&d->owned, &d->owned_capacity, d->owned_count + 1, sizeof(void *))) {
        d->owned[d->owned_count++] = expression;
        return true;
    }
    slip_expression_destroy(expression);
    return false;
}

int slip_reduction_add_load(slip_reduction *d, int coordinate, double factor,
                            const slip_expression *expression)
{
    if (!slip_array_reserve(&d->loads, &d->load_capacity, d->load_count + 1, sizeof *d->loads))
        return slip_fail_memory(d->ctx);
    d->loads[d->load_count++] = (slip_reduction_load){coordinate, factor, expression};
    return SLIP_OK;
}

static int fail_size(const slip_rebuild *b)
{
    return slip_fail(b->d->ctx, SLIP_ERROR_MODEL,
                     "the expressions of coordinates without mass are too large: give them a mass");
}

int slip_rebuild_status(const slip_rebuild *b, int status)
{
    return status == SLIP_ERROR_MEMORY ? slip_fail_memory(b->d->ctx) : status < 0 ? fail_size(b) : SLIP_OK;
}

int slip_rebuild_keep(const slip_rebuild *b, int status, slip_expression *const *made,
                      slip_expression **result)
{
    *result = NULL;
    if (status < 0)
        return slip_rebuild_status(b, status);
    if (!slip_reduction_keep(b->d, *made))
        return slip_fail_memory(b->d->ctx);
    *result = *made;
    return SLIP_OK;
}

void slip_rebuild_add(slip_rebuild *b, double factor, const slip_expression *part)
{
    if (factor == 0 || b->failed)
        return;
    b->failed = !slip_array_reserve(&b->factors, &b->factor_capacity, b->count + 1, sizeof *b->factors) ||
                !slip_array_reserve(&b->parts, &b->part_capacity, b->count + 1, sizeof *b->parts);
    if (b->failed)
        return;
    b->factors[b->count] = factor;
    b->parts[b->count++] = part;
}

int slip_rebuild_sum(slip_rebuild *b, const char *text, slip_expression **result)
{
    slip_expression *made = NULL;
    const int count = b->count;
    b->count = 0;
    const int status = b->failed
                           ? SLIP_ERROR_MEMORY
                           : slip_expression_sum(text, count, b->factors, (slip_expressions)b->parts, &made);
    return slip_rebuild_keep(b, status, &made, result);
}

int slip_rebuild_hand_over(slip_rebuild *b, const char *text, slip_expression **result)
{
    const int count = b->count;
    b->count = 0;
    const int status = b->failed
                           ? SLIP_ERROR_MEMORY
                           : slip_expression_sum(text, count, b->factors, (slip_expressions)b->parts, result);
    return slip_rebuild_status(b, status);
}

int slip_rebuild_replace(const slip_rebuild *b, const char *what, const char *name,
                         const slip_expression *given, slip_expression **result)
{
    slip_expression *made = NULL;
    const int status =
        slip_expression_substitute(given, 0, 1 + 2 * b->d->from->n, (slip_expressions)b->with, &made);
    *result = NULL;
    if (status == SLIP_ERROR_MODEL)
        return slip_fail(b->d->ctx, SLIP_ERROR_MODEL,
                         "%s `%s`, `%s`, depends on a coordinate without mass in a way that does not decide "
                         "it: expected loads that are linear in it, and none that read the velocity of one "
                         "that friction holds; or give it a mass",
                         what, name, slip_expression_text(given));
    return slip_rebuild_keep(b, status, &made, result);
}

int slip_rebuild_rate(slip_rebuild *b, const slip_expression *of, slip_expression **rate)
{
    slip_expression *made = NULL, *changed;
    int status;
    *rate = NULL;
    SLIP_TRY(slip_rebuild_keep(b, slip_expression_rate(of, b->rate, 1 + 2 * b->n, &made), &made, &changed));
    for (int slot = 0; slot < 1 + 2 * b->n; slot++)
        b->inner[slot] = b->slot[slot];
    for (int p = 0; p < b->nc; p++)
        if (slip_rebuild_is(b, p, SLIP_DAMPED))
            b->inner[1 + 2 * b->n + b->d->to->place[p]] = b->v[p];
    made = NULL;
    status = slip_expression_substitute(changed, 0, 1 + 3 * b->n, (slip_expressions)b->inner, &made);
    status = status == SLIP_ERROR_MODEL ? SLIP_OK : slip_rebuild_keep(b, status, &made, rate);
done:
    return status;
}

static const char clamp_text[] = "min(max(k, -l), l)";

int slip_rebuild_clamp(const slip_rebuild *b, const slip_expression *hold, double limit,
                       slip_expression **result)
{
    const slip_symbol symbols[] = {{.name = "k", .slot = 0}, {.name = "l", .slot = -1, .value = limit}, {0}};
    slip_expression_error error;
    slip_expression *clamp = NULL, *made = NULL;
    int status = slip_expression_compile(clamp_text, symbols, &clamp, &error);
    if (status >= 0)
        status = slip_expression_substitute(clamp, 0, 1, (slip_expressions)&hold, &made);
    slip_expression_destroy(clamp);
    return slip_rebuild_keep(b, status, &made, result);
}

int slip_rebuild_add_force(slip_rebuild *b, int place, const char *text)
{
    slip_expression *force;
    const int status = slip_rebuild_hand_over(b, text, &force);
    return status < 0 ? status : slip_system_add_force(b->d->ctx, b->d->to->system, place, force);
}
