/* Between the batch and the engine of Dormand-Prince lanes that was compiled for this processor. */
#ifndef SLIP_BATCH_STEPS_LANES_H
#define SLIP_BATCH_STEPS_LANES_H

#include "batch/lanes.h"
#include "batch/steps/tape.h"

#include <stdbool.h>

/* Arrays of the engine that have an entry for each entry of the state, and for each contact. */
enum { steps_state_arrays = 16, steps_contact_arrays = 22, steps_most_places = 64 };

/* Moves lanes on by `each` returns. `memory` has slip_steps_memory() bytes, aligned to 64. */
typedef void (*slip_steps_runner)(const slip_batch_work *work, const slip_steps_tape *tape, void *memory);

/* The best one for this processor and model; `lanes` 1, 4 or 8 asks for a width (0: the widest there is). */
slip_steps_runner slip_steps_choose(const slip_steps_tape *tape, int lanes);
size_t slip_steps_memory(const slip_steps_tape *tape);

/* How many words keep a lane; a new lane as words, and what callers see of one. */
int slip_steps_words(const slip_steps_tape *tape);
void slip_steps_keep_new(const slip_batch_shape *shape, const slip_batch_lane *lane, slip_batch_word *record);
void slip_steps_open(const slip_batch_shape *shape, const slip_batch_word *record, slip_batch_lane *lane);

/* Notes that a card left this lane to the processor; false where that was noted before. */
bool slip_steps_note_left(slip_batch_word *record);

/* The function of the library for an operation of one number (slip_op). */
typedef double (*slip_steps_function_of_one)(double);
slip_steps_function_of_one slip_steps_function(int op);

#endif
