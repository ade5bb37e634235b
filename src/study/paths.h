/* Paths that were followed, in memory. */
#ifndef SLIP_STUDY_PATHS_H
#define SLIP_STUDY_PATHS_H

#include "result/figure.h"
#include "slipstick/statics.h"
#include "simulation/scene.h"

struct slip_paths {
    slip_arena arena;
    char *parameter, *title, *model_text, *quantity;
    int contact_count, coordinate_count, direction_count;
    const char **contact_names, **coordinate_names;
    /* Points, row by row: branch, value, stability, then the coordinates, then normal, tangential, gap, slip
     * and mode of each contact. */
    int64_t width, point_count, point_capacity;
    double *points;
    char **names;     /* of the columns */
    double **columns; /* made when they are asked for */
    slip_path_label *labels;
    int64_t label_count, label_capacity;
    double *label_states; /* lambda and d of each label: 2 direction_count numbers */
    int64_t label_state_capacity;
    int branch_count;
};

enum { slip_paths_fixed_columns = 3, slip_paths_contact_columns = 5 };

int slip_paths_create(slip_context *ctx, const slip_scene *scene, slip_paths **paths);

/* Observers for a walker; `given` are the given normal forces at the point. */
int slip_paths_add_point(slip_context *ctx, slip_paths *paths, const slip_scene *scene,
                         const slip_static_point *point, const double *given);
int slip_paths_add_label(slip_context *ctx, slip_paths *paths, const slip_scene *scene,
                         const slip_static_label *label);

/* The state at a label of saved paths: parameter, its value, lambda and d (direction_count each). */
typedef struct slip_paths_start {
    slip_arena arena;
    char *parameter;
    double value;
    double *lambda, *d;
} slip_paths_start;
int slip_paths_load_label(slip_context *ctx, const char *folder, int number, int direction_count,
                          slip_paths_start *start);

/* There is a series of that name; slip_paths_check_quantity: an error where there is none. */
bool slip_paths_has(const slip_paths *paths, const char *name);
int slip_paths_check_quantity(slip_context *ctx, const slip_paths *paths, const char *quantity);

/* A quantity over the parameter, from low to high, as curves by mode (solid open, dashed stick, dash-dotted
 * slip) with the labels. */
typedef struct slip_paths_panel {
    slip_panel panel; /* its labels are those of the axes */
    slip_curve curves[4];
    double *numbers; /* owned, like the following */
    slip_figure_note *notes;
    char *words;
} slip_paths_panel;
typedef struct slip_paths_view {
    const char *quantity; /* NULL: the largest normal force */
    double low, high;     /* of the parameter; NAN: all */
    bool marks;           /* also a mark at every point */
    bool every_label;     /* changes of other contacts too */
} slip_paths_view;
int slip_paths_panel_make(slip_context *ctx, const slip_paths *paths, const slip_paths_view *view,
                          slip_paths_panel *panel);
void slip_paths_panel_free(slip_paths_panel *panel);

#endif
