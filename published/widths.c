/* The oscillator of the elliptic law study in the limit of zero width: narrower and narrower elliptic laws
 * beside Coulomb's, whose steady amplitude is known in closed form. */
#include "published.h"

#include <math.h>
#include <stdlib.h>

static const double exact_amplitude = 0.774878712706875795;

static const struct {
    const char *label, *example, *setting;
    bool limit;
} laws[] = {{"D = 0.8", "elliptic", "D=0.8", false},
            {"D = 0.4", "elliptic", "D=0.4", false},
            {"D = 0.2", "elliptic", "D=0.2", false},
            {"Coulomb", "coulomb-oscillator", "h=3.2", true}};
enum { law_count = sizeof laws / sizeof laws[0], panel_count = 4, black = 7 };

/* Two periods of the steady motion, time from their beginning. */
typedef struct motion {
    slip_result *result;
    int64_t count;
    double *t, *friction;
    const double *u, *v, *a;
} motion;

static int run_motion(slip_context *ctx, int which, const char *folder, motion *m)
{
    const char *settings[] = {laws[which].setting, PAPER_STEADY_TO_10_DIGITS, NULL};
    paper_case run = {laws[which].example, settings, slip_run_options_default(), NULL};
    run.options.record_events = 0; /* motions are compared record by record */
    const double *t, *force;
    int status = paper_case_run(ctx, &run, folder, &m->result, NULL);
    if (status < 0)
        return status;
    t = slip_result_series(m->result, "t", &m->count);
    force = slip_result_series(m->result, "H.force", NULL);
    m->u = slip_result_series(m->result, "u", NULL);
    m->v = slip_result_series(m->result, "u'", NULL);
    m->a = slip_result_series(m->result, "u''", NULL);
    m->t = paper_alloc(2 * m->count, sizeof(double));
    if (!m->t)
        return paper_fail_memory();
    m->friction = m->t + m->count;
    for (int64_t i = 0; i < m->count; i++) {
        m->t[i] = t[i] - t[0];
        m->friction[i] = -force[i];
    }
    return SLIP_OK;
}

static double difference(const motion *m, const motion *limit)
{
    double largest = 0;
    for (int64_t i = 0; i < m->count && i < limit->count; i++)
        largest = fmax(largest, fabs(m->u[i] - limit->u[i]));
    return largest;
}

static void say_rows(const motion *motions, const paper_printer *out)
{
    paper_say(out, "%s", "");
    paper_say(out,
              "  Elliptic law of width D, h = 3.2, and its limit; the exact amplitude of the limit is "
              "%.15f",
              exact_amplitude);
    paper_say(out, "  law               max |u|       max |u'|      max |u''|   |u - limit|");
    for (int k = 0; k < law_count; k++)
        paper_say(out, "  %-10s %14.10f %14.10f %14.10f  %12.3e", laws[k].label,
                  slip_result_number(motions[k].result, "steady.max.u"),
                  slip_result_number(motions[k].result, "steady.max.u'"),
                  slip_result_number(motions[k].result, "steady.max.u''"),
                  difference(&motions[k], &motions[law_count - 1]));
}

static int draw(slip_context *ctx, const motion *motions, const char *folder, const paper_printer *out)
{
    static const char *const x_labels[panel_count] = {"time t", "time t", "velocity u'", "velocity u'"};
    static const char *const y_labels[panel_count] = {"displacement u", "acceleration u''",
                                                      "acceleration u''", "friction force H"};
    slip_curve curves[panel_count][law_count];
    slip_panel panels[panel_count];
    for (int k = 0; k < law_count; k++) {
        const motion *m = &motions[k];
        const double *x[panel_count] = {m->t, m->t, m->v, m->v},
                     *y[panel_count] = {m->u, m->a, m->a, m->friction};
        for (int p = 0; p < panel_count; p++)
            curves[p][k] = (slip_curve){.x = x[p],
                                        .y = y[p],
                                        .count = m->count,
                                        .label = laws[k].label,
                                        .color = laws[k].limit ? black : 0,
                                        .style = laws[k].limit ? SLIP_CURVE_DASHED : SLIP_CURVE_LINE};
    }
    for (int p = 0; p < panel_count; p++)
        panels[p] = (slip_panel){
            .x_label = x_labels[p], .y_label = y_labels[p], .curves = curves[p], .curve_count = law_count};
    slip_figure figure = {.name = "jack-plane-widths",
                          .title = "Elliptic law of width D and its limit, Coulomb's law",
                          .panels = panels,
                          .panel_count = panel_count,
                          .columns = 2};
    return paper_draw(ctx, &figure, folder, out);
}

int paper_draw_widths(slip_context *ctx, const char *folder, const paper_printer *out)
{
    motion motions[law_count] = {0};
    int status = SLIP_OK;
    for (int k = 0; k < law_count; k++)
        TRY(run_motion(ctx, k, folder, &motions[k]));
    say_rows(motions, out);
    TRY(draw(ctx, motions, folder, out));
done:
    for (int k = 0; k < law_count; k++) {
        slip_result_destroy(motions[k].result);
        free(motions[k].t);
    }
    return status;
}
