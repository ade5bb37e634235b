/* Gears by modes and attachment modes: making, equations of motion, energies. The theory is in the
 * header. */
#include "gear/modal/gear_modal.h"

#include "math/columns.h"
#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The margin of near nodes, in modules: some facets beside the contact, and seldom used up. */
static const double margin_modules = 2e-3;

/* Where attachment modes are switched, so many attachment vectors of the whole flank are on beside them, but
 * not more than a quarter of all. At the published size these go up to 0.5 MHz, and away from the changes of
 * the set the contact force is that of "all" to 0.3 % of the peak whatever the number of eigenmodes, with 30
 * of them to 1.6 %, with none to 8 % (measured as by bench_gear_run FOLDER switch). */
enum { kept_most = 50 };

/* ---- Making. */

static slip_gear_static find_reduction(const char *name)
{
    return strcmp(name, "all") == 0            ? SLIP_STATIC_ALL
           : strcmp(name, "switch") == 0       ? SLIP_STATIC_SWITCH
           : strcmp(name, "switch_teeth") == 0 ? SLIP_STATIC_TEETH
                                               : SLIP_STATIC_NONE;
}

static int make_flank(slip_context *ctx, slip_arena *arena, const slip_modal_gear *g,
                      slip_modal_flank **flank)
{
    const slip_gear_wheel *w = g->wheel;
    slip_modal_flank *f = *flank = slip_arena_array(arena, 1, sizeof *f);
    SLIP_PASS(slip_allocated(ctx, f));
    f->near = slip_arena_array(arena, w->nodes, sizeof *f->near);
    f->is_near = slip_arena_array(arena, 4 * (int64_t)w->nodes, 1);
    f->shape = slip_arena_array(arena, (int64_t)w->size * w->modes, sizeof(double));
    f->displacement = slip_arena_array(arena, 4 * (int64_t)w->size, sizeof(double));
    if (g->reduction != SLIP_STATIC_NONE)
        f->local = slip_arena_array(arena, (int64_t)w->size * w->size, sizeof(double));
    if (!f->near || !f->is_near || !f->shape || !f->displacement ||
        (!f->local && g->reduction != SLIP_STATIC_NONE))
        return slip_fail_memory(ctx);
    f->touched = f->is_near + w->nodes;
    f->set = f->touched + w->nodes;
    f->wanted = f->set + w->nodes;
    f->rate = f->displacement + w->size;
    f->force = f->rate + w->size;
    f->searched = f->force + w->size;
    if (g->reduction == SLIP_STATIC_SWITCH || g->reduction == SLIP_STATIC_TEETH)
        return slip_gear_basis_reserve(ctx, arena, w->size, &f->basis);
    return SLIP_OK;
}

static int make_residual(slip_context *ctx, slip_gear_modal *m, slip_modal_gear *g)
{
    int count = g->reduction == SLIP_STATIC_ALL  ? 0
                : g->wheel->size < 4 * kept_most ? g->wheel->size / 4
                                                 : kept_most;
    return slip_gear_attachment_make(ctx, &m->arena, g->wheel, count, &g->attachment);
}

/* The basis of all nodes, and its rows. */
static int make_full(slip_context *ctx, slip_gear_modal *m, slip_modal_gear *g)
{
    const slip_gear_wheel *w = g->wheel;
    SLIP_FREED int *nodes = slip_alloc(w->nodes, sizeof *nodes);
    SLIP_FREED unsigned char *set = slip_alloc(w->nodes, 1);
    g->full_rows = slip_arena_array(&m->arena, (int64_t)w->size * w->size, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, g->full_rows && nodes && set));
    for (int i = 0; i < w->nodes; i++) {
        nodes[i] = i;
        set[i] = 1;
    }
    SLIP_PASS(slip_gear_basis_reserve(ctx, &m->arena, w->size, &g->full));
    SLIP_PASS(slip_gear_basis_make(ctx, &g->attachment, false, set, m->scratch, &g->full));
    slip_gear_basis_rows(&g->attachment, &g->full, false, w->nodes, nodes, m->scratch, g->full_rows);
    return SLIP_OK;
}

