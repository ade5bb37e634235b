/* States: numbers whose rates are expressions. Their names come with those of the coordinates, before any
 * expression is read; their rates when all names are known. */
#include "model/names.h"
#include "model/read/read.h"

#include <stdio.h>
#include <string.h>

/* ---- names ---- */

static bool check_name(slip_reader *r, const slip_tree *key, int coordinate_count,
                       const char *const *coordinates)
{
    const char *problem = slip_name_problem(key->text, true);
    if (r->model->origin)
        return true;
    if (problem)
        return slip_problem(r->problems, key, "state `%.60s` %s%s", key->text, problem,
                            slip_read_comma_hint(key));
    for (int i = 0; i < coordinate_count; i++)
        if (strcmp(coordinates[i], key->text) == 0)
            return slip_problem(r->problems, key, "state `%s` is a coordinate too, expected another name",
                                key->text);
    return true;
}

/* The section, or NULL where there is none; *good is false when it is something else. */
static const slip_tree *state_section(slip_reader *r, bool *good)
{
    const slip_tree *section = slip_read_child(r->root, "states");
    *good = !section || (section->kind == SLIP_TREE_MAPPING && section->count <= slip_states_max);
    if (section && section->kind != SLIP_TREE_MAPPING)
        slip_read_refuse(r, section, "states",
                         "a mapping such as {s: r - x, y: {rate: (x - y)/T, initial: 1}}");
    else if (!*good)
        slip_problem(r->problems, section, "states: found %d of them, expected at most %d", section->count,
                     slip_states_max);
    return *good ? section : NULL;
}

/* The number of states of a contact's law; 0 for a wrong law, which gives a message when it is read. */
static int count_of_law(const slip_reader *r, const slip_tree *contact, const slip_law_type **type,
                        bool *plane)
{
    *type = NULL;
    *plane = false;
    if (contact->kind != SLIP_TREE_MAPPING)
        return 0;
    const slip_tree *law = slip_read_child(contact, "law");
    const slip_tree *name = law && law->kind == SLIP_TREE_MAPPING ? slip_read_child(law, "type") : NULL;
    slip_law parameters = {0};
    *type = name && name->kind == SLIP_TREE_SCALAR ? slip_law_find(name->text) : NULL;
    *plane = slip_read_in_plane(contact) ||
             (slip_read_kind_is(contact, SLIP_KIND_OF_BODIES) && slip_read_dimension(r) == 3);
    if (!*type || !(*type)->remember || !slip_read_kind_is(contact, SLIP_KIND_REMEMBERS))
        return 0;
    if (*plane)
        return slip_law_plane_states;
    if ((*type)->sliders) { /* only their number matters here; a spring counts as one */
        const slip_tree *elements = slip_read_child(law, "elements"),
                        *spring = slip_read_child(law, "stiffness");
        parameters.element_count = elements && elements->kind == SLIP_TREE_SEQUENCE ? elements->count : 0;
        parameters.stiffness = spring != NULL;
    }
    return slip_law_state_count(*type, &parameters);
}

/* The contacts whose laws are wrong. */
static bool list_unclear(slip_reader *r)
{
    const slip_tree *contacts = slip_read_child(r->root, "contacts");
    const int count = contacts && contacts->kind == SLIP_TREE_MAPPING ? contacts->count : 0;
    const char **next = r->unclear = slip_arena_array(&r->problems->arena, count + 1, sizeof *next);
    for (int c = 0; c < count && next; c++) {
        const slip_tree *contact = slip_tree_value(contacts, c);
        const slip_law_type *type;
        bool plane;
        if (contact->kind == SLIP_TREE_MAPPING && slip_read_child(contact, "law") &&
            count_of_law(r, contact, &type, &plane) == 0 && (!type || type->remember))
            *next++ = slip_tree_key(contacts, c)->text;
    }
    return next != NULL;
}

/* The names CONTACT.z of a law with `of_law` states, from number `count` on, into `names` where that is not
 * NULL; returns the number behind. What is beyond the most of them is left out. */
static int list_of_law(slip_reader *r, const char *contact, const slip_law_type *type, bool plane, int of_law,
                       int count, const char **names)
{
    if (count + of_law > slip_states_max)
        return slip_states_max + 1;
    for (int k = 0; k < of_law && names; k++) {
        char own[slip_law_state_name_size], *name;
        slip_law_state_name(type, of_law, k, own);
        const char *part = plane ? slip_law_plane_state_name(k) : own;
        name = slip_arena_alloc(&r->model->arena, strlen(contact) + strlen(part) + 2);
        if (name)
            sprintf(name, "%s.%s", contact, part);
        else
            r->problems->memory = true;
        names[count + k] = name ? name : "";
    }
    return count + of_law;
}

