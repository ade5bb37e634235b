#include "study/paths.h"

#include "io/csv.h"
#include "io/file.h"
#include "io/hdf5.h"
#include "io/number.h"
#include "io/staging.h"
#include "result/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const contact_columns[slip_paths_contact_columns] = {"normal", "tangential", "gap", "slip",
                                                                        "mode"};

static bool name_columns(slip_paths *p)
{
    static const char *const fixed[slip_paths_fixed_columns] = {"branch", "value", "stability"};
    char name[200];
    int64_t k = 0;
    for (; k < slip_paths_fixed_columns; k++)
        p->names[k] = slip_arena_string(&p->arena, fixed[k]);
    for (int i = 0; i < p->coordinate_count; i++)
        p->names[k++] = slip_arena_string(&p->arena, p->coordinate_names[i]);
    for (int c = 0; c < p->contact_count; c++)
        for (int j = 0; j < slip_paths_contact_columns; j++) {
            snprintf(name, sizeof name, "%.100s.%s", p->contact_names[c], contact_columns[j]);
            p->names[k++] = slip_arena_string(&p->arena, name);
        }
    for (int64_t i = 0; i < k; i++)
        if (!p->names[i])
            return false;
    return true;
}

int slip_paths_create(slip_context *ctx, const slip_scene *scene, slip_paths **result)
{
    slip_paths *p = slip_alloc(1, sizeof *p);
    const int m = scene->shape.contact_count, n = scene->coordinate_count;
    slip_text text = {0};
    int status;
    *result = NULL;
    if (!p)
        return slip_fail_memory(ctx);
    p->contact_count = m;
    p->coordinate_count = n;
    p->direction_count = scene->shape.direction_count;
    p->width = slip_paths_fixed_columns + n + slip_paths_contact_columns * (int64_t)m;
    p->parameter = slip_arena_string(&p->arena, scene->parameter_name);
    p->title = slip_arena_string(&p->arena, scene->model->title);
    p->contact_names = slip_arena_array(&p->arena, m + 1, sizeof *p->contact_names);
    p->coordinate_names = slip_arena_array(&p->arena, n + 1, sizeof *p->coordinate_names);
    p->names = slip_arena_array(&p->arena, p->width + 1, sizeof *p->names);
    p->columns = slip_alloc(p->width, sizeof *p->columns);
    if (!p->parameter || !p->title || !p->contact_names || !p->coordinate_names || !p->names || !p->columns) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    for (int c = 0; c < m; c++)
        p->contact_names[c] = slip_arena_string(&p->arena, scene->contact_names[c]);
    for (int i = 0; i < n; i++)
        p->coordinate_names[i] = slip_arena_string(&p->arena, scene->model->system->names[i]);
    if (!name_columns(p)) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    SLIP_TRY(slip_model_write(ctx, scene->model, NULL, &text));
    p->model_text = slip_arena_string(&p->arena, text.data ? text.data : "");
    if (!p->model_text) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    *result = p;
    p = NULL;
done:
    slip_text_free(&text);
    slip_paths_destroy(p);
    return status;
}

void slip_paths_destroy(slip_paths *p)
{
    if (!p)
        return;
    for (int64_t k = 0; k < p->width && p->columns; k++)
        free(p->columns[k]);
    free(p->columns);
    free(p->points);
    free(p->labels);
    free(p->label_states);
    slip_arena_free(&p->arena);
    free(p);
}

/* ---- Filling. */

