/* Two gears in mesh under load over the mesh cycle.
 *
 * The position in which perfect rigid gears touch is the reference of the transmission error. In the
 * symmetric position the middle of a tooth of the first gear is in the middle of a space of the second. Half
 * the thickness of a tooth of gear k on its working pitch circle r_k is r_k (half_k + inv alpha - inv
 * alpha_w), so that the backlash there is
 *
 *     j = 2 pi r_1/z_1 - 2 sum_k r_k (half_k + inv alpha - inv alpha_w),
 *
 * and the second gear touches when it has turned by j/(2 r_2). */
#include "gear/statics/gear_cycle.h"

#include "gear/statics/gear_static.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* The deflection of the teeth under the least torque allowed, over the rounding error of positions. */
static const double least_yield = 3e4;

/* Tolerance, in pitches, of the positions at which pairs come into contact or leave it. */
static const double change_tolerance = 1e-4;

slip_gear_cycle_options slip_gear_cycle_options_default(void)
{
    return (slip_gear_cycle_options){.torque = NAN,
                                     .penalty = INFINITY,
                                     .two_pass = 0.5,
                                     .smooth = 1,
                                     .points = 60,
                                     .cycles = 1,
                                     .locate = 1};
}

/* ---- Checks. */

static int check_number(slip_context *ctx, const char *name, double value, bool good, const char *expected)
{
    return good ? SLIP_OK
                : slip_fail(ctx, SLIP_ERROR_MODEL, "found %s %g, expected %s", name, value, expected);
}

static int check_options(slip_context *ctx, const slip_gear_cycle_options *o)
{
    SLIP_PASS(check_number(ctx, "torque", o->torque, isfinite(o->torque) && o->torque != 0,
                           "a number of N m that is not zero: on the second gear"));
    SLIP_PASS(check_number(ctx, "distance", o->distance, o->distance >= 0 && isfinite(o->distance),
                           "a positive number of metres, or 0 for that without backlash"));
    SLIP_PASS(check_number(ctx, "penalty", o->penalty, o->penalty > 0, "a positive number of N/m"));
    SLIP_PASS(check_number(ctx, "two_pass", o->two_pass, o->two_pass >= 0 && o->two_pass <= 1, "0 to 1"));
    SLIP_PASS(check_number(ctx, "points", o->points, o->points >= 2 && o->points <= 100000, "2 to 100000"));
    SLIP_PASS(check_number(ctx, "cycles", o->cycles, o->cycles > 0 && o->cycles <= 10000,
                           "more than 0, at most 10000"));
    return check_number(ctx, "phase", o->phase, isfinite(o->phase), "a number of pitches");
}

/* ---- Outlines. */

typedef struct slip_gear_mesh_geometry {
    double distance, working_angle;
    double base[2], pitch_radius[2]; /* radii of base and working pitch circles */
    double backlash;
    double modulus; /* 1/((1 - nu^2)/E + (1 - nu^2)/E) */
    double contact_ratio;
} slip_gear_mesh_geometry;

static double involute(double angle)
{
    return tan(angle) - angle;
}

static int measure(slip_context *ctx, const slip_gear_options gears[2], const slip_gear_cycle_options *o,
                   slip_gear_mesh_geometry *m)
{
    slip_profile profile[2];
    double softness = 0;
    SLIP_PASS(slip_gear_distance(ctx, &gears[0], &gears[1], &m->distance, NULL));
    m->distance = o->distance > 0 ? o->distance : m->distance;
    for (int k = 0; k < 2; k++) {
        SLIP_PASS(slip_profile_make(ctx, &gears[k], &profile[k]));
        m->base[k] = profile[k].radii.base_radius;
        m->pitch_radius[k] = m->distance * gears[k].teeth / (gears[0].teeth + gears[1].teeth);
        softness += (1 - gears[k].poisson * gears[k].poisson) / gears[k].young;
    }
    SLIP_PASS(slip_gear_contact_ratio(ctx, &gears[0], &gears[1], o->distance, &m->contact_ratio));
    m->modulus = 1 / softness;
    m->working_angle = acos((m->base[0] + m->base[1]) / m->distance);
    m->backlash = 2 * pi * m->pitch_radius[0] / gears[0].teeth;
    for (int k = 0; k < 2; k++)
        m->backlash -= 2 * m->pitch_radius[k] *
                       (profile[k].half_thickness + involute(profile[k].alpha) - involute(m->working_angle));
    return SLIP_OK;
}

