/* Block Lanczos against eigenvalues that are known in closed form, many of them double. */
#include "test.h"

#include "math/eigen.h"
#include "math/factor.h"

static const double pi = 3.14159265358979323846;

/* The five-point Laplacian on a square of n x n points, put together from springs. */
typedef struct grid {
    slip_context *ctx;
    int n;
    double *mass; /* diagonal */
    slip_assembly *assembly;
    slip_sparse *matrix;
    slip_factor *factor;
} grid;

static void spring(const void *user, int64_t element, double *matrix)
{
    (void)user;
    (void)element;
    matrix[0] = matrix[3] = 1;
    matrix[1] = matrix[2] = -1;
}

static void grid_create(grid *g, int n)
{
    int64_t count = 2 * n * (n + 1), *start = calloc((size_t)count + 1, sizeof *start);
    int64_t *ends = calloc(2 * (size_t)count, sizeof *ends), e = 0;
    g->ctx = slip_context_create();
    g->n = n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= n; j++)
            for (int turned = 0; turned < 2; turned++, e++) {
                start[e + 1] = 2 * (e + 1);
                for (int k = 0; k < 2; k++) { /* from j - 1 to j along the row or column i */
                    int at = j - 1 + k;
                    ends[2 * e + k] = at < 0 || at >= n ? -1 : turned ? at * n + i : i * n + at;
                }
            }
    assert_int_equal(slip_assembly_create(g->ctx, n * n, count, start, ends, &g->assembly), SLIP_OK);
    assert_int_equal(slip_sparse_create(g->ctx, g->assembly, &g->matrix), SLIP_OK);
    assert_int_equal(slip_sparse_assemble(g->ctx, g->assembly, spring, NULL, g->matrix), SLIP_OK);
    assert_int_equal(slip_factor_create(g->ctx, g->matrix, NULL, &g->factor, NULL), SLIP_OK);
    g->mass = malloc(sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n * n; i++)
        g->mass[i] = 2;
    free(start);
    free(ends);
}

static void grid_destroy(grid *g)
{
    free(g->mass);
    slip_factor_destroy(g->factor);
    slip_sparse_destroy(g->matrix);
    slip_assembly_destroy(g->assembly);
    slip_context_destroy(g->ctx);
}

static int grid_solve(void *user, int64_t count, const double *right, double *solution)
{
    grid *g = user;
    return slip_factor_solve(g->ctx, g->factor, count, right, solution);
}

static void grid_mass(void *user, int64_t count, const double *x, double *product)
{
    const grid *g = user;
    for (int64_t k = 0; k < count; k++)
        for (int i = 0; i < g->n * g->n; i++)
            product[k * g->n * g->n + i] = g->mass[i] * x[k * g->n * g->n + i];
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check_grid(int n, int count, int block, int basis, bool restarts)
{
    grid g;
    grid_create(&g, n);
    size_t size = (size_t)(n * n);
    double *exact = malloc(sizeof(double) * size), *values = malloc(sizeof(double) * (size_t)count);
    double *vectors = NULL, *product = malloc(sizeof(double) * size);
    for (int i = 0; i < n * n; i++)
        exact[i] = (4 - 2 * cos((1 + i / n) * pi / (n + 1)) - 2 * cos((1 + i % n) * pi / (n + 1))) / 2;
    qsort(exact, size, sizeof *exact, ascending);
    slip_eigen_options o = slip_eigen_options_default();
    o.count = count;
    o.block = block;
    o.basis = basis;
    slip_eigen_report report;
    slip_eigen_problem problem = {n * n, &g, grid_solve, grid_mass};
    assert_int_equal(slip_eigen_lowest(g.ctx, &problem, &o, values, &vectors, &report), SLIP_OK);
    assert_true((report.restarts > 0) == restarts);
    for (int k = 0; k < count; k++) {
        assert_close_relative(values[k], exact[k], 1e-11);
        const double *x = vectors + (size_t)k * size;
        slip_sparse_multiply(g.matrix, x, product);
        double residual = 0;
        for (size_t i = 0; i < size; i++)
            residual += pow(product[i] - values[k] * g.mass[i] * x[i], 2);
        assert_true(sqrt(residual) < 1e-8);
        for (int j = 0; j <= k; j++) {
            double dot = 0;
            for (size_t i = 0; i < size; i++)
                dot += g.mass[i] * x[i] * vectors[(size_t)j * size + i];
            assert_close(dot, j == k, 1e-11);
        }
    }
    free(exact);
    free(values);
    free(vectors);
    free(product);
    grid_destroy(&g);
}

static void double_eigenvalues_are_found_twice(void **state)
{
    (void)state;
    check_grid(40, 30, 8, 200, false);
    check_grid(40, 30, 8, 0, true);
    check_grid(40, 60, 2, 80, true);
    check_grid(40, 60, 8, 112, true); /* a third more than wanted and four blocks */
    check_grid(25, 10, 1, 60, false); /* single vectors find double ones too, by rounding, but late */
}

static void small_problems_are_dense(void **state)
{
    (void)state;
    check_grid(5, 25, 16, 0, false);
    check_grid(20, 390, 16, 0, false);
}

static void wrong_counts_are_refused(void **state)
{
    (void)state;
    grid g;
    grid_create(&g, 4);
    slip_eigen_options o = slip_eigen_options_default();
    slip_eigen_problem problem = {16, &g, grid_solve, grid_mass};
    double values[20];
    o.count = 17;
    assert_int_equal(slip_eigen_lowest(g.ctx, &problem, &o, values, NULL, NULL), SLIP_ERROR_USAGE);
    o.count = 0;
    assert_int_equal(slip_eigen_lowest(g.ctx, &problem, &o, values, NULL, NULL), SLIP_ERROR_USAGE);
    grid_destroy(&g);
}

/* Stops inside the iteration, also when it is the context's owner that was interrupted. */
typedef struct interrupter {
    grid grid;
    slip_context *owner;
    int calls;
} interrupter;

static int interrupting_solve(void *user, int64_t count, const double *right, double *solution)
{
    interrupter *i = user;
    if (++i->calls == 3)
        slip_context_interrupt(i->owner);
    return grid_solve(&i->grid, count, right, solution);
}

static void interrupt_ends_the_iteration(void **state)
{
    (void)state;
    interrupter i = {.owner = slip_context_create()};
    grid_create(&i.grid, 40);
    slip_context *own = slip_context_create_for(i.owner);
    slip_eigen_options o = slip_eigen_options_default();
    slip_eigen_problem problem = {1600, &i, interrupting_solve, grid_mass};
    double values[60], *vectors = NULL;
    o.count = 60;
    assert_int_equal(slip_eigen_lowest(own, &problem, &o, values, &vectors, NULL), SLIP_INTERRUPTED);
    assert_int_equal(i.calls, 3);
    assert_null(vectors);
    slip_context_destroy(own);
    slip_context_destroy(i.owner);
    grid_destroy(&i.grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_of_numbers(double_eigenvalues_are_found_twice),
        cmocka_unit_test(small_problems_are_dense),
        cmocka_unit_test(wrong_counts_are_refused),
        cmocka_unit_test(interrupt_ends_the_iteration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
