/* Writes figures as a gnuplot script that a person can read and edit. The SVG is the PNG at half the scale.
 */
#include "figure/script.h"

#include "figure/layout.h"
#include "figure/notes.h"

#include <math.h>
#include <string.h>

/* What is written, and the panel at hand. */
typedef struct script {
    slip_text *text;
    const slip_figure_data *data;
    int64_t skip; /* bytes of the images before */
    const slip_figure *figure;
    slip_layout layout;
    const slip_panel *panel;
    slip_panel_box box;
    slip_axis_range x, y;
} script;

/* Pixels: of the scale beside a map with its numbers, and what axes in space need around them. */
enum { scale_width = 26, scale_gap = 30, scale_room = 270, tic_room = 130, map_label = 45 };

/* Viridis: even steps for the eye, in grey and with colour blindness too. */
static const char viridis[] =
    "set palette defined (0 \"#440154\", 1 \"#482878\", 2 \"#3e4989\", 3 \"#31688e\", 4 \"#26828e\", \\\n"
    "        5 \"#1f9e89\", 6 \"#35b779\", 7 \"#6ece58\", 8 \"#b5de2b\", 9 \"#fde725\")",
                  blues[] =
                      "set palette defined (0 \"#f7fbff\", 1 \"#c6dbef\", 2 \"#6baed6\", 3 \"#2171b5\", 4 "
                      "\"#08306b\")";

/* Numbers of labels beside panels, and of the first note; where the labels stand, from the outer edge. */
enum { z_tag = 97, y_tag = 98, title_tag = 99, note_first = 100, y_place = 34, z_place = 42 };
enum { y_tic = 38, color_count = 8 };

static const char *const dashes[slip_layout_dashes] = {"", " dashtype 2", " dashtype 4", " dashtype 3",
                                                       " dashtype 5"};
static const char point_style[] = " pointtype 7 pointsize 0.7", dot_style[] = " pointtype 7 pointsize 0.15";

/* A label upright at a place of its own, whatever the numbers beside it: those of a column are in line. One
 * that is longer than its axis goes on in a second line, before its last word or its unit. */
static void write_upright(const script *s, int tag, const char *label, double x, double bottom)
{
    const slip_panel_box *b = &s->box;
    SLIP_FREED char *copy = label ? strdup(label) : NULL;
    char *space = copy ? strrchr(copy, ' ') : NULL;
    const bool fits =
        !space || 14.0 * slip_script_length(label) < (b->top - bottom) * b->height + slip_layout_gap;
    s->text->failed |= label && !copy;
    if (space && !fits)
        *space = 0;
    if (!copy || !*copy)
        slip_text_printf(s->text, "    unset label %d\n", tag);
    else
        slip_script_write(s->text, fits ? "    set label %d %q" : "    set label %d %q.\"\\n\".%q", tag, copy,
                          fits ? NULL : space + 1);
    if (copy && *copy)
        slip_script_write(s->text, " at screen %p,%p center rotate by 90\n", x, 0.5 * (bottom + b->top));
}

/* Where the points of a curve are in the data, and of arrows how far they go; `height` stands behind both
 * where it is drawn in space. False: it has none. */
static bool write_points(const script *s, const slip_curve *curve, const char *height)
{
    for (int k = 0; k < (curve->style == SLIP_CURVE_ARROWS ? 4 : 2); k++) {
        const double *values = (k % 2 ? curve->y : curve->x) + (k < 2 ? 0 : curve->count);
        const slip_figure_column *column = slip_figure_data_find(s->data, curve, values);
        if (!column)
            return false;
        if (k == 0)
            slip_text_printf(s->text, "data index %d using %d", column->block, column->place);
        else
            slip_text_printf(s->text, ":%d%s", column->place, k % 2 ? height : "");
    }
    return true;
}

/* ---- Surfaces. */

/* The factor by which the frame must be narrower for a tall surface, from the projected extents of x, y and z
 * in the view (62, 35) degrees: */
