/* Quantities of a state of a balance: margins, contact forces and slips, reference sizes, and the judge. */
#include "statics/balance/balance.h"

#include "contact/plane.h"

#include <math.h>
#include <string.h>

/* ---- Margins. */

bool slip_balance_limit(const slip_balance *b, int c, const double *force, double *ratio, double *direction)
{
    const slip_balance_contact *own = &b->contacts[c];
    return slip_patch_limit_within(NULL, own->surface->law, own->tangent_count, own->basis, force, ratio,
                                   direction) >= 0;
}

typedef struct margins {
    slip_balance *b;
    const slip_mode *modes;
    const double *y;
    int size, count;
    slip_balance_margin *list;
    double *gradients;
} margins;

/* Adds a margin; returns the array for its gradient, or NULL. */
static double *add_margin(margins *m, int contact, double value, bool is_force, slip_mode beyond)
{
    double *to = m->gradients ? m->gradients + (int64_t)m->count * m->size : NULL;
    m->list[m->count++] = (slip_balance_margin){contact, value, is_force, beyond};
    if (to)
        memset(to, 0, sizeof(double) * (size_t)m->size);
    return to;
}

static void margin_of_pressure(margins *m, int c)
{
    const slip_balance_contact *own = &m->b->contacts[c];
    if (own->normal < 0 && !m->b->system->contacts[own->contact].normal_force)
        return;
    double *to = add_margin(m, c, slip_balance_normal(m->b, own, m->y, 0, NULL), true, SLIP_MODE_OPEN);
    if (to)
        slip_balance_normal(m->b, own, m->y, 1, to);
}

/* The force is -ratio T(e). Along the normal n of the limit surface, n^T T'(e) = 0, only the ratio changes: n
 * . dforce = -dratio n . T. If the surface has a potential, n is the slip direction e, which is also used
 * where T' vanishes. */
static void find_normal(const slip_balance *b, const slip_balance_contact *own, const double by[9],
                        double e[3])
{
    const slip_contact *contact = &b->system->contacts[own->contact];
    const int count = own->tangent_count;
    double slope[9] = {0}, largest = 0;
    for (int k = 0; k < count; k++)
        for (int l = 0; l < count; l++)
            for (int part = 0; part < 3; part++)
                slope[3 * k + l] += by[3 * k + part] * own->basis[3 * l + part] / contact->unit[part];
    for (int l = 0; l < count && count == 2; l++) {
        const double n[2] = {slope[3 + l], -slope[l]}, length = hypot(n[0], n[1]);
        if (length <= largest)
            continue;
        largest = length;
        e[0] = n[0];
        e[1] = n[1];
    }
    for (int l = 0; l < 3 && count == 3; l++) {
        const int m = (l + 1) % 3;
        const double n[3] = {slope[3 + l] * slope[6 + m] - slope[6 + l] * slope[3 + m],
                             slope[6 + l] * slope[m] - slope[l] * slope[6 + m],
                             slope[l] * slope[3 + m] - slope[3 + l] * slope[m]};
        const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (length <= largest)
            continue;
        largest = length;
        memcpy(e, n, sizeof n);
    }
}

/* N dmu/dy, of a static coefficient that depends on coordinates and states, by differences. */
static void add_varying(margins *m, int c, double normal, double *to)
{
    slip_balance *b = m->b;
    const slip_balance_contact *own = &b->contacts[c];
    for (int j = 0; j < b->n && b->system->contacts[own->contact].varying_count > 0; j++) {
        const int slot = j < b->coordinates ? slip_slot_coordinate(j) : slip_slot_velocity(b->n, j);
        const double at = b->work->slots[slot], h = 1e-6 * (1 + fabs(at));
        for (int side = -1; side <= 1; side += 2) {
            b->work->slots[slot] = at + side * h;
            slip_system_retune(b->system, b->work);
            to[j] += normal * side * 0.5 / h * slip_balance_static_limit(b, own->contact);
        }
        b->work->slots[slot] = at;
    }
    if (b->system->varying_laws)
        slip_system_retune(b->system, b->work);
}

