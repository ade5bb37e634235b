/* Lays out panels and writes them as a gnuplot script that a person can read and edit. Sizes are pixels of
 * the PNG; the SVG is the same at half the scale. */
#include "figure/script.h"

#include "figure/axis.h"
#include "figure/notes.h"
#include "figure/surface.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    margin_left = 190,
    margin_right = 45,
    margin_bottom = 125,
    margin_top = 40,
    panel_title = 45,
    figure_title = 65,
    stack_gap = 45,
    stack_panel = 310,
    character = 17, /* width of one at the font's size */
    key_sample = 120,
    key_row = 50,
    x_tic = 72, /* between numbers at the x axis at least, */
    x_gap = 25, /* and what is left free */
    y_tic = 38,
    color_count = 8,
    note_first = 100 /* numbers of labels that notes take */
};

static slip_axis_range x_range(const slip_panel *panel)
{
    slip_axis_range x = {INFINITY, -INFINITY, true, panel->log_x};
    for (int c = 0; c < panel->curve_count; c++)
        slip_range_widen(&x, panel->curves[c].x, panel->curves[c].count);
    return slip_range_finish(x, x.rising && !x.log);
}

static slip_axis_range y_range(const slip_figure *figure, int index)
{
    const slip_panel *panel = &figure->panels[index];
    const int row = figure->rows_share_y ? figure->columns : 1, first = index / row * row;
    slip_axis_range y = {INFINITY, -INFINITY, true, panel->log_y};
    if (panel->y_low < panel->y_high)
        return (slip_axis_range){panel->y_low, panel->y_high, false, panel->log_y};
    for (int p = first; p < first + row && p < figure->panel_count; p++)
        for (int c = 0; c < figure->panels[p].curve_count; c++)
            slip_range_widen(&y, figure->panels[p].curves[c].y, figure->panels[p].curves[c].count);
    return slip_range_finish(y, false);
}

/* Pixels taken by the longest number at an axis. */
static int tic_width(slip_axis_range r, double step)
{
    int longest = character;
    if (r.log)
        return 5 * character; /* 1e-05 */
    for (double k = ceil(r.low / step); k <= floor(r.high / step) && longest < 12 * character; k++) {
        char label[32];
        int width = 0;
        snprintf(label, sizeof label, "%g", k * step);
        for (const char *at = label; *at; at++)
            width += *at == '-' || *at == '.' ? 10 : character;
        longest = width > longest ? width : longest;
    }
    return longest;
}

static bool is_multiple(double value, double step)
{
    return fabs(value / step - round(value / step)) < 1e-9;
}

/* The smallest step whose numbers find room at an axis of so many pixels, or one not much larger that has
 * numbers at both ends; a quarter of a power of ten only for that. */
static double x_step(slip_axis_range r, double pixels)
{
    static const double leads[] = {1, 2, 2.5, 5};
    const double size = r.high - r.low, power = pow(10, floor(log10(size)) - 1);
    double first = 0;
    if (r.log)
        return 10;
    for (int k = 0; k < 12; k++) {
        double step = leads[k % 4] * power * pow(10, k / 4);
        bool ends = is_multiple(r.low, step) && is_multiple(r.high, step);
        if (step / size * pixels < fmax(x_tic, tic_width(r, step) + x_gap) || (k % 4 == 2 && !ends))
            continue;
        if (first > 0 && step > 2.5 * first)
            break;
        if (ends)
            return step;
        first = first > 0 ? first : step;
    }
    return first > 0 ? first : slip_range_step(r, 3);
}

/* ---- Layout. */

typedef struct entry {
    const char *label;
    int color;
    slip_curve_style style;
} entry;

/* One legend for all panels. */
typedef struct legend {
    entry entries[color_count];
    int count;
} legend;

