/* Contact of flanks. The theory is in the header. */
#include "gear/flank_contact.h"

#include "base/memory.h"
#include "gear/facet.h"
#include "gear/vector.h"

#include <stdlib.h>
#include <string.h>

struct slip_flank_contact {
    slip_arena arena;
    slip_flank_options options;
    slip_law_kernel law;
    bool friction;
    int surface_count[2];
    slip_flank_surface *surfaces[2];
    slip_flank_touch **touches[2]; /* of each surface */
    double **last[2];              /* of each surface: positions at the last call */
    double *travel[2];             /* of each surface: sum of the largest motions from call to call */
    bool *paired[2];
    double *sums[2];   /* scratch of slip_flank_contact_bounds, for each node of a body */
    int node_count[2]; /* one more than the highest number */
};

slip_flank_options slip_flank_options_default(void)
{
    return (slip_flank_options){.penalty = NAN, .two_pass = 0.5, .overhang = 0.1, .depth = INFINITY};
}

/* ---- Making. */

static int check_options(slip_context *ctx, const slip_flank_options *o)
{
    if (!(o->penalty > 0) || !isfinite(o->penalty))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "penalty %g: expected a positive number of N/m", o->penalty);
    if (!(o->two_pass >= 0 && o->two_pass <= 1))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "two_pass %g: expected 0 to 1", o->two_pass);
    if (!(o->overhang >= 0 && o->overhang <= 1))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "overhang %g: expected 0 to 1", o->overhang);
    if (!(o->depth > 0))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "depth %g: expected a positive number of metres", o->depth);
    if (!(o->margin >= 0))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "margin %g: expected no negative number of metres",
                         o->margin);
    return SLIP_OK;
}

static int prepare_friction(slip_context *ctx, const slip_law *law, slip_flank_contact *c)
{
    int status = slip_law_prepare(ctx, law, &c->law);
    if (status >= 0 && c->law.type->info.set_valued)
        status =
            slip_fail(ctx, SLIP_ERROR_MODEL,
                      "friction on flanks: the law `%s` is set-valued; expected a smooth one, for example "
                      "tanh {mu, velocity} or sqrt {mu, epsilon}",
                      c->law.type->info.name);
    c->friction = true;
    return status;
}

static int copy_surface(slip_context *ctx, slip_flank_contact *c, int body, int index,
                        const slip_flank_surface *from)
{
    if (from->rows < 2 || from->columns < 2)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "flank %d of body %d has %d x %d nodes: expected at least 2 x 2", index + 1,
                         body + 1, from->rows, from->columns);
    int count = from->rows * from->columns;
    int *nodes = slip_arena_array(&c->arena, count, sizeof *nodes);
    slip_flank_touch *touches = slip_arena_array(&c->arena, count, sizeof *touches);
    double *last = slip_arena_array(&c->arena, 3 * (int64_t)count, sizeof *last);
    if (!nodes || !touches || !last)
        return slip_fail_memory(ctx);
    memcpy(nodes, from->nodes, sizeof *nodes * (size_t)count);
    for (int i = 0; i < count; i++) {
        touches[i].master = -1;
        if (nodes[i] >= c->node_count[body])
            c->node_count[body] = nodes[i] + 1;
    }
    c->surfaces[body][index] = *from;
    c->surfaces[body][index].nodes = nodes;
    c->touches[body][index] = touches;
    c->last[body][index] = last;
    return SLIP_OK;
}

static int copy_body(slip_context *ctx, slip_flank_contact *c, int body, int count,
                     const slip_flank_surface *surfaces)
{
    c->surface_count[body] = count;
    c->surfaces[body] = slip_arena_array(&c->arena, count, sizeof **c->surfaces);
    c->touches[body] = slip_arena_array(&c->arena, count, sizeof **c->touches);
    c->paired[body] = slip_arena_array(&c->arena, count, sizeof **c->paired);
    c->last[body] = slip_arena_array(&c->arena, count, sizeof **c->last);
    c->travel[body] = slip_arena_array(&c->arena, count, sizeof **c->travel);
    if (!c->surfaces[body] || !c->touches[body] || !c->paired[body] || !c->last[body] || !c->travel[body])
        return slip_fail_memory(ctx);
    int status = SLIP_OK;
    for (int s = 0; s < count && status >= 0; s++)
        status = copy_surface(ctx, c, body, s, &surfaces[s]);
    if (status < 0)
        return status;
    c->sums[body] = slip_arena_array(&c->arena, c->node_count[body], sizeof **c->sums);
    return c->sums[body] ? SLIP_OK : slip_fail_memory(ctx);
}

