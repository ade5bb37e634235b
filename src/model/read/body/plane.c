/* Numbers and expressions of bodies: parameters are slots here, so that loads can follow them. */
#include "model/read/read.h"

#include <string.h>

/* The symbols of expressions of bodies: t where it is allowed, the letters of positions ("xyz", ...; "":
 * none), and the parameters, whose first index is stored in r->parameters. NULL: out of memory (recorded). */
static slip_symbol *plane_symbols(slip_reader *r, const char *places)
{
    slip_symbol *symbols = slip_arena_array(&r->model->arena, r->parameter_count + 5, sizeof *symbols);
    const slip_symbol *parameters = r->symbols + r->parameters;
    int count = 0;
    if (!slip_reader_room(r, symbols))
        return NULL;
    if (r->with_time)
        symbols[count++] = (slip_symbol){"t", slip_slot_time(), 0, NULL, SLIP_RATE_ONE};
    for (int k = 0; places[k]; k++, count++) {
        const char *name = slip_arena_string_bytes(&r->model->arena, places + k, 1);
        if (!slip_reader_room(r, name))
            return NULL;
        symbols[count] = (slip_symbol){name, slip_plane_slot_x + k, 0, NULL, 0};
    }
    r->parameters = count;
    memcpy(symbols + count, parameters, (size_t)(r->parameter_count + 1) * sizeof *symbols);
    return symbols;
}

bool slip_read_plane_expression(slip_reader *r, const slip_tree *node, const char *what, const char *places,
                                slip_expression **expression)
{
    slip_symbol *own = r->symbols;
    const int own_parameters = r->parameters;
    const slip_expression *compiled = NULL;
    slip_expression_error error;
    *expression = NULL;
    if (!node->compiled)
        r->symbols = plane_symbols(r, places);
    if (r->symbols)
        compiled = slip_read_compiled(r, node, what);
    r->symbols = own;
    r->parameters = own_parameters;
    slip_reader_room(r, !compiled || slip_expression_bind(compiled, 0, 0, NULL, expression, &error) >= 0);
    return *expression != NULL;
}

/* Notes the parameters that a number, which was read well, depends on. */
static void note_structural(slip_reader *r, const slip_tree *node)
{
    const slip_expression *compiled = node->is_number ? NULL : slip_read_compiled(r, node, "");
    for (int i = 0; i < r->parameter_count && r->model->plane && compiled; i++)
        if (slip_expression_reads(compiled, slip_plane_slot_parameter + i))
            slip_plane_set_structural(r->model->plane, i);
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
    if (node->kind == SLIP_TREE_SEQUENCE && node->count == count)
        return true;
    if (node->kind == SLIP_TREE_SEQUENCE)
        slip_problem(r->problems, node, "%s: found a list of %d, expected one of %d, such as %s", what,
                     node->count, count, example);
    else
        slip_read_refuse(r, node, what, "a list such as %s", example);
    return false;
}
