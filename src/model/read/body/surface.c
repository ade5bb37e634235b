/* Contacts of kind surface: between two edges of bodies, or an edge and a rigid plane. */
#include "model/read/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "upper.bottom" to its parts, in the model's arena. */
static bool read_edge(slip_reader *r, const slip_tree *node, const char **body, const char **edge)
{
    const char *word, *dot;
    if (node->kind != SLIP_TREE_SCALAR || slip_tree_is_null(node))
        return slip_read_refuse(r, node, "between", "BODY.EDGE, such as upper.bottom");
    word = node->text;
    dot = strchr(word, '.');
    if (!dot || dot == word || !dot[1])
        return slip_problem(r->problems, node,
                            "between: found `%.60s`, expected BODY.EDGE, such as upper.bottom", word);
    *body = slip_arena_string_bytes(&r->model->arena, word, (size_t)(dot - word));
    *edge = slip_arena_string(&r->model->arena, dot + 1);
    return slip_reader_room(r, *body && *edge);
}

/* Names a body that is there; where bodies had problems of their own there is nothing to say. */
static bool check_body(slip_reader *r, const slip_tree *node, const char *body)
{
    const slip_tree *section = slip_read_child(r->root, "bodies");
    const int count = slip_plane_body_count(r->model->plane);
    for (int i = 0; i < count; i++)
        if (strcmp(slip_plane_body_name(r->model->plane, i), body) == 0)
            return true;
    if (slip_tree_find(section, body))
        return false;
    SLIP_FREED const char **names = slip_alloc(section->count + 1, sizeof *names);
    for (int i = 0; names && i < section->count; i++)
        names[i] = slip_tree_key(section, i)->text;
    if (names)
        slip_problem_unknown(r->problems, node, "unknown body", body, names);
    else
        r->problems->memory = true;
    return false;
}

static bool read_rigid_plane(slip_reader *r, const slip_tree *node, slip_plane_surface *to)
{
    static const char *const keys[] = {"point", "normal", NULL};
    static const slip_range any = {-INFINITY, INFINITY, false};
    const slip_tree *point, *normal;
    bool good = true;
    slip_read_keys(r, node, "rigid plane", keys);
    point = slip_read_required(r, node, "rigid plane", "point", "point: [0, 0]");
    normal = slip_read_required(r, node, "rigid plane", "normal", "normal: [0, 1]");
    const int d = slip_plane_dimension(r->model->plane);
    if (!point || !normal || !slip_read_list(r, point, "point", d, d == 3 ? "[0, 0, 0]" : "[0, 0]") ||
        !slip_read_list(r, normal, "normal", d, slip_read_vector_example(d)))
        return false;
    for (int k = 0; k < d; k++) {
        good = slip_read_plane_expression(r, point->item[k], "point", "", &to->point[k]) && good;
        good = slip_read_structural(r, normal->item[k], "normal", any, &to->normal[k]) && good;
    }
    if (good && !(hypot(hypot(to->normal[0], to->normal[1]), to->normal[2]) > 0))
        return slip_problem(r->problems, normal, "normal: found %s, expected a direction",
                            d == 3 ? "[0, 0, 0]" : "[0, 0]");
    return good;
}

/* {points: [[x, y], ...]}: a line through them; the body is on the left of the way along it. */
static bool read_rigid_line(slip_reader *r, const slip_tree *node, slip_plane_surface *to)
{
    static const char *const keys[] = {"points", NULL};
    static const slip_range any = {-INFINITY, INFINITY, false};
    const slip_tree *points = slip_read_child(node, "points");
    const int count = points->kind == SLIP_TREE_SEQUENCE ? points->count : 0;
    double *line = slip_arena_array(&r->model->arena, 2 * (int64_t)count, sizeof *line);
    bool good = slip_read_keys(r, node, "rigid line", keys);
    if (good && (count < 2 || slip_plane_dimension(r->model->plane) == 3))
        return slip_problem(r->problems, points,
                            "points: expected a list of at least two points of the plane, such as "
                            "[[0, 0], [1, 0]]");
    slip_reader_room(r, line);
    for (int i = 0; i < count && good && line; i++) {
        good = slip_read_list(r, points->item[i], "points", 2, "[0, 0]");
        for (int k = 0; k < 2 && good; k++)
            good = slip_read_structural(r, points->item[i]->item[k], "points", any, &line[2 * i + k]);
        if (good && i > 0 && line[2 * i] == line[2 * i - 2] && line[2 * i + 1] == line[2 * i - 1]) {
            slip_problem(r->problems, points->item[i],
                         "points: found (%.9g, %.9g) twice, expected another point", line[2 * i],
                         line[2 * i + 1]);
            good = false;
        }
    }
    to->line = line;
    to->line_count = count;
    to->second_body = "rigid";
    to->second_edge = "line";
    return good && line;
}

