/* Blocks of bricks for a graphics card, by halving boxes: a block has bricks that are near to each other, so
 * that it has few nodes, and few of them are in other blocks too. */
#include "fem/explicit/card.h"
#include "fem/explicit/types.h"

#include <math.h>
#include <stdlib.h>

/* A brick on the way to its block. */
typedef struct brick {
    float centre[3], size[3];
    int element;
} brick;

typedef struct maker {
    const slip_explicit *e;
    slip_card_blocks *to;
    brick *bricks;  /* of all bodies, body by body */
    int *nodes;     /* of each element 8, in tensor order */
    int *first;     /* of each body: its first element; one more */
    int *copies_of; /* of each node: blocks that have it */
    int *local_of;  /* of each node: its number in the block that is being made, or -1 */
} maker;

/* ---- Elements as the model has them. */

static void list_elements(maker *m)
{
    const slip_explicit *e = m->e;
    int element = 0, part = -1;
    for (int b = 0; b < e->block_count; b++) {
        const slip_explicit_block *block = &e->blocks[b];
        while (part < block->part)
            m->first[++part] = element;
        for (int k = 0; k < block->batch_count * slip_lanes; k++) {
            const int batch = block->batch + k / slip_lanes, lane = k % slip_lanes;
            if (k / slip_lanes == block->batch_count - 1 && lane >= block->last_lanes)
                break;
            for (int a = 0; a < 8; a++)
                m->nodes[8 * (size_t)element + (size_t)a] =
                    e->local_nodes[block->local +
                                   e->corners[((size_t)batch * 8 + (size_t)a) * slip_lanes + (size_t)lane]];
            element++;
        }
    }
    while (part < e->part_count)
        m->first[++part] = element;
}

static void measure_brick(const maker *m, int element, brick *b)
{
    b->element = element;
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int a = 0; a < 8; a++) {
            const double x = m->e->start[3 * (size_t)m->nodes[8 * (size_t)element + (size_t)a] + (size_t)d];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        b->centre[d] = (float)((low + high) / 2);
        b->size[d] = (float)(high - low);
    }
}

/* ---- Halving. */

static bool before(const brick *a, const brick *b, int axis)
{
    return a->centre[axis] != b->centre[axis] ? a->centre[axis] < b->centre[axis] : a->element < b->element;
}

/* Puts the `left` lowest along an axis in front. */
static void split(brick *b, int64_t count, int64_t left, int axis)
{
    int64_t low = 0, high = count - 1;
    while (low < high) {
        const brick middle = b[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (before(&b[i], &middle, axis))
                i++;
            while (before(&middle, &b[j], axis))
                j--;
            if (i <= j) {
                const brick held = b[i];
                b[i++] = b[j];
                b[j--] = held;
            }
        }
        if (left <= j)
            high = j;
        else if (left >= i)
            low = i;
        else
            break;
    }
}

/* The direction in which there are most bricks, one behind the other. */
static int longest_axis(const brick *b, int64_t count)
{
    double best = -1;
    int axis = 0;
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY, size = 0;
        for (int64_t i = 0; i < count; i++) {
            low = fmin(low, b[i].centre[d]);
            high = fmax(high, b[i].centre[d]);
            size += b[i].size[d];
        }
        const double many = (high - low) * (double)count / size;
        if (many > best * (1 + 1e-6)) {
            best = many;
            axis = d;
        }
    }
    return axis;
}

static void halve(brick *b, int64_t count)
{
    while (count > slip_card_bricks) {
        const int64_t blocks = (count + slip_card_bricks - 1) / slip_card_bricks,
                      left = blocks / 2 * slip_card_bricks;
        split(b, count, left, longest_axis(b, count));
        halve(b, left);
        b += left;
        count -= left;
    }
}

