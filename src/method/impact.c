#include "method/impact_types.h"

#include "math/dense.h"
#include "math/least.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All choices of what contacts do are compared where there are few of them; up to a limit also where the
 * complementarity problem has no solution. Impulses are shared by this many contacts at most. */
enum { few_choices = 256, most_choices = 4096, most_sharing = 64 };

static double *numbers(slip_impact *impact, int64_t count, bool *complete)
{
    double *memory = slip_arena_array(&impact->arena, count + 1, sizeof(double));
    *complete &= memory != NULL;
    return memory;
}

static int *integers(slip_impact *impact, int64_t count, bool *complete)
{
    int *memory = slip_arena_array(&impact->arena, count + 1, sizeof(int));
    *complete &= memory != NULL;
    return memory;
}

static bool allocate_attempt(slip_impact *impact, int64_t room)
{
    attempt *try = &impact->try;
    bool complete = true;
    try->contact = integers(impact, room, &complete);
    try->digits = integers(impact, room, &complete);
    try->roles = slip_arena_array(&impact->arena, room + 1, sizeof *try->roles);
    try->planes = slip_arena_array(&impact->arena, room + 1, sizeof *try->planes);
    try->gap_rate = numbers(impact, room, &complete);
    try->slip = numbers(impact, room, &complete);
    try->wanted = numbers(impact, room, &complete);
    try->friction = numbers(impact, room, &complete);
    try->normal = numbers(impact, room, &complete);
    try->tangential = numbers(impact, room, &complete);
    return complete && try->roles && try->planes;
}

static bool allocate_sharing(slip_impact *impact, int room)
{
    sharing *s = &impact->sharing;
    const int m = impact->width * room, limits = 3 * room;
    bool complete = true;
    s->rows = numbers(impact, (int64_t)limits * m, &complete);
    s->pulls = numbers(impact, (int64_t)limits * m, &complete);
    s->right = numbers(impact, limits, &complete);
    s->multipliers = numbers(impact, limits, &complete);
    s->active = slip_arena_array(&impact->arena, limits + 1, sizeof(bool));
    s->blocking = slip_arena_array(&impact->arena, limits + 1, sizeof(bool));
    s->numbers = numbers(impact, slip_least_numbers(m, m, limits), &complete);
    s->indices = integers(impact, slip_least_indices(m, limits), &complete);
    return complete && s->active && s->blocking;
}

static bool allocate_equations(slip_impact *impact, int64_t m)
{
    equations *e = &impact->equations;
    bool complete = true;
    e->index = integers(impact, m, &complete);
    e->which = integers(impact, m, &complete);
    e->matrix = numbers(impact, m * m, &complete);
    e->kept = numbers(impact, m * m, &complete);
    e->right = numbers(impact, m, &complete);
    e->kept_right = numbers(impact, m, &complete);
    e->impulses = numbers(impact, 2 * m, &complete);
    e->rows = slip_arena_array(&impact->arena, m + 1, sizeof *e->rows);
    e->states = slip_arena_array(&impact->arena, m + 1, sizeof *e->states);
    return complete && e->rows && e->states &&
           slip_contact_memory_create(&impact->arena, (int)m, false, &e->memory);
}

