/* The deformed bodies as a map of their stress, with the lines of their meshes and the outline of the
 * undeformed ones; on top an arrow for each contact force. */
#include "figure/plot_bodies.h"

#include "figure/album.h"
#include "math/vector.h"
#include "model/model.h"
#include "slipstick/body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pixels around the map, as the renderer leaves them; meshes of more elements are drawn without lines. */
enum { width = 1600, height_max = 1500, around = 505, above = 380, lines_max = 4000 };

typedef struct picture {
    slip_album album;
    const slip_plane *plane;
    const slip_bodies_options *options;
    const double *u, *lambda;
    double *mises;  /* of each node */
    double *places; /* of each node, deformed */
    double magnify, largest_force;
    double low[2], high[2]; /* of all that is drawn */
} picture;

/* ---- Places and forces. */

/* 1, 2 or 5 times a power of ten, not above the number. */
static double round_down(double number)
{
    const double power = pow(10, floor(log10(number))), lead = number / power;
    return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

static double size_of(const picture *p)
{
    return hypot(p->high[0] - p->low[0], p->high[1] - p->low[1]);
}

/* The largest displacement is about a twentieth of the picture. */
static void place_nodes(picture *p)
{
    const int n = slip_plane_node_count(p->plane);
    double largest = 0;
    for (int k = 0; k < 2; k++) {
        p->low[k] = INFINITY;
        p->high[k] = -INFINITY;
    }
    for (int i = 0; i < slip_plane_body_count(p->plane); i++) {
        const slip_mesh *mesh = slip_plane_body_mesh(p->plane, i);
        slip_box_widen(2, mesh->node_count, mesh->points, p->low, p->high);
        memcpy(p->places + 2 * (int64_t)slip_plane_body_first_node(p->plane, i), mesh->points,
               2 * (size_t)mesh->node_count * sizeof(double));
    }
    for (int i = 0; i < n; i++)
        largest = fmax(largest, hypot(p->u[2 * i], p->u[2 * i + 1]));
    p->magnify = largest > 0 ? round_down(0.08 * size_of(p) / largest) : 1;
    for (int64_t i = 0; i < 2 * (int64_t)n; i++)
        p->places[i] += p->magnify * p->u[i];
    slip_box_widen(2, n, p->places, p->low, p->high);
}

static int prepare(slip_context *ctx, picture *p)
{
    const int n = slip_plane_node_count(p->plane);
    double *stress = slip_album_numbers(&p->album, 4 * (int64_t)n);
    double largest = 0;
    p->mises = slip_album_numbers(&p->album, n);
    p->places = slip_album_numbers(&p->album, 2 * (int64_t)n);
    SLIP_PASS(p->album.failed ? slip_fail_memory(ctx) : slip_plane_stresses(ctx, p->plane, p->u, stress));
    for (int i = 0; i < n; i++)
        largest = fmax(largest, p->mises[i] = slip_plane_von_mises(p->plane, stress + 4 * (int64_t)i));
    for (int i = 0; i < n && p->options->shape && largest > 0; i++)
        p->mises[i] /= largest;
    place_nodes(p);
    return SLIP_OK;
}

/* ---- What is drawn. */

static int element_count(const slip_plane *plane)
{
    int count = 0;
    for (int b = 0; b < slip_plane_body_count(plane); b++)
        count += slip_plane_body_mesh(plane, b)->element_count;
    return count;
}

/* Each element is two rows of two points, and a row of nothing behind them; its corners in turn are a line.
 */
static void add_elements(picture *p)
{
    enum { rows = 3, corners = 6 };
    static const int around_it[corners] = {0, 1, 3, 2, 0, -1};
    const int64_t count = element_count(p->plane);
    double *grid[3], *line[2];
    for (int k = 0; k < 3; k++)
        grid[k] = slip_album_numbers(&p->album, 2 * rows * count);
    for (int k = 0; k < 2; k++)
        line[k] = slip_album_numbers(&p->album, corners * count);
    if (p->album.failed)
        return;
    int64_t at = 0;
    for (int b = 0; b < slip_plane_body_count(p->plane); b++) {
        const slip_mesh *mesh = slip_plane_body_mesh(p->plane, b);
        for (int e = 0; e < mesh->element_count; e++, at++) {
            const int *own = slip_mesh_nodes(mesh, e), first = slip_plane_body_first_node(p->plane, b);
            const int last = slip_mesh_group_of(mesh, e)->cell->corner_count - 1; /* of a triangle, twice */
            const int nodes[4] = {own[0], own[1], own[last], own[2]};
            for (int k = 0; k < corners; k++) {
                const bool gap = k >= 4, lift = around_it[k] < 0;
                const int node = first + nodes[gap ? 0 : k], next = first + nodes[lift ? 0 : around_it[k]];
                for (int d = 0; d < 2; d++) {
                    grid[d][corners * at + k] = gap ? NAN : p->places[2 * node + d];
                    line[d][corners * at + k] = lift ? NAN : p->places[2 * next + d];
                }
                grid[2][corners * at + k] = gap ? NAN : p->mises[node];
            }
        }
    }
    slip_album_panel(&p->album, "x", "y");
    slip_album_surface(&p->album, &(slip_figure_surface){grid[0], grid[1], grid[2], (int)(rows * count), 2},
                       p->options->shape ? "von Mises stress, largest = 1" : "von Mises stress", true)
        ->light = true;
    if (count <= lines_max)
        slip_album_curve(&p->album, line[0], line[1], corners * count, NULL)->thin = true;
}

/* The boundary of all bodies by its segments (two where there is a node between). */
static void add_outline(picture *p, bool deformed)
{
    for (int b = 0; b < slip_plane_body_count(p->plane); b++) {
        const slip_mesh *mesh = slip_plane_body_mesh(p->plane, b);
        const double *points =
            deformed ? p->places + 2 * (int64_t)slip_plane_body_first_node(p->plane, b) : mesh->points;
        int64_t count = 0;
        slip_face *faces = slip_mesh_faces(mesh, &count);
        slip_pen pen = slip_album_pen(&p->album, 4 * count);
        p->album.failed = p->album.failed || !faces;
        for (int64_t i = 0; i < count && !p->album.failed; i++) {
            int nodes[slip_face_nodes_max], last = slip_mesh_face_nodes(mesh, faces[i].item, nodes) - 1;
            if (slip_face_is_shared(faces, count, i))
                continue;
            const int along[3] = {nodes[0], last == 2 ? nodes[2] : nodes[1], nodes[1]};
            for (int k = 0; k < 3; k++)
                slip_pen_to(&pen, points[2 * along[k]], points[2 * along[k] + 1]);
            slip_pen_to(&pen, NAN, NAN);
        }
        free(faces);
        slip_pen_curve(&pen, NULL)->style = deformed ? SLIP_CURVE_LINE : SLIP_CURVE_DASHED;
    }
}

/* The longest arrow is a tenth of the picture. */
static void add_arrows(picture *p)
{
    const slip_plane_contact *contacts = slip_plane_contacts(p->plane);
    const int m = slip_plane_contact_count(p->plane);
    double *at[2];
    for (int k = 0; k < 2; k++) {
        at[k] = slip_album_numbers(&p->album, 2 * m);
        for (int i = 0; i < m && at[k] && p->lambda; i++) {
            at[k][i] = p->places[2 * contacts[i].node + k];
            at[k][m + i] = p->lambda[i] * contacts[i].normal[k] + p->lambda[m + i] * contacts[i].tangent[k];
        }
    }
    for (int i = m; i < 2 * m && !p->album.failed && p->lambda; i++)
        p->largest_force = fmax(p->largest_force, hypot(at[0][i], at[1][i]));
    if (!(p->largest_force > 0))
        return;
    for (int i = m; i < 2 * m; i++)
        for (int k = 0; k < 2; k++)
            at[k][i] *= 0.1 * size_of(p) / p->largest_force;
    slip_album_curve(&p->album, at[0], at[1], m, NULL)->style = SLIP_CURVE_ARROWS;
}

static void add_marks(picture *p)
{
    static const struct {
        const char *label;
        int color;
    } marks[3] = {{"stick", 7}, {"slip", 2}, {"open", 3}};
    const slip_plane_contact *contacts = slip_plane_contacts(p->plane);
    const int m = slip_plane_contact_count(p->plane);
    for (int k = 0; k < 3 && p->options->modes; k++) {
        slip_pen pen = slip_album_pen(&p->album, m);
        for (int i = 0; i < m; i++) {
            const slip_mode mode = p->options->modes[i];
            const double *place = p->places + 2 * (int64_t)contacts[i].node;
            if (k == (mode == SLIP_MODE_STICK ? 0 : mode == SLIP_MODE_OPEN ? 2 : 1))
                slip_pen_to(&pen, place[0], place[1]);
        }
        slip_curve *curve = slip_album_curve(&p->album, pen.x, pen.y, pen.count, marks[k].label);
        curve->style = SLIP_CURVE_POINTS;
        curve->color = marks[k].color;
    }
}

int slip_bodies_draw(slip_context *ctx, const slip_plane *plane, const double *u, const double *lambda,
                     const slip_bodies_options *options, const char *folder, const slip_plot_options *plot)
{
    picture p = {.album = {.ctx = ctx, .folder = folder, .options = plot},
                 .plane = plane,
                 .options = options,
                 .u = u,
                 .lambda = lambda};
    const char *name = options->name ? options->name : "bodies";
    const int status = prepare(ctx, &p);
    if (status >= 0) {
        slip_figure *figure = slip_album_figure(&p.album, name);
        const double aspect = (p.high[1] - p.low[1]) / (p.high[0] - p.low[0]);
        figure->title = options->title;
        figure->width = width;
        figure->height = (int)fmin(height_max, above + fmax((width - around) * aspect, 200));
        add_elements(&p);
        add_outline(&p, false);
        add_outline(&p, true);
        add_arrows(&p);
        add_marks(&p);
        if (!p.album.failed && !options->shape)
            ((slip_panel *)(uintptr_t)figure->panels)->title =
                p.largest_force > 0
                    ? slip_album_text(&p.album, "displacements times %g, largest contact force %.4g",
                                      p.magnify, p.largest_force)
                    : slip_album_text(&p.album, "displacements times %g", p.magnify);
    }
    return slip_album_draw(&p.album, status);
}

int slip_bodies_plot(slip_context *ctx, slip_model *model, const double *u, const double *lambda,
                     const char *folder, const char *name)
{
    SLIP_NEED(ctx, model, u, folder);
    const slip_bodies_options options = {.name = name, .title = model->title};
    const slip_plot_options plot = slip_plot_options_default();
    SLIP_PASS(slip_bodies_finish(ctx, model));
    if (slip_plane_dimension(model->plane) == 3)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "pictures are those of bodies in the plane; slip_bodies_save_vtu writes these");
    return slip_bodies_draw(ctx, model->plane, u, lambda, &options, folder, &plot);
}
