/* Values of variables, and derivatives between variables. */
#include "fmi/instance.h"
#include "math/vector.h"

#include <math.h>

/* ---- Getting. */

/* A series of model exchange, sampled. */
static double series(const slip_fmi_instance *i, int k)
{
    const slip_fmi_layout *l = &i->layout;
    if (k < l->first_contact)
        return (k - 1) % 3 == 0   ? i->q[(k - 1) / 3]
               : (k - 1) % 3 == 1 ? i->v[(k - 1) / 3]
                                  : i->sample.a[(k - 1) / 3];
    if (k < l->first_patch) {
        const double *const parts[] = {i->sample.slip, i->sample.normal, i->sample.force, i->sample.mode};
        return parts[(k - l->first_contact) % 4][(k - l->first_contact) / 4];
    }
    if (k < l->first_state) {
        const slip_patch_state *patch = &i->sample.patches[(k - l->first_patch) / 6];
        const int part = (k - l->first_patch) % 6;
        return part < 3 ? patch->slip[part] : patch->force[part - 3];
    }
    return i->outputs[k - l->first_state];
}

/* In co-simulation: a rate of a state, or an event indicator, from a model exchange at the present state. */
static int look(slip_fmi_instance *i, int reference, double *value)
{
    const slip_fmi_layout *l = &i->layout;
    const int n = i->model->system->n, k = reference - l->first_indicator;
    SLIP_FREED_BY(slip_exchange_drop) slip_exchange *x = NULL;
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    double *q = slip_arena_array(&arena, 3 * (int64_t)n + 1, sizeof *q), *v = q + n, *a = v + n, *indicators;
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(i->ctx, q));
    SLIP_PASS(slip_fmi_look(i, &x, q, v));
    const double t = slip_simulation_time(i->simulation);
    if (reference < l->first_parameter) {
        SLIP_PASS(status = slip_exchange_rates(x, t, q, v, a));
        *value = a[l->coordinates + reference - l->first_rate];
    } else {
        indicators = slip_arena_array(&arena, slip_exchange_indicator_count(x) + 1, sizeof *indicators);
        SLIP_PASS(slip_allocated(i->ctx, indicators));
        SLIP_PASS(status = slip_exchange_indicators(x, t, q, v, indicators));
        *value = k < slip_exchange_indicator_count(x) ? indicators[k] : NAN;
    }
    return status;
}

static int exchange_number(slip_fmi_instance *i, int reference, double *value)
{
    const slip_fmi_layout *l = &i->layout;
    int status = SLIP_OK;
    SLIP_PASS(slip_fmi_sample(i));
    if (reference < l->first_rate) {
        *value = reference == 0 ? i->t : series(i, reference);
    } else if (reference < l->first_parameter) {
        *value = i->sample.a[l->coordinates + reference - l->first_rate];
    } else {
        const int k = reference - l->first_indicator, count = slip_exchange_indicator_count(i->exchange);
        slip_arena arena = {0};
        double *indicators = k < count ? slip_arena_array(&arena, count, sizeof *indicators) : NULL;
        status = indicators ? slip_exchange_indicators(i->exchange, i->t, i->q, i->v, indicators)
                            : slip_fail(i->ctx, SLIP_ERROR_USAGE, "no variable has the value reference %d",
                                        reference);
        *value = status >= 0 ? indicators[k] : NAN;
        slip_arena_free(&arena);
    }
    return status;
}

/* The value of any variable except parameters. */
static int find_number(slip_fmi_instance *i, int reference, double *value)
{
    const slip_fmi_layout *l = &i->layout;
    if (i->exchanges)
        return exchange_number(i, reference, value);
    SLIP_PASS(slip_fmi_prepare(i));
    if (reference >= l->first_rate)
        return look(i, reference, value);
    *value = slip_simulation_number(i->simulation, i->layout.names[reference]);
    return SLIP_OK;
}

