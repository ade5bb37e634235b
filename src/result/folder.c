/* The run folder: model.yaml, result.h5, events.csv, summary.json.
 *
 * 1. All files are written beside an earlier run of the same folder and take its place when all are on the
 *    disk: a run that cannot be kept does not cost the earlier one.
 * 2. Then summary.json is removed first and put in place last: a folder that has one is complete, and all its
 *    files are of the same run.
 * 3. What was derived from the earlier run (pictures, exports) goes with it, so that it never passes for the
 *    new one's. */
#include "io/csv.h"
#include "io/file.h"
#include "io/hdf5.h"
#include "io/number.h"
#include "result/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { mode_count = SLIP_MODE_CLOSED + 1 };
static const size_t largest_text = (size_t)1 << 30;

static const char *const of_earlier_run[] = {"model.yaml",
                                             "events.csv",
                                             "plot.gp",
                                             "plot.dat",
                                             "history.png",
                                             "history.svg",
                                             "force-slip.png",
                                             "force-slip.svg",
                                             "patch.png",
                                             "patch.svg",
                                             "phase.png",
                                             "phase.svg",
                                             "acceleration-velocity.png",
                                             "acceleration-velocity.svg",
                                             "force.png",
                                             "force.svg",
                                             "speed.png",
                                             "speed.svg",
                                             "energy.png",
                                             "energy.svg",
                                             "participation.png",
                                             "participation.svg",
                                             "result.csv",
                                             "result.mat",
                                             NULL};

/* ---- Saving. */

int slip_folder_publish(slip_context *ctx, slip_staging *staging)
{
    return slip_staging_publish(ctx, staging, "summary.json", of_earlier_run);
}

int slip_folder_write(slip_context *ctx, const char *folder, const char *name, const char *text)
{
    char *path = slip_path_join(folder, name);
    int status = path ? slip_file_write(ctx, path, text, strlen(text)) : slip_fail_memory(ctx);
    free(path);
    return status;
}

static int save_summary(slip_context *ctx, const slip_result *result, const char *folder)
{
    slip_text text = {0};
    int status = slip_summary_write(ctx, result, &text);
    if (status == SLIP_OK)
        status = slip_folder_write(ctx, folder, "summary.json", text.data);
    slip_text_free(&text);
    return status;
}

static int save_events(slip_context *ctx, const slip_result *result, const char *folder)
{
    char *path = slip_path_join(folder, "events.csv");
    slip_file file = {0};
    int status = path ? slip_file_create(ctx, path, &file) : slip_fail_memory(ctx);
    free(path);
    if (status < 0)
        return status;
    fputs("time,contact,from,to\n", file.stream);
    for (int64_t k = 0; k < result->event_count; k++) {
        const slip_event *event = &result->events[k];
        char time[slip_number_size];
        fprintf(file.stream, "%s,", slip_number_write(time, event->time));
        slip_csv_text(file.stream, result->contact_names[event->contact]);
        fprintf(file.stream, ",%s,%s\n", slip_mode_name(event->from), slip_mode_name(event->to));
    }
    return slip_file_commit(ctx, &file);
}

static int save_coordinates(slip_h5 *h5, const slip_result *result, slip_text *name)
{
    static const char *const groups[3] = {"q", "v", "a"};
    int status = SLIP_OK;
    for (int part = 0; part < 3; part++) {
        for (int i = 0; i < result->n && status == SLIP_OK; i++) {
            slip_text_clear(name);
            slip_text_printf(name, "%s/%s", groups[part], result->names[i]);
            status = name->failed
                         ? SLIP_ERROR_MEMORY
                         : slip_h5_write(h5, name->data, result->series[slip_series_coordinate(i, part)],
                                         result->count);
        }
    }
    return status;
}

static const char *const contact_parts[4] = {"slip", "normal", "force", "mode"};
enum { mode_part = 3 };

static int save_contacts(slip_h5 *h5, const slip_result *result, slip_text *name)
{
    int status = SLIP_OK;
    for (int c = 0; c < result->contact_count; c++) {
        for (int part = 0; part < 4 && status == SLIP_OK; part++) {
            const double *values = result->series[slip_series_contact(result->n, c, part)];
            slip_text_clear(name);
            slip_text_printf(name, "contact/%s/%s", result->contact_names[c], contact_parts[part]);
            if (name->failed)
                return SLIP_ERROR_MEMORY;
            status = part == mode_part ? slip_h5_write_small(h5, name->data, values, result->count)
                                       : slip_h5_write(h5, name->data, values, result->count);
        }
        if (status == SLIP_OK)
            status = slip_h5_write_text(h5, name->data, "names", "open stick slip+ slip- slip closed");
    }
    return status;
}

