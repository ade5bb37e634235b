/* Fixed-step methods that solve the contact laws in each step.
 *
 * With v_a = a v_1 + (1 - a) v_0 (a is theta, 1/2 to 1), q_a = q_0 + a h v_a and the load at t_0 + a h, a
 * step is
 *
 *     M (v_1 - v_0) = h (f - C v_a - K q_a) + sum W p,     q_1 = q_0 + h v_a,
 *
 * linear in v_1 and the impulses p:
 *
 *     v_1 = free + A^-1 W p,   A = M + a h C + a^2 h^2 K,
 *     free = v_0 + h A^-1 (f - C v_0 - K (q_0 + a h v_0)).
 *
 * Loads that are linear in coordinates, velocities and states are part of C and K here, so that they are
 * implicit too. A is inverted once for each step size. Each direction of a contact that takes part has a
 * velocity y = W . v_1
 * + shift for which its law is solved (contact/problem.h). The methods differ in what y is:
 *
 * - the slip velocity at the end of the step (`moreau`, `midpoint_stabilised`), or twice that of its middle
 *   (`midpoint`), so that stick makes it zero;
 * - the gap's rate at the end plus e times that at the beginning (`moreau`: restitution e, impulses and
 * forces in one), at the end (`midpoint_stabilised`), or twice that of the middle (`midpoint`).
 *
 * Contacts take part by the gap: in `moreau` when the gap half a step ahead, gap + h/2 rate, is closed; in
 * the others while it is closed at the beginning, and a gap that has become negative ends the step with an
 * impact.
 *
 * Laws that depend on more than the sign of the slip velocity take it at v_a (in the plane: contact/plane.h);
 * they, loads, normal forces and belt speeds that depend on the state are iterated until v_a repeats.
 *
 * Where the mass matrix or directions W depend on the coordinates they are taken at q_a and t_0 + a h, and A
 * is inverted anew in each turn of the iteration.
 *
 * The field of whole bodies (system/field.h) is part of the step by its contacts alone: field.c.
 *
 * Invariants between steps:
 *  1. q, v is the state at t; q0, v0 that at t0, and impulses and states are those of the step in between.
 *  2. The matrices belong to the step size matrices.h.
 *  3. A row in state ZERO has W . v = -shift, to the last bit where W has a single entry. */
#ifndef SLIP_METHOD_FIXED_H
#define SLIP_METHOD_FIXED_H

#include "contact/plane.h"
#include "math/vector.h"
#include "method/impact.h"
#include "method/memory.h"
#include "method/method.h"

struct slip_fixed;
struct slip_fixed_field;
/* What a step does with whole bodies: implicitly (implicit.c), by central differences (lumped.c). */
typedef struct slip_fixed_whole {
    bool local; /* an impulse moves the unknowns of its own row alone */
    int (*create)(struct slip_fixed *fixed);
    void (*destroy)(struct slip_fixed_field *field);
    /* For a step size; what bodies that turn take from the n x n matrix M + a h C + a^2 h^2 K. */
    int (*factor)(struct slip_fixed *fixed, double h, double *matrix);
    /* What such bodies add to the responses of the listed directions, with the inverse of that matrix times
     * the scale; and what the field adds to the Gram matrix of these. The first may be NULL, where none
     * turns. */
    void (*respond)(struct slip_fixed *fixed, int count, const int *list, const double *inverse,
                    double scale);
    void (*add_gram)(struct slip_fixed *fixed, int count, const int *list);
    /* The step begins: velocities of the directions without impulses and without what the n do. */
    void (*begin)(struct slip_fixed *fixed);
    /* The n without impulses (`free`) and bodies that turn with them; may be NULL. */
    void (*free)(struct slip_fixed *fixed);
    /* Impulses were found: what the directions do at the end of the step. */
    void (*answer)(struct slip_fixed *fixed);
    /* The step ends: velocities, positions and accelerations of all unknowns. */
    void (*end)(struct slip_fixed *fixed);
    /* The work of its loads in the step, and what its damping takes. */
    void (*works)(const struct slip_fixed *fixed, double *loads, double *damping);
} slip_fixed_whole;
extern const slip_fixed_whole slip_fixed_implicit, slip_fixed_lumped;

