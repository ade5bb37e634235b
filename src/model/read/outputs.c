/* Outputs and units: recorded expressions, and the units of all series. */
#include "model/names.h"
#include "model/read/read.h"
#include "result/result.h"

#include <stdio.h>
#include <string.h>

enum { unit_length_max = 40 };

/* ---- The series of a run. */

/* NULL when out of memory (noted), or when the first part is. */
static const char *joined(slip_reader *r, const char *first, const char *second)
{
    const size_t size = first ? strlen(first) + strlen(second) + 1 : 0;
    char *text = first ? slip_arena_alloc(&r->model->arena, size) : NULL;
    if (text)
        snprintf(text, size, "%s%s", first, second);
    else
        r->problems->memory = true;
    return text;
}

/* The names of all series, in the order of a result; a NULL name ends the list. False when out of memory. */
static bool name_series(slip_reader *r, const slip_tree *section)
{
    static const char *const of_coordinate[] = {"", "'", "''"}, *const of_contact[] = {".slip", ".normal",
                                                                                       ".force", ".mode"};
    const slip_system *system = r->model->system;
    const int states = system->state_count, count = section ? section->count : 0,
              probes = slip_read_probe_count(r);
    const int64_t all = 1 + 3 * (int64_t)r->coordinates + 4 * system->contact_count +
                        6 * (int64_t)system->patch_count + states + probes + count;
    const char **name = slip_arena_array(&r->model->arena, all + 1, sizeof *name);
    slip_outputs *outputs = &r->model->outputs;
    outputs->names = name;
    outputs->units = slip_arena_array(&r->model->arena, all + 1, sizeof *outputs->units);
    outputs->list = slip_arena_array(&r->model->arena, states + probes + count + 1, sizeof *outputs->list);
    outputs->first_slot = slip_reader_slot_later(r) + 1;
    outputs->series_count = (int)all;
    if (!slip_reader_room(r, name && outputs->units && outputs->list))
        return false;
    *name++ = "t";
    for (int i = 0; i < r->coordinates; i++)
        for (int part = 0; part < 3; part++)
            *name++ = joined(r, r->names[i], of_coordinate[part]);
    for (int64_t c = 0; c < system->contact_count; c++)
        for (int part = 0; part < 4; part++)
            *name++ = joined(r, system->contacts[c].name, of_contact[part]);
    for (int64_t c = 0; c < system->contact_count; c++)
        for (int part = 0; part < system->contacts[c].shown; part++)
            *name++ = joined(r, joined(r, system->contacts[c].name, "."), slip_patch_parts[part]);
    outputs->state_count = states;
    outputs->count = states + probes;
    for (int k = 0; k < states; k++)
        outputs->list[k].name = *name++ = r->all[r->coordinates + k];
    for (int k = 0; k < probes; k++) {
        slip_read_probe(r, k, &outputs->list[states + k]);
        *name++ = outputs->list[states + k].name;
    }
    for (int k = 0; k < count; k++)
        *name++ = slip_tree_key(section, k)->text;
    return !r->problems->memory;
}

/* ---- outputs ---- */

/* rate() of a series: for `x` the series `x'` if there is one; for a state its rate. */
static int rate_of(const slip_reader *r, int count, const char *name)
{
    const slip_outputs *outputs = &r->model->outputs;
    const size_t length = strlen(name);
    if (strcmp(name, "t") == 0)
        return SLIP_RATE_ONE;
    for (int k = 0; k < count; k++)
        if (strncmp(outputs->names[k], name, length) == 0 && strcmp(outputs->names[k] + length, "'") == 0)
            return outputs->first_slot + k;
    return slip_read_rate_slot(r, name);
}

/* The symbols of outputs: parameters and inputs, then the series; an output is added after it has been read.
 */
static slip_symbol *output_symbols(slip_reader *r, int base)
{
    const slip_outputs *outputs = &r->model->outputs;
    const slip_symbol *own = r->symbols + r->parameters;
    int count = 0;
    while (own[count].name)
        count++;
    slip_symbol *symbols =
        slip_arena_array(&r->model->arena, (int64_t)count + outputs->series_count + 1, sizeof *symbols);
    if (!slip_reader_room(r, symbols))
        return NULL;
    memcpy(symbols, own, (size_t)count * sizeof *symbols);
    for (int k = 0; k < base; k++)
        symbols[count + k] = (slip_symbol){outputs->names[k], outputs->first_slot + k, 0, NULL,
                                           rate_of(r, base, outputs->names[k])};
    return symbols;
}

