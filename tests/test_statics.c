/* All solutions of small static contact problems: closed forms, brute force, uniqueness, continua. */
#include "statics_builder.h"

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

/* ---- One point: reference solutions. */

typedef struct expected_solution {
    unsigned char allowed; /* bits of the modes */
    double values[4];      /* u_n, u_t, l_n (not positive), l_t */
} expected_solution;

typedef struct one_point_case {
    double F, fn, ft;
    int count, continua;
    expected_solution solutions[3];
} one_point_case;

enum {
    open_bit = 1 << SLIP_MODE_OPEN,
    stick_bit = 1 << SLIP_MODE_STICK,
    plus_bit = 1 << SLIP_MODE_SLIP_PLUS,
    minus_bit = 1 << SLIP_MODE_SLIP_MINUS
};

static const one_point_case one_point_cases[] = {
    {2,
     1,
     -1.6,
     3,
     0,
     {{open_bit, {-10.0 / 11, -23.0 / 11, 0, 0}},
      {stick_bit, {0, 0, -1, 1.6}},
      {minus_bit, {0, -0.5, -0.5, 1}}}},
    {2, 1, -2, 2, 0, {{open_bit, {-20.0 / 11, -35.0 / 11, 0, 0}}, {stick_bit | minus_bit, {0, 0, -1, 2}}}},
    {2, 1, 3, 1, 0, {{plus_bit, {0, 0.3125, -1.3125, -2.625}}}},
    {0.4, 1.3, 0.8, 1, 0, {{plus_bit, {0, 0.175, -1.475, -0.59}}}},
    {1.2, 1, -1.2, 0, 1, {{0}}}}; /* open and stick are the ends of the continuum */

static const slip_static_solution *find_solution(const slip_static_solutions *list, unsigned char allowed)
{
    for (int64_t k = 0; k < list->count; k++)
        if (list->items[k].dimension == 0 && list->items[k].allowed[0] == allowed)
            return &list->items[k];
    return NULL;
}

static void check_one_point(const one_point_case *which)
{
    raw_problem raw = one_point(1.2, 1, which->F, which->fn, which->ft);
    condensed small;
    slip_static_solutions list = {0};
    int singles = 0, continua = 0;
    condense(ctx, &raw, &small);
    assert_int_equal(slip_static_enumerate(ctx, &small.problem, &list), SLIP_OK);
    for (int64_t k = 0; k < list.count; k++) {
        singles += list.items[k].dimension == 0;
        continua += list.items[k].dimension == 1;
    }
    assert_int_equal(singles, which->count);
    assert_int_equal(continua, which->continua);
    for (int k = 0; k < which->count; k++) {
        const slip_static_solution *s = find_solution(&list, which->solutions[k].allowed);
        const double *expected = which->solutions[k].values;
        double q[2];
        assert_non_null(s);
        coordinates_of(&raw, &small, s->lambda, q);
        assert_close(q[0], expected[0], 1e-12);
        assert_close(q[1], expected[1], 1e-12);
        assert_close(-s->lambda[0], expected[2], 1e-12);
        assert_close(s->lambda[1], expected[3], 1e-12);
        assert_true(slip_static_residual(&small.problem, s->lambda, s->d) < 1e-12);
    }
    slip_static_solutions_free(&list);
    slip_arena_free(&small.arena);
}

static void one_point_solutions(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof one_point_cases / sizeof one_point_cases[0]; k++)
        check_one_point(&one_point_cases[k]);
}

