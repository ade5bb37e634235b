/* Pictures of gears: mesh, mode shapes, an attachment shape. The panels are rendered here. */
#include "figure/album.h"
#include "figure/render.h"
#include "flex/reduced.h"
#include "gear/geometry/gear_mesh.h"
#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { panel_size = 520, modes_max = 8 };

/* The middle of a mesh and the diameter of its ball. */
static double extent(int count, const double *places, double centre[3])
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, sum = 0;
    slip_box_widen(3, count, places, low, high);
    for (int k = 0; k < 3; k++) {
        centre[k] = (low[k] + high[k]) / 2;
        sum += (high[k] - low[k]) * (high[k] - low[k]);
    }
    return sqrt(sum);
}

static const double directions[3][2][3] = {
    {{0, 0, 1}, {0, 1, 0}}, {{0.55, -0.75, 0.75}, {0, 0.3, 1}}, {{1, 0.12, 0}, {0, 0, 1}}};
static const char *const direction_names[3] = {"along the axis", "oblique", "from the side"};

static slip_camera look(int which, const double centre[3], double height)
{
    slip_camera view = {.height = height};
    memcpy(view.toward, directions[which][0], sizeof view.toward);
    memcpy(view.up, directions[which][1], sizeof view.up);
    memcpy(view.centre, centre, sizeof view.centre);
    return view;
}

/* Makes a view so high that every place is in it: panels are square. */
static void fit(slip_camera *view, int count, const double *places)
{
    double axis[3][3], most = 0;
    slip_camera_axes(view, axis);
    for (int i = 0; i < count; i++) {
        double from[3];
        for (int k = 0; k < 3; k++)
            from[k] = places[3 * i + k] - view->centre[k];
        for (int k = 0; k < 2; k++)
            most = fmax(most, fabs(slip_dot(3, axis[k], from)));
    }
    view->height = fmax(view->height, 2.04 * most);
}

/* ---- mesh ---- */

static int add_mesh(slip_album *a, const slip_mesh *mesh, const int *faces, int count,
                    const slip_gear_options *made)
{
    const slip_drawn drawn = {faces, count, mesh->points, NULL};
    double centre[3], size = extent(mesh->node_count, mesh->points, centre);
    for (int k = 0; k < 2; k++) {
        slip_camera view = look(k, centre, 0.75 * size);
        fit(&view, mesh->node_count, mesh->points);
        SLIP_PASS(slip_render(a, direction_names[k], panel_size, &drawn, &view));
    }
    if (!made)
        return SLIP_OK;
    slip_gear_geometry radii;
    SLIP_PASS(slip_gear_measure(a->ctx, made, &radii));
    double middle = (radii.root_radius + radii.tip_radius) / 2, high = radii.tip_radius - radii.root_radius;
    slip_camera view = look(0, (double[]){middle - 0.1 * high, 0, 0}, 1.9 * high);
    view.up[0] = 1;
    view.up[1] = 0;
    return slip_render(a, "a tooth", panel_size, &drawn, &view);
}

int slip_gear_plot_mesh(slip_context *ctx, const slip_gear_options *options, const char *folder,
                        slip_path_function written, void *user)
{
    SLIP_NEED(ctx, options, folder);
    SLIP_FREED_BY(slip_gear_mesh_drop) slip_gear_mesh *gear = NULL;
    SLIP_FREED_BY(slip_mesh_drop) slip_mesh *own = NULL;
    SLIP_FREED int *faces = NULL;
    slip_plot_options how = slip_plot_options_default();
    slip_album a = {.ctx = ctx, .folder = folder, .options = &how};
    int count;
    how.written = written;
    how.user = user;
    SLIP_PASS(slip_interrupt_check(ctx));
    if (options->mesh_file)
        SLIP_PASS(slip_mesh_read(ctx, options->mesh_file, &own));
    else
        SLIP_PASS(slip_gear_mesh_create(ctx, options, &gear));
    const slip_mesh *mesh = own ? own : gear->mesh;
    SLIP_PASS(slip_mesh_skin(ctx, mesh, &faces, &count));
    slip_figure *figure = slip_album_figure(&a, slip_album_text(&a, "%s-mesh", options->name));
    figure->title = slip_album_text(&a, "%s: %d nodes, %d elements", options->name, mesh->node_count,
                                    mesh->element_count);
    figure->columns = gear ? 3 : 2;
    return slip_album_draw(&a, add_mesh(&a, mesh, faces, count, gear ? options : NULL));
}

