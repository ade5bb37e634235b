/* Frames of gears in motion, for every method: at equal intervals of time a callback gets the deformed gears.
 * Their state comes from the method where it keeps one of its own (slip_step.scene), else from the
 * coordinates of the train. */
#ifndef SLIP_GEAR_GEAR_FILM_H
#define SLIP_GEAR_GEAR_FILM_H

#include "io/keep.h"
#include "method/method.h"
#include "slipstick/gear_run.h"

/* The gears of a system at one time, in the order of its model; filled by slip_step.scene. */
typedef struct slip_gear_scene {
    double time, force;
    slip_gear_shown *gears; /* room for all */
} slip_gear_scene;

/* The gears of a system, in the arena, in the order of its model; NULL and a count of 0 where it has none,
 * NULL where there is no memory. */
const slip_gear_options *slip_system_gears(const slip_system *system, slip_arena *arena, int *count);

typedef struct slip_gear_film slip_gear_film;

/* Takes `frames` frames of a system with gears. The system must outlive the film. */
int slip_gear_film_create(slip_context *ctx, const slip_system *system, int frames,
                          slip_gear_frame_function function, void *user, slip_gear_film **film);
void slip_gear_film_destroy(slip_gear_film *film); /* takes NULL */

/* Sets the interval of time of the frames. Returns an observer that forwards calls to `observer`. */
slip_observer slip_gear_film_observe(slip_gear_film *film, double from, double end,
                                     const slip_observer *observer);

/* How many frames were shown, as "film" of a checkpoint. */
void slip_gear_film_keep(slip_gear_film *film, slip_keeper *keeper);

#endif
