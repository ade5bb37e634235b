/* Branches of eigenmodes over a parameter, and where they begin to grow.
 *
 * A mode at the next value belongs to the branch with the shape that is most like its own. Where that does
 * not decide (two modes come close and their shapes mix) the step is halved, so that branches do not change
 * places by accident: shapes and eigenvalues are continuous. At a point where two modes couple their shapes
 * become the same, and it is the eigenvalues that are continuous: after enough halvings the nearest one is
 * taken.
 *
 * The contact modes and the number of growing modes are discrete. Where one of these changes, bisection finds
 * the value of the parameter to rounding: a contact opens, closes, sticks or slips, a real part passes zero,
 * or, without damping, two frequencies have met. */
#include "study/eigenmodes/eigenmodes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits of the number of halvings of a step: at one place, and in all. */
enum { halvings = 14, halvings_most = 40 };

/* Labels within a step. */
enum { changes_most = 20 };

/* The modes at a value with the branch of each; a branch is 0 where it is not known yet. */
typedef struct place {
    slip_eigenmodes at;
    int *branches;
} place;

typedef struct follower {
    slip_context *ctx;
    const slip_model *model;
    const slip_modes_options *options;
    const slip_eigenmodes_observer *observer;
    int branch_count;
    int halved; /* halvings in the present step */
    int64_t solved;
    double *likeness; /* scratch: of all pairs */
    int64_t capacity;
} follower;

static void leave(place *p)
{
    slip_eigenmodes_free(&p->at);
    *p = (place){0};
}

/* Finds the modes at a value. SLIP_ERROR_SOLVER where the model has no equilibrium there. */
static int go(follower *f, double value, place *to)
{
    const slip_modes_options *o = f->options;
    int status;
    *to = (place){0};
    SLIP_TRY(slip_interrupt_check(f->ctx));
    status = slip_eigenmodes_find(f->ctx, f->model, o, value, &to->at);
    if (status == SLIP_ERROR_MODEL || status == SLIP_ERROR_SOLVER)
        status = slip_fail(f->ctx, SLIP_ERROR_SOLVER, "at %s = %.9g: %s", o->parameter, value,
                           slip_context_message(f->ctx));
    SLIP_TRY(status);
    to->branches = slip_arena_array(&to->at.arena, to->at.vibration.count + 1, sizeof *to->branches);
    SLIP_TRY(slip_allocated(f->ctx, to->branches));
    f->solved++;
    if (slip_progress_due(f->ctx))
        slip_progress_report(f->ctx, &(slip_progress){.what = "modes",
                                                      .fraction = (value - o->low) / (o->high - o->low),
                                                      .time = value,
                                                      .steps = f->solved});
done:
    if (status < 0)
        leave(to);
    return status;
}

/* The same for a value that may be left out: *there is false where the model has no equilibrium. At a
 * divergence there is none where the stiffness is singular, and bisection reaches that value. */
static int visit(follower *f, double value, place *to, bool *there)
{
    const int status = go(f, value, to);
    *there = status != SLIP_ERROR_SOLVER;
    if (*there)
        return status;
    slip_context_clear(f->ctx);
    return SLIP_OK;
}

/* ---- Branches of modes. */

static double distance(const slip_eigenmode *a, const slip_eigenmode *b)
{
    return hypot(a->real - b->real, a->imaginary - b->imaginary);
}

static double size_of(const slip_vibration *v)
{
    double size = 0;
    for (int k = 0; k < v->count; k++)
        size = fmax(size, hypot(v->modes[k].real, v->modes[k].imaginary));
    return size;
}

static void join(place *from, place *to, int i, int j)
{
    to->branches[j] = from->branches[i];
}

/* The mode with a shape like that of mode i and the nearest eigenvalue; -1 where there is none, or a second
 * one nearly as near. Of modes with equal eigenvalues any is taken. */
