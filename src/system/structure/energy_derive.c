/* Lagrange's equations as expressions; energy.h has the mathematics. */
#include "system/structure/energy.h"

#include <stdlib.h>
#include <string.h>

/* While they are derived: expressions of one coordinate. */
typedef struct derivation {
    slip_context *ctx;
    slip_system *system;
    int moving; /* coordinates, without states: these have neither mass nor force of the energies */
    slip_expression *lagrangian;
    int *rate; /* of each slot while the velocities stay */
    double *gradient, *scratch;
    slip_expression **forces; /* of each coordinate */
    slip_expression **masses; /* n x n, upper triangle */
} derivation;

static int failed(slip_context *ctx, int status)
{
    return status == SLIP_ERROR_MEMORY
               ? slip_fail_memory(ctx)
               : slip_fail(
                     ctx, SLIP_ERROR_MODEL,
                     "energy: the equations that follow have more operations than an expression may have");
}

static int lagrangian(const slip_energy *energy, slip_expression **result)
{
    slip_expression_error error;
    return energy->potential ? slip_expression_subtract(energy->kinetic, energy->potential, result)
                             : slip_expression_bind(energy->kinetic, 0, 0, NULL, result, &error);
}

/* *from becomes *from - other, which is let go of. */
static int take_away(slip_expression **from, slip_expression *other)
{
    slip_expression *difference = NULL;
    const int status = slip_expression_subtract(*from, other, &difference);
    slip_expression_destroy(other);
    if (status < 0)
        return status;
    slip_expression_destroy(*from);
    *from = difference;
    return SLIP_OK;
}

/* Force and row of the mass matrix of coordinate i. */
static int derive_coordinate(derivation *d, int i)
{
    const slip_energy *energy = d->system->energy;
    const int n = d->system->n;
    slip_expression *momentum = NULL, *part = NULL;
    int status = SLIP_OK;
    SLIP_TRY(slip_expression_derivative(d->lagrangian, slip_slot_velocity(n, i), &momentum));
    SLIP_TRY(slip_expression_derivative(d->lagrangian, slip_slot_coordinate(i), &d->forces[i]));
    SLIP_TRY(slip_expression_rate(momentum, d->rate, 1 + 2 * n, &part));
    SLIP_TRY(take_away(&d->forces[i], part));
    if (energy->dissipation) {
        SLIP_TRY(slip_expression_derivative(energy->dissipation, slip_slot_velocity(n, i), &part));
        SLIP_TRY(take_away(&d->forces[i], part));
    }
    for (int j = i; j < d->moving; j++)
        SLIP_TRY(slip_expression_derivative(momentum, slip_slot_velocity(n, j), &d->masses[i * n + j]));
done:
    slip_expression_destroy(momentum);
    return status;
}

/* The equations are linear with constant coefficients, but for loads that are functions of time. */
static bool is_linear(const derivation *d)
{
    const int n = d->system->n;
    bool linear = true;
    for (int i = 0; i < d->moving && linear; i++) {
        linear = slip_expression_dependence(d->forces[i], slip_moving_slots(n)) <= SLIP_LINEAR_CONSTANT;
        for (int j = i; j < d->moving; j++)
            linear = linear && slip_expression_is_constant(d->masses[i * n + j], NULL);
    }
    return linear;
}

/* Numbers go to the mass matrix, the rest is kept. */
static int keep_masses(derivation *d)
{
    slip_system *system = d->system;
    slip_energy *energy = system->energy;
    const int n = system->n;
    for (int i = 0; i < d->moving; i++)
        for (int j = i; j < d->moving; j++) {
            slip_expression **entry = &d->masses[i * n + j];
            double value;
            if (slip_expression_is_constant(*entry, &value)) {
                system->mass[i * n + j] += value;
                system->mass[j * n + i] = system->mass[i * n + j];
                continue;
            }
            if (!SLIP_ROOM(energy->mass, energy->mass_capacity, energy->mass_count + 1))
                return SLIP_ERROR_MEMORY;
            energy->mass[energy->mass_count++] = (slip_mass_term){i, j, *entry};
            *entry = NULL;
        }
    return SLIP_OK;
}

