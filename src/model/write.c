/* model.yaml: the document of a file with its overrides, or a document made from the numbers of a model that
 * was built in C. */
#include "model/emit.h"
#include "model/model.h"
#include "model/write_patch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- from the document ---- */

/* The tree with simulate.method set. The model is const, so what changes is copied: root and section. */
static slip_tree *with_method(slip_arena *arena, const slip_tree *document, const char *method)
{
    slip_tree *root = slip_tree_copy(arena, document), *section, *value = slip_tree_scalar(arena, method);
    int index = slip_tree_index(document, "simulate");
    if (!root || !value)
        return NULL;
    section = index >= 0 && slip_tree_value(root, index)->kind == SLIP_TREE_MAPPING
                  ? slip_tree_copy(arena, slip_tree_value(root, index))
                  : slip_tree_mapping(arena);
    if (!section)
        return NULL;
    if (index >= 0)
        root->item[2 * index + 1] = section;
    else if (!slip_tree_append(arena, root, slip_tree_scalar(arena, "simulate"), section))
        return NULL;
    index = slip_tree_index(section, "method");
    if (index >= 0)
        section->item[2 * index + 1] = value;
    else if (!slip_tree_append(arena, section, slip_tree_scalar(arena, "method"), value))
        return NULL;
    return root;
}

static int write_document(slip_context *ctx, const slip_tree *document, const char *method, slip_text *text)
{
    slip_arena arena = {0};
    const slip_tree *root = method ? with_method(&arena, document, method) : document;
    int status = SLIP_OK;
    if (root)
        slip_emit_document(text, root);
    else
        status = slip_fail_memory(ctx);
    slip_arena_free(&arena);
    return status;
}

/* ---- from numbers ---- */

/* `name: number`, with a comma before it unless it is the first. */
static void write_item(slip_text *text, int *count, const char *name, double value)
{
    slip_text_append(text, *count > 0 ? ", " : "{");
    slip_emit_scalar(text, name, false);
    slip_text_append(text, ": ");
    slip_emit_number(text, value);
    ++*count;
}

static void write_items_end(slip_text *text, int count)
{
    slip_text_append(text, count > 0 ? "}\n" : "{}\n");
}

static void write_matrix(slip_text *text, const char *key, int n, const double *matrix, bool required)
{
    bool used = required;
    for (int i = 0; i < n * n; i++)
        used |= matrix[i] != 0;
    if (!used)
        return;
    slip_text_printf(text, "%s:\n", key);
    for (int i = 0; i < n; i++) {
        slip_text_append(text, "  - [");
        for (int j = 0; j < n; j++) {
            slip_text_append(text, j > 0 ? ", " : "");
            slip_emit_number(text, matrix[i * n + j]);
        }
        slip_text_append(text, "]\n");
    }
}

static void write_names(slip_text *text, const slip_model *model)
{
    int count = 0;
    if (model->title[0]) {
        slip_text_append(text, "title: ");
        slip_emit_scalar(text, model->title, true);
        slip_text_append(text, "\n");
    }
    if (model->parameter_count > 0)
        slip_text_append(text, "parameters: ");
    for (int64_t i = 0; i < model->parameter_count; i++)
        write_item(text, &count, model->parameters[i].name, model->parameters[i].value);
    if (model->parameter_count > 0)
        write_items_end(text, count);
    if (model->of_bodies)
        return;
    slip_text_append(text, "coordinates: [");
    for (int i = 0; i < model->system->n; i++) {
        slip_text_append(text, i > 0 ? ", " : "");
        slip_emit_scalar(text, model->system->names[i], false);
    }
    slip_text_append(text, "]\n");
}

static void write_forces(slip_text *text, const slip_system *system)
{
    if (system->force_function)
        slip_text_append(text, "# The load has a part that is a C function, which cannot be written.\n");
    if (system->force_count > 0)
        slip_text_append(text, "forces:\n");
    for (int64_t i = 0; i < system->force_count; i++) {
        slip_text_append(text, "  ");
        slip_emit_scalar(text, system->names[system->forces[i].coordinate], false);
        slip_text_append(text, ": ");
        slip_emit_scalar(text, slip_expression_text(system->forces[i].expression), false);
        slip_text_append(text, "\n");
    }
}

/* static_ratio and eta_prime exclude each other: the one that gives the other exactly. */
static bool is_derived(const slip_law *law, const char *parameter)
{
    bool from_ratio = law->eta_prime == slip_law_eta_prime(law->static_ratio);
    if (isnan(law->eta_prime))
        return false;
    return strcmp(parameter, from_ratio ? "eta_prime" : "static_ratio") == 0;
}

static void write_law(slip_text *text, const slip_law_kernel *kernel)
{
    slip_law law = kernel->law;
    if (law.function) {
        slip_text_append(text, "    # The law is a C function, which cannot be written.\n");
        return;
    }
    slip_text_printf(text, "    law: {type: %s", law.type);
    for (int i = 0; i < kernel->type->info.parameter_count; i++) {
        const slip_law_parameter_info *info = &kernel->type->info.parameters[i];
        if (is_derived(&law, info->name))
            continue;
        slip_text_printf(text, ", %s: ", info->name);
        slip_emit_number(text, *slip_law_parameter(&law, info->name));
    }
    slip_text_append(text, "}\n");
}

/* `key: text` of a contact; nothing where there is no text. */
static void write_field(slip_text *text, const char *key, const char *value)
{
    if (!value)
        return;
    slip_text_printf(text, "    %s: ", key);
    slip_emit_scalar(text, value, false);
    slip_text_append(text, "\n");
}

