#include "math/vector.h"
#include "system/vibration/types.h"

#include "math/dense.h"
#include "math/pencil.h"
#include "math/refine.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Modes. */

static void add_mode(slip_vibration_problem *p, double complex s, const double complex *x,
                     const double complex *force)
{
    const slip_linear_motion *m = p->motion;
    const int n = p->n;
    slip_eigenmode *mode = &p->to->modes[p->to->count++];
    double complex unit = 0;
    mode->real = creal(s) * p->rate + 0.0; /* no negative zero */
    mode->imaginary = cimag(s) * p->rate + 0.0;
    for (int part = 0; part < 2 && unit == 0; part++) { /* states where no coordinate moves */
        double size = 0;
        for (int i = part ? p->coordinates : 0; i < (part ? n : p->coordinates); i++)
            if (cabs(x[i]) * p->scale[i] > size) {
                size = cabs(x[i]) * p->scale[i];
                unit = x[i] * p->scale[i];
            }
    }
    unit = unit != 0 ? 1 / unit : 1;
    for (int i = 0; i < n; i++) {
        const double complex value = unit * x[i] * p->scale[i];
        mode->shape[i] = creal(value);
        mode->shape[n + i] = cimag(value);
    }
    for (int c = 0; c < m->count; c++) {
        double complex value = 0;
        for (int k = 0; k < p->held; k++)
            value += p->forces[c * m->count + k] * unit * force[k];
        mode->force[c] = creal(value);
        mode->force[m->count + c] = cimag(value);
    }
}

/* The complex vector of eigenvalue k of a spectrum: `count` numbers from `first` on. */
static void take_vector(const slip_spectrum *from, int size, int k, int first, int count, double complex *to)
{
    const double *re = from->vectors + (int64_t)k * size + first;
    const double *im = from->imaginary[k] != 0 ? re + size : NULL;
    for (int i = 0; i < count; i++)
        to[i] = re[i] + (im ? I * im[i] : 0);
}

static void conjugate(int count, double complex *x)
{
    for (int i = 0; i < count; i++)
        x[i] = conj(x[i]);
}

/* Adds the modes s and -s of an eigenvalue s^2; of a conjugate pair one each. */
static void add_squares(slip_vibration_problem *p, double complex square, double complex *x,
                        double complex *force)
{
    if (cimag(square) == 0 && creal(square) <= 0) {
        add_mode(p, I * sqrt(-creal(square)), x, force);
        return;
    }
    const double complex s = csqrt(square);
    add_mode(p, s, x, force);
    conjugate(p->n, x);
    conjugate(p->held, force);
    add_mode(p, -conj(s), x, force);
}

/* ---- Without damping and symmetric. */

static bool is_symmetric(int n, const double *matrix)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            const double a = matrix[i * n + j], b = matrix[j * n + i],
                         size = sqrt(fabs(matrix[i * n + i]) * fabs(matrix[j * n + j]));
            if (fabs(a - b) > 64 * DBL_EPSILON * fmax(size, fmax(fabs(a), fabs(b))))
                return false;
        }
    return true;
}

static bool takes_symmetric(const slip_vibration_problem *p)
{
    const slip_linear_motion *m = p->motion;
    for (int k = 0; k < m->count * p->n; k++)
        if (m->rows[k] != m->columns[k])
            return false;
    return is_symmetric(p->n, m->mass) && is_symmetric(p->n, m->stiffness);
}

/* The vectors that the constraints allow, orthonormal: n - held rows. */
static const double *allowed_vectors(slip_vibration_problem *p)
{
    const int n = p->n, held = p->held;
    double *all = slip_vibration_numbers(p, (int64_t)n * n);
    if (!all)
        return NULL;
    if (held == 0) {
        for (int i = 0; i < n; i++)
            all[i * n + i] = 1;
        return all;
    }
    double *copy = slip_vibration_numbers(p, (int64_t)held * n), *values = slip_vibration_numbers(p, n),
           *left = slip_vibration_numbers(p, (int64_t)held * held);
    if (!copy || !values || !left)
        return NULL;
    memcpy(copy, p->rows, sizeof(double) * (size_t)held * (size_t)n);
    return slip_dense_decompose(held, n, copy, values, left, all) >= 0 ? all + (int64_t)held * n : NULL;
}

