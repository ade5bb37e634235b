/* Time integration of gears by methods that keep a state of their own, outside the coordinates of the system.
 * They move the structure `gears` (system/structure/structure.h), two gears without coordinates, and gear
 * trains (train/train.h). Each method is one file; gear_motion.c has what they share, and puts them into the
 * table of methods. */
#ifndef SLIP_GEAR_GEAR_MOTION_H
#define SLIP_GEAR_GEAR_MOTION_H

#include "gear/body/gear_group.h"
#include "gear/gear_film.h"
#include "io/keep.h"
#include "method/method.h"
#include "slipstick/gear_run.h"

#include <math.h>

enum { slip_gear_name_size = 100 };

/* Gives a system without coordinates the structure `gears`. The two gears and the options must outlive it. */
int slip_gear_attach(slip_context *ctx, slip_system *system, const slip_gear_options *gears,
                     const slip_gear_run_options *options);

/* What the structure `gears` of a system points to. */
typedef struct slip_gear_task {
    const slip_gear_options *gears; /* two */
    const slip_gear_run_options *options;
} slip_gear_task;

/* The options of the gears of a model, overridden by those that the method of the run sets. */
slip_gear_run_options slip_gear_effective(const slip_gear_run_options *given,
                                          const slip_method_options *options);

/* What the opener of a run may supply for its gears. */
typedef struct slip_gear_setup {
    /* Reduced bodies for the methods that need them: `given` belongs to the caller; where it is NULL, the
     * body is reduced when the method is opened, into `made`, until slip_gear_setup_free. */
    const slip_reduced *given[2];
    slip_reduced *made[2];
    int threads;        /* 0: as many as there are processors */
    const char *device; /* as slip_gear_run_options has it */
    /* Records the participation of attachment vectors; called for each flank of both gears when row `row` of
     * the record is written. `size` amplitudes, a flag for each whether it is active (NULL: all), and the
     * normal force on the flank, N. A flank has no history before the first call with `begins`. NULL: not
     * wanted. */
    int (*participation)(void *user, slip_context *ctx, int gear, int surface, bool begins, int64_t row,
                         int size, const double *amplitude, const unsigned char *active, double force);
    void *participation_user;
} slip_gear_setup;
void slip_gear_setup_free(slip_gear_setup *setup);

typedef struct slip_gear_motion slip_gear_motion;

/* The gears at one time. */
typedef struct slip_gear_sample {
    double time;
    double force, touching, depth;
    double kinetic, strain, contact, lost, work;
    double *angle, *speed, *moment; /* of each shaft; moment: of the contact about its axis */
    double *normal;                 /* of each mesh: its normal force, N */
} slip_gear_sample;

typedef struct slip_gear_method {
    const char *name;
    bool reduced;   /* needs reduced bodies */
    bool condensed; /* moves bodies of the reductions "condensed" and "none"; else the other reductions */
    bool serial;    /* runs on one thread: its matrices are too small for more */
    /* Creates motion->self: the gears of motion->group at their start (a train: q and v of motion->train). */
    int (*open)(slip_gear_motion *motion);
    /* Attempts one step towards motion->end; if accepted, shows it (slip_gear_motion_show) and updates time,
     * steps, evaluations and touching. SLIP_STOPPED: motion->end is reached. */
    int (*step)(slip_gear_motion *motion);
    int (*measure)(slip_gear_motion *motion, slip_gear_sample *now);
    /* The same without energies; NULL where that would not be cheaper. */
    void (*measure_cheaply)(slip_gear_motion *motion, slip_gear_sample *now);
    /* For a train, at the time of the last sample: turning, the accelerations of the shafts; q, v, a: the
     * amplitudes of the gears, their rates and accelerations, at their places among the coordinates of the
     * system. */
    void (*amplitudes)(slip_gear_motion *motion, double *turning, double *q, double *v, double *a);
    /* Measures the energies and hands them to slip_gear_motion_check; fails where the motion grows without
     * bound. NULL: each step does this already. */
    int (*check)(slip_gear_motion *motion);
    /* The gears at time t inside the step that is shown; NULL: a sample is taken at the nearest step. */
    void (*between)(slip_gear_motion *motion, double t, slip_gear_sample *sample);
    /* Reports the participation of all flanks at time t (slip_gear_motion_participation). */
    int (*history)(slip_gear_motion *motion, double t, int64_t row);
    /* Deformed gears for a frame at time t inside the step that is shown, or in the present state; gears in
     * the order of the model (slip_gear_motion_place). */
    int (*scene)(slip_gear_motion *motion, double t, slip_gear_scene *scene);
    /* Reads the torques of the group again. To be called after they have changed. */
    void (*set_torques)(slip_gear_motion *motion);
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
    slip_gear_run_options options;   /* of the run; for two gears also loads and contact */
    slip_gear_group group;           /* torques of its sides may change during the run */
    slip_gear_meshing meshing;       /* where the structure is `gears`: its mesh, */
    const slip_reduced *bodies[2];   /* and its bodies */
    struct slip_train_motion *train; /* for a train: the map to the coordinates of the system; else NULL */
    const slip_gear_setup *setup;
    const slip_observer *observer; /* of the present call of advance; NULL: none */
    int contact_count;             /* of the system */
    int shown;                     /* answer of the observer to the last step */
    double start, put_in; /* energy at the start (NAN: not measured yet); largest work of loads since then */
    double rounding;      /* energies below this are rounding errors */
    double watched_at, *normal; /* time of the last slip_gear_motion_watch (NAN: none), and its forces */
    slip_gear_sample seen[2];   /* the last two samples with energies, the newer one second; time NAN: none */
    slip_gear_sample sample;    /* scratch */
    int failed;                 /* status of measuring energies for the observer */
    bool in_step;               /* the shown step can be sampled at any time inside it */
    double shown_to;            /* time up to which the observer has been shown the motion */
    double time;                /* of the present state, */
    int64_t steps, evaluations; /* after so many */
    double residual;            /* of the contact laws: the largest that the judge has found, m */
    double step;                /* present step of a method with fixed steps */
    bool touching;
    double end;         /* time to advance to: exactly, */
    bool past;          /* or, if set, to the step nearest to it */
    const char *what;   /* label of the progress report, */
    double done, share; /* fraction done before this advance, and the fraction that it adds */
};

