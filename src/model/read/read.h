/* The reader: a tree to a model. Everything that is wrong is noted and reading goes on, so that all of it can
 * be reported in one go; a function that returns false has noted why (or stays silent, because what it would
 * say follows from something noted before). */
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
    int coordinates;      /* how many of them are coordinates */
    const char **names;   /* of the coordinates, then a NULL; */
    const char **all;     /* of coordinates and states, then a NULL */
    slip_symbol *symbols; /* t, coordinates, velocities, parameters, inputs; a NULL name ends the list */
    int parameters;       /* index of the first parameter in it */
    int parameter_count;  /* entries of the section, good or bad */
    bool with_time;       /* an expression of bodies may read t */
    int given;            /* how many of the coordinates are given: bodies in motion have the others */
    double *slots;        /* of expressions: those of the parameters, as far as they are read, are filled */
    double *numbers;      /* the parameters' part of them */
    double *scratch;      /* for evaluations */
    int scratch_count;
    /* Where a model is bound to values: these; else NULL. Such a model has an origin that owns the tree,
     * which is not changed then. */
    const slip_values *values;
    int64_t whole_modes; /* and where whole bodies are to be reduced: to so many modes; else 0 */
    bool of_outputs;     /* outputs are read: slots are those of series */
    int rate_depth;      /* rates of states inside each other */
    int before_contact;  /* problems before the contact at hand */
    /* Contacts whose law is wrong, which is said of the law, then a NULL: it is not known which states it
     * would have. NULL before the states are read. */
    const char **unclear;
} slip_reader;

/* Notes "WHAT: found NODE, expected ..."; false, which the caller returns. */
bool slip_read_refuse(slip_reader *r, const slip_tree *node, const char *what, const char *expected, ...)
    __attribute__((format(printf, 4, 5)));

/* Whether there was memory for all that was asked for; notes it where not. */
static inline bool slip_reader_room(slip_reader *r, bool all)
{
    r->problems->memory = r->problems->memory || !all;
    return all;
}

/* The slot of the first parameter; behind all of them two more slots: a parameter whose own entry is wrong,
 * and one that is defined further down. What reads the first is not checked any more. */
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

/* Notes every key of the mapping that is not in the list. False when the node is no mapping (noted). */
bool slip_read_keys(slip_reader *r, const slip_tree *node, const char *what, const char *const *keys);
/* The mapping's value for a key; NULL when it is not there or null. */
static inline slip_tree *slip_read_child(const slip_tree *mapping, const char *key)
{
    slip_tree *value = slip_tree_find(mapping, key);
    return value && !slip_tree_is_null(value) ? value : NULL;
}
/* The same; notes that it is missing. `example` shows what to write. */
slip_tree *slip_read_required(slip_reader *r, const slip_tree *mapping, const char *what, const char *key,
                              const char *example);

/* The expression of a node with the parameters as slots: compiled when it is met for the first time. NULL
 * when something is wrong (noted). Belongs to the model. */
const slip_expression *slip_read_compiled(slip_reader *r, const slip_tree *node, const char *what);
/* The same with the values of the parameters in it; belongs to the caller. */
bool slip_read_expression(slip_reader *r, const slip_tree *node, const char *what,
                          slip_expression **expression);
/* Whether a value is more than a number that is written out. */
bool slip_read_is_expression(slip_reader *r, const slip_tree *node);
/* A number that is written out, or an expression in the parameters that was compiled before: whether its
 * value is at hand without a word of where it stands. */
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
/* Which one of the words (NULL ends them) it is; -1 where it is none of them, which is noted by `unknown`, or
 * where that is NULL as "WHAT: unknown word". */
int slip_read_choice(slip_reader *r, const slip_tree *node, const char *what, const char *unknown,
                     const char *const *words);

/* The path of a file that the model names: beside the model's own file. The whole path stays in the model, so
 * that model.yaml of a run folder can be run too. */
bool slip_read_path(slip_reader *r, slip_tree *node, const char *what, const char **path);

/* Adds a hint where a comma without quotes has cut an expression in two. */
const char *slip_read_comma_hint(const slip_tree *node);

/* ---- Values of bodies (plane.c). */

/* An expression in the letters of the place and the parameters, with the slots of fem/plane/plane.h;
 * the parameters stay slots. */
bool slip_read_plane_expression(slip_reader *r, const slip_tree *node, const char *what, const char *places,
                                slip_expression **expression);