typedef struct slip_fixed_rules {
    const char *name;
    bool middle;    /* laws hold for the velocity of the middle of the step; else for that of its end */
    bool impulsive; /* impacts are part of the step; else they end it */
    const slip_fixed_whole *whole; /* NULL: it takes no whole bodies */
} slip_fixed_rules;

/* One direction of a contact: along its gap or along its slip. */
typedef struct slip_fixed_direction {
    int contact;
    bool normal;
    const double *row;
    const slip_tail *tail; /* among the unknowns of the field; NULL: nothing */
    int support_count;
    int pin;          /* the only coordinate in the row, or -1 */
    int group, place; /* its number there */
} slip_fixed_direction;

/* Contacts that move something in common: their rows are a contact problem of their own, and G has no entries
 * between groups. In implicit steps everything moves everything, and all contacts are one group. */
typedef struct slip_fixed_group {
    int first, count; /* its contacts, in the list of all by groups */
    int directions;
    int member;   /* where its directions begin in the list of these by groups */
    int64_t gram; /* and its part of G: directions x directions */
    int row, m;   /* in this step: its rows, */
    int planes;   /* and how many planes are among them */
} slip_fixed_group;

/* What a step does with friction, by the dimension of the slip: along a line (contact.c), along a vector
 * (patch.c). */
typedef struct slip_fixed_friction {
    int (*add)(struct slip_fixed *fixed, int contact); /* its directions */
    /* The row of one of these whose coefficients vary. */
    void (*turn)(const struct slip_fixed *fixed, int direction, double t, const double *q, double *row);
    /* Its rows of a step: the row of its normal impulse, or -1 and that impulse; or none, where it is open.
     */
    void (*collect)(struct slip_fixed *fixed, int contact, int normal, double impulse, int turn);
    void (*leave)(struct slip_fixed *fixed, int contact);
    void (*remember)(struct slip_fixed *fixed, int contact); /* states of its law at the end */
    slip_mode (*mode)(struct slip_fixed *fixed, int contact);
    void (*view)(const struct slip_fixed *fixed, int contact, double t, slip_sample *sample);
    void (*work)(const struct slip_fixed *fixed, int contact, double t, const slip_works *to);
} slip_fixed_friction;
extern const slip_fixed_friction slip_fixed_line, slip_fixed_vector;

typedef struct slip_fixed_contact {
    const slip_fixed_friction *friction;
    int normal, tangent; /* directions, -1: none */
    bool simple;         /* friction does not depend on the size of the slip velocity */
    double hold, slide;
    const double *spring; /* that presses on it; NULL: it is rigid, or has no gap */
    double gap;           /* at the beginning of the step, of one with a spring */
    double gap_rate;      /* at the beginning of the step */
    double impact_part;   /* of its normal impulse, in a method whose steps contain impacts */
    bool struck;          /* most of that impulse is such a part, and has the friction of impacts */
    bool active;          /* takes part in this step */
    bool held_before;     /* it was stuck at the beginning of the step */
    slip_mode mode;
    bool mode_known;
    slip_block_state reported; /* the state that `mode` stands for, where it is that alone */
} slip_fixed_contact;

/* A contact whose slip has more than one dimension (patch.c). */
typedef struct slip_fixed_patch {
    int contact;
    const slip_patch_form *form;
    int first;       /* of its directions, along the basis of its plane */
    double shift[3]; /* in this step: slip without velocities */
    slip_plane plane;
    const struct slip_fixed *fixed; /* for its law, where that has memory */
} slip_fixed_patch;

typedef struct slip_fixed_field slip_fixed_field;

/* Steps are counted from the start, start + k h, so that rounding does not add up. */
typedef struct slip_fixed_clock {
    double start, limit, h;
    int64_t number, count;
} slip_fixed_clock;

/* What makes a step linear: free = from_v v_0 - from_q q_0 + from_f f. */
typedef struct slip_fixed_matrices {
    const double *damping, *stiffness; /* of the system, less the loads that are linear */
    double h, inverse_h;               /* the step size that the others belong to */
    double *from_v, *from_q, *from_f;
    double *responses, *gram; /* A^-1 W of each direction, and W A^-1 W of each group */
    int *pivots;
} slip_fixed_matrices;

