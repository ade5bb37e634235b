/* The reader, from a tree to a model. A problem is recorded (problems.h) and reading continues, so that all
 * problems are reported at once. A function that returns false has recorded a problem, or its failure follows
 * from an earlier problem. */
#ifndef SLIP_MODEL_READ_H
#define SLIP_MODEL_READ_H

#include "model/model.h"
#include "model/names.h"
#include "model/problems.h"

typedef struct slip_reader {
    slip_context *ctx;
    slip_model *model;
    slip_problems *problems;
    slip_tree *root;
    int n;                /* coordinates and states; 0 until they are known */
    int coordinates;      /* number of coordinates alone */
    const char **names;   /* of the coordinates, then a NULL; */
    const char **all;     /* of coordinates and states, then a NULL */
    slip_symbol *symbols; /* t, coordinates, velocities, parameters, inputs; a NULL name ends the list */
    int parameters;       /* index of the first parameter in it */
    int parameter_count;  /* entries of the section, good or bad */
    bool with_time;       /* an expression of bodies may read t */
    int given; /* number of coordinates in the section `coordinates`; the others are those of moving bodies */
    double *slots;   /* of expressions; the slots of parameters read so far are filled */
    double *numbers; /* the part of `slots` for parameters */
    double *scratch; /* for evaluations */
    int scratch_count;
    /* For a model that is bound: its values; else NULL. Its origin owns the tree, which must not be changed.
     */
    const slip_values *values;
    int64_t whole_modes; /* number of modes to which whole bodies are to be reduced; else 0 */
    bool of_outputs;     /* outputs are being read, whose slots are series */
    int rate_depth;      /* nesting depth of rate() of states */
    int before_contact;  /* number of problems before the present contact */
    /* Contacts with a wrong law, ended by NULL: their states are not known, so uses of them give no message.
     * NULL before the states are read. */
    const char **unclear;
} slip_reader;

/* Records "WHAT: found NODE, expected ..." and returns false. */
bool slip_read_refuse(slip_reader *r, const slip_tree *node, const char *what, const char *expected, ...)
    __attribute__((format(printf, 4, 5)));

/* Records a failure of memory if `all` is false; returns `all`. */
static inline bool slip_reader_room(slip_reader *r, bool all)
{
    r->problems->memory = r->problems->memory || !all;
    return all;
}

/* The slot of the first parameter. After all parameters there are two special slots: for parameters with a
 * wrong entry (expressions that read it are not checked further), and for those defined further down. */
static inline int slip_reader_slot_first(const slip_reader *r)
{
    return slip_slot_parameter(r->n);
}
static inline int slip_reader_slot_bad(const slip_reader *r)
{
    return slip_slot_parameter(r->n) + r->parameter_count;
}
static inline int slip_reader_slot_later(const slip_reader *r)
{
    return slip_reader_slot_bad(r) + 1;
}

/* ---- Values (value.c). `what` names the field in messages. */

/* Records a problem for every key of the mapping that is not in the list. False where the node is no mapping.
 */
bool slip_read_keys(slip_reader *r, const slip_tree *node, const char *what, const char *const *keys);
/* The value of a key in a mapping; NULL if it is missing or null. */
static inline slip_tree *slip_read_child(const slip_tree *mapping, const char *key)
{
    slip_tree *value = slip_tree_find(mapping, key);
    return value && !slip_tree_is_null(value) ? value : NULL;
}
/* The same; records a problem if it is missing. example: what to write, for the message. */
slip_tree *slip_read_required(slip_reader *r, const slip_tree *mapping, const char *what, const char *key,
                              const char *example);

/* The expression of a node, with the parameters as slots; compiled at the first call. It belongs to the
 * model. NULL after a problem. */
const slip_expression *slip_read_compiled(slip_reader *r, const slip_tree *node, const char *what);
/* A copy with the parameters replaced by their values; it belongs to the caller. */
bool slip_read_expression(slip_reader *r, const slip_tree *node, const char *what,
                          slip_expression **expression);
/* Whether a value is an expression rather than a literal number. */
bool slip_read_is_expression(slip_reader *r, const slip_tree *node);
/* A shortcut for literal numbers and compiled expressions; false: call slip_read_number. */
bool slip_read_known_number(slip_reader *r, const slip_tree *node, double *value);
/* A finite number, or an expression in the parameters. */
bool slip_read_number(slip_reader *r, const slip_tree *node, const char *what, double *value);
typedef struct slip_range {
    double low, high;
    bool low_open; /* `low` itself is not allowed */
} slip_range;
bool slip_read_number_in(slip_reader *r, const slip_tree *node, const char *what, slip_range range,
                         double *value);
