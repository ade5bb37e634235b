/* Small changes of the state along a segment: over a step, and in closed form. */
#include "math/dense.h"
#include "math/vector.h"
#include "method/exact/exact.h"
#include "method/flow/area/patch.h"
#include "method/flow/switch.h"
#include "method/tangent/types.h"
#include "patch/patch.h"

#include <math.h>
#include <string.h>

/* Collocation at three points: Gauss's, of order 6; or Radau's, of order 5, whose last one is the end of the
 * step, so that what follows the rest at once does so there too. */
typedef struct collocation {
    double place[3], a[3][3], b[3];
} collocation;
static const collocation gauss = {{0.11270166537925831148, 0.5, 0.88729833462074168852},
                                  {{0.13888888888888888889, -0.03597666752493890345, 0.00978944401530832605},
                                   {0.3002631949808645924, 0.22222222222222222222, -0.02248541720308681460},
                                   {0.26798833376246945173, 0.48042111196938334790, 0.13888888888888888889}},
                                  {5.0 / 18, 8.0 / 18, 5.0 / 18}};
static const collocation radau = {{0.15505102572168219018, 0.64494897427831780982, 1},
                                  {{0.19681547722366042587, -0.06553542585019838811, 0.02377097434822015242},
                                   {0.39442431473908727700, 0.29207341166522846302, -0.04154875212599793020},
                                   {0.37640306270046727505, 0.51248582618842161384, 0.11111111111111111111}},
                                  {0.37640306270046727505, 0.51248582618842161384, 0.11111111111111111111}};

/* d' = J d + g over one step, J and g at these points in `matrix` and `stages`. */
static void collocate(slip_tangent *tangent, const collocation *at, double length)
{
    const int m = tangent->m, rows = 3 * m, columns = tangent->count - 1;
    for (int i = 0; i < 3; i++) {
        const double *matrix = tangent->matrix + (int64_t)i * m * m;
        for (int r = 0; r < m; r++)
            for (int j = 0; j < 3; j++)
                for (int s = 0; s < m; s++)
                    tangent->block[(i * m + r) * rows + j * m + s] =
                        (i == j && r == s ? 1 : 0) - length * at->a[i][j] * matrix[r * m + s];
        for (int k = 0; k < columns; k++)
            for (int r = 0; r < m; r++)
                for (int s = 0; s < m; s++)
                    tangent->stages[k * rows + i * m + r] +=
                        matrix[r * m + s] * slip_tangent_of(tangent, k)[s];
    }
    if (!slip_dense_factor(rows, tangent->block, tangent->pivots)) {
        tangent->failed = true;
        return;
    }
    for (int k = 0; k < columns; k++) {
        double *stage = tangent->stages + k * rows, *column = slip_tangent_of(tangent, k);
        slip_dense_substitute(rows, tangent->block, tangent->pivots, stage);
        for (int i = 0; i < 3; i++)
            for (int r = 0; r < m; r++)
                column[r] += length * at->b[i] * stage[i * m + r];
    }
}

/* A derivative at one state by differences of fourth order: by a parameter, from four systems, or by time,
 * from this system (`near` is NULL) at four times. */
typedef struct difference {
    const slip_tangent_near *near;
    const double *weights;
    double step;
} difference;

static const slip_tangent_near *place_of(const slip_tangent *tangent, const difference *by, int k, double *t)
{
    static const double places[] = {-2, -1, 1, 2};
    *t += by->near ? 0 : places[k] * by->step;
    return by->near ? &by->near[k] : &tangent->own;
}

/* In charts contact forces depend on s: adds the effect of a change of the slip velocity to the rates. */
static void pull_charts(slip_tangent *tangent, const difference *by, double t, double *rates)
{
    slip_flow *flow = tangent->flow;
    for (int c = 0; c < flow->contact_count && flow->charts.count > 0; c++) {
        double sum = 0;
        for (int k = 0; k < 4 && slip_flow_charted(flow, c); k++) {
            double at = t;
            const slip_tangent_near *near = place_of(tangent, by, k, &at);
            sum += by->weights[k] * slip_system_slip(near->system, near->work, c, at, flow->scratch.inside,
                                                     flow->scratch.inside + tangent->n);
        }
        slip_flow_chart_pull(flow, c, sum, rates);
    }
}

