#include "statics/active.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

/* Largest condition number of a regular matrix; an update with a pivot smaller than its terms by the
 * corresponding factor would lose too many digits. */
static const double condition_max = 1e13;
static const double pivot_min = 1e-7;

bool slip_static_active_create(slip_arena *arena, const slip_static_shape *shape, slip_static_active *active)
{
    const int64_t n = shape->direction_count, m = shape->contact_count;
    *active = (slip_static_active){.shape = shape};
    active->modes = slip_arena_array(arena, m + 1, sizeof *active->modes);
    active->direction = slip_arena_array(arena, n + 1, sizeof(int));
    active->place = slip_arena_array(arena, n + 1, sizeof(int));
    active->owner = slip_arena_array(arena, n + 1, sizeof(int));
    active->pivots = slip_arena_array(arena, n + 1, sizeof(int));
    active->inverse = slip_arena_array(arena, n * n + 1, sizeof(double));
    active->matrix = slip_arena_array(arena, n * n + 1, sizeof(double));
    active->column = slip_arena_array(arena, n + 1, sizeof(double));
    active->row = slip_arena_array(arena, n + 1, sizeof(double));
    active->image = slip_arena_array(arena, n + 1, sizeof(double));
    if (!active->modes || !active->direction || !active->place || !active->owner || !active->pivots ||
        !active->inverse || !active->matrix || !active->column || !active->row || !active->image)
        return false;
    for (int i = 0; i < n; i++)
        active->owner[i] = active->place[i] = -1;
    for (int c = 0; c < m; c++) {
        if (shape->contacts[c].normal >= 0)
            active->owner[shape->contacts[c].normal] = c;
        if (shape->contacts[c].tangent >= 0)
            active->owner[shape->contacts[c].tangent] = c;
    }
    return true;
}

static bool holds_normal(const slip_static_contact *contact, slip_mode mode)
{
    return contact->normal >= 0 && mode != SLIP_MODE_OPEN;
}

static bool holds_tangent(const slip_static_contact *contact, slip_mode mode)
{
    return contact->tangent >= 0 && mode == SLIP_MODE_STICK;
}

/* Lists the directions that are unknown in these modes, into direction[]; their number. */
static int list_unknown(const slip_static_shape *shape, const slip_mode *modes, int *direction)
{
    int count = 0;
    for (int i = shape->direction_count - shape->held_count; i < shape->direction_count; i++)
        direction[count++] = i;
    for (int c = 0; c < shape->contact_count; c++) {
        if (holds_normal(&shape->contacts[c], modes[c]))
            direction[count++] = shape->contacts[c].normal;
        if (holds_tangent(&shape->contacts[c], modes[c]))
            direction[count++] = shape->contacts[c].tangent;
    }
    return count;
}

/* The factor of column t in the column of a normal direction: -s mu, or 0. */
static double slip_factor(const slip_static_active *active, int j, int *tangent)
{
    const int c = active->owner[j];
    *tangent = -1;
    if (c < 0 || active->shape->contacts[c].normal != j || active->shape->contacts[c].tangent < 0)
        return 0;
    int sign = slip_static_slip_sign(active->modes[c]);
    *tangent = active->shape->contacts[c].tangent;
    return -sign * active->friction[c];
}

/* Entry of A in the row of direction i and the column of direction j. */
static double entry_of(const slip_static_active *active, int i, int j)
{
    const double *from = active->compliance + (int64_t)i * active->shape->direction_count;
    int tangent;
    const double factor = slip_factor(active, j, &tangent);
    return factor != 0 ? from[j] + factor * from[tangent] : from[j];
}

