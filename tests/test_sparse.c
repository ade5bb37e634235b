/* Sparse assembly and factorisation against dense arithmetic. */
#include "math/columns.h"
#include "math/condense.h"
#include "math/factor.h"
#include "math/sparse.h"
#include "math/substitute.h"
#include "test.h"

#include <cblas.h>
#include <omp.h>
#include <string.h>

enum { unknowns = 60, elements = 200, per_element = 4 };

/* Random elements over random unknowns, some of them held. Each is a sum of squares plus a little of the
 * identity: the whole is positive definite. */
typedef struct random_elements {
    int64_t start[elements + 1], list[elements * per_element];
    double matrix[elements][per_element * per_element];
} random_elements;

static void fill_random(random_elements *r, uint64_t seed)
{
    memset(r, 0, sizeof *r);
    for (int e = 0; e < elements; e++) {
        double a[per_element][per_element];
        r->start[e + 1] = (e + 1) * per_element;
        for (int i = 0; i < per_element; i++) {
            bool again = true;
            while (again) {
                int64_t unknown = (int64_t)test_random(&seed, -5, unknowns);
                r->list[e * per_element + i] = unknown < 0 ? -1 : unknown;
                again = false;
                for (int j = 0; j < i && unknown >= 0; j++)
                    again |= r->list[e * per_element + j] == unknown;
            }
            for (int j = 0; j < per_element; j++)
                a[i][j] = test_random(&seed, -1, 1);
        }
        for (int i = 0; i < per_element; i++)
            for (int j = 0; j < per_element; j++) {
                double sum = i == j ? 1e-3 : 0;
                for (int k = 0; k < per_element; k++)
                    sum += a[i][k] * a[j][k];
                r->matrix[e][i * per_element + j] = sum;
            }
    }
}

static void element_of(const void *user, int64_t element, double *matrix)
{
    const random_elements *r = user;
    memcpy(matrix, r->matrix[element], sizeof r->matrix[element]);
}

static void dense_of(const random_elements *r, double dense[unknowns][unknowns])
{
    memset(dense, 0, sizeof(double) * unknowns * unknowns);
    for (int e = 0; e < elements; e++)
        for (int i = 0; i < per_element; i++)
            for (int j = 0; j < per_element; j++) {
                const int64_t a = r->list[e * per_element + i], b = r->list[e * per_element + j];
                if (a >= 0 && b >= 0)
                    dense[a][b] += r->matrix[e][i * per_element + j];
            }
}

static slip_sparse *build(slip_context *ctx, const random_elements *r)
{
    slip_assembly *assembly = NULL;
    slip_sparse *matrix = NULL;
    assert_int_equal(slip_assembly_create(ctx, unknowns, elements, r->start, r->list, &assembly), SLIP_OK);
    assert_int_equal(slip_sparse_create(ctx, assembly, &matrix), SLIP_OK);
    assert_int_equal(slip_sparse_assemble(ctx, assembly, element_of, r, matrix), SLIP_OK);
    slip_assembly_destroy(assembly);
    return matrix;
}

/* Every entry of the elements is there once, in order, and nothing else. */
static void test_assembly(void **state)
{
    slip_context *ctx = slip_context_create();
    static random_elements r;
    static double dense[unknowns][unknowns];
    slip_sparse *matrix;
    int64_t entries = 0;
    (void)state;
    fill_random(&r, 7);
    dense_of(&r, dense);
    matrix = build(ctx, &r);
    for (int j = 0; j < unknowns; j++) {
        assert_int_equal(matrix->row[matrix->start[j]], j);
        for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++) {
            assert_true(k == matrix->start[j] || matrix->row[k] > matrix->row[k - 1]);
            assert_close(matrix->value[k], dense[matrix->row[k]][j], 1e-13);
        }
        for (int i = j; i < unknowns; i++)
            entries += i == j || dense[i][j] != 0;
    }
    assert_int_equal(matrix->start[unknowns], entries);
    slip_sparse_destroy(matrix);
    slip_context_destroy(ctx);
}

