/* Expressions over the slots of the system that moves (massless.h): made of those that were given. */
#include "system/massless/types.h"

bool slip_reduction_keep(slip_reduction *d, slip_expression *expression)
{
    if (SLIP_ROOM(d->owned, d->owned_capacity, d->owned_count + 1)) {
        d->owned[d->owned_count++] = expression;
        return true;
    }
    slip_expression_destroy(expression);
    return false;
}

int slip_reduction_add_load(slip_reduction *d, int coordinate, double factor,
                            const slip_expression *expression)
{
    SLIP_PASS(slip_allocated(d->ctx, SLIP_ROOM(d->loads, d->load_capacity, d->load_count + 1)));
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
    SLIP_PASS(slip_allocated(b->d->ctx, slip_reduction_keep(b->d, *made)));
    *result = *made;
    return SLIP_OK;
}

void slip_rebuild_add(slip_rebuild *b, double factor, const slip_expression *part)
{
    if (factor == 0 || b->failed)
        return;
    b->failed = !SLIP_ROOM(b->factors, b->factor_capacity, b->count + 1) ||
                !SLIP_ROOM(b->parts, b->part_capacity, b->count + 1);
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
    *rate = NULL;
    SLIP_PASS(slip_rebuild_keep(b, slip_expression_rate(of, b->rate, 1 + 2 * b->n, &made), &made, &changed));
    for (int slot = 0; slot < 1 + 2 * b->n; slot++)
        b->inner[slot] = b->slot[slot];
    for (int p = 0; p < b->nc; p++)
        if (slip_rebuild_is(b, p, SLIP_DAMPED))
            b->inner[1 + 2 * b->n + b->d->to->place[p]] = b->v[p];
    made = NULL;
    int status = slip_expression_substitute(changed, 0, 1 + 3 * b->n, (slip_expressions)b->inner, &made);
    return status == SLIP_ERROR_MODEL ? SLIP_OK : slip_rebuild_keep(b, status, &made, rate);
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

/* The loads on p, times a factor, into the sum. */
int slip_rebuild_add_loads(slip_rebuild *b, int p, double factor)
{
    for (int64_t k = 0; k < b->d->load_count; k++) {
        const slip_reduction_load *load = &b->d->loads[k];
        const double part = b->d->to->transform[load->coordinate * b->nc + p] * load->factor;
        slip_expression *made;
        if (part == 0)
            continue;
        SLIP_PASS(slip_rebuild_replace(b, "the force on", b->d->from->names[load->coordinate],
                                       load->expression, &made));
        slip_rebuild_add(b, factor * part, made);
    }
    return SLIP_OK;
}

/* -K_p p - C_p p' of the coordinates of one weight, times a factor, into the sum. */
int slip_rebuild_add_structure(slip_rebuild *b, int p, slip_weight weight, double factor)
{
    for (int j = 0; j < b->nc; j++) {
        if (!slip_rebuild_is(b, j, weight))
            continue;
        const double k = b->d->stiffness[p * b->nc + j], c = p == j ? 0 : b->d->damping[p * b->nc + j];
        if ((k != 0 && !b->q[j]) || (c != 0 && !b->v[j]))
            return slip_fail(b->d->ctx, SLIP_ERROR_MODEL,
                             "a damper connects `%s`, which has no mass, and `%s`, and friction decides how "
                             "one of them moves: give it a mass",
                             b->d->from->names[slip_rebuild_is(b, p, SLIP_HEAVY) ? j : p],
                             b->d->from->names[slip_rebuild_is(b, p, SLIP_HEAVY) ? p : j]);
        slip_rebuild_add(b, -factor * k, b->q[j]);
        slip_rebuild_add(b, -factor * c, b->v[j]);
    }
    return SLIP_OK;
}

int slip_rebuild_belt(slip_rebuild *b, int c, slip_expression **belt)
{
    const slip_slip_form *form = &b->d->from->contacts[c].slip;
    const char *name = b->d->from->contacts[c].name;
    slip_expression *rest;
    for (int x = 0; x < b->nc; x++) {
        double arm = 0;
        for (int i = 0; i < b->nc && slip_rebuild_is(b, x, SLIP_HEAVY); i++)
            arm += form->row[i] * b->d->to->transform[i * b->nc + x];
        slip_rebuild_add(b, arm, b->v[x]);
    }
    if (form->rest) {
        SLIP_PASS(slip_rebuild_replace(b, "the slip of contact", name, form->rest, &rest));
        slip_rebuild_add(b, 1, rest);
    }
    if (form->constant != 0) {
        slip_expression *made = NULL;
        SLIP_PASS(slip_rebuild_keep(b, slip_expression_constant(form->constant, &made), &made, &rest));
        slip_rebuild_add(b, 1, rest);
    }
    return slip_rebuild_sum(b, name, belt);
}

int slip_rebuild_force(slip_rebuild *b, int p, slip_expression **force)
{
    SLIP_PASS(slip_rebuild_add_loads(b, p, 1));
    for (int weight = SLIP_HEAVY; weight <= SLIP_CREEPING; weight++)
        if (!slip_rebuild_is(b, p, SLIP_DAMPED) || weight != SLIP_DAMPED)
            SLIP_PASS(slip_rebuild_add_structure(b, p, (slip_weight)weight, 1));
    for (int j = 0; j < b->nc && slip_rebuild_is(b, p, SLIP_DAMPED);
         j++) /* dampers between damped ones: C_dd */
        if (slip_rebuild_is(b, j, SLIP_DAMPED))
            slip_rebuild_add(b, -b->d->stiffness[p * b->nc + j], b->q[j]);
    return slip_rebuild_sum(b, b->d->from->names[p], force);
}
