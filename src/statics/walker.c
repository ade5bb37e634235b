/* The path follower's memory, reference sizes, and record of stretches already followed. */
#include "statics/walker.h"

#include <math.h>
#include <stdlib.h>

const char *slip_static_label_name(slip_static_label_type type)
{
    static const char *const names[] = {"EP", "MC", "LP", "BP"};
    return names[type];
}

slip_static_path_options slip_static_path_options_default(const slip_static_family *family)
{
    return (slip_static_path_options){
        .low = family->low, .high = family->high, .spacing = 0.005, .event_limit = 1000000};
}

/* ---- Memory. */

static bool create_arrays(slip_static_walker *w)
{
    const int64_t n = w->shape->direction_count, m = w->shape->contact_count;
    slip_arena *arena = &w->arena;
    double *numbers = slip_arena_array(arena, 18 * n + 2 * m + 1, sizeof(double));
    w->modes = slip_arena_array(arena, m + 1, sizeof *w->modes);
    w->old_modes = slip_arena_array(arena, m + 1, sizeof *w->modes);
    w->changes = slip_arena_array(arena, m + 1, sizeof *w->changes);
    w->critical = slip_arena_array(arena, m + 1, sizeof(int));
    w->critical_count = slip_arena_array(arena, m + 1, sizeof(int));
    w->critical_modes = slip_arena_array(arena, 4 * m + 1, sizeof *w->modes);
    if (!numbers || !w->modes || !w->old_modes || !w->changes || !w->critical || !w->critical_count ||
        !w->critical_modes)
        return false;
    w->numbers = numbers;
    w->lambda = numbers + 4 * n;
    w->d = numbers + 5 * n;
    w->trial_lambda = numbers + 6 * n;
    w->trial_d = numbers + 7 * n;
    w->level_lambda = numbers + 8 * n;
    w->level_d = numbers + 9 * n;
    w->pole = numbers + 10 * n;
    w->now.free = numbers + 16 * n;
    w->now.friction = numbers + 17 * n;
    w->now.normal = numbers + 17 * n + m;
    w->now.compliance = w->family->compliance ? (double *)(uintptr_t)w->family->compliance
                                              : slip_arena_array(arena, n * n + 1, sizeof(double));
    for (int k = 0; k < slip_static_rays_max; k++) {
        w->rays[k].modes = slip_arena_array(arena, m + 1, sizeof *w->modes);
        w->rays[k].lambda = slip_arena_array(arena, 2 * n + 1, sizeof(double));
        if (!w->rays[k].modes || !w->rays[k].lambda)
            return false;
        w->rays[k].d = w->rays[k].lambda + n;
    }
    return w->now.compliance && slip_static_centre_create(arena, w->family, &w->centre) &&
           slip_static_centre_create(arena, w->family, &w->spare) &&
           slip_static_active_create(arena, w->shape, &w->piece.active) &&
           slip_static_active_create(arena, w->shape, &w->trial.active) &&
           slip_static_series_create(arena, w->shape, &w->piece.series) &&
           slip_static_series_create(arena, w->shape, &w->trial.series);
}

/* The sizes at some values of the parameter. */
static int find_floor(slip_static_walker *w)
{
    const double part = 0.1;
    for (int k = 0; k <= 4; k++) {
        const double p = w->options.low + 0.25 * k * (w->options.high - w->options.low);
        const slip_static_problem problem = {*w->shape, w->now};
        const int status = slip_static_family_at(w->ctx, w->family, p, &w->now);
        if (status == SLIP_ERROR_MODEL) { /* a single value at which the model has no numbers */
            slip_context_clear(w->ctx);
            continue;
        }
        SLIP_PASS(status);
        const slip_static_scale scale = slip_static_scale_of(&problem, w->lambda, w->d); /* both zero */
        w->floor.force = fmax(w->floor.force, part * scale.force);
        w->floor.displacement = fmax(w->floor.displacement, part * scale.displacement);
    }
    return SLIP_OK;
}

slip_static_scale slip_static_walker_scale(const slip_static_walker *w)
{
    const slip_static_problem problem = {*w->shape, w->now};
    slip_static_scale scale = slip_static_scale_of(&problem, w->lambda, w->d);
    scale.force = fmax(scale.force, w->floor.force);
    scale.displacement = fmax(scale.displacement, w->floor.displacement);
    return scale;
}