static void margins_of_stick(margins *m, int c)
{
    slip_balance *b = m->b;
    const slip_balance_contact *own = &b->contacts[c];
    const double mu = slip_balance_static_limit(b, own->contact), *force = m->y + b->n + own->tangent;
    const double normal = slip_balance_normal(b, own, m->y, 0, NULL);
    for (int sign = 1; sign >= -1 && !own->surface; sign -= 2) {
        double *to = add_margin(m, c, mu * normal + sign * force[0], true,
                                sign > 0 ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_SLIP_MINUS);
        if (to) {
            slip_balance_normal(b, own, m->y, mu, to);
            add_varying(m, c, normal, to);
            to[b->n + own->tangent] += sign;
        }
    }
    if (!own->surface)
        return;
    double ratio = INFINITY, e[3] = {0, 0, 0}, slip[3], friction[3], by[9], along = 0;
    if (!slip_balance_limit(b, c, force, &ratio, e))
        ratio = INFINITY;
    double *to = add_margin(m, c, mu * normal - ratio, true, SLIP_MODE_SLIP);
    if (!to)
        return;
    slip_balance_normal(b, own, m->y, mu, to);
    add_varying(m, c, normal, to);
    slip_balance_spread(b, own, e, slip);
    slip_balance_friction(b, own, slip, friction, by);
    find_normal(b, own, by, e);
    for (int k = 0; k < own->tangent_count; k++)
        along += e[k] * friction[k];
    for (int k = 0; k < own->tangent_count && along != 0; k++)
        to[b->n + own->tangent + k] += e[k] / along;
}

static void margin_of_slip(margins *m, int c)
{
    slip_balance *b = m->b;
    const slip_balance_contact *own = &b->contacts[c];
    const double sign = m->modes[c] == SLIP_MODE_SLIP_MINUS ? -1 : 1;
    double d[3], w[3], *to;
    if (own->driven && (!own->may_turn || m->modes[c] == SLIP_MODE_SLIP))
        return;
    if (m->modes[c] == SLIP_MODE_SLIP) {
        const int at = slip_balance_direction_at(b, m->modes, c) + own->tangent_count;
        to = add_margin(m, c, m->y[at], false, SLIP_MODE_STICK);
        if (to)
            to[at] = 1;
        return;
    }
    slip_balance_find_rows(b, own, d, w);
    to = add_margin(m, c, sign * (own->driven ? w[0] : d[0]), false,
                    own->driven ? m->modes[c] : SLIP_MODE_STICK);
    for (int i = 0; i < b->n && to; i++)
        to[i] = sign * (own->driven ? b->at_rest[i] : b->row[i]);
}

int slip_balance_margins(slip_balance *b, const slip_mode *modes, const double *y, slip_balance_margin *list,
                         double *gradients)
{
    margins m = {.b = b,
                 .modes = modes,
                 .y = y,
                 .size = slip_balance_size(b, modes),
                 .list = list,
                 .gradients = gradients};
    slip_balance_place(b, y);
    for (int c = 0; c < b->contact_count; c++) {
        const slip_balance_contact *own = &b->contacts[c];
        if (modes[c] == SLIP_MODE_OPEN) {
            double *to = add_margin(&m, c, slip_system_gap(b->system, b->work, own->contact, b->t, b->q),
                                    false, own->tangent_count > 0 ? SLIP_MODE_STICK : SLIP_MODE_CLOSED);
            if (to)
                memcpy(to, slip_system_gap_row(b->system, b->work, own->contact, b->t, b->q),
                       sizeof(double) * (size_t)b->coordinates);
            continue;
        }
        margin_of_pressure(&m, c);
        if (modes[c] == SLIP_MODE_STICK)
            margins_of_stick(&m, c);
        else if (own->tangent_count > 0)
            margin_of_slip(&m, c);
    }
    return m.count;
}

/* ---- Looking. */

