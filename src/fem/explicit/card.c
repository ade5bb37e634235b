/* An explicit model on a graphics card. The theory is in the header. */
#include "fem/explicit/card.h"

#include "base/embedded.h"
#include "card/card.h"
#include "fem/explicit/types.h"

#include <stdlib.h>
#include <string.h>

enum {
    full,
    full_energy,
    one,
    one_energy,
    join,
    move,
    moments,
    turn_bodies,
    show,
    press,
    account,
    kernel_count
};

static const char *const kernel_names[kernel_count] = {
    "slip_card_full", "slip_card_full_energy", "slip_card_one",     "slip_card_one_energy",
    "slip_card_join", "slip_card_move",        "slip_card_moments", "slip_card_turn_bodies",
    "slip_card_show", "slip_card_press",       "slip_card_account"};

struct slip_explicit_card {
    slip_card *card;
    slip_card_blocks blocks;
    slip_card_tables t;
    void *kernels[kernel_count], *stream, *event;
    size_t shared; /* bytes that a block of bricks needs */
    slip_card_address held[32];
    int held_count;
    slip_card_turn *seen;
    double *shown, *pressed; /* as the card sees them */
    int *watched;            /* the model's numbers */
    int watched_count, watched_room;
    slip_card_address watched_there;
    int *order; /* of the blocks, and marks: those of watched nodes in front, so that the host has work while
                 * the others are done */
    int front;
    int group_count, side;
    double *exchange; /* 4 for each node */
    double *sums;     /* of chunks */
    double *energies; /* of blocks */
    double *torques;  /* as the card has them */
    bool here;
};

/* ---- Making. */

int slip_explicit_card_text(slip_context *ctx, int room, int width, slip_text *text)
{
    slip_text_printf(text, "#define ROOM %d\n#define WIDTH %d\n", room, width);
    for (const slip_embedded_file *file = slip_bricks_files; file->name; file++)
        slip_text_printf(text, "%s", file->text);
    return text->failed ? slip_fail_memory(ctx) : SLIP_OK;
}

static int load_kernels(slip_context *ctx, slip_explicit_card *c)
{
    enum { dynamic_shared = 8 }; /* the attribute by its number */
    const int room = c->blocks.room, width = c->blocks.width;
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    void *module;
    int failed = 0;
    SLIP_PASS(slip_explicit_card_text(ctx, room, width, &text));
    SLIP_PASS(slip_card_program(ctx, c->card, "bricks", &text, &module));
    c->shared = sizeof(double) * (size_t)(slip_brick_reference * slip_card_bricks + 12 * room) +
                sizeof(int) * 3 * (size_t)room +
                sizeof(short) * 2 * (size_t)(8 * slip_card_bricks + room * width);
    for (int k = 0; k < kernel_count && !failed; k++) {
        failed = c->card->d.function(&c->kernels[k], module, kernel_names[k]);
        if (!failed && k <= one_energy)
            failed = c->card->d.allow(c->kernels[k], dynamic_shared, (int)c->shared);
    }
    if (failed)
        return slip_card_fail(ctx, c->card, "the program of bricks cannot be used", failed);
    return SLIP_OK;
}

/* Memory of the card, with something in it or not. */
static int reserve(slip_context *ctx, slip_explicit_card *c, size_t bytes, const void *from, void *place)
{
    const slip_card_driver *d = &c->card->d;
    slip_card_address there = 0;
    int failed = d->alloc(&there, bytes > 0 ? bytes : 8);
    if (!failed) {
        c->held[c->held_count++] = there;
        failed = from && bytes > 0 ? d->there(there, from, bytes, c->stream) : 0;
        failed = failed ? failed : d->wait(c->stream);
    }
    if (failed)
        return slip_card_fail(ctx, c->card, "its memory does not suffice", failed);
    memcpy(place, &there, sizeof there);
    return SLIP_OK;
}