int slip_paths_add_point(slip_context *ctx, slip_paths *p, const slip_scene *scene,
                         const slip_static_point *point, const double *given)
{
    if (!slip_array_reserve(&p->points, &p->point_capacity, (p->point_count + 1) * p->width, sizeof(double)))
        return slip_fail_memory(ctx);
    double *row = p->points + p->point_count++ * p->width;
    *row++ = point->branch;
    *row++ = point->p;
    *row++ = point->sign;
    for (int i = 0; i < p->coordinate_count; i++)
        *row++ = point->d[scene->first_coordinate + i];
    for (int c = 0; c < p->contact_count; c++) {
        const slip_scene_contact of = slip_scene_contact_of(scene, c, point->lambda, point->d, given[c]);
        *row++ = of.normal;
        *row++ = of.tangential;
        *row++ = of.gap;
        *row++ = of.slip;
        *row++ = (double)point->modes[c];
    }
    p->branch_count = point->branch > p->branch_count ? point->branch : p->branch_count;
    return SLIP_OK;
}

/* The names of all contacts that change, or of the modes before or after, joined by ";". */
static char *join(slip_paths *p, const slip_static_label *label, int what)
{
    slip_text text = {0};
    char *joined;
    for (int k = 0; k < label->change_count; k++) {
        const slip_static_change *change = &label->changes[k];
        slip_text_printf(&text, "%s%s", k > 0 ? ";" : "",
                         what == 0   ? p->contact_names[change->contact]
                         : what == 1 ? slip_mode_name(change->from)
                                     : slip_mode_name(change->to));
    }
    joined = text.failed ? NULL : slip_arena_string(&p->arena, text.data ? text.data : "");
    slip_text_free(&text);
    return joined;
}

int slip_paths_add_label(slip_context *ctx, slip_paths *p, const slip_scene *scene,
                         const slip_static_label *label)
{
    const int64_t n = p->direction_count;
    slip_path_label item = {.number = label->number,
                            .branch = label->at.branch,
                            .type = slip_static_label_name(label->type),
                            .value = label->at.p,
                            .contact = join(p, label, 0),
                            .from = join(p, label, 1),
                            .to = label->at.lambda ? join(p, label, 2) : "infinity",
                            .note = slip_arena_string(&p->arena, label->note)};
    (void)scene;
    if (!item.contact || !item.from || !item.to || !item.note ||
        !slip_array_reserve(&p->labels, &p->label_capacity, p->label_count + 1, sizeof *p->labels) ||
        !slip_array_reserve(&p->label_states, &p->label_state_capacity, (p->label_count + 1) * 2 * n,
                            sizeof(double)))
        return slip_fail_memory(ctx);
    double *state = p->label_states + p->label_count * 2 * n;
    for (int64_t i = 0; i < n; i++) { /* at a pole there is none */
        state[i] = label->at.lambda ? label->at.lambda[i] : NAN;
        state[n + i] = label->at.d ? label->at.d[i] : NAN;
    }
    p->labels[p->label_count++] = item;
    return SLIP_OK;
}

/* ---- Looking. */

int slip_paths_label_count(const slip_paths *p)
{
    return (int)p->label_count;
}

const slip_path_label *slip_paths_label(const slip_paths *p, int index)
{
    return index >= 0 && index < p->label_count ? &p->labels[index] : NULL;
}

int slip_paths_branch_count(const slip_paths *p)
{
    return p->branch_count;
}

const char *slip_paths_parameter(const slip_paths *p)
{
    return p->parameter;
}

static const double *column(const slip_paths *p, int64_t k)
{
    if (!p->columns[k]) {
        double *values = slip_alloc(p->point_count, sizeof(double));
        for (int64_t i = 0; i < p->point_count && values; i++)
            values[i] = p->points[i * p->width + k];
        p->columns[k] = values;
    }
    return p->columns[k];
}

static int64_t find_column(const slip_paths *p, const char *name)
{
    for (int64_t k = 0; k < p->width; k++)
        if (strcmp(p->names[k], name) == 0)
            return k;
    return -1;
}

bool slip_paths_has(const slip_paths *p, const char *name)
{
    return find_column(p, name) >= 0;
}

const double *slip_paths_series(const slip_paths *p, const char *name, int64_t *count)
{
    const int64_t k = find_column(p, name);
    if (count)
        *count = k >= 0 ? p->point_count : 0;
    return k >= 0 ? column(p, k) : NULL;
}