static double form(int n, const double *x, const double *matrix, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] != 0 ? x[i] * slip_dense_dot(n, matrix + (int64_t)i * n, y) : 0;
    return sum;
}

/* Forces along orthonormal or independent directions that make up `load`: least squares. */
static bool find_forces(slip_vibration_problem *p, const double *load, double complex *force)
{
    const int n = p->n, held = p->held;
    double *gram = malloc(sizeof(double) * (size_t)(held + 1) * (size_t)(held + 1)), *right;
    bool good = gram != NULL;
    if (!good)
        return false;
    right = gram + held * held;
    for (int k = 0; k < held; k++) {
        right[k] = slip_dense_dot(n, p->columns + k * n, load);
        for (int l = 0; l < held; l++)
            gram[k * held + l] = slip_dense_dot(n, p->columns + k * n, p->columns + l * n);
    }
    good = held == 0 || slip_dense_solve(held, gram, right);
    for (int k = 0; k < held; k++)
        force[k] = right[k];
    free(gram);
    return good;
}

/* False where the mass matrix is not positive definite. */
static int solve_symmetric(slip_vibration_problem *p, double complex *x, double complex *force, bool *solved)
{
    const int n = p->n, size = n - p->held;
    const double *allowed = allowed_vectors(p);
    double *k = slip_vibration_numbers(p, (int64_t)size * size),
           *m = slip_vibration_numbers(p, (int64_t)size * size), *values = slip_vibration_numbers(p, size),
           *vector = slip_vibration_numbers(p, n), *load = slip_vibration_numbers(p, n);
    SLIP_PASS(slip_allocated(p->ctx, allowed && k && m && values && vector && load));
    for (int i = 0; i < size; i++)
        for (int j = 0; j <= i; j++) {
            const double *a = allowed + (int64_t)i * n, *b = allowed + (int64_t)j * n;
            k[i * size + j] = k[j * size + i] =
                (form(n, a, p->stiffness, b) + form(n, b, p->stiffness, a)) / 2;
            m[i * size + j] = m[j * size + i] = (form(n, a, p->mass, b) + form(n, b, p->mass, a)) / 2;
        }
    *solved = size == 0 || slip_dense_eigenvectors_pair(size, k, m, values);
    const double limit = 16 * n * DBL_EPSILON * slip_vibration_stiffness(p);
    for (int i = 0; *solved && i < size; i++) {
        const double square = fabs(values[i]) <= limit ? 0 : values[i];
        memset(vector, 0, sizeof(double) * (size_t)n);
        for (int j = 0; j < size; j++)
            for (int l = 0; l < n; l++)
                vector[l] += k[i * size + j] * allowed[(int64_t)j * n + l];
        for (int l = 0; l < n; l++) {
            load[l] = slip_dense_dot(n, p->stiffness + (int64_t)l * n, vector) -
                      square * slip_dense_dot(n, p->mass + (int64_t)l * n, vector);
            x[l] = vector[l];
        }
        if (!find_forces(p, load, force))
            return slip_vibration_refuse(p);
        add_squares(p, -square, x, force);
    }
    return SLIP_OK;
}

/* ---- With constraints and unknowns without mass, of any kind. */

static int refuse_pencil(const slip_vibration_problem *p, int status, int unknown, int places)
{
    if (unknown < 0 || status != SLIP_ERROR_SOLVER)
        return status;
    unknown -= places;
    if (unknown >= p->n)
        return slip_vibration_refuse(p);
    return slip_fail(
        p->ctx, SLIP_ERROR_SOLVER,
        "the motion of `%s` is not determined: it has no mass, and neither stiffness nor damping; "
        "give it one of them",
        p->system->names[unknown < 0 ? 0 : unknown]);
}

