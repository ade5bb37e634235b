#include "method/memory.h"

#include "system/friction/friction.h"

#include <math.h>

static slip_law_response response_of(const slip_memory_step *m)
{
    const ptrdiff_t n = m->system->n;
    return (slip_law_response){.force_z = m->room + n,
                               .rate = m->room + 2 * n,
                               .rate_v = m->room + 3 * n,
                               .rate_z = m->room + 4 * n};
}

static void evaluate(const slip_law_kernel *law, double x, const double *z, slip_law_response *to)
{
    law->type->remember(law, slip_law_piece(law, x), NULL, x, z, to);
}

/* The states z_a for a slip velocity, by Newton's method for each: rates depend on no other state. */
static void solve_states(const slip_memory_step *m, const slip_contact *contact, double x, double *z,
                         slip_law_response *to)
{
    enum { most = 60 };
    const slip_law_kernel *law = slip_contact_law(m->system, m->work, (int)(contact - m->system->contacts));
    const double part = m->part * m->h, *z0 = m->before + contact->state;
    double change = INFINITY;
    for (int k = 0; k < contact->state_count; k++)
        z[k] = z0[k];
    for (int turn = 0; turn < most && change > 0; turn++) {
        change = 0;
        evaluate(law, x, z, to);
        for (int k = 0; k < contact->state_count; k++) {
            double low = -INFINITY, high = INFINITY;
            if (law->type->state_range)
                law->type->state_range(law, k, &low, &high);
            const double step = (z[k] - z0[k] - part * to->rate[k]) / (1 - part * to->rate_z[k]);
            double next = z[k] - step;
            next = next < low ? 0.5 * (z[k] + low) : next > high ? 0.5 * (z[k] + high) : next;
            if (fabs(next - z[k]) > 1e-15 * (fabs(z[k]) + fabs(z0[k])))
                change = 1;
            z[k] = next;
        }
    }
    evaluate(law, x, z, to);
    for (int k = 0; k < contact->state_count; k++) /* now dz_a/dx */
        to->rate_v[k] *= part / (1 - part * to->rate_z[k]);
}

void slip_memory_note_limits(const slip_memory_step *m, double t, const double *q)
{
    slip_system_tune(m->system, m->work, t, q, m->before);
    for (int64_t k = 0; k < m->system->slider_count; k++)
        m->limits[k] = slip_system_slider_limit(m->system, m->work, &m->system->sliders[k], NULL);
}

/* The limit of slider k at the end of the step, with the laws tuned where they hold. */
static double limit_at_end(const slip_memory_step *m, int k)
{
    const double limit = slip_system_slider_limit(m->system, m->work, &m->system->sliders[k], NULL);
    if (!m->limits || !isfinite(limit))
        return limit;
    return m->limits[m->system->slider_count + k] = fmax(m->limits[k] + (limit - m->limits[k]) / m->tuned, 0);
}

/* The same for sliders. */
static void return_sliders(const slip_memory_step *m, const slip_contact *contact, double x, double *z,
                           slip_law_response *to)
{
    const double a = m->part, *z0 = m->before + contact->state;
    evaluate(slip_contact_law(m->system, m->work, (int)(contact - m->system->contacts)), x, z0, to);
    for (int k = 0; k < contact->state_count; k++) {
        const double limit = limit_at_end(m, contact->slider + k), trial = z0[k] + m->h * x;
        const bool slips = fabs(trial) >= limit;
        z[k] = a * (slips ? copysign(limit, trial) : trial) + (1 - a) * z0[k];
        to->rate_v[k] = slips ? 0 : a * m->h;
    }
    to->force = 0;
    for (int k = 0; k < contact->state_count; k++)
        to->force += to->force_z[k] * z[k];
}

static void find_states(const slip_memory_step *m, const slip_contact *contact, double x,
                        slip_law_response *to)
{
    *to = response_of(m);
    if (contact->law.type->sliders)
        return_sliders(m, contact, x, m->room, to);
    else
        solve_states(m, contact, x, m->room, to);
}

/* At the end of the step, where the force is wanted there: z_1, and dz_1/dx. Returns the slip velocity. */
static double go_to_end(const slip_memory_step *m, const slip_contact *contact, double x,
                        slip_law_response *to)
{
    const double a = m->part, *z0 = m->before + contact->state, ahead = x + m->lead * (x - m->past[0]);
    slip_law_response end = *to;
    end.rate_v = m->room + 5 * (ptrdiff_t)m->system->n;
    for (int k = 0; k < contact->state_count; k++) {
        m->room[k] = (m->room[k] - (1 - a) * z0[k]) / a;
        to->rate_v[k] /= a;
    }
    evaluate(slip_contact_law(m->system, m->work, (int)(contact - m->system->contacts)), ahead, m->room,
             &end);
    to->force = end.force;
    to->slope = end.slope;
    return ahead;
}