/* F = B/c on the line ft = -F fn: slip- with u_t from -fn/c to 0. */
static void continuum_has_its_ends(void **state)
{
    (void)state;
    raw_problem raw = one_point(1.2, 1, 1.2, 1, -1.2);
    condensed small;
    slip_static_solutions list = {0};
    const slip_static_solution *continuum = NULL;
    condense(ctx, &raw, &small);
    assert_int_equal(slip_static_enumerate(ctx, &small.problem, &list), SLIP_OK);
    for (int64_t k = 0; k < list.count; k++)
        if (list.items[k].dimension == 1)
            continuum = &list.items[k];
    assert_non_null(continuum);
    assert_int_equal(continuum->modes[0], SLIP_MODE_SLIP_MINUS);
    assert_int_equal(continuum->end_count, 2);
    assert_false(continuum->unbounded);
    double low = fmin(continuum->end_d[0][1], continuum->end_d[1][1]);
    double high = fmax(continuum->end_d[0][1], continuum->end_d[1][1]);
    assert_close(low, -1, 1e-12);
    assert_close(high, 0, 1e-12);
    for (int k = 0; k < 2; k++)
        assert_true(slip_static_residual(&small.problem, continuum->end_lambda[k], continuum->end_d[k]) <
                    1e-12);
    slip_static_solutions_free(&list);
    slip_arena_free(&small.arena);
}

/* The middle one of three solutions has the other sign. */
static void stability_is_the_sign_of_the_determinant(void **state)
{
    (void)state;
    raw_problem raw = one_point(1.2, 1, 2, 1, -1.6);
    condensed small;
    slip_static_solutions list = {0};
    condense(ctx, &raw, &small);
    assert_int_equal(slip_static_enumerate(ctx, &small.problem, &list), SLIP_OK);
    assert_int_equal(find_solution(&list, open_bit)->sign_low, 1);
    assert_int_equal(find_solution(&list, stick_bit)->sign_low, 1);
    assert_int_equal(find_solution(&list, minus_bit)->sign_high, -1);
    slip_static_solutions_free(&list);
    slip_arena_free(&small.arena);
}

/* The rule of counts over the plane of loads, F below, at and above B/c. */
static void counts_follow_the_rule(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int k = 0; k < 3000; k++) {
        const double B = test_random(&seed, 0.5, 2), c = B * test_random(&seed, -0.95, 0.95);
        const double F = test_random(&seed, 0, 3), fn = test_random(&seed, -1, 1);
        const double ft = test_random(&seed, -3, 3), side = c > 0 ? ft : -ft, edge = B / fabs(c);
        if (fabs(F - edge) < 1e-3 || fabs(side + F * fn) < 1e-6 || fabs(side + edge * fn) < 1e-6)
            continue;
        raw_problem raw = one_point(B, c, F, fn, ft);
        const int expected = F > edge && -F * fn < side && side < -edge * fn ? 3 : 1;
        condensed small;
        slip_static_solutions list = {0};
        condense(ctx, &raw, &small);
        assert_int_equal(slip_static_enumerate(ctx, &small.problem, &list), SLIP_OK);
        assert_int_equal(list.count, expected);
        slip_static_solutions_free(&list);
        slip_arena_free(&small.arena);
    }
}

/* ---- Brute force. */

static found_solution found[most_found];

static void compare_with_brute_force(const raw_problem *raw)
{
    condensed small;
    slip_static_solutions list = {0};
    const int count = brute_force(raw, found);
    for (int k = 0; k < count; k++)
        if (found[k].nearest < 1e-7) /* on a boundary up to rounding: the count is a matter of taste */
            return;
    condense(ctx, raw, &small);
    assert_int_equal(slip_static_enumerate(ctx, &small.problem, &list), SLIP_OK);
    assert_true(list.complete);
    assert_int_equal(list.count, count);
    for (int k = 0; k < count; k++) {
        bool there = false;
        for (int64_t j = 0; j < list.count && !there; j++) {
            there = memcmp(list.items[j].modes, found[k].modes,
                           sizeof(slip_mode) * (size_t)raw->contact_count) == 0;
            if (!there)
                continue;
            double q[most_coordinates];
            coordinates_of(raw, &small, list.items[j].lambda, q);
            for (int i = 0; i < raw->n; i++)
                assert_close(q[i], found[k].q[i], 1e-7 * (1 + fabs(found[k].q[i])));
            for (int i = 0; i < raw->direction_count; i++)
                assert_close(list.items[j].lambda[i], found[k].lambda[i],
                             1e-7 * (1 + fabs(found[k].lambda[i])));
            assert_true(slip_static_residual(&small.problem, list.items[j].lambda, list.items[j].d) < 1e-9);
        }
        assert_true(there);
    }
    slip_static_solutions_free(&list);
    slip_arena_free(&small.arena);
}

