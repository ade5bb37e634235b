/* The equation y' = A y for given modes.
 *
 * Constraints are R q = rho: closed gaps, with rho = -rest(t), and contacts that stick, where rho is an entry
 * of y with rho' = -rest(t). The echelon form X R = [1 F] splits the coordinates,
 *
 *     q_pivot = X rho - F z,   q_free = z,   in short   q = Z z + P rho,
 *
 * so that constraints hold by construction and not by balance of large forces. Constraint forces lambda act
 * along the columns of B (for a slipping closed contact normal and friction force together, B = W_n -+ mu
 * W_t, so B is not R^T). With L such that L^T B = 0,
 *
 *     (L^T M Z) z'' = L^T (f - C q' - K q - M P rho''),
 *     B lambda      = M q'' + C q' + K q - f,
 *
 * Where constraints depend on each other lambda is not unique. Then the smallest lambda is taken with which
 * the forces of the set's clips are at their limits (the rule: system/share.c),
 *
 *     (R M^-1 B) lambda = rho'' - R a_free,   q'' = a_free + M^-1 B lambda,   M a_free = f - C q' - K q,
 *
 * and the clips hold as long as the multipliers of these limits are positive. Every quantity is a row over y.
 * */
#include "math/least.h"
#include "method/exact/reduce.h"
#include "method/exact/types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct constraint {
    int contact;
    bool normal;
    int held; /* index among the entries of y of sticking contacts, or -1 */
} constraint;

/* Everything needed while a set is built. */
typedef struct draft {
    const slip_exact *exact;
    const slip_system *system;
    slip_exact_set *set;
    slip_arena arena;
    int n, m, k, size, contacts;
    int rank;
    bool shared; /* forces are not unique */
    constraint *constraints;
    double *rows, *columns, *transform, *weight, *sizes; /* k x n; k x n (B^T); k x k */
    double *echelon, *left;                              /* of rows and of columns */
    int *pivot, *left_pivot, *left_free, *candidate;
    double *rho, *rho1, *rho2; /* k x size: rho and its rates */
    double *damping;           /* C with viscous friction added */
    double *load;              /* n x size */
    double *multipliers;       /* k x size: the forces of the constraints */
    double *yields; /* 3 for each contact x size: multipliers of the limits, in the order of clips */
    bool failed;    /* out of memory */
    double *growth;
    double *basis; /* Z, n x free_count */
} draft;

static bool is_closed(const slip_contact *contact, int mode)
{
    return slip_contact_closed(contact, (slip_mode)mode);
}

static bool is_held(const slip_contact *contact, int mode)
{
    return mode == SLIP_MODE_STICK && !contact->frictionless;
}

static int direction(int mode)
{
    return mode == SLIP_MODE_SLIP_PLUS ? 1 : mode == SLIP_MODE_SLIP_MINUS ? -1 : 0;
}

/* The ratio of friction force to normal force of a contact that slips. */
static double ratio_of(const slip_contact *contact, int mode)
{
    return contact->frictionless || direction(mode) == 0 ? 0 : -direction(mode) * contact->law.law.mu;
}

static double *new_rows(draft *d, int count, int length)
{
    double *rows = slip_arena_array(&d->arena, (int64_t)count * length + 1, sizeof(double));
    d->failed |= !rows;
    return rows;
}

/* Rows in the set's arena; for a wide set they are temporary, since it keeps only sparse rows. */
static double *keep_rows(draft *d, int count)
{
    return slip_arena_array(d->set->wide ? &d->arena : &d->set->arena, (int64_t)count * d->size + 1,
                            sizeof(double));
}

/* ---- The list of constraints. */

