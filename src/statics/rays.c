/* The rays that leave a point of a path: see path.h. */
#include "math/dense.h"
#include "statics/walker.h"

#include <math.h>
#include <string.h>

enum { combinations_max = 65536 };

int slip_static_trend(int order, const double *coefficients, double size)
{
    const double significant = 1e-9;
    for (int k = 1; k <= order && k <= 4; k++)
        if (fabs(coefficients[k]) > significant * size)
            return coefficients[k] > 0 ? 1 : -1;
    return 0;
}

bool slip_static_walker_at_zero(const slip_static_walker *w, int contact, const slip_static_margin *margin,
                                double size)
{
    return slip_static_margin_value(&w->shape->contacts[contact], margin, w->lambda, w->d,
                                    w->now.friction[contact], w->now.normal[contact]) <= w->rounding * size;
}

/* ---- Critical contacts: their state satisfies several modes. */

static int find_critical(slip_static_walker *w)
{
    const slip_static_problem problem = {*w->shape, w->now};
    const slip_static_scale scale = slip_static_walker_scale(w);
    int count = 0;
    for (int c = 0; c < w->shape->contact_count; c++) {
        slip_mode agreeing[4];
        int found = slip_static_agreeing(&problem, c, w->lambda, w->d, &scale, w->rounding, agreeing);
        if (found == 0) { /* rounding: whatever it was */
            agreeing[0] = w->piece.active.modes[c];
            found = 1;
        }
        w->modes[c] = agreeing[0];
        if (found == 1)
            continue;
        w->critical[count] = c;
        w->critical_count[count] = found;
        memcpy(w->critical_modes + 4 * count, agreeing, sizeof agreeing);
        count++;
    }
    return count;
}

/* ---- One set of modes. */

/* The inverse of the trial piece for w->modes at the centre, by updates of the piece at hand or from scratch.
 */
static bool invert_trial(slip_static_walker *w, bool related)
{
    slip_static_active *active = &w->trial.active;
    bool regular = related && w->piece.active.sign != 0;
    if (related)
        slip_static_active_copy(&w->piece.active, active);
    for (int c = 0; c < w->shape->contact_count && regular; c++)
        if (active->modes[c] != w->modes[c])
            regular = slip_static_active_change(active, c, w->modes[c]);
    if (regular)
        return true;
    return slip_static_active_factor(active, slip_static_centre_compliance(&w->centre, 0),
                                     slip_static_centre_friction(&w->centre, 0), w->modes);
}

/* Expands the series of the trial until it is exact at the point. */
static bool develop_trial(slip_static_walker *w, const slip_static_centre *centre)
{
    const double s = (w->p - centre->centre) / centre->unit;
    slip_static_series *series = &w->trial.series;
    series->order = -1;
    for (int order = 4; order <= slip_static_order_max; order += 4) {
        if (!slip_static_series_extend(series, centre, &w->trial.active, order))
            return false;
        if (slip_static_series_reach(series, centre) > fabs(s))
            return true;
    }
    return false;
}

/* The trial piece for w->modes with its series: about the centre or, where a pole of the series lies between
 * the centre and the point, about the point itself. *regular: the matrix is not singular at the point.
 * *good: the series is there. */
static int make_trial(slip_static_walker *w, bool related, const slip_static_centre **centre, bool *regular,
                      bool *good)
{
    slip_static_active *active = &w->trial.active;
    *centre = &w->centre;
    *regular = invert_trial(w, related);
    *good = *regular && develop_trial(w, &w->centre);
    if (*good || w->centre.centre == w->p)
        return SLIP_OK;
    SLIP_PASS(slip_static_centre_move(w->ctx, &w->spare, w->p, w->direction != 0 ? w->direction : 1));
    *centre = &w->spare;
    *regular = slip_static_active_factor(active, slip_static_centre_compliance(&w->spare, 0),
                                         slip_static_centre_friction(&w->spare, 0), w->modes);
    *good = *regular && develop_trial(w, &w->spare);
    return SLIP_OK;
}

/* Whether the line of solutions of the trial modes passes through the point. */
static bool passes(slip_static_walker *w, const slip_static_centre *centre, const slip_static_scale *scale)
{
    const int n = w->shape->direction_count, inner = slip_static_contact_directions(w->shape);
    const double near = 1e-7;
    slip_static_series_at(&w->trial.series, n, (w->p - centre->centre) / centre->unit, w->trial_lambda,
                          w->trial_d);
    for (int i = 0; i < inner; i++)
        if (!(fabs(w->trial_lambda[i] - w->lambda[i]) <= near * scale->force) ||
            !(fabs(w->trial_d[i] - w->d[i]) <= near * scale->displacement))
            return false;
    return true;
}