/* Contacts that have a problem in common (group.c). */
typedef struct slip_fixed_groups {
    slip_fixed_group *list, *now; /* and the one whose rows are collected */
    int count;
    int *contacts, *directions; /* by groups */
} slip_fixed_groups;

/* The contact problem in a step. */
typedef struct slip_fixed_rows {
    int m;       /* rows */
    int *active; /* direction of each row */
    slip_block *rows;
    double *shift, *initial, *gram;
    double *give; /* what is added to the diagonal of G, of contacts with springs; NULL without these */
    slip_contact_solution solution;
    slip_contact_memory memory;
} slip_fixed_rows;

/* Impacts that end steps, and of each contact in them whether its gap is closed, and the impulse. */
typedef struct slip_fixed_impacts {
    slip_impact *solver;
    bool *at_stop;
    double *impulses;
    /* Restitutions that contradict each other (a body wedged between two stops that both throw it back) are
     * taken as 0 in this step. */
    bool plastic;
} slip_fixed_impacts;

typedef struct slip_fixed {
    slip_context *ctx;
    const slip_system *system;
    const slip_fixed_rules *rules;
    slip_method_options options;
    slip_arena arena;
    slip_workspace *work;
    double theta;
    int n, contact_count, direction_count;
    int64_t size; /* of q and v: n, and the unknowns of the field */
    slip_fixed_field *field;
    int moving;         /* coordinates among the n; the others are states, whose positions stay zero */
    bool iterate;       /* something depends on the state at the end of the step */
    bool constant_rows; /* nothing about the contacts changes from step to step */
    bool rows_ready;    /* such rows are there for this step size */
    bool quick;         /* see quick.c */
    bool varying;       /* the mass matrix, or directions of contacts, depend on the state */
    double *rows_now;   /* n of each direction, where they do: at the place of slip_fixed_place; and n more */
    bool damped, skew;  /* by a damping matrix; its stiffness is not symmetric */
    slip_step view;     /* what the observer sees */
    /* Where quick steps add their works, of which all count; NULL: elsewhere. Whether the last one did. */
    const slip_works *to;
    bool added;

    slip_fixed_clock clock;
    double opened_at;
    double t, *q, *v, t0, *q0, *v0, *a;
    bool started;
    slip_fixed_matrices matrices;

    slip_fixed_direction *directions;
    slip_fixed_contact *contacts;
    slip_fixed_patch *patches;
    slip_fixed_groups groups;
    double *impulses; /* of each direction, in the last step */
    slip_block_state *states;
    slip_fixed_rows problem;
    slip_fixed_impacts impacts;

    double *force, *free, *at_q, *at_v, *end_q; /* scratch of n numbers each, and of the field */
    double *memory_z;                           /* of laws with memory */
    double *limits; /* of sliders whose laws vary: at the beginning of the step, at its end; NULL: none do */
    double *known;  /* the force, less the loads that are linear */
    double *zero;   /* no velocities; states by slip_fixed_only_states */
    bool *pinned;
    double step_residual, residual;
    int64_t steps, events;
} slip_fixed;

int slip_fixed_open(slip_context *ctx, const slip_system *system, const slip_method_options *options,
                    const slip_fixed_rules *rules, double theta, double t, const double *q, const double *v,
                    void **self);
int slip_fixed_advance(void *self, double end, const slip_observer *observer);
void slip_fixed_state(const void *self, double *t, double *q, double *v);
void slip_fixed_remember(const void *self, slip_method_memory *memory);
void slip_fixed_counters(const void *self, slip_method_counters *counters);
void slip_fixed_close(void *self);

/* ---- Between the files. */

/* The velocity of a direction, of x with all its unknowns. */
static inline double slip_fixed_along(const slip_fixed *f, int direction, const double *x)
{
    const slip_fixed_direction *d = &f->directions[direction];
    return slip_dot(f->n, d->row, x) + (d->tail ? slip_tail_dot(d->tail, f->n, x) : 0);
}

