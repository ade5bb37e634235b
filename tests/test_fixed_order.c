/* The event method and time stepping converge to each other: thousands of random systems of 1 to 6 contacts,
 * sorted by what happens in them. docs/methods.md has the table. */
#include "random_contacts.h"
#include "run_system.h"

#include <stdlib.h>

/* What an event-driven run says of itself; a run counts for the first of these that fits from below. */
typedef enum happening {
    nothing,  /* no event */
    rest,     /* stick begins or ends */
    reversal, /* a slip velocity changes its sign without rest */
    impact,   /* a gap closes, or opens */
    happening_count
} happening;

static const char *const happening_names[] = {"no event", "stick and slip", "reversal", "impact, lift-off"};

typedef struct tally {
    double *orders, *errors;
    int count;
} tally;

static int see(void *user, const slip_event *event)
{
    happening *worst = user;
    bool slips = event->from == SLIP_MODE_SLIP_PLUS || event->from == SLIP_MODE_SLIP_MINUS;
    happening now = rest;
    if (event->from == SLIP_MODE_OPEN || event->to == SLIP_MODE_OPEN)
        now = impact;
    else if (slips && event->to != SLIP_MODE_STICK)
        now = reversal;
    *worst = now > *worst ? now : *worst;
    return SLIP_OK;
}

static int advance(random_system *r, const char *method, double step, double length, double *q,
                   happening *seen)
{
    const slip_method_type *type = slip_method_find(method);
    const slip_method_options options = {
        .tolerance = 1e-11, .step = step, .theta = NAN, .span = length, .segments = "rk"};
    slip_observer observer = {.user = seen, .event = seen ? see : NULL};
    double t, v[most_coordinates];
    void *self = NULL;
    int status;
    check_done(&r->b, type->open(r->b.ctx, r->b.system, &options, r->t, r->q, r->v, &self));
    status = type->advance(self, r->t + length, &observer);
    type->state(self, &t, q, v);
    type->close(self);
    return status;
}

static double distance(int n, const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

/* One system: errors with h and h/4 against the event method; false where that reports trouble (no or several
 * consistent modes, which random friction can bring about). */
static bool measure(random_system *r, double h, happening *what, double *error)
{
    enum { ratio = 4 };
    const double length = 1.5;
    double exact[most_coordinates], q[most_coordinates];
    *what = nothing;
    if (advance(r, "event", 0, length, exact, what) != SLIP_OK)
        return false;
    for (int k = 0; k < 2; k++, h /= ratio) {
        check_done(&r->b, advance(r, "moreau", h, length, q, NULL));
        error[k] = distance(r->n, q, exact);
    }
    return true;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}

static void random_one(uint64_t *seed, int count, bool impacts, random_system *r)
{
    random_wishes wishes = {.n = 2 * count + random_int(seed, -1, 1),
                            .count = count,
                            .full = true,
                            .largest_mu = 0.4,
                            .only_friction = !impacts,
                            .only_unilateral = impacts,
                            .still = impacts,
                            .equal = true,
                            .restitution = random_chance(seed, 0.5) ? 0 : 0.5,
                            .no_impact_friction = true};
    random_make(seed, &wishes, r);
}

/* The medians of order, log4(e(h)/e(h/4)), and of the error with h/4. A mean would say little: near a grazing
 * impact the motion itself does not depend smoothly on anything. */
static void converges(void **state)
{
    enum { systems = 2400, most_count = 6 };
    static const double least_order[] = {1.98, 1.95, 0.9, 0.9}, most_order[] = {2.02, 2.05, 1.1, 1.1},
                        largest_error[] = {1e-6, 1e-6, 1e-4, 3e-3};
    tally tallies[happening_count] = {{0}};
    int by_count[most_count + 1] = {0}, troubled = 0;
    uint64_t seed = 61;
    (void)state;
    for (int k = 0; k < happening_count; k++) {
        tallies[k].orders = calloc(systems, sizeof(double));
        tallies[k].errors = calloc(systems, sizeof(double));
    }
    const int tried = test_many(systems);
    for (int k = 0; k < tried; k++) {
        const int count = 1 + k % most_count;
        double error[2];
        happening what;
        random_system r;
        random_one(&seed, count, k % 4 == 3, &r);
        if (measure(&r, 5e-3, &what, error)) {
            tally *own = &tallies[what];
            own->errors[own->count] = error[1];
            own->orders[own->count++] = log2(error[0] / error[1]) / 2;
            by_count[count]++;
        } else {
            troubled++;
        }
        random_clear(&r);
    }
    print_message("%-18s %8s %8s %8s %8s %10s\n", "", "systems", "10 %", "median", "90 %", "error");
    for (int k = 0; k < happening_count; k++) {
        tally *own = &tallies[k];
        double order = median(own->orders, own->count), error = median(own->errors, own->count);
        print_message("%-18s %8d %8.2f %8.2f %8.2f %10.1e\n", happening_names[k], own->count,
                      own->orders[own->count / 10], order, own->orders[own->count - 1 - own->count / 10],
                      error);
        assert_true(own->count > test_many(100) - 3);
        assert_true(order > least_order[k] && order < most_order[k] && error < largest_error[k]);
        free(own->orders);
        free(own->errors);
    }
    for (int count = 1; count <= most_count; count++)
        assert_true(by_count[count] > tried / most_count * 3 / 4);
    print_message("%d with trouble that is reported\n", troubled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
