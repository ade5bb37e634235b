#include "statics/trace/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char joins_followed[] = "joins what was followed before";

/* Lengths of steps in parts of the sizes. */
static const double step_first = 0.01, step_most = 0.05, step_least = 1e-9;
enum { most_steps = 100000 };

/* ---- Memory. */

int slip_trace_create(slip_context *ctx, const slip_trace_family *family,
                      const slip_static_path_options *options, const slip_static_observer *observer,
                      slip_trace **result)
{
    SLIP_FREED_BY(slip_trace_drop) slip_trace *w = slip_alloc(1, sizeof *w);
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, w));
    w->ctx = ctx;
    w->family = *family;
    w->options = *options;
    w->observer = *observer;
    w->contact_count = family->shape->contact_count;
    w->state_size = family->shape->n + family->shape->direction_count;
    SLIP_PASS(slip_balance_room_create(ctx, family->shape, &w->room));
    const int64_t size = w->room.capacity, m = w->contact_count + 1;
    double **const lines[] = {&w->x,     &w->tangent, &w->scale, &w->next,  &w->next_tangent,
                              &w->place, &w->fp,      &w->f,     &w->right, &w->step};
    bool complete = true;
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
        complete = complete && (*lines[k] = slip_arena_array(&w->arena, size, sizeof(double)));
    w->matrix = slip_arena_array(&w->arena, size * size, sizeof(double));
    w->lambda = slip_arena_array(&w->arena, family->direction_count + 1, sizeof(double));
    w->d = slip_arena_array(&w->arena, family->direction_count + 1, sizeof(double));
    w->modes = slip_arena_array(&w->arena, m, sizeof *w->modes);
    w->changes = slip_arena_array(&w->arena, m, sizeof *w->changes);
    w->rays = slip_arena_array(&w->arena, slip_trace_rays_max, sizeof *w->rays);
    w->other_margins = slip_arena_array(&w->arena, slip_balance_margins_max * m, sizeof *w->other_margins);
    w->margin_rates = slip_arena_array(&w->arena, slip_balance_margins_max * m, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, complete && w->other_margins && w->margin_rates && w->matrix && w->lambda &&
                                      w->d && w->modes && w->changes && w->rays));
    SLIP_HAND(result, w);
    return SLIP_OK;
}

void slip_trace_destroy(slip_trace *w)
{
    if (!w)
        return;
    for (int64_t k = 0; k < w->piece_count; k++)
        free(w->pieces[k].points);
    free(w->pieces);
    free(w->pending);
    free(w->crossings);
    slip_balance_room_free(&w->room);
    slip_arena_free(&w->arena);
    free(w);
}

/* Raises the reference sizes to those of a state: of each coordinate and force, and at least a fraction of
 * the largest one of its kind. */
static void widen(slip_trace *w, const double *state)
{
    const int n = w->family.shape->n;
    for (int group = 0; group < 2; group++) {
        const int first = group == 0 ? 0 : n, end = group == 0 ? n : w->state_size;
        double largest = 0;
        for (int i = first; i < end; i++) {
            w->scale[i] = fmax(w->scale[i], fabs(state[i]));
            largest = fmax(largest, w->scale[i]);
        }
        for (int i = first; i < end; i++)
            w->scale[i] = fmax(w->scale[i], largest > 0 ? 0.01 * largest : 1);
        if (group == 0)
            w->reach = largest > 0 ? largest : 1;
    }
}

/* Of length 1, also when the sizes have grown. */
static void set_tangent(slip_trace *w, const double *tangent)
{
    const double length = sqrt(slip_trace_dot(w, w->modes, tangent, tangent));
    for (int i = 0; i <= slip_trace_last(w); i++)
        w->tangent[i] = tangent[i] / length;
}

/* ---- Telling. */

static int point_at(slip_trace *w, const double *x, slip_static_point *point)
{
    slip_balance *b;
    const double p = x[slip_trace_last(w)];
    SLIP_PASS(w->family.at(w->family.user, p, &b));
    w->family.state(w->family.user, b, x, w->lambda, w->d);
    *point = (slip_static_point){.branch = w->branch,
                                 .p = p,
                                 .lambda = w->lambda,
                                 .d = w->d,
                                 .modes = w->modes,
                                 .sign = w->sign,
                                 .direction = slip_trace_direction(w, w->modes, w->tangent)};
    return SLIP_OK;
}

