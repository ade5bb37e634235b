/* Complex modes of large sparse matrices against all eigenvalues by LAPACK, and against closed forms. */
#include "test.h"

#include "math/dense.h"
#include "math/quadratic.h"
#include "pad_lattice.h"

#include <complex.h>
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

/* The slow twin: all eigenvalues of the first-order matrix, those with an imaginary part that is not
 * negative, by rising size. The mass is diagonal. */
static int by_size(const void *a, const void *b)
{
    const double x = cabs(*(const double complex *)a), y = cabs(*(const double complex *)b);
    return x < y ? -1 : x > y;
}

static int all_eigenvalues(const pad_matrix *mass, const pad_matrix *damper, const pad_matrix *stiffness,
                           double complex *values)
{
    const int64_t n = mass->size, size = 2 * n;
    double *a = calloc((size_t)(size * size), sizeof *a), *v = calloc((size_t)(size * size), sizeof *v),
           *re = calloc((size_t)size, sizeof *re), *im = calloc((size_t)size, sizeof *im);
    int count = 0;
    const slip_compressed *const parts[2] = {&stiffness->compressed, &damper->compressed};
    for (int64_t i = 0; i < n; i++)
        a[i * size + n + i] = 1;
    for (int p = 0; p < 2; p++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = parts[p]->start[j]; k < parts[p]->start[j + 1]; k++) {
                const int64_t i = parts[p]->row[k];
                a[(n + i) * size + p * n + j] -= parts[p]->value[k] / mass->compressed.value[i];
            }
    assert_int_equal(slip_dense_eigenvectors_any((int)size, a, re, im, v), SLIP_OK);
    for (int64_t k = 0; k < size; k++)
        if (im[k] >= 0)
            values[count++] = re[k] + I * im[k];
    qsort(values, (size_t)count, sizeof *values, by_size);
    free(a);
    free(v);
    free(re);
    free(im);
    return count;
}

/* The residual of every mode, with the matrices themselves. */
static void expect_residuals(const slip_quadratic *q, const slip_quadratic_modes *modes, double tolerance)
{
    const int64_t n = q->size;
    double *product = malloc(sizeof *product * (size_t)(6 * n));
    for (int64_t k = 0; k < modes->count; k++) {
        const double *x = modes->vectors + 2 * k * n;
        const double complex s = modes->real[k] + I * modes->imaginary[k];
        double worst = 0, size = 0;
        slip_compressed_multiply(q->stiffness, false, 2, x, product);
        slip_compressed_multiply(q->mass, false, 2, x, product + 2 * n);
        if (q->damping)
            slip_compressed_multiply(q->damping, false, 2, x, product + 4 * n);
        for (int64_t i = 0; i < n; i++) {
            double complex r =
                product[i] + I * product[n + i] + s * s * (product[2 * n + i] + I * product[3 * n + i]);
            if (q->damping)
                r += s * (product[4 * n + i] + I * product[5 * n + i]);
            worst = fmax(worst, cabs(r));
            size = fmax(size, cabs(s * s * (product[2 * n + i] + I * product[3 * n + i])));
        }
        assert_true(worst <= tolerance * size);
    }
    free(product);
}

