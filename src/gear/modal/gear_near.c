/* The list of near nodes, which can come into contact before the next search: see gear_modal.h. */
#include "gear/modal/gear_modal.h"

#include "math/columns.h"

#include <math.h>
#include <string.h>

/* Beyond its rim a flank moves by more than its nodes (flank_contact.h). */
static const double rim = 1.21;

/* A search is due when this share of the margin is used up: one step uses less than what remains. */
static const double share = 0.8;

/* ---- How far. */

double slip_modal_distance(const slip_gear_modal *m, const slip_modal_flank *f, const double *from)
{
    const double *p = m->state + f->at;
    double sum = 0;
    for (int i = 0; i < f->basis.count; i++) {
        double change = from ? p[i] - from[i] : p[i];
        sum += f->basis.square[i] * change * change;
    }
    return sqrt(sum);
}

/* An upper bound of the motion of any node of a gear since the last search. */
static double motion(const slip_gear_modal *m, const slip_modal_gear *g)
{
    const double *x = m->state + g->at, *square = g->wheel->frame->square;
    double sum = 0, attachment = 0;
    for (int i = 0; i < g->flank_count; i++)
        attachment = fmax(attachment, g->flanks[i]->switch_moved +
                                          slip_modal_distance(m, g->flanks[i], g->flanks[i]->searched));
    for (int i = 0; i < g->wheel->modes; i++)
        sum += square[i] * (x[1 + i] - g->q[i]) * (x[1 + i] - g->q[i]);
    return g->tip_radius * fabs(x[0] - g->angle) + g->mode_reach * sqrt(sum) +
           g->attachment_reach * attachment;
}

void slip_modal_remember_search(const slip_gear_modal *m, slip_modal_flank *f, double moved)
{
    f->switch_moved = moved;
    memcpy(f->searched, m->state + f->at, sizeof(double) * (size_t)f->basis.count);
}

static void remember(slip_gear_modal *m)
{
    for (int k = 0; k < m->gear_count; k++) {
        slip_modal_gear *g = &m->gear[k];
        g->angle = m->state[g->at];
        for (int i = 0; i < g->flank_count; i++)
            slip_modal_remember_search(m, g->flanks[i], 0);
        memcpy(g->q, m->state + g->at + 1, sizeof(double) * (size_t)g->wheel->modes);
    }
}

/* ---- Looking. */

/* Computes the positions of all nodes of a flank. */
static void place_flank(slip_gear_modal *m, const slip_modal_pair *p, int k, int flank)
{
    const slip_modal_gear *g = &m->gear[p->gear[k]];
    const slip_gear_wheel *w = g->wheel;
    const slip_modal_flank *f = slip_modal_find(g, flank);
    double *u = m->scratch, *du = u + w->size, *a = du + w->size;
    slip_columns_apply(true, w->modes, w->size, 1, w->rows[flank], w->modes, m->state + g->at + 1, 0, u);
    if (f && f->basis.count > 0) {
        slip_gear_basis_displace(&g->attachment, &f->basis, m->state + f->at, a, du);
        for (int i = 0; i < w->size; i++)
            u[i] += flank % 2 && i % 3 == 1 ? -du[i] : du[i];
    }
    slip_gear_pair_place(p->pair, k, flank, u, 0, NULL);
}

/* Selects those pairs of facing flanks that may be close, by the last searches. */
static void choose_pairs(slip_gear_modal *m, const slip_modal_pair *of)
{
    slip_gear_pair *pair = of->pair;
    int count = 0;
    for (int p = 0; p < pair->pair_count; p++) {
        const int *s = pair->pairs[p].surface;
        if (of->clear[s[0]].partner == s[1] && of->odometer < of->clear[s[0]].until)
            continue;
        pair->pairs[count++] = pair->pairs[p];
        for (int k = 0; k < 2; k++)
            place_flank(m, of, k, s[k]);
    }
    pair->pair_count = count;
}

static double least_clearance(const slip_gear_pair *of, const slip_flank_pair *pair)
{
    double least = INFINITY;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < of->gear[k]->nodes; i++)
            least = fmin(least, slip_flank_contact_clearance(of->contact, k, pair->surface[k], i));
    return least;
}

