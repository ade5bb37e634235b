/* Integrals over an area by sweeping a pencil of lines over it: adaptive from line to line, and along each
 * line by a rule that is exact there, or adaptive too.
 *
 * Between two neighbouring breaks of the pencil the ends of the chords are smooth, except that a chord that
 * vanishes at a tangent does so like a square root. The substitution t = lo + (hi-lo) (1-cos s)/2 makes that
 * smooth, and puts more lines where an edge is seen at a grazing angle.
 *
 * Panels are judged by the difference of the 10-point Gauss and the 21-point Kronrod rule (nodes and weights:
 * R. Piessens et al., QUADPACK, Springer 1983). The Kronrod value is better than the difference e by far,
 * about (200 e)^1.5 of the scale, so that a tolerance of 1e-11 for e gives some 1e-13. */
#include "patch/area.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum { half_count = 11, depth_max = 40 };
static const double kronrod_node[half_count] = {0.995657163025808080735527280689003,
                                                0.973906528517171720077964012084452,
                                                0.930157491355708226001207180059508,
                                                0.865063366688984510732096688423493,
                                                0.780817726586416897063717578345042,
                                                0.679409568299024406234327365114874,
                                                0.562757134668604683339000099272694,
                                                0.433395394129247190799265943165784,
                                                0.294392862701460198131126603103866,
                                                0.148874338981631210884826001129720,
                                                0};
static const double kronrod_weight[half_count] = {
    0.011694638867371874278064396062192, 0.032558162307964727478818972459390,
    0.054755896574351996031381300244580, 0.075039674810919952767043140916190,
    0.093125454583697605535065465083366, 0.109387158802297641899210590325805,
    0.123491976262065851077958109585166, 0.134709217311473325928054001771707,
    0.142775938577060080797094273138717, 0.147739104901338491374841515972068,
    0.149445554002916905664936468389821};
/* Gauss's nodes are Kronrod's number 1, 3, 5, 7, 9. */
static const double gauss_weight[5] = {
    0.066671344308688137593568809893332, 0.149451349150580593145863396957658,
    0.219086362515982043995534934228163, 0.269266719309996355091226921569469,
    0.295524224714752870173815619188769};

/* A function of one variable with several values, added with a weight. */
typedef struct function function;
struct function {
    void (*add)(const function *self, double t, double weight, double *sums);
    int count;
    double tolerance;
};

static void add_scaled(int count, double factor, const double *values, double *sums)
{
    for (int i = 0; i < count; i++)
        sums[i] += factor * values[i];
}

/* One panel: the Kronrod sum, and the largest difference to Gauss's. */
static double panel(const function *f, double lo, double hi, double *kronrod)
{
    double gauss[slip_sums_max] = {0}, value[slip_sums_max], half = (hi - lo) / 2, middle = (lo + hi) / 2;
    double error = 0;
    memset(kronrod, 0, sizeof gauss);
    for (int i = 0; i < half_count; i++) {
        memset(value, 0, sizeof value);
        f->add(f, middle - half * kronrod_node[i], half, value);
        if (i < half_count - 1)
            f->add(f, middle + half * kronrod_node[i], half, value);
        add_scaled(f->count, kronrod_weight[i], value, kronrod);
        if (i % 2 == 1)
            add_scaled(f->count, gauss_weight[i / 2], value, gauss);
    }
    for (int i = 0; i < f->count; i++)
        error = fmax(error, fabs(kronrod[i] - gauss[i]));
    return error;
}

static void adapt(const function *f, double lo, double hi, int depth, double *sums)
{
    double kronrod[slip_sums_max], error = panel(f, lo, hi, kronrod), middle = (lo + hi) / 2;
    if (error > f->tolerance && depth > 0 && middle > lo && middle < hi) {
        adapt(f, lo, middle, depth - 1, sums);
        adapt(f, middle, hi, depth - 1, sums);
    } else {
        add_scaled(f->count, 1, kronrod, sums);
    }
}

/* ---- along a line ---- */

typedef struct sweep {
    function base;
    const slip_region *region;
    slip_integrand integrand;
    const void *user;
    const slip_rule *rule;
    bool rays;
    double centre[2];
    double lo, hi; /* the part of the pencil between two breaks */
} sweep;

