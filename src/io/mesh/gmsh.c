/* Gmsh mesh files, formats 4.1 and 2, ASCII and binary (Gmsh reference manual, "MSH file format" and "Legacy
 * formats").
 *
 * Physical groups become sets. Which groups an element is in is said in format 4.1 by the geometric entity
 * that it belongs to: $Entities lists the groups of each, $Elements the elements of each. In format 2 every
 * element says one group; an element of two groups is there twice, one after the other.
 *
 * Binary files have the same sections with numbers as bytes: ints of 4 bytes, counts and tags of nodes and
 * elements in format 4.1 of 8, doubles. */
#include "io/mesh/draft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { dimensions = 4, name_size = 256 };
static const int64_t tag_max = INT64_C(1000000000000);

typedef struct entity {
    int64_t first, count; /* its groups in reader.groups */
} entity;

typedef struct physical {
    int64_t dimension, tag;
    char *name;
} physical;

typedef struct reader {
    slip_scan scan;
    const char *text; /* the whole file */
    size_t length;
    int version; /* 2 or 4 */
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
    int64_t group[2]; /* dimension and tag of the group that an element was put into last */
    int64_t set;      /* its set in the draft */
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

/* A whole number: in binary files an int, or a number of 8 bytes. */
static int whole(reader *r, const char *what, int size, int64_t low, int64_t high, int64_t *value)
{
    return r->scan.start ? slip_scan_binary_integer(&r->scan, what, size, low, high, value)
                         : slip_scan_integer(&r->scan, what, low, high, value);
}

static int number(reader *r, const char *what, double *value)
{
    return r->scan.start ? slip_scan_binary_number(&r->scan, what, value)
                         : slip_scan_number(&r->scan, what, value);
}

static int integer(reader *r, const char *what, int64_t *value)
{
    return whole(r, what, 4, -tag_max, tag_max, value);
}

/* Tags of nodes and elements. */
static int tag_of(reader *r, const char *what, int64_t *value)
{
    return whole(r, what, r->version == 2 ? 4 : 8, -tag_max, tag_max, value);
}

static int count(reader *r, const char *what, int64_t *value)
{
    return whole(r, what, 8, 0, slip_draft_count_max, value);
}

static int small(reader *r, const char *what, int64_t high, int64_t *value)
{
    return whole(r, what, 4, 0, high, value);
}

/* Counts that are text in binary files too; the bytes start in the next line. */
static int text_count(reader *r, const char *what, int64_t *value)
{
    const int status = slip_scan_integer(&r->scan, what, 0, slip_draft_count_max, value);
    if (status >= 0 && r->scan.start)
        slip_scan_line(&r->scan);
    return status;
}

/* ---- header ---- */

static int read_format(reader *r)
{
    double version;
    int64_t binary, size, one;
    SLIP_PASS(slip_scan_number(&r->scan, "version of the format", &version));
    if (version != 4.1 && !(version >= 2 && version <= 2.2))
        return slip_scan_fail(
            &r->scan, "the format has version %.9g, expected 4.1 or 2.2 (gmsh FILE -save -format msh41)",
            version);
    r->version = (int)version;
    SLIP_PASS(slip_scan_integer(&r->scan, "file type", 0, 1, &binary));
    SLIP_PASS(slip_scan_integer(&r->scan, "size of a number", 8, 8, &size));
    if (!binary)
        return SLIP_OK;
    slip_scan_line(&r->scan);
    r->scan.start = r->text;
    r->scan.end = r->text + r->length;
    SLIP_PASS(whole(r, "one as a binary number", 4, INT32_MIN, INT32_MAX, &one));
    if (one != 1)
        return slip_scan_fail(&r->scan,
                              "the number 1 is written as %lld: expected a file of a machine with the "
                              "same order of bytes",
                              (long long)one);
    return SLIP_OK;
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
    SLIP_PASS(slip_scan_integer(&r->scan, "number of physical groups", 0, slip_draft_count_max, &total));
    for (int64_t i = 0; i < total; i++) {
        physical item = {0};
        char name[name_size];
        SLIP_PASS(slip_scan_integer(&r->scan, "dimension", 0, 3, &item.dimension));
        SLIP_PASS(slip_scan_integer(&r->scan, "tag of the group", -tag_max, tag_max, &item.tag));
        SLIP_PASS(read_name(r, name));
        item.name = strdup(name);
        if (!item.name || !SLIP_ROOM(r->physicals, r->physical_capacity, r->physical_count + 1)) {
            free(item.name);
            return slip_fail_memory(r->scan.ctx);
        }
        r->physicals[r->physical_count++] = item;
    }
    return SLIP_OK;
}

/* ---- entities ---- */

static int read_groups(reader *r, entity *item)
{
    int64_t tag;
    SLIP_PASS(count(r, "number of physical groups", &item->count));
    item->first = r->group_count;
    for (int64_t i = 0; i < item->count; i++) {
        SLIP_PASS(integer(r, "tag of a physical group", &tag));
        SLIP_PASS(slip_allocated(r->scan.ctx, SLIP_ROOM(r->groups, r->group_capacity, r->group_count + 1)));
        r->groups[r->group_count++] = tag < 0 ? -tag : tag; /* the sign says which way it is turned */
    }
    return SLIP_OK;
}

/* An entity: its tag, its box (of a point: the point), its groups, what bounds it. */
static int read_entity(reader *r, int dimension)
{
    entity item;
    int64_t tag, skipped, bounds = 0;
    double bound;
    SLIP_PASS(integer(r, "tag of an entity", &tag));
    for (int i = 0; i < (dimension == 0 ? 3 : 6); i++)
        SLIP_PASS(number(r, "bound of an entity", &bound));
    SLIP_PASS(read_groups(r, &item));
    if (dimension > 0)
        SLIP_PASS(count(r, "number of bounding entities", &bounds));
    for (int64_t i = 0; i < bounds; i++)
        SLIP_PASS(integer(r, "tag of a bounding entity", &skipped));
    int status = slip_tags_add(&r->entity_tags[dimension], tag, (int)r->entity_count);
    if (status > 0)
        return slip_scan_fail(&r->scan, "entity %lld of dimension %d is here for the second time",
                              (long long)tag, dimension);
    if (status < 0 || !SLIP_ROOM(r->entities, r->entity_capacity, r->entity_count + 1))
        return slip_fail_memory(r->scan.ctx);
    r->entities[r->entity_count++] = item;
    return status;
}

static int read_entities(reader *r)
{
    int64_t totals[dimensions];
    for (int d = 0; d < dimensions; d++)
        SLIP_PASS(count(r, "number of entities", &totals[d]));
    for (int d = 0; d < dimensions; d++)
        for (int64_t i = 0; i < totals[d]; i++)
            SLIP_PASS(read_entity(r, d));
    return SLIP_OK;
}

/* ---- nodes ---- */

static int read_place(reader *r, double point[3])
{
    for (int k = 0; k < 3; k++)
        SLIP_PASS(number(r, "coordinate of a node", &point[k]));
    return SLIP_OK;
}

static int read_node_block(reader *r)
{
    int64_t dimension, tag, parametric, total;
    double point[3], place;
    SLIP_PASS(small(r, "dimension", 3, &dimension));
    SLIP_PASS(integer(r, "tag of an entity", &tag));
    SLIP_PASS(small(r, "parametric", 1, &parametric));
    SLIP_PASS(count(r, "number of nodes", &total));
    for (int64_t i = 0; i < total; i++) {
        SLIP_PASS(slip_allocated(r->scan.ctx, SLIP_ROOM(r->tags, r->tag_capacity, i + 1)));
        SLIP_PASS(tag_of(r, "tag of a node", &r->tags[i]));
    }
    for (int64_t i = 0; i < total; i++) {
        SLIP_PASS(read_place(r, point));
        for (int64_t k = 0; k < (parametric ? dimension : 0); k++)
            SLIP_PASS(number(r, "parametric coordinate of a node", &place));
        SLIP_PASS(slip_draft_add_node(&r->scan, &r->draft, r->tags[i], point));
    }
    return SLIP_OK;
}

/* Sections of blocks start with the number of blocks, the number of items, and their range of tags. */
static int read_blocks(reader *r, int (*read_block)(reader *r))
{
    int64_t blocks, ignored;
    SLIP_PASS(count(r, "number of blocks", &blocks));
    for (int i = 0; i < 3; i++)
        SLIP_PASS(whole(r, "number of items or bound of their tags", 8, -tag_max, tag_max, &ignored));
    for (int64_t i = 0; i < blocks; i++)
        SLIP_PASS(read_block(r));
    return SLIP_OK;
}

static int read_nodes(reader *r)
{
    int64_t total, tag;
    double point[3];
    if (r->version == 4)
        return read_blocks(r, read_node_block);
    SLIP_PASS(text_count(r, "number of nodes", &total));
    for (int64_t i = 0; i < total; i++) {
        SLIP_PASS(tag_of(r, "tag of a node", &tag));
        SLIP_PASS(read_place(r, point));
        SLIP_PASS(slip_draft_add_node(&r->scan, &r->draft, tag, point));
    }
    return SLIP_OK;
}

/* ---- elements ---- */

static int read_cell(reader *r, const slip_cell **cell)
{
    int64_t type;
    SLIP_PASS(integer(r, "type of elements", &type));
    for (int i = 0; slip_cells[i]; i++)
        if (slip_cells[i]->gmsh == type) {
            *cell = slip_cells[i];
            return SLIP_OK;
        }
    return slip_scan_fail(
        &r->scan,
        "elements of type %lld are not supported, expected triangles (2, 9), quadrangles (3, "
        "16), tetrahedra (4, 11) or hexahedra (5, 17)%s",
        (long long)type,
        type == 10 || type == 12 ? "; Mesh.SecondOrderIncomplete = 1 leaves out middle nodes "
                                   "of faces and volumes"
                                 : "");
}

/* The tags of an element's nodes, in our order. */
static int read_node_tags(reader *r, const slip_cell *cell, int64_t *nodes)
{
    int64_t found[slip_cell_nodes_max];
    for (int k = 0; k < cell->node_count; k++)
        SLIP_PASS(tag_of(r, "tag of a node", &found[k]));
    for (int k = 0; k < cell->node_count; k++)
        nodes[k] = found[cell->gmsh_order ? cell->gmsh_order[k] : k];
    return SLIP_OK;
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

/* Puts the elements from `first` on into a group. */
static int add_to_group(reader *r, int64_t dimension, int64_t tag, int64_t first)
{
    char buffer[32];
    if (r->group[0] != dimension || r->group[1] != tag) {
        const slip_draft_set *set =
            slip_draft_set_get(&r->draft, group_name(r, dimension, tag, buffer), SLIP_SET_ELEMENTS, false);
        SLIP_PASS(slip_allocated(r->scan.ctx, set));
        r->group[0] = dimension;
        r->group[1] = tag;
        r->set = set - r->draft.sets;
    }
    for (int64_t e = first; e < r->draft.element_count; e++)
        SLIP_PASS(slip_allocated(r->scan.ctx, slip_draft_set_append(&r->draft.sets[r->set], (int)e)));
    return SLIP_OK;
}

static int read_element_block(reader *r)
{
    int64_t dimension, tag, total, element, nodes[slip_cell_nodes_max];
    const int64_t first = r->draft.element_count;
    const slip_cell *cell;
    int at;
    SLIP_PASS(small(r, "dimension", 3, &dimension));
    SLIP_PASS(integer(r, "tag of an entity", &tag));
    SLIP_PASS(read_cell(r, &cell));
    SLIP_PASS(count(r, "number of elements", &total));
    for (int64_t i = 0; i < total; i++) {
        SLIP_PASS(tag_of(r, "tag of an element", &element));
        SLIP_PASS(read_node_tags(r, cell, nodes));
        SLIP_PASS(slip_draft_add_element(&r->scan, &r->draft, element, cell, nodes));
    }
    at = slip_tags_find(&r->entity_tags[dimension], tag);
    for (int64_t g = 0; at >= 0 && g < r->entities[at].count; g++)
        SLIP_PASS(add_to_group(r, dimension, r->groups[r->entities[at].first + g], first));
    return SLIP_OK;
}

/* The element that was read last has this shape and these nodes. */
static bool is_again(const reader *r, const slip_cell *cell, const int64_t *nodes)
{
    if (r->draft.element_count == 0)
        return false;
    const slip_draft_element *last = &r->draft.elements[r->draft.element_count - 1];
    bool same = last->cell == cell;
    for (int k = 0; k < cell->node_count && same; k++)
        same = slip_tags_find(&r->draft.node_tags, nodes[k]) == last->nodes[k];
    return same;
}

/* Format 2: the element's tags, of which the first is its physical group (0: none), and its nodes. */
static int read_plain_element(reader *r, int64_t element, const slip_cell *cell, int64_t tag_count)
{
    int64_t tag, group = 0, nodes[slip_cell_nodes_max];
    for (int64_t i = 0; i < tag_count; i++) {
        SLIP_PASS(integer(r, "tag of an element", &tag));
        group = i == 0 ? llabs(tag) : group;
    }
    SLIP_PASS(read_node_tags(r, cell, nodes));
    if (!is_again(r, cell, nodes))
        SLIP_PASS(slip_draft_add_element(&r->scan, &r->draft, element, cell, nodes));
    if (group != 0)
        SLIP_PASS(add_to_group(r, cell->dimension, group, r->draft.element_count - 1));
    return SLIP_OK;
}

/* In binary files elements of one type are together, behind the type, how many there are, and of how many
 * tags. */
static int read_elements(reader *r)
{
    int64_t total, element, block = 1, tag_count = 0;
    const slip_cell *cell = NULL;
    if (r->version == 4)
        return read_blocks(r, read_element_block);
    SLIP_PASS(text_count(r, "number of elements", &total));
    for (int64_t done_count = 0; done_count < total; done_count += block) {
        if (r->scan.start) {
            SLIP_PASS(read_cell(r, &cell));
            SLIP_PASS(whole(r, "number of elements", 4, 1, total - done_count, &block));
            SLIP_PASS(small(r, "number of tags", 1000, &tag_count));
        }
        for (int64_t i = 0; i < block; i++) {
            SLIP_PASS(tag_of(r, "number of an element", &element));
            if (!r->scan.start) {
                SLIP_PASS(read_cell(r, &cell));
                SLIP_PASS(small(r, "number of tags", 1000, &tag_count));
            }
            SLIP_PASS(read_plain_element(r, element, cell, tag_count));
        }
    }
    return SLIP_OK;
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
    char end[80];
    const size_t length = strcspn(r->scan.at, " \t\r\n");
    if (*r->scan.at != '$' || length < 2 || length > 60)
        return slip_scan_fail(&r->scan, "expected a section such as $Nodes");
    snprintf(end, sizeof end, "\n$End%.*s", (int)length - 1, r->scan.at + 1);
    const slip_scan start = r->scan;
    for (; strlen(end) <= (size_t)(r->text + r->length - r->scan.at); r->scan.at++) {
        if (memcmp(r->scan.at, end, strlen(end)) == 0) {
            r->scan.at += strlen(end);
            r->scan.line++;
            return SLIP_OK;
        }
        r->scan.line += *r->scan.at == '\n';
    }
    return slip_scan_fail(&start, "this section has no end, expected %s", end + 1);
}

static int read_section(reader *r)
{
    for (const section *s = sections; s->start; s++) {
        if (!slip_scan_word(&r->scan, s->start))
            continue;
        if (r->scan.start && s->read != read_physical_names) /* bytes may look like blanks */
            slip_scan_line(&r->scan);
        int status = s->read(r);
        if (status >= 0 && !slip_scan_word(&r->scan, s->end))
            status = slip_scan_fail(&r->scan, "expected %s", s->end);
        return status;
    }
    return skip_section(r);
}

int slip_mesh_parse_gmsh(slip_context *ctx, const char *name, const char *text, size_t length,
                         slip_mesh **mesh)
{
    SLIP_FREED_BY(free_reader)
    reader r = {.scan = {.ctx = ctx, .file = name, .at = text, .line = 1},
                .text = text,
                .length = length,
                .group = {-1, -1}};
    int status = SLIP_OK;
    *mesh = NULL;
    slip_scan_skip(&r.scan);
    if (strncmp(r.scan.at, "$MeshFormat", strlen("$MeshFormat")) != 0)
        status =
            slip_scan_fail(&r.scan, "expected $MeshFormat, the start of a Gmsh file of version 4.1 or 2.2");
    while (status >= 0 && *r.scan.at) {
        status = read_section(&r);
        slip_scan_skip(&r.scan);
    }
    if (status >= 0 && r.scan.at != text + length)
        status = slip_scan_fail(&r.scan, "found a zero byte, expected text");
    if (status >= 0)
        status = slip_draft_finish(ctx, name, &r.draft, mesh);
    return status;
}
