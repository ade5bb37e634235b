/* A step of reduced gears. The equations are in the header; what happened in it is in
 * gear_step_account.c.
 */
#include "gear/condensed/gear_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Most iterations of a step. */
enum { turns_max = 12 };

/* The estimated rate of convergence is not taken below this. */
static const double least_contraction = 0.01;

/* Most vectors that are kept of a flank. */
enum { kept_most = 100 };

/* ---- Making. */

int slip_gear_step_state(slip_context *ctx, slip_gear_step *s, slip_gear_state *state)
{
    const struct {
        double **array;
        int size;
    } list[] = {{&state->y, s->capacity},          {&state->v, s->capacity},
                {&state->press, s->capacity},      {&state->rub, s->capacity},
                {&state->q, s->mode_capacity},     {&state->rate, s->mode_capacity},
                {&state->twist, s->mode_capacity}, {&state->swing, s->mode_capacity},
                {&state->angle, s->shaft_count},   {&state->speed, s->shaft_count},
                {&state->hidden, s->shaft_count},  {&state->moment, s->shaft_count},
                {&state->rubbing, s->shaft_count}, {&state->normal, s->mesh_count}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!(*list[i].array = slip_arena_array(&s->arena, list[i].size, sizeof(double))))
            return slip_fail_memory(ctx);
    return SLIP_OK;
}

/* Chooses for each mesh the gear whose forces are counted; possible because a train has no rings. */
static void choose_speakers(slip_gear_step *s, bool *known)
{
    const slip_gear_meshing *meshes = s->group->meshes;
    for (int first = 0; first < s->mesh_count; first++) {
        if (!known[meshes[first].gear[0]] && !known[meshes[first].gear[1]])
            known[meshes[first].gear[0]] = s->gear[meshes[first].gear[0]].speaks = true;
        for (bool more = true; more;) {
            more = false;
            for (int i = 0; i < s->mesh_count; i++)
                for (int k = 0; k < 2; k++) {
                    const int from = meshes[i].gear[k], to = meshes[i].gear[1 - k];
                    if (!known[from] || known[to])
                        continue;
                    s->gear[to].speaks = !s->gear[from].speaks;
                    known[to] = more = true;
                }
        }
    }
}

static int make_pairs(slip_context *ctx, slip_gear_step *s)
{
    const slip_gear_group *group = s->group;
    slip_gear_wheel **wheels = slip_arena_array(&s->arena, group->gear_count, sizeof *wheels);
    bool *known = slip_arena_array(&s->arena, group->gear_count, sizeof *known);
    s->gear = slip_arena_array(&s->arena, group->gear_count, sizeof *s->gear);
    s->shaft = slip_arena_array(&s->arena, group->shaft_count, sizeof *s->shaft);
    s->pairs = slip_arena_array(&s->arena, group->mesh_count, sizeof *s->pairs);
    SLIP_PASS(slip_allocated(ctx, wheels && known && s->gear && s->shaft && s->pairs));
    s->gear_count = group->gear_count;
    s->shaft_count = group->shaft_count;
    s->mesh_count = group->mesh_count;
    SLIP_PASS(slip_gear_group_pairs(ctx, group, wheels, s->pairs));
    for (int g = 0; g < s->gear_count; g++) {
        s->gear[g].wheel = wheels[g];
        s->gear[g].side = &group->sides[g];
        s->gear[g].shaft = group->shaft[g];
        s->gear[g].offset = group->offset ? group->offset[g] : 0;
    }
    choose_speakers(s, known);
    return SLIP_OK;
}

/* Makes the kept vectors of a gear. The remainder that they need belongs to the pair that owns the wheel. */
static int make_kept(slip_context *ctx, slip_gear_step *s, int g, double keep)
{
    const slip_gear_wheel *w = s->gear[g].wheel;
    const double highest = keep * sqrt(w->frame->square[w->modes - 1]);
    if (strcmp(s->gear[g].side->reduction, "condensed") != 0)
        return SLIP_OK;
    for (int i = 0; i < s->mesh_count && !w->remainder.flexibility; i++)
        for (int k = 0; k < 2; k++)
            if (s->pairs[i]->gear[k] == w && s->pairs[i]->owned[k])
                SLIP_PASS(slip_gear_pair_need_remainder(ctx, s->pairs[i], k));
    return slip_gear_kept_make(ctx, &s->arena, w, highest, kept_most, &s->gear[g].kept);
}