/* c_1 and c_2: roots of the largest trace of a node's flexibility in the modes and in the attachment modes.
 * They are the same for all flanks, since no pair of equal frequencies is split. */
static void find_reach(slip_gear_modal *m, slip_modal_gear *g)
{
    const slip_gear_wheel *w = g->wheel;
    const slip_modal_pair *p = m->pairs;
    while (&m->gear[p->gear[0]] != g && &m->gear[p->gear[1]] != g)
        p++;
    const double *rows = w->rows[p->pair->pairs[0].surface[&m->gear[p->gear[1]] == g]];
    double modes = 0, attachment = 0;
    for (int i = 0; i < w->nodes; i++) {
        double sum = 0, own = 0;
        for (int j = 3 * i; j < 3 * i + 3; j++) {
            for (int k = 0; k < w->modes; k++)
                sum += pow(rows[(size_t)j * (size_t)w->modes + (size_t)k], 2) / w->frame->square[k];
            if (w->remainder.flexibility)
                own += w->remainder.flexibility[(size_t)j * (size_t)w->size + (size_t)j];
        }
        modes = fmax(modes, sum);
        attachment = fmax(attachment, own);
    }
    g->mode_reach = sqrt(modes);
    g->attachment_reach = sqrt(attachment);
}

static int make_gear(slip_context *ctx, slip_gear_modal *m, int k)
{
    slip_modal_gear *g = &m->gear[k];
    slip_gear_wheel *w = g->wheel;
    int most = 1 + w->modes + (g->reduction != SLIP_STATIC_NONE ? w->size * g->flank_capacity : 0);
    g->flanks = slip_arena_array(&m->arena, g->flank_capacity, sizeof *g->flanks);
    g->coupling = slip_arena_array(&m->arena, most, sizeof(double));
    g->load = slip_arena_array(&m->arena, most, sizeof(double));
    g->q = slip_arena_array(&m->arena, w->modes, sizeof(double));
    g->patch = slip_arena_array(&m->arena, (int64_t)w->flanks * w->nodes, 1);
    SLIP_PASS(slip_allocated(ctx, g->flanks && g->coupling && g->load && g->q && g->patch));
    for (int i = 0; i < g->flank_capacity; i++)
        SLIP_PASS(make_flank(ctx, &m->arena, g, &g->flanks[i]));
    if (g->reduction != SLIP_STATIC_NONE)
        SLIP_PASS(make_residual(ctx, m, g));
    if (g->reduction == SLIP_STATIC_ALL)
        SLIP_PASS(make_full(ctx, m, g));
    else if (g->reduction != SLIP_STATIC_NONE)
        SLIP_PASS(slip_gear_basis_reserve(ctx, &m->arena, w->size, &g->spare));
    find_reach(m, g);
    m->capacity += most;
    return SLIP_OK;
}

/* Adds the pair of a mesh, and its reductions and memory to both gears. */
static int take_pair(slip_context *ctx, slip_gear_modal *m, const slip_gear_group *group, int index)
{
    const slip_gear_meshing *mesh = &group->meshes[index];
    slip_modal_pair *p = &m->pairs[index];
    double angle[2];
    p->margin = margin_modules * group->gears[mesh->gear[0]].module;
    p->friction = mesh->options->friction != NULL;
    m->friction = m->friction || p->friction;
    p->penalty = mesh->options->penalty;
    memcpy(p->gear, mesh->gear, sizeof p->gear);
    for (int k = 0; k < 2; k++) {
        slip_modal_gear *g = &m->gear[p->gear[k]];
        angle[k] = p->pair->wheels[k].angle;
        g->start = p->pair->owned[k] ? angle[k] : g->start;
        g->wheel = p->pair->gear[k];
        g->tip_radius = p->pair->wheels[k].tip_radius;
        if (g->reduction != SLIP_STATIC_NONE)
            SLIP_PASS(slip_gear_pair_need_remainder(ctx, p->pair, k));
    }
    slip_gear_pair_turn(p->pair, angle);
    for (int k = 0; k < 2; k++) /* as the gears turn, one more tooth of each may come in, on each side */
        m->gear[p->gear[k]].flank_capacity += p->pair->pair_count + 4;
    p->clear = slip_arena_array(&m->arena, m->gear[p->gear[0]].wheel->flanks, sizeof *p->clear);
    return slip_allocated(ctx, p->clear);
}

