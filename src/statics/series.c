#include "statics/series.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

/* ---- The data. */

bool slip_static_centre_create(slip_arena *arena, const slip_static_family *family,
                               slip_static_centre *centre)
{
    *centre = (slip_static_centre){.family = family, .unit = family->high - family->low};
    if (!slip_static_local_create(arena, family, &centre->local))
        return false;
    centre->numbers =
        slip_arena_array(arena, (slip_static_degree_max + 2) * centre->local.width + 1, sizeof(double));
    return centre->numbers != NULL;
}

static bool is_zero(const double *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (values[i] != 0)
            return false;
    return true;
}

int slip_static_centre_move(slip_context *ctx, slip_static_centre *centre, double p, int direction)
{
    const int64_t n = centre->family->shape->direction_count, m = centre->family->shape->contact_count;
    const int64_t width = centre->local.width;
    slip_static_local *local = &centre->local;
    const bool inside = local->high > local->low && p >= local->low && p <= local->high &&
                        (direction > 0 ? p < local->high : p > local->low);
    if (!inside)
        SLIP_PASS(slip_static_local_fit(ctx, centre->family, p, direction, local));
    centre->centre = p;
    slip_static_local_expand(local, p, centre->unit, centre->numbers);
    memset(centre->numbers + (local->degree + 1) * width, 0, sizeof(double) * (size_t)width);
    centre->rigid = true;
    for (int k = 1; k <= local->degree; k++)
        centre->rigid = centre->rigid && is_zero(centre->numbers + k * width + n, m) &&
                        is_zero(centre->numbers + k * width + n + 2 * m, width - n - 2 * m);
    return SLIP_OK;
}

/* The row of zeros behind the last coefficient serves all higher ones. */
static const double *row_of(const slip_static_centre *centre, int k)
{
    const int degree = centre->local.degree;
    return centre->numbers + (k <= degree ? k : degree + 1) * centre->local.width;
}

static const double *free_of(const slip_static_centre *centre, int k)
{
    return row_of(centre, k);
}

const double *slip_static_centre_friction(const slip_static_centre *centre, int k)
{
    return row_of(centre, k) + centre->family->shape->direction_count;
}

static const double *normal_of(const slip_static_centre *centre, int k)
{
    return slip_static_centre_friction(centre, k) + centre->family->shape->contact_count;
}

const double *slip_static_centre_compliance(const slip_static_centre *centre, int k)
{
    if (centre->family->compliance)
        return k == 0 ? centre->family->compliance : NULL;
    return k <= centre->local.degree ? normal_of(centre, k) + centre->family->shape->contact_count : NULL;
}

/* ---- The series. */

bool slip_static_series_create(slip_arena *arena, const slip_static_shape *shape, slip_static_series *series)
{
    const int64_t n = shape->direction_count;
    *series = (slip_static_series){.order = -1};
    series->lambda = slip_arena_array(arena, (slip_static_order_max + 1) * n + 1, sizeof(double));
    series->d = slip_arena_array(arena, (slip_static_order_max + 1) * n + 1, sizeof(double));
    series->scratch = slip_arena_array(arena, 3 * n + 1, sizeof(double));
    return series->lambda && series->d && series->scratch;
}

/* d += C v for `count` vectors one after the other, in the rows of active directions (`active` true), or in
 * all others. For large problems the rows of C come from main memory, so each is read once for all vectors,
 * and only in columns where a vector is not zero (friction of slipping contacts fills only one half). */
static void multiply_add(const slip_static_active *of, bool active, const double *matrix, int count,
                         const double *v, double *d)
{
    const int64_t n = of->shape->direction_count;
    int64_t first = n, end = 0;
    for (int64_t k = 0; k < count; k++)
        for (int64_t j = 0; j < n; j++)
            if (v[k * n + j] != 0) {
                first = j < first ? j : first;
                end = j >= end ? j + 1 : end;
            }
    for (int64_t i = 0; i < n && first < end; i++)
        if ((of->place[i] >= 0) == active)
            for (int64_t k = 0; k < count; k++)
                d[k * n + i] += slip_dense_dot((int)(end - first), matrix + i * n + first, v + k * n + first);
}

/* The part of coefficient k of lambda that is known beforehand: friction of slipping contacts through the
 * coefficients of mu. Returns whether there is any. */
static bool known_part(const slip_static_series *series, const slip_static_centre *centre,
                       const slip_static_active *active, int k, double *lambda)
{
    const slip_static_shape *shape = centre->family->shape;
    const int n = shape->direction_count, degree = centre->local.degree;
    bool any = false;
    memset(lambda, 0, sizeof(double) * (size_t)n);
    for (int c = 0; c < shape->contact_count; c++) {
        const slip_static_contact *own = &shape->contacts[c];
        const int sign = slip_static_slip_sign(active->modes[c]);
        double sum = 0;
        if (sign == 0 || own->tangent < 0)
            continue;
        for (int i = own->normal >= 0 ? 1 : 0; i <= k && i <= degree; i++)
            sum += slip_static_centre_friction(centre, i)[c] *
                   (own->normal >= 0 ? series->lambda[(int64_t)(k - i) * n + own->normal]
                                     : normal_of(centre, k - i)[c]);
        lambda[own->tangent] = -sign * sum;
        any = any || sum != 0;
    }
    return any;
}

