/* Forces of constraints that are not unique: more contacts stick or are closed than there are motions to
 * hold. With G lambda = b, the equations of all constraints, and the laws
 *
 *     |T| <= h,  h = hold N,  where a contact sticks,   N >= 0  where it is closed,
 *
 * the forces with the least sum of squares of all N and T are taken, where the limits h are those of the same
 * solution. So contacts share a load as equally as their limits allow: a contact at its friction limit stays
 * there while the others carry the remaining load, and normal forces do not become larger than the load
 * requires just to raise friction limits. With given normal forces this is a convex problem: contacts stick
 * as long as some forces are within the limits.
 *
 * If no contact modes obey the laws under this rule, contacts may be wedged. Then all forces within the
 * limits are admissible, and those with the least sum of squares are taken, with normal forces as large as
 * necessary.
 *
 * The forces depend continuously on the state, and not on the order of the contacts. As long as the same
 * forces are fixed at limits they are linear functions of the state; a limit is released where its multiplier
 * vanishes. When no solution exists any more, all contacts whose limits contradict each other begin to slip
 * together. */
#include "system/share.h"

#include "math/least.h"
#include "patch/patch.h"

#include <math.h>
#include <string.h>

/* Tangent planes that limit a patch with more than one direction: at most three can be active at a time, and
 * one more is being added. */
enum { most_planes = 4 };

typedef struct limit {
    int contact;
    unsigned clip;
} limit;

struct slip_share {
    slip_context *ctx;
    bool shared;  /* the forces of some contact are not unique */
    bool *shares; /* of each contact: its forces are among those */
    int contact_count;
    int limit_count;
    limit *limits;
    bool *active, *blocking; /* of the limits */
    double *rows, *pulls, *right, *multipliers;
    double *numbers;
    int *indices;
    double *span; /* rows of constraints and one more, reduced */
    int *parts;   /* of the constraints, and where each of them goes */
};

bool slip_share_create(slip_context *ctx, const slip_system *system, slip_workspace *work)
{
    int64_t most = 3 * system->contact_count + most_planes * system->patch_count + 1;
    slip_share *share = slip_arena_array(&work->arena, 1, sizeof *share);
    if (!share)
        return false;
    const slip_portion numbers[] = {{&share->rows, most * most},
                                    {&share->pulls, most * most},
                                    {&share->right, most},
                                    {&share->multipliers, most},
                                    {&share->numbers, slip_least_numbers((int)most, (int)most, (int)most)},
                                    {&share->span, (most + 1) * system->n}};
    slip_arena *arena = &work->arena;
    share->limits = slip_arena_array(arena, most, sizeof *share->limits);
    share->active = slip_arena_array(arena, 2 * most + system->contact_count, sizeof *share->active);
    share->indices =
        slip_arena_array(arena, slip_least_indices((int)most, (int)most) + 2 * most, sizeof(int));
    if (!slip_arena_divide(arena, sizeof numbers / sizeof *numbers, numbers) || !share->limits ||
        !share->active || !share->indices)
        return false;
    share->ctx = ctx;
    share->contact_count = (int)system->contact_count;
    share->blocking = share->active + most;
    share->shares = share->blocking + most;
    share->parts = share->indices + slip_least_indices((int)most, (int)most);
    work->share = share;
    return true;
}

/* x_at sign - ratio x_normal <= right, the k-th of them; without a normal force among the unknowns `normal`
 * is -1. */
static void add_limit(slip_share *share, int k, int count, int contact, unsigned clip, int at, double sign,
                      int normal, double ratio, double right)
{
    double *row = share->rows + k * count, *pull = share->pulls + k * count;
    memset(row, 0, (size_t)count * sizeof(double));
    memset(pull, 0, (size_t)count * sizeof(double));
    row[at] = pull[at] = sign;
    if (normal >= 0)
        row[normal] = -ratio;
    share->right[k] = right;
    share->limits[share->limit_count++] = (limit){contact, clip};
}

