#include "method/impact.h"

#include "math/dense.h"
#include "math/least.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a contact does in the impact. */
typedef enum role { PASSIVE, SMOOTH, STICKING, PLUS, MINUS } role;

enum { most = 12 }; /* contacts that can impact at once */

struct slip_impact {
    const slip_system *system;
    slip_workspace *work;
    slip_arena arena;
    double *after;            /* n */
    double *rows, *responses; /* two directions a contact, n each */
    double *sizes;            /* n: what velocities after the impact are added up from */
    bool *stuck;              /* in the last impact, of each contact */
    /* Of impulses that are not unique. */
    double *numbers;
    int *indices;
    bool plastic;
};

int slip_impact_create(slip_context *ctx, const slip_system *system, slip_workspace *work,
                       slip_impact **result)
{
    slip_impact *impact = calloc(1, sizeof *impact);
    int64_t n = system->n;
    const int count = system->contact_count < most ? (int)system->contact_count : most;
    *result = NULL;
    if (!impact)
        return slip_fail_memory(ctx);
    impact->system = system;
    impact->work = work;
    impact->after = slip_arena_array(&impact->arena, n, sizeof(double));
    impact->rows = slip_arena_array(&impact->arena, 2 * count * n, sizeof(double));
    impact->responses = slip_arena_array(&impact->arena, 2 * count * n, sizeof(double));
    impact->sizes = slip_arena_array(&impact->arena, n, sizeof(double));
    impact->stuck = slip_arena_array(&impact->arena, system->contact_count + 1, sizeof(bool));
    impact->numbers =
        slip_arena_array(&impact->arena, slip_least_numbers(2 * count, 2 * count, 3 * count), sizeof(double));
    impact->indices = slip_arena_array(&impact->arena, slip_least_indices(2 * count, 3 * count), sizeof(int));
    if (!impact->after || !impact->rows || !impact->responses || !impact->sizes || !impact->stuck ||
        !impact->numbers || !impact->indices) {
        slip_impact_destroy(impact);
        return slip_fail_memory(ctx);
    }
    *result = impact;
    return SLIP_OK;
}

void slip_impact_destroy(slip_impact *impact)
{
    if (!impact)
        return;
    slip_arena_free(&impact->arena);
    free(impact);
}

/* One attempt: the contacts, their roles, rates before the impact, and the impulses found. */
typedef struct attempt {
    int count;
    int contact[most];
    role roles[most];
    double gap_rate[most], slip[most], wanted[most]; /* wanted: gap rate after, at least */
    double friction[most];
    double normal[most], tangential[most];
} attempt;

