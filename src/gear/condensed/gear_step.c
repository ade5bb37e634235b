/* A step of two reduced gears. The equations are in the header; what happened in it is in
 * gear_step_account.c.
 */
#include "gear/condensed/gear_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Most repetitions of a step. */
enum { turns_max = 12 };

/* A repetition is not trusted to be better than the one before by more than this. */
static const double least_contraction = 0.01;

/* Most vectors that are kept of a flank. */
enum { kept_most = 100 };

/* ---- Making. */

int slip_gear_step_state(slip_context *ctx, slip_gear_step *s, slip_gear_state *state)
{
    double **own[] = {&state->y, &state->v, &state->press, &state->rub};
    double **other[] = {&state->q, &state->rate, &state->twist, &state->swing};
    for (size_t i = 0; i < 4; i++) {
        *own[i] = slip_arena_array(&s->arena, s->capacity, sizeof(double));
        *other[i] = slip_arena_array(&s->arena, s->mode_capacity, sizeof(double));
        if (!*own[i] || !*other[i])
            return slip_fail_memory(ctx);
    }
    return SLIP_OK;
}

static int make_modes(slip_context *ctx, slip_gear_step *s, double keep)
{
    int status;
    for (int k = 0; k < 2; k++) {
        const slip_gear_side *side = &s->options->side[k];
        const slip_gear_wheel *g = s->pair->gear[k];
        if (strcmp(side->reduction, "condensed") == 0) {
            double highest = keep * sqrt(g->frame->square[g->modes - 1]);
            SLIP_TRY(slip_gear_pair_need_rest(ctx, s->pair, k));
            SLIP_TRY(slip_gear_kept_make(ctx, &s->arena, g, highest, kept_most, &s->kept[k]));
        }
        int more = slip_gear_loads_max * s->kept[k].count;
        SLIP_TRY(slip_free_modes_create(ctx, g->frame, side->driven != 0, more, &s->modes[k]));
        s->first_mode[k] = s->mode_capacity;
        s->mode_capacity += g->modes + more;
        s->capacity += s->modes[k]->count + more;
    }
    SLIP_TRY(slip_propagator_create(ctx, s->capacity, &s->propagator));
done:
    return status;
}

static int make_arrays(slip_context *ctx, slip_gear_step *s)
{
    int status, size = s->pair->gear[0]->size;
    size = s->pair->gear[1]->size > size ? s->pair->gear[1]->size : size;
    double **own[] = {&s->torque, &s->inertia, &s->press_before, &s->free_y, &s->free_v, &s->slip_rate};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!(*own[i] = slip_arena_array(&s->arena, s->capacity, sizeof(double))))
            return slip_fail_memory(ctx);
    s->scratch = slip_arena_array(&s->arena, s->mode_capacity, sizeof(double));
    s->trial = slip_arena_array(&s->arena, size, sizeof(double));
    s->displacement = slip_arena_array(&s->arena, size, sizeof(double));
    s->near = slip_arena_array(&s->arena, size, sizeof(int));
    if (!s->scratch || !s->displacement || !s->trial || !s->near)
        return slip_fail_memory(ctx);
    SLIP_TRY(slip_gear_step_make_loads(ctx, s));
    SLIP_TRY(slip_gear_step_state(ctx, s, &s->now));
    SLIP_TRY(slip_gear_step_state(ctx, s, &s->next));
    SLIP_TRY(slip_gear_step_set(ctx, s));
done:
    return status;
}

void slip_gear_step_see(slip_gear_step *s, slip_gear_state *at)
{
    for (int k = 0; k < 2; k++) {
        const slip_free_modes *m = s->modes[k];
        slip_floating *f = s->pair->gear[k]->frame;
        double *q = at->q + s->first_mode[k], *rate = at->rate + s->first_mode[k];
        double *twist = at->twist + s->first_mode[k], *swing = at->swing + s->first_mode[k];
        double angle = slip_free_modes_expand(m, at->y + s->first[k], q);
        double speed = slip_free_modes_expand(m, at->v + s->first[k], rate);
        if (!m->driven) {
            at->angle[k] = angle;
            at->speed[k] = speed;
        }
        memset(swing, 0, sizeof(double) * (size_t)f->modes);
        memset(f->scratch, 0, sizeof(double) * (size_t)f->modes);
        slip_floating_terms terms = slip_floating_inertia(f, at->speed[k], q, f->scratch, twist, swing);
        at->hidden[k] = at->speed[k] * (terms.moment - f->moment);
        for (int i = 0; i < f->modes; i++) {
            twist[i] -= f->rotation[i];
            at->hidden[k] += twist[i] * rate[i];
        }
    }
}

