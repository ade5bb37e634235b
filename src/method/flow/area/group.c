/* Patches that can only come to rest together, such as the feet of one rigid body. One of them, the leader,
 * represents the group: from its slip s that of patch i is G_i s, where G_i is constant or depends on the
 * place of the body. The motion depends only on the sum of their friction along s, sum of mu_i N_i G_i^T
 * T_i(G_i s), which is the limit surface of one area (patch/sum.c).
 *
 * In stick only the sum of their forces is determined. If the load is xi times the limit of the sum, reached
 * by slip in direction d, patch i takes the force -xi static_ratio_i mu_i N_i T_i(G_i d). So each stays
 * within its own limit. */
#include "method/flow/area/patch.h"

#include <math.h>
#include <stdlib.h>

/* ---- Which patches form a group. */

/* Rows of the slip velocities at (t, q) in units of the area, followed by the velocities of belts. */
static void slip_rows(slip_flow *flow, const slip_flow_patch *p, double t, const double *q, const double *v,
                      double *rows)
{
    const int n = flow->n;
    double slip[3];
    slip_flow_patch_slip(flow, p, t, q, v, slip);
    for (int part = 0; part < 3; part++) {
        const double *row = slip_system_patch_row(flow->system, flow->work, p->contact, part);
        double *to = rows + part * (n + 1), scale = part == 2 ? p->form->size : 1;
        to[n] = slip[part];
        for (int i = 0; i < n; i++) {
            to[i] = scale * row[i];
            to[n] -= to[i] * v[i];
        }
    }
}

/* Whether slip of b vanishes wherever slip of a does: the rows of b, with their constant terms, are linear
 * combinations of those of a. Gram-Schmidt in `rows`, 6 (n + 1) numbers. */
static bool vanishes_with(slip_flow *flow, const slip_flow_patch *a, const slip_flow_patch *b, double t,
                          const double *q, const double *v, double *rows)
{
    const int m = flow->n + 1;
    int rank = 0;
    slip_rows(flow, a, t, q, v, rows);
    slip_rows(flow, b, t, q, v, rows + 3 * m);
    for (int k = 0; k < 6; k++) {
        double *row = rows + k * m, *to = rows + rank * m, before = 0, after = 0;
        for (int i = 0; i < m; i++)
            before += row[i] * row[i];
        for (int j = 0; j < rank; j++) {
            double overlap = 0;
            for (int i = 0; i < m; i++)
                overlap += row[i] * rows[j * m + i];
            for (int i = 0; i < m; i++)
                row[i] -= overlap * rows[j * m + i];
        }
        for (int i = 0; i < m; i++)
            after += row[i] * row[i];
        if (after <= 1e-20 * before)
            continue;
        if (k >= 3)
            return false;
        for (int i = 0; i < m; i++)
            to[i] = row[i] / sqrt(after);
        rank++;
    }
    return true;
}

/* The same here and at some nearby coordinates and times, which excludes coincidence at one state. */
static bool always_vanishes_with(slip_flow *flow, const slip_flow_patch *a, const slip_flow_patch *b,
                                 double *numbers)
{
    const int n = flow->n;
    double *q = numbers, *rows = numbers + n;
    for (int trial = 0; trial < 3; trial++) {
        const double far = 0.1 * trial * (1 + 0.37 * trial);
        for (int i = 0; i < n; i++)
            q[i] = flow->q[i] + far * sin(1 + 1.7 * i + trial);
        if (!vanishes_with(flow, a, b, flow->t + 0.7 * far, q, flow->v, rows))
            return false;
    }
    return true;
}

static int refuse_one_sided(slip_flow *flow, const slip_flow_patch *a, const slip_flow_patch *b)
{
    return slip_fail(
        flow->ctx, SLIP_ERROR_MODEL,
        "contacts `%s` and `%s`: where the first patch comes to rest the second does, too, but not "
        "the other way round, and method `event` cannot tell how they share the load; give both "
        "the same slip velocities, or use `moreau`, or `smooth` with the law `sqrt`",
        flow->system->contacts[a->contact].name, flow->system->contacts[b->contact].name);
}

static bool make_sum(slip_flow *flow, slip_flow_patch *leader)
{
    int count = 0;
    slip_patch_part *parts;
    for (slip_flow_patch *p = leader; p; p = p->next)
        count++;
    if (count == 1)
        return true;
    parts = slip_arena_array(&flow->arena, count, sizeof *parts);
    leader->sum = slip_arena_alloc(&flow->arena, sizeof *leader->sum);
    if (!parts || !leader->sum)
        return false;
    slip_patch_sum_prepare(leader->sum, count, parts);
    for (slip_flow_patch *p = leader; p; p = p->next, parts++)
        parts->patch = p->form->law;
    return true;
}

