/* Paths of static solutions: folds in closed form, the same events there and back, every solution on the way
 * against enumeration. */
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

/* ---- A family of raw problems. */

typedef struct varied {
    raw_problem raw;
    void (*set)(raw_problem *raw, double p);
} varied;

static int sample_varied(slip_context *context, void *user, double p, slip_static_values *values)
{
    varied *v = user;
    condensed small;
    v->set(&v->raw, p);
    condense(context, &v->raw, &small);
    const size_t n = (size_t)small.problem.shape.direction_count;
    memcpy(values->free, small.problem.at.free, sizeof(double) * n);
    memcpy(values->friction, v->raw.friction, sizeof(double) * (size_t)v->raw.contact_count);
    memcpy(values->normal, v->raw.normal, sizeof(double) * (size_t)v->raw.contact_count);
    if (values->compliance)
        memcpy(values->compliance, small.problem.at.compliance, sizeof(double) * n * n);
    slip_arena_free(&small.arena);
    return SLIP_OK;
}

enum { most_labels = 4000, most_points = 4000 };

typedef struct record {
    int label_count, point_count;
    struct {
        slip_static_label_type type;
        int branch, contact, change_count;
        slip_mode from, to;
        double p;
    } labels[most_labels];
    struct {
        double p, lambda[most_directions], d[most_directions];
        slip_mode modes[most_contacts];
    } targets[most_points];
    int directions;
    const varied *of;
    double worst; /* residual */
} record;

static record seen;

static int note_label(void *user, const slip_static_label *label)
{
    record *r = user;
    assert_true(r->label_count < most_labels);
    r->labels[r->label_count].type = label->type;
    r->labels[r->label_count].branch = label->at.branch;
    r->labels[r->label_count].p = label->at.p;
    r->labels[r->label_count].change_count = label->change_count;
    if (label->change_count > 0) {
        r->labels[r->label_count].contact = label->changes[0].contact;
        r->labels[r->label_count].from = label->changes[0].from;
        r->labels[r->label_count].to = label->changes[0].to;
    }
    r->label_count++;
    return SLIP_OK;
}

static int note_point(void *user, const slip_static_point *point)
{
    record *r = user;
    if (!point->target)
        return SLIP_OK;
    assert_true(r->point_count < most_points);
    r->targets[r->point_count].p = point->p;
    memcpy(r->targets[r->point_count].lambda, point->lambda, sizeof(double) * (size_t)r->directions);
    memcpy(r->targets[r->point_count].d, point->d, sizeof(double) * (size_t)r->directions);
    memcpy(r->targets[r->point_count].modes, point->modes,
           sizeof(slip_mode) * (size_t)r->of->raw.contact_count);
    r->point_count++;
    return SLIP_OK;
}

typedef struct journey {
    slip_static_family family;
    slip_static_shape shape;
    condensed small;
    slip_static_walker *walker;
} journey;

static void begin(journey *j, varied *v, double low, double high, bool constant_compliance,
                  const double *targets, int target_count)
{
    memset(j, 0, sizeof *j);
    memset(&seen, 0, sizeof seen);
    v->set(&v->raw, low);
    condense(ctx, &v->raw, &j->small);
    j->shape = j->small.problem.shape;
    seen.directions = j->shape.direction_count;
    seen.of = v;
    j->family =
        (slip_static_family){.shape = &j->shape,
                             .compliance = constant_compliance ? j->small.problem.at.compliance : NULL,
                             .sample = sample_varied,
                             .user = v,
                             .low = low,
                             .high = high};
    slip_static_path_options options = slip_static_path_options_default(&j->family);
    options.targets = targets;
    options.target_count = target_count;
    const slip_static_observer observer = {&seen, note_point, note_label};
    assert_int_equal(slip_static_walker_create(ctx, &j->family, &options, &observer, &j->walker), SLIP_OK);
}

