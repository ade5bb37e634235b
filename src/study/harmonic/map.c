/* The map whose fixed points are balanced motions, and its derivatives. */
#include "method/exact/exact.h"
#include "study/harmonic/harmonic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double two_pi = 6.283185307179586476925;

/* The shift of difference quotients, over the scales; shorter steps give no updates. */
static const double reach = 1e-6, shortest = 1e-7;
/* Updated derivatives are used while they predict the last step with a relative error below this. */
static const double trusted = 0.1;
/* Lower bound of the slip distance, over the scale, so that rounding is not divided by less. */
static const double least_way = 1e-10;
/* Slip velocities that are zero, over their scales. */
static const double still = 1e-9;

int slip_harmonic_count(const slip_harmonic_balance *b)
{
    return 2 * b->here->count + b->here->states + slip_seen_loads(b->here);
}

typedef struct slip_harmonic_motion {
    slip_system *system;
    slip_arc_flow flow;
    double *room;      /* low, high, integrals, ranges */
    double *harmonics; /* X */
    double *start;     /* the state */
} motion;

static void close_motion(motion *m)
{
    slip_arc_flow_close(&m->flow);
    slip_system_destroy(m->system);
    free(m->room);
}

static void forget(slip_harmonic_balance *b)
{
    if (b->seen)
        close_motion(b->seen);
    free(b->seen);
    b->seen = NULL;
}

void slip_harmonic_free(slip_harmonic_balance *b)
{
    forget(b);
    slip_seen_destroy(b->here);
    slip_arena_free(&b->arena);
    *b = (slip_harmonic_balance){0};
}

static int make_room(slip_harmonic_balance *b, int size)
{
    const int64_t m = size;
    if (b->size == size)
        return SLIP_OK;
    forget(b);
    slip_arena_free(&b->arena);
    b->size = size;
    b->scale = slip_arena_array(&b->arena, 6 * m + 2, sizeof(double));
    bool made = b->scale != NULL;
    for (int k = 0; k < 2; k++) {
        slip_harmonic_slopes *to = &b->kept[k];
        *to = (slip_harmonic_slopes){0};
        to->held = slip_arena_array(&b->arena, slip_held_count(b->here->system) + 1, sizeof(bool));
        to->jacobian = slip_arena_array(&b->arena, m * (m + 1) + 2 * m + 1, sizeof(double));
        made = made && to->held && to->jacobian;
        to->last = to->jacobian ? to->jacobian + m * (m + 1) : NULL;
        to->image = to->last ? to->last + m + 1 : NULL;
    }
    b->slopes = &b->kept[0];
    if (!made) {
        b->size = 0;
        return slip_fail_memory(b->ctx);
    }
    b->next = b->scale + m;
    b->seen_at = b->next + m;
    b->seen_image = b->seen_at + m;
    b->work = b->seen_image + m;
    slip_harmonic_hold(b);
    return SLIP_OK;
}

void slip_harmonic_hold(slip_harmonic_balance *b)
{
    const size_t bytes = b->size > 0 ? (size_t)slip_held_count(b->here->system) * sizeof(bool) : 0;
    if (b->size == 0 || memcmp(b->slopes->held, b->held, bytes) == 0)
        return;
    forget(b);
    b->slopes = b->slopes == &b->kept[0] ? &b->kept[1] : &b->kept[0];
    if (memcmp(b->slopes->held, b->held, bytes) != 0)
        b->slopes->known = false;
    memcpy(b->slopes->held, b->held, bytes);
}

/* ---- The motion of the contacts. */

static bool any_held(const slip_harmonic_balance *b)
{
    bool any = false;
    for (int i = 0; i < slip_held_count(b->here->system); i++)
        any = any || b->held[i];
    return any;
}

