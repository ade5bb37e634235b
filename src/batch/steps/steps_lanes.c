/* Lanes by Dormand-Prince on the processor: compiled as it is for lanes one by one, again for vectors of 4
 * and 8 lanes, and for these once more with the shape of the smallest models fixed (SHAPE_Q, SHAPE_C). */
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
#ifdef SHAPE_Q
#define NQ ((void)p, SHAPE_Q)
#define NC ((void)p, SHAPE_C)
#else
#define NQ (p->n)
#define NC (p->contacts)
#endif
#include "batch/engine_real.inc"

#include "batch/engine_bounce.inc"

#include "batch/steps/steps_one.inc"
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
#include "batch/steps/steps_root.inc"

#include "batch/steps/steps_event.inc"
#include "batch/steps/steps_record.inc"
#include "batch/steps/steps_seat.inc"

/* ---- Lanes through places. */

typedef struct hall {
    const slip_steps_tape *p;
    const slip_batch_work *work;
    many_block b;
    steps_seat seats[places];
    int stuck[places]; /* contacts */
    int64_t next;
    double (*x)[1];
} hall;

static void count_stuck(hall *h, int place)
{
    const slip_steps_tape *p = h->p;
    const steps_seat *s = &h->seats[place];
    int stuck = 0;
    for (int c = 0; c < NC && s->record; c++)
        stuck += holds(s->lane.mode[c]);
    h->b.sticks += stuck - h->stuck[place];
    h->stuck[place] = stuck;
}

static void vacate(hall *h, int place)
{
    const slip_steps_tape *p = h->p;
    many_block *b = &h->b;
    steps_seat *s = &h->seats[place];
    if (s->record) {
        if (s->lane.status == BATCH_GOES_ON && s->lane.returns < s->lane.wanted)
            s->lane.status = BATCH_WORK;
        keep_place(p, b, place, &s->lane, s->record);
    }
    s->record = NULL;
    count_stuck(h, place);
    COLUMN(b->t) = COLUMN(b->forced) = COLUMN(b->rejected) = COLUMN(b->passes) = 0;
    COLUMN(b->limit) = COLUMN(b->held) = 1e300;
    COLUMN(b->next) = 1;
    for (int c = 0; c < NC; c++)
        COLUMN(b->x[p->side + c]) = 1;
    for (int k = 0; k < NC * NC; k++)
        COLUMN(b->inverse[k]) = 0;
    for (int i = 0; i < 2 * NQ; i++)
        COLUMN(b->y[i]) = COLUMN(b->k[0][i]) = COLUMN(b->moved[i]) = COLUMN(b->parts[i]) =
            COLUMN(b->largest[i]) = 0;
}

/* The numbers of the set of this place, for looking at its lane alone. */
static void face(const hall *h, const steps_seat *s)
{
    const slip_steps_tape *p = h->p;
    for (int k = 0; k < p->number_count; k++)
        h->x[p->first_number + k][0] = s->set[k];
    set_sides(p, s->lane.mode, h->x);
}

/* The next lane of the work takes the place, or is at its end already. */
static void seat_lane(hall *h, int place)
{
    const slip_batch_work *work = h->work;
    const int64_t at = h->next++, index = work->list ? work->list[at] : at,
                  to = work->places ? work->places[at] : at;
    if (take_place(h->p, &h->b, place, &h->seats[place], work->records + index * work->shape->record,
                   work->numbers, work->shape->numbers, work->each, !work->places,
                   work->returns ? work->returns + to * 2 * work->each * h->p->n : NULL, h->x))
        count_stuck(h, place);
    else
        vacate(h, place);
}

/* What is to be done for a lane after a step; 0 when it leaves its place. */
static int attend(const slip_steps_tape *p, many_block *b, int place, steps_seat *s, double (*x)[1])
{
    steps_lane *lane = &s->lane;
    steps_step step;
    if (COLUMN(b->doubt) > 0)
        read_step(p, b, place, &step);
    if (COLUMN(b->doubt) > 0 && COLUMN(b->forced) > 0) {
        if (!polish(p, b, place, &step, lane, x))
            switch_steps(p, b, place, &step, lane, x);
    } else if (COLUMN(b->doubt) > 0) {
        if (!find_end(p, b, place, &step, lane, x) && lane->status == BATCH_GOES_ON)
            commit(p, b, place, &step, lane);
    }
    return goes_on(p, b, place, s);
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
                    face(&h, &h.seats[place]);
                    if (attend(p, &h.b, place, &h.seats[place], x))
                        count_stuck(&h, place);
                    else {
                        vacate(&h, place);
                        left = true;
                    }
                }
        }
    }
}
