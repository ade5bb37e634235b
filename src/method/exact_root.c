/* The first event: no condition may turn negative unseen.
 *
 * At a time t every condition g has its Taylor coefficients of degree K = 9 and a bound r of the remainder
 * over the next step H. On [t, t + H], with s from 0 to 1, g is within r of a polynomial whose Bernstein
 * coefficients b_i are at hand. Then
 *
 *     min b_i - r > -tolerance                          g stays positive: the step is clear;
 *     b_K + r < -tolerance, and g falls or is concave   g turns negative once: the step has one crossing,
 *     throughout (differences of b, with margins)       which is then located;
 *     otherwise                                         half the step is tried, from the same coefficients.
 *
 * A step is taken when it is clear for all conditions; steps double while they are clear. The tolerance is
 * the rounding error of g; it decides about touching, and nothing else.
 *
 * A condition that starts at zero (the slip velocity after stick, with its acceleration; a gap that opens) is
 * divided by the power s^m that it starts with, and the quotient is judged in its place. Coefficients count
 * as zero within rounding errors of the state and of the time of the start. */
#include "method/exact_types.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { degree = slip_exact_degree, coefficient_count = degree + 1 };
enum { CLEAR, CROSSING, UNSURE, HERE };

/* The search: y at t0 + tau, and the step tried now, set->step 2^level. */
typedef struct march {
    slip_exact *exact;
    const slip_exact_set *set;
    double tau, span;
    double ratio; /* 2^level */
    int level;
    bool start;
    int reached_by; /* the condition whose root exact->moved is next to, at tau + reached; or -1 */
    double reached;
} march;

/* ---- One polynomial on one step. */

static double rounding_of(const slip_exact_watch *watch, int size, const double *magnitude, int order)
{
    double sum = 0;
    for (int j = 0; j < size; j++)
        sum += fabs(watch->taylor[j * coefficient_count + order]) * magnitude[j];
    return sum;
}

static void expand(const slip_exact_watch *watch, int size, const double *y, double *restrict c)
{
    for (int k = 0; k < coefficient_count; k++)
        c[k] = watch->taylor[k] * y[0];
    for (int j = 1; j < size; j++)
        for (int k = 0; k < coefficient_count; k++)
            c[k] += watch->taylor[j * coefficient_count + k] * y[j];
}

/* Bernstein coefficients from those of the powers: b_i = sum over j of binomial(i, j) / binomial(K, j) c_j.
 */
