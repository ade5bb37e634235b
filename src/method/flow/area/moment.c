/* Moments: intervals so short that accelerations vary linearly in time within them. Slip starts with one
 * such interval and ends with another; between them its direction is well defined (see patch.c). */
#include "method/flow/area/patch.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

/* Begins a moment of length h at the present state, at first with constant accelerations. */
static void begin_moment(slip_flow *flow, double h)
{
    slip_moment *m = flow->areas.moment;
    const size_t size = (size_t)flow->n * sizeof(double);
    m->t = flow->t;
    m->h = h;
    memcpy(m->q, flow->q, size);
    memcpy(m->v, flow->v, size);
    memcpy(m->a0, flow->a_last, size);
    memcpy(m->a1, flow->a_last, size);
}

/* ---- Directions of slip at rest. */

/* The normal force of the patch, or 1 if it has no gap. With a gap N depends on the friction vector t: 1/N is
 * linear in t, and so is the slip acceleration over N. (Along the gap 0 = b_n + N (G_nn - g . t), along the
 * slip a = b + N (h - K t).) */
static double normal_of(const slip_flow *flow, const slip_flow_patch *p)
{
    return flow->system->contacts[p->contact].has_gap ? flow->work->contacts[p->contact].normal : 1;
}

/* The slip acceleration along the basis, over that normal force, when the patch slips along z. */
static bool acceleration_along(slip_flow *flow, slip_flow_patch *p, double t, const double *q,
                               const double *v, const double *z, double rate[3])
{
    double d[3] = {0, 0, 0}, area[3];
    for (int k = 0; k < p->rank; k++)
        for (int i = 0; i < 3; i++)
            d[i] += z[k] * p->basis[3 * k + i];
    slip_flow_patch_turn(flow, p, t, q, v);
    slip_flow_patch_aim(p, d);
    if (!slip_flow_patch_evaluate(flow, t, q, v))
        return false;
    slip_flow_patch_rate(flow, p, t, q, v, flow->a_last, area);
    for (int k = 0; k < p->rank; k++)
        rate[k] = slip_area_dot(area, p->basis + 3 * k) / normal_of(flow, p);
    return true;
}

/* The acceleration is b - K t(z), with the friction t. Determines b and K from slip along each vector of the
 * basis, and opposite to the first one. */
static bool find_load(slip_flow *flow, slip_flow_patch *p, double t, const double *q, const double *v,
                      double b[3], double K[9])
{
    const int n = p->rank;
    double rate[4][3], friction[9], T[3], strength;
    const slip_patch *law;
    for (int k = 0; k <= n; k++) {
        double z[3] = {0, 0, 0};
        z[k < n ? k : 0] = k < n ? 1 : -1;
        if (!acceleration_along(flow, p, t, q, v, z, rate[k]))
            return false;
    }
    law = slip_flow_patch_law(flow, p, false, &strength);
    for (int k = 0; k < n; k++)
        b[k] = 0.5 * (rate[0][k] + rate[n][k]);
    /* K t(e_l) = b - rate_l for every l: K^T from t^T K^T, one column after the other */
    for (int k = 0; k < n; k++) {
        double right[3];
        for (int l = 0; l < n; l++) {
            slip_patch_surface(law, p->basis + 3 * l, T, NULL);
            for (int m = 0; m < n; m++)
                friction[n * l + m] = slip_area_dot(p->basis + 3 * m, T);
            right[l] = b[k] - rate[l][k];
        }
        if (!slip_dense_solve(n, friction, right))
            return false;
        memcpy(K + n * k, right, (size_t)n * sizeof *right);
    }
    return true;
}

/* Finds the direction of slip whose acceleration is parallel to it, with growth of the given sign. z: in, a
 * guess; out, the direction. The equation is evaluated there. */
static bool find_direction(slip_flow *flow, slip_flow_patch *p, double t, const double *q, const double *v,
                           double sign, double *z, double *growth)
{
    double b[3], K[9], rate[3], strength;
    if (!find_load(flow, p, t, q, v, b, K) ||
        !slip_patch_slide(slip_flow_patch_law(flow, p, false, &strength), p->rank, p->basis, K, b, sign, z,
                          growth) ||
        !acceleration_along(flow, p, t, q, v, z, rate))
        return false;
    *growth *= normal_of(flow, p);
    return normal_of(flow, p) > 0;
}

