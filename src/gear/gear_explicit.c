/* The method "explicit": the nonlinear finite element model of gears. */
#include "card/card.h"
#include "fem/brick_stress.h"
#include "gear/gear_impact.h"
#include "gear/gear_motion.h"
#include "gear/train/train_motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct explicit_run {
    slip_gear_motion *motion;
    const slip_gear_group *group;
    slip_gear_impact *g;
    slip_card *card; /* NULL: the processor takes the steps */
    /* Angular momentum of each shaft at the start, its largest imbalance since then, the largest of all
     * shafts. */
    double *momentum, *unbalanced, largest;
    double *now, *brought; /* of each shaft: scratch */
    double *kept;          /* numbers of a checkpoint */
    double *flank;         /* forces on one */
    double **mises;        /* of a frame */
    bool rested;           /* the start from static equilibrium has been found, */
    double left;           /* but for this part of the torques */
} explicit_run;

/* ---- Samples. */

/* The mesh in which a flank takes forces, and the side of it on which its gear is; NULL: in none. */
static const slip_impact_mesh *find_paired(const explicit_run *r, int gear, int flank, int *side)
{
    for (int i = 0; i < r->group->mesh_count; i++) {
        const slip_impact_mesh *m = &r->g->meshes[i];
        for (*side = 0; *side < 2; (*side)++)
            for (int p = 0; m->gear[*side] == gear && m->totals.touching > 0 && p < m->pair_count; p++)
                if (m->pairs[p].surface[*side] == flank)
                    return m;
    }
    return NULL;
}

/* Forces of the contact on the nodes of a flank, in its frame. Returns the size of their sum. */
static double flank_forces(const explicit_run *r, const slip_impact_mesh *m, int side, int flank,
                           double *force)
{
    const int k = m->gear[side];
    const slip_flank_surface *s = &r->g->surfaces[k][flank];
    double angle = m->wheels[side].angle + 2 * pi * (flank / 2) / r->group->gears[k].teeth, c = cos(angle),
           d = sin(angle), sum[3] = {0};
    for (int i = 0; i < s->rows * s->columns; i++, force += 3) {
        const double *f = m->force[side] + 3 * (size_t)s->nodes[i];
        force[0] = c * f[0] + d * f[1];
        force[1] = c * f[1] - d * f[0];
        force[2] = f[2];
        for (int j = 0; j < 3; j++)
            sum[j] += f[j];
    }
    return sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}

/* The history of a flank begins with its first force at a sample. */
static int take_history(slip_gear_motion *motion, double t, int64_t row)
{
    explicit_run *r = motion->self;
    (void)t;
    for (int k = 0; k < r->group->gear_count; k++)
        for (int flank = 0; flank < 2 * r->group->gears[k].teeth; flank++) {
            const slip_flank_surface *s = &r->g->surfaces[k][flank];
            int size = 3 * s->rows * s->columns, side;
            const slip_impact_mesh *m = find_paired(r, k, flank, &side);
            double force = 0;
            if (m)
                force = flank_forces(r, m, side, flank, r->flank);
            else
                memset(r->flank, 0, sizeof(double) * (size_t)size);
            SLIP_PASS(slip_gear_motion_participation(motion, k, flank, force > 0, row, size, r->flank, NULL,
                                                     force));
        }
    return SLIP_OK;
}

/* Compares the change of angular momentum of each shaft with the impulse of contact, torque and drive. */
static void check_momentum(explicit_run *r)
{
    const size_t shafts = sizeof(double) * (size_t)r->group->shaft_count;
    memset(r->now, 0, shafts);
    memset(r->brought, 0, shafts);
    for (int k = 0; k < r->group->gear_count; k++) {
        r->now[r->group->shaft[k]] += slip_explicit_momentum(r->g->model, k);
        r->brought[r->group->shaft[k]] += r->g->impulse[k] + slip_explicit_rotor_of(r->g->model, k).impulse;
    }
    if (r->motion->steps == 0)
        memcpy(r->momentum, r->now, shafts);
    for (int k = 0; k < r->group->shaft_count; k++) {
        r->largest = fmax(r->largest, fabs(r->now[k]));
        r->unbalanced[k] = fmax(r->unbalanced[k], fabs(r->now[k] - r->momentum[k] - r->brought[k]));
    }
}

