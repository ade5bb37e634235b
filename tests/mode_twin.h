/* A slow and independent twin of the method `event`, for linear systems with Coulomb friction and gaps.
 *
 * Loads, belts, stops and normal forces are rows times s(t) = (1, t, t^2/2, t^3/6, cos w t, sin w t, cos u t,
 * sin u t), which solves s' = G s. For given modes everything is linear: y = (q, v, s), y' = L y, so that any
 * condition is a row times y, its derivatives are row L^k y, exactly, and the motion is the exponential
 * series in extended precision. The first root of a condition in a step is found from its Taylor polynomial:
 * a stretch is clear when the coefficients say so, holds one root when they say that it falls, and is halved
 * otherwise.
 *
 * At an event all modes of all contacts that have a choice are tried: stick, slip either way, open. A set is
 * consistent when each condition holds from then on, which the first derivative that is not zero tells. The
 * rule among consistent sets:
 *
 * 1. A contact is released when its own limit is reached: a slip from rest has no cause if the contact could
 *    stick, all others as in the set, within its own limit. Fewest slips without cause.
 * 2. Fewest releases of contacts that were held (and whose own limit was not reached just now).
 * 3. Most contacts that stick.
 *
 * Where that leaves two sets that move differently, or where a number that decides is small but not zero, the
 * twin does not know, and says so. Where 2 before 1 would lead elsewhere it says that the rule is in dispute;
 * regularised laws tend to the motion by 1 before 2 then (test_held_smooth.c). */
#ifndef SLIP_TESTS_MODE_TWIN_H
#define SLIP_TESTS_MODE_TWIN_H

#include "test.h"

#include "slipstick/model.h"

#include <string.h>

typedef long double real;

enum {
    twin_n = 6,
    twin_contacts = 12,
    twin_s = 8,
    twin_y = 2 * twin_n + twin_s,
    twin_order = 24,   /* of the series */
    twin_deepest = 10, /* derivative that is asked for a sign */
    twin_sides = 2 * twin_contacts,
    twin_most_events = 200
};

typedef struct twin_contact {
    bool unilateral, frictionless;
    double gap[twin_n], slip[twin_n];                  /* rows */
    double stop[twin_s], belt[twin_s], normal[twin_s]; /* gap = row q + stop s, slip = row v + belt s */
    double mu, ratio, restitution;
} twin_contact;

typedef struct twin_system {
    int n, count;
    double mass[twin_n][twin_n], damping[twin_n][twin_n], stiffness[twin_n][twin_n];
    double load[twin_n][twin_s];
    double w, u;
    twin_contact contacts[twin_contacts];
    double q[twin_n], v[twin_n], end; /* initial state; from t = 0 */
} twin_system;

typedef struct twin_event {
    double t;
    int contact;
    slip_mode from, to;
} twin_event;

typedef enum twin_verdict {
    TWIN_DONE,
    TWIN_NEAR_TIE,  /* a number that decides is small */
    TWIN_SEVERAL,   /* the rule leaves several sets of modes */
    TWIN_NONE,      /* no set is consistent */
    TWIN_DEPENDENT, /* forces are not unique */
    TWIN_MANY       /* too many events: bounces that accumulate */
} twin_verdict;

/* For one set of modes: accelerations and forces as rows over y, and the conditions. */
typedef struct twin_set {
    slip_mode modes[twin_contacts];
    real a[twin_n][twin_y], normal[twin_contacts][twin_y], force[twin_contacts][twin_y];
    real condition[2 * twin_sides][twin_y];
    int owner[2 * twin_sides];
    bool strict[2 * twin_sides]; /* must not vanish for ever */
    int conditions;
} twin_set;

typedef struct twin_run {
    const twin_system *system;
    twin_event events[twin_most_events];
    int count;
    real t, y[twin_y];
    twin_set now;
    bool held[twin_contacts], limit[twin_contacts]; /* sticks; its own limit is reached */
    bool near, disputed;
    bool kicks;         /* see twin_kicked */
    int choices, plain; /* events; those with one consistent set only */
} twin_run;

/* ---- Small linear algebra. */

