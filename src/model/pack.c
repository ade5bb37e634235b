/* A model together with the files that it reads, to be stored in another folder. */
#include "io/file.h"
#include "model/emit.h"
#include "model/model.h"

typedef struct packing {
    slip_context *ctx;
    const slip_model *model;
    slip_pack_function add;
    void *user;
    slip_arena arena;
    int count; /* of the files so far */
} packing;

/* Adds the file that a scalar names. A number in its new name keeps files of the same name apart. */
static int pack_file(packing *p, const slip_tree *node, slip_tree **to)
{
    SLIP_FREED_BY(slip_text_free) slip_text name = {0};
    SLIP_FREED char *path = slip_path_beside(p->model->file, node->text);
    const char *slash = strrchr(node->text, '/');
    slip_text_printf(&name, "%d-%s", ++p->count, slash ? slash + 1 : node->text);
    *to = path && !name.failed ? slip_tree_scalar(&p->arena, name.data) : NULL;
    SLIP_PASS(slip_allocated(p->ctx, *to));
    (*to)->is_text = true;
    return p->add(p->user, path, name.data);
}

/* A copy of the tree with other names of files: they stand under the key `file`, whatever reads them. */
static int pack_tree(packing *p, const slip_tree *node, slip_tree **to)
{
    const int items = node->kind == SLIP_TREE_MAPPING    ? 2 * node->count
                      : node->kind == SLIP_TREE_SEQUENCE ? node->count
                                                         : 0;
    *to = slip_tree_copy(&p->arena, node);
    SLIP_PASS(slip_allocated(p->ctx, *to));
    for (int i = 0; i < items; i++) {
        const bool value = node->kind == SLIP_TREE_MAPPING && i % 2 == 1;
        if (value && node->item[i]->kind == SLIP_TREE_SCALAR && strcmp(node->item[i - 1]->text, "file") == 0)
            SLIP_PASS(pack_file(p, node->item[i], &(*to)->item[i]));
        else if (node->item[i]->kind != SLIP_TREE_SCALAR)
            SLIP_PASS(pack_tree(p, node->item[i], &(*to)->item[i]));
    }
    return SLIP_OK;
}

int slip_model_pack(slip_context *ctx, const slip_model *model, slip_pack_function add, void *user,
                    slip_text *text)
{
    packing p = {.ctx = ctx, .model = model, .add = add, .user = user};
    slip_tree *root;
    int status;
    SLIP_TRY(pack_tree(&p, model->document, &root));
    slip_text_append(text, "# slipstick ");
    slip_text_append(text, slip_version());
    slip_text_append(text, "\n");
    slip_emit_document(text, root);
    SLIP_TRY(text->failed ? slip_fail_memory(ctx) : SLIP_OK);
done:
    slip_arena_free(&p.arena);
    return status;
}
