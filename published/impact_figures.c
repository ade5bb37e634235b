/* The figures of the gear impact study. */
#include "impact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { curves_max = 12, panels_max = 4, black = 7 };

/* Penalties of the study: the low one at which a few modes suffice, and one that is stiff enough. */
static const double low_penalty = 2.2e8, high_penalty = 1e10;

#define NONLINEAR(penalty_value)                                                                             \
    {                                                                                                        \
        .label = "nonlinear FE", .reduction = "explicit", .penalty = (penalty_value), .two_pass = 0.5        \
    }

/* A figure of several panels; each curve is scaled into memory of the figure. */
typedef struct sheet {
    void *memory[2 * panels_max * curves_max]; /* numbers and names, to be freed */
    int memory_count;
    slip_panel panels[panels_max];
    slip_curve curves[panels_max][curves_max];
    int panel_count, columns;
} sheet;

static void free_sheet(sheet *s)
{
    for (int k = 0; k < s->memory_count; k++)
        free(s->memory[k]);
}

/* Memory of the sheet; NULL when there is none. */
static void *reserve(sheet *s, int64_t count, size_t size)
{
    const bool full = s->memory_count == (int)(sizeof s->memory / sizeof *s->memory);
    void *memory = full ? NULL : paper_alloc(count, size);
    if (memory)
        s->memory[s->memory_count++] = memory;
    return memory;
}

static int add_panel(sheet *s, const char *title, const char *x_label, const char *y_label)
{
    s->panels[s->panel_count] = (slip_panel){
        .title = title, .x_label = x_label, .y_label = y_label, .curves = s->curves[s->panel_count]};
    return s->panel_count++;
}

/* Adds a curve of numbers times a factor over the time in microseconds. */
static int add_numbers(sheet *s, int panel, const char *label, const double *t, const double *value,
                       int64_t count, int64_t stride, double factor, bool reference)
{
    slip_panel *p = &s->panels[panel];
    double *numbers = reserve(s, 2 * count, sizeof *numbers);
    char *name = reserve(s, label ? (int64_t)strlen(label) + 1 : 1, 1);
    if (!numbers || !name || p->curve_count == curves_max)
        return paper_fail_memory();
    strcpy(name, label ? label : "");
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = 1e6 * t[i];
        numbers[count + i] = factor * value[i * stride];
    }
    s->curves[panel][p->curve_count++] =
        (slip_curve){.x = numbers,
                     .y = numbers + count,
                     .count = count,
                     .label = label ? name : NULL,
                     .color = reference ? black : 0,
                     .style = reference ? SLIP_CURVE_DASHED : SLIP_CURVE_LINE};
    return SLIP_OK;
}

static int add_series(sheet *s, int panel, const char *label, const slip_result *r, const char *series,
                      double factor, bool reference)
{
    int64_t count;
    const double *t = slip_result_series(r, "t", &count), *y = slip_result_series(r, series, NULL);
    return add_numbers(s, panel, label, t, y, count, 1, factor, reference);
}

static int draw_sheet(slip_context *ctx, const impact_study *m, const sheet *s, const char *name,
                      const char *title, const char *folder)
{
    slip_figure figure = {.name = name,
                          .title = title,
                          .panels = s->panels,
                          .panel_count = s->panel_count,
                          .columns = s->columns};
    return paper_draw(ctx, &figure, folder, m->out);
}

static const char *const time_label = "time t [µs]", *const force_label = "contact force [kN]",
                         *const speed_label = "speed of the wheel [rad/s]";

/* ---- Forces and speeds of a list of models. */

static int add_mean_force(const impact_study *m, sheet *s, int panel, const char *label, const slip_result *r)
{
    int64_t count;
    const double *t = slip_result_series(r, "t", &count);
    double *mean = impact_force(m, r);
    int status = mean ? add_numbers(s, panel, label, t, mean, count, 1, 1e-3, true) : paper_fail_memory();
    free(mean);
    return status;
}

/* One panel: the force, or the speed of the wheel, of several cases. */
static int add_cases(slip_context *ctx, impact_study *m, sheet *s, int panel, const impact_case *cases,
                     int count, bool force)
{
    for (int i = 0; i < count; i++) {
        const slip_result *r;
        int status = impact_get(ctx, m, &cases[i], &r);
        bool nonlinear = strcmp(cases[i].reduction, "explicit") == 0;
        if (status >= 0 && nonlinear && force)
            status = add_mean_force(m, s, panel, cases[i].label, r);
        else if (status >= 0)
            status = add_series(s, panel, cases[i].label, r, force ? "force" : "wheel.speed",
                                force ? 1e-3 : 1, nonlinear);
        if (status < 0)
            return status;
    }
    return SLIP_OK;
}

