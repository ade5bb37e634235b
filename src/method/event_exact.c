/* The event method on closed-form segments: start, first event, samples up to there, new modes.
 *
 * Modes, impacts and reports are those of the flow (flow/switch.c), whose state this drive moves instead of a
 * stepper. A segment is shown to the observer in pieces of about a radian of its fastest motion or load. */
#include "base/shelf.h"
#include "math/vector.h"
#include "method/exact/exact.h"
#include "method/flow/jumps.h"
#include "method/flow/switch.h"
#include "method/types.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct slip_exact_drive {
    slip_shelved shelved;
    slip_arena arena;
    slip_flow *flow;
    slip_exact *exact;
    slip_mode *modes;
    unsigned *clips;
    double *ends[2][4]; /* q, v, a and contact forces, contiguous, at both ends of a shown piece */
    double shown[2];    /* the times of these */
    bool goes_on;       /* the last segment ended without an event; it is continued by a new one */
    bool open;          /* some gap is */
    bool crowded;       /* there are more gaps than coordinates that they could replace (exact/gap.c) */
    bool independent;   /* the rows of gaps and slips are linearly independent */
    bool begun;         /* the segment was already started by the decision of modes, from the state below */
    double *begin_q, *begin_v, begin_t;
    bool plain; /* each constraint holds a single coordinate at rest, which is exact without projection */
    /* Where moreover these coordinates are not coupled by masses: for each contact the only coordinate in its
     * slip, and in its gap; -1 where none can be at rest. Else NULL. */
    int *slip_at, *gap_at;
    bool shows_slips;            /* all slips are such coordinates, or there is none */
    slip_step view;              /* what the observer sees of a piece */
    slip_exact_unknown *unknown; /* of each contact */
};

/* Radians after which interrupts are checked, and a new segment begins at the present state. */
static const double longest_search = 1e4;

/* Whether some gap is a linear combination of others. */
static bool gaps_depend(slip_flow *flow)
{
    int count = 0, rank = 0;
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->system->contacts[c].has_gap) {
            memcpy(flow->scratch.row, slip_system_gap_row(flow->system, flow->work, c, flow->t, flow->q),
                   (size_t)flow->n * sizeof(double));
            slip_flow_orthogonalise(flow, &rank);
            count++;
        }
    return rank < count;
}

/* Whether the rows of all gaps and slip velocities are linearly independent. */
static bool is_independent(slip_flow *flow)
{
    int count = 0, rank = 0;
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        const double *const rows[] = {contact->has_gap ? contact->gap.row : NULL,
                                      contact->frictionless ? NULL : contact->slip.row};
        for (int k = 0; k < 2; k++)
            if (rows[k]) {
                memcpy(flow->scratch.row, rows[k], (size_t)flow->n * sizeof(double));
                slip_flow_orthogonalise(flow, &rank);
                count++;
            }
    }
    return rank == count;
}

static bool is_single(int n, const double *row)
{
    int count = 0;
    for (int i = 0; i < n && row; i++)
        count += row[i] != 0;
    return count <= 1;
}

static bool holds_coordinates(const slip_system *system)
{
    for (int64_t c = 0; c < system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        if (!is_single(system->n, contact->slip.row) || contact->slip.rest || contact->slip.constant != 0 ||
            !is_single(system->n, contact->gap.row) || contact->gap.rest)
            return false;
    }
    return true;
}

/* The index of the only non-zero entry of a row; -1 where there is not exactly one. */
static int entry_of(int n, const double *row)
{
    int i = 0;
    while (i < n && row && row[i] == 0)
        i++;
    return row && i < n ? i : -1;
}

static bool is_uncoupled(const slip_system *system, int i)
{
    for (int j = 0; j < system->n && i >= 0; j++)
        if (j != i && (system->mass[i * system->n + j] != 0 || system->mass[j * system->n + i] != 0))
            return false;
    return true;
}

