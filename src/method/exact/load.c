/* Functions of time t^p cos wt and t^p sin wt, of which the model's expressions must be sums.
 *
 * The entries of s are c_p = t^p/p! cos wt and s_p = t^p/p! sin wt. They are a closed family:
 *
 *     c_p' = c_(p-1) - w s_p,   s_p' = s_(p-1) + w c_p.
 *
 * Functions that switch have entries of their own (slip_exact_piecewise). */
#include "math/expression/freeze.h"
#include "method/exact/types.h"
#include "ode/stepper.h"
#include "system/structure/structure.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { most_terms = 64, most_waves = 64 };

/* A load of higher power would cause a motion of higher degree than slip_exact_degree. */
enum { most_power = slip_exact_degree - 2 };

/* Source k of the system: first the force terms, then three for each contact. */
typedef struct source {
    const slip_expression *expression; /* NULL: there is only the constant */
    double constant;
    int contact, which; /* 0 slip, 1 normal force, 2 gap; contact -1: a force */
} source;

static int64_t source_count(const slip_system *system)
{
    return system->force_count + 3 * system->contact_count;
}

static source get_source(const slip_system *system, int64_t k)
{
    source s = {NULL, 0, -1, 0};
    if (k < system->force_count) {
        s.expression = system->forces[k].linear ? system->forces[k].rest : system->forces[k].expression;
        return s;
    }
    s.contact = (int)((k - system->force_count) / 3);
    s.which = (int)((k - system->force_count) % 3);
    const slip_contact *contact = &system->contacts[s.contact];
    if (s.which == 0) {
        s.expression = contact->slip.rest;
        s.constant = contact->slip.constant;
    } else if (s.which == 1 && !contact->has_gap) {
        s.expression = contact->normal_force;
        s.constant = contact->normal_force ? 0 : contact->normal_constant;
    } else if (s.which == 2 && contact->has_gap) {
        s.expression = contact->gap.rest;
        s.constant = contact->gap.constant;
    }
    return s;
}

/* The terms of a source in all forms of its switches; -1 where it is no such sum, or SLIP_ERROR_MEMORY. */
static int get_terms(const slip_system *system, const source *s, slip_harmonic *terms)
{
    const int first = 1 + 2 * system->n;
    int count = 0;
    if (s->expression)
        count = slip_expression_harmonics_from(s->expression, slip_slot_time(), 0, first, NULL, terms,
                                               most_terms - 1);
    for (int i = 0; i < count; i++)
        if (terms[i].power > most_power)
            return -1;
    if (count >= 0 && s->constant != 0)
        terms[count++] = (slip_harmonic){.cosine = s->constant};
    return count;
}

/* Whether the source is such a sum, at least when frozen (not negative); else -1 or SLIP_ERROR_MEMORY. */
static int has_terms(const slip_system *system, const source *s)
{
    slip_harmonic terms[most_terms];
    SLIP_FREED_BY(slip_switches_free) slip_switches switches = {0};
    SLIP_FREED_BY(slip_expression_drop) slip_expression *frozen = NULL;
    int result = get_terms(system, s, terms);
    if (result == -1) {
        const int status = slip_expression_freeze(s->expression, slip_slot_time(), 1 + 2 * system->n, false,
                                                  0, &switches, &frozen);
        if (status == SLIP_ERROR_MEMORY)
            result = status;
        else if (status == SLIP_OK && frozen)
            result = get_terms(system, &(source){.expression = frozen, .constant = s->constant}, terms);
    }
    return result;
}

/* Whether the source switches, so that its terms change in time. */
static bool switches(const slip_system *system, const source *s)
{
    for (int k = 0; s->expression && k < system->switch_count; k++)
        if (slip_expression_reads(s->expression, 1 + 2 * system->n + k))
            return true;
    return false;
}

/* ---- Whether the propagator applies to a system. */

