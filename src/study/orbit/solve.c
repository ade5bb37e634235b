/* Newton's method for periodic motions: the equations of their arcs, the least period. */
#include "math/dense.h"
#include "study/orbit/orbit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative to the motion: states that are as close are the same. A motion that doubles its period is that
 * close to the one that it has doubled within 1e-14 of the parameter only. */
static const double same = 1e-7;

/* A motion that repeats within its period does not do so after this part of it. */
static const double golden = 0.6180339887498949;

/* The symmetry of what the flow maps; that of harmonic balance maps other numbers. */
static const slip_symmetry *symmetry_of(const slip_arc_flow *flow)
{
    return flow->map ? NULL : flow->symmetry;
}

/* The distance of an end from a start, with shifts by symmetry taken off the end. */
static double close_end(const slip_arc_flow *flow, const slip_orbit *orbit, const double *start, double *end)
{
    const slip_symmetry *symmetry = symmetry_of(flow);
    const bool shifts = symmetry && symmetry->count > 0; /* else the end keeps its bits */
    double size = 0;
    for (int i = 0; i < orbit->count && shifts; i++)
        end[i] -= start[i];
    if (shifts)
        slip_symmetry_reduce(symmetry, end);
    for (int i = 0; i < orbit->count && shifts; i++)
        end[i] += start[i];
    for (int i = 0; i < orbit->count; i++)
        size = fmax(size, fabs(end[i] - start[i]) / orbit->scale[i]);
    return size;
}

/* How far from its start the motion is after a part of the period; INFINITY where it does not get there. The
 * derivatives of the first arc are lost. */
static int distance_after(slip_arc_flow *flow, slip_orbit *orbit, double time, double *distance)
{
    const slip_arc arc = {orbit->ends, orbit->by_state, orbit->rates, orbit->by_start, orbit->by_parameter};
    const int status = slip_arc_flow_run(flow, orbit->time, orbit->x, time, &arc);
    *distance = status == SLIP_OK ? 0 : INFINITY;
    if (status == SLIP_OK)
        *distance = close_end(flow, orbit, orbit->x, arc.end);
    if (status == SLIP_ERROR_SOLVER)
        slip_context_clear(flow->ctx);
    return status < 0 && status != SLIP_ERROR_SOLVER ? status : SLIP_OK;
}

/* The sequence of events is the same one after the other, `parts` times. */
static bool events_repeat(const slip_event *events, int64_t count, int parts)
{
    if (count % parts != 0)
        return false;
    for (int64_t k = count / parts; k < count; k++) {
        const slip_event *x = &events[k], *y = &events[k - count / parts];
        if (x->contact != y->contact || x->from != y->from || x->to != y->to)
            return false;
    }
    return true;
}

/* How many times the motion repeats in its period; of a load that divides the multiple. `count` events of it
 * are known. *ran: the derivatives are lost. */
static int find_parts(slip_arc_flow *flow, slip_orbit *orbit, int multiple, int64_t count, bool *ran)
{
    static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47};
    double away = 0, distance;
    int status = SLIP_OK;
    for (size_t k = 0; k < sizeof primes / sizeof *primes;) {
        const int parts = orbit->repeats * primes[k];
        distance = INFINITY;
        if ((orbit->own_period || multiple % parts == 0) && events_repeat(flow->events, count, parts)) {
            if (!*ran) /* what stands still is no motion */
                SLIP_PASS(status = distance_after(flow, orbit, golden * orbit->period, &away));
            *ran = true;
            if (away > same)
                SLIP_PASS(status = distance_after(flow, orbit, orbit->period / parts, &distance));
        }
        if (distance < same)
            orbit->repeats = parts;
        else
            k++;
    }
    return status;
}

