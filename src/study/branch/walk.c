/* A walk along a branch: steps, and what happens between two of them. */
#include "study/branch/branch.h"

#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double shortest = 1e-7, first_step = 0.1; /* in units of the longest step */
/* Halves of a period that differ by less are the same. */
static const double least_half = 1e-6;

typedef struct walk {
    slip_orbit_branch *b;
    slip_branch_point here;
    slip_branch_point before; /* the last one with another signature */
    double step, longest;     /* the longest that it may become */
    int points;
    bool ended;
    bool fresh; /* the last step has changed the signature */
    slip_branch_point
        corner;      /* the first one with this signature, as long as it may be left the other way too */
    double farthest; /* that it has been from its start */
    double grown;    /* the scales, over those at the start */
    double last_length, last_smooth[3]; /* of the last step, where the signature stayed: how long it was, and
                                           the tests before it */
    slip_arena *arena;
    slip_branch_doubling *doubled;
    int most, *count;
} walk;

static int tell_label(walk *w, const char *type, double p, const char *from, const char *to, const char *note)
{
    const slip_label label = {.branch = w->b->number,
                              .type = type,
                              .value = p,
                              .contact = "",
                              .from = from,
                              .to = to,
                              .note = note};
    return w->b->label(w->b->user, &label);
}

static int end_walk(walk *w, const char *note)
{
    w->ended = true;
    return tell_label(w, "EP", w->here.p, "", "", note);
}

/* How far the coordinates move, over the scales; zero in harmonic balance, whose unknowns are others. */
static double size_of(const walk *w, const slip_branch_point *point)
{
    double most = 0;
    for (int i = 0; i < slip_system_coordinates(w->b->flow.system) && !w->b->flow.map; i++)
        most = fmax(most, (point->high[i] - point->low[i]) / point->orbit.scale[i]);
    return most;
}

/* Where the motion has become larger than it was when the scales were set, as in a resonance, they grow with
 * it: steps are parts of the motion. The tangent is that in the new scales. */
static void grow_scales(walk *w)
{
    slip_branch_point *point = &w->here;
    const double factor = size_of(w, point);
    const int n = point->orbit.count;
    double size = 0;
    if (!(factor > 1.5))
        return;
    w->grown *= factor;
    for (int i = 0; i < n; i++) {
        point->orbit.scale[i] *= factor;
        point->tangent[i] /= factor;
        point->half[i] /= factor;
    }
    for (int i = 0; i < n + 2; i++)
        size += point->tangent[i] * point->tangent[i];
    for (int i = 0; i < n + 2; i++)
        point->tangent[i] /= sqrt(size);
}

static bool same(const slip_branch_point *a, const slip_branch_point *b)
{
    return strcmp(a->signature, b->signature) == 0;
}

static int arrive(walk *w, slip_branch_point *next)
{
    int status = SLIP_OK;
    const bool changes = w->here.signature && next->signature && !same(&w->here, next);
    slip_branch_point_free(changes ? &w->before : &w->here);
    if (changes)
        w->before = w->here;
    w->fresh = changes;
    w->last_length = 0;
    if (changes) {
        slip_branch_point_free(&w->corner);
        status = slip_branch_copy(w->b, next, &w->corner);
        if (status < 0)
            w->corner = (slip_branch_point){0};
    }
    w->here = *next;
    *next = (slip_branch_point){0};
    if (w->here.tangent)
        grow_scales(w);
    return status;
}

static int tell_point(walk *w, const slip_branch_point *point)
{
    w->points++;
    return w->b->point(w->b->user, w->b->number, point);
}

static const char *stability(bool stable)
{
    return stable ? "stable" : "unstable";
}

/* ---- Between two points. */

enum { test_torus = 2, test_resonance = 3, test_fold = 4, test_half = 5 };

static double size_of_half(const slip_branch_point *point)
{
    double sum = 0;
    for (int i = 0; i < point->orbit.count; i++)
        sum += point->half[i] * point->half[i];
    return sqrt(sum);
}

/* Both halves of a motion of twice the period are the same where it began, and change places there. */
static bool same_half(const slip_branch_point *a, const slip_branch_point *b)
{
    double product = 0;
    for (int i = 0; i < a->orbit.count; i++)
        product += a->half[i] * b->half[i];
    return product > 0 && size_of_half(b) > least_half;
}

/* Which of the tests of the last point a point still has. */
static bool before(const walk *w, const slip_branch_point *point, int test)
{
    return test == test_half ? same_half(&w->here, point) : slip_branch_same_side(&w->here, point, test);
}

