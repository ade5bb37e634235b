/* Set-valued friction of plane contact areas: stick, and slip that starts from zero and ends at zero.
 *
 * Friction depends on the direction of the slip s (x, y and spin times size) only, and that is undefined at
 * rest. Next to rest the unknowns are ln L, L = |s|, and the direction d, over the clock dt/dx = L (flow.h):
 *
 *     (ln L)' = d . s',   d' = s' - (d . s') d,
 *
 * which is smooth up to and on L = 0. There s' = b - K T(d), with the load b and K = mu N W M^-1 W^T frozen,
 * and the direction alone moves. Where K T is the gradient of a convex function (the integral model) it
 * climbs to the largest growth, d . s': the only direction with s' = g d and g > 0 is the one in which slip
 * starts. Slip that ends comes in along a direction with g < 0: L falls exponentially in x, until what is
 * left of it lasts no longer than rounding in t.
 *
 * A patch at rest sticks while the forces that hold it are within static_ratio times the limit surface
 * (law/patch_within.c), slips otherwise.
 *
 * Start: with the growth g0 now and g1 a short time h ahead, L = h (g0 + g1)/2 up to h^3. With static_ratio 1
 * the growth is zero at the onset, L ~ t^2, and the direction follows the load at once: then h is not quite
 * as short, since the motion is stiff as long as L is small.
 *
 * Away from rest the velocities themselves say what s is; a step that might have passed through rest is taken
 * again in the chart. */
#include "method/flow_patch.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Creating. */

int slip_flow_patch_create(slip_flow *flow)
{
    const slip_system *system = flow->system;
    const int n = flow->n;
    double *numbers = slip_arena_array(&flow->arena, 6 * (int64_t)n + 1, sizeof(double));
    flow->patches = slip_arena_array(&flow->arena, system->patch_count, sizeof *flow->patches);
    flow->moment = slip_arena_alloc(&flow->arena, sizeof *flow->moment);
    flow->tried = slip_arena_array(&flow->arena, 3 * (int64_t)flow->contact_count, sizeof *flow->tried);
    if (!flow->patches || !flow->moment || !flow->tried || !numbers)
        return slip_fail_memory(flow->ctx);
    *flow->moment =
        (slip_moment){.q = numbers, .v = numbers + n, .a0 = numbers + 2 * n, .a1 = numbers + 3 * n};
    flow->shift = numbers + 4 * n;
    for (int c = 0; c < flow->contact_count; c++)
        if (system->contacts[c].patch && system->contacts[c].patch->set_valued) {
            slip_flow_patch *p = &flow->patches[flow->patch_count++];
            *p = (slip_flow_patch){.contact = c, .slot = flow->slot_count, .leader = p};
            flow->slot_count += 4;
            flow->patch_of[c] = p;
        }
    return SLIP_OK;
}

/* ---- Units of the area: x, y, size times spin; forces x, y, moment over size. */

void slip_flow_patch_aim(slip_flow *flow, slip_flow_patch *p, const double d[3])
{
    double length = slip_area_norm(d);
    for (int i = 0; i < 3; i++)
        p->direction[i] = p->user[i] = d[i] / length;
    p->user[2] /= slip_flow_patch_form(flow, p)->size;
    if (p->sum)
        slip_flow_patch_aim_others(flow, p);
}

void slip_flow_patch_slip(slip_flow *flow, const slip_flow_patch *p, double t, const double *q,
                          const double *v, double slip[3])
{
    slip_system_patch_slip(flow->system, flow->work, p->contact, t, q, v, slip);
    slip[2] *= slip_flow_patch_form(flow, p)->size;
}

void slip_flow_patch_rate(slip_flow *flow, const slip_flow_patch *p, double t, const double *q,
                          const double *v, const double *a, double rate[3])
{
    slip_system_patch_rate(flow->system, flow->work, p->contact, t, q, v, a, rate);
    rate[2] *= slip_flow_patch_form(flow, p)->size;
}

static bool rows_are_constant(const slip_flow *flow, const slip_flow_patch *leader)
{
    for (const slip_flow_patch *p = leader; p; p = p->next)
        for (int part = 0; part < 3; part++)
            if (!slip_flow_patch_form(flow, p)->slip[part].row)
                return false;
    return true;
}