void slip_memory_force(const slip_memory_step *m, int c, double x, double *force, double *slope)
{
    const slip_contact *contact = &m->system->contacts[c];
    const slip_law_kernel *law = slip_contact_law(m->system, m->work, c);
    slip_law_response to;
    double at = x;
    if (contact->state_count == 0) {
        slip_law_force(law, slip_law_piece(law, x), x, force, slope);
        return;
    }
    find_states(m, contact, x, &to);
    if (m->at_end)
        at = go_to_end(m, contact, x, &to);
    *force = to.force + law->law.viscous * at;
    *slope = (to.slope + law->law.viscous) * (1 + m->lead);
    for (int k = 0; k < contact->state_count; k++)
        *slope += to.force_z[k] * to.rate_v[k];
}

void slip_memory_set(const slip_memory_step *m, int c, double x, double *v)
{
    const slip_contact *contact = &m->system->contacts[c];
    const double a = m->part, *z0 = m->before + contact->state;
    slip_law_response to;
    find_states(m, contact, x, &to);
    for (int k = 0; k < contact->state_count; k++)
        v[contact->state + k] = (m->room[k] - (1 - a) * z0[k]) / a;
}

/* ---- In the plane: x and z are vectors, and the law holds at a of the step. */

/* A slider under a slip velocity x that is constant over the step, in closed form. With e = x/|x| and its
 * normal, z = r (cos p e + sin p e_n) on the circle of the limit r: the part q = sin p across the slip is
 * that of z_0 as long as the slider sticks, and from the circle on it turns towards the slip by p' = -|x|/r
 * sin p,
 *
 *     tan(p_1/2) = tan(p_0/2) exp(-k),   k = (h |x| + e . z_0)/r - cos p_0,
 *
 * where r k is the way that is left there. */
static void turn_on_circle(double r, double h, const double x[2], const double z0[2], double z1[2],
                           double of_x[4])
{
    const double size = hypot(x[0], x[1]), e[2] = {x[0] / size, x[1] / size}, normal[2] = {-e[1], e[0]};
    const double ahead = (e[0] * z0[0] + e[1] * z0[1]) / r;
    const double q = fmax(-1, fmin(1, (normal[0] * z0[0] + normal[1] * z0[1]) / r)),
                 c = sqrt((1 - q) * (1 + q)), k = h * size / r + ahead - c;
    const double half = q / (1 + c), decay = exp(-k), turned = half * decay, all = 1 + turned * turned,
                 sine = 2 * turned / all, cosine = (1 - turned * turned) / all;
    /* by |x|, and by the angle of x, which turns e too; sine/q without the division */
    const double ratio = decay * (1 + half * half) / all, angle_0 = -ahead / fmax(c, 1e-8),
                 by_angle = 1 + ratio * angle_0 - sine * q * (1 + angle_0);
    for (int i = 0; i < 2; i++) {
        z1[i] = r * (cosine * e[i] + sine * normal[i]);
        const double across = cosine * normal[i] - sine * e[i];
        for (int j = 0; j < 2; j++)
            of_x[2 * i + j] = across * (r * by_angle * normal[j] / size - h * sine * e[j]);
    }
}

static void return_plane(const slip_memory_step *m, const slip_contact *contact, const double x[2],
                         double z[2], double of_x[4])
{
    const double a = m->part, limit = limit_at_end(m, contact->slider), h = m->h,
                 *z0 = m->before + contact->state, size = hypot(z0[0], z0[1]),
                 kept = size > limit ? limit / size : 1;
    const double from[2] = {kept * z0[0], kept * z0[1]};
    double z1[2] = {z0[0] + h * x[0], z0[1] + h * x[1]};
    const double reach = hypot(z1[0], z1[1]);
    if (reach > limit && hypot(x[0], x[1]) > 0 && hypot(from[0] + h * x[0], from[1] + h * x[1]) > limit) {
        turn_on_circle(limit, h, x, from, z1, of_x);
    } else {
        const double part = reach > limit ? limit / reach : 1; /* a limit that falls takes it along */
        for (int i = 0; i < 4; i++)
            of_x[i] = h * part * ((i % 3 == 0) - (part < 1 ? z1[i / 2] * z1[i % 2] / (reach * reach) : 0));
        z1[0] *= part;
        z1[1] *= part;
    }
    for (int i = 0; i < 4; i++)
        of_x[i] *= a;
    for (int i = 0; i < 2; i++)
        z[i] = a * z1[i] + (1 - a) * z0[i];
}

