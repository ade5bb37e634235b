/* The method `exponential`: a linear structure is propagated exactly over each step, whatever its
 * frequencies, under loads that vary linearly in time and the mean of the contact forces.
 *
 * Coordinates h have a mass. Coordinates e have none, so that they are functions of the forces: the residual
 * deformations at the contact points of condensed bodies (flex/reduction.h).
 *
 *     M q_h'' + C q_h' + K_hh q_h + K_he q_e = f_h + W_h^T l,     K_eh q_h + K_ee q_e = f_e + W_e^T l.
 *
 * With A = K_ee^-1 and the eigenvectors V of M and K_hh - K_he A K_eh, q_h = V y, this is
 *
 *     y'' + D y' + w^2 y = p + R^T l,   p = V^T (f_h - K_he A f_e),   R = (W_h - W_e A K_eh) V,
 *     u = W q = R y + W_e A f_e + G l,  G = W_e A W_e^T,
 *
 * for the displacements u along the directions of the contacts. Off-diagonal entries of D are loads.
 *
 * In a step of length s the given loads vary linearly from p_0 to p_1, and the contact forces act with their
 * mean (l_0 + l_1)/2. With the response Y to a load that is constant over the step
 *
 *     u_1 = (u_1 without l_1) + (R Y R^T/2 + G) l_1,
 *
 * which is a contact problem for l_1: gaps and normal forces at the end of the step are not negative, and one
 * of the two is zero in each contact; friction at the end is that of the mean slip velocity of the step, of
 * (u_1 - u_0)/s and the motion of the counterpart. Since G makes the forces functions of the displacements
 * there are no impacts and no impulses. While contacts stay closed and stick, the work of the mean force is
 * exactly the change of the elastic energy of G: no step creates energy, and a step of any length is stable.
 * The states z of a law with memory are advanced with the mean slip velocity too, by the midpoint rule
 * (method/memory.h). Friction at the end of the step is that of z_1 and of the slip velocity there, which is
 * extrapolated from the means of this step and the one before: a sticking law is a spring with exact work.
 *
 * The step is chosen by the error of the linear forces: a second derivative causes an error s^3 F''/12 of the
 * impulse, a change D of the slope within the step at most s^2 D/8. The error of the linear extrapolation is
 * E = s^2 F'' or s D; E s/8 stays below tolerance^(3/2) F T, F the largest force so far (of p + R^T l) and T
 * the longest period. */
#ifndef SLIP_METHOD_EXPONENTIAL_TYPES_H
#define SLIP_METHOD_EXPONENTIAL_TYPES_H

#include "contact/plane.h"
#include "math/propagator.h"
#include "method/memory.h"
#include "method/method.h"

/* One instant. Numbers of the coordinates with a mass, of those without, of the directions. */
typedef struct slip_exponential_state {
    double *y, *rate;
    double *load;   /* p, and what D has beside its diagonal */
    double *follow; /* f_e */
    double *force;  /* l */
    double *place;  /* u */
    double *q, *v;  /* n of each; velocities without mass are those of the step */
} slip_exponential_state;

typedef struct slip_exponential_contact {
    int normal, tangent; /* first directions along gap and slip, -1: none */
    int rank;            /* directions along the slip */
    bool known;          /* its friction is a smooth function of the motion, no row of the problem */
    bool simple;         /* friction does not depend on the size of the slip velocity: */
    double hold, slide;  /* these, for unit normal force */
    double *belt;        /* rank numbers: the slip velocities of the step without any of the coordinates */
    slip_plane plane;    /* of a slip of more than one dimension */
    bool takes_part;     /* in this step: it may be closed at its end */
    double slip[3];      /* mean of the step; of an area x, y, spin */
    double turned;       /* of a smooth law: the mean slip velocity around which it is linear */
    double past[3];      /* the mean slip of the step before, NAN where it was open */
    struct slip_exponential *of; /* of a law with memory in the plane: the method, and which contact it is */
    int number;
    slip_mode mode, next; /* before the step that is attempted, and in it */
    bool mode_known;
} slip_exponential_contact;

