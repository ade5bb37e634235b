#include "system/hold.h"

#include "system/massless/massless.h"

/* How many times larger the limit of what is held becomes. */
static const double far = 1e6;

int slip_held_contact(const slip_system *system, int i)
{
    const int contacts = (int)system->contact_count;
    return i < contacts ? i : system->sliders[i - contacts].contact;
}

/* Whether friction on a coordinate without mass, where it acts on one, is a slider of the system that moves.
 */
static bool is_slider(const slip_massless *massless, int c)
{
    const slip_massless_contact *own = &massless->contacts[c];
    return own->coordinate < 0 || (own->state >= 0 && massless->weight[own->coordinate] == SLIP_STATIC);
}

bool slip_held_may(const slip_system *system, int i)
{
    const int contacts = (int)system->contact_count;
    const slip_contact *contact = &system->contacts[slip_held_contact(system, i)];
    if (system->patch_count > 0 || contact->varying_count > 0 || !contact->slip.row ||
        contact->slip.constant != 0 ||
        (system->massless && !is_slider(system->massless, slip_held_contact(system, i))))
        return false;
    if (i < contacts)
        return contact->slider_count == 0 && slip_law_hold(&contact->law) > 0;
    const slip_slider *slider = &system->sliders[i - contacts];
    return slider->mode == SLIP_LAW_NO_MODE && isfinite(slider->limit);
}

double slip_held_limit_of(const slip_system *system, const bool *held, int i)
{
    const int contacts = (int)system->contact_count;
    const double limit =
        i < contacts ? slip_law_hold(&system->contacts[i].law) : system->sliders[i - contacts].limit;
    return held && held[i] ? limit / far : limit;
}

/* The same in the system that moves, whose contacts are those that were given: some have become sliders. */
static void raise_moving(const slip_system *system, int i)
{
    slip_system *moving = system->massless->system;
    const slip_contact *given = &system->contacts[slip_held_contact(system, i)];
    slip_contact *contact = &moving->contacts[slip_held_contact(system, i)];
    const int of_contact = i < system->contact_count ? 0 : i - (int)system->contact_count - given->slider;
    if (contact->slider_count > 0) {
        moving->sliders[contact->slider + of_contact].limit *= far;
        return;
    }
    contact->law.law.mu *= far;
    slip_law_derive(&contact->law);
}

void slip_held_raise(slip_system *system, const bool *held)
{
    const int contacts = (int)system->contact_count;
    for (int i = 0; i < slip_held_count(system) && held; i++)
        if (held[i] && i < contacts) {
            system->contacts[i].law.law.mu *= far;
            slip_law_derive(&system->contacts[i].law);
        } else if (held[i]) {
            system->sliders[i - contacts].limit *= far;
        }
    for (int i = 0; i < slip_held_count(system) && held && system->massless; i++)
        if (held[i])
            raise_moving(system, i);
}

int64_t slip_held_room(const slip_system *system)
{
    int most = 0;
    for (int64_t c = 0; c < system->contact_count; c++)
        most = slip_expression_most_scratch(most, system->contacts[c].slip.rest);
    return 1 + 2 * (int64_t)system->n + most;
}

/* One contact after the other, repeated, since rows may share coordinates. */
void slip_held_stop(const slip_system *system, const bool *held, double t, double *v, double *room)
{
    const int n = system->n;
    for (int i = 0; i < 1 + 2 * n; i++)
        room[i] = 0;
    room[slip_slot_time()] = t;
    for (int turn = 0; turn < 4; turn++)
        for (int c = 0; c < system->contact_count && held; c++) {
            const slip_slip_form *form = &system->contacts[c].slip;
            double slip = form->constant, square = 0;
            if (!held[c])
                continue;
            if (form->rest)
                slip += slip_expression_value(form->rest, room, room + 1 + 2 * n);
            for (int k = 0; k < form->support_count; k++) {
                const int i = form->support[k];
                slip += form->row[i] * v[i];
                square += form->row[i] * form->row[i];
            }
            for (int k = 0; k < form->support_count; k++)
                v[form->support[k]] -= slip * form->row[form->support[k]] / square;
        }
}