static int send_blocks(slip_context *ctx, slip_explicit_card *c)
{
    const slip_card_blocks *b = &c->blocks;
    slip_card_tables *t = &c->t;
    const size_t blocks = (size_t)b->block_count, places = blocks * (size_t)b->room,
                 shared = (size_t)b->shared_count;
    SLIP_PASS(reserve(ctx, c, 3 * sizeof(double) * places, NULL, &t->copies));
    SLIP_PASS(reserve(ctx, c, sizeof(int) * places, b->numbers, &t->numbers));
    SLIP_PASS(reserve(ctx, c, sizeof(short) * blocks * slip_card_bricks * 8, b->corners, &t->corners));
    SLIP_PASS(reserve(ctx, c, sizeof(short) * places * (size_t)b->width, b->rows, &t->rows));
    SLIP_PASS(reserve(ctx, c, sizeof(int) * blocks, b->parts, &t->parts));
    SLIP_PASS(reserve(ctx, c, sizeof(int) * blocks, b->bricks, &t->bricks));
    SLIP_PASS(reserve(ctx, c, sizeof(double) * blocks, NULL, &t->energies));
    SLIP_PASS(reserve(ctx, c, sizeof(int) * shared, b->shared_nodes, &t->shared_nodes));
    SLIP_PASS(reserve(ctx, c, sizeof(int) * (shared + 1), b->shared_start, &t->shared_start));
    SLIP_PASS(
        reserve(ctx, c, sizeof(int) * (size_t)b->shared_start[shared], b->shared_copies, &t->shared_copies));
    SLIP_PASS(reserve(ctx, c, 3 * sizeof(int) * (size_t)b->chunk_count, b->chunks, &t->chunks));
    SLIP_PASS(reserve(ctx, c, 2 * sizeof(double) * (size_t)b->chunk_count, NULL, &t->sums));
    t->shared_count = b->shared_count;
    return SLIP_OK;
}

/* With external forces, and bricks of one kind only, blocks may be computed in another order. */
static int send_order(slip_context *ctx, const slip_explicit *e, slip_explicit_card *c)
{
    bool alike = e->options.force != NULL;
    for (int p = 1; p < e->part_count; p++)
        alike = alike && (e->parts[p].hourglass > 0) == (e->parts[0].hourglass > 0);
    c->front = c->blocks.block_count;
    for (int b = 0; b < c->blocks.block_count; b++)
        c->order[b] = b;
    return alike ? reserve(ctx, c, sizeof *c->order * (size_t)c->blocks.block_count, c->order, &c->t.order)
                 : SLIP_OK;
}

/* Of bricks that are integrated with one point: the numbers of each block's bricks. */
static int send_reference(slip_context *ctx, const slip_explicit *e, slip_explicit_card *c)
{
    const slip_card_blocks *b = &c->blocks;
    const size_t of_block = (size_t)slip_brick_reference * slip_card_bricks,
                 all = of_block * (size_t)b->block_count;
    bool wanted = false;
    for (int p = 0; p < e->part_count; p++)
        wanted = wanted || e->parts[p].hourglass > 0;
    if (!wanted)
        return SLIP_OK;
    int element = 0;
    SLIP_FREED int *batch_of = slip_alloc((int64_t)e->batch_count * slip_lanes, sizeof *batch_of);
    SLIP_FREED double *numbers = slip_alloc((int64_t)all, sizeof *numbers);
    SLIP_PASS(slip_allocated(ctx, numbers && batch_of));
    for (int k = 0; k < e->block_count; k++)
        for (int i = 0; i < (e->blocks[k].batch_count - 1) * slip_lanes + e->blocks[k].last_lanes; i++)
            batch_of[element++] = e->blocks[k].batch * slip_lanes + i;
    for (size_t i = 0; i < all; i++) {
        const size_t block = i / of_block, number = i / slip_card_bricks % slip_brick_reference,
                     lane = i % slip_card_bricks;
        const size_t at = (size_t)batch_of[b->elements[block * slip_card_bricks + lane]];
        numbers[i] =
            e->reference[(at / slip_lanes * slip_brick_reference + number) * slip_lanes + at % slip_lanes];
    }
    return reserve(ctx, c, sizeof(double) * all, numbers, &c->t.reference);
}

