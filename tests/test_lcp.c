/* Complementarity and contact problems against enumeration of all states. */
#include "contact/problem.h"
#include "lcp_residual.h"
#include "math/lcp.h"
#include "math/least.h"
#include "test.h"

#include <string.h>

enum { most = 18 };

/* ---- Slow and obvious twins. */

static bool gauss(int n, double *a, double *x)
{
    for (int i = 0; i < n; i++) {
        int best = i;
        for (int j = i; j < n; j++)
            if (fabs(a[j * n + i]) > fabs(a[best * n + i]))
                best = j;
        if (fabs(a[best * n + i]) < 1e-12)
            return false;
        for (int k = 0; k < n; k++) {
            double swap = a[i * n + k];
            a[i * n + k] = a[best * n + k];
            a[best * n + k] = swap;
        }
        double swap = x[i];
        x[i] = x[best];
        x[best] = swap;
        for (int j = 0; j < n; j++) {
            double f = j == i ? 0 : a[j * n + i] / a[i * n + i];
            for (int k = i; k < n; k++)
                a[j * n + k] -= f * a[i * n + k];
            x[j] -= f * x[i];
        }
    }
    for (int i = 0; i < n; i++)
        x[i] /= a[i * n + i];
    return true;
}

/* Every subset of z that may be positive; true and the solution when there is one. */
static bool enumerate_lcp(int n, const double *m, const double *q, double *z)
{
    for (int set = 0; set < 1 << n; set++) {
        double a[most * most], x[most];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                a[i * n + j] = set >> i & 1 ? m[i * n + j] : i == j;
            x[i] = set >> i & 1 ? -q[i] : 0;
        }
        if (!gauss(n, a, x))
            continue;
        bool good = lcp_residual(n, m, q, x) < 1e-9;
        if (good) {
            memcpy(z, x, (size_t)n * sizeof(double));
            return true;
        }
    }
    return false;
}

static slip_lcp_outcome lemke(int n, const double *m, const double *q, double *z)
{
    double numbers[most * (2 * most + 2)];
    int indices[most];
    assert_true(slip_lcp_numbers(n) <= (int64_t)(sizeof numbers / sizeof *numbers));
    return slip_lcp_lemke(n, m, q, z, numbers, indices);
}

/* Positive definite and not symmetric: a P-matrix, with one solution. */
static void random_p_matrix(uint64_t *seed, int n, double *m)
{
    double a[most * most];
    for (int i = 0; i < n * n; i++)
        a[i] = test_random(seed, -1, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            m[i * n + j] = i == j ? 0.1 : i < j ? 0.7 * a[i * n + j] : -0.7 * a[j * n + i];
            for (int k = 0; k < n; k++)
                m[i * n + j] += a[i * n + k] * a[j * n + k];
        }
}

static void lemke_agrees_with_enumeration(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int turn = 0; turn < 3000; turn++) {
        int n = 1 + turn % 7;
        double m[most * most], q[most], z[most], expected[most];
        random_p_matrix(&seed, n, m);
        for (int i = 0; i < n; i++)
            q[i] = test_random(&seed, -1, 1);
        assert_int_equal(lemke(n, m, q, z), SLIP_LCP_SOLVED);
        assert_true(lcp_residual(n, m, q, z) < 1e-10);
        assert_true(enumerate_lcp(n, m, q, expected));
        for (int i = 0; i < n; i++)
            assert_close(z[i], expected[i], 1e-8 * (1 + fabs(expected[i])));
    }
}

/* Ties everywhere: constants from three values, matrices of rank one and two. */
static void lemke_does_not_cycle_on_degenerate_problems(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (int turn = 0; turn < 2000; turn++) {
        int n = 2 + turn % 6, rank = 1 + turn % 2;
        double m[most * most] = {0}, q[most] = {0}, z[most], a[most];
        for (int k = 0; k < rank; k++) {
            for (int i = 0; i < n; i++)
                a[i] = floor(test_random(&seed, 0, 3));
            for (int i = 0; i < n * n; i++)
                m[i] += a[i / n] * a[i % n];
            for (int i = 0; i < n; i++) /* q = -M e + slack: feasible */
                for (int j = 0; j < n; j++)
                    q[i] -= a[i] * a[j];
        }
        for (int i = 0; i < n; i++)
            q[i] += floor(test_random(&seed, 0, 2));
        assert_int_equal(lemke(n, m, q, z), SLIP_LCP_SOLVED);
        assert_true(lcp_residual(n, m, q, z) < 1e-9);
    }
}

