/* Set-valued friction and unilateral contacts in a flow: modes at the start, and what happens at their
 * events.
 *
 * Every event ends in one call of slip_flow_decide_modes: velocities and gaps are made exact for what is at
 * rest or touches, then all modes are found together. An impact comes before that. */
#include "method/flow/switch.h"

#include "method/flow/patch.h"

int slip_flow_switch_create(slip_flow *flow)
{
    int64_t count = flow->contact_count;
    int status = SLIP_OK;
    flow->standing = slip_arena_array(&flow->arena, count, sizeof *flow->standing);
    flow->at_stop = slip_arena_array(&flow->arena, 2 * count, sizeof *flow->at_stop);
    flow->came_to_rest = slip_arena_array(&flow->arena, count, sizeof *flow->came_to_rest);
    flow->normal_size = slip_arena_array(&flow->arena, 3 * count, sizeof(double));
    flow->bounces = slip_arena_array(&flow->arena, count, sizeof *flow->bounces);
    flow->landed = slip_arena_array(&flow->arena, count, sizeof *flow->landed);
    flow->landing_time = slip_arena_array(&flow->arena, count, sizeof(double));
    flow->landing_speed = slip_arena_array(&flow->arena, count, sizeof(double));
    flow->basis = slip_arena_array(&flow->arena, 2 * (int64_t)flow->n * flow->n, sizeof(double));
    if (!flow->standing || !flow->at_stop || !flow->came_to_rest || !flow->normal_size || !flow->bounces ||
        !flow->basis)
        return slip_fail_memory(flow->ctx);
    if (!flow->landed || !flow->landing_time || !flow->landing_speed)
        return slip_fail_memory(flow->ctx);
    flow->from_zero = flow->at_stop + count;
    flow->rounding = flow->normal_size + count;
    flow->impulses = flow->rounding + count;
    SLIP_TRY(slip_modes_create(flow->ctx, flow->system, flow->work, &flow->decider));
    if (flow->patch_count > 0)
        slip_flow_patch_join(flow);
    SLIP_TRY(slip_impact_create(flow->ctx, flow->system, flow->work, &flow->impact));
done:
    return status;
}

/* ---- What is at rest. */

/* The slip velocities of a contact that may be at rest: one, or three of a patch. */
static const slip_slip_form *slips_of(const slip_contact *contact, int *count)
{
    *count = contact->patch ? 3 : 1;
    return contact->patch ? contact->patch->slip : &contact->slip;
}

static bool has_belt(const slip_contact *contact)
{
    int count;
    const slip_slip_form *slips = slips_of(contact, &count);
    for (int k = 0; k < count; k++)
        if (slips[k].rest || slips[k].constant != 0 || !slips[k].row)
            return true;
    return false;
}

void slip_flow_respond(slip_flow *flow, int c, int part)
{
    if (!flow->system->contacts[c].patch) {
        slip_system_direction(flow->system, flow->work, c, flow->t, flow->q, flow->v, flow->row,
                              flow->response);
        return;
    }
    memcpy(flow->row, slip_system_patch_row(flow->system, flow->work, c, part),
           (size_t)flow->n * sizeof(double));
    slip_system_place(flow->system, flow->work, flow->t, flow->q);
    slip_system_response(flow->system, flow->work, flow->row, flow->response);
}

/* The directions of what touches and rests, into the basis; returns how many. *moving: belts, or stops that
 * move, are among them. */
static int list_resting(slip_flow *flow, bool *moving)
{
    int count = 0;
    *moving = false;
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        if (flow->standing[c].touching) {
            memcpy(flow->row, slip_system_gap_row(flow->system, flow->work, c, flow->t, flow->q),
                   (size_t)flow->n * sizeof(double));
            slip_flow_orthogonalise(flow, &count);
            *moving |= contact->gap.rest != NULL;
        }
        if (flow->standing[c].resting) {
            int parts;
            slips_of(contact, &parts);
            for (int part = 0; part < parts; part++) {
                slip_flow_respond(flow, c, part);
                slip_flow_orthogonalise(flow, &count);
            }
            *moving |= has_belt(contact);
        }
    }
    return count;
}

