#include "method/modes/types.h"

#include "system/friction/friction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Contacts that do not act on each other: a force of one makes no acceleration of the other. The mass matrix
 * couples coordinates, and every contact those along which it acts; springs and dampers do not matter at one
 * instant. Each part is decided for itself, so that many contacts can be searched when few of them depend on
 * each other. */

/* The first coordinate of the part (set of coupled coordinates) of coordinate i. */
static int first_of(const int *part, int i)
{
    while (part[i] != i)
        i = part[i];
    return i;
}

static void join(int *part, int i, int j)
{
    const int a = first_of(part, i), b = first_of(part, j);
    part[a > b ? a : b] = a > b ? b : a;
}

/* Finds the sets of coordinates that the mass matrix couples. */
static void find_mass_parts(slip_modes *m)
{
    const int n = m->system->n;
    for (int i = 0; i < n; i++)
        m->mass_part[i] = m->system->varying_mass ? 0 : i;
    if (m->system->varying_mass)
        return;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (m->system->inverse_mass[i * n + j] != 0 || m->system->inverse_mass[j * n + i] != 0)
                join(m->mass_part, i, j);
    for (int i = 0; i < n; i++)
        m->mass_part[i] = first_of(m->mass_part, i);
}

/* Joins the coordinates along a row with each other and with *at, which is -1 as long as there is none. */
static void join_row(slip_modes *m, const double *row, int *at)
{
    for (int i = 0; i < m->system->n && row; i++)
        if (row[i] != 0) {
            *at = *at < 0 ? i : *at;
            join(m->part, *at, i);
        }
}

static int by_part(const void *a, const void *b)
{
    const slip_choice *one = a, *other = b;
    return one->part != other->part ? one->part - other->part : one->contact - other->contact;
}

static bool sort_parts(slip_modes *m)
{
    memcpy(m->part, m->mass_part, (size_t)m->system->n * sizeof(int));
    for (int k = 0; k < m->free_count; k++) {
        const slip_contact *contact = &m->system->contacts[m->free[k].contact];
        int at = -1;
        if (!contact->gap.row && contact->gap.rest)
            return false; /* a direction that depends on the state */
        for (int part = 0; part < contact->dimension; part++) {
            if (!contact->slips[part].row)
                return false;
            join_row(m, contact->slips[part].row, &at);
        }
        join_row(m, contact->gap.row, &at);
        if (at < 0)
            return false;
        m->free[k].part = at;
    }
    for (int k = 0; k < m->free_count; k++)
        m->free[k].part = first_of(m->part, m->free[k].part);
    qsort(m->free, (size_t)m->free_count, sizeof *m->free, by_part);
    return m->free[0].part != m->free[m->free_count - 1].part;
}

/* The largest number of contacts with a choice for which all sets of modes are searched. */
enum { exhaustive = 7 };

/* Finds the properties of a contact that hold at all times.
 *
 * One unilateral contact at rest, with the accelerations (gap, slip) = b + G (N, T): as b goes around, so do
 * open (b in the half plane above), slip (between the slip axis and -G (1, -mu)), stick (between -G (1, -mu)
 * and -G (1, mu)) and slip the other way. They cover every b exactly once when both of these directions point
 * down, G_nn > mu |G_nt|; det G > 0 keeps them in this order. */
static void classify(slip_modes *m, int c)
{
    const slip_contact *contact = &m->system->contacts[c];
    const bool varies = m->system->varying_mass || (contact->has_gap && !contact->gap.row);
    const double normal = varies ? 0 : slip_modes_product(m, contact->gap.row, contact->gap.row),
                 tangent = varies ? 0 : slip_modes_product(m, contact->slip.row, contact->slip.row);
    m->gap_compliance[c] = normal;
    m->slip_compliance[c] = tangent;
    m->areas[c] = contact->dimension > 1;
    if (m->areas[c])
        m->clinging[c] = contact->set_valued && contact->friction->hold(m->system, m->work, c) >
                                                    contact->friction->slide(m->system, m->work, c);
    if (!slip_contact_switches(contact) || contact->frictionless || m->areas[c])
        return;
    double mu = contact->law.type->info.set_valued ? slip_modes_starting_friction(&contact->law) : INFINITY;
    m->clinging[c] = slip_law_hold(&contact->law) > mu;
    if (contact->varying_count > 0)
        mu = INFINITY; /* mu varies without a bound */
    if (!contact->has_gap || !contact->slip.row || varies)
        return;
    double mixed = slip_modes_product(m, contact->gap.row, contact->slip.row);
    m->single[c] = mu * fabs(mixed) < 0.999 * normal && mixed * mixed < 0.999 * normal * tangent;
}

