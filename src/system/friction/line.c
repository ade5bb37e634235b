/* Friction along a slip of one direction: the table of friction.h. */
#include "contact/problem.h"
#include "math/vector.h"
#include "system/detector.h"
#include "system/evaluate.h"
#include "system/friction/friction.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Slip. */

static double find_slip(const slip_system *system, slip_workspace *work, int contact, double t,
                        const double *q, const double *v)
{
    const slip_contact *of = &system->contacts[contact];
    if (of->slip.rest || of->creep.balance)
        slip_fill_slots(system->n, work, t, q, v);
    if (of->creep.balance)
        return slip_system_creep(system, work, of,
                                 of->normal_force
                                     ? slip_expression_value(of->normal_force, work->slots, work->scratch)
                                     : of->normal_constant,
                                 v);
    const slip_slip_form *form = slip_contact_slips(system, work, contact);
    return slip_form_velocity(system->n, work, form, v) + slip_tail_dot(&form->tail, system->n, v);
}

static double find_size(const slip_system *system, slip_workspace *work, int contact, double t,
                        const double *q, const double *v)
{
    const slip_slip_form *form = slip_contact_slips(system, work, contact);
    if (system->contacts[contact].creep.balance)
        return fabs(find_slip(system, work, contact, t, q, v));
    double sum = fabs(form->constant) + slip_tail_size(&form->tail, system->n, v);
    for (int i = 0; i < system->n && form->row; i++)
        sum += fabs(form->row[i] * v[i]);
    if (form->rest) {
        slip_fill_slots(system->n, work, t, q, v);
        sum += slip_expression_size(form->rest, work->slots, work->scratch);
    }
    return sum;
}

static void find_slips(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                       const double *v, double slip[3])
{
    slip[0] = find_slip(system, work, c, t, q, v);
}

static void find_rates(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                       const double *v, const double *a, double rate[3])
{
    rate[0] = slip_system_slip_rate(system, work, c, t, q, v, a);
}

static const double *row_of(const slip_system *system, const slip_workspace *work, int c, int part)
{
    const double *row = slip_contact_slips(system, work, c)->row;
    (void)part;
    return row ? row : work->gradient + slip_slot_velocity(system->n, 0);
}

static slip_mode sliding(double slip)
{
    return slip > 0 ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_SLIP_MINUS;
}

static int modes(const slip_contact *contact, bool resting, double slip, slip_mode *list)
{
    if (!contact->set_valued || !resting) {
        list[0] = slip < 0 ? SLIP_MODE_SLIP_MINUS : SLIP_MODE_SLIP_PLUS;
        return 1;
    }
    list[0] = SLIP_MODE_STICK;
    list[1] = SLIP_MODE_SLIP_PLUS;
    list[2] = SLIP_MODE_SLIP_MINUS;
    return 3;
}

/* ---- Limits. */

static double hold(const slip_system *system, const slip_workspace *work, int c)
{
    return slip_law_hold(slip_contact_law(system, work, c));
}

/* It is a product of mu and the static ratio. */
static double hold_by(const slip_system *system, const slip_workspace *work, int c, int k)
{
    const char *name = system->contacts[c].varying_info[k]->name;
    const slip_law *law = &slip_contact_law(system, work, c)->law;
    return strcmp(name, "mu") == 0 ? law->static_ratio : strcmp(name, "static_ratio") == 0 ? law->mu : 0;
}

static double slide(const slip_system *system, const slip_workspace *work, int c)
{
    const slip_law_kernel *law = slip_contact_law(system, work, c);
    double force, slope;
    slip_law_force(law, slip_law_piece(law, 0), 0, &force, &slope);
    return force;
}

static double impact(const slip_system *system, const slip_workspace *work, int c)
{
    return slip_contact_law(system, work, c)->law.mu;
}

static double width(const slip_system *system, const slip_workspace *work, int c)
{
    return slip_law_velocity_scale(slip_contact_law(system, work, c));
}

static const double *forces_of(const slip_contact *contact, const slip_contact_state *state,
                               const slip_patch_state *patches)
{
    (void)contact;
    (void)patches;
    return &state->force;
}

static double force_of(const slip_contact *contact, const slip_contact_state *state,
                       const slip_patch_state *patches)
{
    (void)contact;
    (void)patches;
    return state->force;
}

/* ---- Power. */

/* The part of the slip velocity by the coordinates, without belts. */
static double own_slip(const slip_system *system, slip_workspace *work, const slip_slip_form *form, double t,
                       const double *q, const double *v, double slip)
{
    if (form->row)
        return form->rest || form->constant != 0
                   ? slip_dot(system->n, form->row, v) + slip_tail_dot(&form->tail, system->n, v)
                   : slip;
    slip_fill_slots(system->n, work, t, q, v);
    slip_form_velocity(system->n, work, form, v);
    return slip_dot(system->n, work->gradient + slip_slot_velocity(system->n, 0), v);
}