/* Contacts that depend on those at rest are at rest too; with belts only if these have the same speed. */
static void rest_with_others(slip_flow *flow)
{
    bool moving;
    const int held = list_resting(flow, &moving);
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        const slip_flow_patch *patch = flow->patch_of[c];
        double slip[3];
        bool rests = true;
        int parts;
        if (flow->standing[c].resting || !(patch ? patch->leader == patch : slip_flow_decided(flow, c)) ||
            contact->frictionless || (contact->patch && (!patch || !slip_flow_patch_touches(flow, patch))))
            continue;
        slips_of(contact, &parts);
        if (patch)
            slip_system_patch_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v, slip);
        else
            slip[0] = slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v);
        for (int part = 0; part < parts && rests; part++) {
            double size = 0;
            int count = held;
            slip_flow_respond(flow, c, part);
            for (int i = 0; i < flow->n; i++)
                size += fabs(flow->row[i]) * flow->fastest;
            rests = (fabs(slip[part]) <= 1e-9 * size || !(moving || has_belt(contact))) &&
                    slip_flow_orthogonalise(flow, &count) == 0;
        }
        flow->standing[c].resting = rests;
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

/* What is at rest: what is known to be, what is to rounding, and what depends on that. (Where everything
 * comes to rest at once nothing is left to measure rounding against.) */
static void find_resting(slip_flow *flow)
{
    bool some = false, others = false;
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        some |= flow->standing[c].touching;
        if (!slip_flow_decided(flow, c) || contact->frictionless || contact->patch)
            continue;
        flow->standing[c].resting = flow->came_to_rest[c] || rests_to_rounding(flow, c);
        flow->came_to_rest[c] = false;
        *(flow->standing[c].resting ? &some : &others) = true;
    }
    if (flow->patch_count > 0)
        slip_flow_patch_find_resting(flow);
    for (int k = 0; k < flow->patch_count; k++)
        *(flow->standing[flow->patches[k].contact].resting ? &some : &others) = true;
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

/* The shortest time in which accelerations tell what happens. */
static double shortest_time(const slip_flow *flow)
{
    return 1e-11 * (slip_flow_time_scale(flow) + fabs(flow->t));
}

double slip_flow_short_time(const slip_flow *flow)
{
    double step = flow->natural_step > 0 ? flow->natural_step : 1e-2 * slip_flow_time_scale(flow);
    double time = fmax(fmax(1e-4 * step, flow->tell_time), shortest_time(flow));
    /* Where it says nothing, again and again, the fastest motion is not the one that tells. */
    if (flow->idle > 3)
        time = fmax(time,
                    fmin(ldexp(time, 3 * (int)fmin((double)flow->idle - 3, 12)), 1e-4 * flow->options.span));
    return time;
}

int slip_flow_find_modes(slip_flow *flow, slip_branch *branches, int *trouble)
{
    double ahead = slip_flow_short_time(flow);
    for (;;) {
        const slip_instant now = {flow->t, flow->q, flow->v, flow->standing, ahead};
        int status = slip_modes_decide(flow->decider, &now, branches, trouble);
        if (status != SLIP_MODES_NONE || ahead <= shortest_time(flow))
            return status;
        ahead = fmax(ahead / 32, shortest_time(flow));
    }
}

/* The forces that were found, which rounding is measured against. */
static void note_forces(slip_flow *flow)
{
    double shared_size = 0;
    for (int c = 0; c < flow->contact_count; c++)
        if (slip_system_shares(flow->work, c))
            shared_size = fmax(
                shared_size, fmax(fabs(flow->work->contacts[c].normal), fabs(flow->work->contacts[c].force)));
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact_state *state = &flow->work->contacts[c];
        if (!slip_flow_decided(flow, c) && !flow->patch_of[c])
            continue;
        flow->normal_size[c] = fmax(flow->normal_size[c], fabs(state->normal));
        flow->rounding[c] = slip_modes_force_rounding(flow->decider, c);
        if (slip_system_shares(flow->work, c))
            flow->rounding[c] += 1e-12 * shared_size;
    }
}

/* The last of a slip turns faster than others can follow, and may take what sticks beside it to its limit for
 * no time at all. A patch whose slip is less than the tolerance is at rest then; false where there is none.
 */
static bool rest_slowest(slip_flow *flow)
{
    const double least = 10 * flow->options.tolerance * (1e-3 * slip_flow_speed_unit(flow) + flow->fastest);
    for (int k = 0; k < flow->patch_count; k++) {
        slip_flow_patch *p = &flow->patches[slip_flow_patch_by_size(flow, k)];
        if (!p->charted || !slip_flow_patch_slips(flow, p) || !(exp(p->log_size) < least) || !(p->growth < 0))
            continue;
        flow->came_to_rest[p->contact] = true;
        slip_flow_patch_stop(flow, p->contact);
        slip_flow_clean(flow, flow->t, flow->q, flow->v);
        slip_flow_remember(flow, p->contact); /* no other has come to its limit */
        flow->standing[p->contact].let_go = false;
        return true;
    }
    return false;
}

