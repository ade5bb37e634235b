/* The jack plane: one element pressed on a rough plane (examples/jack-plane.yaml has the equations).
 *
 * V. Janovsky: Numerical analysis of a lumped parameter friction model. Application of Mathematics 2015,
 * 63-76. Case (a) stays in contact, case (b) lifts off and lands, case (c) is (a) by the midpoint rule, plain
 * and stabilised. Its figures are phase plots, velocities and contact forces; of its numbers we know the 60
 * events of case (a) and the run times. */
#include "published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What a run recorded, with the signs of the publication: the normal force ln is not positive. */

typedef enum quantity {
    of_time,
    of_normal,
    of_normal_velocity,
    of_tangential,
    of_tangential_velocity,
    of_normal_force,
    of_friction,
    quantity_count
} quantity;

static const char *const labels[quantity_count] = {"time t",
                                                   "normal displacement u\u2099",
                                                   "normal velocity u\u2099'",
                                                   "tangential displacement u\u209c",
                                                   "tangential velocity u\u209c'",
                                                   "normal contact force \u03bb\u2099",
                                                   "tangential contact force \u03bb\u209c"};

typedef struct view {
    int64_t count;
    const double *values[quantity_count];
    const double *mode;
    double *normal_force; /* owned */
} view;

static int open_view(const slip_result *result, view *v)
{
    static const char *const names[quantity_count] = {"t",   "un",           "un'",        "ut",
                                                      "ut'", "plane.normal", "plane.force"};
    for (int k = 0; k < quantity_count; k++)
        v->values[k] = slip_result_series(result, names[k], &v->count);
    v->mode = slip_result_series(result, "plane.mode", NULL);
    v->normal_force = paper_alloc(v->count, sizeof(double));
    if (!v->normal_force)
        return paper_fail_memory();
    for (int64_t i = 0; i < v->count; i++)
        v->normal_force[i] = -v->values[of_normal_force][i];
    v->values[of_normal_force] = v->normal_force;
    return SLIP_OK;
}

/* ---- Panels whose curves are coloured by mode: one curve for each, with gaps where it is another one. */

static const struct {
    slip_mode mode;
    const char *label;
    int color;
} shown[] = {{SLIP_MODE_SLIP_PLUS, "slip+", 1},
             {SLIP_MODE_SLIP_MINUS, "slip-", 2},
             {SLIP_MODE_STICK, "stick", 3},
             {SLIP_MODE_OPEN, "open", 4}};
enum { shown_count = sizeof shown / sizeof shown[0], panels_max = 6 };

typedef struct panel_spec {
    int run; /* which view */
    quantity x, y;
    double from, to; /* times */
    const char *title;
    double height; /* of the range -height to height to show; 0: that of the curves */
} panel_spec;

typedef struct figure_spec {
    const char *name, *title;
    panel_spec panels[panels_max];
    int panel_count;
    bool rows_share_y;
} figure_spec;

enum { columns = 2 };

typedef struct mode_panel {
    double *numbers; /* owned: y for each mode */
    slip_curve curves[shown_count];
    int curve_count; /* modes that occur */
} mode_panel;

static void find_window(const view *v, double from, double to, int64_t *first, int64_t *count)
{
    const double *t = v->values[of_time];
    *first = 0;
    while (*first < v->count && t[*first] < from)
        ++*first;
    *count = 0;
    while (*first + *count < v->count && t[*first + *count] <= to)
        ++*count;
}

static bool make_panel(const view *v, const panel_spec *spec, mode_panel *panel)
{
    int64_t first, count;
    find_window(v, spec->from, spec->to, &first, &count);
    const double *x = v->values[spec->x] + first, *y = v->values[spec->y] + first, *mode = v->mode + first;
    panel->numbers = paper_alloc(shown_count * count, sizeof(double));
    if (!panel->numbers)
        return false;
    for (int k = 0; k < shown_count; k++) {
        double *own = panel->numbers + k * count, wanted = (double)shown[k].mode;
        bool any = false;
        /* A curve goes on to the first record of the next mode, so that the curves join. */
        for (int64_t i = 0; i < count; i++) {
            bool in = mode[i] == wanted || (i > 0 && mode[i - 1] == wanted);
            own[i] = in ? y[i] : NAN;
            any |= in;
        }
        if (any)
            panel->curves[panel->curve_count++] = (slip_curve){
                .x = x, .y = own, .count = count, .label = shown[k].label, .color = shown[k].color};
    }
    return true;
}

static int draw(slip_context *ctx, const figure_spec *spec, const view *views, const char *folder,
                const paper_printer *out)
{
    mode_panel made[panels_max] = {0};
    slip_panel panels[panels_max];
    int status = SLIP_OK;
    for (int k = 0; k < spec->panel_count; k++) {
        const panel_spec *p = &spec->panels[k];
        if (!make_panel(&views[p->run], p, &made[k])) {
            status = paper_fail_memory();
            goto done;
        }
        panels[k] = (slip_panel){.title = p->title,
                                 .x_label = labels[p->x],
                                 .y_label = labels[p->y],
                                 .curves = made[k].curves,
                                 .curve_count = made[k].curve_count,
                                 .y_low = -p->height,
                                 .y_high = p->height};
    }
    slip_figure figure = {.name = spec->name,
                          .title = spec->title,
                          .panels = panels,
                          .panel_count = spec->panel_count,
                          .columns = columns,
                          .rows_share_y = spec->rows_share_y};
    TRY(paper_draw(ctx, &figure, folder, out));
done:
    for (int k = 0; k < spec->panel_count; k++)
        free(made[k].numbers);
    return status;
}