bool slip_static_active_factor(slip_static_active *active, const double *compliance, const double *friction,
                               const slip_mode *modes)
{
    const int n = active->shape->direction_count;
    active->compliance = compliance;
    active->friction = friction;
    if (modes != active->modes)
        memcpy(active->modes, modes, (size_t)active->shape->contact_count * sizeof *modes);
    active->count = list_unknown(active->shape, active->modes, active->direction);
    for (int i = 0; i < n; i++)
        active->place[i] = -1;
    for (int k = 0; k < active->count; k++)
        active->place[active->direction[k]] = k;
    const int count = active->count;
    memset(active->row, 0, sizeof(double) * (size_t)n);
    for (int j = 0; j < count; j++) {
        int tangent;
        const double factor = slip_factor(active, active->direction[j], &tangent);
        for (int i = 0; i < count; i++) {
            const double *from = compliance + (int64_t)active->direction[i] * n;
            const double own = from[active->direction[j]], more = factor != 0 ? factor * from[tangent] : 0;
            active->matrix[(int64_t)i * count + j] = own + more;
            active->row[i] += fabs(own) + fabs(more);
        }
    }
    active->size = 0;
    for (int i = 0; i < count; i++)
        active->size = fmax(active->size, active->row[i]);
    memcpy(active->inverse, active->matrix, sizeof(double) * (size_t)count * (size_t)count);
    active->updates = 0;
    double inverse_size;
    active->sign = slip_dense_invert_signed(count, active->inverse, active->pivots, &inverse_size);
    if (active->size * inverse_size > condition_max)
        active->sign = 0;
    if (active->sign == 0)
        return false;
    /* Spread the rows to the stride that updates use. */
    for (int i = count - 1; i > 0; i--)
        memmove(active->inverse + (int64_t)i * n, active->inverse + (int64_t)i * count,
                sizeof(double) * (size_t)count);
    return true;
}

/* A grows by row and column of a direction:
 *
 *     [A u]^-1   [A^-1 + (A^-1 u)(v A^-1)/s   -A^-1 u/s]
 *     [v a]    = [          -v A^-1/s             1/s  ],   s = a - v A^-1 u.
 */
static bool grow(slip_static_active *active, int direction)
{
    const int n = active->shape->direction_count, count = active->count;
    double *const image = active->image, *const row = active->row;
    double pivot = entry_of(active, direction, direction), size = fabs(pivot);
    for (int i = 0; i < count; i++)
        active->column[i] = entry_of(active, active->direction[i], direction);
    slip_static_active_solve(active, active->column, image);
    memset(row, 0, sizeof(double) * (size_t)count);
    for (int i = 0; i < count; i++) {
        const double v = entry_of(active, direction, active->direction[i]);
        const double *from = active->inverse + (int64_t)i * n;
        for (int j = 0; j < count; j++)
            row[j] += v * from[j];
        pivot -= v * image[i];
        size = fmax(size, fabs(v * image[i]));
    }
    if (!(fabs(pivot) > pivot_min * size))
        return false;
    for (int i = 0; i < count; i++) {
        double *to = active->inverse + (int64_t)i * n;
        const double factor = image[i] / pivot;
        for (int j = 0; j < count; j++)
            to[j] += factor * row[j];
        to[count] = -factor;
    }
    for (int j = 0; j < count; j++)
        active->inverse[(int64_t)count * n + j] = -row[j] / pivot;
    active->inverse[(int64_t)count * n + count] = 1 / pivot;
    active->direction[count] = direction;
    active->place[direction] = count;
    active->count++;
    active->sign *= pivot > 0 ? 1 : -1;
    return true;
}

/* Row and column k go to the end. */
static void move_last(slip_static_active *active, int k)
{
    const int n = active->shape->direction_count, last = active->count - 1;
    if (k == last)
        return;
    double *a = active->inverse + (int64_t)k * n, *b = active->inverse + (int64_t)last * n;
    for (int j = 0; j <= last; j++) {
        const double swap = a[j];
        a[j] = b[j];
        b[j] = swap;
    }
    for (int i = 0; i <= last; i++) {
        double *at = active->inverse + (int64_t)i * n;
        const double swap = at[k];
        at[k] = at[last];
        at[last] = swap;
    }
    const int direction = active->direction[k];
    active->direction[k] = active->direction[last];
    active->direction[last] = direction;
    active->place[active->direction[k]] = k;
    active->place[direction] = last;
}

