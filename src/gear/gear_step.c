/* A step of two reduced gears. The equations are in the header; what happened in it is in
 * gear_step_account.c.
 */
#include "gear/gear_step.h"

#include "gear/vector.h"
#include "math/dense.h"

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
        const slip_gear_wheel *g = &s->pair->gear[k];
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
    int status, size = s->pair->gear[0].size;
    size = s->pair->gear[1].size > size ? s->pair->gear[1].size : size;
    double **own[] = {&s->torque, &s->inertia, &s->press_before, &s->free_y, &s->free_v, &s->slip_rate};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!(*own[i] = slip_arena_array(&s->arena, s->capacity, sizeof(double))))
            return slip_fail_memory(ctx);
    s->scratch = slip_arena_array(&s->arena, 2 * (int64_t)s->capacity + s->mode_capacity, sizeof(double));
    s->displacement = slip_arena_array(&s->arena, size, sizeof(double));
    s->near = slip_arena_array(&s->arena, size, sizeof(int));
    if (!s->scratch || !s->displacement || !s->near)
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
        slip_floating *f = s->pair->gear[k].frame;
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
    SLIP_TRY(slip_gear_pair_create(ctx, gears, bodies, options, &s->pair));
    SLIP_TRY(make_modes(ctx, s, keep));
    SLIP_TRY(make_arrays(ctx, s));
    SLIP_TRY(slip_condensed_create(ctx, s->pair, options->penalty, options->two_pass, &s->contact));
    if (options->friction) {
        SLIP_TRY(slip_law_prepare(ctx, options->friction, &s->law));
        s->friction = true;
    }
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

/* ---- Motion. */

/* What the step does without contact at its end. */
static void drift(slip_gear_step *s)
{
    const slip_propagator *p = s->propagator;
    const slip_gear_state *a = &s->now;
    for (int i = 0; i < s->count; i++) {
        double begin_load = a->press[i] + a->rub[i] + s->torque[i], end_load = s->torque[i];
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
        double load = b->press[i] + b->rub[i] + s->inertia[i];
        b->y[i] = s->free_y[i] + p->y_end[i] * load + p->y_begin[i] * s->inertia[i];
        b->v[i] = s->free_v[i] + p->v_end[i] * load + p->v_begin[i] * s->inertia[i];
    }
    for (int k = 0; k < 2; k++)
        if (s->modes[k]->driven) {
            b->speed[k] = s->now.speed[k];
            b->angle[k] = s->now.angle[k] + p->step * b->speed[k];
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
        for (int i = 0; i < s->pair->gear[k].modes; i++) {
            int m = s->first_mode[k] + i;
            load[i] = -(after * b->twist[m] - before * a->twist[m] + mean * (b->twist[m] - a->twist[m])) / h +
                      (a->swing[m] + b->swing[m]) / 2;
        }
        slip_free_modes_project(s->modes[k], -(b->hidden[k] - a->hidden[k]) / h, load,
                                s->inertia + s->first[k]);
    }
}

/* ---- Residual parts. */

/* t e' = f - e over a step with f linear: e1 = keep e0 + begin f0 + end f1. */
typedef struct lag {
    double keep, begin, end;
} lag;

static lag lag_of(const slip_gear_step *s, int k)
{
    double time = s->options->side[k].static_damping, h = s->propagator->step;
    if (!(time > 0))
        return (lag){0, 0, 1};
    double x = h / time, keep = exp(-x), once = -expm1(-x) / x;
    /* Where contact begins the force jumps, by what the damping takes of the velocity. A force that rises
     * linearly instead would go up and down from step to step for long, where steps are short. */
    if (s->now.force == 0 && x < 0.1)
        return (lag){keep, 0, -expm1(-x)};
    /* 1 - (1 - exp(-x))/x loses its digits for small x. */
    double end = x > 1e-2 ? 1 - once : x * (1.0 / 2 - x * (1.0 / 6 - x * (1.0 / 24 - x / 120)));
    return (lag){keep, once - keep, end};
}

static void follow(const slip_gear_step *s, int k, slip_gear_load *l)
{
    lag g = lag_of(s, k);
    l->count = 0;
    for (int i = 0; i < s->pair->gear[k].nodes; i++) {
        bool used = false;
        for (int d = 3 * i; d < 3 * i + 3; d++) {
            double begin_force = l->press[0][d] + l->rub[0][d], end_force = l->press[1][d] + l->rub[1][d];
            l->lagged[1][d] = g.keep * l->lagged[0][d] + g.begin * begin_force + g.end * end_force;
            used = used || l->lagged[1][d] != 0 || l->lagged[0][d] != 0 || begin_force != 0;
        }
        if (used)
            l->nodes[l->count++] = i;
    }
}