/* Four numbers for each node, in the card's order. last: of the fourth. */
static void gather(const slip_explicit *e, const slip_explicit_card *c, const double *from,
                   const double *last)
{
    for (int i = 0; i < e->node_count; i++) {
        const size_t node = (size_t)c->blocks.node_of[i];
        memcpy(c->exchange + 4 * (size_t)i, from + 3 * node, 3 * sizeof *from);
        c->exchange[4 * (size_t)i + 3] = last && !e->held[node] ? 1 / last[node] : 0;
    }
}

static int send_nodes(slip_context *ctx, const slip_explicit *e, slip_explicit_card *c)
{
    const size_t bytes = 4 * sizeof(double) * (size_t)e->node_count;
    SLIP_PASS(reserve(ctx, c, bytes, NULL, &c->t.place));
    SLIP_PASS(reserve(ctx, c, bytes, NULL, &c->t.speed));
    SLIP_PASS(reserve(ctx, c, bytes, NULL, &c->t.force));
    gather(e, c, e->start, NULL);
    SLIP_PASS(reserve(ctx, c, bytes, c->exchange, &c->t.start));
    c->t.node_count = e->node_count;
    return SLIP_OK;
}

/* Rigid nodes in groups, of each body at least one. */
static int send_groups(slip_context *ctx, const slip_explicit *e, slip_explicit_card *c)
{
    int rigid = 0;
    for (int p = 0; p < e->part_count; p++)
        rigid += e->parts[p].rigid_count;
    SLIP_FREED int *nodes = slip_alloc(rigid, sizeof *nodes);
    SLIP_FREED int *groups =
        slip_alloc(3 * ((int64_t)rigid / slip_card_threads + e->part_count), sizeof *groups);
    SLIP_PASS(slip_allocated(ctx, nodes && groups));
    for (int i = 0; i < rigid; i++)
        nodes[i] = c->blocks.own_of[e->rigid_nodes[i]];
    for (int p = 0; p < e->part_count; p++) {
        const slip_explicit_part *part = &e->parts[p];
        for (int from = 0; from == 0 || from < part->rigid_count; from += slip_card_threads) {
            const int left = part->rigid_count - from;
            int *group = groups + 3 * (size_t)c->group_count++;
            group[0] = part->rigid + from;
            group[1] = left < slip_card_threads ? left : slip_card_threads;
            group[2] = p;
        }
    }
    SLIP_PASS(reserve(ctx, c, sizeof *nodes * (size_t)rigid, nodes, &c->t.rigid_nodes));
    SLIP_PASS(reserve(ctx, c, 3 * sizeof *groups * (size_t)c->group_count, groups, &c->t.groups));
    return reserve(ctx, c, sizeof(double) * (size_t)c->group_count, NULL, &c->t.moments);
}

static int send_parts(slip_context *ctx, const slip_explicit *e, slip_explicit_card *c)
{
    const size_t parts = (size_t)e->part_count;
    SLIP_FREED slip_card_material *materials = slip_alloc(e->part_count, sizeof *materials);
    c->torques = slip_alloc(e->part_count, sizeof *c->torques);
    SLIP_PASS(slip_allocated(ctx, materials && c->torques));
    for (size_t p = 0; p < parts; p++)
        materials[p] = (slip_card_material){e->parts[p].lambda, e->parts[p].mu, e->parts[p].hourglass};
    SLIP_PASS(reserve(ctx, c, sizeof *materials * parts, materials, &c->t.materials));
    SLIP_PASS(reserve(ctx, c, sizeof *c->torques * parts, NULL, &c->t.torques));
    SLIP_PASS(reserve(ctx, c, 2 * sizeof *c->t.turns * parts, NULL, &c->t.turns));
    SLIP_PASS(reserve(ctx, c, sizeof *c->t.bad, NULL, &c->t.bad));
    c->t.part_count = e->part_count;
    return SLIP_OK;
}

