#include "result/figure_surface.h"

#include "io/number.h"
#include "result/figure_axis.h"

#include <math.h>

/* Pixels: of the scale beside a map with its numbers, and what axes in space need around them. */
enum { scale_width = 26, scale_gap = 30, scale_room = 270, tic_room = 130 };

/* Viridis: even steps for the eye, in grey and with colour blindness too. */
static const char palette[] =
    "set palette defined (0 \"#440154\", 1 \"#482878\", 2 \"#3e4989\", 3 \"#31688e\", 4 \"#26828e\", \\\n"
    "        5 \"#1f9e89\", 6 \"#35b779\", 7 \"#6ece58\", 8 \"#b5de2b\", 9 \"#fde725\")";

void slip_surface_write_data(FILE *stream, const slip_panel *panel, int block)
{
    const slip_surface *surface = panel->surface;
    char buffer[3][slip_number_size];
    fprintf(stream, "%s# index %d: %d rows of %d points. Columns: 1 %s, 2 %s, 3 %s\n",
            block > 0 ? "\n\n" : "", block, surface->rows, surface->columns,
            panel->x_label ? panel->x_label : "x", panel->y_label ? panel->y_label : "y",
            panel->z_label ? panel->z_label : "z");
    for (int64_t i = 0; i < (int64_t)surface->rows * surface->columns; i++)
        fprintf(stream, "%s%s %s %s\n", i > 0 && i % surface->columns == 0 ? "\n" : "",
                slip_number_write_short(buffer[0], surface->x[i]),
                slip_number_write_short(buffer[1], surface->y[i]),
                slip_number_write_short(buffer[2], surface->z[i]));
}

static slip_axis_range range_of(const slip_surface *surface, const double *values)
{
    slip_axis_range r = {INFINITY, -INFINITY, false, false};
    slip_range_widen(&r, values, (int64_t)surface->rows * surface->columns);
    return slip_range_finish(r, false);
}

static void write_space(slip_text *text, const slip_panel *panel, const slip_panel_box *box, int block)
{
    const slip_surface *s = panel->surface;
    slip_axis_range x = range_of(s, s->x), y = range_of(s, s->y), z = range_of(s, s->z);
    double parts = (box->right - box->left) * box->width / (1.5 * tic_room);
    slip_script_axis(text, "x", x, slip_range_step(x, parts));
    slip_script_axis(text, "y", y, slip_range_step(y, parts));
    slip_script_axis(text, "z", z, slip_range_step(z, parts));
    slip_script_text(text, "xlabel", panel->x_label);
    slip_script_text(text, "ylabel", panel->y_label);
    slip_script_text(text, "zlabel", panel->z_label);
    slip_text_append(text, "    set view 62,35,0.95; set view equal xyz\n"
                           "    set xyplane at ");
    slip_script_number(text, z.low);
    slip_text_printf(text,
                     "\n    set border 31; unset key; unset colorbox\n"
                     "    set grid x y z vertical\n"
                     "    set pm3d depthorder border linecolor rgb \"#303030\" linewidth 0.15 "
                     "lighting primary 0.4 specular 0.1\n"
                     "    splot data index %d using 1:2:3 with pm3d\n"
                     "    set border 3; set grid nox noy noz novertical; set grid x y\n",
                     block);
}

static void write_over_map(slip_text *text, const slip_panel *panel, const slip_figure_data *data)
{
    for (int c = 0; c < panel->curve_count; c++) {
        const slip_curve *curve = &panel->curves[c];
        const slip_figure_column *x = slip_figure_data_find(data, curve, curve->x);
        const slip_figure_column *y = slip_figure_data_find(data, curve, curve->y);
        if (!x || !y)
            continue;
        slip_text_printf(text, ", \\\n         data index %d using %d:%d:(0) with %s", x->block, x->place,
                         y->place,
                         curve->style == SLIP_CURVE_POINTS
                             ? "points pointtype 2 pointsize 1.5 linewidth 2 linecolor rgb \"#d0d0d0\""
                             : "lines linewidth 1.5 linecolor rgb \"#303030\"");
    }
}

static void write_map(slip_text *text, const slip_panel *panel, const slip_panel_box *box,
                      const slip_figure_data *data, int block)
{
    const slip_surface *s = panel->surface;
    slip_axis_range x = range_of(s, s->x), y = range_of(s, s->y);
    double parts = (box->right - box->left) * box->width / tic_room;
    slip_script_axis(text, "x", x, slip_range_step(x, parts));
    slip_script_axis(text, "y", y, slip_range_step(y, parts));
    slip_script_text(text, "xlabel", panel->x_label);
    slip_script_text(text, "ylabel", panel->y_label);
    slip_script_text(text, "cblabel", panel->z_label);
    slip_script_screen(text, "    set rmargin at screen ", box->right - (double)scale_room / box->width);
    slip_text_append(text, "\n    set view map; set size ratio -1; unset key; unset grid\n");
    slip_script_screen(text, "    set colorbox user origin screen ",
                       box->right - (double)(scale_room - scale_gap) / box->width);
    slip_script_screen(text, ",", box->bottom);
    slip_script_screen(text, " size screen ", (double)scale_width / box->width);
    slip_script_screen(text, ",", box->top - box->bottom);
    slip_text_printf(text,
                     "\n    set pm3d nolighting noborder scansautomatic interpolate 2,2\n"
                     "    splot data index %d using 1:2:3 with pm3d",
                     block);
    write_over_map(text, panel, data);
    slip_text_append(text, "\n    unset view; set size noratio; set pm3d interpolate 1,1; set grid\n");
}

void slip_surface_write_script(slip_text *text, const slip_panel *panel, const slip_panel_box *box,
                               const slip_figure_data *data)
{
    int block = slip_figure_data_surface(data, panel);
    slip_text_printf(text, "    %s\n", palette);
    if (panel->map)
        write_map(text, panel, box, data, block);
    else
        write_space(text, panel, box, block);
}
