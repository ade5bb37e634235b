#include "system/vibration/field.h"

#include "math/arnoldi.h"
#include "math/condense.h"
#include "math/dense.h"
#include "system/field.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the directions of one contact: the gap and up to three slips. */
enum { slips_max = 3 };

/* A direction in which a contact pushes: w . x = dense . (the n) + tail . (the field). */
typedef struct direction {
    const double *dense;
    const slip_tail *tail; /* NULL: it acts on coordinates alone */
    int constraint;        /* that holds it, or -1: then its force is that of friction, */
    int friction;          /* (also where it is held) or -1: a gap, */
    int gap;               /* ratio times that of the gap's direction, or -1, */
    double ratio;
    int first, count; /* and slope times the slip velocities of the directions first to first + count - 1 */
    double slope[slips_max];
} direction;

typedef struct body {
    const slip_field_body *of;
    slip_factor *factor;
    int count; /* of its rows: those of directions that reach it */
    int *directions;
    int64_t *start, *unknown;
    double *value;
    int64_t *list, list_count; /* the unknowns of these, each once */
} body;

typedef struct job {
    slip_context *ctx;
    const slip_field_motion *given;
    const slip_system *system;
    const slip_linear_motion *motion;
    slip_arena arena;
    int n;                              /* dense ones */
    int64_t size;                       /* all unknowns: these, then the field */
    double *mass, *damping, *stiffness; /* n x n; without what directions with a tail have */
    bool damped, symmetric;
    /* Where all damping is a M + b K of one a and b, shapes are those without it: K x + mu M x = G^T l, with
     * mu = (s^2
     * + a s)/(1 + b s), an operator of half the size. */
    bool proportional;
    double common[2]; /* a, b */
    int count;        /* of directions */
    direction *directions;
    body *bodies;
    int body_count;
    double shift, unit; /* sigma, and the unit of eigenvalues */
    double *dense;      /* the factor of the n, */
    int *dense_pivots;
    double *balance; /* and of the problem of the contact forces; its rows are scaled */
    double *scales;
    int *balance_pivots;
    double *root;    /* of each unknown: the square root of its mass */
    double *right;   /* `size` numbers for each vector of a block: what is to be solved, */
    double *packed;  /* that of one body, */
    double *product; /* and the answer */
    double *forces;  /* of the directions, for each vector */
} job;

static double *numbers(job *j, int64_t count)
{
    return slip_arena_array(&j->arena, count + 1, sizeof(double));
}

/* ---- What can be. */

static const slip_tail *tail_of(const slip_contact *contact, int part)
{
    const slip_tail *tail = part < 0         ? &contact->gap.tail
                            : contact->patch ? &contact->patch->slip[part].tail
                                             : &contact->slip.tail;
    return tail->count > 0 ? tail : NULL;
}

const char *slip_vibration_field_obstacle(const slip_field_motion *given)
{
    const slip_linear_motion *m = given->motion;
    if (given->system->state_count > 0 || m->coordinates != m->n)
        return "the model has states";
    for (int k = 0; k < m->count; k++)
        if (!m->of_place[k])
            return "a contact that sticks is carried along";
    for (int f = 0; f < m->friction_count; f++) {
        const slip_contact *contact = &given->system->contacts[m->friction[f].contact];
        for (int i = 0; i < m->n && tail_of(contact, m->friction[f].part); i++)
            if (m->friction[f].gradient[i] != 0)
                return "friction on a whole body depends on coordinates";
    }
    return NULL;
}

/* ---- Directions. */

/* The numbers of a row of the motion that belong to the n. */
static const double *restrict_row(job *j, const double *row)
{
    double *to = numbers(j, j->n);
    for (int i = 0; to && i < j->n; i++)
        to[i] = row[j->given->place[i]];
    return to;
}

/* The slopes of friction f over the slip velocities of its contact, from its derivatives by the velocities of
 * all coordinates, which are slopes times rows: least squares. */
