/* The disk on a moving belt (examples/disk-on-belt.yaml has the equations).
 *
 * G. Kudra, J. Awrejcewicz: A smooth model of the resultant friction force on a plane contact area. J. Theor.
 * Appl. Mech. 54(3), 909-919, 2016. Its figures are the smooth law in one dimension, and attractors of the
 * set-valued and of the smooth law over each other. Of its numbers we know eta' for two eta, one of which is
 * that of another eta, and two cubic fits of eta'(eta). */
#include "disk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Attractors in phase planes: several motions in each row of two panels. */

typedef struct motion {
    const char *label;
    disk_case run;
    slip_result *result;
    disk_orbit orbit;
} motion;

enum { row_motions_max = 2, rows_max = 3 };

static int settle(slip_context *ctx, motion *m, const char *folder)
{
    int status;
    TRY(disk_run(ctx, &m->run, folder, &m->result));
    TRY(disk_orbit_find(m->result, &m->orbit));
done:
    return status;
}

static slip_curve phase_curve(const motion *m, const char *x, const char *y, int color, bool dashed)
{
    return (slip_curve){.x = slip_result_series(m->result, x, NULL) + m->orbit.first,
                        .y = slip_result_series(m->result, y, NULL) + m->orbit.first,
                        .count = m->orbit.count,
                        .label = m->label,
                        .color = color,
                        .style = dashed ? SLIP_CURVE_DASHED : SLIP_CURVE_LINE};
}

/* `about` has name and title; the motions come row by row, `across` of them in each. Smooth ones are dashed.
 */
static int draw_rows(slip_context *ctx, const slip_figure *about, const motion *motions, int across,
                     const char *const *titles, int rows, const char *folder, const paper_printer *out)
{
    slip_curve curves[rows_max * 2][row_motions_max];
    slip_panel panels[rows_max * 2];
    slip_figure figure = *about;
    for (int p = 0; p < 2 * rows; p++) {
        const bool turn = p % 2 == 1;
        for (int k = 0; k < across; k++) {
            const motion *m = &motions[p / 2 * across + k];
            curves[p][k] =
                phase_curve(m, turn ? "phi" : "x", turn ? "phi'" : "x'", k + 1, m->run.epsilon > 0);
        }
        panels[p] = (slip_panel){.title = titles[p / 2],
                                 .x_label = turn ? "phi" : "x",
                                 .y_label = turn ? "phi'" : "x'",
                                 .curves = curves[p],
                                 .curve_count = across};
    }
    figure.panels = panels;
    figure.panel_count = 2 * rows;
    figure.columns = 2;
    return paper_draw(ctx, &figure, folder, out);
}

static void free_motions(motion *motions, int count)
{
    for (int k = 0; k < count; k++)
        slip_result_destroy(motions[k].result);
}

static void say_motion(const motion *m, const paper_printer *out)
{
    char eta[30] = "", weight[30] = "", phases[30] = "";
    bool smooth = m->run.epsilon > 0;
    double given = m->run.static_ratio;
    snprintf(eta, sizeof eta, "%.6f", isnan(given) ? slip_law_static_ratio(m->run.eta_prime) : given);
    if (smooth)
        snprintf(weight, sizeof weight, "%.6f",
                 isnan(m->run.eta_prime) ? slip_law_eta_prime(given) : m->run.eta_prime);
    if (m->orbit.stick_phases >= 0)
        snprintf(phases, sizeof phases, "%d", m->orbit.stick_phases);
    paper_say(out, "    %-24s %10s %11s %14.7f %8d %8s", m->label, eta, weight, m->orbit.period,
              m->orbit.slips, phases);
}

static void say_head(const paper_printer *out)
{
    paper_say(out, "    %-24s %10s %11s %14s %8s %8s", "", "eta", "eta'", "period", "swings", "sticks");
}

/* ---- Set-valued and smooth law over each other. */

static const double smooth_epsilon = 1e-5;