static double narrowing(slip_axis_range x, slip_axis_range y, slip_axis_range z)
{
    const double dx = x.high - x.low, dy = y.high - y.low, dz = z.high - z.low, room = 0.9;
    const double wide = 0.819 * dx + 0.574 * dy, high = 0.469 * (0.574 * dx + 0.819 * dy) + 0.883 * dz;
    return fmin(1, room * wide / high);
}

/* Writes a surface in space. With equal units gnuplot fits the axes to the width of the frame, so there must
 * be space around it for labels. The title is a label of its own, because that of gnuplot would overlap a
 * tall surface. */
static void write_space(const script *s)
{
    const slip_panel *panel = s->panel;
    const slip_panel_box *box = &s->box;
    const slip_figure_surface *surface = panel->surface;
    const slip_axis_range z =
        slip_range_finish(slip_range_of(surface->z, (int64_t)surface->rows * surface->columns), false);
    const double width = box->right - box->left, height = box->top - box->bottom,
                 parts = width * box->width / (1.5 * tic_room), middle = box->left + 0.49 * width,
                 half = 0.37 * width * narrowing(s->x, s->y, z);
    slip_script_axis(s->text, "x", s->x, slip_range_step(s->x, parts), true);
    slip_script_axis(s->text, "y", s->y, slip_range_step(s->y, parts), true);
    slip_script_axis(s->text, "z", z, slip_range_step(z, parts), true);
    slip_script_text(s->text, "xlabel", panel->x_label);
    slip_script_text(s->text, "ylabel", panel->y_label);
    slip_script_text(s->text, "zlabel", panel->z_label);
    slip_script_margins(s->text, middle - half, middle + half, box->bottom + 0.05 * height,
                        box->top - 0.1 * height);
    if (panel->title)
        slip_script_write(s->text,
                          "    unset title\n    set label %d %q\n"
                          "    set label %d center at screen %p, screen %p\n",
                          title_tag, panel->title, title_tag, 0.5 * (box->left + box->right),
                          box->top + 0.03);
    slip_script_write(
        s->text,
        "    set zlabel rotate by 90 offset -0.3,0\n"
        "    set view 62,35; set view equal xyz\n"
        "    set xyplane at %n\n"
        "    set border 895; unset zeroaxis; unset key; unset colorbox\n"
        "    set grid x y z vertical\n"
        "    set pm3d depthorder border linecolor rgb \"#303030\" linewidth 0.15 "
        "lighting primary 0.4 specular 0.1\n"
        "    splot data index %d using 1:2:3 with pm3d\n"
        "    set border 3; set grid noz novertical; unset label %d; unset xlabel; unset ylabel\n"
        "    set zeroaxis linetype 1 linewidth 0.5 linecolor rgb \"#909090\"\n",
        z.low, slip_figure_data_surface(s->data, panel), title_tag);
}

/* How a curve is drawn over a map, in one or two layers: lines dark or, dashed, grey; points without a colour
 * as crosses that are seen on every colour, others by their colour. */
static const char *style_over(const slip_curve *curve, int layer)
{
    switch (curve->style) {
    case SLIP_CURVE_ARROWS:
        return "vectors head filled size graph 0.012,20 linewidth 1.2 linecolor rgb \"#000000\"";
    case SLIP_CURVE_DASHED:
        return "lines dashtype 2 linewidth 0.7 linecolor rgb \"#808080\"";
    case SLIP_CURVE_POINTS:
        break;
    default:
        return curve->thin ? "lines linewidth 0.3 linecolor rgb \"#505050\""
                           : "lines linewidth 1.5 linecolor rgb \"#303030\"";
    }
    if (curve->color > 0)
        return curve->color == 7   ? "points linestyle 7 pointtype 7 pointsize 1.0"
               : curve->color == 2 ? "points linestyle 2 pointtype 9 pointsize 1.1"
                                   : "points linestyle 3 pointtype 6 pointsize 0.9";
    return layer == 0 ? "points pointtype 2 pointsize 2 linewidth 4 linecolor rgb \"#ffffff\""
                      : "points pointtype 2 pointsize 2 linewidth 1.5 linecolor rgb \"#000000\"";
}

