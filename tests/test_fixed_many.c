/* `moreau` with many contacts, and their contact problems by themselves: dependent rows, forces that are not
 * unique, more rows than Lemke's method takes. */
#include "contact/problem.h"
#include "method/method.h"
#include "method/types.h"
#include "system_builder.h"

#include <stdlib.h>
#include <string.h>

/* ---- Contact problems with random G = W M^-1 W^T. */

typedef struct problem {
    int m;
    double *gram, *b, *p, *y;
    slip_block *rows;
    slip_block_state *states;
    slip_contact_memory memory;
    slip_arena arena;
} problem;

static problem problem_make(int m)
{
    problem q = {.m = m};
    q.gram = slip_arena_array(&q.arena, (int64_t)m * m, sizeof(double));
    q.b = slip_arena_array(&q.arena, m, sizeof(double));
    q.p = slip_arena_array(&q.arena, m, sizeof(double));
    q.y = slip_arena_array(&q.arena, m, sizeof(double));
    q.rows = slip_arena_array(&q.arena, m, sizeof(slip_block));
    q.states = slip_arena_array(&q.arena, m, sizeof(slip_block_state));
    assert_true(slip_contact_memory_create(&q.arena, m, false, false, &q.memory));
    return q;
}

static void problem_clear(problem *q)
{
    slip_arena_free(&q->arena);
}

/* Contacts of bodies with few coordinates: each row of W touches three of n. */
static void problem_fill(problem *q, uint64_t *seed, int n, double mu)
{
    const int m = q->m;
    double *w = calloc((size_t)(m * n), sizeof *w);
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < 3; k++)
            w[i * n + (int)test_random(seed, 0, n)] += test_random(seed, -1, 1);
        w[i * n + (int)test_random(seed, 0, n)] += 1.5;
        q->rows[i] =
            i % 2 == 0 ? (slip_block){.kind = SLIP_BLOCK_NORMAL, .normal = -1}
                       : (slip_block){.kind = SLIP_BLOCK_FRICTION, .normal = i - 1, .hold = mu, .slide = mu};
        q->states[i] = SLIP_BLOCK_ZERO;
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < n; k++)
                q->gram[i * m + j] += w[i * n + k] * w[j * n + k];
    /* the velocities of some motion, so that dependent rows do not contradict each other */
    for (int k = 0; k < n; k++) {
        double v = test_random(seed, -1, 1);
        for (int i = 0; i < m; i++)
            q->b[i] += w[i * n + k] * v;
    }
    free(w);
}

static void large_random_problems(void **state)
{
    static const int sizes[] = {50, 100, 200, 400};
    uint64_t seed = 8;
    (void)state;
    for (int k = 0; k < 8 + test_cases(8); k++) {
        const int m = sizes[k / 4], n = k % 2 == 0 ? m / 3 : 2 * m;
        problem q = problem_make(m);
        double residual, size = 0;
        problem_fill(&q, &seed, n, k % 4 < 2 ? 0 : 0.3);
        for (int i = 0; i < m; i++)
            size = fmax(size, fabs(q.b[i]));
        residual = slip_contact_solve(
            &(slip_contact_problem){.m = m, .gram = q.gram, .initial = q.b, .rows = q.rows},
            &(slip_contact_solution){q.p, q.y, q.states}, &q.memory);
        if (!(residual <= 1e-10 * size))
            print_error("m = %d, n = %d, k = %d: residual %g\n", m, n, k, residual / size);
        assert_true(residual <= 1e-10 * size);
        problem_clear(&q);
    }
}

/* ---- Runs. */

enum { most_n = 220 };
static char names_memory[most_n][16];
static const char *names[most_n];

typedef struct final_state {
    double q[most_n], v[most_n], normal[most_n];
    slip_method_counters counters;
} final_state;

static int keep_normal(void *user, const slip_step *step)
{
    final_state *o = user;
    slip_sample sample = {.normal = o->normal};
    step->sample(step->self, step->t1, &sample);
    return SLIP_OK;
}

static bench many(int n)
{
    for (int i = 0; i < n; i++) {
        snprintf(names_memory[i], sizeof names_memory[i], "x%d", i);
        names[i] = names_memory[i];
    }
    return build(n, names);
}

