/* The impact of two elastic gears of the static modes switching study: models by eigenmodes, with residual
 * attachment modes, with switching, and the nonlinear finite element model beside them. */
#include "impact.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    impact_figure draw;
} figures[] = {{"modal", impact_draw_modal},
               {"static", impact_draw_static},
               {"eigenmodes", impact_draw_eigenmodes},
               {"penalty", impact_draw_penalty},
               {"switching", impact_draw_switching},
               {"participation", impact_draw_participation},
               {"discontinuity", impact_draw_discontinuity},
               {"excited", impact_draw_excited},
               {"final", impact_draw_final},
               {"animation", impact_draw_animation}};
enum { figure_count = sizeof figures / sizeof *figures };

/* The models of the study's second table, and the condensed ones. */
static const impact_case models[] = {{"20-20 eigenmodes", {20, 20}, "none", 1e10, 0.5},
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

static int say_table(slip_context *ctx, impact_study *m)
{
    const impact_case nonlinear = {"nonlinear FE", {0}, "explicit", 1e10, 0.5};
    const slip_result *reference, *r;
    int status;
    TRY(impact_get(ctx, m, &nonlinear, &reference));
    double own = slip_result_number(reference, "wall_seconds");
    impact_error errors[model_count];
    double seconds[model_count];
    for (int i = 0; i < model_count; i++) {
        TRY(impact_get(ctx, m, &models[i], &r));
        TRY(impact_compare(m, r, reference, &errors[i]));
        seconds[i] = slip_result_number(r, "wall_seconds");
    }
    paper_say(m->out, "%s", "");
    paper_say(m->out,
              "Against the nonlinear finite element model (peak %.1f N, contact %.2f us, wheel %.4f rad/s):",
              slip_result_number(reference, "peak_force"),
              1e6 * slip_result_number(reference, "contact_time"), impact_speed(reference));
    paper_say(m->out, "  model                      peak/%%  force/%%   time/%%  speed/%%   times faster");
    for (int i = 0; i < model_count; i++)
        paper_say(m->out, "  %-25s %7.2f  %7.2f  %7.2f  %7.2f   %12.1f", models[i].label,
                  100 * errors[i].peak, 100 * errors[i].mean, 100 * errors[i].time, 100 * errors[i].speed,
                  own / seconds[i]);
    paper_say(m->out,
              "  (peak and mean square of the force, which is averaged over 2 us; contact time; mean speed "
              "of the wheel after it)");
done:
    return status;
}

static int run_impact(slip_context *ctx, const char *figure, const char *folder, bool full,
                      const paper_printer *out)
{
    impact_study study;
    paper_say(out, "Impact of two elastic gears: pinion 5 rad/s, wheel at rest, %s mesh",
              full ? "the published" : "a coarser");
    paper_say(out, "(the geometry is not published: it was inferred from the natural frequencies, so forces "
                   "cannot be compared;");
    paper_say(out, " published: contact of about 120 us)");
    int status = impact_create(ctx, full, out, &study);
    if (status < 0)
        return status;
    paper_say(out, "%s", "");
    paper_say(out, "  model                   penalty     w     peak/N   time/us     pinion     "
                   "wheel     drift  seconds");
    for (int i = 0; i < figure_count; i++)
        if (!figure || strcmp(figure, figures[i].name) == 0)
            TRY(figures[i].draw(ctx, &study, folder));
    if (!figure || strcmp(figure, "table") == 0)
        TRY(say_table(ctx, &study));
done:
    impact_free(&study);
    return status;
}

static const paper_figure figure_list[] = {
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

const paper paper_impact = {
    "gear-impact",
    "two elastic gears hit each other: models by modes, switching, nonlinear FE",
    figure_list,
    "the published meshes, seven times as many elements; about 20 minutes",
    "T. Tamarozzi, P. Ziegler, P. Eberhard, W. Desmet: Static modes switching in gear contact "
    "simulation, 2013",
    .run = run_impact};