static int make_pairs(slip_context *ctx, slip_gear_modal *m, const slip_gear_group *group)
{
    SLIP_FREED slip_gear_wheel **wheels = slip_alloc(group->gear_count, sizeof *wheels);
    SLIP_FREED slip_gear_pair **pairs = slip_alloc(group->mesh_count, sizeof *pairs);
    int status = wheels && pairs ? slip_gear_group_pairs(ctx, group, wheels, pairs) : slip_fail_memory(ctx);
    for (int i = 0; pairs && i < group->mesh_count; i++)
        m->pairs[i].pair = pairs[i];
    for (int i = 0; i < group->mesh_count && status >= 0; i++)
        status = take_pair(ctx, m, group, i);
    return status;
}

static int make_model(slip_context *ctx, slip_gear_modal *m)
{
    int largest = 0;
    for (int k = 0; k < m->gear_count; k++)
        largest = largest > m->gear[k].wheel->size ? largest : m->gear[k].wheel->size;
    m->scratch = slip_arena_array(&m->arena, 2 * (int64_t)largest * largest + largest, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, m->scratch));
    for (int k = 0; k < m->gear_count; k++)
        SLIP_PASS(make_gear(ctx, m, k));
    m->state = slip_arena_array(&m->arena, 2 * (int64_t)m->capacity + slip_modal_sums(m), sizeof(double));
    m->next = slip_arena_array(&m->arena, 2 * (int64_t)m->capacity + slip_modal_sums(m), sizeof(double));
    SLIP_PASS(slip_allocated(ctx, m->state && m->next));
    return SLIP_OK;
}

int slip_gear_modal_create(slip_context *ctx, const slip_gear_group *group, slip_gear_modal **modal)
{
    SLIP_FREED_BY(slip_gear_modal_drop) slip_gear_modal *m = slip_alloc(1, sizeof *m);
    *modal = NULL;
    SLIP_PASS(slip_allocated(ctx, m));
    m->gear = slip_arena_array(&m->arena, group->gear_count, sizeof *m->gear);
    m->pairs = slip_arena_array(&m->arena, group->mesh_count, sizeof *m->pairs);
    SLIP_PASS(slip_allocated(ctx, m->gear && m->pairs));
    m->gear_count = group->gear_count;
    m->pair_count = group->mesh_count;
    for (int k = 0; k < m->gear_count; k++) {
        m->gear[k].side = &group->sides[k];
        m->gear[k].reduction = find_reduction(group->sides[k].reduction);
    }
    SLIP_PASS(make_pairs(ctx, m, group));
    SLIP_PASS(make_model(ctx, m));
    SLIP_HAND(modal, m);
    return SLIP_OK;
}

void slip_gear_modal_destroy(slip_gear_modal *m)
{
    if (!m)
        return;
    for (int p = m->pair_count - 1; p >= 0; p--)
        slip_gear_pair_destroy(m->pairs[p].pair);
    slip_arena_free(&m->arena);
    free(m);
}

void slip_gear_modal_start(slip_gear_modal *m, double angle)
{
    int at = 0;
    memset(m->state, 0, sizeof(double) * (2 * (size_t)m->capacity + (size_t)slip_modal_sums(m)));
    for (int k = 0; k < m->gear_count; k++) {
        slip_modal_gear *g = &m->gear[k];
        for (int i = 0; i < g->flank_count; i++) {
            slip_gear_basis_clear(&g->flanks[i]->basis);
            memset(g->flanks[i]->set, 0, (size_t)g->wheel->nodes);
        }
        g->flank_count = 0;
        g->at = at;
        g->count = 1 + g->wheel->modes;
        at += g->count;
        m->state[g->at] = g->start + (k == 0 ? angle : 0);
    }
    m->count = at;
    for (int k = 0; k < m->gear_count; k++)
        m->state[m->count + m->gear[k].at] = m->gear[k].side->speed;
    for (int p = 0; p < m->pair_count; p++)
        slip_modal_forget(m, &m->pairs[p]);
    m->evaluations = m->switches = 0;
    m->switched = m->peak = 0;
    m->missed = true; /* nothing is near yet */
}

