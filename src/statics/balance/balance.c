#include "statics/balance/balance.h"

#include "system/friction/friction.h"

#include <math.h>
#include <string.h>

/* ---- The present configuration. */

/* The variable of expressions for unknown i of the system; a state uses the slot of a velocity. */
static int slot_of(const slip_balance *b, int i)
{
    return i < b->coordinates ? slip_slot_coordinate(i) : slip_slot_velocity(b->n, i);
}

void slip_balance_place(slip_balance *b, const double *y)
{
    double *slots = b->work->slots;
    memset(slots, 0, sizeof(double) * (size_t)(1 + 2 * b->n));
    slots[slip_slot_time()] = b->t;
    for (int i = 0; i < b->n; i++) {
        slots[slot_of(b, i)] = y[i];
        (i < b->coordinates ? b->q : b->v)[i] = y[i];
    }
    b->in_range = !b->system->varying_laws || slip_system_retune(b->system, b->work);
}

static double *derivative_row(double *derivatives, int size, int row)
{
    return derivatives + (int64_t)row * size;
}

/* The value of an expression at the place, and its derivatives with respect to the unknowns, added to `to`
 * times a factor. */
static double expression_at(slip_balance *b, const slip_expression *expression, double factor, double *to)
{
    const double value =
        slip_expression_gradient(expression, b->work->slots, 1 + 2 * b->n, b->gradient, b->work->scratch);
    for (int i = 0; i < b->n && to; i++)
        to[i] += factor * b->gradient[slot_of(b, i)];
    return value;
}

/* ---- Structure and loads. */

/* Adds the derivatives of a C function: its own, or finite differences. */
static bool add_function(slip_balance *b, int size, double *derivatives)
{
    const slip_system *system = b->system;
    const int n = b->n;
    double *by_q = b->slope, *by_v = by_q + n * n, *other = b->product;
    int known = system->force_function(system->force_user, b->t, b->q, b->v, b->force, by_q, by_v);
    for (int j = 0; j < n && known == 0; j++) {
        double *x = (j < b->coordinates ? b->q : b->v) + j, *to = j < b->coordinates ? by_q : by_v;
        const double at = *x, step = 1e-7 * (1 + fabs(at));
        *x = at + step;
        known = system->force_function(system->force_user, b->t, b->q, b->v, other, NULL, NULL) < 0 ? -1 : 0;
        *x = at;
        for (int i = 0; i < n; i++)
            to[i * n + j] = (other[i] - b->force[i]) / step;
    }
    for (int i = 0; i < n && known >= 0; i++)
        for (int j = 0; j < n; j++)
            derivative_row(derivatives, size, i)[j] -= (j < b->coordinates ? by_q : by_v)[i * n + j];
    return known >= 0;
}

bool slip_balance_loads(slip_balance *b, double *force)
{
    const slip_system *system = b->system;
    const bool known = !system->force_function ||
                       system->force_function(system->force_user, b->t, b->q, b->v, force, NULL, NULL) >= 0;
    if (!system->force_function)
        memset(force, 0, sizeof(double) * (size_t)b->n);
    for (int64_t k = 0; k < system->force_count; k++)
        slip_force_add(&system->forces[k], b->n,
                       slip_expression_value(system->forces[k].expression, b->work->slots, b->work->scratch),
                       force);
    return known;
}

static bool add_structure(slip_balance *b, int size, double *equations, double *derivatives)
{
    const slip_system *system = b->system;
    const int n = b->n;
    if (!slip_balance_loads(b, b->force))
        return false;
    for (int i = 0; i < n; i++) {
        equations[i] -= b->force[i];
        for (int j = 0; j < n; j++) {
            const double slope =
                j < b->coordinates ? system->stiffness[i * n + j] : system->damping[i * n + j];
            equations[i] += slope * (j < b->coordinates ? b->q : b->v)[j];
            if (derivatives)
                derivative_row(derivatives, size, i)[j] += slope;
        }
    }
    for (int64_t k = 0; k < system->force_count && derivatives; k++) {
        const slip_force_term *term = &system->forces[k];
        if (term->time_only)
            continue;
        expression_at(b, term->expression, 0, NULL);
        for (int i = slip_force_first(term); i < slip_force_end(term, n); i++)
            for (int j = 0; j < n; j++)
                derivative_row(derivatives, size, i)[j] -=
                    slip_force_part(term, i) * b->gradient[slot_of(b, j)];
    }
    return !derivatives || !system->force_function || add_function(b, size, derivatives);
}

