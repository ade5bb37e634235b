/* Frames of gears in motion: VTU files while the run goes on, pictures with one scale of colours after
 * it. */
#include "figure/album.h"
#include "figure/render.h"
#include "gear/geometry/gear_mesh.h"
#include "io/file.h"
#include "io/vtu.h"
#include "slipstick/gear_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { panel_size = 620, path_size = 4096, name_size = 24 };

/* What pictures need of a frame. */
typedef struct picture {
    double time, force;
    float *places, *stress; /* of the nodes of the skin: three and one number each */
} picture;

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
    /* The skin of all gears: faces by its own nodes. */
    int *faces, face_count, skin_count;
    int *skin;      /* of each of its nodes: the node, */
    int *skin_gear; /* and whose it is */
    int mesh_count;
    double (*pitch)[2]; /* the pitch points of the first frame */
    picture *pictures;
    int count, first; /* frames so far, and the number of the first of them */
    int64_t capacity;
};

/* ---- Making. */

static int take_gear(slip_context *ctx, cast *to, const slip_gear_options *gear)
{
    SLIP_FREED_BY(slip_gear_mesh_drop) slip_gear_mesh *made = NULL;
    int status = SLIP_OK;
    SLIP_PASS(slip_gear_mesh_create(ctx, gear, &made));
    to->mesh = made->mesh;
    made->mesh = NULL;
    int64_t size = 3 * (int64_t)to->mesh->node_count;
    to->rest = slip_alloc(size, sizeof(double));
    to->displacement = slip_alloc(size, sizeof(double));
    if (!to->rest || !to->displacement)
        status = slip_fail_memory(ctx);
    else
        memcpy(to->rest, to->mesh->points, sizeof(double) * (size_t)size);
    return status;
}

/* The outer faces of a gear, behind those of the gears before it. Numbers the nodes in the order in which
 * faces name them. */
static int add_skin(slip_context *ctx, slip_gear_animation *a, int k, int64_t *capacity)
{
    const int nodes = a->gears[k].mesh->node_count;
    int count = 0;
    SLIP_FREED int *faces = NULL;
    SLIP_FREED int *number = slip_alloc(nodes, sizeof *number);
    SLIP_PASS(slip_mesh_skin(ctx, a->gears[k].mesh, &faces, &count));
    SLIP_PASS(
        slip_allocated(ctx, number && SLIP_ROOM(a->faces, *capacity, 4 * ((int64_t)a->face_count + count))));
    for (int i = 0; i < 4 * count; i++) {
        const int node = faces[i];
        if (number[node] == 0) {
            a->skin[a->skin_count] = node;
            a->skin_gear[a->skin_count++] = k;
            number[node] = a->skin_count;
        }
        a->faces[4 * a->face_count + i] = number[node] - 1;
    }
    a->face_count += count;
    return SLIP_OK;
}

static int take_skin(slip_context *ctx, slip_gear_animation *a)
{
    int64_t nodes = 0, capacity = 0;
    for (int k = 0; k < a->gear_count; k++)
        nodes += a->gears[k].mesh->node_count;
    a->skin = slip_arena_array(&a->arena, nodes, sizeof *a->skin);
    a->skin_gear = slip_arena_array(&a->arena, nodes, sizeof *a->skin_gear);
    SLIP_PASS(slip_allocated(ctx, a->skin && a->skin_gear));
    for (int k = 0; k < a->gear_count; k++)
        SLIP_PASS(add_skin(ctx, a, k, &capacity));
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
    for (int i = 0; i < a->count; i++) {
        free(a->pictures[i].places);
        free(a->pictures[i].stress);
    }
    free(a->pictures);
    free(a->faces);
    slip_arena_free(&a->arena);
    free(a);
}

/* ---- Frames as they come. */

static const char *frame_name(int number, char name[name_size])
{
    snprintf(name, name_size, "frame-%04d", number);
    return name;
}

/* What the gear has moved from where it would be if it were rigid. */
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

static int write_vtu(slip_context *ctx, slip_gear_animation *a, const slip_gear_frame *f)
{
    char path[path_size + name_size + 8], name[name_size];
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
    snprintf(path, sizeof path, "%s/%s.vtu", a->folder, frame_name(f->number, name));
    return slip_vtu_write(ctx, path, a->pieces, a->gear_count);
}

