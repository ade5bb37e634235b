/* Co-simulation: the unit integrates from one communication point to the next. */
#include "fmi/instance.h"

#include <math.h>
#include <stdlib.h>

static slip_fmi_instance *enter(fmi3Instance instance, unsigned phases, const char *function)
{
    slip_fmi_instance *i = slip_fmi_enter(instance, phases, function);
    if (i && i->exchanges) {
        slip_fmi_refuse(i, "%s: the unit was instantiated for model exchange", function);
        return NULL;
    }
    return i;
}

fmi3Status fmi3EnterStepMode(fmi3Instance instance)
{
    slip_fmi_instance *i = enter(instance, ~0u, __func__);
    return i ? slip_fmi_refuse(i, "fmi3EnterStepMode: the unit has no event mode in co-simulation")
             : fmi3Error;
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 time, fmi3Float64 step,
                      fmi3Boolean no_state_set_before, fmi3Boolean *event_needed, fmi3Boolean *terminate,
                      fmi3Boolean *early_return, fmi3Float64 *last_time)
{
    slip_fmi_instance *i = enter(instance, SLIP_FMI_STEP, __func__);
    (void)no_state_set_before;
    if (!i)
        return fmi3Error;
    const double now = slip_simulation_time(i->simulation);
    *event_needed = *terminate = *early_return = false;
    *last_time = now;
    if (!(fabs(time - now) <= 1e-9 * (fabs(now) + fabs(step))) || !(step >= 0))
        return slip_fmi_refuse(i, "fmi3DoStep: found a step of %g from t = %.17g, expected one from %.17g on",
                               step, time, now);
    const int status = slip_simulation_advance(i->ctx, i->simulation, fmax(time + step, now));
    *last_time = slip_simulation_time(i->simulation);
    return slip_fmi_status(i, status);
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance, const fmi3ValueReference references[],
                                    size_t count, const fmi3Int32 orders[], fmi3Float64 values[],
                                    size_t value_count)
{
    slip_fmi_instance *i = enter(instance, ~0u, __func__);
    (void)references;
    (void)count;
    (void)orders;
    (void)values;
    (void)value_count;
    return i ? slip_fmi_refuse(i, "fmi3GetOutputDerivatives: maxOutputDerivativeOrder is 0") : fmi3Error;
}

/* ---- States that are kept. */

typedef struct kept {
    slip_saved_state *state;
    slip_values *values;
} kept;

static void free_kept(kept *k)
{
    if (!k)
        return;
    slip_saved_state_destroy(k->state);
    slip_values_destroy(k->values);
    free(k);
}

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *state)
{
    slip_fmi_instance *i = enter(instance, SLIP_FMI_STEP, __func__);
    kept *k = NULL;
    int status;
    if (!i)
        return fmi3Error;
    k = slip_alloc(1, sizeof *k);
    SLIP_TRY(slip_allocated(i->ctx, k));
    SLIP_TRY(slip_values_copy(i->ctx, i->values, &k->values));
    SLIP_TRY(slip_simulation_save(i->ctx, i->simulation, &k->state));
    free_kept(*state); /* a state that is given is replaced */
    SLIP_HAND(state, k);
done:
    free_kept(k);
    return slip_fmi_status(i, status);
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state)
{
    slip_fmi_instance *i = enter(instance, SLIP_FMI_STEP, __func__);
    const kept *k = state;
    slip_values *values = NULL;
    int status;
    if (!i || !k)
        return fmi3Error;
    SLIP_TRY(slip_values_copy(i->ctx, k->values, &values));
    SLIP_TRY(slip_simulation_restore(i->ctx, i->simulation, k->state));
    slip_values_destroy(i->values);
    i->values = values;
    values = NULL;
done:
    slip_values_destroy(values);
    return slip_fmi_status(i, status);
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *state)
{
    slip_fmi_instance *i = enter(instance, ~0u, __func__);
    if (!i)
        return fmi3Error;
    if (state) {
        free_kept(*state);
        *state = NULL;
    }
    return fmi3OK;
}
