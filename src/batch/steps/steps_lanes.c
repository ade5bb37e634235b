/* Lanes by Dormand-Prince on the processor: compiled as it is for lanes one by one, and again for vectors of
 * 4 and 8 lanes. */
#include "batch/steps/lanes.h"
#include "math/expression/tape.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#ifndef LANES
#define LANES 1
#endif
#ifndef SLIP_STEPS_RUN
#define SLIP_STEPS_RUN slip_steps_run_plain
#endif
#define FUNCTION static inline
#define NQ (p->n)
#define NC (p->contacts)
#include "batch/engine_real.inc"

/* ---- One lane. */
#define V double
#define I unsigned long long
#define COUNT 1
#define NAME(x) one_##x
#define LESS_OF(a, b, x, y) ((a) < (b) ? (x) : (y))
#define FUSED(a, b, c) fma(a, b, c)
static inline double one_same(double x)
{
    return x;
}
static inline double one_size(double x)
{
    return fabs(x);
}
static inline unsigned long long one_bits(double x)
{
    unsigned long long bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline double one_number(unsigned long long bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
#include "batch/steps/steps_width.inc"
#undef V
#undef I
#undef COUNT
#undef NAME
#undef LESS_OF
#undef FUSED

/* ---- Many lanes: the more vectors of them, the less an operation of the list costs. */
enum { vectors = steps_most_places / 8, places = vectors * LANES };
#define V real
#define COUNT vectors
#define NAME(x) many_##x
#define FUSED(a, b, c) fused(a, b, c)
#if LANES == 1
#define I unsigned long long
#define LESS_OF(a, b, x, y) ((a) < (b) ? (x) : (y))
#define many_bits one_bits
#define many_number one_number
#else
typedef unsigned long long whole_real __attribute__((vector_size(8 * LANES)));
#define I whole_real
#define LESS_OF(a, b, x, y) choose(LESS(a, b), x, y)
static inline whole_real many_bits(real x)
{
    return (whole_real)x;
}
static inline real many_number(whole_real bits)
{
    return (real)bits;
}
#endif
static inline real many_same(double x)
{
    return spread(x);
}
static inline real many_size(real x)
{
    return absolute(x);
}
#include "batch/steps/steps_width.inc"

#define BLOCK many_block
#include "batch/steps/steps_event.inc"
#include "batch/steps/steps_record.inc"

/* ---- From words to a place, and back. */

static void take_numbers(const slip_steps_tape *p, many_block *b, int place, const double *set,
                         double (*x)[1])
{
    for (int k = 0; k < p->number_count; k++)
        x[p->first_number + k][0] = COLUMN(b->x[p->first_number + k]) = set[k];
    const double *fixed = set + p->number_count;
    COLUMN(b->tolerance) = fixed[STEPS_TOLERANCE];
    for (int i = 0; i < NQ; i++)
        COLUMN(b->finest[i]) = fixed[STEPS_FIXED_NUMBERS + i];
    for (int i = 0; i < NQ; i++)
        COLUMN(b->usual[i]) = fixed[STEPS_FIXED_NUMBERS + NQ + i];
    for (int c = 0; c < NC; c++)
        COLUMN(b->bend[c]) = fixed[STEPS_FIXED_NUMBERS + 2 * NQ + c];
}

static void open_kept(const slip_steps_tape *p, many_block *b, int place, steps_lane *lane,
                      const slip_batch_word *from)
{
    const slip_batch_word *word = from + KEPT_STATE(NC);
    memset(lane, 0, sizeof *lane);
    lane->set = (int)from[KEPT_SET].count;
    lane->status = (int)from[KEPT_STATUS].count;
    lane->returns = from[KEPT_RETURNS].count;
    lane->events = from[KEPT_EVENTS].count;
    lane->work = from[KEPT_WORK].count;
    lane->signature = from[KEPT_SIGNATURE].hash;
    lane->opened = from[KEPT_OPENED].number;
    lane->fastest = from[KEPT_FASTEST].number;
    for (int c = 0; c < NC; c++)
        lane->mode[c] = (int)from[KEPT_FIRST + c].count;
    COLUMN(b->t) = from[KEPT_TIME].number;
    COLUMN(b->next) = from[KEPT_NEXT].number;
    COLUMN(b->log_error) = from[KEPT_LOG_ERROR].number;
    COLUMN(b->rejected) = from[KEPT_REJECTED].number;
    COLUMN(b->forced) = COLUMN(b->target) = COLUMN(b->passes) = 0;
    for (int i = 0; i < 2 * NQ; i++)
        COLUMN(b->y[i]) = (word++)->number;
    for (int i = 0; i < NQ; i++)
        COLUMN(b->k[0][NQ + i]) = (word++)->number;
    for (int i = 0; i < 2 * NQ; i++)
        COLUMN(b->moved[i]) = (word++)->number;
    for (int i = 0; i < 2 * NQ; i++)
        COLUMN(b->parts[i]) = (word++)->number;
    for (int i = 0; i < NQ; i++)
        COLUMN(b->start[i]) = (word++)->number;
}

static void keep_place(const slip_steps_tape *p, const many_block *b, int place, const steps_lane *lane,
                       slip_batch_word *to)
{
    slip_batch_word *word = to + KEPT_STATE(NC);
    to[KEPT_SET].count = lane->set;
    to[KEPT_STATUS].count = lane->status;
    to[KEPT_RETURNS].count = lane->returns;
    to[KEPT_WANTED].count = lane->wanted;
    to[KEPT_EVENTS].count = lane->events;
    to[KEPT_WORK].count = lane->work;
    to[KEPT_SIGNATURE].hash = lane->signature;
    to[KEPT_TIME].number = COLUMN(b->t);
    to[KEPT_OPENED].number = lane->opened;
    to[KEPT_FASTEST].number = lane->fastest;
    to[KEPT_NEXT].number = COLUMN(b->next);
    to[KEPT_LOG_ERROR].number = COLUMN(b->log_error);
    to[KEPT_REJECTED].number = COLUMN(b->rejected);
    for (int c = 0; c < NC; c++)
        to[KEPT_FIRST + c].count = lane->mode[c];
    for (int i = 0; i < 2 * NQ; i++)
        (word++)->number = COLUMN(b->y[i]);
    for (int i = 0; i < NQ; i++)
        (word++)->number = COLUMN(b->k[0][NQ + i]);
    for (int i = 0; i < 2 * NQ; i++)
        (word++)->number = COLUMN(b->moved[i]);
    for (int i = 0; i < 2 * NQ; i++)
        (word++)->number = COLUMN(b->parts[i]);
    for (int i = 0; i < NQ; i++)
        (word++)->number = COLUMN(b->start[i]);
}

/* ---- Lanes through places. */

typedef struct seat {
    steps_lane lane;
    slip_batch_word *record; /* NULL: the place is empty */
    double *to, period;
    const double *set;
    int stuck; /* contacts */
} seat;

typedef struct hall {
    const slip_steps_tape *p;
    const slip_batch_work *work;
    many_block b;
    seat seats[places];
    int64_t next;
    double (*x)[1];
} hall;

static void count_stuck(hall *h, seat *s)
{
    const slip_steps_tape *p = h->p;
    int stuck = 0;
    for (int c = 0; c < NC && s->record; c++)
        stuck += s->lane.mode[c] == BATCH_STICK;
    h->b.sticks += stuck - s->stuck;
    s->stuck = stuck;
}

static void vacate(hall *h, int place)
{
    const slip_steps_tape *p = h->p;
    many_block *b = &h->b;
    seat *s = &h->seats[place];
    if (s->record)
        keep_place(p, b, place, &s->lane, s->record);
    s->record = NULL;
    count_stuck(h, s);
    COLUMN(b->t) = COLUMN(b->forced) = COLUMN(b->rejected) = COLUMN(b->passes) = 0;
    COLUMN(b->limit) = COLUMN(b->held) = 1e300;
    COLUMN(b->next) = 1;
    for (int c = 0; c < NC; c++)
        COLUMN(b->x[p->side + c]) = 1;
    for (int k = 0; k < NC * NC; k++)
        COLUMN(b->inverse[k]) = 0;
    for (int i = 0; i < 2 * NQ; i++)
        COLUMN(b->y[i]) = COLUMN(b->k[0][i]) = COLUMN(b->moved[i]) = COLUMN(b->parts[i]) = 0;
}

static void next_limit(hall *h, int place)
{
    const seat *s = &h->seats[place];
    COLUMN(h->b.limit) = s->lane.opened + (double)(s->lane.returns + 1) * s->period;
}

/* The numbers of the set of this place, for looking at its lane alone. */
static void face(const hall *h, const seat *s)
{
    const slip_steps_tape *p = h->p;
    for (int k = 0; k < p->number_count; k++)
        h->x[p->first_number + k][0] = s->set[k];
    set_sides(p, s->lane.mode, h->x);
}

/* The next lane of the work takes the place; false when it is at its end already. */
static bool seat_lane(hall *h, int place)
{
    const slip_steps_tape *p = h->p;
    const slip_batch_work *work = h->work;
    many_block *b = &h->b;
    seat *s = &h->seats[place];
    steps_lane *lane = &s->lane;
    const int64_t at = h->next++, index = work->list ? work->list[at] : at;
    s->record = work->records + index * work->shape->record;
    s->to = work->returns ? work->returns + at * 2 * work->each * NQ : NULL;
    open_kept(p, b, place, lane, s->record);
    s->set = work->numbers + (ptrdiff_t)lane->set * work->shape->numbers;
    s->period = s->set[p->number_count + STEPS_PERIOD];
    lane->time_scale = s->set[p->number_count + STEPS_TIME];
    lane->longest_held = s->set[p->number_count + STEPS_HELD];
    lane->wanted = lane->returns + work->each;
    take_numbers(p, b, place, s->set, h->x);
    const bool new = lane->status == BATCH_NEW;
    if (new)
        start_steps(p, b, place, lane, s->period, h->x);
    next_limit(h, place);
    if (lane->status == BATCH_GOES_ON && work->each > 0) {
        begin_segment(p, b, place, lane, h->x, !new);
        count_stuck(h, s);
        return true;
    }
    vacate(h, place);
    return false;
}

/* A lane has come to a return. */
static void come_back(hall *h, int place)
{
    const slip_steps_tape *p = h->p;
    many_block *b = &h->b;
    seat *s = &h->seats[place];
    s->lane.returns++;
    for (int i = 0; i < 2 * NQ && s->to; i++)
        *s->to++ = COLUMN(b->y[i]);
    COLUMN(b->passes) = 0;
    next_limit(h, place);
}

/* What is to be done for a lane after a step. */
static void attend(hall *h, int place)
{
    const slip_steps_tape *p = h->p;
    many_block *b = &h->b;
    seat *s = &h->seats[place];
    steps_lane *lane = &s->lane;
    face(h, s);
    if (COLUMN(b->doubt) > 0 && COLUMN(b->forced) > 0) {
        if (!polish(p, b, place, lane, h->x)) {
            switch_steps(p, b, place, lane, h->x);
            count_stuck(h, s);
        }
    } else if (COLUMN(b->doubt) > 0) {
        if (!find_end(p, b, place, lane, h->x) && lane->status == BATCH_GOES_ON)
            commit(p, b, place, lane);
    } else if (!(COLUMN(b->gone) > 0)) /* neither in doubt nor gone: its steps are too short, or too many */
        lane->status = BATCH_WORK;
    if (lane->status == BATCH_GOES_ON && !(COLUMN(b->passes) < 200000))
        lane->status = BATCH_WORK;
    if (lane->status == BATCH_GOES_ON && !(fabs(COLUMN(b->y[0])) < 1e150))
        lane->status = BATCH_BEYOND;
    if (lane->status == BATCH_GOES_ON && COLUMN(b->forced) == 0 && COLUMN(b->t) >= COLUMN(b->limit))
        come_back(h, place);
    if (lane->status != BATCH_GOES_ON || lane->returns >= lane->wanted)
        vacate(h, place);
}

void SLIP_STEPS_RUN(const slip_batch_work *work, const slip_steps_tape *p, void *memory);
void SLIP_STEPS_RUN(const slip_batch_work *work, const slip_steps_tape *p, void *memory)
{
    double x[BATCH_MOST_Y + STEPS_MOST_NUMBERS + STEPS_MOST_OPERATIONS][1];
    hall h = {.p = p, .work = work, .x = x};
    memset(memory, 0, (size_t)many_lay_out(p, memory, &h.b) * sizeof(real[vectors]));
    for (int place = 0; place < places; place++)
        vacate(&h, place);
    for (;;) {
        int busy = 0;
        for (int place = 0; place < places; place++) {
            while (!h.seats[place].record && h.next < work->count)
                seat_lane(&h, place);
            busy += h.seats[place].record != NULL;
        }
        if (busy == 0)
            return;
        bool left = false;
        while (!left) {
            many_pass(p, &h.b);
            for (int place = 0; place < places; place++)
                if (((const double *)h.b.call)[place] > 0 && h.seats[place].record) {
                    attend(&h, place);
                    left |= h.seats[place].record == NULL;
                }
        }
    }
}
