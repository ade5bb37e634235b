/* Patches in a fixed step: impulses p and slip velocities y at the end of the step with
 *
 *     y = y_free + G p,   p = -mu N h T(y_a), or y = 0 and p within static_ratio times the limit surface.
 *
 * All in units of the area (x, y, size times spin) and along a basis of the slip velocities that are
 * possible. The direction of friction turns with the slip, so that it is that of y_a = a y + (1-a) y_0, a =
 * theta, which makes the step of second order, as long as the step resolves the turning: the slip is
 * multiplied by (1 - (1-a) x)/(1 + a x), x = mu N h G T'(y), which must not be negative, or the slip would
 * alternate. That is looked at where the step begins. Slow slip under strong friction, smooth laws near rest,
 * and steps in which the slip would turn back have the law at the end of the step, a = 1, and so has stick.
 *
 * With b = a y_free + (1-a) y_0 and S = a mu N h slip is y_a = b - S G t(y_a). Set-valued: y_a = L z
 * (law/patch_slide.c). A smooth law, and one that always slips because some slip velocity is given, is solved
 * by Newton's method for y_a. */
#include "method/fixed.h"

#include "law/patch.h"
#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Column i of the rows along vector k of the basis. */
static double along_basis(const slip_fixed *f, const slip_fixed_patch *p, int k, int i)
{
    const double *vector = p->basis + 3 * k, *rows = p->rows + i;
    return vector[0] * rows[0] + vector[1] * rows[f->n] + vector[2] * rows[2 * f->n];
}

/* G with rows_i = G rows, by least squares over the basis of the leader's slip; false where there is none. */
static bool find_map(const slip_fixed *f, const slip_fixed_patch *leader, const slip_fixed_patch *p,
                     double map[9])
{
    const int n = f->n, rank = leader->rank;
    double gram[9] = {0}, error = 0, size = 0;
    for (int k = 0; k < rank; k++)
        for (int l = 0; l < rank; l++)
            for (int i = 0; i < n; i++)
                gram[rank * k + l] += along_basis(f, leader, k, i) * along_basis(f, leader, l, i);
    memset(map, 0, 9 * sizeof *map);
    for (int part = 0; part < 3; part++) {
        double matrix[9], row[3] = {0, 0, 0};
        memcpy(matrix, gram, sizeof matrix);
        for (int k = 0; k < rank; k++)
            for (int i = 0; i < n; i++)
                row[k] += p->rows[part * n + i] * along_basis(f, leader, k, i);
        if (!slip_dense_solve(rank, matrix, row))
            return false;
        for (int k = 0; k < rank; k++)
            for (int j = 0; j < 3; j++)
                map[3 * part + j] += row[k] * leader->basis[3 * k + j];
        for (int i = 0; i < n; i++) {
            double left = p->rows[part * n + i];
            for (int k = 0; k < rank; k++)
                left -= row[k] * along_basis(f, leader, k, i);
            error += fabs(left);
            size += fabs(p->rows[part * n + i]);
        }
    }
    return error <= 1e-10 * size;
}

/* Those whose rows span the same: with the first of them each has as many directions, and follows from it. */
static bool find_groups(slip_fixed *f)
{
    const int count = f->system->patch_count;
    for (int b = 0; b < count; b++) {
        slip_fixed_patch *second = &f->patches[b];
        for (int a = 0; a < b && !second->leader; a++) {
            slip_fixed_patch *first = &f->patches[a], *last = first;
            double map[9];
            if (first->leader || first->rank != second->rank || !find_map(f, first, second, map) ||
                f->system->contacts[first->contact].has_gap || f->system->contacts[second->contact].has_gap ||
                !f->system->contacts[first->contact].patch->set_valued ||
                !f->system->contacts[second->contact].patch->set_valued)
                continue;
            while (last->next)
                last = last->next;
            last->next = second;
            second->leader = first;
        }
    }
    for (int k = 0; k < count; k++) {
        slip_fixed_patch *leader = &f->patches[k];
        slip_patch_part *parts;
        int members = 0;
        for (slip_fixed_patch *p = leader; p && !leader->leader; p = p->next)
            members++;
        if (members < 2)
            continue;
        parts = slip_arena_array(&f->arena, members, sizeof *parts);
        leader->sum = slip_arena_alloc(&f->arena, sizeof *leader->sum);
        if (!parts || !leader->sum)
            return false;
        slip_patch_sum_prepare(leader->sum, members, parts);
        for (slip_fixed_patch *p = leader; p; p = p->next, parts++) {
            parts->patch = f->system->contacts[p->contact].patch->law;
            find_map(f, leader, p, parts->map);
        }
    }
    return true;
}

