/* Condensation: C = B K^-1 B^T, w0 = B K^-1 f, and gaps and friction, which depend on the parameters. */
#include "fem/plane/types.h"

#include "math/condense.h"
#include "math/dense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const slip_contact_row *row_of(const slip_plane *plane, int row)
{
    return &plane->rows[row / plane->contact_count][row % plane->contact_count];
}

/* row . u, for the unknowns u */
static double apply_row(const slip_plane *plane, const slip_contact_row *row, const double *u)
{
    double sum = 0;
    for (int i = 0; i < row->count; i++) {
        const int64_t unknown = plane->unknown_of[row->components[i]];
        if (unknown >= 0)
            sum += row->values[i] * u[unknown];
    }
    return sum;
}

/* Adds factor times the row to the unknowns. */
static void add_row(const slip_plane *plane, const slip_contact_row *row, double factor, double *f)
{
    for (int i = 0; i < row->count; i++) {
        const int64_t unknown = plane->unknown_of[row->components[i]];
        if (unknown >= 0)
            f[unknown] += factor * row->values[i];
    }
}

/* The rows of B over the unknowns, those of each contact in turn. */
typedef struct row_list {
    int64_t *start, *unknown;
    double *value;
} row_list;

static void append_row(const slip_plane *plane, const slip_contact_row *row, row_list *list, int64_t at)
{
    list->start[at + 1] = list->start[at];
    for (int i = 0; i < row->count; i++) {
        const int64_t unknown = plane->unknown_of[row->components[i]];
        if (unknown < 0)
            continue;
        list->unknown[list->start[at + 1]] = unknown;
        list->value[list->start[at + 1]++] = row->values[i];
    }
}

/* From the order of the list to normal rows first. */
static void sort_compliance(const double *listed, int d, int m, double *compliance)
{
    const int64_t rows = (int64_t)d * m;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < rows; j++)
            compliance[(i % d * m + i / d) * rows + j % d * m + j / d] = listed[i * rows + j];
}

static int make_compliance(slip_context *ctx, slip_plane *plane)
{
    const int d = slip_plane_dimension(plane), m = plane->contact_count;
    const int64_t rows = d * (int64_t)m;
    SLIP_FREED_BY(slip_arena_free) slip_arena room = {0};
    double *listed = slip_arena_array(&room, rows * rows, sizeof *listed);
    row_list list = {.start = slip_arena_array(&room, rows + 1, sizeof *list.start),
                     .unknown = slip_arena_array(&room, rows * slip_row_max, sizeof *list.unknown),
                     .value = slip_arena_array(&room, rows * slip_row_max, sizeof *list.value)};
    plane->compliance = slip_arena_array(&plane->arena, rows * rows, sizeof *plane->compliance);
    SLIP_PASS(slip_allocated(ctx, listed && list.start && list.unknown && list.value && plane->compliance));
    for (int c = 0; c < m; c++)
        for (int k = 0; k < d; k++)
            append_row(plane, &plane->rows[k][c], &list, d * c + k);
    SLIP_PASS(slip_condense_rows(ctx, plane->factor, rows, list.start, list.unknown, list.value, listed));
    sort_compliance(listed, d, m, plane->compliance);
    return SLIP_OK;
}

/* ---- dependent contacts ---- */

/* Two contacts that constrain the same motion of the same nodes (a node in two surfaces, or held nodes that
 * press on one segment) have no unique forces. Finds the first such row: elimination of C, scaled to a unit
 * diagonal, leaves a pivot of zero. */
