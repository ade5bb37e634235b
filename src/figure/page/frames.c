/* Animations of a page: the outer faces of the bodies, and for each instant where their nodes are, how far
 * they have moved, and the stress there. They come from the files that other programs get (`slipstick export
 * --format vtu`), whatever made them. */
#include "figure/page/types.h"

#include "figure/render.h"
#include "io/file.h"
#include "io/vtu.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { frames_max = 48, place_bits = 14, displacement_bits = 10, stress_bits = 8, name_size = 200 };

typedef struct frame {
    char file[name_size];
    double time;
} frame;

/* An animation as it is read. Numbers of the skin's nodes only, frame after frame. */
typedef struct animation {
    slip_context *ctx;
    const char *folder;
    frame *frames;
    int64_t count, capacity;
    int *faces, face_count; /* four nodes of the skin each */
    int *nodes;             /* of the mesh, of each node of the skin */
    int64_t node_count;
    int mesh_nodes;
    double *values[3]; /* places, displacements, stresses */
} animation;

static const struct {
    const char *name;
    int components, bits;
} parts[3] = {{"places", 3, place_bits}, {"displacement", 3, displacement_bits}, {"stress", 1, stress_bits}};

/* ---- The list of the frames. */

static int add_frame(animation *a, const char *file, double time)
{
    SLIP_PASS(slip_allocated(a->ctx, SLIP_ROOM(a->frames, a->capacity, a->count + 1)));
    frame *f = &a->frames[a->count++];
    f->time = time;
    snprintf(f->file, sizeof f->file, "%s", file);
    return SLIP_OK;
}

static int read_list(animation *a, const char *name)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    SLIP_FREED char *path = slip_path_join(a->folder, name);
    SLIP_PASS(slip_allocated(a->ctx, path));
    SLIP_PASS(slip_file_read(a->ctx, path, SIZE_MAX / 2, &text));
    for (const char *at = text.data ? text.data : ""; (at = strstr(at, "<DataSet timestep=\"")); at++) {
        char file[name_size];
        double time;
        if (sscanf(at, "<DataSet timestep=\"%lf\" file=\"%199[^\"]\"", &time, file) == 2)
            SLIP_PASS(add_frame(a, file, time));
    }
    return SLIP_OK;
}

/* At equal distances, the first and the last among them. */
static void choose_frames(animation *a)
{
    const int64_t all = a->count;
    if (all <= frames_max)
        return;
    for (int64_t k = 0; k < frames_max; k++)
        a->frames[k] = a->frames[k * (all - 1) / (frames_max - 1)];
    a->count = frames_max;
}

/* ---- The skin. */

/* Of elements in a plane all of them, else the outer faces. */
static int take_faces(animation *a, const slip_mesh *mesh)
{
    bool flat = true;
    for (int g = 0; g < mesh->group_count; g++)
        flat = flat && mesh->groups[g].cell->dimension == 2;
    if (!flat)
        return slip_mesh_skin(a->ctx, mesh, &a->faces, &a->face_count);
    a->faces = slip_alloc(4 * (int64_t)mesh->element_count, sizeof *a->faces);
    SLIP_PASS(slip_allocated(a->ctx, a->faces));
    for (int e = 0; e < mesh->element_count; e++) {
        const int *nodes = slip_mesh_nodes(mesh, e),
                  corners = slip_mesh_group_of(mesh, e)->cell->corner_count;
        for (int k = 0; k < 4; k++)
            a->faces[4 * e + k] = nodes[k < corners ? k : corners - 1];
    }
    a->face_count = mesh->element_count;
    return SLIP_OK;
}

/* Nodes of the skin in the order in which its faces name them. */
static int take_skin(animation *a, const slip_mesh *mesh)
{
    SLIP_FREED int *number = slip_alloc(mesh->node_count, sizeof *number);
    a->nodes = slip_alloc(mesh->node_count, sizeof *a->nodes);
    a->mesh_nodes = mesh->node_count;
    SLIP_PASS(slip_allocated(a->ctx, number && a->nodes));
    SLIP_PASS(take_faces(a, mesh));
    for (int64_t i = 0; i < 4 * (int64_t)a->face_count; i++) {
        int *n = &number[a->faces[i]];
        if (*n == 0) {
            a->nodes[a->node_count++] = a->faces[i];
            *n = (int)a->node_count;
        }
        a->faces[i] = *n - 1;
    }
    for (int k = 0; k < 3; k++) {
        a->values[k] = slip_alloc(a->count * a->node_count * parts[k].components, sizeof(double));
        SLIP_PASS(slip_allocated(a->ctx, a->values[k]));
    }
    return SLIP_OK;
}

/* ---- Frames. */

static void keep_part(animation *a, int64_t index, int part, const double *from)
{
    const int width = parts[part].components;
    double *to = a->values[part] + index * a->node_count * width;
    for (int64_t i = 0; i < a->node_count; i++)
        for (int c = 0; c < width; c++)
            to[i * width + c] = from[(int64_t)a->nodes[i] * width + c];
}