/* A number that the mesh or the material is made with; notes the parameters that it depends on. */
bool slip_read_structural(slip_reader *r, const slip_tree *node, const char *what, slip_range range,
                          double *value);
bool slip_read_structural_count(slip_reader *r, const slip_tree *node, const char *what, int64_t *value);
/* A list of `count` entries. `example` shows what to write. */
bool slip_read_list(slip_reader *r, const slip_tree *node, const char *what, int count, const char *example);
/* Of bodies in the plane (2) or in space (3): the names of places, and a vector for messages. */
static inline const char *slip_read_places(int dimension)
{
    return dimension == 3 ? "xyz" : "xy";
}
static inline const char *slip_read_vector_example(int dimension)
{
    return dimension == 3 ? "[0, 0, 1]" : "[0, 1]";
}

/* ---- Sections. */

/* What a kind of contact can: a law with memory; or it is one of bodies. Asked of a contact
 * as it is written, whose kind may be wrong. */
enum { SLIP_KIND_REMEMBERS = 1, SLIP_KIND_OF_BODIES = 2 };
bool slip_read_kind_is(const slip_tree *contact, unsigned can);
/* Of bodies that move (motion_contact.c): their dimension, 0 without; and whether they have a contact point
 * of this index, with its name, or NULL where it is of another surface or does not slide. */
int slip_read_dimension(const slip_reader *r);
bool slip_read_sliding_point(const slip_reader *r, const char *of, int index, const char **name);

/* Kinds of contacts of the format: a new one is a file that defines slip_kind_NAME, and its NAME here. */
/* clang-format off */
#define SLIP_CONTACT_KINDS(KIND) KIND(friction) KIND(unilateral) KIND(patch) KIND(surface) KIND(flanks)
/* clang-format on */
typedef struct slip_contact_kind {
    void (*read)(slip_reader *r, const slip_tree *node, const char *name);
    /* Of bodies, in a model with bodies and only there: in the model that moves. */
    void (*read_motion)(slip_reader *r, const slip_tree *node, const char *name);
    unsigned can; /* SLIP_KIND_... */
} slip_contact_kind;
#define SLIP_KIND_DECLARE(name) extern const slip_contact_kind slip_kind_##name;
SLIP_CONTACT_KINDS(SLIP_KIND_DECLARE)

/* Structures that a section of their name gives in place of mass, damping and stiffness: a new one is a file
 * that defines slip_given_NAME, and its NAME in SLIP_GIVEN_STRUCTURES (model/names.h). */
typedef struct slip_given_structure {
    void (*read)(slip_reader *r, const slip_tree *section);
    const char *instead; /* why there are no matrices beside it */
} slip_given_structure;
#define SLIP_GIVEN_DECLARE(name) extern const slip_given_structure slip_given_##name;
SLIP_GIVEN_STRUCTURES(SLIP_GIVEN_DECLARE)

void slip_read_coordinates(slip_reader *r); /* names.c: and which states there are */
void slip_read_parameters(slip_reader *r);  /* names.c */
void slip_read_inputs(slip_reader *r);      /* inputs.c */
/* Whether a new name can be used; noted where not: inputs and outputs share names with all that expressions
 * read. `what` is being named; `hint` goes behind what is wrong with the name itself (names.c). */
bool slip_read_new_name(slip_reader *r, const slip_tree *key, const char *what, const char *hint);
void slip_read_input(slip_reader *r, const slip_tree *key, const slip_tree *node);
void slip_read_states(slip_reader *r); /* states.c: their rates */
/* rate() of states (rates.c): what the symbols of states say of it; the slot that stands for that of a
 * name, or SLIP_RATE_UNKNOWN; and puts the rates in the place of these slots. False when something is wrong
 * (noted): the expression stays the caller's. */
void slip_read_rate_symbols(slip_reader *r);
int slip_read_rate_slot(const slip_reader *r, const char *name);
bool slip_read_replace_rates(slip_reader *r, const slip_tree *node, const char *what,
                             slip_expression **expression);
/* The names of all states that the document has, behind those of coordinates, and the contacts whose laws are
 * unclear; false when something is wrong (noted). */
