/* Bodies in motion as files for ParaView and as pictures: frames of a run, and shapes of modes as they move
 * in one period. Displacements come from the coordinates of the result and the model of its folder; those of
 * whole bodies from the frames that the run kept. */
#include "study/view.h"

#include "figure/plot_bodies.h"
#include "flex/plane_motion.h"
#include "io/file.h"
#include "io/staging.h"
#include "io/vtu.h"
#include "model/model.h"
#include "result/frames.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { phases = 24, name_size = 60 };

typedef struct scene {
    slip_context *ctx;
    const slip_result *result;
    const char *folder, *where;
    bool own;          /* the files belong to the run folder */
    slip_model *model; /* the model of the folder */
    slip_model *bodies;
    double *coordinates; /* coordinates of all bodies */
    double *field;       /* over the unknowns of the plane */
    double *u;           /* displacements of all nodes */
    double *forces;      /* of the contact points: normal, then tangential */
    slip_text list;      /* of the frames that were written */
} scene;

/* ---- Opening. */

/* Modes of whole bodies were computed with reduced bodies: reduces the model in the same way. */
static int reduce(scene *s)
{
    const double modes = slip_result_number(s->result, "projected");
    slip_model *whole = s->model;
    if (!(modes > 0))
        return SLIP_OK;
    const int status = slip_model_reduce(s->ctx, whole, (int64_t)modes, &s->model);
    slip_model_destroy(whole);
    return status;
}

/* Whether the text has bodies. Other models are not read: they may need callbacks of the program that ran. */
static bool has_bodies(slip_context *ctx, const char *file)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    return access(file, R_OK) == 0 && slip_file_read(ctx, file, SIZE_MAX / 2, &text) >= 0 && text.data &&
           strstr(text.data, "\nbodies:");
}

static int open_scene(scene *s, const char *path)
{
    SLIP_FREED char *file = slip_path_join(s->folder, "model.yaml");
    s->own = !path;
    s->where = path ? path : s->folder;
    SLIP_PASS(slip_allocated(s->ctx, file));
    if (!has_bodies(s->ctx, file))
        return SLIP_OK;
    SLIP_PASS(slip_model_load(s->ctx, file, &s->model));
    SLIP_PASS(reduce(s));
    s->bodies = s->model->bodies;
    if (s->bodies && s->bodies->train && slip_plane_node_count(s->bodies->plane) == 0)
        s->bodies = NULL; /* the bodies are gears only */
    if (!s->bodies)
        return SLIP_OK;
    const slip_plane *plane = s->bodies->plane;
    s->coordinates = slip_alloc(s->bodies->motion->count, sizeof(double));
    s->field = slip_alloc(slip_plane_unknown_count(plane), sizeof(double));
    const int64_t d = slip_plane_dimension(plane);
    s->u = slip_alloc(d * slip_plane_node_count(plane), sizeof(double));
    s->forces = slip_alloc(d * slip_plane_contact_count(plane), sizeof(double));
    SLIP_PASS(slip_allocated(s->ctx, s->coordinates && s->field && s->u && s->forces));
    return SLIP_OK;
}

static void close_scene(scene *s)
{
    slip_model_destroy(s->model);
    slip_text_free(&s->list);
    free(s->coordinates);
    free(s->field);
    free(s->u);
    free(s->forces);
}

static int refuse(const scene *s)
{
    if (s->model && slip_model_has_gears(s->model))
        return slip_fail(s->ctx, SLIP_ERROR_USAGE,
                         "%s has no frames of its gears: run it with `simulate.frames`, such as --set "
                         "simulate.frames=50",
                         s->folder);
    return slip_fail(s->ctx, SLIP_ERROR_USAGE,
                     "%s: format `vtu` is for results with bodies, and there are none; expected csv or mat",
                     s->folder);
}

/* ---- Displacements. */

/* Writes the displacements of reduced bodies, from their coordinates, into the field. */
static void unfold(scene *s)
{
    const slip_plane_motion *motion = s->bodies->motion;
    for (int b = 0; b < motion->body_count; b++)
        if (motion->bodies[b])
            slip_plane_motion_unfold(motion, b, s->coordinates, s->field + motion->first_unknown[b]);
}

