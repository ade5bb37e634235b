/* The first event of a segment, by bounds that miss no sign change of a condition.
 *
 * At a time t every condition g has its Taylor coefficients of degree K = 9 and a bound r of the remainder
 * over the next step H. On [t, t + H], with s from 0 to 1, g is within r of the Taylor polynomial, whose
 * Bernstein coefficients are b_i. Then
 *
 *     min b_i - r > -tolerance                          g stays positive: the step is clear;
 *     b_K + r < -tolerance, and g falls or is concave   g turns negative once: the step has one crossing,
 *     throughout (differences of b, with margins)       which is then located;
 *     otherwise                                         half the step is tried, from the same coefficients.
 *
 * A step is taken when it is clear for all conditions; steps double while they are clear. The tolerance is
 * the rounding error of g; it only decides whether g touches zero or crosses it.
 *
 * A condition that starts at zero (the slip velocity after stick, a gap that opens) begins with a power s^m:
 * it is divided by that, and the quotient is bounded in its place. Coefficients count as zero within rounding
 * errors of the state and of the time of the start. */
#include "method/exact/types.h"

#include <float.h>
#include <math.h>

enum { degree = slip_exact_degree, coefficient_count = degree + 1 };
static const double largest_motion = 1e155;
enum { CLEAR, CROSSING, UNSURE, HERE };

/* The search: y at t0 + tau, and the step tried now, set->step 2^level. */
typedef struct march {
    slip_exact *exact;
    const slip_exact_set *set;
    double tau, span;
    int level;
    double powers[coefficient_count]; /* of 2^level */
    bool start;
    int reached_by; /* the condition whose root lies next to exact->moved, at tau + reached; or -1 */
    double reached;
} march;

/* Begins the search at the start of the segment; a change of `level` sets `powers`. */
static inline void begin_march(march *m, slip_exact *exact, double end)
{
    m->exact = exact;
    m->set = exact->set;
    m->tau = m->reached = 0;
    m->span = end - exact->t0;
    m->start = true;
    m->reached_by = -1;
}

/* ---- The polynomial of one condition on one step. */

#define SLIP_INLINE static inline __attribute__((always_inline))

/* Functions with a parameter `size` are compiled for each of the smallest sizes, for any narrow set, and with
 * this value for wide sets. */
enum { any_wide = 0 };

/* |row A^order| h^order / order! times |y|; of a wide set |row| |A|^order, which is not less. */
SLIP_INLINE double rounding_of(const march *m, const int size, const slip_exact_watch *watch, int order)
{
    double sum = 0;
    if (size == any_wide)
        return slip_exact_sparse_size(&watch->row, m->exact->series->sizes[order]);
    for (int j = 0; j < size; j++)
        sum += fabs(watch->taylor[j * coefficient_count + order]) * m->exact->magnitude[j];
    return sum;
}

/* Taylor coefficients at y. The sums stay in registers. */
SLIP_INLINE void expand(const double *columns, const int size, const double *y, double *restrict c)
{
    const double *column = __builtin_assume_aligned(columns, slip_exact_alignment);
    double sum[coefficient_count];
#pragma GCC unroll 10
    for (int k = 0; k < coefficient_count; k++)
        sum[k] = column[k] * y[0];
    for (int j = 1; j < size; j++) {
        column += coefficient_count;
#pragma GCC unroll 10
        for (int k = 0; k < coefficient_count; k++)
            sum[k] += column[k] * y[j];
    }
#pragma GCC unroll 10
    for (int k = 0; k < coefficient_count; k++)
        c[k] = sum[k];
}

/* Bernstein coefficients from those of the powers: b_i = sum over j of binomial(i, j) c_j / binomial(K, j),
 * by Pascal's triangle, without a product. */
static inline void to_bernstein(const double *c, double *restrict b)
{
    static const double inverse[] = {1,        1. / 9,  1. / 36, 1. / 84, 1. / 126,
                                     1. / 126, 1. / 84, 1. / 36, 1. / 9,  1};
    _Static_assert(degree == 9, "the table above is that of degree 9");
    for (int i = 0; i < coefficient_count; i++)
        b[i] = inverse[i] * c[i];
#pragma GCC unroll 10
    for (int round = 1; round < coefficient_count; round++)
#pragma GCC unroll 10
        for (int i = degree; i >= round; i--)
            b[i] += b[i - 1];
}

