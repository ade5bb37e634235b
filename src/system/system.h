/* The equation of motion: structure, loads and contacts.
 *
 *     M q'' + C q' + K q = f(t, q, q', z) + sum over contacts W_c lambda_c,   z' = g(t, q, q', z)
 *
 * The states z are, in here, the velocities of further coordinates of mass 1 that come last, loaded by g:
 * then all that is done for velocities (steps, closed forms, Jacobians, samples) is done for them. Their
 * positions mean nothing: nothing reads them, and every method leaves them at zero.
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
 * expressions of a model go on with its parameters, which are numbers in the system. (Expressions of bodies,
 * which have no coordinates, have time and three places in front of the parameters: fem/plane/plane.h.) */
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

/* Those of the velocities of coordinates, of all places (nothing reads those of states), and of all that
 * moves.
 */
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
    bool structural; /* of the structure's energies (energy.h), not a load that was given */
    bool of_contact; /* of a compliant contact, likewise */
    bool set;        /* by slip_system_set_force */
    /* Where it pushes along the gradient of a gap: the coefficients of all coordinates, and `coordinate` is
     * the first of them. NULL: `coordinate` alone. */
    const double *row;
    /* A load amplitude cos(frequency t) or amplitude sin(frequency t), the most common of all, is recognised
     * and not interpreted. */
    enum { SLIP_LOAD_EXPRESSION, SLIP_LOAD_COSINE, SLIP_LOAD_SINE } form;
    double amplitude, frequency;
    slip_expression *expression;
    /* Of one that is linear in coordinates, velocities and states with constant coefficients, plus a function
     * of time: these, 2 n of them, and the function (NULL: zero). NULL where it is anything else. */
    double *linear;
    slip_expression *rest;
} slip_force_term;

/* The coordinates that a load pushes: from the first to before the end, and the part that each has of it. */
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

/* What a row of a contact has among the unknowns of the field, which stand behind the n (field.h). */
typedef struct slip_tail {
    int count;
    const int64_t *unknown;
    const double *value;
} slip_tail;

/* Of x, behind whose n numbers those of the field are. */
static inline double slip_tail_dot(const slip_tail *tail, int n, const double *x)
{
    double sum = 0;
    for (int k = 0; k < tail->count; k++)
        sum += tail->value[k] * x[n + tail->unknown[k]];
    return sum;
}
/* The sizes of its parts. */
static inline double slip_tail_size(const slip_tail *tail, int n, const double *x)
{
    double sum = 0;
    for (int k = 0; k < tail->count; k++)
        sum += fabs(tail->value[k] * x[n + tail->unknown[k]]);
    return sum;
}

/* The contact's slip velocity, w = row . v + rest(t, q); or, where the coefficients are not constant, the
 * whole expression (then row is NULL). */
typedef struct slip_slip_form {
    double *row;  /* n numbers, or NULL */
    int *support; /* the coordinates for which row is not zero */
    int support_count;
    slip_tail tail;
    int coordinates;       /* how many entries the row may have: those of states are zero */
    slip_expression *rest; /* NULL where it is zero; the whole expression where row is NULL */
    double constant;       /* where the rest is a number, it is here and rest is NULL */
} slip_slip_form;

/* A plane contact area. Its slip is a vector: x, y and spin. The forces (and the moment) on the coordinates
 * along it are -mu N T(slip), with T of slipstick/patch.h. */
typedef struct slip_patch_form {
    bool set_valued;
    double mu, epsilon, static_ratio;
    bool flat;        /* a point: no spin, no moment */
    double impact_mu; /* of impulses; mu, but of a point with a smooth law, whose mu is 1 */
    double size;      /* of the area: slip velocities are compared as x, y and size times spin */
    slip_patch *law;  /* owned unless it is shared */
    bool shared;
} slip_patch_form;

/* The gap of a unilateral contact, row . q + rest(t); open while it is positive. One that is not linear in
 * the coordinates with constant coefficients is the whole expression (then row is NULL). */
typedef struct slip_gap_form {
    double *row;
    slip_tail tail;
    slip_expression *rest; /* NULL where it is a number */
    double constant;
    slip_harmonic *terms; /* of the rest, where it is a sum of harmonics and polynomials; else NULL */
    int term_count;
} slip_gap_form;