static int check_independent(slip_context *ctx, const slip_plane *plane)
{
    const double rounding = 1e-11;
    const int m = plane->contact_count, size = slip_plane_dimension(plane) * m;
    SLIP_FREED double *copy = slip_alloc((int64_t)size * size, sizeof *copy);
    int count = 0, bad;
    SLIP_FREED int *kept = slip_alloc(size, sizeof *kept);
    SLIP_PASS(slip_allocated(ctx, copy && kept));
    for (int c = 0; c < m; c++) {
        kept[count++] = c;
        for (int64_t row = m + c; row < size && plane->contacts[c].slides; row += m)
            if (plane->compliance[row * size + row] > 0) /* in space one of them may be held */
                kept[count++] = (int)row;
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            const int64_t a = kept[i], b = kept[j];
            copy[(int64_t)i * count + j] =
                plane->compliance[a * size + b] /
                sqrt(plane->compliance[a * size + a] * plane->compliance[b * size + b]);
        }
    bad = slip_dense_dependent(count, copy, rounding);
    if (bad >= 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "contact `%s` at (%.6g, %.6g): its %s motion follows from that of other contacts, "
                         "so that their forces are not determined; expected each node in one contact only",
                         plane->contacts[kept[bad] % m].name, plane->contacts[kept[bad] % m].place[0],
                         plane->contacts[kept[bad] % m].place[1], kept[bad] < m ? "normal" : "tangential");
    return SLIP_OK;
}

/* ---- free displacement ---- */

/* B K^-1 of a vector on all components. */
static int condense_vector(slip_context *ctx, slip_plane *plane, const double *force, double *w)
{
    for (int64_t i = 0; i < plane->unknown_count; i++)
        plane->solution[i] = force[plane->component_of[i]];
    SLIP_PASS(slip_factor_solve(ctx, plane->factor, 1, plane->solution, plane->solution));
    for (int i = 0; i < plane->dimension * plane->contact_count; i++)
        w[i] = apply_row(plane, row_of(plane, i), plane->solution);
    return SLIP_OK;
}

/* w0 as a linear function of the parameters. */
static int make_linear(slip_context *ctx, slip_plane *plane)
{
    const int parameters = plane->parameter_count;
    SLIP_FREED double *values = slip_alloc(parameters, sizeof *values);
    SLIP_FREED double *rate = slip_alloc(plane->dimension * (int64_t)plane->node_count, sizeof *rate);
    plane->base =
        slip_arena_array(&plane->arena, plane->dimension * plane->contact_count, sizeof *plane->base);
    plane->slopes = slip_arena_array(&plane->arena, parameters, sizeof *plane->slopes);
    SLIP_PASS(slip_allocated(ctx, values && rate && plane->base && plane->slopes));
    SLIP_PASS(slip_plane_load_vector(ctx, plane, values, NULL, plane->force, NULL));
    SLIP_PASS(condense_vector(ctx, plane, plane->force, plane->base));
    for (int i = 0; i < parameters; i++) {
        if (!slip_plane_load_reads(plane, i))
            continue;
        plane->slopes[i] =
            slip_arena_array(&plane->arena, plane->dimension * plane->contact_count, sizeof(double));
        SLIP_PASS(slip_allocated(ctx, plane->slopes[i]));
        values[i] = 1; /* the direction; linear functions have the same slope everywhere */
        SLIP_PASS(slip_plane_load_vector(ctx, plane, plane->parameter_values, values, plane->force, rate));
        SLIP_PASS(condense_vector(ctx, plane, rate, plane->slopes[i]));
        values[i] = 0;
    }
    return SLIP_OK;
}

int slip_plane_condense(slip_context *ctx, slip_plane *plane)
{
    SLIP_PASS(make_compliance(ctx, plane));
    SLIP_PASS(check_independent(ctx, plane));
    plane->linear = slip_plane_loads_linear(plane);
    if (plane->linear)
        SLIP_PASS(make_linear(ctx, plane));
    return SLIP_OK;
}

/* ---- what depends on the parameters ---- */

static int free_by_solving(slip_context *ctx, slip_plane *plane, const double *parameters,
                           const double *direction, double *w0, double *rate)
{
    SLIP_FREED double *slope =
        rate ? slip_alloc(plane->dimension * (int64_t)plane->node_count, sizeof *slope) : NULL;
    SLIP_PASS(slip_allocated(ctx, slope || !rate));
    SLIP_PASS(slip_plane_load_vector(ctx, plane, parameters, direction, plane->force, slope));
    SLIP_PASS(condense_vector(ctx, plane, plane->force, w0));
    return rate ? condense_vector(ctx, plane, slope, rate) : SLIP_OK;
}