/* A quick judgement: every b_i is at least c_0 plus the sum of the negative coefficients, and b_K is the sum
 * of all. */
static inline int judge_sums(const double *c, double remainder, double tolerance)
{
    typedef double pair __attribute__((vector_size(slip_exact_alignment), may_alias));
    typedef long long bits __attribute__((vector_size(slip_exact_alignment)));
    const pair *pairs = (const pair *)c;
    pair least = {0, 0}, sum = {0, 0};
    for (int k = 0; k < coefficient_count / 2; k++) {
        least += (pair)((bits)pairs[k] & (pairs[k] < 0));
        sum += pairs[k];
    }
    const double end = sum[0] + sum[1];
    if (least[0] + least[1] + (c[0] > 0 ? c[0] : 0) - remainder > -tolerance)
        return CLEAR;
    return end - remainder <= -tolerance && end + remainder >= -tolerance ? UNSURE : CROSSING;
}

static __attribute__((noinline)) int judge_polynomial(const double *c, double remainder, double tolerance)
{
    double b[coefficient_count], lowest, steepest = -INFINITY, most_curved = -INFINITY;
    /* bounds of the first and second derivative of the remainder, also after division by a power */
    const double first = 2 * coefficient_count * remainder, second = 2 * coefficient_count * first;
    to_bernstein(c, b);
    lowest = slip_smaller(slip_smaller(slip_smaller(b[0], b[1]), slip_smaller(b[2], b[3])),
                          slip_smaller(b[8], b[9]));
    lowest = slip_smaller(lowest, slip_smaller(slip_smaller(b[4], b[5]), slip_smaller(b[6], b[7])));
    if (lowest - remainder > -tolerance)
        return CLEAR;
    if (!(b[degree] + remainder < -tolerance))
        return UNSURE;
    for (int k = 0; k < degree; k++) {
        double rise = b[k + 1] - b[k];
        steepest = rise > steepest ? rise : steepest;
    }
    if (degree * steepest < -first)
        return CROSSING;
    for (int k = 0; k + 2 < coefficient_count; k++) {
        double curve = b[k + 2] - 2 * b[k + 1] + b[k];
        most_curved = curve > most_curved ? curve : most_curved;
    }
    return degree * (degree - 1) * most_curved < -second ? CROSSING : UNSURE;
}

/* The polynomial of a condition on the present step: its coefficients, without the leading zeros. The scale
 * factors are powers of two, so scaling is exact. */
static inline void scale(const march *m, const slip_exact_search *search, double *restrict c)
{
    int lead = search->lead;
    for (int k = 0; k < coefficient_count; k++)
        c[k] = m->powers[k] * search->c[k];
    if (lead == 0)
        return;
    for (int k = 0; k < coefficient_count; k++)
        c[k] = k + lead < coefficient_count ? c[k + lead] : 0;
}

SLIP_INLINE double remainder_bound(const march *m, const int size, int index)
{
    double sum = 0;
    if (m->set->rate == 0)
        return 0;
    if (size == any_wide)
        return ldexp(m->exact->searches[index].remainder,
                     coefficient_count * (m->level - slip_exact_wide_top));
    const double *bound = m->set->watches[index].bound + (m->level > 0 ? m->level : 0) * m->set->padded;
    for (int j = 0; j < size; j++)
        sum += bound[j] * m->exact->magnitude[j];
    /* 2^level to the tenth power */
    return m->level < 0 ? sum * m->powers[1] * m->powers[degree] : sum;
}

SLIP_INLINE int judge(const march *m, const int size, int index)
{
    const slip_exact_search *search = &m->exact->searches[index];
    _Alignas(slip_exact_alignment) double c[coefficient_count];
    const double remainder = remainder_bound(m, size, index),
                 tolerance = search->lead ? 0 : search->tolerance;
    scale(m, search, c);
    const int verdict = judge_sums(c, remainder, tolerance);
    return verdict == CROSSING ? judge_polynomial(c, remainder, tolerance) : verdict;
}

/* ---- Starting at zero. */