static int open_pencil(slip_vibration_problem *p, int size, slip_pencil *pencil)
{
    pencil->size = size;
    pencil->e = slip_vibration_numbers(p, (int64_t)size * size);
    pencil->a = slip_vibration_numbers(p, (int64_t)size * size);
    return pencil->e && pencil->a ? SLIP_OK : slip_fail_memory(p->ctx);
}

static int solve_undamped(slip_vibration_problem *p, double complex *x, double complex *force)
{
    const int n = p->n, size = n + p->held;
    slip_pencil pencil;
    slip_spectrum found = {0};
    int unknown = -1;
    SLIP_PASS(open_pencil(p, size, &pencil));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            pencil.e[(int64_t)i * size + j] = p->mass[i * n + j];
            pencil.a[(int64_t)i * size + j] = -p->stiffness[i * n + j];
        }
    for (int k = 0; k < p->held; k++)
        for (int i = 0; i < n; i++) {
            pencil.a[(int64_t)i * size + n + k] = p->columns[k * n + i];
            pencil.a[(int64_t)(n + k) * size + i] = p->rows[k * n + i];
        }
    int status = slip_pencil_solve(p->ctx, &pencil, &p->arena, &found, &unknown);
    if (status < 0)
        return refuse_pencil(p, status, unknown, 0);
    p->to->infinite = 2 * (n - p->held - found.count); /* of s^2 two of s each */
    const double limit = 16 * size * DBL_EPSILON * slip_vibration_stiffness(p);
    for (int k = 0; k < found.count; k++) {
        double re = found.real[k], im = found.imaginary[k];
        if (im < 0)
            continue;
        take_vector(&found, size, k, 0, n, x);
        take_vector(&found, size, k, n, p->held, force);
        if (im <= 16 * size * DBL_EPSILON * hypot(re, im))
            im = 0;
        if (hypot(re, im) <= limit)
            re = im = 0;
        add_squares(p, re + I * im, x, force);
        if (im == 0 && found.imaginary[k] != 0) { /* two that are equal up to rounding: the other shape */
            for (int i = 0; i < n; i++)
                x[i] = found.vectors[(int64_t)(k + 1) * size + i];
            for (int i = 0; i < p->held; i++)
                force[i] = found.vectors[(int64_t)(k + 1) * size + n + i];
            add_squares(p, re, x, force);
        }
    }
    return status;
}

/* ---- First order: places y that something reads, velocities u, forces. */

/* An orthonormal basis of the positions on which stiffness or constraints depend: *count rows of n numbers,
 * followed by a basis of all other positions. */
static const double *read_places(slip_vibration_problem *p, int *count)
{
    const int n = p->n, rows = n + 2 * p->held, columns = p->coordinates;
    double *stack = slip_vibration_numbers(p, (int64_t)rows * columns),
           *values = slip_vibration_numbers(p, rows + columns),
           *left = slip_vibration_numbers(p, (int64_t)rows * rows),
           *right = slip_vibration_numbers(p, (int64_t)columns * columns),
           *basis = slip_vibration_numbers(p, (int64_t)columns * n);
    if (!stack || !values || !left || !right || !basis)
        return NULL;
    for (int i = 0; i < n; i++)
        memcpy(stack + (int64_t)i * columns, p->stiffness + (int64_t)i * n, sizeof(double) * (size_t)columns);
    for (int k = 0; k < p->held; k++)
        for (int j = 0; j < columns; j++) {
            stack[(int64_t)(n + k) * columns + j] = p->of_place[k] ? p->rows[k * n + j] : 0;
            stack[(int64_t)(n + p->held + k) * columns + j] = p->rates[k * n + j];
        }
    *count = 0;
    if (columns > 0 && slip_dense_decompose(rows, columns, stack, values, left, right) < 0)
        return NULL;
    while (*count < columns && values[*count] > 8 * DBL_EPSILON * values[0])
        ++*count;
    for (int k = 0; k < columns; k++)
        memcpy(basis + (int64_t)k * n, right + (int64_t)k * columns, sizeof(double) * (size_t)columns);
    return basis;
}

