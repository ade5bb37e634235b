/* Hands gears by modes and attachment modes over to frames (gear_frames.h). */
#ifndef SLIP_GEAR_MODAL_GEAR_MODAL_SHOW_H
#define SLIP_GEAR_MODAL_GEAR_MODAL_SHOW_H

#include "gear/gear_frames.h"
#include "gear/modal/gear_modal.h"

/* The largest number of directions of a flank. */
int slip_gear_modal_size(const slip_gear_modal *modal);

/* The amplitudes of all attachment modes of a flank of a gear in the present state, without its kept vectors,
 * with the signs of that flank; flank NULL: zeros. scratch: as many numbers. */
void slip_gear_modal_amplitudes(const slip_gear_modal *modal, int gear, const slip_modal_flank *flank,
                                double *scratch, double *amplitude);

/* The description of a gear that slip_gear_frames_create takes. */
slip_gear_subject slip_gear_modal_subject(const slip_gear_modal *modal, int gear,
                                          const slip_gear_options *options);
/* Puts a gear of the present state into the frames, as number `to`. room: three times slip_gear_modal_size.
 */
void slip_gear_modal_show(const slip_gear_modal *modal, int gear, double *room, slip_gear_frames *frames,
                          int to);

#endif
