/* Whole bodies in an implicit step (system/field.h).
 *
 * With A = M + a h C + a^2 h^2 K of a body, P A P^T = L L^T and X = L^-1 P W for the directions W of its
 * contacts (math/condense.h), a step is
 *
 *     y = L^-1 P h (f - C v_0 - K (q_0 + a h v_0)),      velocities of directions without impulses:  W v_0 +
 * X^T y, impulses p by the contact problem with X^T X,      v_1 = v_0 + P^T L^-T (y + X p):
 *
 * one way up the elimination tree and one down, whatever the number of contacts and of turns in which their
 * laws settle. A is factored once for each step size.
 *
 * A body that turns by a coordinate phi has m phi'' beside its inertia, and phi has m . u''. With x = L^-1 P
 * m and the rise r of phi' in the step, y + X p - x r stands in place of y + X p; that leaves of the n a
 * matrix with x . x less at phi, directions with X^T x less at phi, and x . y less on the right side. */
#include "math/condense.h"
#include "math/substitute.h"
#include "method/fixed/field.h"
#include "system/detector.h"

#include <stdlib.h>
#include <string.h>

/* A body, and the directions that reach it: as sums of rows W, of which X is made. Of a direction that stays
 * that is one row, its own; those of a detector are sums of single unknowns, with other factors in each step.
 */
typedef struct slip_fixed_part {
    const slip_field_body *body;
    slip_factor *factor;
    slip_substitution *substitution;
    slip_condensation *rows; /* X */
    int row_count;           /* W by rows, over its own unknowns */
    int64_t *start, *unknown;
    double *value;
    int *row_of;                          /* of each unknown: the row that it alone is, or -1 */
    double *gram, *impulses, *velocities; /* X^T X, p and X^T y */
    int count, *directions;               /* directions, */
    int *first, *terms;                   /* where the terms of each begin, and how many it has now: */
    int *row;
    double *weight;
    double *turn, *reached, pull; /* of a body that turns: x, X^T x and x . y */
} part;

/* The sum over the rows of direction i. */
static double sum_of(const part *p, int i, const double *of_rows)
{
    double sum = 0;
    for (int k = p->first[i]; k < p->first[i] + p->terms[i]; k++)
        sum += p->weight[k] * of_rows[p->row[k]];
    return sum;
}

static void destroy(slip_fixed_field *field)
{
    for (int b = 0; b < field->count && field->parts; b++) {
        slip_condensation_destroy(field->parts[b].rows);
        slip_substitution_destroy(field->parts[b].substitution);
        slip_factor_destroy(field->parts[b].factor);
    }
    free(field->parts);
    free(field);
}

/* Of the state that was reached: K q and K v, and how large it is. */
static void look_at_state(slip_fixed *f)
{
    slip_fixed_field *field = f->field;
    double *before = field->stiff_v0;
    field->stiff_v0 = field->stiff_v;
    field->stiff_v = before;
    for (int b = 0; b < field->count; b++) {
        const slip_field_body *body = field->parts[b].body;
        const int64_t first = body->first;
        slip_sparse_multiply_two(body->stiffness, f->q + f->n + first, f->v + f->n + first,
                                 field->stiff_q + first, field->stiff_v + first);
    }
    slip_fixed_field_measure(f);
}

/* ---- Before the first step. */

static bool reaches(const part *p, int64_t unknown)
{
    return unknown >= p->body->first && unknown < p->body->first + p->body->size;
}

static const slip_detector *detector_of(const slip_fixed *f, int direction)
{
    const slip_system *system = f->system;
    const int contact = f->directions[direction].contact;
    for (int k = 0; k < system->detector_count && system->contacts[contact].found > 0; k++)
        if (contact >= system->detectors[k].first &&
            contact < system->detectors[k].first + system->detectors[k].count)
            return &system->detectors[k];
    return NULL;
}

static bool detector_reaches(const part *p, const slip_detector *detector)
{
    for (int64_t k = 0; k < detector->unknown_count; k++)
        if (reaches(p, detector->unknowns[k]))
            return true;
    return false;
}

/* Rows, their entries and terms of directions while they are listed; counted first, where there is no room.
 */
typedef struct listing {
    int rows, terms;
    int64_t entries;
} listing;

