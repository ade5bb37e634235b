/* What every test includes: cmocka in its required order, and comparisons of floating-point numbers that
 * print both sides. */
#ifndef SLIP_TESTS_TEST_H
#define SLIP_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline void check_close(double found, double expected, double tolerance, const char *what,
                               const char *file, int line)
{
    if (!(fabs(found - expected) <= tolerance)) {
        print_error("%s: found %.17g, expected %.17g, difference %.3g > %.3g\n", what, found, expected,
                    found - expected, tolerance);
        _fail(file, line);
    }
}

/* |found - expected| <= tolerance; a NaN fails. */
#define assert_close(found, expected, tolerance)                                                             \
    check_close((found), (expected), (tolerance), #found, __FILE__, __LINE__)

/* The same relative to the expected value. */
#define assert_close_relative(found, expected, tolerance)                                                    \
    check_close((found), (expected), (tolerance)*fabs(expected), #found, __FILE__, __LINE__)

/* The sanitizers look for other mistakes than wrong numbers, and are slow. */
#ifdef __SANITIZE_ADDRESS__
static const bool test_sanitized = true;
#else
static const bool test_sanitized = false;
#endif

/* How many random cases: an eighth under the sanitizers. */
static inline int test_cases(int count)
{
    return test_sanitized ? (count + 7) / 8 : count;
}

/* Whether scripts/test --all asks for everything. */
static inline bool test_all(void)
{
    return getenv("SLIPSTICK_TEST_ALL") != NULL;
}

/* The same of tests that compare very many: a tenth of them, unless all are asked for. */
static inline int test_many(int count)
{
    return test_cases(test_all() ? count : (count + 9) / 10);
}

static inline void test_skipped(void **state)
{
    (void)state;
    skip();
}

/* In a list of tests, one that is about numbers alone: it goes with other numbers through code that others
 * run under the sanitizers, and is skipped there. */
#define cmocka_unit_test_of_numbers(test)                                                                    \
    {                                                                                                        \
        .name = #test, .test_func = test_sanitized ? test_skipped : (test)                                   \
    }

/* One that takes long and shows once more what others show: for scripts/test --all. */
#define cmocka_unit_test_of_all(test)                                                                        \
    {                                                                                                        \
        .name = #test, .test_func = test_all() ? (test) : test_skipped                                       \
    }

/* A small generator of fixed-seed numbers, uniform in [low, high). */
static inline double test_random(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(*seed >> 11) / 9007199254740992.0);
}

#endif
