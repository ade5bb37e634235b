/* One step along a curve: its end, and the first event in it. */
#include "statics/trace/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int slip_trace_last(const slip_trace *w)
{
    return slip_trace_size(w, w->modes) - 1;
}

int slip_trace_direction(const slip_trace *w, const slip_mode *modes, const double *tangent)
{
    const double rate = tangent[slip_trace_size(w, modes) - 1] / (w->family.high - w->family.low);
    return (rate > 1e-9) - (rate < -1e-9);
}

bool slip_trace_try_step(slip_trace *w, double h, slip_trace_ahead *to)
{
    const int size = slip_trace_last(w) + 1;
    for (int i = 0; i < size; i++)
        w->next[i] = w->place[i] = w->x[i] + h * w->tangent[i];
    const slip_trace_closing closing = {.row = w->tangent, .place = w->place};
    if (!slip_trace_correct(w, w->modes, &closing, w->next, &to->augmented) ||
        !slip_trace_tangent(w, w->modes, w->next, w->tangent, w->next_tangent, &to->sign, &to->augmented))
        return false;
    to->p = w->next[size - 1];
    to->rate = w->next_tangent[size - 1] / (w->family.high - w->family.low);
    to->margin = slip_trace_margin(w, w->modes, w->next, &to->least);
    return true;
}

/* The event function: negative after the event. */
static double indicator(slip_trace_event what, const slip_trace_ahead *at, int direction, int augmented)
{
    switch (what) {
    case SLIP_TRACE_MARGIN:
        return at->margin + 0.5 * slip_trace_rounding;
    case SLIP_TRACE_FOLD:
        return direction * at->rate;
    case SLIP_TRACE_CROSSING:
        return at->augmented == augmented ? 1 : -1;
    default:
        return 1;
    }
}

/* The length of the step to the event, between 0 and h, beyond which it is. */
static double locate(slip_trace *w, slip_trace_event what, double h, const slip_trace_ahead *end,
                     int direction, int augmented, slip_trace_ahead *found)
{
    double low = 0, high = h, g_low = 1, g_high = indicator(what, end, direction, augmented);
    bool known = false;
    *found = *end;
    const double enough = what == SLIP_TRACE_CROSSING ? 1e-9 * h : 1e-13 * h;
    for (int round = 0; round < 80 && high - low > enough; round++) {
        /* halving, unless the secant does better; of a crossing only the side is known */
        double middle = 0.5 * (low + high);
        if (known && what != SLIP_TRACE_CROSSING && round % 3 != 0)
            middle = low + (high - low) * fmin(fmax(g_low / (g_low - g_high), 0.01), 0.99);
        slip_trace_ahead at;
        if (!slip_trace_try_step(w, middle, &at)) {
            high = middle; /* beyond the event nothing need exist */
            continue;
        }
        const double g = indicator(what, &at, direction, augmented);
        if (g < 0) {
            high = middle;
            g_high = g;
            *found = at;
        } else {
            low = middle;
            g_low = g;
            known = true;
        }
    }
    return what == SLIP_TRACE_CROSSING ? low : high; /* at a crossing itself the matrix is singular */
}

/* The first event in a step of length h, whose end is in `end`; *length: where it is. */
static slip_trace_event first_event(slip_trace *w, double h, const slip_trace_ahead *end, double *length,
                                    slip_trace_ahead *at)
{
    static const slip_trace_event kinds[] = {SLIP_TRACE_MARGIN, SLIP_TRACE_FOLD, SLIP_TRACE_CROSSING};
    const int direction = slip_trace_direction(w, w->modes, w->tangent), augmented = w->augmented;
    slip_trace_event first = SLIP_TRACE_NOTHING;
    *length = h;
    *at = *end;
    for (int k = 0; k < 3; k++) {
        slip_trace_ahead found;
        const bool possible = kinds[k] == SLIP_TRACE_FOLD       ? direction != 0
                              : kinds[k] == SLIP_TRACE_CROSSING ? augmented != 0 && end->augmented != 0
                                                                : true;
        const double g = indicator(kinds[k], end, direction, augmented);
        if (!possible || !(kinds[k] == SLIP_TRACE_MARGIN ? end->margin < -slip_trace_rounding
                           : kinds[k] == SLIP_TRACE_FOLD ? g < -1e-9
                                                         : g < 0))
            continue;
        const double there = locate(w, kinds[k], h, end, direction, augmented, &found);
        if (there < *length || first == SLIP_TRACE_NOTHING) {
            *length = there;
            *at = found;
            first = kinds[k];
        }
    }
    return first;
}