/* The given error of coefficient k beside rounding (slip_exact_unknown): of forces, or of accelerations. */
static double unknown_of(const march *m, const slip_exact_watch *watch, int k)
{
    static const int order[] = {1, 0, 0, 2};
    if (watch->condition > SLIP_EXACT_GAP || k != order[watch->condition])
        return 0;
    const double step = m->set->step, size = m->exact->unknown[watch->contact][watch->condition];
    return k == 0 ? size : k == 1 ? size * step : size * step * step / 2;
}

/* Whether a coefficient exceeds its error: rounding of its own terms (`own`), and an error of the starting
 * time, in units of `time`, times the size of the next coefficient. */
SLIP_INLINE bool is_known(const march *m, const slip_exact_watch *watch, int k, double c, double own,
                          double next, double time)
{
    const double least = m->exact->leniency * DBL_EPSILON * (16 * own + 4 * time * (k + 1) * next);
    return fabs(c) > (m->exact->unknown ? least + unknown_of(m, watch, k) : least);
}

/* The first coefficient that is not zero to rounding, with an error of the start in units of `time`; `degree`
 * where there is none. `next`: the size of the terms of the first coefficient; `sizes`: those of all
 * coefficients of a wide set. */
SLIP_INLINE int first_coefficient(const march *m, const int size, const slip_exact_watch *watch,
                                  const double *sizes, double next, double time, const double *c)
{
    for (int k = 0; k < degree; k++) {
        const double own = next;
        next = sizes ? sizes[k + 1] : rounding_of(m, size, watch, k + 1);
        if (is_known(m, watch, k, c[k], own, next, time))
            return k;
    }
    return degree;
}

/* The negative value that a condition may have at a start with given errors. The error of the starting time
 * does not count for a slip velocity that starts at zero. */
static double forgiven(const march *m, const slip_exact_watch *watch, double own, double next, double time)
{
    const bool force = watch->condition != SLIP_EXACT_SLIP;
    const double rounding = m->exact->leniency * DBL_EPSILON * (16 * own + (force ? 4 * time * next : 0));
    return m->exact->unknown ? rounding + unknown_of(m, watch, 0) : rounding;
}

/* Sets coefficients within their errors to zero, and finds the first non-zero one. If it is negative, the
 * condition ends at the start. At a start with given errors that may repeat without end: then a condition
 * ends only where it is negative by more than these errors, since next to a graze it soon turns positive. (A
 * gap ends at once: a closed contact is as good there.) */
SLIP_INLINE void find_lead(const march *m, const int size, const slip_exact_watch *watch, const double *sizes,
                           double own, slip_exact_search *search)
{
    int lead = first_coefficient(m, size, watch, sizes, own, fabs(m->exact->t0) / m->set->step, search->c);
    /* The bound of the effect of a starting error is too large where forces cancel, as when a very light body
     * is released. If no coefficient exceeds it, growth beyond rounding counts. */
    if (lead == degree) {
        lead = first_coefficient(m, size, watch, sizes, own, 0, search->c);
        if (search->c[lead] < 0)
            lead = degree;
    }
    if (watch->condition < SLIP_EXACT_GAP && lead > 0 && lead < degree && search->c[lead] < 0 &&
        m->exact->leniency > 1) {
        const double next = sizes ? sizes[1] : rounding_of(m, size, watch, 1);
        search->tolerance =
            forgiven(m, watch, own, next, fabs(m->exact->t0) / m->set->step) + search->tolerance;
        return;
    }
    for (int k = 0; k < lead; k++)
        search->c[k] = 0;
    if (lead == degree) /* all zero: treated by bounds, like a condition that does not start at zero */
        return;
    if (search->c[lead] < 0)
        search->verdict = HERE;
    else
        search->lead = lead;
}

/* The size whose rounding error a gap has that is an entry of y. Not inline: there are few. */
static __attribute__((noinline)) double size_of_gap(const march *m, const slip_exact_watch *watch,
                                                    double size)
{
    double *known = &m->exact->gap_sizes[watch->contact];
    if (m->start && size == 0)
        *known = 0;
    *known = *known > size ? *known : size;
    return *known;
}

