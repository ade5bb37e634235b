/* Reduction of a body that is not cyclic: the whole mesh is factored at once. */
#include "flex/reduced.h"

#include "base/memory.h"
#include "base/text.h"
#include "math/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
/* Unit loads at a time; vectors of a block of Lanczos (8 need a third fewer solves than 16). */
enum { block = 32, lanczos_block = 8 };

typedef struct slip_mesh_job {
    slip_arena arena; /* of loads and responses */
    slip_context *ctx;
    const slip_mesh *mesh;
    const slip_reduced_mesh_options *options;
    slip_reduced *body;
    slip_solid *solid;
    slip_factor *factor;
    int64_t n;
    double *load[2];     /* M (e_z x X) and M (x, y, 0) */
    double *response[2]; /* K^-1 of these loads */
} slip_mesh_job;

static void free_job(slip_mesh_job *j)
{
    slip_factor_destroy(j->factor);
    slip_solid_destroy(j->solid);
    slip_arena_free(&j->arena);
}

/* ---- Sets. */

/* Fails because the mesh has no such set; the message lists those that it has. */
static int fail_missing(slip_mesh_job *j, const char *name, const char *use)
{
    SLIP_FREED const char **names = slip_alloc((int64_t)j->mesh->set_count + 1, sizeof *names);
    SLIP_FREED_BY(slip_text_free) slip_text there = {0};
    int count = 0;
    for (int k = 0; names && k < j->mesh->set_count; k++)
        if (j->mesh->sets[k].kind == SLIP_SET_NODES) {
            if (count < 12)
                slip_text_printf(&there, "%s%s", count ? ", " : "; it has ", j->mesh->sets[k].name);
            names[count++] = j->mesh->sets[k].name;
        }
    const char *nearest = names ? slip_text_nearest(name, names) : NULL;
    return slip_fail(j->ctx, SLIP_ERROR_MODEL, "%s: the mesh has no set of nodes `%s`, %s%s%s%s%s%s",
                     j->body->name, name, use, there.length > 0 ? there.data : "; it has no sets of nodes",
                     count > 12 ? " ..." : "", nearest ? "; did you mean `" : "", nearest ? nearest : "",
                     nearest ? "`?" : "");
}

static int find_set(slip_mesh_job *j, const char *name, const char *use, const slip_mesh_set **set)
{
    *set = slip_mesh_find(j->mesh, name, SLIP_SET_NODES);
    if (*set)
        return SLIP_OK;
    if (slip_mesh_is_unused(j->mesh, name))
        return slip_fail(j->ctx, SLIP_ERROR_MODEL, "%s: the set `%s`, %s, has no nodes of any element",
                         j->body->name, name, use);
    return fail_missing(j, name, use);
}

/* Facets: outer faces of elements all of whose nodes are in the set. `number` is of each node of the mesh its
 * place on the side, or -1; filled in here and cleared again by the caller. */
static int list_facets(slip_mesh_job *j, const slip_face *faces, int64_t count, const int *number,
                       slip_reduced_side *p, bool fill)
{
    int found = 0;
    for (int64_t i = 0; i < count; i++) {
        int nodes[slip_face_nodes_max];
        bool all =
            !slip_face_is_shared(faces, count, i) && slip_mesh_face_nodes(j->mesh, faces[i].item, nodes) == 4;
        for (int k = 0; all && k < 4; k++)
            all = number[nodes[k]] >= 0;
        if (!all)
            continue;
        for (int k = 0; fill && k < 4; k++)
            p->facets[4 * found + k] = number[nodes[k]];
        found++;
    }
    return found;
}

