/* Building a model in C: what the calls for coordinates, patches and bodies share. */
#ifndef SLIP_MODEL_BUILD_H
#define SLIP_MODEL_BUILD_H

#include "model/read/read.h"

/* A mapping in the making; `good` ends when memory does. */
typedef struct slip_draft {
    slip_arena *arena;
    bool good;
} slip_draft;
void slip_draft_put(slip_draft *d, slip_tree *to, const char *key, slip_tree *value);
/* A field that is not given (NULL, NAN) stays away. */
void slip_draft_text(slip_draft *d, slip_tree *to, const char *key, const char *text);
void slip_draft_number(slip_draft *d, slip_tree *to, const char *key, double value);

/* Fails where the model is not to be changed, or has no coordinates. */
int slip_build_for_motion(slip_context *ctx, slip_model *model);

/* Has one part of the document read by `read`, as if it stood in a file. */
int slip_build_part(slip_context *ctx, slip_model *model,
                    void (*read)(slip_reader *r, const slip_tree *key, const slip_tree *node),
                    const char *name, const slip_tree *node);

/* An empty document for a model that is built in C. */
int slip_build_document(slip_context *ctx, slip_model *model);

/* A section of the document, made where it is not there yet; NULL when out of memory. */
slip_tree *slip_build_section(slip_model *model, const char *name);

/* Fails where a coordinate, state, parameter or input has the name already, or it is none. */
int slip_build_free_name(slip_context *ctx, const slip_model *model, const char *what, const char *name);

/* Gives the system the states that the document has, its own and those of laws, and reads all of it again. */
int slip_build_states(slip_context *ctx, slip_model *model);

/* Fails where one of the numbers is not finite; `columns` of them are a row. */
int slip_build_check_finite(slip_context *ctx, const char *what, const double *numbers, int count,
                            int columns);

#endif