/* The same motion over its least period, in one arc. It stays as it is where that is not solved. */
static int shorten(slip_arc_flow *flow, slip_orbit *orbit)
{
    const size_t bytes = (size_t)orbit->count * sizeof(double);
    SLIP_FREED_BY(slip_orbit_free)
    slip_orbit shorter = {.own_period = true,
                          .time = orbit->time,
                          .period = orbit->period / orbit->repeats,
                          .repeats = 1,
                          .iterations = orbit->iterations};
    int status = SLIP_OK;
    SLIP_PASS(status = slip_orbit_create(flow->ctx, orbit->count, 1, &shorter));
    memcpy(shorter.x, orbit->x, bytes);
    memcpy(shorter.scale, orbit->scale, bytes);
    memcpy(shorter.phase, orbit->phase, bytes);
    status = slip_orbit_solve(flow, &shorter, NULL);
    if (status == SLIP_OK) {
        SLIP_PASS(status = slip_orbit_judge(flow->ctx, &shorter));
        slip_orbit_free(orbit);
        *orbit = shorter;
        shorter = (slip_orbit){0};
    } else if (status == SLIP_STOPPED) {
        status = slip_orbit_evaluate(flow, orbit);
    }
    return status;
}

/* Finds how many times the motion, as it was evaluated last, repeats in its period: of a given period in a
 * divisor of `multiple`. A period of the motion's own becomes the least one. */
static int take_least(slip_arc_flow *flow, slip_orbit *orbit, int multiple)
{
    bool ran = false;
    int status = SLIP_OK;
    orbit->repeats = 1;
    if (!flow->map)
        SLIP_PASS(status = find_parts(flow, orbit, multiple, flow->event_count, &ran));
    if (orbit->own_period && orbit->repeats > 1)
        return shorten(flow, orbit);
    return ran ? slip_orbit_evaluate(flow, orbit) : SLIP_OK;
    return status;
}

enum { most_iterations = 40, most_halvings = 7, most_arcs = 32 };

/* Singular values of the equations below this part of the largest are zeros. */
static const double neutral = 1e-9;

int slip_orbit_create(slip_context *ctx, int count, int arcs, slip_orbit *orbit)
{
    const int64_t n = count, k = arcs;
    slip_arena *arena = &orbit->arena;
    orbit->count = count;
    orbit->arcs = arcs;
    orbit->x = slip_arena_array(arena, n * k, sizeof(double));
    orbit->scale = slip_arena_array(arena, n, sizeof(double));
    orbit->phase = slip_arena_array(arena, n, sizeof(double));
    orbit->drifts = slip_arena_array(arena, n, sizeof *orbit->drifts);
    orbit->ends = slip_arena_array(arena, n * k, sizeof(double));
    orbit->by_state = slip_arena_array(arena, n * n * k, sizeof(double));
    orbit->rates = slip_arena_array(arena, n * k, sizeof(double));
    orbit->by_start = slip_arena_array(arena, n * k, sizeof(double));
    orbit->by_parameter = slip_arena_array(arena, n * k, sizeof(double));
    orbit->monodromy = slip_arena_array(arena, n * n, sizeof(double));
    orbit->real = slip_arena_array(arena, n, sizeof(double));
    orbit->imaginary = slip_arena_array(arena, n, sizeof(double));
    return orbit->x && orbit->scale && orbit->phase && orbit->drifts && orbit->ends && orbit->by_state &&
                   orbit->rates && orbit->by_start && orbit->by_parameter && orbit->monodromy &&
                   orbit->real && orbit->imaginary
               ? SLIP_OK
               : slip_fail_memory(ctx);
}

void slip_orbit_free(slip_orbit *orbit)
{
    slip_arena_free(&orbit->arena);
    *orbit = (slip_orbit){0};
}

/* ---- The equations. */

static double *start_of(const slip_orbit *orbit, int arc)
{
    return orbit->x + (int64_t)(arc % orbit->arcs) * orbit->count;
}

/* Takes shifts by symmetry off the end of the last arc and its derivatives. */
static void close_arc(const slip_arc_flow *flow, const slip_orbit *orbit, const slip_arc *arc)
{
    double *const columns[] = {arc->rates, arc->by_start, flow->has_parameter ? arc->by_parameter : NULL};
    close_end(flow, orbit, orbit->x, arc->end);
    if (!flow->tangent || flow->map)
        return;
    slip_symmetry_hold_rows(flow->symmetry, orbit->count, arc->by_state);
    for (int k = 0; k < 3; k++)
        if (columns[k])
            slip_symmetry_hold(flow->symmetry, columns[k]);
}

/* A coordinate that drifts need not come back at the end of the last arc. */
static bool closes_apart(const slip_orbit *orbit, int arc, int i)
{
    return arc == orbit->arcs - 1 && orbit->drifts[i];
}