static inline void twin_derive(const twin_run *r, const twin_set *set, const real *y, real *d)
{
    const int n = r->system->n;
    for (int i = 0; i < n; i++) {
        real sum = 0;
        d[i] = y[n + i];
        for (int j = 0; j < 2 * n + twin_s; j++)
            sum += set->a[i][j] * y[j];
        d[n + i] = sum;
    }
    const real *s = y + 2 * n;
    real *ds = d + 2 * n, w = r->system->w, u = r->system->u;
    ds[0] = 0, ds[1] = s[0], ds[2] = s[1], ds[3] = s[2];
    ds[4] = -w * s[5], ds[5] = w * s[4], ds[6] = -u * s[7], ds[7] = u * s[6];
}

/* row of s -> row of s' : (row G). */
static inline void twin_row_rate(const twin_system *system, const real *row, real *rate)
{
    const real w = system->w, u = system->u;
    rate[0] = row[1], rate[1] = row[2], rate[2] = row[3], rate[3] = 0;
    rate[4] = w * row[5], rate[5] = -w * row[4], rate[6] = u * row[7], rate[7] = -u * row[6];
}

/* Solves a x = b for several right sides in place; false when a pivot is small beside its column. */
static inline bool twin_solve(int m, real a[twin_sides][twin_sides], int sides, real b[twin_sides][twin_y])
{
    for (int k = 0; k < m; k++) {
        int best = k;
        real size = 0;
        for (int i = 0; i < m; i++)
            size = fmaxl(size, fabsl(a[i][k]));
        for (int i = k + 1; i < m; i++)
            if (fabsl(a[i][k]) > fabsl(a[best][k]))
                best = i;
        if (fabsl(a[best][k]) <= 1e-5L * size)
            return false;
        for (int j = 0; j < m && best != k; j++) {
            real swap = a[k][j];
            a[k][j] = a[best][j], a[best][j] = swap;
        }
        for (int j = 0; j < sides && best != k; j++) {
            real swap = b[k][j];
            b[k][j] = b[best][j], b[best][j] = swap;
        }
        for (int i = 0; i < m; i++) {
            if (i == k || a[i][k] == 0)
                continue;
            real factor = a[i][k] / a[k][k];
            for (int j = k; j < m; j++)
                a[i][j] -= factor * a[k][j];
            for (int j = 0; j < sides; j++)
                b[i][j] -= factor * b[k][j];
        }
    }
    for (int k = 0; k < m; k++)
        for (int j = 0; j < sides; j++)
            b[k][j] /= a[k][k];
    return true;
}

/* The inverse of the mass matrix, for all sets of modes of a system. */
static inline void twin_invert_mass(const twin_system *system, real inverse[twin_n][twin_n])
{
    real a[twin_sides][twin_sides] = {{0}}, b[twin_sides][twin_y] = {{0}};
    for (int i = 0; i < system->n; i++) {
        b[i][i] = 1;
        for (int j = 0; j < system->n; j++)
            a[i][j] = system->mass[i][j];
    }
    assert_true(twin_solve(system->n, a, system->n, b));
    for (int i = 0; i < system->n; i++)
        for (int j = 0; j < system->n; j++)
            inverse[i][j] = b[i][j];
}

/* ---- Rows. */

static inline void twin_slip_row(const twin_system *system, int c, real *row)
{
    const int n = system->n;
    memset(row, 0, twin_y * sizeof *row);
    for (int i = 0; i < n; i++)
        row[n + i] = system->contacts[c].slip[i];
    for (int k = 0; k < twin_s; k++)
        row[2 * n + k] = system->contacts[c].belt[k];
}

static inline void twin_gap_row(const twin_system *system, int c, real *row)
{
    const int n = system->n;
    memset(row, 0, twin_y * sizeof *row);
    for (int i = 0; i < n; i++)
        row[i] = system->contacts[c].gap[i];
    for (int k = 0; k < twin_s; k++)
        row[2 * n + k] = system->contacts[c].stop[k];
}

static inline void twin_gap_rate_row(const twin_system *system, int c, real *row)
{
    const int n = system->n;
    real stop[twin_s];
    memset(row, 0, twin_y * sizeof *row);
    for (int i = 0; i < n; i++)
        row[n + i] = system->contacts[c].gap[i];
    for (int k = 0; k < twin_s; k++)
        stop[k] = system->contacts[c].stop[k];
    twin_row_rate(system, stop, row + 2 * n);
}

