/* Dormand-Prince lanes as a program for a graphics card. */
#ifndef SLIP_BATCH_STEPS_CARD_TEXT_H
#define SLIP_BATCH_STEPS_CARD_TEXT_H

#include "base/text.h"
#include "batch/steps/tape.h"

#include <stdbool.h>
#include <stdint.h>

/* Of each number of a set whether sets have different ones, for the caller to free; NULL: no memory. */
bool *slip_steps_find_varying(const slip_steps_tape *tape, const double *numbers, int64_t sets);

/* The program of one kernel (steps_kernel.inc); `numbers` are those of the first set. */
int slip_steps_card_text(slip_context *ctx, const slip_steps_tape *tape, const bool *varying,
                         const double *numbers, const char *kernel, slip_text *text);

/* The numbers that it has to be given, its steps_values (NULL: how many they are). */
int slip_steps_shared(const slip_steps_tape *tape, const bool *varying, const double *numbers,
                      double *shared);

/* Words of 8 bytes in which a lane is between kernels; threads of a block, and how many of these a
 * multiprocessor has room for. */
enum { slip_steps_card_threads = 128 };
int slip_steps_state_words(const slip_steps_tape *tape);
int slip_steps_card_blocks(const slip_steps_tape *tape);

#endif