static void end(journey *j)
{
    slip_static_walker_destroy(j->walker);
    slip_arena_free(&j->small.arena);
}

/* Follows all solutions at p. */
static void follow_all(journey *j, varied *v, double p, int direction)
{
    slip_static_solutions list = {0};
    condensed small;
    v->set(&v->raw, p);
    condense(ctx, &v->raw, &small);
    assert_int_equal(slip_static_enumerate(ctx, &small.problem, &list), SLIP_OK);
    for (int64_t k = 0; k < list.count; k++)
        if (list.items[k].dimension == 0)
            assert_int_equal(
                slip_static_walker_follow(j->walker, p, list.items[k].lambda, list.items[k].d, direction),
                SLIP_OK);
    slip_static_solutions_free(&list);
    slip_arena_free(&small.arena);
}

static int find_label(slip_static_label_type type, double p, double tolerance)
{
    int count = 0;
    for (int k = 0; k < seen.label_count; k++)
        count += seen.labels[k].type == type && fabs(seen.labels[k].p - p) <= tolerance;
    return count;
}

static int count_labels(slip_static_label_type type)
{
    int count = 0;
    for (int k = 0; k < seen.label_count; k++)
        count += seen.labels[k].type == type;
    return count;
}

/* ---- One point: B = 1.2, c = 1, F = 2. */

static void set_line(raw_problem *raw, double p)
{
    *raw = one_point(1.2, 1, 2, 1, p);
}

static void line_has_its_folds(void **state)
{
    (void)state;
    varied v = {.set = set_line};
    journey j;
    begin(&j, &v, -4, 4, true, NULL, 0);
    follow_all(&j, &v, -4, 1);
    assert_int_equal(count_labels(SLIP_LABEL_LP), 2);
    assert_int_equal(count_labels(SLIP_LABEL_MC), 1);
    assert_int_equal(find_label(SLIP_LABEL_LP, -2, 1e-12), 1);   /* stick, slip- */
    assert_int_equal(find_label(SLIP_LABEL_LP, -1.2, 1e-12), 1); /* slip-, open */
    assert_int_equal(find_label(SLIP_LABEL_MC, 2, 1e-12), 1);    /* stick, slip+ */
    assert_int_equal(seen.labels[seen.label_count - 1].branch, 1);
    end(&j);
}

static const double pi = 3.14159265358979323846;

static void set_wave(raw_problem *raw, double p)
{
    *raw = one_point(1.2, 1, 2, 1, -1.6 + 0.8 * sin(p));
}

/* The load swings: folds where it passes the limits, the path turns back through its own range. */
static void wave_has_its_folds(void **state)
{
    (void)state;
    static const double folds[] = {3.665191429188092, 2.6179938779914944, 6.806784082777885,
                                   5.759586531581287};
    varied v = {.set = set_wave};
    journey j;
    slip_static_solutions list = {0};
    condensed small;
    begin(&j, &v, 0, 4 * pi, true, NULL, 0);
    v.set(&v.raw, 0);
    condense(ctx, &v.raw, &small);
    assert_int_equal(slip_static_enumerate(ctx, &small.problem, &list), SLIP_OK);
    for (int64_t k = 0; k < list.count; k++)
        if (list.items[k].modes[0] == SLIP_MODE_STICK)
            assert_int_equal(slip_static_walker_follow(j.walker, 0, list.items[k].lambda, list.items[k].d, 1),
                             SLIP_OK);
    int found = 0;
    for (int k = 0; k < seen.label_count && found < 4; k++)
        if (seen.labels[k].type == SLIP_LABEL_LP)
            assert_close(seen.labels[k].p, folds[found++], 1e-12);
    assert_int_equal(found, 4);
    slip_static_solutions_free(&list);
    slip_arena_free(&small.arena);
    end(&j);
}

/* F = B/c: stick and open are joined by a continuum at constant load. */
static void set_critical_line(raw_problem *raw, double p)
{
    *raw = one_point(1.2, 1, 1.2, 1, p);
}