/* The first four of ten periods of the load: enough to see the start and the motion that comes of it. */
enum { shown_time = 150 };

static const figure_spec figure_a = {
    .name = "jack-plane-a",
    .title = "Jack plane, case (a): F = 0.4, f\u2099 = 1.3",
    .panels = {{0, of_tangential, of_tangential_velocity, 0, INFINITY, NULL, 0},
               {0, of_time, of_tangential_velocity, 0, shown_time, NULL, 0},
               {0, of_time, of_normal_force, 0, shown_time, NULL, 0},
               {0, of_time, of_friction, 0, shown_time, NULL, 0}},
    .panel_count = 4};

static const figure_spec figure_b = {
    .name = "jack-plane-b",
    .title = "Jack plane, case (b): F = 0.3, f\u2099 = 0.5",
    .panels = {{0, of_normal, of_normal_velocity, 0, INFINITY, NULL, 0},
               {0, of_tangential, of_tangential_velocity, 0, INFINITY, NULL, 0},
               {0, of_time, of_normal_velocity, 0, shown_time, NULL, 0},
               {0, of_time, of_tangential_velocity, 0, shown_time, NULL, 0},
               {0, of_time, of_normal_force, 0, shown_time, NULL, 0},
               {0, of_time, of_friction, 0, shown_time, NULL, 0}},
    .panel_count = 6};

/* Chatter is a thousand times smaller than the velocities themselves. */
static const figure_spec figures_c[] = {
    {.name = "jack-plane-c-start",
     .title = "Jack plane, case (c): the midpoint rule from the start, step 0.001",
     .panels = {{0, of_time, of_tangential_velocity, 0, 8, "midpoint", 0},
                {1, of_time, of_tangential_velocity, 0, 8, "midpoint_stabilised", 0},
                {0, of_time, of_tangential_velocity, 0, 8, "midpoint, enlarged", 0.0004},
                {1, of_time, of_tangential_velocity, 0, 8, "midpoint_stabilised, enlarged", 0.0004},
                {0, of_time, of_friction, 0, 9, "midpoint", 0},
                {1, of_time, of_friction, 0, 9, "midpoint_stabilised", 0}},
     .panel_count = 6,
     .rows_share_y = true},
    {.name = "jack-plane-c-periodic",
     .title = "Jack plane, case (c): the midpoint rule, periodic pattern, step 0.001",
     .panels = {{0, of_time, of_tangential_velocity, 250, 350, "midpoint", 0},
                {1, of_time, of_tangential_velocity, 250, 350, "midpoint_stabilised", 0},
                {0, of_time, of_friction, 250, 350, "midpoint", 0},
                {1, of_time, of_friction, 250, 350, "midpoint_stabilised", 0}},
     .panel_count = 4,
     .rows_share_y = true}};

/* ---- The table. */

typedef struct plane_case {
    const char *label, *method;
    const char *const *settings;
    const char *folder;       /* name of the run folder; NULL: none */
    double every;             /* time between records; NAN: every step */
    int64_t published_events; /* -1: none known */
    double published_seconds; /* NAN: none known */
} plane_case;

static int64_t events_until(const slip_result *result, double t)
{
    int64_t count = 0;
    while (count < slip_result_event_count(result) && slip_result_event(result, count)->time <= t)
        count++;
    return count;
}

static void say_head(const paper_printer *out)
{
    paper_say(out, "  %-28s %18s %9s %21s %9s %10s", "", "events (published)", "to t = 8",
              "seconds  (published)", "residual", "error");
}

static void say_row(const plane_case *which, const slip_result *r, double residual, double error,
                    const paper_printer *out)
{
    char events[30] = "", seconds[30] = "", difference[30] = "";
    if (which->published_events >= 0)
        snprintf(events, sizeof events, "(%lld)", (long long)which->published_events);
    if (!isnan(which->published_seconds))
        snprintf(seconds, sizeof seconds, "(%.7g)", which->published_seconds);
    if (!isnan(error))
        snprintf(difference, sizeof difference, "%.2e", error);
    paper_say(out, "  %-28s %6lld %11s %9lld %9.2g %11s %9.1e %10s", which->label,
              (long long)slip_result_event_count(r), events, (long long)events_until(r, 8),
              slip_result_number(r, "wall_seconds"), seconds, residual, difference);
}

