/* FMI 3.0: the types and functions that an FMU has for its importer, declared from the standard (Functional
 * Mock-up Interface Specification, version 3.0, Modelica Association Project FMI, fmi-standard.org). */
#ifndef SLIP_FMI_FMI3_H
#define SLIP_FMI_FMI3_H

#include "slipstick/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef double fmi3Float64;
typedef bool fmi3Boolean;
typedef int32_t fmi3Int32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef const char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;
typedef enum {
    fmi3Independent,
    fmi3Constant,
    fmi3Fixed,
    fmi3Tunable,
    fmi3Discrete,
    fmi3Dependent
} fmi3DependencyKind;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment environment, fmi3Status status,
                                       fmi3String category, fmi3String message);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment environment, fmi3Float64 time,
                                               fmi3Boolean set_requested, fmi3Boolean get_allowed,
                                               fmi3Boolean step_finished, fmi3Boolean can_return_early,
                                               fmi3Boolean *early_return_requested,
                                               fmi3Float64 *early_return_time);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment environment);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

/* ---- Every kind of unit (instance.c). */
SLIP_API const char *fmi3GetVersion(void);
SLIP_API fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t count,
                                        const fmi3String categories[]);
SLIP_API fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                                   fmi3Boolean visible, fmi3Boolean logging,
                                                   fmi3InstanceEnvironment environment,
                                                   fmi3LogMessageCallback log);
SLIP_API fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3Boolean event_mode_used, fmi3Boolean early_return_allowed, const fmi3ValueReference intermediate[],
    size_t intermediate_count, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3IntermediateUpdateCallback update);
SLIP_API void fmi3FreeInstance(fmi3Instance instance);
SLIP_API fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean tolerance_defined,
                                                fmi3Float64 tolerance, fmi3Float64 start,
                                                fmi3Boolean stop_defined, fmi3Float64 stop);
SLIP_API fmi3Status fmi3ExitInitializationMode(fmi3Instance instance);
SLIP_API fmi3Status fmi3EnterEventMode(fmi3Instance instance);
SLIP_API fmi3Status fmi3Terminate(fmi3Instance instance);
SLIP_API fmi3Status fmi3Reset(fmi3Instance instance);
SLIP_API fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *need_update,
                                             fmi3Boolean *terminate, fmi3Boolean *nominals_changed,
                                             fmi3Boolean *values_changed, fmi3Boolean *next_time_defined,
                                             fmi3Float64 *next_time);
SLIP_API fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *state);
SLIP_API fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state);
SLIP_API fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *state);

/* ---- Variables (access.c). */
SLIP_API fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                   fmi3Float64 values[], size_t value_count);
SLIP_API fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                   const fmi3Float64 values[], size_t value_count);
SLIP_API fmi3Status fmi3GetInt64(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                 fmi3Int64 values[], size_t value_count);
SLIP_API fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                                 size_t unknown_count, const fmi3ValueReference knowns[],
                                                 size_t known_count, const fmi3Float64 seed[],
                                                 size_t seed_count, fmi3Float64 sensitivity[],
                                                 size_t sensitivity_count);

/* ---- Model exchange (exchange.c). */
SLIP_API fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance);
SLIP_API fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean no_state_set_before,
                                                fmi3Boolean *enter_event_mode, fmi3Boolean *terminate);
SLIP_API fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time);
SLIP_API fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 states[], size_t count);
SLIP_API fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 rates[],
                                                      size_t count);
SLIP_API fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 indicators[], size_t count);
SLIP_API fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 states[], size_t count);
SLIP_API fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64 nominals[],
                                                      size_t count);
SLIP_API fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t *count);
SLIP_API fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *count);

/* ---- Co-simulation (cosimulation.c). */
SLIP_API fmi3Status fmi3EnterStepMode(fmi3Instance instance);
SLIP_API fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance, const fmi3ValueReference references[],
                                             size_t count, const fmi3Int32 orders[], fmi3Float64 values[],
                                             size_t value_count);
SLIP_API fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 time, fmi3Float64 step,
                               fmi3Boolean no_state_set_before, fmi3Boolean *event_needed,
                               fmi3Boolean *terminate, fmi3Boolean *early_return, fmi3Float64 *last_time);

#endif