void slip_balance_read_contact(slip_balance *b, const double *y, int c, slip_balance_reading *reading)
{
    const slip_balance_contact *own = &b->contacts[c];
    const slip_contact *contact = &b->system->contacts[own->contact];
    double d[3] = {0, 0, 0}, w[3] = {0, 0, 0};
    *reading = (slip_balance_reading){.gap = 0};
    slip_balance_place(b, y);
    reading->normal = slip_balance_normal(b, own, y, 0, NULL);
    if (own->normal >= 0)
        reading->gap = slip_system_gap(b->system, b->work, own->contact, b->t, b->q);
    slip_balance_find_rows(b, own, d, w);
    if (own->driven)
        memcpy(reading->slip, w, sizeof w);
    for (int part = 0; part < contact->dimension; part++)
        for (int k = 0; k < own->tangent_count; k++) {
            const double unit = contact->unit[part];
            reading->force[part] += own->basis[3 * k + part] * unit * y[b->n + own->tangent + k];
            if (!own->driven)
                reading->slip[part] += own->basis[3 * k + part] / unit * d[k];
        }
}

/* The sizes of the terms of the rates of a law's states. */
static void size_of_states(slip_balance *b, const slip_contact *contact, double slip, double *sizes)
{
    slip_contact_state state = {.slip = slip, .normal = 1};
    if (contact->state_count == 0)
        return;
    slip_balance_law_rates(b, contact, &state, b->sum);
    for (int k = 0; k < contact->state_count; k++) {
        const int at = contact->state + k;
        double of_force, of_slip, of_state;
        slip_system_remember_gradients(b->system, b->work, contact, &state, k, &of_force, &of_slip,
                                       &of_state);
        sizes[at] = contact->law.type->sliders ? fabs(b->v[at])
                                               : fmax(fabs(of_slip * slip), fabs(of_state * b->v[at]));
    }
}

slip_balance_scale slip_balance_scale_of(slip_balance *b, const double *y, double *forces)
{
    const int n = b->n;
    slip_balance_scale scale = {0, 0};
    slip_balance_place(b, y);
    if (!slip_balance_loads(b, forces))
        return (slip_balance_scale){INFINITY, INFINITY};
    for (int i = 0; i < n; i++) {
        forces[i] = fabs(forces[i]);
        for (int j = 0; j < b->coordinates; j++)
            forces[i] = fmax(forces[i], fabs(b->system->stiffness[i * n + j] * b->q[j]));
    }
    for (int64_t k = 0; k < b->system->force_count; k++) { /* the parts of a sum that cancels */
        const slip_force_term *term = &b->system->forces[k];
        const double size = slip_expression_size(term->expression, b->work->slots, b->work->scratch);
        for (int i = slip_force_first(term); i < slip_force_end(term, n); i++)
            forces[i] = fmax(forces[i], fabs(slip_force_part(term, i)) * size);
    }
    for (int c = 0; c < b->contact_count; c++) {
        const slip_balance_contact *own = &b->contacts[c];
        double d[3], w[3] = {0, 0, 0};
        slip_balance_find_rows(b, own, d, w);
        size_of_states(b, &b->system->contacts[own->contact], w[0], forces);
        scale.force = fmax(scale.force, fabs(slip_balance_normal(b, own, y, 0, NULL)));
        for (int k = -1; k < own->tangent_count; k++) {
            if (k < 0 && own->normal < 0)
                continue;
            const double *row = k < 0 ? slip_system_gap_row(b->system, b->work, own->contact, b->t, b->q)
                                      : b->row + (int64_t)k * n;
            const double lambda = y[n + (k < 0 ? own->normal : own->tangent + k)];
            scale.displacement =
                fmax(scale.displacement,
                     fabs(k < 0 ? slip_system_gap(b->system, b->work, own->contact, b->t, b->q) : d[k]));
            scale.force = fmax(scale.force, fabs(lambda));
            for (int i = 0; i < b->coordinates; i++) {
                scale.displacement = fmax(scale.displacement, fabs(row[i] * b->q[i]));
                forces[i] = fmax(forces[i], fabs(row[i] * lambda));
            }
        }
    }
    /* Without contact forces the loads give the reference size of forces. */
    for (int i = 0; i < b->coordinates && b->contact_count > 0 && !(scale.force > 0); i++)
        scale.force = fmax(scale.force, forces[i]);
    scale.force = scale.force > 0 ? scale.force : 1;
    scale.displacement = scale.displacement > 0 ? scale.displacement : 1;
    return scale;
}

/* ---- The judge. */

