/* Laws with memory in a system: their states are states of the system, named CONTACT.STATE, and their rates
 * are added to the loads on these. */
#include "system/evaluate.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* The state CONTACT.PART, or -1. */
static int find_part(const slip_system *system, const char *contact, const char *part)
{
    const size_t length = strlen(contact);
    for (int i = slip_system_coordinates(system); i < system->n; i++)
        if (strncmp(system->names[i], contact, length) == 0 && system->names[i][length] == '.' &&
            strcmp(system->names[i] + length + 1, part) == 0)
            return i;
    return -1;
}

/* The sliders of the contact that was added last. */
static int add_sliders(slip_context *ctx, slip_system *system, int c, slip_law_mode mode)
{
    slip_contact *contact = &system->contacts[c];
    const bool plane = contact->dimension > 1;
    contact->slider = (int)system->slider_count;
    contact->slider_count = plane ? 1 : contact->state_count;
    SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(system->sliders, system->slider_capacity,
                                            system->slider_count + contact->slider_count)));
    for (int k = 0; k < contact->slider_count; k++) {
        slip_slider *slider = &system->sliders[system->slider_count++];
        *slider = (slip_slider){.contact = c, .state = contact->state + k, .plane = plane, .mode = mode};
        slip_law_slider(&contact->law.law, k, &slider->stiffness, &slider->limit);
    }
    return SLIP_OK;
}

int slip_system_attach_states(slip_context *ctx, slip_system *system, int c)
{
    slip_contact *contact = &system->contacts[c];
    const slip_law_type *type = contact->law.type;
    const bool plane = contact->dimension > 1; /* two states, of which the names are those of axes */
    const int count = plane ? slip_law_plane_states : slip_law_state_count(type, &contact->law.law);
    char own[slip_law_state_name_size];
    for (int k = 0; k < count; k++) {
        slip_law_state_name(type, count, k, own);
        const char *name = plane ? slip_law_plane_state_name(k) : own;
        const int found = find_part(system, contact->name, name);
        if (found < 0 || (k > 0 && found != contact->state + k))
            return slip_fail(ctx, SLIP_ERROR_USAGE, "contact `%s`: the system has no state `%s.%s`",
                             contact->name, contact->name, name);
        if (k == 0)
            contact->state = found;
    }
    contact->state_count = count;
    const slip_law_mode mode = type->mode && !plane ? type->mode(&contact->law.law) : SLIP_LAW_NO_MODE;
    return type->sliders || mode != SLIP_LAW_NO_MODE ? add_sliders(ctx, system, c, mode) : SLIP_OK;
}

/* Adds the rate of the limit to the deflection of slipping sliders. */
static void follow_limits(const slip_system *system, slip_workspace *work, const slip_contact *contact,
                          const double *v, slip_law_response *to)
{
    for (int k = 0; k < contact->state_count; k++) {
        double rate = 0;
        if (to->rate_v[k] == 0) {
            slip_system_slider_limit(system, work, &system->sliders[contact->slider + k], &rate);
            to->rate[k] = copysign(1, v[contact->state + k]) * rate;
        }
    }
}

void slip_system_remember(const slip_system *system, slip_workspace *work, const slip_contact *contact,
                          const slip_branch *branch, slip_contact_state *state, const double *v,
                          double *force)
{
    const slip_law_kernel *law = slip_contact_law(system, work, (int)(contact - system->contacts));
    const int piece = branch && branch->piece >= 0 ? branch->piece : slip_law_piece(law, state->slip);
    slip_law_response to = slip_system_response_of(system, work, contact);
    state->asleep = slip_contact_asleep(contact, branch, state->normal);
    if (state->asleep) {
        const int all = system->state_count, at = contact->state - slip_system_coordinates(system);
        for (int kind = 0; kind < 4; kind++)
            memset(work->memory + (ptrdiff_t)kind * all + at, 0,
                   (size_t)contact->state_count * sizeof(double));
        state->force = state->force_slope = state->chart_slope = state->ratio = 0;
        return;
    }
    law->type->remember(law, piece, branch ? branch->sliders : NULL, state->slip, v + contact->state, &to);
    if (contact->varying_count > 0 && contact->law.type->sliders)
        follow_limits(system, work, contact, v, &to);
    state->ratio = -(to.force + law->law.viscous * state->slip);
    state->force = state->normal * state->ratio;
    state->force_slope = -state->normal * (to.slope + law->law.viscous);
    state->chart_slope = 0;
    for (int k = 0; k < contact->state_count; k++)
        force[contact->state + k] += to.rate[k];
}

void slip_system_remember_gradients(const slip_system *system, const slip_workspace *work,
                                    const slip_contact *contact, const slip_contact_state *state, int k,
                                    double *of_force, double *rate_slip, double *rate_state)
{
    const slip_law_response of = slip_system_response_of(system, work, contact);
    *of_force = -state->normal * of.force_z[k];
    *rate_slip = of.rate_v[k];
    *rate_state = of.rate_z[k];
}

