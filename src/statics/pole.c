/* Poles: parameter values at which a piece goes to infinity.
 *
 * For fixed modes the solution is a ratio of functions of the parameter, with the determinant as denominator.
 * It goes to infinity where the determinant is zero and the numerator is not: some of its numbers grow like f
 * = c (P - p)^-k. Then g = |f|^(-1/k) is a smooth function of p that is zero at P, and so is p of g. Problems
 * sampled ever closer to P give pairs (g, p); the polynomial through them at g = 0 is P (Neville). Each
 * sample is solved directly, so the accuracy of P is not limited by the series or by interpolated data, and
 * poles of a load or of a stiffness are found as well. */
#include "statics/walker.h"

#include <math.h>
#include <string.h>

enum { samples_max = 14, neville_max = 6 };

static const double order_of[] = {1, 2, 3, 4, 5, 6, 0.5, 1.5, 2.5};
enum { orders = sizeof order_of / sizeof order_of[0] };

typedef struct pole {
    slip_static_walker *w;
    int component; /* of lambda, then of d */
    double order, sign;
    int count;
    double g[samples_max], p[samples_max];
} pole;

/* The state of the piece's modes at p, without its series, into trial_lambda and trial_d, and the problem
 * there into `now`; *there is false where there is none. */
static int solve_at(slip_static_walker *w, double p, bool *there)
{
    int status = slip_static_family_at(w->ctx, w->family, p, &w->now);
    *there = false;
    if (status == SLIP_ERROR_MODEL) { /* so close that numbers of the model are infinite */
        slip_context_clear(w->ctx);
        return SLIP_OK;
    }
    SLIP_PASS(status);
    const slip_static_problem problem = {*w->shape, w->now};
    *there = slip_static_active_factor(&w->trial.active, w->now.compliance, w->now.friction,
                                       w->piece.active.modes);
    if (*there)
        slip_static_state(&problem, &w->trial.active, w->trial_lambda, w->trial_d, w->numbers);
    return SLIP_OK;
}

/* Fits three numbers at equidistant parameters by a power of the distance to a pole. Returns the error;
 * *order: the power. */
static double fit_power(const double f[3], double *order)
{
    double best = INFINITY;
    if (!(fabs(f[0]) > 1.05 * fabs(f[1]) && fabs(f[1]) > 1.02 * fabs(f[2]) && f[0] * f[1] > 0 &&
          f[1] * f[2] > 0))
        return INFINITY;
    for (int k = 0; k < orders; k++) {
        const double power = -1 / order_of[k];
        const double g[3] = {1, pow(f[1] / f[0], power), pow(f[2] / f[0], power)};
        const double defect = fabs(g[2] - 2 * g[1] + g[0]) / (g[2] - g[0]);
        if (defect < best) {
            best = defect;
            *order = order_of[k];
        }
    }
    return best;
}

/* The component that follows a power best, of the states at p, one step back and two. */
static bool choose_component(pole *of, const double *states[3])
{
    const slip_static_shape *shape = of->w->shape;
    const int n = shape->direction_count, inner = slip_static_contact_directions(shape);
    double largest[4] = {0}, best = 0.03;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 2 * n; i++) {
            const int group = (i % n < inner ? 0 : 1) + (i < n ? 0 : 2);
            const double f[3] = {states[0][i], states[1][i], states[2][i]};
            double order = 0;
            if (pass == 0) {
                largest[group] = fmax(largest[group], fabs(f[0]));
                continue;
            }
            const double defect = fabs(f[0]) > 1e-6 * largest[group] ? fit_power(f, &order) : INFINITY;
            if (defect < best) {
                best = defect;
                of->component = i;
                of->order = order;
                of->sign = f[0] > 0 ? 1 : -1;
            }
        }
    return best < 0.03;
}

static void add_sample(pole *of, double p, double f)
{
    of->g[of->count] = pow(of->sign * f, -1 / of->order);
    of->p[of->count++] = p;
}

/* p at g = 0 of the polynomial through the last samples. */
static double extrapolate(const pole *of)
{
    const int used = of->count < neville_max ? of->count : neville_max, first = of->count - used;
    double p[neville_max];
    memcpy(p, of->p + first, sizeof(double) * (size_t)used);
    for (int level = 1; level < used; level++)
        for (int i = 0; i + level < used; i++) {
            const double a = of->g[first + i], b = of->g[first + i + level];
            p[i] = (a * p[i + 1] - b * p[i]) / (a - b);
        }
    return p[0];
}