static bool find_slopes(const job *j, int f, int first, int count, double slope[slips_max])
{
    const slip_linear_motion *m = j->motion;
    const double *gradient = m->friction[f].gradient + m->n;
    double gram[slips_max * slips_max];
    for (int a = 0; a < count; a++) {
        slope[a] = slip_dense_dot(m->n, m->friction[first + a].row, gradient);
        for (int b = 0; b < count; b++)
            gram[a * count + b] =
                slip_dense_dot(m->n, m->friction[first + a].row, m->friction[first + b].row);
    }
    return slip_dense_solve(count, gram, slope);
}

/* Friction with a tail leaves the dense matrices. */
static void clear_dense(job *j, int f)
{
    const slip_linear_friction *own = &j->motion->friction[f];
    const int *place = j->given->place, n = j->n;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            j->damping[i * n + k] += own->row[place[i]] * own->gradient[j->motion->n + place[k]];
}

/* The directions of the friction that begins at number `first` of the motion; returns the number behind. */
static int add_frictions(job *j, int first, int gap)
{
    const slip_linear_motion *m = j->motion;
    const int contact = m->friction[first].contact, begin = j->count;
    int count = 0;
    while (first + count < m->friction_count && m->friction[first + count].contact == contact)
        count++;
    for (int f = first; f < first + count; f++) {
        const slip_linear_friction *own = &m->friction[f];
        direction *d = &j->directions[j->count++];
        *d = (direction){.dense = restrict_row(j, own->row),
                         .tail = tail_of(&j->system->contacts[contact], own->part),
                         .constraint = own->held,
                         .friction = f,
                         .gap = own->normal >= 0 ? gap : -1,
                         .ratio = own->ratio,
                         .first = begin};
        if (!d->dense)
            return -1;
        if (own->held >= 0 || !d->tail)
            continue;
        bool moves = false;
        for (int i = 0; i < m->n; i++)
            moves = moves || own->gradient[m->n + i] != 0;
        if (moves && !find_slopes(j, f, first, count, d->slope))
            return -1;
        d->count = moves ? count : 0;
        if (moves)
            clear_dense(j, f);
    }
    return first + count;
}

static bool list_directions(job *j)
{
    const slip_linear_motion *m = j->motion;
    int friction = 0;
    j->directions = slip_arena_array(&j->arena, m->count + m->friction_count + 1, sizeof *j->directions);
    if (!j->directions)
        return false;
    for (int c = 0; c < (int)j->system->contact_count; c++) {
        int gap = -1;
        for (int k = 0; k < m->count; k++)
            if (m->contact[k] == c && m->of_friction[k] < 0) {
                gap = j->count;
                j->directions[j->count++] = (direction){.dense = restrict_row(j, m->rows + (int64_t)k * m->n),
                                                        .tail = tail_of(&j->system->contacts[c], -1),
                                                        .constraint = k,
                                                        .friction = -1,
                                                        .gap = -1};
                if (!j->directions[gap].dense)
                    return false;
            }
        if (friction < m->friction_count && m->friction[friction].contact == c)
            friction = add_frictions(j, friction, gap);
        if (friction < 0)
            return false;
    }
    return true;
}

static double dot(const job *j, const direction *d, const double *x)
{
    double sum = slip_dense_dot(j->n, d->dense, x);
    return sum + (d->tail ? slip_tail_dot(d->tail, j->n, x) : 0);
}

static void push(const job *j, const direction *d, double force, double *right)
{
    for (int i = 0; i < j->n; i++)
        right[i] += force * d->dense[i];
    for (int k = 0; d->tail && k < d->tail->count; k++)
        right[j->n + d->tail->unknown[k]] += force * d->tail->value[k];
}

/* ---- Bodies. */

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static bool list_rows(job *j, body *b)
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
        b->value = numbers(j, entries);
        if (!b->directions || !b->start || !b->unknown || !b->list || !b->value)
            return false;
    }
    if (entries > 0)
        memcpy(b->list, b->unknown, sizeof *b->list * (size_t)entries);
    qsort(b->list, (size_t)entries, sizeof *b->list, by_number);
    for (int64_t k = 0; k < entries; k++)
        if (k == 0 || b->list[k] != b->list[b->list_count - 1])
            b->list[b->list_count++] = b->list[k];
    return true;
}