static bool list_constraints(draft *d)
{
    d->constraints = slip_arena_array(&d->arena, 2 * d->contacts + 1, sizeof *d->constraints);
    d->set->held = slip_arena_array(&d->set->arena, d->contacts + 1, sizeof(int));
    if (!d->constraints || !d->set->held)
        return false;
    for (int c = 0; c < d->contacts; c++) {
        const slip_contact *contact = &d->system->contacts[c];
        int mode = d->set->modes[c];
        if (is_closed(contact, mode))
            d->constraints[d->k++] = (constraint){c, true, -1};
        if (is_held(contact, mode)) {
            d->constraints[d->k++] = (constraint){c, false, d->set->held_count};
            d->set->held[d->set->held_count++] = c;
        }
    }
    return true;
}

static void fill_constraint_rows(draft *d)
{
    int n = d->n;
    for (int i = 0; i < d->k; i++) {
        const constraint *one = &d->constraints[i];
        const slip_contact *contact = &d->system->contacts[one->contact];
        double ratio = ratio_of(contact, d->set->modes[one->contact]);
        for (int j = 0; j < n; j++) {
            double row = one->normal ? contact->gap.row[j] : contact->slip.row[j];
            d->rows[i * n + j] = d->echelon[i * n + j] = row;
            d->columns[i * n + j] = d->left[i * n + j] =
                row + (one->normal ? ratio * contact->slip.row[j] : 0);
        }
    }
    for (int j = 0; j < n; j++)
        d->weight[j] = sqrt(d->system->inverse_mass[j * n + j]);
}

/* Splits the coordinates into pivots and free ones; false when rows R and columns B differ in rank: then some
 * direction of motion is constrained but no force acts along it. */
static bool split(draft *d)
{
    slip_exact_set *set = d->set;
    d->rank =
        slip_exact_echelon(d->k, d->n, d->echelon, d->transform, d->weight, d->pivot, d->sizes, d->candidate);
    d->shared = d->rank < d->k;
    if (!d->shared && slip_exact_echelon(d->k, d->n, d->left, NULL, d->weight, d->left_pivot, d->sizes,
                                         d->candidate) != d->rank)
        return false;
    for (int pass = 0; pass < (d->shared ? 1 : 2); pass++) {
        int *list = pass ? d->left_free : set->free, count = 0;
        for (int j = 0; j < d->n; j++) {
            bool is_free = true;
            for (int i = 0; i < d->rank; i++)
                is_free &= (pass ? d->left_pivot : d->pivot)[i] != j;
            if (is_free)
                list[count++] = j;
        }
        set->free_count = count;
    }
    return true;
}

/* ---- Kinematics. */

/* The time derivative of a row whose non-zero entries are those of the functions of time. */
static void rate_of_loads(const draft *d, const double *row, double *rate)
{
    int first = d->size - d->m;
    for (int i = 0; i < d->m; i++)
        for (int j = 0; j < d->m; j++)
            rate[first + j] += row[first + i] * d->exact->loads.generator[i * d->m + j];
}

static void fill_rho(draft *d)
{
    int size = d->size, first = size - d->m;
    const slip_exact_loads *loads = &d->exact->loads;
    for (int i = 0; i < d->k; i++) {
        const constraint *one = &d->constraints[i];
        double *rho = d->rho + i * size, *rho1 = d->rho1 + i * size;
        const double *rest = (one->normal ? loads->gap : loads->slip) + one->contact * d->m;
        for (int j = 0; j < d->m; j++)
            (one->normal ? rho : rho1)[first + j] = -rest[j];
        if (one->normal)
            rate_of_loads(d, rho, rho1);
        else
            rho[2 * d->set->free_count + one->held] = 1;
        rate_of_loads(d, rho1, d->rho2 + i * size);
    }
}

/* rows = P rho, for rho or one of its rates */
static void place(draft *d, const double *rho, double *rows)
{
    for (int i = 0; i < d->rank; i++)
        slip_exact_multiply_add(1, d->k, d->size, 1, d->transform + i * d->k, rho,
                                rows + d->pivot[i] * d->size);
}

