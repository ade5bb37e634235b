/* Gmsh mesh files, format 4.1, ASCII (Gmsh reference manual, "MSH file format").
 *
 * Physical groups become sets. Which groups an element is in is said by the geometric entity that it belongs
 * to: $Entities lists the groups of each, $Elements the elements of each. */
#include "io/mesh_draft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { dimensions = 4, name_size = 256 };

typedef struct entity {
    int64_t first, count; /* its groups in reader.groups */
} entity;

typedef struct physical {
    int64_t dimension, tag;
    char *name;
} physical;

typedef struct reader {
    slip_scan scan;
    slip_draft draft;
    slip_tags entity_tags[dimensions];
    entity *entities;
    int64_t entity_count, entity_capacity;
    int64_t *groups; /* physical tags */
    int64_t group_count, group_capacity;
    physical *physicals;
    int64_t physical_count, physical_capacity;
    int64_t *tags; /* of the nodes of a block */
    int64_t tag_capacity;
} reader;

static void free_reader(reader *r)
{
    slip_draft_free(&r->draft);
    for (int i = 0; i < dimensions; i++)
        slip_tags_free(&r->entity_tags[i]);
    for (int64_t i = 0; i < r->physical_count; i++)
        free(r->physicals[i].name);
    free(r->physicals);
    free(r->entities);
    free(r->groups);
    free(r->tags);
}

static int integer(reader *r, const char *what, int64_t *value)
{
    return slip_scan_integer(&r->scan, what, -INT64_C(1000000000000), INT64_C(1000000000000), value);
}

static int count(reader *r, const char *what, int64_t *value)
{
    return slip_scan_integer(&r->scan, what, 0, slip_draft_count_max, value);
}

/* ---- header ---- */

static int read_format(reader *r)
{
    double version;
    int64_t binary, size;
    int status;
    SLIP_TRY(slip_scan_number(&r->scan, "version of the format", &version));
    if (version != 4.1)
        return slip_scan_fail(
            &r->scan, "the format has version %.9g, expected 4.1 (gmsh FILE -save -format msh41)", version);
    SLIP_TRY(integer(r, "file type", &binary));
    if (binary != 0)
        return slip_scan_fail(&r->scan,
                              "the file is binary, expected ASCII (gmsh option -setnumber Mesh.Binary 0)");
    SLIP_TRY(integer(r, "size of a number", &size));
done:
    return status;
}

static int read_name(reader *r, char name[name_size])
{
    const char *start, *end;
    slip_scan_skip(&r->scan);
    start = r->scan.at;
    end = *start == '"' ? start + 1 + strcspn(start + 1, "\"\n") : start;
    if (*start != '"' || *end != '"' || end == start + 1 || end - start > name_size)
        return slip_scan_fail(&r->scan, "expected the name of a group, in quotes and of at most %d bytes",
                              name_size - 1);
    snprintf(name, name_size, "%.*s", (int)(end - start - 1), start + 1);
    r->scan.at = end + 1;
    return SLIP_OK;
}

static int read_physical_names(reader *r)
{
    int64_t total;
    int status;
    SLIP_TRY(count(r, "number of physical groups", &total));
    for (int64_t i = 0; i < total; i++) {
        physical item = {0};
        char name[name_size];
        SLIP_TRY(slip_scan_integer(&r->scan, "dimension", 0, 3, &item.dimension));
        SLIP_TRY(integer(r, "tag of the group", &item.tag));
        SLIP_TRY(read_name(r, name));
        item.name = strdup(name);
        if (!item.name ||
            !slip_array_reserve(&r->physicals, &r->physical_capacity, r->physical_count + 1, sizeof item)) {
            free(item.name);
            return slip_fail_memory(r->scan.ctx);
        }
        r->physicals[r->physical_count++] = item;
    }
done:
    return status;
}

/* ---- entities ---- */

static int read_groups(reader *r, entity *item)
{
    int64_t tag;
    int status;
    SLIP_TRY(count(r, "number of physical groups", &item->count));
    item->first = r->group_count;
    for (int64_t i = 0; i < item->count; i++) {
        SLIP_TRY(integer(r, "tag of a physical group", &tag));
        if (!slip_array_reserve(&r->groups, &r->group_capacity, r->group_count + 1, sizeof tag))
            return slip_fail_memory(r->scan.ctx);
        r->groups[r->group_count++] = tag < 0 ? -tag : tag; /* the sign says which way it is turned */
    }
done:
    return status;
}