static void finish(bench *b, const double *q, double step, double end, final_state *o)
{
    const slip_method_options options = {.step = step, .span = end, .theta = NAN};
    const double zero[most_n] = {0};
    slip_observer observer = {.user = o, .step = keep_normal};
    double t;
    void *self;
    check_done(b, slip_system_finish(b->ctx, b->system));
    check_done(b, slip_method_find("moreau")->open(b->ctx, b->system, &options, 0, q, zero, &self));
    check_done(b, slip_method_find("moreau")->advance(self, end, &observer));
    slip_method_find("moreau")->state(self, &t, o->q, o->v);
    slip_method_find("moreau")->counters(self, &o->counters);
    slip_method_find("moreau")->close(self);
    clear(b);
}

/* N boxes of weight 10 fall on each other: at rest contact i carries the N - i above it. */
static void tower(void **state)
{
    enum { count = 100 };
    static final_state o;
    bench b = many(count);
    double q[count];
    (void)state;
    for (int i = 0; i < count; i++) {
        char name[16], gap[40];
        snprintf(name, sizeof name, "c%d", i);
        snprintf(gap, sizeof gap, i > 0 ? "x%d - x%d" : "x%d", i, i - 1);
        add_force(&b, i, "-10");
        add_unilateral(&b, name, gap, NULL, NULL, 0, false);
        q[i] = 0.001 * (i + 1);
    }
    finish(&b, q, 1e-3, 0.2, &o);
    assert_true(o.counters.residual < 1e-12);
    for (int i = 0; i < count; i++) {
        assert_close(o.normal[i], 10 * (count - i), 1e-8);
        assert_close(o.v[i], 0, 1e-12);
    }
}

/* A bar on many feet: rows of rank 2 (3 with slip). Which foot carries how much is open; their sum is not,
 * nor their moment. It is pushed with less than friction holds. */
static void bar_on_many_feet(void **state)
{
    static const int feet[] = {10, 50, 100};
    static final_state o;
    (void)state;
    for (int k = 0; k < 3; k++) {
        const double q[3] = {0, 0.01, 0.005};
        bench b = many(3);
        double sum = 0, moment = 0;
        add_force(&b, 0, "2");
        add_force(&b, 1, "-10");
        add_force(&b, 2, "1.5");
        for (int i = 0; i < feet[k]; i++) {
            slip_law law = coulomb(0.3, 1);
            char name[16], gap[60];
            snprintf(name, sizeof name, "c%d", i);
            snprintf(gap, sizeof gap, "x1 + %.17g*x2", -1 + 2.0 * i / (feet[k] - 1));
            add_unilateral(&b, name, gap, "x0'", &law, 0, false);
        }
        finish(&b, q, 1e-3, 0.2, &o);
        assert_true(o.counters.residual < 1e-12);
        for (int i = 0; i < feet[k]; i++) {
            sum += o.normal[i];
            moment += (-1 + 2.0 * i / (feet[k] - 1)) * o.normal[i];
            assert_true(o.normal[i] >= 0);
        }
        assert_close(sum, 10, 1e-8);
        assert_close(moment, -1.5, 1e-8);
        assert_close(o.v[0], 0, 1e-12);
    }
}

/* Blocks in a row, coupled by springs, the first out of place: they stick, slip and stick again, and at the
 * end all rests. */
static void long_chain(void **state)
{
    enum { count = 200 };
    static final_state o;
    bench b = many(count);
    double q[count];
    (void)state;
    for (int i = 0; i < count; i++) {
        char name[16], slip[20];
        double *k = b.system->stiffness;
        snprintf(name, sizeof name, "c%d", i);
        snprintf(slip, sizeof slip, "x%d'", i);
        k[i * count + i] = (i > 0 ? 50 : 0) + (i + 1 < count ? 50 : 0);
        if (i > 0)
            k[i * count + i - 1] = k[(i - 1) * count + i] = -50;
        add_friction(&b, name, slip, NULL, coulomb(0.5, 1.2));
        q[i] = i == 0 ? 0.06 : 0;
    }
    finish(&b, q, 8e-3, 4, &o);
    assert_true(o.counters.residual < 1e-12);
    assert_true(o.counters.events > 10);
    for (int i = 0; i < count; i++)
        assert_true(o.v[i] == 0);
    /* at rest no spring pulls more than static friction holds */
    for (int i = 0; i < count; i++) {
        double pull =
            (i > 0 ? 50 * (o.q[i - 1] - o.q[i]) : 0) + (i + 1 < count ? 50 * (o.q[i + 1] - o.q[i]) : 0);
        assert_true(fabs(pull) <= 0.6 + 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_random_problems),
        cmocka_unit_test(tower),
        cmocka_unit_test(bar_on_many_feet),
        cmocka_unit_test(long_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
