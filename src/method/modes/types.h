/* Structures and functions that modes.c, search.c, check.c, many.c and trial.c share. */
#ifndef SLIP_METHOD_MODES_TYPES_H
#define SLIP_METHOD_MODES_TYPES_H

#include "contact/problem.h"
#include "method/modes/modes.h"

/* A contact with a choice: its possible modes, and the price of each (releases and openings). */
typedef struct slip_choice {
    int contact, count;
    int part;     /* contacts of different parts do not influence each other at this instant */
    bool settled; /* the contact continues to stick, far from its limit */
    slip_mode modes[4];
    int price[4];
} slip_choice;

struct slip_modes {
    const slip_system *system;
    slip_workspace *work;
    slip_arena arena;
    int count;
    int free_count;
    slip_choice *free;      /* contacts with a choice */
    slip_mode *next;        /* of each of them */
    slip_mode *before;      /* mode of each contact when the decision began */
    slip_mode *part_before; /* of each contact of a part: its mode before the part was decided */
    slip_branch *trial, *asked, *spare, *chosen;
    bool *aside;    /* of each contact: it belongs to a part that is not being decided */
    int *mass_part; /* of each coordinate: the first one that the mass matrix couples it with */
    int *part;      /* the same, also coupled by contacts with a choice */
    bool *single;   /* of each unilateral contact: alone and at rest it has one consistent mode */
    bool *clinging; /* of each contact: static friction is above kinetic friction */
    bool *areas;    /* of each contact: its slip is a vector, with limits and directions from the flow */
    double *gap_compliance, *slip_compliance; /* of each contact: row M^-1 row; 0 where it has no such row */
    double *a, *a_free, *a_best, *q_ahead, *v_ahead;
    double *a_now;       /* accelerations at the instant, where `a` has those of a short time ahead */
    double t;            /* of the last evaluation, */
    const double *q, *v; /* and its state */
    bool at_now;         /* the last evaluation was that of the trial modes at the instant itself */
    bool wedged;         /* contacts may be wedged (SLIP_CLIP_WEDGED) */
    bool best_shared;    /* forces of the choice found first are not unique */
    int best_key;        /* its price by the rules of modes.h */
    double *best_size;   /* of each contact: the sum of squares of its forces in the best choice, */
    bool *best_shares;   /* and whether they are not unique */
    double *size;        /* of each coordinate: size of the terms of its acceleration */
    double *largest;     /* the largest of these so far */
    double *change;     /* of each coordinate: by how much loads change its acceleration ahead; see check.c */
    bool change_known;  /* `change` was computed in this decision */
    double *known;      /* scratch: 2 n */
    double *violations; /* of each contact: now, and a short time ahead */
    double shared_size; /* the largest of forces that are not unique, else zero */
    double reserve;     /* margin of the last consistent choice, a short time ahead */
    double slack;       /* violations up to this counted as zero in the last check of consistency */
    slip_modes_patches patches;
    slip_modes_foresight foresight;
    bool foreseen;                   /* the last decision was made by slip_modes_foresight */
    bool keep_directions;            /* directions of patches that start to slip are not changed */
    double *row;                     /* row of the slip along which a patch starts to slip */
    struct complementarity *problem; /* for more contacts than can be searched; else NULL */
};

/* The contacts with a choice as one linear complementarity problem: at most two rows a contact. */
typedef struct complementarity {
    int m;
    int *contact; /* of each row */
    slip_block *rows;
    slip_block_state *states;
    double *directions, *responses; /* m x n */
    double *gram, *initial, *p, *y;
    double *exact; /* the initial rates, undisturbed */
    double rest;   /* rates below this fraction of the largest count as zero */
    slip_contact_memory memory;
} complementarity;

/* Set the branch of a contact to a mode; `try`: its branch in the trial. */
void slip_modes_set(const slip_contact *contact, slip_branch *branch, slip_mode mode);
void slip_modes_try(slip_modes *modes, int contact, slip_mode mode);

/* The price of a contact that is released. Is static friction of a contact with a choice above kinetic
 * friction? */
int slip_modes_release_price(const slip_modes *modes);
bool slip_modes_any_clings(const slip_modes *modes);

/* The friction coefficient with which a contact at rest starts to slip. */
double slip_modes_starting_friction(const slip_law_kernel *law);

/* check.c: accelerations and contact forces of the given branches, whose clips are set (false where
 * they are not defined); after it, by how much a contact is not consistent at the time and the state of that
 * evaluation. */
bool slip_modes_evaluate(slip_modes *m, slip_branch *branches, double t, const double *q, const double *v);
double slip_modes_contact_violation(slip_modes *m, int c, const slip_standing *standing,
                                    const slip_branch *branch);
/* Are the trial modes consistent now, up to rounding in the event's location, and a short time ahead? */
bool slip_modes_consistent(slip_modes *m, const slip_instant *now, double *margin);

/* Whether a contact would be within its own limits if it stuck, all others as in the trial. */
bool slip_modes_could_stick(slip_modes *m, const slip_instant *now, int c);

/* trial.c: row M^-1 other; zero where a row is NULL. */
double slip_modes_product(const slip_modes *m, const double *row, const double *other);

/* search.c: all choices of a few contacts; the best goes to `branches`. `unique`: the acceleration is.
 */
int slip_modes_search(slip_modes *modes, const slip_instant *now, bool unique, slip_branch *branches,
                      int *contact);

/* many.c: memory for the contact problem. From stick and closed contacts on, what is beyond its limit
 * gives way, and what it then leaves to the others may be too much for these, and so on (`release`: one that
 * has come to its own limit first); true when that ends in consistent modes. Modes of more contacts than can
 * be searched: these give way, or follow from the contact problem. */
bool slip_modes_create_problem(slip_modes *modes);
bool slip_modes_give_way(slip_modes *modes, const slip_instant *now, const slip_branch *branches,
                         bool release);
int slip_modes_decide_many(slip_modes *modes, const slip_instant *now, slip_branch *branches);

#endif