/* With "all" every flank uses the vectors of the gear, which need not be saved. */
static void keep_basis(const slip_modal_gear *g, slip_modal_flank *f, slip_keeper *k)
{
    int count = f->basis.count;
    if (g->reduction == SLIP_STATIC_SWITCH || g->reduction == SLIP_STATIC_TEETH) {
        slip_gear_basis_keep(&f->basis, k);
        return;
    }
    SLIP_KEEP(k, count);
    if (!slip_kept_back(k))
        return;
    f->basis = g->full;
    if (count == 0)
        slip_gear_basis_clear(&f->basis);
}

static void keep_flank(const slip_modal_gear *g, slip_modal_flank *f, slip_keeper *k)
{
    const slip_gear_wheel *w = g->wheel;
    const size_t nodes = (size_t)w->nodes, number = sizeof(double);
    SLIP_KEEP_ALL(k, SLIP_BLOCK(f->flank), SLIP_BLOCK(f->pair), SLIP_BLOCK(f->side), SLIP_BLOCK(f->close),
                  SLIP_BLOCK(f->faces), SLIP_BLOCK(f->near_count), SLIP_BLOCK(f->at),
                  SLIP_BLOCK(f->switch_moved), SLIP_BLOCK(f->keep));
    slip_keep_bytes(k, f->near, sizeof *f->near * nodes);
    slip_keep_bytes(k, f->is_near, 4 * nodes); /* touched, set and wanted are behind it */
    slip_keep_bytes(k, f->displacement, 4 * number * (size_t)w->size); /* rate, force and searched too */
    keep_basis(g, f, k);
    const size_t rows = 3 * (size_t)f->near_count;
    slip_keep_bytes(k, f->shape, number * rows * (size_t)w->modes);
    slip_keep_bytes(k, f->local, number * rows * (size_t)f->basis.count);
}

void slip_gear_modal_keep(slip_gear_modal *m, slip_keeper *k)
{
    SLIP_KEEP(k, m->count);
    slip_keep_bytes(k, m->state, sizeof(double) * (2 * (size_t)m->count + (size_t)slip_modal_sums(m)));
    SLIP_KEEP_ALL(k, SLIP_BLOCK(m->peak), SLIP_BLOCK(m->missed), SLIP_BLOCK(m->evaluations),
                  SLIP_BLOCK(m->switches), SLIP_BLOCK(m->switched), SLIP_BLOCK(m->totals));
    for (int p = 0; p < m->pair_count; p++) {
        slip_modal_pair *own = &m->pairs[p];
        SLIP_KEEP(k, own->odometer);
        slip_keep_bytes(k, own->clear, sizeof *own->clear * (size_t)m->gear[own->gear[0]].wheel->flanks);
        slip_gear_pair_keep(own->pair, k);
    }
    for (int i = 0; i < m->gear_count; i++) {
        slip_modal_gear *g = &m->gear[i];
        const slip_gear_wheel *w = g->wheel;
        SLIP_KEEP_ALL(k, SLIP_BLOCK(g->at), SLIP_BLOCK(g->count), SLIP_BLOCK(g->flank_count),
                      SLIP_BLOCK(g->angle), SLIP_BLOCK(g->moment));
        slip_keep_bytes(k, g->q, sizeof(double) * (size_t)w->modes);
        slip_keep_bytes(k, g->patch, (size_t)w->flanks * (size_t)w->nodes);
        for (int f = 0; f < g->flank_count; f++)
            keep_flank(g, g->flanks[f], k);
    }
}

void slip_modal_forget(const slip_gear_modal *m, slip_modal_pair *p)
{
    for (int f = 0; f < m->gear[p->gear[0]].wheel->flanks; f++)
        p->clear[f].partner = -1;
}

