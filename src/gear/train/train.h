/* Gear trains: any number of elastic gears on shafts that turn, and the meshes between them, as a structure
 * of the one engine (system/structure.h, kind `modal`).
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
 * ratio and half a pitch more, in whole pitches. As the gear turns by a pitch, the vectors of the tooth that
 * leaves become those of the tooth that comes, with their motion: all teeth are alike, so energy and momentum
 * do not see it, and neither tooth is in contact then. */
#ifndef SLIP_GEAR_TRAIN_TRAIN_H
#define SLIP_GEAR_TRAIN_TRAIN_H

#include "gear/modal/gear_modal.h"
#include "system/system.h"

/* Speeds behind an idler after an impact (test_train_methods): with 0.1 off by 3e-4, with 2.5 to 5.5 by 2 %
 * to 4 %. */
#define slip_train_flank_inertia_most 0.5
/* The same with 0.8 off by 3 %, with 0.5 by 6e-3, with 0.07 by 3e-4. The published pair has 0.12 (50 modes of
 * the pinion), 0.51 and 0.07 (50 and 200 of the wheel). */
#define slip_train_flank_yield_most 0.6

typedef struct slip_train_body {
    const char *name;
    slip_gear_options gear;
    slip_reduced *reduced; /* NULL: it is whole */
    bool shared;           /* the reduced body is another train's, which outlives this one */
    bool attachment;       /* with attachment vectors of the flanks; */
    bool condensed;        /* or these follow the contact forces, as `exponential` has them */
    double damping[2];     /* of modes and of attachment vectors, times their stiffness, s */
    const char *turns;     /* the name of the coordinate that it turns with */
    int shaft;             /* of the train: bodies of one name are on one */
    int modes;             /* by slip_train_arrange, like what follows */
    int first, count;      /* its coordinates among those of the train: modes, then attachment vectors */
    double offset;
    /* What its attachment vectors would have of inertia together, over its moment of inertia (train.c). Where
     * that is more than slip_train_flank_inertia_most, modes are missing in which it turns against its shaft.
     */
    double flank_inertia;
    /* The part of what a flank yields to an even load along the circumference that its attachment vectors
     * have, and the modes leave out. Other flanks know nothing of it: more than slip_train_flank_yield_most
     * is not the dent of one tooth. */
    double flank_yield;
    int modal; /* which gear of the modal model it is; -1: it meets no other */
    int turn;  /* the coordinate; by whoever makes the system */
} slip_train_body;

/* One of the two gears of a mesh: where its windows are. */
typedef struct slip_train_side {
    int body;
    int first;      /* its attachment vectors among the coordinates of the train: right flanks, left flanks */
    int window;     /* S: teeth of each; 0 without attachment vectors */
    int size;       /* vectors of a flank */
    double middle;  /* of the path of contact: of left flanks, from the line of centres */
    double towards; /* direction of the line of centres */
    const double *square; /* of the vectors of a flank */
} slip_train_side;

typedef struct slip_train_mesh {
    const char *name;
    slip_train_side side[2];
    double direction; /* of the line of centres, from the first gear to the second */
    double sense;     /* in which the first gear turns towards the flanks that touch at zero angles */
    slip_gear_run_options options; /* distance, phase, penalty, two passes, friction, reductions */
    double centre[2][2];           /* by slip_train_arrange */
    int contact;                   /* of the system; by whoever makes it */
} slip_train_mesh;

typedef struct slip_train {
    slip_arena arena;
    int body_count, mesh_count, count; /* count: coordinates behind the angles */
    slip_train_body *bodies;
    slip_train_mesh *meshes;
    int64_t body_capacity, mesh_capacity;
    slip_gear_side *sides; /* of the gears of the modal model */
    slip_gear_modal *made; /* from which the numbers were taken; NULL without meshes */
    /* By whoever makes the system: the coordinates in front of these; of whole gears the stiffness of
     * hourglass patterns (slip_gear_run_options). */
    int given;
    double hourglass;
} slip_train;

/* A train without bodies and meshes. */
int slip_train_create(slip_context *ctx, slip_train **train);
void slip_train_destroy(slip_train *train);

/* Whether modes of a body are missing for what its attachment vectors are taken for, by slip_train_arrange:
 * then why is in the text. */
bool slip_train_lacks_modes(const slip_train_body *body, char *text, size_t size);

/* Adds a body or a mesh; all it points to stays. The train takes over the reduced body unless it is shared,
 * also when it fails. */
int slip_train_add_body(slip_context *ctx, slip_train *train, const slip_train_body *body);
int slip_train_add_mesh(slip_context *ctx, slip_train *train, const slip_train_mesh *mesh);
/* -1 where there is none. */
int slip_train_find(const slip_train *train, const char *name);

/* When all are there: numbers of coordinates, places of axes and teeth. The first shaft of each group of
 * shafts that meshes connect is at the origin. Fails where shafts are connected twice, and where gears do not
 * fit. */
int slip_train_arrange(slip_context *ctx, slip_train *train);

/* The model of all meshes, gears where they stand at zero angles. Pair i is that of mesh i. */
int slip_train_open_modal(slip_context *ctx, const slip_train *train, slip_gear_modal **modal);

/* Whether all bodies are whole, or some condensed: then flanks may be rigid. */
bool slip_train_is_whole(const slip_train *train);
bool slip_train_is_condensed(const slip_train *train);

/* Whether it is a structure of gear trains: `modal`, whose bodies are reduced; of these `condensed` moves by
 * `exponential` alone; and `bricks`, whole gears, by `explicit`. */
bool slip_structure_is_train(const slip_structure *structure);

/* Makes the structure of a system of it, whose coordinates are given->given, those of the train, states; its
 * matrices have what belongs to the given coordinates. The bodies know their turning coordinates, the meshes
 * their contacts. The train stays the caller's. */
void slip_train_attach(slip_system *system, const slip_train *train);

#endif
