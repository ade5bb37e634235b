/* Runs of the gear impact study. */
#include "impact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The pinion turns freely at this speed when the flanks meet: driven, the contact would not end. */
static const double speed = 5, duration = 3e-4;

/* By how much the axes are further apart than without backlash: the pinion bounces back and must not hit the
 * next tooth with its other flanks. */
static const double play = 1e-4;
static const int most_modes[2] = {2000, 400};

/* Over which forces are averaged. */
static const double averaging = 2e-6;

/* The published mesh has about nine times as many elements. */
static const slip_gear_mesh_options coarse[2] = {{12, 2, 6, 2, 10, 4}, {12, 2, 6, 2, 12, 4}};

int impact_create(slip_context *ctx, bool full, const paper_printer *out, impact_study *m)
{
    slip_model *model = NULL;
    slip_reduce_options options = slip_reduce_options_default();
    int status;
    *m = (impact_study){.time = duration, .samples = 1501, .full = full, .out = out};
    TRY(slip_model_parse(ctx, slip_example_text("gear-pair"), "gear-pair.yaml", NULL, &model));
    for (int k = 0; k < 2; k++) {
        static const char *const names[2] = {"pinion", "wheel"};
        slip_gear_options *g = &m->gears[k];
        slip_gear_counts counts;
        *g = *slip_model_gear(model, k);
        g->name = names[k];
        g->element = "full"; /* as the nonlinear model, which the others are judged by */
        g->modes = most_modes[k];
        if (!full)
            g->mesh = coarse[k];
        TRY(slip_gear_mesh_size(ctx, g, &counts));
        TRY(slip_gear_reduce(ctx, g, &options, &m->bodies[k]));
        paper_say(out, "%s: %d nodes, %d elements; %d eigenmodes to %.0f kHz, %d attachment modes a flank",
                  g->name, counts.nodes, counts.elements, slip_reduced_mode_count(m->bodies[k]),
                  1e-3 *
                      slip_reduced_modes(m->bodies[k])[slip_reduced_mode_count(m->bodies[k]) - 1].frequency,
                  3 * counts.flank_nodes);
    }
    TRY(slip_gear_distance(ctx, &m->gears[0], &m->gears[1], &m->distance, NULL));
    m->distance += play;
    paper_say(out, "distance of the axes %.3f mm, %g mm more than without backlash", 1e3 * m->distance,
              1e3 * play);
done:
    slip_model_destroy(model);
    if (status < 0)
        impact_free(m);
    return status;
}

void impact_free(impact_study *m)
{
    for (int i = 0; i < m->count; i++)
        slip_result_destroy(m->results[i]);
    for (int k = 0; k < 2; k++)
        slip_reduced_destroy(m->bodies[k]);
    *m = (impact_study){0};
}

static bool same_case(const impact_case *a, const impact_case *b)
{
    bool modes = a->modes[0] == b->modes[0] && a->modes[1] == b->modes[1];
    return strcmp(a->reduction, b->reduction) == 0 && a->penalty == b->penalty &&
           a->two_pass == b->two_pass && (modes || strcmp(a->reduction, "explicit") == 0);
}

static void say_run(const impact_study *m, const impact_case *c, const slip_result *r)
{
    paper_say(m->out, "  %-22s %8.1e %5.1f %10.1f %9.2f %10.4f %9.4f %9.1e %9.2f", c->label, c->penalty,
              c->two_pass, slip_result_number(r, "peak_force"), 1e6 * slip_result_number(r, "contact_time"),
              slip_result_number(r, "final.pinion.speed"), impact_speed(r),
              slip_result_number(r, "energy.drift"), slip_result_number(r, "wall_seconds"));
}

/* What all runs share: the pinion turns, the wheel is at rest. */
static slip_gear_run_options impact_options(const impact_study *m)
{
    slip_gear_run_options o = slip_gear_run_options_default();
    o.side[0].speed = speed;
    o.distance = m->distance;
    return o;
}