int slip_fixed_patch_create(slip_fixed *f)
{
    const slip_system *system = f->system;
    const int64_t n = f->n;
    f->patches = slip_arena_array(&f->arena, system->patch_count + 1, sizeof *f->patches);
    double *numbers = slip_arena_array(&f->arena, 6 * n * (system->patch_count + 1), sizeof(double));
    f->base = slip_arena_array(&f->arena, n, sizeof(double));
    if (!f->patches || !numbers || !f->base)
        return slip_fail_memory(f->ctx);
    for (int c = 0; c < f->contact_count; c++) {
        const slip_patch_form *form = system->contacts[c].patch;
        if (!form)
            continue;
        slip_fixed_patch *p = &f->patches[form->index];
        p->contact = c;
        p->rows = numbers + 6 * n * form->index;
        p->responses = p->rows + 3 * n;
        for (int part = 0; part < 3; part++)
            for (int i = 0; i < n; i++)
                p->rows[part * n + i] = form->slip[part].row[i] * (part == 2 ? form->size : 1);
        p->rank = slip_system_patch_basis(system, f->work, c, p->basis);
    }
    return find_groups(f) ? slip_fixed_rounds_create(f) : slip_fail_memory(f->ctx);
}

void slip_fixed_patch_respond(slip_fixed *f, const double *inverse)
{
    const int n = f->n;
    for (int k = 0; k < f->system->patch_count; k++) {
        slip_fixed_patch *p = &f->patches[k];
        double full[9];
        for (int part = 0; part < 3; part++)
            for (int i = 0; i < n; i++)
                p->responses[part * n + i] = slip_fixed_dot(n, inverse + i * n, p->rows + part * n);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                full[3 * a + b] = slip_fixed_dot(n, p->rows + a * n, p->responses + b * n);
        for (int a = 0; a < p->rank; a++)
            for (int b = 0; b < p->rank; b++) {
                p->gram[p->rank * a + b] = 0;
                for (int i = 0; i < 3; i++)
                    p->gram[p->rank * a + b] +=
                        p->basis[3 * a + i] * slip_fixed_dot(3, full + 3 * i, p->basis + 3 * b);
            }
    }
}

static bool shifts_agree(const slip_fixed_patch *leader)
{
    int k = 1;
    for (const slip_fixed_patch *p = leader->next; p; p = p->next, k++)
        for (int i = 0; i < 3; i++) {
            double own = slip_fixed_dot(3, leader->sum->parts[k].map + 3 * i, leader->shift);
            if (fabs(own - p->shift[i]) > 1e-12 * (fabs(own) + fabs(p->shift[i])))
                return false;
        }
    return true;
}

/* The surface in units of *strength, of the patch or of its group. */
static const slip_patch *surface_of(const slip_fixed *f, const slip_fixed_patch *p, bool held,
                                    double *strength)
{
    int k = 0;
    *strength = 0;
    for (const slip_fixed_patch *member = p; member;
         member = slip_fixed_grouped(p) ? member->next : NULL, k++) {
        const double ratio = held ? member->hold : member->slide;
        *strength += ratio * member->strength;
        if (slip_fixed_grouped(p))
            p->sum->parts[k].weight = ratio * member->strength;
    }
    for (k = 0; slip_fixed_grouped(p) && k < p->sum->part_count; k++)
        p->sum->parts[k].weight =
            *strength > 0 ? p->sum->parts[k].weight / *strength : 1.0 / p->sum->part_count;
    return slip_fixed_grouped(p) ? p->sum : f->system->contacts[p->contact].patch->law;
}

