/* Sets, lanes, threads. */
#include "batch/batch.h"
#include "base/threads.h"
#include "batch/card.h"
#include "batch/lanes.h"
#include "batch/numbers.h"
#include "batch/steps/lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slip_batch {
    slip_batch_settings settings;
    slip_card *card; /* NULL: the processor */
    slip_batch_here here;
    slip_batch_shape shape;
    slip_steps_tape *tape; /* of all sets; NULL: closed forms */
    int set_count;
    double *numbers; /* of all sets */
    int64_t number_capacity;
    slip_batch_word *records; /* of all lanes, shape.record words each */
    int64_t lane_count, record_capacity;
    int64_t left_by_card; /* lanes that the processor finished */
};

/* From this number of lanes on a card is faster than the cores of its machine. */
enum { lanes_for_card = 1000 };

int slip_batch_find_card(slip_context *ctx, const char *device, int64_t expected, slip_card **card)
{
    const bool asked = device && strcmp(device, "cuda") == 0,
               chooses = !device || strcmp(device, "auto") == 0;
    *card = NULL;
    if (!asked && (!chooses || expected < lanes_for_card))
        return SLIP_OK;
    const int status = slip_card_open(ctx, card);
    if (status < 0 && !asked)
        slip_context_clear(ctx);
    return asked ? status : SLIP_OK;
}

int slip_batch_create(slip_context *ctx, const slip_batch_settings *settings, slip_batch **result)
{
    *result = slip_alloc(1, sizeof **result);
    SLIP_PASS(slip_allocated(ctx, *result));
    (*result)->settings = *settings;
    (*result)->card = settings->card;
    return settings->card ? SLIP_OK
                          : slip_batch_find_card(ctx, settings->device, settings->expected, &(*result)->card);
}

void slip_batch_destroy(slip_batch *batch)
{
    if (!batch)
        return;
    if (batch->card)
        slip_batch_here_free(batch->card, &batch->here);
    if (batch->card != batch->settings.card)
        slip_card_close(batch->card);
    free(batch->tape);
    free(batch->numbers);
    free(batch->records);
    free(batch);
}

void slip_batch_free_set(slip_batch_set *made)
{
    free(made->numbers);
    free(made->tape);
    *made = (slip_batch_set){0};
}

/* In closed form; numbers stay NULL where that is not possible. */
static int make_exact(slip_context *ctx, const slip_system *system, const slip_batch_motion *motion,
                      slip_batch_set *made, char *reason, size_t size)
{
    SLIP_FREED_BY(slip_batch_draft_free) slip_batch_draft draft = {.peaks = motion->peaks};
    int status = SLIP_OK;
    SLIP_PASS(status = slip_batch_describe(ctx, system, &draft, &made->shape, reason, size));
    if (status == SLIP_BATCH_REFUSED)
        return status;
    made->numbers = slip_alloc(made->shape.numbers, sizeof *made->numbers);
    SLIP_PASS(status = slip_allocated(ctx, made->numbers));
    slip_batch_fill(system, &draft, &made->shape, motion->period, made->numbers);
    return status < 0 ? status : SLIP_OK;
}

/* By Dormand-Prince steps; likewise. */
static int make_steps(slip_context *ctx, const slip_system *system, const slip_batch_motion *motion,
                      slip_batch_set *made, char *reason, size_t size)
{
    const double tolerance = motion->tolerance > 0 ? motion->tolerance : 1e-8;
    const int status = slip_steps_describe(ctx, system, motion->period, tolerance, motion->peaks, &made->tape,
                                           &made->numbers, reason, size);
    memset(&made->shape, 0, sizeof made->shape);
    if (made->tape)
        made->shape = (slip_batch_shape){.n = system->n,
                                         .contacts = made->tape->contacts,
                                         .numbers = slip_steps_numbers(made->tape),
                                         .record = slip_steps_words(made->tape),
                                         .steps = 1,
                                         .peaks = motion->peaks};
    return status;
}

