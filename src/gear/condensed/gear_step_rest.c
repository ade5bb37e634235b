/* Static equilibrium of condensed gears. One shaft of each train, the driven one or else the first, keeps its
 * angle; the others are turned until torques and moments of the flanks balance. The elastic coordinates are
 * those after a step of infinite length (flex/free_modes.h). There is no friction.
 *
 * A train is a tree whose root is the fixed shaft. A shaft is turned together with its whole subtree, in the
 * ratios of teeth, so that the contact forces in the subtree hardly change. So a few rounds over all shafts,
 * from the leaves to the root, balance all of them. */
#include "gear/body/gear_start.h"
#include "gear/condensed/gear_step.h"

#include <math.h>
#include <string.h>

/* Convergence: change of the contact forces in an iteration; imbalance of a shaft, both relative. */
static const double settle = 1e-13, balanced = 1e-11;
static const double settled = 1e-6;    /* what rounding may leave of it at most */
static const double near = 1e-12;      /* a bore is where it was, rad */
static const double first_turn = 1e-4; /* in modules at the tip */
enum { tries_max = 200, rounds_max = 40 };

/* The tree of shafts. */
typedef struct tree {
    slip_gear_step *s;
    int *parent;    /* of each shaft; -1: it stays */
    int *order;     /* of all shafts: parents first */
    double *ratio;  /* to the turn of the parent */
    double *angle;  /* where it is now */
    double *start;  /* where its bore was */
    double *turns;  /* scratch */
    double largest; /* load by a torque: the loads of coordinates, which have unit mass */
} tree;

static int first_gear(const slip_gear_step *s, int shaft)
{
    int gear = 0;
    while (s->gear[gear].shaft != shaft)
        gear++;
    return gear;
}

/* Adds all shafts that hang on those from `from` on. */
static int grow(tree *t, int from, int count, bool *known)
{
    const slip_gear_step *s = t->s;
    for (int i = from; i < count; i++)
        for (int mesh = 0; mesh < s->mesh_count; mesh++)
            for (int k = 0; k < 2; k++) {
                const slip_step_gear *own = &s->gear[s->group->meshes[mesh].gear[k]],
                                     *other = &s->gear[s->group->meshes[mesh].gear[1 - k]];
                if (own->shaft != t->order[i] || known[other->shaft])
                    continue;
                known[other->shaft] = true;
                t->parent[other->shaft] = own->shaft;
                t->ratio[other->shaft] = -(double)own->wheel->flanks / other->wheel->flanks;
                t->order[count++] = other->shaft;
            }
    return count;
}

static int make_tree(slip_context *ctx, slip_gear_step *s, slip_arena *arena, tree *t)
{
    const int shafts = s->shaft_count;
    bool *known = slip_arena_array(arena, shafts, sizeof *known);
    *t = (tree){.s = s,
                .parent = slip_arena_array(arena, shafts, sizeof *t->parent),
                .order = slip_arena_array(arena, shafts, sizeof *t->order),
                .ratio = slip_arena_array(arena, shafts, sizeof *t->ratio),
                .angle = slip_arena_array(arena, shafts, sizeof *t->angle),
                .start = slip_arena_array(arena, shafts, sizeof *t->start),
                .turns = slip_arena_array(arena, shafts, sizeof *t->turns)};
    SLIP_PASS(
        slip_allocated(ctx, known && t->parent && t->order && t->ratio && t->angle && t->start && t->turns));
    int count = 0;
    for (int driven = 1; driven >= 0; driven--) /* those that are driven stay, whatever else there is */
        for (int k = 0; k < shafts; k++) {
            if (known[k] || s->shaft[k].modes->driven != (driven == 1))
                continue;
            known[k] = true;
            t->parent[k] = -1;
            t->order[count] = k;
            count = grow(t, count, count + 1, known);
        }
    for (int k = 0; k < shafts; k++) {
        t->angle[k] = t->start[k] = s->now.angle[k];
        t->largest = fmax(t->largest, fabs(s->torque[s->shaft[k].first]));
    }
    return SLIP_OK;
}

/* The sum of the torque of a shaft and the moments of its flanks. */
static double load_of(const slip_gear_step *s, int k)
{
    const int rigid = s->shaft[k].first; /* a step may change the coordinates */
    return s->next.press[rigid] + s->torque[rigid] + s->inertia[rigid];
}

/* Turns a shaft and its subtree by an angle and solves for the contact forces; *load: of the shaft there. */
static int turn(slip_context *ctx, const tree *t, int k, double by, double *load)
{
    slip_gear_step *s = t->s;
    memset(t->turns, 0, sizeof(double) * (size_t)s->shaft_count);
    t->turns[k] = by;
    for (int i = 0; i < s->shaft_count; i++) {
        const int own = t->order[i];
        if (own != k && t->parent[own] >= 0)
            t->turns[own] = t->ratio[own] * t->turns[t->parent[own]];
        if (!s->shaft[own].modes->driven)
            slip_free_modes_turn(s->shaft[own].modes, t->angle[own] + t->turns[own],
                                 s->now.y + s->shaft[own].first);
    }
    SLIP_PASS(slip_gear_step_attempt(ctx, s, INFINITY, settle, 0));
    *load = load_of(s, k);
    return SLIP_OK;
}

