/* Where a condition first comes to zero on a step, as the engine of lanes finds it, against bounds by
 * Bernstein's form in extended precision: before the root the condition is nowhere below zero by more than
 * rounding, at it it is zero and falls; where there is none it is nowhere below zero. Of polynomials, and of
 * steps of random systems, by stations and by series. */
#include "batch/engine.h"
#include "test.h"

#include <string.h>

#define LANES 1
#define NQ (z->n)
#define NC (z->contacts)
#define NW (z->waves)
#define NY (2 * NQ + 1 + 2 * NW + NC)
#define FUNCTION static inline
#include "batch/engine.inc"

/* Bernstein coefficients of the polynomial on [from, to]. */
static void bernstein(const double *c, long double from, long double to, long double *b)
{
    long double shifted[TERMS + 1], width = to - from, power = 1;
    for (int k = 0; k <= TERMS; k++)
        shifted[k] = (long double)c[k];
    for (int i = 0; i < TERMS; i++) /* about `from` */
        for (int k = TERMS - 1; k >= i; k--)
            shifted[k] += from * shifted[k + 1];
    for (int k = 0; k <= TERMS; k++, power *= width)
        shifted[k] *= power;
    for (int i = 0; i <= TERMS; i++) {
        long double term = 1;
        b[i] = 0;
        for (int k = 0; k <= i; k++) {
            b[i] += term * shifted[k];
            term *= (long double)(i - k) / (long double)(TERMS - k); /* binomial(i, k)/binomial(TERMS, k) */
        }
    }
}

/* Nowhere below -tolerance on [from, to]. */
static bool stays_above(const double *c, long double from, long double to, long double tolerance, int depth)
{
    long double b[TERMS + 1], lowest;
    bernstein(c, from, to, b);
    lowest = b[0];
    for (int k = 1; k <= TERMS; k++)
        lowest = b[k] < lowest ? b[k] : lowest;
    if (lowest > -tolerance)
        return true;
    if (b[0] <= -tolerance || b[TERMS] <= -tolerance || depth == 0)
        return false;
    const long double middle = (from + to) / 2;
    return stays_above(c, from, middle, tolerance, depth - 1) &&
           stays_above(c, middle, to, tolerance, depth - 1);
}

/* A condition along a motion; often one that nearly touches zero, from either side, or has two roots close
 * by. */
static void random_condition(uint64_t *seed, double *c)
{
    double factor[3] = {0, 0, 0}, rest[TERMS + 1], size = 1;
    const int kind = (int)test_random(seed, 0, 4);
    const double at = test_random(seed, 0, 1), apart = pow(10, test_random(seed, -9, 0));
    for (int k = 0; k <= TERMS; k++, size *= test_random(seed, 0.1, 0.5) / k)
        rest[k] = size * test_random(seed, -1, 1);
    rest[0] = fabs(rest[0]) + 0.05;
    factor[0] = 1;
    if (kind == 1) { /* (x - at)^2 -+ apart^2 */
        factor[0] = at * at + (test_random(seed, 0, 1) < 0.5 ? -1 : 1) * apart * apart;
        factor[1] = -2 * at;
        factor[2] = 1;
    } else if (kind == 2) { /* at - x */
        factor[0] = at;
        factor[1] = -1;
    } else if (kind == 3)
        rest[0] = apart;
    for (int k = 0; k <= TERMS; k++) {
        c[k] = 0;
        for (int i = 0; i < 3 && i <= k; i++)
            c[k] += factor[i] * rest[k - i];
    }
}

static void no_root_is_passed_over(void **state)
{
    (void)state;
    const int count = test_all() ? 1000000 : test_cases(40000);
    uint64_t seed = 5;
    int found = 0, clear = 0;
    for (int k = 0; k < count; k++) {
        double c[TERMS + 1], size = 0;
        random_condition(&seed, c);
        if (!(c[0] > 1e-12)) /* conditions hold at the start */
            continue;
        for (int i = 0; i <= TERMS; i++)
            size += fabs(c[i]);
        real value, slope;
        evaluate(c, 1, &value, &slope);
        const double x = first_root(c, value, slope, -1), tolerance = 1e-15 * size;
        if (x < 0) {
            print_error("case %d takes too long\n", k);
            fail();
        }
        if (!stays_above(c, 0, x > 1.5 ? 1 : x, 16 * tolerance, 60)) {
            print_error("case %d: a root before %.17g was passed over\n", k, x);
            fail();
        }
        if (x > 1.5) {
            clear++;
            continue;
        }
        found++;
        evaluate(c, x, &value, &slope);
        assert_true(x >= 0 && x <= 1);
        assert_close(value, 0, 64 * tolerance + 1e-15 * fabs(slope));
        /* it falls: next to it, further than rounding can tell, it is below zero, or it hardly moves there */
        assert_true(slope < 1e-6 * size);
    }
    printf("%d with a root, %d without\n", found, clear);
    assert_true(found > count / 8 && clear > count / 8);
}

/* ---- Steps of random systems. */

enum { most = 3 };