static inline void twin_add_condition(twin_set *set, int c, int n, real factor, const real *row, real factor2,
                                      const real *row2, bool strict)
{
    real *to = set->condition[set->conditions];
    for (int j = 0; j < 2 * n + twin_s; j++)
        to[j] = factor * row[j] + (row2 ? factor2 * row2[j] : 0);
    set->owner[set->conditions] = c;
    set->strict[set->conditions] = strict;
    set->conditions++;
}

static inline void twin_conditions(const twin_system *system, twin_set *set)
{
    const int n = system->n;
    set->conditions = 0;
    for (int c = 0; c < system->count; c++) {
        const twin_contact *contact = &system->contacts[c];
        real row[twin_y];
        if (set->modes[c] == SLIP_MODE_OPEN) {
            twin_gap_row(system, c, row);
            twin_add_condition(set, c, n, 1, row, 0, NULL, true);
            continue;
        }
        if (contact->unilateral)
            twin_add_condition(set, c, n, 1, set->normal[c], 0, NULL, false);
        if (set->modes[c] == SLIP_MODE_STICK) {
            real hold = (real)contact->mu * contact->ratio;
            twin_add_condition(set, c, n, hold, set->normal[c], 1, set->force[c], false);
            twin_add_condition(set, c, n, hold, set->normal[c], -1, set->force[c], false);
        } else if (set->modes[c] != SLIP_MODE_CLOSED) {
            twin_slip_row(system, c, row);
            twin_add_condition(set, c, n, set->modes[c] == SLIP_MODE_SLIP_PLUS ? 1 : -1, row, 0, NULL, true);
        }
    }
}

/* M a = load - C v - K q + gap^T N + slip^T F, with N and F from the constraints of the modes. */
static inline bool twin_prepare(const twin_system *system, real inverse[twin_n][twin_n], twin_set *set)
{
    const int n = system->n, size = 2 * n + twin_s;
    real free_a[twin_n][twin_y], pull[twin_n][twin_y];
    real rows[twin_sides][twin_n], columns[twin_sides][twin_n], response[twin_sides][twin_n];
    real gram[twin_sides][twin_sides], right[twin_sides][twin_y];
    int m = 0, contact_of[twin_sides];
    bool is_gap[twin_sides];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            pull[i][j] = -(real)system->stiffness[i][j];
            pull[i][n + j] = -(real)system->damping[i][j];
        }
        for (int k = 0; k < twin_s; k++)
            pull[i][2 * n + k] = system->load[i][k];
    }
    memset(set->normal, 0, sizeof set->normal);
    memset(set->force, 0, sizeof set->force);
    for (int c = 0; c < system->count; c++) {
        const twin_contact *contact = &system->contacts[c];
        const slip_mode mode = set->modes[c];
        const real rub = mode == SLIP_MODE_SLIP_PLUS    ? -(real)contact->mu
                         : mode == SLIP_MODE_SLIP_MINUS ? (real)contact->mu
                                                        : 0;
        if (mode == SLIP_MODE_OPEN)
            continue;
        if (contact->unilateral) {
            real stop[twin_s], rate[twin_s];
            for (int k = 0; k < twin_s; k++)
                stop[k] = contact->stop[k];
            twin_row_rate(system, stop, rate);
            twin_row_rate(system, rate, stop);
            for (int i = 0; i < n; i++) {
                rows[m][i] = contact->gap[i];
                columns[m][i] = contact->gap[i] + rub * contact->slip[i];
            }
            memset(right[m], 0, sizeof right[m]);
            for (int k = 0; k < twin_s; k++)
                right[m][2 * n + k] = -stop[k];
            is_gap[m] = true;
            contact_of[m++] = c;
        } else {
            for (int k = 0; k < twin_s; k++) {
                set->normal[c][2 * n + k] = contact->normal[k];
                set->force[c][2 * n + k] = rub * contact->normal[k];
                for (int i = 0; i < n; i++)
                    pull[i][2 * n + k] += rub * contact->normal[k] * contact->slip[i];
            }
        }
        if (mode == SLIP_MODE_STICK) {
            real belt[twin_s], rate[twin_s];
            for (int k = 0; k < twin_s; k++)
                belt[k] = contact->belt[k];
            twin_row_rate(system, belt, rate);
            for (int i = 0; i < n; i++)
                rows[m][i] = columns[m][i] = contact->slip[i];
            memset(right[m], 0, sizeof right[m]);
            for (int k = 0; k < twin_s; k++)
                right[m][2 * n + k] = -rate[k];
            is_gap[m] = false;
            contact_of[m++] = c;
        }
    }
    if (m > n)
        return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < size; j++) {
            free_a[i][j] = 0;
            for (int k = 0; k < n; k++)
                free_a[i][j] += inverse[i][k] * pull[k][j];
        }
    for (int k = 0; k < m; k++)
        for (int i = 0; i < n; i++) {
            response[k][i] = 0;
            for (int j = 0; j < n; j++)
                response[k][i] += inverse[i][j] * columns[k][j];
        }
    for (int k = 0; k < m; k++) {
        for (int l = 0; l < m; l++) {
            gram[k][l] = 0;
            for (int i = 0; i < n; i++)
                gram[k][l] += rows[k][i] * response[l][i];
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < size; j++)
                right[k][j] -= rows[k][i] * free_a[i][j];
    }
    if (!twin_solve(m, gram, size, right))
        return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < size; j++) {
            set->a[i][j] = free_a[i][j];
            for (int k = 0; k < m; k++)
                set->a[i][j] += response[k][i] * right[k][j];
        }
    for (int k = 0; k < m; k++) {
        const int c = contact_of[k];
        const slip_mode mode = set->modes[c];
        memcpy(is_gap[k] ? set->normal[c] : set->force[c], right[k], sizeof right[k]);
        if (is_gap[k] && (mode == SLIP_MODE_SLIP_PLUS || mode == SLIP_MODE_SLIP_MINUS))
            for (int j = 0; j < size; j++)
                set->force[c][j] =
                    (mode == SLIP_MODE_SLIP_PLUS ? -1 : 1) * (real)system->contacts[c].mu * right[k][j];
    }
    twin_conditions(system, set);
    return true;
}