typedef struct pair {
    double eta, eta_prime; /* eta_prime NAN: that of eta */
    double span;           /* some periods */
    const char *title;
} pair;

static const pair pairs[] = {{4.98, 13.7627, 800, "eta = 4.98, eta' = 13.7627"},
                             {2.7, NAN, 3000, "eta = 2.7, eta' = 6.7085"},
                             {NAN, 6.7627, 3200, "eta = 2.7174, eta' = 6.7627"}};
enum { pair_count = sizeof pairs / sizeof pairs[0] };

/* Starts a smooth run at the end of the set-valued one: on the attractor up to the effect of epsilon. */
static void start_on(disk_case *run, const disk_orbit *orbit)
{
    run->x = orbit->x;
    run->phi = orbit->phi;
    run->v = 0.15;
    run->w = 0;
}

static int run_pair(slip_context *ctx, const pair *which, motion *event, motion *smooth, const char *folder)
{
    int status;
    event->label = "event";
    event->run = disk_case_default();
    event->run.static_ratio = isnan(which->eta) ? slip_law_static_ratio(which->eta_prime) : which->eta;
    event->run.from = 16000;
    event->run.end = event->run.from + which->span;
    TRY(settle(ctx, event, folder));
    smooth->label = "smooth, epsilon = 1e-5";
    smooth->run = disk_case_default();
    smooth->run.static_ratio = isnan(which->eta_prime) ? which->eta : NAN;
    smooth->run.eta_prime = which->eta_prime;
    smooth->run.epsilon = smooth_epsilon;
    start_on(&smooth->run, &event->orbit);
    smooth->run.from = 6000;
    smooth->run.end = smooth->run.from + which->span;
    TRY(settle(ctx, smooth, folder));
done:
    return status;
}

static int say_other_attractor(slip_context *ctx, const paper_printer *out)
{
    disk_case run = disk_case_default();
    slip_result *result = NULL;
    int status;
    run.static_ratio = 4.98;
    run.x = 20;
    run.phi = -20;
    run.v = run.w = 0;
    run.from = run.end = 20000;
    TRY(disk_run(ctx, &run, "", &result));
    paper_say(out,
              "    From (20, -20) at rest the disk comes to steady sliding instead: x = %.7f, phi = "
              "%.7f",
              slip_result_number(result, "final.x"), slip_result_number(result, "final.phi"));
done:
    slip_result_destroy(result);
    return status;
}

int disk_attractors(slip_context *ctx, const char *folder, const paper_printer *out)
{
    const slip_figure about = {.name = "disk-on-belt-attractors",
                               .title = "Disk on a belt: set-valued and smooth friction"};
    motion motions[2 * pair_count] = {0};
    const char *titles[pair_count];
    int status;
    paper_say(out, "  Attractors of the set-valued law, and of the smooth law");
    say_head(out);
    for (int k = 0; k < pair_count; k++) {
        titles[k] = pairs[k].title;
        TRY(run_pair(ctx, &pairs[k], &motions[2 * k], &motions[2 * k + 1], folder));
        say_motion(&motions[2 * k], out);
        say_motion(&motions[2 * k + 1], out);
    }
    paper_say(out,
              "    The publication pairs eta = 4.98 with eta' = 13.7627 (exact: %.6f), and eta = 2.7 "
              "with",
              slip_law_eta_prime(4.98));
    paper_say(out,
              "    eta' = 6.7627. The latter is not exact: eta'(2.7) = %.6f, and 6.7627 belongs to eta "
              "= %.6f.",
              slip_law_eta_prime(2.7), slip_law_static_ratio(6.7627));
    TRY(say_other_attractor(ctx, out));
    TRY(draw_rows(ctx, &about, motions, 2, titles, pair_count, folder, out));
done:
    free_motions(motions, 2 * pair_count);
    return status;
}

/* ---- The integral model beside the approximation. */

