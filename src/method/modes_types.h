/* Between modes.c and modes_many.c. */
#ifndef SLIP_METHOD_MODES_TYPES_H
#define SLIP_METHOD_MODES_TYPES_H

#include "math/pgs.h"
#include "method/modes.h"

struct slip_modes {
    const slip_system *system;
    slip_workspace *work;
    slip_arena arena;
    int count;
    int *free;   /* contacts with a choice */
    int *digits; /* the choice of each */
    slip_branch *trial;
    bool *single;   /* of each unilateral contact: alone and at rest it has one consistent mode */
    bool *clinging; /* of each contact: static friction is above kinetic friction */
    double *a, *a_free, *a_best, *q_ahead, *v_ahead;
    double size;    /* of what adds up to the accelerations */
    double largest; /* the largest of these so far */
    double reserve; /* of the last consistent choice: how far it is from inconsistent, ahead */
    struct complementarity *problem; /* of more contacts than can be searched; NULL where there are not */
};

/* The contacts with a choice as one linear complementarity problem: at most two rows a contact. */
typedef struct complementarity {
    int m;
    int *contact; /* of each row */
    slip_pgs_row *rows;
    slip_pgs_state *states;
    double *directions, *responses; /* m x n */
    double *gram, *initial, *p, *y;
    /* of the way to a corner */
    double *reduced, *move;
    int *pivot;
    slip_pgs_memory memory;
} complementarity;

/* Puts a contact into a mode. */
void slip_modes_set(const slip_contact *contact, slip_branch *branch, slip_mode mode);

/* The friction coefficient with which a contact at rest starts to slip. */
double slip_modes_starting_friction(const slip_contact *contact);

/* modes_many.c: memory for the problem; the trial modes by complementarity at one instant. */
bool slip_modes_create_problem(slip_modes *modes);
bool slip_modes_complement(slip_modes *modes, double t, const double *q, const double *v,
                           const slip_standing *standing);

#endif