/* An entity: its tag, its box (of a point: the point), its groups, what bounds it. */
static int read_entity(reader *r, int dimension)
{
    entity item;
    int64_t tag, skipped, bounds = 0;
    double number;
    int status;
    SLIP_TRY(integer(r, "tag of an entity", &tag));
    for (int i = 0; i < (dimension == 0 ? 3 : 6); i++)
        SLIP_TRY(slip_scan_number(&r->scan, "bound of an entity", &number));
    SLIP_TRY(read_groups(r, &item));
    if (dimension > 0)
        SLIP_TRY(count(r, "number of bounding entities", &bounds));
    for (int64_t i = 0; i < bounds; i++)
        SLIP_TRY(integer(r, "tag of a bounding entity", &skipped));
    status = slip_tags_add(&r->entity_tags[dimension], tag, (int)r->entity_count);
    if (status > 0)
        return slip_scan_fail(&r->scan, "entity %lld of dimension %d is here for the second time",
                              (long long)tag, dimension);
    if (status < 0 ||
        !slip_array_reserve(&r->entities, &r->entity_capacity, r->entity_count + 1, sizeof item))
        return slip_fail_memory(r->scan.ctx);
    r->entities[r->entity_count++] = item;
done:
    return status;
}

static int read_entities(reader *r)
{
    int64_t totals[dimensions];
    int status;
    for (int d = 0; d < dimensions; d++)
        SLIP_TRY(count(r, "number of entities", &totals[d]));
    for (int d = 0; d < dimensions; d++)
        for (int64_t i = 0; i < totals[d]; i++)
            SLIP_TRY(read_entity(r, d));
done:
    return status;
}

/* ---- nodes ---- */

static int read_node_block(reader *r)
{
    int64_t dimension, tag, parametric, total;
    double point[3], number;
    int status;
    SLIP_TRY(slip_scan_integer(&r->scan, "dimension", 0, 3, &dimension));
    SLIP_TRY(integer(r, "tag of an entity", &tag));
    SLIP_TRY(slip_scan_integer(&r->scan, "parametric", 0, 1, &parametric));
    SLIP_TRY(count(r, "number of nodes", &total));
    for (int64_t i = 0; i < total; i++) {
        if (!slip_array_reserve(&r->tags, &r->tag_capacity, i + 1, sizeof *r->tags))
            return slip_fail_memory(r->scan.ctx);
        SLIP_TRY(integer(r, "tag of a node", &r->tags[i]));
    }
    for (int64_t i = 0; i < total; i++) {
        for (int k = 0; k < 3; k++)
            SLIP_TRY(slip_scan_number(&r->scan, "coordinate of a node", &point[k]));
        for (int64_t k = 0; k < (parametric ? dimension : 0); k++)
            SLIP_TRY(slip_scan_number(&r->scan, "parametric coordinate of a node", &number));
        SLIP_TRY(slip_draft_add_node(&r->scan, &r->draft, r->tags[i], point));
    }
done:
    return status;
}

/* Sections of blocks start with the number of blocks, the number of items, and their range of tags. */
static int read_blocks(reader *r, int (*read_block)(reader *r))
{
    int64_t blocks, ignored;
    int status;
    SLIP_TRY(count(r, "number of blocks", &blocks));
    for (int i = 0; i < 3; i++)
        SLIP_TRY(integer(r, "number of items or bound of their tags", &ignored));
    for (int64_t i = 0; i < blocks; i++)
        SLIP_TRY(read_block(r));
done:
    return status;
}

static int read_nodes(reader *r)
{
    return read_blocks(r, read_node_block);
}

/* ---- elements ---- */

static const slip_cell *find_cell(int64_t type)
{
    for (int i = 0; slip_cells[i]; i++)
        if (slip_cells[i]->gmsh == type)
            return slip_cells[i];
    return NULL;
}

/* The name of a group; its number where it has none. */
static const char *group_name(const reader *r, int64_t dimension, int64_t tag, char buffer[32])
{
    for (int64_t i = 0; i < r->physical_count; i++)
        if (r->physicals[i].dimension == dimension && r->physicals[i].tag == tag)
            return r->physicals[i].name;
    snprintf(buffer, 32, "%lld", (long long)tag);
    return buffer;
}

/* Puts the elements from `first` on into the groups of their entity. */
static int add_to_groups(reader *r, int64_t dimension, int64_t tag, int64_t first)
{
    const int at = slip_tags_find(&r->entity_tags[dimension], tag);
    char buffer[32];
    for (int64_t g = 0; at >= 0 && g < r->entities[at].count; g++) {
        const int64_t group = r->groups[r->entities[at].first + g];
        slip_draft_set *set =
            slip_draft_set_get(&r->draft, group_name(r, dimension, group, buffer), SLIP_SET_ELEMENTS, false);
        for (int64_t e = first; e < r->draft.element_count; e++)
            if (!set || !slip_draft_set_append(set, (int)e))
                return slip_fail_memory(r->scan.ctx);
    }
    return SLIP_OK;
}

