/* The contact problem of reduced gears. The theory is in the header. */
#include "gear/condensed/gear_condensed.h"

#include "gear/flank/facet.h"
#include "gear/geometry/vector.h"
#include "math/columns.h"
#include "math/lcp.h"

#include <stdlib.h>
#include <string.h>

/* Distances in modules: within `far` of the undeformed other flank a node is near; within `close` of the
 * deformed one it is a candidate, which is more than a gear moves in a step. */
static const double far = 0.02, close = 4e-4;

/* 1/c of rigid flanks over the mean flexibility of the candidates. */
static const double rigid = 1e-9;

/* ---- Making. */

static int make_search(slip_context *ctx, const slip_gear_pair *pair, double two_pass, double margin,
                       slip_flank_contact **contact)
{
    slip_flank_options o = slip_flank_options_default();
    const int counts[2] = {pair->gear[0]->flanks, pair->gear[1]->flanks};
    const slip_flank_surface *const surfaces[2] = {pair->surfaces[0], pair->surfaces[1]};
    o.penalty = 1; /* its geometry counts */
    o.two_pass = two_pass;
    o.margin = margin;
    return slip_flank_contact_create(ctx, &o, counts, surfaces, contact);
}

static bool make_arrays(slip_condensed *c)
{
    int size = 0;
    bool fine = true;
    for (int i = 0; i < c->mesh_count; i++)
        for (int k = 0; k < 2; k++) {
            slip_condensed_mesh *m = &c->mesh[i];
            const slip_gear_wheel *g = m->pair->gear[k];
            int64_t nodes = (int64_t)g->flanks * g->nodes;
            size = g->size > size ? g->size : size;
            m->near[k] = slip_arena_array(&c->arena, nodes, sizeof(bool));
            m->pressed[k] = slip_arena_array(&c->arena, nodes, sizeof(bool));
            m->softness[k] = slip_arena_array(&c->arena, g->flanks, sizeof(double));
            fine = fine && m->near[k] && m->pressed[k] && m->softness[k];
            for (int f = 0; fine && f < g->flanks; f++)
                m->softness[k][f] = -1;
        }
    c->zeros = slip_arena_array(&c->arena, size, sizeof(double));
    c->answer = slip_arena_array(&c->arena, size, sizeof(double));
    c->used = slip_arena_array(&c->arena, size, sizeof(int));
    return fine && c->zeros && c->answer && c->used;
}

int slip_condensed_create(slip_context *ctx, int mesh_count, const slip_gear_meshing *meshes,
                          slip_gear_pair *const *pairs, slip_condensed **condensed)
{
    SLIP_FREED_BY(slip_condensed_drop) slip_condensed *c = slip_alloc(1, sizeof *c);
    *condensed = NULL;
    SLIP_PASS(slip_allocated(ctx, c));
    c->mesh = slip_arena_array(&c->arena, mesh_count, sizeof *c->mesh);
    SLIP_PASS(slip_allocated(ctx, c->mesh));
    c->mesh_count = mesh_count;
    for (int i = 0; i < mesh_count; i++) {
        const slip_tooth_wheel *wheel = &pairs[i]->wheels[0];
        const double module = 2 * wheel->tip_radius / (wheel->teeth + 2);
        c->mesh[i].pair = pairs[i];
        c->mesh[i].penalty = meshes[i].options->penalty;
        c->mesh[i].reach = far * module;
        c->mesh[i].margin = close * module;
    }
    SLIP_PASS(slip_allocated(ctx, make_arrays(c)));
    for (int i = 0; i < mesh_count; i++) {
        slip_condensed_mesh *m = &c->mesh[i];
        const double two_pass = meshes[i].options->two_pass;
        SLIP_PASS(make_search(ctx, m->pair, two_pass, m->reach, &m->coarse));
        SLIP_PASS(make_search(ctx, m->pair, two_pass, m->margin, &m->fine));
    }
    SLIP_HAND(condensed, c);
    return SLIP_OK;
}

void slip_condensed_destroy(slip_condensed *c)
{
    if (!c)
        return;
    for (int i = 0; i < c->mesh_count; i++) {
        slip_flank_contact_destroy(c->mesh[i].coarse);
        slip_flank_contact_destroy(c->mesh[i].fine);
    }
    free(c->node);
    free(c->matrix);
    free(c->force);
    free(c->basic);
    free(c->numbers);
    free(c->indices);
    slip_arena_free(&c->arena);
    free(c);
}

