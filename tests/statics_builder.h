/* Static contact problems for tests: random ones, and a slow and obvious twin of the solver that tries every
 * set of modes on the full equations, coordinates and forces together. */
#ifndef SLIP_TESTS_STATICS_BUILDER_H
#define SLIP_TESTS_STATICS_BUILDER_H

#include "math/dense.h"
#include "statics/condense.h"
#include "statics/newton.h"
#include "statics/path.h"
#include "statics/solutions.h"
#include "test.h"

#include <string.h>

enum { most_contacts = 8, most_directions = 2 * most_contacts, most_coordinates = 24, most_found = 600 };

/* K q = f + sum rows lambda; d = rows q + offset. */
typedef struct raw_problem {
    int n, contact_count, direction_count;
    double stiffness[most_coordinates * most_coordinates], load[most_coordinates];
    double rows[most_directions * most_coordinates], offset[most_directions];
    slip_static_contact contacts[most_contacts];
    double friction[most_contacts], normal[most_contacts];
} raw_problem;

typedef struct condensed {
    slip_arena arena;
    slip_static_problem problem;
    int nullity;
    double base[most_coordinates], recover[most_coordinates * (most_directions + most_coordinates)];
} condensed;

static inline void condense(slip_context *context, const raw_problem *raw, condensed *to)
{
    slip_condense_input in = {raw->n,    raw->stiffness, raw->load, raw->direction_count,
                              raw->rows, raw->offset};
    memset(to, 0, sizeof *to);
    assert_int_equal(slip_condense_nullity(context, raw->n, raw->stiffness, &to->nullity), SLIP_OK);
    to->problem.shape = (slip_static_shape){.contact_count = raw->contact_count,
                                            .direction_count = raw->direction_count + to->nullity,
                                            .held_count = to->nullity,
                                            .contacts = raw->contacts,
                                            .sign = 1};
    assert_true(slip_static_values_create(&to->arena, &to->problem.shape, &to->problem.at));
    assert_int_equal(slip_condense(context, &in, to->nullity, to->problem.at.compliance, to->problem.at.free,
                                   to->base, to->recover, &to->problem.shape.sign),
                     SLIP_OK);
    memcpy(to->problem.at.friction, raw->friction, sizeof(double) * (size_t)raw->contact_count);
    memcpy(to->problem.at.normal, raw->normal, sizeof(double) * (size_t)raw->contact_count);
}

static inline void coordinates_of(const raw_problem *raw, const condensed *c, const double *lambda, double *q)
{
    const int all = c->problem.shape.direction_count;
    for (int i = 0; i < raw->n; i++) {
        q[i] = c->base[i];
        for (int j = 0; j < all; j++)
            q[i] += c->recover[i * all + j] * lambda[j];
    }
}

/* One element on a plane: K = [[B, -c], [-c, B]], gap -u_n, slip u_t. */
static inline raw_problem one_point(double B, double c, double F, double fn, double ft)
{
    raw_problem raw = {.n = 2, .contact_count = 1, .direction_count = 2};
    const double stiffness[] = {B, -c, -c, B}, load[] = {fn, ft}, rows[] = {-1, 0, 0, 1};
    memcpy(raw.stiffness, stiffness, sizeof stiffness);
    memcpy(raw.load, load, sizeof load);
    memcpy(raw.rows, rows, sizeof rows);
    raw.contacts[0] = (slip_static_contact){0, 1};
    raw.friction[0] = F;
    return raw;
}

/* Random: a stiffness with a definite symmetric part (and an unsymmetric part of the given weight), contacts
 * of all kinds. `kinds`: 0 only contacts with normal and tangential direction, 1 all. */
static inline raw_problem random_problem(uint64_t *seed, int contacts, bool all_kinds, double asymmetry,
                                         double friction)
{
    raw_problem raw = {.contact_count = contacts};
    raw.n = 2 * contacts + (int)test_random(seed, 0, 3);
    double factor[most_coordinates * most_coordinates];
    const int n = raw.n;
    for (int i = 0; i < n * n; i++)
        factor[i] = test_random(seed, -1, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = i == j ? 0.2 : 0;
            for (int k = 0; k < n; k++)
                sum += factor[i * n + k] * factor[j * n + k];
            raw.stiffness[i * n + j] = sum + asymmetry * (factor[i * n + j] - factor[j * n + i]);
        }
    for (int i = 0; i < n; i++)
        raw.load[i] = test_random(seed, -1, 1);
    for (int c = 0; c < contacts; c++) {
        const int kind = all_kinds ? (int)test_random(seed, 0, 4) : 0;
        raw.contacts[c].normal = kind == 2 ? -1 : raw.direction_count++;
        raw.contacts[c].tangent = kind == 1 ? -1 : raw.direction_count++;
        raw.friction[c] = kind == 1 ? 0 : friction * test_random(seed, 0.2, 1);
        raw.normal[c] = kind == 2 ? test_random(seed, 0, 2) : 0;
    }
    for (int i = 0; i < raw.direction_count * n; i++)
        raw.rows[i] = test_random(seed, -1, 1);
    for (int c = 0; c < contacts; c++)
        if (raw.contacts[c].normal >= 0)
            raw.offset[raw.contacts[c].normal] = test_random(seed, 0, 0.3);
    return raw;
}