/* From integrals over a period to harmonics. */
static void find_harmonics(const slip_seen *c, const double *fourier, double period, double *x)
{
    const int r = c->count, waves = 2 * c->harmonics + 1;
    for (int i = 0; i < r; i++) {
        x[i * waves] = fourier[2 * c->harmonics * r + c->states + i] / period;
        for (int h = 1; h <= c->harmonics; h++) {
            x[i * waves + 2 * h - 1] = 2 * fourier[2 * (h - 1) * r + i] / period;
            x[i * waves + 2 * h] = 2 * fourier[(2 * h - 1) * r + i] / period;
        }
    }
}

/* The state to start with: a slip velocity that is zero but for rounding is zero, so that it does not stick
 * in an event of its own. */
static void stop(const slip_harmonic_balance *b, const slip_seen *c, const slip_system *system,
                 const double *u, double *start)
{
    memcpy(start, u, (size_t)(2 * c->count + c->states) * sizeof(double));
    for (int i = 0; i < system->contact_count; i++) {
        const slip_slip_form *form = &system->contacts[i].slip;
        if (!slip_held_may(system, i) || form->rest || form->support_count != 1)
            continue;
        const int j = c->count + form->support[0];
        start[j] = fabs(start[j]) < still * b->scale[j] ? 0 : start[j];
    }
}

/* The contacts with the state and the loads in u, before they move. Whether ranges of forces are wanted. */
static int open_motion(const slip_harmonic_balance *b, const slip_seen *c, const double *u, bool ranges,
                       motion *m)
{
    const int state = 2 * c->count + c->states;
    *m = (motion){0};
    SLIP_PASS(slip_seen_system(b->ctx, c, u + state, b->held, &m->system));
    SLIP_PASS(slip_arc_flow_open_plain(b->ctx, m->system, b->settings, b->tolerance, &m->flow));
    m->flow.harmonics = c->harmonics;
    m->flow.frequency = c->frequency;
    const int64_t integrals = slip_arc_flow_integrals(&m->flow);
    m->room = slip_alloc(2 * c->count + integrals + slip_seen_loads(c) +
                             slip_held_numbers * (int64_t)slip_arc_flow_held(&m->flow) + state + 1,
                         sizeof(double));
    SLIP_PASS(slip_allocated(b->ctx, m->room));
    m->flow.low = m->room;
    m->flow.high = m->room + c->count;
    m->flow.fourier = m->room + 2 * c->count;
    m->harmonics = m->flow.fourier + integrals;
    m->flow.raised = b->held;
    m->start = m->harmonics + slip_seen_loads(c) + slip_held_numbers * slip_arc_flow_held(&m->flow);
    m->flow.ranges = ranges ? m->harmonics + slip_seen_loads(c) : NULL;
    slip_arc_flow_forget(&m->flow);
    stop(b, c, m->system, u, m->start);
    return SLIP_OK;
}

/* Moves the contacts over a length under their loads: the state in u is moved to `end`. */
static int move(const slip_harmonic_balance *b, const slip_seen *c, double t, double length, const double *u,
                bool ranges, double *end, motion *m)
{
    int status = SLIP_OK;
    SLIP_PASS(status = open_motion(b, c, u, ranges, m));
    SLIP_PASS(status = slip_arc_flow_run(&m->flow, t, m->start, length, &(slip_arc){.end = end}));
    find_harmonics(c, m->flow.fourier, length, m->harmonics);
    return status;
}

/* Moves the places of what is held towards the middle of what its friction can hold. */
static void centre(const slip_harmonic_balance *b, const slip_seen *c, const motion *m, double *image)
{
    const slip_system *system = m->system;
    for (int i = 0; i < slip_arc_flow_held(&m->flow); i++) {
        const double *range = m->flow.ranges + (int64_t)slip_held_numbers * i,
                     middle = slip_held_middle(range) / range[slip_held_limit];
        if (!b->held[i] || !(range[slip_held_limit] > 0))
            continue;
        if (i >= system->contact_count) {
            const int state = system->sliders[i - system->contact_count].state - c->count;
            image[2 * c->count + state] -= slip_held_middle(range);
            continue;
        }
        const slip_slip_form *form = &system->contacts[i].slip;
        for (int k = 0; k < form->support_count; k++)
            image[form->support[k]] -= form->row[form->support[k]] * middle * b->scale[form->support[k]];
    }
}

