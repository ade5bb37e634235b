/* Switching attachment modes on and off: the choice of nodes, and the projection of the motion.
 *
 * A node in contact, or a corner of a facet in contact, has its attachment modes active. After it has left
 * contact they are switched off only when that is safe: while the surface at the node still vibrates, removal
 * of its vectors would throw the node back into contact, and a stiff penalty would turn the overlap into
 * energy. Kept vectors of a flank (gear_basis.h) are active from its first contact until it leaves the mesh.
 *
 * Switching takes no time and all forces are finite, so the momenta of coordinates that stay do not change.
 * The momenta of new vectors are the projection of the old velocity field (gear_basis.h). From the momenta
 *
 *     pi_q = q' + w p_c,    pi_p = p' + w rho,    L = w (J + 2 sigma.p) + p_c.q' + rho.p'
 *
 * follow the velocities after switching, in the same way as accelerations follow from forces: w (J + 2
 * sigma.p - p_c.p_c - rho.rho) = L - p_c.pi_q - rho.pi_p. */
#include "gear/modal/gear_modal.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

/* A force below this share of the largest contact force may appear by switching. */
static const double small_force = 1e-3;

/* A node may leave the set when its gap exceeds so many times the jump of its position. */
static const double safe_jumps = 3;

/* ---- Which nodes. */

/* Nodes of a flank that touch, and nodes of the facets that they touch. */
static void mark_touched(slip_gear_modal *m, const slip_gear_pair *pair, int k, slip_modal_flank *slave,
                         slip_modal_flank *master)
{
    const slip_flank_touch *touches = slip_flank_contact_touches(pair->contact, k, slave->flank);
    int columns = pair->surfaces[1 - k][master->flank].columns;
    for (int i = 0; i < pair->gear[k]->nodes; i++) {
        const slip_flank_touch *touch = &touches[i];
        if (!(touch->depth > 0))
            continue;
        slave->touched[i] = 1;
        m->missed = m->missed || !slave->is_near[i];
        for (int corner = 0; corner < 4; corner++) {
            int node = (touch->row + corner / 2) * columns + touch->column + corner % 2;
            master->touched[node] = 1;
            m->missed = m->missed || !master->is_near[node];
        }
    }
}

static void find_touched(slip_gear_modal *m)
{
    for (int k = 0; k < m->gear_count; k++)
        for (int i = 0; i < m->gear[k].flank_count; i++)
            memset(m->gear[k].flanks[i]->touched, 0, (size_t)m->gear[k].wheel->nodes);
    for (int p = 0; p < m->pair_count; p++) {
        const slip_modal_pair *own = &m->pairs[p];
        for (int i = 0; own->pair->totals.touching > 0 && i < own->pair->pair_count; i++) {
            const int *s = own->pair->pairs[i].surface;
            slip_modal_flank *f[2] = {slip_modal_find(&m->gear[own->gear[0]], s[0]),
                                      slip_modal_find(&m->gear[own->gear[1]], s[1])};
            for (int k = 0; k < 2; k++)
                mark_touched(m, own->pair, k, f[k], f[1 - k]);
        }
    }
}

/* The distance of each node of a flank from contact, as a slave or as a corner of a facet that a slave
 * follows. Nodes in contact do not count: the kept vectors hold their position. */
static void node_clearances(const slip_gear_modal *m, const slip_modal_flank *f, double *to)
{
    const slip_gear_pair *pair = m->pairs[f->pair].pair;
    const slip_flank_contact *contact = pair->contact;
    const int k = f->side, columns = pair->surfaces[k][f->flank].columns;
    int other = -1;
    for (int p = 0; p < pair->pair_count; p++)
        if (pair->pairs[p].surface[k] == f->flank)
            other = pair->pairs[p].surface[1 - k];
    for (int i = 0; i < pair->gear[k]->nodes; i++)
        to[i] = f->touched[i] ? INFINITY : slip_flank_contact_clearance(contact, k, f->flank, i);
    for (int i = 0; other >= 0 && i < pair->gear[1 - k]->nodes; i++) {
        const slip_flank_touch *touch = &slip_flank_contact_touches(contact, 1 - k, other)[i];
        double clearance = slip_flank_contact_clearance(contact, 1 - k, other, i);
        if (touch->depth > 0 || touch->master != f->flank)
            continue;
        for (int corner = 0; corner < 4; corner++) {
            int node = (touch->row + corner / 2) * columns + touch->column + corner % 2;
            if (!f->touched[node])
                to[node] = fmin(to[node], clearance);
        }
    }
}

/* The smallest value at a node and its neighbours. */
static double least_around(const double *values, int node, int nodes, int columns)
{
    double least = INFINITY;
    for (int k = 0; k < 9; k++) {
        int row = node / columns + k / 3 - 1, column = node % columns + k % 3 - 1;
        if (row >= 0 && row < nodes / columns && column >= 0 && column < columns)
            least = fmin(least, values[row * columns + column]);
    }
    return least;
}

