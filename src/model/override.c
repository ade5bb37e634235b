#include "model/override.h"

#include "model/names.h"
#include "model/source.h"
#include "model/yaml.h"

#include <stdlib.h>
#include <string.h>

typedef struct path {
    const char *part[slip_tree_depth_max];
    int count;
} path;

typedef struct override {
    slip_problems *problems;
    slip_arena *arena;
    slip_tree *root;
    slip_tree *value;
    const char *setting;
    slip_tree place; /* stands for the setting in messages */
} override;

static void mark(slip_tree *node, const char *setting)
{
    int items = node->kind == SLIP_TREE_MAPPING ? 2 * node->count : node->count;
    node->setting = setting;
    for (int i = 0; i < items; i++)
        mark(node->item[i], setting);
}

/* "a.b[0].c" to a, b, 0, c. False when a part is empty. */
static bool split(slip_arena *arena, const char *name, size_t length, path *parts, bool *memory)
{
    size_t from = 0;
    parts->count = 0;
    while (from <= length) {
        size_t part = strcspn(name + from, ".[]=");
        if (part == 0 || from + part > length || parts->count >= slip_tree_depth_max)
            return false;
        parts->part[parts->count] = slip_arena_string_bytes(arena, name + from, part);
        if (!parts->part[parts->count++]) {
            *memory = true;
            return false;
        }
        from += part;
        if (from < length && name[from] == ']')
            from++;
        if (from == length)
            return true;
        from++; /* the dot or the opening bracket */
    }
    return false;
}

static slip_tree *new_key(override *o, const char *name)
{
    slip_tree *key = slip_tree_scalar(o->arena, name);
    if (key)
        key->setting = o->setting;
    return key;
}

/* The names in a mapping, and `more` behind them, for suggestions. Freed by the caller. */
static const char **names_of(const slip_tree *mapping, const char *const *more)
{
    int count = mapping && mapping->kind == SLIP_TREE_MAPPING ? mapping->count : 0, extra = 0;
    while (more && more[extra])
        extra++;
    const char **names = slip_alloc((int64_t)count + extra + 1, sizeof *names);
    for (int i = 0; i < count && names; i++)
        names[i] = slip_tree_key(mapping, i)->text;
    for (int i = 0; i < extra && names; i++)
        names[count + i] = more[i];
    return names;
}

static void unknown(override *o, const char *what, const char *name, const slip_tree *mapping,
                    const char *const *more)
{
    SLIP_FREED const char **names = names_of(mapping, more);
    if (names)
        slip_problem_unknown(o->problems, &o->place, what, name, names);
    else
        o->problems->memory = true;
}

/* A name without a dot: a parameter, or else a section. */
static void set_bare(override *o, const char *name)
{
    slip_tree *parameters = slip_tree_find(o->root, "parameters");
    int index = slip_tree_index(parameters, name);
    if (index >= 0) {
        parameters->item[2 * index + 1] = o->value;
        return;
    }
    index = slip_tree_index(o->root, name);
    if (index >= 0) {
        o->root->item[2 * index + 1] = o->value;
        return;
    }
    for (int i = 0; slip_sections[i]; i++)
        if (strcmp(slip_sections[i], name) == 0) {
            if (!slip_tree_append(o->arena, o->root, new_key(o, name), o->value))
                o->problems->memory = true;
            return;
        }
    unknown(o, "unknown parameter", name, parameters, slip_sections);
}

/* Whether a missing key may be created. In mappings whose keys are names chosen by the user a new one is
 * probably a typing error. */
static bool may_create(override *o, const path *parts, int depth, const slip_tree *mapping)
{
    bool parameter = strcmp(parts->part[0], "parameters") == 0,
         contact = strcmp(parts->part[0], "contacts") == 0;
    if (depth != 1 || (!parameter && !contact))
        return true;
    unknown(o, parameter ? "unknown parameter" : "unknown contact", parts->part[1], mapping, NULL);
    return false;
}

