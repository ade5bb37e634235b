/* Contacts of a system with coordinates without mass, in the system that moves in its place. */
#include "system/massless/types.h"

#include <math.h>

/* Converts a form that does not act on massless coordinates to an expression, which belongs to the caller. */
static int make_form(void *user, const char *what, const char *name, const double *row, bool velocity,
                     const slip_expression *rest, double constant, slip_expression **result)
{
    slip_rebuild *b = user;
    slip_expression *made = NULL, *part;
    for (int x = 0; x < b->nc && row; x++) {
        double arm = 0;
        for (int i = 0; i < b->nc && slip_rebuild_is(b, x, SLIP_HEAVY); i++)
            arm += row[i] * b->d->to->transform[i * b->nc + x];
        slip_rebuild_add(b, arm, velocity ? b->v[x] : b->q[x]);
    }
    if (rest) {
        SLIP_PASS(slip_rebuild_replace(b, what, name, rest, &part));
        slip_rebuild_add(b, 1, part);
    }
    if (constant != 0) {
        SLIP_PASS(slip_rebuild_keep(b, slip_expression_constant(constant, &made), &made, &part));
        slip_rebuild_add(b, 1, part);
    }
    return slip_rebuild_hand_over(b, rest ? slip_expression_text(rest) : name, result);
}

static int make_normal(slip_rebuild *b, const slip_contact *contact, slip_expression **normal)
{
    return make_form(b, "the normal force of contact", contact->name, NULL, false, contact->normal_force,
                     contact->normal_force ? 0 : contact->normal_constant, normal);
}

/* If a slider is moved through a damped coordinate, the coefficients of its slip differ from those of its
 * force, but the system that moves has one row for both. The difference is added as a load. */
static int correct_slider(slip_rebuild *b, int c, int i, double stiffness)
{
    const slip_reduction *d = b->d;
    const slip_massless_contact *to = &d->to->contacts[c];
    const double *row = d->to->system->contacts[c].slip.row;
    for (int x = 0; x < b->nc && row; x++) {
        double own = 0, size = 0;
        if (!slip_rebuild_is(b, x, SLIP_HEAVY))
            continue;
        for (int j = 0; j < b->nc; j++)
            own += d->from->contacts[c].slip.row[j] * d->to->transform[j * b->nc + x];
        for (int j = 0; j < d->static_count; j++) {
            const double part =
                to->arm * d->compliance[i * d->static_count + j] * d->stiffness[d->statics[j] * b->nc + x];
            own -= part;
            size += fabs(part);
        }
        const double difference = row[d->to->place[x]] - own;
        if (fabs(difference) <= 1e-14 * (size + fabs(own)))
            continue;
        slip_rebuild_add(b, difference * stiffness, b->slot[slip_slot_velocity(b->n, to->state)]);
        SLIP_PASS(slip_rebuild_add_force(b, d->to->place[x], d->from->contacts[c].name));
    }
    return SLIP_OK;
}

/* Adds a slider in series with the condensed spring of all springs at its coordinate. */
static int add_slider(slip_rebuild *b, int c, int i)
{
    slip_reduction *d = b->d;
    const slip_contact *contact = &d->from->contacts[c];
    const slip_massless_contact *to = &d->to->contacts[c];
    slip_law law = slip_law_default("jenkins");
    slip_expression *moving, *belt, *slip, *normal;
    int status = SLIP_OK;
    SLIP_PASS(slip_rebuild_rate(b, b->unheld[to->coordinate], &moving));
    if (!moving || !d->from->contacts[c].slip.row) {
        status =
            slip_fail(d->ctx, SLIP_ERROR_MODEL,
                      "contact `%s`: friction holds `%s`, which has no mass, and the forces on it depend "
                      "on velocities or states: give it a mass",
                      contact->name, d->from->names[to->coordinate]);
        return status;
    }
    SLIP_PASS(slip_rebuild_belt(b, c, &belt));
    slip_rebuild_add(b, to->arm, moving);
    slip_rebuild_add(b, 1, belt);
    SLIP_PASS(slip_rebuild_hand_over(b, contact->name, &slip));
    law.mu = contact->law.law.mu;
    law.stiffness =
        1 / (d->compliance[i * d->static_count + i] * to->arm * to->arm * contact->normal_constant);
    status = make_normal(b, contact, &normal);
    if (status < 0) {
        slip_expression_destroy(slip);
        return status;
    }
    SLIP_PASS(status = slip_system_add_friction(d->ctx, d->to->system, contact->name, slip, normal, &law));
    return correct_slider(b, c, i, law.stiffness * contact->normal_constant);
}

/* Whether the force of a law increases with the slip velocity directly, not only through its state (laws with
 * more states are sliders). It is tested at the start, since the answer does not change later. */
