/* Set-valued friction of plane contact areas: stick, and slip that starts from zero and ends at zero.
 *
 * Friction depends on the direction of the slip s (x, y and spin times size) only, and that is undefined at
 * rest. Next to rest the unknowns are ln L, L = |s|, and the direction d, over the clock dt/dx = L (flow.h):
 *
 *     (ln L)' = d . s',   d' = s' - (d . s') d,
 *
 * which is smooth up to and on L = 0. There s' = b - K T(d), with the load b and K = mu N W M^-1 W^T frozen,
 * and the direction alone moves. Where K T is the gradient of a convex function (the integral model) it
 * climbs to the largest growth, d . s': the only direction with s' = g d and g > 0 is the one in which slip
 * starts. Slip that ends comes in along a direction with g < 0: L falls exponentially in x, until what is
 * left of it lasts no longer than rounding in t.
 *
 * A patch at rest sticks while the forces that hold it are within static_ratio times the limit surface
 * (law/patch_within.c), slips otherwise.
 *
 * Start: with the growth g0 now and g1 a short time h ahead, L = h (g0 + g1)/2 up to h^3. With static_ratio 1
 * the growth is zero at the onset, L ~ t^2, and the direction follows the load at once: then h is not quite
 * as short, since the motion is stiff as long as L is small.
 *
 * Away from rest the velocities themselves say what s is; a step that might have passed through rest is taken
 * again in the chart. */
#include "method/flow.h"

#include "law/patch.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const slip_patch_form *form_of(const slip_flow *flow, const slip_flow_patch *p)
{
    return flow->system->contacts[p->contact].patch;
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double norm(const double *a)
{
    return sqrt(dot(a, a));
}

/* ---- Creating. */

int slip_flow_patch_create(slip_flow *flow)
{
    const slip_system *system = flow->system;
    const int n = flow->n;
    double *numbers = slip_arena_array(&flow->arena, 6 * (int64_t)n + 1, sizeof(double));
    flow->patches = slip_arena_array(&flow->arena, system->patch_count, sizeof *flow->patches);
    flow->moment = slip_arena_alloc(&flow->arena, sizeof *flow->moment);
    if (!flow->patches || !flow->moment || !numbers)
        return slip_fail_memory(flow->ctx);
    *flow->moment =
        (slip_moment){.q = numbers, .v = numbers + n, .a0 = numbers + 2 * n, .a1 = numbers + 3 * n};
    flow->shift = numbers + 4 * n;
    for (int c = 0; c < flow->contact_count; c++)
        if (system->contacts[c].patch && system->contacts[c].patch->set_valued) {
            slip_flow_patch *p = &flow->patches[flow->patch_count++];
            *p = (slip_flow_patch){.contact = c, .slot = flow->slot_count};
            flow->slot_count += 4;
            flow->patch_of[c] = p;
        }
    return SLIP_OK;
}

/* ---- Units of the area: x, y, size times spin; forces x, y, moment over size. */

static void set_direction(const slip_flow *flow, slip_flow_patch *p, const double d[3])
{
    double length = norm(d);
    for (int i = 0; i < 3; i++)
        p->direction[i] = p->user[i] = d[i] / length;
    p->user[2] /= form_of(flow, p)->size;
}

static void slip_now(slip_flow *flow, const slip_flow_patch *p, double t, const double *q, const double *v,
                     double slip[3])
{
    slip_system_patch_slip(flow->system, flow->work, p->contact, t, q, v, slip);
    slip[2] *= form_of(flow, p)->size;
}

static void rate_now(slip_flow *flow, const slip_flow_patch *p, double t, const double *q, const double *v,
                     const double *a, double rate[3])
{
    slip_system_patch_rate(flow->system, flow->work, p->contact, t, q, v, a, rate);
    rate[2] *= form_of(flow, p)->size;
}

/* The slip velocities that are possible: Gram-Schmidt on the columns of the rows. */
static void find_basis(slip_flow *flow, slip_flow_patch *p)
{
    const slip_patch_form *form = form_of(flow, p);
    double largest = 0;
    p->rank = 0;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < flow->n && p->rank < 3; i++) {
            double column[3];
            for (int part = 0; part < 3; part++)
                column[part] = slip_system_patch_row(flow->system, flow->work, p->contact, part)[i];
            column[2] *= form->size;
            largest = fmax(largest, norm(column));
            for (int k = 0; k < p->rank; k++) {
                double overlap = dot(column, p->basis + 3 * k);
                for (int j = 0; j < 3; j++)
                    column[j] -= overlap * p->basis[3 * k + j];
            }
            if (round == 0 || !(norm(column) > 1e-10 * largest))
                continue; /* the first round finds the size that the others are compared with */
            double length = norm(column);
            for (int j = 0; j < 3; j++)
                p->basis[3 * p->rank + j] = column[j] / length;
            p->rank++;
        }
}

