#include "system/structure/energy.h"

#include "math/dense.h"
#include "math/vector.h"
#include "system/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void slip_energy_destroy(slip_system *system)
{
    slip_energy *energy = system->energy;
    if (!energy)
        return;
    system->energy = NULL;
    slip_expression_destroy(energy->kinetic);
    slip_expression_destroy(energy->potential);
    slip_expression_destroy(energy->dissipation);
    for (int64_t k = 0; k < energy->mass_count; k++)
        slip_expression_destroy(energy->mass[k].expression);
    free(energy->mass);
    free(energy);
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
    slip_energy_destroy(system);
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
            inverse[i] = NAN; /* so that the acceleration is not finite, and the run ends there */
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
    double *scaled = slip_alloc((int64_t)n * n + 2 * (int64_t)n, sizeof *scaled);
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
    free(scaled);
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
                                              .derive = slip_energy_derive,
                                              .place = place,
                                              .differentiate = differentiate,
                                              .energies = energies,
                                              .powers = powers,
                                              .diagnose = diagnose,
                                              .destroy = slip_energy_destroy};
