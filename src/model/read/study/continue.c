/* The `continue` section: which parameter to follow static solutions over. */
#include "model/read/read.h"

static bool read_parameter(slip_reader *r, const slip_tree *section, const char *what, const char **to)
{
    const slip_tree *node = slip_read_required(r, section, what, "parameter", "parameter: F");
    const char *name, **names;
    if (!node || !slip_read_word(r, node, what, &name))
        return false;
    if (slip_model_parameter(r->model, name) >= 0) {
        *to = name;
        return true;
    }
    names = slip_arena_array(&r->model->arena, r->model->parameter_count + 1, sizeof *names);
    if (!slip_reader_room(r, names))
        return false;
    for (int64_t i = 0; i < r->model->parameter_count; i++)
        names[i] = r->model->parameters[i].name;
    return slip_problem_unknown(r->problems, node, "unknown parameter", name, names);
}

static bool read_range(slip_reader *r, const slip_tree *section, const char *what, double *low, double *high)
{
    const slip_tree *node = slip_read_required(r, section, what, "range", "range: [0, 1]");
    char found[64];
    double from, to;
    if (!node)
        return false;
    if (node->kind != SLIP_TREE_SEQUENCE || node->count != 2)
        return slip_problem(r->problems, node, "%s.range: found %s, expected [low, high]", what,
                            slip_tree_what(node, found, sizeof found));
    if (!slip_read_number(r, node->item[0], "range: low", &from) ||
        !slip_read_number(r, node->item[1], "range: high", &to))
        return false;
    if (!(to > from))
        return slip_problem(r->problems, node->item[1],
                            "%s.range: found high %.9g, expected more than low, %.9g", what, to, from);
    *low = from;
    *high = to;
    return true;
}

void slip_read_continue(slip_reader *r, const slip_tree *section, void *options)
{
    static const char *const also_keys[] = {"parameter", "range", NULL};
    slip_continue_options *to = options;
    const slip_tree *start = slip_read_child(section, "start"), *also = slip_read_child(section, "also");
    read_parameter(r, section, "continue", &to->parameter);
    if (read_range(r, section, "continue", &to->low, &to->high) && start &&
        (to->start < to->low || to->start > to->high))
        slip_problem(r->problems, start,
                     "continue.start: found %.9g, expected a value in the range [%.9g, %.9g]", to->start,
                     to->low, to->high);
    if (also && slip_read_keys(r, also, "continue.also", also_keys) &&
        read_parameter(r, also, "continue.also", &to->also))
        read_range(r, also, "continue.also", &to->also_low, &to->also_high);
}