/* The cosine of the angle between tangents. */
static double turn(const slip_branch_point *a, const slip_branch_point *b)
{
    double sum = 0;
    for (int i = 0; i < a->orbit.count + 2; i++)
        sum += a->tangent[i] * b->tangent[i];
    return sum;
}

/* A point is where the tangent of the last one leads, and goes on as that does. */
static bool goes_straight(const walk *w, const slip_branch_point *point, double length)
{
    /* where motions stand beside each other, which harmonic balance does not know, the next may be beside the
     * tangent */
    const double most = w->here.neutral || point->neutral || w->b->flow.map ? 3 : 1.2;
    return turn(&w->here, point) > 0.9 && slip_branch_distance(w->b, &w->here, point) <= most * length;
}

/* Bisection along the step from the last point: *low is the last that is as before, *high the first that is
 * not. Both are the caller's; *at is how far low is. */
static int locate(walk *w, double length, int test, double *at, slip_branch_point *low,
                  slip_branch_point *high)
{
    double left = 0, right = length, share = 0.5;
    int status = SLIP_OK;
    for (int k = 0; k < 50 && right - left > 1e-12 && status >= 0; k++) {
        const double middle = left + share * (right - left);
        slip_branch_point point;
        status = slip_branch_reach(w->b, &w->here, w->here.tangent, middle, NULL, &point);
        share = 0.5;
        if (status == SLIP_OK && test >= 0 && !goes_straight(w, &point, middle)) {
            slip_branch_point_free(&point);
            status = SLIP_STOPPED;
        }
        if (status == SLIP_STOPPED && test >= 0) { /* where branches cross another place tells */
            share = 0.2 + 0.6 * fmod(0.618 * (k + 1), 1);
            continue;
        }
        if (status == SLIP_STOPPED) {
            right = middle; /* next to a graze derivatives are of no use: it lies before */
            continue;
        }
        if (status != SLIP_OK)
            break;
        const bool earlier = before(w, &point, test);
        *(earlier ? &left : &right) = middle;
        slip_branch_point_free(earlier ? low : high);
        *(earlier ? low : high) = point;
    }
    *at = left;
    return status < 0 ? status : SLIP_OK;
}

/* What doubles the period: the vector of the multiplier next to -1. */
static int keep_doubling(walk *w, const slip_branch_point *at)
{
    const slip_orbit *orbit = &at->orbit;
    const int n = orbit->count;
    slip_branch_doubling *to = &w->doubled[*w->count];
    double *room = slip_alloc(2 * (int64_t)n * n + 2 * n, sizeof(double));
    int best = 0;
    if (*w->count >= w->most) {
        free(room);
        return SLIP_OK;
    }
    *to = (slip_branch_doubling){0};
    to->x = slip_arena_array(w->arena, 3 * (int64_t)n + 2, sizeof(double));
    if (!room || !to->x) {
        free(room);
        return slip_fail_memory(w->b->ctx);
    }
    to->vector = to->x + n;
    to->tangent = to->vector + n;
    memcpy(to->tangent, at->tangent, (size_t)(n + 2) * sizeof(double));
    to->p = at->p;
    to->time = orbit->time;
    to->period = orbit->period;
    memcpy(to->x, orbit->x, (size_t)n * sizeof(double));
    memcpy(room, orbit->monodromy, (size_t)n * (size_t)n * sizeof(double));
    double *vectors = room + n * n, *real = vectors + n * n, *imaginary = real + n;
    const int found = slip_dense_eigenvectors_any(n, room, real, imaginary, vectors);
    if (found == SLIP_OK) {
        for (int k = 1; k < n; k++)
            if (hypot(real[k] + 1, imaginary[k]) < hypot(real[best] + 1, imaginary[best]))
                best = k;
        memcpy(to->vector, vectors + best * n, (size_t)n * sizeof(double));
        ++*w->count;
    }
    free(room);
    return found == SLIP_ERROR_MEMORY ? slip_fail_memory(w->b->ctx) : SLIP_OK;
}

/* Tells whoever follows curves of such labels. */
static int tell_place(walk *w, const char *type, int test, const slip_branch_point *at,
                      const slip_branch_point *after)
{
    slip_branch_place place = {.test = test, .type = type};
    int status;
    if (!w->b->place || strcmp(w->b->options.curve, type) != 0)
        return SLIP_OK;
    SLIP_TRY(slip_branch_copy(w->b, at, &place.before));
    if (after->signature)
        SLIP_TRY(slip_branch_copy(w->b, after, &place.after));
    status = w->b->place(w->b->user, &place);
done:
    slip_branch_place_free(&place);
    return status;
}

