/* Extrema inside steps.
 *
 * Over a step of length h a function f is known at both ends with its derivative d. The parabola through d0
 * and d1 whose integral is f1 - f0 (the derivative of the cubic Hermite interpolant of f) is
 *
 *     d(s) = d0 + (d1 - d0) s + 4 c s (1 - s),   c = 3/2 ((f1 - f0)/h - (d0 + d1)/2),   s = (t - t0)/h,
 *
 * and decides without an evaluation whether d can vanish in the step, and how large f and d can be in it. f =
 * q and d = v give |q|; f = v and d = a give |v|, by the zeros of d, and |a|, by the size of d. There are
 * three tests, each sharper and more expensive than the one before:
 *
 * 1. Can there be an extremum inside that is larger than the largest value so far? Wide margins; a few
 *    operations; almost every step ends here.
 * 2. Where is the extremum of the parabola, how large is it, and how large is the error? The error estimate
 * uses data that the parabola does not use: accelerations for q, the change of q for v and a. 3. Then the
 * motion is evaluated there, mostly once or twice: an extremum is flat, so its value is accurate to 1e-10 if
 * its time is accurate to 1e-5. If the step is not resolved well enough for that, it is searched as a whole.
 *
 * The functions are smooth inside a step: methods end a step at every kink. */
#include "result/maxima.h"
#include "math/vector.h"

#include <float.h>
#include <math.h>

/* Points of a search through a whole step. They are denser at its ends, where the infinite slope of a law
 * causes the largest curvature. */
enum { parts = 8 };
static const double place[parts + 1] = {0,   0.038060233744356624, 0.14644660940672624, 0.30865828381745512,
                                        0.5, 0.69134171618254488,  0.85355339059327376, 0.96193976625564338,
                                        1};

bool slip_maxima_create(slip_maxima *maxima, slip_arena *arena, int n, int size)
{
    double *numbers = slip_arena_array(arena, (5 + parts) * (int64_t)size, sizeof *numbers);
    if (!numbers)
        return false;
    *maxima = (slip_maxima){.n = n, .size = size, .searched = n};
    maxima->q = numbers;
    maxima->v = numbers + size;
    maxima->a = numbers + 2 * (ptrdiff_t)size;
    maxima->scratch_q = numbers + 3 * (ptrdiff_t)size;
    maxima->scratch_v = numbers + 4 * (ptrdiff_t)size;
    maxima->scratch_a = numbers + 5 * (ptrdiff_t)size;
    maxima->inside = numbers + 6 * (ptrdiff_t)size;
    for (int i = 0; i < 3 * size; i++)
        numbers[i] = -1;
    return true;
}

/* ---- Search behind the gates. */

typedef enum quantity { COORDINATE, VELOCITY, ACCELERATION, FORCE } quantity;

typedef struct probe {
    slip_maxima *maxima;
    const slip_step *step;
    quantity what;
    int index;
} probe;

static double magnitude(void *user, double t)
{
    const probe *p = user;
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
        p->step->forces(p->step->self, t, m->scratch_q);
        return fabs(m->scratch_q[p->index]);
    }
    return 0;
}

