/* The settings of a run of two gears as text, by the tables of fields that read them. */
#include "gear/gear_motion.h"
#include "model/fields.h"

#include <math.h>
#include <stdio.h>

static void write_gear(slip_text *text, const slip_gear_options *gear, slip_gear_side side, bool reduced)
{
    char prefix[150];
    const int length = snprintf(prefix, sizeof prefix, "gears.%.100s.", gear->name);
    slip_fields_list(text, prefix, &slip_fields_gear, gear);
    side.reduction = reduced ? side.reduction : "none";
    slip_fields_list(text, prefix, &slip_fields_gear_side, &side);
    slip_text_printf(text, "%smodes.used: %d\n", prefix, reduced ? side.modes : 0);
    snprintf(prefix + length, sizeof prefix - (size_t)length, "mesh.");
    slip_fields_list(text, prefix, &slip_fields_gear_mesh, &gear->mesh);
    if (gear->mesh_file)
        slip_text_printf(text, "%sfile: %s\n", prefix, gear->mesh_file);
    snprintf(prefix + length, sizeof prefix - (size_t)length, "material.");
    slip_fields_list(text, prefix, &slip_fields_gear_material, gear);
    snprintf(prefix + length, sizeof prefix - (size_t)length, "damping.");
    if (reduced)
        slip_fields_list(text, prefix, &slip_fields_gear_damping, &side);
}

static void write_friction(slip_text *text, slip_law law)
{
    const slip_law_type *type = slip_law_find(law.type);
    slip_text_printf(text, "flanks.friction.type: %s\n", law.type);
    for (int i = 0; type && i < type->info.parameter_count; i++) {
        const char *name = type->info.parameters[i].name;
        const double *value = slip_law_parameter(&law, name);
        if (value && !isnan(*value))
            slip_text_printf(text, "flanks.friction.%s: %.17g\n", name, *value);
    }
}

void slip_model_gear_settings(const slip_model *model, slip_gear_run_options how, bool loads, slip_text *text)
{
    const bool reduced = slip_gear_method_find(&how)->reduced;
    how.tolerance = reduced ? how.tolerance : NAN;
    slip_text_printf(text, "simulate.time: %.17g\n", how.time);
    slip_fields_list(text, "simulate.", &slip_fields_gear_simulate, &how);
    for (int k = 0; k < model->gear_count; k++) {
        slip_gear_side side = how.side[k];
        side.torque = loads ? side.torque : 0;
        write_gear(text, &model->gears[k], side, reduced);
    }
    slip_text_printf(text, "flanks.penalty: %.17g\n", how.penalty);
    slip_fields_list(text, "flanks.", &slip_fields_flanks, &how);
    if (how.friction)
        write_friction(text, *how.friction);
}
