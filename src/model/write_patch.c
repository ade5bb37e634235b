/* A contact of kind patch as part of model.yaml, and as text for a person. */
#include "model/write_patch.h"
#include "model/emit.h"

#include <math.h>
#include <string.h>

static void number(slip_text *text, const char *key, double value)
{
    slip_text_printf(text, ", %s: ", key);
    slip_emit_number(text, value);
}

static void pair(slip_text *text, const char *key, const double values[2])
{
    slip_text_printf(text, ", %s: [", key);
    slip_emit_number(text, values[0]);
    slip_text_append(text, ", ");
    slip_emit_number(text, values[1]);
    slip_text_append(text, "]");
}

static void write_pressure(slip_text *text, const slip_patch_options *area)
{
    if (strcmp(area->pressure, "linear") == 0) {
        slip_text_append(text, ", pressure: {linear: [");
        slip_emit_number(text, area->linear[0]);
        slip_text_append(text, ", ");
        slip_emit_number(text, area->linear[1]);
        slip_text_append(text, "]}");
    } else if (strcmp(area->pressure, "expression") == 0) {
        slip_text_append(text, ", pressure: {expression: ");
        slip_emit_scalar(text, area->expression, false);
        slip_text_append(text, "}");
    } else {
        slip_text_printf(text, ", pressure: %s", area->pressure);
    }
}

static void write_points(slip_text *text, const slip_patch_options *area, int columns)
{
    slip_text_append(text, ", points: [");
    for (int i = 0; i < area->point_count; i++) {
        slip_text_append(text, i > 0 ? ", [" : "[");
        for (int k = 0; k < columns; k++) {
            slip_text_append(text, k > 0 ? ", " : "");
            slip_emit_number(text, area->points[columns * i + k]);
        }
        slip_text_append(text, "]");
    }
    slip_text_append(text, "]");
}

static void write_table(slip_text *text, const slip_patch_options *area)
{
    if (!area->file) {
        write_points(text, area, 3);
        return;
    }
    slip_text_append(text, ", file: ");
    slip_emit_scalar(text, area->file, true);
}

static void write_area(slip_text *text, const slip_patch_options *area)
{
    bool table = strcmp(area->shape, "table") == 0;
    slip_text_printf(text, "    area: {shape: %s", area->shape);
    if (strcmp(area->shape, "disc") == 0)
        number(text, "radius", isnan(area->radius) ? 1 : area->radius);
    if (strcmp(area->shape, "annulus") == 0) {
        number(text, "inner", area->inner);
        number(text, "outer", area->outer);
    }
    if (strcmp(area->shape, "ellipse") == 0)
        pair(text, "semi_axes", area->semi_axes);
    if (strcmp(area->shape, "rectangle") == 0)
        pair(text, "sides", area->sides);
    if (strcmp(area->shape, "polygon") == 0)
        write_points(text, area, 2);
    if (table)
        write_table(text, area);
    if (!isnan(area->size))
        number(text, "size", area->size);
    if (!table)
        write_pressure(text, area);
    slip_text_append(text, "}\n");
}

static void write_surface(slip_text *text, const slip_patch_options *area)
{
    slip_text_printf(text, ", surface: {type: %s", area->surface);
    if (strcmp(area->surface, "pade") == 0)
        slip_text_printf(text, ", order: [%d, %d]", area->order[0], area->order[1]);
    if (area->fit)
        slip_text_append(text, ", fit: true");
    if (!isnan(area->m))
        number(text, "m", area->m);
    if (!isnan(area->b))
        number(text, "b", area->b);
    if (strcmp(area->surface, "integral") == 0 && area->table_tolerance >= 0)
        number(text, "tolerance", area->table_tolerance);
    slip_text_append(text, "}");
}

void slip_patch_write(slip_text *text, const slip_contact *contact, const slip_contact_text *written)
{
    static const char *const parts[3] = {"x", "y", "spin"};
    const slip_patch_options *area = written->area;
    slip_text_append(text, "    kind: patch\n    slip:\n");
    for (int part = 0; part < 3; part++)
        if (written->patch_slip[part]) {
            slip_text_printf(text, "      %s: ", parts[part]);
            slip_emit_scalar(text, written->patch_slip[part], false);
            slip_text_append(text, "\n");
        }
    slip_text_append(text, "    normal_force: ");
    slip_emit_scalar(text, written->normal_force, false);
    slip_text_append(text, "\n");
    write_area(text, area);
    slip_text_printf(text, "    law: {type: %s", contact->patch->epsilon > 0 ? "sqrt" : "coulomb");
    number(text, "mu", contact->patch->mu);
    if (contact->patch->epsilon > 0)
        number(text, "epsilon", area->epsilon);
    if (!isnan(area->eta_prime))
        number(text, "eta_prime", area->eta_prime);
    else if (!isnan(area->static_ratio))
        number(text, "static_ratio", area->static_ratio);
    write_surface(text, area);
    slip_text_append(text, "}\n");
}

void slip_patch_describe_contact(slip_text *text, const slip_contact *contact,
                                 const slip_contact_text *written, const char *indent)
{
    static const char *const parts[3] = {"slip_x", "slip_y", "spin"};
    const slip_patch_options *area = written->area;
    slip_patch_info info = slip_patch_describe(contact->patch->law);
    slip_text_printf(text, "%s: patch", contact->name);
    for (int part = 0; part < 3; part++)
        if (written->patch_slip[part])
            slip_text_printf(text, ", %s %s", parts[part], written->patch_slip[part]);
    slip_text_printf(text, ", normal force %s\n", written->normal_force);
    slip_text_printf(text, "%sarea %s, pressure %s, size %.9g, area %.9g\n", indent, area->shape,
                     strcmp(area->shape, "table") == 0 ? info.treatment : area->pressure, info.size,
                     info.area);
    if (contact->patch->mu == 0) {
        slip_text_printf(text, "%sno friction\n", indent);
        return;
    }
    slip_text_printf(text, "%slaw %s: mu = %.9g", indent, contact->patch->epsilon > 0 ? "sqrt" : "coulomb",
                     contact->patch->mu);
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
