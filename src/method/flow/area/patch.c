/* Set-valued friction of plane contact areas: stick, and slip that starts from zero and ends at zero.
 *
 * Friction depends on the direction of the slip s (x, y and spin times size) only, and that is undefined at
 * rest. Next to rest the unknowns are ln L, L = |s|, and the direction d, over the clock dt/dx = L (flow.h):
 *
 *     (ln L)' = d . s',   d' = s' - (d . s') d,
 *
 * which is smooth up to and on L = 0. There s' = b - K T(d), with the load b and K = mu N W M^-1 W^T frozen,
 * and the direction alone moves. Where K T is the gradient of a convex function (the integral model) the
 * direction moves to the largest growth d . s': the only direction with s' = g d and g > 0 is the one in
 * which slip starts. Slip ends along a direction with g < 0: L falls exponentially in x, until the remaining
 * time of slip is below rounding of t.
 *
 * A patch at rest sticks while the forces that hold it are within static_ratio times the limit surface
 * (patch/within.c), and slips otherwise; this is decided together with all other contacts
 * (method/modes/modes.h).
 *
 * Start: with the growth g0 now and g1 a short time h ahead, L = h (g0 + g1)/2 up to h^3. With static_ratio 1
 * the growth is zero at the onset, L ~ t^2, and the direction follows the load at once: then h is longer,
 * since the motion is stiff while L is small.
 *
 * Away from rest s follows from the velocities; a step that might have passed through rest is repeated in the
 * chart. */
#include "method/flow/area/patch.h"

#include <math.h>
#include <stdlib.h>

/* ---- Creating. */

int slip_flow_patch_create(slip_flow *flow)
{
    const slip_system *system = flow->system;
    const int n = flow->n;
    double *numbers = slip_arena_array(&flow->arena, 6 * (int64_t)n + 1, sizeof(double));
    flow->areas.list = slip_arena_array(&flow->arena, system->patch_count, sizeof *flow->areas.list);
    flow->areas.moment = slip_arena_alloc(&flow->arena, sizeof *flow->areas.moment);
    flow->areas.untried = slip_arena_array(&flow->arena, system->patch_count, sizeof *flow->areas.untried);
    flow->areas.tried = slip_arena_array(&flow->arena, flow->contact_count, sizeof *flow->areas.tried);
    SLIP_PASS(slip_allocated(flow->ctx, flow->areas.list && flow->areas.moment && flow->areas.tried &&
                                            flow->areas.untried && numbers));
    *flow->areas.moment =
        (slip_moment){.q = numbers, .v = numbers + n, .a0 = numbers + 2 * n, .a1 = numbers + 3 * n};
    flow->areas.shift = numbers + 4 * n;
    for (int c = 0; c < flow->contact_count; c++)
        if (system->contacts[c].patch && system->contacts[c].set_valued) {
            slip_flow_patch *p = &flow->areas.list[flow->areas.count++];
            *p = (slip_flow_patch){
                .contact = c, .form = system->contacts[c].patch, .slot = flow->charts.slots, .leader = p};
            p->turned = slip_arena_array(&flow->arena, 9 * (int64_t)n, sizeof(double));
            SLIP_PASS(slip_allocated(flow->ctx, p->turned));
            p->gradients = p->turned + 3 * n;
            flow->charts.slots += 4;
            flow->areas.of[c] = p;
        }
    return SLIP_OK;
}

/* ---- Units of the area: x, y, size times spin; forces x, y, moment over size. */

void slip_flow_patch_aim(slip_flow_patch *p, const double d[3])
{
    double length = slip_area_norm(d);
    for (int i = 0; i < 3; i++)
        p->direction[i] = p->user[i] = d[i] / length;
    p->user[2] /= p->form->size;
    if (p->sum)
        slip_flow_patch_aim_others(p);
}

void slip_flow_patch_slip(slip_flow *flow, const slip_flow_patch *p, double t, const double *q,
                          const double *v, double slip[3])
{
    slip_system_patch_slip(flow->system, flow->work, p->contact, t, q, v, slip);
    slip[2] *= p->form->size;
}