/* Whether no margin of a critical contact decreases when the parameter moves in the direction. */
static bool leaves(slip_static_walker *w, const slip_static_centre *centre, int critical, int direction,
                   const slip_static_scale *scale)
{
    const double s = (w->p - centre->centre) / centre->unit;
    double coefficients[slip_static_order_max + 1];
    for (int k = 0; k < critical; k++) {
        const int c = w->critical[k];
        slip_static_margin margins[slip_static_margins_max];
        const int count = slip_static_margins(&w->shape->contacts[c], w->modes[c], margins);
        for (int i = 0; i < count; i++) {
            const double size = slip_static_margin_size(&margins[i], scale, w->now.friction[c]);
            if (!slip_static_walker_at_zero(w, c, &margins[i], size))
                continue;
            slip_static_series_margin(&w->trial.series, centre, c, &margins[i], s, direction, coefficients);
            if (slip_static_trend(w->trial.series.order, coefficients, size) < 0)
                return false;
        }
    }
    return true;
}

/* ---- The list. */

static slip_static_ray *add_ray(slip_static_walker *w, int direction)
{
    if (w->ray_count == slip_static_rays_max)
        return NULL;
    slip_static_ray *ray = &w->rays[w->ray_count++];
    ray->direction = direction;
    ray->changes = 0;
    memcpy(ray->modes, w->modes, sizeof *ray->modes * (size_t)w->shape->contact_count);
    for (int c = 0; c < w->shape->contact_count; c++)
        ray->changes += w->modes[c] != w->old_modes[c];
    return ray;
}

/* Whether two lines have the same state a short way from the point. */
static bool same_line(const slip_static_walker *w, const double *lambda, const double *d,
                      const double *other_lambda, const double *other_d, const slip_static_scale *scale)
{
    double force = 0, displacement = 0;
    for (int i = 0; i < slip_static_contact_directions(w->shape); i++) {
        force = fmax(force, fabs(lambda[i] - other_lambda[i]));
        displacement = fmax(displacement, fabs(d[i] - other_d[i]));
    }
    return force <= 1e-9 * scale->force && displacement <= 1e-9 * scale->displacement;
}

/* Whether a ray is new. Two sets of modes can have the same line of solutions (a contact on the boundary
 * between modes all along); they count as one ray, also if it is the incoming one. States a short way from
 * the point, stored in the ray's arrays, are compared. */
static bool is_new(slip_static_walker *w, const slip_static_centre *centre, int direction,
                   const slip_static_scale *scale)
{
    const int n = w->shape->direction_count;
    const double step = direction * 1e-3 * centre->unit;
    double *lambda = w->numbers, *d = w->numbers + n, *back_lambda = d + n, *back_d = back_lambda + n;
    slip_static_series_at(&w->trial.series, n, (w->p + step - centre->centre) / centre->unit, lambda, d);
    if (direction == w->back) {
        slip_static_series_at(&w->piece.series, n, (w->p + step - w->centre.centre) / w->centre.unit,
                              back_lambda, back_d);
        if (same_line(w, lambda, d, back_lambda, back_d, scale))
            return false;
    }
    for (int k = 0; k < w->ray_count; k++)
        if (w->rays[k].direction == direction &&
            same_line(w, lambda, d, w->rays[k].lambda, w->rays[k].d, scale))
            return false;
    if (w->ray_count < slip_static_rays_max) {
        memcpy(w->rays[w->ray_count].lambda, lambda, sizeof(double) * (size_t)n);
        memcpy(w->rays[w->ray_count].d, d, sizeof(double) * (size_t)n);
    }
    return true;
}

static void try_directions(slip_static_walker *w, const slip_static_centre *centre, int critical,
                           const slip_static_scale *scale)
{
    const double edge = 1e-13 * (w->options.high - w->options.low);
    for (int direction = 1; direction >= -1; direction -= 2) {
        if (direction > 0 ? w->p >= w->options.high - edge : w->p <= w->options.low + edge)
            continue;
        if (leaves(w, centre, critical, direction, scale) && is_new(w, centre, direction, scale))
            add_ray(w, direction);
    }
}

