/* Insides of the explicit dynamics, shared by explicit*.c. */
#ifndef SLIP_FEM_EXPLICIT_TYPES_H
#define SLIP_FEM_EXPLICIT_TYPES_H

#include "fem/explicit/explicit.h"
#include "fem/explicit/kernel.h"

/* Elements whose forces are added up together: one after the other, by one thread. */
typedef struct slip_explicit_block {
    int part;               /* body */
    int batch, batch_count; /* its batches */
    int last_lanes;         /* elements in the last of them */
    int64_t local;          /* its nodes among `local_nodes` */
    int local_count;
} slip_explicit_block;

typedef struct slip_explicit_part {
    const char *name;
    double lambda, mu, hourglass;
    double centre[2], torque, inertia;
    int first_node, node_count;
    int rigid, rigid_count; /* its nodes among `rigid_nodes` */
    double angle, speed;
    bool driven;
    double impulse;  /* of torque and drive */
    double moment;   /* of the present forces on the rigid nodes of its shaft, about the axis */
    double momentum; /* on a graphics card: at the last account */
    int leader; /* the first body on its shaft: inertia, moment, speed, drive, impulse of all are its own */
} slip_explicit_part;

struct slip_explicit {
    slip_arena arena;
    slip_explicit_options options;
    slip_brick_kernel kernel;
    int threads;
    int part_count;
    slip_explicit_part *parts;
    int node_count;

    int batch_count;
    double *reference; /* of each batch, 36 x lanes */
    int *corners;      /* of each batch, 8 x lanes: nodes by their number in the block */
    int block_count;
    slip_explicit_block *blocks;
    int64_t local_total;
    int *local_nodes;     /* of each block: its nodes */
    double *local_forces; /* and their forces, x y z */
    int64_t *copy_start;  /* of each node: its places among the local nodes */
    int64_t *copies;
    int scratch_size; /* numbers for each thread: positions and forces of a block */
    double *scratch;
    double *block_energy;
    double *chunk_sums; /* of chunks of nodes */

    double *start; /* places at the start, before turning, relative to the axis */
    double *mass;
    bool *held; /* rigid nodes */
    int *rigid_nodes;

    double *position, *velocity, *force;
    double length; /* of the smallest element */
    double step, limit, eigenvalue;
    double first_step;  /* at the start; `step` may be lower */
    double step_before; /* the step that led to the present positions */
    double weight;      /* of the last forces: mean of the steps around them */
    double time_from;   /* when the step was lowered last, */
    int64_t steps_from; /* after so many steps */
    int64_t steps_done, evaluations;
    bool started; /* velocities are those of half a step before */
    double work, lost;
    struct slip_explicit_card *card; /* NULL: the processor takes the steps */
};

/* The time that its steps have reached. */
static inline double slip_explicit_now(const slip_explicit *e)
{
    return e->time_from + (double)(e->steps_done - e->steps_from) * e->step;
}

/* A step that was chosen by itself is lowered where it must be, down to this part of the first. */
static const double slip_explicit_lowest = 1e-6;

enum { slip_explicit_chunk = 1024 }; /* nodes whose sums are taken together */

/* Puts the rigid nodes of a body where its angle wants them. */
void slip_explicit_turn(const slip_explicit *e, int part, double angle, double *position);
/* Moment about the axis of the forces on the rigid nodes. */
double slip_explicit_moment(const slip_explicit *e, int part, const double *position, const double *force);

/* The same of all bodies on the shaft of a leader. */
double slip_explicit_shaft_moment(const slip_explicit *e, int leader, const double *position,
                                  const double *force);
/* Whether a body leads a shaft: has rigid nodes, and turns with no other before it. */
static inline bool slip_explicit_leads(const slip_explicit *e, int part)
{
    return e->parts[part].rigid_count > 0 && e->parts[part].leader == part;
}

/* step.c. All forces at the present state; the moments of shafts by them; of torque and drive on a shaft;
 * velocities moved on by `factor` times the forces over the masses, and places by `step` times these. */
int slip_explicit_forces(slip_context *ctx, slip_explicit *e, slip_explicit_load *load);
void slip_explicit_find_moments(slip_explicit *e);
double slip_explicit_outer_moment(const slip_explicit *e, int leader);
void slip_explicit_move(slip_explicit *e, double factor, double step);
/* The ledger begins with the present forces. */
void slip_explicit_begin_work(slip_explicit *e);

/* The largest eigenvalue of M^-1 K at the present positions. */
int slip_explicit_find_eigenvalue(slip_context *ctx, slip_explicit *e, double *eigenvalue);

#endif