/* Friction of a slip q, and its derivative along the basis, rank x rank. */
static void evaluate(const slip_fixed *f, const slip_fixed_patch *p, const slip_patch *law, const double q[3],
                     double T[3], double *along)
{
    const slip_patch_form *form = f->system->contacts[p->contact].patch;
    const double size = form->size, velocity[3] = {q[0], q[1], q[2] / size};
    double D[9];
    if (f->system->contacts[p->contact].state_count > 0) {
        slip_fixed_plane_force(f, p->contact, p->point, q, T, D);
    } else if (form->set_valued) {
        slip_patch_surface(law, q, T, D);
    } else {
        slip_patch_evaluate(law, velocity, T, D);
        T[2] /= size;
        for (int i = 0; i < 9; i++)
            D[i] /= (i / 3 == 2 ? size : 1) * (i % 3 == 2 ? size : 1);
    }
    for (int k = 0; k < p->rank; k++)
        for (int l = 0; l < p->rank; l++) {
            along[p->rank * k + l] = 0;
            for (int i = 0; i < 3; i++)
                along[p->rank * k + l] +=
                    p->basis[3 * k + i] * slip_fixed_dot(3, D + 3 * i, p->basis + 3 * l);
        }
}

/* Whether the law may hold inside the step, see above; half of what stability needs. */
static bool resolves(const slip_fixed *f, const slip_fixed_patch *p)
{
    const int n = p->rank;
    double strength, T[3], D[9], largest = 0;
    const slip_patch *law = surface_of(f, p, false, &strength);
    if (f->system->contacts[p->contact].state_count > 0)
        return f->theta < 1; /* its direction is that of a deflection, which does not leap */
    if (f->theta == 1 || !(slip_fixed_dot(3, p->start, p->start) > 0))
        return false;
    evaluate(f, p, law, p->start, T, D);
    for (int k = 0; k < n; k++) {
        double sum = 0;
        for (int l = 0; l < n; l++) {
            double product = 0;
            for (int i = 0; i < n; i++)
                product += p->gram[n * k + i] * D[n * i + l];
            sum += fabs(product);
        }
        largest = fmax(largest, sum);
    }
    return (1 - f->theta) * strength * largest <= 0.5;
}

/* What is added to the rows: functions of time and place, at the end of the step; the strength mu N h; and
 * for which slip the law holds. */
void slip_fixed_patch_press(const slip_fixed *f, slip_fixed_patch *p)
{
    const slip_contact *contact = &f->system->contacts[p->contact];
    const slip_fixed_contact *own = &f->contacts[p->contact];
    if (own->normal < 0)
        return;
    p->strength =
        own->active
            ? f->work->patch_mu[contact->patch->index] *
                  fmax(0, f->impulses[own->normal] - (contact->impact_friction ? 0 : own->impact_part))
            : 0;
    if (own->active)
        return;
    memset(p->impulse, 0, sizeof p->impulse);
    p->stuck = p->middle = false;
}

int slip_fixed_patch_collect(slip_fixed *f, int turn)
{
    for (int k = 0; k < f->system->patch_count; k++) {
        slip_fixed_patch *p = &f->patches[k];
        const slip_patch_form *form = f->system->contacts[p->contact].patch;
        const bool has_gap = f->system->contacts[p->contact].has_gap;
        double normal = has_gap ? 0
                                : slip_system_normal_force(f->system, f->work, p->contact,
                                                           f->t0 + f->theta * f->factored, f->at_q, f->at_v);
        if (normal < 0)
            return slip_system_refuse_pull(f->ctx, &f->system->contacts[p->contact],
                                           f->t0 + f->theta * f->factored);
        p->strength = f->work->patch_mu[form->index] * normal * f->factored;
        slip_fixed_patch_press(f, p);
        p->hold = form->set_valued ? form->static_ratio : 1;
        p->slide = 1;
        slip_system_patch_slip(f->system, f->work, p->contact, f->t0 + f->factored, f->end_q,
                               slip_fixed_only_states(f, f->v), p->shift);
        p->shift[2] *= form->size;
    }
    for (int k = 0; k < f->system->patch_count; k++)
        f->patches[k].together = f->patches[k].sum && shifts_agree(&f->patches[k]);
    for (int k = 0; k < f->system->patch_count && turn == 0; k++) {
        slip_fixed_patch *p = &f->patches[k];
        slip_system_patch_slip(f->system, f->work, p->contact, f->t0, f->q0, f->v0, p->start);
        p->start[2] *= f->system->contacts[p->contact].patch->size;
        p->middle = resolves(f, p);
    }
    return SLIP_OK;
}