int slip_flank_contact_create(slip_context *ctx, const slip_flank_options *options,
                              const int surface_count[2], const slip_flank_surface *const surfaces[2],
                              slip_flank_contact **contact)
{
    int status = check_options(ctx, options);
    slip_flank_contact *c = slip_alloc(1, sizeof *c);
    *contact = NULL;
    if (status < 0)
        goto done;
    if (!c) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    c->options = *options;
    if (options->friction)
        SLIP_TRY(prepare_friction(ctx, options->friction, c));
    for (int body = 0; body < 2; body++)
        SLIP_TRY(copy_body(ctx, c, body, surface_count[body], surfaces[body]));
    *contact = c;
done:
    if (status < 0)
        slip_flank_contact_destroy(c);
    return status;
}

void slip_flank_contact_destroy(slip_flank_contact *c)
{
    if (!c)
        return;
    slip_arena_free(&c->arena);
    free(c);
}

double slip_flank_contact_weight(const slip_flank_contact *c)
{
    return c->options.two_pass;
}

const slip_flank_touch *slip_flank_contact_touches(const slip_flank_contact *c, int body, int surface)
{
    return c->touches[body][surface];
}

/* ---- Search on one surface. */

/* Where a search is. */
typedef struct spot {
    int row, column;
    slip_facet facet;
    slip_facet_point point;
} spot;

static void corner_nodes(const slip_flank_surface *s, int row, int column, int nodes[4])
{
    const int *at = s->nodes + row * s->columns + column;
    nodes[0] = at[0];
    nodes[1] = at[1];
    nodes[2] = at[s->columns + 1];
    nodes[3] = at[s->columns];
}

static slip_facet facet_of(const slip_flank_surface *s, int row, int column, const double *position)
{
    int nodes[4];
    const double *corners[4];
    corner_nodes(s, row, column, nodes);
    for (int k = 0; k < 4; k++)
        corners[k] = position + 3 * (size_t)nodes[k];
    return slip_facet_make(corners);
}

/* The part of the (xi, eta) plane that belongs to a facet. */
static void limits_of(const slip_flank_surface *s, int row, int column, double overhang, double low[2],
                      double high[2])
{
    low[0] = column == 0 ? -1 - overhang : -1;
    low[1] = row == 0 ? -1 - overhang : -1;
    high[0] = column == s->columns - 2 ? 1 + overhang : 1;
    high[1] = row == s->rows - 2 ? 1 + overhang : 1;
}

/* Newton's method starts in the middle: the result depends on the facet and on nothing that was before. */
static void look(const slip_flank_surface *s, double overhang, const double *position, const double point[3],
                 spot *at)
{
    static const double start[2] = {0, 0};
    double low[2], high[2];
    limits_of(s, at->row, at->column, overhang, low, high);
    at->facet = facet_of(s, at->row, at->column, position);
    at->point = slip_facet_nearest(&at->facet, low, high, point, start);
}

/* In which direction (-1, 0, 1) the point is on an edge behind which there is another facet. False where it
 * is on the rim of the surface. */
static bool edges_of(const slip_flank_surface *s, const spot *at, int step[2])
{
    bool within = true;
    for (int k = 0; k < 2; k++) {
        int here = k == 0 ? at->column : at->row, last = (k == 0 ? s->columns : s->rows) - 2;
        double x = at->point.at[k];
        step[k] = x == -1 && here > 0 ? -1 : x == 1 && here < last ? 1 : 0;
        within = within && (fabs(x) < 1 || step[k] != 0);
    }
    return within;
}

/* Goes to the neighbour across an edge or the corner between two where the distance is smaller. */
static bool move(const slip_flank_surface *s, double overhang, const double *position, const double point[3],
                 const int step[2], spot *at)
{
    spot best = *at;
    for (int side = 1; side < 4; side++) { /* across the column, across the row, both */
        if ((side & 1 && !step[0]) || (side & 2 && !step[1]))
            continue;
        spot next = {.row = at->row + (side & 2 ? step[1] : 0),
                     .column = at->column + (side & 1 ? step[0] : 0)};
        look(s, overhang, position, point, &next);
        if (next.point.square < best.point.square)
            best = next;
    }
    bool moved = best.row != at->row || best.column != at->column;
    *at = best;
    return moved;
}