/* Stiffness is torque over a difference of angles, which must be larger than its rounding error. */
static int check_torque(slip_context *ctx, const slip_gear_options gears[2], const slip_gear_mesh_geometry *m,
                        double torque)
{
    const double reach = slip_gear_static_reach(gears, m->base[1], 1);
    const double least = least_yield * slip_gear_static_rounding(m->distance) / reach;
    if (fabs(torque) >= least)
        return SLIP_OK;
    return slip_fail(
        ctx, SLIP_ERROR_MODEL,
        "found torque %g N m, expected at least %.2g N m: the teeth would yield by about %.1g m, "
        "not enough to be told from rounding",
        torque, least, fabs(torque) * reach / 3);
}

static int check_all(slip_context *ctx, const slip_gear_options gears[2], const slip_gear_cycle_options *o,
                     slip_gear_mesh_geometry *m)
{
    SLIP_PASS(check_options(ctx, o));
    SLIP_PASS(measure(ctx, gears, o, m));
    return check_torque(ctx, gears, m, o->torque);
}

int slip_gear_cycle_check(slip_context *ctx, const slip_gear_options gears[2],
                          const slip_gear_cycle_options *options)
{
    SLIP_NEED(ctx, gears, options);
    slip_gear_mesh_geometry geometry;
    slip_context_clear(ctx);
    return check_all(ctx, gears, options, &geometry);
}

/* ---- A point. */

typedef struct slip_cycle_job {
    const slip_gear_options *gears;
    slip_gear_mesh_geometry geometry;
    slip_gear_pair *pair;
    slip_gear_static *statics;
    slip_gear_cycle *cycle;
} slip_cycle_job;

/* The angles of perfect rigid gears in contact, for a position in pitches. */
static void perfect_angles(const slip_cycle_job *j, double position, double angle[2])
{
    double z[2] = {j->gears[0].teeth, j->gears[1].teeth}, sense = j->cycle->torque > 0 ? 1 : -1;
    angle[0] = 2 * pi * position / z[0];
    angle[1] = pi + pi / z[1] - angle[0] * z[0] / z[1] +
               sense * j->geometry.backlash / (2 * j->geometry.pitch_radius[1]);
}

/* Forces of the layers of the first gear's flank over the width that belongs to each. */
static void take_line(const slip_cycle_job *j, int flank, double *line)
{
    const slip_gear_static *s = j->statics;
    const slip_gear_cycle *c = j->cycle;
    int along = s->curve[0][0].columns, last = c->layer_count - 1;
    const double *f = s->nodal[0] + (size_t)flank * (size_t)s->pair->gear[0]->size;
    for (int l = 0; l <= last; l++) {
        double sum[3] = {0}, width = (c->layers[l < last ? l + 1 : l] - c->layers[l > 0 ? l - 1 : l]) / 2;
        for (int i = 0; i < 3 * along; i++)
            sum[i % 3] += *f++;
        line[l] = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / width;
    }
}

/* Hertz's pressure between two cylinders; the radii of the involutes are along the line of action. */
static double hertz_pressure(const slip_gear_mesh_geometry *m, double path, double line)
{
    double whole = m->distance * sin(m->working_angle), first = m->base[0] * tan(m->working_angle) + path;
    double second = whole - first;
    return first > 0 && second > 0 ? sqrt(line * m->modulus * (1 / first + 1 / second) / pi) : NAN;
}

