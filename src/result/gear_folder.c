/* The run folder of two gears. What holds for run folders (folder.c) holds here too: all files take the place
 * of an earlier run's when they are on the disk, summary.json last. */
#include "result/gear_folder.h"

#include "io/file.h"
#include "io/hdf5.h"
#include "io/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { name_size = 200 };

/* ---- Names. */

/* Where a series is in the file: "pinion.angle" is gear/pinion/angle. */
static void series_path(const char *name, char path[name_size])
{
    static const struct {
        const char *name, *group;
    } groups[] = {{"force", "contact"},  {"touching", "contact"}, {"depth", "contact"},
                  {"kinetic", "energy"}, {"strain", "energy"},    {"contact", "energy"},
                  {"lost", "energy"},    {"work", "energy"},      {"balance", "energy"}};
    const char *dot = strchr(name, '.');
    if (dot) {
        snprintf(path, name_size, "gear/%.*s/%.60s", (int)(dot - name < 60 ? dot - name : 60), name, dot + 1);
        return;
    }
    snprintf(path, name_size, "%.60s", name);
    for (size_t k = 0; k < sizeof groups / sizeof groups[0]; k++)
        if (strcmp(name, groups[k].name) == 0)
            snprintf(path, name_size, "%s/%s", groups[k].group, name);
}

/* ---- Summary: numbers by their paths to objects in each other. */

/* Has a number before `index` the same first `length` characters, and so opened the object already? */
static bool is_opened(const slip_gear_result *result, int index, size_t length)
{
    const char *name = slip_gear_result_number_name(result, index);
    for (int k = 0; k < index; k++)
        if (strncmp(slip_gear_result_number_name(result, k), name, length) == 0)
            return true;
    return false;
}

/* All numbers whose names begin with the first `length` characters of `prefix`. */
static void write_numbers(slip_json_writer *json, const slip_gear_result *result, const char *prefix,
                          size_t length)
{
    for (int k = 0; k < slip_gear_result_number_count(result); k++) {
        const char *name = slip_gear_result_number_name(result, k), *rest = name + length;
        const char *dot;
        char key[name_size];
        if (strncmp(name, prefix, length) != 0)
            continue;
        dot = strchr(rest, '.');
        if (!dot) {
            slip_json_number(json, rest, slip_gear_result_number(result, name));
        } else if (!is_opened(result, k, (size_t)(dot + 1 - name))) {
            snprintf(key, sizeof key, "%.*s", (int)(dot - rest), rest);
            slip_json_object(json, key);
            write_numbers(json, result, name, (size_t)(dot + 1 - name));
            slip_json_end_object(json);
        }
    }
}

static int save_summary(slip_context *ctx, const slip_gear_source *source, const char *folder)
{
    slip_text text = {0};
    slip_json_writer json = {.text = &text};
    int status;
    slip_json_object(&json, NULL);
    slip_json_string(&json, "method", source->method);
    slip_summary_write_ending(&json, source->status, source->message);
    write_numbers(&json, source->result, "", 0);
    slip_json_end_object(&json);
    status = text.failed ? slip_fail_memory(ctx) : slip_folder_write(ctx, folder, "summary.json", text.data);
    slip_text_free(&text);
    return status;
}

/* ---- Saving. */

static int save_series(slip_h5 *h5, const slip_gear_result *result)
{
    int status = SLIP_OK;
    for (int k = 0; k < slip_gear_result_series_count(result) && status >= 0; k++) {
        const char *name = slip_gear_result_series_name(result, k);
        char path[name_size];
        int64_t count = 0;
        const double *values = slip_gear_result_series(result, name, &count);
        series_path(name, path);
        status = slip_h5_write(h5, path, values, count);
    }
    return status;
}

static int save_number(slip_h5 *h5, const char *object, const char *name, int value)
{
    char text[20];
    snprintf(text, sizeof text, "%d", value);
    return slip_h5_write_text(h5, object, name, text);
}

