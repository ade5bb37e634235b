/* Finds the massless motions and their kinds. build.c makes the system that moves instead. */
#include "system/massless/types.h"

#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const slip_system *slip_system_moving(const slip_system *system)
{
    return system->massless ? system->massless->system : system;
}

/* Splits the coordinates of a symmetric matrix A >= 0: those in `has` are independent of each other, A_hh is
 * regular; each of the others has a motion with A times it = 0, the column of `transform` (m x m) that is
 * named by it. False where A is not positive semidefinite; *at is where. With unit diagonal the decision does
 * not depend on units. */
static bool split_matrix(int m, const double *matrix, double *scratch, bool *has, double *transform, int *at)
{
    double *a = scratch, *size = scratch + (ptrdiff_t)m * m;
    const double least = 1e-13 * m;
    for (int i = 0; i < m; i++) {
        has[i] = false;
        *at = i;
        size[i] = matrix[i * m + i] > 0 ? sqrt(matrix[i * m + i]) : 1;
        if (matrix[i * m + i] < 0)
            return false;
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            a[i * m + j] = 0.5 * (matrix[i * m + j] + matrix[j * m + i]) / (size[i] * size[j]);
    for (;;) { /* Gauss and Jordan: the rows of `has` become (1, A_hh^-1 A_hp) */
        int pivot = -1;
        for (int i = 0; i < m; i++)
            if (!has[i] && a[i * m + i] > least && (pivot < 0 || a[i * m + i] > a[pivot * m + pivot]))
                pivot = i;
        if (pivot < 0)
            break;
        has[pivot] = true;
        const double scale = 1 / a[pivot * m + pivot];
        for (int j = 0; j < m; j++)
            a[pivot * m + j] *= scale;
        for (int i = 0; i < m; i++) {
            const double factor = a[i * m + pivot];
            for (int j = 0; j < m && i != pivot && factor != 0; j++)
                a[i * m + j] -= factor * a[pivot * m + j];
        }
    }
    for (int p = 0; p < m; p++) {
        *at = p;
        for (int i = 0; i < m; i++) {
            transform[i * m + p] = i == p;
            if (has[p])
                continue;
            if (has[i])
                transform[i * m + p] = -a[i * m + p] * size[p] / size[i];
            else if (fabs(a[i * m + p]) > sqrt(least)) /* what is left is not zero, or negative */
                return false;
        }
    }
    return true;
}

/* X^T A X, for n x n matrices. */
static void transform_matrix(int n, const double *x, const double *a, double *product, double *result)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * x[k * n + j];
            product[i * n + j] = sum;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += x[k * n + i] * product[k * n + j];
            result[i * n + j] = sum;
        }
}

/* ---- Matrices and loads. */

/* The part of a load that is linear in coordinates and velocities goes to the matrices, the rest (of states
 * and time, or all of it) is added to the loads on its coordinate. */
static int take_load(slip_reduction *d, const slip_force_term *term)
{
    const int n = d->from->n, slots = 1 + 2 * n, nc = d->nc;
    bool *set = slip_arena_array(&d->arena, slots, sizeof *set);
    double *point = slip_arena_array(
        &d->arena, 2 * (int64_t)slots + slip_expression_scratch(term->expression), sizeof *point);
    slip_expression *rest;
    SLIP_PASS(slip_allocated(d->ctx, set && point));
    for (int i = 0; i < nc; i++)
        set[slip_slot_coordinate(i)] = set[slip_slot_velocity(n, i)] = true;
    const slip_slot_set of_motion = {.count = slots, .marked = set};
    const slip_dependence how = slip_expression_dependence(term->expression, of_motion);
    if (how == SLIP_LINEAR_CONSTANT) {
        slip_expression_gradient(term->expression, point, slots, point + slots, point + 2 * slots);
        const double *row = point + slots;
        for (int i = slip_force_first(term); i < slip_force_end(term, nc) && i < nc; i++)
            for (int j = 0; j < nc; j++) {
                d->stiffness[i * nc + j] -= slip_force_part(term, i) * row[slip_slot_coordinate(j)];
                d->damping[i * nc + j] -= slip_force_part(term, i) * row[slip_slot_velocity(n, j)];
            }
        if (slip_expression_restrict(term->expression, of_motion, &rest) < 0)
            return slip_fail_memory(d->ctx);
    } else if (slip_expression_sum(slip_expression_text(term->expression), 1, (const double[]){1},
                                   (const slip_expression *const[]){term->expression}, &rest) < 0) {
        return slip_fail_memory(d->ctx);
    }
    SLIP_PASS(slip_allocated(d->ctx, slip_reduction_keep(d, rest)));
    for (int i = slip_force_first(term); i < slip_force_end(term, nc); i++)
        SLIP_PASS(slip_reduction_add_load(d, i, slip_force_part(term, i), rest));
    return SLIP_OK;
}

