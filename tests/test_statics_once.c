/* One solution, once: continua, their ends and their faces, against an independent brute force. */
#include "model_test.h"
#include "slipstick/statics.h"
#include "statics_builder.h"

/* ---- The twin. For every set of modes the states are a polyhedron in the coordinates and forces together,
 * given by the laws as they are written, within a box. It has a state if it has a corner; corners are found
 * by taking inequalities for equations in all combinations. Two sets of modes hang together if their
 * conditions have a state in common; the solutions are the groups. */

enum { most_numbers = 8, most_rows = 64, most_sets = 64, box = 1000 };

typedef struct conditions {
    int n, equal_count, count;               /* numbers of a state; rows: equations first */
    double row[most_rows][most_numbers + 1]; /* row . x + constant, = 0 or >= 0 */
} conditions;

static double value_of(const conditions *c, int k, const double *x)
{
    double sum = c->row[k][c->n];
    for (int i = 0; i < c->n; i++)
        sum += c->row[k][i] * x[i];
    return sum;
}

/* Gauss and Jordan with full pivoting on the rows listed; the rank, -1 where they contradict each other. x:
 * their solution where the rank is full. */
static int eliminate(const conditions *c, const int *rows, int count, double *x)
{
    double a[most_rows][most_numbers + 1];
    int column_of[most_numbers], rank = 0;
    bool used[most_numbers] = {false};
    for (int k = 0; k < count; k++)
        memcpy(a[k], c->row[rows[k]], sizeof a[k]);
    for (; rank < count && rank < c->n; rank++) {
        int best = -1, column = -1;
        double largest = 1e-9;
        for (int k = rank; k < count; k++)
            for (int i = 0; i < c->n; i++)
                if (!used[i] && fabs(a[k][i]) > largest) {
                    largest = fabs(a[k][i]);
                    best = k;
                    column = i;
                }
        if (best < 0)
            break;
        for (int i = 0; i <= c->n; i++) {
            const double swap = a[best][i];
            a[best][i] = a[rank][i];
            a[rank][i] = swap;
        }
        used[column] = true;
        column_of[rank] = column;
        for (int k = 0; k < count; k++) {
            const double factor = a[k][column] / a[rank][column];
            for (int i = 0; i <= c->n && k != rank; i++)
                a[k][i] -= factor * a[rank][i];
        }
    }
    for (int k = rank; k < count; k++)
        if (fabs(a[k][c->n]) > 1e-9)
            return -1;
    for (int k = 0; k < rank && rank == c->n; k++)
        x[column_of[k]] = -a[k][c->n] / a[k][column_of[k]];
    return rank;
}

/* Goes on choosing inequalities from `next` on; calls it a corner where the state is fixed and inside. */
static bool choose(const conditions *c, int *rows, int count, int next, double *x)
{
    const int rank = eliminate(c, rows, count, x);
    if (rank < 0 || rank < count - c->equal_count)
        return false;
    if (rank == c->n) {
        for (int k = c->equal_count; k < c->count; k++)
            if (value_of(c, k, x) < -1e-9)
                return false;
        return true;
    }
    for (int k = next; k < c->count; k++) {
        rows[count] = k;
        if (choose(c, rows, count + 1, k + 1, x))
            return true;
    }
    return false;
}

static bool has_state(const conditions *c, double *x)
{
    int rows[most_rows];
    for (int k = 0; k < c->equal_count; k++)
        rows[k] = k;
    return choose(c, rows, c->equal_count, c->equal_count, x);
}

static void add_row(conditions *c, bool equal, const double *row)
{
    assert_true(c->count < most_rows);
    if (equal && c->equal_count < c->count) /* equations stay first */
        memcpy(c->row[c->count], c->row[c->equal_count], sizeof c->row[0]);
    memcpy(c->row[equal ? c->equal_count++ : c->count], row, sizeof c->row[0]);
    c->count++;
}

