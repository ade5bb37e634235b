#include "statics/balance/newton.h"

#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Linear algebra. */

int slip_balance_room_create(slip_context *ctx, const slip_balance *b, slip_balance_room *room)
{
    int64_t size = b->n + b->direction_count + 1, contacts = b->contact_count + 1;
    bool complete = true;
    for (int c = 0; c < b->contact_count; c++)
        size += b->contacts[c].tangent_count + 1;
    *room = (slip_balance_room){.capacity = (int)size};
    double **const squares[] = {&room->matrix, &room->inverse, &room->left, &room->right};
    double **const lines[] = {&room->values, &room->rows,  &room->columns, &room->f,
                              &room->step,   &room->trial, &room->next};
    for (size_t k = 0; k < sizeof squares / sizeof *squares; k++)
        complete = complete && (*squares[k] = slip_arena_array(&room->arena, size * size, sizeof(double)));
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
        complete = complete && (*lines[k] = slip_arena_array(&room->arena, size, sizeof(double)));
    room->margins_gradient =
        slip_arena_array(&room->arena, slip_balance_margins_max * contacts * size, sizeof(double));
    room->margins =
        slip_arena_array(&room->arena, slip_balance_margins_max * contacts, sizeof *room->margins);
    room->pivots = slip_arena_array(&room->arena, size, sizeof(int));
    if (complete && room->margins_gradient && room->margins && room->pivots)
        return SLIP_OK;
    slip_balance_room_free(room);
    return slip_fail_memory(ctx);
}

void slip_balance_room_free(slip_balance_room *room)
{
    slip_arena_free(&room->arena);
    *room = (slip_balance_room){0};
}

/* The matrix with rows and columns of size 1. */
static void scale(slip_balance_room *room, int size, const double *matrix)
{
    for (int i = 0; i < size; i++) {
        double largest = 0;
        for (int j = 0; j < size; j++)
            largest = fmax(largest, fabs(matrix[(int64_t)i * size + j]));
        room->rows[i] = largest > 0 ? 1 / largest : 1;
    }
    for (int j = 0; j < size; j++) {
        double largest = 0;
        for (int i = 0; i < size; i++)
            largest = fmax(largest, fabs(matrix[(int64_t)i * size + j]) * room->rows[i]);
        room->columns[j] = largest > 0 ? 1 / largest : 1;
        for (int i = 0; i < size; i++)
            room->inverse[(int64_t)i * size + j] =
                matrix[(int64_t)i * size + j] * room->rows[i] * room->columns[j];
    }
}

/* The solution of least norm by singular value decomposition. Returns the number of singular values that are
 * zero up to rounding. */
static int solve_singular(slip_balance_room *room, int size, const double *matrix, const double *right,
                          double *x)
{
    int nullity = 0;
    scale(room, size, matrix);
    memset(x, 0, sizeof(double) * (size_t)size);
    if (!slip_dense_singular(size, room->inverse, room->values, room->left, room->right))
        return size;
    for (int k = 0; k < size; k++) {
        double amount = 0;
        if (!(room->values[k] > 1e-11 * room->values[0])) {
            nullity++;
            continue;
        }
        for (int i = 0; i < size; i++)
            amount += room->left[(int64_t)i * size + k] * room->rows[i] * right[i];
        for (int j = 0; j < size; j++)
            x[j] += room->right[(int64_t)j * size + k] * room->columns[j] * amount / room->values[k];
    }
    return nullity;
}

int slip_balance_solve(slip_balance_room *room, int size, const double *matrix, const double *right,
                       double *x, int *sign)
{
    double inverse_size = 0;
    scale(room, size, matrix);
    *sign = slip_dense_invert_signed(size, room->inverse, room->pivots, &inverse_size);
    if (*sign == 0 || !(inverse_size < 1e11)) {
        *sign = 0;
        return solve_singular(room, size, matrix, right, x);
    }
    for (int j = 0; j < size; j++) {
        x[j] = 0;
        for (int i = 0; i < size; i++)
            x[j] += room->inverse[(int64_t)j * size + i] * room->rows[i] * right[i];
        x[j] *= room->columns[j];
    }
    return 0;
}

/* ---- Newton's method. */

static double length(const slip_balance_room *room, int size, const double *x)
{
    double largest = 0;
    for (int j = 0; j < size; j++)
        largest = fmax(largest, fabs(x[j]) / room->columns[j]);
    return largest;
}

