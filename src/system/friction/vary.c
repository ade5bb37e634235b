/* Laws whose parameters are expressions of t, coordinates and states: the kernels at the place where a
 * workspace is, and the derivatives that come from them. */
#include "system/evaluate.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const slip_law_parameter_info of_patch = {"mu", "coefficient of friction", NAN, 0, 0, NULL};

/* Enlarges the lists for one more parameter. */
static bool make_room(slip_system *system, slip_contact *contact)
{
    const int64_t count = contact->varying_count;
    slip_expression **varying = slip_arena_array(&system->arena, count + 1, sizeof *varying);
    const slip_law_parameter_info **info = slip_arena_array(&system->arena, count + 1, sizeof *info);
    if (!varying || !info)
        return false;
    for (int64_t k = 0; k < count; k++) {
        varying[k] = contact->varying[k];
        info[k] = contact->varying_info[k];
    }
    contact->varying = varying;
    contact->varying_info = info;
    return true;
}

/* A parameter of the kernel of a workspace, whose elements are its own. */
static double *parameter_of(slip_law_kernel *kernel, const char *name)
{
    double *value = slip_law_parameter(&kernel->law, name);
    return value ? value : (double *)kernel->law.elements + slip_law_element(&kernel->law, name);
}

int slip_system_vary(slip_context *ctx, slip_system *system, int c, const char *parameter,
                     slip_expression *expression)
{
    slip_contact *contact = &system->contacts[c];
    const slip_law_info *law = &contact->law.type->info;
    const slip_law_parameter_info *info =
        slip_contact_law_varies(contact) ? slip_law_info_of(contact->law.type, &contact->law.law, parameter)
                                         : &of_patch;
    if (!info || strcmp(info->name, parameter) != 0 || contact->varying_count == slip_varying_max) {
        slip_expression_destroy(expression);
        return slip_fail(ctx, SLIP_ERROR_USAGE, "contact `%s`: `%s` cannot be an expression", contact->name,
                         parameter);
    }
    for (int i = slip_system_coordinates(system); i < system->n && contact->law.type->sliders; i++)
        if (strchr(system->names[i], '.') &&
            slip_expression_reads(expression, slip_slot_velocity(system->n, i))) {
            const int status = slip_fail(
                ctx, SLIP_ERROR_MODEL,
                "law `%s`: %s: found `%s` in `%s`, expected t, coordinates and states with rates of "
                "their own: the limit of a slider cannot follow the deflection of a law",
                law->name, parameter, system->names[i], slip_expression_text(expression));
            slip_expression_destroy(expression);
            return status;
        }
    if (!make_room(system, contact)) {
        slip_expression_destroy(expression);
        return slip_fail_memory(ctx);
    }
    slip_system_note(system, expression);
    contact->varying[contact->varying_count] = expression;
    contact->varying_info[contact->varying_count++] = info;
    system->varying_laws = true;
    if (contact->varying_count > system->varying_most)
        system->varying_most = contact->varying_count;
    return SLIP_OK;
}

/* With elements of its own, which may vary. */
static bool start_law(const slip_contact *contact, slip_workspace *work, slip_law_kernel *law)
{
    const int count = 2 * contact->law.law.element_count;
    *law = contact->law;
    if (contact->varying_count == 0 || count == 0)
        return true;
    double *elements = slip_arena_array(&work->arena, count, sizeof *elements);
    if (elements)
        memcpy(elements, contact->law.law.elements, (size_t)count * sizeof *elements);
    law->law.elements = elements;
    return elements != NULL;
}

bool slip_system_start_laws(const slip_system *system, slip_workspace *work)
{
    for (int k = 0; k < system->patch_count; k++)
        work->patch_mu[k] = system->contacts[system->vectors[k]].patch->mu;
    for (int64_t c = 0; c < system->contact_count && system->varying_laws; c++)
        if (!start_law(&system->contacts[c], work, &work->laws[c]))
            return false;
    return true;
}

bool slip_system_retune(const slip_system *system, slip_workspace *work)
{
    bool good = true;
    for (int64_t c = 0; c < system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        slip_law_kernel *law = &work->laws[c];
        for (int k = 0; k < contact->varying_count; k++) {
            const double value = slip_expression_value(contact->varying[k], work->slots, work->scratch);
            good &= slip_law_in_range(contact->varying_info[k], value);
            *(slip_contact_law_varies(contact) ? parameter_of(law, contact->varying_info[k]->name)
                                               : &work->patch_mu[contact->vector]) = value;
        }
        if (contact->varying_count > 0 && slip_contact_law_varies(contact)) {
            slip_law_derive(law);
            law->break_count = contact->law.break_count; /* in the plane there are none */
        }
    }
    return good;
}

