/* The map whose fixed points are balanced motions, and its derivatives. */
#include "study/harmonic/harmonic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double two_pi = 6.283185307179586476925;

/* Differences go so far, over the scales; shorter ways say nothing of derivatives. */
static const double reach = 1e-6, shortest = 1e-7;
/* An update is good enough where the last way was predicted to this part of it. */
static const double trusted = 0.5;

int slip_harmonic_count(const slip_harmonic_balance *b)
{
    return 2 * b->here->count + b->here->states + slip_seen_loads(b->here);
}

void slip_harmonic_free(slip_harmonic_balance *b)
{
    slip_seen_destroy(b->here);
    slip_arena_free(&b->arena);
    *b = (slip_harmonic_balance){0};
}

static int make_room(slip_harmonic_balance *b, int size)
{
    const int64_t m = size;
    if (b->size == size)
        return SLIP_OK;
    slip_arena_free(&b->arena);
    b->size = size;
    b->known = false;
    b->scale = slip_arena_array(&b->arena, 7 * m + 2, sizeof(double));
    b->jacobian = slip_arena_array(&b->arena, m * (m + 1), sizeof(double));
    if (!b->scale || !b->jacobian) {
        b->size = 0;
        return slip_fail_memory(b->ctx);
    }
    b->last = b->scale + m;
    b->image = b->last + m + 1;
    b->next = b->image + m;
    b->work = b->next + m;
    return SLIP_OK;
}

/* ---- The motion of the contacts. */

typedef struct motion {
    slip_system *system;
    slip_arc_flow flow;
    double *room;      /* low, high, integrals */
    double *harmonics; /* X */
} motion;

static void close_motion(motion *m)
{
    slip_arc_flow_close(&m->flow);
    slip_system_destroy(m->system);
    free(m->room);
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

/* Moves the contacts over a length under their loads: the state in u is moved to `end`. */
static int move(const slip_harmonic_balance *b, const slip_seen *c, double t, double length, const double *u,
                double *end, motion *m)
{
    const int state = 2 * c->count + c->states;
    const slip_arc arc = {.end = end};
    int status;
    *m = (motion){0};
    SLIP_TRY(slip_seen_system(b->ctx, c, u + state, &m->system));
    SLIP_TRY(slip_arc_flow_open_plain(b->ctx, m->system, b->settings, b->tolerance, &m->flow));
    m->flow.harmonics = c->harmonics;
    m->flow.frequency = c->frequency;
    const int64_t integrals = slip_arc_flow_integrals(&m->flow);
    m->room = slip_alloc(2 * c->count + integrals + slip_seen_loads(c) + 1, sizeof(double));
    SLIP_TRY(m->room ? SLIP_OK : slip_fail_memory(b->ctx));
    m->flow.low = m->room;
    m->flow.high = m->room + c->count;
    m->flow.fourier = m->room + 2 * c->count;
    m->harmonics = m->flow.fourier + integrals;
    slip_arc_flow_forget(&m->flow);
    SLIP_TRY(slip_arc_flow_run(&m->flow, t, u, length, &arc));
    find_harmonics(c, m->flow.fourier, length, m->harmonics);
done:
    return status;
}

/* The map; *m stays open. */
static int apply(const slip_harmonic_balance *b, const slip_seen *c, double t, const double *u, double *image,
                 motion *m)
{
    const int state = 2 * c->count + c->states;
    const int status = move(b, c, t, two_pi / c->frequency, u, image, m);
    if (status == SLIP_OK)
        slip_seen_balance(c, u + state, m->harmonics, image + state);
    return status;
}

/* ---- Derivatives. */

static int find_column(slip_harmonic_balance *b, const slip_seen *c, double t, const double *u, double step,
                       int column)
{
    const int n = b->size;
    motion m;
    const int status = apply(b, c, t, u, b->next, &m);
    close_motion(&m);
    for (int i = 0; i < n && status == SLIP_OK; i++)
        b->jacobian[(int64_t)i * (n + 1) + column] = (b->next[i] - b->image[i]) / (step * b->scale[i]);
    return status;
}

/* All of them, by differences from u, whose image is known. */
static int differentiate(slip_harmonic_balance *b, double t, const double *u)
{
    const int n = b->size;
    slip_seen *other = NULL;
    double *moved = b->work;
    int status = SLIP_OK;
    for (int k = 0; k < n && status == SLIP_OK; k++) {
        memcpy(moved, u, (size_t)n * sizeof(double));
        moved[k] += reach * b->scale[k];
        status = find_column(b, b->here, t, moved, (moved[k] - u[k]) / b->scale[k], k);
    }
    if (status == SLIP_OK)
        status = b->condense(b->user, b->p + reach * b->range, &other);
    if (status == SLIP_OK)
        status = find_column(b, other, t, u, reach, n);
    slip_seen_destroy(other);
    b->known = status == SLIP_OK;
    return status;
}

/* What the derivatives missed of the way from the last point, in `work`; the squares of that and of the way.
 */
static void find_miss(slip_harmonic_balance *b, const double *u, const double *image, double *missed,
                      double *way)
{
    const int n = b->size;
    double *change = b->work + n;
    *missed = *way = 0;
    for (int k = 0; k <= n; k++) {
        change[k] = k < n ? (u[k] - b->last[k]) / b->scale[k] : (b->p - b->last[n]) / b->range;
        *way += change[k] * change[k];
    }
    for (int i = 0; i < n; i++) {
        b->work[i] = (image[i] - b->image[i]) / b->scale[i];
        for (int k = 0; k <= n; k++)
            b->work[i] -= b->jacobian[(int64_t)i * (n + 1) + k] * change[k];
        *missed += b->work[i] * b->work[i];
    }
}

/* Broyden's update with the last way. */
static void update(slip_harmonic_balance *b, double way)
{
    const int n = b->size;
    const double *change = b->work + n;
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= n; k++)
            b->jacobian[(int64_t)i * (n + 1) + k] += b->work[i] * change[k] / way;
}

