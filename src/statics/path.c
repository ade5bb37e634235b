#include "statics/path.h"

#include "statics/walker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double far_away =
    1e9; /* a piece at constant parameter longer than this, in reference sizes, has no end */
static const double close_by = 3e-3; /* steps below this share of the range: a pole may be ahead */
static const int order_at_start = 8; /* of a series */
static const int order_to_move = 24; /* if the series needs more terms, the centre moves */
static const char joins_followed[] = "joins what was followed before";

/* ---- Moving the centre. */

/* Moves the centre to the present point, or a little further if the matrix is singular there. */
static int move_centre(slip_static_walker *w, bool *good)
{
    static const double ahead[] = {0, 1e-6, 1e-5, 1e-4, 1e-3};
    const double range = w->options.high - w->options.low;
    *good = false;
    for (int k = 0; k < 5 && !*good; k++) {
        double p = w->p + w->direction * ahead[k] * range;
        if (p < w->family->low || p > w->family->high)
            break;
        SLIP_PASS(slip_static_centre_move(w->ctx, &w->centre, p, w->direction));
        *good = slip_static_active_factor(&w->piece.active, slip_static_centre_compliance(&w->centre, 0),
                                          slip_static_centre_friction(&w->centre, 0), w->piece.active.modes);
    }
    w->piece.series.order = -1;
    return SLIP_OK;
}

/* Expands the series until it is exact at the present point and beyond; moves a centre that is too far away.
 */
static int develop(slip_static_walker *w, bool *good)
{
    slip_static_series *series = &w->piece.series;
    int order = order_at_start;
    *good = true;
    for (;;) {
        const double s = (w->p - w->centre.centre) / w->centre.unit;
        const bool exact = slip_static_series_extend(series, &w->centre, &w->piece.active, order);
        const double reach = exact ? slip_static_series_reach(series, &w->centre) : 0;
        const bool away = s * w->direction > 0;
        if (exact && reach > (away ? 1.02 : 1) * fabs(s) && (!away || reach - fabs(s) > 0.02 * reach))
            return SLIP_OK;
        if (exact && s != 0 && order < order_to_move) {
            order += 4;
            continue;
        }
        if (exact && s == 0)
            return SLIP_OK;
        if (s == 0 && w->piece.active.updates == 0) {
            *good = false; /* a fresh inverse, and yet no solution */
            return SLIP_OK;
        }
        SLIP_PASS(move_centre(w, good));
        if (!*good)
            return SLIP_OK;
        order = order_at_start;
    }
    return SLIP_OK;
}

/* ---- A step along a piece. */

/* The largest step, in units of s: to the end of the reach of the series, of the interpolated data, of the
 * range, or to the start of a stretch already followed (a closed path). *end: reason why the path ends there,
 * or NULL. */
static double free_length(const slip_static_walker *w, double *end_p, const char **end)
{
    const double s = (w->p - w->centre.centre) / w->centre.unit;
    const double reach = slip_static_series_reach(&w->piece.series, &w->centre);
    double range_end = w->direction > 0 ? w->options.high : w->options.low;
    const bool joins = slip_static_walker_meets(w, &range_end);
    const double data_end = w->direction > 0 ? w->centre.local.high : w->centre.local.low;
    const bool data_first = w->direction > 0 ? data_end < range_end : data_end > range_end;
    double length = reach - w->direction * s;
    *end_p = data_first ? data_end : range_end;
    const double there = w->direction * (*end_p - w->p) / w->centre.unit;
    *end = NULL;
    if (there <= length) {
        length = there;
        *end = data_first ? NULL : joins ? joins_followed : "end of the range";
    } else {
        *end_p = w->p + w->direction * length * w->centre.unit;
    }
    return length;
}

/* How fast a polynomial changes at t. */
static double slope_at(int order, const double *coefficients, double t)
{
    double slope = 0;
    for (int k = order; k >= 1; k--)
        slope = slope * t + k * coefficients[k];
    return slope;
}

/* The first margin that reaches zero within the length; INFINITY where none does. Near a pole a margin is so
 * steep that the rounding of the parameter keeps it from zero: by w->steep, relative to its size. */