/* Needs the rows of the last evaluation. */
static void refresh(slip_flow *flow, slip_flow_patch *p)
{
    const slip_patch_form *form = form_of(flow, p);
    const int n = flow->n;
    double trace = 0;
    if (p->rank > 0 && form->slip[0].row && form->slip[1].row && form->slip[2].row)
        return; /* rows that never change */
    find_basis(flow, p);
    for (int part = 0; part < 3; part++) {
        const double *row = slip_system_patch_row(flow->system, flow->work, p->contact, part);
        double product = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                product += row[i] * flow->system->inverse_mass[i * n + j] * row[j];
        trace += product * (part == 2 ? form->size * form->size : 1);
    }
    p->stiffness = form->mu * trace;
}

/* ---- Stick. */

double slip_flow_patch_reserve(slip_flow *flow, int c)
{
    slip_flow_patch *p = flow->patch_of[c];
    const slip_patch_form *form = form_of(flow, p);
    const double *force = flow->work->patches[form->index].force;
    const double area[3] = {force[0], force[1], force[2] / form->size};
    double u[3], ratio = INFINITY;
    refresh(flow, p);
    for (int k = 0; k < p->rank; k++)
        u[k] = dot(area, p->basis + 3 * k);
    if (slip_patch_limit_within(flow->ctx, form->law, p->rank, p->basis, u, &ratio, p->load) < 0)
        return -INFINITY;
    return form->static_ratio * form->mu * flow->work->contacts[c].normal - ratio;
}

static bool any_held(const slip_flow *flow)
{
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->branches[c].mode == SLIP_MODE_STICK ||
            (flow->system->contacts[c].kind == SLIP_CONTACT_UNILATERAL &&
             flow->branches[c].mode != SLIP_MODE_OPEN))
            return true;
    return false;
}

/* Accelerations with the branches as they are, in flow->a_last. */
static bool evaluate(slip_flow *flow, double t, const double *q, const double *v)
{
    return slip_system_acceleration(flow->system, flow->work, flow->branches, t, q, v, flow->a_last) &&
           (!any_held(flow) ||
            slip_system_constrain(flow->system, flow->work, flow->branches, t, q, v, flow->a_last));
}

/* A moment of length h begins now, with accelerations that do not change. */
static void begin_moment(slip_flow *flow, double h)
{
    slip_moment *m = flow->moment;
    const size_t size = (size_t)flow->n * sizeof(double);
    m->t = flow->t;
    m->h = h;
    memcpy(m->q, flow->q, size);
    memcpy(m->v, flow->v, size);
    memcpy(m->a0, flow->a_last, size);
    memcpy(m->a1, flow->a_last, size);
}

/* The state a time x into the moment. */
static void inside_moment(const slip_flow *flow, double x, double *q, double *v)
{
    const slip_moment *m = flow->moment;
    for (int i = 0; i < flow->n; i++) {
        double jerk = (m->a1[i] - m->a0[i]) / m->h;
        q[i] = m->q[i] + x * (m->v[i] + x / 2 * (m->a0[i] + x / 3 * jerk));
        v[i] = m->v[i] + x * (m->a0[i] + x / 2 * jerk);
    }
}

/* The hold of a patch that sticks is exceeded: now or, where that is a tie, a short time ahead. The equation
 * was evaluated here. */
static bool exceeded(slip_flow *flow, slip_flow_patch *p, double *by)
{
    const double h = slip_flow_short_time(flow);
    double reserve = slip_flow_patch_reserve(flow, p->contact), start[3], size;
    const slip_contact_state *state = &flow->work->contacts[p->contact];
    size = state->force + form_of(flow, p)->mu * fabs(state->normal) + 1e-300;
    *by = -reserve / size;
    if (fabs(reserve) > 1e-8 * size)
        return reserve < 0;
    memcpy(start, p->load, sizeof start);
    begin_moment(flow, h);
    inside_moment(flow, h, flow->y, flow->y + flow->n);
    if (evaluate(flow, flow->t + h, flow->y, flow->y + flow->n))
        reserve = slip_flow_patch_reserve(flow, p->contact);
    memcpy(p->load, start, sizeof start);
    evaluate(flow, flow->t, flow->q, flow->v);
    return reserve < -1e-12 * size;
}

/* ---- The direction in which slip starts. */

/* Slip acceleration along the basis when the patch slips along z; *size is what its terms add up to. */
static bool acceleration_along(slip_flow *flow, slip_flow_patch *p, double t, const double *q,
                               const double *v, const double *z, double rate[3], double *size)
{
    double d[3] = {0, 0, 0}, area[3];
    for (int k = 0; k < p->rank; k++)
        for (int i = 0; i < 3; i++)
            d[i] += z[k] * p->basis[3 * k + i];
    set_direction(flow, p, d);
    if (!evaluate(flow, t, q, v))
        return false;
    rate_now(flow, p, t, q, v, flow->a_last, area);
    *size = p->stiffness * fabs(flow->work->contacts[p->contact].normal);
    for (int k = 0; k < p->rank; k++)
        rate[k] = dot(area, p->basis + 3 * k);
    for (int i = 0; i < flow->n; i++)
        for (int part = 0; part < 3; part++)
            *size +=
                fabs(slip_system_patch_row(flow->system, flow->work, p->contact, part)[i] * flow->a_last[i]) *
                (part == 2 ? form_of(flow, p)->size : 1);
    return true;
}