/* A run that was interrupted may lack the last row: zeros. */
static int save_participation(slip_context *ctx, slip_h5 *h5, const slip_gear_source *source, int gear)
{
    const slip_gear_participation p = slip_gear_result_participation(source->result, gear);
    int64_t samples = 0, count;
    double *values = NULL;
    char path[name_size];
    int status = SLIP_OK;
    if (!p.amplitude)
        return SLIP_OK;
    slip_gear_result_series(source->result, "t", &samples);
    count = samples * p.size;
    values = slip_alloc(count, sizeof *values);
    if (!values)
        return slip_fail_memory(ctx);
    for (int64_t i = 0; i < count && i < p.samples * p.size; i++)
        values[i] = p.active[i];
    snprintf(path, sizeof path, "participation/%.60s/active", source->gears[gear]);
    SLIP_TRY(slip_h5_write_small(h5, path, values, count));
    for (int64_t i = 0; i < count && i < p.samples * p.size; i++)
        values[i] = p.amplitude[i];
    snprintf(path, sizeof path, "participation/%.60s/amplitude", source->gears[gear]);
    SLIP_TRY(slip_h5_write(h5, path, values, count));
    SLIP_TRY(save_number(h5, path, "size", p.size));
    SLIP_TRY(save_number(h5, path, "surface", p.surface));
done:
    free(values);
    return status;
}

static int save_names(slip_context *ctx, slip_h5 *h5, const slip_gear_source *source)
{
    slip_text names = {0};
    int status;
    for (int k = 0; k < slip_gear_result_series_count(source->result); k++)
        slip_text_printf(&names, "%s%s", k > 0 ? " " : "", slip_gear_result_series_name(source->result, k));
    status = names.failed ? slip_fail_memory(ctx)
                          : slip_h5_write_text(h5, "/", "series", names.data ? names.data : "");
    slip_text_clear(&names);
    slip_text_printf(&names, "%s %s", source->gears[0], source->gears[1]);
    if (status >= 0)
        status = names.failed ? slip_fail_memory(ctx) : slip_h5_write_text(h5, "/", "gears", names.data);
    slip_text_free(&names);
    return status;
}

static int save_h5(slip_context *ctx, const slip_gear_source *source, const char *folder)
{
    char *path = slip_path_join(folder, "result.h5");
    slip_h5 *h5 = NULL;
    int status;
    if (!path)
        return slip_fail_memory(ctx);
    SLIP_TRY(slip_h5_create(ctx, path, &h5));
    SLIP_TRY(slip_h5_write_text(h5, "/", "slipstick", slip_version()));
    SLIP_TRY(slip_h5_write_text(h5, "/", "method", source->method));
    SLIP_TRY(slip_h5_write_text(h5, "/", "title", source->title ? source->title : ""));
    SLIP_TRY(save_names(ctx, h5, source));
    SLIP_TRY(save_series(h5, source->result));
    for (int i = 0; i < 2; i++)
        SLIP_TRY(save_participation(ctx, h5, source, i));
    status = slip_h5_commit(h5);
    h5 = NULL;
done:
    slip_h5_close(h5);
    free(path);
    return status;
}

int slip_gear_folder_save(slip_context *ctx, const slip_gear_source *source, const char *folder)
{
    slip_staging staging = {0};
    int status;
    SLIP_TRY(slip_staging_begin(ctx, folder, "run", &staging));
    if (source->model_text)
        SLIP_TRY(slip_folder_write(ctx, staging.work, "model.yaml", source->model_text));
    SLIP_TRY(save_h5(ctx, source, staging.work));
    SLIP_TRY(save_summary(ctx, source, staging.work));
    SLIP_TRY(slip_folder_publish(ctx, &staging));
done:
    return slip_staging_end(ctx, &staging, status);
}

/* ---- Loading. */

/* The words of a text in place; at most `limit` of them. */
static int split(char *text, char **words, int limit)
{
    int count = 0;
    for (char *at = text; count < limit && *at;) {
        const size_t length = strcspn(at, " ");
        words[count++] = at;
        at += length;
        if (*at)
            *at++ = '\0';
    }
    return count;
}

static int count_words(const char *text)
{
    int count = *text != 0;
    for (; *text; text++)
        count += *text == ' ';
    return count;
}

static int load_names(slip_context *ctx, slip_h5 *h5, const char *path, slip_gear_folder *to)
{
    char *gears, *series;
    int status;
    SLIP_TRY(slip_h5_read_text(h5, "/", "title", &to->arena, &to->title));
    SLIP_TRY(slip_h5_read_text(h5, "/", "gears", &to->arena, &gears));
    SLIP_TRY(slip_h5_read_text(h5, "/", "series", &to->arena, &series));
    if (!gears || !series || split(gears, to->gears, 2) != 2 || strncmp(series, "t", 1) != 0) {
        status = slip_fail(ctx, SLIP_ERROR_IO,
                           "cannot read %s: expected the attributes `gears` (two names) and `series`", path);
        goto done;
    }
    to->series_count = count_words(series);
    to->names = slip_arena_array(&to->arena, to->series_count, sizeof *to->names);
    to->series = slip_arena_array(&to->arena, to->series_count, sizeof *to->series);
    if (!to->names || !to->series)
        status = slip_fail_memory(ctx);
    else
        to->series_count = split(series, to->names, to->series_count);
done:
    return status;
}

