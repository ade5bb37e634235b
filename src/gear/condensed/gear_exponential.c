/* The method "exponential": reduced gears whose attachment vectors follow the contact forces, except the kept
 * vectors of lowest frequency. Steps are those of gear_step.h; their length follows from the contact force.
 *
 * Within a step the contact force is assumed to be linear in time. The impulse of a step then has the error
 * h^3 F''/12 where the force is smooth, and at most h^2 D/8 where a node comes into contact and the slope of
 * the force changes by D. Linear extrapolation from the previous step has the error E = h^2 F'' or h D, so E
 * h/8 estimates the error of the impulse in both cases. It is kept below tolerance^(3/2) F T, F the largest
 * force so far and T the longest period of the gears: then the sum of the errors is proportional to the
 * tolerance, and a change of slope needs no smaller steps than a smooth force. Begin and end of contact of
 * two gears are located. */
#include "gear/condensed/gear_step.h"
#include "gear/gear_frames.h"
#include "gear/gear_motion.h"
#include "gear/train/train_motion.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Lengths of steps: the largest, and the largest while flanks are near, over T; the first one of a contact,
 * times the highest frequency and over the root of the tolerance. */
static const double longest = 1.0 / 20, longest_near = 1.0 / 160, first_step = 1;
/* Ends of contact are located to this share of tolerance times T. */
static const double located = 0.05;
/* The iteration of a step ends at this share of the tolerance. */
static const double settled = 0.02;
/* Convergence that is accepted in a step of fixed length: the normal at a node on the edge of two facets may
 * alternate between theirs. */
static const double turns_limit = 1e-4;
/* Limits of `stiffness` of gear_step.h: the one that a chosen step keeps, and the stability limit. */
static const double soft_limit = 0.7, hard_limit = 2;
/* Steps between two calls of the judge, which searches all nodes near another flank anew. */
enum { judge_every = 20 };
/* Attachment vectors have inertia up to this multiple of the highest frequency of the modes. */
static const double kept_range = 4;

typedef struct run {
    slip_gear_motion *motion;
    const slip_gear_run_options *options;
    slip_gear_step *step;
    slip_propagator *propagator; /* of samples */
    int version;                 /* of its coordinates */
    slip_gear_state sample_state;
    const slip_gear_state *sampled; /* that of the sample that was taken last */
    double period, fastest;         /* T, highest angular frequency */
    /* Data of an impact in each mesh: effective mass, kg, and the radii of the pitch circles. */
    struct impact {
        double mass, arm[2];
    } * impacts;
    double scale;     /* of forces: the largest so far, or that of the impact */
    double h;         /* next step */
    bool contact_due; /* the next step begins at a located contact */
    int64_t steps, rejected;
    double before[2],
        flanks; /* for the shown step: energy lost and work before it; energy lost in its flanks */
    double lost, work, largest_momentum;
    double *impulse, *first_momentum, *momentum; /* of each shaft */
    double *amplitude;                           /* room for three of a flank */
    double *acceleration[2];                     /* of a train: of y, of q */
    slip_gear_frames *frames;
} run;

/* ---- Samples. */

/* The share of the step that is shown before a time. */
static double share_of(const slip_gear_step *s, double t)
{
    return fmin((t - s->now.time) / (s->next.time - s->now.time), 1);
}

/* The history of a flank begins with its first force. */
static int take_history(slip_gear_motion *motion, double t, int64_t row)
{
    run *r = motion->self;
    slip_gear_step *s = r->step;
    const double x = share_of(s, t);
    for (int k = 0; k < s->gear_count; k++) {
        const slip_gear_wheel *g = s->gear[k].wheel;
        for (int f = 0; g->remainder.flexibility && f < g->flanks; f++) {
            const slip_gear_load *l = slip_gear_step_load(s, k, f);
            for (int i = 0; i < g->size; i++)
                r->amplitude[i] = l ? (1 - x) * l->lagged[0][i] + x * l->lagged[1][i] : 0;
            SLIP_PASS(slip_gear_motion_participation(motion, k, g->surface[f], l && l->normal[2] > 0, row,
                                                     g->size, r->amplitude, NULL,
                                                     l ? (1 - x) * l->normal[1] + x * l->normal[2] : 0));
        }
    }
    return SLIP_OK;
}

