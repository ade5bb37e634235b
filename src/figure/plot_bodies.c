/* The deformed bodies as coloured patches over their undeformed outline, and on top an arrow for each contact
 * force. gnuplot draws it as a map (splot seen from above), which blends colours inside an element. */
#include "figure/plot_bodies.h"

#include "base/memory.h"
#include "figure/drawing.h"
#include "io/number.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { width = 1600, height_max = 1500, left = 150, right = 300, bottom = 135, top = 70, title_height = 60 };

slip_bodies_options slip_bodies_options_default(void)
{
    return (slip_bodies_options){.name = "bodies"};
}

typedef struct box {
    double low[2], high[2];
} box;

typedef struct picture {
    const slip_plane *plane;
    const slip_bodies_options *options;
    const double *u, *lambda;
    double *mises;  /* of each node */
    double *places; /* of each node, deformed */
    double *arrows; /* of each contact: force on the first body */
    double magnify, arrow_scale, largest_force;
    box frame;
} picture;

/* ---- what to draw ---- */

static void widen(box *b, const double *points, int64_t count)
{
    for (int64_t i = 0; i < 2 * count; i++) {
        b->low[i % 2] = fmin(b->low[i % 2], points[i]);
        b->high[i % 2] = fmax(b->high[i % 2], points[i]);
    }
}

