/* The published examples: one file a work, one table that lists them. */
#ifndef SLIP_STUDY_REPRODUCE_H
#define SLIP_STUDY_REPRODUCE_H

#include "slipstick/run.h"

typedef struct slip_paper {
    slip_reproduce_info info;
    const char *const *figures; /* names of its parts; NULL ends the list */
    /* `figure` is one of them, or NULL: all. */
    int (*run)(slip_context *ctx, const char *figure, const char *folder, slip_line_function line,
               void *user);
} slip_paper;

extern const slip_paper slip_paper_elliptic;

#endif