static int make_frames(slip_context *ctx, run *r)
{
    const slip_gear_step *s = r->step;
    SLIP_FREED slip_gear_subject *subjects = slip_alloc(s->gear_count, sizeof *subjects);
    SLIP_PASS(slip_allocated(ctx, subjects));
    for (int k = 0; k < s->gear_count; k++) {
        const slip_gear_wheel *wheel = s->gear[k].wheel;
        subjects[k] = (slip_gear_subject){&s->group->gears[k], wheel->body, wheel->modes, wheel};
    }
    return slip_gear_frames_create(ctx, s->gear_count, subjects, &r->frames);
}

/* The axis of a gear. */
static const double *centre_of(const slip_gear_step *s, int gear)
{
    int m = 0;
    while (s->group->meshes[m].gear[0] != gear && s->group->meshes[m].gear[1] != gear)
        m++;
    return s->pairs[m]->wheels[s->group->meshes[m].gear[0] == gear ? 0 : 1].centre;
}

/* Passes a gear to the frames, at the fraction x of the step, with the attachment vectors of its loaded
 * flanks. */
static void put_into_frame(run *r, int k, const slip_gear_state *at, double x)
{
    const slip_gear_step *s = r->step;
    const slip_step_gear *own = &s->gear[k];
    const slip_gear_wheel *g = own->wheel;
    const double *q = at->q + own->first_mode, *p = q + g->modes;
    slip_gear_frames_place(r->frames, k, at->angle[own->shaft] + own->offset, centre_of(s, k), q);
    for (int i = 0; g->remainder.flexibility && i < own->load_count; i++, p += own->kept.count) {
        const slip_gear_load *l = &own->loads[i];
        double *e = r->amplitude, *amplitude = e + g->size, *scratch = amplitude + g->size;
        for (int d = 0; d < g->size; d++)
            e[d] = (1 - x) * l->lagged[0][d] + x * l->lagged[1][d];
        slip_gear_kept_amplitudes(&own->kept, l->flank, g->size, p, e, scratch, amplitude);
        slip_gear_frames_load(r->frames, k, l->flank, amplitude);
    }
}

static void measure(run *r, const slip_gear_state *at, double strain, double lost, double work,
                    slip_gear_sample *to)
{
    const slip_gear_step *s = r->step;
    r->sampled = at;
    to->time = at->time;
    to->force = at->force;
    to->touching = at->touching;
    to->depth = at->depth;
    to->kinetic = 0;
    to->strain = strain;
    to->contact = at->spring;
    to->lost = lost;
    to->work = work;
    for (int g = 0; g < s->gear_count; g++) {
        const slip_floating_account account = slip_gear_step_measure(s, at, g);
        to->kinetic += account.kinetic;
        to->strain += account.strain;
    }
    for (int k = 0; k < s->shaft_count; k++) {
        to->angle[k] = at->angle[k];
        to->speed[k] = at->speed[k];
        to->moment[k] = at->moment[k] + at->rubbing[k];
    }
    memcpy(to->normal, at->normal, sizeof(double) * (size_t)s->mesh_count);
}

/* For a train: accelerations y'', from the equation of motion of each coordinate. */
static void give_amplitudes(slip_gear_motion *motion, double *turning, double *q, double *v, double *a)
{
    const run *r = motion->self;
    const slip_gear_step *s = r->step;
    const slip_gear_state *at = r->sampled;
    double *of_y = r->acceleration[0], *of_q = r->acceleration[1];
    for (int i = 0; a && i < s->count; i++)
        of_y[i] = at->press[i] + at->rub[i] + s->torque[i] + s->inertia[i] -
                  s->propagator->damping[i] * at->v[i] - s->propagator->square[i] * at->y[i];
    for (int k = 0; a && k < s->shaft_count; k++)
        turning[k] = slip_free_modes_expand(s->shaft[k].modes, of_y + s->shaft[k].first,
                                            of_q + s->shaft[k].first_mode);
    for (int g = 0; g < s->gear_count; g++) {
        const int first = slip_train_motion_first(motion->train, g), own = s->gear[g].first_mode;
        const size_t size = sizeof(double) * (size_t)s->gear[g].wheel->modes;
        if (q)
            memcpy(q + first, at->q + own, size);
        if (v)
            memcpy(v + first, at->rate + own, size);
        if (a)
            memcpy(a + first, of_q + own, size);
    }
}