int slip_flow_decide_modes(slip_flow *flow, const slip_observer *observer)
{
    int status, trouble = 0;
    slip_flow_note_speed(flow);
    find_resting(flow);
    flow->decided_at = flow->t;
    status = flow->patch_count > 0 ? slip_flow_patch_decide(flow, &trouble)
                                   : slip_flow_find_modes(flow, flow->branches, &trouble);
    if (status == SLIP_MODES_NONE && rest_slowest(flow))
        return slip_flow_decide_modes(flow, observer);
    if (status < 0)
        return explain_trouble(flow, status, trouble);
    if (!slip_modes_foreseen(flow->decider))
        note_forces(flow);
    for (int c = 0; c < flow->contact_count; c++) {
        slip_mode mode = flow->branches[c].mode;
        if (!slip_flow_decided(flow, c) && !flow->patch_of[c])
            continue;
        flow->from_zero[c] = mode == SLIP_MODE_OPEN ? flow->standing[c].touching : flow->standing[c].resting;
        flow->standing[c].touching = flow->standing[c].touching && mode != SLIP_MODE_OPEN;
        if (flow->landed[c])
            continue;
        status = slip_flow_report(flow, c, slip_flow_mode_now(flow, c), flow->t, observer);
        if (status != SLIP_OK)
            return status;
    }
    return SLIP_OK;
}

/* ---- The start, and events. */

/* The run goes on, and the contact's mode is known from before. */
static bool recalls(const slip_flow *flow, int c)
{
    return flow->options.memory && flow->options.memory->known[c] &&
           (slip_flow_decided(flow, c) || flow->patch_of[c]);
}

/* Where a run goes on: what was known of the contact when it was left. */
static void recall(slip_flow *flow, int c)
{
    const slip_method_memory *memory = flow->options.memory;
    const bool unilateral = flow->system->contacts[c].has_gap;
    const slip_mode mode = memory->modes[c];
    flow->branches[c].mode = mode;
    flow->came_to_rest[c] = mode == SLIP_MODE_STICK;
    if (!unilateral)
        return;
    flow->standing[c].touching = mode != SLIP_MODE_OPEN;
    flow->gap[c] = mode != SLIP_MODE_OPEN ? 0 : !isnan(memory->gaps[c]) ? memory->gaps[c] : flow->gap[c];
    flow->gap_size[c] = flow->gap[c];
}

int slip_flow_switch_start(slip_flow *flow, const slip_observer *observer)
{
    int landing = -1;
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        double gap, rate, size;
        if (!slip_flow_decided(flow, c) || !contact->has_gap)
            continue;
        gap = slip_system_gap(flow->system, flow->work, c, flow->t, flow->q);
        rate = slip_system_gap_rate(flow->system, flow->work, c, flow->t, flow->q, flow->v);
        size = slip_system_gap_size(flow->system, flow->work, c, flow->t, flow->q);
        if (gap < -1e-9 * fmax(1, size))
            return slip_fail(flow->ctx, SLIP_ERROR_MODEL,
                             "contact `%s`: its gap at the start, t = %.9g, is %.6g; expected at least 0",
                             contact->name, flow->t, gap);
        flow->branches[c].mode = gap < 0 ? SLIP_MODE_CLOSED : SLIP_MODE_OPEN;
        flow->gap[c] = flow->gap_size[c] = gap > 1e-12 * size ? gap : 0;
        if (gap > 1e-12 * size || recalls(flow, c))
            continue;
        size = slip_system_gap_rate_size(flow->system, flow->work, c, flow->t, flow->q, flow->v);
        if (rate < -1e-12 * size)
            landing = c;
        else
            flow->standing[c].touching = rate <= 1e-12 * size;
    }
    /* A gap that is a little less than nothing is nothing. */
    slip_flow_close_gaps(flow, flow->t, flow->q);
    for (int c = 0; c < flow->contact_count; c++) {
        if (slip_flow_is_closed(flow, c))
            flow->branches[c].mode = SLIP_MODE_OPEN;
        if (recalls(flow, c))
            recall(flow, c);
        else
            flow->mode_known[c] = flow->mode_known[c] && !slip_flow_decided(flow, c);
    }
    if (flow->options.memory) {
        slip_flow_remember(flow, -1);
        slip_flow_close_touching(flow);
    }
    if (landing >= 0)
        return slip_flow_land(flow, landing, observer);
    return slip_flow_decide_modes(flow, observer);
}

/* What held until now, but for a contact whose own limit has ended that (-1: none). */
void slip_flow_remember(slip_flow *flow, int ended)
{
    for (int c = 0; c < flow->contact_count; c++) {
        const bool stuck = flow->branches[c].mode == SLIP_MODE_STICK;
        flow->standing[c].held = stuck && c != ended;
        flow->standing[c].let_go = stuck && c == ended;
        flow->standing[c].pressed = slip_flow_is_closed(flow, c) && c != ended;
    }
}

