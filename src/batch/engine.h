/* What the engine of many lanes and its callers share: shapes, numbers, lanes. No header is included here, so
 * that the compiler of a graphics card can read the text too.
 *
 * One lane is one motion of the model. Its state is
 *
 *     y = (q, v, s),   s = (1, cos w t and sin w t of each wave, the friction force of each contact that
 * slips)
 *
 * and with the contacts' modes fixed y' = A y. Which contacts are held (friction that sticks, gaps that are
 * closed) is the pattern; slip forwards and backwards differ in y only, so they share a pattern. */
#ifndef SLIP_BATCH_ENGINE_H
#define SLIP_BATCH_ENGINE_H

#define BATCH_MOST_Q 8
#define BATCH_MOST_C 8
#define BATCH_MOST_WAVES 4
#define BATCH_MOST_Y (2 * BATCH_MOST_Q + 1 + 2 * BATCH_MOST_WAVES + BATCH_MOST_C)
/* Sizes of the engine's arrays; where the shape is known at compile time, those of the shape. */
#ifndef ROOM_Q
#define ROOM_Q BATCH_MOST_Q
#define ROOM_C BATCH_MOST_C
#define ROOM_WAVES BATCH_MOST_WAVES
#endif
#define ROOM_Y (2 * ROOM_Q + 1 + 2 * ROOM_WAVES + ROOM_C)

/* What all lanes of a batch have in common. */
typedef struct slip_batch_shape {
    int n, contacts, waves;
    int entries;               /* of y */
    int friction;              /* the place in y of the first friction force */
    int has_gap[BATCH_MOST_C]; /* of each contact: unilateral without friction, else friction */
    int numbers;               /* of each set of parameters, see below */
    int block;                 /* of these, numbers for each contact */
    int table;                 /* numbers of a table */
    int record;                /* words of a lane that is kept */
    int steps;                 /* by Dormand-Prince (steps/tape.h), not in closed form */
    int peaks;                 /* the largest |q| and |v| are kept */
} slip_batch_shape;

/* The numbers of a set of parameters, one behind the other: M^-1 (f - C v - K q) as n rows over y; for each
 * contact its row W, M^-1 W, its rest as a row over (1, waves) and those below; the frequencies of the waves;
 * the period of the returns. */
enum { BATCH_KINETIC, BATCH_HOLD, BATCH_RESTITUTION, BATCH_COMPLIANCE, BATCH_CONTACT_NUMBERS };

enum { BATCH_OPEN, BATCH_STICK, BATCH_PLUS, BATCH_MINUS, BATCH_CLOSED };

/* The status of a lane: it goes on, or the reason why it has to be run by itself. */
enum {
    BATCH_NEW,
    BATCH_GOES_ON,
    BATCH_TIE,       /* two contacts change at one instant */
    BATCH_AMBIGUOUS, /* the new modes are ambiguous */
    BATCH_DEPENDENT, /* contacts that are held depend on each other */
    BATCH_WORK,      /* more work than a lane may have */
    BATCH_BEYOND,    /* numbers that are not finite */
    BATCH_STATUSES
};

/* Bounces of a contact, one after the other (method/flow/land.c). */
typedef struct slip_batch_bounces {
    double gap_size; /* largest gap since it opened */
    double since, last, speed, ratio, limit;
    double landing; /* the speed before the last one */
    int count;
} slip_batch_bounces;

/* A lane that moves. Between its moves it is kept in as few words as its shape needs (engine_record.inc). */
typedef struct slip_batch_lane {
    double y[ROOM_Y];
    double time, since;         /* of the last return (or the start), and since then */
    double opened;              /* the time of the start */
    double fastest;             /* velocity so far */
    double largest[2 * ROOM_Q]; /* |q| and |v| so far, where the shape has peaks */
    slip_batch_bounces bounces[ROOM_C];
    int mode[ROOM_C];
    int lead[ROOM_C]; /* derivatives of its condition that are zero at the start of a segment */
    int set;          /* of parameters */
    int status, idle;
    long long returns, events, wanted, work;
    unsigned long long signature; /* a hash of contact and modes of all events, in their order */
} slip_batch_lane;

typedef union slip_batch_word {
    double number;
    long long count;
    unsigned long long hash;
} slip_batch_word;

/* One event more. */
#define BATCH_SIGN(hash, contact, from, to)                                                                  \
    (((hash) ^ (unsigned long long)((contact)*64 + (from)*8 + (to) + 1)) * 1099511628211ull)
#define BATCH_SIGNATURE 14695981039346656037ull

#endif
