/* Explicit dynamics: making the model. The theory is in the header. */
#include "fem/explicit/card.h"
#include "fem/explicit/types.h"

#include "base/threads.h"
#include "fem/hex8.h"
#include "fem/solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { block_batches = 64 };

slip_explicit_options slip_explicit_options_default(void)
{
    return (slip_explicit_options){.safety = 0.9};
}

/* ---- Checks. */

static int check_number(slip_context *ctx, const char *body, const char *name, double value, bool good,
                        const char *expected)
{
    if (good && isfinite(value))
        return SLIP_OK;
    return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: %s %g: expected %s", body, name, value, expected);
}

static int check_material(slip_context *ctx, const slip_explicit_body *b)
{
    SLIP_PASS(check_number(ctx, b->name, "young", b->young, b->young > 0, "a positive number"));
    SLIP_PASS(check_number(ctx, b->name, "density", b->density, b->density > 0, "a positive number"));
    SLIP_PASS(check_number(ctx, b->name, "poisson", b->poisson, b->poisson > -1 && b->poisson < 0.5,
                           "a number between -1 and 0.5"));
    SLIP_PASS(check_number(ctx, b->name, "inertia", b->inertia, b->inertia >= 0, "a number of at least 0"));
    SLIP_PASS(check_number(ctx, b->name, "torque", b->torque, b->rigid || b->torque == 0,
                           "0, since no nodes are rigid"));
    SLIP_PASS(check_number(ctx, b->name, "inertia", b->inertia, b->rigid || b->inertia == 0,
                           "0, since no nodes are rigid"));
    SLIP_PASS(
        check_number(ctx, b->name, "hourglass", b->hourglass, b->hourglass >= 0, "a number of at least 0"));
    SLIP_PASS(check_number(ctx, b->name, "speed", b->speed, true, "a number"));
    if (b->driven && !b->rigid)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: no nodes are rigid: found a drive, expected none",
                         b->name);
    return check_number(ctx, b->name, "angle", b->angle, true, "a number");
}

/* ---- Elements in batches and blocks. */

/* Where the making is. */
typedef struct draft {
    int *local_of; /* of each node: its number in the block that is being made, or -1 */
    int64_t local_capacity;
} draft;

static void fill_lane(slip_explicit *e, const slip_explicit_body *b, int element, int batch, int lane)
{
    double points[24], numbers[slip_brick_reference];
    const int *nodes = slip_mesh_nodes(b->mesh, element);
    for (int k = 0; k < 8; k++)
        memcpy(points + 3 * k, b->mesh->points + 3 * (size_t)nodes[slip_brick_order[k]], 3 * sizeof *points);
    (b->hourglass > 0 ? slip_brick_means : slip_brick_tangents)(points, numbers);
    double *reference = e->reference + (size_t)batch * slip_brick_reference * slip_lanes;
    for (int i = 0; i < slip_brick_reference; i++)
        reference[i * slip_lanes + lane] = numbers[i];
}

/* Numbers the nodes of a block in the order in which its elements name them. */
static int number_block(slip_context *ctx, slip_explicit *e, const slip_explicit_body *b, int first,
                        int count, draft *d, slip_explicit_block *block)
{
    int base = e->parts[block->part].first_node;
    block->local = e->local_total;
    if (!SLIP_ROOM(e->local_nodes, d->local_capacity, e->local_total + 8 * (int64_t)count))
        return slip_fail_memory(ctx);
    for (int lane = 0; lane < block->batch_count * slip_lanes; lane++) {
        int element = first + (lane < count ? lane : count - 1); /* spare lanes repeat the last element */
        int batch = block->batch + lane / slip_lanes;
        int *corners = e->corners + (size_t)batch * 8 * slip_lanes + lane % slip_lanes;
        fill_lane(e, b, element, batch, lane % slip_lanes);
        for (int k = 0; k < 8; k++) {
            int node = base + slip_mesh_nodes(b->mesh, element)[slip_brick_order[k]];
            if (d->local_of[node] < 0) {
                d->local_of[node] = block->local_count++;
                e->local_nodes[e->local_total++] = node;
            }
            corners[k * slip_lanes] = d->local_of[node];
        }
    }
    for (int i = 0; i < block->local_count; i++)
        d->local_of[e->local_nodes[block->local + i]] = -1;
    if (block->local_count > e->scratch_size)
        e->scratch_size = block->local_count;
    return SLIP_OK;
}

static int batches_of(int elements)
{
    return (elements + slip_lanes - 1) / slip_lanes;
}

