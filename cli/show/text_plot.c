#include "show/text_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_plot_open(text_plot *plot, bool utf8, double left, double right, double bottom, double top)
{
    *plot = (text_plot){.utf8 = utf8, .left = left, .right = right, .bottom = bottom, .top = top};
    plot->across = text_plot_columns * (utf8 ? 2 : 1);
    plot->down = text_plot_rows * (utf8 ? 4 : 2);
}

double text_plot_column(const text_plot *plot, int i)
{
    return plot->left + (plot->right - plot->left) * (i + 0.5) / plot->across;
}

static int clipped(double dot, int count)
{
    if (!(dot > 0))
        return 0;
    return dot < count - 1 ? (int)dot : count - 1;
}

static int dot_column(const text_plot *plot, double x)
{
    return clipped((x - plot->left) / (plot->right - plot->left) * plot->across, plot->across);
}

static int dot_row(const text_plot *plot, double y)
{
    return clipped((plot->top - y) / (plot->top - plot->bottom) * plot->down, plot->down);
}

void text_plot_line(text_plot *plot, double x0, double y0, double x1, double y1)
{
    const int i0 = dot_column(plot, x0), i1 = dot_column(plot, x1);
    const int j0 = dot_row(plot, y0), j1 = dot_row(plot, y1);
    const int dots = abs(i1 - i0) > abs(j1 - j0) ? abs(i1 - i0) : abs(j1 - j0);
    for (int k = 0; k <= dots; k++) {
        const double part = dots > 0 ? (double)k / dots : 0;
        plot->dots[(int)lround(j0 + part * (j1 - j0))][(int)lround(i0 + part * (i1 - i0))] = true;
    }
}

/* Braille pattern U+2800 + bits; the dots of the left column are bits 0 1 2 6, of the right one 3 4 5 7. */
static int braille(const text_plot *plot, int row, int column)
{
    static const int bit[4][2] = {{0, 3}, {1, 4}, {2, 5}, {6, 7}};
    int pattern = 0;
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 2; i++)
            if (plot->dots[4 * row + j][2 * column + i])
                pattern |= 1 << bit[j][i];
    return pattern;
}

/* The background of a character without dots: the axes through zero, if they are inside. */
static const char *background(const text_plot *plot, int row, int column)
{
    const int per_row = plot->down / text_plot_rows, per_column = plot->across / text_plot_columns;
    const bool has_x_axis = plot->bottom < 0 && plot->top > 0, has_y_axis = plot->left < 0 && plot->right > 0;
    if (has_x_axis && dot_row(plot, 0) / per_row == row)
        return plot->utf8 ? "┄" : "-";
    if (has_y_axis && dot_column(plot, 0) / per_column == column)
        return plot->utf8 ? "┊" : "|";
    return " ";
}

static void print_character(const text_plot *plot, int row, int column)
{
    if (!plot->utf8) {
        const bool upper = plot->dots[2 * row][column], lower = plot->dots[2 * row + 1][column];
        fputs(upper && lower ? ":" : upper ? "'" : lower ? "." : background(plot, row, column), stdout);
        return;
    }
    const int pattern = braille(plot, row, column);
    if (pattern)
        printf("\xE2%c%c", 0xA0 | pattern >> 6, 0x80 | (pattern & 0x3F));
    else
        fputs(background(plot, row, column), stdout);
}

void text_plot_print(const text_plot *plot, const char *x_label, const char *y_label)
{
    printf("  %8s\n", y_label);
    for (int row = 0; row < text_plot_rows; row++) {
        char label[16] = "";
        if (row == 0)
            snprintf(label, sizeof label, "%.3g", plot->top);
        else if (row == text_plot_rows - 1)
            snprintf(label, sizeof label, "%.3g", plot->bottom);
        printf("  %8s %s", label, plot->utf8 ? "│" : "|");
        for (int column = 0; column < text_plot_columns; column++)
            print_character(plot, row, column);
        putchar('\n');
    }
    char left[16], right[16];
    snprintf(left, sizeof left, "%.3g", plot->left);
    snprintf(right, sizeof right, "%.3g", plot->right);
    printf("  %8s  %s%*s  %s\n", "", left, text_plot_columns - (int)strlen(left), right, x_label);
}
