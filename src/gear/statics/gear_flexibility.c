/* Static flexibility between flanks. */
#include "gear/statics/gear_flexibility.h"

#include "flex/reduced.h"
#include "math/columns.h"

#include <stdlib.h>

/* Adds Phi_p Lambda^-1 Phi_0^T of two flanks, from rows there and scaled rows here. */
static void add_modes(int size, int modes, double *there, double *here, double *to)
{
    slip_columns_multiply(true, size, size, modes, 1, (slip_columns){here, modes},
                          (slip_columns){there, modes}, 1, (slip_columns){to, size});
}

int slip_gear_flexibility_create(slip_context *ctx, const slip_gear_wheel *gear, slip_gear_flexibility *f)
{
    int size = gear->size, n = gear->modes;
    SLIP_FREED double *here = slip_alloc((int64_t)size * n, sizeof *here);
    SLIP_FREED double *there = slip_alloc((int64_t)size * n, sizeof *there);
    *f = (slip_gear_flexibility){.gear = gear, .teeth = gear->flanks / 2, .reach = -1};
    f->amplitude = slip_arena_array(&f->arena, n, sizeof *f->amplitude);
    SLIP_PASS(slip_allocated(ctx, here && there && f->amplitude));
    if (gear->body->sectors != f->teeth || gear->body->attached_count == 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: found a reduced body %s; the statics of gears in mesh need one with both, as "
                         "`gear reduce` makes it without --whole",
                         gear->name,
                         gear->body->attached_count ? "without the gear's symmetry"
                                                    : "without attachment modes");
    slip_reduced_rows(gear->body, gear->surface[0], here);
    for (int64_t i = 0; i < size; i++)
        for (int k = 0; k < n; k++)
            here[i * n + k] /= gear->frame->square[k];
    for (int p = 0; p <= slip_gear_reach_max && p <= gear->body->reach; p++) {
        f->apart[p] = slip_arena_array(&f->arena, (int64_t)size * size, sizeof *f->apart[p]);
        SLIP_PASS(slip_allocated(ctx, f->apart[p]));
        slip_reduced_flexibility_between(gear->body, gear->surface[2 * p], gear->surface[0], f->apart[p]);
        slip_reduced_rows(gear->body, gear->surface[2 * p], there);
        add_modes(size, n, there, here, f->apart[p]);
        f->reach = p;
    }
    return SLIP_OK;
}

void slip_gear_flexibility_free(slip_gear_flexibility *f)
{
    slip_arena_free(&f->arena);
}

/* How many teeth flank `at` is after `by`; false where the modes alone couple them. */
static bool is_known(const slip_gear_flexibility *f, int at, int by, int *p)
{
    *p = (at / 2 - by / 2 + f->teeth) % f->teeth;
    *p = 2 * *p > f->teeth ? *p - f->teeth : *p;
    return at % 2 == by % 2 && abs(*p) <= f->reach;
}

/* Amplitude of a mode by a force on a node. */
static double excite(const slip_gear_wheel *g, int flank, int node, int mode, const double force[3])
{
    const double *row = g->rows[flank] + 3 * (size_t)node * (size_t)g->modes + mode;
    return (row[0] * force[0] + row[g->modes] * force[1] + row[2 * g->modes] * force[2]) /
           g->frame->square[mode];
}

static void add_mode(const slip_gear_wheel *g, int flank, int node, int mode, double amplitude, double to[3])
{
    const double *row = g->rows[flank] + 3 * (size_t)node * (size_t)g->modes + mode;
    for (int d = 0; d < 3; d++)
        to[d] += row[d * g->modes] * amplitude;
}

void slip_gear_flexibility_answer(slip_gear_flexibility *f, int at, int by, int pressed_count,
                                  const int *pressed, const double *force, double *displacement)
{
    const slip_gear_wheel *g = f->gear;
    int p;
    if (is_known(f, at, by, &p)) {
        for (int i = 0; i < g->nodes; i++)
            for (int k = 0; k < pressed_count; k++)
                slip_gear_flexibility_add(f, at, i, by, pressed[k], force + 3 * pressed[k],
                                          displacement + 3 * i);
        return;
    }
    for (int m = 0; m < g->modes; m++) {
        f->amplitude[m] = 0;
        for (int k = 0; k < pressed_count; k++)
            f->amplitude[m] += excite(g, by, pressed[k], m, force + 3 * pressed[k]);
    }
    for (int i = 0; i < g->nodes; i++)
        for (int m = 0; m < g->modes; m++)
            add_mode(g, at, i, m, f->amplitude[m], displacement + 3 * i);
}

/* Left flanks are mirror images: they see the teeth the other way round, and y with the other sign. */
void slip_gear_flexibility_add(const slip_gear_flexibility *f, int at, int i, int by, int k,
                               const double force[3], double to[3])
{
    int left = at % 2, p;
    if (!is_known(f, at, by, &p)) {
        for (int m = 0; m < f->gear->modes; m++)
            add_mode(f->gear, at, i, m, excite(f->gear, by, k, m, force), to);
        return;
    }
    bool turned = left ? p > 0 : p < 0;
    size_t size = (size_t)f->gear->size, row = turned ? (size_t)k : (size_t)i,
           column = turned ? (size_t)i : (size_t)k;
    const double *block = f->apart[abs(p)] + 3 * row * size + 3 * column;
    size_t down = turned ? 1 : size, right = turned ? size : 1;
    double sign = left ? -1 : 1, y = sign * force[1];
    to[0] += block[0] * force[0] + block[right] * y + block[2 * right] * force[2];
    block += down;
    to[1] += sign * (block[0] * force[0] + block[right] * y + block[2 * right] * force[2]);
    block += down;
    to[2] += block[0] * force[0] + block[right] * y + block[2 * right] * force[2];
}