static double first_event(slip_static_walker *w, double length)
{
    const slip_static_series *series = &w->piece.series;
    const slip_static_scale scale = slip_static_walker_scale(w);
    const double s = (w->p - w->centre.centre) / w->centre.unit;
    double first = INFINITY, coefficients[slip_static_order_max + 1];
    w->steep = 0;
    for (int c = 0; c < w->shape->contact_count; c++) {
        slip_static_margin margins[slip_static_margins_max];
        const int count = slip_static_margins(&w->shape->contacts[c], w->piece.active.modes[c], margins);
        for (int k = 0; k < count; k++) {
            const double size = slip_static_margin_size(&margins[k], &scale, w->now.friction[c]);
            slip_static_series_margin(series, &w->centre, c, &margins[k], s, w->direction, coefficients);
            const bool at_zero = w->p == w->corner ? slip_static_walker_at_zero(w, c, &margins[k], size)
                                                   : coefficients[0] <= slip_static_event_rounding * size;
            if (at_zero && slip_static_trend(series->order, coefficients, size) == 0)
                continue;
            const double root = slip_polynomial_first_root(series->order, coefficients, fmin(first, length),
                                                           at_zero, 1e-15 * size);
            if (root < first) {
                first = root;
                w->steep = fabs(slope_at(series->order, coefficients, root)) / size * 4e-16 *
                           (fabs(w->p) / w->centre.unit + root);
            }
        }
    }
    return first;
}

/* Points on the way to `end` (a value of p), at most `spacing` apart, and at the values asked for. */
static int record_until(slip_static_walker *w, double end)
{
    const int n = w->shape->direction_count;
    const double range = w->options.high - w->options.low, start = w->p;
    const double spacing = w->options.spacing > 0 ? w->options.spacing * range : INFINITY;
    const int steps = spacing < INFINITY ? (int)ceil(fabs(end - start) / spacing) : 1;
    int status = SLIP_OK, step = 1;
    int target = w->direction > 0 ? 0 : w->options.target_count - 1;
    for (;;) {
        double next = step < steps ? start + (end - start) * step / steps : end;
        bool wanted = false;
        while (target >= 0 && target < w->options.target_count &&
               w->direction * (w->options.targets[target] - w->p) <= 0)
            target += w->direction;
        if (target >= 0 && target < w->options.target_count &&
            w->direction * (w->options.targets[target] - next) <= 0) {
            wanted = true;
            if (w->options.targets[target] == next)
                step++;
            next = w->options.targets[target];
        } else {
            step++;
        }
        w->p = next;
        slip_static_series_at(&w->piece.series, n, (next - w->centre.centre) / w->centre.unit, w->lambda,
                              w->d);
        slip_static_walker_extend(w);
        status = slip_static_walker_tell_point(w, wanted);
        if (status != SLIP_OK || next == end)
            return status;
    }
}

/* ---- At the end of a piece. */

static int end_path(slip_static_walker *w, bool *going, const char *why)
{
    *going = false;
    return slip_static_walker_tell_label(w, SLIP_LABEL_EP, 0, why);
}

static int list_changes(slip_static_walker *w, const slip_mode *to)
{
    int count = 0;
    for (int c = 0; c < w->shape->contact_count; c++)
        if (w->old_modes[c] != to[c])
            w->changes[count++] = (slip_static_change){c, w->old_modes[c], to[c]};
    return count;
}

static int queue(slip_static_walker *w, const slip_static_ray *ray)
{
    const int64_t n = w->shape->direction_count, m = w->shape->contact_count;
    slip_static_pending item = {.p = w->p};
    SLIP_PASS(slip_allocated(w->ctx, SLIP_ROOM(w->pending, w->pending_capacity, w->pending_count + 1)));
    item.lambda = slip_alloc(4 * n + m, sizeof(double)); /* the modes go into the last m */
    SLIP_PASS(slip_allocated(w->ctx, item.lambda));
    item.d = item.lambda + n;
    item.ray = *ray;
    item.ray.lambda = item.lambda + 2 * n;
    item.ray.d = item.lambda + 3 * n;
    item.ray.modes = (slip_mode *)(item.lambda + 4 * n);
    memcpy(item.lambda, w->lambda, sizeof(double) * (size_t)n);
    memcpy(item.d, w->d, sizeof(double) * (size_t)n);
    memcpy(item.ray.lambda, ray->lambda, sizeof(double) * (size_t)n);
    memcpy(item.ray.d, ray->d, sizeof(double) * (size_t)n);
    memcpy(item.ray.modes, ray->modes, sizeof *ray->modes * (size_t)m);
    w->pending[w->pending_count++] = item;
    return SLIP_OK;
}

/* Chooses a ray that has not been followed yet: in the old direction if possible, with the fewest changes.
 * -1: none. */
static int choose(const slip_static_walker *w)
{
    int best = -1, best_cost = 0;
    for (int k = 0; k < w->ray_count; k++) {
        const slip_static_ray *ray = &w->rays[k];
        const int cost = ray->changes +
                         (ray->direction == w->direction ? 0
                          : ray->direction == 0          ? 100000
                                                         : 1000000) +
                         (slip_static_walker_followed(w, ray) ? 10000000 : 0);
        if (best < 0 || cost < best_cost) {
            best = k;
            best_cost = cost;
        }
    }
    return best;
}

