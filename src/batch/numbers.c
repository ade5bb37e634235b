#include "batch/numbers.h"

#include "batch/lanes.h"

#include <stdio.h>
#include <string.h>

/* Whether the engine refuses the contact, with the reason. */
static bool refuse_contact(const slip_contact *contact, char *reason, size_t size)
{
    const char *why = NULL;
    if (contact->has_gap && !contact->frictionless)
        why = "a gap with friction";
    else if (contact->compliant)
        why = "a compliant gap";
    else if (!contact->has_gap && contact->frictionless)
        why = "no friction";
    else if (contact->state_count > 0)
        why = "a law with memory";
    else if (!contact->has_gap && contact->normal_force)
        why = "a normal force that is not constant";
    else if (!contact->has_gap && !(contact->normal_constant > 0 && contact->law.law.mu > 0))
        why = "no normal force or no friction";
    if (why)
        snprintf(reason, size, "contact `%s` has %s", contact->name, why);
    return why != NULL;
}

static bool refuse(const slip_system *system, char *reason, size_t size)
{
    const char *why = NULL;
    if (system->n > BATCH_MOST_Q || system->contact_count > BATCH_MOST_C) {
        snprintf(reason, size, "%d coordinates and %lld contacts, at most %d and %d are taken", system->n,
                 (long long)system->contact_count, BATCH_MOST_Q, BATCH_MOST_C);
        return true;
    }
    if (system->contact_count == 0)
        why = "it has no contacts";
    else if (system->state_count > 0)
        why = "it has states";
    else if (system->massless || system->field || system->kin)
        why = "it has bodies, or coordinates without mass";
    for (int64_t c = 0; !why && c < system->contact_count; c++)
        if (refuse_contact(&system->contacts[c], reason, size))
            return true;
    if (why)
        snprintf(reason, size, "%s", why);
    return why != NULL;
}

static bool refuse_loads(const slip_exact_loads *loads, char *reason, size_t size)
{
    const char *why = loads->piecewise_count > 0                 ? "a function of time switches"
                      : loads->most_powers > 1                   ? "a function of time grows as a power of t"
                      : loads->wave_count - 1 > BATCH_MOST_WAVES ? "its loads have more than four frequencies"
                                                                 : NULL;
    if (why)
        snprintf(reason, size, "%s", why);
    return why != NULL;
}

void slip_batch_draft_free(slip_batch_draft *draft)
{
    slip_arena_free(&draft->arena);
}

int slip_batch_describe(slip_context *ctx, const slip_system *system, slip_batch_draft *draft,
                        slip_batch_shape *shape, char *reason, size_t size)
{
    const int n = system->n, contacts = (int)system->contact_count;
    memset(shape, 0, sizeof *shape);
    const int applies = slip_exact_applies(system, reason, size);
    SLIP_PASS(slip_allocated(ctx, applies >= 0));
    if (!applies || refuse(system, reason, size))
        return SLIP_BATCH_REFUSED;
    SLIP_PASS(slip_exact_loads_create(ctx, system, &draft->arena, &draft->loads));
    if (refuse_loads(&draft->loads, reason, size))
        return SLIP_BATCH_REFUSED;
    const int waves = draft->loads.wave_count - 1;
    shape->n = n;
    shape->contacts = contacts;
    shape->waves = waves;
    shape->friction = 2 * n + 1 + 2 * waves;
    shape->entries = shape->friction + contacts;
    shape->block = 2 * n + 1 + 2 * waves + BATCH_CONTACT_NUMBERS;
    shape->numbers = n * shape->entries + contacts * shape->block + waves + 1;
    shape->peaks = draft->peaks;
    shape->table = 1 + ((draft->peaks ? 5 : 3) * n + 6 * contacts) * shape->entries + 2 * waves;
    for (int c = 0; c < contacts; c++)
        shape->has_gap[c] = system->contacts[c].has_gap;
    shape->record = slip_batch_words(shape);
    return SLIP_OK;
}

/* Row i of f - C v - K q with what viscous friction adds, over y. */
static void fill_force(const slip_system *system, const slip_exact_loads *loads,
                       const slip_batch_shape *shape, int i, double *row)
{
    const int n = shape->n, m = 1 + 2 * shape->waves;
    for (int j = 0; j < n; j++) {
        row[j] = -system->stiffness[i * n + j] + (system->load_q ? system->load_q[i * n + j] : 0);
        row[n + j] = -system->damping[i * n + j] + (system->load_v ? system->load_v[i * n + j] : 0);
    }
    for (int j = 0; j < m; j++)
        row[2 * n + j] = loads->forces[i * m + j];
    for (int c = 0; c < shape->contacts; c++) {
        const slip_contact *contact = &system->contacts[c];
        row[shape->friction + c] = 0;
        if (contact->has_gap)
            continue;
        const double viscous = contact->law.law.viscous * contact->normal_constant,
                     own = contact->slip.row[i];
        row[shape->friction + c] = own;
        for (int j = 0; j < n; j++)
            row[n + j] -= viscous * own * contact->slip.row[j];
        for (int j = 0; j < m; j++)
            row[2 * n + j] -= viscous * own * loads->slip[c * m + j];
    }
}

static void fill_contact(const slip_system *system, const slip_exact_loads *loads,
                         const slip_batch_shape *shape, int c, double *to)
{
    const slip_contact *contact = &system->contacts[c];
    const int n = shape->n, m = 1 + 2 * shape->waves;
    const double *row = contact->has_gap ? contact->gap.row : contact->slip.row,
                 *rest = (contact->has_gap ? loads->gap : loads->slip) + c * m;
    double *response = to + n, *number = response + n + m;
    memcpy(to, row, (size_t)n * sizeof *to);
    memcpy(response + n, rest, (size_t)m * sizeof *to);
    number[BATCH_COMPLIANCE] = 0;
    for (int i = 0; i < n; i++) {
        response[i] = 0;
        for (int j = 0; j < n; j++)
            response[i] += system->inverse_mass[i * n + j] * row[j];
        number[BATCH_COMPLIANCE] += row[i] * response[i];
    }
    number[BATCH_KINETIC] = contact->has_gap ? 0 : contact->law.law.mu * contact->normal_constant;
    number[BATCH_HOLD] = contact->has_gap ? 0 : slip_law_hold(&contact->law) * contact->normal_constant;
    number[BATCH_RESTITUTION] = contact->has_gap ? contact->restitution : 0;
}

void slip_batch_fill(const slip_system *system, const slip_batch_draft *draft, const slip_batch_shape *shape,
                     double period, double *numbers)
{
    const int n = shape->n, width = shape->entries;
    double force[BATCH_MOST_Y];
    memset(numbers, 0, (size_t)shape->numbers * sizeof *numbers);
    for (int i = 0; i < n; i++) {
        fill_force(system, &draft->loads, shape, i, force);
        for (int r = 0; r < n; r++)
            for (int j = 0; j < width; j++)
                numbers[r * width + j] += system->inverse_mass[r * n + i] * force[j];
    }
    for (int c = 0; c < shape->contacts; c++)
        fill_contact(system, &draft->loads, shape, c, numbers + n * width + c * shape->block);
    for (int k = 0; k < shape->waves; k++)
        numbers[n * width + shape->contacts * shape->block + k] = draft->loads.waves[k + 1].frequency;
    numbers[shape->numbers - 1] = period;
}
