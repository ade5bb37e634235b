/* The disk on a belt, the smooth law in one dimension: g(v) = v/sqrt(v^2+e^2) + eta' v e^3/(v^2+e^2)^2 for
 * several eta', and eta'(eta) with the published cubic fits beside it. */
#include "disk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the law for several weights ---- */

static const double weights[] = {0, 1, 2, 4, 8};
enum { weight_count = sizeof weights / sizeof weights[0], points = 601 };

typedef struct law_curves {
    double v[points], force[weight_count][points], largest[weight_count];
    char labels[weight_count][20];
} law_curves;

static int sample_law(slip_context *ctx, law_curves *c)
{
    for (int k = 0; k < weight_count; k++) {
        slip_law law = slip_law_default("sqrt");
        law.mu = 1;
        law.epsilon = 1;
        law.eta_prime = weights[k];
        snprintf(c->labels[k], sizeof c->labels[k], "eta' = %g", weights[k]);
        for (int i = 0; i < points; i++) {
            double slope;
            c->v[i] = -6 + 12.0 * i / (points - 1);
            int status = slip_law_evaluate(ctx, &law, c->v[i], &c->force[k][i], &slope);
            if (status < 0)
                return status;
        }
        c->largest[k] = slip_law_static_ratio(weights[k]);
    }
    return SLIP_OK;
}

static int show_law(slip_context *ctx, const char *folder, const paper_printer *out)
{
    law_curves *c = paper_alloc(1, sizeof *c);
    slip_curve curves[weight_count];
    int status;
    if (!c)
        return paper_fail_memory();
    TRY(sample_law(ctx, c));
    paper_say(out, "  Smooth law in one dimension: the static ratio eta that belongs to a weight eta'");
    for (int k = 0; k < weight_count; k++) {
        paper_say(out, "    eta' = %-4g eta = %.9f%s", weights[k], c->largest[k],
                  c->largest[k] > 1 ? "" : " (no hill: the law only tends to 1)");
        curves[k] = (slip_curve){.x = c->v, .y = c->force[k], .count = points, .label = c->labels[k]};
    }
    const slip_panel panel = {.x_label = "slip velocity over epsilon",
                              .y_label = "friction force over mu N",
                              .curves = curves,
                              .curve_count = weight_count};
    const slip_figure figure = {.name = "disk-on-belt-law",
                                .title = "Smooth friction law with a static peak",
                                .panels = &panel,
                                .panel_count = 1,
                                .height = 1000};
    TRY(paper_draw(ctx, &figure, folder, out));
done:
    free(c);
    return status;
}

/* ---- eta'(eta) and the published fits ---- */

typedef struct cubic {
    double from, to, c[4];
} cubic;

static const cubic published[] = {{1, 1.3, {-13.607, 30.893, -22.01, 5.878}},
                                  {1.3, 2.7, {-2.41, 3.985, -0.3581, 0.0493}}};
enum { fit_count = sizeof published / sizeof published[0] };

static double fit_value(const cubic *fit, double eta)
{
    return fit->c[0] + eta * (fit->c[1] + eta * (fit->c[2] + eta * fit->c[3]));
}

typedef struct fit_curves {
    double eta[fit_count][points], exact[fit_count][points], fit[fit_count][points], error[fit_count][points];
    double all[points], all_exact[points];
} fit_curves;

/* As eta falls to 1, eta' falls to 1.1499...; 1 itself is defined as no peak, eta' = 0. */
static double exact_weight(double eta)
{
    return slip_law_eta_prime(fmax(eta, 1 + 1e-12));
}

static void sample_fits(fit_curves *c, const paper_printer *out)
{
    paper_say(out, "%s", "");
    paper_say(out, "  Published cubic fits of eta'(eta)      largest error in eta', in eta");
    for (int k = 0; k < fit_count; k++) {
        double in_weight = 0, in_ratio = 0;
        for (int i = 0; i < points; i++) {
            double eta = published[k].from + (published[k].to - published[k].from) * i / (points - 1);
            c->eta[k][i] = eta;
            c->exact[k][i] = exact_weight(eta);
            c->fit[k][i] = fit_value(&published[k], eta);
            c->error[k][i] = slip_law_static_ratio(c->fit[k][i]) - eta;
            in_weight = fmax(in_weight, fabs(c->fit[k][i] - c->exact[k][i]));
            in_ratio = fmax(in_ratio, fabs(c->error[k][i]));
        }
        paper_say(out, "    on %.1f <= eta <= %.1f                      %.6f, %.6f", published[k].from,
                  published[k].to, in_weight, in_ratio);
    }
    for (int i = 0; i < points; i++) {
        c->all[i] = 1 + 4.0 * i / (points - 1);
        c->all_exact[i] = exact_weight(c->all[i]);
    }
}

static int draw_fits(slip_context *ctx, const fit_curves *c, const char *folder, const paper_printer *out)
{
    static const char *const names[fit_count] = {"fit on 1 to 1.3", "fit on 1.3 to 2.7"};
    slip_curve above[fit_count + 1], below[fit_count];
    above[0] = (slip_curve){.x = c->all, .y = c->all_exact, .count = points, .label = "exact", .color = 7};
    for (int k = 0; k < fit_count; k++) {
        above[k + 1] = (slip_curve){.x = c->eta[k],
                                    .y = c->fit[k],
                                    .count = points,
                                    .label = names[k],
                                    .color = k + 1,
                                    .style = SLIP_CURVE_DASHED};
        below[k] = (slip_curve){.x = c->eta[k], .y = c->error[k], .count = points, .color = k + 1};
    }
    const slip_panel panels[] = {{.x_label = "static ratio eta",
                                  .y_label = "weight eta'",
                                  .curves = above,
                                  .curve_count = fit_count + 1},
                                 {.x_label = "static ratio eta",
                                  .y_label = "error of the fits in eta",
                                  .curves = below,
                                  .curve_count = fit_count}};
    const slip_figure figure = {.name = "disk-on-belt-fits",
                                .title = "Weight of the static peak: exact, and the published cubic fits",
                                .panels = panels,
                                .panel_count = 2,
                                .columns = 2};
    return paper_draw(ctx, &figure, folder, out);
}

int disk_law(slip_context *ctx, const char *folder, const paper_printer *out)
{
    fit_curves *c = NULL;
    int status;
    TRY(show_law(ctx, folder, out));
    c = paper_alloc(1, sizeof *c);
    if (!c)
        return paper_fail_memory();
    sample_fits(c, out);
    TRY(draw_fits(ctx, c, folder, out));
done:
    free(c);
    return status;
}