/* For a wide set: expands a condition that may start at zero by its own rows, which is more accurate. */
static __attribute__((noinline)) void look_closer(const march *m, const slip_exact_watch *watch, double size,
                                                  slip_exact_search *search)
{
    const slip_exact *exact = m->exact;
    const double time = fabs(exact->t0) / m->set->step;
    double sizes[coefficient_count];
    if (is_known(m, watch, 0, search->c[0], size, rounding_of(m, any_wide, watch, 1), time)) {
        search->verdict = search->c[0] < 0 ? HERE : UNSURE;
        return;
    }
    const int known = !exact->from_zero[watch->contact]     ? 0
                      : watch->condition == SLIP_EXACT_GAP  ? 2
                      : watch->condition == SLIP_EXACT_SLIP ? 1
                                                            : 0;
    slip_exact_series_rows(exact, watch, known, search->c, sizes);
    find_lead(m, any_wide, watch, sizes, size, search);
}

SLIP_INLINE void look(const march *m, const int size, int index)
{
    const slip_exact_watch *watch = &m->set->watches[index];
    slip_exact_search *search = &m->exact->searches[index];
    if (size == any_wide) {
        slip_exact_series_expand(m->exact, watch, search->c);
        search->remainder = slip_exact_sparse_size(&watch->row, m->exact->series->remainder);
    } else {
        expand(watch->taylor, size, m->exact->y, search->c);
    }
    if (m->start && m->exact->from_zero[watch->contact]) {
        if (watch->condition == SLIP_EXACT_SLIP || watch->condition == SLIP_EXACT_GAP)
            search->c[0] = 0;
        if (watch->condition == SLIP_EXACT_GAP)
            search->c[1] = 0;
    }
    double own = rounding_of(m, size, watch, 0);
    if (watch->is_entry)
        own = size_of_gap(m, watch, own);
    search->tolerance = 16 * DBL_EPSILON * own + DBL_MIN;
    search->lead = 0;
    search->verdict = UNSURE;
    if (m->start && size == any_wide)
        look_closer(m, watch, own, search);
    else if (m->start)
        find_lead(m, size, watch, NULL, own, search);
    else if (search->c[0] <= -search->tolerance)
        search->verdict = HERE;
}

/* ---- Locating. */

/* By Estrin's scheme, whose pairs are independent, unlike the steps of Horner's rule. */
static inline double evaluate(const double *c, double x)
{
    double square = x * x, fourth = square * square;
    double low = (c[0] + c[1] * x) + square * (c[2] + c[3] * x);
    double middle = (c[4] + c[5] * x) + square * (c[6] + c[7] * x);
    return low + fourth * (middle + fourth * (c[8] + c[9] * x));
}

static inline void differentiate(const double *c, double *restrict slope)
{
    for (int k = 0; k < degree; k++)
        slope[k] = (k + 1) * c[k + 1];
    slope[degree] = 0;
}

/* The last root in (0, 1] of a polynomial that ends negative and falls or is concave: Newton's method, kept
 * in its bracket, until it moves by less than 1e-3 of x, or so little that the next move (quadratic in this
 * one) should be less than `grain`. */
static double rough_root(const double *c, double grain)
{
    double slope[coefficient_count], low = 0, high = 1, last = evaluate(c, 1), x = 1;
    if (c[0] <= 0 && c[1] <= 0)
        return 0;
    differentiate(c, slope);
    if (c[0] > 0) /* start: the root of the parabola with the value and slope at 0, and the value at 1 */
        x = 2 * c[0] / (sqrt(c[1] * c[1] + 4 * c[0] * (c[0] + c[1] - last)) - c[1]);
    if (!(x <= 1)) /* its value at 1 is zero but for rounding, and it may have no root */
        x = 1;
    for (int i = 0; i < 60; i++) {
        double value = evaluate(c, x);
        if (value > 0)
            low = x;
        else
            high = x;
        double next = x - value / evaluate(slope, x);
        if (!(next >= low && next <= high))
            next = 0.5 * (low + high);
        double change = fabs(next - x);
        if (change * change < grain || change < 1e-3 * next)
            return next;
        x = next;
    }
    return x;
}

/* Newton's method on the Taylor polynomial about a point next to the root, until it is known to rounding of
 * time, which is `time` + x; in steps. False when the root is not within `reach`. */
