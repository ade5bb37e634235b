/* Gears in motion, any number of them: methods that keep a state of their own. They move the structure
 * `gears` of a system (system/structure.h), two gears without coordinates, and gear trains (train/train.h).
 * One file a method; gear_motion.c has what they share, and makes rows of the table of methods of them. */
#ifndef SLIP_GEAR_GEAR_MOTION_H
#define SLIP_GEAR_GEAR_MOTION_H

#include "gear/body/gear_group.h"
#include "gear/gear_film.h"
#include "io/keep.h"
#include "method/method.h"
#include "slipstick/gear_run.h"

#include <math.h>

enum { slip_gear_name_size = 100 };

/* Makes a system without coordinates one of two gears that do this. Gears and options stay until it is
 * destroyed. */
int slip_gear_attach(slip_context *ctx, slip_system *system, const slip_gear_options *gears,
                     const slip_gear_run_options *options);

/* What the structure `gears` of a system points to. */
typedef struct slip_gear_task {
    const slip_gear_options *gears; /* two */
    const slip_gear_run_options *options;
} slip_gear_task;

/* What the method of a run says goes before what the model says of its gears. */
slip_gear_run_options slip_gear_effective(const slip_gear_run_options *given,
                                          const slip_method_options *options);

/* What a run may bring for its gears. */
typedef struct slip_gear_setup {
    /* Reduced bodies for the methods that need them: those that are given, else made when the method is
     * opened and kept until slip_gear_setup_free. */
    const slip_reduced *given[2];
    slip_reduced *made[2];
    int threads;        /* 0: as many as there are processors */
    const char *device; /* as slip_gear_run_options has it */
    /* For each flank of both gears, where a sample goes to this row: `size` amplitudes and which are switched
     * on (NULL: all), and the normal force on it. Of a flank whose history has not begun nothing is kept,
     * unless it begins. NULL: not wanted. */
    int (*participation)(void *user, slip_context *ctx, int gear, int surface, bool begins, int64_t row,
                         int size, const double *amplitude, const unsigned char *active, double force);
    void *participation_user;
} slip_gear_setup;
void slip_gear_setup_free(slip_gear_setup *setup);

typedef struct slip_gear_motion slip_gear_motion;

/* Gears at an instant. */
typedef struct slip_gear_sample {
    double time;
    double force, touching, depth;
    double kinetic, strain, contact, lost, work;
    double *angle, *speed, *moment; /* of each shaft; moment: of the contact about its axis */
    double *normal;                 /* of each mesh: its part of the force */
} slip_gear_sample;

typedef struct slip_gear_method {
    const char *name;
    bool reduced;   /* needs reduced bodies */
    bool condensed; /* is for the reduction "condensed" (and "none"), else for the others */
    bool serial;    /* its matrices are small: threads would only wait for each other */
    /* The gears of motion->group at their start, as motion->self; those of a train at the place and with the
     * speeds of motion->train. */
    int (*open)(slip_gear_motion *motion);
    /* One step, or a try at it, towards motion->end; shows it and sees to time, steps, evaluations and
     * touching. SLIP_STOPPED: it is there. */
    int (*step)(slip_gear_motion *motion);
    int (*look)(slip_gear_motion *motion, slip_gear_sample *now);
    /* The same without energies, where that is cheaper; else NULL. */
    void (*glance)(slip_gear_motion *motion, slip_gear_sample *now);
    /* Of a train, with the sample that was taken last: accelerations of the shafts; amplitudes of the gears
     * (motion->train), their rates and accelerations, at their places among the coordinates. */
    void (*give)(slip_gear_motion *motion, double *turning, double *q, double *v, double *a);
    /* Looks at the gears for energies (slip_gear_motion_see); fails where the motion grows
     * without bound. NULL: it does so in every step. */
    int (*see)(slip_gear_motion *motion);
    /* The gears at a time of the step that is shown; NULL: samples are at the nearest step. */
    void (*between)(slip_gear_motion *motion, double t, slip_gear_sample *sample);
    /* Hands over the participation of all flanks at that time. */
    int (*history)(slip_gear_motion *motion, double t, int64_t row);
    /* What is seen of the gears at that time, of the step that is shown or where they stand: gears, in the
     * order of the model (slip_gear_motion_place). */
    int (*scene)(slip_gear_motion *motion, double t, slip_gear_scene *scene);
    /* Whoever changes torques of the group tells it. */
    void (*load)(slip_gear_motion *motion);
    void (*keep)(slip_gear_motion *motion, slip_keeper *keeper);
    int (*numbers)(slip_gear_motion *motion, const slip_number_sink *sink);
    void (*close)(slip_gear_motion *motion); /* also where open failed */
} slip_gear_method;

struct slip_train_motion;

