/* The `branch` section: over what a periodic motion is followed. */
#include "slipstick/branch.h"
#include "model/axis.h"
#include "model/read/read.h"

/* `over: {w: [2.2, 1.6]}`: entry k, a parameter and its range. */
static void read_over(slip_reader *r, const slip_tree *node, int k, const slip_axis **to)
{
    const slip_tree *range = node->kind == SLIP_TREE_MAPPING && node->count >= 1 && node->count <= 2
                                 ? slip_tree_value(node, k)
                                 : NULL;
    slip_axis *axis = slip_arena_array(&r->model->arena, 1, sizeof *axis);
    slip_axis_place place;
    char found[64];
    r->problems->memory = r->problems->memory || !axis;
    if (!range || range->kind != SLIP_TREE_SEQUENCE || range->count != 2) {
        slip_problem(r->problems, node,
                     "branch.over: found %s, expected one parameter and its range (of a curve two), such as "
                     "{w: [1, 2]}",
                     slip_tree_what(range ? range : node, found, sizeof found));
        return;
    }
    if (!axis || !slip_read_number(r, range->item[0], "branch.over: from", &axis->from) ||
        !slip_read_number(r, range->item[1], "branch.over: to", &axis->to))
        return;
    axis->count = 2;
    axis->name = slip_arena_string(&r->model->arena, slip_tree_key(node, k)->text);
    r->problems->memory = r->problems->memory || !axis->name;
    if (axis->name && slip_axis_check(r->ctx, r->model, axis, &place) < 0) {
        slip_problem(r->problems, slip_tree_key(node, k), "%s", slip_context_message(r->ctx));
        slip_context_clear(r->ctx);
    } else if (axis->name) {
        *to = axis;
    }
}

void slip_read_branch(slip_reader *r, const slip_tree *section, void *options)
{
    slip_branch_options *to = options;
    const slip_tree *over = slip_read_child(section, "over");
    if (over)
        read_over(r, over, 0, &to->axis);
    if (over && over->kind == SLIP_TREE_MAPPING && over->count == 2)
        read_over(r, over, 1, &to->second);
}
