/* Slipstick: one-dimensional friction laws. */
#ifndef SLIPSTICK_LAW_H
#define SLIPSTICK_LAW_H

#include "slipstick/base.h"

SLIP_BEGIN_C

/* A law of the user's own: the friction force for unit normal force at slip velocity v, positive along the
 * slip (the force on the body points against it), and its derivative. */
typedef void (*slip_law_function)(void *user, double v, double *force, double *slope);

/* A parameter of a law that is an expression of t, coordinates and states, such as "0.1*(1 + T)". */
typedef struct slip_law_expression {
    const char *parameter; /* as slip_law_at names it; of elements of iwan stiffness1, mu1, ... */
    const char *text;
} slip_law_expression;

/* A law's type and parameters. A parameter that is NAN was not given; then its default holds, and a parameter
 * without a default is an error: start from slip_law_default. slip_law_at has types, parameters and
 * defaults. The friction force for unit normal force is mu times the law's shape plus viscous times the slip
 * velocity. */
typedef struct slip_law {
    const char *type;           /* a name of slip_law_at: "coulomb", "tanh", "lugre", ... */
    double mu;                  /* kinetic coefficient of friction, >= 0 */
    double static_ratio;        /* static over kinetic coefficient, >= 1; default 1 */
    double velocity;            /* velocity scale of stribeck, tanh, arctan, lugre, rate_state ..., > 0 */
    double exponent;            /* of stribeck, lugre, elastoplastic, > 0; default 2. Of dahl, boucwen 1 */
    double epsilon;             /* velocity scale of sqrt, > 0 */
    double eta_prime;           /* weight of sqrt's static peak, >= 0; instead of static_ratio */
    double width;               /* of elliptic, > 0: the velocity at which the force is fully developed */
    double static_width;        /* of elliptic, >= 0; default 0: no static peak */
    double viscous;             /* force per slip velocity, >= 0; default 0 */
    slip_law_function function; /* for type "function" */
    void *user;
    /* Of laws with memory; stiffnesses and dampings are for unit normal force. */
    double stiffness;   /* force per deflection, > 0; of iwan that of the spring beside the elements, >= 0 */
    double damping;     /* of lugre, elastoplastic: force per rate of the deflection, >= 0; default 0 */
    double breakaway;   /* of elastoplastic: deflection up to which all is elastic, >= 0 */
    double a, b;        /* of rate_state, > 0 and >= 0; of boucwen a alone, default 1 */
    double beta, gamma; /* of boucwen */
    double length;      /* of rate_state, > 0: the slip over which its state follows */
    double evolution;   /* of rate_state: 0 aging (default), 1 slip */
    const double *elements; /* of iwan: stiffness and mu of each; not read where there is an expression */
    int element_count;
    /* Parameters that are expressions and not numbers; those are left NAN above. For contacts of models. */
    const slip_law_expression *expressions;
    int expression_count;
    double room[8]; /* for parameters to come */
} slip_law;

/* A law of the given type with nothing else given. The text is not copied and outlives the law. */
SLIP_API slip_law slip_law_default(const char *type);

/* A parameter of a law. */
typedef struct slip_law_parameter_info {
    const char *name;
    const char *meaning;
    double fallback;          /* the default; NAN when the parameter must be given (or another one instead) */
    double minimum;           /* smallest allowed value */
    int open;                 /* not zero: the minimum itself is not allowed */
    const char *const *words; /* NULL: a number. Else it is one of these words, up to a NULL; the value is its
                               * number, from 0 */
} slip_law_parameter_info;

typedef struct slip_law_info {
    const char *name;
    const char *summary; /* one line */
    const char *formula; /* the shape as text */
    int set_valued; /* not zero: at v = 0 the force is a set (true stick); needs an event or stepping method
                     */
    const slip_law_parameter_info *parameters;
    int parameter_count;
    int memory; /* not zero: the law has states of its own; what slip_law_evaluate gives is steady sliding */
} slip_law_info;

/* The types of laws, from 0; static. NULL for a number that is out of range. */
SLIP_API int slip_law_count(void);
SLIP_API const slip_law_info *slip_law_at(int index);

/* The force for unit normal force, and its derivative, at slip velocity v; of a law with memory, that of
 * sliding at v for a long time. At a jump or an infinite slope the
 * derivative is that of the nearest regular velocity or infinite; at v = 0 a set-valued law gives 0. Neither
 * `force` nor `slope` may be NULL. */
SLIP_API int slip_law_evaluate(slip_context *ctx, const slip_law *law, double v, double *force,
                               double *slope);

/* eta'(eta): the weight eta' of the static peak for which v(1/sqrt(v^2+e^2) + eta' e^3/(v^2+e^2)^2) has the
 * maximum eta >= 1, to rounding. slip_law_eta_prime(1) is 0. */
SLIP_API double slip_law_eta_prime(double static_ratio);
/* The inverse: the maximum for a given weight eta' >= 0. */
SLIP_API double slip_law_static_ratio(double eta_prime);

SLIP_END_C

#endif