static void lemke_reports_a_ray(void **state)
{
    const double m[] = {0, 0, 0, 1}, q[] = {-1, 1}, pull[] = {-1}, one[] = {-1};
    double z[2] = {5, 5};
    (void)state;
    assert_int_equal(lemke(2, m, q, z), SLIP_LCP_RAY);
    assert_true(z[0] == 0 && z[1] == 0);
    assert_int_equal(lemke(1, pull, one, z), SLIP_LCP_RAY);
    assert_int_equal(lemke(0, m, q, z), SLIP_LCP_SOLVED);
}

/* ---- Contact problems. */

typedef struct problem {
    double gram[most * most], b[most];
    slip_block rows[most];
    int m;
} problem;

typedef struct solution {
    double p[most], y[most];
    slip_block_state states[most];
    bool solved;
    double residual;
} solution;

typedef enum solver { ALL, SWEEPS, LEMKE, SEARCH } solver;

static solution solve(const problem *q, solver which)
{
    solution s = {.solved = true};
    slip_contact_problem given = {.m = q->m, .gram = q->gram, .initial = q->b, .rows = q->rows};
    slip_contact_solution into = {s.p, s.y, s.states};
    slip_contact_memory memory;
    slip_arena arena = {0};
    assert_true(slip_contact_memory_create(&arena, q->m, false, true, &memory));
    for (int i = 0; i < q->m; i++)
        s.states[i] = q->rows[i].kind == SLIP_BLOCK_LINEAR ? SLIP_BLOCK_SMOOTH : SLIP_BLOCK_ZERO;
    if (which == ALL)
        slip_contact_solve(&given, &into, &memory);
    else if (which == SEARCH)
        s.solved = slip_contact_search(&given, &into, &memory);
    else if (which == SWEEPS)
        s.solved = slip_contact_sweep(&given, &into, 1e-14, 200000) > 0;
    else
        s.solved = slip_contact_pivot(&given, &into, &memory);
    s.residual = slip_contact_residual(&given, s.p);
    slip_arena_free(&arena);
    return s;
}

/* G = W W^T + a little, from `motions` coordinates: below m it is singular but for what is added. */
static void random_gram(uint64_t *seed, problem *q, int motions, double extra)
{
    double w[most * most];
    for (int i = 0; i < q->m * motions; i++)
        w[i] = test_random(seed, -1, 1);
    for (int i = 0; i < q->m; i++)
        for (int j = 0; j < q->m; j++) {
            q->gram[i * q->m + j] = i == j ? extra : 0;
            for (int k = 0; k < motions; k++)
                q->gram[i * q->m + j] += w[i * motions + k] * w[j * motions + k];
        }
    for (int i = 0; i < q->m; i++)
        q->b[i] = test_random(seed, -1, 1);
}

/* Tangents with given bounds: a convex problem with one solution. */
static problem random_boxes(uint64_t *seed, int m, bool linear)
{
    problem q = {.m = m};
    random_gram(seed, &q, m, 0.05);
    for (int i = 0; i < m; i++) {
        double bound = test_random(seed, 0, 0.7);
        q.rows[i] = (slip_block){.kind = SLIP_BLOCK_FRICTION, .normal = -1, .hold = bound, .slide = bound};
        if (linear && i % 2)
            q.rows[i] = (slip_block){.kind = SLIP_BLOCK_LINEAR,
                                     .normal = -1,
                                     .slope = test_random(seed, 0, 3),
                                     .constant = test_random(seed, -1, 1)};
    }
    return q;
}

static void box_friction_by_all_ways(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (int turn = 0; turn < 1500; turn++) {
        problem q = random_boxes(&seed, 1 + turn % 5, turn % 3 == 0);
        solution all = solve(&q, ALL), sweeps = solve(&q, SWEEPS), lcp = solve(&q, LEMKE);
        assert_true(all.residual < 1e-12);
        assert_true(sweeps.solved);
        if (turn % 3 != 0)
            assert_true(lcp.solved && lcp.residual < 1e-9);
        for (int i = 0; i < q.m; i++) {
            assert_close(all.p[i], sweeps.p[i], 1e-9);
            if (lcp.solved)
                assert_close(all.p[i], lcp.p[i], 1e-8);
            assert_true(all.states[i] != SLIP_BLOCK_ZERO || all.y[i] == 0);
        }
    }
}