static void write_over_map(const script *s)
{
    for (int c = 0; c < s->panel->curve_count; c++) {
        const slip_curve *curve = &s->panel->curves[c];
        const int layers = curve->count == 0                                        ? 0
                           : curve->style == SLIP_CURVE_POINTS && curve->color == 0 ? 2
                                                                                    : 1;
        for (int layer = 0; layer < layers; layer++) {
            slip_text_append(s->text, ", \\\n         ");
            write_points(s, curve, ":(0)");
            slip_script_write(s->text, curve->label ? " with %s title %q" : " with %s notitle",
                              style_over(curve, layer), curve->label);
        }
    }
}

static void write_map(const script *s)
{
    const slip_panel *panel = s->panel;
    const slip_panel_box *box = &s->box;
    const bool blended = !panel->stretched && panel->surface->rows < 6000;
    const double parts = (box->right - box->left) * box->width / tic_room,
                 right = box->right - (double)scale_room / box->width,
                 bottom = box->bottom + (double)map_label / box->height;
    int longest = 0;
    slip_script_axis(s->text, "x", s->x, slip_range_step(s->x, parts), true);
    slip_script_axis(s->text, "y", s->y, slip_range_step(s->y, parts), true);
    slip_script_text(s->text, "xlabel", panel->x_label);
    slip_script_text(s->text, "ylabel", panel->stretched ? NULL : panel->y_label);
    write_upright(s, y_tag, panel->stretched ? panel->y_label : NULL,
                  box->left - (s->layout.left - y_place) / box->width, bottom);
    write_upright(s, z_tag, panel->z_label, box->right - (double)z_place / box->width, bottom);
    slip_script_write(s->text,
                      "    set rmargin at screen %p; set bmargin at screen %p\n"
                      "    set zrange [*:*]; set view map; %sset border 15; unset zeroaxis; unset grid\n%s"
                      "    set key at screen %p,%p right bottom horizontal maxrows 1 samplen 0.5\n",
                      right, bottom, panel->stretched ? "" : "set size ratio -1; ",
                      slip_layout_labels(panel, &longest) > 0 ? "    set title offset 0,1.1\n" : "", right,
                      box->top + 8.0 / box->height);
    slip_script_write(s->text,
                      "    set colorbox user origin screen %p,%p size screen %p,%p\n"
                      "    set pm3d nolighting noborder scansautomatic\n%s"
                      "    splot data index %d using 1:2:3 with pm3d notitle",
                      box->right - (double)(scale_room - scale_gap) / box->width, bottom,
                      (double)scale_width / box->width, box->top - bottom,
                      blended ? "    if (kind eq \"png\") { set pm3d interpolate 4,4 }\n" : "",
                      slip_figure_data_surface(s->data, panel));
    write_over_map(s);
    slip_script_write(s->text,
                      "\n    unset view; set size noratio; set title offset 0,0; unset ylabel; "
                      "set border 3; set zeroaxis; set pm3d interpolate 1,1; set grid\n"
                      "    unset label %d; unset label %d\n%s",
                      y_tag, z_tag, panel->log_x || panel->log_y ? "    unset logscale\n" : "");
}

/* ---- Curves. */