static int find_like(const follower *f, const place *from, const place *to, int i)
{
    const slip_vibration *a = &from->at.vibration, *b = &to->at.vibration;
    const double *like = f->likeness + (int64_t)i * b->count, same = 1e-9 * size_of(b);
    double most = 0, least = INFINITY;
    int best = -1;
    for (int j = 0; j < b->count; j++)
        if (to->branches[j] == 0)
            most = fmax(most, like[j]);
    if (most < 0.8)
        return -1;
    for (int j = 0; j < b->count; j++)
        if (to->branches[j] == 0 && like[j] > most - 0.3 && distance(&a->modes[i], &b->modes[j]) < least) {
            least = distance(&a->modes[i], &b->modes[j]);
            best = j;
        }
    for (int j = 0; j < b->count; j++)
        if (j != best && like[j] > most - 0.3 && distance(&b->modes[j], &b->modes[best]) > same &&
            distance(&a->modes[i], &b->modes[j]) < 3 * least)
            return -1;
    return best;
}

/* Pairs by shape, and by eigenvalue where several shapes are alike. False where that does not decide. */
static bool pair_by_shape(follower *f, place *from, place *to)
{
    const slip_vibration *a = &from->at.vibration, *b = &to->at.vibration;
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            f->likeness[i * b->count + j] = slip_eigenmodes_likeness(&from->at, i, &to->at, j);
    for (int i = 0; i < a->count; i++) {
        const int j = find_like(f, from, to, i);
        if (j < 0)
            return false;
        join(from, to, i, j);
    }
    return true;
}

/* Pairs by eigenvalue, the nearest ones first; what is left begins a branch. */
static void pair_by_value(follower *f, place *from, place *to)
{
    const slip_vibration *a = &from->at.vibration, *b = &to->at.vibration;
    bool *taken = (bool *)(f->likeness); /* room for a->count of them */
    memset(to->branches, 0, sizeof *to->branches * (size_t)b->count);
    memset(taken, 0, sizeof *taken * (size_t)a->count);
    for (int n = 0; n < a->count && n < b->count; n++) {
        int left = -1, right = -1;
        double least = INFINITY;
        for (int i = 0; i < a->count; i++)
            for (int j = 0; j < b->count && !taken[i]; j++)
                if (to->branches[j] == 0 && distance(&a->modes[i], &b->modes[j]) < least) {
                    least = distance(&a->modes[i], &b->modes[j]);
                    left = i;
                    right = j;
                }
        if (left < 0)
            break;
        taken[left] = true;
        join(from, to, left, right);
    }
    for (int j = 0; j < b->count; j++)
        if (to->branches[j] == 0)
            to->branches[j] = ++f->branch_count;
}

/* Whether frequencies of two branches have changed places. */
static bool has_crossed(const place *from, const place *to)
{
    const slip_vibration *a = &from->at.vibration, *b = &to->at.vibration;
    int last = 0;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            if (to->branches[j] == from->branches[i]) {
                if (j < last && b->modes[last].imaginary > b->modes[j].imaginary)
                    return true;
                last = j > last ? j : last;
            }
    return false;
}

/* Gives the modes at `to` the branches of those at `from`. Shapes that seem to cross may yet turn into each
 * other on the way, where frequencies come close and part again: a crossing is looked at as closely as
 * anything. */
static int connect(follower *f, place *from, place *to, int depth)
{
    const int64_t pairs = (int64_t)(from->at.vibration.count + 1) * (to->at.vibration.count + 1);
    place middle = {0};
    bool there = false;
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(f->ctx, SLIP_ROOM(f->likeness, f->capacity, pairs)));
    const bool last = depth == halvings || f->halved >= halvings_most, alike = pair_by_shape(f, from, to);
    if (alike && (last || !has_crossed(from, to)))
        return SLIP_OK;
    memset(to->branches, 0, sizeof *to->branches * (size_t)to->at.vibration.count);
    f->halved++;
    if (!last)
        SLIP_TRY(visit(f, from->at.value + (to->at.value - from->at.value) / 2, &middle, &there));
    if (!there) {
        pair_by_value(f, from, to);
        return SLIP_OK;
    }
    SLIP_TRY(connect(f, from, &middle, depth + 1));
    SLIP_TRY(connect(f, &middle, to, depth + 1));
