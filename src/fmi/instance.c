/* The life of an instance: made, initialised, ended. */
#include "fmi/instance.h"

#include "io/file.h"
#include "model/source.h"

#include <math.h>
#include <stdio.h>

const char *fmi3GetVersion(void)
{
    return "3.0";
}

/* ---- Telling. */

static void tell(const slip_fmi_instance *i, fmi3Status status, const char *message)
{
    if (i->log && i->logging)
        i->log(i->environment, status, status == fmi3Warning ? "logStatusWarning" : "logStatusError",
               message);
}

static void hear_log(void *user, slip_log_level level, const char *message)
{
    if (level == SLIP_LOG_WARNING)
        tell(user, fmi3Warning, message);
}

fmi3Status slip_fmi_status(slip_fmi_instance *i, int status)
{
    if (status >= 0)
        return fmi3OK;
    tell(i, fmi3Error, slip_context_message(i->ctx));
    return fmi3Error;
}

fmi3Status slip_fmi_refuse(slip_fmi_instance *i, const char *format, ...)
{
    char text[500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tell(i, fmi3Error, text);
    return fmi3Error;
}

slip_fmi_instance *slip_fmi_enter(fmi3Instance instance, unsigned phases, const char *function)
{
    slip_fmi_instance *i = instance;
    if (!i)
        return NULL;
    if (i->phase & phases)
        return i;
    slip_fmi_refuse(i, "%s: not allowed in this state of the unit", function);
    return NULL;
}

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t count,
                               const fmi3String categories[])
{
    slip_fmi_instance *i = slip_fmi_enter(instance, ~0u, __func__);
    (void)count; /* both categories go together */
    (void)categories;
    if (!i)
        return fmi3Error;
    i->logging = on;
    return fmi3OK;
}

/* ---- Making. */

static bool allocate(slip_fmi_instance *i)
{
    const slip_system *system = i->model->system;
    const int64_t n = system->n, contacts = system->contact_count + 1,
                  states = slip_fmi_state_count(&i->layout);
    double **const of_n[] = {&i->q, &i->v, &i->sample.q, &i->sample.v, &i->sample.a};
    double **const of_contacts[] = {&i->sample.slip, &i->sample.normal, &i->sample.force, &i->sample.mode};
    bool complete = true;
    for (int k = 0; k < 5; k++)
        complete = complete && (*of_n[k] = slip_arena_array(&i->arena, n, sizeof(double)));
    for (int k = 0; k < 4; k++)
        complete = complete && (*of_contacts[k] = slip_arena_array(&i->arena, contacts, sizeof(double)));
    i->sample.patches = slip_arena_array(&i->arena, system->patch_count + 1, sizeof *i->sample.patches);
    i->outputs = slip_arena_array(&i->arena, i->model->outputs.count + 1, sizeof(double));
    i->start = slip_arena_array(&i->arena, states + 1, sizeof(double));
    i->scratch = slip_arena_array(&i->arena, 6 * (states + 1) + 4 * n, sizeof(double));
    return complete && i->sample.patches && i->outputs && i->start && i->scratch &&
           slip_output_room_create(&i->room, &i->arena, &i->model->outputs);
}

/* The model from the resources; its token must be the one that the importer has read. */
static int load(slip_fmi_instance *i, const char *token, const char *resources)
{
    char own[slip_fmi_token_size];
    SLIP_FREED char *path = slip_path_join(resources, SLIP_FMI_MODEL);
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(i->ctx, path));
    SLIP_PASS(slip_file_read(i->ctx, path, slip_source_size_max, &text));
    slip_fmi_token(text.data ? text.data : "", own);
    if (strcmp(own, token) != 0) {
        status =
            slip_fail(i->ctx, SLIP_ERROR_USAGE,
                      "the instantiation token is %.60s, expected %s: %s and modelDescription.xml do not "
                      "belong together, or the binary is of another version",
                      token, own, path);
        return status;
    }
    return slip_model_load(i->ctx, path, &i->model);
}

static void forget_given(slip_fmi_instance *i)
{
    for (int k = 0; k < slip_fmi_state_count(&i->layout); k++)
        i->start[k] = NAN;
    i->start_time = i->stop_time = i->tolerance = NAN;
    i->phase = SLIP_FMI_INSTANTIATED;
}

