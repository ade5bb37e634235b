/* Errors that the steps of a flow may make, in the units of the motion itself.
 *
 * The relative part is of the velocity, and of how far the coordinate is from its start, or from zero where
 * that is less. The absolute part is of 1, or of the largest motion of all coordinates that are coupled where
 * that is smaller, or of a thousandth of the coordinate's own where that is larger. So allowed errors depend
 * neither on the units of the model, nor on its origin, nor on the motion of parts that are not coupled.
 * Where a structure gives the size of its deflections (gears turn many times, and touch by micrometres),
 * errors of coordinates are relative to these. Where the system is periodic in an angle, the distance is at
 * most half a period. A state of first order is a part of its own; a law gives the size of its states. The
 * motion that loads, belts and stops will cause in a short time counts, too. */
#include "math/vector.h"
#include "method/flow/flow.h"

#include "system/friction/friction.h"
#include "system/structure/coupling.h"
#include "system/structure/structure.h"
#include "system/symmetry.h"

#include <float.h>
#include <math.h>

/* ---- Sizes. */

static void enlarge(double *scale, double value)
{
    if (value > *scale)
        *scale = value;
}

/* Notes a displacement (order 0) or velocity (order 1) of this size, of a past motion or of one to come. */
static void expect(slip_flow *flow, int order, int i, double size)
{
    enlarge(&flow->sizes.parts_moved[order * flow->n + flow->sizes.part[i]], size);
}
static void note(slip_flow *flow, int order, int i, double size)
{
    enlarge(&flow->sizes.moved[order * flow->n + i], size);
    expect(flow, order, i, size);
}

/* Estimates the motion that loads, belts and stops will cause, in a short time and over the run;
 * flow->scratch.inside is scratch. */
static void look_forward(slip_flow *flow, double t)
{
    const slip_system *system = flow->system;
    const int n = flow->n;
    const double time = slip_flow_time_scale(flow);
    if (!slip_system_loads(system, flow->work, t, flow->q, flow->v, flow->scratch.inside))
        return;
    slip_system_fill(system, flow->work);
    for (int i = 0; i < n; i++) {
        double size = 0;
        for (int j = 0; j < n; j++)
            size += fabs(flow->work->inverse_mass[i * n + j] * flow->scratch.inside[j]);
        expect(flow, 0, i, isfinite(size) ? time * time * size : 0);
        expect(flow, 1, i, isfinite(size) ? time * size : 0);
    }
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        double slip =
            contact->dimension == 1 ? slip_system_slip(system, flow->work, c, t, flow->q, flow->v) : 0;
        double gap = slip_system_gap_change(system, flow->work, c, flow->opened_at, t);
        for (int i = 0; i < n; i++) {
            if (contact->slip.row && contact->slip.row[i] != 0)
                expect(flow, 1, i, isfinite(slip) ? fabs(slip / contact->slip.row[i]) : 0);
            if (gap != 0 && contact->gap.row[i] != 0)
                expect(flow, 0, i, isfinite(gap) ? fabs(gap / contact->gap.row[i]) : 0);
        }
    }
}

int slip_flow_scale_create(slip_flow *flow)
{
    const int64_t n = flow->n;
    flow->sizes.part = slip_arena_array(&flow->arena, n, sizeof *flow->sizes.part);
    flow->sizes.moved = slip_arena_array(&flow->arena, 8 * n, sizeof(double));
    SLIP_PASS(slip_allocated(flow->ctx, flow->sizes.part && flow->sizes.moved));
    flow->sizes.parts_moved = flow->sizes.moved + 2 * n;
    flow->sizes.finest = flow->sizes.moved + 4 * n;
    flow->sizes.q_start = flow->sizes.moved + 5 * n;
    flow->sizes.deflection = flow->sizes.moved + 6 * n;
    flow->sizes.extent = flow->sizes.moved + 7 * n;
    if (flow->system->structure->deflections)
        flow->system->structure->deflections(flow->system, flow->sizes.deflection);
    slip_system_find_parts(flow->system, flow->work->inverse_mass, flow->work->mass_structure,
                           flow->sizes.part);
    for (int i = 0; i < n; i++) {
        flow->sizes.finest[i] = slip_flow_velocity_resolution(flow, i);
        flow->sizes.q_start[i] = flow->q[i];
        flow->sizes.extent[i] = INFINITY;
    }
    return SLIP_OK;
}