/* How far the end of an arc is from the start of the next one, over the scales; not of what drifts. */
static double apart(const slip_orbit *orbit, int arc)
{
    double most = 0;
    for (int i = 0; i < orbit->count; i++)
        if (!closes_apart(orbit, arc, i))
            most = fmax(most, fabs(orbit->ends[arc * orbit->count + i] - start_of(orbit, arc + 1)[i]) /
                                  orbit->scale[i]);
    return most;
}

/* Whether a contact did this where the first arc began, after which there were so many events. */
static bool began_as(const slip_arc_flow *flow, const slip_orbit *orbit, int contact, slip_mode mode,
                     int64_t events)
{
    for (int64_t k = 0; k < events; k++)
        if (flow->events[k].contact == contact)
            return flow->events[k].from == mode;
    return orbit->arcs == 1 && flow->end.modes[contact] == mode;
}

/* States over the scales closer than this are next to each other. */
static const double close_by = 1e-3;

/* Contacts that stick or are closed at the end of an arc are taken to do so at the start of the next one, if
 * both states are close. From the state alone a velocity or gap that is zero but for rounding would be an
 * event with the derivatives of a graze. False: this holds already for the first arc, with so many events. */
static bool remember(const slip_arc_flow *flow, const slip_orbit *orbit, int arc, int64_t events,
                     slip_method_memory *at)
{
    const bool close = apart(orbit, arc) < close_by;
    bool changes = false;
    for (int c = 0; c < flow->system->contact_count; c++) {
        const slip_mode mode = flow->end.modes[c];
        const bool holds = close && flow->end.known[c] &&
                           (mode == SLIP_MODE_STICK || slip_contact_closed(&flow->system->contacts[c], mode));
        if (holds ? !at->known[c] || mode != at->modes[c] : at->known[c])
            changes = changes || at->known[c] || !began_as(flow, orbit, c, mode, events);
        at->known[c] = holds;
        at->modes[c] = mode;
        at->gaps[c] = NAN;
    }
    return changes;
}

/* Runs all arcs; *changes: other contacts stick or are closed at the end than at the start. */
static int run_arcs(slip_arc_flow *flow, slip_orbit *orbit, bool *changes)
{
    const int64_t count = orbit->count;
    const double length = orbit->period / orbit->arcs;
    int64_t events = 0;
    slip_arc_flow_forget(flow);
    orbit->residual = 0;
    orbit->of = flow->map ? NULL : flow->system;
    for (int i = 0; i < count; i++)
        orbit->drifts[i] = !flow->map && i < flow->symmetry->n && flow->symmetry->held[i];
    for (int k = 0; k < orbit->arcs; k++) {
        const slip_arc arc = {orbit->ends + k * count, orbit->by_state + k * count * count,
                              orbit->rates + k * count, orbit->by_start + k * count,
                              orbit->by_parameter + k * count};
        if (k > 0)
            remember(flow, orbit, k - 1, 0, &flow->between);
        flow->from = k > 0 ? &flow->between : &orbit->start;
        const int status =
            slip_arc_flow_run(flow, orbit->time + k * length, start_of(orbit, k), length, &arc);
        flow->from = NULL;
        if (status != SLIP_OK)
            return status;
        if (k == 0)
            events = flow->event_count;
        if (k == orbit->arcs - 1)
            close_arc(flow, orbit, &arc);
        orbit->residual = fmax(orbit->residual, apart(orbit, k));
    }
    *changes = !flow->map && remember(flow, orbit, orbit->arcs - 1, events, &orbit->start);
    return SLIP_OK;
}

/* Allocates orbit->start, or clears it where x_0 is no longer close to the state for which it was found. */
static bool recall(const slip_arc_flow *flow, slip_orbit *orbit)
{
    const int64_t contacts = flow->system->contact_count;
    bool near = true;
    if (!orbit->start_at) {
        orbit->start_at = slip_method_memory_make(&orbit->arena, contacts, &orbit->start)
                              ? slip_arena_array(&orbit->arena, orbit->count, sizeof(double))
                              : NULL;
        return orbit->start_at;
    }
    for (int i = 0; i < orbit->count; i++)
        near = near && fabs(orbit->x[i] - orbit->start_at[i]) <= close_by * orbit->scale[i];
    for (int64_t c = 0; c < contacts && !near; c++)
        orbit->start.known[c] = false;
    return true;
}