/* ---- One patch. */

/* Newton with a line search for y = b - strength G t(across + y), where the law is smooth at what comes.
 * `across` is the part of the slip that cannot change. Gives q = across + y and its friction. */
static bool solve_smooth(const slip_fixed *f, const slip_fixed_patch *p, const slip_patch *law,
                         double strength, const double across[3], const double *b, double q[3], double T[3])
{
    const int n = p->rank;
    double y[3] = {0, 0, 0}, residual[3], before = INFINITY, step[3] = {0, 0, 0}, length = 1, base[3];
    memcpy(y, b, (size_t)n * sizeof *y);
    memcpy(base, y, sizeof base);
    for (int turn = 0; turn < 200; turn++) {
        double D[9], J[9], error = 0, scale = 0, t[3];
        memcpy(q, across, 3 * sizeof *q);
        for (int k = 0; k < n; k++)
            for (int i = 0; i < 3; i++)
                q[i] += y[k] * p->basis[3 * k + i];
        evaluate(f, p, law, q, T, D);
        for (int k = 0; k < n; k++)
            t[k] = slip_fixed_dot(3, p->basis + 3 * k, T);
        for (int k = 0; k < n; k++) {
            residual[k] = y[k] - b[k] + strength * slip_fixed_dot(n, p->gram + n * k, t);
            error += residual[k] * residual[k];
            scale += fabs(b[k]) + strength * p->gram[n * k + k];
        }
        error = sqrt(error);
        if (error <= 4e-16 * scale)
            return true;
        if (error > (1 - 1e-4 * length) * before) {
            if (before <= 1e-13 * scale)
                return true; /* nothing is left but rounding */
            length /= 2;
            if (length < 1e-12)
                return false;
            for (int k = 0; k < n; k++)
                y[k] = base[k] - length * step[k];
            continue;
        }
        before = error;
        length = 1;
        memcpy(base, y, sizeof base);
        for (int k = 0; k < n; k++)
            for (int l = 0; l < n; l++) {
                J[n * k + l] = k == l;
                for (int m = 0; m < n; m++)
                    J[n * k + l] += strength * p->gram[n * k + m] * D[n * m + l];
            }
        memcpy(step, residual, sizeof step);
        if (!slip_dense_solve(n, J, step))
            return false;
        for (int k = 0; k < n; k++)
            y[k] = base[k] - step[k];
    }
    return false;
}

/* Whether stick holds the impulses u. Most loads are decided by their length alone, or by a quick look from
 * the direction z of the step before; the rest, close to the limit, by the limit surface itself. */
static bool within_limit(const slip_fixed *f, slip_fixed_patch *p, const slip_patch *law, double limit,
                         const double *b, const double *u, double *ratio)
{
    const double close = 1e-3;
    double z[3] = {p->z[0], p->z[1], p->z[2]};
    if (law->reach > 0 && sqrt(slip_fixed_dot(p->rank, u, u)) > limit * law->reach) {
        for (int k = 0; k < p->rank; k++)
            p->z[k] = b[k] / sqrt(slip_fixed_dot(p->rank, b, b));
        return false;
    }
    if (p->rank == 3 && !slip_fixed_grouped(p) && slip_patch_limit_near(law, p->basis, u, ratio, z) &&
        fabs(*ratio - limit) > close * limit) {
        memcpy(p->z, z, sizeof z);
        return *ratio <= limit;
    }
    if (slip_patch_limit_within(f->ctx, law, p->rank, p->basis, u, ratio, p->z) < 0)
        return false;
    return *ratio <= limit * (1 + 1e-14);
}