/* Memory of the host that the card reaches: rotations, and the nodes that outer forces look at. */
static int reserve_host(slip_context *ctx, const slip_explicit *e, slip_explicit_card *c)
{
    const slip_card_driver *d = &c->card->d;
    void *memory = NULL;
    int failed = d->pinned(&memory, sizeof *c->seen * (size_t)e->part_count, 0);
    c->seen = c->t.seen = memory;
    c->exchange = slip_alloc(4 * (int64_t)e->node_count, sizeof *c->exchange);
    c->sums = slip_alloc(2 * (int64_t)c->blocks.chunk_count, sizeof *c->sums);
    c->energies = slip_alloc(c->blocks.block_count, sizeof *c->energies);
    c->order = slip_alloc(2 * (int64_t)c->blocks.block_count, sizeof *c->order);
    if (failed)
        return slip_card_fail(ctx, c->card, "it reaches no memory of the host", failed);
    return c->exchange && c->sums && c->energies && c->order ? SLIP_OK : slip_fail_memory(ctx);
}

int slip_explicit_card_create(slip_context *ctx, slip_explicit *e)
{
    slip_explicit_card *c = e->card = slip_alloc(1, sizeof *c);
    int failed;
    SLIP_PASS(slip_allocated(ctx, c));
    c->card = e->options.card;
    for (int p = 0; p < e->part_count; p++)
        if (e->parts[p].leader != p)
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "%s: it shares a shaft with another body, which steps on a graphics card do not "
                             "know; expected steps on the processor",
                             e->parts[p].name);
    failed = c->card->d.stream(&c->stream, 1); /* it waits for no other */
    failed = failed ? failed : c->card->d.event(&c->event, 2 /* without a time */);
    if (failed)
        return slip_card_fail(ctx, c->card, "it has no stream", failed);
    SLIP_PASS(slip_card_blocks_create(ctx, e, &c->blocks));
    SLIP_PASS(load_kernels(ctx, c));
    SLIP_PASS(reserve_host(ctx, e, c));
    SLIP_PASS(send_blocks(ctx, c));
    SLIP_PASS(send_reference(ctx, e, c));
    SLIP_PASS(send_order(ctx, e, c));
    SLIP_PASS(send_nodes(ctx, e, c));
    SLIP_PASS(send_groups(ctx, e, c));
    return send_parts(ctx, e, c);
}

void slip_explicit_card_destroy(slip_explicit_card *c)
{
    if (!c)
        return;
    const slip_card_driver *d = &c->card->d;
    if (c->stream)
        d->wait(c->stream);
    for (int k = 0; k < c->held_count; k++)
        d->free(c->held[k]);
    if (c->watched_there)
        d->free(c->watched_there);
    if (c->seen)
        d->unpin(c->seen);
    if (c->shown)
        d->unpin(c->shown);
    if (c->pressed)
        d->unpin(c->pressed);
    if (c->event)
        d->forget(c->event);
    if (c->stream)
        d->end(c->stream);
    slip_arena_free(&c->blocks.arena);
    free(c->watched);
    free(c->exchange);
    free(c->sums);
    free(c->energies);
    free(c->order);
    free(c->torques);
    free(c);
}

/* ---- The state. */

bool slip_explicit_on_card(const slip_explicit *e)
{
    return e->card && e->card->here;
}

void slip_explicit_card_leave(slip_explicit *e)
{
    if (e->card)
        e->card->here = false;
}

static int send_torques(slip_context *ctx, slip_explicit *e)
{
    slip_explicit_card *c = e->card;
    const slip_card_driver *d = &c->card->d;
    int failed;
    for (int p = 0; p < e->part_count; p++)
        c->torques[p] = e->parts[p].torque;
    if ((failed = d->there((slip_card_address)(uintptr_t)c->t.torques, c->torques,
                           sizeof *c->torques * (size_t)e->part_count, c->stream)) != 0 ||
        (failed = d->wait(c->stream)) != 0)
        return slip_card_fail(ctx, c->card, "torques cannot be sent", failed);
    return SLIP_OK;
}

static bool torques_changed(const slip_explicit *e)
{
    bool changed = false;
    for (int p = 0; p < e->part_count; p++)
        changed = changed || e->card->torques[p] != e->parts[p].torque;
    return changed;
}

