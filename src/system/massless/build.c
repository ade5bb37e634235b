/* The system that moves in place of one with coordinates without mass; massless.h has the theory.
 *
 * It is built from the expressions of the given system, with each slot replaced by its expression in the
 * system that moves. Linear terms are recognised again when the expressions are added to that system. */
#include "system/massless/types.h"

#include "math/dense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Slots. */

/* Places in the system that moves: what has a mass first, then the states that were given, damped and
 * creeping coordinates, the deflections of sliders. Returns the names, NULL when out of memory. */
static const char **find_places(slip_rebuild *b)
{
    slip_reduction *d = b->d;
    const slip_system *from = d->from;
    const char **names =
        slip_arena_array(&d->arena, (int64_t)from->n + from->contact_count + 2, sizeof *names);
    int *place = d->to->place, at = 0;
    for (int p = 0; p < b->nc && names; p++) {
        place[p] = -1;
        if (slip_rebuild_is(b, p, SLIP_HEAVY))
            names[place[p] = at++] = from->names[p];
    }
    b->heavy = at;
    for (int i = b->nc; i < from->n && names; i++)
        names[place[i] = at++] = from->names[i];
    for (int p = 0; p < b->nc && names; p++)
        if (slip_rebuild_is(b, p, SLIP_DAMPED) || slip_rebuild_is(b, p, SLIP_CREEPING))
            names[place[p] = at++] = from->names[p];
    for (int c = 0; c < from->contact_count && names; c++) {
        slip_massless_contact *to = &d->to->contacts[c];
        const slip_contact *contact = &from->contacts[c];
        if (to->coordinate < 0)
            continue;
        if (slip_rebuild_is(b, to->coordinate, SLIP_CREEPING)) {
            to->state = place[to->coordinate];
        } else if (contact->normal_constant * contact->law.law.mu > 0 &&
                   slip_rebuild_is(b, to->coordinate, SLIP_STATIC)) {
            char *name = slip_arena_alloc(&d->arena, strlen(contact->name) + 3);
            if (!name)
                return NULL;
            sprintf(name, "%s.z", contact->name);
            names[to->state = at++] = name;
        } else {
            to->limit = contact->normal_constant * contact->law.law.mu;
        }
    }
    if (at == 0 && names) /* a system needs at least one state: a constant one */
        names[at++] = "rest";
    b->n = at;
    return names;
}

static bool make_room(slip_rebuild *b)
{
    slip_arena *arena = &b->d->arena;
    const int64_t slots = 1 + 3 * (int64_t)b->n, nc = b->nc, from = 1 + 2 * (int64_t)b->d->from->n;
    b->slot = slip_arena_array(arena, slots, sizeof(void *));
    b->q = slip_arena_array(arena, 4 * nc + 1, sizeof(void *));
    b->v = b->q + nc;
    b->base = b->v + nc;
    b->unheld = b->base + nc;
    b->with = slip_arena_array(arena, from, sizeof(void *));
    b->inner = slip_arena_array(arena, slots, sizeof(void *));
    b->rate = slip_arena_array(arena, slots, sizeof(int));
    b->damper = slip_arena_array(arena, nc * nc + 1, sizeof(double));
    b->damped = slip_arena_array(arena, nc + 1, sizeof(int));
    return b->slot && b->q && b->with && b->inner && b->rate && b->damper && b->damped;
}

static int make_slots(slip_rebuild *b, const char *const *names)
{
    const int n = b->n;
    for (int slot = 0; slot < 1 + 3 * n; slot++) {
        slip_expression *made = NULL;
        const char *name = slot == 0 ? "t" : names[(slot - 1) % n];
        const int status =
            slip_rebuild_keep(b, slip_expression_of_slot(slot, name, &made), &made, &b->slot[slot]);
        if (status < 0)
            return status;
        b->rate[slot] = slot == 0   ? SLIP_RATE_ONE
                        : slot <= n ? (slot <= b->heavy ? slot + n : SLIP_RATE_ZERO)
                                    : slot + n; /* accelerations, and their rates */
    }
    for (int p = 0; p < b->nc; p++) {
        const int at = b->d->to->place[p];
        if (slip_rebuild_is(b, p, SLIP_HEAVY)) {
            b->q[p] = b->slot[slip_slot_coordinate(at)];
            b->v[p] = b->slot[slip_slot_velocity(n, at)];
        } else if (at >= 0) {
            b->q[p] = b->slot[slip_slot_velocity(n, at)];
        }
    }
    return SLIP_OK;
}

