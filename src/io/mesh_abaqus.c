/* Abaqus and CalculiX input files: the mesh of them.
 *
 * Read are *NODE, *ELEMENT, *NSET, *ELSET (also GENERATE) and *SURFACE; other keywords are passed over with
 * their data lines, since material and loads are said in the model file. Numbers and sets of all parts are
 * taken as one mesh. Keywords and names are the same in capital and small letters. */
#include "io/file.h"
#include "io/mesh_draft.h"
#include "io/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { field_size = 128, fields_max = 64 };

/* A line, split at its commas; blanks around the fields are taken off. */
typedef struct fields {
    int count;
    char field[fields_max][field_size];
    bool continues; /* a comma ends the line */
} fields;

typedef struct reader {
    slip_scan scan;
    slip_draft draft;
    fields keyword;  /* the line of the keyword at hand: name, then NAME=VALUE */
    fields data;     /* the data line at hand */
    int values_seen; /* of the element at hand, over several lines */
    int64_t element[1 + slip_cell_nodes_max];
    const slip_cell *cell;
} reader;

/* ---- lines ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static int add_field(reader *r, fields *line, const char *start, const char *end)
{
    while (start < end && is_blank(*start))
        start++;
    while (end > start && is_blank(end[-1]))
        end--;
    if (end - start >= field_size)
        return slip_scan_fail(&r->scan, "found a word of more than %d bytes", field_size - 1);
    if (line->count == fields_max)
        return slip_scan_fail(&r->scan, "found more than %d entries in a line", fields_max);
    snprintf(line->field[line->count++], field_size, "%.*s", (int)(end - start), start);
    return SLIP_OK;
}

/* Splits the line here; a comma at its end starts no field. */
static int split_line(reader *r, fields *line)
{
    const char *at = r->scan.at, *end = at + strcspn(at, "\n");
    int status = SLIP_OK;
    line->count = 0;
    line->continues = false;
    while (end > at && is_blank(end[-1]))
        end--;
    if (end > at && end[-1] == ',') {
        line->continues = true;
        end--;
    }
    while (at <= end && status >= 0) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        status = add_field(r, line, at, comma ? comma : end);
        if (!comma)
            break;
        at = comma + 1;
    }
    return status;
}

/* The value of NAME=VALUE in the keyword line; "" for NAME alone; NULL when it is not there. */
static const char *parameter(const reader *r, const char *name)
{
    const size_t length = strlen(name);
    for (int i = 1; i < r->keyword.count; i++) {
        const char *field = r->keyword.field[i];
        const char *rest = field + length;
        if (strncasecmp(field, name, length) != 0)
            continue;
        while (is_blank(*rest))
            rest++;
        if (*rest == 0)
            return rest;
        if (*rest != '=')
            continue;
        for (rest++; is_blank(*rest);)
            rest++;
        return rest;
    }
    return NULL;
}

static int required(reader *r, const char *name, const char **value)
{
    *value = parameter(r, name);
    if (*value && **value)
        return SLIP_OK;
    return slip_scan_fail(&r->scan, "%s: %s is missing, expected for example %s=name", r->keyword.field[0],
                          name, name);
}

static bool whole_number(const char *text, int64_t *value)
{
    int64_t number = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && at - text < 15; at++)
        number = 10 * number + (*at - '0');
    *value = number;
    return at > text && *at == 0;
}

static int read_whole(reader *r, const char *text, const char *what, int64_t *value)
{
    if (whole_number(text, value))
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
    int status;
    SLIP_TRY(read_whole(r, r->data.field[0], "number of a node", &tag));
    if (r->data.count < 3 || r->data.count > 4)
        return slip_scan_fail(&r->scan, "node %lld: found %d coordinates, expected 2 or 3", (long long)tag,
                              r->data.count - 1);
    for (int i = 1; i < r->data.count; i++) {
        const char *end = "", *field = r->data.field[i];
        if (!slip_number_read(field, &end, &point[i - 1]) || *end || !isfinite(point[i - 1]))
            return slip_scan_fail(&r->scan, "node %lld: found `%s`, expected a finite number", (long long)tag,
                                  field);
    }
    SLIP_TRY(slip_draft_add_node(&r->scan, &r->draft, tag, point));
    if (set && *set)
        SLIP_TRY(append(r, set, SLIP_SET_NODES, r->draft.node_count - 1));
done:
    return status;
}

