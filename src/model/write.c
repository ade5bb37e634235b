/* model.yaml: the document of a model, with the overrides of a file. */
#include "model/emit.h"
#include "model/model.h"

#include <string.h>

/* The tree with simulate.method set. The model is const, so what changes is copied: root and section. */
static slip_tree *with_method(slip_arena *arena, const slip_tree *document, const char *method)
{
    slip_tree *root = slip_tree_copy(arena, document), *section, *value = slip_tree_scalar(arena, method);
    int index = slip_tree_index(document, "simulate");
    if (!root || !value)
        return NULL;
    section = index >= 0 && slip_tree_value(root, index)->kind == SLIP_TREE_MAPPING
                  ? slip_tree_copy(arena, slip_tree_value(root, index))
                  : slip_tree_mapping(arena);
    if (!section)
        return NULL;
    if (index >= 0)
        root->item[2 * index + 1] = section;
    else if (!slip_tree_append(arena, root, slip_tree_scalar(arena, "simulate"), section))
        return NULL;
    index = slip_tree_index(section, "method");
    if (index >= 0)
        section->item[2 * index + 1] = value;
    else if (!slip_tree_append(arena, section, slip_tree_scalar(arena, "method"), value))
        return NULL;
    return root;
}

/* The tree with the numbers of parameters that the model was bound to. */
static slip_tree *with_values(slip_arena *arena, const slip_model *model)
{
    slip_tree *root = slip_tree_copy(arena, model->document), *section;
    int index = slip_tree_index(model->document, "parameters");
    if (!root || index < 0)
        return root;
    section = slip_tree_copy(arena, slip_tree_value(root, index));
    if (!section)
        return NULL;
    root->item[2 * index + 1] = section;
    for (int64_t i = 0; i < model->parameter_count; i++)
        if (model->parameter_set[i] && !slip_tree_put(arena, section, model->parameters[i].name,
                                                      slip_tree_number(arena, model->parameters[i].value)))
            return NULL;
    return root;
}

static int write_document(slip_context *ctx, const slip_model *model, const char *method, slip_text *text)
{
    slip_arena arena = {0};
    const slip_tree *root = model->parameter_set ? with_values(&arena, model) : model->document;
    int status = SLIP_OK;
    if (root && method)
        root = with_method(&arena, root, method);
    if (root)
        slip_emit_document(text, root);
    else
        status = slip_fail_memory(ctx);
    slip_arena_free(&arena);
    return status;
}

int slip_model_write(slip_context *ctx, const slip_model *model, const char *method, slip_text *text)
{
    int status = SLIP_OK;
    if (model->of_bodies || model->gear_count == 1 || model->gear_count > 2)
        method = NULL; /* there is no motion that it could advance */
    slip_text_append(text, "# slipstick ");
    slip_text_append(text, slip_version());
    slip_text_append(text, method ? ", method " : "");
    slip_text_append(text, method ? method : "");
    slip_text_append(text, "\n");
    if (model->system && model->system->force_function)
        slip_text_append(text, "# The load has a part that is a C function, which cannot be written.\n");
    SLIP_TRY(write_document(ctx, model, method, text));
    if (text->failed)
        status = slip_fail_memory(ctx);
done:
    return status;
}