static bool polish(const double *c, double reach, double time, double *x)
{
    double derivative[coefficient_count];
    const double inverse = 1 / c[1], second = c[2] * inverse, third = c[3] * inverse, first = -c[0] * inverse;
    differentiate(c, derivative);
    /* the series of the inverse function, as a start */
    *x = first * (1 - first * (second - first * (2 * second * second - third)));
    if (!(fabs(*x) <= 2 * fabs(first)))
        *x = 0;
    for (int i = 0; i < 50; i++) {
        const double value = evaluate(c, *x), slope = evaluate(derivative, *x), change = -value / slope;
        if (!(fabs(*x + change) <= reach)) /* or NaN, 0/0: the condition is constant */
            return value == 0 && fabs(*x) <= reach;
        *x += change;
        /* this change, or the next one, which is quadratic in it */
        const double rounding = 0.25 * DBL_EPSILON * fabs(time + *x),
                     curve = fabs(c[2]) + 3 * fabs(c[3] * *x);
        if (fabs(change) <= rounding || 4 * change * change * curve <= rounding * fabs(slope))
            return true;
    }
    return false;
}

/* The root of a condition that has one crossing in the present step, as a distance from tau. */
SLIP_INLINE double locate(march *m, const int size, int index)
{
    const slip_exact_watch *watch = &m->set->watches[index];
    const slip_exact *exact = m->exact;
    double c[coefficient_count], low = 0, step = m->set->step, high = m->powers[1] * step, rough, x,
                                 correction;
    /* within 1/16 of a radian the Taylor polynomial equals the function to rounding */
    double reach = m->set->rate > 0 ? 4 : INFINITY;
    double begin = fabs(exact->t0) + m->tau, whole = high * (1 + 4 * DBL_EPSILON);
    scale(m, &exact->searches[index], c);
    /* first about a whole number of steps, where the state needs no series, if the condition falls there */
    bool whole_steps = m->set->rate > 0 && m->level > 0 && exact->searches[index].lead == 0;
    x = rough = high * rough_root(c, whole_steps ? 0.25 / m->powers[1] : 0);
    if (x == 0)
        return 0;
    if (whole_steps)
        x = step * (double)(int64_t)(x / step + 0.5);
    for (int i = 0; i < 80 && high - low > DBL_EPSILON * (begin + low); i++) {
        slip_exact_propagate(exact, exact->y, x, exact->moved);
        m->reached = x;
        m->reached_by = index;
        if (size == any_wide) {
            slip_exact_series_fill(exact, exact->moved, false);
            slip_exact_series_expand(exact, watch, c);
        } else {
            expand(watch->taylor, size, exact->moved, c);
        }
        if (c[0] > 0)
            low = x;
        else
            high = x;
        double root = 0.5 * (low + high);
        if (x != rough && i == 0 && !(c[1] < 0)) {
            x = rough;
            continue;
        }
        if (polish(c, reach, (begin + x) / step, &correction)) {
            double better = x + correction * step;
            /* far from the expansion point digits cancel: then expand again at the root found */
            if (better >= 0 && better <= whole && fabs(better - x) <= 0.125 * (begin + better))
                return better;
            root = better > low && better < high ? better : root;
        }
        x = root;
    }
    return high;
}

/* ---- Marching. */

static void set_level(march *m, int level)
{
    double ratio = level >= 0 && level < 62 ? (double)((int64_t)1 << level) : ldexp(1, level);
    m->level = level;
    m->powers[0] = 1;
    for (int k = 1; k < coefficient_count; k++)
        m->powers[k] = m->powers[k - 1] * ratio;
}

enum { shortest_start = 4 };

/* Chooses the first step: it reaches the end, or is the longest one accepted in the last search with these
 * modes, but not less than an eighth of a radian. */
static void first_level(march *m)
{
    int level;
    frexp(m->span / m->set->step, &level);
    set_level(m, m->set->rate > 0 && level > m->set->usual_level ? m->set->usual_level : level);
}

/* Halves the step until each condition is clear or has one crossing; crossings found on longer steps are
 * judged again. True when a condition ends at the beginning of the step. */