static const slip_cell *find_cell(const char *type)
{
    for (int i = 0; slip_cells[i]; i++)
        for (int k = 0; slip_cells[i]->abaqus[k]; k++)
            if (strcasecmp(slip_cells[i]->abaqus[k], type) == 0)
                return slip_cells[i];
    return NULL;
}

static int start_elements(reader *r)
{
    const char *type;
    int status = required(r, "TYPE", &type);
    if (status < 0)
        return status;
    r->values_seen = 0;
    r->cell = find_cell(type);
    if (r->cell)
        return SLIP_OK;
    return slip_scan_fail(&r->scan,
                          "elements of type %s are not supported, expected CPE4, CPS4 (4-node quadrilateral) "
                          "or C3D8 (8-node brick)",
                          type);
}

/* An element may go over several lines: numbers are collected until it is complete. */
static int read_element(reader *r)
{
    const char *set = parameter(r, "ELSET");
    int status = SLIP_OK;
    for (int i = 0; i < r->data.count; i++) {
        if (r->values_seen > r->cell->node_count)
            return slip_scan_fail(&r->scan, "element %lld: found more than %d nodes, as %s has",
                                  (long long)r->element[0], r->cell->node_count, r->cell->abaqus[0]);
        SLIP_TRY(
            read_whole(r, r->data.field[i], "number of an element or node", &r->element[r->values_seen++]));
    }
    if (r->values_seen <= r->cell->node_count && r->data.continues)
        return SLIP_OK;
    if (r->values_seen <= r->cell->node_count)
        return slip_scan_fail(&r->scan, "element %lld: found %d nodes, expected %d", (long long)r->element[0],
                              r->values_seen - 1, r->cell->node_count);
    r->values_seen = 0;
    SLIP_TRY(slip_draft_add_element(&r->scan, &r->draft, r->element[0], r->cell, r->element + 1));
    if (set && *set)
        SLIP_TRY(append(r, set, SLIP_SET_ELEMENTS, r->draft.element_count - 1));
done:
    return status;
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
    for (int64_t i = 0; i < from->count && status >= 0; i++) {
        status = append(r, name, kind, from->items[i]);
        from = slip_draft_set_find(&r->draft, other, kind, true); /* the list of sets may have moved */
    }
    return status;
}

static int read_range(reader *r, const char *name, slip_set_kind kind)
{
    int64_t first, last, step = 1;
    int status;
    if (r->data.count < 2 || r->data.count > 3)
        return slip_scan_fail(&r->scan, "set `%s`: expected FIRST, LAST, STEP", name);
    SLIP_TRY(read_whole(r, r->data.field[0], "first number", &first));
    SLIP_TRY(read_whole(r, r->data.field[1], "last number", &last));
    if (r->data.count == 3)
        SLIP_TRY(read_whole(r, r->data.field[2], "step", &step));
    if (step < 1 || last < first)
        return slip_scan_fail(&r->scan, "set `%s`: found the range %lld to %lld by %lld", name,
                              (long long)first, (long long)last, (long long)step);
    for (int64_t tag = first; tag <= last && status >= 0; tag += step)
        status = add_tagged(r, name, kind, tag);
done:
    return status;
}

static int read_set(reader *r, const char *key, slip_set_kind kind)
{
    const char *name;
    int64_t tag;
    int status;
    SLIP_TRY(required(r, key, &name));
    if (parameter(r, "GENERATE"))
        return read_range(r, name, kind);
    for (int i = 0; i < r->data.count && status >= 0; i++) {
        const char *field = r->data.field[i];
        if (*field)
            status = whole_number(field, &tag) ? add_tagged(r, name, kind, tag)
                                               : add_whole_set(r, name, kind, field);
    }
done:
    return status;
}