static void write_curve(const script *s, int index)
{
    const slip_curve *curve = &s->panel->curves[index];
    const slip_curve_style style = slip_layout_style(curve, s->x, s->y);
    const bool cells = style == SLIP_CURVE_CELLS, points = style == SLIP_CURVE_POINTS,
               dots = style == SLIP_CURVE_DOTS;
    const char *label = s->layout.legend.count == 0 ? slip_layout_label(curve) : NULL;
    const int color = slip_layout_color(s->panel, index);
    if (!write_points(s, curve, ""))
        slip_text_append(s->text, "NaN");
    if (cells)
        slip_text_append(s->text, ":3:4");
    slip_script_write(s->text, " with %s linestyle %d%s%s",
                      cells            ? "boxxyerror fillstyle solid noborder"
                      : points || dots ? "points"
                                       : "lines",
                      color,
                      points ? point_style
                      : dots ? dot_style
                             : dashes[slip_layout_dash(s->panel, index, s->x, s->y)],
                      curve->thin ? " linewidth 0.5" : "");
    if (label && dots) /* in the legend dots are as large as points */
        slip_script_write(s->text, " notitle, NaN with points linestyle %d%s", color, point_style);
    slip_script_write(s->text, label ? " title %q" : " notitle", label);
}

static void write_key(const script *s)
{
    const slip_layout *l = &s->layout;
    int longest = 0;
    if (slip_layout_labels(s->panel, &longest) == 0 || l->legend.count > 0)
        slip_text_append(s->text, "    unset key\n");
    else if (l->columns == 1)
        slip_script_write(s->text,
                          "    set key at screen %p,%p left top Left reverse samplen 2 spacing 1.2\n",
                          s->box.right + 25.0 / l->width, s->box.top);
    else
        slip_script_write(s->text,
                          "    set key at graph 0.5,1.02 center bottom horizontal maxcols %d samplen 2\n",
                          l->key_columns);
}

static void write_notes(const script *s, double width, double height)
{
    slip_note_place places[slip_notes_max];
    slip_notes_place(s->panel, s->x, s->y, width, height, slip_layout_character, places);
    for (int k = 0; k < s->panel->note_count && k < slip_notes_max; k++) {
        const slip_figure_note *note = &s->panel->notes[k];
        const slip_note_place *p = &places[k];
        if (p->crowded)
            continue;
        slip_script_write(s->text,
                          "    set label %d %q at %n,%n %s offset screen %p, screen %p point pointtype 6 "
                          "pointsize 1.1 front\n",
                          note_first + k, note->text, note->x, note->y,
                          p->side > 0   ? "left"
                          : p->side < 0 ? "right"
                                        : "center",
                          p->dx / s->layout.width, p->dy / s->layout.height);
    }
}

static void write_curves(const script *s, int index)
{
    const slip_panel *panel = s->panel;
    const double width = (s->box.right - s->box.left) * s->layout.width,
                 height = (s->box.top - s->box.bottom) * s->layout.height;
    const bool numbered = !s->figure->stacked || index == s->figure->panel_count - 1;
    slip_script_axis(s->text, "x", s->x, panel->x_step > 0 ? panel->x_step : slip_layout_x_step(s->x, width),
                     numbered);
    slip_script_axis(s->text, "y", s->y,
                     panel->y_step > 0 ? panel->y_step : slip_range_step(s->y, height / y_tic), true);
    slip_script_text(s->text, "xlabel", numbered ? panel->x_label : NULL);
    write_upright(s, y_tag, panel->y_label, s->box.left - (s->layout.left - y_place) / s->layout.width,
                  s->box.bottom);
    write_key(s);
    write_notes(s, width, height);
    slip_text_append(s->text, "    plot ");
    for (int c = 0; c < panel->curve_count; c++) {
        slip_text_append(s->text, c > 0 ? ", \\\n         " : "");
        write_curve(s, c);
    }
    slip_text_printf(s->text, "%s\n%s    unset label %d\n", panel->curve_count == 0 ? "NaN notitle" : "",
                     panel->log_x || panel->log_y ? "    unset logscale\n" : "", y_tag);
    for (int k = 0; k < panel->note_count && k < slip_notes_max; k++)
        slip_text_printf(s->text, "    unset label %d\n", note_first + k);
}

/* ---- The legend of all panels, in rows across the figure, which no key of gnuplot does. */

