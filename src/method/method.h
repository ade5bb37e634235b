/* Methods: what advances a system in time. One file a method, one table that lists them.
 *
 * A method is opened at a state, advanced to given times (each is reached exactly), and closed. Whoever wants
 * to see the motion gives an observer. */
#ifndef SLIP_METHOD_METHOD_H
#define SLIP_METHOD_METHOD_H

#include "slipstick/run.h"
#include "system/system.h"

struct slip_keeper;
struct slip_gear_setup;
struct slip_gear_scene;

/* Everything that is recorded of one instant. Arrays belong to the caller; any pointer may be NULL: not
 * wanted. */
typedef struct slip_sample {
    double *q, *v, *a; /* n */
    double *slip, *normal,
        *force;                /* one for each contact; of a patch magnitudes, the force against the slip */
    double *mode;              /* a slip_mode for each contact */
    slip_patch_state *patches; /* one for each patch */
    double *own;               /* the series of the structure */
    double at; /* the time that was asked for; a method that does not know that instant says which one it took
                */
} slip_sample;

/* Works of a motion: of loads; taken by damping; of each contact on the coordinates; taken by each contact,
 * the motion of belts and stops included. */
typedef enum slip_work { SLIP_WORK_LOADS, SLIP_WORK_DAMPING, SLIP_WORK_CONTACTS } slip_work;

/* Energies at an instant, and works since the start: of loads, and what damping and friction took. */
typedef struct slip_ledger {
    double kinetic, potential, loads, damping;
    double rounding; /* energies below this come from rounding */
} slip_ledger;

/* An accepted step, as an observer sees it. States at its ends are at hand, those in between are
 * interpolated. */
typedef struct slip_step {
    double t0, t1;
    /* Of a system with a field, all with its unknowns. */
    const double *q0, *v0, *a0; /* at t0, by the laws of this step */
    const double *q1, *v1, *a1; /* at t1, likewise */
    double leap; /* of central differences of whole bodies with lumped masses: the step that their energies
                  * are those of; else 0 */
    bool told;   /* its works are in those of the observer already */
    bool larger; /* and its contact forces may be larger than those of the observer, of a method that does not
                  * tell them itself */
    bool event1; /* it ends at an event, where the state or the laws may jump; told after the step, if at all
                  */
    bool rough0, rough1; /* a0, a1 are those of the method's history, good to its tolerance over a step; a
                          * sample at t1 makes a1 what the equation says */
    const void *self;
    /* q and v at t0 <= t <= t1, to the order of the method's dense output. */
    void (*state)(const void *self, double t, double *q, double *v);
    /* The same, and accelerations and contact forces from the equation itself. */
    void (*sample)(const void *self, double t, slip_sample *sample);
    /* Of a system with a field (system/field.h), else NULL: these unknowns of it, or all (a NULL list), at
     * their places behind the n in q and v. */
    void (*field)(const void *self, double t, const int64_t *list, int64_t count, double *q, double *v);
    /* The loads at a time, with coordinates and velocities that were sampled there: at hand from the sample.
     */
    bool (*loads)(const void *self, double t, const double *q, const double *v, double *loads);
    /* Of a method that knows its motion in closed form, else NULL: of all contacts the normal forces and
     * behind them the friction forces; then their first derivatives, then the second. */
    void (*forces)(const void *self, double t, double *forces);
    /* Likewise: the extremum of velocity i next to a time, and when it is; false where it found none. */
    bool (*peak)(const void *self, int i, double t, double *time, double *value);
    const double *forces0, *forces1; /* at the ends; NULL where the observer asks for no works */
    /* Of a structure that has more state than q and v, else NULL. Energies and works at t0 <= t <= t1; false
     * where the method does not know them, which it does where the last sample was taken. And whoever records
     * a sample says in which row, for what is kept beside the table; negative statuses are errors. */
    bool (*ledger)(const void *self, double t, slip_ledger *ledger);
    int (*recorded)(const void *self, double t, int64_t row);
    /* Of gears whose method keeps a state of its own, else NULL: what is seen of them (gear/gear_film.h). */
    int (*scene)(const void *self, double t, struct slip_gear_scene *scene);
} slip_step;

/* Where methods that know the works of their steps add them. */
typedef struct slip_works {
    double from, end; /* steps in this span count */
    double *works;    /* as slip_work has them */
    double *forces;   /* the largest normal forces so far, and behind them the friction forces */
} slip_works;

typedef struct slip_observer {
    void *user;
    /* Both return SLIP_OK, SLIP_STOPPED to end the run here, or an error. */
    int (*step)(void *user, const slip_step *step);
    int (*event)(void *user, const slip_event *event);
    /* The normal impulse of a contact in an impact, in the last step or at its end. May be NULL. */
    void (*impulse)(void *user, int contact, double impulse);
    const slip_works *works; /* NULL: nobody asks */
    bool past;  /* nothing comes after this advance: a method of fixed steps may end it at the step that is
                 * nearest to its end */
    bool spans; /* steps of closed forms may be as long as extrema are found in them by their ends
                 * (result/maxima.h), about two radians of the fastest motion; else they are half as long */
    /* Of a method that keeps its own state, after a step: it stands there, and can be kept and looked at. As
     * `step`, with a user of its own; may be NULL. */
    int (*arrived)(void *user, double t);
    void *arrived_user;
} slip_observer;