bool slip_read_state_names(slip_reader *r, int coordinate_count, const char *const *coordinates);
void slip_read_structure(slip_reader *r); /* system.c: mass, damping, stiffness, forces */
void slip_read_contacts(slip_reader *r);  /* contact.c */
/* One force on a coordinate, and one contact: the calls that build a model in C use these. */
void slip_read_force(slip_reader *r, const char *name, const slip_tree *node);
void slip_read_energy(slip_reader *r, const slip_tree *section);
void slip_read_contact(slip_reader *r, const slip_tree *key, const slip_tree *node);
void slip_read_outputs(slip_reader *r); /* outputs.c: outputs and units */
void slip_read_bodies(slip_reader *r);  /* bodies.c */
/* Matrices of a body in place of a mesh of elements, and a mesh of its interface points
 * (body_matrices.c); leaves the mesh NULL where something is wrong (noted). */
void slip_read_body_matrices(slip_reader *r, const slip_tree *body, const char *what, slip_body *to);
/* The mesh of a body; NULL where something is wrong (noted). */
slip_mesh *slip_read_body_mesh(slip_reader *r, const slip_tree *body, const char *what); /* body_mesh.c */
/* Bodies in motion: does the model have any; the model of them alone, into model->bodies (false when
 * something is wrong, noted; both alone.c); the names of their coordinates, behind `count` that are given;
 * their matrices and loads; a contact between them; where they are looked at (motion.c). */
bool slip_read_moves(const slip_reader *r);
bool slip_read_body_motion(slip_reader *r, const slip_tree *body, int dimension, bool large,
                           slip_body_motion *motion); /* body_motion.c */
bool slip_read_motion(slip_reader *r);
bool slip_read_motion_names(slip_reader *r, int count, const char **names);
void slip_read_motion_structure(slip_reader *r);
void slip_read_motion_surface(slip_reader *r, const slip_tree *node, const char *name); /* motion_contact.c */
/* The coordinate by which a body turns, or -1. */
int slip_read_turn_of(const slip_reader *r, int body);
/* Adds the inertia of bodies that turn to the mass matrix that was given. */
void slip_read_turns(slip_reader *r);
int slip_read_probe_count(const slip_reader *r);
void slip_read_probe(slip_reader *r, int index, slip_output *output);
/* compose.c: an expression of t at a place, x, y (and z), which are numbers in it, as the parameters are; on
 * failure the message is in the context. `factor` times the history of a load at its place, or a number. */
int slip_read_compose(slip_reader *r, const char *expression, const double place[3], slip_expression **to);
int slip_read_compose_load(slip_reader *r, const slip_expression *history, const double place[3],
                           double factor, slip_expression **load);
/* field.c: the displacements of whole bodies, into the system; false when something is wrong, noted.
 * What a component of a displacement (fem/plane/plane.h) has of them. */
bool slip_read_field(slip_reader *r);
void slip_read_probe_tail(slip_reader *r, int64_t component, slip_tail *tail);
/* Whether something moves: coordinates, or bodies. */
static inline bool slip_read_has_motion(const slip_reader *r)
{
    return r->n > 0 || r->model->bodies;
}
void slip_read_gears(slip_reader *r); /* gears.c */
/* The outline, mesh and material of a gear, the latter two from the mapping of its body (gears.c); and
 * friction and penalty of its flanks (gear_motion.c). */
bool slip_read_outline(slip_reader *r, const slip_tree *key, const slip_tree *outline, const slip_tree *body,
                       slip_gear_options *to);
void slip_read_flank_friction(slip_reader *r, const slip_tree *flanks, slip_gear_run_options *to);
void slip_read_penalty(slip_reader *r, const slip_tree *flanks, slip_gear_run_options *to);
/* Gears among the bodies (train.c). In the model of the bodies alone: is it one; reads it into
 * model->train; all of them in place (false when something is wrong, noted). In the one that moves: names of
 * their coordinates, behind `count`; the structure. */
bool slip_read_is_gear(const slip_tree *body);
void slip_read_gear_body(slip_reader *r, const slip_tree *key, const slip_tree *node);
bool slip_read_train(slip_reader *r, slip_model *bodies);
bool slip_read_body_names(slip_reader *r, const char *body, int first, int count, const char **names);
bool slip_read_train_names(slip_reader *r, int count, const char **names);
void slip_read_train_structure(slip_reader *r);
void slip_read_train_run(slip_reader *r, const slip_tree *section); /* of `simulate` */
/* What a gear does, and of a pair how it touches and runs; `to` has the defaults (gear_motion.c). */
void slip_read_gear_side(slip_reader *r, const slip_tree *gear, slip_gear_side *side);
void slip_read_gear_run(slip_reader *r, slip_gear_run_options *to);
/* A law with its parameters (law.c). `axes`, unless NULL: mu may be a list of two, which go there;
 * law->mu is the larger one. `may_vary`: parameters may be expressions of t, coordinates and states, which
 * are then listed in the law and come to the contact, once that is there, by slip_read_varying. */