/* ---- Signs. */

/* -1, 0 or 1; sets *near where the number is small beside what it is made of, and not zero. Systems are of
 * size one: what is made of next to nothing is nothing. */
static inline int twin_sign(const twin_run *r, const real *row, const real *y, bool *near)
{
    real sum = 0, size = 0, weight = 0;
    for (int j = 0; j < 2 * r->system->n + twin_s; j++) {
        sum += row[j] * y[j];
        size += fabsl(row[j] * y[j]);
        weight += fabsl(row[j]);
    }
    if (fabsl(sum) <= 1e-11L * size + 1e-13L * weight)
        return 0;
    if (fabsl(sum) <= 1e-6L * size)
        *near = true;
    return sum > 0 ? 1 : -1;
}

/* The sign of the condition a moment later; 0 when it stays zero. */
static inline int twin_sign_ahead(const twin_run *r, const real *row, real ladder[][twin_y], bool *near)
{
    for (int k = 0; k <= twin_deepest; k++) {
        int sign = twin_sign(r, row, ladder[k], near);
        if (sign)
            return sign;
    }
    return 0;
}

/* The derivatives of y by the set's equation. */
static inline void twin_ladder(const twin_run *r, const twin_set *set, int order, real ladder[][twin_y])
{
    memcpy(ladder[0], r->y, sizeof r->y);
    for (int k = 0; k < order; k++)
        twin_derive(r, set, ladder[k], ladder[k + 1]);
}

/* Quickly away where a condition is broken at once. */
static inline bool twin_consistent(const twin_run *r, const twin_set *set, bool *near)
{
    real ladder[twin_deepest + 1][twin_y];
    bool close = false;
    for (int i = 0; i < set->conditions; i++)
        if (twin_sign(r, set->condition[i], r->y, &close) < 0 && !close)
            return false;
    twin_ladder(r, set, twin_deepest, ladder);
    for (int i = 0; i < set->conditions; i++) {
        int sign = twin_sign_ahead(r, set->condition[i], ladder, near);
        if (sign < 0 || (sign == 0 && set->strict[i]))
            return false;
    }
    return true;
}

/* ---- Choosing. */

typedef struct twin_choice {
    slip_mode modes[4];
    int count;
    bool at_rest, touching;
} twin_choice;

