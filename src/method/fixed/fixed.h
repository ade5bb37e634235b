/* Fixed-step methods that solve the contact laws in each step.
 *
 * With v_a = a v_1 + (1 - a) v_0 (a is theta, 1/2 to 1), q_a = q_0 + a h v_a and the load f at t_0 + a h, a
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
 * implicit too. A is inverted once for each step size. For each direction of a contact that takes part, the
 * law is solved for a velocity y = W . v_1 + shift (contact/problem.h). The methods differ in what y is:
 *
 * - the slip velocity at the end of the step (`moreau`, `midpoint_stabilised`), or twice that of its middle
 *   (`midpoint`), so that stick makes it zero;
 * - the gap's rate at the end plus e times that at the beginning (`moreau`: restitution e, impulses and
 * forces in one), at the end (`midpoint_stabilised`), or twice that of the middle (`midpoint`).
 *
 * The gap decides whether a contact takes part: in `moreau` when the gap half a step ahead, gap + h/2 rate,
 * is closed; in the others when it is closed at the beginning, and a gap that has become negative ends the
 * step with an impact.
 *
 * Laws that depend on more than the sign of the slip velocity are evaluated at v_a (in the plane:
 * contact/plane.h); such laws, and loads, normal forces and belt speeds that depend on the state, are
 * iterated until v_a converges.
 *
 * Where the mass matrix or directions W depend on the coordinates they are taken at q_a and t_0 + a h, and A
 * is inverted anew in each turn of the iteration.
 *
 * The field of whole bodies (system/field.h) enters the contact problem through its contacts only: field.c.
 *
 * Invariants between steps:
 *  1. q, v is the state at t; q0, v0 that at t0, and impulses and states belong to the step from t0 to t.
 *  2. The matrices belong to the step size matrices.h.
 *  3. A row in state ZERO has W . v = -shift, exactly where W has a single entry. */
#ifndef SLIP_METHOD_FIXED_H
#define SLIP_METHOD_FIXED_H

#include "contact/plane.h"
#include "math/vector.h"
#include "method/impact.h"
#include "method/memory.h"
#include "method/method.h"

struct slip_fixed;
struct slip_fixed_field;
/* The functions by which a step integrates whole bodies: implicitly (implicit.c) or by central differences
 * (lumped.c). */
typedef struct slip_fixed_whole {
    bool local; /* an impulse changes only the velocities of unknowns in its own row */
    int (*create)(struct slip_fixed *fixed);
    void (*destroy)(struct slip_fixed_field *field);
    /* Factors the matrices for a step size; subtracts the part of rotating bodies from the n x n matrix M + a
     * h C + a^2 h^2 K. */
    int (*factor)(struct slip_fixed *fixed, double h, double *matrix);
    /* `respond` adds the part of rotating bodies to the responses of the listed directions, with the inverse
     * of that matrix times the scale (NULL where no body rotates); `gram` adds the part of the field to their
     * Gram matrix. */
    void (*respond)(struct slip_fixed *fixed, int count, const int *list, const double *inverse,
                    double scale);
    void (*add_gram)(struct slip_fixed *fixed, int count, const int *list);
    /* Begins a step: velocities of the directions without impulses and with the n coordinates at rest. */
    void (*begin)(struct slip_fixed *fixed);
    /* The motion without impulses (`free`) of the n coordinates and of bodies that rotate with them; may be
     * NULL. */
    void (*free)(struct slip_fixed *fixed);
    /* After the impulses were found: velocities of the directions at the end of the step. */
    void (*answer)(struct slip_fixed *fixed);
    /* Ends a step: velocities, positions and accelerations of all unknowns. */
    void (*end)(struct slip_fixed *fixed);
    /* The work of loads on the field in the step, and the energy that its damping dissipates. */
    void (*works)(const struct slip_fixed *fixed, double *loads, double *damping);
} slip_fixed_whole;
extern const slip_fixed_whole slip_fixed_implicit, slip_fixed_lumped;

typedef struct slip_fixed_rules {
    const char *name;
    bool middle;    /* laws hold for the velocity of the middle of the step; else for that of its end */
    bool impulsive; /* impacts are part of the step; else they end it */
    const slip_fixed_whole *whole; /* NULL: the method takes no whole bodies */
} slip_fixed_rules;