typedef struct layout {
    int width, height, columns, rows;
    double title;  /* height taken by the figure's title */
    double left;   /* of a panel, for its numbers and label */
    double key;    /* width taken by a legend at the right, or height by one on top */
    legend legend; /* of a grid, below the figure's title */
    bool panel_titles;
} layout;

static int labels_of(const slip_panel *panel, int *longest)
{
    int count = 0;
    for (int c = 0; c < panel->curve_count; c++) {
        if (panel->curves[c].label) {
            int length = (int)strlen(panel->curves[c].label);
            count++;
            *longest = length > *longest ? length : *longest;
        }
    }
    return count;
}

static int color_of(const slip_panel *panel, int index)
{
    int color = panel->curves[index].color;
    return ((color > 0 ? color : index + 1) - 1) % color_count + 1;
}

/* False when the label or the colour stands for something else already. A line is a better sample than
 * points. */
static bool add_entry(legend *all, const slip_curve *curve, int color)
{
    for (int k = 0; k < all->count; k++) {
        entry *e = &all->entries[k];
        if ((strcmp(e->label, curve->label) == 0) != (e->color == color))
            return false;
        if (e->color == color) {
            e->style = curve->style < e->style ? curve->style : e->style;
            return true;
        }
    }
    all->entries[all->count++] = (entry){curve->label, color, curve->style};
    return true;
}

/* Empty where there are no labels, or where they differ from panel to panel. */
static legend legend_of(const slip_figure *figure)
{
    legend all = {.count = 0};
    for (int p = 0; p < figure->panel_count; p++) {
        const slip_panel *panel = &figure->panels[p];
        for (int c = 0; c < panel->curve_count; c++)
            if (panel->curves[c].label && !add_entry(&all, &panel->curves[c], color_of(panel, c)))
                return (legend){.count = 0};
    }
    return all;
}

static double left_margin(const slip_figure *figure)
{
    double left = margin_left;
    for (int p = 0; p < figure->panel_count; p++) {
        slip_axis_range y = y_range(figure, p);
        left = fmax(left, 112 + tic_width(y, slip_range_step(y, 10)));
    }
    return left;
}

static layout layout_of(const slip_figure *figure)
{
    layout l = {.columns = figure->columns > 1 ? figure->columns : 1};
    int longest = 0;
    bool keys = false;
    l.rows = (figure->panel_count + l.columns - 1) / l.columns;
    l.title = figure->title && figure->title[0] ? figure_title : 0;
    for (int p = 0; p < figure->panel_count; p++) {
        keys = labels_of(&figure->panels[p], &longest) > 0 || keys;
        l.panel_titles = l.panel_titles || (figure->panels[p].title && figure->panels[p].title[0]);
    }
    /* In a grid a legend at the side of each panel would take too much of it. */
    if (l.columns > 1)
        l.legend = legend_of(figure);
    if (l.legend.count > 0)
        l.title += key_row + (l.panel_titles ? 15 : 0);
    else if (keys)
        l.key = l.columns > 1 ? key_row : key_sample + (double)character * (longest < 24 ? longest : 24);
    l.left = left_margin(figure);
    l.width = figure->width > 0 ? figure->width : l.columns > 2 ? 2400 : 1600;
    if (figure->height > 0)
        l.height = figure->height;
    else if (figure->stacked)
        l.height = (int)l.title + margin_top + margin_bottom + l.rows * (stack_panel + stack_gap) - stack_gap;
    else if (figure->panel_count == 1)
        l.height = 1200;
    else
        l.height = (int)l.title + (l.columns == 1 ? 700 : 620 + (int)l.key) * l.rows;
    return l;
}