/* No two elements of a colour share an unknown. */
static void test_colours(void **state)
{
    slip_context *ctx = slip_context_create();
    static random_elements r;
    slip_assembly *a = NULL;
    int64_t placed = 0;
    (void)state;
    fill_random(&r, 13);
    /* More elements meet in unknown 3 than there are common colours. */
    for (int e = 0; e < 90; e++)
        r.list[e * per_element] = 3;
    for (int e = 0; e < 90; e++)
        for (int i = 1; i < per_element; i++)
            if (r.list[e * per_element + i] == 3)
                r.list[e * per_element + i] = -1;
    assert_int_equal(slip_assembly_create(ctx, unknowns, elements, r.start, r.list, &a), SLIP_OK);
    for (int64_t c = 0; c < a->colour_count; c++) {
        bool used[unknowns] = {false};
        for (int64_t k = a->colour[c]; k < a->colour[c + 1]; k++, placed++)
            for (int i = 0; i < per_element; i++) {
                const int64_t unknown = r.list[a->order[k] * per_element + i];
                if (unknown < 0)
                    continue;
                assert_false(used[unknown]);
                used[unknown] = true;
            }
    }
    assert_int_equal(placed, elements);
    slip_assembly_destroy(a);
    slip_context_destroy(ctx);
}

static void test_solve(void **state)
{
    enum { sides = 5 };
    slip_context *ctx = slip_context_create();
    static random_elements r;
    static double right[sides * unknowns], solution[sides * unknowns], product[unknowns];
    slip_sparse *matrix;
    slip_factor *factor = NULL;
    uint64_t seed = 3;
    int64_t unknown;
    (void)state;
    fill_random(&r, 17);
    matrix = build(ctx, &r);
    assert_int_equal(slip_factor_create(ctx, matrix, NULL, &factor, &unknown), SLIP_OK);
    for (int i = 0; i < sides * unknowns; i++)
        right[i] = test_random(&seed, -1, 1);
    for (int count = 1; count <= sides; count += 2) {
        assert_int_equal(slip_factor_solve(ctx, factor, count, right, solution), SLIP_OK);
        for (int s = 0; s < count; s++) {
            slip_sparse_multiply(matrix, solution + s * unknowns, product);
            for (int i = 0; i < unknowns; i++)
                assert_close(product[i], right[s * unknowns + i], 1e-10);
        }
    }
    slip_factor_destroy(factor);
    slip_sparse_destroy(matrix);
    slip_context_destroy(ctx);
}

/* The springs of a grid. */
static void spring(const void *user, int64_t element, double *matrix)
{
    (void)user;
    matrix[0] = matrix[3] = 1 + (double)(element % 7) / 3; /* sums that round */
    matrix[1] = matrix[2] = -matrix[0];
    matrix[0] += 1e-3;
    matrix[3] += 1e-3;
}

static slip_sparse *build_grid(slip_context *ctx, int side)
{
    const int64_t springs = 2 * (int64_t)side * (side - 1);
    int64_t *start = malloc((size_t)(springs + 1) * sizeof *start),
            *list = malloc(2 * (size_t)springs * sizeof *list);
    int64_t count = 0;
    slip_assembly *assembly = NULL;
    slip_sparse *matrix = NULL;
    for (int64_t i = 0; i < side; i++)
        for (int64_t j = 0; j + 1 < side; j++)
            for (int turned = 0; turned < 2; turned++) {
                start[count] = 2 * count;
                list[2 * count] = turned ? j * side + i : i * side + j;
                list[2 * count + 1] = turned ? (j + 1) * side + i : i * side + j + 1;
                count++;
            }
    start[count] = 2 * count;
    assert_int_equal(slip_assembly_create(ctx, (int64_t)side * side, springs, start, list, &assembly),
                     SLIP_OK);
    assert_int_equal(slip_sparse_create(ctx, assembly, &matrix), SLIP_OK);
    assert_int_equal(slip_sparse_assemble(ctx, assembly, spring, NULL, matrix), SLIP_OK);
    slip_assembly_destroy(assembly);
    free(start);
    free(list);
    return matrix;
}

/* The sums have the same bits for any number of threads, on a matrix that is large enough for several. */
static void test_threads(void **state)
{
    enum { side = 90 };
    slip_context *ctx = slip_context_create();
    slip_sparse *one, *many;
    const int before = omp_get_max_threads();
    (void)state;
    omp_set_num_threads(1);
    one = build_grid(ctx, side);
    for (int threads = 2; threads <= 5; threads++) {
        omp_set_num_threads(threads);
        many = build_grid(ctx, side);
        assert_memory_equal(one->value, many->value, (size_t)one->start[one->size] * sizeof(double));
        slip_sparse_destroy(many);
    }
    omp_set_num_threads(before);
    slip_sparse_destroy(one);
    slip_context_destroy(ctx);
}

/* With unknowns ordered by groups (here of two in a row of the grid, in an order of their own) the result is
 * the same up to rounding. */
