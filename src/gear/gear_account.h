/* What is known of gears in motion at an instant, and what is summed up on the way: energies and their
 * balance, times of contact. */
#ifndef SLIP_GEAR_GEAR_ACCOUNT_H
#define SLIP_GEAR_GEAR_ACCOUNT_H

#include "io/keep.h"
#include "method/method.h"

/* Gears at an instant. */
typedef struct slip_gear_sample {
    double time;
    double force, touching, depth;
    double kinetic, strain, contact, lost, work;
    double *angle, *speed, *moment; /* of each shaft; moment: of the contact about its axis */
    double *normal;                 /* of each mesh: its part of the force */
} slip_gear_sample;

/* One for so many shafts and meshes; false: out of memory. */
bool slip_gear_sample_create(slip_arena *arena, int shafts, int meshes, slip_gear_sample *sample);

/* The series of two gears, by number: those of the first gear, of the second, then of both. */
enum { slip_gear_columns = 15, slip_gear_name_size = 100 };
typedef struct slip_gear_column {
    char name[slip_gear_name_size];      /* "GEAR.angle" */
    char place[2 * slip_gear_name_size]; /* in result.h5: "gear/GEAR/angle", "contact/force" */
    const char *unit;                    /* "" where it has none */
} slip_gear_column;
void slip_gear_column_describe(int column, const char *const gears[2], slip_gear_column *to);
double slip_gear_column_value(const slip_gear_sample *sample, int column);

/* ---- Summed up on the way. */

typedef struct slip_gear_account {
    double negligible; /* an energy that rounding makes */
    /* Energy: the largest kinetic one, the lowest and the highest balance, what there was at the start, the
     * largest work; the balance when it was looked at first and last. */
    double kinetic, low, high, start, put_in;
    double first_balance, last_balance;
    /* Contact so far. */
    bool watching;
    double last_time, last_force, contact_time, first, last, peak;
} slip_gear_account;

slip_gear_account slip_gear_account_begin(double negligible);

/* To be told the contact force at the end of every step (or, at a change between touching and not, at the
 * time where it was located): sums up the contact time, finds the peak. A step counts as contact in the share
 * in which the force, linear between two calls, is positive. Returns when it began or ceased to be so, else
 * NAN. */
double slip_gear_account_watch(slip_gear_account *account, double time, double force);

/* To be told the gears at the start, at all samples, and at steps between them where that is cheap. Returns
 * whether the motion has more than twice the energy that was at the start and has been put in: it grows
 * without bound. */
bool slip_gear_account_balance(slip_gear_account *account, const slip_gear_sample *sample);
/* Fails for that reason. when: "t = ... s: "; who: what moves most. */
int slip_gear_account_unbounded(slip_context *ctx, const slip_gear_account *account,
                                const slip_gear_sample *energy, const char *when, const char *who);

/* Contact times, peak, energies and their drift. */
int slip_gear_account_numbers(slip_context *ctx, const slip_gear_account *account,
                              const slip_number_sink *sink);

/* Its state, as "record/watch" of a checkpoint. */
void slip_gear_account_keep(slip_gear_account *account, slip_keeper *keeper);

#endif