static void write_kind(slip_text *text, const slip_contact *contact, const slip_contact_text *written)
{
    bool unilateral = contact->kind == SLIP_CONTACT_UNILATERAL;
    write_field(text, "kind", unilateral ? "unilateral" : "friction");
    write_field(text, "gap", written->gap);
    write_field(text, "slip", written->slip);
    write_field(text, "normal_force", written->normal_force);
    if (!unilateral)
        return;
    slip_text_append(text, "    restitution: ");
    slip_emit_number(text, contact->restitution);
    slip_text_append(text, "\n");
    write_field(text, "impact_friction", contact->impact_friction ? "coulomb" : "none");
}

static void write_contacts(slip_text *text, const slip_model *model)
{
    if (model->system->contact_count > 0)
        slip_text_append(text, "contacts:\n");
    for (int64_t i = 0; i < model->system->contact_count; i++) {
        const slip_contact *contact = &model->system->contacts[i];
        slip_text_append(text, "  ");
        slip_emit_scalar(text, contact->name, false);
        slip_text_append(text, ":\n");
        if (contact->patch) {
            slip_patch_write(text, contact, &model->contact_texts[i]);
            continue;
        }
        write_kind(text, contact, &model->contact_texts[i]);
        if (model->contact_texts[i].has_law)
            write_law(text, &contact->law);
    }
}

static void write_initial(slip_text *text, const slip_model *model)
{
    int count = 0;
    char name[80];
    slip_text_append(text, "  initial: ");
    for (int i = 0; i < model->system->n; i++) {
        if (model->initial_q[i] != 0)
            write_item(text, &count, model->system->names[i], model->initial_q[i]);
        snprintf(name, sizeof name, "%.60s'", model->system->names[i]);
        if (model->initial_v[i] != 0)
            write_item(text, &count, name, model->initial_v[i]);
    }
    write_items_end(text, count);
}

static void write_record(slip_text *text, const slip_run_options *simulate)
{
    int count = 0;
    slip_text_append(text, "  record: ");
    if (simulate->record_steps > 0) {
        slip_text_append(text, "{steps: true");
        count++;
    } else if (!isnan(simulate->record_every)) {
        write_item(text, &count, "every", simulate->record_every);
    } else if (simulate->record_points > 0) {
        write_item(text, &count, "points", (double)simulate->record_points);
    }
    if (!isnan(simulate->record_from))
        write_item(text, &count, "from", simulate->record_from);
    write_items_end(text, count);
}

static void write_steady(slip_text *text, const slip_run_options *simulate)
{
    int count = 0;
    if (isnan(simulate->steady_period))
        return;
    slip_text_append(text, "  steady: ");
    write_item(text, &count, "period", simulate->steady_period);
    if (!isnan(simulate->steady_tolerance))
        write_item(text, &count, "tolerance", simulate->steady_tolerance);
    if (simulate->steady_within > 0)
        write_item(text, &count, "within", (double)simulate->steady_within);
    write_items_end(text, count);
}

static void write_simulate(slip_text *text, const slip_model *model, const char *method)
{
    const slip_run_options *simulate = &model->simulate;
    slip_text_append(text, "simulate:\n");
    if (method || simulate->method)
        slip_text_printf(text, "  method: %s\n", method ? method : simulate->method);
    if (simulate->segments)
        slip_text_printf(text, "  segments: %s\n", simulate->segments);
    if (!isnan(simulate->end)) {
        slip_text_append(text, "  time: [");
        slip_emit_number(text, isnan(simulate->start) ? 0 : simulate->start);
        slip_text_append(text, ", ");
        slip_emit_number(text, simulate->end);
        slip_text_append(text, "]\n");
    }
    write_initial(text, model);
    if (!isnan(simulate->tolerance)) {
        slip_text_append(text, "  tolerance: ");
        slip_emit_number(text, simulate->tolerance);
        slip_text_append(text, "\n");
    }
    if (!isnan(simulate->step)) {
        slip_text_append(text, "  step: ");
        slip_emit_number(text, simulate->step);
        slip_text_append(text, "\n");
    }
    if (!isnan(simulate->theta)) {
        slip_text_append(text, "  theta: ");
        slip_emit_number(text, simulate->theta);
        slip_text_append(text, "\n");
    }
    write_record(text, simulate);
    write_steady(text, simulate);
}

static void write_section(slip_text *text, const char *key, const slip_text *lines)
{
    text->failed = text->failed || lines->failed;
    if (lines->length > 0)
        slip_text_printf(text, "%s:\n%s", key, lines->data);
}

static void write_numbers(slip_text *text, const slip_model *model, const char *method)
{
    const slip_system *system = model->system;
    slip_text_append(text, "slipstick: 1\n");
    write_names(text, model);
    if (model->of_bodies) {
        write_section(text, "bodies", &model->bodies_text);
        write_section(text, "contacts", &model->surfaces_text);
        return;
    }
    write_matrix(text, "mass", system->n, system->mass, model->mass_given);
    write_matrix(text, "damping", system->n, system->damping, false);
    write_matrix(text, "stiffness", system->n, system->stiffness, false);
    write_forces(text, system);
    write_contacts(text, model);
    write_simulate(text, model, method);
}

int slip_model_write(slip_context *ctx, const slip_model *model, const char *method, slip_text *text)
{
    int status = SLIP_OK;
    if (model->of_bodies || model->gear_count == 1 || model->gear_count > 2)
        method = NULL; /* there is no motion that it could advance */
    slip_text_printf(text, "# slipstick %s", slip_version());
    if (method)
        slip_text_printf(text, ", method %s", method);
    slip_text_append(text, "\n");
    if (model->document)
        SLIP_TRY(write_document(ctx, model->document, method, text));
    else
        write_numbers(text, model, method);
    if (text->failed)
        status = slip_fail_memory(ctx);
done:
    return status;
}