/* Rotations, to the card: the work of all is that of the first there. */
static int send_turns(slip_context *ctx, slip_explicit *e)
{
    slip_explicit_card *c = e->card;
    const slip_card_driver *d = &c->card->d;
    const int none = 0;
    int failed, group = 0;
    for (int p = 0; p < e->part_count; p++) {
        const slip_explicit_part *part = &e->parts[p];
        const int groups =
            part->rigid_count > 0 ? (part->rigid_count + slip_card_threads - 1) / slip_card_threads : 1;
        c->seen[p] = (slip_card_turn){.angle = part->angle,
                                      .speed = part->speed,
                                      .impulse = part->impulse,
                                      .work = p == 0 ? e->work : 0,
                                      .centre = {part->centre[0], part->centre[1]},
                                      .inertia = part->inertia,
                                      .first = group,
                                      .count = groups,
                                      .driven = part->driven};
        group += groups;
    }
    c->side = 0;
    if ((failed = d->there((slip_card_address)(uintptr_t)c->t.turns, c->seen,
                           sizeof *c->seen * (size_t)e->part_count, c->stream)) != 0 ||
        (failed = d->there((slip_card_address)(uintptr_t)c->t.bad, &none, sizeof none, c->stream)) != 0 ||
        (failed = d->wait(c->stream)) != 0)
        return slip_card_fail(ctx, c->card, "rotations cannot be sent", failed);
    return send_torques(ctx, e);
}

/* Rotations, from the card, which has written them to the host's memory. Returns the number of the step in
 * which a velocity was not finite, or 0. */
static int take_turns(slip_explicit *e)
{
    const slip_card_turn *seen = e->card->seen;
    int bad = 0;
    e->work = 0;
    for (int p = 0; p < e->part_count; p++) {
        slip_explicit_part *part = &e->parts[p];
        part->angle = seen[p].angle;
        part->speed = seen[p].speed;
        part->impulse = seen[p].impulse;
        part->moment = seen[p].moment;
        e->work += seen[p].work;
        bad = seen[p].bad != 0 ? seen[p].bad : bad;
    }
    return bad;
}

int slip_explicit_card_take(slip_context *ctx, slip_explicit *e)
{
    slip_explicit_card *c = e->card;
    const slip_card_driver *d = &c->card->d;
    const size_t bytes = 4 * sizeof(double) * (size_t)e->node_count;
    const struct {
        const double *from, *last;
        double *to;
    } arrays[2] = {{e->position, NULL, c->t.place}, {e->velocity, e->mass, c->t.speed}};
    if (c->here)
        return torques_changed(e) ? send_torques(ctx, e) : SLIP_OK;
    for (int k = 0; k < 2; k++) {
        int failed;
        gather(e, c, arrays[k].from, arrays[k].last);
        if ((failed = d->there((slip_card_address)(uintptr_t)arrays[k].to, c->exchange, bytes, c->stream)) !=
                0 ||
            (failed = d->wait(c->stream)) != 0)
            return slip_card_fail(ctx, c->card, "nodes cannot be sent", failed);
    }
    const int status = send_turns(ctx, e);
    c->here = status >= 0;
    return status;
}

int slip_explicit_card_fetch(slip_context *ctx, slip_explicit *e)
{
    slip_explicit_card *c = e->card;
    if (!c || !c->here)
        return SLIP_OK;
    const slip_card_driver *d = &c->card->d;
    const size_t bytes = 4 * sizeof(double) * (size_t)e->node_count;
    const struct {
        const double *from;
        double *to;
    } arrays[2] = {{c->t.place, e->position}, {c->t.speed, e->velocity}};
    for (int k = 0; k < 2; k++) {
        int failed;
        if ((failed = d->back(c->exchange, (slip_card_address)(uintptr_t)arrays[k].from, bytes, c->stream)) !=
                0 ||
            (failed = d->wait(c->stream)) != 0)
            return slip_card_fail(ctx, c->card, "nodes do not come back", failed);
        for (int i = 0; i < e->node_count; i++)
            memcpy(arrays[k].to + 3 * (size_t)c->blocks.node_of[i], c->exchange + 4 * (size_t)i,
                   3 * sizeof(double));
    }
    return SLIP_OK;
}

/* ---- Launches. */

static int launch(const slip_explicit_card *c, int kernel, int64_t blocks, int threads, size_t shared,
                  void **arguments)
{
    return blocks == 0 ? 0
                       : c->card->d.launch(c->kernels[kernel], (unsigned)blocks, 1, 1, (unsigned)threads, 1,
                                           1, (unsigned)shared, c->stream, arguments, NULL);
}

