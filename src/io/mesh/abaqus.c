/* Abaqus and CalculiX input files: the mesh of them.
 *
 * Read are *NODE, *ELEMENT, *NSET, *ELSET (also GENERATE) and *SURFACE; other keywords are passed over with
 * their data lines, since material and loads are said in the model file. Elements that are no part of an
 * elastic body (springs, masses, shells) are left out with a note; sets may still name them. Numbers and sets
 * of all parts are taken as one mesh. Keywords and names are the same in capital and small letters. */
#include "base/text.h"
#include "io/fields.h"
#include "io/mesh/draft.h"
#include "io/number.h"

#include <math.h>
#include <string.h>
#include <strings.h>

typedef struct reader {
    slip_scan scan;
    slip_scan keyword_scan; /* at the keyword at hand, for messages about all of its lines */
    slip_draft draft;
    slip_fields keyword; /* the line of the keyword at hand: name, then NAME=VALUE */
    slip_fields data;    /* the data line at hand */
    int values_seen;     /* of the element at hand, over several lines */
    int64_t element[1 + slip_cell_nodes_max];
    const slip_cell *cell; /* NULL: these elements are left out */
    slip_tags left_out;    /* elements that are */
    bool left_out_here;    /* the keyword at hand names some of them */
} reader;

/* ---- lines ---- */

static const char *parameter(const reader *r, const char *name)
{
    return slip_fields_parameter(&r->keyword, name);
}

static int required(reader *r, const char *name, const char **value)
{
    *value = parameter(r, name);
    if (*value && **value)
        return SLIP_OK;
    return slip_scan_fail(&r->scan, "%s: %s is missing, expected for example %s=name", r->keyword.field[0],
                          name, name);
}

static int read_whole(reader *r, const char *text, const char *what, int64_t *value)
{
    if (slip_fields_whole(text, value))
        return SLIP_OK;
    return slip_scan_fail(&r->scan, "%s: found `%s`, expected a whole number", what, text);
}

static int fail_memory(const reader *r)
{
    return slip_fail_memory(r->scan.ctx);
}

/* ---- nodes and elements ---- */

static int append(reader *r, const char *set_name, slip_set_kind kind, int64_t item)
{
    slip_draft_set *set = slip_draft_set_get(&r->draft, set_name, kind, true);
    return set && slip_draft_set_append(set, (int)item) ? SLIP_OK : fail_memory(r);
}

static int read_node(reader *r)
{
    const char *set = parameter(r, "NSET");
    double point[3] = {0, 0, 0};
    int64_t tag;
    SLIP_PASS(read_whole(r, r->data.field[0], "number of a node", &tag));
    if (r->data.count < 3 || r->data.count > 4)
        return slip_scan_fail(&r->scan, "node %lld: found %d coordinates, expected 2 or 3", (long long)tag,
                              r->data.count - 1);
    for (int i = 1; i < r->data.count; i++) {
        const char *end = "", *field = r->data.field[i];
        if (!slip_number_read(field, &end, &point[i - 1]) || *end || !isfinite(point[i - 1]))
            return slip_scan_fail(&r->scan, "node %lld: found `%s`, expected a finite number", (long long)tag,
                                  field);
    }
    SLIP_PASS(slip_draft_add_node(&r->scan, &r->draft, tag, point));
    if (set && *set)
        SLIP_PASS(append(r, set, SLIP_SET_NODES, r->draft.node_count - 1));
    return SLIP_OK;
}

/* The cell of a type, which may have letters of variants behind its name: reduced, incompatible, hybrid,
 * modified.
 */
static const slip_cell *find_cell(const char *type)
{
    for (int i = 0; slip_cells[i]; i++)
        for (int k = 0; slip_cells[i]->abaqus[k]; k++) {
            const size_t length = strlen(slip_cells[i]->abaqus[k]);
            if (strncasecmp(slip_cells[i]->abaqus[k], type, length) == 0 &&
                strspn(type + length, "RIHMrihm") == strlen(type + length))
                return slip_cells[i];
        }
    return NULL;
}