static bool read_between(slip_reader *r, const slip_tree *node, const char *what, slip_plane_surface *to)
{
    static const char example[] = "between: [upper.bottom, lower.top]";
    const slip_tree *list = slip_read_required(r, node, what, "between", example);
    if (!list || !slip_read_list(r, list, "between", 2, "[upper.bottom, lower.top]"))
        return false;
    if (!read_edge(r, list->item[0], &to->first_body, &to->first_edge) ||
        !check_body(r, list->item[0], to->first_body))
        return false;
    if (list->item[1]->kind == SLIP_TREE_MAPPING)
        return slip_tree_find(list->item[1], "points") ? read_rigid_line(r, list->item[1], to)
                                                       : read_rigid_plane(r, list->item[1], to);
    return read_edge(r, list->item[1], &to->second_body, &to->second_edge) &&
           check_body(r, list->item[1], to->second_body);
}

/* In statics only Coulomb's law has a meaning, and of it only the coefficient. */
static bool read_friction_law(slip_reader *r, const slip_tree *law, slip_plane_surface *to)
{
    static const char *const keys[] = {"type", "mu", NULL};
    const slip_tree *type, *mu;
    const char *word;
    double value;
    if (!slip_read_keys(r, law, "law of a surface", keys))
        return false;
    if (slip_plane_dimension(r->model->plane) == 3)
        return slip_problem(
            r->problems, law,
            "law: friction of bodies in space is that of bodies in motion: expected a section "
            "`simulate`, with which `statics` takes it too");
    type = slip_read_required(r, law, "law", "type", "type: coulomb");
    mu = slip_read_required(r, law, "law", "mu", "mu: 0.3");
    if (!type || !mu || !slip_read_word(r, type, "law: type", &word))
        return false;
    if (strcmp(word, "coulomb") != 0)
        return slip_problem(r->problems, type,
                            "law: found `%.60s`, expected `coulomb`: a surface contact is static", word);
    if (!slip_read_plane_expression(r, mu, "mu", slip_read_places(slip_plane_dimension(r->model->plane)),
                                    &to->friction))
        return false;
    if (slip_expression_is_constant(to->friction, &value) && value < 0)
        return slip_problem(r->problems, mu, "mu: found %.9g, expected at least 0", value);
    return true;
}

/* 1, or 2: then the points of both sides look for the other one. */
static bool read_passes(slip_reader *r, const slip_tree *node, slip_plane_surface *to)
{
    const slip_tree *child = slip_read_child(node, "passes");
    int64_t passes = 1;
    if (!child)
        return true;
    if (!slip_read_structural_count(r, child, "passes", &passes))
        return false;
    if (passes > 2 || (passes == 2 && (to->line || !to->second_body)))
        return slip_problem(r->problems, child, "passes: found %lld, expected 1%s", (long long)passes,
                            to->line          ? ": a rigid line has no points of its own"
                            : to->second_body ? " or 2"
                                              : ": a rigid plane has no points");
    to->both = passes == 2;
    return true;
}

/* `large`: pairs are found anew as the bodies move. */
static bool read_sliding(slip_reader *r, const slip_tree *node, slip_plane_surface *to)
{
    static const char *const words[] = {"small", "large", NULL};
    const slip_tree *child = slip_read_child(node, "sliding");
    const int choice = child ? slip_read_choice(r, child, "sliding", NULL, words) : 0;
    if (choice == 1 && (!to->second_body || !r->model->in_motion))
        return slip_problem(r->problems, child, "sliding: found large%s",
                            to->second_body
                                ? ", which is of bodies in motion: expected small, or a section `simulate`"
                                : " on a rigid plane, which is met wherever a body slides: expected small");
    to->far = choice == 1;
    return choice >= 0;
}

static void free_expressions(const slip_plane_surface *surface)
{
    for (int k = 0; k < 3; k++)
        slip_expression_destroy(surface->point[k]);
    slip_expression_destroy(surface->gap);
    slip_expression_destroy(surface->friction);
}

/* In motion slip_read_motion_surface reads the keys and the law. */
static void read_surface(slip_reader *r, const slip_tree *node, const char *name)
{
    static const char *const keys[] = {"kind", "between", "passes", "sliding", "gap", "law", NULL};
    const slip_tree *law = r->model->in_motion ? NULL : slip_read_child(node, "law"),
                    *gap = slip_read_child(node, "gap");
    slip_plane_surface surface = {.name = name};
    char what[100];
    if (r->model->plane_shared)
        return;
    snprintf(what, sizeof what, "contact `%.60s`", name);
    if (!r->model->in_motion)
        slip_read_keys(r, node, what, keys);
    bool good = read_between(r, node, what, &surface);
    good = read_passes(r, node, &surface) && good;
    good = good && read_sliding(r, node, &surface);
    good = (!law || read_friction_law(r, law, &surface)) && good;
    good =
        (!gap || slip_read_plane_expression(
                     r, gap, "gap", slip_read_places(slip_plane_dimension(r->model->plane)), &surface.gap)) &&
        good;
    if (!good)
        free_expressions(&surface);
    else if (slip_plane_add_surface(r->ctx, r->model->plane, &surface) < 0)
        slip_problem(r->problems, node, "%s", slip_context_message(r->ctx));
}

const slip_contact_kind slip_kind_surface = {.read = read_surface,
                                             .read_motion = slip_read_motion_surface,
                                             .can = SLIP_KIND_OF_BODIES | SLIP_KIND_REMEMBERS};
