/* The elliptic law study: m u'' + c u' + k u = P sin(w t) - H(u') with w = 1, P = 4, m = 1, c = 0.1, k = 1,
 * from rest to the steady state, two periods drawn. Its text gives no numbers for comparison. */
#include "published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct elliptic_case {
    const char *name;
    const char *example;
    const char *setting;
    const char *title;
    bool whole; /* all seven panels; otherwise the acceleration against time and velocity */
} elliptic_case;

static const elliptic_case cases[] = {{"D0.8", "elliptic", "D=0.8", "Elliptic law, h = 3.2, D = 0.8", true},
                                      {"D0.4", "elliptic", "D=0.4", "Elliptic law, h = 3.2, D = 0.4", false},
                                      {"D0.2", "elliptic", "D=0.2", "Elliptic law, h = 3.2, D = 0.2", false},
                                      {"static", "elliptic-static", "D1=0.8",
                                       "Elliptic law with static peak, h = 1.6, D = 0.8, D1 = 0.8", true}};
enum { case_count = sizeof cases / sizeof cases[0] };

/* ---- Drawing. */

typedef struct curves {
    int64_t count;
    double *t, *friction; /* time from the beginning of the two periods; H */
    const double *u, *v, *a;
} curves;

static int read_curves(const slip_result *result, curves *c)
{
    const double *t = slip_result_series(result, "t", &c->count);
    const double *force = slip_result_series(result, "H.force", NULL);
    c->u = slip_result_series(result, "u", NULL);
    c->v = slip_result_series(result, "u'", NULL);
    c->a = slip_result_series(result, "u''", NULL);
    c->t = paper_alloc(2 * c->count, sizeof(double));
    if (!c->t)
        return paper_fail_memory();
    c->friction = c->t + c->count;
    for (int64_t i = 0; i < c->count; i++) {
        c->t[i] = t[i] - t[0];
        c->friction[i] = -force[i];
    }
    return SLIP_OK;
}

static int draw(slip_context *ctx, const elliptic_case *which, const slip_result *result, const char *folder,
                const paper_printer *out)
{
    curves c = {0};
    char name[100];
    int status = read_curves(result, &c);
    if (status < 0)
        return status;
    const struct {
        const double *x, *y;
        const char *x_label, *y_label;
    } shown[7] = {{c.t, c.u, "time t", "displacement u"},
                  {c.t, c.v, "time t", "velocity u'"},
                  {c.t, c.a, "time t", "acceleration u''"},
                  {c.t, c.friction, "time t", "friction force H"},
                  {c.v, c.friction, "velocity u'", "friction force H"},
                  {c.u, c.v, "displacement u", "velocity u'"},
                  {c.v, c.a, "velocity u'", "acceleration u''"}};
    slip_curve lines[7];
    slip_panel panels[7];
    for (int k = 0; k < 7; k++) {
        lines[k] = (slip_curve){.x = shown[k].x, .y = shown[k].y, .count = c.count};
        panels[k] = (slip_panel){
            .x_label = shown[k].x_label, .y_label = shown[k].y_label, .curves = &lines[k], .curve_count = 1};
    }
    const slip_panel accelerations[2] = {panels[2], panels[6]};
    slip_figure figure = {.name = name,
                          .title = which->title,
                          .panels = which->whole ? panels : accelerations,
                          .panel_count = which->whole ? 7 : 2,
                          .columns = which->whole ? 4 : 2,
                          .width = which->whole ? 2400 : 0,
                          .height = which->whole ? 1240 : 0};
    snprintf(name, sizeof name, "elliptic-%s", which->name);
    status = paper_draw(ctx, &figure, folder, out);
    free(c.t);
    return status;
}

/* ---- Running. */

static void say_row(const elliptic_case *which, const slip_result *r, const paper_printer *out)
{
    paper_say(out, "  %-8s %13.9f %13.9f %13.9f %7.4f %12.9f %8.0f %8.1f", which->name,
              slip_result_number(r, "steady.max.u"), slip_result_number(r, "steady.max.u'"),
              slip_result_number(r, "steady.max.u''"), slip_result_number(r, "steady.max.force.H"),
              slip_result_number(r, "steady.phase_lag.u"), slip_result_number(r, "steady.periods_run"),
              1e3 * slip_result_number(r, "wall_seconds"));
}

static int run_case(slip_context *ctx, const elliptic_case *which, const char *folder,
                    const paper_printer *out)
{
    char name[100];
    const char *settings[] = {which->setting, PAPER_STEADY_TO_10_DIGITS, NULL};
    paper_case run = {which->example, settings, slip_run_options_default(), name};
    slip_result *result = NULL;
    int status;
    snprintf(name, sizeof name, "elliptic-%s", which->name);
    TRY(paper_case_run(ctx, &run, folder, &result, NULL));
    say_row(which, result, out);
    TRY(draw(ctx, which, result, folder, out));
done:
    slip_result_destroy(result);
    return status;
}

static int run_elliptic(slip_context *ctx, const char *figure, const char *folder, bool full,
                        const paper_printer *out)
{
    (void)full;
    paper_say(out, "Elliptic law study: u'' + 0.1 u' + u = 4 sin t - H(u'), steady state, method event, "
                   "steady to 1e-10");
    paper_say(out, "(the study gives figures but no numbers, so there is no published column)");
    paper_say(out, "%s", "");
    paper_say(out, "  case          max |u|      max |u'|     max |u''|  max |H|  phase lag    periods    "
                   "   ms");
    for (int k = 0; k < case_count; k++) {
        int status =
            figure && strcmp(figure, cases[k].name) != 0 ? SLIP_OK : run_case(ctx, &cases[k], folder, out);
        if (status < 0)
            return status;
    }
    return SLIP_OK;
}

static const paper_figure figure_list[] = {{"D0.8", "width 0.8: all seven panels"},
                                           {"D0.4", "width 0.4: acceleration over time and velocity"},
                                           {"D0.2", "width 0.2: the same"},
                                           {"static", "with a static peak: all seven panels"},
                                           {NULL, NULL}};

const paper paper_elliptic = {
    "elliptic",           "oscillator with the elliptic friction law: four widths, seven panels",
    figure_list,          NULL,
    "elliptic law study", .run = run_elliptic};