/* From facet to facet while the distance gets smaller. */
static void walk(const slip_flank_surface *s, double overhang, const double *position, const double point[3],
                 spot *at)
{
    int step[2];
    look(s, overhang, position, point, at);
    do
        edges_of(s, at, step);
    while (!at->point.inside && move(s, overhang, position, point, step, at));
}

/* Behind a ridge each of its facets has a point that is nearest for itself: compares with the neighbours at
 * the nearest corner. */
static void settle(const slip_flank_surface *s, double overhang, const double *position,
                   const double point[3], spot *at)
{
    int step[2];
    do
        for (int k = 0; k < 2; k++) {
            int next = (k == 0 ? at->column : at->row) + (at->point.at[k] < 0 ? -1 : 1);
            bool there = next >= 0 && next <= (k == 0 ? s->columns : s->rows) - 2;
            step[k] = !there ? 0 : at->point.at[k] < 0 ? -1 : 1;
        }
    while (move(s, overhang, position, point, step, at));
}

/* A facet at the node that is nearest. */
static void begin(const slip_flank_surface *s, const double *position, const double point[3],
                  slip_flank_touch *touch)
{
    double least = INFINITY;
    for (int row = 0; row < s->rows; row++)
        for (int column = 0; column < s->columns; column++) {
            double away[3];
            difference(point, position + 3 * (size_t)s->nodes[row * s->columns + column], away);
            if (!(dot(away, away) < least))
                continue;
            least = dot(away, away);
            touch->row = row < s->rows - 1 ? row : row - 1;
            touch->column = column < s->columns - 1 ? column : column - 1;
        }
}

/* The sum of the normals of all facets that meet at the point: it tells inside from outside there. */
static void joint_normal(const slip_flank_surface *s, const double *position, const spot *at,
                         double normal[3])
{
    int step[2];
    edges_of(s, at, step);
    memset(normal, 0, 3 * sizeof *normal);
    for (int side = 0; side < 4; side++) {
        if ((side & 1 && !step[0]) || (side & 2 && !step[1]))
            continue;
        int by[2] = {side & 1 ? step[0] : 0, side & 2 ? step[1] : 0};
        const double here[2] = {by[0] ? -by[0] : at->point.at[0], by[1] ? -by[1] : at->point.at[1]};
        double one[3];
        slip_facet f = facet_of(s, at->row + by[1], at->column + by[0], position);
        slip_facet_normal(&f, here, one);
        add_scaled(1, one, normal);
    }
}

/* Whether the node is behind the surface, how deep, and the outward direction. */
static bool is_behind(const slip_flank_contact *c, const slip_flank_surface *s, const double *position,
                      const double point[3], const spot *at, double *depth, double normal[3])
{
    double outwards = s->flipped ? -1 : 1, away[3];
    difference(point, at->point.place, away);
    if (at->point.inside) {
        slip_facet_normal(&at->facet, at->point.at, normal);
        scale(outwards, normal);
        *depth = -dot(away, normal);
    } else {
        double joint[3];
        int step[2];
        if (!edges_of(s, at, step))
            return false;
        joint_normal(s, position, at, joint);
        *depth = sqrt(at->point.square);
        if (!(outwards * dot(away, joint) < 0))
            return false;
        for (int d = 0; d < 3; d++)
            normal[d] = -away[d] / *depth;
    }
    return *depth > 0 && *depth <= c->options.depth;
}

/* The same for a node in front, and whether it is within the margin. At an edge the normal is that of all
 * facets there: the direction of the distance is lost where the distance is small. */
static bool is_close(const slip_flank_contact *c, const slip_flank_surface *s, const double *position,
                     const double point[3], const spot *at, double *depth, double normal[3])
{
    double outwards = s->flipped ? -1 : 1, away[3];
    int step[2];
    if (!(at->point.square <= c->options.margin * c->options.margin) || c->options.margin == 0)
        return false;
    difference(point, at->point.place, away);
    if (at->point.inside)
        slip_facet_normal(&at->facet, at->point.at, normal);
    else if (edges_of(s, at, step))
        joint_normal(s, position, at, normal);
    else
        return false;
    scale(outwards / sqrt(dot(normal, normal)), normal);
    *depth = -dot(away, normal);
    return *depth <= 0;
}