static void random_problems_equal_brute_force(void **state)
{
    (void)state;
    static const int trials[] = {0, 2000, 2000, 800, 150, 25};
    uint64_t seed = 11;
    for (int contacts = 1; contacts <= 5; contacts++)
        for (int k = 0; k < trials[contacts]; k++) {
            const raw_problem raw =
                random_problem(&seed, contacts, k % 2 == 1, k % 3 == 0 ? 0.5 : 0, test_random(&seed, 0.1, 4));
            compare_with_brute_force(&raw);
        }
}

/* With mu below a bound there is exactly one solution. */
static void small_friction_has_one_solution(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (int k = 0; k < 1500; k++) {
        const int contacts = 1 + k % 4;
        raw_problem raw = random_problem(&seed, contacts, false, 0, 1);
        condensed small;
        slip_static_solutions list = {0};
        for (int c = 0; c < contacts; c++)
            raw.friction[c] = 0;
        condense(ctx, &raw, &small);
        /* x . A x >= (least eigenvalue of C) |x|^2 - mu max|C_ij| sum |x_i||x_c| over rows i and slipping
         * contacts c, and the sum is at most (number of contacts) |x|^2: below the bound every A is positive
         * definite. */
        const int n = small.problem.shape.direction_count;
        double copy[most_directions * most_directions], values[most_directions], largest = 0;
        memcpy(copy, small.problem.at.compliance, sizeof(double) * (size_t)(n * n));
        assert_true(slip_dense_eigenvalues(n, copy, values));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                largest = fmax(largest, i == j ? 0 : fabs(small.problem.at.compliance[i * n + j]));
        for (int c = 0; c < contacts; c++)
            small.problem.at.friction[c] = raw.friction[c] = 0.9 * values[0] / (largest * contacts + 1e-9);
        assert_int_equal(slip_static_enumerate(ctx, &small.problem, &list), SLIP_OK);
        assert_int_equal(list.count, 1);
        assert_int_equal(list.items[0].sign_low, 1);
        slip_static_solutions_free(&list);
        slip_arena_free(&small.arena);
    }
}

/* Twice the load, twice the answer: same modes. */
static void load_scales_the_answer(void **state)
{
    (void)state;
    uint64_t seed = 23;
    for (int k = 0; k < 300; k++) {
        raw_problem raw = random_problem(&seed, 1 + k % 3, false, 0, 3);
        condensed small, large;
        slip_static_solutions first = {0}, second = {0};
        memset(raw.offset, 0, sizeof raw.offset);
        condense(ctx, &raw, &small);
        for (int i = 0; i < raw.n; i++)
            raw.load[i] *= 1024;
        condense(ctx, &raw, &large);
        assert_int_equal(slip_static_enumerate(ctx, &small.problem, &first), SLIP_OK);
        assert_int_equal(slip_static_enumerate(ctx, &large.problem, &second), SLIP_OK);
        assert_int_equal(first.count, second.count);
        for (int64_t j = 0; j < first.count; j++) {
            assert_memory_equal(first.items[j].allowed, second.items[j].allowed, (size_t)raw.contact_count);
            for (int i = 0; i < raw.direction_count; i++)
                assert_close(1024 * first.items[j].lambda[i], second.items[j].lambda[i],
                             1e-8 * (1 + fabs(second.items[j].lambda[i])));
        }
        slip_static_solutions_free(&first);
        slip_static_solutions_free(&second);
        slip_arena_free(&small.arena);
        slip_arena_free(&large.arena);
    }
}