/* What a contact may do next; false where it is about to strike. */
static inline bool twin_choices(twin_run *r, int c, twin_choice *choice)
{
    const twin_contact *contact = &r->system->contacts[c];
    real row[twin_y];
    *choice = (twin_choice){.touching = true};
    if (contact->unilateral) {
        int sign, rate;
        twin_gap_row(r->system, c, row);
        sign = twin_sign(r, row, r->y, &r->near);
        twin_gap_rate_row(r->system, c, row);
        rate = sign ? 1 : twin_sign(r, row, r->y, &r->near);
        if (rate < 0)
            return false;
        choice->touching = sign == 0 && rate == 0;
        choice->modes[choice->count++] = SLIP_MODE_OPEN;
        if (!choice->touching)
            return true;
    }
    if (contact->frictionless) {
        choice->modes[choice->count++] = SLIP_MODE_CLOSED;
        return true;
    }
    twin_slip_row(r->system, c, row);
    int slip = twin_sign(r, row, r->y, &r->near);
    choice->at_rest = slip == 0;
    if (slip >= 0)
        choice->modes[choice->count++] = SLIP_MODE_SLIP_PLUS;
    if (slip <= 0)
        choice->modes[choice->count++] = SLIP_MODE_SLIP_MINUS;
    if (slip == 0)
        choice->modes[choice->count++] = SLIP_MODE_STICK;
    return true;
}

/* The contacts that slip from rest in the set, and would be within their own limits if they stuck. */
static inline int twin_causeless(const twin_run *r, real inverse[twin_n][twin_n], const twin_choice *choices,
                                 const twin_set *set)
{
    twin_set trial;
    real ladder[twin_deepest + 1][twin_y];
    int count = 0;
    for (int c = 0; c < r->system->count; c++) {
        bool within = true, ignored = false;
        if (!choices[c].at_rest || set->modes[c] == SLIP_MODE_STICK || set->modes[c] == SLIP_MODE_OPEN)
            continue;
        memcpy(trial.modes, set->modes, sizeof trial.modes);
        trial.modes[c] = SLIP_MODE_STICK;
        if (!twin_prepare(r->system, inverse, &trial))
            continue;
        twin_ladder(r, &trial, twin_deepest, ladder);
        for (int i = 0; i < trial.conditions; i++)
            if (trial.owner[i] == c)
                within &= twin_sign_ahead(r, trial.condition[i], ladder, &ignored) >= 0;
        count += within;
    }
    return count;
}

static inline int twin_releases(const twin_run *r, const slip_mode *modes)
{
    int count = 0;
    for (int c = 0; c < r->system->count; c++)
        count += r->held[c] && !r->limit[c] && modes[c] != SLIP_MODE_STICK;
    return count;
}

static inline int twin_moving(const twin_run *r, const twin_choice *choices, const slip_mode *modes)
{
    int count = 0;
    for (int c = 0; c < r->system->count; c++)
        count += choices[c].at_rest && modes[c] != SLIP_MODE_STICK;
    return count;
}

/* Whether two sets move differently from here. */
static inline bool twin_differ(const twin_run *r, const twin_set *one, const twin_set *two)
{
    real a[twin_deepest + 1][twin_y], b[twin_deepest + 1][twin_y];
    twin_ladder(r, one, twin_deepest, a);
    twin_ladder(r, two, twin_deepest, b);
    for (int k = 1; k <= twin_deepest; k++)
        for (int j = 0; j < 2 * r->system->n; j++)
            if (fabsl(a[k][j] - b[k][j]) > 1e-9L * (1 + fabsl(a[k][j])))
                return true;
    return false;
}

/* The best set by one order of the rule, and how many are as good and move differently. */
typedef struct twin_best {
    int price, rivals;
    twin_set set;
} twin_best;

static inline void twin_compete(const twin_run *r, twin_best *best, int price, const twin_set *set)
{
    if (price == best->price)
        best->rivals += twin_differ(r, &best->set, set);
    if (price < best->price)
        *best = (twin_best){price, 0, *set};
}