bool slip_read_law(slip_reader *r, const slip_tree *node, const char *what, bool may_vary, slip_law *law,
                   double *axes);
/* 1 where a value that may be a number is such an expression instead, which is then in the list of the law;
 * else 0, and -1 when something is wrong (noted). */
int slip_read_varies(slip_reader *r, const slip_tree *value, const char *what, const char *parameter,
                     slip_law *law);
void slip_read_varying(slip_reader *r, const slip_tree *law_node, const slip_law *law);
/* Of the contact that was read last: what varies of its law (NULL: none), and its states, where they do not
 * start at zero. */
void slip_read_finish_law(slip_reader *r, const slip_tree *law_node, const slip_law *law);
/* What kinds of contacts have in common (parts.c). Notes a slip velocity that is not linear in the
 * velocities, or has none. */
bool slip_read_slip_form(slip_reader *r, const slip_tree *node, bool may_be_given,
                         const slip_expression *slip);
/* The gap of a contact, linear in the coordinates; and what impacts do. `restitution` and `friction` have
 * their defaults. */
bool slip_read_gap(slip_reader *r, const slip_tree *contact, const char *what, slip_expression **gap);
bool slip_read_impact(slip_reader *r, const slip_tree *contact, double *restitution, bool *friction);
/* Of a contact with a gap and `normal`: its normal force, and the pushes of that on the coordinates, which go
 * to the system; after the contact is there it is marked (compliance.c). */
bool slip_read_is_compliant(const slip_tree *contact);
bool slip_read_compliance(slip_reader *r, const slip_tree *contact, const char *what,
                          slip_expression **normal);
/* In two parts: stiffness, exponent and damping; and the same for a gap that the model file does not say. */
bool slip_read_spring(slip_reader *r, const slip_tree *contact, const char *what, double spring[3]);
bool slip_read_press(slip_reader *r, const double spring[3], const slip_expression *gap,
                     slip_expression **normal);
void slip_read_mark_compliant(slip_reader *r);
/* The contact that was added last, of a whole body, has this spring in place of a rigid gap. */
void slip_read_mark_yielding(slip_reader *r, const double spring[3]);
/* A contact whose slip is a list: a point in a plane (point.c). Its keys are checked before. */
bool slip_read_in_plane(const slip_tree *contact);
void slip_read_point(slip_reader *r, const slip_tree *node, const char *name, bool has_gap);
/* Adds a point in a plane with a law, of which `mu` are the coefficients along the two directions, and with
 * what varies of it; takes over the expressions of the source, also when it fails, which is noted. */
bool slip_read_append_point(slip_reader *r, const slip_tree *law_node, const slip_law *law,
                            const double mu[2], slip_patch_source *source);
/* The normal force of a contact; *normal is NULL where nothing is said: 1. */
bool slip_read_normal(slip_reader *r, const slip_tree *contact, slip_expression **normal);
void slip_read_simulate(slip_reader *r);                       /* simulate.c */
void slip_read_initial(slip_reader *r, const slip_tree *node); /* its state at the start */
/* Keys of the sections of studies that are not plain, into the struct of their options. */
void slip_read_continue(slip_reader *r, const slip_tree *section, void *options);
void slip_read_sweep(slip_reader *r, const slip_tree *section, void *options);
void slip_read_bifurcation(slip_reader *r, const slip_tree *section, void *options);
void slip_read_branch(slip_reader *r, const slip_tree *section, void *options);
void slip_read_fit(slip_reader *r, const slip_tree *section, void *options);
void slip_read_basin(slip_reader *r, const slip_tree *section, void *options);

/* All of them. */
void slip_read_model(slip_reader *r);
/* Readies a reader to read the document of a model again with other numbers; its model is the caller's, also
 * when this fails. */
int slip_reader_bind(slip_reader *r, const slip_model *model, const slip_values *values);

#endif