static fmi3Instance instantiate(bool exchanges, const char *token, const char *resources, bool logging,
                                fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    slip_fmi_instance *i = slip_alloc(1, sizeof *i);
    if (!i)
        return NULL;
    *i = (slip_fmi_instance){.ctx = slip_context_create(),
                             .environment = environment,
                             .log = log,
                             .logging = true,
                             .exchanges = exchanges};
    int status = i->ctx ? SLIP_OK : SLIP_ERROR_MEMORY;
    SLIP_TRY(status);
    slip_context_set_log(i->ctx, hear_log, i);
    if (!token || !resources)
        SLIP_TRY(slip_fail(i->ctx, SLIP_ERROR_USAGE, "the %s is NULL",
                           token ? "path of the resources" : "instantiation token"));
    SLIP_TRY(load(i, token, resources));
    if (exchanges)
        SLIP_TRY(slip_exchange_check(i->ctx, i->model->system));
    SLIP_TRY(slip_allocated(i->ctx, slip_fmi_layout_make(i->model, &i->arena, &i->layout) && allocate(i)));
    SLIP_TRY(slip_values_create(i->ctx, i->model, &i->values));
    forget_given(i);
done:
    if (status < 0) {
        if (i->ctx)
            slip_fmi_status(i, status);
        fmi3FreeInstance(i);
        return NULL;
    }
    i->logging = logging;
    return i;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    (void)name; /* the importer identifies the instance by its environment */
    (void)visible;
    return instantiate(true, token, resources, logging, environment, log);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging,
                                         fmi3Boolean event_mode_used, fmi3Boolean early_return_allowed,
                                         const fmi3ValueReference intermediate[], size_t intermediate_count,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update)
{
    (void)name;
    (void)visible;
    (void)event_mode_used; /* none of these is offered by the description */
    (void)early_return_allowed;
    (void)intermediate;
    (void)intermediate_count;
    (void)update;
    return instantiate(false, token, resources, logging, environment, log);
}

static void stop(slip_fmi_instance *i)
{
    slip_exchange_close(i->exchange);
    slip_simulation_close(i->simulation);
    i->exchange = NULL;
    i->simulation = NULL;
    i->sampled = i->stale = false;
}

void fmi3FreeInstance(fmi3Instance instance)
{
    SLIP_FREED slip_fmi_instance *i = instance;
    if (!i)
        return;
    stop(i);
    slip_values_destroy(i->values);
    slip_model_destroy(i->model);
    slip_arena_free(&i->arena);
    slip_context_destroy(i->ctx);
}

fmi3Status fmi3Reset(fmi3Instance instance)
{
    slip_fmi_instance *i = slip_fmi_enter(instance, ~0u, __func__);
    if (!i)
        return fmi3Error;
    stop(i);
    slip_values_reset(i->values);
    forget_given(i);
    return fmi3OK;
}

/* ---- What moves. */

/* Sets the initial states given by the importer. */
static int set_start(slip_fmi_instance *i)
{
    const int n = i->layout.coordinates;
    double *q = i->scratch, *v = q + n, *z = v + n;
    bool given = false, given_states = false;
    slip_simulation_state(i->simulation, q, v);
    slip_simulation_states(i->simulation, z);
    for (int k = 0; k < slip_fmi_state_count(&i->layout); k++)
        if (!isnan(i->start[k])) {
            q[k] = i->start[k];
            *(k < 2 * n ? &given : &given_states) = true;
        }
    if (given)
        SLIP_PASS(
            slip_simulation_set_state(i->ctx, i->simulation, slip_simulation_time(i->simulation), q, v));
    if (given_states)
        SLIP_PASS(slip_simulation_set_states(i->ctx, i->simulation, z));
    return SLIP_OK;
}

/* The model with the numbers of i->values, in a simulation at its start. */
static int open_simulation(slip_fmi_instance *i)
{
    slip_simulation_options options = slip_simulation_options_default();
    options.start = i->start_time;
    options.tolerance = i->tolerance;
    slip_simulation_close(i->simulation);
    i->simulation = NULL;
    return slip_simulation_open(i->ctx, i->model, i->values, &options, &i->simulation);
}

static slip_method_options options_of(const slip_fmi_instance *i)
{
    const double end = !isnan(i->stop_time) ? i->stop_time : i->model->simulate.end;
    return (slip_method_options){.tolerance = isnan(i->tolerance) ? 1e-8 : i->tolerance,
                                 .span = end > i->t ? end - i->t : INFINITY};
}

static int open_motion(slip_fmi_instance *i)
{
    slip_exchange_close(i->exchange);
    i->exchange = NULL;
    i->sampled = i->stale = false;
    SLIP_PASS(open_simulation(i));
    SLIP_PASS(set_start(i));
    if (i->exchanges) {
        i->t = slip_simulation_time(i->simulation);
        slip_simulation_whole_state(i->simulation, i->q, i->v);
        const slip_method_options options = options_of(i);
        SLIP_PASS(slip_exchange_open(i->ctx, i->simulation->ready->system, &options, i->t, i->q, i->v,
                                     &i->exchange));
    }
    return SLIP_OK;
}

/* Finds new contact modes after a jump of belts or stops by parameters; sticking contacts go on sticking if
 * they can. */