/* ---- shapes ---- */

typedef struct shape_job {
    slip_album album;
    const slip_reduced *body;
    slip_mesh *mesh;
    int *faces;
    double *shape, *places, *value;
    double centre[3], size;
    slip_drawn drawn;
} shape_job;

static int open_shapes(slip_context *ctx, shape_job *j)
{
    const int64_t n = slip_reduced_node_count(j->body);
    int count;
    j->shape = slip_alloc(7 * n, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, j->shape));
    j->places = j->shape + 3 * n;
    j->value = j->places + 3 * n;
    SLIP_PASS(slip_reduced_mesh(ctx, j->body, &j->mesh));
    SLIP_PASS(slip_mesh_skin(ctx, j->mesh, &j->faces, &count));
    j->size = extent(j->mesh->node_count, j->mesh->points, j->centre);
    j->drawn = (slip_drawn){j->faces, count, j->places, j->value};
    return SLIP_OK;
}

static void close_shapes(shape_job *j)
{
    slip_mesh_destroy(j->mesh);
    free(j->faces);
    free(j->shape);
}

/* Moves the nodes by the shape so that the largest displacement is `exaggerated` of the body's size. */
static void deform(shape_job *j, double exaggerated)
{
    double largest = 0;
    int n = j->mesh->node_count;
    for (int i = 0; i < n; i++) {
        j->value[i] =
            sqrt(pow(j->shape[3 * i], 2) + pow(j->shape[3 * i + 1], 2) + pow(j->shape[3 * i + 2], 2));
        largest = fmax(largest, j->value[i]);
    }
    for (int i = 0; i < n; i++)
        j->value[i] /= largest > 0 ? largest : 1;
    for (int i = 0; i < 3 * n; i++)
        j->places[i] = j->mesh->points[i] + exaggerated * j->size / largest * j->shape[i];
}

/* The figure of a body, NAME-WHAT; its title goes on behind the name. */
static slip_figure *begin(shape_job *j, const char *what, const char *title)
{
    const char *name = slip_reduced_name(j->body);
    slip_figure *figure = slip_album_figure(&j->album, slip_album_text(&j->album, "%s-%s", name, what));
    figure->title = slip_album_text(&j->album, "%s: %s, exaggerated", name, title);
    return figure;
}

static const char *mode_title(shape_job *j, int mode, int which)
{
    const slip_reduced_mode *m = &slip_reduced_modes(j->body)[mode];
    return which == 1 ? slip_album_text(&j->album, "mode %d, %.5g kHz", mode + 1, 1e-3 * m->frequency)
           : which == 0 && m->nodal_diameter >= 0
               ? slip_album_text(&j->album, "%d nodal diameter%s", m->nodal_diameter,
                                 m->nodal_diameter == 1 ? "" : "s")
               : direction_names[which];
}

static int add_modes(shape_job *j, const int *modes, int count)
{
    slip_figure *figure = begin(j, "modes", "mode shapes");
    figure->scale = "displacement, largest = 1";
    figure->columns = 3;
    for (int k = 0; k < count; k++) {
        slip_camera view = {.height = 0.85 * j->size}; /* one scale for all three views */
        slip_reduced_shape(j->body, modes[k], j->shape);
        deform(j, 0.06);
        for (int which = 0; which < 3; which++) {
            view = look(which, j->centre, view.height);
            fit(&view, j->mesh->node_count, j->places);
        }
        for (int which = 0; which < 3; which++) {
            view = look(which, j->centre, view.height);
            SLIP_PASS(slip_render(&j->album, mode_title(j, modes[k], which), panel_size, &j->drawn, &view));
        }
    }
    return SLIP_OK;
}

