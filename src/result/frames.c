#include "result/frames.h"

#include <math.h>
#include <string.h>

slip_frames slip_frames_plan(int64_t unknowns, double from, double end)
{
    enum { numbers = 2000000, least = 2 };
    if (unknowns == 0 || !isfinite(end - from))
        return (slip_frames){0};
    const double room = fmax(fmin((double)(numbers / unknowns), slip_frames_most), least);
    return (slip_frames){.unknowns = unknowns, .every = (end - from) / (room - 1), .next = -INFINITY};
}

int slip_frames_take(slip_context *ctx, slip_frames *frames, const slip_step *step, double t, int64_t all,
                     double *q, double *v, slip_result *result)
{
    const int64_t width = 1 + frames->unknowns;
    if (frames->unknowns == 0 || !step->field || t < frames->next)
        return SLIP_OK;
    if (!frames->started) {
        const slip_array array = {.place = SLIP_FRAMES_PLACE, .width = width};
        SLIP_PASS(slip_result_add_array(ctx, result, &array));
        frames->started = true;
    }
    slip_array *array = NULL;
    for (int k = 0; k < result->array_count; k++)
        if (strcmp(result->arrays[k].place, SLIP_FRAMES_PLACE) == 0)
            array = &result->arrays[k];
    SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(array->values, frames->capacity, (array->count + 1) * width)));
    step->field(step->self, t, NULL, 0, q, v);
    double *row = array->values + array->count++ * width;
    row[0] = t;
    memcpy(row + 1, q + all - frames->unknowns, (size_t)frames->unknowns * sizeof *row);
    frames->next = t + frames->every * (1 - 1e-9);
    return SLIP_OK;
}