/* A thread for each of `count`. */
static int launch_all(slip_explicit_card *c, int kernel, int64_t count, slip_card_step *s)
{
    void *arguments[] = {&c->t, s};
    return launch(c, kernel, (count + slip_card_threads - 1) / slip_card_threads, slip_card_threads, 0,
                  arguments);
}

/* Bricks of the blocks from `first` to `last` of the order, those of one kind together. */
static int launch_bricks(slip_explicit *e, slip_card_step *s, int from, int to, bool with_energy)
{
    slip_explicit_card *c = e->card;
    const slip_card_blocks *b = &c->blocks;
    const int most = 2 * c->card->processors;
    int failed = 0;
    for (int first = from, last; first < to && !failed; first = last) {
        const bool one_point = e->parts[b->parts[first]].hourglass > 0;
        for (last = first; last < to && (e->parts[b->parts[last]].hourglass > 0) == one_point;)
            last++;
        void *arguments[] = {&c->t, s, &first, &last};
        failed = launch(c, one_point ? (with_energy ? one_energy : one) : (with_energy ? full_energy : full),
                        last - first < most ? last - first : most, slip_card_bricks, c->shared, arguments);
    }
    return failed;
}

/* The moments on rigid nodes, and what they do. */
static int launch_turns(slip_explicit_card *c, slip_card_step *s)
{
    void *arguments[] = {&c->t, s};
    const size_t shared = sizeof(double) * slip_card_threads;
    int failed;
    s->side = c->side;
    c->side = 1 - c->side;
    failed = launch(c, moments, c->group_count, slip_card_threads, shared, arguments);
    return failed ? failed : launch(c, turn_bodies, c->group_count, slip_card_threads, shared, arguments);
}

/* ---- Outer forces. */

static int reserve_watched(slip_context *ctx, slip_explicit_card *c, int count)
{
    const slip_card_driver *d = &c->card->d;
    void *shown = NULL, *pressed = NULL;
    int failed;
    if (count <= c->watched_room)
        return SLIP_OK;
    if (c->shown)
        d->unpin(c->shown);
    if (c->pressed)
        d->unpin(c->pressed);
    if (c->watched_there)
        d->free(c->watched_there);
    free(c->watched);
    c->watched_there = 0;
    c->watched_room = c->watched_count = 0;
    c->watched =
        slip_alloc(3 * (int64_t)count, sizeof *c->watched); /* the model's numbers, then the card's */
    failed = d->pinned(&shown, 9 * sizeof(double) * (size_t)count, 0);
    failed = failed ? failed : d->pinned(&pressed, 3 * sizeof(double) * (size_t)count, 0);
    failed = failed ? failed : d->alloc(&c->watched_there, 2 * sizeof(int) * (size_t)count);
    c->shown = c->t.shown = shown;
    c->pressed = pressed;
    c->t.pressed = pressed;
    memcpy(&c->t.watched, &c->watched_there, sizeof c->watched_there);
    if (failed)
        return slip_card_fail(ctx, c->card, "memory for outer forces does not suffice", failed);
    SLIP_PASS(slip_allocated(ctx, c->watched));
    c->watched_room = count;
    return SLIP_OK;
}

/* Sorts blocks with watched nodes before the others. */
static void order_blocks(slip_explicit_card *c)
{
    const slip_card_blocks *b = &c->blocks;
    const int *there = c->watched + c->watched_room;
    int *marks = c->order + b->block_count, next = 0;
    memset(marks, 0, sizeof *marks * (size_t)b->block_count);
    for (int k = 0; k < c->watched_count; k++) {
        const int shared = there[2 * k + 1];
        marks[b->block_of[there[2 * k]]] = 1;
        for (int i = shared < 0 ? 0 : b->shared_start[shared]; shared >= 0 && i < b->shared_start[shared + 1];
             i++)
            marks[b->shared_copies[i] / b->room] = 1;
    }
    for (int mark = 1; mark >= 0; mark--) {
        for (int i = 0; i < b->block_count; i++)
            if (marks[i] == mark)
                c->order[next++] = i;
        c->front = mark ? next : c->front;
    }
}

