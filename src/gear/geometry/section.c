/* The plane mesh of one pitch of a gear. The theory is in the header. */
#include "gear/geometry/section.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* ---- Smoothing by the shape measure that section.h states, node after node: inner nodes move to where the
 * elements are least distorted. */

enum { sweeps_max = 200 };

typedef struct smoothing {
    int node_count, quad_count;
    const int *quads; /* four corners each, counterclockwise; + node_count: the same node one pitch further */
    const bool *fixed; /* nodes that stay */
    double pitch;      /* angle by which the mesh goes on about the origin */
    double *points;    /* x, y of each node: a mesh without folded elements, in and out */
} smoothing;

/* A corner of an element as a function of the place x of one node: edges first + a x and second + b x. */
typedef struct slip_corner {
    double first[2], second[2];
    double a, b;
    double first_size, second_size;
} slip_corner;

typedef struct slip_smoother {
    const smoothing *given;
    double cosine[3], sine[3]; /* of a turn by -1, 0, 1 pitches */
    double *sizes;             /* two of each element: of its edges 0-1 and 1-2 at the start */
    int *start, *uses;         /* elements around a node: 4 * element + corner */
} slip_smoother;

/* The corner k of an element, as seen from the pitch in which its corner `from` is. */
static void corner_place(const slip_smoother *s, int element, int k, int from, double *place)
{
    const smoothing *g = s->given;
    const int *quad = &g->quads[4 * element];
    int turn = quad[k] / g->node_count - quad[from] / g->node_count + 1;
    const double *p = &g->points[2 * (quad[k] % g->node_count)];
    place[0] = s->cosine[turn] * p[0] - s->sine[turn] * p[1];
    place[1] = s->sine[turn] * p[0] + s->cosine[turn] * p[1];
}

/* The three corners of an element that move with its corner `at`. */
static void element_corners(const slip_smoother *s, int element, int at, slip_corner *corners)
{
    double p[4][2];
    for (int k = 0; k < 4; k++)
        corner_place(s, element, k, at, p[k]);
    p[at][0] = p[at][1] = 0; /* x itself enters by a and b */
    for (int i = 0; i < 3; i++) {
        int k = (at + 3 + i) % 4, next = (k + 1) % 4, last = (k + 3) % 4;
        slip_corner *c = &corners[i];
        for (int d = 0; d < 2; d++) {
            c->first[d] = p[next][d] - p[k][d];
            c->second[d] = p[last][d] - p[k][d];
        }
        c->a = (next == at) - (k == at);
        c->b = (last == at) - (k == at);
        c->first_size = s->sizes[2 * element + k % 2];
        c->second_size = s->sizes[2 * element + (k + 1) % 2];
    }
}

/* The measure at x, its gradient and Hessian (xx, xy, yy) unless NULL. Infinite where the corner folds. */
static double corner_measure(const slip_corner *c, const double x[2], double *gradient, double *hessian)
{
    double e[2], f[2];
    for (int d = 0; d < 2; d++) {
        e[d] = c->first[d] + c->a * x[d];
        f[d] = c->second[d] + c->b * x[d];
    }
    double scale = 1 / (c->first_size * c->second_size), area = 2 * scale * (e[0] * f[1] - e[1] * f[0]);
    double wide = 1 / (c->first_size * c->first_size), high = 1 / (c->second_size * c->second_size);
    double sum = wide * (e[0] * e[0] + e[1] * e[1]) + high * (f[0] * f[0] + f[1] * f[1]);
    if (!(area > 0))
        return INFINITY;
    if (gradient) {
        double bend = 2 * (wide * c->a * c->a + high * c->b * c->b) / area;
        const double sum_x[2] = {2 * (wide * c->a * e[0] + high * c->b * f[0]),
                                 2 * (wide * c->a * e[1] + high * c->b * f[1])};
        const double area_x[2] = {2 * scale * (c->a * f[1] - c->b * e[1]),
                                  2 * scale * (c->b * e[0] - c->a * f[0])};
        double square = area * area;
        for (int d = 0; d < 2; d++)
            gradient[d] += (sum_x[d] - sum / area * area_x[d]) / area;
        for (int i = 0, k = 0; i < 2; i++)
            for (int j = i; j < 2; j++, k++)
                hessian[k] += (i == j) * bend - (sum_x[i] * area_x[j] + sum_x[j] * area_x[i]) / square +
                              2 * sum / (square * area) * area_x[i] * area_x[j];
    }
    return sum / area;
}