static int take_pair(slip_context *ctx, const slip_cycle_job *j, int pair, slip_gear_cycle_point *p)
{
    const slip_gear_static *s = j->statics;
    const int *surface = s->pair->pairs[pair].surface;
    slip_gear_cycle_pair to = {.tooth = {surface[0] / 2, surface[1] / 2}, .left = surface[0] % 2};
    double radius = 0, largest = 0;
    for (int r = 0; r < s->row_count; r++)
        if (s->rows[r].pair == pair && s->force[r] > 0) {
            to.force += s->force[r];
            to.share -= s->force[r] * s->rows[r].arm[1] / s->torque;
            radius += s->force[r] * s->rows[r].radius;
        }
    if (!(to.force > 0) || p->pair_count == slip_gear_cycle_pairs_max)
        return SLIP_OK;
    double *line = slip_arena_array(&j->cycle->arena, j->cycle->layer_count, sizeof *line);
    SLIP_PASS(slip_allocated(ctx, line));
    radius /= to.force;
    to.path = sqrt(fmax(0, radius * radius - pow(j->geometry.base[0], 2))) -
              j->geometry.base[0] * tan(j->geometry.working_angle);
    take_line(j, surface[0], line);
    to.line = line;
    for (int l = 0; l < j->cycle->layer_count; l++)
        largest = fmax(largest, line[l]);
    to.pressure = hertz_pressure(&j->geometry, to.path, largest);
    p->pairs[p->pair_count++] = to;
    return SLIP_OK;
}

static void count_nodes(const slip_gear_static *s, slip_gear_cycle_point *p)
{
    int size = s->pair->gear[0]->size;
    for (int q = 0; q < s->pair->pair_count; q++) {
        const double *f = s->nodal[0] + (size_t)s->pair->pairs[q].surface[0] * (size_t)size;
        for (int i = 0; i < size; i += 3) {
            double force = sqrt(f[i] * f[i] + f[i + 1] * f[i + 1] + f[i + 2] * f[i + 2]);
            p->touching += force > 1e-9 * fabs(s->torque) / s->base_radius[1];
            p->largest = fmax(p->largest, force);
        }
    }
}

static int solve_point(slip_context *ctx, const slip_cycle_job *j, double position, slip_gear_cycle_point *p)
{
    slip_gear_static *s = j->statics;
    double base = s->base_radius[1], sense = s->torque > 0 ? 1 : -1, perfect[2];
    perfect_angles(j, position, perfect);
    *p = (slip_gear_cycle_point){.position = position, .angle = {perfect[0], perfect[1]}};
    SLIP_PASS(slip_gear_static_touch(ctx, s, p->angle));
    p->unloaded = sense * base * (p->angle[1] - perfect[1]);
    SLIP_PASS(slip_gear_static_load(ctx, s, p->angle));
    p->error = sense * base * (p->angle[1] - perfect[1]);
    p->stiffness = fabs(s->torque) / base / (p->error - p->unloaded);
    p->tangent = s->tangent / (base * base);
    p->iterations = s->iterations;
    memcpy(p->moment, s->moment, sizeof p->moment);
    p->ratio = fabs(s->moment[0] / s->moment[1]) * j->gears[1].teeth / j->gears[0].teeth;
    count_nodes(s, p);
    for (int q = 0; q < s->pair->pair_count; q++)
        SLIP_PASS(take_pair(ctx, j, q, p));
    return SLIP_OK;
}

/* ---- Changes. */

static bool touches(const slip_gear_cycle_point *p, const slip_gear_cycle_pair *pair)
{
    for (int i = 0; i < p->pair_count; i++)
        if (p->pairs[i].tooth[0] == pair->tooth[0] && p->pairs[i].tooth[1] == pair->tooth[1] &&
            p->pairs[i].left == pair->left)
            return true;
    return false;
}

/* Locates the change of a pair that is in contact at one of two positions. */
static int locate(slip_context *ctx, const slip_cycle_job *j, const slip_gear_cycle_pair *pair,
                  double without, double with)
{
    slip_gear_cycle *c = j->cycle;
    slip_gear_cycle_change change = {.tooth = {pair->tooth[0], pair->tooth[1]}, .enters = with > without};
    while (fabs(with - without) > change_tolerance) {
        slip_gear_cycle_point p;
        SLIP_PASS(solve_point(ctx, j, (with + without) / 2, &p));
        *(touches(&p, pair) ? &with : &without) = (with + without) / 2;
    }
    change.position = (with + without) / 2;
    SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(c->changes, c->change_capacity, c->change_count + 1)));
    c->changes[c->change_count++] = change;
    return SLIP_OK;
}

static int by_position(const void *a, const void *b)
{
    double x = ((const slip_gear_cycle_change *)a)->position,
           y = ((const slip_gear_cycle_change *)b)->position;
    return (x > y) - (x < y);
}