int slip_orbit_evaluate(slip_arc_flow *flow, slip_orbit *orbit)
{
    bool changes;
    SLIP_PASS(slip_allocated(flow->ctx, recall(flow, orbit)));
    memcpy(orbit->start_at, orbit->x, (size_t)orbit->count * sizeof(double));
    int status = run_arcs(flow, orbit, &changes);
    if (status == SLIP_OK && changes)
        status = run_arcs(flow, orbit, &changes);
    if (status != SLIP_OK)
        return status;
    slip_orbit_drop_bounces(flow);
    return isfinite(orbit->residual)
               ? SLIP_OK
               : slip_fail(flow->ctx, SLIP_ERROR_SOLVER, "the motion grows without bound");
}

bool slip_orbit_keeps(const slip_orbit *orbit, int i, double *to)
{
    const slip_system *system = orbit->of;
    const int n = orbit->count;
    for (int64_t k = 0; system && k < system->slider_count; k++) {
        const slip_slider *slider = &system->sliders[k];
        const slip_contact *contact = &system->contacts[slider->contact];
        const slip_slip_form *form = &contact->slip;
        if (slip_state_place(system, i) != system->n + slider->state || isfinite(slider->limit) ||
            slider->plane || slider->mode != SLIP_LAW_NO_MODE ||
            slip_contact_closed(contact, SLIP_MODE_STICK) || !form->row || form->rest ||
            form->constant != 0 || system->massless)
            continue;
        memset(to, 0, (size_t)n * sizeof(double));
        to[i] = 1;
        for (int j = 0; j < form->support_count; j++)
            to[form->support[j]] -=
                form->row[form->support[j]] * orbit->scale[form->support[j]] / orbit->scale[i];
        return true;
    }
    return false;
}

/* The equations of one step of Newton's method, in units of the scales. */
static void fill_equations(const slip_orbit *orbit, const slip_orbit_row *row, double *matrix, double *step)
{
    const int n = orbit->count, arcs = orbit->arcs, all = n * arcs,
              size = all + orbit->own_period + (row != NULL);
    memset(matrix, 0, (size_t)size * (size_t)size * sizeof(double));
    for (int k = 0; k < arcs; k++)
        for (int i = 0; i < n; i++) {
            double *to = matrix + (int64_t)(k * n + i) * size;
            const double scale = orbit->scale[i],
                         stretch = (orbit->rates[k * n + i] + k * orbit->by_start[k * n + i]) / arcs;
            if (closes_apart(orbit, k, i)) {
                to[i] = 1;
                step[k * n + i] = 0;
                continue;
            }
            if (k == arcs - 1 && slip_orbit_keeps(orbit, i, to)) { /* it closes where the slip does */
                step[k * n + i] = 0;
                continue;
            }
            for (int j = 0; j < n; j++)
                to[k * n + j] += orbit->by_state[(k * n + i) * n + j] * orbit->scale[j] / scale;
            to[(k + 1) % arcs * n + i] -= 1;
            if (orbit->own_period)
                to[all] = stretch * orbit->period / scale;
            if (row)
                to[size - 1] =
                    (orbit->by_parameter[k * n + i] + orbit->period_rate * stretch) * row->p_scale / scale;
            step[k * n + i] = (start_of(orbit, k + 1)[i] - orbit->ends[k * n + i]) / scale;
        }
    if (orbit->own_period) {
        for (int i = 0; i < n; i++)
            matrix[(int64_t)all * size + i] = orbit->phase[i] / orbit->scale[i];
        step[all] = 0;
    }
    if (row) {
        double *to = matrix + (int64_t)(size - 1) * size;
        memcpy(to, row->row, (size_t)n * sizeof(double));
        if (orbit->own_period)
            to[all] = row->row[n];
        to[size - 1] = row->row[n + 1];
        step[size - 1] = row->right;
    }
}

/* The smallest step that solves the equations as far as they can be solved: where a contact or a slider
 * sticks all the time, motions with the same period stand beside each other, and this one stays where it is
 * among them. */