static void check_groups(slip_context *ctx, const slip_sparse *matrix, int64_t rows, const int64_t *start,
                         const int64_t *unknown, const double *value, const double *expected)
{
    const int64_t count = (matrix->size + 1) / 2;
    int64_t *group = malloc((size_t)matrix->size * sizeof *group);
    double *found = malloc((size_t)(rows * rows) * sizeof *found);
    slip_factor *factor = NULL;
    for (int64_t i = 0; i < matrix->size; i++)
        group[i] = count - 1 - i / 2;
    assert_int_equal(slip_factor_create(ctx, matrix, group, &factor, NULL), SLIP_OK);
    assert_int_equal(slip_condense_rows(ctx, factor, rows, start, unknown, value, found), SLIP_OK);
    for (int64_t i = 0; i < rows * rows; i++)
        assert_close(found[i], expected[i], 1e-11);
    slip_factor_destroy(factor);
    free(group);
    free(found);
}

/* A step with impulses: A x = r + B^T p, and the rows B A^-1 r on the way up, against whole solves. */
static void check_halves(slip_context *ctx, slip_factor *factor, int64_t n, int64_t rows,
                         const int64_t *start, const int64_t *unknown, const double *value)
{
    double *numbers = malloc((size_t)(4 * n + 3 * rows) * sizeof *numbers), *right = numbers, *y = right + n,
           *x = y + n, *whole = x + n, *b = whole + n, *p = b + rows;
    slip_substitution *halves = slip_substitution_create(slip_factor_supernodes(factor));
    slip_condensation *condensed = NULL;
    uint64_t seed = 5;
    for (int64_t i = 0; i < n; i++)
        right[i] = test_random(&seed, -1, 1);
    for (int64_t k = 0; k < rows; k++)
        p[k] = test_random(&seed, -1, 1);
    assert_non_null(halves);
    assert_int_equal(slip_condensation_create(ctx, factor, rows, start, unknown, value, &condensed), SLIP_OK);
    assert_true(slip_substitution_up(halves, right, y));
    slip_condensation_rows(condensed, y, b);
    assert_int_equal(slip_factor_solve(ctx, factor, 1, right, whole), SLIP_OK);
    for (int64_t k = 0; k < rows; k++) {
        double expected = 0;
        for (int64_t e = start[k]; e < start[k + 1]; e++)
            expected += value[e] * whole[unknown[e]];
        assert_close(b[k], expected, 1e-10);
    }
    slip_condensation_add(condensed, p, y);
    assert_true(slip_substitution_down(halves, y, x));
    for (int64_t k = 0; k < rows; k++)
        for (int64_t e = start[k]; e < start[k + 1]; e++)
            right[unknown[e]] += value[e] * p[k];
    assert_int_equal(slip_factor_solve(ctx, factor, 1, right, whole), SLIP_OK);
    for (int64_t i = 0; i < n; i++)
        assert_close(x[i], whole[i], 1e-10);
    slip_condensation_destroy(condensed);
    slip_substitution_destroy(halves);
    free(numbers);
}

/* a A + b B of matrices with other entries, against their products with a vector. */
static void test_sum(void **state)
{
    enum { side = 12, n = side * side };
    slip_context *ctx = slip_context_create();
    slip_sparse *grid = build_grid(ctx, side), *sum = NULL;
    int64_t start[n + 1], row[n];
    double ones[n], x[n], found[n], product[n], both[n];
    slip_sparse diagonal = {.size = n, .start = start, .row = row, .value = ones};
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        start[i] = row[i] = i;
        ones[i] = 1 + 0.1 * (double)i;
        x[i] = sin((double)i);
    }
    start[n] = n;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(
            slip_sparse_sum(ctx, k ? 2 : -3, k ? grid : &diagonal, k ? -3 : 2, k ? &diagonal : grid, &sum),
            SLIP_OK);
        slip_sparse_multiply(sum, x, found);
        slip_sparse_multiply(grid, x, product);
        for (int i = 0; i < n; i++)
            assert_close(found[i], 2 * product[i] - 3 * ones[i] * x[i], 1e-12);
        slip_sparse_multiply_two(sum, ones, x, both, product); /* of x the same bits as alone */
        assert_memory_equal(product, found, sizeof product);
        slip_sparse_multiply(sum, ones, found);
        assert_memory_equal(both, found, sizeof both);
        slip_sparse_destroy(sum);
    }
    slip_sparse_destroy(grid);
    slip_context_destroy(ctx);
}

