/* Building a model in C: what the calls for coordinates, patches and bodies share. */
#ifndef SLIP_MODEL_BUILD_H
#define SLIP_MODEL_BUILD_H

#include "model/read/read.h"

/* A mapping under construction; good: false after a failed allocation. */
typedef struct slip_draft {
    slip_arena *arena;
    bool good;
} slip_draft;
void slip_draft_put(slip_draft *d, slip_tree *to, const char *key, slip_tree *value);
/* Adds a field unless its value is NULL or NAN. */
void slip_draft_text(slip_draft *d, slip_tree *to, const char *key, const char *text);
void slip_draft_number(slip_draft *d, slip_tree *to, const char *key, double value);

/* Fails where the model must not be changed (it was read from a file), or has no coordinates. */
int slip_build_for_motion(slip_context *ctx, slip_model *model);

/* Reads a node, not yet part of the document, by the reader `read`, as if it came from a file. */
int slip_build_part(slip_context *ctx, slip_model *model,
                    void (*read)(slip_reader *r, const slip_tree *key, const slip_tree *node),
                    const char *name, const slip_tree *node);

/* An empty document for a model that is built in C. */
int slip_build_document(slip_context *ctx, slip_model *model);

/* A section of the document, created if missing; NULL: out of memory. */
slip_tree *slip_build_section(slip_model *model, const char *name);

/* Fails where the name is invalid, or belongs to a coordinate, state, parameter or input already. */
int slip_build_free_name(slip_context *ctx, const slip_model *model, const char *what, const char *name);

/* Rebuilds the system with all states of the document (also of laws), and reads it again. */
int slip_build_states(slip_context *ctx, slip_model *model);

/* Fails where one of the numbers is not finite; `columns` of them are a row. */
int slip_build_check_finite(slip_context *ctx, const char *what, const double *numbers, int count,
                            int columns);

#endif
