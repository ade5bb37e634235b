/* Setting up a balance: the contacts of a system, their laws and possible modes. */
#include "patch/patch.h"
#include "statics/balance/balance.h"

#include <math.h>
#include <stdlib.h>

/* The slip velocities at rest are not all zero at the reference; *drive: the first one. */
static bool is_driven(const slip_balance *b, const slip_contact *contact, double *drive)
{
    bool driven = false;
    for (int part = 0; part < contact->dimension; part++) {
        const slip_slip_form *form = &contact->slips[part];
        const double w =
            form->constant +
            (form->rest ? slip_expression_value(form->rest, b->work->slots, b->work->scratch) : 0);
        *drive = part == 0 ? w : *drive;
        driven = driven || w != 0;
    }
    return driven;
}

/* Do the slip velocities at rest depend on the coordinates or states? */
static bool may_turn(const slip_balance *b, const slip_contact *contact)
{
    for (int part = 0; part < contact->dimension; part++) {
        const slip_slip_form *form = &contact->slips[part];
        for (int i = 0; i < b->n && form->rest; i++)
            if (slip_expression_reads(form->rest, i < b->coordinates ? slip_slot_coordinate(i)
                                                                     : slip_slot_velocity(b->n, i)))
                return true;
    }
    return false;
}

/* A slip is the rate of a function of the coordinates where dW_i/dq_j = dW_j/dq_i. */
static bool is_rate(slip_balance *b, const slip_slip_form *form)
{
    const int n = b->coordinates;
    double *of = b->slope, largest = 0;
    if (form->row)
        return true;
    for (int j = 0; j < n; j++) {
        b->along[slip_slot_coordinate(j)] = 1;
        slip_expression_second(form->rest, b->work->slots, 1 + 2 * b->n, b->along, b->gradient, b->product,
                               b->work->scratch);
        b->along[slip_slot_coordinate(j)] = 0;
        for (int i = 0; i < n; i++) {
            of[i * n + j] = b->product[slip_slot_velocity(b->n, i)];
            largest = fmax(largest, fabs(of[i * n + j]));
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (fabs(of[i * n + j] - of[j * n + i]) > 1e-9 * largest)
                return false;
    return true;
}

/* Tested at two configurations: the reference, and one beside it. */
static bool has_displacement(slip_balance *b, const slip_contact *contact)
{
    bool has = true;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < b->coordinates; i++)
            b->work->slots[slip_slot_coordinate(i)] = b->reference[i] + 0.1 * side * cos(1 + 2.3 * i);
        for (int part = 0; part < contact->dimension; part++)
            has = has && is_rate(b, &contact->slips[part]);
    }
    slip_balance_place(b, b->reference);
    return has;
}

/* Its force at rest is known: that of a set-valued law. */
static bool knows_law(const slip_contact *contact)
{
    return contact->patch ? contact->patch->set_valued
                          : contact->law.type->info.set_valued && contact->state_count == 0;
}

/* Fails for laws of plane slip that these equations do not cover. */
static int check_plane(slip_context *ctx, const slip_contact *contact)
{
    if (contact->patch && contact->state_count > 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "contact `%s`: statics has no law with memory in the plane, found `%s`",
                         contact->name, contact->law.type->info.name);
    return SLIP_OK;
}

static int check_law(slip_context *ctx, const slip_contact *contact)
{
    if (!knows_law(contact))
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "contact `%s`: statics knows laws that hold a body still, expected law: {type: coulomb, mu: "
            "...}, or a slip that something drives (a belt), which slides with any law; found `%s`%s",
            contact->name,
            !contact->patch              ? contact->law.type->info.name
            : contact->patch->law->point ? contact->patch->law->smooth.type->info.name
                                         : "sqrt",
            contact->patch ? " that is smooth" : "");
    return SLIP_OK;
}

static void find_basis(slip_balance *b, slip_balance_contact *own)
{
    double slip[3];
    own->basis[0] = 1;
    own->surface = b->system->contacts[own->contact].patch;
    if (!own->surface)
        return;
    slip_system_patch_slip(b->system, b->work, own->contact, b->t, b->q, b->v, slip);
    own->tangent_count = slip_system_patch_basis(b->system, b->work, own->contact, own->basis);
}

/* Fails for a driven contact whose law has a spring without a slider: it would be stretched without limit. */
static int check_springs(slip_context *ctx, const slip_contact *contact)
{
    for (int k = 0; k < contact->state_count && contact->law.type->sliders; k++) {
        double stiffness, limit;
        slip_law_slider(&contact->law.law, k, &stiffness, &limit);
        if (!isfinite(limit))
            return slip_fail(
                ctx, SLIP_ERROR_MODEL,
                "contact `%s`: a spring of its law `%s` has no slider and is stretched without end by "
                "what drives the slip; there is no steady sliding",
                contact->name, contact->law.type->info.name);
    }
    return SLIP_OK;
}

