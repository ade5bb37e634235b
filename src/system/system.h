/* The equation of motion: structure, loads and contacts.
 *
 *     M q'' + C q' + K q = f(t, q, q', z) + sum over contacts W_c lambda_c,   z' = g(t, q, q', z)
 *
 * The states z are represented as velocities of additional coordinates of mass 1, the last ones, with the
 * loads g. So everything that handles velocities (steps, closed forms, Jacobians, samples) handles states
 * too. Their positions have no meaning: they are never read, and every method leaves them at zero.
 *
 * A system is built by the calls below, checked and fixed by slip_system_finish, and const from then on. What
 * an evaluation needs to write is in a slip_workspace, so that threads can share a system. */
#ifndef SLIP_SYSTEM_SYSTEM_H
#define SLIP_SYSTEM_SYSTEM_H

#include "base/context.h"
#include "law/law.h"
#include "math/expression/expression.h"
#include "slipstick/model.h"

#include <math.h>

/* Slots of every expression of a system: 0 is t, 1 to n the coordinates, n + 1 to 2 n the velocities. The
 * parameters of the model follow; in the system they are numbers. (Expressions of bodies, which have no
 * coordinates, have time and three positions before the parameters: fem/plane/plane.h.) */
static inline int slip_slot_time(void)
{
    return 0;
}
static inline int slip_slot_coordinate(int i)
{
    return 1 + i;
}
static inline int slip_slot_velocity(int coordinate_count, int i)
{
    return 1 + coordinate_count + i;
}

/* Sets of slots: of the velocities of coordinates; of all positions; of positions and velocities. */
static inline slip_slot_set slip_velocity_slots(int n, int coordinates)
{
    return (slip_slot_set){.first = slip_slot_velocity(n, 0), .count = coordinates};
}
static inline slip_slot_set slip_place_slots(int n)
{
    return (slip_slot_set){.first = slip_slot_coordinate(0), .count = n};
}
static inline slip_slot_set slip_moving_slots(int n)
{
    return (slip_slot_set){.first = slip_slot_coordinate(0), .count = 2 * n};
}

static inline int slip_slot_parameter(int coordinate_count)
{
    return coordinate_count > 0 ? 1 + 2 * coordinate_count : 4;
}

typedef struct slip_force_term {
    int coordinate;
    bool time_only;  /* reads nothing but t: then it is evaluated once for each t */
    bool structural; /* derived from the structure's energies (energy.h), not a load of the model */
    bool of_contact; /* the normal force of a compliant contact, not a load of the model */
    bool set;        /* by slip_system_set_force */
    /* For a force along the gradient of a gap: its coefficients for all coordinates; `coordinate` is the
     * first with a nonzero one. NULL: the force acts on `coordinate` alone. */
    const double *row;
    /* The most common load, amplitude cos(frequency t) or amplitude sin(frequency t), is recognised and
     * evaluated directly. */
    enum { SLIP_LOAD_EXPRESSION, SLIP_LOAD_COSINE, SLIP_LOAD_SINE } form;
    double amplitude, frequency;
    slip_expression *expression;
    /* For a load that is linear in coordinates, velocities and states with constant coefficients, plus a
     * function of time: the 2 n coefficients, and `rest`, that function (NULL: zero). linear is NULL for all
     * other loads. */
    double *linear;
    slip_expression *rest;
} slip_force_term;

/* The coordinates on which a load acts: first, end (exclusive), and the coefficient of each. */
static inline int slip_force_first(const slip_force_term *term)
{
    return term->coordinate;
}
static inline int slip_force_end(const slip_force_term *term, int n)
{
    return term->row ? n : term->coordinate + 1;
}
static inline double slip_force_part(const slip_force_term *term, int i)
{
    return term->row ? term->row[i] : 1;
}
static inline void slip_force_add(const slip_force_term *term, int n, double value, double *force)
{
    for (int i = slip_force_first(term); i < slip_force_end(term, n); i++)
        force[i] += slip_force_part(term, i) * value;
}

/* A tail: the entries of a contact's row in the unknowns of the field, which follow after the n (field.h). */
typedef struct slip_tail {
    int count;
    const int64_t *unknown;
    const double *value;
} slip_tail;

/* The tail times x, which has n numbers and then the field. */
static inline double slip_tail_dot(const slip_tail *tail, int n, const double *x)
{
    double sum = 0;
    for (int k = 0; k < tail->count; k++)
        sum += tail->value[k] * x[n + tail->unknown[k]];
    return sum;
}
/* The sum of the sizes of the terms. */
static inline double slip_tail_size(const slip_tail *tail, int n, const double *x)
{
    double sum = 0;
    for (int k = 0; k < tail->count; k++)
        sum += fabs(tail->value[k] * x[n + tail->unknown[k]]);
    return sum;
}

/* A slip velocity w = row . v + rest(t, q). If the coefficients are not constant, row is NULL and `rest` is
 * the whole expression. */
typedef struct slip_slip_form {
    double *row;  /* n numbers, or NULL */
    int *support; /* the coordinates for which row is not zero */
    int support_count;
    slip_tail tail;
    int coordinates;       /* number of entries of the row that may be nonzero; those of states are zero */
    slip_expression *rest; /* see above; NULL where it is a number */
    double constant;       /* that number */
} slip_slip_form;

/* A plane contact area. Its slip is a vector: x, y and spin. The forces (and the moment) on the coordinates
 * along it are -mu N T(slip), with T of slipstick/patch.h. */