/* Whether no zero margin of a critical contact decreases along a direction of lambda and d. */
static bool is_free(const slip_static_walker *w, int critical, const double *lambda, const double *d,
                    const slip_static_scale *scale)
{
    for (int k = 0; k < critical; k++) {
        const int c = w->critical[k];
        slip_static_margin margins[slip_static_margins_max];
        const int count = slip_static_margins(&w->shape->contacts[c], w->modes[c], margins);
        for (int i = 0; i < count; i++) {
            const double size = slip_static_margin_size(&margins[i], scale, w->now.friction[c]);
            if (slip_static_walker_at_zero(w, c, &margins[i], size) &&
                slip_static_margin_value(&w->shape->contacts[c], &margins[i], lambda, d, w->now.friction[c],
                                         0) < -1e-9 * size)
                return false;
        }
    }
    return true;
}

/* The null vector of the trial's matrix, into x; false where it has none or several. */
static int find_null_vector(const slip_static_walker *w, double *x, bool *found)
{
    const slip_static_active *active = &w->trial.active;
    const int count = active->count;
    const int64_t square = (int64_t)count * count;
    SLIP_FREED double *numbers = slip_alloc(3 * square + count + 1, sizeof(double));
    double *left = numbers + square, *right = left + square, *values = right + square;
    SLIP_PASS(slip_allocated(w->ctx, numbers));
    memcpy(numbers, active->matrix, sizeof(double) * (size_t)square);
    *found = count > 0 && slip_dense_singular(count, numbers, values, left, right) &&
             values[count - 1] <= 1e-12 * active->size &&
             (count == 1 || values[count - 2] > 1e-12 * active->size);
    for (int i = 0; i < count && *found; i++)
        x[i] = right[(int64_t)i * count + count - 1];
    return SLIP_OK;
}

/* Rays at constant parameter, along the null vector and against it. */
static int try_level(slip_static_walker *w, int critical, bool incoming, const slip_static_scale *scale)
{
    const slip_static_active *active = &w->trial.active;
    const int n = w->shape->direction_count;
    const bool back = incoming && w->level &&
                      memcmp(w->modes, w->old_modes, sizeof *w->modes * (size_t)w->shape->contact_count) == 0;
    double *x = w->numbers, *lambda = w->trial_lambda, *d = w->trial_d;
    bool found = false;
    SLIP_PASS(find_null_vector(w, x, &found));
    for (int i = 0; i < active->count && found; i++)
        x[i] *= scale->force;
    for (int sign = 1; sign >= -1 && found && !back; sign -= 2) {
        memset(lambda, 0, sizeof(double) * (size_t)n);
        slip_static_active_scatter(active, x, lambda);
        for (int i = 0; i < n; i++)
            d[i] = active->place[i] >= 0 ? 0 : slip_dense_dot(n, w->now.compliance + (int64_t)i * n, lambda);
        if (is_free(w, critical, lambda, d, scale)) {
            slip_static_ray *ray = add_ray(w, 0);
            if (!ray)
                break;
            memcpy(ray->lambda, lambda, sizeof(double) * (size_t)n);
            memcpy(ray->d, d, sizeof(double) * (size_t)n);
        }
        for (int i = 0; i < active->count; i++)
            x[i] = -x[i];
    }
    return SLIP_OK;
}

/* One set of modes: its rays, if it has any. */
static int try_modes(slip_static_walker *w, int critical, bool incoming, const slip_static_scale *scale)
{
    const slip_static_centre *centre;
    bool regular, good;
    SLIP_PASS(make_trial(w, incoming && !w->level, &centre, &regular, &good));
    if (!regular)
        SLIP_PASS(try_level(w, critical, incoming, scale));
    else if (good && passes(w, centre, scale))
        try_directions(w, centre, critical, scale);
    return SLIP_OK;
}

/* ---- If too many contacts change at once to try all combinations, the present modes are improved for each
 * direction: a contact with a decreasing margin changes to the mode beyond it.
 */

/* The margin of a critical contact that falls most; -1: none does. */
static int find_falling(const slip_static_walker *w, const slip_static_centre *centre, int c, int direction,
                        const slip_static_scale *scale, const slip_static_margin *margins, int count)
{
    const double s = (w->p - centre->centre) / centre->unit;
    double coefficients[slip_static_order_max + 1], worst = -1e-9;
    int falling = -1;
    for (int i = 0; i < count; i++) {
        const double size = slip_static_margin_size(&margins[i], scale, w->now.friction[c]);
        if (!slip_static_walker_at_zero(w, c, &margins[i], size))
            continue;
        slip_static_series_margin(&w->trial.series, centre, c, &margins[i], s, direction, coefficients);
        if (coefficients[1] / size < worst) {
            worst = coefficients[1] / size;
            falling = i;
        }
    }
    return falling;
}