static int take_structure(slip_reduction *d)
{
    const slip_system *from = d->from;
    for (int i = 0; i < d->nc; i++)
        for (int j = 0; j < d->nc; j++) {
            d->mass[i * d->nc + j] = from->mass[i * from->n + j];
            d->damping[i * d->nc + j] = from->damping[i * from->n + j];
            d->stiffness[i * d->nc + j] = from->stiffness[i * from->n + j];
        }
    for (int64_t k = 0; k < from->force_count; k++)
        if (from->forces[k].coordinate < d->nc)
            SLIP_PASS(take_load(d, &from->forces[k]));
    return SLIP_OK;
}

/* ---- Contacts. */

/* The coefficient of a motion without mass in a row. */
static double arm_of(const slip_reduction *d, const double *row, int p)
{
    double arm = 0;
    for (int i = 0; i < d->nc; i++)
        arm += row[i] * d->to->transform[i * d->nc + p];
    return arm;
}

static int refuse(const slip_reduction *d, int p, const char *contact, const char *what)
{
    return slip_fail(d->ctx, SLIP_ERROR_MODEL, "contact `%s` acts on `%s`, which has no mass, and %s",
                     contact, d->from->names[p], what);
}

/* Checks that a contact that acts on a massless motion is of a supported kind. */
static int take_contact(slip_reduction *d, int c, int p, double arm)
{
    const slip_contact *contact = &d->from->contacts[c];
    const slip_law *law = &contact->law.law;
    slip_massless_contact *to = &d->to->contacts[c];
    if (contact->dimension > 1)
        return refuse(d, p, contact->name,
                      "its slip has more than one dimension: give the coordinate a mass");
    if (contact->has_gap)
        return refuse(d, p, contact->name,
                      "has a gap: give the coordinate a mass, or the contact a stiffness "
                      "(normal: {stiffness: ...}) and the coordinate a damper");
    if (contact->varying_count > 0)
        return refuse(d, p, contact->name, "its law has parameters that vary: give the coordinate a mass");
    if (to->coordinate >= 0)
        return refuse(d, p, contact->name, "on another one without mass too: give one of them a mass");
    if (d->contact_of[p] >= 0)
        return refuse(d, p, contact->name, "so does another contact: give the coordinate a mass");
    if (contact->law.type->sliders)
        return refuse(d, p, contact->name,
                      "its law has springs of its own: use law `coulomb`, and springs on the coordinate");
    if (contact->law.type->info.set_valued) {
        if (strcmp(contact->law.type->info.name, "coulomb") != 0 || law->static_ratio != 1)
            return refuse(d, p, contact->name,
                          "static friction above kinetic friction would make it jump: use law `coulomb` with "
                          "static_ratio 1, or give the coordinate a mass");
        if (contact->normal_force)
            return refuse(d, p, contact->name,
                          "its normal force is not a number: give the coordinate a mass");
        if (law->viscous != 0)
            return refuse(d, p, contact->name,
                          "its law has a viscous part: write that as a damper on the coordinate");
    } else {
        if (!slip_law_takes_given_slip(law) || law->eta_prime > 0)
            return refuse(d, p, contact->name,
                          "its law does not rise with the slip velocity everywhere: use `coulomb` or `tanh`");
        d->to->weight[p] = SLIP_CREEPING;
    }
    to->coordinate = p;
    to->arm = arm;
    d->contact_of[p] = c;
    return SLIP_OK;
}