static int locate_all(slip_context *ctx, const slip_cycle_job *j, const slip_gear_cycle_point *before,
                      const slip_gear_cycle_point *after)
{
    int first = j->cycle->change_count;
    for (int i = 0; i < before->pair_count; i++)
        if (!touches(after, &before->pairs[i]))
            SLIP_PASS(locate(ctx, j, &before->pairs[i], after->position, before->position));
    for (int i = 0; i < after->pair_count; i++)
        if (!touches(before, &after->pairs[i]))
            SLIP_PASS(locate(ctx, j, &after->pairs[i], before->position, after->position));
    if (j->cycle->change_count > first)
        qsort(j->cycle->changes + first, (size_t)(j->cycle->change_count - first), sizeof *j->cycle->changes,
              by_position);
    return SLIP_OK;
}

/* ---- The cycle. */

static int make_cycle(slip_context *ctx, const slip_gear_options gears[2], const slip_gear_cycle_options *o,
                      int count, slip_gear_cycle **cycle)
{
    slip_gear_cycle *c = *cycle = slip_alloc(1, sizeof *c);
    SLIP_PASS(slip_allocated(ctx, c));
    c->torque = o->torque;
    c->points_wanted = o->points;
    c->width = fmin(gears[0].width, gears[1].width);
    c->points = slip_arena_array(&c->arena, count, sizeof *c->points);
    for (int k = 0; k < 2; k++) {
        c->names[k] = slip_arena_string(&c->arena, gears[k].name);
        c->teeth[k] = gears[k].teeth;
    }
    return c->points && c->names[0] && c->names[1] ? SLIP_OK : slip_fail_memory(ctx);
}

static int take_layers(slip_context *ctx, slip_gear_cycle *c, const slip_gear_static *s)
{
    const slip_flank_curve *curve = &s->curve[0][0];
    c->layers = slip_arena_array(&c->arena, curve->rows, sizeof *c->layers);
    SLIP_PASS(slip_allocated(ctx, c->layers));
    c->layer_count = curve->rows;
    for (int l = 0; l < curve->rows; l++)
        c->layers[l] = s->pair->gear[0]->points[0][3 * l * curve->columns + 2];
    return SLIP_OK;
}

static int open_job(slip_context *ctx, const slip_reduced *const bodies[2], const slip_gear_cycle_options *o,
                    slip_cycle_job *j)
{
    slip_gear_run_options run = slip_gear_run_options_default();
    const slip_gear_static_options statics = {o->penalty, o->two_pass, o->smooth != 0, o->torque};
    run.distance = o->distance;
    run.two_pass = o->two_pass;
    SLIP_PASS(slip_gear_pair_create(ctx, j->gears, bodies, &run, NULL, &j->pair));
    SLIP_PASS(slip_gear_static_create(ctx, j->pair, j->gears, &statics, &j->statics));
    return take_layers(ctx, j->cycle, j->statics);
}

int slip_gear_cycle_run(slip_context *ctx, const slip_gear_options gears[2],
                        const slip_reduced *const bodies[2], const slip_gear_cycle_options *options,
                        slip_gear_cycle **cycle)
{
    SLIP_NEED_FOR(cycle, ctx, gears, bodies, options);
    slip_cycle_job j = {.gears = gears};
    int status, count = 0;
    slip_context_clear(ctx);
    SLIP_TRY(check_all(ctx, gears, options, &j.geometry));
    count = (int)floor(options->points * options->cycles + 0.5) + 1;
    SLIP_TRY(make_cycle(ctx, gears, options, count, &j.cycle));
    j.cycle->contact_ratio = j.geometry.contact_ratio;
    SLIP_TRY(open_job(ctx, bodies, options, &j));
    for (int i = 0; i < count; i++) {
        slip_gear_cycle_point *p = &j.cycle->points[i];
        if (slip_interrupted(ctx)) {
            status = slip_fail(ctx, SLIP_INTERRUPTED, "interrupted");
            goto done;
        }
        SLIP_TRY(solve_point(ctx, &j, options->phase + (double)i / options->points, p));
        j.cycle->point_count++;
        if (i > 0 && options->locate)
            SLIP_TRY(locate_all(ctx, &j, p - 1, p));
        slip_progress_report(
            ctx, &(slip_progress){.what = "mesh cycle", .fraction = (i + 1.0) / count, .steps = i + 1});
    }
done:
    slip_gear_static_destroy(j.statics);
    slip_gear_pair_destroy(j.pair);
    if (j.cycle && j.cycle->point_count > 0)
        *cycle = j.cycle;
    else
        slip_gear_cycle_destroy(j.cycle);
    return status;
}