static void fill_kinematics(draft *d)
{
    slip_exact_set *set = d->set;
    int r = set->free_count;
    for (int j = 0; j < r; j++) {
        d->basis[set->free[j] * r + j] = 1;
        for (int i = 0; i < d->rank; i++)
            d->basis[d->pivot[i] * r + j] = -d->echelon[i * d->n + set->free[j]];
    }
    place(d, d->rho, set->position);
    place(d, d->rho1, set->velocity);
    place(d, d->rho2, set->acceleration);
    for (int i = 0; i < d->n; i++)
        for (int j = 0; j < r; j++) {
            set->position[i * d->size + j] += d->basis[i * r + j];
            set->velocity[i * d->size + r + j] += d->basis[i * r + j];
        }
}

/* ---- Dynamics. */

/* The applied forces: loads, and friction of slipping contacts with given normal force N, -+mu N W and
 * -viscous N w W. */
static void fill_loads(draft *d)
{
    const slip_exact_loads *loads = &d->exact->loads;
    int n = d->n, m = d->m, first = d->size - m;
    memcpy(d->damping, d->system->damping, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        memcpy(d->load + i * d->size + first, loads->forces + i * m, (size_t)m * sizeof(double));
    if (d->system->load_q) {
        slip_exact_multiply_add(n, n, d->size, 1, d->system->load_q, d->set->position, d->load);
        slip_exact_multiply_add(n, n, d->size, 1, d->system->load_v, d->set->velocity, d->load);
    }
    for (int c = 0; c < d->contacts; c++) {
        const slip_contact *contact = &d->system->contacts[c];
        int sign = direction(d->set->modes[c]);
        if (contact->has_gap || (sign == 0 && contact->state_count == 0))
            continue;
        double viscous = contact->law.law.viscous * contact->normal_constant;
        const double *row = contact->slip.row;
        for (int i = 0; i < n; i++) {
            if (row[i] == 0)
                continue;
            for (int j = 0; j < m; j++)
                d->load[i * d->size + first + j] -=
                    row[i] * (-ratio_of(contact, d->set->modes[c]) * loads->normal[c * m + j] +
                              viscous * loads->slip[c * m + j]);
            for (int j = 0; j < n && viscous != 0; j++)
                d->damping[i * n + j] += viscous * row[i] * row[j];
        }
    }
}

/* Adds the force -N k z of a slider to its coordinates, and in stick the rate w of its state z. No constraint
 * acts on z: its `velocity` is one of the free entries of y. */
static void fill_slider(draft *d, int k)
{
    const slip_slider *slider = &d->system->sliders[k];
    const slip_contact *contact = &d->system->contacts[slider->contact];
    const int size = d->size, first = size - d->m;
    const double stiffness = slider->stiffness * contact->normal_constant;
    double *rate = d->load + slider->state * size;
    for (int i = 0; i < d->n; i++)
        if (contact->slip.row[i] != 0)
            slip_exact_multiply_add(1, 1, size, -stiffness * contact->slip.row[i], (const double[]){1},
                                    d->set->velocity + slider->state * size, d->load + i * size);
    if (d->set->sliders[k] != 0)
        return;
    slip_exact_multiply_add(1, d->n, size, 1, contact->slip.row, d->set->velocity, rate);
    for (int j = 0; j < d->m; j++)
        rate[first + j] += d->exact->loads.slip[slider->contact * d->m + j];
}

/* The first free_count rows of the result become L^T times n rows. */
static void project(const draft *d, int count, const double *rows, double *result)
{
    for (int j = 0; j < d->set->free_count; j++) {
        memcpy(result + j * count, rows + d->left_free[j] * count, (size_t)count * sizeof(double));
        for (int i = 0; i < d->rank; i++) {
            double factor = -d->left[i * d->n + d->left_free[j]];
            slip_exact_multiply_add(1, 1, count, factor, (const double[]){1}, rows + d->left_pivot[i] * count,
                                    result + j * count);
        }
    }
}

/* rows = f - C q' - K q - M times the acceleration found so far */
static void balance(draft *d, double *rows)
{
    const slip_exact_set *set = d->set;
    int n = d->n, size = d->size;
    memcpy(rows, d->load, (size_t)n * (size_t)size * sizeof(double));
    slip_exact_multiply_add(n, n, size, -1, d->system->stiffness, set->position, rows);
    slip_exact_multiply_add(n, n, size, -1, d->damping, set->velocity, rows);
    slip_exact_multiply_add(n, n, size, -1, d->system->mass, set->acceleration, rows);
}

/* Fills A, given the rows of z''. */
static void fill_generator(draft *d, const double *second)
{
    slip_exact_set *set = d->set;
    int r = set->free_count, size = d->size, first = size - d->m;
    for (int i = 0; i < r; i++) {
        set->generator[i * size + r + i] = set->free[i] < slip_system_coordinates(d->system);
        memcpy(set->generator + (r + i) * size, second + i * size, (size_t)size * sizeof(double));
    }
    for (int i = 0; i < d->k; i++)
        if (d->constraints[i].held >= 0)
            memcpy(set->generator + (2 * r + d->constraints[i].held) * size, d->rho1 + i * size,
                   (size_t)size * sizeof(double));
    for (int i = 0; i < d->m; i++)
        for (int j = 0; j < d->m; j++)
            set->generator[(first + i) * size + first + j] = d->exact->loads.generator[i * d->m + j];
}

/* Computes the rows of z'', A, and the acceleration. */
static bool fill_dynamics(draft *d)
{
    slip_exact_set *set = d->set;
    int n = d->n, r = set->free_count, size = d->size;
    double *forces = new_rows(d, n, size), *second = new_rows(d, r, size), *mass = new_rows(d, n, r),
           *reduced = new_rows(d, r, r);
    if (d->failed)
        return false;
    balance(d, forces);
    project(d, size, forces, second);
    slip_exact_multiply_add(n, n, r, 1, d->system->mass, d->basis, mass);
    project(d, r, mass, reduced);
    if (!slip_exact_solve(r, reduced, size, second))
        return false;
    fill_generator(d, second);
    slip_exact_multiply_add(n, r, size, 1, d->basis, second, set->acceleration);
    return true;
}

/* Computes lambda from the rows of B at the pivots, B_p: B_p lambda = b_p. */
static bool fill_multipliers(draft *d)
{
    int k = d->k, size = d->size, n = d->n;
    double *forces = new_rows(d, n, size), *square = new_rows(d, k, k);
    if (d->failed)
        return false;
    balance(d, forces);
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < size; j++)
            d->multipliers[i * size + j] = -forces[d->left_pivot[i] * size + j];
        for (int j = 0; j < k; j++)
            square[i * k + j] = d->columns[j * n + d->left_pivot[i]];
    }
    return slip_exact_solve(k, square, size, d->multipliers);
}