static int take_surface(slip_mesh_job *j, const char *name, const slip_face *faces, int64_t face_count,
                        int *number, slip_reduced_side *p)
{
    const slip_mesh_set *set;
    slip_reduced *b = j->body;
    SLIP_PASS(find_set(j, name, "a contact surface", &set));
    for (int i = 0; i < set->count; i++) {
        if (number[set->items[i]] >= 0)
            return slip_fail(j->ctx, SLIP_ERROR_MODEL, "%s: surface `%s` has node %lld twice", b->name, name,
                             slip_mesh_node_label(j->mesh, set->items[i]));
        if (j->solid->free[set->items[i]] < 0)
            return slip_fail(j->ctx, SLIP_ERROR_MODEL, "%s: node %lld of surface `%s` is held by `%s`",
                             b->name, slip_mesh_node_label(j->mesh, set->items[i]), name, j->options->held);
        number[set->items[i]] = i;
    }
    p->node_count = set->count;
    p->facet_count = list_facets(j, faces, face_count, number, p, false);
    p->name = slip_arena_string(&b->arena, name);
    SLIP_PASS(slip_allocated(j->ctx, p->name));
    SLIP_PASS(slip_reduced_allocate_side(j->ctx, b, p));
    list_facets(j, faces, face_count, number, p, true);
    for (int i = 0; i < set->count; i++) {
        p->nodes[i] = set->items[i];
        memcpy(p->points + 3 * i, j->mesh->points + 3 * (size_t)set->items[i], 3 * sizeof(double));
        number[set->items[i]] = -1;
    }
    return SLIP_OK;
}

static int take_surfaces(slip_mesh_job *j)
{
    slip_reduced *b = j->body;
    int64_t face_count = 0;
    SLIP_FREED int *number = slip_alloc(j->mesh->node_count, sizeof *number);
    SLIP_FREED slip_face *faces = slip_mesh_faces(j->mesh, &face_count);
    for (b->side_count = 0; j->options->surfaces && j->options->surfaces[b->side_count];)
        b->side_count++;
    b->sides = slip_arena_array(&b->arena, b->side_count, sizeof *b->sides);
    SLIP_PASS(slip_allocated(j->ctx, number && faces && b->sides));
    for (int i = 0; i < j->mesh->node_count; i++)
        number[i] = -1;
    for (int k = 0; k < b->side_count; k++) {
        b->sides[k].attachment = k;
        for (int i = 0; i < k; i++)
            if (strcmp(j->options->surfaces[i], j->options->surfaces[k]) == 0)
                return slip_fail(j->ctx, SLIP_ERROR_MODEL, "%s: found surface `%s` twice, expected it once",
                                 b->name, j->options->surfaces[k]);
        SLIP_PASS(take_surface(j, j->options->surfaces[k], faces, face_count, number, &b->sides[k]));
    }
    return SLIP_OK;
}

/* ---- Memory. */

/* The size of the Lanczos basis, little above the number of wanted modes: restarts are cheap, memory for a
 * larger basis is not. */
static int64_t basis_size(const slip_reduced_mesh_options *options)
{
    return options->modes + options->modes / 3 + 4 * lanczos_block;
}

/* Estimates, from the symbolic analysis, the memory that is still to be allocated: the factor, and then the
 * larger of the Lanczos basis with its blocks, and the shapes of the modes with the blocks of solves (vectors
 * become shapes one after the other). */
static int check_memory(slip_mesh_job *j)
{
    double lanczos = (double)j->n * (double)(basis_size(j->options) + 3 * lanczos_block);
    double kept = 3.0 * j->mesh->node_count * j->options->modes;
    for (int k = 0; j->options->attachment && k < j->body->side_count; k++)
        kept += 5 * pow(3.0 * j->body->sides[k].node_count, 2);
    double need = sizeof(double) *
                  ((double)slip_factor_entries(j->factor) + fmax(lanczos, kept + 3.0 * block * (double)j->n));
    slip_log(j->ctx, SLIP_LOG_INFO, "%s: %lld unknowns, a factor of %.1f million numbers", j->body->name,
             (long long)j->n, 1e-6 * (double)slip_factor_entries(j->factor));
    return slip_memory_check(
        j->ctx,
        &(slip_memory_need){j->body->name, "the reduction", "use a coarser mesh or fewer modes", need},
        j->options->memory);
}

/* The three unknowns of a node have the same neighbours. */
static int analyse(slip_mesh_job *j)
{
    SLIP_FREED int64_t *group = slip_alloc(j->n, sizeof *group);
    SLIP_PASS(slip_allocated(j->ctx, group));
    for (int64_t i = 0; i < j->n; i++)
        group[i] = i / 3;
    return slip_factor_analyse(j->ctx, j->solid->stiffness, group, &j->factor);
}