/* The same for the slip of a patch whose direction is an unknown. */
static void pull_patches(slip_tangent *tangent, const difference *by, double t, double *rates)
{
    const slip_flow *flow = tangent->flow;
    for (int k = 0; k < flow->areas.count; k++) {
        const slip_flow_patch *p = &flow->areas.list[k];
        double sum[3] = {0, 0, 0};
        if (!slip_flow_patch_slips(flow, p))
            continue;
        for (int j = 0; j < 4; j++) {
            double slip[3], at = t;
            const slip_tangent_near *near = place_of(tangent, by, j, &at);
            slip_system_patch_slip(near->system, near->work, p->contact, at, flow->scratch.inside,
                                   flow->scratch.inside + tangent->n, slip);
            slip[2] *= near->system->contacts[p->contact].patch->size;
            for (int i = 0; i < 3; i++)
                sum[i] += by->weights[j] * slip[i];
        }
        slip_flow_patch_pull(flow, p, sum, rates);
    }
}

/* Orthogonalises the rows of slip of steep contacts into flow->scratch.basis; contacts with dependent rows
 * are left out. */
static void find_directions(slip_tangent *tangent, double t)
{
    slip_flow *flow = tangent->flow;
    const double *q = flow->scratch.inside, *v = q + tangent->n;
    int kept = 0;
    for (int k = 0; k < tangent->steep_count; k++) {
        const int c = tangent->steep[k];
        slip_system_direction(flow->system, flow->work, c, t, q, v, flow->scratch.row,
                              flow->scratch.response);
        if (slip_flow_orthogonalise(flow, &kept) > 0)
            tangent->steep[kept - 1] = c;
    }
    tangent->steep_count = kept;
}

/* Computes the acceleration of a neighbouring system in tangent->a, with velocities in tangent->v for which
 * steep contacts have the same slip velocities as here. */
static void accelerate_at_slip(slip_tangent *tangent, const slip_tangent_near *near, double t, double at)
{
    const int n = tangent->n;
    const slip_flow *flow = tangent->flow;
    const double *q = flow->scratch.inside, *v = q + n;
    memcpy(tangent->v, v, (size_t)n * sizeof(double));
    for (int k = 0; k < tangent->steep_count; k++) {
        const double *row = flow->scratch.basis + 2 * (int64_t)k * n, *response = row + n,
                     slip = slip_system_slip(flow->system, tangent->own.work, tangent->steep[k], t, q, v) -
                            slip_system_slip(near->system, near->work, tangent->steep[k], at, q, tangent->v),
                     along = slip / slip_dot(n, row, response);
        for (int i = 0; i < n; i++)
            tangent->v[i] += along * response[i];
    }
    if (!slip_tangent_accelerate(tangent, near, false, at, q, tangent->v, tangent->a))
        tangent->failed = true;
}

/* Adds the derivative of accelerations. Where a law is steep differences are too coarse: they are taken at
 * equal slips, and the change of slip is added by the slopes in flow->scratch.block (slip_flow_variation). */
static void add_accelerations(slip_tangent *tangent, const difference *by, double t, double *rates)
{
    slip_flow *flow = tangent->flow;
    const int n = tangent->n;
    const double *v = flow->scratch.inside + n, *a_v = flow->scratch.block + (int64_t)n * n;
    double *here = tangent->values, *back = here + n;
    memset(back, 0, (size_t)n * sizeof(double));
    find_directions(tangent, t);
    if (!slip_tangent_accelerate(tangent, &tangent->own, false, t, flow->scratch.inside, v, here))
        tangent->failed = true;
    for (int k = 0; k < 4; k++) {
        double at = t;
        const slip_tangent_near *near = place_of(tangent, by, k, &at);
        accelerate_at_slip(tangent, near, t, at);
        for (int i = 0; i < n; i++) {
            rates[i] += by->weights[k] * (tangent->a[i] - here[i]);
            back[i] += by->weights[k] * (v[i] - tangent->v[i]);
        }
    }
    for (int i = 0; i < n && tangent->steep_count > 0; i++)
        rates[i] += slip_dot(n, a_v + (int64_t)i * n, back);
}

static void add_pulls(slip_tangent *tangent, const difference *by, double t, double speed, double *rates)
{
    for (int r = 0; r < tangent->n; r++)
        rates[r] *= speed;
    pull_charts(tangent, by, t, rates);
    pull_patches(tangent, by, t, rates);
}

