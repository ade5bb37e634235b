/* Laws and their parameters. */
#include "model/read/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { names_max = 32 };

static void law_names(const char **names)
{
    int count = 0;
    for (int i = 0; slip_law_types[i] && count < names_max - 1; i++)
        names[count++] = slip_law_types[i]->info.name;
    names[count] = NULL;
}

static bool is_function(const slip_law_info *info)
{
    return strcmp(info->name, "function") == 0;
}

static const slip_law_type *read_law_type(slip_reader *r, const slip_tree *node, const char *what)
{
    const char *names[names_max];
    if (node->kind != SLIP_TREE_MAPPING) {
        slip_read_refuse(r, node, what, "a mapping such as {type: tanh, mu: 0.3, velocity: 1e-3}");
        return NULL;
    }
    const slip_tree *value = slip_read_required(r, node, what, "type", "type: tanh");
    law_names(names);
    const int found = value ? slip_read_choice(r, value, what, "unknown law", names) : -1;
    return found >= 0 ? slip_law_find(names[found]) : NULL;
}

static bool check_law_keys(slip_reader *r, const slip_tree *node, const slip_law_info *info)
{
    const char *keys[names_max] = {"type"};
    int before = r->problems->count;
    for (int i = 0; i < info->parameter_count && i < names_max - 3; i++)
        keys[i + 1] = info->parameters[i].name;
    if (slip_law_find(info->name)->sliders && slip_law_find(info->name)->state_count)
        keys[info->parameter_count + 1] = "elements";
    if (is_function(info))
        keys[info->parameter_count + 1] = "force";
    slip_read_keys(r, node, "law", keys);
    return r->problems->count == before;
}

/* mu of each direction of a plane; the law has the larger one. */
static bool read_axes(slip_reader *r, const slip_tree *value, const char *what, slip_range range,
                      slip_law *law, double *axes)
{
    bool good = slip_read_list(r, value, what, 2, "mu: [0.3, 0.2]");
    for (int i = 0; i < 2 && good; i++)
        good = slip_read_number_in(r, value->item[i], what, range, &axes[i]);
    law->mu = fmax(axes[0], axes[1]);
    return good;
}

/* A parameter that is a word: its number. */
static bool read_law_word(slip_reader *r, const slip_tree *node, const char *what,
                          const slip_law_parameter_info *parameter, double *value)
{
    const int found = slip_read_choice(r, node, what, NULL, parameter->words);
    *value = found;
    return found >= 0;
}

enum { most_scratch = 512 };

/* A law that is an expression of v, by the interface of laws that are C functions. */
static void evaluate_expression(void *user, double v, double *force, double *slope)
{
    double scratch[most_scratch];
    *force = slip_expression_gradient(user, &v, 1, slope, scratch);
}

/* `force` of a law: an expression of v, the parameters and the inputs. It belongs to the model. */
static bool read_force(slip_reader *r, const slip_tree *node, slip_law *law)
{
    const slip_tree *force =
        slip_read_required(r, node, "law `function`", "force", "force: 0.3*tanh(v/0.01)");
    slip_symbol *own = r->symbols, *symbols;
    const int parameters = r->parameters;
    slip_expression *expression = NULL;
    int count = 0;
    if (!force)
        return false;
    while (own[parameters + count].name)
        count++;
    symbols = slip_arena_array(&r->model->arena, (int64_t)count + 2, sizeof *symbols);
    if (!slip_reader_room(r, symbols))
        return false;
    symbols[0] = (slip_symbol){"v", 0, 0, NULL, SLIP_RATE_UNKNOWN};
    memcpy(symbols + 1, own + parameters, (size_t)count * sizeof *symbols);
    r->symbols = symbols;
    r->parameters = 1;
    bool good = slip_read_expression(r, force, "law `function`: force", &expression);
    r->symbols = own;
    r->parameters = parameters;
    if (good && slip_expression_scratch(expression) > most_scratch) {
        slip_problem(r->problems, force,
                     "law `function`: force: the expression is too long, expected a shorter one");
        slip_expression_destroy(expression);
        return false;
    }
    if (!slip_reader_room(r, !good || slip_model_keep_expression(r->ctx, r->model, expression) >= 0))
        return false;
    law->function = evaluate_expression;
    law->user = expression;
    return good;
}