int slip_flow_scale_turns(slip_flow *flow)
{
    enum { early = 200, most = 64 };
    SLIP_FREED_BY(slip_symmetry_drop) slip_symmetry *symmetry = NULL;
    if (flow->sizes.turns_known || flow->steps < early)
        return SLIP_OK;
    flow->sizes.turns_known = true;
    if (!slip_flow_scales(flow) || flow->jumps || flow->n > most)
        return SLIP_OK;
    SLIP_PASS(slip_symmetry_create(flow->ctx, flow->system, &symmetry));
    for (int i = 0; i < symmetry->n; i++)
        flow->sizes.extent[i] = symmetry->extent[i];
    return SLIP_OK;
}

/* The absolute part of the error, in units of the tolerance: the largest motion of the part, but not more
 * than 1 or a thousandth of the coordinate's own. */
static double absolute_part(double own, double part)
{
    const double least = 1e-10; /* smaller motions are the tail of a later pulse, or none at all */
    return part > 0 ? slip_smaller(slip_larger(part, least), slip_larger(1, 1e-3 * own)) : 1;
}

static inline double unit_of(const slip_flow *flow, int order, int i)
{
    if (order == 0 && flow->sizes.deflection[i] > 0)
        return flow->sizes.deflection[i];
    return absolute_part(flow->sizes.moved[order * flow->n + i],
                         flow->sizes.parts_moved[order * flow->n + flow->sizes.part[i]]);
}

double slip_flow_speed_unit(const slip_flow *flow)
{
    double largest = 0;
    for (int i = 0; i < flow->moving; i++)
        largest = fmax(largest, unit_of(flow, 1, i));
    return fmin(largest, 1);
}

/* The distance of a coordinate from its start, at most half a period of an angle. */
static inline double distance_of(const slip_flow *flow, int i)
{
    return slip_smaller(fabs(flow->q[i] - flow->sizes.q_start[i]), flow->sizes.extent[i]);
}

static inline double allowed(const slip_flow *flow, int order, int i)
{
    const int n = flow->n;
    const double part = flow->sizes.parts_moved[order * n + flow->sizes.part[i]];
    if (flow->sizes.usual[i] > 0) /* a state of a law */
        return flow->options.tolerance * (flow->sizes.usual[i] + fabs(flow->v[i]));
    const double now = order                           ? fabs(flow->v[i])
                       : flow->sizes.deflection[i] > 0 ? 0
                                                       : slip_smaller(fabs(flow->q[i]), distance_of(flow, i));
    return flow->options.tolerance * (unit_of(flow, order, i) + now) + 16 * DBL_EPSILON * part + DBL_MIN;
}

void slip_flow_scale_loads(slip_flow *flow, const double *a)
{
    enum { looks = 16 };
    const int n = flow->n;
    const double time = slip_flow_time_scale(flow);
    slip_system_fill(flow->system, flow->work);
    for (int i = 0; i < n; i++) {
        const double *inverse = flow->work->inverse_mass + i * n,
                     *structure = flow->work->mass_structure + i * 2 * n;
        double size = fabs(a[i]);
        for (int j = 0; j < n; j++)
            size += fabs(inverse[j] * flow->work->loads[j]) + fabs(structure[j] * flow->q[j]) +
                    fabs(structure[n + j] * flow->v[j]);
        expect(flow, 0, i, time * (fabs(flow->v[i]) + time * size));
        expect(flow, 1, i, time * size);
    }
    /* once; closed forms do not need it */
    for (int k = 0; k <= looks && !flow->sizes.looked; k++)
        look_forward(flow, flow->t + (isfinite(flow->options.span) ? flow->options.span * k / looks : 0));
    flow->sizes.looked = true;
    if (flow->stepper == flow->plain)
        flow->stepper->tolerance = 4 * DBL_EPSILON;
    slip_flow_scale_step(flow);
}

