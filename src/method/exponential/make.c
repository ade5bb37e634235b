/* The structure in uncoupled coordinates, and the directions of the contacts in these. */
#include "math/dense.h"
#include "math/vector.h"
#include "method/exponential/types.h"
#include "system/structure/structure.h"

#include <math.h>
#include <string.h>

static double *numbers(slip_exponential *x, int64_t count, bool *complete)
{
    double *memory = slip_arena_array(&x->arena, count + 1, sizeof *memory);
    *complete &= memory != NULL;
    return memory;
}

/* ---- What can be moved. */

static int check_structure(const slip_exponential *x)
{
    const slip_system *system = x->system;
    const int n = x->n;
    int64_t remembered = 0;
    if (system->structure != &slip_structure_linear || system->varying_mass)
        return slip_fail(
            x->ctx, SLIP_ERROR_MODEL,
            "method `exponential` propagates constant matrices of mass, damping and stiffness; the "
            "structure of this model varies: use `event`");
    for (int64_t c = 0; c < system->contact_count; c++)
        remembered += system->contacts[c].state_count;
    if (system->state_count > remembered) /* those of laws come after these */
        return slip_fail(
            x->ctx, SLIP_ERROR_MODEL,
            "method `exponential` propagates coordinates with mass and stiffness, and `%s` is a state with a "
            "rate of its own; use `event`",
            system->names[x->moving]);
    if (slip_system_skew(system))
        return slip_fail(x->ctx, SLIP_ERROR_MODEL,
                         "method `exponential` needs a symmetric stiffness matrix; use `event` or `moreau`");
    for (int k = 0; k < x->light; k++)
        for (int i = 0; i < n; i++) {
            const int64_t e = x->of_light[k];
            if (system->damping[e * n + i] != 0 || system->damping[i * n + e] != 0)
                return slip_fail(
                    x->ctx, SLIP_ERROR_MODEL,
                    "method `exponential`: a damper acts on `%s`, which has no mass and follows its "
                    "forces at once; use `reduce: {contact: attachment}` with `moreau`, or leave the "
                    "damper out",
                    system->names[e]);
            if (system->mass[e * n + i] != 0 || system->mass[i * n + e] != 0)
                return slip_fail(
                    x->ctx, SLIP_ERROR_MODEL,
                    "method `exponential`: `%s` has no mass of its own, but one together with `%s`; "
                    "use `event`",
                    system->names[e], system->names[i]);
        }
    return SLIP_OK;
}

static int split(slip_exponential *x)
{
    x->of_heavy = slip_arena_array(&x->arena, x->n + 1, sizeof(int));
    x->of_light = slip_arena_array(&x->arena, x->n + 1, sizeof(int));
    SLIP_PASS(slip_allocated(x->ctx, x->of_heavy && x->of_light));
    for (int i = 0; i < x->moving; i++)
        if (x->system->mass[(int64_t)i * (x->n + 1)] > 0)
            x->of_heavy[x->heavy++] = i;
        else
            x->of_light[x->light++] = i;
    return SLIP_OK;
}

/* ---- Matrices. */

/* A, and -A K_eh. */
static int condense(slip_exponential *x)
{
    const int64_t n = x->n;
    const double *k = x->system->stiffness;
    bool complete = true;
    x->answer = numbers(x, (int64_t)x->light * x->light, &complete);
    x->carry = numbers(x, (int64_t)x->light * x->heavy, &complete);
    SLIP_PASS(slip_allocated(x->ctx, complete));
    for (int i = 0; i < x->light; i++)
        for (int j = 0; j < x->light; j++)
            x->answer[i * x->light + j] = k[x->of_light[i] * n + x->of_light[j]];
    if (x->light > 0 && !slip_dense_invert_spd(x->light, x->answer))
        return slip_fail(x->ctx, SLIP_ERROR_MODEL,
                         "method `exponential`: `%s` and the other coordinates without mass are not held by "
                         "springs; expected a positive stiffness",
                         x->system->names[x->of_light[0]]);
    for (int i = 0; i < x->light; i++)
        for (int j = 0; j < x->heavy; j++)
            for (int l = 0; l < x->light; l++)
                x->carry[i * x->heavy + j] -=
                    x->answer[i * x->light + l] * k[x->of_light[l] * n + x->of_heavy[j]];
    return SLIP_OK;
}