int slip_modes_create(slip_context *ctx, const slip_system *system, slip_workspace *work, slip_modes **result)
{
    slip_modes *m = calloc(1, sizeof *m);
    int64_t n = system->n, count = system->contact_count + 1;
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, m));
    m->system = system;
    m->work = work;
    m->count = (int)system->contact_count;
    m->free = slip_arena_array(&m->arena, count, sizeof(slip_choice));
    m->next = slip_arena_array(&m->arena, 3 * count, sizeof(slip_mode));
    m->trial = slip_arena_array(&m->arena, 4 * count, sizeof(slip_branch));
    m->aside = slip_arena_array(&m->arena, count, sizeof(bool));
    m->mass_part = slip_arena_array(&m->arena, 2 * n, sizeof(int));
    m->single = slip_arena_array(&m->arena, count, sizeof(bool));
    m->clinging = slip_arena_array(&m->arena, count, sizeof(bool));
    m->areas = slip_arena_array(&m->arena, count, sizeof(bool));
    m->a = slip_arena_array(&m->arena, 12 * n, sizeof(double));
    m->violations = slip_arena_array(&m->arena, 5 * count, sizeof(double));
    m->best_shares = slip_arena_array(&m->arena, count, sizeof(bool));
    if (!m->free || !m->violations || !m->next || !m->trial || !m->single || !m->clinging || !m->areas ||
        !m->best_shares || !m->aside || !m->mass_part || !m->a ||
        (m->count > exhaustive && !slip_modes_create_problem(m))) {
        slip_modes_destroy(m);
        return slip_fail_memory(ctx);
    }
    m->before = m->next + count;
    m->part_before = m->next + 2 * count;
    m->asked = m->trial + count;
    m->spare = m->trial + 2 * count;
    m->chosen = m->trial + 3 * count;
    m->part = m->mass_part + n;
    m->a_free = m->a + n;
    m->a_best = m->a + 2 * n;
    m->q_ahead = m->a + 3 * n;
    m->v_ahead = m->a + 4 * n;
    m->size = m->a + 5 * n;
    m->largest = m->a + 6 * n;
    m->a_now = m->a + 7 * n;
    m->row = m->a + 8 * n;
    m->known = m->a + 9 * n;
    m->change = m->a + 11 * n;
    m->gap_compliance = m->violations + 2 * count;
    m->slip_compliance = m->violations + 3 * count;
    m->best_size = m->violations + 4 * count;
    for (int c = 0; c < m->count; c++)
        classify(m, c);
    if (m->count > exhaustive)
        find_mass_parts(m);
    *result = m;
    return SLIP_OK;
}

SLIP_DESTROY(slip_modes)

void slip_modes_take_patches(slip_modes *m, slip_modes_patches patches)
{
    m->patches = patches;
}

void slip_modes_take_foresight(slip_modes *m, slip_modes_foresight foresight)
{
    m->foresight = foresight;
}

bool slip_modes_foreseen(const slip_modes *m)
{
    return m->foreseen;
}

/* ---- Choices. */

/* The modes that a contact may take, in the order of preference; returns how many. A contact with one has no
 * choice. */
static int list_modes(const slip_contact *contact, const slip_standing *standing, double slip,
                      slip_mode *list)
{
    const bool unilateral = contact->has_gap;
    int count;
    if (unilateral && !standing->touching) {
        list[0] = SLIP_MODE_OPEN;
        return 1;
    }
    if (contact->frictionless) {
        list[0] = SLIP_MODE_CLOSED;
        count = 1;
    } else {
        count = contact->friction->modes(contact, standing->resting, slip, list);
    }
    if (unilateral)
        list[count++] = SLIP_MODE_OPEN;
    return count;
}

/* The price of a mode in the order of the rules in modes.h: most for releasing a contact that was held until
 * now, less for a contact at rest that does not stick, least for opening a closed contact. */
static int price_of(const slip_modes *m, const slip_standing *standing, slip_mode mode)
{
    if (mode == SLIP_MODE_STICK)
        return 0;
    return (standing->held ? slip_modes_release_price(m) : 0) + (standing->resting ? m->count + 1 : 0) +
           (standing->pressed && mode == SLIP_MODE_OPEN);
}

/* Lists the contacts with a choice, and sets the only mode of the others. */
static void find_free(slip_modes *m, const slip_instant *now)
{
    m->free_count = 0;
    for (int c = 0; c < m->count; c++) {
        const slip_contact *contact = &m->system->contacts[c];
        const slip_standing *standing = &now->standing[c];
        slip_choice *choice = &m->free[m->free_count];
        if (!slip_contact_chooses(contact) || (m->areas[c] && !contact->has_gap && !standing->resting))
            continue;
        double slip = standing->resting ? 0 : slip_system_slip(m->system, m->work, c, now->t, now->q, now->v);
        choice->contact = c;
        choice->count = list_modes(contact, standing, slip, choice->modes);
        for (int k = 0; k < choice->count; k++)
            choice->price[k] = price_of(m, standing, choice->modes[k]);
        if (choice->count > 1)
            m->free_count++;
        else
            slip_modes_try(m, c, choice->modes[0]);
    }
}