static void continuum_joins_its_ends(void **state)
{
    (void)state;
    varied v = {.set = set_critical_line};
    journey j;
    begin(&j, &v, -4, 0, true, NULL, 0);
    follow_all(&j, &v, -4, 1);
    assert_int_equal(count_labels(SLIP_LABEL_LP), 0);
    assert_int_equal(find_label(SLIP_LABEL_MC, -1.2, 1e-12), 2);
    assert_int_equal(find_label(SLIP_LABEL_EP, 0, 1e-12), 1);
    end(&j);
}

/* The whole load goes to zero and turns: all forces vanish at the last release, and the path goes on open. */
static void set_release(raw_problem *raw, double p)
{
    *raw = one_point(1.2, 1, 0.4, p, 0.3 * p);
}

static void path_passes_the_last_release(void **state)
{
    (void)state;
    varied v = {.set = set_release};
    journey j;
    begin(&j, &v, -1, 1, true, NULL, 0);
    follow_all(&j, &v, 1, -1);
    assert_int_equal(find_label(SLIP_LABEL_MC, 0, 1e-12), 1);
    assert_int_equal(find_label(SLIP_LABEL_EP, -1, 1e-12), 1);
    assert_int_equal(seen.label_count, 3);
    end(&j);
}

/* The load grows from zero into the cone of three solutions: from the one path three lead on. */
static void set_apex(raw_problem *raw, double p)
{
    *raw = one_point(1.2, 1, 2, p, -1.6 * p);
}

static void branches_leave_a_branch_point(void **state)
{
    (void)state;
    varied v = {.set = set_apex};
    journey j;
    begin(&j, &v, -1, 1, true, NULL, 0);
    follow_all(&j, &v, -1, 1);
    assert_int_equal(count_labels(SLIP_LABEL_BP), 1);
    assert_int_equal(find_label(SLIP_LABEL_BP, 0, 1e-12), 1);
    assert_int_equal(find_label(SLIP_LABEL_EP, 1, 1e-12), 3);
    int branches = 0;
    for (int k = 0; k < seen.label_count; k++)
        branches = seen.labels[k].branch > branches ? seen.labels[k].branch : branches;
    assert_int_equal(branches, 3);
    end(&j);
    /* Back from the other side: all three end there, and each piece is followed once. */
    begin(&j, &v, -1, 1, true, NULL, 0);
    follow_all(&j, &v, 1, -1);
    assert_int_equal(find_label(SLIP_LABEL_EP, -1, 1e-12), 1);
    end(&j);
}

/* Two equal elements side by side change at once: one event with two changes. */
static void set_twins(raw_problem *raw, double p)
{
    const raw_problem one = one_point(1.2, 1, 0.5, 1, p);
    *raw = (raw_problem){.n = 4, .contact_count = 2, .direction_count = 4};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 2; i++) {
            for (int l = 0; l < 2; l++) {
                raw->stiffness[(2 * k + i) * 4 + 2 * k + l] = one.stiffness[i * 2 + l];
                raw->rows[(2 * k + i) * 4 + 2 * k + l] = one.rows[i * 2 + l];
            }
            raw->load[2 * k + i] = one.load[i];
        }
        raw->contacts[k] = (slip_static_contact){2 * k, 2 * k + 1};
        raw->friction[k] = 0.5;
    }
}

static void several_contacts_change_at_once(void **state)
{
    (void)state;
    varied v = {.set = set_twins};
    journey j;
    begin(&j, &v, -1, 2, true, NULL, 0);
    follow_all(&j, &v, -1, 1);
    int events = 0;
    for (int k = 0; k < seen.label_count; k++)
        if (seen.labels[k].type != SLIP_LABEL_EP) {
            assert_int_equal(seen.labels[k].change_count, 2);
            assert_int_equal(seen.labels[k].type, SLIP_LABEL_MC);
            events++;
        }
    assert_int_equal(events, 2); /* slip- to stick, stick to slip+ */
    end(&j);
}

