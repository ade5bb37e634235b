#include "system/structure/energy.h"

#include "math/dense.h"
#include "math/vector.h"
#include "system/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void destroy(slip_system *system)
{
    SLIP_FREED slip_energy *energy = system->energy;
    if (!energy)
        return;
    system->energy = NULL;
    slip_expression_destroy(energy->kinetic);
    slip_expression_destroy(energy->potential);
    slip_expression_destroy(energy->dissipation);
    for (int64_t k = 0; k < energy->mass_count; k++)
        slip_expression_destroy(energy->mass[k].expression);
    free(energy->mass);
}

/* The derivation of the equations: expressions of one coordinate. */
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
    slip_expression *part = NULL;
    SLIP_FREED_BY(slip_expression_drop) slip_expression *momentum = NULL;
    SLIP_PASS(slip_expression_derivative(d->lagrangian, slip_slot_velocity(n, i), &momentum));
    SLIP_PASS(slip_expression_derivative(d->lagrangian, slip_slot_coordinate(i), &d->forces[i]));
    SLIP_PASS(slip_expression_rate(momentum, d->rate, 1 + 2 * n, &part));
    SLIP_PASS(take_away(&d->forces[i], part));
    if (energy->dissipation) {
        SLIP_PASS(slip_expression_derivative(energy->dissipation, slip_slot_velocity(n, i), &part));
        SLIP_PASS(take_away(&d->forces[i], part));
    }
    for (int j = i; j < d->moving; j++)
        SLIP_PASS(slip_expression_derivative(momentum, slip_slot_velocity(n, j), &d->masses[i * n + j]));
    return SLIP_OK;
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

/* Stores constant entries in the mass matrix, and all others as expressions. */
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

/* Moves the coefficients of linear forces to the matrices; functions of time remain. */
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
            d->system->forces[before].time_only = false; /* so it does not count as a load of time */
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
        most = slip_expression_most_scratch(most, d->forces[i]);
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

/* A structure whose equations are linear with constant coefficients, and loads of time, becomes a linear one.
 */
static int derive(slip_context *ctx, slip_system *system)
{
    derivation d = {.ctx = ctx, .system = system, .moving = slip_system_coordinates(system)};
    bool linear = false;
    int status = SLIP_OK;
    SLIP_TRY(derive_all(&d));
    linear = is_linear(&d);
    SLIP_TRY(keep_masses(&d));
    SLIP_TRY(linear ? keep_linear(&d) : keep_forces(&d));
    if (linear) {
        destroy(system);
        system->structure = &slip_structure_linear;
    } else {
        note_scratch(system);
        system->varying_mass = system->energy->mass_count > 0;
    }
done:
    free_derivation(&d);
    return status < 0 ? failed(ctx, status) : status;
}

int slip_system_set_energy(slip_context *ctx, slip_system *system, slip_expression *kinetic,
                           slip_expression *potential, slip_expression *dissipation)
{
    slip_energy *energy = calloc(1, sizeof *energy);
    if (!energy) {
        slip_expression_destroy(kinetic);
        slip_expression_destroy(potential);
        slip_expression_destroy(dissipation);
        return slip_fail_memory(ctx);
    }
    destroy(system);
    system->structure = &slip_structure_energy;
    *energy = (slip_energy){.kinetic = kinetic, .potential = potential, .dissipation = dissipation};
    system->energy = energy;
    return SLIP_OK;
}

/* ---- What can be used. */

/* The first velocity of number `first` to before `end` that the expression reads, or -1. */
static int reads_velocity(const slip_system *system, const slip_expression *expression, int first, int end)
{
    for (int i = first; i < end; i++)
        if (slip_expression_reads(expression, slip_slot_velocity(system->n, i)))
            return i;
    return -1;
}

/* A coordinate whose momentum is not linear in the velocities, or -1; -2 where the derivative is too long, or
 * SLIP_ERROR_MEMORY. */
static int not_quadratic(const slip_system *system, const slip_expression *kinetic)
{
    int found = -1;
    for (int i = 0; i < slip_system_coordinates(system) && found == -1; i++) {
        slip_expression *momentum = NULL;
        const int status = slip_expression_derivative(kinetic, slip_slot_velocity(system->n, i), &momentum);
        if (status < 0)
            found = status == SLIP_ERROR_MEMORY ? status : -2;
        else if (slip_expression_dependence(momentum, slip_velocity_slots(system->n, system->n)) ==
                 SLIP_NONLINEAR)
            found = i;
        slip_expression_destroy(momentum);
    }
    return found;
}

