/* From a file or a text to a model. */
#include "model/read/read.h"

#include "model/names.h"
#include "model/override.h"
#include "model/source.h"
#include "model/study.h"
#include "model/yaml.h"

#include <stdio.h>
#include <string.h>

#define NAME(section) #section,

/* ---- sections ---- */

static void check_sections(slip_reader *r)
{
    static const char *const of_motion[] = {"inputs", "outputs", "units", "states"};
    const int flanks = slip_tree_index(r->root, "flanks");
    for (int i = 0; i < r->root->count && !slip_problems_full(r->problems); i++) {
        const slip_tree *key = slip_tree_key(r->root, i);
        bool known = false;
        for (int j = 0; slip_sections[j]; j++)
            known |= strcmp(key->text, slip_sections[j]) == 0;
        if (!known)
            slip_problem_unknown(r->problems, key, "unknown key", key->text, slip_sections);
    }
    if (flanks >= 0 && !slip_read_child(r->root, "gears"))
        slip_problem(r->problems, slip_tree_key(r->root, flanks),
                     "found `flanks` in a model without gears, expected a section `gears`");
    for (int k = 0; k < 4; k++) {
        const int index = slip_tree_index(r->root, of_motion[k]);
        if (index >= 0 && (slip_read_child(r->root, "gears") ||
                           (slip_read_child(r->root, "bodies") && !slip_read_moves(r))))
            slip_problem(r->problems, slip_tree_key(r->root, index),
                         "found `%s` in a model with %s, expected it in one with coordinates", of_motion[k],
                         slip_read_child(r->root, "gears") ? "gears" : "bodies");
    }
}

static void read_version(slip_reader *r)
{
    const slip_tree *node = slip_read_required(r, r->root, "", "slipstick", "slipstick: 1");
    if (node && (node->kind != SLIP_TREE_SCALAR || strcmp(node->text, "1") != 0))
        slip_read_refuse(r, node, "slipstick", "1, the version of the file format");
}

static void read_title(slip_reader *r)
{
    slip_tree *node = slip_read_child(r->root, "title");
    if (!node)
        return;
    if (node->kind != SLIP_TREE_SCALAR) {
        slip_read_refuse(r, node, "title", "text");
        return;
    }
    if (!r->model->origin)
        node->is_text = true;
    r->model->title = slip_arena_string(&r->model->arena, node->text);
    slip_reader_room(r, r->model->title);
}

static void start_without_coordinates(slip_reader *r)
{
    slip_reader_room(r, slip_model_set_coordinates(r->ctx, r->model, 0, 0, NULL) >= 0);
}

/* A model of bodies has no coordinates of its own, nor what goes with them. */
static void start_bodies(slip_reader *r)
{
    static const char *const others[] = {
        "coordinates", "mass",   "damping",  "stiffness",
        "springs",     "forces", "simulate", SLIP_GIVEN_STRUCTURES(NAME) NULL};
    for (int i = 0; others[i]; i++) {
        const int index = slip_tree_index(r->root, others[i]);
        if (index >= 0)
            slip_problem(r->problems, slip_tree_key(r->root, index),
                         "found `%s` in a model with bodies that do not move, expected a section `simulate`",
                         others[i]);
    }
    r->model->of_bodies = true;
    start_without_coordinates(r);
}

void slip_read_model(slip_reader *r)
{
    const slip_tree *gears = slip_read_child(r->root, "gears");
    const bool bodies = slip_read_child(r->root, "bodies") && !slip_read_moves(r);
    if (!r->model->origin) /* else they have been looked at when that was read */
        check_sections(r);
    read_version(r);
    read_title(r);
    if (slip_read_moves(r) && !slip_read_motion(r))
        return;
    if (bodies && !gears)
        start_bodies(r);
    else if (gears)
        start_without_coordinates(r);
    else
        slip_read_coordinates(r);
    slip_read_parameters(r);
    if (slip_read_has_motion(r) && r->symbols)
        slip_read_inputs(r);
    if (slip_problems_full(r->problems))
        return;
    if (gears) {
        slip_read_gears(r);
        slip_read_studies(r, true);
        return;
    }
    if (bodies)
        slip_read_bodies(r);
    else {
        slip_read_structure(r);
        slip_read_states(r);
    }
    slip_read_contacts(r);
    if (slip_read_has_motion(r) && r->model->system && !slip_problems_full(r->problems))
        slip_read_outputs(r);
    slip_read_simulate(r);
    slip_read_studies(r, false);
}

/* ---- files ---- */