/* Brackets the equilibrium: turns the shaft in the sense of its load until the load changes sign. */
static int find_bounds(slip_context *ctx, const tree *t, int k, double by[2], double load[2])
{
    const slip_step_gear *gear = &t->s->gear[first_gear(t->s, k)];
    const int teeth = gear->wheel->flanks / 2;
    const double pitch = 2 * 3.14159265358979323846 / teeth;
    double more = copysign(first_turn * 2 / (teeth + 2), load[0]);
    for (; fabs(by[0]) < pitch; more *= 2) {
        by[1] = by[0] + more;
        SLIP_PASS(turn(ctx, t, k, by[1], &load[1]));
        if (load[0] * load[1] <= 0)
            return SLIP_OK;
        by[0] = by[1];
        load[0] = load[1];
    }
    return slip_fail(ctx, SLIP_ERROR_MODEL, "initial: static: the flanks do not hold %s within a pitch",
                     gear->wheel->name);
}

/* Turns a shaft to equilibrium; *off is set if it was not there. */
static int balance(slip_context *ctx, const tree *t, int k, bool *off)
{
    const double least = balanced * t->largest;
    double by[2] = {0}, load[2], now = 0, there;
    SLIP_PASS(turn(ctx, t, k, 0, &load[0]));
    if (fabs(load[0]) <= least)
        return SLIP_OK;
    *off = true;
    SLIP_PASS(find_bounds(ctx, t, k, by, load));
    for (int i = 0, last = -1;; i++) { /* regula falsi, Illinois variant */
        const double share = load[0] / (load[0] - load[1]);
        now = by[0] + (i % 8 == 7 ? 0.5 : share) * (by[1] - by[0]);
        SLIP_PASS(turn(ctx, t, k, now, &there));
        if (fabs(there) <= least || now == by[0] || now == by[1] || i == tries_max)
            break;
        const int side = there * load[0] > 0 ? 0 : 1;
        by[side] = now;
        load[side] = there;
        if (side == last)
            load[1 - side] /= 2;
        last = side;
    }
    for (int i = 0; i < t->s->shaft_count; i++)
        t->angle[i] += t->turns[i];
    return SLIP_OK;
}

/* Turns a train back so that the bore of the fixed shaft has its old angle: a step holds the mean rotation of
 * shaft and gears instead. */
static int put_back(slip_context *ctx, const tree *t, int k, bool *off)
{
    double load;
    SLIP_PASS(turn(ctx, t, k, 0, &load));
    const double by = t->start[k] - t->s->next.angle[k];
    if (fabs(by) <= near)
        return SLIP_OK;
    *off = true;
    SLIP_PASS(turn(ctx, t, k, by, &load));
    for (int i = 0; i < t->s->shaft_count; i++)
        t->angle[i] += t->turns[i];
    return SLIP_OK;
}

/* Whether all shafts that can turn are in balance, those that stay but are not driven too. */
static int check_loads(slip_context *ctx, const tree *t)
{
    const slip_gear_step *s = t->s;
    for (int k = 0; k < s->shaft_count; k++) {
        const slip_step_shaft *shaft = &s->shaft[k];
        if (t->parent[k] >= 0 && !(fabs(load_of(s, k)) <= settled * t->largest))
            return slip_fail(
                ctx, SLIP_ERROR_SOLVER,
                "initial: static: the shaft of %s does not come to rest; expected flanks that hold "
                "its torque: start from other angles, or from a run with damping",
                s->gear[first_gear(s, k)].wheel->name);
        if (t->parent[k] >= 0 || shaft->modes->driven)
            continue;
        /* Coordinates have unit mass: their loads are torques times a number. */
        const double given = shaft->torque, unit = given != 0 ? s->torque[shaft->first] / given : 0;
        const double brought = unit != 0 ? s->next.press[shaft->first] / unit : s->next.moment[k];
        SLIP_PASS(slip_gear_check_loads(ctx, s->gear[first_gear(s, k)].wheel->name, given, brought));
    }
    return SLIP_OK;
}

int slip_gear_step_rest(slip_context *ctx, slip_gear_step *s)
{
    const bool rubs = s->rub.on;
    slip_arena arena = {0};
    slip_gear_change change;
    bool off = true;
    tree t;
    int status;
    s->rub.on = false;
    SLIP_TRY(make_tree(ctx, s, &arena, &t));
    if (!(t.largest > 0)) {
        status = slip_fail(ctx, SLIP_ERROR_MODEL,
                           "initial: static: found no torque on the shafts, expected loads that press the "
                           "flanks");
        goto done;
    }
    for (int round = 0; (off || round < 2) && round < rounds_max; round++) {
        off = false;
        for (int k = 0; round > 0 && k < s->shaft_count; k++)
            if (t.parent[k] < 0 && !s->shaft[k].modes->driven)
                SLIP_TRY(put_back(ctx, &t, k, &off));
        for (int i = s->shaft_count - 1; i >= 0; i--)
            if (t.parent[t.order[i]] >= 0)
                SLIP_TRY(balance(ctx, &t, t.order[i], &off));
    }
    SLIP_TRY(check_loads(ctx, &t));
    slip_gear_step_account(s, &change); /* strain of the flanks */
    SLIP_TRY(slip_gear_step_accept(ctx, s));
    s->before = s->earlier = s->dropped = 0;
    for (int i = 0; i < s->shaft_count; i++)
        s->shaft[i].dropped_momentum = 0;
    s->propagator->step = -1;
done:
    slip_arena_free(&arena);
    s->rub.on = rubs;
    return status;
}
