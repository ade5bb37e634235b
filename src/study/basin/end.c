/* The end of the motion from a start: its kind, its state and its signature. */
#include "study/basin/motion.h"
#include "study/spectrum.h"

#include <math.h>

int slip_basin_first_mark(const slip_symmetry *symmetry, const double *states, int multiple, int m)
{
    double most = -INFINITY;
    int first = 0;
    for (int k = 0; k < multiple; k++) {
        double sum = 0;
        for (int i = 0; i < m; i++)
            if (i >= symmetry->n || isinf(symmetry->extent[i]))
                sum += states[k * m + i] / (1 + slip_basin_golden * i);
        if (sum > most) {
            most = sum;
            first = k;
        }
    }
    return first;
}

static bool has_mode(const slip_basin_motion *w, int first, int contact, slip_mode mode)
{
    return (slip_mode)w->modes[first * w->contacts + contact] == mode;
}

/* Sticks in the whole period. */
static bool sticks(const slip_basin_motion *w, int first, int contact)
{
    bool all = has_mode(w, first, contact, SLIP_MODE_STICK);
    for (int64_t k = 0; k < w->event_count && all; k++)
        all = w->events[k].event.contact != contact;
    return all;
}

static slip_basin_kind kind_of(const slip_basin_motion *w, int first)
{
    bool stuck = false, slides = false;
    if (!w->done)
        return w->chaotic ? SLIP_BASIN_CHAOTIC : SLIP_BASIN_UNDECIDED;
    for (int c = 0; c < w->contacts; c++) {
        stuck = stuck || sticks(w, first, c);
        slides = slides || has_mode(w, first, c, SLIP_MODE_SLIP) ||
                 has_mode(w, first, c, SLIP_MODE_SLIP_PLUS) || has_mode(w, first, c, SLIP_MODE_SLIP_MINUS);
    }
    if (!w->rests)
        return stuck ? SLIP_BASIN_CYCLE_SET : SLIP_BASIN_CYCLE;
    return stuck ? SLIP_BASIN_STICK : slides ? SLIP_BASIN_SLIDING : SLIP_BASIN_EQUILIBRIUM;
}

/* ---- The signature. */

static int order_of(const slip_event *a, const slip_event *b)
{
    return a->contact != b->contact ? a->contact - b->contact
           : a->from != b->from     ? (int)a->from - (int)b->from
                                    : (int)a->to - (int)b->to;
}

/* Whether the cyclic list of events that begins with event a is smaller, in the order of lists, than the one
 * that begins with event b. */
static bool comes_before(const slip_basin_motion *w, int64_t a, int64_t b)
{
    int order = 0;
    for (int64_t k = 0; k < w->event_count && order == 0; k++)
        order =
            order_of(&w->events[(a + k) % w->event_count].event, &w->events[(b + k) % w->event_count].event);
    return order < 0;
}

/* The event with which the list begins: the first one after the first mark or, where marks depend on the
 * start, the one that makes the smallest list. */
static int64_t first_event(const slip_basin_motion *w, int first)
{
    int64_t begin = 0;
    if (!isnan(w->period))
        while (begin < w->event_count && w->events[begin].mark < first)
            begin++;
    else
        for (int64_t k = 1; k < w->event_count; k++)
            begin = comes_before(w, k, begin) ? k : begin;
    return begin;
}

static bool has_event(const slip_basin_motion *w, int contact)
{
    bool any = false;
    for (int64_t k = 0; k < w->event_count && !any; k++)
        any = w->events[k].event.contact == contact;
    return any;
}

/* "floor stick; stop open>open": first the contacts whose mode never changes, then the events of a period;
 * events that repeat are counted. */
static void write_signature(const slip_basin_motion *w, int first, slip_text *text)
{
    const slip_contact *contacts = w->system->contacts;
    const int64_t begin = first_event(w, first), all = w->event_count;
    const char *between = "";
    for (int c = 0; c < w->contacts; c++)
        if (!has_event(w, c)) {
            slip_text_printf(text, "%s%s %s", between, contacts[c].name,
                             slip_mode_name((slip_mode)w->modes[first * w->contacts + c]));
            between = "; ";
        }
    for (int64_t k = 0, count = 1; k < all; k++, count++) {
        const slip_event *e = &w->events[(begin + k) % all].event,
                         *next = &w->events[(begin + k + 1) % all].event;
        if (k + 1 < all && order_of(e, next) == 0)
            continue;
        slip_text_printf(text, "%s%s %s>%s", between, contacts[e->contact].name, slip_mode_name(e->from),
                         slip_mode_name(e->to));
        if (count > 1)
            slip_text_printf(text, " %lld times", (long long)count);
        between = "; ";
        count = 0;
    }
    if (w->contacts == 0)
        slip_text_append(text, "smooth");
}

/* ---- Chaos. */

/* Whether the largest exponent exceeds its error; without growth the sum of the logarithms stays small. */
static bool grows(const slip_spectrum *s, double *exponents)
{
    enum { errors_apart = 4, growth_least = 10 };
    double *errors = exponents + s->n;
    slip_spectrum_estimate(s, 1, exponents, errors);
    return exponents[0] > errors_apart * errors[0] && exponents[0] * (double)s->count > growth_least;
}

int slip_basin_look_for_chaos(slip_basin_motion *w)
{
    enum { before = 20, counted = 240 };
    const int n = slip_simulation_state_size(w->simulation);
    const double interval = isnan(w->period) ? w->unit / 50 : w->period,
                 from = slip_simulation_time(w->simulation);
    double *exponents = slip_arena_array(&w->arena, 2 * (int64_t)n, sizeof *exponents);
    SLIP_FREED_BY(slip_spectrum_close) slip_spectrum spectrum = {0};
    int rank, status = SLIP_OK;
    SLIP_PASS(status = exponents ? slip_spectrum_open(w->ctx, n, &spectrum) : slip_fail_memory(w->ctx));
    for (int k = 1; k <= before + counted && status >= 0; k++) {
        status = slip_spectrum_advance(w->ctx, &spectrum, w->simulation, from + k * interval, &rank);
        if (k == before)
            slip_spectrum_restart(&spectrum);
    }
    w->chaotic = status >= 0 && spectrum.count > counted / 2 && grows(&spectrum, exponents);
    if (status == SLIP_ERROR_MODEL ||
        status == SLIP_ERROR_SOLVER) { /* the motion has no derivatives, so that chaos is not decided */
        slip_context_clear(w->ctx);
        status = SLIP_OK;
    }
    return status;
}

void slip_basin_end_of(slip_basin_motion *w, double *numbers, slip_text *signature)
{
    const int first = w->rests ? 0 : slip_basin_first_mark(w->symmetry, w->states, w->multiple, w->m);
    const slip_basin_kind kind = kind_of(w, first);
    numbers[SLIP_BASIN_KIND] = kind;
    numbers[SLIP_BASIN_MULTIPLE] = w->rests ? 0 : w->multiple;
    numbers[SLIP_BASIN_PERIOD] = w->rests || !w->done ? NAN : w->length;
    numbers[SLIP_BASIN_TIME] = w->done ? w->time : slip_simulation_time(w->simulation) - w->start;
    for (int i = 0; i < w->m; i++) {
        numbers[SLIP_BASIN_STATE + i] = w->done ? w->states[first * w->m + i] : w->now[i];
        numbers[SLIP_BASIN_STATE + w->m + i] = w->marks.scale[i];
    }
    if (w->done)
        write_signature(w, first, signature);
}
