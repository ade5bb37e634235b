/* For the files of this folder only: the text of `slipstick check`, which describes a model as it was read.
 */
#ifndef SLIP_MODEL_DESCRIBE_H
#define SLIP_MODEL_DESCRIBE_H

#include "model/model.h"

enum { slip_describe_most = 30 }; /* entries of a list that are shown */

/* Appends the label of a line in its column ("" for a further line of the same item); the second one with the
 * text after it. */
void slip_describe_label(slip_text *text, const char *label);
void slip_describe_line(slip_text *text, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Appends the number of entries of a list if not all of them are shown. */
void slip_describe_more(slip_text *text, int64_t count);

/* All contacts of coordinates, with their laws (contact.c). */
void slip_describe_contacts(slip_text *text, const slip_model *model);
/* The gears of a model, and how they run (gears.c). */
void slip_describe_gears(slip_text *text, const slip_model *model);
/* How static solutions of a model with coordinates are found, or why they cannot be (statics.c). */
void slip_describe_statics(slip_text *text, const slip_model *model);

#endif
