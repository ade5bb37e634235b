/* What the motion from a start came to: its kind, its place and its signature. */
#include "study/basin_motion.h"

#include <math.h>

/* Of the marks of a period the one at which a sum of the state is largest: the same from whatever start. */
static int first_mark(const slip_basin_motion *w)
{
    double most = -INFINITY;
    int first = 0;
    for (int k = 0; k < w->multiple && !w->rests; k++) {
        double sum = 0;
        for (int i = 0; i < w->m; i++)
            sum += w->states[k * w->m + i] / (1 + slip_basin_golden * i);
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
        return SLIP_BASIN_UNDECIDED;
    for (int c = 0; c < w->contacts; c++) {
        stuck = stuck || sticks(w, first, c);
        slides = slides || has_mode(w, first, c, SLIP_MODE_SLIP) ||
                 has_mode(w, first, c, SLIP_MODE_SLIP_PLUS) || has_mode(w, first, c, SLIP_MODE_SLIP_MINUS);
    }
    if (!w->rests)
        return stuck ? SLIP_BASIN_CYCLE_SET : SLIP_BASIN_CYCLE;
    return stuck ? SLIP_BASIN_STICK : slides ? SLIP_BASIN_SLIDING : SLIP_BASIN_EQUILIBRIUM;
}

static bool same_event(const slip_basin_event *a, const slip_basin_event *b)
{
    return a->event.contact == b->event.contact && a->event.from == b->event.from &&
           a->event.to == b->event.to;
}

/* "belt slip-; belt slip->stick; belt stick>slip-": the modes at the first mark, then the events; those that
 * repeat are counted. */
static void write_signature(const slip_basin_motion *w, int first, slip_text *text)
{
    const slip_contact *contacts = w->system->contacts;
    for (int c = 0; c < w->contacts; c++)
        slip_text_printf(text, "%s%s %s", c > 0 ? ", " : "", contacts[c].name,
                         slip_mode_name((slip_mode)w->modes[first * w->contacts + c]));
    for (int mark = first; mark < first + w->multiple && !w->rests; mark++)
        for (int64_t k = 0, count = 1; k < w->event_count; k++) {
            const slip_basin_event *e = &w->events[k], *next = e + 1;
            if (e->mark != mark % w->multiple)
                continue;
            if (k + 1 < w->event_count && next->mark == e->mark && same_event(e, next)) {
                count++;
                continue;
            }
            slip_text_printf(text, "; %s %s>%s", contacts[e->event.contact].name,
                             slip_mode_name(e->event.from), slip_mode_name(e->event.to));
            if (count > 1)
                slip_text_printf(text, " %lld times", (long long)count);
            count = 1;
        }
}

void slip_basin_end_of(slip_basin_motion *w, double *numbers, slip_text *signature)
{
    const int first = first_mark(w);
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