/* Adds f_p of the parameters at a node, with the state in flow->scratch.inside and dt/dx = speed. */
static void add_parameters(slip_tangent *tangent, int node, double t, double speed)
{
    slip_flow *flow = tangent->flow;
    const int m = tangent->m, rows = slip_tangent_nodes * m;
    for (int p = 0; p < tangent->parameter_count; p++) {
        const difference by = {slip_tangent_near_of(tangent, p), tangent->parameters[p].weights, 0};
        double *rates = tangent->stages + (m + 1 + p) * rows + node * m + tangent->n;
        if (tangent->steep_count > 0)
            add_accelerations(tangent, &by, t, rates);
        else
            slip_tangent_by_parameter(tangent, p, t, flow->scratch.inside, flow->scratch.inside + tangent->n,
                                      rates);
        add_pulls(tangent, &by, t, speed, rates);
    }
}

/* Adds the derivative by time to late columns, whose time is changed. */
static void add_clock(slip_tangent *tangent, int node, double t, double speed)
{
    const int m = tangent->m, n = tangent->n, rows = slip_tangent_nodes * m;
    const double step = 1e-4 * slip_tangent_time(tangent),
                 weights[] = {1 / (12 * step), -8 / (12 * step), 8 / (12 * step), -1 / (12 * step)};
    const difference by = {NULL, weights, step};
    double *rates = tangent->q;
    memset(rates, 0, (size_t)n * sizeof(double));
    add_accelerations(tangent, &by, t, rates);
    add_pulls(tangent, &by, t, speed, rates);
    for (int k = 0; k < tangent->count - 1; k++)
        for (int r = 0; r < n; r++)
            tangent->stages[k * rows + node * m + n + r] += tangent->tau[k] * rates[r];
}

/* Propagates the columns over a part of the step, x = x0 + length s^power from s0 to s1. */
static void march(slip_tangent *tangent, double x0, double length, int power, double s0, double s1)
{
    slip_flow *flow = tangent->flow;
    slip_stepper *stepper = flow->stepper;
    const collocation *at = stepper == flow->stiff ? &radau : &gauss;
    const int m = tangent->m, rows = slip_tangent_nodes * m, columns = tangent->count - 1;
    memset(tangent->stages, 0, (size_t)rows * (size_t)columns * sizeof(double));
    for (int i = 0; i < slip_tangent_nodes; i++) {
        const double s = s0 + (s1 - s0) * at->place[i], x = x0 + length * pow(s, power),
                     rate = length * power * pow(s, power - 1);
        double *matrix = tangent->matrix + (int64_t)i * m * m, speed;
        slip_stepper_interpolate(stepper, x, 0, stepper->ode.m, flow->scratch.inside);
        if (!slip_flow_variation(flow, x, flow->scratch.inside, tangent->size, matrix, &speed))
            tangent->failed = true;
        add_parameters(tangent, i, slip_flow_time(flow, x, flow->scratch.inside), speed);
        if (tangent->late)
            add_clock(tangent, i, slip_flow_time(flow, x, flow->scratch.inside), speed);
        for (int k = 0; k < m * m; k++)
            matrix[k] *= rate;
        for (int k = 0; k < columns; k++)
            for (int r = 0; r < m; r++)
                tangent->stages[k * rows + i * m + r] *= rate;
    }
    slip_flow_patch_let_steer(flow);
    collocate(tangent, at, s1 - s0);
}

/* Propagates the columns over a piece of a moment (flow/area/moment.c). */
static void march_moment(slip_tangent *tangent, bool last, double from, double length)
{
    slip_flow *flow = tangent->flow;
    const int m = tangent->m, rows = slip_tangent_nodes * m;
    memset(tangent->stages, 0, (size_t)rows * (size_t)(tangent->count - 1) * sizeof(double));
    for (int i = 0; i < slip_tangent_nodes; i++) {
        const double x = from + length * radau.place[i], t = flow->areas.moment->t + x;
        slip_flow_moment_place(flow, last, x, flow->scratch.inside);
        if (!slip_flow_variation_now(flow, t, flow->scratch.inside, tangent->size,
                                     tangent->matrix + (int64_t)i * m * m))
            tangent->failed = true;
        add_parameters(tangent, i, t, 1);
    }
    collocate(tangent, &radau, length);
}

/* The closer to rest, the faster the direction of slip turns: the pieces grow with the distance from rest. At
 * the start of slip, which may grow with the square of time, pieces are longer: changes of slip and belt that
 * cancel are divided by the slip. */
void slip_tangent_moment(slip_tangent *tangent, bool last)
{
    slip_flow *flow = tangent->flow;
    const int pieces = last ? 12 : 5;
    const double h = flow->areas.moment->h;
    if (!tangent->started)
        return;
    for (int k = 0; k < pieces; k++) {
        const double near = k > 0 || last ? h * pow(0.25, last ? k + 1 : pieces - k) : 0,
                     far = h * pow(0.25, last ? k : pieces - 1 - k);
        march_moment(tangent, last, last ? h - far : near, far - near);
    }
    slip_flow_moment_place(flow, last, h, flow->scratch.inside);
    if (!last)
        slip_flow_patch_let_steer(flow);
}