/* ---- Files. */

static int write_path(slip_context *ctx, const slip_paths *p, const char *path)
{
    slip_file file = {0};
    char number[slip_number_size];
    int status;
    SLIP_TRY(slip_file_create(ctx, path, &file));
    for (int64_t k = 0; k < p->width; k++) {
        if (k > 0)
            fputc(',', file.stream);
        slip_csv_text(file.stream, p->names[k]);
    }
    fputc('\n', file.stream);
    for (int64_t i = 0; i < p->point_count; i++)
        for (int64_t k = 0; k < p->width; k++) {
            const double value = p->points[i * p->width + k];
            const int64_t of_contact = k - slip_paths_fixed_columns - p->coordinate_count;
            if (k > 0)
                fputc(',', file.stream);
            if (of_contact >= 0 && of_contact % slip_paths_contact_columns == slip_paths_contact_columns - 1)
                fputs(slip_mode_name((slip_mode)value), file.stream);
            else
                fputs(slip_number_write_exact(number, value), file.stream);
            if (k == p->width - 1)
                fputc('\n', file.stream);
        }
    SLIP_TRY(slip_file_commit(ctx, &file));
done:
    slip_file_discard(&file);
    return status;
}

static int write_labels(slip_context *ctx, const slip_paths *p, const char *path)
{
    slip_file file = {0};
    char number[slip_number_size];
    int status;
    SLIP_TRY(slip_file_create(ctx, path, &file));
    fputs("branch,label,type,value,contact,from,to\n", file.stream);
    for (int64_t k = 0; k < p->label_count; k++) {
        const slip_path_label *label = &p->labels[k];
        fprintf(file.stream, "%d,%d,%s,%s,", label->branch, label->number, label->type,
                slip_number_write(number, label->value));
        slip_csv_text(file.stream, label->contact);
        fprintf(file.stream, ",%s,%s\n", label->from, label->to);
    }
    SLIP_TRY(slip_file_commit(ctx, &file));
done:
    slip_file_discard(&file);
    return status;
}

static int write_label_states(slip_h5 *file, const slip_paths *p)
{
    const int64_t count = p->label_count, n = p->direction_count;
    double *numbers = slip_alloc(2 * count, sizeof(double));
    int status = SLIP_OK;
    for (int64_t k = 0; k < count && numbers; k++) {
        numbers[k] = p->labels[k].number;
        numbers[count + k] = p->labels[k].value;
    }
    if (!numbers)
        return SLIP_ERROR_MEMORY;
    SLIP_TRY(slip_h5_write(file, "label/number", numbers, count));
    SLIP_TRY(slip_h5_write(file, "label/value", numbers + count, count));
    SLIP_TRY(slip_h5_write(file, "label/state", p->label_states, count * 2 * n));
done:
    free(numbers);
    return status;
}

static int write_hdf5(slip_context *ctx, const slip_paths *p, const char *path)
{
    slip_h5 *file = NULL;
    char name[260];
    int status;
    SLIP_TRY(slip_h5_create(ctx, path, &file));
    SLIP_TRY(slip_h5_write_text(file, "/", "parameter", p->parameter));
    for (int64_t k = 0; k < p->width; k++) {
        const int64_t coordinate = k - slip_paths_fixed_columns, contact = coordinate - p->coordinate_count;
        const double *values = column(p, k);
        if (!values) {
            status = slip_fail_memory(ctx);
            goto done;
        }
        if (coordinate < 0)
            snprintf(name, sizeof name, "%s", p->names[k]);
        else if (contact < 0)
            snprintf(name, sizeof name, "q/%.200s", p->names[k]);
        else
            snprintf(name, sizeof name, "contact/%.150s/%s",
                     p->contact_names[contact / slip_paths_contact_columns],
                     contact_columns[contact % slip_paths_contact_columns]);
        const bool small =
            coordinate < 0 ? k == 2 : contact >= 0 && contact % slip_paths_contact_columns == 4;
        SLIP_TRY(small ? slip_h5_write_small(file, name, values, p->point_count)
                       : slip_h5_write(file, name, values, p->point_count));
    }
    SLIP_TRY(write_label_states(file, p));
    status = slip_h5_commit(file);
    file = NULL;
done:
    slip_h5_close(file);
    return status;
}