/* Adapts the propagator of samples to the present coordinates. */
static void follow_coordinates(run *r)
{
    const slip_propagator *p = r->step->propagator;
    size_t numbers = sizeof(double) * (size_t)p->count;
    if (r->version == r->step->version)
        return;
    memcpy(r->propagator->square, p->square, numbers);
    memcpy(r->propagator->damping, p->damping, numbers);
    r->propagator->count = p->count;
    r->propagator->step = -1;
    r->version = r->step->version;
}

/* The state at time t inside the step that is about to be accepted, in r->sample_state, as a sample. */
static void between(slip_gear_motion *motion, double t, slip_gear_sample *sample)
{
    run *r = motion->self;
    slip_gear_step *s = r->step;
    const double x = fmax(share_of(s, t), 1e-12); /* nothing is divided by zero */
    follow_coordinates(r);
    const double strain =
        slip_gear_step_between(s, x * (s->next.time - s->now.time), r->propagator, &r->sample_state);
    const slip_gear_change change = slip_gear_step_change(s, &r->sample_state);
    measure(r, &r->sample_state, strain, r->before[0] + s->dropped + change.lost + x * r->flanks,
            r->before[1] + change.work, sample);
}

static int set_scene(slip_gear_motion *motion, double t, slip_gear_scene *scene)
{
    run *r = motion->self;
    const slip_gear_step *s = r->step;
    const slip_gear_state *at = &s->now;
    if (!r->frames)
        SLIP_PASS(make_frames(motion->ctx, r));
    if (motion->in_step) {
        between(motion, t, &motion->sample);
        at = &r->sample_state;
    }
    scene->time = at->time;
    scene->force = at->force;
    for (int k = 0; k < s->gear_count; k++) {
        put_into_frame(r, k, at, motion->in_step ? share_of(s, t) : 0);
        SLIP_PASS(slip_gear_frames_solve(motion->ctx, r->frames, k,
                                         &scene->gears[slip_gear_motion_place(motion, k)]));
    }
    return SLIP_OK;
}

/* ---- Steps. */

static int attempt(slip_context *ctx, run *r, double h)
{
    return slip_gear_step_attempt(ctx, r->step, h, settled * r->options->tolerance, r->scale);
}

/* Measures the gears at the end of the attempted step and checks for unbounded growth. */
static int see_end(run *r)
{
    const slip_gear_step *s = r->step;
    double strain = 0, most = 0;
    int busiest = 0;
    for (int g = 0; g < s->gear_count; g++)
        for (int i = 0; i < s->gear[g].load_count; i++)
            strain += s->gear[g].loads[i].strain[1];
    measure(r, &s->next, strain, r->lost + s->dropped, r->work, slip_gear_motion_next_sample(r->motion));
    if (!slip_gear_motion_check(r->motion))
        return SLIP_OK;
    for (int g = 0; g < s->gear_count; g++) {
        const slip_floating_account account = slip_gear_step_measure(s, &s->next, g);
        if (!(account.kinetic + account.strain <= most)) {
            most = account.kinetic + account.strain;
            busiest = g;
        }
    }
    return slip_gear_motion_unbounded(r->motion, "", s->gear[busiest].wheel->name);
}

/* Accepts the attempted step. It is shown first, because acceptance may change the coordinates. */
static int accept(slip_context *ctx, run *r)
{
    slip_gear_step *s = r->step;
    slip_gear_change change;
    slip_gear_step_account(s, &change);
    r->before[0] = r->lost;
    r->before[1] = r->work;
    r->flanks = change.flanks;
    r->lost += change.lost;
    r->work += change.work;
    SLIP_PASS(see_end(r));
    slip_gear_motion_watch(r->motion, s->next.time, s->next.normal);
    slip_gear_motion_show(r->motion, r->motion->end - s->next.time > 1e-12 * r->motion->end ? s->next.time
                                                                                            : r->motion->end);
    for (int k = 0; k < s->shaft_count; k++) {
        r->impulse[k] += slip_gear_step_impulse(s, &s->next, k, &r->momentum[k]);
        r->largest_momentum = fmax(r->largest_momentum, fabs(r->momentum[k]));
    }
    r->scale = fmax(r->scale, s->next.force);
    if (r->steps++ % judge_every == 0)
        r->motion->residual = fmax(r->motion->residual, slip_gear_step_judge(s));
    return slip_gear_step_accept(ctx, s);
}

