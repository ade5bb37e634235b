/* The equations of a path: Newton's method with one more equation, tangents, margins. */
#include "math/vector.h"
#include "statics/trace/trace.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

/* The reference size of unknown i: 1 for unit vectors e, that of displacements for r. */
static double scale_at(const slip_trace *w, const slip_mode *modes, int size, int i)
{
    const slip_balance *b = w->family.shape;
    if (i == size - 1)
        return w->family.high - w->family.low;
    if (i < w->state_size)
        return w->scale[i];
    for (int c = 0; c < b->contact_count; c++) {
        const int at = slip_balance_direction_at(b, modes, c);
        if (at >= 0 && i == at + b->contacts[c].tangent_count)
            return w->reach;
    }
    return 1;
}

int slip_trace_size(const slip_trace *w, const slip_mode *modes)
{
    return slip_balance_size(w->family.shape, modes) + 1;
}

double slip_trace_dot(const slip_trace *w, const slip_mode *modes, const double *a, const double *b)
{
    const int size = slip_trace_size(w, modes);
    double sum = 0;
    for (int i = 0; i < size; i++) {
        const double s = scale_at(w, modes, size, i);
        sum += a[i] / s * (b[i] / s);
    }
    return sum;
}

/* The balance at p. A model that cannot be built at p is no error: false, and the path ends before. */
static bool balance_at(slip_trace *w, double p, slip_balance **balance)
{
    if (w->family.at(w->family.user, p, balance) >= 0)
        return true;
    slip_context_clear(w->ctx);
    return false;
}

/* Differences of second order within the range: values at p + offset[k], with these weights. */
typedef struct differences {
    double offset[3], weight[3];
} differences;

static differences differences_at(const slip_trace *w, double p)
{
    const double h = 1e-4 * (w->family.high - w->family.low);
    if (p + h <= w->family.high && p - h >= w->family.low)
        return (differences){{-h, h, 0}, {-0.5 / h, 0.5 / h, 0}};
    const double side = p + h > w->family.high ? -h : h;
    return (differences){{side, 2 * side, 0}, {2 / side, -0.5 / side, -1.5 / side}};
}

/* dF/dp. */
static bool by_parameter(slip_trace *w, const slip_mode *modes, const double *x, int size, double *fp)
{
    const differences by = differences_at(w, x[size - 1]);
    slip_balance *b;
    memset(fp, 0, sizeof(double) * (size_t)size);
    for (int k = 0; k < 3; k++) {
        if (by.weight[k] == 0)
            continue;
        if (!balance_at(w, x[size - 1] + by.offset[k], &b) || !slip_balance_evaluate(b, modes, x, w->f, NULL))
            return false;
        for (int i = 0; i < size - 1; i++)
            fp[i] += by.weight[k] * w->f[i];
    }
    return true;
}

bool slip_trace_margin_rates(slip_trace *w, const slip_mode *modes, const double *x)
{
    const double p = x[slip_trace_size(w, modes) - 1];
    const differences by = differences_at(w, p);
    slip_balance *b;
    memset(w->margin_rates, 0, sizeof(double) * (size_t)(slip_balance_margins_max * w->contact_count));
    for (int k = 0; k < 3; k++) {
        if (by.weight[k] == 0)
            continue;
        if (!balance_at(w, p + by.offset[k], &b))
            return false;
        const int count = slip_balance_margins(b, modes, x, w->other_margins, NULL);
        for (int i = 0; i < count; i++)
            w->margin_rates[i] += by.weight[k] * w->other_margins[i].value;
    }
    return true;
}

/* The derivatives with respect to the unknowns and p, as the first rows of a square matrix; F in w->right. */
static bool fill(slip_trace *w, const slip_mode *modes, const double *x, int size, const double *fp,
                 slip_balance **balance)
{
    if (!balance_at(w, x[size - 1], balance) ||
        !slip_balance_evaluate(*balance, modes, x, w->right, w->room.matrix))
        return false;
    for (int i = 0; i < size - 1; i++) {
        memcpy(w->matrix + (int64_t)i * size, w->room.matrix + (int64_t)i * (size - 1),
               sizeof(double) * (size_t)(size - 1));
        w->matrix[(int64_t)i * size + size - 1] = fp[i];
    }
    return true;
}

/* Sets the last row to the additional equation, and its residual. */
static bool close_equations(slip_trace *w, const slip_mode *modes, const slip_trace_closing *closing,
                            const double *x, int size, slip_balance *b)
{
    double *row = w->matrix + (int64_t)(size - 1) * size;
    if (closing->row) {
        w->right[size - 1] = 0;
        for (int i = 0; i < size; i++) {
            const double s = scale_at(w, modes, size, i);
            row[i] = closing->row[i] / (s * s);
            w->right[size - 1] += row[i] * (x[i] - closing->place[i]);
        }
        return true;
    }
    const int count = slip_balance_margins(b, modes, x, w->room.margins, w->room.margins_gradient);
    for (int k = 0; k < count; k++) {
        const slip_balance_margin *margin = &w->room.margins[k];
        if (margin->contact != closing->contact || margin->beyond != closing->beyond)
            continue;
        memcpy(row, w->room.margins_gradient + (int64_t)k * (size - 1), sizeof(double) * (size_t)(size - 1));
        row[size - 1] = w->margin_rates[k];
        w->right[size - 1] = margin->value;
        return true;
    }
    return false;
}