/* The residual of the equations of the active directions, as right-hand side b; returns its size. */
static double defect_of(const slip_static_active *active, const double *d, double *b)
{
    double size = 0;
    for (int j = 0; j < active->count; j++) {
        b[j] = -d[active->direction[j]];
        size = fmax(size, fabs(b[j]));
    }
    return size;
}

/* Adds the next coefficient of lambda, and of d the part that slip_static_series_extend does not compute for
 * all coefficients at once. */
static bool add_coefficient(slip_static_series *series, const slip_static_centre *centre,
                            const slip_static_active *active)
{
    const int n = centre->family->shape->direction_count, k = series->order + 1;
    double *lambda = series->lambda + (int64_t)k * n, *d = series->d + (int64_t)k * n;
    double *b = series->scratch, *x = b + n, *change = x + n;
    const double *compliance = slip_static_centre_compliance(centre, 0);
    const bool known = known_part(series, centre, active, k, lambda);
    memcpy(d, free_of(centre, k), sizeof(double) * (size_t)n);
    for (int i = 1; i <= k; i++) {
        const double *more = slip_static_centre_compliance(centre, i);
        if (!more)
            break;
        multiply_add(active, true, more, 1, series->lambda + (int64_t)(k - i) * n, d);
        multiply_add(active, false, more, 1, series->lambda + (int64_t)(k - i) * n, d);
    }
    if (known)
        multiply_add(active, true, compliance, 1, lambda, d);
    const double size = defect_of(active, d, b);
    slip_static_active_solve(active, b, x);
    /* An updated inverse is checked at the first coefficient, which is corrected if digits were lost. */
    const bool checked = k == 0 && active->updates > 0;
    for (int pass = 0; pass < (checked ? 2 : 1); pass++) {
        memset(change, 0, sizeof(double) * (size_t)n);
        slip_static_active_scatter(active, x, change);
        for (int i = 0; i < n; i++)
            lambda[i] += change[i];
        if (!checked || pass == 1)
            break;
        multiply_add(active, true, compliance, 1, change, d);
        const double defect = defect_of(active, d, b);
        series->residual = size > 0 ? defect / size : 0;
        if (defect <= 1e-14 * size)
            break;
        slip_static_active_solve(active, b, x);
    }
    for (int j = 0; j < active->count; j++)
        d[active->direction[j]] = 0;
    series->order = k;
    return series->residual < 1e-9;
}

bool slip_static_series_extend(slip_static_series *series, const slip_static_centre *centre,
                               const slip_static_active *active, int order)
{
    const int last = centre->rigid ? centre->local.degree : slip_static_order_max;
    const int64_t n = centre->family->shape->direction_count, first = series->order + 1;
    bool good = true;
    if (series->order < 0)
        series->residual = 0;
    while (good && series->order < order && series->order < last)
        good = add_coefficient(series, centre, active);
    multiply_add(active, false, slip_static_centre_compliance(centre, 0), series->order + 1 - (int)first,
                 series->lambda + first * n, series->d + first * n);
    return good;
}

/* The largest of the numbers `from` to `to` of coefficient k. */
static double size_of(const double *coefficients, int n, int from, int to, int k)
{
    double size = 0;
    for (int i = from; i < to; i++)
        size = fmax(size, fabs(coefficients[(int64_t)k * n + i]));
    return size;
}

double slip_static_series_reach(const slip_static_series *series, const slip_static_centre *centre)
{
    const slip_static_shape *shape = centre->family->shape;
    const int n = shape->direction_count, order = series->order,
              inner = slip_static_contact_directions(shape);
    /* Forces and displacements of contacts, and held motions, which may move without any contact. */
    const struct {
        const double *of;
        int from, to;
    } groups[3] = {
        {series->lambda, 0, inner}, {series->d, 0, inner}, {series->lambda, n - shape->held_count, n}};
    double reach = INFINITY;
    if (centre->rigid && order >= centre->local.degree)
        return INFINITY;
    for (int which = 0; which < 3; which++) {
        double size = 0;
        for (int k = 0; k <= 1 && k <= order; k++)
            size = fmax(size, size_of(groups[which].of, n, groups[which].from, groups[which].to, k));
        /* The last two terms must be rounding; a series can have every second coefficient zero. */
        for (int k = order - 1 > 1 ? order - 1 : 1; k <= order; k++) {
            const double term = size_of(groups[which].of, n, groups[which].from, groups[which].to, k);
            if (term > 0)
                reach = fmin(reach, pow(1e-16 * size / term, 1.0 / k));
        }
    }
    return reach;
}

