/* A rasteriser: every pixel is sampled 3 x 3 times, and averaged. */
#include "figure/render.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { samples = 3 };

int slip_mesh_skin(slip_context *ctx, const slip_mesh *mesh, int **faces, int *count)
{
    int64_t all = 0;
    slip_face *list = slip_mesh_faces(mesh, &all);
    *faces = slip_alloc(4 * all, sizeof **faces);
    *count = 0;
    if (!list || !*faces) {
        free(list);
        free(*faces);
        *faces = NULL;
        return slip_fail_memory(ctx);
    }
    for (int64_t i = 0; i < all; i++) {
        int nodes[slip_face_nodes_max];
        if (slip_face_is_shared(list, all, i))
            continue;
        slip_mesh_face_nodes(mesh, list[i].item, nodes);
        if (list[i].key[3] < 0) /* a triangle: its last corner twice */
            nodes[3] = nodes[2];
        memcpy(&(*faces)[4 * (*count)++], nodes, 4 * sizeof **faces);
    }
    free(list);
    return SLIP_OK;
}

/* Blue, green, yellow: even steps of lightness, also in print and for colour-blind eyes (after viridis). */
void slip_render_colour(double value, double rgb[3])
{
    static const double stops[6][3] = {{0.267, 0.005, 0.329}, {0.254, 0.265, 0.530}, {0.164, 0.471, 0.558},
                                       {0.135, 0.659, 0.518}, {0.478, 0.821, 0.318}, {0.993, 0.906, 0.144}};
    double at = 5 * fmin(fmax(value, 0), 1);
    int k = at < 5 ? (int)at : 4;
    for (int c = 0; c < 3; c++)
        rgb[c] = stops[k][c] + (at - k) * (stops[k + 1][c] - stops[k][c]);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void normalise(double a[3])
{
    double length = sqrt(dot(a, a));
    for (int k = 0; length > 0 && k < 3; k++)
        a[k] /= length;
}

typedef struct canvas {
    int width, height; /* samples */
    float *depth;      /* larger is nearer */
    float *colour;     /* three a sample */
    double axis[3][3]; /* right, up, towards the viewer */
    double scale;
    double line; /* how much darker the edges of elements are */
    const slip_view *view;
} canvas;

typedef struct corner {
    double x, y, depth, value;
} corner;

static corner project(const canvas *c, const double place[3], double value)
{
    double from[3];
    for (int k = 0; k < 3; k++)
        from[k] = place[k] - c->view->centre[k];
    return (corner){c->width / 2.0 + c->scale * dot(from, c->axis[0]),
                    c->height / 2.0 - c->scale * dot(from, c->axis[1]), dot(from, c->axis[2]), value};
}

/* A triangle of a face; its edge opposite of `inner` is inside of the face and gets no line. */
static void fill_triangle(canvas *c, const corner t[3], int inner, double light, bool coloured)
{
    double area = (t[1].x - t[0].x) * (t[2].y - t[0].y) - (t[1].y - t[0].y) * (t[2].x - t[0].x);
    double low = fmin(t[0].y, fmin(t[1].y, t[2].y)), high = fmax(t[0].y, fmax(t[1].y, t[2].y));
    double left = fmin(t[0].x, fmin(t[1].x, t[2].x)), right = fmax(t[0].x, fmax(t[1].x, t[2].x));
    if (!(fabs(area) > 1e-9) || high < 0 || low > c->height || right < 0 || left > c->width)
        return;
    double reach[3]; /* height over each edge, in samples */
    for (int k = 0; k < 3; k++)
        reach[k] =
            fabs(area) / hypot(t[(k + 1) % 3].x - t[(k + 2) % 3].x, t[(k + 1) % 3].y - t[(k + 2) % 3].y);
    for (int y = (int)fmax(0, floor(low)); y < c->height && y <= high; y++)
        for (int x = (int)fmax(0, floor(left)); x < c->width && x <= right; x++) {
            double px = x + 0.5, py = y + 0.5, edge = INFINITY, depth = 0, value = 0;
            bool inside = true;
            for (int k = 0; k < 3 && inside; k++) {
                const corner *a = &t[(k + 1) % 3], *b = &t[(k + 2) % 3];
                const double w = ((b->x - a->x) * (py - a->y) - (b->y - a->y) * (px - a->x)) / area;
                inside = w >= -1e-12;
                depth += w * t[k].depth;
                value += w * t[k].value;
                if (k != inner && w * reach[k] < edge)
                    edge = w * reach[k];
            }
            size_t at = (size_t)y * (size_t)c->width + (size_t)x;
            if (!inside || depth <= c->depth[at])
                continue;
            double rgb[3] = {0.70, 0.75, 0.80}, shade = light * (edge < 0.5 * samples ? 1 - c->line : 1);
            if (coloured)
                slip_render_colour(value, rgb);
            c->depth[at] = (float)depth;
            for (int k = 0; k < 3; k++)
                c->colour[3 * at + (size_t)k] = (float)(rgb[k] * shade);
        }
}

/* The normal of a face; false where it looks away from the viewer. */
static bool find_normal(const canvas *c, const int *face, const double *places, double normal[3])
{
    double a[3], b[3];
    for (int k = 0; k < 3; k++) {
        a[k] = places[3 * face[2] + k] - places[3 * face[0] + k];
        b[k] = places[3 * face[3] + k] - places[3 * face[1] + k];
    }
    cross(a, b, normal);
    normalise(normal);
    return dot(normal, c->axis[2]) > 0;
}

/* Edges are all of one strength, less where a tenth of the faces in the picture is only a few pixels wide. */
static double choose_line(const canvas *c, const int *faces, int count, const double *places)
{
    enum { classes = 16 };
    int seen[classes] = {0}, all = 0, below = 0, k = 0;
    double normal[3];
    for (int f = 0; f < count; f++) {
        const int *face = &faces[4 * f];
        double size[2] = {0};
        corner t[4];
        if (!find_normal(c, face, places, normal))
            continue;
        for (int i = 0; i < 4; i++)
            t[i] = project(c, &places[3 * face[i]], 0);
        if (t[0].x < 0 || t[0].x > c->width || t[0].y < 0 || t[0].y > c->height)
            continue;
        for (int i = 0; i < 4; i++)
            size[i % 2] += hypot(t[i].x - t[(i + 1) % 4].x, t[i].y - t[(i + 1) % 4].y) / (2 * samples);
        seen[(int)fmin(fmin(size[0], size[1]), classes - 1)]++;
        all++;
    }
    while (k < classes - 1 && (below += seen[k]) < all / 10)
        k++;
    return fmin(fmax((k - 1) / 10.0, 0.12), 0.6);
}

static void draw_face(canvas *c, const int *face, const double *places, const double *value)
{
    const double lamp[3] = {-0.35, 0.5, 0.8};
    double normal[3], light = 0;
    corner t[4];
    if (!find_normal(c, face, places, normal))
        return;
    for (int k = 0; k < 3; k++)
        light += lamp[k] * dot(normal, c->axis[k]) / sqrt(dot(lamp, lamp));
    for (int k = 0; k < 4; k++)
        t[k] = project(c, &places[3 * face[k]], value ? value[face[k]] : 0);
    light = 0.55 + 0.45 * fmax(light, 0);
    fill_triangle(c, (corner[]){t[0], t[1], t[2]}, 1, light, value != NULL);
    fill_triangle(c, (corner[]){t[0], t[2], t[3]}, 2, light, value != NULL);
}

/* Means of the samples of each pixel. */
static void develop(const canvas *c, int width, int height, unsigned char *pixels)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int k = 0; k < 3; k++) {
                double sum = 0;
                for (int s = 0; s < samples * samples; s++)
                    sum += c->colour[3 * ((size_t)(samples * y + s / samples) * (size_t)c->width +
                                          (size_t)(samples * x + s % samples)) +
                                     (size_t)k];
                pixels[3 * ((size_t)y * (size_t)width + (size_t)x) + (size_t)k] =
                    (unsigned char)lround(255 * fmin(sum / (samples * samples), 1));
            }
}

