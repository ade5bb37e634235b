/* Small changes of the state along a segment: over a step, and in closed form. */
#include "math/dense.h"
#include "method/exact/exact.h"
#include "method/tangent/types.h"

#include <math.h>
#include <string.h>

/* d' = J d + g over one step, J and g at Gauss's points in `matrix` and `stages`. */
static void collocate(slip_tangent *tangent, double length)
{
    static const double a[3][3] = {{0.13888888888888888889, -0.03597666752493890345, 0.00978944401530832605},
                                   {0.3002631949808645924, 0.22222222222222222222, -0.02248541720308681460},
                                   {0.26798833376246945173, 0.48042111196938334790, 0.13888888888888888889}};
    static const double b[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    const int m = tangent->m, rows = 3 * m, columns = tangent->count - 1;
    for (int i = 0; i < 3; i++) {
        const double *matrix = tangent->matrix + (int64_t)i * m * m;
        for (int r = 0; r < m; r++)
            for (int j = 0; j < 3; j++)
                for (int s = 0; s < m; s++)
                    tangent->block[(i * m + r) * rows + j * m + s] =
                        (i == j && r == s ? 1 : 0) - length * a[i][j] * matrix[r * m + s];
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
                column[r] += length * b[i] * stage[i * m + r];
    }
}

static const double node_places[3] = {0.11270166537925831148, 0.5, 0.88729833462074168852};

/* In charts the forces of contacts do not read slip velocities, which may depend on the parameter. */
static double slip_by_parameter(slip_tangent *tangent, int parameter, int c, double x)
{
    static const double weights[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const slip_flow *flow = tangent->flow;
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        const slip_tangent_near *near = &tangent->near[4 * parameter + k];
        sum += weights[k] / tangent->parameters[parameter].step *
               slip_system_slip(near->system, near->work, c, slip_flow_time(flow, x, flow->inside),
                                flow->inside, flow->inside + tangent->n);
    }
    return sum;
}

static void march(slip_tangent *tangent, double x0, double length)
{
    slip_flow *flow = tangent->flow;
    slip_stepper *stepper = flow->stepper;
    const int m = tangent->m, rows = slip_tangent_nodes * m;
    memset(tangent->stages, 0, (size_t)rows * (size_t)(tangent->count - 1) * sizeof(double));
    for (int i = 0; i < slip_tangent_nodes; i++) {
        const double x = x0 + length * node_places[i];
        double speed;
        slip_stepper_interpolate(stepper, x, 0, stepper->ode.m, flow->inside);
        if (!slip_flow_variation(flow, x, flow->inside, tangent->size, tangent->matrix + (int64_t)i * m * m,
                                 &speed))
            tangent->failed = true;
        for (int p = 0; p < tangent->parameter_count; p++) {
            double *by = tangent->stages + (m + 1 + p) * rows + i * m + tangent->n;
            slip_tangent_by_parameter(tangent, p, slip_flow_time(flow, x, flow->inside), flow->inside,
                                      flow->inside + tangent->n, by);
            for (int r = 0; r < tangent->n; r++)
                by[r] *= speed;
            for (int c = 0; c < flow->contact_count && flow->charted_count > 0; c++)
                slip_flow_chart_pull(flow, c, slip_by_parameter(tangent, p, c, x), by);
        }
    }
    collocate(tangent, length);
}

/* Which compliant contacts are pressed: steps do not end where that changes, and the equation has a kink
 * there. */
static uint64_t pressed(slip_tangent *tangent, double x)
{
    const slip_flow *flow = tangent->flow;
    uint64_t mask = 0;
    slip_stepper_interpolate(flow->stepper, x, 0, flow->stepper->ode.m, flow->inside);
    slip_system_acceleration(flow->system, tangent->own.work, NULL, slip_flow_time(flow, x, flow->inside),
                             flow->inside, flow->inside + tangent->n, tangent->a);
    for (int c = 0; c < flow->contact_count; c++)
        mask |= flow->system->contacts[c].compliant && tangent->own.work->contacts[c].normal > 0
                    ? (uint64_t)1 << (c % 64)
                    : 0;
    return mask;
}

/* From a kink on, or up to it, where a derivative of the equation may be infinite: in pieces that grow with
 * the distance. */
static void march_from(slip_tangent *tangent, double kink, double end, bool back)
{
    enum { pieces = 6 };
    for (int k = 0; k < pieces; k++) {
        const int place = back ? pieces - 1 - k : k;
        const double near = place > 0 ? kink + (end - kink) * pow(0.125, pieces - place) : kink,
                     far = kink + (end - kink) * pow(0.125, pieces - 1 - place);
        march(tangent, back ? far : near, back ? near - far : far - near);
    }
}

void slip_tangent_step(slip_tangent *tangent)
{
    enum { parts = 40 };
    slip_flow *flow = tangent->flow;
    double x = flow->stepper->x0, end = flow->stepper->x1;
    bool compliant = false;
    if (end == x || !tangent->started)
        return;
    for (int c = 0; c < flow->contact_count; c++)
        compliant = compliant || flow->system->contacts[c].compliant;
    if (compliant && pressed(tangent, x) != pressed(tangent, end)) {
        double low = x, high = end;
        for (int k = 0; k < parts; k++) {
            const double middle = 0.5 * (low + high);
            *(pressed(tangent, middle) == pressed(tangent, x) ? &low : &high) = middle;
        }
        march_from(tangent, high, x, true);
        march_from(tangent, high, end, false);
    } else {
        march(tangent, x, end - x);
    }
    flow->at_end = false;
}

/* d = exp(J distance) d, by the series; J is constant in the segment. */
static void turn(slip_tangent *tangent, double distance, double *d)
{
    const int m = tangent->m;
    double *term = tangent->block, *next = term + m, size = 0, most = 0;
    memcpy(term, d, (size_t)m * sizeof(double));
    for (int i = 0; i < m; i++)
        size = fmax(size, fabs(d[i]));
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
                turn(tangent, length * (at[k] - (k > 0 ? at[k - 1] : 0)), column);
                for (int i = 0; i < n; i++)
                    column[n + i] += length * weight[k] * source[i];
            }
            turn(tangent, length * (1 - at[points - 1]), column);
        }
}

void slip_tangent_carry(slip_tangent *tangent, const slip_exact *exact, double distance)
{
    tangent->exact = exact;
    for (int k = 0; k <= tangent->m; k++) {
        double *column = slip_tangent_of(tangent, k);
        slip_exact_carry(exact, distance, column, column + tangent->n);
    }
    if (tangent->parameter_count > 0)
        carry_parameters(tangent, exact, distance);
}
