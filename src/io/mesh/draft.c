#include "io/mesh/draft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void slip_draft_free(slip_draft *draft)
{
    for (int64_t i = 0; i < draft->set_count; i++) {
        free(draft->sets[i].name);
        free(draft->sets[i].items);
    }
    free(draft->points);
    free(draft->elements);
    free(draft->sets);
    slip_tags_free(&draft->node_tags);
    slip_tags_free(&draft->element_tags);
    *draft = (slip_draft){0};
}

/* ---- filling ---- */

static int add_tag(slip_scan *scan, slip_tags *tags, const char *what, int64_t tag, int64_t index)
{
    if (index >= slip_draft_count_max)
        return slip_scan_fail(scan, "found more than %d %ss", slip_draft_count_max, what);
    int status = slip_tags_add(tags, tag, (int)index);
    if (status < 0)
        return slip_fail_memory(scan->ctx);
    if (status > 0)
        return slip_scan_fail(scan, "%s %lld is here for the second time", what, (long long)tag);
    return SLIP_OK;
}

int slip_draft_add_node(slip_scan *scan, slip_draft *draft, int64_t tag, const double point[3])
{
    if (slip_interrupted(scan->ctx))
        return slip_interrupt_check(scan->ctx);
    SLIP_PASS(add_tag(scan, &draft->node_tags, "node", tag, draft->node_count));
    SLIP_PASS(slip_allocated(scan->ctx,
                             SLIP_ROOM(draft->points, draft->node_capacity, 3 * (draft->node_count + 1))));
    memcpy(draft->points + 3 * draft->node_count++, point, 3 * sizeof(double));
    return SLIP_OK;
}

int slip_draft_add_element(slip_scan *scan, slip_draft *draft, int64_t tag, const slip_cell *cell,
                           const int64_t *node_tags)
{
    if (slip_interrupted(scan->ctx))
        return slip_interrupt_check(scan->ctx);
    slip_draft_element element = {.cell = cell};
    SLIP_PASS(add_tag(scan, &draft->element_tags, "element", tag, draft->element_count));
    for (int i = 0; i < cell->node_count; i++) {
        element.nodes[i] = slip_tags_find(&draft->node_tags, node_tags[i]);
        if (element.nodes[i] < 0)
            return slip_scan_fail(scan, "element %lld: there is no node %lld", (long long)tag,
                                  (long long)node_tags[i]);
    }
    SLIP_PASS(slip_allocated(scan->ctx,
                             SLIP_ROOM(draft->elements, draft->element_capacity, draft->element_count + 1)));
    draft->elements[draft->element_count++] = element;
    return SLIP_OK;
}

slip_draft_set *slip_draft_set_find(const slip_draft *draft, const char *name, slip_set_kind kind, bool fold)
{
    for (int64_t i = 0; i < draft->set_count; i++) {
        slip_draft_set *set = &draft->sets[i];
        if (set->kind == kind && (fold ? strcasecmp(set->name, name) : strcmp(set->name, name)) == 0)
            return set;
    }
    return NULL;
}

slip_draft_set *slip_draft_set_get(slip_draft *draft, const char *name, slip_set_kind kind, bool fold)
{
    slip_draft_set *set = slip_draft_set_find(draft, name, kind, fold);
    if (set)
        return set;
    char *copy = strdup(name);
    if (!copy || !SLIP_ROOM(draft->sets, draft->set_capacity, draft->set_count + 1)) {
        free(copy);
        return NULL;
    }
    set = &draft->sets[draft->set_count++];
    *set = (slip_draft_set){.name = copy, .kind = kind};
    return set;
}

bool slip_draft_set_append(slip_draft_set *set, int item)
{
    if (set->count >= INT32_MAX - 1 || !SLIP_ROOM(set->items, set->capacity, set->count + 1))
        return false;
    set->items[set->count++] = item;
    return true;
}

/* ---- finishing ---- */

typedef struct finisher {
    slip_context *ctx;
    const char *file;
    const slip_draft *draft;
    int dimension;
    slip_mesh *mesh;
    int *node_of;    /* the mesh's number of a node of the draft, or -1 */
    int *element_of; /* the same of an element */
    slip_face *faces;
    int64_t face_count;
    bool *taken; /* of each node, while a set is made */
} finisher;

static int find_dimension(finisher *f)
{
    for (int64_t i = 0; i < f->draft->element_count; i++)
        if (f->draft->elements[i].cell->dimension > f->dimension)
            f->dimension = f->draft->elements[i].cell->dimension;
    if (f->dimension >= 2)
        return SLIP_OK;
    return slip_fail(f->ctx, SLIP_ERROR_MODEL,
                     "%s: there are no elements of a body; expected triangles, quadrilaterals, tetrahedra or "
                     "hexahedra",
                     f->file);
}