static int make_blocks(slip_context *ctx, slip_explicit *e, const slip_explicit_body *bodies, draft *d)
{
    enum { most = block_batches * slip_lanes };
    int batch = 0, block_count = 0, status = SLIP_OK;
    for (int p = 0; p < e->part_count && status >= 0; p++)
        for (int first = 0; first < bodies[p].mesh->element_count && status >= 0; first += most) {
            int count = bodies[p].mesh->element_count - first;
            count = count < most ? count : most;
            slip_explicit_block *block = &e->blocks[block_count++];
            *block = (slip_explicit_block){.part = p, .batch = batch, .batch_count = batches_of(count)};
            block->last_lanes = count - (block->batch_count - 1) * slip_lanes;
            batch += block->batch_count;
            status = number_block(ctx, e, &bodies[p], first, count, d, block);
        }
    return status;
}

/* Of each node its copies in the blocks, by ascending block. */
static int list_copies(slip_context *ctx, slip_explicit *e)
{
    e->copy_start = slip_arena_array(&e->arena, (int64_t)e->node_count + 1, sizeof *e->copy_start);
    e->copies = slip_arena_array(&e->arena, e->local_total, sizeof *e->copies);
    SLIP_PASS(slip_allocated(ctx, e->copy_start && e->copies));
    for (int64_t i = 0; i < e->local_total; i++)
        e->copy_start[e->local_nodes[i] + 1]++;
    for (int i = 0; i < e->node_count; i++)
        e->copy_start[i + 1] += e->copy_start[i];
    for (int64_t i = e->local_total - 1; i >= 0; i--)
        e->copies[--e->copy_start[e->local_nodes[i] + 1]] = i;
    /* Each start has been advanced to the end of its list: shift them back. */
    for (int i = 0; i < e->node_count; i++)
        e->copy_start[i] = e->copy_start[i + 1];
    e->copy_start[e->node_count] = e->local_total;
    return SLIP_OK;
}

/* ---- Bodies. */

static int make_part(slip_context *ctx, slip_explicit *e, const slip_explicit_body *b, int index, int *rigid)
{
    slip_explicit_part *p = &e->parts[index];
    slip_hex8_material material = slip_hex8_material_make(b->young, b->poisson, false);
    p->name = slip_arena_string(&e->arena, b->name);
    SLIP_PASS(slip_allocated(ctx, p->name));
    p->lambda = material.lambda;
    p->mu = material.mu;
    p->hourglass = b->hourglass;
    p->torque = b->torque;
    p->driven = b->driven;
    p->angle = b->angle;
    p->speed = b->speed;
    memcpy(p->centre, b->centre, sizeof p->centre);
    memcpy(e->start + 3 * (size_t)p->first_node, b->mesh->points, 3 * sizeof(double) * (size_t)p->node_count);
    for (int el = 0; el < b->mesh->element_count; el++) {
        double points[24], lumps[8], volume = 0;
        const int *nodes = slip_mesh_nodes(b->mesh, el);
        for (int k = 0; k < 8; k++)
            memcpy(points + 3 * k, b->mesh->points + 3 * (size_t)nodes[k], 3 * sizeof *points);
        slip_element_lumps(slip_element_find(&slip_cell_hex8), points, lumps);
        for (int k = 0; k < 8; k++) {
            e->mass[p->first_node + nodes[k]] += b->density * lumps[k];
            volume += lumps[k];
        }
        e->length = fmin(e->length, cbrt(volume));
    }
    for (int i = 0; i < p->node_count; i++)
        if (!(e->mass[p->first_node + i] > 0))
            return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: node %lld of the mesh belongs to no element",
                             b->name, slip_mesh_node_label(b->mesh, i));
    p->rigid = *rigid;
    p->inertia = b->inertia;
    for (int i = 0; b->rigid && i < b->rigid->count; i++) {
        int node = p->first_node + b->rigid->items[i];
        const double *x = e->start + 3 * (size_t)node;
        if (e->held[node])
            continue;
        e->held[node] = true;
        e->rigid_nodes[(*rigid)++] = node;
        p->inertia += e->mass[node] * (x[0] * x[0] + x[1] * x[1]);
    }
    p->rigid_count = *rigid - p->rigid;
    if (b->rigid && !(p->inertia > 0))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: the rigid nodes have no moment of inertia", b->name);
    p->leader = b->shaft > 0 ? e->parts[b->shaft - 1].leader : index;
    if (p->leader != index) {
        e->parts[p->leader].inertia += p->inertia;
        p->inertia = 0;
        p->speed = e->parts[p->leader].speed;
    }
    return SLIP_OK;
}

