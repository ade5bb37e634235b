/* Changes between two points of a walk: each is located by bisection and reported as a label. */
#include "study/branch/walk.h"

#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int slip_walk_tell_label(slip_walk *w, const char *type, double p, const char *from, const char *to,
                         const char *note)
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

int slip_walk_end(slip_walk *w, double p, const char *note)
{
    w->ended = true;
    return slip_walk_tell_label(w, "EP", p, "", "", note);
}

int slip_walk_tell_point(slip_walk *w, const slip_branch_point *point)
{
    w->points++;
    return w->b->point(w->b->user, w->b->number, point);
}

static const char *stability(bool stable)
{
    return stable ? "stable" : "unstable";
}

/* ---- Location of a change. */

/* Finds the motion at a distance along the step from the last point to the next one, which is at the end of a
 * step of this length. The first guess is on the cubic through both points. `near`: returns SLIP_STOPPED
 * where the motion found is not close to the cubic, since it is on another branch. */
static int reach_between(slip_walk *w, const slip_branch_point *next, double length, double distance,
                         bool near, slip_branch_point *to)
{
    const slip_branch_point *here = &w->here;
    const int n = here->orbit.count + 2;
    const double turn = slip_walk_turn(here, next), part = distance / length, rest = 1 - part;
    double size = 0, off = 0;
    SLIP_FREED double *way = slip_alloc(n, sizeof(double));
    SLIP_PASS(slip_allocated(w->b->ctx, way));
    for (int i = 0; i < n; i++) {
        const double chord = slip_walk_between(w, here, next, i);
        way[i] = part * part * (3 - 2 * part) * chord + part * rest * rest * length * here->tangent[i] -
                 part * part * rest * length * next->tangent[i] / turn;
        size += way[i] * way[i];
    }
    size = sqrt(size);
    for (int i = 0; i < n; i++)
        way[i] /= size;
    int status = slip_branch_reach(w->b, here, way, size, here->tangent, to);
    for (int i = 0; i < n && status == SLIP_OK; i++)
        off = fmax(off, fabs(slip_walk_between(w, here, to, i) - size * way[i]));
    if (status == SLIP_OK && near && off > 0.02 * length) {
        slip_branch_point_free(to);
        status = SLIP_STOPPED;
    }
    return status;
}

/* Finds the motion at a share of the way between two close points, and its distance from the last point. */
static int reach_from(slip_walk *w, const slip_branch_point *low, const slip_branch_point *high, double share,
                      double *distance, slip_branch_point *to)
{
    const int n = low->orbit.count + 2;
    const double far = slip_branch_distance(w->b, low, high);
    SLIP_FREED double *way = slip_alloc(n, sizeof(double));
    SLIP_PASS(slip_allocated(w->b->ctx, way));
    for (int i = 0; i < n; i++)
        way[i] = slip_walk_between(w, low, high, i) / far;
    const int status = slip_branch_reach(w->b, low, way, share * far, NULL, to);
    if (status == SLIP_OK)
        *distance = slip_walk_along(w, to);
    return status;
}

/* Whether a point lies close to the line from one point to another, which may have a corner between them. */
static bool is_between(const slip_walk *w, const slip_branch_point *low, const slip_branch_point *high,
                       const slip_branch_point *point)
{
    return low->signature && high->signature &&
           slip_branch_distance(w->b, low, point) + slip_branch_distance(w->b, point, high) <
               1.5 * slip_branch_distance(w->b, low, high);
}