static int save_patches(slip_h5 *h5, const slip_result *result, slip_text *name)
{
    int status = SLIP_OK;
    for (int p = 0; p < result->patch_count; p++)
        for (int part = 0; part < 6 && status == SLIP_OK; part++) {
            slip_text_clear(name);
            slip_text_printf(name, "contact/%s/%s", result->contact_names[result->patch_contacts[p]],
                             slip_patch_parts[part]);
            status = name->failed
                         ? SLIP_ERROR_MEMORY
                         : slip_h5_write(h5, name->data, result->series[slip_series_patch(result, p, part)],
                                         result->count);
        }
    return status;
}

static int save_series(slip_context *ctx, const slip_result *result, const char *folder)
{
    char *path = slip_path_join(folder, "result.h5");
    slip_text name = {0};
    slip_h5 *h5 = NULL;
    int status;
    if (!path)
        return slip_fail_memory(ctx);
    SLIP_TRY(slip_h5_create(ctx, path, &h5));
    SLIP_TRY(slip_h5_write_text(h5, "/", "slipstick", slip_version()));
    SLIP_TRY(slip_h5_write_text(h5, "/", "method", result->method));
    SLIP_TRY(slip_h5_write_text(h5, "/", "title", result->title ? result->title : ""));
    SLIP_TRY(slip_h5_write(h5, "t", result->series[0], result->count));
    SLIP_TRY(save_coordinates(h5, result, &name));
    SLIP_TRY(save_contacts(h5, result, &name));
    SLIP_TRY(save_patches(h5, result, &name));
    status = slip_h5_commit(h5);
    h5 = NULL;
done:
    if (status == SLIP_ERROR_MEMORY)
        slip_fail_memory(ctx);
    slip_h5_close(h5);
    slip_text_free(&name);
    free(path);
    return status;
}

int slip_result_save(slip_context *ctx, slip_result *result, const char *folder)
{
    SLIP_NEED(ctx, result, folder);
    slip_staging staging = {0};
    int status;
    SLIP_TRY(slip_staging_begin(ctx, folder, "run", &staging));
    if (result->model_text)
        SLIP_TRY(slip_folder_write(ctx, staging.work, "model.yaml", result->model_text));
    SLIP_TRY(save_series(ctx, result, staging.work));
    SLIP_TRY(save_events(ctx, result, staging.work));
    SLIP_TRY(save_summary(ctx, result, staging.work));
    SLIP_TRY(slip_folder_publish(ctx, &staging));
done:
    return slip_staging_end(ctx, &staging, status);
}

/* ---- Loading. */

static bool has_file(const char *folder, const char *name)
{
    char *path = slip_path_join(folder, name);
    const bool found = path && access(path, F_OK) == 0;
    free(path);
    return found;
}

/* What other verbs leave, and what there is to see of it. */
static int fail_other(slip_context *ctx, const char *folder)
{
    static const struct {
        const char *file, *what;
    } others[] = {
        {"path.csv",
         "paths of static solutions: `slipstick continue FILE --quantity NAME` draws them; path.csv "
         "has all numbers"},
        {"solutions.json",
         "static solutions: `slipstick statics FILE` draws those of bodies, with solution-1.vtu "
         "... for ParaView; solutions.json has all numbers"},
        {"counts.csv",
         "a map of static solutions: `slipstick statics FILE --map X=A:B,Y=C:D` draws it; counts.csv "
         "has the numbers"},
        {"cycle.csv", "a mesh cycle: `slipstick gear cycle FILE` draws it; cycle.csv has all numbers"},
        {"modes.csv",
         "modes of gears: `slipstick gear modes FILE --draw 1,2` draws them and writes VTU files"},
    };
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
        if (has_file(folder, others[k].file))
            return slip_fail(ctx, SLIP_ERROR_IO, "%s holds no run in time but %s", folder, others[k].what);
    return SLIP_OK;
}

