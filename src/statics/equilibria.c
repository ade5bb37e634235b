#include "statics/equilibria.h"

#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The list. */

enum { most_newtons = 20000 };

typedef struct search {
    slip_context *ctx;
    slip_balance *b;
    slip_balance_room room;
    slip_equilibria *list;
    slip_mode *modes;
    double *y, *start, *origin;
    uint64_t seed;
    bool singular;
    bool from_reference; /* the start is the reference */
} search;

void slip_equilibria_free(slip_equilibria *list)
{
    free(list->items);
    slip_arena_free(&list->arena);
    *list = (slip_equilibria){0};
}

/* Whether two states are equal up to rounding, or up to whole turns of a coordinate that is an angle (the
 * forces are then the same). */
static bool is_same(const slip_balance *b, const double *a, const double *y, double force)
{
    const double turn = 6.283185307179586;
    double size = slip_largest(b->n, a);
    for (int i = 0; i < b->n; i++) {
        const double difference = a[i] - y[i];
        const double rest = i < b->coordinates ? difference - turn * round(difference / turn) : difference;
        if (!(fabs(rest) <= 1e-7 * (fabs(a[i]) + 1e-3 * size)))
            return false;
    }
    for (int k = 0; k < b->direction_count; k++)
        if (!(fabs(a[b->n + k] - y[b->n + k]) <= 1e-7 * force))
            return false;
    return true;
}

/* The state of the list that has these coordinates and forces, or -1. */
static int64_t find_state(const slip_equilibria *list, slip_balance *b, const double *y)
{
    const double force = slip_balance_scale_of(b, y, b->size).force;
    for (int64_t k = 0; k < list->count; k++)
        if (is_same(b, list->items[k].y, y, force))
            return k;
    return -1;
}

/* Whether two states belong to one continuum: both have null vectors, and their mean is a solution too. */
static bool is_continued(search *s, const slip_equilibrium_state *item, const slip_balance_end *end)
{
    const slip_balance *b = s->b;
    if (end->nullity == 0 || item->nullity == 0 ||
        memcmp(item->modes, s->modes, sizeof *s->modes * (size_t)b->contact_count) != 0)
        return false;
    double *y = s->room.trial;
    for (int i = 0; i < b->n + b->direction_count; i++)
        y[i] = 0.5 * (s->y[i] + item->y[i]);
    return slip_balance_residual(s->b, y) <= 1e-9;
}

/* Whether a null vector of the derivatives (left in the room by the last step) moves a coordinate. */
static bool does_move(const search *s, int nullity)
{
    const slip_balance_room *room = &s->room;
    const int size = slip_balance_size(s->b, s->modes);
    for (int k = size - nullity; k < size; k++)
        for (int i = 0; i < s->b->n; i++)
            if (fabs(room->right[(int64_t)i * size + k]) > 1e-6)
                return true;
    return false;
}

static int add_state(search *s, const slip_balance_end *end, double residual)
{
    slip_context *ctx = s->ctx;
    slip_equilibria *list = s->list;
    slip_balance *b = s->b;
    const slip_mode *modes = s->modes;
    const double *y = s->y;
    int64_t found = find_state(list, b, y);
    for (int64_t k = 0; k < list->count && found < 0; k++)
        if (is_continued(s, &list->items[k], end))
            return SLIP_OK;
    const int64_t size = b->n + b->direction_count, m = b->contact_count;
    if (found < 0) {
        SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(list->items, list->capacity, list->count + 1)));
        slip_equilibrium_state *to = &list->items[list->count];
        *to = (slip_equilibrium_state){.y = slip_arena_array(&list->arena, size + 1, sizeof(double)),
                                       .modes = slip_arena_array(&list->arena, m + 1, sizeof *modes),
                                       .allowed = slip_arena_array(&list->arena, m + 1, 1),
                                       .sign_low = end->sign,
                                       .sign_high = end->sign,
                                       .nullity = end->nullity,
                                       .moves = end->moves,
                                       .residual = residual};
        SLIP_PASS(slip_allocated(ctx, to->y && to->modes && to->allowed));
        memcpy(to->y, y, sizeof(double) * (size_t)size);
        memcpy(to->modes, modes, sizeof *modes * (size_t)m);
        list->count++;
    }
    slip_equilibrium_state *to = &list->items[found < 0 ? list->count - 1 : found];
    bool known = true;
    slip_balance_place(b, y);
    for (int c = 0; c < m; c++) {
        const slip_contact *contact = &b->system->contacts[b->contacts[c].contact];
        const bool lifted = contact->compliant && !(slip_balance_normal(b, &b->contacts[c], y, 0, NULL) > 0);
        const int mode = lifted ? SLIP_MODE_OPEN : (int)modes[c];
        known = known && (to->allowed[c] & (1 << mode)) != 0;
        to->allowed[c] |= (unsigned char)(1 << mode);
    }
    to->mode_sets += !known || to->mode_sets == 0;
    to->sign_low = end->sign < to->sign_low ? end->sign : to->sign_low;
    to->sign_high = end->sign > to->sign_high ? end->sign : to->sign_high;
    to->nullity = end->nullity > to->nullity ? end->nullity : to->nullity;
    return SLIP_OK;
}