static void fill_first_order(const slip_vibration_problem *p, int places, const double *basis,
                             slip_pencil *pencil)
{
    const int n = p->n;
    const int64_t size = pencil->size;
    for (int k = 0; k < places; k++) {
        const double *place = basis + (int64_t)k * n;
        pencil->e[k * size + k] = 1;
        for (int i = 0; i < n; i++) {
            pencil->a[k * size + places + i] = place[i];
            pencil->a[(places + i) * size + k] = -slip_dense_dot(n, p->stiffness + (int64_t)i * n, place);
        }
        for (int c = 0; c < p->held; c++)
            pencil->a[(places + n + c) * size + k] =
                slip_dense_dot(n, (p->of_place[c] ? p->rows : p->rates) + (int64_t)c * n, place);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            pencil->e[(places + i) * size + places + j] = p->mass[i * n + j];
            pencil->a[(places + i) * size + places + j] = -p->damping[i * n + j];
        }
    for (int c = 0; c < p->held; c++)
        for (int i = 0; i < n; i++) {
            pencil->a[(places + i) * size + places + n + c] = p->columns[c * n + i];
            if (!p->of_place[c])
                pencil->a[(places + n + c) * size + places + i] = p->rows[c * n + i];
        }
}

/* The shape that belongs to velocities u and places y. */
static void shape_of(const slip_vibration_problem *p, double complex s, int places, const double *basis,
                     const double complex *y, double complex *u)
{
    const int n = p->n;
    for (int i = 0; i < p->coordinates && s != 0; i++)
        u[i] /= s;
    if (s != 0 || places == 0)
        return;
    /* For s = 0 velocities are zero, except those of free motions. */
    for (int i = 0; i < p->coordinates; i++)
        for (int k = 0; k < places; k++)
            u[i] += y[k] * basis[(int64_t)k * n + i];
}

/* Improves an eigenvalue that is far smaller than the largest one, by its own entries. Returns its accuracy;
 * NAN when out of memory. */
static double sharpen(int size, const double *e, const double *a, double size_of_all, double complex *s)
{
    enum { largest_size = 64 };
    double real = creal(*s), imaginary = cimag(*s), rounding = 1e-15 * size_of_all;
    if (*s == 0 || cabs(*s) > 1e-4 * size_of_all || size > largest_size)
        return rounding;
    const double error = slip_refine_eigenvalue(size, e, a, &real, &imaginary);
    if (error >= rounding)
        return rounding;
    *s = real + I * imaginary;
    return error;
}