/* Of a contact on a coordinate without mass (massless.h): its slip velocity s is not one of the coordinates,
 * but solves N law(s) + yield s = balance, and moves the state of that coordinate by factor s. */
typedef struct slip_creep {
    slip_expression *balance; /* NULL: it does not creep */
    double yield, factor;
    int state;
} slip_creep;

/* A contact is {gap: none or one} x {slip of dimension 0 to 3} x {law}. Code asks for these abilities, not
 * for the word that a model file has for them: has_gap (the normal force follows from it; else it is given),
 * frictionless. What differs with the dimension of the slip is in a table of functions (friction/friction.h).
 */
enum { slip_varying_max = 2 * slip_law_sliders_max + 2 };

typedef struct slip_friction_type slip_friction_type; /* friction.h */

typedef struct slip_contact {
    char *name;
    bool has_gap;   /* rigid: not negative, closed or open */
    bool compliant; /* its normal force is given by how far it overlaps; it is open where that is zero */
    bool yields;    /* with a gap, of a whole body: a spring presses on it, in fixed steps; it may be negative
                       then */
    double spring[3];  /* stiffness, exponent and damping of that */
    int found;         /* 1 + its number among the contacts of detectors (detector.h); 0: its rows stay */
    bool of_structure; /* one of those: the structure says what its normal force is, and pushes by itself */
    /* The slip velocities: one, or of a vector x, y and spin. Of what is not given, a row of zeros. They are
     * compared as unit times velocity: 1, 1 and the size of the area. */
    const slip_friction_type *friction; /* what a slip of this dimension does otherwise than another */
    int dimension;                      /* 1 or 3 */
    union {
        slip_slip_form slip, slips[3];
    };
    double unit[3];
    bool set_valued;               /* its friction: at rest it is whatever holds, up to a limit */
    int vector;                    /* with more than one: its number among those, of patch states */
    int shown;                     /* how many series it has beside slip, normal force, force and mode */
    slip_patch_form *patch;        /* what friction along a vector does, else NULL */
    slip_expression *normal_force; /* without a gap; NULL where it is a number */
    double normal_constant;
    slip_gap_form gap;    /* with has_gap, like the rest below */
    bool frictionless;    /* no law, or no slip */
    double restitution;   /* 0 to 1 */
    bool impact_friction; /* Coulomb's law for the impulses too */
    slip_law_kernel law;
    slip_creep creep;
    /* Of a law with memory: its states among the n (in the plane two), and its sliders among the system's. */
    int state, state_count, slider, slider_count;
    /* Parameters of the law (of a patch: mu) that are expressions of t, coordinates and states; then `law` is
     * that of some numbers, and slip_contact_law has the law at the place where the workspace is. */
    int varying_count;
    slip_expression **varying;
    const slip_law_parameter_info **varying_info;
} slip_contact;

/* Whether its modes are decided at events: it has a gap, or a set-valued law of one direction; or friction of
 * an area that is set-valued. */
static inline bool slip_contact_switches(const slip_contact *contact)
{
    return contact->has_gap || contact->law.type->info.set_valued;
}
static inline bool slip_contact_chooses(const slip_contact *contact)
{
    return slip_contact_switches(contact) || contact->set_valued;
}

/* Whether its normal force is a given expression, which must not turn negative. */
static inline bool slip_contact_may_pull(const slip_contact *contact)
{
    return contact->normal_force && !contact->compliant;
}

/* Whether a contact that does this keeps its gap closed. */
static inline bool slip_contact_closed(const slip_contact *contact, slip_mode mode)
{
    return contact->has_gap && mode != SLIP_MODE_OPEN;
}

/* A spring in series with Coulomb's law (law/law.h), of a contact. */
typedef struct slip_slider {
    int contact, state;
    double stiffness, limit; /* for unit normal force; the limit of its deflection may be infinite */
    bool plane;              /* its deflection is a vector, the limit that of its size */
    slip_law_mode mode;      /* it is no slider, but a law that has such a mode (law/law.h) */
} slip_slider;

typedef struct slip_system slip_system;
typedef struct slip_workspace slip_workspace;
typedef struct slip_branch slip_branch;
typedef struct slip_share slip_share;
typedef struct slip_structure slip_structure;
typedef struct slip_energy slip_energy;
struct slip_field;
/* M^-1, M^-1 K and M^-1 C of a constant mass matrix, row by row and one after the other in each: those
 * entries that are not zero. Block b of row i begins at start[3 i + b]. */