static void write_entry(const script *s, int k, double x, double y)
{
    enum { sample = 60, gap = 15 };
    const slip_layout *l = &s->layout;
    const slip_legend_entry *e = &l->legend.entries[k];
    if (e->style == SLIP_CURVE_POINTS || e->style == SLIP_CURVE_DOTS)
        slip_script_write(s->text, "    set label %d \"\" point linestyle %d%s at screen %p,%p", 1000 + k,
                          e->color, point_style, (x + 0.5 * sample) / l->width, y);
    else
        slip_script_write(s->text, "    set arrow %d nohead linestyle %d%s from screen %p,%p to screen %p,%p",
                          k + 1, e->color, dashes[e->dash], x / l->width, y, (x + sample) / l->width, y);
    slip_script_write(s->text, "\n    set label %d %q at screen %p,%p left\n", k + 2, e->label,
                      (x + sample + gap) / l->width, y);
}

static void write_legend(const script *s)
{
    const slip_layout *l = &s->layout;
    double below = s->figure->title && s->figure->title[0] ? slip_layout_title : 0, width;
    for (int first = 0, count; first < l->legend.count; first += count, below += slip_layout_row) {
        count = slip_layout_legend_row(l, first, &width);
        double x = 0.5 * (l->width - width) + 0.25 * slip_layout_sample;
        for (int k = first; k < first + count; x += slip_layout_entry_width(&l->legend.entries[k++]))
            write_entry(s, k, x, 1 - (below + slip_layout_row - 7) / l->height);
    }
}

/* ---- Images. */

/* An image, from a place in the file of pixels on. */
static void write_image(script *s)
{
    const slip_figure_image *image = s->panel->image;
    slip_text_printf(s->text,
                     "    unset xlabel; unset ylabel; unset key; unset border; unset xtics; unset ytics; "
                     "unset grid; unset zeroaxis\n"
                     "    set xrange [0:%d]; set yrange [0:%d]\n"
                     "    plot images binary array=(%d,%d) skip=%lld flipy format='%%uchar' using 1:2:3 with "
                     "rgbimage notitle%s\n    unset colorbox\n",
                     image->width, image->height, image->width, image->height, (long long)s->skip,
                     s->figure->scale ? ", '+' using (-10):(-10):(0) with points palette notitle" : "");
    s->skip += 3 * (int64_t)image->width * image->height;
}

/* The scale of all images of a figure. */
static void write_scale(const script *s)
{
    slip_text_append(s->text, "    set palette defined (");
    for (int k = 0; k <= 20; k++) {
        double rgb[3];
        slip_scale_colour(k / 20.0, rgb);
        slip_text_printf(s->text, "%s%g %.3f %.3f %.3f", k ? ", " : "", k / 20.0, rgb[0], rgb[1], rgb[2]);
    }
    slip_text_append(s->text, ")\n");
    slip_script_text(s->text, "cblabel", s->figure->scale);
    slip_script_write(s->text,
                      "    set cbtics; set cbrange [0:%n]\n"
                      "    set colorbox user origin screen %p,0.2 size screen %p,0.55\n",
                      s->figure->scale_high > 0 ? s->figure->scale_high : 1,
                      1 - (slip_layout_scale - 20.0) / s->layout.width, 24.0 / s->layout.width);
}

/* ---- Figures. */

static void write_panel(script *s, int index)
{
    const slip_panel *panel = s->panel = &s->figure->panels[index];
    const slip_panel_box b = s->box = slip_layout_box(s->figure, &s->layout, index);
    s->x = slip_layout_x(s->figure, index);
    s->y = slip_layout_y(s->figure, index);
    slip_script_write(s->text, "\n    # panel %d\n", index + 1);
    slip_script_margins(s->text, b.left, b.right, b.bottom, b.top);
    slip_script_text(s->text, "title", panel->title);
    if (panel->title && panel->title[0] && s->layout.columns > 1 && s->layout.key > 0)
        slip_text_printf(s->text, "    set title offset 0,%.1f\n",
                         0.1 + 1.0 * s->layout.key / slip_layout_row);
    if (panel->surface && !panel->image)
        slip_text_printf(s->text, "    %s\n", panel->light ? blues : viridis);
    if (panel->image)
        write_image(s);
    else if (panel->surface && panel->map)
        write_map(s);
    else if (panel->surface)
        write_space(s);
    else
        write_curves(s, index);
}