/* Moves w->next to the zero of a margin, to rounding. */
static void polish(slip_trace *w, const slip_trace_ahead *at)
{
    const int size = slip_trace_last(w) + 1;
    const slip_trace_closing closing = {.contact = at->least.contact, .beyond = at->least.beyond};
    SLIP_FREED double *x = slip_alloc(size, sizeof(double));
    int sign;
    if (!x)
        return;
    memcpy(x, w->next, sizeof(double) * (size_t)size);
    if (slip_trace_correct(w, w->modes, &closing, x, &sign)) {
        for (int i = 0; i < size; i++)
            w->place[i] = x[i] - w->next[i];
        if (slip_trace_dot(w, w->modes, w->place, w->place) <= 1e-12)
            memcpy(w->next, x, sizeof(double) * (size_t)size);
    }
}

/* For a step of length h that leaves the range: computes the point of the curve at the end of the range, into
 * w->next. False where the curve does not reach it, or an event comes first. */
static bool reach_bound(slip_trace *w, double h, slip_trace_ahead *to)
{
    const int last = slip_trace_last(w), direction = slip_trace_direction(w, w->modes, w->tangent);
    const double bound = direction > 0 ? w->family.high : w->family.low, p = w->x[last];
    double *unit = slip_alloc(2 * (int64_t)(last + 1), sizeof(double)), *place = unit + last + 1,
           distance = 0;
    if (!unit)
        return false;
    for (int i = 0; i <= last; i++)
        w->next[i] = place[i] = w->x[i] + (bound - p) / w->tangent[last] * w->tangent[i];
    w->next[last] = place[last] = bound;
    unit[last] = 1;
    const slip_trace_closing closing = {.row = unit, .place = place};
    const bool there =
        slip_trace_correct(w, w->modes, &closing, w->next, &to->augmented) &&
        slip_trace_tangent(w, w->modes, w->next, w->tangent, w->next_tangent, &to->sign, &to->augmented);
    w->next[last] = bound;
    for (int i = 0; i <= last && there; i++)
        place[i] -= w->next[i];
    distance = there ? sqrt(slip_trace_dot(w, w->modes, place, place)) : INFINITY;
    free(unit);
    if (!there || distance > 0.3 * h || slip_trace_direction(w, w->modes, w->next_tangent) != direction)
        return false;
    to->margin = slip_trace_margin(w, w->modes, w->next, &to->least);
    return to->margin >= -slip_trace_rounding;
}

bool slip_trace_step(slip_trace *w, double h, slip_trace_stride *to)
{
    const double p = w->x[slip_trace_last(w)] + h * w->tangent[slip_trace_last(w)];
    slip_trace_ahead end;
    *to = (slip_trace_stride){.what = SLIP_TRACE_NOTHING, .length = h};
    if (!(p >= w->family.low && p <= w->family.high)) {
        to->bound = true;
        return reach_bound(w, h, &to->at);
    }
    if (!slip_trace_try_step(w, h, &end) ||
        slip_trace_dot(w, w->modes, w->tangent, w->next_tangent) < slip_trace_cosine)
        return false;
    to->what = first_event(w, h, &end, &to->length, &to->at);
    to->beyond = to->what == SLIP_TRACE_CROSSING ? end.augmented : 0;
    if (!slip_trace_try_step(w, to->length, &to->at))
        return false;
    if (to->what == SLIP_TRACE_MARGIN)
        polish(w, &to->at);
    return true;
}