static double node_measure(const slip_corner *corners, int count, const double x[2], double *gradient,
                           double *hessian)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += corner_measure(&corners[i], x, gradient, hessian);
    return sum;
}

/* One step of Newton's method with a line search. Returns how far the node moved, in element sizes. */
static double move_node(const slip_smoother *s, int node, slip_corner *corners)
{
    double *x = &s->given->points[2 * node], g[2] = {0}, h[3] = {0}, size = INFINITY;
    int count = 0;
    for (int u = s->start[node]; u < s->start[node + 1]; u++, count += 3)
        element_corners(s, s->uses[u] / 4, s->uses[u] % 4, corners + count);
    for (int i = 0; i < count; i++)
        size = fmin(size, fmin(corners[i].first_size, corners[i].second_size));
    double now = node_measure(corners, count, x, g, h), det = h[0] * h[2] - h[1] * h[1];
    double step[2] = {-g[0] * size * size, -g[1] * size * size};
    if (det > 0 && h[0] > 0) {
        step[0] = -(h[2] * g[0] - h[1] * g[1]) / det;
        step[1] = -(h[0] * g[1] - h[1] * g[0]) / det;
    }
    for (double part = 1; part > 1e-4; part /= 2) {
        double there[2] = {x[0] + part * step[0], x[1] + part * step[1]};
        if (node_measure(corners, count, there, NULL, NULL) < now) {
            x[0] = there[0];
            x[1] = there[1];
            return part * hypot(step[0], step[1]) / size;
        }
    }
    return 0;
}

static int list_uses(slip_context *ctx, slip_arena *arena, slip_smoother *s, int *most)
{
    const smoothing *g = s->given;
    s->start = slip_arena_array(arena, g->node_count + 2, sizeof *s->start);
    s->uses = slip_arena_array(arena, 4 * (int64_t)g->quad_count, sizeof *s->uses);
    s->sizes = slip_arena_array(arena, 2 * (int64_t)g->quad_count, sizeof *s->sizes);
    SLIP_PASS(slip_allocated(ctx, s->start && s->uses && s->sizes));
    for (int i = 0; i < 4 * g->quad_count; i++)
        s->start[g->quads[i] % g->node_count + 2]++;
    for (int i = 0; i < g->node_count; i++) {
        *most = s->start[i + 2] > *most ? s->start[i + 2] : *most;
        s->start[i + 2] += s->start[i + 1];
    }
    for (int i = 0; i < 4 * g->quad_count; i++)
        s->uses[s->start[g->quads[i] % g->node_count + 1]++] = i;
    return SLIP_OK;
}

/* The mean lengths of opposite edges of every element. */
static void measure_sizes(slip_smoother *s)
{
    for (int e = 0; e < s->given->quad_count; e++) {
        double p[4][2];
        for (int k = 0; k < 4; k++)
            corner_place(s, e, k, 0, p[k]);
        for (int k = 0; k < 4; k++) {
            const double *a = p[k], *b = p[(k + 1) % 4];
            s->sizes[2 * e + k % 2] += hypot(b[0] - a[0], b[1] - a[1]) / 2;
        }
    }
}

static int smooth(slip_context *ctx, const smoothing *given)
{
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    slip_smoother s = {.given = given};
    int most = 0;
    for (int k = 0; k < 3; k++) {
        s.cosine[k] = cos((k - 1) * given->pitch);
        s.sine[k] = sin((k - 1) * given->pitch);
    }
    SLIP_PASS(list_uses(ctx, &arena, &s, &most));
    measure_sizes(&s);
    slip_corner *corners = slip_arena_array(&arena, 3 * (int64_t)most, sizeof *corners);
    SLIP_PASS(slip_allocated(ctx, corners));
    double furthest = 1;
    for (int sweep = 0; sweep < sweeps_max && furthest > 1e-4; sweep++) {
        furthest = 0;
        for (int i = 0; i < given->node_count; i++)
            if (!given->fixed[i])
                furthest = fmax(furthest, move_node(&s, i, corners));
    }
    return SLIP_OK;
}