/* The derivatives at u, whose image is known. */
static int keep_derivatives(slip_harmonic_balance *b, double t, const double *u, const double *image)
{
    const int n = b->size;
    double missed = 0, way = 0;
    int status = SLIP_OK;
    b->known = b->known && b->time == t; /* with another start the parameter does something else */
    b->time = t;
    if (b->known)
        find_miss(b, u, image, &missed, &way);
    const bool good = b->known && missed <= trusted * trusted * way;
    if (b->known && way < shortest * shortest)
        return SLIP_OK;
    if (good)
        update(b, way);
    b->updated = good;
    memcpy(b->last, u, (size_t)n * sizeof(double));
    b->last[n] = b->p;
    memcpy(b->image, image, (size_t)n * sizeof(double));
    if (!good)
        status = differentiate(b, t, u);
    return status;
}

static void give_derivatives(const slip_harmonic_balance *b, const slip_arc *to)
{
    const int n = b->size;
    for (int i = 0; i < n; i++) {
        const double *row = b->jacobian + (int64_t)i * (n + 1);
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

/* What the flow of the whole system is asked for. */
static int tell(const slip_harmonic_balance *b, const double *u, const motion *m, slip_arc_flow *flow)
{
    const slip_seen *c = b->here;
    const double *p = u + 2 * c->count + c->states, period = two_pi / c->frequency;
    double *of = slip_alloc(2 * c->harmonics + 1, sizeof(double));
    if (!of || !slip_array_reserve(&flow->events, &flow->event_capacity,
                                   flow->event_count + m->flow.event_count, sizeof *flow->events)) {
        free(of);
        return slip_fail_memory(b->ctx);
    }
    for (int64_t k = 0; k < m->flow.event_count; k++)
        flow->events[flow->event_count++] = m->flow.events[k];
    memcpy(flow->modes, m->flow.modes, (size_t)flow->system->contact_count * sizeof *flow->modes);
    for (int i = 0; i < c->n && flow->low; i++) {
        slip_seen_motion(c, p, m->harmonics, i, of);
        find_extrema(c->harmonics, of, &flow->low[i], &flow->high[i]);
        flow->fourier[i] = 0.5 * period * of[2 * b->multiple - 1];
        flow->fourier[c->n + i] = 0.5 * period * of[2 * b->multiple];
    }
    free(of);
    return SLIP_OK;
}

int slip_harmonic_map(void *user, slip_arc_flow *flow, double t, const double *x, double length,
                      const slip_arc *to)
{
    slip_harmonic_balance *b = user;
    const slip_seen *c = b->here;
    const int n = slip_harmonic_count(b);
    motion m;
    int status;
    if (length < (1 - 1e-9) * two_pi / c->frequency) {
        memcpy(to->end, x, (size_t)n * sizeof(double));
        status = move(b, c, t, length, x, to->end, &m);
    } else {
        status = apply(b, c, t, x, to->end, &m);
        if (status == SLIP_OK)
            status = tell(b, x, &m, flow);
        if (status == SLIP_OK)
            status = keep_derivatives(b, t, x, to->end);
        if (status == SLIP_OK)
            give_derivatives(b, to);
    }
    close_motion(&m);
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
        to->scale[i] = fmax(m->flow.high[i] - m->flow.low[i], most > 0 ? 1e-3 * most : 1);
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
    slip_arc_flow flow = {0};
    double *room = NULL, *x;
    int status;
    SLIP_TRY(slip_arc_flow_open_plain(b->ctx, system, b->settings, b->tolerance, &flow));
    flow.harmonics = c->harmonics;
    flow.frequency = c->frequency;
    const int64_t integrals = slip_arc_flow_integrals(&flow);
    room = slip_alloc(2 * n + integrals + flow.count + slip_seen_loads(c) + 1, sizeof(double));
    SLIP_TRY(room ? SLIP_OK : slip_fail_memory(b->ctx));
    flow.low = room;
    flow.high = room + n;
    flow.fourier = room + 2 * n;
    x = room + 2 * n + integrals;
    slip_arc_flow_forget(&flow);
    SLIP_TRY(
        slip_arc_flow_run(&flow, from->time, from->x, period, &(slip_arc){.end = x + slip_seen_loads(c)}));
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
    slip_seen_guess(c, x, to->x + state);
done:
    slip_arc_flow_close(&flow);
    free(room);
    return status;
}

int slip_harmonic_start(slip_harmonic_balance *b, const slip_system *system, const slip_orbit *from,
                        slip_orbit *to)
{
    motion m = {0};
    int status;
    *to = (slip_orbit){.time = from->time, .period = from->period};
    SLIP_TRY(slip_orbit_create(b->ctx, slip_harmonic_count(b), 1, to));
    SLIP_TRY(make_room(b, to->count));
    SLIP_TRY(find_first(b, system, from, to));
    SLIP_TRY(apply(b, b->here, to->time, to->x, b->next, &m));
    set_scales(b->here, &m, from, to);
    memcpy(b->scale, to->scale, (size_t)to->count * sizeof(double));
done:
    close_motion(&m);
    return status;
}