/* ---- Forces that are not unique. */

/* Lists the limits at which clips keep forces, as equations (rows over lambda) = (rows over y); returns their
 * number. `place`: index of the multiplier of each in `yields`. */
static int list_limits(const draft *d, double *limits, double *pulls, double *right, int *place)
{
    int k = d->k, first = d->size - d->m, count = 0;
    for (int i = 0; i < k; i++) {
        const constraint *one = &d->constraints[i];
        const slip_contact *contact = &d->system->contacts[one->contact];
        unsigned clip = d->set->clips[one->contact];
        double hold = slip_law_hold(&contact->law);
        for (int bit = one->normal ? 2 : 0; bit < (one->normal ? 3 : 2); bit++) {
            double *row = limits + count * k;
            if (!(clip & 1u << bit))
                continue;
            row[i] = pulls[count * k + i] = bit == 0 ? 1 : -1;
            if (bit < 2 && contact->has_gap)
                row[i - 1] = -hold;
            for (int j = 0; j < d->m && bit < 2 && !contact->has_gap; j++)
                right[count * d->size + first + j] = hold * d->exact->loads.normal[one->contact * d->m + j];
            place[count++] = 3 * one->contact + bit;
        }
    }
    return count;
}

/* Computes lambda by that rule, then z'' and the acceleration. */
static bool fill_shared(draft *d)
{
    slip_exact_set *set = d->set;
    int n = d->n, k = d->k, r = set->free_count, size = d->size, most = 3 * d->contacts;
    double *free_acceleration = new_rows(d, n, size), *forces = new_rows(d, n, size),
           *response = new_rows(d, n, k), *columns = new_rows(d, n, k), *gram = new_rows(d, k, k),
           *right = new_rows(d, k, size), *limits = new_rows(d, most, k), *pulls = new_rows(d, most, k),
           *limit_right = new_rows(d, most, size), *yields = new_rows(d, most, size),
           *second = new_rows(d, r, size);
    double *numbers = slip_arena_array(&d->arena, slip_least_numbers(k, k, most), sizeof(double));
    int *indices = slip_arena_array(&d->arena, slip_least_indices(k, most), sizeof(int)),
        *place = slip_arena_array(&d->arena, most + 1, sizeof(int));
    bool *active = slip_arena_array(&d->arena, most + 1, sizeof(bool));
    d->failed |= !numbers || !indices || !place || !active;
    if (d->failed)
        return false;
    balance(d, forces);
    slip_exact_multiply_add(n, n, size, 1, d->system->mass, set->acceleration, forces);
    slip_exact_multiply_add(n, n, size, 1, d->system->inverse_mass, forces, free_acceleration);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            columns[i * k + j] = d->columns[j * n + i];
    slip_exact_multiply_add(n, n, k, 1, d->system->inverse_mass, columns, response);
    slip_exact_multiply_add(k, n, k, 1, d->rows, response, gram);
    memcpy(right, d->rho2, (size_t)(k * size) * sizeof(double));
    slip_exact_multiply_add(k, n, size, -1, d->rows, free_acceleration, right);
    slip_least_problem problem = {.n = k,
                                  .equation_count = k,
                                  .limit_count = list_limits(d, limits, pulls, limit_right, place),
                                  .equations = gram,
                                  .limits = limits,
                                  .pulls = pulls,
                                  .right = right,
                                  .limit_right = limit_right,
                                  .count = size};
    for (int i = 0; i < problem.limit_count; i++)
        active[i] = true;
    if (d->set->clips[d->constraints[0].contact] & SLIP_CLIP_WEDGED)
        problem.pulls = limits;
    if (slip_least_fixed(&problem, active, d->multipliers, yields, numbers, indices) != d->rank)
        return false;
    for (int i = 0; i < problem.limit_count; i++)
        memcpy(d->yields + place[i] * size, yields + i * size, (size_t)size * sizeof(double));
    slip_exact_multiply_add(n, k, size, 1, response, d->multipliers, free_acceleration);
    for (int i = 0; i < r; i++)
        memcpy(second + i * size, free_acceleration + set->free[i] * size, (size_t)size * sizeof(double));
    fill_generator(d, second);
    slip_exact_multiply_add(n, r, size, 1, d->basis, second, set->acceleration);
    return true;
}

