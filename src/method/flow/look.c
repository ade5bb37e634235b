#include "method/flow/look.h"
#include "system/friction/friction.h"

#include <float.h>
#include <math.h>

static bool of_time(const slip_flow *flow, const slip_expression *expression)
{
    if (!expression || slip_expression_is_constant(expression, NULL))
        return false;
    for (int slot = 1; slot <= 2 * flow->n; slot++)
        if (slip_expression_reads(expression, slot))
            return false;
    return true;
}

static int scratch_of(const slip_expression *expression)
{
    return expression ? slip_expression_bounds_scratch(expression) : 0;
}

static int most_scratch(const slip_system *system)
{
    int most = 1;
    for (int64_t k = 0; k < system->force_count; k++)
        most = (int)fmax(most, scratch_of(system->forces[k].expression));
    for (int64_t c = 0; c < system->contact_count; c++)
        most = (int)fmax(most, fmax(scratch_of(system->contacts[c].normal_force),
                                    scratch_of(system->contacts[c].gap.rest)));
    for (int64_t c = 0; c < system->contact_count; c++)
        for (int part = 0; part < system->contacts[c].dimension; part++)
            most = (int)fmax(most, scratch_of(system->contacts[c].slips[part].rest));
    for (int64_t c = 0; c < system->contact_count; c++)
        for (int k = 0; k < system->contacts[c].varying_count; k++)
            most = (int)fmax(most, scratch_of(system->contacts[c].varying[k]));
    return most;
}

/* The function of time that is added to the coordinates in a linear gap, or NULL. */
static const slip_expression *stop_of(const slip_contact *contact)
{
    return contact->gap.row ? contact->gap.rest : NULL;
}

int slip_flow_look_create(slip_flow *flow)
{
    const int64_t n = flow->n, count = flow->contact_count;
    slip_look *look = slip_arena_alloc(&flow->arena, sizeof *look);
    flow->look = look;
    SLIP_PASS(slip_allocated(flow->ctx, look));
    for (int64_t k = 0; k < flow->system->force_count; k++)
        look->loads |= of_time(flow, flow->system->forces[k].expression);
    for (int c = 0; c < flow->contact_count; c++)
        look->carried |= of_time(flow, stop_of(&flow->system->contacts[c]));
    for (int c = 0; c < flow->contact_count; c++)
        for (int part = 0; part < flow->system->contacts[c].dimension; part++)
            look->carried |= of_time(flow, flow->system->contacts[c].slips[part].rest);
    look->timed = slip_arena_array(&flow->arena, count, sizeof *look->timed);
    look->of_normal = slip_arena_array(&flow->arena, count * n, sizeof(double));
    look->of_hold = slip_arena_array(&flow->arena, count * n, sizeof(double));
    look->of_yield = slip_arena_array(&flow->arena, count * n, sizeof(double));
    look->states = slip_arena_array(&flow->arena, 3 * count + n, sizeof(double));
    /* given normal forces are bounded as they are, everything else as it is frozen */
    const int scratch = (int)fmax(most_scratch(flow->system), most_scratch(flow->given));
    look->scratch = slip_arena_array(&flow->arena, scratch, sizeof *look->scratch);
    look->reserve = slip_arena_array(&flow->arena, slip_look_slots * count, sizeof(double));
    look->reserve_at = slip_arena_array(&flow->arena, slip_look_slots * count, sizeof(double));
    look->left = slip_arena_array(&flow->arena, slip_look_slots * count, sizeof *look->left);
    SLIP_PASS(slip_allocated(flow->ctx, look->timed && look->of_normal && look->of_hold && look->of_yield &&
                                            look->states && look->scratch && look->reserve &&
                                            look->reserve_at && look->left));
    for (int c = 0; c < flow->contact_count; c++)
        look->timed[c] = of_time(flow, flow->given->contacts[c].normal_force);
    return SLIP_OK;
}

/* The largest force of stick for unit normal force. */
static double hold_of(const slip_flow *flow, int c)
{
    return flow->system->contacts[c].friction->hold(flow->system, flow->work, c);
}

