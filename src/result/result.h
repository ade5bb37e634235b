/* The result of a run in memory, and the recorder that fills it. */
#ifndef SLIP_RESULT_RESULT_H
#define SLIP_RESULT_RESULT_H

#include "base/text.h"
#include "io/json.h"
#include "method/method.h"
#include "result/account.h"
#include "result/outputs.h"
#include "result/table.h"
#include "slipstick/result.h"

/* The result of `steady`. Arrays have one entry for each coordinate or contact. */
typedef struct slip_steady_result {
    bool asked; /* the run had a `steady` section */
    bool settled;
    double forcing_period;
    int multiple; /* the motion's period over the forcing period */
    int64_t periods_run;
    double last_change; /* of the state over `multiple` periods, relative as the tolerance is */
    double error;       /* bound of the deviation from the steady motion, likewise; infinite: not known */
    double *max_q, *max_v, *max_a, *max_force;
    double *amplitude, *phase_lag; /* of the fundamental: x ~ amplitude sin(2 pi t / forcing period - lag) */
} slip_steady_result;

/* Contact times: when a contact with a gap (or any of several) was closed. */
typedef struct slip_touch {
    double time, first, last; /* total duration; first closing, NAN: never; end of the last contact */
    double since;             /* begin of the present contact, */
    int closed;               /* number of closed contacts now; 0: open */
} slip_touch;

/* The numbers of one contact over the recorded span; NAN where they are not known. */
typedef struct slip_contact_account {
    double force, normal, impulse; /* the largest; impulses of unilateral contacts only */
    double work;                   /* on the coordinates */
    double dissipation;            /* energy lost, including the work of moving belts and stops */
    slip_touch touch;              /* of contacts that can be open */
} slip_contact_account;

/* A matrix of numbers that is not a set of columns: count x width, row by row. */
typedef struct slip_array {
    char *place; /* of its dataset in result.h5 */
    int64_t count;
    int64_t width; /* numbers in a row */
    bool small;    /* whole numbers below 128 */
    double *values;
} slip_array;

/* A number of the summary by its path, such as "final.wheel.speed". */
typedef struct slip_named_number {
    char *name;
    double value;
} slip_named_number;

/* A file that the folder gets beside result.h5, such as solutions.json. */
typedef struct slip_document {
    char *name, *text;
} slip_document;

/* An object from which the text of model.yaml is made on demand; {0}: none. */
typedef struct slip_result_note {
    void *self;
    int (*write)(slip_context *ctx, const void *self, slip_text *text);
    void (*destroy)(void *self);
} slip_result_note;

/* The result of any verb: tables of named columns, numbers, events. */
struct slip_result {
    slip_arena arena;
    const char *kind;      /* of result: a row of the table of pictures (study/view) */
    char *model_text;      /* the text of model.yaml, after it was made; may be NULL */
    slip_result_note note; /* from which it is made */
    char *title;           /* of the model, for the pictures; may be NULL */
    const char *method;
    slip_table main;     /* the series */
    slip_table **tables; /* the others */
    int table_count;
    int64_t table_capacity;
    slip_array *arrays;
    int64_t array_count, array_capacity;
    slip_document *documents;
    int64_t document_count, document_capacity;
    char *served;      /* path of a checkpoint that is deleted when the result has been saved; may be NULL */
    slip_text summary; /* the text of summary.json; for a run it is made on demand */
    bool judged;       /* counters.residual is the judge's residual of the contact laws */
    const struct slip_json *tree; /* the parsed summary of a result that was loaded; else NULL */
    slip_event *events;
    int64_t event_count, event_capacity;
    slip_label *labels; /* of the table "labels", in the arena */
    int64_t label_count;
    slip_named_number *numbers; /* numbers of the summary that not every run has */
    int64_t number_count, number_capacity;