bool slip_read_count_in(slip_reader *r, const slip_tree *node, const char *what, int64_t low, int64_t *value);
bool slip_read_flag(slip_reader *r, const slip_tree *node, const char *what, bool *value);
bool slip_read_word(slip_reader *r, const slip_tree *node, const char *what, const char **value);
/* The index of a word in the list (ended by NULL); -1 and a problem if it is not there, with the text
 * `unknown` (NULL: "WHAT: unknown word"). */
int slip_read_choice(slip_reader *r, const slip_tree *node, const char *what, const char *unknown,
                     const char *const *words);

/* The path of a file, relative to the folder of the model's file. The full path is stored in the tree, so
 * that model.yaml of a run folder can be run too. */
bool slip_read_path(slip_reader *r, slip_tree *node, const char *what, const char **path);

/* A hint for messages where a comma without quotes has split an expression, else "". */
const char *slip_read_comma_hint(const slip_tree *node);

/* ---- Values of bodies (plane.c). */

/* An expression of position (`places`: its letters) and parameters, with the slots of fem/plane/plane.h. */
bool slip_read_plane_expression(slip_reader *r, const slip_tree *node, const char *what, const char *places,
                                slip_expression **expression);
/* A number of the mesh or the material; marks the parameters on which it depends as structural (plane.h). */
bool slip_read_structural(slip_reader *r, const slip_tree *node, const char *what, slip_range range,
                          double *value);
bool slip_read_structural_count(slip_reader *r, const slip_tree *node, const char *what, int64_t *value);
/* A list of `count` entries. `example` shows what to write. */
bool slip_read_list(slip_reader *r, const slip_tree *node, const char *what, int count, const char *example);
/* For bodies in the plane (2) or in space (3): the letters of coordinates, and a vector for messages. */
static inline const char *slip_read_places(int dimension)
{
    return dimension == 3 ? "xyz" : "xy";
}
static inline const char *slip_read_vector_example(int dimension)
{
    return dimension == 3 ? "[0, 0, 1]" : "[0, 1]";
}

/* ---- Sections. */

/* Properties of a kind of contact: it may have a law with memory; it is a contact of bodies.
 * slip_read_kind_is takes the node of a contact, whose kind may be wrong. */
enum { SLIP_KIND_REMEMBERS = 1, SLIP_KIND_OF_BODIES = 2 };
bool slip_read_kind_is(const slip_tree *contact, unsigned can);
/* Moving bodies (motion_contact.c): their dimension, 0 without bodies; whether contact point `index` exists,
 * and *name, NULL unless it slides and belongs to the surface `of`. */
int slip_read_dimension(const slip_reader *r);
bool slip_read_sliding_point(const slip_reader *r, const char *of, int index, const char **name);

/* Kinds of contacts of the format: a new one is a file that defines slip_kind_NAME, and its NAME here. */
/* clang-format off */
#define SLIP_CONTACT_KINDS(KIND) KIND(friction) KIND(unilateral) KIND(patch) KIND(surface) KIND(flanks)
/* clang-format on */
typedef struct slip_contact_kind {
    void (*read)(slip_reader *r, const slip_tree *node, const char *name);
    /* For a contact of bodies that move: reads it in the model with the coordinates. */
    void (*read_motion)(slip_reader *r, const slip_tree *node, const char *name);
    unsigned can; /* SLIP_KIND_... */
} slip_contact_kind;
#define SLIP_KIND_DECLARE(name) extern const slip_contact_kind slip_kind_##name;
SLIP_CONTACT_KINDS(SLIP_KIND_DECLARE)

/* Structures that a section of their name gives in place of mass, damping and stiffness: a new one is a file
 * that defines slip_given_NAME, and its NAME in SLIP_GIVEN_STRUCTURES (model/names.h). */
typedef struct slip_given_structure {
    void (*read)(slip_reader *r, const slip_tree *section);
    const char *instead; /* reason why matrices are not allowed beside it, for messages */
} slip_given_structure;
#define SLIP_GIVEN_DECLARE(name) extern const slip_given_structure slip_given_##name;
SLIP_GIVEN_STRUCTURES(SLIP_GIVEN_DECLARE)

void slip_read_coordinates(slip_reader *r); /* names.c: and which states there are */
void slip_read_parameters(slip_reader *r);  /* names.c */
void slip_read_inputs(slip_reader *r);      /* inputs.c */
/* Whether a new name is valid and not used by anything that expressions read; else records a problem
 * (names.c). what: the kind of thing; hint: appended to the message about the name. */
bool slip_read_new_name(slip_reader *r, const slip_tree *key, const char *what, const char *hint);
void slip_read_input(slip_reader *r, const slip_tree *key, const slip_tree *node);
void slip_read_states(slip_reader *r); /* states.c: their rates */
/* rate() of states (rates.c): marks the symbols of states; the slot that represents rate(name), or
 * SLIP_RATE_UNKNOWN; replaces these slots by the expressions of the rates. The last returns false after a
 * problem; the expression then still belongs to the caller. */