/* Stick: the impulses that it takes, and whether they are held. */
static bool holds(const slip_fixed *f, slip_fixed_patch *p, const double *b, double *impulse, double *ratio)
{
    double matrix[9], strength;
    const slip_patch *law = surface_of(f, p, true, &strength);
    *ratio = INFINITY;
    memcpy(matrix, p->gram, sizeof matrix);
    for (int k = 0; k < p->rank; k++)
        impulse[k] = -b[k];
    if (!slip_dense_solve(p->rank, matrix, impulse))
        return false;
    return within_limit(f, p, law, strength, b, impulse, ratio);
}

/* Impulses of a group: of slip in the direction q, or its shares of stick (flow_patch_group.c), both -size
 * times what the parts are of the surface. */
static void share(const slip_fixed *f, slip_fixed_patch *leader, const double q[3], double size)
{
    int k = 0;
    for (slip_fixed_patch *p = leader; p; p = p->next, k++) {
        const slip_patch_part *part = &leader->sum->parts[k];
        double own[3], T[3] = {0, 0, 0};
        for (int i = 0; i < 3; i++)
            own[i] = slip_fixed_dot(3, part->map + 3 * i, q);
        if (size > 0)
            slip_patch_surface(f->system->contacts[p->contact].patch->law, own, T, NULL);
        for (int i = 0; i < 3; i++)
            p->impulse[i] = -size * part->weight * T[i];
        p->stuck = leader->stuck;
    }
}

/* The slip velocities z along the basis. */
static void combine(const slip_fixed_patch *p, const double *z, double q[3])
{
    memset(q, 0, 3 * sizeof *q);
    for (int k = 0; k < p->rank; k++)
        for (int i = 0; i < 3; i++)
            q[i] += z[k] * p->basis[3 * k + i];
}

/* The part of a slip along the basis; *across is what is left. Returns whether that is nothing. */
static bool divide(const slip_fixed_patch *p, const double slip[3], double *along, double across[3])
{
    double apart = 0;
    memcpy(across, slip, 3 * sizeof *across);
    for (int k = 0; k < p->rank; k++) {
        along[k] = slip_fixed_dot(3, p->basis + 3 * k, slip);
        for (int i = 0; i < 3; i++)
            across[i] -= along[k] * p->basis[3 * k + i];
    }
    for (int i = 0; i < 3; i++)
        apart += fabs(across[i]);
    return apart <= 1e-13 * (fabs(slip[0]) + fabs(slip[1]) + fabs(slip[2]));
}

/* Slip with the law at theta y + (1 - theta) start: its impulses. In the middle of a step it must not turn
 * back. */
static bool slide(slip_fixed *f, slip_fixed_patch *p, const double y_free[3], double theta)
{
    const int n = p->rank;
    double b[3], across[3], at[3], q[3], T[3], K[9], strength, L = 0, forward = 0;
    const slip_patch *law = surface_of(f, p, false, &strength);
    bool free;
    p->point = theta;
    for (int i = 0; i < 3; i++)
        at[i] = theta * y_free[i] + (1 - theta) * p->start[i];
    free = divide(p, at, b, across);
    if (free && f->system->contacts[p->contact].patch->set_valued) {
        for (int k = 0; k < n * n; k++)
            K[k] = theta * strength * p->gram[k];
        if (theta < 1)
            for (int k = 0; k < n; k++)
                p->z[k] = b[k] / sqrt(slip_fixed_dot(n, b, b));
        if (!slip_patch_slide(law, n, p->basis, K, b, 1, p->z, &L))
            return false;
        combine(p, p->z, q);
        slip_patch_surface(law, q, T, NULL);
        for (int i = 0; i < 3; i++)
            at[i] = L * q[i];
    } else {
        if (!solve_smooth(f, p, law, theta * strength, across, b, q, T))
            return false;
        memcpy(at, q, sizeof at);
    }
    for (int i = 0; i < 3; i++)
        forward += (at[i] - (1 - theta) * p->start[i]) * p->start[i];
    if (theta < 1 && !(forward > 0) && f->system->contacts[p->contact].state_count == 0)
        return false;
    if (slip_fixed_grouped(p))
        share(f, p, q, strength);
    for (int i = 0; i < 3 && !slip_fixed_grouped(p); i++)
        p->impulse[i] = -strength * T[i];
    return true;
}

