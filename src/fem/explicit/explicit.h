/* Explicit dynamics of elastic bodies in space at large displacements: central differences.
 *
 * Bricks as in kernel.h, lumped mass. With velocities v half way between the steps,
 *
 *     v_{n+1/2} = v_{n-1/2} + h M^-1 f(x_n),    x_{n+1} = x_n + h v_{n+1/2}.
 *
 * A body may have a rigid set of nodes (a bore), which turns about the body's axis, parallel to z, and does
 * nothing else: its angle theta is one more unknown, with the moment of inertia of its nodes' mass (and
 * `inertia` more), and moves by the moment of its nodes' forces (and `torque`). So angular momentum about the
 * axis,
 *
 *     L_{n-1/2} = sum m (x_n x v_{n-1/2})_z + J omega_{n-1/2},
 *
 * changes by h times the moment of outer forces and by nothing else, to rounding. A driven body keeps omega;
 * the moment of the drive is what holds the balance. Bodies on one shaft share omega, and L is that of their
 * sum.
 *
 * The step must be below 2/omega, omega the largest eigenfrequency: the largest eigenvalue of M^-1 K at the
 * start by power iteration, K v by differences of forces (the rigid rotations included), with 2 % in hand
 * since the iteration comes from below. Outer forces may state bounds of their own, lambda of
 * stiffness and delta of damping, which are checked in every step: h^2 (omega^2 + lambda) + 2 h delta <= 4
 * (their velocities are those of half a step before). A step that was given stops the run there; one that was
 * chosen is lowered, and stays so: the velocities then take (h_n-1 + h_n)/2 of the forces.
 *
 * Energy: kinetic v_{n-1/2} M v_{n+1/2}/2, for which the sum of all is constant where f is linear.
 *
 * Threads: elements are in blocks of fixed size, each adds its forces in its own copy of its nodes, in order;
 * each node adds those of its blocks, in order. The bits do not depend on the number of threads. */
#ifndef SLIP_FEM_EXPLICIT_H
#define SLIP_FEM_EXPLICIT_H

#include "io/keep.h"
#include "io/mesh/mesh.h"

typedef struct slip_explicit_body {
    const char *name;           /* for messages */
    const slip_mesh *mesh;      /* bricks, about the body's own axis; used while making only */
    const slip_mesh_set *rigid; /* nodes that turn with the axis; NULL: none, the body is free */
    double young, poisson, density;
    double hourglass; /* 0: fully integrated bricks; > 0: one point, this times the stiffness of full
                       * integration in the patterns that one point does not see; 0.1 to 1 are usual */
    double centre[2]; /* place of the axis */
    double angle;     /* by which the body is turned at the start */
    double speed;     /* rad/s, of the whole body at the start */
    double inertia;   /* of what turns with the rigid nodes and is not meshed */
    double torque;    /* on them */
    bool driven;      /* the rigid nodes keep their speed: a drive gives whatever moment that needs */
    int shaft; /* 0: its rigid nodes turn by themselves; k: with those of body k - 1, one before it, as if
                * both were on one shaft: inertia and torques add up, speed and drive are those of that one */
} slip_explicit_body;

typedef struct slip_explicit slip_explicit;

/* What outer forces tell beside themselves. */
typedef struct slip_explicit_load {
    double energy;      /* potential */
    double lost;        /* power that is lost, >= 0: by the mean of the velocities before and after */
    double lost_before; /* of it what is lost by the velocities before: half, where those hardly differ */
    double eigenvalue;  /* bound of the largest eigenvalue of M^-1 K that they add, 1/s^2 */
    double damping;     /* the same of M^-1 D, D the slope of the forces over the velocities, 1/s */
} slip_explicit_load;

/* Adds outer forces at the present positions. Called once a step, from one thread. */
typedef int (*slip_explicit_force)(void *user, slip_context *ctx, const slip_explicit *model, double *force,
                                   slip_explicit_load *load);

/* The nodes that outer forces look at and act on at the present angles: all others may have an earlier state
 * while they are found. Sets *nodes, which must stay until the next call, and returns how many. */
typedef int (*slip_explicit_watch)(void *user, const slip_explicit *model, const int **nodes);