int impact_get(slip_context *ctx, impact_study *m, const impact_case *which, const slip_result **result)
{
    slip_gear_run_options o = impact_options(m);
    bool nonlinear = strcmp(which->reduction, "explicit") == 0;
    for (int i = 0; i < m->count; i++)
        if (same_case(&m->cases[i], which)) {
            *result = m->results[i];
            return SLIP_OK;
        }
    if (m->count == impact_runs_max)
        return paper_fail(SLIP_ERROR_SOLVER, "more than %d runs in one study", impact_runs_max);
    for (int k = 0; k < 2; k++) {
        o.side[k].modes = nonlinear ? -1 : which->modes[k];
        o.side[k].reduction = nonlinear ? "none" : which->reduction;
    }
    o.penalty = which->penalty;
    o.two_pass = which->two_pass;
    o.method = nonlinear ? "explicit" : NULL;
    o.time = m->time;
    o.samples = m->samples;
    o.history = !nonlinear;
    const slip_reduced *const bodies[2] = {m->bodies[0], m->bodies[1]};
    int status = slip_gear_run(ctx, m->gears, bodies, &o, &m->results[m->count]);
    if (status < 0) {
        slip_result_destroy(m->results[m->count]);
        m->results[m->count] = NULL;
        return status;
    }
    m->cases[m->count] = *which;
    m->cases[m->count].label = NULL; /* may be of a figure that is gone by then */
    *result = m->results[m->count++];
    say_run(m, which, *result);
    return SLIP_OK;
}

double *impact_force(const impact_study *m, const slip_result *result)
{
    int64_t count;
    const double *force = slip_result_series(result, "force", &count);
    const int64_t half = (int64_t)lround(averaging / 2 * (m->samples - 1) / m->time);
    double *mean = paper_alloc(count, sizeof *mean);
    for (int64_t i = 0; mean && i < count; i++) {
        int64_t low = i > half ? i - half : 0, high = i + half < count ? i + half : count - 1;
        for (int64_t k = low; k <= high; k++)
            mean[i] += force[k] / (double)(high - low + 1);
    }
    return mean;
}

double impact_speed(const slip_result *r)
{
    int64_t count, taken = 0;
    const double *t = slip_result_series(r, "t", &count),
                 *turning = slip_result_series(r, "wheel.speed", NULL);
    double last = slip_result_number(r, "last_contact"), sum = 0;
    for (int64_t i = 0; i < count; i++)
        if (t[i] > last) {
            sum += turning[i];
            taken++;
        }
    return taken > 0 ? sum / (double)taken : NAN;
}

int impact_compare(const impact_study *m, const slip_result *run, const slip_result *reference,
                   impact_error *error)
{
    double *a = impact_force(m, run), *b = impact_force(m, reference);
    double square = 0, whole = 0, peak[2] = {0, 0};
    int status = a && b ? SLIP_OK : paper_fail_memory();
    for (int64_t i = 0; status >= 0 && i < m->samples; i++) {
        square += (a[i] - b[i]) * (a[i] - b[i]);
        whole += b[i] * b[i];
        peak[0] = fmax(peak[0], a[i]);
        peak[1] = fmax(peak[1], b[i]);
    }
    error->peak = peak[0] / peak[1] - 1;
    error->mean = sqrt(square / whole);
    error->time = slip_result_number(run, "contact_time") / slip_result_number(reference, "contact_time") - 1;
    error->speed = impact_speed(run) / impact_speed(reference) - 1;
    free(a);
    free(b);
    return status;
}

int impact_draw_animation(slip_context *ctx, impact_study *m, const char *folder)
{
    slip_gear_run_options o = impact_options(m);
    slip_gear_animation *animation = NULL;
    slip_result *result = NULL;
    char path[4096];
    int status;
    o.method = "explicit";
    o.time = 1.3e-4; /* the contact and a little more */
    o.samples = 2;
    o.frames = 14;
    if (snprintf(path, sizeof path, "%s/gear-impact-frames", folder) >= (int)sizeof path)
        return paper_fail(SLIP_ERROR_USAGE, "the folder's name is too long: %s", folder);
    TRY(slip_folder_create(ctx, folder));
    TRY(slip_gear_animation_create(ctx, 2, m->gears, &o, path, &animation));
    TRY(slip_gear_run(ctx, m->gears, NULL, &o, &result));
    TRY(slip_gear_animation_finish(ctx, animation, 1, NULL, NULL));
    paper_say(m->out, "  animation: %d frames in %s, PNG and frames.pvd for ParaView", o.frames, path);
done:
    slip_gear_animation_destroy(animation);
    slip_result_destroy(result);
    return status;
}