bool slip_fixed_patch_impulse(slip_fixed *f, slip_fixed_patch *p, const double y_free[3])
{
    double b[3], across[3], along[3], q[3], ratio;
    p->stuck = divide(p, y_free, b, across) && f->system->contacts[p->contact].patch->set_valued &&
               holds(f, p, b, along, &ratio);
    p->middle = p->middle && !p->stuck && slide(f, p, y_free, f->theta);
    if (!p->stuck)
        return p->middle || slide(f, p, y_free, 1);
    if (slip_fixed_grouped(p)) {
        combine(p, p->z, q);
        share(f, p, q, ratio);
    } else {
        combine(p, along, p->impulse);
    }
    return true;
}

void slip_fixed_patch_remember(slip_fixed *f, int c)
{
    const slip_fixed_patch *p = &f->patches[f->system->contacts[c].patch->index];
    const double a = p->middle ? f->theta : 1;
    double x[2];
    for (int i = 0; i < 2; i++)
        x[i] = a * (slip_fixed_dot(f->n, p->rows + (ptrdiff_t)i * f->n, f->v) + p->shift[i]) +
               (1 - a) * p->start[i];
    slip_fixed_set_plane_states(f, c, a, x);
}

/* The force of a law with memory at the state in at_v, for unit normal force. */
static void view_memory(const slip_fixed *f, int c, const double slip[3], double T[3])
{
    slip_law_plane to;
    memcpy(f->work->patches[f->system->contacts[c].patch->index].slip, slip, 3 * sizeof *slip);
    slip_system_plane_response(f->system, f->work, c, NULL, f->at_v, &to);
    T[0] = to.force[0];
    T[1] = to.force[1];
    T[2] = 0;
}

/* Inside a step the slip velocity changes evenly, and its own friction belongs to it; at the end there are
 * the impulses, where they are those of the slip at the end. */
void slip_fixed_patch_view(const slip_fixed *f, int c, double t, slip_sample *sample)
{
    const slip_patch_form *form = f->system->contacts[c].patch;
    const slip_fixed_patch *p = &f->patches[form->index];
    const slip_fixed_contact *own = &f->contacts[c];
    const double normal = own->normal >= 0
                              ? f->impulses[own->normal] * f->inverse_h
                              : slip_system_normal_force(f->system, f->work, c, t, f->at_q, f->at_v);
    const bool open = own->normal >= 0 && own->mode == SLIP_MODE_OPEN;
    bool held = own->mode == SLIP_MODE_STICK && (t >= f->t || own->held_before);
    bool impulses = held || open || (t >= f->t && !p->middle);
    slip_patch_state state = {.slip = {0, 0, 0}};
    if (!held)
        slip_system_patch_slip(f->system, f->work, c, t, f->at_q, f->at_v, state.slip);
    if (!impulses && f->system->contacts[c].state_count > 0)
        view_memory(f, c, state.slip, state.force);
    else if (!impulses)
        slip_patch_evaluate(form->law, state.slip, state.force, NULL);
    for (int part = 0; part < 3; part++)
        state.force[part] = impulses ? p->impulse[part] * f->inverse_h * (part == 2 ? form->size : 1)
                                     : -f->work->patch_mu[form->index] * normal * state.force[part];
    if (sample->slip)
        sample->slip[c] = slip_patch_slip_size(form, state.slip);
    if (sample->normal)
        sample->normal[c] = normal;
    if (sample->force)
        sample->force[c] = -slip_patch_force_size(form, state.force);
    if (sample->mode)
        sample->mode[c] = held                                    ? SLIP_MODE_STICK
                          : open || own->mode == SLIP_MODE_CLOSED ? own->mode
                                                                  : SLIP_MODE_SLIP;
    if (sample->patches)
        sample->patches[form->index] = state;
}