static void list_entry(part *p, listing *to, int64_t unknown, double value)
{
    if (p->start) {
        p->unknown[to->entries] = unknown - p->body->first;
        p->value[to->entries] = value;
    }
    to->entries++;
}

static void list_direction(part *p, listing *to, int direction, int room)
{
    if (p->start) {
        p->directions[p->count] = direction;
        p->first[p->count] = to->terms;
        p->terms[p->count] = 0;
    }
    p->count++;
    to->terms += room;
}

static void end_row(part *p, listing *to)
{
    to->rows++;
    if (p->start)
        p->start[to->rows] = to->entries;
}

/* A direction that stays: a row. */
static void list_row(const slip_fixed *f, part *p, int direction, listing *to)
{
    const slip_tail *tail = f->directions[direction].tail;
    const int64_t before = to->entries;
    for (int k = 0; k < tail->count; k++)
        if (reaches(p, tail->unknown[k]))
            list_entry(p, to, tail->unknown[k], tail->value[k]);
    if (to->entries == before)
        return;
    if (p->start) {
        p->row[to->terms] = to->rows;
        p->weight[to->terms] = 1;
    }
    list_direction(p, to, direction, 1);
    if (p->start)
        p->terms[p->count - 1] = 1;
    end_row(p, to);
}

/* Directions that reach a body, and their rows; then those of single unknowns. */
static listing list_rows(const slip_fixed *f, part *p)
{
    listing to = {0};
    p->count = 0;
    for (int d = 0; d < f->direction_count; d++) {
        const slip_detector *detector = detector_of(f, d);
        if (detector && detector_reaches(p, detector))
            list_direction(p, &to, d, detector->entries);
        else if (!detector && f->directions[d].tail)
            list_row(f, p, d, &to);
    }
    for (int k = 0; k < f->system->detector_count; k++) {
        const slip_detector *detector = &f->system->detectors[k];
        for (int64_t i = 0; i < detector->unknown_count; i++) {
            const int64_t unknown = detector->unknowns[i];
            if (!reaches(p, unknown) || (p->row_of && p->row_of[unknown - p->body->first] >= 0))
                continue;
            if (p->row_of)
                p->row_of[unknown - p->body->first] = to.rows;
            list_entry(p, &to, unknown, 1);
            end_row(p, &to);
        }
    }
    p->row_count = to.rows;
    return to;
}

static bool make_part(slip_fixed *f, const slip_field_body *body, part *p)
{
    p->body = body;
    const listing room = list_rows(f, p); /* at least */
    const int64_t rows = room.rows, count = p->count;
    p->directions = slip_arena_array(&f->arena, count, sizeof *p->directions);
    p->first = slip_arena_array(&f->arena, count, sizeof *p->first);
    p->terms = slip_arena_array(&f->arena, count, sizeof *p->terms);
    p->row = slip_arena_array(&f->arena, room.terms, sizeof *p->row);
    p->weight = slip_arena_array(&f->arena, room.terms, sizeof *p->weight);
    p->unknown = slip_arena_array(&f->arena, room.entries, sizeof *p->unknown);
    p->value = slip_arena_array(&f->arena, room.entries, sizeof *p->value);
    p->impulses = slip_arena_array(&f->arena, rows, sizeof *p->impulses);
    p->velocities = slip_arena_array(&f->arena, rows, sizeof *p->velocities);
    p->start = slip_arena_array(&f->arena, rows + 1, sizeof *p->start);
    p->reached = slip_arena_array(&f->arena, rows, sizeof *p->reached);
    p->row_of = slip_arena_array(&f->arena, body->size, sizeof *p->row_of);
    if (body->turn_mass && !(p->turn = slip_arena_array(&f->arena, body->size, sizeof *p->turn)))
        return false;
    f->field->turns |= body->turn_mass != NULL;
    if (!p->directions || !p->first || !p->terms || !p->row || !p->weight || !p->unknown || !p->value ||
        !p->impulses || !p->velocities || !p->start || !p->reached || !p->row_of)
        return false;
    for (int64_t i = 0; i < body->size; i++)
        p->row_of[i] = -1;
    list_rows(f, p);
    p->gram = slip_arena_array(&f->arena, (int64_t)p->row_count * p->row_count, sizeof *p->gram);
    return p->gram != NULL;
}