static inline twin_verdict twin_choose(twin_run *r, real inverse[twin_n][twin_n], const twin_choice *choices)
{
    enum { none = 1 << 30 };
    const int count = r->system->count;
    int sets = 1, consistent = 0;
    twin_best best = {.price = none}, other = {.price = none};
    twin_set trial;
    for (int c = 0; c < count; c++)
        sets *= choices[c].count;
    for (int k = 0; k < sets; k++) {
        for (int c = 0, rest = k; c < count; rest /= choices[c++].count)
            trial.modes[c] = choices[c].modes[rest % choices[c].count];
        if (!twin_prepare(r->system, inverse, &trial))
            return TWIN_DEPENDENT;
        if (!twin_consistent(r, &trial, &r->near))
            continue;
        int causeless = twin_causeless(r, inverse, choices, &trial), releases = twin_releases(r, trial.modes),
            moving = twin_moving(r, choices, trial.modes);
        twin_compete(r, &best, 256 * causeless + 16 * releases + moving, &trial);
        twin_compete(r, &other, 256 * releases + 16 * causeless + moving, &trial);
        consistent++;
    }
    if (!consistent)
        return TWIN_NONE;
    if (best.rivals)
        return TWIN_SEVERAL;
    r->disputed |= other.rivals || twin_differ(r, &best.set, &other.set);
    r->choices++;
    r->plain += consistent == 1;
    r->now = best.set;
    return TWIN_DONE;
}

/* Whether a contact that is held before and after would be beyond its limit for a moment, while the friction
 * of those that change passes through its static peak, either way. Coulomb's law knows no such moment; laws
 * with a finite slope at rest do, and may let go. */
static inline bool twin_kicked(const twin_run *r, real inverse[twin_n][twin_n], const twin_choice *choices,
                               bool start)
{
    twin_system peaks = *r->system;
    twin_run trial = {.system = &peaks};
    twin_set set;
    int changed[twin_contacts], count = 0;
    memcpy(trial.y, r->y, sizeof r->y);
    for (int c = 0; c < peaks.count; c++) {
        const bool held = (start || r->held[c]) && r->now.modes[c] == SLIP_MODE_STICK;
        if (!choices[c].at_rest || held || r->now.modes[c] == SLIP_MODE_OPEN)
            continue;
        peaks.contacts[c].mu *= peaks.contacts[c].ratio;
        peaks.contacts[c].ratio = 1;
        changed[count++] = c;
    }
    for (int sides = 0; sides < 1 << count; sides++) {
        bool ignored = false;
        memcpy(set.modes, r->now.modes, sizeof set.modes);
        for (int k = 0; k < count; k++)
            set.modes[changed[k]] = sides >> k & 1 ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_SLIP_MINUS;
        if (!twin_prepare(&peaks, inverse, &set))
            return true;
        for (int i = 0; i < set.conditions; i++)
            if (set.modes[set.owner[i]] == SLIP_MODE_STICK &&
                twin_sign(&trial, set.condition[i], trial.y, &ignored) < 0)
                return true;
    }
    return false;
}

/* ---- Impacts without friction: p >= 0, rate after >= wanted, one of them an equation. */

static inline twin_verdict twin_strike(twin_run *r, real inverse[twin_n][twin_n], const bool *strikes)
{
    const twin_system *system = r->system;
    const int n = system->n;
    int list[twin_contacts], count = 0, solutions = 0;
    real rate[twin_contacts], wanted[twin_contacts], impulse[twin_contacts] = {0}, row[twin_y];
    real gram[twin_contacts][twin_contacts], response[twin_contacts][twin_n];
    for (int c = 0; c < system->count; c++)
        if (strikes[c] || (system->contacts[c].unilateral && r->now.modes[c] != SLIP_MODE_OPEN)) {
            twin_gap_rate_row(system, c, row);
            rate[count] = 0;
            for (int j = 0; j < 2 * n + twin_s; j++)
                rate[count] += row[j] * r->y[j];
            wanted[count] = strikes[c] ? -system->contacts[c].restitution * rate[count] : 0;
            for (int i = 0; i < n; i++) {
                response[count][i] = 0;
                for (int j = 0; j < n; j++)
                    response[count][i] += inverse[i][j] * system->contacts[c].gap[j];
            }
            list[count++] = c;
        }
    for (int k = 0; k < count; k++)
        for (int l = 0; l < count; l++) {
            gram[k][l] = 0;
            for (int i = 0; i < n; i++)
                gram[k][l] += system->contacts[list[k]].gap[i] * response[l][i];
        }
    for (int set = 0; set < 1 << count; set++) {
        real a[twin_sides][twin_sides], b[twin_sides][twin_y], p[twin_contacts] = {0};
        int member[twin_contacts], m = 0;
        bool good = true, near = false;
        for (int k = 0; k < count; k++)
            if (set >> k & 1)
                member[m++] = k;
        for (int k = 0; k < m; k++) {
            for (int l = 0; l < m; l++)
                a[k][l] = gram[member[k]][member[l]];
            b[k][0] = wanted[member[k]] - rate[member[k]];
        }
        if (!twin_solve(m, a, 1, b))
            return TWIN_DEPENDENT;
        for (int k = 0; k < m; k++) {
            p[member[k]] = b[k][0];
            good &= b[k][0] > 1e-12L;
        }
        for (int k = 0; k < count; k++) {
            real after = rate[k];
            for (int l = 0; l < count; l++)
                after += gram[k][l] * p[l];
            if (!(set >> k & 1)) {
                good &= after - wanted[k] > -1e-12L;
                near |= fabsl(after - wanted[k]) > 1e-12L && fabsl(after - wanted[k]) < 1e-6L;
            }
        }
        if (!good)
            continue;
        for (int k = 0; k < m; k++)
            near |= b[k][0] < 1e-6L;
        r->near |= near;
        memcpy(impulse, p, sizeof p);
        solutions++;
    }
    if (solutions != 1)
        return TWIN_SEVERAL;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < n; i++)
            r->y[n + i] += response[k][i] * impulse[k];
    return TWIN_DONE;
}