static void to_bernstein(const double *c, double *restrict b)
{
    static const double inverse[] = {1,        1. / 9,  1. / 36, 1. / 84, 1. / 126,
                                     1. / 126, 1. / 84, 1. / 36, 1. / 9,  1};
    static const double binomial[coefficient_count][coefficient_count] = {
        {1, 1, 1, 1, 1, 1, 1, 1, 1, 1},      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
        {0, 0, 1, 3, 6, 10, 15, 21, 28, 36}, {0, 0, 0, 1, 4, 10, 20, 35, 56, 84},
        {0, 0, 0, 0, 1, 5, 15, 35, 70, 126}, {0, 0, 0, 0, 0, 1, 6, 21, 56, 126},
        {0, 0, 0, 0, 0, 0, 1, 7, 28, 84},    {0, 0, 0, 0, 0, 0, 0, 1, 8, 36},
        {0, 0, 0, 0, 0, 0, 0, 0, 1, 9},      {0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
    _Static_assert(degree == 9, "the tables above are those of degree 9");
    for (int i = 0; i < coefficient_count; i++)
        b[i] = c[0];
    for (int j = 1; j < coefficient_count; j++) {
        double factor = inverse[j] * c[j];
        for (int i = 0; i < coefficient_count; i++)
            b[i] += binomial[j][i] * factor;
    }
}

static int judge_polynomial(const double *c, double remainder, double tolerance)
{
    double b[coefficient_count], low = c[0], lowest, steepest = -INFINITY, most_curved = -INFINITY;
    /* margins for first and second derivative of what is left out, also where a power was divided out */
    const double first = 2 * coefficient_count * remainder, second = 2 * coefficient_count * first;
    for (int k = 1; k < coefficient_count; k++)
        low += c[k] < 0 ? c[k] : 0;
    if (low - remainder > -tolerance)
        return CLEAR;
    to_bernstein(c, b);
    lowest = b[0];
    for (int k = 1; k < coefficient_count; k++)
        lowest = b[k] < lowest ? b[k] : lowest;
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

/* The polynomial of a condition on the present step: its coefficients, the leading zeros divided out. The
 * powers of the ratio, a power of two, are exact. */
static void scale(const slip_exact_search *search, double ratio, double *c)
{
    const double second = ratio * ratio, fourth = second * second, eighth = fourth * fourth;
    const double powers[coefficient_count] = {
        1,      ratio,          second,          second * ratio,
        fourth, fourth * ratio, fourth * second, fourth * second * ratio,
        eighth, eighth * ratio};
    int lead = search->lead;
    for (int k = lead; k < coefficient_count; k++)
        c[k - lead] = powers[k] * search->c[k];
    for (int k = coefficient_count - lead; k < coefficient_count; k++)
        c[k] = 0;
}

static double remainder_bound(const march *m, const slip_exact_watch *watch)
{
    const double *bound = watch->bound + (m->level > 0 ? m->level : 0) * m->set->padded;
    double sum = 0, power = m->ratio;
    if (m->set->rate == 0)
        return 0;
    for (int j = 0; j < m->set->size; j++)
        sum += bound[j] * m->exact->magnitude[j];
    if (m->level < 0) {
        /* to the tenth */
        double square = power * power, fourth = square * square;
        sum *= fourth * fourth * square;
    }
    return sum;
}

static int judge(const march *m, int index)
{
    const slip_exact_search *search = &m->exact->searches[index];
    double c[coefficient_count];
    scale(search, m->ratio, c);
    return judge_polynomial(c, remainder_bound(m, &m->set->watches[index]),
                            search->lead ? 0 : search->tolerance);
}

/* ---- Starting at zero. */

/* Clears the coefficients that are zero to rounding, and finds the first that is not. */
static void find_lead(const march *m, const slip_exact_watch *watch, slip_exact_search *search)
{
    const double *magnitude = m->exact->magnitude;
    double time = fabs(m->exact->t0) / m->set->step;
    for (int k = 0; k < degree; k++) {
        double tolerance = m->exact->leniency * DBL_EPSILON *
                           (16 * rounding_of(watch, m->set->size, magnitude, k) +
                            4 * time * (k + 1) * rounding_of(watch, m->set->size, magnitude, k + 1));
        if (search->c[k] < -tolerance) {
            search->verdict = HERE;
            return;
        }
        if (search->c[k] > tolerance) {
            search->lead = k;
            return;
        }
        search->c[k] = 0;
    }
    /* nothing but zeros: as any other condition, with bounds */
}

static void look(const march *m, int index)
{
    const slip_exact_watch *watch = &m->set->watches[index];
    slip_exact_search *search = &m->exact->searches[index];
    expand(watch, m->set->size, m->exact->y, search->c);
    search->tolerance = 16 * DBL_EPSILON * rounding_of(watch, m->set->size, m->exact->magnitude, 0) + DBL_MIN;
    search->lead = 0;
    search->verdict = UNSURE;
    if (m->start)
        find_lead(m, watch, search);
    else if (search->c[0] <= -search->tolerance)
        search->verdict = HERE;
}

/* ---- Locating. */

static double evaluate(const double *c, double x, double *slope)
{
    double value = c[degree];
    *slope = 0;
    for (int k = degree - 1; k >= 0; k--) {
        *slope = *slope * x + value;
        value = value * x + c[k];
    }
    return value;
}

/* The last root in (0, 1] of a polynomial that ends negative and falls or is concave, roughly: Newton's
 * method from the right end, kept in its bracket. */
static double rough_root(const double *c)
{
    double low = 0, high = 1, x = 1, slope;
    if (c[0] <= 0 && c[1] <= 0)
        return 0;
    for (int i = 0; i < 60; i++) {
        double value = evaluate(c, x, &slope);
        if (value > 0)
            low = x;
        else
            high = x;
        double next = x - value / slope;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (fabs(next - x) < 1e-3 * next)
            return next;
        x = next;
    }
    return x;
}

/* Newton's method on the Taylor polynomial about a point next to the root, until it is known to rounding of
 * time, which is `time` + x; in steps. False when the root is not within `reach`. */
static bool polish(const double *c, double reach, double time, double *x)
{
    double value = c[0], slope = c[1];
    *x = 0;
    for (int i = 0; i < 50; i++) {
        double change = -value / slope;
        if (!(fabs(*x + change) <= reach))
            return value == 0;
        *x += change;
        if (fabs(change) <= 0.25 * DBL_EPSILON * fabs(time + *x))
            return true;
        value = evaluate(c, *x, &slope);
    }
    return false;
}

/* The root of a condition that has one crossing in the present step, as a distance from tau. */
static double locate(march *m, int index)
{
    const slip_exact_watch *watch = &m->set->watches[index];
    const slip_exact *exact = m->exact;
    double c[coefficient_count], low = 0, step = m->set->step, high = m->ratio * step, x, correction;
    /* within 1/16 of a radian the polynomial is the function to rounding */
    double reach = m->set->rate > 0 ? 4 : INFINITY;
    double begin = fabs(exact->t0) + m->tau, whole = high * (1 + 4 * DBL_EPSILON);
    scale(&exact->searches[index], m->ratio, c);
    x = high * rough_root(c);
    if (x == 0)
        return 0;
    for (int i = 0; i < 80 && high - low > DBL_EPSILON * (begin + low); i++) {
        slip_exact_propagate(exact, exact->y, x, exact->moved);
        m->reached = x;
        m->reached_by = index;
        expand(watch, m->set->size, exact->moved, c);
        if (c[0] > 0)
            low = x;
        else
            high = x;
        double root = 0.5 * (low + high);
        if (polish(c, reach, (begin + x) / step, &correction)) {
            double better = x + correction * step;
            /* what is far away is cancelled in the difference: then once more, from there */
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
    m->level = level;
    m->ratio = level >= 0 && level < 62 ? (double)((int64_t)1 << level) : ldexp(1, level);
}

/* A step that reaches the end, or the longest that is bounded. */
static void first_level(march *m)
{
    int level;
    frexp(m->span / m->set->step, &level);
    set_level(m, m->set->rate > 0 && level > slip_exact_bounds - 1 ? slip_exact_bounds - 1 : level);
}

/* Halves the step until no condition is unsure; crossings of longer steps are judged again. True when some
 * condition has ended where the step begins. */
static bool settle(march *m)
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
                search->verdict = judge(m, i);
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
    *event = (slip_exact_event){
        .t = t, .contact = watch->contact, .condition = watch->condition, .sign = watch->sign};
    if (m->reached_by == index)
        slip_exact_propagate(m->exact, m->exact->moved, t - m->exact->t0 - m->tau - m->reached,
                             m->exact->arrived);
    else
        slip_exact_propagate(m->exact, m->exact->y, t - m->exact->t0 - m->tau, m->exact->arrived);
    m->exact->arrival = t;
    memset(m->exact->ended, 0, (size_t)m->exact->system->contact_count * sizeof(bool));
    for (int i = 0; i < m->set->watch_count; i++) {
        const slip_exact_search *search = &m->exact->searches[i];
        if ((search->verdict == CROSSING || search->verdict == HERE) &&
            search->root <= root + 8 * DBL_EPSILON * (fabs(m->exact->t0) + m->tau + root))
            m->exact->ended[m->set->watches[i].contact] = true;
    }
    return 1;
}

/* The first of the crossings in this step, or -1. */
static int first_crossing(march *m, bool here, double *root)
{
    int first = -1;
    for (int i = 0; i < m->set->watch_count; i++) {
        slip_exact_search *search = &m->exact->searches[i];
        search->root = search->verdict == HERE ? 0 : INFINITY;
        if (search->verdict == CROSSING && !here)
            search->root = locate(m, i);
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
        slip_exact_apply(set->size, set->padded, set->ladder + (ptrdiff_t)m->level * set->size * set->padded,
                         exact->y, exact->moved);
    else
        slip_exact_propagate(exact, exact->y, m->ratio * set->step, exact->moved);
    exact->y = exact->moved;
    exact->moved = swap;
    m->tau += m->ratio * set->step;
}

int slip_exact_first_event(slip_exact *exact, double end, slip_exact_event *event)
{
    march m = {.exact = exact, .set = exact->set, .span = end - exact->t0, .start = true, .reached_by = -1};
    memcpy(exact->y, exact->y0, (size_t)m.set->padded * sizeof(double));
    first_level(&m);
    while (m.tau < m.span) {
        double root = 0;
        for (int j = 0; j < m.set->padded; j++)
            exact->magnitude[j] = fabs(exact->y[j]);
        for (int i = 0; i < m.set->watch_count; i++)
            look(&m, i);
        bool here = settle(&m);
        int first = first_crossing(&m, here, &root);
        if (first >= 0)
            return m.tau + root <= m.span ? report(&m, root, first, event) : 0;
        advance(&m);
        m.start = false;
        if (m.set->rate == 0 || m.level < slip_exact_bounds - 1)
            set_level(&m, m.level + 1);
        while (m.ratio * m.set->step >= 2 * (m.span - m.tau) && m.tau < m.span)
            set_level(&m, m.level - 1);
    }
    return 0;
}
