/* Bodies by coordinates. */
#include "flex/plane_motion.h"

#include "base/memory.h"
#include "fem/assemble.h"
#include "fem/explicit/body.h"
#include "fem/plane/slide.h"
#include "math/columns.h"

#include <stdlib.h>
#include <string.h>

/* The contact rows that touch a body, over its own unknowns. */
typedef struct row_list {
    slip_directions directions;
    int64_t *start, *unknown;
    double *value;
} row_list;

/* Ends a row, which began at the end of the previous one; an empty row is dropped. */
static void end_row(row_list *list, int64_t end)
{
    int64_t *at = &list->start[list->directions.count + 1];
    *at = end;
    list->directions.count += *at > at[-1];
}

static bool is_of_slide(const slip_plane *plane, int contact)
{
    const slip_slide *slide;
    for (int k = 0; (slide = slip_plane_slide(plane, k)); k++)
        if (contact >= slip_slide_first(slide) && contact < slip_slide_first(slide) + slip_slide_count(slide))
            return true;
    return false;
}

/* Adds rows for all nodes of surfaces that slide far, since contact forces may act on any of them. */
static void list_slides(const slip_plane *plane, int64_t first, int64_t end, row_list *list)
{
    const int d = slip_plane_dimension(plane);
    const slip_slide *slide;
    for (int k = 0; (slide = slip_plane_slide(plane, k)); k++) {
        const int *nodes, count = slip_slide_nodes(slide, &nodes);
        for (int64_t i = 0; i < d * (int64_t)count; i++) {
            const int64_t unknown = slip_plane_unknown(plane, d * (int64_t)nodes[i / d] + i % d);
            int64_t at = list->start[list->directions.count];
            if (unknown < first || unknown >= end)
                continue;
            list->unknown[at] = unknown - first;
            list->value[at++] = 1;
            end_row(list, at);
        }
    }
}

/* Lists the contact rows of the unknowns first .. end - 1, with room for `loads` loads after them. */
static bool list_rows(const slip_plane *plane, int64_t first, int64_t end, int loads, slip_arena *arena,
                      row_list *list)
{
    const int d = slip_plane_dimension(plane), m = slip_plane_contact_count(plane), rows = d * m;
    int64_t single = 0;
    const slip_slide *slide;
    const int *nodes;
    for (int k = 0; (slide = slip_plane_slide(plane, k)); k++)
        single += d * (int64_t)slip_slide_nodes(slide, &nodes);
    const int64_t room = (int64_t)rows * slip_plane_row_max + single + loads * (end - first);
    list->start = slip_arena_array(arena, rows + single + loads + 1, sizeof *list->start);
    list->unknown = slip_arena_array(arena, room, sizeof *list->unknown);
    list->value = slip_arena_array(arena, room, sizeof *list->value);
    if (!list->start || !list->unknown || !list->value)
        return false;
    for (int r = 0; r < rows; r++) {
        int64_t unknowns[slip_plane_row_max], at = list->start[list->directions.count];
        double values[slip_plane_row_max];
        const int count = is_of_slide(plane, r % m) ? 0 : slip_plane_row(plane, r, unknowns, values);
        for (int i = 0; i < count; i++)
            if (unknowns[i] >= first && unknowns[i] < end) {
                list->unknown[at] = unknowns[i] - first;
                list->value[at++] = values[i];
            }
        end_row(list, at);
    }
    list_slides(plane, first, end, list);
    list->directions.start = list->start;
    list->directions.unknown = list->unknown;
    list->directions.value = list->value;
    return true;
}

/* The loads on the body as directions. */
static int list_loads(slip_context *ctx, slip_plane *plane, const double *parameters, int64_t first,
                      int64_t end, row_list *list)
{
    double place[3];
    SLIP_FREED double *force = slip_alloc(slip_plane_unknown_count(plane), sizeof *force);
    const slip_expression *history;
    SLIP_PASS(slip_allocated(ctx, force));
    for (int k = 0; k < slip_plane_load_count(plane); k++) {
        int64_t at = list->start[list->directions.count];
        SLIP_PASS(slip_plane_load(ctx, plane, parameters, k, force, place, &history));
        for (int64_t i = first; i < end; i++)
            if (force[i] != 0) {
                list->unknown[at] = i - first;
                list->value[at++] = force[i];
            }
        end_row(list, at);
    }
    return SLIP_OK;
}

