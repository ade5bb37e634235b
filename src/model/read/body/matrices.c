/* A body by its mass and stiffness matrices from files, with the unknowns of its interface:
 *
 *     mass: {file: M.mtx}
 *     stiffness: {file: K.mtx}
 *     interface: {tip: [{unknowns: [1, 2], place: [0, 0]}, ...]}
 *
 * Unknowns are numbered from 1, as rows are in the files. The interface points become the first nodes of a
 * mesh without elements; the other unknowns become components of further nodes, without a position. The
 * matrices are reordered in this way. */
#include "io/matrix_market.h"
#include "math/vector.h"
#include "model/read/read.h"

#include <math.h>
#include <stdlib.h>

/* ---- interface ---- */

typedef struct interface {
    int dimension, count; /* points of all sets */
    int64_t size;         /* unknowns of the body */
    int64_t *component;   /* of each unknown; -1 */
} interface;

static bool read_entries(slip_reader *r, const slip_tree *body, const char *what, const char *key,
                         slip_matrix_entries *entries)
{
    static const char *const keys[] = {"file", NULL};
    const slip_tree *node = slip_read_required(r, body, what, key, "mass: {file: M.mtx}");
    const char *path;
    if (!node || !slip_read_keys(r, node, key, keys))
        return false;
    slip_tree *file = slip_read_child(node, "file");
    if (!file)
        return slip_problem(r->problems, node, "%s: of a body: expected {file: M.mtx}", key);
    if (!slip_read_path(r, file, key, &path))
        return false;
    if (slip_matrix_market_list(r->ctx, path, entries) >= 0)
        return true;
    return slip_problem(r->problems, file, "%s: %s", key, slip_context_message(r->ctx));
}

/* The node that has these unknowns already (a point may be in several sets); -1: none of them is used yet;
 * -2: some belong to another node. */
static int find_node(const interface *of, const int64_t *unknowns)
{
    const int64_t first = of->component[unknowns[0] - 1];
    bool same = first >= 0 && first % of->dimension == 0, none = true;
    for (int k = 0; k < of->dimension; k++) {
        same = same && of->component[unknowns[k] - 1] == first + k;
        none = none && of->component[unknowns[k] - 1] < 0;
    }
    return same ? (int)(first / of->dimension) : none ? -1 : -2;
}

/* A point, as a node of the mesh; -1 where something is wrong (noted). */
static int read_point(slip_reader *r, const slip_tree *node, const char *set, interface *of, slip_mesh *mesh)
{
    static const char *const keys[] = {"unknowns", "place", NULL};
    static const slip_range any = {-INFINITY, INFINITY, false};
    const slip_tree *unknowns, *place;
    int64_t unknown[3];
    double at[3];
    if (!slip_read_keys(r, node, set, keys))
        return -1;
    unknowns = slip_read_required(r, node, set, "unknowns", "unknowns: [1, 2]");
    place = slip_read_required(r, node, set, "place", "place: [0, 0]");
    if (!unknowns || !place ||
        !slip_read_list(r, unknowns, "unknowns", of->dimension,
                        of->dimension == 3 ? "[1, 2, 3]" : "[1, 2]") ||
        !slip_read_list(r, place, "place", of->dimension, slip_read_vector_example(of->dimension)))
        return -1;
    for (int k = 0; k < of->dimension; k++) {
        if (!slip_read_structural_count(r, unknowns->item[k], "unknowns", &unknown[k]) ||
            !slip_read_structural(r, place->item[k], "place", any, &at[k]))
            return -1;
        if (unknown[k] > of->size) {
            slip_problem(r->problems, unknowns->item[k], "unknowns: found %lld, expected at most %lld",
                         (long long)unknown[k], (long long)of->size);
            return -1;
        }
    }
    const int found = find_node(of, unknown);
    if (found < -1)
        slip_problem(r->problems, unknowns,
                     "unknowns: found some of another point, expected each in one point");
    if (found != -1)
        return found;
    for (int k = 0; k < of->dimension; k++) {
        if (of->component[unknown[k] - 1] >= 0) {
            slip_problem(r->problems, unknowns, "unknowns: found %lld twice, expected each in one point",
                         (long long)unknown[k]);
            return -1;
        }
        of->component[unknown[k] - 1] = (int64_t)of->dimension * of->count + k;
        mesh->points[of->dimension * of->count + k] = at[k];
    }
    return of->count++;
}

static bool read_set(slip_reader *r, const slip_tree *key, const slip_tree *list, interface *of,
                     slip_mesh *mesh)
{
    int *items;
    bool good = true;
    if (!slip_reader_room(
            r, slip_mesh_add_set(r->ctx, mesh, key->text, SLIP_SET_NODES, list->count, &items) >= 0))
        return false;
    for (int i = 0; i < list->count && good; i++) {
        items[i] = read_point(r, list->item[i], key->text, of, mesh);
        good = items[i] >= 0;
    }
    return good;
}