/* Whether a contact has friction. A coefficient of zero counts as friction; a user's law has none (NAN). */
static bool exerts(const slip_contact *contact)
{
    const slip_law_kernel *law = &contact->law;
    return contact->patch ? contact->patch->mu > 0
                          : law->type->info.set_valued || law->type->remember || !(law->law.mu <= 0) ||
                                law->law.viscous > 0;
}

static int list_contacts(slip_context *ctx, slip_balance *b)
{
    const slip_system *system = b->system;
    for (int c = 0; c < (int)system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        const bool rubs = !contact->frictionless && exerts(contact);
        slip_balance_contact *own = &b->contacts[b->contact_count];
        if (!contact->has_gap && !rubs && !contact->compliant)
            continue;
        *own = (slip_balance_contact){.contact = c, .normal = -1};
        if (contact->has_gap)
            own->normal = b->direction_count++;
        own->tangent = b->direction_count;
        own->tangent_count = rubs ? 1 : 0;
        if (rubs) {
            SLIP_PASS(check_plane(ctx, contact));
            find_basis(b, own);
            own->driven = is_driven(b, contact, &own->drive);
            own->may_turn = own->driven && may_turn(b, contact);
            own->holonomic = own->driven || has_displacement(b, contact);
            SLIP_PASS(own->driven ? check_springs(ctx, contact) : check_law(ctx, contact));
        }
        b->direction_count += own->tangent_count;
        b->contact_count++;
    }
    return SLIP_OK;
}

static int check_loads(slip_context *ctx, slip_balance *b)
{
    for (int64_t k = 0; k < b->system->force_count; k++) {
        const slip_force_term *term = &b->system->forces[k];
        const double value = slip_expression_value(term->expression, b->work->slots, b->work->scratch);
        if (!isfinite(value))
            return slip_fail(ctx, SLIP_ERROR_MODEL, "the force on `%s`, `%s`, is %g at rest",
                             b->system->names[term->coordinate], slip_expression_text(term->expression),
                             value);
    }
    return slip_balance_loads(b, b->force)
               ? SLIP_OK
               : slip_fail(ctx, SLIP_ERROR_MODEL, "the function of the forces fails at rest");
}

/* Fails where the rate of a model's state does not determine its value at rest. (States of laws are
 * determined where the slip is driven; other laws with memory are refused.) */
static int check_states(slip_context *ctx, slip_balance *b)
{
    const int n = b->n;
    for (int i = b->coordinates; i < n; i++) {
        double rate = 0, slope = 0;
        bool given = false;
        for (int64_t k = 0; k < b->system->force_count; k++) {
            const slip_force_term *term = &b->system->forces[k];
            if (term->coordinate != i)
                continue;
            given = true;
            rate += slip_expression_value(term->expression, b->work->slots, b->work->scratch);
            for (int j = 0; j < n; j++)
                slope +=
                    slip_expression_reads(term->expression, j < b->coordinates ? slip_slot_coordinate(j)
                                                                               : slip_slot_velocity(n, j));
        }
        if (!given || slope > 0)
            continue;
        if (rate == 0)
            return slip_fail(
                ctx, SLIP_ERROR_MODEL,
                "state `%s`: nothing decides its value at rest, its rate is 0 there wherever it is; "
                "statics needs a rate that reads coordinates or states",
                b->system->names[i]);
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "state `%s`: its rate is %.9g at rest, whatever coordinates and states are; statics "
                         "needs one that can be 0",
                         b->system->names[i], rate);
    }
    return SLIP_OK;
}

int slip_balance_create(slip_context *ctx, const slip_system *system, double t, const double *reference,
                        slip_balance **result)
{
    const int64_t n = system->n;
    SLIP_FREED_BY(slip_balance_drop) slip_balance *b = slip_alloc(1, sizeof *b);
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, b));
    b->system = system;
    b->t = t;
    b->reference = reference;
    b->n = system->n;
    b->coordinates = slip_system_coordinates(system);
    SLIP_PASS(slip_workspace_create(ctx, system, &b->work));
    double **const sized[] = {&b->q, &b->v, &b->force, &b->size, &b->sum};
    bool complete = true;
    for (int k = 0; k < 5; k++) {
        *sized[k] = slip_arena_array(&b->arena, n + 1, sizeof(double));
        complete = complete && *sized[k];
    }
    b->row = slip_arena_array(&b->arena, 3 * n + 1, sizeof(double));
    b->at_rest = slip_arena_array(&b->arena, 3 * n + 1, sizeof(double));
    b->gradient = slip_arena_array(&b->arena, 3 * (1 + 2 * n), sizeof(double));
    b->varied = slip_arena_array(&b->arena, n + 8 * system->contact_count + 1, sizeof(double));
    b->slope = slip_arena_array(&b->arena, 2 * n * n + 1, sizeof(double));
    b->contacts = slip_arena_array(&b->arena, system->contact_count + 1, sizeof *b->contacts);
    SLIP_PASS(slip_allocated(ctx, complete && b->varied && b->row && b->at_rest && b->gradient && b->slope &&
                                      b->contacts));
    b->product = b->gradient + 1 + 2 * n;
    b->along = b->product + 1 + 2 * n;
    slip_balance_place(b, reference);
    if (!b->in_range)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "a parameter of a law is out of its range at the initial coordinates; see `slipstick laws`");
    SLIP_PASS(check_loads(ctx, b));
    SLIP_PASS(check_states(ctx, b));
    SLIP_PASS(list_contacts(ctx, b));
    b->unknown = slip_arena_array(&b->arena, 1 + 2 * (int64_t)system->n, sizeof *b->unknown);
    SLIP_PASS(slip_allocated(ctx, b->unknown));
    for (int i = 0; i < b->n; i++)
        b->unknown[i < b->coordinates ? slip_slot_coordinate(i) : slip_slot_velocity(b->n, i)] = true;
    SLIP_HAND(result, b);
    return SLIP_OK;
}