/* Numbers the nodes that elements of the highest dimension use, in the order of the file. */
static int number_nodes(finisher *f, int *count)
{
    const slip_draft *draft = f->draft;
    f->node_of = slip_alloc(draft->node_count, sizeof *f->node_of);
    SLIP_PASS(slip_allocated(f->ctx, f->node_of));
    for (int64_t e = 0; e < draft->element_count; e++)
        for (int i = 0; i < draft->elements[e].cell->node_count; i++)
            if (draft->elements[e].cell->dimension == f->dimension)
                f->node_of[draft->elements[e].nodes[i]] = 1;
    *count = 0;
    for (int64_t i = 0; i < draft->node_count; i++)
        f->node_of[i] = f->node_of[i] ? (*count)++ : -1;
    return SLIP_OK;
}

static int copy_points(finisher *f)
{
    double low = INFINITY, high = -INFINITY, size = 0;
    for (int64_t i = 0; i < f->draft->node_count; i++) {
        const double *point = f->draft->points + 3 * i;
        if (f->node_of[i] < 0)
            continue;
        memcpy(f->mesh->points + (int64_t)f->node_of[i] * f->dimension, point,
               (size_t)f->dimension * sizeof(double));
        low = fmin(low, point[2]);
        high = fmax(high, point[2]);
        size = fmax(size, fmax(fabs(point[0]), fabs(point[1])));
    }
    if (f->dimension == 2 && high - low > 1e-9 * size)
        return slip_fail(f->ctx, SLIP_ERROR_MODEL,
                         "%s: the mesh is not plane: z runs from %.9g to %.9g, expected one value", f->file,
                         low, high);
    return SLIP_OK;
}

/* The elements of one shape. */
static int copy_elements(finisher *f, const slip_cell *cell)
{
    const slip_draft *draft = f->draft;
    int count = 0, *nodes;
    for (int64_t e = 0; e < draft->element_count; e++)
        count += draft->elements[e].cell == cell;
    if (count == 0)
        return SLIP_OK;
    SLIP_PASS(slip_mesh_add_group(f->ctx, f->mesh, cell, count, &nodes));
    count = f->mesh->element_count - count;
    for (int64_t e = 0; e < draft->element_count; e++) {
        if (draft->elements[e].cell != cell)
            continue;
        f->element_of[e] = count++;
        for (int i = 0; i < cell->node_count; i++)
            *nodes++ = f->node_of[draft->elements[e].nodes[i]];
    }
    return SLIP_OK;
}

/* The set's items as numbers of the mesh, those that are not in the mesh left out. Of a set of nodes that
 * nothing is left of the name is kept, so that whoever asks for it can say so. */
static int add_mapped(finisher *f, const slip_draft_set *set, const int *numbers)
{
    const int per = set->kind == SLIP_SET_FACES ? slip_cell_faces_max : 1;
    int count = 0, *items, status;
    for (int64_t i = 0; i < set->count; i++)
        count += numbers[set->items[i] / per] >= 0;
    if (count == 0)
        return set->kind == SLIP_SET_NODES ? slip_mesh_add_unused(f->ctx, f->mesh, set->name) : SLIP_OK;
    status = slip_mesh_add_set(f->ctx, f->mesh, set->name, set->kind, count, &items);
    for (int64_t i = 0; i < set->count && status >= 0; i++)
        if (numbers[set->items[i] / per] >= 0)
            *items++ = numbers[set->items[i] / per] * per + set->items[i] % per;
    return status;
}

/* The nodes of the set's elements of lower dimension, each once. */
static int add_nodes(finisher *f, const slip_draft_set *set)
{
    int count = 0, *items, status;
    if (slip_draft_set_find(f->draft, set->name, SLIP_SET_NODES, false)) /* the file lists them itself */
        return SLIP_OK;
    memset(f->taken, 0, (size_t)f->mesh->node_count * sizeof *f->taken);
    for (int64_t i = 0; i < set->count; i++) {
        const slip_draft_element *element = &f->draft->elements[set->items[i]];
        for (int k = 0; k < element->cell->node_count && f->element_of[set->items[i]] < 0; k++) {
            const int node = f->node_of[element->nodes[k]];
            count += node >= 0 && !f->taken[node];
            if (node >= 0)
                f->taken[node] = true;
        }
    }
    if (count == 0)
        return SLIP_OK;
    status = slip_mesh_add_set(f->ctx, f->mesh, set->name, SLIP_SET_NODES, count, &items);
    for (int node = 0; node < f->mesh->node_count && status >= 0; node++)
        if (f->taken[node])
            *items++ = node;
    return status;
}

