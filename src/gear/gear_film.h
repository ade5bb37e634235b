/* Frames of gears in motion, whatever moves them: at equal distances of time the deformed gears are shown to
 * a function. What is seen comes from the method where it keeps a state of its own (slip_step.scene), else
 * from the coordinates of the train. */
#ifndef SLIP_GEAR_GEAR_FILM_H
#define SLIP_GEAR_GEAR_FILM_H

#include "io/keep.h"
#include "method/method.h"
#include "slipstick/gear_run.h"

/* The gears of a system at an instant, in the order of its model; by slip_step.scene. */
typedef struct slip_gear_scene {
    double time, force;
    slip_gear_shown *gears; /* room for all */
} slip_gear_scene;

/* The gears of a system, in the arena, in the order of its model; NULL and a count of 0 where it has none,
 * NULL where there is no memory. */
const slip_gear_options *slip_system_gears(const slip_system *system, slip_arena *arena, int *count);

typedef struct slip_gear_film slip_gear_film;

/* So many frames of a system with gears, which stays. */
int slip_gear_film_create(slip_context *ctx, const slip_system *system, int frames,
                          slip_gear_frame_function function, void *user, slip_gear_film **film);
void slip_gear_film_destroy(slip_gear_film *film); /* takes NULL */

/* Frames are of this span; what an observer sees goes through the film to it. */
slip_observer slip_gear_film_observe(slip_gear_film *film, double from, double end,
                                     const slip_observer *observer);

/* How many frames were shown, as "film" of a checkpoint. */
void slip_gear_film_keep(slip_gear_film *film, slip_keeper *keeper);

#endif