typedef struct slip_patch_form {
    bool set_valued;
    double mu, epsilon, static_ratio;
    bool flat;        /* a point: no spin, no moment */
    double impact_mu; /* of impulses; differs from mu for a point with a smooth law, whose mu is 1 */
    double size;      /* of the area: slip velocities are compared as x, y and size times spin */
    slip_patch *law;  /* owned unless it is shared */
    bool shared;
} slip_patch_form;

/* The gap of a unilateral contact, row . q + rest(t); open while it is positive. If it is not linear in the
 * coordinates with constant coefficients, row is NULL and `rest` is the whole expression. */
typedef struct slip_gap_form {
    double *row;
    slip_tail tail;
    slip_expression *rest; /* NULL where it is a number */
    double constant;
    slip_harmonic *terms; /* of `rest`, if it is a sum of harmonics and polynomials; else NULL */
    int term_count;
} slip_gap_form;

/* For a contact on a coordinate without mass (massless.h): its slip velocity s does not follow from
 * velocities of coordinates, but solves N law(s) + yield s = balance; the state of that coordinate has the
 * rate factor s. */
typedef struct slip_creep {
    slip_expression *balance; /* NULL: it does not creep */
    double yield, factor;
    int state;
} slip_creep;

/* A contact is {gap: none or one} x {slip of dimension 0 to 3} x {law}. Code tests these properties, not the
 * kind in the model file: has_gap (the normal force follows from it; else it is given), frictionless.
 * Functions that differ with the dimension of the slip are in a table (friction/friction.h). */
enum { slip_varying_max = 2 * slip_law_sliders_max + 2 };

typedef struct slip_friction_type slip_friction_type; /* friction.h */

typedef struct slip_contact {
    char *name;
    bool has_gap;   /* a rigid gap, >= 0: closed or open */
    bool compliant; /* its normal force is a function of the overlap; it is open where that force is zero */
    bool yields; /* with has_gap, of a whole body, for fixed steps: a spring in place of the rigid gap, which
                    may be negative */
    double spring[3]; /* stiffness, exponent and damping of that spring */
    int found; /* 1 + its number among the contacts of detectors (detector.h); 0: its rows do not change */
    bool of_structure; /* the structure computes its normal force and applies it (gear flanks) */
    /* The slip velocities: one, or x, y and spin of a vector; missing ones have a row of zeros. Their sizes
     * are compared as unit times velocity, with the units 1, 1 and the size of the area. */
    const slip_friction_type *friction; /* the functions for this dimension of the slip */
    int dimension;                      /* 1 or 3 */
    union {
        slip_slip_form slip, slips[3];
    };
    double unit[3];
    bool set_valued;               /* its friction: at zero slip any force up to a limit */
    int vector;                    /* of several dimensions: index of its patch state */
    int shown;                     /* number of its series beside slip, normal force, force and mode */
    slip_patch_form *patch;        /* friction of a vector slip, else NULL */
    slip_expression *normal_force; /* without a gap; NULL where it is a number */
    double normal_constant;
    slip_gap_form gap;    /* with has_gap, like the next three fields */
    bool frictionless;    /* no law, or no slip */
    double restitution;   /* 0 to 1 */
    bool impact_friction; /* Coulomb's law for the impulses too */
    slip_law_kernel law;
    slip_creep creep;
    /* For a law with memory: first index and number of its states among the n (in the plane two for each),
     * and of its sliders. */
    int state, state_count, slider, slider_count;
    /* Parameters of the law (for a patch: mu) that are expressions of t, coordinates and states. Then `law`
     * has arbitrary numbers for them, and slip_contact_law gives the law at the workspace's t, q, v. */
    int varying_count;
    slip_expression **varying;
    const slip_law_parameter_info **varying_info;
} slip_contact;

/* Whether a contact has modes that change at events. _switches: it has a gap, or a set-valued law of one
 * direction. _chooses: also set-valued friction of an area. */
static inline bool slip_contact_switches(const slip_contact *contact)
{
    return contact->has_gap || contact->law.type->info.set_valued;
}
static inline bool slip_contact_chooses(const slip_contact *contact)
{
    return slip_contact_switches(contact) || contact->set_valued;
}

/* Whether its normal force is a given expression, which must not become negative. */
static inline bool slip_contact_may_pull(const slip_contact *contact)
{
    return contact->normal_force && !contact->compliant;
}

/* Whether a contact with a gap is closed in this mode. */
static inline bool slip_contact_closed(const slip_contact *contact, slip_mode mode)
{
    return contact->has_gap && mode != SLIP_MODE_OPEN;
}

/* A slider of a contact: a spring in series with Coulomb's law (law/law.h). */
typedef struct slip_slider {
    int contact, state;
    double stiffness, limit; /* for unit normal force; the limit of its deflection may be infinite */
    bool plane;              /* its deflection is a vector, with the limit on its magnitude */
    slip_law_mode mode;      /* SLIP_LAW_NO_MODE for a slider; else that of the law (law/law.h) */
} slip_slider;

typedef struct slip_system slip_system;
typedef struct slip_workspace slip_workspace;
typedef struct slip_branch slip_branch;
typedef struct slip_share slip_share;
typedef struct slip_structure slip_structure;
typedef struct slip_energy slip_energy;
struct slip_field;
/* M^-1, M^-1 K and M^-1 C of a constant mass matrix, row by row and one after the other in each: nonzero
 * entries only. Block b of row i begins at start[3 i + b]. */
typedef struct slip_sparse_rows {
    int *start, *column; /* start is NULL where too few of them are zero */
    double *value;
} slip_sparse_rows;

