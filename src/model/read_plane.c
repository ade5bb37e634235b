/* Numbers and expressions of bodies: parameters are slots here, so that loads can follow them. */
#include "model/read.h"

#include <math.h>
#include <string.h>

/* Where the table stands for a while instead of the reader's own. */
typedef struct saved {
    slip_symbol *symbols;
    int parameters, slots;
} saved;

/* A parameter whose own entry was wrong has no slot yet: it gets the one of all such parameters. */
static saved use_plane_symbols(slip_reader *r, const char *first, const char *second)
{
    const saved own = {r->symbols, r->parameters, r->slots};
    r->symbols = r->plane_symbols;
    r->parameters = slip_plane_slot_parameter;
    r->slots = slip_plane_slot_parameter + (int)r->model->parameter_count;
    r->symbols[slip_plane_slot_x] = (slip_symbol){first, slip_plane_slot_x, 0};
    r->symbols[slip_plane_slot_y] = (slip_symbol){second, slip_plane_slot_y, 0};
    for (slip_symbol *s = r->symbols + slip_plane_slot_parameter; s->name; s++)
        if (s->slot < 0)
            s->slot = slip_reader_slot_bad(r);
    return own;
}

/* Takes the marks of wrong parameters off again: later there may be more slots. */
static void use_own_symbols(slip_reader *r, saved own)
{
    for (slip_symbol *s = r->symbols + slip_plane_slot_parameter; s->name; s++)
        if (s->slot == slip_reader_slot_bad(r))
            s->slot = -1;
    r->symbols = own.symbols;
    r->parameters = own.parameters;
    r->slots = own.slots;
}

bool slip_read_plane_expression(slip_reader *r, const slip_tree *node, const char *what, const char *first,
                                const char *second, slip_expression **expression)
{
    const saved own = use_plane_symbols(r, first, second);
    const bool good = slip_read_expression(r, node, what, expression);
    use_own_symbols(r, own);
    return good;
}

/* Notes the parameters that a number, which was read well, depends on. */
static void note_structural(slip_reader *r, const slip_tree *node)
{
    slip_expression *expression = NULL;
    if (!slip_read_plane_expression(r, node, "", "", "", &expression))
        return;
    for (int i = 0; i < (int)r->model->parameter_count && r->model->plane; i++)
        if (slip_expression_reads(expression, slip_plane_slot_parameter + i))
            slip_plane_set_structural(r->model->plane, i);
    slip_expression_destroy(expression);
}

bool slip_read_structural(slip_reader *r, const slip_tree *node, const char *what, slip_range range,
                          double *value)
{
    if (!slip_read_number_in(r, node, what, range, value))
        return false;
    note_structural(r, node);
    return true;
}

bool slip_read_structural_count(slip_reader *r, const slip_tree *node, const char *what, int64_t *value)
{
    if (!slip_read_count_in(r, node, what, 1, value))
        return false;
    note_structural(r, node);
    return true;
}

bool slip_read_list(slip_reader *r, const slip_tree *node, const char *what, int count, const char *example)
{
    char found[64];
    if (node->kind == SLIP_TREE_SEQUENCE && node->count == count)
        return true;
    if (node->kind == SLIP_TREE_SEQUENCE)
        slip_problem(r->problems, node, "%s: found a list of %d, expected one of %d, such as %s", what,
                     node->count, count, example);
    else
        slip_problem(r->problems, node, "%s: found %s, expected a list such as %s", what,
                     slip_tree_what(node, found, sizeof found), example);
    return false;
}