int slip_static_walker_create(slip_context *ctx, const slip_static_family *family,
                              const slip_static_path_options *options, const slip_static_observer *observer,
                              slip_static_walker **result)
{
    SLIP_FREED_BY(slip_static_walker_drop) slip_static_walker *w = slip_alloc(1, sizeof *w);
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, w));
    w->ctx = ctx;
    w->family = family;
    w->shape = family->shape;
    w->options = options ? *options : slip_static_path_options_default(family);
    w->observer = *observer;
    SLIP_PASS(slip_allocated(ctx, create_arrays(w)));
    SLIP_PASS(find_floor(w));
    SLIP_HAND(result, w);
    return SLIP_OK;
}

void slip_static_walker_destroy(slip_static_walker *w)
{
    if (!w)
        return;
    free(w->stretches);
    for (int64_t k = 0; k < w->pending_count; k++)
        free(w->pending[k].lambda);
    free(w->pending);
    slip_arena_free(&w->arena);
    free(w);
}

/* ---- What was followed. */

int slip_static_walker_begin(slip_static_walker *w)
{
    SLIP_PASS(slip_allocated(w->ctx, SLIP_ROOM(w->stretches, w->stretch_capacity, w->stretch_count + 1)));
    w->stretches[w->stretch_count++] = (slip_static_stretch){
        slip_static_hash(w->piece.active.modes, w->shape->contact_count), w->p, w->p, w->branch};
    return SLIP_OK;
}

void slip_static_walker_extend(slip_static_walker *w)
{
    slip_static_stretch *last = &w->stretches[w->stretch_count - 1];
    last->low = fmin(last->low, w->p);
    last->high = fmax(last->high, w->p);
}

bool slip_static_walker_followed(const slip_static_walker *w, const slip_static_ray *ray)
{
    const double range = w->options.high - w->options.low, near = 1e-10 * range;
    const uint64_t hash = slip_static_hash(ray->modes, w->shape->contact_count);
    const double p = w->p + ray->direction * near;
    for (int64_t k = 0; k < w->stretch_count; k++) {
        const slip_static_stretch *s = &w->stretches[k];
        const bool inside = ray->direction != 0 ? p > s->low && p < s->high
                                                : fabs(w->p - s->low) < near && fabs(w->p - s->high) < near;
        if (s->hash == hash && inside)
            return true;
    }
    return false;
}

/* For fixed modes the solution is one function of the parameter, so stretches that overlap are the same.
 * Pieces at constant parameter are not compared. */
bool slip_static_walker_meets(const slip_static_walker *w, double *end)
{
    const double near = 1e-10 * (w->options.high - w->options.low);
    const uint64_t hash = w->stretches[w->stretch_count - 1].hash;
    bool meets = false;
    for (int64_t k = 0; k < w->stretch_count - 1; k++) {
        const slip_static_stretch *s = &w->stretches[k];
        const double edge = w->direction > 0 ? s->low : s->high;
        if (s->hash == hash && s->high - s->low > near && w->direction * (edge - w->p) > near &&
            w->direction * (*end - edge) > 0) {
            *end = edge;
            meets = true;
        }
    }
    return meets;
}

/* ---- Telling the observer. */

static slip_static_point point_now(const slip_static_walker *w)
{
    return (slip_static_point){.branch = w->branch,
                               .p = w->p,
                               .lambda = w->lambda,
                               .d = w->d,
                               .modes = w->piece.active.modes,
                               .sign = w->level ? 0 : w->piece.active.sign * w->shape->sign,
                               .direction = w->level ? 0 : w->direction};
}

int slip_static_walker_tell_point(slip_static_walker *w, bool target)
{
    slip_static_point point = point_now(w);
    point.target = target;
    return w->observer.point ? w->observer.point(w->observer.user, &point) : SLIP_OK;
}

int slip_static_walker_tell_label(slip_static_walker *w, slip_static_label_type type, int change_count,
                                  const char *note)
{
    slip_static_label label = {.type = type,
                               .number = ++w->label,
                               .at = point_now(w),
                               .changes = w->changes,
                               .change_count = change_count,
                               .note = note};
    if (w->at_pole)
        label.at.lambda = label.at.d = NULL;
    return w->observer.label ? w->observer.label(w->observer.user, &label) : SLIP_OK;
}
