/* Adding contacts to a system: their rows, gaps and laws, checked. */
#include "patch/patch.h"
#include "system/friction/friction.h"

#include <math.h>
#include <string.h>

/* Frees what a patch form owns; the form itself is in the arena. */
static void destroy_patch(slip_patch_form *patch)
{
    if (patch && !patch->shared)
        slip_patch_destroy(patch->law);
}

void slip_contact_free(slip_contact *contact)
{
    for (int part = 0; part < contact->dimension; part++)
        slip_expression_destroy(contact->slips[part].rest);
    slip_expression_destroy(contact->normal_force);
    slip_expression_destroy(contact->gap.rest);
    for (int k = 0; k < contact->varying_count; k++)
        slip_expression_destroy(contact->varying[k]);
    slip_expression_destroy(contact->creep.balance);
    destroy_patch(contact->patch);
}

static int find_support(slip_context *ctx, slip_system *system, slip_slip_form *form)
{
    form->support = slip_arena_array(&system->arena, system->n, sizeof(int));
    SLIP_PASS(slip_allocated(ctx, form->support));
    for (int i = 0; i < system->n; i++)
        if (form->row[i] != 0)
            form->support[form->support_count++] = i;
    return SLIP_OK;
}

/* Converts an expression to a slip form, which becomes its owner. any: it need not contain a velocity. */
static int read_slip(slip_context *ctx, slip_system *system, const char *name, slip_expression *slip,
                     bool any, slip_slip_form *form)
{
    const slip_slot_set velocities = slip_velocity_slots(system->n, slip_system_coordinates(system));
    const slip_dependence dependence = slip_expression_dependence(slip, velocities);
    slip_expression *rest = NULL;
    int status = SLIP_OK;
    form->coordinates = slip_system_coordinates(system);
    if ((dependence == SLIP_INDEPENDENT && !any) || dependence == SLIP_NONLINEAR) {
        status = slip_fail(ctx, SLIP_ERROR_MODEL,
                           "contact `%s`: slip `%s` %s; expected an expression linear in the velocities",
                           name, slip_expression_text(slip),
                           dependence == SLIP_NONLINEAR ? "is not linear in the velocities"
                                                        : "has no velocity in it");
        goto done;
    }
    if (dependence == SLIP_LINEAR_VARYING) {
        form->rest = slip;
        slip = NULL;
        goto done;
    }
    SLIP_TRY(
        slip_system_coefficients(ctx, system, slip, slip_slot_velocity(system->n, 0), system->n, &form->row));
    for (int i = slip_system_coordinates(system); i < system->n; i++)
        form->row[i] = 0; /* states are part of `rest`: friction does not act on them */
    SLIP_TRY(find_support(ctx, system, form));
    if (form->support_count == 0 && !any) {
        status = slip_fail(ctx, SLIP_ERROR_MODEL,
                           "contact `%s`: in slip `%s` the velocities cancel; expected an expression linear "
                           "in the velocities",
                           name, slip_expression_text(slip));
        goto done;
    }
    if (slip_expression_restrict(slip, velocities, &rest) < 0) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    if (slip_expression_is_constant(rest, &form->constant)) {
        slip_expression_destroy(rest);
        rest = NULL;
    }
    form->rest = rest;
done:
    slip_expression_destroy(slip);
    return status;
}

/* The slip form of a contact without slip. */
static int no_slip(slip_context *ctx, slip_system *system, slip_slip_form *form)
{
    form->row = slip_arena_array(&system->arena, system->n, sizeof(double));
    form->support = slip_arena_array(&system->arena, system->n, sizeof(int));
    return form->row && form->support ? SLIP_OK : slip_fail_memory(ctx);
}

/* A given normal force; the contact takes over what is not a number. */
static int read_normal(slip_context *ctx, const char *name, slip_expression **normal_force,
                       slip_contact *contact)
{
    if (*normal_force && !slip_expression_is_constant(*normal_force, &contact->normal_constant)) {
        contact->normal_force = *normal_force;
        *normal_force = NULL;
    } else if (contact->normal_constant < 0) {
        return slip_fail(ctx, SLIP_ERROR_MODEL, "contact `%s`: normal_force is %.9g; expected at least 0",
                         name, contact->normal_constant);
    }
    return SLIP_OK;
}