int slip_folder_check(slip_context *ctx, const char *folder)
{
    static const char *const needed[] = {"result.h5", "events.csv", "summary.json"};
    struct stat about;
    if (stat(folder, &about) != 0)
        return slip_fail_file(ctx, "cannot read the run folder", folder, errno);
    if (!S_ISDIR(about.st_mode))
        return slip_fail(ctx, SLIP_ERROR_IO, "%s is a file; expected a run folder", folder);
    if (!has_file(folder, needed[0]) && fail_other(ctx, folder) < 0)
        return SLIP_ERROR_IO;
    for (size_t k = 0; k < sizeof needed / sizeof needed[0]; k++)
        if (!has_file(folder, needed[k]))
            return slip_fail(ctx, SLIP_ERROR_IO,
                             "%s is not a complete run folder: there is no %s in it (expected result.h5, "
                             "events.csv and summary.json, as `slipstick run` writes them)",
                             folder, needed[k]);
    return SLIP_OK;
}

static int load_one(slip_h5 *h5, slip_context *ctx, slip_result *result, const char *path, const char *name,
                    int series)
{
    double *values = NULL;
    int64_t count = 0;
    int status = slip_h5_read(h5, name, &values, &count);
    if (status < 0)
        return status;
    if (series > 0 && count != result->count) {
        free(values);
        return slip_fail(ctx, SLIP_ERROR_IO, "cannot read %s: %s has %lld records where t has %lld", path,
                         name, (long long)count, (long long)result->count);
    }
    free(result->series[series]);
    result->series[series] = values;
    result->count = count;
    return SLIP_OK;
}

/* Which contacts are patches: those that have a spin. */
static int load_patches(slip_context *ctx, slip_h5 *h5, slip_result *result)
{
    int *patches = slip_alloc(result->contact_count, sizeof *patches), count = 0, status = SLIP_OK;
    slip_text name = {0};
    slip_arena arena = {0};
    if (!patches)
        return slip_fail_memory(ctx);
    for (int c = 0; c < result->contact_count; c++) {
        char **members;
        int member_count;
        slip_text_clear(&name);
        slip_text_printf(&name, "contact/%s", result->contact_names[c]);
        if (name.failed) {
            status = slip_fail_memory(ctx);
            goto done;
        }
        SLIP_TRY(slip_h5_list(h5, name.data, &arena, &members, &member_count));
        for (int k = 0; k < member_count; k++)
            if (strcmp(members[k], "spin") == 0)
                patches[count++] = c;
    }
    if (count > 0)
        SLIP_TRY(slip_result_add_patches(ctx, result, count, patches));
done:
    slip_text_free(&name);
    slip_arena_free(&arena);
    free(patches);
    return status;
}

static int load_series(slip_context *ctx, slip_h5 *h5, slip_result *result, const char *path)
{
    static const char *const groups[3] = {"q", "v", "a"};
    slip_text name = {0};
    int status;
    SLIP_TRY(load_one(h5, ctx, result, path, "t", 0));
    for (int k = 1; k < result->series_count; k++) {
        int i = (k - 1) / 3, c = (k - 1 - 3 * result->n) / 4, p = k - slip_series_patch(result, 0, 0);
        slip_text_clear(&name);
        if (i < result->n)
            slip_text_printf(&name, "%s/%s", groups[(k - 1) % 3], result->names[i]);
        else if (p < 0)
            slip_text_printf(&name, "contact/%s/%s", result->contact_names[c],
                             contact_parts[(k - 1 - 3 * result->n) % 4]);
        else
            slip_text_printf(&name, "contact/%s/%s", result->contact_names[result->patch_contacts[p / 6]],
                             slip_patch_parts[p % 6]);
        if (name.failed) {
            status = slip_fail_memory(ctx);
            goto done;
        }
        SLIP_TRY(load_one(h5, ctx, result, path, name.data, k));
    }
    /* The arrays are as long as the file's, whatever was reserved before. */
    result->capacity = result->count;
done:
    slip_text_free(&name);
    return status;
}

static int load_h5(slip_context *ctx, const char *folder, slip_result **result)
{
    char *path = slip_path_join(folder, "result.h5"), **names, **contacts;
    slip_arena arena = {0};
    slip_h5 *h5 = NULL;
    int n, contact_count, status;
    if (!path)
        return slip_fail_memory(ctx);
    SLIP_TRY(slip_h5_open(ctx, path, &h5));
    SLIP_TRY(slip_h5_list(h5, "q", &arena, &names, &n));
    SLIP_TRY(slip_h5_list(h5, "contact", &arena, &contacts, &contact_count));
    SLIP_TRY(slip_result_create(ctx, n, (const char *const *)names, contact_count,
                                (const char *const *)contacts, result));
    SLIP_TRY(slip_h5_read_text(h5, "/", "title", &(*result)->arena, &(*result)->title));
    SLIP_TRY(load_patches(ctx, h5, *result));
    SLIP_TRY(load_series(ctx, h5, *result, path));
done:
    slip_h5_close(h5);
    slip_arena_free(&arena);
    free(path);
    return status;
}