/* ---- Flanks in space. */

/* Where the kept vectors of a flank begin in q. */
static int first_kept(const slip_gear_step *s, int k, int flank)
{
    int index = (int)(slip_gear_step_load(s, k, flank) - s->loads[k]);
    return s->pair->gear[k].modes + index * s->kept[k].count;
}

static void place_flank(slip_gear_step *s, int k, int flank)
{
    const slip_gear_wheel *g = &s->pair->gear[k];
    const bool *near = slip_condensed_near(s->contact, k, flank);
    const double *q = s->next.q + s->first_mode[k];
    slip_gear_load *l = slip_gear_step_load(s, k, flank);
    int count = 0;
    memset(s->displacement, 0, sizeof(double) * (size_t)g->size);
    for (int i = 0; i < g->nodes; i++)
        if (near[i])
            s->near[count++] = i;
    const slip_gear_kept *kept = &s->kept[k];
    if (kept->flexibility) {
        slip_condensed_multiply(g->size, kept->flexibility, flank, l->count, l->nodes, l->lagged[1], count,
                                s->near, s->displacement);
        slip_condensed_multiply(g->size, kept->flexibility, flank, l->count, l->nodes, l->press[1], count,
                                s->near, l->answer);
        l->strain[1] = 0;
        for (int i = 0; i < l->count; i++)
            l->strain[1] += dot(l->lagged[1] + 3 * l->nodes[i], s->displacement + 3 * l->nodes[i]) / 2;
        slip_gear_kept_displace(kept, flank, count, s->near, q + first_kept(s, k, flank), s->displacement);
    }
    for (int i = 0; i < count; i++)
        for (int d = 3 * s->near[i]; d < 3 * s->near[i] + 3; d++)
            s->displacement[d] += slip_dense_dot(g->modes, g->rows[flank] + (size_t)d * (size_t)g->modes, q);
    slip_gear_pair_place(s->pair, k, flank, s->displacement, 0, NULL);
}

static int place(slip_context *ctx, slip_gear_step *s)
{
    double energy[2] = {0};
    int status = SLIP_OK;
    for (int k = 0; k < 2; k++) {
        const double *q = s->next.q + s->first_mode[k], *square = s->modes[k]->own;
        for (int i = 0; i < s->modes[k]->size; i++)
            energy[k] += square[i] * q[i] * q[i] / 2;
        for (int i = 0; i < s->load_count[k]; i++) /* that of the repetition before, with some room */
            energy[k] += 2 * fmax(s->loads[k][i].strain[0], s->loads[k][i].strain[1]);
    }
    slip_condensed_approach(s->contact, s->next.angle, energy);
    for (int p = 0; p < s->contact->pair_count; p++)
        for (int k = 0; k < 2; k++)
            SLIP_TRY(slip_gear_step_need_load(ctx, s, k, s->contact->pairs[p].surface[k]));
    if (s->changed)
        goto done;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < s->load_count[k]; i++)
            follow(s, k, &s->loads[k][i]);
    for (int p = 0; p < s->contact->pair_count; p++)
        for (int k = 0; k < 2; k++)
            place_flank(s, k, s->contact->pairs[p].surface[k]);
    SLIP_TRY(slip_condensed_see(ctx, s->contact));
    s->evaluations++;
done:
    return status;
}

/* ---- Contact forces. */

/* The row of a force on a candidate; returns the velocity along it that is not in the coordinates, of driven
 * gears. */
static double make_row(slip_gear_step *s, const slip_condensed_node *node, const double direction[3],
                       double *row)
{
    double *load = s->scratch, given = 0;
    for (int k = 0; k < 2; k++) {
        double local[3], moment = slip_condensed_row(s->contact, node, k, direction, load);
        int flank = s->contact->pairs[node->pair].surface[k], modes = s->pair->gear[k].modes;
        memset(load + modes, 0, sizeof(double) * (size_t)(s->modes[k]->size - modes));
        slip_condensed_direct(s->contact, node, k, direction, local);
        slip_gear_kept_row(&s->kept[k], flank, node->count[k], node->node[k], node->share[k], local,
                           load + first_kept(s, k, flank));
        slip_free_modes_project(s->modes[k], moment, load, row + s->first[k]);
        given += s->modes[k]->driven ? moment * s->next.speed[k] : 0;
    }
    return given;
}

