/* Contacts of kind patch: slip, area, law. */
#include "model/read.h"

#include "io/file.h"
#include "io/number.h"
#include "model/emit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is being read, and where it stands: what slip_patch_create says is noted there. */
typedef struct patch_reading {
    slip_reader *r;
    const char *contact;
    const slip_tree *node, *area_node, *law_node, *surface_node;
    slip_patch_options area;
    double mu;
    slip_expression *slip[3], *normal_force;
} patch_reading;

static const slip_range positive = {0, INFINITY, true}, not_negative = {0, INFINITY, false},
                        any = {-INFINITY, INFINITY, false};

static bool out_of_memory(patch_reading *p)
{
    p->r->problems->memory = true;
    return false;
}

/* ---- lists ---- */

/* Numbers of a list of fixed length. */
static bool read_list(slip_reader *r, const slip_tree *node, const char *what, int count, slip_range range,
                      double *numbers)
{
    static const char *const examples[] = {"", "", "two numbers such as [2, 1]",
                                           "three numbers such as [0, 0, 1]"};
    char found[64];
    bool good = true;
    if (node->kind != SLIP_TREE_SEQUENCE || node->count != count) {
        slip_problem(r->problems, node, "%s: found %s%s, expected %s", what,
                     slip_tree_what(node, found, sizeof found),
                     node->kind == SLIP_TREE_SEQUENCE ? " of another length" : "", examples[count]);
        return false;
    }
    for (int i = 0; i < count; i++)
        good = slip_read_number_in(r, node->item[i], what, range, &numbers[i]) && good;
    return good;
}

/* A list of such lists, into the model's arena. */
static bool read_rows(patch_reading *p, const slip_tree *node, const char *what, int columns)
{
    slip_reader *r = p->r;
    char found[64];
    double *numbers;
    bool good = true;
    if (node->kind != SLIP_TREE_SEQUENCE || node->count == 0) {
        slip_problem(r->problems, node, "%s: found %s, expected a list such as %s", what,
                     node->kind == SLIP_TREE_SEQUENCE ? "an empty list"
                                                      : slip_tree_what(node, found, sizeof found),
                     columns == 2 ? "[[0, 0], [1, 0], [0, 1]]" : "[[0, 0, 1], [1, 0, 2]]");
        return false;
    }
    numbers = slip_arena_array(&r->model->arena, (int64_t)columns * node->count, sizeof(double));
    if (!numbers)
        return out_of_memory(p);
    for (int i = 0; i < node->count && !slip_problems_full(r->problems); i++)
        good = read_list(r, node->item[i], what, columns, any, numbers + (size_t)columns * (size_t)i) && good;
    p->area.points = numbers;
    p->area.point_count = node->count;
    return good;
}

/* ---- slip ---- */

/* Linear in the velocities, or without them (a belt that runs under a body that only spins). */
static bool check_slip(patch_reading *p, const slip_tree *node, const char *what, const slip_expression *slip,
                       bool *moves)
{
    slip_reader *r = p->r;
    int slots = 1 + 2 * r->n;
    bool *velocities = slip_alloc(slots, sizeof(bool));
    slip_dependence dependence;
    if (!velocities)
        return out_of_memory(p);
    for (int i = 0; i < r->n; i++)
        velocities[slip_slot_velocity(r->n, i)] = true;
    dependence = slip_expression_dependence(slip, velocities, slots);
    free(velocities);
    *moves |= dependence != SLIP_INDEPENDENT;
    if (dependence != SLIP_NONLINEAR)
        return true;
    slip_problem(r->problems, node,
                 "%s: `%.60s` is not linear in the velocities, expected a sum such as %s' - 0.1", what,
                 node->text, r->names[0]);
    return false;
}