static int find_mode(const char *name)
{
    for (int mode = 0; mode < mode_count; mode++)
        if (strcmp(name, slip_mode_name((slip_mode)mode)) == 0)
            return mode;
    return -1;
}

/* False when the row is not an event of one of the result's contacts. */
static bool parse_event(const slip_result *result, char *const fields[4], slip_event *event)
{
    const char *end;
    int from = find_mode(fields[2]), to = find_mode(fields[3]), contact = 0;
    while (contact < result->contact_count && strcmp(result->contact_names[contact], fields[1]) != 0)
        contact++;
    if (from < 0 || to < 0 || contact == result->contact_count ||
        !slip_number_read(fields[0], &end, &event->time) || *end)
        return false;
    event->contact = contact;
    event->from = (slip_mode)from;
    event->to = (slip_mode)to;
    return true;
}

static int load_events(slip_context *ctx, const char *folder, slip_result *result)
{
    char *path = slip_path_join(folder, "events.csv"), *at, *fields[4];
    slip_text text = {0};
    int status, count;
    if (!path)
        return slip_fail_memory(ctx);
    SLIP_TRY(slip_file_read(ctx, path, largest_text, &text));
    at = text.data ? text.data : path + strlen(path);
    for (int64_t line = 1; (count = slip_csv_row(&at, fields, 4)) != 0; line++) {
        slip_event event;
        bool header = count == 4 && line == 1 && strcmp(fields[0], "time") == 0;
        if (header)
            continue;
        if (line == 1 || count != 4 || !parse_event(result, fields, &event)) {
            status = slip_fail(ctx, SLIP_ERROR_IO, "%s:%lld: expected %s", path, (long long)line,
                               line == 1 ? "the header time,contact,from,to"
                                         : "a time, a contact of this run, and two modes");
            goto done;
        }
        if (!slip_array_reserve(&result->events, &result->event_capacity, result->event_count + 1,
                                sizeof event)) {
            status = slip_fail_memory(ctx);
            goto done;
        }
        result->events[result->event_count++] = event;
    }
done:
    slip_text_free(&text);
    free(path);
    return status;
}

static int load_summary(slip_context *ctx, const char *folder, slip_result *result)
{
    char *path = slip_path_join(folder, "summary.json");
    slip_text text = {0};
    int status = path ? slip_file_read(ctx, path, largest_text, &text) : slip_fail_memory(ctx);
    if (status == SLIP_OK)
        status = slip_summary_read(ctx, result, path, text.data ? text.data : "", text.length);
    slip_text_free(&text);
    free(path);
    return status;
}

/* A run of a model built in C may have none. */
static int load_model_text(slip_context *ctx, const char *folder, slip_result *result)
{
    char *path = slip_path_join(folder, "model.yaml");
    slip_text text = {0};
    int status = path ? SLIP_OK : slip_fail_memory(ctx);
    if (path && access(path, F_OK) == 0)
        status = slip_file_read(ctx, path, largest_text, &text);
    if (status == SLIP_OK && text.data) {
        result->model_text = slip_arena_string_bytes(&result->arena, text.data, text.length);
        if (!result->model_text)
            status = slip_fail_memory(ctx);
    }
    slip_text_free(&text);
    free(path);
    return status;
}

int slip_result_load(slip_context *ctx, const char *folder, slip_result **result)
{
    if (result)
        *result = NULL;
    SLIP_NEED(ctx, folder, result);
    int status;
    SLIP_TRY(slip_folder_check(ctx, folder));
    SLIP_TRY(load_h5(ctx, folder, result));
    SLIP_TRY(load_events(ctx, folder, *result));
    SLIP_TRY(load_summary(ctx, folder, *result));
    SLIP_TRY(load_model_text(ctx, folder, *result));
done:
    if (status < 0) {
        slip_result_destroy(*result);
        *result = NULL;
    }
    return status;
}
