/* The gnuplot script of figures. */
#ifndef SLIP_FIGURE_SCRIPT_H
#define SLIP_FIGURE_SCRIPT_H

#include "base/text.h"
#include "figure/data.h"

/* Appends the whole script; `base` names its files, `kinds` are the formats of the pictures ("png svg"). A
 * failure shows in text->failed. */
void slip_figure_script_write(slip_text *text, const slip_figure *figures, int figure_count, const char *base,
                              const char *kinds, const slip_figure_data *data);

#endif