static int get(slip_fmi_instance *i, fmi3ValueReference reference, double *value)
{
    const slip_fmi_layout *l = &i->layout;
    if (reference > 1000000u)
        return slip_fail(i->ctx, SLIP_ERROR_USAGE, "no variable has the value reference %u",
                         (unsigned)reference);
    const int k = (int)reference, state = slip_fmi_state_of(l, k);
    if (k >= l->first_parameter && k < l->first_indicator) {
        *value = slip_values_at(i->values, k - l->first_parameter);
        return SLIP_OK;
    }
    if (i->phase & (SLIP_FMI_INSTANTIATED | SLIP_FMI_INITIALIZATION) && state >= 0 &&
        !isnan(i->start[state])) {
        *value = i->start[state];
        return SLIP_OK;
    }
    return find_number(i, k, value);
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                          fmi3Float64 values[], size_t value_count)
{
    slip_fmi_instance *i = slip_fmi_enter(instance, ~0u, __func__);
    int status = SLIP_OK;
    if (!i)
        return fmi3Error;
    if (count != value_count)
        return slip_fmi_refuse(i, "fmi3GetFloat64: %zu variables and room for %zu numbers", count,
                               value_count);
    for (size_t k = 0; k < count && status >= 0; k++)
        status = slip_fmi_is_mode(&i->layout, (int)references[k])
                     ? slip_fail(i->ctx, SLIP_ERROR_USAGE, "fmi3GetFloat64: variable %u is an enumeration",
                                 (unsigned)references[k])
                     : get(i, references[k], &values[k]);
    return slip_fmi_status(i, status);
}

fmi3Status fmi3GetInt64(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                        fmi3Int64 values[], size_t value_count)
{
    slip_fmi_instance *i = slip_fmi_enter(instance, ~0u, __func__);
    double mode = 0;
    int status = SLIP_OK;
    if (!i)
        return fmi3Error;
    if (count != value_count)
        return slip_fmi_refuse(i, "fmi3GetInt64: %zu variables and room for %zu numbers", count, value_count);
    for (size_t k = 0; k < count && status >= 0; k++) {
        status = slip_fmi_is_mode(&i->layout, (int)references[k])
                     ? get(i, references[k], &mode)
                     : slip_fail(i->ctx, SLIP_ERROR_USAGE, "fmi3GetInt64: variable %u is no enumeration",
                                 (unsigned)references[k]);
        values[k] = (fmi3Int64)mode;
    }
    return slip_fmi_status(i, status);
}

/* ---- Setting. */

static int set_parameter(slip_fmi_instance *i, int index, double value)
{
    const char *name = i->model->parameters[index].name;
    if (slip_values_at(i->values, index) == value)
        return SLIP_OK;
    SLIP_PASS(slip_values_set(i->ctx, i->values, name, value));
    if (i->phase == SLIP_FMI_STEP)
        SLIP_PASS(slip_simulation_input(i->simulation, name, value));
    i->stale = true;
    i->sampled = false;
    return SLIP_OK;
}

static int set(slip_fmi_instance *i, fmi3ValueReference reference, double value)
{
    const slip_fmi_layout *l = &i->layout;
    const int k = reference < 1000000u ? (int)reference : -1, state = slip_fmi_state_of(l, k);
    if (k >= l->first_parameter && k < l->first_indicator)
        return set_parameter(i, k - l->first_parameter, value);
    if (state < 0 || !(i->phase & (SLIP_FMI_INSTANTIATED | SLIP_FMI_INITIALIZATION)))
        return slip_fail(
            i->ctx, SLIP_ERROR_USAGE,
            "variable %u cannot be set now: parameters and inputs can, and states before the start",
            (unsigned)reference);
    if (!isfinite(value))
        return slip_fail(i->ctx, SLIP_ERROR_USAGE, "`%s` is not finite, expected a number", l->names[k]);
    i->start[state] = value;
    i->stale = true;
    return SLIP_OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                          const fmi3Float64 values[], size_t value_count)
{
    slip_fmi_instance *i = slip_fmi_enter(instance, ~(unsigned)SLIP_FMI_TERMINATED, __func__);
    int status = SLIP_OK;
    if (!i)
        return fmi3Error;
    if (count != value_count)
        return slip_fmi_refuse(i, "fmi3SetFloat64: %zu variables and %zu numbers", count, value_count);
    for (size_t k = 0; k < count && status >= 0; k++)
        status = set(i, references[k], values[k]);
    return slip_fmi_status(i, status);
}

