#include "system/project.h"

#include "math/dense.h"
#include "system/structure/structure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What can be projected. */

static bool reads_time_only(const slip_system *system, const slip_expression *expression)
{
    bool other = false;
    for (int slot = 1; slot < 1 + 2 * system->n && expression && !other; slot++)
        other = slip_expression_reads(expression, slot);
    return !other;
}

/* The reason why a contact cannot be projected, or NULL. */
static const char *obstacle_of_contact(const slip_system *system, const slip_contact *contact)
{
    bool fits = !contact->has_gap || contact->gap.row;
    if (contact->compliant || contact->of_structure)
        return "its normal force is a function of its gap";
    if (contact->creep.balance || contact->varying_count > 0)
        return "parameters of its law vary";
    if (contact->found)
        return "its bodies slide far on each other";
    if (contact->gap.tail.count > 0 || contact->slip.tail.count > 0)
        return "it acts on a whole body";
    for (int part = 0; part < contact->dimension; part++)
        fits = fits && contact->slips[part].row && reads_time_only(system, contact->slips[part].rest) &&
               contact->slips[part].tail.count == 0;
    return !fits || !reads_time_only(system, contact->gap.rest)
               ? "its gap or slip is more than a sum of coordinates and a function of time"
           : !reads_time_only(system, contact->normal_force) ? "its normal force depends on the motion"
                                                             : NULL;
}

int slip_project_check(slip_context *ctx, const slip_system *system, const char *what)
{
    int states = 0;
    for (int64_t c = 0; c < system->contact_count; c++) {
        const char *obstacle = obstacle_of_contact(system, &system->contacts[c]);
        states += system->contacts[c].state_count;
        if (obstacle)
            return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: contact `%s`: %s", what, system->contacts[c].name,
                             obstacle);
    }
    if (system->structure != &slip_structure_linear || system->massless || system->condensed ||
        system->field || system->force_function || states != system->state_count)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: expected a linear structure with constant coefficients, a mass for every "
                         "coordinate and no states but those of laws",
                         what);
    for (int64_t k = 0; k < system->force_count; k++)
        if (!system->forces[k].time_only && !system->forces[k].linear)
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "%s: the force on `%s`, `%s`, is not linear in coordinates and velocities", what,
                             system->names[system->forces[k].coordinate],
                             slip_expression_text(system->forces[k].expression));
    return SLIP_OK;
}

/* ---- Rows. */

static const double *row_of(const slip_contact *contact, int part)
{
    return part == 0 ? contact->gap.row : part <= contact->dimension ? contact->slips[part - 1].row : NULL;
}

/* a . M^-1 b. */
static double product(const slip_system *system, const double *a, const double *b)
{
    return slip_system_form(system->n, a, system->inverse_mass, b);
}

/* The coefficients of a row in R, by least squares, and the relative residual. */
static int find_coefficients(slip_context *ctx, const slip_system *system, int count, const double *rows,
                             const double *row, double *coefficients, double *left)
{
    const int n = system->n;
    double *rest, size;
    SLIP_FREED double *gram = slip_alloc((int64_t)count * count + n + 1, sizeof(double));
    bool solved = gram != NULL;
    SLIP_PASS(slip_allocated(ctx, gram));
    rest = gram + count * count;
    for (int i = 0; i < count; i++) {
        coefficients[i] = product(system, rows + (int64_t)i * n, row);
        for (int j = 0; j < count; j++)
            gram[i * count + j] = product(system, rows + (int64_t)i * n, rows + (int64_t)j * n);
    }
    if (count > 0)
        solved = slip_dense_solve(count, gram, coefficients);
    size = product(system, row, row);
    for (int k = 0; k < n; k++) {
        rest[k] = row[k];
        for (int i = 0; i < count; i++)
            rest[k] -= coefficients[i] * rows[(int64_t)i * n + k];
    }
    *left = size > 0 ? sqrt(fmax(0, product(system, rest, rest)) / size) : 0;
    return solved ? SLIP_OK : slip_fail(ctx, SLIP_ERROR_SOLVER, "rows of contacts are dependent to rounding");
}

int slip_project_rows(slip_context *ctx, const slip_system *system, double *rows, int *count)
{
    const int n = system->n;
    double left;
    SLIP_FREED double *coefficients =
        slip_alloc(slip_project_parts * system->contact_count + 1, sizeof(double));
    int status = coefficients ? SLIP_OK : slip_fail_memory(ctx);
    *count = 0;
    for (int64_t k = 0; k < slip_project_parts * system->contact_count && status >= 0; k++) {
        const double *row = row_of(&system->contacts[k / slip_project_parts], (int)(k % slip_project_parts));
        if (!row)
            continue;
        status = find_coefficients(ctx, system, *count, rows, row, coefficients, &left);
        if (status >= 0 && left > 1e-7)
            memcpy(rows + (int64_t)(*count)++ * n, row, (size_t)n * sizeof(double));
    }
    return status;
}

