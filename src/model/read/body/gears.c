/* Gears: numbers of the outline and the mesh, material, modes. */
#include "io/file.h"
#include "model/fields.h"
#include "model/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { gears_max = 20 };

static bool read_material(slip_reader *r, const slip_tree *gear, slip_gear_options *to)
{
    static const slip_fields *const tables[] = {&slip_fields_gear_material, NULL};
    const slip_tree *node = slip_read_child(gear, "material");
    if (!node)
        return true;
    if (!slip_read_field_keys(r, node, "material", tables, NULL) ||
        !slip_read_fields(r, node, &slip_fields_gear_material, true, to))
        return false;
    if (to->poisson > -1 && to->poisson < 0.5)
        return true;
    return slip_problem(r->problems, slip_read_child(node, "poisson"),
                        "poisson: found %.9g, expected more than -1 and less than 0.5", to->poisson);
}

/* ---- meshes ---- */

static bool keep_text(slip_reader *r, const char *text, const char **to)
{
    *to = slip_arena_string(&r->model->arena, text);
    return slip_reader_room(r, *to);
}

static bool read_flanks(slip_reader *r, const slip_tree *node, slip_gear_options *to)
{
    if (node->kind != SLIP_TREE_SEQUENCE || node->count == 0)
        return slip_read_refuse(r, node, "flanks", "a list of sets such as [tooth1_left]");
    const char **names = slip_arena_array(&r->model->arena, node->count + 1, sizeof *names);
    if (!slip_reader_room(r, names))
        return false;
    to->flanks = names;
    for (int i = 0; i < node->count; i++) {
        const char *word;
        if (!slip_read_word(r, node->item[i], "flanks", &word) || !keep_text(r, word, &names[i]))
            return false;
    }
    return true;
}

static bool read_mesh_file(slip_reader *r, const slip_tree *mesh, slip_tree *file, slip_gear_options *to)
{
    static const char *const keys[] = {"file", "bore", "flanks", NULL};
    const slip_tree *bore = slip_read_child(mesh, "bore"), *flanks = slip_read_child(mesh, "flanks");
    const char *word;
    if (!slip_read_keys(r, mesh, "mesh", keys) || !slip_read_word(r, file, "mesh: file", &word))
        return false;
    file->is_text = true;
    char *path = slip_path_beside(r->problems->file, word);
    bool good = path && keep_text(r, path, &to->mesh_file);
    free(path);
    if (good && bore)
        good = slip_read_word(r, bore, "bore", &word) && keep_text(r, word, &to->bore_set);
    return good && (!flanks || read_flanks(r, flanks, to));
}

static bool read_mesh(slip_reader *r, const slip_tree *gear, slip_gear_options *to)
{
    static const slip_fields *const tables[] = {&slip_fields_gear_mesh, NULL};
    const slip_tree *node = slip_read_child(gear, "mesh");
    if (!node)
        return true;
    if (node->kind == SLIP_TREE_MAPPING && slip_read_child(node, "file"))
        return read_mesh_file(r, node, slip_read_child(node, "file"), to);
    return slip_read_field_keys(r, node, "mesh", tables, NULL) &&
           slip_read_fields(r, node, &slip_fields_gear_mesh, true, &to->mesh);
}

/* ---- gears ---- */

/* The reduced body of a gear is NAME.h5, beside the results of a run. */
static const char *gear_name_problem(const char *name)
{
    if (strcmp(name, "result") == 0 || strcmp(name, "checkpoint") == 0)
        return "cannot be called so: a run writes a file of this name, expected another";
    return slip_name_problem(name, false);
}

/* Larger gears are not made. */
static const double largest_module = 0.2;

bool slip_read_outline(slip_reader *r, const slip_tree *key, const slip_tree *outline, const slip_tree *body,
                       slip_gear_options *to)
{
    slip_gear_geometry geometry;
    bool good = keep_text(r, key->text, &to->name) && read_mesh(r, body, to);
    /* With a mesh of one's own the outline is only for the user. */
    good = slip_read_fields(r, outline, &slip_fields_gear, !to->mesh_file, to) && good;
    good = read_material(r, body, to) && good;
    if (good && !to->mesh_file && slip_gear_measure(r->ctx, to, &geometry) < 0)
        return slip_problem(r->problems, key, "%s", slip_context_message(r->ctx));
    if (good && to->module > largest_module)
        slip_log(r->ctx, SLIP_LOG_WARNING,
                 "%s:%d:%d: gear `%.60s` has a module of %.9g m: lengths are in metres; a module of %.9g mm "
                 "would be %.9g",
                 r->problems->file, key->line, key->column, key->text, to->module, to->module,
                 1e-3 * to->module);
    return good;
}

static void read_gear(slip_reader *r, const slip_tree *key, const slip_tree *node, slip_gear_options *to,
                      slip_gear_side *side)
{
    static const slip_fields *const tables[] = {&slip_fields_gear, &slip_fields_gear_side, NULL};
    static const char *const others[] = {"mesh", "material", "damping", NULL};
    const char *problem = gear_name_problem(key->text);
    char what[100];
    snprintf(what, sizeof what, "gear `%.60s`", key->text);
    *to = slip_gear_options_default();
    if (problem)
        slip_problem(r->problems, key, "%s %s", what, problem);
    if (problem || !slip_read_field_keys(r, node, what, tables, others))
        return;
    slip_read_outline(r, key, node, node, to);
    slip_read_gear_side(r, node, side);
}

void slip_read_gears(slip_reader *r)
{
    static const char *const others[] = {"coordinates", "energy",   "mass",   "damping",
                                         "stiffness",   "springs",  "forces", "bodies",
                                         "contacts",    "continue", NULL};
    const slip_tree *section = slip_read_child(r->root, "gears");
    slip_gear_side spare = r->model->gear_run.side[0]; /* of more gears than can touch */
    for (int i = 0; others[i]; i++) {
        const int index = slip_tree_index(r->root, others[i]);
        if (index >= 0)
            slip_problem(r->problems, slip_tree_key(r->root, index),
                         "found `%s` in a model with gears, expected gears, flanks, simulate and parameters",
                         others[i]);
    }
    if (section->kind != SLIP_TREE_MAPPING || section->count == 0 || section->count > gears_max) {
        slip_read_refuse(r, section, "gears", "a mapping (name: gear) of 1 to %d", gears_max);
        return;
    }
    r->model->gears = slip_arena_array(&r->model->arena, section->count, sizeof *r->model->gears);
    if (!slip_reader_room(r, r->model->gears))
        return;
    r->model->gear_count = section->count;
    for (int i = 0; i < section->count && !slip_problems_full(r->problems); i++)
        read_gear(r, slip_tree_key(section, i), slip_tree_value(section, i), &r->model->gears[i],
                  i < 2 ? &r->model->gear_run.side[i] : &spare);
    if (!r->problems->memory)
        slip_read_gear_run(r, &r->model->gear_run);
}
