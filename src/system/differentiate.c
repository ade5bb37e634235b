/* Derivatives of the forces and of the acceleration. */
#include "system/evaluate.h"
#include "system/friction/friction.h"
#include "system/structure/structure.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* y += factor * matrix x */
static void add_product(int n, double factor, const double *matrix, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            y[i] += factor * matrix[i * n + j] * x[j];
}

/* ---- Derivatives. Forces first: f_q and f_v (n x n), f_t (n) are summed up, then divided by the mass. */

/* Derivatives of the user's force function: its own where it has them, else forward differences. */
static bool differentiate_function(const slip_system *system, slip_workspace *work, double t, const double *q,
                                   const double *v, slip_force_derivatives *to)
{
    int n = system->n;
    double *base = work->matrix + 2 * n * n, *moved = base + n, *point = moved + n;
    double scale = sqrt(DBL_EPSILON);
    int known = system->force_function(system->force_user, t, q, v, base, to->f_q, to->f_v);
    for (int i = 0; i < n; i++)
        to->f_t[i] = 0;
    if (known < 0)
        return false;
    for (int which = known ? 2 : 0; which < 2; which++) {
        const double *centre = which == 0 ? q : v;
        double *into = which == 0 ? to->f_q : to->f_v;
        for (int j = 0; j < n; j++) {
            double step = scale * fmax(1, fabs(centre[j]));
            memcpy(point, centre, (size_t)n * sizeof(double));
            point[j] += step;
            step = point[j] - centre[j];
            if (system->force_function(system->force_user, t, which == 0 ? point : q, which == 0 ? v : point,
                                       moved, NULL, NULL) < 0)
                return false;
            for (int i = 0; i < n; i++)
                into[i * n + j] = (moved[i] - base[i]) / step;
        }
    }
    double step = scale * fmax(1, fabs(t));
    if (system->force_function(system->force_user, t + step, q, v, moved, NULL, NULL) < 0)
        return false;
    for (int i = 0; i < n; i++)
        to->f_t[i] = (moved[i] - base[i]) / step;
    return true;
}

static void divide_by_mass(int n, const double *inverse_mass, const double *forces, const double *structure,
                           double *result)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = -structure[i * 2 * n + j];
            for (int k = 0; k < n; k++)
                sum += inverse_mass[i * n + k] * forces[k * n + j];
            result[i * n + j] = sum;
        }
}

/* M^-1 times a matrix by a structure without inverse, column by column; room: 2 n numbers. */
static void divide_columns(const slip_system *system, slip_workspace *work, const double *forces,
                           const double *structure, double *room, double *result)
{
    const int64_t n = system->n;
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < n; i++)
            room[i] = forces[i * n + j] - structure[i * n + j];
        slip_system_divide(system, work, room, room + n);
        for (int64_t i = 0; i < n; i++)
            result[i * n + j] = room[n + i];
    }
}

void slip_system_add_turning(const slip_system *system, slip_workspace *work,
                             const slip_expression *expression, int first, double force, double *f_q,
                             double *f_t)
{
    const int n = system->n, slots = 1 + 2 * n;
    double *product = work->gradient + slots;
    for (int k = f_t ? -1 : 0; k < n && force != 0; k++) {
        memset(work->along, 0, (size_t)slots * sizeof(double));
        work->along[k < 0 ? slip_slot_time() : slip_slot_coordinate(k)] = 1;
        slip_expression_second(expression, work->slots, slots, work->along, work->gradient, product,
                               work->scratch);
        for (int i = 0; i < slip_system_coordinates(system); i++)
            *(k < 0 ? &f_t[i] : &f_q[i * n + k]) += force * product[first + i];
    }
}

/* Adds derivatives by the direction of friction, where it depends on t and q. */
static void turn_friction(const slip_system *system, slip_workspace *work, const slip_force_derivatives *to)
{
    for (int64_t c = 0; c < system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        for (int part = 0; part < contact->dimension; part++)
            if (!contact->slips[part].row)
                slip_system_add_turning(
                    system, work, contact->slips[part].rest, slip_slot_velocity(system->n, 0),
                    contact->friction->forces(contact, &work->contacts[c], work->patches)[part], to->f_q,
                    to->f_t);
    }
}