/* One direction of a contact: along its gap or along its slip. */
typedef struct slip_fixed_direction {
    int contact;
    bool normal;
    const double *row;
    const slip_tail *tail; /* its part among the unknowns of the field; NULL: none */
    int support_count;
    int pin;          /* the only coordinate in the row, or -1 */
    int group, place; /* its number there */
} slip_fixed_direction;

/* A group of contacts that act on common unknowns: their rows are a contact problem of their own, and G has
 * no entries between groups. In implicit steps all unknowns are coupled, and all contacts are one group. */
typedef struct slip_fixed_group {
    int first, count; /* its contacts, in the list of all by groups */
    int directions;
    int member;   /* index of its first direction in the list of directions by groups */
    int64_t gram; /* index of its part of G, directions x directions */
    int row, m;   /* in this step: its rows, */
    int planes;   /* and how many planes are among them */
} slip_fixed_group;

/* The functions for friction by the dimension of the slip: along a line (contact.c), or in the plane
 * (patch.c). */
typedef struct slip_fixed_friction {
    int (*add)(struct slip_fixed *fixed, int contact); /* its directions */
    /* Computes the row of a direction whose coefficients vary. */
    void (*turn)(const struct slip_fixed *fixed, int direction, double t, const double *q, double *row);
    /* Adds the rows of a step. `normal`: the row of the normal impulse, or -1 where `impulse` is given. None
     * is added for an open contact. */
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
    const double *spring; /* parameters of a compliant contact; NULL: rigid, or no gap */
    double gap;           /* gap of a compliant contact at the beginning of the step */
    double gap_rate;      /* at the beginning of the step */
    double impact_part;   /* part of impacts in its normal impulse, in a method whose steps contain impacts */
    bool struck;          /* most of the impulse is from impacts, and has the friction of impacts */
    bool active;          /* takes part in this step */
    bool held_before;     /* it was stuck at the beginning of the step */
    slip_mode mode;
    bool mode_known;
    slip_block_state reported; /* the state of its row that alone determines `mode` */
} slip_fixed_contact;

