/* A model: a system, its initial state and how to simulate it. Made by the file reader or by the calls of
 * slipstick/model.h. */
#ifndef SLIP_MODEL_MODEL_H
#define SLIP_MODEL_MODEL_H

#include "base/text.h"
#include "slipstick/run.h"
#include "system/system.h"

struct slip_model {
    slip_arena arena;        /* owns all strings and arrays below */
    char *title;             /* "" when there is none */
    slip_symbol *parameters; /* name and value; a NULL name ends the list */
    int64_t parameter_count, parameter_capacity;
    slip_system *system;
    double *initial_q, *initial_v;
    slip_run_options simulate; /* what the file says; its strings are in the arena */
    char *document;            /* of a file: the model as YAML text with overrides applied, else NULL */
    slip_text description;
    bool fixed; /* the system is finished: no more changes */
};

/* Finishes the system if that has not happened yet. */
int slip_model_fix(slip_context *ctx, slip_model *model);

/* The text of model.yaml: the model as run, with program version (in a comment) and method. A model that was
 * built in C is written from its numbers. */
int slip_model_write(slip_context *ctx, const slip_model *model, const char *method, slip_text *text);

#endif
