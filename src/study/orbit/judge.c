/* Multipliers, stability and signature of a periodic motion. */
#include "math/dense.h"
#include "study/orbit/orbit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Multipliers. */

static void multiply(int n, const double *a, const double *b, double *to)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            to[i * n + j] = 0;
            for (int k = 0; k < n; k++)
                to[i * n + j] += a[i * n + k] * b[k * n + j];
        }
}

static void sort(int n, double *real, double *imaginary)
{
    for (int i = 1; i < n; i++)
        for (int j = i;
             j > 0 && hypot(real[j], imaginary[j]) > hypot(real[j - 1], imaginary[j - 1]) * (1 + 1e-12);
             j--) {
            const double r = real[j], s = imaginary[j];
            real[j] = real[j - 1];
            imaginary[j] = imaginary[j - 1];
            real[j - 1] = r;
            imaginary[j - 1] = s;
        }
}

int slip_orbit_nearest_one(const slip_orbit *orbit, int but)
{
    int nearest = -1;
    for (int i = 0; i < orbit->count; i++)
        if (i != but && (nearest < 0 || hypot(orbit->real[i] - 1, orbit->imaginary[i]) <
                                            hypot(orbit->real[nearest] - 1, orbit->imaginary[nearest])))
            nearest = i;
    return nearest;
}

int slip_orbit_judge(slip_context *ctx, slip_orbit *orbit)
{
    const int n = orbit->count;
    const size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    double *room = slip_alloc(3 * (int64_t)n * n + 1, sizeof(double)), *product = room ? room + n * n : NULL;
    SLIP_PASS(slip_allocated(ctx, room));
    memcpy(orbit->monodromy, orbit->by_state, bytes);
    for (int k = 1; k < orbit->arcs; k++) {
        multiply(n, orbit->by_state + (int64_t)k * n * n, orbit->monodromy, product);
        memcpy(orbit->monodromy, product, bytes);
    }
    memcpy(room, orbit->monodromy, bytes);
    const int found = slip_dense_eigenvectors_any(n, room, orbit->real, orbit->imaginary, product);
    free(room);
    if (found == SLIP_ERROR_MEMORY)
        return slip_fail_memory(ctx);
    if (found < 0)
        return slip_fail(ctx, SLIP_ERROR_SOLVER, "orbit: the multipliers were not found");
    sort(n, orbit->real, orbit->imaginary);
    const int trivial = orbit->own_period ? slip_orbit_nearest_one(orbit, -1) : -1;
    orbit->stable = true;
    for (int i = 0; i < n; i++)
        orbit->stable = orbit->stable &&
                        (i == trivial || hypot(orbit->real[i], orbit->imaginary[i]) < 1 + slip_orbit_neutral);
    return SLIP_OK;
}

/* ---- What happens in a period. */

static int compare_from(const slip_event *events, int64_t count, int64_t a, int64_t b)
{
    for (int64_t k = 0; k < count; k++) {
        const slip_event *x = &events[(a + k) % count], *y = &events[(b + k) % count];
        const int order = x->contact != y->contact ? x->contact - y->contact
                          : x->from != y->from     ? (int)x->from - (int)y->from
                                                   : (int)x->to - (int)y->to;
        if (order != 0)
            return order;
    }
    return 0;
}

/* Marks the bounces of a contact that lead to number k, where it closes. */
static void mark_bounces(slip_arc_flow *flow, int64_t k)
{
    const int64_t count = flow->event_count;
    const int contact = flow->events[k].contact;
    for (int64_t back = 1; back < count; back++) {
        slip_event *event = &flow->events[(k - back + count) % count];
        if (event->contact != contact)
            continue;
        if (event->from != SLIP_MODE_OPEN || event->to != SLIP_MODE_OPEN)
            break;
        event->contact = -1;
    }
}

void slip_orbit_drop_bounces(slip_arc_flow *flow)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < flow->event_count; k++) {
        const slip_event *event = &flow->events[k];
        if (event->contact >= 0 && event->from == SLIP_MODE_OPEN && event->to != SLIP_MODE_OPEN &&
            flow->system->contacts[event->contact].restitution > 0)
            mark_bounces(flow, k);
    }
    for (int64_t k = 0; k < flow->event_count; k++)
        if (flow->events[k].contact >= 0)
            flow->events[kept++] = flow->events[k];
    flow->event_count = kept;
}

int slip_orbit_signature(const slip_arc_flow *flow, slip_text *text)
{
    const int64_t count = flow->event_count;
    int64_t first = 0;
    for (int64_t k = 1; k < count; k++)
        if (compare_from(flow->events, count, k, first) < 0)
            first = k;
    for (int64_t k = 0; k < count; k++) {
        const slip_event *event = &flow->events[(first + k) % count];
        slip_text_printf(text, "%s%s %s>%s", k > 0 ? "; " : "", flow->system->contacts[event->contact].name,
                         slip_mode_name(event->from), slip_mode_name(event->to));
    }
    for (int c = 0; c < (int)flow->system->contact_count && count == 0; c++)
        slip_text_printf(text, "%s%s %s", c > 0 ? "; " : "", flow->system->contacts[c].name,
                         slip_mode_name(flow->end.modes[c]));
    if (flow->system->contact_count == 0)
        slip_text_append(text, "smooth");
    return text->failed ? slip_fail_memory(flow->ctx) : SLIP_OK;
}