static void drop_far_pairs(slip_modal_pair *of)
{
    slip_gear_pair *pair = of->pair;
    int count = 0;
    for (int p = 0; p < pair->pair_count; p++) {
        const int *s = pair->pairs[p].surface;
        double least = least_clearance(pair, &pair->pairs[p]);
        of->clear[s[0]].partner = s[1];
        of->clear[s[0]].until = of->odometer + least - of->margin;
        if (least < of->margin)
            pair->pairs[count++] = pair->pairs[p];
    }
    pair->pair_count = count;
}

/* ---- Lists. */

/* Removes flanks from the list that are neither close nor have attachment modes. */
static void drop_flanks(slip_modal_gear *g)
{
    int count = 0;
    for (int i = 0; i < g->flank_count; i++) {
        slip_modal_flank *f = g->flanks[i];
        if (!f->close && f->basis.count == 0)
            continue;
        g->flanks[i] = g->flanks[count];
        g->flanks[count++] = f;
    }
    g->flank_count = count;
}

static int list_flank(slip_context *ctx, slip_modal_gear *g, int flank, slip_modal_flank **found)
{
    *found = slip_modal_find(g, flank);
    if (*found)
        return SLIP_OK;
    if (g->flank_count == g->flank_capacity)
        return slip_fail(ctx, SLIP_ERROR_SOLVER, "%s: more than %d flanks are in contact", g->wheel->name,
                         g->flank_capacity);
    *found = g->flanks[g->flank_count++];
    (*found)->flank = flank;
    (*found)->at = g->at + g->count;
    slip_gear_basis_clear(&(*found)->basis);
    (*found)->switch_moved = 0;
    memset((*found)->set, 0, (size_t)g->wheel->nodes);
    return SLIP_OK;
}

/* Nodes of a flank that can touch the other, and the facets below them with a ring of nodes around. */
static void mark_near(const slip_modal_pair *p, int k, slip_modal_flank *slave, slip_modal_flank *master)
{
    const slip_flank_touch *touch = slip_flank_contact_touches(p->pair->contact, k, slave->flank);
    const slip_flank_surface *s = &p->pair->surfaces[1 - k][master->flank];
    for (int i = 0; i < p->pair->gear[k]->nodes; i++, touch++) {
        if (!(slip_flank_contact_clearance(p->pair->contact, k, slave->flank, i) < p->margin))
            continue;
        slave->is_near[i] = 1;
        for (int row = touch->row - 1; row <= touch->row + 2; row++)
            for (int column = touch->column - 1; column <= touch->column + 2; column++)
                if (row >= 0 && row < s->rows && column >= 0 && column < s->columns)
                    master->is_near[row * s->columns + column] = 1;
    }
}

void slip_modal_fill_local(slip_gear_modal *m, int k, slip_modal_flank *f)
{
    const slip_modal_gear *g = &m->gear[k];
    size_t n = (size_t)f->basis.count;
    if (n == 0 || f->near_count == 0)
        return;
    if (g->reduction != SLIP_STATIC_ALL) {
        slip_gear_basis_rows(&g->attachment, &f->basis, f->flank % 2, f->near_count, f->near, m->scratch,
                             f->local);
        return;
    }
    for (int i = 0; i < 3 * f->near_count; i++) {
        const double *from = g->full_rows + (size_t)(3 * f->near[i / 3] + i % 3) * n;
        double *to = f->local + (size_t)i * n, sign = f->flank % 2 && i % 3 == 1 ? -1 : 1;
        for (size_t j = 0; j < n; j++)
            to[j] = sign * from[j];
    }
}

static void fill_rows(slip_gear_modal *m, int k, slip_modal_flank *f)
{
    const slip_gear_wheel *w = m->gear[k].wheel;
    size_t modes = (size_t)w->modes;
    f->near_count = 0;
    for (int i = 0; i < w->nodes; i++)
        if (f->is_near[i]) {
            memcpy(f->shape + 3 * (size_t)f->near_count * modes, w->rows[f->flank] + 3 * (size_t)i * modes,
                   3 * modes * sizeof(double));
            f->near[f->near_count++] = i;
        }
    slip_modal_fill_local(m, k, f);
}

