/* Paths of static solutions as a result: a row of its series for each point, a table of labels. */
#ifndef SLIP_STUDY_PATHS_H
#define SLIP_STUDY_PATHS_H

#include "figure/album.h"
#include "result/result.h"
#include "simulation/scene.h"
#include "slipstick/statics.h"
#include "study/labels.h"

/* Adds columns of coordinates, and of normal, tangential, gap, slip and mode of each contact, and the
 * outputs; `modes` are the words of the modes. */
int slip_scene_add_columns(slip_context *ctx, const slip_scene *scene, slip_table *table,
                           const char *const *modes);

/* The numbers of a contact in these columns; where the next ones go. */
double *slip_scene_fill_contact(const slip_scene *scene, int contact, const slip_scene_contact *of,
                                double mode, double *row);

/* Paths that are being followed. */
typedef struct slip_paths {
    slip_result *result;
    slip_scene *scene;
    slip_labels labels;
    double *row;                  /* scratch: a point, */
    slip_scene_contact *contacts; /* and its contacts */
    double *label_states;         /* lambda and d of each label: 2 direction_count numbers */
    int64_t label_state_capacity;
    int branch_count;
} slip_paths;

int slip_paths_create(slip_context *ctx, slip_scene *scene, slip_paths *paths); /* *paths is {0} */
void slip_paths_free(slip_paths *paths);

/* Observers for a walker. */
int slip_paths_add_point(slip_context *ctx, slip_paths *paths, const slip_static_point *point);
int slip_paths_add_label(slip_context *ctx, slip_paths *paths, const slip_static_label *label);

/* Hands out the result, with its summary; quantity NULL: none was asked for. `ended` is how it ended. */
int slip_paths_finish(slip_context *ctx, slip_paths *paths, const char *quantity, int ended,
                      slip_result **result);

/* The state at a label of saved paths: parameter, its value, lambda and d (direction_count each). */
typedef struct slip_paths_start {
    slip_arena arena;
    char *parameter;
    double value;
    double *lambda, *d;
} slip_paths_start;
int slip_paths_load_label(slip_context *ctx, const char *folder, int number, int direction_count,
                          slip_paths_start *start);

/* An error where there is no series of that name. */
int slip_paths_check_quantity(slip_context *ctx, const slip_result *paths, const char *quantity);

/* The picture `path`: each quantity of options->quantity over the parameter, as curves by mode (solid open,
 * dashed stick, dash-dotted slip) with the labels. */
int slip_paths_draw(slip_album *album);

#endif