/* For a plain system, fills slip_at and gap_at. */
static bool find_held(slip_exact_drive *drive)
{
    const slip_system *system = drive->flow->system;
    const int n = system->n, count = (int)system->contact_count;
    int *held = slip_arena_array(&drive->arena, 2 * (int64_t)count + 1, sizeof *held);
    bool slips = true;
    if (!held)
        return false;
    for (int c = 0; c < count; c++) {
        const slip_contact *contact = &system->contacts[c];
        const bool rests = slip_flow_decided(drive->flow, c) && contact->law.type->info.set_valued;
        held[c] = rests ? entry_of(n, contact->slip.row) : -1;
        held[count + c] = contact->has_gap ? entry_of(n, contact->gap.row) : -1;
        slips &= held[c] >= 0 || !contact->slip.row;
        if (contact->dimension > 1 || contact->creep.balance || contact->slip.tail.count > 0 ||
            contact->gap.tail.count > 0 || !is_uncoupled(system, held[c]) ||
            !is_uncoupled(system, held[count + c]))
            return true;
    }
    drive->slip_at = held;
    drive->gap_at = held + count;
    drive->shows_slips = slips;
    return true;
}

static inline void copy(int n, const double *from, double *to)
{
    if (to)
        slip_copy_few(n, from, to);
}

/* Starts the segment that follows with these modes, and tells whether all its conditions begin positive. */
static bool foresee(void *user, const slip_branch *branches, const slip_instant *now)
{
    slip_exact_drive *drive = user;
    slip_flow *flow = drive->flow;
    for (int c = 0; c < flow->contact_count; c++) {
        drive->modes[c] = branches[c].mode;
        drive->clips[c] = 0;
        if (flow->system->contacts[c].has_gap && branches[c].mode == SLIP_MODE_OPEN)
            return false; /* gaps are set only where the segment starts */
    }
    if (slip_exact_start(drive->exact, drive->modes, drive->clips, now->t, now->q, now->v) != SLIP_OK)
        return false;
    for (int c = 0; c < flow->contact_count; c++)
        if (slip_flow_decided(flow, c) && now->standing[c].resting)
            slip_exact_from_zero(drive->exact, c);
    drive->begun = slip_exact_begins(drive->exact);
    drive->begin_t = now->t;
    copy(flow->n, now->q, drive->begin_q);
    copy(flow->n, now->v, drive->begin_v);
    return drive->begun;
}

/* Offers `foresee` to the decision of modes; not with dependent contacts or switches. */
static void foresee_modes(slip_exact_drive *drive)
{
    const slip_flow *flow = drive->flow;
    if (drive->independent && !flow->sliders && flow->areas.count == 0 && !flow->jumps)
        slip_modes_take_foresight(flow->decision.modes, (slip_modes_foresight){drive, foresee});
}

static void destroy_shelved(slip_shelved *thing)
{
    slip_exact_drive_destroy((slip_exact_drive *)thing);
}

int slip_exact_drive_create(slip_context *ctx, slip_flow *flow, slip_exact_drive **result)
{
    SLIP_FREED_BY(slip_exact_drive_drop) slip_exact_drive *drive = calloc(1, sizeof *drive);
    int64_t n = flow->n, contacts = flow->contact_count, seen = 3 * n + n % 2 + 6 * contacts;
    double *numbers;
    int status = SLIP_OK;
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, drive));
    drive->shelved.destroy = destroy_shelved;
    drive->flow = flow;
    drive->modes = slip_arena_array(&drive->arena, contacts + 1, sizeof *drive->modes);
    drive->clips = slip_arena_array(&drive->arena, contacts + 1, sizeof *drive->clips);
    numbers = slip_arena_array(&drive->arena, 2 * seen + 2 * n, sizeof(double));
    drive->unknown = slip_arena_array(&drive->arena, contacts + 1, sizeof *drive->unknown);
    SLIP_PASS(slip_allocated(ctx, drive->modes && drive->clips && numbers && drive->unknown));
    for (int k = 0; k < 8; k++)
        drive->ends[k / 4][k % 4] = numbers + k / 4 * seen + k % 4 * n;
    drive->begin_q = numbers + 2 * seen;
    drive->begin_v = drive->begin_q + n;
    SLIP_PASS(slip_exact_create(ctx, flow->system,
                                flow->jumps ? flow->work->slots + slip_slot_parameter(flow->n) : NULL,
                                &drive->exact));
    if (flow->switching) {
        drive->independent = is_independent(flow);
        drive->crowded = gaps_depend(flow);
    }
    foresee_modes(drive);
    drive->plain = holds_coordinates(flow->system);
    if (drive->plain && !find_held(drive))
        status = slip_fail_memory(ctx);
    SLIP_HAND(result, drive);
    return status;
}