int slip_plane_free_displacement(slip_context *ctx, slip_plane *plane, const double *parameters,
                                 const double *direction, double *w0, double *rate)
{
    const int rows = plane->dimension * plane->contact_count;
    if (!plane->linear)
        return free_by_solving(ctx, plane, parameters, direction, w0, rate);
    memcpy(w0, plane->base, (size_t)rows * sizeof *w0);
    if (rate)
        memset(rate, 0, (size_t)rows * sizeof *rate);
    for (int p = 0; p < plane->parameter_count; p++)
        for (int i = 0; i < rows && plane->slopes[p]; i++) {
            w0[i] += parameters[p] * plane->slopes[p][i];
            if (rate)
                rate[i] += direction[p] * plane->slopes[p][i];
        }
    return SLIP_OK;
}

/* The value of the `gap` expression of a contact's surface, and its rate. */
static int gap_at(slip_context *ctx, slip_plane *plane, int contact, const double *direction, double *gap,
                  double *rate)
{
    const slip_plane_contact *c = &plane->contacts[contact];
    const slip_plane_surface *surface = &plane->surfaces[c->surface];
    double value, slope = 0;
    char what[100];
    snprintf(what, sizeof what, "gap of contact `%.60s`", c->name);
    *gap = plane->gaps[contact];
    if (rate)
        *rate = 0;
    SLIP_PASS(slip_plane_evaluate(ctx, plane, surface->gap, what, c->place, direction, &value,
                                  rate ? &slope : NULL));
    *gap += value;
    if (rate)
        *rate += slope;
    /* Of a rigid plane: (place of the node - point) . normal; the contact's normal is the plane's, reversed.
     */
    for (int k = 0; k < 3 && !surface->second_body; k++) {
        SLIP_PASS(slip_plane_evaluate(ctx, plane, surface->point[k], what, c->place, direction, &value,
                                      rate ? &slope : NULL));
        *gap += c->normal[k] * value;
        if (rate)
            *rate += c->normal[k] * slope;
    }
    return SLIP_OK;
}

double slip_plane_distance(const slip_plane *plane, int contact)
{
    return plane->gaps[contact];
}

int slip_plane_gap(slip_context *ctx, slip_plane *plane, const double *parameters, const double *direction,
                   double *gap, double *rate)
{
    slip_plane_set_parameters(plane, parameters);
    for (int i = 0; i < plane->contact_count; i++)
        SLIP_PASS(gap_at(ctx, plane, i, direction, &gap[i], rate ? &rate[i] : NULL));
    return SLIP_OK;
}

int slip_plane_friction(slip_context *ctx, slip_plane *plane, const double *parameters,
                        const double *direction, double *mu, double *rate)
{
    slip_plane_set_parameters(plane, parameters);
    for (int i = 0; i < plane->contact_count; i++) {
        const slip_plane_contact *c = &plane->contacts[i];
        const slip_expression *friction = c->slides ? plane->surfaces[c->surface].friction : NULL;
        char what[100];
        snprintf(what, sizeof what, "friction of contact `%.60s`", c->name);
        SLIP_PASS(slip_plane_evaluate(ctx, plane, friction, what, c->place, direction, &mu[i],
                                      rate ? &rate[i] : NULL));
        if (mu[i] < 0)
            return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: `%s` is %.9g, expected at least 0", what,
                             slip_expression_text(friction), mu[i]);
    }
    return SLIP_OK;
}

/* ---- full field ---- */

int slip_plane_displacements(slip_context *ctx, slip_plane *plane, const double *parameters,
                             const double *lambda, double *u)
{
    SLIP_PASS(slip_plane_load_vector(ctx, plane, parameters, NULL, plane->force, NULL));
    for (int64_t i = 0; i < plane->unknown_count; i++)
        plane->solution[i] = plane->force[plane->component_of[i]];
    for (int i = 0; lambda && i < plane->dimension * plane->contact_count; i++)
        add_row(plane, row_of(plane, i), lambda[i], plane->solution);
    SLIP_PASS(slip_factor_solve(ctx, plane->factor, 1, plane->solution, plane->solution));
    memset(u, 0, (size_t)plane->dimension * (size_t)plane->node_count * sizeof *u);
    for (int64_t i = 0; i < plane->unknown_count; i++)
        u[plane->component_of[i]] = plane->solution[i];
    return SLIP_OK;
}