/* Derivatives of the reserves by loads. Constraint forces are linear in the acceleration without contacts:
 * they are computed with none, and with that of a unit load on each coordinate. */
static bool find_influences(slip_flow *flow)
{
    slip_look *look = flow->look;
    const int n = flow->n, count = flow->contact_count;
    double *normal = look->states, *force = normal + count, *yield = force + count, *a = yield + count;
    slip_system_fill(flow->system, flow->work);
    for (int i = -1; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[j] = i < 0 ? 0 : flow->work->inverse_mass[j * n + i];
        if (!slip_system_constrain(flow->system, flow->work, flow->branches, flow->t, flow->q, flow->v, a))
            return false;
        for (int c = 0; c < count; c++) {
            const slip_contact_state *state = &flow->work->contacts[c];
            double change;
            if (i < 0) {
                normal[c] = state->normal;
                force[c] = state->force;
                yield[c] = state->yield;
                continue;
            }
            change = fabs(state->normal - normal[c]);
            look->of_normal[c * n + i] = change;
            look->of_hold[c * n + i] = hold_of(flow, c) * change + fabs(state->force - force[c]);
            look->of_yield[c * n + i] =
                flow->branches[c].clip & ~(unsigned)SLIP_CLIP_WEDGED ? fabs(state->yield - yield[c]) : 0;
        }
    }
    return true;
}

void slip_flow_look_start(slip_flow *flow)
{
    slip_look *look = flow->look;
    for (int k = 0; k < slip_look_slots * flow->contact_count; k++)
        look->reserve_at[k] = NAN;
    look->forces = look->loads && flow->switching && flow->charts.held > 0 && find_influences(flow);
}

/* ---- Deviations. */

static void add(slip_deviation *sum, double weight, slip_deviation part)
{
    sum->bend += weight * part.bend;
    sum->range += weight * part.range;
}

static slip_deviation of_expression(slip_flow *flow, const slip_expression *expression, double from,
                                    double to)
{
    slip_interval value, rate;
    slip_expression_bounds(expression, flow->work->slots, slip_slot_time(), (slip_interval){from, to},
                           flow->look->scratch, &value, &rate);
    return (slip_deviation){(to - from) * slip_interval_width(rate), slip_interval_width(value)};
}

static slip_deviation of_load(slip_flow *flow, const slip_force_term *term, double from, double to)
{
    const double angle = term->frequency * (to - from), size = fabs(term->amplitude);
    if (term->form == SLIP_LOAD_EXPRESSION)
        return of_expression(flow, term->expression, from, to);
    return (slip_deviation){size * angle * fmin(angle, 2), size * fmin(angle, 2)};
}

static slip_deviation of_loads(slip_flow *flow, const double *influence, double from, double to)
{
    slip_deviation sum = {0, 0};
    for (int64_t k = 0; k < flow->system->force_count; k++) {
        const slip_force_term *term = &flow->system->forces[k];
        if (term->time_only && influence[term->coordinate] > 0)
            add(&sum, influence[term->coordinate], of_load(flow, term, from, to));
    }
    return sum;
}

/* The velocity of the coordinates along the gap, inside the last step. */
static double closing(slip_flow *flow, const slip_gap_form *gap, double x)
{
    double *v = flow->look->states, sum = 0;
    slip_stepper_interpolate(flow->stepper, x, flow->n, flow->n, v);
    for (int i = 0; i < flow->n; i++)
        sum += gap->row[i] * v[i];
    return sum;
}

/* The deviation of a gap from its chord: by the moving stop, and by the curvature of the motion. */
static slip_deviation of_gap(slip_flow *flow, int c, double from, double to)
{
    const slip_gap_form *gap = &flow->system->contacts[c].gap;
    slip_deviation sum = of_expression(flow, gap->rest, from, to);
    double bend = 2 * (to - from) * fabs(closing(flow, gap, to) - closing(flow, gap, from));
    add(&sum, 1, (slip_deviation){bend, bend});
    return sum;
}