typedef struct slip_massless slip_massless;
typedef bool (*slip_acceleration_function)(const slip_system *system, slip_workspace *workspace,
                                           const slip_branch *branches, double t, const double *q,
                                           const double *v, double *a);

/* An additional series that a structure records, beside those of coordinates and contacts. */
typedef struct slip_series_info {
    const char *name, *unit; /* the unit is "" where it has none */
    const char *place;       /* of its dataset in result.h5 */
} slip_series_info;

struct slip_system {
    slip_arena arena; /* owns names and arrays; expressions are owned one by one */
    int n;            /* coordinates and states */
    int state_count;  /* the last ones of these */
    char **names;
    /* The constant linear structure, row by row, and what slip_system_finish derives from it. */
    double *mass, *damping, *stiffness;
    double *inverse_mass;   /* M^-1 */
    double *mass_structure; /* n x 2 n: M^-1 K and M^-1 C side by side */
    slip_sparse_rows sparse;
    /* The kind of structure (structure.h). If its mass matrix varies, `mass` has the constant entries only,
     * and the inverse is in the workspace. energy: for structures from energies; else NULL. */
    const slip_structure *structure;
    slip_energy *energy;
    struct slip_field *field; /* of whole elastic bodies (field.h); NULL: none */
    int64_t field_size;       /* its unknowns */
    int amplitudes;     /* number of coordinates that are amplitudes of vectors of bodies, after all others */
    const void *bodies; /* for a structure of bodies: the bodies, which belong to the model */
    const slip_series_info *series; /* of the structure */
    int series_count;
    /* There are coordinates of condensed bodies, without mass, which follow all forces without delay, also
     * those of rigid contacts. Methods that divide by the mass matrix refuse such a system. */
    bool condensed;
    slip_massless *massless;        /* for a singular mass matrix: what is integrated instead; else NULL */
    bool varying_mass, linear_part; /* linear_part: C or K are not zero */
    bool varying_gaps;              /* some gap is not linear in the coordinates */
    bool varying_laws;              /* some law has parameters that are expressions; */
    int varying_most;               /* largest number of them in a contact */
    slip_force_term *forces;
    int64_t force_count, force_capacity;
    slip_force_function force_function;
    void *force_user;
    slip_contact *contacts;
    int64_t contact_count, contact_capacity;
    struct slip_detector *detectors; /* of contacts whose rows are found while bodies move (detector.h) */
    int *gaps, *vectors;             /* contacts that have a gap; whose slip is a vector */
    int gap_count, patch_count, detector_count, found_count;
    int64_t gap_capacity, vector_capacity, detector_capacity;
    bool pressed_patches; /* some patches have a gap */
    slip_slider *sliders; /* of all contacts, in their order */
    int64_t slider_count, slider_capacity;
    int scratch_count; /* doubles that the largest expression needs */
    int switch_count;  /* slots of switches after the velocities (freeze.h); 0 unless frozen */
    bool reads_state;  /* some expression reads coordinates or velocities */
    bool state_loads;  /* some load depends on coordinates or velocities, or is a C function */
    /* For each coordinate its group, from 0, or -1. A group consists of coordinates with the same unit that
     * are computed from sums over all of them, such as the eigenmodes of a body; so each is accurate only to
     * the rounding of the largest. NULL: no groups. */
    int *kin;
    double *load_q, *load_v; /* n x n: coefficients of linear loads by q and v; NULL without such loads */
    slip_acceleration_function accelerate; /* kernel for this number of coordinates */
    bool finished;
    struct slip_shelf *shelf; /* cache that a method leaves for the next run of the same system; NULL: none */
};

/* The number of coordinates, which have a position, among the n. */
static inline int slip_system_coordinates(const slip_system *system)
{
    return system->n - system->state_count;
}

/* The length of q and v: the n, then the unknowns of the field. */
static inline int64_t slip_system_size(const slip_system *system)
{
    return system->n + system->field_size;
}

/* ---- Building. The system becomes the owner of expressions, also when a call fails. */

/* The last `state_count` of the n names are those of states; the load on one is its rate. */
int slip_system_create(slip_context *ctx, int n, int state_count, const char *const *names,
                       slip_system **system);
void slip_system_destroy(slip_system *system);

/* Symbols for the expressions of this system: t; two for each of the n, coordinate and velocity (of a state
 * both are the state); then the given constants (`parameters` ends with a NULL name, or is NULL), then the
 * inputs (may be NULL). Allocated in the arena; NULL when out of memory. */
slip_symbol *slip_system_symbols(slip_arena *arena, int n, int state_count, const char *const *names,
                                 const slip_symbol *parameters, const slip_interpolants *inputs);

int slip_system_add_force(slip_context *ctx, slip_system *system, int coordinate,
                          slip_expression *expression);
/* The same, but replaces what an earlier call has set for the coordinate; loads of bodies stay. */
int slip_system_set_force(slip_context *ctx, slip_system *system, int coordinate,
                          slip_expression *expression);

/* The structure's energies, instead of mass, damping and stiffness: kinetic, potential (or NULL) and the
 * dissipation function (or NULL). See energy.h. */
int slip_system_set_energy(slip_context *ctx, slip_system *system, slip_expression *kinetic,
                           slip_expression *potential, slip_expression *dissipation);

/* Adds the normal force of a compliant contact as a force along the gradient of its gap; row: coefficients of
 * all coordinates in the gap, copied. */
int slip_system_add_push(slip_context *ctx, slip_system *system, slip_expression *normal_force,
                         const double *row);