int slip_batch_make_set(slip_context *ctx, const slip_system *system, const slip_batch_motion *motion,
                        slip_batch_set *made, char *reason, size_t size)
{
    const bool exact = !motion->segments || strcmp(motion->segments, "rk") != 0;
    size_t used = 0;
    *made = (slip_batch_set){0};
    if (exact)
        SLIP_PASS(make_exact(ctx, system, motion, made, reason, size));
    if (made->numbers || (exact && motion->segments && strcmp(motion->segments, "exact") == 0))
        return SLIP_OK;
    if (exact) { /* the reason against a closed form comes first */
        used = strlen(reason);
        snprintf(reason + used, size - used, "; ");
        used = strlen(reason);
    }
    return make_steps(ctx, system, motion, made, reason + used, size - used);
}

bool slip_batch_fits(const slip_batch *batch, const slip_batch_set *made)
{
    return batch->set_count == 0 ||
           (memcmp(&made->shape, &batch->shape, sizeof made->shape) == 0 &&
            (!made->tape || memcmp(made->tape, batch->tape, sizeof *made->tape) == 0));
}

int64_t slip_batch_divide(slip_batch_set *made, double span)
{
    const double turns = 4 * 2 * 3.141592653589793; /* of a return at least, where it is not the whole */
    double *period = made->numbers + made->shape.numbers - 1, fastest = 0;
    int64_t count = 1;
    if (made->shape.steps) /* which reckon phases from the time */
        return 1;
    for (int k = 1; k <= made->shape.waves; k++)
        fastest = period[-k] > fastest ? period[-k] : fastest;
    while (count < (int64_t)1 << 30 && span * fastest / (double)(8 * count) >= turns)
        count *= 8;
    *period = span / (double)count;
    return count;
}

int slip_batch_take_set(slip_context *ctx, slip_batch *batch, slip_batch_set *made, int *set, char *reason,
                        size_t size)
{
    const slip_batch_shape *shape = &made->shape;
    int status = SLIP_OK;
    *set = -1;
    if (!made->numbers)
        return SLIP_OK;
    if (!slip_batch_fits(batch, made)) {
        snprintf(reason, size, "its loads have another form than those of the first run");
        goto done;
    }
    const int64_t first = (int64_t)batch->set_count * shape->numbers;
    SLIP_TRY(slip_allocated(ctx, slip_array_reserve(&batch->numbers, &batch->number_capacity,
                                                    first + shape->numbers, sizeof(double))));
    batch->shape = *shape;
    if (!batch->tape) {
        batch->tape = made->tape;
        made->tape = NULL;
    }
    memcpy(batch->numbers + first, made->numbers, (size_t)shape->numbers * sizeof(double));
    *set = batch->set_count++;
done:
    slip_batch_free_set(made);
    return status;
}

int slip_batch_add_set(slip_context *ctx, slip_batch *batch, const slip_system *system,
                       const slip_batch_motion *motion, int *set, char *reason, size_t size)
{
    slip_batch_set made;
    const int status = slip_batch_make_set(ctx, system, motion, &made, reason, size);
    *set = -1;
    return status < 0 ? status : slip_batch_take_set(ctx, batch, &made, set, reason, size);
}

int slip_batch_add_lane(slip_context *ctx, slip_batch *batch, int set, double t, const double *q,
                        const double *v, int64_t *lane)
{
    const size_t bytes = (size_t)batch->shape.n * sizeof(double);
    const int64_t first = batch->lane_count * batch->shape.record;
    SLIP_PASS(slip_allocated(ctx, slip_array_reserve(&batch->records, &batch->record_capacity,
                                                     first + batch->shape.record, sizeof *batch->records)));
    slip_batch_lane new = {.status = BATCH_NEW, .set = set, .time = t};
    memcpy(new.y, q, bytes);
    memcpy(new.y + batch->shape.n, v, bytes);
    (batch->shape.steps ? slip_steps_keep_new : slip_batch_keep)(&batch->shape, &new, batch->records + first);
    *lane = batch->lane_count++;
    return SLIP_OK;
}

slip_batch_lane slip_batch_get(const slip_batch *batch, int64_t number)
{
    slip_batch_lane lane = {0};
    (batch->shape.steps ? slip_steps_open : slip_batch_open)(
        &batch->shape, batch->records + number * batch->shape.record, &lane);
    return lane;
}

