/* Set-valued friction and unilateral contacts in a flow: modes at the start, and what happens at their
 * events.
 *
 * Every event ends in one call of slip_flow_decide_modes: velocities of contacts at rest and gaps of touching
 * contacts are made exact, then all modes are found together. An impact comes before that. */
#include "method/flow/switch.h"

#include "method/flow/area/patch.h"
#include "system/friction/friction.h"

int slip_flow_switch_create(slip_flow *flow)
{
    int64_t count = flow->contact_count;
    flow->decision.standing = slip_arena_array(&flow->arena, count, sizeof *flow->decision.standing);
    flow->impacts.at_stop = slip_arena_array(&flow->arena, 2 * count, sizeof *flow->impacts.at_stop);
    flow->impacts.came_to_rest = slip_arena_array(&flow->arena, count, sizeof *flow->impacts.came_to_rest);
    flow->decision.normal_size = slip_arena_array(&flow->arena, 3 * count, sizeof(double));
    flow->impacts.bounces = slip_arena_array(&flow->arena, count, sizeof *flow->impacts.bounces);
    flow->impacts.landed = slip_arena_array(&flow->arena, count, sizeof *flow->impacts.landed);
    flow->impacts.time = slip_arena_array(&flow->arena, count, sizeof(double));
    flow->impacts.speed = slip_arena_array(&flow->arena, count, sizeof(double));
    SLIP_PASS(slip_allocated(flow->ctx, flow->decision.standing && flow->impacts.at_stop &&
                                            flow->impacts.came_to_rest && flow->decision.normal_size &&
                                            flow->impacts.bounces));
    SLIP_PASS(slip_allocated(flow->ctx, flow->impacts.landed && flow->impacts.time && flow->impacts.speed));
    flow->decision.from_zero = flow->impacts.at_stop + count;
    flow->decision.rounding = flow->decision.normal_size + count;
    flow->impacts.impulses = flow->decision.rounding + count;
    SLIP_PASS(slip_modes_create(flow->ctx, flow->system, flow->work, &flow->decision.modes));
    if (flow->areas.count > 0)
        slip_flow_patch_join(flow);
    return slip_impact_create(flow->ctx, flow->system, flow->work, &flow->impacts.solver);
}

/* ---- Which contacts are at rest. */

static bool has_belt(const slip_contact *contact)
{
    for (int k = 0; k < contact->dimension; k++)
        if (contact->slips[k].rest || contact->slips[k].constant != 0 || !contact->slips[k].row)
            return true;
    return false;
}

void slip_flow_respond(slip_flow *flow, int c, int part)
{
    slip_system_direction_of(flow->system, flow->work, c, part, flow->t, flow->q, flow->v, flow->scratch.row,
                             flow->scratch.response);
}

/* Orthogonalises the rows of closed gaps and of slips at rest into the basis; returns their number. *moving:
 * belts or moving stops are among them. */
static int list_resting(slip_flow *flow, bool *moving)
{
    int count = 0;
    *moving = false;
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        if (flow->decision.standing[c].touching) {
            memcpy(flow->scratch.row, slip_system_gap_row(flow->system, flow->work, c, flow->t, flow->q),
                   (size_t)flow->n * sizeof(double));
            slip_flow_orthogonalise(flow, &count);
            *moving |= contact->gap.rest != NULL;
        }
        if (flow->decision.standing[c].resting) {
            for (int part = 0; part < contact->dimension; part++) {
                slip_flow_respond(flow, c, part);
                slip_flow_orthogonalise(flow, &count);
            }
            *moving |= has_belt(contact);
        }
    }
    return count;
}

/* Contacts whose rows depend on the rows of those at rest rest too; with belts only at the same speed. */
static void rest_with_others(slip_flow *flow)
{
    bool moving;
    const int held = list_resting(flow, &moving);
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        const slip_flow_patch *patch = flow->areas.of[c];
        double slip[3];
        bool rests = true;
        if (flow->decision.standing[c].resting ||
            !(patch ? patch->leader == patch : slip_flow_decided(flow, c)) || contact->frictionless ||
            (patch ? !slip_flow_patch_touches(flow, patch) : contact->dimension > 1))
            continue;
        contact->friction->slips(flow->system, flow->work, c, flow->t, flow->q, flow->v, slip);
        for (int part = 0; part < contact->dimension && rests; part++) {
            double size = 0;
            int count = held;
            slip_flow_respond(flow, c, part);
            for (int i = 0; i < flow->n; i++)
                size += fabs(flow->scratch.row[i]) * flow->sizes.fastest;
            rests = (fabs(slip[part]) <= 1e-9 * size || !(moving || has_belt(contact))) &&
                    slip_flow_orthogonalise(flow, &count) == 0;
        }
        flow->decision.standing[c].resting = rests;
        if (patch && rests)
            slip_flow_patch_stop(flow, c);
    }
}