static int contact_of(const slip_workspace *work, int constraint)
{
    int c = work->constraints[constraint];
    return c < 0 ? -1 - c : c % work->share->contact_count;
}

/* Of a row that is a multiple of another. */
static double ratio_of(int n, const double *row, const double *other)
{
    double product = 0, square = 0;
    for (int i = 0; i < n; i++) {
        product += row[i] * other[i];
        square += other[i] * other[i];
    }
    return product / square;
}

/* Lists the limits of a patch with one possible motion (its constraints begin with the k-th), and of all
 * patches that follow it. A patch with more motions has a limit surface (below). Returns the number of
 * limits. */
static int list_patch_limits(const slip_system *system, const slip_workspace *work,
                             const slip_branch *branches, int listed, int first, int k, int count)
{
    slip_share *share = work->share;
    const int c = contact_of(work, first + k);
    const double *row = work->rows + (first + k) * system->n;
    const bool has_gap = system->contacts[c].has_gap; /* then its normal force is the unknown before */
    double hold = slip_system_patch_hold(system, work, c, row);
    if (hold < 0)
        return 0;
    for (int other = 0; other < share->contact_count; other++)
        if (branches[other].follows == 1 + c)
            hold += slip_system_patch_hold(system, work, other, row);
    for (int sign = 1; sign >= -1; sign -= 2) {
        const int at = listed + (sign < 0);
        add_limit(share, at, count, c, sign > 0 ? SLIP_CLIP_UPPER : SLIP_CLIP_LOWER, k, sign,
                  has_gap ? k - 1 : -1, hold, has_gap ? 0 : hold);
        for (int l = k + 1; l < count && contact_of(work, first + l) == c; l++)
            share->rows[at * count + l] = share->pulls[at * count + l] =
                sign * ratio_of(system->n, work->rows + (first + l) * system->n, row);
    }
    return 2;
}

/* The limits of one part's contacts, after those of the parts before it; returns how many. */
static int list_limits(const slip_system *system, const slip_workspace *work, const slip_branch *branches,
                       int first, int count)
{
    slip_share *share = work->share;
    int listed = 0;
    for (int k = 0; k < count; k++) {
        bool is_normal = work->constraints[first + k] < 0;
        int c = contact_of(work, first + k);
        const slip_contact *contact = &system->contacts[c];
        share->shares[c] = true;
        if (contact->dimension > 1 && !is_normal) {
            listed += list_patch_limits(system, work, branches, listed, first, k, count);
            while (k + 1 < count && contact_of(work, first + k + 1) == c)
                k++;
            continue;
        }
        bool stick = branches[c].mode == SLIP_MODE_STICK, unilateral = contact->has_gap;
        double hold = stick ? slip_law_hold(slip_contact_law(system, work, c)) : 0;
        if (is_normal) {
            add_limit(share, listed++, count, c, SLIP_CLIP_NORMAL, k, -1, -1, 0, 0);
        } else if (branches[c].chart < 0) {
            int normal = unilateral ? k - 1 : -1; /* collected before its tangent */
            double right = unilateral ? 0 : hold * work->contacts[c].normal;
            add_limit(share, listed++, count, c, SLIP_CLIP_UPPER, k, 1, normal, hold, right);
            add_limit(share, listed++, count, c, SLIP_CLIP_LOWER, k, -1, normal, hold, right);
        }
    }
    return listed;
}

/* ---- Limit surfaces.
 *
 * The forces of a patch with more than one possible motion are limited by a convex surface. It is
 * approximated by tangent planes (a cutting plane method): compute the forces of least norm within the
 * present planes, add a plane where they are outside the surface, and repeat; inactive planes are dropped.
 * The forces are then not linear functions of the state, and no limits are fixed between events. */

/* The normal of the surface with velocities z along the basis, from the derivative of the forces, whose
 * columns are tangents. (If the forces have a potential, it is z.) Also returns the forces. */
