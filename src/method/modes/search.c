/* All choices of a few contacts, by the rules of modes.h. */
#include "method/modes/types.h"

#include <math.h>
#include <string.h>

/* Up to how many contacts with a choice the search goes on after the first consistent choice, to see whether
 * it is the only one. */
enum { all_choices = 4 };

/* ---- Comparing. */

/* Static friction above kinetic friction: a contact that could slip as well sticks. That rule, and no
 * trouble, is what prefers `best` to the trial. */
static bool ruled_out(const slip_modes *m, const slip_branch *best)
{
    for (int k = 0; k < m->free_count; k++) {
        int c = m->free[k].contact;
        if (best[c].mode == SLIP_MODE_STICK && m->trial[c].mode != SLIP_MODE_STICK && m->clinging[c])
            return true;
    }
    return false;
}

/* The sum of squares of a contact's forces, at the last evaluation. */
static double force_size(const slip_modes *m, int c)
{
    const slip_contact_state *state = &m->work->contacts[c];
    return state->normal * state->normal + state->force * state->force;
}

/* Are forces that are not unique, of the trial or of the best choice, smaller in the trial? Not by rounding,
 * and whatever the forces of other contacts are. */
static bool shares_less(const slip_modes *m)
{
    double trial = 0, best = 0;
    for (int c = 0; c < m->count; c++)
        if (m->best_shares[c] || slip_system_shares(m->work, c)) {
            trial += force_size(m, c);
            best += m->best_size[c];
        }
    return trial < best * (1 - 1e-9);
}

static bool same_acceleration(const slip_modes *m)
{
    /* not by the accelerations themselves: at rest these are nothing but rounding */
    for (int i = 0; i < m->system->n; i++)
        if (fabs(m->a[i] - m->a_best[i]) > 1e-7 * m->size[i])
            return false;
    return true;
}

/* ---- Trying. */

/* What goes through a search of all choices. */
typedef struct search {
    const slip_instant *now;
    int price;         /* of the choices that are tried */
    slip_branch *best; /* the choice that was found */
    bool found;
    bool look_on; /* for others with different accelerations */
} search;

/* The accelerations and forces of the trial at this instant. Its clips stay those of a short time ahead. */
static void evaluate_now(slip_modes *m, const search *s)
{
    if (m->at_now)
        return;
    memcpy(m->spare, m->trial, (size_t)m->count * sizeof(slip_branch));
    m->at_now = slip_modes_evaluate(m, m->spare, s->now->t, s->now->q, s->now->v);
}

/* The trial modes are the ones, and these their accelerations. */
static void keep_trial(slip_modes *m, search *s, int key)
{
    memcpy(s->best, m->trial, (size_t)m->count * sizeof(slip_branch));
    evaluate_now(m, s);
    memcpy(m->a_best, m->a, (size_t)m->system->n * sizeof(double));
    m->best_shared = slip_system_shared(m->work);
    for (int c = 0; c < m->count; c++) {
        m->best_size[c] = force_size(m, c);
        m->best_shares[c] = slip_system_shares(m->work, c);
    }
    m->best_key = key;
    s->found = true;
}

/* How many contacts slip from rest in the trial without a cause of their own: static friction would hold
 * them, all others as they are. */
static int count_causeless(slip_modes *m, const slip_instant *now)
{
    int count = 0;
    for (int k = 0; k < m->free_count; k++) {
        int c = m->free[k].contact;
        if (slip_mode_slips(m->trial[c].mode) && now->standing[c].resting && m->clinging[c])
            count += slip_modes_could_stick(m, now, c);
    }
    return count;
}

static bool same_modes(const slip_modes *m, const slip_branch *branches)
{
    for (int k = 0; k < m->free_count; k++)
        if (m->trial[m->free[k].contact].mode != branches[m->free[k].contact].mode)
            return false;
    return true;
}

/* Looks for a choice, of those with as many releases. Returns 1 when no other is of interest, else 0. Of
 * equals, the one with the least forces where forces are not unique. */
static int try_choice(slip_modes *m, search *s)
{
    const int release = slip_modes_release_price(m);
    double margin;
    int key;
    if (!slip_modes_consistent(m, s->now, &margin))
        return 0;
    key = s->price % release + release * count_causeless(m, s->now);
    evaluate_now(m, s);
    bool shared = slip_system_shared(m->work) || (s->found && m->best_shared);
    /* of equals the first */
    if (!s->found || key < m->best_key || (key == m->best_key && shared && shares_less(m)))
        keep_trial(m, s, key);
    return !shared && key < release;
}

/* Looks for another choice than the one that was found. Returns SLIP_MODES_SEVERAL when nothing speaks for
 * either, else 0. */
static int try_other(slip_modes *m, search *s)
{
    double margin;
    if (same_modes(m, s->best) || !slip_modes_consistent(m, s->now, &margin))
        return 0;
    evaluate_now(m, s);
    return margin > 1e-6 && !slip_system_shared(m->work) && !ruled_out(m, s->best) && !same_acceleration(m)
               ? SLIP_MODES_SEVERAL
               : 0;
}

/* All choices of the first k contacts that cost `budget`, those of the first one after each other. Returns as
 * the functions above. */
static int try_choices(slip_modes *m, search *s, int k, int budget)
{
    int status = 0;
    if (k == 0)
        return budget > 0 ? 0 : s->look_on ? try_other(m, s) : try_choice(m, s);
    const slip_choice *choice = &m->free[k - 1];
    for (int d = 0; d < choice->count && status == 0; d++) {
        if (choice->price[d] > budget)
            continue;
        slip_modes_try(m, choice->contact, choice->modes[d]);
        status = try_choices(m, s, k - 1, budget - choice->price[d]);
    }
    return status;
}

/* All choices with so many releases, those first against which least speaks. Returns as the functions above.
 */
static int try_releases(slip_modes *m, search *s, int releases)
{
    const int release = slip_modes_release_price(m);
    int status = 0;
    const int base = m->count + 1;
    for (int k = 0; k < release && status == 0; k++) {
        if (k % base > m->free_count || k / base > m->free_count)
            continue; /* no choice costs that */
        s->price = releases * release + k;
        status = try_choices(m, s, m->free_count, s->price);
    }
    return status;
}

/* The contacts give way. Where the acceleration is not unique, or that ends in nothing, all choices are
 * tried, those first with the fewest releases; the best goes to `branches`. */
int slip_modes_search(slip_modes *m, const slip_instant *now, bool unique, slip_branch *branches,
                      int *contact)
{
    search s = {.now = now, .best = m->asked};
    int releases = 0, status = 0;
    if (!slip_modes_any_clings(m) && slip_modes_give_way(m, now, branches, false)) {
        keep_trial(m, &s, 0);
        s.found = unique || m->best_shared;
    }
    if (!s.found) {
        for (; releases <= m->free_count && !s.found; releases++)
            try_releases(m, &s, releases);
        if (!s.found)
            return SLIP_MODES_NONE;
        s.look_on = m->free_count <= all_choices && !unique && !m->best_shared;
        status = s.look_on ? try_releases(m, &s, releases - 1) : 0;
    }
    if (status < 0)
        *contact = m->free[0].contact;
    else
        memcpy(branches, s.best, (size_t)m->count * sizeof(slip_branch));
    return status;
}