/* Starts a piece along a ray, with the modes of the ray. */
static int take(slip_static_walker *w, const slip_static_ray *ray, bool related, bool *good)
{
    const int n = w->shape->direction_count, m = w->shape->contact_count;
    *good = true;
    if (!w->level)
        w->turned = w->direction;
    if (ray->direction == 0) {
        w->level = true;
        memcpy(w->piece.active.modes, ray->modes, sizeof *ray->modes * (size_t)m);
        memcpy(w->level_lambda, ray->lambda, sizeof(double) * (size_t)n);
        memcpy(w->level_d, ray->d, sizeof(double) * (size_t)n);
        return slip_static_walker_begin(w);
    }
    /* Usually the last trial piece already has these modes. */
    const bool ready = related && !w->level && w->trial.active.sign != 0 &&
                       w->trial.active.friction == slip_static_centre_friction(&w->centre, 0) &&
                       memcmp(w->trial.active.modes, ray->modes, sizeof *ray->modes * (size_t)m) == 0;
    w->level = false;
    w->direction = ray->direction;
    if (ready) {
        const slip_static_piece swap = w->piece;
        w->piece = w->trial;
        w->trial = swap;
    } else {
        memcpy(w->piece.active.modes, ray->modes, sizeof *ray->modes * (size_t)m);
        SLIP_PASS(move_centre(w, good));
    }
    if (*good)
        SLIP_PASS(slip_static_walker_begin(w));
    return SLIP_OK;
}

/* Handles the end of a piece by a margin: label, and choice of the next ray. *going: the path continues. */
static int turn_corner(slip_static_walker *w, bool *going)
{
    int ways = 0;
    bool good;
    w->events++;
    memcpy(w->old_modes, w->piece.active.modes, sizeof *w->modes * (size_t)w->shape->contact_count);
    SLIP_PASS(slip_static_walker_rays(w, true));
    const int best = choose(w);
    *going = false;
    if (best < 0)
        return end_path(w, going, "no way on");
    slip_static_ray *ray = &w->rays[best];
    const int changes = list_changes(w, ray->modes);
    for (int k = 0; k < w->ray_count; k++)
        ways += k == best || !slip_static_walker_followed(w, &w->rays[k]);
    const int before = w->level ? w->turned : w->direction;
    if (slip_static_walker_followed(w, ray)) /* that corner has its label */
        return slip_static_walker_tell_label(w, SLIP_LABEL_EP, changes, joins_followed);
    const slip_static_label_type type = ways > 1                                          ? SLIP_LABEL_BP
                                        : ray->direction != 0 && ray->direction != before ? SLIP_LABEL_LP
                                                                                          : SLIP_LABEL_MC;
    const int status = slip_static_walker_tell_label(w, type, changes, "");
    if (status != SLIP_OK)
        return status;
    for (int k = 0; k < w->ray_count; k++)
        if (k != best && !slip_static_walker_followed(w, &w->rays[k]))
            SLIP_PASS(queue(w, &w->rays[k]));
    SLIP_PASS(take(w, ray, true, &good));
    if (!good)
        return end_path(w, going, "the matrix of the modes is singular");
    *going = true;
    return slip_static_walker_tell_point(w, false);
}

/* A piece at constant parameter: straight to the first margin that reaches zero. */
static int step_level(slip_static_walker *w, bool *going)
{
    const int n = w->shape->direction_count;
    double first = INFINITY;
    const slip_static_scale scale = slip_static_walker_scale(w);
    w->steep = 0;
    for (int c = 0; c < w->shape->contact_count; c++) {
        slip_static_margin margins[slip_static_margins_max];
        const slip_static_contact *own = &w->shape->contacts[c];
        const int count = slip_static_margins(own, w->piece.active.modes[c], margins);
        for (int k = 0; k < count; k++) {
            const double size = slip_static_margin_size(&margins[k], &scale, w->now.friction[c]);
            const double value = slip_static_margin_value(own, &margins[k], w->lambda, w->d,
                                                          w->now.friction[c], w->now.normal[c]);
            const double slope = slip_static_margin_value(own, &margins[k], w->level_lambda, w->level_d,
                                                          w->now.friction[c], 0);
            if (slope < -1e-9 * size)
                first = fmin(first, fmax(value, 0) / -slope);
        }
    }
    if (first > far_away)
        return end_path(w, going, "goes on without end at this value");
    for (int i = 0; i < n; i++) {
        w->lambda[i] += first * w->level_lambda[i];
        w->d[i] += first * w->level_d[i];
    }
    int status = slip_static_walker_tell_point(w, false);
    return status != SLIP_OK ? status : turn_corner(w, going);
}