static int tell_point(slip_trace *w, const double *x, bool target)
{
    slip_static_point point;
    SLIP_PASS(point_at(w, x, &point));
    if (slip_interrupted(w->ctx))
        return slip_fail(w->ctx, SLIP_INTERRUPTED, "interrupted at %.9g", point.p);
    point.target = target;
    return w->observer.point ? w->observer.point(w->observer.user, &point) : SLIP_OK;
}

static int tell_label(slip_trace *w, slip_static_label_type type, int change_count, const char *note)
{
    slip_static_label label = {.type = type,
                               .number = ++w->label,
                               .changes = w->changes,
                               .change_count = change_count,
                               .note = note};
    SLIP_PASS(point_at(w, w->x, &label.at));
    if (w->at_pole)
        label.at.lambda = label.at.d = NULL;
    return w->observer.label ? w->observer.label(w->observer.user, &label) : SLIP_OK;
}

/* ---- What was followed. */

static int begin_piece(slip_trace *w)
{
    const int size = slip_trace_last(w) + 1;
    SLIP_PASS(slip_allocated(w->ctx, SLIP_ROOM(w->pieces, w->piece_capacity, w->piece_count + 1)));
    slip_trace_piece *piece = &w->pieces[w->piece_count++];
    *piece = (slip_trace_piece){.modes = slip_arena_array(&w->arena, w->contact_count + 1, sizeof(slip_mode)),
                                .size = size,
                                .first = slip_arena_array(&w->arena, size, sizeof(double)),
                                .last = slip_arena_array(&w->arena, size, sizeof(double)),
                                .branch = w->branch};
    SLIP_PASS(slip_allocated(w->ctx, piece->modes && piece->first && piece->last));
    memcpy(piece->modes, w->modes, sizeof(slip_mode) * (size_t)w->contact_count);
    memcpy(piece->first, w->tangent, sizeof(double) * (size_t)size);
    return SLIP_OK;
}

/* Adds the present point to the piece. */
static int extend_piece(slip_trace *w)
{
    slip_trace_piece *piece = &w->pieces[w->piece_count - 1];
    SLIP_PASS(
        slip_allocated(w->ctx, SLIP_ROOM(piece->points, piece->capacity, (piece->count + 1) * piece->size)));
    memcpy(piece->points + piece->count++ * piece->size, w->x, sizeof(double) * (size_t)piece->size);
    for (int i = 0; i < piece->size; i++)
        piece->last[i] = -w->tangent[i];
    return SLIP_OK;
}

static int queue(slip_trace *w, const slip_trace_ray *ray)
{
    SLIP_PASS(slip_allocated(w->ctx, SLIP_ROOM(w->pending, w->pending_capacity, w->pending_count + 1)));
    w->pending[w->pending_count++] = *ray;
    return SLIP_OK;
}

/* Moves to w->next. At a crossing of curves the tangent is not unique, so the old one is kept. */
static void go(slip_trace *w, const slip_trace_ahead *at)
{
    const size_t bytes = sizeof(double) * (size_t)(slip_trace_last(w) + 1);
    memcpy(w->x, w->next, bytes);
    if (slip_trace_dot(w, w->modes, w->tangent, w->next_tangent) >= slip_trace_cosine)
        memcpy(w->tangent, w->next_tangent, bytes);
    w->sign = at->sign;
    if (at->augmented != 0)
        w->augmented = at->augmented;
}

/* Reports points at targets between the present point and w->next. */
static int tell_targets(slip_trace *w, double p_next)
{
    const int last = slip_trace_last(w);
    const double p = w->x[last];
    int status = SLIP_OK, sign;
    for (int k = 0; k < w->options.target_count && status == SLIP_OK; k++) {
        const double target = w->options.targets[k];
        if ((target - p) * (target - p_next) > 0 || target == p)
            continue;
        SLIP_FREED double *kept = slip_alloc(3 * (int64_t)(last + 1), sizeof(double));
        double *x = kept, *unit = kept + last + 1;
        SLIP_PASS(slip_allocated(w->ctx, kept));
        for (int i = 0; i <= last; i++)
            x[i] = w->x[i] + (target - p) / (p_next - p) * (w->next[i] - w->x[i]);
        x[last] = target;
        memcpy(kept + 2 * (last + 1), x, sizeof(double) * (size_t)(last + 1));
        unit[last] = 1;
        const slip_trace_closing closing = {.row = unit, .place = kept + 2 * (last + 1)};
        if (slip_trace_correct(w, w->modes, &closing, x, &sign))
            status = tell_point(w, x, true);
    }
    return status;
}

