/* Random systems with contacts at a random instant, kept as plain numbers beside the system built from them,
 * so that a test can work out everything once more by its own means. */
#ifndef SLIP_TESTS_RANDOM_CONTACTS_H
#define SLIP_TESTS_RANDOM_CONTACTS_H

#include "method/modes/modes.h"
#include "system_builder.h"

enum { most_coordinates = 14, most_contacts = 16 };

typedef struct random_contact {
    bool unilateral, frictionless, touching, resting, impact_friction;
    double gap[most_coordinates], slip[most_coordinates]; /* rows */
    double gap_curve, slip_drift;                         /* of the moving stop and the belt */
    double gap_rate;                                      /* of the stop */
    double normal;                                        /* given normal force of kind friction */
    double mu, hold, velocity;                            /* velocity > 0: stribeck with exponent 1 */
    double restitution;
    double w; /* slip velocity */
} random_contact;

typedef struct random_system {
    bench b;
    slip_workspace *work;
    int n, count;
    double t, q[most_coordinates], v[most_coordinates];
    double load[most_coordinates]; /* f(t) - C v - K q */
    random_contact contacts[most_contacts];
} random_system;

typedef struct random_wishes {
    int n, count;
    double largest_mu;
    bool redundant;   /* some contacts repeat others */
    bool static_peak; /* some have static friction above kinetic, some stribeck */
    bool only_friction, only_unilateral;
    bool all_have_a_choice;
    bool full;          /* every contact touches every coordinate: none repeats another by chance */
    bool still;         /* no belts, no moving stops */
    bool no_loads;      /* nothing drives it */
    double restitution; /* of all contacts, where `equal` */
    bool equal, no_impact_friction;
} random_wishes;

static inline int random_int(uint64_t *seed, int low, int high)
{
    return (int)floor(test_random(seed, low, high + 1));
}

static inline bool random_chance(uint64_t *seed, double probability)
{
    return test_random(seed, 0, 1) < probability;
}

static inline double row_times(int n, const double *row, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += row[i] * x[i];
    return sum;
}

/* A A^T + shift. */
static inline void random_positive(uint64_t *seed, int n, double size, double shift, double *matrix)
{
    double a[most_coordinates * most_coordinates];
    for (int i = 0; i < n * n; i++)
        a[i] = test_random(seed, -size, size);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            matrix[i * n + j] = i == j ? shift : 0;
            for (int k = 0; k < n; k++)
                matrix[i * n + j] += a[i * n + k] * a[j * n + k];
        }
}

static inline void random_row(uint64_t *seed, int n, bool full, double *row)
{
    int sure = random_int(seed, 0, n - 1);
    for (int i = 0; i < n; i++)
        row[i] = i == sure || full || random_chance(seed, 0.5) ? test_random(seed, -1, 1) : 0;
    row[sure] += row[sure] < 0 ? -0.3 : 0.3;
}

/* "c0*x0 + c1*x1 + ..." with the given mark behind each name. */
static inline void print_row(int n, const double *row, const char *mark, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%.17g*x%d%s", i ? " + " : "", row[i], i, mark);
}

static inline void choose_contact(uint64_t *seed, random_system *r, int c, const random_wishes *wishes)
{
    random_contact *contact = &r->contacts[c];
    *contact = (random_contact){.touching = true, .resting = true};
    contact->unilateral = wishes->only_unilateral || (!wishes->only_friction && random_chance(seed, 0.5));
    contact->frictionless = contact->unilateral && random_chance(seed, 0.3);
    if (!wishes->all_have_a_choice) {
        contact->touching = random_chance(seed, 0.85);
        contact->resting = random_chance(seed, 0.8);
    }
    random_row(seed, r->n, wishes->full, contact->gap);
    random_row(seed, r->n, wishes->full, contact->slip);
    if (wishes->redundant && c > 0 && random_chance(seed, 0.4)) {
        const random_contact *other = &r->contacts[random_int(seed, 0, c - 1)];
        double factor = random_chance(seed, 0.5) ? 1 : test_random(seed, 0.5, 2);
        for (int i = 0; i < r->n; i++) {
            contact->gap[i] = factor * other->gap[i];
            contact->slip[i] = factor * other->slip[i];
        }
        contact->gap_curve = factor * other->gap_curve;
        contact->slip_drift = factor * other->slip_drift;
        contact->unilateral = other->unilateral;
        contact->frictionless = other->frictionless;
        contact->touching = other->touching;
        contact->resting = other->resting;
    } else {
        contact->gap_curve = random_chance(seed, 0.3) ? test_random(seed, -1, 1) : 0;
        contact->slip_drift = random_chance(seed, 0.3) ? test_random(seed, -1, 1) : 0;
    }
    contact->normal = test_random(seed, 0.2, 2);
    contact->mu = test_random(seed, 0.05, wishes->largest_mu);
    contact->hold = contact->mu;
    if (wishes->static_peak && random_chance(seed, 0.4))
        contact->hold *= test_random(seed, 1.1, 1.6);
    if (wishes->static_peak && random_chance(seed, 0.4))
        contact->velocity = test_random(seed, 0.2, 2);
    contact->restitution = random_chance(seed, 0.3) ? 0 : test_random(seed, 0, 1);
    contact->impact_friction = random_chance(seed, 0.5) && !wishes->no_impact_friction;
    if (wishes->equal)
        contact->restitution = wishes->restitution;
    if (wishes->still)
        contact->gap_curve = contact->slip_drift = 0;
}