/* All states of contacts with a normal and a tangent each: 0 open, 1 stick, 2 slip+, 3 slip-. */
static int enumerate_contacts(const problem *q, double *p)
{
    int contacts = q->m / 2, found = 0, m = q->m;
    slip_contact_problem given = {.m = q->m, .gram = q->gram, .initial = q->b, .rows = q->rows};
    for (int code = 0; code < 1 << 2 * contacts; code++) {
        double a[most * most] = {0}, x[most] = {0};
        for (int c = 0; c < contacts; c++) {
            int mode = code >> 2 * c & 3, n = 2 * c, t = n + 1;
            double *normal = a + n * m, *tangent = a + t * m;
            normal[n] = tangent[t] = 1;
            if (mode != 0) {
                memcpy(normal, q->gram + n * m, (size_t)m * sizeof(double));
                x[n] = -q->b[n];
            }
            if (mode == 1) {
                memcpy(tangent, q->gram + t * m, (size_t)m * sizeof(double));
                x[t] = -q->b[t];
            } else if (mode > 1) {
                tangent[n] = (mode == 2 ? 1 : -1) * q->rows[t].slide;
            }
        }
        if (gauss(m, a, x) && slip_contact_residual(&given, x) < 1e-9) {
            memcpy(p, x, (size_t)m * sizeof(double));
            found++;
        }
    }
    return found;
}

static problem random_contacts(uint64_t *seed, int contacts, double mu)
{
    problem q = {.m = 2 * contacts};
    random_gram(seed, &q, q.m, 0.1);
    for (int c = 0; c < contacts; c++) {
        q.rows[2 * c] = (slip_block){.kind = SLIP_BLOCK_NORMAL, .normal = -1};
        q.rows[2 * c + 1] =
            (slip_block){.kind = SLIP_BLOCK_FRICTION, .normal = 2 * c, .hold = mu, .slide = mu};
    }
    return q;
}

static void contacts_agree_with_enumeration(void **state)
{
    uint64_t seed = 11;
    int several = 0;
    (void)state;
    for (int turn = 0; turn < 1500; turn++) {
        problem q = random_contacts(&seed, 1 + turn % 4, test_random(&seed, 0, 0.6));
        solution all = solve(&q, ALL), lcp = solve(&q, LEMKE), search = solve(&q, SEARCH);
        double expected[most];
        int found = enumerate_contacts(&q, expected);
        assert_true(found > 0);
        assert_true(all.residual < 1e-11);
        assert_true(lcp.solved && lcp.residual < 1e-9);
        assert_true(search.solved && search.residual < 1e-9);
        several += found > 1;
        for (int i = 0; i < q.m && found == 1; i++) {
            assert_close(all.p[i], expected[i], 1e-7 * (1 + fabs(expected[i])));
            assert_close(lcp.p[i], expected[i], 1e-7 * (1 + fabs(expected[i])));
            assert_close(search.p[i], expected[i], 1e-7 * (1 + fabs(expected[i])));
        }
    }
    assert_true(several < 150);
}

/* More contacts than motions: impulses are not unique, velocities are; of the impulses the search takes the
 * least of those that stick and press. */
static void redundant_contacts_are_solved(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (int turn = 0; turn < 400; turn++) {
        problem q = random_contacts(&seed, 1 + turn % 4, 0.3);
        double w[most * 2];
        for (int i = 0; i < 2 * q.m; i++)
            w[i] = test_random(&seed, -1, 1);
        for (int i = 0; i < q.m; i++)
            for (int j = 0; j < q.m; j++)
                q.gram[i * q.m + j] = w[2 * i] * w[2 * j] + w[2 * i + 1] * w[2 * j + 1];
        for (int i = 0; i < q.m; i++) /* a motion that exists */
            q.b[i] = -0.3 * w[2 * i] + 0.8 * w[2 * i + 1];
        solution all = solve(&q, ALL), search = solve(&q, SEARCH);
        assert_true(all.residual < 1e-9);
        assert_true(search.solved && search.residual < 1e-9);
    }
    problem table = {.m = 4, .b = {-1, -1, -1, -1}};
    for (int i = 0; i < 16; i++)
        table.gram[i] = 1;
    for (int i = 0; i < 4; i++)
        table.rows[i] = (slip_block){.kind = SLIP_BLOCK_NORMAL, .normal = -1};
    solution s = solve(&table, SEARCH);
    for (int i = 0; i < 4; i++)
        assert_close(s.p[i], 0.25, 1e-12);
}

