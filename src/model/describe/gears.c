/* The two gears of a model: its system, and what was understood of them. */
#include "gear/gear_motion.h"
#include "model/describe/describe.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

int slip_model_gear_count(const slip_model *model)
{
    return model ? model->gear_count : 0;
}

const struct slip_gear_options *slip_model_gear(const slip_model *model, int index)
{
    return index >= 0 && index < slip_model_gear_count(model) ? &model->gears[index] : NULL;
}

const struct slip_gear_run_options *slip_model_gear_run(const slip_model *model)
{
    return slip_model_gear_count(model) == 2 ? &model->gear_run : NULL;
}

int slip_model_has_gears(const slip_model *model)
{
    return slip_model_gear_run(model) || (model && model->bodies && model->bodies->train);
}

const char *slip_model_gear_method(const slip_model *model)
{
    const slip_gear_method *method = slip_gear_method_find(&model->gear_run);
    return method ? method->name : model->gear_run.method;
}

bool slip_model_has_text(const slip_model *model)
{
    return !slip_model_gear_run(model) || (model->origin ? model->origin : model)->document;
}

int slip_model_take_gears(slip_context *ctx, slip_model *model)
{
    const slip_gear_run_options *o = &model->gear_run;
    slip_run_options *simulate = &model->simulate;
    simulate->method = o->method;
    simulate->start = 0;
    simulate->end = o->time;
    simulate->step = o->step > 0 ? o->step : NAN;
    simulate->tolerance = o->tolerance;
    simulate->record_points = o->samples;
    simulate->record_events = 0; /* samples are at equal distances */
    const int status = slip_model_append_flanks(ctx, model, "flanks");
    return status < 0 ? status : slip_gear_attach(ctx, model->system, model->gears, o);
}

int slip_model_of_gears(slip_context *ctx, const slip_gear_options gears[2],
                        const slip_gear_run_options *options, slip_model **model)
{
    SLIP_PASS(slip_model_allocate(ctx, model));
    SLIP_PASS(slip_model_set_coordinates(ctx, *model, 0, 0, NULL));
    (*model)->gears = slip_arena_array(&(*model)->arena, 2, sizeof *gears);
    SLIP_PASS(slip_allocated(ctx, (*model)->gears));
    memcpy((*model)->gears, gears, 2 * sizeof *gears);
    (*model)->gear_count = 2;
    (*model)->gear_run = *options;
    (*model)->finished = true;
    return slip_model_take_gears(ctx, *model);
}

static void describe_outline(slip_text *text, slip_context *ctx, const slip_gear_options *g)
{
    slip_gear_geometry radii;
    const slip_gear_mesh_options *m = &g->mesh;
    if (slip_gear_measure(ctx, g, &radii) < 0)
        return;
    slip_text_printf(text, "%d teeth, module %.9g m, pressure angle %.9g degrees, profile shift %.9g\n",
                     g->teeth, g->module, g->pressure_angle, g->profile_shift);
    slip_describe_line(text, "", "radii in m: root %.6g, base %.6g, form %.6g, pitch %.6g, tip %.6g\n",
                       radii.root_radius, radii.base_radius, radii.form_radius, radii.pitch_radius,
                       radii.tip_radius);
    slip_describe_line(text, "", "width %.9g m, bore %.9g m, backlash %.9g m, chamfer %.9g m\n", g->width,
                       g->bore, g->backlash, g->chamfer);
    slip_describe_line(text, "",
                       "mesh: flank %d, fillet %d, thickness %d, root %d, rim %d, width %d elements\n",
                       m->flank, m->fillet, m->thickness, m->root, m->rim, m->width);
}

static void describe_gear(slip_text *text, slip_context *ctx, const slip_gear_options *g)
{
    slip_text_printf(text, "%s: ", g->name);
    if (g->mesh_file) {
        slip_text_printf(text, "mesh of %s, held by `%s`; flanks:", g->mesh_file, g->bore_set);
        for (const char *const *name = g->flanks; name && *name; name++)
            slip_text_printf(text, " %s", *name);
        slip_text_append(text, g->flanks ? "\n" : " sets whose names end in _left or _right\n");
    } else {
        describe_outline(text, ctx, g);
    }
    slip_describe_line(text, "", "material: E = %.9g Pa, nu = %.9g, density %.9g kg/m^3\n", g->young,
                       g->poisson, g->density);
    slip_describe_line(text, "", "bricks %s, %d modes\n",
                       g->element[0] == 'f' ? "fully integrated" : "with incompatible modes", g->modes);
}

/* ---- motion ---- */