void slip_read_rate_symbols(slip_reader *r);
int slip_read_rate_slot(const slip_reader *r, const char *name);
bool slip_read_replace_rates(slip_reader *r, const slip_tree *node, const char *what,
                             slip_expression **expression);
/* Collects the names of coordinates and states, and `unclear` contacts; false after a problem. */
bool slip_read_state_names(slip_reader *r, int coordinate_count, const char *const *coordinates);
void slip_read_structure(slip_reader *r); /* system.c: mass, damping, stiffness, forces */
void slip_read_contacts(slip_reader *r);  /* contact.c */
/* One force on a coordinate, and one contact; also called by the functions that build a model in C. */
void slip_read_force(slip_reader *r, const char *name, const slip_tree *node);
void slip_read_energy(slip_reader *r, const slip_tree *section);
void slip_read_contact(slip_reader *r, const slip_tree *key, const slip_tree *node);
void slip_read_outputs(slip_reader *r); /* outputs.c: outputs and units */
void slip_read_bodies(slip_reader *r);  /* bodies.c */
/* The matrices of a body given by files, and a mesh of its interface (matrices.c); to->mesh is NULL after a
 * problem. */
void slip_read_body_matrices(slip_reader *r, const slip_tree *body, const char *what, slip_body *to);
/* The mesh of a body, owned by the caller; NULL after a problem. */
slip_mesh *slip_read_body_mesh(slip_reader *r, const slip_tree *body, const char *what); /* mesh.c */
/* Moving bodies: whether the model has any; reads the separate model of the bodies into model->bodies, false
 * after a problem (both alone.c); the names of their coordinates, after `count` others; their matrices and
 * loads; a contact between them; probes (motion.c). */
bool slip_read_moves(const slip_reader *r);
bool slip_read_body_motion(slip_reader *r, const slip_tree *body, int dimension, bool large,
                           slip_body_motion *motion); /* body_motion.c */
bool slip_read_motion(slip_reader *r);
bool slip_read_motion_names(slip_reader *r, int count, const char **names);
void slip_read_motion_structure(slip_reader *r);
void slip_read_motion_surface(slip_reader *r, const slip_tree *node, const char *name); /* motion_contact.c */
/* The coordinate of the rotation of a body, or -1. */
int slip_read_turn_of(const slip_reader *r, int body);
/* Adds the rotational inertia of bodies to the mass matrix of the lumped coordinates. */
void slip_read_turns(slip_reader *r);
int slip_read_probe_count(const slip_reader *r);
void slip_read_probe(slip_reader *r, int index, slip_output *output);
/* compose.c: compiles an expression of t at a point; x, y, z and parameters become numbers. On failure the
 * message is in the context. _load: `factor` times the history s(t) of a load at its point (NULL: 1). */
int slip_read_compose(slip_reader *r, const char *expression, const double place[3], slip_expression **to);
int slip_read_compose_load(slip_reader *r, const slip_expression *history, const double place[3],
                           double factor, slip_expression **load);
/* field.c: adds the displacements of whole bodies to the system as a field; false after a problem. _tail: the
 * part of a displacement component (fem/plane/plane.h) in the field. */
bool slip_read_field(slip_reader *r);
void slip_read_probe_tail(slip_reader *r, int64_t component, slip_tail *tail);
/* Whether something moves: coordinates, or bodies. */
static inline bool slip_read_has_motion(const slip_reader *r)
{
    return r->n > 0 || r->model->bodies;
}
void slip_read_gears(slip_reader *r); /* gears.c */
/* The outline, mesh and material of a gear, the latter two from the mapping `body` (gears.c); friction and
 * penalty of flanks (gear_motion.c). */
bool slip_read_outline(slip_reader *r, const slip_tree *key, const slip_tree *outline, const slip_tree *body,
                       slip_gear_options *to);
void slip_read_flank_friction(slip_reader *r, const slip_tree *flanks, slip_gear_run_options *to);
void slip_read_penalty(slip_reader *r, const slip_tree *flanks, slip_gear_run_options *to);
/* Gears among the bodies (train.c). For the separate model of the bodies: whether a body is a gear; reads one
 * into model->train; places all of them, false after a problem. For the model with coordinates: names of
 * their coordinates, after `count` others; the structure. */