/* Two panels: the forces of the same models with two penalties, beside the nonlinear model. */
static int draw_two_penalties(slip_context *ctx, impact_study *m, const impact_case *models, int count,
                              const char *name, const char *title, const char *folder)
{
    const double penalties[2] = {low_penalty, high_penalty};
    sheet s = {.columns = 1};
    int status = SLIP_OK;
    for (int p = 0; p < 2; p++) {
        char *heading = reserve(&s, 80, 1);
        impact_case cases[curves_max];
        if (!heading) {
            status = paper_fail_memory();
            goto done;
        }
        snprintf(heading, 80, "penalty %g N/m", penalties[p]);
        for (int i = 0; i < count; i++) {
            cases[i] = models[i];
            cases[i].penalty = penalties[p];
        }
        cases[count] = (impact_case)NONLINEAR(high_penalty);
        int panel = add_panel(&s, heading, time_label, force_label);
        TRY(add_cases(ctx, m, &s, panel, cases, count + 1, true));
    }
    TRY(draw_sheet(ctx, m, &s, name, title, folder));
done:
    free_sheet(&s);
    return status;
}

int impact_draw_modal(slip_context *ctx, impact_study *m, const char *folder)
{
    static const impact_case models[] = {{"20 + 20 eigenmodes", {20, 20}, "none", 0, 0.5},
                                         {"100 + 100 eigenmodes", {100, 100}, "none", 0, 0.5},
                                         {"2000 + 400 eigenmodes", {2000, 400}, "none", 0, 0.5}};
    return draw_two_penalties(ctx, m, models, 3, "gear-impact-modal", "Contact force, eigenmodes alone",
                              folder);
}

int impact_draw_static(slip_context *ctx, impact_study *m, const char *folder)
{
    static const impact_case models[] = {{"50 + 50, all static", {50, 50}, "all", 0, 0.5},
                                         {"50 + 100, all static", {50, 100}, "all", 0, 0.5},
                                         {"50 + 200, all static", {50, 200}, "all", 0, 0.5}};
    return draw_two_penalties(ctx, m, models, 3, "gear-impact-static",
                              "Contact force, eigenmodes and all residual attachment modes", folder);
}

/* Force above, speed of the wheel below, of one list of cases. */
static int draw_force_and_speed(slip_context *ctx, impact_study *m, const impact_case *cases, int count,
                                const char *name, const char *title, const char *folder)
{
    sheet s = {.columns = 1};
    int status;
    int force = add_panel(&s, NULL, time_label, force_label),
        speed = add_panel(&s, NULL, time_label, speed_label);
    TRY(add_cases(ctx, m, &s, force, cases, count, true));
    TRY(add_cases(ctx, m, &s, speed, cases, count, false));
    TRY(draw_sheet(ctx, m, &s, name, title, folder));
done:
    free_sheet(&s);
    return status;
}

int impact_draw_eigenmodes(slip_context *ctx, impact_study *m, const char *folder)
{
    const impact_case cases[] = {{"2 + 2", {2, 2}, "condensed", high_penalty, 0.5},
                                 {"5 + 10", {5, 10}, "condensed", high_penalty, 0.5},
                                 {"20 + 20", {20, 20}, "condensed", high_penalty, 0.5},
                                 {"50 + 50", {50, 50}, "condensed", high_penalty, 0.5},
                                 {"50 + 200", {50, 200}, "condensed", high_penalty, 0.5},
                                 NONLINEAR(high_penalty)};
    return draw_force_and_speed(ctx, m, cases, sizeof cases / sizeof *cases, "gear-impact-eigenmodes",
                                "Number of eigenmodes beside the residual flexibility", folder);
}

int impact_draw_penalty(slip_context *ctx, impact_study *m, const char *folder)
{
    static const double penalties[] = {1e8, 2.2e8, 1e9, 2.2e9, 1e10, 2e10};
    static const char *const labels[] = {"1e8 N/m", "2.2e8", "1e9", "2.2e9", "1e10", "2e10"};
    static const struct {
        const char *force, *speed;
        int modes[2];
    } sizes[2] = {{"5 + 10 eigenmodes: force", "5 + 10 eigenmodes: speed", {5, 10}},
                  {"50 + 200 eigenmodes: force", "50 + 200 eigenmodes: speed", {50, 200}}};
    enum { count = sizeof penalties / sizeof *penalties };
    sheet s = {.columns = 2};
    int status;
    for (int k = 0; k < 2; k++) {
        impact_case cases[count];
        for (int i = 0; i < count; i++) {
            cases[i] = (impact_case){
                labels[i], {sizes[k].modes[0], sizes[k].modes[1]}, "condensed", penalties[i], 0.5};
        }
        int force = add_panel(&s, sizes[k].force, time_label, force_label);
        int speed = add_panel(&s, sizes[k].speed, time_label, speed_label);
        TRY(add_cases(ctx, m, &s, force, cases, count, true));
        TRY(add_cases(ctx, m, &s, speed, cases, count, false));
    }
    TRY(draw_sheet(ctx, m, &s, "gear-impact-penalty", "Influence of the penalty", folder));
done:
    free_sheet(&s);
    return status;
}

