/* Patches with all other contacts in a fixed step, in rounds: the other contacts for given impulses of the
 * patches, then one patch after the other. Where the sets of impulses are convex this minimises
 * p G p/2 + b p over one block after the other and comes to the solution from anywhere, but slowly where a
 * light body lies between heavy ones. Anderson's acceleration makes a few rounds of that: of a round from p
 * to g(p) and those before it, it goes on from the combination whose changes g(p) - p cancel best. Where that
 * leads away, plain rounds follow, twice as many each time, so that it remains sure.
 *
 * Where stick holds more than slip leaves (static_ratio > 1) the sets are not convex, and rounds may go to
 * and fro for ever: a patch slips, a rod follows and takes the load from it, it sticks, the rod stays behind.
 * Then all contacts first have their limits of stick in slip, too. That is convex. What slips there slips:
 * it has its limit of slip from now on, in stick as well, and so on until nothing more slips. What has come
 * out is a solution of the laws: slip with the limit of slip, stick within that of stick. */
#include "method/fixed.h"

#include <math.h>
#include <string.h>

enum { quick_rounds = 60, sure_rounds = 20000, most_pairs = 8 };

int slip_fixed_rounds_create(slip_fixed *f)
{
    slip_fixed_rounds *r = &f->rounds;
    r->size = 3 * f->system->patch_count;
    r->most = r->size < most_pairs ? r->size : most_pairs;
    r->before = slip_arena_array(&f->arena, (int64_t)r->size * (5 + 4 * r->most), sizeof(double));
    r->slides = slip_arena_array(&f->arena, 2 * f->contact_count + 1, sizeof(double));
    if (!r->before || !r->slides)
        return slip_fail_memory(f->ctx);
    r->after = r->before + r->size;
    r->change = r->after + r->size;
    r->last_after = r->change + r->size;
    r->last_change = r->last_after + r->size;
    r->pairs = r->last_change + r->size;
    r->scratch = r->pairs + 2 * r->most * r->size;
    return SLIP_OK;
}

/* ---- One round. */

static void add_impulses(const slip_fixed *f, const slip_fixed_patch *p, double factor, double *v)
{
    for (int part = 0; part < 3; part++)
        for (int i = 0; i < f->n; i++)
            v[i] += factor * p->impulse[part] * p->responses[part * f->n + i];
}

/* To the velocities, those of all patches that are solved with this one. */
static void add_group(slip_fixed *f, const slip_fixed_patch *p, double factor)
{
    add_impulses(f, p, factor, f->v);
    for (p = slip_fixed_grouped(p) ? p->next : NULL; p; p = p->next)
        add_impulses(f, p, factor, f->v);
}

static void get_impulses(const slip_fixed *f, double *impulses)
{
    for (int k = 0; k < f->system->patch_count; k++)
        memcpy(impulses + 3 * k, f->patches[k].impulse, 3 * sizeof(double));
}

static void set_impulses(slip_fixed *f, const double *impulses)
{
    for (int k = 0; k < f->system->patch_count; k++)
        memcpy(f->patches[k].impulse, impulses + 3 * k, 3 * sizeof(double));
}

/* False when a patch was not solved. */
static bool go_round(slip_fixed *f, void (*others)(slip_fixed *f))
{
    const int n = f->n, count = f->system->patch_count;
    get_impulses(f, f->rounds.before);
    memcpy(f->free, f->base, (size_t)n * sizeof(double));
    for (int k = 0; k < count; k++)
        add_impulses(f, &f->patches[k], 1, f->free);
    others(f);
    for (int k = 0; k < count; k++) {
        slip_fixed_patch *p = &f->patches[k];
        double y_free[3];
        if ((p->leader && p->leader->together) || !slip_fixed_patch_takes_part(f, p))
            continue;
        slip_fixed_patch_press(f, p);
        add_group(f, p, -1);
        for (int part = 0; part < 3; part++)
            y_free[part] = slip_fixed_dot(n, p->rows + part * n, f->v) + p->shift[part];
        if (!slip_fixed_patch_impulse(f, p, y_free)) {
            f->patch_failed = p->contact;
            set_impulses(f, f->rounds.before);
            return false;
        }
        add_group(f, p, 1);
    }
    return true;
}

/* The largest change of an impulse, over what impulses there are; names the patch. */
static double measure(slip_fixed *f)
{
    slip_fixed_rounds *r = &f->rounds;
    double largest = 0, scale = 0;
    get_impulses(f, r->after);
    for (int i = 0; i < r->size; i++) {
        r->change[i] = r->after[i] - r->before[i];
        scale = fmax(scale, fabs(r->after[i]) + f->patches[i / 3].strength);
        if (fabs(r->change[i]) > largest) {
            largest = fabs(r->change[i]);
            f->patch_failed = f->patches[i / 3].contact;
        }
    }
    return largest > 0 ? largest / scale : 0;
}

/* ---- Acceleration. */

static void remember(slip_fixed_rounds *r, bool first)
{
    const int size = r->size;
    if (first)
        r->count = 0;
    if (!first) {
        int kept = r->count < r->most ? r->count : r->most - 1;
        memmove(r->pairs + 2 * size, r->pairs, (size_t)(2 * size * kept) * sizeof(double));
        for (int i = 0; i < size; i++) {
            r->pairs[i] = r->change[i] - r->last_change[i];
            r->pairs[size + i] = r->after[i] - r->last_after[i];
        }
        r->count = kept + 1;
    }
    memcpy(r->last_after, r->after, (size_t)size * sizeof(double));
    memcpy(r->last_change, r->change, (size_t)size * sizeof(double));
}