/* The violation of the friction law of a contact, as a displacement; g: a compliance. */
static double friction_residual(slip_balance *b, const double *y, int c, double normal, double g)
{
    const slip_balance_contact *own = &b->contacts[c];
    const slip_contact *contact = &b->system->contacts[own->contact];
    const double hold = slip_balance_static_limit(b, own->contact),
                 slide = slip_balance_kinetic_limit(b, own->contact), *force = y + b->n + own->tangent;
    double d[3] = {0, 0, 0}, w[3] = {0, 0, 0}, friction, slope;
    slip_balance_find_rows(b, own, d, w);
    if (own->surface) {
        slip_plane plane = {.surface = own->surface->law,
                            .set_valued = own->surface->set_valued,
                            .rank = own->tangent_count,
                            .across = {w[0], w[1], w[2] * contact->unit[2]}};
        memcpy(plane.basis, own->basis, sizeof plane.basis);
        return slip_plane_residual(&plane, g, hold * normal, slide * normal, force, d);
    }
    if (!own->driven)
        return slip_block_residual(&(slip_block){.kind = SLIP_BLOCK_FRICTION, .hold = hold, .slide = slide},
                                   g, normal, force[0], d[0]);
    if (contact->state_count > 0) {
        slip_contact_state state = {.slip = w[0], .normal = 1};
        slip_balance_law_rates(b, contact, &state, b->force);
        friction = -state.force;
    } else {
        const slip_law_kernel *law = slip_contact_law(b->system, b->work, own->contact);
        slip_law_force(law, slip_law_piece(law, w[0]), w[0], &friction, &slope);
    }
    return slip_block_residual(&(slip_block){.kind = SLIP_BLOCK_LINEAR, .constant = normal * friction}, g, 1,
                               force[0], 0);
}

/* All forces on the coordinates, and the rates of the states, into b->sum. */
static bool sum_forces(slip_balance *b, const double *y)
{
    const int n = b->n;
    slip_balance_place(b, y);
    if (!slip_balance_loads(b, b->sum))
        return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b->sum[i] -= b->system->stiffness[i * n + j] * b->q[j] + b->system->damping[i * n + j] * b->v[j];
    for (int c = 0; c < b->contact_count; c++) {
        const slip_balance_contact *own = &b->contacts[c];
        const slip_contact *contact = &b->system->contacts[own->contact];
        double d[3], w[3] = {0, 0, 0};
        const double *row;
        slip_balance_find_rows(b, own, d, w);
        for (int k = 0; k < own->tangent_count; k++)
            for (int i = 0; i < b->coordinates; i++)
                b->sum[i] += b->row[(int64_t)k * n + i] * y[n + own->tangent + k];
        row = own->normal >= 0 ? slip_system_gap_row(b->system, b->work, own->contact, b->t, b->q) : NULL;
        for (int i = 0; i < b->coordinates && row; i++)
            b->sum[i] += row[i] * y[n + own->normal];
        if (contact->state_count > 0 && (own->normal < 0 || y[n + own->normal] > 0)) {
            slip_contact_state state = {.slip = w[0], .normal = 1};
            slip_balance_law_rates(b, contact, &state, b->sum);
        }
    }
    return true;
}

double slip_balance_residual(slip_balance *b, const double *y)
{
    const slip_balance_scale scale = slip_balance_scale_of(b, y, b->size);
    const double g = scale.displacement / scale.force;
    double worst = sum_forces(b, y) && b->in_range ? 0 : INFINITY, laws = 0;
    for (int i = 0; i < b->n; i++)
        worst = fmax(worst, b->sum[i] == 0 ? 0 : fabs(b->sum[i]) / b->size[i]);
    for (int c = 0; c < b->contact_count; c++) {
        const slip_balance_contact *own = &b->contacts[c];
        const double normal = slip_balance_normal(b, own, y, 0, NULL);
        laws = fmax(laws, -g * normal);
        if (own->normal >= 0)
            laws = fmax(laws,
                        slip_block_residual(&(slip_block){.kind = SLIP_BLOCK_NORMAL}, g, 1, normal,
                                            slip_system_gap(b->system, b->work, own->contact, b->t, b->q)));
        if (own->tangent_count > 0)
            laws = fmax(laws, friction_residual(b, y, c, fmax(normal, 0), g));
    }
    return fmax(worst, laws / scale.displacement);
}