/* Appends a contact; memory has been reserved. Connects a law with memory to its states. */
static int append(slip_context *ctx, slip_system *system, const slip_contact *contact)
{
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(
        ctx, SLIP_ROOM(system->gaps, system->gap_capacity, system->gap_count + 1) &&
                 SLIP_ROOM(system->vectors, system->vector_capacity, system->patch_count + 1)));
    system->contacts[system->contact_count++] = *contact;
    if (contact->law.type->remember)
        status = slip_system_attach_states(ctx, system, (int)system->contact_count - 1);
    system->contact_count -= status < 0;
    if (status >= 0 && contact->has_gap)
        system->gaps[system->gap_count++] = (int)system->contact_count - 1;
    if (status >= 0 && contact->dimension > 1)
        system->vectors[system->patch_count++] = (int)system->contact_count - 1;
    return status;
}

int slip_system_add_friction(slip_context *ctx, slip_system *system, const char *name, slip_expression *slip,
                             slip_expression *normal_force, const slip_law *law)
{
    int status = SLIP_OK;
    slip_contact contact = {.friction = &slip_friction_line,
                            .dimension = 1,
                            .unit = {1},
                            .normal_constant = 1,
                            .frictionless = !slip};
    SLIP_TRY(slip ? read_slip(ctx, system, name, slip, slip_law_takes_given_slip(law), &contact.slip)
                  : no_slip(ctx, system, &contact.slip));
    SLIP_TRY(slip_law_prepare(ctx, law, &contact.law));
    contact.set_valued = contact.law.type->info.set_valued;
    contact.name = slip_arena_string(&system->arena, name);
    SLIP_TRY(slip_allocated(ctx, contact.name && SLIP_ROOM(system->contacts, system->contact_capacity,
                                                           system->contact_count + 1)));
    SLIP_TRY(read_normal(ctx, name, &normal_force, &contact));
    slip_system_note(system, contact.slip.rest);
    slip_system_note(system, contact.normal_force);
    SLIP_TRY(append(ctx, system, &contact));
done:
    slip_expression_destroy(normal_force);
    if (status < 0) {
        slip_expression_destroy(contact.slip.rest);
        slip_expression_destroy(contact.normal_force);
    }
    return status;
}

/* ---- Rows that are given by numbers. */

static bool take_tail(slip_system *system, const slip_tail *from, slip_tail *to)
{
    int64_t *unknown = slip_arena_array(&system->arena, from->count, sizeof *unknown);
    double *value = slip_arena_array(&system->arena, from->count, sizeof *value);
    if (!unknown || !value)
        return false;
    if (from->count > 0) {
        memcpy(unknown, from->unknown, (size_t)from->count * sizeof *unknown);
        memcpy(value, from->value, (size_t)from->count * sizeof *value);
    }
    *to = (slip_tail){from->count, unknown, value};
    return true;
}

static int take_gap(slip_context *ctx, slip_system *system, const slip_contact_rows *rows,
                    slip_gap_form *form)
{
    form->row = slip_arena_array(&system->arena, system->n, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, form->row && take_tail(system, &rows->gap_tail, &form->tail)));
    if (system->n > 0)
        memcpy(form->row, rows->gap, (size_t)system->n * sizeof(double));
    form->constant = rows->number;
    return SLIP_OK;
}

/* Takes over `rest`, the part that is a function of time. */
static int take_slip(slip_context *ctx, slip_system *system, const double *row, const slip_tail *tail,
                     slip_expression *rest, slip_slip_form *form)
{
    form->rest = rest;
    form->row = slip_arena_array(&system->arena, system->n, sizeof(double));
    form->coordinates = slip_system_coordinates(system);
    SLIP_PASS(slip_allocated(ctx, form->row && take_tail(system, tail, &form->tail)));
    if (system->n > 0 && row)
        memcpy(form->row, row, (size_t)system->n * sizeof(double));
    if (rest && slip_expression_is_constant(rest, &form->constant)) {
        slip_expression_destroy(rest);
        form->rest = NULL;
    }
    return find_support(ctx, system, form);
}

/* ---- Patches. */