slip_balance_end slip_balance_newton(slip_balance *b, slip_balance_room *room, const slip_mode *modes,
                                     double *y)
{
    const int size = slip_balance_size(b, modes);
    const size_t bytes = sizeof(double) * (size_t)size;
    slip_balance_end end = {.found = false};
    double factor = 1;
    int settled = 0;
    for (int round = 0; round < 80; round++) {
        if (!slip_balance_evaluate(b, modes, y, room->f, room->matrix))
            return end;
        end.nullity = slip_balance_solve(room, size, room->matrix, room->f, room->step, &end.sign);
        const double wanted = length(room, size, room->step), is = length(room, size, y);
        if (!isfinite(wanted))
            return end;
        /* Convergence is quadratic near the solution: three more steps are enough. */
        settled += wanted <= 1e-8 * is;
        if (wanted <= 1e-15 * is || settled >= 4) {
            for (int j = 0; j < size && isfinite(wanted); j++)
                y[j] -= room->step[j];
            end.found = true;
            return end;
        }
        /* The next simplified Newton step, with the same derivatives, must be shorter (natural monotonicity
         * test, P. Deuflhard). */
        for (factor = fmin(1, 4 * factor);; factor *= 0.5) {
            if (factor < 1e-4)
                return end;
            for (int j = 0; j < size; j++)
                room->trial[j] = y[j] - factor * room->step[j];
            if (!slip_balance_evaluate(b, modes, room->trial, room->f, NULL))
                continue;
            if (end.nullity > 0)
                break;
            for (int j = 0; j < size; j++) {
                room->next[j] = 0;
                for (int i = 0; i < size; i++)
                    room->next[j] += room->inverse[(int64_t)j * size + i] * room->rows[i] * room->f[i];
                room->next[j] *= room->columns[j];
            }
            if (wanted <= 1e-8 * is || length(room, size, room->next) <= (1 - 0.25 * factor) * wanted)
                break;
        }
        memcpy(y, room->trial, bytes);
    }
    return end;
}

/* Homotopy from the problem linearised about y to the nonlinear one: H(x) = (1 - s) (F(y) + F'(y) (x - y)) +
 * s F(x) = 0, for s from 0 to 1. The steps of s are as long as Newton's method converges; each starts from
 * the previous solution. */
slip_balance_end slip_balance_deform(slip_balance *b, slip_balance_room *room, const slip_mode *modes,
                                     double *y)
{
    const int size = slip_balance_size(b, modes);
    const int64_t square = (int64_t)size * size;
    slip_balance_end end = {.found = false};
    SLIP_FREED double *numbers = slip_alloc(square + 4 * (int64_t)size, sizeof(double));
    double *slope = numbers, *f = slope + square, *x = f + size, *next = x + size, *start = next + size;
    double done = 0, step = 0.1;
    if (!numbers || !slip_balance_evaluate(b, modes, y, f, slope))
        return end;
    memcpy(start, y, sizeof(double) * (size_t)size);
    end.nullity = slip_balance_solve(room, size, slope, f, room->step, &end.sign);
    for (int j = 0; j < size; j++)
        x[j] = y[j] - room->step[j];
    while (done < 1 && end.nullity == 0) {
        const double s = fmin(done + step, 1);
        double last = INFINITY;
        bool good = false;
        memcpy(next, x, sizeof(double) * (size_t)size);
        for (int round = 0; round < 12 && !good; round++) {
            if (!slip_balance_evaluate(b, modes, next, room->f, room->matrix))
                break;
            for (int i = 0; i < size; i++) {
                double linear = f[i];
                for (int j = 0; j < size; j++) {
                    linear += slope[(int64_t)i * size + j] * (next[j] - start[j]);
                    room->matrix[(int64_t)i * size + j] =
                        (1 - s) * slope[(int64_t)i * size + j] + s * room->matrix[(int64_t)i * size + j];
                }
                room->f[i] = (1 - s) * linear + s * room->f[i];
            }
            end.nullity = slip_balance_solve(room, size, room->matrix, room->f, room->step, &end.sign);
            for (int j = 0; j < size; j++)
                next[j] -= room->step[j];
            const double wanted = length(room, size, room->step);
            good = wanted <= 1e-10 * length(room, size, next);
            if (end.nullity > 0 || !(wanted <= 2 * last))
                break;
            last = wanted;
        }
        step = good ? 1.5 * step : 0.3 * step;
        done = good ? s : done;
        if (good)
            memcpy(x, next, sizeof(double) * (size_t)size);
        else
            end.nullity = 0;
        if (step < 1e-3)
            return end;
    }
    memcpy(y, x, sizeof(double) * (size_t)size);
    return slip_balance_newton(b, room, modes, y);
}

bool slip_balance_holds(slip_balance *b, slip_balance_room *room, const slip_mode *modes, const double *y,
                        double tolerance)
{
    const slip_balance_scale size = slip_balance_scale_of(b, y, room->next);
    const int count = slip_balance_margins(b, modes, y, room->margins, NULL);
    for (int k = 0; k < count; k++)
        if (!(room->margins[k].value >=
              -tolerance * (room->margins[k].is_force ? size.force : size.displacement)))
            return false;
    return true;
}

void slip_balance_aim(slip_balance *b, const slip_mode *modes, double *y)
{
    slip_balance_place(b, y);
    for (int c = 0; c < b->contact_count; c++) {
        const slip_balance_contact *own = &b->contacts[c];
        const int at = slip_balance_direction_at(b, modes, c), count = own->tangent_count;
        double d[3], w[3], ratio, size = 0, *e = y + at;
        if (at < 0)
            continue;
        slip_balance_find_rows(b, own, d, w);
        for (int k = 0; k < count; k++)
            size += d[k] * d[k];
        e[count] = sqrt(size);
        const bool by_force =
            !(size > 0) && slip_balance_limit(b, c, y + b->n + own->tangent, &ratio, e) && ratio > 0;
        for (int k = 0; k < count && !by_force; k++)
            e[k] = size > 0 ? d[k] / e[count] : k == 0;
    }
}