/* ---- Rows. */

static const slip_slip_form *form_of(const slip_balance *b, int contact, int part)
{
    return &b->system->contacts[contact].slips[part];
}

/* The slip velocity of a form at rest, and its derivatives with respect to the unknowns (n numbers). */
static double velocity_at_rest(slip_balance *b, const slip_slip_form *form, double *by)
{
    if (by)
        memset(by, 0, sizeof(double) * (size_t)b->n);
    return form->constant + (form->rest ? expression_at(b, form->rest, 1, by) : 0);
}

/* The row W of a form, n numbers. */
static void row_of(slip_balance *b, const slip_slip_form *form, double *row)
{
    memset(row, 0, sizeof(double) * (size_t)b->n);
    if (form->row) {
        memcpy(row, form->row, sizeof(double) * (size_t)b->coordinates);
        return;
    }
    expression_at(b, form->rest, 0, NULL);
    for (int i = 0; i < b->coordinates; i++)
        row[i] = b->gradient[slip_slot_velocity(b->n, i)];
}

/* The derivatives of the row times `force`: added to the first n rows with a minus. */
static void add_curvature(slip_balance *b, const slip_expression *expression, bool slip, double force,
                          int size, double *derivatives)
{
    if (force == 0)
        return;
    for (int j = 0; j < b->n; j++) {
        if (!slip_expression_reads(expression, slot_of(b, j)))
            continue;
        b->along[slot_of(b, j)] = 1;
        slip_expression_second(expression, b->work->slots, 1 + 2 * b->n, b->along, b->gradient, b->product,
                               b->work->scratch);
        b->along[slot_of(b, j)] = 0;
        for (int i = 0; i < b->coordinates; i++)
            derivative_row(derivatives, size, i)[j] -=
                force * b->product[slip ? slip_slot_velocity(b->n, i) : slip_slot_coordinate(i)];
    }
}

/* The displacement of a slip form from the reference to the present configuration, by Gauss quadrature on a
 * line that is divided until it converges. */
static double displacement_of(slip_balance *b, const slip_slip_form *form)
{
    static const double nodes[5] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244,
                                    0.8650633666889845, 0.9739065285171717};
    static const double weights[5] = {0.2955242247147529, 0.2692667193099964, 0.2190863625159820,
                                      0.1494513491505806, 0.0666713443086881};
    double last = NAN, sum = 0;
    if (form->row) {
        for (int i = 0; i < b->coordinates; i++)
            sum += form->row[i] * (b->q[i] - b->reference[i]);
        return sum;
    }
    double *slots = b->work->slots;
    for (int parts = 1; parts <= 64; parts *= 2) {
        double size = 0;
        sum = 0;
        for (int k = 0; k < 10 * parts; k++) {
            const int node = k % 10 / 2;
            const double x = (k / 10 + 0.5 + (k % 2 == 0 ? 0.5 : -0.5) * nodes[node]) / parts;
            double along = 0;
            for (int i = 0; i < b->coordinates; i++)
                slots[slip_slot_coordinate(i)] = b->reference[i] + x * (b->q[i] - b->reference[i]);
            expression_at(b, form->rest, 0, NULL);
            for (int i = 0; i < b->coordinates; i++)
                along += b->gradient[slip_slot_velocity(b->n, i)] * (b->q[i] - b->reference[i]);
            sum += 0.5 * weights[node] / parts * along;
            size += 0.5 * weights[node] / parts * fabs(along);
        }
        if (fabs(sum - last) <= 1e-15 * size)
            break;
        last = sum;
    }
    for (int i = 0; i < b->coordinates; i++)
        slots[slip_slot_coordinate(i)] = b->q[i];
    return sum;
}

