/* General models: nonlinear forces, gaps or slips, slips of more than one dimension, states, or steady
 * sliding. Their equilibria (statics/equilibria.h) as a scene. */
#include "simulation/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The model at a value of the parameter. */

static void unbind(slip_scene_bound *bound)
{
    slip_balance_destroy(bound->balance);
    slip_model_destroy(bound->model);
    free(bound->reference);
    *bound = (slip_scene_bound){0};
}

void slip_scene_close_balance(slip_scene *s)
{
    for (int k = 0; k < slip_scene_bound_count; k++)
        unbind(&s->bound[k]);
}

/* Fails where the problem at a value of the parameter has another form: a contact becomes driven or not. */
static int check_alike(const slip_scene *s, const slip_balance *b, double value)
{
    const slip_balance *first = s->bound[0].balance;
    for (int c = 0; first && c < b->contact_count && b->contact_count == first->contact_count; c++)
        if (b->contacts[c].driven != first->contacts[c].driven ||
            (b->contacts[c].driven && !b->contacts[c].may_turn &&
             b->contacts[c].drive * first->contacts[c].drive < 0))
            return slip_fail(s->ctx, SLIP_ERROR_MODEL,
                             "contact `%s`: what drives its slip stops or turns between %s = %.9g and %.9g; "
                             "expected a range on one side",
                             b->system->contacts[b->contacts[c].contact].name,
                             s->parameter_name ? s->parameter_name : "value", s->bound[0].value, value);
    if (first && (b->contact_count != first->contact_count || b->direction_count != first->direction_count))
        return slip_fail(
            s->ctx, SLIP_ERROR_MODEL,
            "the contacts at %s = %.9g are not those at %.9g: a coefficient of friction becomes zero "
            "or a slip loses a direction",
            s->parameter_name ? s->parameter_name : "value", value, s->bound[0].value);
    return SLIP_OK;
}

/* Binds the model to a value. The reference is the initial state. */
static int bind(slip_scene *s, double value, slip_scene_bound *to)
{
    int status;
    to->value = value;
    if (s->parameter_name && value != s->value)
        SLIP_TRY(slip_model_bind_one(s->ctx, s->model, s->parameter_name, value, &to->model));
    const slip_model *model = to->model ? to->model : s->model;
    const int n = model->system->n, coordinates = slip_system_coordinates(model->system);
    to->reference = slip_alloc(n + 1, sizeof(double));
    SLIP_TRY(slip_allocated(s->ctx, to->reference));
    for (int i = 0; i < n; i++)
        to->reference[i] = i < coordinates ? model->initial_q[i] : model->initial_v[i];
    SLIP_TRY(slip_balance_create(s->ctx, model->system, slip_scene_time(model), to->reference, &to->balance));
    SLIP_TRY(check_alike(s, to->balance, value));
done:
    if (status < 0)
        unbind(to);
    return status;
}

int slip_scene_balance(slip_scene *s, double value, slip_balance **balance)
{
    int status = SLIP_OK, at = -1;
    for (int k = 0; k < slip_scene_bound_count; k++)
        if (s->bound[k].balance && s->bound[k].value == value)
            at = k;
    if (at < 0) { /* replaces the oldest entry of the cache except the first */
        at = s->bound[0].balance ? 1 + s->bound_next++ % (slip_scene_bound_count - 1) : 0;
        unbind(&s->bound[at]);
        status = bind(s, value, &s->bound[at]);
    }
    *balance = s->bound[at].balance;
    return status;
}

bool slip_scene_drives(const slip_scene *s, int contact)
{
    return s->general && s->bound[0].balance->contacts[contact].driven;
}

int slip_scene_check_contacts(const slip_scene *s)
{
    if (s->shape.contact_count > 0 || !s->general || !slip_balance_is_linear(s->bound[0].balance))
        return SLIP_OK;
    return slip_fail(s->ctx, SLIP_ERROR_MODEL,
                     "the model has no contact that presses or rubs: statics has nothing to look for");
}

bool slip_scene_is_plane(const slip_scene *s, int contact)
{
    return s->general && s->model->system->contacts[s->model_contacts[contact]].patch;
}

/* ---- Opening. */

bool slip_scene_is_general(const slip_balance *b)
{
    bool general = !slip_balance_is_linear(b) || b->n > b->coordinates || b->contact_count == 0;
    for (int c = 0; c < b->contact_count; c++) {
        const slip_balance_contact *own = &b->contacts[c];
        const slip_contact *contact = &b->system->contacts[own->contact];
        general = general || own->driven || own->surface || contact->varying_count > 0 ||
                  slip_balance_static_limit(b, own->contact) != slip_balance_kinetic_limit(b, own->contact);
        for (int i = 0; i < b->n && contact->normal_force; i++)
            general = general || slip_expression_reads(contact->normal_force, slip_slot_coordinate(i));
    }
    return general;
}