/* ---- Structures that only their contacts hold. */

/* A block on a table, pushed: K is zero. It sticks while |f| <= mu N, and has no static solution beyond. */
static void free_block_is_held_by_friction(void **state)
{
    (void)state;
    for (int k = -5; k <= 5; k++) {
        raw_problem raw = {.n = 2, .contact_count = 1, .direction_count = 2};
        const double rows[] = {0, 1, 1, 0};
        condensed small;
        slip_static_solutions list = {0};
        memcpy(raw.rows, rows, sizeof rows);
        raw.contacts[0] = (slip_static_contact){0, 1};
        raw.friction[0] = 0.5;
        raw.load[0] = 0.31 * k;
        raw.load[1] = -2;
        condense(ctx, &raw, &small);
        assert_int_equal(small.nullity, 2);
        assert_int_equal(slip_static_enumerate(ctx, &small.problem, &list), SLIP_OK);
        assert_int_equal(list.count, fabs(raw.load[0]) < 1 ? 1 : 0);
        if (list.count > 0) {
            double q[2];
            coordinates_of(&raw, &small, list.items[0].lambda, q);
            assert_int_equal(list.items[0].modes[0], SLIP_MODE_STICK);
            assert_close(list.items[0].lambda[0], 2, 1e-14);
            assert_close(list.items[0].lambda[1], -raw.load[0], 1e-14);
            assert_close(q[0], 0, 1e-14);
            assert_close(q[1], 0, 1e-14);
        }
        slip_static_solutions_free(&list);
        slip_arena_free(&small.arena);
    }
}

/* Singular and with springs: every solution satisfies the laws and the twin agrees. */
static void singular_stiffness_equals_brute_force(void **state)
{
    (void)state;
    uint64_t seed = 29;
    for (int k = 0; k < 400; k++) {
        raw_problem raw = random_problem(&seed, 1 + k % 3, false, 0, 2);
        const int n = raw.n;
        double free_motion[most_coordinates], size = 0;
        for (int i = 0; i < n; i++) {
            free_motion[i] = test_random(&seed, -1, 1);
            size += free_motion[i] * free_motion[i];
        }
        /* P K P with P = I - v v^T/|v|^2 */
        double half[most_coordinates * most_coordinates];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                half[i * n + j] = raw.stiffness[i * n + j];
                for (int l = 0; l < n; l++)
                    half[i * n + j] -= raw.stiffness[i * n + l] * free_motion[l] * free_motion[j] / size;
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                raw.stiffness[i * n + j] = half[i * n + j];
                for (int l = 0; l < n; l++)
                    raw.stiffness[i * n + j] -= free_motion[i] * free_motion[l] * half[l * n + j] / size;
            }
        compare_with_brute_force(&raw);
    }
}

/* ---- Problems too large for all sets of modes: Newton, and the path over friction. */

static void seeking_finds_what_enumeration_finds(void **state)
{
    (void)state;
    uint64_t seed = 31;
    int all = 0, sought = 0;
    for (int k = 0; k < 300; k++) {
        const raw_problem raw = random_problem(&seed, 2 + k % 4, k % 2 == 1, 0, test_random(&seed, 0.1, 2));
        condensed small;
        slip_static_solutions every = {0}, some = {0};
        condense(ctx, &raw, &small);
        assert_int_equal(slip_static_enumerate(ctx, &small.problem, &every), SLIP_OK);
        assert_int_equal(slip_static_seek(ctx, &small.problem, 20, &some), SLIP_OK);
        assert_false(some.complete);
        for (int64_t j = 0; j < some.count; j++)
            assert_true(slip_static_solutions_find(&every, &small.problem, some.items[j].lambda,
                                                   some.items[j].d) >= 0);
        all += (int)every.count;
        sought += (int)some.count;
        assert_true(some.count > 0 || every.count == 0);
        slip_static_solutions_free(&every);
        slip_static_solutions_free(&some);
        slip_arena_free(&small.arena);
    }
    assert_true(sought > 0.97 * all);
}

