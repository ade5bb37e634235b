/* The result of a run in memory, and the recorder that fills it. */
#ifndef SLIP_RESULT_RESULT_H
#define SLIP_RESULT_RESULT_H

#include "base/text.h"
#include "io/json.h"
#include "io/spill.h"
#include "io/staging.h"
#include "method/method.h"
#include "result/account.h"
#include "slipstick/result.h"

/* What `steady` found. Arrays have one entry for each coordinate or contact. */
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

/* Of one contact, in the recorded span; NAN where it is not known. */
typedef struct slip_contact_account {
    double force, normal, impulse; /* the largest; impulses of unilateral contacts only */
    double work;                   /* on the coordinates */
    double dissipation;            /* belts and stops that move included */
} slip_contact_account;

struct slip_result {
    slip_arena arena;
    int n, contact_count;
    char **names, **contact_names;
    char *model_text; /* what goes into model.yaml; may be NULL */
    char *title;      /* of the model, for the pictures; may be NULL */
    const char *method;
    int patch_count;
    int *patch_contacts; /* the contact of each patch */
    /* Series: t, then q, v, a of each coordinate, then slip, normal, force, mode of each contact, then
     * slip_x, slip_y, spin, force_x, force_y, moment of each patch. */
    char **series_names;
    double **series;
    int series_count;
    int64_t count, capacity; /* of samples */
    bool spilled;            /* the series are long, and in this file */
    slip_spill spill;
    slip_event *events;
    int64_t event_count, event_capacity;
    slip_method_counters counters;
    double final_t, *final_q, *final_v;
    double *max_q, *max_v, *max_a; /* NAN where nothing was recorded */
    slip_contact_account *contacts;
    slip_energies energies;
    slip_steady_result steady;
    double wall_seconds;
    int status;        /* how the run ended */
    char *message;     /* what was said when it ended early; NULL otherwise */
    slip_text summary; /* made on demand */
};

/* Where a series is. `part` is 0, 1, 2 for q, v, a and 0, 1, 2, 3 for slip, normal, force, mode. */
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
extern const char *const slip_patch_parts[6]; /* "slip_x" ... */

int slip_result_create(slip_context *ctx, int n, const char *const *names, int contact_count,
                       const char *const *contact_names, slip_result **result);

/* Series of patches, for a result that has no samples yet; contacts[count] are in rising order. */
int slip_result_add_patches(slip_context *ctx, slip_result *result, int count, const int *contacts);

/* Makes room for `needed` samples in all series. False when out of memory. */
bool slip_result_reserve(slip_result *result, int64_t needed);

/* Is there a whole run in time in the folder? Of what else there may be the message says who draws it. */
int slip_folder_check(slip_context *ctx, const char *folder);

/* Puts the files of a run in place of an earlier one's, whose pictures and exports go with it. Then a text
 * file of a folder. */
int slip_folder_publish(slip_context *ctx, slip_staging *staging);
int slip_folder_write(slip_context *ctx, const char *folder, const char *name, const char *text);

/* The records that pictures show; fails where there are none. */
int slip_plot_span(slip_context *ctx, const slip_plot_options *options, const char *folder, const double *t,
                   int64_t all, int64_t *first, int64_t *count);

/* "ended" and "message" of a run that did not come to its end. */
void slip_summary_write_ending(slip_json_writer *json, int status, const char *message);

/* The text of summary.json. */
int slip_summary_write(slip_context *ctx, const slip_result *result, slip_text *text);
/* Takes over what such a text says, where the result has a place for it. */
int slip_summary_read(slip_context *ctx, slip_result *result, const char *name, const char *text,
                      size_t length);

/* ---- Recorder: an observer that fills a result. */

typedef struct slip_recorder_options {
    double every;              /* > 0, or NAN */
    int64_t points;            /* > 0, or 0; over from .. end */
    bool steps;                /* every accepted step; exactly one of the three is chosen */
    double from, end;          /* `from` infinite: nothing is recorded, events and observers only */
    const slip_system *system; /* whose energies are wanted; NULL: none */
    bool events;               /* also the states before and after each event */
    bool steady;   /* also find the largest contact forces and the fundamental's Fourier integrals */
    double period; /* forcing period of the fundamental */
    slip_step_observer step_observer; /* the user's own observers, called after recording; may be NULL */
    slip_event_observer event_observer;
    void *observer_user;
} slip_recorder_options;

typedef struct slip_recorder slip_recorder;

int slip_recorder_create(slip_context *ctx, slip_result *result, const slip_recorder_options *options,
                         slip_recorder **recorder);
void slip_recorder_destroy(slip_recorder *recorder);

/* The observer to give to a method. Its step function records samples, and follows the largest |q|, |v| and
 * |a| between samples too; cheaply: it looks inside a step only where an extremum can be. */
slip_observer slip_recorder_observer(slip_recorder *recorder);

/* After the last step: writes what was found (maxima; amplitude and phase where asked for) into the result.
 */
void slip_recorder_finish(slip_recorder *recorder);

/* Of a run that ended before its first step: the state that it started from, where nothing was recorded.
 * Accelerations and forces are not known (NAN), nor are modes (`open`). */
int slip_recorder_keep_start(slip_recorder *recorder, double t, const double *q, const double *v);

#endif