static bool check_root(slip_problems *problems, const slip_tree *root)
{
    char found[64];
    if (root && root->kind == SLIP_TREE_MAPPING)
        return true;
    if (root)
        slip_problem(problems, root, "found %s, expected a model: keys such as `coordinates: [x]`",
                     slip_tree_what(root, found, sizeof found));
    else
        slip_problem_at(problems, 1, 1, "the file is empty, expected a model");
    return false;
}

static int read_text(slip_context *ctx, const char *text, size_t size, const char *const *settings,
                     slip_problems *problems, slip_model **result)
{
    slip_reader reader = {.ctx = ctx, .problems = problems};
    slip_yaml_error error;
    SLIP_FREED_BY(slip_model_drop) slip_model *model = NULL;
    int status = SLIP_OK;
    slip_context_count_model(ctx);
    SLIP_PASS(status = slip_source_check(ctx, problems->file, text, size));
    SLIP_PASS(status = slip_model_allocate(ctx, &model));
    status = slip_yaml_parse(&model->arena, text, size, &reader.root, &error);
    if (status == SLIP_ERROR_MODEL)
        slip_problem_at(problems, error.line, error.column, "%s", error.message);
    else if (status < 0)
        problems->memory = true;
    else if (check_root(problems, reader.root)) {
        for (; settings && *settings; settings++)
            slip_override(problems, &model->arena, reader.root, *settings);
        reader.model = model;
        slip_read_model(&reader);
    }
    SLIP_PASS(status = slip_problems_report(problems, ctx));
    model->document = reader.root;
    model->file = slip_arena_string(&model->arena, problems->file);
    SLIP_PASS(status = slip_allocated(ctx, model->file != NULL));
    SLIP_PASS(status = slip_model_finish(ctx, model));
    SLIP_HAND(result, model);
    return status;
}

/* The document of a model with the numbers that it is bound to. */
static slip_tree *copy_document(slip_arena *arena, const slip_model *model)
{
    slip_tree *root = slip_tree_clone(arena, model->document),
              *parameters = root ? slip_tree_find(root, "parameters") : NULL;
    for (int64_t i = 0; parameters && model->parameter_set && i < model->parameter_count; i++) {
        char number[40];
        snprintf(number, sizeof number, "%.17g", model->parameters[i].value);
        if (model->parameter_set[i] &&
            !slip_tree_put(arena, parameters, model->parameters[i].name, slip_tree_scalar(arena, number)))
            return NULL;
    }
    return root;
}

int slip_model_reduce(slip_context *ctx, const slip_model *from, int64_t modes, slip_model **reduced)
{
    SLIP_FREED_BY(slip_problems_drop)
    slip_problems *problems = slip_problems_create(ctx, from->file ? from->file : "the model");
    slip_reader reader = {.ctx = ctx, .problems = problems, .whole_modes = modes};
    SLIP_FREED_BY(slip_model_drop) slip_model *model = NULL;
    int status = problems ? slip_model_allocate(ctx, &model) : SLIP_ERROR_MEMORY;
    *reduced = NULL;
    if (status < 0)
        return status;
    reader.model = model;
    reader.root = model->document = copy_document(&model->arena, from);
    model->file = slip_arena_string(&model->arena, problems->file);
    SLIP_PASS(slip_allocated(ctx, reader.root && model->file));
    slip_read_model(&reader);
    SLIP_PASS(slip_problems_report(problems, ctx));
    SLIP_PASS(slip_model_finish(ctx, model));
    SLIP_HAND(reduced, model);
    return status;
}

static int parse(slip_context *ctx, const char *text, size_t size, const char *name,
                 const char *const *settings, slip_model **model)
{
    SLIP_FREED_BY(slip_problems_drop) slip_problems *problems = slip_problems_create(ctx, name);
    *model = NULL;
    return problems ? read_text(ctx, text, size, settings, problems, model) : SLIP_ERROR_MEMORY;
}

int slip_model_parse(slip_context *ctx, const char *text, const char *name, const char *const *settings,
                     slip_model **model)
{
    SLIP_NEED_FOR(model, ctx, text, name);
    return parse(ctx, text, strlen(text), name, settings, model);
}

int slip_model_load_with(slip_context *ctx, const char *path, const char *const *settings, slip_model **model)
{
    SLIP_NEED_FOR(model, ctx, path);
    SLIP_FREED char *text = NULL;
    size_t size = 0;
    SLIP_PASS(slip_source_load(ctx, path, &text, &size));
    return parse(ctx, text, size, path, settings, model);
}

int slip_model_load(slip_context *ctx, const char *path, slip_model **model)
{
    SLIP_NEED_FOR(model, ctx, path);
    return slip_model_load_with(ctx, path, NULL, model);
}