int slip_flow_patch_group(slip_flow *flow)
{
    SLIP_FREED double *numbers = slip_alloc(7 * ((int64_t)flow->n + 1), sizeof *numbers);
    int status = numbers ? SLIP_OK : slip_fail_memory(flow->ctx);
    for (int b = 0; b < flow->areas.count && status == SLIP_OK; b++) {
        slip_flow_patch *second = &flow->areas.list[b];
        for (int a = 0; a < b && status == SLIP_OK && second->leader == second; a++) {
            slip_flow_patch *first = &flow->areas.list[a], *last = first;
            bool there, back;
            /* patches with a gap form no groups: system/share.c shares forces that are not unique */
            if (first->leader != first || flow->system->contacts[first->contact].has_gap ||
                flow->system->contacts[second->contact].has_gap)
                continue;
            there = always_vanishes_with(flow, first, second, numbers);
            back = always_vanishes_with(flow, second, first, numbers);
            if (there != back)
                status = refuse_one_sided(flow, there ? first : second, there ? second : first);
            if (!there || !back)
                continue;
            while (last->next)
                last = last->next;
            last->next = second;
            second->leader = first;
        }
    }
    for (int k = 0; k < flow->areas.count && status == SLIP_OK; k++)
        if (slip_flow_patch_leads(&flow->areas.list[k]) && !make_sum(flow, &flow->areas.list[k]))
            status = slip_fail_memory(flow->ctx);
    return status;
}

/* ---- From the leader's slip to that of the others. */

void slip_flow_patch_map(slip_flow *flow, slip_flow_patch *leader)
{
    int k = 1;
    if (!leader->sum)
        return;
    for (int i = 0; i < 9; i++)
        leader->sum->parts[0].map[i] = i % 4 == 0;
    for (slip_flow_patch *p = leader->next; p; p = p->next, k++)
        slip_system_patch_map(flow->system, flow->work, leader->contact, leader->rank, leader->basis,
                              p->contact, leader->sum->parts[k].map);
}

void slip_flow_patch_aim_others(const slip_flow_patch *leader)
{
    int k = 1;
    for (slip_flow_patch *p = leader->next; p; p = p->next, k++) {
        const double *G = leader->sum->parts[k].map;
        for (int i = 0; i < 3; i++)
            p->user[i] = slip_area_dot(G + 3 * i, leader->direction);
        p->user[2] /= p->form->size;
    }
}

/* ---- The limit surface of a group. */

const slip_patch *slip_flow_patch_law(slip_flow *flow, const slip_flow_patch *leader, bool held,
                                      double *strength)
{
    int k = 0;
    *strength = 0;
    for (const slip_flow_patch *p = leader; p; p = p->next, k++) {
        const slip_patch_form *form = p->form;
        const double own = (held ? form->static_ratio : 1) *
                           flow->work->patch_mu[flow->system->contacts[p->contact].vector] *
                           flow->work->contacts[p->contact].normal;
        *strength += own;
        if (leader->sum)
            leader->sum->parts[k].weight = own;
    }
    if (!leader->sum)
        return leader->form->law;
    for (k = 0; k < leader->sum->part_count; k++) {
        double *weight = &leader->sum->parts[k].weight;
        *weight = *strength > 0 ? *weight / *strength : 1.0 / leader->sum->part_count;
    }
    return leader->sum;
}

void slip_flow_patch_load(slip_flow *flow, const slip_flow_patch *leader, double u[3])
{
    double total[3] = {0, 0, 0};
    int k = 0;
    for (const slip_flow_patch *p = leader; p; p = p->next, k++) {
        const slip_patch_form *form = p->form;
        const double *force = flow->work->patches[flow->system->contacts[p->contact].vector].force;
        const double area[3] = {force[0], force[1], force[2] / form->size};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                total[i] += (leader->sum ? leader->sum->parts[k].map[3 * j + i] : i == j) * area[j];
    }
    for (int i = 0; i < leader->rank; i++)
        u[i] = slip_area_dot(total, leader->basis + 3 * i);
}

/* ---- Forces in stick. */

static void share(slip_flow *flow, slip_flow_patch *leader)
{
    double u[3], z[3], ratio, strength, d[3] = {0, 0, 0};
    const slip_patch *law;
    int k = 0;
    slip_flow_patch_refresh(flow, leader);
    law = slip_flow_patch_law(flow, leader, true, &strength);
    slip_flow_patch_load(flow, leader, u);
    if (slip_patch_limit_within(flow->ctx, law, leader->rank, leader->basis, u, &ratio, z) < 0)
        return;
    for (int i = 0; i < leader->rank; i++)
        for (int j = 0; j < 3; j++)
            d[j] += z[i] * leader->basis[3 * i + j];
    for (slip_flow_patch *p = leader; p; p = p->next, k++) {
        const slip_patch_form *form = p->form;
        const slip_patch_part *part = &leader->sum->parts[k];
        double own[3], T[3] = {0, 0, 0},
                       *force = flow->work->patches[flow->system->contacts[p->contact].vector].force;
        for (int i = 0; i < 3; i++)
            own[i] = slip_area_dot(part->map + 3 * i, d);
        if (ratio > 0)
            slip_patch_surface(form->law, own, T, NULL);
        for (int i = 0; i < 3; i++)
            force[i] = -ratio * part->weight * T[i] * (i == 2 ? form->size : 1);
        flow->work->contacts[p->contact].force =
            slip_contact_force_size(&flow->system->contacts[p->contact], force);
    }
}

void slip_flow_patch_share(slip_flow *flow)
{
    for (int k = 0; k < flow->areas.count; k++) {
        slip_flow_patch *p = &flow->areas.list[k];
        if (p->sum && flow->branches[p->contact].mode == SLIP_MODE_STICK)
            share(flow, p);
    }
}
