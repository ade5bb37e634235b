/* Frames of gears in motion: VTU files while the run goes on, pictures of these files with one scale of
 * colours after it. */
#include "figure/album.h"
#include "figure/render.h"
#include "gear/geometry/gear_mesh.h"
#include "io/vtu.h"
#include "math/order.h"
#include "math/vector.h"
#include "slipstick/gear_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { panel_size = 620, path_size = 4096, name_size = 24 };

/* Data of a frame that its file does not contain. */
typedef struct instant {
    double time, force;
} instant;

typedef struct cast {
    slip_mesh *mesh; /* its points are those of the last frame */
    double *rest;    /* and these those of the gear at rest, about its own axis */
    double *displacement;
} cast;

struct slip_gear_animation {
    slip_arena arena;
    char folder[path_size];
    int gear_count;
    cast *gears;
    slip_vtu_field (*fields)[2];
    slip_vtu_piece *pieces;
    double module, duration;
    int frames; /* that a whole run has */
    int mesh_count;
    double (*pitch)[2]; /* the pitch points of the first frame */
    instant *instants;
    int count, first; /* frames so far, and the number of the first of them */
    int64_t capacity;
};

/* ---- Making. */

static int take_gear(slip_context *ctx, cast *to, const slip_gear_options *gear)
{
    SLIP_FREED_BY(slip_gear_mesh_drop) slip_gear_mesh *made = NULL;
    SLIP_PASS(slip_gear_mesh_create(ctx, gear, &made));
    SLIP_HAND(&to->mesh, made->mesh);
    const int64_t size = 3 * (int64_t)to->mesh->node_count;
    to->rest = slip_alloc(size, sizeof(double));
    to->displacement = slip_alloc(size, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, to->rest && to->displacement));
    memcpy(to->rest, to->mesh->points, sizeof(double) * (size_t)size);
    return SLIP_OK;
}

void slip_gear_animation_destroy(slip_gear_animation *a)
{
    if (!a)
        return;
    for (int k = 0; a->gears && k < a->gear_count; k++) {
        slip_mesh_destroy(a->gears[k].mesh);
        free(a->gears[k].rest);
        free(a->gears[k].displacement);
    }
    free(a->instants);
    slip_arena_free(&a->arena);
    free(a);
}

SLIP_OWNED(slip_gear_animation, slip_gear_animation_destroy)

/* ---- Frames as they come. */

static const char *frame_name(int number, char name[name_size])
{
    snprintf(name, name_size, "frame-%04d", number);
    return name;
}

/* The displacement of a gear relative to its rigid rotation. */
static void find_displacement(cast *g, const slip_gear_shown *f)
{
    double c = cos(f->angle), s = sin(f->angle);
    for (int i = 0; i < f->node_count; i++) {
        const double *from = g->rest + 3 * (size_t)i, *x = f->position + 3 * (size_t)i;
        double *u = g->displacement + 3 * (size_t)i;
        u[0] = x[0] - f->centre[0] - (c * from[0] - s * from[1]);
        u[1] = x[1] - f->centre[1] - (s * from[0] + c * from[1]);
        u[2] = x[2] - from[2];
    }
}

static int frame_path(slip_context *ctx, const slip_gear_animation *a, int number, char path[path_size])
{
    char name[name_size];
    const int length = snprintf(path, path_size, "%s/%s.vtu", a->folder, frame_name(number, name));
    return length < path_size
               ? SLIP_OK
               : slip_fail(ctx, SLIP_ERROR_USAGE, "the name of the folder of frames is too long");
}