static void spread(scene *s)
{
    const slip_plane *plane = s->bodies->plane;
    for (int64_t c = 0; c < slip_plane_dimension(plane) * (int64_t)slip_plane_node_count(plane); c++) {
        const int64_t unknown = slip_plane_unknown(plane, c);
        s->u[c] = unknown < 0 ? 0 : s->field[unknown];
    }
}

static void name_coordinate(const scene *s, int body, int i, char *name, size_t size)
{
    snprintf(name, size, "%.40s_%d", slip_plane_body_name(s->bodies->plane, body),
             i - s->bodies->motion->first[body] + 1);
}

/* ---- Files. */

static int write_frame(scene *s, const char *name, double time, const double *forces)
{
    slip_plane *plane = s->bodies->plane;
    char *file = slip_path_join(s->where, name);
    int status = slip_allocated(s->ctx, file != NULL);
    if (status >= 0 && forces)
        status = slip_plane_pair_again(s->ctx, plane, s->u);
    if (status >= 0)
        status = slip_plane_write_vtu(s->ctx, plane, s->u, forces, file);
    free(file);
    if (status >= 0 && s->own)
        status = slip_staging_note(s->ctx, s->folder, name);
    slip_vtu_list_add(&s->list, time, name);
    return status;
}

/* The list of the frames, which ParaView opens as one. */
static int write_list(scene *s, const char *name)
{
    SLIP_FREED char *file = slip_path_join(s->where, name);
    int status = file ? slip_vtu_list_write(s->ctx, &s->list, file) : slip_fail_memory(s->ctx);
    if (status >= 0 && s->own)
        status = slip_staging_note(s->ctx, s->folder, name);
    slip_text_clear(&s->list);
    return status;
}

/* ---- Runs. */

/* The state of record k; false where the result is of another model. */
static bool read_record(scene *s, int64_t k)
{
    const slip_plane_motion *motion = s->bodies->motion;
    const slip_plane *plane = s->bodies->plane;
    const int m = slip_plane_contact_count(plane);
    char name[200];
    for (int b = 0; b < motion->body_count; b++)
        for (int i = motion->first[b]; i < motion->first[b + 1]; i++) {
            name_coordinate(s, b, i, name, sizeof name);
            const double *series = slip_result_series(s->result, name, NULL);
            if (!series)
                return false;
            s->coordinates[i] = series[k];
        }
    for (int c = 0; c < slip_plane_dimension(plane) * m; c++) {
        const char *const endings[2][3] = {{"normal", "force", ""}, {"normal", "force_x", "force_y"}};
        snprintf(name, sizeof name, "%s.%s", slip_plane_contacts(plane)[c % m].name,
                 endings[slip_plane_dimension(plane) == 3][c / m]);
        const double *series = slip_result_series(s->result, name, NULL);
        if (!series && (c < m || slip_plane_dimension(plane) == 2))
            return false;
        /* in space a point without friction has no such series */
        s->forces[c] = !series ? 0 : c < m ? -series[k] : series[k];
    }
    return true;
}

/* The instants that are shown: some of the records, or the frames of whole bodies that the run kept. */
typedef struct instants {
    const double *t; /* of the records */
    int64_t records, count;
    const slip_array *kept; /* NULL: no body is whole */
} instants;

/* The record of an instant: of a frame the last one that is not after it. */
static int64_t record_of(const instants *i, int64_t k)
{
    if (!i->kept)
        return i->count > 1 ? k * (i->records - 1) / (i->count - 1) : 0;
    int64_t record = 0, above = i->records;
    while (above - record > 1) {
        const int64_t middle = (record + above) / 2;
        if (i->t[middle] <= i->kept->values[k * i->kept->width])
            record = middle;
        else
            above = middle;
    }
    return record;
}