/* C = B A^-1 B^T by the way through whole solutions; and the same bits for any number of our threads. */
static void check_condense(slip_context *ctx, int side)
{
    enum { rows = 75 };
    const int64_t n = (int64_t)side * side;
    static double found[rows * rows], again[rows * rows];
    int64_t start[rows + 1], unknown[3 * rows];
    double value[3 * rows], *x = malloc((size_t)n * sizeof *x);
    slip_sparse *matrix = build_grid(ctx, side);
    slip_factor *factor = NULL;
    const int before = omp_get_max_threads();
    uint64_t seed = 23;
    for (int i = 0; i <= rows; i++)
        start[i] = 3 * i;
    for (int i = 0; i < 3 * rows; i++) {
        unknown[i] = (int64_t)test_random(&seed, 0, (double)n);
        value[i] = test_random(&seed, -1, 1);
    }
    assert_int_equal(slip_factor_create(ctx, matrix, NULL, &factor, NULL), SLIP_OK);
    assert_int_equal(slip_condense_rows(ctx, factor, rows, start, unknown, value, found), SLIP_OK);
    check_groups(ctx, matrix, rows, start, unknown, value, found);
    check_halves(ctx, factor, n, rows, start, unknown, value);
    for (int j = 0; j < rows; j++) {
        memset(x, 0, (size_t)n * sizeof *x);
        for (int k = 3 * j; k < 3 * j + 3; k++)
            x[unknown[k]] += value[k];
        assert_int_equal(slip_factor_solve(ctx, factor, 1, x, x), SLIP_OK);
        for (int i = 0; i < rows; i++) {
            double expected = 0;
            for (int k = 3 * i; k < 3 * i + 3; k++)
                expected += value[k] * x[unknown[k]];
            assert_close(found[i * rows + j], expected, 1e-11);
            assert_true(found[i * rows + j] == found[j * rows + i]);
        }
    }
    for (int threads = 1; threads <= 4; threads++) {
        omp_set_num_threads(threads);
        assert_int_equal(slip_condense_rows(ctx, factor, rows, start, unknown, value, again), SLIP_OK);
        assert_memory_equal(found, again, sizeof found);
    }
    omp_set_num_threads(before);
    slip_factor_destroy(factor);
    slip_sparse_destroy(matrix);
    free(x);
}

static void test_condense(void **state)
{
    slip_context *ctx = slip_context_create();
    (void)state;
    check_condense(ctx, 3);
    check_condense(ctx, 40);
    check_condense(ctx, 120); /* ordered by METIS */
    slip_context_destroy(ctx);
}

/* Blocks of right-hand sides against one at a time; the same bits for any number of our threads. */
static void check_block(slip_context *ctx, slip_factor *factor, int64_t n, int64_t count)
{
    const size_t bytes = (size_t)(n * count) * sizeof(double);
    double *right = malloc(bytes), *one = malloc(bytes), *block = malloc(bytes);
    const int before = omp_get_max_threads();
    uint64_t seed = 5;
    for (int64_t i = 0; i < n * count; i++)
        right[i] = test_random(&seed, -1, 1);
    for (int64_t k = 0; k < count; k++)
        assert_int_equal(slip_factor_solve(ctx, factor, 1, right + k * n, one + k * n), SLIP_OK);
    assert_int_equal(slip_factor_solve(ctx, factor, count, right, block), SLIP_OK);
    for (int64_t i = 0; i < n * count; i++)
        assert_close(block[i], one[i], 1e-10);
    for (int threads = 1; threads <= 4; threads++) {
        omp_set_num_threads(threads);
        memcpy(one, right, bytes);
        assert_int_equal(slip_factor_solve(ctx, factor, count, one, one), SLIP_OK);
        assert_memory_equal(one, block, bytes);
    }
    omp_set_num_threads(before);
    free(right);
    free(one);
    free(block);
}

/* Loads at a few unknowns only, and solutions there only. */
static void check_few(slip_context *ctx, slip_factor *factor, int64_t n)
{
    enum { few = 7 };
    int64_t list[few];
    const slip_unknowns unknowns_few = {few, list};
    double *right = calloc((size_t)(n * few), sizeof *right),
           *whole = calloc((size_t)(n * few), sizeof *whole);
    double *part = calloc((size_t)(n * few), sizeof *part);
    uint64_t seed = 9;
    for (int k = 0; k < few; k++)
        list[k] = n / 3 + 5 * k < n ? n / 3 + 5 * k : n - 1;
    for (int64_t k = 0; k < few; k++)
        right[k * n + list[k]] = test_random(&seed, 1, 2);
    assert_int_equal(slip_factor_solve(ctx, factor, few, right, whole), SLIP_OK);
    assert_int_equal(slip_factor_solve_from(ctx, factor, unknowns_few, few, right, part), SLIP_OK);
    assert_memory_equal(part, whole, (size_t)(n * few) * sizeof *part);
    for (int64_t i = 0; i < n * few; i++)
        right[i] = test_random(&seed, -1, 1);
    assert_int_equal(slip_factor_solve(ctx, factor, few, right, whole), SLIP_OK);
    assert_int_equal(slip_factor_solve_at(ctx, factor, unknowns_few, few, right, part), SLIP_OK);
    for (int64_t k = 0; k < few; k++)
        for (int i = 0; i < few; i++)
            assert_true(part[k * n + list[i]] == whole[k * n + list[i]]);
    free(right);
    free(whole);
    free(part);
}