/* Divides the slip of a contact in a period by the square root of its slip distance (see the header). */
static void spread(const slip_harmonic_balance *b, const double *u, const motion *m, double *image)
{
    const slip_system *system = m->system;
    for (int i = 0; i < system->contact_count; i++) {
        const slip_contact *contact = &system->contacts[i];
        if (b->held[i] || !slip_held_may(system, i) || contact->slip.rest || contact->slip.support_count != 1)
            continue;
        const int j = contact->slip.support[0];
        const double way = (m->flow.high[j] - m->flow.low[j]) / b->scale[j];
        image[j] = u[j] + (image[j] - u[j]) / sqrt(fmin(fmax(way, least_way), 1));
    }
}

/* The map; *m stays open. */
static int apply(const slip_harmonic_balance *b, const slip_seen *c, double t, const double *u, bool ranges,
                 double *image, motion *m)
{
    const int state = 2 * c->count + c->states;
    const bool held = any_held(b);
    const int status = move(b, c, t, two_pi / c->frequency, u, ranges || held, image, m);
    if (status != SLIP_OK)
        return status;
    slip_seen_balance(c, u + state, m->harmonics, image + state);
    if (held)
        centre(b, c, m, image);
    spread(b, u, m, image);
    return status;
}

/* ---- Derivatives. */

static int find_column(slip_harmonic_balance *b, const slip_seen *c, double t, const double *u, double step,
                       int column)
{
    const int n = b->size;
    motion m;
    const int status = apply(b, c, t, u, false, b->next, &m);
    close_motion(&m);
    for (int i = 0; i < n && status == SLIP_OK; i++)
        b->slopes->jacobian[(int64_t)i * (n + 1) + column] =
            (b->next[i] - b->slopes->image[i]) / (step * b->scale[i]);
    return status;
}

/* Column of the derivatives for an unknown, from changes of the state at the end and of the harmonics. */
static void fill_column(slip_harmonic_balance *b, const motion *m, int column, const double *end,
                        const double *x)
{
    const slip_seen *c = b->here;
    const int n = b->size, state = 2 * c->count + c->states;
    double *unit = b->work, *nothing = b->work + n, *image = b->next;
    memset(unit, 0, 2 * (size_t)n * sizeof(double));
    unit[column] = b->scale[column];
    memcpy(image, end, (size_t)state * sizeof(double));
    slip_seen_balance(c, nothing, nothing, image + state);
    memcpy(nothing + state, image + state, (size_t)slip_seen_loads(c) * sizeof(double));
    slip_seen_balance(c, unit + state, x, image + state);
    for (int i = state; i < n; i++)
        image[i] -= nothing[i];
    spread(b, unit, m, image);
    for (int i = 0; i < n; i++)
        b->slopes->jacobian[(int64_t)i * (n + 1) + column] = image[i] / b->scale[i];
}

/* The system with a little more of the mean of load i. */
static int make_near(const slip_harmonic_balance *b, const motion *m, const double *u, int i, double *p,
                     slip_tangent_parameter *to)
{
    const slip_seen *c = b->here;
    const int place = i * (2 * c->harmonics + 1), state = 2 * c->count + c->states;
    slip_system *near;
    memcpy(p, u + state, (size_t)slip_seen_loads(c) * sizeof(double));
    p[place] += b->scale[state + place];
    SLIP_PASS(slip_seen_system(b->ctx, c, p, b->held, &near));
    to[place].near[0] = m->system;
    to[place].near[1] = near;
    to[place].weights[1] = 1 / (p[place] - u[state + place]);
    return SLIP_OK;
}