static void write_figure(script *s, const char *kinds)
{
    const slip_figure *figure = s->figure;
    const slip_layout *l = &s->layout;
    const bool images = slip_layout_has_images(figure);
    slip_text_printf(
        s->text,
        "\n# ---- %s\n"
        "do for [kind in \"%s\"] {\n"
        "    if (kind eq \"png\") {\n"
        "        set terminal pngcairo noenhanced size %d,%d font \"DejaVu Sans,%d\" linewidth 2 rounded\n"
        "    } else { if (kind eq \"svg\") {\n"
        "        set terminal svg noenhanced size %d,%d font \"DejaVu Sans,%d\" linewidth 1 rounded "
        "background \"white\"\n"
        "    } else {\n"
        "        set terminal pdfcairo noenhanced size %.2fin,%.2fin font \"DejaVu Sans,%g\" linewidth 1 "
        "rounded\n"
        "    } }\n",
        figure->name, kinds, l->width, l->height, images ? 16 : 22, l->width / 2, l->height / 2,
        images ? 10 : 14, l->width / 200.0, l->height / 200.0, images ? 7.5 : 10.5);
    slip_script_write(s->text, "    set output %f.\".\".kind\n    set multiplot\n", figure->name);
    if (figure->title && figure->title[0])
        slip_script_write(s->text, "    set label 1 %q at screen 0.5,%p center\n", figure->title,
                          1 - (images ? 32.0 : 50.0) / l->height);
    if (figure->scale)
        write_scale(s);
    write_legend(s);
    for (int p = 0; p < figure->panel_count; p++) {
        write_panel(s, p);
        if (p == 0 && l->title > 0)
            slip_text_append(s->text, "    unset label; unset arrow\n");
    }
    slip_text_append(s->text, "    unset multiplot\n    set output\n}\n");
}

void slip_figure_script_write(slip_text *text, const slip_figure *figures, int figure_count, const char *base,
                              const char *kinds, const slip_figure_data *data)
{
    script s = {.text = text, .data = data};
    /* Told apart also by people with colour blindness, and in grey: Okabe and Ito, but for their yellow,
     * which is faint on white. */
    static const char *const colors[color_count] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                    "#56B4E9", "#E69F00", "#000000", "#882255"};
    slip_text_printf(text,
                     "# Pictures by gnuplot (5.2 or later). Edit this file and run it again in this folder:\n"
                     "#     gnuplot %s.gp\n"
                     "# The data is in %s.dat; each of its blocks says what its columns are.\n\n"
                     "data = \"%s.dat\"; images = \"%s.rgb\"\n"
                     "set encoding utf8; set minussign\n\n"
                     "# Lines: colours that can be told apart also with colour blindness.\n",
                     base, base, base, base);
    for (int k = 0; k < color_count; k++)
        slip_text_printf(text, "set style line %d linewidth 1.5 linecolor rgb \"%s\"\n", k + 1, colors[k]);
    slip_text_append(text, "\n# Axes: left and bottom, a light grid, a thin line at zero.\n"
                           "set border 3 linewidth 0.75 linecolor rgb \"#404040\"\n"
                           "set tics nomirror out scale 0.6 textcolor rgb \"#000000\"\n"
                           "set grid linetype 1 linewidth 0.4 linecolor rgb \"#d8d8d8\"\n"
                           "set zeroaxis linetype 1 linewidth 0.5 linecolor rgb \"#909090\"\n");
    for (int f = 0; f < figure_count; f++) {
        s.figure = &figures[f];
        s.layout = slip_layout_of(s.figure);
        write_figure(&s, kinds);
    }
}
