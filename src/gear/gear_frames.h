/* Frames of two reduced gears: their whole meshes again, with stress.
 *
 * With the modes in use q and the amplitudes a of the attachment modes, unit loads B on nodes of the flanks,
 *
 *     u = Phi q + Psi a,    Psi = (K^-1 - Phi Lambda^-1 Phi^T) B,
 *       = Phi (q - Lambda^-1 Phi^T B a) + K^-1 B a:
 *
 * the shapes of the modes are in the reduced body, and the rest is one static solution of the mesh for each
 * frame. The stiffness of both whole meshes is factorised for that, which takes memory and time of its own.
 */
#ifndef SLIP_GEAR_GEAR_FRAMES_H
#define SLIP_GEAR_GEAR_FRAMES_H

#include "gear/body/gear_pair.h"
#include "gear/gear_motion.h"

typedef struct slip_gear_frames slip_gear_frames;

/* *frames is NULL where the options ask for none; that is fine for all functions below. The pair has to stay.
 */
int slip_gear_frames_create(slip_context *ctx, const slip_gear_motion *motion, const slip_gear_pair *pair,
                            slip_gear_frames **frames);
void slip_gear_frames_destroy(slip_gear_frames *frames);

/* The time of the next frame, infinite where there is none: at equal distances. */
double slip_gear_frames_next(const slip_gear_frames *frames);

/* Then: the angle and the modes of each gear, the loads a of its flanks (3 numbers for each node, in the
 * flank's frame), and the frame. */
void slip_gear_frames_place(slip_gear_frames *frames, int k, double angle, const double *q);
void slip_gear_frames_load(slip_gear_frames *frames, int k, int flank, const double *amplitude);
int slip_gear_frames_show(slip_context *ctx, slip_gear_frames *frames, double time, double force);

#endif