/* ---- Events. */

/* Continues along a ray from the corner w->x. */
static void take(slip_trace *w, const slip_trace_ray *ray)
{
    const size_t bytes = sizeof(double) * (size_t)slip_trace_size(w, ray->modes);
    memcpy(w->modes, ray->modes, sizeof *w->modes * (size_t)w->contact_count);
    memcpy(w->x, ray->x, bytes);
    set_tangent(w, ray->tangent);
    w->augmented = 0;
}

static int list_changes(slip_trace *w, const slip_mode *to)
{
    int count = 0;
    for (int c = 0; c < w->contact_count; c++)
        if (to[c] != w->modes[c])
            w->changes[count++] = (slip_static_change){c, w->modes[c], to[c]};
    return count;
}

/* Handles a change of modes. *on: the branch continues. */
static int turn_corner(slip_trace *w, int *before, bool *on)
{
    const int in = slip_trace_direction(w, w->modes, w->tangent);
    int first = -1, ways = 0;
    *before = in != 0 ? in : *before;
    *on = false;
    SLIP_PASS(slip_trace_find_rays(w, w->x, w->x[slip_trace_last(w)], true));
    for (int k = 0; k < w->ray_count; k++)
        if (!slip_trace_followed(w, &w->rays[k])) {
            first = first < 0 ? k : first;
            ways++;
        }
    if (first < 0)
        return tell_label(w, SLIP_LABEL_EP, 0,
                          w->ray_count > 0                                    ? joins_followed
                          : slip_trace_gives_way(w, w->x[slip_trace_last(w)]) ? "static friction gives way"
                                                                              : "no way on");
    const slip_trace_ray *ray = &w->rays[first];
    const int out = slip_trace_direction(w, ray->modes, ray->tangent);
    int status = tell_label(w,
                            w->ray_count > 1              ? SLIP_LABEL_BP
                            : out != 0 && out == -*before ? SLIP_LABEL_LP
                                                          : SLIP_LABEL_MC,
                            list_changes(w, ray->modes), "");
    for (int k = first + 1; k < w->ray_count && status == SLIP_OK; k++)
        if (!slip_trace_followed(w, &w->rays[k]))
            status = queue(w, &w->rays[k]);
    take(w, ray);
    *on = status == SLIP_OK;
    return status;
}

/* Whether the present point is a crossing found before, whose branches are followed from there. */
static bool is_crossing(const slip_trace *w)
{
    const double range = w->family.high - w->family.low, p = w->x[slip_trace_last(w)];
    for (int64_t k = 0; k < w->crossing_count; k++) {
        const double *known = w->crossings + k * (w->state_size + 1);
        bool same = fabs(known[w->state_size] - p) <= 1e-5 * range;
        for (int i = 0; i < w->state_size; i++)
            same = same && fabs(known[i] - w->x[i]) <= 1e-3 * w->scale[i];
        if (same)
            return true;
    }
    return false;
}

/* Handles a crossing of two curves of the same modes. The tangents span the null space; the other curve is
 * searched in the direction normal to the present one. */
static int cross(slip_trace *w)
{
    const int size = slip_trace_last(w) + 1;
    SLIP_FREED double *across = slip_alloc(size, sizeof(double));
    SLIP_PASS(slip_allocated(w->ctx, across));
    SLIP_PASS(slip_allocated(w->ctx, SLIP_ROOM(w->crossings, w->crossing_capacity,
                                               (w->crossing_count + 1) * (w->state_size + 1))));
    memcpy(w->crossings + w->crossing_count * (w->state_size + 1), w->x,
           sizeof(double) * (size_t)w->state_size);
    w->crossings[w->crossing_count++ * (w->state_size + 1) + w->state_size] = w->x[size - 1];
    slip_trace_across(w, w->modes, w->x, w->tangent, across);
    SLIP_PASS(tell_label(w, SLIP_LABEL_BP, 0, ""));
    for (int sign = 0; sign < 2; sign++) {
        slip_trace_ray ray = {.modes = slip_arena_array(&w->arena, w->contact_count + 1, sizeof(slip_mode)),
                              .x = slip_arena_array(&w->arena, size, sizeof(double)),
                              .tangent = slip_arena_array(&w->arena, size, sizeof(double)),
                              .switching = true};
        SLIP_PASS(slip_allocated(w->ctx, ray.modes && ray.x && ray.tangent));
        memcpy(ray.modes, w->modes, sizeof(slip_mode) * (size_t)w->contact_count);
        memcpy(ray.x, w->x, sizeof(double) * (size_t)size);
        for (int i = 0; i < size; i++)
            ray.tangent[i] = sign == 0 ? across[i] : -across[i];
        SLIP_PASS(queue(w, &ray));
    }
    return SLIP_OK;
}

