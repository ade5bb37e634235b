/* What a graphics card has of an explicit model: read by C and by the card's compiler (card_kernel.inc).
 * Nodes have numbers of their own there, in the order of the blocks that name them first, so that neighbours
 * in a block are neighbours in memory. */
#ifndef SLIP_FEM_EXPLICIT_CARD_TABLES_H
#define SLIP_FEM_EXPLICIT_CARD_TABLES_H

/* Bricks of a block, one a thread; nodes whose sums are taken together; threads of a block of all else. */
enum { slip_card_bricks = 128, slip_card_chunk = 1024, slip_card_threads = 256 };
/* Marks of a block's nodes: no other block has it; it is rigid. The number is what is left. */
enum { slip_card_inside = 1 << 30, slip_card_held = 1 << 29, slip_card_number = slip_card_held - 1 };
/* Marks the end of a node's row. */
enum { slip_card_no_more = 65535 };

/* A body's rigid nodes: as slip_explicit_part has it. */
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
    double *copies;                /* of each block its nodes' forces, 3 each, of those that are in several */
    const int *numbers;            /* of each block its nodes with their marks, ROOM; -1: none */
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
    const int *order;      /* of the blocks; NULL: as they are */
    const double *torques; /* of each body */
    slip_card_turn *turns; /* of each body, before a step and after it, in turns */
    slip_card_turn *seen;  /* the same, in the host's memory */
    const int *chunks;     /* of each chunk: its first node, how many, its body */
    double *energies;      /* of each block */
    double *sums;          /* of each chunk: twice the kinetic energy, angular momentum */
    const int *watched;    /* nodes that outer forces look at, and their places among the shared ones or -1 */
    double *shown; /* in the host's memory: place, velocity and force of those: 9 numbers, each of all */
    const double *pressed; /* in the host's memory: their forces with the outer ones, 3 in the same way */
    int node_count, shared_count, watched_count, part_count;
} slip_card_tables;

/* How nodes are moved: v += weight f/m, x += step v. */
typedef struct slip_card_step {
    double weight, step;
    int number;  /* of the step, from 1 */
    int at_once; /* nodes are moved by whoever has their force: there are no outer forces */
    int side;    /* which half of `turns` has the present state: 0 or 1 */
} slip_card_step;

#endif
