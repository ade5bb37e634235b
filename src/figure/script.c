/* Writes figures as a gnuplot script that a person can read and edit. The SVG is the PNG at half the scale.
 */
#include "figure/script.h"

#include "figure/layout.h"
#include "figure/notes.h"

#include <math.h>
#include <string.h>

/* Pixels: of the scale beside a map with its numbers, and what axes in space need around them. */
enum { scale_width = 26, scale_gap = 30, scale_room = 270, tic_room = 130, map_label = 45 };

/* Viridis: even steps for the eye, in grey and with colour blindness too. */
static const char viridis[] =
    "set palette defined (0 \"#440154\", 1 \"#482878\", 2 \"#3e4989\", 3 \"#31688e\", 4 \"#26828e\", \\\n"
    "        5 \"#1f9e89\", 6 \"#35b779\", 7 \"#6ece58\", 8 \"#b5de2b\", 9 \"#fde725\")",
                  blues[] =
                      "set palette defined (0 \"#f7fbff\", 1 \"#c6dbef\", 2 \"#6baed6\", 3 \"#2171b5\", 4 "
                      "\"#08306b\")";

enum { y_tag = 98, z_tag = 97 };     /* numbers of labels beside panels, */
enum { y_place = 34, z_place = 42 }; /* and where they stand: pixels from the outer edge */

/* A label upright at a place of its own, whatever the numbers beside it: those of a column are in line. One
 * that is longer than its axis goes on in a second line, before its last word or its unit. */
static void write_upright(slip_text *text, int tag, const char *label, double x, const slip_panel_box *b,
                          double bottom)
{
    SLIP_FREED char *copy = label ? strdup(label) : NULL;
    char *space = copy ? strrchr(copy, ' ') : NULL;
    const bool fits =
        !space || 14.0 * slip_script_length(label) < (b->top - bottom) * b->height + slip_layout_gap;
    if (space && !fits)
        *space = 0;
    if (!copy || !*copy)
        slip_text_printf(text, "    unset label %d\n", tag);
    else
        slip_script_write(text, fits ? "    set label %d %q" : "    set label %d %q.\"\\n\".%q", tag, copy,
                          fits ? NULL : space + 1);
    if (copy && *copy)
        slip_script_write(text, " at screen %p,%p center rotate by 90\n", x, 0.5 * (bottom + b->top));
}

/* Of the surface along x, y or z; over a map, of what is drawn on it too. */
static slip_axis_range range_of(const slip_panel *panel, int axis)
{
    const slip_figure_surface *s = panel->surface;
    const double *const values[3] = {s->x, s->y, s->z};
    slip_axis_range r = {INFINITY, -INFINITY, false, panel->map && (axis ? panel->log_y : panel->log_x)};
    slip_range_widen(&r, values[axis], values[axis], (int64_t)s->rows * s->columns);
    for (int c = 0; c < panel->curve_count && panel->map; c++)
        slip_range_widen(&r, axis ? panel->curves[c].y : panel->curves[c].x,
                         axis ? panel->curves[c].x : panel->curves[c].y, panel->curves[c].count);
    return slip_range_finish(r, panel->map && panel->stretched);
}

/* How much narrower the frame must be for a tall surface. Seen from (62, 35) degrees, extents x, y and z are
 * so wide and so high: */
static double narrowing(slip_axis_range x, slip_axis_range y, slip_axis_range z)
{
    const double dx = x.high - x.low, dy = y.high - y.low, dz = z.high - z.low, room = 0.9;
    const double wide = 0.819 * dx + 0.574 * dy, high = 0.469 * (0.574 * dx + 0.819 * dy) + 0.883 * dz;
    return fmin(1, room * wide / high);
}

/* Axes of the same unit fill the width of the frame, whatever the view's scale and the height: so there must
 * be room around it for labels. */
static void write_frame(slip_text *text, const slip_panel_box *box, double narrow)
{
    double width = box->right - box->left, height = box->top - box->bottom;
    double middle = box->left + 0.49 * width, half = 0.37 * width * narrow;
    slip_script_margins(text, middle - half, middle + half, box->bottom + 0.05 * height,
                        box->top - 0.1 * height);
}

/* A title of its own would go with the surface, into it where that is tall. */
static void write_title(slip_text *text, const slip_panel *panel, const slip_panel_box *box)
{
    if (!panel->title)
        return;
    slip_text_append(text, "    unset title\n");
    slip_script_text(text, "label 99", panel->title);
    slip_script_write(text, "    set label 99 center at screen %p, screen %p\n",
                      0.5 * (box->left + box->right), box->top + 0.03);
}