static bool gives_way(const slip_contact *contact)
{
    const slip_law_kernel *law = &contact->law;
    double z = law->type->state_start ? law->type->state_start(law) : 0, of[4],
           scale = slip_law_velocity_scale(law);
    slip_law_response to = {.force_z = of, .rate = of + 1, .rate_v = of + 2, .rate_z = of + 3};
    if (contact->state_count == 0 || law->law.viscous > 0)
        return true;
    scale = isfinite(scale) && scale > 0 ? scale : 1;
    law->type->remember(law, slip_law_piece(law, scale), NULL, scale, &z, &to);
    return to.slope > 0;
}

static int add_creeping(slip_rebuild *b, int c)
{
    slip_reduction *d = b->d;
    const slip_contact *contact = &d->from->contacts[c];
    const slip_massless_contact *to = &d->to->contacts[c];
    slip_system *system = d->to->system;
    slip_expression *force, *belt, *slip, *normal, *balance;
    const double damping = d->damping[to->coordinate * b->nc + to->coordinate];
    const slip_law law = slip_contact_given_law(contact);
    int status = SLIP_OK;
    if (!(damping > 0) && !gives_way(contact))
        return slip_fail(
            d->ctx, SLIP_ERROR_MODEL,
            "contact `%s` acts on `%s`, which has no mass and no damper, and the force of its law "
            "`%s` does not rise with the slip velocity: give the coordinate a damper or a mass, or "
            "the law a `viscous` part",
            contact->name, d->from->names[to->coordinate], contact->law.type->info.name);
    SLIP_PASS(slip_rebuild_force(b, to->coordinate, &force));
    SLIP_PASS(slip_rebuild_belt(b, c, &belt));
    SLIP_PASS(make_form(b, "", contact->name, contact->slip.row, true, NULL, 0, &slip));
    status = make_normal(b, contact, &normal);
    if (status < 0) {
        slip_expression_destroy(slip);
        return status;
    }
    SLIP_PASS(status = slip_system_add_friction(d->ctx, system, contact->name, slip, normal, &law));
    slip_rebuild_add(b, 1 / to->arm, force);
    slip_rebuild_add(b, damping / (to->arm * to->arm), belt);
    SLIP_PASS(status = slip_rebuild_hand_over(b, contact->name, &balance));
    system->contacts[c].creep = (slip_creep){.balance = balance,
                                             .yield = damping / (to->arm * to->arm),
                                             .state = to->state,
                                             .factor = 1 / to->arm};
    slip_system_note(system, balance);
    slip_rebuild_add(b, -1 / to->arm, belt);
    return slip_rebuild_add_force(b, to->state, contact->name);
}

/* Adds a contact whose friction is already included in the loads, so that the numbers of contacts agree. */
static int add_counted(slip_rebuild *b, int c)
{
    const slip_contact *contact = &b->d->from->contacts[c];
    const slip_massless_contact *to = &b->d->to->contacts[c];
    slip_law none = slip_law_default("tanh");
    slip_expression *normal;
    none.mu = 0;
    none.velocity = 1;
    for (int x = 0; x < b->nc && to->force; x++) { /* what it does to those that have a mass */
        double arm = 0;
        slip_expression *clamp;
        for (int i = 0; i < b->nc && slip_rebuild_is(b, x, SLIP_HEAVY); i++)
            arm += contact->slip.row[i] * b->d->to->transform[i * b->nc + x];
        if (arm == 0)
            continue;
        SLIP_PASS(slip_rebuild_clamp(b, to->force, to->limit, &clamp));
        slip_rebuild_add(b, -arm, clamp);
        SLIP_PASS(slip_rebuild_add_force(b, b->d->to->place[x], contact->name));
    }
    SLIP_PASS(make_normal(b, contact, &normal));
    return slip_system_add_friction(b->d->ctx, b->d->to->system, contact->name, NULL, normal, &none);
}

int slip_rebuild_contacts(slip_rebuild *b)
{
    const slip_reduction *d = b->d;
    int status = SLIP_OK;
    for (int c = 0; c < d->from->contact_count && status >= 0; c++) {
        const slip_massless_contact *to = &d->to->contacts[c];
        if (to->coordinate < 0)
            status =
                slip_system_add_alike(d->ctx, d->to->system, &d->from->contacts[c],
                                      &(slip_contact_maker){make_form, b}); /* it acts on what has mass */
        else if (slip_rebuild_is(b, to->coordinate, SLIP_CREEPING))
            status = add_creeping(b, c);
        else if (to->state < 0)
            status = add_counted(b, c);
        for (int i = 0; i < d->static_count && to->state >= 0; i++)
            if (d->statics[i] == to->coordinate && status >= 0)
                status = add_slider(b, c, i);
    }
    return status;
}