/* One item for each unknown of a body. */
static void *body_array(slip_plane_motion *motion, int body, size_t item_size)
{
    return slip_arena_array(&motion->arena, motion->first_unknown[body + 1] - motion->first_unknown[body],
                            item_size);
}

/* M d of a body that rotates; d is the field of a unit rotation, M the mass matrix with held unknowns. */
static int find_turn(slip_context *ctx, const slip_plane *plane, int body, const slip_turn *turn,
                     const slip_sparse *mass, const int64_t *part, slip_plane_motion *motion)
{
    const slip_mesh *mesh = slip_plane_body_mesh(plane, body);
    const int d = mesh->dimension;
    SLIP_FREED double *move = slip_alloc(2 * mass->size, sizeof *move);
    double *product = move ? move + mass->size : NULL;
    double *own = motion->turn_mass[body] = body_array(motion, body, sizeof *own);
    SLIP_PASS(slip_allocated(ctx, move && own));
    for (int i = 0; i < mesh->node_count; i++) {
        double at[3];
        slip_turn_move(turn, d, mesh->points + d * (int64_t)i, at);
        memcpy(move + d * (int64_t)i, at, (size_t)d * sizeof *move);
    }
    slip_sparse_multiply(mass, move, product);
    for (int64_t i = 0; i < mass->size; i++) {
        motion->turn_inertia[body] += move[i] * product[i];
        if (part[i] >= 0)
            own[part[i]] = product[i];
    }
    return SLIP_OK;
}

static bool is_diagonal(const slip_sparse *matrix)
{
    bool diagonal = true;
    for (int64_t j = 0; j < matrix->size && diagonal; j++)
        for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++)
            diagonal &= matrix->row[k] == j || matrix->value[k] == 0;
    return diagonal;
}

/* Lumped masses of a whole body, by its elements or by a given matrix. */
static int find_lumps(slip_context *ctx, const slip_plane *plane, int body, const slip_sparse *given,
                      const int64_t *part, slip_plane_motion *motion)
{
    const slip_mesh *mesh = slip_plane_body_mesh(plane, body);
    SLIP_FREED_BY(slip_sparse_drop) slip_sparse *own = NULL;
    if (given && !is_diagonal(given))
        return SLIP_OK;
    if (!given)
        SLIP_PASS(slip_mesh_matrices(ctx, mesh, slip_plane_body_elastic(plane, body), true, NULL, &own));
    const slip_sparse *mass = given ? given : own;
    double *lumps = motion->lumps[body] = body_array(motion, body, sizeof *lumps);
    SLIP_PASS(slip_allocated(ctx, lumps));
    for (int64_t i = 0; i < mass->size; i++)
        if (part[i] >= 0)
            lumps[part[i]] = mass->value[mass->start[i]];
    return SLIP_OK;
}

/* The data of a whole body for central differences. */
static int find_explicit(slip_context *ctx, const slip_plane *plane, int body, const slip_sparse *given,
                         int64_t *part, slip_plane_motion *motion)
{
    slip_brick_body bricks = {.name = slip_plane_body_name(plane, body),
                              .mesh = slip_plane_body_mesh(plane, body),
                              .elastic = slip_plane_body_elastic(plane, body),
                              .springs = slip_plane_body_springs(plane, body),
                              .part = part};
    SLIP_PASS(find_lumps(ctx, plane, body, given, part, motion));
    return slip_plane_body_large(plane, body, &bricks.hourglass)
               ? slip_brick_body_create(ctx, &bricks, &motion->bricks[body])
               : SLIP_OK;
}