static int start_elements(reader *r)
{
    const char *type;
    SLIP_PASS(required(r, "TYPE", &type));
    r->values_seen = 0;
    r->cell = find_cell(type);
    if (r->cell)
        return SLIP_OK;
    if (*type != 'C' && *type != 'c') { /* a C is for continuum */
        slip_log(r->scan.ctx, SLIP_LOG_INFO, "%s:%d: elements of type %s are left out", r->scan.file,
                 r->scan.line, type);
        return SLIP_OK;
    }
    return slip_scan_fail(
        &r->scan,
        "elements of type %s are not supported, expected CPE3, CPE4, CPE6, CPE8 (or CPS...) in "
        "the plane, C3D4, C3D8, C3D10, C3D20 in space",
        type);
}

/* Remembers the number of an element that is left out, and its set, so that other lines may name them. */
static int leave_out(reader *r, const char *set)
{
    const bool goes_on = r->values_seen > 0;
    int64_t tag;
    r->values_seen = r->data.continues;
    if (goes_on)
        return SLIP_OK;
    SLIP_PASS(read_whole(r, r->data.field[0], "number of an element", &tag));
    if (slip_tags_add(&r->left_out, tag, 0) < 0 ||
        (set && *set && !slip_draft_set_get(&r->draft, set, SLIP_SET_ELEMENTS, true)))
        return fail_memory(r);
    return SLIP_OK;
}

/* An element may go over several lines: numbers are collected until it is complete. */
static int read_element(reader *r)
{
    const char *set = parameter(r, "ELSET");
    int64_t nodes[slip_cell_nodes_max];
    if (!r->cell)
        return leave_out(r, set);
    for (int i = 0; i < r->data.count; i++) {
        if (r->values_seen > r->cell->node_count)
            return slip_scan_fail(&r->scan, "element %lld: found more than %d nodes, as %s has",
                                  (long long)r->element[0], r->cell->node_count, r->cell->abaqus[0]);
        SLIP_PASS(
            read_whole(r, r->data.field[i], "number of an element or node", &r->element[r->values_seen++]));
    }
    if (r->values_seen <= r->cell->node_count && r->data.continues)
        return SLIP_OK;
    if (r->values_seen <= r->cell->node_count)
        return slip_scan_fail(&r->scan, "element %lld: found %d nodes, expected %d", (long long)r->element[0],
                              r->values_seen - 1, r->cell->node_count);
    r->values_seen = 0;
    for (int k = 0; k < r->cell->node_count; k++)
        nodes[k] = r->element[1 + (r->cell->abaqus_order ? r->cell->abaqus_order[k] : k)];
    SLIP_PASS(slip_draft_add_element(&r->scan, &r->draft, r->element[0], r->cell, nodes));
    if (set && *set)
        SLIP_PASS(append(r, set, SLIP_SET_ELEMENTS, r->draft.element_count - 1));
    return SLIP_OK;
}

static int check_complete(reader *r)
{
    if (r->values_seen == 0 || !r->cell)
        return SLIP_OK;
    return slip_scan_fail(&r->scan, "element %lld ends after %d nodes, expected %d", (long long)r->element[0],
                          r->values_seen - 1, r->cell->node_count);
}

/* ---- sets ---- */

static const char *noun(slip_set_kind kind)
{
    return kind == SLIP_SET_NODES ? "node" : "element";
}

static int add_tagged(reader *r, const char *name, slip_set_kind kind, int64_t tag)
{
    const slip_tags *tags = kind == SLIP_SET_NODES ? &r->draft.node_tags : &r->draft.element_tags;
    const int index = slip_tags_find(tags, tag);
    if (index < 0 && kind == SLIP_SET_ELEMENTS && slip_tags_find(&r->left_out, tag) >= 0) {
        r->left_out_here = true;
        return SLIP_OK;
    }
    if (index < 0)
        return slip_scan_fail(&r->scan, "set `%s`: there is no %s %lld", name, noun(kind), (long long)tag);
    return append(r, name, kind, index);
}