/* A contact without friction (slip NULL), or a friction contact with the slip velocity as one expression,
 * linear in the velocities (an error otherwise), and the normal force as another (NULL is 1). */
int slip_system_add_friction(slip_context *ctx, slip_system *system, const char *name, slip_expression *slip,
                             slip_expression *normal_force, const slip_law *law);

/* Rows in place of expressions, for a contact with a gap: gap . q + number is the gap, and each slip velocity
 * is slip . v (NULL: none) plus the contact's expression, which may read only t. All arrays are copied. */
typedef struct slip_contact_rows {
    const double *gap, *slip[2];
    double number;
    slip_tail gap_tail, slip_tails[2];
} slip_contact_rows;

/* A unilateral contact. The gap is a function of coordinates and time; slip and law may be NULL. */
typedef struct slip_unilateral {
    const char *name;
    slip_expression *gap, *slip;
    const slip_contact_rows *rows; /* in place of gap and slip, or NULL */
    const slip_law *law;
    double restitution;
    bool impact_friction;
} slip_unilateral;
int slip_system_add_unilateral(slip_context *ctx, slip_system *system, const slip_unilateral *contact);

/* A slip of more than one dimension: a plane contact area, or a point in a plane. slip[3] are x, y and spin,
 * each linear in the velocities; NULL is 0, at least one must be given. normal_force NULL is 1. The system
 * becomes the owner of the law unless it is `shared`, also when it fails. */
typedef struct slip_patch_contact {
    const char *name;
    slip_expression *slip[3], *normal_force;
    slip_expression *gap;          /* in place of normal_force; NULL: none */
    const slip_contact_rows *rows; /* in place of gap and slip[0], slip[1], or NULL */
    double restitution;            /* with a gap, like impact_friction */
    bool impact_friction;
    double mu;
    slip_patch *law;
    bool shared; /* the law belongs to another system, which outlives this one */
} slip_patch_contact;
int slip_system_add_patch(slip_context *ctx, slip_system *system, const slip_patch_contact *contact);

/* Adds a copy of a contact of another system: gap or normal force, slip, law with varying parameters,
 * compliance; its area is shared. The callback `make` converts row . coordinates (or velocities) + rest +
 * constant to an expression of the new system; row and rest may be NULL; what: its name for messages. */
typedef struct slip_contact_maker {
    int (*make)(void *user, const char *what, const char *contact, const double *row, bool velocities,
                const slip_expression *rest, double constant, slip_expression **made);
    void *user;
} slip_contact_maker;
int slip_system_add_alike(slip_context *ctx, slip_system *system, const slip_contact *contact,
                          const slip_contact_maker *maker);

/* The law of a contact with the parameters of the model (`sqrt`: both); varying ones are NAN. */
slip_law slip_contact_given_law(const slip_contact *contact);

/* Makes a parameter of a contact's law an expression of t, coordinates and states. The contact's law must
 * list it among its expressions; for a patch the parameter is mu. */
int slip_system_vary(slip_context *ctx, slip_system *system, int contact, const char *parameter,
                     slip_expression *expression);

/* Records the scratch memory that an expression (or NULL) of the structure needs, and what it reads. Returns
 * whether it reads only the time. */
bool slip_system_note(slip_system *system, const slip_expression *expression);
/* For the files that build a system: the constant coefficients of `count` slots from `first` on, allocated in
 * the system's arena; functions that free what a load or a contact owns. */
int slip_system_coefficients(slip_context *ctx, slip_system *system, const slip_expression *expression,
                             int first, int count, double **row);
void slip_force_free(slip_force_term *term);
void slip_contact_free(slip_contact *contact);

/* Fails where a mass matrix is not symmetric or not positive semidefinite. It may be singular (massless.h).
 * row, column: place of the fault, from 0, or -1. */
int slip_mass_check(slip_context *ctx, int n, const double *mass, int *row, int *column);

/* Checks the mass matrix and derives what evaluation needs. */
int slip_system_finish(slip_context *ctx, slip_system *system);

/* ---- Evaluating. */

/* The contact mode for results. The mode of a compliant contact is not decided by events: it is open where
 * the normal force is zero. */
static inline double slip_shown_mode(const slip_contact *contact, double normal, double mode)
{
    return !contact->compliant     ? mode
           : !(normal > 0)         ? SLIP_MODE_OPEN
           : contact->frictionless ? SLIP_MODE_CLOSED
                                   : mode;
}

/* The branch of a contact's law in the equation of motion. */
struct slip_branch {
    int piece; /* of the law; -1: the piece that holds the slip velocity */
    int chart; /* -1, or the singular break whose chart is in use */
    double s;  /* the chart's variable */
    /* The contact mode, for unilateral contacts and stick. STICK keeps the slip velocity constant (zero, or
     * the singular break of a chart); every mode except OPEN keeps a unilateral contact closed. */
    slip_mode mode;
    /* For a slipping set-valued patch: the direction of its slip (x, y, spin), more accurate than from the
     * velocities; only the direction matters. NULL: from the velocities. */
    const double *direction;
    int follows; /* for a patch: 1 + index of another one that can only stick together with it, and carries
                    the forces of both; else 0 */
    /* For each slider +1 or -1 if it slips, 0 if it sticks; NULL: decided by slip velocity and deflection. */
    const signed char *sliders;
    /* Where forces are not unique: the limits at which this contact's forces are fixed (SLIP_CLIP_...). */
    unsigned clip;
};

static inline bool slip_mode_slips(slip_mode mode)
{
    return mode == SLIP_MODE_SLIP_PLUS || mode == SLIP_MODE_SLIP_MINUS || mode == SLIP_MODE_SLIP;
}