bool slip_trace_correct(slip_trace *w, const slip_mode *modes, const slip_trace_closing *closing, double *x,
                        int *augmented)
{
    double last = INFINITY;
    slip_balance *b;
    const int size = slip_trace_size(w, modes);
    if (!by_parameter(w, modes, x, size, w->fp) || (!closing->row && !slip_trace_margin_rates(w, modes, x)))
        return false;
    for (int round = 0; round < 12; round++) {
        double length = 0;
        if (!fill(w, modes, x, size, w->fp, &b) || !close_equations(w, modes, closing, x, size, b))
            return false;
        if (slip_balance_solve(&w->room, size, w->matrix, w->right, w->step, augmented) > 0)
            return false;
        for (int i = 0; i < size; i++) {
            x[i] -= w->step[i];
            length = fmax(length, fabs(w->step[i]) / scale_at(w, modes, size, i));
        }
        if (!isfinite(length) || length > 10)
            return false;
        if (length <= 1e-14 || (length <= 1e-10 && length >= 0.5 * last))
            return true;
        last = length;
    }
    return last <= 1e-10;
}

/* ---- Tangents. */

/* The derivatives with respect to the unknowns and p, in parts of the sizes, and one more row. */
static bool fill_scaled(slip_trace *w, const slip_mode *modes, const double *x, const double *row)
{
    const int size = slip_trace_size(w, modes);
    slip_balance *b;
    if (!by_parameter(w, modes, x, size, w->fp) || !fill(w, modes, x, size, w->fp, &b))
        return false;
    for (int j = 0; j < size; j++) {
        const double s = scale_at(w, modes, size, j);
        for (int i = 0; i < size - 1; i++)
            w->matrix[(int64_t)i * size + j] *= s;
        w->matrix[(int64_t)(size - 1) * size + j] = row ? row[j] / s : 0;
    }
    /* Rows are scaled to compare singular values. The rows of the coordinates share one factor: small rows
     * among them are what makes the matrix singular. */
    double shared = slip_largest((int64_t)w->family.shape->n * size, w->matrix);
    for (int i = 0; i < size; i++) {
        double largest = i < w->family.shape->n ? shared : 0;
        for (int j = 0; j < size && i >= w->family.shape->n; j++)
            largest = fmax(largest, fabs(w->matrix[(int64_t)i * size + j]));
        for (int j = 0; j < size && largest > 0; j++)
            w->matrix[(int64_t)i * size + j] /= largest;
    }
    return true;
}

/* The last right singular vector, of length 1 in parts of the sizes. */
static void last_vector(slip_trace *w, const slip_mode *modes, double *vector)
{
    const int size = slip_trace_size(w, modes);
    for (int i = 0; i < size; i++)
        vector[i] = w->room.right[(int64_t)i * size + size - 1] * scale_at(w, modes, size, i);
}

int slip_trace_null(slip_trace *w, const slip_mode *modes, const double *x, double *vector)
{
    const int size = slip_trace_size(w, modes);
    int nullity = 0;
    if (!fill_scaled(w, modes, x, NULL) ||
        !slip_dense_singular(size, w->matrix, w->room.values, w->room.left, w->room.right))
        return 0;
    for (int k = 0; k < size; k++)
        nullity += !(w->room.values[k] > 1e-9 * w->room.values[0]);
    last_vector(w, modes, vector);
    return nullity;
}

void slip_trace_across(slip_trace *w, const slip_mode *modes, const double *x, const double *tangent,
                       double *vector)
{
    const int size = slip_trace_size(w, modes);
    memset(vector, 0, sizeof(double) * (size_t)size);
    if (fill_scaled(w, modes, x, tangent) &&
        slip_dense_singular(size, w->matrix, w->room.values, w->room.left, w->room.right))
        last_vector(w, modes, vector);
}

bool slip_trace_tangent(slip_trace *w, const slip_mode *modes, const double *x, const double *guess,
                        double *tangent, int *sign, int *augmented)
{
    slip_balance *b;
    const int size = slip_trace_size(w, modes);
    const slip_trace_closing closing = {.row = guess, .place = x};
    if (!by_parameter(w, modes, x, size, w->fp) || !fill(w, modes, x, size, w->fp, &b))
        return false;
    slip_balance_solve(&w->room, size - 1, w->room.matrix, w->right, w->step, sign);
    close_equations(w, modes, &closing, x, size, b);
    memset(w->right, 0, sizeof(double) * (size_t)size);
    w->right[size - 1] = 1;
    if (slip_balance_solve(&w->room, size, w->matrix, w->right, w->step, augmented) > 0)
        return false;
    const double length = sqrt(slip_trace_dot(w, modes, w->step, w->step));
    for (int i = 0; i < size; i++)
        tangent[i] = w->step[i] / length;
    return isfinite(length);
}

/* ---- Margins. */

double slip_trace_margin(slip_trace *w, const slip_mode *modes, const double *x, slip_balance_margin *margin)
{
    slip_balance *b;
    double least = INFINITY;
    if (!balance_at(w, x[slip_trace_size(w, modes) - 1], &b))
        return least;
    const slip_balance_scale size = slip_balance_scale_of(b, x, w->room.next);
    const int count = slip_balance_margins(b, modes, x, w->room.margins, NULL);
    for (int k = 0; k < count; k++) {
        const double value =
            w->room.margins[k].value / (w->room.margins[k].is_force ? size.force : size.displacement);
        if (value < least) {
            least = value;
            *margin = w->room.margins[k];
        }
    }
    return least;
}