/* The set of compliant contacts with a normal force at x: steps do not end where it changes, but the equation
 * has a kink there. */
static uint64_t pressed(slip_tangent *tangent, double x)
{
    const slip_flow *flow = tangent->flow;
    uint64_t mask = 0;
    slip_stepper_interpolate(flow->stepper, x, 0, flow->stepper->ode.m, flow->scratch.inside);
    slip_system_acceleration(flow->system, tangent->own.work, NULL,
                             slip_flow_time(flow, x, flow->scratch.inside), flow->scratch.inside,
                             flow->scratch.inside + tangent->n, tangent->a);
    for (int c = 0; c < flow->contact_count; c++)
        mask |= flow->system->contacts[c].compliant && tangent->own.work->contacts[c].normal > 0
                    ? (uint64_t)1 << (c % 64)
                    : 0;
    return mask;
}

/* Propagates the columns from a kink on, or up to it, where a derivative of the equation may be infinite like
 * that of the root of the distance. With distance = s^4 the integrand is smooth in s. */
static void march_from(slip_tangent *tangent, double kink, double end)
{
    enum { pieces = 12 };
    const int power = tangent->late ? 2 : 4; /* with s^4 slip from rest would be lost in rounding */
    const bool back = end < kink;
    for (int k = 0; k < pieces; k++) {
        const double near = (double)(back ? pieces - 1 - k : k) / pieces, far = near + 1.0 / pieces;
        march(tangent, kink, end - kink, power, back ? far : near, back ? near : far);
    }
}

/* Notes the contacts that slip by a law with an infinite slope somewhere. *begins: one of them starts at that
 * slip velocity; *ends: one reaches it. */
static void find_steep(slip_tangent *tangent, bool *begins, bool *ends)
{
    const slip_flow *flow = tangent->flow;
    const double x[2] = {flow->stepper->x0, flow->stepper->x1};
    *begins = *ends = false;
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_law_kernel *law = slip_contact_law(flow->system, flow->work, c);
        bool steep = false;
        for (int k = 0; k < law->break_count; k++) {
            double slip[2];
            if (!slip_flow_steep(flow, c, k))
                continue;
            steep = true;
            for (int side = 0; side < 2; side++) {
                slip_stepper_interpolate(flow->stepper, x[side], 0, flow->stepper->ode.m,
                                         flow->scratch.inside);
                slip[side] = fabs(slip_system_slip(flow->system, tangent->own.work, c,
                                                   slip_flow_time(flow, x[side], flow->scratch.inside),
                                                   flow->scratch.inside, flow->scratch.inside + tangent->n) -
                                  law->breaks[k].velocity);
            }
            *begins = *begins || slip[0] < 0.3 * slip[1];
            *ends = *ends || slip[1] < 0.3 * slip[0];
        }
        if (steep)
            tangent->steep[tangent->steep_count++] = c;
    }
}

/* The number of pieces of a step for the columns. Next to an equilibrium steps are very long, though small
 * changes still move. Integrals over an area have infinite second derivatives where the centre of rotation
 * passes its edge, without an end of the step; and steep laws without a chart do not shorten steps in one. */
static int pieces_of(const slip_tangent *tangent)
{
    enum { most = 32, fine = 8 };
    const slip_flow *flow = tangent->flow;
    const double length = flow->stepper->x1 - flow->stepper->x0;
    for (int k = 0; k < flow->areas.count; k++)
        if (flow->areas.list[k].form->law->integral)
            return fine;
    if (slip_flow_in_chart(flow))
        return tangent->steep_count > 0 ? fine : 1;
    return (int)fmin(fmax(ceil(length / (0.3 * flow->sizes.structure_time)), 1), most);
}