static slip_panel_box panel_box(const slip_figure *figure, const layout *l, int index)
{
    int row = index / l->columns, column = index % l->columns;
    double width = (double)l->width / l->columns, height = ((double)l->height - l->title) / l->rows;
    bool grid = l->columns > 1;
    slip_panel_box b = {.left = column * width + l->left,
                        .right = (column + 1) * width - margin_right - (grid ? 0 : l->key)};
    if (figure->stacked) {
        double usable = (double)l->height - l->title - margin_top - margin_bottom;
        height = (usable - stack_gap * (l->rows - 1)) / l->rows;
        b.top = l->title + margin_top + row * (height + stack_gap);
        b.bottom = b.top + height;
    } else {
        b.top =
            l->title + row * height + margin_top + (l->panel_titles ? panel_title : 0) + (grid ? l->key : 0);
        b.bottom = l->title + (row + 1) * height - margin_bottom;
    }
    /* gnuplot counts from the bottom, in parts of the whole. */
    b.left /= l->width;
    b.right /= l->width;
    b.top = 1 - b.top / l->height;
    b.bottom = 1 - b.bottom / l->height;
    b.width = l->width;
    b.height = l->height;
    return b;
}

/* ---- Panels. */

static const char *const dashes[] = {"", " dashtype 2", "", " dashtype 4", "", ""}; /* by style */
static const char point_style[] = " pointtype 7 pointsize 0.7", dot_style[] = " pointtype 7 pointsize 0.15";

static void write_curve(slip_text *text, const slip_panel *panel, int index, bool titled,
                        const slip_figure_data *data)
{
    const slip_curve *curve = &panel->curves[index];
    const bool cells = curve->style == SLIP_CURVE_CELLS, points = curve->style == SLIP_CURVE_POINTS,
               dots = curve->style == SLIP_CURVE_DOTS;
    const slip_figure_column *x = slip_figure_data_find(data, curve, curve->x);
    const slip_figure_column *y = slip_figure_data_find(data, curve, curve->y);
    if (x && y)
        slip_text_printf(text, "data index %d using %d:%d", x->block, x->place, y->place);
    else
        slip_text_append(text, "NaN");
    if (cells)
        slip_text_printf(text, ":(%.9g):(%.9g)", 0.5 * curve->cell[0], 0.5 * curve->cell[1]);
    slip_text_printf(text, " with %s linestyle %d%s",
                     cells            ? "boxxyerror fillstyle solid noborder"
                     : points || dots ? "points"
                                      : "lines",
                     color_of(panel, index),
                     points ? point_style
                     : dots ? dot_style
                            : dashes[curve->style]);
    if (curve->label && titled) {
        slip_text_append(text, " title ");
        slip_script_quote(text, curve->label);
    } else {
        slip_text_append(text, " notitle");
    }
}

/* The legend of all panels, one row across the figure, which no key of gnuplot does. */
static void write_legend(slip_text *text, const layout *l)
{
    enum { sample = 60, gap = 15, between = 60 };
    const double y = 1 - (l->title - (l->panel_titles ? 22 : 7)) / l->height;
    double x = 0.5 * l->width;
    for (int k = 0; k < l->legend.count; k++)
        x -= 0.5 *
             (sample + gap + character * (double)strlen(l->legend.entries[k].label) + (k > 0 ? between : 0));
    for (int k = 0; k < l->legend.count; k++) {
        const entry *e = &l->legend.entries[k];
        if (e->style == SLIP_CURVE_POINTS || e->style == SLIP_CURVE_DOTS) {
            slip_text_printf(text, "    set label %d \"\" point linestyle %d%s", 1000 + k, e->color,
                             point_style);
            slip_script_screen(text, " at screen ", (x + 0.5 * sample) / l->width);
            slip_script_screen(text, ",", y);
        } else {
            slip_text_printf(text, "    set arrow %d nohead linestyle %d%s", k + 1, e->color,
                             dashes[e->style]);
            slip_script_screen(text, " from screen ", x / l->width);
            slip_script_screen(text, ",", y);
            slip_script_screen(text, " to screen ", (x + sample) / l->width);
            slip_script_screen(text, ",", y);
        }
        slip_text_printf(text, "\n    set label %d ", k + 2);
        slip_script_quote(text, e->label);
        slip_script_screen(text, " at screen ", (x + sample + gap) / l->width);
        slip_script_screen(text, ",", y);
        slip_text_append(text, " left\n");
        x += sample + gap + character * (double)strlen(e->label) + between;
    }
}