static void compare(double mu, double damping, double slope, int64_t real_modes)
{
    enum { count = 10 };
    pad_matrix mass = {0}, damper = {0}, stiffness = {0};
    pad_build(10, 14, 30, mu, damping, slope, &mass, &damper, &stiffness);
    const slip_quadratic problem = {mass.size, &mass.compressed,
                                    damping != 0 || slope != 0 ? &damper.compressed : NULL,
                                    &stiffness.compressed};
    slip_quadratic_options options = slip_quadratic_options_default();
    slip_quadratic_modes modes = {0};
    double complex *truth = calloc(4 * (size_t)mass.size, sizeof *truth);
    options.count = count;
    options.real_modes = real_modes;
    if (slip_quadratic_lowest(ctx, &problem, &options, &modes) != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_int_equal(modes.count, count);
    assert_true(all_eigenvalues(&mass, &damper, &stiffness, truth) >= count);
    for (int k = 0; k < count; k++) {
        double least = INFINITY; /* pairs +- real with one size may change places */
        for (int i = 0; i < count + 2; i++)
            least = fmin(least, cabs(modes.real[k] + I * modes.imaginary[k] - truth[i]));
        assert_true(least <= 1e-8 * cabs(truth[k]));
        assert_true(modes.error[k] <= options.tolerance);
    }
    expect_residuals(&problem, &modes, 1e-6);
    free(truth);
    slip_quadratic_free(&modes);
    pad_free(&mass);
    pad_free(&damper);
    pad_free(&stiffness);
}

static void friction_without_damping(void **state)
{
    (void)state;
    compare(0.6, 0, 0, 0);
}

static void friction_and_damping(void **state)
{
    (void)state;
    compare(0.5, 0.02, -0.01, 0);
}

/* A poor start takes more rounds to the same end. */
static void few_real_modes(void **state)
{
    (void)state;
    compare(0.4, 0.5, 0.05, 14);
}

/* A long strip without friction: the projection on real modes is exact, and nothing is added. A square
 * membrane would do as well; here all is compared with itself by its residuals. */
static void symmetric(void **state)
{
    (void)state;
    pad_matrix mass = {0}, damper = {0}, stiffness = {0};
    pad_build(40, 40, 30, 0, 0, 0, &mass, &damper, &stiffness);
    const slip_quadratic problem = {mass.size, &mass.compressed, NULL, &stiffness.compressed};
    slip_quadratic_options options = slip_quadratic_options_default();
    slip_quadratic_modes modes = {0};
    options.count = 20;
    options.tolerance = 1e-6;
    assert_int_equal(slip_quadratic_lowest(ctx, &problem, &options, &modes), SLIP_OK);
    assert_int_equal(modes.rounds, 1);
    for (int k = 0; k < 20; k++)
        assert_true(modes.real[k] == 0 && modes.imaginary[k] > 0);
    slip_quadratic_free(&modes);
    pad_free(&mass);
    pad_free(&damper);
    pad_free(&stiffness);
}

/* A free chain: the symmetric part of K is singular, and its body goes anywhere. s = 2 i sin(k pi/2/n). */
static void free_chain(void **state)
{
    (void)state;
    enum { n = 500 };
    pad_matrix mass = {.size = n}, stiffness = {.size = n};
    for (int i = 0; i < n; i++) {
        pad_add(&mass, i, i, 1);
        for (int side = -1; side <= 1; side += 2)
            if (i + side >= 0 && i + side < n) {
                pad_add(&stiffness, i, i, 1);
                pad_add(&stiffness, i, i + side, -1);
            }
    }
    pad_close(&mass);
    pad_close(&stiffness);
    const slip_quadratic problem = {n, &mass.compressed, NULL, &stiffness.compressed};
    slip_quadratic_options options = slip_quadratic_options_default();
    slip_quadratic_modes modes = {0};
    options.count = 10;
    if (slip_quadratic_lowest(ctx, &problem, &options, &modes) != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_int_equal(modes.count, 10);
    for (int k = 0; k < 10; k++) /* that of s^2 to rounding of the largest, 4 */
        assert_close(modes.imaginary[k] * modes.imaginary[k] - modes.real[k] * modes.real[k],
                     pow(2 * sin(k * acos(-1) / 2 / n), 2), 1e-12);
    slip_quadratic_free(&modes);
    pad_free(&mass);
    pad_free(&stiffness);
}

static void refusals(void **state)
{
    (void)state;
    const int64_t start[3] = {0, 1, 2}, rows[2] = {0, 2};
    const double values[2] = {1, 1};
    const slip_compressed wrong = {2, start, rows, values};
    const slip_quadratic problem = {2, &wrong, NULL, &wrong};
    slip_quadratic_options options = slip_quadratic_options_default();
    slip_quadratic_modes modes = {0};
    options.count = 1;
    assert_int_equal(slip_quadratic_lowest(ctx, &problem, &options, &modes), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "mass"));
    options.count = 3;
    assert_int_equal(slip_quadratic_lowest(ctx, &problem, &options, &modes), SLIP_ERROR_USAGE);
    slip_quadratic_free(&modes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_without_damping),
        cmocka_unit_test(friction_and_damping),
        cmocka_unit_test(few_real_modes),
        cmocka_unit_test(symmetric),
        cmocka_unit_test(free_chain),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