static void find_normal(const slip_patch *law, int rank, const double *basis, const double *z, double *normal,
                        double *forces)
{
    double q[3] = {0, 0, 0}, T[3], D[9], columns[3][3] = {{0}}, longest = 0;
    for (int k = 0; k < rank; k++)
        for (int i = 0; i < 3; i++)
            q[i] += z[k] * basis[3 * k + i];
    slip_patch_surface(law, q, T, D);
    for (int k = 0; k < rank; k++) {
        forces[k] = basis[3 * k] * T[0] + basis[3 * k + 1] * T[1] + basis[3 * k + 2] * T[2];
        for (int l = 0; l < rank; l++)
            for (int i = 0; i < 9; i++)
                columns[l][k] += basis[3 * k + i / 3] * D[i] * basis[3 * l + i % 3];
        normal[k] = z[k];
    }
    if (rank == 2)
        columns[2][2] = 1; /* the axis across the two */
    for (int l = 0; l < rank; l++) {
        const double *a = columns[l], *b = columns[rank == 2 ? 2 : (l + 1) % 3];
        const double cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                                 a[0] * b[1] - a[1] * b[0]};
        const double size = sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
        double outward = 0;
        if (!(size > longest))
            continue;
        longest = size;
        for (int k = 0; k < rank; k++)
            outward += cross[k] * forces[k];
        for (int k = 0; k < rank; k++)
            normal[k] = outward < 0 ? -cross[k] / size : cross[k] / size;
    }
}

/* The patch has a limit surface; of its constraints this is the first. */
static bool is_curved(const slip_system *system, const slip_workspace *work, const slip_branch *branches,
                      int first, int k)
{
    const int c = contact_of(work, first + k);
    const bool normal = work->constraints[first + k] < 0;
    if (work->constraints[first + k] < work->share->contact_count || normal ||
        (k > 0 && contact_of(work, first + k - 1) == c && work->constraints[first + k - 1] >= 0) ||
        slip_system_patch_hold(system, work, c, work->rows + (first + k) * system->n) >= 0)
        return false;
    for (int other = 0; other < work->share->contact_count; other++)
        if (branches[other].follows == 1 + c)
            return false;
    return true;
}

/* The distance of the tangent planes inside the surface. Neighbouring planes are nearly dependent; with this
 * distance the iteration ends before that matters. */
static const double inside = 1e-11;

/* A tangent plane where the forces x of a patch, whose constraints begin with the k-th, are beyond its limit:
 * true when one is added, as limit number `at`. */
static bool cut(const slip_system *system, const slip_workspace *work, int first, int k, int count,
                const double *x, int at)
{
    slip_share *share = work->share;
    const int c = contact_of(work, first + k);
    const slip_patch_form *form = system->contacts[c].patch;
    const bool has_gap = system->contacts[c].has_gap;
    const double hold = form->static_ratio * work->patch_mu[system->contacts[c].vector],
                 strength = hold * (has_gap ? fmax(x[k - 1], 0) : work->contacts[c].normal);
    double basis[9], u[3] = {0, 0, 0}, z[3], normal[3], forces[3], ratio, right = 0;
    const int rank = slip_system_patch_basis(system, work, c, basis);
    for (int l = k; l < count && contact_of(work, first + l) == c; l++) {
        const int part = work->constraints[first + l] / share->contact_count - 1;
        for (int i = 0; i < rank; i++)
            u[i] += basis[3 * i + part] * x[l] / (part == 2 ? form->size : 1);
    }
    if (slip_patch_limit_within(share->ctx, form->law, rank, basis, u, &ratio, z) < 0 || !(ratio > strength))
        return false;
    find_normal(form->law, rank, basis, z, normal, forces);
    for (int i = 0; i < rank; i++)
        right += (1 - inside) * normal[i] * forces[i];
    add_limit(share, at, count, c, SLIP_CLIP_UPPER, k, 0, has_gap ? k - 1 : -1, hold * right,
              has_gap ? 0 : strength * right);
    for (int l = k; l < count && contact_of(work, first + l) == c; l++) {
        const int part = work->constraints[first + l] / share->contact_count - 1;
        double along = 0;
        for (int i = 0; i < rank; i++)
            along -= normal[i] * basis[3 * i + part] / (part == 2 ? form->size : 1);
        share->rows[at * count + l] = share->pulls[at * count + l] = along;
    }
    return true;
}