/* The rows along the directions of the contact, n numbers each, into b->row; its displacements d, and where
 * it is driven its slip velocities at rest in x, y, spin and their derivatives, in b->at_rest. */
void slip_balance_find_rows(slip_balance *b, const slip_balance_contact *own, double d[3], double w[3])
{
    const slip_contact *contact = &b->system->contacts[own->contact];
    const int n = b->n;
    double *part_row = b->along; /* zero again afterwards */
    for (int k = 0; k < own->tangent_count; k++) {
        d[k] = 0;
        memset(b->row + (int64_t)k * n, 0, sizeof(double) * (size_t)n);
    }
    for (int part = 0; part < contact->dimension; part++) {
        const slip_slip_form *form = form_of(b, own->contact, part);
        const double unit = contact->unit[part];
        const double moved = own->driven ? 0 : displacement_of(b, form);
        w[part] = own->driven ? velocity_at_rest(b, form, b->at_rest + (int64_t)part * n) : 0;
        row_of(b, form, part_row);
        for (int k = 0; k < own->tangent_count; k++) {
            d[k] += own->basis[3 * k + part] * unit * moved;
            for (int i = 0; i < n; i++)
                b->row[(int64_t)k * n + i] += own->basis[3 * k + part] * unit * part_row[i];
        }
    }
    memset(part_row, 0, sizeof(double) * (size_t)n);
}

/* The force of a patch for unit mu N along the directions, at the slip velocity `slip` (x, y, spin), and its
 * derivatives with respect to that (3 for each direction). */
void slip_balance_friction(const slip_balance *b, const slip_balance_contact *own, const double slip[3],
                           double force[3], double by[9])
{
    const slip_contact *contact = &b->system->contacts[own->contact];
    double T[3], D[9];
    slip_patch_evaluate(own->surface->law, slip, T, D);
    for (int k = 0; k < own->tangent_count; k++) {
        force[k] = 0;
        memset(by + 3 * k, 0, 3 * sizeof(double));
        for (int part = 0; part < 3; part++) {
            const double weight = own->basis[3 * k + part] / contact->unit[part];
            force[k] += weight * T[part];
            for (int j = 0; j < 3; j++)
                by[3 * k + j] += weight * D[3 * part + j];
        }
    }
}

/* A direction e of the contact as slip velocities x, y, spin. */
void slip_balance_spread(const slip_balance *b, const slip_balance_contact *own, const double *e,
                         double slip[3])
{
    const slip_contact *contact = &b->system->contacts[own->contact];
    for (int part = 0; part < 3; part++) {
        slip[part] = 0;
        for (int k = 0; k < own->tangent_count; k++)
            slip[part] += own->basis[3 * k + part] * e[k] / contact->unit[part];
    }
}

double slip_balance_kinetic_limit(const slip_balance *b, int contact)
{
    return b->system->contacts[contact].friction->slide(b->system, b->work, contact);
}

double slip_balance_static_limit(const slip_balance *b, int contact)
{
    return b->system->contacts[contact].friction->hold(b->system, b->work, contact);
}

double slip_balance_normal(slip_balance *b, const slip_balance_contact *own, const double *y, double factor,
                           double *to)
{
    const slip_contact *contact = &b->system->contacts[own->contact];
    if (own->normal >= 0) {
        if (to)
            to[b->n + own->normal] += factor;
        return y[b->n + own->normal];
    }
    return contact->normal_force ? expression_at(b, contact->normal_force, factor, to)
                                 : contact->normal_constant;
}

