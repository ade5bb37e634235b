/* A contact given by a call is converted to the node that a file would have, so that the reader checks it. */
#include "model/build/build.h"
#include "model/emit.h"
#include "model/names.h"

#include <math.h>
#include <string.h>

/* The text of a parameter of a law that is an expression, or NULL. */
static const char *law_expression(const slip_law *law, const char *parameter)
{
    for (int k = 0; k < law->expression_count; k++)
        if (strcmp(law->expressions[k].parameter, parameter) == 0)
            return law->expressions[k].text;
    return NULL;
}

static void put_pair(slip_draft *d, slip_tree *to, const char *key, const double values[2])
{
    if (!isnan(values[0]) || !isnan(values[1]))
        slip_draft_put(d, to, key, slip_tree_numbers(d->arena, 2, values));
}

static slip_tree *points_node(slip_draft *d, const slip_patch_options *area, int columns)
{
    slip_tree *points = slip_tree_sequence(d->arena, area->point_count);
    for (int i = 0; i < area->point_count && points; i++)
        if (!(points->item[i] = slip_tree_numbers(d->arena, columns, area->points + (ptrdiff_t)columns * i)))
            return NULL;
    return points;
}

static slip_tree *pressure_node(slip_draft *d, const slip_patch_options *area)
{
    const bool linear = strcmp(area->pressure, "linear") == 0;
    if (!linear && strcmp(area->pressure, "expression") != 0)
        return slip_tree_scalar(d->arena, area->pressure);
    slip_tree *node = slip_tree_mapping(d->arena);
    if (linear)
        slip_draft_put(d, node, "linear", slip_tree_numbers(d->arena, 2, area->linear));
    else
        slip_draft_text(d, node, "expression", area->expression);
    return node;
}

static slip_tree *area_node(slip_draft *d, const slip_patch_options *area)
{
    slip_tree *node = slip_tree_mapping(d->arena);
    const bool table = strcmp(area->shape, "table") == 0;
    slip_draft_text(d, node, "shape", area->shape);
    slip_draft_number(d, node, "radius", area->radius);
    slip_draft_number(d, node, "inner", area->inner);
    slip_draft_number(d, node, "outer", area->outer);
    put_pair(d, node, "semi_axes", area->semi_axes);
    put_pair(d, node, "sides", area->sides);
    if (area->points)
        slip_draft_put(d, node, "points", points_node(d, area, table ? 3 : 2));
    slip_draft_text(d, node, "file", area->file);
    slip_draft_number(d, node, "size", area->size);
    if (!table && area->pressure)
        slip_draft_put(d, node, "pressure", pressure_node(d, area));
    return node;
}

static slip_tree *surface_node(slip_draft *d, const slip_patch_options *area)
{
    const bool integral = area->surface && strcmp(area->surface, "integral") == 0;
    slip_tree *node = slip_tree_mapping(d->arena);
    slip_draft_text(d, node, "type", area->surface);
    if (!integral || area->order[0] != 0 || area->order[1] != 0)
        slip_draft_put(d, node, "order",
                       slip_tree_numbers(d->arena, 2, (double[]){area->order[0], area->order[1]}));
    if (area->fit)
        slip_draft_text(d, node, "fit", "true");
    slip_draft_number(d, node, "m", area->m);
    slip_draft_number(d, node, "b", area->b);
    if (integral && area->table_tolerance >= 0)
        slip_draft_number(d, node, "tolerance", area->table_tolerance);
    return node;
}

static slip_tree *area_law_node(slip_draft *d, const slip_patch_options *area, const slip_law *law)
{
    slip_tree *node = slip_tree_mapping(d->arena);
    slip_draft_text(d, node, "type", area->epsilon > 0 ? "sqrt" : "coulomb");
    if (law_expression(law, "mu"))
        slip_draft_text(d, node, "mu", law_expression(law, "mu"));
    else
        slip_draft_number(d, node, "mu", law->mu);
    if (area->epsilon != 0)
        slip_draft_number(d, node, "epsilon", area->epsilon);
    slip_draft_number(d, node, "static_ratio", area->static_ratio);
    slip_draft_number(d, node, "eta_prime", area->eta_prime);
    slip_draft_put(d, node, "surface", surface_node(d, area));
    return node;
}

/* Adds the area, and its law with the mu of `law`, to what a file would say of a contact. */
static void put_area(slip_draft *d, slip_tree *node, const slip_patch_options *area, const slip_law *law)
{
    slip_draft_put(d, node, "area", area_node(d, area));
    slip_draft_put(d, node, "law", area_law_node(d, area, law));
}

SLIP_OPTIONS_FILL(slip_contact_options, .kind = "friction", .restitution = NAN, .normal_stiffness = NAN,
                  .normal_exponent = NAN, .normal_damping = NAN, .law = slip_law_default(NULL), .mu_y = NAN,
                  .area = slip_patch_options_default())

/* ---- slip ---- */