/* A set is there from its name on, also when nothing follows. */
static int start_node_set(reader *r)
{
    const char *name;
    int status = required(r, "NSET", &name);
    if (status >= 0 && !slip_draft_set_get(&r->draft, name, SLIP_SET_NODES, true))
        status = slip_fail_memory(r->scan.ctx);
    return status;
}

static int read_node_set(reader *r)
{
    return read_set(r, "NSET", SLIP_SET_NODES);
}

static int read_element_set(reader *r)
{
    return read_set(r, "ELSET", SLIP_SET_ELEMENTS);
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
    if (whole_number(r->data.field[0], &tag)) {
        element = slip_tags_find(&r->draft.element_tags, tag);
        if (element < 0)
            return slip_scan_fail(&r->scan, "surface `%s`: there is no element %lld", name, (long long)tag);
        return add_face(r, name, element, r->data.field[1]);
    }
    set = slip_draft_set_find(&r->draft, r->data.field[0], SLIP_SET_ELEMENTS, true);
    if (!set)
        return slip_scan_fail(&r->scan, "surface `%s`: there is no set of elements `%s` above", name,
                              r->data.field[0]);
    for (int64_t i = 0; i < set->count && status >= 0; i++) {
        status = add_face(r, name, set->items[i], r->data.field[1]);
        set = slip_draft_set_find(&r->draft, r->data.field[0], SLIP_SET_ELEMENTS, true);
    }
    return status;
}

static int read_surface(reader *r)
{
    const char *type = parameter(r, "TYPE"), *name;
    int64_t tag;
    int status = required(r, "NAME", &name);
    if (status < 0)
        return status;
    if (!type || strcasecmp(type, "ELEMENT") == 0)
        return read_face(r, name);
    if (strcasecmp(type, "NODE") != 0)
        return slip_scan_fail(&r->scan, "surface `%s`: found the type %s, expected ELEMENT or NODE", name,
                              type);
    return whole_number(r->data.field[0], &tag) ? add_tagged(r, name, SLIP_SET_NODES, tag)
                                                : add_whole_set(r, name, SLIP_SET_NODES, r->data.field[0]);
}

/* ---- the file ---- */

typedef struct keyword {
    const char *name;
    int (*start)(reader *r); /* or NULL */
    int (*read)(reader *r);  /* a data line */
} keyword;

static const keyword keywords[] = {{"*NODE", NULL, read_node},
                                   {"*ELEMENT", start_elements, read_element},
                                   {"*NSET", start_node_set, read_node_set},
                                   {"*ELSET", NULL, read_element_set},
                                   {"*SURFACE", NULL, read_surface},
                                   {NULL, NULL, NULL}};

static const keyword *find_keyword(const char *name)
{
    for (const keyword *k = keywords; k->name; k++)
        if (strcasecmp(k->name, name) == 0)
            return k;
    return NULL;
}

static int check_complete(reader *r)
{
    if (r->values_seen == 0)
        return SLIP_OK;
    return slip_scan_fail(&r->scan, "element %lld ends after %d nodes, expected %d", (long long)r->element[0],
                          r->values_seen - 1, r->cell->node_count);
}

static int read_keyword(reader *r, const keyword **current)
{
    int status;
    SLIP_TRY(check_complete(r));
    SLIP_TRY(split_line(r, &r->keyword));
    *current = find_keyword(r->keyword.field[0]);
    if (strcasecmp(r->keyword.field[0], "*INCLUDE") == 0)
        return slip_scan_fail(&r->scan, "*INCLUDE is not supported, expected one file");
    if (*current && (*current)->start)
        SLIP_TRY((*current)->start(r));
done:
    return status;
}

static int read_line(reader *r, const keyword **current)
{
    int status;
    while (is_blank(*r->scan.at))
        r->scan.at++;
    if (*r->scan.at == '\n' || *r->scan.at == 0 || strncmp(r->scan.at, "**", 2) == 0)
        return SLIP_OK;
    if (*r->scan.at == '*')
        return read_keyword(r, current);
    if (!*current)
        return SLIP_OK;
    status = split_line(r, &r->data);
    return status < 0 ? status : (*current)->read(r);
}