/* The place of the value for the next part of the path, made when it is not there; NULL after an error. */
static slip_tree **step_mapping(override *o, const path *parts, int depth, slip_tree *mapping)
{
    int index = slip_tree_index(mapping, parts->part[depth]);
    if (index >= 0)
        return &mapping->item[2 * index + 1];
    if (!may_create(o, parts, depth, mapping))
        return NULL;
    if (!slip_tree_append(o->arena, mapping, new_key(o, parts->part[depth]), o->value)) {
        o->problems->memory = true;
        return NULL;
    }
    if (depth + 1 < parts->count) {
        slip_tree *fresh = slip_tree_mapping(o->arena);
        if (!fresh) {
            o->problems->memory = true;
            return NULL;
        }
        fresh->setting = o->setting;
        mapping->item[2 * mapping->count - 1] = fresh;
    }
    return &mapping->item[2 * mapping->count - 1];
}

static slip_tree **step_sequence(override *o, const char *part, slip_tree *sequence)
{
    char *end;
    long index = strtol(part, &end, 10);
    if (*end || part[0] < '0' || part[0] > '9') {
        slip_problem(o->problems, &o->place,
                     "found `%.60s` in the path, expected the number of an entry (from 0)", part);
        return NULL;
    }
    if (index >= sequence->count) {
        slip_problem(o->problems, &o->place, "there is no entry %.20s: found %d of them, counted from 0",
                     part, sequence->count);
        return NULL;
    }
    return &sequence->item[index];
}

static void set_path(override *o, const path *parts)
{
    slip_tree *node = o->root, **place = NULL;
    for (int depth = 0; depth < parts->count; depth++) {
        if (node->kind == SLIP_TREE_MAPPING) {
            place = step_mapping(o, parts, depth, node);
        } else if (node->kind == SLIP_TREE_SEQUENCE) {
            place = step_sequence(o, parts->part[depth], node);
        } else {
            slip_problem(o->problems, &o->place, "`%s` has no field `%.60s`: it is one value",
                         depth > 0 ? parts->part[depth - 1] : "the model", parts->part[depth]);
            return;
        }
        if (!place)
            return;
        /* `simulate:` with nothing behind it is an empty mapping. */
        if (depth + 1 < parts->count && slip_tree_is_null(*place)) {
            *place = slip_tree_mapping(o->arena);
            if (!*place) {
                o->problems->memory = true;
                return;
            }
            (*place)->setting = o->setting;
        }
        node = *place;
    }
    *place = o->value;
}

/* The value as YAML, every node of it marked. */
static bool read_value(override *o, const char *text)
{
    slip_yaml_error error;
    int status = SLIP_OK;
    if (!slip_source_is_text(text, strlen(text)))
        return slip_problem(o->problems, &o->place, "the value is not UTF-8 text");
    status = slip_yaml_parse(o->arena, text, strlen(text), &o->value, &error);
    if (status == SLIP_ERROR_MODEL)
        slip_problem(o->problems, &o->place, "%s", error.message);
    if (status >= 0 && !o->value)
        o->value = slip_tree_scalar(o->arena, "");
    if (status == SLIP_ERROR_MEMORY || (status >= 0 && !o->value))
        o->problems->memory = true;
    if (status < 0 || !o->value)
        return false;
    mark(o->value, o->setting);
    return true;
}

void slip_override(slip_problems *problems, slip_arena *arena, slip_tree *root, const char *setting)
{
    override o = {.problems = problems, .arena = arena, .root = root};
    const char *equals = strchr(setting, '=');
    path parts;
    o.setting = slip_arena_string(arena, setting);
    o.place.setting = o.setting;
    if (!o.setting) {
        problems->memory = true;
        return;
    }
    if (!equals) {
        slip_problem(problems, &o.place, "expected name=value");
        return;
    }
    if (!split(arena, setting, (size_t)(equals - setting), &parts, &problems->memory)) {
        slip_problem(problems, &o.place, "expected a name or a path such as simulate.method before the `=`");
        return;
    }
    if (!read_value(&o, equals + 1))
        return;
    if (parts.count == 1)
        set_bare(&o, parts.part[0]);
    else
        set_path(&o, &parts);
}