static bool read_slip(patch_reading *p)
{
    static const char *const keys[] = {"x", "y", "spin", NULL};
    slip_reader *r = p->r;
    char what[100], found[64];
    bool good = true, moves = false;
    snprintf(what, sizeof what, "contact `%.60s`", p->contact);
    const slip_tree *node = slip_read_required(r, p->node, what, "slip", "slip: {x: x' - vb, spin: phi'}");
    if (!node)
        return false;
    if (node->kind != SLIP_TREE_MAPPING) {
        slip_problem(r->problems, node,
                     "slip: found %s, expected a mapping such as {x: %s' - 0.1, spin: ...}",
                     slip_tree_what(node, found, sizeof found), r->names[0]);
        return false;
    }
    slip_read_keys(r, node, "slip", keys);
    for (int part = 0; part < 3; part++) {
        const slip_tree *value = slip_read_child(node, keys[part]);
        snprintf(what, sizeof what, "slip: %s", keys[part]);
        if (value)
            good = slip_read_expression(r, value, what, &p->slip[part]) &&
                   check_slip(p, value, what, p->slip[part], &moves) && good;
    }
    if (good && !moves) {
        slip_problem(r->problems, node, "slip: found no velocity in x, y and spin, expected one, such as %s'",
                     r->names[0]);
        return false;
    }
    return good;
}

/* ---- pressure ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

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
        if (is_letter(*from)) {
            while (is_letter(*end) || (*end >= '0' && *end <= '9'))
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
    int count = 0, used = 2;
    while (r->symbols[r->parameters + count].name)
        count++;
    slip_symbol *symbols = slip_alloc(count + 3, sizeof *symbols);
    if (!symbols)
        return NULL;
    symbols[0] = (slip_symbol){"x", 0, 0};
    symbols[1] = (slip_symbol){"y", 1, 0};
    for (int i = 0; i < count; i++) {
        const slip_symbol *s = &r->symbols[r->parameters + i];
        if (strcmp(s->name, "x") != 0 && strcmp(s->name, "y") != 0)
            symbols[used++] = *s;
    }
    return symbols;
}

static bool read_pressure_text(patch_reading *p, const slip_tree *node)
{
    slip_reader *r = p->r;
    slip_symbol *symbols = pressure_symbols(r);
    slip_expression *expression = NULL;
    slip_expression_error error;
    slip_text text = {0};
    bool good = false;
    int status =
        symbols ? slip_expression_compile(node->text, symbols, &expression, &error) : SLIP_ERROR_MEMORY;
    if (status == SLIP_ERROR_MODEL) {
        slip_problem_inside(r->problems, node, error.position, "pressure: %s%s", error.message,
                            slip_read_comma_hint(node));
    } else if (status < 0) {
        out_of_memory(p);
    } else if (!slip_expression_reads(expression, slip_reader_slot_bad(r))) {
        insert_parameters(node->text, symbols, &text);
        p->area.expression = text.failed ? NULL : slip_arena_string(&r->model->arena, text.data);
        good = p->area.expression || out_of_memory(p);
    }
    slip_expression_destroy(expression);
    slip_text_free(&text);
    free(symbols);
    return good;
}

/* {linear: [px, py]} or {expression: text}. */
static bool read_pressure_mapping(patch_reading *p, const slip_tree *node)
{
    static const char *const keys[] = {"linear", "expression", NULL};
    const slip_tree *linear = slip_read_child(node, "linear"), *text = slip_read_child(node, "expression");
    char found[64];
    int before = p->r->problems->count;
    slip_read_keys(p->r, node, "pressure", keys);
    if (p->r->problems->count > before)
        return false;
    if (!linear == !text) {
        slip_problem(p->r->problems, node,
                     "pressure: expected either {linear: [px, py]} or {expression: text in x and y}");
        return false;
    }
    p->area.pressure = linear ? "linear" : "expression";
    if (linear)
        return read_list(p->r, linear, "pressure: linear", 2, any, p->area.linear);
    if (text->kind == SLIP_TREE_SCALAR)
        return read_pressure_text(p, text);
    slip_problem(p->r->problems, text, "pressure: expression: found %s, expected a text in x and y",
                 slip_tree_what(text, found, sizeof found));
    return false;
}

static bool read_pressure(patch_reading *p)
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

static bool read_radius(patch_reading *p)
{
    const slip_tree *node = slip_read_child(p->area_node, "radius");
    return !node || slip_read_number_in(p->r, node, "area: radius", positive, &p->area.radius);
}