typedef struct slip_sparse_rows {
    int *start, *column; /* start is NULL where too few of them are zero */
    double *value;
} slip_sparse_rows;

typedef struct slip_massless slip_massless;
typedef bool (*slip_acceleration_function)(const slip_system *system, slip_workspace *workspace,
                                           const slip_branch *branches, double t, const double *q,
                                           const double *v, double *a);

/* A series of a structure, beside those of coordinates and contacts: what is shown of it. */
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
    /* What kind of structure it is (structure.h). Where its mass matrix varies, `mass` has what is constant
     * of it, and its inverse is the workspace's. Energies, where it is given by these; else NULL. */
    const slip_structure *structure;
    slip_energy *energy;
    struct slip_field *field;       /* of whole elastic bodies (field.h); NULL: none */
    int64_t field_size;             /* its unknowns */
    int amplitudes;                 /* of vectors of bodies: so many coordinates, behind the others */
    const void *bodies;             /* of a structure that is made of bodies: these, which are the model's */
    const slip_series_info *series; /* of the structure */
    int series_count;
    /* Coordinates without mass follow their forces at once, also those of rigid contacts: they are those of
     * condensed bodies. What divides by the mass matrix does not take such a system. */
    bool condensed;
    slip_massless *massless; /* of a singular mass matrix: what moves in place of this system; else NULL */
    bool varying_mass, linear_part; /* linear_part: C or K are not zero */
    bool varying_gaps;              /* some gap is not linear in the coordinates */
    bool varying_laws;              /* some law has parameters that are expressions, */
    int varying_most;               /* of a contact */
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
    bool pressed_patches; /* some of them have a gap */
    slip_slider *sliders; /* of all contacts, in their order */
    int64_t slider_count, slider_capacity;
    int scratch_count; /* doubles that the largest expression needs */
    int switch_count;  /* slots after the velocities (freeze.h); 0 unless frozen */
    bool reads_state;  /* some expression reads coordinates or velocities */
    bool state_loads;  /* some load is a function of them, or a C function */
    /* Of each coordinate: the number, from 0 on, of those of one unit that belong together, such as the modes
     * of a body, or -1. They come from sums over all of them, so that each is known to the rounding of the
     * largest. NULL: none do. */
    int *kin;
    double *load_q, *load_v; /* n x n: the loads that are linear in these; NULL where there are none */
    slip_acceleration_function accelerate; /* compiled for this number of coordinates */
    bool finished;
    struct slip_shelf *shelf; /* what a method on this very system leaves for the next; NULL: nothing */
};

/* How many of the n are coordinates: those that have a position. */
static inline int slip_system_coordinates(const slip_system *system)
{
    return system->n - system->state_count;
}

/* How many numbers q and v have: the n, and behind them the unknowns of the field. */
static inline int64_t slip_system_size(const slip_system *system)
{
    return system->n + system->field_size;
}

/* ---- Building. The functions take over the expressions, also when they fail. */

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
/* The same in place of what an earlier call of it set; loads of bodies stay. */
int slip_system_set_force(slip_context *ctx, slip_system *system, int coordinate,
                          slip_expression *expression);

/* The structure's energies, instead of mass, damping and stiffness: kinetic, potential (or NULL) and the
 * dissipation function (or NULL). See energy.h. */
int slip_system_set_energy(slip_context *ctx, slip_system *system, slip_expression *kinetic,
                           slip_expression *potential, slip_expression *dissipation);

/* The normal force of a compliant contact, a function of its gap, times the coefficients of all coordinates
 * in the gap, which are copied. */
int slip_system_add_push(slip_context *ctx, slip_system *system, slip_expression *normal_force,
                         const double *row);

/* A contact without friction (slip NULL), or a friction contact with the slip velocity as one expression,
 * linear in the velocities (an error otherwise), and the normal force as another (NULL is 1). */
int slip_system_add_friction(slip_context *ctx, slip_system *system, const char *name, slip_expression *slip,
                             slip_expression *normal_force, const slip_law *law);

/* In place of expressions of a contact with a gap: gap = row . q + number, and each slip velocity is slip . v
 * (NULL: there is none) plus the expression of the contact, which reads nothing but t then. All is copied. */