struct slip_gear_motion {
    slip_arena arena;
    slip_context *ctx;
    const slip_gear_method *method;
    void *self;                      /* of the method */
    slip_gear_run_options options;   /* of the run; of two gears also what they do and how they meet */
    slip_gear_group group;           /* what moves; torques of its sides may change */
    slip_gear_meshing meshing;       /* of two gears */
    const slip_reduced *bodies[2];   /* of these */
    struct slip_train_motion *train; /* of a train, where its coordinates are; else NULL */
    const slip_gear_setup *setup;
    const slip_observer *observer; /* of the advance that is under way; NULL: none */
    int contact_count;             /* of the system */
    int shown;                     /* what it said of the last step */
    double start, put_in;       /* the energy at the start, NAN: nobody has looked; the largest work since */
    double rounding;            /* energies below this come from it */
    double watched_at, *normal; /* when the forces of the meshes were told last, NAN: never; which */
    slip_gear_sample seen[2];   /* the last instants that somebody looked at; the time of none is NAN */
    slip_gear_sample sample;    /* scratch */
    int failed;                 /* what looking on behalf of the observer came to */
    bool in_step;               /* what is shown is known inside of a step */
    double shown_to;            /* up to where the observer has seen it */
    double time;                /* where it is, */
    int64_t steps, evaluations; /* after so many */
    double residual;            /* of the contact laws: the largest that the judge has found, m */
    double step;                /* of a method with fixed ones, now */
    bool touching;
    double end;         /* where it goes: exactly there, */
    bool past;          /* or to the step that is nearest to it */
    const char *what;   /* it does, for the progress, */
    double done, share; /* which is so much already, and so much of it to come */
};

extern const slip_gear_method slip_gear_method_rk4, slip_gear_method_exponential, slip_gear_method_explicit;

/* The method of these options; NULL where there is none of that name. */
const slip_gear_method *slip_gear_method_find(const slip_gear_run_options *options);

/* Whether there is a device of this name, and the method can use it; NULL: the processor. */
int slip_gear_device_check(slip_context *ctx, const char *device, const char *method);

/* Fails unless one pair of teeth after the other can be in contact at that distance of the axes (0: that
 * without backlash). Teeth of mesh files are not known. */
int slip_gear_check_teeth(slip_context *ctx, const slip_gear_options *first, const slip_gear_options *second,
                          double distance);

/* What slip_gear_run_check has found: the key of a model file, of a gear or (-1) of another section. */
typedef struct slip_gear_fault {
    int gear;
    const char *key; /* NULL: of none */
} slip_gear_fault;
/* The same, and of gears that have to `meet` slip_gear_check_teeth. */
int slip_gear_run_find_fault(slip_context *ctx, const slip_gear_options gears[2],
                             const slip_gear_run_options *options, bool meet, slip_gear_fault *fault);

/* ---- For methods. */

/* Advances to motion->end, with its progress. */
int slip_gear_motion_go(slip_gear_motion *motion);

/* The sample that an instant is measured into before slip_gear_motion_see, which notes it: true where the
 * motion has more than twice the energy that was at the start and has been put in, and grows without bound.
 * And the failure for that reason. when: "t = ... s: "; who: what moves most. */
slip_gear_sample *slip_gear_motion_next(slip_gear_motion *motion);
bool slip_gear_motion_see(slip_gear_motion *motion);
int slip_gear_motion_unbounded(const slip_gear_motion *motion, const char *when, const char *who);

/* Shows the time up to `until` to the observer: the step that ends there, or what is nearer to the present
 * step than to others, up to half a step ahead (slip_gear_motion_show_near). Its answer counts in the loop of
 * slip_gear_motion_go. */
void slip_gear_motion_show(slip_gear_motion *motion, double until);
static inline void slip_gear_motion_show_near(slip_gear_motion *motion)
{
    slip_gear_motion_show(motion, fmin(motion->time + motion->step / 2, motion->end));
}

/* Tells the observer the normal force of each mesh at the end of a step, before that is shown, and when a
 * contact has begun or ended: where the force, linear between two calls, vanishes. */
void slip_gear_motion_watch(slip_gear_motion *motion, double time, const double *normal);

/* Which gear of the model a gear of the group is. */
int slip_gear_motion_place(const slip_gear_motion *motion, int gear);

/* Hands amplitudes of a flank over; slip_gear_setup. */
int slip_gear_motion_participation(slip_gear_motion *motion, int gear, int surface, bool begins, int64_t row,
                                   int size, const double *amplitude, const unsigned char *active,
                                   double force);

/* Hands over "momentum.SHAFT" (a gear of two has the name of its shaft) and, of methods with fixed steps, the
 * last step and the first one where that was larger. */
int slip_gear_motion_number_momentum(slip_gear_motion *motion, const slip_number_sink *sink, int shaft,
                                     double off);
int slip_gear_motion_number_step(slip_gear_motion *motion, const slip_number_sink *sink, double step,
                                 double first);

/* Of a method with fixed steps, which is at `time`: the length of the next step, 0 where it is there. Before
 * the end there are one or two equal shorter ones, since very short ones are bad for contact without a
 * penalty. */
double slip_gear_next_step(const slip_gear_motion *motion, double time, double step);

/* The method `exponential` of gears: not the one of the table, whose contacts are those of the system. */
extern const slip_method_type slip_gear_exponential, slip_gear_explicit;

#endif