/* The slip velocities; takes over the expressions. */
static int read_patch_slip(slip_context *ctx, slip_system *system, const char *name, slip_expression **slip,
                           const slip_contact_rows *rows, slip_contact *contact)
{
    bool moves = (contact->patch->law->point && !contact->patch->set_valued) || rows;
    for (int part = 0; part < 3; part++) {
        slip_expression *given = slip[part];
        slip[part] = NULL;
        if (rows && part < 2)
            SLIP_PASS(take_slip(ctx, system, rows->slip[part], &rows->slip_tails[part], given,
                                &contact->slips[part]));
        else if (given)
            SLIP_PASS(read_slip(ctx, system, name, given, true, &contact->slips[part]));
        else
            SLIP_PASS(no_slip(ctx, system, &contact->slips[part]));
        slip_system_note(system, contact->slips[part].rest);
        moves |= !contact->slips[part].row || contact->slips[part].support_count > 0;
    }
    if (!moves)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "contact `%s`: there is no velocity in the slip of the patch; expected at least one of x, y "
            "and spin to be linear in the velocities",
            name);
    return SLIP_OK;
}

/* Patches have no law of the table of laws; their `law` is one without friction. */
static int set_no_law(slip_context *ctx, slip_contact *contact)
{
    slip_law none = slip_law_default("tanh");
    none.mu = 0;
    none.velocity = 1;
    return slip_law_prepare(ctx, &none, &contact->law);
}

/* ---- Gaps. */

/* Takes over `gap`. */
static int read_gap(slip_context *ctx, slip_system *system, const char *name, slip_expression *gap,
                    slip_gap_form *form)
{
    int status = SLIP_OK, n = system->n;
    slip_harmonic terms[16];
    const slip_slot_set moving = slip_velocity_slots(n, n); /* and states */
    const slip_dependence dependence = slip_expression_dependence(gap, slip_place_slots(n));
    if (dependence == SLIP_INDEPENDENT || slip_expression_dependence(gap, moving) != SLIP_INDEPENDENT) {
        status =
            slip_fail(ctx, SLIP_ERROR_MODEL,
                      "contact `%s`: gap `%s` %s; expected an expression of coordinates and t such as `1 "
                      "- x` or `y - l*sin(phi)`",
                      name, slip_expression_text(gap),
                      dependence == SLIP_INDEPENDENT ? "reads no coordinate" : "reads a velocity");
        goto done;
    }
    if (dependence != SLIP_LINEAR_CONSTANT) {
        form->rest = gap;
        system->varying_gaps = true;
        gap = NULL;
        goto done;
    }
    SLIP_TRY(slip_system_coefficients(ctx, system, gap, slip_slot_coordinate(0), n, &form->row));
    if (slip_expression_restrict(gap, slip_place_slots(n), &form->rest) < 0) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    if (slip_expression_is_constant(form->rest, &form->constant)) {
        slip_expression_destroy(form->rest);
        form->rest = NULL;
        goto done;
    }
    form->term_count = slip_expression_harmonics(form->rest, slip_slot_time(), terms, 16);
    if (form->term_count == SLIP_ERROR_MEMORY) {
        status = slip_fail_memory(ctx);
    } else if (form->term_count >= 0) {
        form->terms = slip_arena_array(&system->arena, form->term_count + 1, sizeof *terms);
        if (!form->terms)
            status = slip_fail_memory(ctx);
        else
            memcpy(form->terms, terms, (size_t)form->term_count * sizeof *terms);
    }
done:
    slip_expression_destroy(gap);
    return status;
}

static int check_restitution(slip_context *ctx, const char *name, double restitution)
{
    if (restitution >= 0 && restitution <= 1)
        return SLIP_OK;
    return slip_fail(ctx, SLIP_ERROR_MODEL, "contact `%s`: restitution is %.9g; expected 0 to 1", name,
                     restitution);
}

static int refuse_impact(slip_context *ctx, const slip_contact *contact)
{
    return slip_fail(
        ctx, SLIP_ERROR_MODEL,
        "contact `%s`: impact_friction `coulomb` is that of a law with a coefficient mu, and law "
        "`%s` has none; expected `none`, or another law",
        contact->name, contact->law.type->info.name);
}

/* ---- Slips of more than one dimension. */