static bool law_fits(const slip_contact *contact, char *reason, size_t size)
{
    const slip_law *law = &contact->law.law;
    if (!contact->slip.row) {
        snprintf(reason, size, "contact `%s`: the coefficients of slip `%s` are not constant", contact->name,
                 slip_expression_text(contact->slip.rest));
        return false;
    }
    if (contact->frictionless)
        return true;
    if (contact->varying_count > 0) {
        snprintf(reason, size, "contact `%s`: %s `%s` of its law is not constant", contact->name,
                 contact->varying_info[0]->name, slip_expression_text(contact->varying[0]));
        return false;
    }
    if (contact->law.type->sliders && !contact->normal_force && !contact->has_gap)
        return true;
    if (contact->law.type->sliders) {
        snprintf(reason, size, "contact `%s`: law `%s` under a normal force that is not constant",
                 contact->name, law->type);
        return false;
    }
    if (strcmp(law->type, "coulomb") != 0) {
        snprintf(reason, size, "contact `%s`: law `%s` is none of `coulomb`, `jenkins`, `iwan`",
                 contact->name, law->type);
        return false;
    }
    if (law->viscous != 0 && (contact->has_gap || contact->normal_force)) {
        snprintf(reason, size, "contact `%s`: viscous friction under a normal force that is not constant",
                 contact->name);
        return false;
    }
    return true;
}

/* Returns 1, 0 with the reason, or SLIP_ERROR_MEMORY. */
static int source_fits(const slip_system *system, int64_t k, char *reason, size_t size)
{
    static const char *const names[] = {"slip", "normal_force", "gap"};
    source s = get_source(system, k);
    const int terms = has_terms(system, &s);
    if (terms != -1)
        return terms < 0 ? terms : 1;
    if (s.contact < 0)
        snprintf(reason, size, "%s `%s`: `%s` is not a sum of harmonics and polynomials in t%s",
                 system->forces[k].coordinate < slip_system_coordinates(system) ? "force on" : "rate of",
                 system->names[system->forces[k].coordinate],
                 slip_expression_text(system->forces[k].expression),
                 system->forces[k].time_only ? "" : " and of terms linear in the state");
    else
        snprintf(reason, size,
                 "contact `%s`: %s `%s` has a part that is not a sum of harmonics and polynomials in t",
                 system->contacts[s.contact].name, names[s.which], slip_expression_text(s.expression));
    return 0;
}

/* Finds or adds the wave of a frequency, with this power at least; frequencies that agree to rounding share
 * one. Returns its index, or -1 when there are too many. */
static int find_wave(slip_exact_wave *waves, int *count, double frequency, int power)
{
    int k = 0;
    while (k < *count && fabs(waves[k].frequency - frequency) > 32 * DBL_EPSILON * frequency)
        k++;
    if (k == most_waves)
        return -1;
    if (k == *count)
        waves[(*count)++] = (slip_exact_wave){.frequency = frequency};
    if (waves[k].powers < power + 1)
        waves[k].powers = power + 1;
    return k;
}

/* Adds the waves of one source to the list. Returns 1, 0 when there are too many, or SLIP_ERROR_MEMORY. */
static int add_waves(const slip_system *system, const source *s, slip_exact_wave *waves, int *count)
{
    slip_harmonic terms[most_terms];
    int term_count = get_terms(system, s, terms);
    for (int i = 0; i < term_count; i++)
        if (find_wave(waves, count, terms[i].frequency, terms[i].power) < 0)
            return 0;
    return term_count == SLIP_ERROR_MEMORY ? term_count : 1;
}

/* Collects the waves of all sources that do not switch. Returns what add_waves does. */
static int collect_waves(const slip_system *system, slip_exact_wave *waves, int *count)
{
    int good = 1;
    *count = 0;
    find_wave(waves, count, 0, 0);
    for (int64_t k = 0; k < source_count(system) && good == 1; k++) {
        source s = get_source(system, k);
        if (!switches(system, &s))
            good = add_waves(system, &s, waves, count);
    }
    return good;
}

int slip_exact_applies(const slip_system *system, char *reason, size_t size)
{
    char unwanted[1];
    slip_exact_wave waves[most_waves];
    int count, good = 1;
    if (!reason)
        reason = unwanted, size = sizeof unwanted;
    if (system->force_function) {
        snprintf(reason, size, "the load is a C function");
        return 0;
    }
    if (system->structure->push) {
        snprintf(reason, size, "a structure of kind `%s` has forces of its own", system->structure->name);
        return 0;
    }
    if (system->patch_count > 0) {
        snprintf(reason, size, "contact `%s`: friction of a slip in the plane, or of an area, is not linear",
                 system->contacts[system->vectors[0]].name);
        return 0;
    }
    if (system->varying_mass || system->varying_gaps) {
        snprintf(reason, size, "%s not linear in the coordinates",
                 system->varying_mass ? "the kinetic energy makes equations that are" : "a gap is");
        return 0;
    }
    for (int64_t c = 0; c < system->contact_count; c++)
        if (!law_fits(&system->contacts[c], reason, size))
            return 0;
    for (int64_t k = 0; k < source_count(system) && good == 1; k++)
        good = source_fits(system, k, reason, size);
    if (good != 1)
        return good;
    good = collect_waves(system, waves, &count);
    if (good == 0)
        snprintf(reason, size, "more than %d different frequencies", most_waves - 1);
    return good;
}