static int make_shaft(slip_context *ctx, slip_gear_step *s, int index, double keep)
{
    slip_step_shaft *shaft = &s->shaft[index];
    bool driven = false;
    shaft->first_mode = s->mode_capacity;
    for (int g = 0; g < s->gear_count; g++) {
        slip_step_gear *own = &s->gear[g];
        if (own->shaft != index)
            continue;
        SLIP_PASS(make_kept(ctx, s, g, keep));
        own->first_mode = s->mode_capacity;
        s->mode_capacity += own->wheel->modes + slip_gear_loads_max * own->kept.count;
        driven = driven || own->side->driven;
    }
    shaft->room = s->mode_capacity - shaft->first_mode;
    s->capacity += shaft->room + 1;
    return slip_free_modes_create(ctx, shaft->room, driven, &shaft->modes);
}

static int make_modes(slip_context *ctx, slip_gear_step *s, double keep)
{
    for (int i = 0; i < s->shaft_count; i++)
        SLIP_PASS(make_shaft(ctx, s, i, keep));
    return slip_propagator_create(ctx, s->capacity, &s->propagator);
}

static int make_arrays(slip_context *ctx, slip_gear_step *s)
{
    int size = 0;
    for (int g = 0; g < s->gear_count; g++)
        size = s->gear[g].wheel->size > size ? s->gear[g].wheel->size : size;
    double **own[] = {&s->torque, &s->inertia, &s->straight, &s->press_before,
                      &s->free_y, &s->free_v,  &s->slip_rate};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!(*own[i] = slip_arena_array(&s->arena, s->capacity, sizeof(double))))
            return slip_fail_memory(ctx);
    s->scratch = slip_arena_array(&s->arena, s->mode_capacity, sizeof(double));
    s->trial = slip_arena_array(&s->arena, size, sizeof(double));
    s->displacement = slip_arena_array(&s->arena, size, sizeof(double));
    s->near = slip_arena_array(&s->arena, size, sizeof(int));
    SLIP_PASS(slip_allocated(ctx, s->scratch && s->displacement && s->trial && s->near));
    SLIP_PASS(slip_gear_step_make_loads(ctx, s));
    SLIP_PASS(slip_gear_step_state(ctx, s, &s->now));
    SLIP_PASS(slip_gear_step_state(ctx, s, &s->next));
    return slip_gear_step_set(ctx, s);
}

/* The coordinates of an angle and amplitudes, or of their rates. */
static void enter(slip_gear_step *s, const slip_step_shaft *shaft, double angle, const double *q, double *y)
{
    if (!q) {
        slip_free_modes_turn(shaft->modes, angle, y);
        return;
    }
    double *momenta = s->scratch;
    memcpy(momenta, q, sizeof(double) * (size_t)shaft->room);
    angle = slip_free_modes_momenta(shaft->modes, angle, momenta);
    slip_free_modes_project(shaft->modes, angle, momenta, y);
}

void slip_gear_step_begin(slip_gear_step *s, const double *angle, const double *speed, const double *q,
                          const double *rate)
{
    for (int i = 0; i < s->shaft_count; i++) {
        const slip_step_shaft *shaft = &s->shaft[i];
        s->now.angle[i] = angle[i];
        s->now.speed[i] = speed[i];
        enter(s, shaft, angle[i], q ? q + shaft->first_mode : NULL, s->now.y + shaft->first);
        enter(s, shaft, speed[i], rate ? rate + shaft->first_mode : NULL, s->now.v + shaft->first);
    }
    slip_gear_step_from_coordinates(s, &s->now);
}