static void add_power(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                      const double *v, const slip_contact_state *state, const slip_patch_state *patches,
                      double power[2])
{
    (void)patches;
    if (state->force == 0)
        return;
    power[0] +=
        state->force * own_slip(system, work, slip_contact_slips(system, work, c), t, q, v, state->slip);
    power[1] -= state->force * state->slip;
}

/* ---- Before the judge. */

/* The friction law at slip w and normal force `normal`, as a block for the judge: a number or, for a
 * set-valued law at zero slip, all forces up to the limit. States of a law with memory are read from v. */
static slip_block friction_of(const slip_system *system, slip_workspace *work, const slip_contact *contact,
                              double w, double normal, const double *v)
{
    const slip_law_kernel *law = slip_contact_law(system, work, (int)(contact - system->contacts));
    const double hold = normal * slip_law_hold(law);
    slip_contact_state state = {.slip = w, .normal = normal};
    double force = 0, slope;
    if (contact->state_count > 0) {
        slip_system_remember(system, work, contact, NULL, &state, v, work->force);
        return (slip_block){.kind = SLIP_BLOCK_LINEAR, .constant = -state.force};
    }
    if (!contact->frictionless && law->type->info.set_valued && w == 0)
        return (slip_block){.kind = SLIP_BLOCK_FRICTION, .hold = hold, .slide = hold};
    if (!contact->frictionless)
        slip_law_force(law, slip_law_piece(law, w), w, &force, &slope);
    return (slip_block){.kind = SLIP_BLOCK_LINEAR, .constant = normal * force};
}

/* The rounding error of a slip velocity of zero. */
static double rounding(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                       const double *v)
{
    double sum = 0, *row = work->rows;
    slip_system_direction(system, work, c, t, q, v, row, work->responses);
    for (int i = 0; i < system->n; i++)
        sum += fabs(row[i] * v[i]);
    return 16 * DBL_EPSILON * sum;
}

static double judge(const slip_system *system, slip_workspace *work, int c, double t, const double *q,
                    const double *v, double normal, double force, const slip_patch_state *patches)
{
    double w = find_slip(system, work, c, t, q, v);
    (void)patches;
    if (fabs(w) <= rounding(system, work, c, t, q, v))
        w = 0;
    const slip_block friction = friction_of(system, work, &system->contacts[c], w, normal, v);
    return slip_block_residual(&friction, 1 / (1 + fabs(normal)), 1, force, w);
}

/* ---- Derivatives. */

/* Derivatives of a contact's slip velocity with respect to every slot. */
static void slip_gradient(const slip_system *system, slip_workspace *work, const slip_contact *contact,
                          const slip_contact_state *state, double *gradient)
{
    const slip_slip_form *form = &contact->slip;
    const int n = system->n, slots = 1 + 2 * n;
    if (contact->creep.balance) {
        slip_system_creep_gradient(system, work, contact, state, gradient);
        return;
    }
    memset(gradient, 0, (size_t)slots * sizeof(double));
    if (form->rest)
        slip_expression_gradient(form->rest, work->slots, slots, gradient, work->scratch);
    for (int k = 0; k < form->support_count; k++)
        gradient[slip_slot_velocity(n, form->support[k])] += form->row[form->support[k]];
}

/* Derivative of the contact's force with respect to every slot; those of the rates of its states are added to
 * the force's. */
static void differentiate_friction(const slip_system *system, slip_workspace *work, int c, double *of_force,
                                   const slip_force_derivatives *to)
{
    const slip_contact *contact = &system->contacts[c];
    const slip_contact_state *state = &work->contacts[c];
    int n = system->n, slots = 1 + 2 * n;
    double *gradient = work->gradient;
    /* An infinite slope is replaced by a steep one, which serves Newton's method as well. Other slopes are
     * hardly limited: rate and state friction at rest has slopes of 1e30 and more. */
    const double most = contact->law.type->chart ? 1e25 : 1e150;
    double force_slope = fmax(fmin(state->force_slope, most), -most);
    slip_gradient(system, work, contact, state, gradient);
    for (int j = 0; j < slots; j++)
        of_force[j] = force_slope * gradient[j];
    if (contact->creep.balance)
        slip_add_gradient(n, gradient, contact->creep.factor, contact->creep.state, to);
    for (int k = 0; k < contact->state_count; k++) {
        const int at = contact->state + k;
        double of_state, rate_slip, rate_state;
        slip_system_remember_gradients(system, work, contact, state, k, &of_state, &rate_slip, &rate_state);
        of_force[slip_slot_velocity(n, at)] += of_state;
        slip_add_gradient(n, gradient, rate_slip, at, to);
        to->f_v[at * n + at] += rate_state;
    }
    if (contact->normal_force && state->normal != 0) {
        slip_expression_gradient(contact->normal_force, work->slots, slots, gradient, work->scratch);
        for (int j = 0; j < slots; j++)
            of_force[j] += state->force / state->normal * gradient[j];
    }
    if (contact->varying_count > 0)
        slip_system_vary_gradients(system, work, c, work->slots + slip_slot_velocity(n, 0), of_force, to->f_q,
                                   to->f_v, to->f_t);
}