typedef struct slip_contact_rows {
    const double *gap, *slip[2];
    double number;
    slip_tail gap_tail, slip_tails[2];
} slip_contact_rows;

/* A unilateral contact. The gap is a function of coordinates and time; slip and law may be NULL. */
typedef struct slip_unilateral {
    const char *name;
    slip_expression *gap, *slip;
    const slip_contact_rows *rows; /* in place of these, or NULL */
    const slip_law *law;
    double restitution;
    bool impact_friction;
} slip_unilateral;
int slip_system_add_unilateral(slip_context *ctx, slip_system *system, const slip_unilateral *contact);

/* A slip of more than one dimension: a plane contact area, or a point in a plane. slip[3] are x, y and spin,
 * each linear in the velocities; NULL is 0, at least one is given. normal_force NULL is 1. Takes over the
 * law, also when it fails. */
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

/* Adds a contact like that of another system: gap or normal force, slip, law with what varies of it,
 * compliance; its area is shared. `make` says in the coordinates of the new system what row times coordinates
 * (or times velocities) + rest + constant is, where row and rest may be NULL; `what` names it in messages. */
typedef struct slip_contact_maker {
    int (*make)(void *user, const char *what, const char *contact, const double *row, bool velocities,
                const slip_expression *rest, double constant, slip_expression **made);
    void *user;
} slip_contact_maker;
int slip_system_add_alike(slip_context *ctx, slip_system *system, const slip_contact *contact,
                          const slip_contact_maker *maker);

/* The law of a contact as it was given: of `sqrt` one of two parameters follows from the other; what varies
 * is not a number. */
slip_law slip_contact_given_law(const slip_contact *contact);

/* From now on a parameter of the law of a contact is this expression of t, coordinates and states. The
 * contact was added with a law that lists it among its expressions; of a patch the parameter is mu. */
int slip_system_vary(slip_context *ctx, slip_system *system, int contact, const char *parameter,
                     slip_expression *expression);

/* Remembers how much scratch memory an expression (or NULL) of the structure needs, and what it reads. True
 * when that is nothing but the time. */
bool slip_system_note(slip_system *system, const slip_expression *expression);
/* Between the files that build a system: the constant coefficients of `count` slots from `first` on, in the
 * arena of the system; frees what a load or a contact owns. */
int slip_system_coefficients(slip_context *ctx, slip_system *system, const slip_expression *expression,
                             int first, int count, double **row);
void slip_force_free(slip_force_term *term);
void slip_contact_free(slip_contact *contact);

/* Whether a mass matrix can be used: fails where it is not symmetric or not positive. It may be singular
 * (massless.h). `row` and `column` (from 0) say where, or are -1. */
int slip_mass_check(slip_context *ctx, int n, const double *mass, int *row, int *column);

/* Checks the mass matrix and derives what evaluation needs. */
int slip_system_finish(slip_context *ctx, slip_system *system);

/* ---- Evaluating. */

/* What is shown of a contact that does this: what a compliant one does is not decided by events, it is open
 * where nothing presses it. */
static inline double slip_shown_mode(const slip_contact *contact, double normal, double mode)
{
    return !contact->compliant     ? mode
           : !(normal > 0)         ? SLIP_MODE_OPEN
           : contact->frictionless ? SLIP_MODE_CLOSED
                                   : mode;
}

/* How a contact enters the equation. */
struct slip_branch {
    int piece; /* of the law; -1: the piece that holds the slip velocity */
    int chart; /* -1, or the singular break whose chart is in use */
    double s;  /* the chart's variable */
    /* What the contact is doing, where that matters: unilateral contacts and stick. STICK keeps the slip
     * velocity as it is (zero, or the singular break of a chart), any other mode than OPEN keeps a unilateral
     * contact closed. */
    slip_mode mode;
    /* Of a set-valued patch that slips: x, y and spin of its slip, known better than from the velocities; of
     * which only the direction matters. NULL: from the velocities. */
    const double *direction;
    int follows; /* of a patch: 1 + another one, which cannot but stick with it and holds for both; else 0 */
    /* Of sliders: +1 or -1 of each that slips, 0 where it sticks; NULL: by slip velocity and deflection. */
    const signed char *sliders;
    /* Of forces that are not unique: the limits that this contact's are kept at (SLIP_CLIP_...). */
    unsigned clip;
};