static const slip_tree *required(patch_reading *p, const char *key, const char *example)
{
    return slip_read_required(p->r, p->area_node, "area", key, example);
}

static bool read_annulus(patch_reading *p)
{
    const slip_tree *inner = required(p, "inner", "inner: 0.5"), *outer = required(p, "outer", "outer: 1");
    bool good = inner && slip_read_number_in(p->r, inner, "area: inner", not_negative, &p->area.inner);
    return outer && slip_read_number_in(p->r, outer, "area: outer", positive, &p->area.outer) && good;
}

static bool read_ellipse(patch_reading *p)
{
    const slip_tree *node = required(p, "semi_axes", "semi_axes: [2, 1]");
    return node && read_list(p->r, node, "area: semi_axes", 2, positive, p->area.semi_axes);
}

static bool read_rectangle(patch_reading *p)
{
    const slip_tree *node = required(p, "sides", "sides: [2, 1]");
    return node && read_list(p->r, node, "area: sides", 2, positive, p->area.sides);
}

static bool read_polygon(patch_reading *p)
{
    const slip_tree *node = required(p, "points", "points: [[0, 0], [1, 0], [0, 1]]");
    return node && read_rows(p, node, "area: points", 2);
}

/* A file is looked for beside the model's. Its whole path stays in the model, so that model.yaml of a run
 * folder can be run too. */
static bool read_file(patch_reading *p, slip_tree *node)
{
    const char *model = p->r->problems->file, *slash = strrchr(model, '/'), *word;
    char here[4096] = "";
    slip_text path = {0};
    if (!slip_read_word(p->r, node, "area: file", &word))
        return false;
    if (*word != '/' && *model != '/' && getcwd(here, sizeof here))
        slip_text_printf(&path, "%s/", here);
    if (*word != '/' && slash)
        slip_text_append_bytes(&path, model, (size_t)(slash - model) + 1);
    slip_text_append(&path, word);
    node->text = path.failed ? NULL : slip_arena_string(&p->r->model->arena, path.data);
    slip_text_free(&path);
    if (!node->text) {
        node->text = "";
        return out_of_memory(p);
    }
    node->is_text = true;
    p->area.file = node->text;
    return true;
}

static bool read_table(patch_reading *p)
{
    slip_tree *file = slip_read_child(p->area_node, "file");
    const slip_tree *points = slip_read_child(p->area_node, "points");
    if (!file == !points) {
        slip_problem(p->r->problems, p->area_node,
                     "area: a table has %s, expected for example `file: pressure.csv`",
                     file ? "both file and points" : "neither file nor points");
        return false;
    }
    return file ? read_file(p, file) : read_rows(p, points, "area: points", 3);
}

static const struct shape {
    const char *name, *keys[6];
    bool (*read)(patch_reading *p);
} shapes[] = {{"disc", {"shape", "size", "pressure", "radius"}, read_radius},
              {"annulus", {"shape", "size", "pressure", "inner", "outer"}, read_annulus},
              {"ellipse", {"shape", "size", "pressure", "semi_axes"}, read_ellipse},
              {"rectangle", {"shape", "size", "pressure", "sides"}, read_rectangle},
              {"polygon", {"shape", "size", "pressure", "points"}, read_polygon},
              {"table", {"shape", "size", "file", "points"}, read_table}};
enum { shape_count = sizeof shapes / sizeof shapes[0] };

static const struct shape *read_shape(patch_reading *p)
{
    const slip_tree *node = required(p, "shape", "shape: disc");
    const char *names[shape_count + 1] = {0}, *word;
    if (!node || !slip_read_word(p->r, node, "area: shape", &word))
        return NULL;
    for (int i = 0; i < shape_count; i++) {
        names[i] = shapes[i].name;
        if (strcmp(word, names[i]) == 0)
            return &shapes[i];
    }
    slip_problem_unknown(p->r->problems, node, "unknown shape", word, names);
    return NULL;
}