static bool solve_least(slip_context *ctx, int size, double *matrix, double *step)
{
    double *values, *right, *sum;
    SLIP_FREED double *room = slip_alloc(2 * (int64_t)size * size + 2 * size, sizeof(double));
    bool solved = slip_allocated(ctx, room) >= 0;
    if (solved) {
        values = room + 2 * size * size;
        sum = values + size;
        right = room + size * size;
        solved = slip_dense_singular(size, matrix, values, room, right) && values[0] > 0;
        for (int k = 0; k < size && solved && values[k] > neutral * values[0]; k++) {
            double along = 0;
            for (int i = 0; i < size; i++)
                along += room[i * size + k] * step[i];
            for (int i = 0; i < size; i++)
                sum[i] += along / values[k] * right[i * size + k];
        }
        memcpy(step, sum, (size_t)size * sizeof(double));
    }
    return solved;
}

/* One step of Newton's method; false where there is none. */
static bool find_step(slip_context *ctx, const slip_orbit *orbit, const slip_orbit_row *row, double *matrix,
                      int *pivots, double *step)
{
    const int size = orbit->count * orbit->arcs + orbit->own_period + (row != NULL);
    double least = INFINITY, most = 0;
    fill_equations(orbit, row, matrix, step);
    bool solved = slip_dense_factor(size, matrix, pivots);
    for (int i = 0; i < size; i++) {
        least = fmin(least, fabs(matrix[(int64_t)i * size + i]));
        most = fmax(most, fabs(matrix[(int64_t)i * size + i]));
    }
    if (solved && least > neutral * most) {
        slip_dense_substitute(size, matrix, pivots, step);
    } else {
        fill_equations(orbit, row, matrix, step);
        solved = solve_least(ctx, size, matrix, step);
    }
    for (int i = 0; i < size && solved; i++)
        solved = isfinite(step[i]);
    return solved;
}

int slip_orbit_change(slip_context *ctx, const slip_orbit *orbit, const slip_orbit_row *row,
                      const double *miss, double *change)
{
    const int64_t all = (int64_t)orbit->count * orbit->arcs, size = all + orbit->own_period + 1;
    SLIP_FREED double *matrix = slip_alloc(size * size, sizeof(double));
    SLIP_FREED int *pivots = slip_alloc(size, sizeof(int));
    slip_orbit missed = *orbit;
    int status = matrix && pivots ? SLIP_OK : slip_fail_memory(ctx);
    missed.ends = slip_alloc(all, sizeof(double));
    if (!missed.ends)
        status = slip_fail_memory(ctx);
    for (int64_t k = 0; k < all && status == SLIP_OK; k++)
        missed.ends[k] =
            orbit->x[(k + orbit->count) % all] + (miss ? miss[k] * orbit->scale[k % orbit->count] : 0);
    if (status == SLIP_OK && !find_step(ctx, &missed, row, matrix, pivots, change))
        status = SLIP_STOPPED;
    free(missed.ends);
    return status;
}

static int move(slip_arc_flow *flow, slip_orbit *orbit, slip_orbit_row *row, const double *from,
                double period, double p, const double *step, double factor)
{
    const int all = orbit->count * orbit->arcs;
    for (int i = 0; i < all; i++)
        orbit->x[i] = from[i] + factor * step[i] * orbit->scale[i % orbit->count];
    if (orbit->own_period)
        orbit->period = period * (1 + factor * step[all]);
    if (!(orbit->period > 0))
        return slip_fail(flow->ctx, SLIP_ERROR_SOLVER, "the period would be %g", orbit->period);
    if (row) {
        row->p = p + factor * step[all + orbit->own_period] * row->p_scale;
        SLIP_PASS(row->set(row->user, row->p, flow, orbit));
    }
    flow->trial = true;
    const int status = slip_orbit_evaluate(flow, orbit);
    flow->trial = false;
    return status;
}

static bool goes_on(int status)
{
    return status == SLIP_OK || status == SLIP_ERROR_SOLVER || status == SLIP_ERROR_MODEL;
}

/* A step, as long as it makes the residual smaller. SLIP_STOPPED: none does, and where motions could not be
 * followed the context says why. */