void slip_condensed_keep(slip_condensed *c, slip_keeper *k)
{
    for (int i = 0; i < c->mesh_count; i++) {
        slip_condensed_mesh *m = &c->mesh[i];
        SLIP_KEEP_ALL(k, SLIP_BLOCK(m->pair_count), SLIP_BLOCK(m->pairs), SLIP_BLOCK(m->angle),
                      SLIP_BLOCK(m->faced_count), SLIP_BLOCK(m->faced), SLIP_BLOCK(m->found));
        for (int side = 0; side < 2; side++) {
            const slip_gear_wheel *g = m->pair->gear[side];
            const size_t nodes = (size_t)g->flanks * (size_t)g->nodes;
            slip_keep_bytes(k, m->near[side], sizeof(bool) * nodes);
            slip_keep_bytes(k, m->pressed[side], sizeof(bool) * nodes);
        }
        slip_flank_contact_keep(m->coarse, 0, k);
        slip_flank_contact_keep(m->fine, 0, k);
    }
}

/* ---- Who is near. */

/* The nodes of a flank in an array of all. */
static bool *nodes_of(const slip_condensed_mesh *m, bool *const marks[2], int k, int flank)
{
    return marks[k] + (size_t)flank * (size_t)m->pair->gear[k]->nodes;
}

const bool *slip_condensed_near(const slip_condensed_mesh *m, int k, int flank)
{
    return nodes_of(m, m->near, k, flank);
}

static void search(const slip_gear_pair *pair, slip_flank_contact *contact, int pair_count,
                   const slip_flank_pair *pairs)
{
    slip_flank_totals totals;
    slip_flank_state state[2];
    for (int k = 0; k < 2; k++)
        state[k] = (slip_flank_state){pair->position[k], NULL, pair->force[k]};
    slip_flank_contact_apply(contact, pair_count, pairs, state, &totals);
}

/* Also the neighbours of marked nodes: the facets around them. */
static void widen(const slip_flank_surface *s, bool *mark)
{
    enum { beside = 2 }; /* a bit next to the mark's own */
    unsigned char *bits = (unsigned char *)mark;
    int count = s->rows * s->columns;
    for (int pass = 0; pass < 2; pass++) {
        int distance = pass ? s->columns : 1;
        for (int i = 0; i < count; i++) {
            bool first = pass ? i < s->columns : i % s->columns == 0;
            bool last = pass ? i + s->columns >= count : i % s->columns == s->columns - 1;
            if (!(bits[i] & 1))
                continue;
            if (!first)
                bits[i - distance] |= beside;
            if (!last)
                bits[i + distance] |= beside;
        }
        for (int i = 0; i < count; i++)
            bits[i] = bits[i] != 0;
    }
}

static void mark_all(slip_condensed_mesh *m, bool *const marks[2], const slip_flank_pair *pair, bool mark)
{
    for (int k = 0; k < 2; k++)
        memset(nodes_of(m, marks, k, pair->surface[k]), mark, sizeof(bool) * (size_t)m->pair->gear[k]->nodes);
}

static bool mark_near(slip_condensed_mesh *m, const slip_flank_pair *pair)
{
    bool any = false;
    mark_all(m, m->near, pair, false);
    for (int k = 0; k < 2; k++) {
        int own = pair->surface[k], other = pair->surface[1 - k];
        const slip_flank_touch *touch = slip_flank_contact_touches(m->coarse, k, own);
        bool *mark = nodes_of(m, m->near, k, own), *facing = nodes_of(m, m->near, 1 - k, other);
        for (int i = 0; i < m->pair->gear[k]->nodes; i++) {
            int corner[4];
            if (!touch[i].near)
                continue;
            slip_facet_nodes(m->pair->surfaces[1 - k][other].columns, touch[i].row, touch[i].column, corner);
            any = mark[i] = true;
            for (int j = 0; j < 4; j++)
                facing[corner[j]] = true;
        }
    }
    for (int k = 0; any && k < 2; k++)
        widen(&m->pair->surfaces[k][pair->surface[k]], nodes_of(m, m->near, k, pair->surface[k]));
    return any;
}