static double growth_of(const slip_flow_patch *p, const double *z, const double *rate)
{
    double sum = 0;
    for (int k = 0; k < p->rank; k++)
        sum += z[k] * rate[k];
    return sum;
}

/* Vectors at right angles to the unit vector z and each other: one of two numbers, two of three. */
static void tangents_of(int rank, const double *z, double tangent[2][3])
{
    int smallest = 0;
    double length = 0;
    if (rank == 2) {
        tangent[0][0] = -z[1];
        tangent[0][1] = z[0];
        return;
    }
    for (int i = 1; i < 3; i++)
        if (fabs(z[i]) < fabs(z[smallest]))
            smallest = i;
    for (int i = 0; i < 3; i++)
        tangent[0][i] = (i == smallest) - z[smallest] * z[i];
    length = norm(tangent[0]);
    for (int i = 0; i < 3; i++)
        tangent[0][i] /= length;
    tangent[1][0] = z[1] * tangent[0][2] - z[2] * tangent[0][1];
    tangent[1][1] = z[2] * tangent[0][0] - z[0] * tangent[0][2];
    tangent[1][2] = z[0] * tangent[0][1] - z[1] * tangent[0][0];
}

/* z moved along the tangents, of length 1 again. */
static void moved(int rank, const double *z, double tangent[2][3], double x, double y, double *to)
{
    double length = 0;
    for (int k = 0; k < rank; k++) {
        to[k] = z[k] + x * tangent[0][k] + (rank == 3 ? y * tangent[1][k] : 0);
        length += to[k] * to[k];
    }
    for (int k = 0; k < rank; k++)
        to[k] /= sqrt(length);
}

static double along(int rank, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < rank; k++)
        sum += a[k] * b[k];
    return sum;
}

/* One step of Newton's method for the acceleration across z to vanish; derivatives by differences. Returns
 * the size of what was across, over *size, or -1. */
static double newton_step(slip_flow *flow, slip_flow_patch *p, double t, const double *q, const double *v,
                          double *z, double *growth)
{
    const double eps = 1e-6;
    const int count = p->rank - 1;
    double tangent[2][3], rate[3], other[3], trial[3], f[2] = {0, 0}, J[4] = {1, 0, 0, 1}, size, ignored, x,
                                                       y;
    if (!acceleration_along(flow, p, t, q, v, z, rate, &size))
        return -1;
    *growth = growth_of(p, z, rate);
    if (count == 0)
        return 0;
    tangents_of(p->rank, z, tangent);
    for (int k = 0; k < count; k++)
        f[k] = along(p->rank, tangent[k], rate);
    if (hypot(f[0], f[1]) <= 1e-15 * size)
        return 0;
    for (int j = 0; j < count; j++) {
        double way[2][3];
        moved(p->rank, z, tangent, j == 0 ? eps : 0, j == 1 ? eps : 0, trial);
        if (!acceleration_along(flow, p, t, q, v, trial, other, &ignored))
            return -1;
        /* across the direction itself: the plane turns with it */
        memcpy(way, tangent, sizeof way);
        for (int k = 0; k < count; k++) {
            double lean = along(p->rank, way[k], trial);
            J[2 * k + j] = (along(p->rank, way[k], other) - lean * growth_of(p, trial, other) - f[k]) / eps;
        }
    }
    x = (J[3] * f[0] - J[1] * f[1]) / (J[0] * J[3] - J[1] * J[2]);
    y = (J[0] * f[1] - J[2] * f[0]) / (J[0] * J[3] - J[1] * J[2]);
    double length = hypot(x, y), most = 0.3;
    if (!isfinite(length))
        return -1;
    if (length > most)
        x *= most / length, y *= most / length;
    moved(p->rank, z, tangent, -x, -y, trial);
    memcpy(z, trial, (size_t)p->rank * sizeof *z);
    return hypot(f[0], f[1]) / size;
}

/* Lets the direction move as it does at rest, which leads to the one that is wanted. */
static bool drift(slip_flow *flow, slip_flow_patch *p, double t, const double *q, const double *v, double *z)
{
    enum { most = 4000 };
    double step = 0.2, before = -INFINITY, rate[3], size;
    for (int k = 0; k < most; k++) {
        double growth, across = 0, length = 0;
        if (!acceleration_along(flow, p, t, q, v, z, rate, &size))
            return false;
        growth = growth_of(p, z, rate);
        for (int i = 0; i < p->rank; i++) {
            double part = rate[i] - growth * z[i];
            across += part * part;
        }
        if (sqrt(across) <= 1e-9 * size)
            return true;
        if (growth < before)
            step *= 0.7;
        before = growth;
        for (int i = 0; i < p->rank; i++) {
            z[i] += step / size * (rate[i] - growth * z[i]);
            length += z[i] * z[i];
        }
        for (int i = 0; i < p->rank; i++)
            z[i] /= sqrt(length);
    }
    return false;
}

