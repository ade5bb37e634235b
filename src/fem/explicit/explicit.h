/* Explicit dynamics of elastic bodies in space at large displacements: central differences.
 *
 * Bricks as in kernel.h, lumped mass. With velocities v half way between the steps,
 *
 *     v_{n+1/2} = v_{n-1/2} + h M^-1 f(x_n),    x_{n+1} = x_n + h v_{n+1/2}.
 *
 * A body may have a rigid set of nodes (a bore) that only rotates about the body's axis, parallel to z. Its
 * angle theta is one more unknown, with the moment of inertia of its nodes' mass (plus `inertia`), driven by
 * the moment of its nodes' forces (plus `torque`). So angular momentum about the axis,
 *
 *     L_{n-1/2} = sum m (x_n x v_{n-1/2})_z + J omega_{n-1/2},
 *
 * changes only by h times the moment of external forces, to rounding. A driven body keeps omega; the moment
 * of its drive follows from the balance. Bodies on one shaft share omega, and L is the sum over them.
 *
 * The step must be below 2/omega, omega the largest eigenfrequency: the largest eigenvalue of M^-1 K at the
 * start by power iteration, K v by differences of forces (the rigid rotations included). The result is raised
 * by 2 %, since power iteration underestimates it. External forces may return bounds lambda of their
 * stiffness and delta of their damping, which are checked in every step: h^2 (omega^2 + lambda) + 2 h delta
 * <= 4 (their velocities are half a step old). A step given by the user that violates this ends the run; a
 * step chosen by the program is lowered for the remaining run. Then the velocities change by (h_n-1 + h_n)/2
 * times the forces.
 *
 * Energy: kinetic v_{n-1/2} M v_{n+1/2}/2, for which the sum of all is constant where f is linear.
 *
 * Threads: elements are in blocks of fixed size. Each block sums forces into its own copy of its nodes; then
 * each node adds the copies. Both sums have a fixed order, so threads do not change the bits. */
#ifndef SLIP_FEM_EXPLICIT_H
#define SLIP_FEM_EXPLICIT_H

#include "io/keep.h"
#include "io/mesh/mesh.h"

typedef struct slip_explicit_body {
    const char *name;           /* for messages */
    const slip_mesh *mesh;      /* bricks, about the body's own axis; used while making only */
    const slip_mesh_set *rigid; /* nodes that turn with the axis; NULL: none, the body is free */
    double young, poisson, density;
    double hourglass; /* 0: fully integrated bricks; > 0: one point, with hourglass stiffness: this factor
                         times that of full integration in hourglass patterns; 0.1 to 1 are usual */
    double centre[2]; /* place of the axis */
    double angle;     /* of the body at the start, rad */
    double speed;     /* rad/s, of the whole body at the start */
    double inertia;   /* of parts that turn with the rigid nodes but are not meshed, kg m^2 */
    double torque;    /* on the rigid nodes, N m */
    bool driven;      /* the rigid nodes keep their speed, by the moment of a drive */
    int shaft; /* 0: a shaft of its own; k: its rigid nodes are on the shaft of body k - 1, which must come
                  before it: inertias and torques add up, speed and drive are those of body k - 1 */
} slip_explicit_body;

typedef struct slip_explicit slip_explicit;

/* What the callback of external forces returns beside the forces. */
typedef struct slip_explicit_load {
    double energy; /* potential */
    double lost;   /* power lost, >= 0, with the mean of the velocities before and after the forces act, W */
    double lost_before; /* the part of it with the velocities before the forces act */
    double eigenvalue;  /* bound of the largest eigenvalue of M^-1 K that they add, 1/s^2 */
    double damping;     /* the same bound of M^-1 D, D the derivative of the forces by the velocities, 1/s */
} slip_explicit_load;

/* Adds external forces (contact) at the present positions to `force`. Called once a step, from one thread. */
typedef int (*slip_explicit_force)(void *user, slip_context *ctx, const slip_explicit *model, double *force,
                                   slip_explicit_load *load);

/* The nodes that external forces read and act on at the present angles; all others may be out of date when
 * the forces are computed. Sets *nodes, which must stay valid until the next call, and returns their number.
 */