int slip_read_varies(slip_reader *r, const slip_tree *value, const char *what, const char *parameter,
                     slip_law *law)
{
    if (value->kind != SLIP_TREE_SCALAR || !slip_read_has_motion(r) || !slip_read_is_expression(r, value))
        return 0;
    const slip_expression *compiled = slip_read_compiled(r, value, what);
    if (!compiled)
        return -1;
    if (!slip_expression_reads_below(compiled, slip_reader_slot_first(r)))
        return 0;
    slip_law_expression *list =
        slip_arena_array(&r->model->arena, (int64_t)law->expression_count + 1, sizeof *list);
    if (!slip_reader_room(r, list))
        return -1;
    if (law->expression_count > 0)
        memcpy(list, law->expressions, (size_t)law->expression_count * sizeof *list);
    list[law->expression_count++] = (slip_law_expression){parameter, value->text};
    law->expressions = list;
    return 1;
}

/* A number of an element, or an expression that varies: then some number is there. */
static bool read_element(slip_reader *r, const slip_tree *value, int index, bool may_vary, slip_law *law,
                         double *number)
{
    char what[60];
    snprintf(what, sizeof what, "law `iwan`: %s of element %d", index % 2 ? "mu" : "stiffness",
             index / 2 + 1);
    const int varies =
        may_vary ? slip_read_varies(r, value, what, slip_law_element_info(index)->name, law) : 0;
    *number = 1;
    return varies != 0 ? varies > 0
                       : slip_read_number_in(r, value, what, (slip_range){0, INFINITY, true}, number);
}

/* The elements of an Iwan model, [[stiffness, mu], ...]; they live in the model. */
static bool read_elements(slip_reader *r, const slip_tree *node, bool may_vary, slip_law *law)
{
    const slip_tree *list =
        slip_read_required(r, node, "law `iwan`", "elements", "elements: [[100, 0.2], [50, 0.4]]");
    char found[64], what[60];
    bool good = true;
    if (!list)
        return false;
    if (list->kind != SLIP_TREE_SEQUENCE || list->count < 1 || list->count > slip_law_sliders_max)
        return slip_problem(r->problems, list,
                            "law `iwan`: elements: found %s, expected a list of 1 to %d pairs, such as "
                            "[[100, 0.2], [50, 0.4]]",
                            list->kind != SLIP_TREE_SEQUENCE ? slip_tree_what(list, found, sizeof found)
                            : list->count == 0               ? "an empty list"
                                                             : "a longer list",
                            (int)slip_law_sliders_max);
    double *numbers = slip_arena_array(&r->model->arena, 2 * (int64_t)list->count, sizeof *numbers);
    if (!slip_reader_room(r, numbers))
        return false;
    for (int k = 0; k < list->count; k++) {
        snprintf(what, sizeof what, "law `iwan`: element %d", k + 1);
        if (!slip_read_list(r, list->item[k], what, 2, "[100, 0.2]")) {
            good = false;
            continue;
        }
        for (int part = 0; part < 2; part++)
            good = read_element(r, list->item[k]->item[part], 2 * k + part, may_vary, law,
                                &numbers[2 * k + part]) &&
                   good;
    }
    law->elements = numbers;
    law->element_count = list->count;
    return good;
}

