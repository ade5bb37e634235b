/* Model exchange: the importer integrates. */
#include "fmi/instance.h"

#include <math.h>

static slip_fmi_instance *enter(fmi3Instance instance, unsigned phases, const char *function)
{
    slip_fmi_instance *i = slip_fmi_enter(instance, phases, function);
    if (i && !i->exchanges) {
        slip_fmi_refuse(i, "%s: the unit was instantiated for co-simulation", function);
        return NULL;
    }
    return i;
}

/* Whether a vector has the count of continuous states; else an error. */
static bool fits(slip_fmi_instance *i, size_t count, const char *function)
{
    if (count == (size_t)slip_fmi_state_count(&i->layout))
        return true;
    slip_fmi_refuse(i, "%s: found room for %zu numbers, expected %d", function, count,
                    slip_fmi_state_count(&i->layout));
    return false;
}

enum { looking = SLIP_FMI_INITIALIZATION | SLIP_FMI_EVENT | SLIP_FMI_CONTINUOUS | SLIP_FMI_TERMINATED };

fmi3Status fmi3EnterEventMode(fmi3Instance instance)
{
    slip_fmi_instance *i = enter(instance, SLIP_FMI_CONTINUOUS, __func__);
    if (!i)
        return fmi3Error;
    i->phase = SLIP_FMI_EVENT;
    return fmi3OK;
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance)
{
    slip_fmi_instance *i = enter(instance, SLIP_FMI_EVENT, __func__);
    if (!i)
        return fmi3Error;
    i->phase = SLIP_FMI_CONTINUOUS;
    return slip_fmi_status(i, slip_fmi_prepare(i));
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *need_update, fmi3Boolean *terminate,
                                    fmi3Boolean *nominals_changed, fmi3Boolean *values_changed,
                                    fmi3Boolean *next_time_defined, fmi3Float64 *next_time)
{
    slip_fmi_instance *i = enter(instance, SLIP_FMI_EVENT, __func__);
    int status;
    if (!i)
        return fmi3Error;
    const size_t size = (size_t)i->model->system->n * sizeof(double);
    *need_update = *terminate = *nominals_changed = *values_changed = *next_time_defined = false;
    SLIP_TRY(slip_fmi_prepare(i));
    SLIP_TRY(slip_exchange_event(i->exchange, i->t, i->q, i->v));
    memcpy(i->scratch, i->q, size);
    memcpy(i->scratch + size / sizeof(double), i->v, size);
    slip_exchange_state(i->exchange, &i->t, i->q, i->v);
    *values_changed =
        memcmp(i->scratch, i->q, size) != 0 || memcmp(i->scratch + size / sizeof(double), i->v, size) != 0;
    const double next = slip_exchange_next_time(i->exchange);
    *next_time_defined = isfinite(next);
    *next_time = isfinite(next) ? next : 0;
    i->sampled = false;
done:
    return slip_fmi_status(i, status);
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean no_state_set_before,
                                       fmi3Boolean *enter_event_mode, fmi3Boolean *terminate)
{
    slip_fmi_instance *i = enter(instance, SLIP_FMI_CONTINUOUS, __func__);
    (void)no_state_set_before;
    if (!i)
        return fmi3Error;
    const int status = slip_fmi_prepare(i);
    *terminate = false;
    *enter_event_mode = status >= 0 && slip_exchange_step(i->exchange, i->t, i->q, i->v);
    return slip_fmi_status(i, status);
}

fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time)
{
    slip_fmi_instance *i = enter(instance, SLIP_FMI_EVENT | SLIP_FMI_CONTINUOUS, __func__);
    if (!i)
        return fmi3Error;
    if (!isfinite(time))
        return slip_fmi_refuse(i, "fmi3SetTime: the time is %g, expected a finite number", time);
    i->t = time;
    i->sampled = false;
    return fmi3OK;
}

fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 states[], size_t count)
{
    slip_fmi_instance *i = enter(instance, SLIP_FMI_CONTINUOUS, __func__);
    if (!i || !fits(i, count, __func__))
        return fmi3Error;
    const size_t n = (size_t)i->layout.coordinates;
    memcpy(i->q, states, n * sizeof *states);
    memcpy(i->v, states + n, (count - n) * sizeof *states);
    i->sampled = false;
    return fmi3OK;
}

fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 states[], size_t count)
{
    slip_fmi_instance *i = enter(instance, looking, __func__);
    if (!i || !fits(i, count, __func__))
        return fmi3Error;
    const size_t n = (size_t)i->layout.coordinates;
    const int status = slip_fmi_prepare(i);
    memcpy(states, i->q, n * sizeof *states);
    memcpy(states + n, i->v, (count - n) * sizeof *states);
    return slip_fmi_status(i, status);
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 rates[], size_t count)
{
    slip_fmi_instance *i = enter(instance, looking, __func__);
    int status;
    if (!i || !fits(i, count, __func__))
        return fmi3Error;
    const size_t n = (size_t)i->layout.coordinates;
    SLIP_TRY(slip_fmi_prepare(i));
    memcpy(rates, i->v, n * sizeof *rates);
    SLIP_TRY(slip_exchange_rates(i->exchange, i->t, i->q, i->v, rates + n));
done:
    return slip_fmi_status(i, status);
}

fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 indicators[], size_t count)
{
    slip_fmi_instance *i = enter(instance, looking, __func__);
    int status;
    if (!i)
        return fmi3Error;
    SLIP_TRY(slip_fmi_prepare(i));
    if (count != (size_t)slip_exchange_indicator_count(i->exchange))
        return slip_fmi_refuse(i, "fmi3GetEventIndicators: found room for %zu numbers, expected %d", count,
                               slip_exchange_indicator_count(i->exchange));
    SLIP_TRY(slip_exchange_indicators(i->exchange, i->t, i->q, i->v, indicators));
done:
    return slip_fmi_status(i, status);
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64 nominals[], size_t count)
{
    slip_fmi_instance *i = enter(instance, looking | SLIP_FMI_INSTANTIATED, __func__);
    if (!i || !fits(i, count, __func__))
        return fmi3Error;
    for (size_t k = 0; k < count; k++)
        nominals[k] = 1;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t *count)
{
    slip_fmi_instance *i = enter(instance, looking | SLIP_FMI_INSTANTIATED, __func__);
    if (!i)
        return fmi3Error;
    const int status = slip_fmi_prepare(i);
    *count = status < 0 ? 0 : (size_t)slip_exchange_indicator_count(i->exchange);
    return slip_fmi_status(i, status);
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *count)
{
    slip_fmi_instance *i = enter(instance, looking | SLIP_FMI_INSTANTIATED, __func__);
    if (!i)
        return fmi3Error;
    *count = (size_t)slip_fmi_state_count(&i->layout);
    return fmi3OK;
}