/* Whether an expression of the system reads a velocity of a coordinate without mass. */
static int find_varying(const slip_reduction *d, const slip_expression *slip)
{
    for (int p = 0; p < d->nc; p++)
        for (int i = 0; i < d->nc && d->to->weight[p] != SLIP_HEAVY; i++)
            if (d->to->transform[i * d->nc + p] != 0 &&
                slip_expression_reads(slip, slip_slot_velocity(d->from->n, i)))
                return p;
    return -1;
}

static int take_row(slip_reduction *d, int c, const double *row, const slip_expression *varying)
{
    if (!row) {
        const int p = varying ? find_varying(d, varying) : -1;
        return p < 0 ? SLIP_OK
                     : refuse(d, p, d->from->contacts[c].name, "its slip has coefficients that vary");
    }
    for (int p = 0; p < d->nc; p++) {
        const double arm = d->to->weight[p] != SLIP_HEAVY ? arm_of(d, row, p) : 0;
        if (arm != 0)
            SLIP_PASS(take_contact(d, c, p, arm));
    }
    return SLIP_OK;
}

static int take_contacts(slip_reduction *d)
{
    for (int c = 0; c < d->from->contact_count; c++)
        d->to->contacts[c] = (slip_massless_contact){.coordinate = -1, .state = -1};
    for (int c = 0; c < d->from->contact_count; c++) {
        const slip_contact *contact = &d->from->contacts[c];
        for (int part = 0; part < contact->dimension && !contact->frictionless; part++)
            SLIP_PASS(take_row(d, c, contact->slips[part].row, contact->slips[part].rest));
        if (contact->has_gap) {
            for (int p = 0; p < d->nc; p++)
                if (d->to->weight[p] != SLIP_HEAVY &&
                    (contact->gap.row ? arm_of(d, contact->gap.row, p) != 0
                                      : slip_expression_reads(contact->gap.rest, slip_slot_coordinate(p))))
                    SLIP_PASS(take_contact(d, c, p, 1));
        }
    }
    return SLIP_OK;
}

/* ---- What decides. */

/* A part of a matrix: the rows and columns of a list. */
static void take_part(int n, const double *matrix, int count, const int *list, double *part)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            part[i * count + j] = matrix[list[i] * n + list[j]];
}

static int list_of(const slip_reduction *d, slip_weight weight, int *list)
{
    int count = 0;
    for (int p = 0; p < d->nc; p++)
        if (d->to->weight[p] == weight)
            list[count++] = p;
    return count;
}

/* Splits massless motions, except creeping ones, into damped and static ones. The static ones are combined
 * such that no damper acts on them. */