void slip_exact_drive_destroy(slip_exact_drive *drive)
{
    if (!drive)
        return;
    slip_exact_destroy(drive->exact);
    slip_arena_free(&drive->arena);
    free(drive);
}

void slip_exact_drive_move(slip_exact_drive *drive, slip_flow *flow)
{
    drive->flow = flow;
    drive->goes_on = drive->begun = false;
    drive->shown[0] = drive->shown[1] = NAN;
    foresee_modes(drive);
}

slip_exact_drive *slip_exact_drive_take(slip_context *ctx, const slip_system *system)
{
    slip_exact_drive *drive = system->shelf ? (slip_exact_drive *)slip_shelf_take(system->shelf) : NULL;
    if (drive)
        slip_exact_renew(drive->exact, ctx);
    return drive;
}

void slip_exact_drive_leave(slip_exact_drive *drive)
{
    const slip_flow *flow = drive->flow;
    if (flow->jumps || !flow->system->shelf)
        slip_exact_drive_destroy(drive);
    else
        slip_shelf_put(flow->system->shelf, &drive->shelved);
}

/* ---- What the observer sees. */

static void view_state(const void *self, double t, double *q, double *v)
{
    const slip_exact_drive *drive = self;
    slip_exact_state(drive->exact, t, q, v, NULL);
    if (!drive->plain)
        slip_flow_clean(drive->flow, t, q, v);
}

/* Fills the contacts of a sample at an end of a piece, where forces are stored. */
static void view_contacts(const slip_exact_drive *drive, double *const *state, slip_sample *sample)
{
    const int count = drive->flow->contact_count;
    for (int c = 0; c < count && sample->slip; c++) {
        const int at = drive->slip_at[c];
        sample->slip[c] = at >= 0 ? drive->flow->system->contacts[c].slip.row[at] * state[1][at] : 0;
    }
    copy(count, state[3], sample->normal);
    copy(count, state[3] + count, sample->force);
}

static void view_sample(const void *self, double t, slip_sample *sample)
{
    const slip_exact_drive *drive = self;
    const int end = t == drive->shown[1] ? 1 : 0;
    const bool shown = t == drive->shown[end];
    if (shown) {
        copy(drive->flow->n, drive->ends[end][0], sample->q);
        copy(drive->flow->n, drive->ends[end][1], sample->v);
        copy(drive->flow->n, drive->ends[end][2], sample->a);
    } else if (sample->q || sample->v || sample->a) {
        slip_exact_state(drive->exact, t, sample->q, sample->v, sample->a);
        if (sample->q && sample->v && !drive->plain)
            slip_flow_clean(drive->flow, t, sample->q, sample->v);
    }
    if (shown && drive->view.told && drive->shows_slips)
        view_contacts(drive, drive->ends[end], sample);
    else if (sample->slip || sample->normal || sample->force)
        slip_exact_contacts(drive->exact, t, sample->slip, sample->normal, sample->force, NULL);
    for (int c = 0; c < drive->flow->contact_count && sample->mode; c++)
        sample->mode[c] =
            slip_flow_has_sliders(drive->flow, c) ? slip_flow_slider_mode(drive->flow, c) : drive->modes[c];
}