static int create(slip_fixed *f)
{
    const slip_field *of = f->system->field;
    SLIP_PASS(slip_fixed_field_make(f));
    slip_fixed_field *field = f->field;
    bool complete = (field->parts = slip_alloc(of->body_count, sizeof *field->parts));
    SLIP_PASS(slip_allocated(f->ctx, complete));
    field->count = of->body_count;
    double **const vectors[] = {&field->right, &field->y, &field->stiff_q, &field->stiff_v, &field->stiff_v0};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        complete = complete && (*vectors[k] = slip_arena_array(&f->arena, of->size, sizeof(double)));
    complete = complete && (field->still = slip_arena_array(&f->arena, f->direction_count, sizeof(double)));
    field->factored = NAN;
    for (int b = 0; b < of->body_count; b++)
        complete = complete && make_part(f, &of->bodies[b], &field->parts[b]);
    int most = 0;
    for (int b = 0; b < of->body_count && complete; b++)
        most = field->parts[b].row_count > most ? field->parts[b].row_count : most;
    field->sums = slip_arena_array(&f->arena, most, sizeof *field->sums);
    SLIP_PASS(slip_allocated(f->ctx, complete && field->sums));
    look_at_state(f);
    return SLIP_OK;
}

/* ---- A step size. */

/* The matrix has the same entries for every step size: its structure is found once. */
static int factor_part(slip_fixed *f, part *p, double h)
{
    const double a = f->theta * h, *damping = p->body->damping;
    SLIP_FREED_BY(slip_sparse_drop) slip_sparse *matrix = NULL;
    slip_condensation_destroy(p->rows);
    slip_substitution_destroy(p->substitution);
    p->rows = NULL;
    p->substitution = NULL;
    SLIP_PASS(slip_sparse_sum(f->ctx, 1 + a * damping[0], p->body->mass, a * damping[1] + a * a,
                              p->body->stiffness, &matrix));
    if (p->body->dashpots)
        slip_sparse_add(matrix, a, p->body->dashpots, NULL);
    if (!p->factor)
        SLIP_PASS(slip_factor_analyse(f->ctx, matrix, p->body->group, &p->factor));
    SLIP_PASS(slip_factor_compute(f->ctx, matrix, p->factor, NULL));
    p->substitution = slip_substitution_create(slip_factor_supernodes(p->factor));
    /* its memory now, not in a step */
    SLIP_PASS(slip_allocated(
        f->ctx, p->substitution && slip_substitution_up(p->substitution, f->field->right, f->field->y)));
    SLIP_PASS(
        slip_condensation_create(f->ctx, p->factor, p->row_count, p->start, p->unknown, p->value, &p->rows));
    slip_condensation_product(p->rows, p->gram);
    if (p->turn) {
        slip_substitution_up(p->substitution, p->body->turn_mass, p->turn);
        slip_condensation_rows(p->rows, p->turn, p->reached);
    }
    return SLIP_OK;
}

static int factor(slip_fixed *f, double h, double *matrix)
{
    slip_fixed_field *field = f->field;
    for (int b = 0; b < field->count && h != field->factored; b++)
        SLIP_PASS(factor_part(f, &field->parts[b], h));
    field->factored = h;
    for (int b = 0; b < field->count && field->turns; b++) {
        const part *p = &field->parts[b];
        if (p->turn)
            matrix[p->body->turn * (f->n + 1)] -= slip_dot(p->body->size, p->turn, p->turn);
    }
    return SLIP_OK;
}

/* Rows that detectors found as sums of single unknowns. */
static void take_found(const slip_fixed *f, part *p)
{
    for (int i = 0; i < p->count; i++) {
        const slip_fixed_direction *d = &f->directions[p->directions[i]];
        if (f->system->contacts[d->contact].found == 0)
            continue;
        int at = p->first[i];
        for (int k = 0; k < d->tail->count; k++) {
            if (!reaches(p, d->tail->unknown[k]))
                continue;
            p->row[at] = p->row_of[d->tail->unknown[k] - p->body->first];
            p->weight[at++] = d->tail->value[k];
        }
        p->terms[i] = at - p->first[i];
    }
}

/* Which of the listed directions number i of a body is: true where it is among them. */
static bool is_listed(const part *p, int i, int count, const int *list)
{
    int low = 0, high = count - 1; /* both lists go up */
    while (low < high) {
        const int mid = (low + high) / 2;
        if (list[mid] < p->directions[i])
            low = mid + 1;
        else
            high = mid;
    }
    return count > 0 && list[low] == p->directions[i];
}