/* Names the fastest node. */
static int stop_growth(slip_context *ctx, const explicit_run *r)
{
    char when[60], who[160];
    double largest = 0;
    int gear = 0, node = 0;
    SLIP_PASS(slip_explicit_fetch(ctx, r->g->model));
    const double *v = slip_explicit_state_of(r->g->model).velocity;
    for (int k = 0; k < r->group->gear_count; k++) {
        int first = slip_explicit_rotor_of(r->g->model, k).first_node;
        for (int i = 0; i < r->g->mesh[k]->mesh->node_count; i++) {
            const double *own = v + 3 * ((size_t)first + (size_t)i);
            double square = own[0] * own[0] + own[1] * own[1] + own[2] * own[2];
            if (square > largest) {
                largest = square;
                gear = k;
                node = i;
            }
        }
    }
    snprintf(who, sizeof who, "node %d of %.100s", node + 1, r->group->gears[gear].name);
    snprintf(when, sizeof when, "t = %.9g s: ", r->motion->seen[1].time);
    return slip_gear_motion_unbounded(r->motion, when, who);
}

/* Moves the gears from the start position to static equilibrium if wanted, before anything is measured. */
static int come_to_rest(slip_gear_motion *motion)
{
    explicit_run *r = motion->self;
    if (!motion->options.initial || r->rested)
        return SLIP_OK;
    r->rested = true;
    return slip_gear_impact_rest(motion->ctx, r->g, &r->left);
}

static void find_forces(const slip_gear_motion *motion, double *normal)
{
    const explicit_run *r = motion->self;
    for (int i = 0; i < r->group->mesh_count; i++)
        normal[i] = r->g->meshes[i].totals.normal_force;
}

/* The sample without energies. */
static void measure_cheaply(slip_gear_motion *motion, slip_gear_sample *now)
{
    const explicit_run *r = motion->self;
    const slip_gear_impact *g = r->g;
    now->time = slip_explicit_state_of(g->model).time;
    now->force = g->totals.normal_force;
    now->touching = g->totals.touching;
    now->depth = g->totals.deepest;
    memset(now->moment, 0, sizeof(double) * (size_t)r->group->shaft_count);
    for (int k = r->group->gear_count - 1; k >= 0; k--) {
        const int shaft = r->group->shaft[k];
        const double offset = r->group->offset ? r->group->offset[k] : 0;
        now->angle[shaft] = slip_explicit_rotor_of(g->model, k).angle - offset;
        now->speed[shaft] = slip_explicit_rotor_of(g->model, k).speed;
        now->moment[shaft] += g->moment[k];
    }
    find_forces(motion, now->normal);
}

static int measure_now(slip_gear_motion *motion, slip_gear_sample *now)
{
    const explicit_run *r = motion->self;
    slip_explicit_ledger ledger;
    SLIP_PASS(come_to_rest(motion));
    const int status = slip_explicit_account(motion->ctx, r->g->model, &ledger);
    now->kinetic = ledger.kinetic;
    now->strain = ledger.strain;
    now->contact = ledger.load;
    now->lost = ledger.lost;
    now->work = ledger.work;
    measure_cheaply(motion, now); /* of the forces that were found for the account */
    return status;
}

/* Whole gears have no amplitudes. */
static void give_amplitudes(slip_gear_motion *motion, double *turning, double *q, double *v, double *a)
{
    const explicit_run *r = motion->self;
    (void)q, (void)v;
    for (int k = 0; a && k < r->group->gear_count; k++)
        turning[r->group->shaft[k]] = slip_explicit_acceleration(r->g->model, k);
}

static int check_growth(slip_gear_motion *motion)
{
    explicit_run *r = motion->self;
    SLIP_PASS(measure_now(motion, slip_gear_motion_next_sample(motion)));
    motion->evaluations = slip_explicit_state_of(r->g->model).evaluations;
    check_momentum(r);
    return slip_gear_motion_check(motion) ? stop_growth(motion->ctx, r) : SLIP_OK;
}

/* ---- Frames. */