static int read_frame(animation *a, int64_t index)
{
    /* Stresses of gears and of bodies in a plane have different names. */
    slip_vtu_wanted wanted[] = {
        {"displacement", 3, NULL}, {"von_mises", 1, NULL}, {"von Mises stress", 1, NULL}};
    enum { wanted_count = sizeof wanted / sizeof wanted[0] };
    char *path = slip_path_join(a->folder, a->frames[index].file);
    slip_mesh *mesh = NULL;
    int status;
    SLIP_TRY(slip_allocated(a->ctx, path));
    SLIP_TRY(slip_vtu_read(a->ctx, path, &mesh, wanted, wanted_count));
    if (index == 0)
        SLIP_TRY(take_skin(a, mesh));
    if (mesh->node_count != a->mesh_nodes) {
        status = slip_fail(a->ctx, SLIP_ERROR_IO, "%s has %d nodes where %s has %d", path, mesh->node_count,
                           a->frames[0].file, a->mesh_nodes);
        goto done;
    }
    keep_part(a, index, 0, mesh->points);
    for (int k = 0; k < wanted_count; k++)
        if (wanted[k].values)
            keep_part(a, index, wanted[k].components == 3 ? 1 : 2, wanted[k].values);
done:
    slip_mesh_destroy(mesh);
    for (int k = 0; k < wanted_count; k++)
        free(wanted[k].values);
    free(path);
    return status;
}

/* Whether the nodes keep their positions in all frames. If so, frames differ by the displacements; for bodies
 * with large motions by the positions, in which elastic displacements are too small to be visible. */
static bool rests(const animation *a)
{
    const int64_t size = 3 * a->node_count;
    for (int64_t k = 1; k < a->count; k++)
        if (memcmp(a->values[0], a->values[0] + k * size, (size_t)size * sizeof(double)) != 0)
            return false;
    return true;
}

/* Numbers from one frame to the next of the same node change little: kept node by node they are differences
 * of small numbers. */
static int pack_part(slip_page *page, animation *a, int part, int64_t frames)
{
    const int64_t width = parts[part].components * a->node_count;
    SLIP_FREED double *turned = slip_alloc(frames * width, sizeof *turned);
    SLIP_PASS(slip_allocated(page->ctx, turned));
    for (int64_t f = 0; f < frames; f++)
        for (int64_t i = 0; i < width; i++)
            turned[i * frames + f] = a->values[part][f * width + i];
    slip_json_object(&page->frame_list, parts[part].name);
    SLIP_PASS(slip_page_pack(page, &page->frame_list, turned, frames * width,
                             slip_page_step(turned, frames * width, parts[part].bits)));
    slip_json_end_object(&page->frame_list);
    return SLIP_OK;
}

static int write_animation(slip_page *page, animation *a, const char *name)
{
    slip_json_writer *json = &page->frame_list;
    const bool still = rests(a);
    SLIP_FREED double *faces = slip_alloc(4 * (int64_t)a->face_count, sizeof *faces);
    SLIP_PASS(slip_allocated(page->ctx, faces));
    for (int64_t i = 0; i < 4 * (int64_t)a->face_count; i++)
        faces[i] = a->faces[i];
    slip_json_object(json, NULL);
    slip_json_string(json, "name", name);
    slip_json_integer(json, "nodes", a->node_count);
    slip_json_bool(json, "still", still);
    slip_json_list(json, "times");
    for (int64_t k = 0; k < a->count; k++)
        slip_json_number(json, NULL, a->frames[k].time);
    slip_json_end_list(json);
    slip_json_object(json, "faces");
    SLIP_PASS(slip_page_pack(page, json, faces, 4 * (int64_t)a->face_count, 1));
    slip_json_end_object(json);
    SLIP_PASS(pack_part(page, a, 0, still ? 1 : a->count));
    if (still)
        SLIP_PASS(pack_part(page, a, 1, a->count));
    SLIP_PASS(pack_part(page, a, 2, a->count));
    slip_json_end_object(json);
    return SLIP_OK;
}

static void close_animation(animation *a)
{
    free(a->frames);
    free(a->faces);
    free(a->nodes);
    for (int k = 0; k < 3; k++)
        free(a->values[k]);
}

/* Of a list all its frames, of any other file the one that it is. */
static int add_animation(slip_context *ctx, slip_page *page, const char *folder, const char *file)
{
    SLIP_FREED_BY(close_animation) animation a = {.ctx = ctx, .folder = folder};
    char name[name_size];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(file, "."), file);
    SLIP_PASS(slip_text_stem(file, ".pvd") > 0 ? read_list(&a, file) : add_frame(&a, file, 0));
    choose_frames(&a);
    for (int64_t k = 0; k < a.count; k++)
        SLIP_PASS(read_frame(&a, k));
    return a.count > 0 ? write_animation(page, &a, name) : SLIP_OK;
}

int slip_page_add_frames(slip_context *ctx, slip_page *page, const char *folder)
{
    SLIP_FREED struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, NULL, alphasort);
    const char *ending = ".vtu";
    int status = count < 0 ? slip_fail_file(ctx, "cannot read the folder", folder, errno) : SLIP_OK;
    for (int k = 0; k < count; k++)
        ending = slip_text_stem(entries[k]->d_name, ".pvd") > 0 ? ".pvd" : ending;
    for (int k = 0; k < count; k++) {
        if (status >= 0 && slip_text_stem(entries[k]->d_name, ending) > 0)
            status = add_animation(ctx, page, folder, entries[k]->d_name);
        free(entries[k]);
    }
    return status;
}
