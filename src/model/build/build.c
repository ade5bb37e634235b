/* Building a model in C: each call adds a node to the document, as a file would have it, and reads that node.
 */
#include "model/build/build.h"
#include "model/names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int open_for_change(slip_context *ctx, slip_model *model)
{
    if (model->finished)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "a model that was read from a file is not changed: give parameters other values "
                         "(slip_values_set), or settings when it is loaded (slip_model_load_with)");
    return SLIP_OK;
}

int slip_build_for_motion(slip_context *ctx, slip_model *model)
{
    if (model->of_bodies)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "the model is one of bodies: it has no coordinates");
    return open_for_change(ctx, model);
}

/* ---- the document ---- */

void slip_draft_put(slip_draft *d, slip_tree *to, const char *key, slip_tree *value)
{
    d->good = d->good && to && slip_tree_put(d->arena, to, key, value);
}

void slip_draft_text(slip_draft *d, slip_tree *to, const char *key, const char *text)
{
    if (text)
        slip_draft_put(d, to, key, slip_tree_scalar(d->arena, text));
}

void slip_draft_number(slip_draft *d, slip_tree *to, const char *key, double value)
{
    if (!isnan(value))
        slip_draft_put(d, to, key, slip_tree_number(d->arena, value));
}

int slip_build_document(slip_context *ctx, slip_model *model)
{
    slip_arena *arena = &model->arena;
    slip_tree *root = slip_tree_mapping(arena);
    SLIP_PASS(
        slip_allocated(ctx, root && slip_tree_put(arena, root, "slipstick", slip_tree_scalar(arena, "1"))));
    model->document = root;
    return SLIP_OK;
}

slip_tree *slip_build_section(slip_model *model, const char *name)
{
    slip_tree *section = slip_tree_find(model->document, name);
    if (section && section->kind == SLIP_TREE_MAPPING)
        return section;
    section = slip_tree_mapping(&model->arena);
    return slip_tree_put(&model->arena, model->document, name, section) ? section : NULL;
}

/* A reader for one part of the document; `problems` are the caller's. */
static int open_reader(slip_context *ctx, slip_model *model, slip_problems *problems, slip_reader *r)
{
    const int n = model->system->n, count = (int)model->parameter_count;
    *r = (slip_reader){.ctx = ctx,
                       .model = model,
                       .problems = problems,
                       .root = model->document,
                       .n = n,
                       .coordinates = slip_system_coordinates(model->system),
                       .given = slip_system_coordinates(model->system)};
    r->names = slip_arena_array(&problems->arena, r->coordinates + 1, sizeof *r->names);
    r->all = slip_arena_array(&problems->arena, n + 1, sizeof *r->all);
    r->slots =
        slip_arena_array(&problems->arena, slip_reader_slot_first(r) + (int64_t)count, sizeof *r->slots);
    SLIP_PASS(slip_allocated(ctx, r->names && r->all && r->slots));
    r->numbers = r->slots + slip_reader_slot_first(r);
    memcpy(r->names, model->system->names, (size_t)r->coordinates * sizeof *r->names);
    memcpy(r->all, model->system->names, (size_t)n * sizeof *r->all);
    r->symbols = slip_system_symbols(&problems->arena, n, n - r->coordinates, r->all, model->parameters,
                                     &model->inputs);
    SLIP_PASS(slip_allocated(ctx, r->symbols));
    r->parameters = 1 + 2 * n;
    r->parameter_count = count;
    slip_read_rate_symbols(r);
    for (int i = 0; i < count; i++) {
        r->symbols[r->parameters + i].slot = slip_reader_slot_first(r) + i;
        r->numbers[i] = model->parameters[i].value;
    }
    return SLIP_OK;
}