/* row . q' + offset as the text of an expression, so that a slip velocity has only one representation. */
static int text_of_row(slip_context *ctx, const slip_model *model, const slip_contact_options *options,
                       slip_text *text)
{
    const int n = slip_system_coordinates(model->system);
    SLIP_PASS(slip_build_check_finite(ctx, "row of the contact", options->row, n, n));
    for (int i = 0; i < n; i++) {
        const double size = fabs(options->row[i]);
        if (size == 0)
            continue;
        slip_text_append(text, options->row[i] < 0 ? (text->length > 0 ? " - " : "-")
                                                   : (text->length > 0 ? " + " : ""));
        if (size != 1) {
            slip_emit_number(text, size);
            slip_text_append(text, "*");
        }
        slip_text_printf(text, "%s'", model->system->names[i]);
    }
    if (text->length == 0)
        slip_text_append(text, "0");
    if (options->offset)
        slip_text_printf(text, " + (%s)", options->offset);
    SLIP_PASS(slip_allocated(ctx, !text->failed));
    return SLIP_OK;
}

/* One expression, two of a point in a plane, or the mapping of an area. */
static int put_slip(slip_context *ctx, slip_model *model, const slip_contact_options *options, bool area,
                    slip_draft *d, slip_tree *node)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    int status = SLIP_OK;
    if (options->row)
        SLIP_PASS(text_of_row(ctx, model, options, &text));
    const char *along = options->row ? text.data : options->slip;
    if (area || options->spin) {
        slip_tree *parts = slip_tree_mapping(d->arena);
        slip_draft_text(d, parts, "x", along);
        slip_draft_text(d, parts, "y", options->slip_y);
        slip_draft_text(d, parts, "spin", options->spin);
        slip_draft_put(d, node, "slip", parts);
    } else if (options->slip_y && !along) {
        status = slip_fail(ctx, SLIP_ERROR_USAGE,
                           "contact `%s`: slip_y stands beside slip, expected both of a point in a plane",
                           options->name);
    } else if (options->slip_y) {
        slip_tree *both = slip_tree_sequence(d->arena, 2);
        d->good = d->good && both && (both->item[0] = slip_tree_scalar(d->arena, along)) &&
                  (both->item[1] = slip_tree_scalar(d->arena, options->slip_y));
        slip_draft_put(d, node, "slip", both);
    } else {
        slip_draft_text(d, node, "slip", along);
    }
    return status;
}

/* ---- law ---- */

/* The elements of an Iwan model as a list of pairs, in which those that vary are expressions. */
static slip_tree *element_list(slip_arena *arena, const slip_law *law)
{
    slip_tree *list = slip_tree_sequence(arena, law->element_count);
    for (int k = 0; k < law->element_count && list; k++) {
        slip_tree *pair = slip_tree_numbers(arena, 2, law->elements + 2 * (ptrdiff_t)k);
        for (int part = 0; part < 2 && pair; part++) {
            const char *text = law_expression(law, slip_law_element_info(2 * k + part)->name);
            if (text && !(pair->item[part] = slip_tree_scalar(arena, text)))
                pair = NULL;
        }
        if (!(list->item[k] = pair))
            list = NULL;
    }
    return list;
}

/* What a file says of a law, which has been checked. */
static slip_tree *law_node(slip_arena *arena, const slip_law *law, double mu_y)
{
    const slip_law_info *info = &slip_law_find(law->type)->info;
    slip_law copy = *law, *kept = slip_arena_alloc(arena, sizeof *kept);
    slip_draft d = {arena, kept != NULL};
    slip_tree *node = slip_tree_mapping(arena);
    slip_draft_text(&d, node, "type", law->type);
    for (int i = 0; i < info->parameter_count; i++) {
        const slip_law_parameter_info *parameter = &info->parameters[i];
        const double value = *slip_law_parameter(&copy, parameter->name);
        if (strcmp(parameter->name, "mu") == 0 && !isnan(mu_y))
            slip_draft_put(&d, node, "mu", slip_tree_numbers(arena, 2, (double[]){value, mu_y}));
        else if (law_expression(law, parameter->name))
            slip_draft_text(&d, node, parameter->name, law_expression(law, parameter->name));
        else if (!parameter->words)
            slip_draft_number(&d, node, parameter->name, value);
        else if (!isnan(value))
            slip_draft_text(&d, node, parameter->name, parameter->words[(int)value]);
    }
    if (law->elements)
        slip_draft_put(&d, node, "elements", element_list(arena, law));
    if (d.good && law->function) {
        *kept = *law;
        kept->type = info->name;
        node->object = kept;
        node->text = "The law is a C function, which cannot be written.";
    }
    return d.good ? node : NULL;
}

/* Adds the law of a contact; that of an area follows from its options. Other laws are checked here first,
 * since the message of the law is better than that of the reader. */