/* Friction force fixed at +hold N, at -hold N; normal force fixed at zero. The last flag is set for all
 * contacts together: they are wedged, so normal forces may be larger than the load requires. */
enum { SLIP_CLIP_UPPER = 1, SLIP_CLIP_LOWER = 2, SLIP_CLIP_NORMAL = 4, SLIP_CLIP_WEDGED = 8 };
/* At the apex of the friction cone: neither normal force nor friction. */
static inline bool slip_clip_at_apex(unsigned clip)
{
    return clip & SLIP_CLIP_NORMAL && clip & (SLIP_CLIP_UPPER | SLIP_CLIP_LOWER);
}

/* The results of an evaluation for one contact. */
typedef struct slip_contact_state {
    double slip;   /* velocity w */
    double normal; /* N, >= 0 is compression */
    double force;  /* friction on the coordinates along the slip: -N law(w), or the force of stick */
    double hold;   /* for a contact held at a singular break: the constraint force in addition to the law's */
    double yield;  /* for a contact fixed at limits: margin until one of them is released; else infinite */
    double force_slope; /* d force / d w; in a chart: of the viscous part only */
    double chart_slope; /* d force / d s in a chart, else 0 */
    /* For a law with memory: asleep, the contact is open and its states do not change; ratio, force over
     * normal force, while the latter is not known yet. */
    bool asleep;
    double ratio;
    bool slips; /* a slider in the plane slips */
} slip_contact_state;

/* The same for a patch. Its contact state has `normal` and the magnitudes of slip and, in stick, force. */
typedef struct slip_patch_state {
    double slip[3];  /* x, y, spin */
    double force[3]; /* force and moment on the coordinates along these */
} slip_patch_state;

struct slip_workspace {
    slip_arena arena;
    double *slots; /* 1 + 2 n, and the forms of switches (freeze.h) */
    double *scratch;
    double *force;    /* n */
    double *gradient; /* 1 + 2 n */
    double *matrix;   /* 2 n^2: derivatives of the force before the mass is divided out */
    /* M^-1 and (M^-1 K, M^-1 C): those of the system or, if the mass matrix varies, the workspace's own at
     * its t and q (slip_system_place). */
    const double *inverse_mass, *mass_structure;
    double *mass, *own_inverse, *own_structure;
    double placed_at, *placed; /* t and q of these matrices */
    bool unfilled;             /* the structure has stored t and q, but not computed the matrices yet */
    void *own;                 /* memory of the structure, which frees it */
    struct slip_found_contact *found; /* last results of detectors, for each of their contacts */
    struct slip_search *searches;     /* their memory */
    int search_count;
    const slip_structure *structure;
    double *gap_rows; /* n numbers for each contact: rows of nonlinear gaps at their last evaluation */
    double *tangent;  /* scratch, n: row of a slip with varying coefficients */
    double *along;    /* 1 + 2 n: a direction of second derivatives */
    slip_contact_state *contacts;
    slip_patch_state *patches; /* by contact->vector */
    double *
        patch_friction; /* of each patch, 3: force over normal force at the last evaluation, where it slips */
    double *patch_rows; /* 3 n of each patch: rows that vary */
    double *patch_mu;   /* of each patch */
    double *drift;      /* 1 + 3 n: the gradient of a parameter that varies, and loads on states */
    slip_law_kernel *laws;   /* laws with varying parameters, at their last evaluation */
    double *patch_gradients; /* 5 (1 + 2 n): of its forces, and of the rates of its law's states */
    /* Of the constraints: stick, and closed unilateral contacts. */
    double *rows, *responses, *gram, *multipliers;
    int *constraints; /* contact, -1 - contact for its normal direction, contact + (1 + part) times the number
                       * of contacts for a slip velocity of a patch */
    int constraint_count;
    /* Parts of the constraints that can be reused because their rows are constant: directions, and the
     * factors of the Gram matrix of the first `factored` of them. */
    struct slip_kept_direction {
        const double *row, *other; /* row NULL: not valid */
        double ratio;
    } * kept;
    int factored, *pivots;
    double *scales;
    slip_share *share;
    double *memory; /* of the states of laws: derivatives of the force, rates, their two derivatives */
    double *field;  /* scratch, twice as large as the field */
    struct slip_field_state *elastic; /* of its large strains (field.h) */
    double load_time;                 /* time of `loads`; NAN: none */
    double *loads;                    /* on each coordinate by force terms that read only t */
    int64_t evaluations;
};

int slip_workspace_create(slip_context *ctx, const slip_system *system, slip_workspace **workspace);
void slip_workspace_destroy(slip_workspace *workspace);
SLIP_OWNED(slip_workspace, slip_workspace_destroy)

/* Moves the workspace to t and q: mass matrix, its inverse and products. Functions below that take t and q do
 * this themselves; it has to be called before inverse_mass is read without them. */
void slip_system_put(const slip_system *system, slip_workspace *workspace, double t, const double *q);
static inline void slip_system_place(const slip_system *system, slip_workspace *workspace, double t,
                                     const double *q)
{
    if (!system->varying_mass)
        return;
    bool there = t == workspace->placed_at;
    for (int i = 0; i < system->n && there; i++)
        there = q[i] == workspace->placed[i];
    if (!there)
        slip_system_put(system, workspace, t, q);
}

/* Computes the mass matrix, its inverse and products at the workspace's t and q, if the structure has
 * postponed it. To be called before mass, inverse_mass or mass_structure of a workspace are read. */
