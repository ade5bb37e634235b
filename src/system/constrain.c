/* Forces of constraints: contacts that stick, and unilateral contacts that stay closed.
 *
 * For given contact modes every constrained direction d has a known acceleration: r_d . a + drift_d = 0. The
 * forces act along columns c_d; the column of the normal force of a slipping contact includes its friction, c
 * = W_n + k W_t with k = -law(w). The forces lambda follow from
 *
 *     (R M^-1 C) lambda = -(R a_free + drift),   a = a_free + M^-1 C lambda. */
#include "math/vector.h"
#include "system/detector.h"
#include "system/share.h"

#include "math/dense.h"
#include "system/friction/friction.h"

#include <math.h>
#include <string.h>

static double second_rate(const slip_harmonic *term, double t)
{
    const double w = term->frequency, c = cos(w * t), s = sin(w * t), p = term->power;
    const double f = term->cosine * c + term->sine * s, f1 = w * (term->sine * c - term->cosine * s);
    double sum = -w * w * f * pow(t, p);
    if (term->power >= 1)
        sum += 2 * p * pow(t, p - 1) * f1;
    if (term->power >= 2)
        sum += p * (p - 1) * pow(t, p - 2) * f;
    return sum;
}

static double rest_rate(const slip_system *system, slip_workspace *work, const slip_gap_form *gap, double t)
{
    if (!gap->rest)
        return 0;
    work->slots[0] = t;
    slip_expression_gradient(gap->rest, work->slots, 1 + 2 * system->n, work->gradient, work->scratch);
    return work->gradient[0];
}

/* Fills the slots with t and q, for a nonlinear gap. */
static void put(const slip_system *system, slip_workspace *work, double t, const double *q)
{
    work->slots[slip_slot_time()] = t;
    memcpy(work->slots + slip_slot_coordinate(0), q, (size_t)system->n * sizeof(double));
}

/* Functions for nonlinear gaps are not inlined: the functions below run in inner loops. */
#define SLIP_APART static __attribute__((noinline))

SLIP_APART double varying_gap(const slip_system *system, slip_workspace *work, const slip_gap_form *gap,
                              double t, const double *q)
{
    put(system, work, t, q);
    return slip_expression_value(gap->rest, work->slots, work->scratch);
}

double slip_system_gap(const slip_system *system, slip_workspace *work, int c, double t, const double *q)
{
    const slip_gap_form *gap = slip_contact_gap(system, work, c);
    if (!gap->row)
        return varying_gap(system, work, gap, t, q);
    double value = gap->constant + slip_dot(system->n, gap->row, q) + slip_tail_dot(&gap->tail, system->n, q);
    if (gap->rest) {
        work->slots[0] = t;
        value += slip_expression_value(gap->rest, work->slots, work->scratch);
    }
    return value;
}

/* Derivatives of a gap that is not linear with respect to t and q. */
static const double *gap_gradient(const slip_system *system, slip_workspace *work, const slip_gap_form *gap,
                                  double t, const double *q)
{
    put(system, work, t, q);
    slip_expression_gradient(gap->rest, work->slots, 1 + system->n, work->gradient, work->scratch);
    return work->gradient;
}

const double *slip_system_find_gap_row(const slip_system *system, slip_workspace *work, int c, double t,
                                       const double *q)
{
    if (system->contacts[c].found)
        return slip_contact_gap(system, work, c)->row;
    const double *gradient = gap_gradient(system, work, &system->contacts[c].gap, t, q);
    return memcpy(work->gap_rows + (int64_t)c * system->n, gradient + slip_slot_coordinate(0),
                  (size_t)system->n * sizeof(double));
}

SLIP_APART double varying_rate(const slip_system *system, slip_workspace *work, const slip_gap_form *gap,
                               double t, const double *q, const double *v)
{
    const double *gradient = gap_gradient(system, work, gap, t, q);
    return gradient[slip_slot_time()] + slip_dot(system->n, gradient + slip_slot_coordinate(0), v);
}

