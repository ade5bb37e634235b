/* Extrema inside steps.
 *
 * Over a step of length h a function f is known at both ends with its derivative d. The parabola through d0
 * and d1 whose integral is f1 - f0 (the derivative of the cubic Hermite interpolant of f) is
 *
 *     d(s) = d0 + (d1 - d0) s + 4 c s (1 - s),   c = 3/2 ((f1 - f0)/h - (d0 + d1)/2),   s = (t - t0)/h,
 *
 * and says without a single evaluation whether d can have a zero in the step, and how large f and d can be in
 * it. The gates below take that with a wide margin; only behind them the step is looked into. With f = q and
 * d = v this serves |q|; with f = v and d = a it serves |v| by the zeros of d, and |a| by the size of d.
 *
 * The functions are smooth inside a step (methods end a step at every kink), so that an extremum that is no
 * step end can be found by sampling and parabolic refinement. */
#include "result/maxima.h"

#include <float.h>
#include <math.h>

enum { gauss_count = 5 };
static const double gauss_node[gauss_count] = {-0.90617984593866399, -0.53846931010568309, 0,
                                               0.53846931010568309, 0.90617984593866399};
static const double gauss_weight[gauss_count] = {
    0.23692688505618909, 0.47862867049936647, 0.56888888888888889, 0.47862867049936647, 0.23692688505618909};
static const double two_pi = 6.283185307179586476925;

bool slip_maxima_create(slip_maxima *maxima, slip_arena *arena, int n, int contact_count, double period)
{
    double *numbers = slip_arena_array(arena, 8 * (int64_t)n + (4 + gauss_count) * (int64_t)contact_count + 1,
                                       sizeof *numbers);
    if (!numbers)
        return false;
    *maxima = (slip_maxima){.n = n, .contact_count = contact_count, .period = period};
    maxima->q = numbers;
    maxima->v = numbers + n;
    maxima->a = numbers + 2 * n;
    maxima->scratch_q = numbers + 3 * n;
    maxima->scratch_v = numbers + 4 * n;
    maxima->scratch_a = numbers + 5 * n;
    maxima->cosine = numbers + 6 * n;
    maxima->sine = numbers + 7 * n;
    maxima->force = numbers + 8 * n;
    maxima->scratch_force = maxima->force + contact_count; /* both ends and the Gauss points */
    for (int i = 0; i < 3 * n; i++)
        numbers[i] = -1;
    for (int c = 0; c < contact_count; c++)
        maxima->force[c] = -1;
    return true;
}

/* ---- Search behind the gates. */

typedef enum quantity { COORDINATE, VELOCITY, ACCELERATION, FORCE } quantity;

typedef struct probe {
    const slip_maxima *maxima;
    const slip_step *step;
    quantity what;
    int index;
} probe;

static double magnitude(const probe *p, double t)
{
    const slip_maxima *m = p->maxima;
    slip_sample sample = {0};
    switch (p->what) {
    case COORDINATE:
        p->step->state(p->step->self, t, m->scratch_q, m->scratch_v);
        return fabs(m->scratch_q[p->index]);
    case VELOCITY:
        p->step->state(p->step->self, t, m->scratch_q, m->scratch_v);
        return fabs(m->scratch_v[p->index]);
    case ACCELERATION:
        sample.a = m->scratch_a;
        p->step->sample(p->step->self, t, &sample);
        return fabs(m->scratch_a[p->index]);
    case FORCE:
        sample.force = m->scratch_force;
        p->step->sample(p->step->self, t, &sample);
        return fabs(m->scratch_force[p->index]);
    }
    return 0;
}

/* The largest value in [low, high] by Brent's combination of golden section and parabolas (R. P. Brent,
 * Algorithms for minimization without derivatives, 1973, ch. 5). The place is found to 1e-6 of the bracket,
 * hence the value to about 1e-12 of its variation there. */
