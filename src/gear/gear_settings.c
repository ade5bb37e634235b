/* Settings of a run of two gears, line by line. */
#include "gear/gear_settings.h"

#include "gear/gear_motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct setting {
    const char *name;
    double value;
} setting;

/* What is NAN was not given. */
static void write_numbers(slip_text *text, const char *prefix, const setting *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isnan(list[i].value))
            slip_text_printf(text, "%s.%s: %.17g\n", prefix, list[i].name, list[i].value);
}

static void write_gear(slip_text *text, const slip_gear_options *g, const slip_gear_side *s, bool reduced)
{
    const setting list[] = {{"teeth", g->teeth},
                            {"module", g->module},
                            {"pressure_angle", g->pressure_angle},
                            {"profile_shift", g->profile_shift},
                            {"addendum", g->addendum},
                            {"dedendum", g->dedendum},
                            {"fillet_radius", g->fillet_radius},
                            {"width", g->width},
                            {"bore", g->bore},
                            {"chamfer", g->chamfer},
                            {"backlash", g->backlash},
                            {"mesh.flank", g->mesh.flank},
                            {"mesh.fillet", g->mesh.fillet},
                            {"mesh.thickness", g->mesh.thickness},
                            {"mesh.root", g->mesh.root},
                            {"mesh.rim", g->mesh.rim},
                            {"mesh.width", g->mesh.width},
                            {"material.young", g->young},
                            {"material.poisson", g->poisson},
                            {"material.density", g->density},
                            {"speed", s->speed},
                            {"drive", s->driven != 0},
                            {"torque", s->torque},
                            {"inertia", s->inertia}};
    const setting more[] = {{"modes", s->modes},
                            {"body.modes", g->modes},
                            {"damping.modes", s->damping},
                            {"damping.static", s->static_damping}};
    char prefix[120];
    snprintf(prefix, sizeof prefix, "gears.%.100s", g->name);
    write_numbers(text, prefix, list, sizeof list / sizeof *list);
    if (reduced) {
        write_numbers(text, prefix, more, sizeof more / sizeof *more);
        slip_text_printf(text, "%s.static: %s\n", prefix, s->reduction);
    }
    if (g->mesh_file)
        slip_text_printf(text, "%s.mesh.file: %s\n", prefix, g->mesh_file);
}

static void write_friction(slip_text *text, const slip_law *law)
{
    const setting list[] = {{"mu", law->mu},
                            {"static_ratio", law->static_ratio},
                            {"velocity", law->velocity},
                            {"exponent", law->exponent},
                            {"epsilon", law->epsilon},
                            {"eta_prime", law->eta_prime},
                            {"width", law->width},
                            {"static_width", law->static_width},
                            {"viscous", law->viscous}};
    slip_text_printf(text, "flanks.friction.type: %s\n", law->type);
    write_numbers(text, "flanks.friction", list, sizeof list / sizeof *list);
}

void slip_gear_settings_write(const slip_gear_options gears[2], const slip_gear_run_options *o,
                              slip_text *text)
{
    const slip_gear_method *method = slip_gear_method_find(o);
    const bool reduced = method->reduced;
    const setting flanks[] = {
        {"penalty", o->penalty}, {"two_pass", o->two_pass}, {"distance", o->distance}, {"phase", o->phase}};
    const setting simulate[] = {{"time", o->time},
                                {"step", o->step},
                                {"samples", o->samples},
                                {"history", o->history != 0},
                                {"frames", o->frames},
                                {"hourglass", o->hourglass},
                                {"tolerance", reduced ? o->tolerance : NAN}};
    slip_text_printf(text, "simulate.method: %s\n", method->name);
    for (int k = 0; k < 2; k++)
        write_gear(text, &gears[k], &o->side[k], reduced);
    write_numbers(text, "flanks", flanks, sizeof flanks / sizeof *flanks);
    if (o->friction)
        write_friction(text, o->friction);
    else
        slip_text_append(text, "flanks.friction: none\n");
    write_numbers(text, "simulate", simulate, sizeof simulate / sizeof *simulate);
}

static void copy_line(char to[120], const char *from)
{
    const size_t length = strcspn(from, "\n");
    if (length == 0)
        snprintf(to, 120, "nothing");
    else
        snprintf(to, 120, "%.*s", length < 119 ? (int)length : 119, from);
}

bool slip_gear_settings_differ(const char *found, const char *expected, slip_gear_setting_pair *pair)
{
    const char *a = found, *b = expected;
    if (strcmp(a, b) == 0)
        return false;
    for (size_t length = strcspn(a, "\n"); a[length] && strncmp(a, b, length + 1) == 0;
         length = strcspn(a, "\n")) {
        a += length + 1;
        b += length + 1;
    }
    copy_line(pair->found, a);
    copy_line(pair->expected, b);
    return true;
}