/* Adds a set to another of the same kind. */
static int add_whole_set(reader *r, const char *name, slip_set_kind kind, const char *other)
{
    const slip_draft_set *from = slip_draft_set_find(&r->draft, other, kind, true);
    int status = SLIP_OK;
    if (!from)
        return slip_scan_fail(&r->scan, "set `%s`: there is no set of %ss `%s` above", name, noun(kind),
                              other);
    if (strcasecmp(name, other) == 0)
        return SLIP_OK;
    r->left_out_here |= from->count == 0;
    for (int64_t i = 0; i < from->count && status >= 0; i++) {
        status = append(r, name, kind, from->items[i]);
        from = slip_draft_set_find(&r->draft, other, kind, true); /* the list of sets may have moved */
    }
    return status;
}

static int read_range(reader *r, const char *name, slip_set_kind kind)
{
    int64_t first, last, step = 1;
    if (r->data.count < 2 || r->data.count > 3)
        return slip_scan_fail(&r->scan, "set `%s`: expected FIRST, LAST, STEP", name);
    SLIP_PASS(read_whole(r, r->data.field[0], "first number", &first));
    SLIP_PASS(read_whole(r, r->data.field[1], "last number", &last));
    if (r->data.count == 3)
        SLIP_PASS(read_whole(r, r->data.field[2], "step", &step));
    if (step < 1 || last < first)
        return slip_scan_fail(&r->scan, "set `%s`: found the range %lld to %lld by %lld", name,
                              (long long)first, (long long)last, (long long)step);
    for (int64_t tag = first; tag <= last; tag += step)
        SLIP_PASS(add_tagged(r, name, kind, tag));
    return SLIP_OK;
}

static int read_set(reader *r, const char *key, slip_set_kind kind)
{
    const char *name;
    int64_t tag;
    int status = SLIP_OK;
    SLIP_PASS(required(r, key, &name));
    if (parameter(r, "GENERATE"))
        return read_range(r, name, kind);
    for (int i = 0; i < r->data.count && status >= 0; i++) {
        const char *field = r->data.field[i];
        if (*field)
            status = slip_fields_whole(field, &tag) ? add_tagged(r, name, kind, tag)
                                                    : add_whole_set(r, name, kind, field);
    }
    return status;
}

/* A set without entries is a mistake of the file: nobody can use it, and where it is one of nodes the lines
 * of its nodes were lost. */
static int check_filled(reader *r, const char *key, slip_set_kind kind)
{
    const char *name = parameter(r, key);
    const slip_draft_set *set = slip_draft_set_find(&r->draft, name, kind, true);
    if (r->left_out_here || (set && set->count > 0))
        return SLIP_OK;
    return slip_scan_fail(&r->keyword_scan,
                          "%s: set `%s`: found nothing in it, expected %ss in the lines below",
                          r->keyword.field[0], name, kind == SLIP_SET_FACES ? "face" : noun(kind));
}

static int start_node_set(reader *r)
{
    const char *name;
    return required(r, "NSET", &name);
}

static int read_node_set(reader *r)
{
    return read_set(r, "NSET", SLIP_SET_NODES);
}

static int end_node_set(reader *r)
{
    return check_filled(r, "NSET", SLIP_SET_NODES);
}

static int start_element_set(reader *r)
{
    const char *name;
    return required(r, "ELSET", &name);
}

static int read_element_set(reader *r)
{
    return read_set(r, "ELSET", SLIP_SET_ELEMENTS);
}

static int end_element_set(reader *r)
{
    return check_filled(r, "ELSET", SLIP_SET_ELEMENTS);
}

/* ---- surfaces ---- */

/* Face number n of an element, "Sn". */
static int add_face(reader *r, const char *name, int element, const char *label)
{
    const int face = (label[0] == 'S' || label[0] == 's') && label[1] && !label[2] ? label[1] - '1' : -1;
    const slip_cell *cell = r->draft.elements[element].cell;
    if (face < 0 || face >= cell->face_count)
        return slip_scan_fail(&r->scan, "surface `%s`: found the face `%s`, expected S1 to S%d", name, label,
                              cell->face_count);
    return append(r, name, SLIP_SET_FACES, (int64_t)slip_cell_faces_max * element + face);
}