    /* Of a run in time. Its series: t, then q, v, a of each coordinate, then slip, normal, force, mode of
     * each contact, then slip_x, slip_y, spin, force_x, force_y, moment of each patch, then the outputs, of
     * which the first are the states, then those of the structure. */
    int n, contact_count;
    int vector_count; /* the last ones of the n that are amplitudes of vectors of elastic bodies */
    char **names, **contact_names;
    int patch_count;
    int *patch_contacts; /* the contact of each patch */
    int output_count, state_count;
    double *max_output; /* of each output; NAN where nothing was recorded */
    slip_method_counters counters;
    double final_t, *final_q, *final_v; /* with zeros for states in final_q, and the states in final_v */
    double *max_q, *max_v, *max_a;      /* NAN where nothing was recorded */
    slip_contact_account *contacts;
    slip_touch touch; /* of all contacts with a gap: any of them is closed */
    double peak;      /* the largest normal force of these */
    slip_energies energies;
    slip_steady_result steady;
    double wall_seconds;
    int status;    /* how the run ended */
    char *message; /* error message of a run that ended early; else NULL */
};

/* An empty result of a kind; `file` NULL: the main table has no CSV file of its own. */
int slip_result_create(slip_context *ctx, const char *kind, const char *file, slip_result **result);
/* Sets the title and the text of model.yaml; either may be NULL. */
int slip_result_describe(slip_context *ctx, slip_result *result, const char *title, const char *model_text);
/* The text of model.yaml; *text is NULL where there is none. */
int slip_result_model_text(slip_context *ctx, slip_result *result, const char **text);
/* Another table; `file` NULL: it has no CSV file of its own. NULL when out of memory. */
slip_table *slip_result_add_table(slip_context *ctx, slip_result *result, const char *name, const char *file);
/* The table of that name; NULL where there is none. */
slip_table *slip_result_table(const slip_result *result, const char *name);
/* Adds an array. The result becomes the owner of array->values, also when it fails. */
int slip_result_add_array(slip_context *ctx, slip_result *result, const slip_array *array);
const slip_array *slip_result_array(const slip_result *result, const char *place);
/* Reads result->labels from the table "labels", if there is one. path: of the file, for messages. */
int slip_result_take_labels(slip_context *ctx, slip_result *result, const char *path);
/* Returns the status; after an error destroys the result and sets it to NULL. */
static inline int slip_result_or_none(slip_result **result, int status)
{
    if (status < 0) {
        slip_result_destroy(*result);
        *result = NULL;
    }
    return status;
}

/* Adds a text that becomes a file of the folder. */
int slip_result_add_document(slip_context *ctx, slip_result *result, const char *name, const char *text);
/* The same for JSON in a text, which is freed. */
int slip_result_add_json(slip_context *ctx, slip_result *result, const char *name, slip_text *text);

/* ---- Of runs in time. */

/* The index of a series. part: 0, 1, 2 for q, v, a; 0, 1, 2, 3 for slip, normal, force, mode. */
static inline int slip_series_coordinate(int coordinate, int part)
{
    return 1 + 3 * coordinate + part;
}
static inline int slip_series_contact(int coordinate_count, int contact, int part)
{
    return 1 + 3 * coordinate_count + 4 * contact + part;
}

static inline int slip_series_patch(const slip_result *result, int patch, int part)
{
    return 1 + 3 * result->n + 4 * result->contact_count + 6 * patch + part;
}
extern const char *const slip_contact_parts[4]; /* "slip", "normal", "force", "mode" */
extern const char *const slip_patch_parts[6];   /* "slip_x" ... */
static inline int slip_series_output(const slip_result *result, int output)
{
    return slip_series_patch(result, result->patch_count, 0) + output;
}

/* The values of a series. */
static inline double *slip_series_values(const slip_result *result, int series)
{
    return result->main.columns[series].values;
}

