/* Patches in the chart of their direction, and which stepper follows their slip (see patch.c). */
#include "method/flow/area/patch.h"
#include "system/vibration/linearise.h"

#include <math.h>
#include <string.h>

/* ---- In the chart. */

void slip_flow_patch_read(slip_flow *flow, const double *y)
{
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        const double *own = y + 2 * flow->n + 1 + p->slot;
        if (!p->charted)
            continue;
        p->log_size = own[0];
        slip_flow_patch_turn(flow, p, flow->charts.origin + y[2 * flow->n], y, y + flow->n);
        slip_flow_patch_aim(p, own + 1);
    }
}

void slip_flow_patch_write(const slip_flow *flow, double *y)
{
    const int n = flow->n;
    for (int k = 0; k < flow->areas.count; k++) {
        const slip_flow_patch *p = &flow->areas.list[k];
        double *own = y + 2 * n + 1 + p->slot;
        own[0] = p->charted ? p->log_size : 0;
        for (int i = 0; i < 3; i++)
            own[1 + i] = p->charted ? p->direction[i] : 0;
    }
    if (flow->areas.shifted)
        memcpy(y, flow->areas.shift, (2 * (size_t)n + 1) * sizeof(double));
}

void slip_flow_patch_rates(slip_flow *flow, double t, const double *q, const double *v, double *dy)
{
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        double *own = dy + 2 * flow->n + 1 + p->slot, rate[3], speed = flow->charts.speed[p->contact];
        if (!p->charted)
            continue;
        slip_flow_patch_rate(flow, p, t, q, v, flow->a_last, rate);
        p->growth = slip_area_dot(rate, p->direction);
        own[0] = speed * p->growth;
        for (int i = 0; i < 3; i++)
            own[1 + i] = speed * (rate[i] - p->growth * p->direction[i]);
    }
}

/* An error of the slip counts as much as one of the velocities; errors of ln L and of the direction are those
 * of the slip over L. */
void slip_flow_patch_weigh(slip_flow *flow)
{
    const double tolerance = flow->options.tolerance, unit = slip_flow_speed_unit(flow);
    for (int k = 0; k < flow->areas.count; k++) {
        const slip_flow_patch *p = &flow->areas.list[k];
        double *own = flow->charted->absolute + 2 * flow->n + 1 + p->slot;
        double weight =
            p->charted ? fmin(tolerance * (1 + 0.01 * unit * exp(-p->log_size)), fmax(1e-3, tolerance)) : 1;
        for (int i = 0; i < 4; i++)
            own[i] = weight;
    }
}

bool slip_flow_patch_at_rest(const slip_flow *flow, const slip_flow_patch *p)
{
    double fastest = flow->sizes.fastest;
    if (!p->charted || !slip_flow_in_chart(flow) || !(p->growth < 0))
        return false;
    return exp(p->log_size) <=
           fmax(-1e-15 * (slip_flow_time_scale(flow) + fabs(flow->t)) * p->growth, 1e-15 * fastest);
}

/* ---- Into the chart, and out of it. */

bool slip_flow_patch_is_stiff(slip_flow *flow, const slip_flow_patch *p, double growth)
{
    const double most = 20;
    return slip_flow_patch_stiffness(flow, p) > most * fabs(growth);
}

double slip_flow_patch_stiffness(slip_flow *flow, const slip_flow_patch *p)
{
    double strength;
    slip_flow_patch_law(flow, p, false, &strength);
    return p->stiffness * strength;
}

void slip_flow_patch_leave(slip_flow *flow, slip_flow_patch *p)
{
    p->charted = false;
    if (slip_flow_patch_slips(flow, p))
        slip_flow_patch_set_slip(flow, p, false);
}

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static void enter_chart(slip_flow *flow, slip_flow_patch *p, const double slip[3])
{
    slip_flow_patch_aim(p, slip);
    p->log_size = log(slip_area_norm(slip));
    p->charted = true;
    slip_flow_patch_set_slip(flow, p, false);
}

/* Whether the straight line from s0 to s1 approaches zero and passes it at a distance below `near` times its
 * length. */