static int read_face(reader *r, const char *name)
{
    const slip_draft_set *set;
    int64_t tag;
    int status = SLIP_OK, element;
    if (r->data.count != 2)
        return slip_scan_fail(&r->scan, "surface `%s`: expected an element or a set and a face, as in 7, S1",
                              name);
    if (slip_fields_whole(r->data.field[0], &tag)) {
        element = slip_tags_find(&r->draft.element_tags, tag);
        if (element < 0 && slip_tags_find(&r->left_out, tag) >= 0) {
            r->left_out_here = true;
            return SLIP_OK;
        }
        if (element < 0)
            return slip_scan_fail(&r->scan, "surface `%s`: there is no element %lld", name, (long long)tag);
        return add_face(r, name, element, r->data.field[1]);
    }
    set = slip_draft_set_find(&r->draft, r->data.field[0], SLIP_SET_ELEMENTS, true);
    if (!set)
        return slip_scan_fail(&r->scan, "surface `%s`: there is no set of elements `%s` above", name,
                              r->data.field[0]);
    r->left_out_here |= set->count == 0;
    for (int64_t i = 0; i < set->count && status >= 0; i++) {
        status = add_face(r, name, set->items[i], r->data.field[1]);
        set = slip_draft_set_find(&r->draft, r->data.field[0], SLIP_SET_ELEMENTS, true);
    }
    return status;
}

/* The nodes or faces that a *SURFACE lists, by its TYPE. */
static int surface_kind(reader *r, slip_set_kind *kind)
{
    const char *type = parameter(r, "TYPE"), *name;
    SLIP_PASS(required(r, "NAME", &name));
    *kind = SLIP_SET_FACES;
    if (!type || strcasecmp(type, "ELEMENT") == 0)
        return SLIP_OK;
    *kind = SLIP_SET_NODES;
    if (strcasecmp(type, "NODE") == 0)
        return SLIP_OK;
    return slip_scan_fail(&r->scan, "surface `%s`: found the type %s, expected ELEMENT or NODE", name, type);
}

static int start_surface(reader *r)
{
    slip_set_kind kind;
    return surface_kind(r, &kind);
}

static int read_surface(reader *r)
{
    const char *name = parameter(r, "NAME");
    slip_set_kind kind;
    int64_t tag;
    SLIP_PASS(surface_kind(r, &kind));
    if (kind == SLIP_SET_FACES)
        return read_face(r, name);
    return slip_fields_whole(r->data.field[0], &tag)
               ? add_tagged(r, name, SLIP_SET_NODES, tag)
               : add_whole_set(r, name, SLIP_SET_NODES, r->data.field[0]);
}

static int end_surface(reader *r)
{
    slip_set_kind kind;
    int status = surface_kind(r, &kind);
    return status < 0 ? status : check_filled(r, "NAME", kind);
}

/* ---- the file ---- */

enum { parameters_max = 5 };

typedef struct keyword {
    const char *name;
    /* What may stand in its line. Another word would change what the lines below mean: a misspelt GENERATE
     * makes two nodes of a range, SYSTEM=C turns coordinates into radii and angles. */
    const char *parameters[parameters_max + 1];
    int (*start)(reader *r); /* or NULL */
    int (*read)(reader *r);  /* a data line */
    int (*end)(reader *r);   /* or NULL */
} keyword;

static const keyword keywords[] = {
    {"*NODE", {"NSET"}, NULL, read_node, NULL},
    {"*ELEMENT", {"TYPE", "ELSET"}, start_elements, read_element, check_complete},
    {"*NSET",
     {"NSET", "GENERATE", "INSTANCE", "INTERNAL", "UNSORTED"},
     start_node_set,
     read_node_set,
     end_node_set},
    {"*ELSET",
     {"ELSET", "GENERATE", "INSTANCE", "INTERNAL", "UNSORTED"},
     start_element_set,
     read_element_set,
     end_element_set},
    {"*SURFACE", {"NAME", "TYPE", "INTERNAL"}, start_surface, read_surface, end_surface},
    {NULL, {NULL}, NULL, NULL, NULL}};

