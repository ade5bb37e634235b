/* Whole bodies by central differences (system/field.h), with lumped masses m.
 *
 *     x = q_0 + h/2 v_0,      (m + h/2 a m + h/2 S) (v_1 - v_0) = h (f - F(x) - b K v_0 - a m v_0 - D v_0) +
 * W p, q_1 = x + h/2 v_1 = q_0 + h (v_0 + v_1)/2
 *
 * with the elastic forces F = K x, or those of large strains. The places x of all steps and the velocities
 * are those of the leapfrog; q and v are known at the same times. Impulses and the gaps that take part, those
 * at x, are as in J. J. Moreau's scheme, of which this is the first form (Numerical aspects of the sweeping
 * process, Computer Methods in Applied Mechanics and Engineering 177, 1999). Damping by mass is that of the
 * mean velocity. That of dashpots is, with S the sums of |D| over rows, D v_0 + S (v_1 - v_0)/2, which is
 * stable for any D; damping by stiffness is that of the velocity before.
 *
 * What the leapfrog keeps, of linear forces to rounding, has the potential energy x_- . K x_+ / 2 with x_+- =
 * q +- h/2 v (slip_field_add_lumped_energies). */
#include "method/fixed/field.h"

#include "math/vector.h"

#include <stdlib.h>
#include <string.h>

static void destroy(slip_fixed_field *field)
{
    free(field);
}

static int refuse(const slip_fixed *f)
{
    for (int b = 0; b < f->system->field->body_count; b++) {
        const slip_field_body *body = &f->system->field->bodies[b];
        if (body->turn_mass)
            return slip_fail(
                f->ctx, SLIP_ERROR_MODEL,
                "body `%s`: found `turn`, whose inertia couples all nodes, so that no mass matrix of "
                "method `%s` is diagonal; use `moreau`",
                body->name, f->rules->name);
        if (!body->lumps)
            return slip_fail(f->ctx, SLIP_ERROR_MODEL,
                             "body `%s`: found a mass matrix from a file that is not diagonal; method `%s` "
                             "expects a diagonal one, or a mesh",
                             body->name, f->rules->name);
    }
    return SLIP_OK;
}

/* S: sums of |D| over rows. */
static void add_drag(const slip_field_body *body, double *drag)
{
    const slip_sparse *d = body->dashpots;
    for (int64_t j = 0; j < d->size; j++)
        for (int64_t k = d->start[j]; k < d->start[j + 1]; k++) {
            drag[body->first + j] += fabs(d->value[k]);
            if (d->row[k] != j)
                drag[body->first + d->row[k]] += fabs(d->value[k]);
        }
}

static int create(slip_fixed *f)
{
    const slip_field *of = f->system->field;
    bool complete = true, drags = false;
    SLIP_PASS(refuse(f));
    SLIP_PASS(slip_fixed_field_make(f));
    for (int b = 0; b < of->body_count; b++)
        drags |= of->bodies[b].dashpots != NULL;
    slip_fixed_field *field = f->field;
    double **const vectors[] = {&field->y, &field->stiff_q, &field->stiff_v, &field->inverse, &field->drag};
    for (size_t k = 0; k < (drags ? 5 : 4); k++)
        complete = complete && (*vectors[k] = slip_arena_array(&f->arena, of->size, sizeof(double)));
    SLIP_PASS(slip_allocated(f->ctx, complete));
    for (int b = 0; b < of->body_count; b++)
        if (of->bodies[b].dashpots)
            add_drag(&of->bodies[b], field->drag);
    slip_fixed_field_measure(f);
    return slip_field_open_elastic(f->ctx, f->system, f->work, f->options.threads);
}

static int factor(slip_fixed *f, double h, double *matrix)
{
    slip_fixed_field *field = f->field;
    const slip_field *of = f->system->field;
    (void)matrix;
    for (int b = 0; b < of->body_count; b++) {
        const slip_field_body *body = &of->bodies[b];
        for (int64_t i = 0; i < body->size; i++)
            field->inverse[body->first + i] =
                1 / (body->lumps[i] * (1 + 0.5 * h * body->damping[0]) +
                     (field->drag ? 0.5 * h * field->drag[body->first + i] : 0));
    }
    field->factored = h;
    return SLIP_OK;
}

/* Adds what an impulse along one of the listed directions does to all of these in its group. */
static void add_gram(slip_fixed *f, int count, const int *list)
{
    const bool all = count == f->direction_count;
    double *rise = f->field->product; /* zero but where the direction is */
    memset(rise, 0, (size_t)f->system->field_size * sizeof *rise);
    for (int i = 0; i < count; i++) {
        const slip_fixed_direction *one = &f->directions[list[i]];
        const slip_fixed_group *group = &f->groups.list[one->group];
        double *row = f->matrices.gram + group->gram + (int64_t)one->place * group->directions;
        const slip_tail *tail = one->tail;
        for (int k = 0; tail && k < tail->count; k++)
            rise[tail->unknown[k]] += tail->value[k] * f->field->inverse[tail->unknown[k]];
        for (int k = 0; tail && k < group->directions; k++) {
            const slip_fixed_direction *other = &f->directions[f->groups.directions[group->member + k]];
            if (other->tail && (all || f->contacts[other->contact].active))
                row[k] += slip_tail_dot(other->tail, 0, rise);
        }
        for (int k = 0; tail && k < tail->count; k++)
            rise[tail->unknown[k]] = 0;
    }
}