void slip_system_fill_matrices(const slip_system *system, slip_workspace *workspace);
static inline void slip_system_fill(const slip_system *system, slip_workspace *workspace)
{
    if (workspace->unfilled)
        slip_system_fill_matrices(system, workspace);
}

/* Tunes laws with varying parameters to t, q and v (_retune: to the filled slots). False where a parameter is
 * out of its range. Functions below that take t, q and v call slip_system_tune themselves; it has to be
 * called before slip_contact_law is used without them. */
bool slip_system_retune(const slip_system *system, slip_workspace *workspace);
/* Creates the workspace's copies of these laws, with their initial numbers; false: out of memory. */
bool slip_system_start_laws(const slip_system *system, slip_workspace *workspace);
bool slip_system_retune_at(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                           const double *v);
static inline bool slip_system_tune(const slip_system *system, slip_workspace *workspace, double t,
                                    const double *q, const double *v)
{
    return !system->varying_laws || slip_system_retune_at(system, workspace, t, q, v);
}

/* Whether the varying parameters are those of `law`; else mu of a patch. */
static inline bool slip_contact_law_varies(const slip_contact *contact)
{
    return !contact->patch || contact->state_count > 0;
}

/* The law of a contact, as it was tuned last in the workspace. */
static inline const slip_law_kernel *slip_contact_law(const slip_system *system,
                                                      const slip_workspace *workspace, int contact)
{
    const slip_contact *of = &system->contacts[contact];
    return of->varying_count > 0 && slip_contact_law_varies(of) ? &workspace->laws[contact] : &of->law;
}

/* For friction/line.c: adds the derivatives of a contact's force through the varying parameters of its law to
 * of_force (1 + 2 n numbers), and those of the rates of its states to f_q, f_v, f_t. */
void slip_system_vary_gradients(const slip_system *system, slip_workspace *workspace, int contact,
                                const double *v, double *of_force, double *f_q, double *f_v, double *f_t);

/* The same in the plane: to the five gradients of slip_system_patch_gradients. */
void slip_system_vary_gradients_plane(const slip_system *system, slip_workspace *workspace, int contact,
                                      double *gradients);

/* The limit of a slider's deflection, with the laws as tuned last, and unless NULL its rate along the motion,
 * with which the deflection of a slipping slider changes. */
double slip_system_slider_limit(const slip_system *system, slip_workspace *workspace,
                                const slip_slider *slider, double *rate);

/* Fails where a parameter of a law is out of its range; the message has its name, value and range. */
int slip_system_diagnose_laws(slip_context *ctx, const slip_system *system, slip_workspace *workspace,
                              double t);

/* a = q''(t, q, v), and the workspace's contact states. `branches` has one entry for each contact, or is
 * NULL: every law by its slip velocity. Returns false when something is not finite. */
static inline bool slip_system_acceleration(const slip_system *system, slip_workspace *workspace,
                                            const slip_branch *branches, double t, const double *q,
                                            const double *v, double *a)
{
    return system->accelerate(system, workspace, branches, t, q, v, a);
}
slip_acceleration_function slip_system_kernel(int n, bool varying_mass);

/* Adds the constraint forces of the branches' modes (stick, closed gaps) to a free acceleration, and stores
 * them in the contact states. If they are not unique (more constraints than motions) those of least norm with
 * the branches' clips are taken, which are linear functions of the state. */
bool slip_system_constrain(const slip_system *system, slip_workspace *workspace, const slip_branch *branches,
                           double t, const double *q, const double *v, double *a);

/* After slip_system_constrain: projects the columns of a matrix (n x count, row by row), derivatives of a
 * free acceleration, onto the motions that the constraints allow. Derivatives of the constraints are
 * neglected. False, without projection, where forces are not unique. */
bool slip_system_project(const slip_system *system, slip_workspace *workspace, int count, double *matrix);

/* As slip_system_constrain, and sets the clips: of several possible forces those of least norm within the
 * limits of all contacts (share.c has the rule). If there are none, some contact's force exceeds its limit.
 * wedged: see SLIP_CLIP_WEDGED. */
bool slip_system_distribute(const slip_system *system, slip_workspace *workspace, slip_branch *branches,
                            bool wedged, double t, const double *q, const double *v, double *a);

/* After slip_system_distribute: whether the forces of any contact, or of this one, are not unique; where no
 * forces are within all limits, the limits of this contact (SLIP_CLIP_...) that contradict others. */
bool slip_system_shared(const slip_workspace *workspace);
bool slip_system_shares(const slip_workspace *workspace, int contact);
unsigned slip_system_blocks(const slip_workspace *workspace, int contact);

/* After slip_system_constrain or slip_system_distribute: whether the constraints prevent all motion along
 * this row of n numbers. */
bool slip_system_holds(const slip_system *system, slip_workspace *workspace, const double *row);

/* Allocates the memory of load sharing in the workspace's arena; false: out of memory. */
bool slip_share_create(slip_context *ctx, const slip_system *system, slip_workspace *workspace);

/* Gap of a unilateral contact, its rate, and its second rate for given acceleration; and the row of its
 * derivatives with respect to the coordinates. */
double slip_system_gap(const slip_system *system, slip_workspace *workspace, int contact, double t,
                       const double *q);
double slip_system_gap_rate(const slip_system *system, slip_workspace *workspace, int contact, double t,
                            const double *q, const double *v);
double slip_system_gap_curve(const slip_system *system, slip_workspace *workspace, int contact, double t,
                             const double *q, const double *v, const double *a);
const double *slip_system_find_gap_row(const slip_system *system, slip_workspace *workspace, int contact,
                                       double t, const double *q);