/* Starts at the angles of the pairs with the speeds of the sides. */
static void begin(slip_gear_step *s)
{
    double *angle = s->next.angle, *speed = s->next.speed; /* which are not in use yet */
    for (int i = s->mesh_count - 1; i >= 0; i--)
        for (int k = 1; k >= 0; k--) {
            const slip_step_gear *g = &s->gear[s->group->meshes[i].gear[k]];
            angle[g->shaft] = s->pairs[i]->wheels[k].angle - g->offset;
            speed[g->shaft] = g->side->speed;
        }
    slip_gear_step_begin(s, angle, speed, NULL, NULL);
    memset(angle, 0, sizeof(double) * (size_t)s->shaft_count);
    memset(speed, 0, sizeof(double) * (size_t)s->shaft_count);
}

int slip_gear_step_create(slip_context *ctx, const slip_gear_group *group, double keep, slip_gear_step **step)
{
    SLIP_FREED_BY(slip_gear_step_drop) slip_gear_step *s = slip_alloc(1, sizeof *s);
    *step = NULL;
    SLIP_PASS(slip_allocated(ctx, s));
    s->group = group;
    s->contraction = 0.1;
    SLIP_PASS(make_pairs(ctx, s));
    SLIP_PASS(make_modes(ctx, s, keep));
    SLIP_PASS(make_arrays(ctx, s));
    SLIP_PASS(slip_condensed_create(ctx, s->mesh_count, group->meshes, s->pairs, &s->contact));
    SLIP_PASS(slip_gear_step_make_friction(ctx, s));
    begin(s);
    SLIP_HAND(step, s);
    return SLIP_OK;
}

void slip_gear_step_destroy(slip_gear_step *s)
{
    if (!s)
        return;
    slip_gear_step_free_friction(s);
    slip_condensed_destroy(s->contact);
    slip_propagator_destroy(s->propagator);
    for (int i = 0; i < s->shaft_count; i++)
        slip_free_modes_destroy(s->shaft[i].modes);
    for (int i = s->mesh_count - 1; i >= 0; i--)
        slip_gear_pair_destroy(s->pairs[i]);
    free(s->rows);
    free(s->depth);
    slip_arena_free(&s->arena);
    free(s);
}

static void keep_state(const slip_gear_step *s, slip_gear_state *a, slip_keeper *k)
{
    double *const own[] = {a->y, a->v, a->press, a->rub}, *const other[] = {a->q, a->rate, a->twist,
                                                                            a->swing};
    double *const shafts[] = {a->angle, a->speed, a->hidden, a->moment, a->rubbing};
    for (size_t i = 0; i < 4; i++) {
        slip_keep_bytes(k, own[i], sizeof(double) * (size_t)s->count);
        slip_keep_bytes(k, other[i], sizeof(double) * (size_t)s->mode_capacity);
    }
    for (size_t i = 0; i < sizeof shafts / sizeof *shafts; i++)
        slip_keep_bytes(k, shafts[i], sizeof(double) * (size_t)s->shaft_count);
    slip_keep_bytes(k, a->normal, sizeof(double) * (size_t)s->mesh_count);
    SLIP_KEEP_ALL(k, SLIP_BLOCK(a->time), SLIP_BLOCK(a->force), SLIP_BLOCK(a->touching), SLIP_BLOCK(a->depth),
                  SLIP_BLOCK(a->spring));
}

void slip_gear_step_keep(slip_gear_step *s, slip_keeper *k)
{
    slip_gear_step_keep_loads(s, k);
    if (slip_kept_back(k)) /* coordinates follow from the loads */
        k->status = slip_gear_step_set(k->ctx, s);
    keep_state(s, &s->now, k);
    keep_state(s, &s->next, k);
    slip_keep_bytes(k, s->inertia, sizeof(double) * (size_t)s->count);
    slip_keep_bytes(k, s->press_before, sizeof(double) * (size_t)s->count);
    SLIP_KEEP_ALL(k, SLIP_BLOCK(s->before), SLIP_BLOCK(s->earlier), SLIP_BLOCK(s->dropped),
                  SLIP_BLOCK(s->contraction), SLIP_BLOCK(s->evaluations));
    for (int i = 0; i < s->shaft_count; i++)
        SLIP_KEEP(k, s->shaft[i].dropped_momentum);
    for (int i = 0; i < s->mesh_count; i++)
        slip_gear_pair_keep(s->pairs[i], k);
    slip_condensed_keep(s->contact, k);
}