static void test_blocks(void **state)
{
    slip_context *ctx = slip_context_create();
    (void)state;
    static const int sides[] = {3, 40, 120}; /* the last is ordered by METIS */
    for (int i = 0; i < 3; i++) {
        slip_sparse *matrix = build_grid(ctx, sides[i]);
        slip_factor *factor = NULL;
        assert_int_equal(slip_factor_create(ctx, matrix, NULL, &factor, NULL), SLIP_OK);
        check_block(ctx, factor, matrix->size, 4);
        check_block(ctx, factor, matrix->size, 37);
        check_few(ctx, factor, matrix->size);
        for (int64_t k = 0; k < matrix->start[matrix->size]; k++)
            matrix->value[k] *= 2;
        assert_int_equal(slip_factor_compute(ctx, matrix, factor, NULL), SLIP_OK);
        check_block(ctx, factor, matrix->size, 8);
        slip_factor_destroy(factor);
        slip_sparse_destroy(matrix);
    }
    slip_context_destroy(ctx);
}

/* A chain of springs with one that pulls the wrong way: the message names an unknown at which it fails. */
static void test_indefinite(void **state)
{
    slip_context *ctx = slip_context_create();
    static random_elements r;
    slip_sparse *matrix;
    slip_factor *factor = NULL;
    int64_t unknown;
    (void)state;
    fill_random(&r, 19);
    matrix = build(ctx, &r);
    matrix->value[matrix->start[42]] = -1;
    assert_int_equal(slip_factor_create(ctx, matrix, NULL, &factor, &unknown), SLIP_ERROR_SOLVER);
    assert_null(factor);
    assert_true(unknown >= 0 && unknown < unknowns);
    assert_non_null(strstr(slip_context_message(ctx), "not positive definite at unknown"));
    slip_sparse_destroy(matrix);
    slip_context_destroy(ctx);
}

/* A diagonal matrix: here the unknown is known. */
static void test_indefinite_place(void **state)
{
    slip_context *ctx = slip_context_create();
    int64_t start[6] = {0, 1, 2, 3, 4, 5}, row[5] = {0, 1, 2, 3, 4}, unknown;
    double value[5] = {1, 2, -3, 4, 5};
    slip_sparse matrix = {5, start, row, value};
    slip_factor *factor = NULL;
    (void)state;
    assert_int_equal(slip_factor_create(ctx, &matrix, NULL, &factor, &unknown), SLIP_ERROR_SOLVER);
    assert_int_equal(unknown, 2);
    value[2] = 3;
    assert_int_equal(slip_factor_create(ctx, &matrix, NULL, &factor, &unknown), SLIP_OK);
    slip_factor_destroy(factor);
    slip_context_destroy(ctx);
}

/* Threads that hold BLAS at the same time, in any order: afterwards it has the threads that it had. */
static void test_hold(void **state)
{
    (void)state;
    openblas_set_num_threads(2);
    const int before = openblas_get_num_threads(); /* one where there is one processor */
    slip_columns_hold();
    slip_columns_hold();
    slip_columns_give_back();
    assert_int_equal(openblas_get_num_threads(), 1);
    slip_columns_give_back();
    assert_int_equal(openblas_get_num_threads(), before);
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int k = 0; k < 400; k++) {
        slip_columns_hold();
        slip_columns_give_back();
    }
    assert_int_equal(openblas_get_num_threads(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_assembly),   cmocka_unit_test(test_threads),
        cmocka_unit_test(test_colours),    cmocka_unit_test(test_solve),
        cmocka_unit_test(test_condense),   cmocka_unit_test(test_sum),
        cmocka_unit_test(test_indefinite), cmocka_unit_test(test_indefinite_place),
        cmocka_unit_test(test_blocks),     cmocka_unit_test(test_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
