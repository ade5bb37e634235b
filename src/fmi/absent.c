/* Functions of the standard for features that this unit does not have: other types than Float64 and
 * enumerations, clocks, scheduled execution, sizes that change. An importer may ask a library for all names;
 * each call is an error. */
#include "fmi/instance.h"

static fmi3Status absent(fmi3Instance instance, const char *function)
{
    slip_fmi_instance *i = slip_fmi_enter(instance, ~0u, function);
    return i ? slip_fmi_refuse(i, "%s: the unit has nothing that it could be asked for", function)
             : fmi3Error;
}

#pragma GCC diagnostic ignored "-Wunused-parameter" /* nothing of them is read */
#define ABSENT(name, ...)                                                                                    \
    SLIP_API fmi3Status name(fmi3Instance instance, __VA_ARGS__);                                            \
    fmi3Status name(fmi3Instance instance, __VA_ARGS__)                                                      \
    {                                                                                                        \
        return absent(instance, #name);                                                                      \
    }
#define VARIABLES const fmi3ValueReference references[], size_t count
#define TYPE(name, type)                                                                                     \
    ABSENT(fmi3Get##name, VARIABLES, type values[], size_t value_count)                                      \
    ABSENT(fmi3Set##name, VARIABLES, const type values[], size_t value_count)

TYPE(Float32, float)
TYPE(Int8, int8_t)
TYPE(UInt8, uint8_t)
TYPE(Int16, int16_t)
TYPE(UInt16, uint16_t)
TYPE(Int32, int32_t)
TYPE(UInt32, uint32_t)
TYPE(UInt64, uint64_t)
TYPE(Boolean, fmi3Boolean)
TYPE(String, fmi3String)
ABSENT(fmi3SetInt64, VARIABLES, const fmi3Int64 values[], size_t value_count)
ABSENT(fmi3GetBinary, VARIABLES, size_t sizes[], fmi3Binary values[], size_t value_count)
ABSENT(fmi3SetBinary, VARIABLES, const size_t sizes[], const fmi3Binary values[], size_t value_count)
ABSENT(fmi3GetClock, VARIABLES, fmi3Clock values[])
ABSENT(fmi3SetClock, VARIABLES, const fmi3Clock values[])
ABSENT(fmi3GetIntervalDecimal, VARIABLES, fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
ABSENT(fmi3GetIntervalFraction, VARIABLES, fmi3UInt64 counters[], fmi3UInt64 resolutions[],
       fmi3IntervalQualifier qualifiers[])
ABSENT(fmi3GetShiftDecimal, VARIABLES, fmi3Float64 shifts[])
ABSENT(fmi3GetShiftFraction, VARIABLES, fmi3UInt64 counters[], fmi3UInt64 resolutions[])
ABSENT(fmi3SetIntervalDecimal, VARIABLES, const fmi3Float64 intervals[])
ABSENT(fmi3SetIntervalFraction, VARIABLES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
ABSENT(fmi3SetShiftDecimal, VARIABLES, const fmi3Float64 shifts[])
ABSENT(fmi3SetShiftFraction, VARIABLES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
ABSENT(fmi3ActivateModelPartition, fmi3ValueReference clock, fmi3Float64 time)
ABSENT(fmi3GetNumberOfVariableDependencies, fmi3ValueReference reference, size_t *count)
ABSENT(fmi3GetVariableDependencies, fmi3ValueReference dependent, size_t elements[],
       fmi3ValueReference independents[], size_t independent_elements[], fmi3DependencyKind kinds[],
       size_t count)
ABSENT(fmi3SerializedFMUStateSize, fmi3FMUState state, size_t *size)
ABSENT(fmi3SerializeFMUState, fmi3FMUState state, fmi3Byte bytes[], size_t size)
ABSENT(fmi3DeserializeFMUState, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
ABSENT(fmi3GetAdjointDerivative, const fmi3ValueReference unknowns[], size_t unknown_count,
       const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[], size_t seed_count,
       fmi3Float64 sensitivity[], size_t sensitivity_count)

#define ABSENT_ALONE(name)                                                                                   \
    SLIP_API fmi3Status name(fmi3Instance instance);                                                         \
    fmi3Status name(fmi3Instance instance)                                                                   \
    {                                                                                                        \
        return absent(instance, #name);                                                                      \
    }
ABSENT_ALONE(fmi3EnterConfigurationMode)
ABSENT_ALONE(fmi3ExitConfigurationMode)
ABSENT_ALONE(fmi3EvaluateDiscreteStates)

SLIP_API fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3ClockUpdateCallback update,
    fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock);
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment,
                                               fmi3LogMessageCallback log, fmi3ClockUpdateCallback update,
                                               fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock)
{
    if (log)
        log(environment, fmi3Error, "logStatusError", "the unit has no scheduled execution");
    return NULL;
}
