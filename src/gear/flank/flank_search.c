/* Contact of flanks: the search. The theory is in flank_contact.h. */
#include "gear/flank/flank_types.h"
#include "gear/geometry/vector.h"

#include <string.h>

/* The present point of a search. */
typedef struct spot {
    int row, column;
    slip_facet facet;
    slip_facet_point point;
} spot;

void slip_flank_corners(const slip_flank_surface *s, int row, int column, int nodes[4])
{
    const int *at = s->nodes + row * s->columns + column;
    nodes[0] = at[0];
    nodes[1] = at[1];
    nodes[2] = at[s->columns + 1];
    nodes[3] = at[s->columns];
}

slip_facet slip_flank_facet(const slip_flank_surface *s, int row, int column, const double *position)
{
    int nodes[4];
    const double *corners[4];
    slip_flank_corners(s, row, column, nodes);
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

/* Finds the nearest point of a facet. Newton's method starts in its middle, so that the result does not
 * depend on earlier searches. */
static void look(const slip_flank_surface *s, double overhang, const double *position, const double point[3],
                 spot *at)
{
    static const double start[2] = {0, 0};
    double low[2], high[2];
    limits_of(s, at->row, at->column, overhang, low, high);
    at->facet = slip_flank_facet(s, at->row, at->column, position);
    at->point = slip_facet_nearest(&at->facet, low, high, point, start);
}

/* In which direction (-1, 0, 1) the point is on an edge behind which there is another facet. False where it
 * is on the rim of the surface. */
static bool edges_of(const slip_flank_surface *s, double overhang, const spot *at, int step[2])
{
    bool within = true;
    double low[2], high[2];
    limits_of(s, at->row, at->column, overhang, low, high);
    for (int k = 0; k < 2; k++) {
        int here = k == 0 ? at->column : at->row, last = (k == 0 ? s->columns : s->rows) - 2;
        double x = at->point.at[k];
        step[k] = x == -1 && here > 0 ? -1 : x == 1 && here < last ? 1 : 0;
        within = within && ((x > low[k] && x < high[k]) || step[k] != 0);
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

/* Walks from facet to facet as long as the distance decreases. */
static void walk(const slip_flank_surface *s, double overhang, const double *position, const double point[3],
                 spot *at)
{
    int step[2];
    look(s, overhang, position, point, at);
    do
        edges_of(s, overhang, at, step);
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

/* The sum of the normals of all facets that meet at the point, which decides between inside and outside. */
static void joint_normal(const slip_flank_surface *s, double overhang, const double *position, const spot *at,
                         double normal[3])
{
    int step[2];
    edges_of(s, overhang, at, step);
    memset(normal, 0, 3 * sizeof *normal);
    for (int side = 0; side < 4; side++) {
        if ((side & 1 && !step[0]) || (side & 2 && !step[1]))
            continue;
        int by[2] = {side & 1 ? step[0] : 0, side & 2 ? step[1] : 0};
        const double here[2] = {by[0] ? -by[0] : at->point.at[0], by[1] ? -by[1] : at->point.at[1]};
        double one[3];
        slip_facet f = slip_flank_facet(s, at->row + by[1], at->column + by[0], position);
        slip_facet_normal(&f, here, one);
        add_scaled(1, one, normal);
    }
}

/* Whether the node is behind the surface; if so, its depth and the outward normal. */
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
        if (!edges_of(s, c->options.overhang, at, step))
            return false;
        joint_normal(s, c->options.overhang, position, at, joint);
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
    else if (edges_of(s, c->options.overhang, at, step))
        joint_normal(s, c->options.overhang, position, at, normal);
    else
        return false;
    scale(outwards / sqrt(dot(normal, normal)), normal);
    *depth = -dot(away, normal);
    return *depth <= 0;
}

/* By how much a node that is not behind the surface and the surface have to move before it can be. In front:
 * the distance. Beyond the rim: how far it is beyond, reduced with its depth, since a rotation of the surface
 * moves deep points more. */
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

void slip_flank_watch(slip_flank_contact *c, int body, int surface, const double *position)
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

/* ---- One pass. */

/* Searches for one node, starting at the facet in its touch. */
static void find_node(const slip_flank_contact *c, const slip_flank_surface *master, int master_index,
                      const double *position, const double point[3], double travel, slip_flank_touch *touch)
{
    double depth, normal[3];
    if (touch->master != master_index)
        begin(master, position, point, touch);
    spot at = {.row = touch->row, .column = touch->column};
    walk(master, c->options.overhang, position, point, &at);
    bool behind = is_behind(c, master, position, point, &at, &depth, normal);
    if (behind) {
        settle(master, c->options.overhang, position, point, &at);
        behind = is_behind(c, master, position, point, &at, &depth, normal);
    }
    *touch = (slip_flank_touch){
        .master = master_index, .row = at.row, .column = at.column, .at = {at.point.at[0], at.point.at[1]}};
    touch->near = behind || is_close(c, master, position, point, &at, &depth, normal);
    if (touch->near) {
        memcpy(touch->normal, normal, sizeof normal);
        touch->depth = depth;
    }
    if (!behind)
        touch->clear_until = travel + fmax(clearance(master, point, &at) - c->options.margin, 0);
}

/* The overhang beyond the rim moves by more than the nodes, hence the factor. */
double slip_flank_travel(const slip_flank_contact *c, int body, int surface, int master)
{
    double more = (1 + c->options.overhang) * (1 + c->options.overhang);
    return c->travel[body][surface] + more * c->travel[1 - body][master];
}

void slip_flank_find(slip_flank_contact *c, int body, const slip_flank_pair *pair,
                     const double *const position[2])
{
    const slip_flank_surface *slave = &c->surfaces[body][pair->surface[body]];
    int other = pair->surface[1 - body];
    slip_flank_touch *touch = c->touches[body][pair->surface[body]];
    double travel = slip_flank_travel(c, body, pair->surface[body], other);
    for (int i = 0; i < slave->rows * slave->columns; i++, touch++)
        if (touch->master != other || !(travel < touch->clear_until))
            find_node(c, &c->surfaces[1 - body][other], other, position[1 - body],
                      position[body] + 3 * (size_t)slave->nodes[i], travel, touch);
}