static bool passes_near(const double s0[3], const double s1[3], double near)
{
    double way[3], length, at, closest[3];
    for (int i = 0; i < 3; i++)
        way[i] = s1[i] - s0[i];
    length = slip_area_norm(way);
    at = fmin(-slip_area_dot(s0, way) / (length * length), 1);
    if (!(at > 0))
        return false;
    for (int i = 0; i < 3; i++)
        closest[i] = s0[i] + at * way[i];
    return slip_area_norm(closest) < near * length;
}

/* Compares the slip at both ends of the step. */
bool slip_flow_patch_missed(slip_flow *flow)
{
    const slip_stepper *stepper = flow->stepper;
    bool missed = false;
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        if (!slip_flow_patch_slips(flow, p) || p->charted)
            continue;
        slip_flow_patch_slip(flow, p, slip_flow_time(flow, stepper->x1, stepper->y1), stepper->y1,
                             stepper->y1 + flow->n, p->slip1);
        /* the stepper's state: that of the flow may be one before the first moment of a slip */
        slip_flow_patch_slip(flow, p, slip_flow_time(flow, stepper->x0, stepper->y0), stepper->y0,
                             stepper->y0 + flow->n, p->slip0);
        if (flow->stepper == flow->stiff ? slip_area_dot(p->slip0, p->slip1) > 0
                                         : !passes_near(p->slip0, p->slip1, 0.5))
            continue;
        enter_chart(flow, p, p->slip0);
        missed = true;
    }
    return missed;
}

/* Below this slip the velocities, with errors of the tolerance, do not determine its direction. */
static double smallest_slip(const slip_flow *flow)
{
    return sqrt(flow->options.tolerance) * (1e-3 * slip_flow_speed_unit(flow) + flow->sizes.fastest);
}

/* Long steps towards rest enter the chart early. Above this slip implicit steps are used where the direction
 * follows the load quickly. Below it the chart stays in use, which gives the time of rest more accurately. */
static double far_slip(const slip_flow *flow)
{
    return 1e-3 * (1e-3 * slip_flow_speed_unit(flow) + flow->sizes.fastest);
}

/* The length of the last step over the relaxation time of the direction; explicit: stable up to 3. */
static double stiffness_of_step(slip_flow *flow)
{
    const double h = flow->stepper->x1 - flow->stepper->x0;
    double most = 0;
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        double size = slip_area_norm(p->slip1), growth = (size - slip_area_norm(p->slip0)) / h;
        if (!slip_flow_patch_slips(flow, p) || p->rank == 1)
            continue;
        slip_flow_patch_refresh(flow, p);
        if (slip_flow_patch_is_stiff(flow, p, growth))
            most = fmax(most, h * slip_flow_patch_stiffness(flow, p) / size);
    }
    return most;
}

/* Chooses the cheaper stepper: an implicit step costs as much as three explicit ones. */
static void watch_stiffness(slip_flow *flow)
{
    enum { patience = 4 };
    const double stiffness = stiffness_of_step(flow);
    const bool doubtful = flow->areas.use_stiff ? stiffness < 5 : stiffness > 0.5;
    flow->areas.stiff_steps = doubtful ? flow->areas.stiff_steps + 1 : 0;
    if (flow->areas.stiff_steps < patience)
        return;
    flow->areas.use_stiff = !flow->areas.use_stiff;
    flow->areas.stiff_steps = 0;
}

double slip_flow_patch_reach(slip_flow *flow)
{
    const slip_stepper *stepper = flow->stepper;
    double reach = INFINITY;
    for (int k = 0; k < flow->areas.count; k++) {
        const slip_flow_patch *p = &flow->areas.list[k];
        double slip[3], rate[3], along;
        if (!slip_flow_patch_slips(flow, p))
            continue;
        slip_flow_patch_slip(flow, p, stepper->x1, stepper->y1, stepper->y1 + flow->n, slip);
        slip_flow_patch_rate(flow, p, stepper->x1, stepper->y1, stepper->y1 + flow->n, stepper->f1 + flow->n,
                             rate);
        along = slip_area_dot(slip, rate);
        if (along < 0)
            reach = fmin(reach, -0.8 * slip_area_dot(slip, slip) / along);
    }
    return stepper->x1 + reach;
}