/* ---- Modes. */

static int solve(void *user, int64_t count, const double *right, double *solution)
{
    slip_mesh_job *j = user;
    return slip_factor_solve(j->ctx, j->factor, count, right, solution);
}

static void multiply_mass(void *user, int64_t count, const double *x, double *product)
{
    slip_solid_mass(((const slip_mesh_job *)user)->solid, count, x, product);
}

/* y = e_z x x at every free node. */
static void turn(int64_t n, const double *x, double *y)
{
    for (int64_t i = 0; i < n; i += 3) {
        y[i] = -x[i + 1];
        y[i + 1] = x[i];
        y[i + 2] = 0;
    }
}

/* Products of all modes with the turned modes number `from` to from + here - 1. */
static void take_products(slip_mesh_job *j, double *vectors, int64_t from, int here, double *turned,
                          double *product)
{
    slip_reduced *b = j->body;
    const int n = (int)j->n, count = b->mode_count;
    for (int k = 0; k < here; k++)
        turn(n, vectors + (from + k) * n, turned + (int64_t)k * n);
    slip_solid_mass(j->solid, here, turned, product);
    for (int k = 0; k < here; k++)
        turn(n, product + (int64_t)k * n, turned + (int64_t)k * n);
    slip_columns_multiply(true, here, count, n, 1, (slip_columns){product, n}, (slip_columns){vectors, n}, 0,
                          (slip_columns){b->coriolis + from, count});
    slip_columns_multiply(true, here, count, n, -1, (slip_columns){turned, n}, (slip_columns){vectors, n}, 0,
                          (slip_columns){b->softening + from, count});
}

static int take_integrals(slip_mesh_job *j, double *vectors)
{
    slip_reduced *b = j->body;
    const int64_t n = j->n, count = b->mode_count;
    SLIP_FREED double *turned = slip_alloc(n * lanczos_block, sizeof *turned);
    SLIP_FREED double *product = slip_alloc(n * lanczos_block, sizeof *product);
    SLIP_PASS(slip_allocated(j->ctx, turned && product));
    for (int64_t from = 0; from < count; from += lanczos_block)
        take_products(j, vectors, from, (int)(count - from < lanczos_block ? count - from : lanczos_block),
                      turned, product);
    for (int64_t k = 0; k < count; k++) {
        b->modes[k].rotation = slip_columns_dot((int)n, vectors + k * n, 1, j->load[0], 1);
        b->modes[k].spread = slip_columns_dot((int)n, vectors + k * n, 1, j->load[1], 1);
    }
    return SLIP_OK;
}

/* Converts eigenvectors over the unknowns into shapes of all nodes, from the last to the first, freeing the
 * vectors on the way, so that not all modes are in memory twice. */
static void take_shapes(slip_mesh_job *j, double **vectors)
{
    slip_reduced *b = j->body;
    const int64_t n = j->n;
    for (int64_t k = b->mode_count - 1; k >= 0; k--) {
        const double *vector = *vectors + k * n;
        for (int64_t i = 0; i < n; i++)
            b->real[3 * (k * b->shape_nodes + j->solid->node[i / 3]) + i % 3] = vector[i];
        double *shrunk = k > 0 ? realloc(*vectors, sizeof(double) * (size_t)(k * n)) : NULL;
        if (shrunk)
            *vectors = shrunk;
    }
}