/* ---- The search. */

/* -1 to 1. */
static double chance(search *s)
{
    s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
    return 2 * (double)(s->seed >> 11) / 9007199254740992.0 - 1;
}

/* Reduces angles by whole turns, to the value next to the reference. */
static void turn_back(search *s)
{
    const slip_balance *b = s->b;
    const double turn = 6.283185307179586;
    for (int i = 0; i < b->coordinates; i++) {
        const double at = s->y[i], turns = round((at - b->reference[i]) / turn);
        if (turns == 0)
            continue;
        s->y[i] = at - turns * turn;
        if (!(slip_balance_residual(s->b, s->y) <= 1e-9))
            s->y[i] = at;
    }
}

static int keep(search *s, slip_balance_end *end)
{
    const double tolerance = 1e-10;
    turn_back(s);
    if (end->nullity > 0)
        end->moves = does_move(s, end->nullity);
    if (!slip_balance_holds(s->b, &s->room, s->modes, s->y, tolerance))
        return SLIP_OK;
    const double residual = slip_balance_residual(s->b, s->y);
    return residual <= 1e-9 ? add_state(s, end, residual) : SLIP_OK;
}

/* Tries one set of modes from one start. A contact that slips in a plane starts with the direction of the
 * force that it would have in stick. */
static int try_set(search *s)
{
    slip_balance *b = s->b;
    const size_t bytes = sizeof(double) * (size_t)(b->n + b->direction_count);
    bool aimed = false;
    memset(s->y, 0, sizeof(double) * (size_t)s->room.capacity);
    memcpy(s->y, s->start, sizeof(double) * (size_t)b->n);
    for (int c = 0; c < b->contact_count; c++)
        if (slip_balance_direction_at(b, s->modes, c) >= 0)
            aimed = true;
    if (aimed) {
        slip_mode *stuck = s->modes + b->contact_count;
        for (int c = 0; c < b->contact_count; c++)
            stuck[c] = slip_balance_direction_at(b, s->modes, c) >= 0 ? SLIP_MODE_STICK : s->modes[c];
        slip_balance_newton(b, &s->room, stuck, s->y);
        for (size_t i = 0; i < bytes / sizeof(double); i++)
            if (!isfinite(s->y[i]))
                return SLIP_OK;
        slip_balance_aim(b, s->modes, s->y);
    }
    if (s->from_reference)
        memcpy(s->origin, s->y, sizeof(double) * (size_t)s->room.capacity);
    slip_balance_end end = slip_balance_newton(b, &s->room, s->modes, s->y);
    if (!end.found && s->from_reference) {
        memcpy(s->y, s->origin, sizeof(double) * (size_t)s->room.capacity);
        end = slip_balance_deform(b, &s->room, s->modes, s->y);
    }
    s->singular = s->singular || !end.found || end.nullity > 0;
    return end.found ? keep(s, &end) : SLIP_OK;
}

