/* The account of a motion: its energy balance (works of contacts, loads and dampers), the largest contact
 * forces, and the fundamental. */
#ifndef SLIP_RESULT_ACCOUNT_H
#define SLIP_RESULT_ACCOUNT_H

#include "base/memory.h"
#include "io/keep.h"
#include "method/method.h"
#include "result/maxima.h"

/* Energies and works of a whole run, J; NAN where they are not known. balance: the error of the energy
 * balance, relative to the largest energy. */
typedef struct slip_energies {
    double kinetic[2], potential[2]; /* at the start and at the end */
    double largest;                  /* of their sum, at the ends of steps */
    double loads, damping, impacts; /* work of the loads; energy lost by the damping matrix, and in impacts */
    double balance;
    double start, end, drift; /* for methods with a ledger: its balanced sum at the start and at the end, and
                                 the largest error of the balance at any time, relative to `largest` */
    double frame[2]; /* T1 + 2 T0 of a kinetic energy that depends on time (system/structure/structure.h) */
} slip_energies;

typedef struct slip_account {
    int n, moving, contact_count; /* moving: number of coordinates among the n; the others are states */
    const slip_system *system;    /* NULL: no works, no energies */
    const double *mass;           /* without the rows of states */
    slip_workspace *work;         /* separate from the method's; NULL until a step needs it */
    bool loaded, damped, skew;    /* there are loads, damping, a stiffness that is not symmetric */
    bool started, struck;         /* struck: an impact has happened since the last step */
    slip_energies energies;
    slip_ledger before; /* for a structure with a ledger: the ledger at the start, valid if `known` */
    double known, off;  /* 1: `before` is valid; largest error of the balance since then, J */
    /* Of each contact: largest normal force, friction and impulse (negative: none yet), work on the
     * coordinates, energy lost. */
    double *normal, *force, *impulse, *done, *taken;
    slip_works works; /* sums over all steps */
    slip_maxima forces;
    /* Integrals of q cos(2 pi t / period) and q sin(2 pi t / period), and their length in time. */
    double period, *cosine, *sine, covered;
    slip_sample sample;
    /* Energies of a field are expensive compared with a step: they are computed every few steps, and at the
     * end from the last state. */
    int64_t steps;
    double leap, shift; /* `leap` of the last step; jump of the energies by changes of it */
    double seen_at, *seen_q, *seen_v;
    double *at_nodes, *loads;
    double *at_ends;    /* forces and normal forces at both ends of a step, */
    bool ends_known[2]; /* whether they have been evaluated */
} slip_account;

/* All memory except the workspace is the arena's. period: NAN if no fundamental is wanted. Only works of
 * steps between `from` and `end` count. */
int slip_account_create(slip_context *ctx, slip_account *account, slip_arena *arena,
                        const slip_system *system, int n, int contact_count, double period, double from,
                        double end);
void slip_account_free(slip_account *account);

/* Allocates what steps of methods without works need; to be called before the first of them. */
int slip_account_prepare(slip_context *ctx, slip_account *account);
/* Before the first step, if an impact happens at the start: the state before it. */
void slip_account_start(slip_account *account, double t, const double *q, const double *v);
void slip_account_step(slip_account *account, const slip_step *step);
/* For a method with a ledger: takes the energies at time t of a step, if they are known. */
void slip_account_ledger(slip_account *account, const slip_step *step, double t);
void slip_account_impulse(slip_account *account, int contact, double impulse);

/* The energies and the balance, to be called after the last step. */
slip_energies slip_account_energies(slip_account *account);

/* The state of an account of a structure with a ledger, for checkpoints. */
void slip_account_keep(slip_account *account, slip_keeper *keeper);

/* q_i ~ amplitude sin(2 pi t / period - lag), 0 <= lag < 2 pi. */
void slip_account_fundamental(const slip_account *account, int i, double *amplitude, double *lag);

#endif