static int take_modes(slip_mesh_job *j)
{
    slip_reduced *b = j->body;
    slip_eigen_problem problem = {j->n, j, solve, multiply_mass};
    slip_eigen_options eigen = slip_eigen_options_default();
    slip_eigen_report report;
    SLIP_FREED double *values = slip_alloc(b->mode_count, sizeof *values), *vectors = NULL;
    eigen.count = b->mode_count;
    eigen.what = "modes of the body";
    eigen.tolerance = j->options->tolerance;
    eigen.block = lanczos_block;
    eigen.basis = basis_size(j->options);
    SLIP_PASS(slip_allocated(j->ctx, values));
    SLIP_PASS(slip_eigen_lowest(j->ctx, &problem, &eigen, values, &vectors, &report));
    /* The mode beyond the wanted ones stays only where it is the partner of the last one. */
    if (b->mode_count > j->options->modes &&
        values[b->mode_count - 1] > values[b->mode_count - 2] * (1 + 1e-9))
        b->mode_count--;
    for (int k = 0; k < b->mode_count; k++)
        b->modes[k] = (slip_reduced_mode){.frequency = sqrt(values[k]) / (2 * pi), .nodal_diameter = -1};
    slip_log(j->ctx, SLIP_LOG_DEBUG,
             "%s: Lanczos, %lld solves in blocks of %d, %lld restarts of a basis of %lld vectors", b->name,
             (long long)report.solves, lanczos_block, (long long)report.restarts, (long long)eigen.basis);
    SLIP_PASS(take_integrals(j, vectors));
    take_shapes(j, &vectors);
    slip_log(j->ctx, SLIP_LOG_DEBUG, "%s: integrals and shapes of the modes", b->name);
    return SLIP_OK;
}

/* Checks the number of eigenvalues below the last one, by Sylvester's law of inertia on K - s M. */
static int check_count(slip_mesh_job *j)
{
    const slip_sparse *k = j->solid->stiffness, *m = j->solid->mass;
    int64_t found = 0;
    double bound = pow(2 * pi * j->body->modes[j->body->mode_count - 1].frequency, 2) * (1 - 1e-7);
    int64_t expected = 0;
    slip_sparse shifted = *k;
    for (int i = 0; i < j->body->mode_count; i++)
        expected += pow(2 * pi * j->body->modes[i].frequency, 2) < bound;
    SLIP_FREED double *value = shifted.value = slip_alloc(k->start[k->size], sizeof *value);
    SLIP_PASS(slip_allocated(j->ctx, value));
    memcpy(value, k->value, sizeof *k->value * (size_t)k->start[k->size]);
    for (int64_t column = 0; column < k->size; column++)
        for (int64_t p = k->start[column]; p < k->start[column + 1]; p++) {
            int64_t row = k->row[p], node = column / 3;
            if (row % 3 != column % 3)
                continue;
            if (!m) {
                value[p] -= row == column ? bound * j->solid->lumps[node] : 0;
                continue;
            }
            for (int64_t q = m->start[node]; q < m->start[node + 1]; q++)
                if (m->row[q] == row / 3)
                    value[p] -= bound * m->value[q];
        }
    SLIP_PASS(slip_factor_negatives(j->ctx, &shifted, &found));
    if (found != expected)
        return slip_fail(j->ctx, SLIP_ERROR_SOLVER,
                         "%s: %lld modes were found below %g Hz, but %lld are there", j->body->name,
                         (long long)expected, sqrt(bound) / (2 * pi), (long long)found);
    return SLIP_OK;
}

/* ---- Loads of a rotation: held nodes take part by the mass that they share with their neighbours. */

static int take_rotation(slip_mesh_job *j)
{
    double first[3], second[6];
    slip_solid_inertia(j->solid, &j->body->mass, first, second);
    j->body->moment = second[0] + second[1];
    for (int which = 0; which < 2; which++) {
        j->load[which] = slip_arena_array(&j->arena, j->n, sizeof(double));
        j->response[which] = slip_arena_array(&j->arena, j->n, sizeof(double));
        SLIP_PASS(slip_allocated(j->ctx, j->load[which] && j->response[which]));
        slip_solid_plane_load(j->solid, which == 1, j->load[which]);
        SLIP_PASS(slip_factor_solve(j->ctx, j->factor, 1, j->load[which], j->response[which]));
    }
    return SLIP_OK;
}

/* ---- Residuals. P by a second solve, since all responses together would not fit into memory. Loads of the
 * first and results of the second are on the surface only: each is half a solve. */