double slip_system_gap_rate(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                            const double *v)
{
    const slip_gap_form *gap = slip_contact_gap(system, work, c);
    if (!gap->row)
        return varying_rate(system, work, gap, t, q, v);
    return slip_dot(system->n, gap->row, v) + slip_tail_dot(&gap->tail, system->n, v) +
           rest_rate(system, work, gap, t);
}

/* The gradient of a gap g, and H (1, v) with its second derivatives H, with respect to t and q; in
 * work->gradient, one behind the other. */
static const double *curve_gradients(const slip_system *system, slip_workspace *work,
                                     const slip_gap_form *gap, double t, const double *q, const double *v)
{
    const int n = system->n;
    double *gradient = work->gradient;
    put(system, work, t, q);
    work->along[slip_slot_time()] = 1;
    memcpy(work->along + slip_slot_coordinate(0), v, (size_t)n * sizeof(double));
    slip_expression_second(gap->rest, work->slots, 1 + n, work->along, gradient, gradient + 1 + 2 * n,
                           work->scratch);
    return gradient;
}

/* g'' = g_q . a + (1, v) . H (1, v). */
SLIP_APART double varying_curve(const slip_system *system, slip_workspace *work, const slip_gap_form *gap,
                                double t, const double *q, const double *v, const double *a)
{
    const int n = system->n;
    const double *gradient = curve_gradients(system, work, gap, t, q, v);
    return slip_dot(n, gradient + slip_slot_coordinate(0), a) +
           slip_dot(1 + n, work->along, gradient + 1 + 2 * n);
}

void slip_system_gap_rate_gradient(const slip_system *system, slip_workspace *work, int c, double t,
                                   const double *q, const double *v, double *gradient)
{
    const slip_gap_form *gap = slip_contact_gap(system, work, c);
    const size_t size = (size_t)system->n * sizeof(double);
    const double *from = gap->row ? NULL : curve_gradients(system, work, gap, t, q, v);
    if (from)
        memcpy(gradient, from + 1 + 2 * system->n + slip_slot_coordinate(0), size);
    else
        memset(gradient, 0, size);
    memcpy(gradient + system->n, from ? from + slip_slot_coordinate(0) : gap->row, size);
}

double slip_system_gap_curve(const slip_system *system, slip_workspace *work, int c, double t,
                             const double *q, const double *v, const double *a)
{
    const slip_gap_form *gap = slip_contact_gap(system, work, c);
    if (!gap->row)
        return varying_curve(system, work, gap, t, q, v, a);
    double value = slip_dot(system->n, gap->row, a);
    if (gap->terms) {
        for (int k = 0; k < gap->term_count; k++)
            value += second_rate(&gap->terms[k], t);
    } else if (gap->rest) {
        work->slots[slip_slot_time()] = t;
        value += slip_expression_curve(gap->rest, work->slots, slip_slot_time(), work->scratch);
    }
    return value;
}

double slip_system_gap_size(const slip_system *system, slip_workspace *work, int c, double t, const double *q)
{
    const slip_gap_form *gap = slip_contact_gap(system, work, c);
    if (!gap->row) {
        put(system, work, t, q);
        return slip_expression_size(gap->rest, work->slots, work->scratch);
    }
    double sum = fabs(gap->constant) + slip_dot_size(system->n, gap->row, q) +
                 slip_tail_size(&gap->tail, system->n, q);
    if (gap->rest) {
        work->slots[0] = t;
        sum += slip_expression_size(gap->rest, work->slots, work->scratch);
    }
    return sum;
}

double slip_system_gap_rate_size(const slip_system *system, slip_workspace *work, int c, double t,
                                 const double *q, const double *v)
{
    const slip_gap_form *gap = slip_contact_gap(system, work, c);
    if (!gap->row) {
        const double *gradient = gap_gradient(system, work, gap, t, q);
        return fabs(gradient[slip_slot_time()]) +
               slip_dot_size(system->n, gradient + slip_slot_coordinate(0), v);
    }
    double sum = slip_dot_size(system->n, gap->row, v) + slip_tail_size(&gap->tail, system->n, v);
    for (int k = 0; k < gap->term_count; k++) {
        const slip_harmonic *term = &gap->terms[k];
        const double size = fabs(term->cosine) + fabs(term->sine), p = term->power;
        sum += size * (term->frequency * pow(fabs(t), p) + (p > 0 ? p * pow(fabs(t), p - 1) : 0));
    }
    return gap->terms ? sum : sum + fabs(rest_rate(system, work, gap, t));
}