/* Of all laws with memory; each point of a surface has states of its own. */
static int list_of_laws(slip_reader *r, const char **names)
{
    const slip_tree *contacts = slip_read_child(r->root, "contacts");
    int count = 0;
    for (int c = 0; contacts && contacts->kind == SLIP_TREE_MAPPING && c < contacts->count; c++) {
        const slip_tree *node = slip_tree_value(contacts, c);
        const slip_law_type *type;
        const char *contact = slip_tree_key(contacts, c)->text, *point = contact;
        bool plane = false;
        const int of_law = count_of_law(r, node, &type, &plane);
        if (of_law > 0 && slip_read_kind_is(node, SLIP_KIND_OF_BODIES))
            for (int k = 0; slip_read_sliding_point(r, contact, k, &point); k++)
                count = point ? list_of_law(r, point, type, plane, of_law, count, names) : count;
        else
            count = list_of_law(r, contact, type, plane, of_law, count, names);
    }
    return count;
}

bool slip_read_state_names(slip_reader *r, int coordinate_count, const char *const *coordinates)
{
    bool good;
    const slip_tree *section = state_section(r, &good);
    const int count = section ? section->count : 0, of_laws = list_of_laws(r, NULL);
    if (of_laws > slip_states_max)
        slip_problem(r->problems, slip_read_child(r->root, "contacts"),
                     "contacts: found more than %d states of laws with memory, expected fewer",
                     slip_states_max);
    r->names = slip_arena_array(&r->model->arena, coordinate_count + 1, sizeof *r->names);
    r->all =
        slip_arena_array(&r->model->arena, (int64_t)coordinate_count + count + of_laws + 1, sizeof *r->all);
    if (!slip_reader_room(r, r->names && r->all && list_unclear(r)))
        return false;
    for (int i = 0; i < coordinate_count; i++)
        r->all[i] = r->names[i] = coordinates[i];
    for (int k = 0; k < count; k++) {
        r->all[coordinate_count + k] = slip_tree_key(section, k)->text;
        good = check_name(r, slip_tree_key(section, k), coordinate_count, coordinates) && good;
    }
    r->coordinates = coordinate_count;
    if (!r->model->bodies)
        r->given = coordinate_count;
    r->n = coordinate_count + (good ? count : 0);
    r->n += of_laws > slip_states_max ? 0 : list_of_laws(r, r->all + r->n);
    return !r->problems->memory;
}

/* ---- rates ---- */

static int find_state(const slip_reader *r, const char *name)
{
    for (int i = r->coordinates; i < r->n; i++)
        if (strcmp(r->all[i], name) == 0)
            return i;
    return -1;
}

static void read_state(slip_reader *r, const slip_tree *key, const slip_tree *node)
{
    static const char *const keys[] = {"rate", "initial", NULL};
    const int index = find_state(r, key->text);
    const slip_tree *rate = node, *initial = NULL;
    slip_expression *expression = NULL;
    char what[slip_name_length_max + 20];
    snprintf(what, sizeof what, "state `%.60s`", key->text);
    if (index < 0) /* its name is wrong, which has been said */
        return;
    if (node->kind == SLIP_TREE_MAPPING) {
        slip_read_keys(r, node, what, keys);
        rate = slip_read_required(r, node, what, "rate", "rate: (x - y)/T");
        initial = slip_read_child(node, "initial");
    }
    if (initial)
        slip_read_number(r, initial, what, &r->model->initial_v[index]);
    snprintf(what, sizeof what, "rate of `%.60s`", key->text);
    if (!rate || !slip_read_expression(r, rate, what, &expression))
        return;
    slip_reader_room(r, slip_system_add_force(r->ctx, r->model->system, index, expression) >= 0);
}

void slip_read_states(slip_reader *r)
{
    const slip_tree *section = slip_read_child(r->root, "states");
    if (r->n == r->coordinates || !section)
        return;
    for (int k = 0; k < section->count && !slip_problems_full(r->problems); k++)
        read_state(r, slip_tree_key(section, k), slip_tree_value(section, k));
}