int slip_energy_unusable(const slip_system *system, const slip_expression *const energies[3], char *message,
                         size_t size)
{
    const int moving = slip_system_coordinates(system), i = not_quadratic(system, energies[0]);
    const int j = energies[1] ? reads_velocity(system, energies[1], 0, moving) : -1;
    const int state = reads_velocity(system, energies[0], moving, system->n);
    if (state >= 0) {
        snprintf(message, size,
                 "reads the state `%s`, expected an expression of coordinates, velocities and t",
                 system->names[state]);
        return 0;
    }
    if (i == SLIP_ERROR_MEMORY)
        return i;
    if (i == -2)
        snprintf(message, size,
                 "is too long: its derivatives have more operations than an expression may have");
    else if (i >= 0)
        snprintf(message, size,
                 "is not quadratic in the velocities: its derivative with respect to `%s'` is not linear in "
                 "them; expected for example `m*(x'^2 + y'^2)/2`",
                 system->names[i]);
    if (i != -1)
        return 0;
    if (j >= 0)
        snprintf(message, size,
                 "reads `%s'`, expected an expression of coordinates and t (what depends on velocities is "
                 "kinetic energy, dissipation or a force)",
                 system->names[j]);
    return j >= 0 ? 1 : -1;
}

/* ---- Evaluating. */

static void place(const slip_system *system, slip_workspace *work, double t, const double *q)
{
    const slip_energy *energy = system->energy;
    const int n = system->n;
    double *mass = work->mass, *inverse = work->own_inverse, *structure = work->own_structure;
    work->placed_at = work->slots[slip_slot_time()] = t;
    for (int i = 0; i < n; i++)
        work->placed[i] = work->slots[slip_slot_coordinate(i)] = q[i];
    memcpy(mass, system->mass, (size_t)n * (size_t)n * sizeof(double));
    for (int64_t k = 0; k < energy->mass_count; k++) {
        const slip_mass_term *term = &energy->mass[k];
        mass[term->i * n + term->j] += slip_expression_value(term->expression, work->slots, work->scratch);
        mass[term->j * n + term->i] = mass[term->i * n + term->j];
    }
    memcpy(inverse, mass, (size_t)n * (size_t)n * sizeof(double));
    if (n == 1)
        inverse[0] = mass[0] > 0 ? 1 / mass[0] : NAN;
    else if (!slip_dense_invert_spd(n, inverse))
        for (int i = 0; i < n * n; i++)
            inverse[i] = NAN; /* makes the acceleration NAN, which ends the run */
    if (!system->linear_part)
        return;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double of_q = 0, of_v = 0;
            for (int k = 0; k < n; k++) {
                of_q += inverse[i * n + k] * system->stiffness[k * n + j];
                of_v += inverse[i * n + k] * system->damping[k * n + j];
            }
            structure[i * 2 * n + j] = of_q;
            structure[i * 2 * n + n + j] = of_v;
        }
}

static void differentiate(const slip_system *system, slip_workspace *work, double t, const double *q,
                          const double *v, const double *a, double *f_q, double *f_v, double *f_t)
{
    (void)t, (void)q, (void)v, (void)f_v;
    const slip_energy *energy = system->energy;
    const int n = system->n;
    for (int64_t k = 0; k < energy->mass_count; k++) {
        const slip_mass_term *term = &energy->mass[k];
        const double *gradient = work->gradient;
        slip_expression_gradient(term->expression, work->slots, 1 + n, work->gradient, work->scratch);
        for (int side = 0; side < (term->i == term->j ? 1 : 2); side++) {
            const int i = side ? term->j : term->i, j = side ? term->i : term->j;
            f_t[i] -= gradient[0] * a[j];
            for (int l = 0; l < n; l++)
                f_q[i * n + l] -= gradient[slip_slot_coordinate(l)] * a[j];
        }
    }
}

static int blame(slip_context *ctx, const slip_expression *expression, const char *which,
                 slip_workspace *work, double t)
{
    char reason[300];
    if (!expression || isfinite(slip_expression_value(expression, work->slots, work->scratch)))
        return SLIP_OK;
    slip_expression_diagnose(expression, work->slots, work->scratch, reason, sizeof reason);
    return slip_fail(ctx, SLIP_ERROR_SOLVER, "at t = %.9g the %s, `%s`, is not defined: %s", t, which,
                     slip_expression_text(expression), reason);
}