/* What happens at a point: a change of the signature to that of `next`, or of the stability from `from` to
 * `to`. */
typedef struct happening {
    int test;
    double at; /* how far from the last point */
    slip_branch_point low, high;
    bool stable[2]; /* before and after it */
} happening;

/* The value at which it happens: where branches cross points next to it are not found, and those on both
 * sides say where the test is zero. */
static double value_of(const happening *what, const slip_branch_point *at)
{
    const double a = what->low.smooth[1], b = what->high.smooth[1];
    return what->test == 1 && what->low.signature && what->high.signature && a * b < 0
               ? what->low.p + (what->high.p - what->low.p) * a / (a - b)
               : at->p;
}

static int tell_change(walk *w, const happening *what, const slip_branch_point *next,
                       const slip_branch_point *after)
{
    static const char *const types[] = {"PD", "BP", "NS", "PR", "LP"};
    const int test = what->test;
    const slip_branch_point *at = what->low.signature ? &what->low : &w->here;
    const char *type = test >= 0 ? types[test] : w->here.landings != next->landings ? "GR" : "SL";
    const double p = value_of(what, at);
    const bool known = !w->b->flow.map; /* harmonic balance does not know stabilities */
    int status;
    SLIP_TRY(tell_point(w, at));
    status = test < 0 ? tell_label(w, type, p, w->here.signature, next->signature, "")
             : test == test_resonance
                 ? tell_label(w, type, p, w->b->simulation->ready->system->names[w->b->resonance], "", "")
                 : tell_label(w, type, p, known ? stability(what->stable[0]) : "",
                              known ? stability(what->stable[1]) : "", "");
    if (status >= 0)
        status = tell_place(w, type, test, at, after);
    if (status >= 0 && test == 0)
        status = keep_doubling(w, at);
done:
    return status;
}

/* Stabilities between what happens in a step, in its order. */
static int judge_between(walk *w, happening *list, int count, const slip_branch_point *next)
{
    int status = SLIP_OK;
    for (int k = 0; k < count; k++) {
        list[k].stable[0] = k > 0 ? list[k - 1].stable[1] : w->here.orbit.stable;
        list[k].stable[1] = next->orbit.stable;
        if (k + 1 < count) {
            slip_branch_point point;
            status = slip_branch_reach(w->b, &w->here, w->here.tangent, 0.5 * (list[k].at + list[k + 1].at),
                                       NULL, &point);
            if (status < 0)
                return status;
            if (status == SLIP_OK) {
                list[k].stable[1] = point.orbit.stable;
                slip_branch_point_free(&point);
            }
        }
    }
    return SLIP_OK;
}

static void insert(happening *list, int count, const happening *what)
{
    int k = count;
    for (; k > 0 && list[k - 1].at > what->at; k--)
        list[k] = list[k - 1];
    list[k] = *what;
}

/* Where two real multipliers are m and 1/m nothing happens; a branch of twice the period turns where it ends
 * in the other. */
static bool happens(const walk *w, const happening *what)
{
    const slip_branch_point *at = what->low.signature ? &what->low : &w->here;
    const bool turns = what->test == 1 || what->test == test_fold;
    return what->test == test_torus
               ? at->torus
               : !(turns && w->b->origin_count > 0 && size_of_half(at) < 1e-2 * w->b->options.spacing);
}

/* Changes of the signature that are next to each other are one: where a contact begins to slip both ways, for
 * instance, it does so one way first, but for rounding. *high is a point after all of them then. */
static int pass_rim(walk *w, double length, double at, const slip_branch_point *next, slip_branch_point *high)
{
    const double beyond = at + 1e-4 * w->b->options.spacing;
    slip_branch_point point;
    int status;
    if (!high->signature || same(high, next) || beyond >= length)
        return SLIP_OK;
    status = slip_branch_reach(w->b, &w->here, w->here.tangent, beyond, NULL, &point);
    if (status == SLIP_OK && same(&point, next)) {
        slip_branch_point_free(high);
        *high = point;
    } else if (status == SLIP_OK) {
        slip_branch_point_free(&point);
    }
    return status < 0 ? status : SLIP_OK;
}

/* What happens between the last point and the next. Where the signature changes more than once, the next
 * point becomes the first after the first change. */