/* The names of a run and of its contacts; `patches` are the contacts of patches, in rising order. */
typedef struct slip_run_names {
    int n, contact_count, patch_count;
    int vector_count; /* of the n, the last ones: those that move vectors of elastic bodies */
    const char *const *names, *const *contact_names;
    const int *patches;
    const slip_outputs *outputs;    /* with the units of all series; NULL: neither */
    const slip_series_info *series; /* of the structure */
    int series_count;
    const char *kind; /* of the result; NULL: "run" */
} slip_run_names;
int slip_result_create_run(slip_context *ctx, const slip_run_names *names, slip_result **result);
/* Adds a number to the summary, or replaces its value. */
int slip_result_add_number(slip_context *ctx, slip_result *result, const char *name, double value);
/* After the run: computes contact times from its events and the modes of its record. */
void slip_result_time_contacts(slip_result *result, const slip_system *system);
/* Adds the table of its events, for the folder. */
int slip_result_add_events(slip_context *ctx, slip_result *result);
/* Recognises coordinates, contacts, patches and events in a result that was read from `path`. */
int slip_result_recognise_run(slip_context *ctx, slip_result *result, const char *path);

/* ---- Summaries. */

/* Writes "ended" and "message" of a run that ended early. */
void slip_summary_write_ending(slip_json_writer *json, int status, const char *message);

/* Events, final state, maxima and balance of a motion, into an object. */
void slip_summary_write_motion(const slip_result *result, slip_json_writer *json);

/* Finds numbers by their paths in summary.json, without writing the file. */
void slip_result_seek(const slip_result *result, int count, slip_json_wanted *wanted);

/* ---- Recorder: an observer that fills a result. */

typedef struct slip_recorder_options {
    double every;                /* > 0, or NAN */
    int64_t points;              /* > 0, or 0; over from .. end */
    bool steps;                  /* every accepted step; exactly one of the three is chosen */
    double from, end;            /* recorded span; `from` infinite: no record, only events and observers */
    const slip_system *system;   /* for the energy balance; NULL: none */
    const slip_outputs *outputs; /* those that the result was made with; NULL: none */
    bool events;                 /* also the states before and after each event */
    bool steady;   /* also compute the largest contact forces and the Fourier integrals of the fundamental */
    double period; /* forcing period of the fundamental */
    slip_step_function step_observer; /* the user's own observers, called after recording; may be NULL */
    slip_event_function event_observer;
    void *observer_user;
} slip_recorder_options;

typedef struct slip_recorder slip_recorder;

int slip_recorder_create(slip_context *ctx, slip_result *result, const slip_recorder_options *options,
                         slip_recorder **recorder);
void slip_recorder_destroy(slip_recorder *recorder);
SLIP_OWNED(slip_recorder, slip_recorder_destroy)

/* Before the motion: its start state; the arrays must stay valid during the first step. If the record starts
 * there, an impact at the start counts. */
void slip_recorder_start(slip_recorder *recorder, double t, const double *q, const double *v);

/* The observer for a method. Its step function records samples and updates the largest |q|, |v| and |a|, also
 * between samples; it evaluates a step inside only where an extremum is possible. */
slip_observer slip_recorder_observer(slip_recorder *recorder);

/* Saves a recorder as group "record" of a checkpoint, or restores it; only for a structure that has series of
 * its own and nothing else. */
void slip_recorder_keep(slip_recorder *recorder, slip_keeper *keeper);

/* After the last step: stores maxima and, if wanted, amplitude and phase lag in the result. */
void slip_recorder_finish(slip_recorder *recorder);

/* For a run that ended before its first step without a record: records its start state, with unknown
 * accelerations and forces (NAN) and modes (`open`). */
int slip_recorder_keep_start(slip_recorder *recorder, double t, const double *q, const double *v);

/* A format of files with the series of a result, for other programs. The table ends with a name that is NULL.
 */
typedef struct slip_series_format {
    const char *name; /* also the ending of its files */
    int (*write)(slip_context *ctx, const slip_table *series, const char *path);
} slip_series_format;
extern const slip_series_format slip_series_formats[];

/* Of local variables: SLIP_FREED_BY(TYPE_drop). */
SLIP_OWNED(slip_result, slip_result_destroy)

#endif