/* The face that an element of lower dimension is, or -1. */
static int face_of(const finisher *f, const slip_draft_element *element)
{
    int nodes[slip_cell_nodes_max];
    for (int i = 0; i < element->cell->node_count; i++)
        nodes[i] = f->node_of[element->nodes[i]];
    int64_t at = slip_face_find(f->faces, f->face_count, nodes, element->cell->corner_count);
    return at >= 0 ? f->faces[at].item : -1;
}

/* The faces that the set's elements of the dimension below are. */
static int add_faces(finisher *f, const slip_draft_set *set)
{
    int count = 0, *items, status;
    for (int64_t i = 0; i < set->count; i++)
        count += f->draft->elements[set->items[i]].cell->dimension == f->dimension - 1;
    if (count == 0)
        return SLIP_OK;
    status = slip_mesh_add_set(f->ctx, f->mesh, set->name, SLIP_SET_FACES, count, &items);
    for (int64_t i = 0; i < set->count && status >= 0; i++) {
        const slip_draft_element *element = &f->draft->elements[set->items[i]];
        const double *point = f->draft->points + 3 * (int64_t)element->nodes[0];
        if (element->cell->dimension != f->dimension - 1)
            continue;
        *items = face_of(f, element);
        if (*items++ < 0)
            status = slip_fail(f->ctx, SLIP_ERROR_MODEL,
                               "%s: set `%s`: the %s at (%.9g, %.9g, %.9g) is no face of an element", f->file,
                               set->name, element->cell->name, point[0], point[1], point[2]);
    }
    return status;
}

/* Those of the draft, for what the mesh has of it. */
static int copy_labels(finisher *f, const slip_tags *tags, int64_t draft_count, const int *number_of,
                       int count, int64_t **labels)
{
    SLIP_FREED int64_t *tag_of = slip_alloc(draft_count, sizeof *tag_of);
    *labels = slip_arena_array(&f->mesh->arena, count, sizeof **labels);
    if (tag_of && *labels) {
        slip_tags_list(tags, tag_of);
        for (int64_t i = 0; i < draft_count; i++)
            if (number_of[i] >= 0)
                (*labels)[number_of[i]] = tag_of[i];
    }
    const bool good = tag_of && *labels;
    return good ? SLIP_OK : slip_fail_memory(f->ctx);
}

static int add_sets(finisher *f)
{
    for (int64_t i = 0; i < f->draft->set_count; i++) {
        const slip_draft_set *set = &f->draft->sets[i];
        SLIP_PASS(add_mapped(f, set, set->kind == SLIP_SET_NODES ? f->node_of : f->element_of));
        if (set->kind == SLIP_SET_ELEMENTS)
            SLIP_PASS(add_nodes(f, set));
        if (set->kind == SLIP_SET_ELEMENTS)
            SLIP_PASS(add_faces(f, set));
    }
    return SLIP_OK;
}

static int build(finisher *f)
{
    int count = 0;
    SLIP_PASS(find_dimension(f));
    SLIP_PASS(number_nodes(f, &count));
    SLIP_PASS(slip_mesh_create(f->ctx, f->dimension, count, &f->mesh));
    SLIP_PASS(copy_points(f));
    f->element_of = slip_alloc(f->draft->element_count, sizeof *f->element_of);
    f->taken = slip_alloc(count, sizeof *f->taken);
    SLIP_PASS(slip_allocated(f->ctx, f->element_of && f->taken));
    for (int64_t e = 0; e < f->draft->element_count; e++)
        f->element_of[e] = -1;
    for (int i = 0; slip_cells[i]; i++)
        if (slip_cells[i]->dimension == f->dimension)
            SLIP_PASS(copy_elements(f, slip_cells[i]));
    SLIP_PASS(
        copy_labels(f, &f->draft->node_tags, f->draft->node_count, f->node_of, count, &f->mesh->node_labels));
    SLIP_PASS(copy_labels(f, &f->draft->element_tags, f->draft->element_count, f->element_of,
                          f->mesh->element_count, &f->mesh->element_labels));
    f->faces = slip_mesh_faces(f->mesh, &f->face_count);
    SLIP_PASS(slip_allocated(f->ctx, f->faces));
    return add_sets(f);
}

int slip_draft_finish(slip_context *ctx, const char *file, const slip_draft *draft, slip_mesh **mesh)
{
    finisher f = {.ctx = ctx, .file = file, .draft = draft};
    int status = build(&f);
    *mesh = status >= 0 ? f.mesh : NULL;
    if (status < 0)
        slip_mesh_destroy(f.mesh);
    free(f.node_of);
    free(f.element_of);
    free(f.faces);
    free(f.taken);
    return status;
}
