/* Corners, where modes change: the rays that leave a point, and the record of curves already followed. */
#include "statics/trace/trace.h"

#include <math.h>
#include <string.h>

/* Rounding errors of margins at a corner, and of their rates along a tangent, relative to their sizes. */
static const double corner_rounding = 1e-8, rate_rounding = 1e-6;
enum { most_sets = 4096 };

/* ---- Modes that agree with a state. */

static int agreeing_friction(slip_trace *w, slip_balance *b, const double *x, int c, double normal,
                             const slip_balance_scale *size, slip_mode *modes)
{
    const slip_balance_contact *own = &b->contacts[c];
    const double force = corner_rounding * size->force, displacement = corner_rounding * size->displacement;
    const double *lambda = x + b->n + own->tangent;
    double d[3] = {0, 0, 0}, slip[3], length = 0, ratio = 0, e[3];
    int count = 0;
    if (own->driven) {
        slip_mode possible[4];
        const int possible_count = slip_balance_modes_of(b, c, possible);
        for (int k = 0; k < possible_count; k++)
            if (possible[k] != SLIP_MODE_OPEN && (!own->may_turn || possible[k] == w->modes[c]))
                modes[count++] = possible[k];
        return count;
    }
    slip_balance_place(b, x);
    const double hold = slip_balance_static_limit(b, own->contact) * normal,
                 slide = slip_balance_kinetic_limit(b, own->contact) * normal;
    slip_balance_find_rows(b, own, d, slip);
    for (int k = 0; k < own->tangent_count; k++)
        length += d[k] * d[k];
    length = sqrt(length);
    if (!own->surface) {
        for (int sign = 1; sign >= -1; sign -= 2)
            if (fabs(lambda[0] + sign * slide) <= force && sign * d[0] >= -displacement && own->holonomic)
                modes[count++] = sign > 0 ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_SLIP_MINUS;
        if (length <= displacement && fabs(lambda[0]) <= hold + force)
            modes[count++] = SLIP_MODE_STICK;
        return count;
    }
    if (!slip_balance_limit(b, c, lambda, &ratio, e))
        ratio = INFINITY;
    if (length > displacement || (fabs(ratio - slide) <= force && own->holonomic))
        modes[count++] = SLIP_MODE_SLIP;
    if (length <= displacement && ratio <= hold + force)
        modes[count++] = SLIP_MODE_STICK;
    return count;
}

/* Into modes[4]; their number. */
static int agreeing(slip_trace *w, slip_balance *b, const double *x, int c, const slip_balance_scale *size,
                    slip_mode *modes)
{
    const slip_balance_contact *own = &b->contacts[c];
    const double force = corner_rounding * size->force, displacement = corner_rounding * size->displacement;
    int count = 0;
    slip_balance_place(b, x);
    const double normal = slip_balance_normal(b, own, x, 0, NULL);
    if (own->normal >= 0) {
        const double gap = slip_system_gap(b->system, b->work, own->contact, b->t, b->q);
        if (fabs(normal) <= force && gap >= -displacement)
            modes[count++] = SLIP_MODE_OPEN;
        if (fabs(gap) > displacement || normal < -force)
            return count;
    }
    if (own->tangent_count == 0)
        modes[count++] = SLIP_MODE_CLOSED;
    else
        count += agreeing_friction(w, b, x, c, fmax(normal, 0), size, modes + count);
    return count;
}

/* ---- Rays. */

/* Whether a tangent can be followed: margins that are zero must not decrease along it. */
static bool margins_grow(slip_trace *w, const slip_mode *modes, const double *x, const double *tangent,
                         const slip_balance_scale *size)
{
    slip_balance *b;
    const int unknowns = slip_trace_size(w, modes) - 1;
    if (!slip_trace_margin_rates(w, modes, x))
        return false;
    if (w->family.at(w->family.user, x[unknowns], &b) < 0)
        return false;
    const int count = slip_balance_margins(b, modes, x, w->room.margins, w->room.margins_gradient);
    for (int k = 0; k < count; k++) {
        const slip_balance_margin *margin = &w->room.margins[k];
        const double unit = margin->is_force ? size->force : size->displacement;
        double rate = w->margin_rates[k] * tangent[unknowns];
        if (margin->value < -corner_rounding * unit)
            return false;
        if (margin->value > corner_rounding * unit)
            continue;
        for (int i = 0; i < unknowns; i++)
            rate += w->room.margins_gradient[(int64_t)k * unknowns + i] * tangent[i];
        if (rate < -rate_rounding * unit)
            return false;
    }
    return true;
}

/* Whether two rays have the same line of states, although their modes differ. */
static bool is_same_ray(const slip_trace *w, const slip_trace_ray *a, const slip_trace_ray *b)
{
    const double pa = a->tangent[slip_trace_size(w, a->modes) - 1],
                 pb = b->tangent[slip_trace_size(w, b->modes) - 1], range = w->family.high - w->family.low;
    double both = pa * pb / (range * range), aa = pa * pa / (range * range), bb = pb * pb / (range * range);
    for (int i = 0; i < w->state_size; i++) {
        const double square = w->scale[i] * w->scale[i];
        both += a->tangent[i] * b->tangent[i] / square;
        aa += a->tangent[i] * a->tangent[i] / square;
        bb += b->tangent[i] * b->tangent[i] / square;
    }
    return both > (1 - 1e-8) * sqrt(aa * bb);
}

