#include "method/impact.h"

#include "contact/plane.h"
#include "math/vector.h"
#include "system/friction/friction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One contact that takes part in the impact. */
typedef struct striker {
    int contact, row; /* row of its normal impulse; the rows of friction follow */
    double gap_rate, wanted;
    slip_plane plane;
} striker;

struct slip_impact {
    const slip_system *system;
    slip_workspace *work;
    slip_arena arena;
    int count;
    striker *strikers;
    bool *stuck;              /* of each contact: it stuck in the last impact */
    double *rows, *responses; /* n numbers of each row of the problem */
    double *sizes;            /* n: sizes of the terms of the velocities after the impact */
    double *gram, *initial;
    slip_block *blocks;
    slip_contact_problem problem;
    slip_contact_solution solution;
    slip_contact_memory memory;
    bool plastic;
    /* For slip_impact_follow: the contacts that took part and those that rebounded; scratch. */
    bool *struck, *rebounds, following;
    double *elimination;
    int *pivots, pivot_count; /* row and column of each pivot; count -1: not known */
    slip_block_state *states;
};

int slip_impact_create(slip_context *ctx, const slip_system *system, slip_workspace *work,
                       slip_impact **result)
{
    slip_impact *impact = calloc(1, sizeof *impact);
    const int64_t n = system->n, contacts = system->contact_count;
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, impact));
    const int room = system->gap_count, most = (system->pressed_patches ? 4 : 2) * room;
    impact->system = system;
    impact->work = work;
    impact->strikers = slip_arena_array(&impact->arena, room + 1, sizeof *impact->strikers);
    impact->stuck = slip_arena_array(&impact->arena, contacts + 1, sizeof(bool));
    impact->struck = slip_arena_array(&impact->arena, contacts + 1, sizeof(bool));
    impact->rebounds = slip_arena_array(&impact->arena, contacts + 1, sizeof(bool));
    impact->elimination = slip_arena_array(&impact->arena, (int64_t)most * (most + 2) + 1, sizeof(double));
    impact->states = slip_arena_array(&impact->arena, most + 1, sizeof *impact->states);
    impact->pivots = slip_arena_array(&impact->arena, 2 * most + 1, sizeof *impact->pivots);
    impact->rows = slip_arena_array(&impact->arena, (2 * most + 1) * n, sizeof(double));
    impact->gram = slip_arena_array(&impact->arena, (int64_t)most * (most + 3) + 1, sizeof(double));
    impact->blocks = slip_arena_array(&impact->arena, most + 1, sizeof *impact->blocks);
    impact->solution.states = slip_arena_array(&impact->arena, most + 1, sizeof *impact->solution.states);
    if (!impact->strikers || !impact->stuck || !impact->struck || !impact->rebounds || !impact->elimination ||
        !impact->states || !impact->pivots || !impact->rows || !impact->gram || !impact->blocks ||
        !impact->solution.states ||
        !slip_contact_memory_create(&impact->arena, most, system->pressed_patches, true, &impact->memory)) {
        slip_impact_destroy(impact);
        return slip_fail_memory(ctx);
    }
    impact->responses = impact->rows + most * n;
    impact->sizes = impact->responses + most * n;
    impact->initial = impact->gram + (int64_t)most * most;
    impact->solution.p = impact->initial + most;
    impact->solution.y = impact->solution.p + most;
    *result = impact;
    return SLIP_OK;
}

SLIP_DESTROY(slip_impact)

/* ---- The contact problem of an impact. */

/* Adds the row of directions that stands at the end of impact->rows to the problem, with its rate. */
static void add_row(slip_impact *impact, double rate, slip_block block)
{
    const int n = impact->system->n, i = impact->problem.m++;
    slip_system_response(impact->system, impact->work, impact->rows + i * n, impact->responses + i * n);
    impact->initial[i] = rate;
    impact->blocks[i] = block;
}

double slip_impact_mu(const slip_system *system, const slip_workspace *work, int c)
{
    return system->contacts[c].friction->impact(system, work, c);
}

/* Adds friction of more than one dimension, along a basis of the possible slip velocities, in units of the
 * area. */