static int take_step(slip_arc_flow *flow, slip_orbit *orbit, slip_orbit_row *row, double *from,
                     const double *step)
{
    const double before = fmax(orbit->residual, row ? fabs(row->right) : 0), period = orbit->period,
                 p = row ? row->p : 0, right = row ? row->right : 0, residual = orbit->residual;
    int status = SLIP_OK;
    memcpy(from, orbit->x, (size_t)orbit->count * (size_t)orbit->arcs * sizeof(double));
    for (int k = 0; k < most_halvings; k++) {
        const double factor = ldexp(1, -k);
        status = move(flow, orbit, row, from, period, p, step, factor);
        if (!goes_on(status))
            return status;
        if (row)
            row->right = right * (1 - factor);
        const double now = fmax(orbit->residual, row ? fabs(row->right) : 0);
        if (status == SLIP_OK && (now < (1 - 0.1 * factor) * before || now < 1e-11)) {
            slip_context_clear(flow->ctx);
            return flow->map ? slip_orbit_evaluate(flow, orbit) : SLIP_OK; /* with derivatives */
        }
    }
    orbit->residual = residual;
    return SLIP_STOPPED;
}

int slip_orbit_solve(slip_arc_flow *flow, slip_orbit *orbit, slip_orbit_row *row)
{
    const int64_t size = (int64_t)orbit->count * orbit->arcs + orbit->own_period + (row != NULL);
    SLIP_FREED double *matrix = slip_alloc(size * size + 2 * size + 1, sizeof(double));
    double *step = matrix ? matrix + size * size : NULL;
    int status = SLIP_OK;
    SLIP_FREED int *pivots = slip_alloc(size + 1, sizeof(int));
    SLIP_PASS(status = slip_allocated(flow->ctx, matrix && pivots));
    SLIP_PASS(status = slip_orbit_evaluate(flow, orbit));
    for (orbit->iterations = 0; orbit->iterations < most_iterations; orbit->iterations++) {
        const double before = orbit->residual;
        if (orbit->residual < (flow->map ? 1e-10 : 1e-13) && (!row || fabs(row->right) < 1e-10))
            break;
        /* at x_0 the rates are those at the end of the last arc, once it closes */
        if (orbit->own_period)
            memcpy(orbit->phase, orbit->rates + (orbit->arcs - 1) * orbit->count,
                   (size_t)orbit->count * sizeof(double));
        if (!find_step(flow->ctx, orbit, row, matrix, pivots, step)) {
            status = SLIP_STOPPED;
            break;
        }
        status = take_step(flow, orbit, row, step + size, step);
        if (status != SLIP_OK)
            break;
        if (orbit->residual < 1e-10 && orbit->residual > 0.1 * before && (!row || fabs(row->right) < 1e-10))
            break; /* rounding, or what errors of steps leave */
    }
    if (status == SLIP_ERROR_SOLVER)
        status = SLIP_STOPPED;
    if (status == SLIP_OK && !(orbit->residual < 1e-8))
        return SLIP_STOPPED;
    return status;
}

int slip_orbit_refine(slip_arc_flow *flow, slip_orbit *orbit)
{
    SLIP_FREED_BY(slip_orbit_free)
    slip_orbit finer = {.own_period = orbit->own_period,
                        .time = orbit->time,
                        .period = orbit->period,
                        .period_rate = orbit->period_rate};
    const int n = orbit->count;
    const size_t bytes = (size_t)n * sizeof(double);
    int status = SLIP_OK;
    SLIP_PASS(slip_orbit_create(flow->ctx, n, 2 * orbit->arcs, &finer));
    memcpy(finer.scale, orbit->scale, bytes);
    memcpy(finer.phase, orbit->phase, bytes);
    for (int k = 0; k < orbit->arcs; k++) {
        const double length = orbit->period / (2 * orbit->arcs);
        const slip_arc arc = {finer.x + (2 * k + 1) * n, finer.by_state, finer.rates, finer.by_start,
                              finer.by_parameter};
        memcpy(finer.x + 2 * k * n, start_of(orbit, k), bytes);
        SLIP_PASS(
            status = slip_arc_flow_run(flow, orbit->time + 2 * k * length, start_of(orbit, k), length, &arc));
    }
    slip_orbit_free(orbit);
    *orbit = finer;
    finer = (slip_orbit){0};
    return status;
}

/* Checks that the motion repeats in the next period too, as the load has to; and that an autonomous motion
 * repeats from any start time, else a load depends on time and its period is no unknown. */