static double trace(const slip_sparse *m)
{
    double sum = 0;
    for (int64_t i = 0; i < m->size; i++)
        sum += m->value[m->start[i]];
    return sum;
}

/* sigma^2 M + sigma C + K of a body, without C where that is proportional. */
static int factor_body(job *j, body *b)
{
    static const double none[2] = {0, 0};
    const double s = j->shift, *c = j->proportional ? none : b->of->damping;
    slip_sparse *matrix = NULL;
    int status;
    slip_factor_destroy(b->factor);
    b->factor = NULL;
    SLIP_TRY(slip_sparse_sum(j->ctx, s * s + s * c[0], b->of->mass, 1 + s * c[1], b->of->stiffness, &matrix));
    SLIP_TRY(slip_factor_create(j->ctx, matrix, b->of->group, &b->factor, NULL));
done:
    slip_sparse_destroy(matrix);
    return status;
}

/* About the square of the lowest frequency: A^-1 M on a vector makes it so many times smaller. */
static int estimate(job *j, const body *b, double *square)
{
    const int64_t size = b->of->size;
    double *x = j->right, *y = j->product, *z = j->packed, before = 0, after = 0;
    uint64_t seed = 7;
    int status;
    for (int64_t i = 0; i < size; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(seed >> 11) / 9007199254740992.0 - 0.5;
    }
    for (int turn = 0; turn < 3; turn++) {
        slip_sparse_multiply(b->of->mass, x, y);
        SLIP_TRY(slip_factor_solve(j->ctx, b->factor, 1, y, z));
        before = after = 0;
        for (int64_t i = 0; i < size; i++) {
            before += x[i] * x[i];
            after += z[i] * z[i];
        }
        for (int64_t i = 0; i < size && after > 0; i++)
            x[i] = z[i] / sqrt(after);
    }
    *square = after > 0 ? sqrt(before / after) : INFINITY;
done:
    return status;
}

/* ---- The inverse about the shift. */

/* A^-1 of bodies and of the n, without contacts, of the block `right`, into `product`; with `rows` of the
 * bodies only what directions read. */
static int invert(job *j, int64_t count, bool rows)
{
    const int n = j->n;
    int status = SLIP_OK;
    for (int64_t k = 0; k < count && n > 0; k++) {
        memcpy(j->product + k * j->size, j->right + k * j->size, sizeof(double) * (size_t)n);
        slip_dense_substitute(n, j->dense, j->dense_pivots, j->product + k * j->size);
    }
    for (int b = 0; b < j->body_count; b++) {
        const body *own = &j->bodies[b];
        const int64_t size = own->of->size, first = n + own->of->first;
        if (rows && own->count == 0)
            continue;
        for (int64_t k = 0; k < count; k++)
            memcpy(j->packed + k * size, j->right + k * j->size + first, sizeof(double) * (size_t)size);
        if (rows)
            SLIP_TRY(slip_factor_solve_at(j->ctx, own->factor, (slip_unknowns){own->list_count, own->list},
                                          count, j->packed, j->packed));
        else
            SLIP_TRY(slip_factor_solve(j->ctx, own->factor, count, j->packed, j->packed));
        for (int64_t k = 0; k < count; k++)
            memcpy(j->product + k * j->size + first, j->packed + k * size, sizeof(double) * (size_t)size);
    }
done:
    return status;
}