/* Belts and stops are given the speeds that make the contact rest and touch as it is said to. */
static inline void add_contact(uint64_t *seed, random_system *r, int c, bool still)
{
    random_contact *contact = &r->contacts[c];
    bench *b = &r->b;
    int n = r->n;
    char name[20], slip[600], gap[600];
    slip_law law = coulomb(contact->mu, contact->hold / contact->mu);
    double belt, along = row_times(n, contact->slip, r->v), curve = contact->gap_curve;
    if (contact->velocity > 0) {
        law = slip_law_default("stribeck");
        law.mu = contact->mu;
        law.static_ratio = contact->hold / contact->mu;
        law.velocity = contact->velocity;
        law.exponent = 1;
    }
    contact->w = contact->resting ? 0 : test_random(seed, 0.1, 1) * (random_chance(seed, 0.5) ? 1 : -1);
    if (still)
        contact->w = along;
    belt = contact->w - along - contact->slip_drift * r->t;
    snprintf(name, sizeof name, "c%d", c);
    print_row(n, contact->slip, "'", slip, 500);
    snprintf(slip + strlen(slip), 100, " + %.17g + %.17g*t", belt, contact->slip_drift);
    if (!contact->unilateral) {
        char normal[40];
        snprintf(normal, sizeof normal, "%.17g", contact->normal);
        add_friction(b, name, slip, normal, law);
        return;
    }
    contact->gap_rate = still ? 0 : -row_times(n, contact->gap, r->v);
    print_row(n, contact->gap, "", gap, 450);
    snprintf(gap + strlen(gap), 150, " + %.17g + %.17g*t + %.17g*t^2",
             -row_times(n, contact->gap, r->q) - (contact->gap_rate - curve * r->t) * r->t -
                 curve / 2 * r->t * r->t + (contact->touching ? 0 : 1),
             contact->gap_rate - curve * r->t, curve / 2);
    add_unilateral(b, name, gap, contact->frictionless ? NULL : slip, contact->frictionless ? NULL : &law,
                   contact->restitution, contact->impact_friction);
}

static inline void random_make(uint64_t *seed, const random_wishes *wishes, random_system *r)
{
    static const char *const names[] = {"x0", "x1", "x2", "x3",  "x4",  "x5",  "x6",
                                        "x7", "x8", "x9", "x10", "x11", "x12", "x13"};
    const int n = wishes->n;
    memset(r, 0, sizeof *r);
    r->n = n;
    r->count = wishes->count;
    r->b = build(n, names);
    random_positive(seed, n, 0.7, 0.5, r->b.system->mass);
    random_positive(seed, n, 0.4, 0, r->b.system->damping);
    random_positive(seed, n, 1, 0.1, r->b.system->stiffness);
    r->t = test_random(seed, 0, 3);
    for (int i = 0; i < n; i++) {
        double steady = test_random(seed, -3, 3), swing = test_random(seed, -2, 2);
        char text[100];
        if (wishes->no_loads)
            steady = swing = 0;
        r->q[i] = test_random(seed, -1, 1);
        r->v[i] = test_random(seed, -1, 1);
        r->load[i] = steady + swing * cos(1.3 * r->t);
        snprintf(text, sizeof text, "%.17g + %.17g*cos(1.3*t)", steady, swing);
        add_force(&r->b, i, text);
    }
    for (int i = 0; i < n; i++)
        r->load[i] -= row_times(n, r->b.system->damping + i * n, r->v) +
                      row_times(n, r->b.system->stiffness + i * n, r->q);
    for (int c = 0; c < wishes->count; c++) {
        choose_contact(seed, r, c, wishes);
        add_contact(seed, r, c, wishes->still);
    }
    check_done(&r->b, slip_system_finish(r->b.ctx, r->b.system));
    check_done(&r->b, slip_workspace_create(r->b.ctx, r->b.system, &r->work));
}

static inline void random_clear(random_system *r)
{
    slip_workspace_destroy(r->work);
    clear(&r->b);
}

#endif
