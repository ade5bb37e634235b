/* Displacements of whole bodies at some times of a run, for frames, since the record contains only selected
 * series. The times are spread evenly over the recorded span, as many as fit into two million numbers. The
 * array `body/frames` of the result has one row for each: the time, then all unknowns. */
#ifndef SLIP_RESULT_FRAMES_H
#define SLIP_RESULT_FRAMES_H

#include "result/result.h"

#define SLIP_FRAMES_PLACE "body/frames"
enum { slip_frames_most = 200 };

typedef struct slip_frames {
    int64_t unknowns; /* of the field; 0: there are no frames */
    double every, next;
    int64_t capacity;
    bool started; /* the array has been added to the result */
} slip_frames;

/* Plans the frames for a field of this size. */
slip_frames slip_frames_plan(int64_t unknowns, double from, double end);

/* Stores the field at t, if a frame is due: the last `unknowns` of `all` numbers. q, v: scratch. */
int slip_frames_take(slip_context *ctx, slip_frames *frames, const slip_step *step, double t, int64_t all,
                     double *q, double *v, slip_result *result);

#endif