int slip_system_add_patch(slip_context *ctx, slip_system *system, const slip_patch_contact *options)
{
    int status = SLIP_OK;
    slip_expression *slip[3] = {options->slip[0], options->slip[1], options->slip[2]},
                    *normal_force = options->normal_force, *gap = options->gap;
    const bool has_gap = gap || options->rows;
    slip_contact contact = {.friction = &slip_friction_vector,
                            .dimension = 3,
                            .vector = system->patch_count,
                            .shown = 6,
                            .unit = {1, 1, 1},
                            .normal_constant = 1,
                            .has_gap = has_gap,
                            .frictionless = has_gap && options->mu == 0,
                            .restitution = options->restitution,
                            .impact_friction = options->impact_friction};
    slip_patch_form *patch = slip_arena_alloc(&system->arena, sizeof *patch);
    contact.name = slip_arena_string(&system->arena, options->name);
    if (!patch || !contact.name ||
        !SLIP_ROOM(system->contacts, system->contact_capacity, system->contact_count + 1)) {
        if (!options->shared)
            slip_patch_destroy(options->law);
        status = slip_fail_memory(ctx);
        goto done;
    }
    slip_patch_info info = slip_patch_describe(options->law);
    *patch = (slip_patch_form){.mu = options->mu,
                               .law = options->law,
                               .shared = options->shared,
                               .size = info.size,
                               .epsilon = info.epsilon,
                               .static_ratio = info.static_ratio,
                               .set_valued = info.epsilon == 0 && options->mu > 0,
                               .flat = options->law->point,
                               .impact_mu = options->law->point ? options->law->smooth.law.mu : options->mu};
    contact.patch = patch;
    contact.set_valued = patch->set_valued;
    contact.unit[2] = patch->size;
    if (!(options->mu >= 0) || !isfinite(options->mu)) {
        status = slip_fail(ctx, SLIP_ERROR_MODEL, "contact `%s`: mu is %.9g; expected a number >= 0",
                           options->name, options->mu);
        goto done;
    }
    SLIP_TRY(read_patch_slip(ctx, system, options->name, slip, options->rows, &contact));
    if (options->law->point && options->law->smooth.type->remember)
        contact.law = options->law->smooth;
    else
        SLIP_TRY(set_no_law(ctx, &contact));
    SLIP_TRY(check_restitution(ctx, options->name, options->restitution));
    if (contact.impact_friction && isnan(patch->impact_mu)) {
        status = refuse_impact(ctx, &contact);
        goto done;
    }
    if (gap) {
        slip_expression *taken = gap;
        gap = NULL;
        SLIP_TRY(read_gap(ctx, system, options->name, taken, &contact.gap));
    }
    if (options->rows)
        SLIP_TRY(take_gap(ctx, system, options->rows, &contact.gap));
    SLIP_TRY(read_normal(ctx, options->name, &normal_force, &contact));
    slip_system_note(system, contact.normal_force);
    slip_system_note(system, contact.gap.rest);
    SLIP_TRY(append(ctx, system, &contact));
    system->pressed_patches |= contact.has_gap;
done:
    for (int part = 0; part < 3; part++)
        slip_expression_destroy(slip[part]);
    slip_expression_destroy(normal_force);
    slip_expression_destroy(gap);
    for (int part = 0; part < 3 && status < 0; part++)
        slip_expression_destroy(contact.slips[part].rest);
    if (status < 0) {
        slip_expression_destroy(contact.gap.rest);
        destroy_patch(contact.patch);
    }
    return status;
}

/* ---- Unilateral contacts. */

int slip_system_add_unilateral(slip_context *ctx, slip_system *system, const slip_unilateral *options)
{
    int status = SLIP_OK;
    slip_contact contact = {.friction = &slip_friction_line,
                            .dimension = 1,
                            .unit = {1},
                            .has_gap = true,
                            .frictionless =
                                !options->law || (options->rows ? !options->rows->slip[0] : !options->slip),
                            .restitution = options->restitution,
                            .impact_friction = options->impact_friction};
    slip_law none = slip_law_default("tanh");
    none.mu = 0;
    none.velocity = 1;
    if (options->rows) {
        status = take_slip(ctx, system, options->rows->slip[0], &options->rows->slip_tails[0], options->slip,
                           &contact.slip);
        SLIP_TRY(status);
        SLIP_TRY(take_gap(ctx, system, options->rows, &contact.gap));
    } else {
        status = read_gap(ctx, system, options->name, options->gap, &contact.gap);
        if (status < 0)
            slip_expression_destroy(options->slip);
        SLIP_TRY(status);
        if (options->slip)
            SLIP_TRY(read_slip(ctx, system, options->name, options->slip, false, &contact.slip));
        else
            SLIP_TRY(no_slip(ctx, system, &contact.slip));
    }
    SLIP_TRY(check_restitution(ctx, options->name, options->restitution));
    SLIP_TRY(slip_law_prepare(ctx, contact.frictionless ? &none : options->law, &contact.law));
    contact.set_valued = contact.law.type->info.set_valued;
    contact.name = slip_arena_string(&system->arena, options->name);
    SLIP_TRY(slip_allocated(ctx, contact.name && SLIP_ROOM(system->contacts, system->contact_capacity,
                                                           system->contact_count + 1)));
    if (contact.impact_friction && isnan(contact.law.law.mu)) {
        status = refuse_impact(ctx, &contact);
        goto done;
    }
    slip_system_note(system, contact.slip.rest);
    slip_system_note(system, contact.gap.rest);
    SLIP_TRY(append(ctx, system, &contact));
done:
    if (status < 0) {
        slip_expression_destroy(contact.slip.rest);
        slip_expression_destroy(contact.gap.rest);
    }
    return status;
}