/* The opposite of grow. */
static bool shrink(slip_static_active *active, int direction)
{
    const int n = active->shape->direction_count, last = active->count - 1;
    move_last(active, active->place[direction]);
    const double *gone = active->inverse + (int64_t)last * n;
    const double pivot = gone[last];
    double size = 0, entry = fabs(entry_of(active, direction, direction));
    for (int j = 0; j <= last; j++)
        size = fmax(size, fabs(gone[j]));
    /* 1/pivot is the Schur complement of the entry: much larger than the entry means cancellation. */
    if (!(fabs(pivot) > pivot_min * size) || !(fabs(pivot) * entry > pivot_min))
        return false;
    for (int i = 0; i < last; i++) {
        double *to = active->inverse + (int64_t)i * n;
        const double factor = to[last] / pivot;
        for (int j = 0; j < last; j++)
            to[j] -= factor * gone[j];
    }
    active->place[direction] = -1;
    active->count--;
    active->sign *= pivot > 0 ? 1 : -1;
    return true;
}

/* The column of the normal direction n changes by `factor` times that of the tangential direction t, which is
 * active too: A T with T = I + factor e_t e_n^T, so the inverse's row t loses factor times row n. */
static void mix(slip_static_active *active, int normal, int tangent, double factor)
{
    const int n = active->shape->direction_count;
    const double *from = active->inverse + (int64_t)active->place[normal] * n;
    double *to = active->inverse + (int64_t)active->place[tangent] * n;
    for (int j = 0; j < active->count; j++)
        to[j] -= factor * from[j];
}

bool slip_static_active_change(slip_static_active *active, int contact, slip_mode mode)
{
    const slip_static_contact *own = &active->shape->contacts[contact];
    const slip_mode old = active->modes[contact];
    const double mu = active->friction[contact];
    const bool had_normal = holds_normal(own, old), had_tangent = holds_tangent(own, old);
    const bool normal = holds_normal(own, mode), tangent = holds_tangent(own, mode);
    if (old == mode)
        return active->sign != 0;
    if (active->sign == 0)
        return false;
    active->updates++;
    const int before = slip_static_slip_sign(old), after = slip_static_slip_sign(mode);
    /* A change from or to slip that keeps the normal direction goes by way of stick. */
    const bool by_stick = normal && had_normal && before != 0;
    if (by_stick) {
        if (!grow(active, own->tangent))
            goto singular;
        active->modes[contact] = SLIP_MODE_STICK;
        mix(active, own->normal, own->tangent, before * mu);
    }
    if (normal && had_normal && after != 0) {
        mix(active, own->normal, own->tangent, -after * mu);
        active->modes[contact] = mode;
        if (!shrink(active, own->tangent))
            goto singular;
        return true;
    }
    if (by_stick)
        return true;
    if (had_tangent && !tangent && !shrink(active, own->tangent))
        goto singular;
    if (had_normal && !normal && !shrink(active, own->normal))
        goto singular;
    active->modes[contact] = mode;
    if (normal && !had_normal && !grow(active, own->normal))
        goto singular;
    if (tangent && !had_tangent && !grow(active, own->tangent))
        goto singular;
    return true;
singular:
    active->modes[contact] = mode;
    active->sign = 0;
    return false;
}

void slip_static_active_solve(const slip_static_active *active, const double *b, double *x)
{
    const int n = active->shape->direction_count;
    for (int i = 0; i < active->count; i++) {
        x[i] = slip_dense_dot(active->count, active->inverse + (int64_t)i * n, b);
    }
}

void slip_static_active_scatter(const slip_static_active *active, const double *x, double *lambda)
{
    for (int k = 0; k < active->count; k++) {
        int tangent;
        const double factor = slip_factor(active, active->direction[k], &tangent);
        lambda[active->direction[k]] = x[k];
        if (factor != 0)
            lambda[tangent] += factor * x[k];
    }
}

void slip_static_active_copy(const slip_static_active *from, slip_static_active *to)
{
    const int n = from->shape->direction_count;
    memcpy(to->modes, from->modes, sizeof *to->modes * (size_t)from->shape->contact_count);
    memcpy(to->direction, from->direction, sizeof(int) * (size_t)n);
    memcpy(to->place, from->place, sizeof(int) * (size_t)n);
    for (int i = 0; i < from->count; i++)
        memcpy(to->inverse + (int64_t)i * n, from->inverse + (int64_t)i * n,
               sizeof(double) * (size_t)from->count);
    to->compliance = from->compliance;
    to->friction = from->friction;
    to->count = from->count;
    to->sign = from->sign;
    to->updates = from->updates;
}