/* Adds what one contact's mode asks for. */
static void add_mode(const raw_problem *raw, int contact, slip_mode mode, conditions *c)
{
    const int n = raw->n, normal = raw->contacts[contact].normal, tangent = raw->contacts[contact].tangent;
    const int sign = slip_static_slip_sign(mode);
    double gap[most_numbers + 1] = {0}, slip[most_numbers + 1] = {0}, pressure[most_numbers + 1] = {0};
    double force[most_numbers + 1] = {0};
    for (int i = 0; i < n; i++) {
        gap[i] = normal >= 0 ? raw->rows[normal * n + i] : 0;
        slip[i] = tangent >= 0 ? raw->rows[tangent * n + i] : 0;
    }
    if (normal >= 0) {
        gap[c->n] = raw->offset[normal];
        pressure[n + normal] = 1;
        add_row(c, mode != SLIP_MODE_OPEN, gap);
        add_row(c, mode == SLIP_MODE_OPEN, pressure);
    } else {
        pressure[c->n] = raw->normal[contact];
    }
    if (tangent < 0)
        return;
    force[n + tangent] = 1;
    if (mode == SLIP_MODE_STICK) {
        add_row(c, true, slip);
        for (int side = 1; side >= -1; side -= 2) {
            double limit[most_numbers + 1];
            for (int i = 0; i <= c->n; i++)
                limit[i] = raw->friction[contact] * pressure[i] - side * force[i];
            add_row(c, false, limit);
        }
    } else {
        for (int i = 0; i <= c->n; i++) {
            force[i] += sign * raw->friction[contact] * pressure[i];
            slip[i] *= sign;
        }
        add_row(c, true, force);
        if (mode != SLIP_MODE_OPEN)
            add_row(c, false, slip);
    }
}

static void add_structure(const raw_problem *raw, conditions *c)
{
    const int n = raw->n;
    for (int i = 0; i < n; i++) {
        double row[most_numbers + 1] = {0};
        for (int j = 0; j < n; j++)
            row[j] = raw->stiffness[i * n + j];
        for (int j = 0; j < raw->direction_count; j++)
            row[n + j] = -raw->rows[j * n + i];
        row[c->n] = -raw->load[i];
        add_row(c, true, row);
    }
}

static void add_box(conditions *c)
{
    for (int i = 0; i < c->n; i++)
        for (int side = 1; side >= -1; side -= 2) {
            double row[most_numbers + 1] = {0};
            row[i] = side;
            row[c->n] = box;
            add_row(c, false, row);
        }
}

typedef struct twin {
    int set_count;
    slip_mode modes[most_sets][most_contacts];
    double state[most_sets][most_numbers]; /* a corner of each */
    int group[most_sets];
    int groups;
} twin;

static void set_of(const raw_problem *raw, int64_t number, slip_mode *modes)
{
    for (int c = 0; c < raw->contact_count; c++) {
        slip_mode of[4];
        const int count = slip_static_modes_of(&raw->contacts[c], of);
        modes[c] = of[number % count];
        number /= count;
    }
}

static void find_groups(const raw_problem *raw, twin *t)
{
    int64_t combinations = 1;
    t->set_count = t->groups = 0;
    for (int c = 0; c < raw->contact_count; c++) {
        slip_mode of[4];
        combinations *= slip_static_modes_of(&raw->contacts[c], of);
    }
    for (int64_t number = 0; number < combinations; number++) {
        conditions c = {.n = raw->n + raw->direction_count};
        slip_mode *modes = t->modes[t->set_count];
        set_of(raw, number, modes);
        add_structure(raw, &c);
        for (int k = 0; k < raw->contact_count; k++)
            add_mode(raw, k, modes[k], &c);
        add_box(&c);
        t->set_count += has_state(&c, t->state[t->set_count]);
        assert_true(t->set_count < most_sets);
    }
    for (int a = 0; a < t->set_count; a++) {
        t->group[a] = a;
        for (int b = 0; b < a; b++) {
            conditions c = {.n = raw->n + raw->direction_count};
            double x[most_numbers];
            if (t->group[a] == t->group[b])
                continue;
            add_structure(raw, &c);
            for (int k = 0; k < raw->contact_count; k++) {
                add_mode(raw, k, t->modes[a][k], &c);
                add_mode(raw, k, t->modes[b][k], &c);
            }
            add_box(&c);
            const int low = t->group[b] < t->group[a] ? t->group[b] : t->group[a],
                      high = t->group[b] < t->group[a] ? t->group[a] : t->group[b];
            if (has_state(&c, x))
                for (int i = 0; i <= a; i++)
                    t->group[i] = t->group[i] == high ? low : t->group[i];
        }
    }
    for (int a = 0; a < t->set_count; a++)
        t->groups += t->group[a] == a;
}

