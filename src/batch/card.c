/* Lanes on a graphics card. */
#include "batch/card.h"

#include "base/memory.h"
#include "batch/steps/card_text.h"

#include <stdlib.h>
#include <string.h>

typedef slip_card_address address;
typedef slip_card_driver driver;

/* ---- Moving. */

enum { threads_of_block = 128, blocks_of_processor = 8, lanes_of_piece = 1 << 18 };

/* A piece of the lanes on the card, with a stream of its own: while one piece moves another is sent or comes
 * back. */
typedef struct piece {
    void *stream;
    address records, states, counters;
    address seats;                 /* Dormand-Prince: what threads keep from launch to launch */
    slip_batch_word *records_here; /* in the order of the work */
    double *states_here;
    int64_t first, count; /* of the work; 0: there is none on the card */
} piece;

/* All that a call needs on the card. */
typedef struct transport {
    slip_context *ctx;
    const slip_card *card;
    void *kernel, *maker; /* the second makes all tables; NULL: each lane its own */
    const slip_batch_work *work;
    int64_t set_count;
    address numbers, tables, patterns; /* of all sets of parameters */
    const slip_steps_tape *tape;       /* NULL: closed forms */
    double shared[STEPS_MOST_NUMBERS + STEPS_FIXED_NUMBERS + 2 * BATCH_MOST_Q + BATCH_MOST_C + 1];
    int64_t room; /* of a piece */
    piece pieces[slip_batch_pieces];
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

static unsigned count_threads(const transport *t)
{
    return t->tape ? (unsigned)slip_steps_card_threads(t->tape) : threads_of_block;
}

/* Lanes by Dormand-Prince are spread over all multiprocessors, a warp of them at least on each. */
static unsigned count_blocks(const transport *t, int64_t lanes)
{
    const int64_t some = t->tape ? 32 : threads_of_block, blocks = (lanes + some - 1) / some,
                  most = (int64_t)t->card->processors * (t->tape ? 1 : blocks_of_processor);
    return (unsigned)(blocks < most ? blocks : most);
}

/* Closed forms: every launch looks at all lanes of the piece. */
static int launch_exact(const transport *t, piece *p, int first)
{
    const driver *d = &t->card->d;
    slip_batch_shape shape = *t->work->shape;
    address numbers = t->numbers, next = p->counters, unfinished = p->counters + sizeof(unsigned long long);
    long long count = p->count, each = t->work->each, budget = 100000;
    address tables = t->tables, patterns = t->patterns;
    void *arguments[] = {&shape,     &numbers, &p->records, &count,      &each,   &first,
                         &p->states, &budget,  &next,       &unfinished, &tables, &patterns};
    const int code = d->set(p->counters, 0, 2 * sizeof(unsigned long long), p->stream);
    return code ? code
                : d->launch(t->kernel, count_blocks(t, p->count), 1, 1, threads_of_block, 1, 1, 0, p->stream,
                            arguments, NULL);
}

/* Dormand-Prince: threads go on with the lanes that they have. */
static int launch_steps(const transport *t, piece *p, int first)
{
    const driver *d = &t->card->d;
    address numbers = t->numbers, next = p->counters, unfinished = p->counters + sizeof(unsigned long long);
    long long count = p->count, each = t->work->each, budget = 100000;
    int of_set = t->work->shape->numbers, of_lane = t->work->shape->record;
    double shared[sizeof t->shared / sizeof *t->shared];
    void *arguments[] = {shared, &numbers,   &of_set, &p->records, &of_lane,    &count,   &each,
                         &first, &p->states, &budget, &next,       &unfinished, &p->seats};
    memcpy(shared, t->shared, sizeof shared);
    const int code =
        d->set(first ? next : unfinished, 0, (first ? 2 : 1) * sizeof(unsigned long long), p->stream);
    return code ? code
                : d->launch(t->kernel, count_blocks(t, p->count), 1, 1, count_threads(t), 1, 1, 0, p->stream,
                            arguments, NULL);
}

/* Lets the lanes of the piece move, some hundred milliseconds at most. */
static int launch(const transport *t, piece *p, int first)
{
    return t->tape ? launch_steps(t, p, first) : launch_exact(t, p, first);
}

/* Copies the records of a piece between the batch and the memory that the card reaches, by all threads: one
 * is slower than the card. */
static void copy_records(const transport *t, const piece *p, bool back)
{
    const int64_t lanes = 4096, blocks = (p->count + lanes - 1) / lanes, words = t->work->shape->record;
    const size_t bytes = (size_t)words * sizeof(slip_batch_word);
#pragma omp parallel for schedule(static) if (blocks > 4)
    for (int64_t k = 0; k < blocks; k++) {
        const int64_t first = k * lanes, end = first + lanes < p->count ? first + lanes : p->count,
                      some = t->work->list ? 1 : end - first; /* that lie together */
        for (int64_t i = first; i < end; i += some) {
            slip_batch_word *own = record_of(t, p->first + i), *here = p->records_here + i * words;
            memcpy(back ? own : here, back ? here : own, bytes * (size_t)some);
        }
    }
}

static void copy_states(const transport *t, const piece *p, int64_t count)
{
    const size_t block = (size_t)1 << 20, bytes = bytes_of_states(t, count);
    const int64_t blocks = (int64_t)((bytes + block - 1) / block);
    char *to = (char *)(t->work->returns + 2 * p->first * t->work->each * t->work->shape->n);
#pragma omp parallel for schedule(static) if (blocks > 4)
    for (int64_t k = 0; k < blocks; k++) {
        const size_t at = (size_t)k * block, left = bytes - at;
        memcpy(to + at, (const char *)p->states_here + at, left < block ? left : block);
    }
}

static int send_piece(const transport *t, piece *p, int64_t first, int64_t count)
{
    int code;
    p->first = first;
    p->count = count;
    copy_records(t, p, false);
    if ((code = t->card->d.there(p->records, p->records_here, bytes_of_records(t, count), p->stream)) != 0 ||
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
    if ((code = d->back(p->records_here, p->records, bytes_of_records(t, count), p->stream)) != 0 ||
        (t->work->returns &&
         (code = d->back(p->states_here, p->states, bytes_of_states(t, count), p->stream)) != 0) ||
        (code = d->wait(p->stream)) != 0)
        return slip_card_fail(t->ctx, t->card, "lanes do not come back", code);
    copy_records(t, p, true);
    if (t->work->returns)
        copy_states(t, p, count);
    p->count = 0;
    return SLIP_OK;
}

void slip_batch_here_free(const slip_card *card, slip_batch_here *here)
{
    for (int k = 0; k < slip_batch_pieces; k++)
        if (here->memory[k])
            card->d.unpin(here->memory[k]);
    *here = (slip_batch_here){0};
}

static int reserve(const slip_card *card, size_t bytes, slip_batch_here *here)
{
    int code = 0;
    if (here->bytes >= bytes)
        return 0;
    slip_batch_here_free(card, here);
    for (int k = 0; k < slip_batch_pieces && !code; k++)
        code = card->d.pinned(&here->memory[k], bytes, 0);
    here->bytes = code ? 0 : bytes;
    return code;
}

/* ---- Tables of all sets: where many lanes share each, neighbours read the same one. */

enum { lanes_of_set = 16, most_shared_contacts = 4 };

static size_t count_tables(const transport *t)
{
    return (size_t)t->set_count << t->work->shape->contacts;
}

static bool shares_tables(const transport *t)
{
    return t->work->shape->contacts <= most_shared_contacts &&
           t->work->count >= lanes_of_set * t->set_count &&
           (double)count_tables(t) * t->work->shape->table * sizeof(double) < 0.1 * (double)t->card->memory;
}

/* On the stream of the first piece; its counter is free. */
static int make_tables(transport *t)
{
    const driver *d = &t->card->d;
    const piece *p = &t->pieces[0];
    const size_t count = count_tables(t);
    slip_batch_shape shape = *t->work->shape;
    long long sets = t->set_count;
    address next = p->counters;
    void *arguments[] = {&shape, &t->numbers, &sets, &t->tables, &t->patterns, &next};
    const int64_t blocks = ((int64_t)count + threads_of_block - 1) / threads_of_block,
                  most = (int64_t)t->card->processors * blocks_of_processor;
    int code;
    if (!t->maker)
        return 0;
    if ((code = d->alloc(&t->tables, count * (size_t)shape.table * sizeof(double))) != 0 ||
        (code = d->alloc(&t->patterns, count * sizeof(unsigned))) != 0 ||
        (code = d->set(p->counters, 0, 2 * sizeof(unsigned long long), p->stream)) != 0)
        return code;
    return d->launch(t->maker, (unsigned)(blocks < most ? blocks : most), 1, 1, threads_of_block, 1, 1, 0,
                     p->stream, arguments, NULL);
}

static int create_transport(transport *t, const slip_batch_here *here)
{
    const driver *d = &t->card->d;
    const slip_batch_work *work = t->work;
    const size_t all = (size_t)t->set_count * (size_t)work->shape->numbers * sizeof *work->numbers;
    int code = d->alloc(&t->numbers, all);
    for (int k = 0; k < slip_batch_pieces && !code; k++) {
        piece *p = &t->pieces[k];
        p->records_here = here->memory[k];
        p->states_here = (double *)(p->records_here + t->room * work->shape->record);
        if ((code = d->stream(&p->stream, 1)) == 0 && /* it waits for no other */
            (code = d->alloc(&p->records, bytes_of_records(t, t->room))) == 0 &&
            (code = d->alloc(&p->counters, 2 * sizeof(unsigned long long))) == 0 && work->returns)
            code = d->alloc(&p->states, bytes_of_states(t, t->room));
        if (!code && t->tape)
            code = d->alloc(&p->seats, (size_t)count_blocks(t, t->room) * count_threads(t) *
                                           (size_t)slip_steps_state_words(t->tape) * sizeof(double));
    }
    if (code || (code = d->there(t->numbers, work->numbers, all, t->pieces[0].stream)) != 0 ||
        (code = make_tables(t)) != 0 || (code = d->wait(t->pieces[0].stream)) != 0)
        return slip_card_fail(t->ctx, t->card, "its memory does not suffice", code);
    return SLIP_OK;
}

static void free_transport(const transport *t)
{
    const driver *d = &t->card->d;
    for (int k = 0; k < slip_batch_pieces; k++) {
        const piece *p = &t->pieces[k];
        const address all[] = {p->records,
                               p->states,
                               p->counters,
                               p->seats,
                               k == 0 ? t->numbers : 0,
                               k == 0 ? t->tables : 0,
                               k == 0 ? t->patterns : 0};
        if (p->stream)
            d->wait(p->stream);
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            if (all[i])
                d->free(all[i]);
        if (p->stream)
            d->end(p->stream);
    }
}

/* The kernels of the program for a shape. */
static int find_kernels(slip_context *ctx, slip_card *card, transport *t)
{
    const bool shared = !t->tape && shares_tables(t);
    slip_text text = {0};
    void *module;
    int status, failed;
    if (t->tape) {
        bool *varying = slip_steps_find_varying(t->tape, t->work->numbers, t->set_count);
        status = varying ? slip_steps_card_text(ctx, t->tape, varying, t->work->numbers, &text)
                         : slip_fail_memory(ctx);
        if (varying)
            slip_steps_shared(t->tape, varying, t->work->numbers, t->shared);
        free(varying);
    } else
        status = slip_batch_card_text(ctx, t->work->shape, shared, &text);
    SLIP_TRY(status);
    SLIP_TRY(slip_card_program(ctx, card, t->tape ? "steps" : "lanes", &text, &module));
    failed = card->d.function(&t->kernel, module, t->tape ? "slip_steps_kernel" : "slip_batch_kernel");
    if (!failed && shared)
        failed = card->d.function(&t->maker, module, "slip_batch_tables");
    if (failed)
        status = slip_card_fail(ctx, card, "its program has no kernel", failed);
done:
    slip_text_free(&text);
    return status;
}

int slip_batch_card_advance(slip_context *ctx, slip_card *card, slip_batch_here *here,
                            const slip_batch_work *work, int set_count, const slip_steps_tape *tape)
{
    transport t = {.ctx = ctx, .card = card, .work = work, .set_count = set_count, .tape = tape};
    const double of_lane = (double)(bytes_of_records(&t, 1) + bytes_of_states(&t, 1));
    const double card_room = 0.4 / slip_batch_pieces * (double)card->memory, here_room = 1 << 27;
    const int64_t fits = (int64_t)((card_room < here_room ? card_room : here_room) / of_lane) + 1,
                  most = fits < lanes_of_piece ? fits : lanes_of_piece;
    int status = SLIP_OK, turn = 0;
    t.room = work->count < most ? work->count : most;
    if (work->count == 0)
        return SLIP_OK;
    SLIP_TRY(find_kernels(ctx, card, &t));
    const int code = reserve(card, bytes_of_records(&t, t.room) + bytes_of_states(&t, t.room), here);
    if (code) {
        status = slip_card_fail(ctx, card, "the memory of this machine does not suffice", code);
        goto done;
    }
    SLIP_TRY(create_transport(&t, here));
    for (int64_t first = 0; first < work->count; first += t.room, turn = (turn + 1) % slip_batch_pieces) {
        const int64_t left = work->count - first;
        status = receive_piece(&t, &t.pieces[turn]);
        if (status != SLIP_OK)
            goto done;
        SLIP_TRY(send_piece(&t, &t.pieces[turn], first, left < t.room ? left : t.room));
    }
    for (int k = 0; k < slip_batch_pieces && status == SLIP_OK; k++)
        status = receive_piece(&t, &t.pieces[(turn + k) % slip_batch_pieces]);
done:
    free_transport(&t);
    return status;
}