static inline bool slip_mode_slips(slip_mode mode)
{
    return mode == SLIP_MODE_SLIP_PLUS || mode == SLIP_MODE_SLIP_MINUS || mode == SLIP_MODE_SLIP;
}

/* Friction force at +hold N, at -hold N; normal force at zero. And one that all contacts have together: they
 * are wedged, normal forces may be larger than the load takes to let friction hold. */
enum { SLIP_CLIP_UPPER = 1, SLIP_CLIP_LOWER = 2, SLIP_CLIP_NORMAL = 4, SLIP_CLIP_WEDGED = 8 };
/* Neither normal force nor friction: both its limits are the same then. */
static inline bool slip_clip_at_apex(unsigned clip)
{
    return clip & SLIP_CLIP_NORMAL && clip & (SLIP_CLIP_UPPER | SLIP_CLIP_LOWER);
}

/* What an evaluation found for one contact. */
typedef struct slip_contact_state {
    double slip;        /* velocity w */
    double normal;      /* N, >= 0 is compression */
    double force;       /* on the coordinates along the slip: -N law(w), or what stick takes */
    double hold;        /* of a contact held at a singular break: the force beside the law's */
    double yield;       /* of one kept at limits: what is left until it is let go of one; else infinite */
    double force_slope; /* d force / d w; in a chart: of the viscous part only */
    double chart_slope; /* d force / d s in a chart, else 0 */
    /* Of a law with memory: whether the contact is open, so that its states rest; and force over normal
     * force, where that is not known yet. */
    bool asleep;
    double ratio;
    bool slips; /* of a slider in the plane */
} slip_contact_state;

/* The same of a patch. Its contact state has `normal`, the magnitude of the slip and, where it sticks, that
 * of the force. */
typedef struct slip_patch_state {
    double slip[3];  /* x, y, spin */
    double force[3]; /* and moment, on the coordinates along these */
} slip_patch_state;

struct slip_workspace {
    slip_arena arena;
    double *slots; /* 1 + 2 n, and the forms of switches (freeze.h) */
    double *scratch;
    double *force;    /* n */
    double *gradient; /* 1 + 2 n */
    double *matrix;   /* 2 n^2: derivatives of the force before the mass is divided out */
    /* M^-1 and (M^-1 K, M^-1 C): the system's, or, where the mass matrix varies, the workspace's own at the
     * place where it is (slip_system_place). */
    const double *inverse_mass, *mass_structure;
    double *mass, *own_inverse, *own_structure;
    double placed_at, *placed; /* t and q of these */
    bool unfilled;             /* the structure knows its place, and has not filled the matrices there */
    void *own;                 /* memory of the structure, which frees it */
    struct slip_found_contact *found; /* what detectors found last, of each contact that has one */
    struct slip_search *searches;     /* their memory */
    int search_count;
    const slip_structure *structure;
    double *gap_rows; /* n of each contact: of gaps that are not linear, where they were looked at last */
    double *tangent;  /* n: of a slip whose coefficients vary, while its constraints are made */
    double *along;    /* 1 + 2 n: a direction of second derivatives */
    slip_contact_state *contacts;
    slip_patch_state *patches; /* by contact->vector */
    double *
        patch_friction; /* of each patch, 3: force over normal force at the last evaluation, where it slips */
    double *patch_rows; /* 3 n of each patch: rows that vary */
    double *patch_mu;   /* of each patch */
    double *drift;      /* 1 + 3 n: the gradient of a parameter that varies, and loads on states */
    slip_law_kernel *laws;   /* of each contact whose parameters vary, where they were looked at last */
    double *patch_gradients; /* 5 (1 + 2 n): of its forces, and of the rates of its law's states */
    /* Of the constraints: stick, and closed unilateral contacts. */
    double *rows, *responses, *gram, *multipliers;
    int *constraints; /* contact, -1 - contact for its normal direction, contact + (1 + part) times the number
                       * of contacts for a slip velocity of a patch */
    int constraint_count;
    /* What of these is that of constant rows, and is used again: the directions, and the factors of the gram
     * matrix of the first `factored` of them. */
    struct slip_kept_direction {
        const double *row, *other; /* row NULL: nothing is kept */
        double ratio;
    } * kept;
    int factored, *pivots;
    double *scales;
    slip_share *share;
    double *memory; /* of the states of laws: derivatives of the force, rates, their two derivatives */
    double *field;  /* scratch, twice as large as the field */
    struct slip_field_state *elastic; /* of its large strains (field.h) */
    double load_time;                 /* of the loads below; not a number at first */
    double *loads;                    /* on each coordinate, of the force terms that read nothing but t */
    int64_t evaluations;
};