static const struct surface {
    const char *label, *text;
} surfaces[] = {{"(0,0), m = 2, b = 1", NULL}, {"integral", "{type: integral}"}};
enum { surface_count = sizeof surfaces / sizeof surfaces[0] };

int disk_integral(slip_context *ctx, const char *folder, const paper_printer *out)
{
    static const double ratios[] = {4.98, 2.7};
    static const char *const titles[] = {"eta = 4.98", "eta = 2.7"};
    const slip_figure about = {.name = "disk-on-belt-integral",
                               .title = "Disk on a belt: approximation and integral model"};
    motion motions[2 * surface_count] = {0};
    int status;
    paper_say(out, "  Attractors of the approximation and of the integral model, set-valued");
    say_head(out);
    for (int k = 0; k < 2 * surface_count; k++) {
        motion *m = &motions[k];
        m->label = surfaces[k % surface_count].label;
        m->run = disk_case_default();
        m->run.static_ratio = ratios[k / surface_count];
        m->run.surface = surfaces[k % surface_count].text;
        m->run.from = 20000;
        m->run.end = 25000;
        TRY(settle(ctx, m, folder));
        say_motion(m, out);
    }
    TRY(draw_rows(ctx, &about, motions, surface_count, titles, 2, folder, out));
done:
    free_motions(motions, 2 * surface_count);
    return status;
}

/* ---- In SI units. */

/* The largest difference of two series at the same places, the second one times a scale. */
static double difference(const slip_result *a, const slip_result *b, const char *name, double scale)
{
    int64_t count, other;
    const double *x = slip_result_series(a, name, &count), *y = slip_result_series(b, name, &other);
    double largest = count == other ? 0 : INFINITY;
    for (int64_t i = 0; i < count && i < other; i++)
        largest = fmax(largest, fabs(x[i] - y[i] * scale));
    return largest;
}

int disk_units_part(slip_context *ctx, const char *folder, const paper_printer *out)
{
    const double length = disk_scales.length, time = disk_scales.time;
    disk_case run = disk_case_default();
    slip_result *scaled = NULL, *physical = NULL;
    int status;
    run.static_ratio = 4.98;
    TRY(disk_run(ctx, &run, folder, &scaled));
    run.physical = true;
    run.name = "disk-on-belt-si";
    TRY(disk_run(ctx, &run, folder, &physical));
    paper_say(out, "  In SI units: mass 2 kg, radius 0.05 m, inertia 0.45 kg m^2, springs 200 N/m, 8.5 N "
                   "and 0.5 N m,");
    paper_say(out, "  normal force 100 N, mu = 0.5, belt speed 0.075 m/s; lengths are scaled by 0.05 m, "
                   "times by 0.1 s.");
    paper_say(out,
              "    largest difference to the scaled model up to t = 1000: x %.1e, x' %.1e, phi %.1e, "
              "phi' %.1e",
              difference(scaled, physical, "x", 1 / length),
              difference(scaled, physical, "x'", time / length), difference(scaled, physical, "phi", 1),
              difference(scaled, physical, "phi'", time));
done:
    slip_result_destroy(scaled);
    slip_result_destroy(physical);
    return status;
}

/* ---- The period against epsilon. */

static const double epsilons[] = {1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6};
enum { epsilon_count = sizeof epsilons / sizeof epsilons[0] };

static int draw_periods(slip_context *ctx, const double *difference_of, const char *folder,
                        const paper_printer *out)
{
    double slope[epsilon_count];
    for (int k = 0; k < epsilon_count; k++)
        slope[k] = difference_of[epsilon_count - 1] * pow(epsilons[k] / epsilons[epsilon_count - 1], 2.0 / 3);
    const slip_curve curves[] = {
        {.x = epsilons,
         .y = slope,
         .count = epsilon_count,
         .label = "epsilon^(2/3)",
         .color = 7,
         .style = SLIP_CURVE_DASHED},
        {.x = epsilons, .y = difference_of, .count = epsilon_count, .label = "smooth", .color = 2},
        {.x = epsilons, .y = difference_of, .count = epsilon_count, .color = 2, .style = SLIP_CURVE_POINTS}};
    const slip_panel panel = {.x_label = "epsilon",
                              .y_label = "period - period of the set-valued law",
                              .curves = curves,
                              .curve_count = 3,
                              .log_x = true,
                              .log_y = true};
    const slip_figure figure = {.name = "disk-on-belt-epsilon",
                                .title = "Disk on a belt, eta = 4.98: how the smooth law tends to its limit",
                                .panels = &panel,
                                .panel_count = 1,
                                .height = 1000};
    return paper_draw(ctx, &figure, folder, out);
}