/* Steps of the chart, and implicit ones, add the relative part of the error themselves. */
static void scale_other(const slip_flow *flow)
{
    const int n = flow->n;
    for (int i = 0; i < n; i++) {
        double *absolute = flow->stepper->absolute + i;
        if (flow->sizes.usual[i] > 0)
            continue;
        for (int order = 0; order < 2; order++)
            absolute[order * n] = flow->options.tolerance * unit_of(flow, order, i);
        absolute[n] = fmin(absolute[n], flow->sizes.finest[i]);
    }
    slip_flow_resolve_presliding(flow, flow->stepper);
}

void slip_flow_scale_step(slip_flow *flow)
{
    const int n = flow->n;
    double *absolute = flow->stepper->absolute;
    for (int i = 0; i < n; i++) {
        note(flow, 0, i, distance_of(flow, i));
        note(flow, 1, i, fabs(flow->v[i]));
    }
    if (flow->stepper != flow->plain)
        scale_other(flow);
    for (int i = 0; i < n && flow->stepper == flow->plain; i++) {
        absolute[i] = allowed(flow, 0, i);
        absolute[n + i] = slip_smaller(allowed(flow, 1, i), flow->sizes.finest[i]);
    }
    for (int k = 0; k < flow->gaps.count; k++)
        absolute[flow->gaps.first + k] = slip_flow_gap_error(flow, flow->gaps.open[k], 0);
}

double slip_flow_gap_error(const slip_flow *flow, int c, int order)
{
    const double *row = slip_system_gap_row(flow->system, flow->work, c, flow->t, flow->q);
    double sum = 0;
    for (int i = 0; i < flow->n; i++)
        sum += row[i] != 0 ? fabs(row[i]) * allowed(flow, order, i) : 0;
    return sum;
}

double slip_flow_resolution(const slip_flow *flow)
{
    double largest = 0;
    for (int i = 0; i < flow->n; i++)
        largest = fmax(largest, unit_of(flow, 0, i));
    return flow->options.tolerance * largest;
}

/* The largest derivative of a contact's slip velocity by the velocity of a coordinate. */
static double weight_of(const slip_contact *contact, int coordinate)
{
    double weight = 0;
    for (int part = 0; part < contact->dimension; part++) {
        const double *row = contact->slips[part].row;
        weight = fmax(weight, contact->unit[part] * (row ? fabs(row[coordinate]) : 1));
    }
    return weight;
}

/* Velocities must be resolved well below the scale of every law that depends on them: inside that scale
 * Newton's method takes steps of the size scale x residual, and would stop before it has converged. */
double slip_flow_velocity_resolution(const slip_flow *flow, int coordinate)
{
    double finest = INFINITY;
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        const double weight = weight_of(contact, coordinate),
                     scale = contact->friction->width(flow->system, flow->work, c);
        if (weight > 0 && 1e-6 * scale / weight < finest)
            finest = 1e-6 * scale / weight;
    }
    return finest;
}

/* Laws with memory are elastic before they slide: coordinates and velocities must be resolved well below the
 * deflections and the velocities of that, however far the motion goes later. */
void slip_flow_resolve_presliding(const slip_flow *flow, slip_stepper *stepper)
{
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        const double size = contact->state_count > 0 ? flow->sizes.usual[contact->state] : 0;
        const double speed = fmin(slip_law_velocity_scale(slip_contact_law(flow->system, flow->work, c)), 1);
        for (int i = 0; i < slip_system_coordinates(flow->system) && size > 0; i++) {
            const double weight = weight_of(contact, i);
            double *of_q = &stepper->absolute[i], *of_v = &stepper->absolute[flow->n + i];
            if (weight == 0)
                continue;
            *of_q = fmin(*of_q, stepper->tolerance * size / weight);
            *of_v = fmin(*of_v, stepper->tolerance * speed / weight);
        }
    }
}

/* A time over which the structure changes little, from its frequency; without one, from the last steps. */
double slip_flow_time_scale(const slip_flow *flow)
{
    double scale = flow->sizes.structure_time;
    if (!isfinite(scale) && flow->natural_step > 0)
        scale = flow->natural_step;
    if (flow->options.span > 0 && isfinite(flow->options.span))
        scale = slip_smaller(scale, 1e-2 * flow->options.span);
    return isfinite(scale) ? scale : 1;
}