static void write_key(slip_text *text, const layout *l, int label_count, slip_panel_box b)
{
    if (label_count == 0 || l->legend.count > 0) {
        slip_text_append(text, "    unset key\n");
    } else if (l->columns == 1) {
        slip_script_screen(text, "    set key at screen ", b.right + 25.0 / l->width);
        slip_script_screen(text, ",", b.top);
        slip_text_append(text, " left top Left reverse samplen 2 spacing 1.2\n");
    } else {
        slip_text_append(text,
                         "    set key at graph 0.5,1.02 center bottom horizontal maxrows 1 samplen 2\n");
    }
}

static void write_notes(slip_text *text, const slip_panel *panel, slip_axis_range x, slip_axis_range y,
                        const slip_panel_box *b, const layout *l)
{
    slip_note_place places[slip_notes_max];
    slip_notes_place(panel, x, y, (b->right - b->left) * l->width, (b->top - b->bottom) * l->height,
                     character, places);
    for (int k = 0; k < panel->note_count && k < slip_notes_max; k++) {
        const slip_note_place *p = &places[k];
        slip_text_printf(text, "    set label %d ", note_first + k);
        slip_script_quote(text, panel->notes[k].text);
        slip_text_append(text, " at ");
        slip_script_number(text, panel->notes[k].x);
        slip_text_append(text, ",");
        slip_script_number(text, panel->notes[k].y);
        slip_text_printf(text, " %s", p->side > 0 ? "left" : p->side < 0 ? "right" : "center");
        slip_script_screen(text, " offset screen ", p->dx / l->width);
        slip_script_screen(text, ", screen ", p->dy / l->height);
        slip_text_append(text, " point pointtype 6 pointsize 1.1 front\n");
    }
}

static void forget_notes(slip_text *text, const slip_panel *panel)
{
    for (int k = 0; k < panel->note_count && k < slip_notes_max; k++)
        slip_text_printf(text, "    unset label %d\n", note_first + k);
}

static void write_curves(slip_text *text, const slip_figure *figure, const layout *l, int index,
                         slip_panel_box b, const slip_figure_data *data)
{
    const slip_panel *panel = &figure->panels[index];
    slip_axis_range x = x_range(panel), y = y_range(figure, index);
    bool numbered = !figure->stacked || index == figure->panel_count - 1;
    int longest = 0;
    slip_script_axis(text, "x", x,
                     panel->x_step > 0 ? panel->x_step : x_step(x, (b.right - b.left) * l->width));
    slip_script_axis(text, "y", y, slip_range_step(y, (b.top - b.bottom) * l->height / y_tic));
    slip_script_text(text, "xlabel", numbered ? panel->x_label : NULL);
    slip_script_text(text, "ylabel", panel->y_label);
    slip_text_printf(text, "    set format x \"%s\"\n", numbered ? "%g" : "");
    write_key(text, l, labels_of(panel, &longest), b);
    write_notes(text, panel, x, y, &b, l);
    slip_text_append(text, "    plot ");
    for (int c = 0; c < panel->curve_count; c++) {
        if (c > 0)
            slip_text_append(text, ", \\\n         ");
        write_curve(text, panel, c, l->legend.count == 0, data);
    }
    if (panel->curve_count == 0)
        slip_text_append(text, "NaN notitle");
    slip_text_append(text, panel->log_x || panel->log_y ? "\n    unset logscale\n" : "\n");
    forget_notes(text, panel);
}

