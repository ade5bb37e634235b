/* exp(A h): a ladder of steps that double, and a short series below the lowest rung.
 *
 * With |A| the matrix of absolute values, rate its spectral radius and rate h <= 1/64, the series needs no
 * more than eight terms; the rungs exp(A h 2^k) come from it by squaring, in extended precision, so that each
 * of them is good to rounding. The eigenvectors, which may not exist, are never needed. A time distance is a
 * sum of rungs and a remainder (h is a power of two, so the remainder is exact).
 *
 * Bounds use |exp(A u)| <= exp(|A| u), entry by entry: the remainder of a condition's Taylor polynomial over
 * a step H is at most
 *
 *     |row A^(K+1)| exp(|A| H) |y| H^(K+1) / (K+1)!. */
#include "method/exact/reduce.h"
#include "method/exact/types.h"

#include <math.h>
#include <string.h>

/* Finds the entries of y on which entry i depends at any later time: they are among those from reach[2 i] to
 * reach[2 i + 1] - 1. Loads, which come last, depend on loads only. */
static void find_reach(int size, const double *generator, int *reach)
{
    for (int i = 0; i < size; i++) {
        int low = i, high = i + 1;
        for (int j = low; j < high; j++)
            for (int k = 0; k < size; k++)
                if (generator[j * size + k] != 0 && (k < low || k >= high)) {
                    low = k < low ? k : low;
                    high = k < high ? high : k + 1;
                    j = low - 1; /* start again with all entries */
                    break;
                }
        reach[2 * i] = low;
        reach[2 * i + 1] = high;
    }
}

/* product = a b, for functions of A; entries outside `reach`, zero in both, are not written. */
static void multiply(int size, const int *reach, const long double *a, const long double *b,
                     long double *product)
{
    for (int i = 0; i < size; i++) {
        const int low = reach[2 * i], high = reach[2 * i + 1];
        for (int j = low; j < high; j++) {
            const long double *row = a + i * size + low, *column = b + low * size + j;
            long double sum = 0;
            for (int k = low; k < high; k++, column += size)
                sum += *row++ * *column;
            product[i * size + j] = sum;
        }
    }
}

/* The spectral radius of |A| from above: the 64th root of the norm of its 64th power. Exactly zero when A is
 * nilpotent. `power` and `square` are scratch. */
static double find_rate(int size, const double *generator, double *power, double *square)
{
    double logarithm = 0;
    for (int i = 0; i < size * size; i++)
        power[i] = fabs(generator[i]);
    for (int doubling = 0;; doubling++) {
        double norm = 0;
        for (int i = 0; i < size; i++) {
            double sum = 0;
            for (int j = 0; j < size; j++)
                sum += power[i * size + j];
            norm = sum > norm ? sum : norm;
        }
        if (norm == 0)
            return 0;
        logarithm = 2 * logarithm + log(norm);
        if (doubling == 6)
            return exp(logarithm / 64);
        for (int i = 0; i < size * size; i++)
            power[i] /= norm;
        memset(square, 0, (size_t)size * (size_t)size * sizeof *power);
        slip_exact_multiply_add(size, size, size, 1, power, power, square);
        double *swap = power;
        power = square;
        square = swap;
    }
}

static void store(const slip_exact_set *set, const long double *matrix, double *columns)
{
    for (int j = 0; j < set->size; j++)
        for (int i = 0; i < set->size; i++)
            columns[j * set->padded + i] = (double)matrix[i * set->size + j];
}

/* result += factors[0] + factors[1] B + factors[2] B^2 + factors[3] B^3 */
static void add_powers(int size, const long double *powers, const long double *factors, long double *result)
{
    int square = size * size;
    for (int i = 0; i < square; i++)
        result[i] += factors[1] * powers[i] + factors[2] * powers[square + i] +
                     (factors[3] != 0 ? factors[3] * powers[2 * square + i] : 0);
    for (int i = 0; i < size; i++)
        result[i * (size + 1)] += factors[0];
}

/* Computes the lowest rung: the series of degree 9 in B = A step, (..) + B^3 ((..) + B^3 (..)), which takes
 * four products (Paterson and Stockmeyer). `work` has room for four matrices. */
static void first_rung(const slip_exact_set *set, const int *reach, long double *rung, long double *work)
{
    static const long double factors[3][4] = {{1 / 720.0L, 1 / 5040.0L, 1 / 40320.0L, 1 / 362880.0L},
                                              {1 / 6.0L, 1 / 24.0L, 1 / 120.0L, 0},
                                              {1, 1, 0.5L, 0}};
    int size = set->size, square = size * size;
    long double *cube = work + 2 * square, *part = work + 3 * square;
    for (int i = 0; i < square; i++) {
        work[i] = (long double)set->generator[i] * set->step;
        part[i] = 0;
    }
    multiply(size, reach, work, work, work + square);
    multiply(size, reach, work + square, work, cube);
    add_powers(size, work, factors[0], part);
    multiply(size, reach, cube, part, rung);
    add_powers(size, work, factors[1], rung);
    multiply(size, reach, cube, rung, part);
    add_powers(size, work, factors[2], part);
    memcpy(rung, part, (size_t)square * sizeof *rung);
}

/* Stores (A step)^k / k! for all k of the longest series; for larger systems k = 1 only. */
static void build_powers(const slip_exact_set *set)
{
    int size = set->size, padded = set->padded, block = size * padded;
    double *power = set->powers;
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++)
            power[j * padded + i] = set->generator[i * size + j] * set->step;
    for (int k = 2; k <= slip_exact_degree && size <= slip_exact_small; k++, power += block) {
        double part[slip_exact_small * slip_exact_small];
        for (int i = 0; i < block; i++)
            part[i] = set->powers[i] / k;
        slip_exact_multiply_add(size, padded, padded, 1, part, power, power + block);
    }
}