static int split_damped(slip_reduction *d)
{
    const int nc = d->nc, count = list_of(d, SLIP_STATIC, d->list);
    double *part = d->scratch, *turn = part + (ptrdiff_t)nc * nc, *rest = turn + (ptrdiff_t)nc * nc;
    int at = 0;
    take_part(nc, d->damping, count, d->list, part);
    if (!split_matrix(count, part, rest, d->has, turn, &at))
        return slip_fail(d->ctx, SLIP_ERROR_MODEL,
                         "the damping of `%s`, which has no mass, is not positive: expected dampers that "
                         "dissipate",
                         d->from->names[d->list[at]]);
    memset(rest, 0, (size_t)nc * (size_t)nc * sizeof *rest);
    for (int i = 0; i < nc; i++)
        rest[i * nc + i] = 1;
    for (int i = 0; i < count; i++) {
        if (d->has[i])
            d->to->weight[d->list[i]] = SLIP_DAMPED;
        for (int j = 0; j < count; j++)
            rest[d->list[i] * nc + d->list[j]] = turn[i * count + j];
    }
    slip_reduction_turn(d, rest);
    for (int i = 0; i < count; i++) /* what turning leaves of zeros */
        for (int j = 0; j < nc && !d->has[i]; j++) {
            double *row = &d->damping[d->list[i] * nc + j], *column = &d->damping[j * nc + d->list[i]];
            const bool rounding = !(fabs(*row) + fabs(*column) > 1e-13 * (d->damping[j * nc + j]));
            if (rounding || d->to->weight[j] != SLIP_HEAVY)
                *row = *column = 0;
        }
    return SLIP_OK;
}

/* The static ones must be held by springs. */
static int check_static(slip_reduction *d)
{
    const int nc = d->nc, count = list_of(d, SLIP_STATIC, d->list);
    double *part = d->scratch, *turn = part + (ptrdiff_t)nc * nc, *rest = turn + (ptrdiff_t)nc * nc;
    int at = 0;
    take_part(nc, d->stiffness, count, d->list, part);
    const bool positive = split_matrix(count, part, rest, d->has, turn, &at);
    for (int i = 0; i < count; i++)
        if (!positive ? i == at : !d->has[i])
            return slip_fail(
                d->ctx, SLIP_ERROR_MODEL,
                "`%s` has no mass, and %s: expected a spring, a damper, or a contact with friction and a "
                "spring, that decide where it is; or a mass",
                d->from->names[d->list[i]],
                positive ? "nothing decides its motion" : "its stiffness is not positive");
    d->static_count = count;
    for (int i = 0; i < count; i++)
        d->statics[i] = d->list[i];
    take_part(nc, d->stiffness, count, d->list, d->compliance);
    return count == 0 || slip_dense_invert(count, d->compliance, d->pivots)
               ? SLIP_OK
               : slip_fail(d->ctx, SLIP_ERROR_MODEL, "the stiffness of coordinates without mass is singular");
}

void slip_reduction_turn(slip_reduction *d, const double *by)
{
    const int nc = d->nc;
    double *product = d->scratch + 3 * (ptrdiff_t)nc * nc, *result = product + (ptrdiff_t)nc * nc;
    double *const matrices[] = {d->mass, d->damping, d->stiffness};
    for (int k = 0; k < 3; k++) {
        transform_matrix(nc, by, matrices[k], product, result);
        memcpy(matrices[k], result, (size_t)nc * (size_t)nc * sizeof(double));
    }
    for (int i = 0; i < nc; i++)
        for (int j = 0; j < nc; j++) {
            double sum = 0;
            for (int k = 0; k < nc; k++)
                sum += d->to->transform[i * nc + k] * by[k * nc + j];
            product[i * nc + j] = sum;
        }
    memcpy(d->to->transform, product, (size_t)nc * (size_t)nc * sizeof(double));
}

/* Fails where friction would act on several massless motions, after the damped ones have been split off. */
static int check_arms(const slip_reduction *d)
{
    for (int c = 0; c < d->from->contact_count; c++) {
        const slip_massless_contact *to = &d->to->contacts[c];
        for (int p = 0; p < d->nc && to->coordinate >= 0; p++)
            if (p != to->coordinate && d->to->weight[p] != SLIP_HEAVY &&
                arm_of(d, d->from->contacts[c].slip.row, p) != 0)
                return refuse(d, p, d->from->contacts[c].name,
                              "on another one without mass too: give one of them a mass");
    }
    return SLIP_OK;
}