static int take_attached(slip_mesh_job *j, int side)
{
    slip_reduced *b = j->body;
    const slip_reduced_side *p = &b->sides[side];
    int64_t size = 3 * (int64_t)p->node_count, n = j->n;
    SLIP_FREED double *g = slip_alloc(size * size, sizeof *g);
    SLIP_FREED double *inner = slip_alloc(size * size, sizeof *inner);
    SLIP_FREED double *x = slip_alloc(n * block, sizeof *x);
    SLIP_FREED double *product = slip_alloc(n * block, sizeof *product);
    SLIP_FREED double *statics = slip_alloc(2 * size, sizeof *statics);
    SLIP_FREED int64_t *at = slip_alloc(size, sizeof *at);
    SLIP_PASS(slip_allocated(j->ctx, g && inner && x && product && statics && at));
    for (int64_t i = 0; i < size; i++) {
        at[i] = 3 * (int64_t)j->solid->free[p->nodes[i / 3]] + i % 3;
        statics[i] = j->response[0][at[i]];
        statics[size + i] = j->response[1][at[i]];
    }
    for (int64_t from = 0; from < size; from += block) {
        int64_t here = size - from < block ? size - from : block;
        memset(x, 0, sizeof *x * (size_t)(n * here));
        for (int64_t k = 0; k < here; k++)
            x[k * n + at[from + k]] = 1;
        SLIP_PASS(slip_factor_solve_from(j->ctx, j->factor, (slip_unknowns){here, at + from}, here, x, x));
        slip_solid_mass(j->solid, here, x, product);
        for (int64_t k = 0; k < here; k++)
            for (int64_t i = 0; i < size; i++)
                g[(from + k) * size + i] = x[k * n + at[i]];
        SLIP_PASS(slip_factor_solve_at(j->ctx, j->factor, (slip_unknowns){size, at}, here, product, x));
        for (int64_t k = 0; k < here; k++)
            for (int64_t i = 0; i < size; i++)
                inner[(from + k) * size + i] = x[k * n + at[i]];
        if (slip_interrupted(j->ctx))
            return slip_fail(j->ctx, SLIP_INTERRUPTED, "interrupted");
        slip_progress_report(
            j->ctx,
            &(slip_progress){.what = "attachment modes",
                             .fraction = (side + (double)(from + here) / (double)size) / b->side_count});
    }
    slip_log(j->ctx, SLIP_LOG_DEBUG, "%s: responses to %lld unit loads", b->name, (long long)size);
    SLIP_PASS(slip_reduced_take_attached(j->ctx, b, side, g, inner, statics, statics + size));
    slip_log(j->ctx, SLIP_LOG_DEBUG, "%s: attachment modes of surface `%s`", b->name, p->name);
    return SLIP_OK;
}

/* The node of a side that is next to its middle, and the axis that is the nearest to its normal there: where
 * and along which the load of the attachment shape acts. */
static void choose_load(const slip_reduced_side *p, int *node, int *axis)
{
    double middle[3] = {0}, normal[3] = {0}, nearest = INFINITY;
    for (int i = 0; i < 3 * p->node_count; i++)
        middle[i % 3] += p->points[i] / p->node_count;
    for (int i = 0; i < p->node_count; i++) {
        const double *at = p->points + 3 * i;
        double far = hypot(hypot(at[0] - middle[0], at[1] - middle[1]), at[2] - middle[2]);
        if (far < nearest) {
            nearest = far;
            *node = i;
        }
    }
    for (int k = 0; k < p->facet_count; k++) {
        const double *a = p->points + 3 * p->facets[4 * k], *b = p->points + 3 * p->facets[4 * k + 1];
        const double *c = p->points + 3 * p->facets[4 * k + 2], *d = p->points + 3 * p->facets[4 * k + 3];
        for (int i = 0; i < 3; i++) {
            int next = (i + 1) % 3, last = (i + 2) % 3;
            normal[i] +=
                (c[next] - a[next]) * (d[last] - b[last]) - (c[last] - a[last]) * (d[next] - b[next]);
        }
    }
    *axis = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(normal[i]) > fabs(normal[*axis]))
            *axis = i;
}