/* The mode on the other side of a margin. */
static slip_mode mode_beyond(const slip_static_contact *contact, const slip_static_margin *margin)
{
    const signed char *m = margin->coefficient;
    if (m[0] == 1) /* the pressure would pull */
        return SLIP_MODE_OPEN;
    if (m[4] == 1) /* more than friction holds */
        return m[1] < 0 ? SLIP_MODE_SLIP_MINUS : SLIP_MODE_SLIP_PLUS;
    /* Else the contact would penetrate, or slip in the direction of its friction force. */
    return contact->tangent < 0 ? SLIP_MODE_CLOSED : SLIP_MODE_STICK;
}

/* Changes the modes of critical contacts whose margins fall, into those that agree with the state; how many.
 */
static int improve_modes(slip_static_walker *w, const slip_static_centre *centre, int critical, int direction,
                         const slip_static_scale *scale)
{
    int changed = 0;
    for (int k = 0; k < critical; k++) {
        const int c = w->critical[k];
        slip_static_margin margins[slip_static_margins_max];
        const int count = slip_static_margins(&w->shape->contacts[c], w->modes[c], margins);
        const int falling = find_falling(w, centre, c, direction, scale, margins, count);
        if (falling < 0)
            continue;
        const slip_mode next = mode_beyond(&w->shape->contacts[c], &margins[falling]);
        for (int i = 0; i < w->critical_count[k]; i++)
            if (w->critical_modes[4 * k + i] == next) {
                w->modes[c] = next;
                changed++;
                break;
            }
    }
    return changed;
}

static int try_improving(slip_static_walker *w, int critical, bool incoming, const slip_static_scale *scale)
{
    const int rounds = 60;
    const size_t size = sizeof *w->modes * (size_t)w->shape->contact_count;
    const slip_static_centre *centre;
    bool regular, good;
    for (int direction = 1; direction >= -1; direction -= 2) {
        int changed = 1;
        memcpy(w->modes, w->old_modes, size);
        for (int round = 0; round < rounds && changed > 0; round++) {
            SLIP_PASS(make_trial(w, false, &centre, &regular, &good));
            if (!good || !passes(w, centre, scale))
                break;
            changed = improve_modes(w, centre, critical, direction, scale);
        }
        const bool back =
            incoming && !w->level && direction == -w->direction && memcmp(w->modes, w->old_modes, size) == 0;
        if (changed == 0 && !back && leaves(w, centre, critical, direction, scale) &&
            is_new(w, centre, direction, scale))
            add_ray(w, direction);
    }
    return SLIP_OK;
}

int slip_static_walker_rays(slip_static_walker *w, bool incoming)
{
    int critical;
    int64_t combinations = 1;
    SLIP_PASS(slip_static_family_at(w->ctx, w->family, w->p, &w->now));
    w->rounding = incoming ? fmax(slip_static_event_rounding, w->steep) : slip_static_start_rounding;
    w->corner = w->p;
    w->back = incoming && !w->level ? -w->direction : 0;
    const slip_static_scale scale = slip_static_walker_scale(w);
    w->ray_count = 0;
    critical = find_critical(w);
    for (int k = 0; k < critical && combinations <= combinations_max; k++)
        combinations *= w->critical_count[k];
    if (combinations > combinations_max) {
        SLIP_PASS(try_improving(w, critical, incoming, &scale));
        return SLIP_OK;
    }
    for (int64_t number = 0; number < combinations; number++) {
        int64_t rest = number;
        for (int k = 0; k < critical; k++) {
            w->modes[w->critical[k]] = w->critical_modes[4 * k + rest % w->critical_count[k]];
            rest /= w->critical_count[k];
        }
        /* The incoming modes are valid backwards only, since one of their margins has reached zero. */
        if (incoming && !w->level &&
            memcmp(w->modes, w->old_modes, sizeof *w->modes * (size_t)w->shape->contact_count) == 0)
            continue;
        SLIP_PASS(try_modes(w, critical, incoming, &scale));
    }
    return SLIP_OK;
}