static int look_between(walk *w, double length, slip_branch_point *next)
{
    const bool changes = !same(&w->here, next);
    happening list[test_fold + 2];
    int status = SLIP_OK, count = 0;
    for (int test = changes ? -1 : 0; test <= test_fold && status >= 0; test++) {
        happening what = {.test = test};
        /* where the signature changes multipliers jump, phases do not; a fold has both tests */
        if (before(w, next, test) || (test == 1 && !before(w, next, test_fold)) ||
            (changes && test >= 0 && test != test_resonance))
            continue;
        status = locate(w, length, test, &what.at, &what.low, &what.high);
        if (status >= 0 && test < 0)
            status = pass_rim(w, length, what.at, next, &what.high);
        if (status >= 0 && test < 0 && what.high.signature && !same(&what.high, next)) {
            slip_branch_point_free(next);
            *next = what.high;
            what.high = (slip_branch_point){0};
        }
        if (status >= 0 && happens(w, &what)) {
            insert(list, count++, &what);
        } else {
            slip_branch_point_free(&what.low);
            slip_branch_point_free(&what.high);
        }
    }
    if (status >= 0)
        status = judge_between(w, list, count, next);
    for (int k = 0; k < count; k++) {
        if (status >= 0)
            status = tell_change(w, &list[k], next, list[k].high.signature ? &list[k].high : next);
        slip_branch_point_free(&list[k].low);
        slip_branch_point_free(&list[k].high);
    }
    return status;
}

/* ---- Steps. */

/* At a corner where the branch turns back the next point may be found on the side that it came from. Where it
 * goes straight on the signature of that side comes again. */
static bool goes_back(const walk *w, const slip_branch_point *next)
{
    return w->before.signature && !same(&w->here, next) && same(&w->before, next) &&
           slip_branch_distance(w->b, &w->before, &w->here) < 3 * w->b->options.spacing &&
           slip_branch_distance(w->b, &w->before, next) < slip_branch_distance(w->b, &w->before, &w->here) &&
           turn(&w->before, next) < 0 && !(turn(&w->here, next) > 0.99);
}

/* A test that dips to the other side and back between the last point and the next: by the parabola through
 * those two and the one before. */
static bool may_dip(const walk *w, const slip_branch_point *next, double length)
{
    for (int k = 0; k < 3 && w->last_length > 0; k++) {
        const double a = w->last_smooth[k], b = w->here.smooth[k], c = next->smooth[k],
                     rise = (c - b) / length, before = (b - a) / w->last_length,
                     bend = 2 * (rise - before) / (length + w->last_length),
                     slope = before + 0.5 * bend * w->last_length;
        if (!(a * b > 0 && b * c > 0) || !(bend * b > 0) || fabs(b) < 1e-9)
            continue; /* where motions stand beside each other they are all zeros */
        const double lowest = -slope / bend;
        if (lowest > -w->last_length && lowest < length && (b - slope * slope / bend) * b < 0)
            return true;
    }
    return false;
}

/* The step passes the point at which a branch of twice the period begins or ends. */
static bool returns(const walk *w, const slip_branch_point *next)
{
    return w->b->origin_count > 0 && !same_half(&w->here, next);
}

/* The next point is on the same curve as the last one: it is where the tangent leads, as far as can be told,
 * and no more happens on the way than can be told apart. */
static bool follows(const walk *w, const slip_branch_point *next, double length)
{
    const double longest = w->b->options.spacing, far = slip_branch_distance(w->b, &w->here, next);
    const bool changes = !same(&w->here, next), small = length < 1e-2 * longest;
    if (goes_back(w, next) || (returns(w, next) && !small)) /* something may happen before it ends */
        return false;
    if (goes_straight(w, next, length)) {
        int crossings = 0;
        for (int test = 0; test < test_resonance && !changes; test++)
            crossings += !before(w, next, test);
        return small || (crossings <= 1 && (changes || !may_dip(w, next, length)));
    }
    return far < 5 * length && ((changes && small) || length < 1e-4 * longest);
}

/* One step, as long as it takes to get there. SLIP_STOPPED: there is none. */
static int try_step(walk *w, double *length, slip_branch_point *next)
{
    const double longest = w->b->options.spacing;
    int status = SLIP_STOPPED;
    for (; w->step >= shortest * longest; w->step /= 2) {
        status = slip_branch_reach(w->b, &w->here, w->here.tangent, w->step, NULL, next);
        if (status == SLIP_OK && follows(w, next, w->step)) {
            *length = w->step;
            w->step =
                fmin(w->longest, w->step * (next->orbit.iterations <= (w->b->flow.map ? 8 : 4) ? 2 : 1));
            return SLIP_OK;
        }
        if (status == SLIP_OK)
            slip_branch_point_free(next);
        else if (status < 0)
            return status;
    }
    return SLIP_STOPPED;
}

