/* Displacements of whole bodies at some instants of a run, for frames: the record itself has only the series
 * that are asked for. They are spread evenly over the recorded span, as many as two million numbers hold, and
 * stand as the array `body/frames` in the result: the time, then all unknowns. */
#ifndef SLIP_RESULT_FRAMES_H
#define SLIP_RESULT_FRAMES_H

#include "result/result.h"

#define SLIP_FRAMES_PLACE "body/frames"
enum { slip_frames_most = 200 };

typedef struct slip_frames {
    int64_t unknowns; /* of the field; 0: there are no frames */
    double every, next;
    int64_t capacity;
    bool started; /* the array is the result's */
} slip_frames;

/* For a field of so many unknowns. */
slip_frames slip_frames_plan(int64_t unknowns, double from, double end);

/* The field at t, the last `unknowns` of `all` numbers in q and v (scratch), where it is time for a frame. */
int slip_frames_take(slip_context *ctx, slip_frames *frames, const slip_step *step, double t, int64_t all,
                     double *q, double *v, slip_result *result);

#endif