/* The depth of a candidate without the contact forces at the end of the step. */
static double free_depth(const slip_gear_step *s, const slip_condensed_node *node, const double *row)
{
    double depth = node->depth;
    for (int i = 0; i < s->count; i++)
        depth += row[i] * s->propagator->y_end[i] * s->next.press[i];
    for (int k = 0; k < 2; k++) {
        double local[3];
        if (!s->kept[k].flexibility)
            continue;
        const slip_gear_load *l = slip_gear_step_load(s, k, s->contact->pairs[node->pair].surface[k]);
        slip_condensed_direct(s->contact, node, k, node->normal, local);
        for (int i = 0; i < node->count[k]; i++)
            depth += lag_of(s, k).end * node->share[k][i] * dot(local, l->answer + 3 * node->node[k][i]);
    }
    return depth;
}

static int solve(slip_context *ctx, slip_gear_step *s)
{
    slip_condensed *c = s->contact;
    int status = SLIP_OK;
    s->approach = -INFINITY;
    if (!slip_array_reserve(&s->rows, &s->row_capacity, (int64_t)c->count * s->count, sizeof(double)) ||
        !slip_array_reserve(&s->depth, &s->depth_capacity, c->count, sizeof(double)))
        return slip_fail_memory(ctx);
    for (int i = 0; i < c->count; i++) {
        double *row = s->rows + (size_t)i * (size_t)s->count;
        make_row(s, &c->node[i], c->node[i].normal, row);
        s->depth[i] = free_depth(s, &c->node[i], row);
        s->approach = fmax(s->approach, s->depth[i]);
    }
    SLIP_TRY(slip_condensed_add_rows(ctx, c, s->count, s->rows, s->propagator->y_end));
    for (int k = 0; k < 2; k++)
        if (s->kept[k].flexibility)
            slip_condensed_add_flexibility(c, k, s->kept[k].flexibility, lag_of(s, k).end);
    SLIP_TRY(slip_condensed_solve(ctx, c, s->depth));
done:
    return status;
}

/* Two directions across a normal. */
static void tangents(const double normal[3], double first[3], double second[3])
{
    const double axis[3] = {0, 0, 1};
    cross(axis, normal, first); /* normals of flanks are across the axis, or nearly */
    scale(1 / sqrt(dot(first, first)), first);
    cross(normal, first, second);
}

static int rub(slip_context *ctx, slip_gear_step *s, const slip_condensed_node *node, double force)
{
    double direction[2][3], slip[2], coefficient, slope;
    double *row[2] = {s->scratch + s->mode_capacity, NULL};
    row[1] = row[0] + s->count;
    tangents(node->normal, direction[0], direction[1]);
    for (int i = 0; i < 2; i++) {
        slip[i] = make_row(s, node, direction[i], row[i]);
        slip[i] += slip_dense_dot(s->count, row[i], s->slip_rate);
    }
    double speed = hypot(slip[0], slip[1]);
    if (!(speed > 0) && !isnan(speed))
        return SLIP_OK;
    slip_law_force(&s->law, slip_law_piece(&s->law, speed), speed, &coefficient, &slope);
    if (!isfinite(coefficient * force))
        return slip_fail(ctx, SLIP_ERROR_SOLVER,
                         "%s: the friction on node %d of flank %d is not a number (slip velocity %g m/s)",
                         s->pair->gear[node->slave].name, node->own + 1,
                         s->contact->pairs[node->pair].surface[node->slave] + 1, speed);
    s->next.rubbed += coefficient * force * speed;
    for (int i = 0; i < 2; i++) {
        double amount = -coefficient * force * slip[i] / speed, local[3];
        for (int m = 0; m < s->count; m++)
            s->next.rub[m] += amount * row[i][m];
        for (int k = 0; k < 2; k++) {
            slip_gear_load *l = slip_gear_step_load(s, k, s->contact->pairs[node->pair].surface[k]);
            double moment = amount * slip_condensed_direct(s->contact, node, k, direction[i], local);
            slip_condensed_spread(s->contact, node, k, direction[i], amount, l->rub[1]);
            s->next.moment[k] += moment;
            l->tangential[2] += moment;
        }
    }
    return SLIP_OK;
}

static void press(slip_gear_step *s, const slip_condensed_node *node, int index)
{
    double force = s->contact->force[index], local[3], give = slip_condensed_spring(s->contact, index);
    const double *row = s->rows + (size_t)index * (size_t)s->count;
    for (int m = 0; m < s->count; m++)
        s->next.press[m] += force * row[m];
    for (int k = 0; k < 2; k++) {
        slip_gear_load *l = slip_gear_step_load(s, k, s->contact->pairs[node->pair].surface[k]);
        slip_condensed_spread(s->contact, node, k, node->normal, force, l->press[1]);
        l->normal[2] += force;
        s->next.moment[k] += force * slip_condensed_direct(s->contact, node, k, node->normal, local);
    }
    s->next.force += force;
    s->next.touching++;
    s->next.spring += force * force * give / 2;
    s->next.depth = fmax(s->next.depth, force * give);
}