done:
    leave(&middle);
    return status;
}

/* ---- Labels: modes that begin or end to grow, changes of contact modes. */

static int growing(const slip_eigenmodes *at)
{
    int count = 0;
    for (int k = 0; k < at->vibration.count; k++)
        count += slip_eigenmodes_grows(at, k);
    return count;
}

/* The mode that grows least: the one that has just passed zero. */
static int slowest(const slip_eigenmodes *at)
{
    int least = -1;
    for (int k = 0; k < at->vibration.count; k++)
        if (slip_eigenmodes_grows(at, k) &&
            (least < 0 || at->vibration.modes[k].real < at->vibration.modes[least].real))
            least = k;
    return least;
}

/* The mode of nearest frequency, with which a growing mode has coupled; -1: none. */
static int partner(const slip_eigenmodes *at, int k)
{
    const slip_eigenmode *own = &at->vibration.modes[k];
    int best = -1;
    for (int i = 0; i < at->vibration.count; i++) {
        const slip_eigenmode *other = &at->vibration.modes[i];
        if (i != k && other->imaginary > 0 &&
            (best < 0 || fabs(other->imaginary - own->imaginary) <
                             fabs(at->vibration.modes[best].imaginary - own->imaginary)))
            best = i;
    }
    return best >= 0 && slip_eigenmodes_likeness(at, k, at, best) > 0.5 ? best : -1;
}

/* A label at `value`; `grown` is the place beside it where one mode more grows, `begins`: with a rising
 * value. */
static int add_label(follower *f, double value, const place *grown, bool begins)
{
    const slip_vibration *v = &grown->at.vibration;
    const int k = slowest(&grown->at), other = k >= 0 ? partner(&grown->at, k) : -1;
    char note[160] = "";
    if (k < 0)
        return SLIP_OK;
    const slip_eigenmode *own = &v->modes[k];
    const bool flutter =
        own->imaginary > 1e-7 * size_of(v) ||
        (own->rounding < 1e-16 * size_of(v) && own->imaginary > 1e-7 * own->real + 100 * own->rounding);
    const double frequency = v->modes[k].imaginary / (2 * acos(-1));
    const char *what = flutter ? "flutter" : "divergence";
    if (flutter && other >= 0)
        snprintf(note, sizeof note, "modes %d and %d couple, frequency %.9g", grown->branches[k],
                 grown->branches[other], frequency);
    else if (flutter)
        snprintf(note, sizeof note, "mode %d, frequency %.9g", grown->branches[k], frequency);
    else
        snprintf(note, sizeof note, "mode %d", grown->branches[k]);
    slip_label label = {.branch = grown->branches[k],
                        .type = flutter ? "FL" : "DV",
                        .value = value,
                        .contact = "",
                        .from = begins ? "stable" : what,
                        .to = begins ? what : "stable",
                        .note = note};
    return f->observer->label(f->observer->user, &label);
}

static bool does_the_same(const slip_eigenmodes *a, const slip_eigenmodes *b, int contact)
{
    return a->point.branches[contact].mode == b->point.branches[contact].mode;
}

static bool all_do_the_same(const slip_eigenmodes *a, const slip_eigenmodes *b)
{
    for (int c = 0; c < (int)a->model->system->contact_count; c++)
        if (!does_the_same(a, b, c))
            return false;
    return true;
}

/* A label where contacts change what they do, from `a` to `b`. */
static int add_change(follower *f, double value, const place *a, const place *b)
{
    const slip_system *system = a->at.model->system;
    slip_text names = {0}, from = {0}, to = {0};
    for (int c = 0; c < (int)system->contact_count; c++) {
        if (does_the_same(&a->at, &b->at, c))
            continue;
        const char *between = names.length > 0 ? ";" : "";
        slip_text_printf(&names, "%s%s", between, system->contacts[c].name);
        slip_text_printf(&from, "%s%s", between, slip_mode_name(a->at.point.branches[c].mode));
        slip_text_printf(&to, "%s%s", between, slip_mode_name(b->at.point.branches[c].mode));
    }
    slip_label label = {.branch = 1,
                        .type = "MC",
                        .value = value,
                        .contact = names.data,
                        .from = from.data,
                        .to = to.data,
                        .note = ""};
    int status = names.failed || from.failed || to.failed ? slip_fail_memory(f->ctx)
                                                          : f->observer->label(f->observer->user, &label);
    slip_text_free(&names);
    slip_text_free(&from);
    slip_text_free(&to);
    return status;
}

