/* Contacts and their laws as text for a person. */
#include "gear/train/train.h"
#include "model/describe/describe.h"
#include "patch/patch.h"

#include <math.h>
#include <string.h>

/* A point in a plane: the law of one direction, and the coefficients along both axes. */
static void describe_point(slip_text *text, const slip_contact *contact)
{
    const slip_patch *law = contact->patch->law;
    const slip_law_kernel *kernel = &law->smooth;
    slip_law copy = kernel->law;
    if (contact->patch->mu == 0 || copy.mu == 0) {
        slip_describe_line(text, "", "no friction\n");
        return;
    }
    if (contact->varying_count > 0)
        slip_describe_line(text, "", "law %s: mu = %s", kernel->type->info.name,
                           slip_expression_text(contact->varying[0]));
    else
        slip_describe_line(text, "", "law %s: mu = [%.9g, %.9g]", kernel->type->info.name,
                           copy.mu * law->axes[0], copy.mu * law->axes[1]);
    for (int i = 0; i < kernel->type->info.parameter_count; i++) {
        const char *name = kernel->type->info.parameters[i].name;
        if (strcmp(name, "mu") != 0)
            slip_text_printf(text, ", %s = %.9g", name, *slip_law_parameter(&copy, name));
    }
    slip_text_append(text, "\n");
    if (contact->patch->set_valued)
        slip_describe_line(text, "", "set-valued at rest\n");
}

/* What presses on a contact of a whole body; ends the line. */
static void describe_spring(slip_text *text, const slip_contact *contact)
{
    slip_text_printf(text, "spring of stiffness %.9g, exponent %.9g, damping %.9g\n", contact->spring[0],
                     contact->spring[1], contact->spring[2]);
}

/* A slip of more than one dimension. */
static void describe_plane(slip_text *text, const slip_contact *contact, const slip_contact_text *written)
{
    static const char *const parts[3] = {"slip_x", "slip_y", "spin"};
    const slip_patch_options *area = written->area;
    slip_patch_info info = slip_patch_describe(contact->patch->law);
    slip_text_printf(text, "%s: %s", contact->name,
                     area                                     ? "patch"
                     : contact->has_gap || contact->compliant ? "unilateral, slip in the plane"
                                                              : "friction in the plane");
    for (int part = 0; part < 3; part++)
        if (written->patch_slip[part])
            slip_text_printf(text, ", %s %s", parts[part], written->patch_slip[part]);
    if (contact->yields) {
        slip_text_printf(text, ", gap %s, ", written->gap);
        describe_spring(text, contact);
    } else if (contact->has_gap)
        slip_text_printf(text, ", gap %s, restitution %.9g, impact friction %s\n", written->gap,
                         contact->restitution, contact->impact_friction ? "coulomb" : "none");
    else
        slip_text_printf(text, ", normal force %s\n", written->normal_force);
    if (!area) {
        describe_point(text, contact);
        return;
    }
    slip_describe_line(text, "", "area %s, pressure %s, size %.9g, area %.9g\n", area->shape,
                       strcmp(area->shape, "table") == 0 ? info.treatment : area->pressure, info.size,
                       info.area);
    if (contact->patch->mu == 0) {
        slip_describe_line(text, "", "no friction\n");
        return;
    }
    slip_describe_line(text, "", "law %s: mu = ", contact->patch->epsilon > 0 ? "sqrt" : "coulomb");
    if (contact->varying_count > 0)
        slip_text_append(text, slip_expression_text(contact->varying[0]));
    else
        slip_text_printf(text, "%.9g", contact->patch->mu);
    if (contact->patch->epsilon > 0)
        slip_text_printf(text, ", epsilon = %.9g, eta_prime = %.9g", info.epsilon, info.eta_prime);
    slip_text_printf(text, ", static_ratio = %.9g\n", info.static_ratio);
    if (strcmp(area->surface, "pade") == 0)
        slip_describe_line(text, "", "surface pade: order (%d, %d), m = %.9g, b = %.9g%s\n", area->order[0],
                           area->order[1], info.m, info.b, area->fit ? " (fitted)" : "");
    else if (info.table_cells > 0)
        slip_describe_line(text, "", "surface integral, tabulated in %d pieces, error at most %.1e\n",
                           info.table_cells, info.table_error);
    else
        slip_describe_line(text, "", "surface integral, not tabulated\n");
    if (contact->patch->set_valued)
        slip_describe_line(text, "", "set-valued at rest\n");
}

/* ---- one direction ---- */