/* 1, 2 or 5 times a power of ten, not above the number. */
static double round_down(double number)
{
    const double power = pow(10, floor(log10(number))), lead = number / power;
    return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

static double size_of(const box *b)
{
    return hypot(b->high[0] - b->low[0], b->high[1] - b->low[1]);
}

/* The largest displacement is about a twentieth of the picture. */
static void place_nodes(picture *p)
{
    const int n = slip_plane_node_count(p->plane);
    box b = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    double largest = 0;
    for (int i = 0; i < slip_plane_body_count(p->plane); i++) {
        const slip_mesh *mesh = slip_plane_body_mesh(p->plane, i);
        widen(&b, mesh->points, mesh->node_count);
        memcpy(p->places + 2 * (int64_t)slip_plane_body_first_node(p->plane, i), mesh->points,
               2 * (size_t)mesh->node_count * sizeof(double));
    }
    for (int i = 0; i < n; i++)
        largest = fmax(largest, hypot(p->u[2 * i], p->u[2 * i + 1]));
    p->magnify = p->options->magnify > 0 ? p->options->magnify
                 : largest > 0           ? round_down(0.08 * size_of(&b) / largest)
                                         : 1;
    for (int64_t i = 0; i < 2 * (int64_t)n; i++)
        p->places[i] += p->magnify * p->u[i];
    widen(&b, p->places, n);
    p->frame = b;
}

/* The longest arrow is a tenth of the picture. */
static void make_arrows(picture *p)
{
    const slip_plane_contact *contacts = slip_plane_contacts(p->plane);
    const int m = slip_plane_contact_count(p->plane);
    for (int i = 0; i < m && p->lambda; i++) {
        for (int k = 0; k < 2; k++)
            p->arrows[2 * i + k] =
                p->lambda[i] * contacts[i].normal[k] + p->lambda[m + i] * contacts[i].tangent[k];
        p->largest_force = fmax(p->largest_force, hypot(p->arrows[2 * i], p->arrows[2 * i + 1]));
    }
    p->arrow_scale = p->largest_force > 0 ? 0.1 * size_of(&p->frame) / p->largest_force : 0;
}

static int prepare(slip_context *ctx, picture *p)
{
    const int n = slip_plane_node_count(p->plane);
    double *stress = slip_alloc(4 * (int64_t)n, sizeof *stress);
    int status = SLIP_OK;
    p->mises = slip_alloc(n, sizeof *p->mises);
    p->places = slip_alloc(2 * (int64_t)n, sizeof *p->places);
    p->arrows = slip_alloc(2 * slip_plane_contact_count(p->plane), sizeof *p->arrows);
    if (!stress || !p->mises || !p->places || !p->arrows) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    SLIP_TRY(slip_plane_stresses(ctx, p->plane, p->u, stress));
    for (int i = 0; i < n; i++)
        p->mises[i] = slip_plane_von_mises(p->plane, stress + 4 * (int64_t)i);
    place_nodes(p);
    make_arrows(p);
done:
    free(stress);
    return status;
}

/* ---- data ---- */

static void numbers(slip_text *text, int count, const double *values)
{
    char buffer[slip_number_size];
    for (int i = 0; i < count; i++) {
        slip_text_append(text, i > 0 ? " " : "");
        slip_text_append(text, slip_number_write_short(buffer, values[i]));
    }
    slip_text_append(text, "\n");
}

static void node_line(slip_text *text, const picture *p, int node)
{
    numbers(text, 3, (const double[]){p->places[2 * node], p->places[2 * node + 1], p->mises[node]});
}

/* Blocks of gnuplot: each element is one of two rows of two points. */
static void write_elements(slip_text *text, const picture *p)
{
    slip_text_append(text, "# Elements, deformed: x, y, von Mises stress\n");
    for (int b = 0; b < slip_plane_body_count(p->plane); b++) {
        const slip_mesh *mesh = slip_plane_body_mesh(p->plane, b);
        const int first = slip_plane_body_first_node(p->plane, b);
        for (int e = 0; e < mesh->element_count; e++) {
            const int *nodes = slip_mesh_nodes(mesh, e);
            const int last = slip_mesh_group_of(mesh, e)->cell->corner_count - 1; /* of a triangle, twice */
            node_line(text, p, first + nodes[0]);
            node_line(text, p, first + nodes[1]);
            slip_text_append(text, "\n");
            node_line(text, p, first + nodes[last]);
            node_line(text, p, first + nodes[2]);
            slip_text_append(text, "\n\n");
        }
    }
}

/* The boundary of all bodies by its segments (two where there is a node between): where one starts, and how
 * far it goes. */
static int write_outline(slip_context *ctx, slip_text *text, const picture *p, bool deformed)
{
    slip_text_append(text, deformed ? "# Outline, deformed\n" : "# Outline, undeformed\n");
    for (int b = 0; b < slip_plane_body_count(p->plane); b++) {
        const slip_mesh *mesh = slip_plane_body_mesh(p->plane, b);
        const double *points =
            deformed ? p->places + 2 * (int64_t)slip_plane_body_first_node(p->plane, b) : mesh->points;
        int64_t count;
        slip_face *faces = slip_mesh_faces(mesh, &count);
        if (!faces)
            return slip_fail_memory(ctx);
        for (int64_t i = 0; i < count; i++) {
            int nodes[slip_face_nodes_max], last = slip_mesh_face_nodes(mesh, faces[i].item, nodes) - 1;
            for (int k = 0; k < last && !slip_face_is_shared(faces, count, i); k++) {
                const int middle = last == 2 ? nodes[2] : nodes[1];
                const double *from = points + 2 * (int64_t)(k == 0 ? nodes[0] : middle);
                const double *to = points + 2 * (int64_t)(k == 0 ? middle : nodes[1]);
                numbers(text, 5, (const double[]){from[0], from[1], 0, to[0] - from[0], to[1] - from[1]});
            }
        }
        free(faces);
    }
    slip_text_append(text, "\n\n");
    return SLIP_OK;
}

/* Contact points of a kind: x, y, z, force. */
static void write_contacts(slip_text *text, const picture *p, const char *what,
                           bool (*wanted)(slip_mode mode))
{
    const slip_plane_contact *contacts = slip_plane_contacts(p->plane);
    slip_text_printf(text, "# Contact points, %s: x, y, 0, arrow of the force on the first body\n", what);
    for (int i = 0; i < slip_plane_contact_count(p->plane); i++)
        if (!wanted || wanted(p->options->modes[i]))
            numbers(text, 5,
                    (const double[]){p->places[2 * contacts[i].node], p->places[2 * contacts[i].node + 1], 0,
                                     p->arrow_scale * p->arrows[2 * i],
                                     p->arrow_scale * p->arrows[2 * i + 1]});
    slip_text_append(text, "nan nan nan 0 0\n\n\n"); /* never an empty block */
}

static bool is_stick(slip_mode mode)
{
    return mode == SLIP_MODE_STICK;
}

static bool is_slip(slip_mode mode)
{
    return mode != SLIP_MODE_STICK && mode != SLIP_MODE_OPEN;
}

static bool is_open(slip_mode mode)
{
    return mode == SLIP_MODE_OPEN;
}

static int write_data(slip_context *ctx, const picture *p, slip_text *text)
{
    int status;
    write_elements(text, p);
    SLIP_TRY(write_outline(ctx, text, p, false));
    SLIP_TRY(write_outline(ctx, text, p, true));
    write_contacts(text, p, "all", NULL);
    if (p->options->modes) {
        write_contacts(text, p, "stick", is_stick);
        write_contacts(text, p, "slip", is_slip);
        write_contacts(text, p, "open", is_open);
    }
done:
    return status;
}

/* ---- script ---- */

/* As in single quotes of gnuplot, where nothing is special. */
static void quote(slip_text *text, const char *string)
{
    slip_text_append(text, "'");
    for (; *string; string++)
        slip_text_append_bytes(text,
                               *string == '\''   ? "''"
                               : *string == '\n' ? " "
                                                 : string,
                               *string == '\'' ? 2 : 1);
    slip_text_append(text, "'");
}

/* Margins for which both axes have the same unit of length. */
typedef struct layout {
    int height;
    double margin[4]; /* left, right, bottom, top, in parts of the picture */
    double range[4];
} layout;

static layout lay_out(const picture *p)
{
    const double room = 0.03 * size_of(&p->frame);
    layout l;
    double across, up, above = top + (p->options->title ? title_height : 0), wide = width - left - right;
    for (int k = 0; k < 2; k++) {
        l.range[2 * k] = p->frame.low[k] - room;
        l.range[2 * k + 1] = p->frame.high[k] + room;
    }
    across = l.range[1] - l.range[0];
    up = l.range[3] - l.range[2];
    if (wide * up / across > height_max - above - bottom)
        wide = (height_max - above - bottom) * across / up;
    l.height = (int)(above + bottom + fmax(wide * up / across, 200));
    l.margin[0] = (double)left / width;
    l.margin[1] = (left + wide) / width;
    l.margin[2] = (double)bottom / l.height;
    l.margin[3] = (bottom + wide * up / across) / l.height;
    return l;
}

static void setting(slip_text *text, const char *what, double value)
{
    char buffer[slip_number_size];
    slip_text_printf(text, "%s%s", what, slip_number_write_short(buffer, value));
}

static double four_digits(double number)
{
    const double unit = pow(10, floor(log10(number)) - 3);
    return round(number / unit) * unit;
}

static void write_frame(slip_text *text, const picture *p, const layout *l)
{
    static const char *const margins[] = {"    set lmargin at screen ", "; set rmargin at screen ",
                                          "; set bmargin at screen ", "; set tmargin at screen "};
    static const char *const ranges[] = {"\n    set xrange [", ":", "]; set yrange [", ":"};
    for (int i = 0; i < 4; i++)
        setting(text, margins[i], l->margin[i]);
    for (int i = 0; i < 4; i++)
        setting(text, ranges[i], l->range[i]);
    slip_text_append(text, "]\n    set label 1 ");
    quote(text, p->options->title ? p->options->title : "");
    setting(text, " at screen 0.5,", 1 - 45.0 / l->height);
    slip_text_append(text, " center\n");
    setting(text, "    set label 2 \"displacements times ", p->magnify);
    if (p->largest_force > 0)
        setting(text, ", largest contact force ", four_digits(p->largest_force));
    setting(text, "\" at screen ", l->margin[1]);
    setting(text, ",", 18.0 / l->height);
    slip_text_append(text, " right font \",16\" textcolor rgb \"#606060\"\n");
    setting(text, "    set colorbox user origin screen ", l->margin[1] + 40.0 / width);
    setting(text, ",", l->margin[2]);
    setting(text, " size screen ", 28.0 / width);
    setting(text, ",", l->margin[3] - l->margin[2]);
    slip_text_append(text, "\n    set cblabel \"von Mises stress\" offset 1.5,0\n");
    setting(text, "    set key at screen ", l->margin[1]);
    setting(text, ",", l->margin[3] + 8.0 / l->height);
    slip_text_append(text, " right bottom horizontal maxrows 1 samplen 0.5 font \",18\"\n");
}

static int element_count(const slip_plane *plane)
{
    int count = 0;
    for (int b = 0; b < slip_plane_body_count(plane); b++)
        count += slip_plane_body_mesh(plane, b)->element_count;
    return count;
}

/* Data blocks: the elements, two outlines, the contact points, and these by mode. */
static void write_plot(slip_text *text, const picture *p)
{
    static const char *const marks[][2] = {{"stick", "pointtype 7 pointsize 1.0 linecolor rgb \"#000000\""},
                                           {"slip", "pointtype 9 pointsize 1.1 linecolor rgb \"#D55E00\""},
                                           {"open", "pointtype 6 pointsize 0.9 linecolor rgb \"#606060\""}};
    const int elements = element_count(p->plane);
    slip_text_printf(
        text,
        "    splot data index %d using 1:2:3:4:5:(0) with vectors nohead dashtype 2 linewidth 0.7 "
        "linecolor rgb \"#808080\" notitle, \\\n"
        "          data index 0:%d using 1:2:3 with pm3d notitle, \\\n"
        "          data index %d using 1:2:3:4:5:(0) with vectors nohead linewidth 1 linecolor rgb "
        "\"#202020\" notitle",
        elements, elements - 1, elements + 1);
    if (p->largest_force > 0)
        slip_text_printf(
            text,
            ", \\\n          data index %d using 1:2:3:4:5:(0) with vectors head filled size graph "
            "0.012,20 linewidth 1.2 linecolor rgb \"#000000\" notitle",
            elements + 2);
    for (int i = 0; i < 3 && p->options->modes; i++)
        slip_text_printf(text, ", \\\n          data index %d using 1:2:3 with points %s title \"%s\"",
                         elements + 3 + i, marks[i][1], marks[i][0]);
    slip_text_append(text, "\n");
}

static void write_script(slip_text *text, const picture *p, const char *base)
{
    const layout l = lay_out(p);
    const int steps = element_count(p->plane) < 2000 ? 4 : 1;
    slip_text_printf(
        text,
        "# A picture by gnuplot (5.2 or later). Edit this file and run it again in this folder:\n"
        "#     gnuplot %s.gp\n# The data is in %s.dat.\n\ndata = \"%s.dat\"\n",
        base, base, base);
    /* Colours blend inside an element, in small steps where there are few elements. */
    slip_text_printf(text, "set view map\nset pm3d corners2color mean interpolate %d,%d\n", steps, steps);
    slip_text_append(text,
                     "set palette defined (0 \"#f7fbff\", 1 \"#c6dbef\", 2 \"#6baed6\", 3 \"#2171b5\", 4 "
                     "\"#08306b\")\n"
                     "set border 10 linewidth 0.75 linecolor rgb \"#404040\"\n"
                     "set tics nomirror out scale 0.6 format \"%g\"\n"
                     "set xlabel \"x\" offset 0,0.6\nset ylabel \"y\"\n");
    slip_text_printf(
        text,
        "do for [kind in \"png svg\"] {\n"
        "    if (kind eq \"png\") {\n"
        "        set terminal pngcairo noenhanced size %d,%d font \"DejaVu Sans,22\" linewidth 2\n"
        "    } else {\n"
        "        set terminal svg noenhanced size %d,%d font \"DejaVu Sans,14\" linewidth 1 "
        "background \"white\"\n    }\n    set output ",
        width, l.height, width / 2, l.height / 2);
    quote(text, p->options->name);
    slip_text_append(text, ".\".\".kind\n");
    write_frame(text, p, &l);
    write_plot(text, p);
    slip_text_append(text, "    set output\n}\n");
}

static int write_files(slip_context *ctx, const void *source, const char *folder, const char *base)
{
    const picture *p = source;
    slip_text script = {0}, data = {0};
    int status;
    write_script(&script, p, base);
    SLIP_TRY(write_data(ctx, p, &data));
    SLIP_TRY(slip_drawing_write(ctx, folder, base, ".dat", &data));
    SLIP_TRY(slip_drawing_write(ctx, folder, base, ".gp", &script));
done:
    slip_text_free(&script);
    slip_text_free(&data);
    return status;
}

int slip_bodies_draw(slip_context *ctx, const slip_plane *plane, const double *u, const double *lambda,
                     const slip_bodies_options *options, const char *folder,
                     void (*written)(void *user, const char *path), void *user)
{
    const slip_bodies_options standard = slip_bodies_options_default();
    picture p = {.plane = plane, .options = options ? options : &standard, .u = u, .lambda = lambda};
    slip_drawing what = {.folder = folder,
                         .base = p.options->name,
                         .pictures = &p.options->name,
                         .picture_count = 1,
                         .write = write_files,
                         .source = &p,
                         .written = written,
                         .user = user};
    int status;
    SLIP_TRY(prepare(ctx, &p));
    SLIP_TRY(slip_drawing_make(ctx, &what));
done:
    free(p.mises);
    free(p.places);
    free(p.arrows);
    return status;
}

int slip_bodies_plot(slip_context *ctx, slip_model *model, const double *u, const double *lambda,
                     const char *folder, const char *name)
{
    SLIP_NEED(ctx, model, u, folder);
    slip_bodies_options options = slip_bodies_options_default();
    int status;
    options.name = name;
    options.title = model->title[0] ? model->title : NULL;
    SLIP_TRY(slip_bodies_finish(ctx, model));
    if (slip_plane_dimension(model->plane) == 3)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "pictures are those of bodies in the plane; slip_bodies_save_vtu writes these");
    SLIP_TRY(slip_bodies_draw(ctx, model->plane, u, lambda, &options, folder, NULL, NULL));
done:
    return status;
}