bool slip_flow_patch_change(slip_flow *flow)
{
    bool change = false, before_stiff = flow->areas.use_stiff;
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        if (!slip_flow_patch_slips(flow, p))
            continue;
        if (!p->charted) {
            double before = slip_area_norm(p->slip0), after = slip_area_norm(p->slip1);
            if (flow->stepper == flow->stiff)
                continue;
            if (passes_near(p->slip0, p->slip1, 2) || (after < before && after < smallest_slip(flow))) {
                enter_chart(flow, p, p->slip1);
                change = true;
            }
        } else {
            const double *from = flow->stepper->y0 + 2 * flow->n + 1 + p->slot,
                         *to = flow->stepper->y1 + 2 * flow->n + 1 + p->slot;
            if (to[0] > from[0] && to[0] > log(smallest_slip(flow)) && distance(from + 1, to + 1) < 0.1) {
                slip_flow_patch_leave(flow, p);
                change = true;
            } else if (p->rank > 1 && to[0] < from[0] && to[0] > log(far_slip(flow)) &&
                       slip_flow_patch_is_stiff(flow, p, p->growth)) {
                slip_flow_patch_leave(flow, p);
                flow->areas.use_stiff = change = true;
                flow->areas.stiff_steps = 0;
            }
        }
    }
    if (!slip_flow_in_chart(flow))
        watch_stiffness(flow);
    return change || flow->areas.use_stiff != before_stiff;
}

/* ---- The linearised motion while patches slip (for the derivatives of method/tangent/tangent.h).
 *
 * A change ds of the slip turns its direction d by (1 - d d^T) ds/L, and with it the accelerations a, which
 * depend on nothing else of the slip. So the rates of a change are those at constant direction plus, for each
 * vector e of the basis of slips, da/d(d along e) times e . ds/L. Next to rest L is small: there it is taken
 * from the chart, over whose clock, dt/dx = L, none of these terms is large. */

void slip_flow_patch_steer(slip_flow *flow, double t, const double *q, const double *v)
{
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        double slip[3];
        if (!slip_flow_patch_slips(flow, p) || p->charted)
            continue;
        slip_flow_patch_turn(flow, p, t, q, v);
        slip_flow_patch_slip(flow, p, t, q, v, slip);
        slip_flow_patch_aim(p, slip);
        p->log_size = log(slip_area_norm(slip));
        slip_flow_patch_set_direction(flow, p, true);
    }
}

void slip_flow_patch_let_steer(slip_flow *flow)
{
    for (int k = 0; k < flow->areas.count; k++)
        if (slip_flow_patch_slips(flow, &flow->areas.list[k]))
            slip_flow_patch_set_direction(flow, &flow->areas.list[k], flow->areas.list[k].charted);
}

void slip_flow_patch_keep_course(slip_flow *flow, double t, const double *q, const double *v)
{
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        if (!p->sum || !slip_flow_patch_slips(flow, p))
            continue;
        slip_flow_patch_turn(flow, p, t, q, v);
        slip_flow_patch_aim(p, p->direction);
    }
}

/* da/d(d along a vector of the basis), as a difference of fourth order. */
static bool turned(slip_flow *flow, slip_flow_patch *p, double t, const double *y, const double *along,
                   double *to)
{
    static const double places[] = {-2, -1, 1, 2}, weights[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const double step = 3e-5, here[3] = {p->direction[0], p->direction[1], p->direction[2]};
    bool good = true;
    memset(to, 0, (size_t)flow->n * sizeof(double));
    for (int k = 0; k < 4 && good; k++) {
        double there[3];
        for (int i = 0; i < 3; i++)
            there[i] = here[i] + places[k] * step * along[i];
        slip_flow_patch_aim(p, there);
        good = slip_flow_patch_evaluate(flow, t, y, y + flow->n);
        for (int i = 0; i < flow->n; i++)
            to[i] += weights[k] / step * flow->a_last[i];
    }
    slip_flow_patch_aim(p, here);
    return good;
}

bool slip_flow_patch_vary(slip_flow *flow, double t, const double *y, bool charted, double speed,
                          double *matrix)
{
    const int n = flow->n, m = 2 * n;
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        double *gradients = p->gradients;
        if (!slip_flow_patch_slips(flow, p))
            continue;
        p->pull = charted && p->charted ? flow->charts.speed[p->contact] : speed * exp(-p->log_size);
        slip_flow_patch_refresh(flow, p);
        for (int e = 0; e < p->rank; e++)
            if (!turned(flow, p, t, y, p->basis + 3 * e, p->turned + e * n))
                return false;
        slip_flow_patch_gradients(flow, p, t, y, y + n, gradients);
        for (int e = 0; e < p->rank; e++)
            for (int j = 0; j < m; j++) {
                double slip = 0;
                for (int part = 0; part < 3; part++)
                    slip += p->basis[3 * e + part] * gradients[part * m + j];
                for (int i = 0; i < n && slip != 0; i++)
                    matrix[(n + i) * m + j] += p->pull * p->turned[e * n + i] * slip;
            }
    }
    return true;
}

