/* Runs of the disk on a belt, and the periodic motion found from their records.
 *
 * The section is x = s with x falling, s half way between the extremes of x: it is passed while the disk
 * slips, where the motion is smooth, so that the recorded x, x', x'' give the time of passage to rounding
 * (quintic Hermite interpolation between records that are 0.02 apart). */
#include "disk.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Radius 0.05 m, mass 2 kg, spring 200 N/m: frequency 10/s. */
const disk_units disk_scales = {.length = 0.05, .time = 0.1};

disk_case disk_case_default(void)
{
    return (disk_case){.static_ratio = NAN,
                       .eta_prime = NAN,
                       .x = NAN,
                       .phi = NAN,
                       .v = NAN,
                       .w = NAN,
                       .from = 0,
                       .end = 1000};
}

/* ---- running ---- */

enum { settings_max = 16, setting_size = 120 };

typedef struct settings {
    char texts[settings_max][setting_size];
    const char *list[settings_max + 1];
    int count;
} settings;

static void set(settings *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void set(settings *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(s->texts[s->count], setting_size, format, args);
    va_end(args);
    s->list[s->count] = s->texts[s->count];
    s->count++;
}

/* With mass M, radius R, spring K: J = m M R^2, moments K R^2, coupling k12 K R, dampings c sqrt(K M) and c
 * R^2 sqrt(K M), belt speed vb R sqrt(K/M); mu N = 5 K R = 0.5 100 N. */
static void set_physical(settings *s)
{
    set(s, "mass=[[2, 0], [0, m*2*0.05^2]]");
    set(s, "stiffness=[[200, k12*200*0.05], [k12*200*0.05, 200*0.05^2]]");
    set(s, "damping=[[c*20, 0], [0, c*20*0.05^2]]");
    set(s, "vb=0.15*0.05*10");
    set(s, "mu=0.5");
    set(s, "contacts.pad.normal_force=100");
    set(s, "contacts.pad.area.radius=0.05");
}

static void set_law(settings *s, const disk_case *which)
{
    if (which->epsilon > 0) {
        set(s, "contacts.pad.law.type=sqrt");
        set(s, "contacts.pad.law.epsilon=%.17g", which->epsilon);
    }
    if (!isnan(which->eta_prime)) {
        set(s, "contacts.pad.law.static_ratio=~"); /* not given */
        set(s, "contacts.pad.law.eta_prime=%.17g", which->eta_prime);
    } else {
        set(s, "static_ratio=%.17g", which->static_ratio);
    }
    if (which->surface)
        set(s, "contacts.pad.law.surface=%s", which->surface);
}

int disk_run(slip_context *ctx, const disk_case *which, const char *folder, slip_result **result)
{
    double time = which->physical ? disk_scales.time : 1;
    settings s = {.count = 0};
    paper_case run = {"disk-on-belt", s.list, slip_run_options_default(), which->name};
    set_law(&s, which);
    if (which->physical)
        set_physical(&s);
    if (!isnan(which->x))
        set(&s, "simulate.initial={x: %.17g, phi: %.17g, x': %.17g, phi': %.17g}", which->x, which->phi,
            which->v, which->w);
    run.options.method = which->epsilon > 0 ? "smooth" : "event";
    run.options.end = which->end * time;
    run.options.record_from = which->from * time;
    run.options.record_every = 0.02 * time;
    run.options.record_events = 0; /* equal steps in time */
    run.options.tolerance = which->epsilon > 0 ? 1e-13 : 1e-11;
    return paper_case_run(ctx, &run, folder, result, NULL);
}

/* ---- the periodic motion ---- */

enum { passages_max = 400 };

/* One passage of the section: time, record before it, and the numbers that have to repeat. */
typedef struct passage {
    double t, v, phi, w;
    int64_t record;
} passage;

typedef struct series {
    const double *t, *x[3], *phi[3], *slip;
    int64_t count;
} series;

static series series_of(const slip_result *result)
{
    series s = {.t = slip_result_series(result, "t", &s.count)};
    static const char *const x[3] = {"x", "x'", "x''"}, *const phi[3] = {"phi", "phi'", "phi''"};
    for (int k = 0; k < 3; k++) {
        s.x[k] = slip_result_series(result, x[k], NULL);
        s.phi[k] = slip_result_series(result, phi[k], NULL);
    }
    s.slip = slip_result_series(result, "pad.slip", NULL);
    return s;
}

/* The quintic through value, slope and curvature at both ends of a step h, at part u; and its slope. */
static double hermite(const double *const f[3], int64_t i, double h, double u, double *slope)
{
    double d = f[0][i + 1] - f[0][i], v0 = h * f[1][i], v1 = h * f[1][i + 1], a0 = h * h * f[2][i],
           a1 = h * h * f[2][i + 1];
    double c3 = 10 * d - 6 * v0 - 4 * v1 - (3 * a0 - a1) / 2;
    double c4 = -15 * d + 8 * v0 + 7 * v1 + (3 * a0 - 2 * a1) / 2;
    double c5 = 6 * d - 3 * (v0 + v1) - (a0 - a1) / 2;
    if (slope)
        *slope = (v0 + u * (a0 + u * (3 * c3 + u * (4 * c4 + u * 5 * c5)))) / h;
    return f[0][i] + u * (v0 + u * (a0 / 2 + u * (c3 + u * (c4 + u * c5))));
}

static passage locate(const series *s, int64_t i, double section)
{
    double h = s->t[i + 1] - s->t[i], low = 0, high = 1;
    passage p = {.record = i};
    for (int k = 0; k < 60; k++) {
        double middle = (low + high) / 2;
        if (hermite(s->x, i, h, middle, NULL) > section)
            low = middle;
        else
            high = middle;
    }
    p.t = s->t[i] + low * h;
    hermite(s->x, i, h, low, &p.v);
    p.phi = hermite(s->phi, i, h, low, &p.w);
    return p;
}

static int find_passages(const series *s, passage *passages)
{
    double least = INFINITY, largest = -INFINITY, section;
    int count = 0;
    for (int64_t i = 0; i < s->count; i++) {
        least = fmin(least, s->x[0][i]);
        largest = fmax(largest, s->x[0][i]);
    }
    section = (least + largest) / 2;
    for (int64_t i = 0; i + 1 < s->count && count < passages_max; i++)
        if (s->x[0][i] > section && s->x[0][i + 1] <= section)
            passages[count++] = locate(s, i, section);
    return count;
}

/* The smallest number of passages after which the state is the same. 0: it is never. */
static int repeats_after(const passage *passages, int count)
{
    const double same = 1e-4;
    const passage *last = &passages[count - 1];
    for (int k = 1; 2 * k < count; k++) {
        const passage *p = last - k;
        if (fabs(p->v - last->v) < same && fabs(p->phi - last->phi) < same && fabs(p->w - last->w) < same)
            return k;
    }
    return 0;
}

/* The return times tend to the period geometrically: where three of them are there, their limit by Aitken's
 * process. */
static double period_of(const passage *passages, int count, int k)
{
    double t[3];
    for (int i = 0; i < 3; i++)
        t[i] = count - 1 - (i + 1) * k >= 0
                   ? passages[count - 1 - i * k].t - passages[count - 1 - (i + 1) * k].t
                   : NAN;
    double first = t[1] - t[2], second = t[0] - t[1], change = second - first;
    bool geometric = fabs(second) < 0.95 * fabs(first) && fabs(second) > 1e-9;
    return geometric ? t[0] - second * second / change : t[0];
}

static int stick_phases(const slip_result *result, double from, double to)
{
    int count = 0;
    for (int64_t i = 0; i < slip_result_event_count(result); i++) {
        const slip_event *event = slip_result_event(result, i);
        count += event->to == SLIP_MODE_STICK && event->time > from && event->time <= to;
    }
    return count;
}

int disk_orbit_find(const slip_result *result, disk_orbit *orbit)
{
    passage passages[passages_max];
    series s = series_of(result);
    int count = find_passages(&s, passages), k = count > 0 ? repeats_after(passages, count) : 0;
    if (k == 0)
        return paper_fail(SLIP_ERROR_SOLVER,
                          "disk on a belt: the motion does not repeat within the recorded span (%d passages)",
                          count);
    const passage *first = &passages[count - 1 - k], *last = &passages[count - 1];
    *orbit = (disk_orbit){.period = period_of(passages, count, k),
                          .slips = k,
                          .stick_phases = -1,
                          .first = first->record,
                          .count = last->record - first->record + 2};
    if (strcmp(slip_result_method(result), "event") == 0)
        orbit->stick_phases = stick_phases(result, first->t, last->t);
    /* The slowest record: in stick, or as near to it as the law comes. */
    int64_t slowest = first->record;
    for (int64_t i = first->record; i <= last->record; i++)
        if (s.slip[i] < s.slip[slowest])
            slowest = i;
    orbit->x = s.x[0][slowest];
    orbit->phi = s.phi[0][slowest];
    return SLIP_OK;
}