static void write_space(slip_text *text, const slip_panel *panel, const slip_panel_box *box, int block)
{
    const slip_axis_range x = range_of(panel, 0), y = range_of(panel, 1), z = range_of(panel, 2);
    double parts = (box->right - box->left) * box->width / (1.5 * tic_room);
    slip_script_axis(text, "x", x, slip_range_step(x, parts), true);
    slip_script_axis(text, "y", y, slip_range_step(y, parts), true);
    slip_script_axis(text, "z", z, slip_range_step(z, parts), true);
    slip_script_text(text, "xlabel", panel->x_label);
    slip_script_text(text, "ylabel", panel->y_label);
    slip_script_text(text, "zlabel", panel->z_label);
    write_frame(text, box, narrowing(x, y, z));
    write_title(text, panel, box);
    slip_script_write(
        text,
        "    set zlabel rotate by 90 offset -0.3,0\n"
        "    set view 62,35; set view equal xyz\n"
        "    set xyplane at %n\n"
        "    set border 895; unset zeroaxis; unset key; unset colorbox\n"
        "    set grid x y z vertical\n"
        "    set pm3d depthorder border linecolor rgb \"#303030\" linewidth 0.15 "
        "lighting primary 0.4 specular 0.1\n"
        "    splot data index %d using 1:2:3 with pm3d\n"
        "    set border 3; set grid noz novertical; unset label 99; unset xlabel; unset ylabel\n"
        "    set zeroaxis linetype 1 linewidth 0.5 linecolor rgb \"#909090\"\n",
        z.low, block);
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

static void write_over_map(slip_text *text, const slip_panel *panel, const slip_figure_data *data)
{
    for (int c = 0; c < panel->curve_count; c++) {
        const slip_curve *curve = &panel->curves[c];
        const slip_figure_column *x = slip_figure_data_find(data, curve, curve->x);
        const slip_figure_column *y = slip_figure_data_find(data, curve, curve->y);
        const int layers = curve->style == SLIP_CURVE_POINTS && curve->color == 0 ? 2 : 1;
        for (int layer = 0; layer < layers && x && y; layer++) {
            slip_text_printf(text, ", \\\n         data index %d using %d:%d:(0)", x->block, x->place,
                             y->place);
            if (curve->style == SLIP_CURVE_ARROWS)
                slip_text_printf(text, ":%d:%d:(0)",
                                 slip_figure_data_find(data, curve, curve->x + curve->count)->place,
                                 slip_figure_data_find(data, curve, curve->y + curve->count)->place);
            slip_script_write(text, curve->label ? " with %s title %q" : " with %s notitle",
                              style_over(curve, layer), curve->label);
        }
    }
}

static void write_map(slip_text *text, const slip_panel *panel, const slip_panel_box *box, double margin,
                      const slip_figure_data *data, int block)
{
    const slip_figure_surface *s = panel->surface;
    const slip_axis_range x = range_of(panel, 0), y = range_of(panel, 1);
    const bool blended = !panel->stretched && s->rows < 6000;
    double parts = (box->right - box->left) * box->width / tic_room;
    const double right = box->right - (double)scale_room / box->width,
                 bottom = box->bottom + (double)map_label / box->height;
    int longest = 0;
    slip_script_axis(text, "x", x, slip_range_step(x, parts), true);
    slip_script_axis(text, "y", y, slip_range_step(y, parts), true);
    slip_script_text(text, "xlabel", panel->x_label);
    slip_script_text(text, "ylabel", panel->stretched ? NULL : panel->y_label);
    write_upright(text, y_tag, panel->stretched ? panel->y_label : NULL,
                  box->left - (margin - y_place) / box->width, box, bottom);
    write_upright(text, z_tag, panel->z_label, box->right - (double)z_place / box->width, box, bottom);
    slip_script_write(text,
                      "    set rmargin at screen %p; set bmargin at screen %p\n"
                      "    set zrange [*:*]; set view map; %sset border 15; unset zeroaxis; unset grid\n%s"
                      "    set key at screen %p,%p right bottom horizontal maxrows 1 samplen 0.5\n",
                      right, bottom, panel->stretched ? "" : "set size ratio -1; ",
                      slip_layout_labels(panel, &longest) > 0 ? "    set title offset 0,1.1\n" : "", right,
                      box->top + 8.0 / box->height);
    slip_script_write(text,
                      "    set colorbox user origin screen %p,%p size screen %p,%p\n"
                      "    set pm3d nolighting noborder scansautomatic\n%s"
                      "    splot data index %d using 1:2:3 with pm3d notitle",
                      box->right - (double)(scale_room - scale_gap) / box->width, bottom,
                      (double)scale_width / box->width, box->top - bottom,
                      blended ? "    if (kind eq \"png\") { set pm3d interpolate 4,4 }\n" : "", block);
    write_over_map(text, panel, data);
    slip_text_append(text, "\n    unset view; set size noratio; set title offset 0,0; unset ylabel; "
                           "set border 3; set zeroaxis; set pm3d interpolate 1,1; set grid\n");
    slip_text_printf(text, "    unset label %d; unset label %d\n", y_tag, z_tag);
    if (panel->log_x || panel->log_y)
        slip_text_append(text, "    unset logscale\n");
}

/* Appends everything from the axes to the plot command. */
static void write_surface(slip_text *text, const slip_panel *panel, const slip_panel_box *box, double margin,
                          const slip_figure_data *data)
{
    int block = slip_figure_data_surface(data, panel);
    slip_text_printf(text, "    %s\n", panel->light ? blues : viridis);
    if (panel->map)
        write_map(text, panel, box, margin, data, block);
    else
        write_space(text, panel, box, block);
}

enum { y_tic = 38, color_count = 8, note_first = 100 /* numbers of labels that notes take */ };

static const char *const dashes[slip_layout_dashes] = {"", " dashtype 2", " dashtype 4", " dashtype 3",
                                                       " dashtype 5"};

/* ---- Panels. */

static const char point_style[] = " pointtype 7 pointsize 0.7", dot_style[] = " pointtype 7 pointsize 0.15";

static void write_curve(slip_text *text, const slip_panel *panel, int index, slip_axis_range x_range,
                        slip_axis_range y_range, bool titled, const slip_figure_data *data)
{
    const slip_curve *curve = &panel->curves[index];
    const slip_curve_style style = slip_layout_style(curve, x_range, y_range);
    const bool cells = style == SLIP_CURVE_CELLS, points = style == SLIP_CURVE_POINTS,
               dots = style == SLIP_CURVE_DOTS;
    const slip_figure_column *x = slip_figure_data_find(data, curve, curve->x);
    const slip_figure_column *y = slip_figure_data_find(data, curve, curve->y);
    const char *label = titled ? slip_layout_label(curve) : NULL;
    const int color = slip_layout_color(panel, index);
    if (x && y)
        slip_script_write(text, "data index %d using %d:%d", x->block, x->place, y->place);
    else
        slip_text_append(text, "NaN");
    if (cells)
        slip_text_printf(text, ":(%.9g):(%.9g)", 0.5 * curve->cell[0], 0.5 * curve->cell[1]);
    slip_script_write(text, " with %s linestyle %d%s%s",
                      cells            ? "boxxyerror fillstyle solid noborder"
                      : points || dots ? "points"
                                       : "lines",
                      color,
                      points ? point_style
                      : dots ? dot_style
                             : dashes[slip_layout_dash(panel, index, x_range, y_range)],
                      curve->thin ? " linewidth 0.5" : "");
    if (label && dots) /* in the legend dots are as large as points */
        slip_script_write(text, " notitle, NaN with points linestyle %d%s", color, point_style);
    slip_script_write(text, label ? " title %q" : " notitle", label);
}

static void write_entry(slip_text *text, const slip_layout *l, int k, double x, double y)
{
    enum { sample = 60, gap = 15 };
    const slip_legend_entry *e = &l->legend.entries[k];
    if (e->style == SLIP_CURVE_POINTS || e->style == SLIP_CURVE_DOTS)
        slip_script_write(text, "    set label %d \"\" point linestyle %d%s at screen %p,%p", 1000 + k,
                          e->color, point_style, (x + 0.5 * sample) / l->width, y);
    else
        slip_script_write(text, "    set arrow %d nohead linestyle %d%s from screen %p,%p to screen %p,%p",
                          k + 1, e->color, dashes[e->dash], x / l->width, y, (x + sample) / l->width, y);
    slip_script_write(text, "\n    set label %d %q at screen %p,%p left\n", k + 2, e->label,
                      (x + sample + gap) / l->width, y);
}

/* The legend of all panels, in rows across the figure, which no key of gnuplot does. */
static void write_legend(slip_text *text, const slip_figure *figure, const slip_layout *l)
{
    double below = figure->title && figure->title[0] ? slip_layout_title : 0, width;
    for (int first = 0, count; first < l->legend.count; first += count, below += slip_layout_row) {
        count = slip_layout_legend_row(l, first, &width);
        double x = 0.5 * (l->width - width) + 0.25 * slip_layout_sample;
        for (int k = first; k < first + count; x += slip_layout_entry_width(&l->legend.entries[k++]))
            write_entry(text, l, k, x, 1 - (below + slip_layout_row - 7) / l->height);
    }
}

static void write_key(slip_text *text, const slip_layout *l, int label_count, slip_panel_box b)
{
    if (label_count == 0 || l->legend.count > 0)
        slip_text_append(text, "    unset key\n");
    else if (l->columns == 1)
        slip_script_write(text, "    set key at screen %p,%p left top Left reverse samplen 2 spacing 1.2\n",
                          b.right + 25.0 / l->width, b.top);
    else
        slip_script_write(text,
                          "    set key at graph 0.5,1.02 center bottom horizontal maxcols %d samplen 2\n",
                          l->key_columns);
}

static void write_notes(slip_text *text, const slip_panel *panel, slip_axis_range x, slip_axis_range y,
                        const slip_panel_box *b, const slip_layout *l)
{
    slip_note_place places[slip_notes_max];
    slip_notes_place(panel, x, y, (b->right - b->left) * l->width, (b->top - b->bottom) * l->height,
                     slip_layout_character, places);
    for (int k = 0; k < panel->note_count && k < slip_notes_max; k++) {
        const slip_figure_note *note = &panel->notes[k];
        const slip_note_place *p = &places[k];
        if (p->crowded)
            continue;
        slip_script_write(text,
                          "    set label %d %q at %n,%n %s offset screen %p, screen %p point pointtype 6 "
                          "pointsize 1.1 front\n",
                          note_first + k, note->text, note->x, note->y,
                          p->side > 0   ? "left"
                          : p->side < 0 ? "right"
                                        : "center",
                          p->dx / l->width, p->dy / l->height);
    }
}

static void forget_labels(slip_text *text, const slip_panel *panel)
{
    slip_text_printf(text, "    unset label %d\n", y_tag);
    for (int k = 0; k < panel->note_count && k < slip_notes_max; k++)
        slip_text_printf(text, "    unset label %d\n", note_first + k);
}

static void write_curves(slip_text *text, const slip_figure *figure, const slip_layout *l, int index,
                         slip_panel_box b, const slip_figure_data *data)
{
    const slip_panel *panel = &figure->panels[index];
    slip_axis_range x = slip_layout_x(panel), y = slip_layout_y(figure, index);
    bool numbered = !figure->stacked || index == figure->panel_count - 1;
    int longest = 0;
    slip_script_axis(text, "x", x,
                     panel->x_step > 0 ? panel->x_step : slip_layout_x_step(x, (b.right - b.left) * l->width),
                     numbered);
    slip_script_axis(
        text, "y", y,
        panel->y_step > 0 ? panel->y_step : slip_range_step(y, (b.top - b.bottom) * l->height / y_tic), true);
    slip_script_text(text, "xlabel", numbered ? panel->x_label : NULL);
    write_upright(text, y_tag, panel->y_label, b.left - (l->left - y_place) / l->width, &b, b.bottom);
    write_key(text, l, slip_layout_labels(panel, &longest), b);
    write_notes(text, panel, x, y, &b, l);
    slip_text_append(text, "    plot ");
    for (int c = 0; c < panel->curve_count; c++) {
        if (c > 0)
            slip_text_append(text, ", \\\n         ");
        write_curve(text, panel, c, x, y, l->legend.count == 0, data);
    }
    if (panel->curve_count == 0)
        slip_text_append(text, "NaN notitle");
    slip_text_append(text, panel->log_x || panel->log_y ? "\n    unset logscale\n" : "\n");
    forget_labels(text, panel);
}

/* ---- Images. */

/* An image, from a place in the file of pixels on. */
static void write_image(slip_text *text, const slip_figure *figure, const slip_figure_image *image,
                        int64_t skip)
{
    slip_text_printf(text,
                     "    unset xlabel; unset ylabel; unset key; unset border; unset xtics; unset ytics; "
                     "unset grid; unset zeroaxis\n"
                     "    set xrange [0:%d]; set yrange [0:%d]\n"
                     "    plot images binary array=(%d,%d) skip=%lld flipy format='%%uchar' using 1:2:3 with "
                     "rgbimage notitle%s\n    unset colorbox\n",
                     image->width, image->height, image->width, image->height, (long long)skip,
                     figure->scale ? ", '+' using (-10):(-10):(0) with points palette notitle" : "");
}

/* The scale of all images of a figure. */
static void write_scale(slip_text *text, const slip_figure *figure, const slip_layout *l)
{
    slip_text_append(text, "    set palette defined (");
    for (int k = 0; k <= 20; k++) {
        double rgb[3];
        slip_scale_colour(k / 20.0, rgb);
        slip_text_printf(text, "%s%g %.3f %.3f %.3f", k ? ", " : "", k / 20.0, rgb[0], rgb[1], rgb[2]);
    }
    slip_text_append(text, ")\n");
    slip_script_text(text, "cblabel", figure->scale);
    slip_script_write(text,
                      "    set cbtics; set cbrange [0:%n]\n"
                      "    set colorbox user origin screen %p,0.2 size screen %p,0.55\n",
                      figure->scale_high > 0 ? figure->scale_high : 1,
                      1 - (slip_layout_scale - 20.0) / l->width, 24.0 / l->width);
}

/* ---- Figures. */

static void write_panel(slip_text *text, const slip_figure *figure, const slip_layout *l, int index,
                        const slip_figure_data *data, int64_t *skip)
{
    const slip_panel *panel = &figure->panels[index];
    slip_panel_box b = slip_layout_box(figure, l, index);
    slip_script_write(text, "\n    # panel %d\n", index + 1);
    slip_script_margins(text, b.left, b.right, b.bottom, b.top);
    slip_script_text(text, "title", panel->title);
    if (panel->title && panel->title[0] && l->columns > 1 && l->key > 0)
        slip_text_printf(text, "    set title offset 0,%.1f\n", 0.1 + 1.0 * l->key / slip_layout_row);
    if (panel->image) {
        write_image(text, figure, panel->image, *skip);
        *skip += 3 * (int64_t)panel->image->width * panel->image->height;
    } else if (panel->surface) {
        write_surface(text, panel, &b, l->left, data);
    } else {
        write_curves(text, figure, l, index, b, data);
    }
}

static void write_terminals(slip_text *text, const slip_figure *figure, const slip_layout *l,
                            const char *kinds)
{
    slip_text_printf(
        text,
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
        kinds, l->width, l->height, slip_layout_has_images(figure) ? 16 : 22, l->width / 2, l->height / 2,
        slip_layout_has_images(figure) ? 10 : 14, l->width / 200.0, l->height / 200.0,
        slip_layout_has_images(figure) ? 7.5 : 10.5);
    slip_script_write(text, "    set output %f.\".\".kind\n    set multiplot\n", figure->name);
}

static void write_figure(slip_text *text, const slip_figure *figure, const char *kinds,
                         const slip_figure_data *data, int64_t *skip)
{
    slip_layout l = slip_layout_of(figure);
    slip_text_printf(text, "\n# ---- %s\n", figure->name);
    write_terminals(text, figure, &l, kinds);
    if (figure->title && figure->title[0])
        slip_script_write(text, "    set label 1 %q at screen 0.5,%p center\n", figure->title,
                          1 - (slip_layout_has_images(figure) ? 32.0 : 50.0) / l.height);
    if (figure->scale)
        write_scale(text, figure, &l);
    write_legend(text, figure, &l);
    for (int p = 0; p < figure->panel_count; p++) {
        write_panel(text, figure, &l, p, data, skip);
        if (p == 0 && l.title > 0)
            slip_text_append(text, "    unset label; unset arrow\n");
    }
    slip_text_append(text, "    unset multiplot\n    set output\n}\n");
}

void slip_figure_script_write(slip_text *text, const slip_figure *figures, int figure_count, const char *base,
                              const char *kinds, const slip_figure_data *data)
{
    int64_t skip = 0; /* pixels of the images before */
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
    for (int f = 0; f < figure_count; f++)
        write_figure(text, &figures[f], kinds, data, &skip);
}