int impact_draw_switching(slip_context *ctx, impact_study *m, const char *folder)
{
    const impact_case cases[] = {{"50 + 200, all static", {50, 200}, "all", high_penalty, 0.5},
                                 {"50 + 200, switch", {50, 200}, "switch", high_penalty, 0.5},
                                 {"50 + 200, switch_teeth", {50, 200}, "switch_teeth", high_penalty, 0.5},
                                 {"100 + 200, switch", {100, 200}, "switch", high_penalty, 0.5},
                                 {"50 + 200, condensed", {50, 200}, "condensed", high_penalty, 0.5},
                                 NONLINEAR(high_penalty)};
    return draw_force_and_speed(ctx, m, cases, sizeof cases / sizeof *cases, "gear-impact-switching",
                                "Switching of residual attachment modes", folder);
}

int impact_draw_final(slip_context *ctx, impact_study *m, const char *folder)
{
    const impact_case cases[] = {{"2000 + 400 eigenmodes", {2000, 400}, "none", high_penalty, 0.5},
                                 {"50 + 200, switch", {50, 200}, "switch", high_penalty, 0.5},
                                 NONLINEAR(high_penalty)};
    return draw_force_and_speed(ctx, m, cases, sizeof cases / sizeof *cases, "gear-impact-final",
                                "The three approaches", folder);
}

/* ---- Participation of attachment modes. */

/* Largest |amplitude| over time of each unit load. */
static double *find_largest(const slip_gear_participation *p)
{
    double *largest = paper_alloc(p->size, sizeof *largest);
    for (int64_t i = 0; largest && i < p->samples; i++)
        for (int k = 0; k < p->size; k++)
            largest[k] = fmax(largest[k], fabs(p->amplitude[i * p->size + k]));
    return largest;
}

/* Nodes of the contact patch: those whose modes were ever switched on in the run with switching. */
static unsigned char *find_patch(const slip_gear_participation *p)
{
    unsigned char *patch = paper_alloc(p->size, 1);
    for (int64_t i = 0; patch && i < p->samples; i++)
        for (int k = 0; k < p->size; k++)
            if (p->active[i * p->size + k] != 0)
                patch[3 * (k / 3)] = patch[3 * (k / 3) + 1] = patch[3 * (k / 3) + 2] = 1;
    return patch;
}

/* The next largest number of those that are in the patch or not; -1 when there is none. Forgets it. */
static int take_largest(double *largest, const unsigned char *patch, int size, bool inside)
{
    int best = -1;
    for (int k = 0; k < size; k++)
        if (patch[k] == inside && largest[k] > 0 && (best < 0 || largest[k] > largest[best]))
            best = k;
    if (best >= 0)
        largest[best] = 0;
    return best;
}

/* The participation histories of a run: the largest ones in the patch, the largest ones outside. */
static int add_participation(sheet *s, int panel, const slip_result *r, int gear, const unsigned char *patch,
                             int inside, int outside, bool logarithmic)
{
    slip_gear_participation p = slip_gear_result_participation(r, gear ? "wheel" : "pinion");
    int status = SLIP_OK;
    double *largest = find_largest(&p), *value = paper_alloc(p.samples, sizeof *value);
    const double *t = slip_result_series(r, "t", NULL);
    if (!largest || !value) {
        status = paper_fail_memory();
        goto done;
    }
    for (int i = 0; i < inside + outside; i++) {
        static const char *const axes[3] = {"x", "y", "z"};
        char label[60];
        int k = take_largest(largest, patch, p.size, i < inside);
        if (k < 0)
            continue;
        for (int64_t j = 0; j < p.samples; j++) {
            double a = p.amplitude[j * p.size + k];
            value[j] = logarithmic ? (a == 0 ? NAN : fabs(a)) : a;
        }
        snprintf(label, sizeof label, "node %d %s, %s", k / 3 + 1, axes[k % 3],
                 i < inside ? "in the patch" : "outside");
        TRY(add_numbers(s, panel, label, t, value, p.samples, 1, 1, false));
        if (i >= inside)
            s->curves[panel][s->panels[panel].curve_count - 1].style = SLIP_CURVE_DASHED;
    }
done:
    free(largest);
    free(value);
    return status;
}

static const char *const amplitude_label = "participation [N]";