/* The table of expressions for the slots of the given system, as far as they are known. */
static int make_table(slip_rebuild *b)
{
    const slip_system *from = b->d->from;
    b->with[0] = b->slot[0];
    for (int i = 0; i < from->n; i++) {
        b->with[slip_slot_coordinate(i)] = NULL;
        b->with[slip_slot_velocity(from->n, i)] =
            i < b->nc ? NULL : b->slot[slip_slot_velocity(b->n, b->d->to->place[i])];
    }
    for (int order = 0; order < 2; order++)
        for (int i = 0; i < b->nc; i++) {
            const double *row = b->d->to->transform + i * b->nc;
            slip_expression **of = order ? b->v : b->q, *made;
            bool known = true;
            for (int p = 0; p < b->nc; p++)
                known = known && (row[p] == 0 || of[p]);
            for (int p = 0; p < b->nc && known; p++)
                slip_rebuild_add(b, row[p], of[p]);
            if (!known)
                continue;
            SLIP_PASS(slip_rebuild_sum(b, from->names[i], &made));
            b->with[order ? slip_slot_velocity(from->n, i) : slip_slot_coordinate(i)] = made;
        }
    return SLIP_OK;
}

/* ---- Static coordinates. */

/* p_e = B (f_e - K_ex x - ...) - B r. */
static int make_statics(slip_rebuild *b)
{
    slip_reduction *d = b->d;
    const int count = d->static_count;
    for (int i = 0; i < count; i++) {
        const int e = d->statics[i];
        for (int j = 0; j < count; j++) {
            const double compliance = d->compliance[i * count + j];
            if (compliance == 0)
                continue;
            SLIP_PASS(slip_rebuild_add_loads(b, d->statics[j], compliance));
            SLIP_PASS(slip_rebuild_add_structure(b, d->statics[j], SLIP_DAMPED, compliance));
            SLIP_PASS(slip_rebuild_add_structure(b, d->statics[j], SLIP_CREEPING, compliance));
            for (int x = 0; x < b->nc; x++)
                if (slip_rebuild_is(b, x, SLIP_HEAVY))
                    slip_rebuild_add(b, -compliance * d->damping[d->statics[j] * b->nc + x], b->v[x]);
        }
        SLIP_PASS(slip_rebuild_sum(b, d->from->names[e], &b->base[e]));
        slip_rebuild_add(b, 1, b->base[e]);
        for (int x = 0; x < b->nc; x++)
            for (int j = 0; j < count && slip_rebuild_is(b, x, SLIP_HEAVY); j++)
                slip_rebuild_add(b, -d->compliance[i * count + j] * d->stiffness[d->statics[j] * b->nc + x],
                                 b->q[x]);
        SLIP_PASS(slip_rebuild_sum(b, d->from->names[e], &b->unheld[e]));
        slip_rebuild_add(b, 1, b->unheld[e]);
        for (int j = 0; j < count; j++) {
            const int c = d->contact_of[d->statics[j]];
            if (c >= 0 && d->to->contacts[c].state >= 0)
                slip_rebuild_add(b,
                                 -d->compliance[i * count + j] /
                                     (d->to->contacts[c].arm * d->compliance[j * count + j]),
                                 b->slot[slip_slot_velocity(b->n, d->to->contacts[c].state)]);
        }
        SLIP_PASS(slip_rebuild_sum(b, d->from->names[e], &b->q[e]));
    }
    return SLIP_OK;
}

/* Sliders must not push each other, and act along what moves them. */
static int check_sliders(const slip_rebuild *b)
{
    const slip_reduction *d = b->d;
    const int count = d->static_count;
    for (int i = 0; i < count; i++) {
        const int e = d->statics[i];
        for (int x = 0; x < b->nc; x++) {
            const double k = d->stiffness[e * b->nc + x], other = d->stiffness[x * b->nc + e];
            if (fabs(k - other) > 1e-12 * (fabs(k) + fabs(other)))
                return slip_fail(d->ctx, SLIP_ERROR_MODEL,
                                 "the stiffness between `%s`, which has no mass, and `%s` is not symmetric: "
                                 "expected springs, or a mass",
                                 d->from->names[e], d->from->names[x]);
        }
        for (int j = 0; j < i; j++) {
            const int f = d->statics[j];
            if (d->contact_of[e] >= 0 && d->contact_of[f] >= 0 &&
                fabs(d->compliance[i * count + j]) >
                    1e-12 * sqrt(d->compliance[i * count + i] * d->compliance[j * count + j]))
                return slip_fail(d->ctx, SLIP_ERROR_MODEL,
                                 "`%s` and `%s` have no mass, friction acts on both and springs connect them "
                                 "without a mass between: give one of them a mass",
                                 d->from->names[e], d->from->names[f]);
        }
    }
    return SLIP_OK;
}

