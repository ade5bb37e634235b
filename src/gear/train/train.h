/* Gear trains: any number of elastic gears on shafts that turn, and the meshes between them, as a structure
 * of the one engine (system/structure/structure.h, kind `modal`).
 *
 * A body turns with a coordinate theta of the system, which other parts of the model may use and which
 * several bodies on one shaft share. Its own coordinates are the amplitudes of its eigenmodes and, with
 * attachment vectors, of the attachment vectors of the flanks that can be in contact now (gear_modal.h has
 * the equations). Its teeth stand at theta + offset: at theta = 0 of all shafts the flanks of every mesh are
 * about to touch.
 *
 * Windows. Of all flanks of a gear only a few can touch another gear. A mesh has, on each side (right and
 * left flanks) of each of its gears, attachment vectors for S teeth: those nearest to the middle of the path
 * of contact. With the base radius r_b, the working pressure angle a_w and the angles of rolling from the
 * pitch point to the end of the path at the tip of this gear and of the other one (teeth z, z'),
 *
 *     D = tan a_tip - tan a_w,    D' = (tan a'_tip - tan a_w) z'/z,
 *
 * a left flank touches while the middle of its tooth is from -tau/2 - D' to -tau/2 + D beyond the line of
 * centres, tau the angle of the tooth's thickness, a right one at the mirror image of that. S is the contact
 * ratio and half a pitch more, in whole pitches. As the gear turns by a pitch, the coordinates of the tooth
 * that leaves the window are taken over, with their values and rates, by the tooth that enters it. All teeth
 * are alike, so energy and momentum do not change, and neither tooth is in contact at that time. */
#ifndef SLIP_GEAR_TRAIN_TRAIN_H
#define SLIP_GEAR_TRAIN_TRAIN_H

#include "gear/modal/gear_modal.h"
#include "system/system.h"

/* Limit of flank_inertia. Error of the speeds behind an idler after an impact (test_train_methods): 3e-4 at
 * 0.1, 2 % to 4 % at 2.5 to 5.5. */
#define slip_train_flank_inertia_most 0.5
/* Limit of flank_yield. The same error: 3 % at 0.8, 6e-3 at 0.5, 3e-4 at 0.07. The published pair has 0.12
 * (pinion, 50 modes), 0.51 and 0.07 (wheel, 50 and 200 modes). */
#define slip_train_flank_yield_most 0.6

typedef struct slip_train_body {
    const char *name;
    slip_gear_options gear;
    slip_reduced *reduced; /* NULL: a whole body, all nodes move */
    bool shared;           /* the reduced body is another train's, which outlives this one */
    bool attachment;       /* the attachment vectors of its flanks are coordinates, */
    bool condensed;        /* or follow the contact forces (method `exponential`) */
    double damping[2];     /* over stiffness, of modes and of attachment vectors, s */
    const char *turns;     /* the name of the coordinate that it turns with */
    int shaft;             /* index; bodies with the same `turns` share a shaft */
    int modes;             /* by slip_train_arrange, like what follows */
    int first, count;      /* its coordinates among those of the train: modes, then attachment vectors */
    double offset;
    /* Sum of the inertia that all its attachment vectors have in a rotation, over its moment of inertia
     * (train.c). Above slip_train_flank_inertia_most, the modes in which it turns against its shaft are
     * missing. */
    double flank_inertia;
    /* For an even load on a flank along the circumference, the share of the displacement that attachment
     * vectors represent and modes do not. Other flanks do not follow that share, so above
     * slip_train_flank_yield_most it is more than the local deformation of one tooth. */
    double flank_yield;
    int modal; /* index of its gear in the modal model; -1: it meshes with none */
    int turn;  /* index of the coordinate `turns`; set by the reader of the model */
} slip_train_body;

/* One of the two gears of a mesh: where its windows are. */
typedef struct slip_train_side {
    int body;
    int first;      /* its attachment vectors among the coordinates of the train: right flanks, left flanks */
    int window;     /* S: teeth on the right and on the left; 0 without attachment vectors */
    int size;       /* vectors of a flank */
    double middle;  /* angle of left flanks at the middle of the path of contact, from the line of centres */
    double towards; /* direction of the line of centres */
    const double *square; /* of the vectors of a flank */
} slip_train_side;

typedef struct slip_train_mesh {
    const char *name;
    slip_train_side side[2];
    double direction; /* of the line of centres, from the first gear to the second */
    double sense;     /* 1 or -1: sense in which the first gear turns towards contact, at zero angles */
    slip_gear_run_options options; /* distance, phase, penalty, two passes, friction, reductions */
    double centre[2][2];           /* by slip_train_arrange */
    int contact;                   /* index of the system's contact; set by the reader of the model */
} slip_train_mesh;

typedef struct slip_train {
    slip_arena arena;
    int body_count, mesh_count, count; /* count: coordinates behind the angles */
    slip_train_body *bodies;
    slip_train_mesh *meshes;
    int64_t body_capacity, mesh_capacity;
    slip_gear_side *sides;  /* of the gears of the modal model */
    slip_gear_modal *modal; /* model that gave windows and vectors; NULL without meshes */
    /* Set by the reader of the model: the number of lumped coordinates, which stand before those of the
     * train; for whole gears the stiffness of hourglass patterns (slip_gear_run_options). */
    int lumped;
    double hourglass;
} slip_train;

/* A train without bodies and meshes. */
int slip_train_create(slip_context *ctx, slip_train **train);
void slip_train_destroy(slip_train *train);

/* After slip_train_arrange: whether a body has too few modes for its attachment vectors to be independent of
 * each other. If so, the text says why. */
bool slip_train_lacks_modes(const slip_train_body *body, char *text, size_t size);

/* Adds a copy of a body or a mesh; what it points to must outlive the train. The train owns the reduced body
 * unless it is shared, even where the call fails. */
int slip_train_add_body(slip_context *ctx, slip_train *train, const slip_train_body *body);
int slip_train_add_mesh(slip_context *ctx, slip_train *train, const slip_train_mesh *mesh);
/* The index of the body of this name, or -1. */
int slip_train_find(const slip_train *train, const char *name);

/* After all bodies and meshes have been added: numbers the coordinates and places axes and teeth. The first
 * shaft of each connected set of shafts is at the origin. Fails where meshes form a ring, and where gears
 * cannot mesh. */
int slip_train_arrange(slip_context *ctx, slip_train *train);

/* Creates the modal model of all meshes, at zero angles of the shafts. Pair i belongs to mesh i. */
int slip_train_open_modal(slip_context *ctx, const slip_train *train, slip_gear_modal **modal);

/* Whether all bodies are whole; whether some are condensed. In both cases flanks may be rigid. */
bool slip_train_is_whole(const slip_train *train);
bool slip_train_is_condensed(const slip_train *train);

/* Whether it is one of the structures of gear trains: `modal` (reduced bodies), `condensed` (reduced, method
 * `exponential` only), or `bricks` (whole gears, method `explicit` only). */
bool slip_structure_is_train(const slip_structure *structure);

/* Gives a system the structure of a train. The coordinates of the system are train->lumped lumped ones, then
 * those of the train, then states; its matrices already hold the terms of the lumped coordinates. `turn` of
 * bodies and `contact` of meshes must be set. The caller keeps the ownership of the train. */
void slip_train_attach(slip_system *system, const slip_train *train);

#endif