/* ---- Events. */

static inline void twin_report(twin_run *r, const slip_mode *before, const bool *strikes)
{
    for (int c = 0; c < r->system->count; c++)
        if ((before[c] != r->now.modes[c] || strikes[c]) && r->count < twin_most_events)
            r->events[r->count++] = (twin_event){(double)r->t, c, before[c], r->now.modes[c]};
}

/* At the present state: impacts, then modes. At the start nothing was held. */
static inline twin_verdict twin_switch(twin_run *r, real inverse[twin_n][twin_n], bool start)
{
    twin_choice choices[twin_contacts];
    bool strikes[twin_contacts] = {false}, strike = false;
    slip_mode before[twin_contacts];
    twin_verdict verdict;
    memcpy(before, r->now.modes, sizeof before);
    for (int c = 0; c < r->system->count; c++) {
        r->held[c] = !start && before[c] == SLIP_MODE_STICK;
        strikes[c] = !twin_choices(r, c, &choices[c]);
        strike |= strikes[c];
    }
    if (strike && (verdict = twin_strike(r, inverse, strikes)) != TWIN_DONE)
        return verdict;
    for (int c = 0; c < r->system->count; c++)
        if (strike && !twin_choices(r, c, &choices[c]))
            return TWIN_SEVERAL;
    if ((verdict = twin_choose(r, inverse, choices)) != TWIN_DONE)
        return verdict;
    r->kicks |= twin_kicked(r, inverse, choices, start);
    if (!start)
        twin_report(r, before, strikes);
    return r->near ? TWIN_NEAR_TIE : TWIN_DONE;
}

/* The first root of the polynomial in (0, h], which is positive at 0 or falls from it; INFINITY if none. */
static inline real twin_first_root(const real *c, int order, real h, bool *near)
{
    real bound = 0, fall = 0, end = 0, power = 1, size = 0;
    for (int k = 0; k <= order; k++) {
        end += c[k] * power;
        size += fabsl(c[k]) * power;
        if (k > 0)
            bound += fabsl(c[k]) * power;
        if (k > 1)
            fall += (real)k * fabsl(c[k]) * power;
        power *= h;
    }
    if (c[0] > bound)
        return INFINITY;
    if (fabsl(c[1]) * h > fall) { /* monotonic */
        if (end > 0)
            return INFINITY;
        real low = 0, high = h;
        for (int i = 0; i < 200 && high > low; i++) {
            real middle = low + (high - low) / 2, value = 0;
            if (middle == low || middle == high)
                break;
            for (int k = order; k >= 0; k--)
                value = value * middle + c[k];
            *(value > 0 ? &low : &high) = middle;
        }
        return high;
    }
    if (h < 1e-6L || size == 0) { /* touches */
        *near = true;
        return INFINITY;
    }
    real shifted[twin_order + 1], half = h / 2, root = twin_first_root(c, order, half, near);
    if (isfinite(root) || *near)
        return root;
    memcpy(shifted, c, (size_t)(order + 1) * sizeof *c);
    for (int k = 0; k < order; k++)
        for (int j = order - 1; j >= k; j--)
            shifted[j] += half * shifted[j + 1];
    root = twin_first_root(shifted, order, half, near);
    return root + half;
}