static void find_near(slip_condensed_mesh *m, const double *zeros)
{
    slip_gear_pair *pair = m->pair;
    m->pair_count = 0;
    for (int p = 0; p < pair->pair_count; p++)
        for (int k = 0; k < 2; k++)
            slip_gear_pair_place(pair, k, pair->pairs[p].surface[k], zeros, 0, NULL);
    search(pair, m->coarse, pair->pair_count, pair->pairs);
    for (int p = 0; p < pair->pair_count; p++)
        if (mark_near(m, &pair->pairs[p]))
            m->pairs[m->pair_count++] = pair->pairs[p];
    m->faced_count = pair->pair_count;
    memcpy(m->faced, pair->pairs, sizeof *m->faced * (size_t)pair->pair_count);
    for (int k = 0; k < 2; k++)
        m->angle[k] = pair->wheels[k].angle;
    m->found = true;
}

static void take_all(slip_condensed_mesh *m)
{
    m->pair_count = m->pair->pair_count;
    memcpy(m->pairs, m->pair->pairs, sizeof *m->pairs * (size_t)m->pair_count);
    for (int p = 0; p < m->pair_count; p++)
        mark_all(m, m->near, &m->pairs[p], true);
    m->found = false;
}

/* The largest sqrt(tr G_ii) of a flank. */
static double soften(const slip_gear_wheel *g, int flank)
{
    double largest = 0, sum = 0;
    const double *row = g->rows[flank];
    for (int i = 0; i < g->size; i++, row += g->modes) {
        sum = i % 3 ? sum : 0;
        for (int m = 0; m < g->modes; m++)
            sum += row[m] * row[m] / g->frame->square[m];
        if (g->remainder.flexibility)
            sum += g->remainder.flexibility[(size_t)i * (size_t)g->size + (size_t)i];
        largest = fmax(largest, sum);
    }
    return sqrt(largest);
}

static double softness_of(slip_condensed_mesh *m, int k, int flank)
{
    double *softness = &m->softness[k][flank];
    if (*softness < 0)
        *softness = soften(m->pair->gear[k], flank);
    return *softness;
}

/* How far a node of the gears can be from its undeformed place, sum of both. */
static double displacement_bound(slip_condensed_mesh *m, const double energy[2])
{
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        double softest = 0;
        for (int p = 0; p < m->pair->pair_count; p++)
            softest = fmax(softest, softness_of(m, k, m->pair->pairs[p].surface[k]));
        sum += softest > 0 ? softest * sqrt(2 * energy[k]) : 0;
    }
    return sum;
}

void slip_condensed_approach(slip_condensed *c, int mesh, const double angle[2], const double energy[2])
{
    slip_condensed_mesh *m = &c->mesh[mesh];
    slip_gear_pair *pair = m->pair;
    double moved = 0;
    slip_gear_pair_turn(pair, angle);
    double room = m->margin + displacement_bound(m, energy);
    if (!(room <= m->reach)) {
        take_all(m);
        return;
    }
    for (int k = 0; k < 2; k++)
        moved += fabs(angle[k] - m->angle[k]) * pair->wheels[k].tip_radius;
    if (!m->found || moved + room > m->reach || m->faced_count != pair->pair_count ||
        memcmp(m->faced, pair->pairs, sizeof *m->faced * (size_t)m->faced_count) != 0)
        find_near(m, c->zeros);
}

/* ---- Candidates. */

/* At the rim of the other flank: (1 - w)/w of the flexibility of a node on both flanks. */
static void give_at_rim(slip_condensed_mesh *m, const slip_flank_pair *pair, slip_condensed_node *to)
{
    const int k = to->slave;
    const slip_flank_rim rim = slip_flank_contact_rim(m->fine, k, pair, m->pair->position[1 - k], to->own);
    double soft = 0, left = fmax(rim.left, 1e-6);
    if (!(rim.left < 1))
        return;
    for (int side = 0; side < 2; side++)
        soft += pow(softness_of(m, side, pair->surface[side]), 2) / 3;
    to->give = (1 - left) / left * soft;
    const double by_left = soft / (2 * left * left); /* minus half the slope of what it gives, by w */
    for (int d = 0; d < 3; d++)
        to->push[d] = by_left * rim.push[d];
    for (int i = 0; i < 4; i++)
        to->couple[i] = by_left * rim.couple[i];
}