static void add_plane(slip_impact *impact, striker *own, double t, const double *q, const double *v)
{
    const slip_system *system = impact->system;
    const slip_patch_form *form = system->contacts[own->contact].patch;
    const int n = system->n;
    slip_plane *plane = &own->plane;
    const double mu = slip_impact_mu(system, impact->work, own->contact);
    double slip[3], along[3];
    slip_system_patch_slip(system, impact->work, own->contact, t, q, v, slip);
    slip[2] *= form->size;
    *plane = (slip_plane){.surface = form->law, .set_valued = true, .row = impact->problem.m, .a = 1};
    plane->rank = slip_system_patch_basis(system, impact->work, own->contact, plane->basis);
    slip_plane_divide(plane, slip, along, plane->across);
    for (int k = 0; k < plane->rank; k++) {
        slip_system_patch_along(system, impact->work, own->contact, plane->basis + 3 * k,
                                impact->rows + impact->problem.m * n);
        add_row(impact, along[k],
                (slip_block){.kind = k == 0 ? SLIP_BLOCK_PLANE : SLIP_BLOCK_PART,
                             .normal = own->row,
                             .hold = mu,
                             .slide = mu,
                             .plane = plane});
    }
    impact->problem.planes++;
}

static void add_contact(slip_impact *impact, int c, double t, const double *q, const double *v)
{
    const slip_system *system = impact->system;
    const slip_contact *contact = &system->contacts[c];
    const int n = system->n;
    striker *own = &impact->strikers[impact->count++];
    double *row = impact->rows + impact->problem.m * n,
           rate = slip_system_gap_rate(system, impact->work, c, t, q, v);
    memcpy(row, slip_system_gap_row(system, impact->work, c, t, q), (size_t)n * sizeof(double));
    slip_system_place(system, impact->work, t, q);
    /* The gap rate of a contact that was closed is a rounding error, from which it must not rebound. */
    if (fabs(rate) <= 1e-13 * (slip_dot_size(n, row, v) + fabs(rate - slip_dot(n, row, v))))
        rate = 0;
    *own = (striker){.contact = c, .row = impact->problem.m, .gap_rate = rate};
    add_row(impact, rate, (slip_block){.kind = SLIP_BLOCK_NORMAL, .normal = -1});
    if (!contact->impact_friction || contact->frictionless)
        return;
    if (contact->dimension > 1) {
        add_plane(impact, own, t, q, v);
    } else if (slip_impact_mu(system, impact->work, c) > 0) {
        const double mu = slip_impact_mu(system, impact->work, c);
        slip_system_direction(system, impact->work, c, t, q, v, row + n, impact->sizes);
        add_row(impact, slip_system_slip(system, impact->work, c, t, q, v),
                (slip_block){.kind = SLIP_BLOCK_FRICTION, .normal = own->row, .hold = mu, .slide = mu});
    }
}

/* Sets the least gap rates after the impact by restitution. The gap rate of a contact that was closed is a
 * rounding error, relative to its terms or, where these vanish, to the approach of the contacts that land. */
static void restitute(slip_impact *impact)
{
    const int n = impact->system->n;
    double fastest = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < impact->count; k++) {
            striker *own = &impact->strikers[k];
            double length = 0;
            for (int i = 0; i < n; i++)
                length += fabs(impact->rows[own->row * n + i]);
            if (pass == 0)
                fastest = fmax(fastest, -own->gap_rate / length);
            else if (fabs(own->gap_rate) <= 1e-13 * fastest * length)
                own->gap_rate = 0;
            if (pass > 0 &&
                (impact->following ? impact->rebounds[own->contact] : own->gap_rate < 0 && !impact->plastic))
                own->wanted = -impact->system->contacts[own->contact].restitution * own->gap_rate;
            impact->initial[own->row] = own->gap_rate - own->wanted;
        }
}

static void prepare(slip_impact *impact, double t, const double *q, const double *v, const bool *at_stop)
{
    const int n = impact->system->n;
    impact->count = 0;
    slip_system_tune(impact->system, impact->work, t, q, v);
    impact->problem =
        (slip_contact_problem){.gram = impact->gram, .initial = impact->initial, .rows = impact->blocks};
    for (int c = 0; c < (int)impact->system->contact_count; c++)
        if (at_stop[c])
            add_contact(impact, c, t, q, v);
    restitute(impact);
    const int m = impact->problem.m;
    for (int i = 0; i < m; i++) {
        const double *row = impact->rows + i * n;
        for (int j = 0; j < m; j++)
            impact->gram[i * m + j] = slip_dot(n, row, impact->responses + j * n);
        for (int k = 0; k < n; k++) /* rates may be small differences of large velocities */
            impact->problem.floor = fmax(impact->problem.floor, fabs(row[k] * v[k]));
    }
}