static int take_frame(void *user, slip_context *ctx, const slip_gear_frame *f)
{
    slip_gear_animation *a = user;
    char path[path_size];
    if (!a->pitch) {
        a->first = f->number;
        a->mesh_count = f->mesh_count;
        a->pitch = slip_arena_array(&a->arena, f->mesh_count, sizeof *a->pitch);
        SLIP_PASS(slip_allocated(ctx, a->pitch));
        memcpy(a->pitch, f->pitch, sizeof *a->pitch * (size_t)f->mesh_count);
    }
    SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(a->instants, a->capacity, a->count + 1)));
    for (int k = 0; k < a->gear_count; k++) {
        cast *g = &a->gears[k];
        const slip_gear_shown *shown = &f->gears[k];
        find_displacement(g, shown);
        memcpy(g->mesh->points, shown->position, 3 * sizeof(double) * (size_t)shown->node_count);
        a->fields[k][0] =
            (slip_vtu_field){.name = "displacement", .components = 3, .values = g->displacement};
        a->fields[k][1] = (slip_vtu_field){.name = "von_mises", .components = 1, .values = shown->stress};
        a->pieces[k] = (slip_vtu_piece){g->mesh, a->fields[k], 2};
    }
    SLIP_PASS(frame_path(ctx, a, f->number, path));
    SLIP_PASS(slip_vtu_write(ctx, path, a->pieces, a->gear_count));
    a->instants[a->count++] = (instant){f->time, f->force};
    return SLIP_OK;
}

int slip_gear_animation_create(slip_context *ctx, int gear_count, const slip_gear_options *gears,
                               slip_gear_run_options *options, const char *folder,
                               slip_gear_animation **animation)
{
    SLIP_NEED_FOR(animation, ctx, gears, options, folder);
    char path[path_size];
    SLIP_FREED_BY(slip_gear_animation_drop) slip_gear_animation *a = slip_alloc(1, sizeof *a);
    SLIP_PASS(slip_allocated(ctx, a));
    a->module = gears[0].module;
    a->frames = options->frames;
    a->duration = options->time;
    a->gear_count = gear_count;
    a->gears = slip_arena_array(&a->arena, gear_count, sizeof *a->gears);
    a->fields = slip_arena_array(&a->arena, gear_count, sizeof *a->fields);
    a->pieces = slip_arena_array(&a->arena, gear_count, sizeof *a->pieces);
    SLIP_PASS(slip_allocated(ctx, a->gears && a->fields && a->pieces));
    snprintf(a->folder, sizeof a->folder, "%s", folder);
    SLIP_PASS(frame_path(ctx, a, 0, path));
    SLIP_PASS(slip_folder_create(ctx, folder));
    for (int k = 0; k < gear_count; k++)
        SLIP_PASS(take_gear(ctx, &a->gears[k], &gears[k]));
    options->frame = take_frame;
    options->frame_user = a;
    SLIP_HAND(animation, a);
    return SLIP_OK;
}

/* ---- Afterwards: the list for ParaView. */

static int write_list(slip_context *ctx, const slip_gear_animation *a)
{
    SLIP_FREED_BY(slip_text_free) slip_text list = {0};
    char path[path_size + name_size], name[name_size];
    for (int i = 0; i < a->first + a->count; i++) {
        snprintf(path, sizeof path, "%s.vtu", frame_name(i, name));
        slip_vtu_list_add(&list,
                          i >= a->first   ? a->instants[i - a->first].time
                          : a->frames > 1 ? a->duration * i / (a->frames - 1)
                                          : 0,
                          path);
    }
    snprintf(path, sizeof path, "%s/frames.pvd", a->folder);
    return slip_vtu_list_write(ctx, &list, path);
}

/* ---- Pictures. */

/* The gears of a frame as its file has them. */
typedef struct scene {
    slip_mesh *mesh;
    double *stress;         /* of each node */
    int *faces, face_count; /* the outer ones, those of the first frame */
    double *sorted;         /* room for the stresses at their corners */
    double top;             /* of the scale of colours */
    slip_camera *views;     /* all gears, then the teeth at the pitch point of each mesh */
} scene;

static void close_scene(scene *s)
{
    slip_mesh_destroy(s->mesh);
    free(s->stress);
    free(s->faces);
    free(s->sorted);
    free(s->views);
}

static int read_frame(slip_context *ctx, const slip_gear_animation *a, int index, scene *s)
{
    slip_vtu_wanted wanted = {"von_mises", 1, NULL};
    char path[path_size];
    slip_mesh_destroy(s->mesh);
    free(s->stress);
    s->mesh = NULL;
    s->stress = NULL;
    SLIP_PASS(frame_path(ctx, a, a->first + index, path));
    SLIP_PASS(slip_vtu_read(ctx, path, &s->mesh, &wanted, 1));
    s->stress = wanted.values;
    return slip_allocated(ctx, s->stress);
}