/* The states among these velocities, and nothing else. */
static inline const double *slip_fixed_only_states(const slip_fixed *f, const double *v)
{
    for (int i = f->moving; i < f->n; i++)
        f->zero[i] = v[i];
    return f->zero;
}

/* contact.c: the contact problem of a step. */

/* Directions, and what of the laws can be known beforehand. Fails for what the methods cannot do. */
int slip_fixed_prepare(slip_fixed *fixed);

/* Which contacts take part in the step that begins now. */
void slip_fixed_activate(slip_fixed *fixed);

/* The rows for the laws at the velocities `at_v`; `turn` counts the iterations. Fails when a normal force is
 * negative. */
int slip_fixed_collect(slip_fixed *fixed, int turn);

/* Solves them, and gives the velocity at the end of the step. */
void slip_fixed_solve(slip_fixed *fixed);

/* The states of laws with memory at the end of the step, for the velocity found last. */
void slip_fixed_remember_states(slip_fixed *fixed);

/* The modes at the end of the step; reports what has changed. */
int slip_fixed_report(slip_fixed *fixed, const slip_observer *observer);

/* The step as laws with memory have it, which hold at `part` of it. */
static inline slip_memory_step slip_fixed_memory(const slip_fixed *f, double part)
{
    return (slip_memory_step){.system = f->system,
                              .work = f->work,
                              .h = f->matrices.h,
                              .part = part,
                              .tuned = f->theta,
                              .before = f->v0,
                              .room = f->memory_z,
                              .limits = f->limits};
}

/* group.c: finds the groups of the directions that there are. */
int slip_fixed_find_groups(slip_fixed *fixed);
static inline double slip_fixed_gram(const slip_fixed *f, int direction)
{
    const slip_fixed_direction *d = &f->directions[direction];
    const slip_fixed_group *g = &f->groups.list[d->group];
    return f->matrices.gram[g->gram + (int64_t)d->place * (g->directions + 1)];
}
/* The rows of a group begin. */
void slip_fixed_begin_rows(slip_fixed *fixed, slip_fixed_group *group);
/* Its contact problem, after slip_fixed_gather_gram; all of them solved, with the residual. */
slip_contact_problem slip_fixed_problem(const slip_fixed *fixed, const slip_fixed_group *group);
double slip_fixed_solve_rows(slip_fixed *fixed);

/* Another direction, and another row of the problem, at the values of the step before; their numbers, of a
 * row that in its group. `row` is NULL where it varies. */
int slip_fixed_add_direction(slip_fixed *fixed, int contact, bool normal, const double *row);
/* What it has among the unknowns of the field; nothing where the tail is empty. */
void slip_fixed_add_tail(slip_fixed *fixed, int direction, const slip_tail *tail);
int slip_fixed_add_row(slip_fixed *fixed, int direction, double shift, slip_block row);
/* G of the rows that there are, from that of all directions, with what springs give. */
void slip_fixed_gather_gram(slip_fixed *fixed);

/* spring.c: what the row of a contact that a spring presses on has; false where it does not touch. */
bool slip_fixed_spring_row(const slip_fixed *fixed, int contact, double *shift, double *give);
/* Its force at the state (at_q, at_v) of time t. */
double slip_fixed_spring_force(const slip_fixed *fixed, int contact, double t);

/* patch.c: contacts whose slip has more than one dimension, with rules whose stick holds at the end of
 * the step. Which of them can only rest together; in a step, after all rows are there, with G of these: which
 * are solved as one and for which slip the laws hold. */
int slip_fixed_patch_group(slip_fixed *fixed);
void slip_fixed_patch_join(slip_fixed *fixed, int turn);

/* line.c: the normal force that is shown at the state (at_q, at_v) of time t; what is shown of a contact, and
 * the work of its friction. */
double slip_fixed_view_normal(const slip_fixed *fixed, int contact, double t);
void slip_fixed_line_view(const slip_fixed *fixed, int contact, double t, slip_sample *sample);
void slip_fixed_line_work(const slip_fixed *fixed, int contact, double t, const slip_works *to);

