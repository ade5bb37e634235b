#include "study/settling.h"

#include "base/memory.h"
#include "math/recurrence.h"
#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { strides = 16, fewest_strides = 4 };

/* The strides that an estimate looks at: `count` of `length` periods each. */
typedef struct window {
    int count, multiple;
    int64_t length;
} window;

bool slip_settling_create(slip_settling *s, int size, int extra, int64_t within, int64_t first, int rarely)
{
    const int64_t most = 4096, numbers = 4 << 20, least = strides * slip_settling_longest + 1;
    int64_t width = size + extra, capacity = numbers / width;
    capacity = capacity > most ? most : capacity < least ? least : capacity;
    capacity = capacity > within + 1 ? within + 1 : capacity;
    int64_t work = (2 * strides + 2) * (int64_t)size + slip_recurrence_numbers(size, strides);
    *s = (slip_settling){
        .size = size, .extra = extra, .capacity = capacity, .periods = -1, .look = first, .rarely = rarely};
    s->states = slip_alloc((capacity + 2) * width + work, sizeof(double));
    if (!s->states)
        return false;
    s->scale = s->states + capacity * width;
    s->apart = s->scale + width;
    s->work = s->apart + width;
    return true;
}

void slip_settling_free(slip_settling *s)
{
    free(s->states);
}

static double *state_of(const slip_settling *s, int64_t period)
{
    return s->states + period % s->capacity * (s->size + s->extra);
}

double *slip_settling_next(const slip_settling *s)
{
    return state_of(s, s->periods + 1);
}

void slip_settling_keep(slip_settling *s)
{
    s->periods++;
}

void slip_settling_halve(slip_settling *s)
{
    const size_t width = (size_t)(s->size + s->extra);
    for (int64_t k = 1; 2 * k <= s->periods; k++)
        memcpy(state_of(s, k), state_of(s, 2 * k), width * sizeof(double));
    s->periods /= 2;
}

static bool is_known(const slip_settling *s, int64_t period)
{
    return period >= 0 && period > s->periods - s->capacity;
}

/* State `now` less state `before`, over the scales; until the next call. */
static const double *change_of(const slip_settling *s, int64_t now, int64_t before)
{
    const double *a = state_of(s, now), *b = state_of(s, before);
    double *to = s->apart;
    for (int i = 0; i < s->size + s->extra; i++)
        to[i] = a[i] - b[i];
    for (int i = 0; s->symmetry && i < s->size; i += s->width)
        slip_symmetry_reduce(s->symmetry, to + i);
    for (int i = 0; i < s->size + s->extra; i++)
        to[i] /= s->scale[i];
    return to;
}

/* The largest change of the numbers from `first` to before `end`. */
static double change_between(const slip_settling *s, int64_t now, int64_t before, int first, int end)
{
    return slip_largest(end - first, change_of(s, now, before) + first);
}

double slip_settling_change(const slip_settling *s, int64_t periods)
{
    int64_t before = s->periods - periods;
    return is_known(s, before) ? change_between(s, s->periods, before, 0, s->size) : INFINITY;
}

void slip_settling_compare(slip_settling *s, const slip_settling_sizes *of, double tolerance)
{
    for (int i = 0; i < s->size + s->extra; i++) {
        const int k = i % of->width;
        const double least = fmax(fmax(of->error, 1e-14 * of->largest[k]), 1e-300) / tolerance;
        s->scale[i] =
            fmax(fabs(of->now[k]), of->before ? of->before[k] : 0) + of->share * of->largest[k] + least;
    }
}

/* Whether changes fall or grow: a motion that slowly leaves an unstable one has not settled either. */
static bool falls_or_grows(const slip_settling *s, int multiple)
{
    const int64_t quarter = s->periods / 4;
    double largest[2] = {0, 0};
    for (int64_t k = 0; k < 2 * quarter; k++) {
        const int64_t now = s->periods - k;
        if (!is_known(s, now - multiple))
            return false;
        largest[k / quarter] = fmax(largest[k / quarter], change_between(s, now, now - multiple, 0, s->size));
    }
    return quarter > 0 && (largest[0] < 0.5 * largest[1] || largest[1] < 0.5 * largest[0]);
}

