/* Frames of two gears in motion: VTU files while the run goes on, pictures with one scale of colours after
 * it. */
#include "figure/drawing.h"
#include "figure/render.h"
#include "gear/geometry/gear_mesh.h"
#include "io/file.h"
#include "io/vtu.h"
#include "slipstick/gear_run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { panel = 620, heading = 40, scale_width = 170, path_size = 4096, name_size = 24 };

/* What pictures need of a frame. */
typedef struct picture {
    double time, force;
    float *places, *stress; /* of the nodes of the skin: three and one number each */
} picture;

struct slip_gear_animation {
    char folder[path_size];
    slip_mesh *mesh[2]; /* their points are those of the last frame */
    double *rest[2];    /* and these those of the gears at rest, about their own axes */
    double *displacement[2];
    int teeth[2];
    double module, duration;
    int frames; /* that a whole run has */
    /* The skin of both gears: faces by its own nodes. */
    int *faces, face_count, skin_count;
    int *skin; /* of each of its nodes: the node, those of the second gear after those of the first */
    double centre[2][2];
    picture *pictures;
    int count, first; /* frames so far, and the number of the first of them */
    int64_t capacity;
};

/* ---- Making. */

static int take_gear(slip_context *ctx, slip_gear_animation *a, int k, const slip_gear_options *gear)
{
    slip_gear_mesh *made = NULL;
    int status;
    SLIP_TRY(slip_gear_mesh_create(ctx, gear, &made));
    a->mesh[k] = made->mesh;
    made->mesh = NULL;
    int64_t size = 3 * (int64_t)a->mesh[k]->node_count;
    a->teeth[k] = gear->teeth;
    a->rest[k] = slip_alloc(size, sizeof(double));
    a->displacement[k] = slip_alloc(size, sizeof(double));
    if (!a->rest[k] || !a->displacement[k])
        status = slip_fail_memory(ctx);
    else
        memcpy(a->rest[k], a->mesh[k]->points, sizeof(double) * (size_t)size);
done:
    slip_gear_mesh_destroy(made);
    return status;
}

/* Numbers the nodes of the outer faces in the order in which these name them. */
static int take_skin(slip_context *ctx, slip_gear_animation *a)
{
    int *faces[2] = {0}, counts[2] = {0}, nodes = a->mesh[0]->node_count + a->mesh[1]->node_count, status;
    int *number = slip_alloc(nodes, sizeof *number);
    for (int k = 0; k < 2; k++)
        SLIP_TRY(slip_mesh_skin(ctx, a->mesh[k], &faces[k], &counts[k]));
    a->face_count = counts[0] + counts[1];
    a->faces = slip_alloc(4 * (int64_t)a->face_count, sizeof *a->faces);
    a->skin = slip_alloc(nodes, sizeof *a->skin);
    if (!number || !a->faces || !a->skin) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    for (int i = 0; i < 4 * a->face_count; i++) {
        int k = i >= 4 * counts[0];
        int node = k ? a->mesh[0]->node_count + faces[1][i - 4 * counts[0]] : faces[0][i];
        if (number[node] == 0) {
            a->skin[a->skin_count++] = node;
            number[node] = a->skin_count;
        }
        a->faces[i] = number[node] - 1;
    }
done:
    free(faces[0]);
    free(faces[1]);
    free(number);
    return status;
}

void slip_gear_animation_destroy(slip_gear_animation *a)
{
    if (!a)
        return;
    for (int k = 0; k < 2; k++) {
        slip_mesh_destroy(a->mesh[k]);
        free(a->rest[k]);
        free(a->displacement[k]);
    }
    for (int i = 0; i < a->count; i++) {
        free(a->pictures[i].places);
        free(a->pictures[i].stress);
    }
    free(a->pictures);
    free(a->faces);
    free(a->skin);
    free(a);
}

/* ---- Frames as they come. */

static const char *frame_name(int number, char name[name_size])
{
    snprintf(name, name_size, "frame-%04d", number);
    return name;
}

