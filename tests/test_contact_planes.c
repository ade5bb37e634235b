/* Contact problems with friction in the plane: against a slow twin, and before the judge. */
#include "contact/plane.h"
#include "test.h"

#include <string.h>

enum { most_planes = 4, most = 3 * most_planes + 4 };

typedef struct problem {
    int m, planes;
    double gram[most * most], b[most];
    slip_block rows[most];
    slip_plane plane[most_planes];
} problem;

typedef struct solution {
    double p[most], y[most], residual;
    slip_block_state states[most];
} solution;

static slip_patch *make_point(slip_context *ctx)
{
    slip_law law = slip_law_default("coulomb");
    slip_patch *point = NULL;
    law.mu = 1;
    assert_int_equal(slip_patch_create_point(ctx, &law, (const double[2]){1, 1}, &point), SLIP_OK);
    return point;
}

static void random_gram(uint64_t *seed, problem *q, double extra)
{
    double w[most * most];
    for (int i = 0; i < q->m * q->m; i++)
        w[i] = test_random(seed, -1, 1);
    for (int i = 0; i < q->m; i++) {
        q->b[i] = test_random(seed, -1, 1);
        for (int j = 0; j < q->m; j++) {
            q->gram[i * q->m + j] = i == j ? extra : 0;
            for (int k = 0; k < q->m; k++)
                q->gram[i * q->m + j] += w[i * q->m + k] * w[j * q->m + k];
        }
    }
}

static void add_plane(problem *q, const slip_patch *point, int normal, double hold, double slide)
{
    slip_plane *plane = &q->plane[q->planes++];
    *plane = (slip_plane){.surface = point, .set_valued = true, .row = q->m, .rank = 2, .a = 1};
    plane->basis[0] = plane->basis[4] = 1;
    for (int k = 0; k < 2; k++)
        q->rows[q->m++] = (slip_block){.kind = k == 0 ? SLIP_BLOCK_PLANE : SLIP_BLOCK_PART,
                                       .normal = normal,
                                       .hold = hold,
                                       .slide = slide,
                                       .plane = plane};
}

static solution solve(problem *q, bool search)
{
    solution s = {.residual = 0};
    slip_arena arena = {0};
    slip_contact_memory memory = {0};
    const slip_contact_problem given = {
        .m = q->m, .gram = q->gram, .initial = q->b, .rows = q->rows, .planes = q->planes};
    assert_true(slip_contact_memory_create(&arena, q->m, true, true, &memory));
    for (int i = 0; i < q->m; i++)
        s.states[i] = SLIP_BLOCK_ZERO;
    slip_contact_solution into = {s.p, s.y, s.states};
    if (search)
        s.residual = slip_contact_search(&given, &into, &memory) ? 0 : INFINITY;
    else
        s.residual = slip_contact_solve(&given, &into, &memory);
    if (isfinite(s.residual))
        s.residual = slip_contact_residual(&given, s.p);
    slip_arena_free(&arena);
    return s;
}

/* Minimises p G p/2 + b p over the discs and intervals by projected gradients. */
static void descend(const problem *q, double *p)
{
    double largest = 0, change = 1;
    for (int i = 0; i < q->m; i++) {
        double sum = 0;
        for (int j = 0; j < q->m; j++)
            sum += fabs(q->gram[i * q->m + j]);
        largest = fmax(largest, sum);
    }
    memset(p, 0, most * sizeof *p);
    for (int turn = 0; turn < 200000 && change > 1e-13; turn++) {
        double next[most];
        change = 0;
        for (int i = 0; i < q->m; i++) {
            next[i] = q->b[i];
            for (int j = 0; j < q->m; j++)
                next[i] += q->gram[i * q->m + j] * p[j];
            next[i] = p[i] - next[i] / largest;
        }
        for (int i = 0; i < q->m; i++) {
            const int rank = q->rows[i].kind == SLIP_BLOCK_PLANE ? 2 : 1;
            const double length = rank == 2 ? hypot(next[i], next[i + 1]) : fabs(next[i]);
            for (int k = 0; k < rank && length > q->rows[i].slide; k++)
                next[i + k] *= q->rows[i].slide / length;
            i += rank - 1;
        }
        for (int i = 0; i < q->m; i++) {
            change = fmax(change, fabs(next[i] - p[i]));
            p[i] = next[i];
        }
    }
}