static int change(slip_fmi_instance *i, const slip_system *from)
{
    const slip_system *to = i->simulation->ready->system;
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    slip_method_memory memory;
    slip_method_options options = options_of(i);
    slip_exchange *x = NULL;
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(i->ctx, slip_method_memory_make(&arena, to->contact_count, &memory)));
    slip_exchange_remember(i->exchange, &memory);
    SLIP_PASS(status = slip_change_contacts(i->ctx, &(slip_change){from, to, i->t, i->q, i->v, &memory}));
    options.memory = &memory;
    SLIP_PASS(status = slip_exchange_open(i->ctx, to, &options, i->t, i->q, i->v, &x));
    slip_exchange_close(i->exchange);
    i->exchange = x;
    slip_exchange_state(x, &i->t, i->q, i->v);
    return status;
}

/* Binds the exchange to the values in i->values. Between events contact modes stay. */
static int rebind(slip_fmi_instance *i)
{
    slip_simulation *before = i->simulation;
    int status;
    i->simulation = NULL;
    i->sampled = i->stale = false;
    SLIP_TRY(open_simulation(i));
    if (i->phase == SLIP_FMI_EVENT && !i->moves)
        SLIP_TRY(change(i, before->ready->system));
    else
        SLIP_TRY(slip_exchange_adopt(i->exchange, i->simulation->ready->system));
done:
    if (status < 0) { /* the exchange is still that of the old one */
        slip_simulation_close(i->simulation);
        i->simulation = before;
    } else {
        slip_simulation_close(before);
    }
    return status;
}

int slip_fmi_prepare(slip_fmi_instance *i)
{
    if (i->phase & (SLIP_FMI_INSTANTIATED | SLIP_FMI_INITIALIZATION))
        return i->simulation && !i->stale ? SLIP_OK : open_motion(i);
    if (!i->simulation)
        return slip_fail(i->ctx, SLIP_ERROR_USAGE, "the unit was not initialised");
    return i->exchanges && i->stale ? rebind(i) : SLIP_OK;
}

int slip_fmi_sample(slip_fmi_instance *i)
{
    const slip_fmi_layout *l = &i->layout;
    SLIP_PASS(slip_fmi_prepare(i));
    if (i->sampled)
        return SLIP_OK;
    SLIP_PASS(slip_exchange_sample(i->exchange, i->t, i->q, i->v, &i->sample));
    if (i->model->outputs.count > 0)
        slip_outputs_find(&i->simulation->ready->outputs, &i->room, l->coordinates, l->contacts, l->patches,
                          i->t, &i->sample, i->outputs);
    i->sampled = true;
    return SLIP_OK;
}

int slip_fmi_look(slip_fmi_instance *i, slip_exchange **x, double *q, double *v)
{
    const slip_system *system = i->simulation->ready->system;
    const int contacts = (int)system->contact_count;
    const slip_method_options options = options_of(i);
    slip_method_options recalling = options;
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    slip_method_memory memory;
    int status = slip_allocated(i->ctx, slip_method_memory_make(&arena, contacts, &memory));
    *x = NULL;
    SLIP_PASS(status);
    for (int c = 0; c < contacts; c++) {
        memory.modes[c] = slip_simulation_mode(i->simulation, system->contacts[c].name);
        memory.known[c] = true;
        memory.gaps[c] = NAN;
    }
    recalling.memory = &memory;
    slip_simulation_whole_state(i->simulation, q, v);
    SLIP_PASS(status = slip_exchange_check(i->ctx, system));
    return slip_exchange_open(i->ctx, system, &recalling, slip_simulation_time(i->simulation), q, v, x);
}

/* ---- The way through the phases. */

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean tolerance_defined,
                                       fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean stop_defined,
                                       fmi3Float64 stop_time)
{
    slip_fmi_instance *i = slip_fmi_enter(instance, SLIP_FMI_INSTANTIATED, __func__);
    if (!i)
        return fmi3Error;
    if (!isfinite(start) || (stop_defined && !(stop_time >= start)) ||
        (tolerance_defined && !(tolerance > 0)))
        return slip_fmi_refuse(
            i,
            "fmi3EnterInitializationMode: start %g, stop %g, tolerance %g: expected a start, a stop "
            "after it, a positive tolerance",
            start, stop_time, tolerance);
    i->start_time = start;
    i->stop_time = stop_defined ? stop_time : NAN;
    i->tolerance = tolerance_defined ? tolerance : NAN;
    i->stale = true;
    i->phase = SLIP_FMI_INITIALIZATION;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance)
{
    slip_fmi_instance *i = slip_fmi_enter(instance, SLIP_FMI_INITIALIZATION, __func__);
    if (!i)
        return fmi3Error;
    const fmi3Status status = slip_fmi_status(i, slip_fmi_prepare(i));
    if (status == fmi3OK)
        i->phase = i->exchanges ? SLIP_FMI_EVENT : SLIP_FMI_STEP;
    return status;
}

fmi3Status fmi3Terminate(fmi3Instance instance)
{
    slip_fmi_instance *i =
        slip_fmi_enter(instance, SLIP_FMI_EVENT | SLIP_FMI_CONTINUOUS | SLIP_FMI_STEP, __func__);
    if (!i)
        return fmi3Error;
    i->phase = SLIP_FMI_TERMINATED;
    return fmi3OK;
}