int slip_workspace_create(slip_context *ctx, const slip_system *system, slip_workspace **workspace);
void slip_workspace_destroy(slip_workspace *workspace);
SLIP_OWNED(slip_workspace, slip_workspace_destroy)

/* Puts the workspace at t and q: mass matrix and what follows from it. Functions below that take t and q do
 * so themselves; whoever reads inverse_mass without calling one of them first has to. */
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

/* The mass matrix and what follows from it at the place where the workspace is: whoever reads mass,
 * inverse_mass or mass_structure of a workspace calls it first. */
void slip_system_fill_matrices(const slip_system *system, slip_workspace *workspace);
static inline void slip_system_fill(const slip_system *system, slip_workspace *workspace)
{
    if (workspace->unfilled)
        slip_system_fill_matrices(system, workspace);
}

/* The laws whose parameters vary, at t, q and v. False where a parameter is out of its range. Functions below
 * that take t, q and v do so themselves; whoever asks for a law without calling one of them first has to. */
bool slip_system_retune(const slip_system *system, slip_workspace *workspace);
/* And before any evaluation: as they were given; false when out of memory. */
bool slip_system_start_laws(const slip_system *system, slip_workspace *workspace);
bool slip_system_retune_at(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                           const double *v);
static inline bool slip_system_tune(const slip_system *system, slip_workspace *workspace, double t,
                                    const double *q, const double *v)
{
    return !system->varying_laws || slip_system_retune_at(system, workspace, t, q, v);
}

/* Whether what varies are parameters of `law`; else it is mu of a patch. */
static inline bool slip_contact_law_varies(const slip_contact *contact)
{
    return !contact->patch || contact->state_count > 0;
}

/* The law of a contact where the workspace is. */
static inline const slip_law_kernel *slip_contact_law(const slip_system *system,
                                                      const slip_workspace *workspace, int contact)
{
    const slip_contact *of = &system->contacts[contact];
    return of->varying_count > 0 && slip_contact_law_varies(of) ? &workspace->laws[contact] : &of->law;
}

/* Between friction/line.c and vary.c: adds the derivatives of the force of a contact by what its law's
 * parameters depend on to of_force (1 + 2 n numbers), and those of the rates of its states to f_q, f_v, f_t.
 */
void slip_system_vary_gradients(const slip_system *system, slip_workspace *workspace, int contact,
                                const double *v, double *of_force, double *f_q, double *f_v, double *f_t);

/* The same in the plane: to the five gradients of slip_system_patch_gradients. */
void slip_system_vary_gradients_plane(const slip_system *system, slip_workspace *workspace, int contact,
                                      double *gradients);

/* The limit of a slider's deflection where the workspace is, with its laws tuned there, and unless NULL its
 * rate along the motion: a slider that slips moves with it. */
double slip_system_slider_limit(const slip_system *system, slip_workspace *workspace,
                                const slip_slider *slider, double *rate);

/* Fails where a parameter of a law is out of its range; says which, its value and what was expected. */
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

/* Corrects a free acceleration by the forces of the constraints that the branches' modes stand for, and puts
 * these forces into the contact states. Where they are not unique (more constraints than motions) those of
 * least size are taken among all that have the branches' clips: linear functions of the state. */
bool slip_system_constrain(const slip_system *system, slip_workspace *workspace, const slip_branch *branches,
                           double t, const double *q, const double *v, double *a);

/* After it: what the constraints leave of the columns of a matrix (n x count, row by row), the derivatives of
 * a free acceleration. Their own derivatives are left out. False where forces are not unique: then all is. */
bool slip_system_project(const slip_system *system, slip_workspace *workspace, int count, double *matrix);

/* The same, and sets the clips: forces that are not unique are those of least size within the limits of all
 * contacts (share.c has the rule). Where there are none, some contact's force is beyond its limit. `wedged`:
 * see above. */
bool slip_system_distribute(const slip_system *system, slip_workspace *workspace, slip_branch *branches,
                            bool wedged, double t, const double *q, const double *v, double *a);