static bool copy_ray(slip_arena *arena, const slip_trace *w, const slip_trace_ray *from, slip_trace_ray *to)
{
    const int size = slip_trace_size(w, from->modes);
    *to = *from;
    to->modes = slip_arena_array(arena, w->contact_count + 1, sizeof *to->modes);
    to->x = slip_arena_array(arena, size, sizeof(double));
    to->tangent = slip_arena_array(arena, size, sizeof(double));
    if (!to->modes || !to->x || !to->tangent)
        return false;
    memcpy(to->modes, from->modes, sizeof *to->modes * (size_t)w->contact_count);
    memcpy(to->x, from->x, sizeof(double) * (size_t)size);
    memcpy(to->tangent, from->tangent, sizeof(double) * (size_t)size);
    return true;
}

/* Adds a ray unless it leads back, or an equal one with fewer changes of modes is listed. */
static int add_ray(slip_trace *w, const slip_trace_ray *ray, bool incoming)
{
    const slip_trace_ray back = {.modes = w->modes, .tangent = w->place};
    if (incoming) {
        const int size = slip_trace_size(w, w->modes);
        for (int i = 0; i < size; i++)
            w->place[i] = -w->tangent[i];
        if (is_same_ray(w, ray, &back))
            return SLIP_OK;
    }
    for (int k = 0; k < w->ray_count; k++)
        if (is_same_ray(w, ray, &w->rays[k])) {
            if (ray->changes >= w->rays[k].changes)
                return SLIP_OK;
            return copy_ray(&w->arena, w, ray, &w->rays[k]) ? SLIP_OK : slip_fail_memory(w->ctx);
        }
    if (w->ray_count == slip_trace_rays_max)
        return SLIP_OK;
    return copy_ray(&w->arena, w, ray, &w->rays[w->ray_count++]) ? SLIP_OK : slip_fail_memory(w->ctx);
}

/* Both directions of the tangent of one set of modes. */
static int try_modes(slip_trace *w, slip_balance *b, slip_trace_ray *ray, const slip_balance_scale *size,
                     bool incoming)
{
    int status = SLIP_OK;
    slip_balance_aim(b, ray->modes, ray->x);
    const int unknowns = slip_trace_size(w, ray->modes) - 1;
    if (slip_trace_null(w, ray->modes, ray->x, ray->tangent) != 1)
        return SLIP_OK;
    ray->changes = 0;
    for (int c = 0; c < w->contact_count; c++)
        ray->changes += ray->modes[c] != w->modes[c];
    for (int sign = 0; sign < 2 && status >= 0; sign++) {
        if (margins_grow(w, ray->modes, ray->x, ray->tangent, size))
            status = add_ray(w, ray, incoming);
        for (int i = 0; i <= unknowns; i++)
            ray->tangent[i] = -ray->tangent[i];
    }
    return status;
}

int slip_trace_find_rays(slip_trace *w, const double *state, double p, bool incoming)
{
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    slip_balance *b;
    int64_t sets = 1;
    int status = SLIP_OK;
    slip_mode(*choices)[4] = slip_arena_array(&arena, w->contact_count + 1, sizeof *choices);
    int *counts = slip_arena_array(&arena, w->contact_count + 1, sizeof *counts);
    slip_trace_ray ray = {.modes = slip_arena_array(&arena, w->contact_count + 1, sizeof(slip_mode)),
                          .x = slip_arena_array(&arena, w->room.capacity, sizeof(double)),
                          .tangent = slip_arena_array(&arena, w->room.capacity, sizeof(double))};
    w->ray_count = 0;
    SLIP_PASS(slip_allocated(w->ctx, choices && counts && ray.modes && ray.x && ray.tangent));
    SLIP_PASS(w->family.at(w->family.user, p, &b));
    const slip_balance_scale size = slip_balance_scale_of(b, state, w->room.next);
    for (int c = 0; c < w->contact_count; c++) {
        counts[c] = agreeing(w, b, state, c, &size, choices[c]);
        if (counts[c] == 0) { /* rounding: as it was */
            counts[c] = 1;
            choices[c][0] = w->modes[c];
        }
        sets = sets * counts[c] > most_sets ? most_sets : sets * counts[c];
    }
    for (int64_t k = 0; k < sets && status >= 0; k++) {
        int64_t rest = k;
        for (int c = 0; c < w->contact_count; c++) {
            ray.modes[c] = choices[c][rest % counts[c]];
            rest /= counts[c];
        }
        memcpy(ray.x, state, sizeof(double) * (size_t)w->state_size);
        SLIP_PASS(w->family.at(w->family.user, p, &b));
        ray.x[slip_trace_size(w, ray.modes) - 1] = p;
        status = try_modes(w, b, &ray, &size, incoming);
    }
    return status;
}