static void begin(slip_gear_step *s)
{
    for (int k = 0; k < 2; k++) {
        const slip_gear_side *side = &s->options->side[k];
        s->now.angle[k] = s->pair->wheels[k].angle;
        s->now.speed[k] = side->speed;
        slip_free_modes_turn(s->modes[k], s->now.angle[k], s->now.y + s->first[k]);
        slip_free_modes_turn(s->modes[k], s->now.speed[k], s->now.v + s->first[k]);
    }
    slip_gear_step_see(s, &s->now);
}

int slip_gear_step_create(slip_context *ctx, const slip_gear_options gears[2],
                          const slip_reduced *const bodies[2], const slip_gear_run_options *options,
                          double keep, slip_gear_step **step)
{
    int status;
    slip_gear_step *s = slip_alloc(1, sizeof *s);
    *step = NULL;
    if (!s)
        return slip_fail_memory(ctx);
    s->options = options;
    s->contraction = 0.1;
    SLIP_TRY(slip_gear_pair_create(ctx, gears, bodies, options, NULL, &s->pair));
    SLIP_TRY(make_modes(ctx, s, keep));
    SLIP_TRY(make_arrays(ctx, s));
    SLIP_TRY(slip_condensed_create(ctx, s->pair, options->penalty, options->two_pass, &s->contact));
    if (options->friction)
        SLIP_TRY(slip_gear_step_make_friction(ctx, s));
    begin(s);
    *step = s;
done:
    if (status < 0)
        slip_gear_step_destroy(s);
    return status;
}

void slip_gear_step_destroy(slip_gear_step *s)
{
    if (!s)
        return;
    slip_gear_step_free_friction(s);
    slip_condensed_destroy(s->contact);
    slip_propagator_destroy(s->propagator);
    for (int k = 0; k < 2; k++)
        slip_free_modes_destroy(s->modes[k]);
    slip_gear_pair_destroy(s->pair);
    free(s->rows);
    free(s->depth);
    slip_arena_free(&s->arena);
    free(s);
}

static void keep_state(const slip_gear_step *s, slip_gear_state *a, slip_keeper *k)
{
    double *const own[] = {a->y, a->v, a->press, a->rub}, *const other[] = {a->q, a->rate, a->twist,
                                                                            a->swing};
    for (size_t i = 0; i < 4; i++) {
        slip_keep_bytes(k, own[i], sizeof(double) * (size_t)s->count);
        slip_keep_bytes(k, other[i], sizeof(double) * (size_t)s->mode_capacity);
    }
    SLIP_KEEP_ALL(k, SLIP_BLOCK(a->time), SLIP_BLOCK(a->angle), SLIP_BLOCK(a->speed), SLIP_BLOCK(a->hidden),
                  SLIP_BLOCK(a->moment), SLIP_BLOCK(a->rubbing), SLIP_BLOCK(a->force),
                  SLIP_BLOCK(a->touching), SLIP_BLOCK(a->depth), SLIP_BLOCK(a->spring));
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
                  SLIP_BLOCK(s->dropped_momentum), SLIP_BLOCK(s->contraction), SLIP_BLOCK(s->evaluations));
    slip_gear_pair_keep(s->pair, k);
    slip_condensed_keep(s->contact, k);
}

/* ---- Motion. */

/* What the step does without contact at its end. */
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
    for (int k = 0; k < 2; k++)
        if (s->modes[k]->driven) {
            b->speed[k] = s->now.speed[k];
            b->angle[k] = s->now.angle[k] + (isfinite(p->step) ? p->step * b->speed[k] : 0);
        }
    slip_gear_step_see(s, b);
}