/* The derivatives by the unknowns in closed form: *found, where the motion has one and does not graze. */
static int differentiate_exactly(slip_harmonic_balance *b, double t, const double *u, bool *found)
{
    const slip_seen *c = b->here;
    const int r = c->count, state = 2 * r + c->states, loads = slip_seen_loads(c), n = r + c->states,
              columns = 2 * n + 1 + loads;
    const double period = two_pi / c->frequency;
    SLIP_FREED_BY(close_motion) motion m = {0};
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    slip_tangent_parameter *near = slip_arena_array(&arena, loads + 1, sizeof *near);
    double *integrals = slip_arena_array(&arena, (int64_t)columns * loads + 1, sizeof(double)),
           *room = slip_arena_array(&arena, 3 * (int64_t)state + 2 * loads + 1, sizeof(double)),
           *end = room ? room + loads : NULL;
    slip_tangent *tangent = NULL;
    const slip_tangent_loads of = {r, c->harmonics, c->frequency, integrals};
    int status = SLIP_OK;
    SLIP_TRY(slip_allocated(b->ctx, near && integrals && room));
    SLIP_TRY(open_motion(b, c, u, false, &m));
    status = slip_exact_applies(m.system, NULL, 0);
    if (status < 0)
        status = slip_fail_memory(b->ctx);
    if (status <= 0)
        goto done;
    for (int i = 0; i < r; i++)
        SLIP_TRY(make_near(b, &m, u, i, room, near));
    SLIP_TRY(slip_tangent_create(b->ctx, m.system, loads, near, &tangent));
    slip_tangent_take_loads(tangent, &of);
    m.flow.options.tangent = tangent;
    status = slip_arc_flow_run(&m.flow, t, m.start, period, &(slip_arc){.end = end});
    *found = status == SLIP_OK;
    for (int k = 0; k < state + loads && *found; k++) {
        const int own = k < r ? k : k < state ? n + k - r : 2 * n + 1 + k - state;
        const double *column = slip_tangent_column(tangent, own), *x = integrals + (int64_t)own * loads;
        *found = column != NULL;
        for (int i = 0; i < state && column; i++)
            end[i] = b->scale[k] * column[i < r ? i : n + i - r];
        for (int i = 0; i < loads && column; i++)
            room[i] = b->scale[k] * (i % (2 * c->harmonics + 1) ? 2 : 1) * x[i] / period;
        if (column)
            fill_column(b, &m, k, end, room);
    }
    if (status == SLIP_ERROR_SOLVER)
        slip_context_clear(b->ctx);
done:
    close_motion(&m);
    m = (motion){0};
    slip_tangent_destroy(tangent);
    for (int i = 0; i < r && near; i++)
        slip_system_destroy((slip_system *)near[i * (2 * c->harmonics + 1)].near[1]);
    return status < 0 && status != SLIP_ERROR_SOLVER ? status : SLIP_OK;
}

/* All of them, from u, whose image is known: exactly or by differences. */
static int differentiate(slip_harmonic_balance *b, double t, const double *u)
{
    const int n = b->size;
    slip_seen *other = NULL;
    double *moved = b->work, way = reach;
    bool found = false;
    int status = SLIP_OK;
    if (!any_held(b))
        SLIP_PASS(status = differentiate_exactly(b, t, u, &found));
    for (int k = 0; k < n && !found && status == SLIP_OK; k++) {
        memcpy(moved, u, (size_t)n * sizeof(double));
        moved[k] += reach * b->scale[k];
        status = find_column(b, b->here, t, moved, (moved[k] - u[k]) / b->scale[k], k);
    }
    if (status == SLIP_OK)
        status = b->condense(b->user, b->p + way * b->range, &other);
    if (status == SLIP_ERROR_MODEL) { /* at a limit of the values that the model accepts */
        way = -reach;
        status = b->condense(b->user, b->p + way * b->range, &other);
    }
    if (status == SLIP_OK)
        status = find_column(b, other, t, u, way, n);
    slip_seen_destroy(other);
    b->slopes->known = status == SLIP_OK;
    return status;
}