static inline const double *slip_system_gap_row(const slip_system *system, slip_workspace *workspace,
                                                int contact, double t, const double *q)
{
    const double *row = system->contacts[contact].found ? NULL : system->contacts[contact].gap.row;
    return row ? row : slip_system_find_gap_row(system, workspace, contact, t, q);
}
/* The change of a gap from t0 to t at constant coordinates; 0 for a gap that is not linear in them. */
double slip_system_gap_change(const slip_system *system, slip_workspace *workspace, int contact, double t0,
                              double t);

/* power[0]: of a contact on the coordinates; power[1]: lost in it, including the power by the motion of belts
 * and stops. For the slip velocities and forces of the given contact state or, for a vector, patch state. */
void slip_system_contact_power(const slip_system *system, slip_workspace *workspace, int contact, double t,
                               const double *q, const double *v, const slip_contact_state *state,
                               const slip_patch_state *patches, double power[2]);

/* a . matrix b, with n x n numbers row by row. */
double slip_system_form(int n, const double *a, const double *matrix, const double *b);

/* The judge: the violation of the contact laws (gap and normal force >= 0 and complementary; friction by the
 * law) by a state and contact forces; forces relative to 1 + their size. It does not use modes. Friction
 * along vectors is not judged if `patches` is NULL. */
double slip_system_residual(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                            const double *v, const double *normal, const double *force,
                            const slip_patch_state *patches);

/* Derivatives of the acceleration: a_q and a_v (n x n, row by row), a_t (n), and a_s (n for each contact, row
 * by row: a_s[c * n + i]), of contacts in charts. Any of them may be NULL. Calls slip_system_acceleration. */
bool slip_system_jacobian(const slip_system *system, slip_workspace *workspace, const slip_branch *branches,
                          double t, const double *q, const double *v, double *a, double *a_q, double *a_v,
                          double *a_t, double *a_s);

/* Derivatives by q and v of the forces of the last evaluation (loads and contacts, without C and K) and of
 * -M(t, q) a: n x n each, one after the other in workspace->matrix. Constraint forces are those of the
 * contact states. */
bool slip_system_differentiate(const slip_system *system, slip_workspace *workspace, double t,
                               const double *q, const double *v, const double *a);

/* After slip_system_differentiate: the derivative of a contact's friction force by every slot, 1 + 2 n
 * numbers; part: component of a patch. Overwrites workspace->matrix. */
void slip_system_friction_gradient(const slip_system *system, slip_workspace *workspace, int contact,
                                   int part, double *gradient);

/* The loads f(t, q, v) alone, without structure and contacts, into force[n]. Returns false when the user's
 * function fails. */
bool slip_system_loads(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                       const double *v, double *force);

/* The loads of the model, without forces of the structure's energies. */
bool slip_system_given_loads(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                             const double *v, double *force);

/* The loads that depend on time alone; the array belongs to the workspace. */
const double *slip_system_time_loads(const slip_system *system, slip_workspace *workspace, double t);

/* Fails with SLIP_ERROR_SOLVER because the given normal force of a contact becomes negative at t; the message
 * says what to write instead. */
int slip_system_refuse_pull(slip_context *ctx, const slip_contact *contact, double t);

/* The given normal force of a contact without a gap. */
double slip_system_normal_force(const slip_system *system, slip_workspace *workspace, int contact, double t,
                                const double *q, const double *v);

/* ---- Laws with memory (friction/memory.c). */

/* Connects a contact's law with its states, which the system must have, and lists its sliders. */
int slip_system_attach_states(slip_context *ctx, slip_system *system, int contact);

/* For evaluate.c and creep.c. _remember: the force of a contact whose law has memory; the rates of its states
 * are added to `force`. _gradients: for state k the derivatives of the contact's force by the state, and of
 * the state's rate by the slip velocity and by the state. */
void slip_system_remember(const slip_system *system, slip_workspace *workspace, const slip_contact *contact,
                          const slip_branch *branch, slip_contact_state *state, const double *v,
                          double *force);
void slip_system_remember_gradients(const slip_system *system, const slip_workspace *workspace,
                                    const slip_contact *contact, const slip_contact_state *state, int k,
                                    double *of_force, double *rate_slip, double *rate_state);

/* Whether a contact whose law has memory is open, for the evaluated normal force: its states do not change,
 * and have lost their memory (slip_system_forget sets them to their initial values). */
static inline bool slip_contact_asleep(const slip_contact *contact, const slip_branch *branch, double normal)
{
    return contact->has_gap && branch ? branch->mode == SLIP_MODE_OPEN
                                      : (contact->has_gap || contact->compliant) && normal == 0;
}
void slip_system_forget(const slip_system *system, const slip_workspace *workspace, int contact, double *v);

/* slip_system_remember for a slip in the plane; the forces are stored in the patch state. */
void slip_system_remember_plane(const slip_system *system, slip_workspace *workspace,
                                const slip_contact *contact, const slip_branch *branch, const double *v,
                                double *force);
/* The response of its law at the last evaluation, with the viscous part. */
void slip_system_plane_response(const slip_system *system, slip_workspace *workspace, int contact,
                                const signed char *sliders, const double *v, slip_law_plane *to);

/* Fails with SLIP_ERROR_MODEL where a state of a law has a value in v outside its range. */
int slip_system_check_states(slip_context *ctx, const slip_system *system, const double *v);

/* ---- Contacts that creep (creep.c). */

/* The slip velocity of a creeping contact; NAN where the balance has no solution. The slots must be filled.
 */