/* The largest of the last changes over so many periods. */
static double last_changes(const slip_settling *s, int multiple)
{
    double most = 0;
    for (int64_t now = s->periods; now > s->periods - slip_settling_longest; now--)
        most = fmax(most, is_known(s, now - multiple) ? change_between(s, now, now - multiple, 0, s->size)
                                                      : INFINITY);
    return most;
}

/* The later half of the run in 16 strides, or in as many as there are. */
static window choose_window(const slip_settling *s, int multiple)
{
    int64_t length = s->periods / (2 * strides * multiple),
            longest = (s->capacity - 1) / (strides * multiple);
    length = length > longest ? longest : length;
    length = (length > 1 ? length : 1) * multiple;
    int64_t count = s->periods / (2 * length), known = (s->capacity - 1) / length;
    count = count > known ? known : count;
    return (window){.count = count > strides ? strides : (int)count, .multiple = multiple, .length = length};
}

/* e_0 .. e_r (r + 1 of them, r = fit->order) of the last strides, from the motion that is approached. */
static void set_deviations(const slip_settling *s, const window *w, const slip_recurrence *fit, double *e)
{
    int r = fit->order;
    for (int c = 0; c <= r; c++)
        memcpy(e + c * s->size, change_of(s, s->periods - (r - c) * w->length, s->periods),
               (size_t)s->size * sizeof *e);
    for (int i = 0; i < s->size; i++) {
        double limit = 0;
        for (int c = 0; c <= r; c++)
            limit += fit->a[c] / fit->sum * e[c * s->size + i];
        for (int c = 0; c <= r; c++)
            e[c * s->size + i] -= limit;
    }
}

/* Replaces the first of e_0 .. e_r by what follows on the last one; `first` says where e_0 is in that ring.
 */
static double follow(const slip_recurrence *fit, int size, double *e, int first)
{
    int r = fit->order, ring = r + 1;
    double *next = e + first * size;
    for (int i = 0; i < size; i++) {
        double sum = 0;
        for (int c = 0; c < r; c++)
            sum -= fit->a[c] * e[(first + 1 + c) % ring * size + i];
        next[i] = sum;
    }
    return slip_largest(size, next);
}

/* Over all multiples of the period in the last stride: the largest deviation, and the largest changes of the
 * state and of the extra numbers per multiple. */
static double last_stride(const slip_settling *s, const window *w, const double *e_last, double *change,
                          double *besides)
{
    double most = 0;
    *change = *besides = 0;
    for (int64_t now = s->periods; now > s->periods - w->length; now -= w->multiple) {
        const double *apart = change_of(s, now, s->periods);
        for (int i = 0; i < s->size; i++)
            most = fmax(most, fabs(apart[i] + e_last[i]));
        *change = fmax(*change, change_between(s, now, now - w->multiple, 0, s->size));
        *besides = fmax(*besides, change_between(s, now, now - w->multiple, s->size, s->size + s->extra));
    }
    return most;
}

/* From two times `ahead` strides. */
static slip_settling_estimate bound(const slip_settling *s, const window *w, const slip_recurrence *fit,
                                    int ahead, double *e)
{
    slip_settling_estimate found = {.error = INFINITY, .amplification = NAN, .decay = NAN};
    double sure = fabs(fit->sum) - 3 * fit->sum_error, run = (double)s->periods / (double)w->length;
    double change, besides, now, soon = 0, later = 0;
    if (!(sure > 0))
        return found;
    set_deviations(s, w, fit, e);
    now = last_stride(s, w, e + fit->order * s->size, &change, &besides);
    now = fmax(now, change); /* that less than the last change is left is not to be relied on */
    for (int k = 0; k < 2 * ahead; k++) {
        double *half = k < ahead ? &soon : &later;
        *half = fmax(*half, follow(fit, s->size, e, k % (fit->order + 1)));
    }
    if (fit->sum_error < 0.1 * fabs(fit->sum) && now * fabs(fit->sum) > 10 * fit->residual) {
        found.amplification = now / change;
        if (later < soon)
            found.decay = log(soon / later) / (double)(ahead * w->length);
    }
    if (besides > change)
        now = change > 0 ? now / change * besides : besides;
    found.error =
        fmax(now, fmax(soon, later)) * fabs(fit->sum) / sure + fit->residual * (run + 1 / fabs(fit->sum));
    return found;
}