static int load_one(slip_context *ctx, slip_h5 *h5, const char *path, slip_gear_folder *to, int index)
{
    char name[name_size];
    int64_t count;
    int status;
    series_path(to->names[index], name);
    status = slip_h5_read(h5, name, &to->series[index], &count);
    if (status < 0)
        return status;
    if (index > 0 && count != to->count)
        return slip_fail(ctx, SLIP_ERROR_IO, "cannot read %s: %s has %lld records where t has %lld", path,
                         name, (long long)count, (long long)to->count);
    to->count = count;
    return SLIP_OK;
}

static int load_participation(slip_context *ctx, slip_h5 *h5, const char *path, slip_gear_folder *to,
                              int gear)
{
    char group[name_size], name[name_size + 20], **members, *size;
    int64_t count;
    int member_count, status;
    snprintf(group, sizeof group, "participation/%.60s", to->gears[gear]);
    snprintf(name, sizeof name, "%s/amplitude", group);
    SLIP_TRY(slip_h5_list(h5, group, &to->arena, &members, &member_count));
    if (member_count == 0)
        return SLIP_OK;
    SLIP_TRY(slip_h5_read_text(h5, name, "size", &to->arena, &size));
    SLIP_TRY(slip_h5_read(h5, name, &to->participation[gear].amplitude, &count));
    to->participation[gear].size = size ? (int)strtol(size, NULL, 10) : 0;
    if (to->participation[gear].size < 1 || count != to->count * to->participation[gear].size)
        status = slip_fail(ctx, SLIP_ERROR_IO,
                           "cannot read %s: %s has %lld numbers, expected %lld samples of `size`", path, name,
                           (long long)count, (long long)to->count);
done:
    return status;
}

/* A run that is being written has no summary yet. */
static int check_summary(slip_context *ctx, const char *folder)
{
    char *path = slip_path_join(folder, "summary.json");
    struct stat about;
    const bool missing = path && stat(path, &about) != 0;
    free(path);
    if (!path)
        return slip_fail_memory(ctx);
    return missing ? slip_fail(ctx, SLIP_ERROR_IO,
                               "%s is not a complete run folder: there is no summary.json in it", folder)
                   : SLIP_OK;
}

int slip_gear_folder_load(slip_context *ctx, const char *folder, slip_gear_folder *to)
{
    char *path = slip_path_join(folder, "result.h5");
    slip_h5 *h5 = NULL;
    int status;
    if (!path)
        return slip_fail_memory(ctx);
    SLIP_TRY(check_summary(ctx, folder));
    SLIP_TRY(slip_h5_open(ctx, path, &h5));
    SLIP_TRY(load_names(ctx, h5, path, to));
    for (int k = 0; k < to->series_count; k++)
        SLIP_TRY(load_one(ctx, h5, path, to, k));
    for (int i = 0; i < 2; i++)
        SLIP_TRY(load_participation(ctx, h5, path, to, i));
done:
    slip_h5_close(h5);
    free(path);
    return status;
}

void slip_gear_folder_free(slip_gear_folder *folder)
{
    for (int k = 0; folder->series && k < folder->series_count; k++)
        free(folder->series[k]);
    for (int i = 0; i < 2; i++)
        free(folder->participation[i].amplitude);
    slip_arena_free(&folder->arena);
    *folder = (slip_gear_folder){0};
}

bool slip_gear_folder_is(const char *folder)
{
    slip_context *quiet = slip_context_create();
    char *path = slip_path_join(folder, "result.h5"), *gears = NULL;
    slip_arena arena = {0};
    slip_h5 *h5 = NULL;
    struct stat about;
    if (quiet && path && stat(path, &about) == 0 && slip_h5_open(quiet, path, &h5) >= 0)
        slip_h5_read_text(h5, "/", "gears", &arena, &gears);
    const bool found = gears != NULL;
    slip_h5_close(h5);
    slip_arena_free(&arena);
    free(path);
    slip_context_destroy(quiet);
    return found;
}

const double *slip_gear_folder_series(const slip_gear_folder *folder, const char *name)
{
    for (int k = 0; k < folder->series_count; k++)
        if (strcmp(folder->names[k], name) == 0)
            return folder->series[k];
    return NULL;
}