/* ---- Random problems. */

static raw_problem random_base;
static double random_direction[most_coordinates];

static void set_random_load(raw_problem *raw, double p)
{
    *raw = random_base;
    for (int i = 0; i < raw->n; i++)
        raw->load[i] += p * random_direction[i];
}

static void set_random_friction(raw_problem *raw, double p)
{
    *raw = random_base;
    for (int c = 0; c < raw->contact_count; c++)
        raw->friction[c] *= p;
}

/* Stiffness, load and friction all change, and not linearly. */
static void set_random_all(raw_problem *raw, double p)
{
    *raw = random_base;
    for (int i = 0; i < raw->n; i++) {
        raw->load[i] += sin(2 * p) * random_direction[i];
        raw->stiffness[i * raw->n + i] += p * p;
    }
    for (int c = 0; c < raw->contact_count; c++)
        raw->friction[c] *= 1 / (1 + p);
}

typedef struct tally {
    int branches, passed, all;
} tally;

/* Everything that is at the ends and at a few values between is followed; the paths then pass the solutions
 * that enumeration finds at other values, each once. */
static void check_targets(varied *v, double low, double high, bool constant, tally *count)
{
    double targets[5];
    journey j;
    for (int k = 0; k < 5; k++)
        targets[k] = low + (high - low) * (0.1 + 0.19 * k);
    begin(&j, v, low, high, constant, targets, 5);
    follow_all(&j, v, low, 1);
    follow_all(&j, v, high, -1);
    for (int k = 0; k < 5; k++)
        follow_all(&j, v, targets[k] - 0.07 * (high - low), 0);
    for (int k = 0; k < seen.label_count; k++)
        count->branches = seen.labels[k].branch > count->branches ? seen.labels[k].branch : count->branches;
    for (int t = 0; t < 5; t++) {
        condensed small;
        slip_static_solutions list = {0};
        int there = 0;
        v->set(&v->raw, targets[t]);
        condense(ctx, &v->raw, &small);
        assert_int_equal(slip_static_enumerate(ctx, &small.problem, &list), SLIP_OK);
        for (int k = 0; k < seen.point_count; k++) {
            if (seen.targets[k].p != targets[t])
                continue;
            there++;
            assert_true(slip_static_residual(&small.problem, seen.targets[k].lambda, seen.targets[k].d) <
                        1e-8);
            assert_true(slip_static_solutions_find(&list, &small.problem, seen.targets[k].lambda,
                                                   seen.targets[k].d) >= 0);
        }
        assert_true(there <= list.count);
        count->passed += there;
        count->all += (int)list.count;
        slip_static_solutions_free(&list);
        slip_arena_free(&small.arena);
    }
    end(&j);
}

static void points_of_random_paths_are_solutions(void **state)
{
    (void)state;
    static void (*const sets[])(raw_problem *, double) = {set_random_load, set_random_friction,
                                                          set_random_all};
    uint64_t seed = 41;
    tally count = {0};
    for (int k = 0; k < test_many(1920); k++) {
        varied v = {.set = sets[k % 3]};
        random_base = random_problem(&seed, 1 + k % 5, k % 2 == 0, 0, 2);
        for (int i = 0; i < random_base.n; i++)
            random_direction[i] = test_random(&seed, -1, 1);
        check_targets(&v, 0, k % 3 == 1 ? 3 : 2, k % 3 != 2, &count);
    }
    assert_true(count.branches > 1);
    assert_true(count.passed >= count.all - count.all / 200); /* a loop can lie between the values */
}