/* ---- Steps while moving stops and belts carry bodies along. */

/* Whether five values of a function in a step represent it, by its bounds between them. */
static bool resolved(slip_flow *flow, const slip_expression *expression, double from, double to)
{
    double low = INFINITY, high = -INFINITY, worst = 0;
    for (int k = 0; k <= 4; k++) {
        const double start = from + 0.25 * k * (to - from);
        flow->work->slots[slip_slot_time()] = start;
        double value = slip_expression_value(expression, flow->work->slots, flow->work->scratch);
        low = fmin(low, value);
        high = fmax(high, value);
        if (k < 4) {
            slip_deviation d = of_expression(flow, expression, start, start + 0.25 * (to - from));
            worst = fmax(worst, fmin(0.25 * d.bend, d.range));
        }
    }
    return worst <= 0.5 * (high - low) + 1e-3 * flow->options.tolerance;
}

static bool all_resolved(slip_flow *flow, double from, double to)
{
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        const slip_mode mode = flow->branches[c].mode;
        if (slip_contact_closed(contact, mode) && stop_of(contact) &&
            !resolved(flow, stop_of(contact), from, to))
            return false;
        for (int part = 0; mode == SLIP_MODE_STICK && part < contact->dimension; part++)
            if (of_time(flow, contact->slips[part].rest) &&
                !resolved(flow, contact->slips[part].rest, from, to))
                return false;
    }
    return true;
}

double slip_flow_look_limit(slip_flow *flow, double limit)
{
    slip_look *look = flow->look;
    const double from = flow->stepper->x1, length = limit - from;
    const double least = 1e-9 * flow->options.span + 64 * DBL_EPSILON * fabs(from);
    double step = look->resolved > 0 ? fmin(2 * look->resolved, length) : length;
    if (!look->carried || !flow->switching || flow->charts.held == 0 || !isfinite(length))
        return limit;
    while (step > least && !all_resolved(flow, from, from + step))
        step *= 0.5;
    look->resolved = step = fmax(step, least);
    return step < length ? from + step : limit;
}

/* The derivative of the largest force of stick by parameter k of the law, which varies. */
static double of_factor(slip_flow *flow, int c, int k)
{
    return fabs(flow->work->contacts[c].normal) *
           flow->system->contacts[c].friction->hold_by(flow->system, flow->work, c, k);
}

slip_deviation slip_flow_deviation(slip_flow *flow, int c, slip_flow_boundary boundary, double from,
                                   double to)
{
    const slip_look *look = flow->look;
    const slip_contact *contact = &flow->given->contacts[c];
    slip_deviation sum = {0, 0};
    if (slip_flow_in_chart(flow))
        return sum; /* steps of the charted stepper are not steps in time */
    if (boundary == SLIP_FLOW_LAND)
        return of_gap(flow, c, from, to);
    if (boundary == SLIP_FLOW_UNSTICK && look->forces)
        sum = of_loads(flow, look->of_hold + c * flow->n, from, to);
    if (boundary == SLIP_FLOW_LIFT && look->forces)
        sum = of_loads(flow, look->of_normal + c * flow->n, from, to);
    if (boundary == SLIP_FLOW_YIELD && look->forces)
        sum = of_loads(flow, look->of_yield + c * flow->n, from, to);
    if ((boundary == SLIP_FLOW_UNSTICK || boundary == SLIP_FLOW_PULL) && look->timed[c])
        add(&sum, boundary == SLIP_FLOW_PULL ? 1 : hold_of(flow, c),
            of_expression(flow, contact->normal_force, from, to));
    for (int k = 0; k < contact->varying_count && boundary == SLIP_FLOW_UNSTICK; k++)
        if (of_time(flow, flow->system->contacts[c].varying[k]))
            add(&sum, of_factor(flow, c, k),
                of_expression(flow, flow->system->contacts[c].varying[k], from, to));
    return sum;
}