static int list_near(slip_context *ctx, slip_gear_modal *m, const slip_modal_pair *of)
{
    const slip_gear_pair *pair = of->pair;
    for (int p = 0; p < pair->pair_count; p++) {
        slip_modal_flank *f[2];
        for (int k = 0; k < 2; k++) {
            SLIP_PASS(list_flank(ctx, &m->gear[of->gear[k]], pair->pairs[p].surface[k], &f[k]));
            f[k]->close = f[k]->faces = true;
            f[k]->pair = (int)(of - m->pairs);
            f[k]->side = k;
            memset(f[k]->is_near, 0, (size_t)pair->gear[k]->nodes);
        }
        for (int k = 0; k < 2; k++)
            mark_near(of, k, f[k], f[1 - k]);
        for (int k = 0; k < 2; k++)
            fill_rows(m, of->gear[k], f[k]);
    }
    return SLIP_OK;
}

/* Whether gears have moved so far that nodes may be near which are not listed. */
static bool is_due(slip_gear_modal *m)
{
    bool due = m->missed;
    for (int p = 0; p < m->pair_count; p++) {
        slip_modal_pair *own = &m->pairs[p];
        own->moved =
            m->missed ? 0 : motion(m, &m->gear[own->gear[0]]) + rim * motion(m, &m->gear[own->gear[1]]);
        due = due || !(own->moved < share * own->margin);
    }
    return due;
}

/* Which flanks face each other at the angles of now. */
static void face(slip_gear_modal *m)
{
    for (int k = 0; k < m->gear_count; k++)
        for (int i = 0; i < m->gear[k].flank_count; i++) {
            m->gear[k].flanks[i]->close = m->gear[k].flanks[i]->faces = false;
            m->gear[k].flanks[i]->near_count = 0;
        }
    for (int p = 0; p < m->pair_count; p++) {
        const slip_modal_pair *own = &m->pairs[p];
        const double angle[2] = {m->state[m->gear[own->gear[0]].at], m->state[m->gear[own->gear[1]].at]};
        slip_gear_pair_turn(own->pair, angle);
        for (int i = 0; i < own->pair->pair_count; i++)
            for (int k = 0; k < 2; k++) {
                slip_modal_flank *f = slip_modal_find(&m->gear[own->gear[k]], own->pair->pairs[i].surface[k]);
                if (f)
                    f->faces = true;
            }
    }
}

int slip_gear_modal_follow(slip_context *ctx, slip_gear_modal *m)
{
    if (!is_due(m))
        return SLIP_OK;
    for (int p = 0; p < m->pair_count; p++) {
        if (m->missed) /* nothing that was seen before counts */
            slip_modal_forget(m, &m->pairs[p]);
        else
            m->pairs[p].odometer += m->pairs[p].moved;
    }
    m->missed = false;
    remember(m);
    face(m);
    for (int p = 0; p < m->pair_count; p++) {
        slip_modal_pair *own = &m->pairs[p];
        choose_pairs(m, own);
        slip_flank_contact_renew(own->pair->contact, 4 * own->margin);
        slip_gear_pair_touch(own->pair);
        drop_far_pairs(own);
        SLIP_PASS(list_near(ctx, m, own));
    }
    for (int k = 0; k < m->gear_count; k++)
        drop_flanks(&m->gear[k]);
    return SLIP_OK;
}

/* ---- The judge. */

/* Passes the nodal forces of a flank in the last evaluation to the judge. */
static void charge_flank(slip_gear_pair *pair, int k, int flank)
{
    const slip_flank_touch *touch = slip_flank_contact_touches(pair->contact, k, flank);
    const size_t first = (size_t)flank * (size_t)pair->gear[k]->nodes;
    slip_gear_pair_clear(pair, k, flank);
    for (int i = 0; i < pair->gear[k]->nodes; i++)
        if (touch[i].normal_force > 0) {
            pair->judge.force[k][first + (size_t)i] = touch[i].normal_force;
            pair->judge.soft[k][first + (size_t)i] = 1 / touch[i].stiffness;
        }
}

double slip_gear_modal_judge(slip_gear_modal *m)
{
    double worst = 0;
    for (int i = 0; i < m->pair_count; i++) {
        const slip_modal_pair *own = &m->pairs[i];
        slip_flank_pair pairs[slip_tooth_pairs_max];
        const int count = slip_gear_pair_facing(own->pair, pairs);
        slip_gear_pair_judge_begin(own->pair);
        for (int p = 0; p < count; p++)
            for (int k = 0; k < 2; k++) {
                place_flank(m, own, k, pairs[p].surface[k]);
                charge_flank(own->pair, k, pairs[p].surface[k]);
            }
        worst = fmax(worst, slip_gear_pair_judge(own->pair, count, pairs));
    }
    return worst;
}