static int by_number(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Elements of each block, in the model's order. */
static int make_blocks(slip_context *ctx, maker *m)
{
    slip_card_blocks *to = m->to;
    int count = 0;
    for (int p = 0; p < m->e->part_count; p++)
        count += (m->first[p + 1] - m->first[p] + slip_card_bricks - 1) / slip_card_bricks;
    to->elements = slip_arena_array(&to->arena, (int64_t)count * slip_card_bricks, sizeof *to->elements);
    to->parts = slip_arena_array(&to->arena, count, sizeof *to->parts);
    to->bricks = slip_arena_array(&to->arena, count, sizeof *to->bricks);
    SLIP_PASS(slip_allocated(ctx, to->elements && to->parts && to->bricks));
    for (int p = 0; p < m->e->part_count; p++) {
        brick *b = m->bricks + m->first[p];
        const int all = m->first[p + 1] - m->first[p];
        for (int i = 0; i < all; i++)
            measure_brick(m, m->first[p] + i, &b[i]);
        halve(b, all);
        for (int from = 0; from < all; from += slip_card_bricks) {
            const int left = all - from, own = left < slip_card_bricks ? left : slip_card_bricks;
            int *elements = to->elements + (size_t)to->block_count * slip_card_bricks;
            for (int i = 0; i < slip_card_bricks; i++) /* threads without a brick repeat the first */
                elements[i] = b[from + (i < own ? i : 0)].element;
            qsort(elements, (size_t)own, sizeof *elements, by_number);
            to->parts[to->block_count] = p;
            to->bricks[to->block_count++] = own;
        }
    }
    return SLIP_OK;
}

/* ---- Nodes. */

/* The nodes of a block by the model's numbers, ascending. */
static int nodes_of(const maker *m, int block, int list[8 * slip_card_bricks])
{
    const int *elements = m->to->elements + (size_t)block * slip_card_bricks;
    int count = 0;
    for (int i = 0; i < m->to->bricks[block]; i++)
        for (int a = 0; a < 8; a++) {
            const int node = m->nodes[8 * (size_t)elements[i] + (size_t)a];
            if (m->local_of[node] < 0) {
                m->local_of[node] = 0;
                list[count++] = node;
            }
        }
    for (int i = 0; i < count; i++)
        m->local_of[list[i]] = -1;
    qsort(list, (size_t)count, sizeof *list, by_number);
    return count;
}

/* How many bricks of a block share one of its nodes, at most. */
static int most_shared(const maker *m, int block, const int *list, int count)
{
    const int *elements = m->to->elements + (size_t)block * slip_card_bricks;
    int most = 0;
    for (int i = 0; i < count; i++)
        m->local_of[list[i]] = 0;
    for (int i = 0; i < m->to->bricks[block]; i++)
        for (int a = 0; a < 8; a++) {
            const int now = ++m->local_of[m->nodes[8 * (size_t)elements[i] + (size_t)a]];
            most = now > most ? now : most;
        }
    for (int i = 0; i < count; i++)
        m->local_of[list[i]] = -1;
    return most;
}

/* Numbers of nodes, and the sizes of the tables. */
static int number_nodes(slip_context *ctx, maker *m)
{
    slip_card_blocks *to = m->to;
    int list[8 * slip_card_bricks], next = 0, room = 0, width = 0;
    to->node_of = slip_arena_array(&to->arena, m->e->node_count, sizeof *to->node_of);
    to->own_of = slip_arena_array(&to->arena, m->e->node_count, sizeof *to->own_of);
    to->block_of = slip_arena_array(&to->arena, m->e->node_count, sizeof *to->block_of);
    to->shared_of = slip_arena_array(&to->arena, m->e->node_count, sizeof *to->shared_of);
    SLIP_PASS(slip_allocated(ctx, to->node_of && to->own_of && to->block_of && to->shared_of));
    for (int b = 0; b < to->block_count; b++) {
        const int count = nodes_of(m, b, list), most = most_shared(m, b, list, count);
        room = count > room ? count : room;
        width = most > width ? most : width;
        for (int i = 0; i < count; i++)
            if (m->copies_of[list[i]]++ == 0) {
                to->own_of[list[i]] = next;
                to->block_of[next] = b;
                to->node_of[next++] = list[i];
            }
    }
    to->room = (room + 31) / 32 * 32;
    to->width = (width + 7) / 8 * 8;
    return SLIP_OK;
}

static void fill_block(const maker *m, int block)
{
    slip_card_blocks *to = m->to;
    const int *elements = to->elements + (size_t)block * slip_card_bricks;
    int *numbers = to->numbers + (size_t)block * (size_t)to->room, list[8 * slip_card_bricks];
    unsigned short *corners = to->corners + (size_t)block * slip_card_bricks * 8,
                   *rows = to->rows + (size_t)block * (size_t)to->room * (size_t)to->width;
    const int count = nodes_of(m, block, list);
    for (int i = 0; i < to->room; i++) {
        numbers[i] = -1;
        for (int u = 0; u < to->width; u++)
            rows[i * to->width + u] = slip_card_no_more;
        if (i >= count)
            continue;
        m->local_of[list[i]] = i;
        numbers[i] = to->own_of[list[i]] | (m->copies_of[list[i]] == 1 ? slip_card_inside : 0) |
                     (m->e->held[list[i]] ? slip_card_held : 0);
    }
    for (int i = 0; i < slip_card_bricks; i++)
        for (int a = 0; a < 8; a++) {
            const int local = m->local_of[m->nodes[8 * (size_t)elements[i] + (size_t)a]];
            unsigned short *row = rows + local * to->width;
            corners[8 * i + a] = (unsigned short)local;
            while (*row != slip_card_no_more && i < to->bricks[block])
                row++;
            if (i < to->bricks[block])
                *row = (unsigned short)(3 * a * slip_card_bricks + i);
        }
    for (int i = 0; i < count; i++)
        m->local_of[list[i]] = -1;
}

/* Nodes of several blocks, and their places in the blocks' copies. */
static int list_shared(slip_context *ctx, const maker *m)
{
    slip_card_blocks *to = m->to;
    int64_t copies = 0;
    int *at = m->local_of; /* of each node: its place in the list */
    for (int i = 0; i < m->e->node_count; i++)
        if (m->copies_of[i] > 1) {
            to->shared_count++;
            copies += m->copies_of[i];
        }
    to->shared_nodes = slip_arena_array(&to->arena, to->shared_count, sizeof *to->shared_nodes);
    to->shared_start = slip_arena_array(&to->arena, (int64_t)to->shared_count + 1, sizeof *to->shared_start);
    to->shared_copies = slip_arena_array(&to->arena, copies, sizeof *to->shared_copies);
    SLIP_PASS(slip_allocated(ctx, to->shared_nodes && to->shared_start && to->shared_copies));
    int next = 0;
    for (int own = 0; own < m->e->node_count; own++) {
        const int node = to->node_of[own];
        to->shared_of[own] = m->copies_of[node] < 2 ? -1 : next;
        if (m->copies_of[node] < 2)
            continue;
        to->shared_nodes[next] = own | (m->e->held[node] ? slip_card_held : 0);
        to->shared_start[next + 1] = to->shared_start[next] + m->copies_of[node];
        at[node] = to->shared_start[next++];
    }
    for (int64_t i = 0; i < (int64_t)to->block_count * to->room; i++)
        if (to->numbers[i] >= 0 && !(to->numbers[i] & slip_card_inside))
            to->shared_copies[at[to->node_of[to->numbers[i] & slip_card_number]]++] = (int)i;
    return SLIP_OK;
}

/* Chunks of nodes, each of one body: bodies have their nodes one after the other here too. */
static int list_chunks(slip_context *ctx, const maker *m)
{
    slip_card_blocks *to = m->to;
    int64_t most = m->e->node_count / slip_card_chunk + m->e->part_count;
    to->chunks = slip_arena_array(&to->arena, 3 * most, sizeof *to->chunks);
    SLIP_PASS(slip_allocated(ctx, to->chunks));
    for (int p = 0; p < m->e->part_count; p++)
        for (int from = 0; from < m->e->parts[p].node_count; from += slip_card_chunk) {
            const int left = m->e->parts[p].node_count - from;
            int *chunk = to->chunks + 3 * (size_t)to->chunk_count++;
            chunk[0] = m->e->parts[p].first_node + from;
            chunk[1] = left < slip_card_chunk ? left : slip_card_chunk;
            chunk[2] = p;
        }
    return SLIP_OK;
}

static int fill_tables(slip_context *ctx, const maker *m)
{
    slip_card_blocks *to = m->to;
    const int64_t places = (int64_t)to->block_count * to->room;
    if (places > INT32_MAX || m->e->node_count > slip_card_number)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%d elements are too many for a graphics card",
                         m->first[m->e->part_count]);
    to->numbers = slip_arena_array(&to->arena, places, sizeof *to->numbers);
    to->corners =
        slip_arena_array(&to->arena, (int64_t)to->block_count * slip_card_bricks * 8, sizeof *to->corners);
    to->rows = slip_arena_array(&to->arena, places * to->width, sizeof *to->rows);
    SLIP_PASS(slip_allocated(ctx, to->numbers && to->corners && to->rows));
    for (int b = 0; b < to->block_count; b++)
        fill_block(m, b);
    SLIP_PASS(list_shared(ctx, m));
    return list_chunks(ctx, m);
}