/* By how much a node that is not behind the surface and the surface have to move before it can be. In front:
 * the distance. Beyond the rim and deep: how far it is beyond; the deeper, the more a turn of the surface
 * counts. */
static double clearance(const slip_flank_surface *s, const double point[3], const spot *at)
{
    double normal[3], away[3], outwards = s->flipped ? -1 : 1;
    slip_facet_normal(&at->facet, at->point.at, normal);
    difference(point, at->point.place, away);
    double gap = outwards * dot(away, normal), distance = sqrt(at->point.square);
    if (gap > 0)
        return distance;
    double beyond = sqrt(fmax(at->point.square - gap * gap, 0));
    double size = sqrt(fmin(dot(at->facet.by_xi, at->facet.by_xi), dot(at->facet.by_eta, at->facet.by_eta)));
    return 0.5 * beyond * fmin(1, size / distance);
}

/* Adds the largest motion of a surface's nodes since the last call to its travel. */
static void watch(slip_flank_contact *c, int body, int surface, const double *position)
{
    const slip_flank_surface *s = &c->surfaces[body][surface];
    double *last = c->last[body][surface], largest = 0;
    for (int i = 0; i < s->rows * s->columns; i++, last += 3) {
        const double *x = position + 3 * (size_t)s->nodes[i];
        double moved[3];
        difference(x, last, moved);
        double square = dot(moved, moved);
        largest = square > largest || isnan(square) ? square : largest;
        memcpy(last, x, 3 * sizeof *last);
    }
    c->travel[body][surface] += sqrt(largest);
}

/* ---- Forces. */

/* A node and the facet that it is behind. */
typedef struct event {
    int slave, nodes[4];
    double value[4], slope[2][4];
    double weight; /* of the pass */
    const slip_facet *facet;
    const slip_flank_state *slave_state, *master_state;
} event;

static void add_force(const event *e, const double force[3], slip_flank_touch *touch)
{
    add_scaled(1, force, e->slave_state->force + 3 * (size_t)e->slave);
    for (int k = 0; k < 4; k++)
        add_scaled(-e->value[k], force, e->master_state->force + 3 * (size_t)e->nodes[k]);
    add_scaled(1, force, touch->force);
}

/* Dual basis of the facet's tangents in the plane across the normal. */
static void dual_basis(const event *e, const slip_flank_touch *touch, double dual[2][3])
{
    double t[2][3];
    slip_facet_tangents(e->facet, touch->at, t[0], t[1]);
    for (int k = 0; k < 2; k++)
        add_scaled(-dot(t[k], touch->normal), touch->normal, t[k]);
    double a = dot(t[0], t[0]), b = dot(t[0], t[1]), d = dot(t[1], t[1]), det = a * d - b * b;
    for (int i = 0; i < 3; i++) {
        dual[0][i] = (d * t[0][i] - b * t[1][i]) / det;
        dual[1][i] = (a * t[1][i] - b * t[0][i]) / det;
    }
}

static void slip_velocity(const event *e, const slip_flank_touch *touch, double dual[2][3], double slip[3])
{
    const double *velocity = e->master_state->velocity;
    memcpy(slip, e->slave_state->velocity + 3 * (size_t)e->slave, 3 * sizeof *slip);
    for (int k = 0; k < 4; k++) {
        const double *v = velocity + 3 * (size_t)e->nodes[k];
        double along = dot(v, touch->normal);
        add_scaled(-e->value[k], v, slip);
        for (int i = 0; i < 2; i++)
            add_scaled(-touch->depth * e->slope[i][k] * along, dual[i], slip);
    }
    add_scaled(-dot(slip, touch->normal), touch->normal, slip);
}