/* z: in, a guess; out, the direction with acceleration along itself. `sign` is that of the growth. */
static bool find_direction(slip_flow *flow, slip_flow_patch *p, double t, const double *q, const double *v,
                           double sign, double *z, double *growth)
{
    double start[3], rate[3], size;
    memcpy(start, z, sizeof start);
    for (int attempt = 0; attempt < 2; attempt++) {
        double error = INFINITY;
        for (int k = 0; k < 12; k++) {
            double next = newton_step(flow, p, t, q, v, z, growth);
            if (next < 0 || (k > 5 && next > 0.5 * error && next > 1e-12))
                break;
            error = next;
            if (error <= 1e-14)
                break;
        }
        if (error <= 1e-11 && acceleration_along(flow, p, t, q, v, z, rate, &size) &&
            (*growth = growth_of(p, z, rate)) * sign >= -1e-9 * size)
            return true;
        memcpy(z, start, sizeof start);
        if (sign < 0)
            return false;
        if (attempt == 0 && !drift(flow, p, t, q, v, z))
            return false;
    }
    return false;
}

/* ---- Deciding. */

static void set_slip(slip_flow *flow, slip_flow_patch *p, bool from_rest)
{
    slip_branch *branch = &flow->branches[p->contact];
    branch->mode = SLIP_MODE_SLIP;
    branch->direction = from_rest || p->charted ? p->user : NULL;
}

static void set_stick(slip_flow *flow, slip_flow_patch *p)
{
    p->charted = false;
    flow->branches[p->contact].mode = SLIP_MODE_STICK;
    flow->branches[p->contact].direction = NULL;
}

/* Which patches are at rest, to rounding or because they are known to be. The others slip. */
static void find_resting(slip_flow *flow)
{
    for (int k = 0; k < flow->patch_count; k++) {
        slip_flow_patch *p = &flow->patches[k];
        double slip[3], size = 0;
        slip_now(flow, p, flow->t, flow->q, flow->v, slip);
        for (int part = 0; part < 3; part++) {
            const double *row = slip_system_patch_row(flow->system, flow->work, p->contact, part);
            for (int i = 0; i < flow->n; i++)
                size += fabs(row[i] * flow->v[i]) * (part == 2 ? form_of(flow, p)->size : 1);
        }
        p->resting =
            flow->came_to_rest[p->contact] || (!p->charted && norm(slip) <= 1e-13 * size) || norm(slip) == 0;
        flow->came_to_rest[p->contact] = false;
        if (p->resting)
            set_stick(flow, p);
        else
            set_slip(flow, p, false);
    }
}

static int decide_others(slip_flow *flow, int *contact)
{
    return slip_modes_decide(flow->decider, flow->t, flow->q, flow->v, flow->standing,
                             slip_flow_short_time(flow), flow->branches, contact);
}

/* The patch at rest whose hold is exceeded most; NULL where all hold. */
static slip_flow_patch *worst_hold(slip_flow *flow)
{
    slip_flow_patch *worst = NULL;
    double most = -INFINITY, by;
    for (int k = 0; k < flow->patch_count; k++) {
        slip_flow_patch *p = &flow->patches[k];
        if (p->resting && flow->branches[p->contact].mode == SLIP_MODE_STICK && exceeded(flow, p, &by) &&
            by > most) {
            worst = p;
            most = by;
        }
    }
    return worst;
}

static bool starts(const slip_flow *flow, const slip_flow_patch *p)
{
    return p->resting && flow->branches[p->contact].mode == SLIP_MODE_SLIP;
}

/* Directions of all patches that start from rest, one after the other until nothing changes. */
static bool find_directions(slip_flow *flow, double t, const double *q, const double *v)
{
    enum { rounds = 50 };
    int starting = 0;
    for (int k = 0; k < flow->patch_count; k++)
        starting +=
            flow->patches[k].resting && flow->branches[flow->patches[k].contact].mode == SLIP_MODE_SLIP;
    for (int round = 0; round < (starting > 1 ? rounds : 1); round++) {
        double change = 0;
        for (int k = 0; k < flow->patch_count; k++) {
            slip_flow_patch *p = &flow->patches[k];
            double before[3];
            if (!starts(flow, p))
                continue;
            memcpy(before, p->load, sizeof before);
            if (!find_direction(flow, p, t, q, v, 1, p->load, &p->growth))
                return false;
            for (int i = 0; i < p->rank; i++)
                change = fmax(change, fabs(p->load[i] - before[i]));
        }
        if (change <= 1e-13)
            break;
    }
    return true;
}

