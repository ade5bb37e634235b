#include "statics/problem.h"

#include "contact/problem.h"

#include <math.h>

int slip_static_modes_of(const slip_static_contact *contact, slip_mode modes[4])
{
    int count = 0;
    if (contact->normal >= 0)
        modes[count++] = SLIP_MODE_OPEN;
    if (contact->tangent < 0) {
        modes[count++] = SLIP_MODE_CLOSED;
        return count;
    }
    modes[count++] = SLIP_MODE_SLIP_PLUS;
    modes[count++] = SLIP_MODE_SLIP_MINUS;
    modes[count++] = SLIP_MODE_STICK;
    return count;
}

int slip_static_margins(const slip_static_contact *contact, slip_mode mode,
                        slip_static_margin margins[slip_static_margins_max])
{
    static const slip_static_margin pressure = {{1, 0, 0, 0, 0}}, gap = {{0, 0, 1, 0, 0}},
                                    below = {{0, -1, 0, 0, 1}}, above = {{0, 1, 0, 0, 1}},
                                    forward = {{0, 0, 0, 1, 0}}, backward = {{0, 0, 0, -1, 0}};
    int count = 0;
    switch (mode) {
    case SLIP_MODE_OPEN:
        margins[count++] = gap;
        break;
    case SLIP_MODE_STICK:
        /* The margin of the pressure is implied by the two of friction, except where mu is zero. */
        if (contact->normal >= 0)
            margins[count++] = pressure;
        margins[count++] = below;
        margins[count++] = above;
        break;
    case SLIP_MODE_SLIP_PLUS:
    case SLIP_MODE_SLIP_MINUS:
        if (contact->normal >= 0)
            margins[count++] = pressure;
        margins[count++] = mode == SLIP_MODE_SLIP_PLUS ? forward : backward;
        break;
    case SLIP_MODE_SLIP:
    case SLIP_MODE_CLOSED:
        margins[count++] = pressure;
        break;
    }
    return count;
}

int slip_static_conditions(const slip_static_contact *contact, slip_mode mode,
                           slip_static_condition conditions[slip_static_conditions_max])
{
    const int sign = slip_static_slip_sign(mode);
    slip_static_margin margins[slip_static_margins_max];
    const int margin_count = slip_static_margins(contact, mode, margins);
    int count = 0;
    if (mode == SLIP_MODE_OPEN)
        conditions[count++] = (slip_static_condition){{{1, 0, 0, 0, 0}}, true};
    else if (contact->normal >= 0)
        conditions[count++] = (slip_static_condition){{{0, 0, 1, 0, 0}}, true};
    if (contact->tangent >= 0)
        conditions[count++] = mode == SLIP_MODE_STICK ? (slip_static_condition){{{0, 0, 0, 1, 0}}, true}
                              : mode == SLIP_MODE_OPEN
                                  ? (slip_static_condition){{{0, 1, 0, 0, 0}}, true}
                                  : (slip_static_condition){{{0, 1, 0, 0, (signed char)sign}}, true};
    for (int k = 0; k < margin_count; k++)
        conditions[count++] = (slip_static_condition){margins[k], false};
    return count;
}

double slip_static_margin_value(const slip_static_contact *contact, const slip_static_margin *margin,
                                const double *lambda, const double *d, double mu, double normal)
{
    const signed char *c = margin->coefficient;
    double value = 0;
    if (contact->normal >= 0) {
        value += c[0] * lambda[contact->normal] + c[2] * d[contact->normal];
        normal = lambda[contact->normal];
    }
    if (contact->tangent >= 0)
        value += c[1] * lambda[contact->tangent] + c[3] * d[contact->tangent];
    return value + c[4] * mu * normal;
}

/* Reference sizes for a structure that is not condensed: the terms whose sum is a gap or slip, the loads and
 * elastic forces on coordinates on which contacts act, and the smallest displacement by such a force. */
static void add_motions(const slip_static_problem *problem, const double *lambda, slip_static_scale *scale)
{
    const int n = problem->shape.direction_count, first = n - problem->shape.held_count,
              inner = slip_static_contact_directions(&problem->shape);
    const double unit = problem->shape.motion;
    double row = 0, stiffness = 0;
    for (int j = first; j < n; j++) {
        bool seen = false;
        for (int i = 0; i < inner; i++) {
            const double entry = problem->at.compliance[(int64_t)i * n + j];
            seen = seen || entry != 0;
            row = fmax(row, fabs(entry) / unit);
            scale->displacement = fmax(scale->displacement, fabs(entry * lambda[j]));
        }
        if (!seen)
            continue;
        scale->force = fmax(scale->force, fabs(problem->at.free[j]) / unit);
        for (int i = first; i < n; i++) {
            const double entry = problem->at.compliance[(int64_t)j * n + i];
            stiffness = fmax(stiffness, fabs(entry) / (unit * unit));
            scale->force = fmax(scale->force, fabs(entry * lambda[i]) / unit);
        }
    }
    if (stiffness > 0)
        scale->displacement = fmax(scale->displacement, row * scale->force / stiffness);
}