void slip_explicit_turn(const slip_explicit *e, int part, double angle, double *position)
{
    const slip_explicit_part *p = &e->parts[part];
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < p->rigid_count; i++) {
        size_t node = 3 * (size_t)e->rigid_nodes[p->rigid + i];
        const double *from = e->start + node;
        position[node] = p->centre[0] + c * from[0] - s * from[1];
        position[node + 1] = p->centre[1] + s * from[0] + c * from[1];
        position[node + 2] = from[2];
    }
}

double slip_explicit_moment(const slip_explicit *e, int part, const double *position, const double *force)
{
    const slip_explicit_part *p = &e->parts[part];
    double sum = 0;
    for (int i = 0; i < p->rigid_count; i++) {
        size_t node = 3 * (size_t)e->rigid_nodes[p->rigid + i];
        const double *x = position + node, *f = force + node;
        sum += (x[0] - p->centre[0]) * f[1] - (x[1] - p->centre[1]) * f[0];
    }
    return sum;
}

double slip_explicit_shaft_moment(const slip_explicit *e, int leader, const double *position,
                                  const double *force)
{
    double sum = 0;
    for (int k = leader; k < e->part_count; k++)
        if (e->parts[k].leader == leader)
            sum += slip_explicit_moment(e, k, position, force);
    return sum;
}

static void place(slip_explicit *e)
{
    for (int k = 0; k < e->part_count; k++) {
        const slip_explicit_part *p = &e->parts[k];
        double c = cos(p->angle), s = sin(p->angle);
        for (int i = p->first_node; i < p->first_node + p->node_count; i++) {
            const double *from = e->start + 3 * (size_t)i;
            double *x = e->position + 3 * (size_t)i, *v = e->velocity + 3 * (size_t)i;
            double arm[2] = {c * from[0] - s * from[1], s * from[0] + c * from[1]};
            x[0] = p->centre[0] + arm[0];
            x[1] = p->centre[1] + arm[1];
            x[2] = from[2];
            v[0] = -p->speed * arm[1];
            v[1] = p->speed * arm[0];
        }
    }
}

static int reserve(slip_context *ctx, slip_explicit *e, const slip_explicit_body *bodies)
{
    int64_t batches = 0, blocks = 0, nodes = 0;
    for (int p = 0; p < e->part_count; p++) {
        int count = batches_of(bodies[p].mesh->element_count);
        e->parts[p].first_node = (int)nodes;
        e->parts[p].node_count = bodies[p].mesh->node_count;
        nodes += bodies[p].mesh->node_count;
        batches += count;
        blocks += (count + block_batches - 1) / block_batches;
    }
    e->node_count = (int)nodes;
    e->batch_count = (int)batches;
    e->block_count = (int)blocks;
    e->reference =
        slip_arena_array(&e->arena, batches * slip_brick_reference * slip_lanes, sizeof *e->reference);
    e->corners = slip_arena_array(&e->arena, batches * 8 * slip_lanes, sizeof *e->corners);
    e->blocks = slip_arena_array(&e->arena, blocks, sizeof *e->blocks);
    e->block_energy = slip_arena_array(&e->arena, blocks, sizeof *e->block_energy);
    e->chunk_sums = slip_arena_array(&e->arena, nodes / slip_explicit_chunk + 1, sizeof *e->chunk_sums);
    e->held = slip_arena_array(&e->arena, nodes, sizeof *e->held);
    e->rigid_nodes = slip_arena_array(&e->arena, nodes, sizeof *e->rigid_nodes);
    e->mass = slip_arena_array(&e->arena, nodes, sizeof *e->mass);
    double **vectors[4] = {&e->start, &e->position, &e->velocity, &e->force};
    bool good = e->reference && e->corners && e->blocks && e->block_energy && e->chunk_sums && e->held &&
                e->rigid_nodes && e->mass;
    for (int k = 0; k < 4; k++) {
        *vectors[k] = slip_arena_array(&e->arena, 3 * nodes, sizeof(double));
        good = good && *vectors[k];
    }
    return slip_allocated(ctx, good);
}