/* A time in which the structure does not do much; of one that does nothing by itself, that of the last steps.
 */
static double time_scale(const slip_flow *flow)
{
    const int n = flow->n;
    double scale = INFINITY;
    for (int i = 0; i < n; i++) {
        const double *row = flow->system->mass_structure + i * 2 * n;
        double of_q = 0, of_v = 0;
        for (int j = 0; j < n; j++) {
            of_q += fabs(row[j]);
            of_v += fabs(row[n + j]);
        }
        scale = fmin(scale, fmin(1 / sqrt(of_q), 1 / of_v));
    }
    if (!isfinite(scale) && flow->natural_step > 0)
        scale = flow->natural_step;
    if (isfinite(flow->options.span))
        scale = fmin(scale, 1e-2 * flow->options.span);
    return isfinite(scale) ? scale : 1;
}

/* How long the first moment is. A patch that does not leap off (static_ratio 1) is stiff in the beginning. */
static double first_moment(slip_flow *flow)
{
    double scale = time_scale(flow), h = 1e-7 * scale, rate[3], size;
    for (int k = 0; k < flow->patch_count; k++) {
        slip_flow_patch *p = &flow->patches[k];
        if (!starts(flow, p) || p->rank == 1)
            continue;
        acceleration_along(flow, p, flow->t, flow->q, flow->v, p->load, rate, &size);
        if (p->growth < 1e-3 * p->stiffness * flow->work->contacts[p->contact].normal)
            h = fmax(h, scale * fmin(fmax(cbrt(flow->options.tolerance), 1e-5), 1e-3));
    }
    return h;
}

/* Directions follow the load at a rate of mu N W M^-1 W^T / L, slip grows at the rate growth / L: an explicit
 * stepper would need as many steps as their ratio. */
static bool is_stiff(const slip_flow *flow, const slip_flow_patch *p, double growth)
{
    const double most = 300;
    return p->stiffness * flow->work->contacts[p->contact].normal > most * fabs(growth);
}

static void leave_chart(slip_flow *flow, slip_flow_patch *p)
{
    p->charted = false;
    if (flow->branches[p->contact].mode == SLIP_MODE_SLIP)
        set_slip(flow, p, false);
}

/* The first moment of slip from rest, by hand. */
static bool begin_slip(slip_flow *flow)
{
    const int n = flow->n;
    double *q = flow->shift, *v = flow->shift + n, h;
    flow->shifted = false;
    for (int k = 0; k < flow->patch_count; k++) {
        flow->shifted |= starts(flow, &flow->patches[k]);
        flow->patches[k].start_growth = flow->patches[k].growth;
    }
    if (!flow->shifted)
        return true;
    h = first_moment(flow);
    if (!evaluate(flow, flow->t, flow->q, flow->v))
        return false;
    begin_moment(flow, h);
    inside_moment(flow, h, q, v);
    if (!find_directions(flow, flow->t + h, q, v) || !evaluate(flow, flow->t + h, q, v))
        return false;
    memcpy(flow->moment->a1, flow->a_last, (size_t)n * sizeof(double));
    inside_moment(flow, h, q, v);
    flow->shift[2 * n] = h;
    for (int k = 0; k < flow->patch_count; k++) {
        slip_flow_patch *p = &flow->patches[k];
        if (!starts(flow, p))
            continue;
        p->charted = true;
        p->log_size = log(fmax(0.5 * h * (p->start_growth + p->growth), 1e-30));
        flow->use_stiff |= p->rank > 1 && is_stiff(flow, p, p->growth);
    }
    if (flow->use_stiff) {
        slip_flow_clean(flow, flow->t + h, q, v);
        for (int k = 0; k < flow->patch_count; k++)
            leave_chart(flow, &flow->patches[k]);
    }
    return true;
}

/* All stick at first; then, one after the other, those start to slip that cannot hold. */
int slip_flow_patch_decide(slip_flow *flow, int *contact)
{
    flow->use_stiff = false;
    flow->stiff_steps = 0;
    find_resting(flow);
    for (int round = 0; round <= flow->patch_count; round++) {
        slip_flow_patch *worst;
        int status = decide_others(flow, contact);
        if (status < 0)
            return status;
        if (!evaluate(flow, flow->t, flow->q, flow->v))
            return SLIP_MODES_UNDEFINED;
        worst = worst_hold(flow);
        if (!worst)
            break;
        *contact = worst->contact;
        set_slip(flow, worst, true);
        if (!find_directions(flow, flow->t, flow->q, flow->v))
            return SLIP_MODES_NONE;
    }
    return begin_slip(flow) ? SLIP_OK : SLIP_MODES_NONE;
}