static void take_candidate(slip_condensed_mesh *m, int p, int k, int i, const slip_flank_touch *touch,
                           slip_condensed_node *to)
{
    const slip_flank_surface *master = &m->pair->surfaces[1 - k][m->pairs[p].surface[1 - k]];
    to->pair = p;
    to->slave = k;
    to->own = i;
    to->depth = touch->depth;
    give_at_rim(m, &m->pairs[p], to);
    memcpy(to->normal, touch->normal, sizeof to->normal);
    to->count[k] = 1;
    to->node[k][0] = i;
    to->share[k][0] = 1;
    to->count[1 - k] = 4;
    slip_facet_nodes(master->columns, touch->row, touch->column, to->node[1 - k]);
    slip_facet_shape(touch->at, to->share[1 - k], NULL);
    for (int j = 0; j < 4; j++)
        to->share[1 - k][j] *= -1;
}

static bool make_room(slip_condensed *c)
{
    int64_t n = c->count;
    return SLIP_ROOM(c->matrix, c->square_capacity, n * n) && SLIP_ROOM(c->force, c->force_capacity, n) &&
           SLIP_ROOM(c->basic, c->basic_capacity, n) &&
           SLIP_ROOM(c->numbers, c->number_capacity, slip_lcp_definite_numbers(c->count) + n) &&
           SLIP_ROOM(c->indices, c->index_capacity, slip_lcp_definite_indices(c->count));
}

static int see_mesh(slip_context *ctx, slip_condensed *c, int mesh)
{
    slip_condensed_mesh *m = &c->mesh[mesh];
    const double two_pass = slip_flank_contact_weight(m->fine);
    search(m->pair, m->fine, m->pair_count, m->pairs);
    for (int p = 0; p < m->pair_count; p++)
        for (int k = 0; k < 2; k++) {
            double weight = k ? 1 - two_pass : two_pass;
            const slip_flank_touch *touch = slip_flank_contact_touches(m->fine, k, m->pairs[p].surface[k]);
            for (int i = 0; weight > 0 && i < m->pair->gear[k]->nodes; i++) {
                if (!touch[i].near)
                    continue;
                SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(c->node, c->capacity, c->count + 1)));
                c->node[c->count] = (slip_condensed_node){.mesh = mesh, .weight = weight};
                take_candidate(m, p, k, i, &touch[i], &c->node[c->count++]);
            }
        }
    return SLIP_OK;
}

int slip_condensed_list_candidates(slip_context *ctx, slip_condensed *c)
{
    c->count = 0;
    for (int i = 0; i < c->mesh_count; i++)
        SLIP_PASS(see_mesh(ctx, c, i));
    SLIP_PASS(slip_allocated(ctx, make_room(c)));
    if (c->count > 0)
        memset(c->matrix, 0, sizeof(double) * (size_t)c->count * (size_t)c->count);
    return SLIP_OK;
}

double slip_condensed_direct(const slip_condensed *c, const slip_condensed_node *node, int k,
                             const double direction[3], double local[3])
{
    const slip_gear_pair *pair = c->mesh[node->mesh].pair;
    int flank = slip_condensed_flank(c, node, k);
    double angle = pair->wheels[k].angle + pair->gear[k]->turn[flank], co = cos(angle), si = sin(angle);
    const double *position = pair->position[k] + (size_t)flank * (size_t)pair->gear[k]->size;
    const double *centre = pair->wheels[k].centre;
    double moment = 0;
    local[0] = co * direction[0] + si * direction[1];
    local[1] = -si * direction[0] + co * direction[1];
    local[2] = direction[2];
    for (int i = 0; i < node->count[k]; i++) {
        const double *x = position + 3 * node->node[k][i];
        moment += node->share[k][i] * ((x[0] - centre[0]) * direction[1] - (x[1] - centre[1]) * direction[0]);
    }
    return moment;
}