/* The same for sliders in the plane: z' gets the part l' z/|z|. */
static void follow_circle(const slip_system *system, slip_workspace *work, const slip_contact *contact,
                          const double *v, slip_law_plane *to)
{
    const double *z = v + contact->state, size = hypot(z[0], z[1]), n[2] = {z[0] / size, z[1] / size};
    double rate;
    slip_system_slider_limit(system, work, &system->sliders[contact->slider], &rate);
    for (int i = 0; i < 2; i++) {
        to->rate[i] += rate * n[i];
        for (int j = 0; j < 2; j++)
            to->rate_z[2 * i + j] += rate * ((i == j) - n[i] * n[j]) / size;
    }
}

void slip_system_plane_response(const slip_system *system, slip_workspace *work, int c,
                                const signed char *sliders, const double *v, slip_law_plane *to)
{
    const slip_contact *contact = &system->contacts[c];
    const slip_law_kernel *law = slip_contact_law(system, work, c);
    const double *slip = work->patches[contact->vector].slip;
    law->type->remember_plane(law, sliders, slip, v + contact->state, to);
    work->contacts[c].slips =
        contact->law.type->sliders && (to->rate_v[1] != 0 || to->rate_v[0] + to->rate_v[3] < 2);
    if (contact->varying_count > 0 && work->contacts[c].slips)
        follow_circle(system, work, contact, v, to);
    for (int i = 0; i < 2; i++) {
        to->force[i] += law->law.viscous * slip[i];
        to->force_v[3 * i] += law->law.viscous;
    }
}

void slip_system_remember_plane(const slip_system *system, slip_workspace *work, const slip_contact *contact,
                                const slip_branch *branch, const double *v, double *force)
{
    const int c = (int)(contact - system->contacts);
    slip_patch_state *own = &work->patches[contact->vector];
    slip_law_plane to;
    work->contacts[c].asleep = slip_contact_asleep(contact, branch, work->contacts[c].normal);
    if (work->contacts[c].asleep)
        return;
    slip_system_plane_response(system, work, c, branch ? branch->sliders : NULL, v, &to);
    for (int i = 0; i < 2; i++) {
        work->patch_friction[3 * contact->vector + i] = -to.force[i];
        own->force[i] = -work->contacts[c].normal * to.force[i];
        force[contact->state + i] += to.rate[i];
    }
}

void slip_system_forget(const slip_system *system, const slip_workspace *work, int c, double *v)
{
    const slip_contact *contact = &system->contacts[c];
    const slip_law_kernel *law = slip_contact_law(system, work, c);
    for (int k = 0; k < contact->state_count; k++)
        v[contact->state + k] = law->type->state_start ? law->type->state_start(law) : 0;
}

/* Of a slider in the plane the limits are those of the size of its deflection. */
static void check_size(const slip_system *system, const slip_contact *contact, const double *v,
                       slip_text *wrong)
{
    double low, limit;
    if (contact->varying_count > 0)
        return;
    contact->law.type->state_range(&contact->law, 0, &low, &limit);
    const double size = hypot(v[contact->state], v[contact->state + 1]);
    if (!(size <= limit))
        slip_text_printf(
            wrong,
            "%s`%s` and `%s` start at %.9g and %.9g, of size %.9g; expected at most the limit of "
            "law `%s`, %.9g",
            wrong->length > 0 ? "\n" : "", system->names[contact->state], system->names[contact->state + 1],
            v[contact->state], v[contact->state + 1], size, contact->law.type->info.name, limit);
}

static void check_ranges(const slip_system *system, const slip_contact *contact, const double *v,
                         slip_text *wrong)
{
    for (int k = 0; k < contact->state_count; k++) {
        const double value = v[contact->state + k];
        double low = -INFINITY, high = INFINITY;
        if (contact->law.type->state_range && contact->varying_count == 0)
            contact->law.type->state_range(&contact->law, k, &low, &high);
        if (!(value >= low && value <= high))
            slip_text_printf(
                wrong,
                "%s`%s` starts at %.9g; expected a number within the limits of law `%s`, %.9g to "
                "%.9g",
                wrong->length > 0 ? "\n" : "", system->names[contact->state + k], value,
                contact->law.type->info.name, low, high);
    }
}

int slip_system_check_states(slip_context *ctx, const slip_system *system, const double *v)
{
    SLIP_FREED_BY(slip_text_free) slip_text wrong = {0};
    int status = SLIP_OK;
    for (int64_t c = 0; c < system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        if (contact->slider_count > 0 && system->sliders[contact->slider].plane)
            check_size(system, contact, v, &wrong);
        else
            check_ranges(system, contact, v, &wrong);
    }
    if (wrong.failed)
        status = slip_fail_memory(ctx);
    else if (wrong.length > 0)
        status = slip_fail(ctx, SLIP_ERROR_MODEL, "%s", wrong.data);
    return status;
}