/* What sticks is at rest, unless its belt has jumped. */
static void keep_resting(slip_flow *flow)
{
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->branches[c].mode == SLIP_MODE_STICK && (slip_flow_decided(flow, c) || flow->patch_of[c])) {
            const double slip =
                flow->jumps ? slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v) : 0;
            flow->came_to_rest[c] |= fabs(slip) <= 1e-10 * (flow->fastest + fabs(slip));
        }
}

/* What a contact most likely does next. */
static slip_mode successor(const slip_flow_crossing *crossing, slip_mode mode)
{
    switch (crossing->boundary) {
    case SLIP_FLOW_UNSTICK:
        return crossing->hold > 0 ? SLIP_MODE_SLIP_MINUS : SLIP_MODE_SLIP_PLUS;
    case SLIP_FLOW_LIFT:
        return SLIP_MODE_OPEN;
    case SLIP_FLOW_YIELD:
        return mode;
    default:
        return SLIP_MODE_STICK;
    }
}

/* Contacts whose friction was at its limit from the very start, and is beyond it by its higher derivatives:
 * they did not stick, it took so long to see what they do. Their initial modes are those that come now. */
static void forget_start(slip_flow *flow)
{
    for (int c = 0; c < flow->contact_count; c++) {
        bool *left = &flow->look->left[slip_look_slots * c];
        if (flow->branches[c].mode == SLIP_MODE_STICK && slip_flow_decided(flow, c) && !*left)
            flow->mode_known[c] = false, *left = true;
    }
}

int slip_flow_switch_cross(slip_flow *flow, const slip_flow_crossing *crossing, const slip_observer *observer)
{
    int c = crossing->contact;
    flow->crossings++;
    if (crossing->boundary == SLIP_FLOW_LAND)
        return slip_flow_land(flow, c, observer);
    slip_flow_remember(flow, crossing->boundary == SLIP_FLOW_YIELD ? -1 : c);
    if (crossing->boundary == SLIP_FLOW_REST) {
        flow->patch_of[c]->charted = false;
        flow->branches[c].mode = SLIP_MODE_STICK; /* until it is decided; with that its slip is made zero */
        slip_flow_clean(flow, flow->t, flow->q, flow->v);
    }
    if (crossing->boundary == SLIP_FLOW_LOWER || crossing->boundary == SLIP_FLOW_UPPER) {
        double slip = slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v);
        double product = slip_system_direction(flow->system, flow->work, c, flow->t, flow->q, flow->v,
                                               flow->row, flow->response);
        slip_flow_shift(flow->n, flow->response, -slip / product, flow->v);
        flow->came_to_rest[c] = true;
    }
    if (crossing->from_start)
        forget_start(flow);
    keep_resting(flow);
    slip_flow_close_touching(flow);
    if (slip_flow_decided(flow, c) && (!flow->patch_of[c] || crossing->boundary == SLIP_FLOW_LIFT))
        flow->branches[c].mode = successor(crossing, flow->branches[c].mode);
    return slip_flow_decide_modes(flow, observer);
}

int slip_flow_switch_again(slip_flow *flow, const slip_observer *observer)
{
    slip_flow_remember(flow, -1);
    keep_resting(flow);
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
        if (flow->patch_count > 0) {
            memcpy(flow->tried, flow->branches, size);
            memcpy(flow->untried, flow->patches, (size_t)flow->patch_count * sizeof *flow->untried);
        }
        slip_flow_remember(flow, -1);
        keep_resting(flow);
        find_resting(flow);
        memcpy(branches, flow->branches, size);
        found = slip_flow_find_modes(flow, branches, &trouble) >= 0;
        if (found) {
            slip_modes_violation(flow->decider, flow->t, flow->q, flow->v, flow->standing, branches);
            memcpy(a, slip_modes_acceleration(flow->decider), (size_t)flow->n * sizeof(double));
        }
        if (flow->patch_count > 0) {
            memcpy(flow->branches, flow->tried, size);
            memcpy(flow->patches, flow->untried, (size_t)flow->patch_count * sizeof *flow->untried);
        }
        return found;
    }
    return slip_system_acceleration(flow->system, flow->work, flow->has_breaks ? branches : NULL, flow->t,
                                    flow->q, flow->v, a) &&
           (flow->held_count == 0 ||
            slip_system_constrain(flow->system, flow->work, branches, flow->t, flow->q, flow->v, a));
}
