/* Slipstick: two elastic gears in contact, in motion. SI units, angles in radian.
 *
 * The axes are parallel to z, the first at the origin, the second at the distance of the axes along x. At the
 * start a tooth of the first gear is next to the line of centres, `phase` pitches before it, and the first
 * gear is turned as far as it goes in the sense of the relative speed: its flanks are about to touch. */
#ifndef SLIPSTICK_GEAR_RUN_H
#define SLIPSTICK_GEAR_RUN_H

#include "slipstick/gear.h"
#include "slipstick/law.h"
#include "slipstick/result.h"

SLIP_BEGIN_C

/* Motion and reduction of one gear. */
typedef struct slip_gear_side {
    int modes; /* eigenmodes, from the lowest; default -1: all that the reduced body has. What is left out
                * goes into the residual flexibility */
    /* Which residual attachment modes are used:
     *   "none"          nothing: eigenmodes alone;
     *   "all"           all of each flank, from its first contact until it faces no other;
     *   "switch"        those of the nodes now in contact, and of nodes that have just left it until they can
     *                   be let go without a jump; beside them the 50 combinations of lowest frequency of a
     *                   flank (at most a quarter of all), from its first contact until it faces no other;
     *   "switch_teeth"  the same with those of the contact patch of a flank while it is in contact. The patch
     *                   is found by a run with "switch": nodes that take part in contact, and neighbours;
     *   "condensed"     all, with inertia only in the combinations of low frequency (default). */
    const char *reduction;
    double damping;        /* of the eigenmodes, times their stiffness, s; default 1e-10 */
    double static_damping; /* of the attachment modes, times their stiffness, s; default 1e-7. Of "condensed":
                              also the lag of the vectors without inertia behind the force */
    double speed;          /* at the start, rad/s; default 0 */
    int driven;            /* not zero: it keeps that speed whatever acts; default 0 */
    double torque;         /* on the bore, N m; default 0 */
    double inertia;        /* of parts that turn with the bore beside the meshed gear, kg m^2; default 0 */
    double room[8];        /* for fields to come */
} slip_gear_side;

struct slip_gear_frame;
/* Sees the deformed gears at an instant, valid during the call; a negative status ends the run with that
 * status. */
typedef int (*slip_gear_frame_function)(void *user, slip_context *ctx, const struct slip_gear_frame *frame);

typedef struct slip_gear_run_options {
    slip_gear_side side[2];
    double distance; /* of the axes, metre; default 0: that without backlash */
    double phase;    /* in pitches, see above; default 0 */
    /* Of the flanks, N/m; default 1e10. INFINITY: rigid, for "condensed" and for "explicit". There the
     * contact is kinematic: nodes that would be inside the other gear after a step take the force that puts
     * them on its surface, with 0 < two_pass < 1 the nodes of both gears, whatever the number. */
    double penalty;
    double two_pass;          /* weight of the pass with the first gear's nodes as slaves; default 0.5 */
    const slip_law *friction; /* a smooth law; default NULL: none */
    /* "rk4": fixed step, for all but "condensed". "exponential": for "condensed". "explicit": the nonlinear
     * finite element model, which needs no reduced bodies. Default NULL: by the reduction. */
    const char *method;
    /* "static": from static equilibrium, of reduced gears. One gear is driven, and is where it would be
     * without this; the other one has a torque, and is turned until the flanks, which are dented, hold it.
     * Friction is left out; speeds are those of the gears. Default NULL: undeformed, about to touch. */
    const char *initial;
    double step;      /* s; default 0: 1e-8 for "rk4", or less where that is above the stability limit, chosen
                       * from the tolerance for "exponential", from the stability limit for "explicit". A step
                       * above the limit is refused; where none is given, it is lowered on the way where friction
                       * or contact needs that */
    double tolerance; /* of "exponential", relative to the largest contact force; default 1e-4 */
    double time;      /* to simulate, s; default 3e-4 */
    int samples;      /* that are recorded, at equal distances; default 1000 */
    int history;      /* also the participation of each attachment mode, at each sample; default 0 */
    int threads;      /* of "explicit"; default 0: as many as there are processors */
    double hourglass; /* of "explicit": 0 (default): fully integrated bricks; > 0: one point, this times the
                       * stiffness of the patterns that it does not see */
    /* Of "explicit": every so many seconds of wall time, and where it is interrupted, the whole run is
     * written to this file. A run that finds it goes on from it and gives the bits of one that was not
     * interrupted, or fails where the file is of another run. The caller removes it in the end. NULL
     * (default): none. */
    const char *checkpoint;
    double checkpoint_every; /* s of wall time; default 60 */
    /* So many times, at equal distances from the start to the end, the deformed gears are shown to a
     * function, whose negative status ends the run. slip_gear_animation_create sets one. Of reduced gears
     * the stiffness of the whole meshes is factorised for them. */
    int frames;                     /* default 0 */
    slip_gear_frame_function frame; /* default NULL: none */
    void *frame_user;
    const char
        *device; /* of "explicit": what takes the steps. "cpu" (default, also NULL), "cuda": a graphics card
                  * (slipstick/device.h), an error where there is none, "auto": a card where there is one */
    double room[8]; /* for fields to come */
} slip_gear_run_options;

/* A deformed gear at an instant. Nodes are those of slip_gear_save_mesh. */
typedef struct slip_gear_shown {
    double angle, centre[2]; /* radian; of the axis, metre */
    int node_count;
    const double *position; /* x, y, z of each node in space, metre */
    const double *stress;   /* von Mises, at each node, Pa */
} slip_gear_shown;

