/* Between the files of this folder: the text of `slipstick check`, what was understood of a model. */
#ifndef SLIP_MODEL_DESCRIBE_H
#define SLIP_MODEL_DESCRIBE_H

#include "model/model.h"

enum { slip_describe_most = 30 }; /* entries of a list that are shown */

/* The label of a line ("" below another line of it), in its column; and with what follows it. */
void slip_describe_label(slip_text *text, const char *label);
void slip_describe_line(slip_text *text, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* How many entries a list has, where not all of them are shown. */
void slip_describe_more(slip_text *text, int64_t count);

/* All contacts of coordinates, with their laws (contact.c). */
void slip_describe_contacts(slip_text *text, const slip_model *model);
/* The gears of a model, and how they run (gears.c). */
void slip_describe_gears(slip_text *text, const slip_model *model);
/* How static solutions of a model with coordinates are found, or why not (statics.c). */
void slip_describe_statics(slip_text *text, const slip_model *model);

#endif