/* ---- Small whole numbers, so that continua are the rule. */

static double pick(uint64_t *seed, const double *from, int count)
{
    return from[(int)test_random(seed, 0, (double)count - 1e-9)];
}

static raw_problem random_small(uint64_t *seed, int contacts, int n)
{
    static const double small[] = {-1, 0, 0, 1}, loads[] = {-1, -0.5, 0, 0.5, 1, 2},
                        frictions[] = {0, 0.5, 1, 2}, normals[] = {0, 1, 1, 2}, offsets[] = {0, 0, 1};
    raw_problem raw = {.contact_count = contacts, .n = n};
    double factor[2][2];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            factor[i][j] = pick(seed, small, 4);
    for (int i = 0; i < n; i++) {
        raw.load[i] = pick(seed, loads, 6);
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                raw.stiffness[i * n + j] += factor[i][k] * factor[j][k];
    }
    for (int c = 0; c < contacts; c++) {
        const int kind = (int)test_random(seed, 0, 2.999);
        raw.contacts[c].normal = kind == 2 ? -1 : raw.direction_count++;
        raw.contacts[c].tangent = kind == 1 ? -1 : raw.direction_count++;
        raw.friction[c] = kind == 1 ? 0 : pick(seed, frictions, 4);
        raw.normal[c] = kind == 2 ? pick(seed, normals, 4) : 0;
        if (raw.contacts[c].normal >= 0)
            raw.offset[raw.contacts[c].normal] = pick(seed, offsets, 3);
    }
    for (int i = 0; i < raw.direction_count * n; i++)
        raw.rows[i] = pick(seed, small, 4);
    return raw;
}

/* lambda and d of a state of the twin. */
static void state_of(const raw_problem *raw, const double *x, double *lambda, double *d)
{
    for (int i = 0; i < raw->direction_count; i++) {
        lambda[i] = x[raw->n + i];
        d[i] = raw->offset[i];
        for (int j = 0; j < raw->n; j++)
            d[i] += raw->rows[i * raw->n + j] * x[j];
    }
}

typedef struct tally {
    int points, continua, several_parts, faces;
} tally;

/* As many solutions as groups; every state of a group lies in the group's solution, and every end is a state.
 */
static void compare_with_twin(const raw_problem *raw, tally *count)
{
    static twin t;
    condensed small;
    slip_static_solutions list = {0};
    int64_t of_group[most_sets];
    condense(ctx, raw, &small);
    assert_int_equal(slip_static_enumerate(ctx, &small.problem, &list), SLIP_OK);
    find_groups(raw, &t);
    assert_int_equal(list.count, t.groups);
    for (int k = 0; k < t.set_count; k++) {
        double lambda[most_directions + most_coordinates] = {0}, d[most_directions + most_coordinates] = {0};
        state_of(raw, t.state[k], lambda, d);
        const int64_t found = slip_static_solutions_find(&list, &small.problem, lambda, d);
        assert_true(found >= 0);
        if (t.group[k] == k) {
            of_group[k] = found;
            for (int j = 0; j < k; j++)
                assert_true(t.group[j] != j || of_group[j] != found);
        }
        assert_int_equal(found, of_group[t.group[k]]);
    }
    for (int64_t k = 0; k < list.count; k++) {
        const slip_static_solution *item = &list.items[k];
        count->points += item->dimension == 0;
        count->continua += item->dimension > 0;
        count->several_parts += item->part_count > 1;
        count->faces += item->dimension > 1;
        assert_true(item->dimension == 0 ? item->part_count == 0 : item->end_count > 0);
        for (int e = 0; e < item->end_count; e++)
            assert_true(slip_static_residual(&small.problem, item->end_lambda[e], item->end_d[e]) < 1e-10);
    }
    slip_static_solutions_free(&list);
    slip_arena_free(&small.arena);
}

