#include "system/freeze.h"

#include "system/structure/energy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The order of a system's expressions: forces, then for each contact normal force, gap, balance, slip
 * velocities, and varying parameters of its law. */
enum { OF_NORMAL, OF_GAP, OF_BALANCE, OF_SLIP, OF_LAW = OF_SLIP + 3 };

/* The number of indices reserved for each contact: the largest number of its expressions. */
static int64_t count_of_contact(const slip_system *system)
{
    return OF_LAW + system->varying_most;
}

/* Where the system stores the expression of an index; NULL: there is none. */
static slip_expression **expression_of(slip_system *system, int64_t origin)
{
    const int64_t of_contact = count_of_contact(system);
    if (origin < system->force_count)
        return &system->forces[origin].expression;
    slip_contact *contact = &system->contacts[(origin - system->force_count) / of_contact];
    int64_t which = (origin - system->force_count) % of_contact;
    switch (which) {
    case OF_NORMAL:
        return &contact->normal_force;
    case OF_GAP:
        return &contact->gap.rest;
    case OF_BALANCE:
        return &contact->creep.balance;
    default:
        if (which >= OF_LAW)
            return which - OF_LAW < contact->varying_count ? &contact->varying[which - OF_LAW] : NULL;
        return &contact->slips[which - OF_SLIP].rest;
    }
}

int64_t slip_system_expression_count(const slip_system *system)
{
    return system->force_count + count_of_contact(system) * system->contact_count;
}

const slip_expression *slip_system_expression(const slip_system *system, int64_t which)
{
    slip_expression *const *place = expression_of((slip_system *)system, which);
    return place ? *place : NULL;
}

void slip_frozen_destroy(slip_frozen *frozen)
{
    if (!frozen)
        return;
    for (int64_t k = 0; k < frozen->owned_count; k++)
        slip_expression_destroy(frozen->owned[k]);
    free(frozen->owned);
    slip_switches_free(&frozen->switches);
    if (frozen->system) {
        free(frozen->system->forces);
        free(frozen->system->contacts);
    }
    free(frozen->varying);
    free(frozen->system);
    free(frozen);
}

