/* A rasteriser: every pixel is sampled 3 x 3 times, and averaged. */
#include "figure/render.h"

#include "figure/axis.h"
#include "math/vector.h"

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

typedef struct canvas {
    int width, height; /* samples */
    float *depth;      /* larger is nearer */
    float *colour;     /* three a sample */
    double axis[3][3]; /* right, up, towards the viewer */
    double scale;
    double line; /* how much darker the edges of elements are */
    const slip_camera *view;
} canvas;

typedef struct corner {
    double x, y, depth, value;
} corner;

static corner project(const canvas *c, const double place[3], double value)
{
    double from[3];
    for (int k = 0; k < 3; k++)
        from[k] = place[k] - c->view->centre[k];
    return (corner){c->width / 2.0 + c->scale * slip_dot(3, from, c->axis[0]),
                    c->height / 2.0 - c->scale * slip_dot(3, from, c->axis[1]), slip_dot(3, from, c->axis[2]),
                    value};
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
                slip_scale_colour(value, rgb);
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
    slip_cross(a, b, normal);
    slip_normalise(normal);
    return slip_dot(3, normal, c->axis[2]) > 0;
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
        light += lamp[k] * slip_dot(3, normal, c->axis[k]) / sqrt(slip_dot(3, lamp, lamp));
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

void slip_camera_axes(const slip_camera *view, double axis[3][3])
{
    memcpy(axis[2], view->toward, sizeof axis[2]);
    slip_normalise(axis[2]);
    slip_cross(view->up, axis[2], axis[0]);
    slip_normalise(axis[0]);
    slip_cross(axis[2], axis[0], axis[1]);
}

int slip_render(slip_album *album, const char *title, int size, const slip_drawn *drawn,
                const slip_camera *view)
{
    canvas c = {.width = samples * size, .height = samples * size, .view = view};
    const int64_t count = (int64_t)c.width * c.height;
    slip_album_panel(album, NULL, NULL)->title = title;
    unsigned char *pixels = slip_album_image(album, size, size);
    SLIP_PASS(slip_interrupt_check(album->ctx));
    c.depth = slip_alloc(4 * count, sizeof *c.depth);
    if (!pixels || !c.depth) {
        free(c.depth);
        return slip_fail_memory(album->ctx);
    }
    c.colour = c.depth + count;
    for (int64_t i = 0; i < 4 * count; i++)
        c.depth[i] = i < count ? -INFINITY : 1;
    c.scale = c.height / view->height;
    slip_camera_axes(view, c.axis);
    c.line = choose_line(&c, drawn->faces, drawn->face_count, drawn->places);
    for (int i = 0; i < drawn->face_count; i++)
        draw_face(&c, &drawn->faces[4 * i], drawn->places, drawn->value);
    develop(&c, size, size, pixels);
    free(c.depth);
    return SLIP_OK;
}