static inline real twin_step_size(const twin_run *r, const twin_set *set)
{
    real norm = fmaxl(1, fmaxl(r->system->w, r->system->u));
    for (int i = 0; i < r->system->n; i++) {
        real sum = 0;
        for (int j = 0; j < 2 * r->system->n; j++)
            sum += fabsl(set->a[i][j]);
        norm = fmaxl(norm, sqrtl(sum) + sum / 4);
    }
    return fminl(0.25L, 1 / norm);
}

/* The first event of a step, and whether others come at nearly the same time. */
static inline real twin_step_root(twin_run *r, real ladder[][twin_y], real h, bool first)
{
    const twin_set *set = &r->now;
    real roots[2 * twin_sides], root = INFINITY;
    const int size = 2 * r->system->n + twin_s;
    for (int i = 0; i < set->conditions; i++) {
        real c[twin_order + 1], factorial = 1, *from = c;
        int order = twin_order;
        for (int k = 0; k <= twin_order; k++) {
            factorial *= k ? (real)k : 1;
            c[k] = 0;
            for (int j = 0; j < size; j++)
                c[k] += set->condition[i][j] * ladder[k][j];
            c[k] /= factorial;
        }
        /* what is zero to begin with is divided by its power of t */
        bool ignored = false;
        int zero = 0;
        while (first && zero <= twin_deepest && twin_sign(r, set->condition[i], ladder[zero], &ignored) == 0)
            zero++, from++, order--;
        roots[i] = zero > twin_deepest ? INFINITY : twin_first_root(from, order, h, &r->near);
        root = fminl(root, roots[i]);
    }
    memset(r->limit, 0, sizeof r->limit);
    for (int i = 0; i < set->conditions; i++) {
        if (roots[i] <= root + 1e-12L)
            r->limit[set->owner[i]] = true;
        else if (roots[i] < root + 1e-6L && isfinite(root))
            r->near = true;
    }
    return root;
}

static inline void twin_advance(twin_run *r, real ladder[][twin_y], real h)
{
    real power = 1;
    memset(r->y, 0, sizeof r->y);
    for (int k = 0; k <= twin_order; k++) {
        for (int j = 0; j < 2 * r->system->n + twin_s; j++)
            r->y[j] += ladder[k][j] * power;
        power *= h / (real)(k + 1);
    }
    r->t += h;
}

/* From the system's initial state to its end. */
static inline twin_verdict twin_go(const twin_system *system, twin_run *r)
{
    real inverse[twin_n][twin_n], ladder[twin_order + 1][twin_y];
    const int n = system->n;
    twin_verdict verdict;
    memset(r, 0, sizeof *r);
    r->system = system;
    for (int i = 0; i < n; i++)
        r->y[i] = system->q[i], r->y[n + i] = system->v[i];
    r->y[2 * n] = r->y[2 * n + 4] = r->y[2 * n + 6] = 1;
    twin_invert_mass(system, inverse);
    if ((verdict = twin_switch(r, inverse, true)) != TWIN_DONE)
        return verdict;
    for (bool first = true; r->t < system->end;) {
        real h = twin_step_size(r, &r->now), rest = system->end - r->t, root;
        h = fminl(h, rest);
        twin_ladder(r, &r->now, twin_order, ladder);
        root = twin_step_root(r, ladder, h, first);
        if (r->near)
            return TWIN_NEAR_TIE;
        if (root > h) {
            twin_advance(r, ladder, h);
            r->t = h == rest ? (real)system->end : r->t;
            first = false;
            continue;
        }
        if (rest - root < 1e-6L || (r->count > 0 && r->t + root - r->events[r->count - 1].t < 1e-6L))
            return TWIN_NEAR_TIE;
        twin_advance(r, ladder, root);
        if (r->count + system->count > twin_most_events)
            return TWIN_MANY;
        if ((verdict = twin_switch(r, inverse, false)) != TWIN_DONE)
            return verdict;
        first = true;
    }
    return TWIN_DONE;
}

#endif