/* What the gear has moved from where it would be if it were rigid. */
static void find_displacement(slip_gear_animation *a, int k, const slip_gear_frame *f)
{
    double c = cos(f->angle[k]), s = sin(f->angle[k]);
    for (int i = 0; i < f->node_count[k]; i++) {
        const double *from = a->rest[k] + 3 * (size_t)i, *x = f->position[k] + 3 * (size_t)i;
        double *u = a->displacement[k] + 3 * (size_t)i;
        u[0] = x[0] - f->centre[k][0] - (c * from[0] - s * from[1]);
        u[1] = x[1] - f->centre[k][1] - (s * from[0] + c * from[1]);
        u[2] = x[2] - from[2];
    }
}

static int write_vtu(slip_context *ctx, slip_gear_animation *a, const slip_gear_frame *f)
{
    char path[path_size + name_size + 8], name[name_size];
    slip_vtu_field fields[2][2];
    slip_vtu_piece pieces[2];
    for (int k = 0; k < 2; k++) {
        find_displacement(a, k, f);
        memcpy(a->mesh[k]->points, f->position[k], 3 * sizeof(double) * (size_t)f->node_count[k]);
        fields[k][0] =
            (slip_vtu_field){.name = "displacement", .components = 3, .values = a->displacement[k]};
        fields[k][1] = (slip_vtu_field){.name = "von_mises", .components = 1, .values = f->stress[k]};
        pieces[k] = (slip_vtu_piece){a->mesh[k], fields[k], 2};
    }
    snprintf(path, sizeof path, "%s/%s.vtu", a->folder, frame_name(f->number, name));
    return slip_vtu_write(ctx, path, pieces, 2);
}

static int keep_picture(slip_context *ctx, slip_gear_animation *a, const slip_gear_frame *f)
{
    if (!slip_array_reserve(&a->pictures, &a->capacity, a->count + 1, sizeof *a->pictures))
        return slip_fail_memory(ctx);
    picture *p = &a->pictures[a->count++];
    *p = (picture){.time = f->time,
                   .force = f->force,
                   .places = slip_alloc(3 * (int64_t)a->skin_count, sizeof *p->places),
                   .stress = slip_alloc(a->skin_count, sizeof *p->stress)};
    if (!p->places || !p->stress)
        return slip_fail_memory(ctx);
    for (int i = 0; i < a->skin_count; i++) {
        int k = a->skin[i] >= f->node_count[0], node = a->skin[i] - (k ? f->node_count[0] : 0);
        for (int d = 0; d < 3; d++)
            p->places[3 * i + d] = (float)f->position[k][3 * (size_t)node + (size_t)d];
        p->stress[i] = (float)f->stress[k][node];
    }
    return SLIP_OK;
}

static int take_frame(void *user, slip_context *ctx, const slip_gear_frame *f)
{
    slip_gear_animation *a = user;
    if (a->count == 0)
        a->first = f->number;
    memcpy(a->centre, f->centre, sizeof a->centre);
    int status = write_vtu(ctx, a, f);
    return status < 0 ? status : keep_picture(ctx, a, f);
}