static void describe_side(slip_text *text, const slip_gear_side *side, const char *method)
{
    slip_describe_label(text, "");
    if (strcmp(method, "explicit") != 0)
        slip_text_printf(text, "static %s, damping %.9g s of modes and %.9g s of static modes; ",
                         side->reduction, side->damping, side->static_damping);
    slip_text_printf(text, "%sspeed %.9g rad/s", side->driven ? "driven, " : "", side->speed);
    if (side->torque != 0)
        slip_text_printf(text, ", torque %.9g N m", side->torque);
    if (side->inertia != 0)
        slip_text_printf(text, ", %.9g kg m^2 at its bore", side->inertia);
    slip_text_append(text, "\n");
}

static void describe_friction(slip_text *text, const slip_law *law)
{
    const slip_law_info *info = law ? &slip_law_find(law->type)->info : NULL;
    if (!law) {
        slip_text_append(text, ", no friction");
        return;
    }
    slip_law copy = *law;
    slip_text_printf(text, ", friction %s", law->type);
    for (int i = 0; i < info->parameter_count; i++) {
        const double value = *slip_law_parameter(&copy, info->parameters[i].name);
        if (!isnan(value))
            slip_text_printf(text, " %s = %.9g", info->parameters[i].name, value);
    }
}

static void describe_flanks(slip_text *text, const slip_gear_run_options *o)
{
    slip_describe_label(text, "flanks");
    if (isinf(o->penalty))
        slip_text_append(text, "rigid");
    else
        slip_text_printf(text, "penalty %.9g N/m", o->penalty);
    slip_text_printf(text, ", two_pass %.9g", o->two_pass);
    describe_friction(text, o->friction);
    if (o->distance > 0)
        slip_text_printf(text, "; axes %.9g m apart", o->distance);
    if (o->phase != 0)
        slip_text_printf(text, ", phase %.9g", o->phase);
    slip_text_append(text, "\n");
}

static void describe_run(slip_text *text, const slip_gear_run_options *o, const char *method)
{
    slip_describe_line(text, "method", "%s%s", method, o->method ? "" : " (default)");
    if (o->step > 0)
        slip_text_printf(text, ", step %.9g s", o->step);
    else if (strcmp(method, "rk4") == 0)
        slip_text_append(text, ", step 1e-08 s (default)");
    else if (strcmp(method, "exponential") == 0)
        slip_text_printf(text, ", tolerance %.9g", o->tolerance);
    else if (o->hourglass > 0)
        slip_text_printf(text, ", one-point bricks with hourglass stiffness %.9g", o->hourglass);
    slip_text_append(text, "\n");
    slip_describe_line(text, "time", "0 to %.9g s, %d samples%s", o->time, o->samples,
                       o->history ? " with participation of static modes" : "");
    if (o->frames > 0)
        slip_text_printf(text, ", %d frames", o->frames);
    slip_text_append(text, "\n");
}

/* ---- all ---- */

static void describe_pair(slip_text *text, slip_context *ctx, const slip_model *model)
{
    const slip_gear_options *gears = model->gears;
    double distance, angle, ratio;
    if (!gears[0].mesh_file && !gears[1].mesh_file &&
        slip_gear_distance(ctx, &gears[0], &gears[1], &distance, &angle) >= 0)
        slip_describe_line(text, "pair", "centre distance %.9g m, working pressure angle %.6g degrees\n",
                           distance, angle * 180 / pi);
    if (!gears[0].mesh_file && !gears[1].mesh_file) {
        slip_describe_label(text, "");
        if (slip_gear_contact_ratio(ctx, &gears[0], &gears[1], model->gear_run.distance, &ratio) >= 0)
            slip_text_printf(text, "contact ratio %.6g\n", ratio);
        else
            slip_text_printf(text, "these gears do not mesh: %s\n", slip_context_message(ctx));
    }
    describe_flanks(text, &model->gear_run);
    describe_run(text, &model->gear_run, slip_model_gear_method(model));
}

void slip_describe_gears(slip_text *text, const slip_model *model)
{
    slip_context *ctx = slip_context_create();
    for (int i = 0; ctx && i < model->gear_count; i++) {
        slip_describe_label(text, i == 0 ? "gears" : "");
        describe_gear(text, ctx, &model->gears[i]);
        if (model->gear_count == 2)
            describe_side(text, &model->gear_run.side[i], slip_model_gear_method(model));
    }
    if (ctx && model->gear_count == 2)
        describe_pair(text, ctx, model);
    if (!ctx)
        text->failed = true;
    slip_context_destroy(ctx);
}