/* Improves the direction of a patch that starts to slip, for given directions of the other patches; puts it
 * in stick where it cannot slip with these. Returns the change of the direction. */
static double turn(slip_flow *flow, slip_flow_patch *p, double t, const double *q, const double *v)
{
    const bool slipped = slip_flow_patch_starts(flow, p);
    double before[3], change = 0;
    memcpy(before, p->load, sizeof before);
    slip_flow_patch_set_slip(flow, p, true);
    if (!find_direction(flow, p, t, q, v, 1, p->load, &p->growth)) {
        slip_flow_patch_set_stick(flow, p);
        return slipped;
    }
    for (int i = 0; i < p->rank; i++)
        change = fmax(change, fabs(p->load[i] - before[i]));
    return slipped ? change : 1;
}

slip_flow_patch *slip_flow_patch_directions(slip_flow *flow, double t, const double *q, const double *v)
{
    enum { rounds = 50 };
    double change = 1;
    int starting = 0;
    slip_flow_patch *held = NULL;
    for (int k = 0; k < flow->areas.count; k++) {
        flow->areas.list[k].tried = slip_flow_patch_starts(flow, &flow->areas.list[k]);
        starting += flow->areas.list[k].tried;
    }
    for (int round = 0; round < rounds && change > 1e-13; round++) {
        change = 0;
        for (int k = 0; k < flow->areas.count; k++)
            if (flow->areas.list[k].tried)
                change = fmax(change, turn(flow, &flow->areas.list[k], t, q, v));
        if (starting < 2)
            break;
    }
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        if (!p->tried || slip_flow_patch_starts(flow, p))
            continue;
        slip_flow_patch_set_slip(flow, p, true);
        held = held ? held : p;
    }
    return held;
}

/* ---- The first moment of slip. */

bool slip_flow_patch_free(slip_flow *flow, const slip_flow_patch *p, bool leave)
{
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *other = &flow->areas.list[k];
        if (other == p || !other->charted)
            continue;
        if (exp(other->log_size) < 1e-6 * flow->sizes.fastest)
            return false;
        slip_flow_patch_set_direction(flow, other, false);
        if (leave)
            slip_flow_patch_leave(flow, other);
    }
    return true;
}

/* Restores the patches after an attempt that failed. */
static void restore(slip_flow *flow)
{
    for (int k = 0; k < flow->areas.count; k++)
        if (flow->areas.list[k].charted)
            slip_flow_patch_set_slip(flow, &flow->areas.list[k], false);
}

/* The length of the first moment. With static_ratio 1 the slip starts without growth, and is stiff. */
static double first_moment(slip_flow *flow)
{
    double scale = slip_flow_time_scale(flow), h = 1e-7 * scale;
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        if (!slip_flow_patch_starts(flow, p) || p->rank == 1)
            continue;
        if (p->growth < 1e-3 * slip_flow_patch_stiffness(flow, p))
            h = fmax(h, scale * fmin(fmax(cbrt(flow->options.tolerance), 1e-5), 1e-3));
    }
    return h;
}

bool slip_flow_patch_begin(slip_flow *flow)
{
    const int n = flow->n;
    double *q = flow->areas.shift, *v = flow->areas.shift + n, h;
    slip_flow_patch *held;
    flow->areas.shifted = false;
    for (int k = 0; k < flow->areas.count; k++) {
        flow->areas.shifted |= slip_flow_patch_starts(flow, &flow->areas.list[k]);
        flow->areas.list[k].start_growth = flow->areas.list[k].growth;
        memcpy(flow->areas.list[k].start_direction, flow->areas.list[k].direction,
               sizeof flow->areas.list[k].direction);
    }
    if (!flow->areas.shifted)
        return true;
    h = first_moment(flow);
    if (!slip_flow_patch_evaluate(flow, flow->t, flow->q, flow->v))
        return false;
    begin_moment(flow, h);
    slip_flow_moment_inside(flow, h, q, v);
    slip_flow_patch_free(flow, NULL, false);
    held = slip_flow_patch_directions(flow, flow->t + h, q, v);
    if (held) {
        restore(flow);
        /* the limit of stick was exceeded by almost nothing, and no longer is a moment later */
        slip_flow_patch_set_stick(flow, held);
        return slip_flow_patch_begin(flow);
    }
    if (!slip_flow_patch_evaluate(flow, flow->t + h, q, v))
        return false;
    restore(flow);
    memcpy(flow->areas.moment->a1, flow->a_last, (size_t)n * sizeof(double));
    slip_flow_moment_inside(flow, h, q, v);
    flow->areas.shift[2 * n] = h;
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        if (!slip_flow_patch_starts(flow, p))
            continue;
        p->charted = true;
        memcpy(p->end_direction, p->direction, sizeof p->direction);
        p->log_size = log(fmax(0.5 * h * (p->start_growth + p->growth), 1e-30));
        flow->areas.use_stiff |= p->rank > 1 && slip_flow_patch_is_stiff(flow, p, p->growth);
    }
    if (flow->areas.use_stiff) {
        slip_flow_clean(flow, flow->t + h, q, v);
        for (int k = 0; k < flow->areas.count; k++)
            slip_flow_patch_leave(flow, &flow->areas.list[k]);
    }
    return true;
}

