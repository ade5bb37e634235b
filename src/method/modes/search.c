/* All choices of a few contacts, by the rules of modes.h. */
#include "method/modes/types.h"

#include <math.h>
#include <string.h>

/* Up to this number of contacts with a choice, the search continues after the first consistent choice to see
 * whether it is the only one. */
enum { all_choices = 4 };

/* ---- Comparing. */

/* Whether `best` is preferred to the trial only because of static friction above kinetic friction, where a
 * contact sticks that could slip as well: that does not make the motion ambiguous. */
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

/* Whether the forces that are not unique (in the trial or in the best choice) are smaller in the trial by
 * more than rounding; forces of other contacts do not count. */
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
    /* not relative to the accelerations: at rest these are rounding errors */
    for (int i = 0; i < m->system->n; i++)
        if (fabs(m->a[i] - m->a_best[i]) > 1e-7 * m->size[i])
            return false;
    return true;
}

/* ---- Trying. */

/* The state of a search over all choices. */
typedef struct search {
    const slip_instant *now;
    int price;         /* total price of the choices that are tried */
    slip_branch *best; /* the choice that was found */
    bool found;
    bool look_on; /* continue, to find choices with different accelerations */
} search;

/* Evaluates the trial at this instant; its clips stay those of a short time ahead. */
static void evaluate_now(slip_modes *m, const search *s)
{
    if (m->at_now)
        return;
    memcpy(m->spare, m->trial, (size_t)m->count * sizeof(slip_branch));
    m->at_now = slip_modes_evaluate(m, m->spare, s->now->t, s->now->q, s->now->v);
}

/* Stores the trial and its accelerations as the best choice. */
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

/* The number of contacts that slip from rest in the trial although static friction would hold them, with the
 * modes of all others unchanged. */
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

/* Evaluates the trial as a candidate among choices with equally many releases; of equal ones, the least
 * forces are preferred where forces are not unique. Returns 1 when the search can stop, else 0. */
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
    /* of equal choices the first */
    if (!s->found || key < m->best_key || (key == m->best_key && shared && shares_less(m)))
        keep_trial(m, s, key);
    return !shared && key < release;
}

/* Compares the trial with the choice found before. Returns SLIP_MODES_SEVERAL when both are consistent and no
 * rule prefers one, else 0. */
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

/* Tries all choices of the first k contacts with the total price `budget`, by recursion over the contacts.
 * Returns as the functions above. */
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

/* Tries all choices with this number of releases, in the order of their price. Returns as the functions
 * above. */
static int try_releases(slip_modes *m, search *s, int releases)
{
    const int release = slip_modes_release_price(m);
    int status = 0;
    const int base = m->count + 1;
    for (int k = 0; k < release && status == 0; k++) {
        if (k % base > m->free_count || k / base > m->free_count)
            continue; /* no choice has that price */
        s->price = releases * release + k;
        status = try_choices(m, s, m->free_count, s->price);
    }
    return status;
}

/* First contacts beyond their limits are released (many.c). Where the acceleration is not unique, or that
 * fails, all choices are tried in the order of the number of releases; the best one goes to `branches`. */
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
