/* Bodies and the inverse about a shift: each body has a factor, contacts are a small dense problem for their
 * forces. */
#include "system/vibration/job.h"

#include "math/dense.h"
#include "math/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double slip_field_dot(const slip_field_job *j, const slip_direction *d, const double *x)
{
    double sum = slip_dense_dot(j->n, d->dense, x);
    return sum + (d->tail ? slip_tail_dot(d->tail, j->n, x) : 0);
}

void slip_field_push(const slip_field_job *j, const slip_direction *d, double force, double *right)
{
    for (int i = 0; i < j->n; i++)
        right[i] += force * d->dense[i];
    for (int k = 0; d->tail && k < d->tail->count; k++)
        right[j->n + d->tail->unknown[k]] += force * d->tail->value[k];
}

/* ---- Bodies. */

bool slip_field_list_rows(slip_field_job *j, slip_field_part *b)
{
    const int64_t first = b->of->first, end = first + b->of->size;
    int64_t entries = 0;
    for (int pass = 0; pass < 2; pass++) {
        entries = 0;
        b->count = 0;
        for (int k = 0; k < j->count; k++) {
            const slip_tail *tail = j->directions[k].tail;
            const int64_t before = entries;
            for (int i = 0; tail && i < tail->count; i++) {
                if (tail->unknown[i] < first || tail->unknown[i] >= end)
                    continue;
                if (pass > 0) {
                    b->unknown[entries] = tail->unknown[i] - first;
                    b->value[entries] = tail->value[i];
                }
                entries++;
            }
            if (entries == before)
                continue;
            if (pass > 0) {
                b->directions[b->count] = k;
                b->start[b->count + 1] = entries;
            }
            b->count++;
        }
        if (pass > 0)
            break;
        b->directions = slip_arena_array(&j->arena, b->count + 1, sizeof *b->directions);
        b->start = slip_arena_array(&j->arena, b->count + 2, sizeof *b->start);
        b->unknown = slip_arena_array(&j->arena, entries + 1, sizeof *b->unknown);
        b->list = slip_arena_array(&j->arena, entries + 1, sizeof *b->list);
        b->value = slip_field_numbers(j, entries);
        if (b->of->turn_mass && !(b->turned = slip_field_numbers(j, b->of->size)))
            return false;
        if (!b->directions || !b->start || !b->unknown || !b->list || !b->value)
            return false;
    }
    if (entries > 0)
        memcpy(b->list, b->unknown, sizeof *b->list * (size_t)entries);
    qsort(b->list, (size_t)entries, sizeof *b->list, slip_order_integers);
    for (int64_t k = 0; k < entries; k++)
        if (k == 0 || b->list[k] != b->list[b->list_count - 1])
            b->list[b->list_count++] = b->list[k];
    return true;
}

/* sigma^2 M + sigma C + K of a body, without C where that is proportional. */
static int factor_body(slip_field_job *j, slip_field_part *b)
{
    static const double none[2] = {0, 0};
    const double s = j->shift, *c = j->proportional ? none : b->of->damping;
    SLIP_FREED_BY(slip_sparse_drop) slip_sparse *matrix = NULL;
    slip_factor_destroy(b->factor);
    b->factor = NULL;
    SLIP_PASS(
        slip_sparse_sum(j->ctx, s * s + s * c[0], b->of->mass, 1 + s * c[1], b->of->stiffness, &matrix));
    if (b->of->dashpots && !j->proportional)
        slip_sparse_add(matrix, s, b->of->dashpots, NULL);
    SLIP_PASS(slip_factor_create(j->ctx, matrix, b->of->group, &b->factor, NULL));
    if (b->turned)
        SLIP_PASS(slip_factor_solve(j->ctx, b->factor, 1, b->of->turn_mass, b->turned));
    for (int64_t i = 0; i < b->of->size && b->turned; i++)
        b->turned[i] *= s * s;
    return SLIP_OK;
}

/* Estimates the square of the lowest frequency by applying A^-1 M to a vector. */
static int estimate(slip_field_job *j, const slip_field_part *b, double *square)
{
    const int64_t size = b->of->size;
    double *x = j->right, *y = j->product, *z = j->packed, before = 0, after = 0;
    uint64_t seed = 7;
    for (int64_t i = 0; i < size; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(seed >> 11) / 9007199254740992.0 - 0.5;
    }
    for (int turn = 0; turn < 3; turn++) {
        slip_sparse_multiply(b->of->mass, x, y);
        SLIP_PASS(slip_factor_solve(j->ctx, b->factor, 1, y, z));
        before = after = 0;
        for (int64_t i = 0; i < size; i++) {
            before += x[i] * x[i];
            after += z[i] * z[i];
        }
        for (int64_t i = 0; i < size && after > 0; i++)
            x[i] = z[i] / sqrt(after);
    }
    *square = after > 0 ? sqrt(before / after) : INFINITY;
    return SLIP_OK;
}

/* ---- The inverse about the shift. */