static bool rests_to_rounding(const slip_flow *flow, int c)
{
    const double slip = slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v);
    return fabs(slip) <=
           1e-13 * slip_system_slip_size(flow->system, flow->work, c, flow->t, flow->q, flow->v);
}

/* Finds the contacts at rest: those known to be, those with a slip of the size of rounding, and those that
 * depend on them. (Where everything comes to rest at once, no velocity is left as a measure of rounding.) */
static void find_resting(slip_flow *flow)
{
    bool some = false, others = false;
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        some |= flow->decision.standing[c].touching;
        if (!slip_flow_decided(flow, c) || contact->frictionless || contact->dimension > 1)
            continue;
        flow->decision.standing[c].resting = flow->impacts.came_to_rest[c] || rests_to_rounding(flow, c);
        flow->impacts.came_to_rest[c] = false;
        *(flow->decision.standing[c].resting ? &some : &others) = true;
    }
    if (flow->areas.count > 0)
        slip_flow_patch_find_resting(flow);
    for (int k = 0; k < flow->areas.count; k++)
        *(flow->decision.standing[flow->areas.list[k].contact].resting ? &some : &others) = true;
    if (some && others && flow->contact_count > 1)
        rest_with_others(flow);
}

/* ---- Deciding. */

static int explain_trouble(slip_flow *flow, int status, int c)
{
    const char *name = flow->system->contacts[c].name;
    if (status == SLIP_MODES_NONE)
        return slip_fail(
            flow->ctx, SLIP_ERROR_SOLVER,
            "contact `%s`: at t = %.9g no mode of the contacts is consistent with the laws (a Painleve "
            "paradox, "
            "or too much friction for rigid contact); try less friction, or a smooth law with `smooth`",
            name, flow->t);
    if (status == SLIP_MODES_SEVERAL)
        return slip_fail(flow->ctx, SLIP_ERROR_SOLVER,
                         "contact `%s`: at t = %.9g more than one set of modes is consistent with the laws, "
                         "and the motions "
                         "differ; try less friction, or start from a state that is not ambiguous",
                         name, flow->t);
    return status == SLIP_MODES_UNDEFINED ? SLIP_STEP_UNDEFINED : status;
}

/* Stores sizes of the forces found, as a measure of their rounding errors. */
static void note_forces(slip_flow *flow)
{
    double shared_size = 0;
    for (int c = 0; c < flow->contact_count; c++)
        if (slip_system_shares(flow->work, c))
            shared_size = fmax(
                shared_size, fmax(fabs(flow->work->contacts[c].normal), fabs(flow->work->contacts[c].force)));
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact_state *state = &flow->work->contacts[c];
        if (!slip_flow_decided(flow, c) && !flow->areas.of[c])
            continue;
        flow->decision.normal_size[c] = fmax(flow->decision.normal_size[c], fabs(state->normal));
        flow->decision.rounding[c] = slip_modes_force_rounding(flow->decision.modes, c);
        if (slip_system_shares(flow->work, c))
            flow->decision.rounding[c] += 1e-12 * shared_size;
    }
}

/* At the end of a slip its direction turns very fast, and may bring sticking contacts beside it to their
 * limits for an instant. So the patch with the slowest slip is put at rest, if that is below the tolerance;
 * false where there is none. */
static bool rest_slowest(slip_flow *flow)
{
    const double least =
        10 * flow->options.tolerance * (1e-3 * slip_flow_speed_unit(flow) + flow->sizes.fastest);
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[slip_flow_patch_by_size(flow, k)];
        if (!p->charted || !slip_flow_patch_slips(flow, p) || !(exp(p->log_size) < least) || !(p->growth < 0))
            continue;
        flow->impacts.came_to_rest[p->contact] = true;
        slip_flow_patch_stop(flow, p->contact);
        slip_flow_clean(flow, flow->t, flow->q, flow->v);
        slip_flow_remember(flow, p->contact); /* no other contact has reached its limit */
        flow->decision.standing[p->contact].let_go = false;
        return true;
    }
    return false;
}

