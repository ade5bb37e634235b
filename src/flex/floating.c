/* The floating frame. The equations are in the header. */
#include "flex/floating.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Below this share of the largest entry a number is rounding: modes of different waves. */
static const double negligible = 1e-12;

static int take_entries(slip_context *ctx, slip_floating *f, const double *full, int stride,
                        slip_floating_matrix *m)
{
    double largest = 0;
    int count = 0;
    for (int i = 0; i < f->modes; i++)
        for (int k = 0; k < f->modes; k++)
            largest = fmax(largest, fabs(full[(size_t)i * (size_t)stride + (size_t)k]));
    for (int pass = 0; pass < 2; pass++) {
        if (pass) {
            m->first = slip_arena_array(&f->arena, f->modes + 1, sizeof *m->first);
            m->column = slip_arena_array(&f->arena, count, sizeof *m->column);
            m->value = slip_arena_array(&f->arena, count, sizeof *m->value);
            SLIP_PASS(slip_allocated(ctx, m->first && m->column && m->value));
        }
        count = 0;
        for (int i = 0; i < f->modes; i++) {
            for (int k = 0; k < f->modes; k++) {
                double value = full[(size_t)i * (size_t)stride + (size_t)k];
                if (!(fabs(value) > negligible * largest))
                    continue;
                if (pass) {
                    m->column[count] = k;
                    m->value[count] = value;
                }
                count++;
            }
            if (pass)
                m->first[i + 1] = count;
        }
    }
    return SLIP_OK;
}

int slip_floating_create(slip_context *ctx, const slip_reduced *body, int modes, double inertia,
                         slip_floating **frame)
{
    int all = slip_reduced_mode_count(body);
    const slip_reduced_mode *mode = slip_reduced_modes(body);
    SLIP_FREED_BY(slip_floating_drop) slip_floating *f = slip_alloc(1, sizeof *f);
    *frame = NULL;
    SLIP_PASS(slip_allocated(ctx, f));
    f->modes = modes;
    f->moment = slip_reduced_moment(body) + inertia;
    f->square = slip_arena_array(&f->arena, modes, sizeof(double));
    f->rotation = slip_arena_array(&f->arena, modes, sizeof(double));
    f->spread = slip_arena_array(&f->arena, modes, sizeof(double));
    f->scratch = slip_arena_array(&f->arena, 2 * (int64_t)modes, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, f->square && f->rotation && f->spread && f->scratch));
    for (int k = 0; k < modes; k++) {
        f->square[k] = pow(2 * pi * mode[k].frequency, 2);
        f->rotation[k] = mode[k].rotation;
        f->spread[k] = mode[k].spread;
    }
    SLIP_PASS(take_entries(ctx, f, slip_reduced_coriolis(body), all, &f->coriolis));
    SLIP_PASS(take_entries(ctx, f, slip_reduced_softening(body), all, &f->softening));
    SLIP_HAND(frame, f);
    return SLIP_OK;
}

SLIP_DESTROY(slip_floating)

static double row_times(const slip_floating_matrix *m, int row, const double *x)
{
    double sum = 0;
    for (int e = m->first[row]; e < m->first[row + 1]; e++)
        sum += m->value[e] * x[m->column[e]];
    return sum;
}

slip_floating_terms slip_floating_inertia(slip_floating *f, double speed, const double *q, const double *rate,
                                          double *coupling, double *load)
{
    slip_floating_terms t = {.moment = f->moment};
    for (int k = 0; k < f->modes; k++) {
        double swing = row_times(&f->softening, k, q);
        coupling[k] = f->rotation[k] + row_times(&f->coriolis, k, q);
        load[k] += speed * (speed * (f->spread[k] + swing) - 2 * row_times(&f->coriolis, k, rate));
        t.moment += (2 * f->spread[k] + swing) * q[k];
        t.torque -= 2 * speed * (f->spread[k] + swing) * rate[k];
    }
    return t;
}

slip_floating_account slip_floating_measure(slip_floating *f, double speed, const double *q,
                                            const double *rate)
{
    double *coupling = f->scratch, *load = f->scratch + f->modes, along = 0, square = 0, strain = 0;
    slip_floating_terms t = slip_floating_inertia(f, speed, q, rate, coupling, load);
    for (int k = 0; k < f->modes; k++) {
        along += coupling[k] * rate[k];
        square += rate[k] * rate[k];
        strain += f->square[k] * q[k] * q[k];
    }
    return (slip_floating_account){.kinetic = speed * speed * t.moment / 2 + speed * along + square / 2,
                                   .strain = strain / 2,
                                   .momentum = speed * t.moment + along};
}