/* The attachment vector, on the whole body, of a load in the middle of the first side, for pictures. */
static int take_attachment(slip_mesh_job *j)
{
    slip_reduced *b = j->body;
    int node = 0, axis = 0;
    int64_t all = 3 * (int64_t)b->shape_nodes;
    SLIP_FREED double *x = slip_alloc(j->n, sizeof *x);
    b->attachment = slip_arena_array(&b->arena, all, sizeof(double));
    SLIP_PASS(slip_allocated(j->ctx, x && b->attachment));
    choose_load(&b->sides[0], &node, &axis);
    int64_t loaded = b->sides[0].nodes[node];
    x[3 * j->solid->free[loaded] + axis] = 1;
    SLIP_PASS(slip_factor_solve(j->ctx, j->factor, 1, x, x));
    for (int64_t i = 0; i < j->n; i++)
        b->attachment[3 * (int64_t)j->solid->node[i / 3] + i % 3] = x[i];
    for (int k = 0; k < b->mode_count; k++) {
        const double *shape = b->real + k * all;
        double factor = shape[3 * loaded + axis] / pow(2 * pi * b->modes[k].frequency, 2);
        for (int64_t i = 0; i < all; i++)
            b->attachment[i] -= factor * shape[i];
    }
    return SLIP_OK;
}

static int take_mesh(slip_mesh_job *j)
{
    slip_reduced *b = j->body;
    const slip_mesh *mesh = j->mesh;
    b->mode_count = j->options->modes + (j->options->modes < j->n);
    b->shape_nodes = mesh->node_count;
    b->element_count = mesh->element_count;
    SLIP_PASS(slip_reduced_allocate_modes(j->ctx, b));
    memcpy(b->points, mesh->points, sizeof(double) * 3 * (size_t)mesh->node_count);
    for (int e = 0; e < mesh->element_count; e++)
        memcpy(b->elements + 8 * (size_t)e, slip_mesh_nodes(mesh, e), 8 * sizeof(int));
    return SLIP_OK;
}

int slip_reduced_from_mesh(slip_context *ctx, const slip_mesh *mesh, const slip_reduced_mesh_options *options,
                           slip_reduced *body)
{
    SLIP_FREED_BY(free_job) slip_mesh_job j = {.ctx = ctx, .mesh = mesh, .options = options, .body = body};
    const slip_mesh_set *held;
    SLIP_PASS(find_set(&j, options->held, "which is to be held", &held));
    SLIP_PASS(slip_solid_check_bricks(ctx, body->name, mesh));
    SLIP_PASS(slip_solid_create(ctx, body->name, mesh, held, &options->solid, &j.solid));
    j.n = 3 * (int64_t)j.solid->free_count;
    if (options->modes > j.n)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: found %d modes, expected at most %lld", body->name,
                         options->modes, (long long)j.n);
    SLIP_PASS(take_surfaces(&j));
    slip_log(ctx, SLIP_LOG_DEBUG, "%s: assembly", body->name);
    SLIP_PASS(analyse(&j));
    slip_log(ctx, SLIP_LOG_DEBUG, "%s: ordering and analysis", body->name);
    SLIP_PASS(check_memory(&j));
    SLIP_PASS(take_mesh(&j));
    SLIP_PASS(slip_factor_compute(ctx, j.solid->stiffness, j.factor, NULL));
    slip_log(ctx, SLIP_LOG_DEBUG, "%s: factor, %.0f Gflop", body->name, 1e-9 * slip_factor_flops(j.factor));
    if (!options->check) { /* nobody needs it any more */
        slip_sparse_destroy(j.solid->stiffness);
        j.solid->stiffness = NULL;
    }
    SLIP_PASS(take_rotation(&j));
    SLIP_PASS(take_modes(&j));
    if (options->check)
        SLIP_PASS(check_count(&j));
    body->attached_count = options->attachment ? body->side_count : 0;
    body->attached = slip_arena_array(&body->arena, body->attached_count, sizeof *body->attached);
    SLIP_PASS(slip_allocated(ctx, body->attached));
    for (int k = 0; k < body->attached_count; k++)
        SLIP_PASS(take_attached(&j, k));
    if (body->attached_count > 0)
        SLIP_PASS(take_attachment(&j));
    return slip_reduced_finish(ctx, body);
}