/* The axis of a gear. */
static const double *centre_of(const explicit_run *r, int gear)
{
    const slip_impact_mesh *m = r->g->meshes;
    while (m->gear[0] != gear && m->gear[1] != gear)
        m++;
    return m->wheels[m->gear[0] == gear ? 0 : 1].centre;
}

static int set_scene(slip_gear_motion *motion, double t, slip_gear_scene *scene)
{
    explicit_run *r = motion->self;
    slip_explicit *model = r->g->model;
    (void)t;
    SLIP_PASS(slip_explicit_fetch(motion->ctx, model));
    scene->time = slip_explicit_state_of(model).time;
    scene->force = r->g->totals.normal_force;
    for (int k = 0; k < r->group->gear_count; k++) {
        const slip_gear_options *gear = &r->group->gears[k];
        const slip_mesh *mesh = r->g->mesh[k]->mesh;
        const double *position =
            slip_explicit_state_of(model).position + 3 * (size_t)slip_explicit_rotor_of(model, k).first_node;
        slip_gear_shown *to = &scene->gears[slip_gear_motion_place(motion, k)];
        if (!r->mises[k])
            r->mises[k] = slip_arena_array(&motion->arena, mesh->node_count, sizeof(double));
        SLIP_PASS(slip_allocated(motion->ctx, r->mises[k]));
        *to = (slip_gear_shown){.angle = slip_explicit_rotor_of(model, k).angle,
                                .node_count = mesh->node_count,
                                .position = position,
                                .stress = r->mises[k]};
        memcpy(to->centre, centre_of(r, k), sizeof to->centre);
        SLIP_PASS(slip_brick_mises(motion->ctx, mesh, position, gear->young, gear->poisson,
                                   motion->options.hourglass > 0, r->mises[k]));
    }
    return SLIP_OK;
}

/* ---- The motion. */

static void see_time(slip_gear_motion *motion)
{
    const explicit_run *r = motion->self;
    motion->time = slip_explicit_state_of(r->g->model).time;
    motion->steps = slip_explicit_state_of(r->g->model).steps;
    motion->evaluations = slip_explicit_state_of(r->g->model).evaluations;
    motion->step = slip_explicit_state_of(r->g->model).step;
    motion->touching = r->g->totals.touching > 0;
}

static int step(slip_gear_motion *motion)
{
    explicit_run *r = motion->self;
    slip_explicit *model = r->g->model;
    const double time = slip_explicit_state_of(model).time, h = slip_explicit_state_of(model).step;
    const double next = slip_gear_next_step(motion, time, h);
    if (next == 0)
        return SLIP_STOPPED;
    SLIP_PASS(come_to_rest(motion));
    SLIP_PASS(next < h ? slip_explicit_advance_to(motion->ctx, model, time + next)
                       : slip_explicit_advance(motion->ctx, model, 1));
    see_time(motion);
    find_forces(motion, motion->sample.normal);
    slip_gear_motion_watch(motion, r->g->time, motion->sample.normal);
    motion->residual = fmax(motion->residual, r->g->totals.residual);
    slip_gear_motion_show_near(motion);
    return SLIP_OK;
}

static void set_torques(slip_gear_motion *motion)
{
    const explicit_run *r = motion->self;
    for (int k = 0; k < r->group->gear_count; k++)
        slip_explicit_set_torque(r->g->model, k, r->group->sides[k].torque);
}

static int hand_numbers(slip_gear_motion *motion, const slip_number_sink *sink)
{
    const explicit_run *r = motion->self;
    const slip_explicit *model = r->g->model;
    SLIP_PASS(slip_gear_motion_number_step(motion, sink, slip_explicit_state_of(model).step,
                                           slip_explicit_state_of(model).first_step));
    if (motion->options.initial)
        SLIP_PASS(sink->number(sink->user, motion->ctx, "initial.residual", r->left));
    for (int k = 0; k < r->group->shaft_count; k++)
        SLIP_PASS(slip_gear_motion_number_momentum(motion, sink, k,
                                                   r->largest > 0 ? r->unbalanced[k] / r->largest : 0));
    return SLIP_OK;
}