void slip_flow_patch_gradients(slip_flow *flow, const slip_flow_patch *p, double t, const double *q,
                               const double *v, double *gradients)
{
    const slip_patch_form *form = p->form;
    const int m = 2 * flow->n;
    double slip[3];
    slip_flow_patch_slip(flow, p, t, q, v, slip);
    for (int part = 0; part < 3; part++) {
        slip_system_slip_gradient(flow->system, flow->work, &flow->system->contacts[p->contact].slips[part],
                                  gradients + part * m);
        for (int j = 0; j < m && part == 2; j++)
            gradients[part * m + j] *= form->size;
    }
}

void slip_flow_patch_pull(const slip_flow *flow, const slip_flow_patch *p, const double slip[3],
                          double *rates)
{
    for (int e = 0; e < p->rank; e++)
        for (int i = 0; i < flow->n; i++)
            rates[i] += p->pull * p->turned[e * flow->n + i] * slip_area_dot(p->basis + 3 * e, slip);
}

void slip_flow_moment_inside(const slip_flow *flow, double x, double *q, double *v)
{
    const slip_moment *m = flow->areas.moment;
    for (int i = 0; i < flow->n; i++) {
        double jerk = (m->a1[i] - m->a0[i]) / m->h;
        q[i] = m->q[i] + x * (m->v[i] + x / 2 * (m->a0[i] + x / 3 * jerk));
        v[i] = m->v[i] + x * (m->a0[i] + x / 2 * jerk);
    }
}

/* The state q, v at time x of the last moment of a slip; sets size and direction of the slip to match. */
void slip_flow_moment_last(slip_flow *flow, double x, double *q, double *v)
{
    const slip_moment *m = flow->areas.moment;
    slip_flow_patch *p = m->patch;
    double left = 1 - x / m->h, size, d[3];
    size = left * (m->size - x / 2 * (p->growth - p->start_growth));
    for (int i = 0; i < 3; i++)
        d[i] = left * m->from[i] + (1 - left) * m->to[i];
    slip_flow_patch_aim(p, d);
    p->log_size = log(fmax(size, 0));
    slip_flow_moment_inside(flow, x, q, v);
    slip_flow_clean(flow, m->t + x, q, v);
}

/* The same for the first moment, for all patches that start to slip. */
static void inside_first(slip_flow *flow, double x, double *q, double *v)
{
    const double part = x / flow->areas.moment->h;
    slip_flow_moment_inside(flow, x, q, v);
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        double d[3];
        if (!slip_flow_patch_starts(flow, p))
            continue;
        for (int i = 0; i < 3; i++)
            d[i] = (1 - part) * p->start_direction[i] + part * p->end_direction[i];
        slip_flow_patch_turn(flow, p, flow->areas.moment->t + x, q, v);
        slip_flow_patch_aim(p, d);
        p->log_size = log(fmax(x * (p->start_growth + part / 2 * (p->growth - p->start_growth)), 1e-30));
        slip_flow_patch_set_direction(flow, p, true);
    }
}

void slip_flow_moment_place(slip_flow *flow, bool last, double x, double *y)
{
    (last ? slip_flow_moment_last : inside_first)(flow, x, y, y + flow->n);
}