/* ---- Uniqueness. */

/* Whether no other contact is held, also not at a singular break of its law. */
static bool is_alone(const slip_modes *m, int c)
{
    for (int other = 0; other < m->count; other++)
        if (other != c && m->trial[other].mode == SLIP_MODE_STICK)
            return false;
    return true;
}

/* Whether the acceleration is known to be unique, except for static friction above kinetic friction: friction
 * with given normal forces and frictionless contacts make a convex problem, and so does a single unilateral
 * contact with friction of class `single`. */
static bool unique_but_for_clinging(const slip_modes *m, const slip_instant *now)
{
    for (int k = 0; k < m->free_count; k++) {
        int c = m->free[k].contact;
        const slip_contact *contact = &m->system->contacts[c];
        if (contact->has_gap && !contact->frictionless &&
            !(m->free_count == 1 && now->standing[c].resting && m->single[c] && is_alone(m, c)))
            return false;
    }
    return true;
}

/* ---- Deciding. */

/* Sets the trial to the modes that the caller expects; false where a contact has no such choice. *new: some
 * of them are not the first choice. */
static bool try_expected(slip_modes *m, const slip_branch *branches, bool *new)
{
    *new = false;
    for (int k = 0; k < m->free_count; k++) {
        const slip_choice *choice = &m->free[k];
        int c = choice->contact, d = 0;
        while (d < choice->count && choice->modes[d] != branches[c].mode)
            d++;
        if (d == choice->count)
            return false;
        slip_modes_try(m, c, choice->modes[d]);
        *new |= d > 0;
    }
    return true;
}

/* Whether expected modes begin consistent in closed form; not if a contact at its limit would stick. */
static bool foresee(slip_modes *m, const slip_instant *now)
{
    for (int k = 0; k < m->free_count; k++) {
        const int c = m->free[k].contact;
        if (now->standing[c].let_go && m->trial[c].mode == SLIP_MODE_STICK)
            return false;
    }
    return m->foreseen = m->foresight.begins(m->foresight.user, m->trial, now);
}

/* Tries the modes that the caller expects. Where the acceleration is unique and they are consistent with a
 * margin, no comparison with other modes is needed: a slipping contact cannot stick then, and no contact
 * without force could carry one. The search decides where forces are not unique, and where it would begin
 * with these modes anyway. */
static bool expected(slip_modes *m, const slip_instant *now, const slip_branch *branches)
{
    bool new;
    double margin;
    if (!try_expected(m, branches, &new))
        return false;
    if (m->foresight.begins && foresee(m, now))
        return true;
    return new &&slip_modes_consistent(m, now, &margin) && m->reserve > 1e-9 && !slip_system_shared(m->work);
}

/* Sets the trial to the previous mode of each contact, where that is still a choice. */
static void try_before(slip_modes *m, const slip_branch *branches)
{
    for (int k = 0; k < m->free_count; k++) {
        const slip_choice *choice = &m->free[k];
        slip_modes_try(m, choice->contact, choice->modes[0]);
        for (int d = 0; d < choice->count; d++)
            if (choice->modes[d] == branches[choice->contact].mode)
                slip_modes_try(m, choice->contact, choice->modes[d]);
    }
}

/* Decides all contacts with a choice together. */
static int decide_together(slip_modes *m, const slip_instant *now, slip_branch *branches, int *contact)
{
    const bool unique = unique_but_for_clinging(m, now);
    if (unique && !slip_modes_any_clings(m) && !m->wedged && expected(m, now, branches)) {
        memcpy(branches, m->trial, (size_t)m->count * sizeof(slip_branch));
        return SLIP_OK;
    }
    return m->free_count <= exhaustive ? slip_modes_search(m, now, unique, branches, contact)
                                       : slip_modes_decide_many(m, now, branches);
}