/* What is below this part of the largest eigenvalue has no stiffness. */
static const double rigid = 1e-13;

/* V and w^2, of M and K_hh - K_he A K_eh. */
static int find_vectors(slip_exponential *x)
{
    const int64_t n = x->n, h = x->heavy;
    const slip_system *system = x->system;
    bool complete = true;
    double *mass = numbers(x, h * h, &complete), largest = 0;
    x->vectors = numbers(x, h * h, &complete);
    SLIP_PASS(slip_allocated(x->ctx, complete));
    for (int64_t i = 0; i < h; i++)
        for (int64_t j = 0; j < h; j++) {
            double sum = system->stiffness[x->of_heavy[i] * n + x->of_heavy[j]];
            for (int l = 0; l < x->light; l++)
                sum += system->stiffness[x->of_heavy[i] * n + x->of_light[l]] * x->carry[l * h + j];
            x->vectors[i * h + j] = sum;
            mass[i * h + j] = system->mass[x->of_heavy[i] * n + x->of_heavy[j]];
        }
    if (h > 0 && !slip_dense_eigenvectors_pair((int)h, x->vectors, mass, x->propagator->square))
        return slip_fail(x->ctx, SLIP_ERROR_SOLVER,
                         "method `exponential`: the eigenmodes of the structure were not found");
    largest = fmax(largest, slip_largest(h, x->propagator->square));
    for (int64_t i = 0; i < h; i++) {
        double *square = &x->propagator->square[i];
        if (fabs(*square) <= rigid * (double)h * largest)
            *square = 0;
        if (*square < 0)
            return slip_fail(
                x->ctx, SLIP_ERROR_MODEL,
                "method `exponential`: the stiffness matrix is not positive: a motion runs away from "
                "rest; use `event`");
    }
    return SLIP_OK;
}

/* D: its diagonal goes to the propagator. */
static int find_damping(slip_exponential *x)
{
    const int64_t n = x->n, h = x->heavy;
    bool complete = true, coupled = false;
    double *product = numbers(x, h * h, &complete), *d = numbers(x, h * h, &complete);
    SLIP_PASS(slip_allocated(x->ctx, complete));
    for (int64_t k = 0; k < h; k++)
        for (int64_t i = 0; i < h; i++)
            for (int64_t j = 0; j < h; j++)
                product[k * h + i] +=
                    x->system->damping[x->of_heavy[i] * n + x->of_heavy[j]] * x->vectors[k * h + j];
    for (int64_t k = 0; k < h; k++)
        for (int64_t l = 0; l < h; l++)
            for (int64_t i = 0; i < h; i++)
                d[l * h + k] += x->vectors[l * h + i] * product[k * h + i];
    for (int64_t k = 0; k < h; k++) {
        x->propagator->damping[k] = d[k * h + k];
        if (d[k * h + k] < 0)
            return slip_fail(x->ctx, SLIP_ERROR_MODEL,
                             "method `exponential`: the damping of a motion is negative; use `event`");
    }
    for (int64_t k = 0; k < h; k++)
        for (int64_t l = 0; l < h; l++) {
            const double both = sqrt(x->propagator->damping[k] * x->propagator->damping[l]);
            if (k == l || fabs(d[l * h + k]) <= 1e-12 * both)
                d[l * h + k] = 0;
            coupled |= d[l * h + k] != 0;
        }
    x->coupling = coupled ? d : NULL;
    return SLIP_OK;
}

/* ---- Directions. */