int slip_build_part(slip_context *ctx, slip_model *model,
                    void (*read)(slip_reader *r, const slip_tree *key, const slip_tree *node),
                    const char *name, const slip_tree *node)
{
    slip_problems *problems = slip_problems_create(ctx, NULL);
    const slip_tree *key = slip_tree_scalar(&model->arena, name);
    slip_reader reader;
    int status;
    if (!problems || !node || !key) {
        slip_problems_destroy(problems);
        return slip_fail_memory(ctx);
    }
    SLIP_TRY(open_reader(ctx, model, problems, &reader));
    read(&reader, key, node);
    SLIP_TRY(slip_problems_report(problems, ctx));
done:
    slip_problems_destroy(problems);
    return status;
}

/* ---- names and numbers ---- */

static int check_names(slip_context *ctx, int n, const char *const *names)
{
    if (n < 1 || n > slip_coordinates_max)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "found %d coordinates, expected 1 to %d", n,
                         slip_coordinates_max);
    for (int i = 0; i < n; i++) {
        const char *problem = slip_name_problem(names[i], true);
        if (problem)
            return slip_fail(ctx, SLIP_ERROR_MODEL, "coordinate `%.60s` %s", names[i], problem);
        for (int j = 0; j < i; j++)
            if (strcmp(names[i], names[j]) == 0)
                return slip_fail(ctx, SLIP_ERROR_MODEL, "coordinate `%s` is there twice", names[i]);
    }
    return SLIP_OK;
}

int slip_model_create(slip_context *ctx, int coordinate_count, const char *const *coordinate_names,
                      slip_model **result)
{
    SLIP_NEED_FOR(result, ctx, coordinate_names);
    SLIP_FREED_BY(slip_model_drop) slip_model *model = NULL;
    slip_tree *names;
    SLIP_PASS(check_names(ctx, coordinate_count, coordinate_names));
    SLIP_PASS(slip_model_allocate(ctx, &model));
    SLIP_PASS(slip_model_set_coordinates(ctx, model, coordinate_count, 0, coordinate_names));
    SLIP_PASS(slip_build_document(ctx, model));
    names = slip_tree_sequence(&model->arena, coordinate_count);
    for (int i = 0; i < coordinate_count && names; i++)
        if (!(names->item[i] = slip_tree_scalar(&model->arena, coordinate_names[i])))
            names = NULL;
    SLIP_PASS(slip_allocated(ctx, slip_tree_put(&model->arena, model->document, "coordinates", names)));
    SLIP_HAND(result, model);
    return SLIP_OK;
}

int slip_build_check_finite(slip_context *ctx, const char *what, const double *numbers, int count,
                            int columns)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: row %d, entry %d is %g, expected a finite number",
                             what, i / columns + 1, i % columns + 1, numbers[i]);
    return SLIP_OK;
}

static int set_matrix(slip_context *ctx, slip_model *model, const char *what, double *target,
                      const double *matrix)
{
    const int n = slip_system_coordinates(model->system), all = model->system->n;
    slip_tree *rows;
    SLIP_PASS(slip_build_for_motion(ctx, model));
    SLIP_PASS(slip_build_check_finite(ctx, what, matrix, n * n, n));
    for (int i = 0; i < n; i++)
        memcpy(target + i * all, matrix + i * n, (size_t)n * sizeof(double));
    rows = slip_tree_sequence(&model->arena, n);
    for (int i = 0; i < n && rows; i++)
        if (!(rows->item[i] = slip_tree_numbers(&model->arena, n, matrix + (size_t)i * (size_t)n)))
            rows = NULL;
    SLIP_PASS(slip_allocated(ctx, slip_tree_put(&model->arena, model->document, what, rows)));
    return SLIP_OK;
}

int slip_model_set_mass(slip_context *ctx, slip_model *model, const double *matrix)
{
    SLIP_NEED(ctx, model, matrix);
    int n = slip_system_coordinates(model->system), row, column;
    SLIP_PASS(slip_build_for_motion(ctx, model));
    SLIP_PASS(slip_build_check_finite(ctx, "mass", matrix, n * n, n));
    SLIP_PASS(slip_mass_check(ctx, n, matrix, &row, &column));
    SLIP_PASS(set_matrix(ctx, model, "mass", model->system->mass, matrix));
    model->mass_given = true;
    return SLIP_OK;
}

