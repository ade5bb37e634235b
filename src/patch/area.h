/* Contact areas and integrals over them, in units of the characteristic size, with a pressure whose integral
 * is 1.
 *
 * Integrals are taken along lines: rays through a point (where the integrand is singular like 1/r, the
 * Jacobian removes it), or parallel lines (where there is no such point nearby). An area only has to provide
 * the points where a line enters and leaves it, and the lines of a pencil at which their number changes. */
#ifndef SLIP_LAW_PATCH_AREA_H
#define SLIP_LAW_PATCH_AREA_H

#include "base/context.h"
#include "math/expression/expression.h"

#include <stdbool.h>

enum { slip_patch_corners_max = 256, slip_patch_rule_max = 24, slip_patch_scratch_max = 512 };

/* A quadrature rule on [-1, 1]. */
typedef struct slip_rule {
    int count;
    double node[slip_patch_rule_max], weight[slip_patch_rule_max];
} slip_rule;

/* count <= slip_patch_rule_max */
void slip_rule_legendre(slip_rule *rule, int count);
/* For functions that are sqrt(1-x^2) times a polynomial: exact to degree 2 count - 1 of the polynomial. */
void slip_rule_root(slip_rule *rule, int count);

typedef struct slip_region slip_region;
typedef double (*slip_density)(const slip_region *region, double x, double y);

/* A polygon, or an ellipse with half axes a, b along the coordinates and perhaps a concentric circular hole.
 * Positions are relative to a pole near the area, so that no digits are lost far from the origin. */
struct slip_region {
    bool polygon;
    const double *corners; /* x, y of each, counterclockwise */
    int corner_count;
    double a, b, hole;
    double pole[2];          /* position of the region's point (0, 0) in the user's coordinates */
    double centre[2], reach; /* a circle around everything */
    slip_density density;
    bool closed;            /* slip_polygon_sums is accurate: bilinear pressure, no sliver */
    double coefficients[4]; /* of 1, dx, dy, dx dy about the centre; else a factor, the first */
    const slip_expression *expression;
    double scale;        /* length unit of the expression's x and y */
    bool adaptive;       /* the density along a line is no polynomial (nor sqrt times polynomial) */
    slip_rule near_rule; /* exact along a line for density times a quadratic */
    slip_rule far_rule;  /* for density times a function that is smooth over the area */
};

typedef struct slip_line {
    double x, y, ex, ey; /* a point and a unit vector */
} slip_line;

/* The chords of a line: pairs of parameters, ascending, in ends[]; returns the number of pairs. */
enum { slip_region_ends_max = slip_patch_corners_max + 2 };
int slip_region_chords(const slip_region *region, const slip_line *line, double *ends);

/* The angles of lines through (x, y) at which chords do not change smoothly, ascending over half a turn, with
 * both ends; _offsets: the same for lines x = const. Returns their number. */
enum { slip_region_breaks_max = slip_patch_corners_max + 6 };
int slip_region_angles(const slip_region *region, double x, double y, double *angles);
int slip_region_offsets(const slip_region *region, double *offsets);

/* An integrand: adds weight times its values at (x, y); along: distance from the line's point. */
typedef void (*slip_integrand)(const void *user, const slip_line *line, double x, double y, double along,
                               double weight, double *sums);

enum { slip_sums_max = 12 };
/* Sums += integral of density times the integrand over the region: by rays through the centre (then the
 * integrand gets `along` = signed distance r and must contain the factor |r| of dx dy = |r| dr dphi), or by
 * parallel lines.
 */

void slip_region_by_rays(const slip_region *region, const double centre[2], slip_integrand integrand,
                         const void *user, int count, double tolerance, double *sums);
void slip_region_by_lines(const slip_region *region, slip_integrand integrand, const void *user, int count,
                          double tolerance, double *sums);

/* The integrals about c from which force, moment and derivative are computed, in closed form for a polygon
 * with bilinear pressure: integrals of s x/r, s y/r, s r and, where `all`, s x^2/r^3, s x y/r^3, s y^2/r^3,
 * with x and y measured from c. */
bool slip_polygon_closed(const slip_region *region);
void slip_polygon_sums(const slip_region *region, const double c[2], bool all, double *sums);

/* Whether a point, relative to the pole, is in the region. */
bool slip_region_inside(const slip_region *region, double x, double y);

#endif