void slip_balance_law_rates(slip_balance *b, const slip_contact *contact, slip_contact_state *state,
                            double *rates)
{
    signed char signs[slip_law_sliders_max];
    const slip_branch branch = {.mode = SLIP_MODE_SLIP, .piece = -1, .sliders = signs}; /* closed */
    const bool sliders = contact->law.type->sliders;
    memset(signs, state->slip > 0 ? 1 : -1, sizeof signs);
    slip_system_remember(b->system, b->work, contact, sliders ? &branch : NULL, state, b->v, rates);
    for (int k = 0; k < contact->state_count && sliders; k++) {
        double stiffness, limit;
        slip_law_slider(&slip_contact_law(b->system, b->work, (int)(contact - b->system->contacts))->law, k,
                        &stiffness, &limit);
        rates[contact->state + k] = signs[k] * limit - b->v[contact->state + k];
    }
}

/* ---- Equations. */

typedef struct equations {
    slip_balance *b;
    const slip_mode *modes;
    const double *y;
    int size;
    double *f, *j; /* j may be NULL */
} equations;

static double *row_at(const equations *e, int row)
{
    return derivative_row(e->j, e->size, row);
}

static double normal_of(const equations *e, const slip_balance_contact *own, double factor, double *to)
{
    return slip_balance_normal(e->b, own, e->y, factor, to);
}

/* Forces along a row on the coordinates. */
static void apply(const equations *e, int direction, const double *row)
{
    const slip_balance *b = e->b;
    const double force = e->y[b->n + direction];
    for (int i = 0; i < b->coordinates; i++) {
        e->f[i] -= row[i] * force;
        if (e->j)
            row_at(e, i)[b->n + direction] -= row[i];
    }
}

static void press(const equations *e, const slip_balance_contact *own, slip_mode mode)
{
    slip_balance *b = e->b;
    const slip_contact *contact = &b->system->contacts[own->contact];
    const int equation = b->n + own->normal;
    const double *row = slip_system_gap_row(b->system, b->work, own->contact, b->t, b->q);
    apply(e, own->normal, row);
    if (e->j && !contact->gap.row)
        add_curvature(b, contact->gap.rest, false, e->y[equation], e->size, e->j);
    if (mode == SLIP_MODE_OPEN) {
        e->f[equation] = e->y[equation];
        if (e->j)
            row_at(e, equation)[equation] = 1;
        return;
    }
    e->f[equation] = slip_system_gap(b->system, b->work, own->contact, b->t, b->q);
    for (int i = 0; i < b->coordinates && e->j; i++)
        row_at(e, equation)[i] = row[i];
}

/* lambda + N times a friction force for unit normal force, and its derivatives with respect to the
 * coordinates. */
static void balance_friction(const equations *e, const slip_balance_contact *own, int k, double friction)
{
    const int equation = e->b->n + own->tangent + k;
    double *to = e->j ? row_at(e, equation) : NULL;
    e->f[equation] = e->y[equation] + normal_of(e, own, friction, to) * friction;
    if (to)
        to[equation] += 1;
}

/* Steady sliding in one direction; the law may have states. */
static void slide(const equations *e, const slip_balance_contact *own, slip_mode mode, double w)
{
    slip_balance *b = e->b;
    const slip_contact *contact = &b->system->contacts[own->contact];
    const int n = b->n, equation = n + own->tangent;
    const double sign = mode == SLIP_MODE_SLIP_PLUS ? 1 : -1;
    const slip_law_kernel *law = slip_contact_law(b->system, b->work, own->contact);
    const int piece = slip_law_piece(law, w * sign > 0 ? w : sign * 1e-300);
    double friction, slope;
    if (contact->state_count == 0) {
        slip_law_force(law, piece, w, &friction, &slope);
    } else {
        slip_contact_state state = {.slip = w, .normal = 1};
        memset(b->force, 0, sizeof(double) * (size_t)n);
        slip_balance_law_rates(b, contact, &state, b->force);
        friction = -state.force;
        slope = -state.force_slope;
        for (int k = 0; k < contact->state_count; k++) {
            const int at = contact->state + k;
            double of_force, rate_slip, rate_state;
            e->f[at] -= b->force[at];
            if (!e->j)
                continue;
            slip_system_remember_gradients(b->system, b->work, contact, &state, k, &of_force, &rate_slip,
                                           &rate_state);
            row_at(e, at)[at] -= contact->law.type->sliders ? -1 : rate_state;
            for (int j = 0; j < n && !contact->law.type->sliders; j++)
                row_at(e, at)[j] -= rate_slip * b->at_rest[j];
            row_at(e, equation)[at] -= normal_of(e, own, 0, NULL) * of_force;
        }
    }
    balance_friction(e, own, 0, friction);
    for (int j = 0; j < n && e->j; j++)
        row_at(e, equation)[j] += normal_of(e, own, 0, NULL) * slope * b->at_rest[j];
}

