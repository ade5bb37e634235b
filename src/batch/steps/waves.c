#include "batch/steps/waves.h"

#include "batch/steps/card_text.h"

#include <stdlib.h>

/* So many waves are launched before it is asked whether lanes are left; an even number, so that lists that
 * take turns are those of the first wave again. */
enum { waves_of_launch = 48, counters_of_launch = (waves_of_launch + 1) * STEPS_COUNTERS };

/* One module each, so that they are compiled side by side. */
static const char *const kernel_names[] = {"slip_steps_start", "slip_steps_move", "slip_steps_event"};
enum { kernel_count = sizeof kernel_names / sizeof *kernel_names };
_Static_assert((int)kernel_count <= (int)slip_card_most_programs, "a card compiles so many side by side");

/* A kernel of its module, which gets the numbers that all sets share. */
static int open_kernel(slip_context *ctx, slip_card *card, void *module, const char *name,
                       const double *shared, int values, void **kernel)
{
    slip_card_address where;
    size_t bytes;
    int failed = card->d.function(kernel, module, name);
    if (failed)
        return slip_card_fail(ctx, card, "its program has no kernel", failed);
    failed = card->d.global(&where, &bytes, module, "steps_values");
    if (failed || (failed = card->d.there(where, shared, (size_t)values * sizeof *shared, NULL)) != 0 ||
        (failed = card->d.wait(NULL)) != 0)
        return slip_card_fail(ctx, card, "its program does not take numbers", failed);
    return SLIP_OK;
}

int slip_steps_program_find(slip_context *ctx, slip_card *card, const slip_steps_tape *tape,
                            const double *numbers, int64_t sets, slip_steps_program *program)
{
    void **const kernels[kernel_count] = {&program->start, &program->move, &program->event};
    double shared[STEPS_MOST_NUMBERS + STEPS_FIXED_NUMBERS + 2 * BATCH_MOST_Q + BATCH_MOST_C];
    slip_text texts[kernel_count] = {{0}};
    void *modules[kernel_count];
    SLIP_FREED bool *varying = slip_steps_find_varying(tape, numbers, sets);
    int status = slip_allocated(ctx, varying);
    program->tape = tape;
    for (int k = 0; k < kernel_count && status == SLIP_OK; k++)
        status = slip_steps_card_text(ctx, tape, varying, numbers, kernel_names[k], &texts[k]);
    if (status == SLIP_OK)
        status = slip_card_programs(ctx, card, "steps", kernel_count, texts, modules);
    for (int k = 0; k < kernel_count; k++)
        slip_text_free(&texts[k]);
    SLIP_PASS(status);
    const int values = slip_steps_shared(tape, varying, numbers, shared);
    for (int k = 0; k < kernel_count; k++)
        SLIP_PASS(open_kernel(ctx, card, modules[k], kernel_names[k], shared, values, kernels[k]));
    return SLIP_OK;
}

double slip_steps_waves_bytes(const slip_steps_tape *tape)
{
    return (double)slip_steps_state_words(tape) * (double)sizeof(double) + STEPS_LISTS * (double)sizeof(int);
}

int slip_steps_waves_create(const slip_card *card, const slip_steps_tape *tape, int64_t lanes,
                            slip_steps_waves *waves)
{
    const slip_card_driver *d = &card->d;
    const size_t words = (size_t)slip_steps_state_words(tape);
    int code = d->alloc(&waves->parked, (size_t)lanes * words * sizeof(double));
    if (!code)
        code = d->alloc(&waves->lists, (size_t)lanes * STEPS_LISTS * sizeof(int));
    return code ? code : d->alloc(&waves->counters, counters_of_launch * sizeof(unsigned long long));
}

void slip_steps_waves_free(const slip_card *card, const slip_steps_waves *waves)
{
    const slip_card_address all[] = {waves->parked, waves->lists, waves->counters};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k])
            card->d.free(all[k]);
}

static int launch(const slip_card *card, const slip_steps_program *program, void *kernel, void *stream,
                  slip_steps_waves *waves, int wave, int finding)
{
    const int64_t threads = slip_steps_card_threads, needed = (waves->work.count + threads - 1) / threads,
                  most = (int64_t)card->processors * slip_steps_card_blocks(program->tape);
    void *arguments[] = {&waves->work, &wave, &finding};
    return card->d.launch(kernel, (unsigned)(needed < most ? needed : most), 1, 1, (unsigned)threads, 1, 1, 0,
                          stream, arguments, NULL);
}

static int launch_waves(const slip_card *card, const slip_steps_program *program, void *stream,
                        slip_steps_waves *waves)
{
    int code = 0;
    for (int wave = 0; wave < waves_of_launch && !code; wave++)
        if ((code = launch(card, program, program->move, stream, waves, wave, 0)) == 0 &&
            (code = launch(card, program, program->event, stream, waves, wave, 1)) == 0)
            code = launch(card, program, program->event, stream, waves, wave, 0);
    return code;
}

/* An address of the card, as its kernels get it. */
static void *pointer(slip_card_address address)
{
    return (void *)(uintptr_t)address;
}

int slip_steps_waves_begin(const slip_card *card, const slip_steps_program *program, void *stream,
                           const slip_batch_work *work, int64_t count, slip_card_address numbers,
                           slip_card_address records, slip_card_address returns, slip_steps_waves *waves)
{
    int code;
    waves->work = (slip_steps_work){.numbers = pointer(numbers),
                                    .records = pointer(records),
                                    .to = pointer(returns),
                                    .parked = pointer(waves->parked),
                                    .lists = pointer(waves->lists),
                                    .counters = pointer(waves->counters),
                                    .count = count,
                                    .each = work->each,
                                    .of_set = work->shape->numbers,
                                    .of_lane = work->shape->record};
    if ((code = card->d.set(waves->counters, 0, counters_of_launch * sizeof(unsigned long long), stream)) !=
            0 ||
        (code = launch(card, program, program->start, stream, waves, 0, 0)) != 0)
        return code;
    return launch_waves(card, program, stream, waves);
}

int slip_steps_waves_go_on(const slip_card *card, const slip_steps_program *program, void *stream,
                           slip_steps_waves *waves, bool *over)
{
    const slip_card_driver *d = &card->d;
    const size_t one = STEPS_COUNTERS * sizeof(unsigned long long);
    unsigned long long left[STEPS_COUNTERS], sum = 0;
    int code = d->back(left, waves->counters + waves_of_launch * one, one, stream);
    if (code || (code = d->wait(stream)) != 0)
        return code;
    for (int k = 0; k < STEPS_COUNTERS; k++)
        sum += left[k];
    *over = sum == 0;
    if (*over)
        return 0;
    if ((code = d->set(waves->counters, 0, counters_of_launch * sizeof *left, stream)) != 0 ||
        (code = d->there(waves->counters, left, one, stream)) != 0)
        return code;
    return launch_waves(card, program, stream, waves);
}