slip_modal_flank *slip_modal_find(const slip_modal_gear *g, int flank)
{
    for (int i = 0; i < g->flank_count; i++)
        if (g->flanks[i]->flank == flank)
            return g->flanks[i];
    return NULL;
}

/* ---- Equations of motion. */

static void place_near(slip_gear_modal *m, const slip_modal_gear *g, const double *x, const double *v)
{
    int modes = g->wheel->modes;
    for (int i = 0; i < g->flank_count; i++) {
        slip_modal_flank *f = g->flanks[i];
        const slip_modal_pair *p = &m->pairs[f->pair];
        int rows = 3 * f->near_count, n = f->basis.count;
        if (!f->close)
            continue;
        for (int rate = 0; rate <= p->friction; rate++) {
            const double *from = rate ? v : x;
            double *to = rate ? f->rate : f->displacement;
            slip_columns_apply(true, modes, rows, 1, f->shape, modes, from + g->at + 1, 0, to);
            if (n > 0)
                slip_columns_apply(true, n, rows, 1, f->local, n, from + f->at, 1, to);
        }
        slip_gear_pair_place_nodes(p->pair, f->side, f->flank, f->near_count, f->near, f->displacement,
                                   v[g->at], p->friction ? f->rate : NULL);
    }
}

/* Adds the contact forces of a flank on the modes, and all but the stiffness on its attachment modes. */
static void load_flank(slip_gear_modal *m, int k, slip_modal_flank *f, const double *x, const double *v,
                       slip_floating_terms *terms)
{
    slip_modal_gear *g = &m->gear[k];
    const slip_gear_basis *b = &f->basis;
    int modes = g->wheel->modes, rows = 3 * f->near_count, n = b->count, own = f->at - g->at - 1;
    double speed = v[g->at], *load = g->load + own, *coupling = g->coupling + own, sign = slip_modal_sign(f);
    for (int i = 0; i < n; i++) {
        load[i] = speed * speed * b->spread[i];
        coupling[i] = sign * b->rotation[i];
        terms->moment += 2 * b->spread[i] * x[f->at + i];
        terms->torque -= 2 * speed * b->spread[i] * v[f->at + i];
    }
    const slip_gear_pair *pair = m->pairs[f->pair].pair;
    if (!f->close || pair->totals.touching == 0)
        return;
    slip_gear_pair_pull_nodes(pair, f->side, f->flank, f->near_count, f->near, f->force);
    slip_columns_apply(false, modes, rows, 1, f->shape, modes, f->force, 1, g->load);
    if (n > 0)
        slip_columns_apply(false, n, rows, 1, f->local, n, f->force, 1, load);
}

static void add_totals(const slip_flank_totals *t, slip_flank_totals *sum)
{
    sum->touching += t->touching;
    sum->normal_force += t->normal_force;
    sum->energy += t->energy;
    sum->lost += t->lost;
    sum->deepest = fmax(sum->deepest, t->deepest);
}

void slip_gear_modal_touch(slip_gear_modal *m, const double *x, const double *v)
{
    m->totals = (slip_flank_totals){0};
    for (int p = 0; p < m->pair_count; p++)
        for (int k = 0; k < 2; k++)
            m->pairs[p].pair->wheels[k].angle = x[m->gear[m->pairs[p].gear[k]].at];
    for (int k = 0; k < m->gear_count; k++) {
        place_near(m, &m->gear[k], x, v);
        m->gear[k].moment = 0;
    }
    for (int p = 0; p < m->pair_count; p++) {
        slip_gear_pair *pair = m->pairs[p].pair;
        slip_gear_pair_touch(pair);
        add_totals(&pair->totals, &m->totals);
        for (int k = 0; k < 2; k++)
            m->gear[m->pairs[p].gear[k]].moment += pair->moment[k];
    }
}

void slip_gear_modal_load(slip_gear_modal *m, int k, const double *x, const double *v,
                          slip_floating_terms *terms)
{
    for (int i = 0; i < m->gear[k].flank_count; i++)
        load_flank(m, k, m->gear[k].flanks[i], x, v, terms);
}

