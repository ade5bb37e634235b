/* States of a model that is built in C: the model's own, and those of laws with memory. Their slots come
 * before those of parameters, so all expressions have to be compiled again when a state is added. */
#include "model/build/build.h"
#include "model/names.h"

#include <math.h>
#include <string.h>

static void forget_compiled(slip_tree *node)
{
    node->compiled = NULL;
    for (int i = 0; i < node->count; i++)
        forget_compiled(node->kind == SLIP_TREE_MAPPING ? slip_tree_value(node, i) : node->item[i]);
}

static void read_again(slip_reader *r, const slip_tree *key, const slip_tree *node)
{
    (void)key;
    (void)node;
    slip_read_structure(r);
    slip_read_states(r);
    slip_read_contacts(r);
    const slip_tree *simulate = slip_tree_find(r->model->document, "simulate");
    if (simulate)
        slip_read_initial(r, slip_tree_find(simulate, "initial"));
}

int slip_build_states(slip_context *ctx, slip_model *model)
{
    slip_problems *problems = slip_problems_create(ctx, NULL);
    slip_system *before = model->system;
    const int n = slip_system_coordinates(before);
    slip_reader names;
    int status = problems ? SLIP_OK : SLIP_ERROR_MEMORY;
    SLIP_TRY(status);
    names = (slip_reader){.ctx = ctx, .model = model, .problems = problems, .root = model->document};
    slip_read_state_names(&names, n, (const char *const *)before->names);
    SLIP_TRY(slip_problems_report(problems, ctx));
    forget_compiled(model->document);
    SLIP_TRY(slip_model_set_coordinates(ctx, model, names.n, names.n - n, names.all));
    model->system->force_function = before->force_function;
    model->system->force_user = before->force_user;
    SLIP_TRY(slip_build_part(ctx, model, read_again, "", model->document));
    slip_system_destroy(before);
    before = NULL;
done:
    if (before && before != model->system) {
        slip_system_destroy(model->system);
        model->system = before;
        forget_compiled(model->document);
    }
    slip_problems_destroy(problems);
    return status;
}

int slip_model_set_state(slip_context *ctx, slip_model *model, const char *name, const char *rate,
                         double initial)
{
    SLIP_NEED(ctx, model, name, rate);
    slip_draft d = {&model->arena, true};
    slip_tree *section, *node;
    SLIP_PASS(slip_build_for_motion(ctx, model));
    if (!isfinite(initial))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "state `%.60s`: its initial value is %g, expected a number",
                         name, initial);
    SLIP_PASS(slip_build_free_name(ctx, model, "state", name));
    if (model->system->state_count >= slip_states_max)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "more than %d states", slip_states_max);
    node = slip_tree_mapping(&model->arena);
    slip_draft_text(&d, node, "rate", rate);
    slip_draft_number(&d, node, "initial", initial);
    section = slip_build_section(model, "states");
    slip_draft_put(&d, section, name, node);
    SLIP_PASS(slip_allocated(ctx, d.good));
    int status = slip_build_states(ctx, model);
    if (status < 0)
        slip_tree_remove(section, name);
    return status;
}

int slip_model_set_initial_state(slip_context *ctx, slip_model *model, const char *name, double value)
{
    SLIP_NEED(ctx, model, name);
    int state = -1;
    SLIP_PASS(slip_build_for_motion(ctx, model));
    for (int i = slip_system_coordinates(model->system); i < model->system->n; i++)
        state = strcmp(model->system->names[i], name) == 0 ? i : state;
    if (state < 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "initial: unknown state `%.60s`; expected one of slip_model_state_name", name);
    if (!isfinite(value))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "state `%.60s`: its initial value is %g, expected a number",
                         name, value);
    slip_tree *section = slip_build_section(model, "simulate");
    slip_tree *initial = section ? slip_tree_find(section, "initial") : NULL;
    if (section && (!initial || initial->kind != SLIP_TREE_MAPPING)) {
        initial = slip_tree_mapping(&model->arena);
        section = initial && slip_tree_put(&model->arena, section, "initial", initial) ? section : NULL;
    }
    SLIP_PASS(slip_allocated(
        ctx, section && slip_tree_put(&model->arena, initial, name, slip_tree_number(&model->arena, value))));
    model->initial_v[state] = value;
    return SLIP_OK;
}