/* A static bound above the sliding one: any result must obey the relations. */
static void static_bound_above_the_sliding_one(void **state)
{
    uint64_t seed = 9;
    int bad = 0;
    (void)state;
    for (int turn = 0; turn < 600; turn++) {
        problem q = random_boxes(&seed, 1 + turn % 4, false);
        for (int i = 0; i < q.m; i++)
            q.rows[i].hold *= 1.5;
        bad += solve(&q, ALL).residual > 1e-11;
    }
    assert_int_equal(bad, 0);
}

static void offset_of_the_normal_impulse(void **state)
{
    problem q = {.m = 2, .gram = {1, 0, 0, 1}, .b = {-1, 0.5}};
    solution s;
    (void)state;
    q.rows[0] = (slip_block){.kind = SLIP_BLOCK_NORMAL, .normal = -1};
    q.rows[1] =
        (slip_block){.kind = SLIP_BLOCK_FRICTION, .normal = 0, .hold = 0.5, .slide = 0.5, .offset = 0.4};
    s = solve(&q, ALL);
    assert_close(s.p[0], 1, 1e-15);
    assert_close(s.p[1], -0.3, 1e-15);
    q.rows[1].offset = 2;
    s = solve(&q, ALL);
    assert_true(s.p[1] == 0 && s.states[1] == SLIP_BLOCK_PLUS);
    q.rows[1].offset = 0.4;
    q.b[1] = 0.2;
    s = solve(&q, ALL);
    assert_true(s.y[1] == 0 && s.states[1] == SLIP_BLOCK_ZERO);
}

/* ---- The least point within limits, against all sets of active limits. */

enum { least_n = 5, least_m = 6 };

typedef struct least_case {
    double equations[3 * least_n], right[3], limits[least_m * least_n], limit_right[least_m];
    slip_least_problem problem;
    double numbers[2000];
    int indices[100];
} least_case;

static void make_least(uint64_t *seed, least_case *c)
{
    const int n = 2 + (int)test_random(seed, 0, 4), rows = 1 + (int)test_random(seed, 0, 3),
              m = 1 + (int)test_random(seed, 0, 6);
    for (int i = 0; i < rows * n; i++)
        c->equations[i] = test_random(seed, -1, 1);
    for (int i = 0; i < rows; i++)
        c->right[i] = test_random(seed, -1, 1);
    if (rows == 3) { /* the last depends on the others */
        for (int j = 0; j < n; j++)
            c->equations[2 * n + j] = 2 * c->equations[j] - c->equations[n + j];
        c->right[2] = 2 * c->right[0] - c->right[1];
    }
    for (int i = 0; i < m * n; i++)
        c->limits[i] = test_random(seed, -1, 1);
    for (int i = 0; i < m; i++)
        c->limit_right[i] = test_random(seed, -0.6, 1);
    c->problem = (slip_least_problem){.n = n,
                                      .equation_count = rows,
                                      .limit_count = m,
                                      .equations = c->equations,
                                      .limits = c->limits,
                                      .pulls = c->limits,
                                      .right = c->right,
                                      .limit_right = c->limit_right,
                                      .count = 1};
    assert_true(slip_least_numbers(n, rows, m) <= 2000 && slip_least_indices(n, m) <= 100);
}

/* By how much x violates the equations and limits. */
static double least_violation(const slip_least_problem *p, const double *x)
{
    double worst = 0;
    for (int i = 0; i < p->equation_count + p->limit_count; i++) {
        bool limit = i >= p->equation_count;
        int k = limit ? i - p->equation_count : i;
        double sum = limit ? -p->limit_right[k] : -p->right[k];
        for (int j = 0; j < p->n; j++)
            sum += (limit ? p->limits : p->equations)[k * p->n + j] * x[j];
        worst = fmax(worst, limit ? sum : fabs(sum));
    }
    return worst;
}