int impact_draw_participation(slip_context *ctx, impact_study *m, const char *folder)
{
    const impact_case all = {"50 + 200, all static", {50, 200}, "all", high_penalty, 0.5},
                      some = {"50 + 200, switch", {50, 200}, "switch", high_penalty, 0.5};
    const slip_result *r, *switched;
    sheet s = {.columns = 1};
    unsigned char *patch = NULL;
    int status;
    TRY(impact_get(ctx, m, &all, &r));
    TRY(impact_get(ctx, m, &some, &switched));
    slip_gear_participation p = slip_gear_result_participation(switched, 0);
    patch = find_patch(&p);
    if (!patch) {
        status = paper_fail_memory();
        goto done;
    }
    int linear = add_panel(&s, "pinion, linear", time_label, amplitude_label);
    int logarithmic = add_panel(&s, "pinion, logarithmic", time_label, amplitude_label);
    s.panels[logarithmic].log_y = true;
    TRY(add_participation(&s, linear, r, 0, patch, 4, 3, false));
    TRY(add_participation(&s, logarithmic, r, 0, patch, 4, 3, true));
    TRY(draw_sheet(ctx, m, &s, "gear-impact-participation",
                   "Participation of residual attachment modes in and outside the contact patch", folder));
done:
    free(patch);
    free_sheet(&s);
    return status;
}

int impact_draw_excited(slip_context *ctx, impact_study *m, const char *folder)
{
    const impact_case teeth = {"50 + 200, switch_teeth", {50, 200}, "switch_teeth", high_penalty, 0.5},
                      some = {"50 + 200, switch", {50, 200}, "switch", high_penalty, 0.5};
    const slip_result *r, *switched;
    sheet s = {.columns = 1};
    int status = SLIP_OK;
    unsigned char *patch = NULL;
    TRY(impact_get(ctx, m, &teeth, &r));
    TRY(impact_get(ctx, m, &some, &switched));
    for (int k = 0; k < 2; k++) {
        slip_gear_participation p = slip_gear_result_participation(switched, k ? "wheel" : "pinion");
        free(patch);
        patch = find_patch(&p);
        if (!patch) {
            status = paper_fail_memory();
            goto done;
        }
        int panel = add_panel(&s,
                              k ? "wheel: modes of touched nodes and of the others of the patch"
                                : "pinion: modes of touched nodes and of the others of the patch",
                              time_label, amplitude_label);
        s.panels[panel].log_y = true;
        TRY(add_participation(&s, panel, r, k, patch, 4, 4, true));
    }
    TRY(draw_sheet(ctx, m, &s, "gear-impact-excited",
                   "Excited and unexcited residual attachment modes, switched by teeth", folder));
done:
    free(patch);
    free_sheet(&s);
    return status;
}

/* What switching does to the force, in percent of the peak; the one pass has the pinion's nodes as slaves. */
static int add_difference(sheet *s, int panel, const slip_result *some, const slip_result *all)
{
    int64_t count;
    const double *t = slip_result_series(all, "t", &count);
    const double *a = slip_result_series(all, "force", NULL), *b = slip_result_series(some, "force", NULL);
    double *difference = paper_alloc(count, sizeof *difference);
    if (!difference)
        return paper_fail_memory();
    for (int64_t i = 0; i < count; i++)
        difference[i] = a[i] == b[i] ? NAN : fabs(b[i] - a[i]);
    int status = add_numbers(s, panel, NULL, t, difference, count, 1,
                             100 / slip_result_number(all, "peak_force"), false);
    free(difference);
    return status;
}

int impact_draw_discontinuity(slip_context *ctx, impact_study *m, const char *folder)
{
    static const double weights[2] = {1, 0.5};
    static const char *const titles[2] = {"one pass (w = 1)", "two passes (w = 0.5)"};
    sheet s = {.columns = 2};
    int status = SLIP_OK;
    for (int k = 0; k < 2; k++) {
        const impact_case cases[2] = {{"all static", {50, 200}, "all", high_penalty, weights[k]},
                                      {"switch", {50, 200}, "switch", high_penalty, weights[k]}};
        const slip_result *all, *some;
        int force = add_panel(&s, titles[k], time_label, force_label),
            jumps = add_panel(&s, titles[k], time_label, "difference to the peak [%]");
        s.panels[jumps].log_y = true;
        TRY(add_cases(ctx, m, &s, force, cases, 2, true));
        TRY(impact_get(ctx, m, &cases[0], &all));
        TRY(impact_get(ctx, m, &cases[1], &some));
        TRY(add_difference(&s, jumps, some, all));
    }
    TRY(draw_sheet(ctx, m, &s, "gear-impact-discontinuity", "Discontinuities at switches", folder));
done:
    free_sheet(&s);
    return status;
}