bool slip_trace_gives_way(slip_trace *w, double p)
{
    slip_balance *b;
    slip_balance_margin margin = {.contact = -1};
    slip_trace_margin(w, w->modes, w->x, &margin);
    if (margin.contact < 0 || w->modes[margin.contact] != SLIP_MODE_STICK ||
        margin.beyond == SLIP_MODE_OPEN || w->family.at(w->family.user, p, &b) < 0)
        return false;
    const int contact = b->contacts[margin.contact].contact;
    slip_balance_place(b, w->x);
    return slip_balance_static_limit(b, contact) > slip_balance_kinetic_limit(b, contact);
}

/* ---- What was followed. */

static bool is_near(const slip_trace *w, const double *a, const double *b, double tolerance)
{
    for (int i = 0; i < w->state_size; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance * w->scale[i]))
            return false;
    return true;
}

static bool passes(slip_trace *w, const slip_trace_piece *piece, int64_t k, double p, const double *y);

/* Whether a piece with the modes of the ray passes through its state without ending there, as where slip with
 * a kinetic coefficient below the static one begins in the middle of a path with stick. */
static bool goes_through(slip_trace *w, const slip_trace_piece *piece, const slip_trace_ray *ray)
{
    const double p = ray->x[piece->size - 1];
    if (memcmp(piece->modes, ray->modes, sizeof *ray->modes * (size_t)w->contact_count) != 0)
        return false;
    for (int end = 0; end < 2; end++)
        if (is_near(w, piece->points + (end == 0 ? 0 : (piece->count - 1) * piece->size), ray->x, 1e-6))
            return false;
    for (int64_t k = 0; k + 1 < piece->count; k++)
        if (passes(w, piece, k, p, ray->x))
            return true;
    return false;
}

bool slip_trace_followed(slip_trace *w, const slip_trace_ray *ray)
{
    const int own = slip_trace_size(w, ray->modes);
    const double range = w->family.high - w->family.low;
    for (int64_t k = 0; k < w->piece_count; k++) {
        const slip_trace_piece *piece = &w->pieces[k];
        if (piece->count > 1 && goes_through(w, piece, ray))
            return true;
        for (int end = 0; end < 2 && piece->count > 1; end++) {
            const double *x = piece->points + (end == 0 ? 0 : (piece->count - 1) * piece->size);
            const slip_trace_ray other = {.modes = piece->modes,
                                          .tangent = end == 0 ? piece->first : piece->last};
            if (fabs(x[piece->size - 1] - ray->x[own - 1]) <= 1e-7 * range && is_near(w, x, ray->x, 1e-6) &&
                is_same_ray(w, ray, &other))
                return true;
        }
    }
    return false;
}

/* a . b of coordinates, forces and p. */
static double state_dot(const slip_trace *w, const double *a, double pa, const double *b, double pb)
{
    const double range = w->family.high - w->family.low;
    double sum = pa / range * (pb / range);
    for (int i = 0; i < w->state_size; i++)
        sum += a[i] / w->scale[i] * (b[i] / w->scale[i]);
    return sum;
}

/* Whether the curve between points k and k + 1 of the piece passes through the state: computes its
 * intersection with the plane through the state normal to the chord. */
static bool passes(slip_trace *w, const slip_trace_piece *piece, int64_t k, double p, const double *y)
{
    const int last = piece->size - 1;
    const double *a = piece->points + k * piece->size, *b = a + piece->size;
    double *x = w->next, *row = w->next_tangent, *off = w->place;
    int sign;
    for (int i = 0; i <= last; i++)
        row[i] = i < w->state_size || i == last ? b[i] - a[i] : 0;
    for (int i = 0; i < w->state_size; i++)
        off[i] = y[i] - a[i];
    const double square = state_dot(w, row, row[last], row, row[last]);
    const double part = state_dot(w, off, p - a[last], row, row[last]) / square;
    const double distance = state_dot(w, off, p - a[last], off, p - a[last]) - part * part * square;
    if (!(square > 0) || part < -0.1 || part > 1.1 || distance > 0.25 * square)
        return false;
    for (int i = 0; i <= last; i++) {
        x[i] = a[i] + part * (b[i] - a[i]);
        off[i] = i < w->state_size ? y[i] : x[i];
    }
    off[last] = p;
    const slip_trace_closing closing = {.row = row, .place = off};
    return slip_trace_correct(w, piece->modes, &closing, x, &sign) && is_near(w, x, y, 1e-6) &&
           fabs(x[last] - p) <= 1e-6 * (w->family.high - w->family.low);
}

bool slip_trace_knows(slip_trace *w, double p, const double *y)
{
    for (int64_t k = 0; k < w->piece_count; k++)
        for (int64_t j = 0; j + 1 < w->pieces[k].count; j++)
            if (passes(w, &w->pieces[k], j, p, y))
                return true;
    return false;
}