int slip_impact_create(slip_context *ctx, const slip_system *system, slip_workspace *work,
                       slip_impact **result)
{
    slip_impact *impact = calloc(1, sizeof *impact);
    int64_t n = system->n;
    int room = 0;
    bool complete = true;
    *result = NULL;
    if (!impact)
        return slip_fail_memory(ctx);
    for (int64_t c = 0; c < system->contact_count; c++)
        room += system->contacts[c].has_gap;
    impact->width = system->pressed_patches ? 4 : 2;
    impact->system = system;
    impact->work = work;
    impact->after = numbers(impact, n, &complete);
    impact->rows = numbers(impact, impact->width * room * n, &complete);
    impact->responses = numbers(impact, impact->width * room * n, &complete);
    impact->sizes = numbers(impact, n, &complete);
    impact->stuck = slip_arena_array(&impact->arena, system->contact_count + 1, sizeof(bool));
    if (!complete || !impact->stuck || !allocate_attempt(impact, room) ||
        !allocate_sharing(impact, room < most_sharing ? room : most_sharing) ||
        !allocate_equations(impact, impact->width * (int64_t)room)) {
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

/* One limit of the impulses: entry `at` times `sign`, less mu times that before it where that is its normal
 * impulse. */
static void add_limit(sharing *s, int at, double sign, double mu)
{
    double *row = s->rows + s->count * s->m, *pull = s->pulls + s->count * s->m;
    memset(row, 0, (size_t)s->m * sizeof(double));
    memset(pull, 0, (size_t)s->m * sizeof(double));
    row[at] = pull[at] = sign;
    if (mu > 0)
        row[at - 1] = -mu;
    s->right[s->count++] = 0;
}

/* Impulses that are not unique, by the rule for forces (system/share.c): of least size within their limits.
 */
static bool share_impulses(slip_impact *impact, int m)
{
    const attempt *try = &impact->try;
    const equations *e = &impact->equations;
    sharing *s = &impact->sharing;
    if (try->count > most_sharing)
        return false;
    s->m = m;
    s->count = 0;
    for (int i = 0; i < m; i++) {
        bool normal = e->which[i] == 0;
        if (!normal && try->planes[e->index[i]].law)
            continue; /* looked at afterwards */
        add_limit(s, i, normal ? -1 : 1, normal ? 0 : try->friction[e->index[i]]);
        if (!normal)
            add_limit(s, i, -1, try->friction[e->index[i]]);
    }
    slip_least_problem problem = {.n = m,
                                  .equation_count = m,
                                  .limit_count = s->count,
                                  .equations = e->kept,
                                  .limits = s->rows,
                                  .pulls = s->pulls,
                                  .right = e->kept_right,
                                  .limit_right = s->right,
                                  .count = 1};
    return slip_least_find(&problem, s->active, s->blocking, e->right, s->multipliers, s->numbers,
                           s->indices);
}

/* The column of an impulse: along a gap it brings the friction of a contact that slips with it. */
static double entry(const slip_impact *impact, const double *row, int contact, int which)
{
    const attempt *try = &impact->try;
    const int n = impact->system->n;
    const double *response = impact->responses + (impact->width * contact + which) * n;
    const role r = try->roles[contact];
    double value = slip_impact_dot(n, row, response);
    if (which > 0)
        return value;
    if (r == PLUS || r == MINUS)
        value += (r == PLUS ? -1 : 1) * try->friction[contact] * slip_impact_dot(n, row, response + n);
    for (int j = 0; r == SLIDING && j < try->planes[contact].rank; j++)
        value -= try->friction[contact] * try->planes[contact].friction[j] *
                 slip_impact_dot(n, row, response + (1 + j) * n);
    return value;
}

/* Impulses for the given roles: the gap rate after is the wanted one where a normal impulse acts, the slip
 * after is zero where it sticks, and slipping ones have P_t = -+ mu P_n. */
bool slip_impact_find(slip_impact *impact)
{
    attempt *try = &impact->try;
    const equations *e = &impact->equations;
    int n = impact->system->n, m = 0;
    for (int k = 0; k < try->count; k++) {
        const int sticking = try->planes[k].law ? try->planes[k].rank : 1;
        try->normal[k] = try->tangential[k] = 0;
        if (try->roles[k] == PASSIVE)
            continue;
        for (int which = 0; which <= (try->roles[k] == STICKING ? sticking : 0); which++)
            e->index[m] = k, e->which[m++] = which;
    }
    for (int i = 0; i < m; i++) {
        const int at = e->index[i], which = e->which[i];
        const double *row = impact->rows + (impact->width * at + which) * n;
        e->right[i] = which == 0            ? try->wanted[at] - try->gap_rate[at]
                      : try->planes[at].law ? -try->planes[at].slip[which - 1]
                                            : -try->slip[at];
        for (int j = 0; j < m; j++)
            e->matrix[i * m + j] = entry(impact, row, e->index[j], e->which[j]);
    }
    memcpy(e->kept, e->matrix, (size_t)m * (size_t)m * sizeof(double));
    memcpy(e->kept_right, e->right, (size_t)m * sizeof(double));
    if (m > 0 && (m > n || !slip_dense_solve_above(m, e->matrix, e->right, 1e-9)) &&
        !share_impulses(impact, m))
        return false;
    for (int k = 0; k < try->count; k++)
        memset(try->planes[k].tangential, 0, sizeof try->planes[k].tangential);
    for (int i = 0; i < m; i++) {
        const int at = e->index[i], which = e->which[i];
        if (which > 0 && try->planes[at].law)
            try->planes[at].tangential[which - 1] = e->right[i];
        else
            (which == 0 ? try->normal : try->tangential)[at] = e->right[i];
    }
    for (int k = 0; k < try->count; k++) {
        if (try->roles[k] == PLUS || try->roles[k] == MINUS)
            try->tangential[k] = (try->roles[k] == PLUS ? -1 : 1) * try->friction[k] * try->normal[k];
        for (int j = 0; try->roles[k] == SLIDING && j < try->planes[k].rank; j++)
            try->planes[k].tangential[j] = -try->friction[k] * try->planes[k].friction[j] * try->normal[k];
    }
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
static bool obeys(slip_impact *impact, const double *v, bool strict)
{
    attempt *try = &impact->try;
    const int width = impact->width;
    int n = impact->system->n;
    double size = 1e-300, rounding = 0;
    memcpy(impact->after, v, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        impact->sizes[i] = fabs(v[i]);
    for (int k = 0; k < try->count; k++) {
        const double *normal = impact->responses + width * k * n, *tangent = normal + n;
        for (int j = 0; try->planes[k].law && j < try->planes[k].rank; j++)
            for (int i = 0; i < n; i++) {
                const double change = tangent[j * n + i] * try->planes[k].tangential[j];
                impact->after[i] += change;
                impact->sizes[i] += fabs(change);
            }
        for (int i = 0; i < n; i++) {
            impact->after[i] += normal[i] * try->normal[k] + tangent[i] * try->tangential[k];
            impact->sizes[i] += fabs(normal[i] * try->normal[k]) + fabs(tangent[i] * try->tangential[k]);
        }
        size = fmax(size, fabs(try->gap_rate[k]) + fabs(try->slip[k]));
        /* rates may be small differences of large velocities */
        for (int i = 0; i < 2 * n; i++)
            rounding = fmax(rounding, fabs(impact->rows[width * k * n + i] * v[i % n]));
    }
    size += 1e-4 * rounding;
    for (int k = 0; k < try->count; k++) {
        const double *row = impact->rows + width * k * n;
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
        if (try->planes[k].law && !slip_impact_plane_obeys(impact, k, size, impulse_size(try), strict))
            return false;
        /* what depends on others may have been left out of the equations */
        if ((try->roles[k] != PASSIVE && gap_after > try->wanted[k] + 1e-9 * size) ||
            (try->roles[k] == STICKING && !try->planes[k].law && fabs(slip_after) > 1e-9 * size))
            return false;
        if (strict &&
            ((try->roles[k] == PASSIVE && gap_after < try->wanted[k] + 1e-10 * size) ||
             ((try->roles[k] == PLUS || try->roles[k] == MINUS) && fabs(slip_after) < 1e-10 * size)))
            return false;
        if (try->roles[k] == STICKING && !try->planes[k].law &&
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
    return !(try->friction[k] > 0) ? 2 : try->planes[k].law ? 3 : 4;
}

static role role_of(const attempt *try, int k, int digit)
{
    static const role with[] = {STICKING, PLUS, MINUS, PASSIVE}, without[] = {SMOOTH, PASSIVE},
                      in_plane[] = {STICKING, SLIDING, PASSIVE};
    if (try->planes[k].law)
        return in_plane[digit];
    return try->friction[k] > 0 ? with[digit] : without[digit];
}

/* A contact that was closed has no rate but rounding, also where nothing else moves along its gap: then the
 * approach of those that land is what it is measured against. `wanted` has the restitution before, and the
 * gap rate after. */
static void forget_rounding(slip_impact *impact)
{
    const int n = impact->system->n;
    attempt *try = &impact->try;
    double *length = impact->equations.right, fastest = 0;
    for (int k = 0; k < try->count; k++) {
        length[k] = 0;
        for (int i = 0; i < n; i++)
            length[k] += fabs(impact->rows[impact->width * k * n + i]);
        fastest = fmax(fastest, -try->gap_rate[k] / length[k]);
    }
    for (int k = 0; k < try->count; k++) {
        if (fabs(try->gap_rate[k]) <= 1e-13 * fastest * length[k])
            try->gap_rate[k] = 0;
        try->wanted[k] = try->gap_rate[k] < 0 ? -try->wanted[k] * try->gap_rate[k] : 0;
    }
}

static void prepare(slip_impact *impact, double t, const double *q, const double *v, const bool *at_stop)
{
    const slip_system *system = impact->system;
    attempt *try = &impact->try;
    int n = system->n;
    try->count = 0;
    slip_system_tune(system, impact->work, t, q, v);
    for (int c = 0; c < (int)system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        if (!at_stop[c])
            continue;
        int k = try->count++;
        double *rows = impact->rows + impact->width * k * n,
               *responses = impact->responses + impact->width * k * n;
        try->contact[k] = c;
        memcpy(rows, slip_system_gap_row(system, impact->work, c, t, q), (size_t)n * sizeof(double));
        slip_system_place(system, impact->work, t, q);
        slip_system_response(system, impact->work, rows, responses);
        slip_system_direction(system, impact->work, c, t, q, v, rows + n, responses + n);
        try->gap_rate[k] = slip_system_gap_rate(system, impact->work, c, t, q, v);
        /* A contact that was closed has no rate but rounding, from which it must not be thrown back. */
        double size = 0, along = slip_impact_dot(n, rows, v);
        for (int i = 0; i < n; i++)
            size += fabs(rows[i] * v[i]);
        if (fabs(try->gap_rate[k]) <= 1e-13 * (size + fabs(try->gap_rate[k] - along)))
            try->gap_rate[k] = 0;
        try->slip[k] = slip_system_slip(system, impact->work, c, t, q, v);
        try->wanted[k] = impact->plastic ? 0 : contact->restitution;
        try->friction[k] = contact->impact_friction && !contact->frictionless
                               ? slip_contact_law(system, impact->work, c)->law.mu
                               : 0;
        try->planes[k].law = NULL;
        if (contact->patch && contact->impact_friction && !contact->frictionless)
            slip_impact_plane_prepare(impact, k, t, q, v);
    }
    forget_rounding(impact);
}

/* Who is at its stop afterwards, and who stuck. */
static void tell(slip_impact *impact, const double *v, bool *at_stop, double *impulse)
{
    const attempt *try = &impact->try;
    const int n = impact->system->n;
    memset(impact->stuck, 0, (size_t)impact->system->contact_count * sizeof(bool));
    for (int k = 0; k < try->count; k++) {
        const double *row = impact->rows + impact->width * k * n;
        double rate = try->gap_rate[k], rounding = 0;
        for (int i = 0; i < n; i++) {
            rate += row[i] * (impact->after[i] - v[i]);
            rounding += fabs(row[i]) * impact->sizes[i];
        }
        impulse[try->contact[k]] += try->normal[k];
        at_stop[try->contact[k]] =
            try->normal[k] > 0 && try->roles[k] != PASSIVE
                ? try->wanted[k] == 0
                : rate <= 1e-12 * (fabs(try->gap_rate[k]) + fabs(rate - try->gap_rate[k])) + 1e-13 * rounding;
        impact->stuck[try->contact[k]] = try->roles[k] == STICKING;
    }
}

/* The first roles that obey the law. */
static bool search_roles(slip_impact *impact, const double *v, bool strict)
{
    attempt *try = &impact->try;
    int k;
    memset(try->digits, 0, (size_t)try->count * sizeof(int));
    do {
        for (k = 0; k < try->count; k++)
            try->roles[k] = role_of(try, k, try->digits[k]);
        if (slip_impact_plane_find(impact) && obeys(impact, v, strict))
            return true;
        for (k = 0; k < try->count && ++try->digits[k] == role_count(try, k); k++)
            try->digits[k] = 0;
    } while (k < try->count);
    return false;
}

/* ---- Many contacts: the impact law as a complementarity problem. */

static int list_rows(slip_impact *impact)
{
    const attempt *try = &impact->try;
    const equations *e = &impact->equations;
    const int n = impact->system->n;
    int m = 0;
    for (int k = 0; k < try->count; k++) {
        e->index[m] = k, e->which[m] = 0;
        e->right[m] = try->gap_rate[k] - try->wanted[k];
        e->rows[m++] = (slip_block){.kind = SLIP_BLOCK_NORMAL, .normal = -1};
        if (!(try->friction[k] > 0))
            continue;
        e->index[m] = k, e->which[m] = 1;
        e->right[m] = try->slip[k];
        e->rows[m] = (slip_block){.kind = SLIP_BLOCK_FRICTION,
                                  .normal = m - 1,
                                  .hold = try->friction[k],
                                  .slide = try->friction[k]};
        m++;
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            e->kept[i * m + j] =
                slip_impact_dot(n, impact->rows + (impact->width * e->index[i] + e->which[i]) * n,
                                impact->responses + (impact->width * e->index[j] + e->which[j]) * n);
    return m;
}

/* What the contacts do by the velocities after the impact, which are unique more often than the impulses are.
 */
static void read_roles(slip_impact *impact, int m, const double *p, const double *y)
{
    attempt *try = &impact->try;
    const equations *e = &impact->equations;
    double size = 0;
    for (int i = 0; i < m; i++)
        size = fmax(size, fabs(e->right[i]));
    for (int i = 0; i < m; i++) {
        int k = e->index[i];
        if (e->which[i] == 0) {
            try->roles[k] = y[i] > 1e-10 * size ? PASSIVE : SMOOTH;
            try->normal[k] = p[i];
            try->tangential[k] = 0;
            continue;
        }
        try->tangential[k] = p[i];
        if (try->roles[k] != PASSIVE)
            try->roles[k] = fabs(y[i]) <= 1e-10 * size ? STICKING : y[i] > 0 ? PLUS : MINUS;
    }
}

/* Impulses for these roles, shared by the rule; or else those of the complementarity problem as they are. */
static bool complement(slip_impact *impact, const double *v)
{
    const equations *e = &impact->equations;
    int m = list_rows(impact);
    double *p = e->impulses, *y = e->impulses + m;
    slip_contact_problem problem = {.m = m, .gram = e->kept, .initial = e->right, .rows = e->rows};
    slip_contact_solution solution = {p, y, e->states};
    slip_contact_memory memory = e->memory;
    memset(p, 0, 2 * (size_t)m * sizeof(double));
    for (int i = 0; i < m; i++)
        e->states[i] = SLIP_BLOCK_ZERO;
    slip_contact_solve(&problem, &solution, &memory);
    read_roles(impact, m, p, y);
    if (slip_impact_find(impact) && (obeys(impact, v, true) || obeys(impact, v, false)))
        return true;
    m = list_rows(impact);
    read_roles(impact, m, p, y);
    return obeys(impact, v, false);
}

static double choices(const attempt *try)
{
    double product = 1;
    for (int k = 0; k < try->count; k++)
        product *= role_count(try, k);
    return product;
}

static bool any_plane(const attempt *try)
{
    for (int k = 0; k < try->count; k++)
        if (try->planes[k].law)
            return true;
    return false;
}

static bool find_roles(slip_impact *impact, const double *v)
{
    double count = choices(&impact->try);
    if (count > few_choices && !any_plane(&impact->try) && complement(impact, v))
        return true;
    return count <= most_choices && (search_roles(impact, v, true) || search_roles(impact, v, false));
}

bool slip_impact_solve(slip_impact *impact, double t, const double *q, double *v, bool *at_stop,
                       double *impulse)
{
    prepare(impact, t, q, v, at_stop);
    if (!find_roles(impact, v))
        return false;
    tell(impact, v, at_stop, impulse);
    memcpy(v, impact->after, (size_t)impact->system->n * sizeof(double));
    return true;
}

bool slip_impact_stuck(const slip_impact *impact, int contact)
{
    return impact->stuck[contact];
}

bool slip_impact_plastic(slip_impact *impact, double t, const double *q, double *v, bool *at_stop,
                         double *impulse)
{
    bool solved;
    impact->plastic = true;
    solved = slip_impact_solve(impact, t, q, v, at_stop, impulse);
    impact->plastic = false;
    return solved;
}