SLIP_INLINE bool settle(march *m, const int size)
{
    slip_exact_search *searches = m->exact->searches;
    bool again = true;
    while (again) {
        again = false;
        for (int i = 0; i < m->set->watch_count; i++) {
            slip_exact_search *search = &searches[i];
            if (search->verdict == HERE)
                return true;
            while (search->verdict == UNSURE || (search->verdict == CROSSING && search->level != m->level)) {
                search->verdict = judge(m, size, i);
                search->level = m->level;
                if (search->verdict == UNSURE) {
                    set_level(m, m->level - 1);
                    again = true;
                }
            }
        }
    }
    return false;
}

static int report(march *m, double root, int index, slip_exact_event *event)
{
    const slip_exact_watch *watch = &m->set->watches[index];
    double t = m->exact->t0 + m->tau + root;
    *event = (slip_exact_event){.t = t,
                                .contact = watch->contact,
                                .condition = watch->condition,
                                .slider = watch->slider,
                                .sign = watch->sign};
    if (m->reached_by == index)
        slip_exact_propagate(m->exact, m->exact->moved, t - m->exact->t0 - m->tau - m->reached,
                             m->exact->arrived);
    else
        slip_exact_propagate(m->exact, m->exact->y, t - m->exact->t0 - m->tau, m->exact->arrived);
    m->exact->arrival = t;
    for (int64_t c = 0; c < m->exact->system->contact_count; c++)
        m->exact->ended[c] = false;
    for (int i = 0; i < m->set->watch_count; i++) {
        const slip_exact_search *search = &m->exact->searches[i];
        if ((search->verdict == CROSSING || search->verdict == HERE) &&
            search->root <= root + 8 * DBL_EPSILON * (fabs(m->exact->t0) + m->tau + root))
            m->exact->ended[m->set->watches[i].contact] = true;
    }
    return 1;
}

/* The first of the crossings in this step, or -1. */
SLIP_INLINE int first_crossing(march *m, const int size, bool here, double *root)
{
    int first = -1;
    for (int i = 0; i < m->set->watch_count; i++) {
        slip_exact_search *search = &m->exact->searches[i];
        search->root = search->verdict == HERE ? 0 : INFINITY;
        if (search->verdict == CROSSING && !here)
            search->root = locate(m, size, i);
        if (search->root < INFINITY && (first < 0 || search->root < *root)) {
            first = i;
            *root = search->root;
        }
    }
    return first;
}

static void advance(march *m)
{
    slip_exact *exact = m->exact;
    const slip_exact_set *set = m->set;
    double *swap = exact->y;
    if (set->rate > 0 && m->level >= 0)
        slip_exact_climb(exact, m->level, exact->y, exact->moved);
    else
        slip_exact_propagate(exact, exact->y, m->powers[1] * set->step, exact->moved);
    exact->y = exact->moved;
    exact->moved = swap;
    m->tau += m->powers[1] * set->step;
}

/* False where the motion has grown so large that its bounds would overflow. */
SLIP_INLINE bool measure(slip_exact *exact, const int size)
{
    bool bounded = true;
    for (int j = 0; j < size; j++) {
        exact->magnitude[j] = fabs(exact->y[j]);
        bounded &= exact->magnitude[j] < largest_motion;
    }
    return bounded;
}

/* Updates the sizes for rounding of gaps that are entries of y, by the terms of their rates over the step. */
static __attribute__((noinline)) void note_sizes(const march *m)
{
    for (int i = 0; i < m->set->watch_count; i++) {
        const slip_exact_watch *watch = &m->set->watches[i];
        if (!watch->is_entry)
            continue;
        double *known = &m->exact->gap_sizes[watch->contact];
        const int of = m->set->wide ? any_wide : m->set->size;
        double size =
            m->powers[1] * (rounding_of(m, of, watch, 1) + m->powers[1] * rounding_of(m, of, watch, 2));
        *known = *known > size ? *known : size;
    }
}