/* After slip_system_distribute: were the forces not unique, of any contact or of this one? And where no
 * forces are within the limits of all contacts: those of this contact (SLIP_CLIP_...) that are among the ones
 * which exclude each other. */
bool slip_system_shared(const slip_workspace *workspace);
bool slip_system_shares(const slip_workspace *workspace, int contact);
unsigned slip_system_blocks(const slip_workspace *workspace, int contact);

/* After slip_system_constrain or slip_system_distribute: whether the constraints leave no motion along this
 * row of n numbers. */
bool slip_system_holds(const slip_system *system, slip_workspace *workspace, const double *row);

/* Memory for forces that are not unique, in the workspace's arena; false when there is none. */
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
/* By how much a gap changes from t0 to t while the coordinates stay as they are; 0 where it is not linear in
 * these. */
double slip_system_gap_change(const slip_system *system, slip_workspace *workspace, int contact, double t0,
                              double t);

/* The power of a contact on the coordinates, and what it takes, the motion of belts and stops included, for
 * given slip velocities and forces: those of the contact state, or of a vector those of its patch state. */
void slip_system_contact_power(const slip_system *system, slip_workspace *workspace, int contact, double t,
                               const double *q, const double *v, const slip_contact_state *state,
                               const slip_patch_state *patches, double power[2]);

/* a . matrix b, with n x n numbers row by row. */
double slip_system_form(int n, const double *a, const double *matrix, const double *b);

/* The judge: by how much the given state and contact forces violate the contact laws (gap and compression not
 * negative, complementary; friction by the law), forces relative to 1 + their size. It knows nothing of modes
 * or methods. Friction along vectors is not judged where `patches`, their forces, is NULL. */
double slip_system_residual(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                            const double *v, const double *normal, const double *force,
                            const slip_patch_state *patches);

/* Derivatives of the acceleration: a_q and a_v (n x n, row by row), a_t (n), and a_s (n for each contact, row
 * by row: a_s[c * n + i]), of contacts in charts. Any of them may be NULL. Calls slip_system_acceleration. */
bool slip_system_jacobian(const slip_system *system, slip_workspace *workspace, const slip_branch *branches,
                          double t, const double *q, const double *v, double *a, double *a_q, double *a_v,
                          double *a_t, double *a_s);

/* Derivatives of the forces of the last evaluation, of loads and contacts but not of C and K, and of -M(t, q)
 * a, with respect to q and v: n x n each, one after the other in workspace->matrix. Constraints have their
 * forces in the contact states. */
bool slip_system_differentiate(const slip_system *system, slip_workspace *workspace, double t,
                               const double *q, const double *v, const double *a);

/* After it: the derivative of a contact's friction force with respect to every slot, 1 + 2 n numbers; `part`
 * is that of a patch. Overwrites workspace->matrix. */
void slip_system_friction_gradient(const slip_system *system, slip_workspace *workspace, int contact,
                                   int part, double *gradient);

/* The loads f(t, q, v) alone, without structure and contacts, into force[n]. Returns false when the user's
 * function fails. */
bool slip_system_loads(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                       const double *v, double *force);

/* Those that were given: without the forces of the structure's energies. */
bool slip_system_given_loads(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                             const double *v, double *force);

/* Those that depend on time alone, which the workspace keeps. */
const double *slip_system_time_loads(const slip_system *system, slip_workspace *workspace, double t);

/* Fails with SLIP_ERROR_SOLVER: the given normal force of the contact turns negative at t; says what to write
 * instead. */
int slip_system_refuse_pull(slip_context *ctx, const slip_contact *contact, double t);

/* The given normal force of a contact without a gap. */
double slip_system_normal_force(const slip_system *system, slip_workspace *workspace, int contact, double t,
                                const double *q, const double *v);

/* ---- Laws with memory (friction/memory.c). */

/* Finds the states of a contact's law, which the system must have, and lists its sliders. */
int slip_system_attach_states(slip_context *ctx, slip_system *system, int contact);

/* Between evaluate.c, creep.c and memory.c: the force of a contact whose law has memory, and the rates of its
 * states, which are added to `force`; then the derivatives for state k: of the contact's force, and of the
 * state's rate by the slip velocity and by the state. */