static void describe_breaks(slip_text *text, const slip_contact *contact)
{
    const slip_law_kernel *kernel = &contact->law;
    bool any = false;
    if (kernel->type->info.set_valued && contact->varying_count > 0) {
        slip_describe_line(text, "",
                           "set-valued at v = 0: holds up to mu static_ratio times the normal force\n");
    } else if (kernel->type->info.set_valued) {
        slip_describe_line(text, "", "set-valued at v = 0: holds up to %.9g times the normal force\n",
                           slip_law_hold(kernel));
    }
    for (int i = 0; i < kernel->break_count; i++) {
        const slip_law_break *at = &kernel->breaks[i];
        if (kernel->type->info.set_valued && at->velocity == 0)
            continue;
        if (!any)
            slip_describe_label(text, "");
        slip_text_printf(text, "%s%.9g%s", any ? ", " : "not smooth at v = ", at->velocity,
                         at->singular ? " (infinite slope)" : "");
        any = true;
    }
    if (any)
        slip_text_append(text, "\n");
}

/* The expression of a parameter of a law that varies, or NULL. */
static const slip_expression *varying_of(const slip_contact *contact, const char *parameter)
{
    for (int k = 0; k < contact->varying_count; k++)
        if (strcmp(contact->varying_info[k]->name, parameter) == 0)
            return contact->varying[k];
    return NULL;
}

static void describe_law(slip_text *text, const slip_contact *contact)
{
    const slip_law_kernel *kernel = &contact->law;
    slip_law law = kernel->law;
    slip_describe_line(text, "", "law %s", kernel->type->info.name);
    for (int i = 0; i < kernel->type->info.parameter_count; i++) {
        const slip_law_parameter_info *info = &kernel->type->info.parameters[i];
        const double value = *slip_law_parameter(&law, info->name);
        slip_text_printf(text, "%s %s = ", i > 0 ? "," : ":", info->name);
        const slip_expression *varying = varying_of(contact, info->name);
        if (varying)
            slip_text_append(text, slip_expression_text(varying));
        else if (info->words)
            slip_text_append(text, info->words[(int)value]);
        else
            slip_text_printf(text, "%.9g", value);
    }
    for (int k = 0; k < 2 * law.element_count; k++) {
        const slip_expression *varying = varying_of(contact, slip_law_element_info(k)->name);
        slip_text_append(text, k == 0 ? ", elements [" : k % 2 ? ", " : ", [");
        if (varying)
            slip_text_append(text, slip_expression_text(varying));
        else
            slip_text_printf(text, "%.9g", law.elements[k]);
        slip_text_append(text, k % 2 ? "]" : "");
    }
    slip_text_append(text, "\n");
    describe_breaks(text, contact);
}

/* A mesh of gears. */
static void describe_mesh(slip_text *text, const slip_model *model, int contact)
{
    const slip_train *train = model->bodies->train;
    int i = 0;
    while (train->meshes[i].contact != contact)
        i++;
    const slip_train_mesh *mesh = &train->meshes[i];
    const slip_law *law = mesh->options.friction;
    slip_text_printf(text, "%s: flanks of %s and %s, axes %.9g apart, ", mesh->name,
                     train->bodies[mesh->side[0].body].name, train->bodies[mesh->side[1].body].name,
                     mesh->options.distance);
    if (isinf(mesh->options.penalty))
        slip_text_append(text, "rigid");
    else
        slip_text_printf(text, "penalty %.9g", mesh->options.penalty);
    slip_text_printf(text, law ? ", friction %s\n" : ", no friction\n", law ? law->type : "");
}

static void describe_kind(slip_text *text, const slip_contact *contact, const slip_contact_text *written)
{
    if (!contact->has_gap) {
        slip_text_printf(text, "%s: %s%s%s, normal force %s\n", contact->name,
                         contact->compliant ? "unilateral, compliant" : "friction",
                         written->slip ? ", slip " : "", written->slip ? written->slip : "",
                         written->normal_force);
        return;
    }
    if (contact->yields) {
        slip_text_printf(text, "%s: unilateral, compliant, gap %s%s%s, ", contact->name, written->gap,
                         written->slip ? ", slip " : "", written->slip ? written->slip : "");
        describe_spring(text, contact);
        return;
    }
    slip_text_printf(text, "%s: unilateral, gap %s%s%s, restitution %.9g, impact friction %s\n",
                     contact->name, written->gap, written->slip ? ", slip " : "",
                     written->slip ? written->slip : "", contact->restitution,
                     contact->impact_friction ? "coulomb" : "none");
}

void slip_describe_contacts(slip_text *text, const slip_model *model)
{
    int64_t count = model->system->contact_count;
    if (count == 0)
        slip_describe_line(text, "contacts", "none\n");
    for (int64_t i = 0; i < count && i < slip_describe_most; i++) {
        const slip_contact *contact = &model->system->contacts[i];
        slip_describe_label(text, i == 0 ? "contacts" : "");
        if (contact->dimension > 1) {
            describe_plane(text, contact, &model->contact_texts[i]);
            continue;
        }
        if (contact->of_structure) {
            describe_mesh(text, model, (int)i);
            continue;
        }
        describe_kind(text, contact, &model->contact_texts[i]);
        if (model->contact_texts[i].has_law) {
            describe_law(text, contact);
        } else {
            slip_describe_line(text, "", "no law: no friction\n");
        }
    }
    slip_describe_more(text, count);
}