/* An estimate of the force of the coming impact, from the relative velocity at the pitch circles. */
static double impact_force(const run *r)
{
    const slip_gear_step *s = r->step;
    double largest = 0;
    for (int m = 0; m < s->mesh_count; m++) {
        const struct impact *impact = &r->impacts[m];
        double velocity = 0;
        for (int k = 0; k < 2; k++)
            velocity += s->now.speed[s->gear[s->group->meshes[m].gear[k]].shaft] * impact->arm[k];
        largest = fmax(largest, fabs(velocity) * impact->mass / r->period);
    }
    return largest;
}

/* Shortens the step so that it ends just before contact begins: bisection, helped by the depth. */
static int locate_begin(slip_context *ctx, run *r, double high, double least)
{
    slip_gear_step *s = r->step;
    double low = 0, low_depth = -INFINITY, high_depth = s->approach;
    for (bool half = false; high - low > least; half = !half) {
        double share = isfinite(low_depth) && !half ? low_depth / (low_depth - high_depth) : 0.5;
        double h = low + fmin(fmax(share, 1e-3), 1 - 1e-3) * (high - low);
        SLIP_PASS(attempt(ctx, r, h));
        if (s->next.force > 0) {
            high = h;
            high_depth = s->approach;
        } else {
            low = h;
            low_depth = s->approach;
        }
    }
    r->contact_due = true;
    if (low > 0) {
        SLIP_PASS(attempt(ctx, r, low));
        SLIP_PASS(accept(ctx, r));
    }
    s->before = 0;
    r->h = fmin(high, first_step * sqrt(r->options->tolerance) / r->fastest);
    r->scale = fmax(r->scale, impact_force(r));
    return SLIP_OK;
}

/* Shortens the step so that it ends when contact ends. */
static int locate_end(slip_context *ctx, run *r, double high, double least)
{
    slip_gear_step *s = r->step;
    double low = 0, low_force = s->now.force, begin_force = low_force;
    for (bool half = false; high - low > least; half = !half) {
        double slope = low > 0 ? (low_force - begin_force) / low : -2 * low_force / high;
        double guess = slope < 0 ? low - low_force / slope * 1.001 : high;
        double h = half || !(guess > low && guess < high) ? (low + high) / 2 : guess;
        SLIP_PASS(attempt(ctx, r, h));
        if (s->next.force > 0) {
            low = h;
            low_force = s->next.force;
        } else {
            high = h;
        }
    }
    SLIP_PASS(attempt(ctx, r, high));
    SLIP_PASS(accept(ctx, r));
    s->before = 0;
    r->h = longest_near * r->period;
    return SLIP_OK;
}

/* Attempts one step; r->h is the length to try next. */
static int advance(slip_context *ctx, run *r, double left)
{
    slip_gear_step *s = r->step;
    double h = fmin(r->h, left), tolerance = r->options->tolerance, cut = 1;
    double least = located * tolerance * r->period;
    /* No very short step is left before the end. */
    h = left - h < 0.01 * h ? left : h;
    SLIP_PASS(attempt(ctx, r, h));
    bool before = s->now.force > 0, after = s->next.force > 0;
    if (!before && after && !r->contact_due)
        return locate_begin(ctx, r, h, least);
    if (before && !after && h > least)
        return locate_end(ctx, r, h, least);
    double allowed = pow(tolerance, 1.5) * r->scale * r->period;
    double error = s->before > 0 ? s->defect * h / 8 / allowed : 0;
    if (s->stiffness > soft_limit)
        cut = fmin(cut, 0.9 * sqrt(soft_limit / s->stiffness));
    if (!s->settled)
        cut = fmin(cut, 0.5);
    if (error > 1)
        cut = fmin(cut, fmax(0.9 * cbrt(1 / error), 0.2));
    if (cut < 1 && h > least) { /* smaller steps do not reduce the error of a force that jumps */
        r->h = cut * h;
        r->rejected++;
        return SLIP_OK;
    }
    SLIP_PASS(accept(ctx, r));
    r->contact_due = false;
    r->h = fmax(r->h, h) * (error > 0 ? fmin(fmax(0.9 * cbrt(1 / error), 0.2), 2) : 2);
    r->h = fmax(r->h, least);
    r->h = fmin(r->h, (!after && s->contact->count > 0 ? longest_near : longest) * r->period);
    return SLIP_OK;
}