bool slip_system_retune_at(const slip_system *system, slip_workspace *work, double t, const double *q,
                           const double *v)
{
    slip_fill_slots(system->n, work, t, q, v);
    return slip_system_retune(system, work);
}

/* The rate of a state that the model gives one. */
static double rate_of_state(const slip_system *system, const slip_workspace *work, int i)
{
    const double *q = work->slots + slip_slot_coordinate(0),
                 *v = work->slots + slip_slot_velocity(system->n, 0);
    double *force = work->drift + 1 + 2 * system->n, rate = 0;
    if (system->force_function && system->force_function(system->force_user, work->slots[slip_slot_time()], q,
                                                         v, force, NULL, NULL) >= 0)
        rate = force[i];
    for (const slip_force_term *term = system->forces, *end = term + system->force_count; term < end; term++)
        if (i >= slip_force_first(term) && i < slip_force_end(term, system->n) &&
            slip_force_part(term, i) != 0)
            rate += slip_force_part(term, i) *
                    slip_expression_value(term->expression, work->slots, work->scratch);
    return rate;
}

double slip_system_slider_limit(const slip_system *system, slip_workspace *work, const slip_slider *slider,
                                double *rate)
{
    const slip_contact *contact = &system->contacts[slider->contact];
    const int n = system->n;
    double stiffness, limit = slider->limit;
    if (rate)
        *rate = 0;
    if (contact->varying_count == 0 || !contact->law.type->sliders)
        return limit;
    const slip_law *law = &work->laws[slider->contact].law;
    slip_law_slider(law, slider->state - contact->state, &stiffness, &limit);
    for (int k = 0; k < contact->varying_count && rate; k++) {
        const double slope =
            slip_law_limit_slope(law, slider->state - contact->state, contact->varying_info[k]->name);
        if (slope == 0)
            continue;
        slip_expression_gradient(contact->varying[k], work->slots, 1 + 2 * n, work->drift, work->scratch);
        double along = work->drift[slip_slot_time()];
        for (int i = 0; i < slip_system_coordinates(system); i++)
            along += work->drift[slip_slot_coordinate(i)] * work->slots[slip_slot_velocity(n, i)];
        for (int i = slip_system_coordinates(system); i < n; i++) {
            const double by = work->drift[slip_slot_velocity(n, i)];
            along += by != 0 ? by * rate_of_state(system, work, i) : 0;
        }
        *rate += slope * along;
    }
    return limit;
}

/* The derivative of this rate with respect to a slot. */
static double drift_slope(const slip_system *system, slip_workspace *work, const slip_slider *slider,
                          int slot)
{
    const double at = work->slots[slot], h = 1e-6 * (1 + fabs(at));
    double rate[2];
    for (int side = 0; side < 2; side++) {
        work->slots[slot] = side == 0 ? at - h : at + h;
        slip_system_retune(system, work);
        slip_system_slider_limit(system, work, slider, &rate[side]);
    }
    work->slots[slot] = at;
    slip_system_retune(system, work);
    return (rate[1] - rate[0]) / (2 * h);
}

/* A parameter of a kernel, and two neighbouring values for finite differences, which stay inside its range.
 */
typedef struct difference {
    double *parameter, own, low, high;
} difference;

static difference about(slip_law_kernel *law, const slip_law_parameter_info *info)
{
    double *parameter = parameter_of(law, info->name);
    const double value = *parameter, h = cbrt(DBL_EPSILON) * (value != 0 ? fabs(value) : 1);
    return (difference){parameter, value, value != 0 ? value - h : value, value + h};
}

static void set(slip_law_kernel *law, const difference *d, double value)
{
    *d->parameter = value;
    slip_law_derive(law);
}

/* Force and rates at the slip velocity of the state. */
static void respond(const slip_law_kernel *law, const slip_contact_state *state, const double *z,
                    slip_law_response *to)
{
    static const signed char
        stuck[slip_law_sliders_max + 1]; /* slipping sliders do not depend on parameters here */
    const int piece = slip_law_piece(law, state->slip);
    if (law->type->remember)
        law->type->remember(law, piece, law->type->sliders ? stuck : NULL, state->slip, z, to);
    else
        law->type->evaluate(law, piece, state->slip, &to->force, &to->slope);
    to->force += law->law.viscous * state->slip;
}

