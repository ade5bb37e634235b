/* Gears by modes and attachment modes as frames have them. */
#ifndef SLIP_GEAR_MODAL_GEAR_MODAL_SHOW_H
#define SLIP_GEAR_MODAL_GEAR_MODAL_SHOW_H

#include "gear/gear_frames.h"
#include "gear/modal/gear_modal.h"

/* The largest number of directions of a flank. */
int slip_gear_modal_size(const slip_gear_modal *modal);

/* Of a gear, amplitudes of all attachment modes of a flank (NULL: zeros) in the present state, its kept
 * vectors left out, with the signs of that flank. scratch: as many numbers. */
void slip_gear_modal_amplitudes(const slip_gear_modal *modal, int gear, const slip_modal_flank *flank,
                                double *scratch, double *amplitude);

/* What frames need of a gear. */
slip_gear_subject slip_gear_modal_subject(const slip_gear_modal *modal, int gear,
                                          const slip_gear_options *options);
/* Puts a gear of the present state into the frames, as number `to`. room: three times slip_gear_modal_size.
 */
void slip_gear_modal_show(const slip_gear_modal *modal, int gear, double *room, slip_gear_frames *frames,
                          int to);

#endif