slip_static_scale slip_static_scale_of(const slip_static_problem *problem, const double *lambda,
                                       const double *d)
{
    const int n = problem->shape.direction_count, inner = slip_static_contact_directions(&problem->shape);
    slip_static_scale scale = {0, 0};
    double stiff = 0;
    for (int i = 0; i < inner; i++) {
        scale.force = fmax(scale.force, fabs(lambda[i]));
        scale.displacement = fmax(scale.displacement, fmax(fabs(problem->at.free[i]), fabs(d[i])));
        stiff = fmax(stiff, fabs(problem->at.compliance[(int64_t)i * n + i]));
    }
    for (int c = 0; c < problem->shape.contact_count; c++)
        scale.force = fmax(scale.force, fabs(problem->at.normal[c]));
    if (problem->shape.motion > 0)
        add_motions(problem, lambda, &scale);
    /* A force too small to change the displacements does not count for the scale, and vice versa. */
    if (stiff > 0) {
        scale.force = fmax(scale.force, scale.displacement / stiff);
        scale.displacement = fmax(scale.displacement, scale.force * stiff);
    }
    if (!(scale.force > 0))
        scale.force = 1;
    if (!(scale.displacement > 0))
        scale.displacement = 1;
    return scale;
}

double slip_static_margin_size(const slip_static_margin *margin, const slip_static_scale *scale, double mu)
{
    const bool is_force = margin->coefficient[2] == 0 && margin->coefficient[3] == 0;
    return is_force ? scale->force * (1 + mu) : scale->displacement;
}

uint64_t slip_static_hash(const slip_mode *modes, int count)
{
    uint64_t hash = 14695981039346656037u; /* Fowler, Noll and Vo */
    for (int c = 0; c < count; c++)
        hash = (hash ^ (uint64_t)modes[c]) * 1099511628211u;
    return hash;
}

int slip_static_agreeing(const slip_static_problem *problem, int contact, const double *lambda,
                         const double *d, const slip_static_scale *scale, double tolerance,
                         slip_mode modes[4])
{
    const slip_static_contact *own = &problem->shape.contacts[contact];
    const double force = tolerance * scale->force, displacement = tolerance * scale->displacement;
    const double mu = problem->at.friction[contact];
    const double pressure = own->normal >= 0 ? lambda[own->normal] : problem->at.normal[contact];
    const double gap = own->normal >= 0 ? d[own->normal] : 0;
    const double tangential = own->tangent >= 0 ? lambda[own->tangent] : 0;
    const double slip = own->tangent >= 0 ? d[own->tangent] : 0;
    int count = 0;
    if (own->normal >= 0 && fabs(pressure) <= force && fabs(tangential) <= force && gap >= -displacement)
        modes[count++] = SLIP_MODE_OPEN;
    if (fabs(gap) > displacement || pressure < -force)
        return count;
    if (own->tangent < 0) {
        modes[count++] = SLIP_MODE_CLOSED;
        return count;
    }
    for (int sign = 1; sign >= -1; sign -= 2)
        if (fabs(tangential + sign * mu * pressure) <= force * (1 + mu) && sign * slip >= -displacement)
            modes[count++] = sign > 0 ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_SLIP_MINUS;
    if (fabs(slip) <= displacement && fabs(tangential) <= mu * pressure + force * (1 + mu))
        modes[count++] = SLIP_MODE_STICK;
    return count;
}

/* The violation of the contact law of a contact. */
static double contact_residual(const slip_static_problem *problem, int c, const double *lambda,
                               const double *d, const slip_static_scale *scale)
{
    const slip_static_contact *own = &problem->shape.contacts[c];
    const double g = scale->displacement / scale->force, mu = problem->at.friction[c];
    const slip_block press = {.kind = SLIP_BLOCK_NORMAL},
                     friction = {.kind = SLIP_BLOCK_FRICTION, .hold = mu, .slide = mu};
    double pressure = problem->at.normal[c], worst = 0;
    if (own->normal >= 0) {
        pressure = lambda[own->normal];
        worst = slip_block_residual(&press, g, 1, pressure, d[own->normal]);
    }
    if (own->tangent >= 0)
        worst = fmax(worst, slip_block_residual(&friction, g, fmax(pressure, 0), lambda[own->tangent],
                                                d[own->tangent]));
    return worst / scale->displacement;
}

double slip_static_residual(const slip_static_problem *problem, const double *lambda, const double *d)
{
    const int n = problem->shape.direction_count, inner = n - problem->shape.held_count;
    const slip_static_scale scale = slip_static_scale_of(problem, lambda, d);
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double defect = problem->at.free[i] - (i < inner ? d[i] : 0), size = scale.displacement;
        for (int j = 0; j < n; j++) {
            const double term = problem->at.compliance[(int64_t)i * n + j] * lambda[j];
            defect += term;
            size = fmax(size, fabs(term));
        }
        worst = fmax(worst, fabs(defect) / size);
    }
    for (int c = 0; c < problem->shape.contact_count; c++)
        worst = fmax(worst, contact_residual(problem, c, lambda, d, &scale));
    return worst;
}

bool slip_static_values_create(slip_arena *arena, const slip_static_shape *shape, slip_static_values *values)
{
    const int64_t n = shape->direction_count;
    values->compliance = slip_arena_array(arena, n * n + 1, sizeof(double));
    values->free = slip_arena_array(arena, n + 1, sizeof(double));
    values->friction = slip_arena_array(arena, shape->contact_count + 1, sizeof(double));
    values->normal = slip_arena_array(arena, shape->contact_count + 1, sizeof(double));
    return values->compliance && values->free && values->friction && values->normal;
}