/* The error of the derivatives in predicting the last step, in `work`; squares of error and step. */
static void find_miss(slip_harmonic_balance *b, const double *u, const double *image, double *missed,
                      double *way)
{
    const int n = b->size;
    double *change = b->work + n;
    *missed = *way = 0;
    for (int k = 0; k <= n; k++) {
        change[k] =
            k < n ? (u[k] - b->slopes->last[k]) / b->scale[k] : (b->p - b->slopes->last[n]) / b->range;
        *way += change[k] * change[k];
    }
    for (int i = 0; i < n; i++) {
        b->work[i] = (image[i] - b->slopes->image[i]) / b->scale[i];
        for (int k = 0; k <= n; k++)
            b->work[i] -= b->slopes->jacobian[(int64_t)i * (n + 1) + k] * change[k];
        *missed += b->work[i] * b->work[i];
    }
}

/* Broyden's update with the last step. */
static void update(slip_harmonic_balance *b, double way)
{
    const int n = b->size;
    const double *change = b->work + n;
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= n; k++)
            b->slopes->jacobian[(int64_t)i * (n + 1) + k] += b->work[i] * change[k] / way;
}

/* The derivatives at u, whose image is known. */
static int keep_derivatives(slip_harmonic_balance *b, double t, const double *u, const double *image)
{
    const int n = b->size;
    double missed = 0, way = 0;
    int status = SLIP_OK;
    b->slopes->known =
        b->slopes->known && b->slopes->time == t; /* with another start the parameter does something else */
    b->slopes->time = t;
    if (b->slopes->known)
        find_miss(b, u, image, &missed, &way);
    const bool good = b->slopes->known && missed <= trusted * trusted * way;
    const bool stays = b->slopes->known && way < shortest * shortest;
    b->inherited = b->begun ? b->inherited : good || stays;
    b->begun = true;
    if (stays)
        return SLIP_OK;
    if (good)
        update(b, way);
    memcpy(b->slopes->last, u, (size_t)n * sizeof(double));
    b->slopes->last[n] = b->p;
    memcpy(b->slopes->image, image, (size_t)n * sizeof(double));
    if (!good)
        status = differentiate(b, t, u);
    return status;
}

static void give_derivatives(const slip_harmonic_balance *b, const slip_arc *to)
{
    const int n = b->size;
    for (int i = 0; i < n; i++) {
        const double *row = b->slopes->jacobian + (int64_t)i * (n + 1);
        for (int k = 0; k < n; k++)
            to->by_state[i * n + k] = row[k] * b->scale[i] / b->scale[k];
        to->by_parameter[i] = row[n] * b->scale[i] / b->range;
        to->rates[i] = to->by_start[i] = 0;
    }
}

/* ---- The motion of the structure. */

static double at(int harmonics, const double *of, double angle, bool rate)
{
    double sum = rate ? 0 : of[0];
    for (int h = 1; h <= harmonics; h++) {
        const double c = cos(h * angle), s = sin(h * angle);
        sum += rate ? h * (of[2 * h] * c - of[2 * h - 1] * s) : of[2 * h - 1] * c + of[2 * h] * s;
    }
    return sum;
}

/* Extrema of a sum of harmonics: where its rate changes sign between samples. */
static void find_extrema(int harmonics, const double *of, double *low, double *high)
{
    const int samples = 8 * harmonics + 8;
    double before = at(harmonics, of, 0, true);
    *low = INFINITY;
    *high = -INFINITY;
    for (int k = 1; k <= samples; k++) {
        double left = two_pi * (k - 1) / samples, right = two_pi * k / samples;
        const double now = at(harmonics, of, right, true);
        for (int turn = 0; turn < 40 && before * now < 0; turn++) {
            const double middle = 0.5 * (left + right);
            *(at(harmonics, of, middle, true) * before > 0 ? &left : &right) = middle;
        }
        const double value = at(harmonics, of, right, false);
        *low = fmin(*low, value);
        *high = fmax(*high, value);
        before = now;
    }
}