int slip_mesh_parse_abaqus(slip_context *ctx, const char *name, const char *text, size_t length,
                           slip_mesh **mesh)
{
    reader *r = slip_alloc(1, sizeof *r);
    const keyword *current = NULL;
    int status = SLIP_OK;
    *mesh = NULL;
    if (!r)
        return slip_fail_memory(ctx);
    r->scan = (slip_scan){.ctx = ctx, .file = name, .at = text, .line = 1};
    while (*r->scan.at && status >= 0) {
        status = read_line(r, &current);
        if (status >= 0)
            slip_scan_line(&r->scan);
    }
    if (status >= 0 && r->scan.at != text + length)
        status = slip_scan_fail(&r->scan, "found a zero byte, expected text");
    if (status >= 0)
        status = check_complete(r);
    if (status >= 0)
        status = slip_draft_finish(ctx, name, &r->draft, mesh);
    slip_draft_free(&r->draft);
    free(r);
    return status;
}

/* ---- writing ---- */

/* Numbers from 1, sixteen in a line as the format asks for. */
static void write_items(FILE *stream, const slip_mesh_set *set)
{
    enum { per_line = 16 };
    for (int i = 0; i < set->count; i++)
        fprintf(stream, "%d%s", set->items[i] + 1,
                i + 1 == set->count || i % per_line == per_line - 1 ? "\n" : ", ");
}

/* CalculiX reads the first 20 signs of a number: more digits do no harm, but an exponent must not be cut. */
static const char *write_place(char buffer[slip_number_size], double value)
{
    enum { field = 20 };
    slip_number_write_exact(buffer, value);
    if (strlen(buffer) > field && strchr(buffer, 'e'))
        slip_number_write_narrow(buffer, value);
    return buffer;
}

/* A name that every reader of the format takes: signs that would end it become underscores. */
static void write_name(FILE *stream, const char *name)
{
    for (; *name; name++)
        putc(strchr(", =\"*", *name) ? '_' : *name, stream);
}

static void write_set(FILE *stream, const slip_mesh_set *set)
{
    static const char *const keys[] = {[SLIP_SET_NODES] = "*NSET, NSET=",
                                       [SLIP_SET_ELEMENTS] = "*ELSET, ELSET=",
                                       [SLIP_SET_FACES] = "*SURFACE, TYPE=ELEMENT, NAME="};
    fputs(keys[set->kind], stream);
    write_name(stream, set->name);
    putc('\n', stream);
    if (set->kind == SLIP_SET_FACES) {
        for (int i = 0; i < set->count; i++)
            fprintf(stream, "%d, S%d\n", set->items[i] / slip_cell_faces_max + 1,
                    set->items[i] % slip_cell_faces_max + 1);
        return;
    }
    write_items(stream, set);
}

int slip_mesh_write_abaqus(slip_context *ctx, const slip_mesh *mesh, const char *path)
{
    char buffer[slip_number_size];
    slip_file file;
    int status = slip_file_create(ctx, path, &file);
    if (status < 0)
        return status;
    fprintf(file.stream, "** slipstick %s\n*NODE\n", slip_version());
    for (int i = 0; i < mesh->node_count; i++) {
        fprintf(file.stream, "%d", i + 1);
        for (int k = 0; k < mesh->dimension; k++)
            fprintf(file.stream, ", %s", write_place(buffer, mesh->points[(int64_t)i * mesh->dimension + k]));
        fputs("\n", file.stream);
    }
    for (int g = 0; g < mesh->group_count; g++) {
        const slip_mesh_group *group = &mesh->groups[g];
        const int *nodes = group->nodes;
        fprintf(file.stream, "*ELEMENT, TYPE=%s\n", group->cell->abaqus[0]);
        for (int e = 0; e < group->count; e++) {
            fprintf(file.stream, "%d", group->first + e + 1);
            for (int k = 0; k < group->cell->node_count; k++)
                fprintf(file.stream, ", %d", *nodes++ + 1);
            fputs("\n", file.stream);
        }
    }
    for (int i = 0; i < mesh->set_count; i++)
        write_set(file.stream, &mesh->sets[i]);
    return slip_file_commit(ctx, &file);
}