double slip_condensed_row(const slip_condensed *c, const slip_condensed_node *node, int k,
                          const double direction[3], double *to)
{
    const slip_gear_wheel *g = c->mesh[node->mesh].pair->gear[k];
    const double *rows = g->rows[slip_condensed_flank(c, node, k)];
    double local[3], moment = slip_condensed_direct(c, node, k, direction, local);
    memset(to, 0, sizeof(double) * (size_t)g->modes);
    for (int i = 0; i < node->count[k]; i++)
        for (int d = 0; d < 3; d++) {
            double factor = node->share[k][i] * local[d];
            const double *row = rows + (size_t)(3 * node->node[k][i] + d) * (size_t)g->modes;
            for (int m = 0; m < g->modes; m++)
                to[m] += factor * row[m];
        }
    return moment;
}

void slip_condensed_spread(const slip_condensed *c, const slip_condensed_node *node, int k,
                           const double direction[3], double amount, double *force)
{
    double local[3];
    slip_condensed_direct(c, node, k, direction, local);
    for (int i = 0; i < node->count[k]; i++)
        add_scaled(amount * node->share[k][i], local, force + 3 * node->node[k][i]);
}

/* ---- What answers to the forces. */

void slip_condensed_multiply(int size, const double *flexibility, int flank, int from_count, const int *from,
                             const double *x, int to_count, const int *to, double *product)
{
    /* On a left flank y has the other sign. */
    double sign = flank % 2 ? -1 : 1;
    for (int j = 0; j < to_count; j++)
        for (int d = 0; d < 3; d++) {
            const double *row = flexibility + (size_t)(3 * to[j] + d) * (size_t)size;
            double sum = 0;
            for (int i = 0; i < from_count; i++) {
                const double *at = row + 3 * from[i], *value = x + 3 * from[i];
                sum += at[0] * value[0] + sign * at[1] * value[1] + at[2] * value[2];
            }
            product[3 * to[j] + d] = d == 1 ? sign * sum : sum;
        }
}

/* The nodes of a flank of gear k that the candidates first .. last - 1 use. */
static void list_used(slip_condensed *c, int k, int first, int last)
{
    c->used_count = 0;
    for (int s = first; s < last; s++)
        for (int i = 0; i < c->node[s].count[k]; i++) {
            int known = 0;
            while (known < c->used_count && c->used[known] != c->node[s].node[k][i])
                known++;
            if (known == c->used_count)
                c->used[c->used_count++] = c->node[s].node[k][i];
        }
}

/* Candidates first .. last - 1 are those of one pair. */
static void add_flank(slip_condensed *c, int k, const double *flexibility, double factor, int first, int last)
{
    const int size = c->mesh[c->node[first].mesh].pair->gear[k]->size,
              flank = slip_condensed_flank(c, &c->node[first], k);
    double *local = c->numbers; /* of each candidate: its normal in the flank's frame; 3 n <= n^2 + 3 n */
    list_used(c, k, first, last);
    for (int s = first; s < last; s++)
        slip_condensed_direct(c, &c->node[s], k, c->node[s].normal, local + 3 * (s - first));
    for (int s = first; s < last; s++) {
        const slip_condensed_node *own = &c->node[s];
        double load[12];
        for (int i = 0; i < own->count[k]; i++)
            for (int d = 0; d < 3; d++)
                load[3 * i + d] =
                    own->share[k][i] * local[3 * (s - first) + d] * (flank % 2 && d == 1 ? -factor : factor);
        for (int j = 0; j < c->used_count; j++)
            for (int d = 0; d < 3; d++) {
                const double *row = flexibility + (size_t)(3 * c->used[j] + d) * (size_t)size;
                double sum = 0;
                for (int i = 0; i < own->count[k]; i++)
                    sum += dot(row + 3 * own->node[k][i], load + 3 * i);
                c->answer[3 * c->used[j] + d] = flank % 2 && d == 1 ? -sum : sum;
            }
        for (int t = first; t <= s; t++) {
            const slip_condensed_node *other = &c->node[t];
            double sum = 0;
            for (int i = 0; i < other->count[k]; i++)
                sum += other->share[k][i] * dot(c->answer + 3 * other->node[k][i], local + 3 * (t - first));
            c->matrix[(size_t)s * (size_t)c->count + (size_t)t] += sum;
        }
    }
}