void slip_flow_patch_refresh(slip_flow *flow, slip_flow_patch *p)
{
    const slip_patch_form *form = slip_flow_patch_form(flow, p);
    const int n = flow->n;
    double trace = 0;
    if (p->rank > 0 && rows_are_constant(flow, p))
        return;
    p->rank = slip_system_patch_basis(flow->system, flow->work, p->contact, p->basis);
    for (int part = 0; part < 3; part++) {
        const double *row = slip_system_patch_row(flow->system, flow->work, p->contact, part);
        double product = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                product += row[i] * flow->system->inverse_mass[i * n + j] * row[j];
        trace += product * (part == 2 ? form->size * form->size : 1);
    }
    p->stiffness = form->mu * trace;
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

/* The limit of stick and what the forces are of it, both as forces. */
static double limit_of(slip_flow *flow, slip_flow_patch *p, double *ratio)
{
    double u[3], strength;
    const slip_patch *law;
    slip_flow_patch_refresh(flow, p);
    law = slip_flow_patch_law(flow, p, true, &strength);
    slip_flow_patch_load(flow, p, u);
    if (slip_patch_limit_within(flow->ctx, law, p->rank, p->basis, u, ratio, p->load) < 0)
        *ratio = INFINITY;
    return strength;
}

double slip_flow_patch_reserve(slip_flow *flow, int c)
{
    double ratio, strength;
    if (!slip_flow_patch_leads(flow->patch_of[c]))
        return INFINITY;
    strength = limit_of(flow, flow->patch_of[c], &ratio);
    return strength - ratio;
}

static bool any_held(const slip_flow *flow)
{
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->branches[c].mode == SLIP_MODE_STICK ||
            (flow->system->contacts[c].kind == SLIP_CONTACT_UNILATERAL &&
             flow->branches[c].mode != SLIP_MODE_OPEN))
            return true;
    return false;
}

/* Accelerations with the branches as they are, in flow->a_last. */
bool slip_flow_patch_evaluate(slip_flow *flow, double t, const double *q, const double *v)
{
    return slip_system_acceleration(flow->system, flow->work, flow->branches, t, q, v, flow->a_last) &&
           (!any_held(flow) ||
            slip_system_constrain(flow->system, flow->work, flow->branches, t, q, v, flow->a_last));
}

/* The hold of a patch that sticks is exceeded: now or, where that is a tie, a short time ahead. The equation
 * was evaluated here. */
static bool exceeded(slip_flow *flow, slip_flow_patch *p, double *by)
{
    const double h = slip_flow_short_time(flow);
    double start[3], ratio, strength = limit_of(flow, p, &ratio), reserve = strength - ratio;
    const double size = fmin(ratio, 1e300) + fabs(strength) + 1e-300;
    *by = -reserve / size;
    if (fabs(reserve) > 1e-8 * size)
        return reserve < 0;
    memcpy(start, p->load, sizeof start);
    slip_flow_moment_begin(flow, h);
    slip_flow_moment_inside(flow, h, flow->y, flow->y + flow->n);
    slip_flow_patch_free(flow, NULL, false);
    if (slip_flow_patch_evaluate(flow, flow->t + h, flow->y, flow->y + flow->n))
        reserve = slip_flow_patch_reserve(flow, p->contact);
    slip_flow_patch_restore(flow);
    memcpy(p->load, start, sizeof start);
    slip_flow_patch_evaluate(flow, flow->t, flow->q, flow->v);
    return reserve < -1e-12 * size;
}

/* ---- Deciding. */

void slip_flow_patch_set_direction(slip_flow *flow, slip_flow_patch *p, bool known)
{
    for (; p; p = p->next)
        flow->branches[p->contact].direction = known ? p->user : NULL;
}

static void set_mode(slip_flow *flow, slip_flow_patch *leader, slip_mode mode)
{
    for (slip_flow_patch *p = leader; p; p = p->next) {
        flow->branches[p->contact].mode = mode;
        flow->branches[p->contact].follows = p != leader;
    }
}

void slip_flow_patch_set_slip(slip_flow *flow, slip_flow_patch *p, bool from_rest)
{
    set_mode(flow, p, SLIP_MODE_SLIP);
    slip_flow_patch_set_direction(flow, p, from_rest || p->charted);
}

void slip_flow_patch_set_stick(slip_flow *flow, slip_flow_patch *p)
{
    p->charted = false;
    set_mode(flow, p, SLIP_MODE_STICK);
    slip_flow_patch_set_direction(flow, p, false);
}

/* Some patch of the group was found at rest where others came to it. */
static bool group_rests(const slip_flow *flow, const slip_flow_patch *leader)
{
    bool rests = false;
    for (const slip_flow_patch *p = leader; p; p = p->next) {
        rests |= flow->came_to_rest[p->contact];
        flow->came_to_rest[p->contact] = false;
    }
    return rests;
}