int slip_flow_patch_report(slip_flow *flow, const slip_observer *observer)
{
    int status = SLIP_OK;
    for (int k = 0; k < flow->patch_count && status == SLIP_OK; k++) {
        int c = flow->patches[k].contact;
        status = slip_flow_report(flow, c, flow->branches[c].mode, flow->t, observer);
    }
    return status;
}

void slip_flow_patch_forget(slip_flow *flow)
{
    for (int k = 0; k < flow->patch_count; k++) {
        slip_flow_patch *p = &flow->patches[k];
        if (flow->branches[p->contact].mode == SLIP_MODE_SLIP) {
            p->charted = false;
            flow->branches[p->contact].direction = NULL;
        }
    }
}

bool slip_flow_patch_target(const slip_flow *flow, int c, double target[3])
{
    const slip_flow_patch *p = flow->patch_of[c];
    bool stick = p && flow->branches[c].mode == SLIP_MODE_STICK;
    if (!p || (!stick && !p->charted))
        return false;
    for (int i = 0; i < 3; i++)
        target[i] = stick ? 0 : exp(p->log_size) * p->user[i];
    return true;
}

/* ---- In the chart. */

void slip_flow_patch_read(slip_flow *flow, const double *y)
{
    for (int k = 0; k < flow->patch_count; k++) {
        slip_flow_patch *p = &flow->patches[k];
        const double *own = y + 2 * flow->n + 1 + p->slot;
        if (!p->charted)
            continue;
        p->log_size = own[0];
        set_direction(flow, p, own + 1);
    }
}

void slip_flow_patch_write(const slip_flow *flow, double *y)
{
    const int n = flow->n;
    for (int k = 0; k < flow->patch_count; k++) {
        const slip_flow_patch *p = &flow->patches[k];
        double *own = y + 2 * n + 1 + p->slot;
        own[0] = p->charted ? p->log_size : 0;
        for (int i = 0; i < 3; i++)
            own[1 + i] = p->charted ? p->direction[i] : 0;
    }
    if (flow->shifted)
        memcpy(y, flow->shift, (2 * (size_t)n + 1) * sizeof(double));
}

void slip_flow_patch_rates(slip_flow *flow, double t, const double *q, const double *v, double *dy)
{
    for (int k = 0; k < flow->patch_count; k++) {
        slip_flow_patch *p = &flow->patches[k];
        double *own = dy + 2 * flow->n + 1 + p->slot, rate[3], speed = flow->speed[p->contact];
        if (!p->charted)
            continue;
        rate_now(flow, p, t, q, v, flow->a_last, rate);
        p->growth = dot(rate, p->direction);
        own[0] = speed * p->growth;
        for (int i = 0; i < 3; i++)
            own[1 + i] = speed * (rate[i] - p->growth * p->direction[i]);
    }
}

/* An error of the slip counts as one of the velocities does: of ln L and of the direction that is the part
 * 1/L.
 */
void slip_flow_patch_weigh(slip_flow *flow)
{
    const double tolerance = flow->options.tolerance;
    for (int k = 0; k < flow->patch_count; k++) {
        const slip_flow_patch *p = &flow->patches[k];
        double *own = flow->charted->absolute + 2 * flow->n + 1 + p->slot;
        double weight =
            p->charted ? fmin(tolerance * (1 + 0.01 * exp(-p->log_size)), fmax(1e-3, tolerance)) : 1;
        for (int i = 0; i < 4; i++)
            own[i] = weight;
    }
}

bool slip_flow_patch_at_rest(const slip_flow *flow, const slip_flow_patch *p)
{
    double fastest = flow->fastest;
    if (!p->charted || !slip_flow_in_chart(flow) || !(p->growth < 0))
        return false;
    return exp(p->log_size) <= fmax(-1e-15 * (1 + fabs(flow->t)) * p->growth, 1e-15 * fastest);
}

/* ---- Into the chart, and out of it. */

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static void enter_chart(slip_flow *flow, slip_flow_patch *p, const double slip[3])
{
    set_direction(flow, p, slip);
    p->log_size = log(norm(slip));
    p->charted = true;
    set_slip(flow, p, false);
}

/* The way from s0 to s1, as a straight line, approaches zero and comes near it: closer than to be seen beside
 * its length. */
static bool passes_near(const double s0[3], const double s1[3], double near)
{
    double way[3], length, at, closest[3];
    for (int i = 0; i < 3; i++)
        way[i] = s1[i] - s0[i];
    length = norm(way);
    at = fmin(-dot(s0, way) / (length * length), 1);
    if (!(at > 0))
        return false;
    for (int i = 0; i < 3; i++)
        closest[i] = s0[i] + at * way[i];
    return norm(closest) < near * length;
}