/* Drops the planes, from limit number `listed` on, that are not met; returns how many limits are left. */
static int drop_planes(slip_share *share, int before, int listed, int count, int limits)
{
    int left = listed;
    for (int i = listed; i < limits; i++) {
        if (!share->active[before + i])
            continue;
        memmove(share->rows + left * count, share->rows + i * count, (size_t)count * sizeof(double));
        memmove(share->pulls + left * count, share->pulls + i * count, (size_t)count * sizeof(double));
        share->right[left] = share->right[i];
        share->limits[before + left++] = share->limits[before + i];
    }
    share->limit_count = before + left;
    return left;
}

/* Forces of least norm within limits and limit surfaces; false if no patch has a limit surface. */
static bool solve_curved(const slip_system *system, slip_workspace *work, const slip_branch *branches,
                         slip_least_problem *problem, int first, int count, double *x)
{
    enum { rounds = 60 };
    slip_share *share = work->share;
    const int listed = problem->limit_count, before = share->limit_count - listed;
    bool curved = false, more = true;
    for (int k = 0; k < count; k++)
        curved |= is_curved(system, work, branches, first, k);
    problem->nearest = curved ? 1e-2 * inside : 0;
    for (int round = 0; round < rounds && curved && more; round++) {
        more = false;
        if (!slip_least_find(problem, share->active + before, share->blocking + before, x, share->multipliers,
                             share->numbers, share->indices))
            break;
        problem->limit_count = drop_planes(share, before, listed, count, problem->limit_count);
        for (int k = 0; k < count; k++)
            if (is_curved(system, work, branches, first, k) &&
                cut(system, work, first, k, count, x, problem->limit_count)) {
                problem->limit_count++;
                more = true;
            }
    }
    for (int k = 0; k < count && curved; k++)
        work->contacts[contact_of(work, first + k)].yield = INFINITY;
    return curved;
}

/* ---- Parts. */

/* The smaller of two parts' indices for both. */
static void join(int *parts, int count, int one, int other)
{
    const int low = one < other ? one : other, high = one < other ? other : one;
    for (int k = 0; k < count && low < high; k++)
        if (parts[k] == high)
            parts[k] = low;
}

static void swap_numbers(int n, double *a, double *b)
{
    for (int i = 0; i < n; i++) {
        const double swap = a[i];
        a[i] = b[i];
        b[i] = swap;
    }
}

/* A constraint and the one before it change places. */
static void swap_with_last(slip_workspace *work, int n, int k, int *parts)
{
    const int constraint = work->constraints[k], part = parts[k];
    swap_numbers(n, work->rows + k * n, work->rows + (k - 1) * n);
    swap_numbers(n, work->responses + k * n, work->responses + (k - 1) * n);
    swap_numbers(1, work->multipliers + k, work->multipliers + k - 1);
    work->constraints[k] = work->constraints[k - 1];
    work->constraints[k - 1] = constraint;
    parts[k] = parts[k - 1];
    parts[k - 1] = part;
}

void slip_share_sort(const slip_system *system, slip_workspace *work, int count, int **result)
{
    const int n = system->n;
    int *parts = *result = work->share->parts;
    for (int k = 0; k < count; k++)
        parts[k] = k;
    for (int k = 0; k < count; k++)
        for (int l = 0; l < k; l++) {
            bool coupled = contact_of(work, k) == contact_of(work, l);
            for (int i = 0; i < n && !coupled; i++)
                coupled = work->rows[k * n + i] * work->responses[l * n + i] != 0 ||
                          work->rows[l * n + i] * work->responses[k * n + i] != 0;
            if (coupled)
                join(parts, count, parts[k], parts[l]);
        }
    for (int k = 1; k < count; k++)
        for (int l = k; l > 0 && parts[l] < parts[l - 1]; l--)
            swap_with_last(work, n, l, parts);
}

/* ---- Forces. */