SLIP_INLINE int find_first(const int size, slip_exact *exact, double end, slip_exact_event *event)
{
    march m;
    begin_march(&m, exact, end);
    const int top = size == any_wide ? slip_exact_wide_top : slip_exact_bounds - 1;
    int longest = shortest_start;
    bool looked = exact->looked; /* and y is the state at the start */
    if (!looked)
        slip_copy_few(m.set->padded, exact->y0, exact->y);
    exact->looked = false;
    first_level(&m);
    while (m.tau < m.span) {
        double root = 0;
        if (!looked && !measure(exact, size == any_wide ? m.set->size : size)) {
            event->t = exact->t0 + m.tau;
            return -1;
        }
        if (size == any_wide)
            slip_exact_series_fill(exact, exact->y, true);
        for (int i = 0; i < m.set->watch_count && !looked; i++)
            look(&m, size, i);
        looked = false;
        bool here = settle(&m, size);
        longest = m.level > longest ? m.level : longest;
        int first = first_crossing(&m, size, here, &root);
        exact->set->usual_level = longest < top ? longest : top;
        if (first >= 0)
            return m.tau + root <= m.span ? report(&m, root, first, event) : 0;
        if (m.set->watches_gaps)
            note_sizes(&m);
        advance(&m);
        m.start = false;
        if (m.set->rate == 0 || m.level < top)
            set_level(&m, m.level + 1);
        while (m.powers[1] * m.set->step >= 2 * (m.span - m.tau) && m.tau < m.span)
            set_level(&m, m.level - 1);
    }
    return 0;
}

int slip_exact_first_event(slip_exact *exact, double end, slip_exact_event *event)
{
    if (exact->set->wide)
        return find_first(any_wide, exact, end, event);
    switch (exact->set->size) {
    case 4:
        return find_first(4, exact, end, event);
    case 5:
        return find_first(5, exact, end, event);
    default:
        return find_first(exact->set->size, exact, end, event);
    }
}

SLIP_INLINE bool begins(const int size, slip_exact *exact)
{
    enum { highest = 3 }; /* derivative */
    const slip_exact_set *set = exact->set;
    march m;
    begin_march(&m, exact, exact->t0);
    slip_copy_few(set->padded, exact->y0, exact->y);
    if (!measure(exact, size))
        return false;
    for (int i = 0; i < set->watch_count; i++)
        look(&m, size, i);
    exact->looked = true;
    for (int i = 0; i < set->watch_count; i++) {
        const slip_exact_search *search = &exact->searches[i];
        if (search->verdict == HERE || search->lead > highest ||
            !(search->c[search->lead] > 1e-6 * rounding_of(&m, size, &set->watches[i], search->lead)))
            return false;
    }
    return true;
}

bool slip_exact_begins(slip_exact *exact)
{
    if (exact->set->wide)
        return false;
    switch (exact->set->size) {
    case 4:
        return begins(4, exact);
    case 5:
        return begins(5, exact);
    default:
        return begins(exact->set->size, exact);
    }
}

/* ---- Extrema of velocities. */

static bool fill_turns(const slip_exact *exact)
{
    slip_exact_set *set = exact->set;
    const int n = exact->system->n, size = set->size;
    double **turns = slip_arena_array(&set->arena, n, sizeof *turns), *row = exact->term, *next = exact->swap;
    bool complete = turns != NULL;
    for (int i = 0; i < n && complete; i++) {
        slip_copy_few(size, set->position + (n + i) * size, row);
        turns[i] = slip_exact_series_of_row(set, row, next);
        complete = turns[i] != NULL;
    }
    set->turns = complete ? turns : NULL;
    return slip_allocated(exact->ctx, complete) >= 0;
}

bool slip_exact_peak(const slip_exact *exact, int i, double t, double *time, double *value)
{
    const slip_exact_set *set = exact->set;
    const double step = set->step, near = set->rate > 0 ? rint((t - exact->t0) / step) : 0;
    double c[coefficient_count], slope[coefficient_count], x;
    if (set->wide || near < 0 || (!set->turns && !fill_turns(exact)))
        return false;
    slip_exact_propagate(exact, exact->y0, near * step, exact->moved);
    switch (set->size) {
    case 4:
        expand(set->turns[i], 4, exact->moved, c);
        break;
    case 5:
        expand(set->turns[i], 5, exact->moved, c);
        break;
    default:
        expand(set->turns[i], set->size, exact->moved, c);
    }
    differentiate(c, slope);
    if (!polish(slope, set->rate > 0 ? 16 : INFINITY, near, &x))
        return false;
    *time = exact->t0 + (near + x) * step;
    *value = evaluate(c, x);
    return true;
}