bool slip_read_is_gear(const slip_tree *body);
void slip_read_gear_body(slip_reader *r, const slip_tree *key, const slip_tree *node);
bool slip_read_train(slip_reader *r, slip_model *bodies);
bool slip_read_body_names(slip_reader *r, const char *body, int first, int count, const char **names);
bool slip_read_train_names(slip_reader *r, int count, const char **names);
void slip_read_train_structure(slip_reader *r);
void slip_read_train_run(slip_reader *r, const slip_tree *section); /* of `simulate` */
/* Loads and drive of a gear; contact and run of a pair of gears. `to` must have the defaults (gear_motion.c).
 */
void slip_read_gear_side(slip_reader *r, const slip_tree *gear, slip_gear_side *side);
void slip_read_gear_run(slip_reader *r, slip_gear_run_options *to);
/* Reads a law with its parameters (law.c). axes, unless NULL: mu may be a list of two coefficients, which are
 * stored there; law->mu is the larger one. may_vary: parameters may be expressions of t, coordinates and
 * states; these are listed in the law, and slip_read_varying adds them to the contact when it exists. */
bool slip_read_law(slip_reader *r, const slip_tree *node, const char *what, bool may_vary, slip_law *law,
                   double *axes);
/* 1 for such an expression, which is added to the list of the law; 0 for a number; -1 after a problem. */
int slip_read_varies(slip_reader *r, const slip_tree *value, const char *what, const char *parameter,
                     slip_law *law);
void slip_read_varying(slip_reader *r, const slip_tree *law_node, const slip_law *law);
/* Adds to the contact read last the varying parameters of its law (NULL: none), and sets initial values of
 * the law's states that are not zero. */
void slip_read_finish_law(slip_reader *r, const slip_tree *law_node, const slip_law *law);
/* Parts that kinds of contacts share (parts.c). Records a problem where a slip velocity is not linear in the
 * velocities, or does not contain any. */
bool slip_read_slip_form(slip_reader *r, const slip_tree *node, bool may_be_given,
                         const slip_expression *slip);
/* The gap of a contact, linear in the coordinates; the settings of impacts. restitution and friction must
 * have their defaults. */
bool slip_read_gap(slip_reader *r, const slip_tree *contact, const char *what, slip_expression **gap);
bool slip_read_impact(slip_reader *r, const slip_tree *contact, double *restitution, bool *friction);
/* Compliant contacts, with a gap and `normal` (compliance.c): whether a contact is one; its normal force,
 * whose action on the coordinates is added to the system as forces. When the contact exists it is marked by
 * slip_read_mark_compliant. */
bool slip_read_is_compliant(const slip_tree *contact);
bool slip_read_compliance(slip_reader *r, const slip_tree *contact, const char *what,
                          slip_expression **normal);
/* The two steps of slip_read_compliance: stiffness, exponent and damping; the normal force for a gap that is
 * not in the model file. */
bool slip_read_spring(slip_reader *r, const slip_tree *contact, const char *what, double spring[3]);
bool slip_read_press(slip_reader *r, const double spring[3], const slip_expression *gap,
                     slip_expression **normal);
void slip_read_mark_compliant(slip_reader *r);
/* Gives the contact added last, which is of a whole body, this spring in place of a rigid gap. */
void slip_read_mark_yielding(slip_reader *r, const double spring[3]);
/* A contact whose slip is a list: a point in a plane (point.c). Its keys are checked before. */
bool slip_read_in_plane(const slip_tree *contact);
void slip_read_point(slip_reader *r, const slip_tree *node, const char *name, bool has_gap);
/* Adds a point in a plane with a law and its varying parameters; mu: coefficients along the two directions.
 * Becomes the owner of the expressions of the source, also when it fails, after a problem. */
bool slip_read_append_point(slip_reader *r, const slip_tree *law_node, const slip_law *law,
                            const double mu[2], slip_patch_source *source);
/* The normal force of a contact; *normal is NULL if the file has none, which means 1. */
bool slip_read_normal(slip_reader *r, const slip_tree *contact, slip_expression **normal);
void slip_read_simulate(slip_reader *r);                       /* simulate.c */
void slip_read_initial(slip_reader *r, const slip_tree *node); /* its state at the start */
/* Read the keys of sections of studies that are not plain fields into their struct of options. */
void slip_read_continue(slip_reader *r, const slip_tree *section, void *options);
void slip_read_sweep(slip_reader *r, const slip_tree *section, void *options);
void slip_read_bifurcation(slip_reader *r, const slip_tree *section, void *options);
void slip_read_branch(slip_reader *r, const slip_tree *section, void *options);
void slip_read_fit(slip_reader *r, const slip_tree *section, void *options);
void slip_read_basin(slip_reader *r, const slip_tree *section, void *options);

/* All of them. */
void slip_read_model(slip_reader *r);
/* Prepares a reader to read the document of a model again with other values. r->model belongs to the caller,
 * also when this fails. */
int slip_reader_bind(slip_reader *r, const slip_model *model, const slip_values *values);

#endif