typedef int (*slip_explicit_watch)(void *user, const slip_explicit *model, const int **nodes);

typedef struct slip_explicit_options {
    double step;               /* s; default 0: safety times the limit */
    double safety;             /* default 0.9 */
    int threads;               /* default 0: as OpenMP has it */
    bool bare;                 /* only forces are wanted: no limit of the step is computed; default false */
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

/* Takes steps. Fails where a number is not finite (the message has time, body and node) or where the external
 * forces are too stiff for the given step (the message has the limit), and on an interrupt. The state stays
 * that of the last step. */
int slip_explicit_advance(slip_context *ctx, slip_explicit *model, int64_t steps);
/* One shorter step to a time that is less than a step away. It is reached exactly, unless external forces
 * require an even shorter step. Later steps have their old length. */
int slip_explicit_advance_to(slip_context *ctx, slip_explicit *model, double time);

/* Before the first step: moves the bodies to static equilibrium under torques and external forces. Rigid
 * nodes of driven shafts, and of bodies with `held`, keep their position. The motion then begins with the
 * speeds of the bodies. *left: largest moment out of balance, over the largest torque. Fails where no
 * equilibrium is reached. External forces must not depend on velocities. */
int slip_explicit_rest(slip_context *ctx, slip_explicit *model, const bool *held, double *left);

/* Where the state is on a graphics card, copies positions and velocities of all nodes to the host. To be
 * called before they are read. */
int slip_explicit_fetch(slip_context *ctx, slip_explicit *model);

/* Sets the torque on a body, N m, for the following steps. */
void slip_explicit_set_torque(slip_explicit *model, int body, double torque);

/* ---- State. Nodes are numbered body by body. */

/* The present state. Arrays belong to the model; with a graphics card, positions and velocities are those of
 * the last slip_explicit_fetch. */
typedef struct slip_explicit_state {
    double time, step, step_before; /* lengths of the next and of the previous step, s */
    double first_step;              /* before it was lowered */
    double limit;                   /* of the step */
    double weight;                  /* time for which the previous forces acted, s */
    int64_t steps, evaluations;     /* steps taken; evaluations of the forces */
    int64_t copies;                 /* of nodes in blocks of elements: for benchmarks */
    bool started;                   /* false: velocities are those at t = 0; else they are half a step old */
    const double *position, *velocity; /* x_n, v_{n-1/2} */
    const double *mass;                /* of each node */
} slip_explicit_state;
slip_explicit_state slip_explicit_state_of(const slip_explicit *model);

/* The rotation of a body about its axis. */
typedef struct slip_explicit_rotor {
    int first_node;
    double angle, speed; /* the speed is half a step old */
    double impulse;      /* angular impulse of torque and drive over the steps taken, N m s */
} slip_explicit_rotor;
slip_explicit_rotor slip_explicit_rotor_of(const slip_explicit *model, int body);
double slip_explicit_acceleration(const slip_explicit *model, int body); /* by the last forces */
/* Angular momentum about the body's axis; on a shared shaft only the sum over its bodies is meaningful. With
 * a graphics card: at the last slip_explicit_account. */
double slip_explicit_momentum(const slip_explicit *model, int body);

typedef struct slip_explicit_ledger {
    double kinetic, strain, load; /* load: potential of the external forces */
    double work;                  /* of torques and drives, since the start */
    double lost;                  /* since the start */
    double total;                 /* kinetic + strain + load + lost - work: constant */
} slip_explicit_ledger;

/* The energy balance of the present state. Evaluates the forces once; does not change the state. */
int slip_explicit_account(slip_context *ctx, slip_explicit *model, slip_explicit_ledger *ledger);

/* The elastic forces at given positions (x, y, z of all nodes) and their energy, which may be NULL. */
void slip_explicit_elastic(slip_explicit *model, const double *position, double *force, double *energy);

/* Saves the state as group "model" of a checkpoint, or restores it into a model of the same bodies and the
 * same step; fails for the checkpoint of another model. A continued run has the same bits as an uninterrupted
 * one, if external forces have no memory or their memory is saved too. path: of the file, for messages. */
void slip_explicit_keep(slip_explicit *model, slip_keeper *keeper, const char *path);

#endif