/* Where a branch turns back at a change of its signature, the other side is looked for in all directions. */
static int leap(walk *w, slip_branch_point *next)
{
    const int n = w->here.orbit.count;
    double *direction = slip_alloc(n + 2, sizeof(double));
    uint64_t seed = 12345;
    int status = SLIP_STOPPED;
    if (!direction)
        return slip_fail_memory(w->b->ctx);
    for (int k = 0; k < 600 && status == SLIP_STOPPED; k++) { /* what is near comes first */
        const double distance = w->b->options.spacing * 0.002 * pow(3, k / 100);
        double size = 0;
        for (int i = 0; i < n + 2; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            direction[i] =
                i == n && !w->here.orbit.own_period ? 0 : (double)(seed >> 11) / 4503599627370496.0 - 1;
            size += direction[i] * direction[i];
        }
        for (int i = 0; i < n + 2; i++)
            direction[i] /= sqrt(size);
        status = slip_branch_reach(w->b, &w->here, direction, distance, NULL, next);
        if (status != SLIP_OK)
            continue;
        const double far = slip_branch_distance(w->b, &w->here, next);
        if (!same(&w->here, next) && !goes_back(w, next) && far > 0.3 * distance && far < 5 * distance &&
            next->p >= w->b->low && next->p <= w->b->high)
            break;
        slip_branch_point_free(next);
        status = SLIP_STOPPED;
    }
    free(direction);
    return status;
}

/* Searches from a point along its tangent, or against it, for where its signature ends: *at is the last point
 * with it, {0} where there is no end as far as that. */
static int search_end(walk *w, const slip_branch_point *from, int sign, double far, slip_branch_point *at)
{
    const int n = from->orbit.count;
    double *way = slip_alloc(n + 2, sizeof(double)), near = 0;
    int status = way ? SLIP_OK : slip_fail_memory(w->b->ctx);
    for (int i = 0; i < n + 2 && way; i++)
        way[i] = sign * from->tangent[i];
    for (int k = -1; k < 40 && status >= 0; k++) {
        const double middle = k < 0 ? far : 0.5 * (near + far);
        slip_branch_point point;
        status = slip_branch_reach(w->b, from, way, middle, NULL, &point);
        const bool there = status == SLIP_OK && same(from, &point);
        *(there ? &near : &far) = middle;
        if (there && k >= 0) {
            slip_branch_point_free(at);
            *at = point;
        } else if (status == SLIP_OK) {
            slip_branch_point_free(&point);
        }
        if (there && k < 0)
            break;
    }
    free(way);
    return status < 0 ? status : SLIP_OK;
}

/* Where a leap has left a graze, or the like, the side on which an event less happens is smooth, and tells
 * where that is. The branch goes on away from it: *turns where the tangent did not. */
static int locate_back(walk *w, slip_branch_point *next, slip_branch_point *at, bool *turns)
{
    int status = SLIP_OK;
    for (int sign = -1; sign <= 1 && status >= 0 && next->events < w->here.events && !at->signature;
         sign += 2) {
        status = search_end(w, next, sign, 3 * slip_branch_distance(w->b, &w->here, next), at);
        *turns = at->signature && sign > 0;
        for (int i = 0; i < next->orbit.count + 2 && *turns; i++)
            next->tangent[i] = -next->tangent[i];
    }
    return status;
}

/* The tangent goes on in the direction from one point to the next. */
static void head_on(const slip_orbit_branch *b, const slip_branch_point *from, slip_branch_point *to)
{
    const int n = from->orbit.count;
    double sum = to->tangent[n + 1] * (to->p - from->p) / (b->high - b->low);
    for (int i = 0; i < n; i++)
        sum += to->tangent[i] * (to->orbit.x[i] - from->orbit.x[i]) / from->orbit.scale[i];
    for (int i = 0; i < n + 2 && sum < 0; i++)
        to->tangent[i] = -to->tangent[i];
}

