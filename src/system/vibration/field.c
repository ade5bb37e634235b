#include "system/vibration/job.h"

#include "math/arnoldi.h"
#include "math/dense.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- What can be. */

static const slip_tail *tail_of(const slip_contact *contact, int part)
{
    const slip_tail *tail = part < 0 ? &contact->gap.tail : &contact->slips[part].tail;
    return tail->count > 0 ? tail : NULL;
}

const char *slip_vibration_field_obstacle(const slip_field_motion *given)
{
    const slip_linear_motion *m = given->motion;
    if (given->system->state_count > 0 || m->coordinates != m->n)
        return "the model has states";
    for (int c = 0; c < (int)given->system->contact_count; c++)
        if (given->system->contacts[c].yields)
            return "springs press on contacts of whole bodies";
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
static const double *restrict_row(slip_field_job *j, const double *row)
{
    double *to = slip_field_numbers(j, j->n);
    for (int i = 0; to && i < j->n; i++)
        to[i] = row[j->given->place[i]];
    return to;
}

/* The derivatives of friction f by the slip velocities of its contact: least squares from its derivatives by
 * the velocities of all coordinates, which are these times the rows. */
static bool find_slopes(const slip_field_job *j, int f, int first, int count, double slope[slips_max])
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
static void clear_dense(slip_field_job *j, int f)
{
    const slip_linear_friction *own = &j->motion->friction[f];
    const int *place = j->given->place, n = j->n;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            j->damping[i * n + k] += own->row[place[i]] * own->gradient[j->motion->n + place[k]];
}

/* The directions of the friction that begins at number `first` of the motion; returns the number behind. */
static int add_frictions(slip_field_job *j, int first, int gap)
{
    const slip_linear_motion *m = j->motion;
    const int contact = m->friction[first].contact, begin = j->count;
    int count = 0;
    while (first + count < m->friction_count && m->friction[first + count].contact == contact)
        count++;
    for (int f = first; f < first + count; f++) {
        const slip_linear_friction *own = &m->friction[f];
        slip_direction *d = &j->directions[j->count++];
        *d = (slip_direction){.dense = restrict_row(j, own->row),
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

static bool list_directions(slip_field_job *j)
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
                j->directions[j->count++] =
                    (slip_direction){.dense = restrict_row(j, m->rows + (int64_t)k * m->n),
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

/* ---- The operator. */

/* right = -(a M + b C) x of a vector, with the parts of contacts. */
static void weigh(const slip_field_job *j, double a, double b, const double *x, double *right)
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
        slip_field_add_turn(j->system, of, -a, x, right);
        const slip_sparse *const damped[] = {of->damping[1] != 0 ? of->stiffness : NULL, of->dashpots};
        for (int part = 0; part < 2; part++) {
            if (b == 0 || !damped[part])
                continue;
            slip_sparse_multiply(damped[part], own, scratch);
            for (int64_t i = 0; i < of->size; i++)
                to[i] -= b * (part == 0 ? of->damping[1] : 1) * scratch[i];
        }
    }
    for (int k = 0; k < j->count && b != 0; k++) {
        const slip_direction *d = &j->directions[k];
        double force = 0;
        for (int i = 0; i < d->count && d->constraint < 0; i++)
            force += d->slope[i] * slip_field_dot(j, &j->directions[d->first + i], x);
        if (force != 0)
            slip_field_push(j, d, b * force, right);
    }
}

/* x = scaled/root: the standard scalar product is then approximately that of the mass matrix. */
static int apply(void *user, int64_t count, const double *x, double *product)
{
    slip_field_job *j = user;
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
    SLIP_PASS(status = status < 0 ? slip_fail_memory(j->ctx) : SLIP_OK);
    SLIP_PASS(status = slip_field_solve(j, count));
    for (int64_t k = 0; k < count; k++) {
        for (int64_t i = 0; i < size; i++)
            product[k * width + i] = j->product[k * size + i] * j->root[i];
        if (!j->proportional)
            memcpy(product + k * width + size, x + k * width, sizeof(double) * (size_t)size);
    }
    return status;
}

/* ---- Modes. */

/* A shape, in two parts of `size` numbers, once more through the inverse: x = -A^-1 (a M + b C) x, with a =
 * s^2 - sigma^2 and b = s - sigma, or a = mu - sigma^2. This also gives the contact forces and an error
 * estimate of the shape. */
static int refine(slip_field_job *j, double complex a, double complex b, const double *x, double *error)
{
    const int64_t size = j->size;
    double before = 0, change = 0;
    SLIP_FREED double *parts = slip_alloc(2 * size, sizeof *parts);
    SLIP_PASS(slip_allocated(j->ctx, parts));
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
    SLIP_PASS(slip_field_solve(j, 2));
    for (int64_t i = 0; i < 2 * size; i++) {
        const double m = j->root[i % size];
        before += m * m * x[i] * x[i];
        change += m * m * (j->product[i] - x[i]) * (j->product[i] - x[i]);
    }
    *error = before > 0 ? sqrt(change / before) : 0;
    return SLIP_OK;
}

/* Slip velocity and force of a friction contact in an eigenmode. */
static void find_rub(const slip_field_job *j, const slip_direction *d, double complex s,
                     const double complex *force, const slip_eigenmode *mode, slip_mode_rub *to)
{
    const slip_linear_friction *f = &j->motion->friction[d->friction];
    const double *re = mode->shape, *im = mode->shape + j->size;
    const double complex moved = slip_field_dot(j, d, re) + I * slip_field_dot(j, d, im);
    double complex load = *force;
    /* the inverse contains the slopes at the shift; the remaining part was on the right-hand side */
    for (int i = 0; i < d->count && d->constraint < 0; i++) {
        const slip_direction *other = &j->directions[d->first + i];
        load +=
            (s - j->shift) * d->slope[i] * (slip_field_dot(j, other, re) + I * slip_field_dot(j, other, im));
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
static int add_mode(slip_field_job *j, double complex s, bool conjugate, double complex factor,
                    slip_vibration *to)
{
    slip_eigenmode *mode = &to->modes[to->count];
    const int64_t size = j->size;
    const double *re = j->product, *im = j->product + size, sign = conjugate ? -1 : 1;
    double complex unit = 0;
    mode->shape = slip_arena_array(&to->arena, 2 * size, sizeof(double));
    mode->force = slip_arena_array(&to->arena, 2 * (int64_t)j->motion->count + 1, sizeof(double));
    mode->rub = slip_arena_array(&to->arena, j->motion->friction_count + 1, sizeof *mode->rub);
    SLIP_PASS(slip_allocated(j->ctx, mode->shape && mode->force && mode->rub));
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
        const slip_direction *own = &j->directions[d];
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
static int take_proportional(slip_field_job *j, double complex mu, const double *x, slip_vibration *to)
{
    const double a = j->common[0], b = j->common[1];
    double error;
    if (cabs(mu) <= 1e-9 * j->shift * j->shift)
        mu = 0;
    SLIP_PASS(refine(j, mu - j->shift * j->shift, 0, x, &error));
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
        SLIP_PASS(add_mode(j, s, conjugate, 1 + b * s, to));
    }
    return SLIP_OK;
}

static int take_general(slip_field_job *j, double complex s, const double *x, int *zeros, slip_vibration *to)
{
    double error;
    if (cabs(s) <= 1e-5 * j->shift) /* a double zero, of a free rigid motion, found twice */
        s = 0;
    *zeros += s == 0;
    if (s == 0 && *zeros % 2 == 0)
        return SLIP_OK;
    SLIP_PASS(refine(j, s * s - j->shift * j->shift, s - j->shift, x, &error));
    to->error = fmax(to->error, error);
    return add_mode(j, s, false, 1, to);
}

/* One eigenvalue of the operator as modes. */
static int take(slip_field_job *j, const slip_arnoldi_values *found, int64_t k, int *zeros,
                slip_vibration *to)
{
    const int64_t size = j->size, width = j->proportional ? size : 2 * size;
    const double complex inverse = found->real[k] - I * found->imaginary[k]; /* of the conjugate: Im s >= 0 */
    SLIP_FREED double *x = slip_alloc(2 * size, sizeof *x);
    SLIP_PASS(slip_allocated(j->ctx, x));
    for (int64_t i = 0; i < size; i++) {
        x[i] = found->vectors[2 * k * width + i] / j->root[i];
        x[size + i] = -found->vectors[(2 * k + 1) * width + i] / j->root[i];
    }
    return j->proportional ? take_proportional(j, j->shift * j->shift + j->unit * j->unit / inverse, x, to)
                           : take_general(j, j->shift + j->unit / inverse, x, zeros, to);
}

static int find(slip_field_job *j, int64_t count, slip_vibration *to)
{
    slip_arnoldi_options options = slip_arnoldi_options_default();
    const slip_arnoldi_problem problem = {j->proportional ? j->size : 2 * j->size, j, apply};
    SLIP_FREED_BY(slip_arnoldi_free) slip_arnoldi_values found = {0};
    int zeros = 0, status = SLIP_OK;
    options.count = count;
    SLIP_PASS(slip_arnoldi_largest(j->ctx, &problem, &options, &found));
    to->modes = slip_arena_array(&to->arena, 2 * found.count + 2, sizeof *to->modes);
    SLIP_PASS(slip_allocated(j->ctx, to->modes));
    /* all others are infinite eigenvalues of constraints; they belong to Jordan blocks, so rounding makes
     * some of them finite */
    int64_t left = (j->proportional ? 1 : 2) * (j->size - j->motion->count);
    for (int64_t k = 0; k < found.count && to->count < count; k++) {
        left -= found.imaginary[k] != 0 ? 2 : 1;
        if (left >= 0)
            SLIP_PASS(status = take(j, &found, k, &zeros, to));
    }
    slip_vibration_sort(to);
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
static void find_common(slip_field_job *j)
{
    memcpy(j->common, j->bodies[0].of->damping, sizeof j->common);
    j->proportional = true;
    for (int b = 0; b < j->body_count; b++)
        for (int k = 0; k < 2; k++)
            j->proportional = j->proportional && j->bodies[b].of->damping[k] == j->common[k] &&
                              !j->bodies[b].of->dashpots &&
                              !(j->common[0] != 0 && j->bodies[b].of->turn_mass);
    for (int i = 0; i < j->n * j->n; i++) {
        const double expected = j->common[0] * j->mass[i] + j->common[1] * j->stiffness[i];
        j->proportional = j->proportional && fabs(j->damping[i] - expected) <= 1e-13 * fabs(expected);
    }
}

static int open_job(slip_field_job *j)
{
    const slip_field *field = j->system->field;
    const slip_linear_motion *m = j->motion;
    const int n = j->n, *place = j->given->place, block = (int)slip_arnoldi_options_default().block;
    j->mass = slip_field_numbers(j, n * n);
    j->damping = slip_field_numbers(j, n * n);
    j->stiffness = slip_field_numbers(j, n * n);
    j->dense = slip_field_numbers(j, n * n);
    j->dense_pivots = slip_arena_array(&j->arena, n + 1, sizeof *j->dense_pivots);
    j->bodies = slip_arena_array(&j->arena, field->body_count, sizeof *j->bodies);
    SLIP_PASS(slip_allocated(j->ctx, j->mass && j->damping && j->stiffness && j->dense && j->dense_pivots &&
                                         j->bodies));
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
        good = slip_field_list_rows(j, &j->bodies[b]);
    }
    j->balance = slip_field_numbers(j, (int64_t)j->count * j->count);
    j->scales = slip_field_numbers(j, j->count);
    j->balance_pivots = slip_arena_array(&j->arena, j->count + 1, sizeof *j->balance_pivots);
    j->root = slip_field_numbers(j, j->size);
    j->right = slip_alloc((block + 1) * j->size, sizeof(double));
    j->packed = slip_alloc(block * j->size, sizeof(double));
    j->product = slip_alloc(block * j->size, sizeof(double));
    j->forces = slip_alloc(2 * (int64_t)block * (j->count + 1), sizeof(double));
    SLIP_PASS(slip_allocated(j->ctx, good && j->balance && j->scales && j->balance_pivots && j->root &&
                                         j->right && j->packed && j->product && j->forces));
    for (int i = 0; i < n; i++)
        j->root[i] = sqrt(j->mass[i * n + i]);
    for (int b = 0; b < j->body_count; b++) {
        const slip_field_body *of = j->bodies[b].of;
        for (int64_t i = 0; i < of->size; i++)
            j->root[n + of->first + i] = sqrt(of->mass->value[of->mass->start[i]]);
        j->damped = j->damped || of->damping[0] != 0 || of->damping[1] != 0 || of->dashpots;
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
    slip_field_job j = {.ctx = ctx,
                        .given = given,
                        .system = given->system,
                        .motion = given->motion,
                        .n = given->system->n,
                        .size = slip_system_size(given->system)};
    int status;
    SLIP_TRY(open_job(&j));
    SLIP_TRY(slip_field_choose_shift(&j));
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