/* matrix^-1 right, 2 x 2 each, in the place of `right`, which has `count` columns. */
static void divide(const double matrix[4], int count, double *right)
{
    const double determinant = matrix[0] * matrix[3] - matrix[1] * matrix[2];
    for (int j = 0; j < count; j++) {
        const double top = right[j], bottom = right[count + j];
        right[j] = (matrix[3] * top - matrix[1] * bottom) / determinant;
        right[count + j] = (matrix[0] * bottom - matrix[2] * top) / determinant;
    }
}

/* z = z_0 + a h g(x, z) by Newton's method, and dz/dx. */
static void solve_plane(const slip_memory_step *m, const slip_contact *contact, const slip_law_kernel *law,
                        const double x[2], double z[2], double of_x[4])
{
    enum { most = 60 };
    const double part = m->part * m->h, *z0 = m->before + contact->state;
    double change = INFINITY, matrix[4];
    slip_law_plane to;
    z[0] = z0[0];
    z[1] = z0[1];
    for (int turn = 0; turn < most && change > 1e-15; turn++) {
        double step[2];
        law->type->remember_plane(law, NULL, x, z, &to);
        for (int i = 0; i < 2; i++)
            step[i] = z[i] - z0[i] - part * to.rate[i];
        for (int i = 0; i < 4; i++)
            matrix[i] = (i % 3 == 0) - part * to.rate_z[i];
        divide(matrix, 1, step);
        z[0] -= step[0];
        z[1] -= step[1];
        change = hypot(step[0], step[1]) / (hypot(z[0], z[1]) + hypot(z0[0], z0[1]) + 1e-300);
    }
    law->type->remember_plane(law, NULL, x, z, &to);
    for (int i = 0; i < 4; i++) {
        matrix[i] = (i % 3 == 0) - part * to.rate_z[i];
        of_x[i] = part * to.rate_v[i];
    }
    divide(matrix, 2, of_x);
}

static void find_plane(const slip_memory_step *m, int c, const double x[2], double z[2], double of_x[4])
{
    const slip_contact *contact = &m->system->contacts[c];
    if (contact->slider_count > 0)
        return_plane(m, contact, x, z, of_x);
    else
        solve_plane(m, contact, slip_contact_law(m->system, m->work, c), x, z, of_x);
}

void slip_memory_plane_force(const slip_memory_step *m, int c, const double x[2], double T[3], double D[9])
{
    const slip_law_kernel *law = slip_contact_law(m->system, m->work, c);
    const double a = m->part, *z0 = m->before + m->system->contacts[c].state;
    slip_law_plane to;
    double z[2], of_x[4], at[2] = {x[0], x[1]};
    find_plane(m, c, x, z, of_x);
    for (int i = 0; i < 4 && m->at_end; i++)
        of_x[i] /= a;
    for (int i = 0; i < 2 && m->at_end; i++) {
        z[i] = (z[i] - (1 - a) * z0[i]) / a;
        at[i] += m->lead * (x[i] - m->past[i]);
    }
    law->type->remember_plane(law, NULL, at, z, &to);
    T[2] = 0;
    for (int i = 0; i < 9; i++)
        D[i] = 0;
    for (int i = 0; i < 2; i++) {
        T[i] = to.force[i] + law->law.viscous * at[i];
        for (int j = 0; j < 2; j++)
            D[3 * i + j] = (to.force_v[2 * i + j] + (i == j ? law->law.viscous : 0)) * (1 + m->lead) +
                           to.force_z[2 * i] * of_x[j] + to.force_z[2 * i + 1] * of_x[2 + j];
    }
}

void slip_memory_set_plane(const slip_memory_step *m, int c, const double x[2], double *v)
{
    const slip_contact *contact = &m->system->contacts[c];
    const double a = m->part;
    double z[2], of_x[4];
    find_plane(m, c, x, z, of_x);
    for (int i = 0; i < 2; i++)
        v[contact->state + i] = (z[i] - (1 - a) * m->before[contact->state + i]) / a;
}

slip_mode slip_memory_slider_mode(const slip_memory_step *m, int c, double slip, const double *v)
{
    const slip_contact *contact = &m->system->contacts[c];
    int all = 0, slipping = 0;
    for (int k = 0; k < contact->slider_count; k++) {
        const double *z = v + contact->state + k,
                     limit = m->limits ? m->limits[m->system->slider_count + contact->slider + k]
                                       : m->system->sliders[contact->slider + k].limit;
        all += isfinite(limit);
        slipping += m->system->sliders[contact->slider + k].plane
                        ? hypot(z[0], z[1]) >= limit * (1 - 1e-12)
                        : fabs(*z) >= limit * (1 - 1e-12) && *z * slip > 0;
    }
    return slipping == 0    ? SLIP_MODE_STICK
           : slipping < all ? SLIP_MODE_SLIP
                            : contact->friction->sliding(slip);
}