void slip_static_series_at(const slip_static_series *series, int n, double s, double *lambda, double *d)
{
    const double *from = series->lambda, *distance = series->d;
    const int order = series->order;
    memcpy(lambda, from + (int64_t)order * n, sizeof(double) * (size_t)n);
    memcpy(d, distance + (int64_t)order * n, sizeof(double) * (size_t)n);
    for (int k = order - 1; k >= 0; k--)
        for (int i = 0; i < n; i++) {
            lambda[i] = lambda[i] * s + from[(int64_t)k * n + i];
            d[i] = d[i] * s + distance[(int64_t)k * n + i];
        }
}

/* ---- Polynomials. */

/* p(from + t): repeated synthetic division. */
static void shift(int order, double *coefficients, double from)
{
    if (from == 0)
        return;
    for (int j = 0; j < order; j++)
        for (int k = order - 1; k >= j; k--)
            coefficients[k] += from * coefficients[k + 1];
}

void slip_static_series_margin(const slip_static_series *series, const slip_static_centre *centre,
                               int contact, const slip_static_margin *margin, double from, int direction,
                               double *coefficients)
{
    const slip_static_shape *shape = centre->family->shape;
    const slip_static_contact *own = &shape->contacts[contact];
    const int n = shape->direction_count, degree = centre->local.degree;
    const signed char *c = margin->coefficient;
    for (int k = 0; k <= series->order; k++) {
        const double *lambda = series->lambda + (int64_t)k * n, *d = series->d + (int64_t)k * n;
        double value = 0;
        if (own->normal >= 0)
            value += c[0] * lambda[own->normal] + c[2] * d[own->normal];
        if (own->tangent >= 0)
            value += c[1] * lambda[own->tangent] + c[3] * d[own->tangent];
        for (int i = 0; c[4] != 0 && i <= k && i <= degree; i++)
            value += c[4] * slip_static_centre_friction(centre, i)[contact] *
                     (own->normal >= 0 ? series->lambda[(int64_t)(k - i) * n + own->normal]
                                       : normal_of(centre, k - i)[contact]);
        coefficients[k] = value;
    }
    shift(series->order, coefficients, from);
    for (int k = 1; k <= series->order && direction < 0; k += 2)
        coefficients[k] = -coefficients[k];
}

static double value_at(int order, const double *coefficients, double t)
{
    double value = coefficients[order];
    for (int k = order - 1; k >= 0; k--)
        value = value * t + coefficients[k];
    return value;
}

/* The root in a bracket on which the polynomial falls: Newton, kept inside by bisection. */
static double solve(int order, const double *coefficients, double low, double high)
{
    double t = 0.5 * (low + high);
    for (int k = 0; k < 200 && high - low > 0; k++) {
        double value = coefficients[order], slope = 0;
        for (int i = order - 1; i >= 0; i--) {
            slope = slope * t + value;
            value = value * t + coefficients[i];
        }
        if (value > 0)
            low = t;
        else
            high = t;
        double next = slope != 0 ? t - value / slope : t;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (next == t || next == low || next == high)
            break;
        t = next;
    }
    return t;
}

typedef struct root_search {
    int order;
    const double *coefficients;
    double noise;
} root_search;

/* First fall through zero in [low, high], where the polynomial is >= 0 at `low`. */
static double search(const root_search *s, double low, double high, int depth)
{
    const double radius = 0.5 * (high - low), middle = 0.5 * (low + high);
    double around[slip_static_order_max + 1], rest = 0, slope_rest = 0, power = 1;
    memcpy(around, s->coefficients, sizeof(double) * (size_t)(s->order + 1));
    shift(s->order, around, middle);
    for (int k = 1; k <= s->order; k++) {
        slope_rest += k > 1 ? k * fabs(around[k]) * power : 0;
        power *= radius;
        rest += fabs(around[k]) * power;
    }
    if (around[0] > rest || (rest <= s->noise && around[0] >= -s->noise))
        return INFINITY;
    if (s->order < 1 || fabs(around[1]) > slope_rest || depth == 0) { /* monotone */
        if (value_at(s->order, s->coefficients, high) >= 0)
            return INFINITY;
        return solve(s->order, s->coefficients, low, high);
    }
    const double first = search(s, low, middle, depth - 1);
    return first < INFINITY ? first : search(s, middle, high, depth - 1);
}

double slip_polynomial_first_root(int order, const double *coefficients, double length, bool rising,
                                  double noise)
{
    double rest = 0, power = 1;
    root_search s = {order, coefficients, noise};
    if (rising) { /* divided by t */
        s.order--;
        s.coefficients++;
        s.noise /= length;
    }
    if (s.order < 0)
        return INFINITY;
    for (int k = 1; k <= s.order; k++) {
        power *= length;
        rest += fabs(s.coefficients[k]) * power;
    }
    if (s.coefficients[0] > rest)
        return INFINITY;
    if (s.coefficients[0] < 0)
        return 0;
    return search(&s, 0, length, 48);
}