int slip_model_set_damping(slip_context *ctx, slip_model *model, const double *matrix)
{
    SLIP_NEED(ctx, model, matrix);
    return set_matrix(ctx, model, "damping", model->system->damping, matrix);
}

int slip_model_set_stiffness(slip_context *ctx, slip_model *model, const double *matrix)
{
    SLIP_NEED(ctx, model, matrix);
    return set_matrix(ctx, model, "stiffness", model->system->stiffness, matrix);
}

int slip_build_free_name(slip_context *ctx, const slip_model *model, const char *what, const char *name)
{
    const char *problem = slip_name_problem(name, true), *taken = NULL;
    if (problem)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s `%.60s` %s", what, name, problem);
    for (int i = 0; i < model->system->n; i++)
        if (strcmp(model->system->names[i], name) == 0)
            taken = i < slip_system_coordinates(model->system) ? "a coordinate" : "a state";
    if (slip_model_parameter(model, name) >= 0)
        taken = "a parameter";
    for (int64_t i = 0; i < model->inputs.count; i++)
        if (strcmp(model->inputs.list[i]->name, name) == 0)
            taken = "an input";
    return taken ? slip_fail(ctx, SLIP_ERROR_MODEL, "%s `%s` is %s too, expected another name", what, name,
                             taken)
                 : SLIP_OK;
}

int slip_model_set_parameter(slip_context *ctx, slip_model *model, const char *name, double value)
{
    SLIP_NEED(ctx, model, name);
    const char *problem = slip_name_problem(name, true);
    SLIP_PASS(open_for_change(ctx, model));
    if (model->plane)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "parameter `%.60s` comes too late: expected before the bodies", name);
    if (model->of_bodies && (strcmp(name, "x") == 0 || strcmp(name, "y") == 0))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "parameter `%s` is a place in a model of bodies: expected another name", name);
    if (problem)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "parameter `%.60s` %s", name, problem);
    if (!isfinite(value))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "parameter `%s` is %g, expected a finite number", name,
                         value);
    if (slip_model_parameter(model, name) >= 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "parameter `%s` is already set", name);
    SLIP_PASS(slip_build_free_name(ctx, model, "parameter", name));
    if (model->parameter_count >= slip_parameters_max)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "more than %d parameters", slip_parameters_max);
    slip_tree *section = slip_build_section(model, "parameters");
    SLIP_PASS(slip_allocated(
        ctx, section && slip_tree_put(&model->arena, section, name, slip_tree_number(&model->arena, value))));
    return slip_model_append_parameter(ctx, model, name, value);
}

int slip_model_set_initial(slip_context *ctx, slip_model *model, const double *q, const double *v)
{
    SLIP_NEED(ctx, model);
    int n = slip_system_coordinates(model->system);
    slip_tree *section, *initial = slip_tree_mapping(&model->arena), *before;
    bool good = initial != NULL;
    char velocity[slip_name_length_max + 2];
    SLIP_PASS(slip_build_for_motion(ctx, model));
    if (q)
        SLIP_PASS(slip_build_check_finite(ctx, "initial coordinates", q, n, n));
    if (v)
        SLIP_PASS(slip_build_check_finite(ctx, "initial velocities", v, n, n));
    for (int i = 0; i < n && good; i++) {
        const char *name = model->system->names[i];
        model->initial_q[i] = q ? q[i] : 0;
        model->initial_v[i] = v ? v[i] : 0;
        snprintf(velocity, sizeof velocity, "%.60s'", name);
        if (q && q[i] != 0)
            good = slip_tree_put(&model->arena, initial, name, slip_tree_number(&model->arena, q[i]));
        if (v && v[i] != 0 && good)
            good = slip_tree_put(&model->arena, initial, velocity, slip_tree_number(&model->arena, v[i]));
    }
    model->initial_static = false;
    section = slip_build_section(model, "simulate");
    before = section ? slip_tree_find(section, "initial") : NULL;
    for (int i = n; i < model->system->n && before && good; i++) { /* states keep what they have */
        slip_tree *state = slip_tree_find(before, model->system->names[i]);
        good = !state || slip_tree_put(&model->arena, initial, model->system->names[i], state);
    }
    SLIP_PASS(
        slip_allocated(ctx, good && section && slip_tree_put(&model->arena, section, "initial", initial)));
    return SLIP_OK;
}