/* The coefficients of forces that are linear go to the matrices; what is left are functions of time. */
static int keep_linear(derivation *d)
{
    slip_system *system = d->system;
    const int n = system->n;
    int status = SLIP_OK;
    for (int i = 0; i < d->moving && status == SLIP_OK; i++) {
        slip_expression *rest = NULL;
        double *slots = d->gradient + 1 + 2 * n;
        memset(slots, 0, (1 + 2 * (size_t)n) * sizeof(double));
        slip_expression_gradient(d->forces[i], slots, 1 + 2 * n, d->gradient, d->scratch);
        for (int j = 0; j < n; j++) {
            system->stiffness[i * n + j] -= d->gradient[slip_slot_coordinate(j)];
            system->damping[i * n + j] -= d->gradient[slip_slot_velocity(n, j)];
        }
        status = slip_expression_restrict(d->forces[i], slip_moving_slots(n), &rest);
        const int64_t before = system->force_count;
        if (status == SLIP_OK)
            status = slip_system_add_force(d->ctx, system, i, rest);
        if (system->force_count > before)
            system->forces[before].structural = true;
    }
    return status;
}

static int keep_forces(derivation *d)
{
    int status = SLIP_OK;
    for (int i = 0; i < d->moving && status == SLIP_OK; i++) {
        const int64_t before = d->system->force_count;
        status = slip_system_add_force(d->ctx, d->system, i, d->forces[i]);
        d->forces[i] = NULL;
        if (d->system->force_count > before) {
            d->system->forces[before].structural = true;
            d->system->forces[before].time_only = false; /* so that it is not among the loads of time */
        }
    }
    return status;
}

static void free_derivation(derivation *d)
{
    const int n = d->system->n;
    for (int i = 0; d->forces && i < n; i++)
        slip_expression_destroy(d->forces[i]);
    for (int i = 0; d->masses && i < n * n; i++)
        slip_expression_destroy(d->masses[i]);
    slip_expression_destroy(d->lagrangian);
    free(d->forces);
    free(d->masses);
    free(d->rate);
    free(d->gradient);
    free(d->scratch);
}

/* Everything that is derived, and scratch memory for it. */
static int derive_all(derivation *d)
{
    const int n = d->system->n, slots = 1 + 2 * n;
    int most = 1;
    d->rate = slip_alloc(slots, sizeof *d->rate);
    d->forces = slip_alloc(n, sizeof *d->forces);
    d->masses = slip_alloc((int64_t)n * n, sizeof *d->masses);
    d->gradient = slip_alloc(2 * (int64_t)slots, sizeof *d->gradient);
    if (!d->rate || !d->forces || !d->masses || !d->gradient)
        return SLIP_ERROR_MEMORY;
    d->rate[slip_slot_time()] = SLIP_RATE_ONE;
    for (int i = 0; i < n; i++) {
        d->rate[slip_slot_coordinate(i)] = slip_slot_velocity(n, i);
        d->rate[slip_slot_velocity(n, i)] = SLIP_RATE_ZERO;
    }
    SLIP_PASS(lagrangian(d->system->energy, &d->lagrangian));
    for (int i = 0; i < d->moving; i++)
        SLIP_PASS(derive_coordinate(d, i));
    for (int i = 0; i < d->moving; i++)
        most = slip_expression_scratch(d->forces[i]) > most ? slip_expression_scratch(d->forces[i]) : most;
    d->scratch = slip_alloc(most, sizeof *d->scratch);
    return d->scratch ? SLIP_OK : SLIP_ERROR_MEMORY;
}

static void note_scratch(slip_system *system)
{
    const slip_energy *energy = system->energy;
    slip_system_note(system, energy->kinetic);
    slip_system_note(system, energy->potential);
    slip_system_note(system, energy->dissipation);
    for (int64_t k = 0; k < energy->mass_count; k++)
        slip_system_note(system, energy->mass[k].expression);
}

/* A structure whose equations are linear with constant coefficients, but for loads of time, becomes one of
 * matrices. */
int slip_energy_derive(slip_context *ctx, slip_system *system)
{
    derivation d = {.ctx = ctx, .system = system, .moving = slip_system_coordinates(system)};
    bool linear = false;
    int status = SLIP_OK;
    SLIP_TRY(derive_all(&d));
    linear = is_linear(&d);
    SLIP_TRY(keep_masses(&d));
    SLIP_TRY(linear ? keep_linear(&d) : keep_forces(&d));
    if (linear) {
        slip_energy_destroy(system);
        system->structure = &slip_structure_linear;
    } else {
        note_scratch(system);
        system->varying_mass = system->energy->mass_count > 0;
    }
done:
    free_derivation(&d);
    return status < 0 ? failed(ctx, status) : status;
}