/* ---- The functions and the rows over them. */

static int pair_of(const slip_exact_wave *wave)
{
    return wave->frequency > 0 ? 2 : 1;
}

/* Assigns entries of s to these waves, from loads->count on, and increases it. */
static void place_waves(slip_exact_loads *loads, slip_exact_wave *waves, int count)
{
    for (int k = 0; k < count; k++) {
        waves[k].first = loads->count;
        loads->count += pair_of(&waves[k]) * waves[k].powers;
        loads->most_powers = waves[k].powers > loads->most_powers ? waves[k].powers : loads->most_powers;
    }
}

/* Writes the rows of G for a wave; the rate of each power has a term `next` entries away. */
static void fill_wave(slip_exact_loads *loads, const slip_exact_wave *wave, int next)
{
    int m = loads->count, pair = pair_of(wave);
    for (int p = 0; p < wave->powers; p++) {
        int at = wave->first + pair * p;
        for (int i = 0; i < pair && p + next >= 0 && p + next < wave->powers; i++)
            loads->generator[(at + i) * m + at + i + next * pair] = 1;
        if (pair == 2) {
            loads->generator[at * m + at + 1] = -wave->frequency;
            loads->generator[(at + 1) * m + at] = wave->frequency;
        }
    }
}

static void fill_generator(slip_exact_loads *loads)
{
    for (int k = 0; k < loads->wave_count; k++)
        fill_wave(loads, &loads->waves[k], -1);
    for (int i = 0; i < loads->piecewise_count; i++)
        for (int k = 0; k < loads->piecewise[i].wave_count; k++)
            fill_wave(loads, &loads->piecewise[i].waves[k], 1);
}

static const slip_exact_wave *wave_of(const slip_exact_wave *waves, double frequency)
{
    while (fabs(waves->frequency - frequency) > 32 * DBL_EPSILON * frequency)
        waves++;
    return waves;
}

static double factorial(int p)
{
    double result = 1;
    for (int k = 2; k <= p; k++)
        result *= k;
    return result;
}

/* False when out of memory. */
static bool add_terms(const slip_system *system, const slip_exact_loads *loads, const source *s, double *row)
{
    slip_harmonic terms[most_terms];
    int count = get_terms(system, s, terms);
    for (int i = 0; i < count; i++) {
        const slip_exact_wave *wave = wave_of(loads->waves, terms[i].frequency);
        int pair = pair_of(wave), at = wave->first + pair * terms[i].power;
        row[at] += factorial(terms[i].power) * terms[i].cosine;
        if (pair == 2)
            row[at + 1] += factorial(terms[i].power) * terms[i].sine;
    }
    return count >= 0;
}

/* Lists the sources that switch, each with waves of its own. False when out of memory. */
static bool collect_piecewise(const slip_system *system, slip_arena *arena, slip_exact_loads *loads)
{
    slip_exact_wave waves[most_waves];
    loads->first_form = 1 + 2 * system->n;
    if (system->switch_count == 0)
        return true;
    loads->piecewise = slip_arena_array(arena, source_count(system) + 1, sizeof *loads->piecewise);
    for (int64_t k = 0; loads->piecewise && k < source_count(system); k++) {
        source s = get_source(system, k);
        slip_exact_piecewise *one = &loads->piecewise[loads->piecewise_count];
        if (!switches(system, &s))
            continue;
        *one = (slip_exact_piecewise){.expression = s.expression, .constant = s.constant};
        find_wave(waves, &one->wave_count, 0, 0);
        if (add_waves(system, &s, waves, &one->wave_count) < 0)
            return false;
        place_waves(loads, waves, one->wave_count);
        one->waves = slip_arena_array(arena, one->wave_count, sizeof *waves);
        if (!one->waves)
            return false;
        memcpy(one->waves, waves, (size_t)one->wave_count * sizeof *waves);
        loads->piecewise_count++;
    }
    return loads->piecewise != NULL;
}