/* A step of fixed length. */
static int advance_fixed(slip_context *ctx, run *r, double left)
{
    slip_gear_step *s = r->step;
    double h = r->options->step;
    h = left < (1 + 1e-6) * h ? left : h;
    SLIP_PASS(attempt(ctx, r, h));
    if (s->stiffness > hard_limit)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "step %g s is above the stability limit of this contact: expected at most about "
                         "%.3g s",
                         r->options->step, h * sqrt(hard_limit / s->stiffness));
    if (!s->settled && s->change > turns_limit)
        return slip_fail(ctx, SLIP_ERROR_SOLVER,
                         "the contact forces of a step of %g s did not settle: expected a smaller step", h);
    return accept(ctx, r);
}

/* ---- The motion. */

static int step(slip_gear_motion *motion)
{
    run *r = motion->self;
    slip_context *ctx = motion->ctx;
    const slip_gear_state *now = &r->step->now; /* accepting a step changes what is there */
    const double left = motion->end - now->time;
    int status;
    if (!(now->time < motion->end * (1 - 1e-12)))
        return SLIP_STOPPED;
    status = r->options->step > 0 ? advance_fixed(ctx, r, left) : advance(ctx, r, left);
    motion->time = now->time;
    motion->steps = r->steps;
    motion->evaluations = r->step->evaluations;
    motion->touching = now->force > 0;
    if (status < 0 && status != SLIP_ERROR_MEMORY)
        return slip_fail(ctx, status, "t = %.9g s: %s", now->time, slip_context_message(ctx));
    return status;
}

static int measure_now(slip_gear_motion *motion, slip_gear_sample *sample)
{
    run *r = motion->self;
    const slip_gear_step *s = r->step;
    double strain = 0;
    for (int g = 0; g < s->gear_count; g++)
        for (int i = 0; i < s->gear[g].load_count; i++)
            strain += s->gear[g].loads[i].strain[0];
    measure(r, &s->now, strain, r->lost + s->dropped, r->work, sample);
    return SLIP_OK;
}

static void set_torques(slip_gear_motion *motion)
{
    slip_gear_step_load_torques(((run *)motion->self)->step);
}

/* The effective mass and the radii of the gears of a mesh. */
static struct impact find_impact(const slip_gear_step *s, int mesh)
{
    const slip_tooth_wheel *wheels = s->pairs[mesh]->wheels;
    const double distance =
        hypot(wheels[1].centre[0] - wheels[0].centre[0], wheels[1].centre[1] - wheels[0].centre[1]);
    const int teeth[2] = {wheels[0].teeth, wheels[1].teeth};
    struct impact impact = {0};
    double inverse = 0;
    for (int k = 0; k < 2; k++) {
        const slip_free_modes *m = s->shaft[s->gear[s->group->meshes[mesh].gear[k]].shaft].modes;
        impact.arm[k] = distance * teeth[k] / (teeth[0] + teeth[1]);
        inverse += m->driven ? 0 : impact.arm[k] * impact.arm[k] / m->moment;
    }
    impact.mass = inverse > 0 ? 1 / inverse : 0;
    return impact;
}

static int reserve(slip_context *ctx, run *r)
{
    slip_gear_step *s = r->step;
    slip_arena *arena = &r->motion->arena;
    int size = 0;
    for (int g = 0; g < s->gear_count; g++)
        size = s->gear[g].wheel->size > size ? s->gear[g].wheel->size : size;
    r->impacts = slip_arena_array(arena, s->mesh_count, sizeof *r->impacts);
    r->impulse = slip_arena_array(arena, 3 * (int64_t)s->shaft_count, sizeof(double));
    r->amplitude = slip_arena_array(arena, 3 * (int64_t)size, sizeof(double));
    r->acceleration[0] = slip_arena_array(arena, s->capacity + s->mode_capacity, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, r->impacts && r->impulse && r->amplitude && r->acceleration[0]));
    r->acceleration[1] = r->acceleration[0] + s->capacity;
    r->first_momentum = r->impulse + s->shaft_count;
    r->momentum = r->first_momentum + s->shaft_count;
    return SLIP_OK;
}

