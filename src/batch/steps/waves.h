/* Waves of Dormand-Prince lanes on a graphics card (steps_kernel.inc): their memory and their launches. */
#ifndef SLIP_BATCH_STEPS_WAVES_H
#define SLIP_BATCH_STEPS_WAVES_H

#include "batch/lanes.h"
#include "batch/steps/tape.h"
#include "card/card.h"

/* The kernels of a model. */
typedef struct slip_steps_program {
    const slip_steps_tape *tape;
    void *start, *move, *event;
} slip_steps_program;

/* What the lanes of a piece have on the card besides their records. */
typedef struct slip_steps_waves {
    slip_card_address parked, lists, counters;
    slip_steps_work work;
} slip_steps_waves;

/* Compiles the kernels of a tape, or finds them; `numbers` are those of all sets. */
int slip_steps_program_find(slip_context *ctx, slip_card *card, const slip_steps_tape *tape,
                            const double *numbers, int64_t sets, slip_steps_program *program);

/* Bytes on the card for each lane of a piece. */
double slip_steps_waves_bytes(const slip_steps_tape *tape);

/* Memory for a piece of so many lanes. These and the next return what the driver does: 0 when it went well.
 */
int slip_steps_waves_create(const slip_card *card, const slip_steps_tape *tape, int64_t lanes,
                            slip_steps_waves *waves);
void slip_steps_waves_free(const slip_card *card, const slip_steps_waves *waves);

/* Opens the lanes of the piece that are at these addresses, and launches their first waves. */
int slip_steps_waves_begin(const slip_card *card, const slip_steps_program *program, void *stream,
                           const slip_batch_work *work, int64_t count, slip_card_address numbers,
                           slip_card_address records, slip_card_address returns, slip_steps_waves *waves);

/* Waits for the waves that were launched, and launches the next ones; *over: all lanes have what they want.
 */
int slip_steps_waves_go_on(const slip_card *card, const slip_steps_program *program, void *stream,
                           slip_steps_waves *waves, bool *over);

#endif
