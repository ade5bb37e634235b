/* Smoothing by the shape measure that section.h states, node after node. */
#include "gear/geometry/smooth.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { sweeps_max = 200 };

/* A corner of an element as a function of the place x of one node: edges first + a x and second + b x. */
typedef struct slip_corner {
    double first[2], second[2];
    double a, b;
    double first_size, second_size;
} slip_corner;

typedef struct slip_smoother {
    const slip_smoothing *given;
    double cosine[3], sine[3]; /* of a turn by -1, 0, 1 pitches */
    double *sizes;             /* two of each element: of its edges 0-1 and 1-2 at the start */
    int *start, *uses;         /* elements around a node: 4 * element + corner */
} slip_smoother;

/* The corner k of an element, as seen from the pitch in which its corner `from` is. */
static void corner_place(const slip_smoother *s, int element, int k, int from, double *place)
{
    const slip_smoothing *g = s->given;
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

static int list_uses(slip_context *ctx, slip_smoother *s, int *most)
{
    const slip_smoothing *g = s->given;
    s->start = slip_alloc(g->node_count + 2, sizeof *s->start);
    s->uses = slip_alloc(4 * (int64_t)g->quad_count, sizeof *s->uses);
    s->sizes = slip_alloc(2 * (int64_t)g->quad_count, sizeof *s->sizes);
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

int slip_mesh_smooth(slip_context *ctx, const slip_smoothing *smoothing)
{
    slip_smoother s = {.given = smoothing};
    slip_corner *corners = NULL;
    int status, most = 0;
    for (int k = 0; k < 3; k++) {
        s.cosine[k] = cos((k - 1) * smoothing->pitch);
        s.sine[k] = sin((k - 1) * smoothing->pitch);
    }
    SLIP_TRY(list_uses(ctx, &s, &most));
    measure_sizes(&s);
    corners = slip_alloc(3 * (int64_t)most, sizeof *corners);
    SLIP_TRY(slip_allocated(ctx, corners));
    double furthest = 1;
    for (int sweep = 0; sweep < sweeps_max && furthest > 1e-4; sweep++) {
        furthest = 0;
        for (int i = 0; i < smoothing->node_count; i++)
            if (!smoothing->fixed[i])
                furthest = fmax(furthest, move_node(&s, i, corners));
    }
done:
    free(corners);
    free(s.start);
    free(s.uses);
    free(s.sizes);
    return status;
}