/* ---- The last moment of slip. */

static void last_state(const void *self, double t, double *q, double *v)
{
    slip_flow *flow = (slip_flow *)(uintptr_t)self;
    slip_flow_moment_last(flow, t - flow->areas.moment->t, q, v);
}

static void last_sample(const void *self, double t, slip_sample *sample)
{
    slip_flow *flow = (slip_flow *)(uintptr_t)self;
    double *q = flow->scratch.inside, *v = flow->scratch.inside + flow->n;
    slip_flow_moment_last(flow, fmin(t - flow->areas.moment->t, flow->areas.moment->h), q, v);
    if (slip_flow_patch_evaluate(flow, t, q, v))
        slip_flow_fill(flow, q, v, flow->a_last, sample);
}

static double longest_moment(const slip_flow *flow)
{
    return 0.3 * slip_flow_time_scale(flow) * fmin(cbrt(flow->options.tolerance), 1e-2);
}

/* Whether the patch may come to rest within the time `most`. Sets the slip: direction p->load, *size. */
static bool nearly_at_rest(slip_flow *flow, slip_flow_patch *p, double most, double *size)
{
    double slip[3], rate[3], growth;
    if (!slip_flow_patch_slips(flow, p))
        return false;
    slip_flow_patch_slip(flow, p, flow->t, flow->q, flow->v, slip);
    *size = slip_area_norm(slip);
    slip_flow_patch_refresh(flow, p);
    /* the acceleration of slip is not much more than that by friction */
    if (!(*size < 10 * most * slip_flow_patch_stiffness(flow, p)) ||
        !slip_flow_patch_evaluate(flow, flow->t, flow->q, flow->v))
        return false;
    slip_flow_patch_rate(flow, p, flow->t, flow->q, flow->v, flow->a_last, rate);
    growth = slip_area_dot(rate, slip) / *size;
    for (int k = 0; k < p->rank; k++)
        p->load[k] = slip_area_dot(slip, p->basis + 3 * k) / *size;
    return *size < -2 * most * growth;
}

/* Whether accelerations in the middle of the moment equal the mean of those at its ends: the difference times
 * h is the error of velocities. */
static bool even(slip_flow *flow)
{
    const slip_moment *m = flow->areas.moment;
    double *q = flow->areas.shift, *v = flow->areas.shift + flow->n, unit = slip_flow_speed_unit(flow),
           worst = 0;
    slip_flow_moment_inside(flow, m->h / 2, q, v);
    if (!slip_flow_patch_evaluate(flow, m->t + m->h / 2, q, v))
        return false;
    for (int i = 0; i < flow->n; i++)
        worst = fmax(worst, fabs(flow->a_last[i] - (m->a0[i] + m->a1[i]) / 2) / (1 + fabs(m->v[i]) / unit));
    return worst * m->h <= flow->options.tolerance * unit;
}

/* Whether all friction contacts that slip continue to slip until the end of the moment. */
static bool undisturbed(slip_flow *flow)
{
    const double t = flow->areas.moment->t + flow->areas.moment->h, *q = flow->areas.shift,
                 *v = flow->areas.shift + flow->n;
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_mode mode = flow->branches[c].mode;
        double slip;
        if (!slip_flow_decided(flow, c) || (mode != SLIP_MODE_SLIP_PLUS && mode != SLIP_MODE_SLIP_MINUS))
            continue;
        slip = slip_system_slip(flow->system, flow->work, c, t, q, v);
        /* some contacts come to rest with the patch */
        if ((mode == SLIP_MODE_SLIP_PLUS ? -slip : slip) > 10 * flow->options.tolerance * flow->sizes.fastest)
            return false;
    }
    return true;
}