typedef struct slip_explicit_options {
    double step;   /* s; default 0: safety times the limit */
    double safety; /* default 0.9 */
    int threads;   /* default 0: as OpenMP has it */
    bool bare;     /* no steps are taken, and no limit of them is looked for: forces only; default false */
    slip_explicit_force force; /* default NULL: none */
    void *user;
    struct slip_card *card;    /* a graphics card (card/card.h) that takes the steps; default NULL: the
                                * processor. It must    stay open as long as the model lives */
    slip_explicit_watch watch; /* of `force`, where a card takes the steps; default NULL: all nodes */
} slip_explicit_options;
slip_explicit_options slip_explicit_options_default(void);

int slip_explicit_create(slip_context *ctx, int body_count, const slip_explicit_body *bodies,
                         const slip_explicit_options *options, slip_explicit **model);
void slip_explicit_destroy(slip_explicit *model);
SLIP_OWNED(slip_explicit, slip_explicit_destroy)

/* Takes steps. Fails with time, body and node where a number is no longer finite, or with the limit where the
 * outer forces have become too stiff for the step that was given; interrupts are obeyed; what was computed is
 * kept. */
int slip_explicit_advance(slip_context *ctx, slip_explicit *model, int64_t steps);
/* One step towards a time that is less than a step away, which it reaches exactly unless the outer forces ask
 * for a lower step on the way. The steps after it have their length as before. */
int slip_explicit_advance_to(slip_context *ctx, slip_explicit *model, double time);

/* Before the first step: brings the bodies to rest under torques and outer forces, those on driven shafts and
 * on `held` ones (of each body) with their rigid nodes where they are; from there they turn with their
 * speeds. *left: the largest moment that does not balance, over the largest torque. Fails where they do not
 * come to rest. Outer forces must not depend on velocities. */
int slip_explicit_rest(slip_context *ctx, slip_explicit *model, const bool *held, double *left);

/* Brings positions and velocities of all nodes back where a graphics card has them: before these are looked
 * at. */
int slip_explicit_fetch(slip_context *ctx, slip_explicit *model);

/* The torque on a body from now on. */
void slip_explicit_set_torque(slip_explicit *model, int body, double torque);

/* ---- Looking. All nodes of the first body, then those of the second ... */

/* Where it is and what it has taken. Arrays are the model's; where a graphics card takes the steps positions
 * and velocities are as slip_explicit_fetch has left them. */
typedef struct slip_explicit_state {
    double time, step, step_before; /* the step from here, and the one that led here */
    double first_step;              /* before it was lowered */
    double limit;                   /* of the step */
    double weight;                  /* time for which the forces before these acted */
    int64_t steps, evaluations;     /* taken; of all forces */
    int64_t copies;                 /* of nodes in blocks of elements: for benchmarks */
    bool started;                   /* false: velocities are those of the start, not of half a step before */
    const double *position, *velocity; /* x_n, v_{n-1/2} */
    const double *mass;                /* of each node */
} slip_explicit_state;
slip_explicit_state slip_explicit_look(const slip_explicit *model);

/* How a body turns about its axis. */
typedef struct slip_explicit_rotor {
    int first_node;
    double angle, speed; /* the speed is that of half a step ago */
    double impulse;      /* of torque and drive over the steps taken: the momentum that they brought */
} slip_explicit_rotor;
slip_explicit_rotor slip_explicit_rotor_of(const slip_explicit *model, int body);
double slip_explicit_acceleration(const slip_explicit *model, int body); /* by the last forces */
/* Angular, about the body's axis; where it shares its shaft only the sum of all bodies on it means something.
 * Where a graphics card takes the steps: at the last account. */
double slip_explicit_momentum(const slip_explicit *model, int body);

typedef struct slip_explicit_ledger {
    double kinetic, strain, load; /* load: potential of the outer forces */
    double work;                  /* of torques and drives, since the start */
    double lost;                  /* since the start */
    double total;                 /* kinetic + strain + load + lost - work: constant */
} slip_explicit_ledger;

/* Computes forces once; changes nothing. */
int slip_explicit_account(slip_context *ctx, slip_explicit *model, slip_explicit_ledger *ledger);

/* The elastic forces at given positions (x, y, z of all nodes) and their energy, which may be NULL. */
void slip_explicit_elastic(slip_explicit *model, const double *position, double *force, double *energy);

/* The state, as group "model" of a checkpoint. A run that goes on from it gives the bits of one that was not
 * interrupted, if the outer forces have no memory or theirs is kept too. Back into a model made from the same
 * bodies with the same step; a checkpoint of another one fails and says so. path: of the file, for messages.
 */
void slip_explicit_keep(slip_explicit *model, slip_keeper *keeper, const char *path);

#endif