/* The contact problem of a step. */
typedef struct slip_exponential_problem {
    int m, planes;
    int *active; /* direction of each row */
    slip_block *blocks;
    slip_block_state *states; /* of each direction, last time */
    double *initial, *gram;
    slip_contact_solution solution;
    slip_contact_memory memory;
} slip_exponential_problem;

/* How long steps are: the next one, the bounds of all, and what tells an allowed error: the longest period of
 * the structure, and the largest |p + R^T l| so far. */
typedef struct slip_exponential_length {
    double next, longest, least, period, scale;
} slip_exponential_length;

typedef struct slip_exponential {
    slip_context *ctx;
    const slip_system *system;
    slip_method_options options;
    slip_arena arena;
    slip_workspace *work;
    int n, moving, heavy, light, direction_count, contact_count;
    int *of_heavy, *of_light; /* coordinates */
    double *vectors;          /* V: one eigenvector after the other */
    double *answer;           /* A */
    double *carry;            /* -A K_eh: light x heavy */
    double *coupling;         /* D without its diagonal; NULL: it is zero */
    double *rows;             /* W: n numbers of each direction */
    bool *solved;             /* of each: its force is one of the contact problem; else it is known */
    double *modal;            /* R: heavy numbers of each */
    double *give;             /* W_e A: light numbers of each */
    double *flexibility;      /* G */
    slip_exponential_contact *contacts;
    slip_propagator *propagator, *viewer;
    double gram_step, *gram; /* R Y R^T/2 + G of a step */
    bool iterate;            /* something depends on the state at the end of the step */
    double t, h;             /* now; length of the step that was attempted last */
    slip_exponential_state now, next;
    double before,
        *past; /* length of the step before now, 0: nothing is known of it; p + R^T l at its start */
    slip_exponential_problem problem;
    /* Scratch: n, n, heavy, directions, directions, heavy. */
    double *loads, *zero, *sum, *free_place, *old, *old_load;
    double *memory_room; /* of laws with memory */
    /* Of the attempted step. */
    bool settled;
    double step_residual, defect, size; /* E; |p + R^T l| at its end */
    /* The method. */
    slip_exponential_length length;
    double residual, opened_at;
    int64_t steps, rejected, events;
    slip_step view;
    double *seen_q, *seen_v; /* scratch of looks */
    double *ends[2];         /* accelerations at both ends of the step that is shown */
} slip_exponential;

/* make.c: the matrices and directions above; fails for what the method cannot do, and says what can. */
int slip_exponential_make(slip_exponential *x);

/* contact.c: everything that asks what a contact is. The directions of all contacts. */
int slip_exponential_list(slip_exponential *x);
/* Fails where a contact has no flexibility to be solved with, or is none that the method has. */
int slip_exponential_check_contacts(slip_exponential *x);
/* Before the first turn of a step that ends at t: who takes part. In each: the slip velocities of
 * counterparts, laws that vary, and the forces that are known from the state at its end. */
void slip_exponential_meet(slip_exponential *x, double t);
int slip_exponential_know(slip_exponential *x, double t);
/* The forces at the end of the step for the places x->free_place without them; `span` is its length, or 1
 * where it has none. `turn` counts repetitions. */
int slip_exponential_solve(slip_exponential *x, double t, double span, int turn);
/* Whether some contact that took no part would overlap: it takes part from now on. */
bool slip_exponential_overlaps(slip_exponential *x, double t);
/* Modes at the end of the attempted step; tells what has changed. */
void slip_exponential_find_modes(slip_exponential *x);
int slip_exponential_tell(slip_exponential *x, const slip_observer *observer);
/* Contacts at a share of the step, with q and v there in the scratch of looks. */
void slip_exponential_look(const slip_exponential *x, double t, double share, slip_sample *sample);
/* Works of contacts in the attempted step, and their largest forces. */
void slip_exponential_contact_works(const slip_exponential *x, const slip_works *to);

/* step.c. The state at the start. */
int slip_exponential_begin(slip_exponential *x, const double *q, const double *v);
/* Computes `next` a time h after now. */
int slip_exponential_attempt(slip_exponential *x, double h);
void slip_exponential_accept(slip_exponential *x);
/* At a share of the attempted step. */
void slip_exponential_between(const slip_exponential *x, double share, double *q, double *v, double *a);

#endif