/* An expression of t, coordinates and states, but not of velocities. */
static bool check_varying(slip_reader *r, const slip_tree *value, const char *what,
                          const slip_expression *expression)
{
    for (int i = 0; i < r->coordinates; i++)
        if (slip_expression_reads(expression, slip_slot_velocity(r->n, i)))
            return slip_problem(
                r->problems, value,
                "%s: found the velocity %s' in `%.60s`, expected t, coordinates and states only", what,
                r->names[i], value->text);
    return true;
}

void slip_read_varying(slip_reader *r, const slip_tree *node, const slip_law *law)
{
    slip_system *system = r->model->system;
    for (int k = 0; k < law->expression_count; k++) {
        const char *parameter = law->expressions[k].parameter;
        const int element = slip_law_element(law, parameter);
        const slip_tree *value =
            element < 0 ? slip_read_child(node, parameter)
                        : slip_read_child(node, "elements")->item[element / 2]->item[element % 2];
        slip_expression *expression = NULL;
        char what[100];
        snprintf(what, sizeof what, "law `%.30s`: %.60s", law->type, parameter);
        if (!slip_read_expression(r, value, what, &expression))
            continue;
        if (!check_varying(r, value, what, expression))
            slip_expression_destroy(expression);
        else if (slip_system_vary(r->ctx, system, (int)system->contact_count - 1, parameter, expression) < 0)
            slip_problem(r->problems, value, "%s", slip_context_message(r->ctx));
    }
}

static bool read_law_parameter(slip_reader *r, const slip_tree *node, const slip_law_info *info,
                               bool may_vary, const slip_law_parameter_info *parameter, slip_law *law,
                               double *axes)
{
    const slip_tree *value = slip_read_child(node, parameter->name);
    slip_range range = {parameter->minimum, INFINITY, parameter->open != 0};
    char what[100];
    snprintf(what, sizeof what, "law `%.30s`: %.60s", info->name, parameter->name);
    if (value && axes && value->kind == SLIP_TREE_SEQUENCE && strcmp(parameter->name, "mu") == 0)
        return read_axes(r, value, what, range, law, axes);
    if (value && parameter->words)
        return read_law_word(r, value, what, parameter, slip_law_parameter(law, parameter->name));
    const int varies = value && may_vary ? slip_read_varies(r, value, what, parameter->name, law) : 0;
    if (varies != 0)
        return varies > 0;
    if (value)
        return slip_read_number_in(r, value, what, range, slip_law_parameter(law, parameter->name));
    if (isnan(parameter->fallback))
        return slip_problem(r->problems, node, "law `%s`: `%s` (%s) is missing, expected %s %g", info->name,
                            parameter->name, parameter->meaning, parameter->open ? "more than" : "at least",
                            parameter->minimum);
    return true;
}

bool slip_read_law(slip_reader *r, const slip_tree *node, const char *what, bool may_vary, slip_law *law,
                   double *axes)
{
    slip_law_kernel kernel;
    if (node->object) { /* a C function */
        *law = *(const slip_law *)node->object;
        if (axes)
            axes[0] = axes[1] = 1;
        return true;
    }
    const slip_law_type *type = read_law_type(r, node, what);
    if (!type)
        return false;
    *law = slip_law_default(type->info.name);
    bool good = check_law_keys(r, node, &type->info);
    for (int i = 0; i < type->info.parameter_count; i++)
        good =
            read_law_parameter(r, node, &type->info, may_vary, &type->info.parameters[i], law, axes) && good;
    if (type->sliders && type->state_count)
        good = read_elements(r, node, may_vary, law) && good;
    if (is_function(&type->info))
        good = read_force(r, node, law) && good;
    if (!good)
        return false;
    const bool prepared = slip_law_prepare(r->ctx, law, &kernel) >= 0;
    if (axes && !(axes[0] > 0 || axes[1] > 0))
        axes[0] = axes[1] = kernel.law.mu; /* of one that varies: some number */
    if (prepared)
        return true;
    /* The remaining checks concern several parameters at once. */
    return slip_problem(r->problems, node, "%s", slip_context_message(r->ctx));
}