/* All gears at an instant, in the order of the model. */
typedef struct slip_gear_frame {
    int number;   /* from 0 */
    double time;  /* s */
    double force; /* of the contacts, sum of the normal forces, N */
    int gear_count, mesh_count;
    const slip_gear_shown *gears;
    const double (*pitch)[2]; /* the pitch point of each mesh, metre */
} slip_gear_frame;

/* The defaults above. */
SLIP_API slip_gear_run_options slip_gear_run_options_default(void);

/* How the two gears of a model file run, as long as the model is there; NULL where there are not two. */
SLIP_API const slip_gear_run_options *slip_model_gear_run(const slip_model *model);

/* Whether gears of the model move: two of its section `gears`, or gears among its bodies. */
SLIP_API int slip_model_has_gears(const slip_model *model);

/* Sees a reduced body, which belongs to the run; path is NULL where there is no folder, reused is 1 where the
 * body was read from there. */
typedef void (*slip_gear_reduced_function)(void *user, const slip_reduced *body, const char *path,
                                           int reused);

/* Of slip_run, for a model with gears. */
typedef struct slip_run_gears_options {
    size_t size; /* of this struct; the default function sets it */
    /* Where the reduced bodies GEAR.h5 are made, or used again where they are those of these gears; method
     * `explicit` needs none and keeps its checkpoint there until it has come to its end and the result is
     * saved; `frames` go to the folder of that name. Default NULL: bodies are in memory, and there is neither
     * checkpoint nor frame. */
    const char *folder;
    slip_reduce_options reduce; /* its threads are those of `explicit` too */
    int resume;  /* go on from the checkpoint; default 0. Without it and `restart` a checkpoint is an error */
    int restart; /* forget the checkpoint; default 0 */
    int pictures; /* of the frames, beside their VTU files, where the model asks for frames; default 1 */
    slip_gear_reduced_function reduced; /* called with each reduced body; default NULL: none */
    void *user;                         /* of `reduced` */
    const char *device; /* of method `explicit`, as in slip_gear_run_options; default NULL: the processor */
} slip_run_gears_options;
SLIP_OPTIONS_DEFAULT(slip_run_gears_options)

/* Checks the options without reduced bodies; slip_gear_run does so too. */
SLIP_API int slip_gear_run_check(slip_context *ctx, const slip_gear_options gears[2],
                                 const slip_gear_run_options *options);

/* bodies: of the gears, in their order; may be NULL for "explicit". An interrupted run, or one that failed on
 * the way, gives what it has in *result beside its status; it is for slip_result_destroy. */
SLIP_API int slip_gear_run(slip_context *ctx, const slip_gear_options gears[2],
                           const slip_reduced *const bodies[2], const slip_gear_run_options *options,
                           slip_result **result);

/* ---- Animation. */

typedef struct slip_gear_animation slip_gear_animation;

/* Before a run of so many gears with `frames` > 0: sees to `frame` and `frame_user` of its options. The
 * animation is the caller's, outlives the run and is ended by slip_gear_animation_destroy, which takes NULL.
 * Each frame is written as FOLDER/frame-0000.vtu ... with the nodes where they are, "displacement" (from
 * where a rigid gear would have them) and "von_mises" (Pa). */
SLIP_API int slip_gear_animation_create(slip_context *ctx, int gear_count, const slip_gear_options *gears,
                                        slip_gear_run_options *options, const char *folder,
                                        slip_gear_animation **animation);
/* After it, however it ended: FOLDER/frames.pvd, which lists the frames with their times for ParaView; and
 * where pictures is not 0, frame-0000.png ... of all gears and of the teeth in contact, coloured by stress on
 * one scale. `written` is called for each picture and may be NULL. A run that went on from a checkpoint draws
 * the frames since then. */
SLIP_API int slip_gear_animation_finish(slip_context *ctx, const slip_gear_animation *animation, int pictures,
                                        slip_path_function written, void *user);
SLIP_API void slip_gear_animation_destroy(slip_gear_animation *animation);

/* ---- Results. */

/* Series of the result:
 *   "t"; "GEAR.angle", "GEAR.speed" of the bore; "GEAR.moment" of the contact about the axis;
 *   "force" (sum of the normal forces), "touching" (nodes), "depth" (largest; of kinematic contact the one
 * that the force of this step undoes);
 *   "kinetic", "strain", "contact", "lost", "work": energies, J; "balance": kinetic + strain + contact + lost
 * - work, constant in a perfect run.
 *
 * Numbers of its summary: "contact_time" (while any node touches),
 * "first_contact", "last_contact", "peak_force", "final.GEAR.speed", "energy.start", "energy.end",
 * "energy.drift" (largest change of the balance, at samples, at all steps of "exponential" and at every
 * tenth one of "rk4", over the largest energy),
 * "energy.switching" (what switching attachment modes took, J; in "lost"), "momentum.GEAR" (angular momentum
 * gained less the impulse of torques and contact, over the largest), "steps", "evaluations", "step" (of "rk4"
 * and "explicit", at the end), "first_step" (where that is lower than at the start), "switches"; and those of
 * every run in time. */

/* With `history`: amplitudes of the attachment modes of a gear's flank, one for each node and direction (unit
 * loads; a quasi-static amplitude is the nodal force), samples x size, row by row, and whether they were
 * switched on (0 or 1). The flank is the one that took the largest force. Arrays live as long as
 * the result, and are NULL where there are none. */
typedef struct slip_gear_participation {
    int surface; /* of the reduced body */
    int64_t samples;
    int size;
    const double *amplitude; /* N */
    const double *active;
} slip_gear_participation;
SLIP_API slip_gear_participation slip_gear_result_participation(const slip_result *result, const char *gear);

SLIP_END_C

#endif