static int run_one(slip_context *ctx, const plane_case *which, const char *folder, slip_result **result,
                   double *residual)
{
    paper_case run = {"jack-plane", which->settings, slip_run_options_default(), which->folder};
    run.options.method = which->method;
    run.options.record_events = 0; /* motions are compared record by record */
    run.options.record_every = which->every;
    run.options.record_steps = isnan(which->every);
    return paper_case_run(ctx, &run, folder, result, residual);
}

/* ---- Cases (a) and (b). */

static const char *const settings_b[] = {"F=0.3", "fn=0.5", NULL};
static const plane_case case_a = {"(a) event", "event", NULL, "jack-plane-a", 0.01, 60, 2.3};
static const plane_case case_b = {"(b) event", "event", settings_b, "jack-plane-b", 0.01, -1, NAN};

static int run_event(slip_context *ctx, const plane_case *which, const figure_spec *figure,
                     const char *folder, const paper_printer *out)
{
    slip_result *result = NULL;
    double residual;
    view v = {0};
    int status;
    TRY(run_one(ctx, which, folder, &result, &residual));
    say_row(which, result, residual, NAN, out);
    TRY(open_view(result, &v));
    TRY(draw(ctx, figure, &v, folder, out));
done:
    free(v.normal_force);
    slip_result_destroy(result);
    return status;
}

/* ---- Case (c): every step is recorded, too many for a run folder. */

enum { steps_per_unit = 1000 }; /* as in the example */
static const plane_case reference_c = {"", "event", NULL, NULL, 1.0 / steps_per_unit, -1, NAN};
static const plane_case cases_c[] = {
    {"(c) midpoint", "midpoint", NULL, NULL, NAN, -1, 2495.6},
    {"(c) midpoint_stabilised", "midpoint_stabilised", NULL, NULL, NAN, -1, 64.84}};
enum { cases_c_count = sizeof cases_c / sizeof cases_c[0] };

/* The largest difference in the tangential displacement where both have a record. */
static double difference(const slip_result *a, const slip_result *b)
{
    int64_t count, other;
    const double *x = slip_result_series(a, "ut", &count), *y = slip_result_series(b, "ut", &other);
    const double *s = slip_result_series(a, "t", NULL), *t = slip_result_series(b, "t", NULL);
    double largest = 0;
    for (int64_t i = 0; i < count && i < other && fabs(s[i] - t[i]) < 1e-9; i++)
        largest = fmax(largest, fabs(x[i] - y[i]));
    return largest;
}

static int run_c(slip_context *ctx, const char *folder, const paper_printer *out)
{
    slip_result *exact = NULL, *results[cases_c_count] = {0};
    view views[cases_c_count] = {0};
    double residual;
    int status;
    TRY(run_one(ctx, &reference_c, folder, &exact, NULL));
    for (int k = 0; k < cases_c_count; k++) {
        TRY(run_one(ctx, &cases_c[k], folder, &results[k], &residual));
        say_row(&cases_c[k], results[k], residual, difference(results[k], exact), out);
        TRY(open_view(results[k], &views[k]));
    }
    for (size_t k = 0; k < sizeof figures_c / sizeof figures_c[0]; k++)
        TRY(draw(ctx, &figures_c[k], views, folder, out));
done:
    for (int k = 0; k < cases_c_count; k++) {
        free(views[k].normal_force);
        slip_result_destroy(results[k]);
    }
    slip_result_destroy(exact);
    return status;
}

/* ---- All of it. */

static bool is_wanted(const char *figure, const char *name)
{
    return !figure || strcmp(figure, name) == 0;
}

static int run_jack_plane(slip_context *ctx, const char *figure, const char *folder, bool full,
                          const paper_printer *out)
{
    (void)full;
    int status = SLIP_OK;
    paper_say(out,
              "Jack plane: a = 1, b = -1.2, c = 1, ft = sin(t/6), T = 120 pi; tolerance 1e-10, step "
              "%g",
              1.0 / steps_per_unit);
    paper_say(out, "(error: the largest difference in ut to the event-driven run)");
    paper_say(out, "%s", "");
    if (!figure || strcmp(figure, "widths") != 0)
        say_head(out);
    if (is_wanted(figure, "a"))
        TRY(run_event(ctx, &case_a, &figure_a, folder, out));
    if (is_wanted(figure, "b"))
        TRY(run_event(ctx, &case_b, &figure_b, folder, out));
    if (is_wanted(figure, "c"))
        TRY(run_c(ctx, folder, out));
    if (is_wanted(figure, "widths"))
        TRY(paper_draw_widths(ctx, folder, out));
done:
    return status;
}

static const paper_figure figure_list[] = {
    {"a", "case (a): stick and slip in contact, event-driven"},
    {"b", "case (b): with lift-off and landing"},
    {"c", "case (c): the midpoint rule, from the start and periodic"},
    {"widths", "elliptic laws of several widths beside their limit, Coulomb"},
    {NULL, NULL}};

const paper paper_jack_plane = {
    "jack-plane",
    "element on a rough plane: contact, lift-off, the midpoint rule, Coulomb limit",
    figure_list,
    NULL,
    "V. Janovsky: Numerical analysis of a lumped parameter friction model, 2015",
    .run = run_jack_plane};
