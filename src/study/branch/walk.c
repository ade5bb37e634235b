/* A walk along a branch: steps, and what happens between two of them. */
#include "study/branch/branch.h"

#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double shortest = 1e-7, first_step = 0.1; /* in units of the longest step */

typedef struct walk {
    slip_orbit_branch *b;
    slip_branch_point here;
    slip_branch_point before; /* the last one with another signature */
    double step, longest;     /* the longest that it may become */
    int points;
    bool ended;
    bool fresh; /* the last step has changed the signature */
    slip_branch_point
        corner;   /* the first one with this signature, as long as it may be left the other way too */
    double grown; /* the scales, over those at the start */
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

static const char *stability(const slip_branch_point *point)
{
    return point->orbit.stable ? "stable" : "unstable";
}

/* ---- Between two points. */

enum { test_resonance = 3, test_fold = 4 };

/* Which of the tests of the last point a point still has. */
static bool before(const walk *w, const slip_branch_point *point, int test)
{
    return slip_branch_same_side(&w->here, point, test);
}

/* Bisection along the step from the last point: *low is the last that is as before, *high the first that is
 * not. Both are the caller's. */
static int locate(walk *w, double length, int test, slip_branch_point *low, slip_branch_point *high)
{
    double left = 0, right = length;
    int status = SLIP_OK;
    for (int k = 0; k < 40 && right - left > 1e-12 && status >= 0; k++) {
        const double middle = 0.5 * (left + right);
        slip_branch_point point;
        status = slip_branch_reach(w->b, &w->here, w->here.tangent, middle, NULL, &point);
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
    to->x = slip_arena_array(w->arena, 2 * (int64_t)n, sizeof(double));
    if (!room || !to->x) {
        free(room);
        return slip_fail_memory(w->b->ctx);
    }
    to->vector = to->x + n;
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

static int tell_change(walk *w, const slip_branch_point *at, int test, const slip_branch_point *next,
                       const slip_branch_point *after)
{
    static const char *const types[] = {"PD", "BP", "NS", "PR", "LP"};
    const char *type = test >= 0 ? types[test] : w->here.landings != next->landings ? "GR" : "SL";
    int status;
    SLIP_TRY(tell_point(w, at));
    status = test < 0 ? tell_label(w, type, at->p, w->here.signature, next->signature, "")
             : test == test_resonance
                 ? tell_label(w, type, at->p, w->b->simulation->ready->system->names[w->b->resonance], "", "")
                 : tell_label(w, type, at->p, stability(&w->here), stability(next), "");
    if (status >= 0)
        status = tell_place(w, type, test, at, after);
    if (status >= 0 && test == 0)
        status = keep_doubling(w, at);
done:
    return status;
}

/* What happens between the last point and the next. Where the signature changes more than once, the next
 * point becomes the first after the first change. */
static int look_between(walk *w, double length, slip_branch_point *next)
{
    int status = SLIP_OK;
    const bool changes = !same(&w->here, next);
    for (int test = changes ? -1 : 0; test <= test_fold && status >= 0; test++) {
        slip_branch_point low = {0}, high = {0};
        /* where the signature changes multipliers jump, phases do not; a fold has both tests */
        if (before(w, next, test) || (test == 1 && !before(w, next, test_fold)) ||
            (changes && test >= 0 && test != test_resonance))
            continue;
        status = locate(w, length, test, &low, &high);
        if (status >= 0 && test < 0 && high.signature && !same(&high, next)) {
            slip_branch_point_free(next);
            *next = high;
            high = (slip_branch_point){0};
        }
        if (status >= 0)
            status =
                tell_change(w, low.signature ? &low : &w->here, test, next, high.signature ? &high : next);
        slip_branch_point_free(&low);
        slip_branch_point_free(&high);
    }
    return status;
}

/* ---- Steps. */

/* The cosine of the angle between tangents. */
static double turn(const slip_branch_point *a, const slip_branch_point *b)
{
    double sum = 0;
    for (int i = 0; i < a->orbit.count + 2; i++)
        sum += a->tangent[i] * b->tangent[i];
    return sum;
}

/* At a corner where the branch turns back the next point may be found on the side that it came from. Where it
 * goes straight on the signature of that side comes again. */
static bool goes_back(const walk *w, const slip_branch_point *next)
{
    return w->before.signature && !same(&w->here, next) && same(&w->before, next) &&
           turn(&w->before, next) < 0 && !(turn(&w->here, next) > 0.99);
}

/* One step, as long as it takes to get there. SLIP_STOPPED: there is none. */
static int try_step(walk *w, double *length, slip_branch_point *next)
{
    const double longest = w->b->options.spacing;
    int status = SLIP_STOPPED;
    for (; w->step >= shortest * longest; w->step /= 2) {
        status = slip_branch_reach(w->b, &w->here, w->here.tangent, w->step, NULL, next);
        if (status == SLIP_OK && !goes_back(w, next) &&
            (turn(&w->here, next) > 0.9 || (!same(&w->here, next) && w->step < 1e-2 * longest) ||
             w->step < 1e-4 * longest)) {
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
    for (int k = 0; k < 480 && status == SLIP_STOPPED; k++) {
        const double distance = w->b->options.spacing * 0.02 * pow(3, k % 4);
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
        if (!same(&w->here, next) && !goes_back(w, next) && far > 0.3 * distance && far < 5 * distance)
            break;
        slip_branch_point_free(next);
        status = SLIP_STOPPED;
    }
    free(direction);
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

/* The last point: where the parameter comes to the end of its range. */
static int end_at(walk *w, double bound)
{
    const int n = w->here.orbit.count;
    double *across = slip_alloc(n + 2, sizeof(double));
    const double distance = (bound - w->here.p) / ((w->b->high - w->b->low) * w->here.tangent[n + 1]);
    slip_branch_point last = {0};
    bool there = false;
    int status = across ? SLIP_OK : slip_fail_memory(w->b->ctx);
    if (across) {
        across[n + 1] = 1;
        status = slip_branch_reach(w->b, &w->here, w->here.tangent, distance, across, &last);
    }
    if (status == SLIP_OK) {
        status = look_between(w, distance, &last);
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

/* The step passes the point at which the branch of twice the period has begun: both halves of it are the same
 * there, and change places. */
static bool returns(const walk *w, const slip_branch_point *next)
{
    double product = 0;
    for (int i = 0; i < next->orbit.count && w->b->origin; i++)
        product += next->half[i] * w->here.half[i];
    return product < 0;
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
            status = tell_change(w, &w->here, -1, &next, &(slip_branch_point){0});
            w->step = first_step * o->spacing;
        }
    } else if (status == SLIP_OK && (returns(w, &next) || shrinks(w, &next, &end))) {
        const bool joins = returns(w, &next);
        slip_branch_point_free(&next);
        w->ended = true;
        return tell_label(w, "EP", joins ? w->b->origin->p : end, "", "",
                          joins ? "the branch of half the period" : "it shrinks to an equilibrium");
    } else if (status == SLIP_OK && !(next.p >= w->b->low && next.p <= w->b->high)) {
        slip_branch_point_free(&next);
        return end_at(w, w->here.tangent[w->here.orbit.count + 1] > 0 ? w->b->high : w->b->low);
    } else if (status == SLIP_OK) {
        status = look_between(w, length, &next);
    }
    if (status >= 0)
        status = tell_point(w, &next);
    if (status >= 0)
        status = move_start(w, false, &next);
    if (status >= 0)
        return arrive(w, &next);
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
        if (w.points > 10 && slip_branch_distance(b, from, &w.here) < 0.5 * w.step && same(from, &w.here))
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
    double *direction = slip_alloc(n + 2, sizeof(double)), size = 0;
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
    for (int i = 0; i < n; i++)
        direction[i] /= sqrt(size);
    b->plan.options.multiple *= 2;
    status = SLIP_STOPPED;
    for (int k = 0; k < 6 && status == SLIP_STOPPED; k++)
        status = slip_branch_reach(b, &start, direction, b->options.spacing * 0.3 * pow(0.4, k), NULL, point);
done:
    slip_branch_point_free(&start);
    free(direction);
    return status;
}
