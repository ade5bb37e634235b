/* Passages of a number through zero in the steps of a motion, against motions in closed form; after how many
 * returns states repeat. */
#include "test.h"

#include "study/returns.h"

#include <math.h>

/* x = height - (t - top)^2 decay/2, in a step: its velocity is zero at the top. */
typedef struct throw
{
    double top, decay;
    double passed[4];
    int count;
}
throw;

static void state_at(const void *self, double t, double *q, double *v)
{
    const throw *w = self;
    *q = 1 - 0.5 * w->decay * (t - w->top) * (t - w->top);
    *v = -w->decay * (t - w->top);
}

static double speed(void *user, const double *q, const double *v)
{
    (void)user;
    (void)q;
    return *v;
}

/* A speed that dips below zero and rises again. */
static void dip_at(const void *self, double t, double *q, double *v)
{
    (void)self;
    *q = 0;
    *v = (t - 1) * (t - 1) - 1e-4;
}

static double rate(void *user, const double *v, const double *a)
{
    (void)user;
    (void)v;
    return *a;
}

static int pass(void *user, const slip_step *step, double t)
{
    throw *w = user;
    (void)step;
    w->passed[w->count++] = t;
    return SLIP_OK;
}

static slip_step step_of(double t0, double t1, const void *self,
                         void (*state)(const void *self, double t, double *q, double *v), double *room)
{
    state(self, t0, room, room + 1);
    state(self, t1, room + 2, room + 3);
    return (slip_step){.t0 = t0,
                       .t1 = t1,
                       .q0 = room,
                       .v0 = room + 1,
                       .a0 = room + 4,
                       .q1 = room + 2,
                       .v1 = room + 3,
                       .a1 = room + 5,
                       .self = self,
                       .state = state};
}

/* False position is exact for what is linear: the root is next to an end at once, within rounding. */
static void tops_of_throws(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (int k = 0; k < 20000; k++) {
        throw w = {.top = 60 + 3 * test_random(&seed, 0, 1), .decay = 0.1 + test_random(&seed, 0, 1)};
        double room[6] = {0}, q, v;
        slip_passage p = {.user = &w, .value = speed, .pass = pass, .side = -1, .q = &q, .v = &v};
        const slip_step step = step_of(w.top - 2 * test_random(&seed, 0, 1) - 1e-3,
                                       w.top + 2 * test_random(&seed, 0, 1) + 1e-3, &w, state_at, room);
        assert_int_equal(slip_passage_see(&p, &step, 0), SLIP_OK);
        assert_int_equal(w.count, 1);
        assert_close(w.passed[0], w.top, 1e-14 * w.top);
        assert_true(p.side < 0);
    }
}

static void dips_and_jumps(void **state)
{
    throw w = {.count = 0};
    double room[6] = {0}, q, v;
    slip_passage p = {.user = &w, .value = speed, .rate = rate, .pass = pass, .side = -1, .q = &q, .v = &v};
    (void)state;
    slip_step step = step_of(0, 2, &w, dip_at, room);
    room[4] = -2;
    room[5] = 2;
    assert_int_equal(slip_passage_see(&p, &step, 0), SLIP_OK); /* down at 0.99, within one step */
    assert_int_equal(w.count, 1);
    assert_close(w.passed[0], 0.99, 1e-14);
    assert_true(p.side > 0);
    room[1] = room[3] = -1; /* a jump between two steps */
    step.t0 = 2;
    step.t1 = 3;
    room[4] = room[5] = 0;
    assert_int_equal(slip_passage_see(&p, &step, 0), SLIP_OK);
    assert_int_equal(w.count, 2);
    assert_close(w.passed[1], 2, 0);
}

static void shortest_numbers_of_returns(void **state)
{
    const double states[] = {1, 5, 9, 2, 5, 9, 1, 5, 9, 2, 5, 9, 1, 5, 9, 2, 5, 9}, limits[] = {0.1, 0.1},
                 wide[] = {2, 0.1};
    const slip_return_states all = {.states = states, .stride = 3, .m = 2},
                             rest = {.states = states + 1, .stride = 3, .m = 2};
    double room[2];
    (void)state;
    assert_int_equal(slip_returns_shortest(&all, 6, limits, room), 2);
    assert_int_equal(slip_returns_shortest(&all, 6, wide, room), 1);
    assert_int_equal(slip_returns_shortest(&all, 5, limits, room), 5); /* 2 does not divide 5 */
    assert_int_equal(slip_returns_shortest(&rest, 6, limits, room), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tops_of_throws), cmocka_unit_test(dips_and_jumps),
                                       cmocka_unit_test(shortest_numbers_of_returns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