typedef struct chord {
    function base;
    const sweep *sweep;
    const slip_line *line;
} chord;

static void chord_add(const function *self, double t, double weight, double *sums)
{
    const chord *c = (const chord *)self;
    const sweep *s = c->sweep;
    double x = c->line->x + t * c->line->ex, y = c->line->y + t * c->line->ey;
    s->integrand(s->user, c->line, x, y, t, weight * s->region->density(s->region, x, y), sums);
}

static slip_line line_at(const sweep *s, double t)
{
    slip_line line = {s->centre[0], s->centre[1], cos(t), sin(t)};
    if (!s->rays)
        line = (slip_line){t, 0, 0, 1};
    return line;
}

static void sweep_line(const sweep *s, double t, double weight, double *sums)
{
    double ends[slip_region_ends_max], values[slip_sums_max] = {0};
    slip_line line = line_at(s, t);
    chord c = {{chord_add, s->base.count, 0.1 * s->base.tolerance}, s, &line};
    int count = slip_region_chords(s->region, &line, ends);
    for (int k = 0; k < count; k++) {
        double half = (ends[2 * k + 1] - ends[2 * k]) / 2, middle = (ends[2 * k + 1] + ends[2 * k]) / 2;
        if (s->region->adaptive) {
            adapt(&c.base, ends[2 * k], ends[2 * k + 1], depth_max, values);
            continue;
        }
        for (int i = 0; i < s->rule->count; i++)
            chord_add(&c.base, middle + half * s->rule->node[i], half * s->rule->weight[i], values);
    }
    add_scaled(s->base.count, weight, values, sums);
}

static void sweep_add(const function *self, double angle, double weight, double *sums)
{
    const sweep *s = (const sweep *)self;
    double root = sin(angle / 2), t = s->lo + (s->hi - s->lo) * root * root;
    sweep_line(s, t, weight * (s->hi - s->lo) / 2 * sin(angle), sums);
}

/* Between two breaks the lines either all meet the region or all miss it (one that only touches it might do
 * either). */
static bool meets(const sweep *s)
{
    double ends[slip_region_ends_max];
    slip_line one = line_at(s, s->lo + 0.4 * (s->hi - s->lo)),
              other = line_at(s, s->lo + 0.7 * (s->hi - s->lo));
    return slip_region_chords(s->region, &one, ends) > 0 || slip_region_chords(s->region, &other, ends) > 0;
}

static void sweep_all(sweep *s, const double *breaks, int count, double *sums)
{
    for (int i = 0; i + 1 < count; i++) {
        s->lo = breaks[i];
        s->hi = breaks[i + 1];
        if (meets(s))
            adapt(&s->base, 0, pi, depth_max, sums);
    }
}

/* The tolerance that can be reached: expressions read the user's coordinates, whose rounding errors far from
 * the origin no refinement can remove. */
static double reachable(const slip_region *region, double tolerance)
{
    return region->adaptive ? fmax(tolerance, 1e-13 * hypot(region->pole[0], region->pole[1])) : tolerance;
}

void slip_region_by_rays(const slip_region *region, const double centre[2], slip_integrand integrand,
                         const void *user, int count, double tolerance, double *sums)
{
    double breaks[slip_region_breaks_max];
    sweep s = {.base = {sweep_add, count, reachable(region, tolerance)},
               .region = region,
               .integrand = integrand,
               .user = user,
               .rule = &region->near_rule,
               .rays = true,
               .centre = {centre[0], centre[1]}};
    sweep_all(&s, breaks, slip_region_angles(region, centre[0], centre[1], breaks), sums);
}

void slip_region_by_lines(const slip_region *region, slip_integrand integrand, const void *user, int count,
                          double tolerance, double *sums)
{
    double breaks[slip_region_breaks_max];
    sweep s = {.base = {sweep_add, count, reachable(region, tolerance)},
               .region = region,
               .integrand = integrand,
               .user = user,
               .rule = &region->far_rule};
    sweep_all(&s, breaks, slip_region_offsets(region, breaks), sums);
}