/* Whether the curve is closed: the step reaches the start of the piece. */
static bool is_closed(slip_trace *w, double h)
{
    const slip_trace_piece *piece = &w->pieces[w->piece_count - 1];
    double along = 0, distance = 0;
    if (piece->count < 4)
        return false;
    for (int i = 0; i < piece->size; i++)
        w->place[i] = piece->points[i] - w->x[i];
    along = slip_trace_dot(w, w->modes, w->place, w->tangent);
    if (!(along > 0 && along <= h) || slip_trace_dot(w, w->modes, piece->first, w->tangent) < 0.9)
        return false;
    for (int i = 0; i < piece->size; i++)
        w->place[i] -= along * w->tangent[i];
    distance = sqrt(slip_trace_dot(w, w->modes, w->place, w->place));
    return distance <= 0.1 * h;
}

/* ---- One branch. */

/* Handles the event at w->x: label, and continuation. */
static int meet(slip_trace *w, slip_trace_event what, int *before, bool *ended)
{
    bool on = true;
    int status = SLIP_OK;
    *ended = (what == SLIP_TRACE_FOLD || what == SLIP_TRACE_CROSSING) && is_crossing(w);
    if (*ended) {
        status = tell_label(w, SLIP_LABEL_EP, 0, joins_followed);
    } else if (what == SLIP_TRACE_FOLD) {
        status = tell_label(w, SLIP_LABEL_LP, 0, "");
    } else if (what == SLIP_TRACE_CROSSING) {
        status = cross(w);
    } else if (what == SLIP_TRACE_MARGIN) {
        if (++w->events > w->options.event_limit)
            return slip_fail(w->ctx, SLIP_ERROR_SOLVER, "the path has more than %lld changes of modes",
                             (long long)w->options.event_limit);
        status = turn_corner(w, before, &on);
        *ended = !on;
        if (on && status >= 0)
            status = begin_piece(w);
        if (on && status >= 0)
            status = extend_piece(w);
    }
    return status;
}

static double longest(const slip_trace *w)
{
    const double rate = fabs(w->tangent[slip_trace_last(w)]) / (w->family.high - w->family.low);
    const double spacing = w->options.spacing;
    return spacing > 0 && rate > 0 ? fmin(fmin(spacing / rate, 4 * spacing), step_most) : step_most;
}

/* The largest size of a coordinate or a force. */
static double largest_size(const slip_trace *w, int group)
{
    const int n = w->family.shape->n;
    double largest = 0;
    for (int i = group == 0 ? 0 : n; i < (group == 0 ? n : w->state_size); i++)
        largest = fmax(largest, w->scale[i]);
    return largest;
}

/* Whether the parameter is constant on the present piece. */
static bool is_level(const slip_trace *w)
{
    const slip_trace_piece *piece = &w->pieces[w->piece_count - 1];
    return fabs(w->x[slip_trace_last(w)] - piece->points[piece->size - 1]) <=
           1e-9 * (w->family.high - w->family.low);
}

/* Whether the state has become unbounded, at constant parameter or towards a pole. */
static bool is_far(const slip_trace *w, const double sizes[2])
{
    const double growth = is_level(w) ? 100 : 1e8;
    return largest_size(w, 0) > growth * sizes[0] || largest_size(w, 1) > growth * fmax(sizes[1], 1e-300);
}

static int end_far(slip_trace *w)
{
    if (is_level(w))
        return tell_label(w, SLIP_LABEL_EP, 0, "goes on without end at this value");
    w->at_pole = true;
    const int status = tell_label(w, SLIP_LABEL_EP, 0, "goes to infinity here: a pole");
    w->at_pole = false;
    return status;
}

