/* Two gears in motion: names of what is recorded, energy and contact summed up. */
#include "gear/gear_account.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* ---- Columns. */

typedef struct column {
    const char *name, *unit, *group;
    int gear; /* whose it is; -1: of both */
    size_t at;
} column;

#define OF(field) offsetof(slip_gear_sample, field)
enum { balance_column = slip_gear_columns - 1 };
static const column columns[slip_gear_columns] = {
    {"t", "s", "", -1, OF(time)},
    {"angle", "rad", "gear", 0, OF(angle[0])},
    {"speed", "rad/s", "gear", 0, OF(speed[0])},
    {"moment", "N m", "gear", 0, OF(moment[0])},
    {"angle", "rad", "gear", 1, OF(angle[1])},
    {"speed", "rad/s", "gear", 1, OF(speed[1])},
    {"moment", "N m", "gear", 1, OF(moment[1])},
    {"force", "N", "contact", -1, OF(force)},
    {"touching", "", "contact", -1, OF(touching)},
    {"depth", "m", "contact", -1, OF(depth)},
    {"kinetic", "J", "energy", -1, OF(kinetic)},
    {"strain", "J", "energy", -1, OF(strain)},
    {"contact", "J", "energy", -1, OF(contact)},
    {"lost", "J", "energy", -1, OF(lost)},
    {"work", "J", "energy", -1, OF(work)},
    {"balance", "J", "energy", -1, 0},
};

void slip_gear_column_name(int i, const char *const gears[2], char name[slip_gear_name_size])
{
    const column *c = &columns[i];
    if (c->gear < 0)
        snprintf(name, slip_gear_name_size, "%s", c->name);
    else
        snprintf(name, slip_gear_name_size, "%.80s.%s", gears[c->gear], c->name);
}

void slip_gear_column_place(int i, const char *const gears[2], char place[2 * slip_gear_name_size])
{
    const column *c = &columns[i];
    snprintf(place, 2 * slip_gear_name_size, "%s%s%.80s%s%s", c->group, *c->group ? "/" : "",
             c->gear < 0 ? "" : gears[c->gear], c->gear < 0 ? "" : "/", c->name);
}

const char *slip_gear_column_unit(int i)
{
    return columns[i].unit;
}

static double energy_of(const slip_gear_sample *s)
{
    return s->kinetic + s->strain + s->contact;
}

static double balance_of(const slip_gear_sample *s)
{
    return energy_of(s) + s->lost - s->work;
}

double slip_gear_column_value(const slip_gear_sample *s, int i)
{
    return i == balance_column ? balance_of(s) : *(const double *)((const char *)s + columns[i].at);
}

/* ---- Energy. */

slip_gear_account slip_gear_account_begin(double negligible)
{
    return (slip_gear_account){
        .negligible = negligible, .first = NAN, .last = NAN, .low = INFINITY, .high = -INFINITY};
}

bool slip_gear_account_balance(slip_gear_account *a, const slip_gear_sample *s)
{
    double energy = energy_of(s), balance = balance_of(s);
    if (!(a->low <= a->high)) {
        a->start = fabs(energy); /* of central differences that may be below 0 at rest */
        a->first_balance = balance;
    }
    a->last_balance = balance;
    for (int k = 0; k < 2; k++)
        a->speed[k] = s->speed[k];
    a->kinetic = fmax(a->kinetic, s->kinetic);
    a->put_in = fmax(a->put_in, fabs(s->work));
    a->low = fmin(a->low, balance);
    a->high = fmax(a->high, balance);
    return !(energy <= 2 * (a->start + a->put_in) + a->negligible);
}

int slip_gear_account_unbounded(slip_context *ctx, const slip_gear_account *a, const slip_gear_sample *s,
                                const char *when, const char *who)
{
    return slip_fail(
        ctx, SLIP_ERROR_SOLVER,
        "%sthe motion grows without bound: it has %.3g J, while %.3g J were there at the start and "
        "put in since; most moves %s; expected lower speeds, a lower penalty, or a smaller step or "
        "tolerance",
        when, energy_of(s), a->start + a->put_in, who);
}

/* ---- Contact. */

/* The part of a step from a to b in which a force that goes linearly from one value to the other is positive.
 */
static void positive_part(double a, double b, double from, double to, double *low, double *high)
{
    *low = a;
    *high = b;
    if (!(from > 0) && !(to > 0))
        *high = a;
    else if (!(from > 0))
        *low = a + (b - a) * (-from / (to - from));
    else if (!(to > 0))
        *high = a + (b - a) * (from / (from - to));
}

double slip_gear_account_watch(slip_gear_account *a, double time, double force)
{
    double change = NAN;
    if (a->watching) {
        double low, high;
        positive_part(a->last_time, time, a->last_force, force, &low, &high);
        if (high > low) {
            a->contact_time += high - low;
            a->first = isnan(a->first) ? low : a->first;
            a->last = high;
        }
        if ((a->last_force > 0) != (force > 0))
            change = force > 0 ? low : high;
    }
    a->watching = true;
    a->last_time = time;
    a->last_force = force;
    a->peak = fmax(a->peak, force);
    return change;
}

/* ---- In the end. */

int slip_gear_account_numbers(slip_context *ctx, const slip_gear_account *a, const char *const gears[2],
                              const slip_number_sink *sink)
{
    char finals[2][slip_gear_name_size];
    const double drift = fmax(a->high - a->first_balance, a->first_balance - a->low);
    const struct {
        const char *name;
        double value;
    } list[] = {{"contact_time", a->contact_time},
                {"first_contact", a->first},
                {"last_contact", a->last},
                {"peak_force", a->peak},
                {finals[0], a->speed[0]},
                {finals[1], a->speed[1]},
                {"energy.start", a->first_balance},
                {"energy.end", a->last_balance},
                {"energy.drift", drift / fmax(fmax(a->kinetic, a->start), a->negligible)}};
    enum { of_contact = 4, count = sizeof list / sizeof *list };
    int status = SLIP_OK;
    for (int k = 0; k < 2; k++)
        snprintf(finals[k], sizeof finals[k], "final.%.80s.speed", gears[k]);
    for (int i = 0; status >= 0 && i < (a->low <= a->high ? count : of_contact); i++)
        status = sink->number(sink->user, ctx, list[i].name, list[i].value);
    return status;
}

void slip_gear_account_keep(slip_gear_account *a, slip_keeper *k)
{
    double watching = a->watching;
    double *const own[] = {&a->last_time,    &a->last_force, &a->contact_time, &a->first,
                           &a->last,         &a->peak,       &a->kinetic,      &a->low,
                           &a->high,         &a->start,      &a->put_in,       &a->first_balance,
                           &a->last_balance, &a->speed[0],   &a->speed[1],     &watching};
    enum { count = sizeof own / sizeof *own };
    double n[count];
    for (int i = 0; i < count; i++)
        n[i] = *own[i];
    slip_keep(k, "record/watch", n, count);
    for (int i = 0; slip_kept_back(k) && i < count; i++)
        *own[i] = n[i];
    a->watching = watching != 0;
}