/* Bisection for the first value from *left on at which contacts do something else than at `low`, or another
 * number of modes grows; between *left and *right there is no number then. */
static int locate(follower *f, const place *low, double *left, double *right)
{
    const int before = growing(&low->at);
    for (;;) {
        const double value = *left + (*right - *left) / 2;
        place middle = {0};
        bool there;
        if (!(value > *left && value < *right))
            break;
        SLIP_PASS(visit(f, value, &middle, &there));
        const bool same = there && growing(&middle.at) == before && all_do_the_same(&low->at, &middle.at);
        leave(&middle);
        *(same ? left : right) = value;
    }
    return SLIP_OK;
}

/* The places on both sides of a label between `left` and `right`: close, as far as there are states there. */
static int stand_beside(follower *f, const place *low, double left, double right, const place *high, place *a,
                        place *b)
{
    double apart = fmax(right - left, 1e-9 * (f->options->high - f->options->low));
    for (bool there = false;; apart *= 4) {
        SLIP_PASS(visit(f, fmax(low->at.value, left - apart), a, &there));
        if (there)
            SLIP_PASS(visit(f, fmin(high->at.value, right + apart), b, &there));
        if (there)
            return SLIP_OK;
        leave(a);
    }
}

/* From one place to the next: connects the branches, and labels where contacts change what they do and where
 * modes begin or end to grow on the way. A label stands between places on both sides of it, close enough to
 * be at it, and apart as far as it takes to tell the modes there. */
static int advance(follower *f, place *low, place *high, int changes)
{
    SLIP_FREED_BY(leave) place a = {0}, b = {0};
    double left = low->at.value, right = high->at.value;
    if ((growing(&low->at) == growing(&high->at) && all_do_the_same(&low->at, &high->at)) ||
        changes == changes_most)
        return connect(f, low, high, 0);
    SLIP_PASS(locate(f, low, &left, &right));
    const double value = left + (right - left) / 2;
    SLIP_PASS(stand_beside(f, low, left, right, high, &a, &b));
    SLIP_PASS(connect(f, low, &a, 0));
    SLIP_PASS(connect(f, &a, &b, 0));
    const int before = growing(&a.at), after = growing(&b.at);
    if (!all_do_the_same(&a.at, &b.at))
        SLIP_PASS(add_change(f, value, &a, &b));
    if (before != after)
        SLIP_PASS(add_label(f, value, after > before ? &b : &a, after > before));
    return advance(f, &b, high, changes + 1);
}

/* ---- The range. */

static int see(follower *f, const place *p)
{
    return f->observer->point(f->observer->user, &p->at, p->branches);
}

int slip_eigenmodes_follow(slip_context *ctx, const slip_model *model, const slip_modes_options *o,
                           const slip_eigenmodes_observer *observer)
{
    follower f = {.ctx = ctx, .model = model, .options = o, .observer = observer};
    place now = {0}, next = {0};
    int status;
    SLIP_TRY(go(&f, o->low, &now));
    f.branch_count = now.at.vibration.count;
    for (int k = 0; k < f.branch_count; k++)
        now.branches[k] = k + 1;
    SLIP_TRY(see(&f, &now));
    for (int i = 1; i < o->points; i++) {
        const double part = (double)i / (o->points - 1);
        SLIP_TRY(go(&f, i + 1 == o->points ? o->high : o->low + part * (o->high - o->low), &next));
        f.halved = 0;
        SLIP_TRY(advance(&f, &now, &next, 0));
        SLIP_TRY(see(&f, &next));
        leave(&now);
        now = next;
        next = (place){0};
    }
done:
    leave(&now);
    leave(&next);
    free(f.likeness);
    return status;
}