static const keyword *find_keyword(const char *name)
{
    for (const keyword *k = keywords; k->name; k++)
        if (strcasecmp(k->name, name) == 0)
            return k;
    return NULL;
}

static int check_parameters(reader *r, const keyword *of)
{
    SLIP_FREED_BY(slip_text_free) slip_text all = {0};
    int status = SLIP_OK;
    for (int i = 1; i < r->keyword.count && status >= 0; i++) {
        const char *field = r->keyword.field[i];
        size_t length = strcspn(field, "=");
        bool known = *field == 0;
        while (length > 0 && slip_is_blank(field[length - 1]))
            length--;
        for (int k = 0; of->parameters[k] && !known; k++)
            known = strlen(of->parameters[k]) == length && strncasecmp(field, of->parameters[k], length) == 0;
        if (known)
            continue;
        for (int k = 0; of->parameters[k]; k++)
            slip_text_printf(&all, "%s%s", k > 0 ? ", " : "", of->parameters[k]);
        status = slip_scan_fail(&r->scan, "%s: found the parameter `%s`, expected one of %s",
                                r->keyword.field[0], field, all.data ? all.data : "those read here");
    }
    return status;
}

/* The lines of a keyword end where the next one stands, or with the file. */
static int end_keyword(reader *r, const keyword *last)
{
    return last && last->end ? last->end(r) : SLIP_OK;
}

static int read_keyword(reader *r, const keyword **current)
{
    SLIP_PASS(end_keyword(r, *current));
    SLIP_PASS(slip_fields_split(&r->scan, &r->keyword));
    r->keyword_scan = r->scan;
    r->left_out_here = false;
    *current = find_keyword(r->keyword.field[0]);
    if (strcasecmp(r->keyword.field[0], "*INCLUDE") == 0)
        return slip_scan_fail(&r->scan, "*INCLUDE is not supported, expected one file");
    if (!*current)
        return SLIP_OK;
    SLIP_PASS(check_parameters(r, *current));
    if ((*current)->start)
        SLIP_PASS((*current)->start(r));
    return SLIP_OK;
}

static int read_line(reader *r, const keyword **current)
{
    while (slip_is_blank(*r->scan.at))
        r->scan.at++;
    if (*r->scan.at == '\n' || *r->scan.at == 0 || strncmp(r->scan.at, "**", 2) == 0)
        return SLIP_OK;
    if (*r->scan.at == '*')
        return read_keyword(r, current);
    if (!*current)
        return SLIP_OK;
    int status = slip_fields_split(&r->scan, &r->data);
    return status < 0 ? status : (*current)->read(r);
}

int slip_mesh_parse_abaqus(slip_context *ctx, const char *name, const char *text, size_t length,
                           slip_mesh **mesh)
{
    SLIP_FREED reader *r = slip_alloc(1, sizeof *r);
    const keyword *current = NULL;
    int status = SLIP_OK;
    *mesh = NULL;
    SLIP_PASS(slip_allocated(ctx, r));
    r->scan = (slip_scan){.ctx = ctx, .file = name, .at = text, .line = 1};
    while (*r->scan.at && status >= 0) {
        status = read_line(r, &current);
        if (status >= 0)
            slip_scan_line(&r->scan);
    }
    if (status >= 0 && r->scan.at != text + length)
        status = slip_scan_fail(&r->scan, "found a zero byte, expected text");
    if (status >= 0)
        status = end_keyword(r, current);
    if (status >= 0)
        status = slip_draft_finish(ctx, name, &r->draft, mesh);
    slip_draft_free(&r->draft);
    slip_tags_free(&r->left_out);
    return status;
}