/* The motion that has no mass, or a negative one, as text: "x' = 1, phi' = -0.5". */
static void describe_direction(const slip_system *system, const double *direction, char *text, size_t size)
{
    size_t used = 0;
    double largest = slip_largest(system->n, direction);
    text[0] = 0;
    for (int i = 0; i < system->n && used < size; i++)
        if (fabs(direction[i]) > 1e-9 * largest)
            used += (size_t)snprintf(text + used, size - used, "%s%s' = %.3g", used > 0 ? ", " : "",
                                     system->names[i], direction[i] / largest);
}

/* The direction in which the kinetic energy is least, of the matrix with unit diagonal. */
static int refuse_mass(slip_context *ctx, const slip_system *system, double *mass, double t)
{
    const int n = system->n;
    SLIP_FREED double *scaled = slip_alloc((int64_t)n * n + 2 * (int64_t)n, sizeof *scaled);
    char direction[300] = "";
    SLIP_PASS(slip_allocated(ctx, scaled));
    double *values = scaled + n * n, *scale = values + n;
    for (int i = 0; i < n; i++)
        scale[i] = mass[i * n + i] != 0 ? 1 / sqrt(fabs(mass[i * n + i])) : 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            scaled[i * n + j] = mass[i * n + j] * scale[i] * scale[j];
    if (slip_dense_eigenvectors(n, scaled, values)) {
        for (int i = 0; i < n; i++)
            scaled[i] *= scale[i];
        describe_direction(system, scaled, direction, sizeof direction);
    }
    return slip_fail(
        ctx, SLIP_ERROR_SOLVER,
        "at t = %.9g the mass matrix of the kinetic energy `%s` is not positive definite: the motion "
        "%s has no positive kinetic energy; give every motion a mass, or choose coordinates that "
        "are not singular there",
        t, slip_expression_text(system->energy->kinetic), direction);
}

static int diagnose(slip_context *ctx, const slip_system *system, slip_workspace *work, double t,
                    const double *q)
{
    const slip_energy *energy = system->energy;
    SLIP_PASS(blame(ctx, energy->kinetic, "kinetic energy", work, t));
    SLIP_PASS(blame(ctx, energy->potential, "potential energy", work, t));
    SLIP_PASS(blame(ctx, energy->dissipation, "dissipation", work, t));
    if (!system->varying_mass)
        return SLIP_OK;
    place(system, work, t, q);
    if (isnan(work->inverse_mass[0]))
        return refuse_mass(ctx, system, work->mass, t);
    return SLIP_OK;
}

/* ---- The account. */

static void energies(const slip_system *system, slip_workspace *work, double t, const double *q,
                     const double *v, slip_energies_now *now)
{
    const slip_energy *energy = system->energy;
    const int n = system->n;
    double momentum = 0;
    slip_fill_slots(n, work, t, q, v);
    now->kinetic =
        slip_expression_gradient(energy->kinetic, work->slots, 1 + 2 * n, work->gradient, work->scratch);
    for (int i = 0; i < slip_system_coordinates(system); i++)
        momentum += work->gradient[slip_slot_velocity(n, i)] * v[i];
    now->frame = 2 * now->kinetic - momentum;
    now->potential = system->linear_part ? 0.5 * slip_system_form(n, q, system->stiffness, q) : 0;
    if (energy->potential)
        now->potential += slip_expression_value(energy->potential, work->slots, work->scratch);
}

/* The derivative with respect to time, of an energy that may not be there. */
static double time_slope(const slip_expression *expression, slip_workspace *work)
{
    if (!expression || !slip_expression_reads(expression, slip_slot_time()))
        return 0;
    slip_expression_gradient(expression, work->slots, 1, work->gradient, work->scratch);
    return work->gradient[0];
}

static void powers(const slip_system *system, slip_workspace *work, double t, const double *q,
                   const double *v, double *driven, double *dissipated)
{
    const slip_energy *energy = system->energy;
    const int n = system->n;
    slip_fill_slots(n, work, t, q, v);
    *driven = time_slope(energy->potential, work) - time_slope(energy->kinetic, work);
    *dissipated = 0;
    if (!energy->dissipation)
        return;
    slip_expression_gradient(energy->dissipation, work->slots, 1 + 2 * n, work->gradient, work->scratch);
    for (int i = 0; i < slip_system_coordinates(system); i++)
        *dissipated += work->gradient[slip_slot_velocity(n, i)] * v[i];
}

const slip_structure slip_structure_energy = {.name = "energy",
                                              .derive = derive,
                                              .place = place,
                                              .differentiate = differentiate,
                                              .energies = energies,
                                              .powers = powers,
                                              .diagnose = diagnose,
                                              .destroy = destroy};
