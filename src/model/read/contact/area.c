/* The area of a patch: shape, dimensions, pressure. */
#include "model/read/contact/patch.h"

#include "io/number.h"
#include "model/emit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const slip_range positive = {0, INFINITY, true}, not_negative = {0, INFINITY, false},
                        any = {-INFINITY, INFINITY, false};

/* Notes that memory is out; false. */
static bool no_memory(slip_patch_reading *p)
{
    p->r->problems->memory = true;
    return false;
}

/* ---- lists ---- */

bool slip_read_numbers(slip_reader *r, const slip_tree *node, const char *what, int count, slip_range range,
                       double *numbers)
{
    bool good = true;
    if (!slip_read_list(r, node, what, count, count == 2 ? "[2, 1]" : "[0, 0, 1]"))
        return false;
    for (int i = 0; i < count; i++)
        good = slip_read_number_in(r, node->item[i], what, range, &numbers[i]) && good;
    return good;
}

/* A list of such lists, into the model's arena. */
static bool read_rows(slip_patch_reading *p, const slip_tree *node, const char *what, int columns)
{
    slip_reader *r = p->r;
    char found[64];
    bool good = true;
    if (node->kind != SLIP_TREE_SEQUENCE || node->count == 0)
        return slip_problem(r->problems, node, "%s: found %s, expected a list such as %s", what,
                            node->kind == SLIP_TREE_SEQUENCE ? "an empty list"
                                                             : slip_tree_what(node, found, sizeof found),
                            columns == 2 ? "[[0, 0], [1, 0], [0, 1]]" : "[[0, 0, 1], [1, 0, 2]]");
    double *numbers = slip_arena_array(&r->model->arena, (int64_t)columns * node->count, sizeof(double));
    if (!numbers)
        return no_memory(p);
    for (int i = 0; i < node->count && !slip_problems_full(r->problems); i++)
        good =
            slip_read_numbers(r, node->item[i], what, columns, any, numbers + (size_t)columns * (size_t)i) &&
            good;
    p->area.points = numbers;
    p->area.point_count = node->count;
    return good;
}

/* ---- pressure ---- */

static const slip_symbol *find_parameter(const slip_symbol *symbols, const char *name, size_t length)
{
    for (; symbols->name; symbols++)
        if (symbols->slot < 0 && strlen(symbols->name) == length && strncmp(symbols->name, name, length) == 0)
            return symbols;
    return NULL;
}

/* The expression with parameters replaced by their values: what is left is in x and y. */
static void insert_parameters(const char *from, const slip_symbol *symbols, slip_text *text)
{
    while (*from) {
        const char *end = from;
        double number;
        const slip_symbol *parameter = NULL;
        if (slip_is_letter(*from)) {
            while (slip_is_letter(*end) || (*end >= '0' && *end <= '9'))
                end++;
            parameter = find_parameter(symbols, from, (size_t)(end - from));
        } else if (!(*from == '.' || (*from >= '0' && *from <= '9')) ||
                   !slip_number_read(from, &end, &number)) {
            end = from + 1;
        }
        if (parameter) {
            slip_text_append(text, "(");
            slip_emit_number(text, parameter->value);
            slip_text_append(text, ")");
        } else {
            slip_text_append_bytes(text, from, (size_t)(end - from));
        }
        from = end;
    }
}

/* x, y and the parameters (those of these names are hidden). */
static slip_symbol *pressure_symbols(const slip_reader *r)
{
    int used = 2;
    slip_symbol *symbols = slip_alloc(r->parameter_count + 3, sizeof *symbols);
    if (!symbols)
        return NULL;
    symbols[0] = (slip_symbol){"x", 0, 0, NULL, 0};
    symbols[1] = (slip_symbol){"y", 1, 0, NULL, 0};
    for (int i = 0; i < r->parameter_count; i++) {
        const slip_symbol *s = &r->symbols[r->parameters + i];
        const bool bad = s->slot == slip_reader_slot_bad(r);
        if (strcmp(s->name, "x") != 0 && strcmp(s->name, "y") != 0)
            symbols[used++] = (slip_symbol){s->name, bad ? s->slot : -1, r->numbers[i], NULL, 0};
    }
    return symbols;
}

static bool read_pressure_text(slip_patch_reading *p, const slip_tree *node)
{
    slip_reader *r = p->r;
    SLIP_FREED slip_symbol *symbols = pressure_symbols(r);
    SLIP_FREED_BY(slip_expression_drop) slip_expression *expression = NULL;
    slip_expression_error error;
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    bool good = false;
    int status =
        symbols ? slip_expression_compile(node->text, symbols, &expression, &error) : SLIP_ERROR_MEMORY;
    if (status == SLIP_ERROR_MODEL) {
        slip_problem_inside(r->problems, node, error.position, "pressure: %s%s", error.message,
                            slip_read_comma_hint(node));
    } else if (status < 0) {
        no_memory(p);
    } else if (!slip_expression_reads(expression, slip_reader_slot_bad(r))) {
        insert_parameters(node->text, symbols, &text);
        p->area.expression = text.failed ? NULL : slip_arena_string(&r->model->arena, text.data);
        good = p->area.expression || no_memory(p);
    }
    return good;
}

/* {linear: [px, py]} or {expression: text}. */
static bool read_pressure_mapping(slip_patch_reading *p, const slip_tree *node)
{
    static const char *const keys[] = {"linear", "expression", NULL};
    const slip_tree *linear = slip_read_child(node, "linear"), *text = slip_read_child(node, "expression");
    int before = p->r->problems->count;
    slip_read_keys(p->r, node, "pressure", keys);
    if (p->r->problems->count > before)
        return false;
    if (!linear == !text)
        return slip_problem(p->r->problems, node,
                            "pressure: expected either {linear: [px, py]} or {expression: text in x and y}");
    p->area.pressure = linear ? "linear" : "expression";
    if (linear)
        return slip_read_numbers(p->r, linear, "pressure: linear", 2, any, p->area.linear);
    if (text->kind == SLIP_TREE_SCALAR)
        return read_pressure_text(p, text);
    return slip_read_refuse(p->r, text, "pressure: expression", "a text in x and y");
}