static int find_instants(const scene *s, instants *to)
{
    const int64_t unknowns = s->bodies->motion->field_size;
    *to = (instants){0};
    to->t = slip_result_series(s->result, "t", &to->records);
    to->count = to->records < slip_frames_most ? to->records : slip_frames_most;
    if (unknowns == 0)
        return SLIP_OK;
    to->kept = slip_result_array(s->result, SLIP_FRAMES_PLACE);
    if (!to->kept || to->kept->width != 1 + unknowns)
        return slip_fail(s->ctx, SLIP_ERROR_IO,
                         "%s: result.h5 has no frames of the whole bodies of model.yaml", s->folder);
    to->count = to->kept->count;
    return SLIP_OK;
}

/* The displacements of whole bodies in a frame, into the field. */
static void read_frame(scene *s, const instants *i, int64_t k)
{
    const slip_plane_motion *motion = s->bodies->motion;
    for (int b = 0; b < motion->body_count && i->kept; b++)
        if (!motion->bodies[b])
            memcpy(s->field + motion->first_unknown[b],
                   i->kept->values + k * i->kept->width + 1 + motion->first_field[b],
                   (size_t)(motion->first_unknown[b + 1] - motion->first_unknown[b]) * sizeof *s->field);
}

int slip_run_write_vtu(slip_context *ctx, const slip_result *result, const char *folder, const char *path)
{
    SLIP_FREED_BY(close_scene) scene s = {.ctx = ctx, .result = result, .folder = folder};
    char name[name_size];
    int64_t count = 0;
    instants shown;
    int status = SLIP_OK;
    SLIP_PASS(open_scene(&s, path));
    const double *t = slip_result_series(result, "t", &count);
    if (!s.bodies || !t || count == 0)
        return refuse(&s);
    SLIP_PASS(find_instants(&s, &shown));
    SLIP_PASS(slip_folder_create(ctx, s.where));
    for (int64_t f = 0; f < shown.count; f++) {
        const int64_t k = record_of(&shown, f);
        if (!read_record(&s, k)) {
            status =
                slip_fail(ctx, SLIP_ERROR_IO, "%s: result.h5 and model.yaml are of different bodies", folder);
            return status;
        }
        unfold(&s);
        read_frame(&s, &shown, f);
        spread(&s);
        snprintf(name, sizeof name, "frame-%04d.vtu", (int)f);
        SLIP_PASS(write_frame(&s, name, t[k], s.forces));
    }
    return write_list(&s, "frames.pvd");
}

/* ---- Modes. */

int slip_shapes_choose(const slip_result *result, int64_t rows[slip_shapes_most])
{
    int64_t count = 0;
    int chosen = 0;
    const double *value = slip_result_series(result, "value", &count),
                 *real = slip_result_series(result, "real", NULL),
                 *imaginary = slip_result_series(result, "imaginary", NULL);
    for (int grows = 1; grows >= 0 && chosen == 0 && value && real && imaginary; grows--)
        for (int64_t k = 0; k < count && chosen < slip_shapes_most; k++) {
            const bool last = isnan(value[k]) || value[k] == value[count - 1];
            if (last && imaginary[k] > 0 && (!grows || real[k] > 1e-9 * imaginary[k]))
                rows[chosen++] = k;
        }
    return chosen;
}

/* Reads the shape of whole bodies, which the result has for the modes that are shown. */
static bool read_whole_shape(scene *s, double mode, double angle)
{
    const slip_plane_motion *motion = s->bodies->motion;
    const int64_t size = motion->field_size;
    const slip_array *kept = slip_result_array(s->result, SLIP_SHAPES_PLACE);
    const double *row = NULL;
    if (size == 0)
        return true;
    for (int64_t k = 0; kept && kept->width == 1 + 2 * size && k < kept->count; k++)
        if (kept->values[k * kept->width] == mode)
            row = kept->values + k * kept->width + 1;
    for (int b = 0; row && b < motion->body_count; b++)
        for (int64_t i = 0; i < motion->first_unknown[b + 1] - motion->first_unknown[b] && !motion->bodies[b];
             i++) {
            const int64_t at = motion->first_field[b] + i;
            s->field[motion->first_unknown[b] + i] = row[at] * cos(angle) - row[size + at] * sin(angle);
        }
    return row != NULL;
}