/* False when out of memory. */
static bool fill_rows(const slip_system *system, slip_exact_loads *loads)
{
    const int64_t m = loads->count, contacts = system->contact_count;
    int next = 0;
    for (int64_t k = 0; k < source_count(system); k++) {
        source s = get_source(system, k);
        double *row = s.contact < 0 ? loads->forces + system->forces[k].coordinate * m
                                    : loads->slip + (s.which * contacts + s.contact) * m;
        if (switches(system, &s)) {
            const slip_exact_piecewise *one = &loads->piecewise[next++];
            for (int i = 0; i < one->wave_count; i++)
                row[one->waves[i].first] += 1;
        } else if (!add_terms(system, loads, &s, row)) {
            return false;
        }
    }
    return true;
}

int slip_exact_loads_create(slip_context *ctx, const slip_system *system, slip_arena *arena,
                            slip_exact_loads *loads)
{
    slip_exact_wave waves[most_waves];
    int64_t contacts = system->contact_count;
    *loads = (slip_exact_loads){0};
    if (collect_waves(system, waves, &loads->wave_count) < 0)
        return slip_fail_memory(ctx);
    place_waves(loads, waves, loads->wave_count);
    SLIP_PASS(slip_allocated(ctx, collect_piecewise(system, arena, loads)));
    int64_t m = loads->count;
    loads->waves = slip_arena_array(arena, loads->wave_count, sizeof *waves);
    loads->generator = slip_arena_array(arena, m * m, sizeof(double));
    loads->forces = slip_arena_array(arena, system->n * m, sizeof(double));
    loads->slip = slip_arena_array(arena, 3 * (contacts + 1) * m, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, loads->waves && loads->generator && loads->forces && loads->slip));
    loads->normal = loads->slip + contacts * m;
    loads->gap = loads->normal + contacts * m;
    memcpy(loads->waves, waves, (size_t)loads->wave_count * sizeof *waves);
    fill_generator(loads);
    return fill_rows(system, loads) ? SLIP_OK : slip_fail_memory(ctx);
}

/* Computes the entries of s at t of a function that switches. Returns what slip_exact_loads_at does. */
static int piecewise_at(const slip_exact_loads *loads, const slip_exact_piecewise *one, double t, double *s)
{
    slip_harmonic terms[most_terms];
    const int count = slip_expression_harmonics_from(one->expression, slip_slot_time(), t, loads->first_form,
                                                     loads->forms, terms, most_terms);
    for (int k = 0; k < one->wave_count; k++)
        memset(s + one->waves[k].first, 0,
               (size_t)(pair_of(&one->waves[k]) * one->waves[k].powers) * sizeof *s);
    for (int i = 0; i < count; i++) {
        const slip_exact_wave *wave = wave_of(one->waves, terms[i].frequency);
        double *at = s + wave->first + pair_of(wave) * terms[i].power;
        at[0] += factorial(terms[i].power) * terms[i].cosine;
        if (pair_of(wave) == 2)
            at[1] -= factorial(terms[i].power) * terms[i].sine;
    }
    s[one->waves[0].first] += one->constant;
    return count >= 0 ? SLIP_OK : count == SLIP_ERROR_MEMORY ? count : SLIP_STEP_UNDEFINED;
}

int slip_exact_loads_at(const slip_exact_loads *loads, double t, double *s)
{
    double power = 1;
    for (int p = 0; p < loads->waves[0].powers; p++) {
        s[p] = power;
        power *= t / (p + 1);
    }
    for (int k = 1; k < loads->wave_count; k++) {
        const slip_exact_wave *wave = &loads->waves[k];
        double c = cos(wave->frequency * t), d = sin(wave->frequency * t), *pair = s + wave->first;
        pair[0] = c;
        pair[1] = d;
        power = 1;
        for (int p = 1; p < wave->powers; p++) {
            power *= t / p;
            pair[2 * p] = power * c;
            pair[2 * p + 1] = power * d;
        }
    }
    for (int i = 0; i < loads->piecewise_count; i++)
        SLIP_PASS(piecewise_at(loads, &loads->piecewise[i], t, s));
    return SLIP_OK;
}