void slip_flow_patch_rate(slip_flow *flow, const slip_flow_patch *p, double t, const double *q,
                          const double *v, const double *a, double rate[3])
{
    slip_system_patch_rate(flow->system, flow->work, p->contact, t, q, v, a, rate);
    rate[2] *= p->form->size;
}

static bool rows_are_constant(const slip_flow *flow, const slip_flow_patch *leader)
{
    for (const slip_flow_patch *p = leader; p; p = p->next)
        for (int part = 0; part < 3; part++)
            if (!flow->system->contacts[p->contact].slips[part].row)
                return false;
    return true;
}

void slip_flow_patch_refresh(slip_flow *flow, slip_flow_patch *p)
{
    const slip_patch_form *form = p->form;
    const int n = flow->n;
    double trace = 0;
    if (p->rank > 0 && rows_are_constant(flow, p))
        return;
    slip_system_fill(flow->system, flow->work);
    p->rank = slip_system_patch_basis(flow->system, flow->work, p->contact, p->basis);
    for (int part = 0; part < 3; part++) {
        const double *row = slip_system_patch_row(flow->system, flow->work, p->contact, part);
        double product = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                product += row[i] * flow->work->inverse_mass[i * n + j] * row[j];
        trace += product * (part == 2 ? form->size * form->size : 1);
    }
    p->stiffness = trace;
    slip_flow_patch_map(flow, p);
}

void slip_flow_patch_turn(slip_flow *flow, slip_flow_patch *leader, double t, const double *q,
                          const double *v)
{
    double slip[3];
    if (!leader->sum || (leader->rank > 0 && rows_are_constant(flow, leader)))
        return;
    for (slip_flow_patch *p = leader; p; p = p->next)
        slip_flow_patch_slip(flow, p, t, q, v, slip);
    slip_flow_patch_refresh(flow, leader);
}

/* ---- Stick. */

/* Returns the limit of stick; *ratio: the load, as a force by the same measure. */
double slip_flow_patch_limit(void *user, int c, double *ratio)
{
    slip_flow *flow = user;
    slip_flow_patch *p = flow->areas.of[c];
    double u[3], strength;
    const slip_patch *law;
    slip_flow_patch_refresh(flow, p);
    law = slip_flow_patch_law(flow, p, true, &strength);
    slip_flow_patch_load(flow, p, u);
    if (slip_patch_limit_within(flow->ctx, law, p->rank, p->basis, u, ratio, p->load) < 0)
        *ratio = INFINITY;
    return fmax(strength, 0); /* a vanishing normal force may be slightly negative by rounding */
}

double slip_flow_patch_reserve(slip_flow *flow, int c)
{
    double ratio, strength;
    if (!slip_flow_patch_leads(flow->areas.of[c]) || flow->branches[c].clip)
        return INFINITY; /* the leader has the limit, or forces that are not unique are kept at it */
    strength = slip_flow_patch_limit(flow, c, &ratio);
    return strength - ratio;
}

static bool any_held(const slip_flow *flow)
{
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->branches[c].mode == SLIP_MODE_STICK ||
            slip_contact_closed(&flow->system->contacts[c], flow->branches[c].mode))
            return true;
    return false;
}

bool slip_flow_patch_evaluate(slip_flow *flow, double t, const double *q, const double *v)
{
    return slip_system_acceleration(flow->system, flow->work, flow->branches, t, q, v, flow->a_last) &&
           (!any_held(flow) ||
            slip_system_constrain(flow->system, flow->work, flow->branches, t, q, v, flow->a_last));
}

/* ---- Deciding. */

void slip_flow_patch_set_direction(slip_flow *flow, slip_flow_patch *p, bool known)
{
    for (; p; p = p->next)
        flow->branches[p->contact].direction = known ? p->user : NULL;
}