static void respond(slip_fixed *f, int count, const int *list, const double *inverse, double scale)
{
    const int n = f->n;
    for (int b = 0; b < f->field->count; b++) {
        part *p = &f->field->parts[b];
        if (f->system->detector_count > 0)
            take_found(f, p);
        for (int k = 0; k < p->count && p->turn; k++) {
            const double reached = scale * sum_of(p, k, p->reached);
            if (!is_listed(p, k, count, list))
                continue;
            for (int i = 0; i < n; i++)
                f->matrices.responses[p->directions[k] * n + i] -= inverse[i * n + p->body->turn] * reached;
        }
    }
}

static void add_gram(slip_fixed *f, int count, const int *list)
{
    const int all = f->direction_count;
    for (int b = 0; b < f->field->count; b++) {
        const part *p = &f->field->parts[b];
        for (int i = 0; i < p->count; i++) {
            double *row = f->matrices.gram + p->directions[i] * all;
            if (!is_listed(p, i, count, list))
                continue;
            for (int r = 0; r < p->row_count; r++)
                f->field->sums[r] = 0;
            for (int k = p->first[i]; k < p->first[i] + p->terms[i]; k++)
                for (int r = 0; r < p->row_count; r++)
                    f->field->sums[r] += p->weight[k] * p->gram[(int64_t)p->row[k] * p->row_count + r];
            for (int k = 0; k < p->count; k++)
                if (is_listed(p, k, count, list))
                    row[p->directions[k]] += sum_of(p, k, f->field->sums);
            const double reached = p->turn ? sum_of(p, i, p->reached) : 0;
            for (int d = 0; d < count && p->turn; d++)
                row[list[d]] -= reached * f->matrices.responses[list[d] * f->n + p->body->turn];
        }
    }
}

/* ---- A step. */

/* Takes h times the factor times A v_0 of a body from the right side. */
static void take_off(const slip_fixed *f, const slip_field_body *body, const slip_sparse *matrix,
                     double factor)
{
    double *right = f->field->right + body->first, *product = f->field->product;
    slip_sparse_multiply(matrix, f->v0 + f->n + body->first, product);
    for (int64_t i = 0; i < body->size; i++)
        right[i] -= f->matrices.h * factor * product[i];
}

/* h (f - C v_0 - K (q_0 + a h v_0)) of a body, with C of mass, stiffness and dashpots. */
static void find_right(const slip_fixed *f, const part *p)
{
    const slip_field_body *body = p->body;
    const slip_fixed_field *field = f->field;
    const double h = f->matrices.h, ahead = f->theta * h + body->damping[1],
                 *of_q = field->stiff_q + body->first, *of_v = field->stiff_v + body->first,
                 *force = field->force + body->first;
    double *right = field->right + body->first;
    for (int64_t i = 0; i < body->size; i++)
        right[i] = h * (force[i] - of_q[i] - ahead * of_v[i]);
    if (body->damping[0] != 0)
        take_off(f, body, body->mass, body->damping[0]);
    if (body->dashpots)
        take_off(f, body, body->dashpots, 1);
}

static void begin(slip_fixed *f)
{
    slip_fixed_field *field = f->field;
    slip_field_find_loads(f->system, f->work, f->t0 + f->theta * f->matrices.h, field->force);
    slip_fixed_field_start(f);
    for (int b = 0; b < field->count; b++) {
        part *p = &field->parts[b];
        double *y = field->y + p->body->first;
        find_right(f, p);
        slip_substitution_up(p->substitution, field->right + p->body->first, y);
        slip_condensation_rows(p->rows, y, p->velocities);
        for (int i = 0; i < p->count; i++)
            field->moments[SLIP_FIXED_FREE][p->directions[i]] += sum_of(p, i, p->velocities);
        if (p->turn)
            p->pull = slip_dot(p->body->size, p->turn, y);
    }
    if (field->turns)
        memcpy(field->still, field->moments[SLIP_FIXED_FREE], (size_t)f->direction_count * sizeof(double));
}

/* What a rise of the velocities of the n takes from those of directions, by bodies that turn with them. */
static void turn_along(const part *p, const double *v, const double *before, double *velocities)
{
    for (int i = 0; i < p->count && p->turn; i++)
        velocities[p->directions[i]] -= sum_of(p, i, p->reached) * (v[p->body->turn] - before[p->body->turn]);
}

