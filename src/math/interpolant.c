#include "math/interpolant.h"

#include <math.h>

const char *const slip_between_names[] = {"linear", "cubic", "hold", NULL};

/* ---- The spline. */

/* Second derivatives m at the points. Inside, with h_i = x_(i+1) - x_i and d_i the divided differences,
 *
 *     h_(i-1) m_(i-1) + 2 (h_(i-1) + h_i) m_i + h_i m_(i+1) = 6 (d_i - d_(i-1)).
 *
 * Not-a-knot: the third derivative does not jump at x_1 and x_(n-2), which gives the ends from the points
 * next to them: m_0 = m_1 (1 + h_0/h_1) - m_2 h_0/h_1. With that put in, the matrix stays tridiagonal and
 * dominated by its diagonal or close to it: elimination without pivots (C. de Boor: A practical guide to
 * splines, Springer 2001, chapter 4). Three points are a parabola, two a line. */
static void second_derivatives(int n, const double *x, const double *y, double *m, double *upper)
{
    if (n == 3) {
        const double all =
            2 * ((y[2] - y[1]) / (x[2] - x[1]) - (y[1] - y[0]) / (x[1] - x[0])) / (x[2] - x[0]);
        m[0] = m[1] = m[2] = all;
    }
    if (n <= 3)
        return;
    const double first = (x[1] - x[0]) / (x[2] - x[1]), last = (x[n - 1] - x[n - 2]) / (x[n - 2] - x[n - 3]);
    for (int i = 1; i < n - 1; i++) {
        const double before = x[i] - x[i - 1], after = x[i + 1] - x[i];
        double left = before, middle = 2 * (before + after), right = after;
        double known = 6 * ((y[i + 1] - y[i]) / after - (y[i] - y[i - 1]) / before);
        if (i == 1) {
            middle += before * (1 + first);
            right -= before * first;
            left = 0;
        }
        if (i == n - 2) {
            middle += after * (1 + last);
            left -= after * last;
            right = 0;
        }
        if (i > 1) {
            middle -= left * upper[i - 1];
            known -= left * m[i - 1];
        }
        upper[i] = right / middle;
        m[i] = known / middle;
    }
    for (int i = n - 3; i >= 1; i--)
        m[i] -= upper[i] * m[i + 1];
    m[0] = m[1] * (1 + first) - m[2] * first;
    m[n - 1] = m[n - 2] * (1 + last) - m[n - 3] * last;
}

/* ---- Making a table. */

static void fill_pieces(slip_interpolant *table, const double *y, const double *m)
{
    const double *x = table->x;
    table->piece[0][0] = y[0];
    table->piece[table->count][0] = y[table->count - 1];
    for (int k = 1; k < table->count; k++) {
        const double h = x[k] - x[k - 1], *a = &y[k - 1], *curve = &m[k - 1];
        double *c = table->piece[k];
        c[0] = a[0];
        if (table->between == SLIP_BETWEEN_HOLD)
            continue;
        c[1] = (a[1] - a[0]) / h - h * (2 * curve[0] + curve[1]) / 6;
        c[2] = curve[0] / 2;
        c[3] = (curve[1] - curve[0]) / (6 * h);
    }
}

/* Makes the table of the derivative, and so on until that is zero. */
static bool make_rate(slip_arena *arena, slip_interpolant *table)
{
    bool varies = false;
    for (int k = 0; k <= table->count; k++)
        varies = varies || table->piece[k][1] != 0 || table->piece[k][2] != 0 || table->piece[k][3] != 0;
    if (!varies)
        return true;
    slip_interpolant *rate = slip_arena_alloc(arena, sizeof *rate);
    if (!rate || !(rate->piece = slip_arena_array(arena, (int64_t)table->count + 1, sizeof *rate->piece)))
        return false;
    rate->name = table->name;
    rate->between = SLIP_BETWEEN_HOLD; /* it may jump at each point */
    rate->count = table->count;
    rate->x = table->x;
    for (int k = 0; k <= table->count; k++)
        for (int i = 1; i < 4; i++)
            rate->piece[k][i - 1] = i * table->piece[k][i];
    table->rate = rate;
    return make_rate(arena, rate);
}

slip_interpolant *slip_interpolant_create(slip_arena *arena, const char *name, slip_between between,
                                          int count, const double *points)
{
    slip_interpolant *table = slip_arena_alloc(arena, sizeof *table);
    double *x = slip_arena_array(arena, count, sizeof *x);
    SLIP_FREED double *work = slip_alloc(3 * (int64_t)count, sizeof *work);
    if (table)
        table->piece = slip_arena_array(arena, count + 1, sizeof *table->piece);
    if (!table || !x || !work || !table->piece)
        return NULL;
    table->name = name;
    table->between = between;
    table->count = count;
    table->x = x;
    for (int i = 0; i < count; i++) {
        x[i] = points[2 * i];
        work[i] = points[2 * i + 1];
    }
    if (between == SLIP_BETWEEN_CUBIC)
        second_derivatives(count, x, work, work + count, work + 2 * count);
    fill_pieces(table, work, work + count);
    return make_rate(arena, table) ? table : NULL;
}

/* ---- Looking things up. */

/* The place by proportion first, which is right where the points are equally spaced; then bisection. */
int slip_interpolant_find(const slip_interpolant *table, double x)
{
    const double *at = table->x;
    int low = 0, high = table->count; /* at[low - 1] <= x < at[high] */
    if (!(x >= at[0]))
        return 0;
    if (x >= at[high - 1])
        return high;
    low = 1 + (int)((x - at[0]) / (at[high - 1] - at[0]) * (high - 1));
    if (low < high && at[low - 1] <= x && x < at[low])
        return low;
    low = 1;
    while (high - low > 0) {
        const int middle = (low + high) / 2; /* the first with x < at[middle] is wanted */
        if (x < at[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

double slip_interpolant_low(const slip_interpolant *table, int piece)
{
    return piece <= 0 ? -INFINITY : table->x[piece - 1];
}

double slip_interpolant_high(const slip_interpolant *table, int piece)
{
    return piece >= table->count ? INFINITY : table->x[piece];
}

/* The piece's coefficients and where it counts from; NULL where there is no such piece. */
static const double *piece_of(const slip_interpolant *table, double piece, double *x)
{
    if (!(piece >= 0 && piece <= table->count))
        return NULL;
    *x -= table->x[piece < 1 ? 0 : (int)piece - 1];
    return table->piece[(int)piece];
}

double slip_interpolant_value(const slip_interpolant *table, double piece, double x)
{
    const double *c = piece_of(table, piece, &x);
    return c ? c[0] + x * (c[1] + x * (c[2] + x * c[3])) : NAN;
}

double slip_interpolant_slope(const slip_interpolant *table, double piece, double x)
{
    const double *c = piece_of(table, piece, &x);
    return c ? c[1] + x * (2 * c[2] + x * 3 * c[3]) : NAN;
}

double slip_interpolant_curve(const slip_interpolant *table, double piece, double x)
{
    const double *c = piece_of(table, piece, &x);
    return c ? 2 * c[2] + x * 6 * c[3] : NAN;
}
