/* Where a simulation stands: its method at a state. For the two files of a course alone. */
#ifndef SLIP_SIMULATION_COURSE_H
#define SLIP_SIMULATION_COURSE_H

#include "gear/gear_motion.h"
#include "method/motion.h"
#include "simulation/simulation.h"

struct slip_course {
    slip_settings settings;
    double span; /* of the whole run; infinite where that is not known */
    slip_motion *method;
    slip_arena arena;
    double *q, *v; /* where it stands */
    slip_method_memory memory;
    slip_sample sample;           /* of the instant sampled_at */
    double sampled_at;            /* NAN: of none */
    bool reopen;                  /* the method must be opened again before the next step, */
    bool forget;                  /* without memory: the state was set */
    struct slip_tangent *tangent; /* that the method has; NULL: none */
    slip_gear_setup gears;        /* of these alone */
};

/* Whether the method has more state than q and v, and keeps it itself. */
static inline bool slip_course_keeps(const struct slip_course *l)
{
    return l->settings.method->keep != NULL;
}

/* Opens the method again where that is due. */
int slip_course_make_ready(slip_simulation *s);

/* What the method is opened with. */
slip_method_options slip_course_method_options(const slip_simulation *s, const slip_method_memory *memory);

#endif
