/* Labels of a result over a parameter: folds, bifurcations, ends and changes of modes, with their numbers. */
#ifndef SLIP_STUDY_LABELS_H
#define SLIP_STUDY_LABELS_H

#include "result/result.h"

typedef struct slip_labels {
    slip_table *table, *notes;
} slip_labels;

/* Gives the result the tables of labels (labels.csv) and of their notes. */
int slip_labels_create(slip_context *ctx, slip_result *result, slip_labels *labels);
int slip_labels_add(slip_context *ctx, slip_labels *labels, const slip_label *label);

/* The list `labels` of the summary, after slip_result_take_labels. */
void slip_labels_summarise(slip_json_writer *json, const slip_result *result);

#endif