int slip_render(slip_context *ctx, const int *faces, int face_count, const double *places,
                const double *value, const slip_view *view, int width, int height, unsigned char *pixels)
{
    canvas c = {.width = samples * width, .height = samples * height, .view = view};
    int64_t count = (int64_t)c.width * c.height;
    if (slip_interrupted(ctx))
        return slip_interrupt_check(ctx);
    c.depth = slip_alloc(count, sizeof *c.depth);
    c.colour = slip_alloc(3 * count, sizeof *c.colour);
    if (!c.depth || !c.colour) {
        free(c.depth);
        free(c.colour);
        return slip_fail_memory(ctx);
    }
    for (int64_t i = 0; i < count; i++) {
        c.depth[i] = -INFINITY;
        c.colour[3 * i] = c.colour[3 * i + 1] = c.colour[3 * i + 2] = 1;
    }
    c.scale = c.height / view->height;
    memcpy(c.axis[2], view->toward, sizeof c.axis[2]);
    normalise(c.axis[2]);
    cross(view->up, c.axis[2], c.axis[0]);
    normalise(c.axis[0]);
    cross(c.axis[2], c.axis[0], c.axis[1]);
    c.line = choose_line(&c, faces, face_count, places);
    for (int i = 0; i < face_count; i++)
        draw_face(&c, &faces[4 * i], places, value);
    develop(&c, width, height, pixels);
    free(c.depth);
    free(c.colour);
    return SLIP_OK;
}