/* ---- The twin. */

typedef struct found_solution {
    double q[most_coordinates], lambda[most_directions], d[most_directions];
    slip_mode modes[most_contacts];
    double nearest; /* smallest margin over its size: how far from a boundary of modes */
} found_solution;

/* Solves the full equations for the modes; false where they are singular. */
static inline bool solve_full(const raw_problem *raw, const slip_mode *modes, found_solution *to)
{
    const int n = raw->n, m = raw->direction_count, size = n + m;
    double matrix[(most_coordinates + most_directions) * (most_coordinates + most_directions)] = {0};
    double right[most_coordinates + most_directions] = {0};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            matrix[i * size + j] = raw->stiffness[i * n + j];
        for (int j = 0; j < m; j++)
            matrix[i * size + n + j] = -raw->rows[j * n + i];
        right[i] = raw->load[i];
    }
    for (int c = 0; c < raw->contact_count; c++) {
        const int normal = raw->contacts[c].normal, tangent = raw->contacts[c].tangent;
        const int sign = slip_static_slip_sign(modes[c]);
        if (normal >= 0) {
            double *row = matrix + (n + normal) * size;
            if (modes[c] == SLIP_MODE_OPEN) {
                row[n + normal] = 1;
            } else {
                memcpy(row, raw->rows + normal * n, sizeof(double) * (size_t)n);
                right[n + normal] = -raw->offset[normal];
            }
        }
        if (tangent >= 0) {
            double *row = matrix + (n + tangent) * size;
            if (modes[c] == SLIP_MODE_STICK) {
                memcpy(row, raw->rows + tangent * n, sizeof(double) * (size_t)n);
                right[n + tangent] = -raw->offset[tangent];
            } else {
                row[n + tangent] = 1;
                if (sign != 0 && normal >= 0)
                    row[n + normal] += sign * raw->friction[c];
                else if (sign != 0)
                    right[n + tangent] = -sign * raw->friction[c] * raw->normal[c];
            }
        }
    }
    if (!slip_dense_solve(size, matrix, right))
        return false;
    memcpy(to->q, right, sizeof(double) * (size_t)n);
    memcpy(to->lambda, right + n, sizeof(double) * (size_t)m);
    for (int i = 0; i < m; i++) {
        to->d[i] = raw->offset[i];
        for (int j = 0; j < n; j++)
            to->d[i] += raw->rows[i * n + j] * to->q[j];
    }
    return true;
}

/* The smallest of what must not be negative, by the laws as they are written. */
static inline double smallest_margin(const raw_problem *raw, const found_solution *s)
{
    double least = INFINITY;
    for (int c = 0; c < raw->contact_count; c++) {
        const int normal = raw->contacts[c].normal, tangent = raw->contacts[c].tangent;
        const double pressure = normal >= 0 ? s->lambda[normal] : raw->normal[c];
        if (s->modes[c] == SLIP_MODE_OPEN) {
            least = fmin(least, s->d[normal]);
            continue;
        }
        if (normal >= 0)
            least = fmin(least, pressure);
        if (tangent < 0)
            continue;
        if (s->modes[c] == SLIP_MODE_STICK)
            least = fmin(least, raw->friction[c] * pressure - fabs(s->lambda[tangent]));
        else
            least = fmin(least, slip_static_slip_sign(s->modes[c]) * s->d[tangent]);
    }
    return least;
}

/* Every solution with a margin of at least -1e-9, one entry for each set of modes; their number. */
static inline int brute_force(const raw_problem *raw, found_solution *found)
{
    slip_mode of[most_contacts][4];
    int counts[most_contacts], count = 0;
    int64_t combinations = 1;
    for (int c = 0; c < raw->contact_count; c++) {
        counts[c] = slip_static_modes_of(&raw->contacts[c], of[c]);
        combinations *= counts[c];
    }
    for (int64_t number = 0; number < combinations; number++) {
        int64_t rest = number;
        found_solution *to = &found[count];
        for (int c = 0; c < raw->contact_count; c++) {
            to->modes[c] = of[c][rest % counts[c]];
            rest /= counts[c];
        }
        if (!solve_full(raw, to->modes, to))
            continue;
        to->nearest = smallest_margin(raw, to);
        if (to->nearest >= -1e-9 && count < most_found - 1)
            count++;
    }
    return count;
}

#endif
