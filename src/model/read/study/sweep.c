/* The sections of studies that run over axes, `sweep`, `bifurcation` and `basin`: what is varied, what is
 * collected; and the section `fit`. */
#include "slipstick/sweep.h"
#include "model/axis.h"
#include "model/read/read.h"
#include "slipstick/basin.h"
#include "slipstick/bifurcation.h"
#include "slipstick/fit.h"

#include <stdio.h>

/* {list: [1, 2, 5]} */
static bool read_list(slip_reader *r, const slip_tree *node, const char *what, slip_axis *axis)
{
    if (node->kind != SLIP_TREE_SEQUENCE || node->count < 1)
        return slip_read_refuse(r, node, what, "numbers such as [1, 2, 5]");
    double *list = slip_arena_array(&r->model->arena, node->count, sizeof *list);
    if (!slip_reader_room(r, list))
        return false;
    for (int k = 0; k < node->count; k++)
        if (!slip_read_number(r, node->item[k], what, &list[k]))
            return false;
    axis->list = list;
    axis->count = node->count;
    axis->from = list[0];
    axis->to = list[axis->count - 1];
    return true;
}

/* {from: 0, to: 1, count: 11, scale: log} */
static bool read_range(slip_reader *r, const slip_tree *node, const char *what, slip_axis *axis)
{
    static const char *const scales[] = {"linear", "log", NULL};
    const slip_tree *from = slip_read_required(r, node, what, "from", "from: 0"),
                    *to = slip_read_required(r, node, what, "to", "to: 1"),
                    *count = slip_read_required(r, node, what, "count", "count: 11"),
                    *scale = slip_read_child(node, "scale");
    if (!from || !to || !count || !slip_read_number(r, from, "from", &axis->from) ||
        !slip_read_number(r, to, "to", &axis->to) || !slip_read_count_in(r, count, "count", 1, &axis->count))
        return false;
    const int chosen = scale ? slip_read_choice(r, scale, "scale", "unknown scale", scales) : 0;
    axis->logarithmic = chosen == 1;
    return chosen >= 0;
}

static bool read_axis(slip_reader *r, const slip_tree *key, const slip_tree *node, slip_axis *axis)
{
    static const char *const keys[] = {"from", "to", "count", "scale", "list", NULL};
    char what[80];
    slip_axis_place place;
    snprintf(what, sizeof what, "%.60s", key->text);
    if (!slip_read_keys(r, node, what, keys))
        return false;
    axis->name = slip_arena_string(&r->model->arena, key->text);
    if (!slip_reader_room(r, axis->name))
        return false;
    const slip_tree *list = slip_read_child(node, "list");
    if (list ? !read_list(r, list, what, axis) : !read_range(r, node, what, axis))
        return false;
    if (slip_axis_check(r->ctx, r->model, axis, &place) < 0) {
        slip_problem(r->problems, key, "%s", slip_context_message(r->ctx));
        slip_context_clear(r->ctx);
        return false;
    }
    return true;
}

/* What a study varies, its key `over`. False when something is wrong (noted). */
static bool read_axes(slip_reader *r, const slip_tree *section, const char *what, const slip_axis **to,
                      int *count)
{
    const slip_tree *node =
        slip_read_required(r, section, what, "over", "over: {mu: {from: 0, to: 1, count: 11}}");
    char found[64];
    if (!node)
        return false;
    if (node->kind != SLIP_TREE_MAPPING || node->count < 1)
        return slip_problem(r->problems, node,
                            "%s.over: found %s, expected names with their values, such as {mu: {from: 0, "
                            "to: 1, count: 11}}",
                            what, slip_tree_what(node, found, sizeof found));
    slip_axis *axes = slip_arena_array(&r->model->arena, node->count, sizeof *axes);
    bool good = axes != NULL;
    r->problems->memory = r->problems->memory || !axes;
    for (int k = 0; axes && k < node->count; k++)
        good = read_axis(r, slip_tree_key(node, k), slip_tree_value(node, k), &axes[k]) && good;
    if (good) {
        *to = axes;
        *count = node->count;
    }
    return good;
}

static void read_collect(slip_reader *r, const slip_tree *node, slip_sweep_options *to)
{
    if (node->kind != SLIP_TREE_SEQUENCE) {
        slip_read_refuse(r, node, "sweep.collect", "numbers of the summary such as [max.x]");
        return;
    }
    const char **names = slip_arena_array(&r->model->arena, node->count + 1, sizeof *names);
    bool good = names != NULL;
    r->problems->memory = r->problems->memory || !names;
    for (int k = 0; good && k < node->count; k++)
        good = slip_read_word(r, node->item[k], "sweep.collect", &names[k]);
    if (good)
        to->collect = names;
}

void slip_read_sweep(slip_reader *r, const slip_tree *section, void *options)
{
    slip_sweep_options *to = options;
    bool carry = false;
    read_axes(r, section, "sweep", &to->axes, &to->axis_count);
    const slip_tree *value = slip_read_child(section, "collect");
    if (value)
        read_collect(r, value, to);
    value = slip_read_child(section, "carry");
    if (value && slip_read_flag(r, value, "sweep.carry", &carry))
        to->carry = carry;
}

void slip_read_bifurcation(slip_reader *r, const slip_tree *section, void *options)
{
    slip_bifurcation_options *to = options;
    int count = 0;
    if (slip_read_child(section, "over") && read_axes(r, section, "bifurcation", &to->axis, &count) &&
        count != 1)
        slip_problem(r->problems, slip_read_child(section, "over"),
                     "bifurcation.over: found %d names, expected one parameter", count);
}

void slip_read_basin(slip_reader *r, const slip_tree *section, void *options)
{
    slip_basin_options *to = options;
    if (r->n == 0)
        slip_problem(r->problems, section, "found `basin`, expected it in a model with coordinates only");
    else if (slip_read_child(section, "over"))
        read_axes(r, section, "basin", &to->axes, &to->axis_count);
}

/* A list of words, or one word. */
static const char *const *read_words(slip_reader *r, const slip_tree *node, const char *what,
                                     const char *example)
{
    const bool list = node->kind == SLIP_TREE_SEQUENCE;
    const char **words = slip_arena_array(&r->model->arena, (list ? node->count : 1) + 1, sizeof *words);
    bool good = words != NULL;
    r->problems->memory = r->problems->memory || !words;
    if (node->kind == SLIP_TREE_MAPPING) {
        slip_read_refuse(r, node, what, "a list such as %s", example);
        return NULL;
    }
    for (int k = 0; good && k < (list ? node->count : 1); k++)
        good = slip_read_word(r, list ? node->item[k] : node, what, &words[k]);
    return good ? words : NULL;
}

void slip_read_fit(slip_reader *r, const slip_tree *section, void *options)
{
    slip_fit_options *to = options;
    const slip_tree *value = slip_read_child(section, "vary");
    if (value)
        to->vary = read_words(r, value, "fit.vary", "[mu, c=0:1]");
    value = slip_read_child(section, "series");
    if (value)
        to->series = read_words(r, value, "fit.series", "[x, x']");
}