/* A copy that shares everything but the lists of forces and contacts. */
static slip_system *shallow_copy(const slip_system *system)
{
    slip_system *copy = slip_alloc(1, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *system;
    copy->shelf = NULL;
    copy->forces = slip_alloc(system->force_count, sizeof *copy->forces);
    copy->contacts = slip_alloc(system->contact_count, sizeof *copy->contacts);
    if (!copy->forces || !copy->contacts) {
        free(copy->forces);
        free(copy->contacts);
        free(copy);
        return NULL;
    }
    if (system->force_count > 0)
        memcpy(copy->forces, system->forces, (size_t)system->force_count * sizeof *copy->forces);
    if (system->contact_count > 0)
        memcpy(copy->contacts, system->contacts, (size_t)system->contact_count * sizeof *copy->contacts);
    return copy;
}

/* The lists of varying parameters are copied too. */
static bool copy_varying(slip_frozen *frozen)
{
    slip_system *system = frozen->system;
    int64_t count = 0;
    for (int64_t c = 0; c < system->contact_count; c++)
        count += system->contacts[c].varying_count;
    slip_expression **own = frozen->varying = slip_alloc(count, sizeof *own);
    for (int64_t c = 0; c < system->contact_count && own; c++) {
        slip_contact *contact = &system->contacts[c];
        for (int k = 0; k < contact->varying_count; k++)
            own[k] = contact->varying[k];
        contact->varying = own;
        own += contact->varying_count;
    }
    return own != NULL;
}

static int freeze_one(slip_frozen *frozen, int64_t origin, bool with_state)
{
    slip_expression **place = expression_of(frozen->system, origin), *result = NULL;
    int64_t before = frozen->switches.count;
    if (!place || !*place)
        return SLIP_OK;
    int status = slip_expression_freeze(*place, slip_slot_time(), 1 + 2 * frozen->system->n, with_state,
                                        (int)origin, &frozen->switches, &result);
    if (status == SLIP_ERROR_MODEL) {
        /* too long to be split into forms: it is not frozen */
        while (frozen->switches.count > before)
            slip_expression_destroy(frozen->switches.list[--frozen->switches.count].guard);
        return SLIP_OK;
    }
    if (status < 0 || !result)
        return status;
    if (!SLIP_ROOM(frozen->owned, frozen->owned_capacity, frozen->owned_count + 1)) {
        slip_expression_destroy(result);
        return SLIP_ERROR_MEMORY;
    }
    frozen->owned[frozen->owned_count++] = result;
    *place = result;
    frozen->system->scratch_count = slip_expression_most_scratch(frozen->system->scratch_count, result);
    return SLIP_OK;
}

/* The part of a linear load that is a function of time, with the forms of the whole. */
static int freeze_rest(slip_frozen *frozen, slip_force_term *term, const slip_expression *given)
{
    if (!term->linear || term->expression == given)
        return SLIP_OK;
    if (!SLIP_ROOM(frozen->owned, frozen->owned_capacity, frozen->owned_count + 1))
        return SLIP_ERROR_MEMORY;
    SLIP_PASS(slip_expression_restrict(term->expression, slip_moving_slots(frozen->system->n), &term->rest));
    frozen->owned[frozen->owned_count++] = term->rest;
    frozen->system->scratch_count = slip_expression_most_scratch(frozen->system->scratch_count, term->rest);
    return SLIP_OK;
}

static bool may_switch(const slip_system *system)
{
    bool may = false;
    for (int64_t k = 0; k < slip_system_expression_count(system) && !may; k++) {
        const slip_expression *one = slip_system_expression(system, k);
        may = one && slip_expression_may_switch(one);
    }
    return may;
}

int slip_system_freeze(slip_context *ctx, const slip_system *system, bool with_state, slip_frozen **result)
{
    *result = NULL;
    if (!may_switch(system))
        return SLIP_OK;
    slip_frozen *frozen = slip_alloc(1, sizeof *frozen);
    int status = SLIP_OK;
    if (!frozen || !(frozen->system = shallow_copy(system))) {
        free(frozen);
        return slip_fail_memory(ctx);
    }
    if (!copy_varying(frozen)) {
        slip_frozen_destroy(frozen);
        return slip_fail_memory(ctx);
    }
    for (int64_t k = 0; k < slip_system_expression_count(system) && status == SLIP_OK; k++)
        status = freeze_one(frozen, k, with_state);
    for (int64_t k = 0; k < system->force_count && status == SLIP_OK; k++)
        status = freeze_rest(frozen, &frozen->system->forces[k], system->forces[k].expression);
    for (int64_t k = 0; k < frozen->switches.count; k++)
        frozen->system->scratch_count =
            slip_expression_most_scratch(frozen->system->scratch_count, frozen->switches.list[k].guard);
    frozen->system->switch_count = (int)frozen->switches.count;
    if (status == SLIP_OK && frozen->switches.count > 0) {
        *result = frozen;
        return SLIP_OK;
    }
    slip_frozen_destroy(frozen);
    return status == SLIP_OK ? SLIP_OK : slip_fail_memory(ctx);
}

void slip_frozen_set(const slip_frozen *frozen, slip_workspace *work, int which, double form)
{
    work->slots[frozen->switches.list[which].slot] = form;
    work->load_time = NAN; /* loads that were kept may have another form */
}

void slip_frozen_describe(const slip_frozen *frozen, int which, char *text, size_t size)
{
    static const char *const names[] = {"slip", "normal force", "gap", "balance", "slip_x", "slip_y", "spin"};
    slip_system *system = frozen->system;
    const int64_t origin = frozen->switches.list[which].origin, rest = origin - system->force_count,
                  of_contact = count_of_contact(system);
    const char *whole = slip_expression_text(*expression_of(system, origin));
    if (rest < 0)
        snprintf(text, size, "the force on `%s`, `%s`", system->names[system->forces[origin].coordinate],
                 whole);
    else
        snprintf(text, size, "contact `%s`: its %s, `%s`", system->contacts[rest / of_contact].name,
                 rest % of_contact >= OF_LAW
                     ? system->contacts[rest / of_contact].varying_info[rest % of_contact - OF_LAW]->name
                     : names[rest % of_contact],
                 whole);
}