const char *slip_batch_reason(int status)
{
    static const char *const reasons[BATCH_STATUSES] = {
        [BATCH_NEW] = "it was not begun",
        [BATCH_GOES_ON] = "it goes on",
        [BATCH_TIE] = "two contacts change at one instant",
        [BATCH_AMBIGUOUS] = "an event has more than one outcome that has to be weighed",
        [BATCH_DEPENDENT] = "contacts that are held depend on each other",
        [BATCH_WORK] = "an event took too long to find",
        [BATCH_BEYOND] = "its numbers grow beyond all bounds",
    };
    return reasons[status];
}

/* ---- Threads. A lane's numbers do not depend on who takes it. */

/* Lanes that a thread takes at a time: places stay empty while the last of them move, so large numbers are
 * better, as long as every thread gets some. */
static int64_t lanes_at_a_time(int64_t count, int threads)
{
    const int64_t least = 32, most = 512, share = count / (2 * threads);
    return share < least ? least : share > most ? most : share;
}

/* What a thread needs to move lanes. */
typedef struct equipment {
    slip_batch_scratch scratch;
    void *memory;
} equipment;

static bool equip(const slip_batch *batch, equipment *e)
{
    const int64_t patterns = (int64_t)slip_batch_widest * slip_batch_patterns;
    *e = (equipment){0};
    if (batch->tape)
        return (e->memory = aligned_alloc(64, slip_steps_memory(batch->tape))) != NULL;
    e->scratch.patterns = slip_alloc(patterns, sizeof *e->scratch.patterns);
    e->scratch.tables = slip_alloc(patterns * batch->shape.table, sizeof *e->scratch.tables);
    return e->scratch.patterns && e->scratch.tables;
}

static void move_lanes(const slip_batch *batch, const slip_batch_work *work, equipment *e)
{
    const int lanes = batch->settings.lanes;
    if (batch->tape)
        slip_steps_choose(batch->tape, lanes)(work, batch->tape, e->memory);
    else
        slip_batch_choose(&batch->shape, lanes)(work, &e->scratch);
}

/* Lanes on the processors. */
static int advance_here(slip_context *ctx, const slip_batch *batch, const slip_batch_work *all)
{
    const int threads = slip_threads(batch->settings.threads);
    const int64_t some = lanes_at_a_time(all->count, threads), parts = (all->count + some - 1) / some;
    int ended = SLIP_OK;
#pragma omp parallel num_threads(threads)
    {
        equipment own;
        const bool ready = equip(batch, &own);
#pragma omp for schedule(dynamic, 1)
        for (int64_t p = 0; p < parts; p++) {
            const int64_t first = p * some, left = all->count - first;
            slip_batch_work work = *all;
            work.records += all->list ? 0 : first * batch->shape.record;
            work.list = all->list ? all->list + first : NULL;
            work.count = left < some ? left : some;
            work.places = all->places ? all->places + first : NULL;
            if (all->returns && !all->places)
                work.returns += 2 * first * all->each * batch->shape.n;
            if (all->derivatives)
                work.derivatives += first * all->each * slip_batch_derivatives(batch);
            if (ready && !slip_interrupted(ctx))
                move_lanes(batch, &work, &own);
            else {
#pragma omp atomic write
                ended = ready ? SLIP_INTERRUPTED : SLIP_ERROR_MEMORY;
            }
        }
        free(own.scratch.patterns);
        free(own.scratch.tables);
        free(own.memory);
    }
    return ended == SLIP_ERROR_MEMORY ? slip_fail_memory(ctx) : ended;
}

/* Moves the lanes that a card has not finished. */
static int finish_here(slip_context *ctx, slip_batch *batch, const slip_batch_work *all)
{
    slip_batch_work rest = *all;
    int64_t list_room = 0, place_room = 0;
    SLIP_FREED int64_t *list = NULL, *places = NULL;
    int status = SLIP_OK;
    rest.count = 0;
    for (int64_t k = 0; k < all->count; k++) {
        const int64_t number = all->list ? all->list[k] : k;
        const slip_batch_lane lane = slip_batch_get(batch, number);
        if (lane.status != BATCH_GOES_ON || lane.returns >= lane.wanted)
            continue;
        SLIP_PASS(status = slip_allocated(
                      ctx, slip_array_reserve(&list, &list_room, rest.count + 1, sizeof *list) &&
                               slip_array_reserve(&places, &place_room, rest.count + 1, sizeof *places)));
        list[rest.count] = number;
        places[rest.count++] = k;
        batch->left_by_card += slip_steps_note_left(batch->records + number * batch->shape.record);
    }
    rest.list = list;
    rest.places = places;
    if (rest.count > 0)
        return advance_here(ctx, batch, &rest);
    return status;
}