static const double pi = 3.14159265358979323846;

static int check_counts(slip_context *ctx, const slip_gear_options *o)
{
    const slip_gear_mesh_options *m = &o->mesh;
    const struct {
        const char *name;
        int value, least;
    } counts[] = {{"flank", m->flank, 1},         {"fillet", m->fillet, 1}, {"root", m->root, 2},
                  {"thickness", m->thickness, 2}, {"rim", m->rim, 1},       {"width", m->width, 1}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].value < counts[i].least || counts[i].value > 1000)
            return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: mesh.%s %d: expected %d to 1000 elements", o->name,
                             counts[i].name, counts[i].value, counts[i].least);
    if (m->root % 2 != 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: mesh.root %d: expected an even number, so that both sides of a tooth are alike",
                         o->name, m->root);
    double nodes =
        (double)o->teeth *
        ((m->rim + 1.0) * (m->thickness + m->root) + (m->fillet + m->flank + 1.0) * (m->thickness + 1.0)) *
        (m->width + 1.0);
    if (nodes > 1e8)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: mesh: %.3g nodes: expected at most 1e8", o->name, nodes);
    return SLIP_OK;
}

int slip_gear_measure(slip_context *ctx, const slip_gear_options *options, slip_gear_geometry *geometry)
{
    SLIP_NEED(ctx, options, geometry);
    slip_profile profile;
    SLIP_PASS(slip_profile_make(ctx, options, &profile));
    SLIP_PASS(check_counts(ctx, options));
    *geometry = profile.radii;
    return SLIP_OK;
}

static void place(slip_section *s, int node, double radius, double angle)
{
    s->points[2 * node] = radius * cos(angle);
    s->points[2 * node + 1] = radius * sin(angle);
}

/* A row of the tooth: an arc between both sides. */
static void place_arc(slip_section *s, int row, slip_profile_point side)
{
    int thickness = s->counts.thickness;
    for (int c = 0; c <= thickness; c++)
        place(s, slip_section_tooth(s, row, c), side.radius, side.angle * (2.0 * c / thickness - 1));
}

/* The outline: arcs of the tooth, and the nodes of the space. */
static void place_outline(slip_section *s, const slip_profile *profile, slip_profile_point *foot,
                          slip_profile_point *flank)
{
    const slip_gear_mesh_options *m = &s->counts;
    int half = m->root / 2;
    slip_profile_foot_points(profile, half + m->fillet, foot);
    slip_profile_flank_points(profile, m->flank, flank);
    for (int k = 0; k < m->fillet; k++)
        place_arc(s, k, foot[half + k]);
    for (int k = 0; k <= m->flank; k++)
        place_arc(s, slip_section_flank_row(s, k), flank[k]);
    if (profile->chamfer > 0) {
        double tip = profile->radii.tip_radius;
        slip_profile_point side = slip_profile_involute(profile, tip);
        side.angle -= profile->chamfer / tip;
        place_arc(s, s->tooth_rows, side);
    }
    for (int k = 1; k < m->root; k++) {
        slip_profile_point p = foot[abs(half - k)];
        place(s, slip_section_rim(s, m->rim, m->thickness + k), p.radius,
              k < half ? p.angle : 2 * pi / s->teeth - p.angle);
    }
}

/* The ratio of one row's height to that of the next, so that `count` rows fill `depth` and the one at the
 * root is as high as elements are wide there; at most 1.3, and 1 where the rows are high enough anyway. */
static double grading(double depth, double first, int count)
{
    double low = 1, high = 1.3;
    for (int i = 0; i < 60; i++) {
        double q = (low + high) / 2, sum = 0, height = first;
        for (int k = 0; k < count; k++, height *= q)
            sum += height;
        *(sum < depth ? &low : &high) = q;
    }
    return low;
}