void slip_tangent_step(slip_tangent *tangent)
{
    enum { parts = 40 };
    slip_flow *flow = tangent->flow;
    double x = flow->stepper->x0, end = flow->stepper->x1;
    bool compliant = false, begins, ends;
    if (end == x || !tangent->started)
        return;
    for (int c = 0; c < flow->contact_count; c++)
        compliant = compliant || flow->system->contacts[c].compliant;
    find_steep(tangent, &begins, &ends);
    if (compliant && pressed(tangent, x) != pressed(tangent, end)) {
        double low = x, high = end;
        for (int k = 0; k < parts; k++) {
            const double middle = 0.5 * (low + high);
            *(pressed(tangent, middle) == pressed(tangent, x) ? &low : &high) = middle;
        }
        march_from(tangent, high, x);
        march_from(tangent, high, end);
    } else if (begins || ends) {
        const double between = !ends ? end : !begins ? x : 0.5 * (x + end);
        if (begins)
            march_from(tangent, x, between);
        if (ends)
            march_from(tangent, end, between);
    } else {
        const int count = pieces_of(tangent);
        for (int k = 0; k < count; k++)
            march(tangent, x, end - x, 1, (double)k / count, (double)(k + 1) / count);
    }
    tangent->steep_count = 0;
    if (tangent->late) /* charts are left from inside the step */
        flow->stepper->ode.rhs(flow, end, flow->stepper->y1, flow->scratch.inside);
    slip_tangent_meet(tangent);
    flow->ends.at_end = false;
}

/* d = exp(J distance) d, by the series; J is constant in the segment. */
void slip_tangent_turn(slip_tangent *tangent, double distance, double *d)
{
    const int m = tangent->m;
    double *term = tangent->block, *next = term + m, size = 0, most = 0;
    memcpy(term, d, (size_t)m * sizeof(double));
    size = fmax(size, slip_largest(m, d));
    for (int k = 1; k <= 24 && size > 0; k++) {
        most = 0;
        for (int i = 0; i < m; i++) {
            next[i] = 0;
            for (int j = 0; j < m; j++)
                next[i] += tangent->matrix[i * m + j] * term[j];
            next[i] *= distance / k;
        }
        for (int i = 0; i < m; i++) {
            d[i] += term[i] = next[i];
            most = fmax(most, fabs(next[i]) / fmax(fabs(d[i]), 1e-3 * size));
        }
        if (most < 1e-18)
            break;
    }
}

/* Columns of parameters in closed form: exp(J h) d + the integral of exp(J (h - s)) g(s), by Gauss's rule of
 * order 16 over pieces of at most two radians, from point to point. */
static void carry_parameters(slip_tangent *tangent, const slip_exact *exact, double distance)
{
    enum { points = 8 };
    static const double at[points] = {0.01985507175123188416, 0.10166676129318663020, 0.23723379504183550709,
                                      0.40828267875217509753, 0.59171732124782490247, 0.76276620495816449291,
                                      0.89833323870681336980, 0.98014492824876811584},
                        weight[points] = {0.05061426814518812957, 0.11119051722668723527,
                                          0.15685332293894364367, 0.18134189168918099148,
                                          0.18134189168918099148, 0.15685332293894364367,
                                          0.11119051722668723527, 0.05061426814518812957};
    const slip_flow *flow = tangent->flow;
    const int m = tangent->m, n = tangent->n;
    const int64_t pieces = (int64_t)fmax(1, ceil(0.5 * distance * slip_exact_rate(exact)));
    const double length = distance / (double)pieces;
    double *source = tangent->stages, *q = source + m, *v = q + n;
    double speed;
    memcpy(tangent->q, flow->q, (size_t)n * sizeof(double));
    memcpy(tangent->v, flow->v, (size_t)n * sizeof(double));
    if (!slip_flow_variation(tangent->flow, flow->t, tangent->q, tangent->size, tangent->matrix, &speed))
        tangent->failed = true;
    for (int64_t piece = 0; piece < pieces; piece++)
        for (int p = 0; p < tangent->parameter_count; p++) {
            double *column = slip_tangent_of(tangent, m + 1 + p);
            for (int k = 0; k < points; k++) {
                const double t = flow->t + length * ((double)piece + at[k]);
                slip_exact_state(exact, t, q, v, NULL);
                slip_tangent_by_parameter(tangent, p, t, q, v, source);
                slip_tangent_turn(tangent, length * (at[k] - (k > 0 ? at[k - 1] : 0)), column);
                for (int i = 0; i < n; i++)
                    column[n + i] += length * weight[k] * source[i];
            }
            slip_tangent_turn(tangent, length * (1 - at[points - 1]), column);
        }
}

void slip_tangent_carry(slip_tangent *tangent, const slip_exact *exact, double distance)
{
    tangent->exact = exact;
    if (tangent->loads) {
        slip_tangent_carry_loads(tangent, exact, distance);
        return;
    }
    for (int k = 0; k <= tangent->m; k++) {
        double *column = slip_tangent_of(tangent, k);
        slip_exact_carry(exact, distance, column, column + tangent->n);
    }
    if (tangent->parameter_count > 0)
        carry_parameters(tangent, exact, distance);
}
