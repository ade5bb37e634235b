/* Axes of studies, from text and in a model. */
#include "model/axis.h"

#include "io/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Text. */

static int fail_text(slip_context *ctx, const char *text)
{
    return slip_fail(
        ctx, SLIP_ERROR_USAGE,
        "found `%.100s`, expected NAME=FROM:TO:COUNT such as mu=0:1:51 (NAME=FROM:TO:COUNT:log for "
        "equal ratios) or a list, NAME=A,B,C",
        text);
}

/* Numbers with `separator` between them, at most `most`; where they end. */
static const char *read_numbers(const char *at, char separator, double *numbers, int64_t most, int64_t *count)
{
    *count = 0;
    while (*count < most && slip_number_read(at, &at, &numbers[*count])) {
        ++*count;
        if (*at != separator)
            break;
        at++;
    }
    return at;
}

static bool is_count(double number)
{
    return number >= 1 && number <= slip_axis_count_max && number == floor(number);
}

/* FROM:TO, FROM:TO:COUNT, FROM:TO:COUNT:log; *asked is COUNT, NAN where there is none. */
static bool read_range(const char *text, slip_axis *axis, double *asked)
{
    double numbers[3] = {0};
    int64_t count;
    const char *end = read_numbers(text, ':', numbers, 3, &count);
    axis->from = numbers[0];
    axis->to = numbers[1];
    *asked = count == 3 ? numbers[2] : NAN;
    if (count < 2 || (count == 3 && !is_count(*asked)))
        return false;
    axis->count = (int64_t)numbers[2];
    axis->logarithmic = count == 3 && strcmp(end, "log") == 0;
    return axis->logarithmic ? end[-1] == ':' : *end == 0 && end[-1] != ':';
}

static bool read_list(const char *text, double *list, slip_axis *axis)
{
    const char *end = read_numbers(text, ',', list, (int64_t)strlen(text), &axis->count);
    axis->list = list;
    if (axis->count == 0 || *end || end[-1] == ',')
        return false;
    axis->from = list[0];
    axis->to = list[axis->count - 1];
    return true;
}

int slip_axis_parse(slip_context *ctx, const char *text, slip_axis *axis)
{
    SLIP_NEED(ctx, text, axis);
    *axis = (slip_axis){0};
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return fail_text(ctx, text);
    char *name = slip_alloc(equals - text + 1, 1);
    double *list = strchr(equals, ':') ? NULL : slip_alloc((int64_t)strlen(equals), sizeof *list);
    axis->name = name;
    axis->list = list;
    if (!name || (!list && !strchr(equals, ':'))) {
        slip_axis_free(axis);
        return slip_fail_memory(ctx);
    }
    memcpy(name, text, (size_t)(equals - text));
    double asked = NAN;
    if (list ? read_list(equals + 1, list, axis) : read_range(equals + 1, axis, &asked))
        return SLIP_OK;
    slip_axis_free(axis);
    if (isnan(asked) || is_count(asked))
        return fail_text(ctx, text);
    return slip_fail(ctx, SLIP_ERROR_USAGE,
                     "found `%.100s`: COUNT is %g, expected a whole number from 1 to %d", text, asked,
                     slip_axis_count_max);
}

void slip_axis_free(slip_axis *axis)
{
    if (!axis)
        return;
    free((char *)axis->name);
    free((double *)axis->list);
    *axis = (slip_axis){0};
}

double slip_axis_value(const slip_axis *axis, int64_t index)
{
    if (!axis)
        return NAN;
    const double part = axis->count > 1 ? (double)index / (double)(axis->count - 1) : 0;
    if (axis->list)
        return axis->list[index];
    if (index == 0 || index == axis->count - 1)
        return index == 0 ? axis->from : axis->to;
    return axis->logarithmic ? axis->from * pow(axis->to / axis->from, part)
                             : axis->from + (axis->to - axis->from) * part;
}

/* ---- In a model. */

/* Names of initial values: x, x' of coordinates, then states. */
bool slip_axis_find_initial(const slip_system *system, const char *name, slip_axis_place *place)
{
    const int n = slip_system_coordinates(system);
    for (int i = 0; i < system->n; i++) {
        const size_t length = strlen(system->names[i]);
        if (strncmp(name, system->names[i], length) != 0)
            continue;
        if (!name[length] || (i < n && strcmp(name + length, "'") == 0)) {
            *place = (slip_axis_place){name[length] || i >= n ? SLIP_AXIS_V : SLIP_AXIS_Q, i};
            return true;
        }
    }
    return false;
}

static int find(slip_context *ctx, const slip_model *model, const char *name, slip_axis_place *place)
{
    const int parameter = slip_model_parameter(model, name);
    if (parameter >= 0) {
        *place = (slip_axis_place){SLIP_AXIS_PARAMETER, parameter};
        return SLIP_OK;
    }
    if (model->system && !slip_model_gear_run(model) && slip_axis_find_initial(model->system, name, place))
        return SLIP_OK;
    slip_model_fail_parameter(ctx, model, name);
    return slip_fail(ctx, SLIP_ERROR_USAGE,
                     "%s; nor is it an initial value: a coordinate x, its velocity x', "
                     "a state",
                     slip_context_message(ctx));
}

int slip_axis_check(slip_context *ctx, const slip_model *model, const slip_axis *axis, slip_axis_place *place)
{
    SLIP_PASS(axis->name ? SLIP_OK : slip_fail(ctx, SLIP_ERROR_USAGE, "an axis has no name"));
    SLIP_PASS(find(ctx, model, axis->name, place));
    if (axis->count < 1 || axis->count > slip_axis_count_max)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "%lld values of `%s`, expected 1 to %d",
                         (long long)axis->count, axis->name, slip_axis_count_max);
    for (int64_t k = 0; axis->list && k < axis->count; k++)
        if (!isfinite(axis->list[k]))
            return slip_fail(ctx, SLIP_ERROR_USAGE, "`%s` has the value %g, expected finite numbers",
                             axis->name, axis->list[k]);
    if (!axis->list && (!isfinite(axis->from) || !isfinite(axis->to)))
        return slip_fail(ctx, SLIP_ERROR_USAGE, "`%s` goes from %g to %g, expected finite numbers",
                         axis->name, axis->from, axis->to);
    if (!axis->list && axis->logarithmic && !(axis->from * axis->to > 0))
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "`%s` goes from %g to %g by equal ratios, expected two numbers of one sign",
                         axis->name, axis->from, axis->to);
    if (!axis->list && axis->count > 1 && axis->from == axis->to)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "the range of `%s` is empty: found %g:%g", axis->name,
                         axis->from, axis->to);
    return SLIP_OK;
}