/* ---- energies ---- */

static void read_energy(slip_reader *r, const slip_tree *key, const slip_tree *node)
{
    (void)key;
    slip_read_energy(r, node);
}

int slip_model_set_energy(slip_context *ctx, slip_model *model, const char *kinetic, const char *potential,
                          const char *dissipation)
{
    SLIP_NEED(ctx, model, kinetic);
    const char *const keys[] = {"kinetic", "potential", "dissipation"}, *const texts[] = {kinetic, potential,
                                                                                          dissipation};
    SLIP_PASS(slip_build_for_motion(ctx, model));
    slip_tree *section = slip_tree_mapping(&model->arena);
    for (int k = 0; k < 3 && section; k++)
        if (texts[k] &&
            !slip_tree_put(&model->arena, section, keys[k], slip_tree_scalar(&model->arena, texts[k])))
            section = NULL;
    SLIP_PASS(slip_build_part(ctx, model, read_energy, "energy", section));
    SLIP_PASS(slip_allocated(ctx, slip_tree_put(&model->arena, model->document, "energy", section)));
    return SLIP_OK;
}

/* ---- forces ---- */

static void read_force(slip_reader *r, const slip_tree *key, const slip_tree *node)
{
    slip_read_force(r, key->text, node);
}

static int find_coordinate(slip_context *ctx, const slip_model *model, const char *name, int *index)
{
    const int count = slip_system_coordinates(model->system);
    for (*index = 0; *index < count; ++*index)
        if (strcmp(model->system->names[*index], name) == 0)
            return SLIP_OK;
    const char **names = slip_alloc(count + 1, sizeof *names);
    SLIP_PASS(slip_allocated(ctx, names));
    memcpy(names, model->system->names, (size_t)count * sizeof *names);
    const char *nearest = slip_text_nearest(name, names);
    free(names);
    return slip_fail(ctx, SLIP_ERROR_USAGE, "unknown coordinate `%.60s`%s%s%s", name,
                     nearest ? "; did you mean `" : "", nearest ? nearest : "", nearest ? "`?" : "");
}

int slip_model_set_force(slip_context *ctx, slip_model *model, const char *coordinate, const char *expression)
{
    SLIP_NEED(ctx, model, coordinate, expression);
    slip_tree *section, *node;
    int index;
    SLIP_PASS(slip_build_for_motion(ctx, model));
    SLIP_PASS(find_coordinate(ctx, model, coordinate, &index));
    node = slip_tree_scalar(&model->arena, expression);
    SLIP_PASS(slip_build_part(ctx, model, read_force, coordinate, node));
    section = slip_build_section(model, "forces");
    SLIP_PASS(slip_allocated(ctx, section && slip_tree_put(&model->arena, section, coordinate, node)));
    return SLIP_OK;
}

/* ---- functions ---- */

int slip_model_set_force_function(slip_context *ctx, slip_model *model, slip_force_function function,
                                  void *user)
{
    SLIP_NEED(ctx, model);
    SLIP_PASS(open_for_change(ctx, model));
    model->system->force_function = function;
    model->system->force_user = user;
    return SLIP_OK;
}