int slip_card_blocks_create(slip_context *ctx, const slip_explicit *e, slip_card_blocks *blocks)
{
    int64_t elements = 0;
    SLIP_FREED_BY(slip_arena_free) slip_arena room = {0};
    *blocks = (slip_card_blocks){0};
    for (int b = 0; b < e->block_count; b++)
        elements += (e->blocks[b].batch_count - 1) * slip_lanes + e->blocks[b].last_lanes;
    maker m = {.e = e,
               .to = blocks,
               .bricks = slip_arena_array(&room, elements, sizeof *m.bricks),
               .nodes = slip_arena_array(&room, 8 * elements, sizeof *m.nodes),
               .first = slip_arena_array(&room, (int64_t)e->part_count + 1, sizeof *m.first),
               .copies_of = slip_arena_array(&room, e->node_count, sizeof *m.copies_of),
               .local_of = slip_arena_array(&room, e->node_count, sizeof *m.local_of)};
    SLIP_PASS(slip_allocated(ctx, m.bricks && m.nodes && m.first && m.copies_of && m.local_of));
    for (int i = 0; i < e->node_count; i++)
        m.local_of[i] = -1;
    list_elements(&m);
    SLIP_PASS(make_blocks(ctx, &m));
    SLIP_PASS(number_nodes(ctx, &m));
    return fill_tables(ctx, &m);
}