int slip_walk_locate(slip_walk *w, double length, int test, const slip_branch_point *next, double *at,
                     slip_branch_point *low, slip_branch_point *high)
{
    const bool within =
        test >= 0 && next && slip_walk_same(&w->here, next) && slip_walk_turn(&w->here, next) > 0.5;
    /* where the branch goes straight, a point far from the line between two points is not between them */
    const bool straight = test >= 0 || (next && slip_walk_goes_straight(w, next, length));
    double left = 0, right = length, share = 0.5;
    int status = SLIP_OK;
    for (int k = 0; k < 50 && right - left > 1e-12 && status >= 0; k++) {
        double middle = left + share * (right - left);
        slip_branch_point point;
        status = within ? reach_between(w, next, length, middle, test == 1, &point)
                        : slip_walk_reach(w, middle, &point);
        if (status == SLIP_STOPPED && straight && test < 0 && low->signature && high->signature)
            status = reach_from(w, low, high, share, &middle, &point);
        share = 0.5;
        if (status == SLIP_OK && straight && !slip_walk_goes_straight(w, &point, middle) &&
            !is_between(w, low, high, &point)) {
            slip_branch_point_free(&point);
            status = SLIP_STOPPED;
        }
        if (status == SLIP_STOPPED &&
            straight) { /* where branches cross, another place on the step is tried */
            share = 0.2 + 0.6 * fmod(0.618 * (k + 1), 1);
            continue;
        }
        if (status == SLIP_STOPPED) {
            right = middle; /* close to a graze Newton's method fails: the change lies before this place */
            continue;
        }
        if (status != SLIP_OK)
            break;
        const bool earlier = slip_walk_before(w, &point, test);
        *(earlier ? &left : &right) = middle;
        slip_branch_point_free(earlier ? low : high);
        *(earlier ? low : high) = point;
    }
    *at = left;
    return status < 0 ? status : SLIP_OK;
}

/* ---- Labels. */

/* Stores a period doubling with the eigenvector of the multiplier closest to -1. */
static int keep_doubling(slip_walk *w, const slip_branch_point *at)
{
    const slip_orbit *orbit = &at->orbit;
    const int n = orbit->count;
    slip_branch_doubling *to = &w->doubled[*w->count];
    SLIP_FREED double *room = slip_alloc(2 * (int64_t)n * n + 2 * n, sizeof(double));
    int best = 0;
    if (*w->count >= w->most)
        return SLIP_OK;
    *to = (slip_branch_doubling){0};
    to->x = slip_arena_array(w->arena, 3 * (int64_t)n + 2, sizeof(double));
    SLIP_PASS(slip_allocated(w->b->ctx, room && to->x));
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
    return found == SLIP_ERROR_MEMORY ? slip_fail_memory(w->b->ctx) : SLIP_OK;
}