/* The labels of a path from one end to the other, without its ends. */
static int collect(int branch, double *p, slip_static_label_type *types)
{
    int count = 0;
    for (int k = 0; k < seen.label_count; k++)
        if (seen.labels[k].branch == branch && seen.labels[k].type != SLIP_LABEL_EP) {
            p[count] = seen.labels[k].p;
            types[count++] = seen.labels[k].type;
        }
    return count;
}

/* From low to high and, from where that ended, back: the same events in the opposite order. */
static void the_way_back_is_the_same(void **state)
{
    (void)state;
    uint64_t seed = 43;
    int compared = 0, folds = 0;
    for (int k = 0; k < 150; k++) {
        varied v = {.set = k % 2 == 0 ? set_random_load : set_random_friction};
        double there[most_labels], back[most_labels], target;
        slip_static_label_type types[most_labels], back_types[most_labels];
        journey j;
        random_base = random_problem(&seed, 1 + k % 5, false, 0, 3);
        for (int i = 0; i < random_base.n; i++)
            random_direction[i] = test_random(&seed, -2, 2);
        target = 1.5;
        begin(&j, &v, 0, 1.5, true, &target, 1);
        follow_all(&j, &v, 0, 1);
        const int count = collect(1, there, types);
        const bool arrived = seen.point_count == 1 && seen.labels[seen.label_count - 1].branch == 1 &&
                             seen.labels[seen.label_count - 1].p == 1.5;
        double lambda[most_directions], d[most_directions];
        if (arrived) {
            memcpy(lambda, seen.targets[0].lambda, sizeof lambda);
            memcpy(d, seen.targets[0].d, sizeof d);
        }
        end(&j);
        if (!arrived)
            continue;
        begin(&j, &v, 0, 1.5, true, NULL, 0);
        assert_int_equal(slip_static_walker_follow(j.walker, 1.5, lambda, d, -1), SLIP_OK);
        assert_int_equal(collect(1, back, back_types), count);
        for (int i = 0; i < count; i++) {
            assert_close(back[i], there[count - 1 - i], 1e-9);
            assert_int_equal(back_types[i], types[count - 1 - i]);
            folds += types[i] == SLIP_LABEL_LP;
        }
        compared++;
        end(&j);
    }
    assert_true(compared > 100);
    assert_true(folds > 4);
}

/* Scaling load and gaps moves no fold. */
static void scaling_moves_no_fold(void **state)
{
    (void)state;
    uint64_t seed = 47;
    int compared = 0;
    for (int k = 0; k < 60; k++) {
        varied v = {.set = set_random_friction};
        double first[most_labels], second[most_labels];
        slip_static_label_type types[most_labels], other[most_labels];
        journey j;
        random_base = random_problem(&seed, 1 + k % 4, false, 0, 3);
        begin(&j, &v, 0, 2, true, NULL, 0);
        follow_all(&j, &v, 0, 1);
        const int count = collect(1, first, types);
        end(&j);
        for (int i = 0; i < random_base.n; i++)
            random_base.load[i] *= 1e6;
        for (int i = 0; i < random_base.direction_count; i++)
            random_base.offset[i] *= 1e6;
        begin(&j, &v, 0, 2, true, NULL, 0);
        follow_all(&j, &v, 0, 1);
        assert_int_equal(collect(1, second, other), count);
        for (int i = 0; i < count; i++) {
            assert_close(second[i], first[i], 1e-9);
            assert_int_equal(types[i], other[i]);
            compared++;
        }
        end(&j);
    }
    assert_true(compared > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_has_its_folds),
        cmocka_unit_test(wave_has_its_folds),
        cmocka_unit_test(continuum_joins_its_ends),
        cmocka_unit_test(path_passes_the_last_release),
        cmocka_unit_test(branches_leave_a_branch_point),
        cmocka_unit_test(several_contacts_change_at_once),
        cmocka_unit_test(points_of_random_paths_are_solutions),
        cmocka_unit_test(the_way_back_is_the_same),
        cmocka_unit_test(scaling_moves_no_fold),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