double slip_largest_inside(double (*f_at)(void *user, double t), void *user, double low, double high)
{
    const double golden = 0.3819660112501051, tolerance = 3e-5 * (high - low);
    double best = low + golden * (high - low), second = best, third = best;
    double f_best = f_at(user, best), f_second = f_best, f_third = f_best;
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
        f = f_at(user, t);
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

/* The largest of the values is f[0] at an end: whether f falls from there on, so that there is no larger one
 * next to it. The values at the end and at the next three places x give the slope there by a parabola and by
 * a cubic; both must be steep enough, and agree well enough, to leave no doubt. */
static bool falls_from_end(const double f[4])
{
    const double x1 = place[1], x2 = place[2], x3 = place[3];
    const double d1 = (f[1] - f[0]) / x1, d2 = (f[2] - f[1]) / (x2 - x1), d3 = (f[3] - f[2]) / (x3 - x2);
    const double c1 = (d2 - d1) / x2, c2 = (d3 - d2) / (x3 - x1);
    const double parabola = d1 - c1 * x1, cubic = parabola + (c2 - c1) / x3 * x1 * x2;
    return d1 < 0 && parabola < 0.5 * d1 && cubic < 0.5 * parabola && cubic > 2 * parabola;
}

/* Accelerations of all at all places: each is one evaluation of the equation. */
static void look_inside(slip_maxima *m, const slip_step *step)
{
    if (m->looked)
        return;
    for (int k = 1; k < parts; k++) {
        slip_sample sample = {.a = m->inside + (ptrdiff_t)(k - 1) * m->size};
        step->sample(step->self, step->t0 + place[k] * (step->t1 - step->t0), &sample);
    }
    m->looked = true;
}

/* The largest value inside the step, where it is larger than `largest`. */
static double peak(probe *p, double f0, double f1, double largest)
{
    const double t0 = p->step->t0, h = p->step->t1 - t0;
    double f[parts + 1], found, reach;
    int best = 0, left, right;
    f[0] = f0;
    f[parts] = f1;
    if (p->what == ACCELERATION)
        look_inside(p->maxima, p->step);
    for (int k = 1; k < parts; k++)
        f[k] = p->what == ACCELERATION ? fabs(p->maxima->inside[(k - 1) * p->maxima->size + p->index])
                                       : magnitude(p, t0 + place[k] * h);
    for (int k = 1; k <= parts; k++)
        if (f[k] > f[best])
            best = k;
    const double from_end[4] = {f[parts], f[parts - 1], f[parts - 2], f[parts - 3]};
    if ((best == 0 && falls_from_end(f)) || (best == parts && falls_from_end(from_end)))
        return f[best];
    left = best > 0 ? best - 1 : 0;
    right = best < parts ? best + 1 : parts;
    reach = slip_larger(f[best] - f[left], f[best] - f[right]);
    if (f[best] + reach <= largest)
        return f[best];
    found = slip_largest_inside(magnitude, p, t0 + place[left] * h, t0 + place[right] * h);
    return slip_larger(found, f[best]);
}

static void search_all(slip_maxima *maxima, const slip_step *step, quantity what, int i, double f0, double f1,
                       double *largest)
{
    probe p = {maxima, step, what, i};
    *largest = slip_larger(*largest, peak(&p, fabs(f0), fabs(f1), *largest));
}

/* ---- The parabola. */

typedef struct parabola {
    double h, f0, f1, d0, d1;
    double c;     /* as above */
    double noise; /* its rounding error; without it a body at rest would pass the first test at every step */
} parabola;

static inline parabola parabola_of(double h, double inverse_h, double f0, double f1, double d0, double d1)
{
    parabola p = {h,
                  f0,
                  f1,
                  d0,
                  d1,
                  1.5 * ((f1 - f0) * inverse_h - 0.5 * (d0 + d1)),
                  8 * DBL_EPSILON * ((fabs(f0) + fabs(f1)) * inverse_h + fabs(d0) + fabs(d1))};
    return p;
}

static inline double bend(const parabola *p)
{
    double c = fabs(p->c);
    return c > p->noise ? c - p->noise : 0;
}

/* For ends of the same sign: whether the vertex of the parabola, with half of c as margin, can reach zero. */
static inline bool may_dip(const parabola *p)
{
    double rise = p->d1 - p->d0, vertex = 0.5 * (p->d0 + p->d1) + p->c + rise * rise / (16 * p->c);
    return p->c * p->d0 <= 0 && fabs(rise) < 6 * fabs(p->c) && copysign(1, p->d0) * vertex < 0.5 * fabs(p->c);
}

/* First sieve for |f|: d must be able to vanish, and the reach of d must suffice. */
static inline bool may_turn(const parabola *p, double largest)
{
    double size0 = fabs(p->d0), size1 = fabs(p->d1), c = bend(p);
    if (slip_larger(fabs(p->f0), fabs(p->f1)) + 0.5 * p->h * (size0 + size1 + 4 * c) <= largest)
        return false;
    return p->d0 * p->d1 < 0 || ((size0 < size1 ? size0 : size1) < 2 * c && may_dip(p));
}

/* First sieve for |d|: the vertex is inside when |d1 - d0| < 4 |c|, and exceeds the ends by at most |c|. The
 * margin is three times that. */
static inline bool may_bulge(const parabola *p, double largest)
{
    double c = bend(p);
    return slip_larger(fabs(p->d0), fabs(p->d1)) + 3 * c > largest && fabs(p->d1 - p->d0) < 12 * c;
}

/* ---- Second and third sieve for |q| and |v|: the zero of d. */

/* The zero of the parabola in (0, 1), where d0 and d1 have opposite signs. */
static double zero_of(const parabola *p)
{
    double two = -4 * p->c, one = p->d1 - p->d0 + 4 * p->c, root = one * one - 4 * two * p->d0;
    double sum = -0.5 * (one + copysign(sqrt(root > 0 ? root : 0), one));
    double s = sum != 0 ? p->d0 / sum : 0.5;
    if (!(s > 0 && s < 1) && two != 0)
        s = sum / two;
    return s > 0 && s < 1 ? s : p->d0 / (p->d0 - p->d1);
}

static double value_at(const parabola *p, double s)
{
    return p->f0 + p->h * s * (p->d0 + 0.5 * (p->d1 - p->d0) * s + p->c * s * (2 - 4.0 / 3 * s));
}

static void value_and_slope(const probe *p, double t, double *f, double *d)
{
    const slip_maxima *m = p->maxima;
    if (p->what == COORDINATE || p->what == FORCE) {
        if (p->what == FORCE)
            p->step->forces(p->step->self, t, m->scratch_q);
        else
            p->step->state(p->step->self, t, m->scratch_q, m->scratch_v);
        *f = m->scratch_q[p->index];
        *d = m->scratch_v[p->index];
    } else {
        slip_sample sample = {.v = m->scratch_v, .a = m->scratch_a};
        p->step->sample(p->step->self, t, &sample);
        *f = m->scratch_v[p->index];
        *d = m->scratch_a[p->index];
    }
}

/* Of a velocity in closed form. */
static bool reaches_peak(const probe *look, double t, double *largest)
{
    const slip_step *step = look->step;
    double time, value;
    if (!step->peak(step->self, look->index, t, &time, &value) || time < step->t0 || time > step->t1)
        return false;
    *largest = slip_larger(*largest, fabs(value));
    return true;
}

/* Third test for |f|. The error of the parabola's value is at most `error` plus `share` of the value. */
static void search_turn(probe *look, const parabola *p, double error, double share, double *largest)
{
    double low = 0, high = 1, d_low = p->d0, d_high = p->d1, s;
    if (!(p->d0 * p->d1 < 0)) {
        search_all(look->maxima, look->step, look->what, look->index, p->f0, p->f1, largest);
        return;
    }
    s = zero_of(p);
    if ((1 + share) * fabs(value_at(p, s)) + error <= *largest)
        return;
    if (look->what == VELOCITY && look->step->peak && reaches_peak(look, look->step->t0 + s * p->h, largest))
        return;
    for (int k = 0; k < 20; k++) {
        double f, d, slope, gain;
        value_and_slope(look, look->step->t0 + s * p->h, &f, &d);
        *largest = slip_larger(*largest, fabs(f));
        if (d * p->d0 > 0)
            low = s, d_low = d;
        else
            high = s, d_high = d;
        slope = (d_high - d_low) / ((high - low) * p->h);
        /* The distance to the maximum of the osculating parabola. */
        gain = slope != 0 ? 0.5 * d * d / fabs(slope) : 0;
        if (gain <= 1e-10 * fabs(f)) {
            if (f * p->d0 > 0)
                *largest = slip_larger(*largest, fabs(f) + gain);
            return;
        }
        s = low + (high - low) * d_low / (d_low - d_high);
        /* Avoids slow progress from one end of the bracket. */
        if (k % 4 == 3)
            s = 0.5 * (low + high);
    }
}

/* Ends of the same sign, or zero: whether the accelerations at the ends exclude a dip between them. The
 * velocity of degree 4 that has them, and the right integral, has these Bernstein coefficients; when none of
 * them is on the other side it does not dip. (By 1e-8 does not matter: the dip, and what it adds to |q|, go
 * with the square of that.) The neglected term has the form s^2 (1-s)^2 (1-2s), which is bounded by the
 * middle coefficient. This test is needed for a body that leaves stick, which starts with v = a = 0 at a
 * maximum. */
static bool rises_throughout(const parabola *p, double a0, double a1)
{
    double sign = p->d0 + p->d1 < 0 ? -1 : 1, size = slip_larger(fabs(p->d0), fabs(p->d1));
    double first = sign * (p->d0 + 0.25 * p->h * a0);
    double last = sign * (p->d1 - 0.25 * p->h * a1);
    double middle = sign * (5 * (p->f1 - p->f0) / p->h - p->d0 - p->d1) - first - last;
    return first >= -1e-8 * size && last >= -1e-8 * size && middle > 0.05 * size;
}

static void coordinate_turn(probe *look, const parabola *p, double a0, double a1)
{
    if (!(p->d0 * p->d1 < 0) && rises_throughout(p, a0, a1))
        return;
    /* The cubic's second derivatives at the ends are not the accelerations; a quartic term that explains the
     * difference m contributes m/32 at most. Twice that. */
    double missed0 = p->h * p->h * a0 - p->h * (p->d1 - p->d0 + 4 * p->c);
    double missed1 = p->h * p->h * a1 - p->h * (p->d1 - p->d0 - 4 * p->c);
    search_turn(look, p, (fabs(missed0) + fabs(missed1)) / 16, 0, &look->maxima->q[look->index]);
}

static void velocity_turn(slip_maxima *m, const slip_step *step, int i, const parabola *p)
{
    /* The integral of the cubic is not the change of q; k s^2 (1-s)^2 explains it, at most k/16. Twice that.
     * A term of degree 5 has no integral: of a sine, over the 2 radians that closed forms take at once, it is
     * 0.0024 of its amplitude. */
    double q0 = step->q0[i], q1 = step->q1[i];
    double mean = 0.5 * (p->f0 + p->f1) + p->h * (p->d0 - p->d1) / 12;
    double k = 30 * (fabs((q1 - q0) / p->h - mean) + 4 * DBL_EPSILON * (fabs(q0) + fabs(q1)) / p->h);
    probe look = {m, step, VELOCITY, i};
    search_turn(&look, p, k / 8, 0.01, &m->v[i]);
}

/* ---- Second and third sieve for |a|: the vertex of d, with more terms than the parabola has,
 *
 *     d0 + (d1 - d0) s + s (1-s) (4 c + cubic (1-2s) + quartic (1-5s+5s^2)).
 *
 * The factors are orthogonal with weight s (1-s), so that `cubic` follows from the change of q alone, and
 * `quartic` from one value inside without disturbing the others. */

typedef struct bulge {
    const parabola *p;
    double cubic, quartic;
} bulge;

static double quartic_factor(double s)
{
    return s * (1 - s) * (1 - 5 * s * (1 - s));
}

static double bulge_at(const bulge *b, double s)
{
    const parabola *p = b->p;
    return p->d0 + (p->d1 - p->d0) * s + s * (1 - s) * (4 * p->c + b->cubic * (1 - 2 * s)) +
           b->quartic * quartic_factor(s);
}

/* Newton's method for the zero of the derivative. */
static double vertex_of(const bulge *b, double s)
{
    const parabola *p = b->p;
    for (int k = 0; k < 3; k++) {
        double slope = p->d1 - p->d0 + 4 * p->c * (1 - 2 * s) + b->cubic * (1 - 6 * s * (1 - s)) +
                       b->quartic * (1 - s * (12 - s * (30 - 20 * s)));
        double curve = -8 * p->c + b->cubic * (12 * s - 6) - b->quartic * (12 - 60 * s * (1 - s));
        s -= curve != 0 ? slope / curve : 0;
    }
    return s;
}

/* Evaluates the motion at s. Returns whether the value is the maximum to 1e-10: an error e of the model moves
 * the vertex by about e/c, which changes the value by about e^2/c. At the ends the model is exact but its
 * slope is not, so the error has a larger effect there. */
static bool look_at(probe *look, const bulge *b, double s, double *found, double *wrong)
{
    double error;
    *found = magnitude(look, look->step->t0 + s * b->p->h);
    *wrong = *found - fabs(bulge_at(b, s));
    error = *wrong / (4 * s * (1 - s));
    return 10 * error * error < 3e-10 * *found * fabs(b->p->c);
}

static void search_bulge(probe *look, bulge *b, double s, double *largest)
{
    double start = look->step->t0, h = b->p->h, sign = copysign(1, bulge_at(b, s)), found, wrong;
    /* At a zero of the quartic term its coefficient has to be determined from a neighbouring point. */
    bool blind = fabs(1 - 5 * s * (1 - s)) < 0.15, good;
    double at = !blind ? s : s < 0.5 ? s + 0.12 : s - 0.12;
    good = look_at(look, b, at, &found, &wrong) && !blind;
    *largest = slip_larger(*largest, found);
    if (!good && at > 0.05 && at < 0.95) {
        b->quartic = sign * wrong / quartic_factor(at);
        s = vertex_of(b, s);
        if (s > 0 && s < 1) {
            good = look_at(look, b, s, &found, &wrong);
            *largest = slip_larger(*largest, found);
        }
    }
    if (!good) {
        double low = slip_larger(s - 0.25, 0), high = s + 0.25 < 1 ? s + 0.25 : 1;
        *largest =
            slip_larger(*largest, slip_largest_inside(magnitude, look, start + low * h, start + high * h));
    }
}

static void acceleration_bulge(slip_maxima *m, const slip_step *step, int i, const parabola *p)
{
    double q0 = step->q0[i], q1 = step->q1[i], h = p->h, size = slip_larger(fabs(p->d0), fabs(p->d1));
    double moment = (q1 - q0 - h * p->f0) / (h * h);
    double noise = 240 * DBL_EPSILON * (fabs(q0) + fabs(q1)) / (h * h) + 20 * p->noise;
    double guess = p->c * p->c / (3 * size + fabs(p->c)); /* of the next terms, as a harmonic has them */
    bulge b = {.p = p, .cubic = 60 * (moment - p->d0 / 3 - p->d1 / 6 - p->c / 3)};
    probe look = {m, step, ACCELERATION, i};
    double s;
    if (noise > fabs(b.cubic))
        b.cubic = 0;
    /* Not resolved: a steep law, a long step, or only rounding errors. */
    if (fabs(b.cubic) > 0.4 * fabs(p->c) || fabs(p->c) > 0.06 * size || noise > 0.1 * fabs(p->c)) {
        /* the exact values at the ends have been counted already */
        search_all(m, step, ACCELERATION, i, fmin(fabs(p->d0), m->a[i]), fmin(fabs(p->d1), m->a[i]),
                   &m->a[i]);
        return;
    }
    s = vertex_of(&b, 0.5 + (p->d1 - p->d0) / (8 * p->c));
    if (s < -0.1 || s > 1.1)
        return;
    /* Just outside: the true one may be just inside. */
    s = s < 0 ? 0.01 : s > 1 ? 0.99 : s;
    if (fabs(bulge_at(&b, s)) + 0.02 * fabs(b.cubic) + noise + guess > m->a[i])
        search_bulge(&look, &b, s, &m->a[i]);
}

static __attribute__((noinline)) void sift(slip_maxima *m, const slip_step *step, int i)
{
    double h = step->t1 - step->t0, inverse_h = 1 / h;
    double q0 = step->q0[i], q1 = step->q1[i], v0 = step->v0[i], v1 = step->v1[i];
    parabola of_q = parabola_of(h, inverse_h, q0, q1, v0, v1);
    parabola of_v = parabola_of(h, inverse_h, v0, v1, step->a0[i], step->a1[i]);
    probe look = {m, step, COORDINATE, i};
    if (may_turn(&of_q, m->q[i]))
        coordinate_turn(&look, &of_q, step->a0[i], step->a1[i]);
    if (step->a0 == step->a1)
        return;
    if (may_turn(&of_v, m->v[i]))
        velocity_turn(m, step, i, &of_v);
    if (may_bulge(&of_v, m->a[i]))
        acceleration_bulge(m, step, i, &of_v);
}

/* Accelerations extrapolated from the method's history do not count. One that may be the largest so far is
 * replaced by that of the equation of motion. */
static void settle_ends(slip_maxima *m, const slip_step *step)
{
    const double margin = 1e-3;
    bool exact = !step->rough1;
    for (int i = 0; i < m->n && !exact; i++)
        if ((1 + margin) * fabs(step->a1[i]) > m->a[i]) {
            slip_sample sample = {.a = m->scratch_a};
            step->sample(step->self, step->t1, &sample);
            exact = true;
        }
    for (int i = 0; i < m->n; i++) {
        if (!step->rough0)
            m->a[i] = slip_larger(m->a[i], fabs(step->a0[i]));
        if (exact)
            m->a[i] = slip_larger(m->a[i], fabs(step->a1[i]));
    }
}

/* A step over which v changes evenly, with one a: h (v + 2 |c|) of q is less than what is asked here. */
static inline void even_step(slip_maxima *m, const slip_step *step)
{
    const double h = step->t1 - step->t0;
    for (int i = 0; i < m->n; i++) {
        const double q0 = step->q0[i], q1 = step->q1[i], q = slip_larger(fabs(q0), fabs(q1)),
                     v = slip_larger(fabs(step->v0[i]), fabs(step->v1[i])), largest = slip_larger(m->q[i], q);
        m->q[i] = largest;
        m->v[i] = slip_larger(m->v[i], v);
        m->a[i] = slip_larger(m->a[i], fabs(step->a0[i]));
        if (q + 3 * fabs(q1 - q0) + 4 * h * v > largest && h > 0)
            sift(m, step, i);
    }
}

static __attribute__((noinline)) void any_step(slip_maxima *m, const slip_step *step)
{
    const double h = step->t1 - step->t0, inverse_h = 1 / h;
    const bool rough = step->rough0 || step->rough1;
    if (rough)
        settle_ends(m, step);
    for (int i = 0; i < m->n; i++) {
        double q0 = step->q0[i], q1 = step->q1[i], v0 = step->v0[i], v1 = step->v1[i];
        double a0 = step->a0[i], a1 = step->a1[i], q = slip_larger(fabs(q0), fabs(q1));
        double v = slip_larger(fabs(v0), fabs(v1)), a = slip_larger(fabs(a0), fabs(a1));
        m->q[i] = slip_larger(m->q[i], q);
        m->v[i] = slip_larger(m->v[i], v);
        if (!rough)
            m->a[i] = slip_larger(m->a[i], a);
        if (!(h > 0) || i >= m->searched || (v == 0 && a == 0 && q0 == q1)) /* it is held */
            continue;
        /* The size condition of the first test, without its margin for rounding: |c| of both parabolas. */
        double c_q = fabs(1.5 * ((q1 - q0) * inverse_h - 0.5 * (v0 + v1)));
        double c_v = fabs(1.5 * ((v1 - v0) * inverse_h - 0.5 * (a0 + a1)));
        if (q + h * (v + 2 * c_q) > m->q[i] || v + h * (a + 2 * c_v) > m->v[i] || a + 3 * c_v > m->a[i])
            sift(m, step, i);
    }
}

void slip_maxima_step(slip_maxima *m, const slip_step *step)
{
    m->looked = false;
    if (step->a0 == step->a1)
        even_step(m, step);
    else
        any_step(m, step);
}

void slip_maxima_forces(slip_maxima *m, const slip_step *step)
{
    const double *c0 = step->forces0, *c1 = step->forces1;
    const double h = step->t1 - step->t0, inverse_h = 1 / h;
    const int n = m->n;
    for (int i = 0; i < n; i++) {
        const double f0 = c0[i], f1 = c1[i], d0 = c0[n + i], d1 = c1[n + i],
                     f = slip_larger(fabs(f0), fabs(f1));
        m->q[i] = slip_larger(m->q[i], f);
        if ((f0 == f1 && d0 == 0 && d1 == 0) || !(h > 0))
            continue;
        /* The size condition of the first test, without its margin for rounding. */
        const double c = fabs(1.5 * ((f1 - f0) * inverse_h - 0.5 * (d0 + d1)));
        if (f + 0.5 * h * (fabs(d0) + fabs(d1) + 4 * c) <= m->q[i])
            continue;
        parabola p = parabola_of(h, inverse_h, f0, f1, d0, d1);
        probe look = {m, step, FORCE, i};
        if (may_turn(&p, m->q[i]))
            coordinate_turn(&look, &p, c0[2 * n + i], c1[2 * n + i]);
    }
}