/* The shape that propagation is compiled for (types.h). One coordinate, free or in stick, under constant and
 * harmonic loads has size 4 or 5. */
static int find_shape(int size, const double *generator)
{
    bool acts = size < 4 || size > 5;
    for (int i = 2; i < size && !acts; i++)
        acts = generator[i * size] != 0 || generator[i * size + 1] != 0;
    return acts ? size : -size;
}

bool slip_exact_ladder_build(slip_exact_set *set)
{
    int64_t square = (int64_t)set->size * set->size, block = (int64_t)set->size * set->padded;
    int64_t powers = set->size <= slip_exact_small ? slip_exact_degree : 1;
    SLIP_FREED long double *work = slip_alloc(4 * square + 1, sizeof *work);
    set->reach = slip_arena_array(&set->arena, 2 * (int64_t)set->size, sizeof *set->reach);
    set->last = slip_arena_array(&set->arena, 2 * square, sizeof *set->last);
    set->powers = slip_arena_array(&set->arena, block * powers, sizeof(double));
    set->ladder = slip_arena_array(&set->arena, block * slip_exact_rungs, sizeof(double));
    if (!work || !set->reach || !set->last || !set->powers || !set->ladder)
        return false;
    set->spare = set->last + square;
    slip_exact_forget_level(set);
    set->rate = find_rate(set->size, set->generator, (double *)work, (double *)work + square);
    set->step = set->rate > 0 ? exp2(floor(-6 - log2(set->rate))) : 1;
    set->shape = find_shape(set->size, set->generator);
    build_powers(set);
    if (set->rate > 0) {
        memset(work, 0, (size_t)(4 * square) * sizeof *work);
        find_reach(set->size, set->generator, set->reach);
        first_rung(set, set->reach, set->last, work);
        store(set, set->last, set->ladder);
        set->rungs = 1;
    }
    return true;
}

void slip_exact_ladder_extend(slip_exact_set *set, int rung)
{
    for (; set->rungs <= rung; set->rungs++) {
        long double *half = set->last;
        multiply(set->size, set->reach, half, half, set->spare);
        set->last = set->spare;
        set->spare = half;
        store(set, set->last, set->ladder + (ptrdiff_t)set->rungs * set->size * set->padded);
    }
}

/* ---- Conditions. */

/* Upper bounds of exp(|A| step 2^k), row by row, for k = 0 to slip_exact_bounds - 1. All terms are positive,
 * so that rounding errors are relative; a part of 1e-4 covers them and the truncation of the series. */
static void build_growth(const slip_exact_set *set, double *growth)
{
    int size = set->size, square = size * size;
    /* scratch: blocks of the result that are filled later */
    double *term = growth + square, *next = growth + 2 * square, *absolute = growth + 3 * square;
    for (int i = 0; i < square; i++) {
        growth[i] = term[i] = i % (size + 1) == 0;
        absolute[i] = fabs(set->generator[i]);
    }
    for (int k = 1; k <= 6; k++) {
        memset(next, 0, (size_t)square * sizeof(double));
        slip_exact_multiply_add(size, size, size, set->step / k, term, absolute, next);
        for (int i = 0; i < square; i++)
            growth[i] += term[i] = next[i];
    }
    for (int i = 0; i < square; i++)
        growth[i] *= 1.0001;
    for (int k = 1; k < slip_exact_bounds; k++) {
        const double *half = growth + (k - 1) * square;
        double *whole = growth + k * square;
        memset(whole, 0, (size_t)square * sizeof(double));
        slip_exact_multiply_add(size, size, size, 1, half, half, whole);
    }
}

double *slip_exact_growth_create(const slip_exact_set *set)
{
    double *growth = slip_alloc((int64_t)slip_exact_bounds * set->size * set->size + 1, sizeof(double));
    if (growth && set->rate > 0)
        build_growth(set, growth);
    return growth;
}

double *slip_exact_series_of_row(slip_exact_set *set, double *row, double *next)
{
    enum { count = slip_exact_degree + 1 };
    const int size = set->size;
    double *taylor = slip_arena_array(&set->arena, (int64_t)size * count, sizeof *taylor);
    for (int k = 0; k < count && taylor; k++) {
        for (int j = 0; j < size; j++)
            taylor[j * count + k] = row[j];
        memset(next, 0, (size_t)size * sizeof(double));
        slip_exact_multiply_add(1, size, size, set->step / (k + 1), row, set->generator, next);
        memcpy(row, next, (size_t)size * sizeof(double));
    }
    return taylor;
}

bool slip_exact_watch_build(slip_exact_set *set, slip_exact_watch *watch, const double *growth, double *row,
                            double *next)
{
    enum { count = slip_exact_degree + 1 };
    int size = set->size;
    double power = 1;
    watch->taylor = slip_exact_series_of_row(set, row, next);
    watch->bound = slip_arena_array(&set->arena, (int64_t)slip_exact_bounds * set->padded, sizeof(double));
    if (!watch->taylor || !watch->bound)
        return false;
    for (int j = 0; j < size; j++)
        row[j] = fabs(row[j]);
    for (int level = 0; level < slip_exact_bounds && set->rate > 0; level++) {
        slip_exact_multiply_add(1, size, size, power, row, growth + level * size * size,
                                watch->bound + level * set->padded);
        power *= 1 << count;
    }
    return true;
}