static void apply_mass(const slip_system *system, const double *row, double *response)
{
    for (int i = 0; i < system->n; i++) {
        response[i] = 0;
        for (int j = 0; j < system->n; j++)
            response[i] += system->inverse_mass[i * system->n + j] * row[j];
    }
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* One limit of the impulses: entry `at` times `sign`, less mu times that before it where that is its normal
 * impulse. */
typedef struct sharing {
    int m, count;
    double rows[3 * most * 2 * most], pulls[3 * most * 2 * most], right[3 * most];
} sharing;

static void add_limit(sharing *s, int at, double sign, double mu)
{
    double *row = s->rows + s->count * s->m, *pull = s->pulls + s->count * s->m;
    row[at] = pull[at] = sign;
    if (mu > 0)
        row[at - 1] = -mu;
    s->count++;
}

/* Impulses that are not unique, by the rule for forces (system/share.c): of least size within their limits.
 */
static bool share_impulses(const slip_impact *impact, const attempt *try, int m, const int *index,
                           const int *which, const double *matrix, const double *right, double *result)
{
    sharing s = {.m = m};
    bool active[3 * most], blocking[3 * most];
    double multipliers[3 * most];
    for (int i = 0; i < m; i++) {
        add_limit(&s, i, which[i] == 0 ? -1 : 1, which[i] == 0 ? 0 : try->friction[index[i]]);
        if (which[i] != 0)
            add_limit(&s, i, -1, try->friction[index[i]]);
    }
    slip_least_problem problem = {.n = m,
                                  .equation_count = m,
                                  .limit_count = s.count,
                                  .equations = matrix,
                                  .limits = s.rows,
                                  .pulls = s.pulls,
                                  .right = right,
                                  .limit_right = s.right,
                                  .count = 1};
    return slip_least_find(&problem, active, blocking, result, multipliers, impact->numbers, impact->indices);
}

/* Impulses for the given roles: the gap rate after is the wanted one where a normal impulse acts, the slip
 * after is zero where it sticks, and slipping ones have P_t = -+ mu P_n. */
static bool find_impulses(const slip_impact *impact, attempt *try)
{
    int n = impact->system->n, m = 0, index[2 * most], which[2 * most];
    double matrix[4 * most * most], right[2 * most], kept[4 * most * most], kept_right[2 * most];
    for (int k = 0; k < try->count; k++) {
        if (try->roles[k] == PASSIVE)
            continue;
        index[m] = k, which[m++] = 0;
        if (try->roles[k] == STICKING)
            index[m] = k, which[m++] = 1;
    }
    for (int i = 0; i < m; i++) {
        const double *row = impact->rows + (2 * index[i] + which[i]) * n;
        right[i] = which[i] == 0 ? try->wanted[index[i]] - try->gap_rate[index[i]] : -try->slip[index[i]];
        for (int j = 0; j < m; j++) {
            const double *response = impact->responses + (2 * index[j] + which[j]) * n;
            double value = dot(n, row, response);
            role r = try->roles[index[j]];
            if (which[j] == 0 && (r == PLUS || r == MINUS))
                value += (r == PLUS ? -1 : 1) * try->friction[index[j]] * dot(n, row, response + n);
            matrix[i * m + j] = value;
        }
    }
    memcpy(kept, matrix, (size_t)(m * m) * sizeof(double));
    memcpy(kept_right, right, (size_t)m * sizeof(double));
    if (m > 0 && (m > n || !slip_dense_solve_above(m, matrix, right, 1e-9)) &&
        !share_impulses(impact, try, m, index, which, kept, kept_right, right))
        return false;
    memset(try->normal, 0, sizeof try->normal);
    memset(try->tangential, 0, sizeof try->tangential);
    for (int i = 0; i < m; i++) {
        if (which[i] == 0)
            try->normal[index[i]] = right[i];
        else
            try->tangential[index[i]] = right[i];
    }
    for (int k = 0; k < try->count; k++)
        if (try->roles[k] == PLUS || try->roles[k] == MINUS)
            try->tangential[k] = (try->roles[k] == PLUS ? -1 : 1) * try->friction[k] * try->normal[k];
    return true;
}

static double impulse_size(const attempt *try)
{
    double largest = 0;
    for (int k = 0; k < try->count; k++)
        largest = fmax(largest, fabs(try->normal[k]) + fabs(try->tangential[k]));
    return largest;
}

/* Do the impulses obey the impact law? Velocities afterwards go to impact->after. `strict`: a contact that
 * does not slip afterwards sticks, and one that does not leave takes part, so that it does not depend on
 * their order who of several takes an impulse. */
static bool obeys(slip_impact *impact, const attempt *try, const double *v, bool strict)
{
    int n = impact->system->n;
    double size = 1e-300, rounding = 0;
    memcpy(impact->after, v, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        impact->sizes[i] = fabs(v[i]);
    for (int k = 0; k < try->count; k++) {
        const double *normal = impact->responses + 2 * k * n, *tangent = normal + n;
        for (int i = 0; i < n; i++) {
            impact->after[i] += normal[i] * try->normal[k] + tangent[i] * try->tangential[k];
            impact->sizes[i] += fabs(normal[i] * try->normal[k]) + fabs(tangent[i] * try->tangential[k]);
        }
        size = fmax(size, fabs(try->gap_rate[k]) + fabs(try->slip[k]));
        /* rates may be small differences of large velocities */
        for (int i = 0; i < 2 * n; i++)
            rounding = fmax(rounding, fabs(impact->rows[2 * k * n + i] * v[i % n]));
    }
    size += 1e-4 * rounding;
    for (int k = 0; k < try->count; k++) {
        const double *row = impact->rows + 2 * k * n;
        double change = 0, gap_after, slip_after;
        for (int i = 0; i < n; i++)
            change += row[i] * (impact->after[i] - v[i]);
        gap_after = try->gap_rate[k] + change;
        change = 0;
        for (int i = 0; i < n; i++)
            change += row[n + i] * (impact->after[i] - v[i]);
        slip_after = try->slip[k] + change;
        if (gap_after < try->wanted[k] - 1e-10 * size || try->normal[k] < -1e-13 * impulse_size(try))
            return false;
        /* what depends on others may have been left out of the equations */
        if ((try->roles[k] != PASSIVE && gap_after > try->wanted[k] + 1e-9 * size) ||
            (try->roles[k] == STICKING && fabs(slip_after) > 1e-9 * size))
            return false;
        if (strict &&
            ((try->roles[k] == PASSIVE && gap_after < try->wanted[k] + 1e-10 * size) ||
             ((try->roles[k] == PLUS || try->roles[k] == MINUS) && fabs(slip_after) < 1e-10 * size)))
            return false;
        if (try->roles[k] == STICKING &&
            fabs(try->tangential[k]) >
                try->friction[k] * try->normal[k] * (1 + 1e-10) + 1e-12 * impulse_size(try))
            return false;
        if ((try->roles[k] == PLUS && slip_after < -1e-10 * size) ||
            (try->roles[k] == MINUS && slip_after > 1e-10 * size))
            return false;
    }
    return true;
}

static int role_count(const attempt *try, int k)
{
    return try->friction[k] > 0 ? 4 : 2;
}

static role role_of(const attempt *try, int k, int digit)
{
    static const role with[] = {STICKING, PLUS, MINUS, PASSIVE}, without[] = {SMOOTH, PASSIVE};
    return try->friction[k] > 0 ? with[digit] : without[digit];
}

/* A contact that was closed has no rate but rounding, also where nothing else moves along its gap: then the
 * approach of those that land is what it is measured against. `wanted` has the restitution before, and the
 * gap rate after. */
static void forget_rounding(const slip_impact *impact, attempt *try)
{
    const int n = impact->system->n;
    double length[most], fastest = 0;
    for (int k = 0; k < try->count; k++) {
        length[k] = 0;
        for (int i = 0; i < n; i++)
            length[k] += fabs(impact->rows[2 * k * n + i]);
        fastest = fmax(fastest, -try->gap_rate[k] / length[k]);
    }
    for (int k = 0; k < try->count; k++) {
        if (fabs(try->gap_rate[k]) <= 1e-13 * fastest * length[k])
            try->gap_rate[k] = 0;
        try->wanted[k] = try->gap_rate[k] < 0 ? -try->wanted[k] * try->gap_rate[k] : 0;
    }
}

/* False when more contacts impact than there is room for. */
static bool prepare(slip_impact *impact, double t, const double *q, const double *v, const bool *at_stop,
                    attempt *try)
{
    const slip_system *system = impact->system;
    int n = system->n;
    for (int c = 0; c < (int)system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        int k = try->count;
        if (!at_stop[c])
            continue;
        if (try->count++ == most)
            return false;
        double *rows = impact->rows + 2 * k * n, *responses = impact->responses + 2 * k * n;
        try->contact[k] = c;
        memcpy(rows, contact->gap.row, (size_t)n * sizeof(double));
        apply_mass(system, rows, responses);
        slip_system_direction(system, impact->work, c, t, q, v, rows + n, responses + n);
        try->gap_rate[k] = slip_system_gap_rate(system, impact->work, c, t, v);
        /* A contact that was closed has no rate but rounding, from which it must not be thrown back. */
        double size = 0, along = dot(n, rows, v);
        for (int i = 0; i < n; i++)
            size += fabs(rows[i] * v[i]);
        if (fabs(try->gap_rate[k]) <= 1e-13 * (size + fabs(try->gap_rate[k] - along)))
            try->gap_rate[k] = 0;
        try->slip[k] = slip_system_slip(system, impact->work, c, t, q, v);
        try->wanted[k] = impact->plastic ? 0 : contact->restitution;
        try->friction[k] = contact->impact_friction && !contact->frictionless ? contact->law.law.mu : 0;
    }
    forget_rounding(impact, try);
    return true;
}

/* Who is at its stop afterwards, and who stuck. */
static void tell(slip_impact *impact, const attempt *try, const double *v, bool *at_stop, double *impulse)
{
    const int n = impact->system->n;
    memset(impact->stuck, 0, (size_t)impact->system->contact_count * sizeof(bool));
    for (int k = 0; k < try->count; k++) {
        const double *row = impact->rows + 2 * k * n;
        double rate = try->gap_rate[k], rounding = 0;
        for (int i = 0; i < n; i++) {
            rate += row[i] * (impact->after[i] - v[i]);
            rounding += fabs(row[i]) * impact->sizes[i];
        }
        if (impulse)
            impulse[try->contact[k]] = try->normal[k];
        at_stop[try->contact[k]] =
            try->normal[k] > 0 && try->roles[k] != PASSIVE
                ? try->wanted[k] == 0
                : rate <= 1e-12 * (fabs(try->gap_rate[k]) + fabs(rate - try->gap_rate[k])) + 1e-13 * rounding;
        impact->stuck[try->contact[k]] = try->roles[k] == STICKING;
    }
}

/* The first roles that obey the law. */
static bool find_roles(slip_impact *impact, attempt *try, const double *v, bool strict)
{
    int digits[most] = {0}, k;
    do {
        for (k = 0; k < try->count; k++)
            try->roles[k] = role_of(try, k, digits[k]);
        if (find_impulses(impact, try) && obeys(impact, try, v, strict))
            return true;
        for (k = 0; k < try->count && ++digits[k] == role_count(try, k); k++)
            digits[k] = 0;
    } while (k < try->count);
    return false;
}

bool slip_impact_solve(slip_impact *impact, double t, const double *q, double *v, bool *at_stop,
                       double *impulse)
{
    attempt try = {0};
    if (!prepare(impact, t, q, v, at_stop, &try) ||
        !(find_roles(impact, &try, v, true) || find_roles(impact, &try, v, false)))
        return false;
    tell(impact, &try, v, at_stop, impulse);
    memcpy(v, impact->after, (size_t)impact->system->n * sizeof(double));
    return true;
}

bool slip_impact_stuck(const slip_impact *impact, int contact)
{
    return impact->stuck[contact];
}

bool slip_impact_plastic(slip_impact *impact, double t, const double *q, double *v, bool *at_stop)
{
    bool solved;
    impact->plastic = true;
    solved = slip_impact_solve(impact, t, q, v, at_stop, NULL);
    impact->plastic = false;
    return solved;
}
