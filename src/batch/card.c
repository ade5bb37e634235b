/* Lanes on a graphics card. */
#include "batch/card.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef slip_card_address address;
typedef slip_card_driver driver;

/* ---- Moving. */

enum { threads_of_block = 128, blocks_of_processor = 4, lanes_of_piece = 1 << 18, side_by_side = 2 };

/* A piece of the lanes on the card, with a stream of its own: while one piece moves another is sent or comes
 * back. */
typedef struct piece {
    void *stream;
    address records, states, counters;
    slip_batch_word *buffer; /* those of a list, packed; NULL without a list */
    int64_t first, count;    /* of the work; 0: there is none on the card */
} piece;

/* All that a call needs on the card. */
typedef struct transport {
    slip_context *ctx;
    const slip_card *card;
    void *kernel;
    const slip_batch_work *work;
    address numbers; /* of all sets of parameters */
    int64_t room;    /* of a piece */
    piece pieces[side_by_side];
} transport;

static size_t bytes_of_records(const transport *t, int64_t lanes)
{
    return (size_t)(lanes * t->work->shape->record) * sizeof(slip_batch_word);
}

static size_t bytes_of_states(const transport *t, int64_t lanes)
{
    return t->work->returns ? (size_t)(2 * lanes * t->work->each * t->work->shape->n) * sizeof(double) : 0;
}

static slip_batch_word *record_of(const transport *t, int64_t at)
{
    return t->work->records + (t->work->list ? t->work->list[at] : at) * t->work->shape->record;
}

/* Lets the lanes of the piece move, some hundred milliseconds at most. */
static int launch(const transport *t, piece *p, int first)
{
    const driver *d = &t->card->d;
    slip_batch_shape shape = *t->work->shape;
    address numbers = t->numbers, next = p->counters, unfinished = p->counters + sizeof(unsigned long long);
    long long count = p->count, each = t->work->each, budget = 100000;
    const int64_t blocks = (count + threads_of_block - 1) / threads_of_block,
                  most = (int64_t)t->card->processors * blocks_of_processor;
    void *arguments[] = {&shape, &numbers,   &p->records, &count, &each,
                         &first, &p->states, &budget,     &next,  &unfinished};
    const int code = d->set(p->counters, 0, 2 * sizeof(unsigned long long), p->stream);
    return code ? code
                : d->launch(t->kernel, (unsigned)(blocks < most ? blocks : most), 1, 1, threads_of_block, 1,
                            1, 0, p->stream, arguments, NULL);
}

static int send_piece(const transport *t, piece *p, int64_t first, int64_t count)
{
    int code;
    p->first = first;
    p->count = count;
    for (int64_t k = 0; p->buffer && k < count; k++)
        memcpy(p->buffer + k * t->work->shape->record, record_of(t, first + k), bytes_of_records(t, 1));
    if ((code = t->card->d.there(p->records, p->buffer ? p->buffer : record_of(t, first),
                                 bytes_of_records(t, count), p->stream)) != 0 ||
        (code = launch(t, p, 1)) != 0)
        return slip_card_fail(t->ctx, t->card, "lanes cannot be sent", code);
    return SLIP_OK;
}

/* Waits for a piece, lets it go on until all of its lanes have what they want, and takes it back. */
static int receive_piece(const transport *t, piece *p)
{
    const driver *d = &t->card->d;
    const int64_t count = p->count;
    unsigned long long counters[2] = {0, 1};
    int code = 0;
    if (count == 0)
        return SLIP_OK;
    for (;;) {
        if ((code = d->back(counters, p->counters, sizeof counters, p->stream)) != 0 ||
            (code = d->wait(p->stream)) != 0)
            return slip_card_fail(t->ctx, t->card, "a launch failed", code);
        if (slip_interrupted(t->ctx))
            return SLIP_INTERRUPTED;
        if (counters[1] == 0)
            break;
        if ((code = launch(t, p, 0)) != 0)
            return slip_card_fail(t->ctx, t->card, "a launch failed", code);
    }
    p->count = 0;
    if ((code = d->back(p->buffer ? p->buffer : record_of(t, p->first), p->records,
                        bytes_of_records(t, count), p->stream)) != 0 ||
        (t->work->returns &&
         (code = d->back(t->work->returns + 2 * p->first * t->work->each * t->work->shape->n, p->states,
                         bytes_of_states(t, count), p->stream)) != 0) ||
        (code = d->wait(p->stream)) != 0)
        return slip_card_fail(t->ctx, t->card, "lanes do not come back", code);
    for (int64_t k = 0; p->buffer && k < count; k++)
        memcpy(record_of(t, p->first + k), p->buffer + k * t->work->shape->record, bytes_of_records(t, 1));
    return SLIP_OK;
}