static bool make_room(slip_reduction *d)
{
    slip_massless *to = d->to;
    const int64_t n = d->from->n, nc = d->nc, square = nc * nc;
    slip_arena *own = &to->arena;
    d->mass = slip_arena_array(&d->arena, 9 * square + nc, sizeof(double));
    d->damping = d->mass + square;
    d->stiffness = d->damping + square;
    d->compliance = d->stiffness + square;
    d->scratch = d->compliance + square; /* 5 matrices and a row */
    d->list = slip_arena_array(&d->arena, 3 * nc + 1, sizeof(int));
    d->statics = d->list + nc;
    d->pivots = d->statics + nc;
    d->contact_of = slip_arena_array(&d->arena, nc + 1, sizeof(int));
    d->has = slip_arena_array(&d->arena, nc + 1, sizeof(bool));
    to->n = (int)n;
    to->coordinates = (int)nc;
    to->contact_count = (int)d->from->contact_count;
    to->weight = slip_arena_array(own, nc + 1, sizeof *to->weight);
    to->transform = slip_arena_array(own, 2 * square + 1, sizeof(double));
    to->inverse = to->transform + square;
    to->place = slip_arena_array(own, n + 1, sizeof *to->place);
    to->contacts = slip_arena_array(own, d->from->contact_count + 1, sizeof *to->contacts);
    to->q = slip_arena_array(own, 3 * nc + 1, sizeof *to->q);
    return d->mass && d->list && d->contact_of && d->has && to->weight && to->transform && to->place &&
           to->contacts && to->q;
}

/* Finds the motions without mass; *some is whether there are any. */
static int split_mass(slip_reduction *d, bool *some)
{
    const int nc = d->nc;
    int at = 0;
    *some = false;
    for (int i = 0; i < nc; i++)
        for (int j = 0; j < nc; j++)
            d->mass[i * nc + j] = d->from->mass[i * d->from->n + j];
    if (!split_matrix(nc, d->mass, d->scratch, d->has, d->to->transform, &at))
        return SLIP_OK; /* not positive semidefinite: the message comes when the mass is inverted */
    for (int i = 0; i < nc; i++) {
        d->to->weight[i] = d->has[i] ? SLIP_HEAVY : SLIP_STATIC; /* until more is known */
        d->contact_of[i] = -1;
        *some |= !d->has[i];
    }
    return SLIP_OK;
}

int slip_massless_create(slip_context *ctx, const slip_system *system, slip_massless **result)
{
    slip_reduction d = {.ctx = ctx, .from = system, .nc = slip_system_coordinates(system)};
    int status = SLIP_OK;
    bool some;
    *result = NULL;
    d.to = slip_alloc(1, sizeof *d.to);
    SLIP_TRY(slip_allocated(ctx, d.to && make_room(&d)));
    d.to->v = d.to->q + d.nc;
    d.to->a = d.to->v + d.nc;
    SLIP_TRY(split_mass(&d, &some));
    if (!some)
        goto done;
    if (system->force_function) {
        status = slip_fail(ctx, SLIP_ERROR_MODEL,
                           "the mass matrix is singular, and a force function in C does not tell what is "
                           "linear: expected a mass for every coordinate");
        goto done;
    }
    SLIP_TRY(take_structure(&d));
    memcpy(d.scratch, d.to->transform, (size_t)d.nc * (size_t)d.nc * sizeof(double));
    for (int i = 0; i < d.nc; i++)
        for (int j = 0; j < d.nc; j++)
            d.to->transform[i * d.nc + j] = i == j;
    slip_reduction_turn(&d, d.scratch);
    SLIP_TRY(take_contacts(&d));
    SLIP_TRY(split_damped(&d));
    SLIP_TRY(check_static(&d));
    SLIP_TRY(check_arms(&d));
    SLIP_TRY(slip_reduction_build(&d));
    *result = d.to;
    d.to = NULL;
done:
    for (int64_t k = 0; k < d.owned_count; k++)
        slip_expression_destroy(d.owned[k]);
    free(d.owned);
    free(d.loads);
    slip_massless_destroy(d.to);
    slip_arena_free(&d.arena);
    return status;
}