void slip_system_remember(const slip_system *system, slip_workspace *workspace, const slip_contact *contact,
                          const slip_branch *branch, slip_contact_state *state, const double *v,
                          double *force);
void slip_system_remember_gradients(const slip_system *system, const slip_workspace *workspace,
                                    const slip_contact *contact, const slip_contact_state *state, int k,
                                    double *of_force, double *rate_slip, double *rate_state);

/* Whether a contact whose law has memory is open, with its normal force as it was evaluated: its states rest,
 * and what they remember is lost (slip_system_forget, which has the values that they start with). */
static inline bool slip_contact_asleep(const slip_contact *contact, const slip_branch *branch, double normal)
{
    return contact->has_gap && branch ? branch->mode == SLIP_MODE_OPEN
                                      : (contact->has_gap || contact->compliant) && normal == 0;
}
void slip_system_forget(const slip_system *system, const slip_workspace *workspace, int contact, double *v);

/* The same of a contact whose slip is in the plane: its forces go to its patch state. */
void slip_system_remember_plane(const slip_system *system, slip_workspace *workspace,
                                const slip_contact *contact, const slip_branch *branch, const double *v,
                                double *force);
/* What its law does at the last evaluation, the viscous part included. */
void slip_system_plane_response(const slip_system *system, slip_workspace *workspace, int contact,
                                const signed char *sliders, const double *v, slip_law_plane *to);

/* Fails with SLIP_ERROR_MODEL where a state of a law cannot have the number that it has in v. */
int slip_system_check_states(slip_context *ctx, const slip_system *system, const double *v);

/* ---- Contacts that creep (creep.c). */

/* The slip velocity; not a number where there is none. The slots are filled, and the normal force is known.
 */
double slip_system_creep(const slip_system *system, slip_workspace *workspace, const slip_contact *contact,
                         double normal, const double *v);
/* Its derivatives with respect to every slot, after an evaluation that left `state`. */
void slip_system_creep_gradient(const slip_system *system, slip_workspace *workspace,
                                const slip_contact *contact, const slip_contact_state *state,
                                double *gradient);
/* And its rate along a motion; the slots are filled. */
double slip_system_creep_rate(const slip_system *system, slip_workspace *workspace,
                              const slip_contact *contact, const double *v, const double *a);

/* ---- Patches (friction/vector.c). */

/* Slip velocities x, y and spin, and their rates for given acceleration. */
void slip_system_patch_slip(const slip_system *system, slip_workspace *workspace, int contact, double t,
                            const double *q, const double *v, double slip[3]);
void slip_system_patch_rate(const slip_system *system, slip_workspace *workspace, int contact, double t,
                            const double *q, const double *v, const double *a, double rate[3]);

/* What static friction of a patch can hold of a force along a row that all its slip velocities are multiples
 * of, at the last evaluation (with a gap: for unit normal force); negative where they are not. */
double slip_system_patch_hold(const slip_system *system, const slip_workspace *workspace, int contact,
                              const double *row);

/* Slip velocities and forces as one number: with its sign, of a vector the magnitude. */
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

/* Another patch whose slip follows from that of the leader: G with W_other = G W_leader, by least squares
 * over the basis of the leader's slip. False where it does not follow. */
bool slip_system_patch_map(const slip_system *system, const slip_workspace *workspace, int leader, int rank,
                           const double *basis, int other, double map[9]);

/* The slip velocity of a contact; of a vector its magnitude. */
double slip_system_slip(const slip_system *system, slip_workspace *workspace, int contact, double t,
                        const double *q, const double *v);

/* What the slip velocity, the gap, the gap's rate are sums of: the sizes of all parts, of which rounding
 * errors are multiples. */
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

/* Whether the damping matrix is not zero; the stiffness is not symmetric; a law is kinked (law/law.h). */
bool slip_system_damped(const slip_system *system);
bool slip_system_skew(const slip_system *system);
bool slip_system_kinked(const slip_system *system);

/* After something was not finite: fails with SLIP_ERROR_SOLVER and says which expression of which contact or
 * coordinate is to blame, at which time. */
int slip_system_diagnose(slip_context *ctx, const slip_system *system, slip_workspace *workspace, double t,
                         const double *q, const double *v);

/* The names of modes by their numbers, up to a NULL. */
extern const char *const slip_mode_names[SLIP_MODE_CLOSED + 2];

#endif
