/* The result of two gears in motion: their series, numbers and participations as a result of the program. */
#include "result/gear_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { name_size = 200 };

/* ---- Series. */

/* Series with their groups in result.h5 and their units; the first ones are of each gear. */
static const struct series {
    const char *name, *group, *unit;
} known[] = {{"angle", "gear", "rad"},   {"speed", "gear", "rad/s"}, {"moment", "gear", "N m"},
             {"t", NULL, "s"},           {"force", "contact", "N"},  {"touching", "contact", NULL},
             {"depth", "contact", "m"},  {"kinetic", "energy", "J"}, {"strain", "energy", "J"},
             {"contact", "energy", "J"}, {"lost", "energy", "J"},    {"work", "energy", "J"},
             {"balance", "energy", "J"}};

/* "pinion.angle" is gear/pinion/angle, "force" contact/force. */
static slip_column_info column_of(const char *name, char place[name_size])
{
    const char *dot = strchr(name, '.'), *last = dot ? dot + 1 : name;
    slip_column_info info = {.name = name, .place = place};
    snprintf(place, name_size, "%.100s", name);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (strcmp(last, known[k].name) != 0)
            continue;
        info.unit = known[k].unit;
        if (known[k].group)
            snprintf(place, name_size, "%s/%.*s%s%.60s", known[k].group, (int)(dot ? dot - name : 0), name,
                     dot ? "/" : "", last);
    }
    return info;
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

/* Whose participation is recorded: a flank of each gear. */
static void write_flanks(slip_json_writer *json, const slip_gear_source *source)
{
    bool any = false;
    for (int i = 0; i < 2; i++)
        any = any || slip_gear_result_participation(source->result, i).amplitude;
    if (!any)
        return;
    slip_json_object(json, "participation");
    for (int i = 0; i < 2; i++) {
        const slip_gear_participation p = slip_gear_result_participation(source->result, i);
        if (p.amplitude)
            slip_json_integer(json, source->gears[i], p.surface);
    }
    slip_json_end_object(json);
}

static int write_summary(slip_context *ctx, const slip_gear_source *source, slip_text *text)
{
    slip_json_writer json = {.text = text};
    slip_json_object(&json, NULL);
    slip_json_string(&json, "method", source->method);
    slip_summary_write_ending(&json, source->status, source->message);
    write_numbers(&json, source->result, "", 0);
    write_flanks(&json, source);
    slip_json_end_object(&json);
    return text->failed ? slip_fail_memory(ctx) : SLIP_OK;
}

/* ---- The result. */

static int add_series(slip_context *ctx, const slip_gear_source *source, slip_result *result)
{
    slip_table *table = &result->main;
    int64_t count = 0;
    int status = SLIP_OK;
    slip_gear_result_series(source->result, "t", &count);
    for (int k = 0; k < slip_gear_result_series_count(source->result) && status >= 0; k++) {
        const char *name = slip_gear_result_series_name(source->result, k);
        char place[name_size];
        const slip_column_info info = column_of(name, place);
        status = slip_table_add(ctx, table, &info);
    }
    if (status >= 0 && !slip_table_reserve(table, count))
        status = slip_fail_memory(ctx);
    for (int k = 0; k < table->column_count && status >= 0; k++)
        memcpy(table->columns[k].values,
               slip_gear_result_series(source->result, table->columns[k].name, NULL),
               (size_t)count * sizeof(double));
    table->count = count;
    return status;
}

/* Amplitudes and which of them are switched on. A run that was interrupted may lack the last row: zeros. */
static int add_participation(slip_context *ctx, const slip_gear_source *source, slip_result *result, int gear)
{
    const slip_gear_participation p = slip_gear_result_participation(source->result, gear);
    const int64_t samples = result->main.count, count = samples * p.size;
    int status = SLIP_OK;
    for (int part = 0; part < 2 && p.amplitude && status >= 0; part++) {
        char place[name_size];
        double *values = slip_alloc(count, sizeof *values);
        if (!values)
            return slip_fail_memory(ctx);
        for (int64_t i = 0; i < count && i < p.samples * p.size; i++)
            values[i] = part == 0 ? p.amplitude[i] : p.active[i];
        snprintf(place, sizeof place, "participation/%.100s/%s", source->gears[gear],
                 part == 0 ? "amplitude" : "active");
        status = slip_result_add_array(
            ctx, result,
            &(slip_array){
                .place = place, .count = samples, .width = p.size, .small = part == 1, .values = values});
    }
    return status;
}

int slip_gear_result_convert(slip_context *ctx, const slip_gear_source *source, slip_result **result)
{
    int status;
    SLIP_TRY(slip_result_create(ctx, "gears", NULL, result));
    (*result)->method = source->method;
    SLIP_TRY(slip_result_describe(ctx, *result, source->title, source->model_text));
    SLIP_TRY(add_series(ctx, source, *result));
    for (int i = 0; i < 2; i++)
        SLIP_TRY(add_participation(ctx, source, *result, i));
    SLIP_TRY(write_summary(ctx, source, &(*result)->summary));
done:
    if (status < 0) {
        slip_result_destroy(*result);
        *result = NULL;
    }
    return status;
}
