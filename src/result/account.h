/* The account of a motion: what contacts, loads and dampers do to its energy, the largest contact forces, and
 * the fundamental. */
#ifndef SLIP_RESULT_ACCOUNT_H
#define SLIP_RESULT_ACCOUNT_H

#include "base/memory.h"
#include "io/keep.h"
#include "method/method.h"
#include "result/maxima.h"

/* Numbers of a whole run; NAN where they are not known. `balance` is what the energies and the works do not
 * explain, as a part of the largest energy. */
typedef struct slip_energies {
    double kinetic[2], potential[2]; /* at the start and at the end */
    double largest;                  /* of their sum, at the ends of steps */
    double loads, damping, impacts;  /* work of the loads; taken by the damping matrix, and in impacts */
    double balance;
    double start, end, drift; /* of methods with a ledger: what is balanced at the start and at the end, and
                               * the largest that the balance was off at any time, as a part of `largest` */
    double frame[2];          /* T1 + 2 T0 of a kinetic energy that depends on time (system/structure.h) */
} slip_energies;

typedef struct slip_account {
    int n, moving, contact_count; /* of the n so many are coordinates, the others are states */
    const slip_system *system;    /* NULL: no works, no energies */
    const double *mass;           /* without that of states */
    slip_workspace *work;         /* not the method's; NULL where no step has needed it */
    bool loaded, damped, skew;    /* by loads, by damping, by a stiffness that is not symmetric */
    bool started, struck;         /* struck: in an impact after the last step */
    slip_energies energies;
    slip_ledger before; /* of a structure that has one: at the start of the account, where that is known */
    double known, off;  /* 1: it is; the largest that the balance was off since then */
    /* Of each contact: largest so far (negative: nothing was seen), work on the coordinates, and what it
     * takes. */
    double *normal, *force, *impulse, *done, *taken;
    slip_works works; /* all of them */
    slip_maxima forces;
    /* Integrals of q cos(2 pi t / period) and q sin(2 pi t / period), and their length in time. */
    double period, *cosine, *sine, covered;
    slip_sample sample;
    /* Energies of a field take as long as a good part of a step: they are found every few steps, and at the
     * end, from the state that was seen last. */
    int64_t steps;
    double leap, shift; /* as the last step has it; by how much energies differ since it has changed */
    double seen_at, *seen_q, *seen_v;
    double *at_nodes, *loads;
    double *at_ends;    /* forces and normal forces at both ends of a step, */
    bool ends_known[2]; /* where somebody has asked */
} slip_account;

/* Everything but the workspace lives in the arena. The period is NAN where there is no fundamental. Works of
 * steps between `from` and `end` count. */
int slip_account_create(slip_context *ctx, slip_account *account, slip_arena *arena,
                        const slip_system *system, int n, int contact_count, double period, double from,
                        double end);
void slip_account_free(slip_account *account);

/* Makes what is needed for steps of methods that do not tell their works; before the first of these. */
int slip_account_prepare(slip_context *ctx, slip_account *account);
/* Before the first step, where an impact comes at the very start: the state before it. */
void slip_account_start(slip_account *account, double t, const double *q, const double *v);
void slip_account_step(slip_account *account, const slip_step *step);
/* Of a method with a ledger: the energies at a time of the step, where they are known. */
void slip_account_ledger(slip_account *account, const slip_step *step, double t);
void slip_account_impulse(slip_account *account, int contact, double impulse);

/* Energies and balance, after the last step. */
slip_energies slip_account_energies(slip_account *account);

/* The state of an account of a structure with a ledger, for checkpoints. */
void slip_account_keep(slip_account *account, slip_keeper *keeper);

/* q_i ~ amplitude sin(2 pi t / period - lag), 0 <= lag < 2 pi. */
void slip_account_fundamental(const slip_account *account, int i, double *amplitude, double *lag);

#endif