/* ---- Directional derivatives. */

/* A directional derivative: the changes of the knowns. */
typedef struct direction {
    slip_fmi_instance *i;
    const fmi3ValueReference *knowns;
    const double *seed;
    size_t count;
    double *q, *v;     /* where the exchange is */
    double *parameter; /* numbers of the knowns that are parameters */
    bool bound;        /* some are */
} direction;

static int move_to(const direction *d, double distance)
{
    slip_fmi_instance *i = d->i;
    const slip_fmi_layout *l = &i->layout;
    const size_t size = (size_t)i->model->system->n * sizeof(double);
    memcpy(i->q, d->q, size);
    memcpy(i->v, d->v, size);
    i->sampled = false;
    for (size_t k = 0; k < d->count; k++) {
        const int reference = (int)d->knowns[k], state = slip_fmi_state_of(l, reference);
        const double by = distance * d->seed[k];
        if (state >= 0) {
            *(state < l->coordinates ? &i->q[state] : &i->v[state - l->coordinates]) += by;
        } else {
            SLIP_PASS(set_parameter(i, reference - l->first_parameter, d->parameter[k] + by));
        }
    }
    return SLIP_OK;
}

/* The size to which the shift of a number of the state is relative: its own or, where that is close to zero,
 * that of the largest one in the list. */
static double size_of(int n, const double *list, int k)
{
    double largest = slip_largest(n, list);
    return largest > 0 ? fmax(fabs(list[k]), 1e-3 * largest) : 1;
}

/* The shift of the knowns: errors of the difference quotients grow with its fourth power. */
static double distance_of(const direction *d)
{
    const slip_fmi_layout *l = &d->i->layout;
    const int n = d->i->model->system->n;
    double distance = INFINITY;
    for (size_t k = 0; k < d->count; k++) {
        const int state = slip_fmi_state_of(l, (int)d->knowns[k]);
        const double size = state < 0                ? (d->parameter[k] != 0 ? fabs(d->parameter[k]) : 1)
                            : state < l->coordinates ? size_of(n, d->q, state)
                                                     : size_of(n, d->v, state - l->coordinates);
        if (d->seed[k] != 0)
            distance = fmin(distance, 1e-4 * size / fabs(d->seed[k]));
    }
    return isfinite(distance) ? distance : 1;
}

/* Derivatives of accelerations, and of the rates of states, by the state, from the equations of motion. */
static int exact(const direction *d, double *rates)
{
    slip_fmi_instance *i = d->i;
    const slip_fmi_layout *l = &i->layout;
    const int n = i->model->system->n, c = l->coordinates;
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    double *matrix = slip_arena_array(&arena, 2 * (int64_t)n * n + 2 * n, sizeof *matrix),
           *size = matrix + 2 * n * n;
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(i->ctx, matrix));
    for (int k = 0; k < n; k++) {
        size[k] = size_of(n, d->q, k);
        size[n + k] = size_of(n, d->v, k);
    }
    SLIP_PASS(status = slip_exchange_variation(i->exchange, i->t, d->q, d->v, size, matrix));
    for (int row = 0; row < n; row++) {
        rates[row] = 0;
        for (size_t k = 0; k < d->count; k++) {
            const int state = slip_fmi_state_of(l, (int)d->knowns[k]),
                      column = state < c ? state : n + state - c;
            rates[row] += matrix[row * 2 * n + column] * d->seed[k];
        }
    }
    return status;
}

/* The place among accelerations and rates of states, or -1. */
static int rate_of(const slip_fmi_layout *l, int reference)
{
    if (reference >= l->first_rate && reference < l->first_parameter)
        return l->coordinates + reference - l->first_rate;
    return reference > 0 && reference < l->first_contact && (reference - 1) % 3 == 2 ? (reference - 1) / 3
                                                                                     : -1;
}