/* Marks nodes out of contact that have to stay in the set: without their vector the surface there would jump
 * by about G_ll a_l (G beside the kept vectors), and might come into contact with a large force. */
static void keep_lively(const slip_gear_modal *m, int k, slip_modal_flank *f)
{
    const slip_gear_wheel *w = m->gear[k].wheel;
    const slip_gear_basis *b = &f->basis;
    double *a = m->scratch, *own = a + w->size, *clearance = own + w->size,
           tolerance = small_force * m->peak / m->pairs[f->pair].penalty;
    const double *flexibility = m->gear[k].attachment.remainder.flexibility;
    int columns = m->pairs[f->pair].pair->surfaces[f->side][f->flank].columns;
    slip_gear_basis_amplitudes(b, m->state + f->at, own);
    memset(a, 0, sizeof(double) * (size_t)w->size);
    for (int i = 0; i < b->directions; i++)
        a[b->direction[i]] = own[i];
    node_clearances(m, f, clearance);
    for (int node = 0; node < w->nodes; node++) {
        double square = 0;
        if (!f->set[node] || f->touched[node])
            continue;
        for (int i = 3 * node; i < 3 * node + 3; i++) {
            const double *g = flexibility + (size_t)i * (size_t)w->size;
            square += pow(slip_dense_dot(3, g + 3 * node, a + 3 * node), 2);
        }
        double jump = sqrt(square);
        f->wanted[node] =
            jump > tolerance && least_around(clearance, node, w->nodes, columns) < safe_jumps * jump;
    }
}

static bool is_changed(const slip_modal_gear *g, const slip_modal_flank *f)
{
    return memcmp(f->wanted, f->set, (size_t)g->wheel->nodes) != 0 ||
           f->basis.kept != (f->keep ? g->attachment.kept.count : 0);
}

/* Whether the wanted set differs from the present one. */
static bool choose_set(slip_gear_modal *m, int k, slip_modal_flank *f)
{
    slip_modal_gear *g = &m->gear[k];
    size_t nodes = (size_t)g->wheel->nodes;
    unsigned char *patch = g->patch + (size_t)f->flank * nodes;
    bool any = memchr(f->touched, 1, nodes) != NULL;
    f->keep = any || (f->basis.count > 0 && f->faces);
    switch (g->reduction) {
    case SLIP_STATIC_NONE:
        return false;
    case SLIP_STATIC_ALL:
        memset(f->wanted, f->keep, nodes);
        break;
    case SLIP_STATIC_SWITCH:
        memcpy(f->wanted, f->touched, nodes);
        if (f->basis.count > 0 && memcmp(f->wanted, f->set, nodes) != 0)
            keep_lively(m, k, f);
        for (size_t i = 0; any && i < nodes; i++)
            patch[i] |= f->touched[i];
        break;
    case SLIP_STATIC_TEETH:
        memset(f->wanted, 0, nodes);
        if (f->basis.count > 0 && !any)
            keep_lively(m, k, f);
        any = any || memchr(f->wanted, 1, nodes);
        for (size_t i = 0; i < nodes; i++) {
            patch[i] |= f->touched[i]; /* a patch that is too small grows */
            f->wanted[i] = any && patch[i];
        }
        break;
    }
    return is_changed(g, f);
}

/* ---- What becomes of the motion. */

/* Replaces the basis by that of the wanted set and projects the motion onto it: p, and momenta without w. */
static int change_basis(slip_context *ctx, slip_gear_modal *m, slip_modal_gear *g, slip_modal_flank *f,
                        double *p, double *momenta)
{
    const double *x = m->state, *v = m->state + m->count;
    slip_gear_basis old = f->basis;
    f->switch_moved += slip_modal_distance(m, f, f->searched);
    f->size_before = slip_modal_distance(m, f, NULL);
    f->changed = true;
    memcpy(f->set, f->wanted, (size_t)g->wheel->nodes);
    if (g->reduction == SLIP_STATIC_ALL) {
        f->basis = g->full;
        if (!f->set[0])
            slip_gear_basis_clear(&f->basis);
    } else {
        SLIP_PASS(slip_gear_basis_make(ctx, &g->attachment, f->keep, f->set, m->scratch, &g->spare));
        f->basis = g->spare;
        g->spare = old;
    }
    slip_gear_basis_carry(&g->attachment, &old, x + f->at, v + f->at, &f->basis, m->scratch, p, momenta);
    m->switches++;
    return SLIP_OK;
}

/* Computes coordinates nx and velocities nv of a gear after switching. at: their first index in the new
 * state. */