/* From w->x along w->tangent until the branch ends. */
static int walk(slip_trace *w)
{
    const double sizes[2] = {largest_size(w, 0), largest_size(w, 1)};
    double h = step_first;
    int before = slip_trace_direction(w, w->modes, w->tangent);
    bool ended = false;
    SLIP_PASS(begin_piece(w));
    SLIP_PASS(extend_piece(w));
    for (int step = 0; !ended; step++) {
        slip_trace_stride to;
        h = fmin(h, longest(w));
        if (!slip_trace_step(w, h, &to)) {
            h *= 0.5;
            if (h > step_least)
                continue;
            return tell_label(w, SLIP_LABEL_EP, 0,
                              "cannot be followed any further: its steps become too short");
        }
        if (is_closed(w, to.length))
            return tell_label(w, SLIP_LABEL_EP, 0, joins_followed);
        int status = tell_targets(w, w->next[slip_trace_last(w)]);
        if (status != SLIP_OK)
            return status;
        go(w, &to.at);
        w->augmented = to.beyond != 0 ? to.beyond : w->augmented;
        widen(w, w->x);
        set_tangent(w, w->tangent);
        SLIP_PASS(extend_piece(w));
        status = tell_point(w, w->x, false);
        if (status == SLIP_OK && to.bound)
            return tell_label(w, SLIP_LABEL_EP, 0, "end of the range");
        if (status == SLIP_OK && to.what != SLIP_TRACE_NOTHING)
            status = meet(w, to.what, &before, &ended);
        if (status != SLIP_OK)
            return status;
        h = to.what == SLIP_TRACE_MARGIN ? step_first : 1.5 * h;
        if (!ended && is_far(w, sizes))
            return end_far(w);
        if (!ended && step > most_steps)
            return tell_label(w, SLIP_LABEL_EP, 0, "goes on without end");
    }
    return SLIP_OK;
}

/* At a crossing: replaces the tangent by the direction to a point of the other curve, found normal to the
 * present one. False where there is none, or it has been followed. */
static bool aim_across(slip_trace *w)
{
    const int size = slip_trace_last(w) + 1;
    slip_trace_ahead at;
    for (double h = 0.02; h > 1e-4; h *= 0.5) {
        if (!slip_trace_try_step(w, h, &at) || at.margin < -slip_trace_rounding)
            continue;
        SLIP_FREED double *line = slip_alloc(2 * (int64_t)size, sizeof(double));
        double *x = line + size;
        if (!line)
            return false;
        memcpy(x, w->next, sizeof(double) * (size_t)size);
        for (int i = 0; i < size; i++)
            line[i] = x[i] - w->x[i];
        const double length = sqrt(slip_trace_dot(w, w->modes, line, line));
        const bool good = length < 3 * h && !slip_trace_knows(w, x[size - 1], x);
        for (int i = 0; i < size && good; i++)
            w->tangent[i] = line[i] / length;
        return good;
    }
    return false;
}

static int follow_pending(slip_trace *w)
{
    int status = SLIP_OK;
    for (int64_t k = 0; k < w->pending_count && status == SLIP_OK; k++) {
        const slip_trace_ray ray = w->pending[k];
        int sign = 0;
        if (slip_trace_followed(w, &ray))
            continue;
        take(w, &ray);
        if (ray.switching && !aim_across(w))
            continue;
        if (!ray.switching) {
            slip_trace_tangent(w, w->modes, w->x, w->tangent, w->next_tangent, &w->sign, &sign);
            w->augmented = 0;
        }
        w->branch++;
        status = tell_label(w, SLIP_LABEL_EP, 0, "start");
        if (status == SLIP_OK)
            status = tell_point(w, w->x, false);
        if (status == SLIP_OK)
            status = walk(w);
    }
    w->pending_count = 0;
    return status;
}

int slip_trace_follow(slip_trace *w, double p, const double *y, int direction)
{
    widen(w, y);
    if (slip_trace_knows(w, p, y))
        return SLIP_OK;
    for (int c = 0; c < w->contact_count; c++) {
        slip_mode own[4];
        slip_balance_modes_of(w->family.shape, c, own);
        w->modes[c] = own[0];
    }
    SLIP_PASS(slip_trace_find_rays(w, y, p, false));
    for (int k = 0; k < w->ray_count; k++) {
        const int own = slip_trace_direction(w, w->rays[k].modes, w->rays[k].tangent);
        if ((direction == 0 || own == direction || own == 0) && !slip_trace_followed(w, &w->rays[k]))
            SLIP_PASS(queue(w, &w->rays[k]));
    }
    return follow_pending(w);
}