/* What a method knows of the contacts beside q and v: a run that goes on from a state needs it, so that what
 * sticks goes on sticking, changes of modes are told, and a low flight over a floor far from zero is not lost
 * in rounding. One entry for each contact. */
typedef struct slip_method_memory {
    slip_mode *modes;
    bool *known;  /* the mode is */
    double *gaps; /* NAN where they are not carried along */
} slip_method_memory;

/* Room for it, of which nothing is known; false: there is no memory left. */
static inline bool slip_method_memory_make(slip_arena *arena, int64_t contacts, slip_method_memory *memory)
{
    memory->modes = slip_arena_array(arena, contacts + 1, sizeof *memory->modes);
    memory->known = slip_arena_array(arena, contacts + 1, sizeof *memory->known);
    memory->gaps = slip_arena_array(arena, contacts + 1, sizeof *memory->gaps);
    return memory->modes && memory->known && memory->gaps;
}

typedef struct slip_method_options {
    const char *name; /* of the method, for those that share a function */
    double tolerance; /* relative and absolute */
    double step;      /* of fixed-step methods */
    double span; /* of the whole run, for a sensible first step and the progress report; may be infinite */
    const char *segments;
    double theta;                     /* of `moreau`: 0.5 to 1; NAN is 0.5 */
    const slip_method_memory *memory; /* of the run that goes on; NULL: it starts */
    struct slip_tangent *tangent; /* of `event`: derivatives of the motion (tangent/tangent.h); NULL: none */
    bool rest;   /* of a method that finds it itself (`rests`): starts from static equilibrium */
    int threads; /* of elastic forces; 0: as many as there are processors */
    struct slip_gear_setup *gears; /* of these alone: bodies, frames (gear/gear_motion.h); else NULL */
} slip_method_options;

typedef struct slip_method_counters {
    int64_t steps, rejected, evaluations, jacobians, events;
    int64_t accumulations; /* series of infinitely many bounces that ended in contact */
    double residual; /* the largest residual of the contact laws in any step, as a velocity; 0 for methods
                      * that solve none */
    double
        resolution; /* the absolute error that a step may make, in the model's units; 0 where it has none */
} slip_method_counters;

/* Where numbers go that have a path, such as "final.wheel.speed". Negative statuses are errors. */
typedef struct slip_number_sink {
    void *user;
    int (*number)(void *user, slip_context *ctx, const char *name, double value);
} slip_number_sink;

typedef struct slip_method_type {
    slip_method_info info;
    int (*open)(slip_context *ctx, const slip_system *system, const slip_method_options *options, double t,
                const double *q, const double *v, void **self);
    /* Advances to `end` exactly and keeps the state there. */
    int (*advance)(void *self, double end, const slip_observer *observer);
    /* The state now. */
    void (*state)(const void *self, double *t, double *q, double *v);
    void (*remember)(const void *self, slip_method_memory *memory); /* NULL: there are no contacts */
    void (*counters)(const void *self, slip_method_counters *counters);
    void (*close)(void *self);
    /* As if it were closed and opened at another state, with the same options but for the span and the
     * memory; keeps what it knows of the system. After an error only `close` is left. NULL: it has none. */
    int (*restart)(void *self, double span, const slip_method_memory *memory, double t, const double *q,
                   const double *v);
    double tolerance;     /* where none is given; 0: that of all methods */
    bool takes_fields;    /* of whole bodies */
    bool takes_large;     /* their large strains */
    bool takes_detectors; /* contacts whose rows are found as bodies move (system/detector.h) */
    bool takes_condensed; /* coordinates without mass that follow their forces (slip_system.condensed) */
    bool solves_laws;     /* its counters have a residual of the contact laws */
    bool tells_contacts;  /* it tells when contacts of the structure open and close; else somebody looks */
    /* Of a structure that has more state than q and v (system/structure/structure.h); else NULL. All of the
     * state; going on from it gives the same bits. The instant where it stands. And the loads of another
     * system, where nothing else differs: else it fails. It goes on with its own system. */
    void (*keep)(void *self, struct slip_keeper *keeper);
    int (*look)(void *self, slip_sample *now);
    int (*adopt)(void *self, const slip_system *system);
    /* Hands over numbers for the summary that not every run has. */
    int (*numbers)(void *self, const slip_number_sink *sink);
    bool checkpoints; /* its state can be kept in files */
    bool rests;       /* it finds the static equilibrium that a run starts from by itself */
} slip_method_type;

/* The tolerance of a run by a method for which none is given; the period is NAN where no steady state is
 * sought. */
double slip_method_default_tolerance(const slip_system *system, const char *method, double steady_period,
                                     double steady_tolerance);

/* The contact whose law with memory is stiff, so that explicit steps would be far shorter than what happens;
 * NULL where there is none. */
const slip_contact *slip_method_stiff_contact(const slip_system *system);

/* The method of a run for which none is given: `event`, or `smooth` where a law is stiff and all are smooth.
 */
const char *slip_method_default(const slip_system *system);

extern const slip_method_type *const slip_method_types[]; /* NULL ends the table */
const slip_method_type *slip_method_find(const char *name);
/* The method of that name which moves this system: of a structure that has methods of its own one of these;
 * else that of the table. NULL: there is none. */
const slip_method_type *slip_method_for(const slip_system *system, const char *name);

#endif
