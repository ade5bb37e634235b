/* What was understood of gears. */
#include "model/model.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

int slip_model_gear_count(const slip_model *model)
{
    return model->gear_count;
}

const struct slip_gear_options *slip_model_gear(const slip_model *model, int index)
{
    return index >= 0 && index < model->gear_count ? &model->gears[index] : NULL;
}

static void line(slip_text *text, const char *name)
{
    slip_text_printf(text, "%-13s ", name);
}

static void describe_outline(slip_text *text, slip_context *ctx, const slip_gear_options *g)
{
    slip_gear_geometry radii;
    const slip_gear_mesh_options *m = &g->mesh;
    if (slip_gear_measure(ctx, g, &radii) < 0)
        return;
    slip_text_printf(text, "%d teeth, module %.9g m, pressure angle %.9g degrees, profile shift %.9g\n",
                     g->teeth, g->module, g->pressure_angle, g->profile_shift);
    line(text, "");
    slip_text_printf(text, "radii in m: root %.6g, base %.6g, form %.6g, pitch %.6g, tip %.6g\n",
                     radii.root_radius, radii.base_radius, radii.form_radius, radii.pitch_radius,
                     radii.tip_radius);
    line(text, "");
    slip_text_printf(text, "width %.9g m, bore %.9g m, backlash %.9g m, chamfer %.9g m\n", g->width, g->bore,
                     g->backlash, g->chamfer);
    line(text, "");
    slip_text_printf(text, "mesh: flank %d, fillet %d, thickness %d, root %d, rim %d, width %d elements\n",
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
    line(text, "");
    slip_text_printf(text, "material: E = %.9g Pa, nu = %.9g, density %.9g kg/m^3\n", g->young, g->poisson,
                     g->density);
    line(text, "");
    slip_text_printf(text, "bricks %s, %d modes\n",
                     g->element[0] == 'f' ? "fully integrated" : "with incompatible modes", g->modes);
}

void slip_gears_describe(slip_text *text, const slip_gear_options *gears, int count)
{
    slip_context *ctx = slip_context_create();
    double distance, angle;
    for (int i = 0; ctx && i < count; i++) {
        line(text, i == 0 ? "gears" : "");
        describe_gear(text, ctx, &gears[i]);
    }
    if (ctx && count == 2 && !gears[0].mesh_file && !gears[1].mesh_file &&
        slip_gear_distance(ctx, &gears[0], &gears[1], &distance, &angle) >= 0) {
        line(text, "pair");
        slip_text_printf(text, "centre distance %.9g m, working pressure angle %.6g degrees\n", distance,
                         angle * 180 / pi);
    }
    if (!ctx)
        text->failed = true;
    slip_context_destroy(ctx);
}
