/* The course of a simulation: its method at the present state. For course.c and course_advance.c only. */
#ifndef SLIP_SIMULATION_COURSE_H
#define SLIP_SIMULATION_COURSE_H

#include "gear/gear_motion.h"
#include "method/motion.h"
#include "simulation/simulation.h"

struct slip_course {
    slip_settings settings;
    double span; /* duration of the whole run, s; infinite: not known */
    slip_motion *method;
    slip_arena arena;
    double *q, *v; /* the present state */
    slip_method_memory memory;
    slip_sample sample;           /* accelerations and contact forces at the time sampled_at */
    double sampled_at;            /* NAN: no sample has been taken */
    bool reopen;                  /* the method must be opened again before the next step, */
    bool forget;                  /* and without the memory of contacts, because the state was set */
    struct slip_tangent *tangent; /* derivatives that the method computes; NULL: none */
    slip_gear_setup gears;        /* for models of two gears */
};

/* Whether the method has more state than q and v, and keeps it itself. */
static inline bool slip_course_keeps(const struct slip_course *l)
{
    return l->settings.method->keep != NULL;
}

/* Opens the method again if `reopen` is set. */
int slip_course_make_ready(slip_simulation *s);

/* The options with which the method is opened. */
slip_method_options slip_course_method_options(const slip_simulation *s, const slip_method_memory *memory);

#endif