static slip_batch_work work_of(const slip_batch *batch, const int64_t *list, int64_t count, int64_t returns,
                               double *states)
{
    return (slip_batch_work){.shape = &batch->shape,
                             .numbers = batch->numbers,
                             .records = batch->records,
                             .list = list,
                             .count = count,
                             .each = returns,
                             .returns = states};
}

int slip_batch_advance(slip_context *ctx, slip_batch *batch, const int64_t *list, int64_t count,
                       int64_t returns, double *states)
{
    const slip_batch_work all = work_of(batch, list, count, returns, states);
    int status;
    if (!batch->card)
        return advance_here(ctx, batch, &all);
    status = slip_batch_card_advance(ctx, batch->card, &batch->here, &all, batch->set_count, batch->tape);
    return status == SLIP_OK && batch->tape ? finish_here(ctx, batch, &all) : status;
}

int slip_batch_derivatives(const slip_batch *batch)
{
    return 4 * batch->shape.n * batch->shape.n + 1;
}

int slip_batch_coordinates(const slip_batch *batch)
{
    return batch->shape.n;
}

int slip_batch_differentiate(slip_context *ctx, slip_batch *batch, const int64_t *list, int64_t count,
                             int64_t returns, double *states, double *derivatives)
{
    slip_batch_work all = work_of(batch, list, count, returns, states);
    all.derivatives = derivatives;
    return advance_here(ctx, batch, &all);
}

void slip_batch_restart(slip_batch *batch, int64_t number, double period)
{
    const slip_batch_shape *shape = &batch->shape;
    slip_batch_lane lane = slip_batch_get(batch, number);
    batch->numbers[(int64_t)(lane.set + 1) * shape->numbers - 1] = period;
    lane.returns = lane.wanted = 0;
    lane.opened = lane.time;
    slip_batch_keep(shape, &lane, batch->records + number * shape->record);
}

int64_t slip_batch_left_by_card(const slip_batch *batch)
{
    return batch->left_by_card;
}

/* ---- The engine for this processor. */

void slip_batch_run_plain(const slip_batch_work *work, slip_batch_scratch *scratch);
#ifdef __x86_64__
void slip_batch_run_fma(const slip_batch_work *work, slip_batch_scratch *scratch);
void slip_batch_run_avx2(const slip_batch_work *work, slip_batch_scratch *scratch);
void slip_batch_run_avx2_111(const slip_batch_work *work, slip_batch_scratch *scratch);
void slip_batch_run_avx512(const slip_batch_work *work, slip_batch_scratch *scratch);
void slip_batch_run_avx512_111(const slip_batch_work *work, slip_batch_scratch *scratch);
#endif

int slip_batch_width(void)
{
#ifdef __x86_64__
    const bool fused = __builtin_cpu_supports("fma");
    return __builtin_cpu_supports("avx512f") && fused ? 8 : __builtin_cpu_supports("avx2") && fused ? 4 : 1;
#else
    return 1;
#endif
}

slip_batch_runner slip_batch_choose(const slip_batch_shape *shape, int lanes)
{
    const int widest = slip_batch_width(), width = lanes > 0 && lanes < widest ? lanes : widest;
    const bool smallest = shape->n == 1 && shape->contacts == 1 && shape->waves == 1;
#ifdef __x86_64__
    if (width >= 8)
        return smallest ? slip_batch_run_avx512_111 : slip_batch_run_avx512;
    if (width >= 4)
        return smallest ? slip_batch_run_avx2_111 : slip_batch_run_avx2;
    if (__builtin_cpu_supports("fma"))
        return slip_batch_run_fma;
#endif
    return (void)smallest, (void)width, slip_batch_run_plain;
}
