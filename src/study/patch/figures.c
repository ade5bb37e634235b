/* The pictures of contact areas from the tables of a result: limit surface, force and moment against
 * direction, pressure. */
#include "study/patch/study.h"

#include "figure/album.h"
#include "study/patch/map.h"

#include <string.h>

enum { phis_max = 3, angles = slip_patch_angles };

typedef struct area_plot {
    slip_album *album;
    const slip_result *result;
    const char *name;
} area_plot;

/* A table of the area with at least so many columns and rows. */
static int find_table(area_plot *a, const char *what, int column_count, int64_t count,
                      const slip_table **table)
{
    const char *name = slip_album_text(a->album, "%s-%s", a->name, what);
    *table = slip_result_table(a->result, name);
    return *table && (*table)->column_count >= column_count && (*table)->count >= count
               ? SLIP_OK
               : slip_fail(a->album->ctx, SLIP_ERROR_IO, "result.h5: expected a table `%s` of a contact area",
                           name);
}

/* A number of the area. */
static double number_of(area_plot *a, const char *what)
{
    return slip_result_number(a->result, slip_album_text(a->album, "%s.%s", a->name, what));
}

/* The model that a column is of: "(0,1)" of "M/size (0,1)". */
static const char *model_of(const slip_column *column)
{
    const char *space = strchr(column->name, ' ');
    return space ? space + 1 : "";
}

/* ---- limit surface ---- */

/* The title above the approximation beside the integral model. */
static const char *describe(area_plot *a, const char *label)
{
    const double m = number_of(a, slip_album_text(a->album, "approximations.%s.m", label)),
                 b = number_of(a, slip_album_text(a->album, "approximations.%s.b", label));
    return slip_album_text(a->album, "approximation %s, m = %.4g, b = %.4g", label, m, b);
}

static int add_space(area_plot *a)
{
    const slip_table *table;
    SLIP_PASS(find_table(a, "limit-surface", 8, slip_patch_rows * slip_patch_columns, &table));
    slip_figure *figure = slip_album_figure(a->album, slip_album_text(a->album, "%s-limit-surface", a->name));
    figure->title = slip_album_text(a->album, "%s: limit surface for mu N = 1", a->name);
    figure->columns = 2;
    figure->width = 2000;
    figure->height = 1000;
    for (int k = 0; k < 2; k++) {
        const slip_column *of = &table->columns[2 + 3 * k];
        slip_album_panel(a->album, "force Tx", "force Ty")->title =
            k == 0 ? "integral model" : describe(a, model_of(of));
        slip_album_surface(a->album,
                           &(slip_figure_surface){of[0].values, of[1].values, of[2].values, slip_patch_rows,
                                                  slip_patch_columns},
                           "moment M/size", false);
    }
    return SLIP_OK;
}

/* ---- force and moment against direction ---- */

static void add_direction_curves(area_plot *a, const slip_table *table, int phi, int part)
{
    static const int colors[] = {7, 1, 6, 3, 2};
    const int models = (table->column_count - 2) / 3;
    const bool own = strncmp(model_of(&table->columns[table->column_count > 5 ? 5 : 2]), "own", 3) == 0;
    for (int m = 0; m < models; m++) {
        const slip_column *column = &table->columns[2 + 3 * m + part];
        slip_curve *curve =
            slip_album_curve(a->album, table->columns[1].values + (int64_t)phi * angles,
                             column->values + (int64_t)phi * angles, angles, model_of(column));
        curve->color = m == 0 ? colors[0] : own && m == 1 ? 4 : colors[(own ? m - 1 : m) % 5];
        curve->style = own && m == 1 ? SLIP_CURVE_DASHED : SLIP_CURVE_LINE;
    }
}

/* Of a circular area one phi says all, and nothing is across. */
static int add_directions(area_plot *a)
{
    static const char *const labels[3] = {"force along the sliding", "force across the sliding",
                                          "moment M/size"};
    const slip_table *table;
    SLIP_PASS(find_table(a, "directions", 5, angles, &table));
    const int phi_count = table->count / angles < phis_max ? (int)(table->count / angles) : phis_max;
    slip_figure *figure = slip_album_figure(a->album, slip_album_text(a->album, "%s-directions", a->name));
    figure->title =
        slip_album_text(a->album, "%s: friction against direction, from sliding (0°) to spin (90°)", a->name);
    figure->columns = phi_count > 1 ? phi_count : 2;
    figure->rows_share_y = phi_count > 1;
    for (int part = 0; part < 3; part++)
        for (int phi = 0; phi < phi_count; phi++) {
            if (part == 1 && phi_count == 1)
                continue;
            slip_panel *panel = slip_album_panel(a->album, "theta [°]", phi == 0 ? labels[part] : NULL);
            if (phi_count > 1 && part == 0)
                panel->title = slip_album_text(a->album, "sliding at phi = %d°", 45 * phi);
            panel->x_step = phi_count > 1 ? 45 : 15;
            add_direction_curves(a, table, phi, part);
        }
    return SLIP_OK;
}

/* ---- pressure ---- */

static const slip_array *find_array(area_plot *a, const char *what)
{
    return slip_result_array(a->result, slip_album_text(a->album, "%s/%s", a->name, what));
}

static int add_pressure(area_plot *a)
{
    const slip_array *map = find_array(a, "pressure");
    const double size = number_of(a, "size"),
                 centre[2] = {size * number_of(a, "moments.c_1,0,0"), size * number_of(a, "moments.c_0,1,0")};
    slip_pen cross = slip_album_pen(a->album, 1);
    if (!map || map->count % 3 != 0)
        return slip_fail(a->album->ctx, SLIP_ERROR_IO,
                         "result.h5: expected the pressure of the contact area `%s`", a->name);
    const int64_t all = map->count / 3 * map->width;
    slip_album_figure(a->album, slip_album_text(a->album, "%s-pressure", a->name))->title =
        slip_album_text(a->album, "%s: pressure, and the centre of the load (cross)", a->name);
    slip_album_panel(a->album, "x", "y");
    slip_album_surface(a->album,
                       &(slip_figure_surface){map->values, map->values + all, map->values + 2 * all,
                                              (int)(map->count / 3), (int)map->width},
                       number_of(a, "point_loads") == 1 ? "share of the load" : "pressure for unit load",
                       true);
    for (int k = 1; k <= slip_patch_outlines_max; k++) {
        const slip_array *outline = find_array(a, slip_album_text(a->album, "outline-%d", k));
        if (outline && outline->count == 2)
            slip_album_curve(a->album, outline->values, outline->values + outline->width, outline->width,
                             NULL);
    }
    slip_pen_to(&cross, centre[0], centre[1]);
    slip_pen_curve(&cross, NULL)->style = SLIP_CURVE_POINTS;
    return SLIP_OK;
}

static int add_all(area_plot *a)
{
    SLIP_PASS(add_space(a));
    SLIP_PASS(add_directions(a));
    return add_pressure(a);
}

int slip_patch_draw(slip_album *album)
{
    const slip_result *result = album->result;
    const slip_column *names = result->main.column_count > 0 ? &result->main.columns[0] : NULL;
    if (!names || !names->words)
        return slip_fail(album->ctx, SLIP_ERROR_IO, "%s: result.h5: expected the names of contact areas",
                         album->folder);
    for (int k = 0; k < names->word_count; k++) {
        album->base = names->words[k];
        SLIP_PASS(slip_album_draw(album, add_all(&(area_plot){album, result, names->words[k]})));
    }
    return SLIP_OK;
}