/* Reads an output. Its name becomes known even if it is wrong, so that its uses give no messages. */
static void read_output(slip_reader *r, const slip_tree *key, const slip_tree *node, slip_symbol *symbols,
                        int slot)
{
    slip_outputs *outputs = &r->model->outputs;
    slip_symbol *own = r->symbols;
    const int parameters = r->parameters;
    slip_expression *expression = NULL;
    char what[slip_name_length_max + 20];
    snprintf(what, sizeof what, "output `%.60s`", key->text);
    r->symbols = symbols;
    r->parameters = 0;
    r->of_outputs = true;
    const bool good = slip_read_expression(r, node, what, &expression);
    r->symbols = own;
    r->parameters = parameters;
    r->of_outputs = false;
    while (symbols->name)
        symbols++;
    *symbols = (slip_symbol){key->text, good ? slot : slip_reader_slot_bad(r), 0, NULL, 0};
    if (good)
        outputs->list[outputs->count++] = (slip_output){.name = key->text, .expression = expression};
}

static void read_outputs(slip_reader *r, const slip_tree *section)
{
    const slip_outputs *outputs = &r->model->outputs;
    const int base = outputs->series_count - section->count;
    slip_symbol *symbols = output_symbols(r, base);
    for (int k = 0; symbols && k < section->count && !slip_problems_full(r->problems); k++)
        if (r->model->origin || slip_read_new_name(r, slip_tree_key(section, k), "output",
                                                   slip_read_comma_hint(slip_tree_key(section, k))))
            read_output(r, slip_tree_key(section, k), slip_tree_value(section, k), symbols,
                        outputs->first_slot + base + k);
}

/* ---- units ---- */

static void read_unit(slip_reader *r, const slip_tree *key, slip_tree *node, const char **units)
{
    const slip_outputs *outputs = &r->model->outputs;
    const int series = slip_text_find(outputs->names, outputs->series_count, key->text);
    char found[64];
    if (series < 0)
        slip_problem_unknown(r->problems, key, "units: unknown series", key->text, outputs->names);
    else if (node->kind != SLIP_TREE_SCALAR || slip_tree_is_null(node) || !*node->text)
        slip_problem(r->problems, node, "unit of `%s`: found %s, expected text such as mm", key->text,
                     slip_tree_what(node, found, sizeof found));
    else if (strlen(node->text) > unit_length_max || strpbrk(node->text, "\n\r\t"))
        slip_problem(r->problems, node,
                     "unit of `%s`: found %.20s..., expected one line of at most %d characters", key->text,
                     node->text, unit_length_max);
    else {
        units[series] = node->text;
        if (!r->model->origin)
            node->is_text = true;
    }
}

/* Rates have the units of their coordinates over that of time, where both are known. */
static void derive_units(slip_reader *r, const char **units)
{
    for (int i = 0; i < r->coordinates && units[0]; i++)
        for (int part = 1; part < 3; part++) {
            const char **unit = &units[slip_series_coordinate(i, part)],
                       *of = units[slip_series_coordinate(i, 0)];
            const char *rate = of ? joined(r, of, "/") : NULL;
            if (!*unit && rate)
                *unit = joined(r, joined(r, rate, units[0]), part == 2 ? "^2" : "");
        }
}

static void read_units(slip_reader *r, const slip_tree *section)
{
    const char **units = (const char **)r->model->outputs.units;
    for (int k = 0; k < section->count && !slip_problems_full(r->problems); k++)
        read_unit(r, slip_tree_key(section, k), slip_tree_value(section, k), units);
    if (!r->problems->memory)
        derive_units(r, units);
}

static const slip_tree *mapping(slip_reader *r, const char *key, const char *example)
{
    const slip_tree *section = slip_read_child(r->root, key);
    if (!section || section->kind == SLIP_TREE_MAPPING)
        return section;
    slip_read_refuse(r, section, key, "a mapping such as %s", example);
    return NULL;
}

void slip_read_outputs(slip_reader *r)
{
    const slip_tree *outputs = mapping(r, "outputs", "{twist: p1 - p2}");
    const slip_tree *units = mapping(r, "units", "{x: mm}");
    if (outputs && outputs->count > slip_outputs_max) {
        slip_problem(r->problems, outputs, "outputs: found %d of them, expected at most %d", outputs->count,
                     slip_outputs_max);
        return;
    }
    if ((!outputs && !units && r->n == r->coordinates && slip_read_probe_count(r) == 0) ||
        !name_series(r, outputs))
        return;
    if (outputs)
        read_outputs(r, outputs);
    if (units)
        read_units(r, units);
}
