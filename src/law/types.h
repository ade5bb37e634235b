/* The rows of the table of laws, and the parameters that several laws share. Used by this folder only. */
#ifndef SLIP_LAW_TYPES_H
#define SLIP_LAW_TYPES_H

#include "law/law.h"

#include <math.h>

extern const slip_law_type slip_law_coulomb;
extern const slip_law_type slip_law_stribeck;
extern const slip_law_type slip_law_tanh;
extern const slip_law_type slip_law_arctan;
extern const slip_law_type slip_law_sqrt;
extern const slip_law_type slip_law_elliptic;
extern const slip_law_type slip_law_user_function;

/* Initialisers of slip_law_parameter_info: name, meaning, default (NAN: must be given), minimum, open. */
#define SLIP_LAW_PARAMETER_MU                                                                                \
    {                                                                                                        \
        "mu", "kinetic coefficient of friction", NAN, 0, 0                                                   \
    }
#define SLIP_LAW_PARAMETER_STATIC_RATIO                                                                      \
    {                                                                                                        \
        "static_ratio", "static over kinetic coefficient", 1, 1, 0                                           \
    }
#define SLIP_LAW_PARAMETER_VISCOUS                                                                           \
    {                                                                                                        \
        "viscous", "force per slip velocity, added to the law", 0, 0, 0                                      \
    }

#endif