/* The nodes that outer forces look at now. */
static int watch_nodes(slip_context *ctx, slip_explicit *e)
{
    slip_explicit_card *c = e->card;
    const slip_card_driver *d = &c->card->d;
    const int *nodes = c->blocks.node_of,
              count = e->options.watch ? e->options.watch(e->options.user, e, &nodes) : e->node_count;
    int failed;
    if (count == c->watched_count &&
        (count == 0 || memcmp(nodes, c->watched, sizeof *nodes * (size_t)count) == 0))
        return SLIP_OK;
    SLIP_PASS(reserve_watched(ctx, c, count));
    int *there = c->watched + c->watched_room;
    for (int k = 0; k < count; k++) {
        c->watched[k] = nodes[k];
        there[2 * k] = c->blocks.own_of[nodes[k]];
        there[2 * k + 1] = c->blocks.shared_of[there[2 * k]];
    }
    c->watched_count = c->t.watched_count = count;
    if (c->t.order)
        order_blocks(c);
    if ((failed = d->there(c->watched_there, there, 2 * sizeof *there * (size_t)count, c->stream)) != 0 ||
        (c->t.order &&
         (failed = d->there((slip_card_address)(uintptr_t)c->t.order, c->order,
                            sizeof *c->order * (size_t)c->blocks.block_count, c->stream)) != 0) ||
        (failed = d->wait(c->stream)) != 0)
        return slip_card_fail(ctx, c->card, "nodes cannot be sent", failed);
    return SLIP_OK;
}

/* Brings them to the model's arrays, from where the card has left them. */
static int take_nodes(slip_context *ctx, slip_explicit *e)
{
    slip_explicit_card *c = e->card;
    const int failed = c->card->d.reached(c->event);
    const size_t count = (size_t)c->watched_count;
    if (failed)
        return slip_card_fail(ctx, c->card, "a step failed", failed);
    for (int k = 0; k < c->watched_count; k++) {
        const size_t at = 3 * (size_t)c->watched[k];
        const double *from = c->shown + k;
        for (size_t d = 0; d < 3; d++) {
            e->position[at + d] = from[d * count];
            e->velocity[at + d] = from[(3 + d) * count];
            e->force[at + d] = from[(6 + d) * count];
        }
    }
    return SLIP_OK;
}

/* Sends their forces, unless the outer ones are all zero. */
static int press_nodes(slip_context *ctx, slip_explicit *e, slip_card_step *s)
{
    slip_explicit_card *c = e->card;
    const size_t count = (size_t)c->watched_count;
    bool changed = false;
    for (size_t k = 0; k < count; k++)
        for (size_t d = 0; d < 3; d++) {
            const double f = e->force[3 * (size_t)c->watched[k] + d];
            changed = changed || f != c->shown[(6 + d) * count + k];
            c->pressed[d * count + k] = f;
        }
    const int failed = changed ? launch_all(c, press, c->watched_count, s) : 0;
    return failed ? slip_card_fail(ctx, c->card, "a step failed", failed) : SLIP_OK;
}

/* Launches the bricks of watched nodes, the copy of these nodes to the host, and then the other bricks, which
 * run while the host computes external forces. */
static int launch_forces(slip_explicit *e, slip_card_step *s, bool with_energy)
{
    slip_explicit_card *c = e->card;
    const int all = c->blocks.block_count, front = e->options.force ? c->front : all;
    int failed = launch_bricks(e, s, 0, front, with_energy);
    if (!failed && e->options.force) {
        failed = launch_all(c, show, c->watched_count, s);
        failed = failed ? failed : c->card->d.record(c->event, c->stream);
    }
    failed = failed ? failed : launch_bricks(e, s, front, all, with_energy);
    return failed ? failed : launch_all(c, join, c->t.shared_count, s);
}