static int read_element_block(reader *r)
{
    int64_t dimension, tag, type, total, element, nodes[slip_cell_nodes_max], ordered[slip_cell_nodes_max];
    const int64_t first = r->draft.element_count;
    const slip_cell *cell;
    int status;
    SLIP_TRY(slip_scan_integer(&r->scan, "dimension", 0, 3, &dimension));
    SLIP_TRY(integer(r, "tag of an entity", &tag));
    SLIP_TRY(integer(r, "type of elements", &type));
    cell = find_cell(type);
    if (!cell)
        return slip_scan_fail(
            &r->scan,
            "elements of type %lld are not supported, expected triangles (2, 9), quadrangles (3, "
            "16), tetrahedra (4, 11) or hexahedra (5, 17)%s",
            (long long)type,
            type == 10 || type == 12 ? "; Mesh.SecondOrderIncomplete = 1 leaves out middle nodes "
                                       "of faces and volumes"
                                     : "");
    SLIP_TRY(count(r, "number of elements", &total));
    for (int64_t i = 0; i < total; i++) {
        SLIP_TRY(integer(r, "tag of an element", &element));
        for (int k = 0; k < cell->node_count; k++)
            SLIP_TRY(integer(r, "tag of a node", &nodes[k]));
        for (int k = 0; k < cell->node_count; k++)
            ordered[k] = nodes[cell->gmsh_order ? cell->gmsh_order[k] : k];
        SLIP_TRY(slip_draft_add_element(&r->scan, &r->draft, element, cell, ordered));
    }
    SLIP_TRY(add_to_groups(r, dimension, tag, first));
done:
    return status;
}

static int read_elements(reader *r)
{
    return read_blocks(r, read_element_block);
}

/* ---- sections ---- */

typedef struct section {
    const char *start, *end;
    int (*read)(reader *r);
} section;

static const section sections[] = {{"$MeshFormat", "$EndMeshFormat", read_format},
                                   {"$PhysicalNames", "$EndPhysicalNames", read_physical_names},
                                   {"$Entities", "$EndEntities", read_entities},
                                   {"$Nodes", "$EndNodes", read_nodes},
                                   {"$Elements", "$EndElements", read_elements},
                                   {NULL, NULL, NULL}};

/* Sections that do not concern the mesh ($Periodic, $NodeData, ...) are passed over. */
static int skip_section(reader *r)
{
    const slip_scan start = r->scan;
    char end[80];
    const size_t length = strcspn(r->scan.at, " \t\r\n");
    if (*r->scan.at != '$' || length < 2 || length > 60)
        return slip_scan_fail(&r->scan, "expected a section such as $Nodes");
    snprintf(end, sizeof end, "$End%.*s", (int)length - 1, r->scan.at + 1);
    while (*r->scan.at) {
        slip_scan_line(&r->scan);
        if (slip_scan_word(&r->scan, end))
            return SLIP_OK;
    }
    return slip_scan_fail(&start, "this section has no end, expected %s", end);
}

static int read_section(reader *r)
{
    for (const section *s = sections; s->start; s++) {
        int status;
        if (!slip_scan_word(&r->scan, s->start))
            continue;
        status = s->read(r);
        if (status >= 0 && !slip_scan_word(&r->scan, s->end))
            status = slip_scan_fail(&r->scan, "expected %s", s->end);
        return status;
    }
    return skip_section(r);
}

int slip_mesh_parse_gmsh(slip_context *ctx, const char *name, const char *text, size_t length,
                         slip_mesh **mesh)
{
    reader r = {.scan = {.ctx = ctx, .file = name, .at = text, .line = 1}};
    int status = SLIP_OK;
    *mesh = NULL;
    slip_scan_skip(&r.scan);
    if (strncmp(r.scan.at, "$MeshFormat", strlen("$MeshFormat")) != 0)
        status = slip_scan_fail(&r.scan, "expected $MeshFormat, the start of a Gmsh file of version 4.1");
    while (status >= 0 && *r.scan.at) {
        status = read_section(&r);
        slip_scan_skip(&r.scan);
    }
    if (status >= 0 && r.scan.at != text + length)
        status = slip_scan_fail(&r.scan, "found a zero byte, expected text");
    if (status >= 0)
        status = slip_draft_finish(ctx, name, &r.draft, mesh);
    free_reader(&r);
    return status;
}