/* load -= square (x + d v); returns the power that damping takes. */
static double spring(int n, const double *square, double damping, const double *x, const double *v,
                     double *load)
{
    double power = 0;
    for (int i = 0; i < n; i++) {
        load[i] -= square[i] * (x[i] + damping * v[i]);
        power += square[i] * v[i] * v[i];
    }
    return damping * power;
}

static void accelerate(slip_gear_modal *m, int k, const double *x, const double *v, double *a, double *sums)
{
    slip_modal_gear *g = &m->gear[k];
    slip_floating *frame = g->wheel->frame;
    int modes = g->wheel->modes, n = g->count - 1;
    const double *q = x + g->at + 1, *rate = v + g->at + 1, speed = v[g->at];
    memset(g->load, 0, sizeof(double) * (size_t)n);
    slip_floating_terms t = slip_floating_inertia(frame, speed, q, rate, g->coupling, g->load);
    slip_gear_modal_load(m, k, x, v, &t);
    double lost = spring(modes, frame->square, g->side->damping, q, rate, g->load);
    for (int i = 0; i < g->flank_count; i++) {
        const slip_modal_flank *f = g->flanks[i];
        lost += spring(f->basis.count, f->basis.square, g->side->static_damping, x + f->at, v + f->at,
                       g->load + f->at - g->at - 1);
    }
    double outside = g->moment + g->side->torque, torque = outside + t.torque;
    double along = slip_dense_dot(n, g->coupling, g->load),
           square = slip_dense_dot(n, g->coupling, g->coupling);
    double turn = g->side->driven ? 0 : (torque - along) / (t.moment - square);
    double drive = g->side->driven ? along - torque : 0;
    a[g->at] = turn;
    for (int i = 0; i < n; i++)
        a[g->at + 1 + i] = g->load[i] - turn * g->coupling[i];
    sums[SLIP_MODAL_LOST] += lost;
    sums[SLIP_MODAL_WORK] += (g->side->torque + drive) * speed;
    sums[SLIP_MODAL_IMPULSE + k] = outside + drive;
}

void slip_gear_modal_evaluate(slip_gear_modal *m, const double *state, double *slope)
{
    const double *x = state, *v = state + m->count;
    double *sums = slope + 2 * m->count;
    m->evaluations++;
    slip_gear_modal_touch(m, x, v);
    memset(sums, 0, sizeof(double) * (size_t)slip_modal_sums(m));
    memcpy(slope, v, sizeof(double) * (size_t)m->count);
    for (int k = 0; k < m->gear_count; k++)
        accelerate(m, k, x, v, slope + m->count, sums);
    sums[SLIP_MODAL_LOST] += m->totals.lost;
}

/* ---- Energies. */

void slip_modal_measure_flank(const slip_modal_flank *f, double w, const double *p, const double *rate,
                              slip_floating_account *to)
{
    const slip_gear_basis *b = &f->basis;
    const double sign = slip_modal_sign(f);
    for (int j = 0; j < b->count; j++) {
        double turning = sign * b->rotation[j] * rate[j], spread = b->spread[j] * p[j];
        to->kinetic += w * (w * spread + turning) + rate[j] * rate[j] / 2;
        to->strain += b->square[j] * p[j] * p[j] / 2;
        to->momentum += 2 * w * spread + turning;
    }
}

slip_modal_account slip_gear_modal_measure(slip_gear_modal *m)
{
    slip_modal_account sum = {0};
    const double *x = m->state, *v = m->state + m->count;
    for (int k = 0; k < m->gear_count; k++) {
        slip_modal_gear *g = &m->gear[k];
        double w = v[g->at];
        slip_floating_account own = slip_floating_measure(g->wheel->frame, w, x + g->at + 1, v + g->at + 1);
        for (int i = 0; i < g->flank_count; i++)
            slip_modal_measure_flank(g->flanks[i], w, x + g->flanks[i]->at, v + g->flanks[i]->at, &own);
        sum.kinetic += own.kinetic;
        sum.strain += own.strain;
        g->momentum = own.momentum;
    }
    return sum;
}