static int solve_general(slip_vibration_problem *p, double complex *x, double complex *force)
{
    const int n = p->n;
    int places, unknown = -1, zeros = 0;
    const double *basis = read_places(p, &places);
    slip_pencil pencil;
    slip_spectrum found = {0};
    SLIP_PASS(slip_allocated(p->ctx, basis));
    const int size = places + n + p->held;
    SLIP_PASS(open_pencil(p, size, &pencil));
    fill_first_order(p, places, basis, &pencil);
    double *e = slip_vibration_numbers(p, (int64_t)size * size),
           *a = slip_vibration_numbers(p, (int64_t)size * size);
    SLIP_PASS(slip_allocated(p->ctx, e && a));
    memcpy(e, pencil.e, (size_t)size * (size_t)size * sizeof *e);
    memcpy(a, pencil.a, (size_t)size * (size_t)size * sizeof *a);
    int status = slip_pencil_solve(p->ctx, &pencil, &p->arena, &found, &unknown);
    if (status < 0)
        return refuse_pencil(p, status, unknown, places);
    const double size_of_all =
        fmax(slip_largest(found.count, found.real), slip_largest(found.count, found.imaginary));
    double complex *y = x + n;
    for (int k = 0; k < found.count; k++) {
        double complex s = found.real[k] + I * found.imaginary[k];
        if (cimag(s) < 0)
            continue;
        if (cabs(s) <= 4 * size * DBL_EPSILON * size_of_all)
            s = 0;
        zeros += s == 0;
        take_vector(&found, size, k, 0, places, y);
        take_vector(&found, size, k, places, n, x);
        take_vector(&found, size, k, places + n, p->held, force);
        shape_of(p, s, places, basis, y, x);
        const double rounding = sharpen(size, e, a, size_of_all, &s);
        SLIP_PASS(slip_allocated(p->ctx, !isnan(rounding)));
        add_mode(p, s, x, force);
        p->to->modes[p->to->count - 1].rounding = rounding * p->rate;
    }
    /* Positions on which nothing depends have the eigenvalue zero; undamped ones were found above. */
    for (int k = places + zeros; k < p->coordinates; k++) {
        for (int i = 0; i < n; i++)
            x[i] = basis[(int64_t)k * n + i];
        memset(force, 0, sizeof *force * (size_t)p->held);
        add_mode(p, 0, x, force);
    }
    int of_place = 0;
    for (int c = 0; c < p->held; c++)
        of_place += p->of_place[c];
    p->to->infinite = places + n - p->held - of_place - found.count;
    return status;
}

/* ---- All of it. */

static int by_frequency(const void *a, const void *b)
{
    const slip_eigenmode *x = a, *y = b;
    return x->imaginary < y->imaginary ? -1 : x->imaginary > y->imaginary;
}

/* Sets the rounding error of eigenvalues that were not improved: a fraction of the largest. */
static void note_rounding(slip_vibration *to)
{
    double size = 0;
    for (int k = 0; k < to->count; k++)
        size = fmax(size, hypot(to->modes[k].real, to->modes[k].imaginary));
    for (int k = 0; k < to->count; k++)
        if (to->modes[k].rounding == 0)
            to->modes[k].rounding = 1e-15 * size;
}

void slip_vibration_sort(slip_vibration *to)
{
    note_rounding(to);
    qsort(to->modes, (size_t)to->count, sizeof *to->modes, by_frequency);
    for (int k = 1; k < to->count; k++)
        for (int i = k; i > 0; i--) {
            slip_eigenmode *x = &to->modes[i - 1], *y = &to->modes[i], swap = *x;
            if (y->imaginary - x->imaginary > 1e-10 * hypot(y->real, y->imaginary) || y->real >= x->real)
                break;
            *x = *y;
            *y = swap;
        }
}

int slip_vibration_solve(slip_context *ctx, const slip_system *system, const slip_linear_motion *motion,
                         slip_vibration *to)
{
    slip_vibration_problem p = {.ctx = ctx,
                                .system = system,
                                .motion = motion,
                                .to = to,
                                .n = motion->n,
                                .coordinates = motion->coordinates};
    double complex *x = NULL;
    bool undamped = motion->coordinates == motion->n, solved = false;
    int status;
    SLIP_TRY(slip_vibration_prepare(&p));
    x = slip_alloc(2 * (int64_t)motion->n + motion->count + 1, sizeof *x);
    SLIP_TRY(slip_allocated(ctx, x));
    double complex *force = x + 2 * motion->n;
    to->damped = slip_largest((int64_t)motion->n * motion->n, motion->damping) > 0;
    undamped = undamped && !to->damped;
    for (int k = 0; k < motion->count; k++)
        undamped = undamped && motion->of_place[k];
    to->symmetric = undamped && takes_symmetric(&p);
    if (to->symmetric && !system->massless) /* rounding may hide that a mass matrix is singular */
        SLIP_TRY(solve_symmetric(&p, x, force, &solved));
    if (!solved)
        SLIP_TRY(undamped ? solve_undamped(&p, x, force) : solve_general(&p, x, force));
    slip_vibration_sort(to);
done:
    free(x);
    slip_arena_free(&p.arena);
    return status;
}