/* Projects velocities at an end of a segment, where a slip may have a slightly wrong sign. */
static void clean_end(const slip_exact_drive *drive, double t, const double *q, double *v)
{
    const slip_flow *flow = drive->flow;
    if (!drive->slip_at) {
        slip_flow_clean(flow, t, q, v);
        return;
    }
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_mode mode = flow->branches[c].mode;
        const int slip = drive->slip_at[c], gap = drive->gap_at[c];
        if (gap >= 0 && mode != SLIP_MODE_OPEN)
            v[gap] = 0;
        if (slip < 0 || mode == SLIP_MODE_OPEN || mode == SLIP_MODE_CLOSED)
            continue;
        const double speed = flow->system->contacts[c].slip.row[slip] * v[slip];
        if (!(mode == SLIP_MODE_SLIP_PLUS ? speed > 0 : mode == SLIP_MODE_SLIP_MINUS && speed < 0))
            v[slip] = 0;
    }
}

static void evaluate_end(slip_exact_drive *drive, int end, double t, bool last, const slip_works *works)
{
    double **state = drive->ends[end];
    if (works)
        slip_exact_see(drive->exact, t, state[0]);
    else
        slip_exact_state(drive->exact, t, state[0], state[1], state[2]);
    if (last || !drive->plain)
        clean_end(drive, t, state[0], state[1]);
    drive->shown[end] = t;
}

/* Adds the works of the segment from a time to the present one. */
static int add_works(const slip_exact_drive *drive, double from, const slip_works *works)
{
    const double begin = slip_larger(from, works->from), end = slip_smaller(drive->flow->t, works->end);
    if (end > begin && !slip_exact_works(drive->exact, begin, end, works->works))
        return slip_fail_memory(drive->flow->ctx);
    return SLIP_OK;
}

static bool view_loads(const void *self, double t, const double *q, const double *v, double *loads)
{
    return slip_flow_loads(((const slip_exact_drive *)self)->flow, t, q, v, loads);
}

static void view_forces(const void *self, double t, double *forces)
{
    slip_exact_forces(((const slip_exact_drive *)self)->exact, t, forces);
}

static bool view_peak(const void *self, int i, double t, double *time, double *value)
{
    return slip_exact_peak(((const slip_exact_drive *)self)->exact, i, t, time, value);
}

/* x rounded up, for a positive x that is not large; ceil would be a function call. */
static inline int64_t round_up(double x)
{
    const int64_t below = (int64_t)x;
    return below + ((double)below < x);
}

/* The number of propagator steps in a shown piece, at most `most`, for `all` steps together: as few pieces as
 * possible and, among the lengths for that, one with few rungs. */
static int steps_of_pieces(int64_t all, int64_t most)
{
    const int64_t pieces = (all + most - 1) / most, least = (all + pieces - 1) / pieces;
    while ((most & (most - 1)) >= least)
        most &= most - 1;
    return (int)most;
}