void slip_balance_destroy(slip_balance *b)
{
    if (!b)
        return;
    slip_workspace_destroy(b->work);
    slip_arena_free(&b->arena);
    free(b);
}

int slip_balance_modes_of(const slip_balance *b, int c, slip_mode modes[4])
{
    const slip_balance_contact *own = &b->contacts[c];
    const bool plane = own->tangent_count > 0 && b->system->contacts[own->contact].patch;
    int count = 0;
    if (own->normal >= 0)
        modes[count++] = SLIP_MODE_OPEN;
    if (own->tangent_count == 0) {
        modes[count++] = SLIP_MODE_CLOSED;
    } else if (own->driven && !plane) {
        /* The sign of the slip velocity is that at the reference unless it can turn. */
        if (own->may_turn || own->drive > 0)
            modes[count++] = SLIP_MODE_SLIP_PLUS;
        if (own->may_turn || own->drive < 0)
            modes[count++] = SLIP_MODE_SLIP_MINUS;
    } else if (!own->holonomic) {
        modes[count++] = SLIP_MODE_STICK;
    } else if (plane) {
        modes[count++] = SLIP_MODE_SLIP;
        if (!own->driven)
            modes[count++] = SLIP_MODE_STICK;
    } else {
        modes[count++] = SLIP_MODE_SLIP_PLUS;
        modes[count++] = SLIP_MODE_SLIP_MINUS;
        modes[count++] = SLIP_MODE_STICK;
    }
    return count;
}

static bool has_direction(const slip_balance *b, const slip_mode *modes, int c)
{
    const slip_balance_contact *own = &b->contacts[c];
    return modes[c] == SLIP_MODE_SLIP && !own->driven && own->tangent_count > 0;
}

int slip_balance_direction_at(const slip_balance *b, const slip_mode *modes, int contact)
{
    int at = b->n + b->direction_count;
    if (!has_direction(b, modes, contact))
        return -1;
    for (int c = 0; c < contact; c++)
        at += has_direction(b, modes, c) ? b->contacts[c].tangent_count + 1 : 0;
    return at;
}

int slip_balance_size(const slip_balance *b, const slip_mode *modes)
{
    int size = b->n + b->direction_count;
    for (int c = 0; c < b->contact_count; c++)
        size += has_direction(b, modes, c) ? b->contacts[c].tangent_count + 1 : 0;
    return size;
}

bool slip_balance_is_linear(const slip_balance *b)
{
    const slip_system *system = b->system;
    const slip_slot_set unknown = {.count = 1 + 2 * system->n, .marked = b->unknown};
    bool linear = !system->force_function;
    for (int64_t k = 0; k < system->force_count && linear; k++)
        linear = slip_expression_dependence(system->forces[k].expression, unknown) != SLIP_NONLINEAR;
    for (int c = 0; c < b->contact_count && linear; c++) {
        const slip_balance_contact *own = &b->contacts[c];
        const slip_contact *contact = &system->contacts[own->contact];
        for (int k = 0; k < contact->varying_count && linear; k++)
            linear = slip_expression_dependence(contact->varying[k], unknown) == SLIP_INDEPENDENT;
        linear = linear && (own->normal < 0 || contact->gap.row) && !own->may_turn &&
                 contact->state_count == 0 && (!own->surface || own->driven || own->tangent_count == 0) &&
                 (!contact->normal_force ||
                  slip_expression_dependence(contact->normal_force, unknown) != SLIP_NONLINEAR);
        for (int part = 0; part < contact->dimension && linear && own->tangent_count > 0; part++)
            linear = contact->slips[part].row != NULL;
    }
    return linear;
}