static int keep_picture(slip_context *ctx, slip_gear_animation *a, const slip_gear_frame *f)
{
    SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(a->pictures, a->capacity, a->count + 1)));
    picture *p = &a->pictures[a->count++];
    *p = (picture){.time = f->time,
                   .force = f->force,
                   .places = slip_alloc(3 * (int64_t)a->skin_count, sizeof *p->places),
                   .stress = slip_alloc(a->skin_count, sizeof *p->stress)};
    SLIP_PASS(slip_allocated(ctx, p->places && p->stress));
    for (int i = 0; i < a->skin_count; i++) {
        const slip_gear_shown *g = &f->gears[a->skin_gear[i]];
        for (int d = 0; d < 3; d++)
            p->places[3 * i + d] = (float)g->position[3 * (size_t)a->skin[i] + (size_t)d];
        p->stress[i] = (float)g->stress[a->skin[i]];
    }
    return SLIP_OK;
}

static int take_frame(void *user, slip_context *ctx, const slip_gear_frame *f)
{
    slip_gear_animation *a = user;
    if (!a->pitch) {
        a->first = f->number;
        a->mesh_count = f->mesh_count;
        a->pitch = slip_arena_array(&a->arena, f->mesh_count, sizeof *a->pitch);
        SLIP_PASS(slip_allocated(ctx, a->pitch));
        memcpy(a->pitch, f->pitch, sizeof *a->pitch * (size_t)f->mesh_count);
    }
    int status = write_vtu(ctx, a, f);
    return status < 0 ? status : keep_picture(ctx, a, f);
}

int slip_gear_animation_create(slip_context *ctx, int gear_count, const slip_gear_options *gears,
                               slip_gear_run_options *options, const char *folder,
                               slip_gear_animation **animation)
{
    SLIP_NEED_FOR(animation, ctx, gears, options, folder);
    slip_gear_animation *a = slip_alloc(1, sizeof *a);
    SLIP_PASS(slip_allocated(ctx, a));
    a->module = gears[0].module;
    a->frames = options->frames;
    a->duration = options->time;
    a->gear_count = gear_count;
    a->gears = slip_arena_array(&a->arena, gear_count, sizeof *a->gears);
    a->fields = slip_arena_array(&a->arena, gear_count, sizeof *a->fields);
    a->pieces = slip_arena_array(&a->arena, gear_count, sizeof *a->pieces);
    int status = a->gears && a->fields && a->pieces ? SLIP_OK : slip_fail_memory(ctx);
    SLIP_TRY(status);
    if (snprintf(a->folder, sizeof a->folder, "%s", folder) >= path_size) {
        status = slip_fail(ctx, SLIP_ERROR_USAGE, "the name of the folder of frames is too long");
        goto done;
    }
    SLIP_TRY(slip_folder_create(ctx, folder));
    for (int k = 0; k < gear_count; k++)
        SLIP_TRY(take_gear(ctx, &a->gears[k], &gears[k]));
    SLIP_TRY(take_skin(ctx, a));
    options->frame = take_frame;
    options->frame_user = a;
    *animation = a;
done:
    if (status < 0)
        slip_gear_animation_destroy(a);
    return status;
}

/* ---- Afterwards: the list for ParaView. */

static int write_list(slip_context *ctx, const slip_gear_animation *a)
{
    SLIP_FREED_BY(slip_text_free) slip_text list = {0};
    char path[path_size + name_size], name[name_size];
    for (int i = 0; i < a->first + a->count; i++) {
        snprintf(path, sizeof path, "%s.vtu", frame_name(i, name));
        slip_vtu_list_add(&list,
                          i >= a->first   ? a->pictures[i - a->first].time
                          : a->frames > 1 ? a->duration * i / (a->frames - 1)
                                          : 0,
                          path);
    }
    snprintf(path, sizeof path, "%s/frames.pvd", a->folder);
    return slip_vtu_list_write(ctx, &list, path);
}

/* ---- Pictures. */

/* The scale ends where one in a thousand of the nodes of the frame with the largest stresses is above it:
 * single nodes at an edge would take all colours. */
