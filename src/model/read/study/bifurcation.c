/* The `bifurcation` section: what is varied, and which points are taken. */
#include "model/fields.h"

void slip_read_bifurcation(slip_reader *r)
{
    static const slip_fields *const tables[] = {&slip_fields_bifurcation, NULL};
    static const char *const others[] = {"over", NULL};
    const slip_tree *section = slip_read_child(r->root, "bifurcation");
    slip_bifurcation_options *to = &r->model->bifurcation;
    int count = 0;
    if (!section || !slip_read_field_keys(r, section, "bifurcation", tables, others))
        return;
    slip_read_fields(r, section, &slip_fields_bifurcation, true, to);
    if (slip_read_child(section, "over") && slip_read_axes(r, section, "bifurcation", &to->axis, &count) &&
        count != 1)
        slip_problem(r->problems, slip_read_child(section, "over"),
                     "bifurcation.over: found %d names, expected one parameter", count);
}
