/* Free modes and exact propagation. The equations are in the header. */
#include "flex/free_modes.h"

#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A mode whose r is below this share of the largest is taken as uncoupled from the rotation. */
static const double negligible = 1e-10;

/* ---- Making. */

static void order_modes(slip_free_modes *m, const slip_free_vector *vectors)
{
    double largest = 0;
    int at = 0;
    for (int i = 0; i < m->size; i++)
        largest = fmax(largest, fabs(vectors[i].rotation));
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < m->size; i++)
            if ((fabs(vectors[i].rotation) > negligible * largest && !m->driven) == (pass == 0))
                m->order[at++] = vectors[i].place;
        m->coupled = pass ? m->coupled : at;
    }
}

/* Solves the small eigenvalue problem of the coupled vectors; the rigid rotation is set exactly. */
static int solve_coupled(slip_context *ctx, slip_free_modes *m)
{
    size_t n = (size_t)m->coupled + 1;
    double moment = m->moment;
    SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(m->mass, m->mass_capacity, (int64_t)(n * n)) &&
                                      SLIP_ROOM(m->vectors, m->vector_capacity, (int64_t)(n * n))));
    memset(m->mass, 0, sizeof(double) * n * n);
    memset(m->vectors, 0, sizeof(double) * n * n);
    m->mass[0] = moment;
    for (size_t i = 1; i < n; i++) {
        int mode = m->order[i - 1];
        m->mass[i] = m->mass[i * n] = m->rotation[mode];
        m->mass[i * n + i] = 1;
        m->vectors[i * n + i] = m->own[mode];
    }
    if (!slip_dense_eigenvectors_pair((int)n, m->vectors, m->mass, m->square))
        return slip_fail(ctx, SLIP_ERROR_SOLVER,
                         "the modes of a gear with a free bore were not found: its moment of inertia "
                         "%g kg m^2 is too small for its modes",
                         moment);
    memset(m->vectors, 0, sizeof(double) * n);
    m->vectors[0] = 1 / sqrt(moment);
    m->square[0] = 0;
    return SLIP_OK;
}

/* The diagonal of V^T D V. */
static void damp(slip_free_modes *m)
{
    size_t n = (size_t)m->coupled + 1;
    int skip = m->count - m->size;
    const double first = m->size > 0 ? m->damped[m->order[0]] : 0;
    for (int i = 0; i < m->size; i++)
        m->damping[skip + i] = m->damped[m->order[i]] * m->square[skip + i];
    for (size_t k = 0; !m->driven && k < n; k++) {
        const double *vector = m->vectors + k * n;
        m->damping[k] = first * m->square[k];
        for (size_t i = 1; i < n; i++) {
            const int at = m->order[i - 1];
            if (m->damped[at] != first)
                m->damping[k] += (m->damped[at] - first) * m->own[at] * vector[i] * vector[i];
        }
    }
}

int slip_free_modes_set(slip_context *ctx, slip_free_modes *m, double moment, int size,
                        const slip_free_vector *vectors)
{
    m->moment = moment;
    m->size = size;
    m->count = m->driven ? m->size : m->size + 1;
    for (int i = 0; i < size; i++) {
        const slip_free_vector *v = &vectors[i];
        m->own[v->place] = v->square;
        m->rotation[v->place] = v->rotation;
        m->damped[v->place] = v->damping;
    }
    order_modes(m, vectors);
    int status = m->driven ? SLIP_OK : solve_coupled(ctx, m);
    for (int i = m->coupled; i < m->size; i++)
        m->square[m->count - m->size + i] = m->own[m->order[i]];
    if (status >= 0)
        damp(m);
    return status;
}

int slip_free_modes_create(slip_context *ctx, int places, bool driven, slip_free_modes **free_modes)
{
    slip_free_modes *m = slip_alloc(1, sizeof *m);
    *free_modes = m;
    SLIP_PASS(slip_allocated(ctx, m));
    m->driven = driven;
    m->count = driven ? 0 : 1;
    m->order = slip_arena_array(&m->arena, places, sizeof *m->order);
    m->square = slip_arena_array(&m->arena, places + 1, sizeof *m->square);
    m->damping = slip_arena_array(&m->arena, places + 1, sizeof *m->damping);
    m->own = slip_arena_array(&m->arena, places, sizeof *m->own);
    m->rotation = slip_arena_array(&m->arena, places, sizeof *m->rotation);
    m->damped = slip_arena_array(&m->arena, places, sizeof *m->damped);
    if (m->order && m->square && m->damping && m->own && m->rotation && m->damped)
        return SLIP_OK;
    slip_free_modes_destroy(m);
    *free_modes = NULL;
    return slip_fail_memory(ctx);
}

void slip_free_modes_destroy(slip_free_modes *m)
{
    if (!m)
        return;
    slip_arena_free(&m->arena);
    free(m->vectors);
    free(m->mass);
    free(m);
}

/* ---- Use. */

double slip_free_modes_expand(const slip_free_modes *m, const double *y, double *q)
{
    int size = m->coupled + 1, skip = m->count - m->size;
    double angle = 0;
    for (int i = m->coupled; i < m->size; i++)
        q[m->order[i]] = y[skip + i];
    if (m->driven)
        return 0;
    for (int i = 0; i < m->coupled; i++)
        q[m->order[i]] = 0;
    for (int k = 0; k < size; k++) {
        const double *vector = m->vectors + (size_t)k * (size_t)size;
        angle += vector[0] * y[k];
        for (int i = 0; i < m->coupled; i++)
            q[m->order[i]] += vector[i + 1] * y[k];
    }
    return angle;
}

void slip_free_modes_project(const slip_free_modes *m, double moment, const double *load, double *p)
{
    int size = m->coupled + 1, skip = m->count - m->size;
    for (int i = m->coupled; i < m->size; i++)
        p[skip + i] = load[m->order[i]];
    for (int k = 0; !m->driven && k < size; k++) {
        const double *vector = m->vectors + (size_t)k * (size_t)size;
        p[k] = vector[0] * moment;
        for (int i = 0; i < m->coupled; i++)
            p[k] += vector[i + 1] * load[m->order[i]];
    }
}

double slip_free_modes_momenta(const slip_free_modes *m, double angle, double *q)
{
    double momentum = m->driven ? 0 : m->moment * angle;
    for (int i = 0; !m->driven && i < m->coupled; i++) {
        int at = m->order[i];
        momentum += m->rotation[at] * q[at];
        q[at] += m->rotation[at] * angle;
    }
    return momentum;
}

void slip_free_modes_turn(const slip_free_modes *m, double angle, double *y)
{
    memset(y, 0, sizeof(double) * (size_t)m->count);
    if (!m->driven)
        y[0] = sqrt(m->moment) * angle;
}