/* Takes samples closer and closer to the pole, until its value converges. */
static int refine(pole *of, bool *found, double *value)
{
    slip_static_walker *w = of->w;
    const int n = w->shape->direction_count;
    const double range = w->options.high - w->options.low;
    double root = extrapolate(of), change = INFINITY;
    *found = false;
    while (of->count < samples_max) {
        const double last = of->p[of->count - 1], next = root - 0.15 * (root - last);
        bool there;
        if (!(w->direction * (root - last) > 0) || next == last || next == root)
            break;
        SLIP_PASS(solve_at(w, next, &there));
        const double f =
            there ? (of->component < n ? w->trial_lambda[of->component] : w->trial_d[of->component - n]) : 0;
        if (!(of->sign * f > 0))
            break;
        add_sample(of, next, f);
        if (!(of->g[of->count - 1] < of->g[of->count - 2]))
            break;
        const double now = extrapolate(of), moved = fabs(now - root);
        if (moved > 0.5 * change && change <= 1e-9 * range) /* rounding takes over */
            break;
        root = now;
        change = moved;
        if (change <= 2e-16 * fmax(range, fabs(root)))
            break;
    }
    *found = change <= 1e-9 * range;
    *value = root;
    return SLIP_OK;
}

/* Points on the last bit of the way, ever closer. */
enum { points = 8 };
static double point_towards(double start, double value, int k)
{
    static const double distance[points] = {0.7, 0.4, 0.2, 0.1, 0.03, 1e-2, 1e-3, 1e-4};
    return value - distance[k] * (value - start);
}

/* Whether the margins stay non-negative up to the pole, at the samples. */
static int check_margins(slip_static_walker *w, double value, bool *holds)
{
    for (int k = 0; k < points && *holds; k++) {
        bool there;
        SLIP_PASS(solve_at(w, point_towards(w->p, value, k), &there));
        const slip_static_problem problem = {*w->shape, w->now};
        *holds = !there || slip_static_holds(&problem, w->piece.active.modes, w->trial_lambda, w->trial_d,
                                             slip_static_rounding);
    }
    return SLIP_OK;
}

int slip_static_walker_pole(slip_static_walker *w, double step, bool *found, double *value)
{
    const int n = w->shape->direction_count;
    const double range = w->options.high - w->options.low, edge = 1e-10 * range;
    double *states[3] = {w->pole, w->pole + 2 * n, w->pole + 4 * n};
    pole of = {.w = w};
    *found = false;
    for (int k = 0; k < 3; k++)
        slip_static_series_at(&w->piece.series, n,
                              (w->p - 0.5 * k * w->direction * step - w->centre.centre) / w->centre.unit,
                              states[k], states[k] + n);
    if (!choose_component(&of, (const double *[3]){states[0], states[1], states[2]}))
        return SLIP_OK;
    for (int k = 2; k >= 0; k--)
        add_sample(&of, w->p - 0.5 * k * w->direction * step, states[k][of.component]);
    SLIP_PASS(refine(&of, found, value));
    *found = *found && *value >= w->options.low - edge && *value <= w->options.high + edge;
    if (*found)
        SLIP_PASS(check_margins(w, *value, found));
    return slip_static_family_at(w->ctx, w->family, w->p, &w->now);
}

/* ---- Ending there. */

/* A point of the piece that is solved on its own. */
static int record_single(slip_static_walker *w, double p, bool target)
{
    const size_t size = sizeof(double) * (size_t)w->shape->direction_count;
    bool there;
    SLIP_PASS(solve_at(w, p, &there));
    if (!there)
        return SLIP_OK;
    w->p = p;
    memcpy(w->lambda, w->trial_lambda, size);
    memcpy(w->d, w->trial_d, size);
    return slip_static_walker_tell_point(w, target);
}

/* The path ends where it goes to infinity: some points on the way, and those that are asked for; the label
 * has the value of the pole, and no state. */
int slip_static_walker_end_at_pole(slip_static_walker *w, double value)
{
    const double start = w->p;
    int status = SLIP_OK, target = w->direction > 0 ? 0 : w->options.target_count - 1;
    for (int k = 0; k < points && status == SLIP_OK; k++) {
        const double next = point_towards(start, value, k);
        for (; target >= 0 && target < w->options.target_count && status == SLIP_OK &&
               w->direction * (w->options.targets[target] - next) <= 0;
             target += w->direction)
            if (w->direction * (w->options.targets[target] - w->p) > 0)
                status = record_single(w, w->options.targets[target], true);
        if (status == SLIP_OK)
            status = record_single(w, next, false);
    }
    if (status != SLIP_OK)
        return status;
    w->p = fmin(fmax(value, w->options.low), w->options.high);
    slip_static_walker_extend(w);
    w->at_pole = true;
    status = slip_static_walker_tell_label(w, SLIP_LABEL_EP, 0, "goes to infinity here: a pole");
    w->at_pole = false;
    return status;
}
