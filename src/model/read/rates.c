/* rate(s) of a state s is its expression in the section `states`. During compilation it is represented by a
 * special slot, which is then replaced by that expression. */
#include "model/read/read.h"

#include <string.h>

enum { first_rate = 1 << 20, deepest = 100 };

static const slip_tree *find_rate(const slip_reader *r, int k)
{
    const slip_tree *section = slip_read_child(r->root, "states"),
                    *node = section && section->kind == SLIP_TREE_MAPPING
                                ? slip_read_child(section, r->all[r->coordinates + k])
                                : NULL;
    return node && node->kind == SLIP_TREE_MAPPING ? slip_read_child(node, "rate") : node;
}

int slip_read_rate_slot(const slip_reader *r, const char *name)
{
    for (int k = 0; k < r->n - r->coordinates; k++)
        if (strcmp(r->all[r->coordinates + k], name) == 0 && find_rate(r, k))
            return first_rate + k;
    return SLIP_RATE_UNKNOWN;
}

void slip_read_rate_symbols(slip_reader *r)
{
    for (int i = r->coordinates; i < r->n; i++)
        r->symbols[1 + 2 * i].rate = r->symbols[2 + 2 * i].rate = slip_read_rate_slot(r, r->all[i]);
}

/* For an output: converts a rate to the slots of outputs, which are series. */
static slip_expression *of_series(slip_reader *r, const slip_expression *rate)
{
    const slip_outputs *outputs = &r->model->outputs;
    const int n = r->n;
    slip_expression **with = slip_arena_array(&r->problems->arena, 1 + 2 * (int64_t)n, sizeof *with),
                    *result = NULL;
    bool good = with != NULL;
    for (int slot = 0; slot < 1 + 2 * n && good; slot++) {
        const int i = (slot - 1) % n, order = slot > n;
        int series = slot == 0 ? 0 : 1 + 3 * i + order;
        if (slot > 0 && i >= r->coordinates)
            for (series = 0; strcmp(outputs->names[series], r->all[i]) != 0;)
                series++;
        good =
            slip_expression_of_slot(outputs->first_slot + series, outputs->names[series], &with[slot]) >= 0;
    }
    good = good &&
           slip_expression_substitute(rate, 0, 1 + 2 * n, (const slip_expression *const *)with, &result) >= 0;
    for (int slot = 0; with && slot < 1 + 2 * n; slot++)
        slip_expression_destroy(with[slot]);
    r->problems->memory |= !good;
    return result;
}

bool slip_read_replace_rates(slip_reader *r, const slip_tree *node, const char *what,
                             slip_expression **expression)
{
    const int count = r->n - r->coordinates;
    slip_expression *whole = *expression, **owned;
    bool good = true, some = false;
    for (int k = 0; k < count; k++)
        some = some || slip_expression_reads(whole, first_rate + k);
    if (!some)
        return true;
    const slip_expression **with = slip_arena_array(&r->problems->arena, 2 * (int64_t)count, sizeof *with);
    owned = slip_arena_array(&r->problems->arena, count, sizeof *owned);
    if (!with || !owned || r->rate_depth > deepest) {
        if (with && owned)
            slip_problem(r->problems, node, "%s: `%.60s` is a rate that depends on itself", what, node->text);
        r->problems->memory |= !with || !owned;
        good = false;
    }
    r->rate_depth++;
    for (int k = 0; k < count && good; k++)
        if (slip_expression_reads(whole, first_rate + k)) {
            with[k] = slip_read_compiled(r, find_rate(r, k), "rate of a state");
            if (with[k] && r->of_outputs)
                with[k] = owned[k] = of_series(r, with[k]);
            good = with[k] != NULL;
        }
    r->rate_depth--;
    if (good) {
        *expression = NULL;
        good = slip_expression_substitute(whole, first_rate, count, with, expression) >= 0;
        r->problems->memory |= !good;
        slip_expression_destroy(whole);
    }
    for (int k = 0; owned && k < count; k++)
        slip_expression_destroy(owned[k]);
    return good;
}