/* ---- Copies. */

slip_law slip_contact_given_law(const slip_contact *contact)
{
    slip_law law = contact->law.law;
    *(contact->law.peak_by_weight ? &law.static_ratio : &law.eta_prime) = NAN;
    for (int k = 0; k < contact->varying_count && slip_contact_law_varies(contact); k++) {
        double *value = slip_law_parameter(&law, contact->varying_info[k]->name);
        if (value) /* elements have some number */
            *value = NAN;
    }
    return law;
}

/* Takes over the expressions. */
static int add_made(slip_context *ctx, slip_system *system, const slip_contact *contact,
                    slip_expression *const slip[3], slip_expression *gap, slip_expression *normal)
{
    const slip_law law = slip_contact_given_law(contact);
    if (contact->patch)
        return slip_system_add_patch(ctx, system,
                                     &(slip_patch_contact){.name = contact->name,
                                                           .slip = {slip[0], slip[1], slip[2]},
                                                           .normal_force = normal,
                                                           .gap = gap,
                                                           .restitution = contact->restitution,
                                                           .impact_friction = contact->impact_friction,
                                                           .mu = contact->patch->mu,
                                                           .law = contact->patch->law,
                                                           .shared = true});
    if (contact->has_gap)
        return slip_system_add_unilateral(ctx, system,
                                          &(slip_unilateral){.name = contact->name,
                                                             .gap = gap,
                                                             .slip = slip[0],
                                                             .law = contact->frictionless ? NULL : &law,
                                                             .restitution = contact->restitution,
                                                             .impact_friction = contact->impact_friction});
    return slip_system_add_friction(ctx, system, contact->name, slip[0], normal, &law);
}

int slip_system_add_alike(slip_context *ctx, slip_system *system, const slip_contact *contact,
                          const slip_contact_maker *maker)
{
    slip_expression *slip[3] = {NULL}, *normal = NULL, *gap = NULL;
    int status = SLIP_OK;
    for (int part = 0; part < contact->dimension; part++) {
        const slip_slip_form *form = &contact->slips[part];
        if (!form->row || form->support_count > 0 || form->rest || form->constant != 0)
            SLIP_TRY(maker->make(maker->user, "the slip of contact", contact->name, form->row, true,
                                 form->rest, form->constant, &slip[part]));
    }
    if (contact->has_gap)
        SLIP_TRY(maker->make(maker->user, "the gap of contact", contact->name, contact->gap.row, false,
                             contact->gap.rest, contact->gap.constant, &gap));
    else
        SLIP_TRY(maker->make(maker->user, "the normal force of contact", contact->name, NULL, false,
                             contact->normal_force, contact->normal_force ? 0 : contact->normal_constant,
                             &normal));
    slip_expression *const taken[3] = {slip[0], slip[1], slip[2]}, *const with_gap = gap,
                           *const with_normal = normal;
    slip[0] = slip[1] = slip[2] = normal = gap = NULL;
    SLIP_TRY(add_made(ctx, system, contact, taken, with_gap, with_normal));
    system->contacts[system->contact_count - 1].compliant = contact->compliant;
    for (int k = 0; k < contact->varying_count; k++) {
        slip_expression *parameter = NULL;
        SLIP_TRY(maker->make(maker->user, "a parameter of the law of contact", contact->name, NULL, false,
                             contact->varying[k], 0, &parameter));
        SLIP_TRY(slip_system_vary(ctx, system, (int)system->contact_count - 1, contact->varying_info[k]->name,
                                  parameter));
    }
done:
    for (int part = 0; part < 3; part++)
        slip_expression_destroy(slip[part]);
    slip_expression_destroy(normal);
    slip_expression_destroy(gap);
    return status;
}

int slip_contact_forgets(const slip_contact *contact)
{
    return (contact->frictionless ? 0 : contact->dimension) + (contact->has_gap ? 2 : 0);
}