static int project_directions(slip_exponential *x)
{
    const int64_t n = x->n, h = x->heavy, e = x->light, m = x->direction_count;
    bool complete = true;
    x->modal = numbers(x, m * h, &complete);
    x->give = numbers(x, m * e, &complete);
    x->flexibility = numbers(x, m * m, &complete);
    SLIP_PASS(slip_allocated(x->ctx, complete));
    for (int64_t d = 0; d < m; d++) {
        const double *row = x->rows + d * n;
        for (int64_t i = 0; i < e; i++)
            for (int64_t j = 0; j < e; j++)
                x->give[d * e + i] += row[x->of_light[j]] * x->answer[j * e + i];
        for (int64_t j = 0; j < h; j++) {
            double part = row[x->of_heavy[j]];
            for (int64_t i = 0; i < e; i++)
                part += row[x->of_light[i]] * x->carry[i * h + j];
            for (int64_t k = 0; k < h; k++)
                x->modal[d * h + k] += part * x->vectors[k * h + j];
        }
    }
    for (int64_t d = 0; d < m; d++)
        for (int64_t b = 0; b < m; b++)
            for (int64_t i = 0; i < e; i++)
                x->flexibility[d * m + b] += x->give[d * e + i] * x->rows[b * n + x->of_light[i]];
    return SLIP_OK;
}

/* ---- Room. */

static bool make_state(slip_exponential *x, slip_exponential_state *state)
{
    bool complete = true;
    state->y = numbers(x, x->heavy, &complete);
    state->rate = numbers(x, x->heavy, &complete);
    state->load = numbers(x, x->heavy, &complete);
    state->follow = numbers(x, x->light, &complete);
    state->force = numbers(x, x->direction_count, &complete);
    state->place = numbers(x, x->direction_count, &complete);
    state->q = numbers(x, x->n, &complete);
    state->v = numbers(x, x->n, &complete);
    return complete;
}

static int make_room(slip_exponential *x)
{
    const int64_t m = x->direction_count;
    bool complete = make_state(x, &x->now) && make_state(x, &x->next);
    x->past = numbers(x, x->heavy, &complete);
    x->gram = numbers(x, m * m, &complete);
    x->problem.gram = numbers(x, m * m, &complete);
    x->problem.initial = numbers(x, m, &complete);
    x->problem.solution.p = numbers(x, m, &complete);
    x->problem.solution.y = numbers(x, m, &complete);
    x->free_place = numbers(x, m, &complete);
    x->old = numbers(x, m, &complete);
    x->old_load = numbers(x, x->heavy, &complete);
    x->loads = numbers(x, x->n, &complete);
    x->zero = numbers(x, x->n, &complete);
    x->memory_room = numbers(x, slip_memory_room * (int64_t)x->n, &complete);
    x->sum = numbers(x, x->heavy, &complete);
    x->seen_q = numbers(x, x->n, &complete);
    x->seen_v = numbers(x, x->n, &complete);
    x->ends[0] = numbers(x, x->n, &complete);
    x->ends[1] = numbers(x, x->n, &complete);
    x->problem.active = slip_arena_array(&x->arena, m + 1, sizeof *x->problem.active);
    x->problem.blocks = slip_arena_array(&x->arena, m + 1, sizeof *x->problem.blocks);
    x->problem.states = slip_arena_array(&x->arena, m + 1, sizeof *x->problem.states);
    x->problem.solution.states = slip_arena_array(&x->arena, m + 1, sizeof *x->problem.states);
    complete &=
        slip_contact_memory_create(&x->arena, (int)m, x->system->patch_count > 0, false, &x->problem.memory);
    return complete && x->problem.active && x->problem.blocks && x->problem.states &&
                   x->problem.solution.states
               ? SLIP_OK
               : slip_fail_memory(x->ctx);
}

int slip_exponential_make(slip_exponential *x)
{
    SLIP_PASS(split(x));
    SLIP_PASS(check_structure(x));
    SLIP_PASS(slip_propagator_create(x->ctx, x->heavy, &x->propagator));
    SLIP_PASS(slip_propagator_create(x->ctx, x->heavy, &x->viewer));
    SLIP_PASS(condense(x));
    SLIP_PASS(find_vectors(x));
    SLIP_PASS(find_damping(x));
    memcpy(x->viewer->square, x->propagator->square, (size_t)x->heavy * sizeof(double));
    memcpy(x->viewer->damping, x->propagator->damping, (size_t)x->heavy * sizeof(double));
    SLIP_PASS(slip_exponential_list(x));
    SLIP_PASS(project_directions(x));
    SLIP_PASS(slip_exponential_check_contacts(x));
    SLIP_PASS(make_room(x));
    x->gram_step = NAN;
    return SLIP_OK;
}
