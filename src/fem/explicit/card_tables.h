/* The data of an explicit model on a graphics card. This header is read by C and by the card's compiler
 * (card_kernel.inc). Nodes are numbered anew on the card, in the order of the first block that contains them,
 * so that nodes of a block are neighbours in memory. */
#ifndef SLIP_FEM_EXPLICIT_CARD_TABLES_H
#define SLIP_FEM_EXPLICIT_CARD_TABLES_H

/* Bricks of a block, one a thread; nodes that are summed together; threads of a block of all other kernels.
 */
enum { slip_card_bricks = 128, slip_card_chunk = 1024, slip_card_threads = 256 };
/* Flags of a block's nodes: in no other block; rigid. The other bits are the number. */
enum { slip_card_inside = 1 << 30, slip_card_held = 1 << 29, slip_card_number = slip_card_held - 1 };
/* Marks the end of a node's row. */
enum { slip_card_no_more = 65535 };

/* Rotation of a body's rigid nodes, as in slip_explicit_part. */
typedef struct slip_card_turn {
    double angle, speed, impulse, work, moment;
    double centre[2], inertia;
    int first, count; /* its groups of rigid nodes */
    int driven;
    int bad; /* of the first body: the number of the first step in which a velocity was no longer finite, or 0
              */
} slip_card_turn;

typedef struct slip_card_material {
    double lambda, mu, hourglass;
} slip_card_material;

typedef struct slip_card_tables {
    /* Of each node 4 numbers: x y z; the same at the start, about the axis; v and 1/mass, 0 where it is
     * rigid; the force. */
    double *place, *start, *speed, *force;
    double *copies;     /* of each block the forces, 3 each, of its nodes that are in several blocks */
    const int *numbers; /* of each block its nodes with their marks, ROOM; -1: none */
    const unsigned short *corners; /* of each block and brick its nodes among those of the block, 8 */
    const unsigned short *rows;    /* of each block and node places among the forces of its bricks, WIDTH */
    const double *reference;   /* of each block, if some are integrated with one point: 36 for each brick */
    const int *parts, *bricks; /* of each block: its body, and how many bricks it has */
    const slip_card_material *materials; /* of each body */
    const int *shared_nodes, *shared_start,
        *shared_copies; /* nodes of several blocks, and their places in `copies` */
    const int *rigid_nodes;
    const int
        *groups; /* of each group of rigid nodes: its first, how many (at most slip_card_threads), its body */
    double *moments;       /* of each group */
    int *bad;              /* as in slip_card_turn */
    const int *order;      /* order in which blocks are computed; NULL: by their numbers */
    const double *torques; /* of each body */
    slip_card_turn *turns; /* of each body before and after a step, in two halves that alternate */
    slip_card_turn *seen;  /* the same, in the host's memory */
    const int *chunks;     /* of each chunk: its first node, how many, its body */
    double *energies;      /* of each block */
    double *sums;          /* of each chunk: twice the kinetic energy, angular momentum */
    const int *watched;    /* nodes that external forces read, and their places among the shared ones or -1 */
    double *shown; /* in the host's memory: position, velocity and force of the watched nodes, 9 arrays */
    const double *pressed; /* in the host's memory: their forces with the external ones, 3 arrays */
    int node_count, shared_count, watched_count, part_count;
} slip_card_tables;

/* How nodes are moved: v += weight f/m, x += step v. */
typedef struct slip_card_step {
    double weight, step;
    int number;  /* of the step, from 1 */
    int at_once; /* there are no external forces: the kernel that sums the force of a node also moves it */
    int side;    /* which half of `turns` has the present state: 0 or 1 */
} slip_card_step;

#endif