/* The same of a slip of more dimensions. */
static void slide_plane(const equations *e, const slip_balance_contact *own, const double w[3])
{
    slip_balance *b = e->b;
    const double mu = slip_balance_kinetic_limit(b, own->contact);
    double friction[3], by[9];
    slip_balance_friction(b, own, w, friction, by);
    for (int k = 0; k < own->tangent_count; k++) {
        balance_friction(e, own, k, mu * friction[k]);
        const double normal = e->j ? normal_of(e, own, 0, NULL) : 0;
        for (int j = 0; j < b->n && e->j; j++)
            for (int part = 0; part < 3; part++)
                row_at(e, b->n + own->tangent + k)[j] +=
                    mu * normal * by[3 * k + part] * b->at_rest[(int64_t)part * b->n + j];
    }
}

/* Slip by d = r e: the force -mu N T(e), d - r e = 0, |e| = 1. The sign of the last equation is such that the
 * determinant keeps its sign in one, two and three dimensions. */
static void slip_plane(const equations *e, const slip_balance_contact *own, int at, const double d[3])
{
    slip_balance *b = e->b;
    const slip_contact *contact = &b->system->contacts[own->contact];
    const double mu = slip_balance_kinetic_limit(b, own->contact), *z = e->y + at, r = z[own->tangent_count];
    const int count = own->tangent_count, last = at + count;
    const double sign = count % 2 == 0 ? -1 : 1;
    double slip[3], friction[3], by[9];
    slip_balance_spread(b, own, z, slip);
    slip_balance_friction(b, own, slip, friction, by);
    e->f[last] = -sign;
    for (int k = 0; k < count; k++) {
        balance_friction(e, own, k, mu * friction[k]);
        e->f[at + k] = d[k] - r * z[k];
        e->f[last] += sign * z[k] * z[k];
        if (!e->j)
            continue;
        const double normal = normal_of(e, own, 0, NULL);
        for (int l = 0; l < count; l++)
            for (int part = 0; part < 3; part++)
                row_at(e, b->n + own->tangent + k)[at + l] +=
                    mu * normal * by[3 * k + part] * own->basis[3 * l + part] / contact->unit[part];
        memcpy(row_at(e, at + k), b->row + (int64_t)k * b->n, sizeof(double) * (size_t)b->n);
        row_at(e, at + k)[at + k] -= r;
        row_at(e, at + k)[last] -= z[k];
        row_at(e, last)[at + k] = 2 * sign * z[k];
    }
}

/* The equations of friction for the mode. A law with memory is back at its start where the contact is open.
 */
static void obey(const equations *e, int c, const double d[3], const double w[3])
{
    slip_balance *b = e->b;
    const slip_balance_contact *own = &b->contacts[c];
    const slip_contact *contact = &b->system->contacts[own->contact];
    const slip_mode mode = e->modes[c];
    for (int k = 0; k < contact->state_count && mode == SLIP_MODE_OPEN; k++) {
        const int at = contact->state + k;
        e->f[at] =
            e->y[at] - (contact->law.type->state_start ? contact->law.type->state_start(&contact->law) : 0);
        if (e->j)
            row_at(e, at)[at] = 1;
    }
    if (mode == SLIP_MODE_OPEN || mode == SLIP_MODE_STICK) {
        for (int k = 0; k < own->tangent_count; k++) {
            const int equation = b->n + own->tangent + k;
            e->f[equation] = mode == SLIP_MODE_OPEN ? e->y[equation] : d[k];
            if (e->j && mode == SLIP_MODE_OPEN)
                row_at(e, equation)[equation] = 1;
            else if (e->j)
                memcpy(row_at(e, equation), b->row + (int64_t)k * b->n, sizeof(double) * (size_t)b->n);
        }
    } else if (own->driven && own->surface) {
        slide_plane(e, own, w);
    } else if (own->driven) {
        slide(e, own, mode, w[0]);
    } else if (own->surface) {
        slip_plane(e, own, slip_balance_direction_at(b, e->modes, c), d);
    } else {
        balance_friction(
            e, own, 0, (mode == SLIP_MODE_SLIP_PLUS ? 1 : -1) * slip_balance_kinetic_limit(b, own->contact));
    }
}