static int reduce_body(slip_context *ctx, slip_plane *plane, int body, const double *parameters,
                       const slip_reduction_options *options, const slip_turn *turn,
                       const slip_plane_motion *alike, slip_plane_motion *motion)
{
    const slip_mesh *mesh = slip_plane_body_mesh(plane, body);
    const int d = mesh->dimension;
    const int64_t first = motion->first_unknown[body], end = motion->first_unknown[body + 1],
                  component = d * (int64_t)slip_plane_body_first_node(plane, body);
    const bool whole = options->whole || (options->modes == 0 && end - first > slip_plane_motion_dense_most);
    SLIP_FREED_BY(slip_arena_free) slip_arena room = {0};
    int64_t *part = slip_arena_array(&room, d * (int64_t)mesh->node_count, sizeof *part);
    int64_t *group = whole ? motion->groups[body] = body_array(motion, body, sizeof *group) : part;
    const slip_sparse *given = slip_plane_body_mass(plane, body); /* NULL: by elements */
    const int loads = options->loads && !whole ? slip_plane_load_count(plane) : 0;
    SLIP_FREED_BY(slip_sparse_drop) slip_sparse *stiffness = NULL, *mass = NULL;
    row_list list = {0};
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(ctx, part && group && list_rows(plane, first, end, loads, &room, &list)));
    for (int64_t i = 0; i < d * (int64_t)mesh->node_count; i++) {
        const int64_t unknown = slip_plane_unknown(plane, component + i);
        part[i] = unknown < 0 ? -1 : unknown - first;
        if (whole && unknown >= 0)
            group[unknown - first] = given ? i : i / d;
    }
    if (!given)
        SLIP_PASS(
            slip_mesh_matrices(ctx, mesh, slip_plane_body_elastic(plane, body), false, &stiffness, &mass));
    SLIP_PASS(slip_sparse_part(ctx, given ? slip_plane_body_stiffness(plane, body) : stiffness, part,
                               end - first, &motion->stiffnesses[body]));
    SLIP_PASS(slip_sparse_part(ctx, given ? given : mass, part, end - first, &motion->masses[body]));
    if (turn->turns)
        SLIP_PASS(find_turn(ctx, plane, body, turn, mass, part, motion));
    if (slip_plane_body_springs(plane, body))
        slip_sparse_add(motion->stiffnesses[body], 1, slip_plane_body_springs(plane, body), part);
    if (slip_plane_body_dashpots(plane, body))
        SLIP_PASS(slip_sparse_part(ctx, slip_plane_body_dashpots(plane, body), part, end - first,
                                   &motion->dashpots[body]));
    if (whole)
        return find_explicit(ctx, plane, body, given, part, motion);
    if (loads > 0)
        SLIP_PASS(list_loads(ctx, plane, parameters, first, end, &list));
    if (alike && alike->bodies[body])
        SLIP_PASS(slip_reduction_rescale(ctx, alike->bodies[body], alike->stiffnesses[body],
                                         alike->masses[body], motion->stiffnesses[body], motion->masses[body],
                                         &list.directions, options, &motion->bodies[body]));
    if (!motion->bodies[body]) {
        status = slip_reduction_create(ctx, motion->stiffnesses[body], motion->masses[body], &list.directions,
                                       options, &motion->bodies[body]);
        if (status >= 0 && alike && alike->bodies[body])
            status =
                slip_reduction_align(ctx, alike->bodies[body], motion->masses[body], motion->bodies[body]);
    }
    return status < 0 ? slip_fail(ctx, status, "body `%s`: %s", slip_plane_body_name(plane, body),
                                  slip_context_message(ctx))
                      : SLIP_OK;
}

/* The body of an unknown. */
static int body_of(const slip_plane_motion *motion, int64_t unknown)
{
    int body = 0;
    while (unknown >= motion->first_unknown[body + 1])
        body++;
    return body;
}

static void add_entry(const slip_plane_motion *motion, int64_t unknown, double factor, double *row)
{
    const int body = body_of(motion, unknown);
    const slip_reduction *own = motion->bodies[body];
    for (int k = 0; own && k < own->count; k++)
        row[motion->first[body] + k] +=
            factor * own->vectors[k * own->size + unknown - motion->first_unknown[body]];
}

/* For bodies that rotate: the products of d with the vectors and with the contact rows. */
static int gather_turns(slip_context *ctx, const slip_plane *plane, const slip_turn *turns,
                        slip_plane_motion *motion)
{
    const int rows = slip_plane_dimension(plane) * slip_plane_contact_count(plane),
              count = motion->body_count;
    motion->turn_momentum = slip_arena_array(&motion->arena, motion->count, sizeof *motion->turn_momentum);
    motion->turn_rows = slip_arena_array(&motion->arena, (int64_t)rows * count, sizeof *motion->turn_rows);
    SLIP_PASS(slip_allocated(ctx, motion->turn_momentum && motion->turn_rows));
    for (int b = 0; b < count; b++) {
        const slip_reduction *own = motion->bodies[b];
        if (!turns[b].turns)
            continue;
        for (int k = 0; own && k < own->moving; k++)
            for (int64_t i = 0; i < own->size; i++)
                motion->turn_momentum[motion->first[b] + k] +=
                    own->vectors[k * own->size + i] * motion->turn_mass[b][i];
        for (int r = 0; r < rows; r++)
            SLIP_PASS(
                slip_plane_row_turn(ctx, plane, r, b, &turns[b], &motion->turn_rows[(int64_t)r * count + b]));
    }
    return SLIP_OK;
}