/* Numbers of a set: masses of 1, one contact. */
static void random_set(uint64_t *seed, slip_batch_shape *z, double *set)
{
    *z = (slip_batch_shape){.n = 1 + (int)test_random(seed, 0, most),
                            .contacts = 1,
                            .waves = (int)test_random(seed, 0, 3),
                            .has_gap = {test_random(seed, 0, 1) < 0.4}};
    for (int i = 0; i < NQ; i++)
        for (int j = 0; j < NY; j++)
            set[i * NY + j] = i == j        ? -test_random(seed, 0.2, 3)
                              : j < NQ      ? test_random(seed, -0.3, 0.3)
                              : j == NQ + i ? test_random(seed, -0.6, 0.1)
                              : j < 2 * NQ  ? test_random(seed, -0.1, 0.1)
                              : j == 2 * NQ ? test_random(seed, -1, 1)
                              : j < NY - 1  ? test_random(seed, -1.5, 1.5)
                                            : 0;
    const contact_numbers k = contact_of(z, set, 0);
    double *row = set + (k.row - set), *response = row + NQ, *rest = response + NQ,
           *number = rest + 1 + 2 * NW;
    number[BATCH_COMPLIANCE] = 0;
    for (int i = 0; i < NQ; i++) {
        row[i] = response[i] = i == 0 ? 1 : test_random(seed, -1, 1);
        number[BATCH_COMPLIANCE] += row[i] * row[i];
        set[i * NY + NY - 1] = GAP(0) ? 0 : row[i];
    }
    for (int j = 0; j < 1 + 2 * NW; j++)
        rest[j] = test_random(seed, 0, 1) < 0.5 ? 0 : test_random(seed, -0.5, 0.5);
    number[BATCH_KINETIC] = test_random(seed, 0.1, 1);
    number[BATCH_HOLD] = number[BATCH_KINETIC];
    number[BATCH_RESTITUTION] = 0.5;
    for (int w = 0; w < NW; w++)
        number[BATCH_CONTACT_NUMBERS + w] = test_random(seed, 0.2, 3);
    number[BATCH_CONTACT_NUMBERS + NW] = 1000;
}

/* A state whose condition holds, often just so. */
static void random_state(uint64_t *seed, const slip_batch_shape *z, double *set, table_store *store,
                         slip_batch_lane *lane)
{
    const contact_numbers k = contact_of(z, set, 0);
    double *number = set + (k.number - set), *rest = set + (k.rest - set);
    const double spare = pow(10, test_random(seed, -7, 0.3));
    *lane = (slip_batch_lane){.status = BATCH_GOES_ON, .wanted = 1};
    for (int j = 0; j < 2 * NQ; j++)
        lane->y[j] = test_random(seed, -1.5, 1.5);
    set_waves(z, set, test_random(seed, 0, 20), lane->y);
    if (GAP(0)) {
        lane->mode[0] = BATCH_OPEN;
        rest[0] += spare - value_of(z, k, lane->y, 0);
    } else if (test_random(seed, 0, 1) < 0.4) {
        lane->mode[0] = BATCH_STICK;
        clean(z, set, lane, lane->y);
        const double *table = find_table(z, set, store, 1);
        assert_non_null(table);
        number[BATCH_HOLD] = fabs(dot(NY, table + places_of(z).condition, lane->y)) + spare;
    } else {
        const bool plus = test_random(seed, 0, 1) < 0.5;
        lane->mode[0] = plus ? BATCH_PLUS : BATCH_MINUS;
        rest[0] += (plus ? spare : -spare) - value_of(z, k, lane->y, 1);
        clean(z, set, lane, lane->y);
    }
}

static void no_event_is_passed_over(void **state)
{
    (void)state;
    const int count = test_all() ? 1000000 : test_cases(20000);
    uint64_t seed = 11;
    int clear = 0, direct = 0, searched = 0;
    for (int number = 0; number < count; number++) {
        static double tables[2 * ROOM_TABLE];
        static side_by_side b;
        static slip_batch_lane lane;
        slip_batch_shape shape, *z = &shape;
        double set[ROOM_NUMBERS], rows[TERMS + 1], poly[2][TERMS + 1], y[ROOM_Y];
        unsigned pattern[2];
        table_store store = {0, 2, pattern, tables};
        random_set(&seed, z, set);
        random_state(&seed, z, set, &store, &lane);
        store.count = 0; /* the rest of the set has changed */
        memset(&b, 0, sizeof b);
        b.lane[0] = &lane;
        b.set[0] = set;
        b.pattern[0] = ~0u;
        b.until = 1000;
        b.active = b.fresh = -1;
        enter_lane(z, &b, 0, &store);
        look(z, &b);
        const side_by_side before = b;
        expand(z, &b, rows);
        double size = b.bound_rest[0] * 384;
        for (int side = 0; side < 2; side++)
            polynomial_of(&b, rows, 0, -side, poly[side]);
        for (int i = 0; i <= TERMS; i++)
            size += fabs(rows[i]);
        double end = 1;
        if (any(walk(z, &b)))
            clear++;
        else {
            real best = 2, second = 4, who = -1, later = 0;
            b = before;
            walk(z, &b);
            mask slow = inspect(z, &b, -1, 1, &best, &second, &who);
            if (!slow && best < 1.5) {
                approach(z, &b, best, y);
                slow = meet(z, &b, -1, who, y, &later);
                best += later / b.H;
                slow |= -(best < 0 || best > 1);
            }
            if (slow)
                search(z, &b, -1, &best, &second, &who);
            searched += slow != 0;
            direct += !slow;
            if (best < 1.5) {
                real value, slope;
                evaluate(poly[(int)who], best, &value, &slope);
                assert_close(value, 0, 1e-14 * size + 2e-15 * fabs(slope));
                end = best;
            }
        }
        for (int side = 0; side < 2; side++)
            if (fabs(side ? b.low[0] : b.high[0]) < FAR_AWAY &&
                !stays_above(poly[side], 0, end, 1e-14 * size, 60)) {
                print_error("step %d: an end of its condition before %.17g was passed over\n", number, end);
                fail();
            }
    }
    printf("%d steps clear, %d ends found from stations, %d by series\n", clear, direct, searched);
    assert_true(clear > count / 10 && direct > count / 10 && searched > count / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_root_is_passed_over),
                                       cmocka_unit_test(no_event_is_passed_over)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
