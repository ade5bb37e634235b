/* Lanes on a graphics card. */
#include "batch/card.h"

#include "base/memory.h"
#include "batch/steps/waves.h"

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
    slip_steps_waves waves;        /* Dormand-Prince */
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
    slip_steps_program steps;
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

static unsigned count_blocks(const transport *t, int64_t lanes)
{
    const int64_t blocks = (lanes + threads_of_block - 1) / threads_of_block,
                  most = (int64_t)t->card->processors * blocks_of_processor;
    return (unsigned)(blocks < most ? blocks : most);
}

/* Closed forms: launches the kernel for all lanes of the piece, for some hundred milliseconds at most. */
static int launch(const transport *t, piece *p, int first)
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

/* Lets the lanes of a piece that has just been sent begin. */
static int begin(const transport *t, piece *p)
{
    return t->tape ? slip_steps_waves_begin(t->card, &t->steps, p->stream, t->work, p->count, t->numbers,
                                            p->records, p->states, &p->waves)
                   : launch(t, p, 1);
}

/* Waits for what was launched, and launches what comes next; *over: all lanes have what they want. */
static int go_on(const transport *t, piece *p, bool *over)
{
    const driver *d = &t->card->d;
    unsigned long long counters[2] = {0, 1};
    int code;
    if (t->tape)
        return slip_steps_waves_go_on(t->card, &t->steps, p->stream, &p->waves, over);
    if ((code = d->back(counters, p->counters, sizeof counters, p->stream)) != 0 ||
        (code = d->wait(p->stream)) != 0)
        return code;
    *over = counters[1] == 0;
    return *over ? 0 : launch(t, p, 0);
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
                      some = t->work->list ? 1 : end - first; /* lanes that are contiguous */
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
        (code = begin(t, p)) != 0)
        return slip_card_fail(t->ctx, t->card, "lanes cannot be sent", code);
    return SLIP_OK;
}

/* Waits for a piece; lets it go on, or takes it back when all of its lanes have what they want. */
static int look_after(const transport *t, piece *p)
{
    const driver *d = &t->card->d;
    const int64_t count = p->count;
    bool over = false;
    int code = go_on(t, p, &over);
    if (code)
        return slip_card_fail(t->ctx, t->card, "a launch failed", code);
    if (slip_interrupted(t->ctx))
        return SLIP_INTERRUPTED;
    if (!over)
        return SLIP_OK;
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
        if ((code = d->stream(&p->stream, 1)) == 0 && /* independent of other streams */
            (code = d->alloc(&p->records, bytes_of_records(t, t->room))) == 0 &&
            (code = d->alloc(&p->counters, 2 * sizeof(unsigned long long))) == 0 && work->returns)
            code = d->alloc(&p->states, bytes_of_states(t, t->room));
        if (!code && t->tape)
            code = slip_steps_waves_create(t->card, t->tape, t->room, &p->waves);
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
                               k == 0 ? t->numbers : 0,
                               k == 0 ? t->tables : 0,
                               k == 0 ? t->patterns : 0};
        if (p->stream)
            d->wait(p->stream);
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            if (all[i])
                d->free(all[i]);
        slip_steps_waves_free(t->card, &p->waves);
        if (p->stream)
            d->end(p->stream);
    }
}

/* The kernels of the program for a shape. */
static int find_kernels(slip_context *ctx, slip_card *card, transport *t)
{
    const bool shared = !t->tape && shares_tables(t);
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    void *module;
    int failed;
    if (t->tape)
        return slip_steps_program_find(ctx, card, t->tape, t->work->numbers, t->set_count, &t->steps);
    SLIP_PASS(slip_batch_card_text(ctx, t->work->shape, shared, &text));
    SLIP_PASS(slip_card_program(ctx, card, "lanes", &text, &module));
    failed = card->d.function(&t->kernel, module, "slip_batch_kernel");
    if (!failed && shared)
        failed = card->d.function(&t->maker, module, "slip_batch_tables");
    if (failed)
        return slip_card_fail(ctx, card, "its program has no kernel", failed);
    return SLIP_OK;
}

int slip_batch_card_advance(slip_context *ctx, slip_card *card, slip_batch_here *here,
                            const slip_batch_work *work, int set_count, const slip_steps_tape *tape)
{
    transport t = {.ctx = ctx, .card = card, .work = work, .set_count = set_count, .tape = tape};
    const double of_lane = (double)(bytes_of_records(&t, 1) + bytes_of_states(&t, 1));
    const double card_room = 0.4 / slip_batch_pieces * (double)card->memory, here_room = 1 << 27,
                 there = card_room / (of_lane + (tape ? slip_steps_waves_bytes(tape) : 0)),
                 here_most = here_room / of_lane;
    const int64_t fits = (int64_t)(there < here_most ? there : here_most) + 1,
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
    for (int64_t first = 0, busy = 1; busy; turn = (turn + 1) % slip_batch_pieces) {
        piece *p = &t.pieces[turn];
        if (p->count > 0 && (status = look_after(&t, p)) != SLIP_OK)
            goto done;
        if (p->count == 0 && first < work->count) {
            const int64_t left = work->count - first;
            SLIP_TRY(send_piece(&t, p, first, left < t.room ? left : t.room));
            first += p->count;
        }
        busy = 0;
        for (int k = 0; k < slip_batch_pieces; k++)
            busy += t.pieces[k].count;
    }
done:
    free_transport(&t);
    return status;
}