int slip_explicit_card_forces(slip_context *ctx, slip_explicit *e, double *energy, slip_explicit_load *load)
{
    slip_explicit_card *c = e->card;
    const slip_card_driver *d = &c->card->d;
    slip_card_step s = {.side = c->side};
    int failed;
    if (e->options.force)
        SLIP_PASS(watch_nodes(ctx, e));
    failed = launch_forces(e, &s, energy != NULL);
    if (failed)
        return slip_card_fail(ctx, c->card, "a step failed", failed);
    if (e->options.force) {
        SLIP_PASS(take_nodes(ctx, e));
        SLIP_PASS(e->options.force(e->options.user, ctx, e, e->force, load));
        SLIP_PASS(press_nodes(ctx, e, &s));
    }
    if (!energy)
        return SLIP_OK;
    if ((failed = d->back(c->energies, (slip_card_address)(uintptr_t)c->t.energies,
                          sizeof *c->energies * (size_t)c->blocks.block_count, c->stream)) != 0 ||
        (failed = d->wait(c->stream)) != 0)
        return slip_card_fail(ctx, c->card, "energies do not come back", failed);
    *energy = 0;
    for (int b = 0; b < c->blocks.block_count; b++)
        *energy += c->energies[b];
    return SLIP_OK;
}

/* ---- Steps. */

int slip_explicit_card_move(slip_context *ctx, slip_explicit *e, double weight, double step, bool *bad)
{
    slip_explicit_card *c = e->card;
    slip_card_step s = {.weight = weight, .step = step, .number = 1};
    int failed;
    if ((failed = launch_all(c, move, e->node_count, &s)) != 0 || (failed = launch_turns(c, &s)) != 0 ||
        (failed = c->card->d.wait(c->stream)) != 0)
        return slip_card_fail(ctx, c->card, "a step failed", failed);
    *bad = take_turns(e) != 0;
    return SLIP_OK;
}

int slip_explicit_card_run(slip_context *ctx, slip_explicit *e, int64_t steps, bool *bad)
{
    enum { at_a_time = 64 };
    slip_explicit_card *c = e->card;
    *bad = false;
    for (int64_t from = 0; from < steps && !*bad; from += at_a_time) {
        const int count = (int)(steps - from < at_a_time ? steps - from : at_a_time);
        int failed = 0;
        if (slip_interrupted(ctx))
            return slip_fail(ctx, SLIP_INTERRUPTED, "interrupted at t = %g s", slip_explicit_now(e));
        for (int k = 0; k < count && !failed; k++) {
            e->weight = (e->step_before + e->step) / 2;
            e->step_before = e->step;
            slip_card_step s = {.weight = e->weight, .step = e->step, .number = k + 1, .at_once = 1};
            failed = launch_forces(e, &s, false);
            failed = failed ? failed : launch_turns(c, &s);
        }
        failed = failed ? failed : c->card->d.wait(c->stream);
        if (failed)
            return slip_card_fail(ctx, c->card, "a step failed", failed);
        const int wrong = take_turns(e), done = wrong ? wrong : count;
        *bad = wrong != 0;
        e->steps_done += done;
        e->evaluations += done;
    }
    return SLIP_OK;
}

int slip_explicit_card_account(slip_context *ctx, slip_explicit *e, double weight, double *twice)
{
    slip_explicit_card *c = e->card;
    const slip_card_driver *d = &c->card->d;
    slip_card_step s = {.weight = weight, .side = c->side};
    void *arguments[] = {&c->t, &s};
    int failed;
    if ((failed = launch(c, account, c->blocks.chunk_count, slip_card_threads,
                         2 * sizeof(double) * slip_card_threads, arguments)) != 0 ||
        (failed = launch_turns(c, &s)) != 0 ||
        (failed = d->back(c->sums, (slip_card_address)(uintptr_t)c->t.sums,
                          2 * sizeof *c->sums * (size_t)c->blocks.chunk_count, c->stream)) != 0 ||
        (failed = d->wait(c->stream)) != 0)
        return slip_card_fail(ctx, c->card, "sums do not come back", failed);
    take_turns(e);
    *twice = 0;
    for (int p = 0; p < e->part_count; p++)
        e->parts[p].momentum = e->parts[p].rigid_count > 0 ? e->parts[p].inertia * e->parts[p].speed : 0;
    for (int k = 0; k < c->blocks.chunk_count; k++) {
        *twice += c->sums[2 * k];
        e->parts[c->blocks.chunks[3 * (size_t)k + 2]].momentum += c->sums[2 * k + 1];
    }
    return SLIP_OK;
}