/* ---- Contacts: their recorded quantities, and the conditions that end the segment. */

static void fill_contact(draft *d, int c)
{
    const slip_contact *contact = &d->system->contacts[c];
    const slip_exact_loads *loads = &d->exact->loads;
    slip_exact_set *set = d->set;
    int size = d->size, m = d->m, first = size - m, mode = set->modes[c];
    double *slip = set->slip + c * size, *normal = set->normal + c * size, *force = set->force + c * size,
           *gap = set->gap + c * size;
    if (!is_held(contact, mode)) {
        slip_exact_multiply_add(1, d->n, size, 1, contact->slip.row, set->velocity, slip);
        for (int j = 0; j < m; j++)
            slip[first + j] += loads->slip[c * m + j];
    }
    if (!contact->has_gap) {
        memcpy(normal + first, loads->normal + c * m, (size_t)m * sizeof(double));
        double viscous = -contact->law.law.viscous * contact->normal_constant;
        for (int j = 0; j < size && !is_held(contact, mode); j++)
            force[j] = ratio_of(contact, mode) * normal[j] + viscous * slip[j];
    } else if (mode == SLIP_MODE_OPEN) {
        slip_exact_multiply_add(1, d->n, size, 1, contact->gap.row, set->position, gap);
        for (int j = 0; j < m; j++)
            gap[first + j] += loads->gap[c * m + j];
    }
    for (int k = 0; k < contact->state_count; k++)
        slip_exact_multiply_add(1, 1, size,
                                -contact->normal_constant * d->system->sliders[contact->slider + k].stiffness,
                                (const double[]){1}, set->velocity + (contact->state + k) * size, force);
    for (int i = 0; i < d->k; i++) {
        const double *multiplier = d->multipliers + i * size;
        if (d->constraints[i].contact != c)
            continue;
        memcpy(d->constraints[i].normal ? normal : force, multiplier, (size_t)size * sizeof(double));
        for (int j = 0; j < size && d->constraints[i].normal && !is_held(contact, mode); j++)
            force[j] = ratio_of(contact, mode) * multiplier[j];
    }
}