/* A contact whose slip has more than one dimension (patch.c). */
typedef struct slip_fixed_patch {
    int contact;
    const slip_patch_form *form;
    int first;       /* the first of its directions, along the basis of its plane */
    double shift[3]; /* in this step: slip velocity at zero velocities (belts) */
    slip_plane plane;
    const struct slip_fixed *fixed; /* used by its law, where that has memory */
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

/* The groups of contacts, each with a contact problem of its own (group.c). */
typedef struct slip_fixed_groups {
    slip_fixed_group *list, *now; /* all groups, and the one whose rows are being collected */
    int count;
    int *contacts, *directions; /* by groups */
} slip_fixed_groups;

/* The contact problem in a step. */
typedef struct slip_fixed_rows {
    int m;       /* rows */
    int *active; /* direction of each row */
    slip_block *rows;
    double *shift, *initial, *gram;
    double *give; /* compliance of compliant contacts, added to the diagonal of G; NULL: none are */
    slip_contact_solution solution;
    slip_contact_memory memory;
} slip_fixed_rows;

/* Impacts that end steps: for each contact whether its gap is closed, and its impulse. */
typedef struct slip_fixed_impacts {
    slip_impact *solver;
    bool *at_stop;
    double *impulses;
    /* Restitutions are 0 in this step, because they contradicted each other (a body wedged between two stops,
     * from both of which it would rebound). */
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
    bool constant_rows; /* the rows of contacts are the same in all steps */
    bool rows_ready;    /* constant rows are ready for this step size */
    bool quick;         /* see quick.c */
    bool varying;       /* the mass matrix, or directions of contacts, depend on the state */
    double *rows_now;   /* varying rows: n numbers for each direction, at the point of slip_fixed_place; and n
                           more */
    bool damped, skew;  /* there is a damping matrix; the stiffness matrix is not symmetric */
    slip_step view;     /* what the observer sees */
    /* Works to which quick steps add their own; NULL: they do not. Whether the last step did so. */
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
    double *zero;   /* zero velocities, with states by slip_fixed_only_states */
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

/* ---- Functions that the files of fixed/ share. */

/* The velocity along a direction, for velocities x of all unknowns. */
static inline double slip_fixed_along(const slip_fixed *f, int direction, const double *x)
{
    const slip_fixed_direction *d = &f->directions[direction];
    return slip_dot(f->n, d->row, x) + (d->tail ? slip_tail_dot(d->tail, f->n, x) : 0);
}

/* A copy of v with the rates of states only, and all velocities zero. */
static inline const double *slip_fixed_only_states(const slip_fixed *f, const double *v)
{
    for (int i = f->moving; i < f->n; i++)
        f->zero[i] = v[i];
    return f->zero;
}

/* contact.c: the contact problem of a step. */

/* Sets up directions and laws before the first step. Fails for contacts that the method cannot handle. */
int slip_fixed_prepare(slip_fixed *fixed);

/* Finds the contacts that take part in the step that begins now. */
void slip_fixed_activate(slip_fixed *fixed);

/* Collects the rows, with laws at the velocities `at_v`; `turn` counts the iterations. Fails when a given
 * normal force is negative. */
int slip_fixed_collect(slip_fixed *fixed, int turn);

/* Solves the contact problem, and computes the velocity at the end of the step. */
void slip_fixed_solve(slip_fixed *fixed);

/* Computes the states of laws with memory at the end of the step, for the last velocity. */
void slip_fixed_remember_states(slip_fixed *fixed);

/* Finds the modes at the end of the step, and reports those that changed. */
int slip_fixed_report(slip_fixed *fixed, const slip_observer *observer);

/* The step for laws with memory, which hold at the fraction `part` of it. */
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

/* group.c: finds the groups from all directions. */
int slip_fixed_find_groups(slip_fixed *fixed);
static inline double slip_fixed_gram(const slip_fixed *f, int direction)
{
    const slip_fixed_direction *d = &f->directions[direction];
    const slip_fixed_group *g = &f->groups.list[d->group];
    return f->matrices.gram[g->gram + (int64_t)d->place * (g->directions + 1)];
}
/* Begins the collection of the rows of a group. */
void slip_fixed_begin_rows(slip_fixed *fixed, slip_fixed_group *group);
/* The contact problem of a group, after slip_fixed_gather_gram; `solve_all` solves those of all groups and
 * returns the largest residual. */
slip_contact_problem slip_fixed_problem(const slip_fixed *fixed, const slip_fixed_group *group);
double slip_fixed_solve_rows(slip_fixed *fixed);

/* Add a direction (`row` NULL: it varies), and a row of the problem that starts at the values of the last
 * step. Return its number: of a direction, or of a row in its group. */
int slip_fixed_add_direction(slip_fixed *fixed, int contact, bool normal, const double *row);
/* Adds the part of a direction among the unknowns of the field, unless the tail is empty. */
void slip_fixed_add_tail(slip_fixed *fixed, int direction, const slip_tail *tail);
int slip_fixed_add_row(slip_fixed *fixed, int direction, double shift, slip_block row);
/* Gathers G of the present rows from that of all directions, and adds the compliances of compliant contacts.
 * */
void slip_fixed_gather_gram(slip_fixed *fixed);

/* spring.c: shift and compliance of the row of a compliant contact; false where it does not touch. */
bool slip_fixed_spring_row(const slip_fixed *fixed, int contact, double *shift, double *give);
/* The normal force of a compliant contact at the state (at_q, at_v) of time t. */
double slip_fixed_spring_force(const slip_fixed *fixed, int contact, double t);

/* patch.c: contacts whose slip has more than one dimension, with rules whose stick holds at the end of the
 * step. `group` finds those that can only rest together. In a step, after all rows and G are ready, it is
 * decided which patches are solved as one, and for which slip the laws hold. */
int slip_fixed_patch_group(slip_fixed *fixed);
void slip_fixed_patch_join(slip_fixed *fixed, int turn);

/* line.c: the recorded normal force at the state (at_q, at_v) of time t; the recorded quantities of a
 * contact, and the work of its friction. */
double slip_fixed_view_normal(const slip_fixed *fixed, int contact, double t);
void slip_fixed_line_view(const slip_fixed *fixed, int contact, double t, slip_sample *sample);
void slip_fixed_line_work(const slip_fixed *fixed, int contact, double t, const slip_works *to);

static inline void slip_fixed_note(double value, double *largest)
{
    const double size = fabs(value);
    *largest = size > *largest ? size : *largest;
}

/* Whether a contact of kind friction has the same mode as in the last step. */
static inline bool slip_fixed_goes_on(const slip_fixed *fixed, const slip_fixed_contact *contact)
{
    return contact->mode_known && contact->normal < 0 && contact->tangent >= 0 &&
           fixed->states[contact->tangent] == contact->reported;
}

/* quick.c: a whole step with one contact of kind friction and a constant limit, when its row is ready. The
 * results are bit for bit those of slip_fixed_solve and the rest of a step; compiled for one and two
 * coordinates. */
bool slip_fixed_quick_applies(const slip_fixed *fixed);
void slip_fixed_quick(slip_fixed *fixed, const double *loads);

/* field.c: the unknowns of whole bodies in a step. Computes the velocities of directions at the point a;
 * returns their largest change. */
double slip_fixed_field_point(slip_fixed *fixed);
/* The largest displacement in the field at the start of a step, or velocity, as the measure of rounding: a
 * node at rest on a plane has almost none of its own. */
double slip_fixed_field_size(const slip_fixed_field *field, bool velocity);
/* The largest velocity of a direction at the start of the step or without impulses. */
double slip_fixed_field_scale(const slip_fixed *fixed);
/* The instants at which the part of the field in the velocity of a direction is stored: without impulses, at
 * the start, at the point a and at the end. */
typedef enum slip_fixed_moment {
    SLIP_FIXED_FREE,
    SLIP_FIXED_START,
    SLIP_FIXED_POINT,
    SLIP_FIXED_END,
    SLIP_FIXED_MOMENTS
} slip_fixed_moment;
double slip_fixed_field_part(const slip_fixed_field *field, slip_fixed_moment moment, int direction);
/* The velocity of a direction at that instant, where x has the velocities of the n coordinates. */
static inline double slip_fixed_moves(const slip_fixed *f, slip_fixed_moment moment, int direction,
                                      const double *x)
{
    return slip_dot(f->n, f->directions[direction].row, x) +
           (f->field ? slip_fixed_field_part(f->field, moment, direction) : 0);
}
/* Fails, and names the body, where an unknown of the field is not finite. */
int slip_fixed_field_diagnose(const slip_fixed *fixed);
/* Computes unknowns of the field at a time in the step: a list of them, or all; or those that contacts need,
 * into at_q and at_v. */
void slip_fixed_field_view(const void *fixed, double t, const int64_t *list, int64_t count, double *q,
                           double *v);
void slip_fixed_field_read(const slip_fixed *fixed, double t);

/* work.c: adds the works of the last step. */
void slip_fixed_add_works(const slip_fixed *fixed, const slip_works *to);

/* impact.c: whether the step ends in an impact, of contacts whose gap has closed; and the impact. */
bool slip_fixed_lands(slip_fixed *fixed);
int slip_fixed_land(slip_fixed *fixed, const slip_observer *observer);

/* Computes the part of impacts in the normal impulses of the step that begins now. */
void slip_fixed_part_impact(slip_fixed *fixed);

/* Whether the gap was closing, by more than rounding, when the step began: persistent contacts have a gap
 * rate of the size of rounding. */
bool slip_fixed_approaches(const slip_fixed *fixed, int contact);

/* The gap counts as closed below this: rounding of its own terms. */
double slip_fixed_gap_tolerance(const slip_fixed *fixed, int contact, const double *q, const double *v);

/* The restitution of a contact in this step. */
static inline double slip_fixed_restitution(const slip_fixed *fixed, int contact)
{
    return fixed->impacts.plastic ? 0 : fixed->system->contacts[contact].restitution;
}

/* Whether the residual exceeds `part` of the velocities: the laws have no solution, or it was not found. */
bool slip_fixed_unsolved(const slip_fixed *fixed, double residual, double part);

/* Fails when the laws were not solved, and names the contact. */
int slip_fixed_check(slip_fixed *fixed);

/* Reports a change of mode or, `forced`, a bounce from open to open. */
int slip_fixed_change(slip_fixed *fixed, int contact, slip_mode mode, bool forced,
                      const slip_observer *observer);

#endif