static int make_elements(slip_context *ctx, slip_explicit *e, const slip_explicit_body *bodies)
{
    SLIP_FREED int *local_of = slip_alloc(e->node_count, sizeof *local_of);
    draft d = {.local_of = local_of};
    SLIP_PASS(slip_allocated(ctx, local_of));
    for (int i = 0; i < e->node_count; i++)
        local_of[i] = -1;
    SLIP_PASS(make_blocks(ctx, e, bodies, &d));
    SLIP_PASS(list_copies(ctx, e));
    e->local_forces = slip_arena_array(&e->arena, 3 * e->local_total, sizeof *e->local_forces);
    e->scratch_size *= 6;
    e->scratch = slip_arena_array(&e->arena, (int64_t)e->scratch_size * e->threads, sizeof *e->scratch);
    return slip_allocated(ctx, e->local_forces && e->scratch);
}

/* ---- The step. */

static int choose_step(slip_context *ctx, slip_explicit *e)
{
    e->limit = 2 / sqrt(e->eigenvalue);
    e->step = e->options.step > 0 ? e->options.step : e->options.safety * e->limit;
    e->first_step = e->step_before = e->weight = e->step;
    if (e->step > e->limit)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "step %g s is above the stability limit: expected at most %g s", e->step, e->limit);
    return SLIP_OK;
}

static int check_options(slip_context *ctx, const slip_explicit_options *o)
{
    if (!(o->step >= 0) || !isfinite(o->step))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "step %g s: expected a positive number, or 0 to have it chosen", o->step);
    if (!(o->safety > 0 && o->safety <= 1))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "safety %g: expected a number above 0, at most 1", o->safety);
    if (o->threads < 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "threads %d: expected no negative number", o->threads);
    return SLIP_OK;
}

int slip_explicit_create(slip_context *ctx, int body_count, const slip_explicit_body *bodies,
                         const slip_explicit_options *options, slip_explicit **model)
{
    int rigid = 0;
    SLIP_FREED_BY(slip_explicit_drop) slip_explicit *e = slip_alloc(1, sizeof *e);
    *model = NULL;
    SLIP_PASS(slip_allocated(ctx, e));
    SLIP_PASS(check_options(ctx, options));
    for (int k = 0; k < body_count; k++) {
        SLIP_PASS(check_material(ctx, &bodies[k]));
        SLIP_PASS(slip_solid_check_bricks(ctx, bodies[k].name, bodies[k].mesh));
    }
    e->options = *options;
    e->kernel = slip_brick_kernel_choose();
    e->threads = slip_threads(options->threads);
    e->part_count = body_count;
    e->length = INFINITY;
    e->parts = slip_arena_array(&e->arena, body_count, sizeof *e->parts);
    SLIP_PASS(slip_allocated(ctx, e->parts));
    SLIP_PASS(reserve(ctx, e, bodies));
    if (e->threads > e->block_count) /* others would only wait */
        e->threads = e->block_count;
    for (int k = 0; k < body_count; k++)
        SLIP_PASS(make_part(ctx, e, &bodies[k], k, &rigid));
    SLIP_PASS(make_elements(ctx, e, bodies));
    place(e);
    if (!options->bare) {
        SLIP_PASS(slip_explicit_find_eigenvalue(ctx, e, &e->eigenvalue));
        SLIP_PASS(choose_step(ctx, e));
    }
    if (options->card)
        SLIP_PASS(slip_explicit_card_create(ctx, e));
    SLIP_HAND(model, e);
    return SLIP_OK;
}

void slip_explicit_destroy(slip_explicit *e)
{
    if (!e)
        return;
    slip_explicit_card_destroy(e->card);
    free(e->local_nodes);
    slip_arena_free(&e->arena);
    free(e);
}

/* ---- Looking. */

slip_explicit_state slip_explicit_state_of(const slip_explicit *e)
{
    return (slip_explicit_state){.time = slip_explicit_now(e),
                                 .step = e->step,
                                 .step_before = e->step_before,
                                 .first_step = e->first_step,
                                 .limit = e->limit,
                                 .weight = e->weight,
                                 .steps = e->steps_done,
                                 .evaluations = e->evaluations,
                                 .copies = e->local_total,
                                 .started = e->started,
                                 .position = e->position,
                                 .velocity = e->velocity,
                                 .mass = e->mass};
}

slip_explicit_rotor slip_explicit_rotor_of(const slip_explicit *e, int body)
{
    const slip_explicit_part *p = &e->parts[body];
    return (slip_explicit_rotor){p->first_node, p->angle, p->speed, p->impulse};
}

void slip_explicit_set_torque(slip_explicit *e, int body, double torque)
{
    e->parts[body].torque = torque;
}