/* Returns the power that is lost. */
static double rub(const slip_flank_contact *c, const event *e, double normal_force, slip_flank_touch *touch)
{
    double dual[2][3], force[3], coefficient, slope;
    dual_basis(e, touch, dual);
    slip_velocity(e, touch, dual, force);
    double speed = sqrt(dot(force, force));
    if (!(speed > 0))
        return 0;
    slip_law_force(&c->law, slip_law_piece(&c->law, speed), speed, &coefficient, &slope);
    touch->damping = normal_force * fmax(fabs(slope), coefficient / speed); /* along the slip, across it */
    scale(-coefficient * normal_force / speed, force);
    add_force(e, force, touch);
    for (int k = 0; k < 4; k++) {
        double along =
            -touch->depth * (dot(force, dual[0]) * e->slope[0][k] + dot(force, dual[1]) * e->slope[1][k]);
        add_scaled(along, touch->normal, e->master_state->force + 3 * (size_t)e->nodes[k]);
    }
    return coefficient * normal_force * speed;
}

static void press(const slip_flank_contact *c, const event *e, slip_flank_touch *touch,
                  slip_flank_totals *totals)
{
    double normal_force = e->weight * c->options.penalty * touch->depth, force[3] = {0};
    add_scaled(normal_force, touch->normal, force);
    add_force(e, force, touch);
    touch->stiffness = e->weight * c->options.penalty;
    totals->touching++;
    totals->normal_force += normal_force;
    totals->energy += normal_force * touch->depth / 2;
    if (c->friction)
        totals->lost += rub(c, e, normal_force, touch);
}

/* The travel that counts for a node. Beyond its rim a surface moves by more than its nodes. */
static double travel_of(const slip_flank_contact *c, int body, int surface, int master)
{
    double more = (1 + c->options.overhang) * (1 + c->options.overhang);
    return c->travel[body][surface] + more * c->travel[1 - body][master];
}

/* One pass over one pair: the nodes of `body` against the surface of the other. */
static void pass(slip_flank_contact *c, int body, const slip_flank_pair *pair,
                 const slip_flank_state state[2], double weight, slip_flank_totals *totals)
{
    const slip_flank_surface *slave = &c->surfaces[body][pair->surface[body]];
    const slip_flank_surface *master = &c->surfaces[1 - body][pair->surface[1 - body]];
    const double *position = state[1 - body].position;
    slip_flank_touch *touch = c->touches[body][pair->surface[body]];
    double travel = travel_of(c, body, pair->surface[body], pair->surface[1 - body]);
    for (int i = 0; i < slave->rows * slave->columns; i++, touch++) {
        if (touch->master == pair->surface[1 - body] && travel < touch->rest)
            continue;
        event e = {.slave = slave->nodes[i],
                   .weight = weight,
                   .slave_state = &state[body],
                   .master_state = &state[1 - body]};
        const double *point = state[body].position + 3 * (size_t)e.slave;
        if (touch->master != pair->surface[1 - body])
            begin(master, position, point, touch);
        spot at = {.row = touch->row, .column = touch->column};
        walk(master, c->options.overhang, position, point, &at);
        double depth, normal[3];
        bool behind = is_behind(c, master, position, point, &at, &depth, normal);
        if (behind) {
            settle(master, c->options.overhang, position, point, &at);
            behind = is_behind(c, master, position, point, &at, &depth, normal);
        }
        *touch = (slip_flank_touch){.master = pair->surface[1 - body],
                                    .row = at.row,
                                    .column = at.column,
                                    .at = {at.point.at[0], at.point.at[1]}};
        touch->near = behind || is_close(c, master, position, point, &at, &depth, normal);
        if (touch->near) {
            memcpy(touch->normal, normal, sizeof normal);
            touch->depth = depth;
        }
        if (!behind) {
            touch->rest = travel + fmax(clearance(master, point, &at) - c->options.margin, 0);
            continue;
        }
        e.facet = &at.facet;
        corner_nodes(master, at.row, at.column, e.nodes);
        slip_facet_shape(touch->at, e.value, e.slope);
        press(c, &e, touch, totals);
        totals->deepest = fmax(totals->deepest, depth);
    }
}

static void forget_unpaired(slip_flank_contact *c, int pair_count, const slip_flank_pair *pairs)
{
    for (int body = 0; body < 2; body++) {
        memset(c->paired[body], 0, sizeof(bool) * (size_t)c->surface_count[body]);
        for (int p = 0; p < pair_count; p++)
            c->paired[body][pairs[p].surface[body]] = true;
        for (int s = 0; s < c->surface_count[body]; s++) {
            const slip_flank_surface *surface = &c->surfaces[body][s];
            slip_flank_touch *touch = c->touches[body][s];
            if (!c->paired[body][s] && touch->master >= 0)
                for (int i = 0; i < surface->rows * surface->columns; i++)
                    touch[i] = (slip_flank_touch){.master = -1};
        }
    }
}