static int period_for(slip_context *ctx, double epsilon, const disk_orbit *start, disk_orbit *orbit)
{
    motion m = {.run = disk_case_default()};
    int status;
    m.run.static_ratio = 4.98;
    m.run.epsilon = epsilon;
    m.run.from = 8000;
    m.run.end = m.run.from + 1000;
    if (start)
        start_on(&m.run, start);
    status = settle(ctx, &m, "");
    *orbit = m.orbit;
    slip_result_destroy(m.result);
    return status;
}

int disk_epsilon(slip_context *ctx, const char *folder, const paper_printer *out)
{
    disk_orbit limit, orbit;
    double difference_of[epsilon_count];
    int status;
    TRY(period_for(ctx, 0, NULL, &limit));
    orbit = limit;
    paper_say(out, "  Period of the smooth law against epsilon, eta = 4.98; the set-valued law has %.7f",
              limit.period);
    paper_say(out, "    epsilon          period     difference   order");
    for (int k = 0; k < epsilon_count; k++) {
        char order[30] = "";
        TRY(period_for(ctx, epsilons[k], &limit, &orbit));
        difference_of[k] = orbit.period - limit.period;
        if (k > 0)
            snprintf(order, sizeof order, "%7.3f",
                     log(difference_of[k - 1] / difference_of[k]) / log(epsilons[k - 1] / epsilons[k]));
        paper_say(out, "    %-7g %15.7f %14.7f %s", epsilons[k], orbit.period, difference_of[k], order);
    }
    TRY(draw_periods(ctx, difference_of, folder, out));
done:
    return status;
}

/* ---- All of it. */

static const struct part {
    const char *name;
    int (*run)(slip_context *ctx, const char *folder, const paper_printer *out);
} parts[] = {{"law", disk_law},
             {"attractors", disk_attractors},
             {"integral", disk_integral},
             {"units", disk_units_part},
             {"epsilon", disk_epsilon}};
enum { part_count = sizeof parts / sizeof parts[0] };

static int run_disk(slip_context *ctx, const char *figure, const char *folder, bool full,
                    const paper_printer *out)
{
    (void)full;
    int status = SLIP_OK;
    paper_say(out, "Disk on a belt: m = 90, k12 = 0.85, c = 1e-4, vb = 0.15, mu = 5; uniform disc, order "
                   "(0,0), m = 2, b = 1");
    for (int k = 0; k < part_count; k++) {
        if (figure && strcmp(figure, parts[k].name) != 0)
            continue;
        paper_say(out, "%s", "");
        TRY(parts[k].run(ctx, folder, out));
    }
done:
    return status;
}

static const paper_figure figure_list[] = {
    {"law", "the smooth law with a static peak, and its weight eta'"},
    {"attractors", "attractors of the set-valued and of the smooth law"},
    {"integral", "attractors of the approximation and of the integral model"},
    {"units", "the same motion in SI units"},
    {"epsilon", "how the smooth law tends to its limit"},
    {NULL, NULL}};

const paper paper_disk_on_belt = {
    "disk-on-belt",
    "friction on an area: attractors, set-valued and smooth",
    figure_list,
    NULL,
    "G. Kudra, J. Awrejcewicz: A smooth model of the resultant friction force on a plane contact "
    "area, 2016",
    .run = run_disk};