/* Which patches are at rest, to rounding or because they are known to be. The others slip. */
static void find_resting(slip_flow *flow)
{
    for (int k = 0; k < flow->patch_count; k++) {
        slip_flow_patch *p = &flow->patches[k];
        double slip[3], size = 0;
        if (!slip_flow_patch_leads(p))
            continue;
        slip_flow_patch_slip(flow, p, flow->t, flow->q, flow->v, slip);
        for (int part = 0; part < 3; part++) {
            const double *row = slip_system_patch_row(flow->system, flow->work, p->contact, part);
            for (int i = 0; i < flow->n; i++)
                size += fabs(row[i] * flow->v[i]) * (part == 2 ? slip_flow_patch_form(flow, p)->size : 1);
        }
        p->resting = group_rests(flow, p) || (!p->charted && slip_area_norm(slip) <= 1e-13 * size) ||
                     slip_area_norm(slip) == 0;
        if (p->resting)
            slip_flow_patch_set_stick(flow, p);
        else
            slip_flow_patch_set_slip(flow, p, false);
        /* what others did to the velocities counts for it, too */
        if (p->charted && slip_area_norm(slip) > 1e-7 * size) {
            slip_flow_patch_aim(flow, p, slip);
            p->log_size = log(slip_area_norm(slip));
        }
    }
}

/* ---- Which patches start to slip, together with the modes of all other contacts.
 *
 * Each patch at rest sticks or starts to slip; for each choice the modes of the others are decided, with the
 * conditions of the patches beside their own. The choice with the fewest releases is taken, then the one in
 * which the fewest patches start. */

enum { most_resting = 5 };

/* For trial modes of all contacts: the directions of the patches that start; true when they exist, and no
 * patch that sticks is beyond its limit. */
static bool patches_agree(void *user, slip_branch *trial)
{
    slip_flow *flow = user;
    double by, ratio;
    memcpy(flow->branches, trial, (size_t)flow->contact_count * sizeof *trial);
    for (int k = 0; k < flow->patch_count; k++)
        if (slip_flow_patch_starts(flow, &flow->patches[k]))
            flow->patches[k].tried = true;
    /* slip starts about where the force points that would hold */
    for (int k = 0; k < flow->patch_count; k++)
        if (flow->patches[k].tried)
            slip_flow_patch_set_stick(flow, &flow->patches[k]);
    bool defined = slip_flow_patch_evaluate(flow, flow->t, flow->q, flow->v);
    for (int k = 0; k < flow->patch_count; k++) {
        slip_flow_patch *p = &flow->patches[k];
        if (p->tried && defined)
            limit_of(flow, p, &ratio);
        if (p->tried)
            slip_flow_patch_set_slip(flow, p, true);
        p->tried = false;
    }
    if (!defined || slip_flow_patch_directions(flow, flow->t, flow->q, flow->v) ||
        !slip_flow_patch_evaluate(flow, flow->t, flow->q, flow->v))
        return false;
    for (int k = 0; k < flow->patch_count; k++) {
        slip_flow_patch *p = &flow->patches[k];
        if (slip_flow_patch_leads(p) && p->resting && flow->branches[p->contact].mode == SLIP_MODE_STICK &&
            exceeded(flow, p, &by))
            return false;
    }
    return true;
}

/* The patches at rest: those of `starting` (bits) start to slip, the others stick. Returns what speaks
 * against that. */
static int set_patches(slip_flow *flow, slip_flow_patch *const *resting, int count, unsigned starting)
{
    int price = 0;
    for (int k = 0; k < count; k++) {
        bool starts = starting >> k & 1;
        if (starts)
            slip_flow_patch_set_slip(flow, resting[k], true);
        else
            slip_flow_patch_set_stick(flow, resting[k]);
        if (starts) /* as much as of any other contact at rest */
            price += slip_modes_price_of(
                flow->decider,
                &(slip_standing){.resting = true, .held = flow->standing[resting[k]->contact].held},
                SLIP_MODE_SLIP);
    }
    return price;
}

/* Tries all choices of up to most_resting patches; the best modes go to the branches. */
static int decide_together(slip_flow *flow, slip_flow_patch *const *resting, int count, double ahead,
                           int *contact)
{
    const size_t size = (size_t)flow->contact_count * sizeof *flow->branches;
    const slip_instant now = {flow->t, flow->q, flow->v, flow->standing, ahead};
    slip_branch *before = flow->tried, *best = before + flow->contact_count,
                *trial = best + flow->contact_count;
    int lowest = INT_MAX, status = SLIP_MODES_NONE;
    memcpy(before, flow->branches, size);
    slip_modes_ask_beside(flow->decider, patches_agree, flow);
    for (unsigned starting = 0; starting < 1u << count && lowest > 0; starting++) {
        memcpy(flow->branches, before, size);
        int price = set_patches(flow, resting, count, starting);
        memcpy(trial, flow->branches, size);
        int found = slip_modes_decide(flow->decider, &now, trial, contact);
        if (found == SLIP_OK && price + slip_modes_price(flow->decider) < lowest) {
            lowest = price + slip_modes_price(flow->decider);
            memcpy(best, trial, size);
        }
        if (found != SLIP_OK && found != SLIP_MODES_NONE)
            status = found;
    }
    slip_modes_ask_beside(flow->decider, NULL, NULL);
    if (lowest == INT_MAX) {
        memcpy(flow->branches, before, size);
        return status;
    }
    return patches_agree(flow, best) ? SLIP_OK : SLIP_MODES_NONE;
}