/* Shows the segment from flow->t to `to`, and moves the flow there. */
static int travel(slip_exact_drive *drive, double to, bool event, const slip_observer *observer)
{
    slip_flow *flow = drive->flow;
    const double from = flow->t, rate = slip_exact_rate(drive->exact);
    const double longest = observer->spans ? 2.6 : 1.5, grain = slip_exact_grain(drive->exact);
    const bool whole = rate > 0 && (to - from) * rate <= longest;
    const int steps = rate > 0 && !whole ? steps_of_pieces(round_up((to - from) / grain),
                                                           (int64_t)(longest / (grain * rate)))
                                         : 0;
    const double length = steps > 0 ? steps * grain : 0.25 * (to - from);
    const int64_t pieces = whole ? 1 : steps > 0 ? round_up((to - from) / length) : 4;
    slip_step *view = &drive->view;
    int status = SLIP_OK, at = 0;
    view->t0 = from;
    view->told = observer->works != NULL;
    view->self = drive;
    view->state = view_state;
    view->sample = view_sample;
    view->loads = view_loads;
    view->forces = view_forces;
    view->peak = view_peak;
    if (flow->tangent)
        slip_tangent_carry(flow->tangent, drive->exact, to - from);
    if (observer->step)
        evaluate_end(drive, 0, from, true, observer->works);
    for (int64_t k = observer->step ? 1 : pieces; k <= pieces && status == SLIP_OK; k++) {
        double **before = drive->ends[at], **after = drive->ends[1 - at];
        view->t1 = k == pieces ? to
                   : rate > 0  ? slip_exact_walk(drive->exact, k, steps)
                               : from + length * (double)k;
        view->q0 = before[0], view->v0 = before[1], view->a0 = before[2], view->forces0 = before[3];
        view->q1 = after[0], view->v1 = after[1], view->a1 = after[2], view->forces1 = after[3];
        view->event1 = event && k == pieces;
        evaluate_end(drive, 1 - at, view->t1, k == pieces, observer->works);
        at = 1 - at;
        flow->t = view->t1;
        flow->steps += observer->step ? 1 : pieces;
        copy(flow->n, after[0], flow->q);
        copy(flow->n, after[1], flow->v);
        slip_flow_note_speed(flow);
        status = observer->step ? observer->step(observer->user, view) : SLIP_OK;
        view->t0 = view->t1;
    }
    if (observer->works && status >= 0) {
        const int added = add_works(drive, from, observer->works);
        status = added < 0 ? added : status;
    }
    if (drive->open) {
        slip_exact_contacts(drive->exact, flow->t, NULL, NULL, NULL, flow->gaps.now);
        for (int c = 0; c < flow->contact_count; c++)
            flow->gaps.largest[c] = fmax(flow->gaps.largest[c], flow->gaps.now[c]);
    }
    return status;
}

/* ---- Segments. */

/* Whether the segment that was started for the decision of modes is the one needed now. */
static bool goes_as_foreseen(slip_exact_drive *drive)
{
    const slip_flow *flow = drive->flow;
    bool same = drive->begun && drive->begin_t == flow->t;
    for (int i = 0; i < flow->n && same; i++)
        same = drive->begin_q[i] == flow->q[i] && drive->begin_v[i] == flow->v[i];
    for (int c = 0; c < flow->contact_count && same; c++)
        same = drive->modes[c] == flow->branches[c].mode && flow->branches[c].clip == 0;
    drive->begun = false;
    return same;
}

static int start_segment(slip_exact_drive *drive, const slip_observer *observer)
{
    slip_flow *flow = drive->flow;
    if ((flow->switching || flow->sliders) && !flow->placed)
        SLIP_PASS_ALL(slip_flow_settle(flow, observer));
    const bool begun = goes_as_foreseen(drive);
    drive->open = false;
    for (int c = 0; c < flow->contact_count && !begun; c++) {
        drive->modes[c] = flow->branches[c].mode;
        drive->clips[c] = flow->branches[c].clip;
        drive->open |= drive->modes[c] == SLIP_MODE_OPEN && flow->system->contacts[c].has_gap;
    }
    if (drive->crowded && flow->impacts.struck >= 0 && drive->modes[flow->impacts.struck] == SLIP_MODE_OPEN)
        drive->clips[flow->impacts.struck] = SLIP_EXACT_FIRST;
    slip_exact_sliders(drive->exact, flow->sliders);
    int status = begun
                     ? SLIP_OK
                     : slip_exact_start(drive->exact, drive->modes, drive->clips, flow->t, flow->q, flow->v);
    if (status == SLIP_OK && drive->open)
        slip_exact_gaps(drive->exact, flow->gaps.now);
    for (int c = 0; c < flow->contact_count && status == SLIP_OK && flow->decision.time == flow->t; c++)
        if (flow->decision.from_zero[c])
            slip_exact_from_zero(drive->exact, c);
    if (status == SLIP_OK && flow->tangent)
        slip_tangent_begin(flow->tangent);
    return status;
}