/* ---- The result of the impact. */

/* Computes the velocities after the impact, which contacts are still at their stops, and which stuck. */
static void tell(slip_impact *impact, double *v, bool *at_stop, double *impulse)
{
    const int n = impact->system->n;
    const slip_contact_solution *s = &impact->solution;
    for (int i = 0; i < n; i++)
        impact->sizes[i] = fabs(v[i]);
    for (int k = 0; k < impact->problem.m; k++)
        for (int i = 0; i < n; i++) {
            const double change = impact->responses[k * n + i] * s->p[k];
            v[i] += change;
            impact->sizes[i] += fabs(change);
        }
    memset(impact->stuck, 0, (size_t)impact->system->contact_count * sizeof(bool));
    for (int k = 0; k < impact->count; k++) {
        const striker *own = &impact->strikers[k];
        const bool open = s->states[own->row] == SLIP_BLOCK_OPEN,
                   rubs = own->row + 1 < impact->problem.m && impact->blocks[own->row + 1].normal == own->row;
        const double rate = s->y[own->row] + own->wanted;
        impulse[own->contact] += s->p[own->row];
        at_stop[own->contact] =
            s->p[own->row] > 0 && !open
                ? own->wanted == 0
                : rate <= 1e-12 * (fabs(own->gap_rate) + fabs(rate - own->gap_rate)) +
                              1e-13 * slip_dot_size(n, impact->rows + own->row * n, impact->sizes);
        impact->stuck[own->contact] = rubs && !open && s->states[own->row + 1] == SLIP_BLOCK_ZERO;
    }
}

bool slip_impact_solve(slip_impact *impact, double t, const double *q, double *v, bool *at_stop,
                       double *impulse)
{
    memcpy(impact->struck, at_stop, (size_t)impact->system->contact_count * sizeof(bool));
    prepare(impact, t, q, v, at_stop);
    for (int k = 0; k < impact->count; k++)
        impact->rebounds[impact->strikers[k].contact] = impact->strikers[k].gap_rate < 0 && !impact->plastic;
    if (!slip_contact_search(&impact->problem, &impact->solution, &impact->memory))
        return false;
    memcpy(impact->states, impact->solution.states, (size_t)impact->problem.m * sizeof *impact->states);
    impact->pivot_count = -1;
    tell(impact, v, at_stop, impulse);
    return true;
}

/* ---- The same impact for a neighbouring state. */

/* Finds the largest entry outside the rows and columns of earlier pivots. */
static bool find_pivot(int m, const double *a, const int *pivots, int count, double *largest, int *pivot)
{
    double best = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            bool left = true;
            for (int k = 0; k < count; k++)
                left = left && pivots[2 * k] != i && pivots[2 * k + 1] != j;
            if (!left || !(fabs(a[i * (m + 1) + j]) > best))
                continue;
            best = fabs(a[i * (m + 1) + j]);
            pivot[0] = i;
            pivot[1] = j;
        }
    *largest = fmax(*largest, best);
    return best > 1e-12 * *largest;
}

/* Eliminates with the pivots of the last impact. Dependent rows have no impulse; they stay the same rows for
 * a neighbouring state, where they may contradict the others to second order. */
static void eliminate(slip_impact *impact, double *a, double *p)
{
    const int m = impact->problem.m, width = m + 1;
    int *pivots = impact->pivots, count = 0;
    double largest = 0;
    for (; impact->pivot_count < 0 ? find_pivot(m, a, pivots, count, &largest, pivots + 2 * count)
                                   : count < impact->pivot_count;
         count++) {
        const double *from = a + pivots[2 * count] * width, pivot = from[pivots[2 * count + 1]];
        for (int i = 0; i < m; i++) {
            const double factor = a[i * width + pivots[2 * count + 1]] / pivot;
            for (int j = 0; j < width && a + i * width != from && factor != 0; j++)
                a[i * width + j] -= factor * from[j];
        }
    }
    memset(p, 0, (size_t)m * sizeof(double));
    for (int k = 0; k < count; k++) {
        const double *from = a + pivots[2 * k] * width;
        p[pivots[2 * k + 1]] = from[m] / from[pivots[2 * k + 1]];
    }
    impact->pivot_count = count;
}

