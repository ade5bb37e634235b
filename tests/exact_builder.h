/* Systems for tests of the exact propagator: the published jack plane, and random ones. */
#ifndef SLIP_TESTS_EXACT_BUILDER_H
#define SLIP_TESTS_EXACT_BUILDER_H

#include "method/exact/exact.h"
#include "system_builder.h"

static inline slip_exact *create(bench *b)
{
    slip_exact *exact = NULL;
    check_done(b, slip_system_finish(b->ctx, b->system));
    check_done(b, slip_exact_create(b->ctx, b->system, NULL, &exact));
    return exact;
}

/* ---- The published jack plane. */

typedef struct expected_event {
    slip_mode before; /* the mode that ends there */
    double t, x;
    double v;
} expected_event;

static const expected_event events_a[] = {
    {SLIP_MODE_SLIP_PLUS, 0.19450479897598785, 0.009671787553264503, 0},
    {SLIP_MODE_STICK, 3.3904194613741985, 0.009671787553264503, 0},
    {SLIP_MODE_SLIP_PLUS, 7.3718002014006085, 0.33939342027690417, 0},
    {SLIP_MODE_STICK, 20.35625286648309, 0.33939342027690417, 0},
    {SLIP_MODE_SLIP_MINUS, 26.007700852581518, -0.7700674830248542, 0},
    {SLIP_MODE_STICK, 32.94413484237892, -0.7700674830248542, 0},
    {SLIP_MODE_SLIP_PLUS, 42.721381835007634, 0.16670906831450363, 0},
    {SLIP_MODE_STICK, 43.13211777100148, 0.16670906831450363, 0},
    {SLIP_MODE_SLIP_PLUS, 46.79528266067661, 0.3623448103062179, 0},
    {SLIP_MODE_STICK, 57.94189930459474, 0.3623448103062179, 0},
    {SLIP_MODE_SLIP_MINUS, 63.613406373913065, -0.7621674359290709, 0},
    {SLIP_MODE_STICK, 70.75030763090297, -0.7621674359290709, 0},
};
static const expected_event events_b[] = {
    {SLIP_MODE_SLIP_PLUS, 0.8455722709705775, 0.03713267610608847, 0},
    {SLIP_MODE_STICK, 1.2430676563200318, 0.03713267610608847, 0},
    {SLIP_MODE_SLIP_PLUS, 5.600783742003966, 0.5177596812348398, 0},
    {SLIP_MODE_STICK, 7.112240497084967, 0.5177596812348398, 0},
    {SLIP_MODE_SLIP_PLUS, 10.36527278574236, 0.6046110785021406, 0},
    {SLIP_MODE_STICK, 16.41869934039615, 0.6046110785021406, 0},
    {SLIP_MODE_SLIP_MINUS, 21.447496921342278, -0.5, -0.1764170057013603},
    {SLIP_MODE_OPEN, 35.294277627304055, -0.4690261945470084, 0.8838632055075692},
};

static inline bench jack_plane(double friction, const char *normal_load)
{
    static const char *const names[] = {"n", "u"};
    const double stiffness[] = {1.2, -1, -1, 1.2};
    bench b = build(2, names);
    slip_law law = coulomb(friction, 1);
    memcpy(b.system->stiffness, stiffness, sizeof stiffness);
    add_force(&b, 0, normal_load);
    add_force(&b, 1, "sin(t/6)");
    add_unilateral(&b, "tip", "-n", "u'", &law, 0, false);
    return b;
}

/* ---- Random systems. */

enum { most_n = 4 };

/* Symmetric positive definite, or of lower rank, or zero. */
static inline void random_matrix(uint64_t *seed, int n, int rank, double size, double *matrix)
{
    double factor[most_n * most_n];
    for (int i = 0; i < n * n; i++)
        factor[i] = test_random(seed, -size, size);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            matrix[i * n + j] = 0;
            for (int k = 0; k < rank; k++)
                matrix[i * n + j] += factor[i * n + k] * factor[j * n + k];
        }
}