extern const slip_gear_method slip_gear_method_rk4, slip_gear_method_exponential, slip_gear_method_explicit;

/* The method of these options; NULL where there is none of that name. */
const slip_gear_method *slip_gear_method_find(const slip_gear_run_options *options);

/* Fails unless there is a device of this name (NULL: the processor) and the method can use it. */
int slip_gear_device_check(slip_context *ctx, const char *device, const char *method);

/* Fails where the contact ratio at that distance of the axes (m; 0: the one without backlash) is below 1.
 * Gears from mesh files are not checked: their teeth are not known. */
int slip_gear_check_teeth(slip_context *ctx, const slip_gear_options *first, const slip_gear_options *second,
                          double distance);

/* What slip_gear_run_check objects to: a key of a model file, of gear 0 or 1, or (-1) of another section. */
typedef struct slip_gear_fault {
    int gear;
    const char *key; /* NULL: of none */
} slip_gear_fault;
/* slip_gear_run_check with the place of the fault; if `meet`, slip_gear_check_teeth too. */
int slip_gear_run_find_fault(slip_context *ctx, const slip_gear_options gears[2],
                             const slip_gear_run_options *options, bool meet, slip_gear_fault *fault);

/* ---- For methods. */

/* Advances to motion->end and reports progress. */
int slip_gear_motion_go(slip_gear_motion *motion);

/* Watches the energy. A method measures its energies into the sample of slip_gear_motion_next_sample, then
 * calls slip_gear_motion_check, which returns true where the energy is more than twice that at the start plus
 * the work of loads: the motion grows without bound. slip_gear_motion_unbounded is the failure for that
 * reason. when: "t = ... s: "; who: what moves most. */
slip_gear_sample *slip_gear_motion_next_sample(slip_gear_motion *motion);
bool slip_gear_motion_check(slip_gear_motion *motion);
int slip_gear_motion_unbounded(const slip_gear_motion *motion, const char *when, const char *who);

/* Shows the motion up to the time `until` to the observer. slip_gear_motion_show_near is for methods that are
 * sampled at the nearest step: up to half a step ahead. slip_gear_motion_go acts on the observer's answer. */
void slip_gear_motion_show(slip_gear_motion *motion, double until);
static inline void slip_gear_motion_show_near(slip_gear_motion *motion)
{
    slip_gear_motion_show(motion, fmin(motion->time + motion->step / 2, motion->end));
}

/* Takes the normal force of each mesh (N) at the end of a step, before the step is shown, and reports begin
 * and end of contact to the observer as events, at the time at which the force, linear between two calls,
 * vanishes. */
void slip_gear_motion_watch(slip_gear_motion *motion, double time, const double *normal);

/* The index in the model of a gear of the group. */
int slip_gear_motion_place(const slip_gear_motion *motion, int gear);

/* Calls `participation` of slip_gear_setup for a flank. */
int slip_gear_motion_participation(slip_gear_motion *motion, int gear, int surface, bool begins, int64_t row,
                                   int size, const double *amplitude, const unsigned char *active,
                                   double force);

/* Report numbers to the summary: "momentum.SHAFT" (of two gears a shaft has the name of its gear) and, for
 * methods with fixed steps, the last step and, where it was larger, the first one. */
int slip_gear_motion_number_momentum(slip_gear_motion *motion, const slip_number_sink *sink, int shaft,
                                     double off);
int slip_gear_motion_number_step(slip_gear_motion *motion, const slip_number_sink *sink, double step,
                                 double first);

/* For a method with fixed steps at `time`: the length of the next step, s; 0 at the end. The end is reached
 * by one or two equal shorter steps, since very short steps are bad for contact without a penalty. */
double slip_gear_next_step(const slip_gear_motion *motion, double time, double step);

/* The methods `exponential` and `explicit` for gears. Another `exponential` in the table of methods is for
 * systems whose contacts are their own. */
extern const slip_method_type slip_gear_exponential, slip_gear_explicit;

#endif