/* Adds the derivatives by parameters of the law that depend on coordinates and states, by finite differences.
 */
static void vary(const equations *e, int c, const double d[3], const double w[3])
{
    slip_balance *b = e->b;
    const slip_balance_contact *own = &b->contacts[c];
    const slip_contact *contact = &b->system->contacts[own->contact];
    for (int j = 0; j < b->n; j++) {
        const int slot = slot_of(b, j);
        const double at = b->work->slots[slot], h = 1e-6 * (1 + fabs(at));
        bool reads = false;
        for (int k = 0; k < contact->varying_count; k++)
            reads = reads || slip_expression_reads(contact->varying[k], slot);
        for (int side = 0; side < 2 && reads; side++) {
            const equations moved = {b, e->modes, e->y, e->size, b->varied, NULL};
            b->work->slots[slot] = side == 0 ? at - h : at + h;
            slip_system_retune(b->system, b->work);
            b->work->slots[slot] = at;
            memset(b->varied, 0, sizeof(double) * (size_t)e->size);
            obey(&moved, c, d, w);
            for (int k = 0; k < own->tangent_count + contact->state_count; k++) {
                const int row = k < own->tangent_count ? b->n + own->tangent + k
                                                       : contact->state + k - own->tangent_count;
                row_at(e, row)[j] += (side == 0 ? -0.5 : 0.5) / h * b->varied[row];
            }
        }
    }
    slip_system_retune(b->system, b->work);
}

static void rub(const equations *e, int c)
{
    slip_balance *b = e->b;
    const slip_balance_contact *own = &b->contacts[c];
    const slip_contact *contact = &b->system->contacts[own->contact];
    double d[3], w[3];
    slip_balance_find_rows(b, own, d, w);
    for (int k = 0; k < own->tangent_count; k++)
        apply(e, own->tangent + k, b->row + (int64_t)k * b->n);
    for (int part = 0; part < contact->dimension && e->j; part++) {
        const slip_slip_form *form = form_of(b, own->contact, part);
        double force = 0;
        for (int k = 0; k < own->tangent_count; k++)
            force += own->basis[3 * k + part] * contact->unit[part] * e->y[b->n + own->tangent + k];
        if (!form->row)
            add_curvature(b, form->rest, true, force, e->size, e->j);
    }
    obey(e, c, d, w);
    if (contact->varying_count > 0 && e->j)
        vary(e, c, d, w);
}

bool slip_balance_evaluate(slip_balance *b, const slip_mode *modes, const double *y, double *f, double *j)
{
    const int size = slip_balance_size(b, modes);
    const equations e = {b, modes, y, size, f, j};
    memset(f, 0, sizeof(double) * (size_t)size);
    if (j)
        memset(j, 0, sizeof(double) * (size_t)size * (size_t)size);
    slip_balance_place(b, y);
    if (!b->in_range || !add_structure(b, size, f, j))
        return false;
    for (int c = 0; c < b->contact_count; c++) {
        slip_balance_place(b, y);
        if (b->contacts[c].normal >= 0)
            press(&e, &b->contacts[c], modes[c]);
        if (b->contacts[c].tangent_count > 0)
            rub(&e, c);
    }
    for (int i = 0; i < size; i++)
        if (!isfinite(f[i]))
            return false;
    for (int64_t i = 0; i < (int64_t)size * size && j; i++)
        if (!isfinite(j[i]))
            return false;
    return true;
}