static inline int random_integer(uint64_t *seed, int count)
{
    return (int)test_random(seed, 0, count);
}

static const char *const coordinate_names[] = {"a", "b", "c", "d"};

static inline void random_sum(uint64_t *seed, int n, const char *suffix, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, size - used, "%+.3f*%s%s", test_random(seed, -1, 1),
                                 coordinate_names[i], suffix);
}

static inline void random_contact(uint64_t *seed, bench *b, int c)
{
    static const char *const normals[] = {"1", "2 + cos(0.7*t)", "0.5 + 0.1*t", "1.3"};
    static const char *const belts[] = {"", " - 0.3", " - 0.2*sin(1.1*t)", " + 0.1*t - 0.05*t^2"};
    static const char *const stops[] = {"", " + 0.4", " + 0.1*cos(2*t)", " + 0.2*t"};
    char name[16], slip[200], gap[200];
    int n = b->system->n;
    slip_law law = coulomb(test_random(seed, 0.05, 0.4), 1.2);
    snprintf(name, sizeof name, "c%d", c);
    random_sum(seed, n, "'", slip, sizeof slip);
    random_sum(seed, n, "", gap, sizeof gap);
    strcat(slip, belts[random_integer(seed, 4)]);
    strcat(gap, stops[random_integer(seed, 4)]);
    if (random_integer(seed, 2)) {
        int normal = random_integer(seed, 4);
        law.viscous = normal % 3 == 0 ? test_random(seed, 0, 0.2) : 0;
        add_friction(b, name, slip, normals[normal], law);
    } else {
        add_unilateral(b, name, gap, random_integer(seed, 4) ? slip : NULL, &law, 0, false);
    }
}

static inline bench random_system(uint64_t *seed, int n, int contacts)
{
    static const char *const loads[] = {"0",
                                        "1.5",
                                        "sin(t)",
                                        "cos(2*t) + 0.3*sin(0.3*t + 1)",
                                        "0.2*t - 0.01*t^2",
                                        "t*sin(1.7*t)",
                                        "0.02*t^3 + sin(t)^2"};
    bench b = build(n, coordinate_names);
    random_matrix(seed, n, n, 1, b.system->mass);
    for (int i = 0; i < n; i++)
        b.system->mass[i * (n + 1)] += 0.5;
    random_matrix(seed, n, random_integer(seed, n + 1), 1.5, b.system->stiffness);
    random_matrix(seed, n, random_integer(seed, n + 1), 0.5, b.system->damping);
    for (int i = 0; i < n; i++)
        add_force(&b, i, loads[random_integer(seed, 7)]);
    for (int c = 0; c < contacts; c++)
        random_contact(seed, &b, c);
    return b;
}

static inline void random_modes(uint64_t *seed, const bench *b, slip_mode *modes)
{
    for (int c = 0; c < (int)b->system->contact_count; c++) {
        static const slip_mode choices[] = {SLIP_MODE_STICK, SLIP_MODE_SLIP_PLUS, SLIP_MODE_SLIP_MINUS,
                                            SLIP_MODE_OPEN};
        const slip_contact *contact = &b->system->contacts[c];
        modes[c] = choices[random_integer(seed, !contact->has_gap ? 3 : 4)];
        if (contact->frictionless && modes[c] != SLIP_MODE_OPEN)
            modes[c] = SLIP_MODE_CLOSED;
    }
}

static inline double largest_of(int n, const double *x)
{
    double largest = 1;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* With more constraints than motions the forces are not unique: a test of their own has that. */
static inline int constraint_count(const bench *b, const slip_mode *modes)
{
    int count = 0;
    for (int c = 0; c < (int)b->system->contact_count; c++)
        count +=
            (b->system->contacts[c].has_gap && modes[c] != SLIP_MODE_OPEN) + (modes[c] == SLIP_MODE_STICK);
    return count;
}

#endif