static void given_limits_are_a_convex_problem(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_patch *point = make_point(ctx);
    uint64_t seed = 21;
    (void)state;
    for (int turn = 0; turn < test_cases(300); turn++) {
        problem q = {.m = 0};
        double expected[most];
        solution s;
        for (int k = 0; k < 1 + turn % most_planes; k++) {
            const double limit = test_random(&seed, 0, 0.7), box = test_random(&seed, 0, 0.7);
            add_plane(&q, point, -1, limit, limit);
            if (turn % 3 == k)
                q.rows[q.m++] =
                    (slip_block){.kind = SLIP_BLOCK_FRICTION, .normal = -1, .hold = box, .slide = box};
        }
        random_gram(&seed, &q, 0.3);
        s = solve(&q, turn % 2);
        assert_true(s.residual < (turn % 2 ? 1e-10 : 1e-11));
        descend(&q, expected);
        for (int i = 0; i < q.m; i++) {
            assert_close(s.p[i], expected[i], 1e-9);
            assert_true(s.states[i] != SLIP_BLOCK_ZERO || s.y[i] == 0);
        }
    }
    slip_patch_destroy(point);
    slip_context_destroy(ctx);
}

/* Coulomb's law, written out for isotropic friction: by how much a contact violates it. */
static double violation(const problem *q, const double *p)
{
    double worst = 0;
    for (int i = 0; i < q->m; i += 3) {
        double y[3], hold = q->rows[i + 1].hold * p[i], slide = q->rows[i + 1].slide * p[i];
        for (int k = 0; k < 3; k++) {
            y[k] = q->b[i + k];
            for (int j = 0; j < q->m; j++)
                y[k] += q->gram[(i + k) * q->m + j] * p[j];
        }
        const double slip = hypot(y[1], y[2]), force = hypot(p[i + 1], p[i + 2]);
        worst = fmax(worst, fabs(fmin(y[0], p[i])));
        if (slip > 1e-9)
            worst = fmax(worst, hypot(p[i + 1] + slide * y[1] / slip, p[i + 2] + slide * y[2] / slip));
        else
            worst = fmax(worst, force - hold);
    }
    return worst;
}

/* The rows of plane k turn by an angle, and the basis with them, so that the slip velocities are the same. */
static void turn_axes(problem *q, int k, double angle)
{
    const int i = q->plane[k].row, m = q->m;
    const double c = cos(angle), s = sin(angle);
    double x;
    for (int j = 0; j < m; j++) {
        x = q->gram[i * m + j];
        q->gram[i * m + j] = c * x + s * q->gram[(i + 1) * m + j];
        q->gram[(i + 1) * m + j] = c * q->gram[(i + 1) * m + j] - s * x;
    }
    for (int j = 0; j < m; j++) {
        x = q->gram[j * m + i];
        q->gram[j * m + i] = c * x + s * q->gram[j * m + i + 1];
        q->gram[j * m + i + 1] = c * q->gram[j * m + i + 1] - s * x;
    }
    x = q->b[i];
    q->b[i] = c * x + s * q->b[i + 1];
    q->b[i + 1] = c * q->b[i + 1] - s * x;
    memcpy(q->plane[k].basis, (const double[6]){c, s, 0, -s, c, 0}, 6 * sizeof(double));
}

/* Normal and friction in the plane: the law holds, the judge says so, no axis is special; and the judge sees
 * what is wrong. */