/* The change of t^p (a cos wt + b sin wt) from t0 to t, without cancellation. */
static double change_of(const slip_harmonic *term, double t0, double t)
{
    const double w = term->frequency, half = 0.5 * w * (t - t0), middle = 0.5 * w * (t + t0);
    const double swing = 2 * sin(half) * (term->sine * cos(middle) - term->cosine * sin(middle));
    double power = 1, change = 0; /* t0^p, and t^p less that */
    for (int p = 0; p < term->power; p++) {
        change = change * t + power * (t - t0);
        power *= t0;
    }
    return power * swing + change * (term->cosine * cos(w * t) + term->sine * sin(w * t));
}

double slip_system_gap_change(const slip_system *system, slip_workspace *work, int c, double t0, double t)
{
    const slip_gap_form *gap = slip_contact_gap(system, work, c);
    double change = 0;
    if (!gap->row)
        return 0;
    if (gap->terms) {
        for (int k = 0; k < gap->term_count; k++)
            change += change_of(&gap->terms[k], t0, t);
    } else if (gap->rest) {
        work->slots[0] = t;
        change = slip_expression_value(gap->rest, work->slots, work->scratch);
        work->slots[0] = t0;
        change -= slip_expression_value(gap->rest, work->slots, work->scratch);
    }
    return change;
}

void slip_constrain_add(const slip_system *system, slip_workspace *work, int index, const double *row,
                        const double *other, double ratio, double rate, bool constant)
{
    struct slip_kept_direction *kept = &work->kept[index];
    int n = system->n;
    double *column = work->rows + index * n;
    work->multipliers[index] = -rate;
    if (kept->row == row && kept->other == other && kept->ratio == ratio && constant)
        return;
    work->factored = 0;
    kept->row = constant && !system->varying_mass ? row : NULL;
    kept->other = other;
    kept->ratio = ratio;
    for (int j = 0; j < n; j++)
        column[j] = row[j] + (ratio != 0 ? ratio * other[j] : 0);
    slip_system_response(system, work, column, work->responses + index * n);
    memcpy(work->rows + index * n, row, (size_t)n * sizeof(double));
}

static int collect(const slip_system *system, slip_workspace *work, const slip_branch *branches, double t,
                   const double *q, const double *v, const double *a)
{
    int count = 0;
    for (int c = 0; c < (int)system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        const bool closed = slip_contact_closed(contact, branches[c].mode);
        if (closed || branches[c].mode == SLIP_MODE_STICK)
            count = contact->friction->collect(system, work, c, &branches[c], closed, count, t, q, v, a);
    }
    return count;
}

static void give_forces(const slip_system *system, slip_workspace *work, const slip_branch *branches,
                        int count)
{
    for (int k = 0; k < count; k++) {
        double force = work->multipliers[k];
        int c = work->constraints[k], all = (int)system->contact_count;
        if (c >= all) {
            const slip_contact *contact = &system->contacts[c % all];
            double *vector = work->patches[contact->vector].force;
            vector[c / all - 1] = force;
            work->contacts[c % all].force = slip_contact_force_size(contact, vector);
        } else if (c < 0) {
            work->contacts[-1 - c].normal = force;
            if (branches[-1 - c].mode != SLIP_MODE_STICK)
                system->contacts[-1 - c].friction->press(system, work, -1 - c, &branches[-1 - c]);
        } else if (branches[c].chart >= 0) {
            work->contacts[c].hold = force;
            work->contacts[c].force += force;
        } else {
            work->contacts[c].force = force;
        }
    }
}

/* Constraints whose smallest relative pivot exceeds this are treated as independent; below it forces are
 * large with small differences. */