static int prepare(slip_context *ctx, run *r)
{
    slip_gear_step *s = r->step;
    double lowest = INFINITY;
    SLIP_PASS(reserve(ctx, r));
    for (int i = 0; i < s->count; i++) {
        double square = s->propagator->square[i];
        lowest = square > 0 ? fmin(lowest, square) : lowest;
        r->fastest = fmax(r->fastest, sqrt(square));
    }
    r->period = 2 * pi / sqrt(lowest);
    for (int g = 0; g < s->gear_count; g++) {
        const slip_gear_kept *kept = &s->gear[g].kept;
        if (kept->count > 0)
            r->fastest = fmax(r->fastest, sqrt(kept->square[kept->count - 1]));
    }
    for (int m = 0; m < s->mesh_count; m++)
        r->impacts[m] = find_impact(s, m);
    for (int k = 0; k < s->shaft_count; k++) {
        slip_gear_step_impulse(s, &s->now, k, &r->momentum[k]);
        r->first_momentum[k] = r->momentum[k];
        r->largest_momentum = fmax(r->largest_momentum, fabs(r->momentum[k]));
    }
    r->h = longest_near * r->period;
    SLIP_PASS(slip_propagator_create(ctx, s->capacity, &r->propagator));
    return slip_gear_step_state(ctx, s, &r->sample_state);
}

static int hand_numbers(slip_gear_motion *motion, const slip_number_sink *sink)
{
    const run *r = motion->self;
    const slip_gear_step *s = r->step;
    for (int k = 0; k < s->shaft_count; k++) {
        const double gained = r->momentum[k] - r->first_momentum[k] + s->shaft[k].dropped_momentum;
        SLIP_PASS(slip_gear_motion_number_momentum(
            motion, sink, k, r->largest_momentum > 0 ? (gained - r->impulse[k]) / r->largest_momentum : 0));
    }
    return SLIP_OK;
}

/* Starts from the coordinates of a train; `next` serves as scratch. */
static void begin(slip_gear_step *s, const slip_train_motion *t)
{
    slip_gear_state *room = &s->next;
    for (int k = 0; k < s->shaft_count; k++) {
        room->angle[k] = t->q[t->coordinate[k]];
        room->speed[k] = t->v[t->coordinate[k]];
    }
    for (int g = 0; g < s->gear_count; g++) {
        const int first = slip_train_motion_first(t, g), own = s->gear[g].first_mode;
        memcpy(room->q + own, t->q + first, sizeof(double) * (size_t)s->gear[g].wheel->modes);
        memcpy(room->rate + own, t->v + first, sizeof(double) * (size_t)s->gear[g].wheel->modes);
    }
    slip_gear_step_begin(s, room->angle, room->speed, room->q, room->rate);
}

static int open(slip_gear_motion *motion)
{
    run *r = motion->self = slip_alloc(1, sizeof *r);
    SLIP_PASS(slip_allocated(motion->ctx, r));
    r->motion = motion;
    r->options = &motion->options;
    SLIP_PASS(slip_gear_step_create(motion->ctx, &motion->group, kept_range, &r->step));
    if (motion->train)
        begin(r->step, motion->train);
    if (r->options->initial)
        SLIP_PASS(slip_gear_step_rest(motion->ctx, r->step));
    r->scale = r->step->now.force;
    motion->touching = r->scale > 0;
    return prepare(motion->ctx, r);
}

static void close(slip_gear_motion *motion)
{
    SLIP_FREED run *r = motion->self;
    slip_propagator_destroy(r->propagator);
    slip_gear_frames_destroy(r->frames);
    slip_gear_step_destroy(r->step);
}

static void keep(slip_gear_motion *motion, slip_keeper *k)
{
    run *r = motion->self;
    slip_gear_step_keep(r->step, k);
    SLIP_KEEP_ALL(k, SLIP_BLOCK(r->scale), SLIP_BLOCK(r->h), SLIP_BLOCK(r->contact_due), SLIP_BLOCK(r->steps),
                  SLIP_BLOCK(r->rejected), SLIP_BLOCK(r->lost), SLIP_BLOCK(r->work),
                  SLIP_BLOCK(r->largest_momentum));
    slip_keep_bytes(k, r->impulse, 3 * sizeof(double) * (size_t)r->step->shaft_count); /* and momenta */
}

const slip_gear_method slip_gear_method_exponential = {.name = "exponential",
                                                       .reduced = true,
                                                       .condensed = true,
                                                       .open = open,
                                                       .step = step,
                                                       .measure = measure_now,
                                                       .amplitudes = give_amplitudes,
                                                       .between = between,
                                                       .history = take_history,
                                                       .scene = set_scene,
                                                       .set_torques = set_torques,
                                                       .keep = keep,
                                                       .numbers = hand_numbers,
                                                       .close = close};