static int gather(slip_context *ctx, const slip_plane *plane, slip_plane_motion *motion)
{
    const int rows = slip_plane_dimension(plane) * slip_plane_contact_count(plane);
    for (int b = 0; b < motion->body_count; b++) {
        const int64_t size = motion->first_unknown[b + 1] - motion->first_unknown[b];
        motion->first[b + 1] = motion->first[b] + (motion->bodies[b] ? motion->bodies[b]->count : 0);
        motion->first_field[b + 1] = motion->first_field[b] + (motion->bodies[b] ? 0 : size);
    }
    motion->count = motion->first[motion->body_count];
    motion->field_size = motion->first_field[motion->body_count];
    motion->square = slip_arena_array(&motion->arena, motion->count, sizeof *motion->square);
    motion->rows = slip_arena_array(&motion->arena, (int64_t)rows * motion->count, sizeof *motion->rows);
    SLIP_PASS(slip_allocated(ctx, motion->square && motion->rows));
    for (int b = 0; b < motion->body_count; b++)
        if (motion->bodies[b])
            memcpy(motion->square + motion->first[b], motion->bodies[b]->square,
                   (size_t)motion->bodies[b]->count * sizeof *motion->square);
    for (int r = 0; r < rows; r++) {
        int64_t unknowns[slip_plane_row_max];
        double values[slip_plane_row_max];
        const int count = slip_plane_row(plane, r, unknowns, values);
        for (int i = 0; i < count; i++)
            add_entry(motion, unknowns[i], values[i], motion->rows + (int64_t)r * motion->count);
    }
    return SLIP_OK;
}

/* The lists of what each body has. */
static bool list_bodies(slip_plane_motion *motion, int bodies)
{
    slip_arena *arena = &motion->arena;
    motion->first = slip_arena_array(arena, bodies + 1, sizeof *motion->first);
    motion->first_unknown = slip_arena_array(arena, bodies + 1, sizeof *motion->first_unknown);
    motion->first_field = slip_arena_array(arena, bodies + 1, sizeof *motion->first_field);
    motion->bodies = slip_arena_array(arena, bodies, sizeof(slip_reduction *));
    motion->masses = slip_arena_array(arena, bodies, sizeof(slip_sparse *));
    motion->stiffnesses = slip_arena_array(arena, bodies, sizeof(slip_sparse *));
    motion->dashpots = slip_arena_array(arena, bodies, sizeof(slip_sparse *));
    motion->turn_inertia = slip_arena_array(arena, bodies, sizeof *motion->turn_inertia);
    motion->turn_mass = slip_arena_array(arena, bodies, sizeof(double *));
    motion->groups = slip_arena_array(arena, bodies, sizeof(int64_t *));
    motion->lumps = slip_arena_array(arena, bodies, sizeof(double *));
    motion->bricks = slip_arena_array(arena, bodies, sizeof(slip_brick_body *));
    return motion->first && motion->first_unknown && motion->first_field && motion->bodies &&
           motion->masses && motion->stiffnesses && motion->dashpots && motion->turn_inertia &&
           motion->turn_mass && motion->groups && motion->lumps && motion->bricks;
}

int slip_plane_motion_create(slip_context *ctx, slip_plane *plane, const double *parameters,
                             const slip_reduction_options *options, const slip_turn *turns,
                             const slip_plane_motion *alike, slip_plane_motion **result)
{
    const int bodies = slip_plane_body_count(plane);
    SLIP_FREED_BY(slip_plane_motion_drop) slip_plane_motion *motion = slip_alloc(1, sizeof *motion);
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, motion && list_bodies(motion, bodies)));
    motion->body_count = bodies;
    if (bodies > 0) { /* else all bodies are gears */
        SLIP_PASS(slip_plane_number(ctx, plane));
        for (int b = 0; b <= bodies; b++)
            motion->first_unknown[b] = slip_plane_first_unknown(plane, b);
        for (int b = 0; b < bodies; b++)
            SLIP_PASS(reduce_body(ctx, plane, b, parameters, &options[b], &turns[b],
                                  alike && alike->body_count == bodies ? alike : NULL, motion));
        SLIP_PASS(gather(ctx, plane, motion));
        SLIP_PASS(gather_turns(ctx, plane, turns, motion));
    }
    SLIP_HAND(result, motion);
    return SLIP_OK;
}