static void free_n(slip_fixed *f)
{
    slip_fixed_field *field = f->field;
    double *free = field->moments[SLIP_FIXED_FREE];
    if (!field->turns)
        return;
    for (int b = 0; b < field->count; b++) {
        const part *p = &field->parts[b];
        for (int i = 0; i < f->n && p->turn; i++)
            f->free[i] -= f->matrices.from_f[i * f->n + p->body->turn] * f->matrices.inverse_h * p->pull;
    }
    memcpy(free, field->still, (size_t)f->direction_count * sizeof *free);
    for (int b = 0; b < field->count; b++)
        turn_along(&field->parts[b], f->free, f->v0, free);
}

/* X^T X p; most of p may be zero. */
static void multiply_gram(const part *p, double *product)
{
    memset(product, 0, (size_t)p->row_count * sizeof *product);
    for (int r = 0; r < p->row_count; r++)
        for (int k = 0; k < p->row_count && p->impulses[r] != 0; k++)
            product[k] += p->gram[(int64_t)r * p->row_count + k] * p->impulses[r];
}

static void answer(slip_fixed *f)
{
    slip_fixed_field *field = f->field;
    double *end = field->moments[SLIP_FIXED_END];
    memcpy(end, field->moments[SLIP_FIXED_FREE], (size_t)f->direction_count * sizeof *end);
    for (int b = 0; b < field->count; b++) {
        const part *p = &field->parts[b];
        memset(p->impulses, 0, (size_t)p->row_count * sizeof *p->impulses);
        for (int i = 0; i < p->count; i++)
            for (int k = p->first[i]; k < p->first[i] + p->terms[i]; k++)
                p->impulses[p->row[k]] += p->weight[k] * f->impulses[p->directions[i]];
        multiply_gram(p, field->sums);
        for (int i = 0; i < p->count; i++)
            end[p->directions[i]] += sum_of(p, i, field->sums);
        turn_along(p, f->v, f->free, end);
    }
}

static void end(slip_fixed *f)
{
    slip_fixed_field *field = f->field;
    for (int b = 0; b < field->count; b++) {
        const part *p = &field->parts[b];
        const int64_t first = f->n + p->body->first;
        double *y = field->y + p->body->first, *rise = field->product;
        slip_condensation_add(p->rows, p->impulses, y);
        for (int64_t i = 0; i < p->body->size && p->turn; i++)
            y[i] -= p->turn[i] * (f->v[p->body->turn] - f->v0[p->body->turn]);
        slip_substitution_down(p->substitution, y, rise);
        for (int64_t i = 0; i < p->body->size; i++) {
            f->v[first + i] = f->v0[first + i] + rise[i];
            f->q[first + i] = f->q0[first + i] + f->matrices.h * (f->v0[first + i] + f->theta * rise[i]);
            f->a[first + i] = rise[i] * f->matrices.inverse_h;
        }
    }
    look_at_state(f);
}

static void works(const slip_fixed *f, double *loads, double *damping)
{
    const slip_fixed_field *field = f->field;
    const double h = f->matrices.h, *v = f->at_v + f->n;
    double power = 0, lost = 0;
    for (int64_t i = 0; i < f->system->field->size; i++)
        power += field->force[i] * v[i];
    for (int b = 0; b < field->count; b++) {
        const slip_field_body *body = field->parts[b].body;
        double by_stiffness = 0;
        for (int64_t i = body->first; i < body->first + body->size; i++)
            by_stiffness += v[i] * (f->theta * field->stiff_v[i] + (1 - f->theta) * field->stiff_v0[i]);
        lost += body->damping[1] * by_stiffness;
        if (body->damping[0] != 0)
            lost += body->damping[0] * slip_sparse_form(body->mass, v + body->first, field->product);
        if (body->dashpots)
            lost += slip_sparse_form(body->dashpots, v + body->first, field->product);
    }
    *loads += h * power;
    *damping += h * lost;
}

const slip_fixed_whole slip_fixed_implicit = {.create = create,
                                              .destroy = destroy,
                                              .factor = factor,
                                              .respond = respond,
                                              .add_gram = add_gram,
                                              .begin = begin,
                                              .free = free_n,
                                              .answer = answer,
                                              .end = end,
                                              .works = works};