static slip_mesh *read_interface(slip_reader *r, const slip_tree *body, const char *what, interface *of)
{
    static const char expected[] = "a list of points {unknowns: [1, 2], place: [0, 0]}";
    const slip_tree *node = slip_read_required(r, body, what, "interface",
                                               "interface: {tip: [{unknowns: [1, 2], place: [0, 0]}]}"),
                    *first;
    slip_mesh *mesh = NULL;
    bool good = node != NULL;
    if (good && (node->kind != SLIP_TREE_MAPPING || node->count == 0)) {
        slip_read_refuse(r, node, "interface", "a mapping of names to lists of points");
        return NULL;
    }
    for (int i = 0; good && i < node->count; i++) {
        const slip_tree *list = slip_tree_value(node, i);
        good = list->kind == SLIP_TREE_SEQUENCE && list->count > 0;
        if (!good)
            slip_read_refuse(r, list, "interface", "%s", expected);
    }
    if (!good)
        return NULL;
    first = slip_read_child(slip_tree_value(node, 0)->item[0], "unknowns");
    of->dimension = first && first->kind == SLIP_TREE_SEQUENCE && first->count == 3 ? 3 : 2;
    const int64_t nodes = (of->size + of->dimension - 1) / of->dimension;
    if (!slip_reader_room(r, slip_mesh_create(r->ctx, of->dimension, (int)nodes, &mesh) >= 0))
        return NULL;
    for (int64_t i = 0; i < of->dimension * nodes; i++)
        mesh->points[i] = NAN;
    for (int i = 0; i < node->count && good; i++)
        good = read_set(r, slip_tree_key(node, i), slip_tree_value(node, i), of, mesh);
    if (good)
        return mesh;
    slip_mesh_destroy(mesh);
    return NULL;
}

/* ---- matrices ---- */

/* One half of the entries, in the order of the components. */
static int gather(slip_context *ctx, const slip_matrix_entries *from, const int64_t *component, bool upper,
                  slip_sparse **matrix)
{
    int64_t *row = slip_alloc(from->count, sizeof *row), *column = slip_alloc(from->count, sizeof *column),
            count = 0;
    double *value = slip_alloc(from->count, sizeof *value);
    int status = row && column && value ? SLIP_OK : slip_fail_memory(ctx);
    for (int64_t i = 0; i < from->count && status >= 0; i++) {
        const bool above = from->row[i] < from->column[i];
        if (!from->symmetric && from->row[i] != from->column[i] && above != upper)
            continue;
        row[count] = component[from->row[i]];
        column[count] = component[from->column[i]];
        value[count++] = from->value[i];
    }
    if (status >= 0)
        status = slip_sparse_gather(ctx, from->size, count, row, column, value, matrix);
    free(row);
    free(column);
    free(value);
    return status;
}

/* Both halves of a general matrix must be the same. */
static int make_matrix(slip_context *ctx, const slip_matrix_entries *from, const int64_t *component,
                       slip_sparse **matrix)
{
    const double rounding = 1e-10;
    SLIP_FREED_BY(slip_sparse_drop) slip_sparse *other = NULL;
    double largest = 0, off = 0;
    SLIP_PASS(gather(ctx, from, component, false, matrix));
    if (from->symmetric)
        return SLIP_OK;
    SLIP_PASS(gather(ctx, from, component, true, &other));
    slip_sparse *difference = NULL;
    SLIP_PASS(slip_sparse_sum(ctx, 1, *matrix, -1, other, &difference));
    off = fmax(off, slip_largest(difference->start[difference->size], difference->value));
    for (int64_t i = 0; i < (*matrix)->start[(*matrix)->size]; i++)
        largest = fmax(largest, fabs((*matrix)->value[i]));
    slip_sparse_destroy(difference);
    if (off > rounding * largest)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "the matrix is not symmetric: entries differ by %.3g", off);
    return SLIP_OK;
}

static bool check_sizes(slip_reader *r, const slip_tree *body, const char *what,
                        const slip_matrix_entries entries[2])
{
    if (entries[0].size == entries[1].size && entries[0].size <= INT32_MAX / 4)
        return true;
    return slip_problem(r->problems, slip_read_child(body, "stiffness"),
                        "%s: its mass has %lld rows and its stiffness %lld, expected as many, at most %d",
                        what, (long long)entries[0].size, (long long)entries[1].size, INT32_MAX / 4);
}

void slip_read_body_matrices(slip_reader *r, const slip_tree *body, const char *what, slip_body *to)
{
    static const char *const keys[] = {"mass", "stiffness"};
    slip_sparse **const matrices[] = {&to->mass, &to->stiffness};
    slip_matrix_entries entries[2] = {{0}, {0}};
    interface of = {0};
    bool good = true;
    if (!r->model->in_motion) {
        slip_problem(r->problems,
                     slip_read_child(body, "stiffness") ? slip_read_child(body, "stiffness") : body,
                     "%s: a body by matrices is one that moves: expected a section `simulate`, with which "
                     "`statics` takes it too",
                     what);
        return;
    }
    for (int k = 0; k < 2 && good; k++)
        good = read_entries(r, body, what, keys[k], &entries[k]);
    good = good && check_sizes(r, body, what, entries);
    of.size = entries[0].size;
    of.component = good ? slip_alloc(of.size, sizeof *of.component) : NULL;
    for (int64_t i = 0; i < of.size && of.component; i++)
        of.component[i] = -1;
    slip_reader_room(r, !good || of.component);
    to->mesh = of.component ? read_interface(r, body, what, &of) : NULL;
    int64_t next = (int64_t)of.dimension * of.count;
    for (int64_t i = 0; i < of.size && to->mesh; i++)
        if (of.component[i] < 0)
            of.component[i] = next++;
    for (int k = 0; k < 2 && to->mesh; k++)
        if (make_matrix(r->ctx, &entries[k], of.component, matrices[k]) < 0) {
            slip_problem(r->problems, slip_read_child(body, keys[k]), "%s: %s: %s", what, keys[k],
                         slip_context_message(r->ctx));
            slip_mesh_destroy(to->mesh);
            to->mesh = NULL;
        }
    free(of.component);
    slip_matrix_entries_free(&entries[0]);
    slip_matrix_entries_free(&entries[1]);
}