static bool read_area(patch_reading *p)
{
    char what[100], found[64];
    const struct shape *shape;
    int before = p->r->problems->count;
    snprintf(what, sizeof what, "contact `%.60s`", p->contact);
    p->area_node = slip_read_required(p->r, p->node, what, "area", "area: {shape: disc, radius: 1}");
    if (!p->area_node)
        return false;
    if (p->area_node->kind != SLIP_TREE_MAPPING) {
        slip_problem(p->r->problems, p->area_node,
                     "area: found %s, expected a mapping such as {shape: disc, radius: 1}",
                     slip_tree_what(p->area_node, found, sizeof found));
        return false;
    }
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

/* ---- surface ---- */

static bool read_order(patch_reading *p)
{
    const slip_tree *node = slip_read_child(p->surface_node, "order");
    static const slip_range range = {0, 1, false};
    double order[2];
    if (!node)
        return true;
    if (!read_list(p->r, node, "surface: order", 2, range, order))
        return false;
    for (int i = 0; i < 2; i++) {
        if (order[i] != floor(order[i])) {
            slip_problem(p->r->problems, node->item[i], "surface: order: found %.9g, expected 0 or 1",
                         order[i]);
            return false;
        }
        p->area.order[i] = (int)order[i];
    }
    return true;
}

static bool read_optional(patch_reading *p, const slip_tree *node, const char *group, const char *key,
                          slip_range range, double *value)
{
    const slip_tree *child = slip_read_child(node, key);
    char what[60];
    snprintf(what, sizeof what, "%s: %s", group, key);
    return !child || slip_read_number_in(p->r, child, what, range, value);
}

static bool read_pade(patch_reading *p)
{
    static const char *const keys[] = {"type", "order", "m", "b", "fit", NULL};
    const slip_tree *fit = slip_read_child(p->surface_node, "fit");
    bool flag = false, good = true;
    slip_read_keys(p->r, p->surface_node, "surface", keys);
    good = read_order(p);
    good = read_optional(p, p->surface_node, "surface", "m", positive, &p->area.m) && good;
    good = read_optional(p, p->surface_node, "surface", "b", positive, &p->area.b) && good;
    good = (!fit || slip_read_flag(p->r, fit, "surface: fit", &flag)) && good;
    p->area.fit = flag;
    return good;
}

/* b of the integral model is the weight of spin in the smoothing. */
static bool read_integral(patch_reading *p)
{
    static const char *const set_valued[] = {"type", "tolerance", NULL};
    static const char *const smooth[] = {"type", "tolerance", "b", NULL};
    static const slip_range tolerances = {0, 0.1, false};
    bool good;
    slip_read_keys(p->r, p->surface_node, "surface", p->area.epsilon > 0 ? smooth : set_valued);
    p->area.table_tolerance = -1;
    good = read_optional(p, p->surface_node, "surface", "b", positive, &p->area.b);
    return read_optional(p, p->surface_node, "surface", "tolerance", tolerances, &p->area.table_tolerance) &&
           good;
}

static bool read_surface(patch_reading *p)
{
    static const char *const names[] = {"integral", "pade", NULL};
    const slip_tree *type;
    char found[64];
    p->surface_node = slip_read_child(p->law_node, "surface");
    if (!p->surface_node)
        return true;
    if (p->surface_node->kind != SLIP_TREE_MAPPING) {
        slip_problem(p->r->problems, p->surface_node,
                     "surface: found %s, expected a mapping such as {type: pade, order: [0, 0], fit: true}",
                     slip_tree_what(p->surface_node, found, sizeof found));
        return false;
    }
    type = slip_read_required(p->r, p->surface_node, "surface", "type", "type: integral");
    if (!type || !slip_read_word(p->r, type, "surface: type", &p->area.surface))
        return false;
    if (strcmp(p->area.surface, "pade") == 0)
        return read_pade(p);
    if (strcmp(p->area.surface, "integral") == 0)
        return read_integral(p);
    slip_problem_unknown(p->r->problems, type, "unknown surface", p->area.surface, names);
    return false;
}

/* ---- law ---- */

static bool read_law_numbers(patch_reading *p, bool smooth)
{
    static const char *const set_valued_keys[] = {"type", "mu", "static_ratio", "surface", NULL};
    static const char *const smooth_keys[] = {"type",      "mu",      "epsilon", "static_ratio",
                                              "eta_prime", "surface", NULL};
    static const slip_range ratios = {1, INFINITY, false};
    const slip_tree *mu = slip_read_required(p->r, p->law_node, "law", "mu", "mu: 0.3"), *epsilon = NULL;
    bool good = mu && slip_read_number_in(p->r, mu, "law: mu", not_negative, &p->mu);
    slip_read_keys(p->r, p->law_node, "law", smooth ? smooth_keys : set_valued_keys);
    good = read_optional(p, p->law_node, "law", "static_ratio", ratios, &p->area.static_ratio) && good;
    if (!smooth)
        return good;
    epsilon = slip_read_required(p->r, p->law_node, "law", "epsilon", "epsilon: 1e-4");
    good = epsilon && slip_read_number_in(p->r, epsilon, "law: epsilon", positive, &p->area.epsilon) && good;
    return read_optional(p, p->law_node, "law", "eta_prime", not_negative, &p->area.eta_prime) && good;
}

static bool read_law(patch_reading *p)
{
    static const char *const names[] = {"coulomb", "sqrt", NULL};
    char what[100], found[64];
    const slip_tree *type;
    const char *word;
    int before = p->r->problems->count;
    snprintf(what, sizeof what, "contact `%.60s`", p->contact);
    p->law_node = slip_read_required(p->r, p->node, what, "law", "law: {type: coulomb, mu: 0.3}");
    if (!p->law_node)
        return false;
    if (p->law_node->kind != SLIP_TREE_MAPPING) {
        slip_problem(p->r->problems, p->law_node,
                     "law: found %s, expected a mapping such as {type: coulomb, mu: 0.3}",
                     slip_tree_what(p->law_node, found, sizeof found));
        return false;
    }
    type = slip_read_required(p->r, p->law_node, "law", "type", "type: coulomb");
    if (!type || !slip_read_word(p->r, type, "law: type", &word))
        return false;
    if (strcmp(word, names[0]) != 0 && strcmp(word, names[1]) != 0) {
        slip_problem_unknown(p->r->problems, type, "unknown law of a patch", word, names);
        return false;
    }
    return read_law_numbers(p, strcmp(word, "sqrt") == 0) && read_surface(p) &&
           p->r->problems->count == before;
}

/* ---- all of it ---- */

/* What is left concerns several fields at once; the message begins with the one they belong to. */
static void note_refusal(patch_reading *p)
{
    const char *message = slip_context_message(p->r->ctx);
    const slip_tree *at = strncmp(message, "area:", 5) == 0 || p->area.file ? p->area_node
                          : strncmp(message, "surface:", 8) == 0            ? p->surface_node
                                                                            : p->law_node;
    slip_problem(p->r->problems, at ? at : p->node, "%s", message);
}

void slip_read_patch(slip_reader *r, const slip_tree *node, const char *name)
{
    static const char *const keys[] = {"kind", "slip", "normal_force", "area", "law", NULL};
    patch_reading p = {.r = r, .contact = name, .node = node, .area = slip_patch_options_default()};
    char what[100];
    bool good;
    snprintf(what, sizeof what, "contact `%.60s`", name);
    slip_read_keys(r, node, what, keys);
    good = read_slip(&p);
    good = slip_read_normal(r, node, &p.normal_force) && good;
    good = read_area(&p) && good;
    good = read_law(&p) && good;
    if (good) {
        slip_patch_source source = {
            .name = name, .mu = p.mu, .area = &p.area, .normal_force = p.normal_force};
        memcpy(source.slip, p.slip, sizeof source.slip);
        if (slip_model_append_patch(r->ctx, r->model, &source) < 0)
            note_refusal(&p);
        return;
    }
    for (int part = 0; part < 3; part++)
        slip_expression_destroy(p.slip[part]);
    slip_expression_destroy(p.normal_force);
}
