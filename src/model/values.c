/* Numbers of a model's parameters for one run, and the model with these numbers. */
#include "base/text.h"
#include "model/read/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct slip_values {
    const slip_model *model;
    double *number; /* of each parameter: the number set, or that of its rule */
    bool *set;
};

int slip_values_create(slip_context *ctx, const slip_model *model, slip_values **result)
{
    SLIP_NEED_FOR(result, ctx, model);
    slip_values *values = slip_alloc(1, sizeof *values);
    SLIP_PASS(slip_allocated(ctx, values));
    values->model = model;
    values->number = slip_alloc(model->parameter_count, sizeof *values->number);
    values->set = slip_alloc(model->parameter_count, sizeof *values->set);
    if (!values->number || !values->set) {
        slip_values_destroy(values);
        return slip_fail_memory(ctx);
    }
    slip_values_reset(values);
    *result = values;
    return SLIP_OK;
}

void slip_values_destroy(slip_values *values)
{
    if (!values)
        return;
    free(values->number);
    free(values->set);
    free(values);
}

void slip_values_reset(slip_values *values)
{
    for (int64_t i = 0; values && i < values->model->parameter_count; i++) {
        values->number[i] = values->model->parameters[i].value;
        values->set[i] = values->model->parameter_set && values->model->parameter_set[i];
    }
}

int slip_values_copy(slip_context *ctx, const slip_values *from, slip_values **result)
{
    SLIP_NEED_FOR(result, ctx, from);
    const size_t count = (size_t)from->model->parameter_count;
    SLIP_PASS(slip_values_create(ctx, from->model, result));
    memcpy((*result)->number, from->number, count * sizeof *from->number);
    memcpy((*result)->set, from->set, count * sizeof *from->set);
    return SLIP_OK;
}

int slip_model_parameter(const slip_model *model, const char *name)
{
    for (int64_t i = 0; name && i < model->parameter_count; i++)
        if (strcmp(model->parameters[i].name, name) == 0)
            return (int)i;
    return -1;
}

int slip_model_fail_parameter(slip_context *ctx, const slip_model *model, const char *name)
{
    const char *nearest;
    SLIP_FREED const char **names = slip_alloc(model->parameter_count + 1, sizeof *names);
    SLIP_PASS(slip_allocated(ctx, names));
    for (int64_t i = 0; i < model->parameter_count; i++)
        names[i] = model->parameters[i].name;
    nearest = name ? slip_text_nearest(name, names) : NULL;
    return slip_fail(ctx, SLIP_ERROR_USAGE, "the model has no parameter `%.60s`%s%s%s", name ? name : "",
                     nearest ? "; did you mean `" : "", nearest ? nearest : "", nearest ? "`?" : "");
}

/* Evaluates the parameters with rules, with the numbers set so far. */
static int follow(slip_context *ctx, slip_values *values)
{
    const slip_model *model = values->model;
    const int first = slip_slot_parameter(model->system->n);
    SLIP_FREED double *slots = slip_alloc(first + model->parameter_count, sizeof *slots);
    int status = slots ? SLIP_OK : slip_fail_memory(ctx);
    for (int64_t i = 0; i < model->parameter_count && status >= 0; i++) {
        const slip_expression *rule = model->parameter_rules ? model->parameter_rules[i] : NULL;
        if (rule && !values->set[i]) {
            double *scratch = slip_alloc(slip_expression_scratch(rule), sizeof *scratch);
            if (scratch)
                values->number[i] = slip_expression_value(rule, slots, scratch);
            else
                status = slip_fail_memory(ctx);
            free(scratch);
        }
        slots[first + i] = values->number[i];
    }
    return status;
}

int slip_values_set(slip_context *ctx, slip_values *values, const char *name, double value)
{
    SLIP_NEED(ctx, values, name);
    int index = slip_model_parameter(values->model, name);
    if (index < 0)
        return slip_model_fail_parameter(ctx, values->model, name);
    if (!isfinite(value))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "parameter `%s` is %g, expected a finite number", name,
                         value);
    values->number[index] = value;
    values->set[index] = true;
    return follow(ctx, values);
}

double slip_values_number(const slip_values *values, const char *name)
{
    const int index = values ? slip_model_parameter(values->model, name) : -1;
    return index >= 0 ? values->number[index] : NAN;
}

bool slip_values_are_set(const slip_values *values, int index)
{
    return values->set[index];
}

double slip_values_at(const slip_values *values, int index)
{
    return values->number[index];
}

int slip_model_evaluate(slip_context *ctx, const slip_model *model, const char *what, const char *text,
                        double *value)
{
    SLIP_FREED slip_symbol *symbols = slip_alloc(model->parameter_count + 1, sizeof *symbols);
    SLIP_FREED_BY(slip_expression_drop) slip_expression *expression = NULL;
    slip_expression_error error;
    SLIP_FREED double *scratch = NULL;
    int status = symbols ? SLIP_OK : SLIP_ERROR_MEMORY;
    for (int64_t k = 0; symbols && k < model->parameter_count; k++)
        symbols[k] =
            (slip_symbol){.name = model->parameters[k].name, .slot = -1, .value = model->parameters[k].value};
    if (status >= 0)
        status = slip_expression_compile(text, symbols, &expression, &error);
    if (status >= 0)
        scratch = slip_alloc(slip_expression_scratch(expression) + 1, sizeof *scratch);
    if (scratch)
        *value = slip_expression_value(expression, NULL, scratch);
    if (status == SLIP_ERROR_MODEL)
        status = slip_fail(ctx, SLIP_ERROR_USAGE, "%s `%.100s`: at character %d: %s", what, text,
                           error.position + 1, error.message);
    else if (!scratch)
        status = slip_fail_memory(ctx);
    return status;
}