static bool read_pressure(slip_patch_reading *p)
{
    static const char *const names[] = {"uniform", "hertz", "parabolic", NULL};
    const slip_tree *node = slip_read_child(p->area_node, "pressure");
    const char *word;
    if (!node)
        return true;
    if (node->kind == SLIP_TREE_MAPPING)
        return read_pressure_mapping(p, node);
    if (!slip_read_word(p->r, node, "pressure", &word))
        return false;
    for (int i = 0; names[i]; i++)
        if (strcmp(word, names[i]) == 0) {
            p->area.pressure = names[i];
            return true;
        }
    if (strcmp(word, "linear") == 0 || strcmp(word, "expression") == 0)
        slip_problem(p->r->problems, node, "pressure: expected {%s: %s}", word,
                     *word == 'l' ? "[px, py]" : "text in x and y");
    else
        slip_problem_unknown(p->r->problems, node, "unknown pressure", word, names);
    return false;
}

/* ---- area ---- */

static bool read_radius(slip_patch_reading *p)
{
    const slip_tree *node = slip_read_child(p->area_node, "radius");
    return !node || slip_read_number_in(p->r, node, "area: radius", positive, &p->area.radius);
}

static const slip_tree *required(slip_patch_reading *p, const char *key, const char *example)
{
    return slip_read_required(p->r, p->area_node, "area", key, example);
}

static bool read_annulus(slip_patch_reading *p)
{
    const slip_tree *inner = required(p, "inner", "inner: 0.5"), *outer = required(p, "outer", "outer: 1");
    bool good = inner && slip_read_number_in(p->r, inner, "area: inner", not_negative, &p->area.inner);
    return outer && slip_read_number_in(p->r, outer, "area: outer", positive, &p->area.outer) && good;
}

static bool read_ellipse(slip_patch_reading *p)
{
    const slip_tree *node = required(p, "semi_axes", "semi_axes: [2, 1]");
    return node && slip_read_numbers(p->r, node, "area: semi_axes", 2, positive, p->area.semi_axes);
}

static bool read_rectangle(slip_patch_reading *p)
{
    const slip_tree *node = required(p, "sides", "sides: [2, 1]");
    return node && slip_read_numbers(p->r, node, "area: sides", 2, positive, p->area.sides);
}

static bool read_polygon(slip_patch_reading *p)
{
    const slip_tree *node = required(p, "points", "points: [[0, 0], [1, 0], [0, 1]]");
    return node && read_rows(p, node, "area: points", 2);
}

static bool read_file(slip_patch_reading *p, slip_tree *node)
{
    return slip_read_path(p->r, node, "area: file", &p->area.file);
}

static bool read_table(slip_patch_reading *p)
{
    slip_tree *file = slip_read_child(p->area_node, "file");
    const slip_tree *points = slip_read_child(p->area_node, "points");
    if (!file == !points)
        return slip_problem(p->r->problems, p->area_node,
                            "area: a table has %s, expected for example `file: pressure.csv`",
                            file ? "both file and points" : "neither file nor points");
    return file ? read_file(p, file) : read_rows(p, points, "area: points", 3);
}

static const struct shape {
    const char *name, *keys[6];
    bool (*read)(slip_patch_reading *p);
} shapes[] = {{"disc", {"shape", "size", "pressure", "radius"}, read_radius},
              {"annulus", {"shape", "size", "pressure", "inner", "outer"}, read_annulus},
              {"ellipse", {"shape", "size", "pressure", "semi_axes"}, read_ellipse},
              {"rectangle", {"shape", "size", "pressure", "sides"}, read_rectangle},
              {"polygon", {"shape", "size", "pressure", "points"}, read_polygon},
              {"table", {"shape", "size", "file", "points"}, read_table}};
enum { shape_count = sizeof shapes / sizeof shapes[0] };

static const struct shape *read_shape(slip_patch_reading *p)
{
    const slip_tree *node = required(p, "shape", "shape: disc");
    const char *names[shape_count + 1] = {0};
    for (int i = 0; i < shape_count; i++)
        names[i] = shapes[i].name;
    const int found = node ? slip_read_choice(p->r, node, "area: shape", "unknown shape", names) : -1;
    return found >= 0 ? &shapes[found] : NULL;
}

bool slip_read_area(slip_patch_reading *p)
{
    char what[100];
    const struct shape *shape;
    int before = p->r->problems->count;
    snprintf(what, sizeof what, "contact `%.60s`", p->contact);
    p->area_node = slip_read_required(p->r, p->node, what, "area", "area: {shape: disc, radius: 1}");
    if (!p->area_node)
        return false;
    if (p->area_node->kind != SLIP_TREE_MAPPING)
        return slip_read_refuse(p->r, p->area_node, "area", "a mapping such as {shape: disc, radius: 1}");
    if (!(shape = read_shape(p)))
        return false;
    p->area.shape = shape->name;
    slip_read_keys(p->r, p->area_node, "area", shape->keys);
    shape->read(p);
    if (strcmp(shape->name, "table") != 0)
        read_pressure(p);
    const slip_tree *size = slip_read_child(p->area_node, "size");
    if (size)
        slip_read_number_in(p->r, size, "area: size", positive, &p->area.size);
    return p->r->problems->count == before;
}