/* Stores rows column by column, `stride` numbers for each column. */
static void transpose(int count, int size, const double *rows, int stride, double *columns)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < size; j++)
            columns[j * stride + i] = rows[i * size + j];
}

/* Adds the condition factor * row + other >= 0 of contact c. */
static bool watch(draft *d, int c, slip_exact_condition condition, int sign, double factor, const double *row,
                  double other_factor, const double *other)
{
    slip_exact_watch *added = &d->set->watches[d->set->watch_count++];
    double *sum = new_rows(d, 2, d->size);
    if (!sum)
        return false;
    *added = (slip_exact_watch){.contact = c, .sign = sign, .condition = condition};
    for (int e = 0; e < d->set->gap_count; e++)
        added->is_entry |= condition == SLIP_EXACT_GAP && d->set->gap_entries[e].contact == c;
    d->set->watches_gaps |= added->is_entry;
    for (int j = 0; j < d->size; j++)
        sum[j] = factor * row[j] + (other ? other_factor * other[j] : 0);
    if (d->set->wide)
        return slip_exact_sparse_take(&d->set->arena, 1, d->size, sum, &added->row);
    return slip_exact_watch_build(d->set, added, d->growth, sum, sum + d->size);
}

static const double *yield_of(const draft *d, int c, int bit)
{
    return d->yields + (3 * c + bit) * d->size;
}

static bool watch_contact(draft *d, int c)
{
    const slip_contact *contact = &d->system->contacts[c];
    const slip_exact_set *set = d->set;
    int at = c * d->size, mode = set->modes[c], sign = direction(mode);
    unsigned clip = set->clips[c];
    bool closed = is_closed(contact, mode), held = is_held(contact, mode), complete = true;
    if (contact->has_gap && !closed)
        return watch(d, c, SLIP_EXACT_GAP, 0, 1, set->gap + at, 0, NULL);
    if (held) {
        double limit = slip_law_hold(&contact->law);
        bool apex = clip & SLIP_CLIP_NORMAL && clip & (SLIP_CLIP_UPPER | SLIP_CLIP_LOWER);
        for (int k = -1; k <= 1; k += 2) {
            int bit = k < 0;
            if (clip & 1u << bit)
                complete = complete && watch(d, c, SLIP_EXACT_HOLD, k, 1, yield_of(d, c, bit), 0, NULL);
            else if (!apex) /* where both limits of the force are the same, zero */
                complete =
                    complete && watch(d, c, SLIP_EXACT_HOLD, k, -k, set->force + at, limit, set->normal + at);
        }
        /* where mu > 0 the limits of friction are reached no later than that of the normal force */
        closed = closed && (limit == 0 || clip & SLIP_CLIP_NORMAL);
    } else if (sign != 0 && !contact->frictionless) {
        complete = watch(d, c, SLIP_EXACT_SLIP, sign, sign, set->slip + at, 0, NULL);
    }
    if (closed && clip & SLIP_CLIP_NORMAL)
        return complete && watch(d, c, SLIP_EXACT_NORMAL, 0, 1, yield_of(d, c, 2), 0, NULL);
    if (closed || contact->normal_force)
        complete = complete && watch(d, c, SLIP_EXACT_NORMAL, 0, 1, set->normal + at, 0, NULL);
    return complete;
}

