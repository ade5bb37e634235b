/* The step of the smallest systems, where loops of unknown length and calls cost more than the arithmetic in
 * them. The slow twin is the path through slip_fixed_solve; tests compare the two bit for bit. */
#include "method/fixed/fixed.h"

#include <math.h>

#define SLIP_INLINE static inline __attribute__((always_inline))

bool slip_fixed_quick_applies(const slip_fixed *f)
{
    return f->constant_rows && !f->iterate && f->contact_count == 1 && f->direction_count == 1 && f->n <= 2 &&
           f->moving == f->n;
}

/* What slip_fixed_add_works does. */
SLIP_INLINE void add_works(const int n, const slip_fixed *f, const double *loads, const double *rise,
                           double force)
{
    const slip_contact *contact = f->system->contacts;
    const double *damping = f->system->damping, size = fabs(force);
    double *works = f->to->works, *largest = f->to->forces, way = 0, load = 0, lost = 0;
    for (int i = 0; i < n; i++) {
        double drag = 0;
        for (int j = 0; j < n; j++)
            drag += damping[i * n + j] * rise[j];
        load += loads[i] * rise[i];
        lost += drag * rise[i];
        way += contact->slip.row[i] * rise[i];
    }
    works[SLIP_WORK_LOADS] += load;
    works[SLIP_WORK_DAMPING] += lost * f->matrices.inverse_h;
    works[SLIP_WORK_CONTACTS] += force * way;
    works[SLIP_WORK_CONTACTS + 1] -= force * (way + contact->slip.constant * f->matrices.h);
    largest[0] = contact->normal_constant;
    largest[1] = size > largest[1] ? size : largest[1];
}

SLIP_INLINE void step(const int n, slip_fixed *f, const double *loads)
{
    const double h = f->matrices.h, inverse_h = f->matrices.inverse_h, *row = f->directions[0].row,
                 g = f->matrices.gram[0];
    const double theta = f->theta, *q0 = f->q0, *v0 = f->v0;
    double velocity[2], rise[2], b = 0, p;
    slip_block_state state;
    for (int i = 0; i < n; i++) {
        const double *of_v = f->matrices.from_v + i * n, *of_q = f->matrices.from_q + i * n,
                     *of_f = f->matrices.from_f + i * n;
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += of_v[j] * v0[j] - of_q[j] * q0[j] + of_f[j] * loads[j];
        velocity[i] = sum;
        b += row[i] * sum;
    }
    p = slip_block_alone(&f->problem.rows[0], g, b + f->problem.shift[0], 1, &state);
    for (int i = 0; i < n; i++)
        velocity[i] += f->matrices.responses[i] * p;
    if (state == SLIP_BLOCK_ZERO && f->directions[0].pin >= 0)
        velocity[f->directions[0].pin] = 0 - f->problem.shift[0] / row[f->directions[0].pin];
    else if (state == SLIP_BLOCK_ZERO) {
        /* of both the one that moves more */
        const int most =
            fabs(row[n - 1] * f->matrices.responses[n - 1]) > fabs(row[0] * f->matrices.responses[0]) ? n - 1
                                                                                                      : 0;
        const int other = n - 1 - most;
        velocity[most] = 0 - (f->problem.shift[0] + row[other] * velocity[other]) / row[most];
    }
    for (int i = 0; i < n; i++) {
        f->force[i] = loads[i];
        f->v[i] = velocity[i];
        rise[i] = h * (theta * velocity[i] + (1 - theta) * v0[i]);
        f->q[i] = q0[i] + rise[i];
        f->a[i] = (velocity[i] - v0[i]) * inverse_h;
    }
    f->impulses[0] = p;
    f->states[0] = state;
    f->added = f->to != NULL;
    if (f->added)
        add_works(n, f, loads, rise, p * inverse_h);
}

void slip_fixed_quick(slip_fixed *f, const double *loads)
{
    if (f->n == 1)
        step(1, f, loads);
    else
        step(2, f, loads);
}