/* The patch at rest whose hold is exceeded most; NULL where all hold. */
static slip_flow_patch *worst_hold(slip_flow *flow)
{
    slip_flow_patch *worst = NULL;
    double most = -INFINITY, by;
    for (int k = 0; k < flow->patch_count; k++) {
        slip_flow_patch *p = &flow->patches[k];
        if (slip_flow_patch_leads(p) && p->resting && flow->branches[p->contact].mode == SLIP_MODE_STICK &&
            exceeded(flow, p, &by) && by > most) {
            worst = p;
            most = by;
        }
    }
    return worst;
}

/* More patches at rest than can be tried: all stick at first; then, one after the other, those start to slip
 * that cannot hold. */
static int decide_many(slip_flow *flow, double ahead, int *contact)
{
    const slip_instant now = {flow->t, flow->q, flow->v, flow->standing, ahead};
    slip_flow_patch *worst = NULL;
    for (int round = 0; round <= 4 * flow->patch_count; round++) {
        slip_flow_patch *held;
        int status = slip_modes_decide(flow->decider, &now, flow->branches, contact);
        if (status < 0)
            return status;
        held = slip_flow_patch_directions(flow, flow->t, flow->q, flow->v);
        if (held && held == worst)
            return SLIP_MODES_NONE;
        worst = NULL;
        if (held) {
            /* it stays where it is, now that another one moves */
            slip_flow_patch_set_stick(flow, held);
            continue;
        }
        if (!slip_flow_patch_evaluate(flow, flow->t, flow->q, flow->v))
            return SLIP_MODES_UNDEFINED;
        worst = worst_hold(flow);
        if (!worst)
            return SLIP_OK;
        *contact = worst->contact;
        slip_flow_patch_set_slip(flow, worst, true);
        slip_flow_patch_aim_at_load(flow, worst);
    }
    return SLIP_MODES_NONE;
}

int slip_flow_patch_decide(slip_flow *flow, int *contact)
{
    slip_flow_patch *resting[most_resting];
    double ahead = slip_flow_short_time(flow);
    int count = 0, status = SLIP_MODES_NONE;
    flow->use_stiff = false;
    flow->stiff_steps = 0;
    find_resting(flow);
    for (int k = 0; k < flow->patch_count; k++)
        if (slip_flow_patch_leads(&flow->patches[k]) && flow->patches[k].resting) {
            if (count < most_resting)
                resting[count] = &flow->patches[k];
            count++;
        }
    status = count <= most_resting ? decide_together(flow, resting, count, ahead, contact)
                                   : decide_many(flow, ahead, contact);
    if (status < 0)
        return status;
    return slip_flow_patch_begin(flow) ? SLIP_OK : SLIP_MODES_NONE;
}

void slip_flow_patch_forget(slip_flow *flow)
{
    for (int k = 0; k < flow->patch_count; k++) {
        slip_flow_patch *p = &flow->patches[k];
        if (slip_flow_patch_slips(flow, p)) {
            p->charted = false;
            slip_flow_patch_set_direction(flow, p, false);
        }
    }
}

int slip_flow_patch_by_size(const slip_flow *flow, int k)
{
    for (int at = 0; at < flow->patch_count; at++) {
        int smaller = 0;
        for (int i = 0; i < flow->patch_count; i++)
            smaller += flow->patches[i].log_size < flow->patches[at].log_size ||
                       (flow->patches[i].log_size == flow->patches[at].log_size && i < at);
        if (smaller == k)
            return at;
    }
    return 0;
}

bool slip_flow_patch_target(const slip_flow *flow, int c, double target[3])
{
    const slip_flow_patch *p = flow->patch_of[c];
    bool stick = p && flow->branches[c].mode == SLIP_MODE_STICK;
    if (!p || (!stick && !p->charted))
        return false;
    for (int i = 0; i < 3; i++)
        target[i] = stick ? 0 : exp(p->log_size) * p->user[i];
    return true;
}