static double refine(const probe *p, double low, double high)
{
    const double golden = 0.3819660112501051, tolerance = 1e-6 * (high - low);
    double best = low + golden * (high - low), second = best, third = best;
    double f_best = magnitude(p, best), f_second = f_best, f_third = f_best;
    double last = 0, before_last = 0;
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high), step, t, f;
        bool parabola = false;
        if (fabs(best - middle) <= 2 * tolerance - 0.5 * (high - low))
            break;
        if (fabs(before_last) > tolerance) {
            double r = (best - second) * (f_best - f_third), q = (best - third) * (f_best - f_second);
            double top = (best - third) * q - (best - second) * r, bottom = 2 * (q - r);
            double offset = bottom != 0 ? -top / bottom : INFINITY;
            parabola = fabs(offset) < 0.5 * fabs(before_last) && best + offset > low && best + offset < high;
            before_last = last;
            if (parabola)
                last = offset;
        }
        if (!parabola) {
            before_last = best < middle ? high - best : low - best;
            last = golden * before_last;
        }
        step = fabs(last) >= tolerance ? last : copysign(tolerance, last);
        t = best + step;
        f = magnitude(p, t);
        if (f >= f_best) {
            if (t >= best)
                low = best;
            else
                high = best;
            third = second, f_third = f_second;
            second = best, f_second = f_best;
            best = t, f_best = f;
        } else {
            if (t < best)
                low = t;
            else
                high = t;
            if (f >= f_second || second == best) {
                third = second, f_third = f_second;
                second = t, f_second = f;
            } else if (f >= f_third || third == best || third == second) {
                third = t, f_third = f;
            }
        }
    }
    return f_best;
}

/* The largest value inside the step. The points crowd at its ends, where a law's infinite slope bends the
 * motion most. */
static double peak(const probe *p, double f0, double f1)
{
    enum { parts = 8 };
    static const double place[parts + 1] = {
        0,   0.038060233744356624, 0.14644660940672624, 0.30865828381745512,
        0.5, 0.69134171618254488,  0.85355339059327376, 0.96193976625564338,
        1};
    double t0 = p->step->t0, h = p->step->t1 - t0, f_best = f0, found;
    int best = 0;
    for (int k = 1; k <= parts; k++) {
        double f = k < parts ? magnitude(p, t0 + place[k] * h) : f1;
        if (f > f_best) {
            f_best = f;
            best = k;
        }
    }
    found =
        refine(p, t0 + place[best > 0 ? best - 1 : 0] * h, t0 + place[best < parts ? best + 1 : parts] * h);
    return found > f_best ? found : f_best;
}

static void look_inside(slip_maxima *maxima, const slip_step *step, quantity what, int i, double f0,
                        double f1, double *largest)
{
    probe p = {maxima, step, what, i};
    double found = peak(&p, fabs(f0), fabs(f1));
    if (found > *largest)
        *largest = found;
}

/* ---- Gates. */

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* |c|, less what rounding alone can make of it: else a body at rest would open the gates at every step. */
static inline double bend(double f0, double f1, double d0, double d1, double inverse_h)
{
    double c = 1.5 * fabs((f1 - f0) * inverse_h - 0.5 * (d0 + d1));
    double noise = 8 * DBL_EPSILON * ((fabs(f0) + fabs(f1)) * inverse_h + fabs(d0) + fabs(d1));
    return c > noise ? c - noise : 0;
}

/* Can |f| have a maximum inside that is larger than the largest so far? d must be able to vanish there, and
 * the reach of d must suffice. */
static inline bool may_peak(double f0, double f1, double d0, double d1, double c, double h, double largest)
{
    double size0 = fabs(d0), size1 = fabs(d1);
    if (larger(fabs(f0), fabs(f1)) + 0.5 * h * (size0 + size1 + 4 * c) <= largest)
        return false;
    return d0 * d1 < 0 || (size0 < size1 ? size0 : size1) < 2 * c;
}

/* The same for the derivative itself: the parabola has its vertex inside when |d1 - d0| < 4 c, and exceeds
 * the ends by at most c. Three times that is the margin. */
static inline bool derivative_may_peak(double d0, double d1, double c, double largest)
{
    return larger(fabs(d0), fabs(d1)) + 3 * c > largest && fabs(d1 - d0) < 12 * c;
}