/* Stores the events, extrema and integrals that the flow of the whole system wants. */
static int tell(const slip_harmonic_balance *b, const double *u, const motion *m, slip_arc_flow *flow)
{
    const slip_seen *c = b->here;
    const double *p = u + 2 * c->count + c->states, period = two_pi / c->frequency;
    SLIP_FREED double *of = slip_alloc(2 * c->harmonics + 1, sizeof(double));
    if (!of || !SLIP_ROOM(flow->events, flow->event_capacity, flow->event_count + m->flow.event_count))
        return slip_fail_memory(b->ctx);
    for (int64_t k = 0; k < m->flow.event_count; k++)
        flow->events[flow->event_count++] = m->flow.events[k];
    memcpy(flow->end.modes, m->flow.end.modes, (size_t)flow->system->contact_count * sizeof *flow->end.modes);
    if (flow->ranges)
        memcpy(flow->ranges, m->flow.ranges,
               (size_t)(slip_held_numbers * slip_arc_flow_held(flow)) * sizeof(double));
    for (int i = 0; i < c->n && flow->low; i++) {
        slip_seen_motion(c, p, m->harmonics, i, of);
        find_extrema(c->harmonics, of, &flow->low[i], &flow->high[i]);
        flow->fourier[i] = 0.5 * period * of[2 * b->multiple - 1];
        flow->fourier[c->n + i] = 0.5 * period * of[2 * b->multiple];
    }
    return SLIP_OK;
}

/* Evaluates the map from x at t, or takes the stored result where it is the same point again. */
static int see(slip_harmonic_balance *b, double t, const double *x, bool ranges)
{
    const size_t bytes = (size_t)b->size * sizeof(double);
    if (b->seen && b->seen_time == t && b->seen_p == b->p && memcmp(b->seen_at, x, bytes) == 0 &&
        (b->seen->flow.ranges || !ranges))
        return SLIP_OK;
    forget(b);
    b->seen = slip_alloc(1, sizeof *b->seen);
    SLIP_PASS(slip_allocated(b->ctx, b->seen));
    b->seen_time = t;
    b->seen_p = b->p;
    memcpy(b->seen_at, x, bytes);
    int status = apply(b, b->here, t, x, ranges, b->seen_image, b->seen);
    if (status != SLIP_OK)
        forget(b);
    return status;
}

int slip_harmonic_map(void *user, slip_arc_flow *flow, double t, const double *x, double length,
                      const slip_arc *to)
{
    slip_harmonic_balance *b = user;
    const slip_seen *c = b->here;
    const size_t bytes = (size_t)slip_harmonic_count(b) * sizeof(double);
    int status = SLIP_OK;
    if (length < (1 - 1e-9) * two_pi / c->frequency) {
        motion m;
        memcpy(to->end, x, bytes);
        status = move(b, c, t, length, x, false, to->end, &m);
        close_motion(&m);
        return status;
    }
    SLIP_PASS(status = see(b, t, x, flow->ranges != NULL));
    memcpy(to->end, b->seen_image, bytes);
    SLIP_PASS(status = tell(b, x, b->seen, flow));
    if (flow->trial)
        return status;
    SLIP_PASS(status = keep_derivatives(b, t, x, to->end));
    give_derivatives(b, to);
    return status;
}

/* ---- The start. */