static bool watch_slider(draft *d, int k)
{
    const slip_slider *slider = &d->system->sliders[k];
    const slip_exact_set *set = d->set;
    const int mode = set->sliders[k];
    const double *z = set->velocity + slider->state * d->size;
    double *one = new_rows(d, 1, d->size);
    bool complete = one != NULL;
    if (mode != 0)
        complete = complete && watch(d, slider->contact, SLIP_EXACT_TURN, mode, mode,
                                     set->slip + slider->contact * d->size, 0, NULL);
    else if (complete && isfinite(slider->limit)) {
        one[d->size - d->m] = slider->limit; /* the first function of time is 1 */
        for (int sign = 1; sign >= -1 && complete; sign -= 2) {
            complete = watch(d, slider->contact, SLIP_EXACT_LIMIT, sign, 1, one, -sign, z);
            set->watches[set->watch_count - 1].slider = k;
        }
    }
    if (complete && mode != 0)
        set->watches[set->watch_count - 1].slider = k;
    return complete;
}

/* ---- Building a set. */

static bool allocate(draft *d)
{
    slip_exact_set *set = d->set;
    int n = d->n, k = d->k;
    d->rows = new_rows(d, k, n);
    d->columns = new_rows(d, k, n);
    d->echelon = new_rows(d, k, n);
    d->left = new_rows(d, k, n);
    d->transform = new_rows(d, k, k);
    d->weight = new_rows(d, 1, n);
    d->sizes = new_rows(d, 1, k);
    d->pivot = slip_arena_array(&d->arena, 3 * n + k + 1, sizeof(int));
    set->free = slip_arena_array(&set->arena, n + 1, sizeof(int));
    if (!d->rows || !d->columns || !d->echelon || !d->left || !d->transform || !d->weight || !d->sizes ||
        !d->pivot || !set->free)
        return false;
    d->left_pivot = d->pivot + n;
    d->left_free = d->pivot + 2 * n;
    d->candidate = d->pivot + 3 * n;
    return true;
}

static bool allocate_rows(draft *d)
{
    slip_exact_set *set = d->set;
    d->size = set->size = 2 * set->free_count + set->held_count + d->m;
    set->padded = set->size + set->size % 2;
    set->wide = set->size > slip_exact_narrow;
    d->rho = new_rows(d, d->k, d->size);
    d->rho1 = new_rows(d, d->k, d->size);
    d->rho2 = new_rows(d, d->k, d->size);
    d->multipliers = new_rows(d, d->k, d->size);
    d->yields = new_rows(d, d->shared ? 3 * d->contacts : 0, d->size);
    d->damping = new_rows(d, d->n, d->n);
    d->load = new_rows(d, d->n, d->size);
    d->basis = new_rows(d, d->n, set->free_count);
    set->generator = keep_rows(d, d->size);
    set->position = keep_rows(d, 3 * d->n);
    set->slip = keep_rows(d, 4 * d->contacts);
    set->watches = slip_arena_array(&set->arena, 3 * d->contacts + 2 * d->system->slider_count + 1,
                                    sizeof *set->watches);
    set->motion_rows = 3 * d->n + d->n % 2;
    set->contact_rows = 4 * d->contacts;
    if (!set->wide) {
        set->motion = keep_rows(d, set->motion_rows);
        set->contacts = keep_rows(d, set->contact_rows);
        if (!set->motion || !set->contacts)
            return false;
    }
    if (!d->rho || !d->rho1 || !d->rho2 || !d->multipliers || !d->yields || !d->damping || !d->load ||
        !d->basis || !set->generator || !set->position || !set->slip || !set->watches)
        return false;
    set->velocity = set->position + d->n * d->size;
    set->acceleration = set->velocity + d->n * d->size;
    set->normal = set->slip + d->contacts * d->size;
    set->force = set->normal + d->contacts * d->size;
    set->gap = set->force + d->contacts * d->size;
    return true;
}