/* The upper triangle from the lower one. */
static void mirror(slip_condensed *c)
{
    size_t n = (size_t)c->count;
    for (size_t s = 0; s < n; s++)
        for (size_t t = 0; t < s; t++)
            c->matrix[t * n + s] = c->matrix[s * n + t];
}

void slip_condensed_add_flexibility(slip_condensed *c, int mesh, int k, const double *flexibility,
                                    double factor)
{
    for (int first = 0, last; first < c->count; first = last) {
        const slip_condensed_node *own = &c->node[first];
        for (last = first;
             last < c->count && c->node[last].mesh == own->mesh && c->node[last].pair == own->pair;)
            last++;
        if (own->mesh == mesh)
            add_flank(c, k, flexibility, factor, first, last);
    }
    mirror(c);
}

int slip_condensed_add_rows(slip_context *ctx, slip_condensed *c, int size, const double *rows,
                            const double *diagonal)
{
    double *own = (double *)(uintptr_t)rows; /* they are only read */
    if (c->count == 0)
        return SLIP_OK;
    SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(c->numbers, c->number_capacity, (int64_t)size * c->count)));
    double *to = c->numbers;
    for (int s = 0; s < c->count; s++)
        for (int i = 0; i < size; i++)
            *to++ = diagonal[i] * *rows++;
    slip_columns_multiply(true, c->count, c->count, size, 1, (slip_columns){c->numbers, size},
                          (slip_columns){own, size}, 1, (slip_columns){c->matrix, c->count});
    mirror(c); /* both triangles differ by rounding */
    return SLIP_OK;
}

/* ---- The solution. */

static int refuse(slip_context *ctx, const slip_condensed *c, const double *depth)
{
    for (int s = 0; s < c->count; s++)
        if (!isfinite(depth[s])) {
            const slip_condensed_node *node = &c->node[s];
            int flank = slip_condensed_flank(c, node, node->slave);
            return slip_fail(ctx, SLIP_ERROR_SOLVER,
                             "%s: the depth of node %d of the %s flank of tooth %d is not a number",
                             c->mesh[node->mesh].pair->gear[node->slave]->name, node->own + 1,
                             flank % 2 ? "left" : "right", flank / 2 + 1);
        }
    return slip_fail(ctx, SLIP_ERROR_SOLVER, "the contact forces of %d nodes were not found", c->count);
}

/* Whether the node of a candidate was pressed in the last solution. */
static bool *pressed_of(const slip_condensed *c, const slip_condensed_node *node)
{
    const slip_condensed_mesh *m = &c->mesh[node->mesh];
    return nodes_of(m, m->pressed, node->slave, slip_condensed_flank(c, node, node->slave)) + node->own;
}

static void remember(slip_condensed *c)
{
    for (int i = 0; i < c->mesh_count; i++)
        for (int p = 0; p < c->mesh[i].pair_count; p++)
            mark_all(&c->mesh[i], c->mesh[i].pressed, &c->mesh[i].pairs[p], false);
    for (int s = 0; s < c->count; s++)
        *pressed_of(c, &c->node[s]) = c->basic[s];
}

double slip_condensed_spring(const slip_condensed *c, int s)
{
    return c->mesh[c->node[s].mesh].spring / c->node[s].weight + c->node[s].give;
}

int slip_condensed_solve(slip_context *ctx, slip_condensed *c, const double *depth)
{
    size_t n = (size_t)c->count;
    double mean = 0;
    for (size_t s = 0; s < n; s++)
        mean += c->matrix[s * n + s] / (double)n;
    for (int i = 0; i < c->mesh_count; i++)
        c->mesh[i].spring = isfinite(c->mesh[i].penalty) ? 1 / c->mesh[i].penalty : rigid * mean;
    double *constant = c->numbers + slip_lcp_definite_numbers(c->count);
    for (size_t s = 0; s < n; s++) {
        c->basic[s] = *pressed_of(c, &c->node[s]);
        c->matrix[s * n + s] += slip_condensed_spring(c, (int)s);
        constant[s] = -depth[s];
    }
    if (!slip_lcp_definite(c->count, c->matrix, constant, c->basic, c->force, c->numbers, c->indices))
        return refuse(ctx, c, depth);
    remember(c);
    return SLIP_OK;
}