/* Eliminates bodies with a rotation from the right-hand side of the n, which are solved first. */
static void turn_right(const slip_field_job *j, const double *right, double *own)
{
    for (int b = 0; b < j->body_count; b++) {
        const slip_field_part *part = &j->bodies[b];
        if (part->turned)
            own[part->of->turn] -=
                slip_dense_dot((int)part->of->size, part->turned, right + j->n + part->of->first);
    }
}

/* A^-1 of bodies and of the n, without contacts, of the block `right`, into `product`; with `rows` of the
 * bodies only what directions read. */
static int invert(slip_field_job *j, int64_t count, bool rows)
{
    const int n = j->n;
    for (int64_t k = 0; k < count && n > 0; k++) {
        memcpy(j->product + k * j->size, j->right + k * j->size, sizeof(double) * (size_t)n);
        turn_right(j, j->right + k * j->size, j->product + k * j->size);
        slip_dense_substitute(n, j->dense, j->dense_pivots, j->product + k * j->size);
    }
    for (int b = 0; b < j->body_count; b++) {
        const slip_field_part *own = &j->bodies[b];
        const int64_t size = own->of->size, first = n + own->of->first;
        if (rows && own->count == 0)
            continue;
        for (int64_t k = 0; k < count; k++)
            memcpy(j->packed + k * size, j->right + k * j->size + first, sizeof(double) * (size_t)size);
        if (rows)
            SLIP_PASS(slip_factor_solve_at(j->ctx, own->factor, (slip_unknowns){own->list_count, own->list},
                                           count, j->packed, j->packed));
        else
            SLIP_PASS(slip_factor_solve(j->ctx, own->factor, count, j->packed, j->packed));
        for (int64_t k = 0; k < count; k++) {
            double *to = j->product + k * j->size;
            memcpy(to + first, j->packed + k * size, sizeof(double) * (size_t)size);
            for (int64_t i = 0; i < size && own->turned; i++)
                to[first + i] -= own->turned[i] * to[own->of->turn];
        }
    }
    return SLIP_OK;
}

/* Solves for the forces of the directions, given their motion without these forces; in place. */
static void find_forces(const slip_field_job *j, double *motion)
{
    double *right = motion + j->count;
    for (int k = 0; k < j->count; k++) {
        const slip_direction *d = &j->directions[k];
        right[k] = 0;
        if (d->constraint >= 0)
            right[k] = -motion[k];
        for (int i = 0; i < d->count && d->constraint < 0; i++)
            right[k] += j->shift * d->slope[i] * motion[d->first + i];
        right[k] *= j->scales[k];
    }
    slip_dense_substitute(j->count, j->balance, j->balance_pivots, right);
    memcpy(motion, right, sizeof(double) * (size_t)j->count);
}

/* A^-1 of the block `right`, with contacts, into `product`; their forces, 2 count numbers for each vector of
 * which the first half is it. `right` is changed. */
int slip_field_solve(slip_field_job *j, int64_t count)
{
    if (j->count > 0) {
        SLIP_PASS(invert(j, count, true));
        for (int64_t k = 0; k < count; k++) {
            double *forces = j->forces + 2 * k * j->count;
            for (int d = 0; d < j->count; d++)
                forces[d] = slip_field_dot(j, &j->directions[d], j->product + k * j->size);
            find_forces(j, forces);
            for (int d = 0; d < j->count; d++)
                slip_field_push(j, &j->directions[d], forces[d], j->right + k * j->size);
        }
    }
    return invert(j, count, false);
}

/* The row of a direction over the n, after elimination of the bodies. */
static void turn_row(const slip_field_job *j, int direction, double *row)
{
    const slip_tail *tail = j->directions[direction].tail;
    memcpy(row, j->directions[direction].dense, sizeof(double) * (size_t)j->n);
    for (int b = 0; b < j->body_count; b++) {
        const slip_field_part *part = &j->bodies[b];
        for (int k = 0; tail && part->turned && k < tail->count; k++) {
            const int64_t at = tail->unknown[k] - part->of->first;
            if (at >= 0 && at < part->of->size)
                row[part->of->turn] -= tail->value[k] * part->turned[at];
        }
    }
}

/* The compliance of the directions: how far unit forces move them, count x count. */
static int find_compliance(slip_field_job *j, double *compliance)
{
    const int n = j->n, m = j->count;
    double *column = slip_alloc(n + 1, sizeof *column), *part = slip_alloc((int64_t)m * m + 1, sizeof *part),
           *rows = slip_alloc((int64_t)m * n + 1, sizeof *rows);
    int status = column && part && rows ? SLIP_OK : slip_fail_memory(j->ctx);
    for (int k = 0; k < m && status >= 0; k++)
        turn_row(j, k, rows + (int64_t)k * n);
    for (int k = 0; k < m && status >= 0; k++) {
        memcpy(column, rows + (int64_t)k * n, sizeof(double) * (size_t)n);
        if (n > 0)
            slip_dense_substitute(n, j->dense, j->dense_pivots, column);
        for (int i = 0; i < m; i++)
            compliance[(int64_t)i * m + k] = slip_dense_dot(n, rows + (int64_t)i * n, column);
    }
    for (int b = 0; b < j->body_count && status >= 0; b++) {
        const slip_field_part *own = &j->bodies[b];
        if (own->count == 0)
            continue;
        status =
            slip_condense_rows(j->ctx, own->factor, own->count, own->start, own->unknown, own->value, part);
        for (int i = 0; i < own->count && status >= 0; i++)
            for (int k = 0; k < own->count; k++)
                compliance[(int64_t)own->directions[i] * m + own->directions[k]] +=
                    part[(int64_t)i * own->count + k];
    }
    free(column);
    free(part);
    free(rows);
    return status;
}