static double square_of(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

/* The smallest point among those of all sets of active limits that obeys everything; INFINITY: none does. */
static double least_by_trying(least_case *c)
{
    double best = INFINITY, x[least_n], u[least_m];
    for (unsigned set = 0; set < 1u << c->problem.limit_count; set++) {
        bool active[least_m];
        for (int i = 0; i < c->problem.limit_count; i++)
            active[i] = set & 1u << i;
        if (slip_least_fixed(&c->problem, active, x, u, c->numbers, c->indices) >= 0 &&
            least_violation(&c->problem, x) < 1e-9)
            best = fmin(best, square_of(c->problem.n, x));
    }
    return best;
}

static void the_least_point_within_limits(void **state)
{
    uint64_t seed = 71;
    int found = 0, none = 0;
    (void)state;
    for (int trial = 0; trial < 3000; trial++) {
        least_case c;
        bool active[least_m], blocking[least_m], any = false;
        double x[least_n], u[least_m], best;
        make_least(&seed, &c);
        bool exists = slip_least_find(&c.problem, active, blocking, x, u, c.numbers, c.indices);
        best = least_by_trying(&c);
        assert_true(exists == isfinite(best));
        found += exists;
        none += !exists;
        for (int i = 0; i < c.problem.limit_count; i++) {
            any |= blocking[i];
            assert_true(!exists || (u[i] >= 0 && (active[i] || u[i] == 0)));
        }
        assert_true(any == !exists);
        if (exists) {
            assert_true(least_violation(&c.problem, x) < 1e-10);
            assert_close(square_of(c.problem.n, x), best, 1e-9 * (1 + best));
        }
    }
    assert_true(found > 500 && none > 200);
}

/* Positive definite problems from any start, against Lemke; with rows that are nearly equal, as those of two
 * nodes that coincide. */
static void definite_problems(void **state)
{
    (void)state;
    enum { size = 40 };
    static double m[size * size], root[size * size], q[size], z[size], other[size];
    uint64_t seed = 11;
    double *numbers =
        malloc(sizeof(double) * (size_t)(slip_lcp_numbers(size) + slip_lcp_definite_numbers(size)));
    int *indices = malloc(sizeof(int) * (size_t)(slip_lcp_indices(size) + slip_lcp_definite_indices(size)));
    for (int trial = 0; trial < test_cases(400); trial++) {
        int n = 1 + trial % size;
        bool basic[size];
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < n; k++)
                root[i * n + k] = i > 0 && trial % 4 == 3 ? root[(i - 1) * n + k] : 0;
            for (int k = 0; k < n; k++)
                root[i * n + k] += test_random(&seed, -1, 1) * (trial % 4 == 3 ? 1e-3 : 1);
            q[i] = test_random(&seed, -1, 1);
            basic[i] = test_random(&seed, -1, 1) > 0;
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                m[i * n + j] = i == j ? 1e-3 : 0;
                for (int k = 0; k < n; k++)
                    m[i * n + j] += root[i * n + k] * root[j * n + k];
            }
        assert_true(slip_lcp_definite(n, m, q, basic, z, numbers, indices));
        assert_true(lcp_residual(n, m, q, z) < 1e-10);
        for (int i = 0; i < n; i++)
            assert_true(z[i] >= 0 && (basic[i] || z[i] == 0));
        assert_int_equal(slip_lcp_lemke(n, m, q, other, numbers, indices), SLIP_LCP_SOLVED);
        for (int i = 0; i < n; i++)
            assert_close(z[i], other[i], 1e-7 * (1 + fabs(other[i])));
    }
    m[0] = -1;
    q[0] = -1;
    assert_false(slip_lcp_definite(1, m, q, &(bool){true}, z, numbers, indices));
    free(numbers);
    free(indices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definite_problems),
        cmocka_unit_test(lemke_agrees_with_enumeration),
        cmocka_unit_test(lemke_does_not_cycle_on_degenerate_problems),
        cmocka_unit_test(lemke_reports_a_ray),
        cmocka_unit_test(box_friction_by_all_ways),
        cmocka_unit_test(contacts_agree_with_enumeration),
        cmocka_unit_test(redundant_contacts_are_solved),
        cmocka_unit_test(the_least_point_within_limits),
        cmocka_unit_test(static_bound_above_the_sliding_one),
        cmocka_unit_test(offset_of_the_normal_impulse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