/* after - sum of c_j (its differences), with the c_j for which change - sum of c_j (its differences) is
 * least: the differences, newest first, are made orthogonal one after the other. Spoils `change`. */
static void accelerate(slip_fixed *f)
{
    slip_fixed_rounds *r = &f->rounds;
    const int size = r->size;
    int used = 0;
    for (int j = 0; j < r->count; j++) {
        double *own = r->scratch + 2 * size * used, before, length, part;
        memcpy(own, r->pairs + 2 * size * j, (size_t)(2 * size) * sizeof(double));
        before = sqrt(slip_fixed_dot(size, own, own));
        for (int k = 0; k < used; k++) {
            const double *other = r->scratch + 2 * size * k;
            part = slip_fixed_dot(size, own, other);
            for (int i = 0; i < 2 * size; i++)
                own[i] -= part * other[i];
        }
        length = sqrt(slip_fixed_dot(size, own, own));
        if (!(length > 1e-6 * before))
            continue;
        for (int i = 0; i < 2 * size; i++)
            own[i] /= length;
        part = slip_fixed_dot(size, own, r->change);
        for (int i = 0; i < size; i++) {
            r->change[i] -= part * own[i];
            r->after[i] -= part * own[size + i];
        }
        used++;
    }
    set_impulses(f, r->after);
}

/* Rounds until nothing changes but by rounding; what rounding is comes to light where it does not get less.
 */
static bool settle(slip_fixed *f, void (*others)(slip_fixed *f), int most)
{
    const double wanted = 1e-14, rounding = 1e-11;
    enum { patience = 50 };
    double least = INFINITY, near = INFINITY;
    int wait = 0, plain = 8, idle = 0;
    bool first = true;
    for (int round = 0; round < most; round++) {
        double change;
        if (!go_round(f, others))
            return false;
        change = measure(f);
        if (change <= wanted || (f->system->patch_count == 1 && f->m == 0))
            return true;
        idle = change < 0.5 * least ? 0 : idle + 1;
        least = fmin(least, change);
        if (idle > patience && change <= rounding)
            return true;
        if (change > 2 * near) {
            wait = plain;
            plain *= 2;
            first = true;
        }
        near = first ? change : fmin(near, change);
        remember(&f->rounds, first);
        first = false;
        if (wait > 0)
            wait--;
        else
            accelerate(f);
    }
    return false;
}

/* ---- All of it. */

/* Gives those that slip their limit of slip; false where they have it. */
static bool release(slip_fixed *f)
{
    bool some = false;
    for (int k = 0; k < f->system->patch_count; k++) {
        slip_fixed_patch *p = &f->patches[k];
        if (p->stuck || p->slide == 1)
            continue;
        p->hold = p->slide = 1;
        some = true;
    }
    for (int k = 0; k < f->m; k++) {
        const slip_block_state state = f->solution.states[k];
        if ((state != SLIP_BLOCK_PLUS && state != SLIP_BLOCK_MINUS) || f->rows[k].slide == f->rounds.slides[k])
            continue;
        f->rows[k].hold = f->rows[k].slide = f->rounds.slides[k];
        some = true;
    }
    return some;
}

static bool settle_surely(slip_fixed *f, void (*others)(slip_fixed *f))
{
    for (int k = 0; k < f->system->patch_count; k++)
        f->patches[k].slide = f->patches[k].hold;
    for (int k = 0; k < f->m; k++) {
        f->rounds.slides[k] = f->rows[k].slide;
        if (f->rows[k].kind == SLIP_BLOCK_FRICTION)
            f->rows[k].slide = f->rows[k].hold;
    }
    do
        if (!settle(f, others, sure_rounds))
            return false;
    while (release(f));
    return true;
}

/* Stick to the last bit where a slip velocity is that of one coordinate. */
static void pin(slip_fixed *f, const slip_fixed_patch *p)
{
    for (int part = 0; part < 3; part++) {
        int only = -1, count = 0;
        for (int i = 0; i < f->n; i++)
            if (p->rows[part * f->n + i] != 0) {
                only = i;
                count++;
            }
        if (count == 1)
            f->v[only] = 0 - p->shift[part] / p->rows[part * f->n + only];
    }
}

void slip_fixed_patch_solve(slip_fixed *f, int turn, void (*others)(slip_fixed *f))
{
    memcpy(f->base, f->free, (size_t)f->n * sizeof(double));
    f->rounds.sure &= turn > 0;
    /* the forces of a step settle better when all its turns go the same way */
    f->rounds.sure = f->rounds.sure || !settle(f, others, quick_rounds);
    if (!f->rounds.sure || settle_surely(f, others))
        f->patch_failed = -1;
    for (int k = 0; k < f->system->patch_count; k++)
        if (f->patches[k].stuck)
            pin(f, &f->patches[k]);
    memcpy(f->free, f->base, (size_t)f->n * sizeof(double));
}

int slip_fixed_patch_check(const slip_fixed *f)
{
    if (f->patch_failed < 0)
        return SLIP_OK;
    return slip_fail(
        f->ctx, SLIP_ERROR_SOLVER,
        "contact `%s`: at t = %.9g the friction of the patch was not solved within a step of `%s`; try a "
        "smaller `simulate.step`, or method `event`",
        f->system->contacts[f->patch_failed].name, f->t0, f->rules->name);
}
