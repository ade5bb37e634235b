/* Outputs: expressions of the series of a run, which are recorded as additional series. */
#ifndef SLIP_RESULT_OUTPUTS_H
#define SLIP_RESULT_OUTPUTS_H

#include "base/memory.h"
#include "math/expression/expression.h"
#include "method/method.h"

typedef struct slip_output {
    const char *name;
    slip_expression *expression; /* reads series k of a sample as slot first_slot + k */
    const double *row;           /* in place of an expression: the output is row . q plus the tail; or NULL */
    slip_tail tail;              /* its entries in the unknowns of the field */
} slip_output;

/* The outputs, names and units of the series of a run. Order of the series: t; q, v, a of each coordinate;
 * slip, normal, force, mode of each contact; six of each patch; the states; the outputs. States are the first
 * outputs of the list, without an expression. */
typedef struct slip_outputs {
    slip_output *list;
    int count, state_count;
    int first_slot;
    int series_count;         /* including outputs */
    const char *const *names; /* of all series */
    const char *const *units; /* of all series; NULL where there is none */
} slip_outputs;

/* Working memory for the outputs of one sample. */
typedef struct slip_output_room {
    double *slots, *scratch;
} slip_output_room;

/* False when out of memory. */
bool slip_output_room_create(slip_output_room *room, slip_arena *arena, const slip_outputs *outputs);

/* Computes all outputs at one sample, which must be complete (coordinates, states, contacts). An output that
 * is not defined is NAN, and so are outputs that read it. */
void slip_outputs_find(const slip_outputs *outputs, const slip_output_room *room, int n, int contact_count,
                       int patch_count, double t, const slip_sample *sample, double *values);

/* The largest |value| of each output, also between samples. */
typedef struct slip_output_maxima {
    const slip_outputs *outputs;
    slip_output_room room;
    int n, contact_count, patch_count;
    const int64_t *unknowns; /* of the field, that outputs read */
    int64_t unknown_count;
    slip_sample *sample; /* scratch, the caller's */
    double *largest;     /* of each output; negative before the first step */
    double *found[3];    /* at the beginning, the middle and the end of a step */
} slip_output_maxima;

/* False when out of memory. Everything lives in the arena. */
bool slip_output_maxima_create(slip_output_maxima *m, slip_arena *arena);

/* Updates the maxima by one step: evaluates it at three times; if the parabola through them has a larger
 * maximum inside, the maximum of the output itself is computed. */
void slip_output_maxima_step(slip_output_maxima *m, const slip_step *step);

#endif