void slip_share_clear(slip_workspace *work, slip_branch *branches, int count, bool wedged)
{
    slip_share *share = work->share;
    if (share->shared)
        memset(share->shares, 0, (size_t)share->contact_count * sizeof *share->shares);
    share->shared = false;
    share->limit_count = 0;
    for (int k = 0; k < count; k++)
        branches[contact_of(work, k)].clip = wedged ? SLIP_CLIP_WEDGED : 0;
}

bool slip_system_shared(const slip_workspace *work)
{
    return work->share->shared;
}

bool slip_system_shares(const slip_workspace *work, int contact)
{
    return work->share->shares[contact];
}

unsigned slip_system_blocks(const slip_workspace *work, int contact)
{
    const slip_share *share = work->share;
    unsigned clip = 0;
    for (int i = 0; i < share->limit_count && share->shared; i++)
        if (share->limits[i].contact == contact && share->blocking[i])
            clip |= share->limits[i].clip;
    return clip;
}

static double size_of(int n, const double *row, int *largest)
{
    *largest = 0;
    for (int i = 1; i < n; i++)
        if (fabs(row[i]) > fabs(row[*largest]))
            *largest = i;
    return fabs(row[*largest]);
}

bool slip_system_holds(const slip_system *system, slip_workspace *work, const double *row)
{
    const int n = system->n, count = work->constraint_count;
    double *span = work->share->span, *last = span + count * n;
    int pivot;
    memcpy(span, work->rows, (size_t)(count * n) * sizeof(double));
    memcpy(last, row, (size_t)n * sizeof(double));
    for (int k = 0; k < count; k++) {
        double *own = span + k * n, before = size_of(n, work->rows + k * n, &pivot);
        /* rows that depend on earlier ones are rounding errors now */
        if (!(size_of(n, own, &pivot) > 1e-10 * before))
            continue;
        for (double *other = own + n; other <= last; other += n) {
            double factor = other[pivot] / own[pivot];
            for (int i = 0; i < n; i++)
                other[i] = i == pivot ? 0 : other[i] - factor * own[i];
        }
    }
    return size_of(n, last, &pivot) <= 1e-10 * size_of(n, row, &(int){0});
}

static bool is_wedged(const slip_workspace *work, const slip_branch *branches, int first)
{
    return branches[contact_of(work, first)].clip & SLIP_CLIP_WEDGED;
}

void slip_share_solve(const slip_system *system, slip_workspace *work, const slip_branch *branches,
                      slip_branch *found, int first, int count, const double *matrix, const double *right,
                      double *x)
{
    slip_share *share = work->share;
    if (!found)
        share->limit_count = 0; /* nobody asks for them */
    const int before = share->limit_count, listed = list_limits(system, work, branches, first, count);
    const limit *limits = share->limits + before;
    bool *active = share->active + before;
    slip_least_problem problem = {.n = count,
                                  .equation_count = count,
                                  .equations = matrix,
                                  .right = right,
                                  .limits = share->rows,
                                  .pulls = share->pulls,
                                  .limit_right = share->right,
                                  .count = 1};
    if (is_wedged(work, branches, first))
        problem.pulls = share->rows;
    problem.limit_count = listed;
    share->shared = true;
    if (solve_curved(system, work, branches, &problem, first, count, x))
        return;
    for (int i = 0; i < listed; i++)
        active[i] = branches[limits[i].contact].clip & limits[i].clip;
    if (found)
        slip_least_find(&problem, active, share->blocking + before, x, share->multipliers, share->numbers,
                        share->indices);
    else
        slip_least_fixed(&problem, active, x, share->multipliers, share->numbers, share->indices);
    for (int i = 0; i < listed; i++)
        work->contacts[limits[i].contact].yield = INFINITY;
    for (int i = 0; i < listed; i++) {
        slip_contact_state *state = &work->contacts[limits[i].contact];
        if (!active[i])
            continue;
        state->yield = fmin(state->yield, share->multipliers[i]);
        if (found)
            found[limits[i].contact].clip |= limits[i].clip;
    }
}