/* The slip at both ends of the step. */
bool slip_flow_patch_missed(slip_flow *flow)
{
    const slip_stepper *stepper = flow->stepper;
    bool missed = false;
    for (int k = 0; k < flow->patch_count; k++) {
        slip_flow_patch *p = &flow->patches[k];
        if (flow->branches[p->contact].mode != SLIP_MODE_SLIP || p->charted)
            continue;
        slip_now(flow, p, slip_flow_time(flow, stepper->x1, stepper->y1), stepper->y1, stepper->y1 + flow->n,
                 p->slip1);
        slip_now(flow, p, flow->t, flow->q, flow->v, p->slip0);
        if (flow->stepper == flow->stiff || !passes_near(p->slip0, p->slip1, 0.5))
            continue;
        enter_chart(flow, p, p->slip0);
        missed = true;
    }
    return missed;
}

/* Below this the velocities, which are known to the tolerance, say too little about the direction. */
static double smallest_slip(const slip_flow *flow)
{
    return sqrt(flow->options.tolerance) * (1e-3 + flow->fastest);
}

/* Whether the implicit stepper is the better one. */
static void watch_stiffness(slip_flow *flow)
{
    enum { patience = 30 };
    const double h = flow->stepper->x1 - flow->stepper->x0;
    bool stiff = false;
    for (int k = 0; k < flow->patch_count; k++) {
        slip_flow_patch *p = &flow->patches[k];
        double size = norm(p->slip1), growth = (size - norm(p->slip0)) / h;
        if (flow->branches[p->contact].mode != SLIP_MODE_SLIP || p->rank == 1)
            continue;
        refresh(flow, p);
        stiff |=
            is_stiff(flow, p, growth) && (flow->stepper == flow->stiff ||
                                          h * p->stiffness * flow->work->contacts[p->contact].normal > size);
    }
    flow->stiff_steps = stiff ? flow->stiff_steps + 1 : flow->stiff_steps - flow->use_stiff;
    if (!flow->use_stiff && !stiff)
        flow->stiff_steps = 0;
    if (flow->stiff_steps > patience) {
        flow->stiff_steps = patience;
        flow->use_stiff = true;
    } else if (flow->stiff_steps < 0) {
        flow->stiff_steps = 0;
        flow->use_stiff = false;
    }
}

double slip_flow_patch_reach(const slip_flow *flow)
{
    const double h = flow->stepper->x1 - flow->stepper->x0;
    double reach = INFINITY;
    for (int k = 0; k < flow->patch_count && h > 0; k++) {
        const slip_flow_patch *p = &flow->patches[k];
        double before = norm(p->slip0), after = norm(p->slip1);
        if (flow->branches[p->contact].mode == SLIP_MODE_SLIP && after < before)
            reach = fmin(reach, 0.7 * h * after / (before - after));
    }
    return flow->stepper->x1 + reach;
}

bool slip_flow_patch_change(slip_flow *flow)
{
    bool change = false, before_stiff = flow->use_stiff;
    for (int k = 0; k < flow->patch_count; k++) {
        slip_flow_patch *p = &flow->patches[k];
        if (flow->branches[p->contact].mode != SLIP_MODE_SLIP)
            continue;
        if (!p->charted) {
            double before = norm(p->slip0), after = norm(p->slip1);
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
                leave_chart(flow, p);
                change = true;
            }
        }
    }
    if (!slip_flow_in_chart(flow))
        watch_stiffness(flow);
    return change || flow->use_stiff != before_stiff;
}

/* ---- The last moment of slip. */

/* The state a time x into the moment that ends at rest, with the slip that belongs to it. */
static void inside_last(slip_flow *flow, double x, double *q, double *v)
{
    const slip_moment *m = flow->moment;
    slip_flow_patch *p = m->patch;
    double left = 1 - x / m->h, size, d[3];
    size = left * (m->size - x / 2 * (p->growth - p->start_growth));
    for (int i = 0; i < 3; i++)
        d[i] = left * m->from[i] + (1 - left) * m->to[i];
    set_direction(flow, p, d);
    p->log_size = log(fmax(size, 0));
    inside_moment(flow, x, q, v);
    slip_flow_clean(flow, m->t + x, q, v);
}

static void last_state(const void *self, double t, double *q, double *v)
{
    slip_flow *flow = (slip_flow *)(uintptr_t)self;
    inside_last(flow, t - flow->moment->t, q, v);
}

static void last_sample(const void *self, double t, slip_sample *sample)
{
    slip_flow *flow = (slip_flow *)(uintptr_t)self;
    double *q = flow->inside, *v = flow->inside + flow->n;
    inside_last(flow, fmin(t - flow->moment->t, flow->moment->h), q, v);
    if (evaluate(flow, t, q, v))
        slip_flow_fill(flow, q, v, flow->a_last, sample);
}

static double longest_moment(const slip_flow *flow)
{
    return 0.3 * time_scale(flow) * fmin(cbrt(flow->options.tolerance), 1e-2);
}