/* ---- Motion. */

/* Propagates the coordinates over the step without contact forces at its end. */
static void drift(slip_gear_step *s)
{
    const slip_propagator *p = s->propagator;
    const slip_gear_state *a = &s->now;
    for (int i = 0; i < s->count; i++) {
        double begin_load = a->press[i] + s->torque[i], end_load = s->torque[i];
        s->free_y[i] =
            p->yy[i] * a->y[i] + p->yv[i] * a->v[i] + p->y_begin[i] * begin_load + p->y_end[i] * end_load;
        s->free_v[i] =
            p->vy[i] * a->y[i] + p->vv[i] * a->v[i] + p->v_begin[i] * begin_load + p->v_end[i] * end_load;
    }
}

static void move(slip_gear_step *s)
{
    const slip_propagator *p = s->propagator;
    slip_gear_state *b = &s->next;
    for (int i = 0; i < s->count; i++) {
        double constant = b->rub[i] + s->inertia[i], load = b->press[i] + constant;
        b->y[i] = s->free_y[i] + p->y_end[i] * load + p->y_begin[i] * constant;
        b->v[i] = s->free_v[i] + p->v_end[i] * load + p->v_begin[i] * constant;
    }
    for (int i = 0; i < s->shaft_count; i++)
        if (s->shaft[i].modes->driven) {
            b->speed[i] = s->now.speed[i];
            b->angle[i] = s->now.angle[i] + (isfinite(p->step) ? p->step * b->speed[i] : 0);
        }
    slip_gear_step_from_coordinates(s, b);
}

static void update_inertia(slip_gear_step *s)
{
    const slip_gear_state *a = &s->now, *b = &s->next;
    double h = s->propagator->step, *load = s->scratch;
    memset(load, 0, sizeof(double) * (size_t)s->mode_capacity);
    for (int g = 0; g < s->gear_count; g++) {
        const slip_step_gear *own = &s->gear[g];
        double before = a->speed[own->shaft], after = b->speed[own->shaft], mean = (before + after) / 2;
        for (int m = own->first_mode; m < own->first_mode + own->wheel->modes; m++)
            load[m] = -(after * b->twist[m] - before * a->twist[m] + mean * (b->twist[m] - a->twist[m])) / h +
                      (a->swing[m] + b->swing[m]) / 2;
    }
    for (int i = 0; i < s->shaft_count; i++)
        slip_free_modes_project(s->shaft[i].modes, -(b->hidden[i] - a->hidden[i]) / h,
                                load + s->shaft[i].first_mode, s->inertia + s->shaft[i].first);
}

/* ---- The step. */

static void guess(slip_gear_step *s, double h)
{
    double ahead = s->before > 0 ? h / s->before : 0;
    for (int i = 0; i < s->count; i++)
        s->next.press[i] = s->now.press[i] + ahead * (s->now.press[i] - s->press_before[i]);
    memcpy(s->next.rub, s->now.rub, sizeof(double) * (size_t)s->count);
    for (int g = 0; g < s->gear_count; g++)
        for (int i = 0, size = s->gear[g].wheel->size; i < s->gear[g].load_count; i++) {
            slip_gear_load *l = &s->gear[g].loads[i];
            for (int d = 0; d < size; d++)
                l->press[1][d] = l->press[0][d] + ahead * (l->press[0][d] - l->past[d]);
            memcpy(l->rub[1], l->rub[0], sizeof(double) * (size_t)size);
        }
}

/* The error of linear extrapolation of the forces of a flank: of the sum of its normal forces, and of the
 * friction of each node (which holds at the middle of the step), since nodes slip in different directions. */
