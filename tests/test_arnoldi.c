/* Eigenvalues of operators that are not symmetric, against closed forms and against LAPACK. */
#include "test.h"

#include "math/arnoldi.h"
#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static slip_context *ctx;

static int setup(void **state)
{
    (void)state;
    ctx = slip_context_create();
    return ctx ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    slip_context_destroy(ctx);
    return 0;
}

typedef struct matrix {
    int n;
    const double *values; /* row by row */
} matrix;

static int apply(void *user, int64_t count, const double *x, double *product)
{
    const matrix *m = user;
    for (int64_t k = 0; k < count; k++)
        for (int i = 0; i < m->n; i++)
            product[k * m->n + i] = slip_dense_dot(m->n, m->values + (int64_t)i * m->n, x + k * m->n);
    return SLIP_OK;
}

static slip_arnoldi_values find(const matrix *m, int64_t count)
{
    slip_arnoldi_options options = slip_arnoldi_options_default();
    const slip_arnoldi_problem problem = {m->n, (void *)(uintptr_t)m, apply};
    slip_arnoldi_values found = {0};
    options.count = count;
    assert_int_equal(slip_arnoldi_largest(ctx, &problem, &options, &found), SLIP_OK);
    return found;
}

/* |A x - s x| of the vectors that it gives. */
static void expect_vectors(const matrix *m, const slip_arnoldi_values *found)
{
    double *product = malloc(sizeof *product * 2 * (size_t)m->n);
    for (int64_t k = 0; k < found->count; k++) {
        const double *re = found->vectors + 2 * k * m->n, *im = re + m->n, a = found->real[k],
                     b = found->imaginary[k];
        double off = 0, size = 0;
        apply((void *)(uintptr_t)m, 2, re, product);
        for (int i = 0; i < m->n; i++) {
            off = fmax(off, fabs(product[i] - a * re[i] + b * im[i]));
            off = fmax(off, fabs(product[m->n + i] - a * im[i] - b * re[i]));
            size += re[i] * re[i] + im[i] * im[i];
        }
        assert_close(size, 1, 1e-10);
        assert_true(off < 1e-9 * (1 + hypot(a, b)));
    }
    free(product);
}

/* Blocks of two on the diagonal, turned by a similarity that is not orthogonal: pairs r_k exp(+-i phi_k), r_k
 * = 0.93^k. */
static void pairs(void **state)
{
    enum { n = 240 };
    double *a = calloc((size_t)n * n, sizeof *a);
    const matrix m = {n, a};
    (void)state;
    for (int k = 0; k < n / 2; k++) {
        const double r = pow(0.93, k), phi = 0.3 + 0.01 * k;
        a[(2 * k) * n + 2 * k] = a[(2 * k + 1) * n + 2 * k + 1] = r * cos(phi);
        a[(2 * k) * n + 2 * k + 1] = -3 * r * sin(phi);
        a[(2 * k + 1) * n + 2 * k] = r * sin(phi) / 3;
        if (k > 0) /* couples with the block above: the eigenvalues stay */
            a[(2 * k - 1) * n + 2 * k] = 0.2 * r;
    }
    slip_arnoldi_values found = find(&m, 10);
    assert_int_equal((int)found.count, 10);
    for (int k = 0; k < 10; k++) {
        const double r = pow(0.93, k), phi = 0.3 + 0.01 * k;
        assert_close(found.real[k], r * cos(phi), 1e-8);
        assert_close(found.imaginary[k], r * sin(phi), 1e-8);
    }
    expect_vectors(&m, &found);
    slip_arnoldi_free(&found);
    free(a);
}

/* An eigenvalue that is there six times is found six times. */
static void multiple(void **state)
{
    enum { n = 150 };
    double *a = calloc((size_t)n * n, sizeof *a);
    const matrix m = {n, a};
    (void)state;
    for (int i = 0; i < n; i++)
        a[i * n + i] = i < 6 ? -2 : pow(0.9, i - 6);
    slip_arnoldi_values found = find(&m, 9);
    assert_int_equal((int)found.count, 9);
    for (int k = 0; k < 9; k++) {
        assert_close(found.real[k], k < 6 ? -2 : pow(0.9, k - 6), 1e-9);
        assert_true(fabs(found.imaginary[k]) < 1e-9);
    }
    slip_arnoldi_free(&found);
    free(a);
}

/* Fewer unknowns than a block has vectors, and more eigenvalues wanted than there are: all of them. */
static void small(void **state)
{
    const double a[9] = {0, -2, 0, 2, 0, 0, 0, 0, 5}; /* +-2i and 5 */
    const matrix m = {3, a};
    (void)state;
    slip_arnoldi_values found = find(&m, 7);
    assert_int_equal((int)found.count, 2);
    assert_close(found.real[0], 5, 1e-12);
    assert_true(fabs(found.real[1]) < 1e-12);
    assert_close(found.imaginary[1], 2, 1e-12);
    slip_arnoldi_free(&found);
}

/* All eigenvalues of a matrix whose space the blocks do not divide: a mirrored diagonal, 1, 2^-6, 3^-6 and
 * on.
 */
static void all_of_a_space(void **state)
{
    enum { n = 18 };
    double a[n * n], mirror[n];
    const matrix m = {n, a};
    (void)state;
    for (int i = 0; i < n; i++)
        mirror[i] = sin(1.0 + i);
    const double size = slip_dense_dot(n, mirror, mirror);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i * n + j] = 0;
            for (int k = 0; k < n; k++)
                a[i * n + j] += ((i == k) - 2 * mirror[i] * mirror[k] / size) / pow(k + 1.0, 6) *
                                ((j == k) - 2 * mirror[j] * mirror[k] / size);
        }
    slip_arnoldi_values found = find(&m, 40);
    assert_int_equal((int)found.count, n);
    for (int k = 0; k < n; k++) {
        assert_close(found.real[k], 1 / pow(k + 1.0, 6), 1e-12);
        assert_true(found.imaginary[k] == 0);
    }
    expect_vectors(&m, &found);
    slip_arnoldi_free(&found);
}

/* A full matrix of random numbers against LAPACK. */
static void random_matrix(void **state)
{
    enum { n = 90 };
    double *a = calloc((size_t)n * n, sizeof *a), *copy = calloc((size_t)n * n, sizeof *copy),
           *vectors = calloc((size_t)n * n, sizeof *vectors), re[n], im[n];
    const matrix m = {n, a};
    uint64_t seed = 5;
    (void)state;
    for (int i = 0; i < n * n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        a[i] = (double)(seed >> 11) / 9007199254740992.0 - 0.5;
    }
    memcpy(copy, a, sizeof(double) * n * n);
    assert_int_equal(slip_dense_eigenvectors_any(n, copy, re, im, vectors), SLIP_OK);
    slip_arnoldi_values found = find(&m, 6);
    for (int k = 0; k < 6; k++) {
        double off = INFINITY;
        int larger = 0;
        for (int i = 0; i < n; i++) {
            off = fmin(off, hypot(re[i] - found.real[k], im[i] - found.imaginary[k]));
            larger += im[i] >= 0 && hypot(re[i], im[i]) > hypot(found.real[k], found.imaginary[k]) + 1e-7;
        }
        assert_true(off < 1e-8 && larger == k);
    }
    expect_vectors(&m, &found);
    slip_arnoldi_free(&found);
    free(a);
    free(copy);
    free(vectors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs),          cmocka_unit_test(multiple),      cmocka_unit_test(small),
        cmocka_unit_test(all_of_a_space), cmocka_unit_test(random_matrix),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