/* Turns a view so that it sees a surface from outside, a little obliquely. */
static void face_side(const slip_reduced_side *p, slip_camera *view)
{
    static const double side[3] = {0.45, -0.3, 0.4};
    double normal[3] = {0}, diagonal[2][3], area[3];
    for (int f = 0; f < p->facet_count; f++) {
        const int *nodes = p->facets + 4 * f;
        for (int k = 0; k < 6; k++)
            diagonal[k / 3][k % 3] =
                p->points[3 * nodes[2 + k / 3] + k % 3] - p->points[3 * nodes[k / 3] + k % 3];
        slip_cross(diagonal[0], diagonal[1], area);
        for (int k = 0; k < 3; k++)
            normal[k] += area[k];
    }
    slip_normalise(normal);
    for (int k = 0; k < 3 && slip_dot(3, normal, normal) > 0; k++)
        view->toward[k] = normal[k] + side[k];
}

/* Around the load the colours would be one spot: they show the square root. */
static int add_attachment(shape_job *j)
{
    const slip_reduced_side *side = &j->body->sides[0];
    double centre[3], size = extent(side->node_count, side->points, centre);
    slip_figure *figure = begin(j, "attachment", "attachment vector of a load on a flank");
    figure->scale = "square root of displacement, largest = 1";
    figure->columns = 2;
    memcpy(j->shape, j->body->attachment, sizeof(double) * 3 * (size_t)j->mesh->node_count);
    deform(j, 0.02);
    for (int i = 0; i < j->mesh->node_count; i++)
        j->value[i] = sqrt(j->value[i]);
    slip_camera views[2] = {look(1, j->centre, 0.85 * j->size), look(1, centre, 1.15 * size)};
    fit(&views[0], j->mesh->node_count, j->places);
    if (j->body->sectors > 1) { /* the neighbour must not hide the flank */
        memcpy(views[1].toward, (double[]){0.45, -0.8, 0.4}, sizeof views[1].toward);
    } else {
        face_side(side, &views[0]);
        face_side(side, &views[1]);
    }
    for (int k = 0; k < 2; k++)
        SLIP_PASS(slip_render(&j->album, k ? "the flank" : "whole", panel_size, &j->drawn, &views[k]));
    return SLIP_OK;
}

/* The lowest modes, one of each pair of equal ones. */
static int choose_lowest(const slip_reduced *body, int count, int *chosen)
{
    int found = 0;
    for (int k = 0; k < body->mode_count && found < count; k++)
        if (k == 0 || body->modes[k].frequency > body->modes[k - 1].frequency * (1 + 1e-6))
            chosen[found++] = k;
    return found;
}

int slip_reduced_plot(slip_context *ctx, const slip_reduced *body, const int *modes, int mode_count,
                      const char *folder, slip_path_function written, void *user)
{
    SLIP_NEED(ctx, body, folder);
    slip_plot_options how = slip_plot_options_default();
    SLIP_FREED_BY(close_shapes)
    shape_job j = {.album = {.ctx = ctx, .folder = folder, .options = &how}, .body = body};
    int lowest[modes_max];
    how.written = written;
    how.user = user;
    if (mode_count < 1 || mode_count > modes_max)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "%d modes to draw, expected 1 to %d", mode_count,
                         (int)modes_max);
    if (!modes) {
        mode_count = choose_lowest(body, mode_count, lowest);
        modes = lowest;
    }
    for (int k = 0; k < mode_count; k++)
        if (modes[k] < 0 || modes[k] >= body->mode_count)
            return slip_fail(ctx, SLIP_ERROR_USAGE, "there is no mode %d to draw, expected 1 to %d",
                             modes[k] + 1, body->mode_count);
    SLIP_PASS(open_shapes(ctx, &j));
    SLIP_PASS(slip_album_draw(&j.album, add_modes(&j, modes, mode_count)));
    return body->attachment ? slip_album_draw(&j.album, add_attachment(&j)) : SLIP_OK;
}