double slip_system_creep(const slip_system *system, slip_workspace *workspace, const slip_contact *contact,
                         double normal, const double *v);
/* Its derivatives by every slot, after an evaluation with the result `state`. */
void slip_system_creep_gradient(const slip_system *system, slip_workspace *workspace,
                                const slip_contact *contact, const slip_contact_state *state,
                                double *gradient);
/* Its rate along a motion; the slots must be filled. */
double slip_system_creep_rate(const slip_system *system, slip_workspace *workspace,
                              const slip_contact *contact, const double *v, const double *a);

/* ---- Patches (friction/vector.c). */

/* Slip velocities x, y and spin, and their rates for given acceleration. */
void slip_system_patch_slip(const slip_system *system, slip_workspace *workspace, int contact, double t,
                            const double *q, const double *v, double slip[3]);
void slip_system_patch_rate(const slip_system *system, slip_workspace *workspace, int contact, double t,
                            const double *q, const double *v, const double *a, double rate[3]);

/* The limit of stick of a patch for a force along `row`, at the last evaluation (with a gap: for unit normal
 * force), if all its slip velocities are multiples of this row; else a negative number. */
double slip_system_patch_hold(const slip_system *system, const slip_workspace *workspace, int contact,
                              const double *row);

/* Slip velocities and forces as one number: for one direction with its sign, for a vector the magnitude. */
static inline double slip_contact_slip_size(const slip_contact *contact, const double slip[3])
{
    if (contact->dimension == 1)
        return slip[0];
    double spin = contact->unit[2] * slip[2];
    return sqrt(slip[0] * slip[0] + slip[1] * slip[1] + spin * spin);
}
static inline double slip_contact_force_size(const slip_contact *contact, const double force[3])
{
    if (contact->dimension == 1)
        return force[0];
    double moment = force[2] / contact->unit[2];
    return sqrt(force[0] * force[0] + force[1] * force[1] + moment * moment);
}

/* The row of one of a patch's slip velocities, after an evaluation of the contact. */
const double *slip_system_patch_row(const slip_system *system, const slip_workspace *workspace, int contact,
                                    int part);

/* The slip velocities x, y, size times spin that are possible with these rows: an orthonormal basis, one
 * vector after the other. Returns how many there are. */
int slip_system_patch_basis(const slip_system *system, const slip_workspace *workspace, int contact,
                            double basis[9]);

/* The row of the slip velocity along a vector in these units, n numbers. */
void slip_system_patch_along(const slip_system *system, const slip_workspace *workspace, int contact,
                             const double vector[3], double *row);

/* map: G with W_other = G W_leader, by least squares over the basis of the leader's slip. False where the
 * slip of the other patch does not follow from that of the leader. */
bool slip_system_patch_map(const slip_system *system, const slip_workspace *workspace, int leader, int rank,
                           const double *basis, int other, double map[9]);

/* The slip velocity of a contact; of a vector its magnitude. */
double slip_system_slip(const slip_system *system, slip_workspace *workspace, int contact, double t,
                        const double *q, const double *v);

/* Sums of the sizes of the terms of slip velocity, gap and gap rate: the scales of rounding errors. */
double slip_system_slip_size(const slip_system *system, slip_workspace *workspace, int contact, double t,
                             const double *q, const double *v);
double slip_system_gap_size(const slip_system *system, slip_workspace *workspace, int contact, double t,
                            const double *q);
double slip_system_gap_rate_size(const slip_system *system, slip_workspace *workspace, int contact, double t,
                                 const double *q, const double *v);

/* M^-1 times a row of n numbers, of which most may be zero. */
void slip_system_divide(const slip_system *system, slip_workspace *work, const double *row, double *response);
static inline void slip_system_response(const slip_system *system, slip_workspace *work, const double *row,
                                        double *response)
{
    const int n = system->n;
    if (work->own) {
        slip_system_divide(system, work, row, response);
        return;
    }
    for (int i = 0; i < n; i++)
        response[i] = 0;
    for (int j = 0; j < n; j++) {
        const double *column = work->inverse_mass + (int64_t)j * n; /* it is symmetric, to the last bit */
        for (int i = 0; i < n && row[j] != 0; i++)
            response[i] += column[i] * row[j];
    }
}

/* The direction W of a contact in the coordinates and M^-1 W, n numbers each. Returns W^T M^-1 W. */
double slip_system_direction(const slip_system *system, slip_workspace *workspace, int contact, double t,
                             const double *q, const double *v, double *row, double *response);

/* The same of one of its slip velocities. */
double slip_system_direction_of(const slip_system *system, slip_workspace *workspace, int contact, int part,
                                double t, const double *q, const double *v, double *row, double *response);

/* The rate of the slip velocity of a contact, for given acceleration. */
double slip_system_slip_rate(const slip_system *system, slip_workspace *workspace, int contact, double t,
                             const double *q, const double *v, const double *a);

/* Whether there is damping; whether the stiffness is not symmetric; whether a law has kinks. */
bool slip_system_damped(const slip_system *system);
bool slip_system_skew(const slip_system *system);
bool slip_system_kinked(const slip_system *system);

/* Called when a number is not finite: fails with SLIP_ERROR_SOLVER; the message has the expression, its
 * contact or coordinate, and the time. */
int slip_system_diagnose(slip_context *ctx, const slip_system *system, slip_workspace *workspace, double t,
                         const double *q, const double *v);

/* The names of modes by their numbers, up to a NULL. */
extern const char *const slip_mode_names[SLIP_MODE_CLOSED + 2];

#endif
