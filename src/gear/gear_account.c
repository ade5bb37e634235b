/* Gears in motion: names of what is recorded, energy and contact summed up. */
#include "gear/gear_account.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* ---- Columns. */

bool slip_gear_sample_create(slip_arena *arena, int shafts, int meshes, slip_gear_sample *s)
{
    s->angle = slip_arena_array(arena, 3 * (int64_t)shafts, sizeof(double));
    s->normal = slip_arena_array(arena, meshes, sizeof(double));
    if (!s->angle || !s->normal)
        return false;
    s->speed = s->angle + shafts;
    s->moment = s->speed + shafts;
    s->time = NAN;
    return true;
}

typedef struct column {
    const char *name, *unit, *group;
    size_t at;
} column;

#define OF(field) offsetof(slip_gear_sample, field)
static const column of_gear[] = {{"angle", "rad", "gear", OF(angle)},
                                 {"speed", "rad/s", "gear", OF(speed)},
                                 {"moment", "N m", "gear", OF(moment)}};
static const column of_all[] = {
    {"force", "N", "contact", OF(force)},  {"touching", "", "contact", OF(touching)},
    {"depth", "m", "contact", OF(depth)},  {"kinetic", "J", "energy", OF(kinetic)},
    {"strain", "J", "energy", OF(strain)}, {"contact", "J", "energy", OF(contact)},
    {"lost", "J", "energy", OF(lost)},     {"work", "J", "energy", OF(work)},
    {"balance", "J", "energy", 0},
};
enum { gear_columns = 3, common = 2 * gear_columns };
_Static_assert(common + sizeof of_all / sizeof *of_all == slip_gear_columns, "all columns");

void slip_gear_column_describe(int i, const char *const gears[2], slip_gear_column *to)
{
    const column *c = i < common ? &of_gear[i % gear_columns] : &of_all[i - common];
    const char *gear = i < common ? gears[i / gear_columns] : "";
    snprintf(to->name, sizeof to->name, "%.80s%s%s", gear, *gear ? "." : "", c->name);
    snprintf(to->place, sizeof to->place, "%s/%.80s%s%s", c->group, gear, *gear ? "/" : "", c->name);
    to->unit = c->unit;
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
    if (i == slip_gear_columns - 1)
        return balance_of(s);
    const char *at = (const char *)s + (i < common ? of_gear[i % gear_columns] : of_all[i - common]).at;
    return i < common ? (*(double *const *)at)[i / gear_columns] : *(const double *)at;
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

int slip_gear_account_numbers(slip_context *ctx, const slip_gear_account *a, const slip_number_sink *sink)
{
    const double drift = fmax(a->high - a->first_balance, a->first_balance - a->low);
    const struct {
        const char *name;
        double value;
    } list[] = {{"contact_time", a->contact_time},
                {"first_contact", a->first},
                {"last_contact", a->last},
                {"peak_force", a->peak},
                {"energy.start", a->first_balance},
                {"energy.end", a->last_balance},
                {"energy.drift", drift / fmax(fmax(a->kinetic, a->start), a->negligible)}};
    enum { of_contact = 4, count = sizeof list / sizeof *list };
    int status = SLIP_OK;
    for (int i = 0; status >= 0 && i < (a->low <= a->high ? count : of_contact); i++)
        status = sink->number(sink->user, ctx, list[i].name, list[i].value);
    return status;
}

void slip_gear_account_keep(slip_gear_account *a, slip_keeper *k)
{
    double watching = a->watching;
    double *const own[] = {&a->last_time, &a->last_force,    &a->contact_time, &a->first, &a->last,
                           &a->peak,      &a->kinetic,       &a->low,          &a->high,  &a->start,
                           &a->put_in,    &a->first_balance, &a->last_balance, &watching};
    enum { count = sizeof own / sizeof *own };
    double n[count];
    for (int i = 0; i < count; i++)
        n[i] = *own[i];
    slip_keep(k, "record/watch", n, count);
    for (int i = 0; slip_kept_back(k) && i < count; i++)
        *own[i] = n[i];
    a->watching = watching != 0;
}