void slip_maxima_step(slip_maxima *m, const slip_step *step)
{
    double h = step->t1 - step->t0, inverse_h = 1 / h;
    for (int i = 0; i < m->n; i++) {
        double q0 = step->q0[i], q1 = step->q1[i], v0 = step->v0[i], v1 = step->v1[i];
        double a0 = step->a0[i], a1 = step->a1[i], bend_q, bend_v;
        m->q[i] = larger(m->q[i], larger(fabs(q0), fabs(q1)));
        m->v[i] = larger(m->v[i], larger(fabs(v0), fabs(v1)));
        m->a[i] = larger(m->a[i], larger(fabs(a0), fabs(a1)));
        if (!(h > 0))
            continue;
        bend_q = bend(q0, q1, v0, v1, inverse_h);
        bend_v = bend(v0, v1, a0, a1, inverse_h);
        if (may_peak(q0, q1, v0, v1, bend_q, h, m->q[i]))
            look_inside(m, step, COORDINATE, i, q0, q1, &m->q[i]);
        if (may_peak(v0, v1, a0, a1, bend_v, h, m->v[i]))
            look_inside(m, step, VELOCITY, i, v0, v1, &m->v[i]);
        if (derivative_may_peak(a0, a1, bend_v, m->a[i]))
            look_inside(m, step, ACCELERATION, i, a0, a1, &m->a[i]);
    }
}

/* ---- Forces and the fundamental. */

static void force_step(slip_maxima *m, const slip_step *step, int contact)
{
    enum { last = gauss_count + 1 };
    double t[last + 1], f[last + 1], reach = 0, found;
    double middle = 0.5 * (step->t0 + step->t1), half = 0.5 * (step->t1 - step->t0);
    probe p = {m, step, FORCE, contact};
    int best = 0, left, right;
    for (int k = 0; k <= last; k++) {
        t[k] = k == 0 ? step->t0 : k == last ? step->t1 : middle + half * gauss_node[k - 1];
        f[k] = fabs(m->scratch_force[(k + 1) * m->contact_count + contact]);
        if (f[k] > f[best])
            best = k;
    }
    left = best > 0 ? best - 1 : 0;
    right = best < last ? best + 1 : last;
    m->force[contact] = larger(m->force[contact], f[best]);
    reach = larger(f[best] - f[left], f[best] - f[right]);
    /* A force that the law limits stays constant over whole steps, and needs no search. */
    if (!(f[best] + reach > m->force[contact]) || reach <= 8 * DBL_EPSILON * f[best] || !(half > 0))
        return;
    found = refine(&p, t[left], t[right]);
    m->force[contact] = larger(m->force[contact], found);
}

static void add_fundamental(slip_maxima *m, double t, double weight)
{
    double turns = t / m->period, angle = two_pi * (turns - floor(turns));
    double with_cosine = weight * cos(angle), with_sine = weight * sin(angle);
    for (int i = 0; i < m->n; i++) {
        m->cosine[i] += with_cosine * m->scratch_q[i];
        m->sine[i] += with_sine * m->scratch_q[i];
    }
}

void slip_maxima_steady_step(slip_maxima *m, const slip_step *step)
{
    double middle = 0.5 * (step->t0 + step->t1), half = 0.5 * (step->t1 - step->t0);
    /* The first row of scratch_force is the search's own. */
    for (int k = 0; k <= gauss_count + 1; k++) {
        bool inside = k > 0 && k <= gauss_count;
        double t = inside ? middle + half * gauss_node[k - 1] : k == 0 ? step->t0 : step->t1;
        slip_sample sample = {.q = m->scratch_q, .force = m->scratch_force + (k + 1) * m->contact_count};
        step->sample(step->self, t, &sample);
        if (inside)
            add_fundamental(m, t, half * gauss_weight[k - 1]);
    }
    for (int c = 0; c < m->contact_count; c++)
        force_step(m, step, c);
    m->covered += step->t1 - step->t0;
}

void slip_maxima_fundamental(const slip_maxima *m, int i, double *amplitude, double *lag)
{
    /* A sin(wt - lag) = A cos(lag) sin(wt) - A sin(lag) cos(wt). */
    double in_phase = 2 * m->sine[i] / m->covered, behind = -2 * m->cosine[i] / m->covered;
    *amplitude = hypot(in_phase, behind);
    *lag = atan2(behind, in_phase);
    if (*lag < 0)
        *lag += two_pi;
    if (*lag >= two_pi)
        *lag = 0;
}