void slip_flow_patch_set_mode(slip_flow *flow, slip_flow_patch *leader, slip_mode mode)
{
    for (slip_flow_patch *p = leader; p; p = p->next) {
        flow->branches[p->contact].mode = mode;
        flow->branches[p->contact].follows = p != leader ? 1 + leader->contact : 0;
    }
}

void slip_flow_patch_set_slip(slip_flow *flow, slip_flow_patch *p, bool from_rest)
{
    slip_flow_patch_set_mode(flow, p, SLIP_MODE_SLIP);
    slip_flow_patch_set_direction(flow, p, from_rest || p->charted);
}

void slip_flow_patch_set_stick(slip_flow *flow, slip_flow_patch *p)
{
    p->charted = false;
    slip_flow_patch_set_mode(flow, p, SLIP_MODE_STICK);
    slip_flow_patch_set_direction(flow, p, false);
}

void slip_flow_patch_stop(slip_flow *flow, int c)
{
    slip_flow_patch_set_stick(flow, flow->areas.of[c]);
}

/* Whether a patch of the group is marked as having come to rest; clears these marks. */
static bool group_rests(const slip_flow *flow, const slip_flow_patch *leader)
{
    bool rests = false;
    for (const slip_flow_patch *p = leader; p; p = p->next) {
        rests |= flow->impacts.came_to_rest[p->contact];
        flow->impacts.came_to_rest[p->contact] = false;
    }
    return rests;
}

void slip_flow_patch_find_resting(slip_flow *flow)
{
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        double slip[3], size = 0;
        if (!slip_flow_patch_leads(p))
            continue;
        if (!slip_flow_patch_touches(flow, p)) {
            p->charted = flow->decision.standing[p->contact].resting =
                flow->impacts.came_to_rest[p->contact] = false;
            slip_flow_patch_set_direction(flow, p, false);
            continue;
        }
        slip_flow_patch_slip(flow, p, flow->t, flow->q, flow->v, slip);
        for (int part = 0; part < 3; part++) {
            const double *row = slip_system_patch_row(flow->system, flow->work, p->contact, part);
            for (int i = 0; i < flow->n; i++)
                size += fabs(row[i] * flow->v[i]) * (part == 2 ? p->form->size : 1);
        }
        flow->decision.standing[p->contact].resting = group_rests(flow, p) ||
                                                      (!p->charted && slip_area_norm(slip) <= 1e-13 * size) ||
                                                      slip_area_norm(slip) == 0;
        if (flow->decision.standing[p->contact].resting)
            slip_flow_patch_set_stick(flow, p);
        else
            slip_flow_patch_set_slip(flow, p, false);
        /* corrections of the velocities for other contacts change its slip, too */
        if (p->charted && slip_area_norm(slip) > 1e-7 * size) {
            slip_flow_patch_aim(p, slip);
            p->log_size = log(slip_area_norm(slip));
        }
    }
}

/* ---- Which patches start to slip: decided with the modes of all other contacts (method/modes/modes.h). */

void slip_flow_patch_forget(slip_flow *flow)
{
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        if (slip_flow_patch_slips(flow, p)) {
            p->charted = false;
            slip_flow_patch_set_direction(flow, p, false);
        }
    }
}

int slip_flow_patch_by_size(const slip_flow *flow, int k)
{
    for (int at = 0; at < flow->areas.count; at++) {
        int smaller = 0;
        for (int i = 0; i < flow->areas.count; i++)
            smaller += flow->areas.list[i].log_size < flow->areas.list[at].log_size ||
                       (flow->areas.list[i].log_size == flow->areas.list[at].log_size && i < at);
        if (smaller == k)
            return at;
    }
    return 0;
}

bool slip_flow_patch_target(const slip_flow *flow, int c, double target[3])
{
    const slip_flow_patch *p = flow->areas.of[c];
    bool stick = p && flow->branches[c].mode == SLIP_MODE_STICK;
    if (!p || (!stick && !p->charted))
        return false;
    for (int i = 0; i < 3; i++)
        target[i] = stick ? 0 : exp(p->log_size) * p->user[i];
    return true;
}