/* The stress that at most `above` corners of faces exceed. */
static double high_stress(const scene *s, int64_t above)
{
    const int64_t corners = 4 * (int64_t)s->face_count;
    for (int64_t i = 0; i < corners; i++)
        s->sorted[i] = s->stress[s->faces[i]];
    qsort(s->sorted, (size_t)corners, sizeof *s->sorted, slip_order_numbers);
    return s->sorted[corners - 1 - above];
}

/* All gears, and the teeth at the pitch point of each mesh, as the first frame has them. */
static void choose_views(const slip_gear_animation *a, scene *s)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    slip_box_widen(3, s->mesh->node_count, s->mesh->points, low, high);
    for (int k = 0; k <= a->mesh_count; k++) {
        slip_camera *view = &s->views[k];
        *view = (slip_camera){.toward = {0, 0, 1}, .up = {0, 1, 0}, .height = 5 * a->module};
        if (k == 0)
            view->height = 1.04 * fmax(high[0] - low[0], high[1] - low[1]);
        for (int d = 0; d < 2; d++)
            view->centre[d] = k == 0 ? (high[d] + low[d]) / 2 : a->pitch[k - 1][d];
    }
}

/* The colour scale ends at the stress that one in a thousand corners exceeds, in the frame with the largest
 * stresses: otherwise single nodes at an edge would determine it. */
static int open_scene(slip_context *ctx, const slip_gear_animation *a, scene *s)
{
    for (int i = 0; i < a->count; i++) {
        SLIP_PASS(read_frame(ctx, a, i, s));
        if (i == 0) {
            SLIP_PASS(slip_mesh_skin(ctx, s->mesh, &s->faces, &s->face_count));
            s->sorted = slip_alloc(4 * (int64_t)s->face_count, sizeof *s->sorted);
            s->views = slip_alloc(a->mesh_count + 1, sizeof *s->views);
            SLIP_PASS(slip_allocated(ctx, s->sorted && s->views));
            choose_views(a, s);
        }
        s->top = fmax(s->top, high_stress(s, 4 * (int64_t)s->face_count / 1000));
    }
    const double unit = pow(10, floor(log10(s->top)) - 1); /* rounded up to two digits */
    s->top = s->top > 0 ? unit * ceil(s->top / unit) : 1;
    return SLIP_OK;
}

/* One frame: all gears and the teeth in contact of each mesh. */
static int add_frame(slip_album *album, const slip_gear_animation *a, int index, scene *s)
{
    char name[name_size];
    SLIP_PASS(read_frame(album->ctx, a, index, s));
    slip_figure *figure =
        slip_album_figure(album, slip_album_text(album, "%s", frame_name(a->first + index, name)));
    figure->title = slip_album_text(album, "t = %.1f µs,  contact force %.4g kN,  largest stress %.3g MPa",
                                    1e6 * a->instants[index].time, 1e-3 * a->instants[index].force,
                                    1e-6 * high_stress(s, 0));
    figure->columns = 2;
    figure->scale = "von Mises stress [MPa]";
    figure->scale_high = s->top / 1e6;
    for (int i = 0; i < s->mesh->node_count; i++)
        s->stress[i] /= s->top;
    const slip_drawn drawn = {s->faces, s->face_count, s->mesh->points, s->stress};
    for (int k = 0; k <= a->mesh_count; k++)
        SLIP_PASS(slip_render(album, NULL, panel_size, &drawn, &s->views[k]));
    return SLIP_OK;
}

int slip_gear_animation_finish(slip_context *ctx, const slip_gear_animation *a, int pictures,
                               slip_path_function written, void *user)
{
    SLIP_NEED(ctx, a);
    SLIP_FREED_BY(close_scene) scene s = {0};
    int status = SLIP_OK;
    if (a->count == 0)
        return SLIP_OK;
    SLIP_PASS(write_list(ctx, a));
    if (!pictures)
        return SLIP_OK;
    SLIP_PASS(open_scene(ctx, a, &s));
    for (int i = 0; i < a->count && status >= 0;) { /* some at a time: they are large */
        slip_album album = {.ctx = ctx};
        while (i < a->count && album.count < slip_album_figures && status >= 0)
            status = add_frame(&album, a, i++, &s);
        if (status >= 0)
            status = slip_figures_draw_frames(ctx, album.figures, album.count, a->folder, written, user);
        slip_arena_free(&album.arena);
    }
    return status;
}