static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double top_of_scale(const slip_gear_animation *a, float *sorted)
{
    double top = 0;
    for (int i = 0; i < a->count; i++) {
        memcpy(sorted, a->pictures[i].stress, sizeof *sorted * (size_t)a->skin_count);
        qsort(sorted, (size_t)a->skin_count, sizeof *sorted, by_size);
        top = fmax(top, sorted[a->skin_count - 1 - a->skin_count / 1000]);
    }
    if (!(top > 0))
        return 1;
    /* Rounded up to two digits. */
    double unit = pow(10, floor(log10(top)) - 1);
    return unit * ceil(top / unit);
}

/* All gears, or (from 1 on) the teeth at the pitch point of a mesh. */
static slip_camera look(const slip_gear_animation *a, const picture *p, int panel)
{
    slip_camera view = {.toward = {0, 0, 1}, .up = {0, 1, 0}, .height = 5 * a->module};
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 2 * a->skin_count; i++) {
        const double x = (double)p->places[3 * (i / 2) + i % 2];
        low[i % 2] = fmin(low[i % 2], x);
        high[i % 2] = fmax(high[i % 2], x);
    }
    if (panel == 0)
        view.height = 1.04 * fmax(high[0] - low[0], high[1] - low[1]);
    for (int d = 0; d < 2; d++)
        view.centre[d] = panel == 0 ? (high[d] + low[d]) / 2 : a->pitch[panel - 1][d];
    return view;
}

static double largest_stress(const slip_gear_animation *a, const picture *p)
{
    double largest = 0;
    for (int i = 0; i < a->skin_count; i++)
        largest = fmax(largest, (double)p->stress[i]);
    return largest;
}

/* One frame: all gears and the teeth in contact of each mesh, from the numbers of the skin. */
static int add_frame(slip_album *a, const slip_gear_animation *anim, int number, double top, double *places,
                     double *value)
{
    const picture *p = &anim->pictures[number];
    char name[name_size];
    for (int i = 0; i < anim->skin_count; i++) {
        for (int d = 0; d < 3; d++)
            places[3 * i + d] = (double)p->places[3 * i + d];
        value[i] = (double)p->stress[i] / top;
    }
    slip_figure *figure =
        slip_album_figure(a, slip_album_text(a, "%s", frame_name(anim->first + number, name)));
    figure->title = slip_album_text(a, "t = %.1f µs,  contact force %.4g kN,  largest stress %.3g MPa",
                                    1e6 * p->time, 1e-3 * p->force, 1e-6 * largest_stress(anim, p));
    figure->columns = 2;
    figure->scale = "von Mises stress [MPa]";
    figure->scale_high = top / 1e6;
    for (int k = 0; k <= anim->mesh_count; k++) {
        const slip_camera view = look(anim, &anim->pictures[0], k);
        SLIP_PASS(slip_render(a, NULL, panel_size,
                              &(slip_drawn){anim->faces, anim->face_count, places, value}, &view));
    }
    return SLIP_OK;
}

int slip_gear_animation_finish(slip_context *ctx, const slip_gear_animation *a, int pictures,
                               slip_path_function written, void *user)
{
    SLIP_NEED(ctx, a);
    int status = SLIP_OK;
    if (a->count == 0)
        return SLIP_OK;
    SLIP_PASS(write_list(ctx, a));
    if (!pictures)
        return SLIP_OK;
    const int64_t n = a->skin_count;
    float *sorted = slip_alloc(n, sizeof *sorted);
    double *places = slip_alloc(4 * n, sizeof *places);
    if (!sorted || !places)
        status = slip_fail_memory(ctx);
    const double top = status < 0 ? 0 : top_of_scale(a, sorted);
    for (int i = 0; i < a->count && status >= 0;
         i += slip_album_figures) { /* some at a time: they are large */
        slip_album album = {.ctx = ctx};
        for (int k = i; k < a->count && k < i + slip_album_figures && status >= 0; k++)
            status = add_frame(&album, a, k, top, places, places + 3 * n);
        if (status >= 0)
            status = slip_figures_draw_frames(ctx, album.figures, album.count, a->folder, written, user);
        slip_arena_free(&album.arena);
    }
    free(sorted);
    free(places);
    return status;
}