/* How far a point is from the last one along the tangent there; and the distance of both. */
static double along_of(const walk *w, const slip_branch_point *point)
{
    const slip_branch_point *from = &w->here;
    const int n = from->orbit.count;
    double sum = from->tangent[n + 1] * (point->p - from->p) / (w->b->high - w->b->low);
    for (int i = 0; i < n; i++)
        sum += from->tangent[i] * (point->orbit.x[i] - from->orbit.x[i]) / from->orbit.scale[i];
    if (from->orbit.own_period)
        sum += from->tangent[n] * log(point->orbit.period / from->orbit.period);
    return sum;
}

/* The last point: where the parameter comes to the end of its range, before the next point. */
static int end_at(walk *w, double bound, const slip_branch_point *next)
{
    const slip_branch_point *from = &w->here;
    const int n = from->orbit.count;
    const double part = (bound - from->p) / (next->p - from->p), far = slip_branch_distance(w->b, from, next);
    double *across = slip_alloc(2 * (int64_t)n + 4, sizeof(double)), *chord = across ? across + n + 2 : NULL;
    slip_branch_point last = {0};
    bool there = false;
    int status = across ? SLIP_OK : slip_fail_memory(w->b->ctx);
    if (across) {
        across[n + 1] = 1;
        for (int i = 0; i < n; i++)
            chord[i] = (next->orbit.x[i] - from->orbit.x[i]) / from->orbit.scale[i] / far;
        if (from->orbit.own_period)
            chord[n] = (next->orbit.period / from->orbit.period - 1) / far;
        chord[n + 1] = (next->p - from->p) / (w->b->high - w->b->low) / far;
        status = slip_branch_reach(w->b, from, chord, part * far, across, &last);
    }
    if (status == SLIP_OK && !(slip_branch_distance(w->b, from, &last) <= 1.5 * far)) {
        slip_branch_point_free(&last); /* another motion */
        status = SLIP_STOPPED;
    }
    if (status == SLIP_OK) {
        last.p = bound; /* but for rounding */
        last.values[0] = w->b->base[0] + bound * w->b->along[0];
        status = look_between(w, along_of(w, &last), &last);
        if (status >= 0)
            status = tell_point(w, &last);
        if (status >= 0)
            status = arrive(w, &last);
        there = w->here.p == bound;
    }
    slip_branch_point_free(&last);
    free(across);
    if (status == SLIP_OK && !there)
        return SLIP_OK;           /* after the first of several changes */
    if (status == SLIP_STOPPED) { /* not in one step */
        w->longest = w->step /= 2;
        return w->step < shortest * w->b->options.spacing ? end_walk(w, "no motion was found beyond")
                                                          : SLIP_OK;
    }
    return status < 0 ? status : end_walk(w, "end of the range");
}

/* ---- Where branches end in others. */

/* A cycle of its own that shrinks: its size goes with the root of the distance from where it begins (E.
 * Hopf). */
static bool shrinks(walk *w, const slip_branch_point *next, double *p)
{
    const double now = size_of(w, &w->here), then = size_of(w, next);
    if (!next->orbit.own_period || !(then * w->grown < 0.05) || !(then < now))
        return false;
    *p = next->p + (next->p - w->here.p) * then * then / (now * now - then * then);
    return true;
}

/* The branch of twice the period ends there, in one of the doublings of the other, or at least close to where
 * it can be followed. */
static int join(walk *w, double length)
{
    slip_branch_point low = {0}, high = {0};
    double at, p;
    int status;
    SLIP_TRY(locate(w, length, test_half, &at, &low, &high));
    p = low.signature ? low.p : w->here.p;
    slip_branch_doubling *nearest = w->b->origins;
    for (int k = 1; k < w->b->origin_count; k++)
        if (fabs(w->b->origins[k].p - p) < fabs(nearest->p - p))
            nearest = &w->b->origins[k];
    if (fabs(nearest->p - p) < 1e-3 * (w->b->high - w->b->low)) {
        p = nearest->p;
        nearest->joined = true;
    }
    w->ended = true;
    status = tell_label(w, "EP", p, "", "", "the branch of half the period");
done:
    slip_branch_point_free(&low);
    slip_branch_point_free(&high);
    return status;
}

/* What happened between the last two points has been looked at with another value of the parameter: the point
 * itself is found once more before its start moves. */
static int move_start(walk *w, bool leave, slip_branch_point *point)
{
    slip_branch_point again;
    int status = slip_branch_reach(w->b, point, point->tangent, 0, NULL, &again);
    if (status != SLIP_OK)
        return status;
    status = slip_branch_move_start(w->b, &again, leave);
    if (status == SLIP_OK) {
        slip_branch_point_free(point);
        *point = again;
    } else {
        slip_branch_point_free(&again);
    }
    return status;
}