/* The moment that ends at rest: L + h (g0 + g1)/2 = 0. The state at its end is left in flow->areas.shift. The
 * direction is taken as the one parallel to its acceleration; its difference from the present direction,
 * times L, is an error of velocities. False where this error or that of the moment's length is too large. */
static bool end_at_rest(slip_flow *flow, slip_flow_patch *p, double most, double size)
{
    double *q = flow->areas.shift, *v = flow->areas.shift + flow->n,
           now[3] = {p->load[0], p->load[1], p->load[2]}, change = 0;
    if (!find_direction(flow, p, flow->t, flow->q, flow->v, -1, p->load, &p->start_growth) ||
        !(p->start_growth < 0) || !(-size / p->start_growth < most))
        return false;
    for (int k = 0; k < p->rank; k++)
        change += (p->load[k] - now[k]) * (p->load[k] - now[k]);
    if (!(size * sqrt(change) <= flow->options.tolerance * slip_flow_speed_unit(flow)))
        return false;
    begin_moment(flow, -size / p->start_growth);
    flow->areas.moment->patch = p;
    flow->areas.moment->size = size;
    memcpy(flow->areas.moment->from, p->direction, sizeof p->direction);
    for (int round = 0; round < 2; round++) {
        slip_flow_moment_inside(flow, flow->areas.moment->h, q, v);
        if (!find_direction(flow, p, flow->t + flow->areas.moment->h, q, v, -1, p->load, &p->growth) ||
            !(p->growth < 0))
            return false;
        memcpy(flow->areas.moment->a1, flow->a_last, (size_t)flow->n * sizeof(double));
        flow->areas.moment->h = -2 * size / (p->start_growth + p->growth);
    }
    memcpy(flow->areas.moment->to, p->direction, sizeof p->direction);
    slip_flow_moment_inside(flow, flow->areas.moment->h, q, v);
    return undisturbed(flow) && even(flow);
}

static int show_last_moment(slip_flow *flow, double t1, const slip_observer *observer)
{
    const slip_moment *m = flow->areas.moment;
    slip_step view = {.t0 = m->t,
                      .t1 = t1,
                      .q0 = m->q,
                      .v0 = m->v,
                      .a0 = m->a0,
                      .q1 = flow->areas.shift,
                      .v1 = flow->areas.shift + flow->n,
                      .a1 = m->a1,
                      .event1 = true,
                      .self = flow,
                      .state = last_state,
                      .sample = last_sample,
                      .loads = slip_flow_loads};
    return observer->step ? observer->step(observer->user, &view) : SLIP_OK;
}

int slip_flow_patch_finish(slip_flow *flow, double end, const slip_observer *observer,
                           slip_flow_crossing *crossing)
{
    const double most = longest_moment(flow);
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        double size, t1;
        int status;
        if (!nearly_at_rest(flow, p, most, &size))
            continue;
        slip_flow_patch_set_slip(flow, p, true);
        if (!slip_flow_patch_free(flow, p, false) || !end_at_rest(flow, p, most, size) ||
            !((t1 = flow->t + flow->areas.moment->h) <= end)) {
            if (slip_flow_in_chart(flow))
                slip_flow_patch_read(flow, flow->stepper->y1);
            slip_flow_patch_set_slip(flow, p, false);
            restore(flow);
            continue;
        }
        slip_flow_patch_free(flow, p, true);
        p->charted = true;
        slip_flow_moment_last(flow, flow->areas.moment->h, flow->areas.shift, flow->areas.shift + flow->n);
        if (flow->tangent)
            slip_tangent_moment(flow->tangent, true);
        status = show_last_moment(flow, t1, observer);
        slip_flow_moment_last(flow, flow->areas.moment->h, flow->areas.shift,
                              flow->areas.shift + flow->n); /* the observer has moved it */
        slip_flow_move_gaps(flow, t1, flow->areas.shift);
        memcpy(flow->q, flow->areas.shift, (size_t)flow->n * sizeof(double));
        memcpy(flow->v, flow->areas.shift + flow->n, (size_t)flow->n * sizeof(double));
        flow->t = t1;
        flow->steps++;
        *crossing = (slip_flow_crossing){.boundary = SLIP_FLOW_REST, .contact = p->contact};
        return status;
    }
    return SLIP_OK;
}
