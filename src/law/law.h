/* Friction laws inside the library: prepared once, then evaluated in the innermost loop.
 *
 * The velocity axis of a law is divided by its breaks (sorted, ascending) into pieces: piece k lies between
 * break k-1 and break k, so there are break_count + 1 pieces. On one piece the law is analytic. A break where
 * the slope is infinite is `singular`: next to it the substitution v = break.velocity + sgn(s) radius (1-cos
 * s) makes the force an analytic function of s on each side (the chart of the break).
 *
 * A law with memory has states z with rates z_k' = g(v, z_k), each independent of the other states. Its force
 * is a function of v and z. Sliders (`jenkins`, `iwan`) are springs in series with Coulomb's law: the force
 * of element k is stiffness_k z_k; z_k' = v while it sticks, and z_k stays at its limit while it slips. */
#ifndef SLIP_LAW_LAW_H
#define SLIP_LAW_LAW_H

#include "base/context.h"
#include "slipstick/law.h"

#include <stdbool.h>

enum { slip_law_breaks_max = 8, slip_law_constants_max = 16, slip_law_sliders_max = 32 };

typedef struct slip_law_break {
    double velocity;
    bool singular;
    double radius; /* of the chart, > 0 where singular */
} slip_law_break;

typedef struct slip_law_kernel slip_law_kernel;

/* Force and rates of a law with memory at (v, z); arrays have one number for each state. */
typedef struct slip_law_response {
    double force, slope; /* force without the viscous part; its derivative by v */
    double *force_z;     /* derivatives of the force with respect to the states */
    double *rate, *rate_v,
        *rate_z; /* rates of the states, and their derivatives by v and by the state itself */
} slip_law_response;

/* The same for a slip in the plane, where the deflection z is a vector; matrices are 2 x 2, row by row. */
typedef struct slip_law_plane {
    double force[2], force_v[4], force_z[4];
    double rate[2], rate_v[4], rate_z[4];
} slip_law_plane;

/* Modes of a state of a law without sliders. SATURATES: the deflection reaches its limit after a finite
 * distance and stays there until the slip reverses. SIGN: its rate has a kink at zero, and its mode is its
 * sign. */
typedef enum slip_law_mode { SLIP_LAW_NO_MODE, SLIP_LAW_SATURATES, SLIP_LAW_SIGN } slip_law_mode;

/* One row of the table of laws. */
typedef struct slip_law_type {
    slip_law_info info;
    /* Fills constants and breaks of the kernel from checked parameters (defaults are in place; eta' is
     * known). */
    void (*prepare)(slip_law_kernel *kernel);
    /* Force for unit normal force (without the viscous part) and its slope, by the formula of the given
     * piece, which is also valid a little beyond the piece's ends. */
    void (*evaluate)(const slip_law_kernel *kernel, int piece, double v, double *force, double *slope);
    /* The same (again without the viscous part) in the chart of a singular break: force at s and its
     * derivative with respect to s. NULL where no break is singular. */
    void (*chart)(const slip_law_kernel *kernel, int at_break, double s, double *force, double *slope);
    /* For a law with memory, else NULL: force and rates at v and z; `evaluate` is then the force of steady
     * sliding. sliders: for each slider +1 or -1 if it slips in that direction, 0 if it sticks; NULL: decided
     * by v and z. */
    void (*remember)(const slip_law_kernel *kernel, int piece, const signed char *sliders, double v,
                     const double *z, slip_law_response *to);
    /* The isotropic form for slip in the plane, which along a line is the law above. NULL: there is none. */
    void (*remember_plane)(const slip_law_kernel *kernel, const signed char *sliders, const double v[2],
                           const double z[2], slip_law_plane *to);
    int (*state_count)(const slip_law *law); /* NULL: one */
    /* The name of state k, such as "z"; NULL: "z", or "z1", "z2" ... where there are several. */
    const char *state_name;
    double (*state_start)(const slip_law_kernel *kernel); /* its value at the start; NULL: 0 */
    void (*state_range)(const slip_law_kernel *kernel, int k, double *low,
                        double *high); /* NULL: no limits */
    double (*state_size)(
        const slip_law_kernel *kernel); /* its usual size, for tolerances; NULL: that of its motion */
    /* The velocity below which the law is linear, if it is not a parameter; NULL: it is. */
    double (*velocity_scale)(const slip_law_kernel *kernel);
    /* Parameters that must be constant: those of breaks, and of initial states. Ended by NULL; NULL: none. */
    const char *const *fixed;
    bool sliders; /* the states are those of sliders */
    /* The kind of mode of a state of a law without sliders; NULL: no mode. */
    slip_law_mode (*mode)(const slip_law *law);
    bool stiff;  /* explicit steps would have to be far shorter than the time scale of the motion */
    bool kinked; /* in steady slip its state reaches a kink of its rate and stays there */
    /* The function `evaluate` as text, an expression of v, side (-1 on the first piece, 1 on the second) and
     * the parameters, for compiled batches; NULL: not available. */
    const char *expression;
    /* For a law with memory (with exponent 1 if it has one): `expression` is its force and this is the rate
     * of its state, both of v, side and z. NULL: not available. */
    const char *rate_expression;
} slip_law_type;