static int check_load(slip_arc_flow *flow, slip_orbit *orbit)
{
    const double residual = orbit->residual, time = orbit->time;
    int status;
    orbit->time += (orbit->own_period ? 1 + golden : 1) * orbit->period;
    SLIP_TRY(slip_orbit_evaluate(flow, orbit));
    if (!(orbit->residual < 1e-6) && orbit->own_period)
        status = slip_fail(flow->ctx, SLIP_ERROR_SOLVER,
                           "orbit: found the period `auto`, but the model changes with time: expected the "
                           "period of its load, --period or `period: 2*pi/w` in a section `orbit`");
    else if (!(orbit->residual < 1e-6))
        status = slip_fail(flow->ctx, SLIP_ERROR_SOLVER,
                           "orbit: the motion does not repeat in the next period, from t = %.9g on: the load "
                           "has not the period %.9g",
                           orbit->time, orbit->period);
done:
    orbit->time = time;
    orbit->residual = residual;
    return status;
}

/* In an equilibrium every time is a period: what does not move is no motion with a period of its own. */
static int check_motion(slip_arc_flow *flow, slip_orbit *orbit)
{
    const double *rates = orbit->rates + (ptrdiff_t)(orbit->arcs - 1) * orbit->count;
    double away = 0;
    int status = SLIP_OK;
    for (int i = 0; i < orbit->count; i++)
        away = fmax(away, orbit->drifts[i] ? 0 : fabs(rates[i]) * orbit->period / orbit->scale[i]);
    if (!orbit->own_period || flow->map || away > 1e-3)
        return SLIP_OK;
    SLIP_PASS(status = distance_after(flow, orbit, golden * orbit->period, &away));
    if (away > same)
        return slip_orbit_evaluate(flow, orbit);
    return slip_fail(
        flow->ctx, SLIP_ERROR_SOLVER,
        "orbit: next to the motion at t = %.9g there is an equilibrium: the system is at rest there, and has "
        "no "
        "period of its own; for its multipliers give any time as orbit.period; for a cycle start "
        "from a state from which the motion lasts (other initial values)",
        orbit->time);
}

int slip_orbit_search(slip_arc_flow *flow, const slip_orbit_plan *plan, slip_orbit *orbit)
{
    const size_t bytes = (size_t)orbit->count * sizeof(double);
    SLIP_FREED double *start = slip_alloc(2 * orbit->count + 1, sizeof(double));
    const double period = orbit->period;
    int status = start ? SLIP_OK : slip_fail_memory(flow->ctx);
    if (start)
        memcpy(start, orbit->x, bytes);
    for (int arcs = 1; arcs <= most_arcs && status >= 0; arcs *= 2) {
        if (arcs > 1) {
            /* from the start again, in more arcs */
            slip_orbit again = {.own_period = orbit->own_period, .time = orbit->time, .period = period};
            SLIP_PASS(status = slip_orbit_create(flow->ctx, orbit->count, 1, &again));
            memcpy(again.x, start, bytes);
            memcpy(again.scale, orbit->scale, bytes);
            memcpy(again.phase, orbit->phase, bytes);
            slip_orbit_free(orbit);
            *orbit = again;
            for (int k = 1; k < arcs; k *= 2)
                SLIP_PASS(status = slip_orbit_refine(flow, orbit));
        }
        if (arcs < plan->options.arcs)
            continue;
        slip_context_clear(flow->ctx);
        status = slip_orbit_solve(flow, orbit, NULL);
        if (status == SLIP_OK) {
            SLIP_PASS(status = slip_orbit_judge(flow->ctx, orbit));
            SLIP_PASS(status = check_load(flow, orbit));
            SLIP_PASS(status = check_motion(flow, orbit));
            SLIP_PASS(status = take_least(flow, orbit, plan->options.multiple));
            return status;
        }
    }
    if (status >= 0) {
        SLIP_FREED_BY(slip_text_free) slip_text why = {0};
        const char *failed = slip_context_message(flow->ctx);
        if (*failed)
            slip_text_printf(&why, ", and motions next to the last one fail (%s)", failed);
        status = slip_fail(flow->ctx, SLIP_ERROR_SOLVER,
                           "orbit: Newton's method found no periodic motion close to the start: the residual "
                           "stays at %.3g of the motion%s; start closer to it (a longer simulate.time, other "
                           "initial values, %s)",
                           orbit->residual, why.data ? why.data : "",
                           orbit->own_period ? "orbit.guess" : "another orbit.multiple");
    }
    return status;
}