/* Decides the contacts of one part, m->free, with the trial modes of the others, in the trial. */
static int decide_part(slip_modes *m, const slip_instant *now, const slip_branch *branches, int *contact,
                       bool *changed)
{
    const size_t size = (size_t)m->count * sizeof(slip_branch);
    int status;
    memset(m->aside, true, (size_t)m->count * sizeof(bool));
    memcpy(m->chosen, m->trial, size);
    for (int k = 0; k < m->free_count; k++) {
        m->aside[m->free[k].contact] = false;
        m->part_before[k] = m->trial[m->free[k].contact].mode;
        m->chosen[m->free[k].contact] = branches[m->free[k].contact];
    }
    status = decide_together(m, now, m->chosen, contact);
    memset(m->aside, false, (size_t)m->count * sizeof(bool));
    if (status < 0)
        return status;
    memcpy(m->trial, m->chosen, size);
    for (int k = 0; k < m->free_count; k++)
        *changed |= m->trial[m->free[k].contact].mode != m->part_before[k];
    return SLIP_OK;
}

/* Marks the contacts of the trial that continue to stick far from their limits. A part of such contacts only,
 * with accelerations unique but for static friction, needs no search: it would try these modes first. */
static void find_settled(slip_modes *m, const slip_instant *now)
{
    const bool defined =
        slip_modes_evaluate(m, m->trial, now->t, now->q, now->v) && !slip_system_shared(m->work);
    for (int k = 0; k < m->free_count; k++) {
        const int c = m->free[k].contact;
        m->free[k].settled = defined && now->standing[c].held && m->trial[c].mode == SLIP_MODE_STICK &&
                             slip_modes_contact_violation(m, c, &now->standing[c], &m->trial[c]) < -1e-4;
    }
}

static bool is_settled(const slip_modes *m, const slip_instant *now)
{
    for (int k = 0; k < m->free_count; k++)
        if (!m->free[k].settled)
            return false;
    return unique_but_for_clinging(m, now);
}

/* Decides more contacts than can be searched, one part after the other. Repeated while a mode changes, since
 * the structure couples the parts; SLIP_MODES_NONE where that does not end. */
static int decide_parts(slip_modes *m, const slip_instant *now, slip_branch *branches, int *contact)
{
    slip_choice *all = m->free;
    const int count = m->free_count;
    int status = SLIP_OK;
    double margin;
    bool changed = true;
    if (!sort_parts(m))
        return SLIP_MODES_NONE;
    try_before(m, branches);
    for (int round = 0; round < 4 && changed && status == SLIP_OK; round++) {
        changed = false;
        m->free = all;
        m->free_count = count;
        find_settled(m, now);
        for (int first = 0, end; first < count && status == SLIP_OK; first = end) {
            for (end = first + 1; end < count && all[end].part == all[first].part;)
                end++;
            m->free = all + first;
            m->free_count = end - first;
            if (!is_settled(m, now))
                status = decide_part(m, now, branches, contact, &changed);
        }
    }
    m->free = all;
    m->free_count = count;
    if (status < 0)
        return status;
    if (changed || !slip_modes_consistent(m, now, &margin))
        return SLIP_MODES_NONE;
    memcpy(branches, m->trial, (size_t)m->count * sizeof(slip_branch));
    return SLIP_OK;
}

static int decide(slip_modes *m, const slip_instant *now, slip_branch *branches, int *contact)
{
    int status = SLIP_MODES_NONE;
    if (m->free_count == 0) {
        memcpy(branches, m->trial, (size_t)m->count * sizeof(slip_branch));
        return slip_modes_evaluate(m, branches, now->t, now->q, now->v) ? SLIP_OK : SLIP_MODES_UNDEFINED;
    }
    /* where the acceleration is unique, many contacts need no parts: any consistent modes will do */
    if (m->free_count > exhaustive && unique_but_for_clinging(m, now) && !slip_modes_any_clings(m) &&
        (expected(m, now, branches) ||
         (slip_modes_give_way(m, now, branches, false) && !slip_system_shared(m->work)))) {
        memcpy(branches, m->trial, (size_t)m->count * sizeof(slip_branch));
        return SLIP_OK;
    }
    for (int pass = 0; pass < 2 && status == SLIP_MODES_NONE; pass++) {
        m->wedged = pass > 0;
        if (m->free_count > exhaustive)
            status = decide_parts(m, now, branches, contact);
        if (status == SLIP_MODES_NONE)
            status = decide_together(m, now, branches, contact);
    }
    return status;
}

int slip_modes_decide(slip_modes *m, const slip_instant *now, slip_branch *branches, int *contact)
{
    memcpy(m->trial, branches, (size_t)m->count * sizeof(slip_branch));
    for (int c = 0; c < m->count; c++)
        m->before[c] = branches[c].mode;
    find_free(m, now);
    *contact = m->free_count > 0 ? m->free[0].contact : 0;
    m->wedged = m->foreseen = false;
    m->change_known = false;
    memset(m->change, 0, (size_t)m->system->n * sizeof(double));
    return decide(m, now, branches, contact);
}

const double *slip_modes_acceleration(const slip_modes *m)
{
    return m->a;
}
