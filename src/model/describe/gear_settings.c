/* The settings of a run with gears as text, by the tables of fields that read them. */
#include "gear/gear_motion.h"
#include "gear/train/train.h"
#include "model/fields.h"

#include <math.h>
#include <stdio.h>

/* Outline, mesh and material. */
static void write_outline(slip_text *text, const char *whose, const slip_gear_options *gear)
{
    char prefix[160];
    slip_fields_list(text, whose, &slip_fields_gear, gear);
    snprintf(prefix, sizeof prefix, "%smesh.", whose);
    slip_fields_list(text, prefix, &slip_fields_gear_mesh, &gear->mesh);
    if (gear->mesh_file)
        slip_text_printf(text, "%sfile: %s\n", prefix, gear->mesh_file);
    snprintf(prefix, sizeof prefix, "%smaterial.", whose);
    slip_fields_list(text, prefix, &slip_fields_gear_material, gear);
}

static void write_damping(slip_text *text, const char *whose, const slip_gear_side *side)
{
    char prefix[160];
    snprintf(prefix, sizeof prefix, "%sdamping.", whose);
    slip_fields_list(text, prefix, &slip_fields_gear_damping, side);
}

static void write_friction(slip_text *text, const char *whose, slip_law law)
{
    const slip_law_type *type = slip_law_find(law.type);
    slip_text_printf(text, "%sfriction.type: %s\n", whose, law.type);
    for (int i = 0; type && i < type->info.parameter_count; i++) {
        const char *name = type->info.parameters[i].name;
        const double *value = slip_law_parameter(&law, name);
        if (value && !isnan(*value))
            slip_text_printf(text, "%sfriction.%s: %.17g\n", whose, name, *value);
    }
}

static void write_flanks(slip_text *text, const char *whose, const slip_gear_run_options *how)
{
    slip_text_printf(text, "%spenalty: %.17g\n", whose, how->penalty);
    slip_fields_list(text, whose, &slip_fields_flanks, how);
    if (how->friction)
        write_friction(text, whose, *how->friction);
}

/* ---- Two gears. */

static void write_gear(slip_text *text, const slip_gear_options *gear, slip_gear_side side, bool reduced)
{
    char prefix[150];
    snprintf(prefix, sizeof prefix, "gears.%.100s.", gear->name);
    side.reduction = reduced ? side.reduction : "none";
    write_outline(text, prefix, gear);
    slip_fields_list(text, prefix, &slip_fields_gear_side, &side);
    slip_text_printf(text, "%smodes.used: %d\n", prefix, reduced ? side.modes : 0);
    if (reduced)
        write_damping(text, prefix, &side);
}

static void write_pair(const slip_model *model, const slip_gear_run_options *how, bool reduced, bool loads,
                       slip_text *text)
{
    slip_fields_list(text, "simulate.", &slip_fields_gear_simulate, how);
    for (int k = 0; k < model->gear_count; k++) {
        slip_gear_side side = how->side[k];
        side.torque = loads ? side.torque : 0;
        write_gear(text, &model->gears[k], side, reduced);
    }
    write_flanks(text, "flanks.", how);
}

/* ---- Trains. */

static void write_body(slip_text *text, const slip_train_body *body)
{
    const slip_gear_side side = {.damping = body->damping[0], .static_damping = body->damping[1]};
    char prefix[150];
    snprintf(prefix, sizeof prefix, "bodies.%.100s.", body->name);
    write_outline(text, prefix, &body->gear);
    slip_text_printf(text, "%sturn: %s\n%sreduce: %s\n", prefix, body->turns, prefix,
                     !body->reduced     ? "none"
                     : body->condensed  ? "{contact: condensed}"
                     : body->attachment ? "{contact: attachment}"
                                        : "{contact: none}");
    if (body->reduced)
        write_damping(text, prefix, &side);
}

/* Masses of the coordinates; where loads count, these and the start. */
static void write_coordinates(slip_text *text, const slip_model *model, int count, bool loads)
{
    const slip_system *system = model->system;
    for (int i = 0; i < count; i++) {
        const char *name = system->names[i];
        slip_text_printf(text, "mass.%s: %.17g\n", name, system->mass[(int64_t)i * (system->n + 1)]);
        if (loads)
            slip_text_printf(text, "initial.%s: %.17g, %.17g\n", name, model->initial_q[i],
                             model->initial_v[i]);
    }
    for (int64_t k = 0; loads && k < system->force_count; k++) {
        const slip_force_term *force = &system->forces[k];
        double value = force->amplitude;
        slip_expression_is_constant(force->expression, &value);
        slip_text_printf(text, "forces.%s: %.17g\n", system->names[force->coordinate], value);
    }
}

static void write_train(const slip_model *model, const slip_gear_run_options *how, bool loads,
                        slip_text *text)
{
    const slip_train *train = model->bodies->train;
    char prefix[150];
    slip_text_printf(text, "simulate.method: %s\nsimulate.step: %.17g\nsimulate.tolerance: %.17g\n",
                     how->method, how->step, how->tolerance);
    for (int b = 0; b < train->body_count; b++)
        write_body(text, &train->bodies[b]);
    for (int i = 0; i < train->mesh_count; i++) {
        const slip_train_mesh *mesh = &train->meshes[i];
        snprintf(prefix, sizeof prefix, "contacts.%.100s.", mesh->name);
        write_flanks(text, prefix, &mesh->options);
        slip_text_printf(text, "%sdirection: %.17g\n%ssense: %g\n", prefix, mesh->direction, prefix,
                         mesh->sense);
    }
    write_coordinates(text, model, train->lumped, loads);
    if (loads)
        slip_fields_list(text, "simulate.record.", &slip_fields_record, &model->simulate);
}

/* ---- Both. */

void slip_model_gear_settings(const slip_model *model, slip_gear_run_options how, bool loads, slip_text *text)
{
    const bool reduced = slip_gear_method_find(&how)->reduced;
    how.tolerance = reduced ? how.tolerance : NAN;
    slip_text_printf(text, "simulate.time: %.17g\n", how.time);
    slip_fields_list(text, "simulate.", &slip_fields_gear_record, &how);
    if (slip_model_gear_run(model))
        write_pair(model, &how, reduced, loads, text);
    else
        write_train(model, &how, loads, text);
}