int slip_flow_decide_modes(slip_flow *flow, const slip_observer *observer)
{
    int status, trouble = 0;
    slip_flow_note_speed(flow);
    find_resting(flow);
    flow->decision.time = flow->t;
    status = flow->areas.count > 0 ? slip_flow_patch_decide(flow, &trouble)
                                   : slip_flow_find_modes(flow, flow->branches, &trouble);
    if (status == SLIP_MODES_NONE && rest_slowest(flow))
        return slip_flow_decide_modes(flow, observer);
    if (status < 0)
        return explain_trouble(flow, status, trouble);
    if (!slip_modes_foreseen(flow->decision.modes))
        note_forces(flow);
    for (int c = 0; c < flow->contact_count; c++) {
        slip_mode mode = flow->branches[c].mode;
        if (!slip_flow_decided(flow, c) && !flow->areas.of[c])
            continue;
        flow->decision.from_zero[c] =
            mode == SLIP_MODE_OPEN ? flow->decision.standing[c].touching : flow->decision.standing[c].resting;
        flow->decision.standing[c].touching = flow->decision.standing[c].touching && mode != SLIP_MODE_OPEN;
        if (flow->impacts.landed[c])
            continue;
        SLIP_PASS_ALL(slip_flow_report(flow, c, slip_flow_mode_now(flow, c), flow->t, observer));
    }
    return SLIP_OK;
}

/* Notes which contacts stuck or were closed until now, except one whose own limit was reached (-1: none). */
void slip_flow_remember(slip_flow *flow, int ended)
{
    for (int c = 0; c < flow->contact_count; c++) {
        const bool stuck = flow->branches[c].mode == SLIP_MODE_STICK;
        flow->decision.standing[c].held = stuck && c != ended;
        flow->decision.standing[c].let_go = stuck && c == ended;
        flow->decision.standing[c].pressed = slip_flow_is_closed(flow, c) && c != ended;
        flow->decision.standing[c].leaving = slip_flow_is_closed(flow, c) && c == ended;
    }
}

/* Contacts that stick are known to be at rest, unless the velocity of their belt has jumped. */
void slip_flow_keep_resting(slip_flow *flow)
{
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->branches[c].mode == SLIP_MODE_STICK && (slip_flow_decided(flow, c) || flow->areas.of[c])) {
            const double slip =
                flow->jumps ? slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v) : 0;
            flow->impacts.came_to_rest[c] |= fabs(slip) <= 1e-10 * (flow->sizes.fastest + fabs(slip));
        }
}

int slip_flow_switch_again(slip_flow *flow, const slip_observer *observer)
{
    slip_flow_remember(flow, -1);
    slip_flow_keep_resting(flow);
    slip_flow_close_touching(flow);
    return slip_flow_decide_modes(flow, observer);
}

bool slip_flow_try_modes(slip_flow *flow, slip_branch *branches, double *a)
{
    const size_t size = (size_t)flow->contact_count * sizeof *branches;
    int trouble = 0;
    memcpy(branches, flow->branches, size);
    if (flow->switching) {
        bool found;
        if (flow->areas.count > 0) {
            memcpy(flow->areas.tried, flow->branches, size);
            memcpy(flow->areas.untried, flow->areas.list,
                   (size_t)flow->areas.count * sizeof *flow->areas.untried);
        }
        slip_flow_remember(flow, -1);
        slip_flow_keep_resting(flow);
        find_resting(flow);
        memcpy(branches, flow->branches, size);
        found = slip_flow_find_modes(flow, branches, &trouble) >= 0;
        if (found) {
            slip_modes_violation(flow->decision.modes, flow->t, flow->q, flow->v, flow->decision.standing,
                                 branches);
            memcpy(a, slip_modes_acceleration(flow->decision.modes), (size_t)flow->n * sizeof(double));
        }
        if (flow->areas.count > 0) {
            memcpy(flow->branches, flow->areas.tried, size);
            memcpy(flow->areas.list, flow->areas.untried,
                   (size_t)flow->areas.count * sizeof *flow->areas.untried);
        }
        return found;
    }
    return slip_system_acceleration(flow->system, flow->work, flow->has_breaks ? branches : NULL, flow->t,
                                    flow->q, flow->v, a) &&
           (flow->charts.held == 0 ||
            slip_system_constrain(flow->system, flow->work, branches, flow->t, flow->q, flow->v, a));
}