/* ---- Damped coordinates. */

static int take_friction(slip_rebuild *b, int p, slip_expression **force)
{
    const slip_reduction *d = b->d;
    const int c = d->contact_of[p];
    slip_massless_contact *to = c >= 0 ? &d->to->contacts[c] : NULL;
    const double damping = d->damping[p * b->nc + p];
    slip_expression *belt, *hold, *clamp;
    if (!to || to->limit == 0)
        return SLIP_OK;
    for (int j = 0; j < b->nc; j++)
        if (j != p && slip_rebuild_is(b, j, SLIP_DAMPED) && d->damping[p * b->nc + j] != 0)
            return slip_fail(
                d->ctx, SLIP_ERROR_MODEL,
                "a damper connects `%s` and `%s`, which have no mass, and friction acts on one of "
                "them: give one of them a mass",
                d->from->names[p], d->from->names[j]);
    SLIP_PASS(slip_rebuild_belt(b, c, &belt));
    slip_rebuild_add(b, 1 / to->arm, *force);
    slip_rebuild_add(b, damping / (to->arm * to->arm), belt);
    SLIP_PASS(slip_rebuild_hand_over(b, d->from->contacts[c].name, &to->force));
    hold = to->force;
    SLIP_PASS(slip_rebuild_clamp(b, hold, to->limit, &clamp));
    slip_rebuild_add(b, 1, *force);
    slip_rebuild_add(b, -to->arm, clamp);
    return slip_rebuild_sum(b, d->from->names[p], force);
}

static int make_damped(slip_rebuild *b)
{
    slip_reduction *d = b->d;
    slip_expression **force = slip_arena_array(&d->arena, b->nc + 1, sizeof(void *));
    int count = 0;
    SLIP_PASS(slip_allocated(d->ctx, force));
    for (int p = 0; p < b->nc; p++)
        if (slip_rebuild_is(b, p, SLIP_DAMPED)) {
            SLIP_PASS(slip_rebuild_force(b, p, &force[p]));
            SLIP_PASS(take_friction(b, p, &force[p]));
            b->damped[count++] = p;
        }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            b->damper[i * count + j] = d->damping[b->damped[i] * b->nc + b->damped[j]];
    if (count > 0 && !slip_dense_invert(count, b->damper, d->pivots))
        return slip_fail(d->ctx, SLIP_ERROR_MODEL, "the damping of coordinates without mass is singular");
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++)
            slip_rebuild_add(b, b->damper[i * count + j], force[b->damped[j]]);
        SLIP_PASS(slip_rebuild_sum(b, d->from->names[b->damped[i]], &b->v[b->damped[i]]));
    }
    return SLIP_OK;
}

/* ---- The system. */

static int add_coordinates(slip_rebuild *b)
{
    slip_reduction *d = b->d;
    slip_system *system = d->to->system;
    const int n = b->n, nc = b->nc, count = d->static_count;
    for (int i = 0; i < nc; i++) {
        const int at = d->to->place[i];
        for (int j = 0; j < nc && slip_rebuild_is(b, i, SLIP_HEAVY); j++) {
            const int other = d->to->place[j];
            if (!slip_rebuild_is(b, j, SLIP_HEAVY))
                continue;
            double stiffness = d->stiffness[i * nc + j];
            for (int e = 0; e < count; e++)
                for (int f = 0; f < count; f++)
                    stiffness -= d->stiffness[i * nc + d->statics[e]] * d->compliance[e * count + f] *
                                 d->stiffness[d->statics[f] * nc + j];
            system->mass[at * n + other] = d->mass[i * nc + j];
            system->damping[at * n + other] = d->damping[i * nc + j];
            system->stiffness[at * n + other] = stiffness;
        }
        if (slip_rebuild_is(b, i, SLIP_HEAVY)) {
            SLIP_PASS(slip_rebuild_add_loads(b, i, 1));
            SLIP_PASS(slip_rebuild_add_structure(b, i, SLIP_DAMPED, 1));
            SLIP_PASS(slip_rebuild_add_structure(b, i, SLIP_CREEPING, 1));
            for (int e = 0; e < count; e++) {
                slip_rebuild_add(b, -d->stiffness[i * nc + d->statics[e]], b->base[d->statics[e]]);
                if (d->damping[i * nc + d->statics[e]] == 0)
                    continue;
                if (!b->v[d->statics[e]])
                    return slip_fail(d->ctx, SLIP_ERROR_MODEL,
                                     "a force on `%s` depends on the velocity of `%s`, which has no mass",
                                     d->from->names[i], d->from->names[d->statics[e]]);
                slip_rebuild_add(b, -d->damping[i * nc + d->statics[e]], b->v[d->statics[e]]);
            }
        } else if (slip_rebuild_is(b, i, SLIP_DAMPED)) {
            slip_rebuild_add(b, 1, b->v[i]);
        } else {
            continue;
        }
        SLIP_PASS(slip_rebuild_add_force(b, at, d->from->names[i]));
    }
    return SLIP_OK;
}