static int differentiate(direction *d, const fmi3ValueReference unknowns[], size_t count, double *sensitivity)
{
    static const double places[] = {-2, -1, 1, 2}, weights[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    slip_fmi_instance *i = d->i;
    const double step = distance_of(d);
    bool needed = d->bound;
    for (size_t k = 0; k < count; k++) {
        sensitivity[k] = 0;
        needed = needed || rate_of(&i->layout, (int)unknowns[k]) < 0;
    }
    for (int place = 0; place < 4 && needed; place++) {
        SLIP_PASS(move_to(d, places[place] * step));
        for (size_t k = 0; k < count; k++) {
            double value;
            SLIP_PASS(exchange_number(i, (int)unknowns[k], &value));
            sensitivity[k] += weights[place] / step * value;
        }
    }
    if (!d->bound) {
        SLIP_PASS(exact(d, i->scratch));
        for (size_t k = 0; k < count; k++)
            if (rate_of(&i->layout, (int)unknowns[k]) >= 0)
                sensitivity[k] = i->scratch[rate_of(&i->layout, (int)unknowns[k])];
    }
    return SLIP_OK;
}

/* Checks knowns (states and parameters) and unknowns (computed variables). Before the start, parameters
 * change the initial state too, and are refused as knowns. */
static bool may_ask(direction *d, const fmi3ValueReference unknowns[], size_t count)
{
    const slip_fmi_layout *l = &d->i->layout;
    for (size_t k = 0; k < d->count; k++) {
        const int reference = d->knowns[k] < 1000000u ? (int)d->knowns[k] : -1;
        const bool parameter = reference >= l->first_parameter && reference < l->first_indicator;
        if (!parameter && slip_fmi_state_of(l, reference) < 0)
            return false;
        d->bound = d->bound || parameter;
        d->parameter[k] = parameter ? slip_values_at(d->i->values, reference - l->first_parameter) : 0;
    }
    for (size_t k = 0; k < count; k++)
        if (unknowns[k] >= 1000000u || slip_fmi_is_mode(l, (int)unknowns[k]) || unknowns[k] == 0 ||
            ((int)unknowns[k] >= l->first_parameter && (int)unknowns[k] < l->first_indicator))
            return false;
    return !(d->bound && d->i->phase == SLIP_FMI_INITIALIZATION);
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                        size_t unknown_count, const fmi3ValueReference knowns[],
                                        size_t known_count, const fmi3Float64 seed[], size_t seed_count,
                                        fmi3Float64 sensitivity[], size_t sensitivity_count)
{
    slip_fmi_instance *i =
        slip_fmi_enter(instance, SLIP_FMI_INITIALIZATION | SLIP_FMI_EVENT | SLIP_FMI_CONTINUOUS, __func__);
    slip_arena arena = {0};
    int status, back;
    if (!i)
        return fmi3Error;
    if (!i->exchanges || seed_count != known_count || sensitivity_count != unknown_count)
        return slip_fmi_refuse(
            i, "fmi3GetDirectionalDerivative: expected model exchange, a seed for each known, room for "
               "each unknown");
    const int64_t n = i->model->system->n;
    direction d = {.i = i, .knowns = knowns, .seed = seed, .count = known_count};
    d.q = slip_arena_array(&arena, 2 * n + (int64_t)known_count + 1, sizeof *d.q);
    SLIP_TRY(slip_allocated(i->ctx, d.q));
    d.v = d.q + n;
    d.parameter = d.v + n;
    SLIP_TRY(slip_fmi_prepare(i));
    memcpy(d.q, i->q, (size_t)n * sizeof *d.q);
    memcpy(d.v, i->v, (size_t)n * sizeof *d.v);
    if (!may_ask(&d, unknowns, unknown_count)) {
        slip_arena_free(&arena);
        return slip_fmi_refuse(
            i, "fmi3GetDirectionalDerivative: knowns are states, parameters and inputs; unknowns what "
               "is computed from them");
    }
    i->moves = true;
    status = differentiate(&d, unknowns, unknown_count, sensitivity);
    back = move_to(&d, 0);
    back = back < 0 ? back : slip_fmi_prepare(i);
    i->moves = false;
    status = status < 0 ? status : back;
done:
    slip_arena_free(&arena);
    return slip_fmi_status(i, status);
}