/* ---- A step. */

/* h times all forces of a body without those that the end of the step takes part in. */
static void find_right(slip_fixed *f, const slip_field_body *body, double *right)
{
    slip_fixed_field *field = f->field;
    const double h = f->matrices.h, *v = f->v0 + f->n + body->first, *place = field->y + body->first,
                 *force = field->force + body->first;
    double *of_q = field->stiff_q + body->first, *of_v = field->stiff_v + body->first;
    if (body->damping[1] != 0)
        slip_sparse_multiply_two(body->stiffness, place, v, of_q, of_v);
    else
        slip_field_elastic_forces(f->work, body, place, of_q, NULL);
    for (int64_t i = 0; i < body->size; i++)
        right[i] = h * (force[i] - of_q[i] - body->damping[0] * body->lumps[i] * v[i]);
    for (int64_t i = 0; i < body->size && body->damping[1] != 0; i++)
        right[i] -= h * body->damping[1] * of_v[i];
    if (!body->dashpots)
        return;
    slip_sparse_multiply(body->dashpots, v, field->product);
    for (int64_t i = 0; i < body->size; i++)
        right[i] -= h * field->product[i];
}

/* Leaves the velocities without impulses in field->y. */
static void begin(slip_fixed *f)
{
    slip_fixed_field *field = f->field;
    const slip_field *of = f->system->field;
    const double h = f->matrices.h, *q = f->q0 + f->n, *v = f->v0 + f->n;
    double *right = f->a + f->n; /* until the end of the step */
    slip_field_find_loads(f->system, f->work, f->t0 + 0.5 * h, field->force);
    slip_fixed_field_start(f);
    for (int64_t i = 0; i < of->size; i++)
        field->y[i] = q[i] + 0.5 * h * v[i];
    for (int b = 0; b < of->body_count; b++)
        find_right(f, &of->bodies[b], right + of->bodies[b].first);
    for (int64_t i = 0; i < of->size; i++)
        field->y[i] = f->v[f->n + i] = v[i] + field->inverse[i] * right[i];
    for (int d = 0; d < f->direction_count; d++)
        if (f->directions[d].tail)
            field->moments[SLIP_FIXED_FREE][d] = slip_tail_dot(f->directions[d].tail, f->n, f->v);
}

static void answer(slip_fixed *f)
{
    slip_fixed_field *field = f->field;
    double *v = f->v + f->n;
    for (int d = 0; d < f->direction_count; d++) {
        const slip_tail *tail = f->directions[d].tail;
        for (int k = 0; tail && k < tail->count; k++)
            v[tail->unknown[k]] = field->y[tail->unknown[k]];
    }
    for (int d = 0; d < f->direction_count; d++) {
        const slip_tail *tail = f->directions[d].tail;
        for (int k = 0; tail && k < tail->count && f->impulses[d] != 0; k++)
            v[tail->unknown[k]] += tail->value[k] * f->impulses[d] * field->inverse[tail->unknown[k]];
    }
    for (int d = 0; d < f->direction_count; d++)
        field->moments[SLIP_FIXED_END][d] =
            f->directions[d].tail ? slip_tail_dot(f->directions[d].tail, f->n, f->v) : 0;
}

static void end(slip_fixed *f)
{
    const double h = f->matrices.h;
    for (int64_t i = f->n; i < f->size; i++) {
        f->q[i] = f->q0[i] + 0.5 * h * (f->v0[i] + f->v[i]);
        f->a[i] = (f->v[i] - f->v0[i]) * f->matrices.inverse_h;
    }
    slip_fixed_field_measure(f);
}

static void works(const slip_fixed *f, double *loads, double *damping)
{
    const slip_fixed_field *field = f->field;
    const slip_field *of = f->system->field;
    const double *mean = f->at_v + f->n, *before = f->v0 + f->n;
    double power = slip_dot(of->size, field->force, mean), lost = 0;
    for (int b = 0; b < of->body_count; b++) {
        const slip_field_body *body = &of->bodies[b];
        const double *v = mean + body->first, *v0 = before + body->first;
        for (int64_t i = 0; i < body->size && body->damping[0] != 0; i++)
            lost += body->damping[0] * body->lumps[i] * v[i] * v[i];
        if (body->damping[1] != 0)
            lost += body->damping[1] * slip_dot(body->size, v, field->stiff_v + body->first);
        if (!body->dashpots)
            continue;
        slip_sparse_multiply(body->dashpots, v0, field->product);
        for (int64_t i = 0; i < body->size; i++)
            lost += v[i] * (field->product[i] + field->drag[body->first + i] * (v[i] - v0[i]));
    }
    *loads += f->matrices.h * power;
    *damping += f->matrices.h * lost;
}

const slip_fixed_whole slip_fixed_lumped = {.local = true,
                                            .create = create,
                                            .destroy = destroy,
                                            .factor = factor,
                                            .add_gram = add_gram,
                                            .begin = begin,
                                            .answer = answer,
                                            .end = end,
                                            .works = works};
