/* The impact of two elastic gears of the static modes switching study: models by eigenmodes, with residual
 * attachment modes, with switching, and the nonlinear finite element model beside them. */
#include "study/gear_study.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    slip_gear_study_figure draw;
} figures[] = {{"modal", slip_gear_study_draw_modal},
               {"static", slip_gear_study_draw_static},
               {"eigenmodes", slip_gear_study_draw_eigenmodes},
               {"penalty", slip_gear_study_draw_penalty},
               {"switching", slip_gear_study_draw_switching},
               {"participation", slip_gear_study_draw_participation},
               {"discontinuity", slip_gear_study_draw_discontinuity},
               {"excited", slip_gear_study_draw_excited},
               {"final", slip_gear_study_draw_final},
               {"animation", slip_gear_study_draw_animation}};
enum { figure_count = sizeof figures / sizeof *figures };

/* The models of the study's second table, and the condensed ones. */
static const slip_gear_study_case models[] = {
    {"20-20 eigenmodes", {20, 20}, "none", 1e10, 0.5},
    {"100-100 eigenmodes", {100, 100}, "none", 1e10, 0.5},
    {"2000-400 eigenmodes", {2000, 400}, "none", 1e10, 0.5},
    {"50-50 all", {50, 50}, "all", 1e10, 0.5},
    {"50-100 all", {50, 100}, "all", 1e10, 0.5},
    {"50-200 all", {50, 200}, "all", 1e10, 0.5},
    {"50-200 switch", {50, 200}, "switch", 1e10, 0.5},
    {"50-200 switch_teeth", {50, 200}, "switch_teeth", 1e10, 0.5},
    {"100-200 switch", {100, 200}, "switch", 1e10, 0.5},
    {"50-200 condensed", {50, 200}, "condensed", 1e10, 0.5},
    {"100-200 condensed", {100, 200}, "condensed", 1e10, 0.5},
    {"50-200 condensed, rigid", {50, 200}, "condensed", INFINITY, 0.5}};
enum { model_count = sizeof models / sizeof *models };

static int say_table(slip_context *ctx, slip_gear_study *m)
{
    const slip_gear_study_case nonlinear = {"nonlinear FE", {0}, "explicit", 1e10, 0.5};
    const slip_result *reference, *r;
    int status;
    SLIP_TRY(slip_gear_study_get(ctx, m, &nonlinear, &reference));
    double own = slip_result_number(reference, "wall_seconds");
    slip_gear_study_error errors[model_count];
    double seconds[model_count];
    for (int i = 0; i < model_count; i++) {
        SLIP_TRY(slip_gear_study_get(ctx, m, &models[i], &r));
        SLIP_TRY(slip_gear_study_compare(ctx, m, r, reference, &errors[i]));
        seconds[i] = slip_result_number(r, "wall_seconds");
    }
    slip_printer_say(m->out, "%s", "");
    slip_printer_say(
        m->out,
        "Against the nonlinear finite element model (peak %.1f N, contact %.2f us, wheel %.4f rad/s):",
        slip_result_number(reference, "peak_force"), 1e6 * slip_result_number(reference, "contact_time"),
        slip_gear_study_speed(reference));
    slip_printer_say(m->out,
                     "  model                      peak/%%  force/%%   time/%%  speed/%%   times faster");
    for (int i = 0; i < model_count; i++)
        slip_printer_say(m->out, "  %-25s %7.2f  %7.2f  %7.2f  %7.2f   %12.1f", models[i].label,
                         100 * errors[i].peak, 100 * errors[i].mean, 100 * errors[i].time,
                         100 * errors[i].speed, own / seconds[i]);
    slip_printer_say(
        m->out, "  (peak and mean square of the force, which is averaged over 2 us; contact time; mean speed "
                "of the wheel after it)");
done:
    return status;
}

static int run_impact(slip_context *ctx, const char *figure, const char *folder, bool full,
                      slip_line_function line, void *user)
{
    const slip_printer out = {.line = line, .user = user};
    slip_gear_study study;
    slip_printer_say(&out, "Impact of two elastic gears: pinion 5 rad/s, wheel at rest, %s mesh",
                     full ? "the published" : "a coarser");
    slip_printer_say(
        &out, "(the geometry is not published: it was inferred from the natural frequencies, so forces "
              "cannot be compared;");
    slip_printer_say(&out, " published: contact of about 120 us)");
    int status = slip_gear_study_create(ctx, full, &out, &study);
    if (status < 0)
        return status;
    slip_printer_say(&out, "%s", "");
    slip_printer_say(&out, "  model                   penalty     w     peak/N   time/us     pinion     "
                           "wheel     drift  seconds");
    for (int i = 0; i < figure_count; i++)
        if (!figure || strcmp(figure, figures[i].name) == 0)
            SLIP_TRY(figures[i].draw(ctx, &study, folder));
    if (!figure || strcmp(figure, "table") == 0)
        SLIP_TRY(say_table(ctx, &study));
done:
    slip_gear_study_free(&study);
    return status;
}

static const slip_reproduce_figure figure_list[] = {
    {"modal", "contact force of eigenmodes alone, two penalties"},
    {"static", "contact force with residual modes"},
    {"eigenmodes", "force and speed of the wheel for numbers of eigenmodes"},
    {"penalty", "influence of the penalty, few and enough eigenmodes"},
    {"switching", "speed of the wheel by switching"},
    {"participation", "participation of residual modes in and outside the patch"},
    {"discontinuity", "discontinuities of switching, one pass and two"},
    {"excited", "participation of excited and unexcited modes"},
    {"final", "the three approaches beside the nonlinear model"},
    {"animation", "frames of the tooth contact with stress"},
    {"table", "how far each model is from the nonlinear one"},
    {NULL, NULL}};

const slip_paper slip_paper_impact = {
    .info = {"gear-impact", "two elastic gears hit each other: models by modes, switching, nonlinear FE",
             figure_list, "the published meshes, seven times as many elements; about 20 minutes",
             "T. Tamarozzi, P. Ziegler, P. Eberhard, W. Desmet: Static modes switching in gear contact "
             "simulation, 2013"},
    .run = run_impact};
