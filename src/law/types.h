/* The rows of the table of laws, and the parameters that several laws share. Used by this folder only. */
#ifndef SLIP_LAW_TYPES_H
#define SLIP_LAW_TYPES_H

#include "law/law.h"

#include <math.h>

/* Laws that other laws use; law.c lists all. */
extern const slip_law_type slip_law_stribeck, slip_law_dahl;

/* For laws with memory (law.c): sets the break for the kink of |v| at 0; the deflection mu/stiffness of
 * steady sliding. */
void slip_law_prepare_kink(slip_law_kernel *kernel);
double slip_law_deflection(const slip_law_kernel *kernel);

/* Bristles in the plane, z' = v - stiffness |v| z/g(|v|), F = stiffness z + damping z', for g and its
 * derivative at |v|. */
void slip_law_bristles(const slip_law *law, double g, double g_s, double damping, const double v[2],
                       const double z[2], slip_law_plane *to);

/* The range of deflections of sliders, and their force and rates (jenkins.c). */
void slip_law_slider_range(const slip_law_kernel *kernel, int k, double *low, double *high);
void slip_law_remember_sliders(const slip_law_kernel *kernel, int piece, const signed char *sliders, double v,
                               const double *z, slip_law_response *to);

/* Stribeck's curve, stribeck.c: g(v) = mu (1 + (static_ratio - 1) exp(-x^exponent)), x = side v/velocity, and
 * its derivative; beyond x = -1 it is held. */
void slip_law_stribeck_curve(const slip_law *law, double side, double v, double *g, double *slope);

/* Initialisers of slip_law_parameter_info: name, meaning, default (NAN: must be given), minimum, open. */
#define SLIP_LAW_PARAMETER_MU                                                                                \
    {                                                                                                        \
        "mu", "kinetic coefficient of friction", NAN, 0, 0, NULL                                             \
    }
#define SLIP_LAW_PARAMETER_STATIC_RATIO                                                                      \
    {                                                                                                        \
        "static_ratio", "static over kinetic coefficient", 1, 1, 0, NULL                                     \
    }
#define SLIP_LAW_PARAMETER_VISCOUS                                                                           \
    {                                                                                                        \
        "viscous", "force per slip velocity, added to the law", 0, 0, 0, NULL                                \
    }

#define SLIP_LAW_PARAMETER_STIFFNESS                                                                         \
    {                                                                                                        \
        "stiffness", "force per deflection, for unit normal force", NAN, 0, 1, NULL                          \
    }

#endif
