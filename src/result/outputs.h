/* Outputs: expressions of the series of a run, recorded as series of their own. */
#ifndef SLIP_RESULT_OUTPUTS_H
#define SLIP_RESULT_OUTPUTS_H

#include "base/memory.h"
#include "math/expression/expression.h"
#include "method/method.h"

typedef struct slip_output {
    const char *name;
    slip_expression *expression; /* reads series k of a sample as slot first_slot + k */
    const double *row;           /* in its place: the sum of these times the coordinates; or NULL */
    slip_tail tail;              /* and of these times the unknowns of the field */
} slip_output;

/* What a model says about the series of its runs. Their order: t; q, v, a of each coordinate; slip, normal,
 * force, mode of each contact; six of each patch; the states; the outputs. States are outputs whose numbers
 * need not be found: the first of the list, without an expression. */
typedef struct slip_outputs {
    slip_output *list;
    int count, state_count;
    int first_slot;
    int series_count;         /* with the outputs */
    const char *const *names; /* of all series */
    const char *const *units; /* of all series; NULL where there is none */
} slip_outputs;

/* Room in which the outputs of one sample are found. */
typedef struct slip_output_room {
    double *slots, *scratch;
} slip_output_room;

/* False when out of memory. */
bool slip_output_room_create(slip_output_room *room, slip_arena *arena, const slip_outputs *outputs);

/* The values of all outputs at one sample of n coordinates and the states, which has everything. An output
 * that is not defined there is not a number; so are those that read it. */
void slip_outputs_find(const slip_outputs *outputs, const slip_output_room *room, int n, int contact_count,
                       int patch_count, double t, const slip_sample *sample, double *values);

/* Follows the largest |value| of each output, between samples too. */
typedef struct slip_output_maxima {
    const slip_outputs *outputs;
    slip_output_room room;
    int n, contact_count, patch_count;
    const int64_t *unknowns; /* of the field, that outputs read */
    int64_t unknown_count;
    slip_sample *sample; /* scratch, the caller's */
    double *largest;     /* of each output; negative while nothing was seen */
    double *found[3];    /* at the beginning, the middle and the end of a step */
} slip_output_maxima;

/* False when out of memory. Everything lives in the arena. */
bool slip_output_maxima_create(slip_output_maxima *m, slip_arena *arena);

/* Looks at one step in three places; where the parabola through them has a larger maximum inside, that of the
 * output itself is sought. */
void slip_output_maxima_step(slip_output_maxima *m, const slip_step *step);

#endif