/* Sizes of the unknowns: how far the contacts move, and the largest harmonic of the loads. */
static void set_scales(const slip_seen *c, const motion *m, const slip_orbit *from, slip_orbit *to)
{
    const int r = c->count, state = 2 * r + c->states, waves = 2 * c->harmonics + 1;
    double most = 0, largest = 0;
    for (int i = 0; i < c->n; i++) /* where contacts stick, they are measured by what else moves */
        most = fmax(most, from->scale[i]);
    for (int k = state; k < to->count; k++)
        largest = fmax(largest, fabs(to->x[k]));
    for (int i = 0; i < r; i++) {
        to->scale[i] = fmax(m->flow.high[i] - m->flow.low[i], most > 0 ? 0.1 * most : 1);
        to->scale[r + i] = to->scale[i] * c->frequency;
        double size = largest > 0 ? 1e-3 * largest : 1;
        for (int k = 0; k < waves; k++)
            size = fmax(size, fabs(to->x[state + i * waves + k]));
        for (int k = 0; k < waves; k++)
            to->scale[state + i * waves + k] = size;
    }
    for (int i = 0; i < c->states; i++)
        to->scale[2 * r + i] = from->scale[2 * c->n + i];
}

/* The whole system moves for one period from where it is: its harmonics say what the loads are. */
static int find_first(slip_harmonic_balance *b, const slip_system *system, const slip_orbit *from,
                      slip_orbit *to)
{
    const slip_seen *c = b->here;
    const int r = c->count, n = c->n, waves = 2 * c->harmonics + 1, state = 2 * r + c->states;
    const double period = two_pi / c->frequency;
    SLIP_FREED_BY(slip_arc_flow_close) slip_arc_flow flow = {0};
    double *x;
    SLIP_FREED double *room = NULL;
    int status = SLIP_OK;
    SLIP_PASS(slip_arc_flow_open_plain(b->ctx, system, b->settings, b->tolerance, &flow));
    flow.harmonics = c->harmonics;
    flow.frequency = c->frequency;
    const int64_t integrals = slip_arc_flow_integrals(&flow);
    room = slip_alloc(2 * n + integrals + flow.count + slip_seen_loads(c) + 1, sizeof(double));
    SLIP_PASS(slip_allocated(b->ctx, room));
    flow.low = room;
    flow.high = room + n;
    flow.fourier = room + 2 * n;
    x = room + 2 * n + integrals;
    slip_arc_flow_forget(&flow);
    SLIP_PASS(status = slip_arc_flow_run(&flow, from->time, from->x, period,
                                         &(slip_arc){.end = x + slip_seen_loads(c)}));
    for (int j = 0; j < r; j++)
        for (int i = 0; i < n; i++) {
            const double row = c->rows[j * system->n + i];
            to->x[j] += row * from->x[i];
            to->x[r + j] += row * from->x[n + i];
            x[j * waves] += row * flow.fourier[2 * c->harmonics * n + c->states + i] / period;
            for (int k = 1; k < waves; k++)
                x[j * waves + k] += row * 2 * flow.fourier[(k - 1) * n + i] / period;
        }
    memcpy(to->x + 2 * r, from->x + 2 * n, (size_t)c->states * sizeof(double));
    return slip_allocated(b->ctx, slip_seen_guess(c, x, to->x + state)) < 0 ? SLIP_ERROR_MEMORY : status;
}

int slip_harmonic_start(slip_harmonic_balance *b, const slip_system *system, const slip_orbit *from,
                        slip_orbit *to)
{
    SLIP_FREED_BY(close_motion) motion m = {0};
    *to = (slip_orbit){.time = from->time, .period = from->period};
    SLIP_PASS(slip_orbit_create(b->ctx, slip_harmonic_count(b), 1, to));
    SLIP_PASS(make_room(b, to->count));
    SLIP_PASS(find_first(b, system, from, to));
    SLIP_PASS(apply(b, b->here, to->time, to->x, false, b->next, &m));
    set_scales(b->here, &m, from, to);
    memcpy(b->scale, to->scale, (size_t)to->count * sizeof(double));
    return SLIP_OK;
}