int slip_gear_animation_create(slip_context *ctx, const slip_gear_options gears[2],
                               slip_gear_run_options *options, const char *folder,
                               slip_gear_animation **animation)
{
    if (animation)
        *animation = NULL;
    SLIP_NEED(ctx, gears, options, folder, animation);
    int status;
    slip_gear_animation *a = slip_alloc(1, sizeof *a);
    if (!a)
        return slip_fail_memory(ctx);
    a->module = gears[0].module;
    a->frames = options->frames;
    a->duration = options->time;
    if (snprintf(a->folder, sizeof a->folder, "%s", folder) >= path_size) {
        status = slip_fail(ctx, SLIP_ERROR_USAGE, "the name of the folder of frames is too long");
        goto done;
    }
    SLIP_TRY(slip_folder_make(ctx, folder));
    for (int k = 0; k < 2; k++)
        SLIP_TRY(take_gear(ctx, a, k, &gears[k]));
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
    slip_text text = {0};
    char path[path_size + name_size], name[name_size];
    slip_text_append(
        &text, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n");
    for (int i = 0; i < a->first + a->count; i++)
        slip_text_printf(&text, "<DataSet timestep=\"%.9g\" file=\"%s.vtu\"/>\n",
                         i >= a->first   ? a->pictures[i - a->first].time
                         : a->frames > 1 ? a->duration * i / (a->frames - 1)
                                         : 0,
                         frame_name(i, name));
    slip_text_append(&text, "</Collection>\n</VTKFile>\n");
    snprintf(path, sizeof path, "%s/frames.pvd", a->folder);
    int status = text.failed ? slip_fail_memory(ctx) : slip_file_write(ctx, path, text.data, text.length);
    slip_text_free(&text);
    return status;
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

/* The whole pair, and the teeth at the pitch point. */
static void look(const slip_gear_animation *a, const picture *p, slip_view views[2])
{
    double low = INFINITY, high = -INFINITY, share = (double)a->teeth[0] / (a->teeth[0] + a->teeth[1]);
    for (int i = 0; i < a->skin_count; i++) {
        low = fmin(low, (double)p->places[3 * i]);
        high = fmax(high, (double)p->places[3 * i]);
    }
    for (int k = 0; k < 2; k++)
        views[k] = (slip_view){.toward = {0, 0, 1}, .up = {0, 1, 0}};
    views[0].height = 1.04 * (high - low);
    views[0].centre[0] = (high + low) / 2;
    views[0].centre[1] = (a->centre[0][1] + a->centre[1][1]) / 2;
    views[1].height = 5 * a->module;
    for (int d = 0; d < 2; d++)
        views[1].centre[d] = a->centre[0][d] + share * (a->centre[1][d] - a->centre[0][d]);
}

typedef struct drawing_job {
    const slip_gear_animation *animation;
    double top;
    double *places, *value; /* of the skin */
    slip_image image;
} drawing_job;

static int render_frame(slip_context *ctx, const drawing_job *job, const picture *p, slip_image *image)
{
    const slip_gear_animation *a = job->animation;
    slip_view views[2];
    int status = SLIP_OK;
    for (int i = 0; i < a->skin_count; i++) {
        for (int d = 0; d < 3; d++)
            job->places[3 * i + d] = (double)p->places[3 * i + d];
        job->value[i] = (double)p->stress[i] / job->top;
    }
    look(a, &a->pictures[0], views);
    memset(image->pixels, 255, 3 * (size_t)image->width * (size_t)image->height);
    for (int k = 0; k < 2 && status >= 0; k++)
        status = slip_render(ctx, a->faces, a->face_count, job->places, job->value, &views[k], image,
                             k * panel, 0, panel, panel);
    return status;
}

static int write_images(slip_context *ctx, const drawing_job *job, const char *path)
{
    const slip_gear_animation *a = job->animation;
    slip_image image = job->image;
    slip_file file = {0};
    int status = slip_file_create(ctx, path, &file);
    for (int i = 0; i < a->count && status >= 0; i++) {
        status = render_frame(ctx, job, &a->pictures[i], &image);
        if (status >= 0)
            fwrite(image.pixels, 3, (size_t)image.width * (size_t)image.height, file.stream);
    }
    if (status >= 0)
        return slip_file_commit(ctx, &file);
    slip_file_discard(&file);
    return status;
}

static double largest_stress(const slip_gear_animation *a, const picture *p)
{
    double largest = 0;
    for (int i = 0; i < a->skin_count; i++)
        largest = fmax(largest, (double)p->stress[i]);
    return largest;
}

static void write_script(const drawing_job *job, const char *base, slip_text *script)
{
    const slip_gear_animation *a = job->animation;
    const int wide = job->image.width + scale_width, high = panel + heading;
    slip_text_printf(
        script,
        "# Made by slipstick. The images are %d x %d pixels of three bytes, one after the other.\n"
        "set terminal pngcairo size %d,%d font \"Sans,16\"\n"
        "unset border; unset tics; unset key\n"
        "set lmargin at screen 0; set rmargin at screen %.6f\n"
        "set bmargin at screen 0; set tmargin at screen %.6f\n"
        "set xrange [0:%d]; set yrange [0:%d]\n",
        job->image.width, panel, wide, high, (double)job->image.width / wide, (double)panel / high,
        job->image.width, panel);
    slip_text_append(script, "set palette defined (");
    for (int k = 0; k <= 20; k++) {
        double rgb[3];
        slip_render_colour(k / 20.0, rgb);
        slip_text_printf(script, "%s%g %.3f %.3f %.3f", k ? ", " : "", k / 20.0, rgb[0], rgb[1], rgb[2]);
    }
    slip_text_printf(script,
                     ")\nset cbrange [0:%.6g]; set cblabel \"von Mises stress, MPa\"; set cbtics\n"
                     "set colorbox user origin screen %.6f, screen 0.2 size screen %.6f, screen 0.6\n",
                     job->top / 1e6, (job->image.width + 20.0) / wide, 24.0 / wide);
    for (int i = 0; i < a->count; i++) {
        char name[name_size];
        slip_text_printf(script,
                         "set output '%s.png'\n"
                         "set label 1 \"t = %.1f µs,  contact force %.4g kN,  largest stress %.3g MPa\" "
                         "at screen 0.5, screen %.6f center\n"
                         "plot '%s.dat' binary array=(%d,%d) skip=%lld flipy format='%%uchar' using 1:2:3 "
                         "with rgbimage, '+' using (-10):(-10):(0) with points palette\n",
                         frame_name(a->first + i, name), 1e6 * a->pictures[i].time,
                         1e-3 * a->pictures[i].force, 1e-6 * largest_stress(a, &a->pictures[i]),
                         1 - heading / 2.0 / high, base, job->image.width, panel,
                         (long long)i * 3 * job->image.width * panel);
    }
    slip_text_append(script, "unset output\n");
}

static int write_pictures(slip_context *ctx, const void *source, const char *folder, const char *base)
{
    const drawing_job *job = source;
    slip_text script = {0};
    char path[path_size + name_size];
    snprintf(path, sizeof path, "%s/%s.dat", folder, base);
    write_script(job, base, &script);
    int status = slip_drawing_write(ctx, folder, base, ".gp", &script);
    slip_text_free(&script);
    return status < 0 ? status : write_images(ctx, job, path);
}

static int draw(slip_context *ctx, const slip_gear_animation *a, drawing_job *job,
                void (*written)(void *user, const char *path), void *user)
{
    const char **names = slip_alloc(a->count, sizeof *names);
    char(*text)[name_size] = slip_alloc(a->count, sizeof *text);
    int status = names && text ? SLIP_OK : slip_fail_memory(ctx);
    for (int i = 0; i < a->count && status >= 0; i++)
        names[i] = frame_name(a->first + i, text[i]);
    if (status >= 0)
        status = slip_drawing_make(ctx, &(slip_drawing){.folder = a->folder,
                                                        .base = "frames",
                                                        .pictures = names,
                                                        .picture_count = a->count,
                                                        .frames = true,
                                                        .write = write_pictures,
                                                        .source = job,
                                                        .written = written,
                                                        .user = user});
    free(names);
    free(text);
    return status;
}

int slip_gear_animation_finish(slip_context *ctx, const slip_gear_animation *a, int pictures,
                               void (*written)(void *user, const char *path), void *user)
{
    SLIP_NEED(ctx, a);
    drawing_job job = {.animation = a};
    float *sorted = NULL;
    int status = SLIP_OK;
    if (a->count == 0)
        return SLIP_OK;
    SLIP_TRY(write_list(ctx, a));
    if (!pictures)
        return SLIP_OK;
    sorted = slip_alloc(a->skin_count, sizeof *sorted);
    job.places = slip_alloc(3 * (int64_t)a->skin_count, sizeof *job.places);
    job.value = slip_alloc(a->skin_count, sizeof *job.value);
    if (!sorted || !job.places || !job.value) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    job.top = top_of_scale(a, sorted);
    SLIP_TRY(slip_image_create(ctx, 2 * panel, panel, &job.image));
    status = draw(ctx, a, &job, written, user);
done:
    free(sorted);
    free(job.places);
    free(job.value);
    slip_image_free(&job.image);
    return status;
}