void slip_plane_motion_destroy(slip_plane_motion *motion)
{
    if (!motion)
        return;
    for (int b = 0; b < motion->body_count; b++) {
        slip_reduction_destroy(motion->bodies[b]);
        slip_sparse_destroy(motion->masses[b]);
        slip_sparse_destroy(motion->stiffnesses[b]);
        slip_sparse_destroy(motion->dashpots[b]);
        slip_brick_body_destroy(motion->bricks[b]);
    }
    slip_arena_free(&motion->arena);
    free(motion);
}

int64_t slip_plane_motion_place(const slip_plane_motion *motion, int64_t unknown)
{
    const int body = body_of(motion, unknown);
    return motion->bodies[body] ? -1 : motion->first_field[body] + unknown - motion->first_unknown[body];
}

int slip_plane_motion_field_entries(const slip_plane_motion *motion, const slip_plane *plane, int row,
                                    int64_t places[slip_plane_row_max], double values[slip_plane_row_max])
{
    const int count = slip_plane_row(plane, row, places, values);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const int64_t place = slip_plane_motion_place(motion, places[i]);
        if (place < 0)
            continue;
        places[kept] = place;
        values[kept++] = values[i];
    }
    return kept;
}

void slip_plane_motion_field(const slip_plane_motion *motion, const double *field, double *whole)
{
    for (int b = 0; b < motion->body_count; b++)
        if (!motion->bodies[b])
            memcpy(whole + motion->first_field[b], field + motion->first_unknown[b],
                   (size_t)(motion->first_unknown[b + 1] - motion->first_unknown[b]) * sizeof *whole);
}

int slip_plane_motion_dashpots(slip_context *ctx, const slip_plane_motion *motion, int body, double **matrix)
{
    const slip_reduction *own = motion->bodies[body];
    *matrix = NULL;
    if (!own || !motion->dashpots[body])
        return SLIP_OK;
    const int count = own->count, moving = own->moving, size = (int)own->size;
    SLIP_FREED double *product = slip_alloc((int64_t)size * moving, sizeof *product);
    SLIP_FREED double *own_matrix = slip_alloc((int64_t)count * count, sizeof *own_matrix);
    SLIP_PASS(slip_allocated(ctx, product && own_matrix));
    for (int k = 0; k < moving; k++)
        slip_sparse_multiply(motion->dashpots[body], own->vectors + (int64_t)k * size,
                             product + (int64_t)k * size);
    slip_columns_multiply(true, moving, moving, size, 1, (slip_columns){own->vectors, size},
                          (slip_columns){product, size}, 0, (slip_columns){own_matrix, count});
    SLIP_HAND(matrix, own_matrix);
    return SLIP_OK;
}

void slip_plane_motion_load(const slip_plane_motion *motion, const double *force, double *load)
{
    for (int b = 0; b < motion->body_count; b++) {
        const slip_reduction *own = motion->bodies[b];
        for (int k = 0; own && k < own->count; k++) {
            double sum = 0;
            for (int64_t i = 0; i < own->size; i++)
                sum += own->vectors[k * own->size + i] * force[motion->first_unknown[b] + i];
            load[motion->first[b] + k] = sum;
        }
    }
}

void slip_plane_motion_unfold(const slip_plane_motion *motion, int body, const double *coordinates,
                              double *displacements)
{
    const slip_reduction *own = motion->bodies[body];
    memset(displacements, 0, (size_t)own->size * sizeof *displacements);
    for (int k = 0; k < own->count; k++)
        for (int64_t i = 0; i < own->size; i++)
            displacements[i] += coordinates[motion->first[body] + k] * own->vectors[k * own->size + i];
}

int slip_plane_motion_project(slip_context *ctx, const slip_plane_motion *motion, const double *field,
                              double *coordinates)
{
    SLIP_FREED double *momentum = slip_alloc(motion->first_unknown[motion->body_count], sizeof *momentum);
    SLIP_PASS(slip_allocated(ctx, momentum));
    for (int b = 0; b < motion->body_count; b++)
        slip_sparse_multiply(motion->masses[b], field + motion->first_unknown[b],
                             momentum + motion->first_unknown[b]);
    slip_plane_motion_load(motion, momentum, coordinates);
    return SLIP_OK;
}

void slip_plane_motion_component(const slip_plane_motion *motion, const slip_plane *plane, int64_t component,
                                 double *row)
{
    const int64_t unknown = slip_plane_unknown(plane, component);
    memset(row, 0, (size_t)motion->count * sizeof *row);
    if (unknown >= 0)
        add_entry(motion, unknown, 1, row);
}