/* Straight lines from equal angles on the bore to the nodes at the root. */
static void place_rim(slip_section *s, double bore_radius)
{
    const slip_gear_mesh_options *m = &s->counts;
    double pitch = 2 * pi / s->teeth, root = 0, width = 0;
    for (int c = 0; c < s->columns; c++) {
        const double *p = &s->points[2 * slip_section_rim(s, m->rim, c)];
        root += hypot(p[0], p[1]) / s->columns;
    }
    width = root * pitch / s->columns;
    double q = grading(root - bore_radius, width, m->rim), total = 0;
    for (int row = 0; row < m->rim; row++)
        total += pow(q, m->rim - 1 - row);
    for (int c = 0; c < s->columns; c++) {
        double angle = pitch * (c - m->thickness / 2.0) / s->columns, done = 0;
        const double *top = &s->points[2 * slip_section_rim(s, m->rim, c)];
        const double bottom[2] = {bore_radius * cos(angle), bore_radius * sin(angle)};
        for (int row = 0; row < m->rim; row++) {
            double *p = &s->points[2 * slip_section_rim(s, row, c)];
            for (int k = 0; k < 2; k++)
                p[k] = bottom[k] + done / total * (top[k] - bottom[k]);
            done += pow(q, m->rim - 1 - row);
        }
    }
}

static void number_quads(slip_section *s)
{
    const slip_gear_mesh_options *m = &s->counts;
    int *quad = s->quads;
    for (int row = 0; row < m->rim; row++)
        for (int c = 0; c < s->columns; c++, quad += 4) {
            quad[0] = slip_section_rim(s, row, c);
            quad[1] = slip_section_rim(s, row + 1, c);
            quad[2] = slip_section_rim(s, row + 1, c + 1);
            quad[3] = slip_section_rim(s, row, c + 1);
        }
    for (int row = 0; row < s->tooth_rows; row++)
        for (int c = 0; c < m->thickness; c++, quad += 4) {
            quad[0] = slip_section_tooth(s, row, c);
            quad[1] = slip_section_tooth(s, row + 1, c);
            quad[2] = slip_section_tooth(s, row + 1, c + 1);
            quad[3] = slip_section_tooth(s, row, c + 1);
        }
}

/* Nodes on the outline and on the bore stay where they are. */
static void mark_outline(const slip_section *s, bool *fixed)
{
    const slip_gear_mesh_options *m = &s->counts;
    for (int c = 0; c < s->columns; c++)
        fixed[slip_section_rim(s, 0, c)] = true;
    for (int c = m->thickness; c < s->columns; c++)
        fixed[slip_section_rim(s, m->rim, c)] = true;
    for (int row = 0; row <= s->tooth_rows; row++)
        fixed[slip_section_tooth(s, row, 0)] = fixed[slip_section_tooth(s, row, m->thickness)] = true;
    for (int c = 0; c <= m->thickness; c++)
        fixed[slip_section_tooth(s, s->tooth_rows, c)] = true;
}

/* The node that is the mirror image of one, and in which pitch: 0, or -1 for one in the pitch before. */
static void mirror_lists(const slip_section *s, int *partner, int *pitch)
{
    const slip_gear_mesh_options *m = &s->counts;
    for (int row = 0; row <= m->rim; row++)
        for (int c = 0; c < s->columns; c++) {
            int image = m->thickness - c, node = slip_section_rim(s, row, c);
            pitch[node] = image < 0 ? -1 : 0;
            partner[node] = slip_section_rim(s, row, image < 0 ? image + s->columns : image);
        }
    for (int row = 1; row <= s->tooth_rows; row++)
        for (int c = 0; c <= m->thickness; c++)
            partner[slip_section_tooth(s, row, c)] = slip_section_tooth(s, row, m->thickness - c);
}

/* Makes the mesh its own mirror image to the last bit as far as rounding allows: the mean of each node and
 * the image of its partner. */
static int make_symmetric(slip_context *ctx, slip_section *s)
{
    SLIP_FREED int *partner = slip_alloc(s->node_count, sizeof *partner);
    SLIP_FREED int *pitch = slip_alloc(s->node_count, sizeof *pitch);
    double turn_x = cos(2 * pi / s->teeth), turn_y = -sin(2 * pi / s->teeth);
    SLIP_PASS(slip_allocated(ctx, partner && pitch));
    mirror_lists(s, partner, pitch);
    for (int i = 0; i < s->node_count; i++) {
        double *p = &s->points[2 * i], *o = &s->points[2 * partner[i]];
        if (partner[i] < i)
            continue;
        double x = o[0], y = o[1];
        if (pitch[i]) { /* the partner is one pitch back */
            x = turn_x * o[0] - turn_y * o[1];
            y = turn_y * o[0] + turn_x * o[1];
        }
        x = p[0] = (p[0] + x) / 2;
        y = p[1] = (p[1] - y) / 2;
        o[0] = x;
        o[1] = -y;
        if (pitch[i]) {
            o[0] = turn_x * x - turn_y * y;
            o[1] = -turn_y * x - turn_x * y;
        }
        if (partner[i] == i && !pitch[i])
            p[1] = 0;
    }
    return SLIP_OK;
}