/* Displacements of a mode at an angle of its period; false where the result is of another model. */
static bool read_shape(scene *s, int64_t row, double angle)
{
    const slip_plane_motion *motion = s->bodies->motion;
    const slip_table *shapes = slip_result_table(s->result, "shapes");
    const double value = slip_result_series(s->result, "value", NULL)[row],
                 mode = slip_result_series(s->result, "mode", NULL)[row];
    int found = 0;
    char name[200];
    if (!shapes || shapes->column_count < 5 || !shapes->columns[2].words)
        return false;
    for (int64_t k = 0; k < shapes->count; k++) {
        const double *const at[] = {shapes->columns[0].values, shapes->columns[1].values,
                                    shapes->columns[2].values, shapes->columns[3].values,
                                    shapes->columns[4].values};
        if (at[1][k] != mode || !(at[0][k] == value || isnan(value)))
            continue;
        const char *word = shapes->columns[2].words[(int)at[2][k]];
        for (int b = 0; b < motion->body_count; b++)
            for (int i = motion->first[b]; i < motion->first[b + 1]; i++) {
                name_coordinate(s, b, i, name, sizeof name);
                if (strcmp(name, word) != 0)
                    continue;
                s->coordinates[i] = at[3][k] * cos(angle) - at[4][k] * sin(angle);
                found++;
            }
    }
    if (found != motion->count || !read_whole_shape(s, mode, angle))
        return false;
    unfold(s);
    spread(s);
    return true;
}

static int fail_shape(const scene *s)
{
    return slip_fail(s->ctx, SLIP_ERROR_IO, "%s: the shapes and model.yaml are of different bodies",
                     s->folder);
}

int slip_modes_write_vtu(slip_context *ctx, const slip_result *result, const char *folder, const char *path)
{
    SLIP_FREED_BY(close_scene) scene s = {.ctx = ctx, .result = result, .folder = folder};
    int64_t rows[slip_shapes_most];
    const int count = slip_shapes_choose(result, rows);
    char name[name_size];
    SLIP_PASS(open_scene(&s, path));
    if (!s.bodies || count == 0)
        return refuse(&s);
    SLIP_PASS(slip_folder_create(ctx, s.where));
    for (int k = 0; k < count; k++) {
        const int mode = (int)slip_result_series(result, "mode", NULL)[rows[k]];
        for (int phase = 0; phase < phases; phase++) {
            const double part = (double)phase / phases;
            SLIP_PASS(read_shape(&s, rows[k], 2 * acos(-1) * part) ? SLIP_OK : fail_shape(&s));
            snprintf(name, sizeof name, "mode-%d-%02d.vtu", mode, phase);
            SLIP_PASS(write_frame(&s, name, part, NULL));
        }
        snprintf(name, sizeof name, "mode-%d.pvd", mode);
        SLIP_PASS(write_list(&s, name));
    }
    return SLIP_OK;
}

int slip_modes_draw_shapes(slip_context *ctx, const slip_result *result, const char *folder,
                           const slip_plot_options *options)
{
    enum { pictures_max = 3 };
    SLIP_FREED_BY(close_scene) scene s = {.ctx = ctx, .result = result, .folder = folder};
    int64_t rows[slip_shapes_most];
    const int count = slip_shapes_choose(result, rows);
    SLIP_PASS(open_scene(&s, NULL));
    if (s.bodies && slip_plane_dimension(s.bodies->plane) == 3)
        return SLIP_OK;
    for (int k = 0; s.bodies && k < count && k < pictures_max; k++) {
        char name[name_size], title[100];
        const slip_bodies_options how = {.name = name, .title = title, .shape = true};
        const double mode = slip_result_series(result, "mode", NULL)[rows[k]];
        snprintf(name, sizeof name, "mode-%d", (int)mode);
        snprintf(title, sizeof title, "mode %d: frequency %.6g, growth %.3g", (int)mode,
                 slip_result_series(result, "frequency", NULL)[rows[k]],
                 slip_result_series(result, "real", NULL)[rows[k]]);
        SLIP_PASS(read_shape(&s, rows[k], 0) ? SLIP_OK : fail_shape(&s));
        SLIP_PASS(slip_bodies_draw(ctx, s.bodies->plane, s.u, NULL, &how, folder, options));
    }
    return SLIP_OK;
}
