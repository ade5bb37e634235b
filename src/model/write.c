/* model.yaml: the document of a model, with the overrides of a file. */
#include "model/emit.h"
#include "model/model.h"

#include <stdatomic.h>
#include <stdlib.h>

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

/* ---- Notes. */

/* The reference count of a document: its model and notes. */
struct slip_holders {
    atomic_int count;
};

struct slip_model_note {
    slip_model *holder; /* owner of the document's arena after its model was destroyed; NULL before */
    const slip_tree *document;
    const char *method; /* NULL: what the document says */
    bool has_function;
    int count; /* parameters that were bound to numbers */
    slip_symbol set[];
};

/* The tree with the numbers of parameters that the model was bound to. */
static slip_tree *with_values(slip_arena *arena, const slip_model_note *note)
{
    slip_tree *root = slip_tree_copy(arena, note->document), *section;
    int index = slip_tree_index(note->document, "parameters");
    if (!root || index < 0)
        return root;
    section = slip_tree_copy(arena, slip_tree_value(root, index));
    if (!section)
        return NULL;
    root->item[2 * index + 1] = section;
    for (int i = 0; i < note->count; i++)
        if (!slip_tree_put(arena, section, note->set[i].name, slip_tree_number(arena, note->set[i].value)))
            return NULL;
    return root;
}

static const slip_model *owner(const slip_model *model)
{
    while (model->origin)
        model = model->origin;
    return model;
}

/* Without a holder. */
static int create_note(slip_context *ctx, const slip_model *model, const char *method, slip_model_note **note)
{
    const slip_symbol *names = owner(model)->parameters;
    slip_model_note *made = malloc(
        sizeof *made + (size_t)(model->parameter_set ? model->parameter_count : 0) * sizeof *made->set);
    *note = made;
    SLIP_PASS(slip_allocated(ctx, made));
    const bool still = model->of_bodies || model->gear_count == 1 || model->gear_count > 2;
    *made = (slip_model_note){.document = model->document,
                              .method = still ? NULL : method, /* there is no motion to advance */
                              .has_function = model->system && model->system->force_function};
    for (int64_t i = 0; model->parameter_set && i < model->parameter_count; i++)
        if (model->parameter_set[i])
            made->set[made->count++] =
                (slip_symbol){.name = names[i].name, .value = model->parameters[i].value};
    return SLIP_OK;
}

int slip_model_note_take(slip_context *ctx, const slip_model *model, const char *method,
                         slip_model_note **note)
{
    const slip_model *from = owner(model);
    *note = NULL;
    if (!from->finished || !from->holders || model->document != from->document)
        return SLIP_OK;
    SLIP_PASS(create_note(ctx, model, method, note));
    (*note)->holder = (slip_model *)from;
    atomic_fetch_add(&from->holders->count, 1);
    return SLIP_OK;
}

void slip_model_note_destroy(void *given)
{
    SLIP_FREED slip_model_note *note = given;
    if (!note)
        return;
    if (note->holder)
        slip_model_release(note->holder);
}

bool slip_model_holders_create(slip_model *model)
{
    model->holders = slip_arena_alloc(&model->arena, sizeof *model->holders);
    if (model->holders)
        atomic_init(&model->holders->count, 1);
    return model->holders != NULL;
}

void slip_model_release(slip_model *model)
{
    if (model->holders && atomic_fetch_sub(&model->holders->count, 1) > 1)
        return;
    slip_arena_free(&model->arena);
    free(model);
}

int slip_model_note_write(slip_context *ctx, const void *given, slip_text *text)
{
    const slip_model_note *note = given;
    slip_arena arena = {0};
    const slip_tree *root = note->count > 0 ? with_values(&arena, note) : note->document;
    int status = SLIP_OK;
    slip_text_append(text, "# slipstick ");
    slip_text_append(text, slip_version());
    slip_text_append(text, note->method ? ", method " : "");
    slip_text_append(text, note->method ? note->method : "");
    slip_text_append(text, "\n");
    if (note->has_function)
        slip_text_append(text, "# The load has a part that is a C function, which cannot be written.\n");
    if (root && note->method)
        root = with_method(&arena, root, note->method);
    if (root)
        slip_emit_document(text, root);
    if (!root || text->failed)
        status = slip_fail_memory(ctx);
    slip_arena_free(&arena);
    return status;
}

int slip_model_write(slip_context *ctx, const slip_model *model, const char *method, slip_text *text)
{
    slip_model_note *note;
    int status;
    SLIP_TRY(create_note(ctx, model, method, &note));
    status = slip_model_note_write(ctx, note, text);
done:
    slip_model_note_destroy(note);
    return status;
}