void slip_system_vary_gradients(const slip_system *system, slip_workspace *work, int c, const double *v,
                                double *of_force, double *f_q, double *f_v, double *f_t)
{
    enum { most = slip_law_sliders_max + 1 };
    const slip_contact *contact = &system->contacts[c];
    const slip_contact_state *state = &work->contacts[c];
    const int n = system->n, slots = 1 + 2 * n;
    double *gradient = work->gradient, room[8 * most];
    slip_law_response below = {.force_z = room, room + most, room + 2 * most, room + 3 * most},
                      above = {.force_z = room + 4 * most, room + 5 * most, room + 6 * most, room + 7 * most};
    for (int k = 0; k < contact->varying_count && !(contact->state_count > 0 && state->asleep); k++) {
        slip_law_kernel law = work->laws[c];
        const difference d = about(&law, contact->varying_info[k]);
        set(&law, &d, d.low);
        respond(&law, state, v + contact->state, &below);
        set(&law, &d, d.high);
        respond(&law, state, v + contact->state, &above);
        set(&law, &d, d.own); /* an element is the workspace's */
        slip_expression_gradient(contact->varying[k], work->slots, slots, gradient, work->scratch);
        for (int j = 0; j < slots; j++)
            of_force[j] -= state->normal * (above.force - below.force) / (d.high - d.low) * gradient[j];
        for (int m = 0; m < contact->state_count; m++) {
            const double slope = (above.rate[m] - below.rate[m]) / (d.high - d.low);
            const int row = contact->state + m;
            f_t[row] += slope * gradient[0];
            for (int j = 0; j < n; j++) {
                f_q[row * n + j] += slope * gradient[slip_slot_coordinate(j)];
                f_v[row * n + j] += slope * gradient[slip_slot_velocity(n, j)];
            }
        }
    }
    if (!contact->law.type->sliders || state->asleep)
        return;
    const slip_law_response of = slip_system_response_of(system, work, contact);
    for (int m = 0; m < contact->state_count; m++) {
        const slip_slider *slider = &system->sliders[contact->slider + m];
        const int row = slider->state;
        const double side = copysign(1, v[row]);
        for (int j = 0; j < n && of.rate_v[m] == 0; j++) {
            f_t[row] += j == 0 ? side * drift_slope(system, work, slider, slip_slot_time()) : 0;
            f_q[row * n + j] += side * drift_slope(system, work, slider, slip_slot_coordinate(j));
            f_v[row * n + j] += side * drift_slope(system, work, slider, slip_slot_velocity(n, j));
        }
    }
}

void slip_system_vary_gradients_plane(const slip_system *system, slip_workspace *work, int c,
                                      double *gradients)
{
    const slip_contact *contact = &system->contacts[c];
    const int slots = 1 + 2 * system->n;
    const double *z = work->slots + slip_slot_velocity(system->n, contact->state),
                 *slip = work->patches[contact->vector].slip;
    const signed char *sliders =
        contact->law.type->sliders ? (const signed char[]){work->contacts[c].slips} : NULL;
    for (int j = 0; j < slots && work->contacts[c].slips; j++) {
        const double slope = drift_slope(system, work, &system->sliders[contact->slider], j);
        for (int of = 0; of < 2; of++)
            gradients[(3 + of) * slots + j] += slope * z[of] / hypot(z[0], z[1]);
    }
    for (int k = 0; k < contact->varying_count; k++) {
        slip_law_kernel law = work->laws[c];
        const difference d = about(&law, contact->varying_info[k]);
        slip_law_plane below, above;
        set(&law, &d, d.low);
        law.type->remember_plane(&law, sliders, slip, z, &below);
        double viscous = -law.law.viscous;
        set(&law, &d, d.high);
        law.type->remember_plane(&law, sliders, slip, z, &above);
        viscous += law.law.viscous;
        slip_expression_gradient(contact->varying[k], work->slots, slots, work->gradient, work->scratch);
        for (int of = 0; of < 2; of++) {
            const double force = (above.force[of] - below.force[of] + viscous * slip[of]) / (d.high - d.low),
                         rate = (above.rate[of] - below.rate[of]) / (d.high - d.low);
            for (int j = 0; j < slots; j++) {
                gradients[of * slots + j] -= work->contacts[c].normal * force * work->gradient[j];
                gradients[(3 + of) * slots + j] += rate * work->gradient[j];
            }
        }
    }
}

int slip_system_diagnose_laws(slip_context *ctx, const slip_system *system, slip_workspace *work, double t)
{
    for (int64_t c = 0; c < system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        for (int k = 0; k < contact->varying_count; k++) {
            const slip_law_parameter_info *info = contact->varying_info[k];
            const double value = slip_expression_value(contact->varying[k], work->slots, work->scratch);
            if (!slip_law_in_range(info, value))
                return slip_fail(ctx, SLIP_ERROR_SOLVER,
                                 "at t = %.9g the %s of contact `%s`, `%s`, is %.15g; expected %s %g", t,
                                 info->name, contact->name, slip_expression_text(contact->varying[k]), value,
                                 info->open ? "more than" : "at least", info->minimum);
        }
    }
    return SLIP_OK;
}