/* At least one, without random starts. */
static void seek_one(const slip_static_problem *problem)
{
    slip_static_solutions some = {0};
    assert_int_equal(slip_static_seek(ctx, problem, 0, &some), SLIP_OK);
    assert_true(some.count > 0);
    assert_true(slip_static_residual(problem, some.items[0].lambda, some.items[0].d) < 1e-8);
    slip_static_solutions_free(&some);
}

static void one_solution_is_always_found(void **state)
{
    (void)state;
    uint64_t seed = 37;
    for (int k = 0; k < 400; k++) {
        const raw_problem raw = random_problem(&seed, 1 + k % 8, false, 0, test_random(&seed, 0.1, 5));
        condensed small;
        condense(ctx, &raw, &small);
        seek_one(&small.problem);
        slip_arena_free(&small.arena);
    }
}

/* Newton's method cycles in some problems from every start; the path over friction leads to a solution all
 * the same. */
static void cycling_falls_back_to_a_path(void **state)
{
    (void)state;
    uint64_t seed = 53;
    int cycles = 0;
    for (int k = 0; k < 3000; k++) {
        const raw_problem raw = random_problem(&seed, 3 + k % 4, false, 0, 4);
        condensed small;
        slip_static_solutions direct = {0};
        condense(ctx, &raw, &small);
        assert_int_equal(slip_static_restart(ctx, &small.problem, 0, &direct), SLIP_OK);
        if (direct.count == 0) {
            cycles++;
            seek_one(&small.problem);
        }
        slip_static_solutions_free(&direct);
        slip_arena_free(&small.arena);
    }
    assert_true(cycles > 10);
}

/* Eight contacts, 65536 sets of modes: what the search finds satisfies the laws, and what Newton's method
 * finds is among it. */
static void eight_contacts(void **state)
{
    (void)state;
    uint64_t seed = 59;
    for (int k = 0; k < 3; k++) {
        const raw_problem raw = random_problem(&seed, 8, false, 0, 2);
        condensed small;
        slip_static_solutions every = {0}, some = {0};
        condense(ctx, &raw, &small);
        assert_int_equal(slip_static_enumerate(ctx, &small.problem, &every), SLIP_OK);
        assert_int_equal(slip_static_seek(ctx, &small.problem, 30, &some), SLIP_OK);
        assert_true(every.count > 0 && some.count > 0);
        for (int64_t j = 0; j < every.count; j++)
            assert_true(slip_static_residual(&small.problem, every.items[j].lambda, every.items[j].d) < 1e-9);
        for (int64_t j = 0; j < some.count; j++)
            assert_true(slip_static_solutions_find(&every, &small.problem, some.items[j].lambda,
                                                   some.items[j].d) >= 0);
        slip_static_solutions_free(&every);
        slip_static_solutions_free(&some);
        slip_arena_free(&small.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_point_solutions),
        cmocka_unit_test(continuum_has_its_ends),
        cmocka_unit_test(stability_is_the_sign_of_the_determinant),
        cmocka_unit_test(counts_follow_the_rule),
        cmocka_unit_test(random_problems_equal_brute_force),
        cmocka_unit_test_of_numbers(small_friction_has_one_solution),
        cmocka_unit_test(load_scales_the_answer),
        cmocka_unit_test(free_block_is_held_by_friction),
        cmocka_unit_test(singular_stiffness_equals_brute_force),
        cmocka_unit_test(seeking_finds_what_enumeration_finds),
        cmocka_unit_test(one_solution_is_always_found),
        cmocka_unit_test(cycling_falls_back_to_a_path),
        cmocka_unit_test(eight_contacts),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