/* The part of the change of a repetition that one load sees. */
static double difference_of(const slip_gear_step *s, int k, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < s->pair->gear[k].size; i++)
        sum += fabs(a[i] - b[i]);
    return sum;
}

/* Takes the forces as loads of the end of the step; *change: sum of the changes of nodal forces. */
static int take_forces(slip_context *ctx, slip_gear_step *s, double *change)
{
    slip_gear_state *b = &s->next;
    size_t size = sizeof(double) * (size_t)s->count;
    *change = 0;
    /* Friction is by the velocities of the repetition before. */
    memcpy(s->slip_rate, b->v, size);
    memset(b->press, 0, size);
    memset(b->rub, 0, size);
    b->force = b->touching = b->depth = b->spring = b->rubbed = b->moment[0] = b->moment[1] = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < s->load_count[k]; i++) {
            slip_gear_load *l = &s->loads[k][i];
            size_t own = sizeof(double) * (size_t)s->pair->gear[k].size;
            memcpy(l->old_press, l->press[1], own);
            memcpy(l->old_rub, l->rub[1], own);
            memset(l->press[1], 0, own);
            memset(l->rub[1], 0, own);
            l->normal[2] = l->tangential[2] = 0;
        }
    for (int i = 0; i < s->contact->count; i++) {
        double force = s->contact->force[i];
        if (!(force > 0))
            continue;
        press(s, &s->contact->node[i], i);
        int status = s->friction ? rub(ctx, s, &s->contact->node[i], force) : SLIP_OK;
        if (status < 0)
            return status;
    }
    for (int i = 0; i < s->load_count[0]; i++) {
        slip_gear_load *l = &s->loads[0][i];
        *change +=
            difference_of(s, 0, l->press[1], l->old_press) + difference_of(s, 0, l->rub[1], l->old_rub);
    }
    return SLIP_OK;
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
            for (int d = 0; d < s->pair->gear[k].size; d++)
                l->press[1][d] = l->press[0][d] + ahead * (l->press[0][d] - l->past[d]);
            memcpy(l->rub[1], l->rub[0], sizeof(double) * (size_t)s->pair->gear[k].size);
        }
}

/* What linear extrapolation of the forces misses. Friction counts by its moment, at the tip. */
static double defect_of(const slip_gear_step *s, double h)
{
    double sum = 0, ahead = s->before > 0 ? h / s->before : 0;
    for (int i = 0; i < s->load_count[0]; i++) {
        const slip_gear_load *l = &s->loads[0][i];
        const double *n = l->normal, *t = l->tangential;
        sum += fabs(n[2] - n[1] - ahead * (n[1] - n[0])) +
               fabs(t[2] - t[1] - ahead * (t[1] - t[0])) / s->pair->wheels[0].tip_radius;
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
                                 s->pair->gear[k].name, i + 1);
    return SLIP_OK;
}

static void prepare(slip_gear_step *s, double h)
{
    slip_propagator_set(s->propagator, h);
    guess(s, h);
    drift(s);
    s->changed = false;
}

int slip_gear_step_attempt(slip_context *ctx, slip_gear_step *s, double h, double settle, double largest)
{
    int status;
    double last = 0;
    s->next.time = s->now.time + h;
    s->settled = false;
    prepare(s, h);
    for (int turn = 0; turn < turns_max && !s->settled; turn++) {
        double change;
        move(s);
        update_inertia(s);
        SLIP_TRY(check_numbers(ctx, s));
        SLIP_TRY(place(ctx, s));
        if (s->changed) { /* once more in the new coordinates */
            prepare(s, h);
            turn--;
            continue;
        }
        SLIP_TRY(solve(ctx, s));
        SLIP_TRY(take_forces(ctx, s, &change));
        SLIP_TRY(slip_gear_step_note_touch(ctx, s));
        if (s->changed) {
            prepare(s, h);
            continue;
        }
        if (turn > 0 && last > 0)
            s->contraction = fmin(fmax(change / last, least_contraction), 1);
        s->change = change / fmax(largest, s->next.force);
        s->settled = change * s->contraction <= settle * fmax(largest, s->next.force);
        last = change;
    }
    move(s);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < s->load_count[k]; i++)
            follow(s, k, &s->loads[k][i]);
    SLIP_TRY(check_numbers(ctx, s));
    s->defect = defect_of(s, h);
    s->stiffness = stiffness_of(s);
done:
    return status;
}