static void contacts_with_friction_in_the_plane(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_patch *point = make_point(ctx);
    uint64_t seed = 33;
    int unsolved = 0, cases = test_cases(400), sticking = 0, sliding = 0;
    (void)state;
    for (int turn = 0; turn < cases; turn++) {
        problem q = {.m = 0};
        const double mu = test_random(&seed, 0, 0.4), ratio = turn % 4 == 0 ? 1.3 : 1;
        solution s, turned, searched;
        for (int k = 0; k < 1 + turn % most_planes; k++) {
            q.rows[q.m] = (slip_block){.kind = SLIP_BLOCK_NORMAL, .normal = -1};
            q.m++;
            add_plane(&q, point, q.m - 1, ratio * mu, mu);
        }
        random_gram(&seed, &q, 0.5);
        for (int i = 0; i < q.m && turn % 2 == 0; i++) /* slow slip, so that more of them stick */
            q.b[i] *= i % 3 == 0 ? 1 : 0.1;
        searched = solve(&q, true);
        assert_true(searched.residual < 1e-9);
        s = solve(&q, false);
        unsolved += !(s.residual < 1e-9);
        if (!(s.residual < 1e-9))
            continue;
        assert_true(violation(&q, s.p) < 1e-8 && violation(&q, searched.p) < 1e-8);
        for (int k = 0; k < q.planes && ratio == 1; k++)
            assert_close(searched.p[3 * k], s.p[3 * k], 1e-8 * (1 + fabs(s.p[3 * k])));
        for (int k = 0; k < q.planes; k++) {
            const int i = q.plane[k].row;
            const slip_contact_problem given = {
                .m = q.m, .gram = q.gram, .initial = q.b, .rows = q.rows, .planes = q.planes};
            double wrong[most];
            sticking += q.plane[k].stuck && s.p[i - 1] > 0;
            sliding += !q.plane[k].stuck && s.p[i - 1] > 0;
            memcpy(wrong, s.p, sizeof wrong);
            wrong[i] += 0.1 * (1 + fabs(wrong[i]));
            assert_true(slip_contact_residual(&given, wrong) > 1e-3);
        }
        for (int k = 0; k < q.planes; k++)
            turn_axes(&q, k, test_random(&seed, 0, 6));
        turned = solve(&q, turn % 2);
        if (ratio == 1 && turned.residual < 1e-9) /* else several solutions may exist */
            for (int k = 0; k < q.planes; k++)
                assert_close(turned.p[3 * k], s.p[3 * k], 1e-8 * (1 + fabs(s.p[3 * k])));
    }
    print_message("unsolved %d of %d, sticking %d, sliding %d\n", unsolved, cases, sticking, sliding);
    assert_true(unsolved <= cases / 100 && sticking > cases / 20 && sliding > cases / 20);
    slip_patch_destroy(point);
    slip_context_destroy(ctx);
}

/* A guide lets a point move along x only, and a belt runs across: friction has the direction of both
 * velocities, so that along x it is a smooth law, mu p_n y/sqrt(y^2 + u^2). */
static void a_belt_across_what_can_move(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_patch *point = make_point(ctx);
    uint64_t seed = 5;
    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        const double mu = test_random(&seed, 0, 0.8), u = test_random(&seed, 0.05, 1),
                     mixed = test_random(&seed, -0.5, 0.5);
        problem q = {.m = 0, .gram = {1, mixed, mixed, 1}, .b = {-1, test_random(&seed, -1, 1)}};
        solution s;
        double low = -10, high = 10;
        q.rows[q.m] = (slip_block){.kind = SLIP_BLOCK_NORMAL, .normal = -1};
        q.m++;
        add_plane(&q, point, 0, mu, mu);
        q.m--;
        q.plane[0].rank = 1;
        q.plane[0].across[1] = u;
        /* y as a function of itself: p_t = -mu p_n y/hypot(y, u), p_n = (1 - mixed p_t) */
        for (int half = 0; half < 200; half++) {
            const double y = 0.5 * (low + high), part = mu * y / hypot(y, u), p_n = 1 / (1 - mixed * part);
            if (q.b[1] + mixed * p_n - part * p_n > y)
                low = y;
            else
                high = y;
        }
        for (int search = 0; search < 2; search++) {
            s = solve(&q, search);
            assert_true(s.residual < 1e-10);
            assert_close(s.y[1], low, 1e-9);
            assert_close(s.p[1], -mu * s.p[0] * low / hypot(low, u), 1e-9);
        }
    }
    slip_patch_destroy(point);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_limits_are_a_convex_problem),
        cmocka_unit_test(contacts_with_friction_in_the_plane),
        cmocka_unit_test(a_belt_across_what_can_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