static void solutions_are_connected_sets(void **state)
{
    (void)state;
    uint64_t seed = 61;
    tally count = {0};
    for (int k = 0; k < 3000; k++) {
        const raw_problem raw = random_small(&seed, 1 + k % 2, 1 + k / 2 % 2);
        compare_with_twin(&raw, &count);
    }
    assert_true(count.points > 300 && count.continua > 300 && count.several_parts > 20 && count.faces > 50);
}

/* ---- Models. */

static slip_model *model; /* of the statics at hand */

static slip_statics *solve(const char *text, const char *const *settings)
{
    model = parse_with(text, settings);
    slip_statics *statics = NULL;
    if (slip_statics_solve(ctx, model, NULL, &statics) != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(statics);
    return statics;
}

static void done_with(slip_statics *statics)
{
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

static const char two_pads[] =
    "slipstick: 1\nparameters: {f: 0.5}\ncoordinates: [x]\nforces: {x: f}\ncontacts:\n"
    "  a: {kind: friction, slip: x', normal_force: 1, law: {type: coulomb, mu: 0.7}}\n"
    "  b: {kind: friction, slip: x', normal_force: 1, law: {type: coulomb, mu: 0.4}}\n";

/* x = 0, and the forces on a line between (-0.7, 0.2) and (-0.1, -0.4), or its mirror image. */
static void two_pads_share_a_load(void **state)
{
    (void)state;
    static const char *const mirrored[] = {"f=-0.5", NULL};
    for (int sign = 1; sign >= -1; sign -= 2) {
        slip_statics *statics = solve(two_pads, sign > 0 ? NULL : mirrored);
        assert_int_equal(slip_statics_count(statics), 1);
        const slip_statics_solution *s = slip_statics_at(statics, 0);
        assert_int_equal(s->dimension, 1);
        assert_false(s->unbounded);
        assert_int_equal(s->end_count, 2);
        assert_int_equal(s->part_count, 1);
        assert_int_equal(s->parts[0].modes[0], SLIP_MODE_STICK);
        const int first = fabs(s->ends[0].tangential[0]) > 0.5 ? 0 : 1;
        assert_close(s->ends[first].tangential[0], -sign * 0.7, 1e-14);
        assert_close(s->ends[first].tangential[1], sign * 0.2, 1e-14);
        assert_close(s->ends[1 - first].tangential[0], -sign * 0.1, 1e-14);
        assert_close(s->ends[1 - first].tangential[1], -sign * 0.4, 1e-14);
        assert_close(s->ends[0].q[0], 0, 0);
        done_with(statics);
    }
}

/* Just held: it may stand anywhere further on. One pad, and two. Beyond it nothing holds. */
static void a_load_at_the_limit(void **state)
{
    (void)state;
    static const char one_pad[] =
        "slipstick: 1\nparameters: {f: 0.7}\ncoordinates: [x]\nforces: {x: f}\ncontacts:\n"
        "  a: {kind: friction, slip: x', normal_force: 1, law: {type: coulomb, mu: 0.7}}\n";
    static const char *const limits[][2] = {
        {"f=0.7", NULL}, {"f=-0.7", NULL}, {"f=1.1", NULL}, {"f=-1.1", NULL}};
    static const char *const beyond[] = {"f=1.1001", NULL};
    for (int k = 0; k < 4; k++) {
        slip_statics *statics = solve(k < 2 ? one_pad : two_pads, limits[k]);
        assert_int_equal(slip_statics_count(statics), 1);
        const slip_statics_solution *s = slip_statics_at(statics, 0);
        assert_int_equal(s->dimension, 1);
        assert_true(s->unbounded);
        assert_int_equal(s->end_count, 1);
        assert_close(s->ends[0].q[0], 0, 1e-14);
        assert_int_equal(s->parts[0].modes[0], k % 2 == 0 ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_SLIP_MINUS);
        done_with(statics);
    }
    slip_statics *statics = solve(two_pads, beyond);
    assert_int_equal(slip_statics_count(statics), 0);
    done_with(statics);
}

/* A block on floors that share its weight 1, pushed by f: |t_i| <= mu n_i, the n_i add up to 1 and the t_i to
 * -f. So (1, -f) is a sum of multiples of the edges (1, mu) and (1, -mu) of the friction cones of all floors,
 * two conditions on as many numbers as there are edges: two dimensions less. In a corner two multiples are
 * not zero, and these are of two different edges: as many corners as pairs of floors, a floor with itself
 * too. */
static void a_block_on_floors(void **state)
{
    (void)state;
    for (int floors = 2; floors <= 10; floors++) {
        char text[4000] = "slipstick: 1\nparameters: {f: 0.1}\ncoordinates: [x, y]\nforces: {x: f, y: -1}\n"
                          "contacts:\n";
        for (int k = 0; k < floors; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "  c%d: {kind: unilateral, gap: y, slip: x', law: {type: coulomb, mu: 0.5}}\n", k);
        slip_statics *statics = solve(text, NULL);
        assert_int_equal(slip_statics_count(statics), 1);
        assert_int_equal(slip_statics_complete(statics), floors <= 8);
        const slip_statics_solution *s = slip_statics_at(statics, 0);
        assert_int_equal(s->dimension, 2 * floors - 2);
        assert_int_equal(s->end_count, floors * floors);
        for (int e = 0; e < s->end_count; e++) {
            double normal = 0, tangential = 0;
            for (int c = 0; c < floors; c++) {
                normal += s->ends[e].normal[c];
                tangential += s->ends[e].tangential[c];
                assert_true(fabs(s->ends[e].tangential[c]) <= 0.5 * s->ends[e].normal[c] + 1e-12);
            }
            assert_close(normal, 1, 1e-12);
            assert_close(tangential, -0.1, 1e-12);
        }
        done_with(statics);
    }
}

/* A slider without friction stands anywhere: two half-lines, slip+ and slip-, that meet. */
static void parts_that_meet_are_one_solution(void **state)
{
    (void)state;
    slip_statics *statics =
        solve("slipstick: 1\ncoordinates: [x]\nforces: {x: 0}\ncontacts:\n"
              "  a: {kind: friction, slip: x', normal_force: 0, law: {type: coulomb, mu: 0.7}}\n",
              NULL);
    assert_int_equal(slip_statics_count(statics), 1);
    const slip_statics_solution *s = slip_statics_at(statics, 0);
    assert_int_equal(s->part_count, 2);
    assert_int_equal(s->end_count, 1);
    assert_true(s->unbounded);
    done_with(statics);
}

/* A cubic spring holds the slider of two pads: forces are shared at the one place. */
static void a_nonlinear_model_shares_a_load(void **state)
{
    (void)state;
    slip_statics *statics =
        solve("slipstick: 1\nparameters: {f: 0.5}\ncoordinates: [x]\nforces: {x: f - x^3}\ncontacts:\n"
              "  a: {kind: friction, slip: x', normal_force: 1, law: {type: coulomb, mu: 0.7}}\n"
              "  b: {kind: friction, slip: x', normal_force: 1, law: {type: coulomb, mu: 0.4}}\n",
              NULL);
    assert_int_equal(slip_statics_count(statics), 1);
    const slip_statics_solution *s = slip_statics_at(statics, 0);
    assert_int_equal(s->dimension, 1);
    assert_int_equal(s->end_count, 2);
    done_with(statics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_are_connected_sets),
        cmocka_unit_test(two_pads_share_a_load),
        cmocka_unit_test(a_load_at_the_limit),
        cmocka_unit_test_of_numbers(a_block_on_floors),
        cmocka_unit_test(parts_that_meet_are_one_solution),
        cmocka_unit_test(a_nonlinear_model_shares_a_load),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