static void update_inertia(slip_gear_step *s)
{
    const slip_gear_state *a = &s->now, *b = &s->next;
    double h = s->propagator->step, *load = s->scratch;
    for (int k = 0; k < 2; k++) {
        double before = a->speed[k], after = b->speed[k], mean = (before + after) / 2;
        memset(load, 0, sizeof(double) * (size_t)s->modes[k]->size);
        for (int i = 0; i < s->pair->gear[k]->modes; i++) {
            int m = s->first_mode[k] + i;
            load[i] = -(after * b->twist[m] - before * a->twist[m] + mean * (b->twist[m] - a->twist[m])) / h +
                      (a->swing[m] + b->swing[m]) / 2;
        }
        slip_free_modes_project(s->modes[k], -(b->hidden[k] - a->hidden[k]) / h, load,
                                s->inertia + s->first[k]);
    }
}

/* ---- The step. */

static void guess(slip_gear_step *s, double h)
{
    double ahead = s->before > 0 ? h / s->before : 0;
    for (int i = 0; i < s->count; i++)
        s->next.press[i] = s->now.press[i] + ahead * (s->now.press[i] - s->press_before[i]);
    memcpy(s->next.rub, s->now.rub, sizeof(double) * (size_t)s->count);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < s->load_count[k]; i++) {
            slip_gear_load *l = &s->loads[k][i];
            for (int d = 0; d < s->pair->gear[k]->size; d++)
                l->press[1][d] = l->press[0][d] + ahead * (l->press[0][d] - l->past[d]);
            memcpy(l->rub[1], l->rub[0], sizeof(double) * (size_t)s->pair->gear[k]->size);
        }
}

/* What linear extrapolation of the forces misses: of the pressure of a flank, and of friction, which is that
 * of the middle of a step, of each node, since nodes slip to and fro by themselves. */
static double defect_of(const slip_gear_step *s, double h)
{
    double sum = 0, ahead = s->before > 0 ? h / s->before : 0;
    double farther = s->before > 0 && s->earlier > 0 ? (h + s->before) / (s->before + s->earlier) : 0;
    for (int i = 0; i < s->load_count[0]; i++) {
        const slip_gear_load *l = &s->loads[0][i];
        sum += fabs(l->normal[2] - l->normal[1] - ahead * (l->normal[1] - l->normal[0]));
        for (int n = 0; s->rub.on && n < s->pair->gear[0]->size; n += 3) {
            double miss[3];
            for (int d = 0; d < 3; d++)
                miss[d] =
                    l->rub[1][n + d] - l->rub[0][n + d] - farther * (l->rub[0][n + d] - l->rubbed[n + d]);
            sum += sqrt(miss[0] * miss[0] + miss[1] * miss[1] + miss[2] * miss[2]);
        }
    }
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
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < s->modes[k]->count; i++)
            if (!isfinite(s->next.y[s->first[k] + i]) || !isfinite(s->next.v[s->first[k] + i]))
                return slip_fail(ctx, SLIP_ERROR_SOLVER,
                                 "%s: its motion is not a number (coordinate %d, and with it node 1 of every "
                                 "flank)",
                                 s->pair->gear[k]->name, i + 1);
    return SLIP_OK;
}

static void prepare(slip_gear_step *s, double h)
{
    slip_propagator_set(s->propagator, h);
    if (s->rub.on)
        slip_gear_step_prepare_friction(s);
    guess(s, h);
    drift(s);
    s->changed = false;
}

int slip_gear_step_attempt(slip_context *ctx, slip_gear_step *s, double h, double settle, double largest)
{
    int status;
    double last = 0;
    s->next.time = s->now.time + (isfinite(h) ? h : 0);
    s->settled = false;
    prepare(s, h);
    for (int turn = 0; turn < turns_max && !s->settled; turn++) {
        double change;
        move(s);
        update_inertia(s);
        SLIP_TRY(check_numbers(ctx, s));
        SLIP_TRY(slip_gear_step_place(ctx, s));
        if (s->changed) { /* once more in the new coordinates */
            prepare(s, h);
            turn--;
            continue;
        }
        SLIP_TRY(slip_gear_step_touch(ctx, s, &change));
        SLIP_TRY(slip_gear_step_note_touch(ctx, s));
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
    SLIP_TRY(check_numbers(ctx, s));
    s->defect = defect_of(s, h);
    s->stiffness = stiffness_of(s);
done:
    return status;
}