/* The patch may come to rest within the time `most`: its direction goes to p->load, its size to *size. */
static bool nearly_at_rest(slip_flow *flow, slip_flow_patch *p, double most, double *size)
{
    const double normal = flow->work->contacts[p->contact].normal;
    double slip[3], rate[3], growth;
    if (flow->branches[p->contact].mode != SLIP_MODE_SLIP)
        return false;
    slip_now(flow, p, flow->t, flow->q, flow->v, slip);
    *size = norm(slip);
    refresh(flow, p);
    /* accelerations are not much more than friction makes them */
    if (!(*size < 10 * most * p->stiffness * normal) || !evaluate(flow, flow->t, flow->q, flow->v))
        return false;
    rate_now(flow, p, flow->t, flow->q, flow->v, flow->a_last, rate);
    growth = dot(rate, slip) / *size;
    for (int k = 0; k < p->rank; k++)
        p->load[k] = dot(slip, p->basis + 3 * k) / *size;
    return *size < -2 * most * growth;
}

/* What the accelerations in the middle of the moment differ from the mean, as a velocity: the moment's error.
 */
static bool even(slip_flow *flow)
{
    const slip_moment *m = flow->moment;
    double *q = flow->shift, *v = flow->shift + flow->n, worst = 0;
    inside_moment(flow, m->h / 2, q, v);
    if (!evaluate(flow, m->t + m->h / 2, q, v))
        return false;
    for (int i = 0; i < flow->n; i++)
        worst = fmax(worst, fabs(flow->a_last[i] - (m->a0[i] + m->a1[i]) / 2) / (1 + fabs(m->v[i])));
    return worst * m->h <= flow->options.tolerance;
}

/* The moment that ends at rest: L + h (g0 + g1)/2 = 0. The state then is left in flow->shift. The direction
 * goes at once to that with the acceleration along it; what it differs from it now changes velocities by L
 * times that. False where this or the moment's length matters. */
static bool end_at_rest(slip_flow *flow, slip_flow_patch *p, double most, double size)
{
    double *q = flow->shift, *v = flow->shift + flow->n, now[3] = {p->load[0], p->load[1], p->load[2]},
           change = 0;
    if (!find_direction(flow, p, flow->t, flow->q, flow->v, -1, p->load, &p->start_growth) ||
        !(p->start_growth < 0) || !(-size / p->start_growth < most))
        return false;
    for (int k = 0; k < p->rank; k++)
        change += (p->load[k] - now[k]) * (p->load[k] - now[k]);
    if (!(size * sqrt(change) <= flow->options.tolerance))
        return false;
    begin_moment(flow, -size / p->start_growth);
    flow->moment->patch = p;
    flow->moment->size = size;
    memcpy(flow->moment->from, p->direction, sizeof p->direction);
    for (int round = 0; round < 2; round++) {
        inside_moment(flow, flow->moment->h, q, v);
        if (!find_direction(flow, p, flow->t + flow->moment->h, q, v, -1, p->load, &p->growth) ||
            !(p->growth < 0))
            return false;
        memcpy(flow->moment->a1, flow->a_last, (size_t)flow->n * sizeof(double));
        flow->moment->h = -2 * size / (p->start_growth + p->growth);
    }
    memcpy(flow->moment->to, p->direction, sizeof p->direction);
    return even(flow);
}

static int show_last_moment(slip_flow *flow, double t1, const slip_observer *observer)
{
    const slip_moment *m = flow->moment;
    slip_step view = {.t0 = m->t,
                      .t1 = t1,
                      .q0 = m->q,
                      .v0 = m->v,
                      .a0 = m->a0,
                      .q1 = flow->shift,
                      .v1 = flow->shift + flow->n,
                      .a1 = m->a1,
                      .self = flow,
                      .state = last_state,
                      .sample = last_sample};
    return observer->step ? observer->step(observer->user, &view) : SLIP_OK;
}

int slip_flow_patch_finish(slip_flow *flow, double end, const slip_observer *observer,
                           slip_flow_crossing *crossing)
{
    const double most = longest_moment(flow);
    for (int k = 0; k < flow->patch_count; k++) {
        slip_flow_patch *p = &flow->patches[k];
        double size, t1;
        int status;
        if (!nearly_at_rest(flow, p, most, &size))
            continue;
        set_slip(flow, p, true);
        if (!end_at_rest(flow, p, most, size) || !((t1 = flow->t + flow->moment->h) <= end)) {
            if (p->charted)
                set_direction(flow, p, flow->stepper->y1 + 2 * flow->n + 2 + p->slot);
            set_slip(flow, p, false);
            continue;
        }
        p->charted = true;
        inside_last(flow, flow->moment->h, flow->shift, flow->shift + flow->n);
        status = show_last_moment(flow, t1, observer);
        memcpy(flow->q, flow->shift, (size_t)flow->n * sizeof(double));
        memcpy(flow->v, flow->shift + flow->n, (size_t)flow->n * sizeof(double));
        flow->t = t1;
        flow->steps++;
        *crossing = (slip_flow_crossing){.boundary = SLIP_FLOW_REST, .contact = p->contact};
        return status;
    }
    return SLIP_OK;
}
