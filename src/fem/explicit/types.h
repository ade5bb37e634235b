/* The objects behind slip_explicit, shared by the files of this folder only. */
#ifndef SLIP_FEM_EXPLICIT_TYPES_H
#define SLIP_FEM_EXPLICIT_TYPES_H

#include "fem/explicit/explicit.h"
#include "fem/explicit/kernel.h"

/* A block: elements whose forces are summed one after the other by one thread. */
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
    int leader; /* the first body on its shaft, which holds inertia, moment, speed, drive and impulse of the
                   shaft */
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
    double time_from;   /* time at which the step was lowered last, */
    int64_t steps_from; /* and number of steps up to it */
    int64_t steps_done, evaluations;
    bool started; /* velocities are half a step old, else those at t = 0 */
    double work, lost;
    struct slip_explicit_card *card; /* NULL: the processor takes the steps */
};

/* The time that its steps have reached. */
static inline double slip_explicit_now(const slip_explicit *e)
{
    return e->time_from + (double)(e->steps_done - e->steps_from) * e->step;
}

/* The smallest step to which a chosen step is lowered, over the first one. */
static const double slip_explicit_lowest = 1e-6;

enum { slip_explicit_chunk = 1024 }; /* nodes whose sums are taken together */

/* Computes the positions of the rigid nodes of a body from its angle. */
void slip_explicit_turn(const slip_explicit *e, int part, double angle, double *position);
/* The moment about the axis of the forces on the rigid nodes of a body. */
double slip_explicit_moment(const slip_explicit *e, int part, const double *position, const double *force);

/* The sum of these moments over all bodies on the shaft of a leader. */
double slip_explicit_shaft_moment(const slip_explicit *e, int leader, const double *position,
                                  const double *force);
/* Whether a body is the leader of a shaft: it has rigid nodes and no body before it is on its shaft. */
static inline bool slip_explicit_leads(const slip_explicit *e, int part)
{
    return e->parts[part].rigid_count > 0 && e->parts[part].leader == part;
}

/* step.c: all forces at the present state; moments of shafts by these forces; moment of torque and drive on a
 * shaft; v += factor f/m, then x += step v. */
int slip_explicit_forces(slip_context *ctx, slip_explicit *e, slip_explicit_load *load);
void slip_explicit_find_moments(slip_explicit *e);
double slip_explicit_outer_moment(const slip_explicit *e, int leader);
void slip_explicit_move(slip_explicit *e, double factor, double step);
/* Sets the start of the energy balance at the present forces. */
void slip_explicit_begin_work(slip_explicit *e);

/* The largest eigenvalue of M^-1 K at the present positions. */
int slip_explicit_find_eigenvalue(slip_context *ctx, slip_explicit *e, double *eigenvalue);

#endif