/* Every set of modes from s->start. */
static int try_all(search *s, int64_t set_count)
{
    slip_mode own[4];
    for (int64_t k = 0; k < set_count; k++) {
        int64_t rest = k;
        if (slip_interrupted(s->ctx))
            return slip_fail(s->ctx, SLIP_INTERRUPTED, "interrupted");
        for (int c = 0; c < s->b->contact_count; c++) {
            const int count = slip_balance_modes_of(s->b, c, own);
            s->modes[c] = own[rest % count];
            rest /= count;
        }
        SLIP_PASS(try_set(s));
    }
    return SLIP_OK;
}

/* For many contacts: starts with modes by the gaps and changes those with negative margins until none is
 * left. */
static int improve(search *s)
{
    slip_balance *b = s->b;
    slip_balance_place(b, s->start);
    for (int c = 0; c < b->contact_count; c++) {
        slip_mode own[4];
        const slip_balance_contact *contact = &b->contacts[c];
        const int count = slip_balance_modes_of(b, c, own);
        s->modes[c] = own[count - 1];
        if (contact->normal >= 0 && slip_system_gap(b->system, b->work, contact->contact, b->t, b->q) > 1e-9)
            s->modes[c] = SLIP_MODE_OPEN;
    }
    for (int round = 0; round < 4 * b->contact_count + 20; round++) {
        bool changed = false;
        const int64_t known = s->list->count;
        if (slip_interrupted(s->ctx))
            return slip_fail(s->ctx, SLIP_INTERRUPTED, "interrupted");
        SLIP_PASS(try_set(s));
        if (s->list->count > known)
            return SLIP_OK;
        const int count = slip_balance_margins(b, s->modes, s->y, s->room.margins, NULL);
        for (int k = 0; k < count; k++) {
            const slip_balance_margin *margin = &s->room.margins[k];
            if (!(margin->value < 0) || s->modes[margin->contact] == margin->beyond)
                continue;
            s->modes[margin->contact] = margin->beyond;
            changed = true;
        }
        if (!changed)
            return SLIP_OK;
    }
    return SLIP_OK;
}

/* Start k: the reference, zero, then random states around these and around solutions, by more than half a
 * turn where a coordinate is an angle. */
static void choose_start(search *s, int k)
{
    const slip_balance *b = s->b;
    for (int i = 0; i < b->n; i++) {
        double size = fmax(fabs(b->reference[i]), 1);
        for (int64_t j = 0; j < s->list->count; j++)
            size = fmax(size, 2 * fabs(s->list->items[j].y[i]));
        s->start[i] = k == 0       ? b->reference[i]
                      : k == 1     ? 0
                      : k % 3 == 0 ? b->reference[i] + 0.3 * size * chance(s)
                                   : (k % 3 == 1 ? 1 : 4) * size * chance(s);
    }
}

static void free_search(search *s)
{
    slip_balance_room_free(&s->room);
}

int slip_equilibria_search(slip_context *ctx, slip_balance *b, int restarts, slip_equilibria *list)
{
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    SLIP_FREED_BY(free_search) search s = {.ctx = ctx, .b = b, .list = list, .seed = 9};
    int64_t sets = 1;
    slip_mode own[4];
    const bool linear = slip_balance_is_linear(b);
    SLIP_PASS(slip_balance_room_create(ctx, b, &s.room));
    s.modes = slip_arena_array(&arena, 2 * (int64_t)b->contact_count + 1, sizeof *s.modes);
    s.y = slip_arena_array(&arena, s.room.capacity, sizeof(double));
    s.start = slip_arena_array(&arena, b->n + 1, sizeof(double));
    s.origin = slip_arena_array(&arena, s.room.capacity, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, s.modes && s.y && s.start && s.origin));
    for (int c = 0; c < b->contact_count && sets <= slip_equilibria_sets_max; c++)
        sets *= slip_balance_modes_of(b, c, own);
    list->set_count = sets <= slip_equilibria_sets_max ? sets : 0;
    for (int k = 0; k < restarts + 2; k++) {
        if (k > 1 && (linear || k * sets > most_newtons))
            break;
        choose_start(&s, k);
        s.from_reference = k == 0;
        SLIP_PASS(sets <= slip_equilibria_sets_max ? try_all(&s, sets) : improve(&s));
        list->start_count = k + 1;
        list->complete = linear && sets <= slip_equilibria_sets_max && !s.singular;
    }
    return SLIP_OK;
}
