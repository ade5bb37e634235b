/* A contact whose slip has more than one dimension as text for a person. */
#include "model/describe/patch.h"

#include "patch/patch.h"

#include <string.h>

/* A point in a plane: the law of one direction, and the coefficients along both axes. */
static void describe_point(slip_text *text, const slip_contact *contact, const char *indent)
{
    const slip_patch *law = contact->patch->law;
    const slip_law_kernel *kernel = &law->smooth;
    slip_law copy = kernel->law;
    if (contact->patch->mu == 0 || copy.mu == 0) {
        slip_text_printf(text, "%sno friction\n", indent);
        return;
    }
    if (contact->varying_count > 0)
        slip_text_printf(text, "%slaw %s: mu = %s", indent, kernel->type->info.name,
                         slip_expression_text(contact->varying[0]));
    else
        slip_text_printf(text, "%slaw %s: mu = [%.9g, %.9g]", indent, kernel->type->info.name,
                         copy.mu * law->axes[0], copy.mu * law->axes[1]);
    for (int i = 0; i < kernel->type->info.parameter_count; i++) {
        const char *name = kernel->type->info.parameters[i].name;
        if (strcmp(name, "mu") != 0)
            slip_text_printf(text, ", %s = %.9g", name, *slip_law_parameter(&copy, name));
    }
    slip_text_append(text, "\n");
    if (contact->patch->set_valued)
        slip_text_printf(text, "%sset-valued at rest\n", indent);
}

void slip_describe_spring(slip_text *text, const slip_contact *contact)
{
    slip_text_printf(text, "spring of stiffness %.9g, exponent %.9g, damping %.9g\n", contact->spring[0],
                     contact->spring[1], contact->spring[2]);
}

void slip_patch_describe_contact(slip_text *text, const slip_contact *contact,
                                 const slip_contact_text *written, const char *indent)
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
        slip_describe_spring(text, contact);
    } else if (contact->has_gap)
        slip_text_printf(text, ", gap %s, restitution %.9g, impact friction %s\n", written->gap,
                         contact->restitution, contact->impact_friction ? "coulomb" : "none");
    else
        slip_text_printf(text, ", normal force %s\n", written->normal_force);
    if (!area) {
        describe_point(text, contact, indent);
        return;
    }
    slip_text_printf(text, "%sarea %s, pressure %s, size %.9g, area %.9g\n", indent, area->shape,
                     strcmp(area->shape, "table") == 0 ? info.treatment : area->pressure, info.size,
                     info.area);
    if (contact->patch->mu == 0) {
        slip_text_printf(text, "%sno friction\n", indent);
        return;
    }
    slip_text_printf(text, "%slaw %s: mu = ", indent, contact->patch->epsilon > 0 ? "sqrt" : "coulomb");
    if (contact->varying_count > 0)
        slip_text_append(text, slip_expression_text(contact->varying[0]));
    else
        slip_text_printf(text, "%.9g", contact->patch->mu);
    if (contact->patch->epsilon > 0)
        slip_text_printf(text, ", epsilon = %.9g, eta_prime = %.9g", info.epsilon, info.eta_prime);
    slip_text_printf(text, ", static_ratio = %.9g\n", info.static_ratio);
    if (strcmp(area->surface, "pade") == 0)
        slip_text_printf(text, "%ssurface pade: order (%d, %d), m = %.9g, b = %.9g%s\n", indent,
                         area->order[0], area->order[1], info.m, info.b, area->fit ? " (fitted)" : "");
    else if (info.table_cells > 0)
        slip_text_printf(text, "%ssurface integral, tabulated in %d pieces, error at most %.1e\n", indent,
                         info.table_cells, info.table_error);
    else
        slip_text_printf(text, "%ssurface integral, not tabulated\n", indent);
    if (contact->patch->set_valued)
        slip_text_printf(text, "%sset-valued at rest\n", indent);
}