/* Marks contacts as exactly at rest that came to rest together with the contact reported. */
static void rest_together(slip_exact_drive *drive, int reported)
{
    slip_flow *flow = drive->flow;
    for (int c = 0; c < flow->contact_count; c++) {
        bool slips = drive->modes[c] == SLIP_MODE_SLIP_PLUS || drive->modes[c] == SLIP_MODE_SLIP_MINUS;
        if (c == reported || !slips || !slip_exact_ended(drive->exact, c))
            continue;
        double slip = slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v), size = 0;
        double product = slip_system_direction(flow->system, flow->work, c, flow->t, flow->q, flow->v,
                                               flow->scratch.row, flow->scratch.response);
        for (int i = 0; i < flow->n; i++)
            size += fabs(flow->scratch.row[i] * flow->v[i]);
        /* its normal force may be the condition that ended */
        if (fabs(slip) > 1e-10 * size)
            continue;
        for (int i = 0; i < flow->n; i++)
            flow->v[i] -= flow->scratch.response[i] * (slip / product);
        flow->impacts.came_to_rest[c] = true;
    }
}

static int switch_modes(slip_exact_drive *drive, const slip_exact_event *event, const slip_observer *observer)
{
    slip_flow *flow = drive->flow;
    const slip_contact *contact = &flow->system->contacts[event->contact];
    slip_flow_crossing crossing = {.contact = event->contact, .x = event->t};
    switch (event->condition) {
    case SLIP_EXACT_SLIP:
        crossing.boundary = event->sign > 0 ? SLIP_FLOW_LOWER : SLIP_FLOW_UPPER;
        break;
    case SLIP_EXACT_HOLD:
        crossing.boundary = SLIP_FLOW_UNSTICK;
        crossing.hold = event->sign;
        break;
    case SLIP_EXACT_GAP:
        crossing.boundary = SLIP_FLOW_LAND;
        break;
    case SLIP_EXACT_LIMIT:
    case SLIP_EXACT_TURN:
        crossing.contact = event->slider;
        crossing.boundary = event->condition == SLIP_EXACT_TURN ? SLIP_FLOW_SLIDER_TURN
                            : flow->v[flow->system->sliders[event->slider].state] > 0
                                ? SLIP_FLOW_SLIDER_UPPER
                                : SLIP_FLOW_SLIDER_LOWER;
        if (flow->tangent)
            slip_tangent_cross(flow->tangent, &crossing);
        return slip_flow_slider_cross(flow, event->slider, observer);
    case SLIP_EXACT_NORMAL:
        if (!contact->has_gap)
            return slip_system_refuse_pull(flow->ctx, contact, flow->t);
        crossing.boundary = SLIP_FLOW_LIFT;
        break;
    }
    if (flow->tangent && crossing.boundary != SLIP_FLOW_LAND)
        slip_tangent_cross(flow->tangent, &crossing);
    rest_together(drive, event->contact);
    return slip_flow_switch_cross(flow, &crossing, observer);
}

/* Sets the next form of functions that switch now; *jump: the next time of a switch, if it is before `end`.
 * */
static int next_jump(slip_exact_drive *drive, double end, const slip_observer *observer, double *jump)
{
    slip_flow *flow = drive->flow;
    if (flow->jumps->due && flow->t >= flow->jumps->until)
        drive->goes_on = false;
    const int status = slip_flow_jumps_ready(flow, observer);
    const double limit = status == SLIP_OK ? slip_flow_jumps_limit(flow, end) : end;
    *jump = limit < end ? limit : INFINITY;
    return status;
}

/* Enlarges the errors within which conditions count as zero at the start, after segments that ended at once
 * several times: first by rounding errors of the rows; then by errors of the vectors of elastic bodies, which
 * are eigenvectors and have fewer correct digits (where nodes of an edge lose contact together, 1e-8 of the
 * forces that cancel). */