void slip_flank_contact_apply(slip_flank_contact *c, int pair_count, const slip_flank_pair *pairs,
                              const slip_flank_state state[2], slip_flank_totals *totals)
{
    const double weight[2] = {c->options.two_pass, 1 - c->options.two_pass};
    *totals = (slip_flank_totals){.deepest_pair = -1};
    forget_unpaired(c, pair_count, pairs);
    for (int p = 0; p < pair_count; p++) {
        double before = totals->deepest;
        for (int body = 0; body < 2; body++)
            watch(c, body, pairs[p].surface[body], state[body].position);
        for (int body = 0; body < 2; body++)
            if (weight[body] > 0)
                pass(c, body, &pairs[p], state, weight[body], totals);
        if (totals->deepest > before)
            totals->deepest_pair = p;
    }
}

/* ---- Clearance. */

double slip_flank_contact_clearance(const slip_flank_contact *c, int body, int surface, int node)
{
    const slip_flank_touch *touch = &c->touches[body][surface][node];
    if (touch->master < 0)
        return INFINITY;
    return fmax(touch->rest - travel_of(c, body, surface, touch->master), 0);
}

void slip_flank_contact_renew(slip_flank_contact *c, double below)
{
    for (int body = 0; body < 2; body++)
        for (int s = 0; s < c->surface_count[body]; s++)
            for (int i = 0; i < c->surfaces[body][s].rows * c->surfaces[body][s].columns; i++)
                if (slip_flank_contact_clearance(c, body, s, i) < below)
                    c->touches[body][s][i].rest = 0;
}

/* ---- Stability. */

/* A touching node: calls `visit` with its stiffness or damping and the nodes of its facet. */
typedef double (*visitor)(slip_flank_contact *c, const double *const mass[2], int body, int slave,
                          double value, const int nodes[4], const double shape[4]);

static double visit_touches(slip_flank_contact *c, const double *const mass[2], bool damping, visitor visit)
{
    double largest = 0;
    for (int body = 0; body < 2; body++)
        for (int s = 0; s < c->surface_count[body]; s++) {
            const slip_flank_surface *slave = &c->surfaces[body][s];
            for (int i = 0; i < slave->rows * slave->columns; i++) {
                const slip_flank_touch *touch = &c->touches[body][s][i];
                int nodes[4];
                double shape[4];
                if (!(touch->depth > 0))
                    continue;
                corner_nodes(&c->surfaces[1 - body][touch->master], touch->row, touch->column, nodes);
                slip_facet_shape(touch->at, shape, NULL);
                largest = fmax(largest, visit(c, mass, body, slave->nodes[i],
                                              damping ? touch->damping : touch->stiffness, nodes, shape));
            }
        }
    return largest;
}

static double add_up(slip_flank_contact *c, const double *const mass[2], int body, int slave, double value,
                     const int nodes[4], const double shape[4])
{
    (void)mass;
    c->sums[body][slave] += value;
    for (int k = 0; k < 4; k++)
        c->sums[1 - body][nodes[k]] += value * fabs(shape[k]);
    return 0;
}

static double circle(slip_flank_contact *c, const double *const mass[2], int body, int slave, double value,
                     const int nodes[4], const double shape[4])
{
    (void)value;
    double sum = c->sums[body][slave] / mass[body][slave];
    for (int k = 0; k < 4; k++)
        sum += fabs(shape[k]) * c->sums[1 - body][nodes[k]] / mass[1 - body][nodes[k]];
    return sum;
}

static double bound(slip_flank_contact *c, const double *const mass[2], bool damping)
{
    for (int body = 0; body < 2; body++)
        memset(c->sums[body], 0, sizeof(double) * (size_t)c->node_count[body]);
    visit_touches(c, mass, damping, add_up);
    return visit_touches(c, mass, damping, circle);
}

slip_flank_bounds slip_flank_contact_bounds(slip_flank_contact *c, const double *const mass[2])
{
    return (slip_flank_bounds){.stiffness = bound(c, mass, false),
                               .damping = c->friction ? bound(c, mass, true) : 0};
}
