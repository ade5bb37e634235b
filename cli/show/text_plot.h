/* Curves drawn with characters: Braille patterns (2 x 4 dots a character) where the terminal takes UTF-8,
 * plain ASCII (1 x 2 dots) elsewhere. */
#ifndef SLIP_CLI_TEXT_PLOT_H
#define SLIP_CLI_TEXT_PLOT_H

#include <stdbool.h>

enum { text_plot_columns = 48, text_plot_rows = 9 };

typedef struct text_plot {
    bool utf8;
    double left, right, bottom, top;                      /* range of coordinates of the drawing area */
    int across, down;                                     /* dots */
    bool dots[4 * text_plot_rows][2 * text_plot_columns]; /* [0] is the top row */
} text_plot;

/* An empty drawing of this range. */
void text_plot_open(text_plot *plot, bool utf8, double left, double right, double bottom, double top);

/* The horizontal coordinate of the middle of dot column 0 <= i < across. */
double text_plot_column(const text_plot *plot, int i);

/* A straight line between two points. */
void text_plot_line(text_plot *plot, double x0, double y0, double x1, double y1);

/* Prints the drawing with its axes to stdout. */
void text_plot_print(const text_plot *plot, const char *x_label, const char *y_label);

#endif