static void differentiate(const slip_system *system, slip_workspace *work, int c,
                          const slip_force_derivatives *to)
{
    const slip_slip_form *form = &system->contacts[c].slip;
    int n = system->n, slots = 1 + 2 * n;
    double *gradient = work->gradient, *of_force = work->gradient + slots;
    differentiate_friction(system, work, c, of_force, to);
    for (int k = 0; k < form->support_count; k++)
        slip_add_gradient(n, of_force, form->row[form->support[k]], form->support[k], to);
    if (form->row)
        return;
    slip_expression_gradient(form->rest, work->slots, slots, gradient, work->scratch);
    for (int i = 0; i < form->coordinates; i++)
        slip_add_gradient(n, of_force, gradient[slip_slot_velocity(n, i)], i, to);
}

static void gradient_of(const slip_system *system, slip_workspace *work, int c, int part,
                        const slip_force_derivatives *scratch, double *gradient)
{
    (void)part;
    differentiate_friction(system, work, c, gradient, scratch);
}

/* ---- Constraints. */

/* k of a closed contact that does not stick: friction force over normal force. */
static double ratio_of(const slip_system *system, const slip_workspace *work, int c, int part,
                       const slip_branch *branch, const slip_contact_state *state)
{
    const double slip = state->slip;
    const slip_law_kernel *law = slip_contact_law(system, work, c);
    double force, slope;
    if (system->contacts[c].frictionless)
        return 0;
    (void)part;
    if (system->contacts[c].state_count > 0)
        return state->ratio;
    slip_law_force(law, branch->piece >= 0 ? branch->piece : slip_law_piece(law, slip), slip, &force, &slope);
    return -force;
}

static int collect(const slip_system *system, slip_workspace *work, int c, const slip_branch *branch,
                   bool closed, int count, double t, const double *q, const double *v, const double *a)
{
    const slip_contact *contact = &system->contacts[c];
    const bool stick = branch->mode == SLIP_MODE_STICK;
    const double *tangent = contact->slip.row;
    if (!tangent) {
        slip_system_direction(system, work, c, t, q, v, work->tangent, work->responses + count * system->n);
        tangent = work->tangent;
        work->kept[count].row = NULL; /* its response was written over */
    }
    if (closed) {
        const double ratio = stick ? 0 : ratio_of(system, work, c, 0, branch, &work->contacts[c]),
                     rate = slip_system_gap_curve(system, work, c, t, q, v, a);
        slip_constrain_add(system, work, count, slip_system_gap_row(system, work, c, t, q), tangent, ratio,
                           rate, contact->gap.row && (ratio == 0 || contact->slip.row));
        work->constraints[count++] = -1 - c;
    }
    if (stick) {
        slip_constrain_add(system, work, count, tangent, tangent, 0,
                           slip_system_slip_rate(system, work, c, t, q, v, a), contact->slip.row);
        work->constraints[count++] = c;
    }
    return count;
}

static void press(const slip_system *system, slip_workspace *work, int c, const slip_branch *branch)
{
    slip_contact_state *state = &work->contacts[c];
    state->force = state->normal * ratio_of(system, work, c, 0, branch, state);
}

const slip_friction_type slip_friction_line = {.slips = find_slips,
                                               .slip = find_slip,
                                               .slip_size = find_size,
                                               .rates = find_rates,
                                               .row = row_of,
                                               .hold = hold,
                                               .hold_by = hold_by,
                                               .slide = slide,
                                               .impact = impact,
                                               .width = width,
                                               .sliding = sliding,
                                               .modes = modes,
                                               .forces = forces_of,
                                               .force = force_of,
                                               .power = add_power,
                                               .judge = judge,
                                               .differentiate = differentiate,
                                               .gradient = gradient_of,
                                               .collect = collect,
                                               .ratio = ratio_of,
                                               .press = press};
