/* Many motions of one model at once.
 *
 * A batch has sets of parameters, which are finished systems, and lanes: a start and a set each. All lanes
 * are moved on together, return by return (an equal time for all lanes of a set), with the events of each
 * found exactly. What a batch cannot move is reported with the reason, when a set is added or when a lane
 * comes to an ambiguous event; the caller then simulates that motion by a run of its own. */
#ifndef SLIP_BATCH_BATCH_H
#define SLIP_BATCH_BATCH_H

#include "batch/engine.h"
#include "system/system.h"

typedef struct slip_batch slip_batch;

typedef struct slip_batch_settings {
    int threads; /* 0: as many as there are processors */
    int lanes;   /* side by side: 1, 4 or 8; 0: as many as the processor has */
    /* "cpu", "cuda" (an error where there is none) or "auto" (NULL: a card where there is one and so many
     * lanes are expected that it pays). */
    const char *device;
    int64_t expected;
    struct slip_card *card; /* one that is open and stays with its owner, whatever the device; or NULL */
} slip_batch_settings;

/* The card that a batch with these settings opens, for several batches: for slip_card_close. NULL where it
 * has none. */
int slip_batch_find_card(slip_context *ctx, const char *device, int64_t expected, struct slip_card **card);

/* A batch without sets and lanes; opens a card where the settings ask for one that is not given. */
int slip_batch_create(slip_context *ctx, const slip_batch_settings *settings, slip_batch **batch);
void slip_batch_destroy(slip_batch *batch);
SLIP_OWNED(slip_batch, slip_batch_destroy)

/* How the lanes of a set move. */
typedef struct slip_batch_motion {
    double period;        /* between returns */
    double tolerance;     /* of Dormand-Prince steps, as of a run by itself; 0: 1e-8 */
    const char *segments; /* as of the method `event`: "rk" leaves closed forms out; NULL: "auto" */
    bool peaks;           /* the largest |q| and |v| are kept */
} slip_batch_motion;

/* Adds a set of parameters from a finished system, which is not used after the call. *set is its number, or
 * -1 where the batch cannot take it; then `reason` (`size` characters) says why. */
int slip_batch_add_set(slip_context *ctx, slip_batch *batch, const slip_system *system,
                       const slip_batch_motion *motion, int *set, char *reason, size_t size);

/* The same in two steps: the first makes the numbers of a set, in any thread (NULL with the reason where no
 * batch takes it); the second adds them to the batch, and frees them in any case. */
typedef struct slip_batch_set {
    slip_batch_shape shape;
    double *numbers;
    struct slip_steps_tape *tape; /* NULL: closed forms */
} slip_batch_set;
int slip_batch_make_set(slip_context *ctx, const slip_system *system, const slip_batch_motion *motion,
                        slip_batch_set *made, char *reason, size_t size);
void slip_batch_free_set(slip_batch_set *made);
int slip_batch_take_set(slip_context *ctx, slip_batch *batch, slip_batch_set *made, int *set, char *reason,
                        size_t size);

/* Whether a set has the same form as those of the batch; a set of another form needs another batch. */
bool slip_batch_fits(const slip_batch *batch, const slip_batch_set *made);

/* Divides the period of a set, which is `span`, into equal returns and returns their number, 1 or a power of
 * 8. There are enough of them that the phases of waves are recomputed before rounding accumulates. The number
 * depends on span and set only. */
int64_t slip_batch_divide(slip_batch_set *made, double span);

/* Adds a lane at a time and state; *lane is its number. */
int slip_batch_add_lane(slip_context *ctx, slip_batch *batch, int set, double t, const double *q,
                        const double *v, int64_t *lane);

/* Moves `count` lanes of the list (NULL: the first ones) on by so many returns. `states` gets q and v at each
 * return, 2 n numbers, lane by lane; it may be NULL. Lanes that end before (status is not BATCH_GOES_ON)
 * leave the rest of theirs as it was. SLIP_INTERRUPTED: some lanes have not moved. */
int slip_batch_advance(slip_context *ctx, slip_batch *batch, const int64_t *list, int64_t count,
                       int64_t returns, double *states);

/* The same on processors, in closed form; and of each return the derivatives of the state there by that at
 * the return before, 2 n rows, and behind them the contacts that have stuck or closed in between, a bit each:
 * slip_batch_derivatives numbers in all. Where a lane grazes they are not finite. */
int slip_batch_differentiate(slip_context *ctx, slip_batch *batch, const int64_t *list, int64_t count,
                             int64_t returns, double *states, double *derivatives);
int slip_batch_derivatives(const slip_batch *batch);
int slip_batch_coordinates(const slip_batch *batch);

/* Returns of a lane in closed form, which shares its set with no other, are from now on so far apart, and
 * count from where it stands. */
void slip_batch_restart(slip_batch *batch, int64_t lane, double period);

/* The number of lanes with so many steps that the card left them to the processor, which has finished
 * them. */
int64_t slip_batch_left_by_card(const slip_batch *batch);

/* The present state of a lane. */
slip_batch_lane slip_batch_get(const slip_batch *batch, int64_t lane);

/* Why a lane with this status was not followed further. */
const char *slip_batch_reason(int status);

#endif