/* What the forces of the directions must be, given what the rest moves them by: in place. */
static void find_forces(const job *j, double *motion)
{
    double *right = motion + j->count;
    for (int k = 0; k < j->count; k++) {
        const direction *d = &j->directions[k];
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
static int solve(job *j, int64_t count)
{
    int status = SLIP_OK;
    if (j->count > 0) {
        SLIP_TRY(invert(j, count, true));
        for (int64_t k = 0; k < count; k++) {
            double *forces = j->forces + 2 * k * j->count;
            for (int d = 0; d < j->count; d++)
                forces[d] = dot(j, &j->directions[d], j->product + k * j->size);
            find_forces(j, forces);
            for (int d = 0; d < j->count; d++)
                push(j, &j->directions[d], forces[d], j->right + k * j->size);
        }
    }
    SLIP_TRY(invert(j, count, false));
done:
    return status;
}

/* The compliance of the directions: how far unit forces move them, count x count. */
static int find_compliance(job *j, double *compliance)
{
    const int n = j->n, m = j->count;
    double *column = slip_alloc(n + 1, sizeof *column), *part = slip_alloc((int64_t)m * m + 1, sizeof *part);
    int status = column && part ? SLIP_OK : slip_fail_memory(j->ctx);
    for (int k = 0; k < m && status >= 0; k++) {
        memcpy(column, j->directions[k].dense, sizeof(double) * (size_t)n);
        if (n > 0)
            slip_dense_substitute(n, j->dense, j->dense_pivots, column);
        for (int i = 0; i < m; i++)
            compliance[(int64_t)i * m + k] = slip_dense_dot(n, j->directions[i].dense, column);
    }
    for (int b = 0; b < j->body_count && status >= 0; b++) {
        const body *own = &j->bodies[b];
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
    return status;
}

/* Rows of length about one, which a pivot that is lost in rounding shows against. */
static bool factor_balance(job *j)
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

/* Held: w . x = 0. Not held: f - ratio f_gap - sigma slopes w . x = 0, with w . x = compliance times f, and
 * what the rest moves it by. */
static int open_balance(job *j, bool *good)
{
    const int m = j->count;
    double *compliance = slip_alloc((int64_t)m * m + 1, sizeof *compliance);
    int status;
    SLIP_TRY(compliance ? SLIP_OK : slip_fail_memory(j->ctx));
    SLIP_TRY(find_compliance(j, compliance));
    memset(j->balance, 0, sizeof(double) * (size_t)m * (size_t)m);
    for (int k = 0; k < m; k++) {
        const direction *d = &j->directions[k];
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
done:
    free(compliance);
    return status;
}

/* All that is needed for the shift at hand; *good is false where something is singular there. */
static int open_shift(job *j, double mean, bool *good)
{
    const int n = j->n;
    double lowest = INFINITY;
    int status = SLIP_OK;
    *good = false;
    for (int i = 0; i < n * n; i++)
        j->dense[i] = j->shift * j->shift * j->mass[i] + (j->proportional ? 0 : j->shift * j->damping[i]) +
                      j->stiffness[i];
    if (n > 0 && !slip_dense_factor(n, j->dense, j->dense_pivots))
        return SLIP_OK;
    for (int i = 0; i < n; i++)
        if (!(fabs(j->dense[i * n + i]) > 1e-13 * (mean * mean + j->shift * j->shift) * j->mass[i * n + i]))
            return SLIP_OK;
    for (int b = 0; b < j->body_count; b++) {
        double square;
        status = factor_body(j, &j->bodies[b]);
        if (status == SLIP_ERROR_SOLVER)
            return SLIP_OK;
        SLIP_TRY(status);
        SLIP_TRY(estimate(j, &j->bodies[b], &square));
        if (!(square > 1e-12 * mean * mean))
            return SLIP_OK;
        lowest = fmin(lowest, square);
    }
    j->unit = fmax(5 * sqrt(lowest), j->shift);
    SLIP_TRY(open_balance(j, good));
done:
    return status;
}

static int choose_shift(job *j)
{
    double mass = 0, stiffness = 0;
    bool good = false;
    int status = SLIP_OK;
    for (int b = 0; b < j->body_count; b++) {
        mass += trace(j->bodies[b].of->mass);
        stiffness += trace(j->bodies[b].of->stiffness);
    }
    const double mean = sqrt(stiffness / mass);
    for (int turn = 0; turn < 2 && !good; turn++) {
        j->shift = turn == 0 ? 0 : 0.1 * mean / sqrt((double)j->size);
        SLIP_TRY(open_shift(j, mean, &good));
    }
    if (!good)
        status = slip_fail(j->ctx, SLIP_ERROR_SOLVER,
                           "the contacts that are closed or stick hold the same motion more than once, and "
                           "their forces do not follow from it");
done:
    return status;
}

/* ---- The operator. */

/* right = -(a M + b C) x of a vector, with the parts of contacts. */
static void weigh(const job *j, double a, double b, const double *x, double *right)
{
    const int n = j->n;
    double *scratch = right + j->size; /* as large as the field */
    for (int i = 0; i < n; i++)
        right[i] = -a * slip_dense_dot(n, j->mass + (int64_t)i * n, x) -
                   b * slip_dense_dot(n, j->damping + (int64_t)i * n, x);
    for (int k = 0; k < j->body_count; k++) {
        const slip_field_body *of = j->bodies[k].of;
        const double *own = x + n + of->first;
        double *to = right + n + of->first;
        slip_sparse_multiply(of->mass, own, to);
        for (int64_t i = 0; i < of->size; i++)
            to[i] *= -(a + b * of->damping[0]);
        if (b == 0 || of->damping[1] == 0)
            continue;
        slip_sparse_multiply(of->stiffness, own, scratch);
        for (int64_t i = 0; i < of->size; i++)
            to[i] -= b * of->damping[1] * scratch[i];
    }
    for (int k = 0; k < j->count && b != 0; k++) {
        const direction *d = &j->directions[k];
        double force = 0;
        for (int i = 0; i < d->count && d->constraint < 0; i++)
            force += d->slope[i] * dot(j, &j->directions[d->first + i], x);
        if (force != 0)
            push(j, d, b * force, right);
    }
}

/* x = scaled/root: then the plain inner product is that of the masses, about. */
static int apply(void *user, int64_t count, const double *x, double *product)
{
    job *j = user;
    const int64_t size = j->size, width = j->proportional ? size : 2 * size;
    const double unit = j->unit;
    int status = SLIP_OK;
#pragma omp parallel if (count * size > 100000)
    {
        double *place = slip_alloc(3 * size, sizeof *place), *right = place + size;
#pragma omp for schedule(static)
        for (int64_t k = 0; k < count; k++) {
            const double *own = x + k * width;
            if (!place)
                continue;
            for (int64_t i = 0; i < size; i++)
                place[i] = own[i] / j->root[i];
            weigh(j, j->proportional ? unit * unit : 2 * j->shift * unit, j->proportional ? 0 : unit, place,
                  right);
            memcpy(j->right + k * size, right, sizeof(double) * (size_t)size);
            if (j->proportional)
                continue;
            for (int64_t i = 0; i < size; i++)
                place[i] = own[size + i] / j->root[i];
            weigh(j, unit * unit, 0, place, right);
            for (int64_t i = 0; i < size; i++)
                j->right[k * size + i] += right[i];
        }
        if (!place) {
#pragma omp atomic write
            status = SLIP_ERROR_MEMORY;
        }
        free(place);
    }
    SLIP_TRY(status < 0 ? slip_fail_memory(j->ctx) : SLIP_OK);
    SLIP_TRY(solve(j, count));
    for (int64_t k = 0; k < count; k++) {
        for (int64_t i = 0; i < size; i++)
            product[k * width + i] = j->product[k * size + i] * j->root[i];
        if (!j->proportional)
            memcpy(product + k * width + size, x + k * width, sizeof(double) * (size_t)size);
    }
done:
    return status;
}

/* ---- Modes. */

/* A shape, in two parts of `size` numbers, once more through the inverse: x = -A^-1 (a M + b C) x, with a =
 * s^2 - sigma^2 and b = s - sigma, or a = mu - sigma^2. It leaves the forces of the contacts beside it, and
 * shows how good it was. */
static int refine(job *j, double complex a, double complex b, const double *x, double *error)
{
    const int64_t size = j->size;
    double *parts = slip_alloc(2 * size, sizeof *parts), before = 0, change = 0;
    int status = parts ? SLIP_OK : slip_fail_memory(j->ctx);
    SLIP_TRY(status);
    memset(j->right, 0, sizeof(double) * 2 * (size_t)size);
    for (int from = 0; from < 2; from++)
        for (int to = 0; to < 2; to++) { /* (re + i im)(a, b): real part, imaginary part */
            const double ra = from == to ? creal(a) : (from == 1 ? -cimag(a) : cimag(a)),
                         rb = from == to ? creal(b) : (from == 1 ? -cimag(b) : cimag(b));
            if (ra == 0 && rb == 0)
                continue;
            weigh(j, ra, rb, x + from * size, parts);
            for (int64_t i = 0; i < size; i++)
                j->right[to * size + i] += parts[i];
        }
    SLIP_TRY(solve(j, 2));
    for (int64_t i = 0; i < 2 * size; i++) {
        const double m = j->root[i % size];
        before += m * m * x[i] * x[i];
        change += m * m * (j->product[i] - x[i]) * (j->product[i] - x[i]);
    }
    *error = before > 0 ? sqrt(change / before) : 0;
done:
    free(parts);
    return status;
}

/* What friction number f has of a mode: slip velocity, force and the velocity along which it acts. */
static void find_rub(const job *j, const direction *d, double complex s, const double complex *force,
                     const slip_eigenmode *mode, slip_mode_rub *to)
{
    const slip_linear_friction *f = &j->motion->friction[d->friction];
    const double *re = mode->shape, *im = mode->shape + j->size;
    const double complex moved = dot(j, d, re) + I * dot(j, d, im);
    double complex load = *force;
    /* the inverse has the slopes at the shift; the rest of them stood on the right side */
    for (int i = 0; i < d->count && d->constraint < 0; i++) {
        const direction *other = &j->directions[d->first + i];
        load += (s - j->shift) * d->slope[i] * (dot(j, other, re) + I * dot(j, other, im));
    }
    if (!d->tail && d->constraint < 0)
        for (int i = 0; i < j->n; i++) {
            const int at = j->given->place[i];
            load += (f->gradient[at] + s * f->gradient[j->motion->n + at]) * (re[i] + I * im[i]);
        }
    to->slip[0] = creal(s * moved);
    to->slip[1] = cimag(s * moved);
    to->force[0] = creal(load);
    to->force[1] = cimag(load);
}

/* Takes what `refine` left in j->product and j->forces, or its conjugate; forces times `factor`. */
static int add_mode(job *j, double complex s, bool conjugate, double complex factor, slip_vibration *to)
{
    slip_eigenmode *mode = &to->modes[to->count];
    const int64_t size = j->size;
    const double *re = j->product, *im = j->product + size, sign = conjugate ? -1 : 1;
    double complex unit = 0;
    mode->shape = slip_arena_array(&to->arena, 2 * size, sizeof(double));
    mode->force = slip_arena_array(&to->arena, 2 * (int64_t)j->motion->count + 1, sizeof(double));
    mode->rub = slip_arena_array(&to->arena, j->motion->friction_count + 1, sizeof *mode->rub);
    if (!mode->shape || !mode->force || !mode->rub)
        return slip_fail_memory(j->ctx);
    mode->real = creal(s) + 0.0;
    mode->imaginary = cimag(s) + 0.0;
    for (int64_t i = 0; i < size; i++)
        if (hypot(re[i], im[i]) > cabs(unit))
            unit = re[i] + I * sign * im[i];
    unit = unit != 0 ? 1 / unit : 1;
    for (int64_t i = 0; i < size; i++) {
        const double complex value = unit * (re[i] + I * sign * im[i]);
        mode->shape[i] = creal(value);
        mode->shape[size + i] = cimag(value);
    }
    for (int d = 0; d < j->count; d++) {
        const direction *own = &j->directions[d];
        const double complex force = factor * unit * (j->forces[d] + I * sign * j->forces[2 * j->count + d]);
        if (own->constraint >= 0) {
            mode->force[own->constraint] = creal(force);
            mode->force[j->motion->count + own->constraint] = cimag(force);
        }
        if (own->friction >= 0)
            find_rub(j, own, s, &force, mode, &mode->rub[own->friction]);
    }
    to->count++;
    return SLIP_OK;
}

/* The modes of one eigenvalue mu: the roots s of s^2 + (a - b mu) s - mu = 0, and where it is complex those
 * of its conjugate; of pairs one each. */
static int take_proportional(job *j, double complex mu, const double *x, slip_vibration *to)
{
    const double a = j->common[0], b = j->common[1];
    double error;
    int status;
    if (cabs(mu) <= 1e-9 * j->shift * j->shift)
        mu = 0;
    SLIP_TRY(refine(j, mu - j->shift * j->shift, 0, x, &error));
    to->error = fmax(to->error, error);
    const double complex half = (b * mu - a) / 2, root = csqrt(half * half + mu);
    for (int k = 0; k < 2; k++) {
        double complex s = k == 0 ? half + root : half - root;
        if (half == 0 && cimag(mu) == 0 && creal(mu) <= 0) /* no real part, to the last bit */
            s = I * (k == 0 ? 1 : -1) * sqrt(-creal(mu));
        const bool pair = cimag(mu) == 0; /* the other root is the conjugate, or real */
        if ((pair && cimag(s) < 0) || (k == 1 && mu == 0 && a == 0))
            continue;
        const bool conjugate = cimag(s) < 0;
        s = conjugate ? conj(s) : s;
        SLIP_TRY(add_mode(j, s, conjugate, 1 + b * s, to));
    }
done:
    return status;
}

static int take_general(job *j, double complex s, const double *x, int *zeros, slip_vibration *to)
{
    double error;
    int status = SLIP_OK;
    if (cabs(s) <= 1e-5 * j->shift) /* a double zero: of a motion that nothing brings back, found twice */
        s = 0;
    *zeros += s == 0;
    if (s == 0 && *zeros % 2 == 0)
        return SLIP_OK;
    SLIP_TRY(refine(j, s * s - j->shift * j->shift, s - j->shift, x, &error));
    to->error = fmax(to->error, error);
    SLIP_TRY(add_mode(j, s, false, 1, to));
done:
    return status;
}

/* One eigenvalue of the operator as modes. */
static int take(job *j, const slip_arnoldi_values *found, int64_t k, int *zeros, slip_vibration *to)
{
    const int64_t size = j->size, width = j->proportional ? size : 2 * size;
    const double complex inverse = found->real[k] - I * found->imaginary[k]; /* of the conjugate: Im s >= 0 */
    double *x = slip_alloc(2 * size, sizeof *x);
    if (!x)
        return slip_fail_memory(j->ctx);
    for (int64_t i = 0; i < size; i++) {
        x[i] = found->vectors[2 * k * width + i] / j->root[i];
        x[size + i] = -found->vectors[(2 * k + 1) * width + i] / j->root[i];
    }
    const int status = j->proportional
                           ? take_proportional(j, j->shift * j->shift + j->unit * j->unit / inverse, x, to)
                           : take_general(j, j->shift + j->unit / inverse, x, zeros, to);
    free(x);
    return status;
}

static int find(job *j, int64_t count, slip_vibration *to)
{
    slip_arnoldi_options options = slip_arnoldi_options_default();
    const slip_arnoldi_problem problem = {j->proportional ? j->size : 2 * j->size, j, apply};
    slip_arnoldi_values found = {0};
    int zeros = 0, status;
    options.count = count;
    SLIP_TRY(slip_arnoldi_largest(j->ctx, &problem, &options, &found));
    to->modes = slip_arena_array(&to->arena, 2 * found.count + 2, sizeof *to->modes);
    SLIP_TRY(to->modes ? SLIP_OK : slip_fail_memory(j->ctx));
    for (int64_t k = 0; k < found.count && to->count < count; k++)
        /* those of directions that are held: infinite */
        if (hypot(found.real[k], found.imaginary[k]) > 1e-13 * hypot(found.real[0], found.imaginary[0]))
            SLIP_TRY(take(j, &found, k, &zeros, to));
    slip_vibration_sort(to);
done:
    slip_arnoldi_free(&found);
    return status;
}

/* ---- All of it. */

static bool is_any(int64_t count, const double *values)
{
    for (int64_t k = 0; k < count; k++)
        if (values[k] != 0)
            return true;
    return false;
}

/* Whether one a and b are those of all bodies and of the n. */
static void find_common(job *j)
{
    memcpy(j->common, j->bodies[0].of->damping, sizeof j->common);
    j->proportional = true;
    for (int b = 0; b < j->body_count; b++)
        for (int k = 0; k < 2; k++)
            j->proportional = j->proportional && j->bodies[b].of->damping[k] == j->common[k];
    for (int i = 0; i < j->n * j->n; i++) {
        const double expected = j->common[0] * j->mass[i] + j->common[1] * j->stiffness[i];
        j->proportional = j->proportional && fabs(j->damping[i] - expected) <= 1e-13 * fabs(expected);
    }
}

static int open_job(job *j)
{
    const slip_field *field = j->system->field;
    const slip_linear_motion *m = j->motion;
    const int n = j->n, *place = j->given->place, block = (int)slip_arnoldi_options_default().block;
    j->mass = numbers(j, n * n);
    j->damping = numbers(j, n * n);
    j->stiffness = numbers(j, n * n);
    j->dense = numbers(j, n * n);
    j->dense_pivots = slip_arena_array(&j->arena, n + 1, sizeof *j->dense_pivots);
    j->bodies = slip_arena_array(&j->arena, field->body_count, sizeof *j->bodies);
    if (!j->mass || !j->damping || !j->stiffness || !j->dense || !j->dense_pivots || !j->bodies)
        return slip_fail_memory(j->ctx);
    j->body_count = field->body_count;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const int64_t at = (int64_t)place[i] * m->n + place[k];
            j->mass[i * n + k] = m->mass[at];
            j->damping[i * n + k] = m->damping[at];
            j->stiffness[i * n + k] = m->stiffness[at];
        }
    bool good = list_directions(j);
    for (int b = 0; b < j->body_count && good; b++) {
        j->bodies[b].of = &field->bodies[b];
        good = list_rows(j, &j->bodies[b]);
    }
    j->balance = numbers(j, (int64_t)j->count * j->count);
    j->scales = numbers(j, j->count);
    j->balance_pivots = slip_arena_array(&j->arena, j->count + 1, sizeof *j->balance_pivots);
    j->root = numbers(j, j->size);
    j->right = slip_alloc((block + 1) * j->size, sizeof(double));
    j->packed = slip_alloc(block * j->size, sizeof(double));
    j->product = slip_alloc(block * j->size, sizeof(double));
    j->forces = slip_alloc(2 * (int64_t)block * (j->count + 1), sizeof(double));
    if (!good || !j->balance || !j->scales || !j->balance_pivots || !j->root || !j->right || !j->packed ||
        !j->product || !j->forces)
        return slip_fail_memory(j->ctx);
    for (int i = 0; i < n; i++)
        j->root[i] = sqrt(j->mass[i * n + i]);
    for (int b = 0; b < j->body_count; b++) {
        const slip_field_body *of = j->bodies[b].of;
        for (int64_t i = 0; i < of->size; i++)
            j->root[n + of->first + i] = sqrt(of->mass->value[of->mass->start[i]]);
        j->damped = j->damped || of->damping[0] != 0 || of->damping[1] != 0;
    }
    j->damped = j->damped || is_any((int64_t)n * n, j->damping);
    find_common(j);
    j->symmetric = true;
    for (int k = 0; k < j->count; k++) {
        j->damped = j->damped || j->directions[k].count > 0;
        j->proportional = j->proportional && j->directions[k].count == 0;
        j->symmetric = j->symmetric && j->directions[k].ratio == 0;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            j->symmetric = j->symmetric && j->stiffness[i * n + k] == j->stiffness[k * n + i];
    return SLIP_OK;
}

int slip_vibration_solve_field(slip_context *ctx, const slip_field_motion *given, int64_t count,
                               slip_vibration *to)
{
    job j = {.ctx = ctx,
             .given = given,
             .system = given->system,
             .motion = given->motion,
             .n = given->system->n,
             .size = slip_system_size(given->system)};
    int status;
    SLIP_TRY(open_job(&j));
    SLIP_TRY(choose_shift(&j));
    to->damped = j.damped;
    to->symmetric = !j.damped && j.symmetric;
    SLIP_TRY(find(&j, count, to));
done:
    for (int b = 0; b < j.body_count; b++)
        slip_factor_destroy(j.bodies[b].factor);
    free(j.right);
    free(j.packed);
    free(j.product);
    free(j.forces);
    slip_arena_free(&j.arena);
    return status;
}