/* An event that begins at the very instant at which the period starts cannot be passed, for the state at the
 * start changes its kind with it. The same step with the start elsewhere; the point stays as it was where
 * that is no use. */
static int try_elsewhere(walk *w, double *length, slip_branch_point *next)
{
    slip_branch_point kept;
    int status;
    SLIP_TRY(slip_branch_copy(w->b, &w->here, &kept));
    status = move_start(w, true, &w->here);
    if (status == SLIP_OK) {
        w->step = first_step * w->b->options.spacing;
        status = try_step(w, length, next);
    }
    if (status == SLIP_OK && !(turn(&w->here, next) > 0.9)) { /* a corner, and not only the start */
        slip_branch_point_free(next);
        status = SLIP_STOPPED;
    }
    if (status == SLIP_OK) {
        slip_branch_point_free(&kept);
    } else {
        slip_branch_point_free(&w->here);
        w->here = kept;
    }
done:
    return status;
}

/* Where a branch ends at once after a corner, it went into the corner instead of away from it. */
static bool leave_corner(walk *w)
{
    const bool near =
        w->corner.signature && same(&w->corner, &w->here) &&
        slip_branch_distance(w->b, &w->corner, &w->here) < 3 * w->b->options.spacing; /* as far as leaps go */
    if (!near)
        return false;
    slip_branch_point_free(&w->here);
    w->here = w->corner;
    w->corner = (slip_branch_point){0};
    for (int i = 0; i < w->here.orbit.count + 2; i++)
        w->here.tangent[i] = -w->here.tangent[i];
    w->step = first_step * w->b->options.spacing;
    return true;
}

/* The next point has another signature, at the end of a step of this length; 0: by a leap. */
static int turn_corner(walk *w, double length, slip_branch_point *next)
{
    const bool straight = length > 0 && goes_straight(w, next, length);
    happening what = {.test = -1};
    bool turns = false;
    int status = locate_back(w, next, &what.low, &turns);
    if (status >= 0 && length == 0 && w->here.events < next->events) /* next to where the steps ended */
        status = search_end(w, &w->here, 1, 4 * shortest * w->b->options.spacing, &what.low);
    if (status >= 0 && straight && !turns && what.low.signature) { /* is it the only one on the way? */
        slip_branch_point point;
        status =
            slip_branch_reach(w->b, &w->here, w->here.tangent, 0.5 * along_of(w, &what.low), NULL, &point);
        turns = status == SLIP_OK && same(&w->here, &point);
        if (status == SLIP_OK)
            slip_branch_point_free(&point);
    }
    if (status >= 0 && (straight ? turns : what.low.signature || length == 0))
        status = tell_change(w, &what, next, &(slip_branch_point){0});
    else if (status >= 0)
        status = look_between(w, length, next);
    slip_branch_point_free(&what.low);
    return status;
}

static int take_step(walk *w)
{
    const slip_branch_options *o = &w->b->options;
    slip_branch_point next = {0};
    double length = 0, end = 0;
    int status = try_step(w, &length, &next);
    if (status == SLIP_STOPPED && w->fresh) { /* next to a corner it is hard to tell where on is */
        for (int i = 0; i < w->here.orbit.count + 2; i++)
            w->here.tangent[i] = -w->here.tangent[i];
        w->step = first_step * o->spacing;
        status = try_step(w, &length, &next);
    }
    if (status == SLIP_STOPPED)
        status = try_elsewhere(w, &length, &next);
    if (status == SLIP_STOPPED) {
        status = leap(w, &next);
        if (status == SLIP_STOPPED)
            return leave_corner(w) ? SLIP_OK : end_walk(w, "no motion was found beyond");
        if (status == SLIP_OK) {
            head_on(w->b, &w->here, &next);
            status = turn_corner(w, 0, &next);
            w->step = first_step * o->spacing;
        }
    } else if (status == SLIP_OK && returns(w, &next)) {
        slip_branch_point_free(&next);
        return join(w, length);
    } else if (status == SLIP_OK && shrinks(w, &next, &end)) {
        slip_branch_point_free(&next);
        w->ended = true;
        return tell_label(w, "EP", end, "", "", "it shrinks to an equilibrium");
    } else if (status == SLIP_OK && !(next.p >= w->b->low && next.p <= w->b->high)) {
        status = end_at(w, next.p > w->b->high ? w->b->high : w->b->low, &next);
        slip_branch_point_free(&next);
        return status;
    } else if (status == SLIP_OK) {
        status = same(&w->here, &next) ? look_between(w, length, &next) : turn_corner(w, length, &next);
    }
    if (status >= 0)
        status = tell_point(w, &next);
    if (status >= 0)
        status = move_start(w, false, &next);
    if (status >= 0) {
        double kept[3];
        memcpy(kept, w->here.smooth, sizeof kept);
        status = arrive(w, &next);
        if (!w->fresh) {
            w->last_length = length;
            memcpy(w->last_smooth, kept, sizeof kept);
        }
        return status;
    }
    slip_branch_point_free(&next);
    return status;
}