static void forgive(slip_exact_drive *drive)
{
    enum { rounds_of_rows = 8, rounds_of_forces = 19 };
    const slip_flow *flow = drive->flow;
    const int rounds = (int)fmin((double)flow->pace.idle - 2, rounds_of_forces);
    const double part = ldexp(8 * DBL_EPSILON, 2 * (rounds - rounds_of_rows));
    for (int c = 0; c < flow->contact_count && rounds > rounds_of_rows; c++) {
        const slip_modes_sizes sizes =
            slip_flow_decided(flow, c) ? slip_modes_sizes_of(flow->decision.modes, c) : (slip_modes_sizes){0};
        double *to = drive->unknown[c];
        to[SLIP_EXACT_SLIP] = part * sizes.slip;
        to[SLIP_EXACT_HOLD] =
            part * (sizes.force + slip_law_hold(&flow->system->contacts[c].law) * sizes.normal);
        to[SLIP_EXACT_NORMAL] = part * sizes.normal;
        to[SLIP_EXACT_GAP] = part * sizes.gap;
    }
    slip_exact_forgive(drive->exact, ldexp(1, 2 * (rounds < rounds_of_rows ? rounds : rounds_of_rows)),
                       rounds > rounds_of_rows ? (const slip_exact_unknown *)drive->unknown : NULL);
}

static int advance_once(slip_exact_drive *drive, double end, const slip_observer *observer)
{
    slip_flow *flow = drive->flow;
    slip_exact_event event;
    double rate, t0 = flow->t, jump = INFINITY;
    int status = SLIP_OK;
    if (flow->jumps)
        SLIP_PASS_ALL(next_jump(drive, end, observer, &jump));
    SLIP_PASS_ALL(start_segment(drive, observer));
    end = slip_smaller(end, jump);
    if (flow->pace.idle > 2)
        forgive(drive);
    if (drive->goes_on)
        slip_exact_slow_down(drive->exact);
    rate = slip_exact_rate(drive->exact);
    if ((end - t0) * rate > longest_search)
        end = t0 + longest_search / rate;
    /* a little longer than the first step of a search */
    if ((end - t0) * rate > 100)
        end = fmin(end, t0 + fmax(slip_exact_patience(drive->exact), 100 / rate));
    int found = slip_exact_first_event(drive->exact, end, &event);
    bool ends = found > 0;
    drive->goes_on = found == 0;
    if (found < 0)
        end = event.t;
    flow->natural_step = rate > 0 ? slip_smaller(0.1 / rate, jump - t0) : (ends ? event.t : end) - t0;
    flow->decision.tell_time = 0;
    if (!ends || event.t > t0) {
        status = travel(drive, ends ? event.t : end, ends || end == jump, observer);
        flow->pace.idle = 0;
    } else {
        /* the conditions include all derivatives; where the lowest ones vanish, a longer time is needed */
        flow->decision.tell_time =
            ldexp(1e-4 * (rate > 0 ? 0.1 / rate : end - t0), 3 * (int)fmin((double)flow->pace.idle, 3));
        flow->pace.idle++;
    }
    if (found < 0 && status >= 0)
        return slip_system_diagnose(flow->ctx, flow->given, flow->work, flow->t, flow->q, flow->v);
    if (ends && status >= 0 && flow->t >= event.t) { /* an observer may have stopped the run earlier */
        flow->pace.contact = event.contact;
        int switched = switch_modes(drive, &event, observer);
        status = switched < 0 || status == SLIP_OK ? switched : status;
    }
    return status;
}

int slip_exact_drive_advance(slip_exact_drive *drive, double end, const slip_observer *observer)
{
    slip_flow *flow = drive->flow;
    const int64_t memory = slip_context_memory_failures(flow->ctx);
    while (flow->t < end) {
        int status = advance_once(drive, end, observer);
        if (status != SLIP_OK)
            return slip_flow_explain(flow, status);
        if (slip_context_memory_failures(flow->ctx) > memory) /* the samples shown are incomplete */
            return slip_fail_memory(flow->ctx);
        if (flow->pace.idle > 100)
            return slip_fail(flow->ctx, SLIP_ERROR_SOLVER,
                             "contact `%s`: at t = %.9g it changes what it does again and again without time "
                             "going on; try a smooth law with `smooth`, or a fixed step with `moreau`",
                             flow->system->contacts[flow->pace.contact].name, flow->t);
        status = slip_flow_attend(flow);
        if (status < 0)
            return status;
    }
    return slip_flow_explain(flow, slip_flow_land_now(flow, observer));
}