/* Scales rows to about unit length, so that a pivot of zero is recognised. */
static bool factor_balance(slip_field_job *j)
{
    const int m = j->count;
    for (int k = 0; k < m; k++) {
        double size = 0;
        for (int i = 0; i < m; i++)
            size = fmax(size, fabs(j->balance[(int64_t)k * m + i]));
        j->scales[k] = size > 0 ? 1 / size : 1;
        for (int i = 0; i < m; i++)
            j->balance[(int64_t)k * m + i] *= j->scales[k];
    }
    if (!slip_dense_factor(m, j->balance, j->balance_pivots))
        return false;
    for (int k = 0; k < m; k++)
        if (!(fabs(j->balance[(int64_t)k * m + k]) > 1e-12))
            return false;
    return true;
}

/* Sets up the equations of the forces. Held: w . x = 0. Not held: f - ratio f_gap - sigma slopes w . x = 0.
 * In both w . x is compliance times f plus the motion without these forces. */
static int open_balance(slip_field_job *j, bool *good)
{
    const int m = j->count;
    SLIP_FREED double *compliance = slip_alloc((int64_t)m * m + 1, sizeof *compliance);
    SLIP_PASS(slip_allocated(j->ctx, compliance));
    SLIP_PASS(find_compliance(j, compliance));
    memset(j->balance, 0, sizeof(double) * (size_t)m * (size_t)m);
    for (int k = 0; k < m; k++) {
        const slip_direction *d = &j->directions[k];
        double *row = j->balance + (int64_t)k * m;
        if (d->constraint >= 0) {
            memcpy(row, compliance + (int64_t)k * m, sizeof(double) * (size_t)m);
            continue;
        }
        for (int i = 0; i < d->count; i++)
            for (int l = 0; l < m; l++)
                row[l] -= j->shift * d->slope[i] * compliance[(int64_t)(d->first + i) * m + l];
        row[k] += 1;
        if (d->gap >= 0)
            row[d->gap] -= d->ratio;
    }
    *good = factor_balance(j);
    return SLIP_OK;
}

/* All that is needed for the shift at hand; *good is false where something is singular there. */
static int open_shift(slip_field_job *j, double mean, bool *good)
{
    const int n = j->n;
    double lowest = INFINITY;
    int status = SLIP_OK;
    *good = false;
    for (int b = 0; b < j->body_count; b++) {
        double square;
        status = factor_body(j, &j->bodies[b]);
        if (status == SLIP_ERROR_SOLVER)
            return SLIP_OK;
        SLIP_PASS(status);
        SLIP_PASS(status = estimate(j, &j->bodies[b], &square));
        if (!(square > 1e-12 * mean * mean))
            return SLIP_OK;
        lowest = fmin(lowest, square);
    }
    for (int i = 0; i < n * n; i++)
        j->dense[i] = j->shift * j->shift * j->mass[i] + (j->proportional ? 0 : j->shift * j->damping[i]) +
                      j->stiffness[i];
    for (int b = 0; b < j->body_count; b++) {
        const slip_field_body *of = j->bodies[b].of;
        if (j->bodies[b].turned)
            j->dense[of->turn * (n + 1)] -=
                j->shift * j->shift * slip_dense_dot((int)of->size, of->turn_mass, j->bodies[b].turned);
    }
    if (n > 0 && !slip_dense_factor(n, j->dense, j->dense_pivots))
        return SLIP_OK;
    for (int i = 0; i < n; i++)
        if (!(fabs(j->dense[i * n + i]) > 1e-13 * (mean * mean + j->shift * j->shift) * j->mass[i * n + i]))
            return SLIP_OK;
    j->unit = fmax(5 * sqrt(lowest), j->shift);
    return open_balance(j, good);
}

int slip_field_choose_shift(slip_field_job *j)
{
    double mass = 0, stiffness = 0;
    bool good = false;
    for (int b = 0; b < j->body_count; b++) {
        mass += slip_sparse_trace(j->bodies[b].of->mass);
        stiffness += slip_sparse_trace(j->bodies[b].of->stiffness);
    }
    const double mean = sqrt(stiffness / mass);
    for (int turn = 0; turn < 2 && !good; turn++) {
        j->shift = turn == 0 ? 0 : 0.1 * mean / sqrt((double)j->size);
        SLIP_PASS(open_shift(j, mean, &good));
    }
    if (!good)
        return slip_fail(j->ctx, SLIP_ERROR_SOLVER,
                         "the contacts that are closed or stick hold the same motion more than once, and "
                         "their forces do not follow from it");
    return SLIP_OK;
}