static void write_panel(slip_text *text, const slip_figure *figure, const layout *l, int index,
                        const slip_figure_data *data)
{
    const slip_panel *panel = &figure->panels[index];
    slip_panel_box b = panel_box(figure, l, index);
    slip_text_printf(text, "\n    # panel %d\n", index + 1);
    slip_script_screen(text, "    set lmargin at screen ", b.left);
    slip_script_screen(text, "; set rmargin at screen ", b.right);
    slip_script_screen(text, "\n    set bmargin at screen ", b.bottom);
    slip_script_screen(text, "; set tmargin at screen ", b.top);
    slip_text_append(text, "\n");
    slip_script_text(text, "title", panel->title);
    if (panel->title && panel->title[0] && l->columns > 1 && l->key > 0)
        slip_text_append(text, "    set title offset 0,1.1\n");
    if (panel->surface)
        slip_surface_write_script(text, panel, &b, data);
    else
        write_curves(text, figure, l, index, b, data);
}

static void write_figure(slip_text *text, const slip_figure *figure, const slip_figure_data *data)
{
    layout l = layout_of(figure);
    slip_text_printf(text, "\n# ---- %s\n", figure->name);
    slip_text_printf(
        text,
        "do for [kind in \"png svg\"] {\n"
        "    if (kind eq \"png\") {\n"
        "        set terminal pngcairo noenhanced size %d,%d font \"DejaVu Sans,22\" linewidth 2 rounded\n"
        "    } else {\n"
        "        set terminal svg noenhanced size %d,%d font \"DejaVu Sans,14\" linewidth 1 rounded "
        "background \"white\"\n"
        "    }\n",
        l.width, l.height, l.width / 2, l.height / 2);
    slip_text_append(text, "    set output ");
    slip_script_quote(text, figure->name);
    slip_text_append(text, ".\".\".kind\n    set multiplot\n");
    if (figure->title && figure->title[0]) {
        slip_text_append(text, "    set label 1 ");
        slip_script_quote(text, figure->title);
        slip_script_screen(text, " at screen 0.5,", 1 - 50.0 / l.height);
        slip_text_append(text, " center\n");
    }
    write_legend(text, &l);
    for (int p = 0; p < figure->panel_count; p++) {
        write_panel(text, figure, &l, p, data);
        if (p == 0 && l.title > 0)
            slip_text_append(text, "    unset label; unset arrow\n");
    }
    slip_text_append(text, "    unset multiplot\n    set output\n}\n");
}

void slip_figure_script_write(slip_text *text, const slip_figure *figures, int figure_count, const char *base,
                              const slip_figure_data *data)
{
    /* Okabe and Ito: told apart also by people with colour blindness, and in grey. */
    static const char *const colors[color_count] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                    "#56B4E9", "#E69F00", "#000000", "#F0E442"};
    slip_text_printf(text,
                     "# Pictures by gnuplot (5.2 or later). Edit this file and run it again in this folder:\n"
                     "#     gnuplot %s.gp\n"
                     "# The data is in %s.dat; each of its blocks says what its columns are.\n\n"
                     "data = \"%s.dat\"\n\n"
                     "# Lines: colours that can be told apart also with colour blindness (Okabe and Ito).\n",
                     base, base, base);
    for (int k = 0; k < color_count; k++)
        slip_text_printf(text, "set style line %d linewidth 1.5 linecolor rgb \"%s\"\n", k + 1, colors[k]);
    slip_text_append(text, "\n# Axes: left and bottom, a light grid, a thin line at zero.\n"
                           "set border 3 linewidth 0.75 linecolor rgb \"#404040\"\n"
                           "set tics nomirror out scale 0.6 textcolor rgb \"#000000\"\n"
                           "set grid linetype 1 linewidth 0.4 linecolor rgb \"#d8d8d8\"\n"
                           "set zeroaxis linetype 1 linewidth 0.5 linecolor rgb \"#909090\"\n"
                           "set format y \"%g\"\n");
    for (int f = 0; f < figure_count; f++)
        write_figure(text, &figures[f], data);
}