/* Errors of the states hide slow modes from the fit, whose decay is then too fast. A monotonic drift is found
 * from the means of the changes over both halves of the strides, and extrapolated. If its decay cannot be
 * resolved, it is assumed to go on for a thousand times the time followed so far. */
static double drift(const slip_settling *s, const window *w, const double *changes)
{
    const int half = w->count / 2;
    const double longest = 1000.0 * (double)s->periods / (double)w->length;
    double most = 0;
    for (int i = 0; i < s->size; i++) {
        double mean[2] = {0, 0}, spread[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            const double *u = changes + (ptrdiff_t)(w->count - (2 - k) * half) * s->size + i;
            for (int j = 0; j < half; j++)
                mean[k] += u[j * s->size] / half;
            for (int j = 1; j < half; j++)
                spread[k] += 0.5 * pow(u[j * s->size] - u[(j - 1) * s->size], 2);
            spread[k] = 3 * sqrt(spread[k]) / half;
        }
        const double last = fabs(mean[1]), sure = fabs(mean[0]) - last - spread[0] - spread[1];
        if (last > spread[1])
            most = fmax(most, last * (sure * longest > half * last ? half * last / sure : longest));
    }
    return most;
}

static slip_settling_estimate estimate_error(slip_settling *s, int multiple, int ahead)
{
    window w = choose_window(s, multiple);
    double *changes = s->work, *e = changes + strides * s->size, *work = e + (strides + 1) * s->size;
    slip_recurrence fits[slip_recurrence_longest];
    if (w.count < fewest_strides)
        return (slip_settling_estimate){.error = INFINITY, .amplification = NAN, .decay = NAN};
    for (int64_t j = 0, now; j < w.count; j++) {
        now = s->periods - (w.count - j - 1) * w.length;
        memcpy(changes + j * s->size, change_of(s, now, now - w.length), (size_t)s->size * sizeof *changes);
    }
    int r = slip_recurrence_fit(s->size, w.count, changes, s->noise, work, fits);
    slip_settling_estimate found = bound(s, &w, &fits[r - 1], ahead, e);
    /* the last modes of it may be errors: fits without them leave more, but may know better */
    while (--r > 0)
        found.error = fmin(found.error, bound(s, &w, &fits[r - 1], ahead, e).error);
    found.error = fmax(found.error, drift(s, &w, changes));
    return found;
}

slip_settling_estimate slip_settling_estimate_error(slip_settling *s, int multiple)
{
    return estimate_error(s, multiple, strides);
}

bool slip_settling_is_on_its_way(slip_settling *s)
{
    double least = INFINITY;
    int best = 1;
    for (int m = 1; m <= slip_settling_longest; m++)
        least = fmin(least, last_changes(s, m));
    while (last_changes(s, best) > 2 * least)
        best++;
    /* far ahead, for a slow turn looks like a decay first */
    const slip_settling_estimate found = estimate_error(s, best, 16 * strides);
    return (found.decay * (double)s->periods > 0.1 && isfinite(found.error)) || falls_or_grows(s, best);
}

/* States that are closer than twice the tolerance may have the same limit, then the motion has the shorter
 * period; those before are as much further from it as the state changes in the longer one. */
static bool has_shorter_period(const slip_settling *s, int multiple, double tolerance)
{
    const double close = 2 * tolerance + slip_settling_change(s, multiple);
    for (int m = 1; m < multiple; m++)
        if (multiple % m == 0 && slip_settling_change(s, m) <= close)
            return true;
    return false;
}

bool slip_settling_repeats(const slip_settling *s, int multiple, double tolerance)
{
    return slip_settling_change(s, multiple) <= 2 * tolerance;
}

bool slip_settling_is_due(const slip_settling *s)
{
    return s->periods >= s->look;
}

int slip_settling_find(slip_settling *s, double tolerance, slip_settling_estimate *estimate)
{
    s->look = s->periods + 1 + s->periods / s->rarely;
    *estimate = slip_settling_estimate_error(s, 1);
    if (estimate->error <= tolerance)
        return 1;
    for (int m = 2; m <= slip_settling_longest; m++) {
        if (!slip_settling_repeats(s, m, tolerance) || has_shorter_period(s, m, tolerance))
            continue;
        slip_settling_estimate found = slip_settling_estimate_error(s, m);
        if (found.error <= tolerance) {
            *estimate = found;
            return m;
        }
    }
    return 0;
}