static int switch_gear(slip_context *ctx, slip_gear_modal *m, int k, int at, double *nx, double *nv)
{
    slip_modal_gear *g = &m->gear[k];
    const double *x = m->state, *v = m->state + m->count;
    int modes = g->wheel->modes, next = at + 1 + modes;
    double speed = v[g->at], *c = g->coupling;
    slip_floating_terms t =
        slip_floating_inertia(g->wheel->frame, speed, x + g->at + 1, v + g->at + 1, c, g->load);
    memcpy(nx + at, x + g->at, sizeof(double) * (size_t)(1 + modes));
    for (int i = 0; i < modes; i++)
        nv[at + 1 + i] = v[g->at + 1 + i] + speed * c[i];
    for (int i = 0; i < g->flank_count; i++) {
        slip_modal_flank *f = g->flanks[i];
        double *p = nx + next, *momenta = nv + next;
        if (g->reduction == SLIP_STATIC_NONE || !is_changed(g, f)) {
            memcpy(p, x + f->at, sizeof(double) * (size_t)f->basis.count);
            memcpy(momenta, v + f->at, sizeof(double) * (size_t)f->basis.count);
        } else {
            SLIP_PASS(change_basis(ctx, m, g, f, p, momenta));
            slip_modal_fill_local(m, k, f);
        }
        for (int j = 0; j < f->basis.count; j++) {
            c[next - at - 1 + j] = slip_modal_sign(f) * f->basis.rotation[j];
            momenta[j] += speed * c[next - at - 1 + j];
            t.moment += 2 * f->basis.spread[j] * p[j];
        }
        f->at = next;
        next += f->basis.count;
    }
    g->at = at;
    g->count = next - at;
    const double *pi = nv + at + 1;
    double along = slip_dense_dot(g->count - 1, c, pi), square = slip_dense_dot(g->count - 1, c, c);
    nv[at] = g->side->driven ? speed : (g->momentum_before - along) / (t.moment - square);
    slip_modal_add(g->count - 1, -nv[at], c, nv + at + 1);
    return SLIP_OK;
}

/* Adds the jump of the surface to the motion since the last search: the jump is the part of the displacement
 * that the new vectors cannot represent. */
static void remember_changed(slip_gear_modal *m)
{
    for (int k = 0; k < m->gear_count; k++)
        for (int i = 0; i < m->gear[k].flank_count; i++) {
            slip_modal_flank *f = m->gear[k].flanks[i];
            double after = slip_modal_distance(m, f, NULL);
            if (f->changed)
                slip_modal_remember_search(
                    m, f, f->switch_moved + sqrt(fmax(f->size_before * f->size_before - after * after, 0)));
            f->changed = false;
        }
}

int slip_gear_modal_switch(slip_context *ctx, slip_gear_modal *m, bool *changed)
{
    int at = 0;
    const size_t of_sums = sizeof(double) * (size_t)slip_modal_sums(m);
    double *nx = m->next, *nv = m->next + m->capacity, *sums = nv + m->capacity;
    *changed = false;
    find_touched(m);
    m->peak = fmax(m->peak, m->totals.normal_force);
    for (int k = 0; k < m->gear_count; k++)
        for (int i = 0; i < m->gear[k].flank_count; i++)
            *changed = choose_set(m, k, m->gear[k].flanks[i]) || *changed;
    if (!*changed || m->missed)
        return SLIP_OK;
    slip_modal_account before = slip_gear_modal_measure(m);
    m->unsettled = before.kinetic + before.strain + m->totals.energy;
    for (int k = 0; k < m->gear_count; k++) {
        m->gear[k].momentum_before = m->gear[k].momentum;
        SLIP_PASS(switch_gear(ctx, m, k, at, nx, nv));
        at += m->gear[k].count;
    }
    memcpy(sums, m->state + 2 * m->count, of_sums);
    m->count = at;
    memcpy(m->state, nx, sizeof(double) * (size_t)at);
    memcpy(m->state + at, nv, sizeof(double) * (size_t)at);
    remember_changed(m);
    slip_gear_modal_measure(m);
    for (int k = 0; k < m->gear_count; k++)
        if (m->gear[k].side->driven) { /* the drive takes what changes */
            double impulse = m->gear[k].momentum - m->gear[k].momentum_before,
                   work = impulse * nv[m->gear[k].at];
            sums[SLIP_MODAL_IMPULSE + k] += impulse;
            sums[SLIP_MODAL_WORK] += work;
            m->unsettled += work;
        }
    memcpy(m->state + 2 * m->count, sums, of_sums);
    return SLIP_OK;
}

void slip_gear_modal_settle(slip_gear_modal *m)
{
    slip_modal_account after = slip_gear_modal_measure(m);
    double taken = m->unsettled - after.kinetic - after.strain - m->totals.energy;
    m->switched += taken;
    m->state[2 * m->count + SLIP_MODAL_LOST] += taken;
}
