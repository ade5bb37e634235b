/* The run folder of two gears: model.yaml, result.h5, summary.json.
 *
 * result.h5 has /t, /gear/NAME/{angle,speed,moment}, /contact/{force,touching,depth}, /energy/{kinetic, ...}
 * and, where it was asked for, /participation/NAME/{amplitude,active}: samples x size, row by row, with size
 * and surface as attributes. Its attributes `gears` and `series` list the names, parted by spaces. */
#ifndef SLIP_RESULT_GEAR_FOLDER_H
#define SLIP_RESULT_GEAR_FOLDER_H

#include "result/result.h"
#include "slipstick/gear_run.h"

typedef struct slip_gear_source {
    const slip_gear_result *result;
    const char *gears[2];   /* names */
    const char *model_text; /* what goes into model.yaml; NULL: no such file */
    const char *title, *method;
    int status;          /* how the run ended */
    const char *message; /* what was said then, where it ended early; NULL otherwise */
} slip_gear_source;

int slip_gear_folder_save(slip_context *ctx, const slip_gear_source *source, const char *folder);

/* What pictures and exports need of it. */
typedef struct slip_gear_folder {
    slip_arena arena;
    char *title;
    char *gears[2];
    int series_count; /* the first is t */
    char **names;
    double **series;
    int64_t count; /* of samples */
    struct {
        int size; /* 0: there is no history */
        double *amplitude;
    } participation[2];
} slip_gear_folder;

/* Is there a result of gears in the folder? Silent where there is none, or nothing that can be read. */
bool slip_gear_folder_is(const char *folder);
int slip_gear_folder_load(slip_context *ctx, const char *folder, slip_gear_folder *to); /* `to` is {0} */
void slip_gear_folder_free(slip_gear_folder *folder);

/* A series by name; NULL where there is none. */
const double *slip_gear_folder_series(const slip_gear_folder *folder, const char *name);

/* The pictures force, speed, energy and, with a history, participation. */
int slip_gear_plot(slip_context *ctx, const char *folder, const slip_plot_options *options);

#endif