/* Passes the place of a label to the callback that follows curves over two parameters. */
static int tell_place(slip_walk *w, const char *type, int test, const slip_branch_point *at,
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

/* The value of the parameter at which the change happens. Where branches cross, Newton's method finds no
 * points close to the crossing: the zero of the test is then interpolated from points on both sides, and from
 * the ends of the step where the test is monotonic over all of them. */
static double value_of(const slip_walk *w, const slip_walk_happening *what, const slip_branch_point *at,
                       const slip_branch_point *next)
{
    const slip_branch_point *const points[] = {&what->low, &what->high, &w->here, next};
    double p[4], test[4];
    int count = 2;
    if (what->test != 1 || !what->low.signature || !what->high.signature ||
        !(what->low.smooth[1] * what->high.smooth[1] < 0))
        return at->p;
    for (int k = 0; k < 4; k++) {
        p[k] = points[k]->p;
        test[k] = points[k]->smooth[1];
    }
    if ((test[0] - test[2]) * (test[1] - test[0]) > 0 && (test[3] - test[1]) * (test[1] - test[0]) > 0)
        count = 4;
    return slip_walk_at_zero(count, test, p);
}

int slip_walk_tell_change(slip_walk *w, const slip_walk_happening *what, const slip_branch_point *next,
                          const slip_branch_point *after)
{
    static const char *const types[] = {"PD", "BP", "NS", "PR", "LP"};
    const int test = what->test;
    const slip_branch_point *at = what->low.signature ? &what->low : &w->here;
    /* the parameter turns back without a multiplier that passes 1 where another branch crosses */
    const bool crosses = test == slip_walk_fold && !w->b->flow.map && slip_walk_same(&w->here, next) &&
                         slip_walk_before(w, next, 1);
    const char *type = crosses                              ? "BP"
                       : test >= 0                          ? types[test]
                       : w->here.landings != next->landings ? "GR"
                                                            : "SL";
    double p = value_of(w, what, at, next);
    const bool known = !w->b->flow.map; /* harmonic balance does not know stabilities */
    const char *from = "", *to = "";
    int again = 0, status = SLIP_OK;
    if (test < 0) {
        from = w->here.signature;
        to = next->signature;
    } else if (test == slip_walk_resonance) {
        from = w->b->simulation->ready->system->names[w->b->resonance];
    } else if (known) {
        from = stability(what->stable[0]);
        to = stability(what->stable[1]);
    }
    if (w->ended || w->back)
        return SLIP_OK;
    SLIP_PASS(status = slip_walk_tell_point(w, at));
    if (test < 0 && known)
        SLIP_PASS(status = slip_branch_pin(
                      w->b, at, at->events < w->here.events || at->events < next->events ? 1 : -1, &p));
    SLIP_PASS(status = slip_walk_pass(w, type, p, from, to, at, &again));
    w->back = again < 0 && test < 0 && w->corner.signature && slip_walk_same(&w->corner, &w->here);
    if (w->back)
        return SLIP_OK;
    w->b->closed = w->b->closed || again > 0;
    if (again != 0)
        return slip_walk_end(w, p, again > 0 ? "it closes" : "it goes back along itself");
    status = slip_walk_tell_label(w, type, p, from, to, "");
    if (status >= 0)
        status = tell_place(w, type, test, at, after);
    if (status >= 0 && test == 0)
        return keep_doubling(w, at);
    return status;
}

/* ---- All changes in a step. */

/* Finds the stability of the branch between the changes of a step, which are in the order of the step. */
static int judge_between(slip_walk *w, slip_walk_happening *list, int count, const slip_branch_point *next)
{
    int status = SLIP_OK;
    for (int k = 0; k < count; k++) {
        list[k].stable[0] = k > 0 ? list[k - 1].stable[1] : w->here.orbit.stable;
        list[k].stable[1] = next->orbit.stable;
        if (k + 1 < count) {
            slip_branch_point point;
            status = slip_walk_reach(w, 0.5 * (list[k].at + list[k + 1].at), &point);
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

static void insert(slip_walk_happening *list, int count, const slip_walk_happening *what)
{
    int k = count;
    for (; k > 0 && list[k - 1].at > what->at; k--)
        list[k] = list[k - 1];
    list[k] = *what;
}

/* Whether a change is a bifurcation: a neutral saddle (two real multipliers m and 1/m) is none, nor is the
 * turn of a branch of twice the period at the doubling where it ends. */
static bool happens(const slip_walk *w, const slip_walk_happening *what)
{
    const slip_branch_point *at = what->low.signature ? &what->low : &w->here;
    const slip_branch_doubling *origin = slip_walk_origin(w, at->p);
    const bool turns = what->test == 1 || what->test == slip_walk_fold;
    return what->test == slip_walk_torus ? at->torus
                                         : !(turns && slip_walk_half(at) < slip_walk_end_half && origin &&
                                             fabs(origin->p - at->p) < 1e-6 * (w->b->high - w->b->low));
}

/* Changes of the signature that are as close as rounding are treated as one: a contact that begins to slip
 * both ways, for instance, does so one way first because of rounding. *high becomes a point after all of
 * them. So it is at the end of a continuum of motions, where a multiplier is close to 1. */
static int pass_rim(slip_walk *w, double length, double at, const slip_branch_point *next,
                    slip_branch_point *high)
{
    const double beyond = at + 1e-4 * w->b->options.spacing;
    slip_branch_point point;
    int status;
    if (!high->signature || (slip_walk_same(high, next) && !w->here.neutral) || beyond >= length)
        return SLIP_OK;
    status = slip_walk_reach(w, beyond, &point);
    if (status == SLIP_OK &&
        (slip_walk_same(&point, next) || (w->here.neutral && !slip_walk_same(&point, &w->here)))) {
        slip_branch_point_free(high);
        *high = point;
    } else if (status == SLIP_OK) {
        slip_branch_point_free(&point);
    }
    return status < 0 ? status : SLIP_OK;
}

/* Whether the step has led from one branch to another, or is too long to be followed: the tangents on both
 * sides of a fold disagree, or the motions on both sides of another change are not close. Where branches
 * cross, no motions are found close to the crossing, and nothing is checked. */
static bool is_torn(const slip_walk *w, const slip_walk_happening *what, const slip_branch_point *next)
{
    const slip_branch_point *low = what->low.signature ? &what->low : &w->here,
                            *high = what->high.signature ? &what->high : next;
    if (w->b->flow.map || low->neutral || high->neutral)
        return false;
    return (what->test == slip_walk_fold && !(slip_walk_turn(low, high) > 0.99)) ||
           (what->test != slip_walk_fold && what->test != 1 &&
            slip_branch_distance(w->b, low, high) > 0.02 * w->b->options.spacing);
}

bool slip_walk_more_happens(const slip_branch_point *a, const slip_branch_point *b)
{
    bool as_before = slip_walk_same(a, b);
    for (int test = 0; test < slip_walk_resonance; test++)
        as_before = as_before && slip_branch_same_side(a, b, test);
    return !as_before;
}

int slip_walk_look_between(slip_walk *w, double *length, slip_branch_point *next)
{
    bool changes = !slip_walk_same(&w->here, next);
    slip_walk_happening list[slip_walk_fold + 2];
    bool torn = false;
    int status = SLIP_OK, count = 0;
    for (int test = changes ? -1 : 0; test <= slip_walk_fold && status >= 0; test++) {
        slip_walk_happening what = {.test = test};
        /* where the signature changes, multipliers jump but phases do not; at a fold two tests change */
        if (slip_walk_before(w, next, test) || (test == 1 && !slip_walk_before(w, next, slip_walk_fold)) ||
            (changes && test >= 0 && test != slip_walk_resonance))
            continue;
        status = slip_walk_locate(w, *length, test, next, &what.at, &what.low, &what.high);
        if (status >= 0 && test < 0 && slip_walk_may_cut(w, what.at) && what.low.signature &&
            slip_walk_more_happens(&w->here, &what.low)) {
            slip_walk_put(next, &what.low); /* the walk continues from this point */
            slip_branch_point_free(&what.high);
            *length = what.at;
            changes = false;
            continue;
        }
        torn = torn || (status >= 0 && is_torn(w, &what, next));
        if (status >= 0 && test < 0)
            status = pass_rim(w, *length, what.at, next, &what.high);
        if (status >= 0 && test < 0 && what.high.signature && slip_walk_more_happens(&what.high, next))
            slip_walk_put(next, &what.high);
        if (status >= 0 && happens(w, &what)) {
            insert(list, count++, &what);
        } else {
            slip_branch_point_free(&what.low);
            slip_branch_point_free(&what.high);
        }
    }
    torn = torn && slip_walk_may_cut(w, *length);
    if (status >= 0 && !torn)
        status = judge_between(w, list, count, next);
    for (int k = 0; k < count; k++) {
        if (status >= 0 && !torn)
            status = slip_walk_tell_change(w, &list[k], next, list[k].high.signature ? &list[k].high : next);
        slip_branch_point_free(&list[k].low);
        slip_branch_point_free(&list[k].high);
    }
    return status >= 0 && torn ? SLIP_STOPPED : status;
}