double slip_section_quality(const slip_section *s)
{
    double cosine = cos(2 * pi / s->teeth), sine = sin(2 * pi / s->teeth), worst = 1;
    for (int e = 0; e < s->quad_count; e++) {
        double p[4][2];
        for (int k = 0; k < 4; k++) {
            int node = s->quads[4 * e + k];
            const double *o = &s->points[2 * (node % s->node_count)];
            bool next = node >= s->node_count;
            p[k][0] = next ? cosine * o[0] - sine * o[1] : o[0];
            p[k][1] = next ? sine * o[0] + cosine * o[1] : o[1];
        }
        for (int k = 0; k < 4; k++) {
            const double *a = p[k], *b = p[(k + 1) % 4], *d = p[(k + 3) % 4];
            double area = (b[0] - a[0]) * (d[1] - a[1]) - (b[1] - a[1]) * (d[0] - a[0]);
            worst = fmin(worst, area / (hypot(b[0] - a[0], b[1] - a[1]) * hypot(d[0] - a[0], d[1] - a[1])));
        }
    }
    return worst;
}

static int allocate(slip_context *ctx, const slip_gear_options *o, slip_section **section)
{
    slip_section *s = *section = slip_alloc(1, sizeof *s);
    SLIP_PASS(slip_allocated(ctx, s));
    s->counts = o->mesh;
    s->teeth = o->teeth;
    s->tooth_rows = o->mesh.fillet + o->mesh.flank + (o->chamfer > 0);
    s->columns = o->mesh.thickness + o->mesh.root;
    s->node_count = (o->mesh.rim + 1) * s->columns + s->tooth_rows * (o->mesh.thickness + 1);
    s->quad_count = o->mesh.rim * s->columns + s->tooth_rows * o->mesh.thickness;
    s->points = slip_arena_array(&s->arena, 2 * (int64_t)s->node_count, sizeof *s->points);
    s->quads = slip_arena_array(&s->arena, 4 * (int64_t)s->quad_count, sizeof *s->quads);
    return slip_allocated(ctx, s->points && s->quads);
}

int slip_section_create(slip_context *ctx, const slip_gear_options *options, slip_section **section)
{
    slip_profile profile;
    SLIP_FREED_BY(slip_section_drop) slip_section *s = NULL;
    *section = NULL;
    SLIP_PASS(slip_profile_make(ctx, options, &profile));
    SLIP_PASS(check_counts(ctx, options));
    SLIP_PASS(allocate(ctx, options, &s));
    int foot_count = options->mesh.fillet + options->mesh.root / 2 + 1;
    SLIP_FREED slip_profile_point *points = slip_alloc(foot_count + options->mesh.flank + 1, sizeof *points);
    SLIP_FREED bool *fixed = slip_alloc(s->node_count, sizeof *fixed);
    SLIP_PASS(slip_allocated(ctx, points && fixed));
    place_outline(s, &profile, points, points + foot_count);
    place_rim(s, options->bore / 2);
    number_quads(s);
    mark_outline(s, fixed);
    SLIP_PASS(smooth(ctx, &(smoothing){.node_count = s->node_count,
                                       .quad_count = s->quad_count,
                                       .quads = s->quads,
                                       .fixed = fixed,
                                       .pitch = 2 * pi / s->teeth,
                                       .points = s->points}));
    SLIP_PASS(make_symmetric(ctx, s));
    if (!(slip_section_quality(s) > 0))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: mesh: an element folds; expected more elements along fillet or root",
                         options->name);
    SLIP_HAND(section, s);
    return SLIP_OK;
}

SLIP_DESTROY(slip_section)
