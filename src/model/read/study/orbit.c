/* The `orbit` section: which periodic motion is sought, and from where; the `branch` section: over what it is
 * followed. */
#include "model/axis.h"
#include "model/fields.h"

void slip_read_orbit(slip_reader *r)
{
    static const slip_fields *const tables[] = {&slip_fields_orbit, NULL};
    const slip_tree *section = slip_read_child(r->root, "orbit");
    if (section && slip_read_field_keys(r, section, "orbit", tables, NULL))
        slip_read_fields(r, section, &slip_fields_orbit, true, &r->model->orbit);
}

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

void slip_read_branch(slip_reader *r)
{
    static const slip_fields *const tables[] = {&slip_fields_branch, NULL};
    static const char *const others[] = {"over", NULL};
    const slip_tree *section = slip_read_child(r->root, "branch"), *over;
    if (!section || !slip_read_field_keys(r, section, "branch", tables, others))
        return;
    slip_read_fields(r, section, &slip_fields_branch, true, &r->model->branch);
    over = slip_read_child(section, "over");
    if (over)
        read_over(r, over, 0, &r->model->branch.axis);
    if (over && over->kind == SLIP_TREE_MAPPING && over->count == 2)
        read_over(r, over, 1, &r->model->branch.second);
}