static double flank_defect(const slip_gear_load *l, int size, double ahead, double farther, bool rubs)
{
    double sum = fabs(l->normal[2] - l->normal[1] - ahead * (l->normal[1] - l->normal[0]));
    for (int n = 0; rubs && n < size; n += 3) {
        double miss[3];
        for (int d = 0; d < 3; d++)
            miss[d] = l->rub[1][n + d] - l->rub[0][n + d] - farther * (l->rub[0][n + d] - l->rubbed[n + d]);
        sum += sqrt(miss[0] * miss[0] + miss[1] * miss[1] + miss[2] * miss[2]);
    }
    return sum;
}

static double defect_of(const slip_gear_step *s, double h)
{
    double sum = 0, ahead = s->before > 0 ? h / s->before : 0;
    double farther = s->before > 0 && s->earlier > 0 ? (h + s->before) / (s->before + s->earlier) : 0;
    for (int g = 0; g < s->gear_count; g++)
        for (int i = 0; s->gear[g].speaks && i < s->gear[g].load_count; i++)
            sum += flank_defect(&s->gear[g].loads[i], s->gear[g].wheel->size, ahead, farther, s->rub.on);
    return sum;
}

static double stiffness_of(const slip_gear_step *s)
{
    double modes = 0, all = 0;
    for (int i = 0; i < s->count; i++)
        modes += s->propagator->y_end[i] * s->next.press[i] * s->next.press[i];
    for (int i = 0; i < s->contact->count; i++)
        all += s->contact->force[i] * s->depth[i];
    return all > 0 ? modes / fmax(all - modes, 1e-9 * all) : 0;
}

static int check_numbers(slip_context *ctx, const slip_gear_step *s)
{
    double sum = 0;
    for (int i = 0; i < s->count; i++)
        sum += s->next.y[i] * s->next.y[i] + s->next.v[i] * s->next.v[i];
    if (isfinite(sum))
        return SLIP_OK;
    for (int g = 0; g < s->gear_count; g++) {
        const slip_step_shaft *shaft = &s->shaft[s->gear[g].shaft];
        for (int i = shaft->first; i < shaft->first + shaft->modes->count; i++)
            if (!isfinite(s->next.y[i]) || !isfinite(s->next.v[i]))
                return slip_fail(ctx, SLIP_ERROR_SOLVER,
                                 "%s: its motion is not a number (coordinate %d, and with it node 1 of every "
                                 "flank)",
                                 s->gear[g].wheel->name, i - shaft->first + 1);
    }
    return SLIP_OK;
}

static void prepare(slip_gear_step *s, double h)
{
    slip_propagator_set(s->propagator, h);
    if (s->rub.on)
        slip_gear_step_prepare_friction(s);
    guess(s, h);
    slip_gear_step_note_straight(s);
    drift(s);
    s->changed = false;
}

int slip_gear_step_attempt(slip_context *ctx, slip_gear_step *s, double h, double settle, double largest)
{
    double last = 0;
    s->next.time = s->now.time + (isfinite(h) ? h : 0);
    s->settled = false;
    prepare(s, h);
    for (int turn = 0; turn < turns_max && !s->settled; turn++) {
        double change;
        move(s);
        update_inertia(s);
        SLIP_PASS(check_numbers(ctx, s));
        SLIP_PASS(slip_gear_step_place(ctx, s));
        if (s->changed) { /* once more in the new coordinates */
            prepare(s, h);
            turn--;
            continue;
        }
        SLIP_PASS(slip_gear_step_touch(ctx, s, &change));
        SLIP_PASS(slip_gear_step_note_touch(ctx, s));
        if (s->changed) {
            prepare(s, h);
            continue;
        }
        if (turn > 0 && last > 0)
            s->contraction = fmin(fmax(change / last, least_contraction), 1);
        s->change = change / fmax(largest, s->next.force);
        s->settled =
            change * s->contraction <= settle * fmax(largest, s->next.force) && (!s->rub.on || s->rub.found);
        last = change;
    }
    move(s);
    slip_gear_step_follow(s);
    SLIP_PASS(check_numbers(ctx, s));
    s->defect = defect_of(s, h);
    s->stiffness = stiffness_of(s);
    return SLIP_OK;
}