static const double surely_independent = 1e-9;

static void fill_gram(const slip_workspace *work, int n, int first, int count)
{
    for (int i = 0; i < count; i++) {
        const double *row = work->rows + (first + i) * n;
        int low = 0, high = n; /* what is not zero is in between */
        while (low < high && row[low] == 0)
            low++;
        while (high > low && row[high - 1] == 0)
            high--;
        for (int j = 0; j < count; j++)
            work->gram[i * count + j] =
                slip_dot(high - low, row + low, work->responses + (first + j) * n + low);
    }
}

/* Solves by elimination; the factors are reused for the same directions. False where the forces are not
 * unique. */
static bool eliminate(const slip_system *system, slip_workspace *work, int first, int count, double *right)
{
    if (count > system->n)
        return false;
    if (first > 0 || work->factored != count) {
        work->factored = 0;
        fill_gram(work, system->n, first, count);
        if (!slip_dense_factor_above(count, work->gram, work->scales, work->pivots, surely_independent))
            return false;
        work->factored = first > 0 ? 0 : count;
    }
    slip_dense_solve_factored(count, work->gram, work->scales, work->pivots, right);
    return true;
}

/* Solves by elimination or, where forces are not unique, by load sharing for the parts concerned; all other
 * parts are solved by themselves. */
static void solve(const slip_system *system, slip_workspace *work, const slip_branch *branches,
                  slip_branch *found, int count)
{
    double *right = work->multipliers + count;
    int *parts, end;
    if (eliminate(system, work, 0, count, work->multipliers))
        return;
    slip_share_sort(system, work, count, &parts);
    for (int k = 0; k < count; k++)
        work->kept[k].row = NULL; /* they have other places now */
    memcpy(right, work->multipliers, (size_t)count * sizeof(double));
    for (int first = 0; first < count; first = end) {
        for (end = first + 1; end < count && parts[end] == parts[first];)
            end++;
        if (eliminate(system, work, first, end - first, work->multipliers + first))
            continue;
        work->factored = 0;
        fill_gram(work, system->n, first, end - first);
        slip_share_solve(system, work, branches, found, first, end - first, work->gram, right + first,
                         work->multipliers + first);
    }
}

static bool constrain(const slip_system *system, slip_workspace *work, const slip_branch *branches,
                      slip_branch *found, bool wedged, double t, const double *q, const double *v, double *a)
{
    slip_system_place(system, work, t, q);
    int n = system->n, count = collect(system, work, branches, t, q, v, a);
    double zero = 0;
    work->constraint_count = count;
    if (found)
        slip_share_clear(work, found, count, wedged);
    if (count > 0)
        solve(system, work, branches, found, count);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < n; i++)
            a[i] += work->responses[k * n + i] * work->multipliers[k];
    give_forces(system, work, branches, count);
    for (int i = 0; i < n; i++)
        zero += a[i] * 0;
    return zero == 0;
}

bool slip_system_project(const slip_system *system, slip_workspace *work, int count, double *matrix)
{
    const int n = system->n, m = work->constraint_count;
    double *right = work->multipliers + m;
    for (int j = 0; j < count; j++) {
        for (int k = 0; k < m; k++) {
            right[k] = 0;
            for (int i = 0; i < n; i++)
                right[k] -= work->rows[k * n + i] * matrix[i * count + j];
        }
        if (!eliminate(system, work, 0, m, right))
            return false;
        for (int k = 0; k < m; k++)
            for (int i = 0; i < n; i++)
                matrix[i * count + j] += work->responses[k * n + i] * right[k];
    }
    return true;
}

bool slip_system_constrain(const slip_system *system, slip_workspace *work, const slip_branch *branches,
                           double t, const double *q, const double *v, double *a)
{
    return constrain(system, work, branches, NULL, false, t, q, v, a);
}

bool slip_system_distribute(const slip_system *system, slip_workspace *work, slip_branch *branches,
                            bool wedged, double t, const double *q, const double *v, double *a)
{
    return constrain(system, work, branches, branches, wedged, t, q, v, a);
}
