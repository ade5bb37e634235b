/* Slipstick: the result of a run or a study: named series, numbers, events; folders, pictures, other formats.
 */
#ifndef SLIPSTICK_RESULT_H
#define SLIPSTICK_RESULT_H

#include "slipstick/base.h"
#include "slipstick/model.h"

SLIP_BEGIN_C

/* A result of a run, a study or slip_result_load belongs to the caller, for slip_result_destroy. Arrays and
 * texts that the functions below return live as long as the result; of a NULL result they are NULL, NAN, 0 or
 * "". */
typedef struct slip_result slip_result;

/* NULL is fine. */
SLIP_API void slip_result_destroy(slip_result *result);

/* A recorded series by name: "t"; "x", "x'", "x''" for a coordinate x; "pad.slip", "pad.normal", "pad.force"
 * and "pad.mode" for a contact pad (modes as numbers of slip_mode). `force` is the force on the coordinates
 * along the slip: negative while the slip velocity is positive. A result may have further tables, whose
 * series are called TABLE.NAME: "events.time", "labels.value". NULL when there is no such series. `count`
 * gets how many numbers it has, and may be NULL. */
SLIP_API const double *slip_result_series(const slip_result *result, const char *name, int64_t *count);

/* The text of a series of words at a record, such as "pad.mode"; NULL when it has none there. The unit of a
 * series, "" where it is not known. */
SLIP_API const char *slip_result_word(const slip_result *result, const char *name, int64_t index);
SLIP_API const char *slip_result_unit(const slip_result *result, const char *name);

/* What made the result: "run", "gears" (a run with gears), "statics", "map", "path", "modes", "cycle",
 * "patch", "sweep", "bifurcation", "basin", "orbit", "branch", "lyapunov", "exponents" (these over axes),
 * "fit". */
SLIP_API const char *slip_result_kind(const slip_result *result);

/* The names of all series, in the order in which they are exported; NULL for a number that is out of range.
 */
SLIP_API int slip_result_series_count(const slip_result *result);
SLIP_API const char *slip_result_series_name(const slip_result *result, int index);

/* A contact changed its mode. */
typedef struct slip_event {
    double time; /* in units of the model */
    int contact; /* index of the contact in the model */
    slip_mode from, to;
} slip_event;
/* The events in the order of time; NULL for a number that is out of range. */
SLIP_API int64_t slip_result_event_count(const slip_result *result);
SLIP_API const slip_event *slip_result_event(const slip_result *result, int64_t index);

/* The name of the contact of an event; NULL when there is no such event. */
SLIP_API const char *slip_result_event_contact(const slip_result *result, int64_t index);

/* A point of a path or branch with a name: a fold, a bifurcation, a change of modes, an end. */
typedef struct slip_label {
    int number;          /* from 1 */
    int branch;          /* from 1 */
    const char *type;    /* "EP" end, "MC" change of modes, "LP" fold, "BP" branch point; of eigenmodes "FL"
                          * flutter, "DV" divergence; of periodic motions "PD", "NS", "GR", "SL" */
    double value;        /* of the parameter; where the path goes to infinity, that of the pole */
    const char *contact; /* whose mode changes; several are joined by ";"; "" where none does */
    const char *from,
        *to;          /* modes, as many as contacts; where the path goes to infinity `to` is "infinity" */
    const char *note; /* of an end: why */
} slip_label;
/* The labels, from 0; NULL for a number that is out of range. */
SLIP_API int64_t slip_result_label_count(const slip_result *result);
SLIP_API const slip_label *slip_result_label(const slip_result *result, int64_t index);

/* The name of the method that made the result. */
SLIP_API const char *slip_result_method(const slip_result *result);

/* The summary's numbers by their path in summary.json, joined by dots: "steps", "evaluations",
 * "events.total", "final.t", "final.x", "max.x''", "steady.period", "steady.max.x", "steady.max.force.pad",
 * "steady.phase_lag.x", "wall_seconds". NAN when there is none. */
SLIP_API double slip_result_number(const slip_result *result, const char *path);

/* A text of the summary by its path, such as "parameter" of paths; NULL when there is none. Valid as long as
 * the result. */
SLIP_API const char *slip_result_text(slip_result *result, const char *path);

/* The summary as JSON text, as it is written to summary.json. Valid as long as the result; NULL when out of
 * memory. */
SLIP_API const char *slip_result_summary(slip_context *ctx, slip_result *result);

/* Writes the folder of the result: model.yaml, result.h5, summary.json, and tables such as events.csv. The
 * folder is made when it is not there; an earlier result in it is replaced whole or not at all. */
SLIP_API int slip_result_save(slip_context *ctx, slip_result *result, const char *folder);

/* Reads a folder that slip_result_save wrote; the result is the caller's, for slip_result_destroy. */
SLIP_API int slip_result_load(slip_context *ctx, const char *folder, slip_result **result);

/* Draws the pictures of a result in a folder with gnuplot: of a run in time time histories, friction force
 * against slip velocity, velocity against displacement, acceleration against velocity. The gnuplot script and
 * its data stay in the folder. `options` NULL: the default. */
typedef struct slip_plot_options {
    size_t size;                /* of this struct; the default function sets it */
    double from, to;            /* time span; default NAN: all that was recorded */
    slip_path_function written; /* called with the path of each picture; default NULL */
    void *user;
    const char *quantity; /* of paths of static solutions: what is drawn over the parameter; default NULL: as
                           * the model says, or the largest normal force */
    const char *formats;  /* of the pictures, joined by commas: "png", "svg", "pdf"; default NULL: png,svg */
    const char *xy; /* two series of the result, "pad.slip,pad.force": instead of its pictures one of the
                     * second over the first, xy.png ...; default NULL */
} slip_plot_options;
SLIP_OPTIONS_DEFAULT(slip_plot_options)
SLIP_API int slip_plot(slip_context *ctx, const char *folder, const slip_plot_options *options);

/* Writes all series to one file: format "csv" or "mat" (MATLAB level 5). `path` NULL: result.csv or
 * result.mat in the folder. Format "vtu", where there are bodies: a file for each state, for ParaView.
 * `folder` is that of a result. */
SLIP_API int slip_export(slip_context *ctx, const char *folder, const char *format, const char *path);

/* Writes one HTML file that shows a result in a browser, offline: the model, numbers, tables, every series to
 * look into, pictures, bodies in motion. `path` NULL: report.html in the folder. */
SLIP_API int slip_report(slip_context *ctx, const char *folder, const char *path);

SLIP_END_C

#endif