int slip_branch_walk(slip_orbit_branch *b, const slip_branch_point *from, int direction, bool first,
                     slip_arena *arena, slip_branch_doubling *doubled, int most, int *count)
{
    const int n = from->orbit.count;
    walk w = {.b = b,
              .step = first_step * b->options.spacing,
              .longest = b->options.spacing,
              .grown = 1,
              .arena = arena,
              .doubled = doubled,
              .most = most,
              .count = count};
    double *zero = slip_alloc(n + 2, sizeof(double));
    int status;
    SLIP_TRY(zero ? SLIP_OK : slip_fail_memory(b->ctx));
    memcpy(zero, from->tangent, (size_t)(n + 2) * sizeof(double));
    /* the same point once more, with a tangent of this direction */
    for (int i = 0; i < n + 2 && from->tangent[n + 1] * direction < 0; i++)
        zero[i] = -zero[i];
    SLIP_TRY(slip_branch_reach(b, from, zero, 0, NULL, &w.here));
    if (first)
        SLIP_TRY(tell_point(&w, &w.here));
    SLIP_TRY(move_start(&w, false, &w.here));
    while (!w.ended && w.points < b->options.points) {
        SLIP_TRY(take_step(&w));
        if (slip_interrupted(b->ctx)) {
            status =
                slip_fail(b->ctx, SLIP_INTERRUPTED, "interrupted at %s = %.9g", b->parameters[0], w.here.p);
            goto done;
        }
        const double far = slip_branch_distance(b, from, &w.here);
        w.farthest = fmax(w.farthest, far);
        if (w.points > 10 && far < 0.5 * w.step && w.farthest > 3 * w.step && same(from, &w.here))
            SLIP_TRY(end_walk(&w, "it closes"));
    }
    if (!w.ended)
        SLIP_TRY(end_walk(&w, "as many points as were asked for"));
done:
    slip_branch_point_free(&w.here);
    slip_branch_point_free(&w.before);
    slip_branch_point_free(&w.corner);
    free(zero);
    return status;
}

int slip_branch_double(slip_orbit_branch *b, const slip_branch_point *near, const slip_branch_doubling *at,
                       slip_branch_point *point)
{
    const int n = near->orbit.count;
    double *direction = slip_alloc(2 * (int64_t)n + 4, sizeof(double)),
           *across = direction ? direction + n + 2 : NULL, size = 0, along = 0;
    slip_branch_point start = {.p = at->p};
    int status;
    SLIP_TRY(direction ? SLIP_OK : slip_fail_memory(b->ctx));
    start.orbit =
        (slip_orbit){.own_period = near->orbit.own_period, .time = at->time, .period = 2 * at->period};
    SLIP_TRY(slip_orbit_create(b->ctx, n, 1, &start.orbit));
    memcpy(start.orbit.x, at->x, (size_t)n * sizeof(double));
    memcpy(start.orbit.scale, near->orbit.scale, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        direction[i] = at->vector[i] / near->orbit.scale[i];
        size += direction[i] * direction[i];
    }
    for (int i = 0; i < n; i++) {
        direction[i] /= sqrt(size);
        along += direction[i] * at->tangent[i];
    }
    for (int i = 0; i < n + 2; i++) /* along the branch of half the period it leads nowhere */
        across[i] = direction[i] - along * at->tangent[i];
    b->plan.options.multiple *= 2;
    status = SLIP_STOPPED;
    for (int k = 0; k < 6 && status == SLIP_STOPPED; k++) {
        const double distance = b->options.spacing * 0.3 * pow(0.4, k);
        status = slip_branch_reach(b, &start, direction, distance, across, point);
        if (status == SLIP_OK &&
            !(size_of_half(point) > distance && slip_branch_distance(b, &start, point) < 2 * distance)) {
            slip_branch_point_free(point);
            status = SLIP_STOPPED;
        }
    }
done:
    slip_branch_point_free(&start);
    free(direction);
    return status;
}