/* One step on a smooth piece: to the next event, or as far as the series reaches. */
static int step_smooth(slip_static_walker *w, bool *going)
{
    bool good, pole;
    const char *end;
    double end_p;
    SLIP_PASS(develop(w, &good));
    if (!good)
        return end_path(w, going, "the matrix of the modes is singular");
    double length = free_length(w, &end_p, &end);
    double event = first_event(w, length);
    while (!(event <= length) && !end && w->piece.series.order < order_to_move &&
           end_p != w->centre.local.low && end_p != w->centre.local.high) {
        if (!slip_static_series_extend(&w->piece.series, &w->centre, &w->piece.active,
                                       w->piece.series.order + 8))
            break;
        length = free_length(w, &end_p, &end);
        event = first_event(w, length);
    }
    const double before = w->p;
    if (event <= length)
        end_p = w->p + w->direction * event * w->centre.unit;
    int status = record_until(w, end_p);
    if (status != SLIP_OK)
        return status;
    if (event <= length)
        return turn_corner(w, going);
    if (end)
        return end_path(w, going, end);
    const double step = fabs(w->p - before), range = w->options.high - w->options.low;
    if (step <= close_by * range) {
        double value;
        SLIP_PASS(slip_static_walker_pole(w, step, &pole, &value));
        if (pole) {
            *going = false;
            return slip_static_walker_end_at_pole(w, value);
        }
    }
    if (step <= 1e-13 * range)
        return end_path(w, going, "cannot be followed any further: its steps become too short");
    status = move_centre(w, &good);
    if (status == SLIP_ERROR_SOLVER) { /* like the logarithm at zero: not a pole */
        slip_context_clear(w->ctx);
        return end_path(w, going, "the model has no finite numbers any further on");
    }
    SLIP_PASS(status);
    return good ? SLIP_OK : end_path(w, going, "the matrix of the modes is singular");
}

/* ---- Branches. */

static int follow_branch(slip_static_walker *w, const slip_static_ray *ray)
{
    bool going = true;
    w->branch++;
    w->level = false;
    w->direction = ray->direction != 0 ? ray->direction : 1;
    SLIP_PASS(take(w, ray, false, &going));
    if (!going)
        return SLIP_OK;
    int status = slip_static_walker_tell_label(w, SLIP_LABEL_EP, 0, "start");
    if (status == SLIP_OK)
        status = slip_static_walker_tell_point(w, false);
    while (going && status == SLIP_OK) {
        if (slip_interrupted(w->ctx))
            return slip_fail(w->ctx, SLIP_INTERRUPTED, "interrupted at %.9g", w->p);
        if (w->events > w->options.event_limit)
            return slip_fail(w->ctx, SLIP_ERROR_SOLVER, "the path has more than %lld changes of modes",
                             (long long)w->options.event_limit);
        status = w->level ? step_level(w, &going) : step_smooth(w, &going);
    }
    return status;
}

/* Follows the branches that were found on the way. */
static int follow_pending(slip_static_walker *w)
{
    const size_t n = (size_t)w->shape->direction_count;
    int status = SLIP_OK;
    while (w->pending_count > 0 && status == SLIP_OK) {
        slip_static_pending item = w->pending[--w->pending_count];
        w->p = w->corner = item.p;
        w->rounding = slip_static_start_rounding;
        memcpy(w->lambda, item.lambda, sizeof(double) * n);
        memcpy(w->d, item.d, sizeof(double) * n);
        status = slip_static_family_at(w->ctx, w->family, w->p, &w->now);
        if (status >= 0 && !slip_static_walker_followed(w, &item.ray))
            status = follow_branch(w, &item.ray);
        free(item.lambda);
    }
    return status;
}

int slip_static_walker_follow(slip_static_walker *w, double p, const double *lambda, const double *d,
                              int direction)
{
    const size_t n = (size_t)w->shape->direction_count;
    bool any = false;
    w->p = p;
    w->level = false;
    w->direction = direction != 0 ? direction : 1;
    memcpy(w->lambda, lambda, sizeof(double) * n);
    memcpy(w->d, d, sizeof(double) * n);
    SLIP_PASS(slip_static_centre_move(w->ctx, &w->centre, p, w->direction));
    for (int c = 0; c < w->shape->contact_count; c++)
        w->old_modes[c] = SLIP_MODE_OPEN;
    memcpy(w->piece.active.modes, w->old_modes, sizeof *w->old_modes * (size_t)w->shape->contact_count);
    SLIP_PASS(slip_static_walker_rays(w, false));
    for (int k = 0; k < w->ray_count; k++)
        if ((direction == 0 || w->rays[k].direction == direction || w->rays[k].direction == 0) &&
            !slip_static_walker_followed(w, &w->rays[k])) {
            SLIP_PASS(queue(w, &w->rays[k]));
            any = true;
        }
    return any ? follow_pending(w) : SLIP_OK;
}