struct slip_law_kernel {
    const slip_law_type *type;
    slip_law law; /* the parameters with defaults filled in; of `sqrt` both static_ratio and eta_prime */
    double constants[slip_law_constants_max]; /* whatever `prepare` precomputes */
    slip_law_break breaks[slip_law_breaks_max];
    int break_count;
    bool peak_by_weight; /* of `sqrt`: eta_prime was given, and static_ratio follows */
};

extern const slip_law_type *const slip_law_types[];   /* NULL ends the table */
const slip_law_type *slip_law_find(const char *name); /* NULL when there is none */

/* The parameters by the names that slip_law_at gives, for readers and printers. NULL when there is no such
 * name. */
double *slip_law_parameter(slip_law *law, const char *name);

/* Checks the parameters (type known, required ones given, ranges, none given that the type does not have) and
 * prepares the kernel. The message says which parameter, its value and what was expected. */
int slip_law_prepare(slip_context *ctx, const slip_law *law, slip_law_kernel *kernel);

/* Recomputes the constants of a prepared kernel after parameters have changed within their ranges. */
void slip_law_derive(slip_law_kernel *kernel);
bool slip_law_in_range(const slip_law_parameter_info *info, double value);

/* The number of states of a law (0 without memory), and the name of state k, up to 15 characters. */
enum { slip_law_state_name_size = 16 };
int slip_law_state_count(const slip_law_type *type, const slip_law *law);
void slip_law_state_name(const slip_law_type *type, int count, int k, char name[slip_law_state_name_size]);
/* The states of a law in the plane: zx and zy. */
enum { slip_law_plane_states = 2 };
const char *slip_law_plane_state_name(int k);

/* For a law of sliders: stiffness and largest deflection (may be infinite) of element k. */
void slip_law_slider(const slip_law *law, int k, double *stiffness, double *limit);

/* The derivative of the limit of slider k with respect to a parameter of its law. */
double slip_law_limit_slope(const slip_law *law, int k, const char *parameter);

/* Parameters of the elements of an Iwan model have the names stiffness1, mu1, stiffness2, ..., so that they
 * can vary. slip_law_element: the index in the list of elements; -1: not such a name. slip_law_element_info:
 * its description. */
int slip_law_element(const slip_law *law, const char *parameter);
const slip_law_parameter_info *slip_law_element_info(int index);
/* The description of a parameter, including those of elements; NULL: no such name. */
const slip_law_parameter_info *slip_law_info_of(const slip_law_type *type, const slip_law *law,
                                                const char *parameter);

/* The piece that holds v. At a break itself: the piece above it. */
int slip_law_piece(const slip_law_kernel *kernel, double v);

/* Force for unit normal force, viscous part included, on the given piece. */
static inline void slip_law_force(const slip_law_kernel *kernel, int piece, double v, double *force,
                                  double *slope)
{
    kernel->type->evaluate(kernel, piece, v, force, slope);
    *force += kernel->law.viscous * v;
    *slope += kernel->law.viscous;
}

/* The velocity over which a smooth law changes; infinite for one that has none. */
double slip_law_velocity_scale(const slip_law_kernel *kernel);

/* Whether it is Coulomb's law or equivalent to it: the friction in slip does not depend on the velocity, and
 * there is no static excess. */
bool slip_law_amounts_to_coulomb(const slip_law_kernel *kernel);

/* Whether the law can be used with a prescribed slip velocity: true for smooth laws and laws with memory,
 * whose force then follows from it alone. Set-valued laws and laws with charts need a motion that responds.
 */
bool slip_law_takes_given_slip(const slip_law *law);

/* Set-valued laws: the largest force that stick holds, for unit normal force. */
double slip_law_hold(const slip_law_kernel *kernel);

#endif