static inline void slip_fixed_note(double value, double *largest)
{
    const double size = fabs(value);
    *largest = size > *largest ? size : *largest;
}

/* Whether a contact of kind friction does what it did in the step before, as most do in most steps. */
static inline bool slip_fixed_goes_on(const slip_fixed *fixed, const slip_fixed_contact *contact)
{
    return contact->mode_known && contact->normal < 0 && contact->tangent >= 0 &&
           fixed->states[contact->tangent] == contact->reported;
}

/* quick.c: a whole step of one contact of kind friction whose bound does not change, when its row is
 * ready: what slip_fixed_solve and the rest of the step do, bit for bit, compiled for one and for two
 * coordinates. */
bool slip_fixed_quick_applies(const slip_fixed *fixed);
void slip_fixed_quick(slip_fixed *fixed, const double *loads);

/* field.c: the unknowns of whole bodies in a step, whatever it does with them. What the directions do at the
 * point a; returns by how much that has changed. */
double slip_fixed_field_point(slip_fixed *fixed);
/* What rounding of the field is compared with at the start of a step: the largest displacement in it, or
 * velocity. A node that rests on a plane has almost none of its own. */
double slip_fixed_field_size(const slip_fixed_field *field, bool velocity);
/* The largest velocity of a direction at the start of the step or without impulses. */
double slip_fixed_field_scale(const slip_fixed *fixed);
/* Its part in the velocity of a direction: without impulses, at the start, at the point a and at the end. */
typedef enum slip_fixed_moment {
    SLIP_FIXED_FREE,
    SLIP_FIXED_START,
    SLIP_FIXED_POINT,
    SLIP_FIXED_END,
    SLIP_FIXED_MOMENTS
} slip_fixed_moment;
double slip_fixed_field_part(const slip_fixed_field *field, slip_fixed_moment moment, int direction);
/* The velocity of a direction then, where `x` has it of the n. */
static inline double slip_fixed_moves(const slip_fixed *f, slip_fixed_moment moment, int direction,
                                      const double *x)
{
    return slip_dot(f->n, f->directions[direction].row, x) +
           (f->field ? slip_fixed_field_part(f->field, moment, direction) : 0);
}
/* Fails where one of its bodies has an unknown that is not finite. */
int slip_fixed_field_diagnose(const slip_fixed *fixed);
/* At a time in the step: some of its unknowns, or all; what contacts read of it, into at_q and at_v. */
void slip_fixed_field_view(const void *fixed, double t, const int64_t *list, int64_t count, double *q,
                           double *v);
void slip_fixed_field_read(const slip_fixed *fixed, double t);

/* work.c: adds the works of the last step. */
void slip_fixed_add_works(const slip_fixed *fixed, const slip_works *to);

/* impact.c: whether the step ends in an impact, of contacts whose gap has closed; and the impact. */
bool slip_fixed_lands(slip_fixed *fixed);
int slip_fixed_land(slip_fixed *fixed, const slip_observer *observer);

/* How much of the normal impulses of the step that begins now is that of impacts alone. */
void slip_fixed_part_impact(slip_fixed *fixed);

/* Was the gap closing when the step began? Rounding aside: contacts that last have a rate that is not exactly
 * zero. */
bool slip_fixed_approaches(const slip_fixed *fixed, int contact);

/* The gap counts as closed below this: rounding of its own terms. */
double slip_fixed_gap_tolerance(const slip_fixed *fixed, int contact, const double *q, const double *v);

/* The restitution of a contact in this step. */
static inline double slip_fixed_restitution(const slip_fixed *fixed, int contact)
{
    return fixed->impacts.plastic ? 0 : fixed->system->contacts[contact].restitution;
}

/* A residual that is more than `part` of the velocities: the laws have no solution, or it was not found. */
bool slip_fixed_unsolved(const slip_fixed *fixed, double residual, double part);

/* Fails when the laws were not solved, and names the contact. */
int slip_fixed_check(slip_fixed *fixed);

/* A change of mode, or (forced) a bounce from open to open. */
int slip_fixed_change(slip_fixed *fixed, int contact, slip_mode mode, bool forced,
                      const slip_observer *observer);

#endif