void slip_gear_cycle_destroy(slip_gear_cycle *c)
{
    if (!c)
        return;
    free(c->changes);
    slip_arena_free(&c->arena);
    free(c);
}

/* ---- Looking. */

/* A list of the cycle; `count` may be NULL. */
static const void *list_of(const void *list, int length, int *count)
{
    if (count)
        *count = length;
    return list;
}

const slip_gear_cycle_point *slip_gear_cycle_points(const slip_gear_cycle *c, int *count)
{
    return c ? list_of(c->points, c->point_count, count) : list_of(NULL, 0, count);
}

const slip_gear_cycle_change *slip_gear_cycle_changes(const slip_gear_cycle *c, int *count)
{
    return c ? list_of(c->changes, c->change_count, count) : list_of(NULL, 0, count);
}

const double *slip_gear_cycle_layers(const slip_gear_cycle *c, int *count)
{
    return c ? list_of(c->layers, c->layer_count, count) : list_of(NULL, 0, count);
}

/* The number of points over which means are taken: whole cycles if there are any, without the last point,
 * which repeats the first. */
static int mean_count(const slip_gear_cycle *c)
{
    int whole = (c->point_count - 1) / c->points_wanted * c->points_wanted;
    return whole > 0 ? whole : c->point_count;
}

/* The mean number of pairs in contact, by the places where that changes. */
static double mean_pairs(const slip_gear_cycle *c, int means)
{
    if (c->point_count == 0)
        return 0;
    double begin = c->points[0].position,
           end = c->points[means < c->point_count ? means : c->point_count - 1].position,
           sum = c->points[0].pair_count * (end - begin);
    for (int i = 0; i < c->change_count; i++)
        sum += (c->changes[i].enters ? 1 : -1) * fmax(end - c->changes[i].position, 0);
    return end > begin ? sum / (end - begin) : c->points[0].pair_count;
}

slip_gear_cycle_summary slip_gear_cycle_summarise(const slip_gear_cycle *c)
{
    if (!c)
        return (slip_gear_cycle_summary){0};
    slip_gear_cycle_summary s = {.contact_ratio = c->contact_ratio, .width = c->width};
    double error[2] = {INFINITY, -INFINITY}, unloaded[2] = {INFINITY, -INFINITY}, yield = 0, force = 0;
    int means = mean_count(c);
    s.stiffness_low = INFINITY;
    s.loaded_ratio = mean_pairs(c, means);
    for (int i = 0; i < c->point_count; i++) {
        const slip_gear_cycle_point *p = &c->points[i];
        if (i < means) {
            s.error_mean += p->error / means;
            s.ratio_mean += p->ratio / means;
            yield += (p->error - p->unloaded) / means;
            force = p->stiffness * (p->error - p->unloaded);
        }
        error[0] = fmin(error[0], p->error);
        error[1] = fmax(error[1], p->error);
        unloaded[0] = fmin(unloaded[0], p->unloaded);
        unloaded[1] = fmax(unloaded[1], p->unloaded);
        s.stiffness_low = fmin(s.stiffness_low, p->stiffness);
        s.stiffness_high = fmax(s.stiffness_high, p->stiffness);
        s.ratio_off = fmax(s.ratio_off, fabs(p->ratio - 1));
        s.balance = fmax(s.balance, fabs(p->moment[1] + c->torque) / fabs(c->torque));
        s.largest = fmax(s.largest, p->largest);
        for (int k = 0; k < p->pair_count; k++)
            s.pressure = fmax(s.pressure, p->pairs[k].pressure);
    }
    s.error_range = error[1] - error[0];
    s.unloaded_range = unloaded[1] - unloaded[0];
    s.stiffness_mean = force / yield;
    return s;
}