int slip_paths_save(slip_context *ctx, const slip_paths *p, const char *folder)
{
    SLIP_NEED(ctx, p, folder);
    static const char *const names[] = {"path.csv", "labels.csv", "path.h5", "model.yaml"};
    static const char *const pictures[] = {"path.gp", "path.dat", "path.png", "path.svg", NULL};
    slip_staging staging = {0};
    int status;
    SLIP_TRY(slip_staging_begin(ctx, folder, "path", &staging));
    for (int k = 0; k < 4; k++) {
        char *path = slip_path_join(staging.work, names[k]);
        status = !path    ? slip_fail_memory(ctx)
                 : k == 0 ? write_path(ctx, p, path)
                 : k == 1 ? write_labels(ctx, p, path)
                 : k == 2 ? write_hdf5(ctx, p, path)
                          : slip_file_write(ctx, path, p->model_text, strlen(p->model_text));
        free(path);
        if (status < 0)
            goto done;
    }
    SLIP_TRY(slip_staging_publish(ctx, &staging, "path.h5", pictures));
done:
    return slip_staging_end(ctx, &staging, status);
}

int slip_paths_load_label(slip_context *ctx, const char *folder, int number, int direction_count,
                          slip_paths_start *start)
{
    char *path = slip_path_join(folder, "path.h5");
    double *numbers = NULL, *values = NULL, *states = NULL;
    const int64_t n = direction_count;
    int64_t count = 0, found = -1, other;
    slip_h5 *file = NULL;
    int status;
    if (!path)
        return slip_fail_memory(ctx);
    SLIP_TRY(slip_h5_open(ctx, path, &file));
    SLIP_TRY(slip_h5_read_text(file, "/", "parameter", &start->arena, &start->parameter));
    SLIP_TRY(slip_h5_read(file, "label/number", &numbers, &count));
    SLIP_TRY(slip_h5_read_exactly(file, "label/value", count, &values));
    SLIP_TRY(slip_h5_check_finite(file, "label/value", values, count));
    for (int64_t k = 0; k < count; k++)
        if (numbers[k] == number)
            found = k;
    SLIP_TRY(slip_h5_read(file, "label/state", &states, &other));
    if (!start->parameter || found < 0) {
        status = slip_fail(ctx, SLIP_ERROR_USAGE,
                           "%s: there is no label %d, expected one of 1 to %lld (see "
                           "labels.csv)",
                           folder, number, (long long)count);
        goto done;
    }
    if (other != count * 2 * n) {
        status = slip_fail(ctx, SLIP_ERROR_USAGE,
                           "%s: its paths are those of another model: it has other contacts or coordinates",
                           folder);
        goto done;
    }
    if (n > 0 && isnan(states[found * 2 * n])) {
        status =
            slip_fail(ctx, SLIP_ERROR_USAGE,
                      "%s: at label %d the path goes to infinity, expected a label with a state to start "
                      "from",
                      folder, number);
        goto done;
    }
    SLIP_TRY(slip_h5_check_finite(file, "label/state", states + found * 2 * n, 2 * n));
    start->value = values[found];
    start->lambda = slip_arena_array(&start->arena, 2 * n + 1, sizeof(double));
    if (!start->lambda) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    start->d = start->lambda + n;
    memcpy(start->lambda, states + found * 2 * n, sizeof(double) * (size_t)(2 * n));
done:
    slip_h5_close(file);
    free(path);
    free(numbers);
    free(values);
    free(states);
    return status;
}