static int put_law(slip_context *ctx, const slip_contact_options *options, bool area, slip_draft *d,
                   slip_tree *node)
{
    const slip_law *law = &options->law;
    slip_law_kernel kernel;
    int status = SLIP_OK;
    if (area && law->type)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "contact `%s`: law: found the type `%.60s`, expected none: the law of an area "
                         "follows from area.epsilon, and takes mu from law.mu or law.expressions",
                         options->name, law->type);
    if (area) {
        put_area(d, node, &options->area, law);
    } else if (law->type) {
        SLIP_PASS(slip_law_prepare(ctx, law, &kernel));
        slip_draft_put(d, node, "law", law_node(d->arena, law, options->mu_y));
    } else if (!isnan(law->mu) || law->expression_count > 0) {
        status = slip_fail(ctx, SLIP_ERROR_USAGE,
                           "contact `%s`: law: found parameters without a type, expected for example "
                           "slip_law_default(\"coulomb\")",
                           options->name);
    }
    return status;
}

/* ---- the contact ---- */

/* `normal` of a compliant contact, beside its gap. */
static void put_compliance(slip_draft *d, slip_tree *node, const slip_contact_options *options)
{
    const double numbers[3] = {options->normal_stiffness, options->normal_exponent, options->normal_damping};
    static const char *const keys[3] = {"stiffness", "exponent", "damping"};
    slip_tree *normal = slip_tree_mapping(d->arena);
    for (int k = 0; k < 3; k++)
        slip_draft_number(d, normal, keys[k], numbers[k]);
    if (!normal || normal->count > 0)
        slip_draft_put(d, node, "normal", normal);
}

static int check_contact(slip_context *ctx, const slip_model *model, const slip_contact_options *options)
{
    const char *name = options->name, *problem = name ? slip_name_problem(name, false) : "is missing";
    if (problem)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "contact: name `%.60s` %s", name ? name : "", problem);
    for (int64_t i = 0; i < model->system->contact_count; i++)
        if (strcmp(model->system->contacts[i].name, name) == 0)
            return slip_fail(ctx, SLIP_ERROR_MODEL, "contact `%s` is already there", name);
    if ((options->row && options->slip) || (!options->row && options->offset))
        return slip_fail(ctx, SLIP_ERROR_USAGE, "contact `%s`: expected either row (and offset) or slip",
                         name);
    if (!options->slip_y && !isnan(options->mu_y))
        return slip_fail(
            ctx, SLIP_ERROR_USAGE,
            "contact `%s`: mu_y is that of a point in a plane along slip_y, expected slip and slip_y", name);
    if (model->system->contact_count >= slip_contacts_max)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "more than %d contacts", slip_contacts_max);
    return SLIP_OK;
}

/* A law with memory: its states come with the whole document. */
static int build_states(slip_context *ctx, slip_model *model, const char *name, slip_tree *node)
{
    slip_tree *section = slip_build_section(model, "contacts");
    SLIP_PASS(slip_allocated(ctx, section && slip_tree_put(&model->arena, section, name, node)));
    const int status = slip_build_states(ctx, model);
    if (status < 0)
        slip_tree_remove(section, name);
    return status;
}

/* Has the contact read, and adds it to the document. `node` is what a file would say of it; NULL fails as out
 * of memory. */
static int build_contact(slip_context *ctx, slip_model *model, const char *name, slip_tree *node)
{
    slip_tree *section;
    const slip_tree *law = node ? slip_read_child(node, "law") : NULL;
    const slip_tree *type = law && law->kind == SLIP_TREE_MAPPING ? slip_read_child(law, "type") : NULL;
    slip_text said = {0};
    const bool memory = type && slip_law_find(type->text) && slip_law_find(type->text)->remember;
    int status = memory ? build_states(ctx, model, name, node)
                        : slip_build_part(ctx, model, slip_read_contact, name, node);
    if (status == SLIP_ERROR_MODEL && strncmp(slip_context_message(ctx), "contact `", 9) != 0) {
        slip_text_append(&said, slip_context_message(ctx)); /* without a line it needs the name */
        status = slip_fail(ctx, status, "contact `%s`: %s", name, said.data ? said.data : "");
    }
    slip_text_free(&said);
    SLIP_PASS(status);
    if (memory)
        return status;
    section = slip_build_section(model, "contacts");
    if (!section || !slip_tree_put(&model->arena, section, name, node))
        return slip_fail_memory(ctx);
    return status;
}

int slip_model_add_contact(slip_context *ctx, slip_model *model, const slip_contact_options *given_options)
{
    SLIP_NEED(ctx, model, given_options);
    SLIP_TAKE(slip_contact_options, options, given_options);
    const char *kind = options->kind ? options->kind : "friction";
    const bool area = strcmp(kind, "patch") == 0;
    slip_draft d = {&model->arena, true};
    slip_tree *node = slip_tree_mapping(d.arena);
    SLIP_PASS(slip_build_for_motion(ctx, model));
    SLIP_PASS(check_contact(ctx, model, options));
    slip_draft_text(&d, node, "kind", kind);
    slip_draft_text(&d, node, "gap", options->gap);
    SLIP_PASS(put_slip(ctx, model, options, area, &d, node));
    slip_draft_text(&d, node, "normal_force", options->normal_force);
    slip_draft_number(&d, node, "restitution", options->restitution);
    slip_draft_text(&d, node, "impact_friction", options->impact_friction);
    put_compliance(&d, node, options);
    SLIP_PASS(put_law(ctx, options, area, &d, node));
    return build_contact(ctx, model, options->name, d.good ? node : NULL);
}