/* Rows of a plane that slips, p_k = -slide p_n t_k(y), linear about the impulses p. */
static void follow_plane(const slip_impact *impact, const slip_plane *plane, const double *p, double *a)
{
    const int m = impact->problem.m, width = m + 1;
    const slip_block *block = &impact->blocks[plane->row];
    double w[3] = {plane->across[0], plane->across[1], plane->across[2]}, T[3], slope[9];
    for (int k = 0; k < plane->rank; k++) {
        const double y =
            impact->initial[plane->row + k] + slip_dot(m, impact->gram + (plane->row + k) * m, p);
        for (int i = 0; i < 3; i++)
            w[i] += y * plane->basis[3 * k + i];
    }
    slip_patch_surface(plane->surface, w, T, slope);
    for (int k = 0; k < plane->rank; k++) {
        double *row = a + (plane->row + k) * width, turned[3];
        for (int i = 0; i < 3; i++)
            turned[i] = plane->basis[3 * k] * slope[i] + plane->basis[3 * k + 1] * slope[3 + i] +
                        plane->basis[3 * k + 2] * slope[6 + i];
        for (int j = 0; j < m; j++) {
            double along = 0;
            for (int l = 0; l < plane->rank; l++)
                along += slip_dot(3, turned, plane->basis + 3 * l) * impact->gram[(plane->row + l) * m + j];
            row[j] = (j == plane->row + k) + block->slide * p[block->normal] * along;
        }
        row[m] = slip_dot(m, row, p) - p[plane->row + k];
        row[block->normal] += block->slide * slip_dot(3, plane->basis + 3 * k, T);
    }
}

bool slip_impact_follow(slip_impact *impact, const slip_system *system, slip_workspace *work, double t,
                        const double *q, double *v)
{
    enum { rounds = 5 }; /* of Newton's method, for planes that slip */
    const slip_system *own_system = impact->system;
    slip_workspace *own_work = impact->work;
    const int n = system->n;
    impact->system = system;
    impact->work = work;
    impact->following = true;
    prepare(impact, t, q, v, impact->struck);
    const int m = impact->problem.m, width = m + 1;
    double *a = impact->elimination, *p = impact->elimination + (int64_t)m * width;
    memcpy(p, impact->solution.p, (size_t)m * sizeof(double));
    for (int round = 0; round < (impact->problem.planes > 0 ? rounds : 1); round++) {
        for (int i = 0; i < m; i++) {
            const slip_block *block = &impact->blocks[i];
            const slip_block_state state = impact->states[i];
            const bool loose = block->normal >= 0 && impact->states[block->normal] == SLIP_BLOCK_OPEN,
                       zero = state == SLIP_BLOCK_ZERO && !loose;
            if (block->kind == SLIP_BLOCK_PART && state == SLIP_BLOCK_SMOOTH && !loose)
                continue; /* done with the first row of its plane */
            if (block->kind == SLIP_BLOCK_PLANE && state == SLIP_BLOCK_SMOOTH && !loose) {
                follow_plane(impact, block->plane, p, a);
                continue;
            }
            for (int j = 0; j < m; j++)
                a[i * width + j] = zero ? impact->gram[i * m + j] : i == j;
            a[i * width + m] = zero ? -impact->initial[i] : 0;
            if (!zero && block->normal >= 0)
                a[i * width + block->normal] = state == SLIP_BLOCK_PLUS    ? block->slide
                                               : state == SLIP_BLOCK_MINUS ? -block->slide
                                                                           : 0;
        }
        eliminate(impact, a, p);
    }
    bool found = true;
    for (int k = 0; k < m; k++) {
        found = found && isfinite(p[k]);
        for (int i = 0; i < n; i++)
            v[i] += impact->responses[k * n + i] * p[k];
    }
    impact->system = own_system;
    impact->work = own_work;
    impact->following = false;
    return found;
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

int slip_impact_fail(slip_context *ctx, const slip_contact *contact, double t)
{
    return slip_fail(ctx, SLIP_ERROR_SOLVER,
                     "contact `%s`: at t = %.9g no impulses obey the impact law (too much impact "
                     "friction, or stops that "
                     "close in on a body from both sides); try `impact_friction: none`, or `moreau`",
                     contact->name, t);
}