static int undetermined(const draft *d)
{
    for (int i = 0; i < d->k; i++)
        if (d->constraints[i].normal)
            return slip_fail(d->exact->ctx, SLIP_ERROR_SOLVER,
                             "contact `%s`: with the contacts' modes given, forces and accelerations are not "
                             "determined (the friction coefficient is too large for this geometry)",
                             d->system->contacts[d->constraints[i].contact].name);
    return slip_fail(d->exact->ctx, SLIP_ERROR_SOLVER, "the contacts' modes do not determine the motion");
}

/* For a narrow set: makes the matrices for propagation and bounds, and those of recorded quantities. */
static bool make_matrices(draft *d)
{
    slip_exact_set *set = d->set;
    if (!slip_exact_ladder_build(set) || !(d->growth = slip_exact_growth_create(set)))
        return false;
    transpose(3 * d->n, d->size, set->position, set->motion_rows, set->motion);
    transpose(4 * d->contacts, d->size, set->slip, set->contact_rows, set->contacts);
    return true;
}

static int fill(draft *d)
{
    slip_context *ctx = d->exact->ctx;
    SLIP_PASS(slip_allocated(ctx, list_constraints(d) && allocate(d)));
    fill_constraint_rows(d);
    if (!split(d))
        return undetermined(d);
    SLIP_PASS(slip_allocated(ctx, allocate_rows(d)));
    fill_rho(d);
    fill_kinematics(d);
    fill_loads(d);
    for (int k = 0; k < d->system->slider_count; k++)
        fill_slider(d, k);
    if (!(d->shared ? fill_shared(d) : fill_dynamics(d) && fill_multipliers(d)))
        return d->failed ? slip_fail_memory(ctx) : undetermined(d);
    d->set->late_terms = d->exact->loads.most_powers - 1;
    for (int c = 0; c < d->contacts; c++)
        fill_contact(d, c);
    if (!slip_exact_gaps_build(d->set, d->system, d->yields, d->shared ? 3 * d->contacts : 0) ||
        !(d->set->wide ? slip_exact_wide_build(d->set, d->n, d->contacts) : make_matrices(d)))
        return slip_fail_memory(ctx);
    for (int c = 0; c < d->contacts; c++)
        SLIP_PASS(slip_allocated(ctx, watch_contact(d, c)));
    for (int k = 0; k < d->system->slider_count; k++)
        SLIP_PASS(slip_allocated(ctx, watch_slider(d, k)));
    return SLIP_OK;
}

int slip_exact_set_create(slip_exact *exact, const unsigned char *key, slip_exact_set **result)
{
    draft d = {.exact = exact,
               .system = exact->system,
               .n = exact->system->n,
               .m = exact->loads.count,
               .contacts = (int)exact->system->contact_count};
    int status;
    *result = NULL;
    d.set = calloc(1, sizeof *d.set);
    SLIP_PASS(slip_allocated(exact->ctx, d.set));
    d.set->modes = slip_arena_alloc(&d.set->arena, (size_t)exact->key_size + 1);
    if (d.set->modes) {
        memcpy(d.set->modes, key, (size_t)exact->key_size);
        d.set->clips = d.set->modes + d.contacts;
        d.set->sliders = (const signed char *)(d.set->clips + d.contacts);
        status = fill(&d);
    } else {
        status = slip_fail_memory(exact->ctx);
    }
    slip_arena_free(&d.arena);
    free(d.growth);
    if (d.set->wide)
        d.set->generator = d.set->position = d.set->slip = NULL;
    if (status < 0)
        slip_exact_set_destroy(d.set);
    else
        *result = d.set;
    return status;
}

void slip_exact_set_destroy(slip_exact_set *set)
{
    if (!set)
        return;
    slip_exact_set_destroy(set->slow);
    slip_arena_free(&set->arena);
    free(set);
}