static int create_transport(transport *t, int set_count)
{
    const driver *d = &t->card->d;
    const slip_batch_work *work = t->work;
    const size_t all = (size_t)set_count * (size_t)work->shape->numbers * sizeof *work->numbers;
    int code = d->alloc(&t->numbers, all);
    for (int k = 0; k < side_by_side && !code; k++) {
        piece *p = &t->pieces[k];
        if (work->list && !(p->buffer = slip_alloc(t->room * work->shape->record, sizeof *p->buffer)))
            return slip_fail_memory(t->ctx);
        if ((code = d->stream(&p->stream, 1)) == 0 && /* it waits for no other */
            (code = d->alloc(&p->records, bytes_of_records(t, t->room))) == 0 &&
            (code = d->alloc(&p->counters, 2 * sizeof(unsigned long long))) == 0 && work->returns)
            code = d->alloc(&p->states, bytes_of_states(t, t->room));
    }
    if (code || (code = d->there(t->numbers, work->numbers, all, t->pieces[0].stream)) != 0 ||
        (code = d->wait(t->pieces[0].stream)) != 0)
        return slip_card_fail(t->ctx, t->card, "its memory does not suffice", code);
    return SLIP_OK;
}

static void free_transport(const transport *t)
{
    const driver *d = &t->card->d;
    for (int k = 0; k < side_by_side; k++) {
        const piece *p = &t->pieces[k];
        const address all[] = {p->records, p->states, p->counters, k == 0 ? t->numbers : 0};
        if (p->stream)
            d->wait(p->stream);
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            if (all[i])
                d->free(all[i]);
        if (p->stream)
            d->end(p->stream);
        free(p->buffer);
    }
}

/* The kernel of the program for a shape. */
static int find_kernel(slip_context *ctx, slip_card *card, const slip_batch_shape *shape, void **kernel)
{
    slip_text text = {0};
    void *module;
    int status, failed;
    SLIP_TRY(slip_batch_card_text(ctx, shape, &text));
    SLIP_TRY(slip_card_program(ctx, card, "lanes", &text, &module));
    failed = card->d.function(kernel, module, "slip_batch_kernel");
    if (failed)
        status = slip_card_fail(ctx, card, "its program has no kernel", failed);
done:
    slip_text_free(&text);
    return status;
}

int slip_batch_card_advance(slip_context *ctx, slip_card *card, const slip_batch_work *work, int set_count)
{
    transport t = {.ctx = ctx, .card = card, .work = work};
    const double of_lane = (double)(bytes_of_records(&t, 1) + bytes_of_states(&t, 1));
    const int64_t fits = (int64_t)(0.4 / side_by_side * (double)card->memory / of_lane),
                  most = fits < lanes_of_piece ? fits : lanes_of_piece;
    int status = SLIP_OK, turn = 0;
    t.room = work->count < most ? work->count : most;
    if (work->count == 0)
        return SLIP_OK;
    SLIP_TRY(find_kernel(ctx, card, work->shape, &t.kernel));
    SLIP_TRY(create_transport(&t, set_count));
    for (int64_t first = 0; first < work->count; first += t.room, turn = (turn + 1) % side_by_side) {
        const int64_t left = work->count - first;
        status = receive_piece(&t, &t.pieces[turn]);
        if (status != SLIP_OK)
            goto done;
        SLIP_TRY(send_piece(&t, &t.pieces[turn], first, left < t.room ? left : t.room));
    }
    for (int k = 0; k < side_by_side && status == SLIP_OK; k++)
        status = receive_piece(&t, &t.pieces[(turn + k) % side_by_side]);
done:
    free_transport(&t);
    return status;
}