/* The factor `motion` that makes stiffness and rows of the same order (fill_model of scene.c). */
static int find_motion(slip_scene *s, slip_balance *b, double *motion)
{
    slip_balance_room room;
    SLIP_FREED slip_mode *modes = slip_alloc(b->contact_count + 1, sizeof *modes);
    double stiffness = 0, row = 0;
    int status = modes ? SLIP_OK : slip_fail_memory(s->ctx);
    if (status >= 0)
        status = slip_balance_room_create(s->ctx, b, &room);
    if (status < 0)
        return status;
    for (int c = 0; c < b->contact_count; c++) {
        slip_mode own[4];
        modes[c] = own[slip_balance_modes_of(b, c, own) - 1];
    }
    const int size = slip_balance_size(b, modes);
    memcpy(room.trial, b->reference, sizeof(double) * (size_t)b->n);
    slip_balance_aim(b, modes, room.trial);
    *motion = 1;
    if (slip_balance_evaluate(b, modes, room.trial, room.f, room.matrix))
        for (int i = 0; i < b->n; i++)
            for (int j = 0; j < b->n + b->direction_count; j++) {
                const double entry = fabs(room.matrix[(int64_t)i * size + j]);
                stiffness = j < b->n ? fmax(stiffness, entry) : stiffness;
                row = j < b->n ? row : fmax(row, entry);
            }
    if (stiffness > 0 && row > 0)
        *motion = row / stiffness;
    slip_balance_room_free(&room);
    return status;
}

int slip_scene_open_balance(slip_scene *s, slip_balance *b)
{
    slip_static_contact *contacts = slip_arena_array(&s->arena, b->contact_count + 1, sizeof *contacts);
    double motion;
    SLIP_PASS(slip_allocated(s->ctx, contacts));
    SLIP_PASS(find_motion(s, b, &motion));
    for (int c = 0; c < b->contact_count; c++)
        contacts[c] = (slip_static_contact){b->contacts[c].normal,
                                            b->contacts[c].tangent_count > 0 ? b->contacts[c].tangent : -1};
    s->general = true;
    s->shape = (slip_static_shape){.contact_count = b->contact_count,
                                   .direction_count = b->direction_count + 2 * b->n,
                                   .observed_count = b->n,
                                   .held_count = b->n,
                                   .contacts = contacts,
                                   .sign = b->n % 2 == 0 ? 1 : -1,
                                   .motion = motion};
    return SLIP_OK;
}

/* ---- Between the unknowns of a balance and lambda, d. */

void slip_scene_state_from(const slip_scene *s, slip_balance *b, const double *y, double *lambda, double *d)
{
    const int all = s->shape.direction_count, first = s->first_coordinate, n = b->n;
    memset(lambda, 0, sizeof(double) * (size_t)all);
    memset(d, 0, sizeof(double) * (size_t)all);
    memcpy(lambda, y + n, sizeof(double) * (size_t)first);
    slip_balance_place(b, y);
    for (int c = 0; c < b->contact_count; c++) {
        const slip_balance_contact *own = &b->contacts[c];
        double along[3], w[3];
        if (own->normal >= 0)
            d[own->normal] = slip_system_gap(b->system, b->work, own->contact, b->t, b->q);
        slip_balance_find_rows(b, own, along, w);
        for (int k = 0; k < own->tangent_count; k++)
            d[own->tangent + k] = own->driven ? 0 : along[k];
    }
    for (int i = 0; i < n; i++) {
        d[first + i] = y[i];
        lambda[first + n + i] = y[i] / s->shape.motion;
    }
}

void slip_scene_state_to(const slip_scene *s, const double *lambda, const double *d, double *y)
{
    const int n = s->coordinate_count;
    memcpy(y, d + s->first_coordinate, sizeof(double) * (size_t)n);
    memcpy(y + n, lambda, sizeof(double) * (size_t)s->first_coordinate);
}

int slip_scene_contacts_balance(slip_scene *s, double value, const double *lambda, const double *d,
                                slip_scene_contact *contacts)
{
    slip_balance *b;
    SLIP_FREED double *y = slip_alloc(s->coordinate_count + s->first_coordinate + 1, sizeof(double));
    SLIP_PASS(slip_allocated(s->ctx, y));
    SLIP_PASS(slip_scene_balance(s, value, &b));
    slip_scene_state_to(s, lambda, d, y);
    for (int c = 0; c < b->contact_count; c++) {
        const slip_contact *contact = &b->system->contacts[b->contacts[c].contact];
        slip_balance_reading look;
        slip_balance_read_contact(b, y, c, &look);
        contacts[c] = (slip_scene_contact){.normal = look.normal,
                                           .tangential = slip_contact_force_size(contact, look.force),
                                           .gap = look.gap,
                                           .slip = slip_contact_slip_size(contact, look.slip)};
        for (int k = 0; k < contact->shown / 2; k++) {
            contacts[c].plane[k] = look.slip[k];
            contacts[c].plane[3 + k] = look.force[k];
        }
    }
    return SLIP_OK;
}

int slip_scene_residual(slip_scene *s, double value, const slip_static_problem *problem, const double *lambda,
                        const double *d, double *residual)
{
    slip_balance *b;
    SLIP_FREED double *y = NULL;
    if (!s->general) {
        *residual = slip_static_residual(problem, lambda, d);
        return SLIP_OK;
    }
    y = slip_alloc(s->coordinate_count + s->first_coordinate + 1, sizeof(double));
    SLIP_PASS(slip_allocated(s->ctx, y));
    SLIP_PASS(slip_scene_balance(s, value, &b));
    slip_scene_state_to(s, lambda, d, y);
    *residual = slip_balance_residual(b, y);
    return SLIP_OK;
}