/* ---- The system. */

typedef struct making {
    slip_context *ctx;
    const slip_system *from;
    const slip_projection *onto;
    slip_system *to;
    double *factors; /* coefficients, and two more */
} making;

/* The expression of a gap or slip in the new coordinates: the projected row plus the terms of time. */
static int make_form(void *user, const char *what, const char *contact, const double *row, bool velocities,
                     const slip_expression *rest, double constant, slip_expression **form)
{
    making *m = user;
    const int r = m->onto->count, n = m->to->n;
    const slip_expression **parts = slip_alloc(r + 2, sizeof *parts);
    slip_expression *made = NULL;
    double left;
    int status;
    (void)what;
    if (!row) { /* a number, or an expression of time alone */
        free(parts);
        status = rest ? slip_expression_substitute(rest, 0, 0, NULL, form)
                      : slip_expression_constant(constant, form);
        return status < 0 ? slip_fail_memory(m->ctx) : SLIP_OK;
    }
    SLIP_TRY(slip_allocated(m->ctx, parts));
    SLIP_TRY(find_coefficients(m->ctx, m->from, r, m->onto->rows, row, m->factors, &left));
    for (int i = 0; i < r; i++) {
        const int slot = velocities ? slip_slot_velocity(n, i) : slip_slot_coordinate(i);
        m->factors[i] = fabs(m->factors[i]) > 1e-14 ? m->factors[i] : 0;
        SLIP_TRY(slip_expression_of_slot(slot, m->to->names[i], &made));
        parts[i] = made;
    }
    SLIP_TRY(slip_expression_constant(constant, &made));
    parts[r] = made;
    parts[r + 1] = rest;
    m->factors[r] = 1;
    m->factors[r + 1] = rest ? 1 : 0;
    SLIP_TRY(slip_expression_sum(contact, r + 2, m->factors, parts, form));
done:
    for (int i = 0; i < r + 1 && parts; i++)
        slip_expression_destroy((slip_expression *)parts[i]);
    free(parts);
    return status == SLIP_ERROR_MEMORY ? slip_fail_memory(m->ctx) : status;
}

static void set_structure(const slip_projection *onto, slip_system *to)
{
    for (int i = 0; i < onto->count; i++)
        for (int j = 0; j < onto->count; j++) {
            const int k = i * to->n + j, of = i * onto->count + j;
            to->mass[k] = onto->mass[of];
            to->damping[k] = onto->damping[of];
            to->stiffness[k] = onto->stiffness[of];
        }
}

int slip_project(slip_context *ctx, const slip_system *from, const slip_projection *onto,
                 slip_system **result)
{
    const int r = onto->count, states = from->state_count;
    making m = {.ctx = ctx, .from = from, .onto = onto};
    const char **names = slip_alloc(r + states + 1, sizeof *names);
    slip_arena arena = {0};
    int status, given = 0;
    *result = NULL;
    m.factors = slip_alloc(r + 2, sizeof(double));
    SLIP_TRY(slip_allocated(ctx, names && m.factors));
    for (int i = 0; i < r + states; i++) {
        char *name = i < r ? slip_arena_alloc(&arena, 24) : NULL;
        if (name)
            snprintf(name, 24, "contact%d", i + 1);
        names[i] = i < r ? name : from->names[slip_system_coordinates(from) + i - r];
        SLIP_TRY(slip_allocated(ctx, names[i]));
    }
    SLIP_TRY(slip_system_create(ctx, r + states, states, names, &m.to));
    set_structure(onto, m.to);
    for (; given < r; given++)
        if (onto->loads[given]) {
            slip_expression *load = onto->loads[given];
            onto->loads[given] = NULL;
            SLIP_TRY(slip_system_add_force(ctx, m.to, given, load));
        }
    for (int64_t c = 0; c < from->contact_count; c++)
        SLIP_TRY(slip_system_add_alike(ctx, m.to, &from->contacts[c], &(slip_contact_maker){make_form, &m}));
    SLIP_TRY(slip_system_finish(ctx, m.to));
    *result = m.to;
    m.to = NULL;
done:
    for (int i = 0; i < r; i++)
        slip_expression_destroy(onto->loads[i]);
    slip_system_destroy(m.to);
    slip_arena_free(&arena);
    free(m.factors);
    free(names);
    return status;
}
