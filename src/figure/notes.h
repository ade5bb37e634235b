/* Positions of words beside points, clear of curves, of each other and of the panel's edges. */
#ifndef SLIP_FIGURE_NOTES_H
#define SLIP_FIGURE_NOTES_H

#include "figure/axis.h"
#include "figure/figure.h"

enum { slip_notes_max = 64 }; /* of a panel; more are not drawn */

/* Pixels; y goes up. */
typedef struct slip_note_place {
    double dx, dy;          /* from the point to the anchor of the word */
    int side;               /* the anchor is 1: the begin, -1: the end, 0: the middle of the word */
    double low[2], high[2]; /* the box that it takes, from the panel's lower left corner */
    bool crowded;           /* there is no position clear of earlier words */
} slip_note_place;

/* width, height: of the panel in pixels; places: of the first slip_notes_max notes. */
void slip_notes_place(const slip_panel *panel, slip_axis_range x, slip_axis_range y, double width,
                      double height, double character, slip_note_place *places);

/* The length of the panel's curves inside a box, pixels. */
double slip_notes_covered(const slip_panel *panel, slip_axis_range x, slip_axis_range y, double width,
                          double height, const double low[2], const double high[2]);

#endif
