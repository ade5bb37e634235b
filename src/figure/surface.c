#include "figure/surface.h"

#include "figure/layout.h"

#include <math.h>

/* Pixels: of the scale beside a map with its numbers, and what axes in space need around them. */
enum { scale_width = 26, scale_gap = 30, scale_room = 270, tic_room = 130, map_label = 45 };

/* Viridis: even steps for the eye, in grey and with colour blindness too. */
static const char viridis[] =
    "set palette defined (0 \"#440154\", 1 \"#482878\", 2 \"#3e4989\", 3 \"#31688e\", 4 \"#26828e\", \\\n"
    "        5 \"#1f9e89\", 6 \"#35b779\", 7 \"#6ece58\", 8 \"#b5de2b\", 9 \"#fde725\")",
                  blues[] =
                      "set palette defined (0 \"#f7fbff\", 1 \"#c6dbef\", 2 \"#6baed6\", 3 \"#2171b5\", 4 "
                      "\"#08306b\")";

/* Of the surface along x, y or z; over a map, of what is drawn on it too. */
static slip_axis_range range_of(const slip_panel *panel, int axis)
{
    const slip_figure_surface *s = panel->surface;
    const double *const values[3] = {s->x, s->y, s->z};
    slip_axis_range r = {INFINITY, -INFINITY, false, panel->map && (axis ? panel->log_y : panel->log_x)};
    slip_range_widen(&r, values[axis], (int64_t)s->rows * s->columns);
    for (int c = 0; c < panel->curve_count && panel->map; c++)
        slip_range_widen(&r, axis ? panel->curves[c].y : panel->curves[c].x, panel->curves[c].count);
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
    double middle = box->left + 0.48 * width, half = 0.4 * width * narrow;
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
    slip_script_axis(text, "x", x, slip_range_step(x, parts));
    slip_script_axis(text, "y", y, slip_range_step(y, parts));
    slip_script_axis(text, "z", z, slip_range_step(z, parts));
    slip_script_text(text, "xlabel", panel->x_label);
    slip_script_text(text, "ylabel", panel->y_label);
    slip_script_text(text, "zlabel", panel->z_label);
    write_frame(text, box, narrowing(x, y, z));
    write_title(text, panel, box);
    slip_script_write(text,
                      "    set zlabel rotate by 90 offset 1.2,0\n"
                      "    set view 62,35; set view equal xyz\n"
                      "    set xyplane at %n\n"
                      "    set border 895; unset zeroaxis; unset key; unset colorbox\n"
                      "    set grid x y z vertical\n"
                      "    set pm3d depthorder border linecolor rgb \"#303030\" linewidth 0.15 "
                      "lighting primary 0.4 specular 0.1\n"
                      "    splot data index %d using 1:2:3 with pm3d\n"
                      "    set border 3; set grid noz novertical; unset label 99\n"
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

static void write_map(slip_text *text, const slip_panel *panel, const slip_panel_box *box,
                      const slip_figure_data *data, int block)
{
    const slip_figure_surface *s = panel->surface;
    const slip_axis_range x = range_of(panel, 0), y = range_of(panel, 1);
    const bool blended = !panel->stretched && s->rows < 6000;
    double parts = (box->right - box->left) * box->width / tic_room;
    const double right = box->right - (double)scale_room / box->width,
                 bottom = box->bottom + (double)map_label / box->height;
    int longest = 0;
    slip_script_axis(text, "x", x, slip_range_step(x, parts));
    slip_script_axis(text, "y", y, slip_range_step(y, parts));
    slip_script_text(text, "xlabel", panel->x_label);
    slip_script_text(text, "ylabel", panel->y_label);
    slip_script_text(text, "cblabel", panel->z_label);
    slip_script_write(text,
                      "    set rmargin at screen %p; set bmargin at screen %p\n"
                      "    set zrange [*:*]; set view map; %sset border 15; unset zeroaxis; unset grid\n%s"
                      "    set key at screen %p,%p right bottom horizontal maxrows 1 samplen 0.5\n",
                      right, bottom, panel->stretched ? "set ylabel offset -2,0; " : "set size ratio -1; ",
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
    slip_text_append(text, "\n    unset view; set size noratio; set title offset 0,0; set ylabel offset 0,0; "
                           "set border 3; set zeroaxis; set pm3d "
                           "interpolate 1,1; set grid\n");
    if (panel->log_x || panel->log_y)
        slip_text_append(text, "    unset logscale\n");
}

void slip_surface_write_script(slip_text *text, const slip_panel *panel, const slip_panel_box *box,
                               const slip_figure_data *data)
{
    int block = slip_figure_data_surface(data, panel);
    slip_text_printf(text, "    %s\n", panel->light ? blues : viridis);
    if (panel->map)
        write_map(text, panel, box, data, block);
    else
        write_space(text, panel, box, block);
}