static int add_states(slip_rebuild *b)
{
    const slip_system *from = b->d->from;
    for (int64_t k = 0; k < from->force_count; k++) {
        const slip_force_term *term = &from->forces[k];
        slip_expression *rate;
        if (term->coordinate < b->nc)
            continue;
        SLIP_PASS(
            slip_rebuild_replace(b, "the rate of", from->names[term->coordinate], term->expression, &rate));
        slip_rebuild_add(b, 1, rate);
        SLIP_PASS(slip_rebuild_add_force(b, b->d->to->place[term->coordinate],
                                         slip_expression_text(term->expression)));
    }
    return SLIP_OK;
}

/* ---- What is shown. */

static int make_shown(slip_rebuild *b)
{
    slip_reduction *d = b->d;
    slip_massless *to = d->to;
    int status = SLIP_OK;
    for (int i = 0; i < b->nc && status >= 0; i++) {
        const double *row = to->transform + i * b->nc;
        slip_expression *const *from = &to->q[i];
        for (int p = 0; p < b->nc; p++) {
            to->mixed |= p != i && row[p] != 0;
            slip_rebuild_add(b, row[p], b->q[p]);
        }
        SLIP_PASS(slip_rebuild_hand_over(b, d->from->names[i], &to->q[i]));
        to->scratch_count = slip_expression_most_scratch(to->scratch_count, to->q[i]);
        slip_expression **const rates[] = {&to->v[i], &to->a[i]};
        for (int order = 0; order < 2; order++) {
            status = slip_expression_rate(*from, b->rate, 1 + 3 * b->n, rates[order]);
            if (status < 0)
                return slip_rebuild_status(b, status);
            to->scratch_count = slip_expression_most_scratch(to->scratch_count, *rates[order]);
            from = rates[order];
        }
        if (slip_rebuild_is(b, i, SLIP_DAMPED) && !to->mixed) { /* better than by the steps of a method */
            slip_expression_destroy(to->v[i]);
            to->v[i] = NULL;
            slip_rebuild_add(b, 1, b->v[i]);
            SLIP_PASS(status = slip_rebuild_hand_over(b, d->from->names[i], &to->v[i]));
            to->scratch_count = slip_expression_most_scratch(to->scratch_count, to->v[i]);
        }
    }
    for (int c = 0; c < d->from->contact_count; c++)
        if (to->contacts[c].force)
            to->scratch_count = slip_expression_most_scratch(to->scratch_count, to->contacts[c].force);
    memcpy(to->inverse, to->transform, (size_t)b->nc * (size_t)b->nc * sizeof(double));
    SLIP_PASS(slip_allocated(d->ctx, slip_dense_invert(b->nc, to->inverse, d->pivots)));
    return status;
}

int slip_reduction_build(slip_reduction *d)
{
    slip_rebuild b = {.d = d, .nc = d->nc};
    const char **names = find_places(&b);
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(d->ctx, names && make_room(&b)));
    SLIP_TRY(check_sliders(&b));
    SLIP_TRY(make_slots(&b, names));
    SLIP_TRY(make_table(&b));
    SLIP_TRY(make_statics(&b));
    SLIP_TRY(make_table(&b));
    SLIP_TRY(make_damped(&b));
    for (int i = 0; i < d->static_count; i++)
        if (d->contact_of[d->statics[i]] < 0)
            SLIP_TRY(slip_rebuild_rate(&b, b.q[d->statics[i]], &b.v[d->statics[i]]));
    SLIP_TRY(make_table(&b));
    SLIP_TRY(slip_system_create(d->ctx, b.n, b.n - b.heavy, names, &d->to->system));
    SLIP_TRY(add_coordinates(&b));
    SLIP_TRY(add_states(&b));
    SLIP_TRY(slip_rebuild_contacts(&b));
    SLIP_TRY(make_shown(&b));
done:
    free(b.factors);
    free(b.parts);
    return status;
}