static void keep(slip_gear_motion *motion, slip_keeper *k)
{
    explicit_run *r = motion->self;
    const int shafts = r->group->shaft_count, last = 2 * shafts + 2;
    const size_t size = sizeof(double) * (size_t)shafts;
    double *n = r->kept;
    memcpy(n, r->momentum, size);
    n[shafts] = r->largest;
    memcpy(n + shafts + 1, r->unbalanced, size);
    n[last - 1] = r->left;
    n[last] = motion->residual;
    slip_keep_finite(k, "run", n, last + 1);
    slip_gear_impact_keep(r->g, k, motion->options.checkpoint);
    if (!slip_kept_back(k))
        return;
    memcpy(r->momentum, n, size);
    r->largest = n[shafts];
    memcpy(r->unbalanced, n + shafts + 1, size);
    r->left = n[last - 1];
    r->rested = true;
    motion->residual = n[last];
    if (k->file)
        see_time(motion);
}

static int reserve(slip_context *ctx, explicit_run *r)
{
    slip_arena *arena = &r->motion->arena;
    const int gears = r->group->gear_count, shafts = r->group->shaft_count;
    int64_t most = 0;
    r->mises = slip_arena_array(arena, gears, sizeof *r->mises);
    r->momentum = slip_arena_array(arena, 6 * (int64_t)shafts + 3, sizeof(double));
    for (int k = 0; r->mises && k < gears; k++) {
        const slip_flank_surface *s = &r->g->surfaces[k][0];
        most = 3 * s->rows * s->columns > most ? 3 * s->rows * s->columns : most;
    }
    r->flank = slip_arena_array(arena, most, sizeof *r->flank);
    SLIP_PASS(slip_allocated(ctx, r->mises && r->flank && r->momentum));
    r->unbalanced = r->momentum + shafts;
    r->now = r->unbalanced + shafts;
    r->brought = r->now + shafts;
    r->kept = r->brought + shafts;
    return SLIP_OK;
}

/* Opens the graphics card if one is wanted; it cannot compute gears that share a shaft. */
static int open_card(slip_context *ctx, const slip_gear_group *group, const char *device, slip_card **card)
{
    const bool asked = device && strcmp(device, "cuda") == 0;
    if (!asked && (!device || strcmp(device, "auto") != 0 || group->shaft_count < group->gear_count))
        return SLIP_OK;
    const int status = slip_card_open(ctx, card);
    if (status < 0 && !asked)
        slip_context_clear(ctx);
    return asked ? status : SLIP_OK;
}

static int open(slip_gear_motion *motion)
{
    explicit_run *r = motion->self = slip_alloc(1, sizeof *r);
    const slip_train_motion *t = motion->train;
    double *start = slip_arena_array(&motion->arena, 2 * (int64_t)motion->group.shaft_count, sizeof *start);
    SLIP_PASS(slip_allocated(motion->ctx, r && start));
    r->motion = motion;
    r->group = &motion->group;
    double *speed = start + r->group->shaft_count;
    for (int k = 0; t && k < r->group->shaft_count; k++) {
        start[k] = t->q[t->coordinate[k]];
        speed[k] = t->v[t->coordinate[k]];
    }
    SLIP_PASS(open_card(motion->ctx, r->group, motion->options.device, &r->card));
    SLIP_PASS(slip_gear_impact_create(motion->ctx, r->group, &motion->options, t ? start : NULL,
                                      t ? speed : NULL, r->card, &r->g));
    see_time(motion);
    return reserve(motion->ctx, r);
}

static void close(slip_gear_motion *motion)
{
    SLIP_FREED explicit_run *r = motion->self;
    slip_gear_impact_destroy(r->g);
    slip_card_close(r->card);
}

const slip_gear_method slip_gear_method_explicit = {.name = "explicit",
                                                    .open = open,
                                                    .step = step,
                                                    .measure = measure_now,
                                                    .measure_cheaply = measure_cheaply,
                                                    .amplitudes = give_amplitudes,
                                                    .check = check_growth,
                                                    .history = take_history,
                                                    .scene = set_scene,
                                                    .set_torques = set_torques,
                                                    .keep = keep,
                                                    .numbers = hand_numbers,
                                                    .close = close};