/* a_s of every contact, from the contact states of the last evaluation. */
static void chart_columns(const slip_system *system, slip_workspace *work, double *a_s)
{
    int n = system->n;
    for (int64_t c = 0; c < system->contact_count; c++) {
        const slip_slip_form *form = &system->contacts[c].slip;
        double slope = work->contacts[c].chart_slope;
        const double *row = form->row;
        memset(a_s + c * n, 0, (size_t)n * sizeof(double));
        if (slope == 0)
            continue;
        if (!row) {
            slip_form_velocity(n, work, form, work->slots + slip_slot_velocity(n, 0));
            row = work->gradient + slip_slot_velocity(n, 0);
        }
        slip_system_fill(system, work);
        add_product(n, slope, work->inverse_mass, row, a_s + c * n);
    }
}

bool slip_system_differentiate(const slip_system *system, slip_workspace *work, double t, const double *q,
                               const double *v, const double *a)
{
    const int n = system->n;
    slip_force_derivatives to = {work->matrix, work->matrix + n * n, work->matrix + 2 * n * n + 3 * n};
    memset(work->matrix, 0, (size_t)(2 * n * n + 4 * n) * sizeof(double));
    if (system->force_function && !differentiate_function(system, work, t, q, v, &to))
        return false;
    slip_fill_slots(n, work, t, q, v);
    for (int64_t k = 0; k < system->force_count; k++) {
        const slip_force_term *term = &system->forces[k];
        slip_expression_gradient(term->expression, work->slots, 1 + 2 * n, work->gradient, work->scratch);
        for (int i = slip_force_first(term); i < slip_force_end(term, n); i++)
            slip_add_gradient(n, work->gradient, slip_force_part(term, i), i, &to);
    }
    for (int64_t c = 0; c < system->contact_count; c++)
        system->contacts[c].friction->differentiate(system, work, (int)c, &to);
    if (system->structure->differentiate)
        system->structure->differentiate(system, work, t, q, v, a, to.f_q, to.f_v, to.f_t);
    return true;
}

void slip_system_friction_gradient(const slip_system *system, slip_workspace *work, int c, int part,
                                   double *gradient)
{
    const int n = system->n;
    const slip_force_derivatives scratch = {work->matrix, work->matrix + n * n,
                                            work->matrix + 2 * n * n + 3 * n};
    system->contacts[c].friction->gradient(system, work, c, part, &scratch, gradient);
}

bool slip_system_jacobian(const slip_system *system, slip_workspace *work, const slip_branch *branches,
                          double t, const double *q, const double *v, double *a, double *a_q, double *a_v,
                          double *a_t, double *a_s)
{
    int n = system->n;
    slip_force_derivatives to = {work->matrix, work->matrix + n * n, work->matrix + 2 * n * n + 3 * n};
    if (!slip_system_acceleration(system, work, branches, t, q, v, a))
        return false;
    if (a_s)
        chart_columns(system, work, a_s);
    slip_fill_slots(n, work, t, q, v);
    if (branches &&
        system->pressed_patches) { /* friction in proportion to normal forces, which rotates with the slip */
        memcpy(work->matrix, a, (size_t)n * sizeof(double));
        slip_system_constrain(system, work, branches, t, q, v, work->matrix);
        slip_fill_slots(n, work, t, q, v);
    }
    if (!slip_system_differentiate(system, work, t, q, v, a))
        return false;
    turn_friction(system, work, &to);
    double *room = work->matrix + 2 * n * n; /* of which f_t is the last quarter */
    if (a_q && system->structure->divide)
        divide_columns(system, work, to.f_q, system->stiffness, room, a_q);
    else if (a_q)
        divide_by_mass(n, work->inverse_mass, to.f_q, work->mass_structure, a_q);
    if (a_v && system->structure->divide)
        divide_columns(system, work, to.f_v, system->damping, room, a_v);
    else if (a_v)
        divide_by_mass(n, work->inverse_mass, to.f_v, work->mass_structure + n, a_v);
    if (a_t) {
        slip_system_fill(system, work);
        memset(a_t, 0, (size_t)n * sizeof(double));
        add_product(n, 1, work->inverse_mass, to.f_t, a_t);
    }
    return true;
}
